//! The plugins that come with the gateway.

pub mod token_exchange;
mod metrics;

use std::sync::Arc;

use crate::plugin::Plugin;

/// All of them.
pub fn all() -> Vec<Arc<dyn Plugin>> {
    vec![Arc::new(metrics::Metrics), Arc::new(token_exchange::TokenExchange::default())]
}

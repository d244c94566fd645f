//! The plugins that come with the gateway.

pub mod token_exchange;
mod metrics;
pub mod plugin;

use std::sync::Arc;

use crate::plugins::plugin::Plugin;

/// All of them.
pub fn all() -> Vec<Arc<dyn Plugin>> {
    vec![Arc::new(metrics::Metrics), Arc::new(token_exchange::TokenExchange::default())]
}

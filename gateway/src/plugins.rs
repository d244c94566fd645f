//! The plugins that come with the gateway.

mod metrics;

use std::sync::Arc;

use crate::plugin::Plugin;

/// All of them.
pub fn all() -> Vec<Arc<dyn Plugin>> {
    vec![Arc::new(metrics::Metrics)]
}

//! The plugins that come with the gateway. [`plugin::Plugin`] is the trait that all plugins
//! implement.

mod console;
pub mod events;
mod explain;
pub mod token_exchange;
mod metrics;
pub mod plugin;
mod refused_callers;
pub mod webhooks;
pub mod widgets;

use std::sync::Arc;

use crate::plugins::plugin::Plugin;

/// All plugins of the gateway itself.
pub fn all() -> Vec<Arc<dyn Plugin>> {
    vec![
        Arc::new(metrics::Metrics),
        Arc::new(refused_callers::RefusedCallers),
        Arc::new(token_exchange::TokenExchange::default()),
        Arc::new(events::Events::default()),
        Arc::new(webhooks::Webhooks::default()),
        Arc::new(widgets::Widgets::default()),
        Arc::new(explain::Explain),
        Arc::new(console::Console::default()),
    ]
}

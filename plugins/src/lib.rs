//! The plugins that come with the gateway: accounts, token exchange, events, webhooks, the console,
//! explain and metrics. They use the gateway's public interface alone, as the plugins of any
//! program do; [`Plugin`] is the trait that all plugins implement.

#![cfg_attr(
    test,
    allow(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing
    )
)]

pub mod accounts;
mod console;
pub mod events;
mod explain;
pub mod token_exchange;
mod metrics;
mod outbound_webhook;
mod refused_callers;
pub mod webhooks;

use std::sync::Arc;

use gateway::migrations;
use gateway::plugin::{Migration, Plugin};

/// The versions of the schema `postern` with the tables of these plugins.
pub fn migrations() -> Vec<Migration> {
    let plugins = all();
    plugins
        .iter()
        .flat_map(|plugin| plugin.migrations())
        .copied()
        .collect()
}

/// The SQL that creates or upgrades the schema `postern` with the tables of these plugins.
pub fn migration_script() -> String {
    migrations::script(&migrations())
}

/// All plugins of this crate.
pub fn all() -> Vec<Arc<dyn Plugin>> {
    vec![
        Arc::new(metrics::Metrics),
        Arc::new(refused_callers::RefusedCallers),
        Arc::new(token_exchange::TokenExchange::default()),
        Arc::new(accounts::Accounts::default()),
        Arc::new(events::Events::default()),
        Arc::new(webhooks::Webhooks::default()),
        Arc::new(explain::Explain),
        Arc::new(console::Console::default()),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use gateway::migrations::NEWEST_VERSION;

    #[test]
    fn schema_has_all_released_versions() {
        let script = migration_script();
        for version in 1..=NEWEST_VERSION {
            let record = format!("(version) VALUES ({version});");
            assert_eq!(script.matches(&record).count(), 1, "{version}");
        }
        // No version contains the dollar quote around it.
        assert_eq!(
            script.matches("$migrate$").count(),
            2 * (1 + NEWEST_VERSION)
        );
    }
}

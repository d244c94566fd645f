//! The test harness: one Postgres cluster for all tests, a database for each, the fixture that most
//! of them use, requests run by the translation engine alone without a gateway, and helpers for
//! end-to-end tests: HTTP responses, a proxy in front of Postgres, the `postern` binary.

pub mod database;
pub mod demo_data;
pub mod fixture;
pub mod request;
pub mod pgbouncer;
pub mod plain;
pub mod program;
pub mod wire;
pub mod domains;
pub mod choices;
pub mod documents;
pub mod writes;
pub mod mutations;
pub mod state;
pub mod case;
pub mod golden;
pub mod metric;
pub mod reply;
pub mod service;
pub mod openapi;
pub mod proxy;
pub mod binary;
pub mod certificates;
pub mod server_features;
pub mod standby;
pub mod wait;
pub mod webhook_senders;

pub use database::{TestDatabase, create};
pub use metric::metric;

use std::sync::Arc;

use gateway::Gateway;
use gateway::plugin::Plugin;
use gateway::server::Builder;

/// A builder of a gateway with the plugins that come with it.
pub fn gateway() -> Builder {
    Gateway::builder().plugins(plugins::all())
}

/// The plugins of `postern`.
pub fn all_plugins() -> Vec<Arc<dyn Plugin>> {
    plugins::all().into_iter().chain(demo::plugins()).collect()
}

//! The trait of plugins: a plugin adds routes, and prepares itself for each version of the gateway before that version
//! serves requests. Users write their own plugins against the same trait.

use std::pin::Pin;
use std::sync::Arc;

use crate::config::{Config, ConfigError};
use crate::database::Database;
use crate::http::route::Route;

/// A plugin of the gateway.
pub trait Plugin: Send + Sync + std::fmt::Debug {
    /// The plugin's name in messages.
    fn name(&self) -> &'static str;

    /// The routes that the plugin handles, read once at the start.
    fn routes(self: Arc<Self>) -> Vec<Route>;

    /// Prepares the plugin for a version: at the start, and at each reload before the version serves requests. An error
    /// stops the start; at a reload the running version stays.
    fn prepare<'a>(&'a self, config: &'a Config, database: &'a Database) -> PrepareFuture<'a> {
        let _ = (config, database);
        Box::pin(async { Ok(()) })
    }
}

/// The future of [`Plugin::prepare`].
pub type PrepareFuture<'a> = Pin<Box<dyn Future<Output = Result<(), PluginError>> + Send + 'a>>;

/// Why a plugin is not ready. The error stops the start; at a reload the running version stays.
#[derive(Debug, thiserror::Error)]
pub enum PluginError {
    /// A setting is wrong.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// The plugin cannot work as it is set up.
    #[error("{plugin}: {cause}")]
    NotReady {
        /// The plugin's name.
        plugin: &'static str,
        /// The cause. It contains no secret.
        cause: String,
    },
}

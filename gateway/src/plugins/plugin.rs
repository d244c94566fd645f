//! What stands around the engine: each plugin brings paths of its own, and is asked before each version of the gateway takes
//! the place of the one before. Users write theirs against the same trait.

use std::pin::Pin;
use std::sync::Arc;

use crate::config::{Config, ConfigError};
use crate::database::Database;
use crate::http::route::Route;

/// A part of the gateway beside the engine.
pub trait Plugin: Send + Sync + std::fmt::Debug {
    /// What it is called in messages.
    fn name(&self) -> &'static str;

    /// The paths that it answers. They are asked for once, at the start.
    fn routes(self: Arc<Self>) -> Vec<Route>;

    /// Gets ready for a version: at the start, and at each reload before requests are answered by it. What is at fault stops the
    /// start, and keeps the running version.
    fn prepare<'a>(&'a self, config: &'a Config, database: &'a Database) -> PrepareFuture<'a> {
        let _ = (config, database);
        Box::pin(async { Ok(()) })
    }
}

/// Whether a plugin is ready.
pub type PrepareFuture<'a> = Pin<Box<dyn Future<Output = Result<(), PluginError>> + Send + 'a>>;

/// Why a plugin is not ready. It stops the start, and keeps the running version at a reload.
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

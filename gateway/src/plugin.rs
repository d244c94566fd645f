//! The trait of plugins. A plugin adds routes, reads tables of its own in the settings file,
//! prepares itself for each version of the gateway before that version serves requests, and works
//! in the background. Users write their own plugins against the same trait; `docs/plugins.md` shows
//! one.

use std::pin::Pin;
use std::sync::{Arc, PoisonError, RwLock};

use permissions::{Defaults, Diagnostic, FaultText};
use pg::Database;
use prometheus::core::Collector;
use tokio::sync::watch;

use crate::config::{Config, ConfigError};
use crate::http::App;
pub use crate::http::index::PageLink;
use crate::http::route::Route;
pub use crate::migrations::Migration;

/// A plugin of the gateway.
pub trait Plugin: Send + Sync + std::fmt::Debug {
    /// The plugin's name in messages.
    fn name(&self) -> &'static str;

    /// Whether the settings turn the plugin on, asked once at the start. One that is off has no
    /// routes and does no background work.
    fn is_enabled(&self, config: &Config) -> bool {
        let _ = config;
        true
    }

    /// The routes that the plugin handles, read once at the start.
    fn routes(self: Arc<Self>) -> Vec<Route> {
        vec![]
    }

    /// The plugin's parts of the OpenAPI description at `/v1/openapi.json`, as far as the running
    /// version offers them: JSON texts with `tags`, `paths` and `components`, which are joined by
    /// [`join_parts`](crate::rest::openapi::join_parts). They are asked for at each request.
    fn openapi(&self) -> Vec<&'static str> {
        vec![]
    }

    /// The tables of the settings file that the plugin reads, such as `token_exchange`. A table
    /// that no plugin and no part of the gateway reads is a fault.
    fn sections(&self) -> &'static [&'static str] {
        &[]
    }

    /// The versions of the plugin's tables, the oldest first. Each runs once in each database, in
    /// one transaction with the record that it did: see [`crate::server::Builder::migrate`].
    fn migrations(&self) -> &'static [Migration] {
        &[]
    }

    /// The plugin's metrics, registered once at the start. Their names have to be the plugin's own.
    fn metrics(&self) -> Vec<Box<dyn Collector>> {
        vec![]
    }

    /// The pages that `/` links, for browsers.
    fn pages(&self) -> &'static [PageLink] {
        &[]
    }

    /// The web origins of pages that send requests with tokens of the plugin, and no cookies. They
    /// are allowed beside those of the setting `cors_origins`.
    fn token_origins(&self, config: &Config) -> Result<Vec<String>, ConfigError> {
        let _ = config;
        Ok(vec![])
    }

    /// Whether responses to callers with the admin secret carry `Server-Timing`, which a page of
    /// the plugin shows.
    fn shows_server_timing(&self) -> bool {
        false
    }

    /// Whether statements that write hand the caller's session values to triggers of the plugin.
    fn reads_session(&self, config: &Config) -> bool {
        let _ = config;
        false
    }

    /// Judges the plugin's settings and files for `postern check`, which changes nothing and may
    /// lack secrets. Without an implementation of its own the plugin is prepared, and the result
    /// dropped.
    fn check<'a>(&'a self, config: &'a Config, database: &'a Database) -> CheckFuture<'a> {
        Box::pin(async move {
            self.prepare(config, database).await?;
            Ok(PluginReport::default())
        })
    }

    /// Prepares the plugin for a version: at the start, and at each reload before the version
    /// serves requests. What it returns is called once all plugins are ready, and makes the
    /// prepared version the current one. An error stops the start; at a reload the running version
    /// stays.
    fn prepare<'a>(&'a self, config: &'a Config, database: &'a Database) -> PrepareFuture<'a> {
        let _ = (config, database);
        Box::pin(async { Ok(Activation::none()) })
    }

    /// The plugin's background work, begun once the gateway listens. It ends when `shutdown` is
    /// requested; what has not ended when the time for draining is over is dropped at its next
    /// `await`.
    fn start(self: Arc<Self>, app: Arc<App>, shutdown: Shutdown) -> Option<BackgroundTask> {
        let _ = (app, shutdown);
        None
    }
}

/// The future of [`Plugin::prepare`].
pub type PrepareFuture<'a> =
    Pin<Box<dyn Future<Output = Result<Activation, PluginError>> + Send + 'a>>;

/// The future of [`Plugin::check`].
pub type CheckFuture<'a> =
    Pin<Box<dyn Future<Output = Result<PluginReport, PluginError>> + Send + 'a>>;

/// The future of [`Plugin::start`].
pub type BackgroundTask = Pin<Box<dyn Future<Output = ()> + Send>>;

/// What a check has found in the settings and files of a plugin.
#[derive(Debug, Default)]
pub struct PluginReport {
    /// All faults.
    pub problems: Vec<Diagnostic<FaultText>>,
    /// What is no fault and might surprise, on lines of files.
    pub notes: Vec<Diagnostic<FaultText>>,
    /// What is no fault and might surprise.
    pub plain_notes: Vec<String>,
    /// How many things the plugin has.
    pub count: Option<PluginCount>,
}

/// How many things a plugin has.
#[derive(Clone, Copy, Debug)]
pub struct PluginCount {
    /// Their key in the output of `postern check --json`: `triggers`.
    pub key: &'static str,
    /// Their name in the summary: `event triggers and schedules`.
    pub name: &'static str,
    /// How many there are.
    pub count: usize,
}

/// The defaults of the permission file: the profile's, and what plugins need.
pub fn permission_defaults(config: &Config, plugins: &[Arc<dyn Plugin>]) -> Defaults {
    Defaults {
        event_session: plugins.iter().any(|plugin| plugin.reads_session(config)),
        ..config.profile.defaults()
    }
}

/// What a plugin has prepared for the running version; empty before the first version, and if the
/// settings turn the plugin off.
#[derive(Debug)]
pub struct Prepared<T>(Arc<RwLock<Option<Arc<T>>>>);

impl<T> Default for Prepared<T> {
    fn default() -> Prepared<T> {
        Prepared(Arc::default())
    }
}

impl<T> Prepared<T> {
    /// The running version's.
    pub fn get(&self) -> Option<Arc<T>> {
        self.0
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Makes the next version's the running version's.
    pub fn activation(&self, next: Option<T>) -> Activation
    where
        T: Send + Sync + 'static,
    {
        let next = next.map(Arc::new);
        let current = self.0.clone();
        Activation::new(move || {
            *current.write().unwrap_or_else(PoisonError::into_inner) = next;
        })
    }
}

/// Makes what a plugin has prepared its current version.
pub struct Activation(Box<dyn FnOnce() + Send>);

impl Activation {
    /// Calls a function, which must not fail.
    pub fn new(activate: impl FnOnce() + Send + 'static) -> Activation {
        Activation(Box::new(activate))
    }

    /// Nothing has to be done.
    pub fn none() -> Activation {
        Activation::new(|| ())
    }

    pub(crate) fn run(self) {
        (self.0)();
    }
}

/// Signals to background work that the gateway shuts down.
#[derive(Clone, Debug)]
pub struct Shutdown(watch::Receiver<bool>);

impl Shutdown {
    /// A sender that requests the shutdown by sending `true` or by being dropped, and a receiver.
    pub(crate) fn channel() -> (watch::Sender<bool>, Shutdown) {
        let (sender, receiver) = watch::channel(false);
        (sender, Shutdown(receiver))
    }

    /// Waits until the gateway shuts down.
    pub async fn requested(&mut self) {
        // An error means that the gateway was dropped.
        let _ = self.0.wait_for(|is_requested| *is_requested).await;
    }

    /// Whether the gateway shuts down.
    pub fn is_requested(&self) -> bool {
        *self.0.borrow() || self.0.has_changed().is_err()
    }
}

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
    /// Files that the plugin reads have faults; drawn on their lines.
    #[error("{0}")]
    Faults(String),
}

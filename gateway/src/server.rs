//! Starts a gateway from settings: connects to the database, loads files and catalog, listens, and
//! shuts down in order. Each accepted connection is served by [`crate::http`].
//!
//! ```no_run
//! # async fn run() -> Result<(), gateway::server::StartError> {
//! let running = gateway::Gateway::builder()
//!     .database_url("postgres://user@localhost/name")
//!     .permissions_file("permissions.toml")
//!     .admin_secret("…")
//!     .listen("127.0.0.1:0")
//!     .start()
//!     .await?;
//! println!("{}", running.url());
//! running.shutdown().await;
//! # Ok(())
//! # }
//! ```

pub mod signals;
pub mod reload;
pub mod auto_reload;
mod action_worker;
mod reload_endpoint;
mod left_out;
mod loaded_files;
pub mod settings_tables;
mod loading;
pub mod check;
mod start_error;
mod start_report;
mod version_pass;
pub mod file_watch;
mod wait_for_database;
mod descriptors;
mod expiry_watch;

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use hyper_util::server::graceful::GracefulShutdown;
use permissions::SourceFile;
use pg::Database;
use pg::memory::MemoryBudget;
use tokio::net::{TcpListener, TcpSocket};
use tokio::sync::{oneshot, watch};
use tokio::task::{JoinHandle, JoinSet};

use crate::actions::{self, ActionError, ActionInput, NativeHandlers};
use crate::auth::KeySets;
use crate::config::{Config, ConfigError, Secret, Settings};
use crate::execute::ReloadRequests;
use crate::execute::prepared_rules::PreparedRules;
use crate::execute::schema_version::LoadError;
use crate::http::cors::Cors;
use crate::http::plugin_openapi::PluginOpenApi;
use crate::http::route::Route;
use crate::http::router::Router;
use crate::http::sockets::{SocketLimits, Sockets};
use crate::http::state::{CurrentState, HandlerState};
use crate::http::stream::ClientStream;
use crate::http::{App, connection};
use crate::plugin::{Migration, Plugin, PluginError, Shutdown};
use crate::server::action_worker::ActionWorker;
use crate::server::file_watch::FileWatch;
use crate::server::reload::{
    FirstVersion, ReloadReport, Reloader, SettingsSource, Sources, log_reload,
};
use crate::server::reload_endpoint::ReloadEndpoint;
use crate::server::signals::{SIGTERM, SignalAction, Signals};
use crate::server::start_report::Started;
use crate::subscriptions::{SlotLimits, SubscriptionSettings, Subscriptions};
use crate::telemetry::metrics::Metrics;
use crate::telemetry::refusals::Refusals;
use crate::telemetry::resource::Resource;
use crate::telemetry::traces::{CollectorSettings, Tracer};
use crate::{migrations, rest};

pub use loading::{
    compile_actions, compile_rest_map, database_settings, read_permissions, read_rest_map,
};
pub use start_error::{StartError, StartErrors};

/// Entry point of the builder of a gateway.
#[derive(Debug)]
pub struct Gateway;

/// Settings and sources from which a gateway is started.
#[derive(Debug, Default)]
pub struct Builder {
    settings: Settings,
    gather: Option<SettingsSource>,
    permissions: Option<SourceFile>,
    rest_map: Option<rest::Source>,
    actions: Option<actions::Source>,
    native_actions: NativeHandlers,
    plugins: Vec<Arc<dyn Plugin>>,
    socket_limits: Option<SocketLimits>,
    error: Option<ConfigError>,
}

/// A running gateway. Dropping it stops it at once.
#[derive(Debug)]
pub struct GatewayHandle {
    address: SocketAddr,
    router: Arc<Router>,
    reloader: Arc<Reloader>,
    /// Ends the automatic reloads when it is dropped.
    reloads: Option<oneshot::Sender<()>>,
    stop: Option<oneshot::Sender<()>>,
    /// Calls the handlers of asynchronous actions.
    worker: ActionWorker,
    task: JoinHandle<()>,
    /// Aborted when it is dropped.
    _expiry_watch: JoinSet<()>,
    background: Background,
}

/// The background work of plugins. Dropping it drops the work.
#[derive(Debug)]
struct Background {
    shutdown: watch::Sender<bool>,
    tasks: JoinSet<()>,
}

/// How long a stopped gateway waits for the collector of its traces.
const TRACE_FLUSH: Duration = Duration::from_secs(2);

/// How long [`Builder::migrate`] waits for a connection.
const MIGRATION_CONNECT: Duration = Duration::from_secs(5);

impl Gateway {
    /// A builder with default settings.
    pub fn builder() -> Builder {
        Builder::default()
    }
}

impl Builder {
    /// Uses these settings.
    pub fn settings(self, settings: Settings) -> Builder {
        Builder { settings, ..self }
    }

    /// Uses the settings that this function returns, at the start and at each reload.
    pub fn settings_from(
        self,
        gather: impl Fn() -> Result<Settings, ConfigError> + Send + Sync + 'static,
    ) -> Builder {
        Builder {
            gather: Some(SettingsSource(Box::new(gather))),
            ..self
        }
    }

    /// Sets a setting by its flag's name without dashes: `("pool-size", "4")`.
    pub fn setting(mut self, name: &str, value: &str) -> Builder {
        if let Err(error) = self.settings.set(name, value) {
            self.error.get_or_insert(error);
        }
        self
    }

    /// Sets the URL of the database.
    pub fn database_url(self, url: &str) -> Builder {
        self.setting("database-url", url)
    }

    /// Sets the address to listen on; port 0 means any free port.
    pub fn listen(self, address: &str) -> Builder {
        self.setting("listen", address)
    }

    /// Sets the admin secret, which gives access to everything.
    pub fn admin_secret(self, secret: &str) -> Builder {
        self.setting("admin-secret", secret)
    }

    /// Sets how tokens are verified.
    pub fn jwt_secret(self, json: &str) -> Builder {
        self.setting("jwt-secret", json)
    }

    /// Sets the path of the permission file.
    pub fn permissions_file(self, path: impl AsRef<Path>) -> Builder {
        self.setting("permissions", &path.as_ref().to_string_lossy())
    }

    /// Uses these permissions instead of a file; `name` is shown in messages.
    pub fn permissions_text(self, name: &str, text: &str) -> Builder {
        Builder {
            permissions: Some(SourceFile::new(name, text)),
            ..self
        }
    }

    /// Uses this REST map instead of a file.
    pub fn rest_map(self, source: rest::Source) -> Builder {
        Builder {
            rest_map: Some(source),
            ..self
        }
    }

    /// Uses these declarations of actions instead of files.
    pub fn actions(self, source: actions::Source) -> Builder {
        Builder {
            actions: Some(source),
            ..self
        }
    }

    /// Registers the function that answers an action, which the definitions name without a
    /// `handler` or a `function`.
    ///
    /// ```
    /// # use serde_json::json;
    /// let builder = gateway::Gateway::builder().action("greet", |call: gateway::actions::ActionInput| async move {
    ///     Ok(json!({"text": format!("Hello, {}", call.arguments["name"].as_str().unwrap_or_default())}))
    /// });
    /// ```
    pub fn action<F, A>(mut self, name: &str, handler: F) -> Builder
    where
        F: Fn(ActionInput) -> A + Send + Sync + 'static,
        A: Future<Output = Result<serde_json::Value, ActionError>> + Send + 'static,
    {
        self.native_actions.insert(name, handler);
        self
    }

    /// Sets the limits of WebSockets and event streams, in place of those in the settings.
    pub fn socket_limits(self, socket_limits: SocketLimits) -> Builder {
        Builder {
            socket_limits: Some(socket_limits),
            ..self
        }
    }

    /// Adds a plugin.
    pub fn plugin(self, plugin: Arc<dyn Plugin>) -> Builder {
        self.plugins([plugin])
    }

    /// Adds plugins, such as all of the crate `plugins`.
    pub fn plugins(mut self, plugins: impl IntoIterator<Item = Arc<dyn Plugin>>) -> Builder {
        self.plugins.extend(plugins);
        self
    }

    /// Creates or upgrades the schema `postern` in the configured database, and the tables of
    /// plugins, as far as they are not there yet. `postern migrate` does it for the plugins of
    /// `postern`.
    pub async fn migrate(self) -> Result<(), StartError> {
        if let Some(error) = self.error {
            return Err(error.into());
        }
        let settings = match self.gather {
            Some(gather) => (gather.0)()?,
            None => self.settings,
        };
        let settings = database_settings(settings.config(), MemoryBudget::default())?;
        let database = Database::connect(&settings).await?;
        let client = database
            .admin_client(tokio::time::Instant::now() + MIGRATION_CONNECT)
            .await;
        let client = client.map_err(LoadError::from)?;
        let versions: Vec<Migration> = self
            .plugins
            .iter()
            .flat_map(|plugin| plugin.migrations())
            .copied()
            .collect();
        migrations::migrate(&client, &versions).await?;
        for plugin in &self.plugins {
            migrations::migrate_plugin(&client, plugin.name(), plugin.migrations()).await?;
        }
        Ok(())
    }

    /// Starts the gateway, which is ready when this returns.
    pub async fn start(self) -> Result<GatewayHandle, StartError> {
        let began = Instant::now();
        if let Some(error) = self.error {
            return Err(error.into());
        }
        let settings = self.settings;
        let gather = self
            .gather
            .unwrap_or_else(|| SettingsSource(Box::new(move || Ok(settings.clone()))));
        let reload_endpoint = Arc::<ReloadEndpoint>::default();
        let mut sources = Sources {
            gather,
            permissions: self.permissions,
            rest_map: self.rest_map,
            actions: self.actions,
            native: self.native_actions,
            plugins: self.plugins,
            metrics: Arc::default(),
            memory: MemoryBudget::default(),
            key_sets: KeySets::default(),
            reload: ReloadRequests::default(),
            prepared: PreparedRules::default(),
        };
        let mut loaded = sources.read(None)?;
        let files = loaded.config.watch.then(|| FileWatch::new(&loaded.config));
        if files.is_some() {
            // Read after their states were taken, so that a file that changes while the gateway
            // starts is read once more.
            loaded = sources.read(None)?;
        }
        sources.memory = MemoryBudget::new(loaded.config.memory_limit, sources.metrics.clone());
        let config = loaded.config.clone();
        let enabled: Vec<_> = sources
            .plugins
            .iter()
            .filter(|plugin| plugin.is_enabled(&config))
            .cloned()
            .collect();
        let own = [reload_endpoint.clone().route()];
        let routes: Vec<Route> = own
            .into_iter()
            .chain(enabled.iter().flat_map(|plugin| plugin.clone().routes()))
            .collect();
        for plugin in &enabled {
            register_metrics(plugin.as_ref(), &sources.metrics)?;
        }
        let pages = enabled
            .iter()
            .flat_map(|plugin| plugin.pages())
            .copied()
            .collect();
        let described = enabled.clone();
        let parts = move || {
            let parts = described.iter().flat_map(|plugin| plugin.openapi());
            parts.collect()
        };
        let plugin_openapi = PluginOpenApi::new(Box::new(parts));
        let listener = listen(&config.listen).await?;
        let address = listener
            .local_addr()
            .map_err(|cause| cannot_listen(&config.listen, cause))?;
        let (first, early_requests) = match config.wait_for_database {
            Some(limit) => {
                let waited = wait_for_database::load(&listener, loaded, &sources, limit).await?;
                (waited.0, Some(waited.1))
            }
            None => (FirstVersion::load(loaded, &sources).await?, None),
        };
        let FirstVersion {
            mut state,
            inputs,
            source,
        } = first;
        descriptors::warn_if_few(&config);
        state.rate_limiter.start(None).await;
        tracing::info!("{}", source.describe());
        let resource = config.resource();
        sources.metrics.describe_target(&resource);
        let socket_limits = self
            .socket_limits
            .unwrap_or_else(|| SocketLimits::new(&config));
        let app = Arc::new(app(
            state,
            &config,
            socket_limits,
            &enabled,
            &sources.metrics,
            &resource,
        )?);
        let url = url_of(&app, address);
        let started = Started {
            source: &source,
            instance: resource.instance(),
            address,
            url: &url,
            time: began.elapsed(),
        };
        start_report::log(&app, &config, &started);
        let requests = sources.reload.clone();
        let reloader = Arc::new(Reloader::new(sources, app.clone(), inputs));
        reload_endpoint.set(&reloader);
        let reloads =
            auto_reload::start(requests, reloader.clone(), files).map_err(StartError::Signal)?;
        let background = Background::start(enabled, &app);
        let worker = ActionWorker::start(&app);
        let mut expiry_watches = JoinSet::new();
        expiry_watches.spawn(expiry_watch::run(app.clone()));
        let router = Arc::new(Router::new(app, routes, plugin_openapi, pages));
        if let Some(early_requests) = early_requests {
            early_requests.pass_to(&router);
        }
        let (stop, stopped) = oneshot::channel();
        Ok(GatewayHandle {
            address,
            task: tokio::spawn(accept(listener, router.clone(), stopped)),
            router,
            reloader,
            reloads: Some(reloads),
            stop: Some(stop),
            worker,
            _expiry_watch: expiry_watches,
            background,
        })
    }

    /// Starts the gateway and runs it until a signal ends the process. `SIGHUP` reloads it.
    pub async fn serve(self) -> Result<(), StartError> {
        let mut signals = Signals::install().map_err(StartError::Signal)?;
        descriptors::raise_limit();
        let running = tokio::select! {
            running = self.start() => running?,
            name = signals.shutdown_requested() => {
                tracing::info!(signal = name, "stopped before it was ready");
                return Ok(());
            }
        };
        running.until_ended(&mut signals).await;
        Ok(())
    }
}

impl GatewayHandle {
    /// The address that the gateway listens on.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// `http://127.0.0.1:8080`, or `https://` if the port uses TLS.
    pub fn url(&self) -> String {
        url_of(self.app(), self.address)
    }

    /// What all requests share, with the state of the running version.
    pub fn app(&self) -> &Arc<App> {
        &self.router.app
    }

    /// The routes of the gateway and of its plugins.
    pub fn routes(&self) -> impl Iterator<Item = &Route> {
        self.router.routes()
    }

    /// Reads settings, permission file and catalog again. The running version answers requests
    /// until the new one is complete, and stays if there is an error.
    pub async fn reload(&self) -> Result<ReloadReport, StartError> {
        self.reloader.reload().await
    }

    /// Runs until a signal ends the process. Other signals reload; those that arrive during a
    /// reload count as one.
    pub async fn until_ended(self, signals: &mut Signals) {
        let name = self.reload_until_end_requested(signals).await;
        // An operator at a terminal does not want to wait, and has no balancer.
        if name == SIGTERM {
            self.serve_until_unlisted(signals).await;
        }
        tracing::info!(signal = name, "stopping");
        self.shutdown().await;
        tracing::info!("stopped");
    }

    /// Reloads on request, until a signal requests the end; returns its name.
    async fn reload_until_end_requested(&self, signals: &mut Signals) -> &'static str {
        loop {
            match signals.next().await {
                SignalAction::End(name) => return name,
                SignalAction::Reload => tokio::select! {
                    result = self.reload() => log_reload(result),
                    name = signals.shutdown_requested() => return name,
                },
            }
        }
    }

    /// Reports that the gateway is not ready, and serves for the delay that balancers need to
    /// notice it. A second signal ends the delay.
    async fn serve_until_unlisted(&self, signals: &mut Signals) {
        let delay = self.app().state().limits.shutdown_delay;
        if delay.is_zero() {
            return;
        }
        self.app().is_ending.store(true, Ordering::Relaxed);
        tracing::info!(
            seconds = delay.as_secs_f64(),
            "no longer ready, still serving"
        );
        // Whether it was the time or a signal, the gateway ends now.
        let _ = tokio::time::timeout(delay, self.reload_until_end_requested(signals)).await;
    }

    /// Stops accepting connections, waits for running requests, and ends.
    pub async fn shutdown(mut self) {
        drop(self.reloads.take());
        self.stop.take().map(|stop| stop.send(()));
        // The task ends by itself; a panic in it has been logged.
        let drain = self.app().state().limits.drain_time;
        let (_, (), ()) = tokio::join!(
            &mut self.task,
            self.background.end(drain),
            self.worker.end()
        );
        let state = self.app().state();
        state.execution.database.close();
        state
            .execution
            .replicas
            .iter()
            .for_each(|routing| routing.replicas.close());
        if let Some(tracer) = &self.app().tracer {
            tracer.flush(TRACE_FLUSH).await;
        }
    }
}

impl Background {
    fn start(plugins: Vec<Arc<dyn Plugin>>, app: &Arc<App>) -> Background {
        let (shutdown, requested) = Shutdown::channel();
        let mut tasks = JoinSet::new();
        for task in plugins
            .into_iter()
            .filter_map(|plugin| plugin.start(app.clone(), requested.clone()))
        {
            tasks.spawn(task);
        }
        Background { shutdown, tasks }
    }

    /// Requests the end of all work and waits for it, at most this long.
    async fn end(&mut self, drain: Duration) {
        self.shutdown.send_replace(true);
        let ended = async { while self.tasks.join_next().await.is_some() {} };
        if tokio::time::timeout(drain, ended).await.is_err() {
            tracing::warn!(
                seconds = drain.as_secs_f64(),
                "stopped before the background work of plugins had ended"
            );
        }
    }
}

impl Drop for GatewayHandle {
    fn drop(&mut self) {
        drop(self.reloads.take());
        self.task.abort();
        self.app().sockets.stop();
    }
}

fn register_metrics(plugin: &dyn Plugin, metrics: &Metrics) -> Result<(), PluginError> {
    for metric in plugin.metrics() {
        metrics
            .register(metric)
            .map_err(|error| PluginError::NotReady {
                plugin: plugin.name(),
                cause: error.to_string(),
            })?;
    }
    Ok(())
}

/// What all requests share, as these settings have it.
fn app(
    state: HandlerState,
    config: &Config,
    socket_limits: SocketLimits,
    plugins: &[Arc<dyn Plugin>],
    metrics: &Arc<Metrics>,
    resource: &Resource,
) -> Result<App, StartError> {
    let mut token_origins = vec![];
    for plugin in plugins {
        token_origins.extend(plugin.token_origins(config)?);
    }
    Ok(App {
        compression: config.compression,
        cors: Cors::new(&config.cors_origins),
        token_cors: Cors::for_tokens(&token_origins),
        server_timing: config.server_timing,
        admin_timing: plugins.iter().any(|plugin| plugin.shows_server_timing()),
        profile: config.profile,
        metrics: metrics.clone(),
        refusals: Refusals::default(),
        memory: state.execution.memory,
        subscriptions: Subscriptions::new(SubscriptionSettings {
            source: config.subscription_source,
            interval: config.subscription_interval,
            slot_limits: slot_limits(config),
            slot_owner: resource.instance().into(),
            metrics: metrics.subscriptions.clone(),
        }),
        sockets: Sockets::new(socket_limits),
        tracer: tracer(config, metrics, resource)?,
        dev: config.dev,
        federation: config.federation,
        is_ending: AtomicBool::new(false),
        current: CurrentState::new(state),
    })
}

/// The limits of the replication slot of a configuration.
fn slot_limits(config: &Config) -> SlotLimits {
    SlotLimits {
        lag: config.subscription_slot_lag as u64,
        check_interval: config.subscription_slot_interval,
        creation_time: config.subscription_slot_timeout,
    }
}

/// The tracer of a configuration; none without a collector.
fn tracer(
    config: &Config,
    metrics: &Metrics,
    resource: &Resource,
) -> Result<Option<Tracer>, ConfigError> {
    let Some(endpoint) = &config.otlp_endpoint else {
        return Ok(None);
    };
    let headers = config.otlp_headers.as_ref().map(Secret::reveal);
    let settings = CollectorSettings::read(endpoint.reveal(), headers, resource.clone());
    let settings = settings.map_err(|expected| ConfigError::Value {
        origin: "--otlp-endpoint".into(),
        expected: expected.into(),
    })?;
    Ok(Some(Tracer::start(
        settings,
        config.trace_ratio,
        config.sql_comments,
        metrics.spans.clone(),
    )))
}

fn url_of(app: &App, address: SocketAddr) -> String {
    let scheme = if app.state().tls.is_some() {
        "https"
    } else {
        "http"
    };
    format!("{scheme}://{address}")
}

async fn listen(address: &str) -> Result<TcpListener, StartError> {
    let bound = async {
        let mut error = None;
        for resolved in tokio::net::lookup_host(address).await? {
            match bind(resolved) {
                Ok(listener) => return Ok(listener),
                Err(cause) => error = Some(cause),
            }
        }
        Err(error.unwrap_or_else(|| std::io::ErrorKind::AddrNotAvailable.into()))
    };
    bound.await.map_err(|cause| cannot_listen(address, cause))
}

/// The number of connections that may wait to be accepted. The system lowers it to `somaxconn`.
const BACKLOG: u32 = 4096;

fn bind(address: SocketAddr) -> std::io::Result<TcpListener> {
    let socket = match address {
        SocketAddr::V4(_) => TcpSocket::new_v4(),
        SocketAddr::V6(_) => TcpSocket::new_v6(),
    }?;
    // As `TcpListener::bind` does: a gateway that is started again need not wait for the
    // connections of the one before.
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

fn cannot_listen(address: &str, cause: std::io::Error) -> StartError {
    StartError::Listen {
        address: address.to_owned(),
        cause,
    }
}

/// Failed attempts to accept a connection. Where descriptors are exhausted, there are many a
/// second.
#[derive(Default)]
struct AcceptFailures {
    logged_at: Option<Instant>,
    /// Those since the last line in the log.
    count: u64,
}

/// The time between two lines in the log about connections that could not be accepted.
const ACCEPT_LOG_INTERVAL: Duration = Duration::from_secs(10);

impl AcceptFailures {
    fn log(&mut self, error: &std::io::Error) {
        self.count += 1;
        let is_new = |at: Instant| at.elapsed() >= ACCEPT_LOG_INTERVAL;
        if self.logged_at.is_none_or(is_new) {
            tracing::warn!(%error, attempts = self.count, "cannot accept connections");
            self.logged_at = Some(Instant::now());
            self.count = 0;
        }
    }
}

/// Accepts connections until it is stopped, then waits for those with running requests.
async fn accept(listener: TcpListener, router: Arc<Router>, mut stopped: oneshot::Receiver<()>) {
    let app = router.app.clone();
    let graceful = GracefulShutdown::new();
    let (handshakes, running) = watch::channel(());
    let mut failures = AcceptFailures::default();
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            _ = &mut stopped => break,
        };
        match accepted {
            Ok((stream, peer)) => {
                // Responses are written whole, so Nagle's algorithm would only delay them.
                let _ = stream.set_nodelay(true);
                let watcher = graceful.watcher();
                let state = app.state();
                let tls = state.tls.as_ref().map(|identity| identity.config.clone());
                let router = router.clone();
                let serve = move |stream| connection::serve(stream, Some(peer), router, watcher);
                let Some(config) = tls else {
                    tokio::spawn(serve(ClientStream::Plain(stream)));
                    continue;
                };
                let limit = state.limits.header_time;
                let profile = app.profile;
                let mut running = running.clone();
                let failed_handshakes = app.metrics.tls.failed_handshakes.clone();
                tokio::spawn(async move {
                    let accepted = tokio::select! {
                        accepted = ClientStream::accept(stream, config, limit, profile) => accepted,
                        // A shutdown does not wait for handshakes.
                        _ = running.changed() => Ok(None),
                    };
                    match accepted {
                        Ok(Some(stream)) => serve(stream).await,
                        Ok(None) => {}
                        Err(_) => failed_handshakes.inc(),
                    }
                });
            }
            Err(error) => {
                failures.log(&error);
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
    }
    drop((listener, handshakes));
    app.sockets.stop();
    let drain = app.state().limits.drain_time;
    let ended = async { tokio::join!(graceful.shutdown(), app.sockets.closed()) };
    if tokio::time::timeout(drain, ended).await.is_err() {
        let requests = app.metrics.in_flight.get();
        tracing::warn!(
            seconds = drain.as_secs_f64(),
            requests,
            "stopped before all requests were finished"
        );
    }
}

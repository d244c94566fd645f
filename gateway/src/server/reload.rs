//! What of a gateway can change while it runs, read and put together: at the start, and again when it is told to. A new version
//! is made beside the running one and takes its place once it is whole; requests that have begun end with the old one.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use permissions::SourceFile;
use sql::postgres::catalog;
use sql::postgres::catalog::Catalog;
use tokio::sync::Mutex;

use crate::auth::client_address::TrustedProxies;
use crate::auth::{AuthPolicy, Authenticator, KeySets, check_roles};
use crate::config::{self, Config, ConfigError, Settings, SettingsReport};
use crate::database::{self, Database};
use crate::execute::engine::Engine;
use crate::execute::plan_cache::PlanCache;
use crate::execute::read_cache::ReadCache;
use crate::execute::{Executor, ReloadRequests};
use crate::http::Server;
use crate::http::state::HandlerState;
use crate::limits::LimitsConfig;
use crate::limits::memory::MemoryBudget;
use crate::plugins::plugin::Plugin;
use crate::rate_limit::RateLimiter;
use crate::rest;
use crate::rest::openapi::{ApiInfo, OpenApiCache, Security};
use crate::rest::per_role::PerRole;
use crate::server::{StartError, compile_rest_map, database_settings, read_permissions, read_rest_map};
use crate::telemetry::metrics::Metrics;
use crate::tls::server::ServerCertificate;
use crate::trusted_documents::TrustedDocuments;

/// Where the settings come from.
pub(crate) struct SettingsSource(pub(crate) Box<dyn Fn() -> Result<Settings, ConfigError> + Send + Sync>);

impl std::fmt::Debug for SettingsSource {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Gather")
    }
}

/// Settings that hold until the process ends: what listens, what is logged, and how requests are read and told of.
pub const FIXED: &[&str] = &[
    "config",
    "listen",
    "profile",
    "cors-origins",
    "server-timing",
    "compression",
    "log-format",
    "log-level",
    "time-limit",
    "header-timeout",
    "body-timeout",
    "idle-timeout",
    "drain-timeout",
    "body-limit",
    "batch-limit",
    "memory-limit",
];

/// The switch that lets everybody in. A reload can turn it off; on it is turned at the start alone, before anybody relies on
/// being asked.
const INSECURE: &str = "insecure";

/// The certificate of the port and its key.
const TLS: [&str; 2] = ["tls-cert", "tls-key"];

/// Where everything comes from.
#[derive(Debug)]
pub(crate) struct Sources {
    /// The settings.
    pub(crate) gather: SettingsSource,
    /// Permissions that stand in no file.
    pub(crate) permissions: Option<SourceFile>,
    /// A REST map that stands in no file.
    pub(crate) rest_map: Option<rest::Source>,
    /// What stands around the engine.
    pub(crate) plugins: Vec<Arc<dyn Plugin>>,
    /// What is counted by every version.
    pub(crate) metrics: Arc<Metrics>,
    /// What the requests of every version are held in.
    pub(crate) memory: MemoryBudget,
    /// Keys that issuers publish, which the next version goes on with.
    pub(crate) key_sets: KeySets,
    /// What every version asks for the next one.
    pub(crate) reload: ReloadRequests,
}

/// Settings that were read, and proved to be sound as far as that goes without a database.
#[derive(Debug)]
pub(crate) struct LoadedSettings {
    settings: Settings,
    pub(crate) config: Config,
    /// What of the settings works, and may not be meant.
    notes: Vec<String>,
    doorman: Authenticator,
    rates: RateLimiter,
    proxies: TrustedProxies,
    bounds: LimitsConfig,
    operations: TrustedDocuments,
    file: Option<SourceFile>,
    rest_map: Option<rest::Source>,
    tls: Option<ServerCertificate>,
    /// Settings that were read with another value, which waits for the next start.
    waiting: Vec<&'static str>,
}

/// Makes a running gateway read everything again.
#[derive(Debug)]
pub(crate) struct Reloader {
    origin: Sources,
    server: Arc<Server>,
    /// What the running version was made of. It is held while the next is made: one at a time.
    running: Mutex<LoadedInputs>,
}

/// What a version was made of.
#[derive(Debug)]
pub(crate) struct LoadedInputs {
    settings: Settings,
    file: Option<SourceFile>,
}

/// What a reload has changed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReloadReport {
    /// How long it took.
    pub time: Duration,
    /// The tables that there are.
    pub tables: usize,
    /// Those of them that were not there before.
    pub added: usize,
    /// Those that were there before, with other columns, keys or the like.
    pub changed: usize,
    /// Those that are there no more.
    pub removed: usize,
    /// The roles that there are, `admin` among them.
    pub roles: usize,
    /// Whether the permission file has another text.
    pub permissions: bool,
    /// Settings that have another value in the file, and hold from the next start on.
    pub waiting: Vec<&'static str>,
}

impl Sources {
    /// Reads settings and files. Beside a running gateway its fixed settings are kept, and what it has gathered.
    pub(crate) fn read(&self, running: Option<(&Settings, &TrustedDocuments)>) -> Result<LoadedSettings, StartError> {
        let mut settings = (self.gather.0)()?;
        let waiting = running.map(|(running, _)| waiting(&settings, running)).unwrap_or_default();
        if let Some((running, _)) = running {
            settings.keep(running, &waiting);
        }
        let config = Config::new(&settings);
        let SettingsReport { faults, notes } = config::validate(&settings, &config);
        ConfigError::of(faults)?;
        let doorman = Authenticator::new(AuthPolicy::new(&config, &self.key_sets)?);
        let bounds = LimitsConfig::read(&config)?;
        let (rates, proxies) = (RateLimiter::new(&config)?, TrustedProxies::new(&config.trusted_proxies)?);
        let file = match &self.permissions {
            Some(file) => Some(file.clone()),
            None => config.permissions.as_deref().map(read_permissions).transpose()?,
        };
        let rest_map = match &self.rest_map {
            Some(source) => Some(source.clone()),
            None => config.rest_map.as_deref().map(read_rest_map).transpose()?,
        };
        let tls = ServerCertificate::read(config.tls_cert.as_deref(), config.tls_key.as_deref())?;
        let operations = TrustedDocuments::load(&config, running.map(|(_, operations)| operations))?;
        Ok(LoadedSettings {
            settings,
            config,
            notes,
            doorman,
            rates,
            proxies,
            bounds,
            operations,
            file,
            rest_map,
            tls,
            waiting,
        })
    }
}

impl LoadedSettings {
    /// Connects, reads the catalog and compiles the permissions. Other work of the runtime goes on meanwhile.
    pub(crate) async fn load(self, origin: &Sources) -> Result<(HandlerState, LoadedInputs), StartError> {
        let LoadedSettings {
            settings,
            config,
            notes,
            doorman,
            rates,
            proxies,
            bounds: table,
            operations,
            file,
            rest_map,
            tls,
            ..
        } = self;
        // Published keys come while the catalog is read; who needs them before waits for them.
        doorman.start_refreshing();
        let database = database_settings(&config, origin.memory, &origin.metrics.queue)?;
        let shared = ReadCache::read(&config.sections)?.with_counters(origin.metrics.reads.clone());
        let time_limit = table.longest(database.time_limit);
        let database = Database::connect(&database::Settings { time_limit, ..database }).await?;
        let plans = PlanCache::new(config.plan_cache, config.translation()).with_counters(origin.metrics.plans.clone());
        let plans = plans.with_allow_lists(operations.lists.clone());
        let engine = Engine::load(&database, file.as_ref(), plans, config.profile.defaults()).await?;
        check_roles(&config, &engine.permissions, engine.has_file)?;
        rates.check_roles(&config, |role| engine.permissions.role(role).is_some())?;
        notes.iter().for_each(|note| tracing::warn!("{note}"));
        let bounds = engine.bounds(&config, &table, &origin.metrics)?;
        warn_of(&config, engine.has_file);
        let of_tls = tls.iter().flat_map(|identity| &identity.warnings);
        database.warnings().iter().chain(of_tls).for_each(|warning| tracing::warn!("{warning}"));
        let rest = compile_rest_map(rest_map.as_ref(), &engine.permissions, &database, &bounds, &config).await?;
        rest::notes(&rest, &bounds).iter().for_each(|note| tracing::warn!("{note}"));
        let (options, profile) = (config.translation(), config.profile);
        let about = ApiInfo { server: "/".into(), security: Security::of(doorman.policy()), options, profile };
        let descriptions = OpenApiCache::new(about, &engine.permissions);
        let tools = PerRole::new(&engine.permissions);
        let (engine, rest) = (Arc::new(engine), Arc::new(rest));
        // The first request need not wait for one.
        database.open(1).await;
        // Last, since what they are told holds at once: after them nothing can be at fault that keeps the running version.
        for plugin in &origin.plugins {
            plugin.prepare(&config, &database).await?;
        }
        let metrics = config.metrics;
        let executor = Executor {
            engine,
            database,
            documents: operations,
            limits: bounds,
            reads: shared,
            reload: origin.reload.clone(),
            memory: origin.memory,
        };
        let executor = Arc::new(executor);
        let answering = HandlerState {
            executor,
            rest,
            descriptions,
            tools,
            authenticator: doorman,
            rate_limiter: rates,
            proxies,
            metrics,
            tls,
        };
        Ok((answering, LoadedInputs { settings, file }))
    }
}

impl Reloader {
    pub(crate) fn new(origin: Sources, server: Arc<Server>, made: LoadedInputs) -> Reloader {
        Reloader { origin, server, running: Mutex::new(made) }
    }

    /// Makes the next version and has it take the place of the running one, which stays when anything is at fault.
    pub(crate) async fn reload(&self) -> Result<ReloadReport, StartError> {
        let reloaded = self.replace().await;
        let outcome = if reloaded.is_ok() { "done" } else { "failed" };
        self.origin.metrics.reloads.with_label_values(&[outcome]).inc();
        reloaded
    }

    async fn replace(&self) -> Result<ReloadReport, StartError> {
        let mut running = self.running.lock().await;
        let began = Instant::now();
        let old = self.server.state();
        let mut given = self.origin.read(Some((&running.settings, &old.executor.documents)))?;
        let waiting = std::mem::take(&mut given.waiting);
        let (mut next, made) = given.load(&self.origin).await?;
        next.rate_limiter.start(Some(&old.rate_limiter)).await;
        // Requests do not have to wait for as many connections as they had.
        next.executor.database.open(old.executor.database.size().0).await;
        let mut reloaded =
            ReloadReport { waiting, ..ReloadReport::between(&old.executor.engine, &next.executor.engine) };
        reloaded.permissions = running.file != made.file;
        self.server.replace(next);
        *running = made;
        reloaded.time = began.elapsed();
        tokio::spawn(retire(old));
        Ok(reloaded)
    }
}

/// Of settings that were read beside a running gateway, those that have to wait for the next start.
fn waiting(settings: &Settings, running: &Settings) -> Vec<&'static str> {
    let differs = |name: &&str| settings.get(name) != running.get(name);
    let opens = settings.get(INSECURE) == Some("true") && differs(&INSECURE);
    // Another certificate takes effect at once; whether the port speaks TLS at all does not change while it is open.
    let begins_or_ends = |name: &&str| settings.get(name).is_some() != running.get(name).is_some();
    let tls: Vec<&'static str> = if TLS.iter().any(begins_or_ends) { TLS.to_vec() } else { vec![] };
    FIXED.iter().copied().filter(differs).chain(opens.then_some(INSECURE)).chain(tls).collect()
}

/// Settings that work, and may surprise: told of each version.
fn warn_of(config: &Config, has_file: bool) {
    if config.insecure {
        tracing::warn!("--insecure: every caller is admin");
    }
    if !has_file {
        tracing::warn!("no permission file: only the admin secret gets in, and it sees every table");
    }
}

/// Waits until the last request has ended that began with these parts, and drops them where no request has to wait for it:
/// a large catalog takes a while to take apart.
async fn retire(old: Arc<HandlerState>) {
    old.executor.database.drop_idle();
    while Arc::strong_count(&old) > 1 || Arc::strong_count(&old.executor) > 1 {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    // A panic in it has been told, and nobody is left who could be told more.
    let _ = tokio::task::spawn_blocking(move || drop(old)).await;
}

impl ReloadReport {
    fn between(old: &Engine, new: &Engine) -> ReloadReport {
        let (before, after) = (by_name(&old.catalog), by_name(&new.catalog));
        let known = after.iter().filter_map(|(name, table)| Some((before.get(name)?, table)));
        let (mut both, mut changed) = (0, 0);
        for (before, after) in known {
            both += 1;
            changed += usize::from(!before.is_like(after));
        }
        ReloadReport {
            tables: after.len(),
            added: after.len() - both,
            removed: before.len() - both,
            changed,
            roles: new.permissions.roles().count(),
            ..ReloadReport::default()
        }
    }

    /// Whether the catalog or the permissions are others than before.
    pub(crate) fn has_changed(&self) -> bool {
        self.added + self.changed + self.removed > 0 || self.permissions
    }

    /// Tells the log.
    pub(crate) fn log(&self) {
        let ReloadReport { tables, added, changed, removed, roles, permissions, .. } = *self;
        let ms = self.time.as_micros() as f64 / 1000.0;
        tracing::info!(ms, tables, added, changed, removed, roles, permissions_changed = permissions, "reloaded");
        for setting in &self.waiting {
            tracing::warn!(setting, "this setting has changed; it holds from the next start on");
        }
    }
}

fn by_name(catalog: &Catalog) -> HashMap<(&str, &str), &catalog::Table> {
    catalog.tables.iter().map(|table| ((table.schema.as_str(), table.name.as_str()), table)).collect()
}

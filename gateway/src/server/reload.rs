//! Loads everything of a gateway that can change while it runs: settings, files, catalog and
//! permissions, at the start and at each reload. A reload makes the new version beside the running
//! one and replaces it once it is complete; requests that have begun finish with the old version.
//!
//! | Reload | Reads | What does not fit the database |
//! |---|---|---|
//! | `SIGHUP`, `POST /v1/reload`, changed files | settings, files, catalog | is an error, which keeps it |
//! | by itself, because the database has changed | the catalog | is left out, with a line in the log |

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use permissions::SourceFile;
use pg::Database;
use pg::memory::MemoryBudget;
use pg::replicas::Replicas;
use sha2::{Digest, Sha256};
use sql::postgres::catalog;
use sql::postgres::catalog::Catalog;
use tokio::sync::Mutex;

use crate::actions::{self, NativeHandlers};
use crate::auth::{AuthPolicy, Authenticator, KeySets, PolicyError};
use crate::config::{
    self, Config, ConfigError, SETTINGS, Secret, Setting, Settings, SettingsReport,
};
use crate::execute::plan_cache::PlanCache;
use crate::execute::prepared_rules::PreparedRules;
use crate::execute::schema_version::{Misfits, SchemaVersion};
use crate::execute::{ExecutionState, ReloadRequests, ReplicaRouting};
use crate::http::App;
use crate::http::allowed_hosts::AllowedHosts;
use crate::http::sockets::SocketLimits;
use crate::http::state::HandlerState;
use crate::http::stream_token::StreamTokens;
use crate::migrations;
use crate::plugin::{Activation, Plugin, permission_defaults};
use crate::rest;
use crate::rest::openapi::{ApiInfo, OpenApiCache, Security};
use crate::rest::per_role::PerRole;
use crate::server::left_out::LeftOutParts;
use crate::server::loaded_files::LoadedFiles;
use crate::server::loading::{database_settings, read_permissions, read_rest_map};
use crate::server::settings_tables::SettingsTables;
use crate::server::start_error::{StartError, StartErrors};
use crate::server::version_pass::{Findings, JudgedVersion, VersionPass};
use crate::subscriptions::source::{self, ChosenSource};
use crate::telemetry::log;
use crate::telemetry::metrics::Metrics;
use crate::tls::{Expiry, ServerCertificate};
use crate::trusted_documents::TrustedDocuments;

/// Returns the settings at the start and at each reload.
pub(crate) struct SettingsSource(
    pub(crate) Box<dyn Fn() -> Result<Settings, ConfigError> + Send + Sync>,
);

impl std::fmt::Debug for SettingsSource {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Gather")
    }
}

/// The sources of everything that is loaded, and the values that all versions share.
#[derive(Debug)]
pub(crate) struct Sources {
    /// The settings.
    pub(crate) gather: SettingsSource,
    /// Permissions that are given as text instead of a file.
    pub(crate) permissions: Option<SourceFile>,
    /// A REST map that is given directly instead of as a file.
    pub(crate) rest_map: Option<rest::Source>,
    /// Declarations of actions that are given directly instead of as files.
    pub(crate) actions: Option<actions::Source>,
    /// The functions that answer actions in Rust.
    pub(crate) native: NativeHandlers,
    /// The plugins.
    pub(crate) plugins: Vec<Arc<dyn Plugin>>,
    /// The metrics of all versions.
    pub(crate) metrics: Arc<Metrics>,
    /// The memory budget of the requests of all versions.
    pub(crate) memory: MemoryBudget,
    /// The published keys of issuers, which the next version continues to use.
    pub(crate) key_sets: KeySets,
    /// The queue in which every version requests reloads.
    pub(crate) reload: ReloadRequests,
    /// The rules of the running version, which the next one need not prepare again.
    pub(crate) prepared: PreparedRules,
}

/// Settings and files that were read and checked as far as possible without a database.
#[derive(Debug)]
pub(crate) struct LoadedSettings {
    settings: Settings,
    pub(crate) config: Config,
    /// Warnings about settings that work but may not be intended.
    notes: Vec<String>,
    authenticator: Authenticator,
    tables: SettingsTables,
    pub(super) files: LoadedFiles,
    /// Settings that have changed but take effect only at the next start.
    waiting: Vec<&'static Setting>,
}

/// Settings and files as far as they could be read, and the errors of the others.
#[derive(Debug)]
pub(super) struct ReadInputs {
    settings: Settings,
    pub(super) config: Config,
    pub(super) notes: Vec<String>,
    /// Taken by a check, which judges it in its own way.
    pub(super) policy: Option<Result<AuthPolicy, PolicyError>>,
    pub(super) tables: Option<SettingsTables>,
    pub(super) files: Option<LoadedFiles>,
    pub(super) errors: StartErrors,
}

/// Reloads a running gateway.
#[derive(Debug)]
pub(crate) struct Reloader {
    sources: Sources,
    app: Arc<App>,
    /// The inputs of the running version. The lock is held during a reload, so reloads run one at a
    /// time.
    running: Mutex<LoadedInputs>,
}

/// The inputs from which a version was loaded.
#[derive(Debug)]
pub(crate) struct LoadedInputs {
    settings: Settings,
    files: LoadedFiles,
    /// The SHA-256 of the permission file's text.
    permissions: Option<[u8; 32]>,
}

/// The result of a reload.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReloadReport {
    /// How long the reload took.
    pub time: Duration,
    /// The number of tables.
    pub tables: usize,
    /// The number of new tables.
    pub added: usize,
    /// The number of tables whose columns, keys or other properties have changed.
    pub changed: usize,
    /// The number of removed tables.
    pub removed: usize,
    /// The number of roles, including `admin`.
    pub roles: usize,
    /// Whether the text of the permission file has changed.
    pub permissions: bool,
    /// Settings that have changed in the file and take effect at the next start.
    pub waiting: Vec<&'static str>,
}

impl Sources {
    /// Reads settings and files. For a running gateway, keeps its fixed settings and its recorded
    /// operations.
    pub(crate) fn read(
        &self,
        running: Option<(&Settings, &TrustedDocuments)>,
    ) -> Result<LoadedSettings, StartError> {
        let mut settings = (self.gather.0)()?;
        let waiting = running
            .map(|(running, _)| waiting(&settings, running))
            .unwrap_or_default();
        if let Some((running, _)) = running {
            settings.keep(running, &waiting);
        }
        let operations = running.map(|(_, operations)| operations);
        let loaded = self.read_inputs(settings, operations).into_loaded()?;
        Ok(LoadedSettings { waiting, ..loaded })
    }

    /// The settings and files of the running version, for another version of the catalog.
    fn read_again(&self, running: &LoadedInputs) -> Result<LoadedSettings, StartError> {
        let mut inputs = ReadInputs::new(running.settings.clone(), &self.key_sets);
        inputs.files = Some(running.files.clone());
        inputs.into_loaded()
    }

    /// Reads the files of these settings.
    pub(super) fn read_inputs(
        &self,
        mut settings: Settings,
        running: Option<&TrustedDocuments>,
    ) -> ReadInputs {
        self.plugins
            .iter()
            .for_each(|plugin| settings.claim(plugin.sections()));
        let mut inputs = ReadInputs::new(settings, &self.key_sets);
        inputs.files = self.read_files(&inputs.config, running, &mut inputs.errors);
        inputs
    }

    fn read_files(
        &self,
        config: &Config,
        running: Option<&TrustedDocuments>,
        errors: &mut StartErrors,
    ) -> Option<LoadedFiles> {
        let permissions = match &self.permissions {
            Some(file) => Ok(Some(file.clone())),
            None => config
                .permissions
                .as_deref()
                .map(read_permissions)
                .transpose(),
        };
        let permissions = errors.collect(permissions);
        let rest_map = match &self.rest_map {
            Some(source) => Ok(Some(source.clone())),
            None => config.rest_map.as_deref().map(read_rest_map).transpose(),
        };
        let rest_map = errors.collect(rest_map);
        let actions = match &self.actions {
            Some(source) => Some(Some(source.clone())),
            None => errors.collect(actions::Source::from_config(config)),
        };
        let tls = errors.collect(ServerCertificate::read(
            config.tls_cert.as_deref(),
            config.tls_key.as_deref(),
        ));
        let operations = errors.collect(TrustedDocuments::load(config, running));
        Some(LoadedFiles {
            permissions: permissions?,
            rest_map: rest_map?,
            actions: actions?,
            operations: operations?,
            tls: tls?,
        })
    }
}

impl ReadInputs {
    /// Reads what the settings themselves contain.
    fn new(settings: Settings, key_sets: &KeySets) -> ReadInputs {
        let mut errors = StartErrors::default();
        let config = Config::new(&settings);
        let SettingsReport { faults, notes } = config::validate(&settings, &config);
        errors.collect(ConfigError::from_faults(faults));
        let policy = Some(AuthPolicy::new(&config, key_sets));
        let tables = SettingsTables::read(&config, &mut errors);
        ReadInputs {
            settings,
            config,
            notes,
            policy,
            tables,
            files: None,
            errors,
        }
    }

    /// All of them, if none has an error.
    fn into_loaded(self) -> Result<LoadedSettings, StartError> {
        let ReadInputs {
            settings,
            config,
            notes,
            policy,
            tables,
            files,
            mut errors,
        } = self;
        let authenticator = policy
            .and_then(|policy| errors.collect(policy))
            .map(Authenticator::new);
        let loaded =
            authenticator
                .zip(tables)
                .zip(files)
                .map(|((authenticator, tables), files)| LoadedSettings {
                    settings,
                    config,
                    notes,
                    authenticator,
                    tables,
                    files,
                    waiting: Vec::new(),
                });
        errors.into_result(loaded)
    }
}

impl LoadedSettings {
    /// Connects, reads the catalog and judges everything by it, without blocking other tasks of the
    /// runtime. All faults are reported at once.
    pub(crate) async fn load(
        self,
        sources: &Sources,
        misfits: Misfits,
    ) -> Result<(HandlerState, LoadedInputs), StartError> {
        // Published keys are fetched while the catalog is read; a request that needs them earlier
        // waits for them.
        self.authenticator.start_refreshing();
        let of_database = self.database_settings(sources)?;
        let database = Database::connect(&of_database).await?;
        let database = database.watch_primary(&of_database).await;
        warn_of_newer_schema(&database).await;
        let mut left_out = LeftOutParts::new(misfits);
        let (judged, mut errors) = self.judge(&database, sources, &mut left_out).await;
        let replicas = match &judged {
            Some(judged) => {
                let replicas = self.start_replicas(&database, of_database, &judged.schema, sources);
                errors.collect(replicas.await).flatten()
            }
            None => None,
        };
        let mut activations = Vec::with_capacity(sources.plugins.len());
        for plugin in &sources.plugins {
            let prepared = plugin.prepare(&self.config, &database).await;
            let activation = errors.collect(left_out.plugin(plugin.name(), prepared));
            activations.extend(activation.flatten());
        }
        let judged = errors.into_result(judged)?;
        self.warn(&database, &judged);
        // Opened now, so that the first request does not wait for a connection.
        database.open(1).await;
        // Their changes take effect at once: from here on no error can keep the running version.
        activations.into_iter().for_each(Activation::run);
        left_out.report(&sources.metrics);
        Ok(self.into_version(judged, database, replicas, sources))
    }

    fn database_settings(&self, sources: &Sources) -> Result<pg::Settings, StartError> {
        let settings = database_settings(&self.config, sources.memory)?;
        let time_limit = self.tables.limits.longest(settings.time_limit);
        Ok(pg::Settings {
            time_limit,
            observer: sources.metrics.clone(),
            ..settings
        })
    }

    /// Judges the version. What does not fit the database is left out, or an error.
    async fn judge(
        &self,
        database: &Database,
        sources: &Sources,
        left_out: &mut LeftOutParts,
    ) -> (Option<JudgedVersion>, StartErrors) {
        let pass = VersionPass {
            config: &self.config,
            files: &self.files,
            tables: Some(&self.tables),
            database,
            defaults: permission_defaults(&self.config, &sources.plugins),
            native: &sources.native,
            prepared: &sources.prepared,
            metrics: &sources.metrics,
            misfits: left_out.misfits(),
        };
        let plans = PlanCache::new(self.config.plan_cache as u64, self.config.translation())
            .with_counters(sources.metrics.plans.clone())
            .with_allow_lists(self.files.operations.lists.clone());
        let mut findings = Findings::default();
        let judged = pass.judge(plans, &mut findings).await;
        let errors = match (&judged, left_out.misfits()) {
            (Some(_), Misfits::LeaveOut) => findings.leave_out(left_out),
            _ => findings.into_errors(&self.files),
        };
        (judged, errors)
    }

    /// Begins to watch the replicas of the settings, if there are any.
    async fn start_replicas(
        &self,
        primary: &Database,
        settings: pg::Settings,
        schema: &SchemaVersion,
        sources: &Sources,
    ) -> Result<Option<ReplicaRouting>, StartError> {
        let by_server = &sources.metrics.servers;
        if self.config.replica_url.is_empty() {
            if primary.has_several_hosts() {
                primary.hosts().iter().for_each(|host| by_server.add(host));
            }
            return Ok(None);
        }
        let of_replica = |url: &Secret| pg::Settings {
            url: url.reveal().to_owned(),
            direct_url: None,
            ..settings.clone()
        };
        let of_replicas = self.config.replica_url.iter().map(of_replica).collect();
        let rules = self.tables.replica_rules.clone();
        let replicas = Replicas::start(
            primary,
            of_replicas,
            &schema.catalog.search_path,
            rules.max_lag(),
            sources.metrics.clone(),
        )
        .await?;
        let hosts = primary.hosts().iter().chain(replicas.hosts());
        hosts.for_each(|host| by_server.add(host));
        Ok(Some(ReplicaRouting::new(replicas, rules)))
    }

    /// Logs what works but may be surprising.
    fn warn(&self, database: &Database, judged: &JudgedVersion) {
        self.notes.iter().for_each(|note| tracing::warn!("{note}"));
        warn_of(&self.config, judged.schema.has_file);
        warn_of_pooler(database);
        let of_tls = self.files.tls.iter().flat_map(|tls| &tls.warnings);
        let warnings = database.warnings().iter().chain(of_tls);
        warnings.for_each(|warning| tracing::warn!("{warning}"));
        let of_tls = self.files.tls.iter().flat_map(|tls| &tls.expiry);
        of_tls.for_each(Expiry::log);
        rest::notes(&judged.rest, &judged.limits)
            .iter()
            .for_each(|note| tracing::warn!("{note}"));
    }

    fn into_version(
        self,
        judged: JudgedVersion,
        database: Database,
        replicas: Option<ReplicaRouting>,
        sources: &Sources,
    ) -> (HandlerState, LoadedInputs) {
        let JudgedVersion {
            schema,
            rules,
            states,
            limits,
            actions,
            rest,
        } = judged;
        // The rules' SQL takes as much memory as the compiled permissions and is needed only for
        // the check. Dropping it for 20,000 rules takes ten milliseconds.
        tokio::task::spawn_blocking(move || drop((rules, states)));
        let config = &self.config;
        let permissions = &schema.permissions;
        let authenticator = self
            .authenticator
            .keeping_claims(permissions.reads_token_claims());
        let about = ApiInfo {
            server: "/".into(),
            security: Security::from_policy(authenticator.policy()),
            options: config.translation(),
            profile: config.profile,
        };
        let tables = self.tables;
        let expiry = self.files.tls.iter().flat_map(|tls| &tls.expiry);
        expiry.for_each(|expiry| sources.metrics.tls.set_not_after(expiry.seconds()));
        let state = HandlerState {
            limits: config.limits(),
            rest: Arc::new(rest),
            descriptions: OpenApiCache::new(about, permissions),
            tools: PerRole::new(permissions),
            authenticator,
            rate_limiter: tables.rate_limiter,
            proxies: tables.proxies,
            traceparent_trust: tables.traceparent_trust,
            metrics: config.metrics_access(),
            stream_tokens: StreamTokens::new(config.cursor_secret()),
            hosts: AllowedHosts::new(config.host_check(), &config.allowed_hosts),
            tls: self.files.tls.clone(),
            execution: Arc::new(ExecutionState {
                schema: Arc::new(schema),
                actions: Arc::new(actions),
                database,
                replicas,
                documents: self.files.operations.clone(),
                limits,
                reads: tables.reads.with_counters(sources.metrics.reads.clone()),
                reload: sources.reload.clone(),
                raised_errors: tables.raised_errors,
                memory: sources.memory,
            }),
        };
        declare_series(&sources.metrics, &state, config);
        let permissions = self.files.permissions.as_ref();
        let inputs = LoadedInputs {
            settings: self.settings,
            permissions: permissions.map(|file| Sha256::digest(file.text.as_bytes()).into()),
            files: self.files,
        };
        (state, inputs)
    }
}

/// Makes the series whose labels a version declares, at zero, and reserves the labels of operations
/// that are known in advance.
fn declare_series(metrics: &Metrics, state: &HandlerState, config: &Config) {
    for rule in state.rate_limiter.rules() {
        metrics.declare_rate(&rule.name, rule.mode.name());
    }
    let lists = &state.execution.documents.lists;
    for role in state.execution.schema.permissions.roles() {
        if lists.apply_to(role.role()) {
            for mode in ["log", "enforce"] {
                metrics.unlisted.with_label_values(&[role.role(), mode]);
            }
        }
    }
    let slot_lag = i64::try_from(config.subscription_slot_lag).unwrap_or(i64::MAX);
    metrics.subscriptions.slot_limit_bytes.set(slot_lag);
    metrics.operations.set_limit(config.metrics_operations);
    let endpoints = state.rest.endpoints();
    for (_, _, endpoint) in endpoints {
        metrics
            .operations
            .reserve(endpoint.name.as_deref().into_iter());
    }
    metrics
        .operations
        .reserve(state.execution.documents.operation_names());
}

/// How long the version of the schema `postern` may take to read.
const SCHEMA_TIMEOUT: Duration = Duration::from_secs(2);

/// What a start loads from the database.
pub(super) struct FirstVersion {
    pub(super) state: HandlerState,
    pub(super) inputs: LoadedInputs,
    /// From where subscriptions learn of changes.
    pub(super) source: ChosenSource,
}

impl FirstVersion {
    pub(super) async fn load(
        loaded: LoadedSettings,
        sources: &Sources,
    ) -> Result<FirstVersion, StartError> {
        let setting = loaded.config.subscription_source;
        let limit = loaded.config.time_limit;
        let (state, inputs) = loaded.load(sources, Misfits::Refuse).await?;
        let deadline = tokio::time::Instant::now() + limit;
        let source = source::choose(&state.execution.database, setting, deadline).await?;
        Ok(FirstVersion {
            state,
            inputs,
            source,
        })
    }
}

impl Reloader {
    pub(crate) fn new(sources: Sources, app: Arc<App>, inputs: LoadedInputs) -> Reloader {
        Reloader {
            sources,
            app,
            running: Mutex::new(inputs),
        }
    }

    /// The settings of the running version.
    pub(crate) async fn config(&self) -> Config {
        self.running.lock().await.settings.config().clone()
    }

    /// Loads the next version and replaces the running one, which stays if there is an error.
    pub(crate) async fn reload(&self) -> Result<ReloadReport, StartError> {
        self.reload_as(Misfits::Refuse).await
    }

    /// Reads the catalog again, because the database has changed. Settings and files stay those of
    /// the running version; the parts of them that do not fit the catalog are left out.
    pub(crate) async fn reload_catalog(&self) -> Result<ReloadReport, StartError> {
        self.reload_as(Misfits::LeaveOut).await
    }

    async fn reload_as(&self, misfits: Misfits) -> Result<ReloadReport, StartError> {
        let reloaded = self.replace(misfits).await;
        let label = if reloaded.is_ok() { "done" } else { "failed" };
        self.sources
            .metrics
            .reloads
            .with_label_values(&[label])
            .inc();
        reloaded
    }

    async fn replace(&self, misfits: Misfits) -> Result<ReloadReport, StartError> {
        let mut running = self.running.lock().await;
        let began = Instant::now();
        let old = self.app.state();
        let mut loaded = match misfits {
            Misfits::Refuse => self
                .sources
                .read(Some((&running.settings, &old.execution.documents)))?,
            Misfits::LeaveOut => self.sources.read_again(&running)?,
        };
        let waiting = std::mem::take(&mut loaded.waiting);
        let (mut next, inputs) = loaded.load(&self.sources, misfits).await?;
        next.rate_limiter.start(Some(&old.rate_limiter)).await;
        // Opens as many connections as the old version had, so that requests do not wait for them.
        next.execution
            .database
            .open(old.execution.database.size().0)
            .await;
        let mut reloaded = ReloadReport {
            waiting: waiting.iter().map(|setting| setting.key).collect(),
            ..ReloadReport::between(&old.execution.schema, &next.execution.schema)
        };
        reloaded.permissions = running.permissions != inputs.permissions;
        self.app.current.replace(next);
        self.apply(running.settings.config(), inputs.settings.config());
        *running = inputs;
        reloaded.time = began.elapsed();
        tokio::spawn(retire(old));
        Ok(reloaded)
    }

    /// Applies changed settings that are no part of a version.
    fn apply(&self, running: &Config, next: &Config) {
        let limits = SocketLimits::new(next);
        // Limits that a plugin's author has set in code stay.
        if limits != SocketLimits::new(running) {
            self.app.sockets.set_limits(limits);
        }
        if let Some(tracer) = &self.app.tracer {
            tracer.set_ratio(next.trace_ratio);
        }
        self.app.memory.set_limit(next.memory_limit);
        if next.log_level != running.log_level {
            log::set_level(&next.log_level);
        }
    }
}

/// The changed settings that take effect only at the next start.
fn waiting(settings: &Settings, running: &Settings) -> Vec<&'static Setting> {
    let next = settings.config();
    let running = running.config();
    let fixed = SETTINGS
        .iter()
        .filter(|setting| setting.is_fixed && !setting.is_equal(next, running));
    // A reload can turn this switch off, but only a start can turn it on, so that no running
    // gateway loses its authentication.
    let opens = next.insecure && !running.insecure;
    // Another certificate takes effect at once; whether the port uses TLS does not change while it
    // is open.
    let tls_begins_or_ends = next.tls_cert.is_some() != running.tls_cert.is_some()
        || next.tls_key.is_some() != running.tls_key.is_some();
    let tls: &[&Setting] = if tls_begins_or_ends {
        &[&SETTINGS.tls_cert, &SETTINGS.tls_key]
    } else {
        &[]
    };
    fixed
        .chain(opens.then_some(&SETTINGS.insecure))
        .chain(tls.iter().copied())
        .collect()
}

/// Logs that the schema `postern` was upgraded by a newer program. Its versions only add, so an
/// older program works on, as during a rolling upgrade and after a step back.
async fn warn_of_newer_schema(database: &Database) {
    let deadline = tokio::time::Instant::now() + SCHEMA_TIMEOUT;
    // A database that does not answer is reported by what needs it.
    let Ok(client) = database.admin_client(deadline).await else {
        return;
    };
    if let Ok(version) = migrations::version(&client).await
        && version > migrations::NEWEST_VERSION
    {
        tracing::warn!(
            version,
            known = migrations::NEWEST_VERSION,
            "the schema `postern` is of a newer program"
        );
    }
}

/// Logs how the database is reached through a pooler, and what does not work through it.
fn warn_of_pooler(database: &Database) {
    if let Some(pooler) = database.describe_pooler() {
        tracing::info!("the database is reached {pooler}");
    }
    if !database.has_sessions() {
        tracing::warn!(
            "without `direct_url`, no notifications and no logical replication: \
                        subscriptions compare snapshots, events are \
                        polled, and changes of the schema are noticed late"
        );
    }
}

/// Logs settings that work but may be surprising, for each version.
fn warn_of(config: &Config, has_file: bool) {
    if config.insecure {
        tracing::warn!("--insecure: every caller is admin");
    }
    if !has_file {
        tracing::warn!(
            "no permission file: only requests with the admin secret are accepted, \
                        and they can access every table"
        );
    }
}

/// Waits until the last request of the old version has ended, and drops the version on a blocking
/// thread: dropping a large catalog takes time.
async fn retire(old: Arc<HandlerState>) {
    old.execution.database.drop_idle();
    while Arc::strong_count(&old) > 1 || Arc::strong_count(&old.execution) > 1 {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    // A panic in it has been logged.
    let _ = tokio::task::spawn_blocking(move || drop(old)).await;
}

impl ReloadReport {
    fn between(old: &SchemaVersion, new: &SchemaVersion) -> ReloadReport {
        let before = by_name(&old.catalog);
        let after = by_name(&new.catalog);
        let known = after
            .iter()
            .filter_map(|(name, table)| Some((before.get(name)?, table)));
        let mut both = 0;
        let mut changed = 0;
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

    /// Whether the catalog or the permissions have changed.
    pub(crate) fn has_changed(&self) -> bool {
        self.added + self.changed + self.removed > 0 || self.permissions
    }

    /// Logs the result.
    pub(crate) fn log(&self) {
        let ReloadReport {
            tables,
            added,
            changed,
            removed,
            roles,
            permissions,
            ..
        } = *self;
        let ms = self.time.as_micros() as f64 / 1000.0;
        tracing::info!(
            ms,
            tables,
            added,
            changed,
            removed,
            roles,
            permissions_changed = permissions,
            "reloaded"
        );
        for setting in &self.waiting {
            tracing::warn!(
                setting,
                "this setting has changed; the change takes effect at the next start"
            );
        }
    }
}

fn by_name(catalog: &Catalog) -> HashMap<(&str, &str), &catalog::Table> {
    catalog
        .tables
        .iter()
        .map(|table| ((table.schema.as_str(), table.name.as_str()), table))
        .collect()
}

/// Logs the result of a reload; an error shows its place in the file.
pub(super) fn log_reload(result: Result<ReloadReport, StartError>) {
    match result {
        Ok(reloaded) => reloaded.log(),
        Err(error) => tracing::error!("not reloaded, the running version stays: {error}"),
    }
}

//! What `postern check` reports: everything that a start reads and judges, without listening. Both
//! take the same pass over what depends on the database; a check takes it even if settings or files
//! could not be read, and asks beside it what a start learns later.

use std::sync::Arc;

use permissions::{Diagnostic, SourceFile};
use pg::Database;
use tokio::time::Instant;

use super::loaded_files::LoadedFiles;
use super::loading::database_settings;
use super::reload::{ReadInputs, SettingsSource, Sources};
use super::start_error::{StartError, StartErrors};
use super::version_pass::{Findings, VersionPass};
use crate::actions::{self, NativeHandlers};
use crate::auth::{KeySets, PolicyError};
use crate::config::{Config, Settings};
use crate::execute::ReloadRequests;
use crate::execute::plan_cache::PlanCache;
use crate::execute::prepared_rules::PreparedRules;
use crate::execute::schema_version::{self, LoadError, Misfits};
use crate::plugin::{Plugin, PluginReport, permission_defaults};
use crate::subscriptions::refused_updates::{RefusedUpdates, refused_updates};
use crate::subscriptions::source;
use crate::telemetry::metrics::Metrics;
use crate::{rest, trusted_documents};
use pg::memory::MemoryBudget;

/// The result of a check.
#[derive(Debug, Default)]
pub struct CheckReport {
    /// Errors that are not drawn on a line of a file.
    pub errors: Vec<StartError>,
    /// The permission file, and its problems.
    pub permissions: CheckedFile<Diagnostic>,
    /// The declarations of actions, and their problems.
    pub actions: CheckedFile<actions::Problem>,
    /// The REST map, and its problems.
    pub rest_map: CheckedFile<rest::Problem>,
    /// What plugins report, in their order.
    pub plugins: Vec<PluginReport>,
    /// Updates that Postgres refuses.
    pub refused_updates: Vec<RefusedUpdates>,
    /// What is no problem and might surprise, on lines of the permission file.
    pub notes: Vec<Diagnostic>,
    /// What is no problem and might surprise.
    pub plain_notes: Vec<String>,
    /// What works, but not as it should: certificates that end, connections without TLS.
    pub warnings: Vec<String>,
    /// What there is.
    pub counts: CheckCounts,
}

/// A file, if there is one, and its problems.
#[derive(Debug)]
pub struct CheckedFile<P> {
    /// The file.
    pub file: Option<SourceFile>,
    /// All problems.
    pub problems: Vec<P>,
}

/// How many things the files and the database have.
#[derive(Clone, Copy, Debug, Default)]
pub struct CheckCounts {
    /// Tables.
    pub tables: usize,
    /// Roles, including `admin`.
    pub roles: usize,
    /// Rules in SQL.
    pub rules: usize,
    /// REST endpoints.
    pub endpoints: usize,
    /// Actions.
    pub actions: usize,
}

impl<P> Default for CheckedFile<P> {
    fn default() -> CheckedFile<P> {
        CheckedFile {
            file: None,
            problems: Vec::new(),
        }
    }
}

impl CheckReport {
    /// Whether a start would succeed.
    pub fn is_ok(&self) -> bool {
        self.errors.is_empty()
            && self.permissions.problems.is_empty()
            && self.actions.problems.is_empty()
            && self.rest_map.problems.is_empty()
            && self.plugins.iter().all(|report| report.problems.is_empty())
            && self.refused_updates.is_empty()
    }
}

/// Reads and judges what these settings name. Secrets may be absent, but those that are set must be
/// valid.
pub async fn check(settings: Settings, plugins: Vec<Arc<dyn Plugin>>) -> CheckReport {
    let sources = Sources {
        gather: SettingsSource(Box::new(|| Ok(Settings::default()))),
        permissions: None,
        rest_map: None,
        actions: None,
        native: NativeHandlers::default(),
        plugins: plugins.clone(),
        metrics: Arc::default(),
        memory: MemoryBudget::default(),
        key_sets: KeySets::default(),
        reload: ReloadRequests::default(),
        prepared: PreparedRules::default(),
    };
    let mut inputs = sources.read_inputs(settings, None);
    let errors = std::mem::take(&mut inputs.errors);
    let mut check = Check {
        plugins,
        inputs,
        report: CheckReport::default(),
        errors,
    };
    check.run().await;
    check.report.errors = check.errors.into_vec();
    check.report
}

/// A check, with what it has found so far.
struct Check {
    plugins: Vec<Arc<dyn Plugin>>,
    inputs: ReadInputs,
    report: CheckReport,
    errors: StartErrors,
}

impl Check {
    async fn run(&mut self) {
        let policy = self.inputs.policy.take();
        if !matches!(policy, Some(Err(PolicyError::Open))) {
            policy.map(|policy| self.errors.collect(policy));
        }
        let config = self.inputs.config.clone();
        let Some(database) = self.connect().await else {
            return;
        };
        self.report
            .warnings
            .extend(database.warnings().iter().cloned());
        self.check_plugins(&config, &database).await;
        let deadline = Instant::now() + config.time_limit;
        self.errors
            .collect(source::choose(&database, config.subscription_source, deadline).await);
        let refused = refused_updates(&database, deadline)
            .await
            .map_err(LoadError::from);
        self.report.refused_updates = self.errors.collect(refused).unwrap_or_default();
        let Some(files) = self.inputs.files.take() else {
            return;
        };
        self.report.warnings.extend(
            files
                .tls
                .iter()
                .flat_map(|tls| tls.warnings.iter().cloned()),
        );
        self.judge(&config, &database, &files).await;
    }

    async fn connect(&mut self) -> Option<Database> {
        let settings = self.errors.collect(database_settings(
            &self.inputs.config,
            MemoryBudget::default(),
        ))?;
        self.errors.collect(Database::connect(&settings).await)
    }

    async fn check_plugins(&mut self, config: &Config, database: &Database) {
        for plugin in &self.plugins {
            let report = self.errors.collect(plugin.check(config, database).await);
            self.report.plugins.extend(report);
        }
    }

    /// Judges everything that a start would load, by the same pass.
    async fn judge(&mut self, config: &Config, database: &Database, files: &LoadedFiles) {
        let Check {
            plugins,
            inputs,
            report,
            errors,
        } = self;
        let pass = VersionPass {
            config,
            files,
            tables: inputs.tables.as_ref(),
            database,
            defaults: permission_defaults(config, plugins),
            native: &NativeHandlers::default(),
            prepared: &PreparedRules::default(),
            metrics: &Metrics::default(),
            misfits: Misfits::Refuse,
        };
        let mut findings = Findings::default();
        let plans = PlanCache::new(0, config.translation());
        let judged = pass.judge(plans, &mut findings).await;
        errors.append(findings.errors);
        let rest_map = files.rest_map.as_ref();
        let actions = files.actions.as_ref();
        report.permissions = CheckedFile {
            file: files.permissions.clone(),
            problems: findings.permissions,
        };
        report.rest_map = CheckedFile {
            file: rest_map.map(|source| source.file.clone()),
            problems: findings.rest_map,
        };
        report.actions = CheckedFile {
            file: actions.map(|source| source.definitions.clone()),
            problems: findings.actions,
        };
        let Some(judged) = judged else { return };
        let permissions = &judged.schema.permissions;
        report.counts = CheckCounts {
            tables: permissions.model.tables().count(),
            roles: permissions.roles().count(),
            rules: judged.rules.len(),
            endpoints: judged.rest.len(),
            actions: judged.actions.declared().actions.len(),
        };
        let states = judged.states.iter().filter(|check| !check.is_fault);
        let notes = schema_version::check_state(database, states).await;
        let notes = errors.collect(notes.map_err(LoadError::from));
        report.notes.clone_from(&permissions.notes);
        report.notes.extend(notes.unwrap_or_default());
        permissions::sort(&mut report.notes);
        for plugin in &mut report.plugins {
            report.plain_notes.append(&mut plugin.plain_notes);
        }
        let of_documents = errors.collect(trusted_documents::notes(config, permissions));
        report.plain_notes.extend(of_documents.unwrap_or_default());
        report
            .plain_notes
            .extend(rest::notes(&judged.rest, &judged.limits));
        report.plain_notes.append(&mut inputs.notes);
    }
}

//! What `postern check` reports: everything that a start reads and judges, without listening. A
//! start ends at the first stage with errors; a check goes on as far as it can, and reports all of
//! them at once.

use std::sync::Arc;

use permissions::{Diagnostic, Permissions, SourceFile};
use tokio::time::Instant;

use super::loading::{compile_actions, compile_fitting_rest_map, database_settings};
use super::reload::{LoadedFiles, ReadInputs, SettingsSource, Sources};
use super::start_error::{StartError, StartErrors};
use crate::actions::{self, NativeHandlers};
use crate::auth::{KeySets, PolicyError};
use crate::config::{Config, Settings};
use crate::database::Database;
use crate::execute::ReloadRequests;
use crate::execute::prepared_rules::PreparedRules;
use crate::execute::schema_version::{self, LoadError};
use crate::limits::LimitsByRole;
use crate::limits::memory::MemoryBudget;
use crate::plugin::{Plugin, PluginReport, permission_defaults};
use crate::plugins;
use crate::rest;
use crate::subscriptions::refused_updates::{RefusedUpdates, refused_updates};
use crate::subscriptions::source;
use crate::telemetry::metrics::Metrics;
use crate::trusted_documents;

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
pub async fn check(settings: Settings) -> CheckReport {
    let plugins = plugins::all();
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
        let LoadedFiles {
            permissions,
            rest_map,
            actions,
            ..
        } = files;
        let has_file = permissions.is_some();
        self.report.permissions.file.clone_from(&permissions);
        self.report.rest_map.file = rest_map.as_ref().map(|source| source.file.clone());
        self.report.actions.file = actions.as_ref().map(|source| source.definitions.clone());
        match self
            .compile_permissions(&config, &database, permissions.as_ref())
            .await
        {
            Some(compiled) => {
                self.judge(
                    &config,
                    &database,
                    &compiled,
                    actions.as_ref(),
                    rest_map.as_ref(),
                    has_file,
                )
                .await;
            }
            // Without valid permissions there are no roles, so only the map's syntax is checked.
            None => {
                let problems =
                    rest_map.map(|source| rest::check_form(&source).err().unwrap_or_default());
                self.report.rest_map.problems = problems.unwrap_or_default();
            }
        }
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

    async fn compile_permissions(
        &mut self,
        config: &Config,
        database: &Database,
        file: Option<&SourceFile>,
    ) -> Option<Permissions> {
        let (catalog, file) = self
            .errors
            .collect(schema_version::read_catalog(database, file).await)?;
        let defaults = permission_defaults(config, &self.plugins);
        let prepared = PreparedRules::default();
        match schema_version::compile_checked(database, file, catalog.into(), defaults, &prepared)
            .await
        {
            Ok(permissions) => {
                let states = permissions.states.iter().filter(|check| !check.is_fault);
                let notes = schema_version::check_state(database, states)
                    .await
                    .map_err(LoadError::from);
                let notes = self.errors.collect(notes).unwrap_or_default();
                self.report.notes = permissions.notes.iter().cloned().chain(notes).collect();
                permissions::sort(&mut self.report.notes);
                Some(permissions)
            }
            Err(LoadError::Permissions { problems, .. }) => {
                self.report.permissions.problems = problems;
                None
            }
            Err(error) => self.errors.collect(Err(error)),
        }
    }

    /// Checks what depends on the permissions.
    async fn judge(
        &mut self,
        config: &Config,
        database: &Database,
        permissions: &Permissions,
        actions: Option<&actions::Source>,
        rest_map: Option<&rest::Source>,
        has_file: bool,
    ) {
        let Check {
            inputs,
            report,
            errors,
            ..
        } = self;
        report.counts.tables = permissions.model.tables().count();
        report.counts.roles = permissions.roles().count();
        report.counts.rules = permissions.rules.len();
        let compiled = compile_actions(
            actions,
            permissions,
            database,
            &NativeHandlers::default(),
            config,
        )
        .await;
        if let Some((handlers, problems)) = errors.collect(compiled) {
            report.counts.actions = handlers.declared().actions.len();
            report.actions.problems = problems;
        }
        for plugin in &mut report.plugins {
            report.plain_notes.append(&mut plugin.plain_notes);
        }
        report.plain_notes.extend(
            errors
                .collect(trusted_documents::notes(config, permissions))
                .unwrap_or_default(),
        );
        if let Some(tables) = &inputs.tables {
            errors.collect(tables.check_roles(config, permissions, has_file));
            let roles = permissions.roles().map(|access| access.role());
            let limits =
                LimitsByRole::new(&config.limits(), &tables.limits, roles, &Metrics::default());
            let compiled =
                compile_fitting_rest_map(rest_map, permissions, database, &limits, config).await;
            if let Some((map, problems)) = errors.collect(compiled) {
                report.counts.endpoints = map.len();
                report.plain_notes.extend(rest::notes(&map, &limits));
                report.rest_map.problems = problems;
            }
        }
        report.plain_notes.append(&mut inputs.notes);
    }
}

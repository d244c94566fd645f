//! The pass that reads the database and judges by it what settings and files say. A start, a reload
//! and `postern check` take the same one. It goes on as far as it can, so that all faults are
//! reported at once.

use permissions::{Defaults, Diagnostic, RuleCheck, StateCheck};

use super::left_out::LeftOutParts;
use super::loaded_files::LoadedFiles;
use super::loading::{compile_actions, compile_fitting_rest_map};
use super::settings_tables::SettingsTables;
use super::start_error::{StartError, StartErrors};
use crate::actions::{self, Handlers, NativeHandlers};
use crate::config::Config;
use crate::execute::plan_cache::PlanCache;
use crate::execute::prepared_rules::PreparedRules;
use crate::execute::schema_version::{LoadError, LoadedSchema, Misfits, SchemaVersion};
use crate::limits::{LimitsByRole, LimitsConfig};
use crate::rest;
use crate::telemetry::metrics::Metrics;
use pg::Database;

/// What a version is judged by.
pub(super) struct VersionPass<'v> {
    pub(super) config: &'v Config,
    pub(super) files: &'v LoadedFiles,
    /// None if a table has an error, which has been reported.
    pub(super) tables: Option<&'v SettingsTables>,
    pub(super) database: &'v Database,
    /// The defaults of the permission file.
    pub(super) defaults: Defaults,
    pub(super) native: &'v NativeHandlers,
    pub(super) prepared: &'v PreparedRules,
    pub(super) metrics: &'v Metrics,
    pub(super) misfits: Misfits,
}

/// The parts of a version that depend on the database, without what has faults.
pub(super) struct JudgedVersion {
    pub(super) schema: SchemaVersion,
    /// The rules of the permission file and its questions about the database.
    pub(super) rules: Vec<RuleCheck>,
    pub(super) states: Vec<StateCheck>,
    /// The limits of each role.
    pub(super) limits: LimitsByRole,
    pub(super) actions: Handlers,
    pub(super) rest: rest::Map,
}

/// The faults that a pass has found.
#[derive(Debug, Default)]
pub(super) struct Findings {
    /// Errors that are not drawn on a line of a file.
    pub(super) errors: StartErrors,
    /// Problems of the permission file.
    pub(super) permissions: Vec<Diagnostic>,
    /// Problems of the declarations of actions.
    pub(super) actions: Vec<actions::Problem>,
    /// Problems of the REST map.
    pub(super) rest_map: Vec<rest::Problem>,
}

impl VersionPass<'_> {
    /// Judges the version; none if the permissions have faults, since all other parts need roles.
    pub(super) async fn judge(
        &self,
        plans: PlanCache,
        findings: &mut Findings,
    ) -> Option<JudgedVersion> {
        let Some(loaded) = self.load_schema(plans, findings).await else {
            let source = self.files.rest_map.as_ref();
            let problems = source.and_then(|source| rest::check_form(source).err());
            findings.rest_map.extend(problems.unwrap_or_default());
            return None;
        };
        let LoadedSchema {
            schema,
            left_out,
            rules,
            states,
        } = loaded;
        findings.permissions = left_out;
        let limits = self.limits(&schema, findings);
        let actions = self.compile_actions(&schema, findings).await;
        let rest = self.compile_rest_map(&schema, &limits, findings).await;
        Some(JudgedVersion {
            schema,
            rules,
            states,
            limits,
            actions: actions.unwrap_or_default(),
            rest: rest.unwrap_or_default(),
        })
    }

    async fn load_schema(&self, plans: PlanCache, findings: &mut Findings) -> Option<LoadedSchema> {
        let loaded = SchemaVersion::load_fitting(
            self.database,
            self.files.permissions.as_ref(),
            plans,
            self.defaults,
            self.prepared,
            self.misfits,
        );
        match loaded.await {
            Err(LoadError::Permissions { problems, .. }) => {
                findings.permissions = problems;
                None
            }
            loaded => findings.errors.collect(loaded),
        }
    }

    async fn compile_actions(
        &self,
        schema: &SchemaVersion,
        findings: &mut Findings,
    ) -> Option<Handlers> {
        let compiled = compile_actions(
            self.files.actions.as_ref(),
            &schema.permissions,
            self.database,
            self.native,
            self.config,
        );
        let (handlers, problems) = findings.errors.collect(compiled.await)?;
        findings.actions = problems;
        Some(handlers)
    }

    /// The limits of each role. Checks the roles that the settings name.
    fn limits(&self, schema: &SchemaVersion, findings: &mut Findings) -> LimitsByRole {
        let Some(tables) = self.tables else {
            let defaults = LimitsConfig::default();
            return schema.bounds_of_known(self.config, &defaults, self.metrics);
        };
        if self.misfits == Misfits::Refuse {
            // A role that has lost its last grant does not exist, and may do nothing.
            let checked = tables.check_roles(self.config, &schema.permissions, schema.has_file);
            findings.errors.collect(checked);
        }
        schema.bounds_of_known(self.config, &tables.limits, self.metrics)
    }

    async fn compile_rest_map(
        &self,
        schema: &SchemaVersion,
        limits: &LimitsByRole,
        findings: &mut Findings,
    ) -> Option<rest::Map> {
        let compiled = compile_fitting_rest_map(
            self.files.rest_map.as_ref(),
            &schema.permissions,
            self.database,
            limits,
            self.config,
        );
        let (map, problems) = findings.errors.collect(compiled.await)?;
        findings.rest_map = problems;
        Some(map)
    }
}

impl Findings {
    /// All errors, those of files included.
    pub(super) fn into_errors(self, files: &LoadedFiles) -> StartErrors {
        let mut errors = self.errors;
        if let (Some(file), false) = (&files.permissions, self.permissions.is_empty()) {
            let file = file.clone();
            let problems = self.permissions;
            errors.add(LoadError::Permissions { problems, file });
        }
        if let (Some(source), false) = (&files.actions, self.actions.is_empty()) {
            let file = source.definitions.clone();
            let problems = self.actions;
            errors.add(StartError::Actions { problems, file });
        }
        if let (Some(source), false) = (&files.rest_map, self.rest_map.is_empty()) {
            let file = source.file.clone();
            let problems = self.rest_map;
            errors.add(StartError::RestMap { problems, file });
        }
        errors
    }

    /// Leaves out the parts of the files that have faults. Returns the other errors.
    pub(super) fn leave_out(self, left_out: &mut LeftOutParts) -> StartErrors {
        left_out.add("permissions", &self.permissions);
        left_out.add("actions", &self.actions);
        left_out.add("rest_map", &self.rest_map);
        self.errors
    }
}

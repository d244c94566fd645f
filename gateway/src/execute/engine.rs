//! Catalog, access and caches of one version: what a request is translated with. A reload makes another one.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use futures_util::{StreamExt, TryStreamExt, stream};
use permissions::{CompileOutcome, Defaults, Diagnostic, Permissions, RuleCheck, SourceFile};
use sql::model::access::Access;
use sql::postgres::catalog::{Catalog, Oid};
use tokio::time::{Duration, Instant};
use tokio_postgres::Client;
use tokio_postgres::error::{ErrorPosition, SqlState};

use crate::auth::session::Session;
use crate::config::{Config, ConfigError};
use crate::database::{Database, DatabaseError};
use crate::execute::introspection::IntrospectionCache;
use crate::execute::plan_cache::PlanCache;
use crate::limits::{LimitsByRole, LimitsConfig};
use crate::telemetry::metrics::Metrics;

/// What requests are translated with.
#[derive(Debug)]
pub struct Engine {
    /// The database.
    pub catalog: Arc<Catalog>,
    /// Who may do what.
    pub permissions: Permissions,
    /// Translations that were made before.
    pub plans: PlanCache,
    /// Schemas that introspection asked for lately.
    pub schemas: IntrospectionCache,
    /// Whether a permission file was given: without one only the admin gets in.
    pub has_file: bool,
}

/// Why there is no engine.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The catalog cannot be read.
    #[error(transparent)]
    Catalog(#[from] sql::postgres::catalog::DecodeError),
    /// The database gives no answer.
    #[error("{0}")]
    Database(#[from] DatabaseError),
    /// The permission file has faults.
    #[error("{}", permissions::render(problems, file, false))]
    Permissions {
        /// All of them.
        problems: Vec<Diagnostic>,
        /// The file.
        file: SourceFile,
    },
    /// The work was given up, after a panic or at the end of the process.
    #[error("the work was given up")]
    Abandoned,
}

/// How long the catalog's query and all rules together may take.
const PATIENCE: Duration = Duration::from_secs(60);

/// How many connections prepare rules, how many rules are prepared together, and how many such statements each connection
/// has in flight.
const LANES: usize = 3;
const BATCH: usize = 50;
const IN_FLIGHT: usize = 4;

/// Reads the catalog of a database.
pub async fn catalog(database: &Database) -> Result<Catalog, LoadError> {
    let document = database.query_text(sql::postgres::catalog::QUERY, Instant::now() + PATIENCE).await?;
    spawn_blocking(move || Ok(Catalog::decode(&document)?)).await
}

/// Does what takes long with many tables where no request waits for it.
async fn spawn_blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, LoadError> + Send + 'static,
) -> Result<T, LoadError> {
    tokio::task::spawn_blocking(work).await.map_err(|_| LoadError::Abandoned)?
}

/// The same with what the file needs to know of rows: the values of its enum tables.
pub async fn read_catalog(database: &Database, file: Option<&SourceFile>) -> Result<Catalog, LoadError> {
    let mut catalog = catalog(database).await?;
    if let Some(query) = file.and_then(|file| permissions::enum_query(file, &catalog)) {
        let values = database.query_text(&query, Instant::now() + PATIENCE).await?;
        catalog.take_enum_values(&values)?;
    }
    Ok(catalog)
}

/// Compiles a permission file, or opens everything to the admin without one.
pub fn compile(file: Option<&SourceFile>, catalog: Arc<Catalog>, defaults: Defaults) -> Result<Permissions, LoadError> {
    match file {
        None => Ok(permissions::allow_all_with(catalog, defaults)),
        Some(file) => permissions::compile_with(file, catalog, defaults)
            .map_err(|problems| LoadError::Permissions { problems, file: file.clone() }),
    }
}

/// Has Postgres prepare every rule once, which checks the types in them.
pub async fn check_rules(database: &Database, rules: &[RuleCheck]) -> Result<Vec<Diagnostic>, DatabaseError> {
    let mut same: BTreeMap<(&[Oid], &str), Vec<&RuleCheck>> = BTreeMap::new();
    for rule in rules {
        same.entry((&rule.parameters, &rule.sql)).or_default().push(rule);
    }
    let groups: Vec<Vec<&RuleCheck>> = same.into_values().collect();
    // Rules whose parameters are of the same types can be prepared together.
    let alike = |one: &Vec<&RuleCheck>, other: &Vec<&RuleCheck>| parameters(one) == parameters(other);
    let batches: Vec<&[Vec<&RuleCheck>]> = groups.chunk_by(alike).flat_map(|alike| alike.chunks(BATCH)).collect();
    let lanes = batches.chunks(batches.len().div_ceil(LANES).max(1));
    let checked = stream::iter(lanes).map(|lane| check_lane(database, lane)).buffered(LANES);
    let problems: Vec<Vec<Diagnostic>> = checked.try_collect().await?;
    let mut problems: Vec<Diagnostic> = problems.into_iter().flatten().collect();
    problems.extend(check_masks(database, rules).await?);
    database.close_idle_admin();
    Ok(problems)
}

/// Judges the types of masks: one of text for a column of another type would fail when the first row is read.
async fn check_masks(database: &Database, rules: &[RuleCheck]) -> Result<Vec<Diagnostic>, DatabaseError> {
    let mut masks = rules.iter().filter_map(|rule| Some((rule, rule.mask.as_ref()?))).peekable();
    if masks.peek().is_none() {
        return Ok(vec![]);
    }
    let client = database.admin_client(Instant::now() + PATIENCE).await?;
    let mut problems = vec![];
    for (rule, mask) in masks {
        let refused = match client.prepare(&mask.joined).await {
            Ok(_) => false,
            Err(error) if error.as_db_error().is_none() => return Err(DatabaseError::of(&error, PATIENCE)),
            Err(error) => error.code() == Some(&SqlState::DATATYPE_MISMATCH),
        };
        if refused && let Ok(plain) = client.prepare(&mask.plain).await {
            let found = plain.columns().first().map_or("unknown", |column| column.type_().name());
            if matches!(found, "text" | "varchar" | "bpchar" | "name" | "json" | "jsonb") {
                problems.extend(rule.mask_type_problem(found));
            }
        }
    }
    Ok(problems)
}

/// The types of the parameters of rules that share a statement.
fn parameters<'r>(rules: &[&'r RuleCheck]) -> &'r [Oid] {
    rules.first().map(|rule| rule.parameters.as_slice()).unwrap_or_default()
}

async fn check_lane(database: &Database, batches: &[&[Vec<&RuleCheck>]]) -> Result<Vec<Diagnostic>, DatabaseError> {
    let client = database.admin_client(Instant::now() + PATIENCE).await?;
    let checked = stream::iter(batches).map(async |batch| check_batch(&client, batch).await);
    let checked = checked.buffered(IN_FLIGHT).try_collect::<Vec<Vec<Diagnostic>>>().await;
    Ok(checked.map_err(|error| DatabaseError::of(&error, PATIENCE))?.into_iter().flatten().collect())
}

/// Has one statement prepared of all the rules: `SELECT WHERE EXISTS (…) OR EXISTS (…)`. Where Postgres refuses it, each is
/// prepared alone, to know which are to blame.
async fn check_batch(client: &Client, batch: &[Vec<&RuleCheck>]) -> Result<Vec<Diagnostic>, tokio_postgres::Error> {
    let texts = batch.iter().filter_map(|same| same.first()).map(|rule| rule.sql.as_str());
    let together = format!("SELECT WHERE EXISTS ({})", texts.collect::<Vec<_>>().join(") OR EXISTS ("));
    match client.prepare(&together).await {
        Ok(_) => return Ok(vec![]),
        Err(error) if error.as_db_error().is_none() => return Err(error),
        Err(_) => {}
    }
    let mut problems = vec![];
    for same in batch {
        match client.prepare(same.first().map(|rule| rule.sql.as_str()).unwrap_or_default()).await {
            Ok(_) => {}
            Err(error) if error.as_db_error().is_some() => problems.extend(diagnostics(same, &error)),
            Err(error) => return Err(error),
        }
    }
    Ok(problems)
}

/// The problems of the rules that share a statement. Postgres' message is for the author of the file.
fn diagnostics(rules: &[&RuleCheck], error: &tokio_postgres::Error) -> Vec<Diagnostic> {
    let Some(told) = error.as_db_error() else { return vec![] };
    let position = match told.position() {
        Some(ErrorPosition::Original(position)) => Some(*position),
        _ => None,
    };
    let hint = told.hint().filter(|_| *told.code() != SqlState::UNDEFINED_FUNCTION);
    rules.iter().map(|rule| rule.problem(told.message(), position, hint)).collect()
}

/// Compiles a permission file and has Postgres prepare its rules; the problems of both are told together.
pub async fn compile_checked(
    database: &Database,
    file: Option<&SourceFile>,
    catalog: Arc<Catalog>,
    defaults: Defaults,
) -> Result<Permissions, LoadError> {
    let Some(file) = file.cloned() else {
        return spawn_blocking(move || Ok(permissions::allow_all_with(catalog, defaults))).await;
    };
    let source = file.clone();
    let attempt = spawn_blocking(move || Ok(permissions::compile_partial(&source, catalog, defaults)));
    let CompileOutcome { permissions, mut problems } = attempt.await?;
    if let Some(permissions) = &permissions {
        problems.extend(check_rules(database, &permissions.rules).await?);
    }
    match permissions {
        Some(permissions) if problems.is_empty() => Ok(permissions),
        _ => {
            permissions::sort(&mut problems);
            Err(LoadError::Permissions { problems, file })
        }
    }
}

impl Engine {
    /// Reads the catalog, compiles the file and has every rule checked.
    pub async fn load(
        database: &Database,
        file: Option<&SourceFile>,
        plans: PlanCache,
        defaults: Defaults,
    ) -> Result<Engine, LoadError> {
        let catalog = Arc::new(read_catalog(database, file).await?);
        database.pin_search_path(&catalog.search_path);
        let mut permissions = compile_checked(database, file, catalog.clone(), defaults).await?;
        // What they were prepared with is as much as the rules themselves, and has been done with.
        permissions.rules = Vec::new();
        Ok(Engine { catalog, permissions, plans, schemas: IntrospectionCache::default(), has_file: file.is_some() })
    }

    /// The bounds that settings and table give to its roles. A table of a role that is not among them is a fault.
    pub fn bounds(
        &self,
        config: &Config,
        table: &LimitsConfig,
        metrics: &Metrics,
    ) -> Result<LimitsByRole, ConfigError> {
        table.check(config, |role| self.permissions.role(role).is_some())?;
        let known = self.permissions.roles().map(|access| access.role());
        Ok(LimitsByRole::new(&config.limits, table, known, metrics))
    }

    /// What the caller may do, as its role and as a back end or not; a role that the file does not name may do nothing.
    pub fn access(&self, session: &Session) -> Arc<Access> {
        match self.permissions.role_as(session.role(), session.backend_only()) {
            Some(access) => access.clone(),
            None => Arc::new(Access::new(session.role(), self.permissions.model.clone(), HashMap::new())),
        }
    }
}

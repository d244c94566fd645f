//! The state that requests are translated with: catalog, permissions and caches of one version. Loads it from the
//! database and the permission file; a reload makes a new one.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use futures_util::{StreamExt, TryStreamExt, stream};
use permissions::{CompileOutcome, Defaults, Diagnostic, ParsedFile, Permissions, RuleCheck, SourceFile, StateCheck};
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
use crate::execute::prepared_rules::PreparedRules;
use crate::limits::{LimitsByRole, LimitsConfig};
use crate::telemetry::metrics::Metrics;

/// Catalog, permissions and translation caches of one version.
#[derive(Debug)]
pub struct Engine {
    /// The database's catalog.
    pub catalog: Arc<Catalog>,
    /// The permissions of each role.
    pub permissions: Permissions,
    /// Documents and plans that were translated before.
    pub plans: PlanCache,
    /// Introspection schemas and their answers.
    pub schemas: IntrospectionCache,
    /// Whether there is a permission file. Without one only callers with the admin secret have access.
    pub has_file: bool,
}

/// Why an engine could not be loaded.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The catalog cannot be read.
    #[error(transparent)]
    Catalog(#[from] sql::postgres::catalog::DecodeError),
    /// The database query failed.
    #[error("{0}")]
    Database(#[from] DatabaseError),
    /// The permission file has errors.
    #[error("{}", permissions::render(problems, file, false))]
    Permissions {
        /// All errors.
        problems: Vec<Diagnostic>,
        /// The file.
        file: SourceFile,
    },
    /// The blocking task ended without a result, after a panic or because the process is shutting down.
    #[error("the work was given up")]
    Abandoned,
}

/// The time limit of each query that loads the catalog or checks rules.
const TIME_LIMIT: Duration = Duration::from_secs(60);

/// How many connections prepare rules, how many rules one statement combines, and how many such statements each
/// connection has in flight.
const LANES: usize = 3;
const BATCH: usize = 50;
const IN_FLIGHT: usize = 4;

/// How many questions about the state of the database one statement asks.
const QUESTIONS: usize = 100;

/// Reads the catalog of a database.
pub async fn catalog(database: &Database) -> Result<Catalog, LoadError> {
    let document = database.query_text(sql::postgres::catalog::QUERY, Instant::now() + TIME_LIMIT).await?;
    spawn_blocking(move || Ok(Catalog::decode(&document)?)).await
}

/// Runs work that is slow with many tables on a blocking thread, so that requests do not wait for it.
async fn spawn_blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, LoadError> + Send + 'static,
) -> Result<T, LoadError> {
    tokio::task::spawn_blocking(work).await.map_err(|_| LoadError::Abandoned)?
}

/// Reads the permission file, and the catalog with the values of the enum tables that the file names. The file is read
/// while Postgres runs the statement of the catalog.
pub async fn read_catalog(
    database: &Database,
    file: Option<&SourceFile>,
) -> Result<(Catalog, Option<ParsedFile>), LoadError> {
    let (mut catalog, file) = tokio::try_join!(catalog(database), read_file(file.cloned()))?;
    if let Some(query) = file.as_ref().and_then(|file| file.enum_query(&catalog)) {
        let values = database.query_text(&query, Instant::now() + TIME_LIMIT).await?;
        catalog.take_enum_values(&values)?;
    }
    Ok((catalog, file))
}

async fn read_file(file: Option<SourceFile>) -> Result<Option<ParsedFile>, LoadError> {
    match file {
        None => Ok(None),
        Some(file) => spawn_blocking(move || Ok(Some(ParsedFile::read(file)))).await,
    }
}

/// Compiles a permission file. Without one the admin may do everything.
pub fn compile(file: Option<&SourceFile>, catalog: Arc<Catalog>, defaults: Defaults) -> Result<Permissions, LoadError> {
    match file {
        None => Ok(permissions::allow_all_with(catalog, defaults)),
        Some(file) => permissions::compile_with(file, catalog, defaults)
            .map_err(|problems| LoadError::Permissions { problems, file: file.clone() }),
    }
}

/// Prepares rules in Postgres, equal ones once, which checks their types.
async fn check_rules(database: &Database, rules: &[&RuleCheck]) -> Result<Vec<Diagnostic>, DatabaseError> {
    let mut same: BTreeMap<(&[Oid], &str), Vec<&RuleCheck>> = BTreeMap::new();
    for rule in rules {
        same.entry((&rule.parameters, &rule.sql)).or_default().push(rule);
    }
    let groups: Vec<Vec<&RuleCheck>> = same.into_values().collect();
    // Only rules with equal parameter types can be combined into one statement.
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

/// Checks the types of masks: a text mask on a column of another type would fail when the first row is read.
async fn check_masks(database: &Database, rules: &[&RuleCheck]) -> Result<Vec<Diagnostic>, DatabaseError> {
    let mut masks = rules.iter().filter_map(|rule| Some((rule, rule.mask.as_ref()?))).peekable();
    if masks.peek().is_none() {
        return Ok(vec![]);
    }
    let client = database.admin_client(Instant::now() + TIME_LIMIT).await?;
    let mut problems = vec![];
    for (rule, mask) in masks {
        let refused = match client.prepare(&mask.joined).await {
            Ok(_) => false,
            Err(error) if error.as_db_error().is_none() => return Err(DatabaseError::of(&error, TIME_LIMIT)),
            Err(error) => error.code() == Some(&SqlState::DATATYPE_MISMATCH),
        };
        if refused && let Ok(plain) = client.prepare(&mask.plain).await {
            let found = plain.columns().first().map_or("unknown", |column| column.type_().name());
            if matches!(found, "text" | "varchar" | "bpchar" | "name" | "json" | "jsonb") {
                problems.extend(rule.mask_type_problems(found));
            }
        }
    }
    Ok(problems)
}

/// Asks the database questions about privileges and settings. Returns the problems.
pub async fn check_state(
    database: &Database,
    checks: impl Iterator<Item = &StateCheck>,
) -> Result<Vec<Diagnostic>, DatabaseError> {
    let checks: Vec<StateCheck> = checks.cloned().collect();
    let mut problems = vec![];
    for checks in checks.chunks(QUESTIONS) {
        let answers = database.query_text(&StateCheck::query(checks), Instant::now() + TIME_LIMIT).await?;
        let answers: Vec<Option<String>> = serde_json::from_str(&answers)
            .map_err(|error| DatabaseError::Protocol(format!("answers that are no list of texts: {error}")))?;
        let answered = checks.iter().zip(answers);
        problems.extend(answered.filter_map(|(check, answer)| Some(check.problem(&answer?))));
    }
    Ok(problems)
}

/// The parameter types of rules with equal SQL.
fn parameters<'r>(rules: &[&'r RuleCheck]) -> &'r [Oid] {
    rules.first().map(|rule| rule.parameters.as_slice()).unwrap_or_default()
}

async fn check_lane(database: &Database, batches: &[&[Vec<&RuleCheck>]]) -> Result<Vec<Diagnostic>, DatabaseError> {
    let client = database.admin_client(Instant::now() + TIME_LIMIT).await?;
    let checked = stream::iter(batches).map(async |batch| check_batch(&client, batch).await);
    let checked = checked.buffered(IN_FLIGHT).try_collect::<Vec<Vec<Diagnostic>>>().await;
    Ok(checked.map_err(|error| DatabaseError::of(&error, TIME_LIMIT))?.into_iter().flatten().collect())
}

/// Prepares one statement for all rules: `SELECT WHERE EXISTS (…) OR EXISTS (…)`. If Postgres rejects it, prepares each
/// rule alone to find those with errors.
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
        let Some(rule) = same.first() else { continue };
        match client.prepare(&rule.sql).await {
            Ok(_) => {}
            Err(error) if error.as_db_error().is_some() => problems.extend(diagnostics(same, &error)),
            Err(error) => return Err(error),
        }
    }
    Ok(problems)
}

/// Makes the diagnostics of rules with equal SQL from Postgres' message, for the author of the permission file.
fn diagnostics(rules: &[&RuleCheck], error: &tokio_postgres::Error) -> Vec<Diagnostic> {
    let Some(db_error) = error.as_db_error() else { return vec![] };
    let position = match db_error.position() {
        Some(ErrorPosition::Original(position)) => Some(*position),
        _ => None,
    };
    let hint = db_error.hint().filter(|_| *db_error.code() != SqlState::UNDEFINED_FUNCTION);
    rules.iter().flat_map(|rule| rule.problems(db_error.message(), position, hint)).collect()
}

/// Compiles a permission file and prepares its rules, except those that were prepared before; reports the diagnostics
/// of both together.
pub async fn compile_checked(
    database: &Database,
    file: Option<ParsedFile>,
    catalog: Arc<Catalog>,
    defaults: Defaults,
    prepared: &PreparedRules,
) -> Result<Permissions, LoadError> {
    let Some(parsed) = file else {
        return spawn_blocking(move || Ok(permissions::allow_all_with(catalog, defaults))).await;
    };
    let file = parsed.source().clone();
    let attempt = spawn_blocking(move || Ok(parsed.compile(catalog, defaults)));
    let CompileOutcome { permissions, mut problems } = attempt.await?;
    if let Some(permissions) = &permissions {
        let rules = PreparedRules::digested(permissions.model.catalog(), &permissions.rules);
        let refused = check_rules(database, &prepared.unknown(&rules)).await?;
        if refused.is_empty() {
            prepared.replace(&rules);
        }
        problems.extend(refused);
        problems.extend(check_state(database, permissions.states.iter().filter(|check| check.is_fault)).await?);
    }
    if !problems.is_empty() {
        let user = database.query_text("SELECT quote_ident(current_user)", Instant::now() + TIME_LIMIT).await?;
        problems = problems.into_iter().map(|problem| problem.with_database_user(&user)).collect();
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
    /// Reads the catalog, compiles the permission file and checks its rules, except those that were prepared before.
    pub async fn load(
        database: &Database,
        file: Option<&SourceFile>,
        plans: PlanCache,
        defaults: Defaults,
        prepared: &PreparedRules,
    ) -> Result<Engine, LoadError> {
        let has_file = file.is_some();
        let (catalog, file) = read_catalog(database, file).await?;
        let catalog = Arc::new(catalog);
        database.pin_search_path(&catalog.search_path);
        let mut permissions = compile_checked(database, file, catalog.clone(), defaults, prepared).await?;
        // The rules' SQL takes as much memory as the compiled permissions and is needed only for the check.
        permissions.rules = Vec::new();
        permissions.states = Vec::new();
        Ok(Engine { catalog, permissions, plans, schemas: IntrospectionCache::default(), has_file })
    }

    /// The limits of each role from the settings and their table of limits. A role in the table that the permission
    /// file does not name is an error.
    pub fn bounds(
        &self,
        config: &Config,
        table: &LimitsConfig,
        metrics: &Metrics,
    ) -> Result<LimitsByRole, ConfigError> {
        table.check(config, |role| self.permissions.role(role).is_some())?;
        let known = self.permissions.roles().map(|access| access.role());
        Ok(LimitsByRole::new(&config.limits(), table, known, metrics))
    }

    /// The caller's access, by role and by whether the caller is a backend. A role that the permission file does not
    /// name may do nothing.
    pub fn access(&self, session: &Session) -> Arc<Access> {
        match self.permissions.role_as(session.role(), session.backend_only()) {
            Some(access) => access.clone(),
            None => Arc::new(Access::new(session.role(), self.permissions.model.clone(), HashMap::new())),
        }
    }
}

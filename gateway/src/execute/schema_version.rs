//! The state that requests are translated with: catalog, permissions and caches of one version.
//! Loads it from the database and the permission file; a reload makes a new one.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use permissions::{
    CompileOutcome, Defaults, Diagnostic, LeftOut, ParsedFile, Permissions, RuleCheck, SourceFile,
    StateCheck,
};
use pg::{Database, DatabaseError};
use sha2::{Digest, Sha256};
use sql::model::access::Access;
use sql::postgres::catalog::Catalog;
use tokio::sync::mpsc::{self, UnboundedSender};
use tokio::time::{Duration, Instant};
use tokio_postgres::error::SqlState;

use crate::auth::session::Session;
use crate::config::{Config, ConfigError};
use crate::execute::clock_literals::moment_type;
use crate::execute::plan_cache::PlanCache;
use crate::execute::prepared_rules::PreparedRules;
use crate::execute::rule_preparation::{self, Batch, RuleQueue};
use crate::execute::schema_types::SchemaTypes;
use crate::limits::{LimitsByRole, LimitsConfig};
use crate::telemetry::metrics::Metrics;

/// Catalog, permissions and translation caches of one version.
#[derive(Debug)]
pub struct SchemaVersion {
    /// The database's catalog.
    pub catalog: Arc<Catalog>,
    /// The digest of the text that the catalog was read from.
    pub catalog_digest: CatalogDigest,
    /// The permissions of each role.
    pub permissions: Permissions,
    /// Documents and plans that were translated before.
    pub plans: PlanCache,
    /// The types of schemas that were introspected before.
    pub schema_types: SchemaTypes,
    /// Whether there is a permission file. Without one only callers with the admin secret have
    /// access.
    pub has_file: bool,
}

/// The SHA-256 of the text that a catalog is read from. Another one means that the database may
/// have changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CatalogDigest([u8; 32]);

/// What a version does with parts of the files that do not fit the database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Misfits {
    /// They are errors: at a start, and at a reload that a person asks for.
    Refuse,
    /// They are left out: at a reload that the gateway starts itself, because the database has
    /// changed.
    LeaveOut,
}

/// Why a version could not be loaded.
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
    /// The blocking task ended without a result, after a panic or because the process is shutting
    /// down.
    #[error("the work was given up")]
    Abandoned,
}

/// The time limit of each query that loads the catalog or checks rules.
const TIME_LIMIT: Duration = Duration::from_secs(60);

/// The code of faults about privileges that the database user lacks.
const NO_PRIVILEGE: &str = "no-privilege";

/// The statements that give the database user what it lacks beside privileges on tables: use of
/// their schemas and sequences, and the same for tables that their owners create later.
const SCHEMA_PRIVILEGES: &str = "
SELECT coalesce(string_agg(d.text, E'\\n' ORDER BY d.step, d.text), '')
FROM (
SELECT DISTINCT s.step, s.text
FROM (
  SELECT DISTINCT n.oid, n.nspname, o.rolname
  FROM pg_catalog.pg_class c
  JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
  JOIN pg_catalog.pg_roles o ON o.oid = c.relowner
  WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND n.nspname !~ '^pg_' AND n.nspname NOT IN ('information_schema', 'postern')
    AND NOT has_table_privilege(c.oid, 'SELECT')
) AS t,
LATERAL (
  SELECT 1 AS step, format('GRANT USAGE ON SCHEMA %I TO %I;', t.nspname, current_user) AS text
  WHERE NOT has_schema_privilege(t.oid, 'USAGE')
  UNION
  SELECT 2, format('GRANT USAGE ON ALL SEQUENCES IN SCHEMA %I TO %I;', t.nspname, current_user)
  UNION
  SELECT 3, format('ALTER DEFAULT PRIVILEGES FOR ROLE %I IN SCHEMA %I GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO %I;',
                   t.rolname, t.nspname, current_user)
  UNION
  SELECT 4, format('ALTER DEFAULT PRIVILEGES FOR ROLE %I IN SCHEMA %I GRANT USAGE ON SEQUENCES TO %I;',
                   t.rolname, t.nspname, current_user)
) AS s
) AS d";

/// How many questions about the state of the database one statement asks.
const CHECKS_PER_STATEMENT: usize = 100;

/// Reads the catalog of a database.
pub async fn catalog(database: &Database) -> Result<Catalog, LoadError> {
    Ok(catalog_with_digest(database).await?.0)
}

async fn catalog_with_digest(database: &Database) -> Result<(Catalog, CatalogDigest), LoadError> {
    let document = catalog_text(database).await?;
    spawn_blocking(move || {
        Ok((
            Catalog::decode(&document)?,
            CatalogDigest::from_text(&document),
        ))
    })
    .await
}

async fn catalog_text(database: &Database) -> Result<String, DatabaseError> {
    database
        .query_text(sql::postgres::catalog::QUERY, Instant::now() + TIME_LIMIT)
        .await
}

impl CatalogDigest {
    fn from_text(text: &str) -> CatalogDigest {
        CatalogDigest(Sha256::digest(text.as_bytes()).into())
    }

    /// The digest of the catalog as it is now.
    pub async fn read(database: &Database) -> Result<CatalogDigest, DatabaseError> {
        Ok(CatalogDigest::from_text(&catalog_text(database).await?))
    }
}

/// Runs work that is slow with many tables on a blocking thread, so that requests do not wait for
/// it.
async fn spawn_blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, LoadError> + Send + 'static,
) -> Result<T, LoadError> {
    tokio::task::spawn_blocking(work)
        .await
        .map_err(|_| LoadError::Abandoned)?
}

/// Reads the permission file, and the catalog with the values of the enum tables that the file
/// names. The file is read while Postgres runs the statement of the catalog.
pub async fn read_catalog(
    database: &Database,
    file: Option<&SourceFile>,
) -> Result<(Catalog, Option<ParsedFile>), LoadError> {
    let (catalog, _, file) = read_catalog_with_digest(database, file).await?;
    Ok((catalog, file))
}

async fn read_catalog_with_digest(
    database: &Database,
    file: Option<&SourceFile>,
) -> Result<(Catalog, CatalogDigest, Option<ParsedFile>), LoadError> {
    let ((mut catalog, digest), file) =
        tokio::try_join!(catalog_with_digest(database), read_file(file.cloned()))?;
    if let Some(query) = file.as_ref().and_then(|file| file.enum_query(&catalog)) {
        let values = database
            .query_text(&query, Instant::now() + TIME_LIMIT)
            .await?;
        catalog.take_enum_values(&values)?;
    }
    Ok((catalog, digest, file))
}

async fn read_file(file: Option<SourceFile>) -> Result<Option<ParsedFile>, LoadError> {
    match file {
        None => Ok(None),
        Some(file) => spawn_blocking(move || Ok(Some(ParsedFile::read(file)))).await,
    }
}

/// Compiles a permission file. Without one the admin may do everything.
pub fn compile(
    file: Option<&SourceFile>,
    catalog: Arc<Catalog>,
    defaults: Defaults,
) -> Result<Permissions, LoadError> {
    match file {
        None => Ok(permissions::allow_all_with(catalog, defaults)),
        Some(file) => permissions::compile_with(file, catalog, defaults).map_err(|problems| {
            LoadError::Permissions {
                problems,
                file: file.clone(),
            }
        }),
    }
}

/// Checks the types of masks: a text mask on a column of another type would fail when the first row
/// is read.
async fn check_masks(
    database: &Database,
    rules: &[RuleCheck],
) -> Result<Vec<Diagnostic>, DatabaseError> {
    let mut masks = rules
        .iter()
        .filter_map(|rule| Some((rule, rule.mask.as_ref()?)))
        .peekable();
    if masks.peek().is_none() {
        return Ok(vec![]);
    }
    let client = database.admin_client(Instant::now() + TIME_LIMIT).await?;
    let mut problems = vec![];
    for (rule, mask) in masks {
        let refused = match client.prepare(&mask.joined).await {
            Ok(_) => false,
            Err(error) if error.as_db_error().is_none() => {
                return Err(DatabaseError::from_driver(&error, TIME_LIMIT));
            }
            Err(error) => error.code() == Some(&SqlState::DATATYPE_MISMATCH),
        };
        if refused && let Ok(plain) = client.prepare(&mask.plain).await {
            let found = plain
                .columns()
                .first()
                .map_or("unknown", |column| column.type_().name());
            if matches!(
                found,
                "text" | "varchar" | "bpchar" | "name" | "json" | "jsonb"
            ) {
                problems.extend(rule.mask_type_problems(found));
            }
        }
    }
    Ok(problems)
}

/// Checks that no literal of a rule is the moment at which Postgres parses the statement.
async fn check_clock_literals(
    database: &Database,
    rules: &[RuleCheck],
) -> Result<Vec<Diagnostic>, DatabaseError> {
    let mut problems = vec![];
    let literals = |rule: &RuleCheck| rule.clock_literals();
    for (rule, literals) in rules
        .iter()
        .map(|rule| (rule, literals(rule)))
        .filter(|(_, found)| !found.is_empty())
    {
        let client = database.admin_client(Instant::now() + TIME_LIMIT).await?;
        for literal in literals {
            let found = moment_type(&client, &literal, rule.parameters.len()).await;
            if let Some(name) =
                found.map_err(|error| DatabaseError::from_driver(&error, TIME_LIMIT))?
            {
                problems.extend(rule.clock_problems(&literal, &name));
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
    for checks in checks.chunks(CHECKS_PER_STATEMENT) {
        let responses = database
            .query_text(&StateCheck::query(checks), Instant::now() + TIME_LIMIT)
            .await?;
        let all_responses: Vec<Option<String>> =
            serde_json::from_str(&responses).map_err(|error| {
                DatabaseError::Protocol(format!("answers that are no list of texts: {error}"))
            })?;
        let answered = checks.iter().zip(all_responses);
        problems.extend(answered.filter_map(|(check, response)| Some(check.problem(&response?))));
    }
    Ok(problems)
}

/// Compiles a permission file and queues its rules, except those that were `accepted` before, while
/// it is still being compiled. Returns the digests of all rules, too.
fn compile_and_queue(
    file: ParsedFile,
    catalog: &Arc<Catalog>,
    defaults: Defaults,
    accepted: Arc<HashSet<u64>>,
    full: UnboundedSender<Batch>,
) -> (CompileOutcome, HashSet<u64>) {
    let mut queue = RuleQueue::new(catalog, accepted, full);
    let outcome = file.compile_with_checks(catalog.clone(), defaults, &mut |rule| queue.add(rule));
    (outcome, queue.finish())
}

/// Compiles a permission file and prepares its rules, except those that were prepared before;
/// reports the diagnostics of both together.
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
    let accepted = prepared.digests();
    let (full, batches) = mpsc::unbounded_channel();
    let compiling = spawn_blocking(move || {
        Ok(compile_and_queue(
            parsed, &catalog, defaults, accepted, full,
        ))
    });
    let preparing = async { Ok(rule_preparation::prepare(database, batches).await?) };
    let ((outcome, digests), refused) = tokio::try_join!(compiling, preparing)?;
    let CompileOutcome {
        permissions,
        mut problems,
    } = outcome;
    if let Some(permissions) = &permissions {
        let mut of_rules = rule_preparation::diagnostics(database, permissions, &refused).await?;
        of_rules.extend(check_masks(database, &permissions.rules).await?);
        of_rules.extend(check_clock_literals(database, &permissions.rules).await?);
        database.close_idle_admin();
        if of_rules.is_empty() {
            prepared.replace(digests);
        }
        problems.extend(of_rules);
        problems.extend(
            check_state(
                database,
                permissions.states.iter().filter(|check| check.is_fault),
            )
            .await?,
        );
    }
    if !problems.is_empty() {
        let user = database
            .query_text(
                "SELECT quote_ident(current_user)",
                Instant::now() + TIME_LIMIT,
            )
            .await?;
        problems = problems
            .into_iter()
            .map(|problem| problem.with_database_user(&user))
            .collect();
        let is_about_privileges = |problem: &Diagnostic| problem.code() == NO_PRIVILEGE;
        if let Some(first) = problems.iter().position(is_about_privileges) {
            let statements = database
                .query_text(SCHEMA_PRIVILEGES, Instant::now() + TIME_LIMIT)
                .await?;
            let problem = problems.remove(first);
            problems.insert(first, problem.more_help(&statements));
        }
    }
    match permissions {
        Some(permissions) if problems.is_empty() => Ok(permissions),
        _ => {
            permissions::sort(&mut problems);
            Err(LoadError::Permissions { problems, file })
        }
    }
}

/// [`compile_checked`] without the parts of the file that do not fit the database. Returns their
/// problems, too.
async fn compile_fitting(
    database: &Database,
    mut file: Option<ParsedFile>,
    catalog: Arc<Catalog>,
    defaults: Defaults,
    prepared: &PreparedRules,
) -> Result<(Permissions, Vec<Diagnostic>), LoadError> {
    let mut left_out = LeftOut::default();
    let mut misfits = vec![];
    // What is left out may be used by other parts, which do not fit then. Each round leaves out
    // more of the file.
    loop {
        match compile_checked(database, file, catalog.clone(), defaults, prepared).await {
            Ok(permissions) => return Ok((permissions, misfits)),
            Err(LoadError::Permissions {
                problems,
                file: source,
            }) if left_out.add(&source, &problems) => {
                misfits.extend(problems);
                let left_out = left_out.clone();
                file =
                    spawn_blocking(move || Ok(Some(ParsedFile::read_without(source, &left_out))))
                        .await?;
            }
            Err(error) => return Err(error),
        }
    }
}

/// A version that was loaded, and what only its checks need.
#[derive(Debug)]
pub struct LoadedSchema {
    /// The version.
    pub schema: SchemaVersion,
    /// The problems of what was left out of the permission file.
    pub left_out: Vec<Diagnostic>,
    /// The rules, with their SQL.
    pub rules: Vec<RuleCheck>,
    /// Questions about the state of the database.
    pub states: Vec<StateCheck>,
}

impl SchemaVersion {
    /// Reads the catalog, compiles the permission file and checks its rules, except those that were
    /// prepared before.
    pub async fn load(
        database: &Database,
        file: Option<&SourceFile>,
        plans: PlanCache,
        defaults: Defaults,
        prepared: &PreparedRules,
    ) -> Result<SchemaVersion, LoadError> {
        let loaded =
            SchemaVersion::load_fitting(database, file, plans, defaults, prepared, Misfits::Refuse)
                .await?;
        Ok(loaded.schema)
    }

    /// [`SchemaVersion::load`], perhaps without the parts of the file that do not fit the database.
    pub async fn load_fitting(
        database: &Database,
        file: Option<&SourceFile>,
        plans: PlanCache,
        defaults: Defaults,
        prepared: &PreparedRules,
        misfits: Misfits,
    ) -> Result<LoadedSchema, LoadError> {
        let has_file = file.is_some();
        let (catalog, catalog_digest, file) = read_catalog_with_digest(database, file).await?;
        let catalog = Arc::new(catalog);
        database.pin_search_path(&catalog.search_path);
        let (mut permissions, left_out) = match misfits {
            Misfits::Refuse => (
                compile_checked(database, file, catalog.clone(), defaults, prepared).await?,
                vec![],
            ),
            Misfits::LeaveOut => {
                compile_fitting(database, file, catalog.clone(), defaults, prepared).await?
            }
        };
        let rules = std::mem::take(&mut permissions.rules);
        let states = std::mem::take(&mut permissions.states);
        let schema = SchemaVersion {
            catalog,
            catalog_digest,
            permissions,
            plans,
            schema_types: SchemaTypes::default(),
            has_file,
        };
        Ok(LoadedSchema {
            schema,
            left_out,
            rules,
            states,
        })
    }

    /// The limits of each role from the settings and their table of limits. A role in the table
    /// that the permission file does not name is an error.
    pub fn bounds(
        &self,
        config: &Config,
        table: &LimitsConfig,
        metrics: &Metrics,
    ) -> Result<LimitsByRole, ConfigError> {
        table.check(config, |role| self.permissions.role(role).is_some())?;
        Ok(self.bounds_of_known(config, table, metrics))
    }

    /// [`SchemaVersion::bounds`], whatever roles the table has.
    pub fn bounds_of_known(
        &self,
        config: &Config,
        table: &LimitsConfig,
        metrics: &Metrics,
    ) -> LimitsByRole {
        let known = self.permissions.roles().map(|access| access.role());
        LimitsByRole::new(&config.limits(), table, known, metrics)
    }

    /// The caller's access, by role and by whether the caller is a backend. A role that the
    /// permission file does not name may do nothing.
    pub fn access(&self, session: &Session) -> Arc<Access> {
        match self
            .permissions
            .role_as(session.role(), session.backend_only())
        {
            Some(access) => access.clone(),
            None => Arc::new(Access::new(
                session.role(),
                self.permissions.model.clone(),
                HashMap::new(),
            )),
        }
    }
}

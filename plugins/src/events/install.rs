//! Installs the triggers that write events. Each operation of an event trigger is a trigger after
//! the row, with a function of its own ([`super::definition`]). The comment of each function is a
//! digest of its definition, by which an installed one is recognized.
//!
//! Each table is changed in a transaction of its own that waits a short time for the table's lock:
//! whoever writes to the table waits behind that lock. A table that another transaction holds is
//! tried again later, while the gateway serves.
//!
//! Postgres copies the triggers of a partitioned table to its partitions, but not those of a table
//! to the tables that inherit from it (`INHERITS`). These get triggers of their own, with a
//! function whose rows have the columns of the parent.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use sql::postgres::types::quoted;
use tokio::time::Instant;
use tokio_postgres::Client;
use tokio_postgres::error::SqlState;

use super::definition::{child_function_name, function_name};
use super::trigger::{Capture, TableName};
use super::worker::{Version, Versions};
use gateway::migrations;

/// The key of the advisory lock under which triggers are installed. The number is arbitrary.
const INSTALL_LOCK_KEY: i64 = 0x0070_6f73_7465_7276;

/// How long a transaction waits for its tables. All who write to them wait behind it for as long.
/// Postgres cancels an autovacuum that is in the way after `deadlock_timeout`, usually one second.
const LOCK_TIMEOUT: &str = "2s";

/// The pause between two attempts on tables that others hold.
const RETRY_INTERVAL: Duration = Duration::from_secs(5);

/// How long a connection for an attempt is waited for.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// The triggers that are installed, and the digests of their functions. Partitions have copies,
/// which Postgres keeps.
const INSTALLED: &str = "
SELECT t.tgname::text, n.nspname::text, c.relname::text,
       CASE WHEN t.tgenabled <> 'D' THEN pg_catalog.obj_description(t.tgfoid, 'pg_proc') END
FROM pg_catalog.pg_trigger t
JOIN pg_catalog.pg_class c ON c.oid = t.tgrelid
JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE NOT t.tgisinternal AND t.tgparentid = 0 AND t.tgname LIKE 'postern\\_event\\_%'";

/// The outcome of an installation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Installation {
    /// Triggers that were created or changed.
    pub installed: usize,
    /// Triggers that were removed, because the files no longer have them.
    pub removed: usize,
}

/// The tables that inherit from a table, directly or through others, with the columns that they
/// have from it and whether the database user may create triggers on them.
const CHILDREN: &str = "
WITH RECURSIVE child AS (
  SELECT w.schema, w.name, i.inhrelid AS oid
  FROM unnest($1::text[], $2::text[]) AS w (schema, name)
  JOIN pg_catalog.pg_namespace n ON n.nspname = w.schema
  JOIN pg_catalog.pg_class c ON c.relnamespace = n.oid AND c.relname = w.name AND c.relkind IN ('r', 'f')
  JOIN pg_catalog.pg_inherits i ON i.inhparent = c.oid
  UNION
  SELECT k.schema, k.name, i.inhrelid FROM child k JOIN pg_catalog.pg_inherits i ON i.inhparent = k.oid
)
SELECT k.schema, k.name, n.nspname::text, c.relname::text, pg_catalog.pg_has_role(c.relowner, 'USAGE'),
       ARRAY(SELECT a.attname::text FROM pg_catalog.pg_attribute a
             WHERE a.attrelid = format('%I.%I', k.schema, k.name)::regclass AND a.attnum > 0 AND NOT a.attisdropped
             ORDER BY a.attnum)
FROM child k
JOIN pg_catalog.pg_class c ON c.oid = k.oid
JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE c.relpersistence <> 't' ORDER BY 1, 2, 3, 4";

/// The sessions that hold locks on tables or on their partitions.
const HOLDERS: &str = "
SELECT DISTINCT l.pid, coalesce(a.application_name, ''), coalesce(a.state, ''),
       coalesce(extract(epoch FROM now() - a.xact_start), 0)::int8
FROM unnest($1::text[], $2::text[]) AS w (schema, name)
JOIN pg_catalog.pg_namespace n ON n.nspname = w.schema
JOIN pg_catalog.pg_class c ON c.relnamespace = n.oid AND c.relname = w.name
CROSS JOIN LATERAL (SELECT c.oid UNION SELECT p.relid::oid FROM pg_catalog.pg_partition_tree(c.oid) p) r
JOIN pg_catalog.pg_locks l ON l.locktype = 'relation' AND l.relation = r.oid AND l.granted
 AND l.database = (SELECT d.oid FROM pg_catalog.pg_database d WHERE d.datname = current_database())
LEFT JOIN pg_catalog.pg_stat_activity a ON a.pid = l.pid
WHERE l.pid <> pg_catalog.pg_backend_pid()
ORDER BY 4 DESC, 1 LIMIT 5";

/// A trigger in the database.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Installed {
    name: String,
    schema: String,
    table: String,
    digest: Option<String>,
}

/// The triggers that the files want, and the ones in the database.
struct Changes {
    /// The changes, divided by table.
    steps: Vec<Step>,
    /// Tables that inherit from the table of a trigger and have none, because another role owns
    /// them, or because they are newer than the trigger.
    without_trigger: BTreeSet<TableName>,
}

/// Changes that are made in one transaction: those of a table, and of the tables whose triggers
/// share a function with its own.
#[derive(Default)]
struct Step {
    tables: BTreeSet<TableName>,
    installation: Installation,
    /// The statements that make the installed triggers the wanted ones.
    script: String,
}

/// What one attempt has installed, and the tables that others held.
#[derive(Debug, Default)]
pub(super) struct Attempt {
    pub(super) installation: Installation,
    pub(super) blocked: Vec<BlockedTables>,
}

/// Tables whose triggers could not be installed, because their locks were held.
#[derive(Debug)]
pub(super) struct BlockedTables {
    tables: String,
    /// The sessions that held the locks, as text.
    holders: String,
}

/// Whether an attempt goes on with other tables after one that is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WhenBlocked {
    /// It ends, so that a start takes no longer than one lock timeout.
    Stop,
    Continue,
}

/// What an installation may change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scope {
    /// All tables that the database user owns.
    Own,
    /// The tables that the files name.
    Named,
}

/// Installs what is missing, replaces what has changed and removes what is no longer wanted. It
/// locks only the tables that it changes, each in a transaction of its own.
pub(super) async fn install(
    client: &Client,
    captures: &[Capture],
    when_blocked: WhenBlocked,
) -> Result<Attempt, tokio_postgres::Error> {
    let found = changes(client, captures, Scope::Own).await?;
    found.warn();
    let mut attempt = Attempt::default();
    for step in found.steps {
        match install_step(client, captures, &step.tables).await {
            Ok(installation) => attempt.installation.add(installation),
            Err(error) if is_blocked(&error) => {
                let blocked = BlockedTables {
                    holders: holders(client, &step.tables).await?,
                    tables: step.tables(),
                };
                tracing::warn!(
                    tables = blocked.tables,
                    holders = blocked.holders,
                    "event triggers wait for a lock: changes raise events as the installed \
                     triggers say"
                );
                attempt.blocked.push(blocked);
                if when_blocked == WhenBlocked::Stop {
                    break;
                }
            }
            Err(error) => return Err(error),
        }
    }
    Ok(attempt)
}

/// Installs the triggers of these tables, unless another gateway has.
async fn install_step(
    client: &Client,
    captures: &[Capture],
    tables: &BTreeSet<TableName>,
) -> Result<Installation, tokio_postgres::Error> {
    let begin = format!(
        "BEGIN; SET LOCAL lock_timeout = '{LOCK_TIMEOUT}'; SELECT \
                         pg_advisory_xact_lock({INSTALL_LOCK_KEY})"
    );
    let outcome = async {
        client.batch_execute(&begin).await?;
        let mut installation = Installation::default();
        let steps = changes(client, captures, Scope::Own)
            .await?
            .steps
            .into_iter();
        for step in steps.filter(|step| !step.tables.is_disjoint(tables)) {
            client.batch_execute(&step.script).await?;
            installation.add(step.installation);
        }
        Ok(installation)
    };
    let outcome = outcome.await;
    client
        .batch_execute(if outcome.is_ok() {
            "COMMIT"
        } else {
            "ROLLBACK"
        })
        .await
        .and(outcome)
}

/// Installs with pauses until no table is held, or until a time.
pub(super) async fn install_until(
    client: &Client,
    captures: &[Capture],
    deadline: Instant,
) -> Result<Attempt, tokio_postgres::Error> {
    let mut installation = Installation::default();
    loop {
        let attempt = install(client, captures, WhenBlocked::Continue).await?;
        installation.add(attempt.installation);
        if attempt.blocked.is_empty() || Instant::now() + RETRY_INTERVAL > deadline {
            return Ok(Attempt {
                installation,
                ..attempt
            });
        }
        tokio::time::sleep(RETRY_INTERVAL).await;
    }
}

/// Installs what others held when a version began, for as long as the gateway runs.
pub(super) async fn run(mut versions: Versions) {
    loop {
        let version = versions.borrow_and_update().clone();
        if let Some(version) = version.filter(|version| version.is_blocked) {
            while !versions.has_changed().unwrap_or(true) && !install_blocked(&version).await {
                tokio::select! {
                    () = tokio::time::sleep(RETRY_INTERVAL) => {}
                    _ = versions.changed() => versions.mark_changed(),
                }
            }
        }
        if versions.changed().await.is_err() {
            return std::future::pending().await;
        }
    }
}

/// Makes one attempt on all tables. Returns whether everything is installed.
async fn install_blocked(version: &Version) -> bool {
    let client = match version
        .database
        .admin_client(Instant::now() + CONNECT_TIMEOUT)
        .await
    {
        Ok(client) => client,
        Err(fault) => {
            tracing::warn!(cause = %fault, "event triggers wait for a connection");
            return false;
        }
    };
    match install(&client, &version.triggers.captures, WhenBlocked::Continue).await {
        Ok(Attempt {
            installation: Installation { installed, removed },
            blocked,
        }) => {
            if installed + removed > 0 {
                tracing::info!(installed, removed, "event triggers in the database");
            }
            blocked.is_empty()
        }
        Err(error) => {
            tracing::error!(cause = %migrations::message(&error), "event triggers cannot be \
                 installed");
            false
        }
    }
}

fn is_blocked(error: &tokio_postgres::Error) -> bool {
    matches!(error.code(), Some(code) if [SqlState::LOCK_NOT_AVAILABLE, SqlState::T_R_DEADLOCK_DETECTED].contains(code))
}

/// `pid 4711 (psql, idle in transaction, for 95 s)`
async fn holders(
    client: &Client,
    tables: &BTreeSet<TableName>,
) -> Result<String, tokio_postgres::Error> {
    let (schemas, names): (Vec<&str>, Vec<&str>) = tables
        .iter()
        .map(|table| (table.schema.as_str(), table.name.as_str()))
        .unzip();
    let rows = client.query(HOLDERS, &[&schemas, &names]).await?;
    let holder = |row: &tokio_postgres::Row| {
        let pid = row.get::<_, i32>(0);
        let application = row.get::<_, &str>(1);
        let state = row.get::<_, &str>(2);
        let application = if application.is_empty() {
            "no application name"
        } else {
            application
        };
        let state = if state.is_empty() {
            "state unknown"
        } else {
            state
        };
        format!(
            "pid {pid} ({application}, {state}, for {} s)",
            row.get::<_, i64>(3)
        )
    };
    match rows.as_slice() {
        [] => Ok("no session any more".to_owned()),
        rows => Ok(rows.iter().map(holder).collect::<Vec<_>>().join(", ")),
    }
}

/// Whether everything is installed as the files say. Tables that inherit from the named ones are no
/// reason to say no.
pub(super) async fn is_current(
    client: &Client,
    captures: &[Capture],
) -> Result<bool, tokio_postgres::Error> {
    let found = changes(client, captures, Scope::Named).await?;
    found.warn();
    Ok(found.steps.is_empty())
}

/// Tables whose rows raise no events, although they inherit from a table whose triggers are
/// installed.
pub(super) async fn without_trigger(
    client: &Client,
    captures: &[Capture],
) -> Result<BTreeSet<TableName>, tokio_postgres::Error> {
    Ok(changes(client, captures, Scope::Named)
        .await?
        .without_trigger)
}

impl Installation {
    fn add(&mut self, other: Installation) {
        self.installed += other.installed;
        self.removed += other.removed;
    }
}

impl Step {
    fn tables(&self) -> String {
        self.tables
            .iter()
            .map(TableName::quoted)
            .collect::<Vec<_>>()
            .join(", ")
    }

    fn join(&mut self, other: Step) {
        self.tables.extend(other.tables);
        self.installation.add(other.installation);
        self.script.push_str(&other.script);
    }
}

impl std::fmt::Display for BlockedTables {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} held by {}", self.tables, self.holders)
    }
}

impl Changes {
    fn warn(&self) {
        for table in &self.without_trigger {
            tracing::warn!(table = %table.quoted(), "rows of a table raise no events of the \
                                                     table that it inherits from");
        }
    }
}

async fn changes(
    client: &Client,
    captures: &[Capture],
    scope: Scope,
) -> Result<Changes, tokio_postgres::Error> {
    let rows = client.query(INSTALLED, &[]).await?;
    let installed: BTreeSet<Installed> = rows
        .iter()
        .map(|row| Installed {
            name: row.get(0),
            schema: row.get(1),
            table: row.get(2),
            digest: row.get(3),
        })
        .collect();
    let children = children(client, captures).await?;
    let of_child = |child: &Child| child.is_own && scope == Scope::Own;
    let own = children
        .iter()
        .filter(|child| of_child(child))
        .map(|child| &child.capture);
    let wanted: Vec<(Installed, &Capture)> = captures
        .iter()
        .chain(own)
        .map(|capture| (Installed::wanted(capture), capture))
        .collect();
    // Triggers of these tables stay as they are.
    let others: Vec<Installed> = children
        .iter()
        .filter(|child| !of_child(child))
        .map(|child| Installed::wanted(&child.capture))
        .collect();
    let is_others = |known: &Installed| others.iter().any(|other| other.is_in_place_of(known));
    let mut by_trigger: BTreeMap<String, Step> = BTreeMap::new();
    for stale in installed
        .iter()
        .filter(|known| !wanted.iter().any(|(wanted, _)| wanted == *known))
    {
        if is_others(stale) {
            continue;
        }
        let table = stale.table();
        let step = by_trigger.entry(stale.name.clone()).or_default();
        step.script.push_str(&format!(
            "DROP TRIGGER {} ON {};\n",
            quoted(&stale.name),
            table.quoted()
        ));
        step.installation.removed +=
            usize::from(!wanted.iter().any(|(wanted, _)| wanted.name == stale.name));
        step.tables.insert(table);
    }
    for (name, step) in &mut by_trigger {
        let functions = [function_name(name), child_function_name(name)];
        for function in functions.iter().filter(|_| step.installation.removed > 0) {
            step.script.push_str(&format!(
                "DROP FUNCTION IF EXISTS postern.{}();\n",
                quoted(function)
            ));
        }
    }
    for (trigger, capture) in wanted
        .iter()
        .filter(|(wanted, _)| !installed.contains(wanted))
    {
        let step = by_trigger.entry(trigger.name.clone()).or_default();
        step.script.push_str(&capture.script());
        step.installation.installed += 1;
        step.tables.insert(trigger.table());
    }
    let is_installed = |name: &str| installed.iter().any(|known| known.name == name);
    let without_trigger = others
        .iter()
        .filter(|other| is_installed(&other.name) && !installed.contains(other));
    let without_trigger = without_trigger.map(Installed::table).collect();
    Ok(Changes {
        steps: by_table(by_trigger.into_values()),
        without_trigger,
    })
}

/// Joins the changes that share a table.
fn by_table(changes: impl Iterator<Item = Step>) -> Vec<Step> {
    changes.fold(Vec::new(), |steps, mut step| {
        let shares_table = |known: &Step| !known.tables.is_disjoint(&step.tables);
        let (shared, mut steps): (Vec<Step>, Vec<Step>) = steps.into_iter().partition(shares_table);
        shared.into_iter().for_each(|known| step.join(known));
        steps.push(step);
        steps
    })
}

/// A trigger on a table that inherits from the one that a file names.
struct Child {
    capture: Capture,
    /// Whether the database user may create and drop it.
    is_own: bool,
}

/// The triggers on tables that inherit.
async fn children(
    client: &Client,
    captures: &[Capture],
) -> Result<Vec<Child>, tokio_postgres::Error> {
    let tables: BTreeSet<&TableName> = captures.iter().map(|capture| &capture.table).collect();
    let (schemas, names): (Vec<&str>, Vec<&str>) = tables
        .iter()
        .map(|table| (table.schema.as_str(), table.name.as_str()))
        .unzip();
    let mut inheriting: BTreeMap<TableName, Vec<(TableName, bool, Vec<String>)>> = BTreeMap::new();
    for row in client.query(CHILDREN, &[&schemas, &names]).await? {
        let parent = TableName {
            schema: row.get(0),
            name: row.get(1),
        };
        let child = TableName {
            schema: row.get(2),
            name: row.get(3),
        };
        inheriting
            .entry(parent)
            .or_default()
            .push((child, row.get(4), row.get(5)));
    }
    let of_capture = |capture: &Capture| {
        let children = inheriting.get(&capture.table).into_iter().flatten();
        let children = children.map(|(table, is_own, columns)| Child {
            capture: capture.inherited(table, columns),
            is_own: *is_own,
        });
        children.collect::<Vec<_>>()
    };
    Ok(captures.iter().flat_map(of_capture).collect())
}

impl Installed {
    /// The trigger that a capture wants.
    fn wanted(capture: &Capture) -> Installed {
        let TableName { schema, name } = &capture.table;
        let digest = Some(capture.digest());
        Installed {
            name: capture.trigger_name(),
            schema: schema.clone(),
            table: name.clone(),
            digest,
        }
    }

    fn table(&self) -> TableName {
        TableName {
            schema: self.schema.clone(),
            name: self.table.clone(),
        }
    }

    /// Whether both are the trigger of one name on one table.
    fn is_in_place_of(&self, other: &Installed) -> bool {
        (&self.name, &self.schema, &self.table) == (&other.name, &other.schema, &other.table)
    }
}

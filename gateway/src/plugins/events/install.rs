//! Installs the triggers that write events. Each operation of an event trigger is a trigger after the row, with a
//! function of its own whose statement is fixed, so that an event costs little more than the insert of its row:
//!
//! ```sql
//! CREATE TRIGGER "postern_event_update_moved" AFTER UPDATE ON "public"."orders" FOR EACH ROW
//!   WHEN (pg_catalog.record_image_ne(ROW(OLD."place"), ROW(NEW."place")))
//!   EXECUTE FUNCTION postern."event_update_moved"()
//! ```
//!
//! The comment of each function is a digest of its definition, by which an installed one is recognized.
//!
//! Postgres copies the triggers of a partitioned table to its partitions, but not those of a table to the tables that
//! inherit from it (`INHERITS`). These get triggers of their own, with a function whose rows have the columns of the
//! parent.

use std::collections::{BTreeMap, BTreeSet};

use sha2::{Digest, Sha256};
use sql::postgres::types::quoted;
use tokio_postgres::Client;

use super::idle::{CHANNEL, IS_IDLE};
use super::trigger::{Capture, CaptureOperation, TableName};

/// The prefix of the names of triggers.
const PREFIX: &str = "postern_event_";

/// The key of the advisory lock under which triggers are installed. The number is arbitrary.
const LOCK: i64 = 0x0070_6f73_7465_7276;

/// The most columns of an object that a function call makes: Postgres' functions have at most 100 arguments.
const MOST_COLUMNS: usize = 50;

/// The triggers that are installed, and the digests of their functions. Partitions have copies, which Postgres keeps.
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

/// The tables that inherit from a table, directly or through others, with the columns that they have from it and
/// whether the database user may create triggers on them.
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
    installation: Installation,
    /// The statements that make the installed triggers the wanted ones.
    script: String,
    /// Tables that inherit from the table of a trigger and have none, because another role owns them, or because they
    /// are newer than the trigger.
    without_trigger: BTreeSet<TableName>,
}

/// What an installation may change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scope {
    /// All tables that the database user owns.
    Own,
    /// The tables that the files name.
    Named,
}

/// Installs what is missing, replaces what has changed and removes what is no longer wanted, in one transaction. It
/// locks only the tables that it changes, and waits at most some seconds for them.
pub(super) async fn install(client: &Client, captures: &[Capture]) -> Result<Installation, tokio_postgres::Error> {
    let found = changes(client, captures, Scope::Own).await?;
    found.warn();
    if found.script.is_empty() {
        return Ok(Installation::default());
    }
    let begin = format!("BEGIN; SET LOCAL lock_timeout = '10s'; SELECT pg_advisory_xact_lock({LOCK})");
    client.batch_execute(&begin).await?;
    let outcome = async {
        let Changes { installation, script, .. } = changes(client, captures, Scope::Own).await?;
        client.batch_execute(&script).await?;
        Ok(installation)
    };
    let outcome = outcome.await;
    client.batch_execute(if outcome.is_ok() { "COMMIT" } else { "ROLLBACK" }).await.and(outcome)
}

/// Whether everything is installed as the files say. Tables that inherit from the named ones are no reason to say no.
pub(super) async fn is_current(client: &Client, captures: &[Capture]) -> Result<bool, tokio_postgres::Error> {
    let found = changes(client, captures, Scope::Named).await?;
    found.warn();
    Ok(found.installation == Installation::default())
}

/// Tables whose rows raise no events, although they inherit from a table whose triggers are installed.
pub(super) async fn without_trigger(
    client: &Client,
    captures: &[Capture],
) -> Result<BTreeSet<TableName>, tokio_postgres::Error> {
    Ok(changes(client, captures, Scope::Named).await?.without_trigger)
}

impl Changes {
    fn warn(&self) {
        for table in &self.without_trigger {
            tracing::warn!(table = %table.quoted(), "rows of a table raise no events of the table that it inherits from");
        }
    }
}

async fn changes(client: &Client, captures: &[Capture], scope: Scope) -> Result<Changes, tokio_postgres::Error> {
    let rows = client.query(INSTALLED, &[]).await?;
    let installed: BTreeSet<Installed> = rows
        .iter()
        .map(|row| Installed { name: row.get(0), schema: row.get(1), table: row.get(2), digest: row.get(3) })
        .collect();
    let children = children(client, captures).await?;
    let of_child = |child: &Child| child.is_own && scope == Scope::Own;
    let own = children.iter().filter(|child| of_child(child)).map(|child| &child.capture);
    let wanted: Vec<(Installed, &Capture)> =
        captures.iter().chain(own).map(|capture| (capture.wanted(), capture)).collect();
    // Triggers of these tables stay as they are.
    let others: Vec<Installed> =
        children.iter().filter(|child| !of_child(child)).map(|child| child.capture.wanted()).collect();
    let is_others = |known: &Installed| others.iter().any(|other| other.is_in_place_of(known));
    let (mut installation, mut script, mut unused) = (Installation::default(), String::new(), BTreeSet::new());
    for stale in installed.iter().filter(|known| !wanted.iter().any(|(wanted, _)| wanted == *known)) {
        if is_others(stale) {
            continue;
        }
        let Installed { name, schema, table, .. } = stale;
        script.push_str(&format!("DROP TRIGGER {} ON {}.{};\n", quoted(name), quoted(schema), quoted(table)));
        if !wanted.iter().any(|(wanted, _)| wanted.name == *name) {
            unused.extend([function_name(name), child_function_name(name)]);
            installation.removed += 1;
        }
    }
    for function in unused {
        script.push_str(&format!("DROP FUNCTION IF EXISTS postern.{}();\n", quoted(&function)));
    }
    for (_, capture) in wanted.iter().filter(|(wanted, _)| !installed.contains(wanted)) {
        script.push_str(&capture.script());
        installation.installed += 1;
    }
    let is_installed = |name: &str| installed.iter().any(|known| known.name == name);
    let without_trigger = others.iter().filter(|other| is_installed(&other.name) && !installed.contains(other));
    let table = |other: &Installed| TableName { schema: other.schema.clone(), name: other.table.clone() };
    Ok(Changes { installation, script, without_trigger: without_trigger.map(table).collect() })
}

/// A trigger on a table that inherits from the one that a file names.
struct Child {
    capture: Capture,
    /// Whether the database user may create and drop it.
    is_own: bool,
}

/// The triggers on tables that inherit.
async fn children(client: &Client, captures: &[Capture]) -> Result<Vec<Child>, tokio_postgres::Error> {
    let tables: BTreeSet<&TableName> = captures.iter().map(|capture| &capture.table).collect();
    let (schemas, names): (Vec<&str>, Vec<&str>) =
        tables.iter().map(|table| (table.schema.as_str(), table.name.as_str())).unzip();
    let mut inheriting: BTreeMap<TableName, Vec<(TableName, bool, Vec<String>)>> = BTreeMap::new();
    for row in client.query(CHILDREN, &[&schemas, &names]).await? {
        let parent = TableName { schema: row.get(0), name: row.get(1) };
        let child = TableName { schema: row.get(2), name: row.get(3) };
        inheriting.entry(parent).or_default().push((child, row.get(4), row.get(5)));
    }
    let of_capture = |capture: &Capture| {
        let children = inheriting.get(&capture.table).into_iter().flatten();
        let children = children
            .map(|(table, is_own, columns)| Child { capture: capture.inherited(table, columns), is_own: *is_own });
        children.collect::<Vec<_>>()
    };
    Ok(captures.iter().flat_map(of_capture).collect())
}

/// The function of a trigger: `postern_event_insert_x` calls `event_insert_x`.
fn function_name(trigger: &str) -> String {
    format!("event_{}", trigger.strip_prefix(PREFIX).unwrap_or(trigger))
}

/// The function of the triggers on tables that inherit. No name of a trigger contains a full stop.
fn child_function_name(trigger: &str) -> String {
    format!("{}.child", function_name(trigger))
}

impl Installed {
    /// Whether both are the trigger of one name on one table.
    fn is_in_place_of(&self, other: &Installed) -> bool {
        (&self.name, &self.schema, &self.table) == (&other.name, &other.schema, &other.table)
    }
}

impl Capture {
    /// The same capture on a table that inherits these columns. Its rows are those that the parent shows.
    fn inherited(&self, table: &TableName, columns: &[String]) -> Capture {
        let or_all = |named: &Option<Vec<String>>| Some(named.clone().unwrap_or_else(|| columns.to_owned()));
        let operation = match &self.operation {
            CaptureOperation::Update(named) => CaptureOperation::Update(or_all(named)),
            operation => operation.clone(),
        };
        Capture {
            trigger: self.trigger.clone(),
            table: table.clone(),
            operation,
            payload: or_all(&self.payload),
            order_by: self.order_by.clone(),
            is_inherited: true,
        }
    }

    fn function_name(&self) -> String {
        let name = if self.is_inherited { child_function_name } else { function_name };
        name(&self.trigger_name())
    }

    fn wanted(&self) -> Installed {
        let TableName { schema, name } = &self.table;
        // Tables that inherit share a function.
        let trigger = if self.is_inherited { self.condition() } else { self.create_trigger() };
        let definition = self.create_function() + &trigger;
        let digest = Sha256::digest(definition).iter().map(|byte| format!("{byte:02x}")).collect();
        Installed { name: self.trigger_name(), schema: schema.clone(), table: name.clone(), digest: Some(digest) }
    }

    /// At most 63 bytes, as names of triggers have at most 42.
    fn trigger_name(&self) -> String {
        format!("{PREFIX}{}_{}", self.operation.word().to_lowercase(), self.trigger)
    }

    /// The statements that replace the function and create the trigger.
    fn script(&self) -> String {
        let (trigger, wanted) = (self.trigger_name(), self.wanted());
        let (name, table) = (quoted(&trigger), self.table.quoted());
        let function = quoted(&self.function_name());
        format!(
            "{}REVOKE ALL ON FUNCTION postern.{function}() FROM PUBLIC;\n\
             COMMENT ON FUNCTION postern.{function}() IS {};\n\
             DROP TRIGGER IF EXISTS {name} ON {table};\n{}",
            self.create_function(),
            literal(wanted.digest.as_deref().unwrap_or_default()),
            self.create_trigger(),
        )
    }

    fn create_function(&self) -> String {
        let (old, new) = match self.operation {
            CaptureOperation::Insert => ("NULL".to_owned(), self.row("NEW")),
            CaptureOperation::Update(_) => (self.row("OLD"), self.row("NEW")),
            CaptureOperation::Delete => (self.row("OLD"), "NULL".to_owned()),
        };
        let body = format!(
            "BEGIN\n  \
             INSERT INTO postern.event_queue\n    \
             (trigger_name, kind, ordering_key, payload, session_variables, trace_context)\n  \
             VALUES ({}, 'table', {},\n    \
             json_build_object('op', '{}', 'data', json_build_object('old', {old}, 'new', {new})),\n    \
             nullif(current_setting('postern.session', true), '')::json,\n    \
             nullif(current_setting('postern.trace_context', true), '')::json);\n  \
             IF {IS_IDLE} THEN\n    \
             PERFORM pg_notify('{CHANNEL}', '');\n  \
             END IF;\n  \
             RETURN NULL;\nEND",
            literal(&self.trigger),
            self.ordering_key(),
            self.operation.word(),
        );
        format!(
            "CREATE OR REPLACE FUNCTION postern.{}() RETURNS trigger\n\
             LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS {};\n",
            quoted(&self.function_name()),
            literal(&body),
        )
    }

    fn create_trigger(&self) -> String {
        let trigger = self.trigger_name();
        format!(
            "CREATE TRIGGER {} AFTER {} ON {}\nFOR EACH ROW{} EXECUTE FUNCTION postern.{}();\n",
            quoted(&trigger),
            self.operation.word(),
            self.table.quoted(),
            self.condition(),
            quoted(&self.function_name()),
        )
    }

    /// The payload's row, which `json_build_object` makes an object of. A query of the columns costs 2 µs more than a
    /// call.
    fn row(&self, row: &str) -> String {
        match &self.payload {
            None => row.to_owned(),
            Some(columns) if columns.len() <= MOST_COLUMNS => {
                let pair = |column: &String| format!("{}, {row}.{}", literal(column), quoted(column));
                format!("json_build_object({})", columns.iter().map(pair).collect::<Vec<_>>().join(", "))
            }
            Some(columns) => format!("(SELECT r FROM (SELECT {}) r)", of_row(row, columns)),
        }
    }

    /// One column as text, several as a JSON array.
    fn ordering_key(&self) -> String {
        let row = if self.operation == CaptureOperation::Delete { "OLD" } else { "NEW" };
        match self.order_by.as_slice() {
            [] => "NULL".to_owned(),
            [column] => format!("{row}.{}::text", quoted(column)),
            columns => format!("json_build_array({})::text", of_row(row, columns)),
        }
    }

    /// An update fires only if a value has changed. Values are compared as they are stored, because not every type has
    /// an equality.
    fn condition(&self) -> String {
        let (old, new) = match &self.operation {
            CaptureOperation::Insert | CaptureOperation::Delete => return String::new(),
            CaptureOperation::Update(None) => ("OLD".to_owned(), "NEW".to_owned()),
            CaptureOperation::Update(Some(columns)) => {
                (format!("ROW({})", of_row("OLD", columns)), format!("ROW({})", of_row("NEW", columns)))
            }
        };
        format!(" WHEN (pg_catalog.record_image_ne({old}, {new}))")
    }
}

impl TableName {
    pub(super) fn quoted(&self) -> String {
        format!("{}.{}", quoted(&self.schema), quoted(&self.name))
    }
}

impl CaptureOperation {
    fn word(&self) -> &'static str {
        match self {
            CaptureOperation::Insert => "INSERT",
            CaptureOperation::Update(_) => "UPDATE",
            CaptureOperation::Delete => "DELETE",
        }
    }
}

/// `NEW."a", NEW."b"`
fn of_row(row: &str, columns: &[String]) -> String {
    columns.iter().map(|column| format!("{row}.{}", quoted(column))).collect::<Vec<_>>().join(", ")
}

/// A string constant, whatever `standard_conforming_strings` is.
fn literal(text: &str) -> String {
    let doubled = text.replace('\'', "''");
    if doubled.contains('\\') { format!("E'{}'", doubled.replace('\\', "\\\\")) } else { format!("'{doubled}'") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definition_quotes_names() {
        let capture = Capture {
            trigger: "moved".into(),
            table: TableName { schema: "pub".into(), name: "or\"ders".into() },
            operation: CaptureOperation::Update(Some(vec!["pla'ce".into()])),
            payload: Some(vec!["id".into(), "b\\c".into()]),
            order_by: vec!["a".into(), "b".into()],
            is_inherited: false,
        };
        let script = capture.script();
        for part in [
            r#"CREATE OR REPLACE FUNCTION postern."event_update_moved"() RETURNS trigger"#,
            r#"DROP TRIGGER IF EXISTS "postern_event_update_moved" ON "pub"."or""ders";"#,
            r#"AFTER UPDATE ON "pub"."or""ders""#,
            r#"WHEN (pg_catalog.record_image_ne(ROW(OLD."pla'ce"), ROW(NEW."pla'ce")))"#,
            r#"json_build_object(''id'', NEW."id", E''b\\\\c'', NEW."b\\c")"#,
            r#"json_build_array(NEW."a", NEW."b")::text"#,
        ] {
            assert!(script.contains(part), "{part}\n{script}");
        }
    }

    #[test]
    fn names_fit_into_postgres() {
        let capture = Capture {
            trigger: "x".repeat(42).into(),
            table: TableName { schema: "s".into(), name: "t".into() },
            operation: CaptureOperation::Insert,
            payload: None,
            order_by: vec![],
            is_inherited: true,
        };
        assert_eq!(capture.trigger_name().len(), 63);
        assert!(capture.function_name().len() <= 63);
    }
}

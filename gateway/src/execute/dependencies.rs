//! Finds out what the result of a statement depends on, from its plan: the tables that it reads,
//! which of their rows can touch a list of parameters, and whether it may change without a write,
//! because it reads the clock, calls a function that may, or reads a foreign table.

use std::collections::{BTreeMap, HashMap};

use pg::{Database, DatabaseError, ExplainedStatement, Requester};
use serde_json::Value;
use sql::postgres::catalog::Oid;
use tokio::time::Instant;

use super::key_type::KeyType;
use super::plan_mentions::PlanMentions;
use super::scan_keys::{ScanKey, Scans};

/// Whether one of the functions with these names may return another result for the same arguments
/// and rows. Of the functions of `pg_catalog` that are `STABLE`, only those that read the clock do.
const VOLATILE: &str = "SELECT EXISTS (SELECT FROM pg_proc WHERE proname = ANY ($1::text[]) \
     AND (provolatile = 'v' OR provolatile = 's' AND (pronamespace <> 'pg_catalog'::regnamespace \
     OR proname IN ('now', 'transaction_timestamp', 'statement_timestamp'))))::text";

/// The OIDs of tables by schema and name, and of those that they inherit from: a write to a
/// partitioned table is reported for that table.
const TABLES: &str = "WITH RECURSIVE read AS (SELECT c.oid FROM unnest($1::text[], $2::text[]) \
                      AS t (schema, name) \
                      JOIN pg_namespace n ON n.nspname = t.schema JOIN pg_class c ON \
                      c.relnamespace = n.oid AND c.relname = t.name \
                      UNION SELECT inhparent FROM pg_inherits JOIN read ON inhrelid = read.oid) \
                      SELECT coalesce(json_object_agg(oid::text, oid::regclass::text), \
                      '{}')::text FROM read";

/// What the result of a statement depends on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dependencies {
    /// The tables that it reads, and those that they inherit from, by OID.
    pub tables: BTreeMap<Oid, TableRead>,
    /// Whether the result may change without a write: it depends on the clock, a foreign table or a
    /// function whose result is not determined by its arguments and the stored rows.
    pub reads_clock: bool,
}

/// How a statement reads a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableRead {
    /// The name as Postgres writes it.
    pub name: String,
    /// Which rows of the table can touch a list of parameters.
    pub rows: TouchingRows,
}

/// Which rows of a table can touch a list of parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TouchingRows {
    /// All: it is not scanned itself, but the statement reads a table that inherits from it.
    AllAsParent,
    /// All: a scan compares no column with a parameter.
    All,
    /// All: the columns that a scan compares with parameters have types whose equal values may have
    /// different texts.
    AllByType,
    /// For each scan, the columns of which each has to equal its parameter.
    ByKey(Vec<Vec<KeyColumn>>),
}

/// A column that a scan compares with a parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyColumn {
    /// The name.
    pub column: String,
    /// The index of the parameter.
    pub position: usize,
    /// The type of the column.
    pub key_type: KeyType,
    /// Whether the column is part of the replica identity, so that logical replication reports its
    /// old values.
    pub is_identity: bool,
}

impl Dependencies {
    /// The dependencies of a query of which nothing is known.
    pub(super) fn unknown() -> Dependencies {
        Dependencies {
            tables: BTreeMap::new(),
            reads_clock: true,
        }
    }
}

/// What the catalog knows about a column of a scanned table.
#[derive(serde::Deserialize)]
struct ColumnFacts {
    /// The OID of the table.
    table: Oid,
    /// The OID of the type, if the column exists and its texts are equal only if their bytes are.
    #[serde(rename = "type")]
    data_type: Option<Oid>,
    is_identity: bool,
}

/// The [`ColumnFacts`] of columns, by the names of their schemas and tables and their own, in the
/// same order. A plan does not show by which collation an equality compares, so one collation of
/// the database under which different texts are equal is enough for texts not to count.
const COLUMNS: &str = "SELECT coalesce(json_agg(json_build_object('table', c.oid::bigint, \
                       'type', \
                       CASE WHEN a.attcollation = 0 OR NOT EXISTS (SELECT FROM pg_collation \
                       WHERE NOT collisdeterministic) \
                       THEN a.atttypid::bigint END, 'is_identity', c.relreplident = 'f' OR \
                       EXISTS (\
                       SELECT FROM pg_index i WHERE i.indrelid = c.oid AND i.indisvalid AND \
                       a.attnum = ANY (i.indkey) \
                       AND CASE c.relreplident WHEN 'd' THEN i.indisprimary WHEN 'i' THEN \
                       i.indisreplident ELSE false END)) ORDER BY t.n), '[]')::text \
                       FROM unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY AS t \
                       (schema, name, attribute, n) \
                       JOIN pg_namespace s ON s.nspname = t.schema JOIN pg_class c ON \
                       c.relnamespace = s.oid AND c.relname = t.name \
                       LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = \
                       t.attribute AND a.attnum > 0 AND NOT a.attisdropped";

/// Reads the output of `EXPLAIN (VERBOSE, FORMAT JSON)` of a query. None if it is unreadable: then
/// nothing is known. `explained` has a plan of the same query for [`Scans`], in which no partition
/// is left out.
pub(super) async fn collect_dependencies(
    database: &Database,
    plan: &str,
    explained: &ExplainedStatement,
    deadline: Instant,
) -> Result<Option<Dependencies>, DatabaseError> {
    let plans = serde_json::from_str::<Value>(plan)
        .and_then(|plan| Ok((plan, serde_json::from_str::<Value>(&explained.plan)?)));
    let Ok((plan, key_plan)) = plans else {
        return Ok(None);
    };
    let mut mentioned = PlanMentions::new(&plan);
    mentioned.collect(&key_plan);
    let (schemas, names): (Vec<_>, Vec<_>) = mentioned.tables.iter().copied().unzip();
    let tables = [array(&schemas), array(&names)];
    let tables = database.query_scalar(TABLES, &tables, deadline).await?;
    let tables: BTreeMap<String, String> = serde_json::from_str(&tables).unwrap_or_default();
    let parameters: Vec<_> = explained
        .parameter_types
        .iter()
        .map(|oid| KeyType::from_oid(*oid))
        .collect();
    let mut rows = touching_rows(database, &Scans::new(&key_plan), &parameters, deadline).await?;
    let tables = tables.into_iter().filter_map(|(oid, name)| {
        let oid = oid.parse().ok()?;
        Some((
            oid,
            TableRead {
                name,
                rows: rows.remove(&oid).unwrap_or(TouchingRows::AllAsParent),
            },
        ))
    });
    let reads_clock = reads_clock(database, &Requester::default(), &mentioned, deadline).await?;
    Ok(Some(Dependencies {
        tables: tables.collect(),
        reads_clock,
    }))
}

/// Whether the result of a query depends on nothing but its parameters and the stored rows of local
/// tables, by the output of `EXPLAIN (VERBOSE, FORMAT JSON)`: it calls no function that may write,
/// wait or lock.
pub(super) async fn is_pure(
    database: &Database,
    requester: &Requester,
    plan: &str,
    deadline: Instant,
) -> Result<bool, DatabaseError> {
    let Ok(plan) = serde_json::from_str::<Value>(plan) else {
        return Ok(false);
    };
    Ok(!reads_clock(database, requester, &PlanMentions::new(&plan), deadline).await?)
}

/// Which rows of each scanned table can touch a list of parameters of these types.
async fn touching_rows(
    database: &Database,
    scans: &Scans<'_>,
    parameter_types: &[Option<KeyType>],
    deadline: Instant,
) -> Result<BTreeMap<Oid, TouchingRows>, DatabaseError> {
    // A scan without compared columns is asked for with a name that no column has.
    let mut columns: Vec<(usize, &str)> = scans.columns().collect();
    columns.extend((0..scans.scans.len()).map(|at| (at, "")));
    let of = |part: &dyn Fn(&(usize, &str)) -> Option<String>| {
        columns.iter().map(part).collect::<Option<Vec<_>>>()
    };
    let table = |at: usize| scans.scans.get(at).map(|scan| scan.table);
    let schemas = of(&|(at, _)| Some(table(*at)?.0.to_owned())).unwrap_or_default();
    let names = of(&|(at, _)| Some(table(*at)?.1.to_owned())).unwrap_or_default();
    let attributes: Vec<&str> = columns.iter().map(|(_, column)| *column).collect();
    let parameters = [array(&schemas), array(&names), array(&attributes)];
    let facts = database
        .query_scalar(COLUMNS, &parameters, deadline)
        .await?;
    let facts: Vec<ColumnFacts> = serde_json::from_str(&facts).unwrap_or_default();
    // A table that was dropped meanwhile has none.
    if facts.len() != columns.len() {
        return Ok(BTreeMap::new());
    }
    let known: HashMap<(usize, &str), &ColumnFacts> = columns.iter().copied().zip(&facts).collect();
    let types = known
        .iter()
        .filter_map(|(column, facts)| Some((*column, KeyType::from_oid(facts.data_type?)?)))
        .collect();
    let mut rows: BTreeMap<Oid, TouchingRows> = BTreeMap::new();
    for (at, (scan, keys)) in scans
        .scans
        .iter()
        .zip(scans.keys(&types, parameter_types))
        .enumerate()
    {
        let Some(table) = known.get(&(at, "")).map(|facts| facts.table) else {
            continue;
        };
        let key = |key: &ScanKey<'_>| KeyColumn {
            column: key.column.to_owned(),
            position: key.position,
            key_type: key.key_type,
            is_identity: known
                .get(&(at, key.column))
                .is_some_and(|facts| facts.is_identity),
        };
        let of_scan = match keys.is_empty() {
            false => TouchingRows::ByKey(vec![keys.iter().map(key).collect()]),
            true if scan.compares_parameters(scans) => TouchingRows::AllByType,
            true => TouchingRows::All,
        };
        let rows = rows
            .entry(table)
            .or_insert_with(|| TouchingRows::ByKey(Vec::new()));
        match (rows, of_scan) {
            (TouchingRows::ByKey(scans), TouchingRows::ByKey(more)) => scans.extend(more),
            (rows @ TouchingRows::ByKey(_), all) => *rows = all,
            _ => {}
        }
    }
    Ok(rows)
}

/// An array of names in Postgres' text form.
pub(super) fn array(names: &[impl AsRef<str>]) -> Option<String> {
    let quoted = names.iter().map(|name| {
        format!(
            "\"{}\"",
            name.as_ref().replace('\\', "\\\\").replace('"', "\\\"")
        )
    });
    Some(format!("{{{}}}", quoted.collect::<Vec<_>>().join(",")))
}

/// Whether the result of a statement with these plans may change without a write to a local table.
async fn reads_clock(
    database: &Database,
    requester: &Requester,
    mentioned: &PlanMentions<'_>,
    deadline: Instant,
) -> Result<bool, DatabaseError> {
    let is_certain = mentioned.clock || mentioned.foreign_table;
    if is_certain || mentioned.functions.is_empty() {
        return Ok(is_certain);
    }
    let functions = [array(&mentioned.functions)];
    Ok(database
        .query_scalar_for(requester, None, VOLATILE, &functions, deadline)
        .await?
        == "true")
}

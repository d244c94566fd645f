//! Finds out what the result of a statement depends on, from its plan: the tables that it reads, and whether it may
//! change without a write, because it reads the clock, calls a function that may, or reads a foreign table.

use std::collections::BTreeMap;

use serde_json::Value;
use sql::postgres::catalog::Oid;
use tokio::time::Instant;

use crate::database::{Database, DatabaseError};

/// The names in a plan that stand for the clock without being called.
const CLOCK_WORDS: [&str; 5] = ["CURRENT_DATE", "CURRENT_TIME", "CURRENT_TIMESTAMP", "LOCALTIME", "LOCALTIMESTAMP"];

/// Whether one of the functions with these names may return another result for the same arguments and rows. Of the
/// functions of `pg_catalog` that are `STABLE`, only those that read the clock do.
const VOLATILE: &str = "SELECT EXISTS (SELECT FROM pg_proc WHERE proname = ANY ($1::text[]) \
     AND (provolatile = 'v' OR provolatile = 's' AND (pronamespace <> 'pg_catalog'::regnamespace \
     OR proname IN ('now', 'transaction_timestamp', 'statement_timestamp'))))::text";

/// The OIDs of tables by schema and name, and of those that they inherit from: a write to a partitioned table is reported
/// for that table.
const TABLES: &str = "WITH RECURSIVE read AS (SELECT c.oid FROM unnest($1::text[], $2::text[]) AS t (schema, name) \
     JOIN pg_namespace n ON n.nspname = t.schema JOIN pg_class c ON c.relnamespace = n.oid AND c.relname = t.name \
     UNION SELECT inhparent FROM pg_inherits JOIN read ON inhrelid = read.oid) \
     SELECT coalesce(json_object_agg(oid::text, oid::regclass::text), '{}')::text FROM read";

/// What a plan mentions.
#[derive(Default)]
struct Mentioned<'p> {
    functions: Vec<&'p str>,
    /// Schemas and names.
    tables: Vec<(&'p str, &'p str)>,
    /// Whether it reads the clock or a foreign table.
    reads_clock: bool,
}

/// Reads the output of `EXPLAIN (VERBOSE, FORMAT JSON)`: whether the result may change without a write, and the tables
/// that it depends on, by OID with their names.
pub(super) async fn of(
    database: &Database,
    plan: &str,
    deadline: Instant,
) -> Result<(bool, BTreeMap<Oid, String>), DatabaseError> {
    let Ok(plan) = serde_json::from_str::<Value>(plan) else { return Ok((true, BTreeMap::new())) };
    let mut mentioned = Mentioned::default();
    mentioned.collect(&plan);
    let (schemas, names): (Vec<_>, Vec<_>) = mentioned.tables.iter().copied().unzip();
    let tables = [array(&schemas), array(&names)];
    let tables = database.query_scalar(TABLES, &tables, deadline).await?;
    let tables: BTreeMap<String, String> = serde_json::from_str(&tables).unwrap_or_default();
    let tables = tables.into_iter().filter_map(|(oid, name)| Some((oid.parse().ok()?, name))).collect();
    let reads_clock = mentioned.reads_clock
        || database.query_scalar(VOLATILE, &[array(&mentioned.functions)], deadline).await? == "true";
    Ok((reads_clock, tables))
}

/// An array of names in Postgres' text form.
fn array(names: &[&str]) -> Option<String> {
    let quoted = names.iter().map(|name| format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\"")));
    Some(format!("{{{}}}", quoted.collect::<Vec<_>>().join(",")))
}

impl<'p> Mentioned<'p> {
    fn collect(&mut self, plan: &'p Value) {
        match plan {
            Value::String(text) => {
                called(text, &mut self.functions);
                self.reads_clock |= CLOCK_WORDS.iter().any(|word| has_word(text, word));
            }
            Value::Array(items) => items.iter().for_each(|item| self.collect(item)),
            Value::Object(members) => {
                let text = |key: &str| members.get(key).and_then(Value::as_str);
                self.reads_clock |= text("Node Type") == Some("Foreign Scan");
                self.functions.extend(text("Function Name"));
                self.tables.extend(text("Schema").zip(text("Relation Name")));
                members.values().for_each(|value| self.collect(value));
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
}

/// Adds the names before opening parentheses. Text in quotes may look like a call; that only makes the answer careful.
fn called<'p>(text: &'p str, names: &mut Vec<&'p str>) {
    for (at, _) in text.match_indices('(') {
        let before = &text[..at];
        let name = match before.strip_suffix('"') {
            Some(quoted) => quoted.rsplit('"').next().unwrap_or(quoted),
            None => {
                let start = before.rfind(|c: char| !c.is_alphanumeric() && c != '_' && c != '$');
                start.map_or(before, |start| {
                    before[start..].trim_start_matches(|c: char| !c.is_alphanumeric() && c != '_')
                })
            }
        };
        if !name.is_empty() {
            names.push(name);
        }
    }
}

fn has_word(text: &str, word: &str) -> bool {
    let is_part = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    text.match_indices(word)
        .any(|(at, _)| !is_part(text[..at].chars().next_back()) && !is_part(text[at + word.len()..].chars().next()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plan_mentions_functions_tables_and_the_clock() {
        let plan = serde_json::json!([{"Plan": {
            "Node Type": "Seq Scan", "Schema": "public", "Relation Name": "tasks",
            "Filter": "((due < now()) AND private.is_open(id) AND \"odd Name\"(id))",
            "Plans": [{"Node Type": "Function Scan", "Function Name": "unnest"}]
        }}]);
        let mut mentioned = Mentioned::default();
        mentioned.collect(&plan);
        mentioned.functions.sort_unstable();
        assert_eq!(mentioned.functions, ["is_open", "now", "odd Name", "unnest"]);
        assert_eq!(mentioned.tables, [("public", "tasks")]);
        assert!(!mentioned.reads_clock);
        let reads_clock = |plan: Value| {
            let mut mentioned = Mentioned::default();
            mentioned.collect(&plan);
            mentioned.reads_clock
        };
        assert!(reads_clock(serde_json::json!({"Filter": "(day = CURRENT_DATE)"})));
        assert!(!reads_clock(serde_json::json!({"Filter": "(\"CURRENT_DATE_X\" = 1)"})));
        assert!(reads_clock(serde_json::json!({"Node Type": "Foreign Scan"})));
    }
}

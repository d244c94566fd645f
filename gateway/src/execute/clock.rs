//! Finds out whether the result of a statement may change without a write to the database, from its plan: whether it
//! reads the clock, calls a function that may, or reads a foreign table.

use serde_json::Value;
use tokio::time::Instant;

use crate::database::{Database, DatabaseError};

/// The names in a plan that stand for the clock without being called.
const CLOCK_WORDS: [&str; 5] = ["CURRENT_DATE", "CURRENT_TIME", "CURRENT_TIMESTAMP", "LOCALTIME", "LOCALTIMESTAMP"];

/// Whether one of the functions with these names may return another result for the same arguments and rows. Of the
/// functions of `pg_catalog` that are `STABLE`, only those that read the clock do.
const VOLATILE: &str = "SELECT EXISTS (SELECT FROM pg_proc WHERE proname = ANY ($1::text[]) \
     AND (provolatile = 'v' OR provolatile = 's' AND (pronamespace <> 'pg_catalog'::regnamespace \
     OR proname IN ('now', 'transaction_timestamp', 'statement_timestamp'))))::text";

/// Reads the output of `EXPLAIN (VERBOSE, FORMAT JSON)`.
pub(super) async fn reads_clock(database: &Database, plan: &str, deadline: Instant) -> Result<bool, DatabaseError> {
    let Ok(plan) = serde_json::from_str::<Value>(plan) else { return Ok(true) };
    let mut names = Vec::new();
    if collect(&plan, &mut names) {
        return Ok(true);
    }
    names.sort_unstable();
    names.dedup();
    if names.is_empty() {
        return Ok(false);
    }
    let quoted: Vec<String> = names.iter().map(|name| format!("\"{}\"", name.replace(['\\', '"'], ""))).collect();
    let names = format!("{{{}}}", quoted.join(","));
    Ok(database.query_scalar(VOLATILE, &[Some(names)], deadline).await? == "true")
}

/// Collects the names of called functions. Returns whether the plan reads the clock or a foreign table.
fn collect<'p>(plan: &'p Value, names: &mut Vec<&'p str>) -> bool {
    match plan {
        Value::String(text) => {
            called(text, names);
            CLOCK_WORDS.iter().any(|word| has_word(text, word))
        }
        Value::Array(items) => items.iter().fold(false, |found, item| collect(item, names) | found),
        Value::Object(members) => members.iter().fold(false, |found, (key, value)| {
            let is_foreign = key == "Node Type" && value.as_str() == Some("Foreign Scan");
            if key == "Function Name" {
                names.extend(value.as_str());
            }
            collect(value, names) | is_foreign | found
        }),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
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
    fn called_functions_and_clock_words_are_found() {
        let mut names = Vec::new();
        let plan = serde_json::json!([{"Plan": {
            "Node Type": "Seq Scan", "Filter": "((due < now()) AND private.is_open(id) AND \"odd Name\"(id))",
            "Plans": [{"Node Type": "Function Scan", "Function Name": "unnest"}]
        }}]);
        assert!(!collect(&plan, &mut names));
        names.sort_unstable();
        assert_eq!(names, ["is_open", "now", "odd Name", "unnest"]);
        let found = |plan: Value| collect(&plan, &mut Vec::new());
        assert!(found(serde_json::json!({"Filter": "(day = CURRENT_DATE)"})));
        assert!(!found(serde_json::json!({"Filter": "(\"CURRENT_DATE_X\" = 1)"})));
        assert!(found(serde_json::json!({"Node Type": "Foreign Scan"})));
    }
}

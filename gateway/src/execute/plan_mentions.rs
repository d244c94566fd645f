//! What the output of `EXPLAIN (VERBOSE, FORMAT JSON)` mentions: functions, tables, the clock and
//! foreign tables.

use serde_json::Value;

/// The names in a plan that stand for the clock without being called.
const CLOCK_WORDS: [&str; 5] = [
    "CURRENT_DATE",
    "CURRENT_TIME",
    "CURRENT_TIMESTAMP",
    "LOCALTIME",
    "LOCALTIMESTAMP",
];

/// What a plan mentions.
#[derive(Debug, Default)]
pub(super) struct PlanMentions<'p> {
    /// The names of functions that it calls.
    pub(super) functions: Vec<&'p str>,
    /// The schemas and names of its tables.
    pub(super) tables: Vec<(&'p str, &'p str)>,
    /// Whether it reads the clock by a word such as `CURRENT_DATE`.
    pub(super) clock: bool,
    /// Whether it reads a foreign table.
    pub(super) foreign_table: bool,
}

impl<'p> PlanMentions<'p> {
    /// What a plan mentions.
    pub(super) fn new(plan: &'p Value) -> PlanMentions<'p> {
        let mut mentioned = PlanMentions::default();
        mentioned.collect(plan);
        mentioned
    }

    /// Adds what a plan mentions.
    pub(super) fn collect(&mut self, plan: &'p Value) {
        match plan {
            Value::String(text) => {
                called(text, &mut self.functions);
                self.clock |= CLOCK_WORDS.iter().any(|word| has_word(text, word));
            }
            Value::Array(items) => items.iter().for_each(|item| self.collect(item)),
            Value::Object(members) => {
                let text = |key: &str| members.get(key).and_then(Value::as_str);
                self.foreign_table |= text("Node Type") == Some("Foreign Scan");
                self.functions.extend(text("Function Name"));
                self.tables
                    .extend(text("Schema").zip(text("Relation Name")));
                members.values().for_each(|value| self.collect(value));
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
}

/// Adds the names before opening parentheses. Text in quotes may look like a call; that only makes
/// the answer careful.
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
    text.match_indices(word).any(|(at, _)| {
        !is_part(text[..at].chars().next_back()) && !is_part(text[at + word.len()..].chars().next())
    })
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
        let mut mentioned = PlanMentions::new(&plan);
        mentioned.functions.sort_unstable();
        assert_eq!(
            mentioned.functions,
            ["is_open", "now", "odd Name", "unnest"]
        );
        assert_eq!(mentioned.tables, [("public", "tasks")]);
        assert!(!mentioned.clock && !mentioned.foreign_table);
        let plan = serde_json::json!({"Filter": "(day = CURRENT_DATE)"});
        assert!(PlanMentions::new(&plan).clock);
        let plan = serde_json::json!({"Filter": "(\"CURRENT_DATE_X\" = 1)"});
        assert!(!PlanMentions::new(&plan).clock);
        let plan = serde_json::json!({"Node Type": "Foreign Scan"});
        assert!(PlanMentions::new(&plan).foreign_table);
    }
}

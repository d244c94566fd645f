//! Formats the contents of a case's golden files, and compares them with the files or, for a
//! blessed case, rewrites the files.

use std::fmt::Write as _;
use std::path::Path;

use serde_json::{Value as Json, json};
use similar::TextDiff;
use sql::TranslationKind;
use sql::statement::{OperandRequirement, Parameter, RowsParameter, Statement};

use crate::request::{Failure, Translated};
use crate::{case, wire};

/// The environment variable that selects the cases to rewrite: a part of their names, or `all`.
pub const BLESS: &str = "POSTERN_BLESS";

/// Whether the golden files of the case are to be rewritten.
pub fn is_blessed(name: &str) -> bool {
    std::env::var(BLESS)
        .is_ok_and(|pattern| pattern == "all" || (!pattern.is_empty() && name.contains(&pattern)))
}

/// Compares a text with a golden file. The error is a readable difference.
pub fn check(file: &Path, name: &str, found: &str) -> Result<(), String> {
    let path = case::folder().join(file);
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    if expected == found {
        return Ok(());
    }
    if is_blessed(name) {
        return std::fs::write(&path, found)
            .map_err(|error| format!("{}: {error}", path.display()));
    }
    let difference = TextDiff::from_lines(expected.as_str(), found);
    let header = ("as committed", "as found");
    let drawn = difference
        .unified_diff()
        .context_radius(4)
        .header(header.0, header.1)
        .to_string();
    Err(format!(
        "── {}\n{drawn}   rewrite with `make bless CASE={name}`",
        file.display()
    ))
}

/// The section of a role in the `.sql` file of a case.
pub fn translation(role: &str, translated: &Result<Translated, Failure>) -> String {
    let mut text = format!("-- role: {role}\n");
    match translated {
        Err(failure) => {
            let _ = writeln!(text, "-- refused: {failure}");
        }
        Ok(Translated { translation, .. }) => match &translation.kind {
            TranslationKind::Constant(_) | TranslationKind::Composite(_) => {
                text.push_str("-- no statement\n");
            }
            TranslationKind::Statement(statement) => describe(statement, &mut text),
            TranslationKind::Mutation(mutation) => {
                mutation
                    .steps
                    .iter()
                    .for_each(|step| describe(&step.statement, &mut text));
            }
        },
    }
    text
}

fn describe(statement: &Statement, text: &mut String) {
    let _ = writeln!(text, "{};", broken(&statement.text));
    if let Some(batch) = &statement.batch {
        let _ = writeln!(text, "-- batch:\n{};", broken(batch));
    }
    if let Some(settings) = &statement.settings {
        let _ = writeln!(text, "-- after it sets:\n{};", broken(&settings.text));
        for (parameter, number) in settings.parameters.iter().zip(1..) {
            let _ = writeln!(text, "-- ${number}: {}", parameter_words(parameter));
        }
        text.push_str("-- with\n");
    }
    for (parameter, number) in statement.parameters.iter().zip(1..) {
        let _ = writeln!(text, "-- ${number}: {}", parameter_words(parameter));
    }
    for reading in &statement.scans {
        let (schema, table) = &reading.table;
        let rule = match reading.rule.line {
            0 => "every row".to_owned(),
            line => format!(
                "{}:{line}: {}",
                reading.rule.file,
                reading.rule.text.trim().replace('\n', "\n--   ")
            ),
        };
        let _ = writeln!(text, "-- {} {schema}.{table}: {rule}", reading.alias);
    }
}

fn parameter_words(parameter: &Parameter) -> String {
    match parameter {
        Parameter::Estimate(index) => format!("the planner's answer to question {index}"),
        Parameter::Constant(literal) => format!("{:?} of the document", literal.text),
        Parameter::Pattern(inner) => parameter_words(inner),
        Parameter::Session {
            name,
            expected,
            optional: false,
            ..
        } => format!("session value {name}, {expected}"),
        Parameter::Session { name, expected, .. } => format!("session value {name}?, {expected}"),
        Parameter::SessionText(name) => format!("session value {name} as text, or nothing"),
        Parameter::WholeSession => "the whole session".to_owned(),
        Parameter::TraceContext => "the trace".to_owned(),
        Parameter::Claims => "the whole session as claims".to_owned(),
        Parameter::TokenClaims { database_role } => match database_role {
            Some(role) => format!("the claims of the token, as role {role}"),
            None => "the claims of the token".to_owned(),
        },
        Parameter::Position {
            column_index,
            start,
            ..
        } => match start {
            Some(start) => {
                format!(
                    "position {column_index}, first {}",
                    parameter_words(&Parameter::Request(start.clone()))
                )
            }
            None => format!("position {column_index}, first null"),
        },
        Parameter::Word(word) => format!(
            "the word of alarm {}",
            word.split_once('.').map_or("", |(_, number)| number)
        ),
        Parameter::Rows(rows, RowsParameter::Column(column)) => {
            format!(
                "{} of the rows {} of the request, [{}]",
                column.key,
                rows.path(),
                column.expected
            )
        }
        Parameter::Rows(rows, RowsParameter::Value(column)) => {
            format!(
                "{} of the row {} of the request, {}",
                column.key,
                rows.path(),
                column.expected
            )
        }
        Parameter::Rows(rows, RowsParameter::Number) => {
            format!("the numbers of the rows {}", rows.path())
        }
        Parameter::Rows(rows, RowsParameter::Parent) => {
            format!("the rows that rows of {} come with", rows.path())
        }
        Parameter::Request(operand) => {
            let need = match &operand.requirement {
                OperandRequirement::Value(_) => "",
                OperandRequirement::List(_) => ", a list",
                OperandRequirement::Pair(_) => ", a list of two",
                OperandRequirement::Pattern(..) => ", a pattern",
                OperandRequirement::Search(_) => ", a search query",
                OperandRequirement::Nullable(_) => ", or null",
                OperandRequirement::Count
                | OperandRequirement::LongCount
                | OperandRequirement::BatchSize => ", a count",
                OperandRequirement::JsonPath => ", a path into JSON",
                OperandRequirement::Cursor {
                    position: place, ..
                } => {
                    return format!("value {place} of the cursor {}", operand.path);
                }
            };
            format!(
                "{} of the request, {}{need}",
                operand.path, operand.expected
            )
        }
    }
}

/// The SQL with each clause on its own line, indented by its depth. Only blanks outside quotes are
/// replaced.
fn broken(sql: &str) -> String {
    const CLAUSES: [&str; 9] = [
        "FROM ",
        "LEFT JOIN ",
        "WHERE ",
        "GROUP BY ",
        "HAVING ",
        "ORDER BY ",
        "LIMIT ",
        "OFFSET ",
        "AND ",
    ];
    let mut text = String::new();
    let mut depth = 0_usize;
    let mut quote = None;
    for (at, c) in sql.char_indices() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (None, '"' | '\'') => quote = Some(c),
            (None, '(') => depth += 1,
            (None, ')') => depth = depth.saturating_sub(1),
            (None, ' ')
                if CLAUSES
                    .iter()
                    .any(|clause| sql[at + 1..].starts_with(clause)) =>
            {
                text.push('\n');
                text.push_str(&"  ".repeat(depth + 1));
                continue;
            }
            _ => {}
        }
        text.push(c);
    }
    text
}

/// The content of a role's `.json` file: the response, or the error.
pub fn answer(response: &Result<String, Failure>) -> String {
    let value = match response {
        // Parsed so that numbers keep their digits and keys their order.
        Ok(text) => serde_json::from_str(text).unwrap_or_else(|_| json!({ "not JSON": text })),
        Err(failure) => json!({ "error": error(failure) }),
    };
    serde_json::to_string_pretty(&value).unwrap_or_default() + "\n"
}

fn error(failure: &Failure) -> Json {
    match failure {
        Failure::Request(error) => {
            let at = error
                .location
                .map(|(line, column)| format!("{line}:{column}"));
            json!({ "kind": format!("{:?}", error.kind()), "message": error.to_string(), "path": error.path, "at": at })
        }
        Failure::Denied => json!({ "denied": true }),
        Failure::Wire(wire::Error::Database(error)) => {
            json!({ "sqlstate": error.code().map(|code| code.code()), "message": failure.to_string() })
        }
        Failure::Wire(error) => json!({ "wire": error.to_string() }),
    }
}

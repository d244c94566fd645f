//! Checks that all peers give equal responses. A run measures nothing before they do.

use serde_json::{Map, Value};

use super::{Bed, Error, Peer, Server, exchange, pgbench};
use crate::work::{self, Tokens, Work};

/// How many requests of each work are compared.
const COMPARED_REQUESTS: usize = 10;

/// Sends every server the first requests of each work, runs the hand-written statement on Postgres,
/// and compares all results as JSON. The keys and timestamps of inserted rows are ignored, and so
/// are the peers' different formats for equal values.
///
/// Errors: the first response that is an error, or that differs.
pub fn all_alike(servers: &[&Server], bed: &Bed, tokens: &Tokens, seed: u64) -> Result<(), Error> {
    for work in work::all() {
        for asked in work::asked(work, bed.data(), seed, COMPARED_REQUESTS) {
            let expected = (
                Peer::Pgbench,
                plain(work, &pgbench::respond(bed, work, &asked)?),
            );
            for server in servers {
                let Some(call) = server.peer().call(work, &asked, tokens)? else {
                    continue;
                };
                let response = plain(work, &respond(server, work, &call)?);
                same(work, (expected.0, &expected.1), (server.peer(), &response))?;
            }
        }
    }
    Ok(())
}

/// A server's response in the root field of a work.
fn respond(server: &Server, work: &Work, call: &loadgen::PreparedRequest) -> Result<Value, Error> {
    let peer = server.peer().name();
    let (status, body) =
        exchange(server.address(), call).map_err(|source| Error::Exchange { peer, source })?;
    let document: Value = serde_json::from_slice(&body).unwrap_or_default();
    let field = document.get("data").and_then(|data| data.get(work.field));
    match field {
        Some(field) if status == 200 && document.get("errors").is_none() => Ok(field.clone()),
        _ => {
            let response: String = String::from_utf8_lossy(&body).chars().take(400).collect();
            Err(Error::Refused {
                peer,
                work: work.name,
                response: format!("{status}: {response}"),
            })
        }
    }
}

/// A response without the values that may differ.
fn plain(work: &Work, response: &Value) -> Value {
    let mut response_value = normal(response);
    if let (true, Some(row)) = (work.writes(), response_value.as_object_mut()) {
        // A key and a timestamp have to be present, but need not be equal.
        row.iter_mut()
            .filter(|(name, _)| *name == "id" || *name == "created_at")
            .for_each(|(_, value)| {
                *value = Value::from(if value.is_null() { "missing" } else { "there" });
            });
    }
    response_value
}

/// Normalizes a value to a common format: fractions of a second without trailing zeros, and
/// PostGraphile's `{"count": n}` and `{"note": {…}}` as Postern's `{"aggregate": {"count": n}}` and
/// the row itself.
fn normal(value: &Value) -> Value {
    match value {
        Value::Array(items) => items.iter().map(normal).collect(),
        Value::Object(fields) => object(fields),
        Value::String(text) => moment(text).into(),
        _ => value.clone(),
    }
}

fn object(fields: &Map<String, Value>) -> Value {
    let mut names = fields.iter();
    match (names.next(), names.next()) {
        (Some((name, value)), None) if name == "note" => normal(value),
        (Some((name, value)), None) if name == "aggregate" => normal(value),
        _ => Value::Object(
            fields
                .iter()
                .map(|(name, value)| (name.clone(), normal(value)))
                .collect(),
        ),
    }
}

/// `2024-01-01T00:00:00.120000+00:00` without the trailing zeros; other text unchanged.
fn moment(text: &str) -> String {
    let parts = text
        .strip_suffix("+00:00")
        .and_then(|moment| moment.split_once('.'));
    match parts {
        Some((second, fraction)) if fraction.bytes().all(|byte| byte.is_ascii_digit()) => {
            let fraction = fraction.trim_end_matches('0');
            if fraction.is_empty() {
                format!("{second}+00:00")
            } else {
                format!("{second}.{fraction}+00:00")
            }
        }
        _ => text.to_owned(),
    }
}

fn same(work: &Work, one: (Peer, &Value), other: (Peer, &Value)) -> Result<(), Error> {
    match difference("", one.1, other.1) {
        None => Ok(()),
        Some(location) => Err(Error::Differ {
            one: one.0.name(),
            other: other.0.name(),
            work: work.name,
            location,
        }),
    }
}

/// The first place where two values differ.
fn difference(location: &str, one: &Value, other: &Value) -> Option<String> {
    match (one, other) {
        (Value::Array(ones), Value::Array(others)) if ones.len() == others.len() => {
            let mut pairs = ones.iter().zip(others).enumerate();
            pairs.find_map(|(index, (one, other))| {
                difference(&format!("{location}[{index}]"), one, other)
            })
        }
        (Value::Array(ones), Value::Array(others)) => Some(format!(
            "at '{location}': {} and {} items",
            ones.len(),
            others.len()
        )),
        (Value::Object(ones), Value::Object(others))
            if ones.keys().all(|name| others.contains_key(name)) =>
        {
            let more = others.keys().find(|name| !ones.contains_key(*name));
            let field = |(name, one): (&String, &Value)| {
                difference(
                    &format!("{location}.{name}"),
                    one,
                    others.get(name).unwrap_or(&Value::Null),
                )
            };
            more.map(|name| format!("at '{location}': only one has '{name}'"))
                .or_else(|| ones.iter().find_map(field))
        }
        _ if one == other => None,
        _ => Some(format!(
            "at '{location}': {} and {}",
            short(one),
            short(other)
        )),
    }
}

fn short(value: &Value) -> String {
    value.to_string().chars().take(120).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn formats_of_both_servers_compare_equal() {
        let ours =
            json!([{"at": "2024-01-01T00:00:00.12+00:00", "r": {"aggregate": {"count": 3}}}]);
        let theirs = json!([{"r": {"count": 3}, "at": "2024-01-01T00:00:00.120000+00:00"}]);
        assert_eq!(difference("", &normal(&ours), &normal(&theirs)), None);
    }

    #[test]
    fn difference_names_the_path_and_both_values() {
        let difference_of =
            |one: Value, other: Value| difference("", &normal(&one), &normal(&other));
        assert_eq!(
            difference_of(json!([{"a": 1}]), json!([{"a": 2}])).as_deref(),
            Some("at '[0].a': 1 and 2")
        );
        assert_eq!(
            difference_of(json!([1]), json!([])).as_deref(),
            Some("at '': 1 and 0 items")
        );
        assert_eq!(
            difference_of(json!({"a": 1}), json!({"a": 1, "b": 1})).as_deref(),
            Some("at '': only one has 'b'")
        );
        assert!(difference_of(json!({"a": 1, "b": 1}), json!({"a": 1})).is_some());
    }
}

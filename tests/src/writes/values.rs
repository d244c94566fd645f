//! Values for columns: some that fit, some that other rows have, and some that violate constraints.

use serde_json::{Value as Json, json};
use sql::postgres::catalog::{Catalog, Column, Oid};

use crate::choices::Choices;

/// A value as JSON and as Postgres' text; `None` for null.
#[derive(Clone, Debug)]
pub struct Value {
    /// The value as JSON for the request's variables.
    pub json: Json,
    /// The value as text that Postgres reads.
    pub text: Option<String>,
}

impl Value {
    fn new(json: Json, text: &str) -> Value {
        Value {
            json,
            text: Some(text.to_owned()),
        }
    }

    /// The value as an SQL literal without a type.
    pub fn literal(&self) -> String {
        self.text.as_ref().map_or("NULL".into(), |text| {
            format!("'{}'", text.replace('\'', "''"))
        })
    }
}

/// Picks a value for a column.
pub fn pool(catalog: &Catalog, column: &Column, choices: &mut Choices<'_>) -> Value {
    let integer = |choices: &mut Choices<'_>, values: &[i64]| {
        let value = choices.pick(values).copied().unwrap_or_default();
        Value::new(json!(value), &value.to_string())
    };
    match column.name.as_str() {
        "owner_id" | "assignee_id" | "author_id" | "account_id" | "boss_id" => {
            integer(choices, &[1, 2, 3, 4])
        }
        "project_id" => integer(choices, &[1, 2, 3, 4, 5]),
        "task_id" => integer(choices, &[1, 2, 4, 5, 8, 7, 77]),
        "id" if type_name(catalog, column.r#type) == "int4" => {
            integer(choices, &[1, 2, 3, 4, 5, 6, 11, 12, 13, 14, 15])
        }
        "year" => integer(choices, &[2024, 2025, 2025, 2024, 2026]),
        "seat" | "slot" => integer(choices, &[1, 2, 3, 7, 8, 9]),
        "priority" => {
            let name = choices
                .pick(&["low", "normal", "high"])
                .copied()
                .unwrap_or_default();
            Value::new(json!(name), name)
        }
        _ => of(catalog, column.r#type, choices).unwrap_or_else(|| Value::new(json!("0"), "0")),
    }
}

/// Picks a value of a type, if this file has any for it.
pub fn of(catalog: &Catalog, oid: Oid, choices: &mut Choices<'_>) -> Option<Value> {
    let name = type_name(catalog, oid);
    let (json, text) = choices.pick(&of_type(name))?.clone();
    Some(Value::new(json, text))
}

fn of_type(name: &str) -> Vec<(Json, &'static str)> {
    let texts = |texts: &[&'static str]| texts.iter().map(|text| (json!(text), *text)).collect();
    let numbers = |texts: &[&'static str]| {
        let number = |text: &&'static str| (serde_json::from_str(text).unwrap_or_default(), *text);
        texts.iter().map(number).collect()
    };
    match name {
        "int2" => numbers(&["1", "0", "5", "6", "32767"]),
        "int4" => numbers(&[
            "1",
            "0",
            "3",
            "50",
            "61",
            "100",
            "-1",
            "999999",
            "2147483647",
        ]),
        "int8" => numbers(&["1", "0", "9007199254740993", "-5"]),
        "float4" | "float8" => numbers(&["0.5", "2", "-1", "1e30"]),
        "numeric" => numbers(&[
            "1", "0", "9.999", "10.004", "20.005", "499.99", "999.994", "-1", "1000",
        ]),
        "percent" => numbers(&["1", "99.994", "0.005", "100", "101"]),
        "money" => texts(&["$1.25", "$0.10"]),
        "bool" => numbers(&["true", "false"]),
        "text" | "varchar" => texts(&[
            "x",
            "dig",
            "bad",
            "it's a \"q\" \\",
            "",
            "garden",
            "nails",
            "LAMP",
            "  low ",
        ]),
        "citext" => texts(&["saw", "New"]),
        "sku" => texts(&["SW-1", "AB-9", "AX-1", "bad"]),
        "uuid" => {
            let tail = |digit| format!("00000000-0000-0000-0000-00000000000{digit}");
            return ["a", "b", "c", "d", "e", "f"]
                .map(|digit| (json!(tail(digit)), uuid(digit)))
                .to_vec();
        }
        "mood" => texts(&["sad", "ok", "happy"]),
        "date" => texts(&["2024-02-29", "infinity"]),
        "timestamptz" => texts(&["2024-05-05T00:00:00Z", "2024-01-01T00:00:00Z"]),
        "interval" => texts(&["1 day", "-00:00:01"]),
        "bytea" => texts(&["\\x00", "\\xff00"]),
        "int4range" => texts(&[
            "[40,50)", "[1,3)", "[6,7)", "[20,21)", "empty", "[45,46)", "[60,)",
        ]),
        "json" | "jsonb" => vec![
            (json!({"a": 1}), r#"{"a": 1}"#),
            (json!([1, "x"]), r#"[1, "x"]"#),
            (json!({"b": {"c": null}}), r#"{"b": {"c": null}}"#),
            (json!([]), "[]"),
            (json!(3), "3"),
        ],
        "_text" => {
            vec![
                (json!(["a", "b c"]), r#"{"a","b c"}"#),
                (json!([]), "{}"),
                (json!(["sharp", null]), "{sharp,NULL}"),
            ]
        }
        "_int4" => vec![(json!([1, 2]), "{1,2}"), (json!([]), "{}")],
        "_mood" => vec![(json!(["ok", "sad"]), "{ok,sad}"), (json!([]), "{}")],
        _ => vec![],
    }
}

fn uuid(digit: &str) -> &'static str {
    match digit {
        "a" => "00000000-0000-0000-0000-00000000000a",
        "b" => "00000000-0000-0000-0000-00000000000b",
        "c" => "00000000-0000-0000-0000-00000000000c",
        "d" => "00000000-0000-0000-0000-00000000000d",
        "e" => "00000000-0000-0000-0000-00000000000e",
        _ => "00000000-0000-0000-0000-00000000000f",
    }
}

/// A key of a JSON object, which exists some of the time.
pub(super) fn key(choices: &mut Choices<'_>) -> Value {
    let key = choices
        .pick(&["a", "b", "nothing"])
        .copied()
        .unwrap_or_default();
    Value::new(json!(key), key)
}

/// The index of an element.
pub(super) fn place(choices: &mut Choices<'_>) -> Value {
    let location = choices.pick(&["0", "-1", "7"]).copied().unwrap_or_default();
    Value::new(serde_json::from_str(location).unwrap_or_default(), location)
}

/// A path into JSON.
pub(super) fn path(choices: &mut Choices<'_>) -> Value {
    let (json, text) = match choices.below(3) {
        0 => (json!(["a"]), "{a}"),
        1 => (json!(["b", "c", "0"]), "{b,c,0}"),
        _ => (json!([]), "{}"),
    };
    Value::new(json, text)
}

fn type_name(catalog: &Catalog, oid: Oid) -> &str {
    catalog.type_of(oid).map_or("", |entry| entry.name.as_str())
}

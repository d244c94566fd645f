//! Writes actions to files of their own.

use serde_json::{Map, Value};

use crate::endpoints::Files;
use crate::json_object::{JsonObject, says_something};
use crate::names::Name;
use crate::report::Report;
use crate::sdl;
use crate::toml_writer::{self, Pairs, TomlValue, comment, section};

const ACTIONS: &str = "actions.toml";

fn pair(key: &str, item: TomlValue) -> (String, TomlValue) {
    (key.to_owned(), item)
}

/// The remaining keys of an object and their values, without nulls.
fn rest(fields: &Map<String, Value>, known: &[&str]) -> Pairs {
    let unknown =
        |(key, value): &(&String, &Value)| !known.contains(&key.as_str()) && says_something(value);
    fields
        .iter()
        .filter(unknown)
        .map(|(key, value)| (key.clone(), TomlValue::json(value)))
        .collect()
}

fn roles(value: &Value) -> TomlValue {
    let roles = value
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|value| value["role"].as_str());
    TomlValue::texts(&roles.map(str::to_owned).collect::<Vec<_>>())
}

/// Writes `actions.toml` and `actions.graphql`, if there are actions or custom types.
pub(crate) fn actions(actions: &[Value], types: &Value, report: &mut Report) -> Files {
    if actions.is_empty() && !says_something(types) {
        return vec![];
    }
    let mut text =
        comment("Actions: fields that a webhook resolves. Their types are in actions.graphql.");
    for action in actions {
        let Some(mut node) = JsonObject::new(action, "action", report) else {
            continue;
        };
        let name = node.text("name").unwrap_or_default();
        let construct = format!("action {name}");
        node.get("comment");
        let permissions = node.get("permissions").unwrap_or(&Value::Null);
        let definition = node.object("definition");
        let Some(definition) = definition else {
            report.refused(construct, "it has no definition");
            continue;
        };
        let mutation = definition
            .get("type")
            .and_then(Value::as_str)
            .unwrap_or("mutation")
            == "mutation";
        let asynchronous = definition.get("kind").and_then(Value::as_str) == Some("asynchronous");
        let mut pairs = vec![pair(
            "as",
            TomlValue::text(if mutation { "mutation" } else { "query" }),
        )];
        let definition = &with_supported_transforms(&construct, definition, report);
        if asynchronous {
            pairs.push(pair("asynchronous", TomlValue::Flag(true)));
        }
        // The signature is in the GraphQL file.
        pairs.extend(rest(
            definition,
            &["type", "kind", "arguments", "output_type"],
        ));
        pairs.push(pair("roles", roles(permissions)));
        node.finish(report);
        text.push_str(&section(
            &format!("action.{}", toml_writer::key(name)),
            &pairs,
        ));
        report.carried(construct);
    }
    for object in types["objects"].as_array().into_iter().flatten() {
        relationships(object, &mut text, report);
    }
    vec![
        (ACTIONS.to_owned(), text),
        ("actions.graphql".to_owned(), sdl::write(actions, types)),
    ]
}

/// The definition of an action without those parts of its transforms that the gateway does not
/// support.
fn with_supported_transforms(
    construct: &str,
    definition: &Map<String, Value>,
    report: &mut Report,
) -> Map<String, Value> {
    let mut definition = definition.clone();
    for name in ["request_transform", "response_transform"] {
        let Some(Value::Object(transform)) = definition.get_mut(name) else {
            continue;
        };
        keep_supported(construct, name, transform, report);
    }
    definition
}

/// Removes those parts of a transform that the gateway does not support, and reports them.
pub(crate) fn keep_supported(
    construct: &str,
    name: &str,
    transform: &mut Map<String, Value>,
    report: &mut Report,
) {
    transform.retain(|key, value| {
        let is_supported = !says_something(value) || is_supported(key, value);
        if !is_supported {
            let how = format!(
                "`{key}` of its {} is not supported, and left out",
                name.replace('_', " ")
            );
            report.approximated(construct, how);
        }
        is_supported
    });
}

/// Whether the gateway supports a part of a transform. It judges the templates itself.
fn is_supported(key: &str, value: &Value) -> bool {
    match key {
        "version" | "template_engine" | "method" | "url" => true,
        "content_type" => value == "application/json",
        "query_params" => value
            .as_object()
            .is_some_and(|pairs| pairs.values().all(Value::is_string)),
        "body" => {
            value.is_string() || matches!(value["action"].as_str(), Some("transform" | "remove"))
        }
        _ => false,
    }
}

/// Writes the relationships from an action's result type to tables.
fn relationships(object: &Value, text: &mut String, report: &mut Report) {
    let name = object["name"].as_str().unwrap_or_default();
    for relationship in object["relationships"].as_array().into_iter().flatten() {
        let Some(mut node) = JsonObject::new(
            relationship,
            format!("custom type {name}, relationship"),
            report,
        ) else {
            continue;
        };
        let relation = node.text("name").unwrap_or_default();
        let construct = format!("custom type {name}, relationship {relation}");
        // Postern has one source.
        node.get("source");
        let table = node.get("remote_table").and_then(Name::read);
        let mapping = node.object("field_mapping");
        let array = node.text("type") == Some("array");
        node.finish(report);
        let (Some(table), Some(mapping)) = (table, mapping) else {
            report.refused(construct, "it names no table or no fields");
            continue;
        };
        let on = mapping
            .iter()
            .map(|(own, theirs)| (own.clone(), TomlValue::json(theirs)))
            .collect();
        let mut pairs = vec![
            pair("table", TomlValue::text(table.key())),
            pair("on", TomlValue::Table(on)),
        ];
        if !array {
            pairs.push(pair("one", TomlValue::Flag(true)));
        }
        text.push_str(&section(
            &format!(
                "type.{}.relation.{}",
                toml_writer::key(name),
                toml_writer::key(relation)
            ),
            &pairs,
        ));
        report.carried(construct);
    }
}

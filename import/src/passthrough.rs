//! Writes actions, event triggers and cron triggers to files of their own, for the parts of Postern that will run them.
//! This version does not read these files.

use serde_json::{Map, Value};

use crate::endpoints::Files;
use crate::json_object::JsonObject;
use crate::names::Name;
use crate::report::Report;
use crate::sdl;
use crate::session::Session;
use crate::tables::Tables;
use crate::toml_writer::{self, Entry, TomlValue, comment};

const ACTIONS: &str = "actions.toml";
const EVENTS: &str = "events.toml";
const CRON: &str = "cron.toml";

/// The pairs of a section.
type Pairs = Vec<(String, TomlValue)>;

/// Writes a section with its pairs, long tables as sections of their own.
fn section(name: &str, pairs: &Pairs) -> String {
    let session = Session::default();
    let mut text = format!("\n[{name}]\n");
    let entries: Vec<Entry> = pairs.iter().map(|(key, item)| toml_writer::entry(name, key, item, &session)).collect();
    text.extend(
        entries.iter().filter_map(|entry| if let Entry::Line(line) = entry { Some(line.as_str()) } else { None }),
    );
    text.extend(
        entries.iter().filter_map(|entry| if let Entry::Section(text) = entry { Some(text.as_str()) } else { None }),
    );
    text
}

fn pair(key: &str, item: TomlValue) -> (String, TomlValue) {
    (key.to_owned(), item)
}

/// The remaining keys of an object and their values, without nulls.
fn rest(fields: &Map<String, Value>, known: &[&str]) -> Pairs {
    let unknown =
        |(key, value): &(&String, &Value)| !known.contains(&key.as_str()) && crate::json_object::says_something(value);
    fields.iter().filter(unknown).map(|(key, value)| (key.clone(), TomlValue::json(value))).collect()
}

fn roles(value: &Value) -> TomlValue {
    let roles = value.as_array().into_iter().flatten().filter_map(|value| value["role"].as_str());
    TomlValue::texts(&roles.map(str::to_owned).collect::<Vec<_>>())
}

/// Writes `actions.toml` and `actions.graphql`, if there are actions or custom types.
pub(crate) fn actions(actions: &[Value], types: &Value, report: &mut Report) -> Files {
    if actions.is_empty() && !crate::json_object::says_something(types) {
        return vec![];
    }
    let mut text = comment("Actions: fields that a webhook resolves. Their types are in actions.graphql.");
    for action in actions {
        let Some(mut node) = JsonObject::new(action, "action", report) else { continue };
        let name = node.text("name").unwrap_or_default();
        let construct = format!("action {name}");
        node.get("comment");
        let (permissions, definition) = (node.get("permissions").unwrap_or(&Value::Null), node.object("definition"));
        let Some(definition) = definition else {
            report.refused(construct, "it has no definition");
            continue;
        };
        let mutation = definition.get("type").and_then(Value::as_str).unwrap_or("mutation") == "mutation";
        let asynchronous = definition.get("kind").and_then(Value::as_str) == Some("asynchronous");
        let mut pairs = vec![pair("as", TomlValue::text(if mutation { "mutation" } else { "query" }))];
        if asynchronous {
            pairs.push(pair("asynchronous", TomlValue::Flag(true)));
        }
        // The signature is in the GraphQL file.
        pairs.extend(rest(definition, &["type", "kind", "arguments", "output_type"]));
        pairs.push(pair("roles", roles(permissions)));
        node.finish(report);
        text.push_str(&section(&format!("action.{}", toml_writer::key(name)), &pairs));
        report.later(construct, ACTIONS);
    }
    for object in types["objects"].as_array().into_iter().flatten() {
        relationships(object, &mut text, report);
    }
    vec![(ACTIONS.to_owned(), text), ("actions.graphql".to_owned(), sdl::write(actions, types))]
}

/// Writes the relationships from an action's result type to tables.
fn relationships(object: &Value, text: &mut String, report: &mut Report) {
    let name = object["name"].as_str().unwrap_or_default();
    for relationship in object["relationships"].as_array().into_iter().flatten() {
        let Some(mut node) = JsonObject::new(relationship, format!("custom type {name}, relationship"), report) else {
            continue;
        };
        let relation = node.text("name").unwrap_or_default();
        let construct = format!("custom type {name}, relationship {relation}");
        // Postern has one source.
        node.get("source");
        let (table, mapping) = (node.get("remote_table").and_then(Name::read), node.object("field_mapping"));
        let array = node.text("type") == Some("array");
        node.finish(report);
        let (Some(table), Some(mapping)) = (table, mapping) else {
            report.refused(construct, "it names no table or no fields");
            continue;
        };
        let on = mapping.iter().map(|(own, theirs)| (own.clone(), TomlValue::json(theirs))).collect();
        let mut pairs = vec![pair("table", TomlValue::text(table.key())), pair("on", TomlValue::Table(on))];
        if !array {
            pairs.push(pair("one", TomlValue::Flag(true)));
        }
        text.push_str(&section(
            &format!("type.{}.relation.{}", toml_writer::key(name), toml_writer::key(relation)),
            &pairs,
        ));
        report.later(construct, ACTIONS);
    }
}

/// Writes `events.toml`; `None` without event triggers.
pub(crate) fn events(tables: &Tables<'_>, report: &mut Report) -> Option<String> {
    let mut text = String::new();
    for table in &tables.tracked {
        for trigger in table.events {
            let Value::Object(fields) = trigger else {
                report.refused(format!("table {}, event trigger", table.key), "it is not an object");
                continue;
            };
            let name = fields.get("name").and_then(Value::as_str).unwrap_or_default();
            let mut pairs = vec![pair("table", TomlValue::text(table.key.as_str()))];
            for (operation, definition) in fields.get("definition").and_then(Value::as_object).into_iter().flatten() {
                match definition {
                    Value::Bool(flag) => pairs.push(pair(operation, TomlValue::Flag(*flag))),
                    Value::Null => {}
                    definition => pairs.push(pair(operation, TomlValue::json(definition))),
                }
            }
            pairs.extend(rest(fields, &["name", "definition"]));
            text.push_str(&section(&format!("event.{}", toml_writer::key(name)), &pairs));
            report.later(format!("table {}, event trigger {name}", table.key), EVENTS);
        }
    }
    let head = comment("Event triggers: changes of rows, sent to a webhook.");
    (!text.is_empty()).then(|| format!("{head}{text}"))
}

/// Writes `cron.toml`; `None` without cron triggers.
pub(crate) fn cron(triggers: &[Value], report: &mut Report) -> Option<String> {
    let mut text = String::new();
    for trigger in triggers {
        let Value::Object(fields) = trigger else {
            report.refused("cron trigger", "it is not an object");
            continue;
        };
        let name = fields.get("name").and_then(Value::as_str).unwrap_or_default();
        // `include_in_metadata` concerns only exports by the Hasura CLI.
        let pairs = rest(fields, &["name", "include_in_metadata"]);
        text.push_str(&section(&format!("cron.{}", toml_writer::key(name)), &pairs));
        report.later(format!("cron trigger {name}"), CRON);
    }
    let head = comment("Cron triggers: webhooks called on a schedule.");
    (!text.is_empty()).then(|| format!("{head}{text}"))
}

/// The files of event triggers and cron triggers, by name.
pub(crate) fn triggers(tables: &Tables<'_>, cron_triggers: &[Value], report: &mut Report) -> Files {
    let events = events(tables, report).map(|text| (EVENTS.to_owned(), text));
    let cron = cron(cron_triggers, report).map(|text| (CRON.to_owned(), text));
    events.into_iter().chain(cron).collect()
}

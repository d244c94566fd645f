//! Writes event triggers and cron triggers to `events.toml` and `cron.toml`, which the gateway
//! reads (`[events]` in the settings).

use serde_json::Value;

use crate::endpoints::Files;
use crate::json_object::JsonObject;
use crate::passthrough;
use crate::report::Report;
use crate::tables::Tables;
use crate::toml_writer::{self, Pairs, TomlValue, comment, section};

const EVENTS: &str = "events.toml";
const CRON: &str = "cron.toml";

/// The keys that mean the same in Postern's files.
const DELIVERY: [&str; 4] = ["webhook", "webhook_from_env", "headers", "retry_conf"];

/// The files of event triggers and cron triggers, by name.
pub(crate) fn files(tables: &Tables<'_>, cron_triggers: &[Value], report: &mut Report) -> Files {
    let events = events(tables, report).map(|text| (EVENTS.to_owned(), text));
    let cron = cron(cron_triggers, report).map(|text| (CRON.to_owned(), text));
    events.into_iter().chain(cron).collect()
}

/// The settings that name these files.
pub(crate) fn settings(files: &Files) -> Option<String> {
    let names: Vec<String> = files
        .iter()
        .map(|(name, _)| format!("\"{name}\""))
        .collect();
    (!names.is_empty()).then(|| format!("\n[events]\nfiles = [{}]\n", names.join(", ")))
}

fn events(tables: &Tables<'_>, report: &mut Report) -> Option<String> {
    let mut text = String::new();
    for table in &tables.tracked {
        for trigger in table.events {
            let Some(mut node) = JsonObject::new(
                trigger,
                format!("table {}, event trigger", table.key),
                report,
            ) else {
                continue;
            };
            let name = node.text("name").unwrap_or_default();
            let construct = format!("table {}, event trigger {name}", table.key);
            let mut pairs = vec![("table".to_owned(), TomlValue::text(table.key.as_str()))];
            if let Some(definition) = node.object("definition") {
                let mut definition = JsonObject::from_map(definition, construct.as_str());
                if definition.flag("enable_manual") {
                    pairs.push(("manual".to_owned(), TomlValue::Flag(true)));
                }
                for operation in ["insert", "update", "delete"] {
                    let columns = definition
                        .get(operation)
                        .map(|given| columns(operation, given));
                    pairs.extend(columns.map(|columns| (operation.to_owned(), columns)));
                }
                definition.finish(report);
            }
            if node.get("cleanup_config").is_some() {
                let how = "`retention_days` in `[events]` says how long events and their \
                           attempts are kept";
                report.approximated(format!("{construct}, `cleanup_config`"), how);
            }
            if node.flag("trigger_on_replication") {
                let why = "triggers do not fire for rows that replication writes";
                report.refused(format!("{construct}, `trigger_on_replication`"), why);
            }
            pairs.extend(delivery(&mut node, &construct, report));
            node.finish(report);
            text.push_str(&section(
                &format!("event.{}", toml_writer::key(name)),
                &pairs,
            ));
            report.carried(construct);
        }
    }
    let head = comment("Event triggers: changes of rows, sent to a webhook.");
    (!text.is_empty()).then(|| format!("{head}{text}"))
}

/// `columns` are those that fire an update, and those of the payload of other operations, where
/// `payload` goes first.
fn columns(operation: &str, given: &Value) -> TomlValue {
    match given.get("payload").filter(|_| operation != "update") {
        Some(payload) => TomlValue::Table(vec![("columns".to_owned(), TomlValue::json(payload))]),
        None => TomlValue::json(given),
    }
}

fn cron(triggers: &[Value], report: &mut Report) -> Option<String> {
    let mut text = String::new();
    for trigger in triggers {
        let Some(mut node) = JsonObject::new(trigger, "cron trigger", report) else {
            continue;
        };
        let name = node.text("name").unwrap_or_default();
        let construct = format!("cron trigger {name}");
        // This concerns only exports by the Hasura CLI.
        node.get("include_in_metadata");
        let mut pairs: Pairs = vec![];
        for key in ["schedule", "payload"] {
            pairs.extend(
                node.get(key)
                    .map(|value| (key.to_owned(), TomlValue::json(value))),
            );
        }
        // Hasura makes up for the runs that it has missed, within `tolerance_seconds`.
        pairs.push(("missed".to_owned(), TomlValue::text("all")));
        pairs.extend(delivery(&mut node, &construct, report));
        node.finish(report);
        text.push_str(&section(
            &format!("cron.{}", toml_writer::key(name)),
            &pairs,
        ));
        report.carried(construct);
    }
    let head = comment("Cron triggers: webhooks called on a schedule.");
    (!text.is_empty()).then(|| format!("{head}{text}"))
}

/// The keys that both kinds of triggers have.
fn delivery(node: &mut JsonObject<'_>, construct: &str, report: &mut Report) -> Pairs {
    if node.get("response_transform").is_some() {
        report.refused(
            format!("{construct}, `response_transform`"),
            "only the status of a response counts",
        );
    }
    let given = DELIVERY.into_iter().chain(["comment"]);
    let mut pairs: Pairs = given
        .filter_map(|key| Some((key.to_owned(), TomlValue::json(node.get(key)?))))
        .collect();
    if let Some(transform) = node.object("request_transform") {
        let mut transform = transform.clone();
        passthrough::keep_supported(construct, "request_transform", &mut transform, report);
        pairs.push((
            "request_transform".to_owned(),
            TomlValue::json(&Value::Object(transform)),
        ));
    }
    pairs
}

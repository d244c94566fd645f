//! The section `[settings]`: session values that each writing transaction sets as Postgres settings, for triggers.

use sql::model::access::Setting;

use crate::diagnostic_kind::Fault;
use crate::file::Text;
use crate::report::{Report, closest};
use crate::session::Session;

/// The prefix of settings reserved for the gateway.
const OWN: &str = "postern.";

/// The settings, in file order; reports their faults.
pub(crate) fn settings(session: &Session, entries: &[(Text, Text)], report: &mut Report<'_>) -> Vec<(String, Setting)> {
    let mut settings: Vec<(String, Setting)> = vec![];
    for (name, written) in entries {
        check_name(name, &settings, report);
        settings.extend(value(session, written, report).map(|value| (name.value.clone(), value)));
    }
    settings
}

/// Postgres compares names of settings without case.
fn check_name(name: &Text, known: &[(String, Setting)], report: &mut Report<'_>) {
    let folded = name.value.to_lowercase();
    let mut parts = name.value.split('.');
    let reason = match folded.as_str() {
        _ if !name.value.contains('.') => "a setting of an application has a prefix with a dot",
        _ if !parts.all(is_identifier) => "between its dots a setting has letters, digits and underscores",
        other if other.starts_with(OWN) => "this prefix is reserved for the gateway",
        _ => "",
    };
    if !reason.is_empty() {
        let help = (!name.value.contains('.')).then(|| format!("write \"app.{}\", or another prefix", name.value));
        report.add_with(Fault::SettingName { setting: name.value.clone(), reason }, &name.span, help);
    }
    if known.iter().any(|(known, _)| known.to_lowercase() == folded) {
        report.add(Fault::Twice { name: name.value.clone() }, &name.span);
    }
}

fn is_identifier(part: &str) -> bool {
    let mut characters = part.chars();
    characters.next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
        && characters.all(|c| c.is_ascii_alphanumeric() || c == '_')
}

fn value(session: &Session, written: &Text, report: &mut Report<'_>) -> Option<Setting> {
    if written.value == "session" {
        return Some(Setting::Session);
    }
    let Some(name) = written.value.strip_prefix("session.") else {
        let help = Some("write `session.<name>`, or `session` for all of it as JSON".to_owned());
        report.add_with(Fault::SettingValue { value: written.value.clone() }, &written.span, help);
        return None;
    };
    if session.find(name).is_none() {
        let help = closest(name, session.names()).map(|close| format!("did you mean `session.{close}`?"));
        report.add_with(Fault::UnknownSession { name: name.to_owned() }, &written.span, help);
    }
    Some(Setting::Value(name.to_owned()))
}

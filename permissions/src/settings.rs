//! The section `[settings]`: session values that each transaction sets as Postgres settings, for
//! triggers and for policies of row-level security.

use sql::model::access::{Access, Setting};

use crate::fault::Fault;
use crate::file::Text;
use crate::report::Report;
use crate::session::Session;
use crate::similar_names::closest;

/// The setting of a transaction from which event triggers read the session.
pub const EVENT_SESSION: &str = "postern.session";

/// The setting with the trace that the request belongs to.
const EVENT_TRACE: &str = "postern.trace_context";

/// The prefix of settings reserved for the gateway.
pub(crate) const OWN: &str = "postern.";

/// The settings, in file order; reports their faults.
pub(crate) fn settings(
    session: &Session,
    entries: &[(Text, Text)],
    report: &mut Report<'_>,
) -> Vec<(String, Setting)> {
    let mut settings: Vec<(String, Setting)> = vec![];
    for (name, written) in entries {
        check_name(name, &settings, report);
        settings.extend(value(session, written, report).map(|value| (name.value.clone(), value)));
    }
    settings
}

/// The settings of transactions, as the file has them for all roles.
#[derive(Debug, Default)]
pub(crate) struct RoleSettings {
    /// Names and values.
    pub(crate) values: Vec<(String, Setting)>,
    /// Whether they hold for reads, too.
    pub(crate) reads: bool,
    /// Whether transactions that write set [`EVENT_SESSION`], for event triggers.
    pub(crate) event_session: bool,
}

impl RoleSettings {
    /// Adds the settings to the access of a role whose statements run as a role of the database, if
    /// one is given. They then hold for reads, as the privileges of that role do.
    pub(crate) fn apply(&self, access: Access, set_role: Option<&str>) -> Access {
        // The role comes first: Postgres refuses it before anything else is done.
        let role = set_role.map(|name| ("role".to_owned(), Setting::Text(name.to_owned())));
        let values = self
            .values
            .iter()
            .map(|(name, value)| (name.clone(), with_role(value, set_role)));
        let settings: Vec<_> = role.into_iter().chain(values).collect();
        let reads = if self.reads || set_role.is_some() {
            settings.clone()
        } else {
            vec![]
        };
        let events = [
            (EVENT_SESSION, Setting::Session),
            (EVENT_TRACE, Setting::TraceContext),
        ];
        let events = events
            .into_iter()
            .filter(|_| self.event_session)
            .map(|(name, value)| (name.to_owned(), value));
        access
            .with_settings(settings.into_iter().chain(events).collect())
            .with_settings_of_reads(reads)
    }
}

/// The value for a role whose statements run as a role of the database, if one is given.
fn with_role(value: &Setting, set_role: Option<&str>) -> Setting {
    match value {
        Setting::TokenClaims { .. } => Setting::TokenClaims {
            database_role: set_role.map(str::to_owned),
        },
        other => other.clone(),
    }
}

/// Postgres compares names of settings without case.
fn check_name(name: &Text, known: &[(String, Setting)], report: &mut Report<'_>) {
    let folded = name.value.to_lowercase();
    let mut parts = name.value.split('.');
    let reason = match folded.as_str() {
        _ if !name.value.contains('.') => "a setting of an application has a prefix with a dot",
        _ if !parts.all(is_identifier) => {
            "between its dots a setting has letters, digits and underscores"
        }
        other if other.starts_with(OWN) => "this prefix is reserved for the gateway",
        _ => "",
    };
    if !reason.is_empty() {
        let help = (!name.value.contains('.'))
            .then(|| format!("write \"app.{}\", or another prefix", name.value));
        report.add_with(
            Fault::SettingName {
                setting: name.value.clone(),
                reason,
            },
            &name.span,
            help,
        );
    }
    if known
        .iter()
        .any(|(known, _)| known.to_lowercase() == folded)
    {
        report.add(
            Fault::Twice {
                name: name.value.clone(),
            },
            &name.span,
        );
    }
}

fn is_identifier(part: &str) -> bool {
    let mut characters = part.chars();
    characters
        .next()
        .is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
        && characters.all(|c| c.is_ascii_alphanumeric() || c == '_')
}

fn value(session: &Session, written: &Text, report: &mut Report<'_>) -> Option<Setting> {
    match written.value.as_str() {
        "session" => return Some(Setting::Session),
        "claims" => return Some(Setting::Claims),
        "token" => {
            return Some(Setting::TokenClaims {
                database_role: None,
            });
        }
        _ => {}
    }
    let Some(name) = written.value.strip_prefix("session.") else {
        let help = "write `session.<name>`, or for all of it as JSON `session` (names of \
                    headers) or `claims` (plain names), or \
                    `token` for the claims of the token as they are";
        let help = Some(help.to_owned());
        report.add_with(
            Fault::SettingValue {
                value: written.value.clone(),
            },
            &written.span,
            help,
        );
        return None;
    };
    // A setting of a value that the caller lacks is the empty text in any case.
    let name = name.strip_suffix('?').unwrap_or(name);
    if session.find(name).is_none() {
        let help =
            closest(name, session.names()).map(|close| format!("did you mean `session.{close}`?"));
        report.add_with(
            Fault::UnknownSession {
                name: name.to_owned(),
            },
            &written.span,
            help,
        );
    }
    Some(Setting::Value(name.to_owned()))
}

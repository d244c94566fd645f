//! `postern events`: lists, shows, replays, removes and schedules events of the queue.

use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;
use std::time::Duration;

use clap::{Arg, ArgAction, ArgMatches, Command};
use pg::DatabaseError;
use serde_json::Value;
use tokio::time::Instant;
use uuid::Uuid;

use super::{Failure, configured, connect, print, print_error};
use gateway::config::{self, Config, SETTINGS};
use plugins::events::{self, EventFilter, EventStore};

/// The SQLSTATE with which the database refuses the name of a trigger.
const UNDEFINED_OBJECT: &str = "42704";

/// The state of events that are not delivered yet.
const PENDING: &str = "pending";

/// The time limit of a command's statements.
const STATEMENT_TIMEOUT: Duration = Duration::from_secs(60);

pub(super) fn command() -> Command {
    let option =
        |name: &'static str, value: &'static str| Arg::new(name).long(name).value_name(value);
    let json = || Arg::new("json").long("json").action(ArgAction::SetTrue);
    let settings = || config::args(&[&SETTINGS.config, &SETTINGS.database_url]);
    let id = || {
        Arg::new("id")
            .value_name("ID")
            .value_parser(Uuid::parse_str)
    };
    let trigger = || option("trigger", "NAME");
    let list = Command::new("list")
        .about("List events, the newest first")
        .arg(
            option("state", "STATE")
                .value_parser(["pending", "delivered", "dead"])
                .help("List only events in this state; `dead` ones were given up"),
        )
        .arg(trigger().help("List only events of this trigger"))
        .arg(
            option("limit", "N")
                .default_value("50")
                .value_parser(clap::value_parser!(u32).range(1..=100_000))
                .help("Maximum number of events"),
        )
        .arg(json().help("Print a JSON array"))
        .args(settings())
        .after_help(
            "Example:\n  postern events list --config gateway.toml --state dead \
                     --trigger order_placed",
        );
    let show = Command::new("show")
        .about("Print an event with its payload and its attempts, as JSON")
        .arg(
            id().required(true)
                .help("Id of the event, from `postern events list`"),
        )
        .args(settings())
        .after_help(
            "Example:\n  postern events show --config gateway.toml \
                     0b7c4a52-6a1e-4d0c-9a53-1f3f6f0a7c11",
        );
    let replay = Command::new("replay")
        .about("Deliver events again: one by its id, or all of a trigger that were given up")
        .arg(
            id().help("Id of the event")
                .conflicts_with_all(["dead", "trigger"]),
        )
        .arg(
            Arg::new("dead")
                .long("dead")
                .action(ArgAction::SetTrue)
                .requires("trigger")
                .help("All that were given up"),
        )
        .arg(
            trigger()
                .help("The trigger of these events")
                .requires("dead"),
        )
        .args(settings())
        .after_help(
            "Examples:\n  postern events replay --config gateway.toml \
                     0b7c4a52-6a1e-4d0c-9a53-1f3f6f0a7c11\n  \
                     postern events replay --config gateway.toml --dead --trigger order_placed",
        );
    let purge = Command::new("purge")
        .about("Remove events with their attempts: delivered ones, or those in another state")
        .arg(option("older-than", "AGE").required(true).help(
            "Remove only events that ended so long ago, or for `pending` were made: `30d`, \
                 `12h`, `90s`, `0s`",
        ))
        .arg(
            option("state", "STATE")
                .value_parser(["delivered", "dead", PENDING])
                .default_value("delivered")
                .help(
                    "Remove events in this state; `pending` ones, which are then never delivered, \
                     only of one trigger",
                ),
        )
        .arg(
            Arg::new("dead")
                .long("dead")
                .action(ArgAction::SetTrue)
                .conflicts_with("state")
                .help("The same as `--state dead`"),
        )
        .arg(
            trigger()
                .required_if_eq("state", PENDING)
                .help("Remove only events of this trigger"),
        )
        .arg(
            Arg::new("yes")
                .long("yes")
                .action(ArgAction::SetTrue)
                .help("Remove pending events without asking"),
        )
        .args(settings())
        .after_help(
            "Examples:\n  postern events purge --config gateway.toml --older-than 30d\n  \
             postern events purge --config gateway.toml --state pending --trigger order_placed \
             --older-than 1h",
        );
    let schedule = Command::new("schedule")
        .about("Add an event that is delivered once, and print its id")
        .arg(
            trigger()
                .required(true)
                .help("Name of the event trigger or schedule whose target gets it"),
        )
        .arg(option("at", "TIME").help(
            "When to deliver it, like `2030-01-31T08:00:00Z`; \
                                        default: now",
        ))
        .arg(
            option("payload", "JSON")
                .default_value("null")
                .help("Payload of the event"),
        )
        .arg(option("key", "TEXT").help(
            "Key that at most one event of the trigger has; with a \
                                         known one nothing is added",
        ))
        .args(settings())
        .after_help(
            "Example:\n  postern events schedule --config gateway.toml --trigger \
                     reminder --at 2030-01-31T08:00:00Z \\\n    \
                     --payload '{\"order\": 7}' --key reminder-7",
        );
    Command::new("events")
        .about("List, show, replay, remove and schedule events")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommands([list, show, replay, purge, schedule])
        .after_help(
            "Example:\n  postern events list --config gateway.toml --state dead\n  \
             postern events replay --config gateway.toml --dead --trigger order_placed",
        )
}

pub(super) async fn run(matches: ArgMatches) -> Result<ExitCode, Failure> {
    let Some((name, matches)) = matches.subcommand() else {
        return Ok(ExitCode::from(2));
    };
    let config = configured(matches)?;
    let database = connect(&config).await?;
    let store = EventStore {
        database: &database,
        deadline: Instant::now() + STATEMENT_TIMEOUT,
    };
    match name {
        "list" => list(matches, &store).await?,
        "show" => show(matches, &store).await?,
        "replay" => replay(matches, &store).await?,
        "purge" => purge(matches, &store).await?,
        _ => schedule(matches, &config, &store).await?,
    }
    Ok(ExitCode::SUCCESS)
}

async fn list(matches: &ArgMatches, store: &EventStore<'_>) -> Result<(), Failure> {
    let limit = matches
        .get_one::<u32>("limit")
        .map_or(50, |limit| *limit as usize);
    let filter = EventFilter {
        state: given(matches, "state"),
        trigger: given(matches, "trigger"),
        limit,
    };
    let events = store.list(&filter).await?;
    if matches.get_flag("json") {
        return print(&Value::Array(events).to_string());
    }
    let mut rows = vec![
        [
            "ID", "TRIGGER", "STATE", "ATTEMPTS", "CREATED", "DUE", "ERROR",
        ]
        .map(str::to_owned)
        .to_vec(),
    ];
    rows.extend(events.iter().map(|event| {
        let state = match (&event["delivering"], &event["waits"]) {
            (Value::Bool(true), _) => "delivering".to_owned(),
            (_, Value::Bool(true)) => "waiting".to_owned(),
            _ => text(&event["state"]),
        };
        let due = if event["state"] == "pending" {
            text(&event["due_at"])
        } else {
            String::new()
        };
        let error: String = text(&event["error"]).chars().take(60).collect();
        vec![
            text(&event["id"]),
            text(&event["trigger"]),
            state,
            text(&event["attempts"]),
            text(&event["created_at"]),
            due,
            error,
        ]
    }));
    let widths: Vec<usize> = (0..7)
        .map(|column| {
            rows.iter()
                .map(|row| row[column].chars().count())
                .max()
                .unwrap_or_default()
        })
        .collect();
    let lines = rows.iter().map(|row| {
        let cells = row
            .iter()
            .zip(&widths)
            .map(|(cell, width)| format!("{cell:width$}"));
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    });
    print(&lines.collect::<Vec<_>>().join("\n"))
}

async fn show(matches: &ArgMatches, store: &EventStore<'_>) -> Result<(), Failure> {
    let Some(id) = matches.get_one::<Uuid>("id").copied() else {
        return Ok(());
    };
    let event = store.show(id).await?.ok_or(Failure::NoEvent(id))?;
    print(&serde_json::to_string_pretty(&event).unwrap_or_default())
}

async fn replay(matches: &ArgMatches, store: &EventStore<'_>) -> Result<(), Failure> {
    let replayed = match (
        matches.get_one::<Uuid>("id").copied(),
        given(matches, "trigger"),
    ) {
        (Some(id), _) => {
            if !store.replay(id).await? {
                return Err(Failure::NotReplayed(id));
            }
            "1".to_owned()
        }
        (None, Some(trigger)) => store.replay_dead(&trigger).await?,
        (None, None) => return Err(Failure::NothingToReplay),
    };
    print_error(&format!("events to be delivered again: {replayed}"));
    Ok(())
}

async fn purge(matches: &ArgMatches, store: &EventStore<'_>) -> Result<(), Failure> {
    let age = given(matches, "older-than").unwrap_or_default();
    let seconds = seconds(&age).ok_or_else(|| Failure::Age(age.clone()))?;
    let state = given(matches, "state").unwrap_or_default();
    let state = if matches.get_flag("dead") {
        "dead"
    } else {
        &state
    };
    let trigger = given(matches, "trigger");
    if state == PENDING && !matches.get_flag("yes") {
        let trigger = trigger.as_deref().unwrap_or_default();
        confirm(&format!(
            "Pending events of `{trigger}` that are older than {age} will never be delivered. \
             Remove them? [yes/no] "
        ))?;
    }
    let removed = store.purge(state, seconds, trigger.as_deref()).await?;
    print_error(&format!("events removed: {removed}"));
    Ok(())
}

/// Asks at a terminal. Elsewhere the answer is no.
fn confirm(question: &str) -> Result<(), Failure> {
    if !io::stdin().is_terminal() {
        return Err(Failure::NotConfirmed);
    }
    write!(io::stderr(), "{question}")?;
    let mut input = String::new();
    io::stdin().read_line(&mut input)?;
    if input.trim() == "yes" {
        Ok(())
    } else {
        Err(Failure::NotConfirmed)
    }
}

async fn schedule(
    matches: &ArgMatches,
    config: &Config,
    store: &EventStore<'_>,
) -> Result<(), Failure> {
    let [at, payload, key] = ["at", "payload", "key"].map(|name| given(matches, name));
    let trigger = given(matches, "trigger").unwrap_or_default();
    // Without triggers in the settings, the database alone knows the names.
    if events::declared_names(config).is_some_and(|names| !names.contains(&trigger)) {
        return Err(Failure::NoTrigger(trigger));
    }
    let payload = payload.unwrap_or_else(|| "null".to_owned());
    match store
        .schedule(&trigger, at.as_deref(), &payload, key.as_deref())
        .await
    {
        Err(DatabaseError::Refused(refusal)) if refusal.sqlstate == UNDEFINED_OBJECT => {
            Err(Failure::NoTrigger(trigger))
        }
        id => print(&id?),
    }
}

fn given(matches: &ArgMatches, name: &str) -> Option<String> {
    matches.get_one::<String>(name).cloned()
}

fn text(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// `30d`, `12h`, `15m` or `90s` in seconds.
fn seconds(age: &str) -> Option<u64> {
    let unit = age.chars().last()?;
    let factor = match unit {
        's' => 1,
        'm' => 60,
        'h' => 3600,
        'd' => 86_400,
        _ => return None,
    };
    age.strip_suffix(unit)?
        .parse::<u64>()
        .ok()?
        .checked_mul(factor)
        .filter(|seconds| *seconds <= 100 * 366 * 86_400)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_have_a_unit() {
        assert_eq!(
            ["90s", "2m", "12h", "30d"].map(seconds),
            [Some(90), Some(120), Some(43_200), Some(2_592_000)]
        );
        assert_eq!(
            ["", "30", "d", "1.5h", "-1d", "1w", "99999999999999999d"].map(seconds),
            [None; 7]
        );
    }
}

//! `postern bench`: measures the cost of GraphQL documents. Without `--url` it measures the steps
//! of their translation; with it, it runs their operations against a gateway.

mod traffic;
mod translation;

use std::process::ExitCode;
use std::time::Duration;

use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use serde_json::{Map, Value};
use sql::graphql::document;
use sql::graphql::document::{Limits, OperationKind};

use super::{Failure, configured, explain, read};
use gateway::config::{self, SETTINGS};
use gateway::error::Error;

const HELP: &str = "\
Without --url, the command measures the translation of each operation, with a catalog or a database and a permission \
file. No operation is run.

With --url, it runs each operation against a gateway, first with one client, then with all, for --seconds each. A \
gateway that was started with --server-timing reports where it spends the time: `run` is the time in Postgres, the wait \
for a connection of the pool, and the writing of the rows (for a response over 1 MiB, until its first part is sent). \
With one client there is no wait, so that figure is the one to compare.

Examples:
  postern bench --catalog catalog.json --permissions permissions.toml --role user queries/*.graphql
  postern bench --url http://localhost:8080 --token \"$TOKEN\" --variables '{\"id\": 7}' --clients 16 order.graphql";

pub(super) fn command() -> Command {
    let documents = Arg::new("documents")
        .value_name("FILE")
        .required(true)
        .num_args(1..);
    Command::new("bench")
        .about(
            "Measure the translation of documents, or their operations against a running \
                gateway",
        )
        .arg(documents.help("GraphQL documents, or - for standard input"))
        .arg(
            explain::role()
                .required(false)
                .required_unless_present("url"),
        )
        .arg(explain::session().help(
            "Session value; with --url it is sent together with the \
                                      admin secret",
        ))
        .arg(valued("variables", "JSON").help(
            "Variables, or a file with them; with --url also \
                                               an array of such objects, sent in turn",
        ))
        .arg(valued("operation", "NAME").help("Measure only this operation"))
        .arg(switch("json").help("Print one JSON object"))
        .args(translation_arguments())
        .args(traffic_arguments())
        .args(config::args(&[
            &SETTINGS.config,
            &SETTINGS.database_url,
            &SETTINGS.permissions,
            &SETTINGS.profile,
            &SETTINGS.header_prefix,
            &SETTINGS.stringify_numbers,
            &SETTINGS.admin_secret,
        ]))
        .after_help(HELP)
}

fn translation_arguments() -> [Arg; 2] {
    let repetitions = valued("repetitions", "N")
        .default_value("1000")
        .value_parser(value_parser!(u64).range(1..));
    [
        valued("catalog", "FILE")
            .conflicts_with("url")
            .help("Output of `postern catalog`, in place of a database"),
        repetitions.help("Repetitions of each step, within at most 1.5 seconds"),
    ]
}

fn traffic_arguments() -> [Arg; 8] {
    let url = valued("url", "URL").value_parser(traffic::Target::parse);
    let clients = valued("clients", "N")
        .default_value("16")
        .value_parser(value_parser!(u16).range(1..));
    let seconds = valued("seconds", "S")
        .default_value("10")
        .value_parser(seconds);
    let undone = switch("dry-run").conflicts_with("mutations");
    let token = valued("token", "T").conflicts_with("admin-secret");
    [
        url.help("Gateway to run the operations against; the path defaults to /v1/graphql"),
        token.help("Bearer token to send"),
        valued("header", "NAME: VALUE")
            .action(ArgAction::Append)
            .help("Header to send, besides the others"),
        clients.help("Number of clients, each with one request at a time"),
        valued("rate", "N").value_parser(rate).help(
            "Requests per second, sent on schedule; default: each client sends the next \
                   request after a response",
        ),
        seconds.help("Duration of each operation's run"),
        switch("mutations").help("Also run mutations: they write, thousands of times"),
        undone.help("Also run mutations, each rolled back"),
    ]
    .map(|arg| {
        if arg.get_id() == "url" {
            arg
        } else {
            arg.requires("url")
        }
    })
}

fn valued(name: &'static str, value: &'static str) -> Arg {
    Arg::new(name).long(name).value_name(value)
}

fn switch(name: &'static str) -> Arg {
    Arg::new(name).long(name).action(ArgAction::SetTrue)
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text
        .parse()
        .ok()
        .filter(|seconds| (0.1..=86_400.0).contains(seconds));
    seconds
        .map(Duration::from_secs_f64)
        .ok_or_else(|| "a number of seconds, from 0.1 to a day".to_owned())
}

fn rate(text: &str) -> Result<f64, String> {
    text.parse()
        .ok()
        .filter(|rate| (0.01..=1e6).contains(rate))
        .ok_or_else(|| "a number above zero, at most a million".to_owned())
}

pub(super) async fn run(matches: ArgMatches) -> Result<ExitCode, Failure> {
    let config = configured(&matches)?;
    match matches.get_one::<traffic::Target>("url") {
        Some(target) => traffic::run(&matches, &config, target).await,
        None => translation::run(&matches, &config).await,
    }
}

/// An operation of a file.
#[derive(Debug)]
struct Operation {
    path: String,
    name: Option<String>,
    kind: OperationKind,
    /// The whole document.
    text: String,
}

/// An operation or document that could not be measured.
#[derive(Debug)]
struct Fault {
    path: String,
    name: Option<String>,
    message: String,
}

impl Operation {
    /// The operation's name in reports.
    fn title(&self) -> String {
        title(&self.path, self.name.as_deref())
    }

    fn fault(&self, message: impl Into<String>) -> Fault {
        Fault {
            path: self.path.clone(),
            name: self.name.clone(),
            message: message.into(),
        }
    }
}

impl Fault {
    fn title(&self) -> String {
        title(&self.path, self.name.as_deref())
    }
}

fn title(path: &str, name: Option<&str>) -> String {
    match name {
        Some(name) => format!("{path} {name}"),
        None => path.to_owned(),
    }
}

/// The selected operations of all documents, and the errors of the others.
fn operations(
    matches: &ArgMatches,
    limits: &Limits,
) -> Result<(Vec<Operation>, Vec<Fault>), Failure> {
    let mut operations = vec![];
    let mut faults = vec![];
    let wanted = matches.get_one::<String>("operation");
    for path in matches
        .get_many::<String>("documents")
        .into_iter()
        .flatten()
    {
        let text = read(path)?;
        let fault = |message: String| Fault {
            path: path.clone(),
            name: wanted.cloned(),
            message,
        };
        let document = match document::parse(&text, limits) {
            Ok(document) => document,
            Err(error) => {
                faults.push(fault(Error::Query(error).message()));
                continue;
            }
        };
        let names = document
            .operations()
            .map(|(name, _)| name.map(str::to_owned));
        let names: Vec<_> = names
            .filter(|name| wanted.is_none() || name.as_ref() == wanted)
            .collect();
        if names.is_empty() {
            faults.push(fault("the document has no such operation".to_owned()));
        }
        for name in names {
            match document.kind(name.as_deref()) {
                Ok(kind) => operations.push(Operation {
                    path: path.clone(),
                    name,
                    kind,
                    text: text.clone(),
                }),
                Err(error) => faults.push(fault(Error::Query(error).message())),
            }
        }
    }
    Ok((operations, faults))
}

/// The sets of variables: one object or an array of objects, as text or in a file.
fn variables(matches: &ArgMatches) -> Result<Vec<Map<String, Value>>, Failure> {
    let Some(text_or_path) = matches.get_one::<String>("variables") else {
        return Ok(vec![Map::new()]);
    };
    let text = if text_or_path.trim_start().starts_with(['{', '[']) {
        text_or_path.clone()
    } else {
        read(text_or_path.strip_prefix('@').unwrap_or(text_or_path))?
    };
    let object = |value: Value| match value {
        Value::Object(object) => Ok(object),
        _ => Err(Failure::ListedVariables),
    };
    match serde_json::from_str(&text).map_err(|_| Failure::ListedVariables)? {
        Value::Array(items) if !items.is_empty() => items.into_iter().map(object).collect(),
        other => Ok(vec![object(other)?]),
    }
}

/// Formats a duration with three digits and a unit.
fn brief(duration: Duration) -> String {
    let micros = duration.as_secs_f64() * 1e6;
    let (value, unit) = match micros {
        micros if micros < 999.5 => (micros, "µs"),
        micros if micros < 999_500.0 => (micros / 1e3, "ms"),
        micros => (micros / 1e6, "s"),
    };
    let places = match value {
        value if value < 9.995 => 2,
        value if value < 99.95 => 1,
        _ => 0,
    };
    format!("{value:.places$} {unit}")
}

/// Microseconds, with nanoseconds as decimals.
fn micros(duration: Duration) -> f64 {
    (duration.as_secs_f64() * 1e9).round() / 1e3
}

/// Formats rows of cells: the first column aligned to the left, the others to the right.
fn table(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or_default();
    let wide = |column: usize| {
        rows.iter()
            .filter_map(|row| row.get(column))
            .map(|cell| cell.chars().count())
            .max()
    };
    let widths: Vec<usize> = (0..columns)
        .map(|column| wide(column).unwrap_or_default())
        .collect();
    let line = |row: &Vec<String>| {
        let cells =
            row.iter()
                .zip(&widths)
                .enumerate()
                .map(|(column, (cell, width))| match column {
                    0 => format!("{cell:<width$}"),
                    _ => format!("{cell:>width$}"),
                });
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned() + "\n"
    };
    rows.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_three_digits() {
        let formatted = |nanos: u64| brief(Duration::from_nanos(nanos));
        assert_eq!(formatted(1_234), "1.23 µs");
        assert_eq!(formatted(99_960), "100 µs");
        assert_eq!(formatted(999_600), "1.00 ms");
        assert_eq!(formatted(12_345_678), "12.3 ms");
        assert_eq!(formatted(2_500_000_000), "2.50 s");
    }

    #[test]
    fn variables_are_an_object_a_list_or_a_file() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), r#"[{"a": 1}, {"a": 2}]"#).unwrap();
        let read = |text: &str| {
            let matches =
                command().get_matches_from(["bench", "--role", "r", "--variables", text, "f"]);
            variables(&matches).map(|sets| sets.len()).ok()
        };
        assert_eq!(read(r#" {"a": 1}"#), Some(1));
        assert_eq!(read(&file.path().to_string_lossy()), Some(2));
        assert_eq!(read(&format!("@{}", file.path().display())), Some(2));
        assert_eq!(
            (read("[]"), read("[1]"), read("/no/such/file")),
            (None, None, None)
        );
    }

    #[test]
    fn flags_that_do_not_go_together_are_refused() {
        let refused = |arguments: &[&str]| {
            command()
                .try_get_matches_from([&["bench"], arguments].concat())
                .is_err()
        };
        assert!(refused(&["f"]), "neither a role nor a URL");
        assert!(
            refused(&["--role", "r", "--clients", "3", "f"]),
            "clients of nothing"
        );
        assert!(refused(&[
            "--url",
            "http://h",
            "--token",
            "t",
            "--admin-secret",
            "s",
            "f"
        ]));
        assert!(
            refused(&["--url", "https://h", "f"]),
            "there is no TLS here"
        );
        assert!(refused(&["--url", "http://h", "--rate", "0", "f"]));
        assert!(refused(&[
            "--url",
            "http://h",
            "--mutations",
            "--dry-run",
            "f"
        ]));
        assert!(!refused(&[
            "--url",
            "http://h",
            "--rate",
            "100",
            "--dry-run",
            "f"
        ]));
    }
}

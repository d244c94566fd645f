//! Formats the results of a run: tables for people, with the ratios to the hand-written server
//! first, and one JSON document for programs.

use std::fmt::Write;
use std::time::Duration;

use serde_json::{Map, Value, json};

use crate::meter::Memory;
use crate::peers::Peer;
use crate::run::{Group, Outcome, Plan, Slice, Stay};

/// The peer whose throughput is the unit of the ratios.
const MEASURE: Peer = Peer::HandWritten;

/// A figure of a slice, if it is known.
type Figure = fn(&Slice) -> Option<f64>;

/// The figures of a slice by their names in JSON; times are microseconds.
const FIGURES: [(&str, Figure); 10] = [
    ("per_second", |slice| Some(slice.measured.throughput())),
    ("p50_us", |slice| {
        Some(micros(slice.measured.latencies.p50()))
    }),
    ("p99_us", |slice| {
        Some(micros(slice.measured.latencies.p99()))
    }),
    ("p999_us", |slice| {
        Some(micros(slice.measured.latencies.p999()))
    }),
    ("max_us", |slice| {
        Some(micros(slice.measured.latencies.max()))
    }),
    ("server_cpu_us", |slice| slice.server.map(micros)),
    ("postgres_cpu_us", |slice| slice.postgres.map(micros)),
    ("load_cpu_us", |slice| slice.load.map(micros)),
    ("errors", |slice| Some(slice.measured.errors as f64)),
    ("unsent", |slice| Some(slice.measured.unsent as f64)),
];

/// The results as JSON.
pub fn json(plan: &Plan, outcome: &Outcome, machine: &Map<String, Value>) -> Value {
    json!({
        "machine": machine,
        "plan": {
            "subjects": plan.data.subjects, "seconds": plan.time.as_secs_f64(), "rounds": plan.rounds,
            "clients": plan.clients, "rate_share": plan.rate, "pool": plan.pool, "reports": plan.reports, "report_rate": plan.report_rate,
            "durable": plan.durable,
        },
        "groups": outcome.groups.iter().map(group).collect::<Vec<_>>(),
        "servers": outcome.servers.iter().map(stay).collect::<Vec<_>>(),
        "absent": outcome.absent.iter().map(|(peer, why)| json!({"peer": peer.name(), "why": why})).collect::<Vec<_>>(),
    })
}

fn group(group: &Group) -> Value {
    let peer = |(peer, slices): &(Peer, Vec<Slice>)| {
        let median = FIGURES
            .iter()
            .map(|(name, figure)| ((*name).to_owned(), json!(group.median(*peer, figure))));
        let rounds = slices.iter().map(|slice| {
            Value::Object(
                FIGURES
                    .iter()
                    .map(|(name, figure)| ((*name).to_owned(), json!(figure(slice))))
                    .collect(),
            )
        });
        let ratio = group
            .ratio(*peer, MEASURE)
            .map(|[least, median, greatest]| json!({"median": median, "least": least, "greatest": greatest}));
        let bytes = slices
            .first()
            .map(|slice| slice.measured.bytes / slice.measured.requests.max(1));
        json!({
            "peer": peer.name(), "ratio": ratio, "median": Value::Object(median.collect()), "bytes": bytes,
            "rounds": rounds.collect::<Vec<_>>(), "first_error": slices.iter().find_map(|slice| slice.measured.first_error.as_ref()),
        })
    };
    json!({
        "work": group.work.name, "clients": group.clients, "rate": group.rate,
        "peers": group.peers.iter().map(peer).collect::<Vec<_>>(),
    })
}

fn stay(stay: &Stay) -> Value {
    let memory = |memory: Option<Memory>| {
        memory.map(|Memory { resident, peak }| json!({"resident": resident, "peak": peak}))
    };
    json!({
        "peer": stay.peer.name(), "ready_after_us": micros(stay.ready_after),
        "memory_at_start": memory(stay.at_start), "memory_at_end": memory(stay.at_end),
    })
}

/// The results as Markdown.
pub fn tables(plan: &Plan, outcome: &Outcome, machine: &Map<String, Value>) -> String {
    let mut out = String::from("# End to end\n\n");
    for (name, fact) in machine {
        let fact = fact
            .as_str()
            .map_or_else(|| fact.to_string(), str::to_owned);
        let _ = writeln!(out, "* {name}: {fact}");
    }
    let seconds = plan.time.as_secs_f64();
    let rounds = if plan.rounds == 1 {
        "Figures of one round".to_owned()
    } else {
        format!("Medians of {} rounds", plan.rounds)
    };
    let _ = writeln!(
        out,
        "\n{rounds}; in each, every peer was driven for {seconds} s, in turns. \
                           Times are µs unless they say otherwise."
    );
    let _ = writeln!(out, "Every server had a pool of {} connections.", plan.pool);
    if plan.durable {
        let _ = writeln!(out, "Commits waited for the disk.");
    }
    if plan.reports > 0 {
        let reports = plan.reports;
        let each = || "each without a pause".to_owned();
        let pace = plan
            .report_rate
            .map_or_else(each, |rate| format!("together {rate} per second"));
        let _ = writeln!(
            out,
            "During these measurements {reports} further clients read long \
                               lists from each server, {pace}; CPU times contain them."
        );
    }
    for (peer, why) in &outcome.absent {
        let _ = writeln!(out, "\nWithout {}: {why}.", peer.name());
    }
    let _ = writeln!(
        out,
        "\n## Throughput, in that of the hand-written server\n\n{}",
        table(&ratios(outcome))
    );
    for (pace, groups) in paces(outcome) {
        let _ = writeln!(out, "## {pace}\n\n{}", table(&figures(&groups)));
    }
    if !outcome.servers.is_empty() {
        let _ = writeln!(
            out,
            "## The servers as processes\n\n{}",
            table(&stays(&outcome.servers))
        );
    }
    out
}

/// The ratios: a line for each work, a column for each peer and number of clients.
fn ratios(outcome: &Outcome) -> Vec<Vec<String>> {
    let mut clients: Vec<usize> = vec![];
    let mut peers: Vec<Peer> = vec![];
    let mut works = vec![];
    for group in outcome.groups.iter().filter(|group| group.rate.is_none()) {
        push(&mut clients, group.clients);
        push(&mut works, group.work.name);
        group
            .peers
            .iter()
            .filter(|(peer, _)| *peer != MEASURE)
            .for_each(|(peer, _)| push(&mut peers, *peer));
    }
    let columns: Vec<(Peer, usize)> = peers
        .iter()
        .flat_map(|peer| clients.iter().map(|&many| (*peer, many)))
        .collect();
    let head = columns
        .iter()
        .map(|(peer, clients)| format!("{} {clients}", peer.name()));
    let mut rows = vec![
        ["work, clients".to_owned()]
            .into_iter()
            .chain(head)
            .collect::<Vec<_>>(),
    ];
    for work in works {
        let of = |(peer, clients): &(Peer, usize)| {
            let mut groups = outcome.groups.iter().filter(|group| group.rate.is_none());
            let group =
                groups.find(|group| group.work.name == work && group.clients == *clients)?;
            group
                .ratio(*peer, MEASURE)
                .map(|[_, median, _]| format!("{median:.2}"))
        };
        let cells = columns
            .iter()
            .map(|column| of(column).unwrap_or_else(nothing));
        rows.push([work.to_owned()].into_iter().chain(cells).collect());
    }
    rows
}

/// The groups of each pace, under its title: numbers of clients first, then the constant rate.
fn paces(outcome: &Outcome) -> Vec<(String, Vec<&Group>)> {
    let mut paces: Vec<(String, Vec<&Group>)> = vec![];
    for group in &outcome.groups {
        let title = match group.rate {
            Some(_) => "At a constant rate, latencies from when a request was due".to_owned(),
            None if group.clients == 1 => "1 client".to_owned(),
            None => format!("{} clients", group.clients),
        };
        match paces.iter_mut().find(|(known, _)| *known == title) {
            Some((_, groups)) => groups.push(group),
            None => paces.push((title, vec![group])),
        }
    }
    paces.sort_by_key(|(_, groups)| groups.first().is_some_and(|group| group.rate.is_some()));
    paces
}

fn figures(groups: &[&Group]) -> Vec<Vec<String>> {
    let rated = groups.iter().any(|group| group.rate.is_some());
    let fourth = if rated { "due a second" } else { "ratio" };
    let head = [
        "work",
        "peer",
        "a second",
        fourth,
        "p50",
        "p99",
        "p99.9",
        "CPU of the server",
        "CPU of Postgres",
        "CPU of the load",
        "errors",
    ];
    let unsent = rated.then(|| "never sent".to_owned());
    let mut rows = vec![
        head.map(str::to_owned)
            .into_iter()
            .chain(unsent)
            .collect::<Vec<_>>(),
    ];
    for group in groups {
        for (peer, _) in &group.peers {
            let cell = |name: &str| {
                let figure = FIGURES.iter().find(|(known, _)| *known == name)?.1;
                group.median(*peer, figure).map(number)
            };
            let fourth = match group.rate {
                Some(rate) => Some(number(rate)),
                None => group
                    .ratio(*peer, MEASURE)
                    .map(|[_, median, _]| format!("{median:.2}")),
            };
            let cells = [
                cell("per_second"),
                fourth,
                cell("p50_us"),
                cell("p99_us"),
                cell("p999_us"),
                cell("server_cpu_us"),
                cell("postgres_cpu_us"),
                cell("load_cpu_us"),
                cell("errors"),
            ];
            let unsent = rated.then(|| cell("unsent"));
            let cells = cells
                .into_iter()
                .chain(unsent)
                .map(|cell| cell.unwrap_or_else(nothing));
            rows.push(
                [group.work.name.to_owned(), peer.name().to_owned()]
                    .into_iter()
                    .chain(cells)
                    .collect(),
            );
        }
    }
    rows
}

fn stays(servers: &[Stay]) -> Vec<Vec<String>> {
    let head = [
        "server",
        "ready after, ms",
        "MiB at start",
        "MiB at the end",
        "MiB at most",
    ];
    let mebibytes = |memory: Option<Memory>, of: fn(Memory) -> u64| {
        memory.map_or_else(nothing, |memory| {
            format!("{:.1}", of(memory) as f64 / f64::from(1 << 20))
        })
    };
    let row = |stay: &Stay| {
        vec![
            stay.peer.name().to_owned(),
            number(micros(stay.ready_after) / 1e3),
            mebibytes(stay.at_start, |memory| memory.resident),
            mebibytes(stay.at_end, |memory| memory.resident),
            mebibytes(stay.at_end, |memory| memory.peak),
        ]
    };
    [head.map(str::to_owned).to_vec()]
        .into_iter()
        .chain(servers.iter().map(row))
        .collect()
}

/// A Markdown table with aligned columns; text to the left, figures to the right.
pub(crate) fn table(rows: &[Vec<String>]) -> String {
    let columns = rows.first().map(Vec::len).unwrap_or_default();
    let cells = |column: usize| rows.iter().filter_map(move |row| row.get(column));
    let width = |column| {
        cells(column)
            .map(|cell| cell.chars().count())
            .max()
            .unwrap_or_default()
            .max(3)
    };
    let is_text = |column: usize| {
        cells(column)
            .skip(1)
            .all(|cell| cell.starts_with(|first: char| first.is_alphabetic()))
    };
    let shape: Vec<(usize, bool)> = (0..columns)
        .map(|column| (width(column), is_text(column)))
        .collect();
    let mut out = String::new();
    for (index, row) in rows.iter().enumerate() {
        for (cell, &(width, is_text)) in row.iter().zip(&shape) {
            let _ = if is_text {
                write!(out, "| {cell:<width$} ")
            } else {
                write!(out, "| {cell:>width$} ")
            };
        }
        out.push_str("|\n");
        if index == 0 {
            for &(width, is_text) in &shape {
                let _ = if is_text {
                    write!(out, "|{}", "-".repeat(width + 2))
                } else {
                    write!(out, "|{}:", "-".repeat(width + 1))
                };
            }
            out.push_str("|\n");
        }
    }
    out
}

fn push<T: PartialEq>(known: &mut Vec<T>, one: T) {
    if !known.contains(&one) {
        known.push(one);
    }
}

/// A number with at least three significant digits: `12,345`, `123`, `12.3`, `1.23`.
pub(crate) fn number(number: f64) -> String {
    match number {
        number if number.abs() >= 99.95 || number == 0.0 => {
            let digits = format!("{number:.0}");
            let places = digits.len();
            let mut out = String::new();
            for (index, digit) in digits.chars().enumerate() {
                if index > 0 && (places - index).is_multiple_of(3) {
                    out.push(',');
                }
                out.push(digit);
            }
            out
        }
        number if number.abs() >= 9.995 => format!("{number:.1}"),
        _ => format!("{number:.2}"),
    }
}

pub(crate) fn nothing() -> String {
    "–".to_owned()
}

fn micros(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e6
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_at_least_three_digits() {
        let formatted = [0.0, 1.234, 12.34, 123.4, 1234.5, 1_234_567.0].map(number);
        assert_eq!(
            formatted,
            ["0", "1.23", "12.3", "123", "1,234", "1,234,567"]
        );
    }

    #[test]
    fn tables_are_markdown() {
        let rows = [["work", "p50"], ["by_key", "–"], ["page", "1,234"]]
            .map(|row| row.map(str::to_owned).to_vec());
        assert_eq!(
            table(&rows),
            "| work   |   p50 |\n|--------|------:|\n| by_key |     – |\n| page   | 1,234 |\n"
        );
    }
}

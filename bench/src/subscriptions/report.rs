//! Formats the results: tables for people and one JSON document for programs.

use std::fmt::Write;

use loadgen::Histogram;
use serde_json::{Map, Value, json};

use super::{Keys, Live, Load, MemoryOf, Outcome, Plan, Rounds, WakeSource, Workload};
use crate::report::{nothing, number, table};

/// The results as Markdown.
pub(super) fn tables(plan: &Plan, outcome: &Outcome, machine: &Map<String, Value>) -> String {
    let mut out = String::from("# Subscriptions\n\n");
    for (name, fact) in machine {
        let fact = fact
            .as_str()
            .map_or_else(|| fact.to_string(), str::to_owned);
        let _ = writeln!(out, "* {name}: {fact}");
    }
    let _ = writeln!(
        out,
        "\n{} subscribers with {} sets of parameters over {} sockets; each load for {} s, unless \
         it says another time. CPU \
         is in % of one core, times are ms. `polling` asks each cohort at each interval.",
        plan.subscribers,
        plan.parameters,
        plan.sockets,
        plan.time.as_secs_f64()
    );
    if cfg!(debug_assertions) {
        let _ = writeln!(out, "**This is a debug build.**");
    }
    let polled = plan.polls.min(plan.subscribers);
    if polled < plan.subscribers {
        let _ = writeln!(
            out,
            "Requests that poll were measured with {polled} requests a second; its CPU, without \
             that of changes, is multiplied by {}.",
            number(plan.subscribers as f64 / polled as f64)
        );
    }
    let _ = writeln!(out, "\n## Aims\n\n{}", table(&aims(outcome)));
    let _ = writeln!(out, "## Load\n\n{}", table(&loads(outcome)));
    let _ = writeln!(out, "## Single changes\n\n{}", table(&rounds(outcome)));
    let _ = writeln!(
        out,
        "## Memory of the gateway\n\n{}",
        table(&memory(outcome))
    );
    out
}

/// What subscriptions should reach, with the figures of the last source.
fn aims(outcome: &Outcome) -> Vec<Vec<String>> {
    let head = ["with", "aim", "at most", "measured"]
        .map(str::to_owned)
        .to_vec();
    let mut rows = vec![head];
    let mut add = |with: &str, aim: &str, most: f64, measured: Option<f64>| {
        rows.push(vec![
            with.to_owned(),
            aim.to_owned(),
            number(most),
            measured.map_or_else(nothing, number),
        ]);
    };
    let percent = |load: &Load| load.cpu[0].map(|share| share * 100.0);
    let milliseconds = |times: &Histogram| times.p99().as_secs_f64() * 1e3;
    if let Some(live) = outcome.live.last() {
        let with = live.wake.name();
        let changing = &live.changing;
        add(
            with,
            "idle: statements a second",
            1.0,
            live.idle.statements.map(|[run, looks]| run + looks),
        );
        add(with, "idle: CPU of the gateway", 1.0, percent(&live.idle));
        add(
            with,
            "a change that touches 1,000: last of them, p99",
            250.0,
            Some(milliseconds(&live.thousand.last)),
        );
        add(
            with,
            "100 changes a second: p99",
            1_000.0,
            changing.latencies.as_ref().map(milliseconds),
        );
        let grown = format!(
            "100 changes a second, {} s: MiB grown",
            changing.seconds.as_secs()
        );
        add(
            with,
            &grown,
            0.0,
            changing.growth().map(|bytes| mebibytes(bytes as f64)),
        );
    }
    if let Some(keys) = outcome.keys.last() {
        let updates = format!(
            "by key, {} updates a second of other rows: ",
            number(keys.others.changes)
        );
        add(
            keys.wake.name(),
            &(updates.clone() + "CPU of the gateway"),
            5.0,
            percent(&keys.others),
        );
        let statements = keys.others.statements.map(|[run, _]| run);
        add(
            keys.wake.name(),
            &(updates + "statements a second"),
            0.0,
            statements,
        );
    }
    for memory in &outcome.memory {
        let (aim, most) = match memory.workload {
            Workload::Sockets => ("kB for each subscriber with a socket", 20.0),
            _ => ("kB for each operation on shared sockets", 2.0),
        };
        add("any", aim, most, memory.each().map(|bytes| bytes / 1e3));
    }
    rows
}

fn mebibytes(bytes: f64) -> f64 {
    bytes / f64::from(1 << 20)
}

/// All loads with their descriptions.
fn all(outcome: &Outcome) -> Vec<(String, &Load)> {
    let live = outcome.live.iter().flat_map(|live| {
        let wake = live.wake.name();
        let seconds = live.changing.seconds.as_secs_f64();
        let idle = (format!("live queries, {wake}, no changes"), &live.idle);
        [
            idle,
            (
                format!(
                    "live queries, {wake}, 100 changes a second for {} s",
                    number(seconds)
                ),
                &live.changing,
            ),
        ]
    });
    let keys = outcome.keys.iter();
    let keys = keys.map(|keys| {
        (
            format!("by key, {}, updates of other rows", keys.wake.name()),
            &keys.others,
        )
    });
    outcome
        .others
        .iter()
        .map(|(name, load)| (name.clone(), load))
        .chain(live)
        .chain(keys)
        .collect()
}

fn loads(outcome: &Outcome) -> Vec<Vec<String>> {
    let head = [
        "load",
        "CPU of the gateway",
        "CPU of Postgres",
        "CPU of the clients",
        "statements a second",
        "snapshots a second",
        "changes a second",
        "p50",
        "p99",
        "max",
        "missing",
    ];
    let row = |(name, load): (String, &Load)| {
        let [gateway, postgres, clients] = load
            .scaled()
            .map(|share| share.map_or_else(nothing, |share| number(share * 100.0)));
        let statements = |index: usize| {
            let figure = load
                .statements
                .as_ref()
                .and_then(|statements| statements.get(index));
            figure.map_or_else(nothing, |figure| number(*figure))
        };
        let mut row = vec![
            name,
            gateway,
            postgres,
            clients,
            statements(0),
            statements(1),
            number(load.changes),
        ];
        row.extend(times(load.latencies.as_ref()));
        row.push(number(load.missing as f64));
        row
    };
    [head.map(str::to_owned).to_vec()]
        .into_iter()
        .chain(all(outcome).into_iter().map(row))
        .collect()
}

fn rounds(outcome: &Outcome) -> Vec<Vec<String>> {
    let head = [
        "wake-up", "touched", "changes", "last p50", "last p99", "last max", "each p50",
        "each p99", "each max",
    ];
    let row = |wake: WakeSource, rounds: &Rounds| {
        let mut row = vec![
            wake.name().to_owned(),
            number(rounds.touched as f64),
            number(rounds.last.count() as f64),
        ];
        row.extend(times(Some(&rounds.last)));
        row.extend(times(Some(&rounds.each)));
        row
    };
    let live = outcome
        .live
        .iter()
        .map(|Live { wake, thousand, .. }| row(*wake, thousand));
    let keys = outcome
        .keys
        .iter()
        .map(|Keys { wake, own, .. }| row(*wake, own));
    [head.map(str::to_owned).to_vec()]
        .into_iter()
        .chain(live)
        .chain(keys)
        .collect()
}

fn memory(outcome: &Outcome) -> Vec<Vec<String>> {
    let head = [
        "with",
        "sockets",
        "subscribers",
        "all ready after",
        "MiB before",
        "MiB with them",
        "kB a subscriber",
        "MiB grown by changes",
    ];
    let row = |with: &str, memory: &MemoryOf, growth: Option<i64>| {
        let [before, with_them] = match memory.bytes {
            Some(bytes) => bytes.map(|bytes| number(mebibytes(bytes as f64))),
            None => [nothing(), nothing()],
        };
        let mut row = vec![with.to_owned()];
        row.extend(memory.opened.map(|count| number(count as f64)));
        row.extend([
            number(memory.ready_after.as_secs_f64() * 1e3),
            before,
            with_them,
        ]);
        row.push(
            memory
                .each()
                .map_or_else(nothing, |bytes| number(bytes / 1e3)),
        );
        row.push(growth.map_or_else(nothing, |growth| number(mebibytes(growth as f64))));
        row
    };
    let live = outcome
        .live
        .iter()
        .map(|live| row(live.wake.name(), &live.memory, live.changing.growth()));
    let others = outcome.memory.iter().map(|memory| row("any", memory, None));
    [head.map(str::to_owned).to_vec()]
        .into_iter()
        .chain(live)
        .chain(others)
        .collect()
}

fn times(latencies: Option<&Histogram>) -> [String; 3] {
    let Some(latencies) = latencies else {
        return [nothing(), nothing(), nothing()];
    };
    [latencies.p50(), latencies.p99(), latencies.max()].map(|time| number(time.as_secs_f64() * 1e3))
}

/// The results as JSON. CPU is not scaled.
pub(super) fn json(plan: &Plan, outcome: &Outcome, machine: &Map<String, Value>) -> Value {
    let histogram = |times: &Histogram| {
        let milliseconds = |share| times.quantile(share).as_secs_f64() * 1e3;
        json!({
            "count": times.count(), "p50_ms": milliseconds(0.5), "p99_ms": milliseconds(0.99),
            "max_ms": times.max().as_secs_f64() * 1e3,
        })
    };
    let loads = all(outcome).into_iter().map(|(name, load)| {
        let [gateway, postgres, clients] = load.cpu;
        json!({
            "load": name, "cpu": {"gateway": gateway, "postgres": postgres, "clients": clients}, "scale": load.scale,
            "statements_per_second": load.statements, "changes_per_second": load.changes, "missing": load.missing,
            "latencies": load.latencies.as_ref().map(histogram), "seconds": load.seconds.as_secs_f64(),
            "memory_bytes": load.memory,
        })
    });
    let rounds = |wake: WakeSource, rounds: &Rounds| {
        json!({
            "wake": wake.name(), "touched": rounds.touched, "last": histogram(&rounds.last),
            "each": histogram(&rounds.each),
        })
    };
    let single = outcome
        .live
        .iter()
        .map(|live| rounds(live.wake, &live.thousand));
    let single = single.chain(outcome.keys.iter().map(|keys| rounds(keys.wake, &keys.own)));
    let memory = outcome.live.iter().map(|live| &live.memory).chain(&outcome.memory).map(|memory| {
        json!({
            "workload": memory.workload.name(), "sockets": memory.opened[0], "subscribers": memory.opened[1],
            "bytes": memory.bytes, "ready_after_ms": memory.ready_after.as_secs_f64() * 1e3,
        })
    });
    json!({
        "machine": machine,
        "plan": {
            "subscribers": plan.subscribers, "parameters": plan.parameters, "sockets": plan.sockets,
            "seconds": plan.time.as_secs_f64(), "rounds": plan.rounds, "polls": plan.polls, "updates": plan.updates,
        },
        "loads": loads.collect::<Vec<_>>(),
        "single_changes": single.collect::<Vec<_>>(),
        "memory": memory.collect::<Vec<_>>(),
    })
}

impl WakeSource {
    /// Its name in options and tables.
    pub fn name(self) -> &'static str {
        match self {
            WakeSource::Polling => "polling",
            WakeSource::Interval => "interval",
            WakeSource::Notify => "notify",
            WakeSource::Replication => "replication",
        }
    }
}

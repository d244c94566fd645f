//! Formats the results: tables for people and one JSON document for programs.

use std::fmt::Write;

use loadgen::Histogram;
use serde_json::{Map, Value, json};

use super::{Live, Load, Outcome, Plan, WakeSource};
use crate::report::{nothing, number, table};

/// The results as Markdown.
pub fn tables(plan: &Plan, outcome: &Outcome, machine: &Map<String, Value>) -> String {
    let mut out = String::from("# Subscriptions\n\n");
    for (name, fact) in machine {
        let fact = fact.as_str().map_or_else(|| fact.to_string(), str::to_owned);
        let _ = writeln!(out, "* {name}: {fact}");
    }
    let _ = writeln!(
        out,
        "\n{} subscribers with {} sets of parameters over {} sockets; each load for {} s. CPU is in % of one core, \
         times are ms.",
        plan.subscribers,
        plan.parameters,
        plan.sockets,
        plan.time.as_secs_f64()
    );
    let polled = plan.polls.min(plan.subscribers);
    if polled < plan.subscribers {
        let _ = writeln!(
            out,
            "Polling was measured with {polled} requests a second; its CPU, without that of changes, is multiplied by {}.",
            number(plan.subscribers as f64 / polled as f64)
        );
    }
    let _ = writeln!(out, "\n## Load\n\n{}", table(&loads(outcome)));
    let _ = writeln!(out, "## A change that touches many subscribers\n\n{}", table(&rounds(outcome)));
    let _ = writeln!(out, "## Memory of the gateway\n\n{}", table(&memory(plan, outcome)));
    out
}

/// All loads with their descriptions.
fn all(outcome: &Outcome) -> Vec<(String, &Load)> {
    let live = outcome.live.iter().flat_map(|live| {
        let wake = live.wake.name();
        let idle = (format!("live queries, {wake}, no changes"), &live.idle);
        [idle, (format!("live queries, {wake}, 100 changes a second"), &live.changing)]
    });
    outcome.others.iter().map(|(name, load)| (name.clone(), load)).chain(live).collect()
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
        let [gateway, postgres, clients] =
            load.scaled().map(|share| share.map_or_else(nothing, |share| number(share * 100.0)));
        let statements = |place: usize| {
            let figure = load.statements.as_ref().and_then(|statements| statements.get(place));
            figure.map_or_else(nothing, |figure| number(*figure))
        };
        let mut row = vec![name, gateway, postgres, clients, statements(0), statements(1), number(load.changes)];
        row.extend(times(load.latencies.as_ref()));
        row.push(number(load.missing as f64));
        row
    };
    [head.map(str::to_owned).to_vec()].into_iter().chain(all(outcome).into_iter().map(row)).collect()
}

fn rounds(outcome: &Outcome) -> Vec<Vec<String>> {
    let head =
        ["wake-up", "touched", "changes", "last p50", "last p99", "last max", "each p50", "each p99", "each max"];
    let row = |live: &Live| {
        let mut row = vec![live.wake.name().to_owned(), number(live.thousand.touched as f64)];
        row.push(number(live.thousand.last.count() as f64));
        row.extend(times(Some(&live.thousand.last)));
        row.extend(times(Some(&live.thousand.each)));
        row
    };
    [head.map(str::to_owned).to_vec()].into_iter().chain(outcome.live.iter().map(row)).collect()
}

fn memory(plan: &Plan, outcome: &Outcome) -> Vec<Vec<String>> {
    let head = ["wake-up", "all ready after", "MiB before", "MiB with them", "kB a subscriber", "MiB grown by changes"];
    let mebibytes = |bytes: f64| number(bytes / f64::from(1 << 20));
    let row = |live: &Live| {
        let memory = live.memory.map(|memory| memory.map(|bytes| bytes as f64));
        let each = memory.map(|[before, with]| number((with - before) / 1e3 / plan.subscribers as f64));
        let [before, with] = memory.map_or_else(|| [nothing(), nothing()], |memory| memory.map(mebibytes));
        let growth = live.changing.growth.map_or_else(nothing, |growth| mebibytes(growth as f64));
        let ready = number(live.ready_after.as_secs_f64() * 1e3);
        vec![live.wake.name().to_owned(), ready, before, with, each.unwrap_or_else(nothing), growth]
    };
    [head.map(str::to_owned).to_vec()].into_iter().chain(outcome.live.iter().map(row)).collect()
}

fn times(latencies: Option<&Histogram>) -> [String; 3] {
    let Some(latencies) = latencies else { return [nothing(), nothing(), nothing()] };
    [latencies.p50(), latencies.p99(), latencies.max()].map(|time| number(time.as_secs_f64() * 1e3))
}

/// The results as JSON. CPU is not scaled.
pub fn json(plan: &Plan, outcome: &Outcome, machine: &Map<String, Value>) -> Value {
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
            "latencies": load.latencies.as_ref().map(histogram), "growth_bytes": load.growth,
        })
    });
    let live = outcome.live.iter().map(|live| {
        json!({
            "wake": live.wake.name(), "memory_bytes": live.memory, "ready_after_ms": live.ready_after.as_secs_f64() * 1e3,
            "touched": live.thousand.touched, "last": histogram(&live.thousand.last),
            "each": histogram(&live.thousand.each),
        })
    });
    json!({
        "machine": machine,
        "plan": {
            "subscribers": plan.subscribers, "parameters": plan.parameters, "sockets": plan.sockets,
            "seconds": plan.time.as_secs_f64(), "rounds": plan.rounds, "polls": plan.polls,
        },
        "loads": loads.collect::<Vec<_>>(),
        "live": live.collect::<Vec<_>>(),
    })
}

impl WakeSource {
    /// Its name in options and tables.
    pub fn name(self) -> &'static str {
        match self {
            WakeSource::Interval => "interval",
            WakeSource::Notify => "notify",
            WakeSource::Replication => "replication",
        }
    }
}

//! Runs pgbench with the hand-written statement in prepared mode: what Postgres achieves without a
//! server in front of it.
//!
//! pgbench cannot generate random uuids or words. So it gets one script for each of several
//! requests, which differ only in the names of their parameters, and the values through `-D`.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use loadgen::{ArrivalRate, Histogram, LoadOptions, LoadReport};
use serde_json::Value;

use super::{Bed, Error};
use crate::work::{self, Asked, Work};

/// Each connection has to prepare every script, and Postgres plans each anew for its first five
/// executions.
const SCRIPT_COUNT: usize = 10;

/// Every run opens new connections and prepares the statements; transactions during this time are
/// not counted.
const WARM_UP: Duration = Duration::from_secs(1);

/// The number of connections at a constant rate. Unlike with the servers there is no queue in front
/// of them.
const AT_A_RATE: usize = 16;

/// Runs a work's statement with pgbench, over as many connections as there are clients.
pub fn drive(bed: &Bed, work: &Work, seed: u64, drive: &LoadOptions) -> Result<LoadReport, Error> {
    let folder = tempfile::tempdir().map_err(Error::at(std::env::temp_dir()))?;
    let mut command = command(bed, work, seed, folder.path())?;
    let mut clients = drive.clients;
    if let ArrivalRate::Rate(rate) = drive.arrival_rate {
        clients = clients.min(AT_A_RATE);
        command.args(["--rate", &rate.to_string()]);
    }
    command.args([
        "--client",
        &clients.to_string(),
        "--jobs",
        &clients.min(2).to_string(),
    ]);
    // pgbench accepts only whole seconds.
    command.args([
        "--time",
        &(WARM_UP + drive.time).as_secs_f64().ceil().to_string(),
    ]);
    command
        .args(["--log", "--log-prefix"])
        .arg(folder.path().join("log"));
    let output = command.output().map_err(Error::at(command.get_program()))?;
    if !output.status.success() {
        return Err(Error::Pgbench(
            String::from_utf8_lossy(&output.stderr).trim().to_owned(),
        ));
    }
    measured(folder.path(), drive)
}

/// The result of a work's statement on Postgres.
pub fn respond(bed: &Bed, work: &Work, asked: &Asked) -> Result<Value, Error> {
    let mut command = Command::new(bed.program("psql"));
    command.args([
        "--no-psqlrc",
        "--tuples-only",
        "--no-align",
        "--quiet",
        "--set",
        "ON_ERROR_STOP=1",
    ]);
    command
        .args(["--command", &literal(work, asked)])
        .arg(bed.url());
    let output = command
        .stdin(Stdio::null())
        .output()
        .map_err(Error::at(command.get_program()))?;
    if !output.status.success() {
        return Err(Error::Pgbench(
            String::from_utf8_lossy(&output.stderr).trim().to_owned(),
        ));
    }
    Ok(serde_json::from_slice(&output.stdout).unwrap_or_default())
}

/// The statement with its values as quoted literals; the values are generated here, so quoting is a
/// precaution.
fn literal(work: &Work, asked: &Asked) -> String {
    substituted(work, |index| {
        let value = asked
            .values
            .get(index)
            .map(|(_, value)| value.as_str())
            .unwrap_or_default();
        format!("'{}'", value.replace('\'', "''"))
    })
}

/// The statement with replacements for `$1`, `$2` …; there are fewer than ten.
fn substituted(work: &Work, replacement: impl Fn(usize) -> String) -> String {
    let lines = work
        .statement
        .lines()
        .filter(|line| !line.starts_with("--"));
    let mut statement = lines.collect::<Vec<_>>().join("\n");
    for index in 0..work.parameters.len() {
        statement = statement.replace(&format!("${}", index + 1), &replacement(index));
    }
    statement
}

fn command(bed: &Bed, work: &Work, seed: u64, folder: &Path) -> Result<Command, Error> {
    let mut command = Command::new(bed.program("pgbench"));
    command
        .args(["--no-vacuum", "--protocol", "prepared"])
        .stdin(Stdio::null());
    for (number, asked) in work::asked(work, bed.data(), seed, SCRIPT_COUNT)
        .iter()
        .enumerate()
    {
        let script = folder.join(format!("{number}.sql"));
        let text = substituted(work, |index| format!(":v{number}_{index}"));
        fs::write(&script, format!("{text};\n")).map_err(Error::at(&script))?;
        command.arg("--file").arg(&script);
        for (index, (_, value)) in asked.values.iter().enumerate() {
            command
                .arg("--define")
                .arg(format!("v{number}_{index}={value}"));
        }
    }
    command.arg(bed.url());
    Ok(command)
}

/// Reads the logs: one line per transaction, whose third field is the latency in microseconds; the
/// end time precedes the last field, the schedule lag.
/// <https://www.postgresql.org/docs/current/pgbench.html#PGBENCH-PER-TRANSACTION-LOGGING>
fn measured(folder: &Path, drive: &LoadOptions) -> Result<LoadReport, Error> {
    let mut lines = Vec::new();
    for entry in fs::read_dir(folder).map_err(Error::at(folder))?.flatten() {
        if entry.file_name().to_string_lossy().starts_with("log") {
            let text = fs::read_to_string(entry.path()).map_err(Error::at(entry.path()))?;
            lines.extend(text.lines().filter_map(line));
        }
    }
    let last = lines.iter().map(|&(end, _)| end).max().unwrap_or_default();
    let from = last.saturating_sub(drive.time);
    let mut latencies = Histogram::default();
    lines
        .iter()
        .filter(|&&(end, _)| end > from)
        .for_each(|&(_, took)| latencies.record(took));
    let requests = latencies.count();
    let served = lines.len() as u64;
    Ok(LoadReport {
        requests,
        served,
        elapsed: drive.time,
        latencies,
        ..LoadReport::default()
    })
}

/// When a transaction ended, and its latency.
fn line(line: &str) -> Option<(Duration, Duration)> {
    let mut columns = line.split(' ').skip(2).map(str::parse::<u64>);
    let took = columns.next()?.ok()?;
    let mut columns = columns.skip(1);
    let seconds = columns.next()?.ok()?;
    let micros = columns.next()?.ok()?;
    Some((
        Duration::from_secs(seconds) + Duration::from_micros(micros),
        Duration::from_micros(took),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn log_lines_are_parsed() {
        let read = line("0 199 2241 0 1175850568 995598").unwrap_or_default();
        assert_eq!(
            read,
            (
                Duration::new(1_175_850_568, 995_598_000),
                Duration::from_micros(2241)
            )
        );
        assert_eq!(line("0 81 skipped 0 1175850569 608 12"), None);
    }

    #[test]
    fn parameters_are_replaced_in_statements() {
        let work = work::named("page").copied().unwrap_or(work::all()[0]);
        let text = substituted(&work, |index| format!(":v{index}"));
        assert!(
            text.contains("controller_id = :v0 AND status <> :v1"),
            "{text}"
        );
    }
}

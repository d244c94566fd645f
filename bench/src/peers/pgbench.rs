//! pgbench, with the statement written by hand and in prepared mode: what Postgres does when nothing stands before it.
//!
//! pgbench cannot draw uuids or words. So it is given a script for each of some requests, which differ in the names of their
//! parameters alone, and the values by `-D`.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use gateway::loadgen::{ArrivalRate, Histogram, LoadOptions, LoadReport};
use serde_json::Value;

use super::{Bed, Error};
use crate::work::{self, Asked, Work};

/// Each connection has to prepare every script, and Postgres plans each anew for its first five uses.
const SCRIPTS: usize = 10;

/// Each time connections are made and statements are prepared; what is done meanwhile does not count.
const WARM_UP: Duration = Duration::from_secs(1);

/// At a constant rate so many connections are enough. There is no queue before them, as servers have.
const AT_A_RATE: usize = 16;

/// Has pgbench send a work's statement over as many connections as there are clients.
pub fn drive(bed: &Bed, work: &Work, seed: u64, drive: &LoadOptions) -> Result<LoadReport, Error> {
    let folder = tempfile::tempdir().map_err(Error::at(std::env::temp_dir()))?;
    let mut command = command(bed, work, seed, folder.path())?;
    let mut clients = drive.clients;
    if let ArrivalRate::Rate(rate) = drive.arrival_rate {
        clients = clients.min(AT_A_RATE);
        command.args(["--rate", &rate.to_string()]);
    }
    command.args(["--client", &clients.to_string(), "--jobs", &clients.min(2).to_string()]);
    // Whole seconds are all that it takes.
    command.args(["--time", &(WARM_UP + drive.time).as_secs_f64().ceil().to_string()]);
    command.args(["--log", "--log-prefix"]).arg(folder.path().join("log"));
    let output = command.output().map_err(Error::at(command.get_program()))?;
    if !output.status.success() {
        return Err(Error::Pgbench(String::from_utf8_lossy(&output.stderr).trim().to_owned()));
    }
    measured(folder.path(), drive)
}

/// What Postgres answers to a work's statement.
pub fn answer(bed: &Bed, work: &Work, asked: &Asked) -> Result<Value, Error> {
    let mut command = Command::new(bed.program("psql"));
    command.args(["--no-psqlrc", "--tuples-only", "--no-align", "--quiet", "--set", "ON_ERROR_STOP=1"]);
    command.args(["--command", &literal(work, asked)]).arg(bed.url());
    let output = command.stdin(Stdio::null()).output().map_err(Error::at(command.get_program()))?;
    if !output.status.success() {
        return Err(Error::Pgbench(String::from_utf8_lossy(&output.stderr).trim().to_owned()));
    }
    Ok(serde_json::from_slice(&output.stdout).unwrap_or_default())
}

/// The statement with its values written out; they are ours, and quoted all the same.
fn literal(work: &Work, asked: &Asked) -> String {
    substituted(work, |index| {
        let value = asked.values.get(index).map(|(_, value)| value.as_str()).unwrap_or_default();
        format!("'{}'", value.replace('\'', "''"))
    })
}

/// The statement with something else in place of `$1`, `$2` …; there are fewer than ten.
fn substituted(work: &Work, replacement: impl Fn(usize) -> String) -> String {
    let lines = work.statement.lines().filter(|line| !line.starts_with("--"));
    let mut statement = lines.collect::<Vec<_>>().join("\n");
    for index in 0..work.parameters.len() {
        statement = statement.replace(&format!("${}", index + 1), &replacement(index));
    }
    statement
}

fn command(bed: &Bed, work: &Work, seed: u64, folder: &Path) -> Result<Command, Error> {
    let mut command = Command::new(bed.program("pgbench"));
    command.args(["--no-vacuum", "--protocol", "prepared"]).stdin(Stdio::null());
    for (number, asked) in work::asked(work, bed.data(), seed, SCRIPTS).iter().enumerate() {
        let script = folder.join(format!("{number}.sql"));
        let text = substituted(work, |index| format!(":v{number}_{index}"));
        fs::write(&script, format!("{text};\n")).map_err(Error::at(&script))?;
        command.arg("--file").arg(&script);
        for (index, (_, value)) in asked.values.iter().enumerate() {
            command.arg("--define").arg(format!("v{number}_{index}={value}"));
        }
    }
    command.arg(bed.url());
    Ok(command)
}

/// Reads the logs: a line for each transaction, with what it took in microseconds third and when it ended last but for
/// what it waited for its turn. <https://www.postgresql.org/docs/current/pgbench.html#PGBENCH-PER-TRANSACTION-LOGGING>
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
    lines.iter().filter(|&&(end, _)| end > from).for_each(|&(_, took)| latencies.record(took));
    let (requests, served) = (latencies.count(), lines.len() as u64);
    Ok(LoadReport { requests, served, elapsed: drive.time, latencies, ..LoadReport::default() })
}

/// When a transaction ended, and what it took.
fn line(line: &str) -> Option<(Duration, Duration)> {
    let mut columns = line.split(' ').skip(2).map(str::parse::<u64>);
    let took = columns.next()?.ok()?;
    let mut columns = columns.skip(1);
    let (seconds, micros) = (columns.next()?.ok()?, columns.next()?.ok()?);
    Some((Duration::from_secs(seconds) + Duration::from_micros(micros), Duration::from_micros(took)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_the_log_are_read() {
        let read = line("0 199 2241 0 1175850568 995598").unwrap_or_default();
        assert_eq!(read, (Duration::new(1_175_850_568, 995_598_000), Duration::from_micros(2241)));
        assert_eq!(line("0 81 skipped 0 1175850569 608 12"), None);
    }

    #[test]
    fn statements_take_other_words_for_parameters() {
        let work = work::named("page").copied().unwrap_or(work::all()[0]);
        let text = substituted(&work, |index| format!(":v{index}"));
        assert!(text.contains("controller_id = :v0 AND status <> :v1"), "{text}");
    }
}

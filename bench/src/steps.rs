//! Measures the steps of translating a document, with criterion or by hand: the median of their
//! times and their allocations, written as a table and as JSON.
//!
//! A separate binary, `allocations`, counts allocations, since counting would slow the steps down.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::hint::black_box;
use std::io::Write as _;
use std::process::Command;
use std::time::{Duration, Instant};

use criterion::Criterion;
use serde_json::{Map, Value, json};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region};

use crate::Failure;

/// How many times a step is timed.
const SAMPLES: u128 = 501;

/// The shortest duration of one sample.
const MIN_SAMPLE_TIME: Duration = Duration::from_micros(50);

/// The longest time that is spent on one step.
const MAX_STEP_TIME: Duration = Duration::from_secs(2);

/// A document and its steps.
pub struct Case<'a> {
    /// The document.
    pub name: &'static str,
    /// Its description.
    pub about: &'static str,
    /// The steps. All cases of a benchmark have the same steps.
    pub steps: Vec<Step<'a>>,
}

/// A step: its name and its function. It has run once before, and does not fail.
pub type Step<'a> = (&'static str, Box<dyn Fn() + 'a>);

/// The main function of a benchmark of such steps: `--table` measures by hand only, `--repeat STEP
/// DOCUMENT TIMES` repeats one step, for callgrind and perf; without either, criterion first
/// compares with its last run. `allocations` is the path of the binary of that name; the report
/// goes to [`crate::folder`] as `<name>.json`.
///
/// Errors: wrong arguments, or a report that cannot be written.
pub fn main(name: &str, cases: &[Case<'_>], allocations: &str) -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args()
        .skip(1)
        .filter(|argument| argument != "--bench")
        .collect();
    match arguments
        .iter()
        .map(String::as_str)
        .collect::<Vec<_>>()
        .as_slice()
    {
        ["--repeat", step, document, times] => repeat(cases, step, document, times.parse()?),
        ["--table"] => measure(name, cases, allocations),
        others => {
            let mut criterion = Criterion::default().configure_from_args();
            cases.iter().for_each(|case| compare(&mut criterion, case));
            criterion.final_summary();
            let is_filter =
                |argument: &&str| !argument.starts_with("--") && argument.parse::<f64>().is_err();
            if others.iter().any(is_filter) {
                Ok(())
            } else {
                measure(name, cases, allocations)
            }
        }
    }
}

fn compare(criterion: &mut Criterion, case: &Case<'_>) {
    let mut group = criterion.benchmark_group(case.name);
    for (step, run) in &case.steps {
        group.bench_function(*step, |bencher| bencher.iter(run));
    }
    group.finish();
}

fn repeat(cases: &[Case<'_>], step: &str, document: &str, times: usize) -> Result<(), Failure> {
    let case = cases
        .iter()
        .find(|case| case.name == document)
        .ok_or("no such document")?;
    let (_, run) = case
        .steps
        .iter()
        .find(|(name, _)| *name == step)
        .ok_or("no such step")?;
    (0..times).for_each(|_| run());
    Ok(())
}

/// Counts the allocations of steps, by document and step: blocks, including each reallocation, and
/// bytes. The program's global allocator has to be the counting one.
pub fn count(cases: &[Case<'_>]) -> Value {
    let step = |(name, run): &Step<'_>| {
        run();
        let region = Region::new(&INSTRUMENTED_SYSTEM);
        run();
        let counted = region.change();
        (
            (*name).to_owned(),
            json!([
                counted.allocations + counted.reallocations,
                counted.bytes_allocated
            ]),
        )
    };
    let case = |case: &Case<'_>| {
        (
            case.name.to_owned(),
            Value::Object(case.steps.iter().map(step).collect()),
        )
    };
    Value::Object(cases.iter().map(case).collect())
}

/// Measures all steps, prints the table, and writes the report.
fn measure(name: &str, cases: &[Case<'_>], allocations: &str) -> Result<(), Failure> {
    let counted = Command::new(allocations).arg(name).output()?;
    let counted: BTreeMap<String, BTreeMap<String, [u64; 2]>> =
        serde_json::from_slice(&counted.stdout)?;
    let mut report = Map::new();
    let mut table = head(cases);
    for case in cases {
        let _ = write!(table, "| `{}`: {} |", case.name, case.about);
        let mut steps = Map::new();
        for (step, run) in &case.steps {
            let [blocks, bytes] = counted
                .get(case.name)
                .and_then(|steps| steps.get(*step))
                .copied()
                .unwrap_or_default();
            let p50 = median(run);
            let _ = write!(table, " {} · {blocks} |", written(p50));
            let found =
                json!({"p50_us": p50.as_secs_f64() * 1e6, "allocations": blocks, "bytes": bytes});
            steps.insert((*step).to_owned(), found);
        }
        table.push('\n');
        report.insert(case.name.to_owned(), Value::Object(steps));
    }
    writeln!(std::io::stdout(), "\n{table}")?;
    let folder = crate::folder();
    std::fs::create_dir_all(&folder)?;
    Ok(std::fs::write(
        folder.join(format!("{name}.json")),
        format!("{:#}\n", Value::Object(report)),
    )?)
}

fn head(cases: &[Case<'_>]) -> String {
    let names: Vec<&str> = cases
        .first()
        .into_iter()
        .flat_map(|case| &case.steps)
        .map(|(name, _)| *name)
        .collect();
    format!(
        "| Document (p50 · allocations) | {} |\n|---|{}\n",
        names.join(" | "),
        "--:|".repeat(names.len())
    )
}

/// The median of the time of a run.
fn median(run: &dyn Fn()) -> Duration {
    let time = |times: u32| {
        let start = Instant::now();
        (0..times).for_each(|_| black_box(run)());
        start.elapsed() / times
    };
    let once = time(20).max(Duration::from_nanos(10));
    let times = u32::try_from(MIN_SAMPLE_TIME.as_nanos() / once.as_nanos())
        .unwrap_or(u32::MAX)
        .max(1);
    let samples = (MAX_STEP_TIME.as_nanos() / (once * times).as_nanos()).clamp(11, SAMPLES);
    let mut took: Vec<Duration> = (0..samples).map(|_| time(times)).collect();
    took.sort_unstable();
    took.get(took.len() / 2).copied().unwrap_or_default()
}

/// Formats a duration: `1.25 ms`, `183 µs`, `8.3 µs`, `0.83 µs`.
fn written(time: Duration) -> String {
    let micros = time.as_secs_f64() * 1e6;
    match micros {
        1_000.0.. => format!("{:.2} ms", micros / 1e3),
        100.0.. => format!("{micros:.0} µs"),
        1.0.. => format!("{micros:.1} µs"),
        _ => format!("{micros:.2} µs"),
    }
}

//! `end-to-end`: measures Postern and other servers over a private Postgres, and writes the results
//! as tables and as JSON to `target/bench`. It sets no thresholds.

use std::ops::RangeInclusive;
use std::process::ExitCode;
use std::time::Duration;

use bench::Failure;
use bench::peers::{POOL_SIZE, Peer, Programs};
use bench::program::{self, Program};
use bench::report;
use bench::run::{self, Outcome, Plan};
use bench::work::{self, Data, Work};
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};
use serde_json::{Map, Value};

/// The comparison with other servers.
struct EndToEnd(Plan);

impl Program for EndToEnd {
    type Outcome = Outcome;

    fn name(&self) -> &'static str {
        "end-to-end"
    }

    fn run(&self, programs: &Programs, tell: &dyn Fn(&str)) -> Result<(Outcome, String), Failure> {
        Ok(run::run(&self.0, programs, tell)?)
    }

    fn tables(&self, outcome: &Outcome, machine: &Map<String, Value>) -> String {
        report::tables(&self.0, outcome, machine)
    }

    fn json(&self, outcome: &Outcome, machine: &Map<String, Value>) -> Value {
        report::json(&self.0, outcome, machine)
    }
}

fn command() -> Command {
    let list = |name: &'static str, value: &'static str| {
        Arg::new(name)
            .long(name)
            .value_name(value)
            .value_delimiter(',')
    };
    let command = Command::new("end-to-end")
        .about("Measure Postern beside other servers, over a private Postgres")
        .arg(
            list("works", "NAMES")
                .value_parser(named)
                .help("Some of the works"),
        )
        .arg(
            list("peers", "NAMES")
                .value_parser(peer)
                .help("Some of the peers; postern-policies and handwritten-trusting too"),
        )
        .arg(
            list("clients", "NUMBERS")
                .value_parser(value_parser!(u16).range(1..))
                .help("How many clients at once [default: 1,16,64]"),
        )
        .arg(
            Arg::new("seconds")
                .long("seconds")
                .value_name("S")
                .value_parser(seconds)
                .help("How long a peer is driven at a time [default: 2.5]"),
        )
        .arg(
            Arg::new("rounds")
                .long("rounds")
                .value_name("N")
                .value_parser(value_parser!(u16).range(1..))
                .help("How often each is [default: 3]"),
        )
        .arg(
            Arg::new("rate")
                .long("rate")
                .value_name("SHARE")
                .default_value("0.6")
                .value_parser(share)
                .help(
                    "The constant rate, as a share of what the slower one of Postern and the \
                       hand-written server reaches; 0 for none",
                ),
        )
        .arg(
            Arg::new("pool")
                .long("pool")
                .value_name("N")
                .value_parser(value_parser!(u16).range(1..))
                .help("The connections of each server to Postgres [default: 8]"),
        )
        .arg(
            Arg::new("reports")
                .long("reports")
                .value_name("N")
                .default_value("0")
                .value_parser(value_parser!(u16))
                .help(
                    "How many further clients read lists of ten thousand rows during the \
                       measurement",
                ),
        )
        .arg(
            Arg::new("report-rate")
                .long("report-rate")
                .value_name("N")
                .value_parser(report_rate)
                .help(
                    "How many lists these clients together request per second [default: each \
                       requests its next list when the last has arrived]",
                ),
        )
        .arg(
            Arg::new("durable")
                .long("durable")
                .action(ArgAction::SetTrue)
                .help("Let commits wait for the disk"),
        )
        .arg(
            Arg::new("subjects")
                .long("subjects")
                .value_name("N")
                .default_value("200000")
                .value_parser(value_parser!(u32).range(3000..))
                .help("How much data there is"),
        )
        .after_help(
            "Example:\n  end-to-end --works by_key,page --peers postern,handwritten \
                     --clients 16 --rounds 5",
        );
    program::with_common_options(
        command,
        "One round of one second each: to see that all works, not to judge by",
    )
}

fn named(name: &str) -> Result<&'static Work, String> {
    let names = || {
        work::all()
            .iter()
            .map(|work| work.name)
            .collect::<Vec<_>>()
            .join(", ")
    };
    work::named(name).ok_or_else(|| format!("the works are {}", names()))
}

fn peer(name: &str) -> Result<Peer, String> {
    let all = [
        Peer::Postern,
        Peer::Policies,
        Peer::HandWritten,
        Peer::Trusting,
        Peer::PostGraphile,
        Peer::Pgbench,
    ];
    let names = || all.map(Peer::name).join(", ");
    all.into_iter()
        .find(|peer| peer.name() == name)
        .ok_or_else(|| format!("the peers are {}", names()))
}

fn seconds(text: &str) -> Result<Duration, String> {
    within(
        text,
        0.2..=3600.0,
        "a number of seconds, from 0.2 to an hour",
    )
    .map(Duration::from_secs_f64)
}

fn share(text: &str) -> Result<f64, String> {
    within(text, 0.0..=10.0, "a number from 0 to 10")
}

fn report_rate(text: &str) -> Result<f64, String> {
    within(text, 0.1..=1e6, "a number from 0.1 to 1,000,000")
}

/// Parses a number in this range; the error is what is expected instead.
fn within(text: &str, range: RangeInclusive<f64>, expected: &str) -> Result<f64, String> {
    text.parse()
        .ok()
        .filter(|number| range.contains(number))
        .ok_or_else(|| expected.to_owned())
}

fn main() -> ExitCode {
    let matches = command().get_matches();
    program::run(&matches, &EndToEnd(plan(&matches)))
}

fn plan(matches: &ArgMatches) -> Plan {
    let quick = matches.get_flag("quick");
    let works = matches
        .get_many("works")
        .map(|works| works.copied().collect());
    let peers = matches
        .get_many("peers")
        .map(|peers| peers.copied().collect());
    let clients = matches
        .get_many::<u16>("clients")
        .map(|clients| clients.map(|&clients| clients.into()).collect());
    let time = Duration::from_millis(if quick { 1000 } else { 2500 });
    Plan {
        works: works.unwrap_or_else(|| work::all().iter().collect()),
        peers: peers.unwrap_or_else(|| Peer::ALL.to_vec()),
        clients: clients.unwrap_or_else(|| vec![1, 16, 64]),
        rate: matches
            .get_one("rate")
            .copied()
            .filter(|share| *share > 0.0),
        time: matches.get_one("seconds").copied().unwrap_or(time),
        warm_up: Duration::from_millis(300),
        rounds: matches
            .get_one::<u16>("rounds")
            .copied()
            .unwrap_or(if quick { 1 } else { 3 })
            .into(),
        pool: matches
            .get_one::<u16>("pool")
            .copied()
            .map_or(POOL_SIZE, usize::from),
        reports: matches
            .get_one::<u16>("reports")
            .copied()
            .unwrap_or_default()
            .into(),
        report_rate: matches.get_one("report-rate").copied(),
        durable: matches.get_flag("durable"),
        data: Data {
            subjects: matches
                .get_one("subjects")
                .copied()
                .unwrap_or(Data::WHOLE.subjects),
        },
        seed: 1,
    }
}

//! `subscriptions`: measures live queries and plain polling of the same queries over a private
//! Postgres, and writes the results as tables and as JSON to `target/bench`. It sets no thresholds.

use std::process::ExitCode;
use std::time::Duration;

use bench::program::{self, print_line};
use bench::subscriptions::{Plan, WakeSource, Workload, allowed_sockets};
use bench::work::Data;
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};

fn command() -> Command {
    let count = |name: &'static str, help: &'static str| {
        Arg::new(name)
            .long(name)
            .value_name("N")
            .value_parser(value_parser!(u32).range(1..))
            .help(help)
    };
    let command = Command::new("subscriptions")
        .about("Measure live queries beside polling, over a private Postgres")
        .arg(count(
            "subscribers",
            "How many subscribers there are [default: 10000]",
        ))
        .arg(count(
            "parameters",
            "How many distinct sets of parameters they have [default: 1000]",
        ))
        .arg(count(
            "sockets",
            "How many WebSockets they share; fewer if the limit of open files is lower [default: \
             1000]",
        ))
        .arg(count(
            "seconds",
            "How long each load is measured [default: 20]",
        ))
        .arg(count(
            "long",
            "How long 100 changes a second are made with the last source, in seconds [default: \
             as the others]",
        ))
        .arg(count(
            "rounds",
            "How many changes that touch 1,000 subscribers are made [default: 20]",
        ))
        .arg(count(
            "polls",
            "How many polls a second are measured, at most one for each subscriber; figures are \
             scaled [default: 1000]",
        ))
        .arg(
            count("subjects", "How much other data there is [default: 200000]")
                .value_parser(value_parser!(u32).range(3000..)),
        )
        .arg(count(
            "updates",
            "How many rows that no subscriber reads are updated in a second, beside \
             subscriptions by key [default: 1000]",
        ))
        .arg(count(
            "lone-sockets",
            "How many sockets with one subscriber each there are, to measure memory [default: \
             10000]",
        ))
        .arg(count(
            "operations",
            "How many subscribers there are on all sockets, to measure memory [default: 100000]",
        ))
        .arg(
            Arg::new("work")
                .long("work")
                .value_name("NAMES")
                .value_delimiter(',')
                .value_parser(workload)
                .help(
                    "What is measured: shared (sets of parameters), key, sockets and \
                       operations (memory) [default: all]",
                ),
        )
        .arg(
            Arg::new("wake")
                .long("wake")
                .value_name("NAMES")
                .value_delimiter(',')
                .value_parser(wake)
                .help(
                    "What makes the gateway look for new results: polling, interval, notify, \
                       replication, in this order [default: all]",
                ),
        )
        .arg(
            Arg::new("full")
                .long("full")
                .action(ArgAction::SetTrue)
                .conflicts_with("quick")
                .help(
                    "Ten minutes of changes with the last source, and 100 changes that touch \
                       1,000 subscribers: to judge by",
                ),
        )
        .after_help(
            "Examples:\n  subscriptions --full\n  subscriptions --work shared \
                     --subscribers 50000 --seconds 60 --wake interval",
        );
    program::with_common_options(
        command,
        "1,000 subscribers and loads of 2 s: to see that all works, not to judge by",
    )
}

/// What may make the gateway look for new results. Each takes precedence over those before it.
const WAKES: [WakeSource; 4] = [
    WakeSource::Polling,
    WakeSource::Interval,
    WakeSource::Notify,
    WakeSource::Replication,
];

fn wake(name: &str) -> Result<WakeSource, String> {
    let found = WAKES.into_iter().find(|wake| wake.name() == name);
    found.ok_or_else(|| "polling, interval, notify or replication".to_owned())
}

fn workload(name: &str) -> Result<Workload, String> {
    let found = Workload::ALL
        .into_iter()
        .find(|workload| workload.name() == name);
    found.ok_or_else(|| "shared, key, sockets or operations".to_owned())
}

fn main() -> ExitCode {
    let matches = command().get_matches();
    program::run(&matches, &plan(&matches))
}

fn plan(matches: &ArgMatches) -> Plan {
    let quick = matches.get_flag("quick");
    let full = matches.get_flag("full");
    let given = |name: &str| matches.get_one::<u32>(name).map(|count| *count as usize);
    let count = |name: &str, whole: usize, small: usize| {
        given(name).unwrap_or(if quick { small } else { whole })
    };
    let allowed = allowed_sockets().unwrap_or(usize::MAX).max(1);
    let sockets = |name: &str, whole: usize, small: usize, subscribers: usize| {
        let wanted = count(name, whole, small).min(subscribers);
        if wanted > allowed {
            print_line(&format!(
                "the limit of open files allows {allowed} sockets, not {wanted}"
            ));
        }
        wanted.min(allowed)
    };
    let subscribers = count("subscribers", 10_000, 1_000);
    let wakes = matches
        .get_many("wake")
        .map(|wakes| wakes.copied().collect());
    let workloads = matches
        .get_many("work")
        .map(|workloads| workloads.copied().collect());
    let subjects = matches.get_one("subjects").copied();
    let seconds = count("seconds", 20, 2);
    Plan {
        subscribers,
        parameters: count("parameters", 1_000, 100).min(subscribers),
        sockets: sockets("sockets", 1_000, 100, subscribers),
        time: Duration::from_secs(seconds as u64),
        long: Duration::from_secs(given("long").unwrap_or(if full { 600 } else { seconds }) as u64),
        rounds: count("rounds", if full { 100 } else { 20 }, 3),
        polls: count("polls", 1_000, 200),
        wakes: wakes.unwrap_or_else(|| WAKES.to_vec()),
        workloads: workloads.unwrap_or_else(|| Workload::ALL.to_vec()),
        updates: count("updates", 1_000, 200),
        lone_sockets: sockets("lone-sockets", 10_000, 500, usize::MAX),
        operations: count("operations", 100_000, 5_000),
        data: subjects.map_or(if quick { Data::SMALL } else { Data::WHOLE }, |subjects| {
            Data { subjects }
        }),
    }
}

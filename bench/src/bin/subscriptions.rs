//! `subscriptions`: measures live queries and plain polling of the same queries over a private Postgres, and writes the
//! results as tables and as JSON to `target/bench`. It sets no thresholds.

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use bench::peers::Programs;
use bench::subscriptions::{self, Plan, WakeSource, allowed_sockets, run};
use bench::work::Data;
use bench::{Failure, machine};
use clap::{Arg, ArgAction, ArgMatches, Command, value_parser};

fn command() -> Command {
    let count = |name: &'static str, help: &'static str| {
        Arg::new(name).long(name).value_name("N").value_parser(value_parser!(u32).range(1..)).help(help)
    };
    Command::new("subscriptions")
        .about("Measure live queries beside polling, over a private Postgres")
        .arg(count("subscribers", "How many subscribers there are [default: 10000]"))
        .arg(count("parameters", "How many distinct sets of parameters they have [default: 1000]"))
        .arg(count(
            "sockets",
            "How many WebSockets they share; fewer if the limit of open files is lower [default: 1000]",
        ))
        .arg(count("seconds", "How long each load is measured [default: 20]"))
        .arg(count("rounds", "How many changes that touch 1,000 subscribers are made [default: 20]"))
        .arg(count(
            "polls",
            "How many polls a second are measured, at most one for each subscriber; figures are scaled [default: 1000]",
        ))
        .arg(
            count("subjects", "How much other data there is [default: 200000]")
                .value_parser(value_parser!(u32).range(3000..)),
        )
        .arg(Arg::new("wake").long("wake").value_name("NAMES").value_delimiter(',').value_parser(wake).help(
            "What makes the gateway look for new results: interval, notify, replication, in this order [default: all]",
        ))
        .arg(
            Arg::new("out")
                .long("out")
                .value_name("FOLDER")
                .help("Where the figures are written [default: target/bench]"),
        )
        .arg(
            Arg::new("quick")
                .long("quick")
                .action(ArgAction::SetTrue)
                .help("1,000 subscribers and loads of 2 s: to see that all works, not to judge by"),
        )
        .after_help("Example:\n  subscriptions --subscribers 50000 --sockets 1000 --seconds 60 --wake interval")
}

/// What may make the gateway look for new results. Each takes precedence over those before it.
const WAKES: [WakeSource; 3] = [WakeSource::Interval, WakeSource::Notify, WakeSource::Replication];

fn wake(name: &str) -> Result<WakeSource, String> {
    let found = WAKES.into_iter().find(|wake| wake.name() == name);
    found.ok_or_else(|| "interval, notify or replication".to_owned())
}

fn main() -> ExitCode {
    match measure(&command().get_matches()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            print_line(&format!("error: {failure}"));
            ExitCode::FAILURE
        }
    }
}

fn measure(matches: &ArgMatches) -> Result<(), Failure> {
    let (plan, programs) = (plan(matches), Programs::beside());
    let out = matches.get_one::<String>("out").map_or_else(bench::folder, PathBuf::from);
    std::fs::create_dir_all(&out)?;
    let load = machine::load();
    let (outcome, postgres) = run(&plan, &programs, &print_line)?;
    let facts = machine::facts(&programs.root, &postgres, load);
    let tables = subscriptions::tables(&plan, &outcome, &facts);
    std::fs::write(out.join("subscriptions.md"), &tables)?;
    let json = serde_json::to_string_pretty(&subscriptions::json(&plan, &outcome, &facts))?;
    std::fs::write(out.join("subscriptions.json"), json + "\n")?;
    std::io::Write::write_all(&mut std::io::stdout().lock(), tables.as_bytes())?;
    print_line(&format!("written to {}", out.display()));
    Ok(())
}

fn plan(matches: &ArgMatches) -> Plan {
    let quick = matches.get_flag("quick");
    let count = |name: &str, whole: usize, small: usize| {
        let given = matches.get_one::<u32>(name).map(|count| *count as usize);
        given.unwrap_or(if quick { small } else { whole })
    };
    let subscribers = count("subscribers", 10_000, 1_000);
    let sockets = count("sockets", 1_000, 100).min(subscribers);
    let allowed = allowed_sockets().unwrap_or(sockets).max(1);
    if sockets > allowed {
        print_line(&format!("the limit of open files allows {allowed} sockets, not {sockets}"));
    }
    let wakes = matches.get_many("wake").map(|wakes| wakes.copied().collect());
    let subjects = matches.get_one("subjects").copied();
    Plan {
        subscribers,
        parameters: count("parameters", 1_000, 100).min(subscribers),
        sockets: sockets.min(allowed),
        time: Duration::from_secs(count("seconds", 20, 2) as u64),
        rounds: count("rounds", 20, 3),
        polls: count("polls", 1_000, 200),
        wakes: wakes.unwrap_or_else(|| WAKES.to_vec()),
        data: subjects.map_or(if quick { Data::SMALL } else { Data::WHOLE }, |subjects| Data { subjects }),
    }
}

fn print_line(text: &str) {
    let _ = std::io::Write::write_fmt(&mut std::io::stderr(), format_args!("{text}\n"));
}

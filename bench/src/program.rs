//! The frame of the programs that measure a run: options for the output, progress on standard
//! error, and the results as tables and as JSON in files.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Arg, ArgAction, ArgMatches, Command};
use serde_json::{Map, Value};

use crate::peers::Programs;
use crate::{Failure, machine};

/// A program that measures a run.
pub trait Program {
    /// The results.
    type Outcome;

    /// The name of its files.
    fn name(&self) -> &'static str;

    /// Runs it. Progress is reported through `tell`. Returns the outcome and the version of
    /// Postgres.
    fn run(
        &self,
        programs: &Programs,
        tell: &dyn Fn(&str),
    ) -> Result<(Self::Outcome, String), Failure>;

    /// The results as Markdown.
    fn tables(&self, outcome: &Self::Outcome, machine: &Map<String, Value>) -> String;

    /// The results as JSON.
    fn json(&self, outcome: &Self::Outcome, machine: &Map<String, Value>) -> Value;
}

/// Adds the options `--out` and `--quick`, with the help of the latter.
pub fn with_common_options(command: Command, quick: &'static str) -> Command {
    let out = "Where the figures are written [default: target/bench]";
    command
        .arg(Arg::new("out").long("out").value_name("FOLDER").help(out))
        .arg(
            Arg::new("quick")
                .long("quick")
                .action(ArgAction::SetTrue)
                .help(quick),
        )
}

/// Runs a program with these options and writes its results.
pub fn run(matches: &ArgMatches, program: &impl Program) -> ExitCode {
    match measure(matches, program) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            print_line(&format!("error: {failure}"));
            ExitCode::FAILURE
        }
    }
}

fn measure(matches: &ArgMatches, program: &impl Program) -> Result<(), Failure> {
    let programs = Programs::beside();
    let name = program.name();
    let out = matches
        .get_one::<String>("out")
        .map_or_else(crate::folder, PathBuf::from);
    std::fs::create_dir_all(&out)?;
    let load = machine::load();
    let (outcome, postgres) = program.run(&programs, &print_line)?;
    let facts = machine::facts(&programs.root, &postgres, load);
    let tables = program.tables(&outcome, &facts);
    std::fs::write(out.join(name).with_extension("md"), &tables)?;
    let json = serde_json::to_string_pretty(&program.json(&outcome, &facts))?;
    std::fs::write(out.join(name).with_extension("json"), json + "\n")?;
    std::io::Write::write_all(&mut std::io::stdout().lock(), tables.as_bytes())?;
    print_line(&format!("written to {}", out.display()));
    Ok(())
}

/// Writes a line to standard error.
pub fn print_line(text: &str) {
    let _ = std::io::Write::write_fmt(&mut std::io::stderr(), format_args!("{text}\n"));
}

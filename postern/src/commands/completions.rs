//! `postern completions`: writes the completions of a shell.

use std::process::ExitCode;

use clap::{Arg, ArgMatches, Command, value_parser};
use clap_complete::Shell;

use super::{Failure, print};

pub(super) fn command() -> Command {
    Command::new("completions")
        .about("Write the completions of commands and options for a shell")
        .arg(
            Arg::new("shell")
                .value_name("SHELL")
                .required(true)
                .value_parser(value_parser!(Shell))
                .help("The shell"),
        )
        .after_help("Example:\n  postern completions bash > /etc/bash_completion.d/postern")
}

pub(super) async fn run(matches: ArgMatches) -> Result<ExitCode, Failure> {
    let Some(shell) = matches.get_one::<Shell>("shell") else {
        return Ok(ExitCode::from(2));
    };
    print(&text(*shell))?;
    Ok(ExitCode::SUCCESS)
}

fn text(shell: Shell) -> String {
    let mut script = vec![];
    clap_complete::generate(shell, &mut super::command(), "postern", &mut script);
    String::from_utf8_lossy(&script).into_owned()
}

#[cfg(test)]
mod tests {
    use clap::ValueEnum;

    use super::*;

    #[test]
    fn every_shell_completes_every_command() {
        for shell in Shell::value_variants() {
            let script = text(*shell);
            for command in super::super::command().get_subcommands() {
                assert!(
                    script.contains(command.get_name()),
                    "{shell}: {}",
                    command.get_name()
                );
            }
            assert!(script.contains("database-url"), "{shell}");
        }
    }
}

//! Runs a command with a Postgres cluster that all its child processes share: `with-cluster cargo
//! nextest run`.

use std::process::{Command, ExitCode};

use cluster::Cluster;

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    let Some(program) = arguments.next() else {
        eprintln!("usage: with-cluster COMMAND [ARGUMENT…]");
        return ExitCode::from(2);
    };
    let cluster = match Cluster::start(tests::database::cluster_options()) {
        Ok(cluster) => cluster,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::FAILURE;
        }
    };
    let url = cluster.url("postgres");
    match Command::new(&program)
        .args(arguments)
        .env(tests::database::CLUSTER, url)
        .status()
    {
        Ok(status) => ExitCode::from(
            status
                .code()
                .and_then(|code| u8::try_from(code).ok())
                .unwrap_or(1),
        ),
        Err(error) => {
            eprintln!("`{}`: {error}", program.display());
            ExitCode::FAILURE
        }
    }
}

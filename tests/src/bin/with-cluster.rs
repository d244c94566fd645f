//! Runs a command with a Postgres cluster and a folder that all its child processes share:
//! `with-cluster cargo nextest run`.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, ExitCode};

use cluster::Cluster;
use tempfile::TempDir;

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
    let folder = match shared_folder() {
        Ok(folder) => folder,
        Err(error) => {
            eprintln!("a folder for the tests: {error}");
            return ExitCode::FAILURE;
        }
    };
    match Command::new(&program)
        .args(arguments)
        .env(tests::database::CLUSTER, url)
        .env(tests::demo_data::SHARED_FOLDER, folder.path())
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

/// A folder that the servers of Postgres can reach, which run as another user if this one is root.
fn shared_folder() -> std::io::Result<TempDir> {
    tempfile::Builder::new()
        .prefix("postern-tests-")
        .permissions(Permissions::from_mode(0o755))
        .tempdir()
}

//! `postern migrate`: creates or upgrades the schema `postern`, in which the gateway keeps tokens.

use std::process::ExitCode;
use std::time::Duration;

use clap::{Arg, ArgAction, ArgMatches, Command};
use tokio::time::Instant;

use super::{Failure, configured, connect, print, print_error, slowly};
use gateway::config::{self, SETTINGS};
use gateway::database::migrations;

pub(super) fn command() -> Command {
    let show = Arg::new("print").long("print").action(ArgAction::SetTrue);
    let watch = Arg::new("watch-schema").long("watch-schema").action(ArgAction::SetTrue);
    let notify = Arg::new("notify-writes").long("notify-writes").action(ArgAction::SetTrue);
    Command::new("migrate")
        .about("Create or upgrade the schema `postern`, which contains the tokens")
        .arg(show.help("Print the statements instead of running them"))
        .arg(
            watch.help("Also create an event trigger, so that gateways reload after schema changes; needs a superuser"),
        )
        .arg(notify.help("Also create triggers on all tables, so that subscriptions see writes at once"))
        .args(config::args(&[&SETTINGS.config, &SETTINGS.database_url]))
        .after_help("Example:\n  postern migrate --database-url postgres://localhost/shop")
}

pub(super) async fn run(matches: ArgMatches) -> Result<ExitCode, Failure> {
    if matches.get_flag("print") {
        print(&migrations::script())?;
        if matches.get_flag("watch-schema") {
            print(migrations::WATCH)?;
        }
        if matches.get_flag("notify-writes") {
            print(migrations::NOTIFY_WRITES)?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    let config = configured(&matches)?;
    let database = connect(&config).await?;
    let client = database.admin_client(Instant::now() + Duration::from_secs(5)).await?;
    let before = migrations::version(&client).await.map_err(|error| refused(&error))?;
    slowly("waiting for the database", migrations::migrate(&client)).await.map_err(|error| refused(&error))?;
    if matches.get_flag("watch-schema") {
        client.batch_execute(migrations::WATCH).await.map_err(|error| refused(&error))?;
        print_error("gateways are notified when the schema of the database changes");
    }
    if matches.get_flag("notify-writes") {
        client.batch_execute(migrations::NOTIFY_WRITES).await.map_err(|error| refused(&error))?;
        print_error("gateways are notified when a table is written to");
    }
    let after = migrations::version(&client).await.map_err(|error| refused(&error))?;
    print_error(&match before {
        0 => format!("the schema `postern` is made, version {after}"),
        before if before < after => format!("the schema `postern` is upgraded from version {before} to {after}"),
        _ => format!("the schema `postern` has version {after} already"),
    });
    Ok(ExitCode::SUCCESS)
}

/// The error of a migration. These statements contain no secrets, so Postgres' message is printed in full.
fn refused(error: &tokio_postgres::Error) -> Failure {
    Failure::Migration(
        error.as_db_error().map_or_else(|| error.to_string(), |database_error| database_error.message().to_owned()),
    )
}

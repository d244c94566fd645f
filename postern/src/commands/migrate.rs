//! `postern migrate`: creates or upgrades the schema `postern`, in which the gateway keeps tokens
//! and events, and installs event triggers.

use std::process::ExitCode;
use std::time::Duration;

use clap::{Arg, ArgAction, ArgMatches, Command};
use tokio::time::Instant;

use super::{Failure, configured, connect, print, print_error, slowly};
use gateway::config::{self, SETTINGS};
use gateway::migrations;
use gateway::server::StartError;
use plugins::events::{self, Installation};

pub(super) fn command() -> Command {
    let show = Arg::new("print").long("print").action(ArgAction::SetTrue);
    let watch = Arg::new("watch-schema")
        .long("watch-schema")
        .action(ArgAction::SetTrue);
    let notify = Arg::new("notify-writes")
        .long("notify-writes")
        .action(ArgAction::SetTrue);
    let replication = Arg::new("replication")
        .long("replication")
        .action(ArgAction::SetTrue);
    Command::new("migrate")
        .about(
            "Create or upgrade the schema `postern`, which contains tokens and events, and \
                install event triggers",
        )
        .arg(show.help("Print the statements instead of running them"))
        .arg(watch.help(
            "Also create an event trigger, so that gateways reload after schema \
                         changes; needs a superuser",
        ))
        .arg(notify.help(
            "Also create triggers on all tables, so that subscriptions see writes \
                          at once",
        ))
        .arg(replication.help(
            "Also create a publication of the role's tables, so that \
                               subscriptions see changes by logical replication",
        ))
        .args(config::args(&[&SETTINGS.config, &SETTINGS.database_url]))
        .after_help("Example:\n  postern migrate --database-url postgres://localhost/shop")
}

pub(super) async fn run(matches: ArgMatches) -> Result<ExitCode, Failure> {
    if matches.get_flag("print") {
        print(&migrations::script(&plugins::migrations()))?;
        if matches.get_flag("watch-schema") {
            print(migrations::WATCH)?;
        }
        if matches.get_flag("notify-writes") {
            print(migrations::NOTIFY_WRITES)?;
        }
        if matches.get_flag("replication") {
            print(migrations::REPLICATION)?;
        }
        return Ok(ExitCode::SUCCESS);
    }
    let config = configured(&matches)?;
    let database = connect(&config).await?;
    let client = database
        .admin_client(Instant::now() + Duration::from_secs(5))
        .await?;
    let before = migrations::version(&client)
        .await
        .map_err(|error| refused(&error))?;
    let versions = plugins::migrations();
    let migrated = migrations::migrate(&client, &versions);
    slowly("waiting for the database", migrated)
        .await
        .map_err(|error| refused(&error))?;
    if matches.get_flag("watch-schema") {
        client
            .batch_execute(migrations::WATCH)
            .await
            .map_err(|error| refused(&error))?;
        print_error("gateways are notified when the schema of the database changes");
    }
    if matches.get_flag("notify-writes") {
        client
            .batch_execute(migrations::NOTIFY_WRITES)
            .await
            .map_err(|error| refused(&error))?;
        print_error(&notifying(&client).await.map_err(|error| refused(&error))?);
    }
    if matches.get_flag("replication") {
        client
            .batch_execute(migrations::REPLICATION)
            .await
            .map_err(|error| refused(&error))?;
        print_error(&replicated(&client).await.map_err(|error| refused(&error))?);
    }
    let after = migrations::version(&client)
        .await
        .map_err(|error| refused(&error))?;
    drop(client);
    let installed = events::install_triggers(&config, &database)
        .await
        .map_err(StartError::from)?;
    print_error(&match before {
        0 => format!("the schema `postern` is made, version {after}"),
        before if before < after => {
            format!("the schema `postern` is upgraded from version {before} to {after}")
        }
        _ if after > migrations::NEWEST_VERSION => format!(
            "the schema `postern` has version {after}, of a newer program; this one knows \
             versions up to {}",
            migrations::NEWEST_VERSION
        ),
        _ => format!("the schema `postern` has version {after} already"),
    });
    if let Some(Installation { installed, removed }) = installed {
        print_error(&format!(
            "event triggers: {installed} installed, {removed} removed"
        ));
    }
    Ok(ExitCode::SUCCESS)
}

/// Which tables notify gateways of writes.
async fn notifying(client: &tokio_postgres::Client) -> Result<String, tokio_postgres::Error> {
    let others = "SELECT c.oid::regclass::text FROM pg_class c JOIN pg_namespace n ON n.oid = \
                  c.relnamespace \
                  WHERE c.relkind IN ('r', 'p') AND c.relpersistence <> 't' AND n.nspname NOT IN \
                  ('pg_catalog', 'information_schema', 'postern') \
                  AND NOT has_table_privilege(c.oid, 'TRIGGER') ORDER BY 1";
    let others: Vec<String> = client
        .query(others, &[])
        .await?
        .iter()
        .map(|row| row.get(0))
        .collect();
    let mut text = "gateways are notified when a table is written to".to_owned();
    if !others.is_empty() {
        text.push_str(&format!(
            "; not those on which the role may create no triggers: {}",
            others.join(", ")
        ));
    }
    Ok(text)
}

/// How many tables are in the publication, and which are not, with the reason.
async fn replicated(client: &tokio_postgres::Client) -> Result<String, tokio_postgres::Error> {
    let published = "SELECT count(*) FROM pg_publication_tables WHERE pubname = 'postern'";
    let published: i64 = client.query_one(published, &[]).await?.get(0);
    let others = "SELECT c.oid::regclass::text FROM pg_class c JOIN pg_namespace n ON n.oid = \
                  c.relnamespace \
                  WHERE c.relkind = 'r' AND c.relpersistence = 'p' AND n.nspname NOT IN \
                  ('pg_catalog', 'information_schema', 'postern') \
                  AND NOT EXISTS (SELECT FROM pg_publication_tables t WHERE t.pubname = \
                  'postern' AND t.schemaname = n.nspname \
                  AND t.tablename = c.relname) ORDER BY 1";
    let others: Vec<String> = client
        .query(others, &[])
        .await?
        .iter()
        .map(|row| row.get(0))
        .collect();
    let mut text = format!("the publication `postern` contains {published} tables");
    if !others.is_empty() {
        text.push_str(&format!(
            "; not those of other owners and those without a primary key or another replica \
             identity: {}",
            others.join(", ")
        ));
    }
    Ok(text)
}

/// The error of a migration. These statements contain no secrets, so Postgres' message is printed
/// in full.
fn refused(error: &tokio_postgres::Error) -> Failure {
    Failure::Migration(migrations::message(error))
}

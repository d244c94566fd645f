//! `postern accounts`: takes credentials over from another server, and helps users who have lost
//! theirs.

use std::process::ExitCode;
use std::time::Duration;

use clap::{Arg, ArgAction, ArgMatches, Command};
use pg::memory::MemoryBudget;
use pg::{Database, Settings};
use tokio::time::Instant;

use super::{Failure, configured, connect, print, print_error, slowly};
use gateway::config::{self, Config, SETTINGS};
use plugins::accounts::{self, FactorReset, Import, SourceKind};
use plugins::token_exchange::{Store, user_query};

/// The time limit of the statements that remove factors.
const STATEMENT_TIMEOUT: Duration = Duration::from_secs(10);

const IMPORT_EXAMPLE: &str = "Example:\n  postern accounts import --config gateway.toml --from \
                              hasura-auth --dry-run";

pub(super) fn command() -> Command {
    let option =
        |name: &'static str, value: &'static str| Arg::new(name).long(name).value_name(value);
    let flag = |name: &'static str| Arg::new(name).long(name).action(ArgAction::SetTrue);
    let settings = || config::args(&[&SETTINGS.config, &SETTINGS.database_url, &SETTINGS.profile]);
    let import = Command::new("import")
        .about("Take passwords, factors, linked providers and tokens over from another server")
        .long_about(
            "Take passwords, factors, linked providers and tokens over from the tables of another \
             server. Users are not copied: they are those whom the configured query of users \
             returns. What is there already stays. The exit code is 1 if something was left out.",
        )
        .arg(
            option("from", "SERVER")
                .required(true)
                .value_parser(SourceKind::ALL.map(SourceKind::name))
                .help("Server whose tables are read, in the schema `auth`"),
        )
        .arg(flag("dry-run").help("Do everything, report it, and roll it back"))
        .arg(
            option("source-database-url", "URL")
                .help("Database with these tables; default: the database of the gateway"),
        )
        .arg(option("source-key", "KEY").action(ArgAction::Append).help(
            "Key with which the server seals secrets, or `@FILE` with one in each line; several \
             are tried in turn",
        ))
        .arg(flag("json").help("Print the report as JSON"))
        .args(settings())
        .after_help(IMPORT_EXAMPLE);
    let reset = Command::new("reset-factor")
        .about("Remove the second factor, the recovery codes and the keys of a user")
        .long_about(
            "Remove the authenticator app, the recovery codes, and the passkeys and security keys \
             of a user who has lost them. The sessions of the user end, and a mail says what was \
             done.",
        )
        .arg(
            Arg::new("user")
                .value_name("USER_ID")
                .required(true)
                .help("Id of the user, as the configured query of users returns it"),
        )
        .args(settings())
        .after_help(
            "Example:\n  postern accounts reset-factor --config gateway.toml \
             510d46b8-da91-4480-b034-697c827e7a6d",
        );
    Command::new("accounts")
        .about("Take accounts over from another server, and remove lost factors")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommands([import, reset])
        .after_help(IMPORT_EXAMPLE)
}

pub(super) async fn run(matches: ArgMatches) -> Result<ExitCode, Failure> {
    let Some((name, matches)) = matches.subcommand() else {
        return Ok(ExitCode::from(2));
    };
    let config = configured(matches)?;
    if !accounts::is_configured(&config)? {
        return Err(Failure::NoAccounts);
    }
    match name {
        "import" => import(matches, &config).await,
        _ => reset_factor(matches, &config).await,
    }
}

async fn import(matches: &ArgMatches, config: &Config) -> Result<ExitCode, Failure> {
    let text = |name| matches.get_one::<String>(name).map(String::as_str);
    let kind = text("from").and_then(SourceKind::from_name);
    let Some(kind) = kind else {
        return Ok(ExitCode::from(2));
    };
    let source_keys = source_keys(matches)?;
    let target = connect(config).await?;
    let source = match text("source-database-url") {
        Some(url) => Some(connect_source(config, url).await?),
        None => None,
    };
    let import = Import {
        kind,
        source: source.as_ref().unwrap_or(&target),
        source_keys: &source_keys,
        target: &target,
        is_dry_run: matches.get_flag("dry-run"),
    };
    let report = slowly("taking accounts over", import.run(config)).await?;
    if matches.get_flag("json") {
        print(&report.to_json().to_string())?;
    } else {
        print(&report.to_text())?;
    }
    Ok(if report.is_complete() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// The keys of `--source-key`, and those in the files after its `@`.
fn source_keys(matches: &ArgMatches) -> Result<Vec<String>, Failure> {
    let mut keys = vec![];
    for text in matches
        .get_many::<String>("source-key")
        .into_iter()
        .flatten()
    {
        match text.strip_prefix('@') {
            Some(path) => keys.extend(super::read(path)?.lines().map(str::to_owned)),
            None => keys.push(text.clone()),
        }
    }
    keys.retain(|key| !key.trim().is_empty());
    Ok(keys)
}

/// Connects to the database of another server, with the limits of the gateway's.
async fn connect_source(config: &Config, url: &str) -> Result<Database, Failure> {
    let settings = Settings {
        url: url.to_owned(),
        direct_url: None,
        ..gateway::server::database_settings(config, MemoryBudget::default())?
    };
    let connecting = Database::connect(&settings);
    Ok(slowly("connecting to the source", connecting).await?)
}

async fn reset_factor(matches: &ArgMatches, config: &Config) -> Result<ExitCode, Failure> {
    let id = matches.get_one::<String>("user").map_or("", String::as_str);
    let find_user = user_query(config)?.ok_or(Failure::NoAccounts)?;
    let database = connect(config).await?;
    let store = Store {
        database: &database,
        address: None,
        request: None,
        deadline: Instant::now() + STATEMENT_TIMEOUT,
    };
    let reset = accounts::reset_factors(&store, &find_user, id).await?;
    let FactorReset {
        apps,
        recovery_codes,
        keys,
        sessions,
    } = reset.ok_or_else(|| Failure::NoUser(id.to_owned()))?;
    print_error(&format!(
        "removed: authenticator apps {apps}, recovery codes {recovery_codes}, keys {keys}; sessions ended: {sessions}"
    ));
    Ok(ExitCode::SUCCESS)
}

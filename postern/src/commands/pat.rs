//! `postern pat`: creates, lists and revokes personal access tokens.

use std::process::ExitCode;
use std::time::Duration;

use clap::{Arg, ArgAction, ArgMatches, Command};
use pg::Database;
use serde_json::{Value, json};
use tokio::time::Instant;
use uuid::Uuid;

use super::{Failure, check_token_roles, configured, connect, print, print_error};
use gateway::config::{self, Config, SETTINGS};
use plugins::token_exchange::{Expires, NewToken, Store, user_query};

/// The default lifetime of a token, in days.
const DAYS: &str = "90";

const CREATE_EXAMPLE: &str = "Example:\n  postern pat create --config gateway.toml --user \
                              510d46b8-da91-4480-b034-697c827e7a6d --name laptop";

pub(super) fn command() -> Command {
    let option =
        |name: &'static str, value: &'static str| Arg::new(name).long(name).value_name(value);
    let json = || Arg::new("json").long("json").action(ArgAction::SetTrue);
    let settings = || config::args(&[&SETTINGS.config, &SETTINGS.database_url, &SETTINGS.profile]);
    let create = Command::new("create")
        .about("Create a token and print it to standard output; it cannot be shown again")
        .arg(
            option("user", "ID")
                .required(true)
                .help("Id of the token's user, as the configured query of users returns it"),
        )
        .arg(
            option("name", "NAME")
                .required(true)
                .help("Name of the token, such as its purpose"),
        )
        .arg(
            option("expires", "DAYS")
                .default_value(DAYS)
                .help("Days until the token expires, or `never`"),
        )
        .arg(option("role", "R").action(ArgAction::Append).help(
            "Role that the token allows; the first is the default role. Without this \
                       option all roles of the user",
        ))
        .arg(json().help("Print a JSON object with the token and its id"))
        .args(settings())
        .after_help(CREATE_EXAMPLE);
    let list = Command::new("list")
        .about("List the tokens")
        .arg(option("user", "ID").help("List only the tokens of this user"))
        .arg(json().help("Print a JSON array"))
        .args(settings())
        .after_help("Example:\n  postern pat list --config gateway.toml");
    let revoke = Command::new("revoke")
        .about("Revoke a token and end the sessions that were started with it")
        .arg(
            Arg::new("id")
                .value_name("ID")
                .required(true)
                .value_parser(Uuid::parse_str)
                .help("Id of the token, from `postern pat list`"),
        )
        .args(settings())
        .after_help(
            "Example:\n  postern pat revoke --config gateway.toml \
                     0b7c4a52-6a1e-4d0c-9a53-1f3f6f0a7c11",
        );
    Command::new("pat")
        .about("Create, list and revoke personal access tokens")
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommands([create, list, revoke])
        .after_help(format!(
            "{CREATE_EXAMPLE}\n  postern pat list --config gateway.toml"
        ))
}

pub(super) async fn run(matches: ArgMatches) -> Result<ExitCode, Failure> {
    let Some((name, matches)) = matches.subcommand() else {
        return Ok(ExitCode::from(2));
    };
    let config = configured(matches)?;
    let database = connect(&config).await?;
    match name {
        "create" => create(matches, &config, &store(&database)).await,
        "list" => list(matches, &store(&database)).await,
        _ => revoke(matches, &store(&database)).await,
    }
}

async fn create(
    matches: &ArgMatches,
    config: &Config,
    store: &Store<'_>,
) -> Result<ExitCode, Failure> {
    let text = |name| {
        matches
            .get_one::<String>(name)
            .map(String::as_str)
            .unwrap_or_default()
    };
    let user = match user_query(config)? {
        None => text("user").to_owned(),
        Some(find) => {
            let known = store.known(&find, text("user")).await?;
            known.ok_or(Failure::Token("there is no user of that id with a role"))?
        }
    };
    if !(1..=200).contains(&text("name").chars().count()) {
        return Err(Failure::Token("the name has to have from 1 to 200 letters"));
    }
    let roles: Vec<String> = matches
        .get_many::<String>("role")
        .into_iter()
        .flatten()
        .cloned()
        .collect();
    check_token_roles(config, roles.iter().map(String::as_str))?;
    let roles = Some(roles).filter(|roles| !roles.is_empty());
    let new = NewToken {
        user: &user,
        name: text("name"),
        roles,
        expires: expires(text("expires"))?,
    };
    let (id, token) = store.create_token(&new).await?;
    if matches.get_flag("json") {
        print(&json!({"id": id, "personalAccessToken": token}).to_string())?;
    } else {
        print(&token)?;
        print_error(&format!("made token {id}"));
    }
    Ok(ExitCode::SUCCESS)
}

fn expires(days: &str) -> Result<Expires, Failure> {
    match days.parse() {
        Ok(days @ 1..=3650) => Ok(Expires::After(days)),
        _ if days == "never" => Ok(Expires::Never),
        _ => Err(Failure::Token(
            "`--expires` has to be a number of days from 1 to 3650, or `never`",
        )),
    }
}

async fn list(matches: &ArgMatches, store: &Store<'_>) -> Result<ExitCode, Failure> {
    let tokens = store
        .tokens(matches.get_one::<String>("user").map(String::as_str))
        .await?;
    if matches.get_flag("json") {
        print(&Value::Array(tokens).to_string())?;
        return Ok(ExitCode::SUCCESS);
    }
    for token in &tokens {
        let text = |name: &str| token.get(name).and_then(Value::as_str);
        let state = match (text("revoked_at"), text("expires_at")) {
            (Some(revoked), _) => format!("revoked {revoked}"),
            (None, Some(end)) => format!("until {end}"),
            (None, None) => "for ever".to_owned(),
        };
        let used =
            text("last_used_at").map_or("never used".to_owned(), |used| format!("used {used}"));
        let [id, user, name] = ["id", "user_id", "name"].map(|name| text(name).unwrap_or_default());
        print(&format!(
            "{id}  {user}  {state}  {used}  {}",
            name.escape_debug()
        ))?;
    }
    Ok(ExitCode::SUCCESS)
}

async fn revoke(matches: &ArgMatches, store: &Store<'_>) -> Result<ExitCode, Failure> {
    let Some(id) = matches.get_one::<Uuid>("id") else {
        return Ok(ExitCode::from(2));
    };
    if store.revoke_token(*id).await? {
        print_error(&format!("revoked token {id}"));
        Ok(ExitCode::SUCCESS)
    } else {
        Err(Failure::Token(
            "there is no token of that id that could be revoked",
        ))
    }
}

fn store(database: &Database) -> Store<'_> {
    Store {
        database,
        address: None,
        request: None,
        deadline: Instant::now() + Duration::from_secs(10),
    }
}

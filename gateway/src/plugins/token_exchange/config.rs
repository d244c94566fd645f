//! What is agreed on in `[token_exchange]`: who the users are, and how long tokens hold.

use std::time::Duration;

use serde::Deserialize;
use tokio::time::Instant;

use super::signer::Signer;
use crate::config::{Config, ConfigError};
use crate::database::Database;
use crate::database::migrations;

/// The table's name in the settings file.
const SECTION: &str = "token_exchange";

/// The terms of a running version.
#[derive(Debug)]
pub(super) struct TokenExchangeConfig {
    /// The statement that finds a user as one JSON text.
    pub(super) find_user: String,
    /// How long an access token holds, in seconds.
    pub(super) access: u64,
    /// How long a refresh token holds, in seconds.
    pub(super) refresh: u64,
    /// For so many seconds a refresh token that was used is only refused.
    pub(super) grace: u64,
    /// The roles whose holders may make tokens for themselves, and sign out everywhere.
    pub(super) token_roles: Vec<String>,
    /// What signs access tokens.
    pub(super) signer: Signer,
}

/// `[token_exchange]` as written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    users: String,
    #[serde(default = "access_seconds")]
    access_seconds: u64,
    #[serde(default = "refresh_seconds")]
    refresh_seconds: u64,
    #[serde(default = "grace_seconds")]
    grace_seconds: u64,
    #[serde(default)]
    token_roles: Vec<String>,
}

fn access_seconds() -> u64 {
    3600
}

fn refresh_seconds() -> u64 {
    12 * 3600
}

fn grace_seconds() -> u64 {
    10
}

/// Times over ten years are slips of the pen.
const LONGEST: u64 = 10 * 366 * 86_400;

/// The columns that the query of users has to have.
const COLUMNS: [&str; 4] = ["id", "email", "default_role", "allowed_roles"];

/// How long the database may take to say what it thinks of the query.
const PATIENCE: Duration = Duration::from_secs(5);

impl TokenExchangeConfig {
    /// The terms of these settings; nothing where there are none.
    pub(super) fn read(config: &Config) -> Result<Option<TokenExchangeConfig>, ConfigError> {
        let Some(written) = config.sections.read::<Written>(SECTION)? else { return Ok(None) };
        let refuse = |message: String| config.sections.fault(SECTION, message);
        let times = [
            ("access_seconds", written.access_seconds, 1),
            ("refresh_seconds", written.refresh_seconds, 1),
            ("grace_seconds", written.grace_seconds, 0),
        ];
        for (name, seconds, least) in times {
            if !(least..=LONGEST).contains(&seconds) {
                return Err(refuse(format!("`{name}` has to be from {least} to {LONGEST}")));
            }
        }
        let signer = Signer::new(config).map_err(&refuse)?;
        Ok(Some(TokenExchangeConfig {
            find_user: find_user(&written.users),
            access: written.access_seconds,
            refresh: written.refresh_seconds,
            grace: written.grace_seconds,
            token_roles: written.token_roles,
            signer,
        }))
    }

    /// Asks the database whether it has the tables and understands the query.
    pub(super) async fn check(&self, config: &Config, database: &Database) -> Result<(), String> {
        let client = database.admin_client(Instant::now() + PATIENCE).await.map_err(|fault| fault.to_string())?;
        let told = |error: tokio_postgres::Error| match error.as_db_error() {
            Some(told) => told.message().to_owned(),
            None => error.to_string(),
        };
        let version = migrations::version(&client).await.map_err(told)?;
        if version < migrations::NEWEST {
            return Err("the schema `postern` is not there, or an older one; run `postern migrate`".into());
        }
        let Some(written) = config.sections.read::<Written>(SECTION).ok().flatten() else { return Ok(()) };
        let inner = format!("SELECT * FROM ({}) u", inside(&written.users));
        let statement = client.prepare(&inner).await.map_err(|error| format!("`users`: {}", told(error)))?;
        if statement.params().len() != 1 {
            return Err("`users` has to have one parameter, `$1`: the user's id".into());
        }
        let names: Vec<&str> = statement.columns().iter().map(|column| column.name()).collect();
        match COLUMNS.iter().find(|name| !names.contains(name)) {
            Some(missing) => Err(format!("`users` has no column `{missing}`")),
            None => Ok(()),
        }
    }
}

/// The query as it stands inside another one.
fn inside(users: &str) -> String {
    format!("\n{}\n", users.trim().trim_end_matches(';'))
}

/// ```sql
/// SELECT coalesce((SELECT to_jsonb(u) FROM (<users>) u)::text, 'null')
/// ```
///
/// Two rows for one id are an error of Postgres.
fn find_user(users: &str) -> String {
    format!("SELECT coalesce((SELECT to_jsonb(u) FROM ({}) u)::text, 'null')", inside(users))
}

/// The statement that finds a user, for commands; nothing without the section.
pub fn user_query(config: &Config) -> Result<Option<String>, ConfigError> {
    Ok(config.sections.read::<Written>(SECTION)?.map(|written| find_user(&written.users)))
}

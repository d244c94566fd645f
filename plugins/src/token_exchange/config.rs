//! The configuration in `[token_exchange]`: the query that finds users, the lifetimes of tokens,
//! and the signing key.

use std::time::Duration;

use pg::Database;
use serde::Deserialize;
use tokio::time::Instant;

use super::factor_policy::FactorPolicy;
use super::signer::Signer;
use gateway::config::{Config, ConfigError};
use gateway::migrations;

/// The table's name in the settings file.
pub(super) const SECTION: &str = "token_exchange";

/// The configuration of a running exchange.
#[derive(Debug)]
pub(crate) struct TokenExchangeConfig {
    /// The statement that returns a user as one JSON text.
    pub(crate) find_user: String,
    /// The lifetime of an access token in seconds.
    pub(super) access: u64,
    /// The lifetime of a refresh token in seconds.
    pub(crate) refresh: u64,
    /// The grace period in seconds during which a reused refresh token is only rejected.
    pub(super) grace: u64,
    /// The roles that may create tokens for themselves and sign out everywhere.
    pub(super) token_roles: Vec<String>,
    /// What people have to show to sign in and to change credentials.
    pub(crate) factors: FactorPolicy,
    /// Signs access tokens.
    pub(super) signer: Signer,
}

/// `[token_exchange]` as written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawConfig {
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

impl RawConfig {
    /// Reads the section as far as no key is needed; `None` without it.
    fn read(config: &Config) -> Result<Option<RawConfig>, ConfigError> {
        let Some(raw) = config.sections.read::<RawConfig>(SECTION)? else {
            return Ok(None);
        };
        let times = [
            ("access_seconds", raw.access_seconds, 1),
            ("refresh_seconds", raw.refresh_seconds, 1),
            ("grace_seconds", raw.grace_seconds, 0),
        ];
        for (name, seconds, least) in times {
            if !(least..=MAX_SECONDS).contains(&seconds) {
                let message = format!("`{name}` has to be from {least} to {MAX_SECONDS}");
                return Err(config.sections.fault(SECTION, message));
            }
        }
        Ok(Some(raw))
    }
}

/// Checks the form of the section, for a check without the key that signs tokens.
pub(super) fn check_form(config: &Config) -> Result<(), ConfigError> {
    RawConfig::read(config)?;
    FactorPolicy::read(&config.sections).map(drop)
}

/// The maximum lifetime: ten years. A longer one is probably a mistake.
const MAX_SECONDS: u64 = 10 * 366 * 86_400;

/// The columns that the query of users must have.
const COLUMNS: [&str; 4] = ["id", "email", "default_role", "allowed_roles"];

/// The time limit for checking the query with the database.
const CHECK_TIMEOUT: Duration = Duration::from_secs(5);

impl TokenExchangeConfig {
    /// Reads the settings; `None` without the section.
    pub(crate) fn read(config: &Config) -> Result<Option<TokenExchangeConfig>, ConfigError> {
        let Some(raw) = RawConfig::read(config)? else {
            return Ok(None);
        };
        let refuse = |message: String| config.sections.fault(SECTION, message);
        let signer = Signer::new(config).map_err(&refuse)?;
        let factors = FactorPolicy::read(&config.sections)?;
        Ok(Some(TokenExchangeConfig {
            find_user: find_user(&raw.users, factors.enroll_role.as_deref()),
            access: raw.access_seconds,
            refresh: raw.refresh_seconds,
            grace: raw.grace_seconds,
            token_roles: raw.token_roles,
            factors,
            signer,
        }))
    }
    /// Checks that the database has the tables and that it accepts the query.
    pub(super) async fn check(&self, config: &Config, database: &Database) -> Result<(), String> {
        let client = database
            .admin_client(Instant::now() + CHECK_TIMEOUT)
            .await
            .map_err(|fault| fault.to_string())?;
        let describe = |error: tokio_postgres::Error| match error.as_db_error() {
            Some(db_error) => db_error.message().to_owned(),
            None => error.to_string(),
        };
        let version = migrations::version(&client).await.map_err(describe)?;
        if version < migrations::NEWEST_VERSION {
            return Err(
                "the schema `postern` is not there, or an older one; run `postern migrate`".into(),
            );
        }
        let Some(raw) = config.sections.read::<RawConfig>(SECTION).ok().flatten() else {
            return Ok(());
        };
        let inner = format!("SELECT * FROM ({}) u", subquery(&raw.users));
        let statement = client
            .prepare(&inner)
            .await
            .map_err(|error| format!("`users`: {}", describe(error)))?;
        if statement.params().len() != 1 {
            return Err("`users` has to have one parameter, `$1`: the user's id".into());
        }
        let names: Vec<&str> = statement
            .columns()
            .iter()
            .map(|column| column.name())
            .collect();
        match COLUMNS.iter().find(|name| !names.contains(name)) {
            Some(missing) => Err(format!("`users` has no column `{missing}`")),
            None => Ok(()),
        }
    }
}

/// The query without semicolon, to be used as a subquery.
fn subquery(users: &str) -> String {
    format!("\n{}\n", users.trim().trim_end_matches(';'))
}

/// The user as JSON, with what [accounts](crate::accounts) know of the address and of the second
/// factor unless the query has columns for them. Postgres reports an error if the query returns two
/// rows for one id. Who has no second factor gets the role `enroll_role` alone, if there is one.
fn find_user(users: &str, enroll_role: Option<&str>) -> String {
    let enrolled = enroll_role.map_or_else(String::new, |role| {
        let role = role.replace('\'', "''");
        format!(
            " || CASE WHEN a.second_factor IS NULL THEN jsonb_build_object(
             'default_role', '{role}'::text, 'allowed_roles', ARRAY['{role}'::text]) ELSE '{{}}' END"
        )
    });
    format!(
        "SELECT coalesce((SELECT jsonb_build_object('active_mfa_type', a.second_factor,
           'is_anonymous', coalesce(a.is_anonymous, false), 'email_verified', EXISTS (
           SELECT FROM postern.verified_email v
           WHERE v.user_id = u.id::text AND lower(v.email) = lower(u.email::text))) || to_jsonb(u){enrolled}
         FROM ({}) u LEFT JOIN postern.account a ON a.user_id = u.id::text)::text, 'null')",
        subquery(users)
    )
}

/// The statement that finds a user, for commands; `None` without the section.
pub fn user_query(config: &Config) -> Result<Option<String>, ConfigError> {
    Ok(config
        .sections
        .read::<RawConfig>(SECTION)?
        .map(|raw| find_user(&raw.users, None)))
}

//! Removes the second factors of a user who has lost them, on behalf of an operator.

use gateway::config::{Config, ConfigError};
use gateway::error::Error;
use serde::Deserialize;

use super::mail_queue::{MailPurpose, QueuedMail};
use super::{config, factor_statements, statements};
use crate::token_exchange::Store;

/// What was removed and ended.
#[derive(Debug, Deserialize)]
pub struct FactorReset {
    /// Authenticator apps: one or none.
    pub apps: u64,
    /// Recovery codes, used ones among them.
    pub recovery_codes: u64,
    /// Passkeys and security keys.
    pub keys: u64,
    /// Sessions.
    pub sessions: u64,
}

/// Whether the settings have accounts.
///
/// Errors: the section is wrong.
pub fn is_configured(config: &Config) -> Result<bool, ConfigError> {
    config::check_form(config)?;
    Ok(config.sections.contains(config::SECTION))
}

/// Removes the authenticator app, the recovery codes and all keys of a user, ends the sessions and
/// tickets, and queues the mail that says so. `find_user` is the query of users. `None` if it knows
/// no user of this id.
///
/// Errors: a statement fails. Then nothing is changed.
pub async fn reset_factors(
    store: &Store<'_>,
    find_user: &str,
    id: &str,
) -> Result<Option<FactorReset>, Error> {
    let Some(user) = store.user(find_user, id).await? else {
        return Ok(None);
    };
    // A user without address gets no mail.
    let notice = match user.text("email") {
        Some(_) => Some(QueuedMail::notice(MailPurpose::FactorChanged, &user).to_json()?),
        None => None,
    };
    let locking = store.with_origin(&[Some(user.id.clone())]);
    let parameters = store.with_origin(&[Some(user.id), notice]);
    let removed = store
        .transact(&[
            (statements::LOCK_ACCOUNT, locking),
            (factor_statements::RESET_FACTORS, parameters),
        ])
        .await?;
    let reset = removed.and_then(|text| serde_json::from_str(&text).ok());
    let fault = || Error::Internal("the removal of factors returns no counts".into());
    reset.map(Some).ok_or_else(fault)
}

//! A request to a path of accounts: what its handlers need, and the options that several have.

use gateway::error::Error;
use gateway::http::HttpExchange;
use gateway::http::state::HandlerState;
use serde_json::{Value, json};
use tokio::time::Instant;

use super::account_error::AccountError;
use super::address;
use super::config::{AccountsConfig, Method};
use super::mail_queue::{MailPurpose, QueuedMail};
use super::password::Hasher;
use super::store::{AccountStore, Tries};
use crate::token_exchange::{AuditContext, Event, RequestBody, Store, user_agent};

/// The most characters of a name to show.
const MAX_NAME_LENGTH: usize = 32;

/// The longest metadata, in bytes of JSON.
const MAX_METADATA_BYTES: usize = 4096;

/// A request with its body.
pub(super) struct AccountRequest<'a> {
    pub(super) exchange: &'a HttpExchange,
    pub(super) state: &'a HandlerState,
    pub(super) accounts: &'a AccountsConfig,
    pub(super) hasher: &'a Hasher,
    /// The path as the list of paths has it, with its parameter in braces.
    pub(super) path: &'static str,
    pub(super) body: RequestBody,
    pub(super) deadline: Instant,
}

/// The member `options` of a request that may create a user.
#[derive(Debug)]
pub(super) struct Options {
    pub(super) display_name: Option<String>,
    pub(super) locale: Option<String>,
    pub(super) metadata: Value,
    pub(super) redirect_to: Option<String>,
}

impl AccountRequest<'_> {
    /// The tables, on behalf of the request.
    pub(super) fn store(&self) -> AccountStore<'_> {
        let address = self.exchange.client().map(|address| address.to_string());
        AccountStore {
            tokens: Store {
                database: &self.state.execution.database,
                address,
                request: Some(&self.exchange.id),
                deadline: self.deadline,
            },
            accounts: self.accounts,
            user_agent: user_agent(self.exchange),
        }
    }

    /// Refuses a way to sign in that the settings turn off.
    pub(super) fn require(&self, method: Method) -> Result<(), AccountError> {
        if self.accounts.offers(method) {
            Ok(())
        } else {
            Err(AccountError::DisabledEndpoint)
        }
    }

    /// An address in the body.
    pub(super) fn email(&self, name: &'static str) -> Result<&str, Error> {
        Ok(address::check(self.body.text(name)?)?)
    }

    /// The options of the request. Roles are checked, and nothing else: the roles of a user are
    /// those that the owner's query returns.
    pub(super) fn options(&self) -> Result<Options, Error> {
        let options = RequestBody(self.body.0.get("options").cloned().unwrap_or(Value::Null));
        if !matches!(options.0, Value::Null | Value::Object(_)) {
            return Err(AccountError::Invalid("`options` has to be an object").into());
        }
        self.options_of(&options)
    }

    /// The options that an object has.
    pub(super) fn options_of(&self, options: &RequestBody) -> Result<Options, Error> {
        self.check_roles(options)?;
        let display_name = options.maybe("displayName")?;
        let is_long = |name: &str| name.chars().count() > MAX_NAME_LENGTH;
        if display_name.is_some_and(|name| is_long(name) || name.chars().any(char::is_control)) {
            let message =
                "`displayName` has to have at most 32 characters, and no control characters";
            return Err(AccountError::Invalid(message).into());
        }
        let locale = options.maybe("locale")?;
        if locale.is_some_and(|locale| !self.accounts.locales.iter().any(|known| known == locale)) {
            return Err(AccountError::LocaleNotAllowed.into());
        }
        let metadata = match options.0.get("metadata") {
            None | Some(Value::Null) => json!({}),
            Some(object @ Value::Object(_)) => object.clone(),
            Some(_) => {
                return Err(AccountError::Invalid("`metadata` has to be an object").into());
            }
        };
        if !is_storable(&metadata) {
            let message = "`metadata` has a number or a character that cannot be stored";
            return Err(AccountError::Invalid(message).into());
        }
        if metadata.to_string().len() > MAX_METADATA_BYTES {
            return Err(AccountError::Invalid("`metadata` has to have at most 4096 bytes").into());
        }
        let owned = |text: Option<&str>| text.filter(|text| !text.is_empty()).map(str::to_owned);
        Ok(Options {
            display_name: owned(display_name),
            locale: owned(locale),
            metadata,
            redirect_to: self.redirect_to(options.maybe("redirectTo")?)?,
        })
    }

    /// The page that a link leads back to, if the settings list it.
    pub(super) fn redirect_to(&self, text: Option<&str>) -> Result<Option<String>, AccountError> {
        let page = |text: &str| {
            let page = self
                .accounts
                .page(text)
                .ok_or(AccountError::RedirectNotAllowed)?;
            Ok(String::from(page))
        };
        text.filter(|text| !text.is_empty()).map(page).transpose()
    }

    fn check_roles(&self, options: &RequestBody) -> Result<(), Error> {
        let allowed = match options.0.get("allowedRoles") {
            None | Some(Value::Null) => vec![],
            Some(Value::Array(roles)) => roles
                .iter()
                .map(Value::as_str)
                .collect::<Option<_>>()
                .ok_or(AccountError::Invalid(
                    "`allowedRoles` has to be a list of strings",
                ))?,
            Some(_) => {
                return Err(
                    AccountError::Invalid("`allowedRoles` has to be a list of strings").into(),
                );
            }
        };
        let default_role = options.maybe("defaultRole")?;
        let is_listed = |role: &&str| self.accounts.roles.iter().any(|known| known == role);
        if !allowed.iter().chain(&default_role).all(is_listed) {
            return Err(AccountError::RoleNotAllowed.into());
        }
        if default_role.is_some_and(|role| !allowed.is_empty() && !allowed.contains(&role)) {
            return Err(AccountError::DefaultRole.into());
        }
        Ok(())
    }

    /// A mail of this purpose to this address, with the options of the request.
    pub(super) fn mail(&self, purpose: MailPurpose, email: &str, options: Options) -> QueuedMail {
        QueuedMail {
            locale: options.locale,
            display_name: options.display_name,
            metadata: Some(options.metadata),
            redirect_to: options.redirect_to,
            ..QueuedMail::new(purpose, email)
        }
    }

    /// Counts a try before the work, and refuses it if there were too many. `event` is what that is
    /// in the audit.
    pub(super) async fn count(
        &self,
        tries: Tries<'_>,
        event: &'static str,
        user: Option<&str>,
    ) -> Result<(), Error> {
        if self.store().count_try(tries, user).await? {
            return Ok(());
        }
        Err(self.failed(event, user, AccountError::TooManyTries).await)
    }

    /// Records a success in the log and in the metrics.
    pub(super) fn succeeded(&self, event: &'static str, user: Option<&str>) {
        let reason = None;
        Event {
            event,
            reason,
            user,
        }
        .record(self.exchange);
    }

    /// Records a failure in the audit table, in the log and in the metrics, and returns its error.
    pub(super) async fn failed(
        &self,
        event: &'static str,
        user: Option<&str>,
        error: AccountError,
    ) -> Error {
        let reason = error.code();
        let context = AuditContext {
            event,
            reason,
            user,
            token: None,
        };
        if let Err(error) = self.store().tokens.audit_failure(context).await {
            return error;
        }
        let reason = Some(reason);
        Event {
            event,
            reason,
            user,
        }
        .record(self.exchange);
        error.into()
    }
}

/// Whether Postgres can store a value as `jsonb`: an error of the owner's statement would tell that
/// the address is free.
fn is_storable(value: &Value) -> bool {
    let has_zero = |text: &str| text.contains('\0');
    match value {
        Value::Null | Value::Bool(_) => true,
        Value::Number(number) => number.as_f64().is_some_and(f64::is_finite),
        Value::String(text) => !has_zero(text),
        Value::Array(items) => items.iter().all(is_storable),
        Value::Object(members) => members
            .iter()
            .all(|(name, value)| !has_zero(name) && is_storable(value)),
    }
}

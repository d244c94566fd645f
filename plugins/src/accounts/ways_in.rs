//! The ways in which a person can sign in, of which the last one stays.

use gateway::error::Error;
use serde_json::Value;
use uuid::Uuid;

use super::account::Account;
use super::account_error::AccountError;
use super::account_request::AccountRequest;
use super::config::Method;
use super::mail_queue::MailPurpose;

/// A key or a provider that a person removes.
pub(super) struct WayIn<'a> {
    /// The statement: id, user, session, whether the person has another way, the mail that says so,
    /// and more parameters. It returns `removed`, `last` or another word.
    pub(super) statement: &'static str,
    /// Its further parameters.
    pub(super) more: &'a [Option<String>],
    /// What a removal is in the audit.
    pub(super) event: &'static str,
    /// The error if the person has none with the id.
    pub(super) missing: AccountError,
    /// Whether the person has a way of another kind, beside a password and a mail.
    pub(super) has_other_kind: fn(&Account, &AccountRequest<'_>) -> bool,
}

impl AccountRequest<'_> {
    /// `{"id": …}` removes a way in, and ends the other sessions.
    pub(super) async fn remove_way_in(&self, way: WayIn<'_>) -> Result<Value, Error> {
        let signed_in = self.elevated().await?;
        let user = signed_in.user.id.as_str();
        let id = self.body.text("id")?;
        if Uuid::parse_str(id).is_err() {
            return Err(way.missing.into());
        }
        let store = self.store();
        let account = store.account(Some(user)).await?;
        let has_other_way = (way.has_other_kind)(&account, self) || self.has_usual_way(&account);
        let parameters = [
            Some(id.to_owned()),
            Some(user.to_owned()),
            Some(signed_in.session.clone()),
            Some(has_other_way.to_string()),
            Some(signed_in.notice(MailPurpose::FactorChanged).to_json()?),
        ];
        let parameters: Vec<_> = parameters.iter().chain(way.more).cloned().collect();
        let session = signed_in.session.as_str();
        let gone = AccountError::NoSession;
        let outcome = store
            .transact_in_session(user, session, way.statement, &parameters, gone)
            .await?;
        match outcome.as_deref() {
            Some("removed") => {
                self.succeeded(way.event, Some(user));
                Ok("OK".into())
            }
            Some("last") => Err(AccountError::LastWayIn.into()),
            _ => Err(way.missing.into()),
        }
    }

    /// Whether the person can sign in by a password or a mail.
    fn has_usual_way(&self, account: &Account) -> bool {
        let by_password = self.accounts.offers(Method::Password) && account.hash.is_some();
        let by_mail = [Method::Link, Method::Code].map(|method| self.accounts.offers(method));
        by_password || by_mail.contains(&true)
    }
}

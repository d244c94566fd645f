//! Elevation: a person who has signed in shows a factor again, and gets an access token with which
//! credentials can be changed for ten minutes.

use gateway::error::Error;
use serde_json::{Value, json};

use super::account::Account;
use super::account_error::AccountError;
use super::account_request::AccountRequest;
use super::factor_statements;
use super::mail_queue::{MailPurpose, QueuedMail};
use super::purpose::Purpose;
use super::shown_factor::ShownFactor;
use super::signed_in::SignedIn;
use super::store::{Ticket, Tries};
use crate::token_exchange::{AccessToken, IssuedRefreshToken, SignInProof, session_json};

/// What elevates a session.
pub(super) enum ElevationProof {
    /// A factor.
    Factor(ShownFactor),
    /// A code in a mail.
    Code(Ticket),
}

impl AccountRequest<'_> {
    /// Returns how the person may elevate the session.
    pub(super) async fn elevation_methods(&self) -> Result<Value, Error> {
        let signed_in = self.signed_in().await?;
        let account = self.store().account(Some(&signed_in.user.id)).await?;
        let mut methods = account.factors();
        methods.extend(takes_mail(&account).then_some("email"));
        Ok(json!({"methods": methods}))
    }

    /// `{"otp": …}` elevates by a code of an authenticator app, or by a recovery code.
    pub(super) async fn elevate_by_totp(&self) -> Result<Value, Error> {
        let signed_in = self.signed_in().await?;
        let code = self.body.text("otp")?;
        let factor = self
            .shown_code("elevated", &signed_in.user.id, code)
            .await?;
        self.elevate(&signed_in, ElevationProof::Factor(factor))
            .await
    }

    /// Mails a code that elevates.
    pub(super) async fn send_elevation_code(&self) -> Result<Value, Error> {
        let signed_in = self.signed_in().await?;
        let store = self.store();
        let account = store.account(Some(&signed_in.user.id)).await?;
        if !takes_mail(&account) {
            return Err(AccountError::DisabledEndpoint.into());
        }
        let mail = QueuedMail {
            user_id: Some(signed_in.user.id.clone()),
            generation: Some(signed_in.generation),
            ..signed_in.notice(MailPurpose::Elevate)
        };
        store.enqueue(&mail).await?;
        Ok("OK".into())
    }

    /// `{"otp": …}` elevates by the code of a mail.
    pub(super) async fn elevate_by_mail(&self) -> Result<Value, Error> {
        let signed_in = self.signed_in().await?;
        let code = self.body.text("otp")?;
        let id = signed_in.user.id.as_str();
        let store = self.store();
        if !takes_mail(&store.account(Some(id)).await?) {
            return Err(AccountError::DisabledEndpoint.into());
        }
        self.count(Tries::Factor(id), "elevated", Some(id)).await?;
        let email = signed_in.email();
        let ticket = store.try_code(Purpose::Elevate, email, code).await?;
        let Some(ticket) = ticket.filter(|ticket| ticket.user == id) else {
            return Err(self.failed("elevated", Some(id), AccountError::Code).await);
        };
        self.elevate(&signed_in, ElevationProof::Code(ticket)).await
    }

    /// Elevates a session: an access token that says so, and one more refresh token of the session.
    /// The former one stays, since clients may keep it.
    pub(super) async fn elevate(
        &self,
        signed_in: &SignedIn,
        proof: ElevationProof,
    ) -> Result<Value, Error> {
        let SignedIn { user, session, .. } = signed_in;
        let store = self.store();
        let exchange = &self.accounts.exchange;
        let issued = IssuedRefreshToken::new();
        let (step, name, reference) = match &proof {
            ElevationProof::Factor(factor) => {
                let step = store.using_factor(&user.id, factor);
                (step, factor.name(), factor.reference())
            }
            ElevationProof::Code(ticket) => (store.using(ticket), "code", "otp"),
        };
        let find = vec![Some(session.clone())];
        let mut sign_in: SignInProof = store
            .tokens
            .read(factor_statements::FIND_SIGN_IN, find)
            .await?;
        sign_in.is_elevated = true;
        if !sign_in.methods.iter().any(|method| method == reference) {
            sign_in.methods.push(reference.to_owned());
        }
        let access = AccessToken::sign(exchange, user, None, Some(&sign_in))?;
        let elevation = [
            session.clone(),
            user.id.clone(),
            issued.id.clone(),
            issued.digest(),
            exchange.refresh.to_string(),
            name.to_owned(),
        ];
        let steps = [
            store.locking(&user.id),
            store.requiring(session, &user.id),
            step,
            (
                factor_statements::ELEVATE,
                store.tokens.with_origin(&elevation.map(Some)),
            ),
        ];
        // Another request may have used the code, or the session has ended.
        let gone = match proof {
            ElevationProof::Factor(ShownFactor::Key { .. }) => AccountError::Credential,
            ElevationProof::Factor(_) => AccountError::NoSession,
            ElevationProof::Code(_) => AccountError::Code,
        };
        store.transact_with(&steps, gone).await?;
        self.succeeded("elevated", Some(&user.id));
        store.forget_tries(Tries::Factor(&user.id)).await?;
        Ok(json!({"session": session_json(user, &access, &issued)}))
    }
}

/// Whether a code by mail elevates: whoever has a second factor has to show that.
fn takes_mail(account: &Account) -> bool {
    account.second_factor.is_none()
}

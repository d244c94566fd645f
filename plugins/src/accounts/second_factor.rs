//! Second factors: codes of an authenticator app, recovery codes, and keys in their stead. People
//! set them up, and show them after the first factor.

use gateway::error::Error;
use serde::Deserialize;
use serde_json::{Value, json};

use super::account::{Account, FactorKind};
use super::account_error::AccountError;
use super::account_request::AccountRequest;
use super::factor_statements;
use super::mail_queue::MailPurpose;
use super::next_step::{Delivery, NextStep};
use super::purpose::Purpose;
use super::recovery_code;
use super::shown_factor::ShownFactor;
use super::signed_in::SignedIn;
use super::store::{AccountStore, Ticket, Tries};
use super::totp::TotpSecret;
use crate::token_exchange::{SecondFactor, User, array, hexadecimal};

/// What a person may show, as the database has it.
#[derive(Debug, Deserialize)]
struct StoredFactors {
    totp: Option<StoredTotp>,
    /// The digests of the recovery codes that were not used.
    recovery_codes: Vec<String>,
}

/// The secret of an authenticator app, as the database has it.
#[derive(Debug, Deserialize)]
struct StoredTotp {
    /// The sealed secret in hexadecimal digits.
    secret: String,
    last_step: i64,
    is_confirmed: bool,
}

/// A second factor to turn on, or none.
struct FactorChange {
    kind: Option<&'static str>,
    event: &'static str,
    method: &'static str,
    /// The first code of the app.
    factor: Option<ShownFactor>,
}

impl AccountRequest<'_> {
    /// Makes the secret of an authenticator app, which counts for nothing before its first code.
    pub(super) async fn generate_totp(&self) -> Result<Value, Error> {
        self.require_second_factors()?;
        let signed_in = self.signed_in().await?;
        let id = signed_in.user.id.as_str();
        let secret = TotpSecret::new();
        let sealed = self.accounts.seal.seal(secret.bytes(), id)?;
        let parameters = vec![Some(id.to_owned()), Some(hexadecimal(&sealed))];
        let stored = self
            .store()
            .tokens
            .write(factor_statements::STORE_TOTP, parameters)
            .await?;
        if stored.is_none() {
            return Err(AccountError::TotpActive.into());
        }
        let image_url = secret.image_url(&self.accounts.name, signed_in.email());
        Ok(json!({"imageUrl": image_url, "totpSecret": secret.text()}))
    }

    /// `{"code": …, "activeMfaType": …}` turns a second factor on, or off with an empty type.
    pub(super) async fn set_second_factor(&self) -> Result<Value, Error> {
        let kind = self.body.maybe("activeMfaType")?.unwrap_or_default();
        let signed_in = self.elevated().await?;
        let store = self.store();
        let account = store.account(Some(&signed_in.user.id)).await?;
        let change = match kind {
            "totp" => self.confirmed_totp(&signed_in, &account).await?,
            "webauthn" if !account.has_keys => return Err(AccountError::NoSecurityKey.into()),
            "webauthn" => FactorChange {
                kind: Some("webauthn"),
                event: "factor-added",
                method: "webauthn",
                factor: None,
            },
            "" => FactorChange {
                kind: None,
                event: "factor-removed",
                method: match account.second_factor {
                    None => return Ok("OK".into()),
                    Some(FactorKind::Totp) => "totp",
                    Some(FactorKind::Webauthn) => "webauthn",
                },
                factor: None,
            },
            _ => return Err(AccountError::MfaType.into()),
        };
        if change.kind.is_some() {
            self.require_second_factors()?;
            // Who signs up with the address of somebody else cannot lock them out.
            if !account.has_verified(signed_in.email()) {
                return Err(AccountError::UnverifiedUser.into());
            }
        }
        store.set_second_factor(&signed_in, &change).await?;
        if change.factor.is_some() {
            store
                .forget_tries(Tries::Factor(&signed_in.user.id))
                .await?;
        }
        self.succeeded(change.event, Some(&signed_in.user.id));
        Ok("OK".into())
    }

    /// The change that the first code of an authenticator app allows.
    async fn confirmed_totp(
        &self,
        signed_in: &SignedIn,
        account: &Account,
    ) -> Result<FactorChange, Error> {
        let id = signed_in.user.id.as_str();
        if account.second_factor == Some(FactorKind::Totp) {
            return Err(AccountError::TotpActive.into());
        }
        let code = self.body.text("code")?;
        self.count(Tries::Factor(id), "factor-added", Some(id))
            .await?;
        let store = self.store();
        let Some(totp) = store.factors(id).await?.totp else {
            return Err(AccountError::NoTotpSecret.into());
        };
        let Some(factor) = store.compare_totp(id, &totp, code).await? else {
            return Err(self
                .failed("factor-added", Some(id), AccountError::Totp)
                .await);
        };
        Ok(FactorChange {
            kind: Some("totp"),
            event: "factor-added",
            method: "totp",
            factor: Some(factor),
        })
    }

    /// Makes ten recovery codes in place of the former ones.
    pub(super) async fn create_recovery_codes(&self) -> Result<Value, Error> {
        let signed_in = self.elevated().await?;
        let SignedIn { user, session, .. } = &signed_in;
        let store = self.store();
        if store.account(Some(&user.id)).await?.second_factor.is_none() {
            return Err(AccountError::NoSecondFactor.into());
        }
        let codes = [(); recovery_code::CODES].map(|()| recovery_code::new_code());
        let digests: Vec<String> = codes
            .iter()
            .filter_map(|code| recovery_code::digest(&user.id, code))
            .collect();
        let parameters = [
            Some(user.id.clone()),
            Some(array(&digests)),
            Some(session.clone()),
            Some(signed_in.notice(MailPurpose::FactorChanged).to_json()?),
        ];
        let statement = factor_statements::REPLACE_RECOVERY_CODES;
        let gone = AccountError::NoSession;
        store
            .transact_in_session(&user.id, session, statement, &parameters, gone)
            .await?;
        self.succeeded("recovery-codes-created", Some(&user.id));
        Ok(json!({"recoveryCodes": codes}))
    }

    /// `{"ticket": …, "otp": …}` returns a session for a code of an authenticator app or a recovery
    /// code, after the first factor.
    pub(super) async fn sign_in_by_totp(&self) -> Result<Value, Error> {
        let text = self.body.text("ticket")?;
        let code = self.body.text("otp")?;
        let ticket = self.factor_ticket(text).await?;
        let factor = self.second_code(&ticket, code).await?;
        self.sign_in_by_factor(&ticket, factor).await
    }

    /// Compares the code of a second factor, after its ticket was tried.
    pub(super) async fn second_code(
        &self,
        ticket: &Ticket,
        code: &str,
    ) -> Result<ShownFactor, Error> {
        let user = Some(ticket.user.as_str());
        if self.store().account(user).await?.second_factor.is_none() {
            return Err(self
                .failed("sign-in", user, AccountError::DisabledTotp)
                .await);
        }
        self.shown_code("sign-in", &ticket.user, code).await
    }

    /// Counts a try of a ticket for a second factor, and returns it if it holds.
    pub(super) async fn factor_ticket(&self, text: &str) -> Result<Ticket, Error> {
        let ticket = self.store().try_ticket(Purpose::Factor, text).await?;
        match ticket {
            Some(ticket) => Ok(ticket),
            None => Err(self.failed("sign-in", None, AccountError::Ticket).await),
        }
    }

    /// Opens a session after both factors, in the response.
    pub(super) async fn sign_in_by_factor(
        &self,
        ticket: &Ticket,
        factor: ShownFactor,
    ) -> Result<Value, Error> {
        let delivery = Delivery::Response(self.accounts.exchange.refresh);
        let (user, next) = self.after_both(ticket, factor, delivery).await?;
        Ok(self.ended(&user, &next))
    }

    /// Goes on after both factors.
    pub(super) async fn after_both(
        &self,
        ticket: &Ticket,
        factor: ShownFactor,
        delivery: Delivery<'_>,
    ) -> Result<(User, NextStep), Error> {
        let store = self.store();
        let user = store.user(&ticket.user).await?;
        let Some(user) = user else {
            let user = Some(ticket.user.as_str());
            return Err(self
                .failed("sign-in", user, AccountError::DisabledUser)
                .await);
        };
        let Some(first) = ticket.state.clone().filter(|_| ticket.is_of(&user)) else {
            let user = Some(ticket.user.as_str());
            return Err(self.failed("sign-in", user, AccountError::Ticket).await);
        };
        let exchange = &self.accounts.exchange;
        let account = store.account(Some(&user.id)).await?;
        let shown = first.and(factor.reference());
        let next = NextStep::after(shown, &user, &account, exchange, delivery)?;
        store.redeem_factor_ticket(ticket, &factor, &next).await?;
        store.forget_tries(Tries::Factor(&user.id)).await?;
        Ok((user, next))
    }

    /// Compares a code of an authenticator app, or a recovery code, with what the user has. Of a
    /// user there are twenty tries an hour. `event` is what a wrong one is in the audit.
    pub(super) async fn shown_code(
        &self,
        event: &'static str,
        user: &str,
        code: &str,
    ) -> Result<ShownFactor, Error> {
        self.count(Tries::Factor(user), event, Some(user)).await?;
        let store = self.store();
        let factors = store.factors(user).await?;
        let digest = recovery_code::digest(user, code);
        if let Some(digest) = digest.filter(|digest| factors.recovery_codes.contains(digest)) {
            return Ok(ShownFactor::RecoveryCode { digest });
        }
        let totp = factors.totp.filter(|totp| totp.is_confirmed);
        let error = match (&totp, factors.recovery_codes.is_empty()) {
            (Some(totp), _) => match store.compare_totp(user, totp, code).await? {
                Some(factor) => return Ok(factor),
                None => AccountError::Totp,
            },
            (None, false) => AccountError::Totp,
            (None, true) if event == "elevated" => AccountError::NoTotpSecret,
            (None, true) => AccountError::Totp,
        };
        Err(self.failed(event, Some(user), error).await)
    }

    fn require_second_factors(&self) -> Result<(), AccountError> {
        match self.accounts.exchange.factors.second_factor {
            SecondFactor::Off => Err(AccountError::DisabledEndpoint),
            SecondFactor::Optional | SecondFactor::Required => Ok(()),
        }
    }
}

impl AccountStore<'_> {
    async fn factors(&self, user: &str) -> Result<StoredFactors, Error> {
        let parameters = vec![Some(user.to_owned())];
        self.tokens
            .read(factor_statements::FIND_FACTORS, parameters)
            .await
    }

    /// Compares a code of an authenticator app. A secret that the former key has sealed is sealed
    /// anew.
    async fn compare_totp(
        &self,
        user: &str,
        totp: &StoredTotp,
        code: &str,
    ) -> Result<Option<ShownFactor>, Error> {
        let fault = || {
            Error::Internal(
                "the secret of an authenticator app opens neither with `key` nor with `former_key`"
                    .into(),
            )
        };
        let sealed = data_encoding::HEXLOWER
            .decode(totp.secret.as_bytes())
            .map_err(|_| fault())?;
        let opened = self.accounts.seal.open(&sealed, user).ok_or_else(fault)?;
        let secret = TotpSecret::of_bytes(opened.plain);
        let now = jsonwebtoken::get_current_timestamp();
        let Some(step) = secret.step_of(code, now, totp.last_step) else {
            return Ok(None);
        };
        if !opened.is_former {
            let sealed = totp.secret.clone();
            return Ok(Some(ShownFactor::Totp { step, sealed }));
        }
        let sealed = hexadecimal(&self.accounts.seal.seal(secret.bytes(), user)?);
        let parameters = [user.to_owned(), totp.secret.clone(), sealed.clone()];
        self.tokens
            .write(factor_statements::RESEAL_TOTP, parameters.map(Some).into())
            .await?;
        Ok(Some(ShownFactor::Totp { step, sealed }))
    }

    async fn set_second_factor(
        &self,
        signed_in: &SignedIn,
        change: &FactorChange,
    ) -> Result<(), Error> {
        let SignedIn { user, session, .. } = signed_in;
        let notice = signed_in.notice(MailPurpose::FactorChanged);
        let parameters = [
            Some(user.id.clone()),
            change.kind.map(str::to_owned),
            Some(session.clone()),
            Some(change.event.to_owned()),
            Some(change.method.to_owned()),
            Some(notice.to_json()?),
        ];
        let mut steps = vec![self.locking(&user.id), self.requiring(session, &user.id)];
        if change.kind == Some("webauthn") {
            let parameters = self.tokens.with_origin(&[Some(user.id.clone())]);
            steps.push((factor_statements::REQUIRE_KEY, parameters));
        }
        let factor = change.factor.as_ref();
        steps.extend(factor.map(|factor| self.using_factor(&user.id, factor)));
        steps.push((
            factor_statements::SET_SECOND_FACTOR,
            self.tokens.with_origin(&parameters),
        ));
        self.transact_with(&steps, AccountError::NoSession)
            .await
            .map(drop)
    }

    /// Counts a try of a ticket, and returns it if it holds.
    pub(super) async fn try_ticket(
        &self,
        purpose: Purpose,
        text: &str,
    ) -> Result<Option<Ticket>, Error> {
        let digest = crate::token_exchange::digest(text);
        let parameters = vec![Some(digest), Some(purpose.name().to_owned())];
        self.write_json(factor_statements::TRY_TICKET, parameters)
            .await
    }

    async fn redeem_factor_ticket(
        &self,
        ticket: &Ticket,
        factor: &ShownFactor,
        next: &NextStep,
    ) -> Result<(), Error> {
        let steps = [
            self.locking(&ticket.user),
            self.using(ticket),
            self.using_factor(&ticket.user, factor),
            self.next_step(&ticket.user, None, next)?,
        ];
        self.transact_ticket(&steps).await
    }
}

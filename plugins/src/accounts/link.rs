//! The links of mails: `/v1/verify`. Scanners of mails open links, so opening one shows a page with
//! a button, and the button uses it. What a link leads back to is a page of the settings, checked
//! when the mail was asked for and again here.

use gateway::error::Error;
use gateway::http::{LoggedError, Response};
use http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderValue, LOCATION, REFERRER_POLICY,
};
use http::{Method as HttpMethod, StatusCode};
use reqwest::Url;

use super::account::Account;
use super::account_error::AccountError;
use super::account_request::AccountRequest;
use super::config::Method;
use super::form;
use super::link_page::{self, PageContent};
use super::mail_queue::{MailPurpose, QueuedMail};
use super::next_step::{Delivery, FirstFactor, NextStep};
use super::purpose::{self, Purpose};
use super::shown_factor::ShownFactor;
use super::store::{Ticket, Tries};
use crate::token_exchange::User;

/// How long the refresh token holds that is handed over to the application in an address, in
/// seconds. It works once, and the session that it continues is as long as any.
const HANDOVER_SECONDS: u64 = 60;

/// The parameters of a link, or of the page that asks for a second factor.
#[derive(Default)]
struct LinkParameters {
    ticket: String,
    redirect_to: Option<String>,
    /// The code of a second factor.
    otp: Option<String>,
    /// What the application gets back after a sign-in by another provider.
    state: Option<String>,
    code_challenge: Option<String>,
}

/// Where a person is led back to, and with what.
pub(super) struct Return {
    /// The page of the application.
    pub(super) target: Url,
    /// What the application gets back.
    pub(super) state: Option<String>,
    /// The challenge, if the session is handed over by a code.
    pub(super) code_challenge: Option<String>,
}

impl Return {
    /// How a session gets to the page. The refresh token is in its address, so it lasts a minute.
    pub(super) fn delivery(&self) -> Delivery<'_> {
        let challenge = self.code_challenge.as_deref();
        challenge.map_or(Delivery::Response(HANDOVER_SECONDS), Delivery::Code)
    }

    /// Leads back with an error.
    pub(super) fn fail(self, error: AccountError) -> Result<Response, Error> {
        self.with(&[
            ("error", error.code()),
            ("errorDescription", error.message()),
        ])
    }

    /// Leads back with what follows a sign-in.
    pub(super) fn succeed(self, next: &NextStep, kind: &str) -> Result<Response, Error> {
        match next {
            NextStep::Session(opened) => {
                let token = opened.refresh.token.as_str();
                self.with(&[("refreshToken", token), ("type", kind)])
            }
            NextStep::Handover(handover) => self.with(&[("code", &handover.code), ("type", kind)]),
            NextStep::SecondFactor(_) => self.fail(AccountError::Ticket),
        }
    }

    /// Leads back with parameters, and with the state of the application.
    pub(super) fn with(mut self, parameters: &[(&str, &str)]) -> Result<Response, Error> {
        let mut query = self.target.query_pairs_mut();
        query.extend_pairs(parameters);
        query.extend_pairs(self.state.iter().map(|state| ("state", state)));
        drop(query);
        redirect(&self.target)
    }
}

impl LinkParameters {
    fn read(form: &str) -> LinkParameters {
        let mut parameters = LinkParameters::default();
        for (name, value) in form::pairs(form) {
            match name.as_str() {
                "ticket" => parameters.ticket = value,
                "otp" => parameters.otp = Some(value.trim().to_owned()),
                "state" => parameters.state = Some(value),
                "codeChallenge" => parameters.code_challenge = Some(value),
                "redirectTo" if !value.is_empty() => parameters.redirect_to = Some(value),
                _ => {}
            }
        }
        parameters
    }
}

impl AccountRequest<'_> {
    /// Answers `GET` with the page, `POST` by using the link. `form` is the query string, or the
    /// form in the body.
    pub(super) async fn link(&self, form: &str) -> Result<Response, Error> {
        let LinkParameters {
            ticket,
            redirect_to,
            otp,
            state,
            code_challenge,
        } = LinkParameters::read(form);
        let target = match redirect_to.as_deref() {
            None => self.accounts.page(&self.accounts.client_url),
            Some(text) => self.accounts.page(text),
        };
        let Some(target) = target else {
            return Err(AccountError::RedirectNotAllowed.into());
        };
        let uses = self.exchange.method == HttpMethod::POST
            || !self.accounts.has_page && self.exchange.method == HttpMethod::GET;
        let back = Return {
            target,
            state,
            code_challenge,
        };
        if uses {
            return self.use_link(&ticket, back, otp.as_deref()).await;
        }
        match purpose::read(&ticket).filter(|(purpose, _)| purpose.is_link()) {
            None => back.fail(AccountError::Ticket),
            Some((purpose, _)) => {
                Ok(self.page(&ticket, &back, PageContent::Button(purpose), "verify"))
            }
        }
    }

    /// The page of a link. `action` is the address of `/v1/verify`, relative to the page.
    pub(super) fn page(
        &self,
        ticket: &str,
        back: &Return,
        content: PageContent,
        action: &str,
    ) -> Response {
        let locale = self.accounts.locale(preferred_language(self.exchange));
        let kind = purpose::read(ticket).map_or("", |(_, kind)| kind);
        let mut fields = vec![
            ("ticket", ticket),
            ("type", kind),
            ("redirectTo", back.target.as_str()),
        ];
        fields.extend(back.state.iter().map(|state| ("state", state.as_str())));
        let challenge = back.code_challenge.iter();
        fields.extend(challenge.map(|challenge| ("codeChallenge", challenge.as_str())));
        let page = link_page::html(locale, content, action, &fields);
        let media = "text/html; charset=utf-8";
        let is_wrong = content == PageContent::WrongCode;
        let status = if is_wrong {
            StatusCode::UNAUTHORIZED
        } else {
            StatusCode::OK
        };
        let mut response = gateway::http::json(status, media, page.into_bytes());
        if is_wrong {
            // The rates and the log count a wrong code as other refused credentials.
            let error = AccountError::Totp.into();
            let logged = LoggedError::new(&error, self.exchange.app.profile);
            response.extensions_mut().insert(logged);
        }
        let headers = response.headers_mut();
        // Chromium applies `form-action` to the address that the form's answer leads to as well.
        let policy = format!(
            "default-src 'none'; style-src 'unsafe-inline'; form-action 'self' {}; frame-ancestors 'none'; base-uri 'none'",
            form_target(&back.target)
        );
        if let Ok(policy) = HeaderValue::from_str(&policy) {
            headers.insert(CONTENT_SECURITY_POLICY, policy);
        }
        headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        response
    }

    /// Uses a link, and leads back to the application. Of a person who has a second factor the page
    /// asks for a code first, and the link stays until the code is right.
    async fn use_link(
        &self,
        text: &str,
        back: Return,
        otp: Option<&str>,
    ) -> Result<Response, Error> {
        let store = self.store();
        let found = match store.ticket(text).await? {
            None => None,
            Some(ticket) => store.user(&ticket.user).await?.map(|user| (ticket, user)),
        };
        // The address may have been changed since the link was sent.
        let holds = |(ticket, user): &(Ticket, User)| {
            let is_offered = ticket.purpose != Purpose::Link || self.accounts.offers(Method::Link);
            let is_current = ticket.purpose == Purpose::Change || ticket.is_of(user);
            is_offered && is_current
        };
        let Some((ticket, user)) = found.filter(holds) else {
            let _ = self.failed("sign-in", None, AccountError::Ticket).await;
            return back.fail(AccountError::Ticket);
        };
        let kind = purpose::kind(ticket.purpose);
        if ticket.purpose == Purpose::Reset {
            // The link is used with the new password, which the application asks for.
            return back.with(&[("ticket", text), ("type", kind)]);
        }
        let account = store.account(Some(&user.id)).await?;
        let asks = account.second_factor.is_some() || ticket.purpose == Purpose::Factor;
        let factor = match (asks, otp) {
            (false, _) => None,
            (true, None) => return Ok(self.page(text, &back, PageContent::Code, "verify")),
            (true, Some(code)) => match self.link_factor(&ticket, text, code).await {
                Ok(factor) => Some(factor),
                Err(Error::Plugin(fault))
                    if fault.account_code == Some(AccountError::Totp.code()) =>
                {
                    return Ok(self.page(text, &back, PageContent::WrongCode, "verify"));
                }
                Err(Error::Plugin(fault)) => {
                    let code = fault.account_code.unwrap_or_default();
                    return back.with(&[("error", code), ("errorDescription", &fault.message)]);
                }
                Err(error) => return Err(error),
            },
        };
        let used = self
            .go_on_after_link(&ticket, &user, &account, factor, &back)
            .await;
        match used {
            Ok(next) => {
                self.succeeded("sign-in", Some(&user.id));
                back.succeed(&next, kind)
            }
            Err(Error::Plugin(_)) => {
                let _ = self
                    .failed("sign-in", Some(&user.id), AccountError::Ticket)
                    .await;
                back.fail(AccountError::Ticket)
            }
            Err(error) => Err(error),
        }
    }

    /// Uses the ticket of a link, with the second factor if there is one.
    async fn go_on_after_link(
        &self,
        ticket: &Ticket,
        user: &User,
        account: &Account,
        factor: Option<ShownFactor>,
        back: &Return,
    ) -> Result<NextStep, Error> {
        let factor = match factor {
            Some(factor) if ticket.purpose == Purpose::Factor => {
                let after = self.after_both(ticket, factor, back.delivery()).await;
                return after.map(|(_, next)| next);
            }
            factor => factor,
        };
        let mut shown = FirstFactor::new(ticket.purpose.method());
        if let Some(factor) = &factor {
            shown = shown.and(factor.reference());
        }
        let exchange = &self.accounts.exchange;
        let next = NextStep::after(shown, user, account, exchange, back.delivery())?;
        let store = self.store();
        if ticket.purpose == Purpose::Change {
            let notice = QueuedMail {
                new_email: Some(ticket.email.clone()),
                ..QueuedMail::notice(MailPurpose::EmailChanged, user)
            };
            store
                .change_email(ticket, &notice, factor.as_ref(), &next)
                .await?;
        } else {
            store.redeem(ticket, factor.as_ref(), &next).await?;
        }
        if factor.is_some() {
            store.forget_tries(Tries::Factor(&user.id)).await?;
        }
        Ok(next)
    }

    /// Compares the code of a second factor that the page has asked for.
    async fn link_factor(
        &self,
        ticket: &Ticket,
        text: &str,
        code: &str,
    ) -> Result<ShownFactor, Error> {
        let tried = self.store().try_ticket(ticket.purpose, text).await?;
        if tried.is_none() {
            let user = Some(ticket.user.as_str());
            return Err(self.failed("sign-in", user, AccountError::Ticket).await);
        }
        self.second_code(ticket, code).await
    }
}

/// Leads to an address.
pub(super) fn redirect(target: &Url) -> Result<Response, Error> {
    let mut response = gateway::http::json(StatusCode::FOUND, "text/plain", "");
    let location = HeaderValue::try_from(target.as_str())
        .map_err(|_| Error::Internal("the address of a page is no header".into()))?;
    let headers = response.headers_mut();
    headers.insert(LOCATION, location);
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.remove(CONTENT_TYPE);
    Ok(response)
}

/// The source of a page for a content security policy: its origin, or the scheme of an application.
fn form_target(target: &Url) -> String {
    match target.origin() {
        origin if origin.is_tuple() => origin.ascii_serialization(),
        _ => format!("{}:", target.scheme()),
    }
}

/// The first language that the browser asks for: `de` of `de-CH,de;q=0.9`.
fn preferred_language(exchange: &gateway::http::HttpExchange) -> Option<&str> {
    let header = exchange
        .headers
        .get(http::header::ACCEPT_LANGUAGE)?
        .to_str()
        .ok()?;
    header.split([',', ';', '-']).next().map(str::trim)
}

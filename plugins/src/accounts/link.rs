//! The links of mails: `/v1/verify`. Scanners of mails open links, so opening one shows a page with
//! a button, and the button uses it. What a link leads back to is a page of the settings, checked
//! when the mail was asked for and again here.

use gateway::error::Error;
use gateway::http::Response;
use http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderValue, LOCATION, REFERRER_POLICY,
};
use http::{Method as HttpMethod, StatusCode};
use reqwest::Url;

use super::account_error::AccountError;
use super::account_request::AccountRequest;
use super::config::Method;
use super::link_page::{self, PageContent};
use super::mail_queue::{MailPurpose, QueuedMail};
use super::next_step::{FirstFactor, NextStep};
use super::purpose::{self, Purpose};
use super::shown_factor::ShownFactor;
use super::store::{Ticket, Tries};
use crate::token_exchange::User;

/// How long the refresh token holds that is handed over to the application in an address, in
/// seconds. It works once, and the session that it continues is as long as any.
const HANDOVER_SECONDS: u64 = 60;

/// The parameters of a link.
struct LinkParameters {
    ticket: String,
    redirect_to: Option<String>,
    /// The code of a second factor.
    otp: Option<String>,
}

impl LinkParameters {
    fn read(form: &str) -> LinkParameters {
        let mut parameters = LinkParameters {
            ticket: String::new(),
            redirect_to: None,
            otp: None,
        };
        let Ok(url) = Url::parse(&format!("http://form/?{form}")) else {
            return parameters;
        };
        for (name, value) in url.query_pairs() {
            match &*name {
                "ticket" => parameters.ticket = value.into_owned(),
                "otp" => parameters.otp = Some(value.trim().to_owned()),
                "redirectTo" if !value.is_empty() => {
                    parameters.redirect_to = Some(value.into_owned());
                }
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
        if uses {
            return self.use_link(&ticket, target, otp.as_deref()).await;
        }
        match purpose::read(&ticket).filter(|(purpose, _)| purpose.is_link()) {
            None => redirect(with_error(target, AccountError::Ticket)),
            Some((purpose, _)) => Ok(self.page(&ticket, &target, PageContent::Button(purpose))),
        }
    }

    /// The page of a link.
    fn page(&self, ticket: &str, target: &Url, content: PageContent) -> Response {
        let locale = self.accounts.locale(preferred_language(self.exchange));
        let kind = purpose::read(ticket).map_or("", |(_, kind)| kind);
        let fields = [
            ("ticket", ticket),
            ("type", kind),
            ("redirectTo", target.as_str()),
        ];
        let page = link_page::html(locale, content, &fields);
        let media = "text/html; charset=utf-8";
        let mut response = gateway::http::json(StatusCode::OK, media, page.into_bytes());
        let headers = response.headers_mut();
        // Chromium applies `form-action` to the address that the form's answer leads to as well.
        let policy = format!(
            "default-src 'none'; style-src 'unsafe-inline'; form-action 'self' {}; frame-ancestors 'none'; base-uri 'none'",
            form_target(target)
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
        mut target: Url,
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
            is_offered && ticket.purpose.is_link() && is_current
        };
        let Some((ticket, user)) = found.filter(holds) else {
            let _ = self.failed("sign-in", None, AccountError::Ticket).await;
            return redirect(with_error(target, AccountError::Ticket));
        };
        let kind = purpose::kind(ticket.purpose);
        if ticket.purpose == Purpose::Reset {
            // The link is used with the new password, which the application asks for.
            target
                .query_pairs_mut()
                .append_pair("ticket", text)
                .append_pair("type", kind);
            return redirect(target);
        }
        let account = store.account(Some(&user.id)).await?;
        let factor = match (account.second_factor, otp) {
            (None, _) => None,
            (Some(_), None) => return Ok(self.page(text, &target, PageContent::Code)),
            (Some(_), Some(code)) => match self.link_factor(&ticket, text, code).await {
                Ok(factor) => Some(factor),
                Err(Error::Plugin(fault))
                    if fault.account_code == Some(AccountError::Totp.code()) =>
                {
                    return Ok(self.page(text, &target, PageContent::WrongCode));
                }
                Err(Error::Plugin(fault)) => {
                    let code = fault.account_code.unwrap_or_default();
                    return redirect(with_code(target, code, &fault.message));
                }
                Err(error) => return Err(error),
            },
        };
        let first = FirstFactor::new(ticket.purpose.method());
        let exchange = &self.accounts.exchange;
        let next = match &factor {
            None => NextStep::after(first, &user, &account, exchange, HANDOVER_SECONDS)?,
            Some(factor) => {
                let second = factor.reference();
                NextStep::after_both(first, second, &user, exchange, HANDOVER_SECONDS)?
            }
        };
        let factor = factor.as_ref();
        let used = if ticket.purpose == Purpose::Change {
            let notice = QueuedMail {
                new_email: Some(ticket.email.clone()),
                locale: user.text("locale").map(str::to_owned),
                ..QueuedMail::new(
                    MailPurpose::EmailChanged,
                    user.text("email").unwrap_or_default(),
                )
            };
            store.change_email(&ticket, &notice, factor, &next).await
        } else {
            store.redeem(&ticket, factor, &next).await
        };
        let opened = match (used, next) {
            (Ok(()), NextStep::Session(opened)) => opened,
            (Ok(()), NextStep::SecondFactor(_)) | (Err(Error::Plugin(_)), _) => {
                let _ = self
                    .failed("sign-in", Some(&user.id), AccountError::Ticket)
                    .await;
                return redirect(with_error(target, AccountError::Ticket));
            }
            (Err(error), _) => return Err(error),
        };
        if factor.is_some() {
            store.forget_tries(Tries::Factor(&user.id)).await?;
        }
        self.succeeded("sign-in", Some(&user.id));
        target
            .query_pairs_mut()
            .append_pair("refreshToken", &opened.refresh.token)
            .append_pair("type", kind);
        redirect(target)
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
        self.shown_code("sign-in", &ticket.user, code).await
    }
}

fn with_error(target: Url, error: AccountError) -> Url {
    with_code(target, error.code(), error.message())
}

fn with_code(mut target: Url, code: &str, message: &str) -> Url {
    target
        .query_pairs_mut()
        .append_pair("error", code)
        .append_pair("errorDescription", message);
    target
}

fn redirect(target: Url) -> Result<Response, Error> {
    let mut response = gateway::http::json(StatusCode::FOUND, "text/plain", "");
    let location = HeaderValue::try_from(String::from(target))
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

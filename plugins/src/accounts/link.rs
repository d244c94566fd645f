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
use super::mail_queue::{MailPurpose, QueuedMail};
use super::purpose::{self, Purpose};
use super::store::{OpenedSession, Ticket};
use crate::token_exchange::User;

/// How long the refresh token holds that is handed over to the application in an address, in
/// seconds. It works once, and the session that it continues is as long as any.
const HANDOVER_SECONDS: u64 = 60;

/// What is the matter with a link in a language.
struct PageText {
    title: &'static str,
    about: &'static str,
    button: &'static str,
}

/// The parameters of a link.
struct LinkParameters {
    ticket: String,
    redirect_to: Option<String>,
}

impl LinkParameters {
    fn read(form: &str) -> LinkParameters {
        let mut parameters = LinkParameters {
            ticket: String::new(),
            redirect_to: None,
        };
        let Ok(url) = Url::parse(&format!("http://form/?{form}")) else {
            return parameters;
        };
        for (name, value) in url.query_pairs() {
            match &*name {
                "ticket" => parameters.ticket = value.into_owned(),
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
            return self.use_link(&ticket, target).await;
        }
        let Some((purpose, kind)) = purpose::read(&ticket) else {
            return redirect(with_error(target, AccountError::Ticket));
        };
        let locale = self.accounts.locale(preferred_language(self.exchange));
        let text = page_text(purpose, locale);
        let page = page(
            locale,
            &text,
            &[
                ("ticket", &ticket),
                ("type", kind),
                ("redirectTo", target.as_str()),
            ],
        );
        let mut response = gateway::http::json(
            StatusCode::OK,
            "text/html; charset=utf-8",
            page.into_bytes(),
        );
        let headers = response.headers_mut();
        // Chromium applies `form-action` to the address that the form's answer leads to as well.
        let policy = format!(
            "default-src 'none'; style-src 'unsafe-inline'; form-action 'self' {}; frame-ancestors 'none'; base-uri 'none'",
            form_target(&target)
        );
        if let Ok(policy) = HeaderValue::from_str(&policy) {
            headers.insert(CONTENT_SECURITY_POLICY, policy);
        }
        headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        Ok(response)
    }

    /// Uses a link, and leads back to the application.
    async fn use_link(&self, text: &str, mut target: Url) -> Result<Response, Error> {
        let store = self.store();
        let found = match store.ticket(text).await? {
            None => None,
            Some(ticket) => store.user(&ticket.user).await?.map(|user| (ticket, user)),
        };
        // The address may have been changed since the link was sent.
        let holds = |(ticket, user): &(Ticket, User)| {
            let is_offered = ticket.purpose != Purpose::Link || self.accounts.offers(Method::Link);
            is_offered && is_current(ticket, user)
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
        let opened = OpenedSession::of_ticket(&ticket, HANDOVER_SECONDS);
        let used = if ticket.purpose == Purpose::Change {
            let notice = QueuedMail {
                new_email: Some(ticket.email.clone()),
                locale: user.text("locale").map(str::to_owned),
                ..QueuedMail::new(
                    MailPurpose::EmailChanged,
                    user.text("email").unwrap_or_default(),
                )
            };
            store.change_email(&ticket, &notice, &opened).await
        } else {
            store.redeem(&ticket, &opened).await
        };
        match used {
            Ok(()) => {}
            Err(Error::Plugin(_)) => {
                let _ = self
                    .failed("sign-in", Some(&user.id), AccountError::Ticket)
                    .await;
                return redirect(with_error(target, AccountError::Ticket));
            }
            Err(error) => return Err(error),
        }
        self.succeeded("sign-in", Some(&user.id));
        target
            .query_pairs_mut()
            .append_pair("refreshToken", &opened.refresh.token)
            .append_pair("type", kind);
        redirect(target)
    }
}

/// Whether the user still has the address that the link was sent to.
fn is_current(ticket: &Ticket, user: &User) -> bool {
    let has_address = |address: &str| address.eq_ignore_ascii_case(&ticket.email);
    ticket.purpose == Purpose::Change || user.text("email").is_some_and(has_address)
}

fn with_error(mut target: Url, error: AccountError) -> Url {
    target
        .query_pairs_mut()
        .append_pair("error", error.code())
        .append_pair("errorDescription", error.message());
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

/// What the page says, in the languages that have mails built in.
fn page_text(purpose: Purpose, locale: &str) -> PageText {
    let (title, about, button) = match (locale, purpose) {
        ("de", Purpose::Verify) => (
            "E-Mail-Adresse bestätigen",
            "Mit einem Klick bestätigen Sie Ihre Adresse und sind angemeldet.",
            "Adresse bestätigen",
        ),
        ("de", Purpose::Change) => (
            "Neue E-Mail-Adresse bestätigen",
            "Mit einem Klick wird dies die Adresse Ihres Kontos.",
            "Neue Adresse bestätigen",
        ),
        ("de", Purpose::Reset) => (
            "Neues Passwort",
            "Weiter zur Seite, auf der Sie ein neues Passwort wählen.",
            "Weiter",
        ),
        ("de", _) => (
            "Anmelden",
            "Mit einem Klick sind Sie angemeldet.",
            "Anmelden",
        ),
        ("nl", Purpose::Verify) => (
            "E-mailadres bevestigen",
            "Met één klik bevestigt u uw adres en bent u ingelogd.",
            "Adres bevestigen",
        ),
        ("nl", Purpose::Change) => (
            "Nieuw e-mailadres bevestigen",
            "Met één klik wordt dit het adres van uw account.",
            "Nieuw adres bevestigen",
        ),
        ("nl", Purpose::Reset) => (
            "Nieuw wachtwoord",
            "Ga verder naar de pagina waar u een nieuw wachtwoord kiest.",
            "Verder",
        ),
        ("nl", _) => ("Inloggen", "Met één klik bent u ingelogd.", "Inloggen"),
        (_, Purpose::Verify) => (
            "Verify your email address",
            "One click verifies your address and signs you in.",
            "Verify address",
        ),
        (_, Purpose::Change) => (
            "Verify your new email address",
            "One click makes this the address of your account.",
            "Verify new address",
        ),
        (_, Purpose::Reset) => (
            "New password",
            "Go on to the page where you choose a new password.",
            "Go on",
        ),
        (_, _) => ("Sign in", "One click signs you in.", "Sign in"),
    };
    PageText {
        title,
        about,
        button,
    }
}

/// A page with one form, whose button sends the fields back to the same address.
fn page(locale: &str, text: &PageText, fields: &[(&str, &str)]) -> String {
    let language = if matches!(locale, "de" | "nl") {
        locale
    } else {
        "en"
    };
    let PageText {
        title,
        about,
        button,
    } = text;
    let fields: String = fields
        .iter()
        .map(|(name, value)| {
            format!(
                "<input type=\"hidden\" name=\"{name}\" value=\"{}\">\n",
                escaped(value)
            )
        })
        .collect();
    format!(
        "<!doctype html>\n<html lang=\"{language}\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"robots\" content=\"noindex\">\n<title>{title}</title>\n<style>{STYLE}</style>\n</head>\n\
         <body>\n<main>\n<h1>{title}</h1>\n<p>{about}</p>\n<form method=\"post\" action=\"verify\">\n{fields}\
         <button>{button}</button>\n</form>\n</main>\n</body>\n</html>\n"
    )
}

const STYLE: &str = ":root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;margin:0;display:grid;\
min-height:100vh;place-items:center}main{max-width:28rem;padding:1.5rem}button{font:inherit;padding:.6rem 1.2rem;\
border:0;border-radius:.4rem;background:#1f5fbf;color:#fff;cursor:pointer}button:focus-visible{outline:3px solid;\
outline-offset:2px}";

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

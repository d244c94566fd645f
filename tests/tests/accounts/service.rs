//! Starts gateways with accounts over a database and an SMTP server, and does what people do there.

use std::ops::Deref;

use gateway::server::GatewayHandle;
use reqwest::Method;
use reqwest::redirect::Policy;
use serde_json::{Value, json};
use tests::TestDatabase;
use tests::reply::Reply;
use tests::service::{self, ServiceBuilder};

use super::mailbox::Mailbox;
use super::page::{Form, SERVER_URL, parameter};
use super::software_key::{ORIGIN, RP_ID};

/// The table of the people, which belongs to the database's owner.
pub(super) const SCHEMA: &str = include_str!("service.sql");

/// The application, where links lead without `redirectTo`.
pub(super) const CLIENT_URL: &str = "https://app.example.com";

/// The password of all people, unless a test says otherwise.
pub(super) const PASSWORD: &str = "correct horse battery";

/// A key of enough characters.
pub(super) const KEY: &str = "a key of accounts with more than 32 characters";

/// The settings that most tests have.
const SETTINGS: &str = r#"
[token_exchange]
users = "SELECT id, email, default_role, allowed_roles, display_name, locale, metadata FROM people WHERE id = $1 AND NOT is_blocked"
token_roles = ["me"]

[events]
poll_seconds = 1

[accounts]
by_email = "SELECT id FROM people WHERE lower(email) = lower($1)"
create = "INSERT INTO people (email, display_name, locale, metadata, method) VALUES ($1, $2, $3, $4, $5) RETURNING id"
set_email = "UPDATE people SET email = $2 WHERE id = $1 RETURNING id"
methods = ["password", "link", "code", "passkey"]
roles = ["me"]
redirects = ["https://app.example.com/in/**", "https://shop.example.com/account"]
locales = ["en", "de", "nl"]

[accounts.mail]
from = "Example <no-reply@example.com>"

[[rates]]
name = "authentication"
mode = "off"
[[rates]]
name = "sign-in"
mode = "off"
[[rates]]
name = "mails"
mode = "off"
"#;

/// A running gateway with accounts, and the mails it sends.
pub(super) struct Service {
    service: service::Service,
    pub(super) mailbox: Mailbox,
}

impl Deref for Service {
    type Target = service::Service;

    fn deref(&self) -> &service::Service {
        &self.service
    }
}

/// The settings file for a mail server; `changes` is TOML whose values come in place of the usual
/// ones: `accounts.verify = false`.
pub(super) fn settings(mail_url: &str, changes: &str) -> String {
    let mut settings: toml::Table = SETTINGS.parse().unwrap();
    let places = format!(
        "accounts = {{ server_url = {SERVER_URL:?}, client_url = {CLIENT_URL:?}, key = {KEY:?}, \
         mail = {{ smtp = {mail_url:?} }}, \
         passkeys = {{ rp_id = {RP_ID:?}, origins = [{ORIGIN:?}] }} }}"
    );
    merge(&mut settings, places.parse().unwrap());
    merge(&mut settings, changes.parse().unwrap());
    settings.to_string()
}

/// Puts values into a table; tables are merged. An empty text removes a value.
fn merge(into: &mut toml::Table, from: toml::Table) {
    for (key, value) in from {
        let is_removed = value.as_str() == Some("");
        if is_removed {
            into.remove(&key);
            continue;
        }
        match (
            into.get_mut(&key).and_then(toml::Value::as_table_mut),
            value,
        ) {
            (Some(inner), toml::Value::Table(table)) => merge(inner, table),
            (_, value) => {
                into.insert(key, value);
            }
        }
    }
}

/// A gateway with these settings that has not been started.
pub(super) fn builder(file: &str) -> ServiceBuilder {
    let migrations = plugins::migration_script();
    service::Service::builder("accounts", &[SCHEMA, &migrations]).settings_file(file)
}

impl Service {
    /// Starts a gateway with the usual settings.
    pub(super) async fn start() -> Service {
        Service::with("").await
    }

    /// Starts a gateway with changed settings.
    pub(super) async fn with(changes: &str) -> Service {
        let mailbox = Mailbox::start().await;
        let file = settings(&mailbox.url(), changes);
        let service = builder(&file).start().await;
        Service::new(service, mailbox)
    }

    /// A service of a gateway that was started by other means.
    pub(super) fn new(mut service: service::Service, mailbox: Mailbox) -> Service {
        service.client = reqwest::Client::builder()
            .redirect(Policy::none())
            .build()
            .unwrap();
        Service { service, mailbox }
    }

    /// Starts another gateway over the same database and mail server.
    pub(super) async fn another(&self, changes: &str) -> GatewayHandle {
        let builder = builder(&settings(&self.mailbox.url(), changes));
        let gateway = builder.gateway_builder(self.database.url()).start().await;
        gateway.unwrap_or_else(|error| panic!("{error}"))
    }

    /// The gateway and its database, which outlives it.
    pub(super) fn into_parts(self) -> (GatewayHandle, TestDatabase) {
        self.service.into_parts()
    }

    /// Stops the gateway, and starts another one over the same database.
    pub(super) async fn restarted(self) -> Service {
        self.restarted_with("").await
    }

    /// Stops the gateway, and starts another one with changed settings over the same database.
    pub(super) async fn restarted_with(self, changes: &str) -> Service {
        let Service { service, mailbox } = self;
        let (gateway, database) = service.into_parts();
        gateway.shutdown().await;
        let file = settings(&mailbox.url(), changes);
        let service = builder(&file).start_over(database).await;
        Service::new(service.unwrap_or_else(|error| panic!("{error}")), mailbox)
    }

    /// Sends a POST with a body to a path.
    pub(super) async fn post(&self, path: &str, body: Value) -> Reply {
        service::send(self.request(Method::POST, path).json(&body)).await
    }

    /// Sends a POST with a bearer token.
    pub(super) async fn post_as(&self, token: &str, path: &str, body: Value) -> Reply {
        let request = self.request(Method::POST, path).bearer_auth(token);
        service::send(request.json(&body)).await
    }

    /// Sends a POST that has to succeed without content.
    pub(super) async fn ok(&self, path: &str, body: Value) {
        let reply = self.post(path, body).await;
        assert_eq!(
            (reply.status, reply.json()),
            (200, json!("OK")),
            "{path}: {}",
            reply.text
        );
    }

    /// Signs a person up by password.
    pub(super) async fn sign_up(&self, email: &str) {
        let reply = self.sign_up_with(email, PASSWORD, json!({})).await;
        assert_eq!(
            (reply.status, reply.json()),
            (200, json!({"session": null})),
            "{}",
            reply.text
        );
    }

    /// The response to signing up with options.
    pub(super) async fn sign_up_with(&self, email: &str, password: &str, options: Value) -> Reply {
        let body = json!({"email": email, "password": password, "options": options});
        self.post("/v1/signup/email-password", body).await
    }

    /// Signs a person up by password, and follows the link in the mail.
    pub(super) async fn verified(&self, email: &str) {
        self.sign_up(email).await;
        let link = self.mailbox.next(email).await.link();
        let location = self.click(&link).await;
        assert!(parameter(&location, "refreshToken").is_some(), "{location}");
    }

    /// The response to signing in by password.
    pub(super) async fn sign_in_with(&self, email: &str, password: &str) -> Reply {
        let body = json!({"email": email, "password": password});
        self.post("/v1/signin/email-password", body).await
    }

    /// The session of a person who signs in with the usual password.
    pub(super) async fn session(&self, email: &str) -> Value {
        let reply = self.sign_in_with(email, PASSWORD).await;
        assert_eq!(reply.status, 200, "{}", reply.text);
        session(&reply)
    }

    /// The response to a refresh token.
    pub(super) async fn refresh(&self, token: &str) -> Reply {
        self.post("/v1/token", json!({"refreshToken": token})).await
    }

    /// Asks for a link, and returns the one that was mailed.
    pub(super) async fn link(&self, email: &str) -> String {
        self.ok("/v1/signin/passwordless/email", json!({"email": email}))
            .await;
        self.mailbox.next(email).await.link()
    }

    /// Asks for a code, and returns the one that was mailed.
    pub(super) async fn code(&self, email: &str) -> String {
        self.ok("/v1/signin/otp/email", json!({"email": email}))
            .await;
        self.mailbox.next(email).await.code()
    }

    /// The response to a code.
    pub(super) async fn enter(&self, email: &str, code: &str) -> Reply {
        let body = json!({"email": email, "otp": code});
        self.post("/v1/signin/otp/email/verify", body).await
    }

    /// The ticket of a mailed link that resets the password.
    pub(super) async fn reset(&self, email: &str) -> String {
        self.ok("/v1/user/password/reset", json!({"email": email}))
            .await;
        let location = self.click(&self.mailbox.next(email).await.link()).await;
        assert_eq!(
            parameter(&location, "type").as_deref(),
            Some("passwordReset"),
            "{location}"
        );
        assert_eq!(parameter(&location, "refreshToken"), None, "{location}");
        parameter(&location, "ticket").unwrap()
    }

    /// Opens a link in a mail.
    pub(super) async fn open(&self, link: &str) -> Reply {
        service::send(self.get(path(link))).await
    }

    /// Opens a link in a mail and presses the button of the page, if there is one; returns where
    /// that leads.
    pub(super) async fn click(&self, link: &str) -> String {
        let mut reply = self.open(link).await;
        if reply.status == 200 {
            reply = self.press(&Form::read(&reply.text)).await;
        }
        assert_eq!(reply.status, 302, "{}", reply.text);
        reply.header("location").to_owned()
    }

    /// Presses the button of a form.
    pub(super) async fn press(&self, form: &Form) -> Reply {
        self.press_at(&self.gateway, form).await
    }

    /// Presses the button of a form on a page of a gateway.
    pub(super) async fn press_at(&self, gateway: &GatewayHandle, form: &Form) -> Reply {
        let request = self
            .client
            .post(format!("{}{}", gateway.url(), path(&form.action)));
        let request = request.header("content-type", "application/x-www-form-urlencoded");
        service::send(request.body(form.body())).await
    }

    /// Waits until no mail is left to be sent.
    pub(super) async fn until_mailed(&self) {
        let pending = "NOT EXISTS (SELECT FROM postern.event_queue WHERE state = 'pending')";
        self.database.until(pending).await;
    }

    /// The purposes of the mails in the queue, oldest first.
    pub(super) async fn purposes(&self) -> String {
        self.value("SELECT string_agg(payload ->> 'purpose', ' ' ORDER BY sequence) FROM postern.event_queue")
            .await
    }

    /// Lets the time of all tickets pass.
    pub(super) async fn expire_tickets(&self) {
        self.run(
            "UPDATE postern.ticket SET created_at = created_at - interval '2 days', \
             expires_at = expires_at - interval '2 days'",
        )
        .await;
    }

    /// The id of a person.
    pub(super) async fn id(&self, email: &str) -> String {
        self.value(&format!("SELECT id FROM people WHERE email = '{email}'"))
            .await
    }
}

/// The path and the query of a URL of the gateway.
fn path(url: &str) -> &str {
    url.strip_prefix(SERVER_URL).unwrap_or(url)
}

/// The session in a response.
#[track_caller]
pub(super) fn session(reply: &Reply) -> Value {
    assert_eq!(reply.status, 200, "{}", reply.text);
    let session = reply.json()["session"].clone();
    assert!(session["accessToken"].is_string(), "{}", reply.text);
    session
}

/// The text of a member.
#[track_caller]
pub(super) fn text(value: &Value, name: &str) -> String {
    let text = value[name].as_str();
    text.unwrap_or_else(|| panic!("no `{name}` in {value}"))
        .to_owned()
}

/// Fails unless a response is this error in hasura-auth's form.
#[track_caller]
pub(super) fn assert_refused(reply: &Reply, status: u16, code: &str) {
    let mut body = reply.json();
    let message = body["message"].take();
    let expected = json!({"status": status, "error": code, "message": null});
    assert_eq!((reply.status, body), (status, expected), "{}", reply.text);
    assert!(
        message.as_str().is_some_and(|message| !message.is_empty()),
        "{}",
        reply.text
    );
    assert_eq!(
        reply.header("content-type"),
        "application/json; charset=utf-8"
    );
}

/// Fails unless a redirect says that the ticket is not valid.
#[track_caller]
pub(super) fn assert_invalid_ticket(location: &str) {
    assert_eq!(
        parameter(location, "error").as_deref(),
        Some("invalid-ticket"),
        "{location}"
    );
    assert!(
        parameter(location, "errorDescription").is_some(),
        "{location}"
    );
    for name in ["refreshToken", "ticket"] {
        assert_eq!(parameter(location, name), None, "{location}");
    }
}

/// A database with the tables, and no gateway.
pub(super) async fn migrated() -> TestDatabase {
    builder("").create_database().await
}

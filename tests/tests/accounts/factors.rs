//! What people with second factors and passkeys do: they set them up, sign in in two steps, and
//! elevate a session.

use serde_json::{Value, json};
use tests::reply::Reply;
use tests::service::send;

use super::authenticator_app::AuthenticatorApp;
use super::mailbox::Mail;
use super::service::{PASSWORD, Service, session, text};
use super::software_key::SoftwareKey;

/// A person who signs in with the usual password and an authenticator app.
pub(super) struct Person {
    pub(super) email: String,
    pub(super) app: AuthenticatorApp,
    /// The access token of a session that is not elevated.
    pub(super) access: String,
}

impl Service {
    /// Sends a GET with a bearer token.
    pub(super) async fn get_as(&self, token: &str, path: &str) -> Reply {
        send(self.get(path).bearer_auth(token)).await
    }

    /// Sends a POST without a body, as Nhost's client does.
    pub(super) async fn post_nothing(&self, token: &str, path: &str) -> Reply {
        send(self.request(reqwest::Method::POST, path).bearer_auth(token)).await
    }

    /// Sends a POST with a bearer token that has to succeed without content.
    pub(super) async fn ok_as(&self, token: &str, path: &str, body: Value) {
        let reply = self.post_as(token, path, body).await;
        assert_eq!(
            (reply.status, reply.json()),
            (200, json!("OK")),
            "{path}: {}",
            reply.text
        );
    }

    /// The next mail to an address, which is a notice: it has no link.
    pub(super) async fn notice(&self, email: &str) -> Mail {
        let mail = self.mailbox.next(email).await;
        assert!(mail.has_no_link(), "{mail:?}");
        mail
    }

    /// An app with a new secret, which is not confirmed.
    pub(super) async fn generate(&self, token: &str) -> AuthenticatorApp {
        let reply = self.get_as(token, "/v1/mfa/totp/generate").await;
        assert_eq!(reply.status, 200, "{}", reply.text);
        AuthenticatorApp::new(&text(&reply.json(), "totpSecret"))
    }

    /// Turns the second factor on with a code of an app, and reads the notice.
    pub(super) async fn turn_on_totp(&self, token: &str, email: &str) -> AuthenticatorApp {
        let app = self.generate(token).await;
        let body = json!({"activeMfaType": "totp", "code": app.code()});
        self.ok_as(token, "/v1/user/mfa", body).await;
        self.notice(email).await;
        app
    }

    /// A verified person who has turned the second factor on.
    pub(super) async fn person_with_totp(&self, email: &str) -> Person {
        self.verified(email).await;
        let access = text(&self.session(email).await, "accessToken");
        Person {
            email: email.to_owned(),
            app: self.turn_on_totp(&access, email).await,
            access,
        }
    }

    /// Lets codes that were used work again, in place of waiting for the next ones.
    pub(super) async fn forget_steps(&self) {
        self.run("UPDATE postern.totp SET last_step = 0").await;
    }

    /// A code that has not been used.
    pub(super) async fn unused_code(&self, app: &AuthenticatorApp) -> String {
        self.forget_steps().await;
        app.code()
    }

    /// The `mfa` of the response to the usual password.
    pub(super) async fn first_step(&self, email: &str) -> Value {
        mfa(&self.sign_in_with(email, PASSWORD).await)
    }

    /// The ticket that the usual password gives.
    pub(super) async fn mfa_ticket(&self, email: &str) -> String {
        text(&self.first_step(email).await, "ticket")
    }

    /// The response to a ticket and a code.
    pub(super) async fn second_step(&self, ticket: &str, code: &str) -> Reply {
        let body = json!({"ticket": ticket, "otp": code});
        self.post("/v1/signin/mfa/totp", body).await
    }

    /// The session of a person who signs in with the usual password and a code.
    pub(super) async fn session_in_two_steps(&self, person: &Person) -> Value {
        let ticket = self.mfa_ticket(&person.email).await;
        let code = self.unused_code(&person.app).await;
        session(&self.second_step(&ticket, &code).await)
    }

    /// The response to elevating a session with a code.
    pub(super) async fn elevate(&self, token: &str, code: &str) -> Reply {
        self.post_as(token, "/v1/elevate/totp", json!({"otp": code}))
            .await
    }

    /// An elevated access token of the person's session.
    pub(super) async fn elevated(&self, person: &Person) -> String {
        let code = self.unused_code(&person.app).await;
        text(
            &session(&self.elevate(&person.access, &code).await),
            "accessToken",
        )
    }

    /// New recovery codes, for the holder of an elevated access token. Reads the notice.
    pub(super) async fn recovery_codes(&self, elevated: &str) -> Vec<String> {
        let reply = self
            .post_nothing(elevated, "/v1/user/mfa/recovery-codes")
            .await;
        assert_eq!(reply.status, 200, "{}", reply.text);
        let user = self.get_as(elevated, "/v1/user").await.json();
        self.notice(&text(&user, "email")).await;
        serde_json::from_value(reply.json()["recoveryCodes"].clone()).unwrap()
    }

    /// The options in the response to a POST.
    pub(super) async fn options(&self, path: &str, body: Value) -> Value {
        let reply = self.post(path, body).await;
        assert_eq!(reply.status, 200, "{path}: {}", reply.text);
        reply.json()
    }

    /// The options in the response to a POST with a bearer token.
    pub(super) async fn options_as(&self, token: &str, path: &str) -> Value {
        let reply = self.post_nothing(token, path).await;
        assert_eq!(reply.status, 200, "{path}: {}", reply.text);
        reply.json()
    }

    /// Adds a key to the account of an access token's holder, and reads the notice. Returns the id
    /// of the key.
    pub(super) async fn add_key(&self, token: &str, email: &str, key: &mut SoftwareKey) -> String {
        let options = self.options_as(token, "/v1/user/webauthn/add").await;
        let body = json!({"credential": key.create(&options), "nickname": "a key"});
        let reply = self.post_as(token, "/v1/user/webauthn/verify", body).await;
        assert_eq!(reply.status, 200, "{}", reply.text);
        assert_eq!(reply.json()["nickname"], "a key", "{}", reply.text);
        self.notice(email).await;
        text(&reply.json(), "id")
    }

    /// A verified person with a password and a passkey.
    pub(super) async fn person_with_key(&self, email: &str) -> SoftwareKey {
        self.verified(email).await;
        let access = text(&self.session(email).await, "accessToken");
        let mut key = SoftwareKey::new();
        self.add_key(&access, email, &mut key).await;
        key
    }

    /// The response to signing in with a key, whose person need not be named.
    pub(super) async fn sign_in_by_key(&self, key: &mut SoftwareKey) -> Reply {
        let options = self.options("/v1/signin/webauthn", json!({})).await;
        self.verify_key(&key.get(&options)).await
    }

    /// The response to the credential of a sign-in.
    pub(super) async fn verify_key(&self, credential: &Value) -> Reply {
        let body = json!({"credential": credential});
        self.post("/v1/signin/webauthn/verify", body).await
    }

    /// The response to elevating a session with a key.
    pub(super) async fn elevate_by_key(&self, token: &str, key: &mut SoftwareKey) -> Reply {
        let options = self.options_as(token, "/v1/elevate/webauthn").await;
        let body = json!({"credential": key.get(&options)});
        self.post_as(token, "/v1/elevate/webauthn/verify", body)
            .await
    }

    /// The events in the audit table whose names these are, oldest first: event, outcome, method.
    pub(super) async fn audit(&self, events: &[&str]) -> Vec<String> {
        let rows = format!(
            "SELECT coalesce(json_agg(concat_ws(' ', event, outcome, method, reason) ORDER BY id), '[]') \
             FROM postern.authentication_event WHERE event = ANY ('{{{}}}')",
            events.join(",")
        );
        serde_json::from_str(&self.value(&rows).await).unwrap()
    }
}

/// The claims of an access token.
pub(super) fn claims(token: &str) -> Value {
    jsonwebtoken::dangerous::insecure_decode_claims(token).unwrap()
}

/// How the person has signed in, as an access token says.
pub(super) fn methods(session: &Value) -> Value {
    claims(&text(session, "accessToken"))["amr"].clone()
}

/// The id of the user for whom an access token is elevated, if it is.
pub(super) fn elevated_user(token: &str) -> Option<String> {
    let claims = claims(token);
    let claim = claims["gateway"].get("x-gateway-auth-elevated")?;
    Some(claim.as_str().unwrap().to_owned())
}

/// The `mfa` of a response that opens no session yet.
#[track_caller]
pub(super) fn mfa(reply: &Reply) -> Value {
    assert_eq!(reply.status, 200, "{}", reply.text);
    let body = reply.json();
    assert_eq!(body["session"], Value::Null, "{}", reply.text);
    let ticket = body["mfa"]["ticket"].as_str().unwrap_or_default();
    // hasura-auth-js 2 refuses tickets of another form.
    let id = ticket.strip_prefix("mfaTotp:").unwrap_or_default();
    let id = uuid::Uuid::parse_str(id).map(|id| id.to_string());
    assert_eq!(
        id.ok().as_deref(),
        ticket.strip_prefix("mfaTotp:"),
        "{}",
        reply.text
    );
    body["mfa"].clone()
}

/// Fails unless elevation is asked for.
#[track_caller]
pub(super) fn assert_asks_for_elevation(reply: &Reply) {
    super::service::assert_refused(reply, 403, "elevation-required");
}

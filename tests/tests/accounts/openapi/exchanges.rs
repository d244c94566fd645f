//! Requests to every path to sign in that needs no second factor and no key, and their responses:
//! each success, and each error that the description names.

use reqwest::Method;
use serde_json::{Value, json};

use super::recorder::{Exchange, PROVIDER, Recorder};
use crate::accounts::mailbox::Mailbox;
use crate::accounts::page::parameter;
use crate::accounts::service::{PASSWORD, Service, builder, session, settings, text};
use crate::exchange::keys::PAIRS;
use crate::http::elsewhere::{Answer, Elsewhere};

pub(super) const ADA: &str = "ada@example.org";
pub(super) const BOB: &str = "bob@example.org";
const EVE: &str = "eve@example.org";

/// What the service of leaked passwords says of [`PASSWORD`].
pub(super) const LEAKED: &str = "C62ECE399A22ED30D490EF333BE7FDE7385:42\r\n";

/// The columns that hasura-auth's schema of a user has, and that people get here.
pub(super) const USERS: &str = "token_exchange.users = \"SELECT id, email, default_role, allowed_roles, \
    display_name, locale, metadata, '2026-01-02T03:04:05Z'::timestamptz AS created_at \
    FROM people WHERE id = $1 AND NOT is_blocked\"\n";

/// Settings with which a new user may not sign in.
pub(super) const BLOCKED: &str = "accounts.verify = false\naccounts.create = \"INSERT INTO people \
    (email, is_blocked) VALUES ($1, true) RETURNING id\"";

/// All exchanges. The futures are boxed, because they are large.
pub(super) async fn all() -> Vec<Exchange> {
    let mut exchanges = Box::pin(signing_up()).await;
    exchanges.append(&mut Box::pin(signing_in()).await);
    exchanges.append(&mut Box::pin(changing_credentials()).await);
    exchanges.append(&mut Box::pin(tokens()).await);
    exchanges.append(&mut Box::pin(published_keys()).await);
    exchanges.append(&mut Box::pin(other_settings()).await);
    exchanges.append(&mut Box::pin(limits()).await);
    exchanges
}

/// Options of a request that are refused, each for another reason.
pub(super) fn refused_options() -> Vec<Value> {
    vec![
        json!({"displayName": "a".repeat(33)}),
        json!({"allowedRoles": ["admin"]}),
        json!({"allowedRoles": ["me"], "defaultRole": "reader"}),
        json!({"locale": "fr"}),
        json!({"redirectTo": "https://elsewhere.example"}),
    ]
}

async fn signing_up() -> Vec<Exchange> {
    let leaks = Elsewhere::start(Answer::ok(LEAKED)).await;
    let changes = format!(
        "{USERS}accounts.roles = [\"me\", \"reader\"]\naccounts.leaked_passwords = {:?}",
        leaks.url("")
    );
    let recorder = Recorder::with(&changes).await;
    const PATH: &str = "/v1/signup/email-password";
    let body = |options: Value| json!({"email": ADA, "password": PASSWORD, "options": options});
    recorder.post(PATH, body(json!({})), 400).await;
    leaks.answer(Answer::ok(""));
    for options in refused_options() {
        recorder.post(PATH, body(options), 400).await;
    }
    let short = json!({"email": ADA, "password": "short"});
    recorder.post(PATH, short, 400).await;
    let options = json!({"displayName": "Ada", "locale": "de", "metadata": {"team": 7},
        "allowedRoles": ["me"], "defaultRole": "me", "redirectTo": "https://app.example.com/in/a"});
    recorder.post(PATH, body(options), 200).await;

    const SIGN_IN: &str = "/v1/signin/email-password";
    let right = json!({"email": ADA, "password": PASSWORD});
    recorder.post(SIGN_IN, right.clone(), 401).await;
    recorder
        .follow(&recorder.mailbox.next(ADA).await.link())
        .await;
    recorder.post(SIGN_IN, right.clone(), 200).await;
    recorder.post(SIGN_IN, json!({"email": ADA}), 400).await;
    let wrong = json!({"email": ADA, "password": "a wrong password"});
    recorder.post(SIGN_IN, wrong, 401).await;
    recorder.run("UPDATE people SET is_blocked = true").await;
    recorder.post(SIGN_IN, right, 401).await;
    recorder.finish()
}

async fn signing_in() -> Vec<Exchange> {
    let changes = format!("{USERS}accounts.roles = [\"me\", \"reader\"]");
    let recorder = Recorder::with(&changes).await;
    for path in ["/v1/signin/passwordless/email", "/v1/signin/otp/email"] {
        for options in refused_options() {
            let body = json!({"email": ADA, "options": options});
            recorder.post(path, body, 400).await;
        }
        let options = json!({"redirectTo": "https://app.example.com/in/b", "locale": "nl"});
        let body = json!({"email": ADA, "options": options});
        recorder.post(path, body, 200).await;
    }
    for path in ["/v1/signup/passwordless/email", "/v1/signup/otp/email"] {
        for options in refused_options() {
            let body = json!({"email": BOB, "options": options});
            recorder.post(path, body, 400).await;
        }
        recorder.post(path, json!({"email": BOB}), 200).await;
    }
    let mails = [
        recorder.mailbox.next(ADA).await,
        recorder.mailbox.next(ADA).await,
    ];
    let mut codes = mails
        .iter()
        .filter(|mail| !mail.text.contains("/v1/verify?"));
    let code = codes.next().unwrap();
    const VERIFY_CODE: &str = "/v1/signin/otp/email/verify";
    recorder.post(VERIFY_CODE, json!({"email": ADA}), 400).await;
    let right = json!({"email": ADA, "otp": code.code()});
    recorder.post(VERIFY_CODE, right.clone(), 200).await;
    recorder.post(VERIFY_CODE, right, 401).await;

    let link = recorder.link(ADA).await;
    let location = recorder.follow(&link).await;
    assert!(parameter(&location, "refreshToken").is_some(), "{location}");
    let location = recorder.follow(&link).await;
    assert!(parameter(&location, "error").is_some(), "{location}");
    let elsewhere = json!({"ticket": "a", "redirectTo": "https://elsewhere.example"});
    let query = "ticket=a&redirectTo=https://elsewhere.example";
    let request = recorder.get(&format!("/v1/verify?{query}"));
    let operation = (Method::GET, "/v1/verify");
    recorder
        .record(request, operation, elsewhere.clone(), 400)
        .await;
    let request = recorder.request(Method::POST, "/v1/verify").body(query);
    let operation = (Method::POST, "/v1/verify");
    recorder.record(request, operation, elsewhere, 400).await;
    let request = recorder.get("/v1/verify?ticket=a");
    let operation = (Method::GET, "/v1/verify");
    let unknown = json!({"ticket": "a"});
    recorder.record(request, operation, unknown, 302).await;
    recorder.finish()
}

async fn changing_credentials() -> Vec<Exchange> {
    let leaks = Elsewhere::start(Answer::ok("")).await;
    let changes = format!("{USERS}accounts.leaked_passwords = {:?}", leaks.url(""));
    let recorder = Recorder::with(&changes).await;
    recorder.verified(ADA).await;
    recorder.sign_up(BOB).await;
    recorder.mailbox.next(BOB).await;
    let refused = [
        json!({}),
        json!({"email": BOB, "newEmail": BOB, "options": {"locale": "fr"}}),
        json!({"email": BOB, "newEmail": BOB, "options": {"redirectTo": "https://elsewhere.example"}}),
    ];
    let sent = json!({"email": BOB, "options": {"redirectTo": "https://app.example.com/in/c"}});
    for path in [
        "/v1/user/email/send-verification-email",
        "/v1/user/password/reset",
    ] {
        for body in &refused {
            recorder.post(path, body.clone(), 400).await;
        }
        recorder.post(path, sent.clone(), 200).await;
    }

    let token = text(&recorder.session(ADA).await, "accessToken");
    const CHANGE: &str = "/v1/user/email/change";
    for body in &refused {
        recorder.post_as(&token, CHANGE, body.clone(), 400).await;
    }
    let new = json!({"newEmail": EVE, "options": {"redirectTo": "https://app.example.com/in/d"}});
    recorder.post_as(&token, CHANGE, new.clone(), 200).await;
    recorder.post_as("no token", CHANGE, new.clone(), 401).await;

    const PASSWORDS: &str = "/v1/user/password";
    let change = json!({"newPassword": "another password"});
    recorder.post_as(&token, PASSWORDS, json!({}), 400).await;
    let short = json!({"newPassword": "short"});
    recorder.post_as(&token, PASSWORDS, short, 400).await;
    recorder.post(PASSWORDS, change.clone(), 401).await;
    let ticket = recorder.reset(ADA).await;
    let by_ticket = json!({"ticket": ticket, "newPassword": PASSWORD});
    leaks.answer(Answer::ok(LEAKED));
    recorder.post(PASSWORDS, by_ticket.clone(), 400).await;
    leaks.answer(Answer::ok(""));
    recorder.post(PASSWORDS, by_ticket.clone(), 200).await;
    recorder.post(PASSWORDS, by_ticket, 401).await;
    // The session that the password has ended.
    recorder.post_as(&token, CHANGE, new.clone(), 403).await;
    recorder
        .post_as(&token, PASSWORDS, change.clone(), 403)
        .await;

    let token = text(&recorder.session(ADA).await, "accessToken");
    recorder.post_as(&token, PASSWORDS, change, 200).await;
    let right = json!({"email": ADA, "password": "another password"});
    let opened = recorder.post("/v1/signin/email-password", right, 200).await;
    let token = text(&session(&opened), "accessToken");
    recorder.run("UPDATE people SET is_blocked = true").await;
    recorder.post_as(&token, CHANGE, new, 401).await;
    let change = json!({"newPassword": "a third password"});
    recorder.post_as(&token, PASSWORDS, change, 401).await;
    recorder.finish()
}

async fn tokens() -> Vec<Exchange> {
    let recorder = Recorder::with(USERS).await;
    recorder.verified(ADA).await;
    recorder.verified(BOB).await;
    let opened = recorder.session(ADA).await;
    let token = text(&opened, "accessToken");
    let with_cookie = json!({"email": ADA, "password": PASSWORD, "cookie": true});
    let reply = recorder
        .post("/v1/signin/email-password", with_cookie, 200)
        .await;
    assert_eq!(session(&reply).get("refreshToken"), None, "{}", reply.text);
    let sessions = recorder.get_as(&token, "/v1/user/sessions", 200).await;
    assert_eq!(sessions.json().as_array().map(Vec::len), Some(3));
    const END: &str = "/v1/user/sessions/end";
    recorder.post_as(&token, END, json!({}), 400).await;
    let others = json!({"others": true});
    recorder.post_as(&token, END, others, 200).await;
    recorder.get_as(&token, "/v1/user", 200).await;
    recorder.get_as("no token", "/v1/user", 401).await;

    const CREATE: &str = "/v1/pat";
    let body = json!({"expiresAt": "2030-01-01T00:00:00Z", "metadata": {"name": "laptop"}});
    let created = recorder.post_as(&token, CREATE, body.clone(), 200).await;
    let past = json!({"expiresAt": "2020-01-01T00:00:00Z"});
    recorder.post_as(&token, CREATE, past, 400).await;
    recorder.post(CREATE, body.clone(), 401).await;

    const SIGN_IN: &str = "/v1/signin/pat";
    let created = text(&created.json(), "personalAccessToken");
    let by_token = json!({"personalAccessToken": created});
    let opened = recorder.post(SIGN_IN, by_token, 200).await;
    recorder.post(SIGN_IN, json!({}), 400).await;
    let wrong = json!({"personalAccessToken": "pat_wrong"});
    recorder.post(SIGN_IN, wrong, 401).await;

    const REFRESH: &str = "/v1/token";
    let first = json!({"refreshToken": text(&session(&opened), "refreshToken")});
    let next = recorder.post(REFRESH, first.clone(), 200).await.json();
    recorder.post(REFRESH, first, 401).await;
    recorder.post(REFRESH, json!({}), 400).await;

    const VERIFY: &str = "/v1/token/verify";
    recorder.post(VERIFY, json!({"token": token}), 200).await;
    recorder.post_as(&token, VERIFY, json!({}), 200).await;
    recorder.post(VERIFY, json!({"token": 7}), 400).await;
    recorder.post(VERIFY, json!({"token": "a.b.c"}), 401).await;

    const SIGN_OUT: &str = "/v1/signout";
    let body = json!({"refreshToken": text(&next, "refreshToken"), "all": false});
    recorder.post(SIGN_OUT, body, 200).await;
    recorder.post(SIGN_OUT, json!({}), 400).await;
    recorder.post(SIGN_OUT, json!({"all": true}), 401).await;
    // Bob's role may not manage tokens.
    let reader = "UPDATE people SET default_role = 'reader' WHERE email = 'bob@example.org'";
    recorder.run(reader).await;
    let bobs = text(&recorder.session(BOB).await, "accessToken");
    recorder.post_as(&bobs, CREATE, body_of_token(), 403).await;
    let all = json!({"all": true});
    recorder.post_as(&bobs, SIGN_OUT, all.clone(), 403).await;
    recorder.post_as(&token, SIGN_OUT, all, 200).await;
    recorder.run("UPDATE people SET is_blocked = true").await;
    recorder.get_as(&token, "/v1/user", 403).await;
    recorder.finish()
}

fn body_of_token() -> Value {
    json!({"expiresAt": "2030-01-01T00:00:00Z"})
}

/// The keys of several algorithms.
async fn published_keys() -> Vec<Exchange> {
    let mut exchanges = vec![];
    for (algorithm, private, public) in PAIRS {
        let secret = json!({"type": algorithm, "key": public}).to_string();
        let mailbox = Mailbox::start().await;
        let builder = builder(&settings(&mailbox.url(), ""));
        let builder = builder.settings(&[("jwt-secret", &secret), ("signing-key", private)]);
        let recorder = Recorder::new(Service::new(builder.start().await, mailbox));
        let path = "/v1/.well-known/jwks.json";
        let reply = recorder.get_as("not read", path, 200).await;
        assert!(reply.json()["keys"][0]["kid"].is_string(), "{}", reply.text);
        exchanges.append(&mut recorder.finish());
    }
    exchanges
}

/// What settings turn off, and what other settings answer.
async fn other_settings() -> Vec<Exchange> {
    const SIGN_UP: &str = "/v1/signup/email-password";
    let with_password = json!({"email": ADA, "password": PASSWORD});
    let recorder = Recorder::with("accounts.verify = false").await;
    recorder.post(SIGN_UP, with_password.clone(), 200).await;
    recorder.post(SIGN_UP, with_password.clone(), 409).await;
    let mut exchanges = recorder.finish();

    let recorder = Recorder::with(BLOCKED).await;
    recorder.post(SIGN_UP, with_password.clone(), 401).await;
    exchanges.append(&mut recorder.finish());

    let recorder = Recorder::with("accounts.signup = false\naccounts.set_email = \"\"").await;
    recorder.post(SIGN_UP, with_password.clone(), 403).await;
    let new = json!({"newEmail": EVE});
    recorder.post("/v1/user/email/change", new, 409).await;
    // The body has to be JSON.
    for path in POSTS {
        let url = path.replace("{provider}", PROVIDER);
        let request = recorder.request(Method::POST, &url);
        let form = request.header("content-type", "application/x-www-form-urlencoded");
        let form = form.body("email=ada%40example.org");
        recorder
            .record(form, (Method::POST, path), json!({}), 415)
            .await;
    }
    exchanges.append(&mut recorder.finish());

    let recorder = Recorder::with("accounts.methods = [\"link\"]").await;
    recorder.post(SIGN_UP, with_password, 409).await;
    for path in [
        "/v1/signin/email-password",
        "/v1/signin/otp/email",
        "/v1/signup/otp/email",
        "/v1/signin/otp/email/verify",
        "/v1/user/password/reset",
        "/v1/user/password",
    ] {
        recorder.post(path, json!({}), 409).await;
    }
    exchanges.append(&mut recorder.finish());

    let recorder = Recorder::with("accounts.methods = [\"password\"]").await;
    for path in [
        "/v1/signin/passwordless/email",
        "/v1/signup/passwordless/email",
    ] {
        recorder.post(path, json!({}), 409).await;
    }
    exchanges.append(&mut recorder.finish());
    exchanges
}

/// The paths that take JSON.
const POSTS: [&str; 40] = [
    "/v1/signup/email-password",
    "/v1/signin/email-password",
    "/v1/signin/passwordless/email",
    "/v1/signin/otp/email",
    "/v1/signin/otp/email/verify",
    "/v1/user/email/send-verification-email",
    "/v1/user/email/change",
    "/v1/user/password/reset",
    "/v1/user/password",
    "/v1/signin/pat",
    "/v1/token",
    "/v1/token/verify",
    "/v1/signout",
    "/v1/pat",
    "/v1/signin/mfa/totp",
    "/v1/signin/mfa/webauthn",
    "/v1/signin/mfa/webauthn/verify",
    "/v1/signup/webauthn",
    "/v1/signup/webauthn/verify",
    "/v1/signin/webauthn",
    "/v1/signin/webauthn/verify",
    "/v1/user/mfa",
    "/v1/user/mfa/recovery-codes",
    "/v1/user/webauthn/add",
    "/v1/user/webauthn/verify",
    "/v1/user/webauthn/remove",
    "/v1/elevate/totp",
    "/v1/elevate/otp/email",
    "/v1/elevate/otp/email/verify",
    "/v1/elevate/webauthn",
    "/v1/elevate/webauthn/verify",
    "/v1/signup/passwordless/email",
    "/v1/signup/otp/email",
    "/v1/token/provider/{provider}",
    "/v1/link/provider/{provider}",
    "/v1/user/providers/unlink",
    "/v1/token/exchange",
    "/v1/signin/anonymous",
    "/v1/user/deanonymize",
    "/v1/user/sessions/end",
];

/// The paths that take forms.
const FORMS: [&str; 2] = ["/v1/verify", "/v1/signin/provider/{provider}/callback"];

/// The paths that are read, and that rates of signing in count.
const GETS: [&str; 11] = [
    "/v1/verify",
    "/v1/mfa/totp/generate",
    "/v1/user/webauthn",
    "/v1/elevate",
    "/v1/signin/provider/{provider}",
    "/v1/signup/provider/{provider}",
    "/v1/signin/provider/{provider}/callback",
    "/v1/signin/provider/{provider}/callback/tokens",
    "/v1/user/providers",
    "/v1/healthz",
    "/v1/user/sessions",
];

/// Rates of one request an hour, and a head that is too large.
async fn limits() -> Vec<Exchange> {
    let rate = |name: &str| {
        format!("{{name = {name:?}, per = [\"address\"], rate = 1, every = 3600, burst = 1}}")
    };
    let off = |name: &str| format!("{{name = {name:?}, mode = \"off\"}}");
    let rules = [
        rate("authentication"),
        rate("requests"),
        off("sign-in"),
        off("mails"),
    ];
    let recorder = Recorder::with(&format!("rates = [{}]", rules.join(", "))).await;
    let link = json!({"email": ADA});
    recorder
        .post("/v1/signin/passwordless/email", link, 200)
        .await;
    recorder.get_as("no token", "/v1/user", 401).await;
    recorder.get_as("no token", "/v1/user", 429).await;
    for path in POSTS {
        recorder.post(path, json!({}), 429).await;
    }
    for path in FORMS {
        recorder.post(path, json!({}), 429).await;
    }
    for path in GETS {
        recorder.get_as("not read", path, 429).await;
    }

    let path = "/v1/.well-known/jwks.json";
    let many = (0..120).map(|number| format!("x-{number}"));
    let large = many.fold(recorder.get(path), |request, name| {
        request.header(name, "a")
    });
    recorder
        .record(large, (Method::GET, path), json!({}), 431)
        .await;
    recorder.finish()
}

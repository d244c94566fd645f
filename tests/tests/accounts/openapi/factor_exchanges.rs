//! Requests to the paths of second factors, passkeys and elevation, and their responses: each
//! success, and each error that the description names.

use reqwest::Method;
use serde_json::{Value, json};

use super::exchanges::{ADA, BLOCKED, BOB, USERS, refused_options};
use super::provider_exchanges::DOWN;
use super::recorder::{Exchange, Recorder};
use crate::accounts::service::{PASSWORD, session, text};
use crate::accounts::software_key::SoftwareKey;

const SIGN_IN: &str = "/v1/signin/email-password";
const SET_FACTOR: &str = "/v1/user/mfa";
const ADD_KEY: &str = "/v1/user/webauthn/add";
const VERIFY_KEY: &str = "/v1/user/webauthn/verify";
const REMOVE_KEY: &str = "/v1/user/webauthn/remove";
const BEGIN_SIGN_UP: &str = "/v1/signup/webauthn";
const SIGN_UP: &str = "/v1/signup/webauthn/verify";
const BEGIN_SIGN_IN: &str = "/v1/signin/webauthn";
const SIGN_IN_BY_KEY: &str = "/v1/signin/webauthn/verify";
const BEGIN_SECOND: &str = "/v1/signin/mfa/webauthn";
const SECOND_BY_KEY: &str = "/v1/signin/mfa/webauthn/verify";
const SECOND_BY_CODE: &str = "/v1/signin/mfa/totp";
const ELEVATE: &str = "/v1/elevate/totp";
const BEGIN_ELEVATION: &str = "/v1/elevate/webauthn";
const ELEVATE_BY_KEY: &str = "/v1/elevate/webauthn/verify";
const MAIL_CODE: &str = "/v1/elevate/otp/email";
const ELEVATE_BY_MAIL: &str = "/v1/elevate/otp/email/verify";
const RECOVERY: &str = "/v1/user/mfa/recovery-codes";

/// The paths that need the bearer token of a person who has signed in.
const OF_PEOPLE: [(Method, &str); 21] = [
    (Method::GET, "/v1/mfa/totp/generate"),
    (Method::GET, "/v1/user/webauthn"),
    (Method::GET, "/v1/elevate"),
    (Method::POST, SET_FACTOR),
    (Method::POST, RECOVERY),
    (Method::POST, ADD_KEY),
    (Method::POST, VERIFY_KEY),
    (Method::POST, REMOVE_KEY),
    (Method::POST, ELEVATE),
    (Method::POST, BEGIN_ELEVATION),
    (Method::POST, ELEVATE_BY_KEY),
    (Method::POST, MAIL_CODE),
    (Method::POST, ELEVATE_BY_MAIL),
    (Method::GET, "/v1/user/providers"),
    (
        Method::GET,
        "/v1/signin/provider/{provider}/callback/tokens",
    ),
    (Method::POST, "/v1/token/provider/{provider}"),
    (Method::POST, "/v1/link/provider/{provider}"),
    (Method::POST, "/v1/user/providers/unlink"),
    (Method::POST, "/v1/user/deanonymize"),
    (Method::GET, "/v1/user/sessions"),
    (Method::POST, "/v1/user/sessions/end"),
];

/// The paths that need an elevated session of who has a second factor or a key.
const ELEVATED: [&str; 10] = [
    SET_FACTOR,
    RECOVERY,
    ADD_KEY,
    VERIFY_KEY,
    REMOVE_KEY,
    "/v1/user/email/change",
    "/v1/user/password",
    "/v1/pat",
    "/v1/link/provider/{provider}",
    "/v1/user/providers/unlink",
];

/// All exchanges. The futures are boxed, because they are large.
pub(super) async fn all() -> Vec<Exchange> {
    let mut exchanges = Box::pin(bearers()).await;
    exchanges.append(&mut Box::pin(authenticator_apps()).await);
    exchanges.append(&mut Box::pin(second_steps()).await);
    exchanges.append(&mut Box::pin(elevations()).await);
    exchanges.append(&mut Box::pin(keys()).await);
    exchanges.append(&mut Box::pin(passkeys()).await);
    exchanges.append(&mut Box::pin(other_settings()).await);
    exchanges
}

/// Tokens that are none, that a personal access token has opened, and of a blocked person.
async fn bearers() -> Vec<Exchange> {
    let recorder = Recorder::with(&format!("{USERS}{DOWN}")).await;
    recorder.verified(ADA).await;
    let opened = recorder.session(ADA).await;
    let token = text(&opened, "accessToken");
    let body = json!({"expiresAt": "2030-01-01T00:00:00Z"});
    let created = recorder.post_as(&token, "/v1/pat", body, 200).await;
    let by_token = json!({"personalAccessToken": text(&created.json(), "personalAccessToken")});
    let by_token = recorder.post("/v1/signin/pat", by_token, 200).await;
    let of_program = text(&session(&by_token), "accessToken");
    for (method, path) in OF_PEOPLE {
        recorder
            .call_as("no token", method.clone(), path, 401)
            .await;
        recorder.call_as(&of_program, method, path, 403).await;
    }
    recorder.run("UPDATE people SET is_blocked = true").await;
    for (method, path) in OF_PEOPLE {
        recorder.call_as(&token, method, path, 401).await;
    }
    recorder.finish()
}

async fn authenticator_apps() -> Vec<Exchange> {
    let recorder = Recorder::with(&format!("{USERS}{DOWN}")).await;
    recorder.verified(ADA).await;
    let token = text(&recorder.session(ADA).await, "accessToken");
    recorder.call_as(&token, Method::POST, RECOVERY, 400).await;
    let set = async |token: &str, kind: &str, code: Option<&str>, status: u16| {
        let body = match code {
            None => json!({"activeMfaType": kind}),
            Some(code) => json!({"activeMfaType": kind, "code": code}),
        };
        recorder.post_as(token, SET_FACTOR, body, status).await;
    };
    set(&token, "sms", None, 400).await;
    set(&token, "webauthn", None, 400).await;
    set(&token, "totp", None, 400).await;
    set(&token, "totp", Some("123456"), 400).await;
    recorder.get_as(&token, "/v1/mfa/totp/generate", 200).await;
    let app = recorder.generate(&token).await;
    set(&token, "totp", Some(&app.wrong_code()), 401).await;
    set(&token, "totp", Some(&app.code()), 200).await;
    recorder.get_as(&token, "/v1/mfa/totp/generate", 400).await;
    for path in ELEVATED {
        let body = json!({"newPassword": "another password", "newEmail": BOB,
            "expiresAt": "2030-01-01T00:00:00Z"});
        recorder.post_as(&token, path, body, 403).await;
    }

    let code = recorder.unused_code(&app).await;
    let elevated = recorder.post_as(&token, ELEVATE, json!({"otp": code}), 200);
    let elevated = text(&session(&elevated.await), "accessToken");
    recorder
        .call_as(&elevated, Method::POST, RECOVERY, 200)
        .await;
    recorder.get_as(&elevated, "/v1/user", 200).await;
    recorder.get_as(&elevated, "/v1/elevate", 200).await;
    set(&elevated, "totp", Some("123456"), 400).await;
    set(&elevated, "", None, 200).await;
    recorder.finish()
}

async fn second_steps() -> Vec<Exchange> {
    let recorder = Recorder::with(USERS).await;
    let person = recorder.person_with_totp(ADA).await;
    let right = json!({"email": ADA, "password": PASSWORD});
    let ticket = async || {
        let reply = recorder.post(SIGN_IN, right.clone(), 200).await;
        text(&reply.json()["mfa"], "ticket")
    };
    let first = ticket().await;
    let step = async |ticket: &str, code: &str, status: u16| {
        let body = json!({"ticket": ticket, "otp": code});
        recorder.post(SECOND_BY_CODE, body, status).await
    };
    recorder.post(SECOND_BY_CODE, json!({}), 400).await;
    step(&first, &person.app.wrong_code(), 401).await;
    let code = recorder.unused_code(&person.app).await;
    step(&first, &code, 200).await;
    step(&first, &code, 401).await;
    recorder.post(BEGIN_SECOND, json!({}), 400).await;
    let unknown = json!({"ticket": "mfaTotp:unknown"});
    recorder.post(BEGIN_SECOND, unknown.clone(), 401).await;
    let second = ticket().await;
    recorder
        .post(BEGIN_SECOND, json!({"ticket": second}), 400)
        .await;

    // A code by mail, and a link.
    recorder
        .ok("/v1/signin/otp/email", json!({"email": ADA}))
        .await;
    let code = recorder.mailbox.next(ADA).await.code();
    let by_code = json!({"email": ADA, "otp": code});
    recorder
        .post("/v1/signin/otp/email/verify", by_code, 200)
        .await;
    let link = recorder.link(ADA).await;
    let form = recorder.open_form(&link).await;
    let asks = recorder.press_button(&form, 200).await;
    assert!(asks.text.contains("one-time-code"), "{}", asks.text);
    let form = form.with("otp", &person.app.wrong_code());
    recorder.press_button(&form, 401).await;
    let form = form.with("otp", &recorder.unused_code(&person.app).await);
    recorder.press_button(&form, 302).await;

    // A key as the second factor.
    let elevated = recorder.elevated(&person).await;
    let mut key = SoftwareKey::unverified();
    recorder.add_key(&elevated, ADA, &mut key).await;
    let options = async |ticket: &str| {
        let body = json!({"ticket": ticket});
        recorder.post(BEGIN_SECOND, body, 200).await.json()
    };
    let third = ticket().await;
    let credential = key.get(&options(&third).await);
    let body = json!({"ticket": third, "credential": credential});
    recorder
        .post(SECOND_BY_KEY, json!({"ticket": third}), 400)
        .await;
    recorder.post(SECOND_BY_KEY, body.clone(), 200).await;
    recorder.post(SECOND_BY_KEY, body, 401).await;
    let token = text(&recorder.session_in_two_steps(&person).await, "accessToken");
    let fourth = ticket().await;
    let body = json!({"ticket": fourth, "credential": credential});
    recorder.post(SECOND_BY_KEY, body, 401).await;

    let none = "accounts.passkeys = \"\"\naccounts.methods = [\"password\"]";
    let other = recorder.another(none).await;
    let body = json!({"ticket": fourth});
    recorder.post_at(&other, "", BEGIN_SECOND, body, 409).await;
    let body = json!({"ticket": fourth, "credential": credential});
    recorder.post_at(&other, "", SECOND_BY_KEY, body, 409).await;
    let body = json!({"credential": credential});
    recorder
        .post_at(&other, &token, BEGIN_ELEVATION, json!({}), 409)
        .await;
    recorder
        .post_at(&other, &token, ELEVATE_BY_KEY, body, 409)
        .await;

    let credential = key.get(&options(&fourth).await);
    recorder.run("UPDATE people SET is_blocked = true").await;
    let body = json!({"ticket": fourth, "credential": credential});
    recorder.post(SECOND_BY_KEY, body, 401).await;
    let code = recorder.unused_code(&person.app).await;
    step(&fourth, &code, 401).await;
    // As an operator removes it.
    recorder
        .run("UPDATE postern.account SET second_factor = NULL")
        .await;
    step(&fourth, &code, 401).await;
    recorder.finish()
}

async fn elevations() -> Vec<Exchange> {
    let recorder = Recorder::with(USERS).await;
    recorder.verified(ADA).await;
    let token = text(&recorder.session(ADA).await, "accessToken");
    recorder.get_as(&token, "/v1/elevate", 200).await;
    recorder.post_as(&token, ELEVATE, json!({}), 400).await;
    let code = json!({"otp": "123456"});
    recorder.post_as(&token, ELEVATE, code.clone(), 400).await;
    recorder
        .post_as(&token, BEGIN_ELEVATION, json!({}), 400)
        .await;
    recorder
        .post_as(&token, ELEVATE_BY_MAIL, json!({}), 400)
        .await;
    recorder.call_as(&token, Method::POST, MAIL_CODE, 200).await;
    let mailed = recorder.mailbox.next(ADA).await.code();
    let wrong = if mailed == "123456" {
        "654321"
    } else {
        "123456"
    };
    recorder
        .post_as(&token, ELEVATE_BY_MAIL, json!({"otp": wrong}), 401)
        .await;
    recorder
        .post_as(&token, ELEVATE_BY_MAIL, json!({"otp": mailed}), 200)
        .await;

    let mut key = SoftwareKey::new();
    recorder.add_key(&token, ADA, &mut key).await;
    let options = recorder.call_as(&token, Method::POST, BEGIN_ELEVATION, 200);
    let credential = key.get(&options.await.json());
    recorder
        .post_as(&token, ELEVATE_BY_KEY, json!({}), 400)
        .await;
    let body = json!({"credential": credential});
    let elevated = recorder
        .post_as(&token, ELEVATE_BY_KEY, body.clone(), 200)
        .await;
    recorder.post_as(&token, ELEVATE_BY_KEY, body, 401).await;

    let elevated = text(&session(&elevated), "accessToken");
    let app = recorder.turn_on_totp(&elevated, ADA).await;
    let wrong = json!({"otp": app.wrong_code()});
    recorder.post_as(&elevated, ELEVATE, wrong, 401).await;
    recorder
        .call_as(&elevated, Method::POST, MAIL_CODE, 409)
        .await;
    recorder
        .post_as(&elevated, ELEVATE_BY_MAIL, code, 409)
        .await;
    recorder.finish()
}

/// Keys beside a password.
async fn keys() -> Vec<Exchange> {
    let recorder = Recorder::with(USERS).await;
    recorder.verified(ADA).await;
    let token = text(&recorder.session(ADA).await, "accessToken");
    let mut key = SoftwareKey::new();
    recorder.post_as(&token, VERIFY_KEY, json!({}), 400).await;
    let options = recorder.call_as(&token, Method::POST, ADD_KEY, 200).await;
    let body = json!({"credential": key.create(&options.json()), "nickname": "phone"});
    let added = recorder
        .post_as(&token, VERIFY_KEY, body.clone(), 200)
        .await;
    let id = text(&added.json(), "id");
    recorder.get_as(&token, "/v1/user/webauthn", 200).await;
    let elevated = text(
        &session(&recorder.elevate_by_key(&token, &mut key).await),
        "accessToken",
    );
    recorder.post_as(&elevated, VERIFY_KEY, body, 401).await;
    recorder
        .post_as(&elevated, REMOVE_KEY, json!({}), 400)
        .await;
    let unknown = json!({"id": uuid::Uuid::new_v4().to_string()});
    recorder.post_as(&elevated, REMOVE_KEY, unknown, 400).await;

    let options = recorder
        .call_as(&elevated, Method::POST, ADD_KEY, 200)
        .await;
    let body = json!({"credential": SoftwareKey::new().create(&options.json())});
    let copies = "INSERT INTO postern.security_key \
        (user_id, credential_id, public_key, sign_count, aaguid, backup_eligible, backed_up) \
        SELECT user_id, decode(lpad(to_hex(number), 4, '0'), 'hex'), public_key, 0, aaguid, false, \
        false FROM postern.security_key, generate_series(1, 19) number";
    recorder.run(copies).await;
    recorder.post_as(&elevated, VERIFY_KEY, body, 400).await;
    recorder
        .run("DELETE FROM postern.security_key WHERE length(credential_id) = 2")
        .await;

    let set = json!({"activeMfaType": "webauthn"});
    recorder.post_as(&elevated, SET_FACTOR, set, 200).await;
    recorder.get_as(&elevated, "/v1/user", 200).await;
    let id = json!({"id": id});
    recorder
        .post_as(&elevated, REMOVE_KEY, id.clone(), 409)
        .await;
    recorder
        .post_as(&elevated, SET_FACTOR, json!({"activeMfaType": ""}), 200)
        .await;
    recorder.post_as(&elevated, REMOVE_KEY, id, 200).await;
    recorder.finish()
}

/// Signing up and in with passkeys.
async fn passkeys() -> Vec<Exchange> {
    let changes = format!("{USERS}accounts.roles = [\"me\", \"reader\"]");
    let recorder = Recorder::with(&changes).await;
    for options in refused_options() {
        let body = json!({"email": ADA, "options": options});
        recorder.post(BEGIN_SIGN_UP, body.clone(), 400).await;
        recorder.post(SIGN_UP, body, 400).await;
    }
    let mut key = SoftwareKey::new();
    let begun = json!({"email": ADA, "options": {"displayName": "Ada"}});
    let options = recorder.post(BEGIN_SIGN_UP, begun, 200).await.json();
    let body = json!({"credential": key.create(&options), "options": {}, "nickname": "phone"});
    recorder.post(SIGN_UP, body.clone(), 200).await;
    recorder.post(SIGN_UP, body, 401).await;

    let sign_in = async |key: &mut SoftwareKey, body: Value, status: u16| {
        let options = recorder.post(BEGIN_SIGN_IN, body, 200).await.json();
        let body = json!({"credential": key.get(&options)});
        recorder.post(SIGN_IN_BY_KEY, body.clone(), status).await;
        body
    };
    sign_in(&mut key, json!({}), 401).await;
    recorder
        .follow(&recorder.mailbox.next(ADA).await.link())
        .await;
    recorder.post(BEGIN_SIGN_IN, json!({"email": 7}), 400).await;
    recorder.post(SIGN_IN_BY_KEY, json!({}), 400).await;
    let used = sign_in(&mut key, json!({"email": ADA}), 200).await;
    recorder.post(SIGN_IN_BY_KEY, used, 401).await;
    recorder
        .post(BEGIN_SIGN_IN, json!({"email": BOB}), 200)
        .await;
    recorder.run("UPDATE people SET is_blocked = true").await;
    sign_in(&mut key, json!({}), 401).await;
    recorder.finish()
}

/// What settings turn off, and what other settings answer.
async fn other_settings() -> Vec<Exchange> {
    let begun = json!({"email": ADA});
    let recorder = Recorder::with(BLOCKED).await;
    let options = recorder.post(BEGIN_SIGN_UP, begun.clone(), 200).await;
    let body = json!({"credential": SoftwareKey::new().create(&options.json())});
    recorder.post(SIGN_UP, body, 401).await;
    let mut exchanges = recorder.finish();

    let recorder = Recorder::with("accounts.verify = false").await;
    let new_key = async |status: u16| {
        let options = recorder.post(BEGIN_SIGN_UP, begun.clone(), 200).await;
        let body = json!({"credential": SoftwareKey::new().create(&options.json())});
        recorder.post(SIGN_UP, body, status).await
    };
    let opened = new_key(200).await;
    new_key(409).await;
    // The address has to be verified before a second factor is turned on.
    let token = text(&session(&opened), "accessToken");
    recorder.run("DELETE FROM postern.security_key").await;
    let app = recorder.generate(&token).await;
    let body = json!({"activeMfaType": "totp", "code": app.code()});
    recorder.post_as(&token, SET_FACTOR, body, 401).await;
    exchanges.append(&mut recorder.finish());

    let recorder = Recorder::with("accounts.signup = false").await;
    recorder.post(BEGIN_SIGN_UP, begun.clone(), 403).await;
    recorder.post(SIGN_UP, json!({}), 403).await;
    exchanges.append(&mut recorder.finish());

    let recorder = Recorder::with("accounts.second_factor = \"off\"").await;
    recorder.verified(ADA).await;
    let token = text(&recorder.session(ADA).await, "accessToken");
    recorder.get_as(&token, "/v1/mfa/totp/generate", 409).await;
    let mut key = SoftwareKey::new();
    recorder.add_key(&token, ADA, &mut key).await;
    let elevated = session(&recorder.elevate_by_key(&token, &mut key).await);
    let set = json!({"activeMfaType": "webauthn"});
    let elevated = text(&elevated, "accessToken");
    recorder.post_as(&elevated, SET_FACTOR, set, 409).await;
    exchanges.append(&mut recorder.finish());

    let off = "accounts.passkeys = \"\"\naccounts.methods = [\"password\", \"link\"]";
    let recorder = Recorder::with(off).await;
    recorder.verified(ADA).await;
    let token = text(&recorder.session(ADA).await, "accessToken");
    for path in [BEGIN_SIGN_UP, SIGN_UP, BEGIN_SIGN_IN, SIGN_IN_BY_KEY] {
        recorder.post(path, begun.clone(), 409).await;
    }
    recorder.get_as(&token, "/v1/user/webauthn", 409).await;
    for path in [ADD_KEY, VERIFY_KEY, REMOVE_KEY] {
        recorder.call_as(&token, Method::POST, path, 409).await;
    }
    exchanges.append(&mut recorder.finish());
    exchanges
}

//! Elevation: a session proves itself again before it changes credentials, and its access token
//! says so for ten minutes.

use std::collections::BTreeSet;

use reqwest::Method;
use serde_json::{Value, json};
use tests::service::send;

use super::factors::{assert_asks_for_elevation, claims, elevated_user, mfa};
use super::mailbox::Mailbox;
use super::service::{PASSWORD, Service, assert_refused, builder, session, settings, text};
use super::software_key::SoftwareKey;

const ADA: &str = "ada@example.org";
const BOB: &str = "bob@example.org";
const OTHER: &str = "another password";

/// What a change of a credential could change, as one text.
const CREDENTIALS: &str = "SELECT json_build_array((SELECT json_agg(p ORDER BY user_id) FROM postern.password p), \
    (SELECT json_agg(k ORDER BY id) FROM postern.security_key k), \
    (SELECT json_agg(json_build_array(user_id, secret, confirmed_at) ORDER BY user_id) FROM postern.totp), \
    (SELECT json_agg(c::text ORDER BY c::text) FROM postern.recovery_code c), \
    (SELECT json_agg(a.second_factor ORDER BY user_id) FROM postern.account a), \
    (SELECT count(*) FROM postern.personal_access_token), (SELECT json_agg(p ORDER BY id) FROM people p), \
    (SELECT count(*) FROM postern.event_queue))";

/// The requests that need elevation, in an order in which none ends what the next one needs.
fn requests(key: &str) -> Vec<(&'static str, Value)> {
    let token = json!({"expiresAt": "2030-01-01T00:00:00Z", "metadata": {"name": "a token"}});
    vec![
        (
            "/v1/user/email/change",
            json!({"newEmail": "new@example.org"}),
        ),
        ("/v1/user/mfa/recovery-codes", json!({})),
        ("/v1/user/webauthn/add", json!({})),
        ("/v1/pat", token),
        (
            "/v1/user/mfa",
            json!({"activeMfaType": "totp", "code": "000000"}),
        ),
        ("/v1/user/mfa", json!({"activeMfaType": "webauthn"})),
        ("/v1/user/mfa", json!({"activeMfaType": "", "code": ""})),
        ("/v1/user/webauthn/remove", json!({"id": key})),
        ("/v1/user/password", json!({"newPassword": OTHER})),
    ]
}

/// Those of [`requests`] that a person with an authenticator app and a key makes.
fn allowed_requests(key: &str) -> impl Iterator<Item = (&'static str, Value)> {
    let is_on = |body: &Value| {
        ["totp", "webauthn"]
            .map(Value::from)
            .contains(&body["activeMfaType"])
    };
    requests(key)
        .into_iter()
        .filter(move |(_, body)| !is_on(body))
}

/// Fails unless all requests of [`requests`] are refused and change nothing.
async fn assert_all_ask(service: &Service, token: &str, key: &str) {
    let mut stranger = SoftwareKey::new();
    let options = service
        .options("/v1/signup/webauthn", json!({"email": "eve@example.org"}))
        .await;
    service.until_mailed().await;
    let before = service.value(CREDENTIALS).await;
    for (path, body) in requests(key) {
        let reply = service.post_as(token, path, body.clone()).await;
        if path == "/v1/pat" {
            let mut envelope = reply.json();
            assert!(envelope["message"].take().is_string(), "{}", reply.text);
            let expected = json!({"status": "error", "error": "elevation-required",
                "message": null, "data": null});
            assert_eq!((reply.status, envelope), (403, expected), "{}", reply.text);
        } else {
            assert_eq!(reply.status, 403, "{path} {body}: {}", reply.text);
            assert_asks_for_elevation(&reply);
        }
    }
    let body = json!({"credential": stranger.create(&options), "nickname": "a key"});
    let reply = service
        .post_as(token, "/v1/user/webauthn/verify", body)
        .await;
    assert_asks_for_elevation(&reply);
    assert_eq!(service.value(CREDENTIALS).await, before);
}

/// The methods that a session may elevate itself by.
async fn offered(service: &Service, token: &str) -> BTreeSet<String> {
    let reply = service.get_as(token, "/v1/elevate").await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    serde_json::from_value(reply.json()["methods"].clone()).unwrap()
}

fn set(names: &[&str]) -> BTreeSet<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

#[tokio::test]
async fn elevation_ends_after_ten_minutes_and_at_refresh() {
    let service = Service::start().await;
    let person = service.person_with_totp(ADA).await;
    let opened = service.session_in_two_steps(&person).await;
    let access = text(&opened, "accessToken");
    assert_eq!(elevated_user(&access), None);
    let sessions = "SELECT json_agg(json_build_array(id, user_id, methods, created_at, revoked_at) ORDER BY id) FROM postern.session";
    let before = service.value(sessions).await;
    let code = service.unused_code(&person.app).await;
    let elevated = session(&service.elevate(&access, &code).await);
    let token = text(&elevated, "accessToken");
    let user = service.id(ADA).await;
    assert_eq!(elevated_user(&token), Some(user.clone()));
    let payload = claims(&token);
    let seconds = payload["exp"].as_u64().unwrap() - payload["iat"].as_u64().unwrap();
    assert_eq!(seconds, 600, "{payload}");
    assert_eq!(elevated["accessTokenExpiresIn"], 600);
    // The rest of the token is that of the session, which is not another one.
    let former = claims(&access);
    assert_eq!(payload["amr"], former["amr"]);
    assert_eq!(payload["sub"], former["sub"]);
    let mut rest = payload["gateway"].clone();
    rest.as_object_mut()
        .unwrap()
        .remove("x-gateway-auth-elevated");
    assert_eq!(rest, former["gateway"]);
    assert_eq!(service.value(sessions).await, before);

    // Both refresh tokens of the session go on, and neither elevates anything.
    let former = service.refresh(&text(&opened, "refreshToken")).await;
    assert_eq!(former.status, 200, "{}", former.text);
    let former = text(&former.json(), "accessToken");
    assert_eq!(elevated_user(&former), None);
    let refreshed = service.refresh(&text(&elevated, "refreshToken")).await;
    assert_eq!(refreshed.status, 200, "{}", refreshed.text);
    let refreshed = text(&refreshed.json(), "accessToken");
    assert_eq!(elevated_user(&refreshed), None);
    let seconds =
        claims(&refreshed)["exp"].as_u64().unwrap() - claims(&refreshed)["iat"].as_u64().unwrap();
    assert_eq!(seconds, 3600);
    let reply = service
        .post_nothing(&refreshed, "/v1/user/mfa/recovery-codes")
        .await;
    assert_asks_for_elevation(&reply);
    // The elevated token still is.
    assert_eq!(service.recovery_codes(&token).await.len(), 10);
}

#[tokio::test]
async fn elevation_is_no_longer_than_other_tokens() {
    let service = Service::with("token_exchange.access_seconds = 120").await;
    let person = service.person_with_totp(ADA).await;
    let payload = claims(&service.elevated(&person).await);
    let seconds = payload["exp"].as_u64().unwrap() - payload["iat"].as_u64().unwrap();
    assert!(seconds <= 120, "{payload}");
}

/// An elevated token of a session that has ended changes nothing.
#[tokio::test]
async fn elevation_ends_with_the_session() {
    let service = Service::start().await;
    let person = service.person_with_totp(ADA).await;
    let code = service.unused_code(&person.app).await;
    let elevated = session(&service.elevate(&person.access, &code).await);
    let body = json!({"refreshToken": text(&elevated, "refreshToken")});
    let reply = service.post("/v1/signout", body).await;
    assert_eq!(reply.json(), json!("OK"), "{}", reply.text);
    service.until_mailed().await;
    let before = service.value(CREDENTIALS).await;
    let token = text(&elevated, "accessToken");
    for (path, body) in requests(&uuid::Uuid::new_v4().to_string()) {
        let reply = service.post_as(&token, path, body).await;
        assert!(
            matches!(reply.status, 401 | 403),
            "{path}: {} {}",
            reply.status,
            reply.text
        );
    }
    let code = service.unused_code(&person.app).await;
    let reply = service.elevate(&token, &code).await;
    assert!(matches!(reply.status, 401 | 403), "{}", reply.text);
    assert_eq!(service.value(CREDENTIALS).await, before);
}

#[tokio::test]
async fn elevation_modes() {
    // Recommended, which is the default: asked for where there is something to prove it with.
    let service = Service::start().await;
    service.verified(ADA).await;
    let access = text(&service.session(ADA).await, "accessToken");
    for (path, body) in [
        (
            "/v1/user/email/change",
            json!({"newEmail": "new@example.org"}),
        ),
        (
            "/v1/pat",
            json!({"expiresAt": "2030-01-01T00:00:00Z", "metadata": {"name": "a token"}}),
        ),
        ("/v1/user/webauthn/add", json!({})),
    ] {
        let reply = service.post_as(&access, path, body).await;
        assert_eq!(reply.status, 200, "{path}: {}", reply.text);
    }
    let mut key = SoftwareKey::new();
    let id = service.add_key(&access, ADA, &mut key).await;
    assert_all_ask(&service, &access, &id).await;
    let person = service.person_with_totp(BOB).await;
    assert_all_ask(&service, &person.access, &id).await;

    // Required: of everybody. Who has nothing else is mailed a code.
    let service = Service::with("accounts.elevation = \"required\"").await;
    service.verified(ADA).await;
    let access = text(&service.session(ADA).await, "accessToken");
    let app = service.generate(&access).await;
    assert_all_ask(&service, &access, &uuid::Uuid::new_v4().to_string()).await;
    let elevated = elevate_by_mail(&service, &access, ADA).await;
    let body = json!({"activeMfaType": "totp", "code": app.code()});
    service.ok_as(&elevated, "/v1/user/mfa", body).await;
    service.notice(ADA).await;

    // Disabled: of nobody.
    let service = Service::with("accounts.elevation = \"disabled\"").await;
    let person = service.person_with_totp(ADA).await;
    let id = service
        .add_key(&person.access, ADA, &mut SoftwareKey::new())
        .await;
    for (path, body) in allowed_requests(&id) {
        let reply = service.post_as(&person.access, path, body.clone()).await;
        assert_eq!(reply.status, 200, "{path} {body}: {}", reply.text);
    }
    session(&service.sign_in_with(ADA, OTHER).await);
}

/// Elevates a session by a code in a mail, and returns its access token.
async fn elevate_by_mail(service: &Service, access: &str, email: &str) -> String {
    let reply = service.post_nothing(access, "/v1/elevate/otp/email").await;
    assert_eq!(reply.json(), json!("OK"), "{}", reply.text);
    let mail = service.notice(email).await;
    let body = json!({"otp": mail.code()});
    let reply = service
        .post_as(access, "/v1/elevate/otp/email/verify", body)
        .await;
    text(&session(&reply), "accessToken")
}

#[tokio::test]
async fn elevated_session_does_what_others_may_not() {
    let service = Service::start().await;
    let person = service.person_with_totp(ADA).await;
    let elevated = service.elevated(&person).await;
    let id = service
        .add_key(&elevated, ADA, &mut SoftwareKey::new())
        .await;
    for (path, body) in allowed_requests(&id) {
        let reply = service.post_as(&elevated, path, body.clone()).await;
        assert_eq!(reply.status, 200, "{path} {body}: {}", reply.text);
    }
    session(&service.sign_in_with(ADA, OTHER).await);
}

/// A ticket of a mailed link proves as much as elevation does.
#[tokio::test]
async fn password_by_a_link_needs_no_elevation() {
    let service = Service::with("accounts.elevation = \"required\"").await;
    service.verified(ADA).await;
    let access = text(&service.session(ADA).await, "accessToken");
    let elevated = elevate_by_mail(&service, &access, ADA).await;
    service.turn_on_totp(&elevated, ADA).await;
    let ticket = service.reset(ADA).await;
    let body = json!({"ticket": ticket, "newPassword": OTHER});
    service.ok("/v1/user/password", body).await;
    mfa(&service.sign_in_with(ADA, OTHER).await);
}

#[tokio::test]
async fn elevate_offers_what_the_person_has() {
    let service = Service::start().await;
    service.verified(ADA).await;
    let access = text(&service.session(ADA).await, "accessToken");
    assert_eq!(offered(&service, &access).await, set(&["email"]));
    let mut key = SoftwareKey::new();
    service.add_key(&access, ADA, &mut key).await;
    assert_eq!(
        offered(&service, &access).await,
        set(&["webauthn", "email"])
    );
    let elevated = session(&service.elevate_by_key(&access, &mut key).await);
    let elevated = text(&elevated, "accessToken");
    assert_eq!(elevated_user(&elevated), Some(service.id(ADA).await));
    service.turn_on_totp(&elevated, ADA).await;
    assert_eq!(offered(&service, &access).await, set(&["totp", "webauthn"]));
    service.recovery_codes(&elevated).await;
    assert_eq!(
        offered(&service, &access).await,
        set(&["totp", "recovery-code", "webauthn"])
    );
    // A mail proves no second factor.
    let reply = service.post_nothing(&access, "/v1/elevate/otp/email").await;
    assert_refused(&reply, 409, "disabled-endpoint");
    assert_eq!(send(service.get("/v1/elevate")).await.status, 401);
    assert_eq!(
        service.audit(&["elevated"]).await,
        ["elevated success webauthn"]
    );
}

#[tokio::test]
async fn mailed_code_elevates_and_signs_nobody_in() {
    let service = Service::start().await;
    service.verified(ADA).await;
    service.verified(BOB).await;
    let access = text(&service.session(ADA).await, "accessToken");
    let of_bob = text(&service.session(BOB).await, "accessToken");
    let verify = async |token: &str, code: &str| {
        let body = json!({"otp": code});
        service
            .post_as(token, "/v1/elevate/otp/email/verify", body)
            .await
    };
    // A code to sign in does not elevate.
    let code = service.code(ADA).await;
    assert_refused(&verify(&access, &code).await, 401, "invalid-otp");
    session(&service.enter(ADA, &code).await);

    let ask = async |token: &str| {
        let reply = service.post_nothing(token, "/v1/elevate/otp/email").await;
        assert_eq!(reply.json(), json!("OK"), "{}", reply.text);
    };
    ask(&access).await;
    let code = service.notice(ADA).await.code();
    let lifetime = "SELECT extract(epoch FROM expires_at - created_at)::int FROM postern.ticket WHERE purpose = 'elevate'";
    assert_eq!(service.value(lifetime).await, "900");
    // The queue has no code.
    let queued =
        "SELECT count(*) FROM postern.event_queue WHERE payload::text LIKE '%' || '{}' || '%'";
    assert_eq!(service.value(&queued.replace("{}", &code)).await, "0");
    // Nor does a code to elevate sign in, or elevate another person.
    assert_refused(&service.enter(ADA, &code).await, 401, "invalid-otp");
    assert_refused(&verify(&of_bob, &code).await, 401, "invalid-otp");
    let elevated = text(&session(&verify(&access, &code).await), "accessToken");
    assert_eq!(elevated_user(&elevated), Some(service.id(ADA).await));
    assert_refused(&verify(&access, &code).await, 401, "invalid-otp");

    // Five tries, and a quarter of an hour.
    ask(&access).await;
    let code = service.notice(ADA).await.code();
    let number: u32 = code.parse().unwrap();
    for step in 1..=5 {
        let wrong = format!("{:06}", (number + step) % 1_000_000);
        assert_refused(&verify(&access, &wrong).await, 401, "invalid-otp");
    }
    assert_refused(&verify(&access, &code).await, 401, "invalid-otp");
    ask(&access).await;
    let code = service.notice(ADA).await.code();
    service.expire_tickets().await;
    assert_refused(&verify(&access, &code).await, 401, "invalid-otp");

    // One that was mailed before the second factor is on is worth nothing after it.
    ask(&access).await;
    let code = service.notice(ADA).await.code();
    service.turn_on_totp(&elevated, ADA).await;
    let reply = verify(&access, &code).await;
    assert!(matches!(reply.status, 401 | 409), "{}", reply.text);
    assert_eq!(
        service
            .audit(&["elevated"])
            .await
            .iter()
            .filter(|row| row.starts_with("elevated success code"))
            .count(),
        1
    );
}

/// The part of `pat_changes_no_credential` that factors and keys add.
#[tokio::test]
async fn pat_neither_elevates_nor_changes_factors() {
    let service = Service::start().await;
    let person = service.person_with_totp(ADA).await;
    let elevated = service.elevated(&person).await;
    let mut key = SoftwareKey::new();
    let id = service.add_key(&elevated, ADA, &mut key).await;
    let codes = service.recovery_codes(&elevated).await;
    let body = json!({"expiresAt": "2030-01-01T00:00:00Z", "metadata": {"name": "a token"}});
    let reply = service.post_as(&elevated, "/v1/pat", body).await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    let body = json!({"personalAccessToken": text(&reply.json(), "personalAccessToken")});
    // It asks for no second factor, and has none.
    let opened = session(&service.post("/v1/signin/pat", body).await);
    let access = text(&opened, "accessToken");
    assert_eq!(elevated_user(&access), None);
    service.until_mailed().await;
    let before = service.value(CREDENTIALS).await;
    let code = service.unused_code(&person.app).await;
    let elevations = [
        ("/v1/elevate/totp", json!({"otp": code})),
        ("/v1/elevate/totp", json!({"otp": codes[0]})),
        ("/v1/elevate/webauthn", json!({})),
        ("/v1/elevate/otp/email", json!({})),
        ("/v1/elevate/otp/email/verify", json!({"otp": "000000"})),
    ];
    for (path, body) in elevations.into_iter().chain(requests(&id)) {
        let reply = service.post_as(&access, path, body.clone()).await;
        assert_eq!(reply.status, 403, "{path} {body}: {}", reply.text);
        if path != "/v1/pat" {
            assert_refused(&reply, 403, "invalid-request");
        }
    }
    let reply = service.get_as(&access, "/v1/mfa/totp/generate").await;
    assert_refused(&reply, 403, "invalid-request");
    // Not even with a challenge of a session that may.
    let options = service
        .options_as(&person.access, "/v1/elevate/webauthn")
        .await;
    let body = json!({"credential": key.get(&options)});
    let reply = service
        .post_as(&access, "/v1/elevate/webauthn/verify", body)
        .await;
    assert!(matches!(reply.status, 401 | 403), "{}", reply.text);
    assert_eq!(service.value(CREDENTIALS).await, before);
    // Nothing of it has used up the code.
    session(&service.elevate(&person.access, &code).await);
}

#[tokio::test]
async fn blocked_user_elevates_nothing() {
    let service = Service::start().await;
    let person = service.person_with_totp(ADA).await;
    let elevated = service.elevated(&person).await;
    let mut key = SoftwareKey::new();
    let id = service.add_key(&elevated, ADA, &mut key).await;
    let options = service
        .options_as(&person.access, "/v1/elevate/webauthn")
        .await;
    service.until_mailed().await;
    service.run("UPDATE people SET is_blocked = true").await;
    let before = service.value(CREDENTIALS).await;
    let code = service.unused_code(&person.app).await;
    let elevations = [
        ("/v1/elevate/totp", json!({"otp": code})),
        (
            "/v1/elevate/webauthn/verify",
            json!({"credential": key.get(&options)}),
        ),
    ];
    for (path, body) in elevations.into_iter().chain(requests(&id)) {
        let reply = service.post_as(&elevated, path, body.clone()).await;
        assert!(
            matches!(reply.status, 401 | 403),
            "{path} {body}: {} {}",
            reply.status,
            reply.text
        );
    }
    assert_eq!(service.value(CREDENTIALS).await, before);
}

/// Permissions under which people see themselves while they are elevated.
const PERMISSIONS: &str = r#"
[session]
user_id = "uuid"
auth_elevated = "uuid"

[table.people.role.me]
select = { columns = ["id", "email"], rows = "id = session.user_id AND session.auth_elevated? = session.user_id" }
"#;

#[tokio::test]
async fn row_rules_read_the_claim() {
    let mailbox = Mailbox::start().await;
    let file = settings(&mailbox.url(), "");
    let started = builder(&file).permissions(PERMISSIONS).start().await;
    let service = Service::new(started, mailbox);
    let person = service.person_with_totp(ADA).await;
    let read = async |token: &str| {
        let request = service.request(Method::POST, "/v1/graphql");
        let body = json!({"query": "{ people { email } }"});
        let reply = send(request.bearer_auth(token).json(&body)).await;
        assert_eq!(reply.status, 200, "{}", reply.text);
        reply.data()["people"].clone()
    };
    assert_eq!(read(&person.access).await, json!([]));
    let code = service.unused_code(&person.app).await;
    let elevated = session(&service.elevate(&person.access, &code).await);
    assert_eq!(
        read(&text(&elevated, "accessToken")).await,
        json!([{"email": ADA}])
    );
    let refreshed = service.refresh(&text(&elevated, "refreshToken")).await;
    let refreshed = text(&refreshed.json(), "accessToken");
    assert_eq!(read(&refreshed).await, json!([]));
}

#[tokio::test]
async fn claims_column_elevates_nobody() {
    let users = "SELECT id, email, default_role, allowed_roles, json_build_object(\
        'authElevated', id, 'X-Gateway-Auth-Elevated', id, 'city', 'Turin') AS claims FROM people WHERE id = $1";
    let service = Service::with(&format!("token_exchange.users = {users:?}")).await;
    let person = service.person_with_totp(ADA).await;
    for session in [
        service.session_in_two_steps(&person).await,
        service
            .refresh(&text(
                &service.session_in_two_steps(&person).await,
                "refreshToken",
            ))
            .await
            .json(),
    ] {
        let token = text(&session, "accessToken");
        assert_eq!(elevated_user(&token), None);
        assert_eq!(claims(&token)["gateway"]["x-gateway-city"], "Turin");
        let names = claims(&token)["gateway"].clone();
        let mut names = names.as_object().unwrap().keys();
        assert!(
            !names.any(|name| name.eq_ignore_ascii_case("x-gateway-auth-elevated")),
            "{session}"
        );
        let reply = service
            .post_nothing(&token, "/v1/user/mfa/recovery-codes")
            .await;
        assert_asks_for_elevation(&reply);
    }
    let elevated = service.elevated(&person).await;
    assert_eq!(elevated_user(&elevated), Some(service.id(ADA).await));
}

/// A token of the same key that another program has made is no session of a person's, whatever it
/// claims.
#[tokio::test]
async fn claim_alone_elevates_no_token() {
    let service = Service::start().await;
    service.person_with_totp(ADA).await;
    let user = service.id(ADA).await;
    let made = tests::service::token(&json!({"sub": user, "amr": ["pwd", "otp"], "gateway": {
        "x-gateway-user-id": user, "x-gateway-auth-elevated": user,
        "x-gateway-default-role": "me", "x-gateway-allowed-roles": ["me"]}}));
    service.until_mailed().await;
    let before = service.value(CREDENTIALS).await;
    for (path, body) in requests(&uuid::Uuid::new_v4().to_string()) {
        // Tokens of other programs may make personal access tokens if their role may.
        if path != "/v1/pat" {
            let reply = service.post_as(&made, path, body).await;
            assert_eq!(reply.status, 403, "{path}: {}", reply.text);
        }
    }
    assert_eq!(service.value(CREDENTIALS).await, before);
}

#[tokio::test]
async fn hasura_dialect_has_its_own_claim() {
    let mailbox = Mailbox::start().await;
    let file = settings(&mailbox.url(), "");
    let started = builder(&file).profile("hasura").start().await;
    let service = Service::new(started, mailbox);
    let person = service.person_with_totp(ADA).await;
    let payload = claims(&service.elevated(&person).await);
    let claim = &payload["https://hasura.io/jwt/claims"]["x-hasura-auth-elevated"];
    assert_eq!(*claim, json!(service.id(ADA).await), "{payload}");
}

#[tokio::test]
async fn elevation_refuses_what_a_sign_in_refuses() {
    let service = Service::start().await;
    let person = service.person_with_totp(ADA).await;
    for wrong in [person.app.wrong_code().as_str(), "", "12345", "nonsense"] {
        let reply = service.elevate(&person.access, wrong).await;
        assert_refused(&reply, 401, "invalid-totp");
    }
    for body in [json!({}), json!({"otp": 123_456}), json!([])] {
        let reply = service
            .post_as(&person.access, "/v1/elevate/totp", body)
            .await;
        assert_refused(&reply, 400, "invalid-request");
    }
    // A new password of the person ends the elevated session too.
    let elevated = service.elevated(&person).await;
    let body = json!({"newPassword": PASSWORD});
    service.ok_as(&elevated, "/v1/user/password", body).await;
    let reply = service
        .post_nothing(&elevated, "/v1/user/mfa/recovery-codes")
        .await;
    assert!(matches!(reply.status, 401 | 403), "{}", reply.text);
}

//! Linking identities of other providers to an account that is signed in, and removing them.

use futures_util::future::join_all;
use reqwest::Method;
use serde_json::{Value, json};
use tests::reply::Reply;
use tests::service::send;

use super::browser::{Browser, Callback, set_cookies};
use super::factors::assert_asks_for_elevation;
use super::page::parameter;
use super::provider::{COOKIE, IN, Provider, assert_failed, assert_invalid_state};
use super::service::{PASSWORD, Service, assert_refused, session, text};
use super::software_key::SoftwareKey;

const ADA: &str = "ada@example.org";
const BOB: &str = "bob@example.org";
const LINK: &str = "/v1/link/provider/google";
const LIST: &str = "/v1/user/providers";
const UNLINK: &str = "/v1/user/providers/unlink";

/// Asks to link a provider, as an application does from a browser, and returns with what the
/// provider leads back with.
async fn come_back_to_link(
    service: &Service,
    browser: &Browser,
    token: &str,
    provider: &str,
) -> Callback {
    let path = format!("/v1/link/provider/{provider}");
    let reply = service.post_as(token, &path, json!({})).await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    browser.take_cookies(&reply);
    browser
        .consent(&text(&reply.json(), "url"), &Value::Null)
        .await
}

/// Links a provider's user to the holder of an access token.
pub(super) async fn link_provider(service: &Service, token: &str, provider: &str) {
    let browser = Browser::new(service);
    let callback = come_back_to_link(service, &browser, token, provider).await;
    assert_linked(&browser.land(&callback).await);
}

/// Fails unless a redirect says that the identity is linked, and hands nothing over.
#[track_caller]
fn assert_linked(location: &str) {
    let kind = parameter(location, "type");
    assert_eq!(kind.as_deref(), Some("linkProvider"), "{location}");
    for name in ["error", "refreshToken", "code", "ticket"] {
        assert_eq!(parameter(location, name), None, "{location}");
    }
}

/// The identities of the holder of an access token.
async fn list(service: &Service, token: &str) -> Vec<Value> {
    let reply = service.get_as(token, LIST).await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    serde_json::from_value(reply.json()).unwrap()
}

/// The response to removing an identity.
async fn unlink(service: &Service, token: &str, identity: &Value) -> Reply {
    let body = json!({"id": identity["id"]});
    service.post_as(token, UNLINK, body).await
}

/// The access token of a session of the usual password.
async fn access(service: &Service, email: &str) -> String {
    text(&service.session(email).await, "accessToken")
}

#[tokio::test(flavor = "multi_thread")]
async fn link_needs_elevation_and_same_browser() {
    let provider = Provider::faulty().await;
    let service = Service::with(&provider.settings("google")).await;
    let person = service.person_with_totp(ADA).await;
    let reply = service.post_as(&person.access, LINK, json!({})).await;
    assert_asks_for_elevation(&reply);
    assert!(set_cookies(&reply).is_empty());
    let elevated = service.elevated(&person).await;
    for (body, code) in [
        (
            json!({"redirectTo": "https://evil.example/"}),
            "redirectTo-not-allowed",
        ),
        (json!({"state": 7}), "invalid-request"),
    ] {
        let reply = service.post_as(&elevated, LINK, body).await;
        assert_refused(&reply, 400, code);
    }
    let nowhere = "/v1/link/provider/workos";
    let reply = service.post_as(&elevated, nowhere, json!({})).await;
    assert_refused(&reply, 409, "disabled-endpoint");
    assert_eq!(service.post(LINK, json!({})).await.status, 401);
    let reply = send(service.get(LINK).bearer_auth(&elevated)).await;
    assert_eq!(reply.status, 405, "{}", reply.text);

    let body = json!({"redirectTo": IN, "state": "of the application"});
    let reply = service.post_as(&elevated, LINK, body).await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    assert_eq!(reply.header("cache-control"), "no-store");
    let cookies = set_cookies(&reply);
    assert!(
        cookies.len() == 1 && cookies[0].starts_with(&format!("{COOKIE}=")),
        "{cookies:?}"
    );
    let members = reply.json();
    assert_eq!(members.as_object().unwrap().len(), 1, "{members}");
    let url = text(&members, "url");
    assert!(url.starts_with(&format!("{}/authorize?", provider.url)));
    // The access token stays where it is.
    assert!(!url.contains(&elevated));

    // Whoever is led to this URL by somebody else links nothing.
    let stranger = Browser::new(&service);
    let callback = stranger.consent(&url, &Value::Null).await;
    assert_invalid_state(&stranger.land(&callback).await);
    stranger.begin("google", &[]).await;
    assert_invalid_state(&stranger.land(&callback).await);
    assert_eq!(service.identities().await, Vec::<String>::new());
    let sessions = service.count("postern.session").await;

    let browser = Browser::new(&service);
    browser.take_cookies(&reply);
    let location = browser.land(&callback).await;
    assert!(location.starts_with(IN), "{location}");
    assert_linked(&location);
    assert_eq!(
        parameter(&location, "state").as_deref(),
        Some("of the application")
    );
    assert_invalid_state(&browser.land(&callback).await);
    assert_eq!(service.identities().await, ["google 1 ada@example.org"]);
    assert_eq!(service.count("postern.session").await, sessions);
    let audit = service.audit(&["identity-linked"]).await;
    assert_eq!(audit, ["identity-linked success oidc:google"]);

    let listed = list(&service, &person.access).await;
    let mut names: Vec<&String> = listed[0].as_object().unwrap().keys().collect();
    names.sort();
    assert_eq!(names, ["email", "id", "linkedAt", "provider"]);
    assert_eq!(
        json!([listed[0]["provider"], listed[0]["email"]]),
        json!(["google", ADA])
    );
    assert_eq!(service.post(UNLINK, json!({})).await.status, 401);
    assert_eq!(send(service.get(LIST)).await.status, 401);
}

#[tokio::test(flavor = "multi_thread")]
async fn link_follows_the_mode_of_elevation() {
    let provider = Provider::faulty().await;
    for (mode, is_asked) in [
        ("recommended", false),
        ("required", true),
        ("disabled", false),
    ] {
        let changes = format!(
            "accounts.elevation = {mode:?}\n{}",
            provider.settings("google")
        );
        let service = Service::with(&changes).await;
        service.verified(ADA).await;
        let access = access(&service, ADA).await;
        let reply = service.post_as(&access, LINK, json!({})).await;
        if is_asked {
            assert_asks_for_elevation(&reply);
            let body = json!({"id": uuid::Uuid::new_v4().to_string()});
            let reply = service.post_as(&access, UNLINK, body).await;
            assert_asks_for_elevation(&reply);
        } else {
            assert_eq!(reply.status, 200, "{mode}: {}", reply.text);
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn session_of_a_token_links_nothing() {
    let provider = Provider::faulty().await;
    let service = Service::with(&provider.settings("google")).await;
    service.verified(ADA).await;
    link_provider(&service, &access(&service, ADA).await, "google").await;
    let token = json!({"expiresAt": "2030-01-01T00:00:00Z", "metadata": {"name": "a token"}});
    let token = service
        .post_as(&access(&service, ADA).await, "/v1/pat", token)
        .await;
    let body = json!({"personalAccessToken": text(&token.json(), "personalAccessToken")});
    let access = text(
        &session(&service.post("/v1/signin/pat", body).await),
        "accessToken",
    );
    let before = service.identities().await;
    assert_eq!(service.post_as(&access, LINK, json!({})).await.status, 403);
    let id = service
        .value("SELECT id FROM postern.external_identity")
        .await;
    let reply = service.post_as(&access, UNLINK, json!({"id": id})).await;
    assert_eq!(reply.status, 403, "{}", reply.text);
    assert_eq!(service.identities().await, before);
}

#[tokio::test(flavor = "multi_thread")]
async fn link_ends_with_the_session() {
    let provider = Provider::faulty().await;
    let service = Service::with(&provider.settings("google")).await;
    for (number, what) in ["sign-out", "password", "block"].into_iter().enumerate() {
        let email = format!("{number}@example.org");
        service.verified(&email).await;
        let opened = service.session(&email).await;
        let access = text(&opened, "accessToken");
        let browser = Browser::new(&service);
        let callback = come_back_to_link(&service, &browser, &access, "google").await;
        match what {
            "sign-out" => {
                let body = json!({"refreshToken": text(&opened, "refreshToken")});
                service.ok("/v1/signout", body).await;
            }
            "password" => {
                let body = json!({"newPassword": "another password"});
                service.ok_as(&access, "/v1/user/password", body).await;
            }
            _ => {
                let block = format!("UPDATE people SET is_blocked = true WHERE email = '{email}'");
                service.run(&block).await;
            }
        }
        let location = browser.land(&callback).await;
        assert!(
            parameter(&location, "error").is_some(),
            "{what}: {location}"
        );
        for name in ["refreshToken", "type"] {
            assert_eq!(parameter(&location, name), None, "{what}: {location}");
        }
    }
    assert_eq!(service.identities().await, Vec::<String>::new());
    assert_eq!(service.count("people").await, 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn link_takes_a_person_of_any_address() {
    let provider = Provider::faulty().await;
    let service = Service::with(&provider.settings("google")).await;
    service.verified(ADA).await;
    service.verified(BOB).await;
    let verified = "SELECT string_agg(email, ' ' ORDER BY email) FROM postern.verified_email";
    let before = service.value(verified).await;
    let access = access(&service, ADA).await;
    // None, one that is not proved, one that is another user's.
    for (subject, claims) in [
        ("none", json!({"email": null, "email_verified": null})),
        (
            "other",
            json!({"email": "ada@work.example", "email_verified": false}),
        ),
        ("bob", json!({"email": BOB})),
    ] {
        let mut claims = claims;
        claims["sub"] = json!(subject);
        provider.behave(json!({"claims": claims})).await;
        link_provider(&service, &access, "google").await;
        let location = Browser::new(&service).sign_in("google", &Value::Null).await;
        let session = service.landed(&location).await;
        assert_eq!(session["user"]["email"], ADA, "{subject}");
    }
    assert_eq!(list(&service, &access).await.len(), 3);
    // Neither the address nor what is proved of it is another one.
    assert_eq!(service.value(verified).await, before);
    assert_eq!(
        service
            .value("SELECT string_agg(email, ' ' ORDER BY email) FROM people")
            .await,
        "ada@example.org bob@example.org"
    );
    // Bob is still Bob.
    service.session(BOB).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn identity_of_another_user_stays_there() {
    let provider = Provider::faulty().await;
    let service = Service::with(&provider.settings("google")).await;
    service.verified(ADA).await;
    service.verified(BOB).await;
    provider
        .behave(json!({"claims": {"email": "x@example.org", "email_verified": false}}))
        .await;
    link_provider(&service, &access(&service, ADA).await, "google").await;
    let before = service.people_and_sessions().await;
    let of_bob = access(&service, BOB).await;
    let browser = Browser::new(&service);
    let callback = come_back_to_link(&service, &browser, &of_bob, "google").await;
    let location = browser.land(&callback).await;
    assert_failed(&location, "provider-account-already-linked");
    assert_eq!(list(&service, &of_bob).await, Vec::<Value>::new());
    assert_ne!(service.people_and_sessions().await, before, "Bob's session");
    assert_eq!(service.identities().await, ["google 1 x@example.org"]);

    // Two at once: one of them gets it.
    for round in 2..=6 {
        let claims =
            json!({"sub": round.to_string(), "email": "x@example.org", "email_verified": false});
        provider.behave(json!({"claims": claims})).await;
        let mut callbacks = vec![];
        for email in [ADA, BOB] {
            let token = access(&service, email).await;
            let browser = Browser::new(&service);
            let callback = come_back_to_link(&service, &browser, &token, "google").await;
            callbacks.push((browser, callback));
        }
        let landing = callbacks
            .iter()
            .map(|(browser, callback)| browser.land(callback));
        let mut errors: Vec<Option<String>> = join_all(landing)
            .await
            .iter()
            .map(|location| parameter(location, "error"))
            .collect();
        errors.sort();
        assert_eq!(
            errors,
            [None, Some("provider-account-already-linked".to_owned())]
        );
    }
    assert_eq!(service.identities().await.len(), 6);
}

#[tokio::test(flavor = "multi_thread")]
async fn unlinked_identity_signs_nobody_in() {
    let provider = Provider::faulty().await;
    let service = Service::with(&provider.settings("google")).await;
    service.verified(ADA).await;
    service.verified(BOB).await;
    let token = access(&service, ADA).await;
    let unproved = json!({"email": ADA, "email_verified": false});
    provider.behave(json!({"claims": unproved})).await;
    link_provider(&service, &token, "google").await;
    let identity = list(&service, &token).await.remove(0);

    // Nobody removes what is somebody else's, or nothing.
    let of_bob = access(&service, BOB).await;
    let reply = unlink(&service, &of_bob, &identity).await;
    assert!((400..500).contains(&reply.status), "{}", reply.text);
    for id in [
        json!("nonsense"),
        json!(uuid::Uuid::new_v4().to_string()),
        Value::Null,
        json!(7),
    ] {
        let body = json!({"id": id});
        let reply = service.post_as(&token, UNLINK, body).await;
        assert!((400..500).contains(&reply.status), "{id}: {}", reply.text);
        assert_eq!(reply.json()["status"], reply.status, "{id}");
    }
    assert_eq!(service.identities().await.len(), 1);
    let reply = send(service.request(Method::PUT, UNLINK)).await;
    assert_eq!(reply.status, 405, "{}", reply.text);

    let token = access(&service, ADA).await;
    let reply = unlink(&service, &token, &identity).await;
    assert_eq!(
        (reply.status, reply.json()),
        (200, json!("OK")),
        "{}",
        reply.text
    );
    let audit = service.audit(&["identity-unlinked"]).await;
    assert_eq!(audit, ["identity-unlinked success oidc:google"]);
    let location = Browser::new(&service).sign_in("google", &Value::Null).await;
    assert_failed(&location, "unverified-user");
    assert_eq!(service.identities().await, Vec::<String>::new());
    let token = access(&service, ADA).await;
    let reply = unlink(&service, &token, &identity).await;
    assert!((400..500).contains(&reply.status), "{}", reply.text);
}

#[tokio::test(flavor = "multi_thread")]
async fn last_way_in_stays() {
    let google = Provider::faulty().await;
    let workos = Provider::faulty().await;
    let providers = format!("{}{}", google.settings("google"), workos.settings("workos"));
    let changes =
        format!("accounts.methods = [\"passkey\"]\naccounts.elevation = \"disabled\"\n{providers}");
    let service = Service::with(&changes).await;
    let location = Browser::new(&service).sign_in("google", &Value::Null).await;
    let token = text(&service.landed(&location).await, "accessToken");
    let first = list(&service, &token).await.remove(0);
    let last_way_in = |reply: &Reply| assert_refused(reply, 409, "last-way-in");
    last_way_in(&unlink(&service, &token, &first).await);

    // One of two may go, and one of two that go at once.
    link_provider(&service, &token, "workos").await;
    let both = list(&service, &token).await;
    assert_eq!(both.len(), 2);
    let unlinking = both
        .iter()
        .map(|identity| unlink(&service, &token, identity));
    let mut statuses: Vec<u16> = join_all(unlinking)
        .await
        .iter()
        .map(|reply| reply.status)
        .collect();
    statuses.sort_unstable();
    // The one that has gone may have ended the session that the other one was asked for with.
    assert!(statuses[0] == 200 && statuses[1] >= 400, "{statuses:?}");
    let left = service.identities().await;
    assert_eq!(left.len(), 1);
    let name = left[0].split(' ').next().unwrap().to_owned();
    let location = Browser::new(&service).sign_in(&name, &Value::Null).await;
    let token = text(&service.landed(&location).await, "accessToken");

    // A key is a way in, and an identity is one for who removes a key.
    let mut key = SoftwareKey::new();
    let key_id = service.add_key(&token, ADA, &mut key).await;
    let remove_key = json!({"id": key_id});
    service
        .ok_as(&token, "/v1/user/webauthn/remove", remove_key)
        .await;
    service.notice(ADA).await;
    let location = Browser::new(&service).sign_in(&name, &Value::Null).await;
    let token = text(&service.landed(&location).await, "accessToken");
    let key_id = service.add_key(&token, ADA, &mut key).await;
    let identity = list(&service, &token).await.remove(0);
    let reply = unlink(&service, &token, &identity).await;
    assert_eq!(reply.json(), json!("OK"), "{}", reply.text);
    let token = text(
        &session(&service.sign_in_by_key(&mut key).await),
        "accessToken",
    );
    let reply = service
        .post_as(&token, "/v1/user/webauthn/remove", json!({"id": key_id}))
        .await;
    last_way_in(&reply);
}

#[tokio::test(flavor = "multi_thread")]
async fn ways_in_are_those_of_the_settings() {
    let google = Provider::faulty().await;
    let workos = Provider::faulty().await;
    let both = format!("{}{}", google.settings("google"), workos.settings("workos"));
    let elevation = "accounts.elevation = \"disabled\"\n";
    let passkey = "accounts.methods = [\"passkey\"]\n";
    let service = Service::with(&format!("{passkey}{elevation}{both}")).await;
    let location = Browser::new(&service).sign_in("google", &Value::Null).await;
    let token = text(&service.landed(&location).await, "accessToken");
    link_provider(&service, &token, "workos").await;

    // A provider that the settings do not have any more is no way in.
    let one = format!("{passkey}{elevation}{}", google.settings("google"));
    let service = service.restarted_with(&one).await;
    let identity = |listed: Vec<Value>| {
        let mut listed = listed.into_iter();
        listed.find(|row| row["provider"] == "google").unwrap()
    };
    let of_google = identity(list(&service, &token).await);
    let reply = unlink(&service, &token, &of_google).await;
    assert_refused(&reply, 409, "last-way-in");

    // Nor is a password that is not there, or that is not asked for.
    let password = "accounts.methods = [\"passkey\", \"password\"]\n";
    let one = format!("{password}{elevation}{}", google.settings("google"));
    let service = service.restarted_with(&one).await;
    let reply = unlink(&service, &token, &of_google).await;
    assert_refused(&reply, 409, "last-way-in");
    let body = json!({"newPassword": PASSWORD});
    service.ok_as(&token, "/v1/user/password", body).await;
    let token = access(&service, ADA).await;
    let reply = unlink(&service, &token, &of_google).await;
    assert_eq!(reply.json(), json!("OK"), "{}", reply.text);

    // A mail reaches everybody whose address is theirs.
    for method in ["link", "code"] {
        let methods = format!("accounts.methods = [\"passkey\", {method:?}]\n");
        let settings = format!("{methods}{elevation}{}", google.settings("google"));
        let service = Service::with(&settings).await;
        let location = Browser::new(&service).sign_in("google", &Value::Null).await;
        let token = text(&service.landed(&location).await, "accessToken");
        let of_google = identity(list(&service, &token).await);
        let reply = unlink(&service, &token, &of_google).await;
        assert_eq!(reply.json(), json!("OK"), "{method}: {}", reply.text);
    }
}

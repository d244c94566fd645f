//! Signing in with another provider: what the browser is sent there with, and what it has to come
//! back with.

use std::collections::BTreeSet;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use futures_util::future::join_all;
use reqwest::Method;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tests::service::send;

use super::browser::{Browser, Callback, set_cookies};
use super::factors::methods;
use super::page::{SERVER_URL, parameter};
use super::provider::{
    CLIENT_ID, CLIENT_SECRET, COOKIE, IN, Provider, assert_failed, assert_invalid_state,
    callback_url, form_of, user,
};
use super::service::{CLIENT_URL, Service, assert_refused};

const ADA: &str = "ada@example.org";

/// Whether a text has as many characters of base64url as 32 bytes have.
fn is_digest(text: &str) -> bool {
    let is_letter = |letter: char| letter.is_ascii_alphanumeric() || "-_".contains(letter);
    text.len() == 43 && text.chars().all(is_letter)
}

/// The attributes of the only cookie that a response sets, in lower case and in order.
#[track_caller]
fn attributes(cookies: &[&str]) -> Vec<String> {
    assert_eq!(cookies.len(), 1, "{cookies:?}");
    let attributes = cookies[0].split("; ").skip(1);
    let mut attributes: Vec<String> = attributes.map(str::to_ascii_lowercase).collect();
    attributes.sort();
    attributes
}

#[tokio::test(flavor = "multi_thread")]
async fn oidc_provider_with_pkce() {
    let mut provider = Provider::start().await;
    let service = Service::with(&provider.settings("google")).await;
    let browser = Browser::new(&service);
    let reply = browser.start("google", &[]).await;
    assert_eq!(reply.status, 302, "{}", reply.text);
    assert_eq!(reply.header("cache-control"), "no-store");
    let cookies = set_cookies(&reply);
    assert!(cookies[0].starts_with(&format!("{COOKIE}=")), "{cookies:?}");
    let expected = [
        "httponly",
        "max-age=600",
        "path=/",
        "samesite=lax",
        "secure",
    ];
    assert_eq!(attributes(&cookies), expected);
    let url = reply.header("location").to_owned();
    assert!(url.starts_with(&format!("{}/auth?", provider.url)), "{url}");
    for (name, value) in [
        ("response_type", "code"),
        ("client_id", CLIENT_ID),
        ("redirect_uri", &callback_url("google")),
        ("scope", "openid email profile"),
        ("code_challenge_method", "S256"),
    ] {
        assert_eq!(parameter(&url, name).as_deref(), Some(value), "{name}");
    }
    for name in ["state", "code_challenge"] {
        assert!(is_digest(&parameter(&url, name).unwrap()), "{name}: {url}");
    }
    assert!(parameter(&url, "nonce").unwrap().len() >= 22, "{url}");
    assert_eq!(parameter(&url, "response_mode"), None);

    let ada = user("ada at the provider", ADA);
    let location = browser.land(&browser.consent(&url, &ada).await).await;
    assert!(
        location.starts_with(&format!("{CLIENT_URL}/?")),
        "{location}"
    );
    for name in ["state", "code", "iss"] {
        assert_eq!(parameter(&location, name), None, "{location}");
    }
    let session = service.landed(&location).await;
    assert_eq!(
        json!([session["user"]["email"], session["user"]["emailVerified"]]),
        json!([ADA, true])
    );
    assert_eq!(methods(&session), json!(["fed"]));
    let row = "SELECT concat_ws(' ', email, method, locale) FROM people";
    assert_eq!(service.value(row).await, format!("{ADA} oidc:google en"));
    let identity = "SELECT json_build_array(issuer, subject, user_id, provider, email, tokens) \
                    FROM postern.external_identity";
    let identity: Value = serde_json::from_str(&service.value(identity).await).unwrap();
    let id = service.id(ADA).await;
    let expected = json!([provider.url, ada["sub"], id, "google", ADA, null]);
    assert_eq!(identity, expected);

    // The person is known by the subject: neither another address there nor here changes that.
    service.run("UPDATE people SET display_name = 'Ada'").await;
    provider
        .set_user(&user("ada at the provider", "ada@elsewhere.example"))
        .await;
    let location = browser.sign_in("google", &ada).await;
    let again = service.landed(&location).await;
    assert_eq!(again["user"]["id"], json!(id));
    assert_eq!(
        json!([again["user"]["email"], again["user"]["displayName"]]),
        json!([ADA, "Ada"])
    );
    assert_eq!(service.count("people").await, 1);
    assert_eq!(service.count("postern.external_identity").await, 1);

    // Somebody else is somebody else.
    let other = Browser::new(&service);
    let location = other.sign_in("google", &user("2", "bob@example.org")).await;
    assert_ne!(service.landed(&location).await["user"]["id"], json!(id));
    // The path of sign-ups does the same.
    let url = format!("{SERVER_URL}/v1/signup/provider/google");
    let reply = other.get(&url).await;
    let callback = other.consent(reply.header("location"), &Value::Null).await;
    service.landed(&other.land(&callback).await).await;
    assert_eq!(service.count("people").await, 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn clients_of_three_kinds_and_claims_at_two_places() {
    let kinds = [
        (
            "client_secret_basic",
            json!({"conformIdTokenClaims": false}),
        ),
        ("client_secret_post", json!({})),
        ("none", json!({})),
    ];
    for (method, settings) in kinds {
        let provider = Provider::with_client(method, settings).await;
        let mut changes = provider.settings("google");
        if method == "none" {
            changes = changes
                .lines()
                .filter(|line| !line.contains("client_secret"))
                .collect::<Vec<_>>()
                .join("\n");
        }
        let service = Service::with(&changes).await;
        let browser = Browser::new(&service);
        let location = browser.sign_in("google", &user("1", ADA)).await;
        let session = service.landed(&location).await;
        assert_eq!(session["user"]["email"], ADA, "{method}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn client_shows_its_secret_as_the_metadata_says() {
    let provider = Provider::faulty().await;
    let methods = [
        (Value::Null, true),
        (json!(["client_secret_post", "client_secret_basic"]), true),
        (json!(["client_secret_post"]), false),
        (json!(["private_key_jwt", "client_secret_post"]), false),
    ];
    let scopes =
        "accounts.provider.google.scopes = [\"openid\", \"email\", \"https://example.com/a\"]";
    let service = Service::with(&format!("{}{scopes}", provider.settings("google"))).await;
    for (methods, is_basic) in methods {
        let metadata = json!({"token_endpoint_auth_methods_supported": methods});
        provider.behave(json!({"metadata": metadata})).await;
        // A gateway reads the metadata once.
        let gateway = service.another(&provider.settings("google")).await;
        let browser = Browser::at(&service, &gateway);
        service
            .landed(&browser.sign_in("google", &Value::Null).await)
            .await;
        let request = provider.requests("/token").await.pop().unwrap();
        let form = form_of(&request);
        let has = |name: &str| form.iter().any(|(key, _)| key == name);
        assert_eq!(has("client_secret"), !is_basic, "{methods}: {request}");
        let header = request["headers"].get("authorization");
        assert_eq!(header.is_some(), is_basic, "{methods}: {request}");
        assert!(has("code_verifier") && has("redirect_uri"), "{request}");
        assert_eq!(request["method"], "POST");
    }
    let url = Browser::new(&service).begin("google", &[]).await;
    assert_eq!(
        parameter(&url, "scope").as_deref(),
        Some("openid email https://example.com/a")
    );
    // The secret goes to the provider's token endpoint alone.
    for request in provider.requests("/authorize").await {
        assert!(!request.to_string().contains("s3cret"), "{request}");
    }
    assert!(!url.contains("s3cret") && !CLIENT_SECRET.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn state_nonce_verifier_iss_missing_or_swapped() {
    let provider = Provider::faulty().await;
    let service = Service::with(&provider.settings("google")).await;
    let browser = Browser::new(&service);
    let come_back = async || {
        browser
            .come_back("google", &[("redirectTo", IN)], &Value::Null)
            .await
    };
    let before = service.people_and_sessions().await;

    // The state.
    let first = come_back().await;
    let state = first.parameter("state").to_owned();
    let mut changed = state.clone();
    let last = changed.pop().unwrap();
    changed.push(if last == 'A' { 'E' } else { 'A' });
    let long = "a".repeat(5000);
    for wrong in [
        "",
        &changed,
        &state[1..],
        &format!("{state}a"),
        &long,
        "'",
        "\0",
        &state.to_uppercase(),
    ] {
        assert_invalid_state(&browser.land(&first.with("state", wrong)).await);
    }
    assert_invalid_state(&browser.land(&first.without("state")).await);
    assert!(provider.requests("/token").await.is_empty());

    // The code of one attempt with the state of another: its verifier is not that of the code.
    let second = come_back().await;
    let swapped = second.with("code", first.parameter("code"));
    let location = browser.land(&swapped).await;
    assert_failed(&location, "oauth-token-echange-failed");
    assert!(location.starts_with(IN), "{location}");
    // An attempt works once, whatever came of it.
    assert_invalid_state(&browser.land(&second).await);

    // The nonce.
    for nonce in [Value::Null, json!("another one"), json!(""), json!(7)] {
        provider.behave(json!({"claims": {"nonce": nonce}})).await;
        let location = browser.land(&come_back().await).await;
        assert_failed(&location, "oauth-profile-fetch-failed");
        assert!(location.starts_with(IN), "{location}");
    }
    provider.behave(json!({})).await;
    let earlier = come_back().await;
    let nonce = parameter(
        &format!(
            "http://localhost{}",
            provider.requests("/authorize").await.pop().unwrap()["url"]
                .as_str()
                .unwrap()
        ),
        "nonce",
    );
    provider.behave(json!({"claims": {"nonce": nonce}})).await;
    let location = browser.land(&come_back().await).await;
    assert_failed(&location, "oauth-profile-fetch-failed");
    drop(earlier);

    // The issuer, of which the metadata says that it is always there.
    let exchanged = provider.requests("/token").await.len();
    for issuer in [
        Value::Null,
        json!("https://evil.example"),
        json!(format!("{}/", provider.url)),
        json!(""),
    ] {
        provider.behave(json!({"redirect": {"iss": issuer}})).await;
        let location = browser.land(&come_back().await).await;
        assert_failed(&location, "invalid-state");
    }
    assert_eq!(
        provider.requests("/token").await.len(),
        exchanged,
        "no code is given to another provider than its own"
    );
    assert_eq!(service.people_and_sessions().await, before);

    // Each attempt has a state, a nonce and a verifier of its own.
    let asked: Vec<String> = provider
        .requests("/authorize")
        .await
        .iter()
        .map(|request| format!("http://localhost{}", request["url"].as_str().unwrap()))
        .collect();
    for name in ["state", "nonce", "code_challenge"] {
        let values: BTreeSet<_> = asked.iter().map(|url| parameter(url, name)).collect();
        assert_eq!(values.len(), asked.len(), "{name}");
    }
    let challenges: Vec<_> = asked
        .iter()
        .map(|url| parameter(url, "code_challenge").unwrap())
        .collect();
    for request in provider.requests("/token").await {
        let form = form_of(&request);
        let (_, verifier) = form
            .iter()
            .find(|(name, _)| name == "code_verifier")
            .unwrap();
        assert!(verifier.len() >= 43, "{verifier}");
        let digest = URL_SAFE_NO_PAD.encode(Sha256::digest(verifier));
        assert!(challenges.contains(&digest), "{verifier}");
    }

    // The right one works, once.
    provider.behave(json!({})).await;
    let callback = come_back().await;
    service.landed(&browser.land(&callback).await).await;
    assert_invalid_state(&browser.land(&callback).await);

    // A provider that does not announce the issuer may leave it out, and sends no other one.
    let silent = json!({"authorization_response_iss_parameter_supported": null});
    provider.behave(json!({"metadata": silent})).await;
    let gateway = service.another(&provider.settings("google")).await;
    let browser = Browser::at(&service, &gateway);
    let callback = browser.come_back("google", &[], &Value::Null).await;
    let location = browser.land(&callback.without("iss")).await;
    service.landed(&location).await;
    let callback = browser.come_back("google", &[], &Value::Null).await;
    let location = browser
        .land(&callback.with("iss", "https://evil.example"))
        .await;
    assert_failed(&location, "invalid-state");
}

#[tokio::test(flavor = "multi_thread")]
async fn other_browser_is_refused() {
    let provider = Provider::faulty().await;
    let service = Service::with(&provider.settings("google")).await;
    let browser = Browser::new(&service);
    let callback = browser
        .come_back("google", &[("redirectTo", IN)], &Value::Null)
        .await;

    // A link that leads somebody else into this sign-in: without a cookie, with one of another
    // sign-in, and with values that nobody was given.
    let stranger = Browser::new(&service);
    assert_invalid_state(&stranger.land(&callback).await);
    stranger.begin("google", &[]).await;
    assert_invalid_state(&stranger.land(&callback).await);
    let own = browser.cookie(COOKIE).unwrap();
    for wrong in ["a", &own[1..], &format!("{own}a"), &own.to_lowercase()] {
        stranger.set_cookie(COOKIE, wrong);
        assert_invalid_state(&stranger.land(&callback).await);
    }
    // The name of another provider's cookie is no help.
    stranger.set_cookie(COOKIE, "");
    stranger.set_cookie("__Host-postern-workos", &own);
    assert_invalid_state(&stranger.land(&callback).await);
    assert!(provider.requests("/token").await.is_empty());
    assert_eq!(service.count("people").await, 0);

    // Who has begun still ends it.
    service.landed(&browser.land(&callback).await).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn browser_has_several_attempts_at_once() {
    let provider = Provider::faulty().await;
    let service = Service::with(&provider.settings("google")).await;
    let browser = Browser::new(&service);
    let mut callbacks = vec![];
    for _ in 0..3 {
        callbacks.push(browser.come_back("google", &[], &Value::Null).await);
    }
    for callback in callbacks.iter().rev() {
        service.landed(&browser.land(callback).await).await;
    }
    assert_eq!(service.count("people").await, 1);
    assert_eq!(service.count("postern.session").await, 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn state_of_another_provider() {
    let honest = Provider::faulty().await;
    let evil = Provider::faulty().await;
    let changes = format!("{}{}", honest.settings("google"), evil.settings("workos"));
    let service = Service::with(&changes).await;
    let browser = Browser::new(&service);
    // The browser has a sign-in with each of them.
    let callback = browser.come_back("google", &[], &Value::Null).await;
    let other = browser.come_back("workos", &[], &Value::Null).await;
    for (callback, path) in [(&callback, "workos"), (&other, "google")] {
        for without_issuer in [false, true] {
            let mut mixed = Callback {
                url: callback_url(path),
                ..callback.clone()
            };
            if without_issuer {
                mixed = mixed.without("iss");
            }
            assert_invalid_state(&browser.land(&mixed).await);
        }
    }
    for provider in [&honest, &evil] {
        assert!(provider.requests("/token").await.is_empty());
    }
    // The cookies are those of one provider each.
    let cookie = browser.cookie(COOKIE).unwrap();
    let other_cookie = browser.cookie("__Host-postern-workos").unwrap();
    assert_ne!(cookie, other_cookie);
    browser.set_cookie(COOKIE, &other_cookie);
    assert_invalid_state(&browser.land(&callback).await);
    browser.set_cookie(COOKIE, &cookie);
    service.landed(&browser.land(&callback).await).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn form_post() {
    let provider = Provider::start().await;
    let changes = format!(
        "{}accounts.provider.google.form_post = true",
        provider.settings("google")
    );
    let service = Service::with(&changes).await;
    let browser = Browser::new(&service);
    let reply = browser.start("google", &[("redirectTo", IN)]).await;
    let expected = [
        "httponly",
        "max-age=600",
        "path=/",
        "samesite=none",
        "secure",
    ];
    assert_eq!(attributes(&set_cookies(&reply)), expected);
    let url = reply.header("location");
    assert_eq!(
        parameter(url, "response_mode").as_deref(),
        Some("form_post")
    );
    let callback = browser.consent(url, &user("1", ADA)).await;
    assert!(callback.is_form, "{callback:?}");

    // Other media are refused before the attempt is used.
    let json: serde_json::Map<String, Value> = callback
        .parameters
        .iter()
        .map(|(name, value)| (name.clone(), json!(value)))
        .collect();
    let path = "/v1/signin/provider/google/callback";
    let request = service.request(Method::POST, path).json(&json);
    let cookie = format!("{COOKIE}={}", browser.cookie(COOKIE).unwrap());
    let reply = send(request.header("cookie", cookie)).await;
    assert_invalid_state(reply.header("location"));

    assert_invalid_state(&Browser::new(&service).land(&callback).await);
    let huge = callback.with("state", &"a".repeat(3_000_000));
    let reply = browser.finish(&huge).await;
    assert!((302..500).contains(&reply.status), "{}", reply.status);
    let location = browser.land(&callback).await;
    assert!(location.starts_with(IN), "{location}");
    service.landed(&location).await;
    assert_invalid_state(&browser.land(&callback).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn attempt_ends_after_ten_minutes() {
    let provider = Provider::faulty().await;
    let service = Service::with(&provider.settings("google")).await;
    let browser = Browser::new(&service);
    let callback = browser.come_back("google", &[], &Value::Null).await;
    let seconds = "SELECT extract(epoch FROM expires_at - created_at)::int FROM postern.ticket WHERE purpose = 'oauth'";
    assert_eq!(service.value(seconds).await, "600");
    service.expire_tickets().await;
    assert_invalid_state(&browser.land(&callback).await);
    assert!(provider.requests("/token").await.is_empty());
    // The browser keeps its cookie, and begins anew with it.
    service
        .landed(&browser.sign_in("google", &Value::Null).await)
        .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn one_of_twenty_callbacks_wins() {
    let provider = Provider::faulty().await;
    let service = Service::with(&provider.settings("google")).await;
    let gateway = service.another(&provider.settings("google")).await;
    let browser = Browser::new(&service);
    let callback = browser.come_back("google", &[], &Value::Null).await;
    let other = Browser::at(&service, &gateway);
    other.set_cookie(COOKIE, &browser.cookie(COOKIE).unwrap());
    let callbacks = (0..20).map(|number| {
        let browser = if number % 2 == 0 { &browser } else { &other };
        browser.land(&callback)
    });
    let mut won = vec![];
    for location in join_all(callbacks).await {
        if parameter(&location, "refreshToken").is_some() {
            won.push(location);
        } else {
            assert_invalid_state(&location);
        }
    }
    assert_eq!(won.len(), 1);
    service.landed(&won[0]).await;
    assert_eq!(provider.requests("/token").await.len(), 1);
    for table in ["people", "postern.external_identity", "postern.session"] {
        assert_eq!(service.count(table).await, 1, "{table}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn two_browsers_of_a_new_person_make_one_user() {
    let provider = Provider::faulty().await;
    let service = Service::with(&provider.settings("google")).await;
    let gateway = service.another(&provider.settings("google")).await;
    for round in 1..=5 {
        let claims = json!({"sub": round.to_string(), "email": format!("{round}@example.org")});
        provider.behave(json!({"claims": claims})).await;
        let browsers: Vec<Browser> = (0..4)
            .map(|number| {
                let gateway = if number % 2 == 0 {
                    &service.gateway
                } else {
                    &gateway
                };
                Browser::at(&service, gateway)
            })
            .collect();
        let sign_ins = browsers
            .iter()
            .map(|browser| browser.sign_in("google", &Value::Null));
        let mut people = BTreeSet::new();
        for location in join_all(sign_ins).await {
            let session = service.landed(&location).await;
            people.insert(session["user"]["id"].as_str().unwrap().to_owned());
        }
        assert_eq!(people.len(), 1);
        assert_eq!(service.count("people").await, round);
        assert_eq!(service.count("postern.external_identity").await, round);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn sign_in_begins_and_ends_at_two_gateways() {
    let provider = Provider::start().await;
    let changes = format!(
        "{}accounts.provider.google.form_post = false",
        provider.settings("google")
    );
    let service = Service::with(&changes).await;
    let gateway = service.another(&changes).await;
    let browser = Browser::new(&service);
    let url = browser.begin("google", &[("redirectTo", IN)]).await;
    let browser = browser.moved_to(&gateway);
    let callback = browser.consent(&url, &user("1", ADA)).await;
    let location = browser.land(&callback).await;
    assert!(location.starts_with(IN), "{location}");
    service.landed(&location).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn options_reach_the_new_user() {
    let provider = Provider::faulty().await;
    let service = Service::with(&provider.settings("google")).await;
    let roles = ["me", "[\"me\"]"];
    for (number, roles) in roles.into_iter().enumerate() {
        let email = format!("{number}@example.org");
        let claims = json!({"sub": number.to_string(), "email": email});
        provider.behave(json!({"claims": claims})).await;
        let browser = Browser::new(&service);
        let options = [
            ("redirectTo", "https://shop.example.com/account?from=page"),
            ("displayName", "Ada & Ada"),
            ("locale", "de"),
            ("metadata", "{\"team\": 7}"),
            ("allowedRoles", roles),
            ("defaultRole", "me"),
            ("state", "a state of ours & more"),
            // hasura-auth's clients add these as parameters of their own.
            ("organization", "an organization"),
        ];
        let callback = browser.come_back("google", &options, &Value::Null).await;
        let location = browser.land(&callback).await;
        assert!(
            location.starts_with("https://shop.example.com/account?from=page&"),
            "{location}"
        );
        assert_eq!(
            parameter(&location, "state").as_deref(),
            Some("a state of ours & more")
        );
        service.landed(&location).await;
        let row = format!(
            "SELECT json_build_array(display_name, locale, metadata, method) FROM people WHERE email = '{email}'"
        );
        let row: Value = serde_json::from_str(&service.value(&row).await).unwrap();
        assert_eq!(row, json!(["Ada & Ada", "de", {"team": 7}, "oidc:google"]));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_options_begin_nothing() {
    let provider = Provider::faulty().await;
    let service = Service::with(&provider.settings("google")).await;
    let browser = Browser::new(&service);
    let long = "a".repeat(33);
    let challenge = "a".repeat(42);
    let padded = format!("{challenge}=");
    let huge = "a".repeat(20_000);
    let wrong = [
        (
            "redirectTo",
            "https://evil.example/",
            "redirectTo-not-allowed",
        ),
        ("redirectTo", "//evil.example/in/", "redirectTo-not-allowed"),
        (
            "redirectTo",
            "javascript:alert(1)",
            "redirectTo-not-allowed",
        ),
        ("allowedRoles", "admin", "role-not-allowed"),
        ("allowedRoles", "me,admin", "role-not-allowed"),
        ("allowedRoles", "[\"admin\"]", "role-not-allowed"),
        ("defaultRole", "admin", "role-not-allowed"),
        ("locale", "xx", "locale-not-allowed"),
        ("displayName", &long, "invalid-request"),
        ("displayName", "a\0b", "invalid-request"),
        ("metadata", "{\"a\": \"\\u0000\"}", "invalid-request"),
        ("metadata", "[]", "invalid-request"),
        ("metadata", "nonsense", "invalid-request"),
        ("codeChallenge", &challenge, "invalid-request"),
        ("codeChallenge", &padded, "invalid-request"),
        ("connect", "an access token", "invalid-request"),
    ];
    for (name, value, code) in wrong {
        let reply = browser.start("google", &[(name, value)]).await;
        assert_refused(&reply, 400, code);
        assert!(set_cookies(&reply).is_empty(), "{name}");
    }
    let reply = browser.start("google", &[("state", &huge)]).await;
    assert!((400..500).contains(&reply.status), "{}", reply.status);
    assert_eq!(service.count("postern.ticket").await, 0);
    assert!(provider.requests("/authorize").await.is_empty());
    // What the application wants back is any text, or refused.
    let reply = browser.start("google", &[("state", "a\0b")]).await;
    if reply.status == 302 {
        let callback = browser
            .consent(reply.header("location"), &Value::Null)
            .await;
        let location = browser.land(&callback).await;
        assert_eq!(parameter(&location, "state").as_deref(), Some("a\0b"));
    } else {
        assert_refused(&reply, 400, "invalid-request");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn provider_that_is_not_configured_is_disabled() {
    let provider = Provider::faulty().await;
    let service = Service::with(&provider.settings("google")).await;
    let browser = Browser::new(&service);
    for name in ["github", "Google", "__proto__"] {
        let reply = browser.start(name, &[]).await;
        assert_refused(&reply, 409, "disabled-endpoint");
        let path = format!("/v1/signin/provider/{name}/callback");
        let parameters = [("code", "a"), ("state", "b")];
        let reply = browser.open(&path, &parameters).await;
        assert_refused(&reply, 409, "disabled-endpoint");
    }
    for path in [
        "/v1/signin/provider/google",
        "/v1/signin/provider/google/callback",
        "/v1/signup/provider/google",
    ] {
        let reply = send(service.request(Method::PUT, path)).await;
        assert_eq!(reply.status, 405, "{path}: {}", reply.text);
    }
    // Without accounts there is none of the paths.
    let mut file: toml::Table = super::service::settings("smtp://127.0.0.1:1", "")
        .parse()
        .unwrap();
    file.remove("accounts");
    let bare = super::service::builder(&file.to_string()).start().await;
    let reply = send(bare.get("/v1/signin/provider/google")).await;
    assert_eq!(reply.status, 404, "{}", reply.text);
}

#[tokio::test(flavor = "multi_thread")]
async fn person_who_says_no_comes_back_with_an_error() {
    let provider = Provider::start().await;
    let service = Service::with(&provider.settings("google")).await;
    let browser = Browser::new(&service);
    let denied = json!("denied");
    let callback = browser
        .come_back("google", &[("redirectTo", IN)], &denied)
        .await;
    // To somebody else the application says nothing of it.
    assert_invalid_state(&Browser::new(&service).land(&callback).await);
    let location = browser.land(&callback).await;
    assert_failed(&location, "oauth-provider-error");
    assert!(location.starts_with(IN), "{location}");
    for (name, value) in [
        ("provider_error", "access_denied"),
        ("provider_error_description", "The user said <no>."),
    ] {
        assert_eq!(parameter(&location, name).as_deref(), Some(value));
    }
    assert!(!location.contains('<'), "{location}");
    // The attempt is over.
    assert_invalid_state(&browser.land(&callback).await);
    // An error without a sign-in is nobody's.
    let callback = Callback {
        url: callback_url("google"),
        parameters: vec![],
        is_form: false,
    };
    let callback = callback.with("error", "access_denied");
    assert_invalid_state(&browser.land(&callback).await);
    let nothing = callback.without("error");
    assert_invalid_state(&browser.land(&nothing).await);
    let callback = callback.with("state", "made up");
    assert_invalid_state(&browser.land(&callback).await);
    assert_eq!(service.count("people").await, 0);
    // Words of the provider that no database takes.
    let honest = browser
        .come_back("google", &[], &user("1", ADA))
        .await
        .without("code");
    let callback = honest
        .with("error", "\0")
        .with("error_description", "\0\n<b>");
    assert_failed(&browser.land(&callback).await, "oauth-provider-error");
    // Neither a code nor an error.
    let callback = browser.come_back("google", &[], &Value::Null).await;
    let location = browser.land(&callback.without("code")).await;
    let error = parameter(&location, "error").unwrap_or_default();
    assert!(!error.is_empty(), "{location}");
    assert_eq!(service.count("people").await, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn redirect_checked_at_the_callback() {
    let provider = Provider::faulty().await;
    let service = Service::with(&provider.settings("google")).await;
    let browser = Browser::new(&service);
    let url = browser.begin("google", &[("redirectTo", IN)]).await;
    // The settings have changed since.
    let narrower = format!("{}accounts.redirects = []", provider.settings("google"));
    let gateway = service.another(&narrower).await;
    let browser = browser.moved_to(&gateway);
    let callback = browser.consent(&url, &Value::Null).await;
    let reply = browser.finish(&callback).await;
    let location = reply.header("location");
    assert!(
        reply.status == 400 || location.starts_with(&format!("{CLIENT_URL}/?")),
        "{} {location}",
        reply.status
    );
}

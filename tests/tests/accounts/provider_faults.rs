//! Providers that lie, and those that are slow, down, or send too much.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tests::wait::until;

use super::browser::Browser;
use super::page::parameter;
use super::provider::{CLIENT_ID, IN, Provider, assert_failed, form_of};
use super::service::Service;

const ADA: &str = "ada@example.org";

/// More than the five seconds that a provider has, and the time of a loaded machine.
const LIMIT: Duration = Duration::from_secs(9);

/// The error of a code that could not be exchanged, in hasura-auth's spelling.
const EXCHANGE: &str = "oauth-token-echange-failed";

/// The error of a person of whom the provider says nothing that can be used.
const PROFILE: &str = "oauth-profile-fetch-failed";

/// Seconds since 1970, some seconds from now.
fn seconds_from_now(seconds: i64) -> i64 {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    i64::try_from(now.unwrap().as_secs()).unwrap() + seconds
}

#[tokio::test(flavor = "multi_thread")]
async fn id_tokens_none_hs256_aud_azp_exp() {
    let provider = Provider::faulty().await;
    let service = Service::with(&provider.settings("google")).await;
    let browser = Browser::new(&service);
    let before = service.people_and_sessions().await;
    let claims = |claims: Value| json!({"claims": claims});
    let faults = [
        json!({"signature": "none"}),
        json!({"signature": "none", "header": {"alg": "NONE"}}),
        json!({"signature": "none", "header": {"alg": null}}),
        json!({"signature": "none", "header": {"alg": "HS256"}}),
        json!({"signature": "HS256"}),
        json!({"signature": "HS256", "header": {"kid": null}}),
        json!({"signature": "HS256 of the key"}),
        json!({"signature": "empty"}),
        json!({"signature": "other"}),
        json!({"signature": "other", "header": {"kid": null}}),
        json!({"signature": "other", "header": {"kid": "unknown"}}),
        json!({"signature": "embedded"}),
        json!({"signature": "embedded", "header": {"kid": null}}),
        // The key of one algorithm is no key of another.
        json!({"signature": "RS256", "header": {"alg": "PS256"}}),
        json!({"signature": "ES256", "header": {"alg": "RS256"}}),
        claims(json!({"aud": "another client"})),
        claims(json!({"aud": null})),
        claims(json!({"aud": []})),
        claims(json!({"aud": ["another client"]})),
        claims(json!({"aud": [CLIENT_ID, "another client"]})),
        claims(json!({"aud": [CLIENT_ID, "another client"], "azp": "another client"})),
        claims(json!({"azp": "another client"})),
        claims(json!({"iss": "https://evil.example"})),
        claims(json!({"iss": null})),
        claims(json!({"iss": format!("{}/", provider.url)})),
        claims(json!({"iss": [provider.url]})),
        claims(json!({"exp": seconds_from_now(-120)})),
        claims(json!({"exp": null})),
        claims(json!({"exp": "tomorrow"})),
        claims(json!({"iat": seconds_from_now(3600)})),
        claims(json!({"sub": null})),
        claims(json!({"sub": ""})),
        claims(json!({"sub": 1})),
        claims(json!({"sub": "1\0"})),
        json!({"token": {"id_token": "nonsense"}}),
        json!({"token": {"id_token": "a.b.c"}}),
        json!({"token": {"id_token": ""}}),
        json!({"token": {"id_token": 7}}),
    ];
    for fault in &faults {
        provider.behave(fault.clone()).await;
        let location = browser.sign_in("google", &Value::Null).await;
        assert_failed(&location, "oauth-profile-fetch-failed");
    }
    // A response without one is no OpenID Connect.
    provider.behave(json!({"token": {"id_token": null}})).await;
    let location = browser.sign_in("google", &Value::Null).await;
    let error = parameter(&location, "error").unwrap_or_default();
    assert!(error.starts_with("oauth-"), "{location}");
    assert_eq!(service.people_and_sessions().await, before);

    let right = [
        json!({}),
        json!({"signature": "PS256"}),
        json!({"signature": "ES256"}),
        json!({"signature": "EdDSA"}),
        claims(json!({"aud": [CLIENT_ID]})),
        claims(json!({"aud": [CLIENT_ID, "another client"], "azp": CLIENT_ID})),
        claims(json!({"azp": CLIENT_ID})),
        claims(json!({"iat": seconds_from_now(30)})),
    ];
    for behaviour in right {
        provider.behave(behaviour.clone()).await;
        let location = browser.sign_in("google", &Value::Null).await;
        assert_eq!(parameter(&location, "error"), None, "{behaviour}");
        service.landed(&location).await;
    }
    assert_eq!(service.count("people").await, 1);
    // The metadata is read once, and the keys not for each token.
    let path = "/.well-known/openid-configuration";
    assert_eq!(provider.requests(path).await.len(), 1);
    let reads = provider.requests("/jwks").await.len();
    assert!(reads < faults.len(), "{reads}");
}

#[tokio::test(flavor = "multi_thread")]
async fn new_keys_of_the_provider_are_read() {
    let provider = Provider::faulty().await;
    let service = Service::with(&provider.settings("google")).await;
    let browser = Browser::new(&service);
    service
        .landed(&browser.sign_in("google", &Value::Null).await)
        .await;
    provider.rotate_keys().await;
    // At the latest after the time for which keys are read once.
    until("the new keys are used", async || {
        let location = browser.sign_in("google", &Value::Null).await;
        parameter(&location, "error").is_none()
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn claims_that_the_token_lacks_are_asked_for() {
    let provider = Provider::faulty().await;
    let service = Service::with(&provider.settings("google")).await;
    let browser = Browser::new(&service);
    let bare = json!({"email": null, "email_verified": null});
    let with = |userinfo: Value| json!({"claims": bare, "userinfo": userinfo});
    // What the endpoint says is of the same person, or of nobody.
    for userinfo in [
        json!({"sub": "2", "email": ADA, "email_verified": true}),
        json!({"sub": null, "email": ADA, "email_verified": true}),
        json!({"sub": 1, "email": ADA, "email_verified": true}),
        json!({"sub": "1 ", "email": ADA, "email_verified": true}),
        json!({}),
        json!({"email": null}),
        json!({"email": ""}),
        json!({"email": 7, "email_verified": true}),
        json!({"email": [ADA], "email_verified": true}),
        json!({"email": "no address", "email_verified": true}),
        json!({"email": "ada@example.org, eve@example.org", "email_verified": true}),
    ] {
        provider.behave(with(userinfo.clone())).await;
        let location = browser.sign_in("google", &Value::Null).await;
        assert_failed(&location, "oauth-profile-fetch-failed");
        assert_eq!(service.count("people").await, 0, "{userinfo}");
    }
    provider
        .behave(with(json!({"email": ADA, "email_verified": true})))
        .await;
    let location = browser.sign_in("google", &Value::Null).await;
    let session = service.landed(&location).await;
    assert_eq!(session["user"]["emailVerified"], true);
    let request = provider.requests("/userinfo").await.pop().unwrap();
    let header = request["headers"]["authorization"].as_str().unwrap();
    assert!(header.starts_with("Bearer access-"), "{header}");

    // An address in the token is not mixed with a proof of another one.
    let claims = json!({"sub": "3", "email": "bob@example.org", "email_verified": null});
    let userinfo = json!({"sub": "3", "email": "carol@example.org", "email_verified": true});
    provider
        .behave(json!({"claims": claims, "userinfo": userinfo}))
        .await;
    let location = browser.sign_in("google", &Value::Null).await;
    let verified = "SELECT count(*) FROM postern.verified_email WHERE email = 'bob@example.org'";
    assert_eq!(service.value(verified).await, "0", "{location}");
}

/// Fails unless a sign-in ends with this error, soon.
async fn assert_fails_soon(browser: &Browser, provider: &str, code: &str, fault: &Value) {
    let started = Instant::now();
    let callback = browser
        .come_back(provider, &[("redirectTo", IN)], &Value::Null)
        .await;
    let location = browser.land(&callback).await;
    assert!(started.elapsed() < LIMIT, "{fault}");
    assert_eq!(
        parameter(&location, "error").as_deref(),
        Some(code),
        "{fault}: {location}"
    );
    assert_failed(&location, code);
    assert!(location.starts_with(IN), "{location}");
    // What the provider has said is no business of the application, and may be anything.
    assert!(!location.contains("boom"), "{fault}: {location}");
}

/// What every endpoint may do instead of what it should.
fn failures(path: &str) -> Vec<Value> {
    [
        json!({"delay": 10_000}),
        json!({"status": 500, "body": "boom"}),
        json!({"status": 404}),
        json!({"size": 1_000_000}),
        json!({"status": 302, "location": "/stolen"}),
        json!({"status": 307, "location": "/stolen"}),
        json!({"body": "<html>boom</html>", "type": "text/html"}),
        json!({"body": "", "type": "application/json"}),
        json!({"body": "[]", "type": "application/json"}),
        json!({"body": "{\"a\":", "type": "application/json"}),
        json!({"cut": true}),
    ]
    .map(|response| json!({"responses": {path: response}}))
    .into()
}

/// Fails unless a provider gets over each failure of its endpoints, which ends a sign-in with an
/// error.
async fn assert_survives(
    provider: &Provider,
    settings: &str,
    name: &str,
    endpoints: &[(&str, &str)],
) {
    let service = Service::with(settings).await;
    let browser = Browser::new(&service);
    let before = service.people_and_sessions().await;
    for (path, code) in endpoints {
        for mut fault in failures(path) {
            // A list without an address is what GitHub may send.
            let is_list = fault["responses"][path]["body"] == "[]";
            if path.ends_with("emails") && is_list {
                continue;
            }
            if path.ends_with("userinfo") {
                fault["claims"] = json!({"email": null, "email_verified": null});
            }
            provider.behave(fault.clone()).await;
            assert_fails_soon(&browser, name, code, &fault).await;
        }
    }
    let fault = json!({"token": {"access_token": null}});
    provider.behave(fault.clone()).await;
    assert_fails_soon(&browser, name, EXCHANGE, &fault).await;
    // No secret follows a redirect.
    assert!(provider.requests("/stolen").await.is_empty());
    assert_eq!(service.people_and_sessions().await, before);

    // Nothing of it lasts.
    provider.behave(json!({})).await;
    until("people sign in again", async || {
        let location = browser.sign_in(name, &Value::Null).await;
        parameter(&location, "refreshToken").is_some()
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn provider_slow_down_or_huge() {
    let provider = Provider::faulty().await;
    // First the keys, which are kept once they are there.
    let endpoints = [
        ("/jwks", PROFILE),
        ("/token", EXCHANGE),
        ("/userinfo", PROFILE),
    ];
    let settings = provider.settings("google");
    assert_survives(&provider, &settings, "google", &endpoints).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn github_slow_down_or_huge() {
    let provider = Provider::faulty().await;
    let endpoints = [
        ("/github/login/oauth/access_token", EXCHANGE),
        ("/github/api/user", PROFILE),
        ("/github/api/user/emails", PROFILE),
    ];
    let settings = provider.github_settings();
    assert_survives(&provider, &settings, "github", &endpoints).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn discovery_slow_down_or_wrong() {
    let provider = Provider::faulty().await;
    let service = Service::with(&provider.settings("google")).await;
    let browser = Browser::new(&service);
    let path = "/.well-known/openid-configuration";
    let mut faults = failures(path);
    let metadata = |metadata: Value| json!({"metadata": metadata});
    faults.extend([
        metadata(json!({"issuer": "https://evil.example"})),
        metadata(json!({"issuer": format!("{}/", provider.url)})),
        metadata(json!({"issuer": null})),
        metadata(json!({"authorization_endpoint": null})),
        metadata(json!({"token_endpoint": null})),
        metadata(json!({"jwks_uri": null})),
        // Endpoints are as the issuer is: encrypted, or on this machine.
        metadata(json!({"token_endpoint": "http://provider.invalid/token"})),
        metadata(json!({"token_endpoint": "file:///etc/passwd"})),
        metadata(json!({"jwks_uri": "http://provider.invalid/jwks"})),
        metadata(json!({"userinfo_endpoint": "http://provider.invalid/userinfo"})),
        metadata(json!({"authorization_endpoint": "javascript:alert(1)"})),
        metadata(json!({"authorization_endpoint": "http://provider.invalid/authorize"})),
    ]);
    for fault in faults {
        provider.behave(fault.clone()).await;
        let started = Instant::now();
        let reply = browser.start("google", &[("redirectTo", IN)]).await;
        assert!(started.elapsed() < LIMIT, "{fault}");
        assert_eq!(reply.status, 302, "{fault}: {}", reply.text);
        let location = reply.header("location");
        assert!(location.starts_with(IN), "{fault}: {location}");
        assert_failed(location, "oauth-provider-error");
        assert!(!location.contains("boom"), "{fault}: {location}");
    }
    assert!(provider.requests("/stolen").await.is_empty());
    provider.behave(json!({})).await;
    service
        .landed(&browser.sign_in("google", &Value::Null).await)
        .await;

    // Nor is anything there to connect to.
    let url = provider.url.clone();
    drop(provider);
    let gateway = {
        let changes = format!(
            "accounts.provider.google.issuer = {url:?}\naccounts.provider.google.client_id = \"a\""
        );
        service.another(&changes).await
    };
    let browser = Browser::at(&service, &gateway);
    let location = browser.begin("google", &[("redirectTo", IN)]).await;
    assert_failed(&location, "oauth-provider-error");
}

#[tokio::test(flavor = "multi_thread")]
async fn slow_provider_holds_nothing_up() {
    let provider = Provider::faulty().await;
    let service = Service::with(&provider.settings("google")).await;
    service.verified(ADA).await;
    let browser = Browser::new(&service);
    service
        .landed(&browser.sign_in("google", &Value::Null).await)
        .await;
    let slow = json!({"responses": {"/token": {"delay": 3000}}});
    provider.behave(slow).await;
    let mut callbacks = vec![];
    for _ in 0..20 {
        callbacks.push(browser.come_back("google", &[], &Value::Null).await);
    }
    let finished =
        futures_util::future::join_all(callbacks.iter().map(|callback| browser.land(callback)));
    let meanwhile = async {
        until("all wait for the provider", async || {
            provider.requests("/token").await.len() > 20
        })
        .await;
        // No transaction waits with them, and others sign in.
        let open = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() \
                    AND application_name = 'postern' AND state LIKE 'idle in transaction%'";
        let waiting = service.value(open).await;
        service.session(ADA).await;
        waiting
    };
    let (locations, waiting) = futures_util::future::join(finished, meanwhile).await;
    assert_eq!(waiting, "0");
    for location in locations {
        service.landed(&location).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn github_is_asked_as_it_wants_to_be() {
    let provider = Provider::faulty().await;
    let service = Service::with(&provider.github_settings()).await;
    let browser = Browser::new(&service);
    let url = browser.begin("github", &[]).await;
    assert!(
        url.starts_with(&format!("{}/github/login/oauth/authorize?", provider.url)),
        "{url}"
    );
    let scope = parameter(&url, "scope").unwrap();
    assert!(scope.contains("user:email"), "{scope}");
    let challenge = parameter(&url, "code_challenge");
    assert_eq!(challenge.map(|text| text.len()), Some(43));
    let callback = browser.consent(&url, &Value::Null).await;
    let session = service.landed(&browser.land(&callback).await).await;
    assert_eq!(session["user"]["email"], ADA);
    assert_eq!(session["user"]["emailVerified"], true);
    let method = "SELECT method FROM people";
    assert_eq!(service.value(method).await, "oidc:github");
    let identity =
        "SELECT concat_ws(' ', issuer, subject, provider) FROM postern.external_identity";
    let expected = format!("{}/github 7 github", provider.url);
    assert_eq!(service.value(identity).await, expected);
    let request = provider
        .requests("/github/login/oauth/access_token")
        .await
        .pop()
        .unwrap();
    let form = form_of(&request);
    assert!(
        form.iter().any(|(name, _)| name == "code_verifier"),
        "{request}"
    );
    // A wrong code is a success of HTTP there.
    let callback = browser.come_back("github", &[], &Value::Null).await;
    let location = browser.land(&callback.with("code", "wrong")).await;
    assert_failed(&location, "oauth-token-echange-failed");
}

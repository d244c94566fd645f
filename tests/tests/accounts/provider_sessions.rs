//! What follows a sign-in with another provider: the second factor, the handover to the
//! application, the provider's tokens, the audit, and settings that change.

use std::sync::{Arc, Mutex};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use futures_util::future::join_all;
use gateway::config::Settings;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tests::reply::Reply;
use tests::service::{ADMIN_SECRET, JWT_SECRET, send};

use super::browser::Browser;
use super::factors::{claims, methods};
use super::linking::link_provider;
use super::mailbox::Mailbox;
use super::page::{Form, SERVER_URL, parameter};
use super::provider::{IN, Provider, assert_invalid_state};
use super::service::{
    Service, assert_invalid_ticket, assert_refused, builder, session, settings, text,
};

const ADA: &str = "ada@example.org";
const BOB: &str = "bob@example.org";

/// A verifier of RFC 7636, and its challenge.
fn verifier() -> (String, String) {
    let verifier = format!("{}-._~", uuid::Uuid::new_v4().simple()).repeat(2);
    let challenge = URL_SAFE_NO_PAD.encode(Sha256::digest(&verifier));
    (verifier, challenge)
}

/// Signs in in a new browser up to the page that asks for a code.
async fn ask_for_code(service: &Service, parameters: &[(&str, &str)]) -> (Reply, Form) {
    let browser = Browser::new(service);
    let callback = browser.come_back("google", parameters, &Value::Null).await;
    let page = browser.finish(&callback).await;
    assert_eq!(page.status, 200, "{}", page.text);
    let form = Form::read_at(&callback.url, &page.text);
    assert_eq!(form.action, format!("{SERVER_URL}/v1/verify"));
    // Neither a reload nor the button "back" begins anew.
    assert_invalid_state(&browser.land(&callback).await);
    (page, form)
}

#[tokio::test(flavor = "multi_thread")]
async fn page_asks_for_the_second_factor() {
    let provider = Provider::faulty().await;
    let service = Service::with(&provider.settings("google")).await;
    let person = service.person_with_totp(ADA).await;
    let before = service.people_and_sessions().await;
    let parameters = [("redirectTo", IN), ("state", "of the application")];
    let (page, form) = ask_for_code(&service, &parameters).await;
    for (name, value) in [
        ("cache-control", "no-store"),
        ("referrer-policy", "no-referrer"),
        ("content-type", "text/html; charset=utf-8"),
    ] {
        assert_eq!(page.header(name), value);
    }
    let policy = page.header("content-security-policy");
    for part in ["default-src 'none'", "frame-ancestors 'none'"] {
        assert!(policy.contains(part), "{policy}");
    }
    assert!(!page.text.contains("<script"), "{}", page.text);
    assert!(!page.text.contains(ADA) && !page.text.contains("access-"));
    let (_, ticket) = form
        .fields
        .iter()
        .find(|(name, _)| name == "ticket")
        .unwrap();
    assert!(ticket.starts_with("mfaTotp:"), "{ticket}");

    for wrong in [person.app.wrong_code().as_str(), "", "nonsense"] {
        let reply = service.press(&form.clone().with("otp", wrong)).await;
        assert_eq!(reply.status, 401, "{wrong}: {}", reply.text);
        assert!(reply.text.contains("That code is wrong."), "{}", reply.text);
    }
    // Nothing is linked to an account whose owner has shown one factor alone.
    assert_eq!(service.people_and_sessions().await, before);

    let code = service.unused_code(&person.app).await;
    let form = form.with("otp", &code);
    let reply = service.press(&form).await;
    assert_eq!(reply.status, 302, "{}", reply.text);
    let location = reply.header("location");
    assert!(location.starts_with(IN), "{location}");
    assert_eq!(
        parameter(location, "state").as_deref(),
        Some("of the application")
    );
    let session = service.landed(location).await;
    assert_eq!(methods(&session), json!(["fed", "otp"]));
    assert_eq!(service.identities().await, Vec::<String>::new());
    service.forget_steps().await;
    let reply = service.press(&form).await;
    assert_invalid_ticket(reply.header("location"));

    // A recovery code, and a person whom the provider knows.
    let elevated = service.elevated(&person).await;
    let codes = service.recovery_codes(&elevated).await;
    link_provider(&service, &elevated, "google").await;
    let (_, form) = ask_for_code(&service, &[]).await;
    let reply = service.press(&form.with("otp", &codes[0])).await;
    let session = service.landed(reply.header("location")).await;
    assert_eq!(methods(&session), json!(["fed", "rec"]));
}

#[tokio::test(flavor = "multi_thread")]
async fn page_takes_five_codes_and_five_minutes() {
    let provider = Provider::faulty().await;
    let service = Service::with(&provider.settings("google")).await;
    let person = service.person_with_totp(ADA).await;
    let (_, form) = ask_for_code(&service, &[]).await;
    for wrong in person.app.wrong_codes().take(5) {
        service.press(&form.clone().with("otp", &wrong)).await;
    }
    let code = service.unused_code(&person.app).await;
    let reply = service.press(&form.with("otp", &code)).await;
    assert_eq!(reply.status, 302, "{}", reply.text);
    assert_invalid_ticket(reply.header("location"));

    let (_, form) = ask_for_code(&service, &[]).await;
    service.expire_tickets().await;
    let reply = service.press(&form.with("otp", &code)).await;
    assert_invalid_ticket(reply.header("location"));
    assert_eq!(service.identities().await, Vec::<String>::new());

    // What is prepared before a change of credentials ends with it.
    let (_, form) = ask_for_code(&service, &[]).await;
    let ticket = service.reset(ADA).await;
    let body = json!({"ticket": ticket, "newPassword": "another password"});
    service.ok("/v1/user/password", body).await;
    let code = service.unused_code(&person.app).await;
    let reply = service.press(&form.with("otp", &code)).await;
    assert_invalid_ticket(reply.header("location"));
}

#[tokio::test(flavor = "multi_thread")]
async fn required_second_factor_gives_the_enroll_role() {
    let provider = Provider::faulty().await;
    let changes = format!(
        "accounts.second_factor = \"required\"\naccounts.enroll_role = \"enroll\"\n{}",
        provider.settings("google")
    );
    let service = Service::with(&changes).await;
    let location = Browser::new(&service).sign_in("google", &Value::Null).await;
    let session = service.landed(&location).await;
    let roles = &claims(&text(&session, "accessToken"))["gateway"]["x-gateway-allowed-roles"];
    assert_eq!(roles, &json!(["enroll"]));
}

/// The response to a code and a verifier.
async fn exchange(service: &Service, code: &str, verifier: &str) -> Reply {
    let body = json!({"code": code, "codeVerifier": verifier});
    service.post("/v1/token/exchange", body).await
}

/// Signs in with a challenge, and returns the code.
async fn challenged(service: &Service, challenge: &str) -> String {
    let browser = Browser::new(service);
    let parameters = [("codeChallenge", challenge), ("redirectTo", IN)];
    let callback = browser.come_back("google", &parameters, &Value::Null).await;
    code_of(&browser.land(&callback).await)
}

/// The code that a redirect hands over in place of a token.
#[track_caller]
fn code_of(location: &str) -> String {
    assert!(location.starts_with(IN), "{location}");
    let kind = parameter(location, "type");
    assert_eq!(kind.as_deref(), Some("signinProvider"), "{location}");
    assert_eq!(parameter(location, "refreshToken"), None, "{location}");
    parameter(location, "code").unwrap_or_else(|| panic!("no code in {location}"))
}

#[tokio::test(flavor = "multi_thread")]
async fn code_is_exchanged_once_with_its_verifier() {
    let provider = Provider::faulty().await;
    let service = Service::with(&provider.settings("google")).await;
    let gateway = service.another(&provider.settings("google")).await;
    let (verifier, challenge) = verifier();
    let code = challenged(&service, &challenge).await;
    // It is no refresh token.
    assert_eq!(service.refresh(&code).await.status, 401);
    let reply = exchange(&service, &code, &verifier).await;
    assert_eq!(reply.header("cache-control"), "no-store");
    let opened = session(&reply);
    assert_eq!(opened["user"]["email"], ADA);
    assert_eq!(methods(&opened), json!(["fed"]));
    let next = service.refresh(&text(&opened, "refreshToken")).await;
    assert_eq!(next.status, 200, "{}", next.text);
    let reply = exchange(&service, &code, &verifier).await;
    assert_refused(&reply, 401, "invalid-ticket");

    // The challenge is in the address, and is no verifier.
    for wrong in [
        challenge.as_str(),
        &verifier.to_uppercase(),
        &format!("{verifier}a"),
        &"a".repeat(43),
    ] {
        let code = challenged(&service, &challenge).await;
        let reply = exchange(&service, &code, wrong).await;
        assert_refused(&reply, 401, "invalid-ticket");
    }
    for wrong in ["", "short", &"a".repeat(129), "\0"] {
        let code = challenged(&service, &challenge).await;
        let reply = exchange(&service, &code, wrong).await;
        assert!(matches!(reply.status, 400 | 401), "{}", reply.text);
    }
    for wrong in ["", "nonsense", "'", &uuid::Uuid::new_v4().to_string()] {
        let reply = exchange(&service, wrong, &verifier).await;
        assert_refused(&reply, 401, "invalid-ticket");
    }
    for body in [
        json!({}),
        json!({"code": code}),
        json!({"codeVerifier": verifier}),
        json!({"code": 7, "codeVerifier": verifier}),
    ] {
        let reply = service.post("/v1/token/exchange", body).await;
        assert_refused(&reply, 400, "invalid-request");
    }

    // One of many, at two gateways.
    let code = challenged(&service, &challenge).await;
    let exchanges = (0..20).map(|number| {
        let gateway = if number % 2 == 0 {
            &service.gateway
        } else {
            &gateway
        };
        let url = format!("{}/v1/token/exchange", gateway.url());
        let body = json!({"code": code, "codeVerifier": verifier});
        send(service.client.post(url).json(&body))
    });
    let replies = join_all(exchanges).await;
    let won = replies.iter().filter(|reply| reply.status == 200).count();
    assert_eq!(won, 1);
    for reply in replies.iter().filter(|reply| reply.status != 200) {
        assert_refused(reply, 401, "invalid-ticket");
    }

    // In a minute.
    let code = challenged(&service, &challenge).await;
    let seconds = "SELECT extract(epoch FROM expires_at - created_at)::int FROM postern.ticket \
                   WHERE purpose = 'handover' AND used_at IS NULL ORDER BY created_at DESC LIMIT 1";
    assert_eq!(service.value(seconds).await, "60");
    service.expire_tickets().await;
    let reply = exchange(&service, &code, &verifier).await;
    assert_refused(&reply, 401, "invalid-ticket");
    // Of who is still there.
    let code = challenged(&service, &challenge).await;
    service.run("UPDATE people SET is_blocked = true").await;
    let reply = exchange(&service, &code, &verifier).await;
    assert_eq!(reply.status, 401, "{}", reply.text);
}

#[tokio::test(flavor = "multi_thread")]
async fn code_follows_the_second_factor() {
    let provider = Provider::faulty().await;
    let service = Service::with(&provider.settings("google")).await;
    let person = service.person_with_totp(ADA).await;
    let (verifier, challenge) = verifier();
    let parameters = [
        ("codeChallenge", challenge.as_str()),
        ("redirectTo", IN),
        ("state", "a"),
    ];
    let (_, form) = ask_for_code(&service, &parameters).await;
    let typed = service.unused_code(&person.app).await;
    let reply = service.press(&form.with("otp", &typed)).await;
    let location = reply.header("location");
    assert_eq!(parameter(location, "state").as_deref(), Some("a"));
    let code = code_of(location);
    let opened = session(&exchange(&service, &code, &verifier).await);
    assert_eq!(methods(&opened), json!(["fed", "otp"]));
}

#[tokio::test(flavor = "multi_thread")]
async fn provider_tokens_once() {
    let provider = Provider::faulty().await;
    let keeping = format!(
        "{}accounts.provider.google.keep_tokens = true",
        provider.settings("google")
    );
    let service = Service::with(&keeping).await;
    let path = "/v1/signin/provider/google/callback/tokens";
    let sign_in = async || {
        let location = Browser::new(&service).sign_in("google", &Value::Null).await;
        text(&service.landed(&location).await, "accessToken")
    };
    let token = sign_in().await;
    assert_eq!(send(service.get(path)).await.status, 401);
    // They are sealed: nobody reads them in the table.
    let row = service
        .value("SELECT encode(tokens, 'escape') FROM postern.external_identity")
        .await;
    assert!(!row.is_empty() && !row.contains("access-") && !row.contains("refresh-"));
    // Somebody else has none.
    service.verified(BOB).await;
    let of_bob = text(&service.session(BOB).await, "accessToken");
    let reply = service.get_as(&of_bob, path).await;
    assert_refused(&reply, 400, "invalid-request");

    let reply = service.get_as(&token, path).await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    assert_eq!(reply.header("cache-control"), "no-store");
    let tokens = reply.json();
    let mut names: Vec<&String> = tokens.as_object().unwrap().keys().collect();
    names.sort();
    assert_eq!(
        names,
        ["accessToken", "expiresAt", "expiresIn", "refreshToken"]
    );
    assert!(text(&tokens, "accessToken").starts_with("access-"));
    let seconds = tokens["expiresIn"].as_u64().unwrap();
    assert!((3000..=3600).contains(&seconds), "{tokens}");
    let when = text(&tokens, "expiresAt");
    assert!(
        when.starts_with("20") && when.contains('T') && (when.ends_with('Z') || when.contains('+')),
        "{when}"
    );
    let reply = service.get_as(&token, path).await;
    assert_refused(&reply, 400, "invalid-request");

    // The refresh token of the provider is exchanged there.
    let refresh = "/v1/token/provider/google";
    let body = json!({"refreshToken": tokens["refreshToken"]});
    assert_eq!(service.post(refresh, body.clone()).await.status, 401);
    let reply = service.post_as(&token, refresh, body).await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    let next = reply.json();
    assert!(text(&next, "accessToken").starts_with("access-"));
    assert_ne!(next["accessToken"], tokens["accessToken"]);
    for body in [
        json!({"refreshToken": "wrong"}),
        json!({}),
        json!({"refreshToken": 7}),
    ] {
        let reply = service.post_as(&token, refresh, body).await;
        assert!((400..500).contains(&reply.status), "{}", reply.text);
        assert!(reply.json()["error"].is_string(), "{}", reply.text);
    }

    // Once at a time, however many ask; and those of the last sign-in.
    sign_in().await;
    let token = sign_in().await;
    let asked = (0..10).map(|_| service.get_as(&token, path));
    let replies = join_all(asked).await;
    let won = replies.iter().filter(|reply| reply.status == 200).count();
    assert_eq!(won, 1);
    // A provider may give no refresh token.
    provider
        .behave(json!({"token": {"refresh_token": null}}))
        .await;
    let token = sign_in().await;
    let tokens = service.get_as(&token, path).await.json();
    assert!(tokens["accessToken"].is_string(), "{tokens}");
    assert_eq!(
        tokens.get("refreshToken").filter(|value| !value.is_null()),
        None
    );

    // They are not kept for who does not ask for it.
    let service = service.restarted_with(&provider.settings("google")).await;
    let location = Browser::new(&service).sign_in("google", &Value::Null).await;
    let token = text(&service.landed(&location).await, "accessToken");
    let kept = "SELECT count(tokens) FROM postern.external_identity";
    assert_eq!(service.value(kept).await, "0");
    for reply in [
        service.get_as(&token, path).await,
        service
            .post_as(&token, refresh, json!({"refreshToken": "a"}))
            .await,
    ] {
        assert!(
            matches!(reply.status, 400 | 404 | 409),
            "{} {}",
            reply.status,
            reply.text
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn audit_has_a_row_for_each_step() {
    let provider = Provider::faulty().await;
    let service = Service::with(&provider.settings("google")).await;
    let browser = Browser::new(&service);
    let events = ["sign-up", "sign-in", "identity-linked", "identity-unlinked"];
    service
        .landed(&browser.sign_in("google", &Value::Null).await)
        .await;
    let first = service.audit(&events).await;
    assert!(
        first.contains(&"sign-up success oidc:google".to_owned()),
        "{first:?}"
    );
    service
        .landed(&browser.sign_in("google", &Value::Null).await)
        .await;
    let second = service.audit(&events).await;
    assert_eq!(
        second[first.len()..],
        ["sign-in success oidc:google".to_owned()]
    );
    // Each failure is there, too, of which the browser has come back.
    let faults = [
        json!({"signature": "none"}),
        json!({"responses": {"/token": {"status": 500}}}),
        json!({"redirect": {"iss": "https://evil.example"}}),
        json!({"claims": {"sub": "2", "email": null}}),
    ];
    for (before, fault) in (second.len()..).zip(faults) {
        provider.behave(fault.clone()).await;
        browser.sign_in("google", &Value::Null).await;
        let rows = service.audit(&events).await;
        assert_eq!(rows.len(), before + 1, "{fault}: {rows:?}");
        assert!(rows[before].starts_with("sign-in failure"), "{rows:?}");
    }
    let user = "SELECT bool_and(user_id = '{}') FROM postern.authentication_event WHERE outcome = 'success'";
    let user = user.replace("{}", &service.id(ADA).await);
    assert_eq!(service.value(&user).await, "true");
}

#[tokio::test(flavor = "multi_thread")]
async fn reload_swaps_providers() {
    let google = Provider::faulty().await;
    let workos = Provider::faulty().await;
    let mailbox = Mailbox::start().await;
    let file = |changes: &str| settings(&mailbox.url(), changes);
    let current = Arc::new(Mutex::new(file(&google.settings("google"))));
    let builder = builder("");
    let database = builder.create_database().await;
    let url = database.url().to_owned();
    let given = current.clone();
    let gather = move || {
        let mut settings = Settings::from_text("gateway.toml", &given.lock().unwrap())?;
        for (name, value) in [
            ("admin-secret", ADMIN_SECRET),
            ("jwt-secret", JWT_SECRET),
            ("database-url", &url),
            ("listen", "127.0.0.1:0"),
        ] {
            settings.set(name, value)?;
        }
        Ok(settings)
    };
    let builder = builder.change(move |builder| builder.settings_from(gather));
    let started = builder.start_over(database).await;
    let service = Service::new(started.unwrap_or_else(|error| panic!("{error}")), mailbox);
    let browser = Browser::new(&service);
    let under_way = browser.come_back("google", &[], &Value::Null).await;
    assert_refused(
        &browser.start("workos", &[]).await,
        409,
        "disabled-endpoint",
    );

    let file = |changes: &str| settings(&service.mailbox.url(), changes);
    *current.lock().unwrap() = file(&workos.settings("workos"));
    service.gateway.reload().await.unwrap();
    service
        .landed(&browser.sign_in("workos", &Value::Null).await)
        .await;
    for reply in [
        browser.start("google", &[]).await,
        browser.finish(&under_way).await,
    ] {
        assert_refused(&reply, 409, "disabled-endpoint");
    }
    // Another issuer under the same name: nobody of the former one is anybody of this one.
    *current.lock().unwrap() = file(&google.settings("workos"));
    service.gateway.reload().await.unwrap();
    google
        .behave(json!({"claims": {"sub": "1", "email": BOB}}))
        .await;
    let session = service
        .landed(&browser.sign_in("workos", &Value::Null).await)
        .await;
    assert_eq!(session["user"]["email"], BOB);
    // Settings with a fault change nothing.
    *current.lock().unwrap() = file("accounts.provider.workos.issuer = \"nowhere\"");
    assert!(service.gateway.reload().await.is_err());
    service
        .landed(&browser.sign_in("workos", &Value::Null).await)
        .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn refresh_tokens_of_a_handover_last_a_minute() {
    let provider = Provider::faulty().await;
    let service = Service::with(&provider.settings("google")).await;
    let location = Browser::new(&service).sign_in("google", &Value::Null).await;
    let token = parameter(&location, "refreshToken").unwrap();
    let digest = plugins::token_exchange::digest(&token);
    let seconds = format!(
        "SELECT extract(epoch FROM expires_at - issued_at)::int FROM postern.refresh_token \
         WHERE digest = decode('{digest}', 'hex')"
    );
    assert_eq!(service.value(&seconds).await, "60");
    service.landed(&location).await;
    assert_eq!(service.refresh(&token).await.status, 401);
}

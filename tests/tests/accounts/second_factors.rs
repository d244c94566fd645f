//! Authenticator apps and recovery codes as the second factor: when they are asked for, how often a
//! code works, and what ends with them.

use std::collections::BTreeSet;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use futures_util::future::join_all;
use gateway::server::GatewayHandle;
use serde_json::{Value, json};
use tests::program;
use tests::reply::Reply;
use tests::service::send;

use super::authenticator_app::{self, AuthenticatorApp, until_step_lasts};
use super::factors::{Person, assert_asks_for_elevation, claims, methods, mfa};
use super::mailbox::Mailbox;
use super::page::{Form, parameter};
use super::service::{
    KEY, PASSWORD, Service, assert_invalid_ticket, assert_refused, builder, session, settings, text,
};
use super::software_key::{PRESENT, SoftwareKey, VERIFIED};

const ADA: &str = "ada@example.org";
const BOB: &str = "bob@example.org";
const OTHER: &str = "another password";

/// The page that asks for a code: the form with the code typed in.
#[track_caller]
fn typed(page: &Reply, code: &str) -> Form {
    assert_eq!(page.status, 200, "{}", page.text);
    form(page).with("otp", code)
}

/// Fails unless the page says that the code is wrong, and asks for another one. The status is that
/// of a wrong code elsewhere, which rates count.
#[track_caller]
fn assert_asks_again(page: &Reply) {
    assert_eq!(page.status, 401, "{}", page.text);
    form(page);
    assert!(page.text.contains("That code is wrong."), "{}", page.text);
    assert_eq!(page.header("cache-control"), "no-store");
}

/// The form of a page that asks for a code.
#[track_caller]
fn form(page: &Reply) -> Form {
    assert_eq!(page.header("content-type"), "text/html; charset=utf-8");
    assert!(
        page.text.contains("autocomplete=\"one-time-code\""),
        "{}",
        page.text
    );
    let form = Form::read(&page.text);
    assert!(
        form.fields
            .iter()
            .any(|(name, value)| name == "otp" && value.is_empty()),
        "{form:?}"
    );
    form
}

/// Opens a link, presses its button, and returns the page that asks for a code.
async fn ask_for_code(service: &Service, link: &str) -> Reply {
    let page = service.open(link).await;
    service.press(&Form::read(&page.text)).await
}

/// Follows a link whose page asks for a code.
async fn follow(service: &Service, link: &str, code: &str) -> String {
    let page = ask_for_code(service, link).await;
    let reply = service.press(&typed(&page, code)).await;
    assert_eq!(reply.status, 302, "{}", reply.text);
    reply.header("location").to_owned()
}

/// The session that the refresh token of a redirect continues.
async fn handed_over(service: &Service, location: &str) -> Value {
    let token = parameter(location, "refreshToken");
    let token = token.unwrap_or_else(|| panic!("no token in {location}"));
    let reply = service.refresh(&token).await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    reply.json()
}

/// Sends a POST to one of two gateways over the same database.
async fn post_at(service: &Service, gateway: &GatewayHandle, path: &str, body: Value) -> Reply {
    let url = format!("{}{path}", gateway.url());
    send(service.client.post(url).json(&body)).await
}

/// How many responses have a status.
fn count(replies: &[Reply], status: u16) -> usize {
    let has_status = |reply: &&Reply| reply.status == status;
    replies.iter().filter(has_status).count()
}

/// How many responses are errors with a code.
fn count_errors(replies: &[Reply], code: &str) -> usize {
    let has_code = |reply: &&Reply| reply.json()["error"] == code;
    replies.iter().filter(has_code).count()
}

/// The second factors of all people, as one text.
const FACTORS: &str = "SELECT json_build_array((SELECT json_agg(t) FROM postern.totp t), \
    (SELECT json_agg(c) FROM postern.recovery_code c), (SELECT json_agg(a.second_factor) FROM postern.account a))";

#[tokio::test]
async fn reset_does_not_pass_totp() {
    let service = Service::start().await;
    let person = service.person_with_totp(ADA).await;
    // The link of a reset signs nobody in, and asks for no code.
    let ticket = service.reset(ADA).await;
    let body = json!({"ticket": ticket, "newPassword": OTHER});
    service.ok("/v1/user/password", body).await;
    service.notice(ADA).await;
    let ticket = text(&mfa(&service.sign_in_with(ADA, OTHER).await), "ticket");
    let wrong = service.second_step(&ticket, &person.app.wrong_code()).await;
    assert_refused(&wrong, 401, "invalid-totp");
    let code = service.unused_code(&person.app).await;
    let session = session(&service.second_step(&ticket, &code).await);
    assert_eq!(session["user"]["activeMfaType"], "totp");
}

#[tokio::test(flavor = "multi_thread")]
async fn otplib_one_step_off() {
    let service = Service::start().await;
    service.verified(ADA).await;
    let access = text(&service.session(ADA).await, "accessToken");
    let reply = service.get_as(&access, "/v1/mfa/totp/generate").await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    assert_eq!(reply.header("cache-control"), "no-store");
    let image = text(&reply.json(), "imageUrl");
    let image = image.strip_prefix("data:image/svg+xml;base64,").unwrap();
    let image = String::from_utf8(STANDARD.decode(image).unwrap()).unwrap();
    assert!(
        image.contains("<svg") && !image.contains("<script"),
        "{image}"
    );
    let app = AuthenticatorApp::new(&text(&reply.json(), "totpSecret"));
    // RFC 4226 asks for 128 bits or more, and recommends 160.
    assert_eq!(app.bytes().len(), 20);

    let mut command = program::node("nhost", "totp.mjs").unwrap();
    command.arg(&app.secret);
    until_step_lasts().await;
    let step = authenticator_app::seconds() / authenticator_app::STEP_SECONDS;
    command.arg((step * authenticator_app::STEP_SECONDS).to_string());
    let codes = program::run_json(&mut command, "").await.unwrap();
    let step = i64::try_from(step).unwrap();
    let own: Vec<String> = (-2..=2)
        .map(|offset| authenticator_app::code(&app.bytes(), step + offset))
        .collect();
    assert_eq!(codes, json!(own), "the app of these tests and otplib");

    // A code of two steps from now confirms nothing, one of the step before does.
    until_step_lasts().await;
    for offset in [-2, 2] {
        let body = json!({"activeMfaType": "totp", "code": app.code_of_step(offset)});
        let reply = service.post_as(&access, "/v1/user/mfa", body).await;
        assert_refused(&reply, 401, "invalid-totp");
    }
    let body = json!({"activeMfaType": "totp", "code": app.code_of_step(-1)});
    service.ok_as(&access, "/v1/user/mfa", body).await;
    for offset in [-1, 0, 1] {
        let ticket = service.mfa_ticket(ADA).await;
        service.forget_steps().await;
        until_step_lasts().await;
        for wrong in [-2, 2] {
            let reply = service.second_step(&ticket, &app.code_of_step(wrong)).await;
            assert_refused(&reply, 401, "invalid-totp");
        }
        session(
            &service
                .second_step(&ticket, &app.code_of_step(offset))
                .await,
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn code_works_once() {
    let service = Service::start().await;
    let other = service.another("").await;
    service.verified(ADA).await;
    let access = text(&service.session(ADA).await, "accessToken");
    let app = service.generate(&access).await;
    until_step_lasts().await;
    let confirmed = app.code_of_step(-1);
    let body = json!({"activeMfaType": "totp", "code": confirmed});
    service.ok_as(&access, "/v1/user/mfa", body).await;

    // The code that has confirmed the secret is used.
    let ticket = service.mfa_ticket(ADA).await;
    let reply = service.second_step(&ticket, &confirmed).await;
    assert_refused(&reply, 401, "invalid-totp");
    until_step_lasts().await;
    let code = app.code();
    session(&service.second_step(&ticket, &code).await);
    // So is the ticket.
    let reply = service.second_step(&ticket, &app.code_of_step(1)).await;
    assert_refused(&reply, 401, "invalid-ticket");
    // Neither another ticket nor an elevation takes the code again.
    let ticket = service.mfa_ticket(ADA).await;
    for used in [&confirmed, &code] {
        let reply = service.second_step(&ticket, used).await;
        assert_refused(&reply, 401, "invalid-totp");
        assert_refused(&service.elevate(&access, used).await, 401, "invalid-totp");
    }
    let next = app.code_of_step(1);
    session(&service.elevate(&access, &next).await);
    // A later code ends the ones before it.
    for used in [&code, &next] {
        let reply = service.second_step(&ticket, used).await;
        assert_refused(&reply, 401, "invalid-totp");
    }

    // At the same time, in both gateways, for a sign-in and an elevation.
    let code = service.unused_code(&app).await;
    let sign_in = json!({"ticket": ticket, "otp": code});
    let sign_ins = [&service.gateway, &other, &service.gateway, &other]
        .map(|gateway| post_at(&service, gateway, "/v1/signin/mfa/totp", sign_in.clone()));
    let elevations = (0..4).map(|_| service.elevate(&access, &code));
    let (mut replies, elevated) = tokio::join!(join_all(sign_ins), join_all(elevations));
    replies.extend(elevated);
    assert_eq!(count(&replies, 200), 1, "{replies:?}");
    assert_eq!(count(&replies, 401), 7, "{replies:?}");
}

#[tokio::test]
async fn wrong_code_keeps_ticket() {
    let service = Service::start().await;
    let person = service.person_with_totp(ADA).await;
    let ticket = service.mfa_ticket(ADA).await;
    for wrong in person.app.wrong_codes().take(4) {
        let reply = service.second_step(&ticket, &wrong).await;
        assert_refused(&reply, 401, "invalid-totp");
    }
    // The fifth try may be the right one.
    let code = service.unused_code(&person.app).await;
    session(&service.second_step(&ticket, &code).await);

    let ticket = service.mfa_ticket(ADA).await;
    for wrong in person.app.wrong_codes().take(5) {
        let reply = service.second_step(&ticket, &wrong).await;
        assert_refused(&reply, 401, "invalid-totp");
    }
    let code = service.unused_code(&person.app).await;
    let reply = service.second_step(&ticket, &code).await;
    assert_refused(&reply, 401, "invalid-ticket");
    // The next ticket has tries of its own.
    let ticket = service.mfa_ticket(ADA).await;
    session(&service.second_step(&ticket, &code).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn five_tries_in_parallel_too() {
    let service = Service::start().await;
    let other = service.another("").await;
    let person = service.person_with_totp(ADA).await;
    let ticket = service.mfa_ticket(ADA).await;
    let guesses = person.app.wrong_codes().take(16).enumerate();
    let tries = guesses.map(|(number, guess)| {
        let gateway = if number % 2 == 0 {
            &service.gateway
        } else {
            &other
        };
        let body = json!({"ticket": ticket, "otp": guess});
        post_at(&service, gateway, "/v1/signin/mfa/totp", body)
    });
    let replies = join_all(tries).await;
    assert_eq!(count_errors(&replies, "invalid-totp"), 5, "{replies:?}");
    assert_eq!(count_errors(&replies, "invalid-ticket"), 11, "{replies:?}");
    let code = service.unused_code(&person.app).await;
    let reply = service.second_step(&ticket, &code).await;
    assert_refused(&reply, 401, "invalid-ticket");
}

/// Each way to sign in, of a person with an authenticator app.
#[tokio::test]
async fn matrix_of_first_factors() {
    let service = Service::start().await;
    let person = service.person_with_totp(ADA).await;
    let elevated = service.elevated(&person).await;
    let mut key = SoftwareKey::new();
    service.add_key(&elevated, ADA, &mut key).await;
    let codes = service.recovery_codes(&elevated).await;
    let sessions = "SELECT count(*) FROM postern.session";
    let before = service.value(sessions).await;
    let expected: BTreeSet<&str> = ["totp", "recovery-code", "webauthn"].into();

    // Requests whose response has a ticket.
    let code = service.code(ADA).await;
    key.flags = PRESENT;
    let first_steps = [
        (service.sign_in_with(ADA, PASSWORD).await, "pwd"),
        (service.enter(ADA, &code).await, "otp"),
        (service.sign_in_by_key(&mut key).await, "hwk"),
    ];
    let mut tickets = vec![];
    for (reply, method) in &first_steps {
        let mfa = mfa(reply);
        let methods = mfa["methods"].as_array().unwrap().iter();
        let methods: BTreeSet<&str> = methods.map(|method| method.as_str().unwrap()).collect();
        // A passkey is no second factor to itself.
        if *method == "hwk" {
            assert!(methods.contains("totp") && methods.contains("recovery-code"));
        } else {
            assert_eq!(methods, expected, "{method}");
        }
        tickets.push((text(&mfa, "ticket"), *method));
    }
    // Links, whose pages ask.
    let link = service.link(ADA).await;
    let change = json!({"newEmail": "new@example.org"});
    service
        .ok_as(&elevated, "/v1/user/email/change", change)
        .await;
    let change = service.mailbox.next("new@example.org").await.link();
    for link in [&link, &change] {
        let page = ask_for_code(&service, link).await;
        for wrong in [person.app.wrong_code().as_str(), "", "nonsense"] {
            let reply = service.press(&typed(&page, wrong)).await;
            assert_asks_again(&reply);
        }
    }
    assert_eq!(service.value(sessions).await, before, "no session is open");
    assert_eq!(service.value("SELECT email FROM people").await, ADA);

    // With the second factor each of them signs in.
    for (ticket, method) in tickets {
        let code = service.unused_code(&person.app).await;
        let session = session(&service.second_step(&ticket, &code).await);
        let opened = methods(&session);
        // Codes by mail and codes of an app have one name in RFC 8176.
        assert!(
            opened == json!([method, "otp"]) || method == "otp" && opened == json!(["otp"]),
            "{method}: {opened}"
        );
    }
    let code = service.unused_code(&person.app).await;
    let location = follow(&service, &link, &code).await;
    let session = handed_over(&service, &location).await;
    assert_eq!(methods(&session), json!(["link", "otp"]));
    let page = ask_for_code(&service, &change).await;
    let reply = service.press(&typed(&page, &codes[0])).await;
    let session = handed_over(&service, reply.header("location")).await;
    assert_eq!(methods(&session), json!(["link", "rec"]));
    assert_eq!(
        service.value("SELECT email FROM people").await,
        "new@example.org"
    );

    // A passkey that verifies the person is two factors.
    key.flags = PRESENT | VERIFIED;
    let reply = service.sign_in_by_key(&mut key).await;
    assert_eq!(reply.json()["mfa"], Value::Null, "{}", reply.text);
    assert_eq!(
        methods(&super::service::session(&reply)),
        json!(["hwk", "user"])
    );
}

/// The link that verifies an address signs in as well, and asks as well. Here it is an address that
/// somebody has given to the user by SQL.
#[tokio::test]
async fn link_that_verifies_asks_for_a_code() {
    let service = Service::start().await;
    let app = service.person_with_totp(ADA).await.app;
    // Of an address that SQL has changed nothing is proved.
    service
        .run(&format!("UPDATE people SET email = '{BOB}'"))
        .await;
    let body = json!({"email": BOB});
    service
        .ok("/v1/user/email/send-verification-email", body)
        .await;
    let link = service.mailbox.next(BOB).await.link();
    let page = ask_for_code(&service, &link).await;
    let reply = service.press(&typed(&page, &app.wrong_code())).await;
    assert_asks_again(&reply);
    let verified = "SELECT email FROM postern.verified_email";
    assert_eq!(service.value(verified).await, ADA);
    let code = service.unused_code(&app).await;
    let location = follow(&service, &link, &code).await;
    let session = handed_over(&service, &location).await;
    assert_eq!(session["user"]["emailVerified"], true);
    assert_eq!(session["user"]["activeMfaType"], "totp");
    assert_eq!(service.value(verified).await, BOB);
}

#[tokio::test]
async fn page_of_a_link_takes_five_codes() {
    for (links, opens_at_once) in [("page", false), ("direct", true)] {
        let service = Service::with(&format!("accounts.links = {links:?}")).await;
        let person = service.person_with_totp(ADA).await;
        let link = service.link(ADA).await;
        let page = if opens_at_once {
            service.open(&link).await
        } else {
            ask_for_code(&service, &link).await
        };
        let mut replies = vec![];
        for wrong in person.app.wrong_codes().take(5) {
            replies.push(service.press(&typed(&page, &wrong)).await);
        }
        for reply in &replies[..4] {
            assert_asks_again(reply);
        }
        // The link is dead, for the right code too, and on a page that is opened anew.
        let code = service.unused_code(&person.app).await;
        let reply = service.press(&typed(&page, &code)).await;
        assert_eq!(reply.status, 302, "{links}: {}", reply.text);
        assert_invalid_ticket(reply.header("location"));
        // The next one works, and then no more.
        let link = service.link(ADA).await;
        let page = if opens_at_once {
            service.open(&link).await
        } else {
            ask_for_code(&service, &link).await
        };
        let form = typed(&page, &code);
        let reply = service.press(&form).await;
        assert_eq!(reply.status, 302, "{links}: {}", reply.text);
        handed_over(&service, reply.header("location")).await;
        service.forget_steps().await;
        let reply = service.press(&form).await;
        assert_invalid_ticket(reply.header("location"));
    }
}

/// Codes of links are tries of the rate `sign-in`, as those of tickets are.
#[tokio::test]
async fn wrong_codes_of_links_count_for_the_rate() {
    let mailbox = Mailbox::start().await;
    let mut file: toml::Table = settings(&mailbox.url(), "").parse().unwrap();
    let is_sign_in = |rate: &toml::Value| rate["name"].as_str() == Some("sign-in");
    let rates = file["rates"].as_array_mut().unwrap();
    rates.retain(|rate| !is_sign_in(rate));
    let started = builder(&file.to_string()).start().await;
    let service = Service::new(started, mailbox);
    let person = service.person_with_totp(ADA).await;
    let mut wrong = person.app.wrong_codes();
    for _ in 0..2 {
        let link = service.link(ADA).await;
        let page = ask_for_code(&service, &link).await;
        for _ in 0..5 {
            let form = typed(&page, &wrong.next().unwrap());
            let reply = service.press(&form).await;
            assert_eq!(reply.status, 401, "{reply:?}");
        }
    }
    // The default is ten in a minute.
    let limited = service.open(&service.link(ADA).await).await;
    assert_eq!(limited.status, 429, "{}", limited.text);
    assert!(!limited.header("retry-after").is_empty());
    // It is one rate with the codes of tickets.
    let code = service.unused_code(&person.app).await;
    let reply = service.elevate(&person.access, &code).await;
    assert_eq!(reply.status, 429, "{}", reply.text);
}

/// The page is told apart from the one with the button, and has nothing of the person.
#[tokio::test]
async fn page_that_asks_keeps_the_parameters_and_runs_nothing() {
    let service = Service::start().await;
    let person = service.person_with_totp(ADA).await;
    let options = json!({"redirectTo": "https://app.example.com/in/a?b=c&d=e"});
    let body = json!({"email": ADA, "options": options});
    service.ok("/v1/signin/passwordless/email", body).await;
    let link = service.mailbox.next(ADA).await.link();
    let page = ask_for_code(&service, &link).await;
    let form = typed(&page, "");
    for name in ["ticket", "type", "redirectTo"] {
        let shown = form.fields.iter().find(|(field, _)| field == name);
        let shown = shown.unwrap_or_else(|| panic!("no `{name}` in {form:?}"));
        assert_eq!(Some(&shown.1), parameter(&link, name).as_ref(), "{name}");
    }
    let policy = page.header("content-security-policy");
    for part in [
        "default-src 'none'",
        "frame-ancestors 'none'",
        "base-uri 'none'",
    ] {
        assert!(policy.contains(part), "{policy}");
    }
    assert_eq!(page.header("referrer-policy"), "no-referrer");
    assert_eq!(page.header("cache-control"), "no-store");
    assert!(!page.text.contains(&person.app.secret));
    assert!(!page.text.contains(ADA), "{}", page.text);
    // What is typed is not repeated.
    let reply = service.press(&typed(&page, "\"><b>typed</b>")).await;
    assert_asks_again(&reply);
    assert!(!reply.text.contains("typed</b>"), "{}", reply.text);
    let code = service.unused_code(&person.app).await;
    let reply = service.press(&typed(&page, &code)).await;
    let location = reply.header("location");
    assert!(
        location.starts_with("https://app.example.com/in/a?b=c&d=e&"),
        "{location}"
    );
}

#[tokio::test]
async fn generate_keeps_active_secret() {
    let service = Service::start().await;
    service.verified(ADA).await;
    let access = text(&service.session(ADA).await, "accessToken");
    let first = service.generate(&access).await;
    let second = service.generate(&access).await;
    if first.secret != second.secret {
        let body = json!({"activeMfaType": "totp", "code": first.code()});
        let reply = service.post_as(&access, "/v1/user/mfa", body).await;
        assert_refused(&reply, 401, "invalid-totp");
    }
    let body = json!({"activeMfaType": "totp", "code": second.code()});
    service.ok_as(&access, "/v1/user/mfa", body).await;
    let secret = "SELECT encode(secret, 'hex') FROM postern.totp";
    let before = service.value(secret).await;
    let reply = service.get_as(&access, "/v1/mfa/totp/generate").await;
    assert_refused(&reply, 400, "totp-already-active");
    assert_eq!(service.value(secret).await, before);
    let person = Person {
        email: ADA.to_owned(),
        app: second,
        access,
    };
    service.session_in_two_steps(&person).await;
    // Nor is it activated twice.
    let elevated = service.elevated(&person).await;
    let code = service.unused_code(&person.app).await;
    let body = json!({"activeMfaType": "totp", "code": code});
    let reply = service.post_as(&elevated, "/v1/user/mfa", body).await;
    assert_refused(&reply, 400, "totp-already-active");
}

#[tokio::test]
async fn unconfirmed_secret_locks_nobody_out() {
    let service = Service::start().await;
    service.verified(ADA).await;
    let access = text(&service.session(ADA).await, "accessToken");
    let confirm = async |code: &str| {
        let body = json!({"activeMfaType": "totp", "code": code});
        service.post_as(&access, "/v1/user/mfa", body).await
    };
    assert_refused(&confirm("000000").await, 400, "no-totp-secret");
    let app = service.generate(&access).await;
    for wrong in [app.wrong_code().as_str(), "", "12345", "nonsense"] {
        assert_refused(&confirm(wrong).await, 401, "invalid-totp");
    }
    for (body, code) in [
        (
            json!({"activeMfaType": "sms", "code": app.code()}),
            "mfa-type-not-found",
        ),
        (json!({"activeMfaType": "webauthn"}), "no-security-key"),
        (json!({"activeMfaType": 7, "code": "1"}), "invalid-request"),
        (
            json!({"activeMfaType": "totp", "code": 1}),
            "invalid-request",
        ),
    ] {
        let reply = service.post_as(&access, "/v1/user/mfa", body).await;
        assert_refused(&reply, 400, code);
    }
    let reply = service
        .post_nothing(&access, "/v1/user/mfa/recovery-codes")
        .await;
    assert_refused(&reply, 400, "no-second-factor");
    // Nothing asks for a code, and no code opens anything.
    let session = service.session(ADA).await;
    assert_eq!(session["user"]["activeMfaType"], Value::Null);
    let reply = service.elevate(&access, &app.code()).await;
    assert_eq!(reply.status, 400, "{}", reply.text);
    assert_eq!(reply.json()["error"], "no-totp-secret", "{}", reply.text);
    service.until_mailed().await;
    assert_eq!(service.purposes().await, "verify");
    assert_eq!(confirm(&service.unused_code(&app).await).await.status, 200);
    mfa(&service.sign_in_with(ADA, PASSWORD).await);
}

#[tokio::test]
async fn off_needs_elevation() {
    for mode in ["recommended", "required", "disabled"] {
        let service = Service::start().await;
        let person = service.person_with_totp(ADA).await;
        let other = service.session_in_two_steps(&person).await;
        let service = service
            .restarted_with(&format!("accounts.elevation = {mode:?}"))
            .await;
        let ticket = service.mfa_ticket(ADA).await;
        let link = service.link(ADA).await;
        let off = json!({"activeMfaType": "", "code": ""});
        let token = if mode == "disabled" {
            person.access.clone()
        } else {
            let before = service.value(FACTORS).await;
            let reply = service
                .post_as(&person.access, "/v1/user/mfa", off.clone())
                .await;
            assert_asks_for_elevation(&reply);
            // A right code in the body is no elevation.
            let body = json!({"activeMfaType": "", "code": person.app.code()});
            let reply = service.post_as(&person.access, "/v1/user/mfa", body).await;
            assert_asks_for_elevation(&reply);
            assert_eq!(service.value(FACTORS).await, before);
            service.elevated(&person).await
        };
        service.ok_as(&token, "/v1/user/mfa", off).await;
        service.notice(ADA).await;
        assert_eq!(service.value(FACTORS).await, "[null, null, [null]]");
        // The other session, the ticket and the link have ended.
        let refresh = text(&other, "refreshToken");
        assert_eq!(service.refresh(&refresh).await.status, 401, "{mode}");
        let code = service.unused_code(&person.app).await;
        let reply = service.second_step(&ticket, &code).await;
        assert_eq!(reply.status, 401, "{mode}: {}", reply.text);
        assert_invalid_ticket(&service.click(&link).await);
        let session = service.session(ADA).await;
        assert_eq!(session["user"]["activeMfaType"], Value::Null, "{mode}");
        // The next secret is another one.
        let access = text(&session, "accessToken");
        assert_ne!(
            service.generate(&access).await.secret,
            person.app.secret,
            "{mode}"
        );
    }
}

#[tokio::test]
async fn turning_on_ends_other_sessions_and_tickets() {
    let service = Service::start().await;
    service.verified(ADA).await;
    service.verified(BOB).await;
    let other = text(&service.session(ADA).await, "refreshToken");
    let of_bob = text(&service.session(BOB).await, "refreshToken");
    let link = service.link(ADA).await;
    let code = service.code(ADA).await;
    let reset = service.reset(ADA).await;
    let own = service.session(ADA).await;
    let app = service.turn_on_totp(&text(&own, "accessToken"), ADA).await;
    assert!(service.purposes().await.ends_with("factor-changed"));
    assert_eq!(service.refresh(&other).await.status, 401);
    assert_eq!(service.refresh(&of_bob).await.status, 200);
    assert_invalid_ticket(&service.click(&link).await);
    assert_refused(&service.enter(ADA, &code).await, 401, "invalid-otp");
    let body = json!({"ticket": reset, "newPassword": OTHER});
    let reply = service.post("/v1/user/password", body).await;
    assert_refused(&reply, 401, "invalid-ticket");
    // The session that did it goes on, and its user has the factor.
    let next = service.refresh(&text(&own, "refreshToken")).await;
    assert_eq!(next.status, 200, "{}", next.text);
    assert_eq!(next.json()["user"]["activeMfaType"], "totp");
    let user = service
        .get_as(&text(&next.json(), "accessToken"), "/v1/user")
        .await;
    assert_eq!(user.json()["activeMfaType"], "totp", "{}", user.text);
    session(
        &service
            .elevate(
                &text(&next.json(), "accessToken"),
                &service.unused_code(&app).await,
            )
            .await,
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn recovery_codes_once_and_die_with_factor() {
    let service = Service::start().await;
    let person = service.person_with_totp(ADA).await;
    assert_eq!(service.first_step(ADA).await["methods"], json!(["totp"]));
    let reply = service
        .post_nothing(&person.access, "/v1/user/mfa/recovery-codes")
        .await;
    assert_asks_for_elevation(&reply);
    let elevated = service.elevated(&person).await;
    let codes = service.recovery_codes(&elevated).await;
    let distinct: BTreeSet<&String> = codes.iter().collect();
    assert_eq!(distinct.len(), 10);
    for code in &codes {
        let groups: Vec<&str> = code.split('-').collect();
        let is_group = |group: &&str| {
            group.len() == 4 && group.bytes().all(|byte| byte.is_ascii_alphanumeric())
        };
        assert!(groups.len() == 4 && groups.iter().all(is_group), "{code}");
    }
    let stored = "SELECT string_agg(c::text, ' ') FROM postern.recovery_code c";
    for code in &codes {
        let stored = service.value(stored).await;
        let plain = code.replace('-', "");
        assert!(!stored.contains(code.as_str()) && !stored.contains(&plain));
    }

    // In any spelling, and once.
    let spellings = [
        codes[0].clone(),
        codes[1].to_uppercase(),
        codes[2].replace('-', ""),
    ];
    for (index, spelling) in spellings.iter().enumerate() {
        let first = service.first_step(ADA).await;
        let offered = first["methods"].as_array().unwrap();
        assert!(offered.contains(&json!("recovery-code")), "{first}");
        let ticket = text(&first, "ticket");
        let session = session(&service.second_step(&ticket, spelling).await);
        assert_eq!(methods(&session), json!(["pwd", "rec"]));
        let ticket = service.mfa_ticket(ADA).await;
        for used in [spelling, &codes[index]] {
            let reply = service.second_step(&ticket, used).await;
            assert_refused(&reply, 401, "invalid-totp");
        }
    }
    // Of the same code at the same time, one opens a session or elevates it.
    let ticket = service.mfa_ticket(ADA).await;
    let sign_ins = (0..3).map(|_| service.second_step(&ticket, &codes[3]));
    let elevations = (0..3).map(|_| service.elevate(&person.access, &codes[3]));
    let (mut replies, elevated_replies) = tokio::join!(join_all(sign_ins), join_all(elevations));
    replies.extend(elevated_replies);
    assert_eq!(count(&replies, 200), 1, "{replies:?}");
    let used = service.audit(&["recovery-code-used"]).await;
    assert_eq!(used.len(), 4, "{used:?}");

    // New codes replace the former ones.
    let elevated = service.elevated(&person).await;
    let new = service.recovery_codes(&elevated).await;
    let ticket = service.mfa_ticket(ADA).await;
    let reply = service.second_step(&ticket, &codes[4]).await;
    assert_refused(&reply, 401, "invalid-totp");
    session(&service.second_step(&ticket, &new[0]).await);
    // While unused ones are left they are offered.
    service
        .run("UPDATE postern.recovery_code SET used_at = now()")
        .await;
    assert_eq!(service.first_step(ADA).await["methods"], json!(["totp"]));

    // They end with the factor, and do not come back with the next one.
    let elevated = service.elevated(&person).await;
    let last = service.recovery_codes(&elevated).await;
    let off = json!({"activeMfaType": "", "code": ""});
    service.ok_as(&elevated, "/v1/user/mfa", off).await;
    service.notice(ADA).await;
    let access = text(&service.session(ADA).await, "accessToken");
    service.turn_on_totp(&access, ADA).await;
    let first = service.first_step(ADA).await;
    assert_eq!(first["methods"], json!(["totp"]));
    let reply = service.second_step(&text(&first, "ticket"), &last[1]).await;
    assert_refused(&reply, 401, "invalid-totp");
}

/// What an operator may do by SQL, who does not use `postern accounts reset-factor`.
const REMOVE_FACTOR: &str = "
DELETE FROM postern.totp;
DELETE FROM postern.recovery_code;
UPDATE postern.account SET second_factor = NULL, generation = generation + 1;";

/// Neither those that an operator has removed work again, nor those that one has forgotten.
#[tokio::test]
async fn former_recovery_codes_end_with_the_factor_that_sql_removes() {
    for forgets_codes in [false, true] {
        let service = Service::start().await;
        let person = service.person_with_totp(ADA).await;
        let elevated = service.elevated(&person).await;
        let codes = service.recovery_codes(&elevated).await;
        let lines = REMOVE_FACTOR.lines();
        let is_kept = |line: &&str| !forgets_codes || !line.contains("recovery_code");
        let kept: Vec<&str> = lines.filter(is_kept).collect();
        service.run(&kept.join("\n")).await;

        // Without a second factor there is nothing that a code could stand for.
        let access = text(&service.session(ADA).await, "accessToken");
        for token in [&access, &person.access] {
            let reply = service.get_as(token, "/v1/elevate").await;
            assert_eq!(reply.json()["methods"], json!(["email"]), "{}", reply.text);
            let reply = service.elevate(token, &codes[0]).await;
            assert_refused(&reply, 400, "no-totp-secret");
        }
        assert_eq!(service.audit(&["recovery-code-used"]).await.len(), 0);
        let app = service.turn_on_totp(&access, ADA).await;
        let first = service.first_step(ADA).await;
        assert_eq!(first["methods"], json!(["totp"]), "{forgets_codes}");
        let ticket = text(&first, "ticket");
        for code in &codes[..3] {
            let reply = service.second_step(&ticket, code).await;
            assert_refused(&reply, 401, "invalid-totp");
            let reply = service.elevate(&access, code).await;
            assert_refused(&reply, 401, "invalid-totp");
        }
        let left = "SELECT count(*) FROM postern.recovery_code";
        assert_eq!(service.value(left).await, "0");
        // New ones work.
        let person = Person {
            app,
            access,
            ..person
        };
        let elevated = service.elevated(&person).await;
        let new = service.recovery_codes(&elevated).await;
        session(&service.second_step(&ticket, &new[0]).await);
    }
}

#[tokio::test]
async fn recovery_code_elevates() {
    let service = Service::start().await;
    let person = service.person_with_totp(ADA).await;
    let elevated = service.elevated(&person).await;
    let codes = service.recovery_codes(&elevated).await;
    let reply = service.get_as(&person.access, "/v1/elevate").await;
    let offered = reply.json()["methods"].clone();
    assert_eq!(offered, json!(["totp", "recovery-code"]), "{}", reply.text);
    let session = session(&service.elevate(&person.access, &codes[0]).await);
    let access = text(&session, "accessToken");
    assert_eq!(
        super::factors::elevated_user(&access),
        Some(service.id(ADA).await)
    );
    assert_refused(
        &service.elevate(&access, &codes[0]).await,
        401,
        "invalid-totp",
    );
    let rows = service.audit(&["elevated", "recovery-code-used"]).await;
    let has = |text: &str| rows.iter().filter(|row| row.starts_with(text)).count();
    for (row, expected) in [
        ("elevated success totp", 1),
        ("elevated success recovery-code", 1),
        ("elevated failure", 1),
        ("recovery-code-used success", 1),
    ] {
        assert_eq!(has(row), expected, "{row}: {rows:?}");
    }
}

#[tokio::test]
async fn secrets_sealed_and_key_rotates() {
    let service = Service::start().await;
    let person = service.person_with_totp(ADA).await;
    let bob = service.person_with_totp(BOB).await;
    let dump = service
        .value("SELECT string_agg(t::text, ' ') FROM postern.totp t")
        .await;
    for app in [&person.app, &bob.app] {
        let hex: String = app
            .bytes()
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        let text: String = app
            .secret
            .bytes()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        for secret in [&hex, &app.secret, &text] {
            assert!(!dump.contains(secret.as_str()), "{dump}");
        }
    }
    // Two users with one secret would have two rows.
    let row = |email: &str| {
        format!(
            "SELECT encode(secret, 'hex') FROM postern.totp JOIN people ON id::text = user_id WHERE email = '{email}'"
        )
    };
    assert_ne!(
        service.value(&row(ADA)).await,
        service.value(&row(BOB)).await
    );

    // A row opens for its user alone.
    let of_bob = service.value(&row(BOB)).await;
    let copy = format!(
        "UPDATE postern.totp SET secret = (SELECT secret FROM postern.totp WHERE user_id = '{}') WHERE user_id = '{}'",
        service.id(ADA).await,
        service.id(BOB).await
    );
    service.run(&copy).await;
    let ticket = service.mfa_ticket(BOB).await;
    for app in [&person.app, &bob.app] {
        let code = service.unused_code(app).await;
        let reply = service.second_step(&ticket, &code).await;
        assert!(reply.status >= 400, "{}", reply.text);
        assert_eq!(reply.json().get("session"), None, "{}", reply.text);
    }
    let back = format!(
        "UPDATE postern.totp SET secret = decode('{of_bob}', 'hex') WHERE user_id = '{}'",
        service.id(BOB).await
    );
    service.run(&back).await;
    service.session_in_two_steps(&bob).await;

    // Another key alone opens nothing; with the former one beside it, everything.
    let new = "another key of accounts with more than 32 characters";
    let service = service
        .restarted_with(&format!("accounts.key = {new:?}"))
        .await;
    let ticket = service.mfa_ticket(ADA).await;
    let code = service.unused_code(&person.app).await;
    let reply = service.second_step(&ticket, &code).await;
    assert!(reply.status >= 400, "{}", reply.text);
    let service = service
        .restarted_with(&format!(
            "accounts.key = {new:?}\naccounts.former_key = {KEY:?}"
        ))
        .await;
    service.session_in_two_steps(&person).await;
    // What is sealed from now on needs the new key alone.
    let carol = service.person_with_totp("carol@example.org").await;
    let service = service
        .restarted_with(&format!("accounts.key = {new:?}"))
        .await;
    service.session_in_two_steps(&carol).await;
}

#[tokio::test]
async fn changes_between_the_factors_void_the_ticket() {
    let service = Service::start().await;
    let person = service.person_with_totp(ADA).await;
    let refuses = async |ticket: &str, codes: &[&str]| {
        let code = service.unused_code(&person.app).await;
        let reply = service.second_step(ticket, &code).await;
        assert_eq!(reply.status, 401, "{}", reply.text);
        let code = text(&reply.json(), "error");
        assert!(codes.contains(&code.as_str()), "{code}");
        assert_eq!(reply.json().get("session"), None);
    };

    // The password.
    let ticket = service.mfa_ticket(ADA).await;
    let reset = service.reset(ADA).await;
    let body = json!({"ticket": reset, "newPassword": OTHER});
    service.ok("/v1/user/password", body).await;
    service.notice(ADA).await;
    refuses(&ticket, &["invalid-ticket"]).await;
    let first_step = async || text(&mfa(&service.sign_in_with(ADA, OTHER).await), "ticket");

    // The address.
    let ticket = first_step().await;
    let code = service.unused_code(&person.app).await;
    let current = session(&service.second_step(&first_step().await, &code).await);
    let code = service.unused_code(&person.app).await;
    let elevated = service.elevate(&text(&current, "accessToken"), &code).await;
    let elevated = text(&session(&elevated), "accessToken");
    let body = json!({"newEmail": BOB});
    service
        .ok_as(&elevated, "/v1/user/email/change", body)
        .await;
    let link = service.mailbox.next(BOB).await.link();
    let code = service.unused_code(&person.app).await;
    let location = follow(&service, &link, &code).await;
    assert!(parameter(&location, "refreshToken").is_some(), "{location}");
    service.notice(ADA).await;
    refuses(&ticket, &["invalid-ticket"]).await;
    let first_step = async || text(&mfa(&service.sign_in_with(BOB, OTHER).await), "ticket");

    // An address that SQL has changed is not verified.
    let ticket = first_step().await;
    service
        .run("UPDATE people SET email = 'carol@example.org'")
        .await;
    refuses(&ticket, &["invalid-ticket", "unverified-user"]).await;
    service
        .run(&format!("UPDATE people SET email = '{BOB}'"))
        .await;

    // The user.
    let ticket = first_step().await;
    service.run("UPDATE people SET is_blocked = true").await;
    refuses(&ticket, &["invalid-ticket", "disabled-user"]).await;
    service.run("UPDATE people SET is_blocked = false").await;

    // The factor.
    let ticket = first_step().await;
    service.run(REMOVE_FACTOR).await;
    refuses(&ticket, &["disabled-mfa-totp"]).await;
    let opened = session(&service.sign_in_with(BOB, OTHER).await);
    assert_eq!(opened["user"]["activeMfaType"], Value::Null);
}

#[tokio::test]
async fn ticket_ends_after_five_minutes() {
    let service = Service::start().await;
    let person = service.person_with_totp(ADA).await;
    let ticket = service.mfa_ticket(ADA).await;
    let lifetime = "SELECT extract(epoch FROM expires_at - created_at)::int FROM postern.ticket WHERE purpose = 'mfa'";
    assert_eq!(service.value(lifetime).await, "300");
    let stored = service
        .value("SELECT string_agg(t::text, ' ') FROM postern.ticket t WHERE purpose = 'mfa'")
        .await;
    let (_, id) = ticket.split_once(':').unwrap();
    assert!(!stored.contains(id), "the ticket is stored as a digest");
    service
        .run(
            "UPDATE postern.ticket SET created_at = created_at - interval '301 s', \
             expires_at = expires_at - interval '301 s'",
        )
        .await;
    let code = service.unused_code(&person.app).await;
    let reply = service.second_step(&ticket, &code).await;
    assert_refused(&reply, 401, "invalid-ticket");
    // What is no ticket gets the same response.
    for wrong in [
        "",
        "nonsense",
        "mfaTotp:",
        &format!("mfaTotp:{}", uuid::Uuid::new_v4()),
        id,
    ] {
        let other = service.second_step(wrong, &code).await;
        assert_eq!((other.status, &other.text), (401, &reply.text), "{wrong}");
    }
    for body in [
        json!({"ticket": ticket}),
        json!({"otp": code}),
        json!({"ticket": ticket, "otp": 123_456}),
        json!({"ticket": 7, "otp": code}),
    ] {
        let reply = service.post("/v1/signin/mfa/totp", body).await;
        assert_refused(&reply, 400, "invalid-request");
    }
}

#[tokio::test]
async fn required_second_factor_gives_the_enroll_role() {
    let required = "accounts.second_factor = \"required\"\naccounts.enroll_role = \"enroll\"";
    let service = Service::with(required).await;
    service.verified(ADA).await;
    let roles = |session: &Value| {
        let claims = &claims(&text(session, "accessToken"))["gateway"];
        json!([
            claims["x-gateway-default-role"],
            claims["x-gateway-allowed-roles"]
        ])
    };
    let only_enroll = json!(["enroll", ["enroll"]]);
    let password = service.session(ADA).await;
    let code = service.code(ADA).await;
    let code = session(&service.enter(ADA, &code).await);
    let location = service.click(&service.link(ADA).await).await;
    let link = handed_over(&service, &location).await;
    for session in [&password, &code, &link] {
        assert_eq!(roles(session), only_enroll, "{session}");
        assert_eq!(session["user"]["roles"], json!(["enroll"]), "{session}");
        let next = service.refresh(&text(session, "refreshToken")).await.json();
        assert_eq!(roles(&next), only_enroll, "{next}");
    }
    let current = service.session(ADA).await;
    let app = service
        .turn_on_totp(&text(&current, "accessToken"), ADA)
        .await;
    // From the next refresh on the person has the roles of the owner's table.
    let all = json!(["me", ["me", "reader"]]);
    let next = service
        .refresh(&text(&current, "refreshToken"))
        .await
        .json();
    assert_eq!(roles(&next), all, "{next}");
    let person = Person {
        email: ADA.to_owned(),
        app,
        access: text(&next, "accessToken"),
    };
    assert_eq!(roles(&service.session_in_two_steps(&person).await), all);
    // Who turns it off has nothing else any more.
    let elevated = service.elevated(&person).await;
    let off = json!({"activeMfaType": "", "code": ""});
    service.ok_as(&elevated, "/v1/user/mfa", off).await;
    service.notice(ADA).await;
    assert_eq!(roles(&service.session(ADA).await), only_enroll);
}

#[tokio::test]
async fn second_factor_that_the_settings_turn_off_is_not_offered() {
    let service = Service::with("accounts.second_factor = \"off\"").await;
    service.verified(ADA).await;
    let access = text(&service.session(ADA).await, "accessToken");
    let reply = service.get_as(&access, "/v1/mfa/totp/generate").await;
    assert_refused(&reply, 409, "disabled-endpoint");
}

#[tokio::test]
async fn keys_are_a_second_factor() {
    let service = Service::start().await;
    service.verified(ADA).await;
    let access = text(&service.session(ADA).await, "accessToken");
    let mut key = SoftwareKey::unverified();
    let id = service.add_key(&access, ADA, &mut key).await;
    // A key alone is none.
    let other = text(&service.session(ADA).await, "refreshToken");
    let body = json!({"activeMfaType": "webauthn"});
    let reply = service.post_as(&access, "/v1/user/mfa", body.clone()).await;
    assert_asks_for_elevation(&reply);
    let elevated = session(&service.elevate_by_key(&access, &mut key).await);
    let elevated = text(&elevated, "accessToken");
    service.ok_as(&elevated, "/v1/user/mfa", body).await;
    service.notice(ADA).await;
    assert_eq!(service.refresh(&other).await.status, 401);

    let first = service.first_step(ADA).await;
    assert_eq!(first["methods"], json!(["webauthn"]));
    let ticket = text(&first, "ticket");
    let options = service
        .options("/v1/signin/mfa/webauthn", json!({"ticket": ticket}))
        .await;
    assert_eq!(options["allowCredentials"][0]["id"], key.id_text());
    assert_eq!(options["allowCredentials"].as_array().unwrap().len(), 1);
    let verify = async |ticket: &str, credential: &Value| {
        let body = json!({"ticket": ticket, "credential": credential});
        service.post("/v1/signin/mfa/webauthn/verify", body).await
    };
    let mut stranger = SoftwareKey::new();
    stranger.handle.clone_from(&key.handle);
    let reply = verify(&ticket, &stranger.get(&options)).await;
    assert_refused(&reply, 401, "invalid-webauthn-credential");
    // The ticket stays, for another challenge.
    let options = service
        .options("/v1/signin/mfa/webauthn", json!({"ticket": ticket}))
        .await;
    let credential = key.get(&options);
    let opened = session(&verify(&ticket, &credential).await);
    assert_eq!(methods(&opened), json!(["pwd", "hwk"]));
    assert_eq!(opened["user"]["activeMfaType"], "webauthn");
    assert_refused(&verify(&ticket, &credential).await, 401, "invalid-ticket");
    let reply = service
        .post("/v1/signin/mfa/webauthn", json!({"ticket": ticket}))
        .await;
    assert_refused(&reply, 401, "invalid-ticket");

    // It has no codes, unless those for recovery; pages of links can take nothing else.
    let ticket = service.mfa_ticket(ADA).await;
    let reply = service.second_step(&ticket, "000000").await;
    assert_refused(&reply, 401, "invalid-totp");
    let codes = service.recovery_codes(&elevated).await;
    let link = service.link(ADA).await;
    let location = follow(&service, &link, &codes[0]).await;
    let opened = handed_over(&service, &location).await;
    assert_eq!(methods(&opened), json!(["link", "rec"]));
    let ticket = service.mfa_ticket(ADA).await;
    session(&service.second_step(&ticket, &codes[1]).await);

    // The last key of such an account stays.
    let remove = json!({"id": id});
    let reply = service
        .post_as(&elevated, "/v1/user/webauthn/remove", remove.clone())
        .await;
    assert_refused(&reply, 409, "last-way-in");
    let off = json!({"activeMfaType": ""});
    service.ok_as(&elevated, "/v1/user/mfa", off).await;
    service.notice(ADA).await;
    service
        .ok_as(&elevated, "/v1/user/webauthn/remove", remove)
        .await;
    service.session(ADA).await;
}

/// Keys become the second factor at one gateway, while the only one is removed at another.
#[tokio::test(flavor = "multi_thread")]
async fn keys_are_no_second_factor_without_a_key() {
    let changes = "accounts.elevation = \"disabled\"";
    let service = Service::with(changes).await;
    let other = service.another(changes).await;
    service.verified(ADA).await;
    let access = text(&service.session(ADA).await, "accessToken");
    let post_to = async |gateway: &GatewayHandle, path: &str, body: &Value| {
        let request = service.client.post(format!("{}{path}", gateway.url()));
        send(request.bearer_auth(&access).json(body)).await
    };
    let state = "SELECT concat_ws(' ', coalesce(second_factor, 'none'), (SELECT count(*) FROM postern.security_key)) \
                 FROM postern.account";
    let on = json!({"activeMfaType": "webauthn"});
    let (turn, remove) = ("/v1/user/mfa", "/v1/user/webauthn/remove");
    for round in 0..25 {
        let options = service.options_as(&access, "/v1/user/webauthn/add").await;
        let body = json!({"credential": SoftwareKey::new().create(&options), "nickname": "a key"});
        let added = post_to(&service.gateway, "/v1/user/webauthn/verify", &body).await;
        let key = json!({"id": text(&added.json(), "id")});
        let (turned, removed) = if round % 2 == 0 {
            tokio::join!(
                post_to(&service.gateway, turn, &on),
                post_to(&other, remove, &key)
            )
        } else {
            let (removed, turned) = tokio::join!(
                post_to(&service.gateway, remove, &key),
                post_to(&other, turn, &on)
            );
            (turned, removed)
        };
        let is_on = turned.status == 200;
        let (wins, loses) = if is_on {
            (&turned, &removed)
        } else {
            (&removed, &turned)
        };
        assert_eq!(wins.status, 200, "{turned:?} {removed:?}");
        assert!(matches!(loses.status, 400..=409), "{loses:?}");
        let expected = if is_on { "webauthn 1" } else { "none 0" };
        assert_eq!(service.value(state).await, expected, "round {round}");
        if is_on {
            let off = json!({"activeMfaType": ""});
            service.ok_as(&access, turn, off).await;
            service.ok_as(&access, remove, key).await;
        }
    }
}

#[tokio::test]
async fn audit_has_a_row_for_each_change_of_factors() {
    let service = Service::start().await;
    let person = service.person_with_totp(ADA).await;
    let ticket = service.mfa_ticket(ADA).await;
    service.second_step(&ticket, &person.app.wrong_code()).await;
    let code = service.unused_code(&person.app).await;
    session(&service.second_step(&ticket, &code).await);
    service.second_step(&ticket, &code).await;
    service
        .elevate(&person.access, &person.app.wrong_code())
        .await;
    let elevated = service.elevated(&person).await;
    let mut key = SoftwareKey::new();
    let id = service.add_key(&elevated, ADA, &mut key).await;
    let codes = service.recovery_codes(&elevated).await;
    let ticket = service.mfa_ticket(ADA).await;
    session(&service.second_step(&ticket, &codes[0]).await);
    session(&service.sign_in_by_key(&mut key).await);
    let remove = json!({"id": id});
    service
        .ok_as(&elevated, "/v1/user/webauthn/remove", remove)
        .await;
    let off = json!({"activeMfaType": ""});
    service.ok_as(&elevated, "/v1/user/mfa", off).await;

    let rows = service
        .audit(&[
            "sign-in",
            "elevated",
            "factor-added",
            "factor-removed",
            "recovery-codes-created",
            "recovery-code-used",
        ])
        .await;
    let in_order = |wanted: &[&str]| {
        let mut rows = rows.iter();
        for row in wanted {
            let found = rows.any(|found| found == row || found.starts_with(&format!("{row} ")));
            assert!(found, "no `{row}` in its order");
        }
    };
    in_order(&[
        "sign-in success link",
        "sign-in success password",
        "factor-added success totp",
        "sign-in failure",
        "sign-in success password",
        "sign-in failure",
        "elevated failure",
        "elevated success totp",
        "factor-added success",
        "recovery-codes-created success",
        "sign-in success password",
        "sign-in success passkey",
        "factor-removed success",
        "factor-removed success totp",
    ]);
    let has = |text: &str| rows.iter().filter(|row| row.contains(text)).count();
    assert_eq!(has("invalid-totp"), 2, "{rows:?}");
    assert_eq!(has("invalid-ticket"), 1, "{rows:?}");
    assert_eq!(has("recovery-code-used success"), 1, "{rows:?}");
    // A first factor alone is no sign-in.
    assert_eq!(has("sign-in success"), 5, "{rows:?}");
    let users = "SELECT count(*) FROM postern.authentication_event WHERE outcome = 'success' AND user_id IS NULL";
    assert_eq!(service.value(users).await, "0");
    // The log has them as well, and the metrics count them.
    let metrics = service.metrics().await;
    for event in ["factor-added", "factor-removed", "elevated"] {
        assert!(metrics.contains(&format!("event=\"{event}\"")), "{event}");
    }
}

/// Without a name of its own it is the host of its pages.
#[tokio::test]
async fn apps_and_passkeys_show_the_name_of_the_service() {
    let service = Service::with("accounts.name = \"Shop & Söhne\"").await;
    service.verified(ADA).await;
    let access = text(&service.session(ADA).await, "accessToken");
    let options = service.options_as(&access, "/v1/user/webauthn/add").await;
    assert_eq!(options["rp"]["name"], "Shop & Söhne", "{options}");
    let service = Service::start().await;
    let body = json!({"email": ADA});
    let options = service.options("/v1/signup/webauthn", body).await;
    assert_eq!(options["rp"]["name"], "app.example.com", "{options}");
}

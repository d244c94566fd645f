//! What an attacker does who knows a password, has a ticket or a session of another person, or
//! signs up with an address of somebody else and waits.

use std::collections::BTreeSet;

use futures_util::future::join_all;
use reqwest::Method;
use serde_json::{Value, json};
use tests::reply::Reply;
use tests::service::send;

use super::authenticator_app::AuthenticatorApp;
use super::factors::mfa;
use super::page::{Form, parameter};
use super::service::{PASSWORD, Service, assert_invalid_ticket, assert_refused, session, text};
use super::software_key::SoftwareKey;

const ADA: &str = "ada@example.org";
const BOB: &str = "bob@example.org";
const OTHER: &str = "another password";

/// The code of all faults of credentials.
const INVALID: &str = "invalid-webauthn-credential";

#[tokio::test]
async fn ticket_of_one_user_takes_no_code_of_another() {
    let service = Service::start().await;
    let ada = service.person_with_totp(ADA).await;
    let bob = service.person_with_totp(BOB).await;
    let elevated = service.elevated(&bob).await;
    let codes = service.recovery_codes(&elevated).await;
    let ticket = service.mfa_ticket(ADA).await;
    let code = service.unused_code(&bob.app).await;
    for wrong in [&code, &codes[0]] {
        let reply = service.second_step(&ticket, wrong).await;
        assert_refused(&reply, 401, "invalid-totp");
        let reply = service.elevate(&ada.access, wrong).await;
        assert_refused(&reply, 401, "invalid-totp");
    }
    // A key of Bob's is no second factor of Ada's.
    let mut key = SoftwareKey::new();
    service.add_key(&elevated, BOB, &mut key).await;
    let options = service.options("/v1/signin/webauthn", json!({})).await;
    let body = json!({"ticket": ticket, "credential": key.get(&options)});
    let reply = service.post("/v1/signin/mfa/webauthn/verify", body).await;
    assert_refused(&reply, 401, INVALID);
    // Neither code was used up by the wrong person.
    let ticket = service.mfa_ticket(BOB).await;
    session(&service.second_step(&ticket, &codes[0]).await);
    let ticket = service.mfa_ticket(BOB).await;
    session(&service.second_step(&ticket, &code).await);
}

#[tokio::test]
async fn tickets_of_links_and_of_sign_ins_are_not_the_same() {
    let service = Service::start().await;
    let person = service.person_with_totp(ADA).await;
    let ticket = service.mfa_ticket(ADA).await;
    let (_, id) = ticket.split_once(':').unwrap();
    let link = service.link(ADA).await;
    let link_ticket = parameter(&link, "ticket").unwrap();
    let (_, link_id) = link_ticket.split_once(':').unwrap();
    let reset = service.reset(ADA).await;
    let (_, reset_id) = reset.split_once(':').unwrap();
    let form = Form::read(&service.open(&link).await.text);
    let prefixes = [
        "mfaTotp",
        "passwordlessEmail",
        "verifyEmail",
        "emailConfirmChange",
        "passwordReset",
    ];
    // The second factor's ticket sets no password, and signs nobody in by itself. The page of links
    // takes the code for it, which people need after a sign-in with another provider.
    let own = form.clone().with("ticket", &ticket);
    let page = service.press(&own).await;
    assert_eq!(page.status, 200, "{}", page.text);
    assert!(page.text.contains("one-time-code"), "{}", page.text);
    let wrong_code = own.with("otp", &person.app.wrong_code());
    assert_eq!(service.press(&wrong_code).await.status, 401);
    let body = json!({"ticket": ticket, "newPassword": OTHER});
    let reply = service.post("/v1/user/password", body).await;
    assert_refused(&reply, 401, "invalid-ticket");
    let sessions = "SELECT count(*) FROM postern.session";
    let before = service.value(sessions).await;
    for prefix in &prefixes[1..] {
        let wrong = format!("{prefix}:{id}");
        for form in [
            form.clone().with("ticket", &wrong),
            form.clone()
                .with("ticket", &wrong)
                .with("otp", &service.unused_code(&person.app).await),
        ] {
            let reply = service.press(&form).await;
            assert_eq!(reply.status, 302, "{wrong}: {}", reply.text);
            assert_invalid_ticket(reply.header("location"));
        }
        let body = json!({"ticket": wrong, "newPassword": OTHER});
        let reply = service.post("/v1/user/password", body).await;
        assert_refused(&reply, 401, "invalid-ticket");
    }
    assert_eq!(service.value(sessions).await, before);
    // Nor is a link a ticket that lacks the second factor alone.
    for wrong in [
        link_ticket.clone(),
        format!("mfaTotp:{link_id}"),
        reset.clone(),
        format!("mfaTotp:{reset_id}"),
    ] {
        let code = service.unused_code(&person.app).await;
        let reply = service.second_step(&wrong, &code).await;
        assert_refused(&reply, 401, "invalid-ticket");
        for (path, body) in [
            ("/v1/signin/mfa/webauthn", json!({"ticket": wrong})),
            (
                "/v1/signin/mfa/webauthn/verify",
                json!({"ticket": wrong, "credential": SoftwareKey::new()
                    .get(&json!({"rpId": "localhost", "challenge": "aaaa"}))}),
            ),
        ] {
            assert_refused(&service.post(path, body).await, 401, "invalid-ticket");
        }
    }
    // A code on the page of a link does not change what the link is for.
    let code = service.unused_code(&person.app).await;
    let reply = service
        .press(
            &form
                .clone()
                .with("ticket", &format!("verifyEmail:{link_id}"))
                .with("otp", &code),
        )
        .await;
    assert_invalid_ticket(reply.header("location"));
    let reply = service
        .press(
            &form
                .clone()
                .with("ticket", &reset)
                .with("type", "passwordReset")
                .with("otp", &code),
        )
        .await;
    let location = reply.header("location");
    assert_eq!(parameter(location, "refreshToken"), None, "{location}");

    // All three work for what they are, and the code was not used up.
    session(&service.second_step(&ticket, &code).await);
    let code = service.unused_code(&person.app).await;
    let reply = service.press(&form.with("otp", &code)).await;
    let location = reply.header("location");
    assert!(parameter(location, "refreshToken").is_some(), "{location}");
    let body = json!({"ticket": reset, "newPassword": OTHER});
    service.ok("/v1/user/password", body).await;
}

/// Who knows the password gets as many tickets as they like.
#[tokio::test]
async fn tries_are_limited_across_tickets() {
    let service = Service::with("trusted_proxies = [\"127.0.0.1\"]").await;
    let post = async |path: &str, token: Option<&str>, address: &str, body: Value| -> Reply {
        let request = service.request(Method::POST, path);
        let request = request.header("x-forwarded-for", address);
        let request = match token {
            None => request,
            Some(token) => request.bearer_auth(token),
        };
        send(request.json(&body)).await
    };
    let (early, with_token, known) = ("198.51.100.1", "198.51.100.2", "198.51.100.3");
    service.verified(ADA).await;
    let password = json!({"email": ADA, "password": PASSWORD});
    let path = "/v1/signin/email-password";
    let opened = session(&post(path, None, early, password.clone()).await);
    let access = text(&opened, "accessToken");
    let body = json!({"expiresAt": "2030-01-01T00:00:00Z", "metadata": {"name": "a token"}});
    let made = post("/v1/pat", Some(&access), early, body).await;
    let pat = json!({"personalAccessToken": text(&made.json(), "personalAccessToken")});
    let app = service.turn_on_totp(&access, ADA).await;
    let stranger = "203.0.113.1";
    let ticket = async |address: &str| {
        let reply = post(path, None, address, password.clone()).await;
        text(&mfa(&reply), "ticket")
    };
    let try_code = async |address: &str, ticket: &str, code: &str| {
        let body = json!({"ticket": ticket, "otp": code});
        post("/v1/signin/mfa/totp", None, address, body).await
    };
    let elevate = async |address: &str, code: &str| {
        let body = json!({"otp": code});
        post("/v1/elevate/totp", Some(&access), address, body).await
    };
    // The person signs in at one address with both factors, at another one with a token.
    let ticket_of_known = ticket(known).await;
    let code = service.unused_code(&app).await;
    session(&try_code(known, &ticket_of_known, &code).await);
    session(&post("/v1/signin/pat", None, with_token, pat).await);
    service.run("DELETE FROM postern.credential_tries").await;
    // From one address after another, with tickets and with a session that was stolen.
    let mut wrong = app.wrong_codes();
    for number in 1..=3 {
        let address = format!("203.0.113.{number}");
        let ticket = ticket(&address).await;
        for _ in 0..5 {
            let reply = try_code(&address, &ticket, &wrong.next().unwrap()).await;
            assert_refused(&reply, 401, "invalid-totp");
        }
    }
    for number in 10..15 {
        let address = format!("203.0.113.{number}");
        let reply = elevate(&address, &wrong.next().unwrap()).await;
        assert_refused(&reply, 401, "invalid-totp");
    }
    let code = service.unused_code(&app).await;
    let fresh = ticket(stranger).await;
    for reply in [
        try_code(stranger, &fresh, &code).await,
        elevate("203.0.113.200", &code).await,
        try_code("203.0.113.201", &fresh, &code).await,
    ] {
        assert_refused(&reply, 429, "too-many-requests");
        assert!(!reply.header("retry-after").is_empty());
    }
    // A recovery code is a try as well.
    let reply = try_code(stranger, &fresh, "aaaa-bbbb-cccc-dddd").await;
    assert_refused(&reply, 429, "too-many-requests");
    // Neither half a sign-in makes an address a known one, nor one before the app was there, nor
    // one that a program has done.
    for address in [early, with_token] {
        let ticket = ticket(address).await;
        let reply = try_code(address, &ticket, &code).await;
        assert_refused(&reply, 429, "too-many-requests");
        let reply = elevate(address, &code).await;
        assert_refused(&reply, 429, "too-many-requests");
    }
    // Where the person has signed in with both factors they still do.
    let reply = try_code(known, &fresh, &wrong.next().unwrap()).await;
    assert_refused(&reply, 401, "invalid-totp");
    let ticket = ticket(known).await;
    session(&try_code(known, &ticket, &code).await);
    let tries = service
        .value("SELECT string_agg(t::text, ' ') FROM postern.credential_tries t")
        .await;
    assert!(!tries.contains('@') && !tries.contains(&service.id(ADA).await));
}

/// Twenty tries an hour are twenty, however many arrive at once, at whichever gateway.
#[tokio::test(flavor = "multi_thread")]
async fn twenty_tries_in_parallel_too() {
    let changes = "trusted_proxies = [\"127.0.0.1\"]";
    let service = Service::with(changes).await;
    let other = service.another(changes).await;
    let person = service.person_with_totp(ADA).await;
    service.run("DELETE FROM postern.credential_tries").await;
    let guesses = person.app.wrong_codes().take(40).enumerate();
    let tries = guesses.map(|(number, guess)| {
        let gateway = if number % 2 == 0 {
            &service.gateway
        } else {
            &other
        };
        let url = format!("{}/v1/elevate/totp", gateway.url());
        let request = service.client.post(url).bearer_auth(&person.access);
        let request = request.header("x-forwarded-for", format!("203.0.113.{number}"));
        send(request.json(&json!({"otp": guess})))
    });
    let replies = join_all(tries).await;
    let count = |status| {
        let has_status = |reply: &&Reply| reply.status == status;
        replies.iter().filter(has_status).count()
    };
    assert_eq!((count(401), count(429)), (20, 20), "{replies:?}");
}

#[tokio::test]
async fn session_of_one_user_elevates_no_other() {
    let service = Service::start().await;
    let mut of_ada = service.person_with_key(ADA).await;
    let mut of_bob = service.person_with_key(BOB).await;
    let ada = text(&service.session(ADA).await, "accessToken");
    let bob = text(&service.session(BOB).await, "accessToken");
    let path = "/v1/elevate/webauthn";
    let verify = "/v1/elevate/webauthn/verify";
    let post = async |token: &str, credential: Value| {
        service
            .post_as(token, verify, json!({"credential": credential}))
            .await
    };
    // Bob's key in Ada's session, and Ada's key in Bob's, with the challenge of either.
    for (asks, posts, is_of_ada) in [
        (&ada, &ada, false),
        (&bob, &bob, true),
        (&ada, &bob, true),
        (&bob, &ada, false),
    ] {
        let key = if is_of_ada { &mut of_ada } else { &mut of_bob };
        let options = service.options_as(asks, path).await;
        let reply = post(posts, key.get(&options)).await;
        assert_refused(&reply, 401, INVALID);
    }
    // A challenge that Ada's session was given, in Bob's session with Bob's key.
    let options = service.options_as(&ada, path).await;
    assert_refused(&post(&bob, of_bob.get(&options)).await, 401, INVALID);
    // Another session of the same person's.
    let other = text(&service.session(ADA).await, "accessToken");
    let options = service.options_as(&ada, path).await;
    let reply = post(&other, of_ada.get(&options)).await;
    if reply.status == 200 {
        let elevated = text(&session(&reply), "accessToken");
        let user = super::factors::elevated_user(&elevated);
        assert_eq!(user, Some(service.id(ADA).await));
    } else {
        assert_refused(&reply, 401, INVALID);
    }
    session(&service.elevate_by_key(&ada, &mut of_ada).await);
    session(&service.elevate_by_key(&bob, &mut of_bob).await);
}

#[tokio::test]
async fn key_is_added_to_the_account_that_asked() {
    let service = Service::start().await;
    service.verified(ADA).await;
    service.verified(BOB).await;
    let ada = text(&service.session(ADA).await, "accessToken");
    let bob = text(&service.session(BOB).await, "accessToken");
    let verify = async |token: &str, credential: Value| {
        let body = json!({"credential": credential, "nickname": "a key"});
        service
            .post_as(token, "/v1/user/webauthn/verify", body)
            .await
    };
    // The challenge of Ada, in Bob's session; the one of a sign-up, in a session.
    let options = service.options_as(&ada, "/v1/user/webauthn/add").await;
    let reply = verify(&bob, SoftwareKey::new().create(&options)).await;
    assert_refused(&reply, 401, INVALID);
    let options = service
        .options("/v1/signup/webauthn", json!({"email": "eve@example.org"}))
        .await;
    let reply = verify(&bob, SoftwareKey::new().create(&options)).await;
    assert_refused(&reply, 401, INVALID);
    // And the one of a session, in a sign-up.
    let options = service.options_as(&ada, "/v1/user/webauthn/add").await;
    let body = json!({"credential": SoftwareKey::new().create(&options)});
    let reply = service.post("/v1/signup/webauthn/verify", body).await;
    assert_refused(&reply, 401, INVALID);
    let keys = "SELECT count(*) FROM postern.security_key";
    assert_eq!(service.value(keys).await, "0");
    assert_eq!(service.value("SELECT count(*) FROM people").await, "2");

    // A key that one person has registered is not another one's as well.
    let mut key = SoftwareKey::new();
    service.add_key(&ada, ADA, &mut key).await;
    let handle = key.handle.clone();
    let mut imitation = SoftwareKey::new();
    imitation.id.clone_from(&key.id);
    for key in [&mut key, &mut imitation] {
        let options = service.options_as(&bob, "/v1/user/webauthn/add").await;
        let reply = verify(&bob, key.create(&options)).await;
        assert!(
            matches!(reply.status, 400 | 401 | 409),
            "{} {}",
            reply.status,
            reply.text
        );
    }
    let mut stranger = SoftwareKey::new();
    stranger.id.clone_from(&key.id);
    let options = service
        .options("/v1/signup/webauthn", json!({"email": "eve@example.org"}))
        .await;
    let body = json!({"credential": stranger.create(&options)});
    let reply = service.post("/v1/signup/webauthn/verify", body).await;
    assert!(
        matches!(reply.status, 400 | 401 | 409),
        "{} {}",
        reply.status,
        reply.text
    );
    assert_eq!(service.value(keys).await, "1");
    key.handle = handle;
    let opened = session(&service.sign_in_by_key(&mut key).await);
    assert_eq!(opened["user"]["email"], ADA);
}

#[tokio::test]
async fn nickname_is_text_of_64_characters() {
    let service = Service::with("accounts.elevation = \"disabled\"").await;
    service.verified(ADA).await;
    let access = text(&service.session(ADA).await, "accessToken");
    let add = async |nickname: Value| {
        let options = service.options_as(&access, "/v1/user/webauthn/add").await;
        let credential = SoftwareKey::new().create(&options);
        let body = json!({"credential": credential, "nickname": nickname});
        service
            .post_as(&access, "/v1/user/webauthn/verify", body)
            .await
    };
    for wrong in [
        json!("x".repeat(65)),
        json!(7),
        json!(["a"]),
        json!("a\u{0}b"),
        json!("x".repeat(100_000)),
    ] {
        let reply = add(wrong).await;
        assert!(matches!(reply.status, 400 | 413), "{}", reply.text);
    }
    let markup = "<script>alert(1)</script>\"'&${link}";
    let long = "é".repeat(64);
    for nickname in [markup, &long] {
        let reply = add(nickname.into()).await;
        assert_eq!(reply.json()["nickname"], nickname, "{}", reply.text);
        let mail = service.notice(ADA).await;
        for part in [mail.html(), &mail.subject] {
            assert!(!part.contains("<script"), "{part}");
        }
        assert!(!mail.subject.contains("alert"), "{}", mail.subject);
    }
    let keys = service.get_as(&access, "/v1/user/webauthn").await;
    assert_eq!(
        keys.header("content-type"),
        "application/json; charset=utf-8"
    );
    let names: BTreeSet<String> = keys
        .json()
        .as_array()
        .unwrap()
        .iter()
        .map(|key| text(key, "nickname"))
        .collect();
    assert_eq!(names, BTreeSet::from([markup.to_owned(), long]));
}

#[tokio::test]
async fn oversize_bodies_are_refused() {
    let service = Service::start().await;
    let person = service.person_with_totp(ADA).await;
    let ticket = service.mfa_ticket(ADA).await;
    for filler in ["A".repeat(2_000), "A".repeat(20_000), "A".repeat(200_000)] {
        let options = json!({"rpId": "localhost", "challenge": "aaaa"});
        let mut signed = SoftwareKey::new().get(&options);
        signed["response"]["clientDataJSON"] = filler.as_str().into();
        let mut long_id = SoftwareKey::new().get(&options);
        long_id["id"] = filler.as_str().into();
        long_id["rawId"] = filler.as_str().into();
        let creation = json!({"rp": {"id": "localhost"}, "challenge": "aaaa", "user": {"id": "aaaa"},
            "pubKeyCredParams": [{"type": "public-key", "alg": -7}]});
        let mut created = SoftwareKey::new().create(&creation);
        created["response"]["attestationObject"] = filler.as_str().into();
        for (path, body) in [
            (
                "/v1/signin/mfa/totp",
                json!({"ticket": ticket, "otp": filler}),
            ),
            (
                "/v1/signin/mfa/totp",
                json!({"ticket": filler, "otp": "000000"}),
            ),
            ("/v1/signin/webauthn", json!({"email": filler})),
            ("/v1/signin/webauthn/verify", json!({"credential": signed})),
            ("/v1/signin/webauthn/verify", json!({"credential": long_id})),
            ("/v1/signup/webauthn/verify", json!({"credential": created})),
            ("/v1/elevate/totp", json!({"otp": filler})),
            (
                "/v1/user/mfa",
                json!({"activeMfaType": filler, "code": "1"}),
            ),
            ("/v1/user/webauthn/remove", json!({"id": filler})),
        ] {
            let reply = service.post_as(&person.access, path, body).await;
            assert!(
                matches!(reply.status, 400 | 401 | 403 | 413),
                "{path}: {} {}",
                reply.status,
                reply.text
            );
        }
    }
    session(
        &service
            .second_step(&ticket, &service.unused_code(&person.app).await)
            .await,
    );
}

/// Somebody signs up with Ada's address, adds a key, and waits for her.
#[tokio::test]
async fn first_proof_drops_keys_from_before() {
    let service = Service::with("accounts.verify = false").await;
    let reply = service.sign_up_with(ADA, OTHER, json!({})).await;
    let stolen = text(&session(&reply), "accessToken");
    let mut key = SoftwareKey::new();
    service.add_key(&stolen, ADA, &mut key).await;
    session(&service.sign_in_by_key(&mut key).await);
    let elevated = session(&service.elevate_by_key(&stolen, &mut key).await);
    let elevated = text(&elevated, "accessToken");
    // With a second factor the owner of the address would be locked out.
    let app = service.generate(&elevated).await;
    for body in [
        json!({"activeMfaType": "totp", "code": app.code()}),
        json!({"activeMfaType": "webauthn"}),
    ] {
        let reply = service.post_as(&elevated, "/v1/user/mfa", body).await;
        assert_refused(&reply, 401, "unverified-user");
    }

    // She proves the address with a code. It does not ask for what is not hers.
    let code = service.code(ADA).await;
    let opened = session(&service.enter(ADA, &code).await);
    assert_eq!(opened["user"]["activeMfaType"], Value::Null);
    assert_refused(&service.sign_in_by_key(&mut key).await, 401, INVALID);
    let reply = service.sign_in_with(ADA, OTHER).await;
    assert_refused(&reply, 401, "invalid-email-password");
    let left = "SELECT count(*) FROM postern.security_key";
    assert_eq!(service.value(left).await, "0");
    // Nor does the session from before change anything, elevated as it was.
    let reply = service.elevate(&elevated, &app.code()).await;
    assert!(matches!(reply.status, 400 | 401 | 403), "{}", reply.text);
    let reply = service
        .post_nothing(&elevated, "/v1/user/mfa/recovery-codes")
        .await;
    assert!(matches!(reply.status, 401 | 403), "{}", reply.text);
    let reply = service
        .post_nothing(&elevated, "/v1/user/webauthn/add")
        .await;
    assert!(matches!(reply.status, 401 | 403), "{}", reply.text);
}

/// The same without a session: a sign-up by passkey, whose mail goes to Ada.
#[tokio::test]
async fn key_of_a_contested_sign_up_is_nobodys() {
    let service = Service::start().await;
    let sign_up = async |key: &mut SoftwareKey| {
        let options = service
            .options("/v1/signup/webauthn", json!({"email": ADA}))
            .await;
        let body = json!({"credential": key.create(&options)});
        let reply = service.post("/v1/signup/webauthn/verify", body).await;
        assert_eq!(reply.json(), json!({"session": null}), "{}", reply.text);
    };
    let mut first = SoftwareKey::new();
    sign_up(&mut first).await;
    service.mailbox.next(ADA).await;
    // A link that she asks for herself proves the address, and drops the key.
    let location = service.click(&service.link(ADA).await).await;
    assert!(parameter(&location, "refreshToken").is_some(), "{location}");
    assert_refused(&service.sign_in_by_key(&mut first).await, 401, INVALID);

    // Two sign-ups before the first proof: nobody knows whose the key is.
    let service = Service::start().await;
    let sign_up = async |key: &mut SoftwareKey| {
        let options = service
            .options("/v1/signup/webauthn", json!({"email": ADA}))
            .await;
        let body = json!({"credential": key.create(&options)});
        service.post("/v1/signup/webauthn/verify", body).await;
    };
    let mut first = SoftwareKey::new();
    sign_up(&mut first).await;
    service.mailbox.next(ADA).await;
    service.sign_up(ADA).await;
    let link = service.mailbox.next(ADA).await.link();
    assert!(service.click(&link).await.contains("refreshToken="));
    assert_refused(&service.sign_in_by_key(&mut first).await, 401, INVALID);
    let reply = service.sign_in_with(ADA, PASSWORD).await;
    assert_refused(&reply, 401, "invalid-email-password");
    // Nor does a second passkey join the first one.
    let service = Service::start().await;
    service.sign_up(BOB).await;
    let link = service.mailbox.next(BOB).await.link();
    let options = service
        .options("/v1/signup/webauthn", json!({"email": BOB}))
        .await;
    let mut key = SoftwareKey::new();
    let body = json!({"credential": key.create(&options)});
    service.post("/v1/signup/webauthn/verify", body).await;
    service.mailbox.next(BOB).await;
    service.click(&link).await;
    assert_refused(&service.sign_in_by_key(&mut key).await, 401, INVALID);
}

/// Somebody signs up with Ada's address by a passkey that is two factors. She sets a password,
/// which is what people do who are told that they have an account.
#[tokio::test]
async fn reset_removes_keys_of_somebody_else() {
    for is_link_clicked in [false, true] {
        let service = Service::start().await;
        let options = service
            .options("/v1/signup/webauthn", json!({"email": ADA}))
            .await;
        let mut key = SoftwareKey::new();
        let body = json!({"credential": key.create(&options)});
        let reply = service.post("/v1/signup/webauthn/verify", body).await;
        assert_eq!(reply.json(), json!({"session": null}), "{}", reply.text);
        let link = service.mailbox.next(ADA).await.link();
        let mut stolen = None;
        if is_link_clicked {
            assert!(service.click(&link).await.contains("refreshToken="));
            stolen = Some(session(&service.sign_in_by_key(&mut key).await));
        }
        let ticket = service.reset(ADA).await;
        let body = json!({"ticket": ticket, "newPassword": OTHER});
        service.ok("/v1/user/password", body).await;
        service.notice(ADA).await;
        assert_refused(&service.sign_in_by_key(&mut key).await, 401, INVALID);
        let keys = "SELECT count(*) FROM postern.security_key";
        assert_eq!(service.value(keys).await, "0");
        if let Some(stolen) = stolen {
            let refresh = text(&stolen, "refreshToken");
            assert_eq!(service.refresh(&refresh).await.status, 401);
            let rows = service.audit(&["factor-removed"]).await;
            assert_eq!(rows, ["factor-removed success passkey"]);
        } else {
            assert_invalid_ticket(&service.click(&link).await);
        }
        // Nor does it come back as the key of the same person.
        let opened = session(&service.sign_in_with(ADA, OTHER).await);
        let listed = service
            .get_as(&text(&opened, "accessToken"), "/v1/user/webauthn")
            .await;
        assert_eq!(listed.json(), json!([]));
        assert_refused(&service.sign_in_by_key(&mut key).await, 401, INVALID);
    }
}

/// Whoever has got hold of a session adds a key, which signs in for as long as it is there.
#[tokio::test]
async fn reset_removes_keys_of_a_stolen_session() {
    let service = Service::start().await;
    service.verified(ADA).await;
    let stolen = text(&service.session(ADA).await, "accessToken");
    let mut key = SoftwareKey::new();
    service.add_key(&stolen, ADA, &mut key).await;
    let mut of_bob = service.person_with_key(BOB).await;
    let ticket = service.reset(ADA).await;
    let body = json!({"ticket": ticket, "newPassword": OTHER});
    service.ok("/v1/user/password", body).await;
    assert_refused(&service.sign_in_by_key(&mut key).await, 401, INVALID);
    session(&service.sign_in_by_key(&mut of_bob).await);
}

/// Keys that only their owner can have added stay, or a mailbox would do in place of them.
#[tokio::test]
async fn reset_keeps_keys_that_a_second_factor_protects() {
    let service = Service::start().await;
    let reset = async |email: &str| {
        let ticket = service.reset(email).await;
        let body = json!({"ticket": ticket, "newPassword": OTHER});
        service.ok("/v1/user/password", body).await;
        service.notice(email).await;
    };
    let mut key = service.person_with_key(ADA).await;
    let access = text(&service.session(ADA).await, "accessToken");
    let elevated = session(&service.elevate_by_key(&access, &mut key).await);
    let elevated = text(&elevated, "accessToken");
    let body = json!({"activeMfaType": "webauthn"});
    service.ok_as(&elevated, "/v1/user/mfa", body).await;
    service.notice(ADA).await;
    reset(ADA).await;
    let first = mfa(&service.sign_in_with(ADA, OTHER).await);
    assert_eq!(first["methods"], json!(["webauthn"]));
    let ticket = json!({"ticket": first["ticket"]});
    let options = service.options("/v1/signin/mfa/webauthn", ticket).await;
    let body = json!({"ticket": first["ticket"], "credential": key.get(&options)});
    let reply = service.post("/v1/signin/mfa/webauthn/verify", body).await;
    assert_eq!(session(&reply)["user"]["activeMfaType"], "webauthn");
    session(&service.sign_in_by_key(&mut key).await);

    let bob = service.person_with_totp(BOB).await;
    let elevated = service.elevated(&bob).await;
    let mut key = SoftwareKey::new();
    service.add_key(&elevated, BOB, &mut key).await;
    reset(BOB).await;
    session(&service.sign_in_by_key(&mut key).await);
    mfa(&service.sign_in_with(BOB, OTHER).await);
}

/// The response to a wrong password is the same, whatever second factor the person has.
#[tokio::test]
async fn second_factor_is_told_to_who_knows_the_first_one() {
    let service = Service::start().await;
    service.person_with_totp(ADA).await;
    service.verified(BOB).await;
    let mut responses = BTreeSet::new();
    for email in [ADA, BOB, "unknown@example.org"] {
        let reply = service.sign_in_with(email, "a wrong password").await;
        responses.insert((reply.status, reply.text));
        let reply = service.enter(email, "000000").await;
        responses.insert((reply.status, reply.text));
    }
    assert_eq!(responses.len(), 2, "{responses:?}");
    // An app of nobody opens nothing.
    let app = AuthenticatorApp::new("GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ");
    let ticket = format!("mfaTotp:{}", uuid::Uuid::new_v4());
    let reply = service.second_step(&ticket, &app.code()).await;
    assert_refused(&reply, 401, "invalid-ticket");
}

/// A first factor that was passed while the second one was off signs in once more at most.
#[tokio::test]
async fn factor_that_is_turned_on_is_asked_for_at_once() {
    let service = Service::start().await;
    service.verified(ADA).await;
    let access = text(&service.session(ADA).await, "accessToken");
    let location = service.click(&service.link(ADA).await).await;
    let handed = parameter(&location, "refreshToken").unwrap();
    let code = service.code(ADA).await;
    let link = service.link(ADA).await;
    let form = Form::read(&service.open(&link).await.text);
    service.turn_on_totp(&access, ADA).await;
    // The token in the address of a redirect is of a session, and those have ended.
    assert_eq!(service.refresh(&handed).await.status, 401);
    assert_refused(&service.enter(ADA, &code).await, 401, "invalid-otp");
    let reply = service.press(&form).await;
    assert_invalid_ticket(reply.header("location"));
    mfa(&service.sign_in_with(ADA, PASSWORD).await);
}

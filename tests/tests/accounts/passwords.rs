//! Passwords: which are accepted, how they are hashed, and how often they may be guessed.

use reqwest::Method;
use serde_json::json;
use tests::service::send;

use super::mailbox::Mailbox;
use super::service::{PASSWORD, Service, assert_refused, builder, session, settings, text};
use crate::http::elsewhere::{Answer, Elsewhere};

const ADA: &str = "ada@example.org";

/// The form of new hashes: argon2id with 19 MiB.
const ARGON2: &str = "$argon2id$v=19$m=19456,t=2,p=1$";

/// `an old password` and 72 letters `a`, hashed by npm's bcryptjs 3.
const OLD: &str = "$2b$10$PbRg27JzZyjUNdM1wq/OfO4yKXtYJzjAQUIPHs1ovEMKc6QjDg1Vi";
const LONG: &str = "$2b$10$e5wpFwK1z1.bOlLvCZepkeh3pbH7/RrCyvxCsv0Eep.bey0RNrMCO";

/// The SHA-1 of [`PASSWORD`] without its first five digits, `98DEC`.
const SUFFIX: &str = "C62ECE399A22ED30D490EF333BE7FDE7385";

/// Stores a user as an import does: with a hash of another program, and a verified address.
async fn import(service: &Service, email: &str, hash: &str) {
    service
        .run(&format!(
            "WITH person AS (INSERT INTO people (email) VALUES ('{email}') RETURNING id::text, email),
             verified AS (INSERT INTO postern.verified_email (user_id, email) SELECT id, email FROM person)
             INSERT INTO postern.password (user_id, hash) SELECT id, '{hash}' FROM person"
        ))
        .await;
}

async fn hash(service: &Service, email: &str) -> String {
    let hash = format!(
        "SELECT p.hash FROM postern.password p JOIN people ON people.id::text = p.user_id WHERE email = '{email}'"
    );
    service.value(&hash).await
}

#[tokio::test]
async fn passwords_empty_short_1024_unicode_and_73_bytes_of_bcrypt() {
    let service = Service::start().await;
    let longest = "ß".repeat(512);
    let too_long = format!("{longest}.");
    for (password, code) in [
        ("", "password-too-short"),
        ("123456789", "password-too-short"),
        ("🔑🔑🔑🔑🔑🔑🔑🔑🔑", "password-too-short"),
        (&too_long, "invalid-request"),
    ] {
        assert_refused(
            &service.sign_up_with(ADA, password, json!({})).await,
            400,
            code,
        );
    }
    for body in [
        json!({"email": ADA}),
        json!({"email": ADA, "password": 7}),
        json!({"password": PASSWORD}),
        json!([]),
    ] {
        assert_refused(
            &service.post("/v1/signup/email-password", body).await,
            400,
            "invalid-request",
        );
    }
    assert_eq!(service.value("SELECT count(*) FROM people").await, "0");

    for (email, password, other) in [
        (ADA, longest.as_str(), "ß".repeat(511)),
        ("bob@example.org", "🔑🔑🔑🔑🔑🔑🔑🔑🔑🔑", "🔑".repeat(11)),
        (
            "eve@example.org",
            " \u{7f}spaces \t\u{0}\n",
            " \u{7f}spaces \t".to_owned(),
        ),
    ] {
        assert_eq!(
            service
                .sign_up_with(email, password, json!({}))
                .await
                .status,
            200,
            "{password:?}"
        );
        service
            .click(&service.mailbox.next(email).await.link())
            .await;
        session(&service.sign_in_with(email, password).await);
        for wrong in [other.as_str(), ""] {
            assert_refused(
                &service.sign_in_with(email, wrong).await,
                401,
                "invalid-email-password",
            );
        }
        assert!(hash(&service, email).await.starts_with(ARGON2));
    }
    assert_eq!(service.sign_in_with(ADA, &too_long).await.status, 400);

    // bcrypt reads 72 bytes. A longer password is not taken for the one that it begins with, and
    // does not replace it.
    let long = "a".repeat(72);
    import(&service, "long@example.org", LONG).await;
    for wrong in [format!("{long}b"), "a".repeat(71)] {
        assert_refused(
            &service.sign_in_with("long@example.org", &wrong).await,
            401,
            "invalid-email-password",
        );
    }
    session(&service.sign_in_with("long@example.org", &long).await);
}

#[tokio::test]
async fn password_is_not_the_address() {
    let service = Service::start().await;
    let reply = service
        .sign_up_with(ADA, "ADA@example.org", json!({}))
        .await;
    assert_eq!(reply.status, 400, "{}", reply.text);
    assert_eq!(service.value("SELECT count(*) FROM people").await, "0");
}

#[tokio::test]
async fn bcrypt_becomes_argon2() {
    let service = Service::start().await;
    // The names that PHP, Go and others give to the same algorithm.
    for (number, name) in ["$2a$", "$2b$", "$2y$"].into_iter().enumerate() {
        let email = format!("person-{number}@example.org");
        let old = OLD.replace("$2b$", name);
        import(&service, &email, &old).await;
        assert_refused(
            &service.sign_in_with(&email, "a wrong password").await,
            401,
            "invalid-email-password",
        );
        assert_eq!(hash(&service, &email).await, old);
        session(&service.sign_in_with(&email, "an old password").await);
        let new = hash(&service, &email).await;
        assert!(new.starts_with(ARGON2), "{new}");
        session(&service.sign_in_with(&email, "an old password").await);
        assert_eq!(hash(&service, &email).await, new);
    }
}

#[tokio::test]
async fn leaked_password_is_refused_and_the_service_may_be_down() {
    let range = Elsewhere::start(Answer::ok(format!(
        "{}:3\r\n{SUFFIX}:42\r\n",
        "0".repeat(35)
    )))
    .await;
    let service = Service::with(&format!("accounts.leaked_passwords = {:?}", range.url(""))).await;
    let reply = service.sign_up_with(ADA, PASSWORD, json!({})).await;
    assert_refused(&reply, 400, "password-in-hibp-database");
    assert_eq!(service.value("SELECT count(*) FROM people").await, "0");
    // Five digits of the hash leave the gateway, and nothing else.
    let asked = range.asked();
    assert_eq!(asked.len(), 1);
    assert!(
        asked[0].head.starts_with("get /range/98dec http/1.1"),
        "{}",
        asked[0].head
    );
    assert!(
        asked[0].head.contains("add-padding: true"),
        "{}",
        asked[0].head
    );
    assert!(!asked[0].head.contains(&SUFFIX.to_lowercase()) && asked[0].body.is_empty());

    // A change of the password asks too.
    let other = "tr0ub4dor and three";
    assert_eq!(
        service.sign_up_with(ADA, other, json!({})).await.status,
        200
    );
    service.click(&service.mailbox.next(ADA).await.link()).await;
    let ticket = service.reset(ADA).await;
    let change = json!({"ticket": ticket, "newPassword": PASSWORD});
    assert_refused(
        &service.post("/v1/user/password", change.clone()).await,
        400,
        "password-in-hibp-database",
    );
    // Padding has the count 0. The refusal has left the ticket.
    range.answer(Answer::ok(format!("{SUFFIX}:0\r\n")));
    service.ok("/v1/user/password", change).await;
    session(&service.sign_in_with(ADA, PASSWORD).await);

    for (number, response) in [
        Answer::of("500 Internal Server Error", format!("{SUFFIX}:42")),
        Answer::of("302 Found", "").with("Location: http://127.0.0.1:1/"),
        Answer::ok("<html>maintenance</html>"),
    ]
    .into_iter()
    .enumerate()
    {
        range.answer(response);
        service
            .sign_up(&format!("person-{number}@example.org"))
            .await;
    }
    drop(range);
    service.sign_up("last@example.org").await;
}

/// With the rates that a gateway has by itself.
#[tokio::test]
async fn guesses_are_limited_and_the_response_says_how_long() {
    let mailbox = Mailbox::start().await;
    let mut file: toml::Table = settings(&mailbox.url(), "").parse().unwrap();
    file.remove("rates");
    let id = uuid::Uuid::new_v4();
    let body = json!({"email": ADA, "password": "a wrong password", "otp": "000000",
        "ticket": format!("passwordReset:{id}"), "newPassword": PASSWORD});
    for path in [
        "/v1/signin/email-password",
        "/v1/signin/otp/email/verify",
        "/v1/user/password",
    ] {
        let service = builder(&file.to_string()).start().await;
        let mut count = 0;
        let limited = loop {
            let reply = send(service.request(Method::POST, path).json(&body)).await;
            if reply.status != 401 {
                break reply;
            }
            count += 1;
            assert!(count < 40, "nothing limits {path}");
        };
        assert!(count >= 5, "{path}: {count}");
        assert_refused(&limited, 429, "too-many-requests");
        assert!(!limited.header("retry-after").is_empty(), "{path}");
    }
}

#[tokio::test]
async fn limit_spares_known_device() {
    let service = Service::with("trusted_proxies = [\"127.0.0.1\"]").await;
    service.verified(ADA).await;
    let sign_in = async |email: &str, password: &str, address: &str| {
        let body = json!({"email": email, "password": password});
        let request = service.request(Method::POST, "/v1/signin/email-password");
        send(request.header("x-forwarded-for", address).json(&body)).await
    };
    let known = "198.51.100.1";
    let opened = session(&sign_in(ADA, PASSWORD, known).await);
    // A program signs in by a token, from an address that people share.
    let with_token = "198.51.100.2";
    let body = json!({"expiresAt": "2030-01-01T00:00:00Z", "metadata": {"name": "a token"}});
    let made = service
        .post_as(&text(&opened, "accessToken"), "/v1/pat", body)
        .await;
    let body = json!({"personalAccessToken": text(&made.json(), "personalAccessToken")});
    let request = service.request(Method::POST, "/v1/signin/pat");
    let request = request.header("x-forwarded-for", with_token).json(&body);
    session(&send(request).await);
    for email in [ADA, "nobody@example.org"] {
        for number in 1..=20 {
            let reply = sign_in(email, "a wrong password", &format!("203.0.113.{number}")).await;
            assert_refused(&reply, 401, "invalid-email-password");
        }
        // From an address that has tried nothing yet, in any spelling, and with the right password.
        for email in [email.to_owned(), email.to_uppercase()] {
            let reply = sign_in(&email, PASSWORD, "203.0.113.21").await;
            assert_refused(&reply, 429, "too-many-requests");
        }
    }
    let reply = sign_in(ADA, PASSWORD, with_token).await;
    assert_refused(&reply, 429, "too-many-requests");
    // Where the person has signed in before, they still do, and the others may try again.
    assert_eq!(sign_in(ADA, PASSWORD, known).await.status, 200);
    let reply = sign_in(ADA, "a wrong password", "203.0.113.21").await;
    assert_refused(&reply, 401, "invalid-email-password");
    let stored = service
        .value("SELECT string_agg(t::text, ' ') FROM postern.credential_tries t")
        .await;
    assert!(!stored.contains('@'), "{stored}");
}

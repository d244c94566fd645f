//! Codes in mails: six digits that work once, five times tried, for the address that they were sent
//! to.

use futures_util::future::join_all;
use serde_json::json;
use tests::service::send;

use super::service::{Service, assert_refused, session};

const ADA: &str = "ada@example.org";

/// Codes that are not this one.
fn others(code: &str) -> impl Iterator<Item = String> {
    let code: u32 = code.parse().unwrap();
    (1..).map(move |step| format!("{:06}", (code + step) % 1_000_000))
}

#[tokio::test]
async fn code_works_once() {
    let service = Service::start().await;
    let code = service.code(ADA).await;
    let user = session(&service.enter("ADA@example.org", &code).await)["user"].clone();
    assert_eq!(user["email"], ADA);
    assert_refused(&service.enter(ADA, &code).await, 401, "invalid-otp");
    let old = service.code(ADA).await;
    let new = service.code(ADA).await;
    if old != new {
        assert_refused(&service.enter(ADA, &old).await, 401, "invalid-otp");
    }
    session(&service.enter(ADA, &new).await);
}

#[tokio::test]
async fn all_wrong_codes_have_one_answer() {
    let service = Service::start().await;
    let code = service.code(ADA).await;
    service.code("bob@example.org").await;
    let wrong = others(&code).next().unwrap();
    let expired = service.code("eve@example.org").await;
    service
        .run(
            "UPDATE postern.ticket SET created_at = created_at - interval '2 days', \
        expires_at = expires_at - interval '2 days' WHERE email = 'eve@example.org'",
        )
        .await;
    let mut texts = vec![];
    for (email, code) in [
        (ADA, wrong.as_str()),
        (ADA, ""),
        (ADA, "12345"),
        (ADA, &format!(" {code}")),
        ("bob@example.org", &code),
        ("unknown@example.org", &code),
        ("eve@example.org", &expired),
    ] {
        let reply = service.enter(email, code).await;
        assert_refused(&reply, 401, "invalid-otp");
        texts.push(reply.text);
    }
    texts.dedup();
    assert_eq!(texts.len(), 1, "{texts:?}");
    for body in [
        json!({"email": ADA}),
        json!({"email": ADA, "otp": 123_456}),
        json!({"otp": code}),
    ] {
        let reply = service.post("/v1/signin/otp/email/verify", body).await;
        assert_refused(&reply, 400, "invalid-request");
    }
    session(&service.enter(ADA, &code).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn five_tries_in_parallel_too() {
    let service = Service::start().await;
    let other = service.another("").await;
    let code = service.code(ADA).await;
    let guesses = others(&code).take(40).enumerate().map(|(number, guess)| {
        let gateway = if number % 2 == 0 {
            &service.gateway
        } else {
            &other
        };
        let url = format!("{}/v1/signin/otp/email/verify", gateway.url());
        send(
            service
                .client
                .post(url)
                .json(&json!({"email": ADA, "otp": guess})),
        )
    });
    // More than twenty are not even compared.
    let replies = join_all(guesses).await;
    let count = |status| {
        replies
            .iter()
            .filter(|reply| reply.status == status)
            .count()
    };
    assert_eq!((count(401), count(429)), (20, 20));
    service.run("DELETE FROM postern.credential_tries").await;
    assert_refused(&service.enter(ADA, &code).await, 401, "invalid-otp");
    assert_eq!(
        service.value("SELECT attempts FROM postern.ticket").await,
        "5"
    );

    // The fifth try may be the right one, and a new code has five of its own.
    let code = service.code(ADA).await;
    for guess in others(&code).take(4) {
        assert_refused(&service.enter(ADA, &guess).await, 401, "invalid-otp");
    }
    session(&service.enter(ADA, &code).await);
    // Of the same code at the same time, one opens a session.
    let code = service.code(ADA).await;
    let replies = join_all((0..4).map(|_| service.enter(ADA, &code))).await;
    assert_eq!(
        replies.iter().filter(|reply| reply.status == 200).count(),
        1
    );
}

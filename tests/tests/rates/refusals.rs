//! Tests the buckets of requests that fail authentication, and those of signing in.

use std::time::{Duration, Instant};

use reqwest::RequestBuilder;
use tests::wait::until;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use super::service::{SIGN_IN, Service, count, send};

const STRICT: &str = "[[rates]]\nname = \"refused\"\nrate = 5\nevery = 3600\n";

#[tokio::test]
async fn too_many_failed_authentications_block_the_address() {
    let service = Service::with(STRICT).await;
    assert_eq!(service.statuses(20, || service.author(1)).await, [200; 20]);
    let wrong = || {
        service
            .post()
            .header("X-Gateway-Admin-Secret", "open barley")
    };
    assert_eq!(service.statuses(4, wrong).await, [401; 4]);
    assert_eq!(service.statuses(1, || service.author(1)).await, [200]);
    assert_eq!(
        service
            .statuses(2, || service.post().bearer_auth("x"))
            .await,
        [401, 429]
    );
    // Further requests are refused even with the correct secret, so a guess cannot be confirmed.
    let reply = send(service.reader()).await;
    assert_eq!(
        (reply.status, reply.header("ratelimit-policy")),
        (429, "\"refused\";q=5;w=3600")
    );
    assert!(service.counted("refused", "enforce") >= 2);
    // A disallowed role is not a failed authentication.
    let other = Service::with(STRICT).await;
    let forbidden = || other.author(1).header("X-Gateway-Role", "visitor");
    assert_eq!(other.statuses(10, forbidden).await, [403; 10]);
}

#[tokio::test]
async fn failed_authentication_counts_before_the_body_arrives() {
    let service = Service::with(STRICT).await;
    let head = "POST /v1/graphql HTTP/1.1\r\nHost: x\r\nX-Gateway-Admin-Secret: open barley\r\n\
        Content-Type: application/json\r\nContent-Length: 100\r\n\r\n";
    let url = service.url("");
    let address = url.trim_start_matches("http://");
    let mut open = vec![];
    for _ in 0..5 {
        let mut stream = TcpStream::connect(address).await.unwrap();
        stream.write_all(head.as_bytes()).await.unwrap();
        open.push(stream);
    }
    // The gateway waits for their bodies for five seconds, and answers them only then. Requests
    // that succeed are not counted.
    let begun = Instant::now();
    until("the address is blocked", async || {
        service.statuses(1, || service.author(1)).await == [429]
    })
    .await;
    assert!(
        begun.elapsed() < Duration::from_secs(5),
        "{:?}",
        begun.elapsed()
    );
}

/// Sends all guesses at once, before any of them has a response.
async fn at_once(requests: Vec<RequestBuilder>) -> Vec<u16> {
    let all = requests.into_iter().map(tests::reply::Reply::of);
    futures_util::future::join_all(all)
        .await
        .into_iter()
        .map(|reply| reply.unwrap().status)
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn parallel_guesses_do_not_exceed_the_rate() {
    let file = format!(
        "[[rates]]\nname = \"refused\"\nrate = 20\nevery = 3600\n\
         [[rates]]\nname = \"sign-in\"\npaths = [\"{SIGN_IN}\"]\nrate = 20\nevery = 3600\n"
    );
    let service = Service::with(&file).await;
    let secret = |number: usize| {
        service
            .post()
            .header("X-Gateway-Admin-Secret", format!("guess {number}"))
    };
    let guesses = at_once((0..200).map(secret).collect()).await;
    assert_eq!((count(&guesses, 401), count(&guesses, 429)), (20, 180));
    let words = (0..200)
        .map(|_| {
            service
                .client
                .post(service.url(SIGN_IN))
                .header("X-Word", "foe")
        })
        .collect();
    let guesses = at_once(words).await;
    assert_eq!((count(&guesses, 401), count(&guesses, 429)), (20, 180));
}

#[tokio::test(flavor = "multi_thread")]
async fn successful_parallel_requests_consume_nothing() {
    let service = Service::with("[[rates]]\nname = \"refused\"\nrate = 20\nevery = 3600\n").await;
    for _ in 0..10 {
        let statuses = at_once((0..15).map(|_| service.author(1)).collect()).await;
        assert_eq!(count(&statuses, 200), 15);
    }
    let statuses = service
        .statuses(25, || service.post().bearer_auth("x"))
        .await;
    assert_eq!((count(&statuses, 401), count(&statuses, 429)), (20, 5));
}

#[tokio::test(flavor = "multi_thread")]
async fn guesses_of_the_metrics_secret_are_limited() {
    let service = Service::with("metrics_secret = \"a secret of prometheus\"\n").await;
    let metrics = |secret: &str| {
        service
            .client
            .get(service.url("/metrics"))
            .bearer_auth(secret)
    };
    for _ in 0..20 {
        assert_eq!(send(metrics("a secret of prometheus")).await.status, 200);
    }
    let guesses = at_once((0..60).map(|number| metrics(&number.to_string())).collect()).await;
    assert_eq!((count(&guesses, 401), count(&guesses, 429)), (10, 50));
    assert_eq!(send(metrics("a secret of prometheus")).await.status, 429);
    assert_eq!(
        send(service.client.get(service.url("/healthz")))
            .await
            .status,
        200
    );
    assert_eq!(service.statuses(1, || service.reader()).await, [200]);
}

#[tokio::test]
async fn hasura_dialect_refusals_with_status_200_are_counted() {
    let service = Service::with(&format!("profile = \"hasura\"\n{STRICT}")).await;
    let wrong = || {
        service
            .post()
            .header("X-Hasura-Admin-Secret", "open barley")
    };
    assert_eq!(
        service.statuses(6, wrong).await,
        [200, 200, 200, 200, 200, 429]
    );
}

#[tokio::test]
async fn ten_failed_sign_ins_are_allowed_by_default() {
    let service = Service::with(&format!(
        "[[rates]]\nname = \"sign-in\"\npaths = [\"{SIGN_IN}\"]\n"
    ))
    .await;
    let sign_in = |word: &'static str| {
        service
            .client
            .post(service.url(SIGN_IN))
            .header("X-Word", word)
    };
    assert_eq!(service.statuses(15, || sign_in("friend")).await, [200; 15]);
    let failures = service.statuses(12, || sign_in("foe")).await;
    assert_eq!((count(&failures, 401), count(&failures, 429)), (10, 2));
    let reply = send(sign_in("friend")).await;
    assert_eq!(
        (reply.status, reply.json()["status"].as_str()),
        (429, Some("error"))
    );
    // Requests to the engine have other buckets.
    assert_eq!(service.statuses(3, || service.reader()).await, [200; 3]);
}

#[tokio::test]
async fn sign_in_has_its_own_bucket_that_can_be_disabled() {
    let sign_in = |service: &Service| -> RequestBuilder {
        service
            .client
            .post(service.url(SIGN_IN))
            .header("X-Word", "friend")
    };
    let service = Service::with("").await;
    let statuses = service.statuses(103, || sign_in(&service)).await;
    assert!(
        (100..=101).contains(&count(&statuses, 200)),
        "{}",
        count(&statuses, 200)
    );
    assert_eq!(service.statuses(1, || service.reader()).await, [200]);
    let open = Service::with("[[rates]]\nname = \"authentication\"\nmode = \"off\"\n").await;
    assert_eq!(
        count(&open.statuses(150, || sign_in(&open)).await, 200),
        150
    );
}

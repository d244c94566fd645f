//! Tests the responses that clients get from rate limits: status, headers and error format.

use reqwest::Method;
use tests::reply::ReplyError;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::service::{NAMED, Service, send, token};

const TWICE: &str =
    "[[rates]]\nname = \"address\"\nper = [\"address\"]\nrate = 2\nevery = 60\nburst = 3\n";

#[tokio::test]
async fn headers_report_the_remaining_requests() {
    let service = Service::with(TWICE).await;
    let reply = send(service.reader()).await;
    assert_eq!(reply.header("ratelimit-policy"), "\"address\";q=3;w=90");
    assert_eq!(reply.header("ratelimit"), "\"address\";r=2;t=30");
    assert_eq!((reply.status, reply.header("retry-after")), (200, ""));
    // Health checks have no limit, and no headers.
    let health = send(service.client.get(service.url("/healthz"))).await;
    assert_eq!(health.header("ratelimit"), "");
}

#[tokio::test]
async fn tightest_rule_is_reported() {
    let service = Service::with(&format!(
        "{TWICE}[[rates]]\nname = \"user\"\nper = [\"session.user_id\"]\nrate = 1\n"
    ))
    .await;
    assert_eq!(
        send(service.author(1)).await.header("ratelimit"),
        "\"user\";r=0;t=1"
    );
    assert_eq!(
        send(service.reader())
            .await
            .header("ratelimit")
            .split(';')
            .next(),
        Some("\"address\"")
    );
}

#[tokio::test]
async fn refusal_has_the_error_format_of_its_endpoint() {
    let service = Service::with(TWICE).await;
    assert_eq!(service.statuses(3, || service.reader()).await, [200; 3]);
    let reply = send(service.reader()).await;
    let message =
        "too many requests: the limit 'address' is 2 in 60 seconds; try again in 30 seconds";
    assert_eq!(reply.error(), ReplyError::new(429, "rate-limited", message));
    assert!(reply.is_sound_error(), "{}", reply.text);
    assert_eq!(
        (reply.header("retry-after"), reply.header("ratelimit")),
        ("30", "\"address\";r=0;t=90")
    );
    assert_eq!(
        reply.header("content-type"),
        "application/json; charset=utf-8"
    );
    let strict = send(
        service
            .reader()
            .header("Accept", "application/graphql-response+json"),
    )
    .await;
    assert_eq!(strict.status, 429);
    assert!(
        strict
            .header("content-type")
            .starts_with("application/graphql-response+json"),
        "{:?}",
        strict.headers
    );
    let named = send(service.client.post(service.url(NAMED))).await;
    assert_eq!(
        (named.status, named.json()["status"].as_str()),
        (429, Some("error")),
        "{}",
        named.text
    );
    assert!(
        named.json()["data"].is_null() && named.header("retry-after") == "30",
        "{}",
        named.text
    );
}

#[tokio::test]
async fn hasura_dialect_has_its_error_format() {
    let rules = TWICE
        .replace("rate = 2", "rate = 1")
        .replace("burst = 3", "burst = 1");
    let service = Service::with(&format!("profile = \"hasura\"\n{rules}")).await;
    let ask = || {
        service
            .post()
            .header("X-Hasura-Admin-Secret", super::service::SECRET)
    };
    assert_eq!(send(ask()).await.status, 200);
    let reply = send(ask()).await;
    assert_eq!(
        (reply.status, reply.error().code.as_str()),
        (429, "rate-limited")
    );
    assert!(
        reply.error().message.contains("\"address\""),
        "{}",
        reply.text
    );
    let named = send(service.client.post(service.url(NAMED))).await;
    assert_eq!(
        (named.status, named.json()["code"].as_str()),
        (429, Some("rate-limited")),
        "{}",
        named.text
    );
}

#[tokio::test]
async fn rate_limit_headers_are_exposed_to_cors_origins() {
    let service = Service::with(&format!("cors_origins = [\"https://a.example\"]\n{TWICE}")).await;
    let reply = send(service.reader().header("Origin", "https://a.example")).await;
    let exposed = reply.header("access-control-expose-headers");
    assert!(
        ["Retry-After", "RateLimit", "RateLimit-Policy"]
            .iter()
            .all(|name| exposed.contains(name)),
        "{exposed}"
    );
    // A preflight request does not count.
    let preflight = service
        .client
        .request(Method::OPTIONS, service.url("/v1/graphql"))
        .header("Origin", "https://a.example");
    let preflight = send(preflight.header("Access-Control-Request-Method", "POST")).await;
    assert_eq!((preflight.status, preflight.header("ratelimit")), (204, ""));
}

#[tokio::test]
async fn rate_limit_applies_before_token_and_body_are_read() {
    let service = Service::with(&TWICE.replace("burst = 3", "burst = 1")).await;
    assert_eq!(send(service.author(1)).await.status, 200);
    let bad = send(service.post().bearer_auth("no token")).await;
    assert_eq!(bad.error().code, "rate-limited");
    let head = format!(
        "POST /v1/graphql HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer \
                        {}\r\nContent-Type: application/json\r\n\
                        Expect: 100-continue\r\nContent-Length: 100\r\nConnection: close\r\n\r\n",
        token(1)
    );
    let mut socket = tokio::net::TcpStream::connect(service.gateway.address())
        .await
        .unwrap();
    socket.write_all(head.as_bytes()).await.unwrap();
    let mut response = [0; 12];
    socket.read_exact(&mut response).await.unwrap();
    assert_eq!(&response, b"HTTP/1.1 429");
}

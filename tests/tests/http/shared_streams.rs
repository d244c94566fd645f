//! Tests which event streams shared caches may hold: those of live queries that are the same for
//! all callers without credentials, and no others.

use reqwest::{RequestBuilder, Response};
use serde_json::json;
use tests::service::ADMIN_SECRET;

use super::service::{PERMISSIONS, SCHEMA, Service, send};
use super::token;
use super::websocket_client::PATIENCE;

const NAMES: &str = "subscription { authors(order_by: {name: asc}) { name } }";

/// Anybody may read the names of authors, and views whose rows change without a write.
const SETTINGS: &str = "unauthorized_role = \"visitor\"\nevent_stream_max_age = 7\n";

/// Views with the clock and a volatile function, and a table of which a visitor reads rows by a
/// session value.
async fn service(settings: &str) -> Service {
    let schema = format!(
        "{SCHEMA} CREATE VIEW moments AS SELECT name, now() AS at FROM authors; \
         CREATE VIEW draws AS SELECT name, random() AS drawn FROM authors; \
         CREATE TABLE visits (id int PRIMARY KEY, at timestamptz NOT NULL); \
         CREATE TABLE notes (id int PRIMARY KEY, author text NOT NULL); \
         CREATE VIEW inverses AS SELECT id, 1 / (id - 1) AS inverse FROM authors;"
    );
    let all = ["moments", "draws", "visits", "inverses"].map(|table| {
        format!("[table.{table}.role.visitor]\nselect = {{ columns = \"*\", rows = \"true\" }}\n")
    });
    let own = "[table.notes.role.visitor]\nselect = { columns = \"*\", rows = \"author = \
               session.author\" }\n";
    let session = PERMISSIONS.replace("user_id = \"int\"", "user_id = \"int\"\nauthor = \"text\"");
    let permissions = format!("{session}\n{}{own}", all.concat());
    Service::of_tables(&schema, &permissions, &format!("{SETTINGS}{settings}")).await
}

/// A request as `EventSource` sends it.
fn stream(service: &Service, query: &str) -> RequestBuilder {
    service
        .get("/v1/graphql")
        .header("Accept", "text/event-stream")
        .query(&[("query", query)])
}

/// Adds a header without which a page could send the request.
fn preflighted(request: RequestBuilder) -> RequestBuilder {
    request.header("Apollo-Require-Preflight", "1")
}

async fn opened(request: RequestBuilder) -> Response {
    let response = request.send().await.unwrap();
    assert_eq!(response.status(), 200);
    assert_eq!(
        response.headers()["content-type"],
        "text/event-stream; charset=utf-8"
    );
    response
}

async fn cache_control(request: RequestBuilder) -> String {
    opened(request).await.headers()["cache-control"]
        .to_str()
        .unwrap()
        .to_owned()
}

fn vary(response: &Response) -> Vec<String> {
    let values = response
        .headers()
        .get_all("vary")
        .iter()
        .flat_map(|value| value.to_str().unwrap().split(", "));
    values.map(str::to_ascii_lowercase).collect()
}

/// Fails unless the request is refused without a header that causes a preflight, and its stream is
/// not stored with one.
async fn is_private(what: &str, request: impl Fn() -> RequestBuilder) {
    let reply = send(request()).await;
    assert_eq!(
        (reply.status, reply.header("cache-control")),
        (400, "no-store"),
        "{what}: {}",
        reply.text
    );
    assert!(
        reply.text.contains("a foreign page cannot send"),
        "{what}: {}",
        reply.text
    );
    assert_eq!(
        cache_control(preflighted(request())).await,
        "no-store",
        "{what}"
    );
}

#[tokio::test]
async fn live_query_that_is_the_same_for_all_may_be_cached() {
    let service = service("").await;
    let mut response = opened(stream(&service, NAMES)).await;
    assert_eq!(response.headers()["cache-control"], "public, max-age=7");
    let vary = vary(&response);
    for name in [
        "authorization",
        "x-gateway-role",
        "x-gateway-admin-secret",
        "accept",
        "x-graphql-event-stream-token",
    ] {
        assert!(vary.contains(&name.to_owned()), "{name}: {vary:?}");
    }
    assert!(
        !vary.contains(&"cookie".to_owned()),
        "no issuer has cookies"
    );
    let mut read = String::new();
    while !read.contains("event: next") {
        read += std::str::from_utf8(&response.chunk().await.unwrap().unwrap()).unwrap();
    }
    assert!(
        read.contains("{\"data\":{\"authors\":[{\"name\":"),
        "{read}"
    );
    // Cookies of others are no credentials.
    assert_eq!(
        cache_control(stream(&service, NAMES).header("Cookie", "theme=dark")).await,
        "public, max-age=7"
    );
}

#[tokio::test]
async fn results_that_depend_on_the_caller_or_the_time_are_not_cached() {
    let service = service("").await;
    let documents = [
        ("the clock", "subscription { moments { name at } }"),
        (
            "a volatile function",
            "subscription { draws { name drawn } }",
        ),
        (
            "a value that stands for the clock",
            "subscription { visits(where: {at: {_lt: \"now\"}}) { id } }",
        ),
        ("a session value", "subscription { notes { id } }"),
        (
            "a stream of rows",
            "subscription { visits_stream(batch_size: 1, cursor: {initial_value: {id: 0}}) { id \
             } }",
        ),
        ("a query", "{ authors { name } }"),
        ("a query without rows", "{ __typename }"),
        ("a subscription without rows", "subscription { __typename }"),
        (
            "what the role may not read",
            "subscription { articles { id } }",
        ),
    ];
    for (what, document) in documents {
        is_private(what, || stream(&service, document)).await;
    }
    let body = json!({"query": NAMES});
    let post = service
        .post()
        .header("Accept", "text/event-stream")
        .json(&body);
    assert_eq!(cache_control(post).await, "no-store");
    // A stream for all operations belongs to its caller.
    let token = send(service.client.put(service.url("/v1/graphql")))
        .await
        .text;
    let reserved = service
        .get("/v1/graphql")
        .header("Accept", "text/event-stream")
        .query(&[("token", &token)]);
    assert_eq!(cache_control(reserved).await, "no-store");
}

#[tokio::test]
async fn nothing_is_cached_for_callers_who_may_have_credentials() {
    let service = service("").await;
    let with = |name: &str, value: &str| stream(&service, NAMES).header(name, value);
    let author = format!("Bearer {}", token::good());
    let secret = with("X-Gateway-Admin-Secret", ADMIN_SECRET).header("X-Gateway-Role", "reader");
    for request in [
        with("Authorization", &author),
        with("X-Gateway-Role", "visitor"),
        secret,
    ] {
        assert_eq!(cache_control(request).await, "no-store");
    }
    for value in ["Bearer none", "Basic YTpi"] {
        let refused = send(with("Authorization", value)).await;
        assert_eq!(
            (refused.status, refused.header("cache-control")),
            (401, "no-store"),
            "{}",
            refused.text
        );
    }
}

#[tokio::test]
async fn nothing_is_cached_for_callers_with_the_cookie_of_an_issuer() {
    let issuer = json!({"type": "HS256", "key": std::str::from_utf8(token::KEY).unwrap(), "header": {"type": "Cookie", "name": "session"}});
    let settings = [
        ("admin-secret", ADMIN_SECRET),
        ("jwt-secret", &issuer.to_string()),
        ("unauthorized-role", "visitor"),
        ("event-stream-max-age", "7"),
    ];
    let service = Service::only(&settings).await;
    let response = opened(stream(&service, NAMES)).await;
    assert_eq!(response.headers()["cache-control"], "public, max-age=7");
    assert!(
        vary(&response).contains(&"cookie".to_owned()),
        "{:?}",
        vary(&response)
    );
    assert_eq!(
        cache_control(stream(&service, NAMES).header("Cookie", "theme=dark")).await,
        "public, max-age=7"
    );
    let cookie = format!("theme=dark; session={}", token::good());
    is_private("a cookie of the issuer", || {
        stream(&service, NAMES).header("Cookie", &cookie)
    })
    .await;
    let wrong = send(preflighted(stream(&service, NAMES)).header("Cookie", "session=none")).await;
    assert_eq!(
        (wrong.status, wrong.header("cache-control")),
        (401, "no-store"),
        "{}",
        wrong.text
    );
}

#[tokio::test]
async fn without_the_setting_every_stream_is_private() {
    let service = Service::with(&[("unauthorized-role", "visitor")]).await;
    is_private("no setting", || stream(&service, NAMES)).await;
}

#[tokio::test]
async fn cached_stream_has_the_headers_for_pages_of_other_origins() {
    let service = service("cors_origins = \"*\"\n").await;
    let response = opened(stream(&service, NAMES)).await;
    assert_eq!(response.headers()["access-control-allow-origin"], "*");
    assert!(!vary(&response).contains(&"origin".to_owned()));
    drop(service);
    let service = self::service("cors_origins = \"https://a.example\"\n").await;
    let response = opened(stream(&service, NAMES)).await;
    assert!(
        !response
            .headers()
            .contains_key("access-control-allow-origin")
    );
    assert!(vary(&response).contains(&"origin".to_owned()));
    let response = opened(stream(&service, NAMES).header("Origin", "https://a.example")).await;
    assert_eq!(
        response.headers()["access-control-allow-origin"],
        "https://a.example"
    );
}

#[tokio::test]
async fn operation_that_fails_is_answered_with_its_status_and_not_stored() {
    let service = service("").await;
    let reply = send(stream(&service, "subscription { inverses { inverse } }")).await;
    assert_ne!(reply.status, 200, "{}", reply.text);
    assert_eq!(reply.header("cache-control"), "no-store");
    assert_eq!(
        reply.json()["errors"][0]["extensions"]["code"],
        "data-exception",
        "{}",
        reply.text
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn shared_stream_that_the_gateway_ends_is_incomplete() {
    let service = service("").await;
    let mut response = opened(stream(&service, NAMES)).await;
    assert_eq!(response.headers()["cache-control"], "public, max-age=7");
    let (running, _database) = service.into_parts();
    let stopping = tokio::spawn(running.shutdown());
    let ended = loop {
        match tokio::time::timeout(PATIENCE, response.chunk())
            .await
            .expect("the stream goes on")
        {
            Ok(Some(_)) => {}
            ended => break ended,
        }
    };
    assert!(ended.is_err(), "a cache would keep it as complete");
    tokio::time::timeout(PATIENCE, stopping)
        .await
        .expect("the stream holds the gateway")
        .unwrap();
}

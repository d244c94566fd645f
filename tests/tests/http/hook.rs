//! Tests the authentication webhook.

use std::time::Duration;

use serde_json::{Value, json};
use tests::reply::Reply;
use tests::reply::ReplyError;
use tests::service::ADMIN_SECRET;
use tests::wait::until;

use super::elsewhere::{Answer, Elsewhere};
use super::service::{Service, send};
use super::token;
use super::websocket_client::{TRANSPORT, WebSocket};

const QUERY: &str = "{ authors(order_by: {name: asc}) { name } }";

fn ada() -> Value {
    json!({"authors": [{"name": "Ada"}]})
}

fn both() -> Value {
    json!({"authors": [{"name": "Ada"}, {"name": "Bob"}]})
}

/// The webhook's response for author 1.
fn author() -> Answer {
    Answer::ok(json!({"X-Gateway-Role": "author", "X-Gateway-User-Id": "1"}))
}

async fn with(hook: &Elsewhere, mode: &str) -> Service {
    let url = hook.url("/who?key=secret");
    Service::only(&[
        ("auth-hook", &url),
        ("auth-hook-mode", mode),
        ("admin-secret", ADMIN_SECRET),
    ])
    .await
}

async fn ask(service: &Service, pairs: &[(&str, &str)]) -> Reply {
    let request = pairs.iter().fold(service.post(), |request, (name, value)| {
        request.header(*name, *value)
    });
    send(request.json(&json!({"query": QUERY}))).await
}

#[tokio::test]
async fn webhook_receives_the_headers_and_determines_the_session() {
    let hook = Elsewhere::start(author()).await;
    let service = with(&hook, "GET").await;
    let pairs = [
        ("Authorization", "Basic YTpi"),
        ("X-Gateway-Role", "reader"),
        ("Cookie", "session=x"),
        ("DNT", "1"),
    ];
    assert_eq!(ask(&service, &pairs).await.data(), ada());
    let requests = hook.asked();
    let head = &requests[0].head;
    assert!(head.starts_with("get /who?key=secret http/1.1"), "{head}");
    for there in [
        "authorization: basic ytpi",
        "x-gateway-role: reader",
        "cookie: session=x",
    ] {
        assert!(head.contains(&format!("{there}\r\n")), "{there}: {head}");
    }
    assert!(head.contains("\r\nuser-agent: postern/"), "{head}");
    for absent in ["content-length", "content-type", "dnt:"] {
        assert!(!head.contains(absent), "{absent}: {head}");
    }
    // The webhook is also called for a request without credentials and may accept it.
    hook.answer(Answer::ok(json!({"x-gateway-role": "visitor"})));
    assert_eq!(ask(&service, &[]).await.data(), both());
    assert_eq!(hook.asked().len(), 2);
}

#[tokio::test]
async fn admin_secret_bypasses_the_webhook() {
    let hook = Elsewhere::start(author()).await;
    for mode in ["GET", "POST"] {
        let service = with(&hook, mode).await;
        assert_eq!(
            ask(&service, &[("X-Gateway-Admin-Secret", ADMIN_SECRET)])
                .await
                .data(),
            both()
        );
        let reply = ask(&service, &[("X-Gateway-Admin-Secret", "x")]).await;
        reply.assert_error(401, "access-denied", "invalid admin secret");
    }
    assert_eq!(hook.asked().len(), 0);
}

#[tokio::test]
async fn post_webhook_receives_the_request() {
    let hook = Elsewhere::start(author()).await;
    let service = with(&hook, "POST").await;
    let request = service
        .post()
        .header("X-Token", "x")
        .header("User-Agent", "me");
    let body = json!({"query": QUERY, "variables": {"a": 1.50}, "operationName": null});
    assert_eq!(send(request.json(&body)).await.data(), ada());
    assert!(
        hook.asked()[0].head.contains("\r\nuser-agent: postern/"),
        "{}",
        hook.asked()[0].head
    );
    let received: Value = serde_json::from_str(&hook.asked()[0].body).unwrap();
    assert_eq!(received["headers"]["x-token"], "x");
    assert_eq!(received["headers"]["user-agent"], "me");
    assert!(
        received["headers"].get("content-length").is_none(),
        "{received}"
    );
    assert_eq!(received["request"], body);
    let batch = json!([{"query": QUERY}, {"query": QUERY}]);
    assert_eq!(
        send(service.post().json(&batch)).await.json(),
        json!([{"data": ada()}, {"data": ada()}])
    );
    let received: Value = serde_json::from_str(&hook.asked()[1].body).unwrap();
    assert_eq!(received["request"].as_array().map(Vec::len), Some(2));
    let get = service
        .get("/v1/graphql?query=%7Bauthors%7Bname%7D%7D")
        .header("Apollo-Require-Preflight", "y");
    assert_eq!(send(get).await.data(), ada());
    let received: Value = serde_json::from_str(&hook.asked()[2].body).unwrap();
    assert_eq!(received["request"]["query"], "{authors{name}}");
    // An invalid request is refused before the webhook is called.
    assert_eq!(send(service.post().json(&json!({}))).await.status, 400);
    assert_eq!(hook.asked().len(), 3);
}

#[tokio::test]
async fn webhook_receives_only_the_headers_of_a_rest_call() {
    let hook = Elsewhere::start(author()).await;
    let folder = tempfile::tempdir().unwrap();
    let map = folder.path().join("map.toml");
    let query = "query Named($id: Int!) { authors(where: {id: {_eq: $id}}) { name } }";
    let endpoint = format!(
        "[[endpoint]]\npath = \"named\"\nmethods = [\"GET\", \
                            \"POST\"]\nsingle = \"authors\"\nquery = \"{query}\"\n"
    );
    std::fs::write(&map, endpoint).unwrap();
    let url = hook.url("/who");
    let map = map.to_string_lossy().into_owned();
    let settings = [
        ("auth-hook", url.as_str()),
        ("auth-hook-mode", "POST"),
        ("rest-map", &map),
    ];
    let service = Service::only(&settings).await;
    let path = service.url("/api/rest/named");
    let requests = [
        service.client.get(format!("{path}?id=1")),
        service.client.post(path).json(&json!({"id": 1})),
    ];
    for (index, request) in requests.into_iter().enumerate() {
        let reply = send(request.header("X-Token", "x")).await;
        assert_eq!(reply.json(), json!([{"name": "Ada"}]), "{}", reply.text);
        let received: Value = serde_json::from_str(&hook.asked()[index].body).unwrap();
        assert_eq!(
            (&received["headers"]["x-token"], &received["request"]),
            (&json!("x"), &Value::Null),
            "as Hasura reports it"
        );
    }
}

#[tokio::test]
async fn webhook_refusal_is_returned() {
    let hook = Elsewhere::start(Answer::of(
        "401 Unauthorized",
        "{\"x-gateway-role\":\"reader\"}",
    ))
    .await;
    let service = with(&hook, "GET").await;
    let reply = ask(&service, &[("Authorization", "Bearer x")]).await;
    reply.assert_error(
        401,
        "access-denied",
        "Authentication hook unauthorized this request",
    );
    assert_eq!(reply.header("www-authenticate"), "Bearer");
    let strictly = service
        .post()
        .header("Accept", "application/graphql-response+json")
        .json(&json!({"query": QUERY}));
    assert_eq!(send(strictly).await.status, 401);
    // Only the admin secret gives the role `admin`.
    hook.answer(Answer::ok(json!({"X-Gateway-Role": "admin"})));
    ask(&service, &[]).await.assert_error(
        403,
        "access-denied",
        "User does not have required role permissions",
    );
}

#[tokio::test]
async fn failing_webhook_refuses_requests() {
    let hook = Elsewhere::start(author()).await;
    let service = with(&hook, "GET").await;
    let role = json!({"X-Gateway-Role": "reader"});
    let broken = [
        Answer::of("500 Internal Server Error", role.clone()),
        Answer::of("403 Forbidden", role.clone()),
        Answer::of("204 No Content", ""),
        Answer::of("302 Found", role.clone()).with("Location: /elsewhere"),
        Answer::ok("reader"),
        Answer::ok("{}"),
        Answer::ok(json!([role])),
    ];
    let number = broken.len();
    for response in broken {
        hook.answer(response.clone());
        let reply = ask(&service, &[]).await;
        assert_eq!(
            (reply.status, reply.error().code.as_str()),
            (500, "unexpected"),
            "{response:?}: {}",
            reply.text
        );
        assert!(
            !reply.text.contains("hook"),
            "the cause is for the log: {}",
            reply.text
        );
    }
    assert_eq!(hook.asked().len(), number, "redirects are not followed");
    hook.answer(Answer::ok(" ".repeat(2 << 20)));
    ask(&service, &[]).await.assert_error(
        503,
        "unavailable",
        "the authentication hook is not available",
    );
    drop(hook);
    let reply = ask(&service, &[]).await;
    reply.assert_error(
        503,
        "unavailable",
        "the authentication hook is not available",
    );
    assert!(!reply.text.contains("secret"));
}

#[tokio::test]
async fn webhook_shares_the_time_limit_of_the_request() {
    let hook = Elsewhere::start(Answer {
        after: Duration::from_secs(5),
        ..author()
    })
    .await;
    let url = hook.url("/");
    let service = Service::only(&[("auth-hook", &url), ("time-limit", "0.3")]).await;
    let ReplyError {
        status,
        code,
        message,
    } = ask(&service, &[]).await.error();
    assert_eq!(
        (status, code.as_str()),
        (504, "limit-exceeded"),
        "{message}"
    );
}

#[tokio::test]
async fn webhook_responses_are_cached_by_cache_control() {
    let hook = Elsewhere::start(author()).await;
    let service = with(&hook, "GET").await;
    let user = |name: &'static str| [("Authorization", name)];
    for _ in 0..3 {
        assert_eq!(ask(&service, &user("Bearer a")).await.data(), ada());
    }
    assert_eq!(hook.asked().len(), 3, "without a word of it nothing is");
    hook.answer(author().with("Cache-Control: max-age=60"));
    for _ in 0..3 {
        assert_eq!(ask(&service, &user("Bearer b")).await.data(), ada());
    }
    assert_eq!(hook.asked().len(), 4);
    // Another caller is another cache entry, and so is another requested role.
    hook.answer(
        Answer::ok(json!({"X-Gateway-Role": "author", "X-Gateway-User-Id": "2"}))
            .with("Cache-Control: no-store"),
    );
    assert_eq!(
        ask(&service, &user("Bearer c")).await.data(),
        json!({"authors": [{"name": "Bob"}]})
    );
    let pairs = [("Authorization", "Bearer b"), ("X-Gateway-Role", "reader")];
    assert_eq!(
        ask(&service, &pairs).await.data(),
        json!({"authors": [{"name": "Bob"}]})
    );
    assert_eq!(ask(&service, &user("Bearer b")).await.data(), ada());
    assert_eq!(hook.asked().len(), 6);
    // A `Cache-Control` member of the JSON body is not a header and does not enable caching.
    hook.answer(Answer::ok(
        json!({"X-Gateway-Role": "reader", "Cache-Control": "max-age=600"}),
    ));
    for _ in 0..2 {
        assert_eq!(ask(&service, &user("Bearer d")).await.data(), both());
    }
    assert_eq!(hook.asked().len(), 8);
    hook.answer(author().with("Cache-Control: max-age=1"));
    assert_eq!(ask(&service, &user("Bearer e")).await.data(), ada());
    hook.answer(Answer::of("401 Unauthorized", ""));
    until("the response has expired", async || {
        ask(&service, &user("Bearer e")).await.status == 401
    })
    .await;
}

#[tokio::test]
async fn hasura_dialect_uses_hasura_webhook_names_and_errors() {
    let hook = Elsewhere::start(Answer::ok(
        json!({"X-Hasura-Role": "author", "X-Hasura-User-Id": "2"}),
    ))
    .await;
    let url = hook.url("/");
    let service = Service::only(&[("auth-hook", &url), ("profile", "hasura")]).await;
    assert_eq!(
        ask(&service, &[]).await.data(),
        json!({"authors": [{"name": "Bob"}]})
    );
    hook.answer(Answer::of("401 Unauthorized", ""));
    let ReplyError {
        status,
        code,
        message,
    } = ask(&service, &[]).await.error();
    assert_eq!((status, code.as_str()), (200, "access-denied"));
    assert_eq!(message, "Authentication hook unauthorized this request");
    hook.answer(Answer::of("500 Internal Server Error", ""));
    let ReplyError { status, code, .. } = ask(&service, &[]).await.error();
    assert_eq!((status, code.as_str()), (200, "unexpected"));
}

#[tokio::test]
async fn webhook_and_jwt_secret_are_mutually_exclusive() {
    let database = tests::create("hook", &[]).await.unwrap();
    let builder = tests::gateway()
        .database_url(database.url())
        .listen("127.0.0.1:0");
    let builder = builder
        .jwt_secret(token::SECRET)
        .setting("auth-hook", "http://127.0.0.1:1/");
    let error = builder.start().await.unwrap_err().to_string();
    assert_eq!(
        error,
        "both `--jwt-secret` and `--auth-hook` are set; only one of them can authenticate requests"
    );
}

#[tokio::test]
async fn webhook_receives_the_headers_of_a_socket() {
    let hook = Elsewhere::start(author()).await;
    for mode in ["GET", "POST"] {
        let service = with(&hook, mode).await;
        let headers = [("x-trace", "a"), ("cookie", "session=x")];
        let mut socket = WebSocket::open(service.address(), Some(TRANSPORT), &headers).await;
        socket
            .init(&json!({"headers": {"Authorization": "Basic YTpi", "X-Trace": "b"}}))
            .await;
        assert_eq!(socket.message().await, json!({"type": "connection_ack"}));
        socket.start("1", QUERY).await;
        assert_eq!(socket.message().await["payload"]["data"], ada());
        let requests = hook.asked();
        let asked = requests.last().unwrap();
        let text = format!("{}{}", asked.head, asked.body).to_ascii_lowercase();
        for there in ["basic ytpi", "session=x", "x-trace"] {
            assert!(text.contains(there), "{there}: {text}");
        }
        assert!(!text.contains("sec-websocket"), "{text}");
    }
    hook.answer(Answer::of("401 Unauthorized", json!({})));
    let service = with(&hook, "GET").await;
    let mut socket = WebSocket::open(service.address(), Some(TRANSPORT), &[]).await;
    socket.init(&json!({})).await;
    assert_eq!(
        socket.closed().await,
        (4403, "Authentication hook unauthorized this request".into())
    );
    hook.answer(Answer::of("500 Internal Server Error", json!({})));
    let mut socket = WebSocket::open(service.address(), Some(TRANSPORT), &[]).await;
    socket.init(&json!({})).await;
    assert_eq!(socket.closed().await.0, 4403);
}

#[tokio::test]
async fn end_of_a_webhook_session_closes_the_socket_and_names_no_token() {
    let said =
        json!({"X-Gateway-Role": "author", "X-Gateway-User-Id": "1", "Cache-Control": "max-age=2"});
    let hook = Elsewhere::start(Answer::ok(said)).await;
    let service = with(&hook, "GET").await;
    let mut socket = WebSocket::open(service.address(), Some(TRANSPORT), &[]).await;
    socket.init(&json!({})).await;
    assert_eq!(socket.message().await, json!({"type": "connection_ack"}));
    socket.start("1", &format!("subscription {QUERY}")).await;
    assert_eq!(socket.message().await["payload"]["data"], ada());
    assert_eq!(
        socket.next_message().await,
        Err((4403, "session expired".to_owned()))
    );
    let stream = service.post().header("Accept", "text/event-stream");
    let stream = stream
        .json(&json!({"query": format!("subscription {QUERY}")}))
        .send()
        .await
        .unwrap();
    let events = stream.text().await.unwrap();
    assert!(
        events.contains("Ada") && !events.contains("errors") && !events.contains("complete"),
        "{events}"
    );
}

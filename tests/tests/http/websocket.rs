//! Tests both protocols of GraphQL over WebSocket message by message: their order, authentication
//! and every close code.

use std::time::Duration;

use gateway::http::sockets::SocketLimits;
use serde_json::{Value, json};
use tests::reply::Reply;
use tests::service::ADMIN_SECRET;

use super::service::{Service, send, until_no_subscriptions};
use super::socket::Socket;
use super::token;
use super::websocket_client::{LEGACY, TRANSPORT, WebSocket};

const AUTHORS: &str = "{ authors(order_by: {id: asc}) { id } }";

fn authors() -> Value {
    json!({"data": {"authors": [{"id": 1}, {"id": 2}]}})
}

fn bearer(token: &str) -> Value {
    json!({"Authorization": format!("Bearer {token}")})
}

async fn open(service: &Service, protocol: &str) -> WebSocket {
    let socket = WebSocket::open(service.address(), Some(protocol), &[]).await;
    assert_eq!(socket.protocol.as_deref(), Some(protocol));
    socket
}

#[tokio::test]
async fn current_protocol_answers_queries_mutations_and_errors() {
    let service = Service::start().await;
    let mut socket = WebSocket::reader(&service, TRANSPORT).await;
    socket.start("q", AUTHORS).await;
    assert_eq!(
        socket.message().await,
        json!({"type": "next", "id": "q", "payload": authors()})
    );
    assert_eq!(
        socket.message().await,
        json!({"type": "complete", "id": "q"})
    );
    // The id is free again.
    let insert =
        "mutation { insert_articles_one(object: {id: 9, author_id: 1, title: \"t\"}) { id } }";
    socket.start("q", insert).await;
    let inserted = json!({"data": {"insert_articles_one": {"id": 9}}});
    assert_eq!(
        socket.message().await,
        json!({"type": "next", "id": "q", "payload": inserted})
    );
    assert_eq!(
        socket.message().await,
        json!({"type": "complete", "id": "q"})
    );
    socket.start("e", "{ nothing }").await;
    let error = socket.message().await;
    assert_eq!(
        (&error["type"], &error["id"]),
        (&json!("error"), &json!("e"))
    );
    assert_eq!(
        error["payload"][0]["extensions"]["code"], "validation-failed",
        "{error}"
    );
    socket.start("r", "{ ratios { ratio } }").await;
    assert_eq!(
        socket.message().await["payload"][0]["extensions"]["code"],
        "data-exception"
    );
    let variables = json!({"query": "query A($id: Int!) { authors_by_pk(id: $id) { name } }", "operationName": "A",
        "variables": {"id": 1}, "extensions": null});
    socket
        .send(&json!({"type": "subscribe", "id": "v", "payload": variables}))
        .await;
    assert_eq!(
        socket.message().await["payload"]["data"]["authors_by_pk"]["name"],
        "Ada"
    );
    assert_eq!(socket.message().await["type"], "complete");
    socket
        .send(&json!({"type": "ping", "payload": {"a": 1}}))
        .await;
    assert_eq!(
        socket.message().await,
        json!({"type": "pong", "payload": {"a": 1}})
    );
    socket.send(&json!({"type": "pong"})).await;
    socket.send(&json!({"type": "ping"})).await;
    assert_eq!(socket.message().await, json!({"type": "pong"}));
    let metrics = service.metrics().await;
    for line in [
        "postern_sockets_open{transport=\"graphql-transport-ws\"} 1",
        "postern_socket_operations{transport=\"graphql-transport-ws\"} 0",
        "postern_socket_operations_total{code=\"\",transport=\"graphql-transport-ws\"} 3",
        "postern_socket_operations_total{code=\"validation-failed\",transport=\"graphql-transport-ws\"} \
         1",
        "postern_socket_messages_total{direction=\"received\"} 9",
    ] {
        assert!(metrics.contains(line), "{line}\n{metrics}");
    }
}

#[tokio::test]
async fn legacy_protocol_answers_a_start_right_behind_its_init() {
    let service = Service::start().await;
    let mut socket = open(&service, LEGACY).await;
    socket.init(&bearer(&token::good())).await;
    socket.start("1", AUTHORS).await;
    assert_eq!(socket.message().await, json!({"type": "connection_ack"}));
    assert_eq!(socket.message().await, json!({"type": "ka"}));
    let own = json!({"data": {"authors": [{"id": 1}]}});
    assert_eq!(
        socket.message().await,
        json!({"type": "data", "id": "1", "payload": own})
    );
    assert_eq!(
        socket.message().await,
        json!({"type": "complete", "id": "1"})
    );
    socket.start("2", "{ nothing }").await;
    let error = socket.message().await;
    assert_eq!(
        (&error["type"], &error["payload"]["extensions"]["code"]),
        (&json!("error"), &json!("validation-failed"))
    );
    socket
        .send(&json!({"type": "start", "id": "3", "payload": {}}))
        .await;
    assert_eq!(
        socket.message().await["payload"]["message"],
        "the request has no 'query'"
    );
    socket.send(&json!({"type": "connection_terminate"})).await;
    assert_eq!(socket.closed().await.0, 1000);
}

#[tokio::test]
async fn operations_end_when_the_client_stops_them() {
    let service = Service::start().await;
    let mut socket = WebSocket::reader(&service, TRANSPORT).await;
    socket.start("slow", "{ slow { slept } }").await;
    socket.start("quick", AUTHORS).await;
    assert_eq!(socket.message().await["id"], "quick");
    assert_eq!(socket.message().await["type"], "complete");
    socket
        .send(&json!({"type": "complete", "id": "slow"}))
        .await;
    socket
        .send(&json!({"type": "complete", "id": "unknown"}))
        .await;
    // The id is free, and nothing arrives for the operation that was stopped.
    socket.start("slow", AUTHORS).await;
    assert_eq!(
        socket.message().await,
        json!({"type": "next", "id": "slow", "payload": authors()})
    );
    let mut legacy = WebSocket::reader(&service, LEGACY).await;
    legacy.start("slow", "{ slow { slept } }").await;
    legacy.send(&json!({"type": "stop", "id": "slow"})).await;
    assert_eq!(
        legacy.message().await,
        json!({"type": "complete", "id": "slow"})
    );
}

#[tokio::test]
async fn credentials_are_taken_from_payload_and_handshake_in_any_letter_case() {
    let service = Service::with(&[("require-role-header", "true")]).await;
    let token = format!("Bearer {}", token::good());
    let role = json!({"x-gateway-ROLE": "author"});
    let cases: [(&[(&str, &str)], Value); 5] = [
        (
            &[],
            json!({"AUTHORIZATION": token, "X-Gateway-Role": "author"}),
        ),
        (
            &[],
            json!({"headers": {"authorization": token, "x-gateway-role": "author"}, "lang": {"a": []}}),
        ),
        (&[("authorization", &token)], role),
        (
            &[("authorization", &token), ("x-gateway-role", "author")],
            Value::Null,
        ),
        (
            &[("authorization", "Bearer wrong")],
            json!({"headers": {"Authorization": token, "X-Gateway-Role": "author"}}),
        ),
    ];
    for (headers, payload) in cases {
        let mut socket = WebSocket::open(service.address(), Some(TRANSPORT), headers).await;
        socket.init(&payload).await;
        assert_eq!(
            socket.message().await,
            json!({"type": "connection_ack"}),
            "{payload}"
        );
        socket.start("1", AUTHORS).await;
        assert_eq!(
            socket.message().await["payload"]["data"]["authors"],
            json!([{"id": 1}])
        );
    }
    let mut socket = open(&service, TRANSPORT).await;
    socket.init(&json!({"Authorization": token})).await;
    assert_eq!(
        socket.closed().await,
        (4403, "User does not have required role permissions".into())
    );
}

#[tokio::test]
async fn refused_credentials_close_with_4403() {
    let service = Service::start().await;
    let refusals = [
        (json!({}), "No authorization header provided"),
        (bearer("x"), "Could not verify JWT: malformed token"),
        (
            json!({"X-Gateway-Admin-Secret": "wrong"}),
            "invalid admin secret",
        ),
        (
            json!({"X-Gateway-Role": "reader"}),
            "No authorization header provided",
        ),
    ];
    for (payload, reason) in refusals {
        let mut socket = open(&service, TRANSPORT).await;
        socket.init(&payload).await;
        assert_eq!(socket.closed().await, (4403, reason.into()));
        let mut legacy = open(&service, LEGACY).await;
        legacy.init(&payload).await;
        let error = legacy.message().await;
        assert_eq!(
            (&error["type"], &error["payload"]["message"]),
            (&json!("connection_error"), &json!(reason))
        );
        assert_eq!(legacy.closed().await.0, 4403);
    }
    let mut socket = open(&service, TRANSPORT).await;
    let token = format!("Bearer {}", token::good());
    socket
        .init(&json!({"Authorization": token, "headers": {"authorization": "Bearer x"}}))
        .await;
    assert_eq!(
        socket.closed().await,
        (4400, "the header 'authorization' is given twice".into())
    );
}

#[tokio::test]
async fn operation_before_the_init_closes_with_4401() {
    let service = Service::start().await;
    let mut socket = open(&service, TRANSPORT).await;
    socket.start("1", AUTHORS).await;
    assert_eq!(socket.closed().await, (4401, "Unauthorized".into()));
    let mut legacy = open(&service, LEGACY).await;
    legacy.start("1", AUTHORS).await;
    assert_eq!(legacy.message().await["type"], "connection_error");
    assert_eq!(legacy.closed().await.0, 4401);
}

#[tokio::test]
async fn malformed_messages_close_with_4400() {
    let service = Service::start().await;
    for text in [
        "",
        "{",
        "[]",
        r#"{"type":"nothing"}"#,
        r#"{"type":"start","id":"1","payload":{"query":"{ a }"}}"#,
        r#"{"type":"subscribe","payload":{"query":"{ a }"}}"#,
        r#"{"type":"subscribe","id":"1"}"#,
        r#"{"type":"subscribe","id":"1","payload":{}}"#,
        r#"{"type":"subscribe","id":"1","payload":[{"query":"{ a }"}]}"#,
        r#"{"type":"subscribe","id":"1","payload":{"query":"{ a }","variables":[]}}"#,
        r#"{"type":"subscribe","id":"1","payload":{"query":1}}"#,
        r#"{"type":"complete"}"#,
    ] {
        let mut socket = WebSocket::reader(&service, TRANSPORT).await;
        socket.text(text).await;
        assert_eq!(socket.closed().await.0, 4400, "{text}");
    }
    for (id, name) in [("x".repeat(257), "long"), ("\u{0}".to_owned(), "control")] {
        let mut socket = WebSocket::reader(&service, TRANSPORT).await;
        socket.start(&id, AUTHORS).await;
        match name {
            "long" => assert_eq!(socket.closed().await.0, 4400),
            _ => assert_eq!(socket.message().await["id"], json!(id)),
        }
    }
}

#[tokio::test]
async fn unknown_subprotocol_closes_with_4406() {
    let service = Service::start().await;
    for protocol in [None, Some("mqtt"), Some("graphql-transport-ws2")] {
        let mut socket = WebSocket::open(service.address(), protocol, &[]).await;
        assert_eq!(socket.protocol, None);
        assert_eq!(
            socket.closed().await,
            (4406, "Subprotocol not acceptable".into())
        );
    }
    let socket = WebSocket::open(
        service.address(),
        Some("mqtt, graphql-ws, graphql-transport-ws"),
        &[],
    )
    .await;
    assert_eq!(socket.protocol.as_deref(), Some(LEGACY));
}

#[tokio::test]
async fn missing_init_closes_with_4408() {
    let limits = SocketLimits {
        init_time: Duration::from_millis(200),
        ..SocketLimits::default()
    };
    let service = Service::with_sockets(limits, &[]).await;
    for protocol in [TRANSPORT, LEGACY] {
        let mut socket = open(&service, protocol).await;
        assert_eq!(
            socket.closed().await,
            (4408, "Connection initialisation timeout".into())
        );
    }
    let mut socket = WebSocket::reader(&service, TRANSPORT).await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    socket.start("1", AUTHORS).await;
    assert_eq!(socket.message().await["type"], "next");
}

#[tokio::test]
async fn id_in_use_closes_with_4409() {
    let service = Service::start().await;
    let mut socket = WebSocket::reader(&service, TRANSPORT).await;
    socket.start("a", "{ slow { slept } }").await;
    socket.start("a", AUTHORS).await;
    assert_eq!(
        socket.closed().await,
        (4409, "Subscriber for a already exists".into())
    );
    // The legacy protocol replaces the operation.
    let mut legacy = WebSocket::reader(&service, LEGACY).await;
    legacy.start("a", "{ slow { slept } }").await;
    legacy.start("a", AUTHORS).await;
    assert_eq!(
        legacy.message().await,
        json!({"type": "data", "id": "a", "payload": authors()})
    );
}

#[tokio::test]
async fn second_init_closes_with_4429() {
    let service = Service::start().await;
    let mut socket = WebSocket::reader(&service, TRANSPORT).await;
    socket.init(&json!({})).await;
    assert_eq!(
        socket.closed().await,
        (4429, "Too many initialisation requests".into())
    );
}

/// A socket with a token of two seconds and a running subscription.
async fn subscribed_for_two_seconds(service: &Service, protocol: &str) -> WebSocket {
    let token = token::changed(|claims| {
        claims["exp"] = (token::now() + 2).into();
        claims["gateway"]["x-gateway-default-role"] = "reader".into();
    });
    let mut socket = open(service, protocol).await;
    socket.init(&bearer(&token)).await;
    socket.start("1", &format!("subscription {AUTHORS}")).await;
    while socket.message().await["payload"]["data"]["authors"].is_null() {}
    socket
}

/// What a socket receives until it closes, without messages that keep it open, and the close frame.
async fn rest(socket: &mut WebSocket) -> (Vec<Value>, (u16, String)) {
    let mut messages = Vec::new();
    loop {
        match socket.next_message().await {
            Ok(message) if message["type"] == "ka" => {}
            Ok(message) => messages.push(message),
            Err(closed) => return (messages, closed),
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn socket_whose_token_expires_closes_with_4403_and_sends_no_error() {
    let expected = (vec![], (4403, "token expired".to_owned()));
    for profile in ["gateway", "hasura"] {
        let settings = [("profile", profile), ("header-prefix", "X-Gateway-")];
        let jwt = token::SECRET.replace('}', r#","claims_namespace":"gateway"}"#);
        let service =
            Service::only(&[&settings[..], &[("jwt-secret", jwt.as_str())]].concat()).await;
        for protocol in [TRANSPORT, LEGACY] {
            let mut socket = subscribed_for_two_seconds(&service, protocol).await;
            // A query is begun again by the client too.
            socket.start("2", "{ slow { slept } }").await;
            assert_eq!(rest(&mut socket).await, expected, "{profile} {protocol}");
        }
        until_no_subscriptions(&service.gateway).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn socket_whose_token_expires_waits_for_its_mutations() {
    let service = Service::start().await;
    let lock = service.database.connect().await.unwrap();
    lock.batch_execute("BEGIN; LOCK TABLE articles")
        .await
        .unwrap();
    let mut socket = subscribed_for_two_seconds(&service, TRANSPORT).await;
    let insert =
        "mutation { insert_articles_one(object: {id: 9, author_id: 1, title: \"t\"}) { id } }";
    socket.start("2", insert).await;
    // The subscription has ended, while the mutation waits for the lock.
    until_no_subscriptions(&service.gateway).await;
    lock.batch_execute("COMMIT").await.unwrap();
    let (messages, closed) = rest(&mut socket).await;
    assert_eq!(
        messages[0]["payload"]["data"]["insert_articles_one"]["id"], 9,
        "{messages:?}"
    );
    assert_eq!(messages[1], json!({"type": "complete", "id": "2"}));
    assert_eq!(
        (messages.len(), closed),
        (2, (4403, "token expired".to_owned()))
    );
}

#[tokio::test]
async fn token_is_refreshed_on_the_open_socket() {
    let service = Service::start().await;
    let expiry = token::now() + 2;
    let short = || token::changed(|claims| claims["exp"] = expiry.into());
    let headers = |token: String| json!({"headers": {"Authorization": format!("Bearer {token}")}});
    let mut socket = open(&service, TRANSPORT).await;
    socket.init(&bearer(&short())).await;
    assert_eq!(socket.message().await["type"], "connection_ack");
    socket
        .send(&json!({"type": "ping", "payload": headers(token::good())}))
        .await;
    assert_eq!(socket.message().await, json!({"type": "pong"}));
    let mut legacy = open(&service, LEGACY).await;
    legacy.init(&bearer(&short())).await;
    legacy.init(&headers(token::good())).await;
    for kind in ["connection_ack", "ka", "connection_ack", "ka"] {
        assert_eq!(legacy.message().await["type"], kind);
    }
    tests::wait::until("the first tokens have expired", async || {
        token::now() > expiry
    })
    .await;
    for socket in [&mut socket, &mut legacy] {
        socket.start("1", AUTHORS).await;
        assert_eq!(
            socket.message().await["payload"]["data"]["authors"],
            json!([{"id": 1}])
        );
        assert_eq!(socket.message().await["type"], "complete");
    }
    // Another caller's token, and a wrong one.
    let other = token::changed(|claims| claims["gateway"]["x-gateway-user-id"] = "2".into());
    socket
        .send(&json!({"type": "ping", "payload": headers(other)}))
        .await;
    assert_eq!(
        socket.closed().await,
        (4403, "the new credentials are of another caller".into())
    );
    legacy.init(&headers("wrong".into())).await;
    assert_eq!(legacy.message().await["type"], "connection_error");
    assert_eq!(legacy.closed().await.0, 4403);
}

#[tokio::test]
async fn cookies_count_for_pages_of_the_gateway_and_of_listed_origins_only() {
    let secret = json!({"type": "HS256", "key": String::from_utf8_lossy(token::KEY), "header": {"type": "Cookie", "name": "token"}});
    let secret = secret.to_string();
    let service = Service::with(&[
        ("jwt-secret", &secret),
        ("cors-origins", "https://app.example"),
    ])
    .await;
    let cookie = format!("token={}", token::good());
    let own = format!("http://{}", service.address());
    for (origin, counts) in [
        (None, true),
        (Some(own.as_str()), true),
        (Some("https://app.example"), true),
        (Some("https://evil.example"), false),
        (Some("null"), false),
    ] {
        let headers = [("cookie", cookie.as_str())]
            .into_iter()
            .chain(origin.map(|origin| ("origin", origin)));
        let headers: Vec<(&str, &str)> = headers.collect();
        let mut socket = WebSocket::open(service.address(), Some(TRANSPORT), &headers).await;
        socket.init(&json!({})).await;
        if counts {
            assert_eq!(
                socket.message().await["type"],
                "connection_ack",
                "{origin:?}"
            );
        } else {
            assert_eq!(
                socket.closed().await,
                (4403, "No authorization header provided".into()),
                "{origin:?}"
            );
        }
    }
}

#[tokio::test]
async fn foreign_pages_need_credentials_of_their_own() {
    let evil = [("origin", "https://evil.example")];
    let init = async |service: &Service, headers: &[(&str, &str)], payload: Value| {
        let mut socket = WebSocket::open(service.address(), Some(TRANSPORT), headers).await;
        socket.init(&payload).await;
        socket
    };
    let refusal = (4403, "requests from this origin are not allowed".to_owned());
    let service = Service::with(&[("unauthorized-role", "visitor")]).await;
    assert_eq!(
        init(&service, &evil, json!({})).await.closed().await,
        refusal
    );
    for (headers, payload) in [
        (&evil[..], bearer(&token::good())),
        (&evil, json!({"X-Gateway-Admin-Secret": ADMIN_SECRET})),
        (&[], json!({})),
        (&[("origin", service.gateway.url().as_str())], json!({})),
    ] {
        assert_eq!(
            init(&service, headers, payload).await.message().await["type"],
            "connection_ack"
        );
    }
    let open = Service::only(&[("insecure", "true")]).await;
    assert_eq!(
        init(&open, &evil, json!({"X-Gateway-Admin-Secret": "x"}))
            .await
            .closed()
            .await,
        refusal
    );
    assert_eq!(
        init(&open, &[], json!({})).await.message().await["type"],
        "connection_ack"
    );
    let any = Service::with(&[("unauthorized-role", "visitor"), ("cors-origins", "*")]).await;
    assert_eq!(
        init(&any, &evil, json!({})).await.message().await["type"],
        "connection_ack"
    );
}

#[tokio::test]
async fn wrong_upgrades_are_answered_with_what_is_wrong() {
    let service = Service::start().await;
    let usual = "Connection: Upgrade\r\nUpgrade: websocket\r\n";
    let key = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
    let version = "Sec-WebSocket-Version: 13\r\n";
    for (method, headers, status, message) in [
        (
            "POST",
            format!("{usual}{key}{version}"),
            400,
            "a WebSocket is opened by GET",
        ),
        (
            "GET",
            format!("{usual}{version}"),
            400,
            "the header 'Sec-WebSocket-Key' has to be 16 bytes in base64",
        ),
        (
            "GET",
            format!("{usual}{version}Sec-WebSocket-Key: short\r\n"),
            400,
            "the header 'Sec-WebSocket-Key' has to be 16 bytes in base64",
        ),
        (
            "GET",
            format!("{usual}{key}"),
            426,
            "the header 'Sec-WebSocket-Version' has to be 13",
        ),
        (
            "GET",
            format!("{usual}{key}Sec-WebSocket-Version: 8\r\n"),
            426,
            "the header 'Sec-WebSocket-Version' has to be 13",
        ),
        (
            "GET",
            format!("Upgrade: websocket\r\n{key}{version}"),
            400,
            "a WebSocket needs HTTP/1.1 and the header 'Connection: Upgrade', which proxies have \
             to pass on",
        ),
    ] {
        let mut socket = Socket::connect(service.address()).await;
        socket
            .send(format!(
                "{method} /v1/graphql HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n{headers}\r\n"
            ))
            .await;
        let reply = socket.reply().await.unwrap();
        reply.assert_error(status, "bad-request", message);
        if status == 426 {
            assert_eq!(
                (
                    reply.header("sec-websocket-version"),
                    reply.header("upgrade")
                ),
                ("13", "websocket")
            );
        }
    }
    // Another protocol is not asked for.
    let mut socket = Socket::connect(service.address()).await;
    socket
        .post(
            "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n",
            br#"{"query":"{ authors { id } }"}"#,
        )
        .await;
    assert_eq!(socket.reply().await.unwrap().status, 200);
    service.is_well().await;
}

#[tokio::test]
async fn shutdown_answers_running_queries_and_closes_with_1001() {
    let service = Service::start().await;
    let mut idle = WebSocket::reader(&service, TRANSPORT).await;
    let mut busy = WebSocket::reader(&service, LEGACY).await;
    let silent = open(&service, TRANSPORT).await;
    busy.start("1", "{ brief { id } }").await;
    // The query has begun when its socket says so.
    while !service
        .metrics()
        .await
        .contains("postern_socket_operations{transport=\"graphql-ws\"} 1")
    {
        tokio::task::yield_now().await;
    }
    let (running, _database) = service.into_parts();
    let stopping = tokio::spawn(running.shutdown());
    assert_eq!(
        idle.closed().await,
        (1001, "the gateway stops or restarts".into())
    );
    assert_eq!(busy.message().await["type"], "data");
    assert_eq!(busy.message().await["type"], "complete");
    assert_eq!(busy.closed().await.0, 1001);
    drop((idle, busy, silent));
    tokio::time::timeout(Duration::from_secs(10), stopping)
        .await
        .expect("the sockets hold the gateway")
        .unwrap();
}

#[tokio::test]
async fn sockets_survive_the_idle_timeout_and_end_without_pongs() {
    let limits = SocketLimits {
        ping_interval: Duration::from_millis(300),
        ..SocketLimits::default()
    };
    let settings = [("idle-timeout", "1"), ("header-timeout", "1")];
    let service = Service::with_sockets(limits, &settings).await;
    let mut silent = WebSocket::reader(&service, TRANSPORT).await;
    let mut legacy = WebSocket::reader(&service, LEGACY).await;
    let end = tokio::time::Instant::now() + Duration::from_secs(3);
    while tokio::time::Instant::now() < end {
        assert_eq!(legacy.message().await, json!({"type": "ka"}));
    }
    legacy.start("1", AUTHORS).await;
    while legacy.message().await["type"] == "ka" {}
    // This client has read nothing for three seconds, so it has answered no ping.
    assert!(silent.is_dropped().await);
    let metrics = service.metrics().await;
    assert!(
        metrics.contains("postern_sockets_open{transport=\"graphql-transport-ws\"} 0"),
        "{metrics}"
    );
}

#[tokio::test]
async fn sockets_and_operations_have_their_limits() {
    let limits = SocketLimits {
        per_address: 2,
        operations: 2,
        ..SocketLimits::default()
    };
    let service = Service::with_sockets(limits, &[]).await;
    let mut socket = WebSocket::reader(&service, TRANSPORT).await;
    let second = open(&service, TRANSPORT).await;
    let upgrade = |socket: &mut Socket| {
        let head = "GET /v1/graphql HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: \
                    websocket\r\n\
                    Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: \
                    dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
        let sent = socket.send(head);
        futures_util::FutureExt::now_or_never(sent);
    };
    let mut third = Socket::connect(service.address()).await;
    upgrade(&mut third);
    let message = "this address has more WebSockets and event streams open than the limit of 2";
    third
        .reply()
        .await
        .unwrap()
        .assert_error(429, "rate-limited", message);
    drop(second);
    for id in ["1", "2", "3"] {
        socket.start(id, "{ slow { slept } }").await;
    }
    let error = socket.message().await;
    assert_eq!(
        (&error["id"], &error["payload"][0]["extensions"]["code"]),
        (&json!("3"), &json!("limit-exceeded"))
    );
    assert_eq!(
        error["payload"][0]["message"],
        "the connection runs more operations than the limit of 2"
    );
}

#[tokio::test]
async fn rates_count_each_operation() {
    let rate = "[[rates]]\nname = \"few\"\nper = [\"role\"]\nroles = [\"reader\"]\nrate = \
                2\nevery = 3600\n";
    let service = Service::of_file(rate).await;
    let mut socket = WebSocket::reader(&service, TRANSPORT).await;
    for id in ["1", "2"] {
        socket.start(id, AUTHORS).await;
        assert_eq!(socket.message().await["type"], "next");
        assert_eq!(socket.message().await["type"], "complete");
    }
    socket.start("3", AUTHORS).await;
    assert_eq!(
        socket.message().await["payload"][0]["extensions"]["code"],
        "rate-limited"
    );
    let reply: Reply = send(service.reader().json(&json!({"query": AUTHORS}))).await;
    assert_eq!(reply.status, 429);
}

#[tokio::test]
async fn revoked_permissions_hold_for_new_operations_after_a_reload() {
    let database = tests::create("front", &[super::service::SCHEMA])
        .await
        .unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("rules.toml");
    std::fs::write(&path, super::service::PERMISSIONS).unwrap();
    let builder = tests::gateway()
        .database_url(database.url())
        .listen("127.0.0.1:0")
        .admin_secret(ADMIN_SECRET);
    let running = builder.permissions_file(&path).start().await.unwrap();
    let service = Service::from_parts(running, database);
    let mut socket = WebSocket::reader(&service, TRANSPORT).await;
    socket.start("1", AUTHORS).await;
    assert_eq!(socket.message().await["type"], "next");
    assert_eq!(socket.message().await["type"], "complete");
    let revoked = super::service::PERMISSIONS
        .replace("[table.authors.role.reader]", "[table.authors.role.other]");
    std::fs::write(&path, revoked).unwrap();
    service.gateway.reload().await.unwrap();
    socket.start("2", AUTHORS).await;
    assert_eq!(
        socket.message().await["payload"][0]["extensions"]["code"],
        "validation-failed"
    );
}

#[tokio::test]
async fn long_results_arrive_complete() {
    let service = Service::start().await;
    let mut socket = WebSocket::reader(&service, TRANSPORT).await;
    socket
        .start("1", "{ flood(where: {id: {_lt: 50000}}) { id text } }")
        .await;
    let result = socket.message().await;
    let rows = result["payload"]["data"]["flood"].as_array().unwrap();
    assert_eq!((rows.len(), &rows[49_998]["id"]), (49_999, &json!(49_999)));
    assert_eq!(socket.message().await["type"], "complete");
}

#[tokio::test]
async fn subscription_sends_its_first_result_at_once() {
    let service = Service::start().await;
    for (protocol, kind) in [(TRANSPORT, "next"), (LEGACY, "data")] {
        let mut socket = WebSocket::reader(&service, protocol).await;
        socket.start("1", &format!("subscription {AUTHORS}")).await;
        assert_eq!(
            socket.message().await,
            json!({"type": kind, "id": "1", "payload": authors()})
        );
    }
}

//! Tests GraphQL over server-sent events in both modes: an operation with an event stream of its
//! own, and one reserved stream for all operations.

use std::time::Duration;

use gateway::http::sockets::SocketLimits;
use reqwest::{Method, RequestBuilder, Response};
use serde_json::{Value, json};
use tests::reply::Reply;
use tests::service::ADMIN_SECRET;
use tests::wait::until;

use super::replication::own_cluster;
use super::service::{PERMISSIONS, SCHEMA, Service, builder, gauge, send, until_no_subscriptions};
use super::switch::Switch;
use super::token;
use super::websocket_client::PATIENCE;

const AUTHORS: &str = "{ authors(order_by: {id: asc}) { id } }";

/// A request as `reader` that accepts an event stream.
fn stream(service: &Service, method: Method) -> RequestBuilder {
    by(service, method).header("Accept", "text/event-stream")
}

/// A request as `reader`.
fn by(service: &Service, method: Method) -> RequestBuilder {
    let request = service.client.request(method, service.url("/v1/graphql"));
    request
        .header("X-Gateway-Admin-Secret", ADMIN_SECRET)
        .header("X-Gateway-Role", "reader")
}

/// An open event stream.
struct Events {
    response: Response,
    read: String,
}

impl Events {
    async fn open(request: RequestBuilder) -> Events {
        let response = request.send().await.unwrap();
        assert_eq!(response.status(), 200);
        assert_eq!(
            response.headers()["content-type"],
            "text/event-stream; charset=utf-8"
        );
        assert_eq!(response.headers()["cache-control"], "no-store");
        assert!(!response.headers().contains_key("content-encoding"));
        Events {
            response,
            read: String::new(),
        }
    }

    /// The next event's name and data; `None` at the end. Comments are skipped.
    async fn next(&mut self) -> Option<(String, String)> {
        loop {
            while let Some((event, rest)) = self.read.split_once("\n\n") {
                let lines: Vec<&str> = event.lines().collect();
                let field = |name| {
                    lines
                        .iter()
                        .find_map(|line| line.strip_prefix(name))
                        .map(|text| text.trim().to_owned())
                };
                let event = field("event:").map(|name| (name, field("data:").unwrap()));
                self.read = rest.to_owned();
                if event.is_some() {
                    return event;
                }
            }
            let part = tokio::time::timeout(PATIENCE, self.response.chunk())
                .await
                .expect("nothing arrives")
                .unwrap()?;
            self.read += std::str::from_utf8(&part).unwrap();
        }
    }

    /// The next event, whose data is JSON.
    async fn event(&mut self) -> (String, Value) {
        let (name, data) = self.next().await.expect("the stream ends");
        (name, serde_json::from_str(&data).unwrap())
    }
}

fn authors() -> Value {
    json!({"data": {"authors": [{"id": 1}, {"id": 2}]}})
}

#[tokio::test]
async fn operation_is_answered_by_its_own_stream() {
    let service = Service::start().await;
    let insert =
        "mutation { insert_articles_one(object: {id: 9, author_id: 1, title: \"t\"}) { id } }";
    let inserted = json!({"data": {"insert_articles_one": {"id": 9}}});
    for (query, result) in [(AUTHORS, authors()), (insert, inserted)] {
        let mut events =
            Events::open(stream(&service, Method::POST).json(&json!({"query": query}))).await;
        assert_eq!(events.event().await, ("next".into(), result));
        assert_eq!(
            events.next().await,
            Some(("complete".into(), String::new()))
        );
        assert_eq!(events.next().await, None);
    }
    let mut events = Events::open(stream(&service, Method::GET).query(&[("query", AUTHORS)])).await;
    assert_eq!(events.event().await, ("next".into(), authors()));
}

#[tokio::test]
async fn errors_of_the_document_are_events_and_others_have_their_status() {
    let service = Service::start().await;
    for (query, code) in [
        ("{ nothing }", "validation-failed"),
        ("{", "parse-failed"),
        ("{ ratios { ratio } }", "data-exception"),
    ] {
        let mut events =
            Events::open(stream(&service, Method::POST).json(&json!({"query": query}))).await;
        let (name, error) = events.event().await;
        assert_eq!(
            (name.as_str(), &error["errors"][0]["extensions"]["code"]),
            ("next", &json!(code))
        );
        assert_eq!(
            events.next().await,
            Some(("complete".into(), String::new()))
        );
        assert_eq!(events.next().await, None);
    }
    let unauthenticated = service
        .post()
        .header("Accept", "text/event-stream")
        .json(&json!({"query": AUTHORS}));
    send(unauthenticated).await.assert_error(
        401,
        "access-denied",
        "No authorization header provided",
    );
    send(stream(&service, Method::POST).json(&json!({})))
        .await
        .assert_error(400, "bad-request", "the request has no 'query'");
    let batch = stream(&service, Method::POST).json(&json!([{"query": AUTHORS}]));
    send(batch)
        .await
        .assert_error(400, "bad-request", "a request has to be a JSON object");
    let mutation = stream(&service, Method::GET).query(&[(
        "query",
        "mutation { delete_articles(where: {}) { affected_rows } }",
    )]);
    assert_ne!(send(mutation).await.status, 500);
    let insert =
        "mutation { insert_articles_one(object: {id: 9, author_id: 1, title: \"t\"}) { id } }";
    let mutation = stream(&service, Method::GET).query(&[("query", insert)]);
    send(mutation)
        .await
        .assert_error(405, "method-not-allowed", "only a query can be sent by GET");
    // A foreign page can cause this request.
    let foreign = service
        .get("/v1/graphql")
        .header("Accept", "text/event-stream")
        .query(&[("query", AUTHORS)]);
    assert_eq!(send(foreign).await.status, 400);
    // A client that prefers JSON gets JSON.
    let json = by(&service, Method::POST).header("Accept", "application/json, text/event-stream");
    assert_eq!(
        send(json.json(&json!({"query": AUTHORS}))).await.data(),
        authors()["data"]
    );
}

/// Reserves a stream and returns its token.
async fn reserve(service: &Service) -> String {
    let reply = send(by(service, Method::PUT)).await;
    assert_eq!(
        (reply.status, reply.header("content-type")),
        (201, "text/plain; charset=utf-8")
    );
    reply.text
}

fn with_token(request: RequestBuilder, token: &str) -> RequestBuilder {
    request.header("X-GraphQL-Event-Stream-Token", token)
}

async fn operate(service: &Service, token: &str, id: &str, query: &str) -> Reply {
    let body = json!({"query": query, "extensions": {"operationId": id}});
    send(with_token(by(service, Method::POST), token).json(&body)).await
}

#[tokio::test]
async fn reserved_stream_carries_all_operations() {
    let service = Service::start().await;
    let token = reserve(&service).await;
    // What is sent before the stream is open waits for it.
    assert_eq!(
        operate(&service, &token, "early", AUTHORS).await.status,
        202
    );
    let mut events = Events::open(with_token(stream(&service, Method::GET), &token)).await;
    assert_eq!(
        events.event().await,
        ("next".into(), json!({"id": "early", "payload": authors()}))
    );
    assert_eq!(
        events.event().await,
        ("complete".into(), json!({"id": "early"}))
    );
    let taken = send(stream(&service, Method::GET).query(&[("token", &token)])).await;
    taken.assert_error(409, "conflict", "the event stream is open already");

    assert_eq!(
        operate(&service, &token, "1", "{ slow { slept } }")
            .await
            .status,
        202
    );
    operate(&service, &token, "1", AUTHORS).await.assert_error(
        409,
        "conflict",
        "an operation with this id is running already",
    );
    assert_eq!(
        operate(&service, &token, "bad", "{ nothing }").await.status,
        400
    );
    let stop = service
        .client
        .delete(service.url("/v1/graphql"))
        .query(&[("operationId", "1"), ("token", &token)]);
    let stop = stop
        .header("X-Gateway-Admin-Secret", ADMIN_SECRET)
        .header("X-Gateway-Role", "reader");
    assert_eq!(send(stop).await.status, 200);
    assert_eq!(operate(&service, &token, "1", AUTHORS).await.status, 202);
    assert_eq!(
        events.event().await,
        ("next".into(), json!({"id": "1", "payload": authors()}))
    );
    assert_eq!(
        events.event().await,
        ("complete".into(), json!({"id": "1"}))
    );
    assert_eq!(
        operate(&service, &token, "2", "{ ratios { ratio } }")
            .await
            .status,
        202
    );
    assert_eq!(
        events.event().await.1["payload"]["errors"][0]["extensions"]["code"],
        "data-exception"
    );
    assert_eq!(
        events.event().await,
        ("complete".into(), json!({"id": "2"}))
    );
    let without_id =
        with_token(by(&service, Method::POST), &token).json(&json!({"query": AUTHORS}));
    send(without_id).await.assert_error(
        400,
        "bad-request",
        "'extensions.operationId' has to be a string",
    );

    // With the stream its reservation ends.
    drop(events);
    while operate(&service, &token, "3", AUTHORS).await.status != 404 {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn reservation_belongs_to_its_caller_and_expires() {
    let limits = SocketLimits {
        reservation_time: Duration::from_millis(500),
        per_address: 3,
        ..SocketLimits::default()
    };
    let service = Service::with_sockets(limits, &[]).await;
    send(service.client.put(service.url("/v1/graphql")))
        .await
        .assert_error(401, "access-denied", "No authorization header provided");
    let token = reserve(&service).await;
    let foreign = |request: RequestBuilder| request.bearer_auth(token::good());
    let opened = foreign(service.get("/v1/graphql")).header("Accept", "text/event-stream");
    send(with_token(opened, &token)).await.assert_error(
        404,
        "not-found",
        "no event stream is reserved with this token",
    );
    let body = json!({"query": AUTHORS, "extensions": {"operationId": "1"}});
    assert_eq!(
        send(with_token(foreign(service.post()), &token).json(&body))
            .await
            .status,
        404
    );
    let stop =
        foreign(service.client.delete(service.url("/v1/graphql"))).query(&[("operationId", "1")]);
    assert_eq!(send(with_token(stop, &token)).await.status, 404);
    let others = [reserve(&service).await, reserve(&service).await];
    assert_eq!(send(by(&service, Method::PUT)).await.status, 429);
    while operate(&service, &token, "1", "{ nothing }").await.status != 404 {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    while send(by(&service, Method::PUT)).await.status != 201 {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    drop(others);
}

#[tokio::test]
async fn stream_opens_on_another_gateway_than_the_one_that_has_reserved_it() {
    let service = Service::start().await;
    let other = builder(SCHEMA).gateway_builder(service.database.url());
    let other = other.start().await.unwrap();
    let url = format!("{}/v1/graphql", other.url());
    let at_other = |method: Method| {
        let request = service.client.request(method, &url);
        request
            .header("X-Gateway-Admin-Secret", ADMIN_SECRET)
            .header("X-Gateway-Role", "reader")
    };
    let token = reserve(&service).await;
    // Operations may be sent before the stream is open there as well.
    let body = json!({"query": AUTHORS, "extensions": {"operationId": "early"}});
    let early = send(with_token(at_other(Method::POST), &token).json(&body)).await;
    assert_eq!(early.status, 202, "{}", early.text);
    let stream = at_other(Method::GET).header("Accept", "text/event-stream");
    let mut events = Events::open(with_token(stream, &token)).await;
    assert_eq!(
        events.event().await,
        ("next".into(), json!({"id": "early", "payload": authors()}))
    );
    let subscription = json!({
        "query": format!("subscription {AUTHORS}"), "extensions": {"operationId": "1"}
    });
    assert_eq!(events.event().await.0, "complete");
    let operated = send(with_token(at_other(Method::POST), &token).json(&subscription)).await;
    assert_eq!(operated.status, 202, "{}", operated.text);
    assert_eq!(
        events.event().await,
        ("next".into(), json!({"id": "1", "payload": authors()}))
    );
    let stop = at_other(Method::DELETE).query(&[("operationId", "1"), ("token", &token)]);
    assert_eq!(send(stop).await.status, 200);
    // A token of another caller, a changed one, and one whose stream has ended open nothing.
    let foreign = service.client.get(&url).bearer_auth(token::good());
    let foreign = foreign.header("Accept", "text/event-stream");
    assert_eq!(send(with_token(foreign, &token)).await.status, 404);
    let changed = format!("{token}A");
    let stream = || at_other(Method::GET).header("Accept", "text/event-stream");
    assert_eq!(send(with_token(stream(), &changed)).await.status, 404);
    drop(events);
    until("the stream has ended", async || {
        send(with_token(at_other(Method::POST), &token).json(&body))
            .await
            .status
            == 404
    })
    .await;
    assert_eq!(send(with_token(stream(), &token)).await.status, 404);
}

#[tokio::test]
async fn old_stream_ends_without_complete() {
    let limits = SocketLimits {
        max_age: Some(Duration::from_millis(500)),
        ..SocketLimits::default()
    };
    let service = Service::with_sockets(limits, &[]).await;
    let body = json!({"query": format!("subscription {AUTHORS}")});
    let mut events = Events::open(stream(&service, Method::POST).json(&body)).await;
    assert_eq!(events.event().await.0, "next");
    assert_eq!(events.next().await, None);
    until_no_subscriptions(&service.gateway).await;
}

/// A token of a reader that expires in two seconds.
fn soon_expired() -> String {
    token::changed(|claims| {
        claims["exp"] = (token::now() + 2).into();
        claims["gateway"]["x-gateway-default-role"] = "reader".into();
    })
}

#[tokio::test]
async fn stream_ends_with_the_session_and_with_the_gateway() {
    let limits = SocketLimits {
        comment_interval: Duration::from_millis(100),
        ..SocketLimits::default()
    };
    let service = Service::with_sockets(limits, &[("idle-timeout", "1")]).await;
    let subscription = format!("subscription {AUTHORS}");
    // Without an error and `complete`, so that clients connect again.
    for query in [&*subscription, "{ slow { slept } }"] {
        let request = service
            .post()
            .bearer_auth(soon_expired())
            .header("Accept", "text/event-stream");
        let mut events = Events::open(request.json(&json!({"query": query}))).await;
        if query == subscription {
            assert_eq!(events.event().await, ("next".into(), authors()));
        }
        assert_eq!(events.next().await, None, "{query}");
    }
    let short = soon_expired();
    let reserved = send(
        service
            .client
            .put(service.url("/v1/graphql"))
            .bearer_auth(&short),
    )
    .await;
    assert_eq!(reserved.status, 201);
    let opened = service
        .get("/v1/graphql")
        .bearer_auth(&short)
        .header("Accept", "text/event-stream");
    let mut events = Events::open(with_token(opened, &reserved.text)).await;
    for (id, query) in [("1", &*subscription), ("2", "{ slow { slept } }")] {
        let operation = with_token(service.post().bearer_auth(&short), &reserved.text);
        let body = json!({"query": query, "extensions": {"operationId": id}});
        assert_eq!(send(operation.json(&body)).await.status, 202);
    }
    assert_eq!(
        events.event().await,
        ("next".into(), json!({"id": "1", "payload": authors()}))
    );
    assert_eq!(events.next().await, None);
    let late = with_token(service.post().bearer_auth(&short), &reserved.text)
        .json(&json!({"query": AUTHORS}));
    send(late)
        .await
        .assert_error(401, "access-denied", "Could not verify JWT: JWTExpired");
    let token = reserve(&service).await;
    let mut events = Events::open(with_token(stream(&service, Method::GET), &token)).await;
    // Comments keep the connection open beyond the idle timeout.
    tokio::time::sleep(Duration::from_millis(1500)).await;
    assert_eq!(operate(&service, &token, "1", AUTHORS).await.status, 202);
    assert_eq!(events.event().await.0, "next");
    let (running, _database) = service.into_parts();
    let stopping = tokio::spawn(running.shutdown());
    while events.next().await.is_some() {}
    tokio::time::timeout(PATIENCE, stopping)
        .await
        .expect("the stream holds the gateway")
        .unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn idle_streams_cost_only_the_tick_and_end_with_their_client() {
    // A cluster of its own, since a write to any database of a cluster moves the snapshot of all.
    let (cluster, client) = own_cluster("1").await;
    let builder = tests::gateway()
        .database_url(&cluster.url("postgres"))
        .admin_secret(ADMIN_SECRET)
        .listen("127.0.0.1:0");
    let settings = [
        ("subscription-source", "snapshot"),
        ("subscription-interval", "0.1"),
        ("socket-keep-alive", "0.5"),
    ];
    let builder = settings.iter().fold(builder, |builder, (name, value)| {
        builder.setting(name, value)
    });
    let running = builder
        .permissions_text("service.toml", PERMISSIONS)
        .start()
        .await
        .unwrap();
    let switch = Switch::start(running.address().port()).await;
    let query = "subscription ($from: Int!) { articles_stream(batch_size: 5, cursor: \
                 {initial_value: {id: $from}}) { id } }";
    let mut streams = Vec::new();
    for from in 1000..1012 {
        let request =
            reqwest::Client::new().post(format!("http://{}/v1/graphql", switch.address()));
        let request = request
            .header("X-Gateway-Admin-Secret", ADMIN_SECRET)
            .header("X-Gateway-Role", "reader");
        let request = request.header("Accept", "text/event-stream");
        streams.push(
            Events::open(request.json(&json!({"query": query, "variables": {"from": from}}))).await,
        );
    }
    until("all have begun", async || {
        gauge(&running, "subscribers").await == 12.0
    })
    .await;

    let ticks = async || {
        let metrics = send(reqwest::Client::new().get(format!("{}/metrics", running.url())))
            .await
            .text;
        let is_tick = |line: &&str| {
            line.starts_with("postern_subscription_changes_total") && line.contains("unchanged")
        };
        metrics
            .lines()
            .filter(is_tick)
            .map(|line| line.rsplit_once(' ').unwrap().1.parse::<f64>().unwrap())
            .sum::<f64>()
    };
    let cost = async || {
        let scans = "SELECT coalesce(sum(seq_scan + coalesce(idx_scan, 0)), 0)::int8 FROM \
                     pg_stat_user_tables";
        let scans: i64 = client.query_one(scans, &[]).await.unwrap().get(0);
        (
            scans,
            gauge(&running, "subscription_statements_total").await,
        )
    };
    until("no scan and no statement in twenty ticks", async || {
        let before = cost().await;
        let began = ticks().await;
        until("twenty ticks", async || ticks().await >= began + 20.0).await;
        cost().await == before
    })
    .await;
    for events in &mut streams {
        while events.read.matches(":\n\n").count() < 3 {
            let part = tokio::time::timeout(PATIENCE, events.response.chunk())
                .await
                .expect("no comment")
                .unwrap();
            events.read += std::str::from_utf8(&part.expect("the stream ends")).unwrap();
        }
        assert!(!events.read.contains("event"), "{}", events.read);
    }

    client
        .batch_execute("INSERT INTO articles VALUES (2000, 1, 'new')")
        .await
        .unwrap();
    for events in &mut streams {
        assert_eq!(
            events.event().await.1,
            json!({"data": {"articles_stream": [{"id": 2000}]}})
        );
    }
    // The client is gone without closing a connection; the next comment finds that out.
    switch.cut();
    until_no_subscriptions(&running).await;
    until("no stream is open", async || {
        let metrics = send(reqwest::Client::new().get(format!("{}/metrics", running.url())))
            .await
            .text;
        metrics.contains("postern_sockets_open{transport=\"event-stream\"} 0")
    })
    .await;
}

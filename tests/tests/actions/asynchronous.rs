//! Tests asynchronous actions.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tests::reply::Reply;
use tests::service::ADMIN_SECRET;
use tests::wait::until;

use super::service::Service;
use crate::http::elsewhere::{Answer, Elsewhere};
use crate::http::websocket_client::{TRANSPORT, WebSocket};

async fn call(service: &Service) -> String {
    let reply = service
        .ask("author", "mutation { slowly(number: 3) }")
        .await;
    reply.data()["slowly"]
        .as_str()
        .unwrap_or_else(|| panic!("{}", reply.text))
        .to_owned()
}

fn outcome(id: &str) -> String {
    format!("{{ slowly(id: \"{id}\") {{ id output {{ total }} errors created_at }} }}")
}

#[tokio::test]
async fn outcome_is_read_by_the_same_caller_alone() {
    let handler = Elsewhere::start(Answer::ok(json!({"total": 6}))).await;
    let service = Service::start(&handler).await;
    let id = call(&service).await;
    until("the answer", async || {
        let reply = service.ask("author", &outcome(&id)).await;
        reply.data()["slowly"]["output"] == json!({"total": 6})
    })
    .await;
    let reply = service.ask("author", &outcome(&id)).await.data();
    assert_eq!(
        (reply["slowly"]["id"].as_str(), &reply["slowly"]["errors"]),
        (Some(id.as_str()), &Value::Null)
    );
    let asked: Value = serde_json::from_str(&handler.asked()[0].body).unwrap();
    assert_eq!(
        (&asked["action"]["id"], &asked["input"]),
        (&json!(id), &json!({"number": 3}))
    );
    assert_eq!(
        asked["session_variables"],
        json!({"x-gateway-role": "author", "x-gateway-user-id": "1"})
    );
    // Another user, another role, and another id look alike.
    let other = service
        .client
        .post(format!("{}/v1/graphql", service.gateway.url()));
    let other = other
        .header("X-Gateway-Admin-Secret", ADMIN_SECRET)
        .header("X-Gateway-Role", "author");
    let other = other
        .header("X-Gateway-User-Id", "2")
        .json(&json!({"query": outcome(&id)}));
    assert_eq!(
        Reply::of(other).await.unwrap().data(),
        json!({"slowly": null})
    );
    assert_eq!(
        service.ask("reader", &outcome(&id)).await.data(),
        json!({"slowly": null})
    );
    let unknown = "00000000-0000-0000-0000-000000000000";
    assert_eq!(
        service.ask("author", &outcome(unknown)).await.data(),
        json!({"slowly": null})
    );
    assert_eq!(
        service.ask("author", &outcome("x")).await.error().code,
        "constraint-violation"
    );
}

#[tokio::test]
async fn errors_are_stored_without_causes() {
    let handler = Elsewhere::start(Answer::of(
        "400 Bad Request",
        json!({"message": "no", "code": "short"}),
    ))
    .await;
    let service = Service::start(&handler).await;
    let settled = async |id: &str| {
        until("the errors", async || {
            !service.ask("author", &outcome(id)).await.data()["slowly"]["errors"].is_null()
        })
        .await;
        service.ask("author", &outcome(id)).await.data()["slowly"]["errors"].clone()
    };
    let id = call(&service).await;
    assert_eq!(
        settled(&id).await,
        json!({"message": "no", "extensions": {"code": "short", "path": "$"}})
    );
    handler.answer(Answer::ok("secret"));
    let id = call(&service).await;
    assert_eq!(settled(&id).await["extensions"]["code"], "unexpected");
}

#[tokio::test]
async fn two_gateways_call_a_handler_once() {
    let handler = Elsewhere::start(Answer::ok(json!({"total": 6}))).await;
    let service = Service::start(&handler).await;
    let definitions = super::service::definitions(&handler.url(""));
    let builder = super::service::builder(&definitions, super::service::TYPES, "");
    let second = builder.gateway_builder(service.database.url());
    let _second = second.start().await.unwrap();
    for _ in 0..20 {
        call(&service).await;
    }
    let open = "SELECT count(*) FROM postern.action_log WHERE status <> 'completed'";
    until("all calls", async || service.value(open).await == "0").await;
    assert_eq!(handler.asked().len(), 20);
    let request = service
        .by("reader")
        .json(&json!({"query": "mutation { slowly(number: 1) }"}));
    assert!(Reply::of(request).await.unwrap().data()["slowly"].is_string());
}

#[tokio::test]
async fn calls_of_a_killed_gateway_are_taken_up() {
    let handler = Elsewhere::start(Answer::ok(json!({"total": 6}))).await;
    let service = Service::start(&handler).await;
    let claimed = |until: &str| {
        format!(
            "WITH added AS (INSERT INTO postern.action_log (action, \
                                         input, session, request_query, status, claimed_until) \
                                         VALUES ('slowly', '{{\"number\": 1}}', \
                                         '{{\"x-gateway-role\": \"author\"}}', '', 'processing', \
                                         {until}) RETURNING id) \
                                         SELECT id::text FROM added"
        )
    };
    let client = service.database.connect().await.unwrap();
    let lost: String = client
        .query_one(&claimed("now() - interval '1 second'"), &[])
        .await
        .unwrap()
        .get(0);
    let running: String = client
        .query_one(&claimed("now() + interval '1 hour'"), &[])
        .await
        .unwrap()
        .get(0);
    let status = async |id: &str| {
        service
            .value(&format!(
                "SELECT status FROM postern.action_log WHERE id = '{id}'"
            ))
            .await
    };
    until("the lost call", async || status(&lost).await == "completed").await;
    assert_eq!(
        (status(&running).await.as_str(), handler.asked().len()),
        ("processing", 1)
    );
}

async fn socket(service: &Service, user: &str) -> WebSocket {
    let mut socket = WebSocket::open(service.address(), Some(TRANSPORT), &[]).await;
    let headers = json!({"X-Gateway-Admin-Secret": ADMIN_SECRET, "X-Gateway-Role": "author", "X-Gateway-User-Id": user});
    socket.init(&json!({ "headers": headers })).await;
    assert_eq!(socket.message().await, json!({"type": "connection_ack"}));
    socket
}

fn subscription(id: &str) -> String {
    format!("subscription {{ call: slowly(id: \"{id}\") {{ output {{ total }} errors }} }}")
}

#[tokio::test(flavor = "multi_thread")]
async fn outcome_is_subscribed_to() {
    let handler = Elsewhere::start(Answer {
        after: Duration::from_secs(1),
        ..Answer::ok(json!({"total": 6}))
    })
    .await;
    let service = Service::start(&handler).await;
    let mut own = socket(&service, "1").await;
    let mut other = socket(&service, "2").await;
    let id = call(&service).await;
    own.start("1", &subscription(&id)).await;
    other.start("1", &subscription(&id)).await;
    let next =
        |call: Value| json!({"type": "next", "id": "1", "payload": {"data": {"call": call}}});
    assert_eq!(
        own.message().await,
        next(json!({"output": null, "errors": null}))
    );
    assert_eq!(
        own.message().await,
        next(json!({"output": {"total": 6}, "errors": null}))
    );
    let began = Instant::now();
    // Somebody else's call looks like none, and stays so.
    assert_eq!(other.message().await, next(Value::Null));
    assert!(
        tokio::time::timeout(Duration::from_secs(2), other.message())
            .await
            .is_err()
    );
    assert!(began.elapsed() < Duration::from_secs(10));
    own.send(&json!({"type": "complete", "id": "1"})).await;
    drop((own, other));
    until("no subscribers", async || {
        service
            .gateway
            .app()
            .metrics
            .subscriptions
            .subscribers
            .get()
            == 0
    })
    .await;
    // Other actions have no subscription.
    let mut socket = socket(&service, "1").await;
    socket
        .start(
            "1",
            "subscription { login(credentials: {email: \"a\", password: \"b\"}) { token } }",
        )
        .await;
    assert_eq!(
        socket.message().await["payload"][0]["extensions"]["code"],
        "validation-failed"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn shutdown_waits_for_calls() {
    let handler = Elsewhere::start(Answer {
        after: Duration::from_secs(1),
        ..Answer::ok(json!({"total": 6}))
    })
    .await;
    let service = Service::start(&handler).await;
    let id = call(&service).await;
    until("the call", async || handler.asked().len() == 1).await;
    let (running, database) = service.into_parts();
    running.shutdown().await;
    let sql = database.connect().await.unwrap();
    let row = "SELECT status || attempts FROM postern.action_log WHERE id::text = $1";
    assert_eq!(
        sql.query_one(row, &[&id])
            .await
            .unwrap()
            .get::<_, String>(0),
        "completed1"
    );
    assert_eq!(handler.asked().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn old_calls_are_removed() {
    let handler = Elsewhere::start(Answer::ok(json!({"total": 6}))).await;
    let file = "[actions]\ndefinitions = \"a\"\ntypes = \"b\"\nretention_days = 3\n";
    let definitions = super::service::definitions(&handler.url(""));
    let builder = super::service::builder(&definitions, super::service::TYPES, file);
    let database = builder.create_database().await;
    let sql = database.connect().await.unwrap();
    sql.batch_execute(
        "INSERT INTO postern.action_log (action, input, session, request_query, status, finished_at, created_at)
         SELECT 'x', '{}', '{}', '', s.status, now() - s.age, now() - interval '9 days'
         FROM (VALUES ('completed', interval '4 days'), ('failed', interval '4 days'), ('completed', interval '2 days'),
                      ('created', NULL)) s (status, age), generate_series(1, 700)",
    )
    .await
    .unwrap();
    let builder = builder.gateway_builder(database.url());
    let running = builder.start().await.unwrap();
    until("removal", async || {
        let count = "SELECT count(*) FROM postern.action_log";
        sql.query_one(count, &[]).await.unwrap().get::<_, i64>(0) == 1400
    })
    .await;
    running.shutdown().await;
}

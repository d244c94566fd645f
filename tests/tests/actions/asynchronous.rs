//! Tests asynchronous actions.

use serde_json::{Value, json};
use tests::reply::Reply;
use tests::wait::until;

use super::elsewhere::{Answer, Elsewhere};
use super::service::{SECRET, Service};

async fn call(service: &Service) -> String {
    let reply = service.ask("author", "mutation { slowly(number: 3) }").await;
    reply.data()["slowly"].as_str().unwrap_or_else(|| panic!("{}", reply.text)).to_owned()
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
    assert_eq!((reply["slowly"]["id"].as_str(), &reply["slowly"]["errors"]), (Some(id.as_str()), &Value::Null));
    let asked: Value = serde_json::from_str(&handler.asked()[0].body).unwrap();
    assert_eq!((&asked["action"]["id"], &asked["input"]), (&json!(id), &json!({"number": 3})));
    assert_eq!(asked["session_variables"], json!({"x-gateway-role": "author", "x-gateway-user-id": "1"}));
    // Another user, another role, and another id look alike.
    let other = service.client.post(format!("{}/v1/graphql", service.running.url()));
    let other = other.header("X-Gateway-Admin-Secret", SECRET).header("X-Gateway-Role", "author");
    let other = other.header("X-Gateway-User-Id", "2").json(&json!({"query": outcome(&id)}));
    assert_eq!(Reply::of(other).await.unwrap().data(), json!({"slowly": null}));
    assert_eq!(service.ask("reader", &outcome(&id)).await.data(), json!({"slowly": null}));
    let unknown = "00000000-0000-0000-0000-000000000000";
    assert_eq!(service.ask("author", &outcome(unknown)).await.data(), json!({"slowly": null}));
    assert_eq!(service.ask("author", &outcome("x")).await.error().1, "constraint-violation");
}

#[tokio::test]
async fn errors_are_stored_without_causes() {
    let handler = Elsewhere::start(Answer::of("400 Bad Request", json!({"message": "no", "code": "short"}))).await;
    let service = Service::start(&handler).await;
    let settled = async |id: &str| {
        until("the errors", async || !service.ask("author", &outcome(id)).await.data()["slowly"]["errors"].is_null())
            .await;
        service.ask("author", &outcome(id)).await.data()["slowly"]["errors"].clone()
    };
    let id = call(&service).await;
    assert_eq!(settled(&id).await, json!({"message": "no", "extensions": {"code": "short", "path": "$"}}));
    handler.answer(Answer::ok("secret"));
    let id = call(&service).await;
    assert_eq!(settled(&id).await["extensions"]["code"], "unexpected");
}

#[tokio::test]
async fn two_gateways_call_a_handler_once() {
    let handler = Elsewhere::start(Answer::ok(json!({"total": 6}))).await;
    let service = Service::start(&handler).await;
    let (builder, _database) =
        super::service::builder(&super::service::definitions(&handler.url("")), super::service::TYPES, "").await;
    let _second = builder.database_url(service.database.url()).start().await.unwrap();
    for _ in 0..20 {
        call(&service).await;
    }
    let open = "SELECT count(*) FROM postern.action_log WHERE status <> 'completed'";
    until("all calls", async || service.value(open).await == "0").await;
    assert_eq!(handler.asked().len(), 20);
    let request = service.by("reader").json(&json!({"query": "mutation { slowly(number: 1) }"}));
    assert!(Reply::of(request).await.unwrap().data()["slowly"].is_string());
}

#[tokio::test]
async fn calls_of_a_killed_gateway_are_taken_up() {
    let handler = Elsewhere::start(Answer::ok(json!({"total": 6}))).await;
    let service = Service::start(&handler).await;
    let claimed = |until: &str| {
        format!(
            "WITH added AS (INSERT INTO postern.action_log (action, input, session, request_query, status, claimed_until) \
             VALUES ('slowly', '{{\"number\": 1}}', '{{\"x-gateway-role\": \"author\"}}', '', 'processing', {until}) RETURNING id) \
             SELECT id::text FROM added"
        )
    };
    let client = service.database.connect().await.unwrap();
    let lost: String = client.query_one(&claimed("now() - interval '1 second'"), &[]).await.unwrap().get(0);
    let running: String = client.query_one(&claimed("now() + interval '1 hour'"), &[]).await.unwrap().get(0);
    let status =
        async |id: &str| service.value(&format!("SELECT status FROM postern.action_log WHERE id = '{id}'")).await;
    until("the lost call", async || status(&lost).await == "completed").await;
    assert_eq!((status(&running).await.as_str(), handler.asked().len()), ("processing", 1));
}

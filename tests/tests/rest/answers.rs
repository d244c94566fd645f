//! Tests responses: the `data` object or one root field of it, buffered or in parts, and the
//! statuses of errors.

use reqwest::Method;
use serde_json::{Value, json};

use super::service::{Service, is, send};

#[tokio::test(flavor = "multi_thread")]
async fn response_is_the_data_object() {
    let service = Service::start().await;
    is(
        &service.get("one?id=1").await,
        &json!({"id": 1, "name": "a/b + ü"}),
    );
    is(&service.get("one?id=7").await, &Value::Null);
    is(
        &service.get("things/7").await,
        &json!({"things_by_pk": null}),
    );
    is(
        &service.get("things/all").await,
        &json!([{"id": 1}, {"id": 2}]),
    );
    let schema = json!({"__typename": "query_root", "things": [{"__typename": "things"}], "__type": {"name": "mood"}});
    is(&service.get("schema").await, &schema);
    let reply = service.get("one?id=1").await;
    assert_eq!(reply.header("cache-control"), "no-store");
    assert_eq!(reply.header("x-content-type-options"), "nosniff");
    assert!(!reply.header("x-request-id").is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn long_responses_are_streamed_completely() {
    let service = Service::start().await;
    let rows: Vec<Value> = (1..=30_000)
        .map(|id| json!({"id": id, "text": "x".repeat(100)}))
        .collect();
    is(&service.get("long").await, &json!({ "long": rows }));
    is(&service.get("long/single").await, &json!(rows));
    let two = service.get("long/two").await;
    assert_eq!(two.status, 200);
    assert_eq!(two.json()["a"].as_array().map(Vec::len), Some(30_000));
    assert_eq!(two.json()["b"][29_999], json!({"text": "x".repeat(100)}));
}

#[tokio::test(flavor = "multi_thread")]
async fn failure_while_streaming_aborts_the_response() {
    let service = Service::start().await;
    let response = service
        .by("reader", Method::GET, "flood")
        .send()
        .await
        .unwrap();
    assert_eq!(response.status(), 200);
    assert!(
        response.bytes().await.is_err(),
        "nobody may take it for the whole"
    );
    is(
        &service.get("one?id=2").await,
        &json!({"id": 2, "name": "7"}),
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn errors_have_their_own_statuses() {
    let service = Service::with(
        super::service::MAP,
        &[("time-limit", "1"), ("answer-limit", "20000")],
    )
    .await;
    let late = service.get("slow").await;
    late.assert_envelope(504, "the request took longer than the limit of 1 seconds");
    service
        .get("long")
        .await
        .assert_envelope(400, "the answer is larger than the limit of 20000 bytes");
    let client = service.database.connect().await.unwrap();
    client
        .batch_execute("ALTER TABLE things ADD CHECK (name <> 'bad')")
        .await
        .unwrap();
    let checked = send(service.by("owner", Method::GET, "rename?id=1&name=bad")).await;
    assert_eq!(checked.status, 400, "{}", checked.text);
    assert!(
        checked
            .text
            .starts_with("{\"status\":\"error\",\"message\":\"Check constraint violation."),
        "{}",
        checked.text
    );
    client
        .batch_execute("DROP VIEW slow, long, flood; DROP TABLE things")
        .await
        .unwrap();
    // The endpoint is left out of the version that fits the database.
    for _ in 0..2 {
        service
            .get("one?id=1")
            .await
            .assert_envelope(404, "no such path");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn dry_run_is_reported_in_a_header() {
    let service = Service::start().await;
    let dry = service
        .by("admin", Method::PUT, "rename?id=1&name=dry")
        .header("X-Gateway-Dry-Run", "true");
    let dry = send(dry).await;
    is(
        &dry,
        &json!({"update_things_by_pk": {"id": 1, "name": "dry"}}),
    );
    assert_eq!(dry.header("x-gateway-dry-run"), "true");
    let misspelled = service
        .by("admin", Method::PUT, "rename?id=1&name=dry")
        .header("X-Gateway-Dry_Run", "true");
    assert_eq!(send(misspelled).await.status, 400);
    is(
        &service.get("one?id=1").await,
        &json!({"id": 1, "name": "a/b + ü"}),
    );
}

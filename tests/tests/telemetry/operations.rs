//! Metrics by the name of the operation, whose number is bounded.

use serde_json::json;

use super::service::Service;

#[tokio::test(flavor = "multi_thread")]
async fn operations_are_counted_by_name_up_to_a_limit() {
    let service = Service::start(&[("metrics-operations", "1")]).await;
    for (name, query) in [
        ("A", "query A { users { id } }"),
        ("B", "query B { users { id } }"),
        ("C", "query C { no }"),
    ] {
        service
            .send(&json!({"query": query, "operationName": name}), &[])
            .await;
    }
    let text = service.get("/metrics").await.text;
    for line in [
        "postern_operations_total{code=\"\",operation=\"A\"} 1",
        "postern_operations_total{code=\"\",operation=\"other\"} 1",
        "postern_operations_total{code=\"validation-failed\",operation=\"other\"} 1",
        "postern_operation_duration_seconds_count{operation=\"A\"} 1",
        "postern_operation_duration_seconds_count{operation=\"other\"} 2",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
}

//! Traces: a span for the request and one for each stage, the caller's trace continued, sampling,
//! and a collector that does not take spans.

use serde_json::json;

use super::collector::{Collector, ReceivedSpan};
use super::service::Service;

const CALLER: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

fn is_server(span: &ReceivedSpan) -> bool {
    span.kind == 2
}

fn named<'s>(spans: &'s [ReceivedSpan], name: &str) -> &'s ReceivedSpan {
    spans
        .iter()
        .find(|span| span.name == name)
        .unwrap_or_else(|| panic!("no span {name}: {spans:?}"))
}

#[tokio::test(flavor = "multi_thread")]
async fn request_has_spans_for_its_stages() {
    let collector = Collector::start("200 OK").await;
    let settings = [
        ("otlp-endpoint", collector.url.as_str()),
        ("otlp-headers", "x-key=a%20b"),
        ("otlp-service", "shop"),
    ];
    let service = Service::start(&settings).await;
    let query = json!({"query": "query Members { users(where: {email: {_neq: \"secret\"}}) { id \
                                 } }", "operationName": "Members"});
    assert_eq!(service.send(&query, &[]).await.status, 200);
    let spans = collector.trace_of(is_server).await;
    let server = named(&spans, "POST /v1/graphql");
    assert_eq!((&server.parent, server.is_error), (&None, false));
    let expected = [
        ("http.request.method", "POST"),
        ("http.route", "/v1/graphql"),
        ("http.response.status_code", "200"),
        ("graphql.operation.name", "Members"),
        ("graphql.operation.type", "query"),
        ("postern.role", "member"),
    ];
    for (name, value) in expected {
        assert_eq!(
            server.attributes.get(name).map(String::as_str),
            Some(value),
            "{name}"
        );
    }
    assert_eq!(server.attributes["postern.document.hash"].len(), 16);
    assert_eq!(
        (
            server.resource["service.name"].as_str(),
            server.resource.contains_key("service.version")
        ),
        ("shop", true)
    );
    let statement = named(&spans, "postgresql");
    assert_eq!(
        (
            statement.kind,
            statement.attributes["db.system.name"].as_str()
        ),
        (3, "postgresql")
    );
    assert_eq!(statement.attributes["db.response.returned_rows"], "5");
    let sql = &statement.attributes["db.query.text"];
    assert!(
        sql.contains("\"public\".\"users\"") && !sql.contains("secret"),
        "{sql}"
    );
    for name in ["plan", "bind", "wait for connection", "postgresql"] {
        let span = named(&spans, name);
        assert_eq!(span.parent.as_ref(), Some(&server.id), "{name}");
        assert!(
            span.start >= server.start && span.end <= server.end && span.start <= span.end,
            "{name}: {spans:?}"
        );
    }
    assert!(
        collector
            .heads()
            .iter()
            .all(|head| head.starts_with("post /v1/traces ") && head.contains("x-key: a b"))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn trace_of_the_caller_is_continued() {
    let collector = Collector::start("200 OK").await;
    let settings = [
        ("otlp-endpoint", collector.url.as_str()),
        ("trace-ratio", "0"),
        ("trusted-proxies", "127.0.0.1"),
    ];
    let service = Service::start(&settings).await;
    let query = json!({"query": "{ users { id } }"});
    // Neither a request without a trace nor one whose caller does not record it is sampled.
    assert_eq!(service.send(&query, &[]).await.status, 200);
    let unsampled = CALLER.replace("-01", "-00");
    assert_eq!(
        service
            .send(&query, &[("traceparent", &unsampled)])
            .await
            .status,
        200
    );
    assert_eq!(
        service
            .send(&query, &[("traceparent", CALLER)])
            .await
            .status,
        200
    );
    let spans = collector.trace_of(is_server).await;
    let server = spans.iter().find(|span| is_server(span)).unwrap();
    assert_eq!(server.trace, "4bf92f3577b34da6a3ce929d0e0e4736");
    assert_eq!(server.parent.as_deref(), Some("00f067aa0ba902b7"));
    assert_ne!(server.id, "00f067aa0ba902b7");
    assert_eq!(
        collector
            .spans()
            .iter()
            .filter(|span| is_server(span))
            .count(),
        1
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn trace_of_an_untrusted_client_is_not_continued() {
    let collector = Collector::start("200 OK").await;
    let service = Service::start(&[("otlp-endpoint", &collector.url)]).await;
    let query = json!({"query": "{ users { id } }"});
    let unsampled = CALLER.replace("-01", "-00");
    assert_eq!(
        service
            .send(&query, &[("traceparent", &unsampled)])
            .await
            .status,
        200
    );
    assert_eq!(
        service
            .send(&query, &[("traceparent", CALLER), ("tracestate", "a=1")])
            .await
            .status,
        200
    );
    let spans = collector.trace_of(is_server).await;
    let server = spans.iter().find(|span| is_server(span)).unwrap();
    assert_ne!(server.trace, "4bf92f3577b34da6a3ce929d0e0e4736");
    assert_eq!(server.parent, None);
    assert_eq!(
        collector
            .spans()
            .iter()
            .filter(|span| is_server(span))
            .count(),
        1,
        "a caller may ask for no trace"
    );
    // The shutdown sends what waits: the client cannot have its request traced if the gateway does
    // not want to.
    let service = Service::start(&[("otlp-endpoint", &collector.url), ("trace-ratio", "0")]).await;
    assert_eq!(
        service
            .send(&query, &[("traceparent", CALLER)])
            .await
            .status,
        200
    );
    let (running, _database) = service.into_parts();
    running.shutdown().await;
    assert_eq!(
        collector
            .spans()
            .iter()
            .filter(|span| is_server(span))
            .count(),
        1
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn refused_request_has_its_reason() {
    let collector = Collector::start("200 OK").await;
    let service = Service::start(&[("otlp-endpoint", &collector.url)]).await;
    service.query("{ users { nothing } }").await;
    let spans = collector.trace_of(is_server).await;
    let server = spans.iter().find(|span| is_server(span)).unwrap();
    assert_eq!(server.attributes["error.type"], "validation-failed");
    assert_eq!(
        server.attributes["postern.reason"],
        "FieldsOnCorrectType in users at 1:11"
    );
    assert!(
        spans
            .iter()
            .all(|span| !span.is_error && span.name != "postgresql"),
        "{spans:?}"
    );
    service
        .query(
            "mutation { insertUsersOne(object: {id: 99, email: \"u1@example.com\", team: 1}) \
                { id } }",
        )
        .await;
    let spans = collector.trace_of(|span| span.is_error).await;
    let statement = named(&spans, "postgresql");
    assert_eq!(statement.attributes["db.response.status_code"], "23505");
}

#[tokio::test(flavor = "multi_thread")]
async fn shutdown_sends_what_waits() {
    let collector = Collector::start("200 OK").await;
    let service = Service::start(&[("otlp-endpoint", &collector.url)]).await;
    assert_eq!(service.query("{ users { id } }").await.status, 200);
    let (running, _database) = service.into_parts();
    running.shutdown().await;
    assert!(collector.spans().iter().any(is_server));
}

#[tokio::test(flavor = "multi_thread")]
async fn collector_that_refuses_costs_spans_and_nothing_else() {
    let collector = Collector::start("400 Bad Request").await;
    let service = Service::start(&[("otlp-endpoint", &collector.url)]).await;
    assert_eq!(service.query("{ users { id } }").await.status, 200);
    collector.trace_of(is_server).await;
    tests::wait::until("a span counts as failed", async || {
        let none = "postern_trace_spans_total{outcome=\"failed\"} 0";
        !service.get("/metrics").await.text.contains(none)
    })
    .await;
}

//! Comments with the trace in the SQL of traced requests, which other requests do not pay for.

use serde_json::json;

use super::collector::Collector;
use super::service::Service;

#[tokio::test(flavor = "multi_thread")]
async fn comment_names_the_span_of_the_statement() {
    let collector = Collector::start("200 OK").await;
    let settings = [
        ("otlp-endpoint", collector.url.as_str()),
        ("trace-ratio", "0"),
        ("trust-traceparent", "127.0.0.1"),
        ("sql-comments", "true"),
        ("pool-size", "1"),
    ];
    let service = Service::start(&settings).await;
    let query = json!({"query": "{ users { id } }"});
    let caller = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    assert_eq!(service.send(&query, &[]).await.status, 200);
    let reply = service.send(&query, &[("traceparent", caller)]).await;
    assert_eq!(
        reply.json()["data"]["users"].as_array().map(Vec::len),
        Some(5)
    );
    let client = service.database.connect().await.unwrap();
    let last = client
        .query_one(
            "SELECT query FROM pg_stat_activity WHERE query LIKE '%traceparent=%' AND pid \
                    <> pg_backend_pid()",
            &[],
        )
        .await
        .unwrap();
    let sql = last.get::<_, String>(0);
    let spans = collector.trace_of(|span| span.kind == 3).await;
    let span = spans.iter().find(|span| span.kind == 3).unwrap();
    let comment = format!(
        "/*role='member',route='%2Fv1%2Fgraphql',\
         traceparent='00-4bf92f3577b34da6a3ce929d0e0e4736-{}-01'*/",
        span.id
    );
    assert!(sql.ends_with(&comment), "{sql}");
    assert!(!span.attributes["db.query.text"].contains("traceparent"));
    let named = json!({"query": "query It { users { id } }"});
    let reply = service.send(&named, &[("traceparent", caller)]).await;
    assert_eq!(reply.status, 200);
    service
        .database
        .until(
            "EXISTS (SELECT FROM pg_stat_activity WHERE query LIKE '%/*operation=''It'',role=%' \
             AND pid <> pg_backend_pid())",
        )
        .await;
    // Mutations have it, too, and requests that are not traced run the statement that was prepared
    // before.
    let write = json!({"query": "mutation { insertUsersOne(object: {id: 50, email: \"x\", team: \
                                 1}) { id } }"});
    assert_eq!(
        service
            .send(&write, &[("traceparent", caller)])
            .await
            .json()["data"]["insertUsersOne"]["id"],
        50
    );
    assert_eq!(
        service.send(&query, &[]).await.json()["data"]["users"]
            .as_array()
            .map(Vec::len),
        Some(6)
    );
    assert_eq!(
        service
            .send(&query, &[("traceparent", caller)])
            .await
            .status,
        200
    );
}

//! Tests the public clients of GraphQL over WebSocket and over server-sent events, unchanged from
//! npm.

use serde_json::{Value, json};
use tests::program;
use tests::service::ADMIN_SECRET;

use super::service::Service;

const CLIENTS: [&str; 4] = [
    "graphql-ws",
    "subscriptions-transport-ws",
    "graphql-sse",
    "graphql-sse single",
];

const AUTHORS: &str = "{ authors(order_by: {id: asc}) { id } }";

/// What a client in `tests/sockets` reports of these operations.
async fn run(client: &str, service: &Service, headers: &Value, operations: &[Value]) -> Value {
    let mut command = program::node("sockets", "client.mjs").unwrap();
    let request = json!({"headers": headers, "operations": operations}).to_string();
    let results = program::run_json(
        command.arg(client).arg(service.url("/v1/graphql")),
        &request,
    )
    .await;
    results.unwrap_or_else(|error| panic!("{client}: {error}"))
}

fn reader() -> Value {
    json!({"X-Gateway-Admin-Secret": ADMIN_SECRET, "X-Gateway-Role": "reader"})
}

#[tokio::test(flavor = "multi_thread")]
async fn public_clients_run_queries_and_mutations() {
    for (index, client) in CLIENTS.into_iter().enumerate() {
        let service = Service::start().await;
        let id = 20 + index;
        let operations = [
            json!({"query": AUTHORS}),
            json!({
                "query": "mutation New($id: Int!) { insert_articles_one(object: {id: $id, \
                          author_id: 1, title: \"t\"}) { id } }",
                "operationName": "New", "variables": {"id": id},
            }),
            json!({"query": "{ ratios { ratio } }"}),
            json!({"query": AUTHORS}),
        ];
        let results = run(client, &service, &reader(), &operations).await;
        let authors = json!({"data": {"authors": [{"id": 1}, {"id": 2}]}});
        assert_eq!(
            results[0],
            json!({"results": [authors], "completed": true}),
            "{client}"
        );
        assert_eq!(
            results[1]["results"],
            json!([{"data": {"insert_articles_one": {"id": id}}}]),
            "{client}"
        );
        // graphql-ws reports the errors by themselves, the others as a result.
        let failed = &results[2];
        let error = if failed["errors"].is_array() {
            &failed["errors"][0]
        } else {
            &failed["results"][0]["errors"][0]
        };
        assert_eq!(
            error["extensions"]["code"], "data-exception",
            "{client}: {failed}"
        );
        assert_eq!(results[3]["results"], json!([authors]), "{client}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn public_clients_report_refused_credentials() {
    let service = Service::start().await;
    let results = run(
        "graphql-ws",
        &service,
        &json!({}),
        &[json!({"query": AUTHORS})],
    )
    .await;
    assert_eq!(results[0]["errors"][0]["code"], 4403, "{results}");
}

#[tokio::test(flavor = "multi_thread")]
async fn public_clients_run_subscriptions() {
    let service = Service::start().await;
    for client in CLIENTS {
        let subscription = json!({"query": format!("subscription {AUTHORS}")});
        let results = run(
            client,
            &service,
            &reader(),
            &[subscription.clone(), subscription],
        )
        .await;
        let authors = json!({"data": {"authors": [{"id": 1}, {"id": 2}]}});
        assert_eq!(
            (&results[0]["results"], &results[1]["results"]),
            (&json!([authors]), &json!([authors])),
            "{client}"
        );
    }
}

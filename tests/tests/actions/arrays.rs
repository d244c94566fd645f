//! Tests variables of type `[uuid!]` for columns and arguments that are arrays, in subscriptions
//! and actions. Under the profile `gateway` these are lists in the schema, under `hasura` the
//! scalar `_uuid`.

use serde_json::{Value, json};
use tests::service::ADMIN_SECRET;

use super::service::Service;
use crate::http::websocket_client::{TRANSPORT, WebSocket};

const TYPES: &str = "type Query { crates_with(owners: [uuid!]!): [Crate!]! }
extend type Mutation { pack(owners: _uuid!): [Crate!]! }
type Crate { id: Int!, owners: [uuid!]! }";

const DEFINITIONS: &str = r#"
[action.crates_with]
function = "crates_with"
roles = ["reader"]

[action.pack]
function = "crates_with"
roles = ["reader"]

[type.Crate.relation.others]
table = "crates"
on = { id = "id" }
"#;

const ADA: &str = "00000000-0000-0000-0000-000000000001";
const BOB: &str = "00000000-0000-0000-0000-000000000002";

/// The profiles, and the prefixes of their headers.
const PROFILES: [(&str, &str); 2] = [("gateway", "X-Gateway"), ("hasura", "X-Hasura")];

/// The declarations of a variable that an array takes.
const DECLARED: [&str; 4] = ["[uuid!]", "[uuid!]!", "_uuid", "_uuid!"];

async fn start(profile: &str) -> Service {
    Service::with(
        DEFINITIONS,
        TYPES,
        &format!("profile = \"{profile}\"\nsubscription_interval = 0.2\n"),
    )
    .await
}

/// The `data` of the next result of an operation.
async fn next(socket: &mut WebSocket, id: &str) -> Value {
    let message = socket.message().await;
    assert_eq!(
        (&message["type"], &message["id"]),
        (&json!("next"), &json!(id)),
        "{message}"
    );
    message["payload"]["data"].clone()
}

#[tokio::test]
async fn subscriptions_take_lists_for_array_columns() {
    for (profile, prefix) in PROFILES {
        let service = start(profile).await;
        let secret = format!("{prefix}-Admin-Secret");
        let role = format!("{prefix}-Role");
        let headers = [(secret.as_str(), ADMIN_SECRET), (role.as_str(), "reader")];
        let mut socket = WebSocket::open(service.address(), Some(TRANSPORT), &headers).await;
        socket.init(&json!({})).await;
        assert_eq!(socket.message().await["type"], "connection_ack");
        let subscribe = |id: String, query: String, owners: Value| json!({"type": "subscribe", "id": id, "payload": {"query": query, "variables": {"o": owners}}});

        for declared in DECLARED {
            let list = |operator: &str| {
                format!(
                    "subscription ($o: {declared}) {{ crates(where: \
                                                 {{owners: {{{operator}: $o}}}}, order_by: {{id: \
                                                 asc}}) {{ id }} }}"
                )
            };
            let stream = format!(
                "subscription ($o: {declared}) {{ crates_stream(batch_size: 5, \
                                  cursor: {{initial_value: {{id: 0}}}}, where: {{owners: {{_eq: \
                                  $o}}}}) {{ id owners }} }}"
            );
            let id = format!("{declared} equal");
            socket
                .send(&subscribe(id.clone(), list("_eq"), json!([ADA, BOB])))
                .await;
            assert_eq!(
                next(&mut socket, &id).await,
                json!({"crates": [{"id": 1}]}),
                "{profile}"
            );
            let id = format!("{declared} contains");
            socket
                .send(&subscribe(id.clone(), list("_contains"), json!([BOB])))
                .await;
            assert_eq!(
                next(&mut socket, &id).await,
                json!({"crates": [{"id": 1}, {"id": 2}]}),
                "{profile}"
            );
            let id = format!("{declared} stream");
            socket
                .send(&subscribe(id.clone(), stream, json!([BOB])))
                .await;
            assert_eq!(
                next(&mut socket, &id).await,
                json!({"crates_stream": [{"id": 2, "owners": [BOB]}]}),
                "{profile}"
            );
            for wrong in [json!(["x"]), json!(7)] {
                socket
                    .send(&subscribe("wrong".into(), list("_contains"), wrong.clone()))
                    .await;
                let message = socket.message().await;
                assert_eq!(
                    (&message["type"], &message["id"]),
                    (&json!("error"), &json!("wrong")),
                    "{profile}: {wrong}"
                );
            }
        }

        // Subscribers with other lists share the statement, and each gets its own rows after a
        // write.
        let insert = "mutation ($o: [uuid!]!) { insert_crates_one(object: {id: 3, owners: $o}) { \
                      id owners } }";
        socket
            .send(&subscribe("insert".into(), insert.into(), json!([BOB])))
            .await;
        let mut seen = std::collections::BTreeMap::new();
        while seen.len() < 2 * DECLARED.len() + 1 {
            let message = socket.message().await;
            let id = message["id"].as_str().unwrap().to_owned();
            if message["type"] == "next" {
                seen.insert(id, message["payload"]["data"].clone());
            }
        }
        assert_eq!(
            seen.remove("insert"),
            Some(json!({"insert_crates_one": {"id": 3, "owners": [BOB]}})),
            "{profile}"
        );
        for (id, data) in seen {
            let expected = if id.ends_with("contains") {
                json!({"crates": [{"id": 1}, {"id": 2}, {"id": 3}]})
            } else {
                json!({"crates_stream": [{"id": 3, "owners": [BOB]}]})
            };
            assert_eq!(data, expected, "{profile}: {id}");
        }
    }
}

#[tokio::test]
async fn actions_take_lists_for_arguments_and_for_arrays_of_relations() {
    for (profile, prefix) in PROFILES {
        let service = start(profile).await;
        let ask = async |query: &str, owners: Value| {
            let request = service
                .client
                .post(format!("{}/v1/graphql", service.gateway.url()));
            let request = request
                .header(format!("{prefix}-Admin-Secret"), ADMIN_SECRET)
                .header(format!("{prefix}-Role"), "reader");
            tests::reply::Reply::of(
                request.json(&json!({"query": query, "variables": {"o": owners}})),
            )
            .await
            .unwrap()
        };
        for declared in ["[uuid!]!", "_uuid!"] {
            let fields = "{ id owners others(where: {owners: {_eq: $o}}) { id } }";
            for (kind, action) in [("query", "crates_with"), ("mutation", "pack")] {
                if (action, declared) == ("crates_with", "_uuid!") {
                    continue;
                }
                let query = format!("{kind} ($o: {declared}) {{ {action}(owners: $o) {fields} }}");
                let reply = ask(&query, json!([BOB])).await;
                let expected = json!([
                    {"id": 1, "owners": [ADA, BOB], "others": []},
                    {"id": 2, "owners": [BOB], "others": [{"id": 2}]},
                ]);
                assert_eq!(
                    reply.data()[action],
                    expected,
                    "{profile}: {query}: {}",
                    reply.text
                );
                for wrong in [json!(["x"]), json!(null)] {
                    assert!(
                        ask(&query, wrong.clone()).await.data().is_null(),
                        "{profile}: {query}: {wrong}"
                    );
                }
            }
        }
    }
}

//! Tests that the settings of reads hold on every transport: a policy on
//! `current_setting('app.user_id', true)` shows each caller only its own rows, and none to a caller
//! without the session value. The gateway has one connection, so that each request has the one that
//! another caller had before.

use std::collections::BTreeMap;

use futures_util::StreamExt;
use gateway::rest::{Documents, Source};
use permissions::SourceFile;
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};
use tests::reply::Reply;

use super::service::{ALL, PERMISSIONS, Service, credentials};
use crate::http::websocket_client::{PATIENCE, TRANSPORT, WebSocket};

pub(super) const LETTERS: &str = "{ letters(order_by: {id: asc}) { body } }";

const TABLE: &str = r#"
[table.letters.role.user]
select = { columns = "*", rows = "true" }
insert = { columns = ["body"], check = "true", preset = { user_id = "session.user_id" } }
"#;

const MAP: &str = r#"
[[endpoint]]
path = "letters"
methods = ["GET"]
query = "query Letters { letters(order_by: {id: asc}) { body } }"

[[endpoint]]
path = "letters/sql"
operation = "LettersBySql"
methods = ["GET"]
sql = "SELECT body FROM letters ORDER BY id"
"#;

const ACTIONS: &str = r#"
[action.my_letters]
function = "letters_of_caller"
roles = ["user"]

[action.keep_letter]
function = "keep_letter"
roles = ["user"]
"#;

const TYPES: &str = "type Query { my_letters: [Letter!]! } \
                     type Mutation { keep_letter(body: String!): [Letter!]! } \
                     type Letter { id: Int!, body: String! }";

/// A gateway that shows letters by every transport.
pub(super) async fn start(permissions: &str, grants: &str, settings: &str) -> Service {
    let permissions = format!("{permissions}{TABLE}");
    let extend = |builder: gateway::server::Builder| {
        let actions = gateway::actions::Source {
            definitions: SourceFile::new("actions.toml", ACTIONS),
            types: SourceFile::new("actions.graphql", TYPES),
        };
        builder
            .rest_map(Source::new("map.toml", MAP, Documents::Given(&[])))
            .actions(actions)
    };
    Service::with(&permissions, grants, settings, extend)
        .await
        .unwrap()
}

/// The transports and what reads letters over each.
#[derive(Clone, Copy, Debug)]
pub(super) enum Transport {
    GraphqlPost,
    GraphqlGet,
    Batch,
    Rest,
    NamedSql,
    Mcp,
    WebSocket,
    EventStream,
    Action,
}

pub(super) const TRANSPORTS: [Transport; 9] = [
    Transport::GraphqlPost,
    Transport::GraphqlGet,
    Transport::Batch,
    Transport::Rest,
    Transport::NamedSql,
    Transport::Mcp,
    Transport::WebSocket,
    Transport::EventStream,
    Transport::Action,
];

impl Transport {
    /// The letters that a user reads.
    pub(super) async fn letters(self, service: &Service, user: &str) -> Vec<String> {
        let response = match self {
            Transport::GraphqlPost => json_of(service.post(user, LETTERS, &json!({}))).await,
            Transport::GraphqlGet => {
                let get = service
                    .request(Method::GET, "/v1/graphql", user)
                    .query(&[("query", LETTERS)]);
                json_of(get).await
            }
            Transport::Batch => {
                let request = json!({"query": LETTERS});
                json_of(
                    service
                        .request(Method::POST, "/v1/graphql", user)
                        .json(&json!([request, request])),
                )
                .await
            }
            Transport::Rest => {
                json_of(service.request(Method::GET, "/api/rest/letters", user)).await
            }
            Transport::NamedSql => {
                json_of(service.request(Method::GET, "/api/rest/letters/sql", user)).await
            }
            Transport::Mcp => {
                let params = json!({"name": "Letters", "arguments": {}});
                let call =
                    json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
                let reply = json_of(service.request(Method::POST, "/mcp", user).json(&call)).await;
                reply["result"]["structuredContent"].clone()
            }
            Transport::WebSocket => {
                let mut socket = subscriber(service, user).await;
                socket.message().await
            }
            Transport::EventStream => {
                let live = format!("subscription {LETTERS}");
                let request = service
                    .post(user, &live, &json!({}))
                    .header("Accept", "text/event-stream");
                first_event(request).await
            }
            Transport::Action => {
                json_of(service.post(user, "{ my_letters { body } }", &json!({}))).await
            }
        };
        let mut letters = bodies(&response);
        if let Transport::Batch = self {
            let second = letters.split_off(letters.len() / 2);
            assert_eq!(letters, second, "the requests of a batch");
        }
        assert!(
            !response.to_string().contains("errors"),
            "{self:?}: {response}"
        );
        letters
    }
}

async fn json_of(request: RequestBuilder) -> Value {
    let reply = Reply::of(request).await.unwrap();
    assert_eq!(reply.status, 200, "{}", reply.text);
    reply.json()
}

/// A WebSocket that is subscribed to the letters of a user.
pub(super) async fn subscriber(service: &Service, user: &str) -> WebSocket {
    let mut socket = WebSocket::open(service.address(), Some(TRANSPORT), &[]).await;
    let headers: BTreeMap<_, _> = credentials(user).into_iter().collect();
    socket.init(&json!({ "headers": headers })).await;
    assert_eq!(socket.message().await, json!({"type": "connection_ack"}));
    socket
        .start("letters", &format!("subscription {LETTERS}"))
        .await;
    socket
}

/// The data of the first event of a stream.
async fn first_event(request: RequestBuilder) -> Value {
    let mut stream = request.send().await.unwrap().bytes_stream();
    let mut text = String::new();
    loop {
        let data = text.lines().find_map(|line| line.strip_prefix("data:"));
        if let Some(data) = data.filter(|_| text.contains("\n\n"))
            && let Ok(data) = serde_json::from_str(data)
        {
            return data;
        }
        let part = tokio::time::timeout(PATIENCE, stream.next())
            .await
            .expect("an event in time");
        text.push_str(&String::from_utf8_lossy(
            &part.expect("an open stream").unwrap(),
        ));
    }
}

/// All values of `body` in an answer, in order.
pub(super) fn bodies(response: &Value) -> Vec<String> {
    match response {
        Value::Object(members) => members
            .iter()
            .flat_map(|(key, value)| match (key.as_str(), value) {
                ("body", Value::String(body)) => vec![body.clone()],
                _ => bodies(value),
            })
            .collect(),
        Value::Array(items) => items.iter().flat_map(bodies).collect(),
        _ => vec![],
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn every_transport_shows_callers_their_own_rows() {
    let service = start(PERMISSIONS, ALL, "").await;
    for transport in TRANSPORTS {
        for (user, expected) in [
            ("7", &["to seven", "to seven again"][..]),
            ("8", &["to eight"]),
            ("", &[]),
            ("8", &["to eight"]),
        ] {
            assert_eq!(
                transport.letters(&service, user).await,
                expected,
                "{transport:?} as user {user:?}"
            );
        }
    }
    service.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn writes_by_any_transport_reach_only_their_own_subscribers() {
    let service = start(PERMISSIONS, ALL, "").await;
    let mut seven = subscriber(&service, "7").await;
    let mut eight = subscriber(&service, "8").await;
    assert_eq!(
        bodies(&seven.message().await),
        ["to seven", "to seven again"]
    );
    assert_eq!(bodies(&eight.message().await), ["to eight"]);
    // The settings hold for the function of an action too: the row has the caller's id.
    let kept = "mutation { keep_letter(body: \"by an action\") { body } }";
    assert_eq!(
        bodies(&json_of(service.post("8", kept, &json!({}))).await),
        ["by an action"]
    );
    assert_eq!(bodies(&eight.message().await), ["to eight", "by an action"]);
    let inserted = r#"mutation { insert_letters_one(object: {body: "by a mutation"}) { body } }"#;
    assert_eq!(
        bodies(&json_of(service.post("7", inserted, &json!({}))).await),
        ["by a mutation"]
    );
    // The next message of user 7 is about the own row: the other's has made none.
    assert_eq!(
        bodies(&seven.message().await),
        ["to seven", "to seven again", "by a mutation"]
    );
    drop((seven, eight));
    service.end().await;
}

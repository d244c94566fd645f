//! Tests the public clients, unchanged from npm, with a subscription that goes on for a while: a
//! write by plain SQL, a mutation on the same connection, a gateway that stops and starts again,
//! tokens that expire, and the end of the subscription.

use std::process::Stdio;
use std::time::Duration;

use futures_util::future::join_all;
use gateway::server::GatewayHandle;
use serde_json::{Value, json};
use tests::{TestDatabase, program};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout};

use super::service::{PERMISSIONS, SCHEMA, until_no_subscriptions};
use super::token;

/// Longer than any client takes to connect again.
const PATIENCE: Duration = Duration::from_secs(60);

/// Starts a gateway at this address.
async fn start(database: &TestDatabase, listen: &str) -> GatewayHandle {
    let builder = tests::gateway()
        .database_url(database.url())
        .listen(listen)
        .jwt_secret(token::SECRET);
    let builder = builder
        .setting("subscription-interval", "0.2")
        .setting("unauthorized-role", "visitor");
    builder
        .permissions_text("service.toml", PERMISSIONS)
        .start()
        .await
        .unwrap()
}

/// A client in a process of its own.
struct Client {
    name: String,
    _process: Child,
    input: Option<ChildStdin>,
    output: Lines<BufReader<ChildStdout>>,
    /// How many tokens it has made.
    tokens: u64,
}

impl Client {
    /// Starts a client of a folder of `tests` with its subscription.
    async fn start(folder: &str, name: &str, url: &str, query: &str) -> Client {
        let headers = json!({"Authorization": format!("Bearer {}", token::good()), "X-Gateway-Role": "reader"});
        Client::start_with(
            folder,
            name,
            url,
            &json!({"headers": headers, "query": query}),
        )
        .await
    }

    /// Starts a client that makes a token of four seconds for each connection.
    async fn start_with_tokens(folder: &str, name: &str, url: &str, query: &str) -> Client {
        let key = std::str::from_utf8(token::KEY).unwrap();
        let token = json!({"key": key, "claims": token::claims(), "seconds": 4});
        let session =
            json!({"headers": {"X-Gateway-Role": "reader"}, "query": query, "token": token});
        Client::start_with(folder, name, url, &session).await
    }

    async fn start_with(folder: &str, name: &str, url: &str, session: &Value) -> Client {
        let mut command = program::node(folder, "live.mjs").unwrap();
        command.args([name, url]);
        let mut process = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let output = BufReader::new(process.stdout.take().unwrap()).lines();
        let input = process.stdin.take();
        let mut client = Client {
            name: name.to_owned(),
            input,
            _process: process,
            output,
            tokens: 0,
        };
        client.send(session).await;
        client
    }

    async fn send(&mut self, line: &Value) {
        self.input
            .as_mut()
            .unwrap()
            .write_all(format!("{line}\n").as_bytes())
            .await
            .unwrap();
    }

    /// What the client reports next. No client may report an error.
    async fn event(&mut self) -> Value {
        let line = tokio::time::timeout(PATIENCE, self.output.next_line()).await;
        let line = line.unwrap_or_else(|_| {
            panic!("{} reports nothing after {} tokens", self.name, self.tokens)
        });
        let event: Value =
            serde_json::from_str(&line.unwrap().expect("the client has ended")).unwrap();
        assert!(event.get("error").is_none(), "{}: {event}", self.name);
        self.tokens = event["tokens"].as_u64().unwrap_or(self.tokens);
        event
    }

    /// Waits for a result in which the first article has this title. Results before it may be
    /// repeated.
    async fn until_title(&mut self, title: &str) {
        while self.event().await["result"]["articles"][0]["title"] != title {}
    }

    /// Ends the client.
    async fn end(mut self) {
        drop(self.input.take());
        tokio::time::timeout(PATIENCE, self._process.wait())
            .await
            .expect("the client does not end")
            .unwrap();
    }
}

/// Runs a client through everything. `can_mutate` says whether it sends mutations on the connection
/// of subscriptions.
async fn goes_on(folder: &str, name: &str, query: &str, can_mutate: bool) {
    let database = tests::create("front", &[SCHEMA]).await.unwrap();
    let sql = async |sql: &str| {
        database
            .connect()
            .await
            .unwrap()
            .batch_execute(sql)
            .await
            .unwrap();
    };
    let write = async |title: &str| {
        sql(&format!(
            "UPDATE articles SET title = '{title}' WHERE id = 1"
        ))
        .await;
    };
    let gateway = start(&database, "127.0.0.1:0").await;
    let address = gateway.address().to_string();
    let mut client =
        Client::start(folder, name, &format!("http://{address}/v1/graphql"), query).await;
    client.until_title("first").await;
    write("by SQL").await;
    client.until_title("by SQL").await;
    if can_mutate {
        let mutation = "mutation { insert_articles_one(object: {id: 9, author_id: 1, title: \
                        \"new\"}) { id } }";
        client.send(&json!({"mutate": mutation})).await;
        let mut is_answered = false;
        let mut is_seen = false;
        while !(is_answered && is_seen) {
            let event = client.event().await;
            is_answered |= event["mutated"]["insert_articles_one"]["id"] == 9;
            is_seen |= event["result"]["articles"]
                .as_array()
                .is_some_and(|rows| rows.len() == 4);
        }
    }
    gateway.shutdown().await;
    write("while away").await;
    let gateway = start(&database, &address).await;
    client.until_title("while away").await;
    write("after that").await;
    client.until_title("after that").await;
    client.send(&json!({"unsubscribe": true})).await;
    while client.event().await.get("unsubscribed").is_none() {}
    until_no_subscriptions(&gateway).await;
    client.end().await;
    gateway.shutdown().await;
}

const QUERY: &str = "subscription { articles(order_by: {id: asc}) { id title } }";

#[tokio::test(flavor = "multi_thread")]
async fn graphql_ws_goes_on() {
    goes_on("sockets", "graphql-ws", QUERY, true).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn graphql_sse_goes_on() {
    goes_on("sockets", "graphql-sse", QUERY, true).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn graphql_sse_with_one_connection_goes_on() {
    goes_on("sockets", "graphql-sse single", QUERY, true).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn subscriptions_transport_ws_goes_on() {
    goes_on("sockets", "subscriptions-transport-ws", QUERY, true).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn apollo_client_over_graphql_ws_goes_on() {
    goes_on("sockets", "apollo graphql-ws", QUERY, true).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn apollo_client_over_subscriptions_transport_ws_goes_on() {
    goes_on("sockets", "apollo subscriptions-transport-ws", QUERY, true).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn urql_over_graphql_ws_goes_on() {
    goes_on("sockets", "urql graphql-ws", QUERY, true).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn urql_over_graphql_sse_goes_on() {
    goes_on("sockets", "urql graphql-sse", QUERY, true).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn live_provider_of_refine_goes_on() {
    for subscription in ["useList", "useOne", "useMany"] {
        goes_on("refine", subscription, "articles", false).await;
    }
}

/// The clients that are given their headers at each connection.
const CLIENTS: [(&str, &str, &str); 9] = [
    ("sockets", "graphql-ws", QUERY),
    ("sockets", "graphql-sse", QUERY),
    ("sockets", "graphql-sse single", QUERY),
    ("sockets", "subscriptions-transport-ws", QUERY),
    ("sockets", "apollo graphql-ws", QUERY),
    ("sockets", "apollo subscriptions-transport-ws", QUERY),
    ("sockets", "urql graphql-ws", QUERY),
    ("sockets", "urql graphql-sse", QUERY),
    ("refine", "useList", "articles"),
];

#[tokio::test(flavor = "multi_thread")]
async fn every_client_goes_on_with_a_new_token_when_its_token_expires() {
    let database = tests::create("front", &[SCHEMA]).await.unwrap();
    let gateway = start(&database, "127.0.0.1:0").await;
    let url = format!("http://{}/v1/graphql", gateway.address());
    let mut clients = Vec::new();
    for (folder, name, query) in CLIENTS {
        clients.push(Client::start_with_tokens(folder, name, &url, query).await);
    }
    let connection = database.connect().await.unwrap();
    let mut round = 0;
    while clients.iter().any(|client| client.tokens < 3) {
        round += 1;
        let title = format!("round {round}");
        let update = format!("UPDATE articles SET title = '{title}' WHERE id = 1");
        connection.batch_execute(&update).await.unwrap();
        join_all(clients.iter_mut().map(|client| client.until_title(&title))).await;
    }
    for client in clients {
        client.end().await;
    }
    gateway.shutdown().await;
}

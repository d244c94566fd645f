//! Records the gateway's messages to Postgres with a proxy: each query is one statement and, once
//! it is prepared, one round trip. A plan that may be large is estimated once before its first
//! execution, in a separate round trip.

use serde_json::{Value, json};
use tests::proxy::{Message, Proxy, round_trips, statements};
use tests::reply::Reply;
use tests::service;

const PERMISSIONS: &str = include_str!("../../demo/permissions.toml");

const USER: &str = "510d46b8-da91-4480-b034-697c827e7a6d";
const CONTROLLER: &str = "22b15ffe-a936-420d-b21b-297d1782b9f2";

/// The privacy service with a proxy in front of its database and one connection to it. Fields are
/// dropped in this order.
struct Service {
    service: service::Service,
    proxy: Proxy,
}

impl Service {
    async fn start() -> Service {
        let migrations = plugins::migration_script();
        let scripts = [&demo::SCRIPTS[..], &[&migrations, demo::INTEGRATIONS]].concat();
        let builder = service::Service::builder("wire", &scripts)
            .permissions(PERMISSIONS)
            .setting("pool-size", "1");
        let database = builder.create_database().await;
        let proxy = Proxy::start(database.url()).await.unwrap();
        let url = proxy.url().to_owned();
        let builder = builder.change(move |builder| builder.database_url(&url));
        let service = builder.start_over(database).await.unwrap();
        proxy.until_started().await;
        let service = Service { service, proxy };
        // The first query discards the statements that the start has prepared, so later recordings
        // do not contain that.
        let (reply, _) = service
            .ask(&json!({"query": "{ users(limit: 0) { id } }"}))
            .await;
        assert_eq!(reply.data(), json!({"users": []}), "{}", reply.text);
        service
    }

    /// Sends a request as role `user`; returns the reply and the messages sent to Postgres
    /// meanwhile.
    async fn ask(&self, body: &Value) -> (Reply, Vec<Message>) {
        self.proxy.take();
        let request = self.service.by_session("user", &[("User-Id", USER)]);
        let reply = service::send(request.json(body)).await;
        (reply, self.proxy.take())
    }

    /// Sends the request twice; the second time the statement is prepared.
    async fn prepared(&self, query: &str, variables: Value) -> (Value, Vec<Message>) {
        let body = json!({"query": query, "variables": variables});
        let (first, messages) = self.ask(&body).await;
        assert_ne!(first.data(), Value::Null, "{query}: {}", first.text);
        let first_run = after_estimate(&messages);
        assert_eq!(
            (statements(first_run), round_trips(first_run)),
            (1, 1),
            "{query}: {messages:?}"
        );
        let (second, messages) = self.ask(&body).await;
        assert_eq!(second.text, first.text, "{query}");
        (second.data(), messages)
    }

    /// Fails unless the query is one statement and one round trip.
    async fn is_one_round_trip(&self, query: &str, variables: Value) -> Value {
        let (data, messages) = self.prepared(query, variables).await;
        assert_eq!(
            messages,
            [Message::Bind, Message::Execute, Message::Sync],
            "{query}"
        );
        assert_eq!(
            (statements(&messages), round_trips(&messages)),
            (1, 1),
            "{query}"
        );
        data
    }
}

/// The messages after the planner's estimate of a new plan, if there was one.
fn after_estimate(messages: &[Message]) -> &[Message] {
    match messages {
        [Message::Query(text), rest @ ..] if text.contains("EXPLAIN") => rest,
        _ => messages,
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_query_is_one_statement_and_one_round_trip() {
    let service = Service::start().await;
    let controller = json!({"id": CONTROLLER});
    let by_key = "query ($id: uuid!) { dataController(id: $id) { id title } }";
    let data = service.is_one_round_trip(by_key, controller.clone()).await;
    assert_eq!(data["dataController"]["id"], CONTROLLER);
    let list = "{ dataControllers(order_by: {title: asc}, limit: 2) { id title } }";
    let data = service.is_one_round_trip(list, json!({})).await;
    assert!(!data["dataControllers"].as_array().unwrap().is_empty());
    let nested = "{ dataControllers { title users { role user { email } } dataSubjects(limit: 3) \
                  { did \
                  dataProcessingActivities(limit: 2, order_by: {triggeredAt: desc}) { type { \
                  label } source { label } \
                  dataSubject { dataController { title } } } } } }";
    let data = service.is_one_round_trip(nested, json!({})).await;
    assert!(data["dataControllers"][0]["dataSubjects"][0]["did"].is_string());
    let several = "query ($id: uuid!) { dataController(id: $id) { title } a: dataSubjects(limit: \
                   1) { id } \
                   b: dataSubjects(limit: 2) { did } dataProcessingActivitiesAggregate { \
                   aggregate { count } } }";
    let data = service.is_one_round_trip(several, controller.clone()).await;
    assert_eq!(data["b"].as_array().unwrap().len(), 2);
    let aggregate = "query ($id: uuid!) { dataSubjectsAggregate(where: {dataControllerId: {_eq: \
                     $id}}) { aggregate { \
                     count } nodes { did } } }";
    let data = service.is_one_round_trip(aggregate, controller).await;
    let count = data["dataSubjectsAggregate"]["aggregate"]["count"]
        .as_u64()
        .unwrap();
    assert_eq!(
        data["dataSubjectsAggregate"]["nodes"]
            .as_array()
            .unwrap()
            .len() as u64,
        count
    );
    let filtered = "{ dataSubjects(where: {dataController: {title: {_is_null: false}}, \
                    dataProcessingActivities: {}}, \
                    limit: 1) { id } }";
    service.is_one_round_trip(filtered, json!({})).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn other_values_reuse_the_statement() {
    let service = Service::start().await;
    let query = "query ($id: uuid!) { dataController(id: $id) { title } dataSubjects(where: {id: \
                 {_eq: $id}}) { id } }";
    let data = service
        .is_one_round_trip(query, json!({"id": CONTROLLER}))
        .await;
    assert!(data["dataController"]["title"].is_string());
    let other =
        json!({"query": query, "variables": {"id": "45f3ed8d-b848-4953-b66d-d9210bf5ca24"}});
    let (reply, messages) = service.ask(&other).await;
    let expected = json!({"dataController": null, "dataSubjects": [{"id": "45f3ed8d-b848-4953-b66d-d9210bf5ca24"}]});
    assert_eq!(reply.data(), expected, "{}", reply.text);
    assert_eq!(messages, [Message::Bind, Message::Execute, Message::Sync]);
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_without_rows_send_no_statement() {
    let service = Service::start().await;
    for query in [
        "{ __typename }",
        "{ __schema { queryType { name } } }",
        "{ nothing }",
        "{",
        "{ dataController { id } }",
    ] {
        let (_, messages) = service.ask(&json!({"query": query})).await;
        assert_eq!(messages, [], "{query}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn first_request_parses_once_without_a_transaction() {
    let service = Service::start().await;
    let (reply, messages) = service
        .ask(&json!({"query": "{ dataControllers { title } users { email } }"}))
        .await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    let [
        Message::Parse(text),
        Message::Describe,
        Message::Bind,
        Message::Execute,
        Message::Sync,
    ] = after_estimate(&messages)
    else {
        panic!("{messages:?}")
    };
    assert!(
        text.contains("\"data_controllers\"") && text.contains("\"users\""),
        "{text}"
    );
    assert!(
        !text.contains(USER),
        "a statement's text does not depend on the user: {text}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn demo_queries_take_one_round_trip_each() {
    let service = Service::start().await;
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../demo/queries");
    let mut count = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let case = tests::case::Case::parse(
            "demo",
            &std::fs::read_to_string(entry.unwrap().path()).unwrap(),
        )
        .unwrap();
        // `answerFAQ` is an action, whose function runs in a transaction of its own.
        if case.roles == ["user"] && !case.request.document.contains("answerFAQ") {
            service
                .is_one_round_trip(
                    &case.request.document,
                    Value::Object(case.request.variables),
                )
                .await;
            count += 1;
        }
    }
    assert!(count >= 15, "{count}");
}

//! Tests introspection of a schema of many tables: within little memory, and ended with its client.

use std::collections::BTreeSet;
use std::ops::Deref;

use serde_json::{Value, json};
use tests::reply::Reply;
use tests::service::{self, ADMIN_SECRET};
use tests::wait::until;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

/// The usual document of clients.
const USUAL: &str = include_str!("../../sql/src/introspection/standard.graphql");

/// The least memory that the gateway can be given.
const LEAST_MEMORY: usize = 16 << 20;

struct Service(service::Service);

impl Deref for Service {
    type Target = service::Service;

    fn deref(&self) -> &service::Service {
        &self.0
    }
}

impl Service {
    /// A gateway with the least memory over so many tables.
    async fn start(tables: usize) -> Service {
        let create = "DO $$ BEGIN FOR i IN 1..TABLES LOOP EXECUTE format('CREATE TABLE t%s (id \
                      int PRIMARY KEY, name text, \
                      n int, at timestamptz, data jsonb)', i); END LOOP; END $$";
        let schema = create.replace("TABLES", &tables.to_string());
        let builder = service::Service::builder("introspection", &[&schema])
            .setting("memory-limit", &LEAST_MEMORY.to_string())
            .setting("federation", "true");
        Service(builder.start().await)
    }

    async fn ask(&self, query: &str) -> Reply {
        service::send(self.by("admin").json(&json!({"query": query}))).await
    }

    async fn releases_its_memory(&self) {
        until("all memory is released", async || {
            self.gateway.app().memory.used() == 0
        })
        .await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn response_may_be_longer_than_the_memory_of_requests() {
    let service = Service::start(250).await;
    let reply = service.ask(USUAL).await;
    assert_eq!(reply.status, 200, "{:.300}", reply.text);
    assert!(
        reply.text.len() > LEAST_MEMORY,
        "{} bytes",
        reply.text.len()
    );
    let schema = reply.data()["__schema"].take();
    let types = schema["types"].as_array().unwrap();
    let names: Vec<&str> = types
        .iter()
        .map(|of| of["name"].as_str().unwrap())
        .collect();
    assert!(names.is_sorted() && names.contains(&"t250_bool_exp"));
    let known: BTreeSet<&str> = names.into_iter().collect();
    let mut references = vec![];
    named(&schema, &mut references);
    assert!(
        references.iter().all(|name| known.contains(name)),
        "every type that is referred to is listed"
    );
    service.releases_its_memory().await;
}

/// The names in references to types.
fn named<'v>(value: &'v Value, into: &mut Vec<&'v str>) {
    match value {
        Value::Object(members) => {
            for key in ["type", "ofType"] {
                into.extend(members.get(key).and_then(|of| of["name"].as_str()));
            }
            members.values().for_each(|value| named(value, into));
        }
        Value::Array(items) => items.iter().for_each(|value| named(value, into)),
        _ => {}
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn introspection_ends_with_its_client() {
    let service = Service::start(250).await;
    let address = service
        .gateway
        .url()
        .trim_start_matches("http://")
        .to_owned();
    let body = json!({"query": USUAL}).to_string();
    let mut stream = tokio::net::TcpStream::connect(&address).await.unwrap();
    let head = format!(
        "POST /v1/graphql HTTP/1.1\r\nhost: {address}\r\ncontent-type: \
         application/json\r\nx-gateway-admin-secret: {ADMIN_SECRET}\r\n\
         content-length: {}\r\n\r\n{body}",
        body.len()
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    let mut begin = [0; 12];
    stream.read_exact(&mut begin).await.unwrap();
    assert_eq!(&begin, b"HTTP/1.1 200");
    assert!(
        service.gateway.app().memory.used() > 0,
        "the response waits for its client"
    );
    drop(stream);
    service.releases_its_memory().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn schema_that_never_fits_is_refused_and_not_to_be_retried() {
    let service = Service::start(600).await;
    let message = "the request needs more memory than one request may have; all of them together \
                   have 16777216 bytes";
    for document in [
        USUAL,
        "{ again: __schema { types { name } } }",
        "{ _service { sdl } }",
    ] {
        let reply = service.ask(document).await;
        let error = &reply.json()["errors"][0];
        assert_eq!(
            (&error["message"], &error["extensions"]["code"]),
            (&json!(message), &json!("limit-exceeded"))
        );
        assert_eq!(
            (reply.status, reply.header("retry-after")),
            (200, ""),
            "{document:.40}"
        );
    }
    // What needs no list of all types is answered.
    let reply = service
        .ask("{ __schema { queryType { name } } __type(name: \"t600\") { name fields { name } } }")
        .await;
    assert_eq!(
        reply.data()["__type"]["fields"][0]["name"],
        json!("id"),
        "{:.300}",
        reply.text
    );
    service.releases_its_memory().await;
}

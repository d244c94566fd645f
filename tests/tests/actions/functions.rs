//! Tests actions that a function of the database or Rust answers.

use serde_json::json;

use super::service::Service;
use crate::http::elsewhere::{Answer, Elsewhere};

async fn start() -> Service {
    Service::start(&Elsewhere::start(Answer::ok(json!(null))).await).await
}

#[tokio::test]
async fn function_gets_session_and_arguments() {
    let service = start().await;
    let reply = service
        .ask(
            "author",
            r#"mutation { rename(author_id: 2, name: "Eve") { user by id } }"#,
        )
        .await;
    assert_eq!(
        reply.text,
        r#"{"data":{"rename":{"user":"1","by":"author","id":2}}}"#
    );
    assert_eq!(
        service.value("SELECT name FROM authors WHERE id = 2").await,
        "Eve"
    );
    // An omitted argument keeps the function's default.
    assert!(
        service
            .ask("author", "mutation { rename(author_id: 2) { id } }")
            .await
            .data()
            .is_object()
    );
    assert_eq!(
        service.value("SELECT name FROM authors WHERE id = 2").await,
        "nobody"
    );
    let reply = service
        .ask("author", r#"{ people(names: ["Ada", "x"]) { name id } }"#)
        .await;
    assert_eq!(reply.text, r#"{"data":{"people":[{"name":"Ada","id":1}]}}"#);
}

#[tokio::test]
async fn failed_function_writes_nothing() {
    let service = start().await;
    let rename =
        |name: &str| format!("mutation {{ rename(author_id: 1, name: \"{name}\") {{ id }} }}");
    service.ask("author", &rename("stop")).await.assert_error(
        200,
        "conflict",
        "this name is taken",
    );
    let message = "a function or trigger of the database refuses the request";
    service
        .ask("author", &rename("break"))
        .await
        .assert_error(200, "data-exception", message);
    let reply = service.ask("author", &rename("clash")).await;
    assert_eq!(reply.error().code, "constraint-violation", "{}", reply.text);
    assert_eq!(
        service.value("SELECT name FROM authors WHERE id = 1").await,
        "Ada"
    );
    // A dry run is rolled back.
    let request = service.by("admin").header("X-Gateway-Dry-Run", "true");
    let reply = tests::reply::Reply::of(request.json(&json!({"query": rename("Eve")})))
        .await
        .unwrap();
    assert_eq!(reply.data(), json!({"rename": {"id": 1}}), "{}", reply.text);
    assert_eq!(
        service.value("SELECT name FROM authors WHERE id = 1").await,
        "Ada"
    );
}

#[tokio::test]
async fn rust_answers_an_action() {
    let service = start().await;
    let reply = service
        .ask("reader", r#"{ greet(name: "Ada") { text } }"#)
        .await;
    assert_eq!(reply.data(), json!({"greet": {"text": "Hello, Ada"}}));
    service
        .ask("reader", r#"{ greet(name: "nobody") { text } }"#)
        .await
        .assert_error(200, "unknown-name", "who is that?");
}

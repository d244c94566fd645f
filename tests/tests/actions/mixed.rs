//! Tests operations that select actions and fields of the database.

use serde_json::{Value, json};

use super::service::Service;
use crate::http::elsewhere::{Answer, Elsewhere};

#[tokio::test]
async fn query_answers_in_the_order_of_the_selection() {
    let handler = Elsewhere::start(Answer::ok(json!([]))).await;
    let service = Service::start(&handler).await;
    let query = r#"query ($n: String!) {
        z: report(day: 1) { mood } __typename authors(order_by: {id: asc}) { name } greet(name: $n) { text }
        t: __type(name: "Token") { name } articles(limit: 1, order_by: {id: asc}) { id } }"#;
    let reply = service.ask_with("reader", query, json!({"n": "x"})).await;
    assert_eq!(
        reply.text,
        r#"{"data":{"z":[],"__typename":"query_root","authors":[{"name":"Ada"},{"name":"Bob"}],"greet":{"text":"Hello, x"},"t":{"name":"Token"},"articles":[{"id":1}]}}"#
    );
    // The plan is cached, and actions are called each time.
    assert_eq!(
        service
            .ask_with("reader", query, json!({"n": "x"}))
            .await
            .text,
        reply.text
    );
    assert_eq!(handler.asked().len(), 2);
}

#[tokio::test]
async fn skipped_actions_are_not_called() {
    let handler = Elsewhere::start(Answer::ok(json!([]))).await;
    let service = Service::start(&handler).await;
    let query = "query ($no: Boolean!) { authors { id } report(day: 1) @skip(if: $no) { mood } }";
    let skipped = service.ask_with("reader", query, json!({"no": true})).await;
    assert_eq!(skipped.data(), json!({"authors": [{"id": 1}, {"id": 2}]}));
    assert_eq!(handler.asked().len(), 0);
    let called = service
        .ask_with("reader", query, json!({"no": false}))
        .await;
    assert_eq!(called.data()["report"], json!([]), "{}", called.text);
}

#[tokio::test]
async fn mutation_is_executed_in_order() {
    let handler = Elsewhere::start(Answer::ok(json!({"token": "t"}))).await;
    let service = Service::start(&handler).await;
    let query = r#"mutation {
        one: insert_articles_one(object: {id: 10, author_id: 1, title: "a"}) { id }
        login(credentials: {email: "a", password: "b"}) { token }
        two: insert_articles_one(object: {id: 11, author_id: 1, title: "b"}) { id }
        rename(author_id: 1, name: "Eve") { id }
        __typename }"#;
    let reply = service.ask("reader", query).await;
    assert_eq!(
        reply.text,
        r#"{"data":{"one":{"id":10},"login":{"token":"t"},"two":{"id":11},"rename":{"id":1},"__typename":"mutation_root"}}"#
    );
    // What comes after a failure is not executed; what came before stays.
    handler.answer(Answer::of("400 Bad Request", json!({"message": "no"})));
    let query = query.replace("10,", "20,").replace("11,", "21,");
    assert_eq!(service.ask("reader", &query).await.error().message, "no");
    assert_eq!(
        service
            .value("SELECT string_agg(id::text, ',' ORDER BY id) FROM articles WHERE id > 9")
            .await,
        "10,11,20"
    );
    // Errors in the values of any part are found before the first one is executed.
    let calls = handler.asked().len();
    let query = r#"mutation ($w: Int!) { login(credentials: {email: "a", password: "b"}) { token }
        insert_articles_one(object: {id: $w, author_id: 1, title: "b"}) { id } }"#;
    assert_eq!(
        service
            .ask_with("reader", query, json!({"w": "x"}))
            .await
            .error()
            .code,
        "constraint-violation"
    );
    assert_eq!(handler.asked().len(), calls);
}

#[tokio::test]
async fn dry_run_of_a_web_service_is_refused() {
    let handler = Elsewhere::start(Answer::ok(json!({"token": "t"}))).await;
    let service = Service::start(&handler).await;
    let query = r#"mutation { insert_articles_one(object: {id: 10, author_id: 1, title: "a"}) { id }
        login(credentials: {email: "a", password: "b"}) { token } }"#;
    let request = service
        .by("admin")
        .header("X-Gateway-Dry-Run", "true")
        .json(&json!({"query": query}));
    let reply = tests::reply::Reply::of(request).await.unwrap();
    assert_eq!(reply.error().code, "not-supported", "{}", reply.text);
    assert_eq!(
        (
            handler.asked().len(),
            service.value("SELECT count(*) FROM articles").await
        ),
        (0, "3".to_owned())
    );
}

#[tokio::test]
async fn limits_apply_to_actions() {
    let handler = Elsewhere::start(Answer::ok(json!([]))).await;
    let url = handler.url("");
    let settings = "depth_limit = 3\nanswer_limit = 4096\n";
    let service = Service::with(
        &super::service::definitions(&url),
        super::service::TYPES,
        settings,
    )
    .await;
    let deep = "{ report(day: 1) { token { author { articles { id } } } } }";
    assert_eq!(
        service.ask("reader", deep).await.error().code,
        "limit-exceeded"
    );
    assert_eq!(handler.asked().len(), 0);
    let lines: Vec<Value> = (0..500).map(|_| json!({"mood": "SUN"})).collect();
    handler.answer(Answer::ok(json!(lines)));
    let reply = service.ask("reader", "{ report(day: 1) { mood } }").await;
    assert_eq!(reply.error().code, "limit-exceeded", "{}", reply.text);
}

//! Tests the relations from an answer to tables.

use serde_json::json;

use super::service::Service;
use crate::http::elsewhere::{Answer, Elsewhere};

#[tokio::test]
async fn rows_of_all_objects_are_read_under_the_callers_rules() {
    let response = json!({"token": "t", "author_id": 2, "keys": [
        {"author_id": 1, "mood": "SUN"}, {"author_id": 2}, {"author_id": 9}, {"author_id": 1},
    ]});
    let handler = Elsewhere::start(Answer::ok(response)).await;
    let service = Service::start(&handler).await;
    let query = r#"mutation ($t: String!) { login(credentials: {email: "a", password: "b"}) {
        author { name } keys { author_id articles(where: {title: {_neq: $t}}, order_by: {id: desc}) { id title } }
        articles { id } } }"#;
    let reply = service
        .ask_with("reader", query, json!({"t": "first"}))
        .await;
    assert_eq!(
        reply.text,
        r#"{"data":{"login":{"author":{"name":"Bob"},"keys":[{"author_id":1,"articles":[{"id":2,"title":"second"}]},{"author_id":2,"articles":[{"id":3,"title":"third"}]},{"author_id":9,"articles":[]},{"author_id":1,"articles":[{"id":2,"title":"second"}]}],"articles":[{"id":3}]}}}"#
    );
    // Foreign rows look like missing ones.
    let reply = service.ask_with("author", query, json!({"t": "x"})).await;
    assert_eq!(
        reply.data()["login"],
        json!({"author": null, "keys": [
            {"author_id": 1, "articles": [{"id": 2, "title": "second"}, {"id": 1, "title": "first"}]},
            {"author_id": 2, "articles": []}, {"author_id": 9, "articles": []},
            {"author_id": 1, "articles": [{"id": 2, "title": "second"}, {"id": 1, "title": "first"}]},
        ], "articles": []}),
        "{}",
        reply.text
    );
}

#[tokio::test]
async fn objects_without_a_key_have_no_rows() {
    let handler = Elsewhere::start(Answer::ok(json!({"token": "t"}))).await;
    let service = Service::start(&handler).await;
    let query = r#"mutation { login(credentials: {email: "a", password: "b"}) { author { name } articles(limit: 2) { id } } }"#;
    assert_eq!(
        service.ask("reader", query).await.data(),
        json!({"login": {"author": null, "articles": []}})
    );
    handler.answer(Answer::ok(json!({"token": "t", "author_id": 1})));
    assert_eq!(
        service.ask("reader", query).await.data(),
        json!({"login": {"author": {"name": "Ada"}, "articles": [{"id": 1}, {"id": 2}]}})
    );
    // A role that may not read the key has no such field.
    let reply = service.ask("visitor", query).await;
    assert_eq!(
        reply.error().message,
        "field 'author' not found in type: 'Token'"
    );
}

/// Every object of an answer may lead to the same rows.
#[tokio::test]
async fn repeated_rows_count_against_the_answer_limit() {
    let keys = |count: usize| {
        (0..count)
            .map(|_| json!({"author_id": 1}))
            .collect::<Vec<_>>()
    };
    let handler = Elsewhere::start(Answer::ok(json!({"token": "t", "keys": keys(100_000)}))).await;
    let service = Service::with(
        &super::service::definitions(&handler.url("")),
        super::service::TYPES,
        "answer_limit = 20000",
    )
    .await;
    let query = "mutation { login(credentials: {email: \"a\", password: \"b\"}) { keys { \
                 articles { id title } } } }";
    let reply = service.ask("reader", query).await;
    assert_eq!(reply.error().code, "limit-exceeded", "{:.200}", reply.text);
    handler.answer(Answer::ok(json!({"token": "t", "keys": keys(20)})));
    let reply = service.ask("reader", query).await;
    assert_eq!(
        reply.data()["login"]["keys"].as_array().map(Vec::len),
        Some(20),
        "{:.200}",
        reply.text
    );
}

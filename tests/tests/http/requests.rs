//! Tests request formats: single requests and batches, POST and GET, and malformed requests.

use serde_json::{Value, json};
use tests::reply::ReplyError;
use tests::service::ADMIN_SECRET;

use super::service::{Service, send};
use super::token;

const AUTHORS: &str = "{ authors(order_by: {id: asc}) { id name } }";

fn authors() -> Value {
    json!({"authors": [{"id": 1, "name": "Ada"}, {"id": 2, "name": "Bob"}]})
}

/// Percent-encodes everything except letters and digits.
fn encoded(text: &str) -> String {
    let byte = |byte: u8| {
        if byte.is_ascii_alphanumeric() {
            char::from(byte).to_string()
        } else {
            format!("%{byte:02X}")
        }
    };
    text.bytes().map(byte).collect()
}

#[tokio::test]
async fn single_request_gets_one_response() {
    let service = Service::start().await;
    let reply = service.ask(AUTHORS).await;
    assert_eq!(
        (reply.status, reply.header("content-type")),
        (200, "application/json; charset=utf-8")
    );
    assert_eq!(
        reply.text,
        r#"{"data":{"authors":[{"id":1,"name":"Ada"},{"id":2,"name":"Bob"}]}}"#
    );
    assert_eq!(reply.header("cache-control"), "no-store");
    assert_eq!(reply.header("x-content-type-options"), "nosniff");
    let document =
        "query One($id: Int!) { authors_by_pk(id: $id) { name } } query Two { authors { name } }";
    let body = json!({"query": document, "operationName": "One", "variables": {"id": 2}, "extensions": {"any": [1]}});
    assert_eq!(
        send(service.reader().json(&body)).await.data(),
        json!({"authors_by_pk": {"name": "Bob"}})
    );
}

#[tokio::test]
async fn batch_has_a_response_for_each_request_despite_errors() {
    let service = Service::start().await;
    let batch =
        json!([{"query": AUTHORS}, {"query": "{ nothing }"}, {"query": "{"}, {"query": AUTHORS}]);
    let reply = send(service.reader().json(&batch)).await;
    assert_eq!(reply.status, 200);
    let responses = reply.json();
    assert_eq!(responses.as_array().unwrap().len(), 4);
    assert_eq!(
        (&responses[0]["data"], &responses[3]["data"]),
        (&authors(), &authors())
    );
    assert_eq!(
        responses[1]["errors"][0]["message"],
        "field 'nothing' not found in type: 'query_root'"
    );
    assert_eq!(
        responses[1]["errors"][0]["extensions"]["code"],
        "validation-failed"
    );
    assert_eq!(
        responses[2]["errors"][0]["extensions"]["code"],
        "parse-failed"
    );
    let alone = send(service.reader().json(&json!([{"query": AUTHORS}]))).await;
    assert_eq!(alone.json(), json!([{"data": authors()}]));
}

#[tokio::test]
async fn batch_size_is_limited() {
    let service = Service::with(&[("batch-limit", "3")]).await;
    let reply = service.body("[]").await;
    reply.assert_error(400, "bad-request", "a batch of requests must not be empty");
    let request = json!({"query": AUTHORS});
    let most = vec![request.clone(); 3];
    assert_eq!(
        send(service.reader().json(&most))
            .await
            .json()
            .as_array()
            .unwrap()
            .len(),
        3
    );
    let reply = send(service.reader().json(&vec![request; 4])).await;
    reply.assert_error(
        400,
        "limit-exceeded",
        "the batch holds more requests than the limit of 3",
    );
    let reply = service.body(r#"[{"query":"{ authors { id } }"}, 7]"#).await;
    reply.assert_error(400, "bad-request", "a request has to be a JSON object");
}

#[tokio::test]
async fn queries_can_be_sent_by_get() {
    let service = Service::start().await;
    let document = encoded(
        "query One($id: Int!) { authors_by_pk(id: $id) { name } } query Two { authors { name } }",
    );
    let variables = encoded(r#"{"id": 1}"#);
    let extensions = encoded(r#"{"a": {}}"#);
    let path = format!(
        "/v1/graphql?query={document}&operationName=One&variables={variables}&extensions={extensions}&x=y"
    );
    let reply = send(service.get(&path).bearer_auth(token::good())).await;
    assert_eq!(
        reply.data(),
        json!({"authors_by_pk": {"name": "Ada"}}),
        "{}",
        reply.text
    );
    let path = format!("/v1/graphql?query={}", "{authors{name}}");
    let reply = send(
        service
            .get(&path)
            .header("X-Gateway-Admin-Secret", ADMIN_SECRET),
    )
    .await;
    assert_eq!(reply.data()["authors"][1]["name"], "Bob");
}

#[tokio::test]
async fn get_without_preflight_is_refused() {
    let service = Service::with(&[("unauthorized-role", "visitor")]).await;
    let get = || service.get("/v1/graphql?query={authors{name}}");
    let reply = send(get()).await;
    assert_eq!(
        (reply.status, reply.error().code.as_str()),
        (400, "bad-request"),
        "{}",
        reply.text
    );
    assert!(
        reply.error().message.contains("'Apollo-Require-Preflight'"),
        "{}",
        reply.text
    );
    for form in [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
    ] {
        assert_eq!(
            send(get().header("Content-Type", form)).await.status,
            400,
            "{form}"
        );
    }
    assert_eq!(send(get().header("Cookie", "a=b")).await.status, 400);
    for (name, value) in [
        ("Content-Type", "application/json"),
        ("Apollo-Require-Preflight", "true"),
        ("X-Apollo-Operation-Name", "x"),
        ("X-Gateway-Role", "visitor"),
    ] {
        assert_eq!(
            send(get().header(name, value)).await.data()["authors"][0]["name"],
            "Ada",
            "{name}"
        );
    }
}

#[tokio::test]
async fn mutations_by_get_are_refused() {
    let service = Service::start().await;
    let document = encoded(
        r#"mutation { insert_articles_one(object: {id: 9, author_id: 1, title: "x"}) { id } }"#,
    );
    let get = service
        .get(&format!("/v1/graphql?query={document}"))
        .header("X-Gateway-Admin-Secret", ADMIN_SECRET);
    let reply = send(get).await;
    reply.assert_error(405, "method-not-allowed", "only a query can be sent by GET");
    assert_eq!(reply.header("allow"), "POST");
    let document = encoded("query Q { authors { id } } mutation M { nothing { id } }");
    let path = format!("/v1/graphql?query={document}&operationName=");
    assert_eq!(
        send(service.get(&format!("{path}M")).bearer_auth(token::good()))
            .await
            .status,
        405
    );
    assert_eq!(
        send(service.get(&format!("{path}Q")).bearer_auth(token::good()))
            .await
            .status,
        200
    );
    assert_eq!(
        service.ask("{ articles_by_pk(id: 9) { id } }").await.data(),
        json!({"articles_by_pk": null})
    );
}

#[tokio::test]
async fn malformed_query_string_is_refused() {
    let service = Service::start().await;
    let cases = [
        ("", "the request has no 'query'"),
        (
            "query=%ff",
            "the parameter 'query' is not percent-encoded UTF-8",
        ),
        (
            "query=%7",
            "the parameter 'query' is not percent-encoded UTF-8",
        ),
        (
            "query={a}&query={b}",
            "the parameter 'query' is given twice",
        ),
        (
            "query={a}&variables={",
            "'variables' has to be a JSON object",
        ),
        (
            "query={a}&extensions=x",
            "'extensions' has to be a JSON object",
        ),
        ("query={a}&variables=[]", "'variables' has to be an object"),
        ("query={a}&extensions=1", "'extensions' has to be an object"),
    ];
    for (query, message) in cases {
        let reply = send(
            service
                .get(&format!("/v1/graphql?{query}"))
                .bearer_auth(token::good()),
        )
        .await;
        reply.assert_error(400, "bad-request", message);
    }
}

#[tokio::test]
async fn wrong_member_types_are_refused() {
    let service = Service::start().await;
    let cases = [
        ("{}", "the request has no 'query'"),
        (r#"{"query":null}"#, "the request has no 'query'"),
        (r#"{"query":7}"#, "'query' has to be a string"),
        (r#"{"query":["{a}"]}"#, "'query' has to be a string"),
        (
            r#"{"query":"{a}","variables":[]}"#,
            "'variables' has to be an object",
        ),
        (
            r#"{"query":"{a}","variables":"{}"}"#,
            "'variables' has to be an object",
        ),
        (
            r#"{"query":"{a}","extensions":7}"#,
            "'extensions' has to be an object",
        ),
        (
            r#"{"query":"{a}","operationName":7}"#,
            "'operationName' has to be a string",
        ),
        ("null", "a request has to be a JSON object"),
        ("7", "a request has to be a JSON object"),
        (r#""{a}""#, "a request has to be a JSON object"),
        ("[[]]", "a request has to be a JSON object"),
    ];
    for (body, message) in cases {
        service
            .body(body)
            .await
            .assert_error(400, "bad-request", message);
    }
    service.is_well().await;
}

#[tokio::test]
async fn malformed_json_is_reported_with_its_position() {
    let service = Service::start().await;
    for body in [
        "",
        " ",
        "{",
        r#"{"query":}"#,
        r#"{"query":"{a}"} x"#,
        "{'query':'{a}'}",
        "\u{feff}{}",
        "query={a}",
    ] {
        let reply = service.body(body).await;
        let ReplyError {
            status,
            code,
            message,
        } = reply.error();
        assert_eq!((status, code.as_str()), (400, "bad-request"), "{body}");
        assert!(
            message.starts_with("the body is not JSON: line "),
            "{body}: {message}"
        );
    }
}

#[tokio::test]
async fn duplicate_members_are_refused() {
    let service = Service::start().await;
    let body =
        r#"{"query":"{ authors { id } }","query":"{ articles(order_by: {id: asc}) { id } }"}"#;
    let reply = service.body(body).await;
    assert_eq!(
        (reply.status, reply.error().code.as_str()),
        (400, "bad-request"),
        "{}",
        reply.text
    );
    assert_eq!(reply.error().message, "'query' is given twice");
    let body = r#"{"query":"{ authors { id } }","variables":{},"variables":{}}"#;
    assert_eq!(
        service.body(body).await.error().message,
        "'variables' is given twice"
    );
}

#[tokio::test]
async fn operation_name_must_select_one_operation() {
    let service = Service::start().await;
    let two = "query A { authors { id } } query B { authors { id } }";
    for name in [json!(null), json!(""), json!("C")] {
        let reply = send(
            service
                .reader()
                .json(&json!({"query": two, "operationName": name})),
        )
        .await;
        assert_eq!(
            (reply.status, reply.error().code.as_str()),
            (200, "validation-failed"),
            "{name}: {}",
            reply.text
        );
        assert!(reply.is_sound_error());
    }
    let reply = service.ask("fragment F on authors { id }").await;
    assert_eq!(reply.error().code, "validation-failed", "{}", reply.text);
}

#[tokio::test]
async fn subscription_by_post_is_not_supported() {
    let service = Service::start().await;
    let reply = service
        .ask_strictly("subscription { authors { id } }")
        .await;
    reply.assert_error(
        400,
        "not-supported",
        "a subscription needs a WebSocket, or an event stream by 'Accept: text/event-stream'",
    );
}

#[tokio::test]
async fn only_json_bodies_are_accepted() {
    let service = Service::start().await;
    let body = r#"{"query":"{ authors { id } }"}"#;
    let ask = |media: &'static str| send(service.reader().header("Content-Type", media).body(body));
    for media in [
        "application/json",
        "application/json; charset=utf-8",
        "Application/JSON;charset=UTF-8",
    ] {
        assert_eq!(ask(media).await.status, 200, "{media}");
    }
    let others = [
        "text/plain",
        "text/plain; application/json",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "application/graphql",
        "application/json; charset=utf-16",
        "application/jsonp",
        "",
    ];
    for media in others {
        ask(media).await.assert_error(
            415,
            "not-supported",
            "the content type has to be 'application/json'",
        );
    }
    let without = send(service.reader().body(body)).await;
    without.assert_error(
        415,
        "not-supported",
        "the content type has to be 'application/json'",
    );
}

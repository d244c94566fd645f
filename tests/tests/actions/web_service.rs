//! Tests actions that a web service answers.

use std::time::Duration;

use serde_json::{Value, json};
use tests::reply::Reply;
use tests::reply::ReplyError;
use tests::service::ADMIN_SECRET;

use super::service::Service;
use crate::http::elsewhere::{Answer, Elsewhere};

const LOGIN: &str =
    r#"mutation { login(credentials: {email: "a", password: "b", tags: "x"}) { token } }"#;

#[tokio::test]
async fn handler_gets_the_payload_and_the_selection_shapes_its_answer() {
    let response = r#"{"token": "t", "author_id": 1, "extra": 1, "raw": {"a": [1.50]}, "ident": 7, "keys": []}"#;
    let handler = Elsewhere::start(Answer::ok(response)).await;
    let service = Service::start(&handler).await;
    let query = "mutation ($who: Credentials!, $not: Boolean!) {
        a: login(credentials: $who) { ...F raw id: ident keys { mood } at @skip(if: $not) __typename }
      } fragment F on Token { token author_id token }";
    let variables = json!({"who": {"email": "a", "password": "b", "tags": "x"}, "not": true});
    let request = service
        .by("author")
        .header("X-Request", "7")
        .header("Cookie", "c=1");
    let reply = Reply::of(request.json(&json!({"query": query, "variables": variables})))
        .await
        .unwrap();
    assert_eq!(
        reply.text,
        r#"{"data":{"a":{"token":"t","author_id":1,"raw":{"a":[1.50]},"id":"7","keys":[],"__typename":"Token"}}}"#
    );
    let asked = &handler.asked()[0];
    assert!(
        asked.head.starts_with("post /login http/1.1"),
        "{}",
        asked.head
    );
    for there in [
        "x-key: secret of the handler",
        "x-request: 7",
        "cookie: c=1",
        "content-type: application/json",
    ] {
        assert!(
            asked.head.contains(&format!("{there}\r\n")),
            "{there}: {}",
            asked.head
        );
    }
    assert!(!asked.head.contains(ADMIN_SECRET), "{}", asked.head);
    let body: Value = serde_json::from_str(&asked.body).unwrap();
    assert_eq!(
        body,
        json!({
            "action": {"name": "login"},
            "input": {"credentials": {"email": "a", "password": "b", "tags": ["x"]}},
            "session_variables": {"x-gateway-role": "author", "x-gateway-user-id": "1"},
            "request_query": query,
        })
    );
}

#[tokio::test]
async fn input_is_checked_against_the_declared_types() {
    let handler = Elsewhere::start(Answer::ok(json!(null))).await;
    let service = Service::start(&handler).await;
    let report = |arguments: &str| format!("{{ report({arguments}) {{ mood }} }}");
    let cases = [
        (
            report("moods: [SUN]"),
            "validation-failed",
            "missing required argument 'day'",
        ),
        (
            report("day: 1, moods: [SNOW]"),
            "constraint-violation",
            "for 'moods' ('SUN', 'RAIN'), found 'SNOW'",
        ),
        (
            report("day: 1, moods: [null]"),
            "constraint-violation",
            "null",
        ),
        (
            report("day: 1, page: {}"),
            "validation-failed",
            "missing required field 'size'",
        ),
        (
            report("day: 1, page: {size: 2147483648}"),
            "constraint-violation",
            "'size'",
        ),
        (
            report("day: 1, page: {size: 1, x: 1}"),
            "validation-failed",
            "field 'x' not found in type: 'Page'",
        ),
        (
            report("day: 1, where: 1"),
            "validation-failed",
            "argument 'where' not found in field: 'report'",
        ),
        (
            "{ report(day: 1) { nothing } }".into(),
            "validation-failed",
            "field 'nothing' not found in type: 'Line'",
        ),
        ("{ report(day: 1) }".into(), "validation-failed", "Line"),
    ];
    for (query, code, part) in cases {
        let reply = service.ask("reader", &query).await;
        let ReplyError {
            code: found,
            message,
            ..
        } = reply.error();
        assert!(
            found == code && message.contains(part),
            "{query}: {}",
            reply.text
        );
    }
    let query = "query ($day: Day!, $page: Page) { report(day: $day, page: $page) { mood } }";
    let reply = service
        .ask_with("reader", query, json!({"day": 1, "page": {"size": "x"}}))
        .await;
    assert_eq!(
        reply.json()["errors"][0]["extensions"]["path"],
        "$.variables.page.size",
        "{}",
        reply.text
    );
    assert!(handler.asked().is_empty());
    // A scalar that the file declares takes any JSON.
    handler.answer(Answer::ok(json!([{"mood": "SUN", "on": {"a": 1}}, null])));
    let reply = service
        .ask_with(
            "reader",
            "query ($d: Day!) { report(day: $d) { on mood } }",
            json!({"d": [1, {}]}),
        )
        .await;
    assert_eq!(
        reply.data(),
        json!({"report": [{"on": {"a": 1}, "mood": "SUN"}, null]}),
        "{}",
        reply.text
    );
}

#[tokio::test]
async fn errors_of_a_handler_reach_the_client_only_with_a_client_status() {
    let handler = Elsewhere::start(Answer::ok(json!(null))).await;
    let service = Service::start(&handler).await;
    let cases = [
        (
            "400 Bad Request",
            json!({"message": "no", "extensions": {"code": "wrong-password", "left": 2}}),
            (200, "wrong-password", "no"),
        ),
        (
            "422 Unprocessable",
            json!({"message": "no", "code": "short"}),
            (200, "short", "no"),
        ),
        (
            "403 Forbidden",
            json!({"message": "not yours"}),
            (200, "permission-error", "not yours"),
        ),
        (
            "401 Unauthorized",
            json!({"message": "no"}),
            (200, "action-failed", "no"),
        ),
    ];
    for (status, body, (expected, code, message)) in cases {
        handler.answer(Answer::of(status, body));
        service
            .ask("author", LOGIN)
            .await
            .assert_error(expected, code, message);
    }
    handler.answer(Answer::of(
        "400 Bad Request",
        json!({"message": "no", "extensions": {"code": "x", "left": 2}}),
    ));
    let reply = service.ask("author", LOGIN).await;
    let error = &reply.json()["errors"][0];
    assert_eq!(
        error["extensions"],
        json!({"code": "x", "path": "$.selectionSet.login", "left": 2})
    );
    // Everything else is the handler's fault, and its text stays inside.
    let internal = [
        Answer::of("404 Not Found", "<html>secret</html>"),
        Answer::of("302 Found", json!({"token": "secret"})).with("Location: http://127.0.0.1:1/"),
        Answer::ok("{\"token\": secret"),
        Answer::ok(json!({"token": 1, "x": "secret"})),
        Answer::ok(json!({"token": null})),
        Answer::ok(json!("secret")),
        Answer::ok(json!([{"token": "secret"}])),
        Answer::ok(format!("{{\"token\":\"{}\"}}", "x".repeat(9 << 20))),
        Answer::ok("[".repeat(100_000)),
    ];
    for response in internal {
        handler.answer(response.clone());
        let reply = service.ask("author", LOGIN).await;
        let ReplyError {
            status,
            code,
            message,
        } = reply.error();
        assert!(
            status == 500 && code == "unexpected" && message.starts_with("internal error"),
            "{response:?}: {}",
            reply.text
        );
        assert!(
            !reply.text.contains("secret") && !reply.text.contains("127.0.0.1"),
            "{}",
            reply.text
        );
    }
    handler.answer(Answer::ok(json!(null)));
    assert_eq!(
        service.ask("author", LOGIN).await.data(),
        json!({"login": null})
    );
}

#[tokio::test]
async fn failing_handler_is_not_called_for_a_while() {
    let handler = Elsewhere::start(Answer::of("503 Service Unavailable", json!({}))).await;
    let service = Service::start(&handler).await;
    for _ in 0..2 {
        unknown(&service.ask("author", LOGIN).await);
    }
    for _ in 0..2 {
        let reply = service.ask("author", LOGIN).await;
        reply.assert_error(
            503,
            "unavailable",
            "the handler of the action is not available",
        );
    }
    // A mutation is not repeated, and the third call finds the breaker open.
    assert_eq!(handler.asked().len(), 2);
}

#[tokio::test]
async fn queries_are_repeated_and_time_out() {
    let handler = Elsewhere::start(Answer::of("500 Internal Server Error", json!({}))).await;
    let service = Service::start(&handler).await;
    let query = "{ report(day: 1) { mood } }";
    service.ask("reader", query).await.assert_error(
        503,
        "unavailable",
        "the handler of the action is not available",
    );
    assert_eq!(handler.asked().len(), 2);
    handler.answer(Answer {
        after: Duration::from_secs(20),
        ..Answer::ok(json!(null))
    });
    let began = std::time::Instant::now();
    unknown(&service.ask("author", LOGIN).await);
    assert!(began.elapsed() < Duration::from_secs(10));
}

/// The outcome of a mutation whose handler was called and did not say what it has done.
#[track_caller]
fn unknown(reply: &Reply) {
    let message = "the outcome is unknown: the handler of the action was called, and did not say \
                   what it has done";
    reply.assert_error(200, "outcome-unknown", message);
    assert_eq!(reply.header("retry-after"), "", "{}", reply.text);
}

#[tokio::test]
async fn handler_that_is_not_reached_has_done_nothing() {
    // Nothing listens on the port any more.
    let handler = Elsewhere::start(Answer::ok(json!(null))).await;
    let service = Service::start(&handler).await;
    drop(handler);
    let reply = service.ask("author", LOGIN).await;
    reply.assert_error(
        503,
        "unavailable",
        "the handler of the action is not available",
    );
    assert_eq!(reply.header("retry-after"), "1");
}

#[tokio::test]
async fn transforms_change_the_request_and_the_answer() {
    let handler = Elsewhere::start(Answer::ok(json!({"answer": [{"weather": "RAIN"}]}))).await;
    let definitions = format!(
        r#"
[action.report]
handler = "{}"
roles = ["reader"]
[action.report.request_transform]
version = 2
method = "PUT"
url = "{{{{$base_url}}}}/days/{{{{$body.input.day}}}}"
query_params = {{ role = "{{{{$session_variables['x-gateway-role']}}}}" }}
body = {{ action = "transform", template = "{{\"on\": {{{{$body.input.day}}}}}}" }}
[action.report.response_transform]
body = "[{{\"mood\": {{{{$body.answer[0].weather}}}}}}]"
"#,
        handler.url("/base")
    );
    let types = "type Query { report(day: String!): [Line!]! } type Line { mood: String }";
    let service = Service::with(&definitions, types, "").await;
    let reply = service
        .ask_with(
            "reader",
            "query ($d: String!) { report(day: $d) { mood } }",
            json!({"d": "a/../?x=1#"}),
        )
        .await;
    assert_eq!(
        reply.data(),
        json!({"report": [{"mood": "RAIN"}]}),
        "{}",
        reply.text
    );
    let asked = &handler.asked()[0];
    assert!(
        asked
            .head
            .starts_with("put /base/days/a%2f..%2f%3fx%3d1%23?role=reader http/1.1"),
        "{}",
        asked.head
    );
    assert_eq!(asked.body, r#"{"on":"a/../?x=1#"}"#);
    for day in ["..", ".", ""] {
        let reply = service
            .ask_with(
                "reader",
                "query ($d: String!) { report(day: $d) { mood } }",
                json!({"d": day}),
            )
            .await;
        assert_eq!(reply.error().code, "bad-request", "{}", reply.text);
    }
    assert_eq!(handler.asked().len(), 1);
}

#[tokio::test]
async fn values_behind_the_path_may_be_empty_or_dots() {
    let handler = Elsewhere::start(Answer::ok(json!([]))).await;
    let definitions = format!(
        "[action.report]\nhandler = \"{}\"\nroles = [\"reader\"]\n\
         request_transform = {{ url = \"{{{{$base_url}}}}?q={{{{$body.input.day}}}}\" }}\n",
        handler.url("/search")
    );
    let types = "type Query { report(day: String): [Line!]! } type Line { mood: String }";
    let service = Service::with(&definitions, types, "").await;
    for (day, expected) in [("", ""), (".", "."), ("..", ".."), ("a&b#c", "a%26b%23c")] {
        let query = "query ($d: String) { report(day: $d) { mood } }";
        let reply = service.ask_with("reader", query, json!({"d": day})).await;
        assert_eq!(reply.data(), json!({"report": []}), "{}", reply.text);
        let head = handler.asked().pop().unwrap().head;
        assert!(
            head.starts_with(&format!("post /search?q={expected} http/1.1")),
            "{head}"
        );
    }
    assert_eq!(
        service.ask("reader", "{ report { mood } }").await.data(),
        json!({"report": []})
    );
}

#[tokio::test]
async fn redirect_of_a_handler_is_not_followed() {
    let other = Elsewhere::start(Answer::ok(json!({"token": "t"}))).await;
    for status in [
        "301 Moved Permanently",
        "302 Found",
        "303 See Other",
        "307 Temporary Redirect",
    ] {
        let location = format!("Location: {}", other.url("/login"));
        let handler = Elsewhere::start(Answer::of(status, "").with(&location)).await;
        let service = Service::start(&handler).await;
        assert_eq!(
            service.ask("author", LOGIN).await.error().code,
            "unexpected",
            "{status}"
        );
        assert_eq!(
            (handler.asked().len(), other.asked().len()),
            (1, 0),
            "{status}"
        );
    }
}

#[tokio::test]
async fn hasura_profile_has_its_prefix_and_its_form_of_errors() {
    let handler = Elsewhere::start(Answer::ok(json!({"token": "t"}))).await;
    let definitions = super::service::definitions(&handler.url(""));
    let service = Service::with(
        &definitions,
        super::service::TYPES,
        "profile = \"hasura\"\n",
    )
    .await;
    let ask = async |query: &str, variables: Value| {
        let request = service
            .client
            .post(format!("{}/v1/graphql", service.gateway.url()));
        let request = request
            .header("X-Hasura-Admin-Secret", ADMIN_SECRET)
            .header("X-Hasura-Role", "author");
        let request = request.json(&json!({"query": query, "variables": variables}));
        Reply::of(request).await.unwrap()
    };
    assert_eq!(
        ask(LOGIN, json!({})).await.data(),
        json!({"login": {"token": "t"}})
    );
    let body: Value = serde_json::from_str(&handler.asked()[0].body).unwrap();
    assert_eq!(
        body["session_variables"],
        json!({"x-hasura-role": "author"})
    );
    // Variables are checked where they are used, before the handler is called.
    let query = "mutation ($who: Credentials!) { login(credentials: $who) { token } }";
    let reply = ask(query, json!({"who": {"email": 1, "password": "b"}})).await;
    assert!(
        reply.error().status == 200 && reply.is_sound_error(),
        "{}",
        reply.text
    );
    assert_eq!(handler.asked().len(), 1);
    handler.answer(Answer::of(
        "400 Bad Request",
        json!({"message": "it's wrong", "extensions": {"code": "x", "n": 1}}),
    ));
    let reply = ask(LOGIN, json!({})).await;
    let expected = json!({"errors": [{"message": "it's wrong", "extensions": {"path": "$", "code": "x", "n": 1}}]});
    assert_eq!(reply.json(), expected);
}

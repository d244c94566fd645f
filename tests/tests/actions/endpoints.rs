//! Tests that the REST map, its OpenAPI description and the MCP tools know operations that contain
//! actions.

use gateway::rest;
use serde_json::json;
use tests::reply::Reply;
use tests::service::ADMIN_SECRET;

use super::service::{Service, TYPES, builder, definitions};
use crate::http::elsewhere::{Answer, Elsewhere};

const MAP: &str = r#"
[[endpoint]]
path = "report"
methods = ["GET"]
query = "query Report($day: Day!, $moods: [Mood!]) { report(day: $day, moods: $moods) { mood } authors { name } }"

[[endpoint]]
path = "login"
methods = ["POST"]
query = "mutation Login($who: Credentials!) { login(credentials: $who) { token articles { id } } }"
roles = ["reader"]
require = { table = "authors", parameter = "author", denied = "not that author" }
"#;

#[tokio::test]
async fn endpoints_and_tools_contain_actions() {
    let handler = Elsewhere::start(Answer::ok(json!([{"mood": "SUN"}]))).await;
    let builder = builder(&definitions(&handler.url("")), TYPES, "");
    let map = rest::Source::new("map.toml", MAP, rest::Documents::Given(&[]));
    let builder = builder.change(|builder| builder.rest_map(map));
    let service = Service::start_of(builder).await;
    let client = &service.client;
    let url = |path: &str| service.url(path);
    let by = |request: reqwest::RequestBuilder, role: &str| {
        request
            .header("X-Gateway-Admin-Secret", ADMIN_SECRET)
            .header("X-Gateway-Role", role)
    };
    let get = by(
        client.get(url("/api/rest/report?day=1&moods=%5B%22SUN%22%5D")),
        "reader",
    );
    let reply = Reply::of(get).await.unwrap();
    assert_eq!(
        reply.text,
        r#"{"report":[{"mood":"SUN"}],"authors":[{"name":"Ada"},{"name":"Bob"}]}"#
    );
    // A role without the action has no such endpoint.
    let reply = Reply::of(by(client.get(url("/api/rest/report?day=1")), "author"))
        .await
        .unwrap();
    assert_eq!(reply.status, 403, "{}", reply.text);
    // A required row is checked before the handler is called.
    let calls = handler.asked().len();
    let login = |author: i32| {
        let body = json!({"who": {"email": "a", "password": "b"}, "author": author});
        by(client.post(url("/api/rest/login")), "reader").json(&body)
    };
    handler.answer(Answer::ok(json!({"token": "t", "author_id": 2})));
    let reply = Reply::of(login(9)).await.unwrap();
    assert_eq!(
        (reply.status, reply.error().message.as_str()),
        (403, "not that author"),
        "{}",
        reply.text
    );
    assert_eq!(handler.asked().len(), calls);
    let reply = Reply::of(login(1)).await.unwrap();
    assert_eq!(
        reply.text,
        r#"{"login":{"token":"t","articles":[{"id":3}]}}"#
    );
    handler.answer(Answer::of("403 Forbidden", json!({"message": "not yours"})));
    let reply = Reply::of(login(1)).await.unwrap();
    assert_eq!(
        (reply.status, reply.error().message.as_str()),
        (403, "not yours"),
        "{}",
        reply.text
    );
    // The description has the declared types.
    let openapi = Reply::of(by(client.get(url("/api/rest/openapi.json")), "reader"))
        .await
        .unwrap();
    let text = openapi.json();
    let found = text.to_string();
    assert!(
        found.contains("\"Credentials\"") && found.contains("password"),
        "{} {found}",
        openapi.status
    );
    let mood =
        text.pointer("/paths/~1api~1rest~1report/get/responses/200/content/application~1json/schema/properties/report");
    assert!(
        mood.is_some_and(|mood| mood.to_string().contains(r#""enum":["SUN","RAIN"]"#)),
        "{mood:?}"
    );
    let tools = by(client.post(url("/mcp")), "reader")
        .header("Accept", "application/json, text/event-stream");
    let tools = Reply::of(tools.json(&json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})))
        .await
        .unwrap();
    assert!(
        tools.text.contains("Login") && tools.text.contains("Credentials"),
        "{}",
        tools.text
    );
}

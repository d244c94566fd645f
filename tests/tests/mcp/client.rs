//! Tests the protocol's official TypeScript client from npm with the demo: it lists every tool and
//! calls it, and the results equal those of REST.

use demo::Demo;
use serde_json::{Map, Value, json};
use tests::program;
use tests::reply::Reply;

/// The output of the client in `tests/mcp` after it has sent these headers and called these tools.
async fn client(url: &str, headers: &Value, calls: &[Value]) -> Value {
    let mut command = program::node("mcp", "client.mjs").unwrap();
    let request = json!({"headers": headers, "calls": calls}).to_string();
    program::run_json(command.arg(url), &request).await.unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_official_client_calls_every_tool_of_the_demo() {
    let demo = Demo::start(None).await.unwrap();
    let permissions = demo.permissions();
    let builder = tests::gateway()
        .plugins(demo::plugins())
        .settings(demo.settings(tests::demo_data::URL).unwrap())
        .listen("127.0.0.1:0");
    let builder = builder
        .permissions_text(&permissions.name, &permissions.text)
        .rest_map(demo.rest_map())
        .actions(demo.actions());
    let running = builder.start().await.unwrap();
    let facts = demo.facts(&running.url());
    let token = demo.token("user").unwrap();
    let http = reqwest::Client::new();
    let rest = async |path: &str, parameters: &Value| {
        let request = http
            .post(format!("{}/api/rest/{path}", running.url()))
            .json(parameters);
        Reply::of(request.bearer_auth(&token).header("X-Gateway-Role", "user"))
            .await
            .unwrap()
    };
    let subject = json!({"dataSubjectId": facts["data_subject_id"]});
    let messages = rest("getnotificationmessagesbydatasubject", &subject)
        .await
        .json();
    let values = Map::from_iter([
        (
            "dataControllerId".to_owned(),
            facts["data_controller_id"].clone(),
        ),
        ("dataSubjectId".to_owned(), facts["data_subject_id"].clone()),
        ("requestType".to_owned(), "access".into()),
        (
            "question".to_owned(),
            "Wie widerrufe ich meine Einwilligung?".into(),
        ),
        (
            "id".to_owned(),
            messages["notificationMessages"][0]["id"].clone(),
        ),
    ]);

    let headers = json!({"Authorization": format!("Bearer {token}"), "X-Gateway-Role": "user"});
    let url = format!("{}/mcp", running.url());
    let listed = client(&url, &headers, &[]).await;
    assert_eq!(
        (&listed["server"]["name"], &listed["capabilities"]),
        (&json!("postern"), &json!({"tools": {}}))
    );
    let tools = listed["tools"].as_array().unwrap();
    assert_eq!(tools.len(), 17, "{listed}");
    let calls = tools.iter().map(|tool| {
        let required = tool["inputSchema"]["required"]
            .as_array()
            .unwrap()
            .iter()
            .filter_map(Value::as_str);
        let arguments: Map<String, Value> = required
            .map(|name| (name.to_owned(), values[name].clone()))
            .collect();
        json!({"name": tool["name"], "arguments": arguments})
    });
    let mut calls: Vec<Value> = calls.collect();
    calls.push(json!({"name": "GetDataControllerDetails", "arguments": {"dataControllerId": facts["other_data_controller_id"]}}));
    calls.push(json!({"name": "Nothing", "arguments": {}}));
    // Writes change what later reads return, so the reads run first.
    let writes = |call: &Value| {
        tools
            .iter()
            .any(|t| t["name"] == call["name"] && t["annotations"]["readOnlyHint"] == false)
    };
    let mut responses = vec![];
    for call in calls.iter().take(17).filter(|call| !writes(call)) {
        responses.push(rest(&path(call), &call["arguments"]).await);
    }
    let called = client(&url, &headers, &calls).await;
    for call in calls.iter().take(17).filter(|call| writes(call)) {
        responses.push(rest(&path(call), &call["arguments"]).await);
    }
    let results = called["results"].as_array().unwrap();
    assert_eq!((responses.len(), results.len()), (17, 19));
    for ((call, result), response) in calls.iter().zip(results).zip(&responses) {
        assert_eq!(
            (&result["isError"], response.status),
            (&json!(false), 200),
            "{call}: {result} {}",
            response.text
        );
        let text = result["content"][0]["text"].as_str().unwrap();
        assert_eq!(
            serde_json::from_str::<Value>(text).unwrap(),
            result["structuredContent"],
            "{call}"
        );
        assert_eq!(
            normalized(response.json()),
            normalized(result["structuredContent"].clone()),
            "{call}"
        );
    }
    let denied = json!([{"type": "text", "text": "Access denied to data controller resources"}]);
    assert_eq!(
        (&results[17]["content"], &results[17]["isError"]),
        (&denied, &json!(true))
    );
    assert_eq!(results[18]["refused"]["code"], -32602, "{}", results[18]);
}

/// The path of a call's endpoint: the name of its document in lower case, with one exception.
fn path(call: &Value) -> String {
    match call["name"].as_str().unwrap() {
        "GetDataControllerFAQs" => "getDataControllerFaqs".to_owned(),
        other => other.to_lowercase(),
    }
}

/// The response without values that differ between runs: written rows have their own key and time.
fn normalized(mut response: Value) -> Value {
    for root in [
        "insertDataSubjectsRightsRequest",
        "updateNotificationMessage",
    ] {
        if let Some(written) = response.get_mut(root).and_then(Value::as_object_mut) {
            written.retain(|key, _| !["createdAt", "updatedAt"].contains(&key.as_str()));
            if root.starts_with("insert") {
                written.remove("id");
            }
        }
    }
    response
}

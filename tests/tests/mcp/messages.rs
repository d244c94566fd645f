//! Tests valid and invalid messages, protocol versions, HTTP methods and media types, and sizes.

use gateway::http::content_encoding::{ContentEncoding, Encoder};
use reqwest::Method;
use serde_json::{Value, json};
use tests::reply::Reply;

use super::service::{MAP, Service, by, refused, send};

const UNKNOWN: &str = "this method is not answered here";

/// Fails unless the reply is this JSON-RPC error.
#[track_caller]
fn wrong(reply: &Reply, status: u16, number: i64, message: &str) {
    let error = json!({"code": number, "message": message, "data": {"code": "bad-request"}});
    let expected = json!({"jsonrpc": "2.0", "id": 7, "error": error});
    assert_eq!(
        (reply.status, reply.json()),
        (status, expected),
        "{}",
        reply.text
    );
}

fn initialize(version: &str) -> Value {
    let client = json!({"name": "tests", "version": "1"});
    let params = json!({"protocolVersion": version, "capabilities": {}, "clientInfo": client});
    json!({"jsonrpc": "2.0", "id": "first", "method": "initialize", "params": params})
}

#[tokio::test(flavor = "multi_thread")]
async fn initialize_negotiates_the_protocol_version() {
    let service = Service::start().await;
    for (asked, spoken) in [
        ("2024-11-05", "2024-11-05"),
        ("2025-03-26", "2025-03-26"),
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        ("1999-01-01", "2025-11-25"),
    ] {
        let reply = service.say("reader", &initialize(asked)).await;
        let message = reply.json();
        assert_eq!(
            (reply.status, &message["id"]),
            (200, &json!("first")),
            "{}",
            reply.text
        );
        let result = &message["result"];
        assert_eq!(
            (&result["protocolVersion"], &result["capabilities"]),
            (&json!(spoken), &json!({"tools": {}}))
        );
        assert_eq!(result["serverInfo"]["name"], "postern");
        assert!(
            result["serverInfo"]["version"].is_string() && result["instructions"].is_string(),
            "{}",
            reply.text
        );
        // The protocol is stateless: there is no session.
        assert_eq!(reply.header("mcp-session-id"), "");
    }
    let notified = service
        .say(
            "reader",
            &json!({"jsonrpc": "2.0", "method": "notifications/initialized"}),
        )
        .await;
    assert_eq!((notified.status, notified.text.as_str()), (202, ""));
    let ping = service
        .say(
            "reader",
            &json!({"jsonrpc": "2.0", "id": 1.0, "method": "ping"}),
        )
        .await;
    assert_eq!(
        (ping.status, ping.json()),
        (200, json!({"jsonrpc": "2.0", "id": 1, "result": {}}))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn newest_version_needs_no_initialize() {
    let service = Service::start().await;
    let version = "2026-07-28";
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": version,
        "io.modelcontextprotocol/clientInfo": {"name": "tests", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let ask = async |method: &str, name: Option<&str>, params: Value| {
        let mut message = json!({"jsonrpc": "2.0", "id": 7, "method": method, "params": params});
        message["params"]["_meta"] = meta.clone();
        let request = by(service.post(&message), "reader").header("MCP-Protocol-Version", version);
        let request = request.header("Mcp-Method", method);
        send(match name {
            Some(name) => request.header("Mcp-Name", name),
            None => request,
        })
        .await
    };
    let discovered = ask("server/discover", None, json!({})).await;
    let versions = discovered.json()["result"]["supportedVersions"].clone();
    assert!(
        versions
            .as_array()
            .is_some_and(|all| all.contains(&json!(version))),
        "{}",
        discovered.text
    );
    let listed = ask("tools/list", None, json!({})).await;
    assert_eq!(
        listed.json()["result"]["cacheScope"],
        "private",
        "{}",
        listed.text
    );
    let called = ask(
        "tools/call",
        Some("One"),
        json!({"name": "One", "arguments": {"id": 2}}),
    )
    .await
    .json();
    assert_eq!(
        called["result"]["structuredContent"],
        json!({"things_by_pk": {"id": 2, "name": "7"}}),
        "{called}"
    );
    assert_eq!(called["result"]["resultType"], "complete");
    // A header that contradicts the message, by which an intermediary may have decided.
    let other = ask(
        "tools/call",
        Some("Names"),
        json!({"name": "One", "arguments": {"id": 2}}),
    )
    .await;
    let expected_message = "the headers 'MCP-Protocol-Version', 'Mcp-Method' and 'Mcp-Name' have \
                            to say what the message does";
    wrong(&other, 400, -32020, expected_message);
    // A method that the newest version does not have is a 404.
    wrong(&ask("ping", None, json!({})).await, 404, -32601, UNKNOWN);
}

#[tokio::test(flavor = "multi_thread")]
async fn batches_of_the_version_that_has_them_are_answered_in_order() {
    let service = Service::with(MAP, &[("batch-limit", "6")]).await;
    let ping = |id: Value| json!({"jsonrpc": "2.0", "id": id, "method": "ping"});
    let called = |id: u64, name: &str, arguments: Value| json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": {"name": name, "arguments": arguments}});
    let notification = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    let batch = json!([
        ping(json!("a")),
        called(2, "One", json!({"id": 2})),
        notification,
        called(3, "Nothing", json!({})),
        called(4, "One", json!({"id": "x"})),
        {"jsonrpc": "2.0", "id": 5}
    ]);
    for version in [None, Some("2025-03-26")] {
        let request = by(service.post(&batch), "reader");
        let request = version.into_iter().fold(request, |request, version| {
            request.header("MCP-Protocol-Version", version)
        });
        let reply = send(request).await;
        let responses = reply.json();
        let ids: Vec<&Value> = responses
            .as_array()
            .unwrap()
            .iter()
            .map(|response| &response["id"])
            .collect();
        assert_eq!(json!(ids), json!(["a", 2, 3, 4, null]), "{}", reply.text);
        assert_eq!(responses[0]["result"], json!({}), "{}", reply.text);
        let found = json!({"things_by_pk": {"id": 2, "name": "7"}});
        assert_eq!(
            responses[1]["result"]["structuredContent"], found,
            "{}",
            reply.text
        );
        assert_eq!(responses[2]["error"]["code"], -32602, "{}", reply.text);
        assert_eq!(responses[3]["result"]["isError"], true, "{}", reply.text);
        assert_eq!(responses[4]["error"]["code"], -32600, "{}", reply.text);
    }
    let told = send(by(
        service.post(&json!([notification, notification])),
        "reader",
    ))
    .await;
    assert_eq!((told.status, told.text.as_str()), (202, ""));
    let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-03-26", "capabilities": {}, "clientInfo": {"name": "a", "version": "1"}
    }});
    let early = send(by(service.post(&json!([hello])), "reader"))
        .await
        .json();
    assert_eq!(early[0]["error"]["code"], -32600, "{early}");
    let many = send(by(service.post(&json!(vec![ping(json!(1)); 7])), "reader")).await;
    assert_eq!(
        (many.status, &many.json()["error"]["data"]["code"]),
        (400, &json!("limit-exceeded")),
        "{}",
        many.text
    );
    let nobody = send(service.post(&batch)).await;
    assert_eq!(nobody.status, 401, "{}", nobody.text);
}

#[tokio::test(flavor = "multi_thread")]
async fn malformed_messages_are_refused() {
    let service = Service::start().await;
    let send_text = async |text: String| {
        let request = service
            .request(Method::POST, "/mcp")
            .header("Content-Type", "application/json")
            .body(text);
        send(by(request, "reader")).await
    };
    let json_at = |column: usize| format!("the body is not JSON: line 1, column {column}");
    refused(
        &send_text(String::new()).await,
        400,
        -32700,
        "bad-request",
        &json_at(0),
    );
    refused(
        &send_text("{\"a\":".into()).await,
        400,
        -32700,
        "bad-request",
        &json_at(5),
    );
    refused(
        &send_text("[".repeat(100_000)).await,
        400,
        -32700,
        "bad-request",
        &json_at(128),
    );
    let object = "a request has to be a JSON object";
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
    refused(
        &send_text("7".into()).await,
        400,
        -32600,
        "bad-request",
        object,
    );
    refused(
        &send_text("[]".into()).await,
        400,
        -32600,
        "bad-request",
        "a batch of requests must not be empty",
    );
    for version in ["2024-11-05", "2025-06-18", "2025-11-25"] {
        let batch = service
            .post(&json!([ping]))
            .header("MCP-Protocol-Version", version);
        refused(
            &send(by(batch, "reader")).await,
            400,
            -32600,
            "bad-request",
            object,
        );
    }
    let message = "the body is not a message of the Model Context Protocol";
    for text in [
        json!({}),
        json!({"jsonrpc": "2.0"}),
        json!({"jsonrpc": "1.0", "id": 1, "method": "ping"}),
        json!({"id": 1, "method": "ping"}),
        json!({"jsonrpc": "2.0", "id": 1, "method": 7}),
        json!({"jsonrpc": "2.0", "id": {}, "method": "ping"}),
        json!({"jsonrpc": "2.0", "id": null, "method": "ping"}),
        json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": ["One"]}),
        json!({"jsonrpc": "2.0", "id": 1, "method": "ping", "result": {}}),
        json!({"jsonrpc": "2.0", "id": 1, "method": "a", "params": {"$serde_json::private::RawValue": "["}}),
    ] {
        refused(
            &send_text(text.to_string()).await,
            400,
            -32600,
            "bad-request",
            message,
        );
    }
    let arguments = service.call("reader", "One", &json!([1])).await;
    refused(
        &arguments,
        400,
        -32600,
        "bad-request",
        "'arguments' has to be an object",
    );
    // A response to a request that the server did not send.
    let response_value = service
        .say("reader", &json!({"jsonrpc": "2.0", "id": 1, "result": {}}))
        .await;
    refused(&response_value, 400, -32600, "bad-request", message);
    let twice =
        r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"Names","name":"One"}}"#;
    refused(
        &send_text(twice.into()).await,
        400,
        -32600,
        "bad-request",
        "'name' is given twice",
    );
    for params in [json!({}), json!({"name": 1})] {
        let call = json!({"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": params});
        let expected_message =
            "'params' is not what the method takes in this version of the protocol";
        wrong(
            &service.say("reader", &call).await,
            200,
            -32602,
            expected_message,
        );
    }
    let others = [
        "resources/list",
        "resources/templates/list",
        "prompts/list",
        "logging/setLevel",
    ];
    for method in others.into_iter().chain(["nothing/like/that", "tasks/get"]) {
        let params = json!({"level": "info"});
        let message = json!({"jsonrpc": "2.0", "id": 7, "method": method, "params": params});
        wrong(&service.say("reader", &message).await, 200, -32601, UNKNOWN);
    }
    let params = json!({"ref": {"type": "ref/prompt", "name": "a"}, "argument": {"name": "b", "value": "c"}});
    let complete =
        json!({"jsonrpc": "2.0", "id": 7, "method": "completion/complete", "params": params});
    wrong(
        &service.say("reader", &complete).await,
        200,
        -32601,
        UNKNOWN,
    );
    let metrics = send(service.request(Method::GET, "/metrics")).await.text;
    let counted = |status: u16, code: &str| {
        let labels = format!("{{code=\"{code}\",route=\"/mcp\",status=\"{status}\"}}");
        metrics
            .lines()
            .any(|line| line.starts_with("postern_requests_total") && line.contains(&labels))
    };
    assert!(
        counted(200, "bad-request") && counted(400, "bad-request") && !counted(400, ""),
        "{metrics}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn http_methods_and_media_types_follow_the_protocol() {
    let service = Service::start().await;
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
    for method in [Method::GET, Method::DELETE, Method::PUT, Method::HEAD] {
        let reply = send(by(service.request(method.clone(), "/mcp"), "reader")).await;
        assert_eq!(
            (reply.status, reply.header("allow")),
            (405, "POST, OPTIONS"),
            "{method}"
        );
        assert_eq!(reply.header("cache-control"), "no-store", "{method}");
    }
    let options = send(service.request(Method::OPTIONS, "/mcp")).await;
    assert_eq!(
        (options.status, options.header("allow")),
        (204, "POST, OPTIONS")
    );
    for media in [
        "text/plain",
        "application/x-www-form-urlencoded",
        "application/json; charset=latin1",
    ] {
        let request = service
            .request(Method::POST, "/mcp")
            .header("Content-Type", media)
            .body(ping.to_string());
        let expected_message = "the content type has to be 'application/json'";
        refused(
            &send(by(request, "reader")).await,
            415,
            -32600,
            "not-supported",
            expected_message,
        );
    }
    let version = by(service.post(&ping), "reader").header("MCP-Protocol-Version", "1999-01-01");
    let expected_message = "the header 'MCP-Protocol-Version' has to be one of '2024-11-05', \
                            '2025-03-26', '2025-06-18', '2025-11-25', \
                            '2026-07-28'";
    refused(
        &send(version).await,
        400,
        -32600,
        "bad-request",
        expected_message,
    );
    let elsewhere = send(by(
        service.request(Method::POST, "/mcp/").json(&ping),
        "reader",
    ))
    .await;
    assert_eq!(
        (elsewhere.status, elsewhere.json()["status"].as_str()),
        (404, Some("error"))
    );
    let without = Service::with("", &[]).await;
    let reply = send(by(without.post(&ping), "reader")).await;
    assert_eq!(
        (reply.status, reply.json()["message"].as_str()),
        (404, Some("no such path"))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn body_limit_applies_to_messages() {
    let service = Service::with(MAP, &[("body-limit", "1000")]).await;
    let too_large = "the body is larger than the limit of 1000 bytes";
    let large =
        json!({"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {"a": "x".repeat(1000)}});
    let reply = service.say("reader", &large).await;
    refused(&reply, 413, -32600, "limit-exceeded", too_large);
    let packed = |message: &Value| {
        let mut encoder = Encoder::new(ContentEncoding::Gzip, None).unwrap();
        encoder.write(message.to_string().as_bytes()).unwrap();
        let mut bytes = encoder.take();
        bytes.append(&mut encoder.finish().unwrap());
        let request = service
            .request(Method::POST, "/mcp")
            .header("Content-Type", "application/json");
        by(
            request.header("Content-Encoding", "gzip").body(bytes),
            "reader",
        )
    };
    let reply = send(packed(&large)).await;
    assert_eq!(
        (reply.status, &reply.json()["error"]["data"]["code"]),
        (413, &json!("limit-exceeded")),
        "{}",
        reply.text
    );
    let small = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
    assert_eq!(send(packed(&small)).await.json()["result"], json!({}));
}

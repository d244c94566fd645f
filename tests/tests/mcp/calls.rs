//! Tests the results of tools: they equal those of REST, and errors are reported.

use std::time::{Duration, Instant};

use futures_util::{FutureExt, StreamExt, stream};
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};
use tokio::sync::oneshot;

use super::service::{MAP, Service, by, call, failed, is, send, unknown};

#[tokio::test(flavor = "multi_thread")]
async fn tool_returns_what_its_endpoint_returns() {
    let service = Service::start().await;
    let calls = [
        ("Names", "names", json!({})),
        (
            "Names",
            "names?limit=1&from=1",
            json!({"limit": 1, "from": 1}),
        ),
        ("Thing", "things/1", json!({"id": 1})),
        (
            "Thing",
            "things/1?with=true",
            json!({"id": 1, "with": true}),
        ),
        ("One", "one?id=2", json!({"id": 2})),
        ("things_all", "things/all", json!({})),
        ("ByName", "by/7/named", json!({"name": "7"})),
        (
            "Search",
            "search?where={}&ids=1&ids=2&order={\"id\":\"desc\"}",
            json!({
                "where": {}, "ids": [1, 2], "order": [{"id": "desc"}],
            }),
        ),
        ("secrets", "secrets", json!({})),
        ("long", "long", json!({})),
    ];
    for role in ["admin", "reader", "owner", "visitor"] {
        let tools = service.tools(role).await;
        for (name, path, arguments) in &calls {
            let rest = send(by(
                service.request(Method::GET, &format!("/api/rest/{path}")),
                role,
            ))
            .await;
            let tool = service.call(role, name, arguments).await;
            match rest.status {
                403 => unknown(&tool, name),
                _ => {
                    assert_eq!(rest.status, 200, "{name}: {}", rest.text);
                    let single = match *name {
                        "One" => Some("things_by_pk"),
                        "things_all" => Some("all"),
                        "ByName" => Some("things"),
                        _ => None,
                    };
                    let data =
                        single.map_or_else(|| rest.json(), |field| json!({field: rest.json()}));
                    is(&tool, &data);
                    let described = tools
                        .iter()
                        .find(|described| described["name"] == *name)
                        .unwrap();
                    fits(&described["inputSchema"], arguments);
                    fits(&described["outputSchema"], &data);
                }
            }
        }
    }
    // Numbers keep the digits that the database returns.
    let whole = "query W($where: things_bool_exp!) { things(where: $where) { whole exact } }";
    let map = format!("[[endpoint]]\npath = \"w\"\nmethods = [\"GET\"]\nquery = \"{whole}\"\n");
    let service = Service::with(&map, &[]).await;
    let reply = service
        .call("reader", "W", &json!({"where": {"id": {"_eq": 1}}}))
        .await;
    assert!(
        reply.text.contains(
            r#""structuredContent":{"things":[{"whole":9007199254740993,"exact":1.50}]}"#
        ),
        "{}",
        reply.text
    );
}

/// Fails unless a value is valid by a tool's schema.
#[track_caller]
fn fits(schema: &Value, value: &Value) {
    let schema = jsonschema::draft202012::new(schema).unwrap();
    let faults: Vec<String> = schema
        .iter_errors(value)
        .map(|fault| fault.to_string())
        .collect();
    assert!(faults.is_empty(), "{faults:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn sql_endpoints_are_tools() {
    let map = r#"
[[endpoint]]
path = "of/:owner"
operation = "ThingsOf"
methods = ["GET"]
single = "rows"
sql = "SELECT id, whole, exact, day, body, keys FROM things WHERE owner_id = :owner AND id <= :most ORDER BY id"
optional = ["most"]
require = { table = "owners", parameter = "owner" }

[[endpoint]]
path = "a-report"
methods = ["GET"]
sql = "SELECT count(*) AS things FROM things WHERE :none::int IS NULL"
optional = ["none"]
"#;
    let service = Service::with(map, &[]).await;
    let tools = service.tools("reader").await;
    let names: Vec<&Value> = tools.iter().map(|tool| &tool["name"]).collect();
    assert_eq!(names, ["ThingsOf", "a_report"]);
    let of = |owner: &str| json!({"owner": owner, "most": 7});
    let ada = of("00000000-0000-0000-0000-00000000000a");
    let reply = service.call("reader", "ThingsOf", &ada).await;
    let data = reply.json()["result"]["structuredContent"].clone();
    assert_eq!(
        (
            &data["rows"][0]["id"],
            data["rows"].as_array().map(Vec::len)
        ),
        (&json!(1), Some(1)),
        "{}",
        reply.text
    );
    is(&reply, &data);
    fits(&tools[0]["inputSchema"], &ada);
    fits(&tools[0]["outputSchema"], &data);
    let bob = service
        .call(
            "owner",
            "ThingsOf",
            &of("00000000-0000-0000-0000-00000000000b"),
        )
        .await;
    // The owner does not see all of those columns, so the tool does not exist for that role.
    unknown(&bob, "ThingsOf");
    is(
        &service.call("owner", "a_report", &json!({})).await,
        &json!({"rows": [{"things": 1}]}),
    );
    let wrong = service
        .call("reader", "ThingsOf", &json!({"owner": "x' OR true --"}))
        .await;
    assert_eq!(wrong.json()["result"]["isError"], true, "{}", wrong.text);
    let missing = service
        .call("reader", "ThingsOf", &json!({"most": 1}))
        .await;
    failed(&missing, "bad-request", "the parameter 'owner' is missing");
}

#[tokio::test(flavor = "multi_thread")]
async fn tools_of_other_roles_are_unknown() {
    let service = Service::start().await;
    for (role, name) in [
        ("reader", "secrets"),
        ("visitor", "long"),
        ("reader", "Rename"),
        ("reader", "nothing"),
    ] {
        unknown(
            &service.call(role, name, &json!({"no": "such"})).await,
            name,
        );
    }
    let long = "x".repeat(5000);
    let reply = service.call("reader", &long, &json!({})).await;
    assert!(
        reply.status == 200 && reply.text.len() < 2300,
        "{}",
        reply.text.len()
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn arguments_are_validated_against_the_parameters() {
    let service = Service::start().await;
    let bad_request = "bad-request";
    let wrong_type = "constraint-violation";
    let ask = async |arguments: &Value| service.call("reader", "One", arguments).await;
    failed(
        &ask(&json!({})).await,
        bad_request,
        "the parameter 'id' is missing",
    );
    failed(
        &ask(&Value::Null).await,
        bad_request,
        "the parameter 'id' is missing",
    );
    failed(
        &ask(&json!({"id": 1, "other": 2})).await,
        bad_request,
        "unknown parameter 'other'",
    );
    for wrong in [
        json!("1"),
        json!(1.5),
        json!([1]),
        json!(99_999_999_999_u64),
    ] {
        let reply = ask(&json!({"id": wrong})).await;
        let result = &reply.json()["result"];
        assert_eq!(
            (&result["isError"], &result["_meta"]["code"]),
            (&json!(true), &json!(wrong_type)),
            "{}",
            reply.text
        );
        assert!(
            result["content"][0]["text"]
                .as_str()
                .is_some_and(|text| text.contains("'id'")),
            "{}",
            reply.text
        );
    }
    let null = "expecting a value for non-nullable variable: 'id'";
    failed(&ask(&json!({"id": null})).await, "validation-failed", null);
    let twice = r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"One","arguments":{"id":1,"id":2}}}"#;
    let request = service
        .request(Method::POST, "/mcp")
        .header("Content-Type", "application/json")
        .body(twice);
    failed(
        &send(by(request, "reader")).await,
        bad_request,
        "the parameter 'id' is given twice",
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn required_row_applies_to_tools() {
    let service = Service::start().await;
    let of = async |owner: &str| service.call("owner", "Of", &json!({"owner": owner})).await;
    is(
        &of("00000000-0000-0000-0000-00000000000a").await,
        &json!({"things": [{"id": 1}]}),
    );
    // Another owner, and one that does not exist.
    for owner in [
        "00000000-0000-0000-0000-00000000000b",
        "00000000-0000-0000-0000-00000000000c",
    ] {
        failed(
            &of(owner).await,
            "access-denied",
            "the required row is not visible",
        );
    }
    let missing = service.call("owner", "Beside", &json!({"id": 1})).await;
    failed(
        &missing,
        "bad-request",
        "the parameter 'ownerId' is missing",
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn mutations_write_and_support_dry_runs() {
    let service = Service::start().await;
    let renamed = |name: &str| json!({"update_things_by_pk": {"id": 1, "name": name}});
    let named = async || {
        service.call("owner", "Names", &json!({})).await.json()["result"]["structuredContent"]
            .clone()
    };
    let before = named().await;
    let rename = call("Rename", &json!({"id": 1, "name": "tried"}));
    let tried = send(by(service.post(&rename), "admin").header("X-Gateway-Dry-Run", "true")).await;
    is(&tried, &renamed("tried"));
    assert_eq!(tried.header("x-gateway-dry-run"), "true");
    let misspelled = by(service.post(&rename), "admin").header("X-Gateway-Dry_Run", "true");
    assert_eq!(send(misspelled).await.status, 400);
    assert_eq!(named().await, before);
    is(
        &service
            .call("owner", "Rename", &json!({"id": 1, "name": "done"}))
            .await,
        &renamed("done"),
    );
    assert_eq!(
        named().await,
        json!({"things": [{"id": 1, "name": "done"}]})
    );
    // Rows of other owners cannot be written.
    let other = service
        .call("owner", "Rename", &json!({"id": 2, "name": "x"}))
        .await;
    is(&other, &json!({"update_things_by_pk": null}));
}

#[tokio::test(flavor = "multi_thread")]
async fn database_errors_and_limits_are_reported_as_elsewhere() {
    let service = Service::start().await;
    let divided = service.call("reader", "flood", &json!({})).await;
    let rest = send(by(
        service
            .request(Method::POST, "/v1/graphql")
            .json(&json!({"query": "{ flood { ratio } }"})),
        "reader",
    ));
    let rest = rest.await.json();
    let expected = &rest["errors"][0];
    assert_eq!(expected["extensions"]["code"], "data-exception", "{rest}");
    failed(
        &divided,
        "data-exception",
        expected["message"].as_str().unwrap(),
    );

    let service = Service::with(MAP, &[("answer-limit", "100000"), ("time-limit", "1")]).await;
    let long = service.call("reader", "long", &json!({})).await;
    failed(
        &long,
        "limit-exceeded",
        "the answer is larger than the limit of 100000 bytes",
    );
    let slow = service.call("reader", "slow", &json!({})).await;
    failed(
        &slow,
        "limit-exceeded",
        "the request took longer than the limit of 1 seconds",
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn exceeded_limit_is_counted_once_by_rest_and_mcp() {
    // More than the gateway buffers, so the REST response has already begun.
    let service = Service::with(MAP, &[("answer-limit", "2000000")]).await;
    let counted = async || {
        let text = send(service.request(Method::GET, "/metrics")).await.text;
        let series = "postern_bounded_total{bound=\"answer\",mode=\"enforce\",role=\"reader\"} ";
        text.lines()
            .find_map(|line| line.strip_prefix(series))
            .map_or(0, |number| number.parse::<u64>().unwrap())
    };
    assert!(
        by(service.request(Method::GET, "/api/rest/long"), "reader")
            .send()
            .await
            .unwrap()
            .text()
            .await
            .is_err()
    );
    assert_eq!(counted().await, 1);
    let long = service.call("reader", "long", &json!({})).await;
    failed(
        &long,
        "limit-exceeded",
        "the answer is larger than the limit of 2000000 bytes",
    );
    assert_eq!(counted().await, 2);
}

/// A request whose body is not complete yet, and the sender that completes it.
fn paused_request(service: &Service, message: &Value) -> (RequestBuilder, oneshot::Sender<()>) {
    let text = message.to_string();
    let (begin, end) = text.split_at(text.len() / 2);
    let begin = begin.to_owned();
    let end = end.to_owned();
    let (go, gone) = oneshot::channel::<()>();
    let end = gone.map(|_| Ok::<_, std::io::Error>(end));
    let body = reqwest::Body::wrap_stream(stream::iter([Ok(begin)]).chain(stream::once(end)));
    (
        service
            .request(Method::POST, "/mcp")
            .header("Content-Type", "application/json")
            .body(body),
        go,
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn tool_is_looked_up_when_the_body_has_arrived() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("map.toml");
    let one = |name: &str| {
        format!(
            "[[endpoint]]\npath = \"a\"\nmethods = [\"GET\"]\nquery = \
                                    \"query {name} {{ things {{ id }} }}\"\n"
        )
    };
    std::fs::write(&path, one("First")).unwrap();
    let service = Service::with("", &[("rest-map", path.to_str().unwrap())]).await;
    let (request, go) = paused_request(&service, &call("First", &json!({})));
    let pending = tokio::spawn(send(by(request, "reader")));
    while service.gateway.app().metrics.in_flight.get() < 1 {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    std::fs::write(&path, one("Second")).unwrap();
    service.gateway.reload().await.unwrap();
    go.send(()).unwrap();
    unknown(&pending.await.unwrap(), "First");
}

#[tokio::test(flavor = "multi_thread")]
async fn tool_returns_the_cached_response() {
    let map = "[[endpoint]]\npath = \"kept\"\nmethods = [\"GET\"]\ncache_seconds = 600\nquery = \
               \"query Kept { things { name } }\"\n";
    let service = Service::with(map, &[]).await;
    let first = json!({"things": [{"name": "a/b + ü"}]});
    is(&service.call("owner", "Kept", &json!({})).await, &first);
    let client = service.database.connect().await.unwrap();
    client
        .batch_execute("UPDATE things SET name = 'other'")
        .await
        .unwrap();
    is(&service.call("owner", "Kept", &json!({})).await, &first);
    let rest = send(by(service.request(Method::GET, "/api/rest/kept"), "owner")).await;
    assert_eq!((rest.status, rest.json()), (200, first));
}

/// Waits until the expected number of statements sleeps.
async fn sleeping(service: &Service, expected: i64) {
    let client = service.database.connect().await.unwrap();
    let asleep = "SELECT count(*) FROM pg_stat_activity WHERE wait_event = 'PgSleep' AND datname \
                  = current_database()";
    let end = Instant::now() + Duration::from_secs(15);
    while client
        .query_one(asleep, &[])
        .await
        .unwrap()
        .get::<_, i64>(0)
        != expected
    {
        assert!(Instant::now() < end, "there are not {expected}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn disconnecting_client_cancels_the_statement() {
    let service = Service::start().await;
    // The statement would sleep for 20 seconds.
    let pending = tokio::spawn(by(service.post(&call("slow", &json!({}))), "reader").send());
    sleeping(&service, 1).await;
    pending.abort();
    sleeping(&service, 0).await;
}

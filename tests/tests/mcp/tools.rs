//! Tests the tools that each role is offered, and their descriptions.

use std::collections::BTreeSet;

use reqwest::Method;
use serde_json::{Value, json};

use super::service::{MAP, Service, by, send, unknown};

const ROLES: [&str; 5] = ["admin", "reader", "owner", "visitor", "nobody"];

fn names(tools: &[Value]) -> Vec<&str> {
    tools
        .iter()
        .filter_map(|tool| tool["name"].as_str())
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn roles_are_offered_their_endpoints_as_tools() {
    let service = Service::start().await;
    let mut seen = BTreeSet::new();
    for role in ROLES {
        let tools = service.tools(role).await;
        let names = names(&tools);
        assert!(names.is_sorted(), "{names:?}");
        let described = send(by(
            service.request(Method::GET, "/api/rest/openapi.json"),
            role,
        ))
        .await
        .json();
        let paths = described["paths"].as_object().unwrap();
        // An endpoint is one tool, whatever its number of methods: a call uses the first of them.
        let mut endpoints: Vec<&str> = vec![];
        for path in paths.values() {
            let mut known: Vec<Value> = vec![];
            for method in ["get", "post", "put", "patch", "delete"] {
                let operation = &path[method];
                let response = operation["responses"]["200"]["content"].clone();
                if operation.is_object() && !known.contains(&response) {
                    endpoints.push(operation["operationId"].as_str().unwrap());
                    known.push(response);
                }
            }
        }
        endpoints.sort_unstable();
        assert_eq!(names, endpoints, "{role}");
        seen.extend(names.into_iter().map(str::to_owned));
    }
    assert_eq!(service.tools("nobody").await, Vec::<Value>::new());
    let visitor = service.tools("visitor").await;
    let expected = [
        "Beside",
        "ByName",
        "Names",
        "One",
        "Rename",
        "RenameOf",
        "Search",
        "Thing",
        "schema",
        "things_all",
    ];
    assert_eq!(names(&visitor), expected);
    assert!(
        ["Of", "Resize", "flood", "long_two", "secrets"]
            .iter()
            .all(|name| seen.contains(*name)),
        "{seen:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn tools_describe_their_input_and_output() {
    let service = Service::start().await;
    let tools = service.tools("reader").await;
    let tool = |name: &str| {
        tools
            .iter()
            .find(|tool| tool["name"] == name)
            .unwrap_or_else(|| panic!("{name}"))
            .clone()
    };
    let thing = tool("Thing");
    let integer = json!({"type": "integer", "format": "int32"});
    assert_eq!(
        thing["inputSchema"],
        json!({
            "type": "object",
            "properties": {"id": integer, "with": {"type": "boolean", "default": false}},
            "required": ["id"],
            "additionalProperties": false,
        })
    );
    assert_eq!(
        thing["annotations"],
        json!({
            "readOnlyHint": true, "destructiveHint": false, "idempotentHint": true, "openWorldHint": false,
        })
    );
    assert_eq!(
        (&thing["description"], thing.get("title")),
        (&json!("The named query Thing"), None)
    );
    // Structured content has to be an object, so a single field keeps its name.
    let output = &tool("things_all")["outputSchema"];
    assert_eq!(
        (&output["type"], &output["required"]),
        (&json!("object"), &json!(["all"]))
    );
    assert_eq!(output["properties"]["all"]["type"], "array");
    let search = tool("Search");
    assert_eq!(
        search["inputSchema"]["properties"]["where"],
        json!({"$ref": "#/$defs/things_bool_exp"})
    );
    assert!(search["inputSchema"]["$defs"]["things_bool_exp"]["properties"]["name"].is_object());
    for tool in &tools {
        for schema in ["inputSchema", "outputSchema"] {
            assert_eq!(tool[schema]["type"], "object", "{tool}");
            jsonschema::draft202012::meta::validate(&tool[schema]).unwrap();
            jsonschema::draft202012::new(&tool[schema]).unwrap();
        }
    }
    let names = tools.iter().find(|tool| tool["name"] == "Names").unwrap();
    assert_eq!(
        names["inputSchema"]["properties"]["limit"]["description"],
        "How many at most"
    );
    let owner = service.tools("owner").await;
    let rename = owner.iter().find(|tool| tool["name"] == "Rename").unwrap();
    assert_eq!(
        rename["annotations"],
        json!({
            "readOnlyHint": false, "destructiveHint": true, "idempotentHint": false, "openWorldHint": false,
        })
    );
    // The key of the required row is a parameter in addition to the document's own variables.
    let rename = owner
        .iter()
        .find(|tool| tool["name"] == "RenameOf")
        .unwrap();
    assert_eq!(
        rename["inputSchema"]["required"],
        json!(["id", "name", "ownerId"])
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn map_excludes_endpoints_from_tools() {
    let map = format!(
        "{MAP}\n[[endpoint]]\npath = \"quiet\"\nmethods = [\"GET\"]\ntool = \
                       false\nquery = \"query Quiet {{ things {{ id }} }}\"\n\
                       [[endpoint]]\npath = \"loud\"\nmethods = [\"GET\"]\ntool = true\nsummary \
                       = \"Heard\"\nquery = \"query Loud {{ things {{ id }} }}\"\n"
    );
    let service = Service::with(&map, &[]).await;
    let tools = service.tools("reader").await;
    assert!(!names(&tools).contains(&"Quiet"));
    let loud = tools.iter().find(|tool| tool["name"] == "Loud").unwrap();
    assert_eq!(
        (&loud["title"], &loud["description"]),
        (&json!("Heard"), &json!("Heard"))
    );
    unknown(&service.call("reader", "Quiet", &json!({})).await, "Quiet");
    assert_eq!(
        send(by(
            service.request(Method::GET, "/api/rest/quiet"),
            "reader"
        ))
        .await
        .status,
        200
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn reload_changes_tools() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("map.toml");
    let write = |name: &str| {
        let map = format!(
            "[[endpoint]]\npath = \"a\"\nmethods = [\"GET\"]\nquery = \"query \
                           {name} {{ things {{ id }} }}\"\n"
        );
        std::fs::write(&path, map).unwrap();
    };
    write("First");
    let service = Service::with("", &[("rest-map", path.to_str().unwrap())]).await;
    assert_eq!(names(&service.tools("reader").await), ["First"]);
    write("Second");
    service.gateway.reload().await.unwrap();
    assert_eq!(names(&service.tools("reader").await), ["Second"]);
    unknown(&service.call("reader", "First", &json!({})).await, "First");
    std::fs::write(&path, "").unwrap();
    service.gateway.reload().await.unwrap();
    assert_eq!(
        service.call("reader", "Second", &json!({})).await.status,
        404
    );
}

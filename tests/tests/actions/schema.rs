//! Tests which actions and types a role's schema has.

use serde_json::{Value, json};

use super::service::Service;
use crate::http::elsewhere::{Answer, Elsewhere};

const TYPES: &str = "{ __schema { types { name } queryType { fields { name } } mutationType { \
                     fields { name } } } }";

fn names(value: &Value) -> Vec<&str> {
    value
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|value| value["name"].as_str())
        .collect()
}

#[tokio::test]
async fn role_without_an_action_cannot_tell_that_it_exists() {
    let handler = Elsewhere::start(Answer::ok(json!(null))).await;
    let service = Service::start(&handler).await;
    let reply = service.ask("visitor", TYPES).await.data();
    let schema = &reply["__schema"];
    assert_eq!(names(&schema["mutationType"]["fields"]), ["login"]);
    let types = names(&schema["types"]);
    for there in [
        "Token",
        "Credentials",
        "Key",
        "Mood",
        "timestamptz",
        "jsonb",
    ] {
        assert!(types.contains(&there), "{there}: {types:?}");
    }
    for absent in ["Line", "Day", "Page", "Person", "Greeting", "Sum", "slowly"] {
        assert!(!types.contains(&absent), "{absent}: {types:?}");
    }
    for (query, message) in [
        (
            "{ report(day: 1) { mood } }",
            "field 'report' not found in type: 'query_root'",
        ),
        (
            "{ reports(day: 1) { mood } }",
            "field 'reports' not found in type: 'query_root'",
        ),
        (
            "mutation { rename(author_id: 1) { id } }",
            "field 'rename' not found in type: 'mutation_root'",
        ),
    ] {
        assert_eq!(service.ask("visitor", query).await.error().message, message);
    }
    let unknown = |name: &str| format!("query ($x: {name}) {{ authors {{ name @skip(if: $x) }} }}");
    let hidden = service.ask("visitor", &unknown("Page")).await.text;
    let missing = service.ask("visitor", &unknown("Pagf")).await.text;
    assert_eq!(hidden.replace("Page", "?"), missing.replace("Pagf", "?"));
    let reply = service
        .ask("visitor", r#"{ __type(name: "Page") { name } }"#)
        .await;
    assert_eq!(reply.data(), json!({"__type": null}));
}

#[tokio::test]
async fn introspection_shows_the_declared_types() {
    let handler = Elsewhere::start(Answer::ok(json!(null))).await;
    let service = Service::start(&handler).await;
    let query = r#"{ t: __type(name: "Token") { description kind fields { name type { kind name ofType { name } } args { name } } }
        i: __type(name: "Credentials") { kind inputFields { name type { kind ofType { name } } } }
        e: __type(name: "Mood") { enumValues { name description } } s: __type(name: "Day") { kind } }"#;
    let data = service.ask("reader", query).await.data();
    assert_eq!(data["t"]["description"], "proof");
    let field = |name: &str| {
        let fields = data["t"]["fields"].as_array().unwrap();
        fields
            .iter()
            .find(|field| field["name"] == name)
            .cloned()
            .unwrap_or_default()
    };
    assert_eq!(
        field("token")["type"],
        json!({"kind": "NON_NULL", "name": null, "ofType": {"name": "String"}})
    );
    assert_eq!(field("author")["type"]["name"], "authors");
    assert_eq!(
        names(&field("articles")["args"]),
        [
            "after",
            "before",
            "distinct_on",
            "limit",
            "offset",
            "order_by",
            "where"
        ]
    );
    assert_eq!(data["i"]["kind"], "INPUT_OBJECT");
    assert_eq!(
        data["e"]["enumValues"][0],
        json!({"name": "SUN", "description": "bright"})
    );
    assert_eq!(data["s"]["kind"], "SCALAR");
    let types = service.ask("admin", TYPES).await.data();
    assert!(names(&types["__schema"]["queryType"]["fields"]).contains(&"slowly"));
}

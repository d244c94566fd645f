//! Tests Hasura's directive `@cached`: its place in the schema, the read cache that it uses, and
//! where it is refused.

use gateway::rest::{Documents, Source};
use reqwest::Method;
use tests::reply::ReplyError;
use tests::service::ADMIN_SECRET;

use super::*;

#[tokio::test]
async fn cached_directive_serves_the_read_cache() {
    let service = Service::start().await;
    let client = service.database.connect().await.unwrap();
    let query = |arguments: &str| {
        format!("query @cached{arguments} {{ author(where: {{id: {{_eq: 1}}}}) {{ name }} }}")
    };
    let name = async |text: &str, variables: Value| {
        let reply = service.ask(text, variables).await;
        reply.data()["author"][0]["name"]
            .as_str()
            .map(str::to_owned)
            .unwrap_or(reply.text)
    };
    assert_eq!(name(&query(""), json!({})).await, "Ada");
    client
        .batch_execute("UPDATE author SET name = 'Eve' WHERE id = 1")
        .await
        .unwrap();
    assert_eq!(name(&query(""), json!({})).await, "Ada");
    assert_eq!(name(&query("(ttl: 0)"), json!({})).await, "Eve");
    // The arguments of the directive are no part of what is cached, and a refreshed answer is the
    // one of all.
    assert_eq!(name(&query("(ttl: 30)"), json!({})).await, "Ada");
    assert_eq!(
        name(&query(" ( ttl: 300, refresh: true )"), json!({})).await,
        "Eve"
    );
    assert_eq!(name(&query(""), json!({})).await, "Eve");
    assert_eq!(name(&query("(ttl: 30)"), json!({})).await, "Eve");
    client
        .batch_execute("UPDATE author SET name = 'Gil' WHERE id = 1")
        .await
        .unwrap();
    assert_eq!(name(&query("(refresh: true)"), json!({})).await, "Gil");
    assert_eq!(name(&query("(ttl: 30)"), json!({})).await, "Gil");
    client
        .batch_execute("UPDATE author SET name = 'Eve' WHERE id = 1")
        .await
        .unwrap();
    let refreshed = "query($again: Boolean!) @cached(ttl: 120, refresh: $again) { author(where: \
                     {id: {_eq: 1}}) { name } }";
    // Nor are the variables of its arguments.
    assert_eq!(name(refreshed, json!({"again": false})).await, "Gil");
    assert_eq!(name(refreshed, json!({"again": true})).await, "Eve");
    assert_eq!(name(&query(""), json!({})).await, "Eve");
    for (query, message) in [
        ("query @cached(ttl: \"x\") { author { id } }", ""),
        ("query @cached(time: 1) { author { id } }", ""),
        ("query @cached @cached { author { id } }", ""),
        (
            "{ author @cached { id } }",
            "directive \"cached\" is not allowed on a field",
        ),
        (
            "mutation @cached { delete_author(where: {}) { affected_rows } }",
            "directive \"cached\" is not allowed on a mutation",
        ),
    ] {
        let ReplyError {
            status,
            code,
            message: found,
        } = service.ask(query, json!({})).await.error();
        assert_eq!(
            (status, code.as_str()),
            (200, VALIDATION),
            "{query}: {found}"
        );
        assert!(message.is_empty() || found == message, "{query}: {found}");
    }
}

#[tokio::test]
async fn every_role_sees_the_directive() {
    let service = Service::start().await;
    let document = "{ __schema { directives { ...D args { name } } directives { locations } } } \
        fragment D on __Directive { title: name isRepeatable description args { \
          defaultValue type { kind name ofType { __typename name kind } } } }";
    for role in ["admin", "user"] {
        let headers = [
            ("X-Hasura-Admin-Secret", ADMIN_SECRET),
            ("X-Hasura-Role", role),
        ];
        let data = service.send(&headers, document, json!({})).await.data();
        let directives = data["__schema"]["directives"].as_array().unwrap();
        let found = directives
            .iter()
            .find(|directive| directive["title"] == "cached");
        let argument = |name: &str, default: &str, of: &str| {
            let scalar = json!({"__typename": "__Type", "name": of, "kind": "SCALAR"});
            let r#type = json!({"kind": "NON_NULL", "name": null, "ofType": scalar});
            json!({"name": name, "defaultValue": default, "type": r#type})
        };
        let expected = json!({
            "title": "cached", "isRepeatable": false, "description": "how long the answer of \
                 this query is cached",
            "args": [argument("ttl", "60", "Int"), argument("refresh", "false", "Boolean")], "locations": ["QUERY"],
        });
        assert_eq!(found, Some(&expected), "{role}");
        assert!(
            directives
                .iter()
                .any(|directive| directive["title"] == "skip"
                    && directive["args"][0]["name"] == "if")
        );
    }
}

#[tokio::test]
async fn the_directive_is_in_the_sdl_of_the_dialect_alone() {
    let service = Service::start().await;
    let folder = tempfile::tempdir().unwrap();
    let permissions = folder.path().join("permissions.toml");
    std::fs::write(&permissions, include_str!("permissions.toml")).unwrap();
    let sdl = |profile: &str, role: &str| {
        let url = service.database.url();
        let permissions = permissions.to_str().unwrap();
        let arguments = [
            "schema",
            "--database-url",
            url,
            "--permissions",
            permissions,
            "--profile",
            profile,
            "--role",
            role,
        ];
        let finished = tests::binary::run(&arguments).unwrap();
        assert_eq!(finished.code, Some(0), "{}", finished.err);
        finished.out
    };
    for role in ["admin", "user"] {
        let found = sdl("hasura", role);
        assert!(
            async_graphql_parser::parse_schema(&found).is_ok(),
            "{found}"
        );
        let words: Vec<&str> = found.split_whitespace().collect();
        let text = words.join(" ");
        let (_, directive) = text.split_once("directive @cached(").unwrap();
        assert!(
            directive.contains("ttl: Int! = 60") && directive.contains("refresh: Boolean! = false"),
            "{directive}"
        );
        assert!(directive.ends_with(") on QUERY"), "{directive}");
    }
    assert!(!sdl("gateway", "admin").contains("@cached"));
}

const MAP: &str = r#"
[[endpoint]]
path = "author"
methods = ["GET"]
query = "query Author @cached(ttl: 120) { author_by_pk(id: 1) { name } }"

[[endpoint]]
path = "author/:ttl"
methods = ["GET"]
query = "query AuthorFor($ttl: Int, $again: Boolean! = false) @cached(ttl: $ttl, refresh: $again) { author_by_pk(id: 2) { name } }"
"#;

#[tokio::test]
async fn endpoints_may_have_the_directive() {
    let service = Service::with(|builder| {
        builder.rest_map(Source::new("map.toml", MAP, Documents::Given(&[])))
    })
    .await;
    let client = service.database.connect().await.unwrap();
    let get = async |path: &str| {
        let request = reqwest::Client::new().request(
            Method::GET,
            format!("{}/api/rest/{path}", service.gateway.url()),
        );
        let reply = Reply::of(request.header("X-Hasura-Admin-Secret", ADMIN_SECRET))
            .await
            .unwrap();
        assert_eq!(reply.status, 200, "{}", reply.text);
        reply.json()["author_by_pk"]["name"]
            .as_str()
            .map(str::to_owned)
    };
    assert_eq!(get("author").await.as_deref(), Some("Ada"));
    assert_eq!(get("author/60").await.as_deref(), Some("Bob"));
    client
        .batch_execute("UPDATE author SET name = 'new ' || id")
        .await
        .unwrap();
    assert_eq!(get("author").await.as_deref(), Some("Ada"));
    assert_eq!(get("author/60").await.as_deref(), Some("Bob"));
    assert_eq!(get("author/60?again=true").await.as_deref(), Some("new 2"));
}

#[tokio::test]
async fn subscriptions_refuse_the_directive() {
    let service = Service::start().await;
    let subscription = "subscription @cached { author { id } }";
    let request = service
        .post()
        .header("X-Hasura-Admin-Secret", ADMIN_SECRET)
        .header("Accept", "text/event-stream");
    let reply = Reply::of(request.json(&json!({"query": subscription})))
        .await
        .unwrap();
    assert!(
        reply
            .text
            .contains("directive \\\"cached\\\" is not allowed on a subscription"),
        "{}",
        reply.text
    );
}

//! A map that changes while it is served.

use gateway::app::StartError;
use gateway::config::Settings;
use reqwest::Method;
use serde_json::json;
use tests::reply::Reply;

use super::service::{Service, builder, is, refused, send};

#[tokio::test(flavor = "multi_thread")]
async fn a_reload_takes_the_map_and_its_documents_or_nothing() {
    let database = tests::create("rest", &[include_str!("service.sql")]).await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    std::fs::create_dir(folder.path().join("queries")).unwrap();
    let map = |path: &str| {
        format!("[[endpoint]]\npath = \"{path}\"\nmethods = [\"GET\"]\ndocument = \"queries/a.graphql\"\n")
    };
    write("map.toml", &map("first"));
    write("queries/a.graphql", "{ things(order_by: {id: asc}, limit: 1) { id } }");
    let path = folder.path().join("map.toml").to_string_lossy().into_owned();
    let running = builder(&database, Settings::default(), &[("rest-map", &path)]).start().await.unwrap();
    let service = Service { running, database, client: reqwest::Client::new() };
    is(&service.get("first").await, &json!({"things": [{"id": 1}]}));

    write("map.toml", &map("second"));
    write("queries/a.graphql", "{ things(order_by: {id: desc}, limit: 1) { id } }");
    is(&service.get("first").await, &json!({"things": [{"id": 1}]}));
    service.running.reload().await.unwrap();
    is(&service.get("second").await, &json!({"things": [{"id": 2}]}));
    refused(&service.get("first").await, 404, "no such path");

    write("queries/a.graphql", "{ nothing }");
    let fault = service.running.reload().await.unwrap_err();
    assert!(matches!(fault, StartError::RestMap { .. }), "{fault}");
    assert!(fault.to_string().contains("a.graphql:1:3"), "{fault}");
    is(&service.get("second").await, &json!({"things": [{"id": 2}]}));
    std::fs::remove_file(folder.path().join("map.toml")).unwrap();
    assert!(matches!(service.running.reload().await.unwrap_err(), StartError::Unreadable { .. }));
    is(&service.get("second").await, &json!({"things": [{"id": 2}]}));
    let head: Reply = send(service.by("reader", Method::HEAD, "second")).await;
    assert_eq!(head.status, 200);
}

//! Tests a map that changes while it is served.

use gateway::server::StartError;
use reqwest::Method;
use serde_json::json;
use tests::reply::Reply;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;

use super::service::{Service, from_files, is, send, token};

#[tokio::test(flavor = "multi_thread")]
async fn reload_applies_map_and_documents_together_or_not_at_all() {
    let database = tests::create("rest", &[include_str!("service.sql")])
        .await
        .unwrap();
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    std::fs::create_dir(folder.path().join("queries")).unwrap();
    let map = |path: &str| {
        format!(
            "[[endpoint]]\npath = \"{path}\"\nmethods = \
                                    [\"GET\"]\ndocument = \"queries/a.graphql\"\n"
        )
    };
    write("map.toml", &map("first"));
    write(
        "queries/a.graphql",
        "{ things(order_by: {id: asc}, limit: 1) { id } }",
    );
    let path = folder
        .path()
        .join("map.toml")
        .to_string_lossy()
        .into_owned();
    let running = from_files(&database, &[("rest-map", &path)])
        .start()
        .await
        .unwrap();
    let service = Service::from_parts(running, database);
    is(&service.get("first").await, &json!({"things": [{"id": 1}]}));

    write("map.toml", &map("second"));
    write(
        "queries/a.graphql",
        "{ things(order_by: {id: desc}, limit: 1) { id } }",
    );
    is(&service.get("first").await, &json!({"things": [{"id": 1}]}));
    service.gateway.reload().await.unwrap();
    is(
        &service.get("second").await,
        &json!({"things": [{"id": 2}]}),
    );
    service
        .get("first")
        .await
        .assert_envelope(404, "no such path");

    write("queries/a.graphql", "{ nothing }");
    let fault = service.gateway.reload().await.unwrap_err();
    assert!(matches!(fault, StartError::RestMap { .. }), "{fault}");
    assert!(fault.to_string().contains("a.graphql:1:3"), "{fault}");
    is(
        &service.get("second").await,
        &json!({"things": [{"id": 2}]}),
    );
    std::fs::remove_file(folder.path().join("map.toml")).unwrap();
    assert!(matches!(
        service.gateway.reload().await.unwrap_err(),
        StartError::Unreadable { .. }
    ));
    is(
        &service.get("second").await,
        &json!({"things": [{"id": 2}]}),
    );
    let head: Reply = send(service.by("reader", Method::HEAD, "second")).await;
    assert_eq!(head.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn form_sent_before_a_reload_is_authorized_by_the_new_map() {
    let database = tests::create("rest", &[include_str!("service.sql")])
        .await
        .unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("map.toml");
    let map = |query: &str| {
        format!("[[endpoint]]\npath = \"a\"\nmethods = [\"POST\"]\nquery = \"{query}\"\n")
    };
    std::fs::write(
        &path,
        map("query Read($id: Int!) { things_by_pk(id: $id) { id } }"),
    )
    .unwrap();
    let secret = r#"{"type":"HS256","key":"a key of thirty-two bytes, or more","header":{"type":"Cookie","name":"session"}}"#;
    let settings = [("rest-map", path.to_str().unwrap()), ("jwt-secret", secret)];
    let running = from_files(&database, &settings).start().await.unwrap();
    let service = Service::from_parts(running, database);
    let mut stream = BufReader::new(TcpStream::connect(service.gateway.address()).await.unwrap());
    let head = format!(
        "POST /api/rest/a HTTP/1.1\r\nHost: x\r\nConnection: close\r\nExpect: \
                        100-continue\r\nContent-Length: 4\r\n\
                        Content-Type: application/x-www-form-urlencoded\r\nCookie: \
                        session={}\r\n\r\n",
        token()
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    // The gateway sends this when it waits for the body, after it has looked at the head.
    let mut line = String::new();
    stream.read_line(&mut line).await.unwrap();
    assert_eq!(line, "HTTP/1.1 100 Continue\r\n");
    let write = "mutation Write($id: Int!) { update_things_by_pk(pk_columns: {id: $id}, _set: \
                 {name: \\\"taken\\\"}) { id } }";
    std::fs::write(&path, map(write)).unwrap();
    service.gateway.reload().await.unwrap();
    stream.write_all(b"id=1").await.unwrap();
    let mut reply = String::new();
    stream.read_to_string(&mut reply).await.unwrap();
    assert!(
        reply.contains("HTTP/1.1 401 ") && reply.contains("No authorization header provided"),
        "{reply}"
    );
    let client = service.database.connect().await.unwrap();
    let taken = client
        .query_one("SELECT count(*) FROM things WHERE name = 'taken'", &[])
        .await
        .unwrap();
    assert_eq!(taken.get::<_, i64>(0), 0);
}

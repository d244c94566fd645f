//! Tests persisted documents, by name and by digest, from a folder and from the manifests that
//! client tools generate.

use serde_json::{Value, json};
use tests::reply::Reply;

use super::place::{Place, Service, extension, refused, sha256};

const NAMES: &str = "query Names { authors(order_by: {id: asc}) { name } }\n";
const ONE: &str = "query One($id: Int!) { authors_by_pk(id: $id) { id name } }\n";

async fn folder() -> Place {
    let location = Place::with("[operations]\npersisted = \"documents\"\n").await;
    location.write("documents/names.graphql", NAMES);
    location.write("documents/deep/one.gql", ONE);
    location.write("documents/README.md", "not a document");
    location
}

#[track_caller]
fn unknown(reply: &Reply, id: &str) {
    refused(
        reply,
        200,
        "not-found",
        &format!("document '{id}' not found"),
    );
}

#[tokio::test]
async fn documents_are_found_by_name_and_digest() {
    let service = folder().await.start().await;
    let names = json!({"authors": [{"name": "Ada"}, {"name": "Bob"}]});
    let digest = sha256(NAMES);
    for id in [
        "names",
        "Names",
        digest.as_str(),
        &format!("sha256:{digest}"),
    ] {
        assert_eq!(
            service
                .post("reader", &json!({ "documentId": id }))
                .await
                .data(),
            names,
            "{id}"
        );
        assert_eq!(
            service
                .post("reader", &json!({"id": id, "query": null}))
                .await
                .data(),
            names,
            "{id}"
        );
        assert_eq!(
            service.get("reader", &[("documentId", id)]).await.data(),
            names,
            "{id}"
        );
    }
    let one = json!({"documentId": "deep/one", "variables": {"id": 2}});
    assert_eq!(
        service.post("reader", &one).await.data()["authors_by_pk"]["name"],
        "Bob"
    );
    // Apollo's clients can use the digest without sending the query first.
    assert_eq!(
        service
            .post("reader", &json!({"extensions": extension(NAMES)}))
            .await
            .data(),
        names
    );
    // Documents in requests still work, and so does an `id` of the client's own beside one.
    let own = json!({"query": "{ authors_by_pk(id: 1) { id } }", "id": 7});
    assert_eq!(
        service.post("reader", &own).await.data()["authors_by_pk"]["id"],
        1
    );
}

#[tokio::test]
async fn unknown_documents_are_reported() {
    let service = folder().await.start().await;
    for id in [
        "nothing",
        "names.graphql",
        "../documents/names",
        "",
        "sha256:",
        "sha256:00",
    ] {
        unknown(
            &service.post("reader", &json!({ "documentId": id })).await,
            id,
        );
    }
    let long = "x".repeat(100_000);
    assert!(
        service
            .post("reader", &json!({ "documentId": long }))
            .await
            .text
            .len()
            < 5_000
    );
    let both = json!({"query": NAMES, "documentId": "names"});
    let message = "'query' and 'documentId' are given, where only one of them can be";
    refused(
        &service.post("reader", &both).await,
        400,
        "bad-request",
        message,
    );
    let number = service.post("reader", &json!({"documentId": 1})).await;
    refused(
        &number,
        400,
        "bad-request",
        "'documentId' has to be a string",
    );
    refused(
        &service.post("reader", &json!({})).await,
        400,
        "bad-request",
        "the request has no 'query'",
    );
    // The strict media type returns a status for the error.
    let strict = reqwest::Client::new().post(format!("{}/v1/graphql", service.gateway.url()));
    let strict = strict
        .header("X-Gateway-Admin-Secret", "open sesame, and close")
        .header("X-Gateway-Role", "reader");
    let strict = strict
        .header("Accept", "application/graphql-response+json")
        .json(&json!({"documentId": "nothing"}));
    assert_eq!(Reply::of(strict).await.unwrap().status, 404);
}

/// Names can be guessed: a document that a role may not run does not exist for it.
#[tokio::test]
async fn documents_of_other_roles_are_not_found() {
    let service = folder().await.start().await;
    unknown(
        &service
            .post("visitor", &json!({"documentId": "deep/one"}))
            .await,
        "deep/one",
    );
    unknown(
        &service
            .post("nobody", &json!({"documentId": "names"}))
            .await,
        "names",
    );
    let reply = service
        .post("visitor", &json!({"extensions": extension(ONE)}))
        .await;
    refused(
        &reply,
        200,
        "PERSISTED_QUERY_NOT_FOUND",
        "PersistedQueryNotFound",
    );
    // A role that may run it gets the errors about its variables.
    let missing = service
        .post("reader", &json!({"documentId": "deep/one"}))
        .await;
    assert_eq!(
        missing.error().code,
        "validation-failed",
        "{}",
        missing.text
    );
    assert!(missing.error().message.contains("id"), "{}", missing.text);
}

#[tokio::test]
async fn document_ids_are_ignored_without_persisted_documents() {
    let service = Service::with("").await;
    let reply = service
        .post("reader", &json!({"documentId": "names"}))
        .await;
    refused(&reply, 400, "bad-request", "the request has no 'query'");
}

async fn with_manifest(manifest: &Value) -> Service {
    let location = Place::with("[operations]\npersisted = \"manifest.json\"\napq = false\n").await;
    location.write("manifest.json", &manifest.to_string());
    location.start().await
}

#[tokio::test]
async fn apollo_and_relay_manifests_are_loaded() {
    let apollo = json!({"format": "apollo-persisted-query-manifest", "version": 1, "operations": [
        {"id": sha256(NAMES), "name": "Names", "type": "query", "body": NAMES},
        {"id": "custom", "name": "One", "type": "query", "body": ONE},
    ]});
    let service = with_manifest(&apollo).await;
    let names = json!({"authors": [{"name": "Ada"}, {"name": "Bob"}]});
    assert_eq!(
        service
            .post("reader", &json!({"extensions": extension(NAMES)}))
            .await
            .data(),
        names
    );
    assert_eq!(
        service
            .post("reader", &json!({"documentId": "Names"}))
            .await
            .data(),
        names
    );
    let custom = json!({"variables": {"id": 1}, "extensions": {"persistedQuery": {"version": 1, "sha256Hash": "custom"}}});
    assert_eq!(
        service.post("reader", &custom).await.data()["authors_by_pk"]["name"],
        "Ada"
    );
    // Other documents are not stored.
    let other = "{ authors { id } }";
    let both = json!({"query": other, "extensions": extension(other)});
    assert_eq!(service.post("reader", &both).await.status, 200);
    let reply = service
        .post("reader", &json!({"extensions": extension(other)}))
        .await;
    refused(
        &reply,
        200,
        "PERSISTED_QUERY_NOT_FOUND",
        "PersistedQueryNotFound",
    );

    // Relay's compiler identifies documents by their MD5.
    let relay = json!({"a4b2e0a4bd2a6bbbcdd9ef5c8a1fbd3b": NAMES});
    let service = with_manifest(&relay).await;
    assert_eq!(
        service
            .post("reader", &json!({"id": "a4b2e0a4bd2a6bbbcdd9ef5c8a1fbd3b"}))
            .await
            .data(),
        names
    );
    assert_eq!(
        service
            .post("reader", &json!({ "documentId": sha256(NAMES) }))
            .await
            .data(),
        names
    );
}

#[tokio::test]
async fn all_document_errors_are_reported_at_once() {
    let location = folder().await;
    location.write("documents/broken.graphql", "query {");
    location.write("documents/unused.graphql", "{ a } fragment F on a { b }");
    location.write("documents/twin.graphql", "query Names { authors { id } }");
    let error = location.try_start().await.unwrap_err().to_string();
    for part in [
        "gateway.toml: `operations`: ",
        "broken.graphql: ",
        "line 1",
        "unused.graphql: it has a fragment",
        "`Names` stands for ",
    ] {
        assert!(error.contains(part), "{part}: {error}");
    }
    location.configure("[operations]\npersisted = \"nowhere\"\n");
    let error = location.try_start().await.unwrap_err().to_string();
    assert!(
        error.contains("cannot read") && error.contains("nowhere"),
        "{error}"
    );
    for manifest in [
        "[]",
        "{\"a\": 1}",
        "{\"operations\": [], \"format\": \"other\", \"version\": 1}",
    ] {
        location.configure("[operations]\npersisted = \"m.json\"\n");
        location.write("m.json", manifest);
        let error = location.try_start().await.unwrap_err().to_string();
        assert!(error.contains("m.json: "), "{error}");
    }
    location.configure("[operations]\npersistent = \"m.json\"\n");
    let error = location.try_start().await.unwrap_err().to_string();
    assert!(
        error.contains("gateway.toml: line 6: unknown field `persistent`"),
        "{error}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn documents_are_reloaded() {
    let service = folder().await.start().await;
    unknown(
        &service.post("reader", &json!({"documentId": "new"})).await,
        "new",
    );
    service
        .place
        .write("documents/new.graphql", "{ authors_by_pk(id: 1) { id } }");
    service.gateway.reload().await.unwrap();
    assert_eq!(
        service
            .post("reader", &json!({"documentId": "new"}))
            .await
            .data()["authors_by_pk"]["id"],
        1
    );
    service.place.write("documents/new.graphql", "{");
    assert!(service.gateway.reload().await.is_err());
    assert_eq!(
        service
            .post("reader", &json!({"documentId": "new"}))
            .await
            .data()["authors_by_pk"]["id"],
        1
    );
}

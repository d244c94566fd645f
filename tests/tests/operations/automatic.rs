//! Tests automatic persisted queries as Apollo's clients use them: the digest first, then digest
//! and query, then the digest again.

use serde_json::json;
use tests::reply::Reply;
use tests::reply::ReplyError;

use super::place::{Service, extension, refused, sha256};

const QUERY: &str =
    "query Names($id: Int) { authors(where: {id: {_eq: $id}}) { name __typename } }";

#[track_caller]
fn not_found(reply: &Reply) {
    refused(
        reply,
        200,
        "PERSISTED_QUERY_NOT_FOUND",
        "PersistedQueryNotFound",
    );
    assert_eq!(
        reply.header("cache-control"),
        "no-store",
        "an answer that will be another"
    );
}

#[tokio::test]
async fn digest_suffices_after_its_query_was_sent() {
    let service = Service::with("").await;
    let ada = json!({"authors": [{"name": "Ada", "__typename": "authors"}]});
    let digest =
        json!({"operationName": "Names", "variables": {"id": 1}, "extensions": extension(QUERY)});
    not_found(&service.post("reader", &digest).await);
    let mut both = digest.clone();
    both["query"] = QUERY.into();
    assert_eq!(service.post("reader", &both).await.data(), ada);
    assert_eq!(service.post("reader", &digest).await.data(), ada);
    let bob = json!({"variables": {"id": 2}, "extensions": extension(QUERY), "query": null});
    assert_eq!(
        service.post("reader", &bob).await.data()["authors"][0]["name"],
        "Bob"
    );
    // Each request of a batch is looked up separately.
    let unknown = json!({"extensions": extension("{ authors { id } }")});
    let batch = service
        .post("reader", &json!([digest, unknown, bob]))
        .await
        .json();
    assert_eq!(batch[0]["data"], ada);
    assert_eq!(batch[1]["errors"][0]["message"], "PersistedQueryNotFound");
    assert_eq!(batch[2]["data"]["authors"][0]["name"], "Bob");
}

#[tokio::test]
async fn digests_are_accepted_by_get() {
    let service = Service::with("").await;
    let query = "{ authors(order_by: {id: asc}) { id } }";
    let extensions = extension(query).to_string();
    not_found(&service.get("reader", &[("extensions", &extensions)]).await);
    let all = json!({"authors": [{"id": 1}, {"id": 2}]});
    assert_eq!(
        service
            .get("reader", &[("query", query), ("extensions", &extensions)])
            .await
            .data(),
        all
    );
    assert_eq!(
        service
            .get("reader", &[("extensions", &extensions)])
            .await
            .data(),
        all
    );
    // A mutation that was sent by POST cannot be run by GET.
    let mutation =
        "mutation { insert_articles_one(object: {id: 9, author_id: 1, title: \"x\"}) { id } }";
    let both = json!({"query": mutation, "extensions": extension(mutation)});
    assert_eq!(
        service.post("reader", &both).await.data()["insert_articles_one"]["id"],
        9
    );
    let reply = service
        .get(
            "reader",
            &[("extensions", &extension(mutation).to_string())],
        )
        .await;
    refused(
        &reply,
        405,
        "method-not-allowed",
        "only a query can be sent by GET",
    );
}

#[tokio::test]
async fn documents_are_stored_per_role() {
    let service = Service::with("").await;
    let query = "{ authors { name } }";
    let both = json!({"query": query, "extensions": extension(query)});
    let digest = json!({"extensions": extension(query)});
    assert_eq!(service.post("reader", &both).await.status, 200);
    assert!(!service.post("reader", &digest).await.data().is_null());
    not_found(&service.post("visitor", &digest).await);
    not_found(&service.post("nobody", &digest).await);
    assert!(!service.post("visitor", &both).await.data().is_null());
    assert!(!service.post("visitor", &digest).await.data().is_null());
}

#[tokio::test]
async fn only_documents_valid_for_the_role_are_stored() {
    let service = Service::with("").await;
    let query = "{ authors { id } }";
    let both = json!({"query": query, "extensions": extension(query)});
    let ReplyError { code, .. } = service.post("visitor", &both).await.error();
    assert_eq!(code, "validation-failed");
    not_found(
        &service
            .post("visitor", &json!({"extensions": extension(query)}))
            .await,
    );
    let broken = "{ authors {";
    let reply = service
        .post(
            "reader",
            &json!({"query": broken, "extensions": extension(broken)}),
        )
        .await;
    assert_eq!(reply.error().code, "parse-failed");
    not_found(
        &service
            .post("reader", &json!({"extensions": extension(broken)}))
            .await,
    );
}

#[tokio::test]
async fn digest_must_match_the_query() {
    let service = Service::with("").await;
    let query = "{ authors { id } }";
    let other = "{ authors { name } }";
    let wrong = json!({"query": query, "extensions": extension(other)});
    refused(
        &service.post("reader", &wrong).await,
        400,
        "bad-request",
        "provided sha does not match query",
    );
    not_found(
        &service
            .post("reader", &json!({"extensions": extension(other)}))
            .await,
    );
    let message = "'extensions.persistedQuery' has to be {\"version\": 1, \"sha256Hash\": \"…\"}";
    for persisted in [
        json!({}),
        json!({"version": 2, "sha256Hash": sha256(query)}),
        json!({"version": 1}),
        json!("x"),
    ] {
        for query in [json!(query), json!(null)] {
            let body = json!({"query": query, "extensions": {"persistedQuery": persisted}});
            refused(
                &service.post("reader", &body).await,
                400,
                "bad-request",
                message,
            );
        }
    }
    let reply = service
        .post("reader", &json!({"extensions": {"persistedQuery": null}}))
        .await;
    refused(&reply, 400, "bad-request", "the request has no 'query'");
    // A digest in another format is not found.
    let odd = json!({"extensions": {"persistedQuery": {"version": 1, "sha256Hash": "d0ge"}}});
    not_found(&service.post("reader", &odd).await);
    let upper = sha256(query).to_uppercase();
    let upper = json!({"query": query, "extensions": {"persistedQuery": {"version": 1, "sha256Hash": upper}}});
    assert_eq!(service.post("reader", &upper).await.status, 200);
    assert_eq!(
        service
            .post("reader", &json!({"extensions": extension(query)}))
            .await
            .status,
        200
    );
}

#[tokio::test]
async fn stored_documents_are_limited_in_size() {
    let service = Service::with("[operations]\napq_bytes = 20000\n").await;
    let query = |n: usize| format!("{{ a{n}: authors {{ id }} # {}\n}}", "x".repeat(4000));
    for n in 0..40 {
        let both = json!({"query": query(n), "extensions": extension(&query(n))});
        assert_eq!(service.post("reader", &both).await.status, 200);
    }
    let mut found = 0;
    for n in 0..40 {
        let reply = service
            .post("reader", &json!({"extensions": extension(&query(n))}))
            .await;
        found += usize::from(!reply.data().is_null());
    }
    assert!(found <= 5, "{found} documents of 4000 bytes within 20000");
}

#[tokio::test]
async fn disabled_apq_is_reported_to_clients() {
    let query = "{ authors { id } }";
    let both = json!({"query": query, "extensions": extension(query)});
    let digest = json!({"extensions": extension(query)});
    let service = Service::with("[operations]\napq = false\n").await;
    assert_eq!(service.post("reader", &both).await.status, 200);
    let reply = service.post("reader", &digest).await;
    refused(
        &reply,
        200,
        "PERSISTED_QUERY_NOT_SUPPORTED",
        "PersistedQueryNotSupported",
    );
    let service = Service::with("profile = \"hasura\"\nheader_prefix = \"X-Gateway-\"\n").await;
    let message = "Automatic Persisted Queries is not enabled";
    refused(
        &service.post("reader", &both).await,
        200,
        "not-supported",
        message,
    );
    refused(
        &service.post("reader", &digest).await,
        200,
        "not-supported",
        message,
    );
    let service = Service::with(
        "profile = \"hasura\"\nheader_prefix = \"X-Gateway-\"\n[operations]\napq = true\n",
    )
    .await;
    not_found(&service.post("reader", &digest).await);
    assert_eq!(service.post("reader", &both).await.status, 200);
    assert_eq!(
        service.post("reader", &digest).await.data()["authors"][0]["id"],
        1
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn stored_documents_survive_a_reload_and_are_revalidated() {
    let service = Service::with("").await;
    let name = "{ authors { name } }";
    let id = "{ authors { id } }";
    for query in [name, id] {
        let both = json!({"query": query, "extensions": extension(query)});
        assert_eq!(service.post("reader", &both).await.status, 200);
    }
    let narrow = "[naming]\nconvention = \"snake\"\n[table.authors.role.reader]\n\
                  select = { columns = [\"id\"], rows = \"true\" }\n";
    service.place.write("permissions.toml", narrow);
    service.gateway.reload().await.unwrap();
    assert!(
        !service
            .post("reader", &json!({"extensions": extension(id)}))
            .await
            .data()
            .is_null()
    );
    not_found(
        &service
            .post("reader", &json!({"extensions": extension(name)}))
            .await,
    );
}

//! Tests the caching of endpoints' responses by clients and caches, and by the gateway itself.

use reqwest::{Method, RequestBuilder};
use serde_json::json;
use tests::service::ADMIN_SECRET;
use tests::wait::until;
use tokio_postgres::NoTls;

use super::service::{Service, faults, send, source, token};

const MAP: &str = r#"
[[endpoint]]
path = "mine"
methods = ["GET", "POST"]
cache_control = "private, max-age=60"
query = "query Mine { things(order_by: {id: asc}) { id name } }"

[[endpoint]]
path = "plain"
methods = ["GET"]
single = "things"
query = "query Plain($id: Int) { things(where: {id: {_eq: $id}}) { id name } }"

[[endpoint]]
path = "kept"
methods = ["GET", "POST"]
cache_seconds = 600
query = "query Kept { things(order_by: {id: asc}) { id name } }"

[[endpoint]]
path = "rename"
methods = ["GET", "POST"]
query = "mutation Rename($id: Int!, $name: String!) { update_things_by_pk(pk_columns: {id: $id}, _set: {name: $name}) { id } }"
"#;

/// Another owner than the token's.
const BOB: &str = "00000000-0000-0000-0000-00000000000b";

fn by_token(service: &Service, method: Method, path: &str) -> RequestBuilder {
    service.ask(method, path).bearer_auth(token())
}

async fn rename(service: &Service, name: &str) {
    let (client, connection) = tokio_postgres::connect(service.database.url(), NoTls)
        .await
        .unwrap();
    tokio::spawn(connection);
    client
        .execute("UPDATE things SET name = $1", &[&name])
        .await
        .unwrap();
}

#[tokio::test]
async fn reads_have_an_etag_that_changes_with_the_response() {
    let service = Service::with(MAP, &[]).await;
    let get = |path: &str, tag: &str| {
        send(by_token(&service, Method::GET, path).header("If-None-Match", tag))
    };
    for (path, control) in [
        ("mine", "private, max-age=60"),
        ("plain?id=1", "private, no-cache"),
    ] {
        rename(&service, "one").await;
        let first = get(path, "\"x\"").await;
        let tag = first.header("etag").to_owned();
        assert_eq!(
            (first.status, first.header("cache-control")),
            (200, control)
        );
        assert_eq!(
            first.header("vary"),
            "authorization, x-gateway-role, x-gateway-admin-secret"
        );
        let same = get(path, &tag).await;
        assert_eq!(
            (same.status, same.text.as_str(), same.header("etag")),
            (304, "", tag.as_str())
        );
        assert_eq!(same.header("cache-control"), control);
        let head = send(by_token(&service, Method::HEAD, path).header("If-None-Match", &tag)).await;
        assert_eq!((head.status, head.header("etag")), (304, tag.as_str()));
        rename(&service, "two").await;
        let second = get(path, &tag).await;
        assert_eq!(second.status, 200);
        assert!(
            second.text.contains("two") && second.header("etag") != tag,
            "{}",
            second.text
        );
    }
}

#[tokio::test]
async fn writes_errors_and_admin_reads_are_not_cacheable() {
    let service = Service::with(MAP, &[]).await;
    let posted = send(by_token(&service, Method::POST, "mine").json(&json!({}))).await;
    assert_eq!(
        (
            posted.status,
            posted.header("etag"),
            posted.header("cache-control")
        ),
        (200, "", "no-store")
    );
    let written = send(by_token(&service, Method::GET, "rename?id=1&name=x")).await;
    assert_eq!(
        (
            written.status,
            written.header("etag"),
            written.header("cache-control")
        ),
        (200, "", "no-store")
    );
    let trusted = service.get("mine").await;
    assert_eq!(
        (trusted.status, trusted.header("cache-control")),
        (200, "no-store")
    );
    let wrong =
        send(by_token(&service, Method::GET, "plain?id=x").header("If-None-Match", "*")).await;
    assert_eq!(
        (
            wrong.status,
            wrong.header("etag"),
            wrong.header("cache-control")
        ),
        (400, "", "no-store")
    );
    let nobody = send(
        service
            .ask(Method::GET, "mine")
            .header("If-None-Match", "*"),
    )
    .await;
    nobody.assert_envelope(401, "No authorization header provided");
}

#[tokio::test]
async fn gateway_caches_responses_per_session_values() {
    let service = Service::with(MAP, &[]).await;
    let of = |owner: &'static str, method: Method| {
        let request = service
            .ask(method, "kept")
            .header("X-Gateway-Admin-Secret", ADMIN_SECRET);
        send(
            request
                .header("X-Gateway-Role", "owner")
                .header("X-Gateway-Owner-Id", owner),
        )
    };
    rename(&service, "one").await;
    let first = send(by_token(&service, Method::GET, "kept")).await;
    assert_eq!(first.json(), json!({"things": [{"id": 1, "name": "one"}]}));
    rename(&service, "two").await;
    let again = send(by_token(&service, Method::POST, "kept").json(&json!({}))).await;
    assert_eq!(again.text, first.text);
    assert_eq!(
        of(BOB, Method::GET).await.json(),
        json!({"things": [{"id": 2, "name": "two"}]})
    );
    assert_eq!(of(super::service::ADA, Method::GET).await.text, first.text);
    let visitor =
        send(by_token(&service, Method::GET, "kept").header("X-Gateway-Role", "visitor")).await;
    assert_eq!(
        visitor.json(),
        json!({"things": [{"id": 1, "name": "two"}, {"id": 2, "name": "two"}]})
    );
}

#[tokio::test]
async fn invalid_cache_settings_are_faults() {
    let read = |line: &str| {
        format!(
            "[[endpoint]]\npath = \"a\"\nmethods = \
                                     [\"GET\"]\n{line}\nquery = \"{{ things {{ id }} }}\"\n"
        )
    };
    let cases = [
        (
            "cache_control = \"max_age=60\"",
            "`cache_control`: `max_age` is not a directive of responses",
        ),
        ("cache_control = 60", "`cache_control` must be a string"),
        (
            "cache_seconds = 0",
            "`cache_seconds` must be a number of seconds from 1 to 86400",
        ),
        (
            "cache_seconds = 90000",
            "`cache_seconds` must be a number of seconds from 1 to 86400",
        ),
        (
            "cache_seconds = \"1\"",
            "`cache_seconds` must be a number of seconds from 1 to 86400",
        ),
    ];
    for (line, message) in cases {
        let drawn = faults(source(&read(line))).await;
        assert!(drawn.contains(message), "{drawn}");
    }
    let drawing = read("cache_seconds = 1").replace("{ things { id } }", "{ things { id } draw }");
    let drawn = faults(source(&drawing)).await;
    assert!(
        drawn.contains("`cache_seconds`: the endpoint calls a volatile function"),
        "{drawn}"
    );
    let written = MAP.replacen(
        "path = \"rename\"",
        "path = \"rename\"\ncache_seconds = 1",
        1,
    );
    let drawn = faults(source(&written)).await;
    assert!(
        drawn.contains("`cache_seconds` is for endpoints that read, and this one writes"),
        "{drawn}"
    );
}

#[tokio::test]
async fn public_answer_to_anonymous_readers_is_revalidated() {
    let map = "[[endpoint]]\npath = \"names\"\nmethods = [\"GET\"]\nroles = \
               [\"visitor\"]\ncache_seconds = 1\n\
               cache_control = \"public, s-maxage=1, stale-while-revalidate=5\"\n\
               query = \"query Names { things(order_by: {id: asc}) { name } }\"\n";
    let service = Service::with(map, &[("unauthorized-role", "visitor")]).await;
    let get = |tag: &str| {
        send(
            service
                .ask(Method::GET, "names")
                .header("If-None-Match", tag),
        )
    };
    let first = get("\"x\"").await;
    assert_eq!(
        (first.status, first.header("cache-control")),
        (200, "public, s-maxage=1, stale-while-revalidate=5")
    );
    let tag = first.header("etag").to_owned();
    assert_eq!(get(&tag).await.status, 304);
    rename(&service, "new").await;
    until("the cached answer has expired", async || {
        get(&tag).await.status == 200
    })
    .await;
}

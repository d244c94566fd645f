//! Tests authentication: tokens, secrets, roles, cookies, and origins.

use reqwest::{Method, RequestBuilder};
use serde_json::json;
use tests::service::JWT_KEY;

use super::service::{MAP, Service, by, call, is, refused, send, token, unknown};

const NOBODY: &str = "No authorization header provided";
const DENIED: &str = "User does not have required role permissions";

#[tokio::test(flavor = "multi_thread")]
async fn callers_are_authenticated_as_on_other_endpoints() {
    let service = Service::start().await;
    let names = call("Names", &json!({}));
    let own = json!({"things": [{"id": 1, "name": "a/b + ü"}]});
    is(&send(service.post(&names).bearer_auth(token())).await, &own);
    let visitor = send(
        service
            .post(&names)
            .bearer_auth(token())
            .header("X-Gateway-Role", "visitor"),
    )
    .await;
    is(
        &visitor,
        &json!({"things": [{"id": 1, "name": "a/b + ü"}, {"id": 2, "name": "7"}]}),
    );
    let nobody = send(service.post(&names)).await;
    refused(&nobody, 401, -32600, "access-denied", NOBODY);
    assert_eq!(nobody.header("www-authenticate"), "Bearer");
    let broken = send(service.post(&names).bearer_auth("x")).await;
    refused(
        &broken,
        401,
        -32600,
        "access-denied",
        "Could not verify JWT: malformed token",
    );
    let wrong = send(
        service
            .post(&names)
            .header("X-Gateway-Admin-Secret", "wrong"),
    )
    .await;
    refused(&wrong, 401, -32600, "access-denied", "invalid admin secret");
    let reader = send(
        service
            .post(&names)
            .bearer_auth(token())
            .header("X-Gateway-Role", "reader"),
    )
    .await;
    refused(&reader, 403, -32600, "access-denied", DENIED);
    // The caller is authenticated before the body is parsed.
    let garbage = service
        .request(Method::POST, "/mcp")
        .header("Content-Type", "application/json")
        .body("{");
    refused(&send(garbage).await, 401, -32600, "access-denied", NOBODY);
    // Beside a token, session values in headers are ignored.
    let spoofed = service.post(&names).bearer_auth(token());
    is(
        &send(spoofed.header("X-Gateway-Owner-Id", "00000000-0000-0000-0000-00000000000b")).await,
        &own,
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn callers_without_a_token_get_the_unauthorized_role() {
    let service = Service::with(MAP, &[("unauthorized-role", "visitor")]).await;
    assert_eq!(
        send(service.post(&call("Names", &json!({})))).await.status,
        200
    );
    unknown(&send(service.post(&call("long", &json!({})))).await, "long");
    let strict = Service::with(MAP, &[("require-role-header", "true")]).await;
    let without = send(strict.post(&call("Names", &json!({}))).bearer_auth(token())).await;
    refused(&without, 403, -32600, "access-denied", DENIED);
}

#[tokio::test(flavor = "multi_thread")]
async fn cookies_authenticate_reads_but_not_writes() {
    let secret =
        json!({"type": "HS256", "key": JWT_KEY, "header": {"type": "Cookie", "name": "session"}})
            .to_string();
    let service = Service::with(MAP, &[("jwt-secret", &secret)]).await;
    let with_cookie =
        |request: RequestBuilder| request.header("Cookie", format!("session={}", token()));
    let names = call("Names", &json!({}));
    is(
        &send(with_cookie(service.post(&names))).await,
        &json!({"things": [{"id": 1, "name": "a/b + ü"}]}),
    );
    let rename = call("Rename", &json!({"id": 1, "name": "x"}));
    refused(
        &send(with_cookie(service.post(&rename))).await,
        401,
        -32600,
        "access-denied",
        NOBODY,
    );
    let trusted = by(service.post(&rename), "owner").header("Cookie", "other=1");
    is(
        &send(trusted).await,
        &json!({"update_things_by_pk": {"id": 1, "name": "x"}}),
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_from_foreign_origins_are_refused() {
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
    let from = |service: &Service, origin: &str| {
        by(service.post(&ping), "reader").header("Origin", origin.to_owned())
    };
    let closed = Service::start().await;
    let message = "requests from this origin are not allowed";
    for origin in [
        "http://evil.example",
        "null",
        "http://localhost:1",
        "https://a.example",
    ] {
        refused(
            &send(from(&closed, origin)).await,
            403,
            -32600,
            "access-denied",
            message,
        );
    }
    // A matching `Host` proves nothing: an attacker can point their domain at this address (DNS
    // rebinding).
    let rebound = from(&closed, "http://rebound.example").header("Host", "rebound.example");
    refused(&send(rebound).await, 403, -32600, "access-denied", message);
    assert_eq!(send(from(&closed, &closed.gateway.url())).await.status, 200);
    let listed = Service::with(MAP, &[("cors-origins", "https://a.example")]).await;
    let reply = send(from(&listed, "https://a.example")).await;
    assert_eq!(
        (reply.status, reply.header("access-control-allow-origin")),
        (200, "https://a.example")
    );
    refused(
        &send(from(&listed, "https://b.example")).await,
        403,
        -32600,
        "access-denied",
        message,
    );
    let preflight = listed
        .request(Method::OPTIONS, "/mcp")
        .header("Origin", "https://a.example");
    let preflight = preflight.header("Access-Control-Request-Method", "POST");
    let reply = send(preflight.header(
        "Access-Control-Request-Headers",
        "authorization,mcp-protocol-version",
    ))
    .await;
    assert_eq!(
        reply.header("access-control-allow-methods"),
        "POST, OPTIONS"
    );
    assert_eq!(
        reply.header("access-control-allow-headers"),
        "authorization,mcp-protocol-version"
    );
    let any = Service::with(MAP, &[("cors-origins", "*")]).await;
    assert_eq!(send(from(&any, "https://c.example")).await.status, 200);
}

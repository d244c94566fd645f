//! Who may call: tokens, secrets, roles, cookies, and pages of other places.

use reqwest::{Method, RequestBuilder};
use serde_json::json;

use super::service::{KEY, MAP, Service, by, call, is, refused, send, token, unknown};

const NOBODY: &str = "No authorization header provided";
const DENIED: &str = "User does not have required role permissions";

#[tokio::test(flavor = "multi_thread")]
async fn callers_are_who_they_are_everywhere() {
    let service = Service::start().await;
    let names = call("Names", &json!({}));
    let own = json!({"things": [{"id": 1, "name": "a/b + ü"}]});
    is(&send(service.post(&names).bearer_auth(token())).await, &own);
    let visitor = send(service.post(&names).bearer_auth(token()).header("X-Gateway-Role", "visitor")).await;
    is(&visitor, &json!({"things": [{"id": 1, "name": "a/b + ü"}, {"id": 2, "name": "7"}]}));
    let nobody = send(service.post(&names)).await;
    refused(&nobody, 401, -32600, "access-denied", NOBODY);
    assert_eq!(nobody.header("www-authenticate"), "Bearer");
    let broken = send(service.post(&names).bearer_auth("x")).await;
    refused(&broken, 401, -32600, "access-denied", "Could not verify JWT: malformed token");
    let wrong = send(service.post(&names).header("X-Gateway-Admin-Secret", "wrong")).await;
    refused(&wrong, 401, -32600, "access-denied", "invalid admin secret");
    let reader = send(service.post(&names).bearer_auth(token()).header("X-Gateway-Role", "reader")).await;
    refused(&reader, 403, -32600, "access-denied", DENIED);
    // The gateway says who is asking before it looks at what was sent.
    let garbage = service.ask(Method::POST, "/mcp").header("Content-Type", "application/json").body("{");
    refused(&send(garbage).await, 401, -32600, "access-denied", NOBODY);
    // Session values come from the token alone.
    let spoofed = service.post(&names).bearer_auth(token());
    is(&send(spoofed.header("X-Gateway-Owner-Id", "00000000-0000-0000-0000-00000000000b")).await, &own);
}

#[tokio::test(flavor = "multi_thread")]
async fn callers_without_a_token_have_the_role_for_them() {
    let service = Service::with(MAP, &[("unauthorized-role", "visitor")]).await;
    assert_eq!(send(service.post(&call("Names", &json!({})))).await.status, 200);
    unknown(&send(service.post(&call("long", &json!({})))).await, "long");
    let strict = Service::with(MAP, &[("require-role-header", "true")]).await;
    let without = send(strict.post(&call("Names", &json!({}))).bearer_auth(token())).await;
    refused(&without, 403, -32600, "access-denied", DENIED);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cookie_reads_and_does_not_write() {
    let secret = json!({"type": "HS256", "key": KEY, "header": {"type": "Cookie", "name": "session"}}).to_string();
    let service = Service::with(MAP, &[("jwt-secret", &secret)]).await;
    let with_cookie = |request: RequestBuilder| request.header("Cookie", format!("session={}", token()));
    let names = call("Names", &json!({}));
    is(&send(with_cookie(service.post(&names))).await, &json!({"things": [{"id": 1, "name": "a/b + ü"}]}));
    let rename = call("Rename", &json!({"id": 1, "name": "x"}));
    refused(&send(with_cookie(service.post(&rename))).await, 401, -32600, "access-denied", NOBODY);
    let trusted = by(service.post(&rename), "owner").header("Cookie", "other=1");
    is(&send(trusted).await, &json!({"update_things_by_pk": {"id": 1, "name": "x"}}));
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_of_other_places_may_not_call() {
    let ping = json!({"jsonrpc": "2.0", "id": 1, "method": "ping"});
    let from = |service: &Service, origin: &str| by(service.post(&ping), "reader").header("Origin", origin.to_owned());
    let closed = Service::start().await;
    let told = "requests from this origin are not allowed";
    for origin in ["http://evil.example", "null", "http://localhost:1", "https://a.example"] {
        refused(&send(from(&closed, origin)).await, 403, -32600, "access-denied", told);
    }
    // The name of the host is no proof: whoever owns a name can have it point here.
    let rebound = from(&closed, "http://rebound.example").header("Host", "rebound.example");
    refused(&send(rebound).await, 403, -32600, "access-denied", told);
    assert_eq!(send(from(&closed, &closed.running.url())).await.status, 200);
    let listed = Service::with(MAP, &[("cors-origins", "https://a.example")]).await;
    let reply = send(from(&listed, "https://a.example")).await;
    assert_eq!((reply.status, reply.header("access-control-allow-origin")), (200, "https://a.example"));
    refused(&send(from(&listed, "https://b.example")).await, 403, -32600, "access-denied", told);
    let preflight = listed.ask(Method::OPTIONS, "/mcp").header("Origin", "https://a.example");
    let preflight = preflight.header("Access-Control-Request-Method", "POST");
    let reply = send(preflight.header("Access-Control-Request-Headers", "authorization,mcp-protocol-version")).await;
    assert_eq!(reply.header("access-control-allow-methods"), "POST, OPTIONS");
    assert_eq!(reply.header("access-control-allow-headers"), "authorization,mcp-protocol-version");
    let any = Service::with(MAP, &[("cors-origins", "*")]).await;
    assert_eq!(send(from(&any, "https://c.example")).await.status, 200);
}

//! Tests methods: those that a path has, and the errors for others.

use reqwest::Method;
use serde_json::json;

use super::service::{Service, is, send};

#[tokio::test(flavor = "multi_thread")]
async fn path_accepts_the_methods_of_its_endpoints() {
    let service = Service::start().await;
    for method in [Method::GET, Method::POST, Method::PUT, Method::DELETE] {
        is(
            &send(service.by("reader", method, "things/1")).await,
            &json!({"things_by_pk": {"id": 1}}),
        );
    }
    for (method, path, allow) in [
        (
            Method::PATCH,
            "things/1",
            "GET, POST, PUT, DELETE, HEAD, OPTIONS",
        ),
        (Method::POST, "things/all", "GET, HEAD, OPTIONS"),
        (Method::GET, "resize", "PATCH, OPTIONS"),
        // A mutation by HEAD would return nothing about its effect.
        (Method::HEAD, "rename", "GET, POST, PUT, OPTIONS"),
        (Method::TRACE, "one", "GET, POST, HEAD, OPTIONS"),
    ] {
        let reply = send(service.by("reader", method.clone(), path)).await;
        assert_eq!(
            (reply.status, reply.header("allow")),
            (405, allow),
            "{method} {path}: {}",
            reply.text
        );
        if method != Method::HEAD {
            reply.assert_envelope(405, &format!("this path takes {allow} only"));
        }
    }
    for method in [Method::GET, Method::POST, Method::OPTIONS, Method::DELETE] {
        send(service.ask(method, "nothing"))
            .await
            .assert_envelope(404, "no such path");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn head_is_get_without_the_body() {
    let service = Service::start().await;
    let get = service.get("one?id=1").await;
    let head = send(service.by("reader", Method::HEAD, "one?id=1")).await;
    assert_eq!((head.status, head.text.as_str()), (200, ""));
    assert_eq!(head.header("content-type"), get.header("content-type"));
    assert_eq!(head.header("content-length"), get.text.len().to_string());
    assert_eq!(
        send(service.by("reader", Method::HEAD, "one")).await.status,
        400
    );
    assert_eq!(
        send(service.ask(Method::HEAD, "one?id=1")).await.status,
        401
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn options_lists_the_methods_without_authentication() {
    let service = Service::with(
        super::service::MAP,
        &[("cors-origins", "https://app.example")],
    )
    .await;
    let options = send(service.ask(Method::OPTIONS, "rename")).await;
    assert_eq!(
        (options.status, options.header("allow")),
        (204, "GET, POST, PUT, OPTIONS")
    );
    let preflight = service
        .ask(Method::OPTIONS, "things/7")
        .header("Origin", "https://app.example");
    let preflight = preflight.header("Access-Control-Request-Method", "DELETE");
    let preflight = send(preflight.header("Access-Control-Request-Headers", "authorization")).await;
    assert_eq!(preflight.status, 204);
    assert!(
        preflight
            .header("access-control-allow-methods")
            .contains("DELETE"),
        "{:?}",
        preflight.headers
    );
    assert_eq!(
        preflight.header("access-control-allow-origin"),
        "https://app.example"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn gateway_without_a_map_has_no_endpoints() {
    let service = Service::with("", &[]).await;
    service
        .get("names")
        .await
        .assert_envelope(404, "no such path");
}

//! Tests responses: media types and statuses, methods, paths, CORS, request ids, and the endpoints
//! for operators.

use reqwest::Method;
use serde_json::json;
use tests::service::ADMIN_SECRET;

use super::service::{Service, send};

const STRICT: &str = "application/graphql-response+json";

#[tokio::test]
async fn accept_header_selects_the_media_type() {
    let service = Service::start().await;
    let body = json!({"query": "{ authors { id } }"});
    let ask = |accept: &'static str| send(service.reader().header("Accept", accept).json(&body));
    let json = "application/json; charset=utf-8";
    let strict = "application/graphql-response+json; charset=utf-8";
    let cases = [
        ("*/*", json),
        ("application/json", json),
        ("application/*;q=0.5", json),
        (STRICT, strict),
        (
            "application/graphql-response+json; charset=utf-8, application/json",
            strict,
        ),
        (
            "application/json;q=0.9, application/graphql-response+json",
            strict,
        ),
        (
            "application/graphql-response+json;q=0.5, application/json",
            json,
        ),
        ("text/html, */*;q=0.1", json),
    ];
    for (accept, media) in cases {
        let reply = ask(accept).await;
        assert_eq!(
            (reply.status, reply.header("content-type")),
            (200, media),
            "{accept}"
        );
    }
    for accept in ["text/html", "application/xml", "application/json;q=0"] {
        let reply = ask(accept).await;
        assert_eq!(
            (reply.status, reply.error().code.as_str()),
            (406, "not-supported"),
            "{accept}"
        );
    }
}

#[tokio::test]
async fn error_status_depends_on_the_media_type() {
    let service = Service::start().await;
    let cases = [
        ("{ nothing }", 200, 400, "validation-failed"),
        ("{ authors { nothing } }", 200, 400, "validation-failed"),
        (
            "query ($id: Int!) { authors_by_pk(id: $id) { id } }",
            200,
            400,
            "validation-failed",
        ),
        ("{", 200, 400, "parse-failed"),
        ("", 200, 400, "parse-failed"),
        (
            r#"{ articles(where: {key: {_eq: "x"}}) { id } }"#,
            200,
            400,
            "constraint-violation",
        ),
        (
            r#"{ authors_by_pk(id: "x") { id } }"#,
            200,
            400,
            "constraint-violation",
        ),
        ("{ ratios { ratio } }", 200, 400, "data-exception"),
        ("subscription { authors { id } }", 200, 400, "not-supported"),
    ];
    for (query, lenient, strict, code) in cases {
        for (reply, status) in [
            (service.ask(query).await, lenient),
            (service.ask_strictly(query).await, strict),
        ] {
            assert_eq!(
                (reply.status, reply.error().code.as_str()),
                (status, code),
                "{query}: {}",
                reply.text
            );
            assert!(reply.is_sound_error(), "{query}: {}", reply.text);
            assert_eq!(
                reply.json()["errors"][0]["extensions"]["path"]
                    .as_str()
                    .map(|path| &path[..1]),
                Some("$")
            );
        }
    }
    let reply = service
        .ask("{\n  authors { id }\n  articles { nothing }\n}")
        .await;
    reply.assert_error(
        200,
        "validation-failed",
        "field 'nothing' not found in type: 'articles'",
    );
    assert_eq!(
        reply.json()["errors"][0]["locations"],
        json!([{"line": 3, "column": 14}])
    );
    service.is_well().await;
}

#[tokio::test]
async fn data_errors_reveal_nothing_about_the_database() {
    let service = Service::start().await;
    let reply = service.ask("{ ratios { ratio } }").await;
    reply.assert_error(200, "data-exception", "division by zero");
    for word in ["SELECT", "pg_", "line", "src/", "SQLSTATE"] {
        assert!(!reply.text.contains(word), "{}", reply.text);
    }
}

#[tokio::test]
async fn hidden_and_missing_fields_get_identical_errors() {
    let service = Service::start().await;
    let ask = |query: &str| {
        let body = json!({"query": query});
        send(
            service
                .post()
                .header("X-Gateway-Admin-Secret", ADMIN_SECRET)
                .header("X-Gateway-Role", "visitor")
                .json(&body),
        )
    };
    let hidden = ask("{ articles { id } }").await;
    hidden.assert_error(
        200,
        "validation-failed",
        "field 'articles' not found in type: 'query_root'",
    );
    let missing = ask("{ articlez { id } }").await;
    assert_eq!(hidden.text.replace("articles", "articlez"), missing.text);
    let hidden = ask("{ authors { born } }").await;
    hidden.assert_error(
        200,
        "validation-failed",
        "field 'born' not found in type: 'authors'",
    );
    let none = send(service.reader().header("X-Gateway-Role", "x")).await;
    assert_eq!(none.status, 415);
}

#[tokio::test]
async fn unknown_paths_return_404() {
    let service = Service::start().await;
    for path in [
        "/",
        "/v1",
        "/v1/graphql/",
        "/v1/graphql/x",
        "//v1/graphql",
        "/v1/Graphql",
        "/v2/graphql",
        "/%00",
        "/..",
    ] {
        let reply = send(service.get(path)).await;
        assert_eq!(reply.status, 404, "{path}");
        let is_of_graphql = matches!(path, "/" | "/v1" | "/v1/graphql/" | "/v2/graphql");
        let message = match (path, is_of_graphql) {
            ("/" | "/..", _) => {
                "no such path: GraphQL is at /v1/graphql, REST endpoints are below /api/rest/"
            }
            (_, true) => "no such path: GraphQL is at /v1/graphql",
            (_, false) => "no such path",
        };
        assert_eq!(
            reply.json(),
            json!({"status": "error", "message": message, "data": null}),
            "{path}"
        );
    }
}

#[tokio::test]
async fn unsupported_methods_return_405_with_allow() {
    let service = Service::start().await;
    for method in [
        Method::PATCH,
        Method::TRACE,
        Method::from_bytes(b"BREW").unwrap(),
    ] {
        let request = service
            .client
            .request(method.clone(), service.url("/v1/graphql"));
        let reply = send(request).await;
        assert_eq!(
            (reply.status, reply.error().code.as_str()),
            (405, "method-not-allowed"),
            "{method}"
        );
        assert_eq!(
            reply.header("allow"),
            "GET, POST, PUT, DELETE, HEAD, OPTIONS"
        );
    }
    let reply = send(service.client.post(service.url("/healthz"))).await;
    assert_eq!(
        (reply.status, reply.header("allow")),
        (405, "GET, HEAD, OPTIONS")
    );
}

#[tokio::test]
async fn configured_origins_pass_cors() {
    let service =
        Service::with(&[("cors-origins", "https://app.example,https://other.example")]).await;
    let preflight = |origin: &'static str| {
        let request = service
            .client
            .request(Method::OPTIONS, service.url("/v1/graphql"))
            .header("Origin", origin);
        send(
            request
                .header("Access-Control-Request-Method", "POST")
                .header(
                    "Access-Control-Request-Headers",
                    "authorization,x-gateway-role",
                ),
        )
    };
    let reply = preflight("https://app.example").await;
    assert!(
        reply.status == 200 || reply.status == 204,
        "{}",
        reply.status
    );
    assert_eq!(
        reply.header("access-control-allow-origin"),
        "https://app.example"
    );
    assert!(
        reply
            .header("access-control-allow-methods")
            .contains("POST")
    );
    assert_eq!(
        reply.header("access-control-allow-headers"),
        "authorization,x-gateway-role"
    );
    assert!(reply.header("vary").to_ascii_lowercase().contains("origin"));
    for origin in [
        "https://evil.example",
        "https://app.example.evil",
        "http://app.example",
        "null",
    ] {
        assert_eq!(
            preflight(origin)
                .await
                .header("access-control-allow-origin"),
            "",
            "{origin}"
        );
    }
    let body = json!({"query": "{ authors { id } }"});
    let reply = send(
        service
            .reader()
            .header("Origin", "https://other.example")
            .json(&body),
    )
    .await;
    assert_eq!(
        reply.header("access-control-allow-origin"),
        "https://other.example"
    );
    let refused = send(
        service
            .post()
            .header("Origin", "https://other.example")
            .json(&body),
    )
    .await;
    assert_eq!(
        (
            refused.status,
            refused.header("access-control-allow-origin")
        ),
        (401, "https://other.example")
    );
}

#[tokio::test]
async fn cors_is_refused_without_configured_origins() {
    let service = Service::start().await;
    let request = service
        .client
        .request(Method::OPTIONS, service.url("/v1/graphql"));
    let reply = send(
        request
            .header("Origin", "https://a")
            .header("Access-Control-Request-Method", "POST"),
    )
    .await;
    assert_eq!(reply.header("access-control-allow-origin"), "");
    assert_eq!(
        reply.header("allow"),
        "GET, POST, PUT, DELETE, HEAD, OPTIONS"
    );
}

#[tokio::test]
async fn health_readiness_and_version_are_served() {
    let service = Service::start().await;
    let health = send(service.get("/healthz")).await;
    assert_eq!(
        (health.status, health.json()),
        (200, json!({"status": "ok"}))
    );
    let head = send(service.client.head(service.url("/healthz"))).await;
    assert_eq!((head.status, head.text.as_str()), (200, ""));
    assert_eq!(head.header("content-length"), health.text.len().to_string());
    assert_eq!(send(service.get("/readyz")).await.status, 200);
    let version = send(service.get("/v1/version")).await;
    assert_eq!(
        version.json(),
        json!({"version": env!("CARGO_PKG_VERSION")})
    );
}

#[tokio::test]
async fn requests_have_an_id() {
    let service = Service::start().await;
    let id = async |given: &'static str| {
        let get = service.get("/healthz").header("X-Request-Id", given);
        send(get).await.header("x-request-id").to_owned()
    };
    assert_eq!(id("trace-1:a.b_C").await, "trace-1:a.b_C");
    for unsound in ["a b", "", "a\"b", "<script>"] {
        assert_eq!(id(unsound).await.len(), 36, "{unsound}");
    }
    let refused = send(service.post().header("X-Request-Id", "mine")).await;
    assert_eq!(refused.header("x-request-id"), "mine");
    let none = send(service.get("/nowhere")).await;
    assert_eq!(none.header("x-request-id").len(), 36);
}

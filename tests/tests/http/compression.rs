//! Tests compression: responses in the encodings that the client accepts, compressed request
//! bodies, and the entity tags of compressed and plain responses.

use std::io::Read;
use std::sync::Arc;

use bytes::Bytes;
use gateway::http::content_encoding::{ContentEncoding, Encoder};
use gateway::http::route::{Handler, HandlerFuture, PluginHandler, Route, RouteClass};
use gateway::http::{ErrorFormat, HttpExchange, caching};
use gateway::plugin::Plugin;
use reqwest::{Method, Response};
use serde_json::{Value, json};
use tests::service::ADMIN_SECRET;

use super::service::{PERMISSIONS, SCHEMA, Service, send};

const FEW: &str = "{ flood(limit: 1) { id } }";
const MANY: &str = "{ flood(limit: 200) { id text } }";
/// More than the gateway buffers.
const STREAMED: &str = "{ flood(limit: 30000) { id text } }";
/// Computing the last row fails.
const BROKEN: &str = "{ flood { id text ratio } }";

async fn fetch(service: &Service, query: &str, accepted: &str) -> Response {
    let request = service.reader().json(&json!({"query": query}));
    request
        .header("Accept-Encoding", accepted)
        .send()
        .await
        .unwrap()
}

fn header<'a>(response: &'a Response, name: &str) -> &'a str {
    response
        .headers()
        .get(name)
        .map_or("", |value| value.to_str().unwrap())
}

fn inflated(coding: ContentEncoding, bytes: &[u8]) -> String {
    let mut text = String::new();
    coding
        .reader(bytes)
        .unwrap()
        .read_to_string(&mut text)
        .unwrap();
    text
}

fn packed(coding: ContentEncoding, bytes: &[u8]) -> Vec<u8> {
    let mut encoder = Encoder::new(coding, None).unwrap();
    encoder.write(bytes).unwrap();
    let mut packed = encoder.take();
    packed.append(&mut encoder.finish().unwrap());
    packed
}

#[tokio::test]
async fn responses_use_the_accepted_encoding() {
    let service = Service::start().await;
    for query in [MANY, STREAMED] {
        let plain = service.ask(query).await;
        assert_eq!(
            (plain.header("content-encoding"), plain.header("vary")),
            ("", "Accept-Encoding")
        );
        for coding in ContentEncoding::ALL {
            let response = fetch(&service, query, coding.name()).await;
            assert_eq!(header(&response, "content-encoding"), coding.name());
            assert_eq!(header(&response, "vary"), "Accept-Encoding");
            assert_eq!(
                header(&response, "content-type"),
                "application/json; charset=utf-8"
            );
            let length = response.content_length();
            let bytes = response.bytes().await.unwrap();
            assert!(bytes.len() < plain.text.len() / 4, "{}", bytes.len());
            assert!(length.is_none_or(|length| length == bytes.len() as u64));
            assert!(inflated(coding, &bytes) == plain.text, "{coding:?}");
        }
    }
    let cases = [
        ("gzip, deflate, br", "br"),
        ("gzip;q=1, br;q=0.1", "gzip"),
        ("gzip;q=0", ""),
        ("identity", ""),
    ];
    for (accepted, coding) in cases {
        assert_eq!(
            header(&fetch(&service, MANY, accepted).await, "content-encoding"),
            coding,
            "{accepted}"
        );
    }
}

#[tokio::test]
async fn short_responses_are_not_compressed() {
    let service = Service::start().await;
    let response = fetch(&service, FEW, "gzip, br, zstd").await;
    assert_eq!(
        (
            header(&response, "content-encoding"),
            header(&response, "vary")
        ),
        ("", "")
    );
    assert_eq!(
        response.json::<Value>().await.unwrap()["data"]["flood"],
        json!([{"id": 1}])
    );
}

#[tokio::test]
async fn compression_can_be_disabled() {
    let service = Service::with(&[("compression", "false")]).await;
    let response = fetch(&service, MANY, "gzip, br, zstd").await;
    assert_eq!(
        (
            header(&response, "content-encoding"),
            header(&response, "vary")
        ),
        ("", "")
    );
    assert!(response.json::<Value>().await.unwrap()["data"].is_object());
}

#[tokio::test]
async fn aborted_compressed_response_is_an_error() {
    let service = Service::start().await;
    for coding in ContentEncoding::ALL {
        let response = fetch(&service, BROKEN, coding.name()).await;
        assert_eq!(
            (
                response.status().as_u16(),
                header(&response, "content-encoding")
            ),
            (200, coding.name())
        );
        assert!(response.bytes().await.is_err(), "{coding:?}");
    }
    service.is_well().await;
}

#[tokio::test]
async fn compressed_bodies_are_accepted() {
    let service = Service::start().await;
    let body = json!({"query": "query ($id: Int!) { authors_by_pk(id: $id) { name } }", "variables": {"id": 1}});
    let ask = |coding: &'static str, bytes: Vec<u8>| {
        let request = service
            .reader()
            .header("Content-Type", "application/json")
            .header("Content-Encoding", coding);
        send(request.body(bytes))
    };
    for coding in ContentEncoding::ALL {
        let reply = ask(coding.name(), packed(coding, body.to_string().as_bytes())).await;
        assert_eq!(
            reply.data(),
            json!({"authors_by_pk": {"name": "Ada"}}),
            "{}",
            reply.text
        );
    }
    assert_eq!(
        ask("identity", body.to_string().into_bytes()).await.status,
        200
    );
    for unknown in ["deflate", "compress", "gzip, gzip", "x"] {
        let reply = ask(unknown, body.to_string().into_bytes()).await;
        reply.assert_error(
            415,
            "not-supported",
            "the content encoding has to be one of 'gzip', 'br' and 'zstd'",
        );
        assert_eq!(reply.header("accept-encoding"), "gzip, br, zstd");
    }
    service.is_well().await;
}

#[tokio::test]
async fn inflated_bodies_are_limited() {
    let service = Service::start().await;
    let ask = |coding: ContentEncoding, bytes: Vec<u8>| {
        let request = service.reader().header("Content-Type", "application/json");
        send(
            request
                .header("Content-Encoding", coding.name())
                .body(bytes),
        )
    };
    for coding in ContentEncoding::ALL {
        let large = ask(coding, packed(coding, &vec![b'x'; 64 << 20])).await;
        large.assert_error(
            413,
            "limit-exceeded",
            match coding {
                // Gzip compresses this body to some 64 KiB; a hundred times that exceeds the limit
                // on bodies, which is reached first.
                ContentEncoding::Gzip => "the body is larger than the limit of 2097152 bytes",
                _ => "the body inflates to more than the limit of 100 times its length",
            },
        );
        let steep = ask(coding, packed(coding, &vec![b' '; 1 << 20])).await;
        steep.assert_error(
            413,
            "limit-exceeded",
            "the body inflates to more than the limit of 100 times its length",
        );
        let broken = ask(coding, b"{\"query\":\"{ authors { id } }\"}".to_vec()).await;
        broken.assert_error(
            400,
            "bad-request",
            "the body is not compressed as its header 'Content-Encoding' says",
        );
    }
    service.is_well().await;
}

/// A plugin that serves two fixed paths: a cacheable read, and a sign-in whose response may contain
/// a token.
#[derive(Debug)]
struct Reads;

const READ: &str = "/read";
const SIGN_IN: &str = "/sign-in";

impl Plugin for Reads {
    fn name(&self) -> &'static str {
        "reads"
    }

    fn routes(self: Arc<Self>) -> Vec<Route> {
        let route = |path: &'static str, route_class: RouteClass| {
            let methods = &[Method::GET] as &[Method];
            let face = ErrorFormat::Rest;
            let door = Handler::Plugin(self.clone());
            Route {
                path,
                methods,
                error_format: face,
                class: route_class,
                handler: door,
            }
        };
        vec![
            route(READ, RouteClass::Requests),
            route(SIGN_IN, RouteClass::Authentication),
        ]
    }
}

impl PluginHandler for Reads {
    fn respond<'a>(&'a self, exchange: &'a mut HttpExchange) -> HandlerFuture<'a> {
        Box::pin(async move {
            let state = exchange.app.state();
            let session = state.authenticator.session(&exchange.headers).await?;
            let bytes = json!({"role": session.role(), "long": "x".repeat(3000)}).to_string();
            let mut response = caching::read(&exchange.headers, Bytes::from(bytes));
            let control = caching::CacheControl::parse("private, max-age=60").unwrap();
            caching::set_cache_control(
                response.headers_mut(),
                &control,
                &session,
                &state.authenticator,
            );
            Ok(response)
        })
    }
}

async fn reading() -> (gateway::server::GatewayHandle, tests::TestDatabase) {
    let database = tests::create("reads", &[SCHEMA]).await.unwrap();
    let settings = [
        ("admin-secret", ADMIN_SECRET),
        ("unauthorized-role", "visitor"),
        ("listen", "127.0.0.1:0"),
    ];
    let builder = settings
        .iter()
        .fold(tests::gateway(), |builder, (name, value)| {
            builder.setting(name, value)
        });
    let builder = builder
        .database_url(database.url())
        .permissions_text("service.toml", PERMISSIONS);
    (
        builder.plugin(Arc::new(Reads)).start().await.unwrap(),
        database,
    )
}

#[tokio::test]
async fn if_none_match_is_answered_per_encoding() {
    let (running, _database) = reading().await;
    let client = reqwest::Client::new();
    let get = |accepted: &'static str, tag: &str| {
        let request = client.get(format!("{}{READ}", running.url()));
        request
            .header("Accept-Encoding", accepted)
            .header("If-None-Match", tag)
            .send()
    };
    let mut tags = vec![];
    for accepted in ["", "gzip", "br", "zstd"] {
        let response = get(accepted, "\"other\"").await.unwrap();
        assert_eq!(
            (
                response.status().as_u16(),
                header(&response, "content-encoding")
            ),
            (200, accepted)
        );
        assert_eq!(header(&response, "cache-control"), "private, max-age=60");
        let vary: Vec<&str> = response
            .headers()
            .get_all("vary")
            .iter()
            .map(|vary| vary.to_str().unwrap())
            .collect();
        assert_eq!(
            vary,
            [
                "authorization, x-gateway-role, x-gateway-admin-secret",
                "Accept-Encoding"
            ]
        );
        let tag = header(&response, "etag").to_owned();
        assert!(!tags.contains(&tag), "{tag}");
        tags.push(tag);
    }
    for tag in &tags {
        let response = get("br", &format!("\"x\", {tag}")).await.unwrap();
        assert_eq!(
            (response.status().as_u16(), header(&response, "etag")),
            (304, tag.as_str())
        );
        assert_eq!(header(&response, "cache-control"), "private, max-age=60");
        assert!(
            response
                .headers()
                .get_all("vary")
                .iter()
                .any(|vary| vary == "Accept-Encoding")
        );
        assert!(response.bytes().await.unwrap().is_empty());
    }
    let head = client
        .head(format!("{}{READ}", running.url()))
        .send()
        .await
        .unwrap();
    assert_eq!(
        (head.status().as_u16(), header(&head, "etag")),
        (200, tags[0].as_str())
    );
    let trusted = client
        .get(format!("{}{READ}", running.url()))
        .header("X-Gateway-Admin-Secret", ADMIN_SECRET);
    let trusted = trusted
        .header("If-None-Match", &tags[0])
        .send()
        .await
        .unwrap();
    assert_eq!(
        (trusted.status().as_u16(), header(&trusted, "cache-control")),
        (200, "no-store")
    );
}

#[tokio::test]
async fn sign_in_responses_are_not_compressed() {
    let (running, _database) = reading().await;
    let request = reqwest::Client::new().get(format!("{}{SIGN_IN}", running.url()));
    let response = request
        .header("Accept-Encoding", "gzip")
        .send()
        .await
        .unwrap();
    assert_eq!(
        (
            response.status().as_u16(),
            header(&response, "content-encoding")
        ),
        (200, "")
    );
}

//! Tests the check of `Host` where the gateway asks for no credentials: names that an attacker
//! makes resolve to the gateway (DNS rebinding) get nothing, on any path, by any version of HTTP.

use std::time::Duration;

use reqwest::{Method, RequestBuilder};
use serde_json::json;
use tests::reply::Reply;
use tests::service::ADMIN_SECRET;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::service::{Service, send};
use super::token;
use super::websocket_client::{TRANSPORT, WebSocket};

const EVIL: &str = "evil.example";
const REFUSED: &str = "requests without credentials to this host are not allowed";
const QUERY: &str = "{ authors { name } }";

/// A gateway that makes every caller admin, with the paths of the console.
async fn insecure() -> Service {
    Service::only(&[
        ("insecure", "true"),
        ("console", "true"),
        ("allowed-hosts", "listed.example"),
    ])
    .await
}

/// All paths and methods that the gateway answers, and a path that it does not have.
fn all_routes(service: &Service) -> Vec<(Method, String)> {
    let mut all = vec![
        (Method::GET, "/no/such/path".to_owned()),
        (Method::GET, "/api/rest/no/such".to_owned()),
    ];
    for route in service.gateway.routes() {
        let path = route.path.replace(['{', '}'], "");
        for method in route.methods.iter().chain([&Method::OPTIONS]) {
            all.push((method.clone(), path.clone()));
        }
    }
    all
}

fn request(service: &Service, method: &Method, path: &str, host: &str) -> RequestBuilder {
    service
        .client
        .request(method.clone(), service.url(path))
        .header("Host", host.to_owned())
}

fn is_refused(reply: &Reply) -> bool {
    reply.status == 403 && reply.text.contains(REFUSED)
}

#[tokio::test(flavor = "multi_thread")]
async fn insecure_gateway_answers_other_hosts_on_no_path() {
    let service = insecure().await;
    let routes = all_routes(&service);
    assert!(routes.len() > 20, "{routes:?}");
    for (method, path) in &routes {
        let reply = send(request(&service, method, path, EVIL)).await;
        assert!(
            is_refused(&reply),
            "{method} {path}: {} {}",
            reply.status,
            reply.text
        );
        for host in [
            "localhost:1",
            "app.localhost",
            "127.0.0.1",
            "[::1]:80",
            "LISTED.example:8080",
        ] {
            let reply = send(request(&service, method, path, host)).await;
            assert!(
                !is_refused(&reply),
                "{method} {path} {host}: {} {}",
                reply.status,
                reply.text
            );
        }
    }
    let query = json!({"query": QUERY});
    let answered =
        send(request(&service, &Method::POST, "/v1/graphql", "localhost").json(&query)).await;
    assert_eq!(answered.status, 200, "{}", answered.text);
    let stream =
        request(&service, &Method::POST, "/v1/graphql", EVIL).header("Accept", "text/event-stream");
    assert_eq!(send(stream.json(&query)).await.status, 403);
}

/// The bytes that answer a GET by HTTP/2 with this `:authority`, until the gateway is silent.
async fn get_by_http2(service: &Service, path: &str, authority: &str) -> Vec<u8> {
    let mut block = vec![0x82, 0x86];
    for (index, text) in [(0x04, path), (0x01, authority)] {
        block.extend([index, u8::try_from(text.len()).unwrap()]);
        block.extend(text.as_bytes());
    }
    let mut bytes = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec();
    // SETTINGS with INITIAL_WINDOW_SIZE, and WINDOW_UPDATE: the response may have any length.
    bytes.extend(b"\x00\x00\x06\x04\x00\x00\x00\x00\x00\x00\x04\x7f\xff\xff\xff");
    bytes.extend(b"\x00\x00\x04\x08\x00\x00\x00\x00\x00\x7f\x00\x00\x00");
    bytes.extend([0, 0]);
    bytes.extend([u8::try_from(block.len()).unwrap(), 0x01, 0x05, 0, 0, 0, 1]);
    bytes.extend(block);
    let mut stream = TcpStream::connect(service.address()).await.unwrap();
    stream.write_all(&bytes).await.unwrap();
    let mut read = vec![];
    let mut buffer = [0; 4096];
    // A frame of DATA with END_STREAM ends the response.
    while !read
        .windows(9)
        .any(|frame| frame[3..9] == [0x00, 0x01, 0, 0, 0, 1])
    {
        let next = tokio::time::timeout(Duration::from_secs(20), stream.read(&mut buffer)).await;
        let length = next.expect("the response ends").unwrap();
        assert!(length > 0, "the connection ends before the response");
        read.extend(&buffer[..length]);
    }
    read
}

#[tokio::test(flavor = "multi_thread")]
async fn authority_of_http2_is_checked_as_host() {
    let service = insecure().await;
    for path in ["/v1/version", "/console/api/session", "/metrics"] {
        let contains = async |authority: &str| {
            let bytes = get_by_http2(&service, path, authority).await;
            bytes
                .windows(REFUSED.len())
                .any(|window| window == REFUSED.as_bytes())
        };
        assert!(contains(EVIL).await, "{path}");
        assert!(!contains("localhost:8080").await, "{path}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn callers_without_credentials_get_no_role_under_other_hosts() {
    let service = Service::with(&[("unauthorized-role", "visitor"), ("console", "true")]).await;
    let query = json!({"query": QUERY});
    let post = |host| request(&service, &Method::POST, "/v1/graphql", host).json(&query);
    assert_eq!(send(post("localhost")).await.status, 200);
    assert_eq!(send(post(EVIL)).await.status, 403);
    // A header of the gateway's own is no credential.
    assert_eq!(
        send(post(EVIL).header("X-Gateway-Role", "visitor"))
            .await
            .status,
        403
    );
    assert_eq!(
        send(post(EVIL).header("Accept", "text/event-stream"))
            .await
            .status,
        403
    );
    for path in [
        "/v1/graphql?query=%7Bauthors%7Bname%7D%7D",
        "/console/api/session",
        "/console/api/schema",
    ] {
        let get = |host| {
            request(&service, &Method::GET, path, host).header("Apollo-Require-Preflight", "1")
        };
        let reply = send(get(EVIL)).await;
        assert!(
            is_refused(&reply),
            "{path}: {} {}",
            reply.status,
            reply.text
        );
        let reply = send(get("localhost")).await;
        assert_eq!(reply.status, 200, "{path}: {}", reply.text);
    }
    // Who shows credentials may name any host, as behind a proxy.
    let token = format!("Bearer {}", token::good());
    assert_eq!(
        send(post(EVIL).header("Authorization", &token))
            .await
            .status,
        200
    );
    assert_eq!(
        send(post(EVIL).header("X-Gateway-Admin-Secret", ADMIN_SECRET))
            .await
            .status,
        200
    );
    assert_eq!(
        send(request(&service, &Method::GET, "/healthz", EVIL))
            .await
            .status,
        200
    );
    // A listed proxy publishes what callers without credentials get.
    let published = Service::with(&[
        ("unauthorized-role", "visitor"),
        ("trusted-proxies", "10.0.0.0/8"),
    ])
    .await;
    let post = request(&published, &Method::POST, "/v1/graphql", EVIL).json(&query);
    assert_eq!(send(post).await.status, 200);
    let everywhere =
        Service::with(&[("unauthorized-role", "visitor"), ("listen", "0.0.0.0:0")]).await;
    let local = format!(
        "http://127.0.0.1:{}/v1/graphql",
        everywhere.address().port()
    );
    let post = everywhere
        .client
        .post(local)
        .header("Host", EVIL)
        .json(&query);
    assert_eq!(send(post).await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn sockets_under_other_hosts_need_credentials() {
    let refusal = (4403, REFUSED.to_owned());
    let open = async |service: &Service, host: &str, payload| {
        let mut socket =
            WebSocket::open(service.address(), Some(TRANSPORT), &[("host", host)]).await;
        socket.init(&payload).await;
        socket
    };
    let service = Service::with(&[("unauthorized-role", "visitor")]).await;
    assert_eq!(
        open(&service, EVIL, json!({})).await.closed().await,
        refusal
    );
    // The payload replaces headers, and not the host that the handshake named.
    assert_eq!(
        open(&service, EVIL, json!({"headers": {"Host": "localhost"}}))
            .await
            .closed()
            .await,
        refusal
    );
    assert_eq!(
        open(&service, "localhost", json!({})).await.message().await["type"],
        "connection_ack"
    );
    let bearer = json!({"Authorization": format!("Bearer {}", token::good())});
    assert_eq!(
        open(&service, EVIL, bearer).await.message().await["type"],
        "connection_ack"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn metrics_by_address_are_for_allowed_hosts() {
    let service = Service::with(&[("allowed-hosts", "listed.example")]).await;
    let metrics = async |service: &Service, host| {
        send(request(service, &Method::GET, "/metrics", host)).await
    };
    assert!(is_refused(&metrics(&service, EVIL).await));
    for host in ["localhost", "127.0.0.1:9", "listed.example"] {
        assert_eq!(metrics(&service, host).await.status, 200, "{host}");
    }
    let open = Service::with(&[("metrics-open", "true")]).await;
    assert_eq!(metrics(&open, EVIL).await.status, 200);
}

#[tokio::test(flavor = "multi_thread")]
async fn development_shows_other_hosts_nothing_without_credentials() {
    let service = Service::with(&[("dev", "true"), ("console", "true")]).await;
    for (method, path) in all_routes(&service) {
        let reply = send(request(&service, &method, &path, EVIL)).await;
        assert!(
            is_refused(&reply),
            "{method} {path}: {} {}",
            reply.status,
            reply.text
        );
    }
    let trusted = request(&service, &Method::POST, "/v1/graphql", EVIL)
        .header("X-Gateway-Admin-Secret", ADMIN_SECRET);
    assert_eq!(
        send(trusted.json(&json!({"query": QUERY}))).await.status,
        200
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn insecure_is_refused_beyond_loopback() {
    for listen in ["0.0.0.0:0", "[::]:0", "192.168.77.1:0"] {
        let builder = tests::gateway()
            .plugins(demo::plugins())
            .setting("insecure", "true")
            .setting("listen", listen);
        let error = builder
            .database_url("postgres://localhost/x")
            .start()
            .await
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("has to be a loopback address"),
            "{listen}: {error}"
        );
    }
}

//! Tests that every door of the service records callers whose token or secret it refuses, with
//! reason and address, and how often a minute.

use futures_util::{SinkExt, StreamExt};
use reqwest::{Method, RequestBuilder};
use serde_json::json;
use tests::reply::Reply;
use tokio::net::TcpStream;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::tungstenite::client::IntoClientRequest;

use super::Demo;

const BAD: &str =
    "Bearer eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ4In0.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

/// Opens a WebSocket that speaks a protocol.
pub(super) async fn open(demo: &Demo, protocol: &str) -> WebSocketStream<TcpStream> {
    let location = demo.fact("url").strip_prefix("http://").unwrap();
    let mut request = format!("ws://{location}/v1/graphql")
        .into_client_request()
        .unwrap();
    request
        .headers_mut()
        .insert("sec-websocket-protocol", protocol.parse().unwrap());
    let stream = TcpStream::connect(location).await.unwrap();
    tokio_tungstenite::client_async(request, stream)
        .await
        .unwrap()
        .0
}

#[tokio::test(flavor = "multi_thread")]
async fn every_door_records_refused_callers() {
    let demo = Demo::start(&[]);
    let sql = tests::database::connect(demo.fact("database_url"))
        .await
        .unwrap();
    let url = |path: &str| format!("{}{path}", demo.fact("url"));
    let post = |path: &str| {
        demo.client
            .post(url(path))
            .header("X-Forwarded-For", "203.0.113.9")
    };
    let bad = |method: Method, path: &str| {
        demo.client
            .request(method, url(path))
            .header("Authorization", BAD)
    };
    let graphql = json!({"query": "{ dataControllers { id } }"});
    let jwt = "Could not verify JWT";
    let requests: Vec<(RequestBuilder, String)> = vec![
        (
            bad(Method::POST, "/v1/graphql").json(&graphql),
            format!("/v1/graphql: {jwt}"),
        ),
        (
            post("/v1/graphql")
                .header("X-Gateway-Admin-Secret", "wrong")
                .json(&graphql),
            "/v1/graphql: invalid admin secret".into(),
        ),
        (
            bad(Method::GET, "/api/rest/getprivacynotices"),
            format!("/api/rest/: {jwt}"),
        ),
        (
            bad(Method::GET, "/api/rest/openapi.json"),
            format!("/api/rest/openapi.json: {jwt}"),
        ),
        (
            bad(Method::POST, "/mcp")
                .json(&json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})),
            format!("/mcp: {jwt}"),
        ),
        (
            bad(Method::POST, "/v1/token/verify").json(&json!({})),
            format!("/v1/token/verify: {jwt}"),
        ),
        (bad(Method::GET, "/v1/user"), format!("/v1/user: {jwt}")),
        (
            bad(Method::POST, "/v1/pat").json(&json!({})),
            format!("/v1/pat: {jwt}"),
        ),
        (
            post("/v1/reload").header("X-Gateway-Admin-Secret", "wrong"),
            "/v1/reload: invalid admin secret".into(),
        ),
        (
            post("/api/v1/integrations/ecommerce/event")
                .header("X-Shopify-Hmac-Sha256", "d3Jvbmc=")
                .body("{}"),
            "/api/v1/integrations/ecommerce/event: wrong-signature".into(),
        ),
        // The reason names the service.
        (
            post("/api/v1/integrations/survey/event?did=did:web:hansewerk-energie.example")
                .header("Typeform-Signature", "sha256=d3Jvbmc=")
                .body("{}"),
            "/api/v1/integrations/survey/event: wrong-signature".into(),
        ),
        (
            post("/v1/integrations/payments/event").body("{}"),
            "/v1/integrations/payments/event: missing-header".into(),
        ),
        (
            post(
                "/api/v1/integrations/crm/event?did=did:web:hansewerk-energie.example&svcKey=wrong",
            )
            .body("{}"),
            "/api/v1/integrations/crm/event: wrong-key".into(),
        ),
        (
            post("/v1/widgets/session").json(
                &json!({"controllerId": demo.fact("data_controller_id"), "identity": "x.y.z"}),
            ),
            format!(
                "/v1/widgets/session: invalid identity for {}: signature, audience or expiry",
                demo.fact("data_controller_id")
            ),
        ),
    ];
    let mut expected = vec![];
    for (request, reason) in requests {
        let reply = Reply::of(request).await.unwrap();
        assert_eq!(reply.status, 401, "{reason}: {}", reply.text);
        expected.push(reason);
    }
    // Sockets say why in their close frame.
    let mut socket = open(&demo, "graphql-transport-ws").await;
    let init = json!({"type": "connection_init", "payload": {"headers": {"X-Gateway-Admin-Secret": "wrong \
         in a socket"}}});
    socket.send(Message::text(init.to_string())).await.unwrap();
    while let Some(Ok(message)) = socket.next().await {
        assert!(!matches!(message, Message::Text(_)), "{message}");
    }

    let rows = async |reason: &str| {
        let query = "SELECT reason, address, request_id IS NOT NULL FROM \
                     postern.authentication_event \
                     WHERE event = 'refused' AND outcome = 'failure' AND starts_with(reason, $1)";
        let rows = sql.query(query, &[&reason]).await.unwrap();
        rows.iter()
            .map(|row| (row.get(0), row.get(1), row.get(2)))
            .collect::<Vec<(String, String, bool)>>()
    };
    for reason in &expected {
        tests::wait::until(reason, async || !rows(reason).await.is_empty()).await;
        let found = rows(reason).await;
        // The address is the peer's: no proxy is trusted. No row has a token or a secret.
        assert!(
            found
                .iter()
                .all(|(_, address, has_request)| address == "127.0.0.1" && *has_request),
            "{found:?}"
        );
        assert!(
            found
                .iter()
                .all(|(reason, ..)| !reason.contains("eyJ") && !reason.contains("svcKey")),
            "{found:?}"
        );
    }
    // The refusals of sign-in have their own rows.
    let tokens = [
        (
            "/v1/signin/pat",
            json!({"personalAccessToken": "wrong"}),
            "sign-in",
        ),
        ("/v1/token", json!({"refreshToken": "wrong"}), "refresh"),
    ];
    for (path, body, event) in tokens {
        assert_eq!(Reply::of(post(path).json(&body)).await.unwrap().status, 401);
        let query = "SELECT count(*) FROM postern.authentication_event WHERE event = $1 AND \
                     outcome = 'failure' AND address = '127.0.0.1'";
        tests::wait::until(event, async || {
            sql.query_one(query, &[&event])
                .await
                .unwrap()
                .get::<_, i64>(0)
                == 1
        })
        .await;
    }
    // Repeated refusals are counted, and neither logged nor stored one by one.
    let before = rows("/v1/graphql: invalid admin secret").await.len();
    for _ in 0..50 {
        let request = post("/v1/graphql")
            .header("X-Gateway-Admin-Secret", "wrong")
            .json(&graphql);
        assert!(matches!(
            Reply::of(request).await.unwrap().status,
            401 | 429
        ));
    }
    tokio::time::sleep(std::time::Duration::from_millis(2500)).await;
    let after = rows("/v1/graphql: invalid admin secret").await.len();
    assert!(after <= before + 2, "{before} {after}");
    drop(demo);
}

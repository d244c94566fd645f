//! Tests the limits of webhooks: the size of bodies, and rates of deliveries and of refused ones.

use serde_json::json;
use tests::reply::Reply;

use super::service::{Delivery, SECRET, Service, accepted};

#[tokio::test]
async fn each_service_has_its_own_body_limit() {
    let service = Service::start().await;
    let kind = || json!({"kind": "hmac", "header": "X-Signature", "prefix": "v=", "hash": "sha512", "encoding": "hex", "secret": SECRET});
    accepted(
        &service
            .send(&Delivery::signed("ledger", kind(), &[b'x'; 1000]).await)
            .await,
    );
    let large = service
        .send(&Delivery::signed("ledger", kind(), &[b'x'; 1001]).await)
        .await;
    large.assert_envelope(413, "the body is larger than the limit of 1000 bytes");
    accepted(
        &service
            .send(&Delivery::shop(&vec![b'x'; 1 << 20]).await)
            .await,
    );
    let large = service
        .send(&Delivery::shop(&vec![b'x'; (1 << 20) + 1]).await)
        .await;
    large.assert_envelope(413, "the body is larger than the limit of 1048576 bytes");
    assert_eq!(
        (service.counts().await, service.counted("shop", "failed")),
        ((2, 2), 1)
    );
}

#[tokio::test]
async fn limit_counts_the_bytes_of_chunked_bodies() {
    let service = Service::start().await;
    let parts =
        futures_util::stream::iter((0..2000).map(|_| Ok::<_, std::io::Error>(vec![b'x'; 1024])));
    let request = service
        .client
        .post(service.url("shop"))
        .header("X-Shopify-Hmac-Sha256", "AAAA");
    let reply = Reply::of(request.body(reqwest::Body::wrap_stream(parts)))
        .await
        .unwrap();
    assert_eq!(reply.status, 413, "{}", reply.text);
}

#[tokio::test]
async fn deliveries_and_refused_ones_have_rates_of_their_own() {
    let service = Service::with(
        "[[rates]]\nname = \"webhooks\"\nrate = 4\nevery = 3600\n\
         [[rates]]\nname = \"requests\"\nper = []\nrate = 1\nevery = 3600\n",
    )
    .await;
    let delivery = Delivery::shop(b"{}").await;
    for _ in 0..4 {
        accepted(&service.send(&delivery).await);
    }
    let reply = service.send(&delivery).await;
    assert_eq!(
        (reply.status, reply.header("retry-after").is_empty()),
        (429, false),
        "{}",
        reply.text
    );
    assert_eq!(reply.json()["status"], "error");
    let service =
        Service::with("[[rates]]\nname = \"refused-webhooks\"\nrate = 3\nevery = 3600\n").await;
    let forged = Delivery::shop(b"{}")
        .await
        .with("X-Shopify-Hmac-Sha256", "AAAA");
    for _ in 0..5 {
        accepted(&service.send(&delivery).await);
    }
    for _ in 0..3 {
        assert_eq!(service.send(&forged).await.status, 401);
    }
    assert_eq!(service.send(&forged).await.status, 429);
    assert_eq!(service.send(&delivery).await.status, 429);
}

#[tokio::test]
async fn slow_bodies_end() {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    let service = Service::with("").await;
    let mut stream = tokio::net::TcpStream::connect(service.gateway.address())
        .await
        .unwrap();
    let head = "POST /api/v1/integrations/unknown/event HTTP/1.1\r\nHost: a\r\nContent-Length: \
                1000000000\r\nExpect: 100-continue\r\n\r\n";
    stream.write_all(head.as_bytes()).await.unwrap();
    // An unknown service is refused before the client is asked for the body.
    let mut response = vec![0; 12];
    stream.read_exact(&mut response).await.unwrap();
    assert_eq!(response, b"HTTP/1.1 404");
}

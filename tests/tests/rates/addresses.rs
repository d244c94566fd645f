//! Tests which address a client is counted by.

use super::service::{Service, send};

const RULE: &str = "[[rates]]\nname = \"address\"\nper = [\"address\"]\nrate = 1\nevery = 3600\n";

#[tokio::test]
async fn a_forwarded_address_is_ignored_unless_the_proxy_is_trusted() {
    let service = Service::with(RULE).await;
    let from = |address: &str| service.reader().header("X-Forwarded-For", address);
    assert_eq!(send(from("198.51.100.1")).await.status, 200);
    assert_eq!(send(from("198.51.100.2")).await.status, 429);
    assert_eq!(
        send(service.reader().header("Forwarded", "for=198.51.100.3"))
            .await
            .status,
        429
    );
}

#[tokio::test]
async fn trusted_proxy_forwards_the_client_address() {
    let service = Service::with(&format!(
        "trusted_proxies = [\"127.0.0.0/8\", \"10.0.0.0/8\"]\n{RULE}"
    ))
    .await;
    let from = |address: &str| service.reader().header("X-Forwarded-For", address);
    assert_eq!(send(from("198.51.100.1")).await.status, 200);
    assert_eq!(send(from("198.51.100.2, 10.1.1.1")).await.status, 200);
    // Entries that the client itself sent are on the left.
    assert_eq!(send(from("203.0.113.5, 198.51.100.1")).await.status, 429);
    assert_eq!(send(from("2001:db8::1")).await.status, 200);
    assert_eq!(send(from("2001:db8::2")).await.status, 429);
    assert_eq!(
        send(
            service
                .reader()
                .header("Forwarded", "for=198.51.100.9;proto=https")
        )
        .await
        .status,
        200
    );
}

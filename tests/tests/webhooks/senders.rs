//! Tests deliveries signed by the services' own libraries: Stripe's, GitHub's (octokit), Standard
//! Webhooks' and `jose`, unchanged from npm.

use serde_json::json;
use tests::webhook_senders::sign_all;

use super::service::{Delivery, SECRET, Service, TOKEN_SECRET, WHSEC, accepted};

/// A secret of 16 bytes.
const SHORT: &str = "MDEyMzQ1Njc4OTAxMjM0NQ";

#[tokio::test(flavor = "multi_thread")]
async fn libraries_of_the_services_are_understood() {
    let service = Service::start().await;
    let claims = |service: &str| json!({"service": service, "controller": "c1"});
    let bodies: [&[u8]; 3] = [
        b"{\"id\":\"evt_1\"}",
        "{\n  \"id\" : \"\u{fc}\u{1f600}\", \"t\":\"\\u00fc\"}\r\n".as_bytes(),
        b"",
    ];
    let kinds = [
        (
            "shop",
            json!({"kind": "hmac", "header": "X-Shopify-Hmac-Sha256", "secret": SECRET}),
        ),
        (
            "shop",
            json!({"kind": "hmac", "header": "X-Shopify-Hmac-Sha256", "secret": "another secret, \
                 which is older"}),
        ),
        (
            "ledger",
            json!({"kind": "hmac", "header": "X-Signature", "prefix": "v=", "hash": "sha512", "encoding": "hex", "secret": SECRET}),
        ),
        (
            "old",
            json!({"kind": "hmac", "header": "X-Signature", "hash": "sha1", "encoding": "hex", "secret": SECRET}),
        ),
        ("payments", json!({"kind": "stripe", "secret": SECRET})),
        ("code", json!({"kind": "github", "secret": SECRET})),
        ("letters", json!({"kind": "standard", "secret": WHSEC})),
        (
            "letters",
            json!({"kind": "standard", "secret": "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"}),
        ),
        (
            "hotel",
            json!({"kind": "jwe", "secret": TOKEN_SECRET, "claims": claims("hotel")}),
        ),
        (
            "short",
            json!({"kind": "jwe", "secret": SHORT, "claims": claims("short"), "encryption": "A128GCM"}),
        ),
    ];
    let deliveries = kinds
        .iter()
        .flat_map(|kind| bodies.map(|body| (kind, body)));
    // Octokit's library signs no empty text.
    let deliveries: Vec<_> = deliveries
        .filter(|((name, _), body)| *name != "code" || !body.is_empty())
        .collect();
    let signed = sign_all(
        deliveries
            .iter()
            .map(|((_, kind), body)| (kind.clone(), body.to_vec()))
            .collect(),
    )
    .await
    .unwrap();
    for (((name, _), body), signed) in deliveries.into_iter().zip(signed) {
        accepted(&service.send(&Delivery::new(name, signed, body)).await);
    }
    let query = "SELECT string_agg(DISTINCT verification, ' ' ORDER BY verification) FROM \
                 postern.webhook_delivery";
    let methods: String = service.sql.query_one(query, &[]).await.unwrap().get(0);
    assert_eq!(methods, "github hmac jwe standard stripe");
}

#[tokio::test]
async fn several_signatures_and_other_prefixes_are_understood() {
    let service = Service::start().await;
    let letters = Delivery::signed(
        "letters",
        json!({"kind": "standard", "secret": WHSEC}),
        b"{}",
    )
    .await;
    let value = letters.value("webhook-signature");
    let several = format!("v1a,AAAA v1,{} {value}", "A".repeat(43) + "=");
    accepted(
        &service
            .send(&letters.clone().with("webhook-signature", &several))
            .await,
    );
    let mut svix = letters.clone();
    svix.service = "svix";
    for (name, _) in &mut svix.headers {
        *name = name.replace("webhook-", "svix-");
    }
    accepted(&service.send(&svix).await);
    let payments = Delivery::signed(
        "payments",
        json!({"kind": "stripe", "secret": SECRET}),
        b"{}",
    )
    .await;
    let value = payments.value("Stripe-Signature");
    let several = format!(
        "{},v1={},v0=aa",
        value.replace(",v1=", &format!(",v1={},v1=", "0".repeat(64))),
        "1".repeat(64)
    );
    accepted(
        &service
            .send(&payments.with("Stripe-Signature", &several))
            .await,
    );
}

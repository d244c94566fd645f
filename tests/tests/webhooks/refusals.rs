//! Tests what is refused: modified bodies and signatures, old and future times, wrong encodings,
//! missing and repeated headers, forged tokens and keys. Nothing of a refused delivery is stored.

use serde_json::json;

use super::service::{
    Delivery, INVALID, MISSING, SECRET, Service, TOKEN_SECRET, UNVERIFIED, WHSEC, accepted,
};

/// Lets a test send many forged deliveries.
const NO_RATE: &str = "[[rates]]\nname = \"refused-webhooks\"\nmode = \"off\"\n";

fn now() -> u64 {
    std::time::SystemTime::now()
        .duration_since(std::time::UNIX_EPOCH)
        .unwrap()
        .as_secs()
}

#[tokio::test(flavor = "multi_thread")]
async fn one_changed_bit_of_body_or_signature_is_refused() {
    let service = Service::with(NO_RATE).await;
    let body = b"{\"id\":\"evt_1\"}";
    let header = [
        (
            "shop",
            json!({"kind": "hmac", "header": "X-Shopify-Hmac-Sha256", "secret": SECRET}),
            "X-Shopify-Hmac-Sha256",
        ),
        (
            "payments",
            json!({"kind": "stripe", "secret": SECRET}),
            "Stripe-Signature",
        ),
        (
            "code",
            json!({"kind": "github", "secret": SECRET}),
            "X-Hub-Signature-256",
        ),
        (
            "letters",
            json!({"kind": "standard", "secret": WHSEC}),
            "webhook-signature",
        ),
    ];
    for (name, kind, header) in header {
        let delivery = Delivery::signed(name, kind, body).await;
        for bit in 0..body.len() * 8 {
            let mut changed = delivery.clone();
            changed.body[bit / 8] ^= 1 << (bit % 8);
            service.send(&changed).await.assert_envelope(401, INVALID);
        }
        let value = delivery.value(header);
        for (index, character) in value.char_indices() {
            let other = if character == 'A' { "B" } else { "A" };
            let mut changed = value.clone();
            changed.replace_range(index..index + 1, other);
            // Digits may be written in capitals.
            if changed.eq_ignore_ascii_case(&value) {
                continue;
            }
            let reply = service.send(&delivery.clone().with(header, &changed)).await;
            assert_eq!(reply.status, 401, "{name}: {changed}");
        }
        assert_eq!(service.counts().await, (0, 0));
        accepted(&service.send(&delivery).await);
        service
            .sql
            .batch_execute("DELETE FROM postern.webhook_delivery; DELETE FROM postern.event_queue")
            .await
            .unwrap();
    }
}

#[tokio::test]
async fn old_and_future_times_are_refused() {
    let service = Service::start().await;
    for (name, kind, tolerance) in [
        ("payments", json!({"kind": "stripe", "secret": SECRET}), 300),
        ("letters", json!({"kind": "standard", "secret": WHSEC}), 300),
    ] {
        for (time, is_fine) in [
            (now() - tolerance - 5, false),
            (now() - tolerance + 20, true),
            (now() + tolerance - 20, true),
            (now() + tolerance + 20, false),
            (1, false),
        ] {
            let mut kind = kind.clone();
            kind["time"] = time.into();
            let reply = service
                .send(&Delivery::signed(name, kind, b"{}").await)
                .await;
            if is_fine {
                accepted(&reply);
            } else {
                reply.assert_envelope(401, UNVERIFIED);
            }
        }
        assert_eq!(
            (
                service.counted(name, "old"),
                service.counted(name, "future")
            ),
            (2, 1)
        );
    }
    // A time that was not signed.
    let late = Delivery::signed(
        "letters",
        json!({"kind": "standard", "secret": WHSEC, "time": now() - 900}),
        b"{}",
    )
    .await;
    service
        .send(&late.with("webhook-timestamp", &now().to_string()))
        .await
        .assert_envelope(401, INVALID);
}

#[tokio::test]
async fn missing_and_repeated_headers_are_refused() {
    let service = Service::start().await;
    let shop = Delivery::shop(b"{}").await;
    let letters = Delivery::signed(
        "letters",
        json!({"kind": "standard", "secret": WHSEC}),
        b"{}",
    )
    .await;
    let payments = Delivery::signed(
        "payments",
        json!({"kind": "stripe", "secret": SECRET}),
        b"{}",
    )
    .await;
    let code = Delivery::signed("code", json!({"kind": "github", "secret": SECRET}), b"{}").await;
    for (delivery, header) in [
        (shop, "X-Shopify-Hmac-Sha256"),
        (payments, "Stripe-Signature"),
        (code, "X-Hub-Signature-256"),
        (letters.clone(), "webhook-signature"),
        (letters.clone(), "webhook-timestamp"),
        (letters, "webhook-id"),
    ] {
        service
            .send(&delivery.clone().without(header))
            .await
            .assert_envelope(401, MISSING);
        let value = delivery.value(header);
        service
            .send(&delivery.clone().header(header, &value))
            .await
            .assert_envelope(401, UNVERIFIED);
        service
            .send(&delivery.clone().with(header, ""))
            .await
            .assert_envelope(401, INVALID);
        accepted(&service.send(&delivery).await);
    }
}

#[tokio::test]
async fn signatures_in_other_encodings_are_refused() {
    let service = Service::start().await;
    let delivery = Delivery::shop(b"{}").await;
    let hex = json!({"kind": "hmac", "header": "X-Shopify-Hmac-Sha256", "secret": SECRET, "encoding": "hex"});
    service
        .send(&Delivery::signed("shop", hex, b"{}").await)
        .await
        .assert_envelope(401, INVALID);
    let value = delivery.value("X-Shopify-Hmac-Sha256");
    for other in [
        value.trim_end_matches('=').to_owned(),
        format!("sha256={value}"),
        format!("{value},{value}"),
        format!("{value}AAAA"),
    ] {
        service
            .send(&delivery.clone().with("X-Shopify-Hmac-Sha256", &other))
            .await
            .assert_envelope(401, INVALID);
    }
    let sha1 = json!({"kind": "hmac", "header": "X-Shopify-Hmac-Sha256", "secret": SECRET, "hash": "sha1"});
    service
        .send(&Delivery::signed("shop", sha1, b"{}").await)
        .await
        .assert_envelope(401, INVALID);
    let empty = json!({"kind": "hmac", "header": "X-Shopify-Hmac-Sha256", "secret": ""});
    service
        .send(&Delivery::signed("shop", empty, b"{}").await)
        .await
        .assert_envelope(401, INVALID);
    // GitHub's older signature alone is none.
    let code = Delivery::signed(
        "code",
        json!({"kind": "hmac", "header": "X-Hub-Signature", "prefix": "sha1=", "hash": "sha1", "encoding": "hex", "secret": SECRET}),
        b"{}",
    );
    service
        .send(&code.await)
        .await
        .assert_envelope(401, MISSING);
}

#[tokio::test]
async fn tokens_are_for_their_service_controller_and_time() {
    let service = Service::with(NO_RATE).await;
    let claims = || json!({"service": "hotel", "controller": "c1"});
    let token = |claims| json!({"kind": "jwe", "secret": TOKEN_SECRET, "claims": claims});
    let good = Delivery::signed("hotel", token(claims()), b"{}").await;
    accepted(&service.send(&good).await);
    let sender = service.sql.query_one(
        "SELECT sender ->> 'controller', verification FROM postern.webhook_delivery",
        &[],
    );
    let sender = sender.await.unwrap();
    assert_eq!(
        (sender.get::<_, String>(0), sender.get::<_, String>(1)),
        ("c1".into(), "jwe".into())
    );
    let with = |name: &str, value: serde_json::Value| {
        let mut kind = token(claims());
        match name {
            "service" | "controller" | "nbf" => kind["claims"][name] = value,
            _ => kind[name] = value,
        }
        kind
    };
    for (kind, outcome) in [
        (with("expires", json!(now() - 60)), "expired-token"),
        (with("expires", json!(null)), "expired-token"),
        (with("nbf", json!(now() + 600)), "token-not-yet-valid"),
        (with("service", json!("shop")), "wrong-service"),
        (with("controller", json!("c3")), "wrong-controller"),
        (with("controller", json!(null)), "wrong-controller"),
        (
            with(
                "secret",
                json!("MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDI="),
            ),
            "undecryptable-token",
        ),
        (with("algorithm", json!("A256GCMKW")), "wrong-algorithm"),
        (with("algorithm", json!("A256KW")), "wrong-algorithm"),
    ] {
        let before = service.counted("hotel", outcome);
        service
            .send(&Delivery::signed("hotel", kind, b"{}").await)
            .await
            .assert_envelope(401, UNVERIFIED);
        assert_eq!(service.counted("hotel", outcome), before + 1, "{outcome}");
    }
    let mut missing = good.clone();
    missing.query.clear();
    service
        .send(&missing)
        .await
        .assert_envelope(401, UNVERIFIED);
    let token = &good.query["token"];
    for (index, character) in token.char_indices() {
        let mut changed = token.clone();
        changed.replace_range(index..index + 1, if character == 'A' { "B" } else { "A" });
        service
            .send(&good.clone().parameter("token", &changed))
            .await
            .assert_envelope(401, UNVERIFIED);
    }
    assert_eq!(service.counts().await, (1, 1));
}

#[tokio::test]
async fn keys_belong_to_their_did() {
    let service = Service::start().await;
    let delivery = |name, did: &str, parameter: &str, key: &str| {
        let query = [
            ("did".to_owned(), did.to_owned()),
            (parameter.to_owned(), key.to_owned()),
        ]
        .into();
        Delivery {
            service: name,
            headers: vec![],
            query,
            body: b"{}".to_vec(),
        }
    };
    let good = delivery("crm", "did:web:a.example", "svcKey", "the key of the CRM");
    accepted(&service.send(&good).await);
    let sender = service
        .sql
        .query_one("SELECT sender::text FROM postern.webhook_delivery", &[])
        .await
        .unwrap();
    assert_eq!(
        sender.get::<_, String>(0),
        "{\"did\": \"did:web:a.example\"}"
    );
    for (did, key) in [
        ("did:web:b.example", "the key of the CRM"),
        ("did:web:a.example", "the key of the CRm"),
        ("did:web:a.example", "the key of the CRM "),
        ("did:web:a.example", ""),
        ("", ""),
    ] {
        service
            .send(&delivery("crm", did, "svcKey", key))
            .await
            .assert_envelope(401, UNVERIFIED);
    }
    service
        .send(&delivery(
            "crm",
            "did:web:a.example",
            "key",
            "the key of the CRM",
        ))
        .await
        .assert_envelope(401, UNVERIFIED);
    let twice = service
        .request(&good)
        .query(&[("svcKey", "the key of the CRM")]);
    tests::reply::Reply::of(twice)
        .await
        .unwrap()
        .assert_envelope(401, UNVERIFIED);
    // By the query, which takes a uuid.
    let did = "6c0b5b50-2f7e-4d1c-9d0c-0f3f6a1b7e55";
    for key in [
        "the first key, which is long enough",
        "the second key, which is long enough",
    ] {
        accepted(&service.send(&delivery("directory", did, "key", key)).await);
    }
    for (did, key) in [
        (did, "the key of somebody else"),
        ("not a uuid", "the first key, which is long enough"),
        (
            "6c0b5b50-2f7e-4d1c-9d0c-0f3f6a1b7e57",
            "the first key, which is long enough",
        ),
        ("' OR true --", "the first key, which is long enough"),
    ] {
        service
            .send(&delivery("directory", did, "key", key))
            .await
            .assert_envelope(401, UNVERIFIED);
    }
}

#[tokio::test]
async fn several_methods_are_all_needed_unless_any_is_enough() {
    let service = Service::start().await;
    let signature = || json!({"kind": "hmac", "header": "X-Signature", "secret": SECRET});
    let claims = json!({"service": "both", "controller": "c"});
    let token = Delivery::signed(
        "both",
        json!({"kind": "jwe", "secret": TOKEN_SECRET, "claims": claims}),
        b"{}",
    )
    .await;
    let signed = Delivery::signed("both", signature(), b"{}").await;
    service.send(&token).await.assert_envelope(401, MISSING);
    service.send(&signed).await.assert_envelope(401, UNVERIFIED);
    let both = Delivery {
        query: token.query,
        ..signed
    };
    accepted(&service.send(&both).await);
    let row = service
        .sql
        .query_one("SELECT verification FROM postern.webhook_delivery", &[])
        .await
        .unwrap();
    assert_eq!(row.get::<_, String>(0), "hmac+jwe");
    let signed = Delivery::signed("either", signature(), b"{}").await;
    accepted(&service.send(&signed).await);
    let keyed = signed
        .clone()
        .without("X-Signature")
        .parameter("did", "did:web:a.example")
        .parameter("svcKey", "the key of the CRM");
    accepted(&service.send(&keyed).await);
    service
        .send(&keyed.clone().parameter("svcKey", "another"))
        .await
        .assert_envelope(401, UNVERIFIED);
    service
        .send(&signed.without("X-Signature"))
        .await
        .assert_envelope(401, UNVERIFIED);
}

#[tokio::test]
async fn unknown_services_are_not_found() {
    let service = Service::start().await;
    let delivery = Delivery::shop(b"{}").await;
    for name in ["unknown", "SHOP", "shop%20", "shop/x", "%73hop", "", ".."] {
        let url = format!("{}/api/v1/integrations/{name}/event", service.gateway.url());
        let request = service.client.post(url).header(
            "X-Shopify-Hmac-Sha256",
            delivery.value("X-Shopify-Hmac-Sha256"),
        );
        tests::reply::Reply::of(request.body("{}"))
            .await
            .unwrap()
            .assert_envelope(404, "no such path");
    }
    assert_eq!(service.counts().await, (0, 0));
}

#[tokio::test]
async fn reload_replaces_a_secret() {
    let database = super::service::migrated().await;
    let secret = std::sync::Arc::new(std::sync::Mutex::new(
        "the first secret of the service".to_owned(),
    ));
    let given = secret.clone();
    let url = database.url().to_owned();
    let running = tests::gateway().settings_from(move || {
        let text = format!(
            "[webhook.shop]\nhmac = {{ header = \"X-Signature\", secret = \"{}\" }}\n",
            given.lock().unwrap()
        );
        let mut settings = gateway::config::Settings::from_text("gateway.toml", &text)?;
        for (name, value) in [
            ("database-url", url.as_str()),
            ("admin-secret", "open sesame of sixteen"),
            ("listen", "127.0.0.1:0"),
        ] {
            settings.set(name, value)?;
        }
        Ok(settings)
    });
    let running = running.start().await.unwrap();
    let sql = database.connect().await.unwrap();
    let service = Service::from_parts(running, database, sql);
    let kind = |secret: &str| json!({"kind": "hmac", "header": "X-Signature", "secret": secret});
    let old = Delivery::signed("shop", kind("the first secret of the service"), b"{}").await;
    let new = Delivery::signed("shop", kind("the second secret of the service"), b"{}").await;
    accepted(&service.send(&old).await);
    service.send(&new).await.assert_envelope(401, INVALID);
    *secret.lock().unwrap() = "the second secret of the service".to_owned();
    service.gateway.reload().await.unwrap();
    accepted(&service.send(&new).await);
    service.send(&old).await.assert_envelope(401, INVALID);
    // A fault keeps the running version.
    *secret.lock().unwrap() = "weak".to_owned();
    assert!(service.gateway.reload().await.is_err());
    accepted(&service.send(&new).await);
}

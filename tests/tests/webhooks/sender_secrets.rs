//! Tests secrets that a query finds: each sender has its own, and the parameter `did` names it.

use serde_json::{Value, json};

use super::service::{
    Delivery, INVALID, MISSING, SECRET, Service, TOKEN_SECRET, UNVERIFIED, WHSEC, accepted,
};

/// The senders.
const A: &str = "did:web:a.example";
const B: &str = "did:web:b.example";

/// The secrets of the senders, by the services that take them.
const SECRETS: &str = "
CREATE TABLE secrets (service text, did text, secret text);
INSERT INTO secrets VALUES
  ('own-hmac', 'did:web:a.example', 'a secret of the shop, 32 bytes..'),
  ('own-hmac', 'did:web:a.example', 'another secret, which is older'),
  ('own-hmac', 'did:web:b.example', 'the secret of b, which is longer'),
  ('own-hmac', 'did:web:weak.example', 'weak'), ('own-hmac', 'did:web:weak.example', NULL),
  ('own-letters', 'did:web:a.example', 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'),
  ('own-hotel', 'did:web:a.example', 'MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE='),
  ('own-hotel', 'did:web:b.example', 'no key of 32 bytes');";

const SETTINGS: &str = "
[webhook.own-hmac]
delivery_id = { header = \"X-Id\" }
hmac = { header = \"X-Signature\", secret_query = \"SELECT secret FROM secrets WHERE service = 'own-hmac' AND did = $1\" }

[webhook.own-loose]
delivery_id = { header = \"X-Id\" }
hmac = { header = \"X-Signature\", secret_query = \"SELECT secret FROM secrets WHERE service = 'own-hmac' AND did = lower($1)\" }

[webhook.own-letters]
standard = { secret_query = \"SELECT secret FROM secrets WHERE service = 'own-letters' AND did = $1\" }

[webhook.own-hotel]
jwe = { secret_query = \"SELECT secret FROM secrets WHERE service = 'own-hotel' AND did = $1\" }
";

async fn start() -> Service {
    Service::with_schema(SECRETS, SETTINGS).await
}

fn hmac(secret: &str) -> Value {
    json!({"kind": "hmac", "header": "X-Signature", "secret": secret})
}

/// The senders of the deliveries that are stored, in the order of their arrival.
async fn senders(service: &Service) -> Value {
    let query = "SELECT coalesce(json_agg(sender ORDER BY received_at), '[]')::text FROM \
                 postern.webhook_delivery";
    let text: String = service.sql.query_one(query, &[]).await.unwrap().get(0);
    serde_json::from_str(&text).unwrap()
}

#[tokio::test]
async fn each_sender_signs_with_its_own_secrets() {
    let service = start().await;
    let bodies: [(&str, &[u8]); 2] = [(SECRET, b"1"), ("another secret, which is older", b"2")];
    for (secret, body) in bodies {
        let delivery = Delivery::signed("own-hmac", hmac(secret), body).await;
        accepted(&service.send(&delivery.parameter("did", A)).await);
    }
    let delivery = Delivery::signed("own-hmac", hmac("the secret of b, which is longer"), b"1");
    accepted(&service.send(&delivery.await.parameter("did", B)).await);
    let kind = json!({"kind": "standard", "secret": WHSEC});
    let delivery = Delivery::signed("own-letters", kind, b"{}").await;
    accepted(&service.send(&delivery.parameter("did", A)).await);
    let expected = json!([{"did": A}, {"did": A}, {"did": B}, {"did": A}]);
    assert_eq!(senders(&service).await, expected);
}

#[tokio::test]
async fn secret_of_one_sender_proves_no_other() {
    let service = start().await;
    let own = Delivery::signed("own-hmac", hmac(SECRET), b"{}").await;
    for did in [B, "did:web:nobody.example", "", "did:web:weak.example"] {
        let reply = service.send(&own.clone().parameter("did", did)).await;
        assert_eq!(
            (reply.status, &reply.json()["message"]),
            (401, &json!(INVALID)),
            "{did}"
        );
    }
    let weak = Delivery::signed("own-hmac", hmac("weak"), b"{}").await;
    let reply = service
        .send(&weak.parameter("did", "did:web:weak.example"))
        .await;
    assert_eq!(reply.status, 401, "{}", reply.text);
    // Without a name there is no sender.
    let reply = service.send(&own).await;
    assert_eq!(
        (reply.status, &reply.json()["message"]),
        (401, &json!(UNVERIFIED))
    );
    let unsigned = own.clone().without("X-Signature").parameter("did", A);
    let reply = service.send(&unsigned).await;
    assert_eq!(
        (reply.status, &reply.json()["message"]),
        (401, &json!(MISSING))
    );
    assert_eq!(service.counts().await, (0, 0));
}

#[tokio::test]
async fn controller_that_a_token_claims_is_not_proved() {
    let service = start().await;
    let claims = json!({"service": "own-hotel", "controller": "c2", "room": 7});
    let kind = json!({"kind": "jwe", "secret": TOKEN_SECRET, "claims": claims});
    let token = Delivery::signed("own-hotel", kind, b"{}").await;
    accepted(&service.send(&token.clone().parameter("did", A)).await);
    let sender = &senders(&service).await[0];
    assert_eq!((&sender["did"], &sender["room"]), (&json!(A), &json!(7)));
    assert_eq!(sender.get("controller"), None, "{sender}");
    for did in [B, "did:web:nobody.example"] {
        let reply = service.send(&token.clone().parameter("did", did)).await;
        assert_eq!(
            (reply.status, &reply.json()["message"]),
            (401, &json!(UNVERIFIED)),
            "{did}"
        );
    }
}

/// The id of a delivery belongs to its sender: nobody takes the place of another's.
#[tokio::test]
async fn two_senders_may_use_one_id() {
    let service = start().await;
    for (did, secret) in [(A, SECRET), (B, "the secret of b, which is longer")] {
        let delivery = Delivery::signed("own-hmac", hmac(secret), did.as_bytes()).await;
        let delivery = delivery.header("X-Id", "1").parameter("did", did);
        accepted(&service.send(&delivery).await);
    }
    assert_eq!(senders(&service).await, json!([{"did": A}, {"did": B}]));
}

/// The URL is not signed: who repeats a delivery may spell the DID as the query allows.
#[tokio::test]
async fn delivery_is_repeated_under_no_other_spelling() {
    let service = start().await;
    let delivery = Delivery::signed("own-loose", hmac(SECRET), b"{}").await;
    let delivery = delivery.header("X-Id", "1");
    for did in [A, "DID:web:a.example", "did:web:A.example"] {
        accepted(&service.send(&delivery.clone().parameter("did", did)).await);
    }
    assert_eq!(senders(&service).await, json!([{"did": A}]));
}

//! Tests what is stored of a delivery and what the queue gets, that a repeated id is stored once,
//! and how deliveries are processed.

use serde_json::{Value, json};
use tests::reply::Reply;
use tests::webhook_senders::send_by_http2;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::service::{Delivery, Service, accepted};

#[tokio::test]
async fn raw_bytes_are_stored_before_the_answer_and_processed_once() {
    let service = Service::start().await;
    let body: Vec<u8> = (0..=255).chain(*b"\r\n {\"a\": 1 }\n").collect();
    let delivery = Delivery::shop(&body).await;
    let delivery = delivery
        .header("X-Shopify-Webhook-Id", "b54557e4")
        .header("X-Shopify-Topic", "orders/create");
    let delivery = delivery
        .header("X-Other", "is not stored")
        .header("Content-Type", "text/x-orders; a=\"b\"");
    let reply = service.send(&delivery.header("X-Request-Id", "r-1")).await;
    accepted(&reply);
    assert_eq!(reply.json()["data"], json!({"deliveryId": "b54557e4"}));
    assert_eq!(reply.header("cache-control"), "no-store");
    let columns = "service, delivery_id, verification, content_type, headers::text, \
                   sender::text, address, request_id, body, \
                   processed_at IS NULL";
    let row = service
        .sql
        .query_one(
            &format!("SELECT {columns} FROM postern.webhook_delivery"),
            &[],
        )
        .await
        .unwrap();
    let texts: Vec<String> = (0..8).map(|column| row.get(column)).collect();
    let expected = [
        "shop",
        "b54557e4",
        "hmac",
        "text/x-orders; a=\"b\"",
        "{\"x-shopify-topic\": \"orders/create\"}",
        "{}",
        "127.0.0.1",
        "r-1",
    ];
    assert_eq!(texts, expected);
    assert_eq!(
        (row.get::<_, Vec<u8>>(8), row.get::<_, bool>(9)),
        (body.clone(), true)
    );
    let columns = "trigger_name, kind, state, ordering_key IS NULL, payload::text";
    let event = service
        .sql
        .query_one(&format!("SELECT {columns} FROM postern.event_queue"), &[])
        .await
        .unwrap();
    let texts: Vec<String> = (0..3).map(|column| event.get(column)).collect();
    assert_eq!(
        (texts, event.get(3)),
        (
            vec![
                "webhook:shop".to_owned(),
                "webhook".into(),
                "pending".into()
            ],
            true
        )
    );
    let payload: Value = serde_json::from_str(event.get(4)).unwrap();
    assert_eq!(
        (&payload["deliveryId"], &payload["function"]),
        (&json!("b54557e4"), &json!("record"))
    );
    for _ in 0..2 {
        assert_eq!(service.process().await, Vec::<String>::new());
    }
    // The queue delivers the payload within an envelope.
    let envelope =
        json!({"event": {"op": "MANUAL", "data": {"old": null, "new": payload}}}).to_string();
    service
        .sql
        .execute(
            "UPDATE postern.webhook_delivery SET processed_at = NULL",
            &[],
        )
        .await
        .unwrap();
    service.sql.execute("DELETE FROM seen", &[]).await.unwrap();
    service
        .sql
        .execute(
            "SELECT postern.process_webhook($1::text::json)",
            &[&envelope],
        )
        .await
        .unwrap();
    let seen = service
        .sql
        .query("SELECT service, body FROM seen", &[])
        .await
        .unwrap();
    let seen: Vec<(String, Vec<u8>)> = seen.iter().map(|row| (row.get(0), row.get(1))).collect();
    assert_eq!(seen, [("shop".to_owned(), body)]);
    assert_eq!(service.counted("shop", "stored"), 1);
}

#[tokio::test]
async fn function_that_fails_leaves_nothing_and_is_called_again() {
    let service = Service::start().await;
    let kind = json!({"kind": "hmac", "header": "X-Signature", "prefix": "v=", "hash": "sha512", "encoding": "hex", "secret": super::service::SECRET});
    accepted(
        &service
            .send(&Delivery::signed("ledger", kind, b"{\"id\": 7}").await)
            .await,
    );
    let key = service
        .sql
        .query_one("SELECT ordering_key FROM postern.event_queue", &[])
        .await
        .unwrap();
    assert_eq!(key.get::<_, String>(0), "ledger");
    for _ in 0..2 {
        assert_eq!(service.process().await, ["cannot process 7"]);
    }
    assert!(
        service
            .sql
            .query("SELECT FROM seen", &[])
            .await
            .unwrap()
            .is_empty()
    );
    service
        .sql
        .batch_execute("DROP FUNCTION fail")
        .await
        .unwrap();
    assert_eq!(
        service.process().await,
        ["function fail(postern.webhook_delivery) does not exist"]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn repeated_id_is_stored_once_also_in_parallel() {
    let service = Service::start().await;
    let one = Delivery::shop(b"one")
        .await
        .header("X-Shopify-Webhook-Id", "1");
    let replies = futures_util::future::join_all((0..40).map(|_| service.send(&one))).await;
    replies.iter().for_each(accepted);
    let new = replies
        .iter()
        .filter(|reply| reply.json()["message"] == "event received")
        .count();
    assert_eq!((new, service.counts().await), (1, (1, 1)));
    assert_eq!(
        (
            service.counted("shop", "stored"),
            service.counted("shop", "repeated")
        ),
        (1, 39)
    );
    // The first body stays, whatever comes under its id; another id is another delivery, and so is
    // another service.
    accepted(
        &service
            .send(
                &Delivery::shop(b"two")
                    .await
                    .header("X-Shopify-Webhook-Id", "1"),
            )
            .await,
    );
    accepted(
        &service
            .send(
                &Delivery::shop(b"two")
                    .await
                    .header("X-Shopify-Webhook-Id", "2"),
            )
            .await,
    );
    accepted(
        &service
            .send(
                &Delivery::signed(
                    "code",
                    json!({"kind": "github", "secret": super::service::SECRET, "id": "1"}),
                    b"two",
                )
                .await,
            )
            .await,
    );
    assert_eq!(service.counts().await, (3, 3));
    let first = service.sql.query_one(
        "SELECT body FROM postern.webhook_delivery WHERE service = 'shop' AND delivery_id = '1'",
        &[],
    );
    assert_eq!(first.await.unwrap().get::<_, Vec<u8>>(0), b"one");
}

#[tokio::test]
async fn delivery_without_an_id_is_known_by_its_body() {
    let service = Service::start().await;
    for (body, is_new) in [
        (&b"{}"[..], true),
        (b"{}", false),
        (b"{ }", true),
        (b"", true),
        (b"", false),
    ] {
        let reply = service.send(&Delivery::shop(body).await).await;
        accepted(&reply);
        assert_eq!(
            reply.json()["message"] == "event received",
            is_new,
            "{}",
            reply.text
        );
        assert!(
            reply.json()["data"]["deliveryId"]
                .as_str()
                .unwrap()
                .starts_with("sha256:")
        );
    }
}

#[tokio::test]
async fn id_of_stripes_event_is_in_the_body() {
    let service = Service::start().await;
    let kind = || json!({"kind": "stripe", "secret": super::service::SECRET});
    let first = service
        .send(&Delivery::signed("payments", kind(), b"{\"id\":\"evt_1\",\"data\":{}}").await)
        .await;
    assert_eq!(first.json()["data"]["deliveryId"], "evt_1");
    // Stripe signs each attempt anew.
    let again = service
        .send(&Delivery::signed("payments", kind(), b"{\"id\":\"evt_1\",\"data\":{} }").await)
        .await;
    assert_eq!(again.json()["message"], "event received before");
    assert_eq!(service.counts().await, (1, 1));
}

#[tokio::test]
async fn both_paths_take_deliveries_and_only_by_post() {
    let service = Service::start().await;
    let delivery = Delivery::shop(b"{}").await;
    let url = service.url("shop").replace("/api/v1/", "/v1/");
    let mut request = service.client.post(&url).body("{}");
    for (name, value) in &delivery.headers {
        request = request.header(name, value);
    }
    accepted(&Reply::of(request).await.unwrap());
    let reply = Reply::of(service.client.get(&url)).await.unwrap();
    assert_eq!(
        (reply.status, reply.header("allow")),
        (405, "POST, OPTIONS")
    );
}

#[tokio::test]
async fn chunked_bodies_and_http2_are_taken() {
    let service = Service::start().await;
    let delivery = Delivery::shop(b"{\"chunked\":true}").await;
    let mut stream = tokio::net::TcpStream::connect(service.gateway.address())
        .await
        .unwrap();
    let head = format!(
        "POST /api/v1/integrations/shop/event HTTP/1.1\r\nHost: a\r\nConnection: \
         close\r\nTransfer-Encoding: chunked\r\n\
         X-Shopify-Hmac-Sha256: {}\r\n\r\n",
        delivery.value("X-Shopify-Hmac-Sha256")
    );
    stream.write_all(head.as_bytes()).await.unwrap();
    for byte in &delivery.body {
        stream
            .write_all(format!("1\r\n{}\r\n", char::from(*byte)).as_bytes())
            .await
            .unwrap();
        stream.flush().await.unwrap();
    }
    stream.write_all(b"0\r\n\r\n").await.unwrap();
    let mut response = String::new();
    stream.read_to_string(&mut response).await.unwrap();
    assert!(response.starts_with("HTTP/1.1 200 "), "{response}");
    let headers = json!({"X-Shopify-Hmac-Sha256": delivery.value("X-Shopify-Hmac-Sha256")});
    let response_value = send_by_http2(&service.url("shop"), &headers, "{\"chunked\":true}")
        .await
        .unwrap();
    assert_eq!(
        (
            &response_value["status"],
            &response_value["body"]["message"]
        ),
        (&json!(200), &json!("event received before")),
        "{response_value}"
    );
}

#[tokio::test]
async fn compressed_bodies_are_verified_and_stored_as_sent() {
    let service = Service::start().await;
    let body = b"\x1f\x8b these bytes are not inflated";
    let delivery = Delivery::shop(body)
        .await
        .header("Content-Encoding", "gzip");
    accepted(&service.send(&delivery).await);
    let row = service.sql.query_one(
        "SELECT body, headers ->> 'content-encoding' FROM postern.webhook_delivery",
        &[],
    );
    let row = row.await.unwrap();
    assert_eq!(
        (row.get::<_, Vec<u8>>(0), row.get::<_, String>(1)),
        (body.to_vec(), "gzip".into())
    );
}

#[tokio::test]
async fn service_without_a_function_only_stores() {
    let service = Service::start().await;
    let kind = json!({"kind": "hmac", "header": "X-Signature", "hash": "sha1", "encoding": "hex", "secret": super::service::SECRET});
    accepted(
        &service
            .send(&Delivery::signed("old", kind, b"{}").await)
            .await,
    );
    assert_eq!(service.counts().await, (1, 0));
}

#[tokio::test]
async fn lost_connections_to_the_database_lose_no_acknowledged_delivery() {
    let service = Service::start().await;
    for number in 0..6 {
        let delivery = Delivery::shop(format!("{number}").as_bytes()).await;
        let end = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = \
                   current_database() AND pid <> pg_backend_pid()";
        service.sql.execute(end, &[]).await.unwrap();
        // A sender repeats what is not acknowledged.
        let sent = async { while service.send(&delivery).await.status != 200 {} };
        tokio::time::timeout(std::time::Duration::from_secs(30), sent)
            .await
            .expect("it is acknowledged at last");
        assert_eq!(service.counts().await, (number + 1, number + 1));
    }
}

/// Shopify and GitHub sign the body and not the id.
#[tokio::test(flavor = "multi_thread")]
async fn body_is_not_taken_again_under_another_id() {
    let service = Service::start().await;
    let shop = Delivery::shop(b"{\"order\": 1}").await;
    let github = json!({"kind": "github", "secret": super::service::SECRET, "id": "1"});
    let code = Delivery::signed("code", github, b"{\"push\": 1}").await;
    for (delivery, header) in [(shop, "X-Shopify-Webhook-Id"), (code, "X-GitHub-Delivery")] {
        let named = |id: &str| {
            let mut delivery = delivery.clone();
            delivery
                .headers
                .retain(|(name, _)| !name.eq_ignore_ascii_case(header));
            delivery.header(header, id)
        };
        let messages = [
            ("a", "event received"),
            ("b", "event received before"),
            ("a", "event received before"),
        ];
        for (id, message) in messages {
            let reply = service.send(&named(id)).await;
            assert_eq!(
                (reply.status, &reply.json()["message"]),
                (200, &json!(message)),
                "{header} {id}"
            );
        }
    }
    assert_eq!(service.counts().await, (2, 2));
}

#[tokio::test(flavor = "multi_thread")]
async fn contents_of_old_deliveries_are_removed() {
    let service = Service::start().await;
    let insert = "INSERT INTO postern.webhook_delivery (id, service, delivery_id, verification, headers, sender, address, body, received_at, processed_at)
         SELECT gen_random_uuid(), s.service, s.id, 'hmac', '{\"a\": \"b\"}', '{\"c\": \"d\"}', '192.0.2.1', 'secret', now() - s.age, s.processed
         FROM (VALUES ('shop', 'old', interval '31 days', now()), ('shop', 'new', interval '29 days', now()), ('shop', 'open', interval '31 days', NULL),
                      ('gone', 'other', interval '31 days', now())) s (service, id, age, processed)";
    service.sql.batch_execute(insert).await.unwrap();
    // Another gateway on the same database begins with it.
    let second = super::service::builder(&service.database, super::service::SETTINGS)
        .start()
        .await
        .unwrap();
    let erased = "SELECT coalesce(string_agg(delivery_id, ' '), '') FROM \
                  postern.webhook_delivery \
                  WHERE erased_at IS NOT NULL AND body = '' AND headers = '{}' AND sender = '{}' \
                  AND address IS NULL";
    tests::wait::until("the old one", async || {
        service
            .sql
            .query_one(erased, &[])
            .await
            .unwrap()
            .get::<_, String>(0)
            == "old"
    })
    .await;
    // Its id is still known.
    let again = service
        .send(
            &Delivery::shop(b"again")
                .await
                .header("X-Shopify-Webhook-Id", "old"),
        )
        .await;
    assert_eq!(
        again.json()["message"],
        "event received before",
        "{}",
        again.text
    );
    second.shutdown().await;
}

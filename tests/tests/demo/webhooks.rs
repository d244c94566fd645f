//! Tests the demo's eight services: line 1 of its output has all that a sender needs, and each
//! delivery becomes a processing activity of the person.

use serde_json::{Value, json};
use tests::reply::Reply;
use tests::webhook_senders::{Signed, sign};

use super::Demo;

/// The services, with type and source of the activity that their sample becomes.
const SERVICES: [(&str, &str, &str); 8] = [
    ("ecommerce", "order_placed", "web_shop"),
    ("payments", "payment_received", "payment_provider"),
    ("email-marketing", "newsletter_opened", "email_marketing"),
    ("accounting", "invoice_sent", "accounting"),
    ("crm", "profile_changed", "crm"),
    ("survey", "survey_answered", "survey_tool"),
    ("events", "order_placed", "event_tool"),
    ("hotel", "order_placed", "reservation_system"),
];

/// What a service's sender adds to a request, by what line 1 says of the service.
async fn signed(fact: &Value, body: &[u8]) -> Signed {
    let library = match fact["verification"].as_str().unwrap() {
        "hmac" => {
            json!({"kind": "hmac", "hash": fact["algorithm"], "prefix": fact["prefix"].as_str().unwrap_or_default()})
        }
        "legacy" => return keyed(fact),
        kind => json!({"kind": kind, "algorithm": fact["algorithm"].as_str().unwrap_or_default()}),
    };
    let mut delivery = fact.clone();
    delivery
        .as_object_mut()
        .unwrap()
        .extend(library.as_object().unwrap().clone());
    sign(delivery, body).await.unwrap()
}

fn keyed(fact: &Value) -> Signed {
    let text = |name: &str| fact[name].as_str().unwrap().to_owned();
    let query = [
        ("did".to_owned(), text("did")),
        (text("parameter"), text("key")),
    ]
    .into();
    Signed {
        headers: [].into(),
        query,
    }
}

async fn deliver(demo: &Demo, fact: &Value, signed: &Signed, body: &[u8]) -> Reply {
    let mut request = demo
        .client
        .post(fact["url"].as_str().unwrap())
        .query(&signed.query);
    for (name, value) in &signed.headers {
        request = request.header(name, value);
    }
    Reply::of(
        request
            .header("Content-Type", "application/json")
            .body(body.to_vec()),
    )
    .await
    .unwrap()
}

/// Processes the deliveries that wait, each in a transaction of its own, as the gateway does
/// meanwhile: one transaction for all of them would hold locks of one person while it waits for the
/// gateway's work on another.
async fn process_pending(sql: &tokio_postgres::Client) {
    let ids = sql
        .query(
            "SELECT id::text FROM postern.event_queue WHERE kind = 'webhook'",
            &[],
        )
        .await
        .unwrap();
    for id in ids.iter().map(|row| row.get::<_, String>(0)) {
        let process = "SELECT postern.process_webhook(payload) FROM postern.event_queue WHERE id \
                       = $1::text::uuid";
        sql.query(process, &[&id]).await.unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn webhooks_of_every_kind_become_processing_activities() {
    let demo = Demo::start(&[]);
    let facts = demo.facts["webhooks"].clone();
    assert_eq!(facts.as_object().unwrap().len(), SERVICES.len());
    let sql = tests::database::connect(demo.fact("database_url"))
        .await
        .unwrap();
    let subject = demo.fact("data_subject_id");
    let count = "SELECT count(*) FROM data_processing_activities a JOIN \
                 data_processing_activity_types t ON t.id = a.type_id \
                 JOIN data_processing_activity_sources s ON s.id = a.source_id \
                 WHERE a.data_subject_id::text = $1 AND t.code = $2 AND s.code = $3";
    for (service, kind, source) in SERVICES {
        let activities = async || {
            sql.query_one(count, &[&subject, &kind, &source])
                .await
                .unwrap()
                .get::<_, i64>(0)
        };
        let fact = &facts[service];
        let before = activities().await;
        let body = fact["sample"].to_string().into_bytes();
        let signed = signed(fact, &body).await;
        for message in ["event received", "event received before"] {
            let reply = deliver(&demo, fact, &signed, &body).await;
            assert_eq!(
                (reply.status, &reply.json()["message"]),
                (200, &json!(message)),
                "{service}: {}",
                reply.text
            );
        }
        let mut forged = body.clone();
        forged[2] ^= 1;
        let unsigned = Signed {
            headers: [].into(),
            query: [].into(),
        };
        let (forgery, body) = if signed.query.is_empty() {
            (&signed, &forged)
        } else {
            (&unsigned, &body)
        };
        let reply = deliver(&demo, fact, forgery, body).await;
        assert_eq!(
            (reply.status, &reply.json()["status"]),
            (401, &json!("error")),
            "{service}: {}",
            reply.text
        );
        process_pending(&sql).await;
        assert_eq!(activities().await, before + 1, "{service}");
    }
    // The tool for events may still send the older key; tokens and keys are for one service.
    let body = b"{\"attendee\":{\"email\":\"new.person@mail.example\"}}";
    let reply = deliver(
        &demo,
        &facts["events"],
        &keyed(&facts["events"]["legacy"]),
        body,
    )
    .await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    let hotel = Signed {
        headers: [].into(),
        query: [(
            "token".into(),
            facts["hotel"]["token"].as_str().unwrap().into(),
        )]
        .into(),
    };
    // Each service has the person's address in a field of its own; another address in a report is
    // nobody's.
    let guest =
        b"{\"note\":\"other@mail.example\",\"guest\":{\"email\":\"new.person@mail.example\"}}";
    assert_eq!(
        deliver(&demo, &facts["hotel"], &hotel, guest).await.status,
        200
    );
    assert_eq!(
        deliver(&demo, &facts["events"], &hotel, body).await.status,
        401
    );
    // Both name a person whom the controller has not met: one new data subject.
    process_pending(&sql).await;
    let found = sql
        .query(
            "SELECT data_controller_id::text FROM data_subjects WHERE email = \
                'new.person@mail.example'",
            &[],
        )
        .await;
    let found: Vec<String> = found.unwrap().iter().map(|row| row.get(0)).collect();
    assert_eq!(found, [demo.fact("data_controller_id")]);
}

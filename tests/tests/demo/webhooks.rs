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

/// What the service has recorded last about a person: the activity with the codes of its fields.
const LAST: &str = "SELECT t.code || ' ' || array_to_string(ARRAY(SELECT f.code FROM \
                    data_processing_activity_fields f WHERE f.id = ANY (a.field_ids) ORDER BY \
                    f.code), ',') FROM data_processing_activities a JOIN \
                    data_processing_activity_types t ON t.id = a.type_id WHERE a.data_subject_id \
                    = $1::text::uuid ORDER BY a.triggered_at DESC, a.id LIMIT 1";

const NEWSLETTER: &str = "SELECT concat_ws(' ', v.value, v.given_by, v.form, (SELECT concat_ws(' \
                          ', h.value, h.given_by) FROM data_subject_consent_history h WHERE \
                          h.data_subject_consent_form_value_id = v.id ORDER BY h.replaced_at DESC \
                          LIMIT 1)) FROM data_subject_consent_form_values v WHERE \
                          v.data_subject_id = $1::text::uuid AND \
                          v.data_controller_processing_purpose_id = $2::text::uuid";

#[tokio::test(flavor = "multi_thread")]
async fn reports_have_the_effects_that_they_name() {
    let demo = Demo::start(&[]);
    let facts = demo.facts["webhooks"].clone();
    let sql = tests::database::connect(demo.fact("database_url"))
        .await
        .unwrap();
    let subject = demo.fact("data_subject_id");
    let purpose = demo.fact("purpose_id");
    let address = "lena.fischer@mail.example";
    let report = async |service: &str, body: Value| {
        // A delivery with an id of its own is not taken for the one before.
        let mut fact = facts[service].clone();
        fact["id"] = json!(uuid::Uuid::new_v4().to_string());
        let body = body.to_string().into_bytes();
        let signed = signed(&fact, &body).await;
        let reply = deliver(&demo, &fact, &signed, &body).await;
        assert_eq!(
            (reply.status, &reply.json()["message"]),
            (200, &json!("event received")),
            "{service}: {}",
            reply.text
        );
        process_pending(&sql).await;
    };
    let newsletter = async |subject: &str| {
        let row = sql
            .query_opt(NEWSLETTER, &[&subject, &purpose])
            .await
            .unwrap();
        row.map(|row| row.get::<_, String>(0))
    };
    let last = async || {
        sql.query_one(LAST, &[&subject])
            .await
            .unwrap()
            .get::<_, String>(0)
    };
    let agree = async || {
        let statement = format!(
            "UPDATE data_subject_consent_form_values SET value = 'true', given_by = 'person', \
             form = 'api' WHERE data_subject_id = '{subject}' AND \
             data_controller_processing_purpose_id = '{purpose}'"
        );
        sql.batch_execute(&statement).await.unwrap();
    };

    // A person who unsubscribes in the newsletter tool withdraws the consent.
    for (service, body) in [
        (
            "email-marketing",
            json!({"type": "contact.unsubscribed", "data": {"email": address}}),
        ),
        (
            "email-marketing",
            json!({"type": "email.complained", "data": {"to": [address], "subject": "News"}}),
        ),
        (
            "email-marketing",
            json!({"type": "contact.updated", "data": {"email": address, "unsubscribed": true}}),
        ),
        (
            "crm",
            json!({"event": "contact.opted_out", "contact": {"email": address}}),
        ),
        (
            "hotel",
            json!({"event": "guest.opted_out", "guest": {"email": address}}),
        ),
    ] {
        agree().await;
        report(service, body.clone()).await;
        let expected = format!("false integration webhook:{service} true person");
        assert_eq!(newsletter(subject).await, Some(expected), "{body}");
        assert!(last().await.starts_with("consent_withdrawn"), "{body}");
    }
    agree().await;
    let contact = json!({"email": address, "email_opt_out": true});
    report(
        "crm",
        json!({"event": "contact.updated", "contact": contact}),
    )
    .await;
    assert_eq!(
        newsletter(subject).await.as_deref(),
        Some("false integration webhook:crm true person")
    );
    // A report gives no consent, and one of a mail that was not delivered says nothing.
    let before = (newsletter(subject).await, last().await);
    for body in [
        json!({"type": "contact.subscribed", "data": {"email": address}}),
        json!({"type": "contact.updated", "data": {"email": address, "unsubscribed": false}}),
        json!({"type": "email.bounced", "data": {"to": [address]}}),
    ] {
        report("email-marketing", body).await;
    }
    assert_eq!((newsletter(subject).await, last().await), before);
    // A person who was never asked has said no.
    let stranger =
        json!({"type": "contact.unsubscribed", "data": {"email": "stranger@mail.example"}});
    report("email-marketing", stranger).await;
    let stranger: String = sql
        .query_one(
            "SELECT id::text FROM data_subjects WHERE email = 'stranger@mail.example'",
            &[],
        )
        .await
        .unwrap()
        .get(0);
    assert_eq!(
        newsletter(&stranger).await.as_deref(),
        Some("false integration webhook:email-marketing")
    );

    // The CRM's contact data is taken over, if it is any.
    let person = async || {
        let query = "SELECT concat_ws(' ', display_name, country, language, email) FROM \
                     data_subjects WHERE id = $1::text::uuid";
        sql.query_one(query, &[&subject])
            .await
            .unwrap()
            .get::<_, String>(0)
    };
    let contact =
        json!({"email": address, "name": "Lena Neu", "country": "at", "language": "nl-BE"});
    report(
        "crm",
        json!({"event": "contact.updated", "contact": contact}),
    )
    .await;
    assert_eq!(person().await, format!("Lena Neu AT nl {address}"));
    assert_eq!(
        last().await,
        "profile_changed email,first_name,language,last_name"
    );
    let contact = json!({"email": address, "name": " ", "country": "Germany", "language": "fr"});
    report(
        "crm",
        json!({"event": "contact.updated", "contact": contact}),
    )
    .await;
    assert_eq!(person().await, format!("Lena Neu AT nl {address}"));
    let contact = json!({"dataSubjectId": subject, "event": "contact.updated", "contact": {"email": "stranger@mail.example"}});
    report("crm", contact).await;
    assert_eq!(
        person().await,
        format!("Lena Neu AT nl {address}"),
        "another person has that address"
    );
    let contact = json!({"dataSubjectId": subject, "event": "contact.updated", "contact": {"email": "Lena.Neu@mail.example"}});
    report("crm", contact).await;
    assert_eq!(person().await, "Lena Neu AT nl lena.neu@mail.example");

    // Fields that a report did not have were not touched.
    let address = "lena.neu@mail.example";
    for (service, body, expected) in [
        (
            "ecommerce",
            json!({"id": 7, "email": address}),
            "order_placed email,order_number",
        ),
        (
            "hotel",
            json!({"event": "reservation.created", "guest": {"email": address}}),
            "order_placed email",
        ),
        (
            "hotel",
            json!({"event": "reservation.created", "guest": {"email": address, "allergies": "nuts"}}),
            "order_placed allergies,email",
        ),
        (
            "accounting",
            json!({"event": "invoice.sent", "invoice": {"total": 5, "customer": {"email": address}}}),
            "invoice_sent email,order_total",
        ),
    ] {
        report(service, body).await;
        assert_eq!(last().await, expected, "{service}");
    }
}

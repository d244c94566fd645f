//! Tests the privacy service's actions: entering a data subject, and saving consents.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};
use tests::reply::ReplyError;

use super::{Caller, Demo};

const CREATE: &str = "mutation ($input: CreateDataSubjectInput!) { createDataSubject(input: \
                      $input) \
                      { dataSubjectId message dataSubject { displayName email country \
                      dataController { id } } } }";

const CONSENTS: &str = "mutation ($controller: uuid!, $subject: uuid!, $purposes: jsonb!) { \
                        upsertDataSubjectConsents(dataControllerId: $controller, dataSubjectId: \
                        $subject, purposes: $purposes) \
                        { status message data { dataSubjectId upsertedCount consentCookie } } }";

const DENIED: &str = "Access denied to data controller resources";

#[tokio::test(flavor = "multi_thread")]
async fn actions_change_only_what_the_caller_may_change() {
    let demo = Demo::start(&[]);
    subjects_are_created(&demo).await;
    consents_are_saved(&demo).await;
    foreign_subjects_and_controllers_are_refused(&demo).await;
}

fn input(controller: &str) -> Value {
    json!({"input": {"event": "data_subject.create", "dataControllerId": controller,
                     "payload": {"displayName": "Nele Brandt", "email": "nele@example.com", "country": "DE"}}})
}

fn consents(demo: &Demo, purposes: &Value) -> Value {
    json!({"controller": demo.fact("data_controller_id"), "subject": demo.fact("data_subject_id"), "purposes": purposes})
}

async fn subjects(demo: &Demo) -> Value {
    demo.ask_as_admin(
        "{ dataSubjectsAggregate { aggregate { count } } }",
        json!({}),
    )
    .await
    .data()
}

async fn values(demo: &Demo) -> Value {
    let query = "{ dataSubjectConsentFormValues(order_by: {id: asc}) { id value } }";
    demo.ask_as_admin(query, json!({})).await.data()
}

async fn subjects_are_created(demo: &Demo) {
    let reply = demo
        .ask("user", CREATE, input(demo.fact("data_controller_id")))
        .await;
    let created = &reply.data()["createDataSubject"];
    assert_eq!(created["message"], "Data subject created", "{}", reply.text);
    let expected = json!({"displayName": "Nele Brandt", "email": "nele@example.com", "country": "DE",
                          "dataController": {"id": demo.fact("data_controller_id")}});
    assert_eq!(created["dataSubject"], expected);
    let before = subjects(demo).await;
    let mut wrong = input(demo.fact("data_controller_id"));
    wrong["input"]["event"] = json!("data_subject.delete");
    assert_eq!(
        demo.ask("user", CREATE, wrong).await.error().code,
        "action-failed"
    );
    let mut wrong = input(demo.fact("data_controller_id"));
    wrong["input"]["payload"]["email"] = json!("nobody");
    assert_eq!(
        demo.ask("user", CREATE, wrong).await.error().code,
        "constraint-violation"
    );
    assert_eq!(
        demo.ask("user", CREATE, json!({"input": {"dataControllerId": "x"}}))
            .await
            .error()
            .code,
        "constraint-violation"
    );
    assert_eq!(
        demo.ask(
            "dataSubject",
            CREATE,
            input(demo.fact("data_controller_id"))
        )
        .await
        .error()
        .code,
        "validation-failed"
    );
    assert_eq!(subjects(demo).await, before);
}

async fn consents_are_saved(demo: &Demo) {
    for (role, given) in [("dataSubject", false), ("user", true)] {
        let purposes = json!({demo.fact("purpose_id"): given});
        let reply = demo.ask(role, CONSENTS, consents(demo, &purposes)).await;
        let saved = &reply.data()["upsertDataSubjectConsents"];
        assert_eq!(
            (&saved["status"], &saved["data"]["upsertedCount"]),
            (&json!("success"), &json!(1)),
            "{}",
            reply.text
        );
        assert_eq!(saved["data"]["dataSubjectId"], demo.fact("data_subject_id"));
        let query = format!(
            "{{ dataSubjectConsentFormValues(where: {{dataSubjectId: {{_eq: \"{}\"}}, \
             dataControllerProcessingPurposeId: {{_eq: \"{}\"}}}}) {{ value }} }}",
            demo.fact("data_subject_id"),
            demo.fact("purpose_id")
        );
        let stored = demo.ask_as_admin(&query, json!({})).await.data();
        assert_eq!(
            stored["dataSubjectConsentFormValues"],
            json!([{"value": given.to_string()}])
        );
        let cookie = saved["data"]["consentCookie"].as_str().unwrap();
        let (payload, signature) = cookie.split_once('.').unwrap();
        let payload: Value =
            serde_json::from_slice(&URL_SAFE_NO_PAD.decode(payload).unwrap()).unwrap();
        // All of the person's consents are in it, and this one as it has just been saved.
        assert_eq!(
            (
                &payload["purposes"][demo.fact("purpose_id")],
                &payload["dataSubjectId"]
            ),
            (&json!(given), &json!(demo.fact("data_subject_id")))
        );
        assert!(
            payload["purposes"].as_object().unwrap().len() > 1,
            "{payload}"
        );
        assert_eq!(URL_SAFE_NO_PAD.decode(signature).unwrap().len(), 32);
        cookie_is_verified(demo, cookie).await;
    }
}

async fn cookie_is_verified(demo: &Demo, cookie: &str) {
    let (client, connection) =
        tokio_postgres::connect(demo.fact("database_url"), tokio_postgres::NoTls)
            .await
            .unwrap();
    tokio::spawn(connection);
    let verified = async |cookie: &str| {
        let row = client
            .query_one("SELECT verify_consent_cookie($1)::text", &[&cookie])
            .await
            .unwrap();
        row.get::<_, Option<String>>(0)
    };
    assert!(verified(cookie).await.is_some());
    let forged = cookie.replacen("eyJ", "eyI", 1);
    assert_eq!(verified(&forged).await, None);
    assert_eq!(verified(&cookie[..cookie.len() - 2]).await, None);
    // The signature is HMAC-SHA256 as RFC 4231 has it: test case 2.
    let row = client
        .query_one(
            "SELECT encode(hmac_sha256('what do ya want for nothing?', 'Jefe'), 'hex')",
            &[],
        )
        .await
        .unwrap();
    assert_eq!(
        row.get::<_, String>(0),
        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"
    );
}

async fn foreign_subjects_and_controllers_are_refused(demo: &Demo) {
    let before = subjects(demo).await;
    let stored = values(demo).await;
    let other = demo.fact("other_data_controller_id");
    let unknown = "00000000-0000-0000-0000-000000000000";
    for controller in [other, unknown] {
        let reply = demo.ask("user", CREATE, input(controller)).await;
        assert_eq!(
            reply.error(),
            ReplyError::new(200, "permission-error", DENIED),
            "{}",
            reply.text
        );
    }
    let purpose = demo.fact("purpose_id");
    let own = (
        demo.fact("data_controller_id"),
        demo.fact("data_subject_id"),
    );
    let foreign = demo.fact("other_data_subject_id");
    let cases = [
        (own.0, foreign, json!({purpose: true})),
        (other, own.1, json!({purpose: true})),
        (other, foreign, json!({})),
        (own.0, unknown, json!({})),
        (own.0, own.1, json!({unknown: true})),
        (own.0, own.1, json!({purpose: false, unknown: true})),
    ];
    for role in ["user", "dataSubject"] {
        for (controller, subject, purposes) in cases.clone() {
            let variables =
                json!({"controller": controller, "subject": subject, "purposes": purposes});
            let reply = demo.ask(role, CONSENTS, variables).await;
            assert_eq!(
                reply.error(),
                ReplyError::new(200, "permission-error", DENIED),
                "{role}: {}",
                reply.text
            );
        }
        for purposes in [
            json!({"x": true}),
            json!({purpose: "true"}),
            json!([]),
            json!({purpose: null}),
        ] {
            let reply = demo.ask(role, CONSENTS, consents(demo, &purposes)).await;
            assert_eq!(
                reply.error().code,
                "action-failed",
                "{role}: {}",
                reply.text
            );
        }
    }
    // A token without the subject's id, and roles without the action.
    let nobody = Caller {
        role: "dataSubject",
        values: &[],
    };
    let reply = demo
        .ask_as(nobody, CONSENTS, consents(demo, &json!({purpose: true})))
        .await;
    assert_eq!(reply.error().code, "permission-error", "{}", reply.text);
    for (role, code) in [
        ("me", "validation-failed"),
        ("anonymous", "permission-error"),
    ] {
        let reply = demo.ask(role, CONSENTS, consents(demo, &json!({}))).await;
        assert_eq!(reply.error().code, code, "{role}: {}", reply.text);
    }
    assert_eq!((subjects(demo).await, values(demo).await), (before, stored));
}

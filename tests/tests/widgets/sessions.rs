//! Tests the sessions of widgets: visitors and identified persons, whose data they reach, and who
//! is refused.

use std::time::{SystemTime, UNIX_EPOCH};

use jsonwebtoken::{EncodingKey, Header};
use serde_json::{Value, json};

use super::service::Service;
use tests::reply::Reply;

const ONE: &str = "visitor-one-0123456789-0123456789-012345678";
const TWO: &str = "visitor-two-0123456789-0123456789-012345678";

fn identity(service: &Service, subject: &str, controller: &str) -> String {
    let now = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap()
        .as_secs();
    let key = EncodingKey::from_secret(service.identity_key().as_bytes());
    jsonwebtoken::encode(
        &Header::default(),
        &json!({"sub": subject, "aud": controller, "exp": now + 60}),
        &key,
    )
    .unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn visitor_reaches_only_its_own_pseudonym() {
    let service = Service::start().await;
    let controller = service.fact("data_controller_id");
    let purpose = service.fact("purpose_id");
    let count = "SELECT count(*)::text FROM widget_visitors";

    // Reading needs no person, and makes none.
    let reader = service
        .session_from(None, &json!({"controllerId": controller}))
        .await
        .json();
    assert_eq!(
        (&reader["role"], &reader["dataSubjectId"]),
        (&json!("anonymous"), &Value::Null)
    );
    assert_eq!(
        (&reader["roleHeader"], &reader["accessTokenExpiresIn"]),
        (&json!("X-Gateway-Role"), &json!(900))
    );
    let found = service
        .ask(
            &reader,
            &format!("{{ dataController(id: \"{controller}\") {{ dpoEmail }} }}"),
        )
        .await;
    assert!(
        found["data"]["dataController"]["dpoEmail"]
            .as_str()
            .unwrap()
            .contains('@'),
        "{found}"
    );
    let refused = service
        .ask(&reader, "{ dataSubjectConsentFormValues { id } }")
        .await;
    assert_eq!(
        refused["errors"][0]["extensions"]["code"], "permission-error",
        "{refused}"
    );
    assert_eq!(service.database(count).await, "0");

    // The database learns the digest of the secret alone.
    let one = service.visitor(ONE).await;
    let two = service.visitor(TWO).await;
    assert_eq!(
        service.visitor(ONE).await["dataSubjectId"],
        one["dataSubjectId"]
    );
    assert_ne!(one["dataSubjectId"], two["dataSubjectId"]);
    assert_eq!(service.database(count).await, "2");
    let digests = "SELECT string_agg(encode(digest, 'hex'), ' ') FROM widget_visitors";
    assert!(
        service
            .database(digests)
            .await
            .contains(&plugins::token_exchange::digest(ONE))
    );

    let consent = |subject: &Value, purpose: &str| {
        format!(
            "mutation {{ insertDataSubjectConsentFormValue(object: {{dataSubjectId: {subject}, \
             dataControllerProcessingPurposeId: \"{purpose}\", value: \"true\"}}) {{ id }} }}"
        )
    };
    let made = service
        .ask(&one, &consent(&one["dataSubjectId"], purpose))
        .await;
    assert!(
        made["data"]["insertDataSubjectConsentFormValue"]["id"].is_string(),
        "{made}"
    );
    let seen = "{ dataSubjectConsentFormValues { value } }";
    assert_eq!(
        service.ask(&one, seen).await["data"]["dataSubjectConsentFormValues"],
        json!([{"value": "true"}])
    );
    assert_eq!(
        service.ask(&two, seen).await["data"]["dataSubjectConsentFormValues"],
        json!([])
    );

    // Neither in another's name, nor for a purpose of another controller.
    let foreign = service
        .ask(&two, &consent(&one["dataSubjectId"], purpose))
        .await;
    assert_eq!(
        foreign["errors"][0]["extensions"]["code"], "permission-error",
        "{foreign}"
    );
    let other = format!(
        "SELECT id::text FROM data_controller_processing_purposes WHERE status = 'active' AND \
         data_controller_id = '{}' LIMIT 1",
        service.fact("other_data_controller_id")
    );
    let elsewhere = service
        .ask(
            &two,
            &consent(&two["dataSubjectId"], &service.database(&other).await),
        )
        .await;
    assert_eq!(
        elsewhere["errors"][0]["extensions"]["code"], "permission-error",
        "{elsewhere}"
    );

    // The same secret at another controller is another visitor, and an unknown controller has none.
    let body = json!({"controllerId": service.fact("other_data_controller_id"), "visitor": ONE});
    assert_ne!(
        service.session_from(None, &body).await.json()["dataSubjectId"],
        one["dataSubjectId"]
    );
    let body = json!({"controllerId": "00000000-0000-4000-8000-000000000000", "visitor": ONE});
    assert_eq!(service.session_from(None, &body).await.status, 401);
}

#[tokio::test(flavor = "multi_thread")]
async fn visitor_is_a_data_subject_from_the_first_choice_on() {
    let service = Service::start().await;
    let controller = service.fact("data_controller_id");
    let purpose = service.fact("purpose_id");
    let people = async || {
        service
            .database("SELECT count(*)::text FROM data_subjects")
            .await
    };
    let without_visitors = people().await;
    let secrets = ["consent", "action", "request", "nothing"].map(|name| format!("{name:-<43}"));
    let [one, two, three, idle] = &secrets;
    let [one, two, three, idle] = [
        service.visitor(one).await,
        service.visitor(two).await,
        service.visitor(three).await,
        service.visitor(idle).await,
    ];
    assert_eq!(people().await, without_visitors);

    // Nothing is recorded about a visitor who has chosen nothing.
    let kinds = service
        .ask(
            &one,
            "{ dataProcessingActivityTypes(where: {code: {_eq: \"page_view\"}}) { id } \
             dataProcessingActivitySources(where: {code: {_eq: \"website\"}}) { id } }",
        )
        .await;
    let track = async |session: &Value| {
        let document = format!(
            "mutation {{ insertDataProcessingActivity(object: {{dataSubjectId: {}, typeId: {}, \
             sourceId: {}}}) {{ id }} }}",
            session["dataSubjectId"],
            kinds["data"]["dataProcessingActivityTypes"][0]["id"],
            kinds["data"]["dataProcessingActivitySources"][0]["id"]
        );
        service.ask(session, &document).await
    };
    let refused = track(&one).await;
    assert_eq!(
        refused["errors"][0]["message"],
        "activities of a visitor are recorded after a first choice",
        "{refused}"
    );
    assert_eq!(people().await, without_visitors);

    // A consent, the action of the consent form and a request are choices.
    let consent = format!(
        "mutation {{ insertDataSubjectConsentFormValue(object: {{dataSubjectId: {}, \
         dataControllerProcessingPurposeId: \"{purpose}\", value: \"true\"}}) {{ id }} }}",
        one["dataSubjectId"]
    );
    let action = format!(
        "mutation ($purposes: jsonb!) {{ upsertDataSubjectConsents(dataControllerId: \
         \"{controller}\", dataSubjectId: {}, purposes: $purposes) {{ status }} }}",
        two["dataSubjectId"]
    );
    let request = format!(
        "mutation {{ insertDataSubjectsRightsRequest(object: {{dataSubjectId: {}, requestType: \
         \"access\"}}) {{ id }} }}",
        three["dataSubjectId"]
    );
    for (session, document, variables) in [
        (&one, consent, json!({})),
        (&two, action, json!({"purposes": {purpose: false}})),
        (&three, request, json!({})),
    ] {
        let made = service.ask_with(session, &document, &variables).await;
        assert!(
            made["errors"].is_null() && made["data"].is_object(),
            "{made}"
        );
        let person = format!(
            "SELECT data_controller_id::text FROM data_subjects WHERE id = '{}'",
            session["dataSubjectId"].as_str().unwrap()
        );
        assert_eq!(service.database(&person).await, controller);
    }
    let recorded = track(&one).await;
    assert!(
        recorded["data"]["insertDataProcessingActivity"]["id"].is_string(),
        "{recorded}"
    );
    assert_eq!(
        people().await.parse::<u32>().unwrap(),
        without_visitors.parse::<u32>().unwrap() + 3
    );

    // A pseudonym that chose nothing ends a day after its last session, and one whose person is
    // deleted ends with the person.
    let pseudonyms = "SELECT count(*)::text FROM widget_visitors";
    assert_eq!(service.database(pseudonyms).await, "4");
    let forget = "SELECT concat(forget_idle_visitors())";
    service.database(forget).await;
    assert_eq!(service.database(pseudonyms).await, "4");
    service
        .database(
            "WITH aged AS (UPDATE widget_visitors SET seen_at = now() - interval '25 hours' \
             RETURNING 1) SELECT count(*)::text FROM aged",
        )
        .await;
    service.database(forget).await;
    assert_eq!(service.database(pseudonyms).await, "3");
    assert_ne!(
        service.visitor(&secrets[3]).await["dataSubjectId"],
        idle["dataSubjectId"]
    );
    service
        .database(
            "WITH person AS (INSERT INTO data_subjects (id, data_controller_id) SELECT \
             data_subject_id, data_controller_id FROM widget_visitors WHERE seen_at > now() - \
             interval '1 hour' RETURNING 1) SELECT count(*)::text FROM person",
        )
        .await;
    service
        .database(
            "WITH gone AS (DELETE FROM data_subjects s USING widget_visitors v WHERE v.seen_at > \
             now() - interval '1 hour' AND v.data_subject_id = s.id RETURNING 1) SELECT \
             count(*)::text FROM gone",
        )
        .await;
    assert_eq!(service.database(pseudonyms).await, "3");
}

#[tokio::test(flavor = "multi_thread")]
async fn signed_identity_is_the_data_subject() {
    let service = Service::start().await;
    let controller = service.fact("data_controller_id");
    let subject = service.fact("data_subject_id");
    let open = async |token: &str| {
        service
            .session_from(
                None,
                &json!({"controllerId": controller, "identity": token}),
            )
            .await
    };
    let session = open(&identity(&service, subject, controller)).await.json();
    assert_eq!(
        (&session["role"], session["dataSubjectId"].as_str()),
        (&json!("dataSubject"), Some(subject))
    );
    let own = service.ask(&session, "{ dataSubjects { id } }").await;
    assert_eq!(own["data"]["dataSubjects"], json!([{"id": subject}]));
    // It is an authentication; the session of a visitor, who proves nothing, is none.
    service.visitor(ONE).await;
    service
        .session_from(None, &json!({"controllerId": controller}))
        .await;
    let sign_ins = format!(
        "SELECT count(*) || ' ' || count(*) FILTER (WHERE user_id = '{subject}' AND audience = \
         '{controller}' AND address = '127.0.0.1' AND request_id IS NOT NULL AND reason IS NULL) \
         FROM postern.authentication_event WHERE event = 'sign-in' AND outcome = 'success'"
    );
    assert_eq!(service.database(&sign_ins).await, "1 1");
    // The identity that the demo's page signs is such a one.
    let page = Reply::of(service.http.get(service.url("/widgets/demo/identity")))
        .await
        .unwrap();
    assert_eq!(
        open(&page.text).await.json()["dataSubjectId"].as_str(),
        Some(subject)
    );

    let other = service.fact("other_data_controller_id");
    for (token, reason) in [
        (identity(&service, subject, other), "another controller"),
        (
            identity(&service, service.fact("other_data_subject_id"), controller),
            "a subject of another controller",
        ),
        (identity(&service, "not a uuid", controller), "no subject"),
        ("abc".to_owned(), "no token"),
    ] {
        let refused = open(&token).await;
        assert_eq!(
            (refused.status, &refused.json()["message"]),
            (401, &json!("the identity is not valid")),
            "{reason}"
        );
    }
    assert_eq!(service.database(&sign_ins).await, "2 2");
    let refused = format!(
        "SELECT coalesce(string_agg(reason, ' '), '') FROM postern.authentication_event WHERE \
         event = 'refused' AND reason LIKE '%for {controller}: no such person%'"
    );
    tests::wait::until("the refusal is stored", async || {
        !service.database(&refused).await.is_empty()
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn global_privacy_control_of_a_visitor_is_that_of_the_browser() {
    let service = Service::start().await;
    let controller = service.fact("data_controller_id");
    let body = json!({"controllerId": controller, "visitor": ONE});
    let off = format!(
        "SELECT jsonb_object_agg(id, true)::text FROM data_controller_processing_purposes WHERE \
         data_controller_id = '{controller}' AND status = 'active' AND legal_basis = 'consent'"
    );
    let purposes: Value = serde_json::from_str(&service.database(&off).await).unwrap();
    let session = service.session_with_signal(Some("1"), &body).await;
    let subject = session["dataSubjectId"].as_str().unwrap();
    let document = format!(
        "mutation ($purposes: jsonb!) {{ upsertDataSubjectConsents(dataControllerId: \
         \"{controller}\", dataSubjectId: \"{subject}\", purposes: $purposes) {{ status }} }}"
    );
    let allow_all = async || {
        service
            .ask_with(&session, &document, &json!({"purposes": purposes}))
            .await
    };
    let switched_on = format!(
        "SELECT count(*) FILTER (WHERE p.respects_global_privacy_control) || ' ' || count(*) \
         FILTER (WHERE NOT p.respects_global_privacy_control) FROM \
         data_subject_consent_form_values v JOIN data_controller_processing_purposes p ON p.id = \
         v.data_controller_processing_purpose_id WHERE v.data_subject_id = '{subject}' AND \
         v.value = 'true'"
    );
    let is_kept =
        format!("SELECT global_privacy_control::text FROM data_subjects WHERE id = '{subject}'");
    // The signal came before there was a person.
    let saved = allow_all().await;
    assert_eq!(
        saved["data"]["upsertDataSubjectConsents"]["status"], "success",
        "{saved}"
    );
    assert_eq!(service.database(&is_kept).await, "true");
    assert_eq!(service.database(&switched_on).await, "0 1");

    // The browser sends it no longer, which is no consent; the visitor may give one.
    service.session_with_signal(None, &body).await;
    assert_eq!(service.database(&is_kept).await, "false");
    assert_eq!(service.database(&switched_on).await, "0 1");
    allow_all().await;
    assert_eq!(service.database(&switched_on).await, "2 1");

    // Only `1` is the signal, and it withdraws what is on.
    service.session_with_signal(Some("true"), &body).await;
    assert_eq!(service.database(&is_kept).await, "false");
    service.session_with_signal(Some("1"), &body).await;
    assert_eq!(service.database(&is_kept).await, "true");
    assert_eq!(service.database(&switched_on).await, "0 1");
}

#[tokio::test(flavor = "multi_thread")]
async fn global_privacy_control_of_a_person_is_undone_by_the_person_alone() {
    let service = Service::start().await;
    let controller = service.fact("data_controller_id");
    let subject = service.fact("data_subject_id");
    let body = json!({
        "controllerId": controller,
        "identity": identity(&service, subject, controller),
    });
    let is_kept =
        format!("SELECT global_privacy_control::text FROM data_subjects WHERE id = '{subject}'");
    service.session_with_signal(None, &body).await;
    assert_eq!(service.database(&is_kept).await, "false");
    service.session_with_signal(Some("1"), &body).await;
    assert_eq!(service.database(&is_kept).await, "true");
    // Another browser of the person does not send it.
    let session = service.session_with_signal(None, &body).await;
    assert_eq!(service.database(&is_kept).await, "true");
    let undo = format!(
        "mutation {{ updateDataSubject(pk_columns: {{id: \"{subject}\"}}, _set: \
         {{globalPrivacyControl: false}}) {{ globalPrivacyControl }} }}"
    );
    let undone = service.ask(&session, &undo).await;
    assert_eq!(
        undone["data"]["updateDataSubject"]["globalPrivacyControl"],
        json!(false),
        "{undone}"
    );
    assert_eq!(service.database(&is_kept).await, "false");
}

#[tokio::test(flavor = "multi_thread")]
async fn malformed_requests_for_a_session_are_refused() {
    let service = Service::start().await;
    let controller = service.fact("data_controller_id");
    for body in [
        json!({}),
        json!([]),
        json!({"controllerId": "x"}),
        json!({"controllerId": 1}),
        json!({"controllerId": controller, "visitor": "short"}),
        json!({"controllerId": controller, "visitor": "a visitor's secret with spaces \
                                                       0123456789012"}),
        json!({"controllerId": controller, "visitor": ["a"]}),
        json!({"controllerId": controller, "identity": 1}),
    ] {
        assert_eq!(
            service.session_from(None, &body).await.status,
            400,
            "{body}"
        );
    }
    // A preflight of any site is answered, without cookies.
    let preflight = service
        .http
        .request(reqwest::Method::OPTIONS, service.url("/v1/graphql"));
    let preflight = preflight
        .header("Origin", "https://shop.example")
        .header("Access-Control-Request-Method", "POST");
    let reply = Reply::of(preflight.header("Access-Control-Request-Headers", "authorization"))
        .await
        .unwrap();
    assert_eq!(reply.header("access-control-allow-origin"), "*");
    assert_eq!(reply.header("access-control-allow-credentials"), "");
}

#[tokio::test(flavor = "multi_thread")]
async fn only_sessions_may_be_asked_for_by_pages_of_every_origin() {
    let service = Service::start().await;
    let (_listed, url) = service.start_for_origin("https://shop.example").await;
    for (origin, allowed) in [
        ("https://shop.example", "https://shop.example"),
        ("https://evil.example", ""),
    ] {
        let identity = service
            .http
            .get(format!("{url}/widgets/demo/identity"))
            .header("Origin", origin);
        let reply = Reply::of(identity).await.unwrap();
        assert_eq!(
            reply.header("access-control-allow-origin"),
            allowed,
            "{origin}: {}",
            reply.text
        );
        // A page of another origin may read that it is refused.
        let session = service
            .http
            .post(format!("{url}/v1/widgets/session"))
            .header("Origin", origin);
        let reply = Reply::of(session.json(&json!({}))).await.unwrap();
        assert_eq!(
            reply.header("access-control-allow-origin"),
            "*",
            "{origin}: {}",
            reply.text
        );
    }
}

//! Tests the privacy service's mutations by name for each role: which writes succeed and which do
//! not.

use serde_json::{Value, json};
use tests::reply::ReplyError;

use super::{Caller, Demo, each};

const RECORD: &str = "mutation ($object: dataProcessingActivities_insert_input!) { \
                      insertDataProcessingActivity(object: $object) \
                      { id dataSubjectId typeId sourceId triggeredAt fieldIds preferenceIds \
                      dataSubject { id did dataController { title } } \
                      type { label comment } source { label } } }";

const REQUEST: &str = "mutation ($object: dataSubjectsRightsRequests_insert_input!) { \
                       insertDataSubjectsRightsRequest(object: $object) \
                       { id requestType status createdAt dataSubject { did } } }";

const REQUEST_OTHERWISE: &str = "mutation ($object: data_subject_rights_requests_insert_input!) \
                                 { \
                                 insertDataSubjectRightsRequest(object: $object) { id \
                                 requestType status createdAt dataSubject { did } } }";

const CONSENT: &str = "mutation ($id: uuid!, $value: String) { \
                       updateDataSubjectConsentFormValue(pk_columns: {id: $id}, _set: {value: \
                       $value}) { id value updatedAt dataSubject { id } } }";

#[tokio::test(flavor = "multi_thread")]
async fn every_role_writes_only_what_it_is_granted() {
    let demo = Demo::start(&[]);
    activities_are_recorded(&demo).await;
    rights_requests_are_made(&demo).await;
    consents_are_changed(&demo).await;
    viewers_write_nothing(&demo).await;
    roles_without_the_grant_have_no_such_field(&demo).await;
    wrong_types_are_reported(&demo).await;
}

/// The rows that an activity refers to: a type, a source, and fields.
async fn kinds(demo: &Demo) -> (String, String, Vec<String>) {
    let query = "dataProcessingActivityTypes(where: {code: {_eq: \"page_view\"}}) { id } \
                 dataProcessingActivitySources(where: {code: {_eq: \"website\"}}) { id } \
                 dataProcessingActivityFields(limit: 2) { id }";
    let data = demo.answers("user", query).await;
    let first = |list: &str| data[list][0]["id"].as_str().unwrap().to_owned();
    let fields = each(&data["dataProcessingActivityFields"], "id")
        .into_iter()
        .collect();
    (
        first("dataProcessingActivityTypes"),
        first("dataProcessingActivitySources"),
        fields,
    )
}

async fn count(demo: &Demo, field: &str, subject: &str) -> Value {
    let query = format!(
        "{{ {field}(where: {{dataSubjectId: {{_eq: \"{subject}\"}}}}) {{ \
                         aggregate {{ count }} }} }}"
    );
    demo.ask_as_admin(&query, json!({})).await.data()[field]["aggregate"]["count"].clone()
}

async fn activities_are_recorded(demo: &Demo) {
    let (kind, source, fields) = kinds(demo).await;
    let sql = tests::database::connect(demo.fact("database_url"))
        .await
        .unwrap();
    let hour_ago = "SELECT to_char(date_trunc('second', now() - interval '1 hour') AT TIME ZONE \
                    'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS\"+00:00\"')";
    let hour_ago: String = sql.query_one(hour_ago, &[]).await.unwrap().get(0);
    let object = |subject: &str| {
        json!({"dataSubjectId": subject, "typeId": kind, "sourceId": source, "triggeredAt": hour_ago,
               "fieldIds": fields, "preferenceIds": []})
    };
    let own = demo.fact("data_subject_id");
    for role in ["user", "dataSubject"] {
        let before = count(demo, "dataProcessingActivitiesAggregate", own).await;
        let reply = demo.ask(role, RECORD, json!({"object": object(own)})).await;
        let made = &reply.data()["insertDataProcessingActivity"];
        assert_eq!(made["dataSubjectId"], own, "{role}: {}", reply.text);
        assert_eq!(
            (&made["typeId"], &made["sourceId"]),
            (&json!(kind), &json!(source))
        );
        assert_eq!(
            (&made["fieldIds"], &made["preferenceIds"]),
            (&json!(fields), &json!([]))
        );
        assert_eq!(made["triggeredAt"], hour_ago.as_str());
        assert_eq!(made["dataSubject"]["id"], own);
        assert_eq!(
            made["dataSubject"]["dataController"]["title"],
            "Hansewerk Energie GmbH"
        );
        assert!(made["type"]["label"].is_string() && made["source"]["label"].is_string());
        let after = count(demo, "dataProcessingActivitiesAggregate", own).await;
        assert_eq!(after.as_u64(), before.as_u64().map(|count| count + 1));
    }
    // Omitted columns get their default.
    let least = json!({"dataSubjectId": own, "typeId": kind, "sourceId": source});
    let made = demo
        .ask("user", RECORD, json!({"object": least}))
        .await
        .data();
    assert_eq!(made["insertDataProcessingActivity"]["fieldIds"], json!([]));

    let other = demo.fact("other_data_subject_id");
    for role in ["user", "dataSubject"] {
        let before = count(demo, "dataProcessingActivitiesAggregate", other).await;
        let reply = demo
            .ask(role, RECORD, json!({"object": object(other)}))
            .await;
        assert_eq!(
            (reply.status, reply.error().code.as_str()),
            (200, "permission-error"),
            "{role}: {}",
            reply.text
        );
        assert_eq!(
            count(demo, "dataProcessingActivitiesAggregate", other).await,
            before
        );
    }
    // The response for a person that does not exist is identical to that for a hidden one.
    let nobody = object("00000000-0000-4000-8000-00000000abcd");
    let replies = [
        demo.ask("user", RECORD, json!({"object": object(other)}))
            .await,
        demo.ask("user", RECORD, json!({"object": nobody})).await,
    ];
    assert_eq!(replies[0].text, replies[1].text);
}

async fn rights_requests_are_made(demo: &Demo) {
    let own = demo.fact("data_subject_id");
    let other = demo.fact("other_data_subject_id");
    let object = |subject: &str, verified: bool| {
        json!({"dataSubjectId": subject, "requestType": "access", "description": "all that there \
             is", "verified": verified,
               "status": "pending"})
    };
    for (query, field) in [
        (REQUEST, "insertDataSubjectsRightsRequest"),
        (REQUEST_OTHERWISE, "insertDataSubjectRightsRequest"),
    ] {
        for role in ["user", "dataSubject"] {
            let reply = demo
                .ask(role, query, json!({"object": object(own, false)}))
                .await;
            let made = &reply.data()[field];
            assert_eq!(
                (&made["requestType"], &made["status"]),
                (&json!("access"), &json!("pending")),
                "{role}: {}",
                reply.text
            );
            assert!(made["createdAt"].is_string() && made["dataSubject"]["did"].is_string());
            let refused = demo
                .ask(role, query, json!({"object": object(other, false)}))
                .await;
            assert_eq!(
                refused.error().code,
                "permission-error",
                "{role}: {}",
                refused.text
            );
        }
        // A data subject cannot mark their own identity as checked.
        let refused = demo
            .ask("dataSubject", query, json!({"object": object(own, true)}))
            .await;
        assert_eq!(refused.error().code, "permission-error", "{}", refused.text);
        assert!(
            demo.ask("user", query, json!({"object": object(own, true)}))
                .await
                .data()[field]["id"]
                .is_string()
        );
    }
    let unknown = json!({"dataSubjectId": own, "requestType": "curiosity"});
    let refused = demo.ask("user", REQUEST, json!({"object": unknown})).await;
    assert_eq!(
        (refused.status, refused.error().code.as_str()),
        (200, "constraint-violation"),
        "{}",
        refused.text
    );
    assert!(
        !refused.text.contains("curiosity"),
        "no values in it: {}",
        refused.text
    );
}

async fn consents_are_changed(demo: &Demo) {
    let own = demo.fact("data_subject_id");
    let other = demo.fact("other_data_subject_id");
    let consent = |subject: &str| {
        let query = format!(
            "{{ dataSubjectConsentFormValues(where: {{dataSubjectId: {{_eq: \
                             \"{subject}\"}}}}, limit: 1) {{ id value }} }}"
        );
        async move {
            demo.ask_as_admin(&query, json!({})).await.data()["dataSubjectConsentFormValues"][0]
                .clone()
        }
    };
    let mine = consent(own).await;
    let others = consent(other).await;
    for (role, value) in [("user", "false"), ("dataSubject", "true")] {
        let reply = demo
            .ask(role, CONSENT, json!({"id": mine["id"], "value": value}))
            .await;
        let changed = &reply.data()["updateDataSubjectConsentFormValue"];
        assert_eq!(
            (&changed["id"], &changed["value"]),
            (&mine["id"], &json!(value)),
            "{role}: {}",
            reply.text
        );
        assert_eq!(changed["dataSubject"]["id"], own);
        assert!(
            changed["updatedAt"].as_str().unwrap() > "2025-07",
            "the trigger's time: {changed}"
        );
        let reply = demo
            .ask(role, CONSENT, json!({"id": others["id"], "value": value}))
            .await;
        assert_eq!(
            reply.data(),
            json!({"updateDataSubjectConsentFormValue": null}),
            "{role}: as if it were not there"
        );
    }
    assert_eq!(consent(other).await, others);
}

/// A Viewer of a team reads its data, and changes nothing.
async fn viewers_write_nothing(demo: &Demo) {
    let query = "{ dataControllerUsers(where: {role: {_eq: \"Viewer\"}, status: {_eq: \
                 \"active\"}, \
                 dataController: {dataSubjects: {consents: {}}}}, limit: 1) { userId \
                 dataController { dataSubjects(where: {consents: {}}, limit: 1) \
                 { id consents(limit: 1) { id value } } } } }";
    let found = demo.ask_as_admin(query, json!({})).await.data();
    let member = &found["dataControllerUsers"][0];
    let subject = &member["dataController"]["dataSubjects"][0];
    let viewer = Caller {
        role: "user",
        values: &[("user_id", member["userId"].as_str().unwrap())],
    };
    let seen = demo
        .ask_as(
            viewer,
            "query ($id: uuid!) { dataSubject(id: $id) { id } }",
            json!({"id": subject["id"]}),
        )
        .await;
    assert_eq!(
        seen.data()["dataSubject"]["id"],
        subject["id"],
        "{}",
        seen.text
    );
    let object = json!({"dataSubjectId": subject["id"], "requestType": "access"});
    let refused = demo
        .ask_as(viewer, REQUEST, json!({"object": object}))
        .await;
    assert_eq!(refused.error().code, "permission-error", "{}", refused.text);
    let variables = json!({"id": subject["consents"][0]["id"], "value": "maybe"});
    let untouched = demo.ask_as(viewer, CONSENT, variables).await;
    assert_eq!(
        untouched.data(),
        json!({"updateDataSubjectConsentFormValue": null}),
        "{}",
        untouched.text
    );
}

async fn roles_without_the_grant_have_no_such_field(demo: &Demo) {
    let fields = [
        "insertDataProcessingActivity(object: {}) { id }",
        "insertDataSubjectsRightsRequest(object: {}) { id }",
        "insertDataSubjectRightsRequest(object: {}) { id }",
        "updateDataSubjectConsentFormValue(pk_columns: {id: \"x\"}, _set: {}) { id }",
        "deleteDataSubject(id: \"x\") { id }",
        "deleteDataProcessingActivity(id: \"x\") { id }",
        "delete_notes(where: {}) { affected_rows }",
    ];
    for field in fields {
        let name = field.split('(').next().unwrap();
        let query = format!("mutation {{ {field} }}");
        let reply = demo.ask("me", &query, json!({})).await;
        let hidden = ReplyError::new(
            200,
            "validation-failed",
            format!("field '{name}' not found in type: 'mutation_root'"),
        );
        assert_eq!(reply.error(), hidden, "{}", reply.text);
        let reply = demo.ask("anonymous", &query, json!({})).await;
        // A visitor of the widgets writes its own rows; a token without a visitor writes nothing.
        let code = reply.error().code;
        let is_denied = [
            "validation-failed",
            "permission-error",
            "constraint-violation",
        ]
        .contains(&code.as_str());
        assert!(is_denied && reply.data() == Value::Null, "{}", reply.text);
    }
    // Records are evidence: a user inserts them and changes none.
    for field in [
        "updateDataProcessingActivity(pk_columns: {id: \"x\"}, _set: {}) { id }",
        "deleteDataProcessingActivity(id: \"x\") { id }",
    ] {
        let reply = demo
            .ask("user", &format!("mutation {{ {field} }}"), json!({}))
            .await;
        assert_eq!(reply.error().code, "validation-failed", "{}", reply.text);
    }
}

async fn wrong_types_are_reported(demo: &Demo) {
    let reply = demo
        .ask(
            "user",
            CONSENT,
            json!({"id": "not-a-uuid", "value": "true"}),
        )
        .await;
    assert_eq!(
        (reply.status, reply.error().code.as_str()),
        (200, "constraint-violation"),
        "{}",
        reply.text
    );
    let reply = demo
        .ask(
            "user",
            REQUEST,
            json!({"object": {"dataSubjectId": demo.fact("data_subject_id"), "verified": "yes"}}),
        )
        .await;
    assert_eq!(
        (reply.status, reply.error().code.as_str()),
        (200, "constraint-violation"),
        "{}",
        reply.text
    );
}

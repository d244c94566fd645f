//! Tests what the privacy service keeps as evidence against an Administrator of a team, who may do
//! all that an Editor may: published notices, active purposes, people with records, consents,
//! finished requests, and users who have not joined the team.

use reqwest::RequestBuilder;
use serde_json::{Value, json};
use tests::reply::Reply;

use super::Demo;

#[tokio::test(flavor = "multi_thread")]
async fn administrators_cannot_change_evidence() {
    let demo = Demo::start(&[]);
    published_notices_stay(&demo).await;
    active_purposes_keep_their_wording(&demo).await;
    people_with_records_stay(&demo).await;
    changed_consents_leave_their_former_value(&demo).await;
    finished_requests_stay(&demo).await;
    strangers_are_not_shown(&demo).await;
}

async fn write(demo: &Demo, query: &str, variables: Value) -> Reply {
    demo.ask("user", query, variables).await
}

/// Fails unless the mutation finds no such row.
async fn finds_nothing(demo: &Demo, query: &str, variables: Value) {
    let reply = write(demo, query, variables).await;
    let data = reply.data();
    let nothing = data
        .as_object()
        .is_some_and(|fields| fields.values().all(Value::is_null));
    assert!(nothing, "{query}: {}", reply.text);
}

async fn refused(demo: &Demo, query: &str, variables: Value, code: &str) {
    let reply = write(demo, query, variables).await;
    assert_eq!(reply.error().code, code, "{query}: {}", reply.text);
}

async fn one(demo: &Demo, field: &str, query: &str) -> Value {
    let query = query.replace("CONTROLLER", demo.fact("data_controller_id"));
    let reply = demo
        .ask_as_admin(&format!("{{ {field}{query} }}"), json!({}))
        .await;
    let found = reply.data()[field][0].clone();
    assert!(!found.is_null(), "{field}: {}", reply.text);
    found
}

const NOTICE: &str = "(where: {dataControllerId: {_eq: \"CONTROLLER\"}, published: {_eq: true}}, \
                      order_by: {id: asc}, limit: 1) \
                      { id title published publishedAt }";

async fn published_notices_stay(demo: &Demo) {
    let notice = one(demo, "privacyNotices", NOTICE).await;
    let id = &notice["id"];
    let update = "mutation ($id: uuid!, $set: privacyNotices_set_input!) { \
                  updatePrivacyNotice(pk_columns: {id: $id}, _set: $set) { id } }";
    for set in [
        json!({"published": false, "publishedAt": null}),
        json!({"title": "x"}),
        json!({"publishedAt": "2001-01-01T00:00:00Z"}),
    ] {
        finds_nothing(demo, update, json!({"id": id, "set": set})).await;
    }
    finds_nothing(
        demo,
        "mutation ($id: uuid!) { deletePrivacyNotice(id: $id) { id } }",
        json!({"id": id}),
    )
    .await;
    assert_eq!(one(demo, "privacyNotices", NOTICE).await, notice);

    let insert = "mutation ($object: privacyNotices_insert_input!) { insertPrivacyNotice(object: \
                  $object) { id } }";
    let object = |published_at: Value| {
        json!({"object": {"dataControllerId": demo.fact("data_controller_id"), "title": "t", "version": 900, "language": "en",
            "quickLook": "q", "overview": "o", "full": "f", "published": !published_at.is_null(), "publishedAt": published_at}})
    };
    refused(
        demo,
        insert,
        object(json!("2001-01-01T00:00:00Z")),
        "permission-error",
    )
    .await;
    let draft =
        write(demo, insert, object(Value::Null)).await.data()["insertPrivacyNotice"]["id"].clone();
    let reply = write(demo, update, json!({"id": draft, "set": {"title": "u"}})).await;
    assert_eq!(
        reply.data()["updatePrivacyNotice"]["id"],
        draft,
        "a draft is free: {}",
        reply.text
    );
    let set = json!({"published": true, "publishedAt": "2001-01-01T00:00:00Z"});
    refused(
        demo,
        update,
        json!({"id": draft, "set": set}),
        "permission-error",
    )
    .await;
    let set = json!({"published": true, "publishedAt": "2999-01-01T00:00:00Z"});
    assert_eq!(
        write(demo, update, json!({"id": draft, "set": set}))
            .await
            .data()["updatePrivacyNotice"]["id"],
        draft
    );
    finds_nothing(
        demo,
        "mutation ($id: uuid!) { deletePrivacyNotice(id: $id) { id } }",
        json!({"id": draft}),
    )
    .await;
}

const PURPOSE: &str = "(where: {dataControllerId: {_eq: \"CONTROLLER\"}, status: {_eq: \
                       \"active\"}, consents: {}, dataItems: {}}, \
                       order_by: {id: asc}, limit: 1) { id title status dataItems(limit: 1) { id \
                       } consentsAggregate { aggregate { count } } }";

async fn active_purposes_keep_their_wording(demo: &Demo) {
    let purpose = one(demo, "dataControllerProcessingPurposes", PURPOSE).await;
    let id = &purpose["id"];
    let update = "mutation ($id: uuid!, $set: dataControllerProcessingPurposes_set_input!) { \
        updateDataControllerProcessingPurpose(pk_columns: {id: $id}, _set: $set) { id } }";
    for set in [
        json!({"status": "draft"}),
        json!({"title": "x"}),
        json!({"description": "x"}),
        json!({"legalBasis": "contract"}),
    ] {
        refused(
            demo,
            update,
            json!({"id": id, "set": set}),
            "constraint-violation",
        )
        .await;
    }
    let delete = "mutation ($id: uuid!) { deleteDataControllerProcessingPurpose(id: $id) { id } }";
    finds_nothing(demo, delete, json!({"id": id})).await;
    let item = &purpose["dataItems"][0]["id"];
    finds_nothing(
        demo,
        "mutation ($id: uuid!) { deleteDataControllerPurposeDataItem(id: $id) { id } }",
        json!({"id": item}),
    )
    .await;
    assert_eq!(
        one(demo, "dataControllerProcessingPurposes", PURPOSE).await,
        purpose
    );
    // The admin has no rules, but the foreign key applies.
    assert_eq!(
        demo.ask_as_admin(delete, json!({"id": id}))
            .await
            .error()
            .code,
        "constraint-violation"
    );

    let insert = "mutation ($object: dataControllerProcessingPurposes_insert_input!) { \
        insertDataControllerProcessingPurpose(object: $object) { id } }";
    let object = |title: &str, status: &str| json!({"object": {"dataControllerId": demo.fact("data_controller_id"), "title": title, "legalBasis": "consent", "status": status}});
    let made = |reply: Reply| reply.data()["insertDataControllerProcessingPurpose"]["id"].clone();
    let draft = made(write(demo, insert, object("draft", "draft")).await);
    assert_eq!(
        write(demo, delete, json!({"id": draft})).await.data()["deleteDataControllerProcessingPurpose"]
            ["id"],
        draft
    );
    let active = made(write(demo, insert, object("active", "active")).await);
    let retired = write(
        demo,
        update,
        json!({"id": active, "set": {"status": "retired"}}),
    )
    .await;
    assert_eq!(
        retired.data()["updateDataControllerProcessingPurpose"]["id"],
        active,
        "{}",
        retired.text
    );
    finds_nothing(
        demo,
        update,
        json!({"id": active, "set": {"status": "active"}}),
    )
    .await;
}

async fn people_with_records_stay(demo: &Demo) {
    let delete = "mutation ($id: uuid!) { deleteDataSubject(id: $id) { id } }";
    let person = demo.fact("data_subject_id");
    finds_nothing(demo, delete, json!({"id": person})).await;
    assert_eq!(
        demo.ask_as_admin(delete, json!({"id": person}))
            .await
            .error()
            .code,
        "constraint-violation"
    );
    let insert = "mutation ($object: dataSubjects_insert_input!) { insertDataSubject(object: \
                  $object) { id } }";
    let object = json!({"object": {"dataControllerId": demo.fact("data_controller_id"), "displayName": "by \
         mistake"}});
    let made = write(demo, insert, object).await.data()["insertDataSubject"]["id"].clone();
    assert_eq!(
        write(demo, delete, json!({"id": made})).await.data()["deleteDataSubject"]["id"],
        made
    );
    refused(
        demo,
        "mutation { deleteNotificationMessages(where: {}) { affected_rows } }",
        json!({}),
        "validation-failed",
    )
    .await;
}

const CHANGE: &str = "mutation ($id: uuid!, $set: dataSubjectConsentFormValues_set_input!) { \
                      updateDataSubjectConsentFormValue(pk_columns: {id: $id}, _set: $set) { \
                      value givenBy form purposeVersion textDigest updatedAt } }";

async fn changed_consents_leave_their_former_value(demo: &Demo) {
    let query = format!(
        "{{ dataSubjectConsentFormValues(where: {{dataSubjectId: {{_eq: \"{}\"}}, \
         dataControllerProcessingPurposeId: {{_eq: \"{}\"}}}}) {{ id value }} }}",
        demo.fact("data_subject_id"),
        demo.fact("purpose_id")
    );
    let found = demo.ask_as_admin(&query, json!({})).await.data();
    let consent = found["dataSubjectConsentFormValues"][0].clone();
    assert_eq!(consent["value"], "true");
    let history = "{ dataSubjectConsentHistory(order_by: [{replacedAt: desc}, {validFrom: desc}], \
                   limit: 2, where: {consent: {purpose: {title: {_eq: \"Newsletter\"}}}, \
                   dataSubjectId: {_eq: \"SUBJECT\"}}) { value givenBy form } }"
        .replace("SUBJECT", demo.fact("data_subject_id"));
    for value in ["false", "false", "true"] {
        let variables = json!({"id": consent["id"], "set": {"value": value}});
        let reply = write(demo, CHANGE, variables).await;
        let changed = &reply.data()["updateDataSubjectConsentFormValue"];
        assert_eq!(
            (&changed["value"], &changed["givenBy"], &changed["form"]),
            (&json!(value), &json!("colleague"), &json!("api")),
            "{}",
            reply.text
        );
    }
    // The refusal that was said twice is one.
    let expected = json!([
        {"value": "false", "givenBy": "colleague", "form": "api"},
        {"value": "true", "givenBy": "person", "form": "widget"},
    ]);
    for role in ["dataSubject", "user"] {
        let seen = demo.data(role, &history).await;
        assert_eq!(seen["dataSubjectConsentHistory"], expected, "{role}");
    }
    refused(
        demo,
        "mutation { deleteDataSubjectConsentHistory(where: {}) { affected_rows } }",
        json!({}),
        "validation-failed",
    )
    .await;
}

async fn finished_requests_stay(demo: &Demo) {
    let query = "(where: {dataSubject: {dataControllerId: {_eq: \"CONTROLLER\"}}, status: {_eq: \
                 \"completed\"}}, limit: 1) { id }";
    let request = one(demo, "dataSubjectsRightsRequests", query).await;
    let update = "mutation ($id: uuid!, $set: dataSubjectsRightsRequests_set_input!) { \
        updateDataSubjectsRightsRequest(pk_columns: {id: $id}, _set: $set) { id } }";
    finds_nothing(
        demo,
        update,
        json!({"id": request["id"], "set": {"status": "submitted"}}),
    )
    .await;
    let set = json!({"id": request["id"], "set": {"description": "never mind"}});
    let reply = write(demo, update, set).await;
    assert!(
        reply.is_sound_error(),
        "the words are the person's: {}",
        reply.text
    );
}

async fn strangers_are_not_shown(demo: &Demo) {
    let team = "(where: {_not: {memberships: {dataController: {users: {userId: {_eq: \
                \"USER\"}}}}}}, order_by: {id: asc}, limit: 1) { id email }";
    let stranger = one(demo, "users", &team.replace("USER", demo.fact("user_id"))).await;
    let email = stranger["email"].as_str().unwrap();
    let insert = "mutation ($object: dataControllerUsers_insert_input!) { \
                  insertDataControllerUser(object: $object) \
                  { id status user { email } dataController { users { user { email } } } } }";
    let object = json!({"object": {"dataControllerId": demo.fact("data_controller_id"), "userId": stranger["id"], "role": "Viewer"}});
    let update = "mutation ($id: uuid!) { updateDataControllerUser(pk_columns: {id: $id}, _set: \
                  {status: \"active\"}) { id user { email } } }";
    let dry: RequestBuilder = demo
        .client
        .post(format!("{}/v1/graphql", demo.fact("url")))
        .bearer_auth(demo.token("user"));
    let dry = dry
        .header("X-Gateway-Role", "user")
        .header("X-Gateway-Dry-Run", "true");
    let dry = Reply::of(dry.json(&json!({"query": insert, "variables": object})))
        .await
        .unwrap();
    assert_eq!(
        dry.data()["insertDataControllerUser"]["user"],
        Value::Null,
        "{}",
        dry.text
    );
    let invited = write(demo, insert, object).await;
    assert_eq!(
        invited.data()["insertDataControllerUser"]["status"],
        "invited",
        "{}",
        invited.text
    );
    let id = &invited.data()["insertDataControllerUser"]["id"];
    finds_nothing(demo, update, json!({"id": id})).await;
    let users = demo.ask("user", "{ users { email } }", json!({})).await;
    assert!(
        ![&dry, &invited, &users]
            .iter()
            .any(|reply| reply.text.contains(email)),
        "{email}"
    );
    // A user who has accepted is visible.
    let me = super::Caller {
        role: "me",
        values: &[("user_id", stranger["id"].as_str().unwrap())],
    };
    let accepted = demo
        .ask_as(
            me,
            "mutation ($id: uuid!) { updateDataControllerUser(pk_columns: {id: $id}, _set: \
             {status: \"active\"}) { status } }",
            json!({"id": id}),
        )
        .await;
    assert_eq!(
        accepted.data()["updateDataControllerUser"]["status"],
        "active",
        "{}",
        accepted.text
    );
    assert!(
        demo.ask("user", "{ users { email } }", json!({}))
            .await
            .text
            .contains(email)
    );
}

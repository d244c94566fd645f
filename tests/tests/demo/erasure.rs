//! An erasure is run before its request is completed; it erases what may go and says what stays.

use serde_json::{Value, json};
use tests::reply::Reply;

use super::{Caller, Demo};

const RUN: &str = "mutation ($id: uuid!) { runErasure(rightsRequestId: $id) { status result } }";

async fn set(demo: &Demo, id: &Value, set: Value) -> Reply {
    let update = "mutation ($id: uuid!, $set: dataSubjectsRightsRequests_set_input!) { \
                  updateDataSubjectsRightsRequest(pk_columns: {id: $id}, _set: $set) { status \
                  result } }";
    demo.ask("user", update, json!({"id": id, "set": set}))
        .await
}

#[tokio::test(flavor = "multi_thread")]
async fn erasure_runs_before_its_request_is_completed() {
    let demo = Demo::start(&[]);
    let subject = demo.fact("data_subject_id");
    let insert = "mutation ($id: uuid!) { insertDataSubjectsRightsRequest(object: \
                  {dataSubjectId: $id, requestType: \"deletion\"}) { id } }";
    let made = demo
        .ask("dataSubject", insert, json!({"id": subject}))
        .await;
    let id = made.data()["insertDataSubjectsRightsRequest"]["id"].clone();
    let key = json!({"id": id});

    let refused = demo.ask("user", RUN, key.clone()).await;
    assert_eq!(refused.error().code, "conflict", "unverified");
    let verified = set(&demo, &id, json!({"verified": true})).await;
    assert!(verified.data().is_object(), "{}", verified.text);
    let done = json!({"status": "completed", "result": "Everything is gone."});
    let refused = set(&demo, &id, done).await;
    assert!(refused.is_sound_error(), "not run: {}", refused.text);
    let refused = demo.ask("dataSubject", RUN, key.clone()).await;
    assert_eq!(refused.error().code, "validation-failed");
    let values = [("user_id", "00000000-0000-4000-8000-00000000abcd")];
    let stranger = Caller {
        role: "user",
        values: &values,
    };
    let refused = demo.ask_as(stranger, RUN, key.clone()).await;
    assert_eq!(refused.error().code, "permission-error");

    let consents = "query ($id: uuid!) { dataSubjectConsentFormValues(where: {dataSubjectId: \
                    {_eq: $id}}, order_by: {id: asc}) { id } }";
    let before = demo.ask_as_admin(consents, json!({"id": subject})).await;
    let run = demo.ask("user", RUN, key.clone()).await;
    let answer = run.data()["runErasure"]["result"].clone();
    let answer = answer.as_str().unwrap_or_else(|| panic!("{}", run.text));
    assert!(
        answer.contains("haben wir gelöscht") && answer.contains("Art. 17 Abs. 3"),
        "{answer}"
    );
    let again = demo.ask("user", RUN, key).await;
    assert_eq!(again.error().code, "conflict", "once");

    let person = "query ($id: uuid!) { dataSubject(id: $id) { displayName email country did \
                  notifications(where: {kind: {_neq: \"rights_request\"}}) { id } \
                  dataProcessingActivities { type { code } } } }";
    let person = demo.ask_as_admin(person, json!({"id": subject})).await;
    let person = &person.data()["dataSubject"];
    for field in ["displayName", "email", "country"] {
        assert_eq!(person[field], Value::Null, "{field}");
    }
    assert_eq!(person["notifications"], json!([]));
    let kinds: Vec<&str> = person["dataProcessingActivities"]
        .as_array()
        .unwrap()
        .iter()
        .map(|activity| activity["type"]["code"].as_str().unwrap())
        .collect();
    for gone in ["page_view", "sign_in", "newsletter_sent", "profile_changed"] {
        assert!(!kinds.contains(&gone), "{gone}");
    }
    let after = demo.ask_as_admin(consents, json!({"id": subject})).await;
    assert_eq!(before.text, after.text, "consents are evidence");
    let mails = "query ($id: uuid!) { outgoingMails(where: {dataSubjectId: {_eq: $id}}) { \
                 recipient subject } }";
    let mails = demo.ask_as_admin(mails, json!({"id": subject})).await;
    assert_eq!(
        mails.data()["outgoingMails"][0]["subject"],
        "Ihre Daten wurden gelöscht",
        "the last mail: {}",
        mails.text
    );

    let closed = set(&demo, &id, json!({"status": "completed"})).await;
    let closed = &closed.data()["updateDataSubjectsRightsRequest"];
    assert_eq!(closed["status"], "completed");
    assert_eq!(closed["result"], answer);
}

//! A rights request starts its processing, which each role sees under its row rules.

use serde_json::{Value, json};
use tests::reply::Reply;

use super::Demo;

const WORKFLOW: &str =
    "query ($id: uuid!) { rightsRequestWorkflows(where: {dataSubjectRightsRequestId: {_eq: $id}}) {
  id state dueAt extendedAt closedAt request { createdAt status } } }";

const OF_TEAM: &str =
    "query ($id: uuid!) { rightsRequestWorkflows(where: {dataSubjectRightsRequestId: {_eq: $id}}) {
  id assignee { id } tasks(order_by: {position: asc}) { id code title titles state } } }";

const MESSAGES: &str = "{ notificationMessages(where: {kind: {_eq: \"rights_request\"}}, \
                        order_by: {createdAt: desc}, limit: 1) { title body } }";

/// Asks until the answer has a row that `holds` accepts, and returns that row.
async fn row(
    demo: &Demo,
    role: &str,
    id: &Value,
    query: &str,
    holds: impl Fn(&Value) -> bool,
) -> Value {
    let mut found = Value::Null;
    tests::wait::until("the workflow", async || {
        let response = demo.ask(role, query, json!({"id": id})).await.json();
        found = response["data"]["rightsRequestWorkflows"][0].clone();
        found.is_object() && holds(&found)
    })
    .await;
    found
}

#[tokio::test(flavor = "multi_thread")]
async fn rights_request_starts_its_workflow() {
    let demo = Demo::start(&[]);
    let id = submit(&demo, "access").await;
    let workflow = row(&demo, "dataSubject", &id, WORKFLOW, |_| true).await;
    assert_eq!(workflow["state"], "open");
    assert!(
        workflow["dueAt"].as_str() > workflow["request"]["createdAt"].as_str(),
        "{workflow}"
    );
    let of_team = row(&demo, "user", &id, OF_TEAM, |_| true).await;
    assert!(of_team["assignee"]["id"].is_string(), "{of_team}");
    let tasks: Vec<Value> = of_team["tasks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|task| json!([task["code"], task["title"], task["titles"]["en"]]))
        .collect();
    let expected = json!([
        [
            "identity",
            "Identität der Person prüfen",
            "Check the identity of the person"
        ],
        [
            "access",
            "Daten über die Person zusammenstellen",
            "Collect the data about the person"
        ],
        ["answer", "Der Person antworten", "Answer the person"]
    ]);
    assert_eq!(json!(tasks), expected);
    let message = demo.ask("dataSubject", MESSAGES, json!({})).await.json();
    assert_eq!(
        message["data"]["notificationMessages"][0]["title"],
        "Wir haben Ihren Antrag erhalten"
    );
    let hidden = demo
        .ask("dataSubject", "{ rightsRequestTasks { id } }", json!({}))
        .await;
    assert!(hidden.text.contains("validation-failed"), "{}", hidden.text);
    let other = [("data_subject_id", demo.fact("other_data_subject_id"))];
    let foreign = super::Caller {
        role: "dataSubject",
        values: &other,
    };
    let foreign = demo
        .ask_as(foreign, WORKFLOW, json!({"id": id}))
        .await
        .json();
    assert_eq!(foreign["data"]["rightsRequestWorkflows"], json!([]));

    let extend = "mutation ($id: uuid!, $reason: String) { updateRightsRequestWorkflowsByPk(\
                  pk_columns: {id: $id}, _set: {extensionReason: $reason}) { extendedAt dueAt } }";
    let key = json!({"id": workflow["id"], "reason": "viele Verträge"});
    let extended = demo.ask("user", extend, key).await;
    let until = &extended.data()["updateRightsRequestWorkflowsByPk"]["dueAt"];
    assert!(
        until.as_str() > workflow["dueAt"].as_str(),
        "{}",
        extended.text
    );
    let message = demo.data("dataSubject", MESSAGES).await;
    let message = &message["notificationMessages"][0];
    assert_eq!(message["title"], "Ihr Antrag braucht länger");
    assert!(
        message["body"]
            .as_str()
            .unwrap()
            .ends_with("viele Verträge"),
        "{message}"
    );
    let key = json!({"id": workflow["id"], "reason": "noch mehr Verträge"});
    let again = demo.ask("user", extend, key).await;
    assert!(again.is_sound_error(), "once: {}", again.text);
}

async fn submit(demo: &Demo, kind: &str) -> Value {
    let insert = "mutation ($object: data_subject_rights_requests_insert_input!) { \
                  insertDataSubjectRightsRequest(object: $object) { id } }";
    let object = json!({"dataSubjectId": demo.fact("data_subject_id"), "requestType": kind, "description": "Please."});
    let inserted = demo
        .ask("dataSubject", insert, json!({"object": object}))
        .await;
    let id = inserted.data()["insertDataSubjectRightsRequest"]["id"].clone();
    assert!(id.is_string(), "{}", inserted.text);
    id
}

async fn set(demo: &Demo, id: &Value, set: Value) -> Reply {
    let update = "mutation ($id: uuid!, $set: dataSubjectsRightsRequests_set_input!) { \
                  updateDataSubjectsRightsRequest(pk_columns: {id: $id}, _set: $set) { status \
                  verifiedAt verifier { id } closer { id } result rejectionReason } }";
    demo.ask("user", update, json!({"id": id, "set": set}))
        .await
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_are_completed_with_a_checked_identity_and_a_result() {
    let demo = Demo::start(&[]);
    let id = submit(&demo, "rectification").await;
    let of_team = row(&demo, "user", &id, OF_TEAM, |_| true).await;
    let step = |n: usize| json!({"id": of_team["tasks"][n]["id"], "state": "done"});
    let finish = "mutation ($id: uuid!, $state: String) { updateRightsRequestTasksByPk(\
                  pk_columns: {id: $id}, _set: {state: $state}) { state doneAt member { id } } }";

    let refused = set(
        &demo,
        &id,
        json!({"status": "completed", "result": "Done."}),
    )
    .await;
    assert!(refused.is_sound_error(), "unverified: {}", refused.text);
    let refused = demo.ask("user", finish, step(0)).await;
    assert!(refused.is_sound_error(), "the identity: {}", refused.text);
    let verified = set(&demo, &id, json!({"verified": true})).await;
    let verified = &verified.data()["updateDataSubjectsRightsRequest"];
    assert_eq!(verified["verifier"]["id"], demo.fact("user_id"));
    let done = demo.ask("user", finish, step(1)).await;
    let done = &done.data()["updateRightsRequestTasksByPk"];
    assert_eq!(done["member"]["id"], demo.fact("user_id"), "{done}");
    let refused = set(&demo, &id, json!({"status": "completed"})).await;
    assert!(refused.is_sound_error(), "no result: {}", refused.text);
    let refused = set(&demo, &id, json!({"status": "rejected"})).await;
    assert!(refused.is_sound_error(), "no reason: {}", refused.text);

    let document = "mutation ($object: rightsRequestDocuments_insert_input!) { \
                    insertRightsRequestDocument(object: $object) { id } }";
    let object = |kind: &str| json!({"object": {"dataSubjectRightsRequestId": id, "title": "Antwort", "mediaType": kind, "content": "Berichtigt."}});
    let page = demo.ask("user", document, object("text/html")).await;
    assert_eq!(page.error().code, "permission-error", "{}", page.text);
    let attached = demo.ask("user", document, object("text/plain")).await;
    assert!(
        attached.data()["insertRightsRequestDocument"]["id"].is_string(),
        "{}",
        attached.text
    );
    let documents = "query ($id: uuid!) { rightsRequestDocuments(where: {request: {id: {_eq: \
                     $id}}}) { title content request { id } } }";
    let variables = json!({"id": id});
    let before = demo
        .ask("dataSubject", documents, variables.clone())
        .await
        .data();
    assert_eq!(before["rightsRequestDocuments"], json!([]), "not yet");

    let closed = set(&demo, &id, json!({"status": "completed", "verified": true})).await;
    let row_of_request = &closed.data()["updateDataSubjectsRightsRequest"];
    assert_eq!(row_of_request["status"], "completed", "{}", closed.text);
    assert_eq!(row_of_request["verifiedAt"], verified["verifiedAt"]);
    assert_eq!(row_of_request["closer"]["id"], demo.fact("user_id"));
    assert!(row_of_request["result"].is_string(), "{}", closed.text);
    let of_team = row(&demo, "user", &id, OF_TEAM, |_| true).await;
    let states: Vec<&Value> = (0..3).map(|n| &of_team["tasks"][n]["state"]).collect();
    assert_eq!(states, ["done", "done", "done"]);
    row(&demo, "user", &id, WORKFLOW, |row| {
        row["state"] == "closed" && row["closedAt"].is_string()
    })
    .await;
    let found = demo.ask("dataSubject", documents, variables).await.data();
    assert_eq!(
        found["rightsRequestDocuments"],
        json!([{"title": "Antwort", "content": "Berichtigt.", "request": {"id": id}}])
    );

    // Nothing of it changes after the end.
    let reopened = json!({"id": of_team["tasks"][0]["id"], "state": "open"});
    let refused = demo.ask("user", finish, reopened).await;
    assert!(refused.is_sound_error(), "{}", refused.text);
    let refused = demo.ask("user", document, object("text/plain")).await;
    assert!(refused.is_sound_error(), "{}", refused.text);
    let gone = "mutation { deleteRightsRequestDocuments(where: {}) { affected_rows } }";
    let refused = demo.ask("user", gone, json!({})).await;
    assert!(refused.is_sound_error(), "{}", refused.text);
}

#[tokio::test(flavor = "multi_thread")]
async fn requests_are_not_entered_as_finished_nor_by_the_thousand() {
    let demo = Demo::start(&[]);
    let insert = "mutation ($objects: [dataSubjectsRightsRequests_insert_input!]!) { \
                  insertDataSubjectsRightsRequests(objects: $objects) { affected_rows } }";
    let object = |status: &str, verified: bool| json!({"dataSubjectId": demo.fact("data_subject_id"), "requestType": "access", "status": status, "verified": verified});
    for status in ["completed", "in_progress", "rejected", "withdrawn"] {
        for verified in [false, true] {
            let objects = json!({"objects": [object(status, verified)]});
            let refused = demo.ask("user", insert, objects).await;
            assert!(refused.is_sound_error(), "{status}: {}", refused.text);
        }
    }
    let many = json!({"objects": vec![object("submitted", false); 1000]});
    for role in ["user", "dataSubject"] {
        let refused = demo.ask(role, insert, many.clone()).await;
        assert!(refused.is_sound_error(), "{role}: {}", refused.text);
    }
    let long = "x".repeat(4001);
    let long = json!({"objects": [{"dataSubjectId": demo.fact("data_subject_id"), "requestType": "access", "description": long}]});
    let refused = demo.ask("dataSubject", insert, long).await;
    assert!(refused.is_sound_error(), "{}", refused.text);

    // The database enforces the rules for every role.
    let sql = tests::database::connect(demo.fact("database_url"))
        .await
        .unwrap();
    let enter = "INSERT INTO data_subject_rights_requests (data_subject_id, request_type, status, \
                 verified, result) VALUES (CAST($1 AS text)::uuid, 'access', 'completed', false, 'x')";
    let entered = sql.execute(enter, &[&demo.fact("data_subject_id")]).await;
    assert!(entered.is_err());
}

#[tokio::test(flavor = "multi_thread")]
async fn reminders_are_made_once() {
    let demo = Demo::start(&[]);
    let id = submit(&demo, "objection").await;
    row(&demo, "user", &id, OF_TEAM, |_| true).await;
    let sql = tests::database::connect(demo.fact("database_url"))
        .await
        .unwrap();
    let id = id.as_str().unwrap();
    let late = "UPDATE rights_request_workflows SET due_at = now() - interval '1 hour' WHERE \
                data_subject_rights_request_id::text = $1";
    sql.execute(late, &[&id]).await.unwrap();
    let count = "SELECT count(*), count(*) FILTER (WHERE m.role = 'Administrator') FROM \
                 team_reminders t JOIN rights_request_workflows w ON w.id = \
                 t.rights_request_workflow_id JOIN data_subjects s ON s.id = w.data_subject_id \
                 JOIN data_controller_users m ON m.user_id = t.user_id AND m.data_controller_id = \
                 s.data_controller_id WHERE w.data_subject_rights_request_id::text = $1";
    let mut counts = Vec::new();
    for _ in 0..2 {
        sql.execute("SELECT remind_of_rights_requests()", &[])
            .await
            .unwrap();
        let row = sql.query_one(count, &[&id]).await.unwrap();
        counts.push((row.get::<_, i64>(0), row.get::<_, i64>(1)));
    }
    assert!(counts[0].1 >= 1, "an Administrator is told");
    assert_eq!(counts[0], counts[1]);
    let reminders =
        "{ teamReminders(where: {kind: {_eq: \"overdue\"}}) { workflow { isOverdue } } }";
    let reminders = demo.data("user", reminders).await;
    assert_eq!(
        reminders["teamReminders"][0]["workflow"]["isOverdue"], true,
        "{reminders}"
    );
    let messages = "{ notificationMessages(where: {title: {_eq: \"Die Antwort auf Ihren Antrag ist \
                    überfällig\"}, body: {_like: \"Ihr Widerspruch%\"}}) { id } }";
    let messages = demo.data("dataSubject", messages).await;
    assert_eq!(
        messages["notificationMessages"].as_array().unwrap().len(),
        1
    );
}

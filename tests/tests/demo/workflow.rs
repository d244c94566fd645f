//! A rights request starts its processing, which each role sees under its row rules.

use serde_json::{Value, json};

use super::Demo;

const WORKFLOW: &str =
    "query ($id: uuid!) { rightsRequestWorkflows(where: {dataSubjectRightsRequestId: {_eq: $id}}) {
  id state dueAt extendedAt closedAt request { createdAt status } } }";

const OF_TEAM: &str =
    "query ($id: uuid!) { rightsRequestWorkflows(where: {dataSubjectRightsRequestId: {_eq: $id}}) {
  id assignedTo tasks(order_by: {position: asc}) { position title state } } }";

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
    let insert = "mutation ($object: data_subject_rights_requests_insert_input!) { \
                  insertDataSubjectRightsRequest(object: $object) { id } }";
    let object = json!({"dataSubjectId": demo.fact("data_subject_id"), "requestType": "access", "description": "Please."});
    let inserted = demo
        .ask("dataSubject", insert, json!({"object": object}))
        .await
        .json();
    let id = inserted["data"]["insertDataSubjectRightsRequest"]["id"].clone();
    assert!(id.is_string(), "{inserted}");
    let workflow = row(&demo, "dataSubject", &id, WORKFLOW, |_| true).await;
    assert_eq!(workflow["state"], "open");
    assert!(
        workflow["dueAt"].as_str() > workflow["request"]["createdAt"].as_str(),
        "{workflow}"
    );
    let of_team = row(&demo, "user", &id, OF_TEAM, |_| true).await;
    assert!(of_team["assignedTo"].is_string(), "{of_team}");
    let titles: Vec<&str> = of_team["tasks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|task| task["title"].as_str().unwrap())
        .collect();
    assert_eq!(
        titles,
        [
            "Verify the identity of the person",
            "Collect the data about the person",
            "Answer the person"
        ]
    );
    let message = demo.ask("dataSubject", MESSAGES, json!({})).await.json();
    assert_eq!(
        message["data"]["notificationMessages"][0]["title"],
        "We have received your request"
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

    let extend = "mutation ($id: uuid!) { updateRightsRequestWorkflowsByPk(pk_columns: {id: \
                  $id}, _set: {extensionReason: \"many records\"}) { extendedAt } }";
    let key = json!({"id": workflow["id"]});
    let extended = demo.ask("user", extend, key.clone()).await;
    if extended.json()["data"]["updateRightsRequestWorkflowsByPk"].is_object() {
        let later = row(&demo, "dataSubject", &id, WORKFLOW, |row| {
            row["extendedAt"].is_string()
        })
        .await;
        assert!(
            later["dueAt"].as_str() > workflow["dueAt"].as_str(),
            "{later}"
        );
    } else {
        panic!("{}", extended.text);
    }
    let close = "mutation ($id: uuid!) { updateDataSubjectsRightsRequest(pk_columns: {id: $id}, \
                 _set: {status: \"completed\"}) { status } }";
    let closed = demo.ask("user", close, json!({"id": id})).await;
    assert_eq!(
        closed.json()["data"]["updateDataSubjectsRightsRequest"]["status"],
        "completed",
        "{}",
        closed.text
    );
    row(&demo, "user", &id, WORKFLOW, |row| {
        row["state"] == "closed" && row["closedAt"].is_string()
    })
    .await;
}

//! What is held about a person is exported whole, in the person's language, to the person and the
//! team alone.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{Caller, Demo};

const EXPORT: &str =
    "query ($id: uuid!) { exportDataSubjectData(dataSubjectId: $id) { json html } }";

#[tokio::test(flavor = "multi_thread")]
async fn export_has_every_row_about_the_person() {
    let demo = Demo::start(&[]);
    let sql = tests::database::connect(demo.fact("database_url"))
        .await
        .unwrap();
    let id = json!({"id": demo.fact("data_subject_id")});
    let reply = demo.ask("dataSubject", EXPORT, id.clone()).await;
    let export = reply.data()["exportDataSubjectData"]["json"].clone();
    assert_eq!(export["person"]["id"], id["id"], "{}", reply.text);
    assert_eq!(export["language"], "de");
    for key in ["purposes", "consents", "activities", "sources"] {
        assert!(!export[key].as_array().unwrap().is_empty(), "{key}");
    }
    let tables = "SELECT DISTINCT c.relname::text, a.attname::text FROM pg_constraint k JOIN \
                  pg_class c ON c.oid = k.conrelid JOIN pg_attribute a ON a.attrelid = k.conrelid \
                  AND a.attnum = k.conkey[1] WHERE k.contype = 'f' AND k.confrelid = \
                  'data_subjects'::regclass";
    let mut found = BTreeSet::new();
    for row in sql.query(tables, &[]).await.unwrap() {
        let (table, column): (String, String) = (row.get(0), row.get(1));
        let count = format!("SELECT count(*) FROM {table} WHERE {column}::text = $1");
        let count: i64 = sql
            .query_one(&count, &[&demo.fact("data_subject_id")])
            .await
            .unwrap()
            .get(0);
        let rows = export["records"][&table].as_array().unwrap();
        assert_eq!(rows.len(), usize::try_from(count).unwrap(), "{table}");
        found.insert(table);
    }
    assert!(found.contains("data_subject_consent_history"), "{found:?}");
    // Nothing in it names a colleague.
    let text = export.to_string();
    assert!(!text.contains(demo.fact("user_id")), "{text}");

    let team = demo.ask("user", EXPORT, id.clone()).await;
    assert_eq!(
        team.data()["exportDataSubjectData"]["json"]["person"],
        export["person"]
    );
    let foreign = json!({"id": demo.fact("other_data_subject_id")});
    let unknown = json!({"id": "00000000-0000-4000-8000-00000000abcd"});
    for role in ["dataSubject", "user"] {
        let refused = demo.ask(role, EXPORT, foreign.clone()).await;
        assert_eq!(refused.error().code, "permission-error", "{role}");
        let none = demo.ask(role, EXPORT, unknown.clone()).await;
        assert_eq!(refused.text, none.text, "{role}");
    }
    let refused = demo.ask("anonymous", EXPORT, id).await;
    assert_eq!(refused.error().code, "validation-failed");
}

#[tokio::test(flavor = "multi_thread")]
async fn page_is_text_in_the_language_of_the_person() {
    let demo = Demo::start(&[]);
    let insert = "mutation ($object: dataSubjects_insert_input!) { insertDataSubject(object: \
                  $object) { id } }";
    let object = json!({"dataControllerId": demo.fact("data_controller_id"), "language": "nl",
        "displayName": "<img src=x onerror=alert(1)> & \"'"});
    let made = demo.ask_as_admin(insert, json!({"object": object})).await;
    let id = made.data()["insertDataSubject"]["id"].clone();
    let request = "mutation ($id: uuid!) { insertDataSubjectsRightsRequest(object: \
                   {dataSubjectId: $id, requestType: \"access\", description: \
                   \"</td><script>alert(2)</script>\"}) { id } }";
    let values = [("data_subject_id", id.as_str().unwrap())];
    let caller = Caller {
        role: "dataSubject",
        values: &values,
    };
    let reply = demo.ask_as(caller, request, json!({"id": id})).await;
    assert!(reply.data().is_object(), "{}", reply.text);
    let reply = demo.ask_as(caller, EXPORT, json!({"id": id})).await;
    let page = reply.data()["exportDataSubjectData"]["html"].clone();
    let page = page.as_str().unwrap_or_else(|| panic!("{}", reply.text));
    assert!(page.contains("<html lang=\"nl\">") && page.contains("Uw gegevens"));
    assert!(page.contains("&lt;img src=x onerror=alert(1)&gt; &amp; &quot;&#39;"));
    assert!(
        !page.contains("<img") && !page.contains("<script"),
        "{page}"
    );
    for heading in ["Your data", "Ihre Daten", "Quelle", "Legal basis"] {
        assert!(!page.contains(heading), "{heading}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn completed_access_request_has_the_export() {
    let demo = Demo::start(&[]);
    for kind in ["access", "portability"] {
        let insert = "mutation ($id: uuid!, $type: String!) { insertDataSubjectsRightsRequest(\
                      object: {dataSubjectId: $id, requestType: $type}) { id } }";
        let values = json!({"id": demo.fact("data_subject_id"), "type": kind});
        let made = demo.ask("dataSubject", insert, values).await;
        let id = made.data()["insertDataSubjectsRightsRequest"]["id"].clone();
        let update = "mutation ($id: uuid!) { updateDataSubjectsRightsRequest(pk_columns: {id: \
                      $id}, _set: {verified: true, status: \"completed\"}) { status result } }";
        let closed = demo.ask("user", update, json!({"id": id})).await;
        assert_eq!(
            closed.data()["updateDataSubjectsRightsRequest"]["status"],
            "completed",
            "{}",
            closed.text
        );
        let documents = "query ($id: uuid!) { dataSubjectsRightsRequests(where: {id: {_eq: \
                         $id}}) { result documents(order_by: {mediaType: asc}) { mediaType title \
                         content } } }";
        let found = demo.ask("dataSubject", documents, json!({"id": id})).await;
        let request = &found.data()["dataSubjectsRightsRequests"][0];
        assert!(request["result"].is_string());
        let kinds: Vec<&Value> = (0..2)
            .map(|n| &request["documents"][n]["mediaType"])
            .collect();
        assert_eq!(kinds, ["application/json", "text/html"]);
        let file = request["documents"][0]["content"].as_str().unwrap();
        let file: Value = serde_json::from_str(file).unwrap();
        assert_eq!(file["person"]["id"], demo.fact("data_subject_id"));
        let values = [("data_subject_id", demo.fact("other_data_subject_id"))];
        let other = Caller {
            role: "dataSubject",
            values: &values,
        };
        let documents = "query ($id: uuid!) { rightsRequestDocuments(where: \
                         {dataSubjectRightsRequestId: {_eq: $id}}) { id } }";
        let own = demo.ask("dataSubject", documents, json!({"id": id})).await;
        assert_eq!(
            own.data()["rightsRequestDocuments"]
                .as_array()
                .map(Vec::len),
            Some(2)
        );
        let foreign = demo.ask_as(other, documents, json!({"id": id})).await;
        assert_eq!(foreign.data()["rightsRequestDocuments"], json!([]));
    }
}

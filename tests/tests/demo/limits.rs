//! Tests what one call of each role can do at most: rows, texts, times and kinds of activities, and
//! that a team keeps an Administrator.

use serde_json::{Value, json};
use tests::reply::Reply;

use super::{Caller, Demo};

const RECORD: &str = "mutation ($objects: [dataProcessingActivities_insert_input!]!) { \
                      insertDataProcessingActivities(objects: $objects) { affected_rows returning \
                      { recordedBy } } }";

#[tokio::test(flavor = "multi_thread")]
async fn one_call_does_little() {
    let demo = Demo::start(&[]);
    let visitor = visitor(&demo).await;
    pages_report_what_they_know(&demo, &visitor).await;
    reports_are_counted(&demo, &visitor).await;
    few_rows_are_inserted_at_once(&demo, &visitor).await;
    activities_name_what_exists(&demo).await;
    activities_happened_when_they_can_have(&demo).await;
    activities_stay(&demo).await;
    few_rows_are_changed_at_once(&demo).await;
    texts_are_short(&demo).await;
    teams_keep_an_administrator(&demo).await;
}

/// The id of a person without a name, as visitors of widgets are.
async fn visitor(demo: &Demo) -> String {
    let insert =
        "mutation ($c: uuid!) { insertDataSubject(object: {dataControllerId: $c}) { id } }";
    let controller = json!({"c": demo.fact("data_controller_id")});
    let reply = demo.ask_as_admin(insert, controller).await;
    reply.data()["insertDataSubject"]["id"]
        .as_str()
        .unwrap()
        .to_owned()
}

/// An activity of a person, with further columns.
async fn activity(demo: &Demo, subject: &str, kind: &str, source: &str, more: &Value) -> Value {
    let find = "query ($t: String, $s: String) { t: dataProcessingActivityTypes(where: {code: \
                {_eq: $t}}) { id } s: dataProcessingActivitySources(where: {code: {_eq: $s}}) { id \
                } }";
    let found = demo
        .ask("user", find, json!({"t": kind, "s": source}))
        .await
        .data();
    let mut object = json!({"dataSubjectId": subject, "typeId": found["t"][0]["id"], "sourceId": found["s"][0]["id"]});
    for (key, value) in more.as_object().unwrap() {
        object[key] = value.clone();
    }
    object
}

async fn record(demo: &Demo, role: &str, subject: &str, objects: Vec<Value>) -> Reply {
    let values = match role {
        "user" => [("user_id", demo.fact("user_id"))],
        _ => [("data_subject_id", subject)],
    };
    let caller = Caller {
        role,
        values: &values,
    };
    demo.ask_as(caller, RECORD, json!({"objects": objects}))
        .await
}

fn assert_refused(reply: &Reply, sentence: &str) {
    let error = reply.error();
    assert_eq!(
        (error.code.as_str(), error.message.as_str()),
        ("constraint-violation", sentence),
        "{}",
        reply.text
    );
}

async fn pages_report_what_they_know(demo: &Demo, visitor: &str) {
    let own = demo.fact("data_subject_id");
    for (role, subject, recorded_by) in [
        ("anonymous", visitor, "visitor"),
        ("dataSubject", own, "person"),
    ] {
        let view = activity(demo, subject, "page_view", "website", &json!({})).await;
        let reply = record(demo, role, subject, vec![view.clone()]).await;
        assert_eq!(
            reply.data()["insertDataProcessingActivities"]["returning"],
            json!([{"recordedBy": recorded_by}]),
            "{}",
            reply.text
        );
        for (kind, source) in [
            ("data_erased", "crm"),
            ("data_exported", "website"),
            ("order_placed", "web_shop"),
            ("page_view", "payment_provider"),
        ] {
            let claimed = activity(demo, subject, kind, source, &json!({})).await;
            assert_refused(
                &record(demo, role, subject, vec![claimed]).await,
                "a page reports page views and sign-ins of the website or the app, and nothing \
                 else",
            );
        }
        let health =
            "{ dataProcessingActivityFields(where: {isSpecial: {_eq: true}}, limit: 1) { id } }";
        let health = demo.data("user", health).await;
        let mut sensitive = view.clone();
        sensitive["fieldIds"] = json!([health["dataProcessingActivityFields"][0]["id"]]);
        assert_refused(
            &record(demo, role, subject, vec![sensitive]).await,
            "a page reports no data of a special category",
        );
        let mut as_system = view.clone();
        as_system["recordedBy"] = json!("system");
        let reply = record(demo, role, subject, vec![as_system]).await;
        assert_eq!(reply.error().code, "validation-failed", "{}", reply.text);
        let mut foreign = view;
        foreign["dataSubjectId"] = json!(demo.fact("other_data_subject_id"));
        let reply = record(demo, role, subject, vec![foreign]).await;
        assert_eq!(reply.error().code, "permission-error", "{}", reply.text);
    }
}

async fn reports_are_counted(demo: &Demo, visitor: &str) {
    let own = demo.fact("data_subject_id");
    for (role, subject, sentence) in [
        (
            "anonymous",
            visitor,
            "a visitor has at most 100 activities a day",
        ),
        (
            "dataSubject",
            own,
            "a person has at most 500 activities a day",
        ),
    ] {
        let sql = tests::database::connect(demo.fact("database_url"))
            .await
            .unwrap();
        let recorded_by = if role == "anonymous" {
            "visitor"
        } else {
            "person"
        };
        let count = format!(
            "SELECT count(*) FROM data_processing_activities WHERE data_subject_id = '{subject}' \
             AND recorded_by = '{recorded_by}'"
        );
        let most: i64 = if role == "anonymous" { 100 } else { 500 };
        let before: i64 = sql.query_one(count.as_str(), &[]).await.unwrap().get(0);
        // The trigger sees rows of the same statement; through SQL, because a call has few rows.
        let fill = format!(
            "INSERT INTO data_processing_activities (data_subject_id, type_id, source_id, \
             recorded_by) SELECT '{subject}', t.id, s.id, '{recorded_by}' FROM \
             data_processing_activity_types t, data_processing_activity_sources s, \
             generate_series(1, {}) WHERE t.code = 'page_view' AND s.code = 'website'",
            most - before
        );
        sql.batch_execute(&fill).await.unwrap();
        let view = activity(demo, subject, "page_view", "website", &json!({})).await;
        assert_refused(&record(demo, role, subject, vec![view]).await, sentence);
        let after: i64 = sql.query_one(count.as_str(), &[]).await.unwrap().get(0);
        assert_eq!(after, most);
    }
}

async fn activities_name_what_exists(demo: &Demo) {
    let own = demo.fact("data_subject_id");
    let fields = demo
        .data("user", "{ dataProcessingActivityFields { id } }")
        .await;
    let fields: Vec<Value> = fields["dataProcessingActivityFields"]
        .as_array()
        .unwrap()
        .iter()
        .map(|field| field["id"].clone())
        .collect();
    let nothing = json!("00000000-0000-4000-8000-00000000abcd");
    let many: Vec<Value> = (0..51)
        .map(|n| json!(format!("00000000-0000-4000-8000-{n:012}")))
        .collect();
    let first = &fields[0];
    for (more, sentence) in [
        (
            json!({"fieldIds": [nothing]}),
            "fieldIds has an id of no field",
        ),
        (
            json!({"preferenceIds": [first]}),
            "preferenceIds has an id of no preference",
        ),
        (
            json!({"fieldIds": [first, first]}),
            "fieldIds and preferenceIds have each id once",
        ),
    ] {
        let object = activity(demo, own, "order_placed", "web_shop", &more).await;
        assert_refused(&record(demo, "user", own, vec![object]).await, sentence);
    }
    // The grant refuses before the database does, which refuses the admin too.
    let more = json!({"fieldIds": many});
    let object = activity(demo, own, "order_placed", "web_shop", &more).await;
    let reply = record(demo, "user", own, vec![object.clone()]).await;
    assert_limited(
        &reply,
        "the limit on the length of 'fieldIds' is 50 elements",
    );
    let variables = json!({"objects": [object]});
    assert_refused(
        &demo.ask_as_admin(RECORD, variables).await,
        "fieldIds and preferenceIds have at most 50 ids each",
    );
    let object = activity(
        demo,
        own,
        "order_placed",
        "web_shop",
        &json!({"fieldIds": fields}),
    )
    .await;
    let reply = record(demo, "user", own, vec![object]).await;
    assert_eq!(
        reply.data()["insertDataProcessingActivities"]["affected_rows"],
        1
    );
}

async fn activities_happened_when_they_can_have(demo: &Demo) {
    let own = demo.fact("data_subject_id");
    let kept = "triggeredAt is more than 13 months ago, longer than such activities are kept";
    for (role, at, sentence) in [
        (
            "user",
            "2999-01-01T00:00:00Z",
            "triggeredAt is not in the future",
        ),
        ("user", "2010-01-01T00:00:00Z", kept),
        (
            "dataSubject",
            "2999-01-01T00:00:00Z",
            "triggeredAt is not in the future",
        ),
        (
            "dataSubject",
            "2020-01-01T00:00:00Z",
            "a page reports what happened within the last day",
        ),
    ] {
        let object = activity(
            demo,
            own,
            "page_view",
            "website",
            &json!({"triggeredAt": at}),
        )
        .await;
        assert_refused(&record(demo, role, own, vec![object]).await, sentence);
    }
}

/// The admin's requests have no rules; the trigger applies to them too.
async fn activities_stay(demo: &Demo) {
    let sentence = "a recorded activity is neither changed nor deleted before its retention ends";
    for mutation in [
        "mutation { updateDataProcessingActivities(where: {}, _set: {recordedBy: \"person\"}) { \
         affected_rows } }",
        "mutation { deleteDataProcessingActivities(where: {}) { affected_rows } }",
    ] {
        assert_refused(&demo.ask_as_admin(mutation, json!({})).await, sentence);
    }
    let sql = tests::database::connect(demo.fact("database_url"))
        .await
        .unwrap();
    let error = sql
        .batch_execute("TRUNCATE data_processing_activities")
        .await
        .unwrap_err();
    assert!(
        error.as_db_error().unwrap().message() == sentence,
        "{error}"
    );
}

/// One field with many rows, and many fields with one row each, are one operation.
async fn few_rows_are_inserted_at_once(demo: &Demo, visitor: &str) {
    let own = demo.fact("data_subject_id");
    let view = activity(demo, visitor, "page_view", "website", &json!({})).await;
    let reply = record(demo, "anonymous", visitor, vec![view.clone(), view]).await;
    assert_limited(
        &reply,
        "the limit on rows inserted into 'dataProcessingActivities' is 1",
    );
    let request = format!(
        "insertDataSubjectsRightsRequest(object: {{dataSubjectId: \"{own}\", requestType: \
         \"access\"}}) {{ id }}"
    );
    let twice = format!("mutation {{ a: {request} b: {request} }}");
    assert_limited(
        &demo.ask("dataSubject", &twice, json!({})).await,
        "the limit on rows inserted into 'dataSubjectsRightsRequests' is 1",
    );
    let long = "mutation ($object: data_subject_rights_requests_insert_input!) { \
                insertDataSubjectRightsRequest(object: $object) { id } }";
    let object =
        json!({"dataSubjectId": own, "requestType": "access", "description": "x".repeat(4001)});
    assert_limited(
        &demo
            .ask("dataSubject", long, json!({"object": object}))
            .await,
        "the limit on the length of 'description' is 4000 characters",
    );
}

fn assert_limited(reply: &Reply, message: &str) {
    let error = reply.error();
    assert_eq!(
        (error.code.as_str(), error.message.as_str()),
        ("limit-exceeded", message),
        "{}",
        reply.text
    );
}

async fn few_rows_are_changed_at_once(demo: &Demo) {
    for (mutation, most) in [
        (
            "updateDataSubjects(where: {}, _set: {displayName: null, email: null})",
            10,
        ),
        (
            "updateDataControllerFaqs(where: {}, _set: {published: false})",
            10,
        ),
        ("deleteDataControllerFaqs(where: {})", 5),
        (
            "updateDataControllers(where: {}, _set: {industry: \"x\"})",
            1,
        ),
        (
            "updateDataControllerPurposeProcessors(where: {}, _set: {accessLevel: \"read\"})",
            20,
        ),
    ] {
        let reply = demo
            .ask(
                "user",
                &format!("mutation {{ {mutation} {{ affected_rows }} }}"),
                json!({}),
            )
            .await;
        let error = reply.error();
        assert_eq!(
            (error.code.as_str(), error.message),
            (
                "limit-exceeded",
                format!("the limit on affected rows is {most}")
            ),
            "{mutation}: {}",
            reply.text
        );
    }
}

async fn texts_are_short(demo: &Demo) {
    let own = demo.fact("data_subject_id");
    let update = "mutation ($id: uuid!, $set: dataSubjects_set_input!) { \
                  updateDataSubject(pk_columns: {id: $id}, _set: $set) { id } }";
    let sentence = "displayName has at most 200 characters";
    let long = json!({"id": own, "set": {"displayName": "x".repeat(201)}});
    for role in ["dataSubject", "user"] {
        assert_refused(&demo.ask(role, update, long.clone()).await, sentence);
    }
    assert_refused(&demo.ask_as_admin(update, long).await, sentence);
    let controller = "mutation ($id: uuid!, $set: dataControllers_set_input!) { \
                      updateDataController(pk_columns: {id: $id}, _set: $set) { id } }";
    let note = json!({"id": demo.fact("data_controller_id"), "set": {"complianceConfiguration": {"note": "x".repeat(20_000)}}});
    assert_refused(
        &demo.ask("user", controller, note).await,
        "complianceConfiguration has at most 20000 bytes",
    );
    // Every text of every table of the service has a longest length.
    let sql = tests::database::connect(demo.fact("database_url"))
        .await
        .unwrap();
    let unlimited = "SELECT c.relname || '.' || a.attname
          FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND a.attgenerated = ''
         WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND c.relname <> 'notes' AND a.atttypid = 'text'::regtype
           AND NOT EXISTS (SELECT FROM pg_constraint k WHERE k.conrelid = c.oid AND k.contype = 'c' AND a.attnum = ANY (k.conkey)
                            AND pg_get_constraintdef(k.oid) ~ '(length|ANY) ?\\(')";
    let unlimited: Vec<String> = sql
        .query(unlimited, &[])
        .await
        .unwrap()
        .iter()
        .map(|row| row.get(0))
        .collect();
    assert_eq!(unlimited, Vec::<String>::new());
}

async fn teams_keep_an_administrator(demo: &Demo) {
    let sentence = "a team keeps at least one active Administrator";
    let administrators = json!({"c": demo.fact("data_controller_id")});
    for change in [
        "deleteDataControllerUsers(where: WHERE)",
        "updateDataControllerUsers(where: WHERE, _set: {status: \"suspended\"})",
        "updateDataControllerUsers(where: WHERE, _set: {role: \"Viewer\"})",
    ] {
        let change = change.replace(
            "WHERE",
            "{dataControllerId: {_eq: $c}, role: {_eq: \"Administrator\"}}",
        );
        let mutation = format!("mutation ($c: uuid!) {{ {change} {{ affected_rows }} }}");
        let reply = demo.ask("user", &mutation, administrators.clone()).await;
        assert_refused(&reply, sentence);
        let reply = demo.ask_as_admin(&mutation, administrators.clone()).await;
        assert_refused(&reply, sentence);
    }
    // Nor does the last one leave.
    let sql = tests::database::connect(demo.fact("database_url"))
        .await
        .unwrap();
    let one = "DELETE FROM data_controller_users WHERE role = 'Administrator' AND status = \
               'active' AND user_id::text <> $1 AND data_controller_id::text = $2";
    sql.execute(
        one,
        &[&demo.fact("user_id"), &demo.fact("data_controller_id")],
    )
    .await
    .unwrap();
    let leave = "mutation ($c: uuid!) { deleteDataControllerUsers(where: {dataControllerId: {_eq: \
                 $c}}) { affected_rows } }";
    let reply = demo.ask("me", leave, administrators).await;
    assert_refused(&reply, sentence);
}

//! Tests the data map: it has what is recorded about a person, with source, time and the purposes
//! that it serves, and nothing of what may be processed.

use serde_json::{Value, json};

use super::{Caller, Demo};

const MAP: &str = "query ($id: uuid!) { dataSubjectDataMapping(where: {dataSubjectId: {_eq: \
                   $id}}, order_by: [{origin: asc}, {dataItemLabel: asc}, {purposeTitle: asc}]) { \
                   dataItemLabel dataItemLabels dataCategory isSpecial origin originLabel \
                   originLabels recordedAt purposeTitle legalBasis processors } }";

#[tokio::test(flavor = "multi_thread")]
async fn data_map_has_what_is_recorded() {
    let demo = Demo::start(&[]);
    person_without_records_has_none(&demo).await;
    columns_that_are_set_are_of_the_profile(&demo).await;
    activities_have_source_time_and_purpose(&demo).await;
    purposes_with_consent_are_served_while_the_person_agrees(&demo).await;
    special_categories_are_there_if_recorded(&demo).await;
    every_row_of_the_sample_is_recorded(&demo).await;
    others_see_nothing(&demo).await;
}

/// Makes a person of the demo's controller; returns the id.
async fn person(demo: &Demo, mut columns: Value) -> String {
    columns["dataControllerId"] = json!(demo.fact("data_controller_id"));
    let insert = "mutation ($object: dataSubjects_insert_input!) { insertDataSubject(object: \
                  $object) { id } }";
    let reply = demo.ask("user", insert, json!({"object": columns})).await;
    let id = reply.data()["insertDataSubject"]["id"].clone();
    id.as_str().expect(&reply.text).to_owned()
}

async fn map(demo: &Demo, role: &str, id: &str) -> Vec<Value> {
    let values = [("data_subject_id", id)];
    let own = Caller {
        role,
        values: &values,
    };
    let reply = match role {
        "user" => demo.ask("user", MAP, json!({"id": id})).await,
        _ => demo.ask_as(own, MAP, json!({"id": id})).await,
    };
    let rows = reply.data()["dataSubjectDataMapping"].clone();
    rows.as_array().expect(&reply.text).clone()
}

/// Records an activity as the team, now.
async fn record(demo: &Demo, id: &str, kind: &str, source: &str, fields: &[&str]) {
    let find = "query ($t: String, $s: String, $f: [String!]) { t: \
                dataProcessingActivityTypes(where: {code: {_eq: $t}}) { id } s: \
                dataProcessingActivitySources(where: {code: {_eq: $s}}) { id } f: \
                dataProcessingActivityFields(where: {code: {_in: $f}}) { id } }";
    let found = demo
        .ask("user", find, json!({"t": kind, "s": source, "f": fields}))
        .await
        .data();
    let fields: Vec<&Value> = found["f"]
        .as_array()
        .unwrap()
        .iter()
        .map(|f| &f["id"])
        .collect();
    let object = json!({"dataSubjectId": id, "typeId": found["t"][0]["id"], "sourceId": found["s"][0]["id"], "fieldIds": fields});
    let insert = "mutation ($object: dataProcessingActivities_insert_input!) { \
                  insertDataProcessingActivity(object: $object) { id } }";
    let reply = demo.ask("user", insert, json!({"object": object})).await;
    assert!(
        reply.data()["insertDataProcessingActivity"]["id"].is_string(),
        "{}",
        reply.text
    );
}

async fn person_without_records_has_none(demo: &Demo) {
    let id = person(demo, json!({})).await;
    for role in ["dataSubject", "anonymous", "user"] {
        assert_eq!(map(demo, role, &id).await, Vec::<Value>::new(), "{role}");
    }
}

async fn columns_that_are_set_are_of_the_profile(demo: &Demo) {
    let columns = json!({"displayName": "Ada", "email": "ada@mail.example", "country": "AT", "language": "en", "globalPrivacyControl": true});
    let id = person(demo, columns).await;
    let rows = map(demo, "dataSubject", &id).await;
    let labels: Vec<&str> = rows
        .iter()
        .map(|row| row["dataItemLabel"].as_str().unwrap())
        .collect();
    assert_eq!(
        labels,
        [
            "Country",
            "E-mail address",
            "Language",
            "Name",
            "Signal Global Privacy Control"
        ]
    );
    for row in &rows {
        assert_eq!(row["origin"], "profile", "{row}");
        assert!(
            row["purposeTitle"].is_null() && row["recordedAt"].is_string(),
            "{row}"
        );
    }
    assert_eq!(rows[1]["dataItemLabels"]["nl"], "E-mailadres");
}

async fn activities_have_source_time_and_purpose(demo: &Demo) {
    let id = person(demo, json!({"email": "order@mail.example"})).await;
    record(
        demo,
        &id,
        "order_placed",
        "web_shop",
        &["email", "postal_address"],
    )
    .await;
    let rows = map(demo, "dataSubject", &id).await;
    let seen: Vec<Value> = rows
        .iter()
        .map(|row| {
            json!([
                row["origin"],
                row["dataItemLabel"],
                row["originLabels"]["de"],
                row["purposeTitle"]
            ])
        })
        .collect();
    let served = "Erfüllung Ihres Vertrags";
    assert_eq!(
        seen,
        [
            json!(["activity", "E-mail address", "Onlineshop", served]),
            json!(["activity", "Postal address", "Onlineshop", served]),
            json!(["profile", "E-mail address", "Profil", served])
        ]
    );
    for row in &rows {
        let processors = row["processors"].as_array().unwrap();
        assert!(
            !processors.is_empty() && row["recordedAt"].is_string(),
            "{row}"
        );
    }
}

async fn purposes_with_consent_are_served_while_the_person_agrees(demo: &Demo) {
    let id = person(demo, json!({})).await;
    record(demo, &id, "newsletter_sent", "email_marketing", &["email"]).await;
    let of_activity = async || {
        let rows = map(demo, "dataSubject", &id).await;
        let row = rows.into_iter().find(|row| row["origin"] == "activity");
        row.unwrap()["purposeTitle"].clone()
    };
    assert_eq!(of_activity().await, Value::Null);
    let upsert = "mutation ($c: uuid!, $s: uuid!, $p: jsonb!) { \
                  upsertDataSubjectConsents(dataControllerId: $c, dataSubjectId: $s, purposes: $p) \
                  { status } }";
    let values = [("data_subject_id", id.as_str())];
    let own = Caller {
        role: "dataSubject",
        values: &values,
    };
    for (agreed, served, label) in [
        (true, json!("Newsletter"), "Consent given: Newsletter"),
        (false, Value::Null, "No consent: Newsletter"),
    ] {
        let variables = json!({"c": demo.fact("data_controller_id"), "s": id, "p": {demo.fact("purpose_id"): agreed}});
        let reply = demo.ask_as(own, upsert, variables).await;
        assert_eq!(
            reply.data()["upsertDataSubjectConsents"]["status"],
            "success",
            "{}",
            reply.text
        );
        assert_eq!(of_activity().await, served);
        let rows = map(demo, "dataSubject", &id).await;
        let consent = rows.iter().find(|row| row["origin"] == "consent").unwrap();
        assert_eq!(
            json!([
                consent["dataItemLabel"],
                consent["purposeTitle"],
                consent["originLabel"]
            ]),
            json!([label, served, "Your choice"])
        );
    }
}

async fn special_categories_are_there_if_recorded(demo: &Demo) {
    let id = person(demo, json!({})).await;
    record(demo, &id, "order_placed", "web_shop", &["email"]).await;
    let is_special = |rows: &[Value]| rows.iter().any(|row| row["isSpecial"] == true);
    assert!(!is_special(&map(demo, "dataSubject", &id).await));
    record(
        demo,
        &id,
        "order_placed",
        "reservation_system",
        &["allergies"],
    )
    .await;
    let rows = map(demo, "dataSubject", &id).await;
    let row = rows.iter().find(|row| row["isSpecial"] == true).unwrap();
    assert_eq!(
        json!([
            row["dataCategory"],
            row["dataItemLabel"],
            row["originLabel"]
        ]),
        json!(["health", "Allergies", "Reservation system"])
    );
}

/// Compares the map of the sample's data subjects with the records, as SQL sees them.
async fn every_row_of_the_sample_is_recorded(demo: &Demo) {
    let sql = tests::database::connect(demo.fact("database_url"))
        .await
        .unwrap();
    let people = "SELECT id FROM data_subjects ORDER BY id LIMIT 300";
    let unrecorded = format!(
        "SELECT count(*), count(*) FILTER (WHERE m.origin = 'activity'
             AND NOT EXISTS (SELECT FROM data_processing_activities a
                              WHERE a.data_subject_id = m.data_subject_id AND m.data_item_id = ANY (a.field_ids)
                                AND a.triggered_at = m.recorded_at))
         FROM data_subject_data_mapping m WHERE m.data_subject_id IN ({people})"
    );
    let row = sql.query_one(unrecorded.as_str(), &[]).await.unwrap();
    let (rows, unrecorded): (i64, i64) = (row.get(0), row.get(1));
    assert!(rows > 1000, "{rows}");
    assert_eq!(unrecorded, 0);
    let missing = format!(
        "SELECT count(*) FROM data_processing_activities a CROSS JOIN unnest(a.field_ids) f (id)
          WHERE a.data_subject_id IN ({people})
            AND NOT EXISTS (SELECT FROM data_subject_data_mapping m WHERE m.data_subject_id = a.data_subject_id
                             AND m.data_item_id = f.id AND m.recorded_at >= a.triggered_at)"
    );
    let missing: i64 = sql.query_one(missing.as_str(), &[]).await.unwrap().get(0);
    assert_eq!(missing, 0);
    // One person's rows come by indexes: no table of people or their records is read as a whole.
    let plan = format!(
        "EXPLAIN SELECT * FROM data_subject_data_mapping WHERE data_subject_id = '{}'",
        demo.fact("data_subject_id")
    );
    let lines = sql.query(plan.as_str(), &[]).await.unwrap();
    let scans: Vec<String> = lines
        .iter()
        .map(|row| row.get::<_, String>(0))
        .filter(|line| {
            line.contains("Seq Scan on data_subject")
                || line.contains("Seq Scan on data_processing_activities")
        })
        .collect();
    assert_eq!(scans, Vec::<String>::new());
}

async fn others_see_nothing(demo: &Demo) {
    let other = demo.fact("other_data_subject_id");
    for role in ["user", "dataSubject"] {
        let reply = demo.ask(role, MAP, json!({"id": other})).await;
        assert_eq!(
            reply.data(),
            json!({"dataSubjectDataMapping": []}),
            "{role}"
        );
    }
    let visitor = person(demo, json!({})).await;
    let values = [("data_subject_id", visitor.as_str())];
    let visitor = Caller {
        role: "anonymous",
        values: &values,
    };
    let own = demo.fact("data_subject_id");
    let reply = demo.ask_as(visitor, MAP, json!({"id": own})).await;
    assert_eq!(reply.data(), json!({"dataSubjectDataMapping": []}));
}

//! Tests what the privacy service keeps of a consent: who gave it, to which text, and all that was
//! answered before, against people, colleagues, the admin and the SQL of the gateway's own role.

use serde_json::{Value, json};
use tests::reply::Reply;
use tokio_postgres::Client;

use super::{Caller, Demo};

const UPSERT: &str = "mutation ($controller: uuid!, $subject: uuid!, $purposes: jsonb!, $form: \
                      String) { upsertDataSubjectConsents(dataControllerId: $controller, \
                      dataSubjectId: $subject, purposes: $purposes, form: $form) { status message \
                      data { upsertedCount leftOff consentCookie } } }";

const UPDATE: &str = "mutation ($id: uuid!, $set: dataSubjectConsentFormValues_set_input!) { \
                      updateDataSubjectConsentFormValue(pk_columns: {id: $id}, _set: $set) { \
                      value givenBy form updatedAt } }";

const INSERT: &str = "mutation ($objects: [dataSubjectConsentFormValues_insert_input!]!) { \
                      insertDataSubjectConsentFormValues(objects: $objects) { affected_rows } }";

const ROLES: [&str; 3] = ["dataSubject", "user", "admin"];

/// The demo with what these tests read of it.
struct Consents {
    demo: Demo,
    sql: Client,
    subject: String,
    newsletter: String,
}

impl Consents {
    async fn start() -> Consents {
        let demo = Demo::start(&[]);
        let sql = tests::database::connect(demo.fact("database_url"))
            .await
            .unwrap();
        let subject = demo.fact("data_subject_id").to_owned();
        let newsletter = demo.fact("purpose_id").to_owned();
        Consents {
            demo,
            sql,
            subject,
            newsletter,
        }
    }

    async fn ask(&self, role: &str, query: &str, variables: Value) -> Reply {
        if role == "admin" {
            return self.demo.ask_as_admin(query, variables).await;
        }
        self.demo.ask(role, query, variables).await
    }

    fn call(&self, purposes: &Value, form: Option<&str>) -> Value {
        json!({"controller": self.demo.fact("data_controller_id"), "subject": self.subject,
               "purposes": purposes, "form": form})
    }

    async fn upsert(&self, role: &str, purposes: &Value, form: Option<&str>) -> Reply {
        self.ask(role, UPSERT, self.call(purposes, form)).await
    }

    async fn text(&self, query: &str) -> String {
        self.sql.query_one(query, &[]).await.unwrap().get(0)
    }

    /// The id of a purpose of the demo's controller.
    async fn purpose(&self, condition: &str) -> String {
        let query = format!(
            "SELECT id::text FROM data_controller_processing_purposes WHERE data_controller_id = \
             '{}' AND {condition} ORDER BY position LIMIT 1",
            self.demo.fact("data_controller_id")
        );
        self.text(&query).await
    }

    async fn purpose_title(&self, id: &str) -> String {
        self.text(&format!(
            "SELECT title FROM data_controller_processing_purposes WHERE id = '{id}'"
        ))
        .await
    }

    /// A purpose for consent with an answer of the person, in the state that is asked for.
    async fn answered_purpose(&self, title: &str, value: &str) -> String {
        let purpose = self
            .text(&format!(
                "INSERT INTO data_controller_processing_purposes (data_controller_id, title, \
                 legal_basis, status) VALUES ('{}', '{title}', 'consent', 'active') RETURNING \
                 id::text",
                self.demo.fact("data_controller_id")
            ))
            .await;
        let reply = self
            .upsert("dataSubject", &json!({&purpose: value == "true"}), None)
            .await;
        assert_eq!(
            reply.data()["upsertDataSubjectConsents"]["status"],
            "success",
            "{}",
            reply.text
        );
        purpose
    }

    async fn consent(&self, purpose: &str) -> String {
        self.text(&format!(
            "SELECT id::text FROM data_subject_consent_form_values WHERE data_subject_id = '{}' \
             AND data_controller_processing_purpose_id = '{purpose}'",
            self.subject
        ))
        .await
    }

    /// Value, giver and form of a consent, joined by spaces.
    async fn state(&self, purpose: &str) -> String {
        self.text(&format!(
            "SELECT concat_ws(' ', value, given_by, form) FROM data_subject_consent_form_values \
             WHERE data_subject_id = '{}' AND data_controller_processing_purpose_id = \
             '{purpose}'",
            self.subject
        ))
        .await
    }

    /// The former states of a consent, the last one first.
    async fn former(&self, purpose: &str) -> Vec<String> {
        let query = format!(
            "SELECT concat_ws(' ', h.value, h.given_by, h.form) FROM data_subject_consent_history \
             h JOIN data_subject_consent_form_values v ON v.id = \
             h.data_subject_consent_form_value_id WHERE v.data_subject_id = '{}' AND \
             v.data_controller_processing_purpose_id = '{purpose}' ORDER BY h.replaced_at DESC",
            self.subject
        );
        let rows = self.sql.query(&query, &[]).await.unwrap();
        rows.iter().map(|row| row.get(0)).collect()
    }

    /// Fails unless Postgres refuses the statement with the message.
    async fn refuses_sql(&self, statement: &str, message: &str) {
        let error = self.sql.batch_execute(statement).await.unwrap_err();
        let error = error.as_db_error().unwrap();
        assert_eq!(error.message(), message, "{statement}");
    }

    async fn refuses(&self, role: &str, query: &str, variables: Value, code: &str) {
        let reply = self.ask(role, query, variables.clone()).await;
        assert_eq!(
            reply.error().code,
            code,
            "{role}: {query} {variables}: {}",
            reply.text
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn consents_keep_who_gave_them_and_which_text_was_shown() {
    let consents = Consents::start().await;
    let purpose = consents.answered_purpose("Post", "true").await;
    assert_eq!(consents.state(&purpose).await, "true person api");
    let id = consents.consent(&purpose).await;

    // What was shown can be read again, and is what the digest is of.
    let shown = "{ dataSubjectConsentFormValues { shownText textDigest purposeVersion \
                 privacyNoticeId purpose { title description } } dataSubjectConsentHistory { \
                 shownText textDigest } }";
    let data = consents.demo.data("dataSubject", shown).await;
    let mut rows = data["dataSubjectConsentFormValues"]
        .as_array()
        .unwrap()
        .clone();
    rows.retain(|row| !row["textDigest"].is_null());
    assert!(rows.len() > 1);
    for row in &rows {
        let text = row["shownText"].as_str().unwrap();
        assert!(text.starts_with(row["purpose"]["title"].as_str().unwrap()));
        assert!(text.contains(row["purpose"]["description"].as_str().unwrap()));
        assert_eq!(row["purposeVersion"], 1);
    }
    let notice = "SELECT bool_and(position(n.\"full\" IN consent_shown_text(v)) > 0) FROM \
                  data_subject_consent_form_values v JOIN privacy_notices n ON n.id = \
                  v.privacy_notice_id";
    assert!(
        consents
            .sql
            .query_one(notice, &[])
            .await
            .unwrap()
            .get::<_, bool>(0)
    );
    rows.extend(
        data["dataSubjectConsentHistory"]
            .as_array()
            .unwrap()
            .clone(),
    );
    rows.retain(|row| !row["textDigest"].is_null());
    for row in &rows {
        let digest = "SELECT encode(sha256(convert_to($1, 'UTF8')), 'hex')";
        let text = row["shownText"].as_str().unwrap();
        let digest: String = consents
            .sql
            .query_one(digest, &[&text])
            .await
            .unwrap()
            .get(0);
        assert_eq!(row["textDigest"], digest);
    }
    let intact = "SELECT count(*) FROM data_subject_consent_form_values v WHERE v.text_digest IS \
                  DISTINCT FROM CASE WHEN v.given_by IN ('person', 'visitor', 'colleague') AND \
                  v.form <> 'rights_request' THEN \
                  consent_text_digest(v.data_controller_processing_purpose_id, \
                  v.privacy_notice_id) END";
    let altered: i64 = consents.sql.query_one(intact, &[]).await.unwrap().get(0);
    assert_eq!(altered, 0, "sample rows have digests of texts, too");

    // A colleague is named, to the team and not to the person.
    let reply = consents
        .upsert("user", &json!({&purpose: false}), Some("telephone"))
        .await;
    assert_eq!(
        reply.data()["upsertDataSubjectConsents"]["status"],
        "success",
        "{}",
        reply.text
    );
    assert_eq!(consents.state(&purpose).await, "false colleague telephone");
    let named = format!(
        "{{ dataSubjectConsentFormValues(where: {{id: {{_eq: \"{id}\"}}}}) {{ givenByUserId }} }}"
    );
    assert_eq!(
        consents.demo.data("user", &named).await["dataSubjectConsentFormValues"],
        json!([{"givenByUserId": consents.demo.fact("user_id")}])
    );
    consents
        .refuses("dataSubject", &named, json!({}), "validation-failed")
        .await;

    // Clients cannot set the giver and the text: the server does.
    for set in [
        json!({"value": "true", "givenBy": "person"}),
        json!({"value": "true", "givenByUserId": consents.demo.fact("user_id")}),
        json!({"value": "true", "form": "widget"}),
        json!({"value": "true", "textDigest": "0".repeat(64)}),
        json!({"value": "true", "purposeVersion": 7}),
        json!({"value": "true", "privacyNoticeId": null}),
        json!({"value": "true", "updatedAt": "2020-01-01T00:00:00Z"}),
    ] {
        for role in ["dataSubject", "user"] {
            let variables = json!({"id": id, "set": set});
            consents
                .refuses(role, UPDATE, variables, "validation-failed")
                .await;
        }
    }
    for (role, form) in [
        ("dataSubject", "paper"),
        ("user", "widget"),
        ("user", "webhook:crm"),
        ("dataSubject", "anything"),
    ] {
        let call = consents.call(&json!({&purpose: true}), Some(form));
        consents.refuses(role, UPSERT, call, "action-failed").await;
    }
    // The admin may say who, and what it leaves out is not the answer before.
    let digest =
        json!({"value": "true", "textDigest": "0".repeat(64), "updatedAt": "2020-01-01T00:00:00Z"});
    let reply = consents
        .ask("admin", UPDATE, json!({"id": id, "set": digest}))
        .await;
    let changed = &reply.data()["updateDataSubjectConsentFormValue"];
    assert_eq!(changed["givenBy"], "operator", "{}", reply.text);
    assert!(changed["updatedAt"].as_str().unwrap() > "2020-02");
    assert_eq!(consents.state(&purpose).await, "true operator direct");
    consents
        .sql
        .batch_execute(&format!(
            "UPDATE data_subject_consent_form_values SET value = 'false' WHERE id = '{id}'"
        ))
        .await
        .unwrap();
    assert_eq!(
        consents.former(&purpose).await,
        [
            "true operator direct",
            "false colleague telephone",
            "true person api"
        ]
    );
    visitors_are_visitors(&consents).await;
    the_same_answer_again_is_no_other_one(&consents).await;
}

async fn visitors_are_visitors(consents: &Consents) {
    let visitor = consents
        .text(&format!(
            "INSERT INTO data_subjects (data_controller_id) VALUES ('{}') RETURNING id::text",
            consents.demo.fact("data_controller_id")
        ))
        .await;
    let caller = Caller {
        role: "anonymous",
        values: &[("data_subject_id", visitor.as_str())],
    };
    for value in [true, false] {
        let variables = json!({"controller": consents.demo.fact("data_controller_id"), "subject": visitor,
                               "purposes": {&consents.newsletter: value}, "form": "widget"});
        let reply = consents.demo.ask_as(caller, UPSERT, variables).await;
        assert_eq!(
            reply.data()["upsertDataSubjectConsents"]["data"]["upsertedCount"],
            1,
            "{}",
            reply.text
        );
    }
    let query = "{ dataSubjectConsentFormValues { value givenBy form } dataSubjectConsentHistory \
                 { value givenBy form } }";
    let seen = consents.demo.ask_as(caller, query, json!({})).await.data();
    assert_eq!(
        seen,
        json!({"dataSubjectConsentFormValues": [{"value": "false", "givenBy": "visitor", "form": "widget"}],
               "dataSubjectConsentHistory": [{"value": "true", "givenBy": "visitor", "form": "widget"}]})
    );
}

async fn the_same_answer_again_is_no_other_one(consents: &Consents) {
    let purpose = consents.answered_purpose("Again", "true").await;
    for role in ["dataSubject", "user", "admin"] {
        consents.upsert(role, &json!({&purpose: true}), None).await;
    }
    assert_eq!(consents.state(&purpose).await, "true person api");
    assert_eq!(consents.former(&purpose).await, Vec::<String>::new());
    // The person confirms what a colleague has entered.
    consents
        .upsert("user", &json!({&purpose: false}), Some("paper"))
        .await;
    consents
        .upsert("dataSubject", &json!({&purpose: false}), Some("widget"))
        .await;
    assert_eq!(consents.state(&purpose).await, "false person widget");
    assert_eq!(
        consents.former(&purpose).await,
        ["false colleague paper", "true person api"]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn only_purposes_that_ask_for_consent_are_answered() {
    let consents = Consents::start().await;
    let before = consents.state(&consents.newsletter).await;
    let contract = consents
        .purpose("legal_basis = 'contract' AND status = 'active'")
        .await;
    let title = consents.purpose_title(&contract).await;
    let message =
        format!("the purpose \"{title}\" asks for no consent: its legal basis is contract");
    for role in ROLES {
        for purposes in [
            json!({&contract: false}),
            json!({&contract: true}),
            json!({&contract: false, &consents.newsletter: false}),
        ] {
            let reply = consents.upsert(role, &purposes, None).await;
            assert_eq!(
                (reply.error().code, reply.error().message),
                ("action-failed".to_owned(), message.clone()),
                "{role}"
            );
        }
        let object = json!({"dataSubjectId": consents.subject, "dataControllerProcessingPurposeId": contract, "value": "false"});
        consents
            .refuses(
                role,
                INSERT,
                json!({"objects": [object]}),
                "constraint-violation",
            )
            .await;
        let id = consents.consent(&consents.newsletter).await;
        for value in ["maybe", "TRUE", "", "granted on paper"] {
            let variables = json!({"id": id, "set": {"value": value}});
            consents
                .refuses(role, UPDATE, variables, "constraint-violation")
                .await;
        }
    }
    assert_eq!(consents.state(&consents.newsletter).await, before);

    // A purpose that is retired can be left, and not be joined.
    let retired = consents.answered_purpose("Retired", "true").await;
    let draft = consents
        .text(&format!(
            "INSERT INTO data_controller_processing_purposes (data_controller_id, title, \
             legal_basis) VALUES ('{}', 'Draft', 'consent') RETURNING id::text",
            consents.demo.fact("data_controller_id")
        ))
        .await;
    consents
        .sql
        .batch_execute(&format!(
            "UPDATE data_controller_processing_purposes SET status = 'retired' WHERE id = \
             '{retired}'"
        ))
        .await
        .unwrap();
    let reply = consents
        .upsert("dataSubject", &json!({&retired: false}), None)
        .await;
    let data = &reply.data()["upsertDataSubjectConsents"]["data"];
    assert_eq!(data["upsertedCount"], 1, "{}", reply.text);
    let id = consents.consent(&retired).await;
    for role in ROLES {
        let call = consents.call(&json!({&retired: true}), None);
        consents.refuses(role, UPSERT, call, "action-failed").await;
        let set = json!({"id": id, "set": {"value": "true"}});
        consents
            .refuses(role, UPDATE, set, "constraint-violation")
            .await;
        let call = consents.call(&json!({&draft: true}), None);
        consents
            .refuses(role, UPSERT, call, "permission-error")
            .await;
    }
    assert_eq!(consents.state(&retired).await, "false person api");
    consents
        .refuses_sql(
            &format!(
                "INSERT INTO data_subject_consent_form_values (data_subject_id, \
                 data_controller_processing_purpose_id, value) VALUES ('{}', '{draft}', 'false')",
                consents.subject
            ),
            "nobody is asked about a purpose that is a draft",
        )
        .await;

    // The cookie has what the person says of purposes that ask for consent, and nothing else.
    let reply = consents.upsert("dataSubject", &json!({}), None).await;
    let cookie = reply.data()["upsertDataSubjectConsents"]["data"]["consentCookie"].clone();
    let wrong = "SELECT count(*) FROM \
                 jsonb_object_keys(verify_consent_cookie($1) -> 'purposes') k JOIN \
                 data_controller_processing_purposes p ON p.id = k::uuid WHERE NOT \
                 p.consent_required OR p.status <> 'active'";
    let cookie = cookie.as_str().unwrap();
    let wrong: i64 = consents
        .sql
        .query_one(wrong, &[&cookie])
        .await
        .unwrap()
        .get(0);
    assert_eq!(wrong, 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn no_role_changes_or_deletes_evidence() {
    let consents = Consents::start().await;
    let purpose = consents.answered_purpose("Evidence", "true").await;
    consents
        .upsert("dataSubject", &json!({&purpose: false}), None)
        .await;
    let id = consents.consent(&purpose).await;
    let former = consents.former(&purpose).await;
    assert_eq!(former, ["true person api"]);

    let forged = format!(
        "insertDataSubjectConsentHistory(objects: [{{dataSubjectConsentFormValueId: \"{id}\", \
         dataSubjectId: \"{}\", value: \"true\", givenBy: \"person\", form: \"api\", \
         purposeVersion: 1, validFrom: \"2020-01-01T00:00:00Z\"}}]) {{ affected_rows }}",
        consents.subject
    );
    let one = format!("deleteDataSubjectConsentFormValue(id: \"{id}\") {{ id }}");
    for field in [
        "deleteDataSubjectConsentHistory(where: {id: {_is_null: false}}) { affected_rows }",
        "updateDataSubjectConsentHistory(where: {}, _set: {value: \"true\"}) { affected_rows }",
        one.as_str(),
        "deleteDataSubjectConsentFormValues(where: {}) { affected_rows }",
        forged.as_str(),
    ] {
        let query = format!("mutation {{ {field} }}");
        consents
            .refuses("admin", &query, json!({}), "constraint-violation")
            .await;
        for role in ["dataSubject", "user", "anonymous"] {
            consents
                .refuses(role, &query, json!({}), "validation-failed")
                .await;
        }
    }

    let history = "former consents are evidence: they are added when a consent changes, and never \
                   changed or deleted";
    let values = "consents are evidence: they are withdrawn, and never deleted";
    for (statement, message) in [
        ("TRUNCATE data_subject_consent_history", history),
        ("DELETE FROM data_subject_consent_history", history),
        (
            "UPDATE data_subject_consent_history SET value = 'true'",
            history,
        ),
        (
            "SET session_replication_role = replica; DELETE FROM data_subject_consent_history",
            history,
        ),
        (
            "RESET session_replication_role; DELETE FROM data_subject_consent_form_values",
            values,
        ),
        ("TRUNCATE data_subject_consent_form_values CASCADE", values),
        (
            "TRUNCATE data_controller_processing_purposes CASCADE",
            values,
        ),
        (
            "INSERT INTO data_subject_consent_history (data_subject_consent_form_value_id, \
             data_subject_id, value, given_by, form, purpose_version, valid_from) SELECT id, \
             data_subject_id, 'true', 'person', 'api', 1, now() FROM \
             data_subject_consent_form_values",
            history,
        ),
        (
            "UPDATE data_subject_consent_form_values SET data_subject_id = gen_random_uuid()",
            "a consent stays with its person and its purpose",
        ),
        (
            "UPDATE privacy_notices SET \"full\" = 'other' WHERE published",
            "a notice that was published stays as people read it",
        ),
        (
            "UPDATE data_controller_processing_purposes SET description = 'other' WHERE status = \
             'active'",
            "a purpose that is no draft keeps its wording",
        ),
    ] {
        consents.refuses_sql(statement, message).await;
    }
    // A tool or a signal withdraws; it cannot show that a person has agreed.
    for giver in ["integration", "browser_signal"] {
        consents
            .refuses_sql(
                &format!(
                    "UPDATE data_subject_consent_form_values SET value = 'true', given_by = \
                     '{giver}' WHERE id = '{id}'"
                ),
                "an integration and a browser withdraw consents, and give none",
            )
            .await;
    }
    assert_eq!(consents.state(&purpose).await, "false person api");
    assert_eq!(consents.former(&purpose).await, former);

    // The history has a bound, and the bound never keeps a person from withdrawing.
    let mut given = 1;
    loop {
        let call = consents.call(&json!({&purpose: true}), None);
        let reply = consents.ask("dataSubject", UPSERT, call).await;
        if !reply.text.contains("success") {
            break;
        }
        given += 1;
        let withdrawn = consents
            .upsert("dataSubject", &json!({&purpose: false}), None)
            .await;
        assert!(withdrawn.text.contains("success"), "{}", withdrawn.text);
    }
    assert_eq!(given, 20);
    assert_eq!(consents.state(&purpose).await, "false person api");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_colleague_answers_for_one_person_at_a_time() {
    let consents = Consents::start().await;
    let controller = consents.demo.fact("data_controller_id");
    let people = |answered: &str| {
        format!(
            "SELECT s.id::text FROM data_subjects s WHERE s.data_controller_id = '{controller}' \
             AND {answered} EXISTS (SELECT FROM data_subject_consent_form_values v WHERE \
             v.data_subject_id = s.id AND v.data_controller_processing_purpose_id = '{}') ORDER \
             BY s.id LIMIT 30",
            consents.newsletter
        )
    };
    let rows = consents.sql.query(&people(""), &[]).await.unwrap();
    let answered: Vec<String> = rows.iter().map(|row| row.get(0)).collect();
    let rows = consents.sql.query(&people("NOT"), &[]).await.unwrap();
    let unasked: Vec<String> = rows.iter().map(|row| row.get(0)).collect();
    assert!(answered.len() == 30 && unasked.len() > 2);

    let before = consents
        .text("SELECT md5(string_agg(v::text, '' ORDER BY id)) FROM data_subject_consent_form_values v")
        .await;
    let update = "mutation ($people: [uuid!]!, $purpose: uuid!, $value: String) { \
                  updateDataSubjectConsentFormValues(where: {dataSubjectId: {_in: $people}, \
                  dataControllerProcessingPurposeId: {_eq: $purpose}}, _set: {value: $value}) { \
                  affected_rows } }";
    for value in ["true", "false"] {
        let variables = |people: &[String]| json!({"people": people, "purpose": consents.newsletter, "value": value});
        consents
            .refuses("user", update, variables(&answered), "limit-exceeded")
            .await;
        let few = consents
            .ask("user", update, variables(&answered[..20]))
            .await;
        assert!(few.is_sound_error(), "{}", few.text);
    }
    let objects: Vec<Value> = unasked
        .iter()
        .take(2)
        .map(|person| json!({"dataSubjectId": person, "dataControllerProcessingPurposeId": consents.newsletter, "value": "true"}))
        .collect();
    consents
        .refuses(
            "user",
            INSERT,
            json!({"objects": objects}),
            "constraint-violation",
        )
        .await;
    let after = consents
        .text("SELECT md5(string_agg(v::text, '' ORDER BY id)) FROM data_subject_consent_form_values v")
        .await;
    assert_eq!(before, after);
    let one = consents
        .ask("user", INSERT, json!({"objects": [objects[0]]}))
        .await;
    assert_eq!(
        one.data()["insertDataSubjectConsentFormValues"]["affected_rows"],
        1,
        "{}",
        one.text
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn the_signal_global_privacy_control_keeps_purposes_switched_off() {
    let consents = Consents::start().await;
    let controller = consents.demo.fact("data_controller_id");
    let honours = |value: bool| {
        format!(
            "UPDATE data_controllers SET compliance_configuration = compliance_configuration || \
             '{{\"honoursGlobalPrivacyControl\": {value}}}' WHERE id = '{controller}'"
        )
    };
    consents.sql.batch_execute(&honours(false)).await.unwrap();
    let statistics = consents
        .purpose("respects_global_privacy_control AND status = 'active'")
        .await;
    let title = consents.purpose_title(&statistics).await;
    let signal = |value: bool| {
        format!(
            "mutation {{ updateDataSubject(pk_columns: {{id: \"{}\"}}, _set: \
             {{globalPrivacyControl: {value}}}) {{ globalPrivacyControl }} }}",
            consents.subject
        )
    };
    let send = async |value: bool| {
        let reply = consents.ask("admin", &signal(value), json!({})).await;
        assert_eq!(
            reply.data()["updateDataSubject"]["globalPrivacyControl"],
            value,
            "{}",
            reply.text
        );
    };
    let given = json!({&statistics: true});
    consents
        .upsert("dataSubject", &json!({&statistics: false}), None)
        .await;
    consents.upsert("dataSubject", &given, None).await;
    // A controller that does not honour the signal says so, and begins to at once.
    send(true).await;
    assert_eq!(consents.state(&statistics).await, "true person api");
    consents.sql.batch_execute(&honours(true)).await.unwrap();
    assert_eq!(
        consents.state(&statistics).await,
        "false browser_signal browser"
    );
    send(false).await;
    consents.upsert("dataSubject", &given, Some("widget")).await;
    assert_eq!(consents.state(&statistics).await, "true person widget");
    send(true).await;
    assert_eq!(
        consents.state(&statistics).await,
        "false browser_signal browser"
    );
    assert_eq!(
        consents.former(&statistics).await[..2],
        ["true person widget", "false browser_signal browser"]
    );

    // The purpose cannot be switched on while the signal lasts; "Allow all" saves the others.
    let message =
        format!("the signal Global Privacy Control keeps the purpose \"{title}\" switched off");
    let id = consents.consent(&statistics).await;
    for role in ROLES {
        let reply = consents.upsert(role, &given, None).await;
        assert_eq!(reply.error().message, message, "{role}: {}", reply.text);
        let set = json!({"id": id, "set": {"value": "true"}});
        consents
            .refuses(role, UPDATE, set, "constraint-violation")
            .await;
    }
    consents
        .upsert("dataSubject", &json!({&consents.newsletter: false}), None)
        .await;
    let all = json!({&statistics: true, &consents.newsletter: true});
    let reply = consents.upsert("dataSubject", &all, Some("widget")).await;
    let saved = &reply.data()["upsertDataSubjectConsents"];
    assert_eq!(
        (&saved["status"], &saved["data"]["upsertedCount"]),
        (&json!("success"), &json!(1)),
        "{}",
        reply.text
    );
    assert_eq!(saved["data"]["leftOff"], json!([statistics]));
    assert!(saved["message"].as_str().unwrap().contains(&title));
    assert_eq!(
        consents.state(&consents.newsletter).await,
        "true person widget"
    );
    let cookie = saved["data"]["consentCookie"].as_str().unwrap();
    let cookie: String = consents
        .sql
        .query_one(
            "SELECT (verify_consent_cookie($1) -> 'purposes')::text",
            &[&cookie],
        )
        .await
        .unwrap()
        .get(0);
    let cookie: Value = serde_json::from_str(&cookie).unwrap();
    assert_eq!(
        (&cookie[&statistics], &cookie[&consents.newsletter]),
        (&json!(false), &json!(true))
    );
    // No consent comes back by itself when the signal ends; the person may give it again.
    send(false).await;
    assert_eq!(
        consents.state(&statistics).await,
        "false browser_signal browser"
    );
    consents.upsert("dataSubject", &given, None).await;
    assert_eq!(consents.state(&statistics).await, "true person api");
}

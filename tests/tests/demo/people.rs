//! Tests the people of a data controller: what a new person is given, and the sentences with which
//! the service refuses what is wrong.

use serde_json::{Value, json};

use tests::reply::Reply;

use super::{Caller, Demo};

const INSERT: &str = "mutation ($object: dataSubjects_insert_input!) { insertDataSubject(object: \
                      $object) { id did language } }";

#[tokio::test(flavor = "multi_thread")]
async fn people_are_entered_and_refused_with_sentences() {
    let demo = Demo::start(&[]);
    new_people_have_language_and_identifier_of_their_controller(&demo).await;
    wrong_values_are_named(&demo).await;
    listed_values_are_named(&demo).await;
    rules_of_triggers_are_told(&demo).await;
    wrong_tokens_are_named(&demo).await;
    visitors_count_from_their_first_choice(&demo).await;
}

async fn visitors_count_from_their_first_choice(demo: &Demo) {
    let count = async || {
        let query = "query ($c: uuid!) { dataSubjectsAggregate(where: {dataControllerId: {_eq: \
                     $c}}) { aggregate { count } } }";
        let reply = demo
            .ask("user", query, json!({"c": demo.fact("data_controller_id")}))
            .await;
        reply.data()["dataSubjectsAggregate"]["aggregate"]["count"].clone()
    };
    let before = count().await;
    let visitor =
        json!({"controllerId": demo.fact("data_controller_id"), "visitor": "C".repeat(42) + "A"});
    let session = demo
        .client
        .post(format!("{}/v1/widgets/session", demo.fact("url")))
        .json(&visitor);
    let session = Reply::of(session).await.unwrap().json();
    let subject = session["dataSubjectId"].as_str().unwrap();
    assert_eq!(count().await, before);
    let values = [("data_subject_id", subject)];
    let caller = Caller {
        role: "anonymous",
        values: &values,
    };
    let consent = "mutation ($s: uuid!, $p: uuid!) { insertDataSubjectConsentFormValue(object: \
                   {dataSubjectId: $s, dataControllerProcessingPurposeId: $p, value: \"true\"}) \
                   { value } }";
    let purpose = demo.fact("purpose_id");
    let reply = demo
        .ask_as(caller, consent, json!({"s": subject, "p": purpose}))
        .await;
    assert_eq!(
        reply.data()["insertDataSubjectConsentFormValue"]["value"],
        "true",
        "{}",
        reply.text
    );
    assert_eq!(
        count().await.as_u64(),
        before.as_u64().map(|count| count + 1)
    );
}

/// A person of the demo's controller, with these columns.
fn person(demo: &Demo, mut columns: Value) -> Value {
    columns["dataControllerId"] = json!(demo.fact("data_controller_id"));
    json!({ "object": columns })
}

/// Fails unless the request is refused with this sentence.
async fn refused(demo: &Demo, query: &str, variables: Value, sentence: &str) {
    let reply = demo.ask("user", query, variables).await;
    let error = reply.error();
    assert_eq!(
        (error.code.as_str(), error.message.as_str()),
        ("constraint-violation", sentence),
        "{}",
        reply.text
    );
}

async fn new_people_have_language_and_identifier_of_their_controller(demo: &Demo) {
    let reply = demo.ask("user", INSERT, person(demo, json!({}))).await;
    let made = reply.data()["insertDataSubject"].clone();
    let did = made["did"].as_str().unwrap();
    let hex = did
        .strip_prefix("did:web:hansewerk-energie.example:subjects:")
        .unwrap();
    assert!(
        hex.len() == 16 && hex.bytes().all(|byte| byte.is_ascii_hexdigit()),
        "{did}"
    );
    assert_eq!(made["language"], "de");
    let given = json!({"language": "nl", "did": "did:web:example.org:7"});
    let reply = demo.ask("user", INSERT, person(demo, given)).await;
    let made = reply.data()["insertDataSubject"].clone();
    assert_eq!(
        json!([made["did"], made["language"]]),
        json!(["did:web:example.org:7", "nl"])
    );
}

async fn wrong_values_are_named(demo: &Demo) {
    let country = "country is two capital letters, such as DE";
    for (columns, sentence) in [
        (json!({"country": "Germany"}), country),
        (json!({"country": "de"}), country),
        (
            json!({"email": "nobody"}),
            "email is an e-mail address, such as ada@example.org",
        ),
        (json!({"language": "fr"}), "language is en, de or nl"),
    ] {
        refused(demo, INSERT, person(demo, columns), sentence).await;
    }
    let create = "mutation ($input: CreateDataSubjectInput!) { createDataSubject(input: $input) { \
                  dataSubjectId } }";
    let input = json!({"input": {"event": "data_subject.create", "dataControllerId": demo.fact("data_controller_id"), "payload": {"country": "Germany"}}});
    refused(demo, create, input, country).await;
}

async fn listed_values_are_named(demo: &Demo) {
    let request = "mutation ($s: uuid!) { insertDataSubjectsRightsRequest(object: {dataSubjectId: \
                   $s, requestType: \"curiosity\"}) { id } }";
    refused(
        demo,
        request,
        json!({"s": demo.fact("data_subject_id")}),
        "requestType is one of access, erasure, rectification, portability, restriction, \
         objection, deletion",
    )
    .await;
    let faq = "mutation ($c: uuid!) { insertDataControllerFaq(object: {dataControllerId: $c, \
               question: \"\", answer: \"a\"}) { id } }";
    refused(
        demo,
        faq,
        json!({"c": demo.fact("data_controller_id")}),
        "question is not empty",
    )
    .await;
}

async fn rules_of_triggers_are_told(demo: &Demo) {
    let update = "mutation ($id: uuid!) { updateDataControllerProcessingPurpose(pk_columns: {id: \
                  $id}, _set: {title: \"x\"}) { id } }";
    refused(
        demo,
        update,
        json!({"id": demo.fact("purpose_id")}),
        "a purpose that is no draft keeps its wording",
    )
    .await;
}

async fn wrong_tokens_are_named(demo: &Demo) {
    for (args, sentence) in [
        ("name: \"\"", "the name of a token has 1 to 200 characters"),
        (
            "name: \"ci\", expiresAt: \"2020-01-01\"",
            "a token expires in the future",
        ),
    ] {
        let query = format!("mutation {{ createPersonalAccessToken(args: {{{args}}}) {{ id }} }}");
        refused(demo, &query, json!({}), sentence).await;
    }
}

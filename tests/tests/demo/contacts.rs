//! A visitor leaves an address for the answer to a request, and confirms it with a code. Guessing,
//! floods and the requests of others lead nowhere.

use serde_json::{Value, json};
use tests::reply::Reply;

use super::{Caller, Demo};

const LEAVE: &str = "mutation ($id: uuid!, $email: String!) { leaveRightsRequestContact(\
                     rightsRequestId: $id, email: $email) { status message } }";
const VERIFY: &str = "mutation ($id: uuid!, $code: String!) { verifyRightsRequestContact(\
                      rightsRequestId: $id, code: $code) { status message } }";
const INSERT: &str = "mutation ($id: uuid!, $type: String!) { insertDataSubjectsRightsRequest(\
                      object: {dataSubjectId: $id, requestType: $type}) { id } }";
const REQUEST: &str = "query ($id: uuid!) { dataSubjectsRightsRequests(where: {id: {_eq: $id}}) { \
                       contactEmail contactVerifiedAt channel workflow { state } documents { id } \
                       } }";

/// A pseudonym of the demo's controller.
pub(super) async fn visitor(demo: &Demo) -> String {
    let insert = "mutation ($controller: uuid!) { insertDataSubject(object: {dataControllerId: \
                  $controller}) { id } }";
    let made = demo
        .ask_as_admin(
            insert,
            json!({"controller": demo.fact("data_controller_id")}),
        )
        .await;
    made.data()["insertDataSubject"]["id"]
        .as_str()
        .unwrap_or_else(|| panic!("{}", made.text))
        .to_owned()
}

async fn ask(demo: &Demo, visitor: &str, query: &str, variables: Value) -> Reply {
    let values = [("data_subject_id", visitor)];
    let caller = Caller {
        role: "anonymous",
        values: &values,
    };
    demo.ask_as(caller, query, variables).await
}

async fn status(demo: &Demo, visitor: &str, query: &str, variables: Value) -> String {
    let reply = ask(demo, visitor, query, variables).await;
    let data = reply.data();
    let answers = data
        .as_object()
        .unwrap_or_else(|| panic!("{}", reply.text))
        .values();
    answers
        .map(|answer| answer["status"].as_str().unwrap())
        .collect()
}

/// The code of the last mail to an address.
async fn code(demo: &Demo, address: &str) -> String {
    let mails = "query ($to: String!) { outgoingMails(where: {recipient: {_eq: $to}, subject: \
                 {_like: \"%Code%\"}}, order_by: {createdAt: desc}, limit: 1) { body } }";
    let mails = demo.ask_as_admin(mails, json!({"to": address})).await;
    let body = mails.data()["outgoingMails"][0]["body"].clone();
    let body = body.as_str().unwrap_or_else(|| panic!("{}", mails.text));
    let digits = body
        .split(|c: char| !c.is_ascii_digit())
        .find(|part| part.len() == 6);
    digits.unwrap().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn visitor_confirms_an_address() {
    let demo = Demo::start(&[]);
    let person = visitor(&demo).await;
    let made = ask(
        &demo,
        &person,
        INSERT,
        json!({"id": person, "type": "access"}),
    )
    .await;
    let id = made.data()["insertDataSubjectsRightsRequest"]["id"].clone();
    assert!(id.is_string(), "{}", made.text);

    let refused = ask(&demo, &person, LEAVE, json!({"id": id, "email": "nowhere"})).await;
    assert!(
        refused.text.contains("not an e-mail address"),
        "{}",
        refused.text
    );
    let address = json!({"id": id, "email": "ada@mail.example"});
    assert_eq!(status(&demo, &person, LEAVE, address.clone()).await, "sent");
    let row = ask(&demo, &person, REQUEST, json!({"id": id})).await;
    let row = &row.data()["dataSubjectsRightsRequests"][0];
    assert_eq!(row["contactEmail"], "ada@mail.example");
    assert_eq!(row["contactVerifiedAt"], Value::Null, "nobody confirmed it");
    assert_eq!(row["channel"], "visitor");

    // Five wrong codes spend the code.
    let right = code(&demo, "ada@mail.example").await;
    let wrong = format!("{:06}", (right.parse::<u32>().unwrap() + 1) % 1_000_000);
    for _ in 0..5 {
        let guess = json!({"id": id, "code": wrong});
        assert_eq!(status(&demo, &person, VERIFY, guess).await, "refused");
    }
    let late = json!({"id": id, "code": right});
    assert_eq!(status(&demo, &person, VERIFY, late).await, "refused");

    assert_eq!(status(&demo, &person, LEAVE, address.clone()).await, "sent");
    let right = json!({"id": id, "code": code(&demo, "ada@mail.example").await});
    // Neither another visitor nor a signed-in person has the request.
    let other = visitor(&demo).await;
    let foreign = ask(&demo, &other, VERIFY, right.clone()).await;
    let own = json!({"id": "00000000-0000-4000-8000-00000000abcd", "code": "123456"});
    let unknown = ask(&demo, &other, VERIFY, own).await;
    assert_eq!(foreign.error().code, "permission-error");
    assert_eq!(foreign.text, unknown.text);
    let foreign = demo.ask("dataSubject", LEAVE, address.clone()).await;
    assert_eq!(foreign.error().code, "permission-error", "{}", foreign.text);

    assert_eq!(
        status(&demo, &person, VERIFY, right.clone()).await,
        "success"
    );
    assert_eq!(
        status(&demo, &person, VERIFY, right).await,
        "refused",
        "once"
    );
    let row = ask(&demo, &person, REQUEST, json!({"id": id})).await;
    let row = &row.data()["dataSubjectsRightsRequests"][0];
    assert!(row["contactVerifiedAt"].is_string(), "{row}");
    let messages = "{ notificationMessages(order_by: {createdAt: desc}, limit: 1) { title } }";
    let messages = ask(&demo, &person, messages, json!({})).await;
    assert_eq!(
        messages.data()["notificationMessages"][0]["title"],
        "Wir können Sie jetzt erreichen"
    );
    let messages = ask(&demo, &other, "{ notificationMessages { id } }", json!({})).await;
    assert_eq!(messages.data()["notificationMessages"], json!([]));

    // An address that is confirmed stays so; three codes an hour are for one request.
    assert_eq!(status(&demo, &person, LEAVE, address).await, "success");
    let address = json!({"id": id, "email": "lovelace@mail.example"});
    assert_eq!(status(&demo, &person, LEAVE, address.clone()).await, "sent");
    let flood = ask(&demo, &person, LEAVE, address).await;
    assert!(flood.is_sound_error(), "{}", flood.text);
    let hidden = ask(&demo, &person, "{ outgoingMails { body } }", json!({})).await;
    assert_eq!(hidden.error().code, "validation-failed");
    let hidden = demo
        .ask_as_admin("{ rightsRequestContactCodes { digest } }", json!({}))
        .await;
    assert_eq!(hidden.error().code, "validation-failed", "{}", hidden.text);
}

#[tokio::test(flavor = "multi_thread")]
async fn mailboxes_of_others_are_not_flooded() {
    let demo = Demo::start(&[]);
    for _ in 0..7 {
        let person = visitor(&demo).await;
        let made = ask(
            &demo,
            &person,
            INSERT,
            json!({"id": person, "type": "access"}),
        )
        .await;
        let id = &made.data()["insertDataSubjectsRightsRequest"]["id"];
        let address = json!({"id": id, "email": "Victim@mail.example"});
        assert_eq!(status(&demo, &person, LEAVE, address).await, "sent");
    }
    let mails = "{ outgoingMails(where: {recipient: {_ilike: \"victim@mail.example\"}}) { id } }";
    let mails = demo.ask_as_admin(mails, json!({})).await;
    assert_eq!(mails.data()["outgoingMails"].as_array().unwrap().len(), 5);
}

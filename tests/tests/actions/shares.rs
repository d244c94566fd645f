//! Tests that what one caller does to an action or a model leaves others their share.

use std::time::Duration;

use futures_util::future::join_all;
use serde_json::{Value, json};
use tests::reply::Reply;
use tests::wait::until;

use super::elsewhere::{Answer, Elsewhere};
use super::service::Service;

async fn ask(service: &Service, user: &str, query: &str) -> Reply {
    let request = service.client.post(format!("{}/v1/graphql", service.running.url()));
    let request = request.header("X-Gateway-Admin-Secret", super::service::SECRET).header("X-Gateway-Role", "reader");
    Reply::of(request.header("X-Gateway-User-Id", user).json(&json!({"query": query}))).await.unwrap()
}

fn users(handler: &Elsewhere, user: &str) -> usize {
    let is_of_user = |body: &str| {
        let body: Value = serde_json::from_str(body).unwrap();
        body["session_variables"]["x-gateway-user-id"] == user
    };
    handler.asked().iter().filter(|asked| is_of_user(&asked.body)).count()
}

#[tokio::test(flavor = "multi_thread")]
async fn one_caller_leaves_others_a_share_of_a_service() {
    let answer = Answer { after: Duration::from_secs(4), ..Answer::ok(json!([])) };
    let handler = Elsewhere::start(answer).await;
    let service = Service::start(&handler).await;
    let fields: String = (0..50).map(|index| format!("f{index}: report(day: 1) {{ mood }} ")).collect();
    let query = format!("{{ {fields} }}");
    let flood = join_all((0..6).map(|_| ask(&service, "1", &query)));
    let other = async {
        until("the flood", async || users(&handler, "1") >= 128).await;
        let reply = ask(&service, "2", "{ report(day: 1) { mood } }").await;
        assert_eq!(reply.data(), json!({"report": []}), "{}", reply.text);
    };
    let (replies, ()) = tokio::join!(flood, other);
    let numbers: Vec<usize> = handler
        .asked()
        .iter()
        .enumerate()
        .filter(|(_, asked)| asked.body.contains("\"2\""))
        .map(|(index, _)| index)
        .collect();
    assert!(
        numbers.len() == 1 && numbers[0] <= 128,
        "the other caller's call waits for none of the flood: {numbers:?}"
    );
    assert_eq!(users(&handler, "1"), 300, "calls over the share wait for their turn");
    for reply in replies {
        assert_eq!(reply.data().as_object().unwrap().len(), 50, "{}", reply.text);
    }
}

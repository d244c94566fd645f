//! Tests that what one caller does to an action or a model leaves others their share.

use std::time::Duration;

use futures_util::future::join_all;
use serde_json::{Value, json};
use tests::reply::Reply;
use tests::service::ADMIN_SECRET;
use tests::wait::until;

use super::service::Service;
use crate::http::elsewhere::{Answer, Elsewhere};

const TYPES: &str = "type Mutation { slow: Int fast: Int }";

async fn ask(service: &Service, user: &str, query: &str) -> Reply {
    let request = service
        .client
        .post(format!("{}/v1/graphql", service.gateway.url()));
    let request = request
        .header("X-Gateway-Admin-Secret", ADMIN_SECRET)
        .header("X-Gateway-Role", "reader");
    Reply::of(
        request
            .header("X-Gateway-User-Id", user)
            .json(&json!({"query": query})),
    )
    .await
    .unwrap()
}

fn users(handler: &Elsewhere, user: &str) -> usize {
    let is_of_user = |body: &str| {
        let body: Value = serde_json::from_str(body).unwrap();
        body["session_variables"]["x-gateway-user-id"] == user
    };
    handler
        .asked()
        .iter()
        .filter(|asked| is_of_user(&asked.body))
        .count()
}

#[tokio::test(flavor = "multi_thread")]
async fn one_caller_leaves_others_a_share_of_a_service() {
    let response = Answer {
        after: Duration::from_secs(4),
        ..Answer::ok(json!([]))
    };
    let handler = Elsewhere::start(response).await;
    let service = Service::start(&handler).await;
    let fields: String = (0..50)
        .map(|index| format!("f{index}: report(day: 1) {{ mood }} "))
        .collect();
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
    assert_eq!(
        users(&handler, "1"),
        300,
        "calls over the share wait for their turn"
    );
    for reply in replies {
        assert_eq!(
            reply.data().as_object().unwrap().len(),
            50,
            "{}",
            reply.text
        );
    }
}

fn asynchronous(handler: &Elsewhere, fast: &Elsewhere) -> String {
    let action = |name: &str, handler: &Elsewhere| {
        format!(
            "[action.{name}]\nhandler = \"{}\"\nasynchronous = true\nroles = [\"reader\"]\n",
            handler.url(&format!("/{name}"))
        )
    };
    action("slow", handler) + &action("fast", fast)
}

#[tokio::test(flavor = "multi_thread")]
async fn one_caller_leaves_others_a_share_of_asynchronous_calls() {
    let handler = Elsewhere::start(Answer {
        after: Duration::from_secs(2),
        ..Answer::ok("1")
    })
    .await;
    let fast = Elsewhere::start(Answer::ok("1")).await;
    let service = Service::with(&asynchronous(&handler, &fast), TYPES, "").await;
    let fields: String = (0..50).map(|index| format!("f{index}: slow ")).collect();
    for _ in 0..2 {
        assert_eq!(
            ask(&service, "1", &format!("mutation {{ {fields} }}"))
                .await
                .data()
                .as_object()
                .unwrap()
                .len(),
            50
        );
    }
    ask(&service, "2", "mutation { slow fast }").await.data();
    let others = "SELECT count(*) FROM postern.action_log WHERE status = 'completed' AND session \
                  ->> 'x-gateway-user-id' = '2'";
    until("the other caller's calls", async || {
        service.value(others).await == "2"
    })
    .await;
    let waiting: usize = service
        .value("SELECT count(*) FROM postern.action_log WHERE status = 'created'")
        .await
        .parse()
        .unwrap();
    assert!(
        waiting >= 50,
        "the other caller waits for few calls of the flood: {waiting} still wait"
    );
    let most = "SELECT count(*) FROM postern.action_log WHERE status = 'processing'";
    assert!(service.value(most).await.parse::<usize>().unwrap() <= 12);
    let kept =
        "SELECT count(*) FROM postern.action_log WHERE status = 'completed' AND caller IS NOT NULL";
    assert_eq!(service.value(kept).await, "0");
}

#[tokio::test(flavor = "multi_thread")]
async fn waiting_calls_of_one_caller_are_bounded() {
    let handler = Elsewhere::start(Answer {
        after: Duration::from_secs(60),
        ..Answer::ok("1")
    })
    .await;
    let file = "[actions]\ndefinitions = \"a\"\ntypes = \"b\"\nwaiting_calls = 5\n";
    let definitions = asynchronous(&handler, &handler);
    let builder = super::service::builder(&definitions, TYPES, file);
    let service = Service::start_of(builder.setting("drain-timeout", "1")).await;
    let fields: String = (0..50).map(|index| format!("f{index}: slow ")).collect();
    let reply = ask(&service, "1", &format!("mutation {{ {fields} }}")).await;
    let error = reply.error();
    assert_eq!(
        (&*error.code, &*error.message),
        (
            "limit-exceeded",
            "more calls of asynchronous actions wait than the limit of 5"
        )
    );
    assert!(reply.is_sound_error(), "{}", reply.text);
    assert!(ask(&service, "2", "mutation { slow }").await.data()["slow"].is_string());
}

//! Tests that the handler of an asynchronous action is called once: by answers that cannot be
//! stored, by gateways that stop or are killed, and by calls that cannot be read.

use std::time::Duration;

use serde_json::{Value, json};
use tests::wait::until;

use super::service::{Service, builder, definitions};
use crate::http::elsewhere::{Answer, Elsewhere};

const TYPES: &str = "type Mutation { keep(value: Any): Kept }
type Query { unused: Int }
type Kept { state: String, any: Any }
scalar Any";

async fn keeping(handler: &Elsewhere) -> Service {
    let definitions = format!(
        "[action.keep]\nhandler = \"{}\"\nasynchronous = true\nroles = [\"author\"]\n\
         [action.unused]\nhandler = \"{}\"\nroles = []\n",
        handler.url("/keep"),
        handler.url("/unused")
    );
    Service::with(&definitions, TYPES, "").await
}

/// Calls the action and waits for what becomes of it.
async fn kept(service: &Service) -> Value {
    let reply = service.ask("author", "mutation { keep }").await;
    let id = reply.data()["keep"]
        .as_str()
        .unwrap_or_else(|| panic!("{}", reply.text))
        .to_owned();
    ended(service, &id).await
}

async fn ended(service: &Service, id: &str) -> Value {
    let status = format!("SELECT status FROM postern.action_log WHERE id = '{id}'");
    until("the end", async || {
        ["completed", "failed"].contains(&service.value(&status).await.as_str())
    })
    .await;
    let query = format!("{{ keep(id: \"{id}\") {{ output {{ state any }} errors }} }}");
    let reply = service.ask("author", &query).await;
    assert_eq!(reply.status, 200, "{}", reply.text);
    reply.data()["keep"].clone()
}

fn nested(depth: usize) -> String {
    "[".repeat(depth) + &"]".repeat(depth)
}

#[tokio::test]
async fn answer_that_cannot_be_stored_ends_the_call() {
    let handler = Elsewhere::start(Answer::ok("")).await;
    let service = keeping(&handler).await;
    let any = |value: &str| Answer::ok(format!("{{\"any\": {value}}}"));
    let bad = |body: &str| Answer::of("400 Bad Request", body);
    let unstorable = [
        Answer::ok(r#"{"state": "a\u0000b"}"#),
        any(r#""\u0000""#),
        any(r#"{"\u0000": 1}"#),
        any(r#"[[{"a": ["\u0000"]}]]"#),
        any("1e131072"),
        any("-1e-20000"),
        any("1e99999999999999999999"),
        any(&format!("[{}0]", "1e131071,".repeat(100))),
        bad(r#"{"message": "a\u0000b"}"#),
        bad(r#"{"message": "no", "extensions": {"code": "c", "more": "\u0000"}}"#),
        bad(r#"{"message": "no", "extensions": {"more": 1e131072}}"#),
    ];
    let faulty = [
        any(r#""\ud800""#),
        any(r#""\udc00\ud800""#),
        any(&nested(200)),
        any("01"),
        any("NaN"),
        Answer::ok(""),
        Answer::ok("no JSON"),
        Answer::ok("\u{0}"),
        Answer::ok(format!("\"{}\"", "x".repeat(9 << 20))),
        Answer::of("302 Found", "").with("Location: http://127.0.0.1:1/"),
        bad("no JSON"),
        Answer::of("500 Internal Server Error", ""),
    ];
    let expected = json!("the handler has answered, but its answer cannot be stored");
    let mut calls = 0;
    for (responses, is_unstorable) in [(unstorable.to_vec(), true), (faulty.to_vec(), false)] {
        for response_value in responses {
            // Other callers' failures do not open the breaker.
            handler.answer(any("1"));
            assert_eq!(kept(&service).await["output"]["any"], 1);
            handler.answer(response_value.clone());
            let outcome = kept(&service).await;
            assert!(
                outcome["output"].is_null() && outcome["errors"]["message"].is_string(),
                "{response_value:?}: {outcome}"
            );
            assert_eq!(
                outcome["errors"]["message"] == expected,
                is_unstorable,
                "{response_value:?}: {outcome}"
            );
            calls += 2;
        }
    }
    for storable in [
        nested(120),
        "1e1000".into(),
        "1.50".into(),
        "\"\u{fffe}\"".into(),
    ] {
        handler.answer(any(&storable));
        let outcome = kept(&service).await;
        assert!(
            !outcome["output"]["any"].is_null() && outcome["errors"].is_null(),
            "{storable}: {outcome}"
        );
        calls += 1;
    }
    // Deeper than the test reads: the handler's answer and the response have the limit of nesting
    // each.
    handler.answer(any(&nested(126)));
    let id = service.ask("author", "mutation { keep }").await.data()["keep"]
        .as_str()
        .unwrap()
        .to_owned();
    let query = format!("{{ keep(id: \"{id}\") {{ output {{ any }} }} }}");
    until("the deep answer", async || {
        service
            .ask("author", &query)
            .await
            .text
            .contains(&nested(126))
    })
    .await;
    assert_eq!(handler.asked().len(), calls + 1, "each was called once");
    assert_eq!(
        service
            .value("SELECT max(attempts) FROM postern.action_log")
            .await,
        "1"
    );
}

#[tokio::test]
async fn arguments_that_cannot_be_stored_are_refused() {
    let handler = Elsewhere::start(Answer::ok("{\"any\": 1}")).await;
    let service = keeping(&handler).await;
    let ask = async |value: &str| {
        let body = format!(
            r#"{{"query": "mutation ($v: Any) {{ keep(value: $v) }}", "variables": {{"v": {value}}}}}"#
        );
        let request = service
            .by("author")
            .header("Content-Type", "application/json")
            .body(body);
        tests::reply::Reply::of(request).await.unwrap()
    };
    let digits = format!("[{}0]", "1e131071,".repeat(9000));
    for value in [
        r#""a\u0000b""#,
        r#"{"\u0000": 1}"#,
        "1e131072",
        "1e99999999999999999999",
        &digits,
    ] {
        let reply = ask(value).await;
        assert!(
            reply.is_sound_error() && reply.status == 200,
            "{value:.40}: {}",
            reply.text
        );
        assert_eq!(
            reply.error().code,
            "data-exception",
            "{value:.40}: {}",
            reply.text
        );
    }
    for value in [&*nested(100), "1e1000", "\"\u{fffe}\""] {
        let id = ask(value).await.data()["keep"].as_str().unwrap().to_owned();
        assert_eq!(
            ended(&service, &id).await["output"]["any"],
            1,
            "{value:.40}"
        );
    }
    assert_eq!(handler.asked().len(), 3);
}

/// A call that a gateway has claimed.
async fn claimed(service: &Service, number: &str, attempts: u32, until: &str) -> String {
    let client = service.database.connect().await.unwrap();
    let insert = format!(
        "INSERT INTO postern.action_log (action, input, session, request_query, status, attempts, claimed_until)
         VALUES ('slowly', ('{{\"number\": ' || {number} || '}}')::jsonb,
                 '{{\"x-gateway-role\": \"author\", \"x-gateway-user-id\": \"1\"}}', '', 'processing', {attempts}, {until})
         RETURNING id::text"
    );
    client.query_one(&insert, &[]).await.unwrap().get(0)
}

async fn slowly(service: &Service, id: &str) -> Value {
    let query = format!("{{ slowly(id: \"{id}\") {{ output {{ total }} errors }} }}");
    service.ask("author", &query).await.data()["slowly"].clone()
}

#[tokio::test]
async fn begun_call_is_never_begun_again() {
    let handler = Elsewhere::start(Answer::ok(json!({"total": 6}))).await;
    let service = Service::start(&handler).await;
    let past = "now() - interval '1 second'";
    let begun = claimed(&service, "1", 1, past).await;
    // A release that repeated calls has begun this one three times.
    let earlier = claimed(&service, "1", 3, past).await;
    let not_begun = claimed(&service, "1", 0, past).await;
    until("the call that was not begun", async || {
        slowly(&service, &not_begun).await["output"]["total"] == 6
    })
    .await;
    for id in [begun, earlier] {
        until("its end", async || {
            slowly(&service, &id).await["errors"].is_object()
        })
        .await;
        let errors = slowly(&service, &id).await["errors"].clone();
        assert!(
            errors["message"].as_str().unwrap().contains("unknown"),
            "{errors}"
        );
        assert_eq!(
            errors["extensions"],
            json!({"path": "$", "code": "unexpected"})
        );
    }
    assert_eq!(handler.asked().len(), 1);
}

#[tokio::test]
async fn call_that_cannot_be_read_holds_up_no_other() {
    let handler = Elsewhere::start(Answer::ok(json!({"total": 6}))).await;
    let service = Service::start(&handler).await;
    let nested = "repeat('[', 500) || repeat(']', 500)";
    let unreadable = claimed(&service, nested, 0, "now() - interval '1 second'").await;
    let call = service
        .ask("author", "mutation { slowly(number: 3) }")
        .await
        .data()["slowly"]
        .clone();
    until("the next call", async || {
        slowly(&service, call.as_str().unwrap()).await["output"]["total"] == 6
    })
    .await;
    until("its end", async || {
        slowly(&service, &unreadable).await["errors"].is_object()
    })
    .await;
    assert_eq!(handler.asked().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn late_answer_takes_the_place_of_unknown() {
    let handler = Elsewhere::start(Answer {
        after: Duration::from_secs(4),
        ..Answer::ok(json!({"total": 6}))
    })
    .await;
    let service = Service::start(&handler).await;
    let id = service
        .ask("author", "mutation { slowly(number: 3) }")
        .await
        .data()["slowly"]
        .clone();
    let id = id.as_str().unwrap();
    until("the call", async || handler.asked().len() == 1).await;
    let client = service.database.connect().await.unwrap();
    client
        .batch_execute("UPDATE postern.action_log SET claimed_until = now() - interval '1 second'")
        .await
        .unwrap();
    until("unknown", async || {
        slowly(&service, id).await["errors"].is_object()
    })
    .await;
    until("the answer", async || {
        slowly(&service, id).await == json!({"output": {"total": 6}, "errors": null})
    })
    .await;
    assert_eq!(handler.asked().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn call_that_a_shutdown_cuts_off_is_not_repeated() {
    let handler = Elsewhere::start(Answer {
        after: Duration::from_secs(60),
        ..Answer::ok(json!({"total": 6}))
    })
    .await;
    let definitions = definitions(&handler.url(""));
    let builder = builder(&definitions, super::service::TYPES, "");
    let service = Service::start_of(builder.setting("drain-timeout", "1")).await;
    service
        .ask("author", "mutation { slowly(number: 3) }")
        .await
        .data();
    until("the call", async || handler.asked().len() == 1).await;
    let (running, database) = service.into_parts();
    running.shutdown().await;
    let sql = database.connect().await.unwrap();
    let row = "SELECT status || attempts || (claimed_until IS NULL)::text || (errors ->> \
               'message') FROM postern.action_log";
    let row: String = sql.query_one(row, &[]).await.unwrap().get(0);
    assert!(
        row.starts_with("failed1truethe outcome of the action is unknown"),
        "{row}"
    );
}

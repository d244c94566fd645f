//! Attempts to deliver: retries, what statuses mean, order, signatures, functions and dead letters.

use std::time::Duration;

use serde_json::{Value, json};
use tests::program;

use super::receiver::{Answer, Received, Receiver};
use super::service::Service;

/// A trigger for inserts with further keys.
fn trigger(receiver: &Receiver, keys: &str) -> String {
    format!(
        "[event.placed]\ntable = \"orders\"\ninsert = true\nwebhook = \"{}/\"\n{keys}\n",
        receiver.url
    )
}

/// Retries without noticeable pauses.
const QUICK: &str = "retry_conf = { num_retries = 6, interval_sec = 0, timeout_sec = 1 }";

#[tokio::test(flavor = "multi_thread")]
async fn every_response_is_recorded() {
    let bodies: [&[u8]; 6] = [
        b"a\0b",
        b"\xff\xfe\0",
        br#"{"a":"\u0000\ud800"}"#,
        "\u{0}\u{fffe}é".as_bytes(),
        &[0; 100_000],
        b"",
    ];
    let responses = bodies
        .iter()
        .map(|body| Answer::status(500).body(body).header("Retry-After", "0"))
        .collect();
    let receiver = Receiver::start(responses).await;
    let file = format!(
        "[event.placed]\ntable = \"orders\"\ninsert = true\nwebhook = \"{}\"\n{QUICK}\n",
        receiver.url
    );
    let service = Service::start(&file).await;
    service.run("INSERT INTO orders (id) VALUES (1)").await;
    service
        .database
        .until("count(*) = 1 FROM postern.event_queue WHERE state = 'delivered' AND attempts = 7")
        .await;
    service
        .database
        .until(
            "count(*) = 6 FROM postern.event_invocation WHERE status = 500 AND response IS \
                NOT NULL",
        )
        .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn failed_attempts_follow_the_schedule() {
    let script = vec![
        Answer::status(500),
        Answer::status(429).header("Retry-After", "2"),
        Answer::status(200).after(Duration::from_secs(3)),
        Answer::status(302).header("Location", "http://127.0.0.1:1/"),
    ];
    let receiver = Receiver::start(script).await;
    let service = Service::start(&trigger(&receiver, QUICK)).await;
    service.run("INSERT INTO orders (id) VALUES (1)").await;
    let received = receiver.wait(5).await;
    let retries: Vec<&Value> = received
        .iter()
        .map(|request| &request.body["delivery_info"]["current_retry"])
        .collect();
    assert_eq!(retries, [0, 1, 2, 3, 4]);
    assert!(
        received
            .iter()
            .all(|request| request.id() == received[0].id()),
        "an event keeps its id"
    );
    let pauses: Vec<Duration> = received
        .windows(2)
        .map(|pair| pair[1].at - pair[0].at)
        .collect();
    assert!(pauses[0] < Duration::from_secs(1), "{pauses:?}");
    assert!(
        pauses[1] >= Duration::from_millis(1900),
        "`Retry-After` is kept: {pauses:?}"
    );
    assert!(
        pauses[2] >= Duration::from_millis(900),
        "the time limit ends the attempt: {pauses:?}"
    );
    let delivered =
        "count(*) = 1 FROM postern.event_queue WHERE state = 'delivered' AND attempts = 5";
    service.database.until(delivered).await;
    let invocations = service.show(&received[0].id()).await["invocations"].clone();
    let outcomes: Vec<(&Value, &Value)> = invocations
        .as_array()
        .unwrap()
        .iter()
        .map(|one| (&one["outcome"], &one["status"]))
        .collect();
    let retry = json!("retry");
    let expected = [
        (&retry, &json!(500)),
        (&retry, &json!(429)),
        (&retry, &Value::Null),
        (&retry, &json!(302)),
        (&json!("delivered"), &json!(200)),
    ];
    assert_eq!(outcomes, expected);
    assert_eq!(invocations[2]["error"], "no response within 1 seconds");
    assert_eq!(invocations[4]["response"], "ok");
    let counted = |outcome| {
        let labels = format!("outcome=\"{outcome}\",trigger=\"placed\"");
        let name = format!("postern_event_deliveries_total{{{labels}}}");
        tests::metric(service.gateway.app(), &name)
    };
    assert_eq!(
        (counted("delivered"), counted("retry"), counted("dead")),
        (1, 4, 0)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn pending_events_of_a_trigger_are_removed_on_confirmation() {
    let receiver = Receiver::start((0..9).map(|_| Answer::status(500)).collect()).await;
    let keys = "retry_conf = { num_retries = 9, interval_sec = 3600 }";
    let service = Service::start(&trigger(&receiver, keys)).await;
    service.run("INSERT INTO orders (id) VALUES (1), (2)").await;
    let tried = "count(*) = 2 FROM postern.event_queue WHERE state = 'pending' AND attempts = 1 \
                 AND lease IS NULL";
    service.database.until(tried).await;
    let purge = ["purge", "--state", "pending", "--older-than", "0s"];
    let refused = service.events(&purge).await;
    assert_eq!(refused.code, Some(2), "without a trigger: {}", refused.err);
    let of_trigger = [&purge[..], &["--trigger", "placed"]].concat();
    let refused = service.events(&of_trigger).await;
    assert_eq!(refused.code, Some(2), "without --yes: {}", refused.err);
    assert!(refused.err.contains("--yes"), "{}", refused.err);
    service.database.until(tried).await;
    let removed = service
        .events(&[&of_trigger[..], &["--yes"]].concat())
        .await;
    assert!(removed.err.contains("events removed: 2"), "{}", removed.err);
    service
        .database
        .until("NOT EXISTS (SELECT FROM postern.event_queue)")
        .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn dead_events_are_listed_and_replayed() {
    let receiver = Receiver::start((0..3).map(|_| Answer::status(500)).collect()).await;
    let keys = "retry_conf = { num_retries = 2, interval_sec = 0 }";
    let service = Service::start(&trigger(&receiver, keys)).await;
    service.run("INSERT INTO orders (id) VALUES (1)").await;
    service
        .database
        .until("count(*) = 1 FROM postern.event_queue WHERE state = 'dead' AND attempts = 3")
        .await;
    let listed = service
        .events(&["list", "--state", "dead", "--trigger", "placed", "--json"])
        .await;
    let events: Value = serde_json::from_str(&listed.out).unwrap();
    assert_eq!(
        (
            &events[0]["state"],
            &events[0]["attempts"],
            &events[0]["error"]
        ),
        (&json!("dead"), &json!(3), &json!("500"))
    );
    let text = service.events(&["list"]).await.out;
    assert!(
        text.starts_with("ID ") && text.contains(" placed   dead "),
        "{text}"
    );
    let replayed = service
        .events(&["replay", "--dead", "--trigger", "placed"])
        .await;
    assert_eq!(
        (replayed.code, replayed.err.as_str()),
        (Some(0), "events to be delivered again: 1\n")
    );
    let id = receiver.wait(4).await[3].id();
    assert_eq!(events[0]["id"], id.as_str());
    service
        .database
        .until("count(*) = 1 FROM postern.event_queue WHERE state = 'delivered'")
        .await;
    assert_eq!(service.events(&["replay", &id]).await.code, Some(0));
    assert_eq!(receiver.wait(5).await[4].id(), id);
    service
        .database
        .until("count(*) = 1 FROM postern.event_queue WHERE state = 'delivered'")
        .await;
    let unknown = service
        .events(&["replay", "00000000-0000-0000-0000-000000000000"])
        .await;
    assert_eq!(unknown.code, Some(1), "{}", unknown.err);
    let kept = service.events(&["purge", "--older-than", "1h"]).await;
    assert_eq!(kept.err, "events removed: 0\n");
    let purged = service.events(&["purge", "--older-than", "0s"]).await;
    assert_eq!(purged.err, "events removed: 1\n");
    assert_eq!(
        service
            .value("SELECT count(*) FROM postern.event_invocation")
            .await,
        "0"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn statuses_decide_by_the_policy() {
    let receiver = Receiver::start(vec![
        Answer::status(404),
        Answer::status(409),
        Answer::status(410),
    ])
    .await;
    let statuses = "statuses = { 4xx = \"dead\", 409 = \"delivered\" }";
    let service = Service::start(&trigger(&receiver, &format!("{QUICK}\n{statuses}"))).await;
    for (id, state) in [(1, "dead"), (2, "delivered"), (3, "dead")] {
        service
            .run(&format!("INSERT INTO orders (id) VALUES ({id})"))
            .await;
        let ended = format!(
            "count(*) = 1 FROM postern.event_queue WHERE ordering_key = '{id}' \
                             AND state = '{state}' AND attempts = 1"
        );
        service.database.until(&ended).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn events_of_a_key_keep_their_order() {
    let receiver = Receiver::start((0..3).map(|_| Answer::status(503)).collect()).await;
    let service = Service::start(&trigger(
        &receiver,
        &format!("{QUICK}\norder_by = [\"customer\"]"),
    ))
    .await;
    service
        .run("INSERT INTO orders (id, customer) SELECT n, n % 3 FROM generate_series(1, 60) n")
        .await;
    service
        .database
        .until("count(*) = 60 FROM postern.event_queue WHERE state = 'delivered'")
        .await;
    let delivered = receiver.received();
    assert_eq!(delivered.len(), 63);
    for customer in 0..3 {
        let of_customer = delivered
            .iter()
            .filter(|request| request.new_row()["customer"] == customer);
        let mut ids: Vec<i64> = of_customer
            .map(|request| request.new_row()["id"].as_i64().unwrap())
            .collect();
        assert!(ids.is_sorted(), "{ids:?}");
        ids.dedup();
        assert_eq!(ids.len(), 20);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn function_runs_once_with_the_record() {
    let file = "[event.placed]\ntable = \"orders\"\ninsert = { columns = [\"customer\", \
                \"place\"] }\nfunction = \"note\"\n\
                retry_conf = { num_retries = 5, interval_sec = 0 }\n";
    let service = Service::start(file).await;
    service
        .run("INSERT INTO orders (id, customer, place) VALUES (1, 7, 'here'), (2, 8, 'nowhere')")
        .await;
    service
        .database
        .until("count(*) = 2 FROM postern.event_queue WHERE state = 'delivered'")
        .await;
    // The function wrote before it failed; only the attempt that succeeded has left something.
    assert_eq!(
        service
            .value("SELECT string_agg(customer::text, ' ' ORDER BY customer) FROM noted")
            .await,
        "7 8"
    );
    let errors =
        "SELECT string_agg(error, ', ') FROM postern.event_invocation WHERE outcome = 'retry'";
    assert_eq!(
        service.value(errors).await,
        "P0001: not there, P0001: not there"
    );
    let columns = "SELECT string_agg(k, ' ') FROM (SELECT json_object_keys(event #> \
                   '{event,data,new}') k FROM noted LIMIT 2) n";
    assert_eq!(service.value(columns).await, "customer place");
}

#[tokio::test(flavor = "multi_thread")]
async fn signatures_are_verified_by_the_public_library() {
    let receiver = Receiver::start(vec![]).await;
    let secrets = [
        "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
        "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD",
    ];
    let keys = format!(
        "secrets = [{{ value = \"{}\" }}, {{ value = \"{}\" }}]\nheaders = [{{ name = \"X-Key\", \
         value = \"k\" }}]",
        secrets[0], secrets[1]
    );
    let service = Service::start(&trigger(&receiver, &keys)).await;
    service
        .run("INSERT INTO orders (id, place) VALUES (1, 'Zürich')")
        .await;
    let Received { headers, text, .. } = receiver.wait(1).await.remove(0);
    assert_eq!(headers["x-key"], "k");
    let delivery =
        |secret: &str, body: &str| json!({"secret": secret, "headers": headers, "body": body});
    let other = delivery("whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", &text);
    let deliveries = [
        delivery(secrets[0], &text),
        delivery(secrets[1], &text),
        other,
        delivery(secrets[0], &format!("{text} ")),
    ];
    let verified = verify(&json!(deliveries)).await;
    assert_eq!((&verified[0], &verified[1]), (&json!(true), &json!(true)));
    assert_eq!(
        (&verified[2], &verified[3]),
        (
            &json!("No matching signature found"),
            &json!("No matching signature found")
        )
    );
}

/// What the npm package `standardwebhooks` says of these deliveries.
pub(crate) async fn verify(deliveries: &Value) -> Value {
    let mut command = program::node("events", "verify.mjs").unwrap();
    program::run_json(&mut command, &deliveries.to_string())
        .await
        .unwrap()
}

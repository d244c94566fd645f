//! Cron schedules and events at a time.

use serde_json::{Value, json};

use super::receiver::Receiver;
use super::service::{Service, start};

#[tokio::test(flavor = "multi_thread")]
async fn each_run_happens_once_with_two_gateways() {
    let receiver = Receiver::start(vec![]).await;
    let file = format!(
        "[cron.tick]\nschedule = \"* * * * * *\"\ntimezone = \"Europe/Berlin\"\npayload = {{ \
         full = true }}\n\
         comment = \"often\"\nwebhook = \"{}\"\n",
        receiver.url
    );
    let service = Service::start(&file).await;
    let _second = start(&service.database, &file).await;
    let received = receiver.wait(5).await;
    let mut times: Vec<String> = received
        .iter()
        .map(|request| request.body["scheduled_time"].as_str().unwrap().to_owned())
        .collect();
    times.sort();
    let count = times.len();
    times.dedup();
    assert_eq!(times.len(), count, "{times:?}");
    let Value::Object(mut body) = received[0].body.clone() else {
        panic!("{}", received[0].text)
    };
    assert!(times[0].ends_with('Z') && times[0].len() == 20, "{times:?}");
    for key in ["scheduled_time", "id", "created_at"] {
        assert!(
            body.remove(key).is_some_and(|value| value.is_string()),
            "{key}"
        );
    }
    let delivery_info = json!({"current_retry": 0, "max_retries": 8});
    let rest = json!({"payload": {"full": true}, "name": "tick", "comment": "often", "delivery_info": delivery_info});
    assert_eq!(Value::Object(body), rest);
}

#[tokio::test(flavor = "multi_thread")]
async fn missed_runs_are_made_up_for() {
    let file = "[cron.hourly]\nschedule = \"0 * * * *\"\nfunction = \"note\"\nmissed = \"all\"\n\
                retry_conf = { tolerance_seconds = 1000000 }\n[cron.skipped]\nschedule = \"0 * * \
                * *\"\nfunction = \"note\"\n\
                missed = \"skip\"\n";
    let service = Service::start(file).await;
    service
        .database
        .until("count(*) = 2 FROM postern.schedule")
        .await;
    let (gateway, database, sql) = service.into_parts();
    gateway.shutdown().await;
    sql.batch_execute(
        "UPDATE postern.schedule SET last_at = date_trunc('hour', now()) - \
                       interval '5 hours 1 second'",
    )
    .await
    .unwrap();
    let _running = start(&database, file).await;
    // The times from five hours ago until now, of which the last may be on time.
    database
        .until("count(*) >= 5 FROM noted WHERE event ->> 'name' = 'hourly'")
        .await;
    let skipped = "SELECT count(*) <= 1 FROM noted WHERE event ->> 'name' = 'skipped'";
    assert!(sql.query_one(skipped, &[]).await.unwrap().get::<_, bool>(0));
}

#[tokio::test(flavor = "multi_thread")]
async fn event_is_scheduled_for_a_time() {
    let receiver = Receiver::start(vec![]).await;
    let file = format!(
        "[event.reminder]\nmanual = true\nwebhook = \"{}\"\n",
        receiver.url
    );
    let service = Service::start(&file).await;
    let at = service
        .value(
            "SELECT to_char(now() AT TIME ZONE 'UTC' + interval '2 seconds', \
                'YYYY-MM-DD\"T\"HH24:MI:SS\"Z\"')",
        )
        .await;
    let arguments = [
        "schedule",
        "--trigger",
        "reminder",
        "--at",
        &at,
        "--payload",
        r#"{"a":1}"#,
        "--key",
        "k",
    ];
    let first = service.events(&arguments).await;
    let again = service.events(&arguments).await;
    assert_eq!(
        (first.code, &first.out),
        (Some(0), &again.out),
        "{}",
        first.err
    );
    let in_time = "SELECT now() + interval '1 day'";
    let later = service
        .value(&format!(
            "SELECT postern.schedule_event('reminder', ({in_time}), '2')"
        ))
        .await;
    assert_eq!(service.show(&later).await["state"], "pending");
    let received = receiver.wait(1).await;
    assert_eq!(received[0].id(), first.out.trim());
    assert_eq!(
        (
            &received[0].body["scheduled_time"],
            &received[0].body["payload"]
        ),
        (&json!(at), &json!({"a": 1}))
    );
    service
        .run("SELECT postern.enqueue_event('reminder', '{\"b\": 2}')")
        .await;
    let manual = receiver.wait(2).await.remove(1).body;
    assert_eq!(manual["event"]["op"], "MANUAL");
    assert_eq!(
        manual["event"]["data"],
        json!({"old": null, "new": {"b": 2}})
    );
    assert_eq!(receiver.received().len(), 2);
}

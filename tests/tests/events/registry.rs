//! Which names the queue takes: those of triggers in the settings, `manual` ones for
//! `postern.enqueue_event`.

use super::receiver::Receiver;
use super::service::{Service, migrated, start};

/// Triggers of each kind, which deliver nothing.
const FILE: &str = "[events]\ndeliver = false\n\
    [event.placed]\ntable = \"orders\"\ninsert = true\nfunction = \"note\"\n\
    [event.by_hand]\nmanual = true\nfunction = \"note\"\n\
    [cron.nightly]\nschedule = \"0 3 * * *\"\nfunction = \"note\"\n";

/// The message of a statement that Postgres refuses.
async fn refused(service: &Service, sql: &str) -> String {
    let error = service.sql.batch_execute(sql).await.expect_err(sql);
    error.as_db_error().unwrap().message().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn queue_takes_events_of_known_and_manual_triggers_alone() {
    let service = Service::start(FILE).await;
    for (name, enqueued, scheduled) in [
        ("placed", Some("the trigger \"placed\" is not manual"), None),
        ("by_hand", None, None),
        ("nightly", None, None),
        (
            "no_such",
            Some("the trigger \"no_such\" does not exist"),
            Some("the trigger \"no_such\" does not exist"),
        ),
        (
            "webhook:shop",
            Some("the trigger \"webhook:shop\" does not exist"),
            Some("the trigger \"webhook:shop\" does not exist"),
        ),
    ] {
        let statements = [
            (
                format!("SELECT postern.enqueue_event('{name}', '{{}}')"),
                enqueued,
            ),
            (
                format!("SELECT postern.schedule_event('{name}', now())"),
                scheduled,
            ),
        ];
        for (sql, error) in statements {
            match error {
                Some(error) => assert_eq!(refused(&service, &sql).await, error, "{sql}"),
                None => service.run(&sql).await,
            }
        }
        let scheduled_by_command = service.events(&["schedule", "--trigger", name]).await;
        assert_eq!(
            scheduled_by_command.code == Some(0),
            scheduled.is_none(),
            "{name}: {}",
            scheduled_by_command.err
        );
        let message = format!("there is no event trigger or schedule `{name}`");
        assert_eq!(
            scheduled_by_command.err.contains(&message),
            scheduled.is_some(),
            "{}",
            scheduled_by_command.err
        );
    }
    assert_eq!(
        service
            .value("SELECT count(*) FROM postern.event_queue")
            .await,
        "8"
    );
    // With the settings, the command itself knows the names.
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("gateway.toml");
    std::fs::write(&file, FILE).unwrap();
    let unknown = service
        .events(&[
            "schedule",
            "--trigger",
            "no_such",
            "--config",
            file.to_str().unwrap(),
        ])
        .await;
    assert!(
        unknown.code == Some(1)
            && unknown
                .err
                .contains("there is no event trigger or schedule `no_such`"),
        "{}",
        unknown.err
    );
    let known = service
        .events(&[
            "schedule",
            "--trigger",
            "placed",
            "--config",
            file.to_str().unwrap(),
        ])
        .await;
    assert_eq!(known.code, Some(0), "{}", known.err);
}

#[tokio::test(flavor = "multi_thread")]
async fn right_to_call_the_function_forges_no_rows_and_no_webhooks() {
    let service = Service::start(FILE).await;
    let role = format!("caller_of_{}", service.database.name());
    service
        .run(&format!(
            "CREATE ROLE {role} LOGIN; GRANT USAGE ON SCHEMA postern TO {role}; \
                       GRANT EXECUTE ON FUNCTION postern.enqueue_event TO {role}; SET SESSION \
                       AUTHORIZATION {role}"
        ))
        .await;
    for kind in ["table", "webhook"] {
        for name in ["placed", "by_hand", "webhook:shop"] {
            let sql = format!("SELECT postern.enqueue_event('{name}', '{{}}', '{kind}')");
            assert_eq!(
                refused(&service, &sql).await,
                format!("permission denied for events of the kind {kind}")
            );
        }
    }
    // Nor does it suppress the run of a schedule.
    let sql = "SELECT postern.enqueue_event('nightly', '{}', deduplication_key => \
               'postern:2030-01-01T03:00:00Z')";
    assert_eq!(
        refused(&service, sql).await,
        "keys that begin with \"postern:\" belong to the runs of schedules"
    );
    let sql = "SELECT postern.enqueue_event('placed', '{}')";
    assert_eq!(
        refused(&service, sql).await,
        "the trigger \"placed\" is not manual"
    );
    service
        .run("SELECT postern.enqueue_event('by_hand', '{}')")
        .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn names_are_those_of_all_gateways_that_run() {
    let service = Service::start(FILE).await;
    let other = start(&service.database, &FILE.replace("by_hand", "newer")).await;
    for name in ["by_hand", "newer"] {
        service
            .run(&format!("SELECT postern.enqueue_event('{name}', '{{}}')"))
            .await;
    }
    // No gateway has renewed the name for longer than the others.
    service
        .run(
            "UPDATE postern.event_trigger SET seen_at = seen_at - interval '11 minutes' WHERE \
              name = 'by_hand'",
        )
        .await;
    assert_eq!(
        refused(&service, "SELECT postern.enqueue_event('by_hand', '{}')").await,
        "the trigger \"by_hand\" does not exist"
    );
    // While no gateway runs, all names grow old together.
    service
        .run("UPDATE postern.event_trigger SET seen_at = seen_at - interval '10 days'")
        .await;
    service
        .run("SELECT postern.enqueue_event('newer', '{}')")
        .await;
    // Before a gateway has written names, every name is taken.
    service
        .run("DELETE FROM postern.event_trigger; SELECT postern.enqueue_event('no_such', '{}')")
        .await;
    other.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn events_without_a_trigger_are_given_up_after_a_day() {
    let database = migrated().await;
    let sql = database.connect().await.unwrap();
    let insert = "INSERT INTO postern.event_trigger (name, is_manual, seen_at) VALUES ('paused', \
                  true, now() - interval '2 hours'), \
                  ('removed', true, now() - interval '2 days'); \
                  INSERT INTO postern.event_queue (trigger_name, kind, payload, created_at) \
                  SELECT name, 'manual', '{}', now() - age FROM (VALUES ('removed', interval '30 \
                  hours'), ('removed', interval '1 hour'), \
                  ('never', interval '30 hours'), ('paused', interval '30 hours')) AS e (name, \
                  age)";
    sql.batch_execute(insert).await.unwrap();
    let running = start(
        &database,
        &FILE.replace("deliver = false", "deliver = true"),
    )
    .await;
    database
        .until("(SELECT count(*) FROM postern.event_queue WHERE state = 'dead') = 2")
        .await;
    let states = "SELECT string_agg(concat_ws(' ', q.trigger_name, q.state, i.error), ', ' ORDER \
                  BY q.trigger_name, q.state) \
                  FROM postern.event_queue q LEFT JOIN postern.event_invocation i ON i.event_id \
                  = q.id";
    let states: String = sql.query_one(states, &[]).await.unwrap().get(0);
    assert_eq!(
        states,
        "never dead no settings have the trigger, paused pending, removed dead no \
                        settings have the trigger, removed pending"
    );
    running.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn manual_event_of_another_trigger_is_dead_with_a_reason() {
    let receiver = Receiver::start(vec![]).await;
    let file = format!(
        "[event.placed]\ntable = \"orders\"\ninsert = true\nwebhook = \"{}\"\n",
        receiver.url
    );
    let service = Service::start(&file).await;
    service
        .run(
            "INSERT INTO postern.event_queue (trigger_name, kind, payload) VALUES ('placed', \
              'manual', '{\"id\": 1}')",
        )
        .await;
    service.run("INSERT INTO orders (id) VALUES (2)").await;
    service
        .database
        .until("(SELECT count(*) FROM postern.event_queue WHERE state <> 'pending') = 2")
        .await;
    let error = service
        .value(
            "SELECT string_agg(error, ', ') FROM postern.event_invocation WHERE outcome = 'dead'",
        )
        .await;
    assert_eq!(error, "the trigger is not `manual`");
    let received = receiver.wait(1).await;
    assert_eq!(
        (received.len(), &received[0].new_row()["id"]),
        (1, &2.into())
    );
}

//! Which writes fire, and what an event contains.

use serde_json::{Value, json};
use tests::service::ADMIN_SECRET;

use super::receiver::Receiver;
use super::service::Service;

/// A trigger for all operations.
fn all(receiver: &Receiver) -> String {
    format!(
        "[event.changed]\ntable = \"orders\"\ninsert = true\nupdate = {{ columns = [\"place\", \
         \"document\"] }}\n\
         delete = {{ columns = [\"id\", 'or\"der'] }}\nwebhook = \"{}\"\n",
        receiver.url
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn writes_of_every_origin_fire() {
    let receiver = Receiver::start(vec![]).await;
    let service = Service::start(&all(&receiver)).await;
    service
        .run("INSERT INTO orders (id, customer, total) VALUES (1, 7, 2.50)")
        .await;
    let document = "mutation { insert_orders(objects: [{id: 2, customer: 7}]) { affected_rows } }";
    let reply = service.ask(7, document).await;
    assert_eq!(
        reply.json(),
        json!({"data": {"insert_orders": {"affected_rows": 1}}})
    );
    let received = receiver.wait(2).await;
    let of = |id: i32| {
        received
            .iter()
            .find(|received| received.new_row()["id"] == id)
            .unwrap()
    };
    let by_sql = &of(1).body;
    let by_graphql = &of(2).body;
    assert_eq!(by_sql["event"]["op"], "INSERT");
    assert_eq!(by_sql["event"]["data"]["old"], Value::Null);
    assert!(
        of(1).text.contains("\"total\":2.50"),
        "numbers keep their digits: {}",
        of(1).text
    );
    assert_eq!(by_sql["event"]["session_variables"], Value::Null);
    assert_eq!(
        by_graphql["event"]["session_variables"],
        json!({"x-gateway-role": "user", "x-gateway-user-id": "7"})
    );
    assert_eq!(by_sql["trigger"], json!({"name": "changed"}));
    assert_eq!(
        by_sql["table"],
        json!({"schema": "public", "name": "orders"})
    );
    assert_eq!(
        by_sql["delivery_info"],
        json!({"current_retry": 0, "max_retries": 8})
    );
    assert_eq!(of(1).headers["webhook-id"], of(1).id());
    assert_eq!(of(1).headers["content-type"], "application/json");
}

#[tokio::test(flavor = "multi_thread")]
async fn update_fires_only_if_a_listed_column_changes() {
    let receiver = Receiver::start(vec![]).await;
    let service = Service::start(&all(&receiver)).await;
    service
        .run("INSERT INTO orders (id, place, document) VALUES (1, 'a', '{}')")
        .await;
    service
        .run("UPDATE orders SET total = 3, place = 'a', document = '{}'")
        .await;
    service.run("UPDATE orders SET place = 'b'").await;
    service.run("UPDATE orders SET document = NULL").await;
    service.run("DELETE FROM orders").await;
    let bodies: Vec<Value> = receiver
        .wait(4)
        .await
        .into_iter()
        .map(|received| received.body["event"].clone())
        .collect();
    let operations: Vec<&Value> = bodies.iter().map(|body| &body["op"]).collect();
    assert_eq!(
        operations,
        ["INSERT", "UPDATE", "UPDATE", "DELETE"],
        "one row's events keep their order"
    );
    assert_eq!(
        (
            &bodies[1]["data"]["old"]["place"],
            &bodies[1]["data"]["new"]["place"]
        ),
        (&json!("a"), &json!("b"))
    );
    assert_eq!(bodies[2]["data"]["new"]["document"], Value::Null);
    assert_eq!(
        bodies[3]["data"],
        json!({"old": {"id": 1, "or\"der": null}, "new": null})
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn rolled_back_write_fires_nothing() {
    let receiver = Receiver::start(vec![]).await;
    let service = Service::start(&all(&receiver)).await;
    service
        .run("BEGIN; INSERT INTO orders (id) VALUES (1); ROLLBACK")
        .await;
    let refused = service
        .ask(
            7,
            "mutation { insert_orders(objects: [{id: 2, customer: 8}]) { affected_rows } }",
        )
        .await;
    assert!(
        refused.text.contains("permission-error"),
        "{}",
        refused.text
    );
    service.run("INSERT INTO orders (id) VALUES (3)").await;
    assert_eq!(receiver.wait(1).await[0].new_row()["id"], 3);
    assert_eq!(
        service
            .value("SELECT count(*) FROM postern.event_queue")
            .await,
        "1"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn reload_installs_and_removes_triggers() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("gateway.toml");
    let database = super::service::migrated().await;
    let write = |events: &str| {
        let text = format!("admin_secret = \"{ADMIN_SECRET}\"\nlisten = \"127.0.0.1:0\"\n{events}");
        std::fs::write(
            &path,
            format!("database_url = \"{}\"\n{text}", database.url()),
        )
        .unwrap();
    };
    let event = |name: &str| {
        format!("[event.{name}]\ntable = \"orders\"\ninsert = true\nfunction = \"note\"\n")
    };
    write(&event("first"));
    let name = path.to_str().unwrap().to_owned();
    let gather = move || {
        gateway::config::Settings::gather(|flag| (flag == "config").then(|| name.clone()), |_| None)
    };
    let running = tests::gateway()
        .settings_from(gather)
        .start()
        .await
        .unwrap();
    let sql = database.connect().await.unwrap();
    let names = async || -> String {
        let query = "SELECT coalesce(string_agg(tgname, ' ' ORDER BY tgname), '') FROM \
                     pg_trigger WHERE tgname LIKE 'postern%'";
        sql.query_one(query, &[]).await.unwrap().get(0)
    };
    assert_eq!(names().await, "postern_event_insert_first");
    write(&event("second"));
    running.reload().await.unwrap();
    assert_eq!(names().await, "postern_event_insert_second");
    sql.batch_execute("INSERT INTO orders (id) VALUES (1)")
        .await
        .unwrap();
    database
        .until("count(*) = 1 FROM noted WHERE event #>> '{trigger,name}' = 'second'")
        .await;
    write("[event.bad]\ntable = \"orders\"\ninsert = true\nfunction = \"nothing\"\n");
    let error = running.reload().await.unwrap_err().to_string();
    assert!(
        error.contains("error[unknown-function]: function `nothing` is not in the database"),
        "{error}"
    );
    assert_eq!(names().await, "postern_event_insert_second");
    write("");
    running.reload().await.unwrap();
    sql.batch_execute("INSERT INTO orders (id) VALUES (2)")
        .await
        .unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn triggers_of_events_do_not_change_how_writes_are_planned() {
    let service =
        Service::start("[event.changed]\ntable = \"orders\"\ninsert = true\nfunction = \"note\"\n")
            .await;
    let triggers = async || {
        let text = service
            .value(&format!(
                "SELECT ({})::text",
                sql::postgres::catalog::QUERY.trim().trim_end_matches(';')
            ))
            .await;
        let catalog = sql::postgres::catalog::Catalog::decode(&text).unwrap();
        catalog
            .tables
            .iter()
            .find(|table| table.name == "orders")
            .unwrap()
            .triggers
    };
    assert_eq!(triggers().await, 0);
    service
        .run(
            "CREATE TRIGGER other AFTER INSERT ON orders FOR EACH STATEMENT EXECUTE FUNCTION \
              postern.event_insert_changed()",
        )
        .await;
    assert_ne!(triggers().await, 0);
}

/// The payloads of the queue in order, as text.
async fn queued(service: &Service) -> Vec<Value> {
    let rows = service.sql.query(
        "SELECT payload::text, ordering_key FROM postern.event_queue ORDER BY sequence",
        &[],
    );
    let rows = rows.await.unwrap();
    let event = |row: &tokio_postgres::Row| {
        let mut event: Value = serde_json::from_str(row.get(0)).unwrap();
        event["key"] = json!(row.get::<_, Option<String>>(1));
        event
    };
    rows.iter().map(event).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn columns_that_a_trigger_names_can_change_type_and_name_and_be_dropped() {
    let file = "[events]\ndeliver = false\n[event.moved]\ntable = \"orders\"\norder_by = \
                [\"customer\"]\n\
                insert = { columns = [\"id\", \"place\"] }\n\
                update = { columns = [\"place\", \"or\\\"der\"], payload = [\"id\", \"place\", \
                \"or\\\"der\"] }\n\
                delete = { columns = [\"place\"] }\nfunction = \"note\"\n";
    let service = Service::start(file).await;
    let other = service.database.connect().await.unwrap();
    service.run("DROP VIEW order_list").await;
    // Sessions that have run the functions have plans for the old types.
    let old_and_new_sessions = async |sql: &str| {
        service.run(sql).await;
        other.batch_execute(sql).await.unwrap();
        service
            .database
            .connect()
            .await
            .unwrap()
            .batch_execute(sql)
            .await
            .unwrap();
    };
    let last = async |count: usize| {
        let events = queued(&service).await;
        assert!(events.len() >= count, "{events:?}");
        events[events.len() - count..].to_vec()
    };
    service
        .run("INSERT INTO orders (id, customer, place) VALUES (1, 7, 'a')")
        .await;
    old_and_new_sessions("UPDATE orders SET place = place || 'b', total = 1").await;
    let events = last(4).await;
    assert_eq!(
        events[0]["data"],
        json!({"old": null, "new": {"id": 1, "place": "a"}})
    );
    assert_eq!(events[3]["data"]["new"]["place"], "abbb");
    let count = queued(&service).await.len();

    for change in [
        "ALTER COLUMN place TYPE varchar(100)",
        "ALTER COLUMN customer TYPE bigint",
        "ALTER COLUMN \"or\"\"der\" TYPE int USING NULL",
        "ALTER COLUMN id TYPE bigint",
    ] {
        service.run(&format!("ALTER TABLE orders {change}")).await;
        old_and_new_sessions("UPDATE orders SET total = total + 1").await;
        assert_eq!(
            queued(&service).await.len(),
            count,
            "{change}: no named column has changed"
        );
    }
    old_and_new_sessions("UPDATE orders SET place = place || 'c'").await;
    for event in last(3).await {
        assert_eq!(event["key"], "7");
        assert_eq!(event["data"]["new"]["id"], 1);
    }
    old_and_new_sessions(
        "INSERT INTO orders (id, customer, place) VALUES ((random() * 1e6)::int + 10, 8, 'n')",
    )
    .await;
    old_and_new_sessions("DELETE FROM orders WHERE id = (SELECT max(id) FROM orders)").await;
    assert_eq!(
        last(1).await[0]["data"],
        json!({"old": {"place": "n"}, "new": null})
    );

    // A column that has another name is found by its number, and sent under the name of the file.
    service
        .run(
            "ALTER TABLE orders RENAME place TO location; ALTER TABLE orders RENAME customer TO \
              buyer",
        )
        .await;
    old_and_new_sessions("UPDATE orders SET location = location || 'd'").await;
    let events = last(3).await;
    assert_eq!(events[2]["data"]["old"]["place"], "abbbcccdd");
    assert_eq!(
        events[2]["data"]["new"],
        json!({"id": 1, "place": "abbbcccddd", "or\"der": null})
    );
    assert_eq!(events[2]["key"], "7");
    let count = queued(&service).await.len();
    old_and_new_sessions("UPDATE orders SET total = total + 1").await;
    assert_eq!(queued(&service).await.len(), count);

    // Dropped columns are null; the others still fire.
    service
        .run("ALTER TABLE orders DROP COLUMN \"or\"\"der\"")
        .await;
    old_and_new_sessions("UPDATE orders SET location = 'e' WHERE location <> 'e'").await;
    assert_eq!(
        last(1).await[0]["data"]["new"],
        json!({"id": 1, "place": "e", "or\"der": null})
    );
    service
        .run(
            "ALTER TABLE orders DROP COLUMN location CASCADE; ALTER TABLE orders DROP COLUMN buyer",
        )
        .await;
    let count = queued(&service).await.len();
    old_and_new_sessions("UPDATE orders SET total = total + 1").await;
    assert_eq!(queued(&service).await.len(), count);
    service.run("INSERT INTO orders (id) VALUES (99)").await;
    let event = last(1).await.remove(0);
    assert_eq!(
        (&event["data"]["new"], &event["key"]),
        (&json!({"id": 99, "place": null}), &Value::Null)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn named_columns_of_partitions_and_heirs_can_change() {
    let database = super::service::migrated().await;
    let sql = database.connect().await.unwrap();
    let schema = "CREATE TABLE places (id int, kind int, place text, \"50%\" int) PARTITION BY \
                  LIST (kind); \
                  CREATE TABLE places_1 (gone int, \"50%\" int, place text, kind int, id int); \
                  ALTER TABLE places_1 DROP gone; \
                  ALTER TABLE places ATTACH PARTITION places_1 FOR VALUES IN (1); \
                  CREATE TABLE places_2 PARTITION OF places DEFAULT; \
                  CREATE TABLE base (id int, place text); CREATE TABLE heir (more text, place \
                  text, id int); ALTER TABLE heir INHERIT base";
    sql.batch_execute(schema).await.unwrap();
    let event = |table: &str, more: &str| {
        format!(
            "[event.{table}]\ntable = \"{table}\"\norder_by = [\"id\"]\nfunction = \"note\"\n\
             update = {{ columns = [\"place\"], payload = [\"id\", \"place\"{more}] }}\n"
        )
    };
    let file = format!(
        "[events]\ndeliver = false\n{}{}",
        event("places", ", \"50%\""),
        event("base", "")
    );
    let running = super::service::start(&database, &file).await;
    let service = Service::from_parts(running, database, sql);
    service
        .run(
            "INSERT INTO places VALUES (1, 1, 'a', 5), (2, 2, 'a', 5); INSERT INTO base VALUES \
              (1, 'a'); INSERT INTO heir (id, place) VALUES (2, 'a')",
        )
        .await;
    let changes = [
        "SELECT",
        "ALTER TABLE places ALTER place TYPE varchar; ALTER TABLE base ALTER place TYPE varchar",
        "ALTER TABLE places RENAME id TO number; ALTER TABLE base RENAME id TO number",
    ];
    for change in changes {
        service.run(change).await;
        service
            .run(
                "DELETE FROM postern.event_queue; UPDATE places SET place = place || 'b'; \
                  UPDATE base SET place = place || 'b'",
            )
            .await;
        let events = queued(&service).await;
        let keys: Vec<&str> = events
            .iter()
            .map(|event| event["key"].as_str().unwrap())
            .collect();
        assert_eq!(keys, ["1", "2", "1", "2"], "{change}");
        assert_eq!(events[1]["data"]["new"]["50%"], 5, "{change}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn gateway_serves_while_a_table_of_a_trigger_is_locked() {
    let database = super::service::migrated().await;
    let sql = database.connect().await.unwrap();
    sql.batch_execute("CREATE TABLE free (id int PRIMARY KEY)")
        .await
        .unwrap();
    let holder = database.connect().await.unwrap();
    holder
        .batch_execute("BEGIN; INSERT INTO orders (id, customer) VALUES (1, 7)")
        .await
        .unwrap();
    let event = |table: &str| {
        format!("[event.of_{table}]\ntable = \"{table}\"\ninsert = true\nfunction = \"note\"\n")
    };
    let file = format!("{}{}", event("orders"), event("free"));
    let running = super::service::start(&database, &file).await;
    let service = Service::from_parts(running, database, sql);
    let installed = "SELECT coalesce(string_agg(tgname, ' ' ORDER BY tgname), '') FROM \
                     pg_trigger WHERE tgname LIKE 'postern%'";
    // It serves, and the other table gets its trigger.
    assert_eq!(
        service.ask(7, "{ orders { id } }").await.json(),
        json!({"data": {"orders": []}})
    );
    service
        .database
        .until(&format!("({installed}) = 'postern_event_insert_of_free'"))
        .await;
    // Writers of the locked table wait at most as long as an attempt does.
    service
        .run("SET statement_timeout = '4s'; INSERT INTO orders (id, customer) VALUES (2, 7)")
        .await;
    holder.batch_execute("COMMIT").await.unwrap();
    service
        .database
        .until(&format!(
            "({installed}) = 'postern_event_insert_of_free postern_event_insert_of_orders'"
        ))
        .await;
}

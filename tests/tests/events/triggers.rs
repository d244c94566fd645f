//! Which writes fire, and what an event contains.

use serde_json::{Value, json};

use super::receiver::Receiver;
use super::service::Service;

/// A trigger for all operations.
fn all(receiver: &Receiver) -> String {
    format!(
        "[event.changed]\ntable = \"orders\"\ninsert = true\nupdate = {{ columns = [\"place\", \"document\"] }}\n\
         delete = {{ columns = [\"id\", 'or\"der'] }}\nwebhook = \"{}\"\n",
        receiver.url
    )
}

#[tokio::test(flavor = "multi_thread")]
async fn writes_of_every_origin_fire() {
    let receiver = Receiver::start(vec![]).await;
    let service = Service::start(&all(&receiver)).await;
    service.run("INSERT INTO orders (id, customer, total) VALUES (1, 7, 2.50)").await;
    let document = "mutation { insert_orders(objects: [{id: 2, customer: 7}]) { affected_rows } }";
    let reply = service.ask(7, document).await;
    assert_eq!(reply.json(), json!({"data": {"insert_orders": {"affected_rows": 1}}}));
    let received = receiver.wait(2).await;
    let of = |id: i32| received.iter().find(|received| received.new_row()["id"] == id).unwrap();
    let (by_sql, by_graphql) = (&of(1).body, &of(2).body);
    assert_eq!(by_sql["event"]["op"], "INSERT");
    assert_eq!(by_sql["event"]["data"]["old"], Value::Null);
    assert!(of(1).text.contains("\"total\":2.50"), "numbers keep their digits: {}", of(1).text);
    assert_eq!(by_sql["event"]["session_variables"], Value::Null);
    assert_eq!(by_graphql["event"]["session_variables"], json!({"x-gateway-role": "user", "x-gateway-user-id": "7"}));
    assert_eq!(by_sql["trigger"], json!({"name": "changed"}));
    assert_eq!(by_sql["table"], json!({"schema": "public", "name": "orders"}));
    assert_eq!(by_sql["delivery_info"], json!({"current_retry": 0, "max_retries": 8}));
    assert_eq!(of(1).headers["webhook-id"], of(1).id());
    assert_eq!(of(1).headers["content-type"], "application/json");
}

#[tokio::test(flavor = "multi_thread")]
async fn update_fires_only_if_a_listed_column_changes() {
    let receiver = Receiver::start(vec![]).await;
    let service = Service::start(&all(&receiver)).await;
    service.run("INSERT INTO orders (id, place, document) VALUES (1, 'a', '{}')").await;
    service.run("UPDATE orders SET total = 3, place = 'a', document = '{}'").await;
    service.run("UPDATE orders SET place = 'b'").await;
    service.run("UPDATE orders SET document = NULL").await;
    service.run("DELETE FROM orders").await;
    let bodies: Vec<Value> =
        receiver.wait(4).await.into_iter().map(|received| received.body["event"].clone()).collect();
    let operations: Vec<&Value> = bodies.iter().map(|body| &body["op"]).collect();
    assert_eq!(operations, ["INSERT", "UPDATE", "UPDATE", "DELETE"], "one row's events keep their order");
    assert_eq!((&bodies[1]["data"]["old"]["place"], &bodies[1]["data"]["new"]["place"]), (&json!("a"), &json!("b")));
    assert_eq!(bodies[2]["data"]["new"]["document"], Value::Null);
    assert_eq!(bodies[3]["data"], json!({"old": {"id": 1, "or\"der": null}, "new": null}));
}

#[tokio::test(flavor = "multi_thread")]
async fn rolled_back_write_fires_nothing() {
    let receiver = Receiver::start(vec![]).await;
    let service = Service::start(&all(&receiver)).await;
    service.run("BEGIN; INSERT INTO orders (id) VALUES (1); ROLLBACK").await;
    let refused = service.ask(7, "mutation { insert_orders(objects: [{id: 2, customer: 8}]) { affected_rows } }").await;
    assert!(refused.text.contains("permission-error"), "{}", refused.text);
    service.run("INSERT INTO orders (id) VALUES (3)").await;
    assert_eq!(receiver.wait(1).await[0].new_row()["id"], 3);
    assert_eq!(service.value("SELECT count(*) FROM postern.event_queue").await, "1");
}

#[tokio::test(flavor = "multi_thread")]
async fn reload_installs_and_removes_triggers() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("gateway.toml");
    let database = super::service::migrated().await;
    let write = |events: &str| {
        let text = format!("admin_secret = \"{}\"\nlisten = \"127.0.0.1:0\"\n{events}", super::service::SECRET);
        std::fs::write(&path, format!("database_url = \"{}\"\n{text}", database.url())).unwrap();
    };
    let event = |name: &str| format!("[event.{name}]\ntable = \"orders\"\ninsert = true\nfunction = \"note\"\n");
    write(&event("first"));
    let name = path.to_str().unwrap().to_owned();
    let gather = move || gateway::config::Settings::gather(|flag| (flag == "config").then(|| name.clone()), |_| None);
    let running = gateway::Gateway::builder().settings_from(gather).start().await.unwrap();
    let sql = database.connect().await.unwrap();
    let names = async || -> String {
        let query =
            "SELECT coalesce(string_agg(tgname, ' ' ORDER BY tgname), '') FROM pg_trigger WHERE tgname LIKE 'postern%'";
        sql.query_one(query, &[]).await.unwrap().get(0)
    };
    assert_eq!(names().await, "postern_event_insert_first");
    write(&event("second"));
    running.reload().await.unwrap();
    assert_eq!(names().await, "postern_event_insert_second");
    sql.batch_execute("INSERT INTO orders (id) VALUES (1)").await.unwrap();
    database.until("count(*) = 1 FROM noted WHERE event #>> '{trigger,name}' = 'second'").await;
    write("[event.bad]\ntable = \"orders\"\ninsert = true\nfunction = \"nothing\"\n");
    let error = running.reload().await.unwrap_err().to_string();
    assert!(error.contains("error[unknown-function]: function `nothing` is not in the database"), "{error}");
    assert_eq!(names().await, "postern_event_insert_second");
    write("");
    running.reload().await.unwrap();
    sql.batch_execute("INSERT INTO orders (id) VALUES (2)").await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn triggers_of_events_do_not_change_how_writes_are_planned() {
    let service = Service::start("[event.changed]\ntable = \"orders\"\ninsert = true\nfunction = \"note\"\n").await;
    let triggers = async || {
        let text = service
            .value(&format!("SELECT ({})::text", sql::postgres::catalog::QUERY.trim().trim_end_matches(';')))
            .await;
        let catalog = sql::postgres::catalog::Catalog::decode(&text).unwrap();
        catalog.tables.iter().find(|table| table.name == "orders").unwrap().triggers
    };
    assert_eq!(triggers().await, 0);
    service.run("CREATE TRIGGER other AFTER INSERT ON orders FOR EACH STATEMENT EXECUTE FUNCTION postern.event_insert_changed()").await;
    assert_ne!(triggers().await, 0);
}

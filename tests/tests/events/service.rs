//! Starts gateways with event triggers over a database of their own.

use gateway::Gateway;
use gateway::config::Settings;
use gateway::server::GatewayHandle;
use serde_json::{Value, json};
use tests::TestDatabase;
use tests::reply::Reply;
use tokio_postgres::Client;

/// Tables, and the function that a trigger calls.
pub(super) const SCHEMA: &str = r#"
CREATE TABLE orders (
  id int PRIMARY KEY, customer int, place text, total numeric, "or""der" text, document json, created_at timestamptz
);
CREATE VIEW order_list AS SELECT * FROM orders;
CREATE TABLE noted (event json, customer int);
CREATE FUNCTION note(event json) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO noted VALUES (event, (event #>> '{event,data,new,customer}')::int);
  IF event #>> '{event,data,new,place}' = 'nowhere' AND (event #>> '{delivery_info,current_retry}')::int < 2 THEN
    RAISE EXCEPTION 'not there';
  END IF;
END $$;
CREATE FUNCTION two(a json, b json) RETURNS void LANGUAGE sql AS '';
"#;

pub(super) const SECRET: &str = "open sesame, please";

const PERMISSIONS: &str = r#"
[naming]
convention = "snake"
[session]
user_id = "int4"
[table.orders.role.user]
select = { columns = "*", rows = "customer = session.user_id" }
insert = { columns = "*", check = "customer = session.user_id" }
"#;

/// A gateway with its database.
pub(super) struct Service {
    pub(super) running: GatewayHandle,
    pub(super) database: TestDatabase,
    pub(super) sql: Client,
}

impl Service {
    /// Starts a gateway with these tables in the settings file.
    pub(super) async fn start(file: &str) -> Service {
        let database = migrated().await;
        let running = start(&database, file).await;
        let sql = database.connect().await.unwrap();
        Service {
            running,
            database,
            sql,
        }
    }

    /// Runs SQL.
    pub(super) async fn run(&self, sql: &str) {
        self.sql.batch_execute(sql).await.unwrap();
    }

    /// The text of a value.
    pub(super) async fn value(&self, sql: &str) -> String {
        let row = self
            .sql
            .query_one(&format!("SELECT ({sql})::text"), &[])
            .await
            .unwrap();
        row.get::<_, Option<String>>(0).unwrap_or_default()
    }

    /// Sends a document as the role `user` with this id.
    pub(super) async fn ask(&self, user: i32, query: &str) -> Reply {
        let post = reqwest::Client::new().post(format!("{}/v1/graphql", self.running.url()));
        let post = post
            .header("X-Gateway-Admin-Secret", SECRET)
            .header("X-Gateway-Role", "user");
        let post = post.header("X-Gateway-User-Id", user.to_string());
        Reply::of(post.json(&json!({"query": query})))
            .await
            .unwrap()
    }

    /// Runs `postern events` with these arguments and returns its output.
    pub(super) async fn events(&self, arguments: &[&str]) -> tests::binary::Finished {
        let mut all = vec!["events"];
        all.extend(arguments);
        all.extend(["--database-url", self.database.url()]);
        let all: Vec<String> = all.into_iter().map(str::to_owned).collect();
        let run = move || tests::binary::run(&all.iter().map(String::as_str).collect::<Vec<_>>());
        tokio::task::spawn_blocking(run).await.unwrap().unwrap()
    }

    /// The event that `postern events show` prints.
    pub(super) async fn show(&self, id: &str) -> Value {
        let finished = self.events(&["show", id]).await;
        serde_json::from_str(&finished.out).unwrap_or_else(|_| panic!("{}", finished.err))
    }
}

/// A database with the tables.
pub(super) async fn migrated() -> TestDatabase {
    tests::create("events", &[SCHEMA, &gateway::plugins::migration_script()])
        .await
        .unwrap()
}

/// Starts a gateway over a database.
pub(super) async fn start(database: &TestDatabase, file: &str) -> GatewayHandle {
    let builder = Gateway::builder().settings(Settings::from_text("gateway.toml", file).unwrap());
    let builder = builder
        .database_url(database.url())
        .admin_secret(SECRET)
        .listen("127.0.0.1:0");
    builder
        .permissions_text("service.toml", PERMISSIONS)
        .start()
        .await
        .unwrap()
}

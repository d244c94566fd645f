//! Starts gateways with event triggers over a database of their own.

use std::ops::Deref;

use gateway::server::GatewayHandle;
use serde_json::{Value, json};
use tests::TestDatabase;
use tests::reply::Reply;
use tests::service::{self, ServiceBuilder};
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

const PERMISSIONS: &str = r#"
[naming]
convention = "snake"
[session]
user_id = "int4"
[table.orders.role.user]
select = { columns = "*", rows = "customer = session.user_id" }
insert = { columns = "*", check = "customer = session.user_id" }
"#;

/// A running gateway with event triggers.
pub(super) struct Service {
    service: service::Service,
    /// A connection for statements of the tests.
    pub(super) sql: Client,
}

impl Deref for Service {
    type Target = service::Service;

    fn deref(&self) -> &service::Service {
        &self.service
    }
}

impl Service {
    /// The gateway, its database, which outlives it, and the connection of the tests.
    pub(super) fn into_parts(self) -> (GatewayHandle, TestDatabase, Client) {
        let (gateway, database) = self.service.into_parts();
        (gateway, database, self.sql)
    }

    /// A service of a gateway that was started by other means.
    pub(super) fn from_parts(
        gateway: GatewayHandle,
        database: TestDatabase,
        sql: Client,
    ) -> Service {
        let service = service::Service::from_parts(gateway, database);
        Service { service, sql }
    }

    /// Starts a gateway with these tables in the settings file.
    pub(super) async fn start(file: &str) -> Service {
        let service = builder(file).start().await;
        let sql = service.database.connect().await.unwrap();
        Service { service, sql }
    }

    /// Runs SQL on the connection of the tests, which keeps its role and its transaction.
    pub(super) async fn run(&self, sql: &str) {
        self.sql.batch_execute(sql).await.unwrap();
    }

    /// Sends a document as the role `user` with this id.
    pub(super) async fn ask(&self, user: i32, query: &str) -> Reply {
        let request = self.by_session("user", &[("User-Id", &user.to_string())]);
        service::send(request.json(&json!({"query": query}))).await
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

/// A gateway with these tables in the settings file that has not been started.
pub(super) fn builder(file: &str) -> ServiceBuilder {
    let migrations = plugins::migration_script();
    let builder = service::Service::builder("events", &[SCHEMA, &migrations]);
    builder.permissions(PERMISSIONS).settings_file(file)
}

/// A database with the tables.
pub(super) async fn migrated() -> TestDatabase {
    builder("").create_database().await
}

/// Starts a gateway over a database.
pub(super) async fn start(database: &TestDatabase, file: &str) -> GatewayHandle {
    let builder = builder(file).gateway_builder(database.url());
    builder.start().await.unwrap()
}

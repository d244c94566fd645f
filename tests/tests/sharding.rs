//! Tests tables whose partitions are foreign tables of three databases (`postgres_fdw`): reads and
//! writes over one and several shards, row rules that leave one shard in the plan, subscriptions,
//! and a shard that is gone.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tests::TestDatabase;
use tests::binary;
use tests::reply::Reply;
use tests::service::{Service, send};
use tests::standby::Forwarder;
use tests::wait::until;

const REGIONS: [&str; 3] = ["eu", "us", "ap"];

/// The tables of a shard, with two orders of two lines each.
const SHARD: &str = "\
    CREATE TABLE orders (region text NOT NULL, id int NOT NULL, total numeric NOT NULL, \
      created_by int, PRIMARY KEY (region, id)); \
    CREATE TABLE lines (region text NOT NULL, order_id int NOT NULL, position int NOT NULL, \
      product text NOT NULL, PRIMARY KEY (region, order_id, position), \
      FOREIGN KEY (region, order_id) REFERENCES orders ON DELETE CASCADE);";

/// The same tables, without keys: a partitioned table with foreign partitions cannot have one.
const COORDINATOR: &str = "\
    CREATE EXTENSION postgres_fdw; \
    CREATE TABLE orders (region text NOT NULL, id int NOT NULL, total numeric NOT NULL, \
      created_by int) PARTITION BY LIST (region); \
    CREATE TABLE lines (region text NOT NULL, order_id int NOT NULL, position int NOT NULL, \
      product text NOT NULL) PARTITION BY LIST (region);";

const PERMISSIONS: &str = r#"
[naming]
convention = "snake"

[session]
region = "text"
user_id = "int"

[table.orders]
key = ["region", "id"]
[table.orders.relation]
lines = { table = "lines", on = { region = "region", id = "order_id" } }
[table.lines]
key = ["region", "order_id", "position"]
[table.lines.relation]
order = { table = "orders", on = { region = "region", order_id = "id" }, one = true }

[table.orders.role.clerk]
select = { columns = "*", rows = "region = session.region", aggregates = true }
insert = { columns = ["id", "total"], check = "true", preset = { region = "session.region", created_by = "session.user_id" } }
update = { columns = ["total"], rows = "region = session.region" }
delete = { rows = "region = session.region" }
[table.lines.role.clerk]
select = { columns = "*", rows = "region = session.region" }

[table.orders.role.office]
select = { columns = "*", rows = "true", aggregates = true }
insert = { columns = "*", check = "true" }
update = { columns = ["total"], rows = "true" }
delete = { rows = "true" }
[table.lines.role.office]
select = { columns = "*", rows = "true", aggregates = true }
"#;

struct Shard {
    database: TestDatabase,
    forwarder: Forwarder,
}

/// A gateway over the coordinator, and the shards, each behind a forwarder.
struct Sharded {
    service: Service,
    shards: Vec<Shard>,
}

/// Host, port, user, password and name of a database.
fn parts(url: &str) -> (u16, &str, &str, &str) {
    let (credentials, location) = url
        .strip_prefix("postgres://")
        .unwrap()
        .split_once('@')
        .unwrap();
    let (user, password) = credentials.split_once(':').unwrap();
    let (server, name) = location.split_once('/').unwrap();
    let port = server.rsplit_once(':').unwrap().1.parse().unwrap();
    (port, user, password, name)
}

impl Sharded {
    /// `None` where this installation of Postgres has no `postgres_fdw`.
    async fn start() -> Option<Sharded> {
        let coordinator = tests::create("coordinator", &[]).await.unwrap();
        let sql = coordinator.connect().await.unwrap();
        let available = "SELECT FROM pg_available_extensions WHERE name = 'postgres_fdw'";
        if sql.query(available, &[]).await.unwrap().is_empty() {
            eprintln!("skipped: this installation of Postgres has no `postgres_fdw`");
            return None;
        }
        sql.batch_execute(COORDINATOR).await.unwrap();
        let mut shards = vec![];
        for region in REGIONS {
            let rows = format!(
                "INSERT INTO orders VALUES ('{region}', 1, 10.5), ('{region}', 2, 20); \
                 INSERT INTO lines SELECT region, id, position, 'p' || position FROM orders, \
                 generate_series(1, 3) AS position;"
            );
            let database = tests::create("shard", &[SHARD, &rows]).await.unwrap();
            let (port, user, password, name) = parts(database.url());
            let forwarder = Forwarder::start(port).await.unwrap();
            let made = format!(
                "CREATE SERVER {region} FOREIGN DATA WRAPPER postgres_fdw OPTIONS (host \
                 '127.0.0.1', port '{}', dbname '{name}', connect_timeout '2'); \
                 CREATE USER MAPPING FOR CURRENT_USER SERVER {region} OPTIONS (user '{user}', \
                 password '{password}'); \
                 CREATE FOREIGN TABLE orders_{region} PARTITION OF orders FOR VALUES IN \
                 ('{region}') SERVER {region} OPTIONS (table_name 'orders'); \
                 CREATE FOREIGN TABLE lines_{region} PARTITION OF lines FOR VALUES IN \
                 ('{region}') SERVER {region} OPTIONS (table_name 'lines');",
                forwarder.port()
            );
            sql.batch_execute(&made).await.unwrap();
            shards.push(Shard {
                database,
                forwarder,
            });
        }
        let builder = Service::builder("coordinator", &[]).permissions(PERMISSIONS);
        let service = builder.start_over(coordinator).await.unwrap();
        Some(Sharded { service, shards })
    }

    /// Sends a document as a clerk of a region.
    async fn clerk(&self, region: &str, query: &str) -> Reply {
        let request = self
            .service
            .by_session("clerk", &[("Region", region), ("User-Id", "7")]);
        send(request.json(&json!({"query": query}))).await
    }

    /// The data of a response to the office, which sees all regions.
    async fn office(&self, query: &str) -> Value {
        let reply = self.service.ask("office", query).await;
        assert!(!reply.data().is_null(), "{}", reply.text);
        reply.data()
    }

    /// A value from a shard.
    async fn on_shard(&self, shard: usize, sql: &str) -> String {
        let client = self.shards[shard].database.connect().await.unwrap();
        let row = client
            .query_one(&format!("SELECT ({sql})::text"), &[])
            .await
            .unwrap();
        row.get(0)
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn shards_are_read_and_written_as_one_table() {
    let Some(sharded) = Sharded::start().await else {
        return;
    };
    // Lists, nested lists with a limit, rows by key and aggregates over all shards.
    let lists = sharded
        .office(
            "{ orders(order_by: [{id: desc}, {region: asc}], limit: 2) { region id lines(limit: \
             1, order_by: {position: desc}) { product order { total } } } \
             orders_by_pk(region: \"us\", id: 1) { total } \
             orders_aggregate { aggregate { count sum { total } } } }",
        )
        .await;
    let line = json!([{"product": "p3", "order": {"total": 20}}]);
    assert_eq!(
        lists,
        json!({
            "orders": [{"region": "ap", "id": 2, "lines": line}, {"region": "eu", "id": 2, "lines": line}],
            "orders_by_pk": {"total": 10.5},
            "orders_aggregate": {"aggregate": {"count": 6, "sum": {"total": 91.5}}},
        })
    );
    // One statement writes to all shards, another to one.
    let written = sharded
        .office(
            "mutation { insert_orders(objects: [{region: \"eu\", id: 3, total: 1}, {region: \
             \"us\", id: 3, total: 2}, {region: \"ap\", id: 3, total: 3}]) { affected_rows } \
             update_orders(where: {id: {_eq: 2}}, _inc: {total: 1}) { affected_rows returning { \
             region total } } \
             update_orders_by_pk(pk_columns: {region: \"ap\", id: 3}, _set: {total: 9}) { total } \
             delete_orders(where: {id: {_eq: 1}}) { affected_rows } }",
        )
        .await;
    let counts = ["insert_orders", "update_orders", "delete_orders"];
    assert_eq!(
        counts.map(|name| written[name]["affected_rows"].clone()),
        [3, 3, 3]
    );
    assert_eq!(written["update_orders_by_pk"], json!({"total": 9}));
    for (shard, rows) in [(0, "{2,3}"), (1, "{2,3}"), (2, "{2,3}")] {
        assert_eq!(
            sharded
                .on_shard(shard, "SELECT array_agg(id ORDER BY id) FROM orders")
                .await,
            rows
        );
    }
    // A failure on one shard undoes the whole mutation.
    let failed = sharded
        .service
        .ask(
            "office",
            "mutation { insert_orders(objects: [{region: \"eu\", id: 4, total: 1}, {region: \
             \"us\", id: 2, total: 2}]) { affected_rows } }",
        )
        .await;
    assert_eq!(
        failed.error().code,
        "constraint-violation",
        "{}",
        failed.text
    );
    let left = "SELECT count(*) FROM orders WHERE id = 4";
    assert_eq!(sharded.on_shard(0, left).await, "0");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn row_rules_and_presets_leave_one_shard() {
    let Some(sharded) = Sharded::start().await else {
        return;
    };
    let own = sharded
        .clerk(
            "us",
            "mutation { insert_orders_one(object: {id: 5, total: 4}) { region created_by } \
             update_orders(where: {id: {_eq: 1}}, _set: {total: 0}) { affected_rows } \
             delete_orders(where: {id: {_eq: 2}}) { affected_rows } }",
        )
        .await;
    assert_eq!(
        own.data(),
        json!({
            "insert_orders_one": {"region": "us", "created_by": 7},
            "update_orders": {"affected_rows": 1},
            "delete_orders": {"affected_rows": 1},
        }),
        "{}",
        own.text
    );
    let seen = sharded
        .clerk(
            "us",
            "{ orders(order_by: {id: asc}) { region id lines { position } } }",
        )
        .await;
    let lines = json!([{"position": 1}, {"position": 2}, {"position": 3}]);
    assert_eq!(
        seen.data(),
        json!({"orders": [{"region": "us", "id": 1, "lines": lines}, {"region": "us", "id": 5, "lines": []}]})
    );
    assert_eq!(
        sharded.on_shard(0, "SELECT count(*) FROM orders").await,
        "2"
    );
    // The plan reads the shard of the session's region alone.
    let folder = tempfile::tempdir().unwrap();
    let permissions = folder.path().join("permissions.toml");
    let document = folder.path().join("orders.graphql");
    std::fs::write(&permissions, PERMISSIONS).unwrap();
    std::fs::write(&document, "{ orders { id lines { product } } }").unwrap();
    let explained = binary::run(&[
        "explain",
        "--database-url",
        sharded.service.database.url(),
        "--permissions",
        permissions.to_str().unwrap(),
        "--role",
        "clerk",
        "--session",
        "region=eu",
        "--session",
        "user-id=7",
        "--analyze",
        document.to_str().unwrap(),
    ])
    .unwrap();
    let plan = &explained.out;
    assert!(
        plan.contains("orders_eu") && plan.contains("lines_eu"),
        "{plan}{}",
        explained.err
    );
    assert!(
        !plan.contains("orders_us") && !plan.contains("lines_ap"),
        "{plan}"
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn subscription_sees_a_write_on_a_shard() {
    let Some(sharded) = Sharded::start().await else {
        return;
    };
    let document = "subscription { orders(where: {id: {_eq: 1}}) { total } }";
    let request = sharded
        .service
        .by_session("clerk", &[("Region", "ap"), ("User-Id", "7")])
        .header("Accept", "text/event-stream")
        .json(&json!({"query": document}));
    let mut stream = request.send().await.unwrap();
    let mut read = String::new();
    let mut until_read = async |text: &str| {
        while !read.contains(text) {
            let chunk = tokio::time::timeout(Duration::from_secs(30), stream.chunk());
            let chunk = chunk.await.expect("a result").unwrap().expect("a chunk");
            read.push_str(&String::from_utf8_lossy(&chunk));
        }
    };
    until_read("10.5").await;
    let shard = sharded.shards[2].database.connect().await.unwrap();
    shard
        .batch_execute("UPDATE orders SET total = 77 WHERE id = 1")
        .await
        .unwrap();
    until_read("77").await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn shard_that_is_gone_fails_its_own_requests_alone() {
    let Some(sharded) = Sharded::start().await else {
        return;
    };
    let orders = "{ orders { id } }";
    assert_eq!(sharded.clerk("us", orders).await.status, 200);
    sharded.shards[1].forwarder.point_to(0);
    let failed = sharded.clerk("us", orders).await;
    let error = failed.error();
    assert_eq!(
        (error.code.as_str(), error.message.as_str()),
        (
            "unavailable",
            "a server that the database reads from is not available"
        ),
        "{}",
        failed.text
    );
    // Requests to the other shards go on meanwhile.
    let failing = async {
        let failed = sharded.service.ask("office", orders).await;
        assert_eq!(failed.error().code, "unavailable", "{}", failed.text);
    };
    let others = async {
        for region in ["eu", "ap"] {
            let began = Instant::now();
            let reply = sharded.clerk(region, orders).await;
            assert_eq!(reply.data()["orders"].as_array().unwrap().len(), 2);
            assert!(began.elapsed() < Duration::from_secs(2), "{region}");
        }
    };
    tokio::join!(failing, others);
    let (port, ..) = parts(sharded.shards[1].database.url());
    sharded.shards[1].forwarder.point_to(port);
    until("the shard answers again", async || {
        sharded.clerk("us", orders).await.status == 200
            && !sharded.clerk("us", orders).await.data().is_null()
    })
    .await;
}

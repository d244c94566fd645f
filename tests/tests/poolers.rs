//! Tests the gateway through real PgBouncers in session and transaction mode: the same answers as
//! without one, on every session of the server, and no state of one request in another.

use std::time::Duration;

use futures_util::future::join_all;
use gateway::config::Settings;
use gateway::server::GatewayHandle;
use serde_json::{Value, json};
use tests::TestDatabase;
use tests::pgbouncer::{PgBouncer, programs};
use tests::reply::Reply;
use tests::service::ADMIN_SECRET;

const SCHEMA: &str = r#"
CREATE SCHEMA own;
CREATE TABLE own.kinds (id int PRIMARY KEY, name text);
INSERT INTO own.kinds VALUES (1, 'one'), (2, 'two');
CREATE TABLE orders (
  id int PRIMARY KEY, customer int NOT NULL, kind int, lasted interval, at timestamptz, note text CHECK (note <> 'bad')
);
INSERT INTO orders SELECT n, n % 3, n % 2 + 1, n * interval '1 day 2 hours', '2024-01-01 00:00+00', 'n' || n
FROM generate_series(1, 30) n;
CREATE TABLE noted (event json);
CREATE FUNCTION note(event json) RETURNS void LANGUAGE sql AS 'INSERT INTO noted VALUES (event)';
"#;

/// Settings of the database, which it does not get from its template. They make texts of intervals
/// and times that the gateway could not read, unless its own settings hold on every session.
const SETTINGS: &str = r#"
DO $$ BEGIN
  EXECUTE format('ALTER DATABASE %I SET intervalstyle TO sql_standard', current_database());
  EXECUTE format('ALTER DATABASE %I SET datestyle TO ''German''', current_database());
  EXECUTE format('ALTER DATABASE %I SET timezone TO ''Asia/Tokyo''', current_database());
  EXECUTE format('ALTER DATABASE %I SET search_path TO public, own', current_database());
END $$;
"#;

/// The rule names a table of a schema that only the search path finds.
const PERMISSIONS: &str = r#"
[naming]
convention = "snake"
[session]
user_id = "int4"
[table.orders.role.user]
select = { columns = "*", rows = "customer = session.user_id AND EXISTS (SELECT FROM kinds WHERE kinds.id = kind)", aggregates = true }
insert = { columns = "*", check = "customer = session.user_id" }
update = { columns = ["note"], rows = "customer = session.user_id" }
delete = { rows = "customer = session.user_id" }
"#;

const EVENTS: &str = "[events]\npoll_seconds = 1\n[event.placed]\ntable = \"orders\"\ninsert = { \
                      columns = [\"id\"] }\nfunction = \"note\"\n";

/// Documents that read, with variables.
const READS: &[(&str, &str)] = &[
    (
        "query($n: Int) { orders(where: {id: {_gt: $n}}, order_by: {id: asc}, limit: 3) { id lasted \
      at note } }",
        "4",
    ),
    (
        "query($n: Int) { orders(where: {id: {_lt: $n}}, order_by: {id: desc}) { id } n: \
      orders_aggregate { aggregate { count } } }",
        "9",
    ),
    (
        "query($n: Int!) { orders_by_pk(id: $n) { note kind customer } }",
        "7",
    ),
    (
        "query($n: Int) { orders(where: {note: {_like: \"n1%\"}, id: {_neq: $n}}, order_by: {id: \
      asc}) { id note } }",
        "10",
    ),
];

async fn create_database() -> TestDatabase {
    let database = tests::create("pooled", &[SCHEMA, &plugins::migration_script()])
        .await
        .unwrap();
    database
        .connect()
        .await
        .unwrap()
        .batch_execute(SETTINGS)
        .await
        .unwrap();
    database
}

struct Service {
    gateway: GatewayHandle,
    database: TestDatabase,
    http: reqwest::Client,
    bouncer: Option<PgBouncer>,
}

impl Service {
    /// A gateway with these settings over a database of its own, through a pooler with these
    /// settings if there is one.
    async fn start(pooler: Option<(&std::path::Path, &str)>, settings: &[(&str, &str)]) -> Service {
        let database = create_database().await;
        let bouncer = pooler
            .map(|(program, lines)| PgBouncer::start(program, database.url(), lines).unwrap());
        let url = bouncer
            .as_ref()
            .map_or(database.url().to_owned(), |bouncer| {
                bouncer.url(database.url())
            });
        let running = try_start(&url, settings).await.unwrap();
        Service {
            gateway: running,
            database,
            http: reqwest::Client::new(),
            bouncer,
        }
    }

    fn post(&self, user: i32, query: &str, variables: &Value) -> reqwest::RequestBuilder {
        let post = self.http.post(format!("{}/v1/graphql", self.gateway.url()));
        let post = post
            .header("X-Gateway-Admin-Secret", ADMIN_SECRET)
            .header("X-Gateway-Role", "user");
        post.header("X-Gateway-User-Id", user.to_string())
            .json(&json!({"query": query, "variables": variables}))
    }

    async fn ask(&self, user: i32, query: &str, variables: Value) -> Reply {
        Reply::of(self.post(user, query, &variables)).await.unwrap()
    }

    /// All reads for all users, several at once, so that the pooler changes the sessions.
    async fn read_all(&self) -> Vec<String> {
        let asked = (0..4).flat_map(|round| (0..3).map(move |user| (round, user)));
        let asked =
            asked.flat_map(|(_, user)| READS.iter().map(move |(query, n)| (user, query, n)));
        let asked = asked
            .map(|(user, query, n)| self.ask(user, query, json!({"n": n.parse::<i32>().unwrap()})));
        join_all(asked)
            .await
            .into_iter()
            .map(|reply| reply.text)
            .collect()
    }
}

async fn try_start(
    url: &str,
    settings: &[(&str, &str)],
) -> Result<GatewayHandle, gateway::server::StartError> {
    let builder = tests::gateway().settings(Settings::from_text("gateway.toml", EVENTS).unwrap());
    let builder = builder
        .database_url(url)
        .admin_secret(ADMIN_SECRET)
        .listen("127.0.0.1:0");
    let builder = settings.iter().fold(builder, |builder, (name, value)| {
        builder.setting(name, value)
    });
    builder
        .permissions_text("pooled.toml", PERMISSIONS)
        .start()
        .await
}

/// Runs a test with each PgBouncer in each mode. The pool of the server is smaller than that of the
/// gateway.
async fn with_each(test: impl AsyncFn(Service, &str)) {
    let programs = programs();
    if programs.is_empty() {
        eprintln!("skipped: there is no `pgbouncer`; `scripts/setup.sh tests` installs it");
    }
    for (program, (major, minor)) in programs {
        let keeps = (major, minor) >= (1, 21);
        let few = "default_pool_size = 3\npool_mode =";
        let unkept = if keeps {
            "\nmax_prepared_statements = 0"
        } else {
            ""
        };
        let mut modes = vec![
            (format!("{few} transaction{unkept}"), "transaction", true),
            (
                format!("{few} transaction{unkept}\nignore_startup_parameters = options"),
                "auto",
                true,
            ),
            (
                "pool_mode = session\ndefault_pool_size = 20".to_owned(),
                "session",
                false,
            ),
            (
                "pool_mode = session\ndefault_pool_size = 20".to_owned(),
                "auto",
                true,
            ),
        ];
        if keeps {
            modes.push((
                format!("{few} transaction\nmax_prepared_statements = 20"),
                "auto",
                false,
            ));
            // Fewer than the gateway uses: the pooler prepares them again and again.
            modes.push((
                format!("{few} transaction\nmax_prepared_statements = 2"),
                "transaction",
                false,
            ));
        }
        for (lines, pooler, needs_direct) in modes {
            let what = format!("PgBouncer {major}.{minor}, {lines:?}, --pooler {pooler}");
            eprintln!("{what}");
            let service = if needs_direct {
                // The URL of the database is known only later, so the test's own cluster names it.
                Service::start_with_direct(&program, &lines, pooler).await
            } else {
                Service::start(
                    Some((&program, &lines)),
                    &[("pooler", pooler), ("pool-size", "8")],
                )
                .await
            };
            test(service, &what).await;
        }
    }
}

impl Service {
    async fn start_with_direct(program: &std::path::Path, lines: &str, pooler: &str) -> Service {
        let database = create_database().await;
        let bouncer = PgBouncer::start(program, database.url(), lines).unwrap();
        let settings = [
            ("pooler", pooler),
            ("pool-size", "8"),
            ("direct-url", database.url()),
        ];
        let running = try_start(&bouncer.url(database.url()), &settings)
            .await
            .unwrap();
        Service {
            gateway: running,
            database,
            http: reqwest::Client::new(),
            bouncer: Some(bouncer),
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn reads_answer_as_without_a_pooler() {
    let direct = Service::start(None, &[]).await;
    let expected = direct.read_all().await;
    assert!(expected[0].contains("6 days 12:00:00"), "{}", expected[0]);
    assert!(
        expected[0].contains("2024-01-01T00:00:00+00:00"),
        "{}",
        expected[0]
    );
    with_each(async |service, what| {
        assert_eq!(service.read_all().await, expected, "{what}");
        assert_eq!(service.read_all().await, expected, "{what}");
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn mutations_events_and_subscriptions_work_through_a_pooler() {
    with_each(async |service, what| {
        let ask = async |query: &str| service.ask(1, query, json!({})).await;
        let mut live = service.post(1, "subscription { orders_aggregate { aggregate { count } } }", &json!({}));
        live = live.header("Accept", "text/event-stream");
        let mut live = live.send().await.unwrap();
        let next = async |live: &mut reqwest::Response, count: i32| {
            let mut text = String::new();
let wanted = format!("\"count\":{count}");
            let read = async {
                while !text.contains(&wanted) {
                    text.push_str(&String::from_utf8_lossy(&live.chunk().await.unwrap().unwrap()));
                }
            };
            let read = tokio::time::timeout(Duration::from_secs(15), read).await;
            assert!(read.is_ok(), "{what}: no {wanted} in {text}");
        };
        next(&mut live, 10).await;
        let added = ask("mutation { a: insert_orders_one(object: {id: 101, customer: 1, kind: 1, \
                         lasted: \"P1D\"}) { id lasted } \
                         b: insert_orders(objects: [{id: 102, customer: 1, kind: 2}]) { \
                         affected_rows returning { id } } \
                         c: update_orders(where: {id: {_eq: 101}}, _set: {note: \"changed\"}) { \
                         returning { note } } }");
        let expected = json!({"a": {"id": 101, "lasted": "1 day"}, "b": {"affected_rows": 1, "returning": [{"id": 102}]},
            "c": {"returning": [{"note": "changed"}]}});
        let added = added.await;
        assert_eq!(added.data(), expected, "{what}: {}", added.text);
        next(&mut live, 12).await;
        // A failed step undoes the steps before it.
        let failed = ask("mutation { a: insert_orders_one(object: {id: 103, customer: 1, kind: \
                          1}) { id } \
                          b: insert_orders_one(object: {id: 104, customer: 1, kind: 1, note: \
                          \"bad\"}) { id } }").await;
        assert_eq!(failed.error().code, "constraint-violation", "{what}: {}", failed.text);
        let foreign = ask("mutation { insert_orders_one(object: {id: 105, customer: 2, kind: 1}) \
                           { id } }").await;
        assert_eq!(foreign.error().code, "permission-error", "{what}: {}", foreign.text);
        let sums = ask("{ orders(where: {id: {_gt: 100}}, order_by: {id: asc}) { id } }").await;
        assert_eq!(sums.data(), json!({"orders": [{"id": 101}, {"id": 102}]}), "{what}");
        // The same mutation again and again, at once.
        let many = (200..230).map(|id| {
            service.ask(1, "mutation($id: Int) { insert_orders_one(object: {id: $id, customer: \
                            1, kind: 1}) { id } }", json!({"id": id}))
        });
        for (id, reply) in (200..230).zip(join_all(many).await) {
            assert_eq!(reply.data(), json!({"insert_orders_one": {"id": id}}), "{what}: {}", reply.text);
        }
        next(&mut live, 42).await;
        service.database.until("(SELECT count(*) FROM noted) = 32").await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn altered_tables_cause_no_wrong_answer_through_a_pooler() {
    with_each(async |service, what| {
        let query = "{ orders_by_pk(id: 4) { note kind } }";
        for _ in 0..5 {
            assert_eq!(
                service.ask(1, query, json!({})).await.data(),
                json!({"orders_by_pk": {"note": "n4", "kind": 1}}),
                "{what}"
            );
        }
        let sql = service.database.connect().await.unwrap();
        sql.batch_execute(
            "ALTER TABLE orders ALTER kind TYPE text USING 'k' || kind; UPDATE \
                           own.kinds SET name = name",
        )
        .await
        .unwrap();
        sql.batch_execute("ALTER TABLE own.kinds ALTER id TYPE text USING 'k' || id")
            .await
            .unwrap();
        let expected = json!({"orders_by_pk": {"note": "n4", "kind": "k1"}});
        tests::wait::until("the catalog is read again", async || {
            let reply = service.ask(1, query, json!({})).await;
            assert!(
                reply.json()["errors"].is_array() || reply.data() == expected,
                "{what}: {}",
                reply.text
            );
            reply.data() == expected
        })
        .await;
    })
    .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn cancelled_statement_does_not_disturb_the_next_client() {
    with_each(async |service, what| {
        let sql = service.database.connect().await.unwrap();
        sql.batch_execute("BEGIN; LOCK orders").await.unwrap();
        let blocked = join_all((0..3).map(|_| {
            let request = service
                .post(1, "{ orders(limit: 1) { id } }", &json!({}))
                .timeout(Duration::from_millis(300));
            async { request.send().await.is_err() }
        }));
        assert_eq!(blocked.await, [true; 3], "{what}");
        sql.batch_execute("ROLLBACK").await.unwrap();
        for reply in
            join_all((0..20).map(|_| service.ask(1, "{ orders_by_pk(id: 4) { id } }", json!({}))))
                .await
        {
            let log = service
                .bouncer
                .as_ref()
                .map(PgBouncer::log)
                .unwrap_or_default();
            assert_eq!(
                reply.data(),
                json!({"orders_by_pk": {"id": 4}}),
                "{what}: {}\n{log}",
                reply.text
            );
        }
    })
    .await;
}

#[tokio::test]
async fn start_says_what_a_pooler_without_prepared_statements_needs() {
    let Some((program, _)) = programs()
        .into_iter()
        .find(|(_, version)| *version < (1, 21))
    else {
        return eprintln!("skipped: there is no `pgbouncer` older than 1.21");
    };
    let database = tests::create("pooled", &[SCHEMA]).await.unwrap();
    let bouncer = PgBouncer::start(&program, database.url(), "pool_mode = transaction").unwrap();
    let refused = try_start(&bouncer.url(database.url()), &[])
        .await
        .unwrap_err()
        .to_string();
    assert!(
        refused.contains("`--direct-url`") && refused.contains("`--pooler session`"),
        "{refused}"
    );
}

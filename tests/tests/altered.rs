//! Tests that a running gateway handles altered tables without a reload: responses are of the new
//! types or errors, and bytes of one type are never decoded as another. Later requests succeed.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use gateway::config::Settings;
use gateway::server::GatewayHandle;
use serde_json::{Value, json};
use tests::TestDatabase;
use tests::reply::Reply;
use tests::wait::until;

const SCHEMA: &str = "
    CREATE TYPE mood AS ENUM ('good', 'bad');
    CREATE DOMAIN share AS int4 CHECK (VALUE >= 0);
    CREATE TABLE makers (id int4 PRIMARY KEY, name text NOT NULL);
    CREATE TABLE parts (id int4 PRIMARY KEY, maker_id int4 NOT NULL REFERENCES makers, a int4, kept share, note text);
    INSERT INTO makers VALUES (1, 'one'), (2, 'two');
    INSERT INTO parts SELECT i, 1 + i % 2, 7, 3, 'note' FROM generate_series(1, 6) AS i;";

const SECRET: &str = "open sesame";
const PATIENCE: Duration = Duration::from_secs(60);

/// Queries that read the column in every position that encodes it, each with the JSON pointer of a
/// value in the response.
const READS: [(&str, &str); 8] = [
    ("{ parts { id a kept } }", "/data/parts/0/a"),
    ("{ parts_by_pk(id: 1) { a } }", "/data/parts_by_pk/a"),
    (
        "{ makers { name parts { id a kept } } }",
        "/data/makers/0/parts/0/a",
    ),
    (
        "{ makers(limit: 5) { name parts { id a kept } } }",
        "/data/makers/0/parts/0/a",
    ),
    (
        "{ makers { parts(limit: 1) { maker { parts { a } } } } }",
        "/data/makers/0/parts/0/maker/parts/0/a",
    ),
    (
        "{ parts_aggregate { aggregate { count } nodes { a } } }",
        "/data/parts_aggregate/nodes/0/a",
    ),
    (
        "{ one: parts(limit: 2) { a } two: parts_by_pk(id: 2) { a } }",
        "/data/two/a",
    ),
    (
        "{ parts(distinct_on: id, order_by: {id: asc}) { a } }",
        "/data/parts/0/a",
    ),
];

struct Place {
    database: TestDatabase,
    gateway: GatewayHandle,
    client: reqwest::Client,
}

impl Place {
    async fn new(extra: &[&str]) -> Place {
        let database = tests::create("altered", &[&[SCHEMA], extra].concat())
            .await
            .unwrap();
        let builder = tests::gateway()
            .database_url(database.url())
            .listen("127.0.0.1:0")
            .admin_secret(SECRET);
        let builder =
            builder.permissions_text("permissions.toml", "[naming]\nconvention = \"snake\"\n");
        let gateway = builder.setting("pool-size", "3").start().await.unwrap();
        Place {
            database,
            gateway,
            client: reqwest::Client::new(),
        }
    }

    async fn run(&self, sql: &str) {
        self.database
            .connect()
            .await
            .unwrap()
            .batch_execute(sql)
            .await
            .unwrap();
    }

    async fn ask(&self, query: &str) -> Reply {
        ask(&self.client, &self.gateway.url(), query).await
    }
}

async fn ask(client: &reqwest::Client, url: &str, query: &str) -> Reply {
    let request = client
        .post(format!("{url}/v1/graphql"))
        .header("X-Gateway-Admin-Secret", SECRET);
    Reply::of(request.json(&json!({"query": query})))
        .await
        .expect("no answer")
}

fn value(reply: &Reply) -> Value {
    serde_json::from_str(&reply.text).expect("an answer that is not JSON")
}

fn code(response: &Value) -> &str {
    response
        .pointer("/errors/0/extensions/code")
        .and_then(Value::as_str)
        .unwrap_or_default()
}

/// Repeats the query until the value at the pointer is `wanted`; errors with a clean code are
/// ignored until then.
async fn answers(location: &Place, query: &str, pointer: &str, wanted: &Value) {
    let end = Instant::now() + PATIENCE;
    loop {
        let response = value(&location.ask(query).await);
        if response.pointer(pointer) == Some(wanted) {
            return;
        }
        assert!(
            matches!(code(&response), "unavailable" | "unexpected"),
            "{query}: {response}"
        );
        assert!(
            Instant::now() < end,
            "still not {wanted}: {query}: {response}"
        );
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn altered_column_is_returned_in_its_new_type() {
    let location = Place::new(&[]).await;
    let uuid = "6b0e2f3a-0000-4000-8000-000000000001";
    let changes = [
        ("SELECT".to_owned(), json!(7)),
        (
            "ALTER TABLE parts ALTER a TYPE text USING 'abcd'".to_owned(),
            json!("abcd"),
        ),
        (
            format!("ALTER TABLE parts ALTER a TYPE uuid USING '{uuid}'::uuid"),
            json!(uuid),
        ),
        (
            "ALTER TABLE parts ALTER a TYPE int8 USING 5000000000".to_owned(),
            json!(5_000_000_000_u64),
        ),
        (
            "ALTER TABLE parts ALTER a TYPE share USING 4".to_owned(),
            json!(4),
        ),
        (
            "ALTER TABLE parts ALTER a TYPE json USING '[1]'::json".to_owned(),
            json!([1]),
        ),
        (
            "ALTER TABLE parts ALTER a TYPE text USING 'no JSON'".to_owned(),
            json!("no JSON"),
        ),
        (
            "ALTER TABLE parts ALTER a TYPE mood USING 'good'::mood".to_owned(),
            json!("good"),
        ),
        (
            "ALTER TYPE mood RENAME VALUE 'good' TO 'fine'".to_owned(),
            json!("fine"),
        ),
    ];
    for (change, wanted) in changes {
        location.run(&change).await;
        for (query, pointer) in READS {
            answers(&location, query, pointer, &wanted).await;
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn mutation_returns_altered_column_in_its_new_type() {
    let location = Place::new(&[]).await;
    let update =
        "mutation { update_parts_by_pk(pk_columns: {id: 1}, _set: {note: \"new\"}) { a } }";
    let returning = "mutation { update_parts(where: {id: {_eq: 1}}, _set: {note: \"new\"}) { \
                     returning { a maker { parts { a } } } } }";
    answers(&location, update, "/data/update_parts_by_pk/a", &json!(7)).await;
    answers(
        &location,
        returning,
        "/data/update_parts/returning/0/a",
        &json!(7),
    )
    .await;
    location
        .run("ALTER TABLE parts ALTER a TYPE text USING 'abcd'")
        .await;
    answers(
        &location,
        update,
        "/data/update_parts_by_pk/a",
        &json!("abcd"),
    )
    .await;
    answers(
        &location,
        returning,
        "/data/update_parts/returning/0/maker/parts/0/a",
        &json!("abcd"),
    )
    .await;
    location
        .run("ALTER TABLE parts ALTER a TYPE int4 USING 8")
        .await;
    answers(&location, update, "/data/update_parts_by_pk/a", &json!(8)).await;
    let insert = "mutation { insert_parts_one(object: {id: 10, maker_id: 1, a: 9}) { a } }";
    answers(&location, insert, "/data/insert_parts_one/a", &json!(9)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn lists_keep_their_rows_when_a_key_column_changes_type() {
    let location = Place::new(&[]).await;
    let query = "{ makers(limit: 5, order_by: {id: asc}) { parts(order_by: {id: asc}) { id } } }";
    let wanted = value(&location.ask(query).await);
    assert_eq!(wanted.pointer("/data/makers/1/parts/0/id"), Some(&json!(1)));
    location
        .run("ALTER TABLE parts ALTER maker_id TYPE int8")
        .await;
    answers(&location, query, "/data", &wanted["data"]).await;
    location.run("ALTER TABLE makers ALTER id TYPE int8").await;
    answers(&location, query, "/data", &wanted["data"]).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn dropped_column_is_not_a_field() {
    let location = Place::new(&[]).await;
    for (query, pointer) in READS {
        answers(&location, query, pointer, &json!(7)).await;
    }
    location.run("ALTER TABLE parts DROP COLUMN a").await;
    for (query, _) in READS {
        let response = value(&location.ask(query).await);
        assert_eq!(code(&response), "validation-failed", "{query}: {response}");
    }
    location
        .run("ALTER TABLE parts ADD COLUMN a int4; UPDATE parts SET a = 1")
        .await;
    location.run("DROP TABLE parts").await;
    let response_value = value(&location.ask("{ parts { id } }").await);
    assert!(
        matches!(
            code(&response_value),
            "validation-failed" | "unavailable" | "unexpected"
        ),
        "{response_value}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn concurrent_alterations_never_mix_types() {
    let location = Place::new(&[]).await;
    let stop = Arc::new(AtomicBool::new(false));
    let answered: Vec<Arc<AtomicUsize>> = (0..7).map(|_| Arc::default()).collect();
    let clients: Vec<_> = READS[..7]
        .iter()
        .zip(&answered)
        .map(|((query, pointer), answered)| {
            let client = location.client.clone();
            let url = location.gateway.url();
            let stop = stop.clone();
            let answered = answered.clone();
            tokio::spawn(async move {
                let mut right = 0;
                let mut seen = Vec::new();
                while !stop.load(Ordering::Relaxed) {
                    let response = value(&ask(&client, &url, query).await);
                    answered.fetch_add(1, Ordering::Relaxed);
                    match response.pointer(pointer) {
                        Some(value) if !seen.contains(value) => seen.push(value.clone()),
                        Some(_) => right += 1,
                        None => assert!(
                            matches!(code(&response), "unavailable" | "unexpected" | "conflict"),
                            "{query}: {response}"
                        ),
                    }
                }
                (right, seen)
            })
        })
        .collect();
    for change in [
        "TYPE text USING 'abcd'",
        "TYPE int8 USING 9",
        "TYPE text USING 'efgh'",
        "TYPE int4 USING 7",
    ] {
        location
            .run(&format!("ALTER TABLE parts ALTER a {change}"))
            .await;
        // Every client has been answered before the next change, several times on average.
        let before: Vec<usize> = answered
            .iter()
            .map(|count| count.load(Ordering::Relaxed))
            .collect();
        until("every client is answered", async || {
            answered
                .iter()
                .zip(&before)
                .all(|(count, before)| count.load(Ordering::Relaxed) > before + 1)
        })
        .await;
    }
    for (query, pointer) in &READS[..7] {
        answers(&location, query, pointer, &json!(7)).await;
    }
    stop.store(true, Ordering::Relaxed);
    let right = [json!(7), json!("abcd"), json!(9), json!("efgh")];
    for client in clients {
        let (count, seen) = client.await.unwrap();
        // A statement that uses the column only in a condition returns the text of either type.
        let texts = ["7", "9"].map(|text| json!(text));
        assert!(
            count > 0
                && seen
                    .iter()
                    .all(|value| right.contains(value) || texts.contains(value)),
            "{seen:?}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn event_trigger_reloads_the_gateway() {
    let watch = gateway::migrations::WATCH;
    let location = Place::new(&["CREATE SCHEMA postern", watch]).await;
    // A query of an unknown field runs no statement, so only the notification can cause the reload.
    let query = "{ boxes { id } }";
    assert_eq!(
        code(&value(&location.ask(query).await)),
        "validation-failed"
    );
    let end = Instant::now() + PATIENCE;
    location
        .run("CREATE TABLE boxes (id int4 PRIMARY KEY)")
        .await;
    while value(&location.ask(query).await)
        .pointer("/data/boxes")
        .is_none()
    {
        // The gateway may start to listen only after the table was created.
        location.run("COMMENT ON TABLE boxes IS 'made'").await;
        assert!(Instant::now() < end, "no reload");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn event_trigger_of_the_database_that_a_reload_leads_to_reloads_the_gateway() {
    let scripts = [SCHEMA, "CREATE SCHEMA postern", gateway::migrations::WATCH];
    let first = tests::create("altered", &scripts).await.unwrap();
    let second = tests::create("altered", &scripts).await.unwrap();
    let url = Arc::new(Mutex::new(first.url().to_owned()));
    let known = url.clone();
    let settings = move || {
        let mut settings = Settings::from_text("gateway.toml", "")?;
        let url = known.lock().unwrap().clone();
        for (name, value) in [
            ("database-url", url.as_str()),
            ("listen", "127.0.0.1:0"),
            ("admin-secret", SECRET),
        ] {
            settings.set(name, value)?;
        }
        Ok(settings)
    };
    let permissions = "[naming]\nconvention = \"snake\"\n";
    let builder = tests::gateway()
        .settings_from(settings)
        .permissions_text("permissions.toml", permissions);
    let gateway = builder.start().await.unwrap();
    let listens = "EXISTS (SELECT FROM pg_stat_activity WHERE query LIKE 'LISTEN %postern_reload%' \
                   AND datname = current_database())";
    first.until(listens).await;
    *url.lock().unwrap() = second.url().to_owned();
    gateway.reload().await.unwrap();
    second.until(listens).await;
    first.until(&format!("NOT {listens}")).await;
    let client = second.connect().await.unwrap();
    client
        .batch_execute("CREATE TABLE boxes (id int4 PRIMARY KEY)")
        .await
        .unwrap();
    let http = reqwest::Client::new();
    until("the gateway knows the table", async || {
        value(&ask(&http, &gateway.url(), "{ boxes { id } }").await)
            .pointer("/data/boxes")
            .is_some()
    })
    .await;
}

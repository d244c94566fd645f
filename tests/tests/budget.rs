//! Tests lists within lists that multiply: the planner's estimate is checked once per plan, and a
//! limit on the size of what Postgres builds is enforced while it is built, whatever the estimate
//! was.

use std::collections::HashMap;

use gateway::config::Settings;
use gateway::server::GatewayHandle;
use serde_json::{Value, json};
use tests::TestDatabase;
use tests::reply::Reply;

/// Each maker has 60 parts, so that eight levels are 60 to the power of four rows for each of them,
/// and more. No statistics exist until a test runs `ANALYZE`.
const SCHEMA: &str = "
    CREATE TABLE makers (id int4 PRIMARY KEY, name text NOT NULL);
    CREATE TABLE parts (id int4 PRIMARY KEY, maker_id int4 NOT NULL REFERENCES makers, note text NOT NULL);
    CREATE INDEX ON parts (maker_id);
    CREATE FUNCTION parts_of(maker int4) RETURNS SETOF parts STABLE LANGUAGE sql AS 'SELECT * FROM parts WHERE maker_id = maker';
    INSERT INTO makers SELECT i, 'maker ' || i FROM generate_series(1, 40) AS i;
    INSERT INTO parts SELECT i, 1 + i % 40, repeat('wide ', 20) FROM generate_series(1, 2400) AS i;";

const SECRET: &str = "open sesame";

/// How much a backend's memory may grow because of a refused request.
const GROWTH: u64 = 50 << 20;

struct Place {
    database: TestDatabase,
    gateway: GatewayHandle,
    client: reqwest::Client,
}

impl Place {
    async fn new(settings: &str, extra: &str) -> Place {
        let database = tests::create("budget", &[SCHEMA, extra]).await.unwrap();
        let settings = Settings::from_text("gateway.toml", settings).unwrap();
        let builder = tests::gateway()
            .settings(settings)
            .database_url(database.url())
            .listen("127.0.0.1:0");
        let permissions = "[naming]\nconvention = \"snake\"\n\n\
                           [table.makers]\nconnection = true\n[table.makers.role.reader]\nselect \
                           = { columns = \"*\", rows = \"true\", aggregates = true }\n\
                           [table.parts]\nconnection = true\n[table.parts.role.reader]\nselect = \
                           { columns = \"*\", rows = \"true\", aggregates = true }\n\
                           update = { columns = [\"note\"], rows = \"true\", check = \"true\" }\n";
        let builder = builder
            .admin_secret(SECRET)
            .permissions_text("permissions.toml", permissions);
        let gateway = builder.setting("pool-size", "1").start().await.unwrap();
        Place {
            database,
            gateway,
            client: reqwest::Client::new(),
        }
    }

    async fn ask(&self, query: &str) -> Value {
        let request = self
            .client
            .post(format!("{}/v1/graphql", self.gateway.url()));
        let request = request
            .header("X-Gateway-Admin-Secret", SECRET)
            .header("X-Gateway-Role", "reader");
        Reply::of(request.json(&json!({"query": query})))
            .await
            .unwrap()
            .json()
    }

    /// The peak memory of each of the gateway's backends so far, in bytes.
    async fn peaks(&self) -> HashMap<i32, u64> {
        let client = self.database.connect().await.unwrap();
        let found = "SELECT pid FROM pg_stat_activity WHERE application_name = 'postern' AND \
                     datname = current_database()";
        let backends = client.query(found, &[]).await.unwrap();
        let peak = |pid: i32| {
            let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
            let line = status
                .lines()
                .find_map(|line| line.strip_prefix("VmHWM:"))?
                .trim()
                .strip_suffix(" kB")?;
            Some(line.trim().parse::<u64>().ok()? << 10)
        };
        backends
            .iter()
            .filter_map(|row| Some((row.get(0), peak(row.get(0))?)))
            .collect()
    }
}

fn message(response: &Value) -> &str {
    response
        .pointer("/errors/0/message")
        .and_then(Value::as_str)
        .unwrap_or_default()
}

fn code(response: &Value) -> &str {
    response
        .pointer("/errors/0/extensions/code")
        .and_then(Value::as_str)
        .unwrap_or_default()
}

/// The attack: `times` levels of `parts { maker … }`, relations in both directions.
fn deep(times: usize) -> String {
    (0..times).fold("{ id }".to_owned(), |inner, _| {
        format!("{{ parts {{ maker {inner} }} }}")
    })
}

/// Large limits on rows and costs, so that nothing is refused beforehand; a smaller response limit,
/// so that refusing takes less time.
const UNBOUNDED: &str =
    "row_limit = 1000000000000\ncost_limit = 1000000000000\nanswer_limit = 16777216\n";

#[tokio::test(flavor = "multi_thread")]
async fn multiplying_lists_are_refused_without_growing_the_backend() {
    let location = Place::new(UNBOUNDED, "").await;
    let aggregates = (0..4).fold("{ id }".to_owned(), |inner, _| {
        format!("{{ parts_aggregate {{ nodes {{ maker {inner} }} }} }}")
    });
    let limited = (0..4).fold("{ id }".to_owned(), |inner, _| {
        format!("{{ parts(limit: 1001) {{ maker {inner} }} }}")
    });
    let beside = (0..3).fold("{ id }".to_owned(), |inner, _| {
        format!(
            "{{ a: parts(order_by: {{id: asc}}) {{ maker {inner} }} b: parts(limit: 2000) {{ \
                 maker {inner} }} }}"
        )
    });
    let wide = "{ parts { note a: note b: note c: note maker { parts { note a: note b: note \
                maker { parts { note a: note \
                b: note c: note d: note maker { parts { note a: note b: note c: note d: note } } \
                } } } } } }";
    let returning = format!(
        "mutation {{ update_parts(where: {{}}, _set: {{note: \"x\"}}) {{ \
                             returning {{ maker {} }} }} }}",
        deep(4)
    );
    let documents = [
        format!("{{ makers {} }}", deep(4)),
        format!("{{ makers {aggregates} }}"),
        format!("{{ makers {limited} }}"),
        format!("{{ makers {beside} }}"),
        format!("{{ makers {wide} }}"),
        format!("{{ makers_aggregate {{ nodes {} }} }}", deep(4)),
        returning,
    ];
    // Warms up the connections, so that their usual memory is not attributed to the document.
    location
        .ask("{ makers { parts { maker { parts { id } } } } }")
        .await;
    let before = location.peaks().await;
    for document in documents {
        let response = location.ask(&document).await;
        assert_eq!(
            code(&response),
            "limit-exceeded",
            "{document}: {}",
            &response.to_string()[..200.min(response.to_string().len())]
        );
        for (pid, peak) in location.peaks().await {
            let grown = peak.saturating_sub(before.get(&pid).copied().unwrap_or_default());
            assert!(grown < GROWTH, "{document}: {} MiB", grown >> 20);
        }
    }
    let left: i64 = location
        .database
        .connect()
        .await
        .unwrap()
        .query_one("SELECT count(*) FROM parts WHERE note = 'x'", &[])
        .await
        .unwrap()
        .get(0);
    assert_eq!(left, 0, "a mutation whose answer is too long is undone");
}

#[tokio::test(flavor = "multi_thread")]
async fn lists_within_the_limit_are_complete() {
    let location = Place::new(UNBOUNDED, "").await;
    let query = "{ makers(order_by: {id: asc}) { id parts(order_by: {id: desc}) { id maker { \
                 parts(order_by: {id: asc}, offset: 58) { id } } } } }";
    let response = location.ask(query).await;
    let makers = response["data"]["makers"].as_array().unwrap();
    assert_eq!(makers.len(), 40);
    for maker in makers {
        let id = maker["id"].as_i64().unwrap();
        let parts = maker["parts"].as_array().unwrap();
        let ids: Vec<i64> = (1..=2400)
            .rev()
            .filter(|part| 1 + part % 40 == id)
            .collect();
        assert_eq!(
            parts
                .iter()
                .map(|part| part["id"].as_i64().unwrap())
                .collect::<Vec<_>>(),
            ids
        );
        let last: Vec<i64> = ids.iter().rev().copied().skip(58).collect();
        for part in parts {
            let inner = part["maker"]["parts"].as_array().unwrap();
            assert_eq!(
                inner
                    .iter()
                    .map(|part| part["id"].as_i64().unwrap())
                    .collect::<Vec<_>>(),
                last
            );
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn planner_estimates_are_limited_by_role() {
    let settings = "[bounds]\nrows = 100000\n[bounds.role.admin]\nrows = 1\n";
    let location = Place::new(settings, "").await;
    let attack = format!("{{ makers {} }}", deep(4));
    for _ in 0..2 {
        let response = location.ask(&attack).await;
        assert_eq!(
            (
                code(&response),
                message(&response).contains("more rows than the limit of 100000")
            ),
            ("limit-exceeded", true),
            "{response}"
        );
    }
    let response_value = location
        .ask("{ makers { parts { id } } parts { id } }")
        .await;
    assert!(
        response_value["data"]["parts"].is_array(),
        "{response_value}"
    );
    let costly = Place::new("cost_limit = 20\n", "ANALYZE").await;
    let reply_body = costly.ask("{ parts { id note } }").await;
    assert!(
        message(&reply_body).contains("costs more than the limit of 20"),
        "{reply_body}"
    );
    // A statement that always reads few rows is not checked against the estimate.
    let answer = costly.ask("{ parts_by_pk(id: 7) { id } }").await;
    assert_eq!(answer["data"]["parts_by_pk"]["id"], 7);
}

#[tokio::test(flavor = "multi_thread")]
async fn measured_row_limit_is_counted_and_response_limit_still_applies() {
    let location = Place::new("[bounds]\nrows = 10\nmeasure = [\"rows\"]\n", "ANALYZE").await;
    let response = location.ask("{ parts { id } }").await;
    assert_eq!(
        response["data"]["parts"].as_array().map(Vec::len),
        Some(2400)
    );
    let metrics = location
        .client
        .get(format!("{}/metrics", location.gateway.url()))
        .send()
        .await
        .unwrap()
        .text()
        .await
        .unwrap();
    let counted = metrics
        .lines()
        .find(|line| line.contains("bound=\"rows\""))
        .unwrap_or_default();
    assert!(
        counted.contains("mode=\"measure\"") && counted.ends_with(" 1"),
        "{metrics}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn cost_check_does_not_depend_on_the_first_values() {
    let location = Place::new("cost_limit = 60\n", "ANALYZE").await;
    let query = "query($ids: [Int!]!) { parts(where: {id: {_in: $ids}}) { id note } }";
    let ask = async |ids: Vec<i32>| {
        let request = location
            .client
            .post(format!("{}/v1/graphql", location.gateway.url()));
        let request = request
            .header("X-Gateway-Admin-Secret", SECRET)
            .header("X-Gateway-Role", "reader");
        Reply::of(request.json(&json!({"query": query, "variables": {"ids": ids}})))
            .await
            .unwrap()
            .json()
    };
    let few = ask(vec![1]).await;
    let many = ask((1..1000).collect()).await;
    assert_eq!(code(&few), code(&many), "{few} {many}");
}

/// Two makers with 50 parts each are within the limit, and forty are not: in lists, connections and
/// live queries.
#[tokio::test(flavor = "multi_thread")]
async fn estimates_count_the_rows_that_limits_leave() {
    let location = Place::new("[bounds]\nrows = 500\n", "ANALYZE").await;
    let first_event = async |query: &str| {
        let request = location
            .client
            .post(format!("{}/v1/graphql", location.gateway.url()));
        let request = request
            .header("X-Gateway-Admin-Secret", SECRET)
            .header("X-Gateway-Role", "reader");
        let request = request
            .header("accept", "text/event-stream")
            .json(&json!({"query": query}));
        let mut response = request.send().await.unwrap();
        let mut text = String::new();
        while !text.contains("\n\n") || !text.contains("data: ") {
            text += &String::from_utf8_lossy(&response.chunk().await.unwrap().unwrap_or_default());
        }
        text
    };
    for (few, is_within) in [(2, true), (40, false)] {
        let lists = [
            format!("makers(limit: {few}) {{ id parts(limit: 50) {{ id }} }}"),
            format!(
                "makers(limit: {few}, order_by: {{name: asc}}) {{ id parts(limit: 50, \
                     order_by: {{id: desc}}) {{ id }} }}"
            ),
            format!(
                "makers_connection(first: {few}) {{ edges {{ node {{ id parts(limit: 50) {{ \
                     id }} }} }} }}"
            ),
            format!(
                "makers_connection(first: {few}) {{ nodes {{ parts_connection(first: 50) {{ \
                     nodes {{ id }} }} }} }}"
            ),
            format!(
                "makers_aggregate(limit: {few}) {{ nodes {{ id parts(limit: 50) {{ id }} }} }}"
            ),
        ];
        for list in lists {
            let response_value = location.ask(&format!("{{ {list} }}")).await;
            assert_eq!(
                code(&response_value) != "limit-exceeded",
                is_within,
                "{list}: {response_value}"
            );
            assert_eq!(
                response_value["data"].is_object(),
                is_within,
                "{list}: {response_value}"
            );
            let event = first_event(&format!("subscription {{ {list} }}")).await;
            assert_eq!(
                event.contains("limit-exceeded"),
                !is_within,
                "{list}: {event}"
            );
            assert_eq!(event.contains("\"data\""), is_within, "{list}: {event}");
        }
    }
}

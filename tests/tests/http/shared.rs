//! Tests the read cache and shared reads: no caller gets a response of another caller's, or one
//! from before their own write, and statements are saved.

use futures_util::{StreamExt, stream};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use serde_json::{Value, json};
use tests::reply::Reply;
use tests::service::ADMIN_SECRET;
use tests::wait::until;
use tokio_postgres::NoTls;

use super::service::{Service, send};

const TABLES: &str = "
CREATE TABLE teams (id int PRIMARY KEY, name text NOT NULL);
CREATE TABLE members (team_id int REFERENCES teams, user_id int, PRIMARY KEY (team_id, user_id));
CREATE TABLE notes (
  id int PRIMARY KEY,
  owner int NOT NULL,
  team_id int NOT NULL REFERENCES teams,
  text text NOT NULL,
  secret text NOT NULL
);
INSERT INTO teams SELECT g, 'team ' || g FROM generate_series(1, 3) g;
INSERT INTO members SELECT t, u FROM generate_series(1, 3) t, generate_series(1, 6) u WHERE (t + u) % 2 = 0;
INSERT INTO notes SELECT g, g % 6 + 1, g % 3 + 1, 'note ' || g, 'secret ' || g FROM generate_series(1, 40) g;
CREATE FUNCTION greet(caller json) RETURNS text LANGUAGE sql STABLE AS $$ SELECT 'hello ' || caller::text $$;
CREATE FUNCTION of_caller(first int, caller json) RETURNS SETOF notes LANGUAGE sql STABLE AS $$
  SELECT * FROM notes WHERE id >= first AND owner = (caller ->> 'x-gateway-user-id')::int $$;

CREATE SEQUENCE statements;
CREATE VIEW ticks AS SELECT 1 AS id, nextval('statements') AS tick;
-- Waits for the holder of the lock.
CREATE VIEW gate AS SELECT 1 AS id, pg_advisory_xact_lock_shared(7)::text AS opened;
-- What a database may ask beside parameters.
CREATE VIEW around AS SELECT 1 AS id, current_setting('app.user_id', true) AS setting, current_user::text AS by;
CREATE FUNCTION draw() RETURNS bigint LANGUAGE sql VOLATILE AS $$ SELECT nextval('statements') $$;
CREATE TABLE journal (id int PRIMARY KEY);
";

const RULES: &str = r#"
[naming]
convention = "snake"

[session]
user_id = "int"
team_ids = "int[]"
hint = "text"

[settings]
"app.user_id" = "session.user_id"

[rules.member_of]
args = ["team"]
sql = "EXISTS (SELECT FROM members m WHERE m.team_id = team AND m.user_id = session.user_id)"

[table.notes]
[table.notes.relation]
team = { column = "team_id" }
[table.around.role.owner]
select = { columns = "*", rows = "true" }
[table.around.role.everybody]
select = { columns = "*", rows = "setting IS NULL OR setting = ''" }
[table.teams.relation]
notes = { table = "notes", column = "team_id" }

[table.notes.role.owner]
select = { columns = "*", rows = "owner = session.user_id", aggregates = true }
[table.teams.role.owner]
select = { columns = "*", rows = "true" }

[table.notes.role.member]
select = { columns = "*", rows = "member_of(team_id)", aggregates = true, mask = { secret = "CASE WHEN owner = session.user_id THEN secret ELSE session.hint END" } }
[table.teams.role.member]
select = { columns = "*", rows = "member_of(id)" }

[table.notes.role.team]
select = { columns = ["id", "text", "team_id"], rows = "team_id = ANY (session.team_ids)", aggregates = true }
[table.teams.role.team]
select = { columns = "*", rows = "id = ANY (session.team_ids)" }

[table.notes.role.everybody]
select = { columns = ["id", "text"], rows = "true", aggregates = true }

[function.greet]
session = "caller"
roles = ["owner", "member", "everybody"]
[function.of_caller]
session = "caller"
roles = ["owner", "member"]

[function.draw]
as = "query"
roles = ["everybody"]

[table.ticks.role.everybody]
select = { columns = "*", rows = "true" }
[table.gate.role.everybody]
select = { columns = "*", rows = "true" }
[table.journal.role.everybody]
select = { columns = "*", rows = "true" }
insert = { columns = ["id"], check = "true" }
"#;

const CACHE: &str = "\
                     pool_size = 2\n[cache.operation.Stored]\nseconds = \
                     600\n[cache.operation.Shared]\nshare = true\n\
                     [cache.operation.Brief]\nseconds = 0.3\n";

async fn service() -> Service {
    Service::of_tables(TABLES, RULES, CACHE).await
}

/// A caller.
#[derive(Clone, Debug)]
struct Caller {
    role: &'static str,
    values: Vec<(&'static str, String)>,
}

impl Caller {
    fn everybody() -> Caller {
        Caller {
            role: "everybody",
            values: vec![],
        }
    }

    async fn ask(&self, service: &Service, body: &Value) -> Reply {
        let request = service
            .post()
            .header("X-Gateway-Admin-Secret", ADMIN_SECRET)
            .header("X-Gateway-Role", self.role);
        let named = self.values.iter();
        let request = named.fold(request, |request, (name, value)| {
            request.header(format!("X-Gateway-{name}"), value)
        });
        send(request.json(body)).await
    }
}

/// Documents after the name of their operation, with the variables that they take. The names have
/// one length, because errors contain columns.
const DOCUMENTS: [&str; 10] = [
    "($n: Int!) { notes(order_by: {id: asc}, limit: $n) { id text } }",
    "($n: Int!) { notes(where: {id: {_gt: $n}}, order_by: {id: desc}) { id } }",
    "($n: Int!) { notes(order_by: {id: asc}, offset: $n) { id secret } }",
    "($w: notes_bool_exp!) { other: notes(where: $w, order_by: {id: asc}) { text } }",
    "($w: notes_bool_exp!) { notes_aggregate(where: $w) { aggregate { count max { id } } } }",
    "($n: Int!) { teams(order_by: {id: asc}) { name notes(where: {id: {_lt: $n}}, order_by: {id: \
     asc}) { id } } }",
    "($n: Int!) { notes_by_pk(id: $n) { id owner team { name } } }",
    "{ greet }",
    "{ around { id setting by } }",
    "($n: Int!) { of_caller(args: {first: $n}, order_by: {id: asc}) { id owner } }",
];

/// A document and its variables, and the caller.
fn generated_requests() -> impl Strategy<Value = (Caller, &'static str, Value)> {
    let role = prop::sample::select(vec!["owner", "member", "team", "everybody"]);
    let user =
        prop_oneof![9 => (1..7).prop_map(|user: i32| Some(user.to_string())), 1 => Just(None)];
    let teams = prop_oneof![
        prop::sample::select(vec!["{1}", "{2}", "{1,2}", "{1,2,3}", "{}"])
            .prop_map(|teams| Some(teams.to_owned())),
        Just(None)
    ];
    let hint = prop::sample::select(vec!["none", "hidden", ""]);
    let caller = (role, user, teams, hint).prop_map(|(role, user, teams, hint)| {
        let given = [
            ("User-Id", user),
            ("Team-Ids", teams),
            ("Hint", Some(hint.to_owned())),
        ];
        Caller {
            role,
            values: given
                .into_iter()
                .filter_map(|(name, value)| Some((name, value?)))
                .collect(),
        }
    });
    let filters = vec![
        json!({}),
        json!({"id": {"_lt": 9}}),
        json!({"id": {"_gt": 9}}),
        json!({"text": {"_eq": "note 3"}}),
    ];
    let variables = (1..5, prop::sample::select(filters));
    (caller, prop::sample::select(DOCUMENTS.to_vec()), variables).prop_map(
        |(caller, document, (n, filter))| {
            let given = [("$n", "n", json!(n)), ("$w", "w", filter)];
            let taken = given
                .into_iter()
                .filter(|(sign, _, _)| document.contains(sign));
            (
                caller,
                document,
                taken
                    .map(|(_, name, value)| (name.to_owned(), value))
                    .collect::<serde_json::Map<_, _>>()
                    .into(),
            )
        },
    )
}

#[tokio::test]
async fn shared_reads_never_return_another_callers_response() {
    let service = service().await;
    let mut runner = TestRunner::deterministic();
    let cases: Vec<_> = (0..400)
        .map(|_| {
            generated_requests()
                .new_tree(&mut runner)
                .unwrap()
                .current()
        })
        .collect();
    let compared = stream::iter(cases).map(|(caller, document, variables)| {
        let service = &service;
        async move {
            let body = |name: &str| json!({"query": format!("query {name}{document}"), "variables": variables});
            let plain = caller.ask(service, &body("Direct")).await;
            for name in ["Stored", "Shared", "Stored"] {
                let reused = caller.ask(service, &body(name)).await;
                assert_eq!((reused.status, &reused.text), (plain.status, &plain.text), "{name} \
                     {caller:?} {document}");
            }
            !plain.data().is_null()
        }
    });
    let answered: Vec<bool> = compared.buffer_unordered(12).collect().await;
    let answered = answered.iter().filter(|answered| **answered).count();
    assert!(answered > 150, "{answered}");
    let kept = service.gateway.app().metrics.reads.kept.get();
    assert!(kept > answered as u64, "{kept}");
}

/// Locks the gate on a separate connection.
async fn shut(service: &Service) -> tokio_postgres::Client {
    let (client, connection) = tokio_postgres::connect(service.database.url(), NoTls)
        .await
        .unwrap();
    tokio::spawn(connection);
    client
        .batch_execute("SELECT pg_advisory_lock(7)")
        .await
        .unwrap();
    client
}

#[tokio::test]
async fn identical_concurrent_reads_share_one_statement() {
    let service = service().await;
    let everybody = Caller::everybody();
    let gate = shut(&service).await;
    let closed = json!({"query": "{ gate { opened } }"});
    let ticks = |name: &str| json!({"query": format!("query {name} {{ ticks {{ tick }} }}")});
    let tick = |reply: &Reply| reply.data()["ticks"][0]["tick"].as_i64().unwrap();
    let shared = ticks("Shared");
    // One request has the only connection that the pool of two gives to a role, so no statement of
    // the others starts yet.
    let at_gate = stream::iter(0..2)
        .map(|_| everybody.ask(&service, &closed))
        .buffer_unordered(2)
        .count();
    let reads = async {
        service.database.until_waiting(1, "advisory").await;
        let reads = stream::iter(0..20)
            .map(|_| everybody.ask(&service, &shared))
            .buffer_unordered(20);
        reads.map(|reply| tick(&reply)).collect::<Vec<i64>>().await
    };
    let opened = async {
        until("all reads wait", async || {
            let waits = !service.metrics().await.contains("postern_pool_waiting 0");
            waits && service.gateway.app().metrics.in_flight.get() == 22
        })
        .await;
        gate.batch_execute("SELECT pg_advisory_unlock(7)")
            .await
            .unwrap();
    };
    let (_, mut seen, ()) = tokio::join!(at_gate, reads, opened);
    seen.sort_unstable();
    seen.dedup();
    let counted = &service.gateway.app().metrics.reads;
    assert_eq!(seen.len() as u64, counted.asked.get(), "{seen:?}");
    assert_eq!(counted.asked.get() + counted.joined.get(), 20);
    assert!(seen.len() < 10, "{seen:?}");
    // Later requests do not overlap, and each runs its own statement.
    let one = everybody.ask(&service, &shared).await;
    let two = everybody.ask(&service, &shared).await;
    assert!(tick(&one) < tick(&two));
    let plain = ticks("Other");
    assert!(tick(&two) < tick(&everybody.ask(&service, &plain).await));
}

#[tokio::test]
async fn reads_after_writes_see_the_write() {
    let service = service().await;
    let everybody = Caller::everybody();
    let read = json!({"query": "query Shared { journal { id } }"});
    let written = stream::iter(1..400).map(|id| {
        let service = &service;
        let everybody = &everybody;
        let read = &read;
        async move {
            let write = format!("mutation {{ insert_journal_one(object: {{id: {id}}}) {{ id }} }}");
            let reply = everybody.ask(service, &json!({"query": write})).await;
            assert_eq!(
                reply.data()["insert_journal_one"]["id"],
                id,
                "{}",
                reply.text
            );
            let rows = everybody.ask(service, read).await.data();
            assert!(
                rows["journal"]
                    .as_array()
                    .unwrap()
                    .contains(&json!({"id": id})),
                "{id} is not there"
            );
        }
    });
    written.buffer_unordered(24).collect::<()>().await;
}

#[tokio::test]
async fn cached_response_is_kept_until_expiry_or_reload() {
    let service = service().await;
    let everybody = Caller::everybody();
    let tick = async |name: &str| {
        let query = format!("query {name} {{ ticks {{ tick }} }}");
        everybody
            .ask(&service, &json!({"query": query}))
            .await
            .data()["ticks"][0]["tick"]
            .as_i64()
            .unwrap()
    };
    let first = tick("Stored").await;
    assert_eq!(tick("Stored").await, first);
    assert_ne!(tick("Other").await, first);
    service.gateway.reload().await.unwrap();
    assert_ne!(tick("Stored").await, first);
    let metrics = service.metrics().await;
    for series in [
        "postern_shared_reads_total{outcome=\"kept\"} 1",
        "postern_shared_reads_total{outcome=\"asked\"} 2",
    ] {
        assert!(
            metrics.lines().any(|line| line == series),
            "{series} is not there:\n{metrics}"
        );
    }
    let brief = tick("Brief").await;
    until("the response has expired", async || {
        tick("Brief").await != brief
    })
    .await;
}

#[tokio::test]
async fn volatile_functions_are_never_shared() {
    let service = service().await;
    let everybody = Caller::everybody();
    for name in ["Stored", "Shared"] {
        for text in [
            "{ draw }",
            "{ journal { id } ...F } fragment F on query_root { draw }",
        ] {
            let body = json!({"query": format!("query {name} {text}")});
            let drawn = stream::iter(0..8)
                .map(|_| everybody.ask(&service, &body))
                .buffer_unordered(8);
            let mut drawn: Vec<i64> = drawn
                .map(|reply| reply.data()["draw"].as_i64().unwrap())
                .collect()
                .await;
            drawn.sort_unstable();
            drawn.dedup();
            assert_eq!(drawn.len(), 8, "{name} {text}");
        }
    }
    let counted = &service.gateway.app().metrics.reads;
    assert_eq!(
        (
            counted.kept.get(),
            counted.joined.get(),
            counted.asked.get()
        ),
        (0, 0, 0)
    );
}

#[tokio::test]
async fn cached_response_is_not_returned_to_unauthorized_callers() {
    let service = service().await;
    let body = json!({"query": "query Stored { ticks { tick } }"});
    assert!(
        Caller::everybody()
            .ask(&service, &body)
            .await
            .data()
            .is_object()
    );
    let other = Caller {
        role: "owner",
        values: vec![("User-Id", "1".into())],
    };
    assert_eq!(
        other.ask(&service, &body).await.error().code,
        "validation-failed"
    );
    let nobody = send(service.post().json(&body)).await;
    assert_eq!(
        (nobody.status, nobody.error().code.as_str()),
        (401, "access-denied")
    );
}

//! Tests that replicated rows find the subscribers with an equal value, for every type of a key,
//! however the subscriber's value is written: Postgres compares values, the gateway texts.

use gateway::migrations;
use serde_json::json;
use tests::service::ADMIN_SECRET;

use super::live_queries::run;
use super::replication::{PATIENT, following};
use super::service::{Service, send};
use super::websocket_client::{TRANSPORT, WebSocket};

/// A column that a row rule compares with a session value.
struct Case {
    /// The type of the column.
    column: &'static str,
    /// The type of the session value.
    session: &'static str,
    /// What the column has to equal; `$` is the session value.
    rule: &'static str,
    /// The value that is stored, as Postgres reads it.
    stored: &'static str,
    /// The session value.
    given: &'static str,
}

const fn case(
    column: &'static str,
    session: &'static str,
    rule: &'static str,
    stored: &'static str,
    given: &'static str,
) -> Case {
    Case {
        column,
        session,
        rule,
        stored,
        given,
    }
}

const CODE: &str = "a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11";

const CASES: &[Case] = &[
    case("smallint", "int2", "v = $", "7", "7"),
    case("int", "int4", "v = $", "-12", "-12"),
    case("bigint", "int8", "v = $", "9000000000", "9000000000"),
    case("smallint", "int8", "v = $", "7", "7"),
    case("bigint", "int2", "v = $", "7", "7"),
    case("bigint", "int4", "$ = v", "7", "7"),
    case(
        "uuid",
        "uuid",
        "v = $",
        CODE,
        "A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11",
    ),
    case(
        "uuid",
        "text",
        "v = $::uuid",
        CODE,
        "{A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11}",
    ),
    case("boolean", "bool", "v = $", "true", "true"),
    case("boolean", "text", "v = $::bool", "true", "on"),
    case("text", "text", "v = $", "A b", "A b"),
    case("varchar(8)", "text", "v = $", "b", "b"),
    case("text", "varchar", "v = $", "b", "b"),
    case("char(4)", "text", "v = $", "ab", "ab"),
    case("name", "text", "v = $", "ab", "ab"),
    case("int", "text", "v = $::int", "7", "007"),
    // The rule compares what Postgres makes of the session value, which is written in another way.
    case(
        "text",
        "uuid",
        "v = $::text",
        CODE,
        "A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11",
    ),
    case(
        "varchar(40)",
        "uuid",
        "v = $::text",
        CODE,
        "A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11",
    ),
    case(
        "text",
        "text",
        "v = $::uuid::text",
        CODE,
        "A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11",
    ),
    case("text", "text", "v = $::int::text", "7", "007"),
    case("text", "text", "v = $::bool::text", "true", "on"),
    case("text", "text", "v = $::numeric::text", "1.0", "01.0"),
    case(
        "text",
        "text",
        "v = $::date::text",
        "2026-01-02",
        "2026-1-2",
    ),
    case("text", "text", "v = $::varchar(2)", "ab", "abc"),
    case("text", "text", "v = lower($)", "ab", "AB"),
    case(
        "uuid",
        "text",
        "v::text = lower($)",
        CODE,
        "A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11",
    ),
    case("int", "text", "v::text = $", "7", "7"),
    case("boolean", "text", "v::text = $", "true", "true"),
    // Types whose equal values may have different texts.
    case("numeric", "numeric", "v = $", "1.0", "1.00"),
    case("numeric", "int4", "v = $", "1.0", "1"),
    case("int", "numeric", "v = $", "1", "1.0"),
    case("float8", "float8", "v = $", "0.5", "0.50"),
    case("float4", "float8", "v = $", "0.5", "0.5"),
    case("date", "date", "v = $", "2026-01-02", "2026-01-02"),
    case(
        "timestamptz",
        "timestamptz",
        "v = $",
        "2026-01-02 03:04:05+00",
        "2026-01-02T04:04:05+01:00",
    ),
    case(
        "timestamp",
        "text",
        "v = $::date",
        "2026-01-02",
        "2026-01-02",
    ),
    case("time", "text", "v = $::time", "03:04", "03:04:00.0"),
    case("inet", "text", "v = $::inet", "10.0.0.1", "10.0.0.1/32"),
    case("bytea", "text", "v = $::bytea", "a", "\\x61"),
    case("jsonb", "text", "v = $::jsonb", "{\"a\": 1}", "{\"a\":1.0}"),
    case("text[]", "text", "v = ARRAY[$]", "{a}", "a"),
    case("mood", "text", "v = $::mood", "sad", "sad"),
    case("small", "int4", "v = $", "7", "7"),
];

/// Comparisons by a collation under which different texts are equal.
const BLIND_CASES: &[Case] = &[
    case("text COLLATE blind", "text", "v = $", "AB", "ab"),
    case("text", "text", "v = $ COLLATE blind", "AB", "ab"),
    case("text", "text", "v COLLATE blind = $", "AB", "ab"),
    case("varchar(8)", "text", "v = $ COLLATE blind", "AB", "ab"),
    case("text", "text", "v = $", "ab", "ab"),
    case("int", "int4", "v = $", "7", "7"),
];

const TYPES: &str =
    "CREATE TYPE mood AS ENUM ('sad', 'ok'); CREATE DOMAIN small AS int CHECK (VALUE < 100);";

const BLIND: &str =
    "CREATE COLLATION blind (provider = icu, locale = 'und-u-ks-level2', deterministic = false);";

fn schema(types: &str, cases: &[Case]) -> String {
    let tables = cases.iter().enumerate();
    let tables = tables.map(|(number, case)| {
        format!(
            "CREATE TABLE keyed_{number} (id int PRIMARY KEY, v {});",
            case.column
        )
    });
    types.to_owned() + &tables.collect::<String>()
}

fn permissions(cases: &[Case]) -> String {
    let mut text = "[naming]\nconvention = \"snake\"\n[session]\n".to_owned();
    for (number, case) in cases.iter().enumerate() {
        text += &format!("value_{number} = \"{}\"\n", case.session);
    }
    for (number, case) in cases.iter().enumerate() {
        let rule = case.rule.replace('$', &format!("session.value_{number}"));
        text += &format!(
            "[table.keyed_{number}.role.keeper]\nselect = {{ columns = [\"id\"], \
                          rows = \"{rule}\" }}\n"
        );
    }
    text
}

#[tokio::test]
async fn row_finds_the_subscriber_with_an_equal_value_of_any_type() {
    check(TYPES, CASES).await;
}

#[tokio::test]
async fn row_finds_the_subscriber_with_an_equal_text_of_any_collation() {
    check(BLIND, BLIND_CASES).await;
}

/// Inserts a row for each case, which its subscriber has to get.
async fn check(types: &str, cases: &[Case]) {
    let settings = format!("subscription_interval = 3600\n{PATIENT}");
    let service = Service::of_tables(&schema(types, cases), &permissions(cases), &settings).await;
    run(&service, migrations::REPLICATION).await;
    let mut socket = WebSocket::open(service.address(), Some(TRANSPORT), &[]).await;
    let mut headers = json!({"X-Gateway-Admin-Secret": ADMIN_SECRET, "X-Gateway-Role": "keeper"});
    for (number, case) in cases.iter().enumerate() {
        headers[format!("X-Gateway-Value-{number}")] = case.given.into();
    }
    socket.init(&json!({ "headers": headers })).await;
    assert_eq!(socket.message().await, json!({"type": "connection_ack"}));
    for (number, case) in cases.iter().enumerate() {
        let id = number.to_string();
        let field = format!("keyed_{number}");
        socket
            .start(&id, &format!("subscription {{ {field} {{ id }} }}"))
            .await;
        let message = socket.message().await;
        assert_eq!(
            message["payload"]["data"][&field],
            json!([]),
            "{}: {message}",
            case.describe()
        );
    }
    following(&service).await;
    for (number, case) in cases.iter().enumerate() {
        let id = number.to_string();
        let field = format!("keyed_{number}");
        let stored = case.stored.replace('\'', "''");
        run(
            &service,
            &format!("INSERT INTO {field} VALUES (1, '{stored}')"),
        )
        .await;
        // The rule holds for the row.
        let request = service
            .post()
            .json(&json!({"query": format!("{{ {field} {{ id }} }}")}));
        let request = headers
            .as_object()
            .unwrap()
            .iter()
            .fold(request, |request, (name, value)| {
                request.header(name, value.as_str().unwrap())
            });
        assert_eq!(
            send(request).await.data()[&field],
            json!([{"id": 1}]),
            "{}",
            case.describe()
        );
        let message =
            tokio::time::timeout(super::websocket_client::PATIENCE, socket.message()).await;
        let message =
            message.unwrap_or_else(|_| panic!("no result with the row: {}", case.describe()));
        assert_eq!(
            (&message["id"], &message["payload"]["data"][&field]),
            (&json!(id), &json!([{"id": 1}])),
            "{message}"
        );
    }
}

impl Case {
    /// The case, for messages.
    fn describe(&self) -> String {
        let Case {
            column,
            session,
            rule,
            stored,
            given,
        } = self;
        format!("{column} {rule} with a session value {session}, {stored} and {given}")
    }
}

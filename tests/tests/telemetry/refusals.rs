//! One request of each kind of refusal: its line has the reason, and the role, the operation and
//! the document's hash as far as the gateway had got to know them.

use jsonwebtoken::{EncodingKey, Header};
use serde_json::{Value, json};
use tests::service::ADMIN_SECRET;

use super::log::{KEY, PECULIAR, Process, START};

const PERMISSIONS: &str = r#"
[session]
team = "int4"

[table.users.role.member]
select = { columns = ["id", "email", "team"], rows = "team = session.team" }
insert = { columns = ["id", "email", "team"], check = "team = session.team" }

[table.users.role.hasty]
select = { columns = "*", rows = "true" }

[table.users.role.listed]
select = { columns = "*", rows = "true" }

[table.users.role.rated]
select = { columns = "*", rows = "true" }
"#;

const SETTINGS: &str = r#"
batch_limit = 1

[bounds.role.hasty]
time = 0.5

[operations.role.listed]
mode = "enforce"

[[rates]]
name = "few"
per = ["role"]
roles = ["rated"]
rate = 1
every = 3600
"#;

/// The headers of a request.
type Headers = Vec<(&'static str, String)>;

/// What a line says.
struct Expected {
    status: u64,
    code: &'static str,
    reason: &'static str,
    /// SQLSTATE and constraint.
    database: [Option<&'static str>; 2],
    role: Option<&'static str>,
    /// Whether the body was read, so that operation and hash are known.
    has_document: bool,
}

fn bearer(role: &str) -> String {
    let claims = json!({"exp": 4_000_000_000_u64, "gateway": {"x-gateway-default-role": role, "x-gateway-allowed-roles": [role]}});
    let token = jsonwebtoken::encode(
        &Header::default(),
        &claims,
        &EncodingKey::from_secret(KEY.as_bytes()),
    )
    .unwrap();
    format!("Bearer {token}")
}

#[tokio::test(flavor = "multi_thread")]
async fn every_kind_of_refusal_says_why_what_and_who() {
    let process = Process::with("debug", PERMISSIONS, SETTINGS).await;
    let rated = [
        ("x-gateway-admin-secret", ADMIN_SECRET),
        ("x-gateway-role", "rated"),
    ];
    process
        .line(&json!({"query": "{ users { id } }"}), &rated)
        .await;
    let as_role = |role: &'static str| {
        vec![
            ("x-gateway-admin-secret", ADMIN_SECRET.to_owned()),
            ("x-gateway-role", role.to_owned()),
        ]
    };
    let member = || [as_role("member"), vec![("x-gateway-team", "1".to_owned())]].concat();
    let other = vec![
        ("authorization", bearer("member")),
        ("x-gateway-role", "hasty".to_owned()),
    ];
    let read = "query Named { users { id } }";
    let insert = |team: u32, email: &str| {
        format!(
            "mutation Named {{ insertUsersOne(object: {{id: 77, \
                                          email: \"{email}\", team: {team}}}) {{ id }} }}"
        )
    };
    let unread = |status, code, reason, role| Expected {
        status,
        code,
        reason,
        database: [None; 2],
        role,
        has_document: false,
    };
    let refused = |code, reason, role| Expected {
        status: 200,
        code,
        reason,
        database: [None; 2],
        role: Some(role),
        has_document: true,
    };
    let unique = Expected {
        database: [Some("23505"), Some("users_email_key")],
        reason: "",
        ..refused("constraint-violation", "", "member")
    };
    let strange = format!("query Named {{ users {{ {PECULIAR} }} }}");
    let deep = format!(
        "query Named {{ {} }}",
        (0..60)
            .map(|n| format!("a{n}: users {{ id }} "))
            .collect::<String>()
    );
    let cases: Vec<(&str, String, Headers, Expected)> = vec![
        (
            "no credentials",
            read.into(),
            vec![],
            unread(401, "access-denied", "no credentials", None),
        ),
        (
            "bad token",
            read.into(),
            vec![("authorization", "Bearer x.y.z".into())],
            unread(401, "access-denied", "malformed token", None),
        ),
        (
            "wrong secret",
            read.into(),
            vec![("x-gateway-admin-secret", PECULIAR.into())],
            unread(401, "access-denied", "wrong admin secret", None),
        ),
        (
            "a role that the token does not have",
            read.into(),
            other,
            unread(403, "access-denied", "role not allowed", None),
        ),
        (
            "rate",
            read.into(),
            as_role("rated"),
            unread(429, "rate-limited", "rate limit few", Some("rated")),
        ),
        (
            "syntax",
            "query Named { users {".into(),
            member(),
            refused("parse-failed", "Syntax", "member"),
        ),
        (
            "validation",
            strange,
            member(),
            refused(
                "validation-failed",
                "FieldsOnCorrectType in users at 1:23",
                "member",
            ),
        ),
        (
            "limit",
            deep,
            member(),
            Expected {
                status: 400,
                ..refused("limit-exceeded", "the limit on ", "member")
            },
        ),
        (
            "not on the allow list",
            read.into(),
            as_role("listed"),
            refused("validation-failed", "on no allow list", "listed"),
        ),
        ("constraint", insert(1, "u1@example.com"), member(), unique),
        (
            "check",
            insert(0, PECULIAR),
            member(),
            refused("permission-error", "PermissionCheck", "member"),
        ),
        (
            "operation that the role does not have",
            insert(1, "x"),
            as_role("hasty"),
            refused("validation-failed", "KnownOperationType", "hasty"),
        ),
    ];
    let mut faults = vec![];
    for (what, query, headers, expected) in cases {
        let headers: Vec<(&str, &str)> = headers
            .iter()
            .map(|(name, value)| (*name, value.as_str()))
            .collect();
        let line = process.line(&json!({"query": query}), &headers).await;
        faults.extend(check(what, &line, &expected));
    }
    let locked = process.database.connect().await.unwrap();
    locked
        .batch_execute("BEGIN; LOCK TABLE users")
        .await
        .unwrap();
    let headers = [
        ("x-gateway-admin-secret", ADMIN_SECRET),
        ("x-gateway-role", "hasty"),
    ];
    let line = process.line(&json!({"query": read}), &headers).await;
    let late = Expected {
        status: 504,
        ..refused(
            "limit-exceeded",
            "the request took longer than the limit of 0.5 seconds",
            "hasty",
        )
    };
    faults.extend(check("timeout", &line, &late));
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    assert!(
        line["sql"]
            .as_str()
            .is_some_and(|sql| sql.contains("\"users\"")),
        "{line}"
    );
}

/// Operations on sockets and event streams have a line of their own.
#[tokio::test(flavor = "multi_thread")]
async fn refused_operation_of_a_stream_has_them_too() {
    let process = Process::with("info", PERMISSIONS, SETTINGS).await;
    let sent = process
        .client
        .post(format!("{}/v1/graphql", process.url))
        .header("accept", "text/event-stream");
    let headers = [
        ("x-gateway-admin-secret", ADMIN_SECRET),
        ("x-gateway-role", "member"),
        ("x-gateway-team", "1"),
    ];
    let sent = headers
        .into_iter()
        .fold(sent, |sent, (name, value)| sent.header(name, value));
    let query = format!("query Named {{ users {{ {PECULIAR} }} }}");
    sent.json(&json!({"query": query}))
        .send()
        .await
        .unwrap()
        .text()
        .await
        .unwrap();
    let line = process
        .gateway
        .wait_for_line("operation ended", START)
        .unwrap();
    assert!(!line.contains(PECULIAR), "{line}");
    let line: Value = serde_json::from_str(&line).unwrap();
    let found = [
        &line["role"],
        &line["operation"],
        &line["code"],
        &line["reason"],
    ];
    assert_eq!(
        found,
        [
            "member",
            "Named",
            "validation-failed",
            "FieldsOnCorrectType in users at 1:23"
        ],
        "{line}"
    );
    assert_eq!(line["hash"].as_str().map(str::len), Some(16), "{line}");
}

/// What a line lacks.
fn check(what: &str, line: &Value, expected: &Expected) -> Option<String> {
    let text = |name: &str| line[name].as_str();
    let has_reason = match expected.database {
        [None, None] => text("reason").is_some_and(|reason| reason.starts_with(expected.reason)),
        database => [text("sqlstate"), text("constraint")] == database,
    };
    let known = if expected.has_document {
        (Some("Named"), Some(16))
    } else {
        (None, None)
    };
    let is_expected = has_reason
        && (line["status"].as_u64(), text("code")) == (Some(expected.status), Some(expected.code))
        && text("role") == expected.role
        && (text("operation"), text("hash").map(str::len)) == known;
    (!is_expected).then(|| format!("{what}: {line}"))
}

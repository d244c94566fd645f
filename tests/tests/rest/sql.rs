//! Tests named SQL over HTTP: rows, parameters, responses and caching.

use reqwest::Method;
use serde_json::{Value, json};
use tests::binary;
use tests::reply::Reply;
use tests::service::ADMIN_SECRET;

use super::service::{ADA, PERMISSIONS, Service, from_files, is, send, token};

const MAP: &str = r#"
[[endpoint]]
path = "names"
operation = "Names"
methods = ["GET", "POST"]
sql = "SELECT id, name FROM things WHERE name <> :not ORDER BY id LIMIT :most"
optional = ["most"]

[[endpoint]]
path = "everything"
methods = ["GET"]
single = "rows"
sql = "SELECT * FROM things ORDER BY id"

[[endpoint]]
path = "of/:owner"
methods = ["GET", "POST"]
single = "rows"
sql = "SELECT t.id FROM things t JOIN owners o ON o.id = t.owner_id WHERE o.id = :owner ORDER BY t.id"
require = { table = "owners", parameter = "owner" }

[[endpoint]]
path = "beside"
methods = ["GET"]
sql = "SELECT count(*) AS things, session.owner_id AS me FROM things"
require = { table = "owners", parameter = "ownerId" }

[[endpoint]]
path = "since"
methods = ["GET", "POST"]
single = "rows"
sql = """
SELECT id, day FROM things
WHERE (:since::date IS NULL OR day >= :since) AND (:until::date IS NULL OR day <= :until)
ORDER BY id"""
optional = ["since", "until"]

[[endpoint]]
path = "kept"
operation = "Kept"
methods = ["GET"]
cache_seconds = 60
cache_control = "private, max-age=60"
sql = "SELECT id, name FROM things ORDER BY id"

[[endpoint]]
path = "long"
methods = ["GET"]
single = "rows"
sql = "SELECT id, text FROM long"

[[endpoint]]
path = "divided"
methods = ["GET"]
sql = "SELECT 1 / (whole - 2) AS ratio FROM things"
"#;

#[tokio::test(flavor = "multi_thread")]
async fn rows_and_columns_depend_on_the_role() {
    let service = Service::with(MAP, &[]).await;
    let all = json!({"rows": [{"id": 1, "name": "a/b + ü"}, {"id": 2, "name": "7"}]});
    let own = json!({"rows": [{"id": 1, "name": "a/b + ü"}]});
    is(&service.get("names?not=x").await, &all);
    is(&service.get("names?not=x&most=1").await, &own);
    is(
        &service
            .post("names", &json!({"not": "7", "most": null}))
            .await,
        &own,
    );
    for role in ["admin", "visitor"] {
        is(
            &send(service.by(role, Method::GET, "names?not=x")).await,
            &all,
        );
    }
    is(
        &send(service.by("owner", Method::GET, "names?not=x")).await,
        &own,
    );
    let by_token = service.ask(Method::GET, "names?not=x").bearer_auth(token());
    is(&send(by_token).await, &own);

    // `*` selects the granted columns.
    let visitor = send(service.by("visitor", Method::GET, "everything")).await;
    is(
        &visitor,
        &json!([{"id": 1, "name": "a/b + ü"}, {"id": 2, "name": "7"}]),
    );
    let reader = service.get("everything").await.json();
    assert_eq!(reader[0]["keys"].as_array().unwrap().len(), 2, "{reader}");
    assert_eq!(
        (reader[0].get("secret"), &reader[0]["at"]),
        (None, &json!("2024-02-29T12:00:00+00:00"))
    );
    let admin = send(service.by("admin", Method::GET, "everything"))
        .await
        .json();
    assert_eq!(admin[1]["secret"], "s2");

    // A role without a grant on a table or column of the statement cannot call the endpoint, with
    // any parameters.
    let denied = "User does not have required role permissions";
    send(service.by("visitor", Method::GET, "since"))
        .await
        .assert_envelope(403, denied);
    send(service.by("visitor", Method::GET, "of/x?y=1"))
        .await
        .assert_envelope(403, denied);
    send(service.ask(Method::GET, "names?not=x"))
        .await
        .assert_envelope(401, "No authorization header provided");
}

#[tokio::test(flavor = "multi_thread")]
async fn required_row_is_checked_first() {
    let service = Service::with(MAP, &[]).await;
    let other = "00000000-0000-0000-0000-00000000000b";
    let nobody = "00000000-0000-0000-0000-00000000000c";
    let by_owner = |path: String| send(service.by("owner", Method::GET, &path));
    is(&by_owner(format!("of/{ADA}")).await, &json!([{"id": 1}]));
    is(
        &by_owner(format!("beside?ownerId={ADA}")).await,
        &json!({"rows": [{"things": 1, "me": ADA}]}),
    );
    for owner in [other, nobody] {
        let denied = "the required row is not visible";
        let of = by_owner(format!("of/{owner}")).await;
        let beside = by_owner(format!("beside?ownerId={owner}")).await;
        of.assert_envelope(403, denied);
        beside.assert_envelope(403, denied);
    }
    is(
        &service.get(&format!("of/{other}")).await,
        &json!([{"id": 2}]),
    );
    service
        .get("beside")
        .await
        .assert_envelope(400, "the parameter 'ownerId' is missing");
    let malformed = "expected type 'uuid!' for 'owner', found text that is not a uuid";
    service.get("of/7").await.assert_envelope(400, malformed);
}

#[tokio::test(flavor = "multi_thread")]
async fn omitted_optional_parameters_are_null() {
    let service = Service::with(MAP, &[]).await;
    let one = json!({"id": 1, "day": "2024-02-29"});
    let two = json!({"id": 2, "day": "2024-03-01"});
    is(&service.get("since").await, &json!([one, two]));
    is(&service.get("since?since=2024-03-01").await, &json!([two]));
    is(&service.get("since?until=2024-02-29").await, &json!([one]));
    is(
        &service.get("since?until=2024-02-29&since=2024-03-01").await,
        &json!([]),
    );
    is(
        &service
            .post("since", &json!({"since": null, "until": "2024-02-29"}))
            .await,
        &json!([one]),
    );
    let wrong = "expected type 'date' for 'since', found text that is not a date or time";
    service
        .get("since?since=2023-02-29")
        .await
        .assert_envelope(400, wrong);
    service
        .get("since?from=2024-03-01")
        .await
        .assert_envelope(400, "unknown parameter 'from'");
    service
        .get("names")
        .await
        .assert_envelope(400, "the parameter 'not' is missing");
    let null = service.post("names", &json!({"not": null})).await;
    null.assert_envelope(400, "expected type 'String!' for 'not', found null");
}

/// An endpoint for each type, which finds things by a column of it.
fn finding() -> String {
    let conditions = [
        ("id", "id = :v"),
        ("name", "name = :v"),
        ("whole", "whole = :v"),
        ("exact", "exact = :v"),
        ("ratio", "ratio = :v"),
        ("yes", "yes = :v"),
        ("key", "key = :v"),
        ("day", "day = :v"),
        ("at", "at = :v"),
        ("mood", "mood = :v"),
        ("body", "body = :v"),
        ("ids", "id = ANY(:v)"),
        ("moods", "mood = ANY(:v)"),
        ("keys", "keys @> :v"),
        ("like", "name LIKE :v"),
        ("cast", "id::text = :v"),
        ("json", "body = :v::text::jsonb"),
    ];
    let endpoint = |(path, condition): (&str, &str)| {
        format!(
            "[[endpoint]]\npath = \"{path}\"\nmethods = [\"GET\", \"POST\"]\nsingle = \"rows\"\n\
             sql = \"SELECT id FROM things WHERE {condition} ORDER BY id\"\n\n"
        )
    };
    conditions.map(endpoint).concat()
}

fn ids(reply: &Reply) -> Vec<i64> {
    assert_eq!(reply.status, 200, "{}", reply.text);
    reply
        .json()
        .as_array()
        .unwrap()
        .iter()
        .map(|thing| thing["id"].as_i64().unwrap())
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn parameters_of_every_type_are_parsed() {
    let service = Service::with(&finding(), &[]).await;
    let found = [
        ("id?v=1", &[1][..]),
        ("name?v=a%2Fb+%2B+%C3%BC", &[1]),
        ("name?v=7", &[2]),
        ("whole?v=9007199254740993", &[1]),
        ("exact?v=1.5", &[1]),
        ("ratio?v=2.5e-1", &[1]),
        ("yes?v=false", &[2]),
        ("key?v=00000000-0000-0000-0000-000000000001", &[1]),
        ("day?v=2024-02-29", &[1]),
        ("at?v=2024-02-29T13:00:00%2B01:00", &[1]),
        ("mood?v=wild", &[1]),
        ("body?v=%7B%22a%22:1%7D", &[1]),
        ("ids?v=1&v=2", &[1, 2]),
        ("ids?v[]=2", &[2]),
        ("ids?v=[1,2]", &[1, 2]),
        ("ids?v=[]", &[]),
        ("moods?v=wild&v=calm", &[1, 2]),
        ("keys?v=00000000-0000-0000-0000-000000000001", &[1]),
        ("like?v=a%25", &[1]),
        ("cast?v=2", &[2]),
    ];
    for (path, expected) in found {
        assert_eq!(ids(&service.get(path).await), expected, "{path}");
        let (path, fields) = path.split_once('?').unwrap();
        let form = service
            .by("reader", Method::POST, path)
            .body(fields.to_owned());
        let form = form.header("Content-Type", "application/x-www-form-urlencoded");
        assert_eq!(
            ids(&send(form).await),
            expected,
            "{path} as a form: {fields}"
        );
    }
    let json = [
        ("id", json!(1), &[1][..]),
        ("whole", json!("9007199254740993"), &[1]),
        ("exact", json!(1.5), &[1]),
        ("body", json!([]), &[2]),
        ("ids", json!([1, 2]), &[1, 2]),
        ("moods", json!(["calm"]), &[2]),
    ];
    for (path, value, expected) in json {
        assert_eq!(
            ids(&service.post(path, &json!({"v": value})).await),
            expected,
            "{path}"
        );
    }
    for (path, message) in [
        ("id?v=one", "expected type 'Int!' for 'v', found a string"),
        (
            "id?v=99999999999",
            "expected type 'Int!' for 'v', found an integer out of range",
        ),
        (
            "key?v=1",
            "expected type 'uuid!' for 'v', found text that is not a uuid",
        ),
        (
            "mood?v=tame",
            "expected one of the values of type 'mood' for 'v' ('calm', 'wild'), found 'tame'",
        ),
        (
            "name?v=a%00",
            "expected type 'String!' for 'v', found text with a NUL character",
        ),
        ("body?v=%7B", "the parameter 'v' has to be JSON"),
        ("id?v=1&v=2", "the parameter 'v' is given twice"),
    ] {
        service.get(path).await.assert_envelope(400, message);
    }
}

/// A parameter is always a value, whatever its text looks like.
#[tokio::test(flavor = "multi_thread")]
async fn parameters_cannot_inject_sql() {
    let service = Service::with(&finding(), &[]).await;
    let attempts = [
        "' OR true --",
        "'; DELETE FROM things; --",
        "$1",
        ":v",
        "\\' OR 1=1 --",
        "x') UNION SELECT id FROM things --",
        "\"; DROP TABLE things; --",
        "/* */ OR 1=1",
    ];
    for path in [
        "name", "cast", "like", "mood", "key", "day", "at", "id", "whole", "exact", "ids", "moods",
        "keys",
    ] {
        for attempt in attempts {
            for value in [json!(attempt), json!([attempt]), json!({"a": attempt})] {
                let reply = service.post(path, &json!({"v": value})).await;
                let found = reply.status == 200 && reply.json() != json!([]);
                assert!(
                    !found && matches!(reply.status, 200 | 400),
                    "{path} {value}: {} {}",
                    reply.status,
                    reply.text
                );
            }
        }
    }
    for attempt in attempts {
        let body = service.post("body", &json!({"v": attempt})).await;
        is(&body, &json!([]));
        let json = service.post("json", &json!({"v": attempt})).await;
        assert_eq!(json.status, 400, "{}", json.text);
    }
    assert_eq!(ids(&service.get("ids?v=1&v=2").await), [1, 2]);
}

#[tokio::test(flavor = "multi_thread")]
async fn responses_have_etags_and_are_cached() {
    let service = Service::with(MAP, &[]).await;
    let first = service.get("kept").await;
    let tag = first.header("etag").to_owned();
    let by_token = send(service.ask(Method::GET, "kept").bearer_auth(token())).await;
    assert_eq!(by_token.header("cache-control"), "private, max-age=60");
    let again = send(
        service
            .by("reader", Method::GET, "kept")
            .header("If-None-Match", &tag),
    )
    .await;
    assert_eq!((again.status, again.text.as_str()), (304, ""));
    let client = service.database.connect().await.unwrap();
    client
        .batch_execute("UPDATE things SET name = 'new' WHERE id = 1")
        .await
        .unwrap();
    // Only the reader's response is cached.
    is(&service.get("kept").await, &first.json());
    let owner = send(service.by("owner", Method::GET, "kept")).await;
    is(&owner, &json!({"rows": [{"id": 1, "name": "a/b + ü"}]}));
    let visitor = send(service.by("visitor", Method::GET, "kept")).await;
    is(
        &visitor,
        &json!({"rows": [{"id": 1, "name": "new"}, {"id": 2, "name": "7"}]}),
    );
    let head = send(service.by("reader", Method::HEAD, "kept")).await;
    assert_eq!((head.status, head.header("etag")), (200, tag.as_str()));
}

#[tokio::test(flavor = "multi_thread")]
async fn limits_and_errors_apply_as_to_other_requests() {
    let service = Service::with(MAP, &[("answer-limit", "1000000")]).await;
    let long = service.get("long").await;
    long.assert_envelope(400, "the answer is larger than the limit of 1000000 bytes");
    let service = Service::with(MAP, &[]).await;
    let long = service.get("long").await;
    assert_eq!(
        (long.status, long.json().as_array().unwrap().len()),
        (200, 30_000)
    );
    service
        .get("divided")
        .await
        .assert_envelope(400, "division by zero");
    // The statement does not divide by a value in a row that the rule hides.
    is(
        &send(service.by("owner", Method::GET, "divided")).await,
        &json!({"rows": [{"ratio": 0}]}),
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn sql_endpoints_are_described() {
    let service = Service::with(MAP, &[]).await;
    let described = |role: &str| send(service.by(role, Method::GET, "openapi.json"));
    let reader = described("reader").await.json();
    let names = &reader["paths"]["/api/rest/names"];
    assert_eq!(
        (&names["get"]["operationId"], &names["post"]["operationId"]),
        (&json!("Names"), &json!("NamesByPOST"))
    );
    let body = &names["post"]["requestBody"]["content"]["application/json"]["schema"];
    assert_eq!(
        body,
        &json!({
            "type": "object",
            "properties": {
                "not": {"type": "string"},
                "most": {"type": ["integer", "null"], "format": "int64"},
            },
            "required": ["not"],
            "additionalProperties": false,
        })
    );
    let response = |described: &Value, path: &str| -> Value {
        described["paths"][path]["get"]["responses"]["200"]["content"]["application/json"]["schema"]
            .clone()
    };
    let row = json!({
        "type": "object",
        "properties": {"id": {"type": ["integer", "null"], "format": "int32"}, "name": {"type": ["string", "null"]}},
        "required": ["id", "name"],
        "additionalProperties": false,
    });
    let rows = json!({"type": "array", "items": row});
    let expected = json!({
        "type": "object", "properties": {"rows": rows}, "required": ["rows"], "additionalProperties": false,
    });
    assert_eq!(response(&reader, "/api/rest/names"), expected);
    let parameters = reader["paths"]["/api/rest/beside"]["get"]["parameters"]
        .as_array()
        .unwrap();
    let key = parameters
        .iter()
        .find(|parameter| parameter["name"] == "ownerId")
        .unwrap();
    assert_eq!(
        (&key["required"], &key["schema"]),
        (&json!(true), &json!({"type": "string", "format": "uuid"}))
    );
    // Each role's description has the endpoints that it may call, with its own columns.
    let visitor = described("visitor").await.json();
    assert_eq!(response(&visitor, "/api/rest/everything"), rows);
    assert_eq!(visitor["paths"].get("/api/rest/since"), None);
}

/// A map with a statement in a separate file is served, reloaded and checked, and described by the
/// command.
#[tokio::test(flavor = "multi_thread")]
async fn sql_files_are_loaded_with_the_map() {
    let database = tests::create("rest", &[include_str!("service.sql")])
        .await
        .unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name).to_string_lossy().into_owned();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write(
        "map.toml",
        "[[endpoint]]\npath = \"report\"\nmethods = [\"GET\"]\ndocument = \"report.sql\"\n",
    );
    write(
        "report.sql",
        "-- How many\nSELECT count(*) AS n FROM things;\n",
    );
    write("service.toml", PERMISSIONS);
    let map = path("map.toml");
    let running = from_files(&database, &[("rest-map", &map)])
        .start()
        .await
        .unwrap();
    let service = Service::from_parts(running, database);
    is(&service.get("report").await, &json!({"rows": [{"n": 2}]}));
    write(
        "report.sql",
        "SELECT max(id) AS last FROM things WHERE name <> :not",
    );
    service.gateway.reload().await.unwrap();
    is(
        &service.get("report?not=x").await,
        &json!({"rows": [{"last": 2}]}),
    );

    let url = service.database.url();
    let permissions = path("service.toml");
    let usual = [
        "--database-url",
        url,
        "--permissions",
        &permissions,
        "--rest-map",
        &map,
    ];
    let run = |arguments: &[&str]| binary::run(&[arguments, &usual].concat()).unwrap();
    let checked = run(&["check"]);
    assert!(
        checked.code == Some(0) && checked.err.trim_end().ends_with(", 1 endpoints"),
        "{}",
        checked.err
    );
    let described: Value =
        serde_json::from_str(&run(&["openapi", "--role", "visitor"]).out).unwrap();
    let parameters = described["paths"]["/api/rest/report"]["get"]["parameters"]
        .as_array()
        .unwrap();
    assert!(
        parameters
            .iter()
            .any(|parameter| parameter["name"] == "not"),
        "{described}"
    );

    write("report.sql", "SELECT sum(name) AS sum\nFROM things");
    let fault = service.gateway.reload().await.unwrap_err().to_string();
    assert!(
        fault.contains("report.sql:1:8") && fault.contains("sum(text) does not exist"),
        "{fault}"
    );
    is(
        &service.get("report?not=x").await,
        &json!({"rows": [{"last": 2}]}),
    );
    let checked = run(&["check", "--json"]);
    let report: Value = serde_json::from_str(&checked.out).unwrap();
    let problem = &report["problems"][0];
    assert_eq!(
        (checked.code, &problem["code"], &problem["line"]),
        (Some(1), &json!("postgres"), &json!(1)),
        "{report}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn optional_session_value_is_null_for_callers_without_it() {
    const OPTIONAL: &str = r#"
[[endpoint]]
path = "mine"
methods = ["GET", "POST"]
single = "rows"
sql = """
SELECT id, session.owner_id? AS me, session.owner_id?::text AS text FROM things
WHERE session.owner_id? IS NULL OR owner_id = session.owner_id? ORDER BY id"""

[[endpoint]]
path = "owners"
methods = ["GET"]
single = "rows"
sql = "SELECT name FROM owners ORDER BY name"
"#;
    const GUEST: &str = r#"
[table.owners.role.guest]
select = { columns = "*", rows = "id = session.owner_id? OR name = 'Bob'" }
[table.things.role.guest]
select = { columns = "*", rows = "true" }
"#;
    let service = Service::over(OPTIONAL, "", GUEST).await;
    let without = |method: Method, path: &str| {
        let request = service
            .ask(method, path)
            .header("X-Gateway-Admin-Secret", ADMIN_SECRET);
        request.header("X-Gateway-Role", "guest")
    };
    let all = json!([{"id": 1, "me": null, "text": null}, {"id": 2, "me": null, "text": null}]);
    for _ in 0..2 {
        is(&send(without(Method::GET, "mine")).await, &all);
        is(
            &send(without(Method::POST, "mine").json(&json!({}))).await,
            &all,
        );
        is(
            &send(service.by("guest", Method::GET, "mine")).await,
            &json!([{"id": 1, "me": ADA, "text": ADA}]),
        );
        is(
            &send(without(Method::GET, "owners")).await,
            &json!([{"name": "Bob"}]),
        );
        is(
            &send(service.by("guest", Method::GET, "owners")).await,
            &json!([{"name": "Ada"}, {"name": "Bob"}]),
        );
    }
}

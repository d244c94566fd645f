//! Tests parameters: how text is parsed by the declared types, where parameters may be sent, and
//! the errors for invalid ones.

use reqwest::Method;
use serde_json::{Value, json};
use tests::reply::Reply;

use super::service::{Service, is, send};

/// An endpoint for each type, which finds things by a column of it.
fn finding() -> String {
    let columns = [
        ("id", "Int!", "_eq"),
        ("name", "String!", "_eq"),
        ("whole", "bigint!", "_eq"),
        ("exact", "numeric!", "_eq"),
        ("ratio", "float8!", "_eq"),
        ("yes", "Boolean!", "_eq"),
        ("key", "uuid!", "_eq"),
        ("day", "date!", "_eq"),
        ("at", "timestamptz!", "_eq"),
        ("mood", "mood!", "_eq"),
        ("body", "jsonb!", "_eq"),
        ("ids", "[Int!]!", "_in"),
        ("keys", "[uuid!]!", "_in"),
    ];
    let endpoint = |(name, r#type, operator): (&str, &str, &str)| {
        let column = match name {
            "ids" => "id",
            "keys" => "key",
            other => other,
        };
        format!(
            "[[endpoint]]\npath = \"{name}\"\nmethods = [\"GET\", \"POST\"]\nsingle = \
                 \"things\"\n\
                 query = \"query Find($v: {type}) {{ things(where: {{{column}: {{{operator}: \
                 $v}}}}, order_by: {{id: asc}}) \
                 {{ id }} }}\"\n\n"
        )
    };
    columns.map(endpoint).concat()
}

/// The ids that were found.
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
async fn text_is_parsed_by_the_declared_type() {
    let service = Service::with(&finding(), &[]).await;
    let found = [
        ("id?v=1", &[1][..]),
        ("name?v=a%2Fb+%2B+%C3%BC", &[1]),
        ("name?v=7", &[2]),
        ("name?v=", &[]),
        ("whole?v=9007199254740993", &[1]),
        ("whole?v=9007199254740992", &[]),
        ("exact?v=1.5", &[1]),
        ("ratio?v=2.5e-1", &[1]),
        ("yes?v=true", &[1]),
        ("yes?v=false", &[2]),
        ("key?v=00000000-0000-0000-0000-000000000001", &[1]),
        ("day?v=2024-02-29", &[1]),
        ("at?v=2024-02-29T13:00:00%2B01:00", &[1]),
        ("mood?v=wild", &[1]),
        ("body?v=%7B%22a%22:1%7D", &[1]),
        ("ids?v=1", &[1]),
        ("ids?v=2&v=1", &[1, 2]),
        ("ids?v[]=1", &[1]),
        ("ids?v%5B%5D=1&v[]=2", &[1, 2]),
        ("ids?v=[1,2]", &[1, 2]),
        ("ids?v=[]", &[]),
        (
            "keys?v=00000000-0000-0000-0000-000000000001&v=00000000-0000-0000-0000-000000000002",
            &[1, 2],
        ),
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
        ("yes", json!(true), &[1]),
        ("body", json!({"a": 1}), &[1]),
        ("body", json!([]), &[2]),
        ("ids", json!([1, 2]), &[1, 2]),
        ("ids", json!(2), &[2]),
    ];
    for (path, value, expected) in json {
        assert_eq!(
            ids(&service.post(path, &json!({"v": value})).await),
            expected,
            "{path}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn invalid_values_are_reported_by_parameter_name() {
    let service = Service::with(&finding(), &[]).await;
    let text = [
        ("id?v=one", "expected type 'Int!' for 'v', found a string"),
        ("id?v=", "expected type 'Int!' for 'v', found a string"),
        (
            "id?v=99999999999",
            "expected type 'Int!' for 'v', found an integer out of range",
        ),
        (
            "yes?v=1",
            "expected type 'Boolean!' for 'v', found a string",
        ),
        (
            "key?v=1",
            "expected type 'uuid!' for 'v', found text that is not a uuid",
        ),
        (
            "day?v=2023-02-29",
            "expected type 'date!' for 'v', found text that is not a date or time",
        ),
        (
            "mood?v=tame",
            "expected type 'mood!' for 'v', found text that is not a value of the enum",
        ),
        (
            "name?v=a%00",
            "expected type 'String!' for 'v', found text with a NUL character",
        ),
        (
            "ids?v=1&v=x",
            "expected type 'Int!' for 'v', found a string",
        ),
        ("ids?v=[1,null]", "expected type 'Int!' for 'v', found null"),
        ("body?v=%7B", "the parameter 'v' has to be JSON"),
        ("id", "the parameter 'v' is missing"),
        ("id?v=1&v=2", "the parameter 'v' is given twice"),
        ("id?v=1&w=2", "unknown parameter 'w'"),
        ("id?v=1&=2", "unknown parameter ''"),
        ("id?V=1", "unknown parameter 'V'"),
        ("id?v[]=1", "unknown parameter 'v[]'"),
        ("id?v=%FF", "the parameter 'v' is not percent-encoded UTF-8"),
        ("id?v=%4", "the parameter 'v' is not percent-encoded UTF-8"),
        (
            "id?%4=1",
            "the name of a parameter is not percent-encoded UTF-8",
        ),
    ];
    for (path, message) in text {
        let reply = service.get(path).await;
        let reported = reply.json()["message"]
            .as_str()
            .unwrap_or_default()
            .to_owned();
        // The error names the declared type, with or without its `!`.
        let same = reported == message || reported.replace('!', "") == message.replace('!', "");
        assert!(reply.status == 400 && same, "{path}: {}", reply.text);
        assert_eq!(reply.json()["data"], Value::Null);
    }
    let body = [
        (
            json!({"v": "1"}),
            "expected type 'Int!' for 'v', found a string",
        ),
        (
            json!({"v": 1.5}),
            "expected type 'Int!' for 'v', found a value that is not an integer",
        ),
        (
            json!({"v": null}),
            "expecting a value for non-nullable variable: 'v'",
        ),
        (json!({}), "the parameter 'v' is missing"),
        (json!({"v": 1, "w": 1}), "unknown parameter 'w'"),
        (
            json!([1]),
            "the parameters in a body have to be a JSON object",
        ),
        (
            json!("v"),
            "the parameters in a body have to be a JSON object",
        ),
    ];
    for (body, message) in body {
        let reply = service.post("id", &body).await;
        let reported = reply.json()["message"]
            .as_str()
            .unwrap_or_default()
            .replace("!'", "'");
        assert_eq!(
            (reply.status, reported),
            (400, message.replace("!'", "'")),
            "{body}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn parameter_must_not_be_sent_twice() {
    let service = Service::start().await;
    is(
        &service.get("things/2?with=true").await,
        &json!({"things_by_pk": {"id": 2, "name": "7"}}),
    );
    is(
        &service.post("things/2?with=true", &json!({})).await,
        &json!({"things_by_pk": {"id": 2, "name": "7"}}),
    );
    is(
        &service.post("things/2", &json!({"with": true})).await,
        &json!({"things_by_pk": {"id": 2, "name": "7"}}),
    );
    let twice = "the parameter 'id' is given twice";
    service
        .get("things/2?id=2")
        .await
        .assert_envelope(400, twice);
    service
        .post("things/2", &json!({"id": 2}))
        .await
        .assert_envelope(400, twice);
    service
        .post("one?id=1", &json!({"id": 1}))
        .await
        .assert_envelope(400, twice);
    let doubled = service
        .by("reader", Method::POST, "one")
        .header("Content-Type", "application/json");
    send(doubled.body(r#"{"id": 1, "id": 2}"#))
        .await
        .assert_envelope(400, twice);
    // Parameters of another operation in the document are not accepted.
    service
        .get("things/2?limit=1")
        .await
        .assert_envelope(400, "unknown parameter 'limit'");
}

#[tokio::test(flavor = "multi_thread")]
async fn input_objects_are_json() {
    let service = Service::start().await;
    let path =
        "search?where=%7B%22yes%22:%7B%22_eq%22:true%7D%7D&ids=1&ids=2&order={\"id\":\"desc\"}";
    is(&service.get(path).await, &json!({"things": [{"id": 1}]}));
    let body = json!({"where": {}, "ids": [1, 2], "order": [{"id": "desc"}]});
    is(
        &service.post("search", &body).await,
        &json!({"things": [{"id": 2}, {"id": 1}]}),
    );
    service
        .get("search?where=yes&ids=1")
        .await
        .assert_envelope(400, "the parameter 'where' has to be JSON");
    let hidden = service
        .get("search?where=%7B%22secret%22:%7B%22_eq%22:%22s1%22%7D%7D&ids=1")
        .await;
    hidden.assert_envelope(400, "field 'secret' not found in type: 'things_bool_exp'");
    let deep = format!("search?ids=1&where={}{}", "[".repeat(200), "]".repeat(200));
    service
        .get(&deep)
        .await
        .assert_envelope(400, "the parameter 'where' has to be JSON");
}

#[tokio::test(flavor = "multi_thread")]
async fn omitted_parameters_get_their_defaults() {
    let service = Service::start().await;
    let all = [
        json!({"id": 1, "name": "a/b + ü"}),
        json!({"id": 2, "name": "7"}),
    ];
    is(&service.get("names").await, &json!({"things": all}));
    is(
        &service.get("names?limit=1").await,
        &json!({"things": all[..1]}),
    );
    is(
        &service.get("names?from=1").await,
        &json!({"things": all[1..]}),
    );
    is(
        &send(service.by("reader", Method::POST, "names")).await,
        &json!({"things": all}),
    );
    is(
        &service.post("names", &json!({"limit": null})).await,
        &json!({"things": all}),
    );
    let empty = service
        .by("reader", Method::POST, "names")
        .header("Content-Type", "application/json");
    is(&send(empty).await, &json!({"things": all}));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_path_is_decoded_once() {
    let service = Service::start().await;
    is(
        &service.get("by/a%2Fb%20+%20%C3%BC/named").await,
        &json!([{"id": 1}]),
    );
    is(&service.get("by/7/named").await, &json!([{"id": 2}]));
    is(&service.get("by/a%252Fb/named").await, &json!([]));
    is(
        &service.get("things/%61ll").await,
        &json!([{"id": 1}, {"id": 2}]),
    );
    for path in [
        "by//named",
        "by/a/b/named",
        "by/%ff/named",
        "by/%zz/named",
        "things/",
        "things/1/",
        "Things/1",
        "",
    ] {
        service.get(path).await.assert_envelope(404, "no such path");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn bodies_need_a_supported_content_type() {
    let service = Service::start().await;
    let by = |method| service.by("reader", method, "search");
    let wrong =
        "the content type has to be 'application/json' or 'application/x-www-form-urlencoded'";
    for content in [
        "text/plain",
        "multipart/form-data; boundary=x",
        "application/json; charset=latin1",
        "application/graphql",
    ] {
        send(by(Method::POST).header("Content-Type", content).body("{}"))
            .await
            .assert_envelope(415, wrong);
    }
    let untold = "the body has no content type: send the header 'Content-Type: \
                  application/json', or \
                  'application/x-www-form-urlencoded' for a form";
    send(by(Method::POST).body("{}"))
        .await
        .assert_envelope(415, untold);
    let json = |body: &'static str| {
        by(Method::POST)
            .header("Content-Type", "application/json")
            .body(body)
    };
    send(json("{\"where\":").header("X-A", "1"))
        .await
        .assert_envelope(400, "the body is not JSON: line 1, column 9");
    send(json("{\"where\":{}} x"))
        .await
        .assert_envelope(400, "the body is not JSON: line 1, column 14");
    let bytes = by(Method::POST)
        .header("Content-Type", "application/json")
        .body(&b"{\"where\": \"\xff\"}"[..]);
    assert_eq!(send(bytes).await.status, 400);
    let form = by(Method::POST)
        .header("Content-Type", "application/x-www-form-urlencoded")
        .body(&b"ids=\xff"[..]);
    send(form)
        .await
        .assert_envelope(400, "the form is not UTF-8");
    let form = by(Method::POST)
        .header("Content-Type", "application/x-www-form-urlencoded")
        .body("where=%7");
    send(form)
        .await
        .assert_envelope(400, "the parameter 'where' is not percent-encoded UTF-8");
    is(
        &send(by(Method::PATCH).json(&json!({"where": {}, "ids": [2]}))).await,
        &json!({"things": [{"id": 2}]}),
    );
    // The body of a GET is ignored.
    let get = service
        .by("reader", Method::GET, "one?id=2")
        .header("Content-Type", "text/plain")
        .body("{\"id\": 1}");
    is(&send(get).await, &json!({"id": 2, "name": "7"}));
    let large = by(Method::POST)
        .header("Content-Type", "application/json")
        .body(" ".repeat(3 << 20));
    assert_eq!(send(large).await.status, 413);
    let name = "x".repeat(100_000);
    let reply = service.post("search", &json!({ name: 1 })).await;
    assert!(
        reply.status == 400 && reply.text.len() < 5_000,
        "{}",
        reply.text.len()
    );
}

//! Tests random parameters: values of every type are read equally from a query string, a form and
//! JSON, and invalid values are client errors in the REST error format.

use futures_util::{StreamExt, stream};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use reqwest::Method;
use serde_json::{Value, json};
use tests::reply::Reply;

use super::service::{Service, send};

/// An endpoint that returns its parameters, one of each type.
const MAP: &str = r#"
[[endpoint]]
path = "told"
methods = ["GET", "POST"]
query = """
query Told(
  $id: Int, $name: String, $whole: bigint, $exact: numeric, $ratio: float8, $yes: Boolean, $key: uuid, $day: date,
  $at: timestamptz, $mood: mood, $body: jsonb, $ids: _int4, $names: _text, $keys: _uuid, $picks: [Int!]! = [2]
) {
  told(args: {
    id: $id, name: $name, whole: $whole, exact: $exact, ratio: $ratio, yes: $yes, key: $key, day: $day,
    at: $at, mood: $mood, body: $body, ids: $ids, names: $names, keys: $keys
  })
  things(where: {id: {_in: $picks}}, order_by: {id: asc}) { id }
}
"""
"#;

const NAMES: [&str; 15] = [
    "id", "name", "whole", "exact", "ratio", "yes", "key", "day", "at", "mood", "body", "ids",
    "names", "keys", "picks",
];

/// How many sets of valid and of random values are sent, and how many in parallel.
const CASES: usize = 400;
const AT_ONCE: usize = 8;

/// A parameter: its name, its value as text (a list as several texts, or as one that is JSON), and
/// as JSON.
#[derive(Clone, Debug)]
struct Parameter {
    name: &'static str,
    texts: Vec<String>,
    brackets: bool,
    json: String,
}

/// Text without NUL, which Postgres cannot store.
fn text() -> impl Strategy<Value = String> {
    vec(any::<char>().prop_filter("no NUL", |c| *c != '\0'), 0..8).prop_map(String::from_iter)
}

fn uuid() -> impl Strategy<Value = String> {
    any::<u128>().prop_map(|bits| uuid::Uuid::from_u128(bits).to_string())
}

fn day() -> impl Strategy<Value = String> {
    (1..=9999_u32, 1..=12_u32, 1..=28_u32)
        .prop_map(|(year, month, day)| format!("{year:04}-{month:02}-{day:02}"))
}

fn moment() -> impl Strategy<Value = String> {
    let zone = prop::sample::select(vec!["Z", "+00:00", "-11:30", "+13:45"]);
    (day(), 0..24_u32, 0..60_u32, 0..1_000_000_u32, zone).prop_map(
        |(day, hour, minute, micro, zone)| {
            format!("{day}T{hour:02}:{minute:02}:59.{micro:06}{zone}")
        },
    )
}

fn decimal() -> impl Strategy<Value = String> {
    (any::<i64>(), any::<u64>(), -30..30_i32)
        .prop_map(|(whole, part, power)| format!("{whole}.{part:020}e{power}"))
}

/// A value that a JSON column can store.
fn json_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        text().prop_map(Value::from)
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::hash_map(text(), inner, 0..3)
                .prop_map(|members| Value::Object(members.into_iter().collect()))
        ]
    })
}

/// A value whose text equals its JSON.
fn plain<T: ToString>(name: &'static str, value: &T) -> Parameter {
    Parameter {
        name,
        texts: vec![value.to_string()],
        brackets: false,
        json: value.to_string(),
    }
}

/// A value that is a string in JSON.
fn quoted(name: &'static str, text: String) -> Parameter {
    Parameter {
        name,
        json: json!(text).to_string(),
        texts: vec![text],
        brackets: false,
    }
}

/// A list, as several texts or as one that is JSON.
fn list(name: &'static str, items: Vec<String>, items_json: &Value, several: bool) -> Parameter {
    let json = items_json.to_string();
    // A single text is an item unless it is JSON, so the name has brackets for a list.
    let texts = if several && !items.is_empty() {
        items
    } else {
        vec![json.clone()]
    };
    Parameter {
        name,
        brackets: texts != [json.as_str()],
        texts,
        json,
    }
}

/// Generates a value of that parameter.
fn value(name: &'static str) -> BoxedStrategy<Parameter> {
    match name {
        "id" => any::<i32>()
            .prop_map(move |value| plain(name, &value))
            .boxed(),
        "whole" => any::<i64>()
            .prop_map(move |value| plain(name, &value))
            .boxed(),
        "exact" => decimal().prop_map(move |value| plain(name, &value)).boxed(),
        "ratio" => prop::num::f64::NORMAL
            .prop_map(move |value| plain(name, &json!(value)))
            .boxed(),
        "yes" => any::<bool>()
            .prop_map(move |value| plain(name, &value))
            .boxed(),
        "body" => json_value()
            .prop_map(move |value| plain(name, &value))
            .boxed(),
        "name" => text().prop_map(move |text| quoted(name, text)).boxed(),
        "key" => uuid().prop_map(move |text| quoted(name, text)).boxed(),
        "day" => day().prop_map(move |text| quoted(name, text)).boxed(),
        "at" => moment().prop_map(move |text| quoted(name, text)).boxed(),
        "mood" => prop::sample::select(vec!["calm", "wild"])
            .prop_map(move |text| quoted(name, text.into()))
            .boxed(),
        "ids" | "picks" => (vec(any::<i32>(), 0..4), any::<bool>())
            .prop_map(move |(ids, several)| {
                list(
                    name,
                    ids.iter().map(i32::to_string).collect(),
                    &json!(ids),
                    several,
                )
            })
            .boxed(),
        "names" => (vec(text(), 0..4), any::<bool>())
            .prop_map(move |(names, several)| list(name, names.clone(), &json!(names), several))
            .boxed(),
        _ => (vec(uuid(), 0..4), any::<bool>())
            .prop_map(move |(keys, several)| list(name, keys.clone(), &json!(keys), several))
            .boxed(),
    }
}

/// Generates values of some of the parameters.
fn values() -> impl Strategy<Value = Vec<Parameter>> {
    prop::sample::subsequence(NAMES.to_vec(), 0..=NAMES.len())
        .prop_flat_map(|names| names.into_iter().map(value).collect::<Vec<_>>())
}

/// Encodes pairs as a form or a query string.
fn form(pairs: &[(String, String)]) -> String {
    let mut url = reqwest::Url::parse("http://localhost").unwrap();
    url.query_pairs_mut().extend_pairs(pairs);
    url.query().unwrap_or_default().to_owned()
}

async fn by_query(service: &Service, fields: &str) -> Reply {
    send(service.by("reader", Method::GET, &format!("told?{fields}"))).await
}

async fn by_body(service: &Service, content: &str, body: impl Into<reqwest::Body>) -> Reply {
    send(
        service
            .by("reader", Method::POST, "told")
            .header("Content-Type", content)
            .body(body),
    )
    .await
}

const FORM: &str = "application/x-www-form-urlencoded";
const JSON: &str = "application/json";

#[tokio::test(flavor = "multi_thread")]
async fn value_is_read_equally_from_query_form_and_json() {
    let service = Service::with(MAP, &[]).await;
    let mut runner = TestRunner::deterministic();
    let cases: Vec<_> = (0..CASES)
        .map(|_| values().new_tree(&mut runner).unwrap().current())
        .collect();
    let asked = stream::iter(cases).map(|given| {
        let service = &service;
        async move {
            let pairs = given.iter().flat_map(|one| {
                let name = if one.brackets {
                    format!("{}[]", one.name)
                } else {
                    one.name.to_owned()
                };
                one.texts
                    .iter()
                    .map(move |text| (name.clone(), text.clone()))
            });
            let fields = form(&pairs.collect::<Vec<_>>());
            let members: Vec<String> = given
                .iter()
                .map(|one| format!("\"{}\":{}", one.name, one.json))
                .collect();
            let json = by_body(service, JSON, format!("{{{}}}", members.join(","))).await;
            assert_eq!(json.status, 200, "{given:?}: {}", json.text);
            let body = json.json();
            for one in given.iter().filter(|one| one.name != "picks") {
                assert!(!body["told"][one.name].is_null(), "{one:?}: {body}");
            }
            assert_eq!(by_query(service, &fields).await.text, json.text, "{fields}");
            assert_eq!(
                by_body(service, FORM, fields.clone()).await.text,
                json.text,
                "{fields}"
            );
            given.len()
        }
    });
    let given: usize = asked
        .buffer_unordered(AT_ONCE)
        .fold(0, |sum, given| async move { sum + given })
        .await;
    assert!(given > CASES * NAMES.len() / 3, "{given}");
}

/// Texts that are values, or similar to values.
fn junk() -> impl Strategy<Value = String> {
    let known = [
        "",
        " ",
        "0",
        "-0",
        "1e400",
        "-1e-400",
        "99999999999999999999",
        "0x10",
        "+1",
        "1_000",
        "NaN",
        "Infinity",
        "true",
        "TRUE",
        "null",
        "[]",
        "{}",
        "{1,2}",
        "{\"a\"}",
        "[[1],[2]]",
        "[1,",
        "[null]",
        "\"",
        "\"\\ud800\"",
        "{\"a\":1,\"a\":2}",
        "2024-02-30",
        "infinity",
        "-infinity",
        "epoch",
        "today",
        "294277-01-01",
        "4714-11-24 BC",
        "2024-02-29T24:00:00Z",
        "00000000000000000000000000000000",
        "calm",
        "' OR 1=1 --",
        "$1",
        "\\",
        "%",
        "a\0b",
        "\u{202e}",
        "\u{feff}1",
    ];
    let nested = (1..300_usize).prop_map(|depth| "[".repeat(depth) + &"]".repeat(depth));
    prop_oneof![4 => prop::sample::select(known.to_vec()).prop_map(str::to_owned), 3 => any::<String>(), 1 => nested]
}

/// A name of a parameter, or a similar one.
fn name() -> impl Strategy<Value = String> {
    let known = prop::sample::select(NAMES.to_vec());
    prop_oneof![
        8 => known.clone().prop_map(str::to_owned),
        2 => known.clone().prop_map(|name| format!("{name}[]")),
        1 => known.prop_map(str::to_uppercase),
        1 => any::<String>(),
    ]
}

/// A parameter and its text, valid or not.
fn pair() -> impl Strategy<Value = (String, String)> {
    let sound = prop::sample::select(NAMES.to_vec()).prop_flat_map(value);
    prop_oneof![
        2 => sound.prop_map(|given| (given.name.to_owned(), given.texts.into_iter().next().unwrap_or_default())),
        1 => (name(), junk()),
    ]
}

/// Fails unless the reply is a success or a client error.
#[track_caller]
fn is_sound(reply: &Reply, given: &dyn std::fmt::Debug) {
    let body = reply.json();
    let refused = body["status"] == "error"
        && body["message"]
            .as_str()
            .is_some_and(|message| !message.is_empty());
    // The values may be nested as deeply as the parser allows, and the response nests them deeper.
    let sound = reply.status == 200 && reply.text.starts_with("{\"told\":")
        || matches!(reply.status, 400 | 413) && refused;
    assert!(sound, "{given:?}: {} {}", reply.status, reply.text);
}

#[tokio::test(flavor = "multi_thread")]
async fn invalid_values_are_client_errors() {
    let service = Service::with(MAP, &[]).await;
    let mut runner = TestRunner::deterministic();
    let case = (vec(pair(), 1..4), vec(any::<u8>(), 0..40), json_value());
    let cases: Vec<_> = (0..CASES)
        .map(|_| case.new_tree(&mut runner).unwrap().current())
        .collect();
    let asked = stream::iter(cases).map(|(pairs, bytes, any)| {
        let service = &service;
        async move {
            let fields = form(&pairs);
            let query = by_query(service, &fields).await;
            is_sound(&query, &pairs);
            // A form is read like a query string.
            let posted = by_body(service, FORM, fields).await;
            assert_eq!(
                (posted.status, &posted.text),
                (query.status, &query.text),
                "{pairs:?}"
            );
            // The text in JSON, and any other value.
            for value in [json!(pairs[0].1), any] {
                let members = json!({ pairs[0].0.clone(): value }).to_string();
                is_sound(&by_body(service, JSON, members.clone()).await, &members);
            }
            for content in [FORM, JSON] {
                is_sound(&by_body(service, content, bytes.clone()).await, &bytes);
            }
            query.status
        }
    });
    let statuses: Vec<u16> = asked.buffer_unordered(AT_ONCE).collect().await;
    let answered = statuses.iter().filter(|status| **status == 200).count();
    assert!(
        answered > CASES / 10 && answered < CASES * 3 / 4,
        "{answered}"
    );
}

//! Tests that everything that the schema offers for a column of any type handles arbitrary input:
//! each operator, update operator, cast and order with odd values, in both dialects. The result is
//! a success or a client error, never `unexpected`.

use std::collections::HashMap;

use futures_util::{StreamExt, stream};
use gateway::server::GatewayHandle;
use serde_json::{Map, Value, json};
use tests::reply::Reply;
use tests::reply::ReplyError;
use tests::service::{self, ADMIN_SECRET};

use super::{COLUMNS, Outcome, SETUP};

/// Values that some type finds malformed, too large, empty, or valid.
const TEXTS: [&str; 58] = [
    "",
    " ",
    "x",
    "0",
    "-1",
    "1",
    "NaN",
    "nan",
    "Infinity",
    "-Infinity",
    "1e400",
    "1e-400",
    "1e131080",
    "99999999999999999999999",
    "-9223372036854775808",
    "2147483647",
    "0.5",
    "true",
    "null",
    "NULL",
    "'",
    "\"",
    "\\",
    "%\\",
    "\\x",
    "\\xzz",
    "{",
    "{}",
    "{{1},{2}}",
    "{1,2",
    "{NULL}",
    "[]",
    "[1,2)",
    "(,)",
    "empty",
    "{[1,2),[5,)}",
    "(1,2)",
    "((1,2),(3,4))",
    "<(0,0),NaN>",
    "{1,-1,0}",
    "{0,0,0}",
    "2024-02-30",
    "infinity",
    "294277-01-01",
    "4714-11-24 BC",
    "25:00:00",
    "1 year -1 century",
    "P1Y",
    "00000000-0000-0000-0000-000000000000",
    "a & | b",
    "a <99999> b",
    "$.a[",
    "a.b.*{2}",
    "a=>1",
    "[[:alpha:",
    "::1/129",
    "<a",
    "😀\u{7f}",
];

/// The input types of a schema.
struct Inputs {
    fields: HashMap<String, Vec<(String, Value)>>,
    values: HashMap<String, Vec<Value>>,
}

/// Pseudo-random numbers; every run generates identical ones.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound.max(1)
    }

    fn pick<'i, T>(&mut self, items: &'i [T]) -> Option<&'i T> {
        items.get(self.below(items.len()))
    }
}

impl Inputs {
    fn read(schema: &Value) -> Inputs {
        let mut inputs = Inputs {
            fields: HashMap::new(),
            values: HashMap::new(),
        };
        for of in schema["__schema"]["types"].as_array().into_iter().flatten() {
            let name = of["name"].as_str().unwrap_or_default().to_owned();
            let members = |key: &str| of[key].as_array().cloned().unwrap_or_default();
            let fields = members("inputFields").into_iter();
            let fields = fields.map(|field| {
                (
                    field["name"].as_str().unwrap_or_default().to_owned(),
                    field["type"].clone(),
                )
            });
            let values = members("enumValues")
                .into_iter()
                .map(|value| value["name"].clone())
                .collect();
            inputs.fields.insert(name.clone(), fields.collect());
            inputs.values.insert(name, values);
        }
        inputs
    }

    fn of(&self, name: &str) -> &[(String, Value)] {
        self.fields.get(name).map_or(&[], Vec::as_slice)
    }

    /// A value for a type, which need not fit.
    fn value(&self, of: &Value, stored: &[Value], depth: usize, numbers: &mut Numbers) -> Value {
        let inner = &of["ofType"];
        match of["kind"].as_str().unwrap_or_default() {
            "NON_NULL" => self.value(inner, stored, depth, numbers),
            "LIST" => (0..numbers.below(4))
                .map(|_| self.value(inner, stored, depth, numbers))
                .collect(),
            "ENUM" => {
                let values = self.values.get(of["name"].as_str().unwrap_or_default());
                values
                    .and_then(|values| numbers.pick(values))
                    .cloned()
                    .unwrap_or_default()
            }
            "INPUT_OBJECT" => self.object(
                of["name"].as_str().unwrap_or_default(),
                stored,
                depth + 1,
                numbers,
            ),
            _ => scalar(of["name"].as_str().unwrap_or_default(), stored, numbers),
        }
    }

    /// An object with its required fields, and some of the optional ones.
    fn object(&self, name: &str, stored: &[Value], depth: usize, numbers: &mut Numbers) -> Value {
        let mut object = Map::new();
        let fields = self.of(name);
        let one = numbers.below(fields.len());
        for (index, (field, of)) in fields.iter().enumerate() {
            let required = of["kind"] == "NON_NULL";
            let chosen = index == one || (depth > 1 && numbers.below(3) == 0);
            if depth < 5 && (required || chosen) {
                object.insert(field.clone(), self.value(of, stored, depth, numbers));
            }
        }
        Value::Object(object)
    }
}

fn scalar(name: &str, stored: &[Value], numbers: &mut Numbers) -> Value {
    let numeric = [
        json!(0),
        json!(-1),
        json!(1.5),
        json!(1e308),
        json!(-9_223_372_036_854_775_808_i64),
        json!(2_147_483_647),
    ];
    match (name, numbers.below(10)) {
        ("Boolean", _) => json!(numbers.below(2) == 0),
        ("Int", n) if n < 8 => numbers
            .pick(&[
                json!(0),
                json!(-1),
                json!(1),
                json!(2_147_483_647),
                json!(-2_147_483_648),
            ])
            .cloned()
            .unwrap_or_default(),
        ("Float", n) if n < 8 => numbers.pick(&numeric).cloned().unwrap_or_default(),
        (_, 0) => numbers.pick(&numeric).cloned().unwrap_or_default(),
        (_, 1) => numbers
            .pick(&[
                json!([]),
                json!([[]]),
                json!([null]),
                json!([[1], [2]]),
                json!({}),
                json!({"a": [1, "x"]}),
                json!(true),
            ])
            .cloned()
            .unwrap_or_default(),
        (_, 2) => json!(TEXTS[numbers.below(TEXTS.len())].repeat(numbers.below(900))),
        (_, 3..=5) => numbers.pick(stored).cloned().unwrap_or_default(),
        _ => json!(TEXTS[numbers.below(TEXTS.len())]),
    }
}

const SCHEMA: &str = "{ __schema { types { name kind enumValues { name } inputFields { name type \
                      { ...T } } } } } \
                      fragment T on __Type { kind name ofType { kind name ofType { kind name \
                      ofType { kind name } } } }";

struct Service {
    gateway: GatewayHandle,
    client: reqwest::Client,
}

impl Service {
    async fn open(url: &str, profile: &str) -> Service {
        let builder = service::Service::builder("odd", &[])
            .permissions("[naming]\nconvention = \"snake\"\n")
            .profile(profile)
            .setting("pool-size", "4");
        Service {
            gateway: builder.gateway_builder(url).start().await.unwrap(),
            client: reqwest::Client::new(),
        }
    }

    async fn ask(&self, query: &str, variables: &Value) -> Reply {
        let mut post = self
            .client
            .post(format!("{}/v1/graphql", self.gateway.url()));
        for prefix in ["X-Gateway-", "X-Hasura-"] {
            post = post
                .header(format!("{prefix}Admin-Secret"), ADMIN_SECRET)
                .header(format!("{prefix}Dry-Run"), "true");
        }
        service::send(post.json(&json!({"query": query, "variables": variables}))).await
    }
}

/// A request about a table: a document, its variables, and the column.
struct TestRequest {
    query: String,
    variables: Value,
    about: String,
}

/// A request for everything that the schema offers for each column of a table.
fn questions(
    table: &str,
    inputs: &Inputs,
    rows: &[Value],
    rounds: usize,
    numbers: &mut Numbers,
) -> Vec<TestRequest> {
    let mut all = vec![];
    for column in COLUMNS {
        let stored: Vec<Value> = rows
            .iter()
            .map(|row| row[column].clone())
            .filter(|value| !value.is_null())
            .collect();
        let of = |input: &str| {
            inputs
                .of(input)
                .iter()
                .find(|(name, _)| name == column)
                .map(|(_, of)| of.clone())
        };
        let mut ask = |query: String, value: Value, what: String| {
            let variables = json!({"v": {column: value}});
            let about = format!("{table}.{column} {what}");
            all.push(TestRequest {
                query,
                variables,
                about,
            });
        };
        if let Some(comparison) = of(&format!("{table}_bool_exp")) {
            let operators = inputs.of(comparison["name"].as_str().unwrap_or_default());
            for (operator, of) in operators
                .iter()
                .flat_map(|one| std::iter::repeat_n(one, rounds))
            {
                let query =
                    format!("query ($v: {table}_bool_exp!) {{ {table}(where: $v) {{ id }} }}");
                let value = inputs.value(of, &stored, 0, numbers);
                ask(query, json!({operator: value}), operator.clone());
            }
        }
        for modifier in [
            "set",
            "inc",
            "mul",
            "append",
            "prepend",
            "delete_key",
            "delete_elem",
            "delete_at_path",
            "array_append",
            "array_remove",
        ] {
            let input = format!("{table}_{modifier}_input");
            let Some(of) = of(&input) else { continue };
            for _ in 0..rounds {
                let query = format!(
                    "mutation ($v: {input}!) {{ update_{table}(where: {{}}, \
                                     _{modifier}: $v) {{ affected_rows }} }}"
                );
                ask(
                    query,
                    inputs.value(&of, &stored, 0, numbers),
                    format!("_{modifier}"),
                );
            }
        }
        if let Some(of) = of(&format!("{table}_insert_input")) {
            let query = format!(
                "mutation ($v: {table}_insert_input!) {{ insert_{table}(objects: \
                                 [$v]) {{ affected_rows }} }}"
            );
            ask(
                query,
                inputs.value(&of, &stored, 0, numbers),
                "insert".into(),
            );
        }
        if let Some(of) = of(&format!("{table}_order_by")) {
            let query =
                format!("query ($v: {table}_order_by!) {{ {table}(order_by: [$v]) {{ id }} }}");
            ask(
                query,
                inputs.value(&of, &stored, 0, numbers),
                "order".into(),
            );
        }
    }
    all
}

fn is_unexpected(reply: &Reply) -> bool {
    let ReplyError { status, code, .. } = reply.error();
    status >= 500 || code == "unexpected" || (code.is_empty() && reply.data() == Value::Null)
}

/// How many rounds of requests are sent. The default of one takes about a minute; more rounds find
/// rarer errors.
fn rounds() -> usize {
    std::env::var("POSTERN_ODD_ROUNDS")
        .ok()
        .and_then(|rounds| rounds.parse().ok())
        .unwrap_or(1)
}

#[tokio::test(flavor = "multi_thread")]
async fn no_value_causes_an_unexpected_error() -> Outcome {
    let database = tests::create("odd_values", &[SETUP]).await?;
    let client = tests::fixture::connect(&database).await?;
    let tables = super::tables(&client).await?;
    let mut faults = Vec::new();
    let mut asked = 0;
    let mut answered = 0;
    for (profile, seed) in [("gateway", 1), ("hasura", 2)] {
        let service = Service::open(database.url(), profile).await;
        let schema = service.ask(SCHEMA, &json!({})).await;
        let inputs = Inputs::read(&schema.data());
        let mut numbers = Numbers(seed);
        for (table, type_name) in &tables {
            let rows = service
                .ask(
                    &format!("{{ {table} {{ {} }} }}", COLUMNS.join(" ")),
                    &json!({}),
                )
                .await
                .data();
            let rows = rows[table.as_str()].as_array().cloned().unwrap_or_default();
            let questions = questions(table, &inputs, &rows, rounds(), &mut numbers);
            let replies = stream::iter(&questions)
                .map(|one| service.ask(&one.query, &one.variables))
                .buffered(4);
            let replies: Vec<Reply> = replies.collect().await;
            for (one, reply) in questions.iter().zip(replies) {
                asked += 1;
                answered += usize::from(reply.data() != Value::Null);
                if is_unexpected(&reply) {
                    let variables = one
                        .variables
                        .to_string()
                        .chars()
                        .take(300)
                        .collect::<String>();
                    faults.push(format!(
                        "{profile} {type_name} {}: {variables}: {}",
                        one.about, reply.text
                    ));
                }
            }
        }
    }
    assert!(
        faults.is_empty(),
        "{} of {asked} are unexpected\n{}",
        faults.len(),
        faults.join("\n")
    );
    assert!(
        asked > 10_000 && answered > asked / 5,
        "{asked} asked, {answered} answered"
    );
    Ok(())
}

//! Compares the statement that runs a query for many subscribers with the query alone: for every
//! golden case that is a query of one root field, as a subscription, for each of its roles and for
//! two callers at once.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};
use sql::TranslationKind;
use sql::statement::{BATCH_COLUMNS, Statement};
use tests::case::{self, Case};
use tests::fixture::{self, Fixture};
use tests::request::{Request, Translated};
use tests::wire;
use tokio_postgres::Client;

type Row = Vec<Option<Vec<u8>>>;

/// The least number of batches that are compared, so that the test cannot pass without any.
const LEAST: usize = 70;

#[tokio::test]
async fn batch_returns_to_each_caller_the_rows_of_its_own_query() {
    let database = fixture::database("batches").await.unwrap();
    let client = fixture::connect(&database).await.unwrap();
    let fixture = Fixture::saved().unwrap();
    let mut compared = 0;
    let mut faults = Vec::new();
    for file in case::files().unwrap() {
        if file.extension().is_none_or(|ending| ending != "graphql") {
            continue;
        }
        let text = std::fs::read_to_string(case::folder().join(&file)).unwrap();
        let case = Case::parse(&file.with_extension("").to_string_lossy(), &text).unwrap();
        let Some(document) = as_subscription(&text) else {
            continue;
        };
        for access in case.roles.iter().filter_map(|role| fixture.access(role)) {
            let request = Request {
                document: document.clone(),
                ..case.request.clone()
            };
            let Ok(translated) = request.translate(access) else {
                continue;
            };
            let TranslationKind::Statement(statement) = &translated.translation.kind else {
                continue;
            };
            let Some(batch) = &statement.batch else {
                continue;
            };
            let callers = callers(&request, &translated, statement);
            match compare(&client, statement, batch, &callers).await {
                Ok(Compared::Alike) => compared += 1,
                Ok(Compared::Failed) => {}
                Err(fault) => faults.push(format!("{} as {}: {fault}", case.name, access.role())),
            }
        }
    }
    assert!(
        faults.is_empty(),
        "{} faults\n{}",
        faults.len(),
        faults.join("\n")
    );
    assert!(compared >= LEAST, "{compared} batches");
}

#[test]
fn members_of_a_streams_cursor_have_no_order_and_the_key_stands_last() {
    let fixture = Fixture::saved().unwrap();
    let access = fixture.access("admin").unwrap();
    let value = |name: &str| match name {
        "id" => json!(7),
        "userId" => json!(1),
        _ => json!("2020-01-01"),
    };
    let mut literal = BTreeSet::new();
    let mut variable = BTreeSet::new();
    for order in [
        ["placedOn", "id", "userId"],
        ["id", "userId", "placedOn"],
        ["userId", "placedOn", "id"],
    ] {
        let members = order
            .map(|name| format!("{name}: {}", value(name)))
            .join(", ");
        let text = format!(
            "subscription {{ ordersStream(batch_size: 1, cursor: {{initial_value: \
                            {{{members}}}}}) {{ id }} }}"
        );
        let by_variable = "subscription ($v: orders_stream_cursor_value_input!) { \
                           ordersStream(batch_size: 1, cursor: {initial_value: $v}) { id } }";
        let object: Map<String, Value> = order
            .iter()
            .map(|name| ((*name).to_owned(), value(name)))
            .collect();
        let requests = [
            (Request::new(text), &mut literal),
            (
                Request::new(by_variable).variables(json!({"v": object})),
                &mut variable,
            ),
        ];
        for (request, texts) in requests {
            let translated = request.translate(access).unwrap();
            let TranslationKind::Statement(statement) = &translated.translation.kind else {
                panic!("{request:?}")
            };
            texts.insert((
                statement.text.clone(),
                format!("{:?}", statement.parameters),
            ));
        }
    }
    assert_eq!(
        (literal.len(), variable.len()),
        (1, 1),
        "{literal:#?}{variable:#?}"
    );
    let text = &literal.first().unwrap().0;
    let order = text.split("ORDER BY").nth(1).unwrap();
    let places = ["\"user_id\"", "\"id\""].map(|column| order.find(column).unwrap());
    assert!(places.is_sorted(), "{text}");
}

/// The document with its queries as subscriptions; none if it has other operations.
fn as_subscription(text: &str) -> Option<String> {
    let (comments, document): (Vec<&str>, Vec<&str>) =
        text.lines().partition(|line| line.starts_with('#'));
    let document = document.join("\n");
    let document = match document.trim_start().strip_prefix("query") {
        Some(rest) => format!("subscription{rest}"),
        None if document.trim_start().starts_with('{') => format!("subscription {document}"),
        None => return None,
    };
    Some(format!("{}\n{document}", comments.join("\n")))
}

/// The parameters of the case's caller, of a caller with other session values, and of the first
/// again.
fn callers(
    request: &Request,
    translated: &Translated,
    statement: &Statement,
) -> Vec<Vec<Option<String>>> {
    let mut other = request.clone();
    for value in other.session.values_mut() {
        if let Ok(number) = value.parse::<u32>() {
            *value = (number % 3 + 1).to_string();
        }
    }
    let bound =
        [request, &other, request].map(|request| request.bind(statement, &translated.variables));
    bound.into_iter().filter_map(Result::ok).collect()
}

/// The outcome of a comparison.
enum Compared {
    /// Each caller has the rows of its own query.
    Alike,
    /// The query of a caller fails, so there is nothing to compare.
    Failed,
}

async fn compare(
    client: &Client,
    statement: &Statement,
    batch: &str,
    callers: &[Vec<Option<String>>],
) -> Result<Compared, String> {
    let mut alone: Vec<Vec<Row>> = Vec::new();
    for parameters in callers {
        match wire::bytes(client, &statement.text, parameters).await {
            Ok(rows) => alone.push(rows),
            // The gateway then runs the query of each caller alone.
            Err(_) => return Ok(Compared::Failed),
        }
    }
    let rows = wire::bytes(client, batch, &arrays(statement, callers))
        .await
        .map_err(|error| error.to_string())?;
    let mut together: Vec<Vec<Row>> = vec![Vec::new(); callers.len()];
    let mut last = 0;
    for mut row in rows {
        let rest = row.split_off(BATCH_COLUMNS);
        let number = i64::from_be_bytes(row[0].as_deref().unwrap().try_into().unwrap());
        if !(last..=last + 1).contains(&number) {
            return Err(format!("row of caller {number} after one of {last}"));
        }
        last = number;
        if row[1].is_some() {
            together[usize::try_from(number).unwrap() - 1].push(rest);
        }
    }
    if together == alone {
        Ok(Compared::Alike)
    } else {
        Err(format!("{together:?}\ninstead of\n{alone:?}"))
    }
}

fn arrays(statement: &Statement, callers: &[Vec<Option<String>>]) -> Vec<Option<String>> {
    let quoted = |value: &Option<String>| match value {
        Some(value) => format!("\"{}\"", value.replace('\\', "\\\\").replace('"', "\\\"")),
        None => "NULL".to_owned(),
    };
    let array = |index: usize| {
        let values: Vec<String> = callers
            .iter()
            .map(|parameters| quoted(&parameters[index]))
            .collect();
        Some(format!("{{{}}}", values.join(",")))
    };
    let parameters = statement.parameters.iter().enumerate();
    parameters
        .map(|(position, of)| {
            if of.varies() {
                array(position)
            } else {
                callers[0][position].clone()
            }
        })
        .collect()
}

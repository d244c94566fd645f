//! Tests that a statement that
//! [`VariableFingerprint::key`](sql::graphql::variables::VariableFingerprint::key) finds after
//! other requests for a document equals the one that a fresh translation makes.

mod inserts;

use std::cell::RefCell;
use std::collections::HashMap;

use serde_json::{Map, Value as Json, json};
use sql::graphql::variables::{VariableFingerprint, Variables};
use sql::model::access::Access;
use sql::statement::{Mutation, Statement, ValueBudget};
use sql::{Cause, ErrorKind, TranslationKind};
use tests::choices::{self, Choices};
use tests::documents::{Random, regrown, reworded};
use tests::fixture::Fixture;
use tests::request::{Failure, Request, Translated};

/// Every position where a variable may determine the text of a statement, and some where it does
/// not.
const DOCUMENT: &str = r"
query (
  $where: orders_bool_exp, $also: orders_bool_exp!, $inner: order_lines_bool_exp, $order: [orders_order_by!], $direction: order_by, $limit: Int, $offset: Int,
  $columns: [orders_select_column!], $distinct: Boolean, $yes: Boolean!, $id: bigint!, $ids: [bigint!]!, $null: Boolean!, $like: String!
) {
  orders(where: $where, order_by: $order, limit: $limit, offset: $offset) {
    id
    lines(where: $inner, order_by: [{quantity: $direction}, {line_no: asc}]) { line_no @include(if: $yes) quantity }
    user @skip(if: $yes) { id }
  }
  ordersAggregate(where: {_and: [$also, {_or: [{id: {_eq: $id}}, {id: {_in: $ids}, teamId: {_is_null: $null}}, {name: {_like: $like}}]}]}) {
    aggregate { count(columns: $columns, distinct: $distinct) }
  }
  ordersByPk(id: $id) { lines(where: {_not: $inner}) { line_no } }
}";

/// The cached statements of a document.
#[derive(Default)]
struct Cache {
    structure: VariableFingerprint,
    found: HashMap<String, Translated>,
    hits: usize,
}

#[test]
fn cached_translation_equals_a_fresh_one() {
    let fixture = Fixture::saved().map_err(|error| error.to_string());
    let cache = RefCell::new(Cache::default());
    let outcome = fixture.and_then(|fixture| {
        choices::check(1500, |choices| {
            let access = fixture.access("customer").ok_or("no role")?;
            let variables = variables(choices);
            // The second request differs in values that must not determine the text.
            for variables in [variables.clone(), other(variables)] {
                match Request::new(DOCUMENT)
                    .variables(variables)
                    .translate(access)
                {
                    Ok(fresh) => cache.borrow_mut().ask(fresh)?,
                    // Refused requests are not cached.
                    Err(Failure::Request(error))
                        if error.kind() == ErrorKind::ConstraintViolation => {}
                    Err(error) => return Err(error.to_string()),
                }
            }
            Ok(())
        })
    });
    assert_eq!(outcome, Ok(()));
    let cache = cache.into_inner();
    assert!(
        cache.hits > 800 && cache.found.len() > 50,
        "{} hits, {} statements",
        cache.hits,
        cache.found.len()
    );
}

/// How many random queries and mutations are tried for each role, and how often each is requested.
const QUERIES: u32 = 200;
const MUTATIONS: u32 = 100;
const ASKED: usize = 5;

#[test]
fn random_queries_hit_only_equal_statements() {
    let tried = try_documents(
        &["admin", "customer", "staff"],
        QUERIES,
        |access, choices| Random::new(access, choices),
    );
    assert!(
        tried.hits * 3 > tried.asked && tried.statements * 10 > tried.asked,
        "{tried:?}"
    );
}

#[test]
fn random_mutations_hit_only_equal_statements() {
    let roles = ["admin", "writer", "clerk"];
    let tried = try_documents(&roles, MUTATIONS, |access, choices| {
        Random::mutation(access, choices)
    });
    // A mutation whose condition lacks a variable is refused.
    assert!(
        tried.hits * 4 > tried.asked && tried.statements * 12 > tried.asked,
        "{tried:?}"
    );
}

/// The number of requests, of cache hits, and of distinct statements.
#[derive(Debug, Default)]
struct Tried {
    asked: usize,
    hits: usize,
    statements: usize,
}

fn try_documents(
    roles: &[&str],
    documents: u32,
    make: impl for<'m> Fn(&'m Access, &mut Choices<'_>) -> Random<'m>,
) -> Tried {
    let fixture = Fixture::saved().map_err(|error| error.to_string());
    let tried = RefCell::new(Tried::default());
    let outcome = fixture.and_then(|fixture| {
        for role in roles {
            let access = fixture.access(role).ok_or("no role")?;
            choices::check(documents, |choices| {
                let random = make(access, choices);
                let cache = try_document(access, &random, choices, &mut tried.borrow_mut().asked)?;
                let mut tried = tried.borrow_mut();
                tried.hits += cache.hits;
                tried.statements += cache.found.len();
                Ok(())
            })
            .map_err(|error| format!("{role}: {error}"))?;
        }
        Ok(())
    });
    assert_eq!(outcome, Ok(()));
    tried.into_inner()
}

fn try_document(
    access: &Access,
    random: &Random<'_>,
    choices: &mut Choices<'_>,
    asked: &mut usize,
) -> Result<Cache, String> {
    let mut cache = Cache::default();
    let mut request = Request::new(&random.document);
    request.options.limit_parameters = choices.percent(30);
    for _ in 0..ASKED {
        let variables = random.variables(choices);
        for variables in [variables.clone(), reworded(&variables), regrown(&variables)] {
            *asked += 1;
            match request
                .clone()
                .variables(variables.clone())
                .translate(access)
            {
                Ok(fresh) => cache
                    .ask(fresh)
                    .map_err(|error| format!("{}\n{error}", random.document))?,
                // The document is valid, but its values may be invalid for Postgres, or too many.
                Err(Failure::Request(error)) if !is_of_document(&error.cause) => {}
                Err(error) => return Err(format!("{}\n{variables}\n{error}", random.document)),
            }
        }
    }
    Ok(cache)
}

/// Whether the error means that the schema should not have allowed the document. Values that do not
/// fit, arguments that exclude each other, and limits do not.
fn is_of_document(cause: &Cause) -> bool {
    use Cause::*;
    matches!(
        cause,
        Syntax { .. }
            | UnknownField { .. }
            | UnknownArgument { .. }
            | UnknownInputField { .. }
            | Missing { .. }
            | Duplicate { .. }
            | TwoSpellings { .. }
            | Unknown { .. }
            | Unused { .. }
            | Conflict { .. }
            | LeafWithSelection { .. }
            | MissingSelection { .. }
            | VariableType { .. }
            | VariableNotInput { .. }
    )
}

impl Cache {
    fn ask(&mut self, fresh: Translated) -> Result<(), String> {
        let key = self.structure.key(&fresh.variables);
        if let Some(kept) = self.found.get(&key) {
            self.hits += 1;
            return same(kept, &fresh);
        }
        if self.structure.merge(&fresh.translation.structure) {
            // The key's structure changed.
            self.found.clear();
        }
        self.found
            .insert(self.structure.key(&fresh.variables), fresh);
        Ok(())
    }
}

/// Compares text, shape, and the parameters bound with the variables of this request.
fn same(kept: &Translated, translated: &Translated) -> Result<(), String> {
    let variables = &translated.variables;
    match (&kept.translation.kind, &translated.translation.kind) {
        (TranslationKind::Statement(kept), TranslationKind::Statement(fresh)) => {
            same_statement(kept, fresh, variables)
        }
        (TranslationKind::Mutation(kept), TranslationKind::Mutation(fresh)) => {
            let leads = |mutation: &Mutation| {
                mutation
                    .steps
                    .iter()
                    .map(|step| step.lead.clone())
                    .collect::<Vec<_>>()
            };
            if leads(kept) != leads(fresh) || kept.end != fresh.end {
                return Err(format!("{variables:?}\nfound: {kept:?}\nfresh: {fresh:?}"));
            }
            let mut steps = kept.steps.iter().zip(&fresh.steps);
            steps.try_for_each(|(kept, fresh)| {
                same_statement(&kept.statement, &fresh.statement, variables)
            })
        }
        (TranslationKind::Constant(kept), TranslationKind::Constant(fresh)) if kept == fresh => {
            Ok(())
        }
        (kept, fresh) => Err(format!("{variables:?}\nfound: {kept:?}\nfresh: {fresh:?}")),
    }
}

fn same_statement(
    kept: &Statement,
    fresh: &Statement,
    variables: &Variables,
) -> Result<(), String> {
    let caller = Request::new("").session("user_id", "1");
    let bound =
        |statement: &Statement| statement.bind(variables, &caller, &mut ValueBudget::default());
    if kept.text != fresh.text || kept.shape != fresh.shape || kept.assertions != fresh.assertions {
        return Err(format!(
            "{variables:?}\nfound: {}\nfresh: {}",
            kept.text, fresh.text
        ));
    }
    if bound(kept) != bound(fresh) {
        return Err(format!(
            "{variables:?}\nfound: {:?}\nfresh: {:?}",
            bound(kept),
            bound(fresh)
        ));
    }
    Ok(())
}

/// Generates the value of a variable.
type Make = fn(&mut Choices<'_>) -> Json;

fn variables(choices: &mut Choices<'_>) -> Json {
    let mut variables = Map::new();
    let optional: [(&str, Make); 8] = [
        ("where", |choices| orders(choices, 3)),
        ("inner", |choices| lines(choices, 2)),
        ("order", order),
        ("direction", direction),
        ("limit", |choices| json!(choices.below(3))),
        ("offset", |choices| json!(choices.below(3))),
        ("columns", columns),
        ("distinct", |choices| json!(choices.percent(50))),
    ];
    for (name, make) in optional {
        match choices.below(4) {
            0 => {}
            1 => drop(variables.insert(name.into(), Json::Null)),
            _ => drop(variables.insert(name.into(), make(choices))),
        }
    }
    variables.insert("yes".into(), json!(choices.percent(50)));
    variables.insert("null".into(), json!(choices.percent(50)));
    variables.insert("also".into(), orders(choices, 1));
    variables.insert("id".into(), id(choices));
    variables.insert("ids".into(), ids(choices));
    variables.insert("like".into(), json!(["%", "a%", "x\\\\"][choices.below(3)]));
    Json::Object(variables)
}

/// Other values in the same positions, and longer lists of values.
fn other(variables: Json) -> Json {
    let Json::Object(mut variables) = variables else {
        return variables;
    };
    for name in ["where", "also", "inner", "id", "ids", "like"] {
        if let Some(value) = variables.get_mut(name) {
            change(value);
        }
    }
    Json::Object(variables)
}

fn change(value: &mut Json) {
    match value {
        Json::Number(_) => *value = json!(3),
        Json::String(text) if text.parse::<f64>().is_ok() => *value = json!("7"),
        Json::String(text) if text == "open" => *value = json!("it's paid"),
        Json::Array(items) => {
            items.iter_mut().for_each(change);
            if let Some(last) = items.last().filter(|last| !last.is_object()).cloned() {
                items.push(last);
            }
        }
        Json::Object(fields) => fields.values_mut().for_each(change),
        _ => {}
    }
}

fn orders(choices: &mut Choices<'_>, depth: usize) -> Json {
    let mut condition = Map::new();
    for _ in 0..choices.below(3) {
        let (key, value) = match choices.below(if depth == 0 { 4 } else { 10 }) {
            0 => ("id", comparison(choices, id)),
            1 => ("name", json!({ "_like": "%" })),
            2 => (
                "total",
                comparison(choices, |choices| {
                    json!(["1", "1.50", "-3"][choices.below(3)])
                }),
            ),
            3 => (
                "status",
                json!({ "_eq": (["open", "it's paid"][choices.below(2)]) }),
            ),
            4 => ("_not", orders(choices, depth - 1)),
            5 => (
                "_and",
                several(choices, |choices| orders(choices, depth - 1)),
            ),
            6 => (
                "_or",
                several(choices, |choices| orders(choices, depth - 1)),
            ),
            7 => ("lines", lines(choices, depth - 1)),
            8 => ("parent", orders(choices, depth - 1)),
            _ => (
                "user",
                json!({ "id": comparison(choices, |choices| json!(choices.below(5))) }),
            ),
        };
        condition.insert(key.into(), value);
    }
    Json::Object(condition)
}

fn lines(choices: &mut Choices<'_>, depth: usize) -> Json {
    match choices.below(if depth == 0 { 2 } else { 4 }) {
        0 => json!({}),
        1 => json!({ "quantity": comparison(choices, |choices| json!(choices.below(9))) }),
        2 => json!({ "_or": several(choices, |choices| lines(choices, depth - 1)) }),
        _ => json!({ "order": orders(choices, depth - 1) }),
    }
}

fn comparison(choices: &mut Choices<'_>, value: fn(&mut Choices<'_>) -> Json) -> Json {
    match choices.below(6) {
        0 => json!({ "_eq": value(choices) }),
        1 => json!({ "_gt": value(choices), "_lt": value(choices) }),
        2 => json!({ "_in": several(choices, value) }),
        3 => json!({ "_nin": several(choices, value) }),
        4 => json!({ "_is_null": choices.percent(50) }),
        _ => json!({}),
    }
}

/// A list, or a single item.
fn several(choices: &mut Choices<'_>, mut one: impl FnMut(&mut Choices<'_>) -> Json) -> Json {
    match choices.below(4) {
        0 => one(choices),
        length => (1..length).map(|_| one(choices)).collect(),
    }
}

fn id(choices: &mut Choices<'_>) -> Json {
    [json!(10), json!("10"), json!(12), json!("9007199254740993")][choices.below(4)].clone()
}

fn ids(choices: &mut Choices<'_>) -> Json {
    several(choices, id)
}

fn direction(choices: &mut Choices<'_>) -> Json {
    json!(["asc", "desc", "asc_nulls_first", "desc_nulls_last"][choices.below(4)])
}

fn order(choices: &mut Choices<'_>) -> Json {
    several(choices, |choices| match choices.below(5) {
        0 => json!({ "id": direction(choices) }),
        1 => json!({ "total": null, "placedOn": direction(choices) }),
        2 => json!({ "user": { "name": direction(choices) } }),
        3 => {
            json!({ "linesAggregate": { "count": direction(choices), "max": { "quantity": direction(choices) } } })
        }
        _ => json!({}),
    })
}

fn columns(choices: &mut Choices<'_>) -> Json {
    several(choices, |choices| {
        json!(["id", "status", "total"][choices.below(3)])
    })
}

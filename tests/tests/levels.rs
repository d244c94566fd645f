//! Tests that nested lists give equal responses whether the statement returns them as a union of
//! levels or as records.

use std::cell::Cell;

use serde_json::Value as Json;
use sql::encode::shape::ResponseShape;
use sql::model::access::Access;
use sql::resolve::NestedListStrategy;
use sql::schema::{FieldDefinition, InputMeaning, Object, Schema, TypeKey};
use tests::case::{self, Case};
use tests::choices::{self, Choices};
use tests::documents::Random;
use tests::fixture::{self, Fixture};
use tests::request::{Failure, Request};
use tokio_postgres::Client;

type Outcome = Result<(), Box<dyn std::error::Error>>;

#[tokio::test]
async fn golden_cases_give_equal_responses_in_both_forms() -> Outcome {
    let database = fixture::database("levels_cases").await?;
    let client = fixture::connect(&database).await?;
    let fixture = Fixture::saved()?;
    let mut levelled = 0;
    for file in case::files()?
        .iter()
        .filter(|file| file.extension().is_some_and(|ending| ending == "graphql"))
    {
        let text = std::fs::read_to_string(case::folder().join(file))?;
        let case = Case::parse(&file.to_string_lossy(), &text)?;
        for access in case.roles.iter().filter_map(|role| fixture.access(role)) {
            levelled += usize::from(is_same(&case.request, &client, access, false).await?);
        }
    }
    assert!(levelled > 100, "only {levelled} answers came as levels");
    Ok(())
}

#[test]
fn random_documents_give_equal_responses_in_both_forms() -> Outcome {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()?;
    let database = runtime.block_on(fixture::database("levels_random"))?;
    let client = runtime.block_on(fixture::connect(&database))?;
    let fixture = Fixture::saved()?;
    let levelled = Cell::new(0);
    let in_order = Cell::new(0);
    for role in [
        "admin", "customer", "staff", "auditor", "lead", "chief", "desk",
    ] {
        let access = fixture.access(role).ok_or("no role")?;
        choices::check(35, |choices| {
            let (document, ordered) = if choices.percent(30) {
                (Random::new(access, choices).document, false)
            } else {
                lists(access, choices)
            };
            let request = Request::new(document)
                .session("user_id", "1")
                .session("team_id", "1");
            let same = runtime.block_on(is_same(&request, &client, access, ordered))?;
            levelled.set(levelled.get() + usize::from(same));
            in_order.set(in_order.get() + usize::from(same && ordered));
            Ok(())
        })?;
    }
    assert!(
        levelled.get() > 25,
        "only {} answers came as levels",
        levelled.get()
    );
    assert!(
        in_order.get() > 10,
        "only {} of them are in an order",
        in_order.get()
    );
    Ok(())
}

/// A document of nested lists, and whether all of them have a total order.
fn lists(access: &Access, choices: &mut Choices<'_>) -> (String, bool) {
    let schema = Schema::new(access);
    let mut ordered = true;
    let fields: Vec<_> = schema.fields(Object::Query).into_iter().collect();
    let tables: Vec<_> = fields.iter().filter(|field| is_list(field)).collect();
    let document = match choices
        .pick(&tables)
        .map(|field| (*field, field.r#type.named))
    {
        Some((field, TypeKey::Object(row))) => {
            let order = order(access, field, row, choices).unwrap_or_else(|| {
                ordered = false;
                String::new()
            });
            let order = if order.is_empty() {
                order
            } else {
                format!("({order})")
            };
            format!(
                "{{ {} {order} {} }}",
                field.name,
                rows(access, row, 3, choices, &mut ordered)
            )
        }
        _ => "{ __typename }".to_owned(),
    };
    (document, ordered)
}

/// `order_by: [{rank: desc}, {id: asc}]`: sometimes a column, then the primary key. `None` if the
/// role cannot order by the key.
fn order(
    access: &Access,
    field: &FieldDefinition<'_>,
    row: Object,
    choices: &mut Choices<'_>,
) -> Option<String> {
    let (Object::Row(table), schema) = (row, Schema::new(access)) else {
        return None;
    };
    let argument = field
        .arguments
        .iter()
        .find(|argument| argument.name == "order_by")?;
    let TypeKey::Input(input) = argument.r#type.named else {
        return None;
    };
    let columns: Vec<_> = schema
        .input_fields(input)
        .into_iter()
        .filter_map(|field| match field.meaning {
            InputMeaning::Column(column) => Some((column, field.name)),
            _ => None,
        })
        .collect();
    let table = access.model().table(table);
    let key = table.keys.iter().find(|key| key.primary && !key.declared)?;
    let named = |name: &String| {
        columns
            .iter()
            .find(|(column, _)| table.column(*column).name == *name)
    };
    let key: Vec<_> = key
        .columns
        .iter()
        .map(|name| Some(format!("{{{}: asc}}", named(name)?.1)))
        .collect::<Option<_>>()?;
    let first = choices
        .pick(&columns)
        .filter(|_| choices.percent(60))
        .map(|(_, name)| format!("{{{name}: desc}}"));
    let all: Vec<String> = first.into_iter().chain(key).collect();
    Some(format!("order_by: [{}]", all.join(", ")))
}

fn rows(
    access: &Access,
    row: Object,
    depth: usize,
    choices: &mut Choices<'_>,
    ordered: &mut bool,
) -> String {
    let schema = Schema::new(access);
    let fields: Vec<_> = schema.fields(row).into_iter().collect();
    let leads = |field: &&FieldDefinition<'_>| matches!(field.r#type.named, TypeKey::Object(_));
    let values: Vec<_> = fields
        .iter()
        .filter(|field| !leads(field) && field.arguments.is_empty())
        .collect();
    let lists: Vec<_> = fields.iter().filter(|field| is_list(field)).collect();
    let objects: Vec<_> = fields
        .iter()
        .filter(|field| leads(field) && field.arguments.is_empty())
        .collect();
    let mut selected: Vec<String> = vec!["__typename".to_owned()];
    for alias in 0..choices.below(4) {
        selected.extend(
            choices
                .pick(&values)
                .map(|field| format!("v{alias}: {}", field.name)),
        );
    }
    let limit = if depth > 0 { 1 + choices.below(2) } else { 0 };
    for alias in 0..limit {
        if let Some((field, TypeKey::Object(inner))) = choices
            .pick(&lists)
            .map(|field| (*field, field.r#type.named))
        {
            let order = order(access, field, inner, choices);
            *ordered &= order.is_some();
            let cut = choices.percent(15).then(|| "limit: 1".to_owned());
            let arguments: Vec<String> = order.into_iter().chain(cut).collect();
            let arguments = if arguments.is_empty() {
                String::new()
            } else {
                format!("({})", arguments.join(", "))
            };
            let inner = rows(access, inner, depth - 1, choices, ordered);
            selected.push(format!("l{alias}: {}{arguments} {inner}", field.name));
        }
    }
    if depth > 0
        && choices.percent(40)
        && let Some((field, TypeKey::Object(inner))) = choices
            .pick(&objects)
            .map(|field| (field.name, field.r#type.named))
    {
        selected.push(format!(
            "o: {field} {}",
            rows(access, inner, depth - 1, choices, ordered)
        ));
    }
    format!("{{ {} }}", selected.join(" "))
}

/// Whether a field is a list of rows.
fn is_list(field: &FieldDefinition<'_>) -> bool {
    let takes = |name: &str| field.arguments.iter().any(|argument| argument.name == name);
    field.r#type.list
        && takes("where")
        && takes("limit")
        && field.arguments.iter().all(|a| !a.r#type.required)
}

/// Checks that both forms give equal responses; returns whether the statement used levels.
async fn is_same(
    request: &Request,
    client: &Client,
    access: &Access,
    ordered: bool,
) -> Result<bool, String> {
    let mut levels = request.clone();
    levels.options.lists = NestedListStrategy::Levels;
    let mut records = request.clone();
    records.options.lists = NestedListStrategy::Records;
    let Ok(translated) = levels.translate(access) else {
        return Ok(false);
    };
    let Some(statement) = translated.translation.kind.statement() else {
        return Ok(false);
    };
    if !matches!(statement.shape.response, ResponseShape::Levels(_)) {
        return Ok(false);
    }
    match (
        levels.answer(client, access).await,
        records.answer(client, access).await,
    ) {
        (Ok(levels), Ok(records)) if levels == records => Ok(true),
        (Ok(levels), Ok(records)) if !ordered && sorted(&levels) == sorted(&records) => Ok(true),
        (Err(Failure::Request(_)), Err(Failure::Request(_))) => Ok(false),
        // Reading some columns of the fixture raises an error, and the order in which they are read
        // differs.
        (Err(Failure::Wire(a)), Err(Failure::Wire(b)))
            if a.sqlstate().and(b.sqlstate()).is_some() =>
        {
            Ok(false)
        }
        (levels, records) => Err(format!(
            "{}\n{}\nlevels: {levels:?}\nrecords: {records:?}",
            request.document, statement.text
        )),
    }
}

/// The response with every list sorted: without an order, Postgres may return rows in any order.
fn sorted(text: &str) -> Json {
    fn sort(value: &mut Json) {
        match value {
            Json::Array(items) => {
                items.iter_mut().for_each(sort);
                items.sort_by_key(Json::to_string);
            }
            Json::Object(fields) => fields.values_mut().for_each(sort),
            _ => {}
        }
    }
    let mut value = serde_json::from_str(text).unwrap_or_default();
    sort(&mut value);
    value
}

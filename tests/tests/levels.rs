//! Lists within lists come as levels or as records: the answer is the same.

use std::cell::Cell;

use serde_json::Value as Json;
use sql::access::Access;
use sql::resolve::Lists;
use sql::schema::{FieldDefinition, Named, Object, Schema};
use sql::shape::Answer;
use tests::case::{self, Case};
use tests::choices::{self, Choices};
use tests::documents::Random;
use tests::fixture::{self, Fixture};
use tests::request::{Failure, Request};
use tokio_postgres::Client;

type Outcome = Result<(), Box<dyn std::error::Error>>;

#[tokio::test]
async fn cases_are_answered_the_same() -> Outcome {
    let database = fixture::database("levels_cases").await?;
    let client = fixture::connect(&database).await?;
    let fixture = Fixture::saved()?;
    let mut levelled = 0;
    for file in case::files()?.iter().filter(|file| file.extension().is_some_and(|ending| ending == "graphql")) {
        let text = std::fs::read_to_string(case::folder().join(file))?;
        let case = Case::parse(&file.to_string_lossy(), &text)?;
        for access in case.roles.iter().filter_map(|role| fixture.access(role)) {
            levelled += usize::from(is_same(&case.request, &client, access).await?);
        }
    }
    assert!(levelled > 100, "only {levelled} answers came as levels");
    Ok(())
}

#[test]
fn random_documents_are_answered_the_same() -> Outcome {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let database = runtime.block_on(fixture::database("levels_random"))?;
    let client = runtime.block_on(fixture::connect(&database))?;
    let fixture = Fixture::saved()?;
    let levelled = Cell::new(0);
    for role in ["admin", "customer", "staff", "auditor", "lead", "chief", "desk"] {
        let access = fixture.access(role).ok_or("no role")?;
        choices::check(35, |choices| {
            let document = match choices.percent(30) {
                true => Random::new(access, choices).document,
                false => lists(Schema::new(access), choices),
            };
            let request = Request::new(document).session("user_id", "1").session("team_id", "1");
            levelled.set(levelled.get() + usize::from(runtime.block_on(is_same(&request, &client, access))?));
            Ok(())
        })?;
    }
    assert!(levelled.get() > 25, "only {} answers came as levels", levelled.get());
    Ok(())
}

/// A document of lists within lists.
fn lists(schema: Schema<'_>, choices: &mut Choices<'_>) -> String {
    let fields: Vec<_> = schema.fields(Object::Query).into_iter().collect();
    let tables: Vec<_> = fields.iter().filter(|field| is_list(field)).collect();
    match choices.pick(&tables).map(|field| (field.name, field.r#type.named)) {
        Some((name, Named::Object(row))) => format!("{{ {name} {} }}", rows(schema, row, 3, choices)),
        _ => "{ __typename }".to_owned(),
    }
}

fn rows(schema: Schema<'_>, row: Object, depth: usize, choices: &mut Choices<'_>) -> String {
    let fields: Vec<_> = schema.fields(row).into_iter().collect();
    let leads = |field: &&FieldDefinition<'_>| matches!(field.r#type.named, Named::Object(_));
    let values: Vec<_> = fields.iter().filter(|field| !leads(field) && field.arguments.is_empty()).collect();
    let lists: Vec<_> = fields.iter().filter(|field| is_list(field)).collect();
    let objects: Vec<_> = fields.iter().filter(|field| leads(field) && field.arguments.is_empty()).collect();
    let mut asked: Vec<String> = vec!["__typename".to_owned()];
    for alias in 0..choices.below(4) {
        asked.extend(choices.pick(&values).map(|field| format!("v{alias}: {}", field.name)));
    }
    let limit = if depth > 0 { 1 + choices.below(2) } else { 0 };
    for alias in 0..limit {
        if let Some((field, Named::Object(inner))) = choices.pick(&lists).map(|field| (field.name, field.r#type.named))
        {
            let cut = if choices.percent(15) { "(limit: 1)" } else { "" };
            asked.push(format!("l{alias}: {field}{cut} {}", rows(schema, inner, depth - 1, choices)));
        }
    }
    if depth > 0
        && choices.percent(40)
        && let Some((field, Named::Object(inner))) =
            choices.pick(&objects).map(|field| (field.name, field.r#type.named))
    {
        asked.push(format!("o: {field} {}", rows(schema, inner, depth - 1, choices)));
    }
    format!("{{ {} }}", asked.join(" "))
}

/// Whether a field is a list of rows.
fn is_list(field: &FieldDefinition<'_>) -> bool {
    let takes = |name: &str| field.arguments.iter().any(|argument| argument.name == name);
    field.r#type.list && takes("where") && takes("limit") && field.arguments.iter().all(|a| !a.r#type.required)
}

/// Whether the request is answered by levels, after making sure that it is answered the same by records.
async fn is_same(request: &Request, client: &Client, access: &Access) -> Result<bool, String> {
    let mut levels = request.clone();
    levels.options.lists = Lists::Levels;
    let mut records = request.clone();
    records.options.lists = Lists::Records;
    let Ok(translated) = levels.translate(access) else { return Ok(false) };
    let Some(statement) = translated.translation.answer.statement() else { return Ok(false) };
    if !matches!(statement.shape.answer, Answer::Levels(_)) {
        return Ok(false);
    }
    match (levels.answer(client, access).await, records.answer(client, access).await) {
        (Ok(levels), Ok(records)) if sorted(&levels) == sorted(&records) => Ok(true),
        (Err(Failure::Request(_)), Err(Failure::Request(_))) => Ok(false),
        // Some columns of the fixture raise when they are read, the one or the other first.
        (Err(Failure::Wire(a)), Err(Failure::Wire(b))) if a.sqlstate().and(b.sqlstate()).is_some() => Ok(false),
        (levels, records) => {
            Err(format!("{}\n{}\nlevels: {levels:?}\nrecords: {records:?}", request.document, statement.text))
        }
    }
}

/// The answer with the items of every list in one order: where none is asked for, Postgres' may be any.
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

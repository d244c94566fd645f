//! What translating a mutation costs, over the demo's tables and permissions, for the role `user`: cold, and when its
//! statements are known, with one row in a variable and with a thousand. No database is needed.

use std::hint::black_box;
use std::sync::Arc;

use criterion::Criterion;
use serde_json::{Map, Value, json};
use sql::access::Access;
use sql::document::{self, Limits};
use sql::resolve::{Operation, Options};
use sql::statement::{Caller, Mutation};
use sql::variables::Variables;
use sql::{Answered, translate};

type Failure = Box<dyn std::error::Error>;

/// A mutation with its variables.
struct Case {
    name: &'static str,
    text: &'static str,
    variables: Map<String, Value>,
}

/// A session with the one value that the rules ask for.
struct Session;

impl Caller for Session {
    fn value(&self, name: &str) -> Option<&str> {
        (name == "user_id").then_some("510d46b8-da91-4480-b034-697c827e7a6d")
    }

    fn json(&self) -> String {
        "{}".to_owned()
    }
}

fn cases() -> Vec<Case> {
    let id = "45f3ed8d-b848-4953-b66d-d9210bf5ca24";
    let row = |n: usize| {
        json!({"dataSubjectId": id, "typeId": id, "sourceId": id, "triggeredAt": "2026-01-01T00:00:00Z",
            "fieldIds": [id], "preferenceIds": [format!("00000000-0000-0000-0000-{n:012}")]})
    };
    let rows = |count: usize| Value::Array((0..count).map(row).collect());
    let variables = |value: Value| value.as_object().cloned().unwrap_or_default();
    let insert = "mutation ($rows: [dataProcessingActivities_insert_input!]!) {
        insertDataProcessingActivities(objects: $rows) { affected_rows } }";
    vec![
        Case {
            name: "insert one",
            text: "mutation ($object: dataProcessingActivities_insert_input!) {
                insertDataProcessingActivity(object: $object) { id triggeredAt } }",
            variables: variables(json!({"object": row(1)})),
        },
        Case { name: "insert 1 of many", text: insert, variables: variables(json!({"rows": rows(1)})) },
        Case { name: "insert 1,000", text: insert, variables: variables(json!({"rows": rows(1_000)})) },
        Case {
            name: "update by key",
            text: "mutation ($id: uuid!, $value: String) {
                updateDataSubjectConsentFormValue(pk_columns: {id: $id}, _set: {value: $value}) { id value updatedAt } }",
            variables: variables(json!({"id": id, "value": "false"})),
        },
    ]
}

fn main() -> Result<(), Failure> {
    let permissions = bench::demo()?;
    let access = permissions.role("user").ok_or("the demo's permissions have no role `user`")?;
    let mut criterion = Criterion::default().configure_from_args();
    for case in cases() {
        measure(&mut criterion, access, &case)?;
    }
    criterion.final_summary();
    Ok(())
}

fn measure(criterion: &mut Criterion, access: &Access, case: &Case) -> Result<(), Failure> {
    let (limits, options) = (Limits::default(), Options::default());
    let document = Arc::new(document::parse(case.text, &limits)?);
    let operation = Operation::validate(access, document, None)?;
    let variables = operation.coerce(access, &case.variables)?;
    let translation = translate(access, &operation, &variables, options)?;
    let Answered::Mutation(mutation) = &translation.answer else { return Err("no mutation".into()) };
    bind(mutation, &variables)?;

    let mut group = criterion.benchmark_group(case.name);
    group.bench_function("cold", |bencher| {
        bencher.iter(|| -> Result<_, Failure> {
            let document = Arc::new(document::parse(black_box(case.text), &limits)?);
            let operation = Operation::validate(access, document, None)?;
            let variables = operation.coerce(access, &case.variables)?;
            let translation = translate(access, &operation, &variables, options)?;
            let Answered::Mutation(mutation) = &translation.answer else { return Err("no mutation".into()) };
            Ok(bind(mutation, &variables)?)
        });
    });
    group.bench_function("cached", |bencher| {
        bencher.iter(|| -> Result<_, Failure> {
            let variables = black_box(&operation).coerce(access, &case.variables)?;
            let key = translation.structure.key(&variables);
            Ok((key, bind(mutation, &variables)?))
        });
    });
    group.finish();
    Ok(())
}

/// The parameters of all its statements.
fn bind(mutation: &Mutation, variables: &Variables) -> Result<usize, sql::Error> {
    mutation.steps.iter().map(|step| Ok(step.statement.bind(variables, &Session)?.len())).sum()
}

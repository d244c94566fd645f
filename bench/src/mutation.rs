//! The steps of translating mutations over the demo's tables and permissions: cold, and with cached
//! statements, with one row in a variable and with a thousand.

use std::hint::black_box;
use std::rc::Rc;
use std::sync::Arc;

use serde_json::{Map, Value, json};
use sql::graphql::document;
use sql::graphql::document::{Document, Limits};
use sql::graphql::variables::Variables;
use sql::model::access::Access;
use sql::resolve::{Operation, Options};
use sql::statement::{Mutation, SessionValues, ValueBudget};
use sql::{Translation, TranslationKind, translate};

use crate::Failure;
use crate::steps::{Case, Step};

const INSERT_ONE: &str = "mutation ($object: dataProcessingActivities_insert_input!) {
    insertDataProcessingActivity(object: $object) { id triggeredAt } }";
const INSERT: &str = "mutation ($rows: [dataProcessingActivities_insert_input!]!) {
    insertDataProcessingActivities(objects: $rows) { affected_rows } }";
const UPDATE: &str = "mutation ($id: uuid!, $value: String) {
    updateDataSubjectConsentFormValue(pk_columns: {id: $id}, _set: {value: $value}) { id value updatedAt } }";

const ID: &str = "45f3ed8d-b848-4953-b66d-d9210bf5ca24";

/// The mutations with their steps, for a role's access.
///
/// Errors: a mutation fails at a step.
pub fn cases(access: &Access) -> Result<Vec<Case<'_>>, Failure> {
    let list = |count: usize| json!({"rows": (0..count).map(row).collect::<Vec<_>>()});
    let mutations = [
        (
            "insert_one",
            "one row, six columns",
            INSERT_ONE,
            json!({"object": row(1)}),
        ),
        (
            "insert_list_of_1",
            "the same as a list of one",
            INSERT,
            list(1),
        ),
        (
            "insert_list_of_1000",
            "a list of 1,000 such rows",
            INSERT,
            list(1_000),
        ),
        (
            "update_by_key",
            "an update by key",
            UPDATE,
            json!({"id": ID, "value": "false"}),
        ),
    ];
    let case = |(name, about, text, variables): (_, _, _, Value)| {
        let variables = Arc::new(variables.as_object().cloned().unwrap_or_default());
        Ok(Case {
            name,
            about,
            steps: steps(&Rc::new(Stages::new(access, text, variables)?)),
        })
    };
    mutations.into_iter().map(case).collect()
}

fn row(n: usize) -> Value {
    json!({"dataSubjectId": ID, "typeId": ID, "sourceId": ID, "triggeredAt": "2026-01-01T00:00:00Z",
        "fieldIds": [ID], "preferenceIds": [format!("00000000-0000-0000-0000-{n:012}")]})
}

fn steps<'a>(stages: &Rc<Stages<'a>>) -> Vec<Step<'a>> {
    let step = |name: &'static str, run: fn(&Stages<'a>)| {
        let stages = stages.clone();
        (
            name,
            Box::new(move || run(black_box(&*stages))) as Box<dyn Fn() + 'a>,
        )
    };
    vec![
        step("coerce", |s| {
            drop(black_box(s.operation.coerce_shared(s.access, &s.given)));
        }),
        step("key", |s| {
            drop(black_box(s.translation.structure.key(&s.variables)));
        }),
        step("bind", |s| {
            drop(black_box(bind(&s.translation, &s.variables)));
        }),
        step("cached", |s| drop(black_box(s.cached()))),
        step("cold without parsing", |s| {
            drop(black_box(s.cold(s.document.clone())));
        }),
        step("cold", |s| {
            drop(black_box(s.parsed().and_then(|document| s.cold(document))));
        }),
    ]
}

/// A session with the one value that the rules use.
struct Session;

impl SessionValues for Session {
    fn value(&self, name: &str) -> Option<&str> {
        (name == "user_id").then_some("510d46b8-da91-4480-b034-697c827e7a6d")
    }

    fn json(&self) -> String {
        "{}".to_owned()
    }

    fn claims(&self) -> String {
        "{}".to_owned()
    }

    fn token_claims(&self, _: Option<&str>) -> Option<String> {
        Some(self.claims())
    }
}

/// The inputs of each step.
struct Stages<'a> {
    access: &'a Access,
    options: Options,
    text: &'static str,
    given: Arc<Map<String, Value>>,
    document: Arc<Document>,
    operation: Operation,
    variables: Variables,
    translation: Translation,
}

impl<'a> Stages<'a> {
    fn new(
        access: &'a Access,
        text: &'static str,
        given: Arc<Map<String, Value>>,
    ) -> Result<Stages<'a>, Failure> {
        let options = Options::default();
        let document = Arc::new(document::parse(text, &Limits::default())?);
        let operation = Operation::validate(access, document.clone(), None)?;
        let variables = operation.coerce_shared(access, &given)?;
        let translation = translate(access, &operation, &variables, options)?;
        bind(&translation, &variables)?;
        Ok(Stages {
            access,
            options,
            text,
            given,
            document,
            operation,
            variables,
            translation,
        })
    }

    fn parsed(&self) -> Result<Arc<Document>, Failure> {
        Ok(Arc::new(document::parse(self.text, &Limits::default())?))
    }

    fn cold(&self, document: Arc<Document>) -> Result<Translation, Failure> {
        let operation = Operation::validate(self.access, document, None)?;
        let variables = operation.coerce_shared(self.access, &self.given)?;
        let translation = translate(self.access, &operation, &variables, self.options)?;
        black_box(bind(&translation, &variables)?);
        Ok(translation)
    }

    fn cached(&self) -> Result<(), Failure> {
        let variables = self.operation.coerce_shared(self.access, &self.given)?;
        black_box((
            self.translation.structure.key(&variables),
            bind(&self.translation, &variables)?,
        ));
        Ok(())
    }
}

/// Binds the parameters of all statements and returns their number.
fn bind(translation: &Translation, variables: &Variables) -> Result<usize, Failure> {
    let TranslationKind::Mutation(mutation) = &translation.kind else {
        return Err("no mutation".into());
    };
    let mutation: &Mutation = mutation;
    let bound = mutation.steps.iter().map(|step| {
        Ok(step
            .statement
            .bind(variables, &Session, &mut ValueBudget::default())?
            .len())
    });
    Ok(bound.sum::<Result<usize, sql::Error>>()?)
}

//! The steps of translating queries; documents, tables and permissions are the demo's.
//!
//! `cold` is a document seen for the first time, `cached` one whose statement is in the cache: then
//! only variables are coerced, the key is built, and parameters are bound.

use std::hint::black_box;
use std::rc::Rc;
use std::sync::Arc;

use serde_json::{Map, Value};
use sql::encode::shape::Shape;
use sql::graphql::document;
use sql::graphql::document::{Document, Limits};
use sql::graphql::variables::{VariableFingerprint, Variables};
use sql::model::access::Access;
use sql::plan::{PlanBody, plan};
use sql::render::{Bounded, render};
use sql::resolve::selection::Selection;
use sql::resolve::{Operation, Options};
use sql::statement::{SessionValues, Statement, ValueBudget};
use sql::{Translation, translate};

use crate::Failure;
use crate::steps::{Case, Step};

/// No limits on the lists of a statement.
const UNBOUNDED: Bounded<'_> = Bounded {
    max_response_bytes: None,
    word: "",
};

/// From ten lines and a lookup by key to five levels.
const DOCUMENTS: [(&str, &str, &str); 6] = [
    (
        "bench/queries",
        "RecentSubjects",
        "ten lines: a page, two relations",
    ),
    (
        "demo/queries",
        "GetDataControllerDetails",
        "a row by its key, 16 columns",
    ),
    (
        "demo/queries",
        "GetDataControllerFAQs",
        "a list with filter and order",
    ),
    (
        "demo/queries",
        "RecentActivities",
        "a filter across a relation, a page, four relations",
    ),
    (
        "demo/queries",
        "ControllerStatistics",
        "three root fields, five aggregates",
    ),
    ("demo/queries", "ControllerTree", "five levels"),
];

/// The documents with their steps, for a role's access.
///
/// Errors: a document cannot be read, or fails at a step.
pub fn cases(access: &Access) -> Result<Vec<Case<'_>>, Failure> {
    let case = |(folder, name, about)| {
        let stages = Rc::new(Stages::new(access, Request::read(folder, name)?)?);
        Ok(Case {
            name,
            about,
            steps: steps(&stages),
        })
    };
    DOCUMENTS.into_iter().map(case).collect()
}

/// The steps, each of which begins with the result of the previous one. Each step also drops its
/// result.
fn steps<'a>(stages: &Rc<Stages<'a>>) -> Vec<Step<'a>> {
    let step = |name: &'static str, run: fn(&Stages<'a>)| {
        let stages = stages.clone();
        (
            name,
            Box::new(move || run(black_box(&*stages))) as Box<dyn Fn() + 'a>,
        )
    };
    vec![
        step("parse", |s| {
            drop(black_box(document::parse(&s.request.text, &s.limits)));
        }),
        step("validate", |s| {
            drop(black_box(Operation::validate(
                s.access,
                s.document.clone(),
                None,
            )));
        }),
        step("select", |s| {
            drop(black_box(s.operation.select(
                s.access,
                &s.variables,
                s.options,
            )));
        }),
        step("plan", |s| {
            drop(black_box(plan(s.access, &s.selection, s.options)));
        }),
        step("render", |s| {
            drop(black_box(render(
                s.access,
                &s.body,
                s.shape.clone(),
                UNBOUNDED,
            )));
        }),
        step("cold without parsing", |s| {
            drop(black_box(s.cold(s.document.clone())));
        }),
        step("cold", |s| {
            drop(black_box(s.parsed().and_then(|document| s.cold(document))));
        }),
        step("cached", |s| drop(black_box(s.cached()))),
    ]
}

/// A document, and the role, variables and session values from the comments at its top.
#[derive(Clone, Debug)]
pub struct Request {
    /// The text of the file.
    pub text: String,
    /// The role; `user` if the file has none.
    pub role: String,
    /// The variables.
    pub variables: Arc<Map<String, Value>>,
    /// The session values, by names as in rules: `user_id`.
    pub session: Vec<(String, String)>,
}

impl SessionValues for Request {
    fn value(&self, name: &str) -> Option<&str> {
        self.session
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, value)| value.as_str())
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

impl Request {
    /// Reads `<folder>/<name>.graphql` with the lines `# role: user`, `# session: k=v` and `#
    /// variables: {…}` at its top.
    ///
    /// Errors: the file cannot be read, or its variables are not JSON.
    pub fn read(folder: &str, name: &str) -> Result<Request, Failure> {
        let text = crate::read(&format!("{folder}/{name}.graphql"))?;
        let header = |what: &str| {
            text.lines()
                .find_map(|line| line.strip_prefix(&format!("# {what}: ")))
        };
        let variables = header("variables")
            .map_or(Ok(Map::new()), serde_json::from_str)?
            .into();
        let pairs = header("session")
            .unwrap_or_default()
            .split_whitespace()
            .filter_map(|pair| pair.split_once('='));
        let session = pairs
            .map(|(name, value)| (name.replace('-', "_"), value.to_owned()))
            .collect();
        let role = header("role").unwrap_or("user").to_owned();
        Ok(Request {
            role,
            variables,
            session,
            text,
        })
    }
}

/// The inputs of each step.
struct Stages<'a> {
    access: &'a Access,
    request: Request,
    limits: Limits,
    options: Options,
    document: Arc<Document>,
    operation: Operation,
    variables: Variables,
    selection: Selection<'a>,
    structure: VariableFingerprint,
    body: PlanBody<'a>,
    shape: Shape,
    translation: Translation,
}

impl<'a> Stages<'a> {
    fn new(access: &'a Access, request: Request) -> Result<Stages<'a>, Failure> {
        let limits = Limits::default();
        let options = Options::default();
        let document = Arc::new(document::parse(&request.text, &limits)?);
        let operation = Operation::validate(access, document.clone(), None)?;
        let variables = operation.coerce_shared(access, &request.variables)?;
        let (selection, structure) = operation.select(access, &variables, options)?;
        let (body, shape) = plan(access, &selection, options)?;
        let body = body.ok_or("the document needs no database")?;
        let translation = translate(access, &operation, &variables, options)?;
        let stages = Stages {
            access,
            request,
            limits,
            options,
            document,
            operation,
            variables,
            selection,
            structure,
            body,
            shape,
            translation,
        };
        stages.cached()?;
        Ok(stages)
    }

    fn parsed(&self) -> Result<Arc<Document>, Failure> {
        Ok(Arc::new(document::parse(&self.request.text, &self.limits)?))
    }

    fn cold(&self, document: Arc<Document>) -> Result<Translation, Failure> {
        let operation = Operation::validate(self.access, document, None)?;
        let variables = operation.coerce_shared(self.access, &self.request.variables)?;
        let translation = translate(self.access, &operation, &variables, self.options)?;
        black_box(statement(&translation)?.bind(
            &variables,
            &self.request,
            &mut ValueBudget::default(),
        )?);
        Ok(translation)
    }

    fn cached(&self) -> Result<(), Failure> {
        let variables = self
            .operation
            .coerce_shared(self.access, &self.request.variables)?;
        let parameters = statement(&self.translation)?.bind(
            &variables,
            &self.request,
            &mut ValueBudget::default(),
        )?;
        black_box((self.structure.key(&variables), parameters));
        Ok(())
    }
}

fn statement(translation: &Translation) -> Result<&Statement, Failure> {
    translation
        .kind
        .statement()
        .ok_or_else(|| "the document needs no database".into())
}

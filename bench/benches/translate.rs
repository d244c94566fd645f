//! What translation costs, step by step, over the demo's tables, permissions and documents. No database is needed.
//!
//! `cold` is a document seen for the first time, `cached` one whose statement is known: then only variables are coerced,
//! the key is made, and parameters are bound.

use std::hint::black_box;
use std::sync::Arc;

use criterion::Criterion;
use serde_json::{Map, Value};
use sql::access::Access;
use sql::document::{self, Limits};
use sql::resolve::{Operation, Options};
use sql::statement::Caller;
use sql::translate;

type Failure = Box<dyn std::error::Error>;

/// From a lookup by key to five levels.
const DOCUMENTS: [&str; 5] =
    ["GetDataControllerDetails", "GetDataControllerFAQs", "RecentActivities", "ControllerStatistics", "ControllerTree"];

fn options() -> Options {
    Options::default()
}

/// A document of the demo, and the variables and session values that are written at its top.
struct Case {
    name: &'static str,
    text: String,
    variables: Map<String, Value>,
    session: Vec<(String, String)>,
}

impl Caller for Case {
    fn value(&self, name: &str) -> Option<&str> {
        self.session.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    fn json(&self) -> String {
        "{}".to_owned()
    }
}

fn main() -> Result<(), Failure> {
    let permissions = bench::demo()?;
    let access = permissions.role("user").ok_or("the demo's permissions have no role `user`")?;
    let mut criterion = Criterion::default().configure_from_args();
    for name in DOCUMENTS {
        measure(&mut criterion, access, &Case::read(name)?)?;
    }
    criterion.final_summary();
    Ok(())
}

fn measure(criterion: &mut Criterion, access: &Access, case: &Case) -> Result<(), Failure> {
    let limits = Limits::default();
    let document = Arc::new(document::parse(&case.text, &limits)?);
    let operation = Operation::validate(access, document.clone(), None)?;
    let variables = operation.coerce(access, &case.variables)?;
    let (selection, structure) = operation.select(access, &variables, options())?;
    let translation = translate(access, &operation, &variables, options())?;
    let statement = translation.answer.statement().ok_or("the document needs no database")?;
    statement.bind(&variables, case)?;

    let mut group = criterion.benchmark_group(case.name);
    group.bench_function("parse", |bencher| bencher.iter(|| document::parse(black_box(&case.text), &limits)));
    group.bench_function("validate", |bencher| {
        bencher.iter(|| Operation::validate(access, black_box(&document).clone(), None));
    });
    group.bench_function("select", |bencher| {
        bencher.iter(|| black_box(&operation).select(access, &variables, options()).is_ok());
    });
    group.bench_function("plan and render", |bencher| {
        bencher.iter(|| {
            let (body, shape) = sql::plan::plan(access, black_box(&selection), options()).ok()?;
            Some(sql::render::render(access, &body?, shape))
        });
    });
    group.bench_function("cold", |bencher| {
        bencher.iter(|| -> Result<_, Failure> {
            let document = Arc::new(document::parse(black_box(&case.text), &limits)?);
            let operation = Operation::validate(access, document, None)?;
            let variables = operation.coerce(access, &case.variables)?;
            let translation = translate(access, &operation, &variables, options())?;
            let parameters = translation.answer.statement().map(|statement| statement.bind(&variables, case));
            Ok((parameters.transpose()?, translation))
        });
    });
    group.bench_function("cached", |bencher| {
        bencher.iter(|| -> Result<_, Failure> {
            let variables = black_box(&operation).coerce(access, &case.variables)?;
            Ok((structure.key(&variables), statement.bind(&variables, case)?))
        });
    });
    group.finish();
    Ok(())
}

impl Case {
    /// Reads `demo/queries/<name>.graphql` with the lines `# session: k=v` and `# variables: {…}` at its top.
    fn read(name: &'static str) -> Result<Case, Failure> {
        let text = bench::read(&format!("demo/queries/{name}.graphql"))?;
        let said = |what: &str| text.lines().find_map(|line| line.strip_prefix(&format!("# {what}: ")));
        let variables = said("variables").map_or(Ok(Map::new()), serde_json::from_str)?;
        let pairs = said("session").unwrap_or_default().split_whitespace().filter_map(|pair| pair.split_once('='));
        let session = pairs.map(|(name, value)| (name.replace('-', "_"), value.to_owned())).collect();
        Ok(Case { name, variables, session, text })
    }
}

//! Measures the steps of translating an operation, for a document that is new and for one whose
//! plan is cached. No statement is run.

use std::hint::black_box;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::ArgMatches;
use serde_json::{Map, Value, json};
use sql::graphql::document;
use sql::model::access::Access;
use sql::postgres::catalog::Catalog;
use sql::statement::ValueBudget;
use sql::{lower, resolve};

use super::{Fault, Operation, brief, micros, operations, table, variables};
use crate::commands::{
    Failure, connect, permission_defaults, print, print_error, read, session_values, slowly,
};
use gateway::auth::session::{AuthKind, Session};
use gateway::config::Config;
use gateway::error::Error;
use gateway::execute;
use gateway::execute::plan_cache::PlanCache;
use gateway::execute::schema_version;
use gateway::limits::RoleLimits;
use gateway::request::Request;
use gateway::server::read_permissions;
use loadgen::Histogram;

/// The time limit for measuring one step of one operation.
const MAX_STEP_TIME: Duration = Duration::from_millis(1500);

/// The size of the plan cache of one operation, in bytes.
const PLAN_CACHE_BYTES: u64 = 1 << 24;

/// The measurements of an operation.
struct Measured {
    /// The steps for a new document, and `cold` for all of them together.
    steps: Vec<(&'static str, Histogram)>,
    /// A request whose plan is cached, or why that could not be measured.
    cached: Result<Histogram, String>,
}

/// What documents are translated with.
struct Setting<'a> {
    config: &'a Config,
    access: Arc<Access>,
    session: Session,
    variables: Map<String, Value>,
    repetitions: u64,
}

pub(super) async fn run(matches: &ArgMatches, config: &Config) -> Result<ExitCode, Failure> {
    let role = matches
        .get_one::<String>("role")
        .cloned()
        .unwrap_or_default();
    let values = session_values(matches, config.header_prefix())?;
    let setting = Setting {
        config,
        access: access(matches, config, &role).await?,
        session: Session::new(role, Arc::new(values), AuthKind::Trusted),
        variables: variables(matches)?.into_iter().next().unwrap_or_default(),
        repetitions: matches.get_one::<u64>("repetitions").copied().unwrap_or(1),
    };
    let (operations, mut faults) = operations(matches, &config.limits().document)?;
    let mut measured = vec![];
    for operation in &operations {
        match setting.measure(operation) {
            Ok(found) => measured.push((operation, found)),
            Err(error) => faults.push(operation.fault(error.message())),
        }
    }
    if matches.get_flag("json") {
        print(&report(&measured, &faults).to_string())?;
    } else {
        draw(&measured, &faults)?;
    }
    Ok(if faults.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// The role's permissions, from a saved catalog or from the database.
async fn access(matches: &ArgMatches, config: &Config, role: &str) -> Result<Arc<Access>, Failure> {
    let file = config
        .permissions
        .as_deref()
        .map(read_permissions)
        .transpose()?;
    let catalog = match matches.get_one::<String>("catalog") {
        Some(path) => {
            let broken = |cause| Failure::SavedCatalog {
                path: path.into(),
                cause,
            };
            Catalog::decode(&read(path)?).map_err(broken)?
        }
        None => {
            let database = connect(config).await?;
            slowly(
                "reading the catalog",
                schema_version::read_catalog(&database, file.as_ref()),
            )
            .await?
            .0
        }
    };
    let permissions = schema_version::compile(
        file.as_ref(),
        Arc::new(catalog),
        permission_defaults(config),
    )?;
    let nothing = || {
        Arc::new(Access::new(
            role,
            permissions.model.clone(),
            Default::default(),
        ))
    };
    Ok(permissions.role(role).cloned().unwrap_or_else(nothing))
}

impl Setting<'_> {
    fn measure(&self, operation: &Operation) -> Result<Measured, Error> {
        let access = &*self.access;
        let options = self.config.translation();
        let limits = &self.config.limits().document;
        let coercion = self.config.profile.coercion();
        let name = operation.name.as_deref();
        let parse = || document::parse(black_box(&operation.text), limits).map(Arc::new);
        let document = parse()?;
        let validate = |document: &Arc<_>| {
            resolve::Operation::validate_as(access, Arc::clone(document), name, coercion)
        };
        let valid = validate(&document)?;
        let sampled_variables = valid.sampled(&self.variables);
        let variables = valid.coerce(access, &sampled_variables)?;
        let select = || valid.select(access, black_box(&variables), options);
        let (selection, structure) = select()?;
        let finish = || {
            lower(
                access,
                valid.kind(),
                black_box(&selection),
                structure.clone(),
                options,
            )
        };
        finish().map_err(execute::plan_cache::failure)?;
        let all = || {
            let valid = validate(&parse()?)?;
            let variables = valid.coerce(access, &sampled_variables)?;
            sql::translate(access, &valid, &variables, options)
                .map_err(execute::plan_cache::failure)
        };
        let steps = vec![
            ("parse", self.repeat(parse)),
            ("validate", self.repeat(|| validate(&document))),
            ("select", self.repeat(select)),
            ("plan and render", self.repeat(finish)),
            ("cold", self.repeat(|| -> Result<_, Error> { all() })),
        ];
        Ok(Measured {
            steps,
            cached: self
                .cached(operation, sampled_variables)
                .map_err(|error| error.message()),
        })
    }

    /// Measures a request whose plan is cached, until its parameters are encoded.
    fn cached(
        &self,
        operation: &Operation,
        variables: Map<String, Value>,
    ) -> Result<Histogram, Error> {
        let plans = PlanCache::new(PLAN_CACHE_BYTES, self.config.translation());
        let limits = RoleLimits::from_limits(&self.config.limits());
        let request = Request {
            query: operation.text.clone(),
            operation_name: operation.name.clone(),
            variables: variables.into(),
            ..Request::default()
        };
        let request_to_parameters = || {
            let entry = plans.document(&self.access, black_box(&request), &limits, |_| Ok(()))?;
            let plan = plans.plan(&self.access, entry, &request, &limits)?;
            let parameters = execute::bind(
                &plan.translation,
                &plan.variables,
                &self.session,
                &mut ValueBudget::default(),
            )?;
            Ok((plan, parameters))
        };
        request_to_parameters()?;
        Ok(self.repeat(|| -> Result<_, Error> { request_to_parameters() }))
    }

    /// Measures `work` repeatedly, after a few runs to warm up.
    fn repeat<T>(&self, work: impl Fn() -> T) -> Histogram {
        (0..self.repetitions.min(20)).for_each(|_| drop(black_box(work())));
        let mut seen = Histogram::default();
        let end = Instant::now() + MAX_STEP_TIME;
        for _ in 0..self.repetitions {
            let started = Instant::now();
            let done = black_box(work());
            seen.record(started.elapsed());
            drop(done);
            if Instant::now() > end {
                break;
            }
        }
        seen
    }
}

fn report(measured: &[(&Operation, Measured)], faults: &[Fault]) -> Value {
    let step = |seen: &Histogram| json!({"p50_us": micros(seen.p50()), "p99_us": micros(seen.p99()), "repetitions": seen.count()});
    let operation = |(operation, measured): &(&Operation, Measured)| {
        let mut object = json!({"file": operation.path, "operation": operation.name});
        for (name, seen) in &measured.steps {
            object[name.replace(' ', "_")] = step(seen);
        }
        match &measured.cached {
            Ok(seen) => object["cached"] = step(seen),
            Err(why) => object["cached"] = json!({ "error": why }),
        }
        object
    };
    let fault = |fault: &Fault| json!({"file": fault.path, "operation": fault.name, "error": fault.message});
    let operations = measured
        .iter()
        .map(operation)
        .chain(faults.iter().map(fault));
    json!({"operations": operations.collect::<Vec<_>>()})
}

fn draw(measured: &[(&Operation, Measured)], faults: &[Fault]) -> Result<(), Failure> {
    let head = [
        "p50",
        "parse",
        "validate",
        "select",
        "plan and render",
        "cold",
        "p99 of cold",
        "cached",
        "p99 of cached",
    ];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    for (operation, measured) in measured {
        let mut row = vec![operation.title()];
        row.extend(measured.steps.iter().map(|(_, seen)| brief(seen.p50())));
        row.extend(measured.steps.last().map(|(_, seen)| brief(seen.p99())));
        match &measured.cached {
            Ok(seen) => row.extend([brief(seen.p50()), brief(seen.p99())]),
            Err(why) => {
                row.extend(["–".to_owned(), "–".to_owned()]);
                print_error(&format!("{}: no cached time: {why}", operation.title()));
            }
        }
        rows.push(row);
    }
    for fault in faults {
        print_error(&format!("{}: {}", fault.title(), fault.message));
    }
    if measured.is_empty() {
        Ok(())
    } else {
        print(&table(&rows))
    }
}

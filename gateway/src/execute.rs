//! The way of a request, stage by stage. HTTP makes requests and sessions, and every other door will; they all come here.
//!
//! ```text
//! Request ─▶ valid operation ─▶ plan ─▶ parameters ─▶ rows ─▶ bytes
//! ```

mod executor;
mod execution;
mod reload_requests;
mod estimate;
mod mutation;
mod response_body;
pub mod read_cache;
pub mod introspection;
pub mod engine;
pub mod plan_cache;

use std::sync::Arc;
use std::time::Duration;

use sql::graphql::document::OperationKind;
use sql::graphql::variables::Variables;
use sql::model::access::Access;
use sql::resolve::Operation;
use sql::schema::Schema;
use sql::statement::{Statement, ValueBudget};
use sql::{Translation, TranslationKind};
use tokio::time::Instant;

use crate::auth::session::{AuthKind, Session};
use crate::database::{DatabaseError, Parameters, TransactionError};
use crate::error::Error;
use crate::execute::engine::Engine;
use crate::execute::plan_cache::Plan;
use crate::limits::memory;
use crate::limits::{LimitExceeded, LimitKind, RoleLimits};
use crate::request::Request;
use crate::trusted_documents;

use execution::{BoundParameters, Execution};
pub use executor::Executor;
use read_cache::CachePolicy;
pub use reload_requests::ReloadRequests;
pub use response_body::Payload;

/// What a door lets through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AllowedOperations {
    /// Queries, whose answer may be sent while it is made.
    Queries,
    /// Queries and mutations, likewise.
    All,
    /// The same, and the answer is wanted whole: it becomes a part of something.
    Whole,
}

/// An answer.
#[derive(Debug)]
pub struct ExecutionResult {
    /// `{"data":…}`.
    pub payload: Payload,
    /// How long it took.
    pub timings: Timings,
    /// Whether what it tells of was undone.
    pub dry_run: bool,
    /// Whether it is on no allow list, which is told of.
    pub is_unlisted: bool,
}

/// How long each stage took.
#[derive(Clone, Copy, Debug, Default)]
pub struct Timings {
    /// Finding or making the plan.
    pub plan: Duration,
    /// Parameters from variables and session.
    pub bind: Duration,
    /// The statement, its rows written as they came.
    pub run: Duration,
}

impl Timings {
    /// Adds the stages of another request.
    pub fn add(&mut self, other: Timings) {
        self.plan += other.plan;
        self.bind += other.bind;
        self.run += other.run;
    }
}

/// Answers a request. Its deadline follows from the time that its role has.
pub async fn answer(
    executor: &Executor,
    session: &Session,
    request: &Request,
    door: AllowedOperations,
    deadline: Instant,
) -> Result<ExecutionResult, Error> {
    answer_with_cache(executor, session, request, door, CachePolicy::default(), deadline).await
}

/// The same, where the door says what may be answered with the answer of another; the settings file may allow more.
pub async fn answer_with_cache(
    executor: &Executor,
    session: &Session,
    request: &Request,
    door: AllowedOperations,
    reuse: CachePolicy,
    deadline: Instant,
) -> Result<ExecutionResult, Error> {
    let bounds = executor.limits.for_role(session.role());
    let answered = match run(executor, session, request, bounds, door, reuse, deadline).await {
        // It is rare, and large beside the rest.
        Err(error) if error.is_outdated() => {
            Box::pin(run_renewed(executor, session, request, door, reuse, deadline, error)).await
        }
        answered => answered,
    };
    answered.map_err(|error| with_role_limit(with_known_names(error, executor, session), bounds))
}

/// Runs a request that was refused because the database has changed once more, on the catalog that a reload has read; none of it
/// was done. Without one the refusal stays.
async fn run_renewed(
    executor: &Executor,
    session: &Session,
    request: &Request,
    door: AllowedOperations,
    reuse: CachePolicy,
    deadline: Instant,
    refusal: Error,
) -> Result<ExecutionResult, Error> {
    let Some(executor) = executor.reload.reloaded(executor, deadline).await else { return Err(refusal) };
    let bounds = executor.limits.for_role(session.role());
    run(&executor, session, request, bounds, door, reuse, deadline).await
}

async fn run(
    executor: &Executor,
    session: &Session,
    request: &Request,
    bounds: &Arc<RoleLimits>,
    door: AllowedOperations,
    reuse: CachePolicy,
    deadline: Instant,
) -> Result<ExecutionResult, Error> {
    let mut stages = Timings::default();
    let started = Instant::now();
    let request = &*executor.documents.resolve(session, request)?;
    let plan = plan(&executor.engine, session, request, bounds, door)?;
    executor.documents.register(session, request);
    plan.entry.over.iter().for_each(|bound| bounds.count_report_only(*bound));
    stages.plan = started.elapsed();

    let (translation, variables) = (&plan.translation, &plan.variables);
    let ready = Execution { executor, session, translation, variables, bounds, allowed: door, deadline };
    let way = match asks_for_introspection(translation) {
        true => ExecutionMode::Introspected(&plan),
        false if plan.entry.operation.is_volatile() => ExecutionMode::Alone,
        false => ExecutionMode::Reused(name(&plan.entry.operation), reuse),
    };
    let answer = run_execution(&ready, way, stages).await?;
    Ok(ExecutionResult { is_unlisted: plan.entry.listing.is_reported(), ..answer })
}

/// How a translation is run.
enum ExecutionMode<'w> {
    /// Beside the schema.
    Introspected(&'w Plan),
    /// For whoever asks alone: each call of a volatile function matters.
    Alone,
    /// Or answered with what others were, by its name.
    Reused(Option<&'w str>, CachePolicy),
}

/// Binds its parameters and runs it.
async fn run_execution(
    ready: &Execution<'_>,
    way: ExecutionMode<'_>,
    mut stages: Timings,
) -> Result<ExecutionResult, Error> {
    ready.check_expected_work().await?;
    let values = ready.bind_parameters(&mut stages).await?;
    let run = Instant::now();
    let payload = match way {
        ExecutionMode::Introspected(plan) => introspect(ready, plan, &values).await?,
        ExecutionMode::Alone => ready.execute(values, None, CachePolicy::default()).await?,
        ExecutionMode::Reused(name, reuse) => ready.execute(values, name, reuse).await?,
    };
    stages.run += run.elapsed();
    Ok(ExecutionResult { payload, timings: stages, dry_run: ready.is_dry_run(), is_unlisted: false })
}

/// A native query of the REST map, translated for the role of the caller, with its variables coerced.
#[derive(Clone, Copy, Debug)]
pub struct NativeQuery<'q> {
    /// The translation for the role.
    pub translation: &'q Arc<Translation>,
    /// The values of its parameters.
    pub variables: &'q Variables,
    /// The name by which the settings may cache its answers.
    pub name: Option<&'q str>,
    /// What the endpoint allows to be cached.
    pub cache: CachePolicy,
    /// Whether it calls a volatile function, so that each call has to run.
    pub is_volatile: bool,
    /// The time that it took to prepare.
    pub prepared_in: Duration,
}

/// Checks that the caller may run a native query at all. `writes` says whether the query writes.
pub fn check_access(executor: &Executor, session: &Session, writes: bool) -> Result<(), Error> {
    let access = access_for(&executor.engine, session)?;
    if writes { check_dry_run(&access, session) } else { Ok(()) }
}

/// Executes a native query, which [`check_access`] has admitted.
pub async fn answer_native_query(
    executor: &Executor,
    session: &Session,
    query: NativeQuery<'_>,
    door: AllowedOperations,
    deadline: Instant,
) -> Result<ExecutionResult, Error> {
    let bounds = executor.limits.for_role(session.role());
    let NativeQuery { translation, variables, name, cache, is_volatile, prepared_in } = query;
    let ready = Execution { executor, session, translation, variables, bounds, allowed: door, deadline };
    let way = if is_volatile { ExecutionMode::Alone } else { ExecutionMode::Reused(name, cache) };
    let answered = run_execution(&ready, way, Timings { plan: prepared_in, ..Timings::default() }).await;
    // The translation belongs to this version of the map, so the next request is the first that the new version answers.
    if answered.as_ref().is_err_and(Error::is_outdated) {
        Box::pin(executor.reload.reloaded(executor, deadline)).await;
    }
    answered.map_err(|error| with_role_limit(with_known_names(error, executor, session), bounds))
}

/// What the caller may do. Without a permission file only those who are trusted come in.
fn access_for(engine: &Engine, session: &Session) -> Result<Arc<Access>, Error> {
    match engine.has_file || session.caller() == AuthKind::Trusted {
        true => Ok(engine.access(session)),
        false => Err(Error::RoleNotAllowed),
    }
}

/// What is to be undone has to be a role's that may ask for that.
fn check_dry_run(access: &Access, session: &Session) -> Result<(), Error> {
    match session.dry_run() && !access.may_dry_run() {
        true => Err(Error::NoDryRun(session.role().to_owned())),
        false => Ok(()),
    }
}

/// A violation is named only where the role knows all names in it.
fn with_known_names(mut error: Error, executor: &Executor, session: &Session) -> Error {
    if let Some(refusal) = error.refusal_mut() {
        let access = executor.engine.access(session);
        refusal.is_known = Schema::new(&access).may_name_violation(&refusal.violation());
    }
    error
}

/// A request that is late is told of the time that its role has.
fn with_role_limit(error: Error, bounds: &RoleLimits) -> Error {
    match error {
        Error::Database(DatabaseError::Timeout(_)) => Error::Database(DatabaseError::Timeout(bounds.enforced.time)),
        other => other,
    }
}

/// The plan of a request, once it is clear that the caller and the door admit it.
pub fn plan(
    engine: &Engine,
    session: &Session,
    request: &Request,
    bounds: &RoleLimits,
    door: AllowedOperations,
) -> Result<Plan, Error> {
    let access = access_for(engine, session)?;
    let entry = engine.plans.document(&access, request, bounds, |kind| match kind {
        OperationKind::Mutation if door == AllowedOperations::Queries => Err(Error::OnlyQueries),
        OperationKind::Mutation => check_dry_run(&access, session),
        OperationKind::Query => Ok(()),
        OperationKind::Subscription => Err(Error::NoSubscriptions),
    });
    let entry = entry.map_err(|error| trusted_documents::mask_unknown(request, error))?;
    engine.plans.plan(&access, entry, request, bounds)
}

/// The statements of a translation, in order.
pub fn statements(translation: &Translation) -> impl Iterator<Item = &Statement> {
    let (alone, steps) = match &translation.answer {
        TranslationKind::Statement(statement) => (Some(statement.as_ref()), &[][..]),
        TranslationKind::Mutation(mutation) => (None, mutation.steps.as_slice()),
        TranslationKind::Constant(_) => (None, &[][..]),
    };
    alone.into_iter().chain(steps.iter().map(|step| &step.statement))
}

/// The parameters of each statement, in text format, as far as there is room for them.
pub fn bind(
    translation: &Translation,
    variables: &Variables,
    session: &Session,
    room: &mut ValueBudget,
) -> Result<Vec<Parameters>, Error> {
    statements(translation).map(|statement| Ok(statement.bind(variables, session, room)?)).collect()
}

/// Why a plan whose statements write could not be run.
pub fn mutation_error(plan: &Plan, failed: TransactionError) -> Error {
    match &plan.translation.answer {
        TranslationKind::Mutation(mutation) => mutation::to_error(mutation, failed),
        _ => Error::Database(failed.fault),
    }
}

/// Answers a query that asks for the schema, and perhaps for rows too.
async fn introspect(ready: &Execution<'_>, plan: &Plan, values: &BoundParameters) -> Result<Payload, Error> {
    let Execution { executor, bounds, .. } = *ready;
    let rows = Execution { allowed: AllowedOperations::Whole, ..*ready }.run_with_values(values).await?;
    let rows = rows.collect(executor.memory).await?;
    let access = executor.engine.access(ready.session);
    let introspected = introspection::answer(&executor.engine.schemas, &access, plan, &rows);
    let bytes = match tokio::time::timeout_at(ready.deadline, introspected).await {
        Ok(bytes) => bytes?,
        Err(_) => return Err(LimitExceeded::Time(bounds.enforced.time).into()),
    };
    bounds.observe(LimitKind::Answer, bytes.len());
    let mut memory = executor.memory.empty_reservation();
    memory::reserve_if_large(&mut memory, bytes.capacity())?;
    Ok(Payload::Whole(memory.hold(bytes)))
}

/// The name of an operation; one that stands alone need not have been asked by it.
fn name(operation: &Operation) -> Option<&str> {
    operation.name().or_else(|| operation.document().operations().next()?.0)
}

fn asks_for_introspection(translation: &Translation) -> bool {
    translation.roots.iter().any(|(_, introspection)| *introspection)
}

/// Why a query has no answer: an alarm of its statement, or what the database says.
pub fn query_error(statement: &Statement, fault: DatabaseError) -> Error {
    let alarm = match &fault {
        DatabaseError::Refused(refusal) => mutation::alarm(statement, refusal),
        _ => None,
    };
    match alarm {
        Some(alarm) => alarm.cause.clone().under(alarm.path.clone()).into(),
        None => Error::Database(fault),
    }
}

//! The way of a request, stage by stage. HTTP makes requests and sessions, and every other door will; they all come here.
//!
//! ```text
//! Request ─▶ valid operation ─▶ plan ─▶ parameters ─▶ rows ─▶ bytes
//! ```

mod ready;
mod estimate;
mod mutation;
mod payload;
pub mod shared;

use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value};
use sql::access::Access;
use sql::document::OperationKind;
use sql::resolve::Operation;
use sql::schema::Schema;
use sql::statement::{Room, Statement};
use sql::variables::Variables;
use sql::{Answered, Translation};
use tokio::time::Instant;

use crate::auth::Doorman;
use crate::by_role::ByRole;
use crate::config::MetricsAccess;
use crate::database::{Database, Failed, Fault, Parameters};
use crate::engine::Engine;
use crate::error::Error;
use crate::http::client::Proxies;
use crate::introspection;
use crate::limits::{Bound, Bounds, Exceeded, Roles};
use crate::memory::{self, MemoryBudget};
use crate::openapi::Descriptions;
use crate::operations::{self, Operations};
use crate::plan_cache::Plan;
use crate::rates::Rates;
use crate::renewal::Renewal;
use crate::request::Request;
use crate::rest::{self, Endpoint};
use crate::session::{Caller, Session};
use crate::tls::server::Identity;
use crate::tools::Tools;

pub use payload::Payload;
use ready::{Ready, Values};
use shared::{Reuse, Shared};

/// What requests are answered with.
#[derive(Debug)]
pub struct Answering {
    /// Catalog, access and plans.
    pub engine: Arc<Engine>,
    /// Where the rows are.
    pub database: Database,
    /// The named queries.
    pub rest: Arc<rest::Map>,
    /// What is said of them.
    pub descriptions: Descriptions,
    /// The same as tools.
    pub tools: ByRole<Arc<Tools>>,
    /// Who may come in.
    pub doorman: Doorman,
    /// How often.
    pub rates: Rates,
    /// Who is believed about that: proxies that tell where a request comes from.
    pub proxies: Proxies,
    /// What may be asked.
    pub operations: Operations,
    /// How much each role may ask for.
    pub bounds: Roles,
    /// Reads that need no statement of their own.
    pub shared: Shared,
    /// Asks for the next version of all this.
    pub renewal: Renewal,
    /// What values and answers are held in.
    pub memory: MemoryBudget,
    /// Which requests `/metrics` answers.
    pub metrics: MetricsAccess,
    /// What the port shows to clients of TLS; without it the port speaks plain HTTP.
    pub tls: Option<Identity>,
}

/// What a door lets through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Door {
    /// Queries, whose answer may be sent while it is made.
    Queries,
    /// Queries and mutations, likewise.
    Open,
    /// The same, and the answer is wanted whole: it becomes a part of something.
    Whole,
}

/// An answer.
#[derive(Debug)]
pub struct Answer {
    /// `{"data":…}`.
    pub payload: Payload,
    /// How long it took.
    pub stages: Stages,
    /// Whether what it tells of was undone.
    pub dry_run: bool,
    /// Whether it is on no allow list, which is told of.
    pub unlisted: bool,
}

/// How long each stage took.
#[derive(Clone, Copy, Debug, Default)]
pub struct Stages {
    /// Finding or making the plan.
    pub plan: Duration,
    /// Parameters from variables and session.
    pub bind: Duration,
    /// The statement, its rows written as they came.
    pub run: Duration,
}

impl Stages {
    /// Adds the stages of another request.
    pub fn add(&mut self, other: Stages) {
        self.plan += other.plan;
        self.bind += other.bind;
        self.run += other.run;
    }
}

/// Answers a request. Its deadline follows from the time that its role has.
pub async fn answer(
    parts: &Answering,
    session: &Session,
    request: &Request,
    door: Door,
    deadline: Instant,
) -> Result<Answer, Error> {
    answer_reusing(parts, session, request, door, Reuse::default(), deadline).await
}

/// The same, where the door says what may be answered with the answer of another; the settings file may allow more.
pub async fn answer_reusing(
    parts: &Answering,
    session: &Session,
    request: &Request,
    door: Door,
    reuse: Reuse,
    deadline: Instant,
) -> Result<Answer, Error> {
    let bounds = parts.bounds.of(session.role());
    let answered = match run(parts, session, request, bounds, door, reuse, deadline).await {
        // It is rare, and large beside the rest.
        Err(error) if error.is_outdated() => {
            Box::pin(run_renewed(parts, session, request, door, reuse, deadline, error)).await
        }
        answered => answered,
    };
    answered.map_err(|error| in_time(with_names(error, parts, session), bounds))
}

/// Runs a request that was refused because the database has changed once more, on the catalog that a reload has read; none of it
/// was done. Without one the refusal stays.
async fn run_renewed(
    parts: &Answering,
    session: &Session,
    request: &Request,
    door: Door,
    reuse: Reuse,
    deadline: Instant,
    refusal: Error,
) -> Result<Answer, Error> {
    let Some(parts) = parts.renewal.renewed(parts, deadline).await else { return Err(refusal) };
    let bounds = parts.bounds.of(session.role());
    run(&parts, session, request, bounds, door, reuse, deadline).await
}

async fn run(
    parts: &Answering,
    session: &Session,
    request: &Request,
    bounds: &Arc<Bounds>,
    door: Door,
    reuse: Reuse,
    deadline: Instant,
) -> Result<Answer, Error> {
    let mut stages = Stages::default();
    let started = Instant::now();
    let request = &*parts.operations.complete(session, request)?;
    let plan = plan(&parts.engine, session, request, bounds, door)?;
    parts.operations.keep(session, request);
    plan.entry.over.iter().for_each(|bound| bounds.report(*bound));
    stages.plan = started.elapsed();

    let (translation, variables) = (&plan.translation, &plan.variables);
    let ready = Ready { parts, session, translation, variables, bounds, door, deadline };
    let way = match introspects(translation) {
        true => Way::Introspected(&plan),
        false if plan.entry.operation.is_volatile() => Way::Alone,
        false => Way::Reused(name(&plan.entry.operation), reuse),
    };
    let answer = run_ready(&ready, way, stages).await?;
    Ok(Answer { unlisted: plan.entry.listing.is_reported(), ..answer })
}

/// How a translation is run.
enum Way<'w> {
    /// Beside the schema.
    Introspected(&'w Plan),
    /// For whoever asks alone: each call of a volatile function matters.
    Alone,
    /// Or answered with what others were, by its name.
    Reused(Option<&'w str>, Reuse),
}

/// Binds its parameters and runs it.
async fn run_ready(ready: &Ready<'_>, way: Way<'_>, mut stages: Stages) -> Result<Answer, Error> {
    ready.judge().await?;
    let values = ready.values(&mut stages).await?;
    let run = Instant::now();
    let payload = match way {
        Way::Introspected(plan) => introspect(ready, plan, &values).await?,
        Way::Alone => ready.run(values, None, Reuse::default()).await?,
        Way::Reused(name, reuse) => ready.run(values, name, reuse).await?,
    };
    stages.run += run.elapsed();
    Ok(Answer { payload, stages, dry_run: ready.is_rehearsal(), unlisted: false })
}

/// Answers what a statement of the map is asked with. The door has found that the caller's role may ask it.
pub async fn answer_statement(
    parts: &Answering,
    session: &Session,
    endpoint: &Endpoint,
    statement: &rest::Statement,
    variables: &Arc<Map<String, Value>>,
    door: Door,
    deadline: Instant,
) -> Result<Answer, Error> {
    let bounds = parts.bounds.of(session.role());
    let answered = async {
        let mut stages = Stages::default();
        let started = Instant::now();
        let (form, variables) = admitted(parts, session, statement, variables)?;
        stages.plan = started.elapsed();
        let translation = &form.translation;
        let ready = Ready { parts, session, translation, variables: &variables, bounds, door, deadline };
        let way = match statement.is_volatile() {
            true => Way::Alone,
            false => Way::Reused(endpoint.name.as_deref(), endpoint.reuse),
        };
        run_ready(&ready, way, stages).await
    };
    let answered = answered.await;
    // The endpoint belongs to this version of the map, so the next request is the first that the new one answers.
    if answered.as_ref().is_err_and(Error::is_outdated) {
        Box::pin(parts.renewal.renewed(parts, deadline)).await;
    }
    answered.map_err(|error| in_time(with_names(error, parts, session), bounds))
}

/// A statement as the caller has it, and the values of its parameters.
fn admitted<'s>(
    parts: &Answering,
    session: &Session,
    statement: &'s rest::Statement,
    variables: &Arc<Map<String, Value>>,
) -> Result<(&'s rest::Form, Variables), Error> {
    let access = enter(&parts.engine, session)?;
    let form = statement.form(session.role(), session.backend_only()).ok_or(Error::RoleNotAllowed)?;
    if statement.writes() {
        check_rehearsal(&access, session)?;
    }
    Ok((form, statement.coerce(variables)?))
}

/// What the caller may do. Without a permission file only those who are trusted come in.
fn enter(engine: &Engine, session: &Session) -> Result<Arc<Access>, Error> {
    match engine.has_file || session.caller() == Caller::Trusted {
        true => Ok(engine.access(session)),
        false => Err(Error::RoleNotAllowed),
    }
}

/// What is to be undone has to be a role's that may ask for that.
fn check_rehearsal(access: &Access, session: &Session) -> Result<(), Error> {
    match session.dry_run() && !access.may_rehearse() {
        true => Err(Error::NoDryRun(session.role().to_owned())),
        false => Ok(()),
    }
}

/// A violation is named only where the role knows all names in it.
fn with_names(mut error: Error, parts: &Answering, session: &Session) -> Error {
    if let Some(refusal) = error.refusal_mut() {
        let access = parts.engine.access(session);
        refusal.is_known = Schema::new(&access).knows_violation(&refusal.violation());
    }
    error
}

/// A request that is late is told of the time that its role has.
fn in_time(error: Error, bounds: &Bounds) -> Error {
    match error {
        Error::Database(Fault::Late(_)) => Error::Database(Fault::Late(bounds.holds.time)),
        other => other,
    }
}

/// The plan of a request, once it is clear that the caller and the door admit it.
pub fn plan(engine: &Engine, session: &Session, request: &Request, bounds: &Bounds, door: Door) -> Result<Plan, Error> {
    let access = enter(engine, session)?;
    let entry = engine.plans.entry(&access, request, bounds, |kind| match kind {
        OperationKind::Mutation if door == Door::Queries => Err(Error::OnlyQueries),
        OperationKind::Mutation => check_rehearsal(&access, session),
        OperationKind::Query => Ok(()),
        OperationKind::Subscription => Err(Error::NoSubscriptions),
    });
    let entry = entry.map_err(|error| operations::told(request, error))?;
    engine.plans.plan(&access, entry, request, bounds)
}

/// The statements of a translation, in order.
pub fn statements(translation: &Translation) -> impl Iterator<Item = &Statement> {
    let (alone, steps) = match &translation.answer {
        Answered::Statement(statement) => (Some(statement.as_ref()), &[][..]),
        Answered::Mutation(mutation) => (None, mutation.steps.as_slice()),
        Answered::Constant(_) => (None, &[][..]),
    };
    alone.into_iter().chain(steps.iter().map(|step| &step.statement))
}

/// The parameters of each statement, in text format, as far as there is room for them.
pub fn bind(
    translation: &Translation,
    variables: &Variables,
    session: &Session,
    room: &mut Room,
) -> Result<Vec<Parameters>, Error> {
    statements(translation).map(|statement| Ok(statement.bind(variables, session, room)?)).collect()
}

/// Why a plan whose statements write could not be run.
pub fn failed(plan: &Plan, failed: Failed) -> Error {
    match &plan.translation.answer {
        Answered::Mutation(mutation) => mutation::told(mutation, failed),
        _ => Error::Database(failed.fault),
    }
}

/// Answers a query that asks for the schema, and perhaps for rows too.
async fn introspect(ready: &Ready<'_>, plan: &Plan, values: &Values) -> Result<Payload, Error> {
    let Ready { parts, bounds, .. } = *ready;
    let rows = Ready { door: Door::Whole, ..*ready }.execute(values).await?;
    let rows = rows.collect(parts.memory).await?;
    let access = parts.engine.access(ready.session);
    let introspected = introspection::answer(&parts.engine.schemas, &access, plan, &rows);
    let bytes = match tokio::time::timeout_at(ready.deadline, introspected).await {
        Ok(bytes) => bytes?,
        Err(_) => return Err(Exceeded::Time(bounds.holds.time).into()),
    };
    bounds.note(Bound::Answer, bytes.len());
    let mut memory = parts.memory.nothing();
    memory::cover(&mut memory, bytes.capacity())?;
    Ok(Payload::Whole(memory.hold(bytes)))
}

/// The name of an operation; one that stands alone need not have been asked by it.
fn name(operation: &Operation) -> Option<&str> {
    operation.name().or_else(|| operation.document().operations().next()?.0)
}

fn introspects(translation: &Translation) -> bool {
    translation.roots.iter().any(|(_, introspection)| *introspection)
}

/// Why a query has no answer: an alarm of its statement, or what the database says.
pub fn refused(statement: &Statement, fault: Fault) -> Error {
    let alarm = match &fault {
        Fault::Refused(refusal) => mutation::alarm(statement, refusal),
        _ => None,
    };
    match alarm {
        Some(alarm) => alarm.cause.clone().under(alarm.path.clone()).into(),
        None => Error::Database(fault),
    }
}

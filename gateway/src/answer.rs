//! The way of a request, stage by stage. HTTP makes requests and sessions, and every other door will; they all come here.
//!
//! ```text
//! Request ─▶ valid operation ─▶ plan ─▶ parameters ─▶ rows ─▶ bytes
//! ```

mod mutation;
mod payload;
pub mod shared;

use std::sync::Arc;
use std::time::Duration;

use sql::document::OperationKind;
use sql::resolve::Operation;
use sql::statement::{Estimate, Room, Statement};
use sql::{Answered, Translation};
use tokio::time::Instant;

use crate::auth::Doorman;
use crate::config::Secret;
use crate::database::{Database, Ending, Failed, Fault, Parameters, Rows};
use crate::engine::Engine;
use crate::error::Error;
use crate::http::client::Proxies;
use crate::introspection;
use crate::limits::{Bound, Bounds, Exceeded, Roles};
use crate::operations::{self, Operations};
use crate::plan_cache::Plan;
use crate::rates::Rates;
use crate::request::Request;
use crate::rest;
use crate::session::{Caller, Session};

pub use payload::Payload;
use payload::Writer;
use shared::{Lead, Read, Reuse, Shared, Turn};

/// What requests are answered with.
#[derive(Debug)]
pub struct Answering {
    /// Catalog, access and plans.
    pub engine: Arc<Engine>,
    /// Where the rows are.
    pub database: Database,
    /// The named queries.
    pub rest: Arc<rest::Map>,
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
    /// What opens `/metrics`; without it they are open.
    pub metrics_secret: Option<Secret>,
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
    let answered = run(parts, session, request, bounds, door, reuse, deadline).await;
    answered.map_err(|error| match error {
        Error::Database(Fault::Late(_)) => Error::Database(Fault::Late(bounds.holds.time)),
        other => other,
    })
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

    let bound = Instant::now();
    let mut room = Room::new(bounds.holds.values());
    let mut parameters = bind(&plan, session, &mut room)?;
    stages.bind = bound.elapsed();

    let run = Instant::now();
    estimate(&parts.database, &plan, session, room, &mut parameters, deadline).await?;
    let mut dry_run = false;
    let payload = match &plan.translation.answer {
        Answered::Mutation(steps) => {
            dry_run = session.dry_run();
            let ending = if dry_run { Ending::Undo } else { Ending::Commit };
            let limit = bounds.holds.answer;
            Payload::Whole(mutation::run(&parts.database, steps, &parameters, ending, limit, deadline).await?.into())
        }
        _ if introspects(&plan.translation) => introspect(parts, &plan, &parameters, session, bounds, deadline).await?,
        _ => {
            let reuse = parts.shared.reuse(|| name(&plan.entry.operation), reuse);
            match (!reuse.is_none()).then(|| Read::of(&plan.translation, &mut parameters)).flatten() {
                Some(read) => {
                    let shared = share(parts, &plan.translation, read, reuse, bounds, door, deadline);
                    // It is rare, and large beside the rest.
                    Box::pin(shared).await?
                }
                None => execute(parts, &plan.translation, &parameters, bounds, door, deadline).await?,
            }
        }
    };
    if let Payload::Whole(bytes) = &payload {
        bounds.note(Bound::Answer, bytes.len());
    }
    stages.run = run.elapsed();
    Ok(Answer { payload, stages, dry_run, unlisted: plan.entry.listing.is_reported() })
}

/// The plan of a request, once it is clear that the caller and the door admit it.
pub fn plan(engine: &Engine, session: &Session, request: &Request, bounds: &Bounds, door: Door) -> Result<Plan, Error> {
    if !engine.has_file && session.caller() != Caller::Trusted {
        return Err(Error::RoleNotAllowed);
    }
    let access = engine.access(session);
    let entry = engine.plans.entry(&access, request, bounds, |kind| match kind {
        OperationKind::Mutation if door == Door::Queries => Err(Error::OnlyQueries),
        OperationKind::Mutation if session.dry_run() && !access.may_rehearse() => {
            Err(Error::NoDryRun(session.role().to_owned()))
        }
        OperationKind::Query | OperationKind::Mutation => Ok(()),
        OperationKind::Subscription => Err(Error::NoSubscriptions),
    });
    let entry = entry.map_err(|error| operations::told(request, error))?;
    engine.plans.plan(&access, entry, request, bounds)
}

/// The statements of a plan, in order.
pub fn statements(plan: &Plan) -> impl Iterator<Item = &Statement> {
    let (alone, steps) = match &plan.translation.answer {
        Answered::Statement(statement) => (Some(statement.as_ref()), &[][..]),
        Answered::Mutation(mutation) => (None, mutation.steps.as_slice()),
        Answered::Constant(_) => (None, &[][..]),
    };
    alone.into_iter().chain(steps.iter().map(|step| &step.statement))
}

/// The parameters of each statement, in text format, as far as there is room for them.
pub fn bind(plan: &Plan, session: &Session, room: &mut Room) -> Result<Vec<Parameters>, Error> {
    statements(plan).map(|statement| Ok(statement.bind(&plan.variables, session, room)?)).collect()
}

/// Why a plan whose statements write could not be run.
pub fn failed(plan: &Plan, failed: Failed) -> Error {
    match &plan.translation.answer {
        Answered::Mutation(mutation) => mutation::told(mutation, failed),
        _ => Error::Database(failed.fault),
    }
}

/// Asks the planner for the counts that it is to estimate, and puts its answers among the parameters.
async fn estimate(
    database: &Database,
    plan: &Plan,
    session: &Session,
    room: Room,
    parameters: &mut [Parameters],
    deadline: Instant,
) -> Result<(), Error> {
    for (statement, parameters) in statements(plan).zip(parameters) {
        for question in &statement.estimates {
            // What one question needs is free again for the next.
            let mut room = room;
            let given = question.bind(&plan.variables, session, &mut room)?;
            let mut retry = database.retry(deadline);
            let answer = loop {
                match database.value(&question.text, &given, deadline).await {
                    Ok(answer) => break answer,
                    Err(fault) if retry.again(&fault).await => {}
                    Err(fault) => return Err(fault.into()),
                }
            };
            if let Some(parameter) = parameters.get_mut(question.place) {
                *parameter = Estimate::read(&answer);
            }
        }
    }
    Ok(())
}

/// Answers a query that asks for the schema, and perhaps for rows too.
async fn introspect(
    parts: &Answering,
    plan: &Plan,
    parameters: &[Parameters],
    session: &Session,
    bounds: &Arc<Bounds>,
    deadline: Instant,
) -> Result<Payload, Error> {
    let rows = execute(parts, &plan.translation, parameters, bounds, Door::Whole, deadline).await?;
    let rows = rows.collect().await?;
    let access = parts.engine.access(session);
    let introspected = introspection::answer(&parts.engine.schemas, &access, plan, &rows);
    match tokio::time::timeout_at(deadline, introspected).await {
        Ok(bytes) => Ok(Payload::Whole(bytes?.into())),
        Err(_) => Err(Exceeded::Time(bounds.holds.time).into()),
    }
}

/// The name of an operation; one that stands alone need not have been asked by it.
fn name(operation: &Operation) -> Option<&str> {
    operation.name().or_else(|| operation.document().operations().next()?.0)
}

fn introspects(translation: &Translation) -> bool {
    translation.roots.iter().any(|(_, introspection)| *introspection)
}

/// Answers with the rows of a statement of its own.
async fn execute(
    parts: &Answering,
    translation: &Arc<Translation>,
    parameters: &[Parameters],
    bounds: &Arc<Bounds>,
    door: Door,
    deadline: Instant,
) -> Result<Payload, Error> {
    let parameters = parameters.first().map(Vec::as_slice).unwrap_or_default();
    ask(parts, translation, parameters, bounds, door, || (), deadline).await
}

/// Answers a read with what others were answered, or are about to be; else by a statement, whose answer others may have.
async fn share(
    parts: &Answering,
    translation: &Arc<Translation>,
    read: Arc<Read>,
    reuse: Reuse,
    bounds: &Arc<Bounds>,
    door: Door,
    deadline: Instant,
) -> Result<Payload, Error> {
    match parts.shared.turn(read.clone(), reuse, deadline).await {
        Turn::Answered(bytes) => Ok(Payload::Whole(bytes)),
        Turn::Late => Err(Exceeded::Time(bounds.holds.time).into()),
        Turn::Alone => ask(parts, translation, read.parameters(), bounds, door, || (), deadline).await,
        Turn::Ask(lead) => {
            let leaves = || lead.leaves();
            let answered = ask(parts, translation, read.parameters(), bounds, door, leaves, deadline).await;
            hand_on(lead, answered).await
        }
    }
}

/// Hands an answer on to those who wait for it. One that is on its way already is put together where somebody does.
async fn hand_on(lead: Lead<'_>, answered: Result<Payload, Error>) -> Result<Payload, Error> {
    let answered = match (answered, lead.is_awaited()) {
        (Ok(payload @ Payload::Parts(..)), true) => payload.collect().await.map(Payload::Whole),
        (answered, _) => answered,
    };
    match &answered {
        Ok(Payload::Whole(bytes)) => lead.answered(bytes),
        _ => lead.failed(),
    }
    answered
}

/// Runs the statement and writes its rows. A read whose connection was lost is tried again, as long as none of the answer
/// is on its way. `leaves` is told just before it is sent, each time that it is.
async fn ask(
    parts: &Answering,
    translation: &Arc<Translation>,
    parameters: &[Option<String>],
    bounds: &Arc<Bounds>,
    door: Door,
    leaves: impl Fn(),
    deadline: Instant,
) -> Result<Payload, Error> {
    let Answered::Statement(statement) = &translation.answer else { return Writer::constant(translation) };
    let mut retry = parts.database.retry(deadline);
    loop {
        let attempt = async {
            let rows = parts.database.query_telling(&statement.text, parameters, &leaves, deadline).await?;
            write(translation.clone(), rows, bounds, door).await
        };
        match attempt.await {
            Err(Error::Database(fault)) => {
                if !retry.again(&fault).await {
                    return Err(refused(statement, fault));
                }
            }
            outcome => return outcome,
        }
    }
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

async fn write(translation: Arc<Translation>, rows: Rows, bounds: &Arc<Bounds>, door: Door) -> Result<Payload, Error> {
    Writer::new(translation, rows, bounds.clone()).write(door != Door::Whole).await
}

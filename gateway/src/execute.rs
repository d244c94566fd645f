//! Executes requests. Every transport makes a [`Request`] and a [`Session`] and calls [`answer`],
//! which runs the stages in order.
//!
//! ```text
//! Request ─▶ valid operation ─▶ plan ─▶ parameters ─▶ rows ─▶ bytes
//! ```

mod execution_state;
mod execution;
mod reload_requests;
pub(crate) mod clock_literals;
mod estimate;
mod expected_work;
pub mod federation;
mod mutation;
mod composite_operation;
mod action_rows;
mod action_response;
mod raised_errors;
mod response_body;
mod replica_routing;
mod plan_mentions;
mod scan_keys;
mod grouped_reads;
pub mod dependencies;
pub mod explain;
pub mod key_type;
pub mod live_query;
pub mod public_query;
pub mod read_cache;
mod introspection;
pub mod schema_version;
pub mod schema_types;
pub mod schema_work;
mod rule_preparation;
pub mod prepared_rules;
pub mod plan_cache;

use std::borrow::Cow;
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
use crate::database::{DatabaseError, Parameters, TransactionError, WalPosition};
use crate::error::Error;
use crate::execute::plan_cache::{CachedDocument, Plan};
use crate::execute::schema_version::SchemaVersion;
use crate::limits::{LimitKind, RoleLimits};
use crate::request::{DocumentOrigin, Request};
use crate::telemetry::execution_record::{ExecutionRecord, Stage};
use crate::trusted_documents;

use execution::{BoundParameters, Execution};
pub use execution_state::ExecutionState;
pub use raised_errors::RaisedErrors;
use read_cache::CachePolicy;
pub use reload_requests::ReloadRequests;
pub use replica_routing::{ReadSource, ReplicaRouting, ReplicaRules};
pub use response_body::Payload;
pub use schema_work::SchemaWork;

/// Which operations a transport accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AllowedOperations {
    /// Queries.
    Queries,
    /// Queries and mutations.
    All,
    /// Subscriptions.
    Subscriptions,
    /// Operations of every kind.
    Any,
}

/// How a request is executed.
#[derive(Clone, Copy, Debug)]
pub struct ExecutionOptions<'r> {
    /// The operations that the transport accepts.
    pub operations: AllowedOperations,
    /// Whether the response is buffered, because it becomes a part of another one. Otherwise a long
    /// response is streamed.
    pub buffered: bool,
    /// Which cached answers the transport accepts; the settings may allow more.
    pub cache: CachePolicy,
    /// From where queries may read.
    pub source: ReadSource,
    /// When the request times out.
    pub deadline: Instant,
    /// Where stages, rows and statements are recorded.
    pub record: Option<&'r ExecutionRecord>,
}

impl<'r> ExecutionOptions<'r> {
    /// Options with these operations and this deadline: streamed, cached only as the settings say,
    /// read from the primary, and not recorded.
    pub fn new(operations: AllowedOperations, deadline: Instant) -> ExecutionOptions<'r> {
        let cache = CachePolicy::default();
        let source = ReadSource::default();
        ExecutionOptions {
            operations,
            buffered: false,
            cache,
            source,
            deadline,
            record: None,
        }
    }

    /// The options with a record.
    pub fn recorded(self, record: &'r ExecutionRecord) -> ExecutionOptions<'r> {
        ExecutionOptions {
            record: Some(record),
            ..self
        }
    }
}

/// The response of an executed request.
#[derive(Debug)]
pub struct ExecutionResult {
    /// `{"data":…}`.
    pub payload: Payload,
    /// How long each stage took.
    pub timings: Timings,
    /// Whether the changes were rolled back, because the request was a dry run.
    pub dry_run: bool,
    /// Whether the operation is on no allow list and runs only because allow lists are not
    /// enforced.
    pub is_unlisted: bool,
    /// A position in the write-ahead log behind the changes, if there are replicas.
    pub written_at: Option<WalPosition>,
}

/// The time of each stage.
#[derive(Clone, Copy, Debug, Default)]
pub struct Timings {
    /// The time to look up or make the plan.
    pub plan: Duration,
    /// The time to bind variables and session values to parameters.
    pub bind: Duration,
    /// The time to run the statement and encode its rows.
    pub run: Duration,
}

impl Timings {
    /// Adds the times of another request.
    pub fn add(&mut self, other: Timings) {
        self.plan += other.plan;
        self.bind += other.bind;
        self.run += other.run;
    }
}

/// A request whose document is valid for the caller and of a kind that the transport accepts.
#[derive(Debug)]
pub struct ValidRequest<'r> {
    /// With the text of its document, if the client sent a reference.
    request: Cow<'r, Request>,
    access: Arc<Access>,
    entry: Arc<CachedDocument>,
    started: Instant,
}

impl ValidRequest<'_> {
    /// The kind of its operation.
    pub fn kind(&self) -> OperationKind {
        self.entry.operation.kind()
    }

    /// Whether the operation is on no allow list and runs only because allow lists are not
    /// enforced.
    pub fn is_unlisted(&self) -> bool {
        self.entry.listing.is_reported()
    }
}

/// Looks up the document of a request, and validates one that is new.
pub fn validate<'r>(
    state: &ExecutionState,
    session: &Session,
    request: &'r Request,
    operations: AllowedOperations,
) -> Result<ValidRequest<'r>, Error> {
    let started = Instant::now();
    let limits = state.limits.for_role(session.role());
    let request = state.documents.resolve(session, request)?;
    let access = access_for(&state.schema, session)?;
    let entry = document(
        &state.schema,
        &access,
        session,
        &request,
        limits,
        operations,
    )?;
    Ok(ValidRequest {
        request,
        access,
        entry,
        started,
    })
}

/// Whether a valid request selects actions.
pub fn selects_actions(
    state: &ExecutionState,
    session: &Session,
    valid: &ValidRequest<'_>,
) -> Result<bool, Error> {
    let (plan, _) = plan_valid(state, session, valid)?;
    Ok(matches!(
        plan.translation.kind,
        TranslationKind::Composite(_)
    ))
}

/// Executes a request. If the schema has changed since the catalog was read, the request runs once
/// more on the catalog of the reload that follows.
pub async fn respond(
    state: &ExecutionState,
    session: &Session,
    request: &Request,
    options: ExecutionOptions<'_>,
) -> Result<ExecutionResult, Error> {
    let valid = {
        let _timer = options.record.map(|record| record.start(Stage::Plan));
        validate(state, session, request, options.operations)?
    };
    answer_valid(state, session, request, valid, options).await
}

/// Executes a request whose document has been validated, like [`answer`].
pub async fn answer_valid(
    state: &ExecutionState,
    session: &Session,
    request: &Request,
    valid: ValidRequest<'_>,
    options: ExecutionOptions<'_>,
) -> Result<ExecutionResult, Error> {
    let result = match run(state, session, valid, options).await {
        // Boxed because it is rare, and its future is large compared with the rest.
        Err(error) if error.is_outdated() => {
            Box::pin(run_again(state, session, request, options, error)).await
        }
        result => result,
    };
    let limits = state.limits.for_role(session.role());
    result.map_err(|error| with_role_limit(with_known_names(error, state, session), limits))
}

/// Runs a request again that Postgres rejected because the schema changed; the first attempt
/// changed nothing. Returns the error if no reload ends in time.
async fn run_again(
    state: &ExecutionState,
    session: &Session,
    request: &Request,
    options: ExecutionOptions<'_>,
    error: Error,
) -> Result<ExecutionResult, Error> {
    let Some(state) = state.reload.reloaded(state, options.deadline).await else {
        return Err(error);
    };
    let valid =
        validate(&state, session, request, options.operations).map_err(|error| match error {
            // The reload has left the endpoint out.
            Error::Query(_) if request.author == DocumentOrigin::Endpoint => Error::NotFound,
            error => error,
        })?;
    run(&state, session, valid, options).await
}

/// Plans a valid request. Returns how long that and its validation took, too.
fn plan_valid(
    state: &ExecutionState,
    session: &Session,
    valid: &ValidRequest<'_>,
) -> Result<(Plan, Duration), Error> {
    let ValidRequest {
        request,
        access,
        entry,
        started,
    } = valid;
    let limits = state.limits.for_role(session.role());
    let plan = state
        .schema
        .plans
        .plan(access, entry.clone(), request, limits)?;
    state.documents.register(session, request);
    plan.entry
        .over
        .iter()
        .for_each(|limit| limits.count_report_only(*limit));
    Ok((plan, started.elapsed()))
}

async fn run(
    state: &ExecutionState,
    session: &Session,
    valid: ValidRequest<'_>,
    options: ExecutionOptions<'_>,
) -> Result<ExecutionResult, Error> {
    let limits = state.limits.for_role(session.role());
    let record = options.record;
    let (plan, planned_in) = {
        let _timer = record.map(|record| record.start(Stage::Plan));
        plan_valid(state, session, &valid)?
    };
    if let Some(record) = record {
        record.set_document(plan.entry.hash);
        record.set_translation(&plan.translation);
    }
    let timings = Timings {
        plan: planned_in,
        ..Timings::default()
    };

    let translation = &plan.translation;
    let variables = &plan.variables;
    if let TranslationKind::Composite(operation) = &translation.kind {
        let plan = &plan;
        let request = &*valid.request;
        let deadline = options.deadline;
        let composite = composite_operation::CompositeExecution {
            state,
            session,
            request,
            plan,
            operation,
            limits,
            deadline,
            record,
        };
        // Boxed because its future is large compared with the rest.
        return Box::pin(composite_operation::run(composite, timings)).await;
    }
    let ExecutionOptions {
        buffered,
        deadline,
        cache,
        ..
    } = options;
    let source = read_source(state, session, options.source, || {
        operation_name(&plan.entry.operation)
    });
    let execution = Execution {
        state,
        session,
        translation,
        variables,
        limits,
        buffered,
        source,
        deadline,
        record,
    };
    let mode = match selects_introspection(translation) {
        true => ExecutionMode::Introspected(&plan),
        false if plan.entry.operation.is_volatile() => ExecutionMode::Alone,
        // A cached answer may be older than what the caller has written.
        false if matches!(options.source, ReadSource::Replica(Some(_))) => ExecutionMode::Alone,
        false => {
            let asked = plan
                .entry
                .operation
                .cached(variables)
                .map(CachePolicy::from_directive);
            ExecutionMode::Cached(
                operation_name(&plan.entry.operation),
                asked.map_or(cache, |asked| cache.or(asked)),
            )
        }
    };
    let response = run_execution(&execution, mode, timings).await?;
    Ok(ExecutionResult {
        is_unlisted: plan.entry.listing.is_reported(),
        ..response
    })
}

/// How a translation is executed.
enum ExecutionMode<'w> {
    /// Merges the result of introspection with the rows.
    Introspected(&'w Plan),
    /// Runs its own statement, because each call of a volatile function counts.
    Alone,
    /// Reads from the cache, if the settings for the operation's name or the transport allow it.
    Cached(Option<&'w str>, CachePolicy),
}

/// Binds the parameters and executes a translation.
async fn run_execution(
    execution: &Execution<'_>,
    mode: ExecutionMode<'_>,
    mut timings: Timings,
) -> Result<ExecutionResult, Error> {
    execution.check_expected_work().await?;
    let parameters = {
        let _timer = execution.record.map(|record| record.start(Stage::Bind));
        execution.bind_parameters(&mut timings).await?
    };
    let run = Instant::now();
    let _timer = execution.record.map(|record| record.start(Stage::Run));
    let payload = match mode {
        ExecutionMode::Introspected(plan) => {
            (introspect(execution, plan, &parameters).await?, None)
        }
        ExecutionMode::Alone => {
            execution
                .execute(parameters, None, CachePolicy::default())
                .await?
        }
        ExecutionMode::Cached(name, cache) => execution.execute(parameters, name, cache).await?,
    };
    timings.run += run.elapsed();
    let (payload, written_at) = payload;
    Ok(ExecutionResult {
        payload,
        timings,
        dry_run: execution.is_dry_run(),
        is_unlisted: false,
        written_at,
    })
}

/// From where a query reads: as its transport allows, if there are replicas for its role and its
/// name.
#[inline]
fn read_source<'n>(
    state: &ExecutionState,
    session: &Session,
    source: ReadSource,
    name: impl FnOnce() -> Option<&'n str>,
) -> ReadSource {
    match &state.replicas {
        None => ReadSource::Primary,
        Some(routing) => routing.route(source, session.role(), name()),
    }
}

/// A native query of the REST map, translated for the caller's role, with its variables coerced.
#[derive(Clone, Copy, Debug)]
pub struct NativeQuery<'q> {
    /// The translation for the role.
    pub translation: &'q Arc<Translation>,
    /// The values of its variables.
    pub variables: &'q Variables,
    /// The name under which the settings may cache its answers.
    pub name: Option<&'q str>,
    /// Whether it calls a volatile function, so that every call runs.
    pub is_volatile: bool,
    /// How long its preparation took.
    pub prepared_in: Duration,
}

/// Checks that the caller may run native queries. `writes` says whether this one writes.
pub fn check_access(state: &ExecutionState, session: &Session, writes: bool) -> Result<(), Error> {
    let access = access_for(&state.schema, session)?;
    if writes {
        check_dry_run(&access, session)
    } else {
        Ok(())
    }
}

/// Executes a native query. Callers run [`check_access`] first.
pub async fn answer_native_query(
    state: &ExecutionState,
    session: &Session,
    query: NativeQuery<'_>,
    options: ExecutionOptions<'_>,
) -> Result<ExecutionResult, Error> {
    let limits = state.limits.for_role(session.role());
    let ExecutionOptions {
        buffered,
        deadline,
        cache,
        record,
        ..
    } = options;
    let NativeQuery {
        translation,
        variables,
        name,
        is_volatile,
        prepared_in,
    } = query;
    if let Some(record) = record {
        record.set_translation(translation);
    }
    let source = read_source(state, session, options.source, || name);
    let execution = Execution {
        state,
        session,
        translation,
        variables,
        limits,
        buffered,
        source,
        deadline,
        record,
    };
    let is_alone = is_volatile || matches!(options.source, ReadSource::Replica(Some(_)));
    let mode = if is_alone {
        ExecutionMode::Alone
    } else {
        ExecutionMode::Cached(name, cache)
    };
    let result = run_execution(
        &execution,
        mode,
        Timings {
            plan: prepared_in,
            ..Timings::default()
        },
    )
    .await;
    // The translation belongs to this version of the REST map, so only the next request uses the
    // new version.
    if result.as_ref().is_err_and(Error::is_outdated) {
        Box::pin(state.reload.reloaded(state, deadline)).await;
    }
    result.map_err(|error| with_role_limit(with_known_names(error, state, session), limits))
}

/// The caller's access. Without a permission file only callers with the admin secret have access.
fn access_for(schema: &SchemaVersion, session: &Session) -> Result<Arc<Access>, Error> {
    if schema.has_file || session.caller() == AuthKind::Trusted {
        Ok(schema.access(session))
    } else {
        Err(Error::RoleNotAllowed)
    }
}

/// Rejects a dry run by a role that may not do one.
fn check_dry_run(access: &Access, session: &Session) -> Result<(), Error> {
    if session.dry_run() && !access.may_dry_run() {
        Err(Error::NoDryRun(session.role().to_owned()))
    } else {
        Ok(())
    }
}

/// Marks a constraint violation as known if the role may read every name in it; only then does the
/// error name it. Marks an error that a function raises if the settings say that clients see its
/// text.
fn with_known_names(error: Error, state: &ExecutionState, session: &Session) -> Error {
    let mut error = state.raised_errors.show(error);
    if let Some(refusal) = error.refusal_mut() {
        let access = state.schema.access(session);
        refusal.is_known = Schema::new(&access).may_name_violation(&refusal.violation());
    }
    error
}

/// Puts the role's time limit into a timeout error.
fn with_role_limit(error: Error, limits: &RoleLimits) -> Error {
    match error {
        Error::Database(DatabaseError::Timeout(_)) => {
            Error::Database(DatabaseError::Timeout(limits.enforced.time))
        }
        other => other,
    }
}

/// Plans a request if the caller has access and the kind of its operation is allowed.
pub fn plan(
    schema: &SchemaVersion,
    session: &Session,
    request: &Request,
    limits: &RoleLimits,
    operations: AllowedOperations,
) -> Result<Plan, Error> {
    let access = access_for(schema, session)?;
    let entry = document(schema, &access, session, request, limits, operations)?;
    schema.plans.plan(&access, entry, request, limits)
}

/// The valid document of a request.
fn document(
    schema: &SchemaVersion,
    access: &Access,
    session: &Session,
    request: &Request,
    limits: &RoleLimits,
    operations: AllowedOperations,
) -> Result<Arc<CachedDocument>, Error> {
    let accepts_subscriptions = matches!(
        operations,
        AllowedOperations::Subscriptions | AllowedOperations::Any
    );
    let entry = schema
        .plans
        .document(access, request, limits, |kind| match kind {
            OperationKind::Mutation if operations == AllowedOperations::Queries => {
                Err(Error::OnlyQueries)
            }
            OperationKind::Subscription if !accepts_subscriptions => Err(Error::NoSubscriptions),
            OperationKind::Mutation => check_dry_run(access, session),
            OperationKind::Query | OperationKind::Subscription => Ok(()),
        });
    entry.map_err(|error| trusted_documents::mask_unknown(request, error))
}

/// The statements of a translation, in order.
pub fn statements(translation: &Translation) -> impl Iterator<Item = &Statement> {
    let (alone, steps) = match &translation.kind {
        TranslationKind::Statement(statement) => (Some(statement.as_ref()), &[][..]),
        TranslationKind::Mutation(mutation) => (None, mutation.steps.as_slice()),
        // The parts of an operation with actions are executed as translations of their own.
        TranslationKind::Constant(_) | TranslationKind::Composite(_) => (None, &[][..]),
    };
    alone
        .into_iter()
        .chain(steps.iter().map(|step| &step.statement))
}

/// Binds the parameters of each statement, in text format, within the value budget.
pub fn bind(
    translation: &Translation,
    variables: &Variables,
    session: &Session,
    budget: &mut ValueBudget,
) -> Result<Vec<Parameters>, Error> {
    statements(translation)
        .map(|statement| Ok(statement.bind(variables, session, budget)?))
        .collect()
}

/// Binds the parameters of each run of a statement: some statements of a mutation run for one row
/// after another.
fn bind_runs(
    translation: &Translation,
    variables: &Variables,
    session: &Session,
    budget: &mut ValueBudget,
) -> Result<Vec<Parameters>, Error> {
    match &translation.kind {
        TranslationKind::Mutation(mutation) => Ok(mutation.bind(variables, session, budget)?),
        _ => bind(translation, variables, session, budget),
    }
}

/// Converts the error of a failed transaction of this plan.
pub fn mutation_error(plan: &Plan, failed: TransactionError) -> Error {
    match &plan.translation.kind {
        TranslationKind::Mutation(mutation) => mutation::to_error(mutation, failed),
        _ => Error::Database(failed.fault),
    }
}

/// Executes a query that selects `__schema` or `__type`, and perhaps rows as well.
async fn introspect(
    execution: &Execution<'_>,
    plan: &Plan,
    parameters: &BoundParameters,
) -> Result<Payload, Error> {
    let introspection = introspection::prepare(execution, plan).await?;
    let rows = Execution {
        buffered: true,
        ..*execution
    }
    .run_with_values(parameters)
    .await?;
    let rows = rows.collect().await?;
    let payload = introspection.respond(plan, &rows).await?;
    if let Payload::Whole(bytes) = &payload {
        execution.limits.observe(LimitKind::Answer, bytes.len());
    }
    Ok(payload)
}

/// The name of an operation. If a document has one operation, the request may leave out its name.
fn operation_name(operation: &Operation) -> Option<&str> {
    operation
        .name()
        .or_else(|| operation.document().operations().next()?.0)
}

fn selects_introspection(translation: &Translation) -> bool {
    translation.roots.iter().any(|root| root.is_introspection)
}

/// Converts a database error of a query. A failed assertion of its statement becomes the cause of
/// that assertion.
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

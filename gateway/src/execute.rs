//! Executes requests. Every transport makes a [`Request`] and a [`Session`] and calls [`respond`],
//! which runs the stages in order.
//!
//! ```text
//! Request ─▶ valid operation ─▶ plan ─▶ parameters ─▶ rows ─▶ bytes
//! ```

pub(crate) mod clock_literals;
pub mod dependencies;
pub mod explain;
pub mod federation;
pub mod key_type;
pub mod live_query;
pub mod plan_cache;
pub mod prepared_rules;
pub mod public_query;
pub mod read_cache;
pub mod schema_types;
pub mod schema_version;
pub mod schema_work;
mod bound_query;
mod composite_operation;
mod database_query;
mod estimate;
mod execution;
mod execution_options;
mod execution_result;
mod execution_state;
mod expected_work;
mod grouped_reads;
mod introspection;
mod mutation;
mod plan_mentions;
mod raised_errors;
mod replica_routing;
mod request_context;
mod response_body;
mod rule_preparation;
mod scan_keys;
mod statements;
mod valid_request;

use std::sync::Arc;
use std::time::Duration;

use sql::graphql::variables::Variables;
use sql::resolve::Operation;
use sql::schema::{Schema, Violation};
use sql::{Translation, TranslationKind};
use tokio::time::Instant;

use crate::auth::session::Session;
use crate::error::Error;
use crate::limits::LimitKind;
use crate::request::{DocumentOrigin, Request};
use crate::telemetry::execution_record::Stage;
use pg::{DatabaseError, PostgresError};

pub use bound_query::BoundQuery;
use composite_operation::CompositeExecution;
use execution::{BoundParameters, CachedReads, Execution};
pub use execution_options::{AllowedOperations, ExecutionOptions};
pub use execution_result::{ExecutionResult, Timings};
pub use execution_state::{ExecutionState, ReloadRequests};
use plan_cache::Plan;
pub use raised_errors::RaisedErrors;
use read_cache::CachePolicy;
pub use replica_routing::{ReadSource, ReplicaRouting, ReplicaRules};
use request_context::RequestContext;
pub use response_body::Payload;
pub use schema_work::SchemaWork;
use statements::selects_introspection;
pub use statements::{bind, statements};
pub use valid_request::{ValidRequest, plan, selects_actions, validate};
use valid_request::{access_for, check_dry_run};

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
    respond_to_valid(state, session, request, valid, options).await
}

/// Executes a request whose document has been validated, like [`respond`].
pub async fn respond_to_valid(
    state: &ExecutionState,
    session: &Session,
    request: &Request,
    valid: ValidRequest<'_>,
    options: ExecutionOptions<'_>,
) -> Result<ExecutionResult, Error> {
    let context = context(state, session, &options);
    let result = match run(context, valid, options).await {
        // Boxed because it is rare, and its future is large compared with the rest.
        Err(error) if error.is_outdated() => {
            Box::pin(run_again(context, request, options, error)).await
        }
        result => result,
    };
    result.map_err(|error| complete_error(error, &context))
}

/// Runs a request again that Postgres rejected because the schema changed; the first attempt
/// changed nothing. Returns the error if no reload ends in time.
async fn run_again(
    outdated: RequestContext<'_>,
    request: &Request,
    options: ExecutionOptions<'_>,
    error: Error,
) -> Result<ExecutionResult, Error> {
    let RequestContext { state, session, .. } = outdated;
    let Some(state) = state.reload.reloaded(state, options.deadline).await else {
        return Err(error);
    };
    let valid =
        validate(&state, session, request, options.operations).map_err(|error| match error {
            // The reload has left the endpoint out.
            Error::Query(_) if request.author == DocumentOrigin::Endpoint => Error::NotFound,
            error => error,
        })?;
    run(context(&state, session, &options), valid, options).await
}

fn context<'r>(
    state: &'r ExecutionState,
    session: &'r Session,
    options: &ExecutionOptions<'r>,
) -> RequestContext<'r> {
    RequestContext {
        record: options.record,
        ..RequestContext::new(state, session, options.deadline)
    }
}

/// Plans a valid request, and executes its parts or its one translation.
async fn run(
    context: RequestContext<'_>,
    valid: ValidRequest<'_>,
    options: ExecutionOptions<'_>,
) -> Result<ExecutionResult, Error> {
    let (plan, planned_in) = {
        let _timer = context.start(Stage::Plan);
        valid.plan(context.state, context.session)?
    };
    if let Some(record) = context.record {
        record.set_document(plan.entry.hash);
        record.set_translation(&plan.translation);
    }
    let timings = Timings {
        plan: planned_in,
        ..Timings::default()
    };
    if let TranslationKind::Composite(operation) = &plan.translation.kind {
        let composite = CompositeExecution {
            context,
            request: &valid.request,
            plan: &plan,
            operation,
        };
        // Boxed because its future is large compared with the rest.
        return Box::pin(composite_operation::run(composite, timings)).await;
    }
    let operation = &plan.entry.operation;
    let name = operation_name(operation);
    let asked = operation
        .cached(&plan.variables)
        .map(CachePolicy::from_directive);
    let cached = CachedReads {
        name,
        policy: asked.map_or(options.cache, |asked| options.cache.or(asked)),
    };
    let execution = Execution {
        buffered: options.buffered,
        source: read_source(&context, options.source, name),
        ..Execution::new(context, &plan.translation, &plan.variables)
    };
    let introspected = selects_introspection(&plan.translation).then_some(&plan);
    let cached = if operation.is_volatile() {
        CachedReads::default()
    } else {
        cached.unless_written(options.source)
    };
    let response = execute_translation(&execution, introspected, cached, timings).await?;
    Ok(ExecutionResult {
        is_unlisted: plan.entry.listing.is_reported(),
        ..response
    })
}

/// Binds the parameters and executes a translation. For a plan that selects introspection, adds its
/// values to the rows.
async fn execute_translation(
    execution: &Execution<'_>,
    introspected: Option<&Plan>,
    cached: CachedReads<'_>,
    mut timings: Timings,
) -> Result<ExecutionResult, Error> {
    execution.check_expected_work().await?;
    let parameters = {
        let _timer = execution.context.start(Stage::Bind);
        execution.bind_parameters(&mut timings).await?
    };
    let started = Instant::now();
    let _timer = execution.context.start(Stage::Run);
    let (payload, written_at) = match introspected {
        Some(plan) => (introspect(execution, plan, &parameters).await?, None),
        None => execution.execute(parameters, cached).await?,
    };
    timings.run += started.elapsed();
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
fn read_source(context: &RequestContext<'_>, source: ReadSource, name: Option<&str>) -> ReadSource {
    match &context.state.replicas {
        None => ReadSource::Primary,
        Some(routing) => routing.route(source, context.session.role(), name),
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
pub async fn respond_to_native_query(
    state: &ExecutionState,
    session: &Session,
    query: NativeQuery<'_>,
    options: ExecutionOptions<'_>,
) -> Result<ExecutionResult, Error> {
    let context = context(state, session, &options);
    let NativeQuery {
        translation,
        variables,
        name,
        is_volatile,
        prepared_in,
    } = query;
    if let Some(record) = context.record {
        record.set_translation(translation);
    }
    let execution = Execution {
        buffered: options.buffered,
        source: read_source(&context, options.source, name),
        ..Execution::new(context, translation, variables)
    };
    let policy = options.cache;
    let cached = if is_volatile {
        CachedReads::default()
    } else {
        CachedReads { name, policy }.unless_written(options.source)
    };
    let timings = Timings {
        plan: prepared_in,
        ..Timings::default()
    };
    let result = execute_translation(&execution, None, cached, timings).await;
    // The translation belongs to this version of the REST map, so only the next request uses the
    // new version.
    if result.as_ref().is_err_and(Error::is_outdated) {
        Box::pin(state.reload.reloaded(state, options.deadline)).await;
    }
    result.map_err(|error| complete_error(error, &context))
}

/// The names in a constraint violation.
fn violation(refusal: &PostgresError) -> Violation<'_> {
    Violation {
        schema: refusal.schema.as_deref(),
        table: refusal.table.as_deref(),
        column: refusal.column.as_deref(),
        constraint: refusal.constraint.as_deref(),
        domain: refusal.domain.as_deref(),
        referenced: refusal.referenced.as_deref(),
    }
}

/// Completes an error for its caller. A timeout names the role's time limit. A constraint violation
/// is named only if the role may read every name in it; the text of an error that a function raises
/// is shown if the settings say so.
fn complete_error(error: Error, context: &RequestContext<'_>) -> Error {
    let mut error = context.state.raised_errors.show(error);
    if let Some(refusal) = error.refusal_mut() {
        let access = context.state.schema.access(context.session);
        refusal.is_known = Schema::new(&access).may_name_violation(&violation(refusal));
    }
    match error {
        Error::Database(DatabaseError::Timeout(_)) => {
            Error::Database(DatabaseError::Timeout(context.limits.enforced.time))
        }
        error => error,
    }
}

/// Executes a query that selects `__schema` or `__type`, and perhaps rows as well.
async fn introspect(
    execution: &Execution<'_>,
    plan: &Plan,
    parameters: &BoundParameters,
) -> Result<Payload, Error> {
    let context = &execution.context;
    let introspection = introspection::prepare(context, plan).await?;
    let buffered = Execution {
        buffered: true,
        ..*execution
    };
    let rows = buffered.run_query(parameters.first(), || ()).await?;
    let rows = rows.collect().await?;
    let payload = introspection.respond(plan, &rows).await?;
    if let Payload::Whole(bytes) = &payload {
        context.limits.observe(LimitKind::Answer, bytes.len());
    }
    Ok(payload)
}

/// The name of an operation. If a document has one operation, the request may leave out its name.
fn operation_name(operation: &Operation) -> Option<&str> {
    operation
        .name()
        .or_else(|| operation.document().operations().next()?.0)
}

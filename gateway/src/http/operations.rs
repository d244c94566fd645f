//! The operations of one WebSocket or event stream. Both transports start operations here, each in
//! a task of its own until its first result, and take the results from one queue. Each operation is
//! limited, counted and logged like a request over HTTP.

use std::collections::HashMap;
use std::net::IpAddr;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use futures_util::FutureExt;
use pg::memory::{MAX_COVERED_BYTES, MemoryBudget, REQUEST_BYTES, Reservation};
use sql::graphql::document::OperationKind;
use tokio::task::AbortHandle;

use super::access_log::LoggedError;
use super::app::App;
use super::caller::Caller;
use super::graphql_request::{PATH, check_extensions, count_unlisted, operation_name};
use crate::error::Error;
use crate::execute::{self, AllowedOperations};
use crate::limits::values::values_of;
use crate::limits::{LimitExceeded, LimitKind};
use crate::rate_limit::RouteClass;
use crate::request::Request;
use crate::subscriptions::Subscription;
use crate::subscriptions::outbox::{OperationNumber, Outbox, OutboxReader, ResultSender, outbox};
use crate::telemetry::execution_record::DocumentHash;
use crate::telemetry::log::panic_text;
use crate::telemetry::metrics::RoleMetrics;

/// The running operations of a connection. Dropping it ends them.
#[derive(Debug)]
pub(super) struct Operations(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    outbox: Outbox,
    table: Mutex<Table>,
}

#[derive(Debug, Default)]
struct Table {
    last: OperationNumber,
    by_id: HashMap<Arc<str>, OperationNumber>,
    running: HashMap<OperationNumber, Operation>,
}

#[derive(Debug)]
struct Operation {
    /// The client's id.
    id: Arc<str>,
    record: OperationRecord,
    /// `None` until its document has been validated.
    kind: Option<OperationKind>,
    /// The task that starts it; none once a subscription has started, since a handle keeps the
    /// memory of its task.
    task: Option<AbortHandle>,
    /// Set once a subscription has started.
    subscription: Option<Subscription>,
}

/// Why an operation cannot begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BeginError {
    /// An operation with this id is running.
    IdInUse,
    /// As many operations are running as may run.
    TooMany,
}

/// Who runs an operation, on which connection.
#[derive(Clone, Debug)]
pub(super) struct OperationContext {
    /// What all requests share.
    pub(super) app: Arc<App>,
    /// The caller.
    pub(super) caller: Caller,
    /// The client's address.
    pub(super) client: Option<IpAddr>,
    /// The request id of the connection.
    pub(super) connection: Arc<str>,
    /// The transport's name for log and metrics.
    pub(super) transport: &'static str,
}

/// What the log and the metrics record of an operation.
#[derive(Debug)]
struct OperationRecord {
    app: Arc<App>,
    connection: Arc<str>,
    transport: &'static str,
    role: Option<Arc<str>>,
    role_metrics: Arc<RoleMetrics>,
    name: Option<String>,
    /// The hash of the document, unless the client names it by a hash or an id.
    document: Option<DocumentHash>,
    number: OperationNumber,
    started: Instant,
}

impl Operations {
    /// Creates an empty set, and the receiving end of its results.
    pub(super) fn new(app: &App) -> (Operations, OutboxReader) {
        let (outbox, reader) = outbox(app.metrics.subscriptions.queued_bytes.clone());
        (
            Operations(Arc::new(Inner {
                outbox,
                table: Mutex::default(),
            })),
            reader,
        )
    }

    /// Starts an operation in a task of its own. Its errors arrive in the queue of results, like
    /// its results.
    pub(super) fn start(
        &self,
        context: OperationContext,
        id: &str,
        request: ReceivedRequest,
    ) -> Result<(), BeginError> {
        let limit = context.app.sockets.limits().operations;
        let mut table = self.0.table();
        if table.by_id.contains_key(id) {
            return Err(BeginError::IdInUse);
        }
        if table.running.len() >= limit {
            return Err(BeginError::TooMany);
        }
        table.last += 1;
        let number = table.last;
        let id = Arc::<str>::from(id);
        let record = OperationRecord::new(&context, &request.request, number);
        table.by_id.insert(id.clone(), number);
        table.running.insert(
            number,
            Operation {
                id,
                record,
                kind: None,
                task: None,
                subscription: None,
            },
        );
        let inner = self.0.clone();
        let results = self.0.outbox.sender(number);
        let task = tokio::spawn(async move {
            let begin = |kind| inner.set_kind(number, kind);
            let started = AssertUnwindSafe(run(context, request, begin, results.clone()))
                .catch_unwind()
                .await;
            match started {
                Ok(Ok(None)) => {}
                Ok(Ok(Some(subscription))) => inner.keep(number, subscription),
                Ok(Err(error)) => results.end(Some(Arc::new(error))),
                Err(panic) => results.end(Some(Arc::new(Error::Internal(panic_text(&*panic))))),
            }
        });
        // The task cannot have ended: it would need the table.
        if let Some(operation) = table.running.get_mut(&number) {
            operation.task = Some(task.abort_handle());
        }
        Ok(())
    }

    /// Ends an operation that the client no longer wants; returns whether there was one with this
    /// id.
    pub(super) fn cancel(&self, id: &str) -> bool {
        let removed = {
            let mut table = self.0.table();
            table
                .by_id
                .remove(id)
                .and_then(|number| Some((number, table.running.remove(&number)?)))
        };
        let Some((number, operation)) = removed else {
            return false;
        };
        operation.abort();
        self.0.outbox.forget(number);
        operation.record.end(None);
        true
    }

    /// The client's id of a running operation.
    pub(super) fn id(&self, number: OperationNumber) -> Option<Arc<str>> {
        self.0
            .table()
            .running
            .get(&number)
            .map(|operation| operation.id.clone())
    }

    /// Removes an operation that has ended, and returns the client's id and the request id of it.
    pub(super) fn end(
        &self,
        number: OperationNumber,
        error: Option<&Error>,
    ) -> Option<(Arc<str>, String)> {
        let operation = {
            let mut table = self.0.table();
            let operation = table.running.remove(&number)?;
            table.by_id.remove(&operation.id);
            operation
        };
        let request_id = operation.record.request_id();
        let id = operation.id.clone();
        operation.record.end(error);
        Some((id, request_id))
    }

    /// Ends all operations.
    pub(super) fn end_all(&self) {
        let running = {
            let mut table = self.0.table();
            table.by_id.clear();
            std::mem::take(&mut table.running)
        };
        self.end_each(running.into_iter().collect());
    }

    /// Ends all operations but mutations, and returns whether none is left.
    pub(super) fn end_all_but_mutations(&self) -> bool {
        let (ended, is_empty) = {
            let Table { by_id, running, .. } = &mut *self.0.table();
            let is_ended = |operation: &Operation| operation.kind != Some(OperationKind::Mutation);
            let ended = running
                .extract_if(|_, operation| is_ended(operation))
                .collect::<Vec<_>>();
            for (_, operation) in &ended {
                by_id.remove(&operation.id);
            }
            (ended, running.is_empty())
        };
        self.end_each(ended);
        is_empty
    }

    /// Ends operations that are no longer in the table, in the order in which they began.
    fn end_each(&self, mut ended: Vec<(OperationNumber, Operation)>) {
        ended.sort_unstable_by_key(|(number, _)| *number);
        for (number, operation) in ended {
            operation.abort();
            self.0.outbox.forget(number);
            operation.record.end(None);
        }
    }

    /// Whether every running operation is a subscription, which no shutdown waits for.
    pub(super) fn has_only_subscriptions(&self) -> bool {
        self.0
            .table()
            .running
            .values()
            .all(|operation| operation.subscription.is_some())
    }

    /// The bytes of results that wait to be sent.
    pub(super) fn queued_bytes(&self) -> usize {
        self.0.outbox.queued_bytes()
    }
}

impl Drop for Operations {
    fn drop(&mut self) {
        self.end_all();
    }
}

impl Inner {
    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records the kind of an operation before it is executed.
    fn set_kind(&self, number: OperationNumber, kind: OperationKind) {
        if let Some(operation) = self.table().running.get_mut(&number) {
            operation.kind = Some(kind);
        }
    }

    /// Keeps a subscription that has started, unless its operation has ended meanwhile.
    fn keep(&self, number: OperationNumber, subscription: Subscription) {
        // Dropped outside the lock.
        let _ended = match self.table().running.get_mut(&number) {
            Some(operation) => {
                operation.task = None;
                operation.subscription.replace(subscription)
            }
            None => Some(subscription),
        };
    }
}

impl Operation {
    fn abort(&self) {
        self.task.iter().for_each(AbortHandle::abort);
    }
}

/// A request that a client has sent, with the memory reserved for it.
#[derive(Debug)]
pub(super) struct ReceivedRequest {
    /// The request.
    pub(super) request: Request,
    /// The bytes that it was parsed from. `None` if it came in an HTTP request of its own, which
    /// has been counted and held against the limits of bodies.
    pub(super) length: Option<usize>,
    /// Reserved until the operation has started.
    pub(super) memory: Reservation,
}

impl ReceivedRequest {
    /// Reserves the memory for a request that is parsed from these bytes.
    pub(super) fn reserve(memory: MemoryBudget, bytes: &[u8]) -> Result<Reservation, Error> {
        let values = bytes.len() + values_of(bytes);
        Ok(memory.reserve(
            REQUEST_BYTES
                + if values > MAX_COVERED_BYTES {
                    values
                } else {
                    0
                },
        )?)
    }
}

/// Checks the limits of an operation and starts it. `begin` learns its kind before it is executed.
async fn run(
    context: OperationContext,
    received: ReceivedRequest,
    begin: impl Fn(OperationKind),
    results: ResultSender,
) -> Result<Option<Subscription>, Error> {
    let OperationContext {
        app,
        caller,
        client,
        ..
    } = &context;
    let Caller {
        state,
        session,
        limits,
        ..
    } = caller;
    let ReceivedRequest {
        request,
        length,
        memory: _memory,
    } = &received;
    if let Some(length) = *length {
        check_rates(app, caller, *client).await?;
        if length > limits.enforced.body {
            return Err(LimitExceeded::Body(limits.enforced.body).into());
        }
        limits.observe(LimitKind::Body, length);
    }
    check_extensions(app, state, request)?;
    let began = Instant::now();
    let valid = execute::validate(&state.execution, session, request, AllowedOperations::Any)?;
    begin(valid.kind());
    // Boxed because the future is large.
    let started =
        Box::pin(
            app.subscriptions
                .start(&state.execution, session, request, valid, results),
        )
        .await?;
    if started.is_unlisted {
        count_unlisted(app, state, session.role(), "log");
    }
    if started.subscription.is_none() {
        limits.observe_time(|| began.elapsed());
    }
    Ok(started.subscription)
}

/// Counts an operation as a request.
async fn check_rates(app: &App, caller: &Caller, client: Option<IpAddr>) -> Result<(), Error> {
    let mut context = None;
    let limiter = &caller.state.rate_limiter;
    limiter
        .check_arrival(
            &app.metrics,
            &mut context,
            client,
            RouteClass::Requests,
            PATH,
        )
        .await?;
    limiter
        .check_session(&app.metrics, &mut context, &caller.session)
        .await
}

impl OperationRecord {
    fn new(
        context: &OperationContext,
        request: &Request,
        number: OperationNumber,
    ) -> OperationRecord {
        let OperationContext {
            app,
            caller,
            connection,
            transport,
            ..
        } = context;
        let Caller { state, session, .. } = caller;
        app.metrics
            .sockets
            .running
            .with_label_values(&[transport])
            .inc();
        // A caller with the admin secret can name any role; the log records only roles of the
        // permission file.
        let is_known = state
            .execution
            .schema
            .permissions
            .role(session.role())
            .is_some();
        OperationRecord {
            app: app.clone(),
            connection: connection.clone(),
            transport,
            role: is_known.then(|| session.shared_role()),
            role_metrics: caller.limits.metrics().clone(),
            name: operation_name(request),
            document: Some(&request.query)
                .filter(|text| !text.is_empty())
                .map(|text| DocumentHash::hash(text)),
            number,
            started: Instant::now(),
        }
    }

    /// The id of the operation in errors and in the log.
    fn request_id(&self) -> String {
        format!("{}-{}", self.connection, self.number)
    }

    /// Counts and logs the end of the operation.
    fn end(&self, error: Option<&Error>) {
        let OperationRecord { app, transport, .. } = self;
        let logged = error
            .map(|error| LoggedError::new(error, app.profile))
            .unwrap_or_default();
        let code = logged.code;
        let cause = logged.cause.as_deref();
        let reason = logged.reason.text.as_deref();
        let sqlstate = logged.reason.sqlstate.as_deref();
        let constraint = logged.reason.constraint.as_deref();
        let role = self.role.as_deref();
        if let Some(error) = error {
            let state = app.state();
            state
                .execution
                .limits
                .for_role(role.unwrap_or_default())
                .count_enforced(error.limit());
            if let Error::Unlisted(_) = error {
                count_unlisted(app, &state, role.unwrap_or_default(), "enforce");
            }
        }
        self.role_metrics.count(code.unwrap_or_default());
        app.metrics
            .sockets
            .operations
            .with_label_values(&[*transport, code.unwrap_or_default()])
            .inc();
        let request_id = self.request_id();
        let operation = self.name.as_deref();
        let digits = self.document.map(DocumentHash::digits);
        let hash = digits
            .as_ref()
            .and_then(|digits| std::str::from_utf8(digits).ok());
        let ms = self.started.elapsed().as_micros() as f64 / 1000.0;
        let is_internal = error.is_some_and(|error| error.spec().strict >= 500);
        // The level has to be a constant.
        macro_rules! line {
            ($level:ident) => {
                tracing::event!(
                    tracing::Level::$level,
                    request_id,
                    transport,
                    path = PATH,
                    ms,
                    role,
                    operation,
                    code,
                    cause,
                    reason,
                    sqlstate,
                    constraint,
                    hash,
                    "operation ended"
                )
            };
        }
        match cause {
            _ if is_internal => line!(ERROR),
            Some(_) => line!(WARN),
            None => line!(INFO),
        }
    }
}

impl Drop for OperationRecord {
    fn drop(&mut self) {
        self.app
            .metrics
            .sockets
            .running
            .with_label_values(&[self.transport])
            .dec();
    }
}

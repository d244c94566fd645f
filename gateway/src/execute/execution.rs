//! Executes a translation for one caller: checks the planner's estimate, binds the parameters, runs
//! the statements and encodes the rows. Documents and native queries both end here; their
//! translation happens before.

use std::sync::Arc;

use bytes::Bytes;
use sql::graphql::variables::Variables;
use sql::statement::{Estimate, Mutation, Statement, ValueBudget};
use sql::{Cause, RequestLimit, Translation, TranslationKind};
use tokio::time::Instant;

use super::live_query::BoundQuery;
use super::read_cache::{CachePolicy, FlightLeader, Lookup, ReadKey};
use super::replica_routing::{ReadSource, is_of_replica};
use super::response_body::ResponseWriter;
use super::{ExecutionState, Payload, Timings, bind_runs, mutation, query_error, statements};
use crate::auth::session::Session;
use crate::database::replicas::ChosenReplica;
use crate::database::{
    Completion, Database, DatabaseError, FailurePoint, Parameters, PooledConnection, Requester,
    TransactionError, TransactionSteps, WalPosition,
};
use crate::error::Error;
use crate::limits::memory::{MAX_COVERED_BYTES, MemoryBudget, Reservation};
use crate::limits::{LimitExceeded, LimitKind, RoleLimits};
use crate::telemetry::execution_record::{ExecutionRecord, Stage};

/// A translation with everything needed to run it.
#[derive(Clone, Copy)]
pub(super) struct Execution<'r> {
    pub(super) state: &'r ExecutionState,
    pub(super) session: &'r Session,
    pub(super) translation: &'r Arc<Translation>,
    pub(super) variables: &'r Variables,
    /// The limits of the caller's role.
    pub(super) limits: &'r Arc<RoleLimits>,
    /// Whether the response is buffered instead of streamed.
    pub(super) buffered: bool,
    /// From where a query reads.
    pub(super) source: ReadSource,
    pub(super) deadline: Instant,
    pub(super) record: Option<&'r ExecutionRecord>,
}

/// The parameters of a translation.
pub(super) struct BoundParameters {
    /// One list for each run of a statement. None if they are too large to keep in memory while the
    /// request waits for a connection.
    bound: Option<Vec<Parameters>>,
    /// Reserves memory for `bound`.
    memory: Reservation,
}

impl BoundParameters {
    /// Takes the parameters of the first statement, if they are bound.
    pub(super) fn take_first(&mut self) -> Option<Parameters> {
        self.bound.as_mut()?.first_mut().map(std::mem::take)
    }
}

/// The value budgets to try in turn, in bytes: the size of the values is known only after they are
/// made. Values within the first step need no reservation.
const STEPS: [usize; 6] = [
    MAX_COVERED_BYTES,
    256 << 10,
    1 << 20,
    4 << 20,
    16 << 20,
    usize::MAX,
];

impl<'r> Execution<'r> {
    /// An execution whose rows are read by the gateway itself: buffered, from the primary, and not
    /// recorded.
    pub(super) fn unrecorded(
        state: &'r ExecutionState,
        session: &'r Session,
        translation: &'r Arc<Translation>,
        variables: &'r Variables,
        limits: &'r Arc<RoleLimits>,
        deadline: Instant,
    ) -> Execution<'r> {
        let buffered = true;
        let source = ReadSource::Primary;
        let record = None;
        Execution {
            state,
            session,
            translation,
            variables,
            limits,
            buffered,
            source,
            deadline,
            record,
        }
    }

    /// Whether it is a mutation that is rolled back.
    pub(super) fn is_dry_run(&self) -> bool {
        matches!(self.translation.kind, TranslationKind::Mutation(_)) && self.session.dry_run()
    }

    /// Binds the parameters of the statements if they are small; larger ones are bound once there
    /// is a connection.
    pub(super) async fn bind_parameters(
        &self,
        stages: &mut Timings,
    ) -> Result<BoundParameters, Error> {
        let began = Instant::now();
        let mut memory = self.memory().empty_reservation();
        let has_estimates =
            statements(self.translation).any(|statement| !statement.estimates.is_empty());
        let step = if has_estimates { STEPS.len() } else { 1 };
        let bound = self.bind(&STEPS[..step], &mut memory)?;
        stages.bind = began.elapsed();
        let Some((mut parameters, budget)) = bound else {
            return Ok(BoundParameters {
                bound: None,
                memory,
            });
        };
        self.limits.observe(LimitKind::Patterns, budget.patterns());
        if has_estimates {
            let started = Instant::now();
            self.estimate(budget, &mut parameters).await?;
            stages.run = started.elapsed();
        }
        Ok(BoundParameters {
            bound: Some(parameters),
            memory,
        })
    }

    /// Binds the parameters within the smallest of these budgets that suffices, or returns none.
    /// Memory above the first step is reserved before the values are made.
    fn bind(
        &self,
        steps: &[usize],
        memory: &mut Reservation,
    ) -> Result<Option<(Vec<Parameters>, ValueBudget)>, Error> {
        let limits = &self.limits.enforced;
        let most = limits.values();
        for step in steps {
            let bytes = (*step).min(most);
            if bytes > STEPS[0] {
                memory.grow_to(bytes)?;
            }
            let mut budget = ValueBudget::new(bytes).with_patterns(limits.patterns);
            match bind_runs(self.translation, self.variables, self.session, &mut budget) {
                Err(Error::Query(sql::Error {
                    cause:
                        Cause::Limit {
                            limit: RequestLimit::ValueBytes,
                            ..
                        },
                    ..
                })) if bytes < most => {}
                bound => {
                    let parameters = bound?;
                    memory.shrink_to(budget.used());
                    return Ok(Some((parameters, budget.widened(most))));
                }
            }
        }
        Ok(None)
    }

    /// Binds the parameters of a statement that is run again and again, and those of its estimates.
    pub(super) fn bind_live(&self) -> Result<BoundQuery, Error> {
        let mut memory = self.memory().empty_reservation();
        let bound = self.bind(&STEPS, &mut memory)?;
        let (parameters, budget) =
            bound.ok_or_else(|| Error::Internal("values beyond every step".into()))?;
        self.limits.observe(LimitKind::Patterns, budget.patterns());
        let estimates = statements(self.translation).flat_map(|statement| &statement.estimates);
        let arguments =
            estimates.map(|query| query.bind(self.variables, self.session, &mut budget.clone()));
        let arguments = arguments.collect::<Result<_, _>>()?;
        Ok(BoundQuery::new(
            parameters.into_iter().next().unwrap_or_default(),
            arguments,
        ))
    }

    /// Binds parameters that were too large to keep while waiting for a connection.
    fn bind_large(&self, memory: &mut Reservation) -> Result<Vec<Parameters>, Error> {
        match self.bind(&STEPS[1..], memory)? {
            Some((parameters, _)) => Ok(parameters),
            None => Err(Error::Internal("values beyond every step".into())),
        }
    }

    /// Runs the count estimates of the statements and stores their results as parameters.
    async fn estimate(
        &self,
        value_budget: ValueBudget,
        parameters: &mut [Parameters],
    ) -> Result<(), Error> {
        let Execution {
            state, deadline, ..
        } = *self;
        let requester = self.requester();
        for (statement, parameters) in self.statement_runs()?.into_iter().zip(parameters) {
            for query in &statement.estimates {
                // Each estimate gets the whole remaining budget: its parameters are dropped after
                // it.
                let mut remaining = value_budget;
                let arguments = query.bind(self.variables, self.session, &mut remaining)?;
                let (_, settings) = statement.divide(parameters);
                let mut retry = state.database.retry(deadline);
                let response = loop {
                    let estimated = state.database.query_scalar_for(
                        &requester,
                        settings,
                        &query.text,
                        &arguments,
                        deadline,
                    );
                    match estimated.await {
                        Ok(response_value) => break response_value,
                        Err(fault) if retry.should_retry(&fault).await => {}
                        Err(fault) => return Err(fault.into()),
                    }
                };
                if let Some(parameter) = parameters.get_mut(query.index) {
                    *parameter = Estimate::read(&response);
                }
            }
        }
        Ok(())
    }

    /// The requester for whom connections are taken.
    pub(super) fn requester(&self) -> Requester {
        let Execution {
            session, limits, ..
        } = *self;
        Requester::new(
            session.share_key(limits.role_key()),
            limits.enforced.connections,
        )
    }

    /// The memory budget for what the caller reserves.
    pub(super) fn memory(&self) -> MemoryBudget {
        self.state
            .memory
            .for_caller(self.session.share_key(self.limits.role_key()))
    }

    /// Acquires a connection to the primary when it is the caller's turn.
    pub(super) async fn acquire(
        &self,
        requester: &Requester,
    ) -> Result<PooledConnection, DatabaseError> {
        self.acquire_from(&self.state.database, requester).await
    }

    async fn acquire_from(
        &self,
        database: &Database,
        requester: &Requester,
    ) -> Result<PooledConnection, DatabaseError> {
        let mut connection = {
            let _timer = self.record.map(|record| record.start(Stage::Wait));
            database.acquire(requester, self.deadline).await?
        };
        if let Some(comment) = self.record.and_then(|record| record.comment.as_deref()) {
            connection.set_comment(comment)?;
        }
        self.limits
            .observe(LimitKind::Connections, connection.held_by_role());
        Ok(connection)
    }

    /// The replica that a query reads from, if it may and one is ready.
    fn choose_replica(&self) -> Option<Box<ChosenReplica>> {
        match (self.source, &self.state.replicas) {
            (ReadSource::Replica(after), Some(routing)) => routing.replicas.choose(after),
            (ReadSource::Primary, _) | (_, None) => None,
        }
    }

    /// Runs the translation with these values. Returns also a position behind the changes of a
    /// mutation, if there are replicas. `reuse` is the cache policy of the transport; the settings
    /// for `name` may allow more.
    pub(super) async fn execute(
        &self,
        mut values: BoundParameters,
        name: Option<&str>,
        reuse: CachePolicy,
    ) -> Result<(Payload, Option<WalPosition>), Error> {
        let mut written_at = None;
        let payload = match &self.translation.kind {
            TranslationKind::Mutation(mutation) => {
                let changed = self.run_mutation(mutation, &values, &mut written_at).await;
                if let Err(Error::Database(DatabaseError::Unreadable(_))) = changed {
                    self.state.reload.request();
                }
                Payload::Whole(changed?)
            }
            _ => {
                let reuse = self.state.reads.policy(|| name, reuse);
                let read = if reuse.is_none() {
                    None
                } else {
                    self.cache_key(&mut values)?
                };
                match read {
                    // Boxed because it is rare, and its future is large compared with the rest.
                    Some(read) => Box::pin(self.read_through_cache(read, reuse)).await?,
                    None => self.run_alone_or_grouped(&mut values).await?,
                }
            }
        };
        if let Payload::Whole(bytes) = &payload {
            self.limits.observe(LimitKind::Answer, bytes.len());
        }
        Ok((payload, written_at))
    }

    /// The statements of the translation, each as often as it runs.
    fn statement_runs(&self) -> Result<Vec<&'r Statement>, Error> {
        match &self.translation.kind {
            TranslationKind::Mutation(mutation) => {
                let runs = mutation::StepRuns::new(mutation, self.variables)?;
                Ok(runs.steps(mutation).map(|step| &step.statement).collect())
            }
            _ => Ok(statements(self.translation).collect()),
        }
    }

    /// The error of a failed transaction, with the value that Postgres refuses.
    fn mutation_error(&self, mutation: &Mutation, failed: TransactionError) -> Error {
        if failed.may_have_committed() && !self.is_dry_run() {
            return Error::CommitUnknown(failed.fault.to_string());
        }
        let step = match failed.when {
            FailurePoint::Step(index) => mutation.steps.get(index),
            _ => None,
        };
        let error = mutation::to_error(mutation, failed);
        mutation::name_value(error, step.map(|step| &step.statement), self.variables)
    }

    /// Runs the steps of a mutation in one transaction. A transaction that was rolled back
    /// because of a conflict is retried.
    async fn run_mutation(
        &self,
        mutation: &Mutation,
        values: &BoundParameters,
        written_at: &mut Option<WalPosition>,
    ) -> Result<Bytes, Error> {
        let ending = if self.is_dry_run() {
            Completion::Rollback
        } else {
            Completion::Commit
        };
        let mut response = mutation::MutationResponse::new(
            mutation,
            ending,
            self.limits.enforced.response_bytes,
            self.memory(),
        );
        if mutation.steps.is_empty() {
            return response.empty();
        }
        let runs = mutation::StepRuns::new(mutation, self.variables)?;
        let texts: Vec<&str> = runs
            .steps(mutation)
            .map(|step| step.statement.text.as_str())
            .collect();
        let shapes: Vec<_> = runs
            .steps(mutation)
            .map(|step| &step.statement.shape)
            .collect();
        let requester = self.requester();
        let mut retry = self.state.database.retry(self.deadline);
        loop {
            let attempt = async {
                let connection = self
                    .acquire(&requester)
                    .await
                    .map_err(TransactionError::before)?;
                let (large, _memory);
                let parameters = match &values.bound {
                    Some(parameters) => parameters,
                    None => {
                        let mut memory = self.memory().empty_reservation();
                        match self.bind_large(&mut memory) {
                            Ok(parameters) => large = parameters,
                            Err(error) => return Ok(Err(error)),
                        }
                        _memory = memory;
                        &large
                    }
                };
                let has_settings = mutation.settings.is_some();
                let steps = TransactionSteps {
                    texts: &texts,
                    shapes: &shapes,
                    parameters,
                    has_settings,
                };
                let memory = response.memory();
                if self.state.replicas.is_some() && ending == Completion::Commit {
                    let (rows, position) = connection
                        .write_with_position(steps, memory, self.deadline)
                        .await?;
                    *written_at = position;
                    return Ok(Ok(rows));
                }
                connection
                    .write(steps, ending, memory, self.deadline)
                    .await
                    .map(Ok)
            };
            match attempt.await {
                Ok(rows) => {
                    let rows = rows?;
                    if let Some(record) = self.record {
                        record.add_rows(rows.iter().map(Vec::len).sum());
                    }
                    return response.written(&runs.rows_by_step(rows));
                }
                Err(failed) if retry.should_retry_write(&failed).await => {}
                Err(failed) => {
                    return Err(self.mutation_error(mutation, runs.failure_by_step(failed)));
                }
            }
        }
    }

    /// The cache key, if the translation can be cached. It contains the parameters, so large ones
    /// are bound now.
    fn cache_key(&self, values: &mut BoundParameters) -> Result<Option<Arc<ReadKey>>, Error> {
        if values.bound.is_none() {
            values.bound = Some(self.bind_large(&mut values.memory)?);
        }
        Ok(values
            .bound
            .as_mut()
            .and_then(|parameters| ReadKey::new(self.translation, parameters)))
    }

    /// Runs the statement without the cache.
    pub(super) async fn run_with_values(&self, values: &BoundParameters) -> Result<Payload, Error> {
        let bound = values.bound.as_ref();
        self.run_query(
            bound.map(|bound| bound.first().map(Vec::as_slice).unwrap_or_default()),
            || (),
        )
        .await
    }

    /// Runs the statement with these parameters, without the cache.
    pub(super) async fn run_parameters(
        &self,
        parameters: &[Option<String>],
    ) -> Result<Payload, Error> {
        self.run_query(Some(parameters), || ()).await
    }

    /// Answers a read from the cache or with the result of a statement in flight. Otherwise runs a
    /// statement, whose result others may use.
    async fn read_through_cache(
        &self,
        read: Arc<ReadKey>,
        reuse: CachePolicy,
    ) -> Result<Payload, Error> {
        match self
            .state
            .reads
            .lookup(read.clone(), reuse, self.deadline)
            .await
        {
            Lookup::Answered(bytes) => Ok(Payload::Whole(bytes)),
            Lookup::Late => Err(LimitExceeded::Time(self.limits.enforced.time).into()),
            Lookup::Alone => self.run_query(Some(read.parameters()), || ()).await,
            Lookup::Ask(lead) => {
                let answered = self
                    .run_query(Some(read.parameters()), || lead.mark_sent())
                    .await;
                complete_flight(lead, answered).await
            }
        }
    }

    /// Runs the statement and encodes its rows. A read whose connection was lost is retried while
    /// nothing of its response has been sent. `leaves` is called just before each attempt to send
    /// the statement. Parameters that are none are bound once there is a connection, and dropped
    /// after they were sent.
    async fn run_query(
        &self,
        parameters: Option<&[Option<String>]>,
        leaves: impl Fn(),
    ) -> Result<Payload, Error> {
        let TranslationKind::Statement(statement) = &self.translation.kind else {
            return ResponseWriter::constant(self.translation);
        };
        let requester = self.requester();
        let mut retry = self.state.database.retry(self.deadline);
        let mut replica = self.choose_replica();
        loop {
            let attempt = async {
                let database = replica
                    .as_ref()
                    .map_or(&self.state.database, |chosen| &chosen.database);
                let connection = self.acquire_from(database, &requester).await?;
                let rows = match parameters {
                    Some(parameters) => {
                        leaves();
                        connection.query_shaped(self.translation, parameters, self.deadline)?
                    }
                    None => {
                        let mut memory = self.memory().empty_reservation();
                        let bound = self.bind_large(&mut memory)?;
                        leaves();
                        let parameters = bound.first().map(Vec::as_slice).unwrap_or_default();
                        connection.query_shaped(self.translation, parameters, self.deadline)?
                    }
                };
                let memory = self.memory().empty_reservation();
                let writer = ResponseWriter::new(
                    self.translation.clone(),
                    rows,
                    self.limits.clone(),
                    memory,
                );
                writer.write(!self.buffered).await
            };
            match attempt.await {
                Err(Error::Database(fault)) => {
                    if let (Some(failed), Some(routing)) = (replica.take(), &self.state.replicas)
                        && is_of_replica(&fault)
                    {
                        routing.replicas.note_failure(&failed, &fault);
                        continue;
                    }
                    if !retry.should_retry(&fault).await {
                        let error = query_error(statement, fault);
                        return Err(mutation::name_value(error, Some(statement), self.variables));
                    }
                }
                Err(error) => return Err(error),
                Ok((payload, rows)) => {
                    if let (Some(record), Payload::Whole(_)) = (self.record, &payload) {
                        record.add_rows(rows);
                    }
                    return Ok(payload);
                }
            }
        }
    }
}

/// Passes the result to the waiting requests. A streamed response is collected first if any request
/// waits for it.
async fn complete_flight(
    lead: FlightLeader<'_>,
    answered: Result<Payload, Error>,
) -> Result<Payload, Error> {
    let answered = match (answered, lead.has_waiters()) {
        (Ok(payload @ Payload::Parts(..)), true) => payload.collect().await.map(Payload::Whole),
        (answered, _) => answered,
    };
    match &answered {
        Ok(Payload::Whole(bytes)) => lead.complete(bytes),
        _ => lead.fail(),
    }
    answered
}

//! Executes a translation for one caller: checks the planner's estimate, binds the parameters, runs
//! the statements and encodes the rows. Documents and native queries both end here; their
//! translation happens before.

use std::sync::Arc;

use bytes::Bytes;
use sql::graphql::variables::Variables;
use sql::statement::{Estimate, Mutation, Statement, ValueBudget};
use sql::{Cause, RequestLimit, Translation, TranslationKind};
use tokio::time::Instant;

use super::bound_query::BoundQuery;
use super::database_query::{
    ShortRead, StepColumns, TranslationColumns, query, transaction_settings,
};
use super::execution_result::Timings;
use super::read_cache::{CachePolicy, FlightLeader, Lookup, ReadKey};
use super::replica_routing::{ReadSource, is_of_replica};
use super::request_context::RequestContext;
use super::response_body::{Payload, ResponseWriter};
use super::statements::{bind_runs, query_error, statements};
use super::{grouped_reads, mutation};
use crate::error::Error;
use crate::limits::{LimitExceeded, LimitKind};
use crate::telemetry::execution_record::Stage;
use pg::memory::{MAX_COVERED_BYTES, Reservation};
use pg::replicas::ChosenReplica;
use pg::{
    Completion, Database, DatabaseError, FailurePoint, Parameters, PooledConnection, Requester,
    Row, TransactionError, TransactionSteps, WalPosition,
};

/// A translation with everything needed to run it.
#[derive(Clone, Copy)]
pub(super) struct Execution<'r> {
    pub(super) context: RequestContext<'r>,
    pub(super) translation: &'r Arc<Translation>,
    pub(super) variables: &'r Variables,
    /// Whether the response is buffered instead of streamed.
    pub(super) buffered: bool,
    /// From where a query reads.
    pub(super) source: ReadSource,
}

/// Which cached answers a read may use; by default none.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct CachedReads<'n> {
    /// The name of the operation, for which the settings may allow more than `policy`.
    pub(super) name: Option<&'n str>,
    /// The policy of the transport.
    pub(super) policy: CachePolicy,
}

impl CachedReads<'_> {
    /// None if the caller has written something, which a cached answer may not contain.
    pub(super) fn unless_written(self, source: ReadSource) -> Self {
        match source {
            ReadSource::Replica(Some(_)) => CachedReads::default(),
            ReadSource::Replica(None) | ReadSource::Primary => self,
        }
    }
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
    /// The parameters of the first statement, if they are bound.
    pub(super) fn first(&self) -> Option<&[Option<String>]> {
        let bound = self.bound.as_ref()?;
        Some(bound.first().map(Vec::as_slice).unwrap_or_default())
    }

    /// Takes the parameters of the first statement, if they are bound.
    fn take_first(&mut self) -> Option<Parameters> {
        self.bound.as_mut()?.first_mut().map(std::mem::take)
    }
}

/// The statements of a mutation, each as often as it runs.
struct Transaction<'m> {
    texts: Vec<&'m str>,
    columns: StepColumns<'m>,
    has_settings: bool,
    ending: Completion,
}

/// Why an attempt to run a transaction failed.
enum AttemptError {
    /// The parameters cannot be bound.
    Parameters(Error),
    /// The transaction failed.
    Transaction(TransactionError),
}

impl From<TransactionError> for AttemptError {
    fn from(error: TransactionError) -> AttemptError {
        AttemptError::Transaction(error)
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
    /// An execution whose response is buffered and whose rows come from the primary.
    pub(super) fn new(
        context: RequestContext<'r>,
        translation: &'r Arc<Translation>,
        variables: &'r Variables,
    ) -> Execution<'r> {
        Execution {
            context,
            translation,
            variables,
            buffered: true,
            source: ReadSource::Primary,
        }
    }

    /// Whether it is a mutation that is rolled back.
    pub(super) fn is_dry_run(&self) -> bool {
        matches!(self.translation.kind, TranslationKind::Mutation(_))
            && self.context.session.dry_run()
    }

    /// Binds the parameters of the statements if they are small; larger ones are bound once there
    /// is a connection.
    pub(super) async fn bind_parameters(
        &self,
        stages: &mut Timings,
    ) -> Result<BoundParameters, Error> {
        let began = Instant::now();
        let mut memory = self.context.memory().empty_reservation();
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
        self.context
            .limits
            .observe(LimitKind::Patterns, budget.patterns());
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
        let limits = &self.context.limits.enforced;
        let most = limits.values();
        for step in steps {
            let bytes = (*step).min(most);
            if bytes > STEPS[0] {
                memory.grow_to(bytes)?;
            }
            let mut budget = ValueBudget::new(bytes).with_patterns(limits.patterns);
            match bind_runs(
                self.translation,
                self.variables,
                self.context.session,
                &mut budget,
            ) {
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
        let mut memory = self.context.memory().empty_reservation();
        let bound = self.bind(&STEPS, &mut memory)?;
        let (parameters, budget) =
            bound.ok_or_else(|| Error::Internal("values beyond every step".into()))?;
        self.context
            .limits
            .observe(LimitKind::Patterns, budget.patterns());
        let estimates = statements(self.translation).flat_map(|statement| &statement.estimates);
        let arguments = estimates
            .map(|query| query.bind(self.variables, self.context.session, &mut budget.clone()));
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
        let RequestContext {
            state, deadline, ..
        } = self.context;
        let requester = self.context.requester();
        for (statement, parameters) in self.statement_runs()?.into_iter().zip(parameters) {
            for query in &statement.estimates {
                // Each estimate gets the whole remaining budget: its parameters are dropped after
                // it.
                let mut remaining = value_budget;
                let arguments = query.bind(self.variables, self.context.session, &mut remaining)?;
                let (_, settings) = statement.divide(parameters);
                let mut retry = state.database.retry(deadline);
                let response = loop {
                    let estimated = state.database.query_scalar_for(
                        &requester,
                        settings.map(transaction_settings),
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

    /// Acquires a connection to the primary when it is the caller's turn.
    pub(super) async fn acquire(
        &self,
        requester: &Requester,
    ) -> Result<PooledConnection, DatabaseError> {
        let database = &self.context.state.database;
        let connection = self.acquire_from(database, requester).await?;
        self.record_server(&connection);
        Ok(connection)
    }

    /// Records the replica that has answered, if one has.
    fn record_replica(&self, replica: Option<&Arc<str>>) {
        if let (Some(record), Some(replica)) = (self.context.record, replica) {
            record.set_server(replica);
        }
    }

    /// Records the server of a connection, if there are several.
    fn record_server(&self, connection: &PooledConnection) {
        if let Some(record) = self.context.record
            && self.context.state.has_several_servers()
            && let Some(host) = connection.host()
        {
            record.set_server(host);
        }
    }

    async fn acquire_from(
        &self,
        database: &Database,
        requester: &Requester,
    ) -> Result<PooledConnection, DatabaseError> {
        let mut connection = {
            let _timer = self.context.start(Stage::Wait);
            database.acquire(requester, self.context.deadline).await?
        };
        if let Some(comment) = self
            .context
            .record
            .and_then(|record| record.comment.as_deref())
        {
            connection.set_comment(comment)?;
        }
        self.context
            .limits
            .observe(LimitKind::Connections, connection.held_by_role());
        Ok(connection)
    }

    /// The replica that a query reads from, if it may and one is ready.
    fn choose_replica(&self) -> Option<Box<ChosenReplica>> {
        match (self.source, &self.context.state.replicas) {
            (ReadSource::Replica(after), Some(routing)) => routing.replicas.choose(after),
            (ReadSource::Primary, _) | (_, None) => None,
        }
    }

    /// Runs the translation with these values. Returns also a position behind the changes of a
    /// mutation, if there are replicas.
    pub(super) async fn execute(
        &self,
        mut values: BoundParameters,
        cached: CachedReads<'_>,
    ) -> Result<(Payload, Option<WalPosition>), Error> {
        let mut written_at = None;
        let payload = match &self.translation.kind {
            TranslationKind::Mutation(mutation) => {
                let changed = self.run_mutation(mutation, &values, &mut written_at).await;
                if let Err(Error::Database(DatabaseError::Unreadable(_))) = changed {
                    self.context.state.reload.request();
                }
                Payload::Whole(changed?)
            }
            _ => {
                let CachedReads { name, policy } = cached;
                let policy = self.context.state.reads.policy(|| name, policy);
                let key = if policy.is_none() {
                    None
                } else {
                    self.cache_key(&mut values)?
                };
                match key {
                    // Boxed because it is rare, and its future is large compared with the rest.
                    Some(key) => Box::pin(self.read_through_cache(key, policy)).await?,
                    None => self.read(values).await?,
                }
            }
        };
        if let Payload::Whole(bytes) = &payload {
            self.context.limits.observe(LimitKind::Answer, bytes.len());
        }
        Ok((payload, written_at))
    }

    /// Runs a query, together with those of other requests if it is a short read.
    async fn read(&self, mut values: BoundParameters) -> Result<Payload, Error> {
        let Some(statement) =
            grouped_reads::grouped_statement(&self.context, self.translation, self.source)
        else {
            return self.run_query(values.first(), || ()).await;
        };
        let Some(parameters) = values.take_first() else {
            return self.run_query(values.first(), || ()).await;
        };
        let read = Arc::new(ShortRead {
            translation: self.translation.clone(),
            parameters,
        });
        match grouped_reads::read(&self.context, statement, &read).await? {
            Some(payload) => Ok(payload),
            None => self.run_query(Some(&read.parameters), || ()).await,
        }
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
            self.context.limits.enforced.response_bytes,
            self.context.memory(),
        );
        if mutation.steps.is_empty() {
            return response.empty();
        }
        let runs = mutation::StepRuns::new(mutation, self.variables)?;
        let statements = || runs.steps(mutation).map(|step| &step.statement);
        let transaction = Transaction {
            texts: statements().map(|known| known.text.as_str()).collect(),
            columns: StepColumns(statements().map(|known| &known.shape).collect()),
            has_settings: mutation.settings.is_some(),
            ending,
        };
        let mut retry = self.context.state.database.retry(self.context.deadline);
        loop {
            match self
                .run_transaction(&transaction, values, response.memory())
                .await
            {
                Ok((rows, position)) => {
                    *written_at = position;
                    if let Some(record) = self.context.record {
                        record.add_rows(rows.iter().map(Vec::len).sum());
                    }
                    return response.written(&runs.rows_by_step(rows));
                }
                Err(AttemptError::Parameters(error)) => return Err(error),
                Err(AttemptError::Transaction(failed))
                    if retry.should_retry_write(&failed).await => {}
                Err(AttemptError::Transaction(failed)) => {
                    return Err(self.mutation_error(mutation, runs.failure_by_step(failed)));
                }
            }
        }
    }

    /// Runs a transaction once. Returns the rows of its statements, and a position behind its
    /// changes if there are replicas.
    async fn run_transaction(
        &self,
        transaction: &Transaction<'_>,
        values: &BoundParameters,
        memory: &mut Reservation,
    ) -> Result<(Vec<Vec<Row>>, Option<WalPosition>), AttemptError> {
        let requester = self.context.requester();
        let connection = self
            .acquire(&requester)
            .await
            .map_err(TransactionError::before)?;
        let mut large_memory = self.context.memory().empty_reservation();
        let large;
        let parameters = match &values.bound {
            Some(parameters) => parameters,
            None => {
                large = self
                    .bind_large(&mut large_memory)
                    .map_err(AttemptError::Parameters)?;
                &large
            }
        };
        let steps = TransactionSteps {
            texts: &transaction.texts,
            columns: Some(&transaction.columns),
            parameters,
            has_settings: transaction.has_settings,
        };
        let deadline = self.context.deadline;
        if self.context.state.replicas.is_some() && transaction.ending == Completion::Commit {
            return Ok(connection
                .write_with_position(steps, memory, deadline)
                .await?);
        }
        let rows = connection
            .write(steps, transaction.ending, memory, deadline)
            .await?;
        Ok((rows, None))
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

    /// Answers a read from the cache or with the result of a statement in flight. Otherwise runs a
    /// statement, whose result others may use.
    async fn read_through_cache(
        &self,
        read: Arc<ReadKey>,
        reuse: CachePolicy,
    ) -> Result<Payload, Error> {
        match self
            .context
            .state
            .reads
            .lookup(read.clone(), reuse, self.context.deadline)
            .await
        {
            Lookup::Answered(bytes) => Ok(Payload::Whole(bytes)),
            Lookup::Late => Err(LimitExceeded::Time(self.context.limits.enforced.time).into()),
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
    pub(super) async fn run_query(
        &self,
        parameters: Option<&[Option<String>]>,
        leaves: impl Fn(),
    ) -> Result<Payload, Error> {
        let TranslationKind::Statement(statement) = &self.translation.kind else {
            return ResponseWriter::constant(self.translation);
        };
        let requester = self.context.requester();
        let mut retry = self.context.state.database.retry(self.context.deadline);
        let mut replica = self.choose_replica();
        loop {
            let attempt = async {
                let database = replica
                    .as_ref()
                    .map_or(&self.context.state.database, |chosen| &chosen.database);
                let connection = self.acquire_from(database, &requester).await?;
                if replica.is_none() {
                    self.record_server(&connection);
                }
                let rows = match parameters {
                    Some(parameters) => {
                        leaves();
                        connection.query_checked(
                            query(statement, parameters),
                            || TranslationColumns::of_statement(self.translation),
                            self.context.deadline,
                        )?
                    }
                    None => {
                        let mut memory = self.context.memory().empty_reservation();
                        let bound = self.bind_large(&mut memory)?;
                        leaves();
                        let parameters = bound.first().map(Vec::as_slice).unwrap_or_default();
                        connection.query_checked(
                            query(statement, parameters),
                            || TranslationColumns::of_statement(self.translation),
                            self.context.deadline,
                        )?
                    }
                };
                let memory = self.context.memory().empty_reservation();
                let writer = ResponseWriter::new(
                    self.translation.clone(),
                    rows,
                    self.context.limits.clone(),
                    memory,
                );
                writer.write(!self.buffered).await
            };
            let attempted = attempt.await;
            let asked = replica.as_ref().map(|chosen| chosen.host().clone());
            match attempted {
                Err(Error::Database(fault)) => {
                    if let (Some(failed), Some(routing)) =
                        (replica.take(), &self.context.state.replicas)
                        && is_of_replica(&fault)
                    {
                        routing.replicas.note_failure(&failed, &fault);
                        continue;
                    }
                    if !retry.should_retry(&fault).await {
                        self.record_replica(asked.as_ref());
                        let error = query_error(statement, fault);
                        return Err(mutation::name_value(error, Some(statement), self.variables));
                    }
                }
                Err(error) => return Err(error),
                Ok((payload, rows)) => {
                    self.record_replica(asked.as_ref());
                    if let (Some(record), Payload::Whole(_)) = (self.context.record, &payload) {
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

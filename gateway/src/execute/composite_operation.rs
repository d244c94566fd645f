//! Executes operations that select actions. Fields of the database and actions of a query are
//! executed at once; those of a mutation in the order of the document, where the fields of the
//! database between two actions are one transaction.

use std::sync::Arc;

use bytes::Bytes;
use futures_util::future::try_join_all;
use indexmap::IndexMap;
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use sql::encode::shape::Key;
use sql::graphql::document::OperationKind;
use sql::model::action::ActionKind;
use sql::resolve::selection::ActionCall;
use sql::statement::ValueBudget;
use sql::{CompositeOperation, OperationPart, Translation};
use tokio::time::Instant;

use super::action_response::WriteError;
use super::execution::{BoundParameters, Execution};
use super::plan_cache::Plan;
use super::read_cache::CachePolicy;
use super::{ExecutionResult, ExecutionState, Payload, ReadSource, Timings};
use super::{action_response, action_rows, introspection, selects_introspection};
use crate::actions::ActionContext;
use crate::auth::session::Session;
use crate::database::DatabaseError;
use crate::error::Error;
use crate::limits::memory::{self, MemoryBudget};
use crate::limits::{LimitExceeded, LimitKind, RoleLimits};
use crate::request::Request;
use crate::telemetry::execution_record::{ExecutionRecord, Stage};

/// An operation that selects actions, and everything needed to execute it.
pub(super) struct CompositeExecution<'r> {
    pub(super) state: &'r ExecutionState,
    pub(super) session: &'r Session,
    pub(super) request: &'r Request,
    pub(super) plan: &'r Plan,
    pub(super) operation: &'r CompositeOperation,
    pub(super) limits: &'r Arc<RoleLimits>,
    pub(super) deadline: Instant,
    pub(super) record: Option<&'r ExecutionRecord>,
}

/// A part that is ready to be executed: everything that can fail before has been checked.
enum ReadyPart<'r> {
    Fields(Execution<'r>, BoundParameters),
    Action(
        &'r str,
        &'r ActionCall<Arc<Translation>>,
        Map<String, Value>,
    ),
}

/// The values of root fields by their response keys, as JSON.
type RootValues = Vec<(String, Bytes)>;

/// The members of a response.
#[derive(serde::Deserialize)]
struct Response {
    data: IndexMap<String, Box<RawValue>>,
}

/// Executes an operation that selects actions.
pub(super) async fn run(
    composite: CompositeExecution<'_>,
    mut timings: Timings,
) -> Result<ExecutionResult, Error> {
    let began = Instant::now();
    let _timer = composite.record.map(|record| record.start(Stage::Run));
    let dry_run = composite.is_mutation() && composite.session.dry_run();
    let parts = composite.prepare(&mut timings, dry_run).await?;
    let values = if composite.is_mutation() {
        composite.run_in_order(parts, dry_run).await?
    } else {
        composite.run_at_once(parts).await?
    };
    let payload = composite.respond(values).await?;
    timings.run += began.elapsed();
    // Handlers of actions may have written as well, so the position is asked for at the end.
    let written_at = if composite.state.replicas.is_some() && composite.is_mutation() && !dry_run {
        composite
            .state
            .database
            .wal_position(composite.deadline)
            .await
    } else {
        None
    };
    let is_unlisted = composite.plan.entry.listing.is_reported();
    Ok(ExecutionResult {
        payload,
        timings,
        dry_run,
        is_unlisted,
        written_at,
    })
}

impl<'r> CompositeExecution<'r> {
    fn is_mutation(&self) -> bool {
        self.plan.entry.operation.kind() == OperationKind::Mutation
    }

    fn execution(&self, translation: &'r Arc<Translation>) -> Execution<'r> {
        Execution {
            state: self.state,
            session: self.session,
            translation,
            variables: &self.plan.variables,
            limits: self.limits,
            buffered: true,
            source: ReadSource::Primary,
            deadline: self.deadline,
            record: self.record,
        }
    }

    /// Checks the expected work, the arguments of actions and the parameters of all parts, before
    /// any is executed.
    async fn prepare(
        &self,
        timings: &mut Timings,
        dry_run: bool,
    ) -> Result<Vec<ReadyPart<'r>>, Error> {
        for translation in self.operation.translations() {
            self.execution(translation).check_expected_work().await?;
        }
        let access = self.state.schema.access(self.session);
        let budget = ValueBudget::new(self.limits.enforced.values());
        let mut parts = vec![];
        for part in &self.operation.parts {
            parts.push(match part {
                OperationPart::Fields(translation) => {
                    let execution = self.execution(translation);
                    let parameters = execution.bind_parameters(timings).await?;
                    ReadyPart::Fields(execution, parameters)
                }
                OperationPart::Action(_, call)
                    if dry_run && !self.state.actions.can_be_undone(call.action) =>
                {
                    return Err(Error::ActionDryRun(call.path.clone()));
                }
                OperationPart::Action(key, call) => {
                    let input = call.arguments(&access, &self.plan.variables, &budget)?;
                    ReadyPart::Action(key, call, input)
                }
            });
        }
        Ok(parts)
    }

    /// Executes the parts of a mutation one after the other. What has been done stays when a later
    /// part fails, so the operation is not repeated then.
    async fn run_in_order(
        &self,
        parts: Vec<ReadyPart<'r>>,
        dry_run: bool,
    ) -> Result<RootValues, Error> {
        let mut values = vec![];
        for (index, part) in parts.into_iter().enumerate() {
            let done = self.run_part(part, dry_run).await;
            values.extend(if index > 0 {
                done.map_err(not_repeated)?
            } else {
                done?
            });
        }
        Ok(values)
    }

    /// Executes the parts of a query at once, but nothing before a required row is known to be
    /// visible.
    async fn run_at_once(&self, parts: Vec<ReadyPart<'r>>) -> Result<RootValues, Error> {
        let mut parts = parts.into_iter();
        let mut values = vec![];
        if self.operation.requires_row
            && let Some(first) = parts.next()
        {
            values.extend(self.run_part(first, false).await?);
        }
        let rest = try_join_all(parts.map(|part| self.run_part(part, false))).await?;
        values.extend(rest.into_iter().flatten());
        Ok(values)
    }

    async fn run_part(&self, part: ReadyPart<'r>, dry_run: bool) -> Result<RootValues, Error> {
        match part {
            ReadyPart::Fields(execution, parameters) => {
                let (payload, _) = execution
                    .execute(parameters, None, CachePolicy::default())
                    .await?;
                root_values(&payload.collect().await?)
            }
            ReadyPart::Action(key, call, input) => Ok(vec![(
                key.to_owned(),
                self.run_action(call, input, dry_run).await?,
            )]),
        }
    }

    async fn run_action(
        &self,
        call: &ActionCall<Arc<Translation>>,
        input: Map<String, Value>,
        dry_run: bool,
    ) -> Result<Bytes, Error> {
        let actions = &self.state.actions;
        let action = actions.declared().actions.get(call.action as usize);
        let name = action.map_or("", |action| &action.name);
        let is_mutation = action.is_none_or(|action| action.kind == ActionKind::Mutation);
        let access = self.state.schema.access(self.session);
        let requester = self.requester();
        let context = ActionContext {
            name,
            id: None,
            is_mutation,
            path: &call.path,
            session: self.session,
            access: &access,
            query: &self.request.query,
            headers: self.request.client_headers.as_deref(),
            dry_run,
            database: &self.state.database,
            requester: &requester,
            memory: self.memory(),
            deadline: self.deadline,
        };
        let called =
            tokio::time::timeout_at(self.deadline, actions.call(call.action, &context, input))
                .await;
        let late = |_| {
            if is_mutation {
                Error::OutcomeUnknown(format!(
                    "the time limit passed while action {name} was called"
                ))
            } else {
                LimitExceeded::Time(self.limits.enforced.time).into()
            }
        };
        let response = called.map_err(late)??;
        let rows = action_rows::read(self, &call.output, &response)
            .await
            .map_err(not_repeated)?;
        let limit = self.limits.enforced.response_bytes;
        let written = action_response::write(&call.output, &response, &rows, limit);
        let bytes = written.map_err(|error| match error {
            WriteError::Misfit(misfit) => {
                Error::UnusableAnswer(format!("the handler of action {name} {misfit}"))
            }
            WriteError::TooLong => LimitExceeded::Answer(limit).into(),
        })?;
        if bytes.len() > limit {
            return Err(LimitExceeded::Answer(limit).into());
        }
        let mut memory = self.memory().empty_reservation();
        memory::reserve_if_large(&mut memory, bytes.capacity())?;
        Ok(memory.hold(bytes))
    }

    fn memory(&self) -> MemoryBudget {
        self.execution(&self.plan.translation).memory()
    }

    fn requester(&self) -> crate::database::Requester {
        self.execution(&self.plan.translation).requester()
    }

    /// The response, with the values in the order of the selection.
    async fn respond(&self, values: RootValues) -> Result<Payload, Error> {
        let by_key: IndexMap<String, Bytes> = values.into_iter().collect();
        let mut out = b"{\"data\":{".to_vec();
        let answered = self
            .plan
            .translation
            .roots
            .iter()
            .filter(|root| !root.is_introspection);
        for (index, root) in answered.enumerate() {
            let key = &root.key;
            if index > 0 {
                out.push(b',');
            }
            out.extend_from_slice(Key::new(key).as_str().as_bytes());
            let missing = || Error::Internal(format!("no response for the root field `{key}`"));
            out.extend_from_slice(by_key.get(key).ok_or_else(missing)?);
        }
        out.extend_from_slice(b"}}");
        if selects_introspection(&self.plan.translation) {
            let introspection =
                introspection::prepare(&self.execution(&self.plan.translation), self.plan).await?;
            let payload = introspection.respond(self.plan, &out).await?;
            out = payload.collect().await?.into();
        }
        if out.len() > self.limits.enforced.response_bytes && !self.is_mutation() {
            return Err(LimitExceeded::Answer(self.limits.enforced.response_bytes).into());
        }
        self.limits.observe(LimitKind::Answer, out.len());
        let mut memory = self.memory().empty_reservation();
        memory::reserve_if_large(&mut memory, out.capacity())?;
        Ok(Payload::Whole(memory.hold(out)))
    }
}

/// The values of the root fields in a response.
fn root_values(response: &[u8]) -> Result<RootValues, Error> {
    let unread = |error: serde_json::Error| {
        Error::Internal(format!("rows that are not JSON: column {}", error.column()))
    };
    let response: Response = serde_json::from_slice(response).map_err(unread)?;
    let value = |(key, value): (String, Box<RawValue>)| {
        (key, Bytes::from(String::from(Box::<str>::from(value))))
    };
    Ok(response.data.into_iter().map(value).collect())
}

/// Converts an error that would cause the operation to run again after a reload.
fn not_repeated(error: Error) -> Error {
    match error {
        Error::Database(DatabaseError::SchemaChanged(cause)) => {
            Error::Database(DatabaseError::Unreadable(cause))
        }
        Error::Database(DatabaseError::Refused(mut refusal)) => {
            refusal.is_outdated = false;
            Error::Database(DatabaseError::Refused(refusal))
        }
        Error::NotWritten { mut refusal, path } => {
            refusal.is_outdated = false;
            Error::NotWritten { refusal, path }
        }
        error => error,
    }
}

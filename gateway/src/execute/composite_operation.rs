//! Executes operations of several parts. [`CompositeOperation`] is the seam between parts that
//! different systems answer: today the database and the handlers of actions.
//!
//! ```text
//! parts ─▶ each executed by its own system ─▶ keys join the rows of one to the other ─▶ one writer
//! ```
//!
//! * A part is a translation of its own under the caller's rules, or a call of an action. Parts of
//!   a query are executed at once; those of a mutation in the order of the document, where the
//!   fields of the database between two actions are one transaction.
//! * [`joined_rows`] reads the rows that relations lead to from an action's answer, by their keys.
//! * [`part_writer`] writes an action's answer with these rows; [`CompositeExecution::respond`]
//!   puts the values of all parts into one response.

mod joined_rows;
mod part_writer;

use std::sync::Arc;

use bytes::Bytes;
use futures_util::future::try_join_all;
use indexmap::IndexMap;
use pg::DatabaseError;
use pg::memory;
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use sql::encode::shape::Key;
use sql::graphql::document::OperationKind;
use sql::model::action::ActionKind;
use sql::resolve::selection::ActionCall;
use sql::statement::ValueBudget;
use sql::{CompositeOperation, OperationPart, Translation};
use tokio::time::Instant;

use super::execution::{BoundParameters, CachedReads, Execution};
use super::execution_result::{ExecutionResult, Timings};
use super::introspection;
use super::plan_cache::Plan;
use super::request_context::RequestContext;
use super::response_body::Payload;
use super::statements::selects_introspection;
use crate::actions::ActionContext;
use crate::error::Error;
use crate::limits::{LimitExceeded, LimitKind};
use crate::request::Request;
use crate::telemetry::execution_record::Stage;
use part_writer::WriteError;

/// An operation of several parts, and everything needed to execute it.
pub(super) struct CompositeExecution<'r> {
    pub(super) context: RequestContext<'r>,
    pub(super) request: &'r Request,
    pub(super) plan: &'r Plan,
    pub(super) operation: &'r CompositeOperation,
}

/// A part that is ready to be executed: everything that can fail before has been checked.
enum ReadyPart<'r> {
    Fields(Execution<'r>, BoundParameters),
    Action {
        key: &'r str,
        call: &'r ActionCall<Arc<Translation>>,
        input: Map<String, Value>,
    },
}

/// The values of root fields by their response keys, as JSON.
type RootValues = Vec<(String, Bytes)>;

/// The members of a response.
#[derive(serde::Deserialize)]
struct Response {
    data: IndexMap<String, Box<RawValue>>,
}

/// Executes an operation of several parts.
pub(super) async fn run(
    composite: CompositeExecution<'_>,
    mut timings: Timings,
) -> Result<ExecutionResult, Error> {
    let began = Instant::now();
    let context = composite.context;
    let _timer = context.start(Stage::Run);
    let dry_run = composite.is_mutation() && context.session.dry_run();
    let parts = composite.prepare(&mut timings, dry_run).await?;
    let values = if composite.is_mutation() {
        composite.run_in_order(parts, dry_run).await?
    } else {
        composite.run_at_once(parts).await?
    };
    let payload = composite.respond(values).await?;
    timings.run += began.elapsed();
    // Handlers of actions may have written as well, so the position is asked for at the end.
    let written_at = if context.state.replicas.is_some() && composite.is_mutation() && !dry_run {
        let database = &context.state.database;
        database.wal_position(context.deadline).await
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
        Execution::new(self.context, translation, &self.plan.variables)
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
        let access = self.context.state.schema.access(self.context.session);
        let budget = ValueBudget::new(self.context.limits.enforced.values());
        self.operation
            .row_limits
            .check(&self.plan.variables, budget)?;
        let mut parts = vec![];
        for part in &self.operation.parts {
            parts.push(match part {
                OperationPart::Fields(translation) => {
                    let execution = self.execution(translation);
                    let parameters = execution.bind_parameters(timings).await?;
                    ReadyPart::Fields(execution, parameters)
                }
                OperationPart::Action { call, .. }
                    if dry_run && !self.context.state.actions.can_be_undone(call.action) =>
                {
                    return Err(Error::ActionDryRun(call.path.clone()));
                }
                OperationPart::Action { key, call } => {
                    let input = call.arguments(&access, &self.plan.variables, &budget)?;
                    ReadyPart::Action { key, call, input }
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
                    .execute(parameters, CachedReads::default())
                    .await?;
                root_values(&payload.collect().await?)
            }
            ReadyPart::Action { key, call, input } => Ok(vec![(
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
        let actions = &self.context.state.actions;
        let action = actions.declared().actions.get(call.action as usize);
        let name = action.map_or("", |action| &action.name);
        let is_mutation = action.is_none_or(|action| action.kind == ActionKind::Mutation);
        let access = self.context.state.schema.access(self.context.session);
        let requester = self.context.requester();
        let context = ActionContext {
            name,
            id: None,
            is_mutation,
            path: &call.path,
            session: self.context.session,
            access: &access,
            query: &self.request.query,
            headers: self.request.client_headers.as_deref(),
            dry_run,
            database: &self.context.state.database,
            requester: &requester,
            memory: self.context.memory(),
            deadline: self.context.deadline,
        };
        let called = tokio::time::timeout_at(
            self.context.deadline,
            actions.call(call.action, &context, input),
        )
        .await;
        let late = |_| {
            if is_mutation {
                Error::OutcomeUnknown(format!(
                    "the time limit passed while action {name} was called"
                ))
            } else {
                LimitExceeded::Time(self.context.limits.enforced.time).into()
            }
        };
        let response = called.map_err(late)??;
        let rows = joined_rows::read(&self.context, &self.plan.variables, &call.output, &response)
            .await
            .map_err(not_repeated)?;
        let limit = self.context.limits.enforced.response_bytes;
        let written = part_writer::write(&call.output, &response, &rows, limit);
        let bytes = written.map_err(|error| match error {
            WriteError::Misfit(misfit) => {
                Error::UnusableAnswer(format!("the handler of action {name} {misfit}"))
            }
            WriteError::TooLong => LimitExceeded::Answer(limit).into(),
        })?;
        if bytes.len() > limit {
            return Err(LimitExceeded::Answer(limit).into());
        }
        let mut memory = self.context.memory().empty_reservation();
        memory::reserve_if_large(&mut memory, bytes.capacity())?;
        Ok(memory.hold(bytes))
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
            let introspection = introspection::prepare(&self.context, self.plan).await?;
            let payload = introspection.respond(self.plan, &out).await?;
            out = payload.collect().await?.into();
        }
        if out.len() > self.context.limits.enforced.response_bytes && !self.is_mutation() {
            return Err(LimitExceeded::Answer(self.context.limits.enforced.response_bytes).into());
        }
        self.context.limits.observe(LimitKind::Answer, out.len());
        let mut memory = self.context.memory().empty_reservation();
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

//! Actions that a function of the database answers. The call is one transaction, with the settings
//! of the caller's role, so what the function writes is undone if it raises an error.

use std::sync::Arc;

use pg::{
    Completion, DatabaseError, Parameters, PostgresError, RowColumns, TransactionError,
    TransactionSteps,
};
use serde_json::{Map, Value};
use sql::postgres::catalog::{Catalog, FunctionId};
use sql::postgres::types::Input;
use sql::render;
use sql::statement::{SessionValues, ValueBudget};

use super::context::ActionContext;
use crate::error::{ActionError, Error};

/// A function that answers one action.
#[derive(Debug)]
pub(super) struct DatabaseFunction {
    pub(super) catalog: Arc<Catalog>,
    pub(super) function: FunctionId,
    /// The source of each argument, in the function's order; none for one that keeps its default.
    pub(super) arguments: Vec<Option<FunctionArgument>>,
    /// Whether the action is a query, which may be repeated.
    pub(super) is_query: bool,
}

/// The source of a function's argument.
#[derive(Clone, Debug)]
pub(super) enum FunctionArgument {
    /// The caller's session as JSON.
    Session,
    /// All arguments of the action as one JSON object.
    Whole,
    /// The argument of the action with this name.
    Named(String, Input),
}

/// The first characters of a SQLSTATE by which a function answers with an error of its own: `PT`
/// and an HTTP status from 400 to 499, as in PostgREST.
const RAISED: &str = "PT";

impl DatabaseFunction {
    /// Calls the function and returns its answer.
    pub(super) async fn call(
        &self,
        context: &ActionContext<'_>,
        input: &Map<String, Value>,
    ) -> Result<Value, Error> {
        let (given, values) = self.bind(context, input)?;
        let function = self.catalog.function(self.function);
        let call = render::action::function_call(&self.catalog, function, &given);
        let settings = render::settings(context.access.settings());
        let mut texts: Vec<&str> = vec![];
        let mut parameters: Vec<Parameters> = vec![];
        if let Some(settings) = &settings {
            texts.push(&settings.text);
            parameters.push(settings.bind(context.session, &mut ValueBudget::default())?);
        }
        texts.push(&call);
        parameters.push(values);
        let has_settings = settings.is_some();
        let steps = TransactionSteps {
            texts: &texts,
            columns: None,
            parameters: &parameters,
            has_settings,
        };
        let ending = if context.dry_run {
            Completion::Rollback
        } else {
            Completion::Commit
        };
        let mut memory = context.memory.empty_reservation();
        let mut retry = context.database.retry(context.deadline);
        let rows = loop {
            let written = async {
                let acquired = context
                    .database
                    .acquire(context.requester, context.deadline)
                    .await;
                let connection = acquired.map_err(TransactionError::before)?;
                connection
                    .write(steps, ending, &mut memory, context.deadline)
                    .await
            };
            match written.await {
                Ok(rows) => break rows,
                Err(failed) if retry.should_retry_write(&failed).await => {}
                Err(TransactionError { fault, .. })
                    if self.is_query && retry.should_retry(&fault).await => {}
                Err(failed)
                    if failed.may_have_committed() && !self.is_query && !context.dry_run =>
                {
                    return Err(Error::CommitUnknown(failed.fault.to_string()));
                }
                Err(failed) => return Err(failure(context, failed)),
            }
        };
        let row = rows.last().and_then(|rows| rows.first());
        let text = row.and_then(|row| RowColumns::new(row).text());
        let text =
            text.ok_or_else(|| Error::Internal("a function's call returned no row".into()))?;
        let malformed = |_| {
            Error::Internal(format!(
                "the function of action {} returned no JSON",
                context.name
            ))
        };
        crate::request::json::read(text.as_bytes()).map_err(malformed)
    }

    /// The places of the arguments that are passed, and their values as text.
    fn bind(
        &self,
        context: &ActionContext<'_>,
        input: &Map<String, Value>,
    ) -> Result<(Vec<usize>, Parameters), Error> {
        let mut given = vec![];
        let mut values = vec![];
        for (index, argument) in self.arguments.iter().enumerate() {
            let text = match argument {
                None => continue,
                Some(FunctionArgument::Session) => Some(context.session.json()),
                Some(FunctionArgument::Whole) => Some(Value::Object(input.clone()).to_string()),
                Some(FunctionArgument::Named(name, accepted)) => match input.get(name) {
                    None if self.has_default(index) => continue,
                    None | Some(Value::Null) => None,
                    Some(value) => Some(accepted.text(value).map_err(|_| {
                        Error::Internal(format!(
                            "argument {name} of action {} has no text form",
                            context.name
                        ))
                    })?),
                },
            };
            given.push(index);
            values.push(text);
        }
        Ok((given, values))
    }

    fn has_default(&self, index: usize) -> bool {
        let function = self.catalog.function(self.function);
        function
            .arguments
            .get(index)
            .is_some_and(|argument| argument.default)
    }
}

/// Converts an error of the transaction. A function's own error has a message for the client.
fn failure(context: &ActionContext<'_>, failed: TransactionError) -> Error {
    match failed.fault {
        DatabaseError::Refused(refusal) => match raised(&refusal) {
            Some(status) => Error::Action(Box::new(ActionError {
                status,
                path: context.path.to_owned(),
                ..ActionError::new(&refusal.message)
            })),
            None => Error::NotWritten {
                refusal,
                path: context.path.to_owned(),
            },
        },
        fault => fault.into(),
    }
}

/// The HTTP status of an error that a function raises for the client.
fn raised(refusal: &PostgresError) -> Option<u16> {
    let status = refusal.sqlstate.strip_prefix(RAISED)?.parse().ok()?;
    (400..500).contains(&status).then_some(status)
}

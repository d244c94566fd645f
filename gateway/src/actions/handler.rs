//! The handlers of all actions, by the index of the action in the schema.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Map, Value};
use sql::model::action::Actions;

use super::context::ActionContext;
use super::function::DatabaseFunction;
use super::language_model::LanguageModel;
use super::log::ActionLog;
use super::native::{ActionInput, NativeHandler};
use super::source::LogSettings;
use super::web_service::WebService;
use crate::error::Error;

/// The answer of a handler.
pub type HandlerResponse = Value;

/// The handlers of all actions.
#[derive(Debug, Default)]
pub struct Handlers {
    /// The actions and types of the schema.
    pub(super) declared: Arc<Actions>,
    /// The handler of each action, in the order of the actions.
    pub(super) by_action: Vec<Handler>,
    /// The handlers that the worker calls, by the names of asynchronous actions.
    pub(super) asynchronous: BTreeMap<String, Handler>,
    /// Whether a handler gets headers of the client.
    pub(super) forwards_headers: bool,
    /// How long finished calls of asynchronous actions are kept.
    pub(super) retention: Duration,
}

/// Who answers an action.
pub(super) enum Handler {
    /// A web service.
    Web(Box<WebService>),
    /// A function of the database.
    Function(DatabaseFunction),
    /// A function of the database, whose answer a language model words.
    ByLanguageModel(DatabaseFunction, Box<LanguageModel>),
    /// A function of the program that embeds the gateway.
    Native(NativeHandler),
    /// The log of asynchronous actions takes the call, and returns its id.
    Enqueue {
        /// How many calls of a caller wait at most.
        limit: usize,
    },
    /// The log of asynchronous actions returns what became of a call.
    Outcome,
}

impl Handlers {
    /// The actions and types of the schema.
    pub fn declared(&self) -> &Arc<Actions> {
        &self.declared
    }

    /// Whether a handler gets headers of the client.
    pub fn forwards_headers(&self) -> bool {
        self.forwards_headers
    }

    /// Sets how the log of asynchronous actions is kept.
    pub fn with_log(mut self, settings: LogSettings) -> Handlers {
        for handler in &mut self.by_action {
            if let Handler::Enqueue { limit } = handler {
                *limit = settings.waiting_calls;
            }
        }
        Handlers {
            retention: settings.retention,
            ..self
        }
    }

    /// Whether there are asynchronous actions.
    pub fn has_asynchronous(&self) -> bool {
        !self.asynchronous.is_empty()
    }

    /// Whether a call of the action can be undone, as a dry run needs it.
    pub fn can_be_undone(&self, action: u32) -> bool {
        matches!(
            self.by_action.get(action as usize),
            Some(Handler::Function(_) | Handler::ByLanguageModel(..))
        )
    }

    /// Calls the handler of an action.
    pub async fn call(
        &self,
        action: u32,
        context: &ActionContext<'_>,
        input: Map<String, Value>,
    ) -> Result<HandlerResponse, Error> {
        match self.by_action.get(action as usize) {
            Some(handler) => handler.call(context, input).await,
            None => Err(Error::Internal(format!(
                "action {} has no handler",
                context.name
            ))),
        }
    }
}

impl Handler {
    pub(super) async fn call(
        &self,
        context: &ActionContext<'_>,
        input: Map<String, Value>,
    ) -> Result<HandlerResponse, Error> {
        match self {
            Handler::Web(service) => service.call(context, &input).await,
            Handler::Function(function) => function.call(context, &input).await,
            Handler::ByLanguageModel(function, model) => {
                let response = function.call(context, &input).await?;
                Ok(model.word(context, &input, response).await)
            }
            Handler::Native(function) => {
                let called = function(ActionInput {
                    arguments: input,
                    session: context.session.clone(),
                });
                let timely = tokio::time::timeout_at(context.deadline, called).await;
                let late = |_| {
                    let cause = format!("action {} did not answer in time", context.name);
                    if context.is_mutation {
                        Error::OutcomeUnknown(cause)
                    } else {
                        Error::ActionUnavailable(cause)
                    }
                };
                timely.map_err(late)?.map_err(|mut error| {
                    error.path = context.path.to_owned();
                    Error::Action(Box::new(error))
                })
            }
            Handler::Enqueue { limit } => ActionLog::enqueue(context, &input, *limit).await,
            Handler::Outcome => ActionLog::outcome(context, &input).await,
        }
    }
}

impl std::fmt::Debug for Handler {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self {
            Handler::Web(_) => "Web",
            Handler::Function(_) => "Function",
            Handler::ByLanguageModel(..) => "ByLanguageModel",
            Handler::Native(_) => "Native",
            Handler::Enqueue { .. } => "Enqueue",
            Handler::Outcome => "Outcome",
        })
    }
}

//! Actions that Rust answers: functions that the program which embeds the gateway registers by
//! name.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::Arc;

use serde_json::{Map, Value};

use crate::auth::session::Session;
pub use crate::error::ActionError;

/// What a function gets.
#[derive(Clone, Debug)]
pub struct ActionInput {
    /// The arguments, checked against their types.
    pub arguments: Map<String, Value>,
    /// The caller.
    pub session: Session,
}

type ActionFuture = Pin<Box<dyn Future<Output = Result<Value, ActionError>> + Send>>;

/// A function that answers an action.
pub(super) type NativeHandler = Arc<dyn Fn(ActionInput) -> ActionFuture + Send + Sync>;

/// The functions by the names of their actions.
#[derive(Clone, Default)]
pub struct NativeHandlers(BTreeMap<String, NativeHandler>);

impl NativeHandlers {
    /// Registers the function that answers an action.
    pub fn insert<F, A>(&mut self, action: &str, handler: F)
    where
        F: Fn(ActionInput) -> A + Send + Sync + 'static,
        A: Future<Output = Result<Value, ActionError>> + Send + 'static,
    {
        self.0.insert(
            action.to_owned(),
            Arc::new(move |input| Box::pin(handler(input))),
        );
    }

    pub(super) fn get(&self, action: &str) -> Option<&NativeHandler> {
        self.0.get(action)
    }
}

impl std::fmt::Debug for NativeHandlers {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_set().entries(self.0.keys()).finish()
    }
}

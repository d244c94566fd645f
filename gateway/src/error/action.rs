//! The error with which the handler of an action rejects a call. Its message and its code are for
//! the client.

use serde_json::{Map, Value};

use super::{ErrorSpec, catalogue};

/// The error with which a handler rejects a call.
#[derive(Clone, Debug, PartialEq)]
pub struct ActionError {
    /// The message for the client.
    pub message: String,
    /// `extensions.code`; without one, the code that belongs to the status.
    pub code: Option<String>,
    /// The HTTP status from 400 to 499. 403 selects the status 403 where errors have one, every
    /// other the status 400.
    pub status: u16,
    /// Further extensions for the client.
    pub extensions: Map<String, Value>,
    /// The path of the field in the request.
    pub path: String,
}

impl ActionError {
    /// An error with this message for the client.
    pub fn new(message: &str) -> ActionError {
        let message = message.to_owned();
        let path = "$".to_owned();
        ActionError {
            message,
            code: None,
            status: 400,
            extensions: Map::new(),
            path,
        }
    }

    /// Sets the code.
    pub fn with_code(self, code: &str) -> ActionError {
        ActionError {
            code: Some(code.to_owned()),
            ..self
        }
    }

    /// The entry in the catalogue, whose code applies if the handler gives none.
    pub(super) fn spec(&self) -> ErrorSpec {
        match self.status {
            403 => catalogue::PERMISSION_ERROR,
            _ => catalogue::ACTION_FAILED,
        }
    }

    /// The code of the handler, or one that its status stands for.
    fn code(&self) -> Option<&str> {
        match (&self.code, self.status) {
            (Some(code), _) => Some(code),
            (None, 404) => Some("not-found"),
            (None, 409) => Some("conflict"),
            (None, _) => None,
        }
    }

    /// Puts the code of the handler into a response in Hasura's REST format.
    pub(super) fn with_rest_code(&self, mut response: Value) -> Value {
        if let (Some(code), Some(members)) = (self.code(), response.as_object_mut()) {
            members.insert("code".to_owned(), code.into());
        }
        response
    }

    /// Adds the code and the extensions of the handler to a response with this error.
    pub(super) fn extend(&self, mut response: Value) -> Value {
        let Some(Value::Object(extensions)) = response.pointer_mut("/errors/0/extensions") else {
            return response;
        };
        for (name, value) in self.extensions.iter().filter(|(name, _)| *name != "path") {
            extensions.insert(name.clone(), value.clone());
        }
        if let Some(code) = self.code() {
            extensions.insert("code".to_owned(), code.into());
        }
        response
    }
}

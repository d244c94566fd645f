//! Values of requests as Hasura takes them, where that is not what the GraphQL specification says; see
//! [`Coercion::Loose`](super::Coercion::Loose). What no place refuses here is judged where it is used, so that the error has
//! the path of that place.

use std::sync::Arc;

use serde_json::{Map, Value as Json};

use super::Operation;
use super::input::{ErrorPath, InputValue};
use crate::error::{Cause, Error};
use crate::graphql::variables::Variables;
use crate::postgres::types::Input;
use crate::postgres::value::{ActualKind, short};
use crate::schema::{InputObject, TypeKey};

impl Operation {
    /// The values of the declared variables as they are given; of those that are not given the default, or null.
    ///
    /// Errors: one without a value that has to have one, a value for a variable that is used nowhere.
    pub(super) fn coerce_loosely(&self, given: &Arc<Map<String, Json>>) -> Result<Variables, Error> {
        let mut defaults = Map::new();
        for declared in self.variables.iter().filter(|declared| !given.contains_key(&declared.name)) {
            let value = match declared.default() {
                Some(default) => default.clone(),
                None if !declared.is_required() => Json::Null,
                None => return Err(Cause::MissingVariable { name: declared.name.clone() }.under("$")),
            };
            defaults.insert(declared.name.clone(), value);
        }
        let names: Vec<String> = given.keys().filter(|&name| !self.used.contains(name)).cloned().collect();
        match names.is_empty() {
            true => Ok(Variables::new(self.declared(given), defaults)),
            false => Err(Cause::UnexpectedVariables { names }.under("$")),
        }
    }
}

impl Input {
    /// The same type as Hasura takes its values.
    pub(crate) fn loosened(&self) -> Input {
        match self {
            Input::Json | Input::Enum(_) | Input::Loose(_) => self.clone(),
            other => Input::Loose(Box::new(other.clone())),
        }
    }

    /// Whether Postgres says of a text that it is none of the type's, and when it binds the parameter. What it reads only
    /// while the statement runs has to be judged before.
    pub(crate) fn is_read_when_bound(&self) -> bool {
        matches!(
            self,
            Input::Integer { .. }
                | Input::Float
                | Input::Numeric
                | Input::Boolean
                | Input::Text
                | Input::Uuid
                | Input::Date
                | Input::Time
                | Input::Array(_)
                | Input::Other
        )
    }
}

impl super::Resolve<'_, '_> {
    /// The error of a value that is no object, with the type that it should be of.
    pub(super) fn object_of<'a>(
        &self,
        given: &InputValue<'a>,
        input: InputObject,
        at: &ErrorPath,
    ) -> Result<InputValue<'a>, Error> {
        if given.is_object() {
            return Ok(given.clone());
        }
        let (name, expected) = (at.name.clone(), self.schema.name(TypeKey::Input(input)));
        Err(at.error(Cause::NotAnObject { name, expected, found: given.found() }))
    }
}

impl ErrorPath {
    /// The cause of a column's value that cannot be read.
    pub(super) fn unreadable(&self, expected: &str, found: ActualKind, value: &Json) -> Cause {
        match value {
            Json::Null => Cause::WrongType { name: self.name.clone(), expected: expected.to_owned(), found },
            _ => {
                Cause::Unreadable { name: self.name.clone(), expected: expected.to_owned(), found, value: short(value) }
            }
        }
    }

    /// The cause of an enum's value that is not one of these.
    pub(super) fn unknown_value(&self, expected: String, found: &str, values: &[&str]) -> Cause {
        let values = values.iter().map(|&value| value.to_owned()).collect();
        Cause::UnknownEnumValue { name: self.name.clone(), expected, found: found.to_owned(), values }
    }
}

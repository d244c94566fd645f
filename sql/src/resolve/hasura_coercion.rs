//! Coerces input values as Hasura does where that differs from the GraphQL specification; see
//! [`Coercion::Loose`](super::Coercion::Loose). Values that are not checked here are checked where
//! they are used, so that the error contains the path of that position.
//!
//! Both dialects use one resolver. In Hasura's, a variable keeps the value that the client sent
//! until it is used, an absent variable is null, and a column accepts any text, which Postgres
//! checks when it binds the parameter. Types that Postgres reads only while the statement runs stay
//! strict: their errors would depend on rows, and would reveal hidden ones.

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
    /// Collects the values of the declared variables unchanged, with the default or null for
    /// omitted ones.
    ///
    /// Errors: a required variable has no value, or a value is given for an unused variable.
    pub(super) fn coerce_loosely(
        &self,
        values: &Arc<Map<String, Json>>,
    ) -> Result<Variables, Error> {
        let mut defaults = Map::new();
        let mut omitted = Vec::new();
        for declared in self
            .variables
            .iter()
            .filter(|declared| !values.contains_key(&declared.name))
        {
            let name = declared.name.clone();
            match declared.default() {
                Some(default) => drop(defaults.insert(name, default.clone())),
                None if !declared.is_required() => omitted.push(name),
                None => return Err(Cause::MissingVariable { name }.under("$")),
            }
        }
        let names: Vec<String> = values
            .keys()
            .filter(|&name| !self.used.contains(name))
            .cloned()
            .collect();
        if names.is_empty() {
            Ok(Variables::new(self.declared(values), defaults).with_omitted(omitted))
        } else {
            Err(Cause::UnexpectedVariables { names }.under("$"))
        }
    }
}

impl Input {
    /// The input with Hasura's coercion: any text that Postgres may accept for the type.
    pub(crate) fn loosened(&self) -> Input {
        match self {
            Input::Json | Input::Enum(_) | Input::Loose(_) => self.clone(),
            Input::Limited(limited) => {
                let (input, limits) = &**limited;
                input.loosened().limited(*limits)
            }
            other => Input::Loose(Box::new(other.clone())),
        }
    }

    /// Whether Postgres itself rejects malformed text of the type, and does so when it binds the
    /// parameter. Text that it parses only while the statement runs must be checked before.
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
    /// Returns the value if it is an object, otherwise an error with the expected type.
    pub(super) fn object_of<'a>(
        &self,
        input_value: &InputValue<'a>,
        input: InputObject,
        at: &ErrorPath,
    ) -> Result<InputValue<'a>, Error> {
        if input_value.is_object() {
            return Ok(input_value.clone());
        }
        let name = at.name().to_owned();
        let expected = self.schema.name(TypeKey::Input(input));
        Err(at.error(Cause::NotAnObject {
            name,
            expected,
            found: input_value.found(),
        }))
    }
}

impl ErrorPath<'_> {
    /// The cause for a column value that cannot be converted.
    pub(super) fn unreadable(&self, expected: &str, found: ActualKind, value: &Json) -> Cause {
        match value {
            Json::Null => Cause::WrongType {
                name: self.name().to_owned(),
                expected: expected.into(),
                found,
            },
            _ => Cause::Unreadable {
                name: self.name().to_owned(),
                expected: expected.to_owned(),
                found,
                value: short(value),
            },
        }
    }

    /// The cause for an enum value that is not among `values`.
    pub(super) fn unknown_value(&self, expected: String, found: &str, values: &[&str]) -> Cause {
        let values = values.iter().map(|&value| value.to_owned()).collect();
        Cause::UnknownEnumValue {
            name: self.name().to_owned(),
            expected,
            found: found.to_owned(),
            values,
        }
    }
}

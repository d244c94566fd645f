//! A value of the request, whether it stands in the document or in a variable.

use async_graphql_value::Value;
use serde_json::Value as Json;

use super::Resolve;
use crate::error::{Cause, Error};
use crate::graphql::variables::{Step, Template, VariablePath};
use crate::postgres::value::found;

/// A value that was given.
#[derive(Clone, Debug)]
pub(super) enum InputValue<'a> {
    /// It stands in the document.
    Literal(&'a Value),
    /// It stands in a variable, at this place.
    Variable(&'a Json, VariablePath),
}

/// How much of a variable decides the text.
#[derive(Clone, Copy)]
pub(super) enum VariableUse {
    /// Its keys, nulls and Booleans.
    Shape,
    /// All of it.
    Whole,
}

impl<'a> Resolve<'a, '_> {
    /// The value of an argument or key; none when it is a variable that was not given.
    pub(super) fn given(&self, value: &'a Value, reads: VariableUse) -> Option<InputValue<'a>> {
        let Value::Variable(name) = value else { return Some(InputValue::Literal(value)) };
        match reads {
            VariableUse::Shape => self.structure.borrow_mut().depends_on_shape(name),
            VariableUse::Whole => self.structure.borrow_mut().depends_on_value(name),
        }
        self.variables.get(name).map(|value| InputValue::Variable(value, VariablePath::variable(name)))
    }

    /// Whether the value of a key is given, where that decides the text and the value does not: it is a parameter.
    pub(super) fn is_given(&self, value: &InputValue<'a>) -> bool {
        let InputValue::Literal(Value::Variable(name)) = value else { return true };
        self.structure.borrow_mut().read_presence(name);
        self.variables.get(name).is_some()
    }

    /// Whether a variable is a small number, where only that decides the text.
    pub(super) fn is_few(&self, name: &str) -> bool {
        self.structure.borrow_mut().depends_on_smallness(name);
        self.variables.is_few(name)
    }

    /// Notes that of an object in a variable the keys decide, and the values are parameters, null or not, but for those
    /// of some keys.
    pub(super) fn reads_keys<'n>(&self, given: &InputValue<'a>, but: impl IntoIterator<Item = &'n str>) {
        if let InputValue::Variable(_, place) = given {
            self.structure.borrow_mut().read_keys(place, but);
        }
    }

    /// What stands in the place of a variable; none when it was not given.
    pub(super) fn read(&self, given: &InputValue<'a>, reads: VariableUse) -> Option<InputValue<'a>> {
        match given {
            InputValue::Literal(value) => self.given(value, reads),
            variable => Some(variable.clone()),
        }
    }

    /// The keys and values of an input object; a key whose variable was not given is left out.
    pub(super) fn object(
        &self,
        given: &InputValue<'a>,
        at: &ErrorPath,
        reads: VariableUse,
    ) -> Result<Vec<(&'a str, InputValue<'a>)>, Error> {
        match given {
            InputValue::Literal(Value::Object(fields)) => {
                let present = fields.iter();
                Ok(present.filter_map(|(key, value)| Some((key.as_str(), self.given(value, reads)?))).collect())
            }
            InputValue::Variable(Json::Object(fields), place) => {
                let field = |(key, value): (&'a String, &'a Json)| {
                    (key.as_str(), InputValue::Variable(value, place.then(Step::Key(key.clone()))))
                };
                Ok(fields.iter().map(field).collect())
            }
            other => Err(at.wrong_type(other, "an object")),
        }
    }

    /// The items of a list; a single value is a list of one.
    pub(super) fn list(&self, given: &InputValue<'a>, reads: VariableUse) -> Vec<InputValue<'a>> {
        match given {
            InputValue::Literal(Value::List(items)) => {
                items.iter().filter_map(|item| self.given(item, reads)).collect()
            }
            InputValue::Variable(Json::Array(items), place) => {
                let item = |(i, item)| InputValue::Variable(item, place.then(Step::Item(i)));
                items.iter().enumerate().map(item).collect()
            }
            single => vec![single.clone()],
        }
    }

    /// The value as a parameter's template. Reads no variable: they are put in when the statement is bound.
    pub(super) fn template(&self, given: &InputValue<'a>) -> Template {
        match given {
            InputValue::Literal(value) => template(value),
            InputValue::Variable(_, place) => Template::Variable(place.clone()),
        }
    }

    /// A Boolean that decides the text.
    pub(super) fn boolean(&self, given: &InputValue<'a>, at: &ErrorPath) -> Result<bool, Error> {
        match given {
            InputValue::Literal(Value::Boolean(value)) | InputValue::Variable(Json::Bool(value), _) => Ok(*value),
            other => Err(at.wrong_type(other, "Boolean")),
        }
    }

    /// Text that decides the text of the statement.
    pub(super) fn text(&self, given: &InputValue<'a>, at: &ErrorPath) -> Result<&'a str, Error> {
        match given {
            InputValue::Literal(Value::String(text)) => Ok(text),
            InputValue::Variable(Json::String(text), place) => {
                self.structure.borrow_mut().read_whole_at(place);
                Ok(text)
            }
            other => Err(at.wrong_type(other, "String")),
        }
    }

    /// The name of an enum's value; in a variable it is text. It decides the statement's, whatever it stands in.
    pub(super) fn enum_value(&self, given: &InputValue<'a>, at: &ErrorPath, expected: &str) -> Result<&'a str, Error> {
        match given {
            InputValue::Literal(Value::Enum(name)) => Ok(name.as_str()),
            InputValue::Variable(Json::String(name), place) => {
                self.structure.borrow_mut().read_whole_at(place);
                Ok(name)
            }
            other => Err(at.error(Cause::NotAnEnumValue {
                name: at.name.clone(),
                expected: expected.to_owned(),
                found: other.found(),
            })),
        }
    }
}

/// A value of the document as a template, its variables left open.
pub(super) fn template(value: &Value) -> Template {
    match value {
        Value::Variable(name) => Template::Variable(VariablePath::variable(name)),
        Value::List(items) if has_variable(value) => Template::List(items.iter().map(template).collect()),
        Value::Object(fields) if has_variable(value) => {
            Template::Object(fields.iter().map(|(key, value)| (key.to_string(), template(value))).collect())
        }
        constant => Template::Json(json(constant)),
    }
}

/// Whether a variable stands somewhere inside.
pub(super) fn has_variable(value: &Value) -> bool {
    match value {
        Value::Variable(_) => true,
        Value::List(items) => items.iter().any(has_variable),
        Value::Object(fields) => fields.values().any(has_variable),
        _ => false,
    }
}

/// A value of the document as JSON; an enum's value is its name.
pub(super) fn json(value: &Value) -> Json {
    match value {
        Value::Null | Value::Variable(_) | Value::Binary(_) => Json::Null,
        Value::Number(number) => Json::Number(number.clone()),
        Value::String(text) => Json::String(text.clone()),
        Value::Boolean(value) => Json::Bool(*value),
        Value::Enum(name) => Json::String(name.to_string()),
        Value::List(items) => items.iter().map(json).collect(),
        Value::Object(fields) => {
            Json::Object(fields.iter().map(|(key, value)| (key.to_string(), json(value))).collect())
        }
    }
}

/// What a value of the document is, for messages.
pub(super) fn found_in(value: &Value) -> String {
    match value {
        Value::Enum(_) => "an enum value".into(),
        other => found(&json(other)),
    }
}

impl InputValue<'_> {
    /// Whether it is null.
    pub(super) fn is_null(&self) -> bool {
        matches!(self, InputValue::Literal(Value::Null) | InputValue::Variable(Json::Null, _))
    }

    /// Whether it is an object.
    pub(super) fn is_object(&self) -> bool {
        matches!(self, InputValue::Literal(Value::Object(_)) | InputValue::Variable(Json::Object(_), _))
    }

    /// What it is, for messages.
    pub(super) fn found(&self) -> String {
        match self {
            InputValue::Literal(value) => found_in(value),
            InputValue::Variable(value, _) => found(value),
        }
    }
}

/// A place in the request, for messages.
#[derive(Clone, Debug)]
pub(super) struct ErrorPath {
    /// `$.selectionSet.users.args.where`
    pub(super) path: String,
    /// The argument or key there.
    pub(super) name: String,
}

impl ErrorPath {
    /// The place of a field.
    pub(super) fn field(path: &str, name: &str) -> ErrorPath {
        ErrorPath { path: [path, ".selectionSet.", name].concat(), name: name.to_owned() }
    }

    /// The place of a field's argument.
    pub(super) fn argument(&self, name: &str) -> ErrorPath {
        ErrorPath { path: [self.path.as_str(), ".args.", name].concat(), name: name.to_owned() }
    }

    /// The place of a key.
    pub(super) fn key(&self, name: &str) -> ErrorPath {
        ErrorPath { path: [self.path.as_str(), ".", name].concat(), name: name.to_owned() }
    }

    /// The place of an item.
    pub(super) fn item(&self, i: usize) -> ErrorPath {
        ErrorPath { path: format!("{}[{i}]", self.path), name: self.name.clone() }
    }

    pub(super) fn wrong_type(&self, given: &InputValue<'_>, expected: &str) -> Error {
        self.error(Cause::WrongType { name: self.name.clone(), expected: expected.into(), found: given.found() })
    }

    pub(super) fn error(&self, cause: Cause) -> Error {
        cause.under(self.path.clone())
    }
}

//! Input values of a request, in the document or in a variable, and the records of how they
//! determine the SQL text. The files of [`super`] that resolve arguments read them through it.

use std::borrow::Cow;
use std::fmt::Write;

use async_graphql_value::Value;
use serde_json::Value as Json;

use super::Resolve;
use crate::error::{ActualKind, Cause, Error, ExpectedKind};
use crate::graphql::variables::{Step, Template, VariablePath};
use crate::postgres::value::found;

/// An input value.
#[derive(Clone, Debug)]
pub(super) enum InputValue<'a> {
    /// A literal of the document.
    Literal(&'a Value),
    /// A value in a variable, with its path in the variable.
    Variable(&'a Json, VariablePath),
}

/// Which part of a variable determines the SQL text.
#[derive(Clone, Copy)]
pub(super) enum VariableUse {
    /// Keys, nulls and Booleans.
    Shape,
    /// The whole value.
    Whole,
}

impl<'a> Resolve<'a, '_> {
    /// The value of an argument or key; `None` if it is an omitted variable.
    pub(super) fn given(&self, value: &'a Value, reads: VariableUse) -> Option<InputValue<'a>> {
        let Value::Variable(name) = value else {
            return Some(InputValue::Literal(value));
        };
        match reads {
            VariableUse::Shape => self.structure.borrow_mut().depends_on_shape(name),
            VariableUse::Whole => self.structure.borrow_mut().depends_on_value(name),
        }
        self.variables
            .get(name)
            .map(|value| InputValue::Variable(value, VariablePath::variable(name)))
    }

    /// Whether a key has a value, if the key's presence determines the SQL text and the value
    /// becomes a parameter.
    pub(super) fn is_given(&self, value: &InputValue<'a>) -> bool {
        let InputValue::Literal(Value::Variable(name)) = value else {
            return true;
        };
        self.structure.borrow_mut().read_presence(name);
        self.variables.get(name).is_some()
    }

    /// Whether a variable is a small number, if only that determines the SQL text.
    pub(super) fn is_few(&self, name: &str) -> bool {
        self.structure.borrow_mut().depends_on_smallness(name);
        self.variables.is_small_count(name)
    }

    /// Records that the keys of an object in a variable determine the SQL text. Its values become
    /// parameters, null or not, except the values of the keys `but`.
    pub(super) fn reads_keys<'n>(
        &self,
        input_value: &InputValue<'a>,
        but: impl IntoIterator<Item = &'n str>,
    ) {
        if let InputValue::Variable(_, path) = input_value {
            self.structure.borrow_mut().read_keys(path, but);
        }
    }

    /// Resolves a variable in the document; `None` if it was omitted.
    pub(super) fn read(
        &self,
        input_value: &InputValue<'a>,
        reads: VariableUse,
    ) -> Option<InputValue<'a>> {
        match input_value {
            InputValue::Literal(value) => self.given(value, reads),
            variable => Some(variable.clone()),
        }
    }

    /// The keys and values of an input object, without keys whose variable was omitted.
    pub(super) fn object(
        &self,
        input_value: &InputValue<'a>,
        at: &ErrorPath,
        reads: VariableUse,
    ) -> Result<Vec<(&'a str, InputValue<'a>)>, Error> {
        match input_value {
            InputValue::Literal(Value::Object(fields)) => {
                let present = fields.iter();
                Ok(present
                    .filter_map(|(key, value)| Some((key.as_str(), self.given(value, reads)?)))
                    .collect())
            }
            InputValue::Variable(Json::Object(fields), path) => {
                let field = |(key, value): (&'a String, &'a Json)| {
                    (
                        key.as_str(),
                        InputValue::Variable(value, path.then(Step::Key(key.clone()))),
                    )
                };
                Ok(fields.iter().map(field).collect())
            }
            other => Err(at.wrong_type(other, ExpectedKind::Object)),
        }
    }

    /// The items of a list; a single value counts as a list of one.
    pub(super) fn list(
        &self,
        input_value: &InputValue<'a>,
        reads: VariableUse,
    ) -> Vec<InputValue<'a>> {
        match input_value {
            InputValue::Literal(Value::List(items)) => items
                .iter()
                .filter_map(|item| self.given(item, reads))
                .collect(),
            InputValue::Variable(Json::Array(items), path) => {
                let item = |(i, item)| InputValue::Variable(item, path.then(Step::Item(i)));
                items.iter().enumerate().map(item).collect()
            }
            single => vec![single.clone()],
        }
    }

    /// Converts the value to a template. Variables are not read: they are substituted when the
    /// statement is bound.
    pub(super) fn template(&self, input_value: &InputValue<'a>) -> Template {
        match input_value {
            InputValue::Literal(value) => template(value),
            InputValue::Variable(_, path) => Template::Variable(path.clone()),
        }
    }

    /// Rejects absent variables in the condition of a write. In a read, an absent variable leaves
    /// its key out; here it would select more rows to change than the document says.
    pub(super) fn require_variables(
        &self,
        condition: &InputValue<'a>,
        at: &ErrorPath,
    ) -> Result<(), Error> {
        match condition {
            InputValue::Literal(value) => self.require_variables_of(value, at),
            InputValue::Variable(..) => Ok(()),
        }
    }

    fn require_variables_of(&self, value: &Value, at: &ErrorPath) -> Result<(), Error> {
        match value {
            Value::Variable(name) => {
                // A plan that was made with the variable must not be used without it.
                self.structure.borrow_mut().read_presence(name);
                if self.variables.is_absent(name) {
                    Err(at.error(Cause::AbsentInWrite {
                        name: name.to_string(),
                    }))
                } else {
                    Ok(())
                }
            }
            Value::List(items) => items
                .iter()
                .enumerate()
                .try_for_each(|(i, item)| self.require_variables_of(item, &at.item(i))),
            Value::Object(fields) => fields
                .iter()
                .try_for_each(|(key, value)| self.require_variables_of(value, &at.key(key))),
            _ => Ok(()),
        }
    }

    /// A Boolean that determines the SQL text.
    pub(super) fn boolean(
        &self,
        input_value: &InputValue<'a>,
        at: &ErrorPath,
    ) -> Result<bool, Error> {
        match input_value {
            InputValue::Literal(Value::Boolean(value))
            | InputValue::Variable(Json::Bool(value), _) => Ok(*value),
            other => Err(at.wrong_type(other, "Boolean")),
        }
    }

    /// A string that determines the SQL text.
    pub(super) fn text(
        &self,
        input_value: &InputValue<'a>,
        at: &ErrorPath,
    ) -> Result<&'a str, Error> {
        match input_value {
            InputValue::Literal(Value::String(text)) => Ok(text),
            InputValue::Variable(Json::String(text), path) => {
                self.structure.borrow_mut().read_whole_at(path);
                Ok(text)
            }
            other => Err(at.wrong_type(other, "String")),
        }
    }

    /// The name of an enum value, a string if it is in a variable. It always determines the SQL
    /// text.
    pub(super) fn enum_value(
        &self,
        input_value: &InputValue<'a>,
        at: &ErrorPath,
        expected: &str,
    ) -> Result<&'a str, Error> {
        match input_value {
            InputValue::Literal(Value::Enum(name)) => Ok(name.as_str()),
            InputValue::Variable(Json::String(name), path) => {
                self.structure.borrow_mut().read_whole_at(path);
                Ok(name)
            }
            other => Err(at.error(Cause::NotAnEnumValue {
                name: at.name().to_owned(),
                expected: expected.to_owned(),
                found: other.found(),
            })),
        }
    }
}

/// Converts a literal of the document to a template that keeps its variables.
pub(super) fn template(value: &Value) -> Template {
    match value {
        Value::Variable(name) => Template::Variable(VariablePath::variable(name)),
        Value::List(items) if has_variable(value) => {
            Template::List(items.iter().map(template).collect())
        }
        Value::Object(fields) if has_variable(value) => Template::Object(
            fields
                .iter()
                .map(|(key, value)| (key.to_string(), template(value)))
                .collect(),
        ),
        constant => Template::Json(json(constant)),
    }
}

/// Whether the value contains a variable.
pub(super) fn has_variable(value: &Value) -> bool {
    match value {
        Value::Variable(_) => true,
        Value::List(items) => items.iter().any(has_variable),
        Value::Object(fields) => fields.values().any(has_variable),
        _ => false,
    }
}

/// Converts a literal of the document to JSON; an enum value becomes its name.
pub(super) fn json(value: &Value) -> Json {
    match value {
        Value::Null | Value::Variable(_) | Value::Binary(_) => Json::Null,
        Value::Number(number) => Json::Number(number.clone()),
        Value::String(text) => Json::String(text.clone()),
        Value::Boolean(value) => Json::Bool(*value),
        Value::Enum(name) => Json::String(name.to_string()),
        Value::List(items) => items.iter().map(json).collect(),
        Value::Object(fields) => Json::Object(
            fields
                .iter()
                .map(|(key, value)| (key.to_string(), json(value)))
                .collect(),
        ),
    }
}

/// Describes a literal of the document, for error messages.
pub(super) fn found_in(value: &Value) -> ActualKind {
    match value {
        Value::Enum(_) => ActualKind::EnumValue,
        other => found(&json(other)),
    }
}

impl InputValue<'_> {
    /// Whether it is null.
    pub(super) fn is_null(&self) -> bool {
        matches!(
            self,
            InputValue::Literal(Value::Null) | InputValue::Variable(Json::Null, _)
        )
    }

    /// Whether it is an object.
    pub(super) fn is_object(&self) -> bool {
        matches!(
            self,
            InputValue::Literal(Value::Object(_)) | InputValue::Variable(Json::Object(_), _)
        )
    }

    /// Describes the value, for error messages.
    pub(super) fn found(&self) -> ActualKind {
        match self {
            InputValue::Literal(value) => found_in(value),
            InputValue::Variable(value, _) => found(value),
        }
    }
}

/// A path in the request, `$.selectionSet.users.args.where`. Only errors and operands need its
/// text, so it is a chain of steps that borrow the steps before them.
#[derive(Clone, Debug)]
pub(super) enum ErrorPath<'p> {
    /// A path as text, and the name of the field, argument or key at its end.
    Text {
        path: Cow<'p, str>,
        name: Cow<'p, str>,
    },
    /// A path with another name at its end.
    Named(&'p ErrorPath<'p>, &'p str),
    /// A field.
    Field(&'p ErrorPath<'p>, &'p str),
    /// An argument of a field.
    Argument(&'p ErrorPath<'p>, &'p str),
    /// All arguments or all selections of a field: `.args`, `.selectionSet`.
    Parts(&'p ErrorPath<'p>, &'static str),
    /// A key of an object.
    Key(&'p ErrorPath<'p>, &'p str),
    /// An item of a list.
    Item(&'p ErrorPath<'p>, usize),
}

impl<'p> ErrorPath<'p> {
    /// The path of the operation.
    pub(super) const ROOT: ErrorPath<'static> = ErrorPath::Text {
        path: Cow::Borrowed("$"),
        name: Cow::Borrowed("$"),
    };

    /// The path of a field.
    pub(super) fn field(&'p self, name: &'p str) -> ErrorPath<'p> {
        ErrorPath::Field(self, name)
    }

    /// The path of a field's argument.
    pub(super) fn argument(&'p self, name: &'p str) -> ErrorPath<'p> {
        ErrorPath::Argument(self, name)
    }

    /// The path of a key.
    pub(super) fn key(&'p self, name: &'p str) -> ErrorPath<'p> {
        ErrorPath::Key(self, name)
    }

    /// The path of a list item.
    pub(super) fn item(&'p self, i: usize) -> ErrorPath<'p> {
        ErrorPath::Item(self, i)
    }

    /// The field, argument or key at its end.
    pub(super) fn name(&self) -> &str {
        match self {
            ErrorPath::Text { name, .. } => name,
            ErrorPath::Named(_, name) | ErrorPath::Field(_, name) => name,
            ErrorPath::Argument(_, name) | ErrorPath::Key(_, name) => name,
            ErrorPath::Parts(before, _) | ErrorPath::Item(before, _) => before.name(),
        }
    }

    /// The path as text.
    pub(super) fn path(&self) -> String {
        // Most paths have fewer bytes.
        let mut text = String::with_capacity(64);
        self.write(&mut text);
        text
    }

    fn write(&self, text: &mut String) {
        let (before, separator, name) = match self {
            ErrorPath::Text { path, .. } => return text.push_str(path),
            ErrorPath::Named(path, _) => return path.write(text),
            ErrorPath::Item(before, i) => {
                before.write(text);
                let _ = write!(text, "[{i}]");
                return;
            }
            ErrorPath::Parts(before, parts) => (before, *parts, ""),
            ErrorPath::Field(before, name) => (before, ".selectionSet.", *name),
            ErrorPath::Argument(before, name) => (before, ".args.", *name),
            ErrorPath::Key(before, name) => (before, ".", *name),
        };
        before.write(text);
        text.push_str(separator);
        text.push_str(name);
    }

    /// The path without borrowed steps.
    pub(super) fn detached(&self) -> ErrorPath<'static> {
        ErrorPath::Text {
            path: self.path().into(),
            name: self.name().to_owned().into(),
        }
    }

    pub(super) fn wrong_type(
        &self,
        input_value: &InputValue<'_>,
        expected: impl Into<ExpectedKind>,
    ) -> Error {
        self.wrong_kind(expected, input_value.found())
    }

    /// The error for a value of the wrong kind.
    pub(super) fn wrong_kind(&self, expected: impl Into<ExpectedKind>, found: ActualKind) -> Error {
        self.error(Cause::WrongType {
            name: self.name().to_owned(),
            expected: expected.into(),
            found,
        })
    }

    pub(super) fn error(&self, cause: Cause) -> Error {
        cause.under(self.path())
    }
}

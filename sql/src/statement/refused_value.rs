//! Finds the value of a request that Postgres refused, so that the error can name it: by the number
//! of the parameter that holds it, or by the update operator that does not apply to the stored
//! value.

use std::hash::{Hash, Hasher};

use super::{Operand, Parameter, RowsParameter, Statement};
use crate::graphql::variables::Variables;
use crate::model::update_operators::UpdateOperator;

/// A value of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusedValue {
    /// The column or the argument, by its name in GraphQL.
    pub name: String,
    /// The path in the request: `$.selectionSet.insert_users.args.objects[3].photo`.
    pub path: String,
}

/// A literal of the document. Literals are equal if their texts are, so that a statement contains a
/// text once.
#[derive(Clone, Debug)]
pub struct Literal {
    /// The text that is sent.
    pub text: String,
    /// The first value that is written so, for errors; none for a text of the permission file.
    pub given: Option<Box<RefusedValue>>,
}

impl Literal {
    /// A value of the request that contains no variables.
    pub(crate) fn new(text: String, operand: &Operand) -> Literal {
        Literal {
            text,
            given: Some(Box::new(from_operand(operand))),
        }
    }
}

impl PartialEq for Literal {
    fn eq(&self, other: &Literal) -> bool {
        self.text == other.text
    }
}

impl Eq for Literal {}

impl Hash for Literal {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.text.hash(state);
    }
}

impl Statement {
    /// The value that the parameter with this number holds, counted from 1; none for one that does
    /// not come from the request. Of a column of several rows it is the only one that contains
    /// `quoted`, the part of a value that Postgres repeats in its message; if there is no such row,
    /// the path is that of all rows.
    pub fn refused_value(
        &self,
        number: usize,
        quoted: Option<&str>,
        variables: &Variables,
    ) -> Option<RefusedValue> {
        match unwrapped(self.parameters.get(number.checked_sub(1)?)?) {
            Parameter::Constant(literal) => literal.given.as_deref().cloned(),
            Parameter::Request(operand)
            | Parameter::Position {
                start: Some(operand),
                ..
            } => Some(from_operand(operand)),
            Parameter::Rows(rows, RowsParameter::Column(column) | RowsParameter::Value(column)) => {
                Some(rows.refused_value(column, quoted, variables))
            }
            _ => None,
        }
    }

    /// Whether a parameter holds a value of the request or of the session.
    pub fn has_values(&self) -> bool {
        self.parameters.iter().any(|parameter| {
            matches!(
                unwrapped(parameter),
                Parameter::Constant(_)
                    | Parameter::Request(_)
                    | Parameter::Session { .. }
                    | Parameter::Position { .. }
                    | Parameter::Rows(_, RowsParameter::Column(_) | RowsParameter::Value(_))
            )
        })
    }

    /// The operand of an update operator, if the statement has one only.
    pub fn update_operand(&self, operator: UpdateOperator) -> Option<RefusedValue> {
        let camel: String = operator
            .name()
            .trim_start_matches('_')
            .split('_')
            .enumerate()
            .map(capitalized)
            .collect();
        let is_under = |value: &RefusedValue| {
            let mut segments = value.path.split('.');
            segments.any(|segment| {
                segment == operator.name() || segment.strip_prefix('_') == Some(camel.as_str())
            })
        };
        let values = self
            .parameters
            .iter()
            .filter_map(|parameter| match unwrapped(parameter) {
                Parameter::Request(operand) => Some(from_operand(operand)),
                Parameter::Constant(literal) => literal.given.as_deref().cloned(),
                _ => None,
            });
        let mut found = values.filter(is_under);
        match (found.next(), found.next()) {
            (Some(value), None) => Some(value),
            _ => None,
        }
    }
}

fn capitalized((index, word): (usize, &str)) -> String {
    match word.split_at_checked(1) {
        Some((first, rest)) if index > 0 => first.to_ascii_uppercase() + rest,
        _ => word.to_owned(),
    }
}

/// The parameter without what it is marked as.
fn unwrapped(parameter: &Parameter) -> &Parameter {
    match parameter {
        Parameter::Pattern(inner) => unwrapped(inner),
        other => other,
    }
}

/// The name of an operator says nothing about the column, which stands before it in the path.
fn from_operand(operand: &Operand) -> RefusedValue {
    let mut segments = operand
        .path
        .rsplit('.')
        .skip_while(|segment| segment.starts_with('_'));
    let column = segments.next().filter(|_| operand.name.starts_with('_'));
    let column = column.map(|segment| segment.split('[').next().unwrap_or(segment));
    RefusedValue {
        name: column.unwrap_or(&operand.name).to_owned(),
        path: operand.path.clone(),
    }
}

//! Finds the value of a request that Postgres refused, so that the error can name it: by the number of the parameter
//! that holds it, or by the update operator that does not apply to the stored value.

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

impl Statement {
    /// The value that the parameter with this number holds, counted from 1; none for one that does not come from the
    /// request. Of a column of several rows it is the only one that contains `quoted`, the part of a value that
    /// Postgres repeats in its message; if there is no such row, the path is that of all rows.
    pub fn refused_value(&self, number: usize, quoted: Option<&str>, variables: &Variables) -> Option<RefusedValue> {
        match unwrapped(self.parameters.get(number.checked_sub(1)?)?) {
            Parameter::Request(operand) | Parameter::Position { start: Some(operand), .. } => {
                Some(from_operand(operand))
            }
            Parameter::Rows(rows, RowsParameter::Column(column) | RowsParameter::Value(column)) => {
                Some(rows.refused_value(column, quoted, variables))
            }
            _ => None,
        }
    }

    /// The operand of an update operator, if the statement has one only.
    pub fn update_operand(&self, operator: UpdateOperator) -> Option<RefusedValue> {
        let camel: String = operator.name().trim_start_matches('_').split('_').enumerate().map(capitalized).collect();
        let is_under = |operand: &&Operand| {
            let mut segments = operand.path.split('.');
            segments.any(|segment| segment == operator.name() || segment.strip_prefix('_') == Some(camel.as_str()))
        };
        let operands = self.parameters.iter().filter_map(|parameter| match unwrapped(parameter) {
            Parameter::Request(operand) => Some(&**operand),
            _ => None,
        });
        let mut found = operands.filter(is_under);
        match (found.next(), found.next()) {
            (Some(operand), None) => Some(from_operand(operand)),
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
    let mut segments = operand.path.rsplit('.').skip_while(|segment| segment.starts_with('_'));
    let column = segments.next().filter(|_| operand.name.starts_with('_'));
    let column = column.map(|segment| segment.split('[').next().unwrap_or(segment));
    RefusedValue { name: column.unwrap_or(&operand.name).to_owned(), path: operand.path.clone() }
}

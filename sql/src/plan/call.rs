//! Plans calls of database functions, as values and as the rows that a scan reads.
//!
//! A function that returns rows of a table is opened by [`super::Scan::open`] in the table's place,
//! so the row rule and the column grants surround the call. A function of a row receives the whole
//! row. Postgres inlines SQL functions and evaluates their expressions where it likes, so a call,
//! and a column of its rows, counts as an expression that may raise.

use std::rc::Rc;

use super::builder::Builder;
use super::{Argument, ArgumentValue, Call, Column, Denied, Expression, Predicate, Scan, Term};
use crate::encode::shape::Node;
use crate::model::access::Purpose;
use crate::model::{ArgumentSource, CallId, Returns};
use crate::postgres::catalog::TableId;
use crate::resolve::selection;

impl<'m> Builder<'m> {
    /// A call of a function; `row` is the scan whose row a computed field belongs to.
    pub(super) fn call(
        &mut self,
        call: &selection::Call,
        row: Option<&Scan<'m>>,
    ) -> Result<Rc<Call<'m>>, Denied> {
        let model = self.access().model();
        let callable = model.callable(call.id).ok_or(Denied)?;
        let function = model.catalog().function(callable.function);
        let last = function.arguments.len().saturating_sub(1);
        let mut arguments = Vec::new();
        let takes = callable
            .arguments
            .iter()
            .zip(&call.given)
            .zip(&function.arguments);
        for (index, ((takes, given), argument)) in takes.enumerate() {
            let passed = match (takes, given) {
                (ArgumentSource::Row, _) => ArgumentValue::Row(row.ok_or(Denied)?.whole_row()),
                (ArgumentSource::Session, _) => ArgumentValue::Session(argument.r#type),
                (ArgumentSource::Given(_), Some(parameter)) => {
                    ArgumentValue::Parameter(parameter.clone(), argument.r#type)
                }
                (ArgumentSource::Given(_), None) => continue,
            };
            let variadic = function.variadic && index == last;
            arguments.push(Argument {
                index,
                name: argument.name.as_deref(),
                variadic,
                passed,
            });
        }
        let name = match call.id {
            CallId::Computed(table, column_index) => model
                .exposed(table)
                .and_then(|exposed| exposed.computed.get(column_index as usize))
                .map(|c| c.name.as_str()),
            CallId::Routine(_) => None,
        };
        let only = row
            .zip(name)
            .and_then(|(row, name)| row.computed_condition(name));
        let is_single_row = matches!(call.returns, Returns::Row(_)) && function.columns.is_empty();
        Ok(Rc::new(Call {
            function,
            arguments,
            only,
            raises: row.is_some_and(Scan::filters_rows),
            is_single_row,
        }))
    }

    /// Opens the rows that a function returns, under the row rule of their table.
    pub(super) fn open_call(
        &mut self,
        table: TableId,
        purpose: Purpose,
        call: Rc<Call<'m>>,
    ) -> Result<Scan<'m>, Denied> {
        let alias = self.alias();
        Ok(Scan::open_call(self.access(), table, purpose, alias, call)?.with_path(self.path()))
    }

    /// Adds the value or the list of values that a function returns to the columns of a statement.
    pub(super) fn value(
        &mut self,
        call: &selection::Call,
        row: Option<&Scan<'m>>,
        columns: &mut Vec<Expression<'m>>,
    ) -> Result<Node, Denied> {
        let (oid, list) = match call.returns {
            Returns::Value(oid) => (oid, false),
            Returns::Values(oid) => (oid, true),
            Returns::Row(_) | Returns::Rows(_) => return Err(Denied),
        };
        let called = self.call(call, row)?;
        let output = self.output(self.scalar(oid).output.clone());
        let value = Node::Value(output.encoder);
        if list {
            columns.push(Expression::Values(called, self.alias(), output.cast));
            return Ok(Node::List(Box::new(value)));
        }
        columns.push(Expression::Output(
            Term::Column(Column::called(called, row.map_or(0, Scan::alias), oid)),
            output.cast,
        ));
        Ok(value)
    }

    /// A computed value of a row, where it is compared or sorted by.
    pub(super) fn computed(
        &mut self,
        scan: &Scan<'m>,
        call: &selection::Call,
    ) -> Result<Column<'m>, Denied> {
        match call.returns {
            Returns::Value(oid) => Ok(Column::called(
                self.call(call, Some(scan))?,
                scan.alias(),
                oid,
            )),
            _ => Err(Denied),
        }
    }

    /// The rows of a function, with the conditions on each row beside the row rule. A function with
    /// `OUT` arguments may return null, which Postgres reads as a row of nulls.
    pub(super) fn called(
        &mut self,
        table: TableId,
        purpose: Purpose,
        call: &selection::Call,
        row: Option<&Scan<'m>>,
    ) -> Result<(Scan<'m>, Vec<Predicate<'m>>), Denied> {
        let called = self.call(call, row)?;
        let only = called.only.clone().map(Predicate::Condition);
        let may_be_null = matches!(call.returns, Returns::Row(_)) && !called.is_single_row;
        let scan = self.open_call(table, purpose, called)?;
        let present = may_be_null.then(|| Predicate::Present(scan.alias()));
        Ok((scan, only.into_iter().chain(present).collect()))
    }
}

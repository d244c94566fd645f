//! Plans the response of a mutation field: the number of affected rows, and the fields of
//! `returning`.
//!
//! The statement that writes the rows returns the response where it can. Otherwise it transfers the
//! rows, in settings of the transaction, and a further statement reads them as they are at the end.
//!
//! One statement is enough if `returning` selects plain columns, no rule reads what the statement
//! writes, and no trigger follows; the catalog and the rules show this beforehand, and where it is
//! unknown there are two statements. Both leave in one packet.

use std::rc::Rc;

use super::builder::Builder;
use super::read::{constant, json};
use super::scan::{Event, Scan, TransferredKey, TransferredRows, WrittenRows};
use super::{Column, Denied, Expression, RowCountSource, Select, Step, Transfer};
use crate::encode::shape;
use crate::encode::shape::{Encoder, Key, Node};
use crate::model::Relation;
use crate::model::access::Purpose;
use crate::postgres::catalog;
use crate::postgres::catalog::{ColumnId, TableId};
use crate::resolve::selection::{Arguments, Field, Outcome, ResponseField, ResponseKind};
use crate::schema::Direction;

mod single_statement;

/// The rows that a statement has written, for its response.
#[derive(Debug)]
pub(super) struct WriteResult {
    /// The rows of the response.
    pub(super) written: WrittenRows,
    /// All rows that are counted, including nested ones.
    pub(super) counted: Vec<RowCountSource>,
    /// All tables that the field writes.
    pub(super) tables: Vec<TableId>,
    /// Whether a column of a key may have changed, to which other rows refer.
    pub(super) moves_keys: bool,
}

/// The transferred rows and counts that a later statement makes the response from.
#[derive(Debug)]
pub(super) struct DeferredOutcome<'m> {
    rows: Option<TransferredRows<'m>>,
    counted: Vec<RowCountSource>,
}

impl<'m> DeferredOutcome<'m> {
    pub(super) fn new(
        rows: Option<TransferredRows<'m>>,
        counted: Vec<RowCountSource>,
    ) -> DeferredOutcome<'m> {
        DeferredOutcome { rows, counted }
    }

    pub(super) fn into_counted(self) -> Vec<RowCountSource> {
        self.counted
    }

    /// Adds row counts.
    pub(super) fn count(&mut self, more: Vec<RowCountSource>) {
        self.counted.extend(more);
    }
}

/// The source of the rows of a response.
#[derive(Clone, Copy)]
enum RowsFrom<'s, 'm> {
    Written(&'s WrittenRows),
    Transferred(&'s TransferredRows<'m>),
}

impl<'m> Builder<'m> {
    /// Ends a field: the statement returns the response itself, or transfers it to a further one.
    pub(super) fn return_rows(
        &mut self,
        mut step: Step<'m>,
        results: &WriteResult,
        outcome: &Outcome<'m>,
        steps: &mut Vec<Step<'m>>,
    ) -> Result<(), Denied> {
        if self.single_statement(results, outcome) {
            self.outcome(
                outcome,
                Some(RowsFrom::Written(&results.written)),
                &results.counted,
                &mut step,
            )?;
            steps.push(step);
            return Ok(());
        }
        let later = self.transfer(&mut step, results, outcome)?;
        steps.push(step);
        self.reselect(&later, outcome, steps)
    }

    /// Makes a statement transfer the rows and counts of the response, for a statement after all
    /// others.
    pub(super) fn transfer(
        &mut self,
        step: &mut Step<'m>,
        results: &WriteResult,
        outcome: &Outcome<'m>,
    ) -> Result<DeferredOutcome<'m>, Denied> {
        let mut counted = Vec::new();
        if counts(outcome) {
            counted.push(self.transfer_count(step, results.counted.clone()));
        }
        let rows = match fields_of(outcome).next() {
            Some(_) => Some(self.transfer_rows(step, &results.written)?),
            None => None,
        };
        Ok(DeferredOutcome { rows, counted })
    }

    /// Adds the statement that returns the response from the transferred values.
    pub(super) fn reselect(
        &mut self,
        later: &DeferredOutcome<'m>,
        outcome: &Outcome<'m>,
        steps: &mut Vec<Step<'m>>,
    ) -> Result<(), Denied> {
        let path = steps
            .last()
            .map_or_else(|| "$".to_owned(), |last| last.path.clone());
        let mut step = Step::new(String::new(), path);
        self.outcome(
            outcome,
            later.rows.as_ref().map(RowsFrom::Transferred),
            &later.counted,
            &mut step,
        )?;
        steps.push(step);
        Ok(())
    }

    // ---- transfers

    /// Makes a statement that runs several times gather the rows of the response, if there are any,
    /// in settings of their own, which `start` empties.
    pub(super) fn append_response_rows(
        &mut self,
        step: &mut Step<'m>,
        written: &WrittenRows,
        outcome: &Outcome<'m>,
        start: &mut Step<'m>,
    ) -> Result<Option<TransferredRows<'m>>, Denied> {
        if fields_of(outcome).next().is_none() {
            return Ok(None);
        }
        let others = std::mem::take(&mut step.transfers);
        let rows = self.transfer_rows(step, written)?;
        for expression in std::mem::replace(&mut step.transfers, others) {
            let Expression::Transfer(setting, transfer) = expression else {
                return Err(Denied);
            };
            start
                .transfers
                .push(Expression::Transfer(setting, Transfer::NoRows));
            step.transfers.push(Expression::Transfer(
                setting,
                Transfer::Appended(Box::new(transfer)),
            ));
        }
        Ok(Some(rows))
    }

    /// Transfers the number of rows written so far.
    pub(super) fn transfer_count(
        &mut self,
        step: &mut Step<'m>,
        counted: Vec<RowCountSource>,
    ) -> RowCountSource {
        let setting = self.alias();
        step.transfers
            .push(Expression::Transfer(setting, Transfer::Count(counted)));
        RowCountSource::Transferred(setting)
    }

    /// Transfers the numbers of the parent rows of a CTE's rows. Returns the number of the setting.
    pub(super) fn transfer_numbers(&mut self, step: &mut Step<'m>, part: u32, name: String) -> u32 {
        let setting = self.alias();
        step.transfers
            .push(Expression::Transfer(setting, Transfer::Numbers(part, name)));
        setting
    }

    /// Transfers rows by a key; deleted rows, and rows of tables without a key, as whole rows.
    fn transfer_rows(
        &mut self,
        step: &mut Step<'m>,
        written: &WrittenRows,
    ) -> Result<TransferredRows<'m>, Denied> {
        let table = written.table();
        if written.event() == Event::Delete {
            let setting = self.alias();
            let alias = self.alias();
            let scan = Scan::written(self.access(), written, alias)?;
            scan.whole_row();
            step.transfers
                .push(Expression::Transfer(setting, Transfer::Rows(Rc::new(scan))));
            return Ok(TransferredRows::Judged(table, setting));
        }
        if let Some(key) = self.row_key(table) {
            return Ok(TransferredRows::Keys(
                table,
                self.transfer_columns(step, written, &key),
            ));
        }
        let setting = self.alias();
        let alias = self.alias();
        written.mark_whole();
        let row = Transfer::Everything(
            written.parts().to_vec(),
            alias,
            self.access().model().table(table),
        );
        step.transfers.push(Expression::Transfer(setting, row));
        Ok(TransferredRows::Rows(table, setting))
    }

    /// Transfers columns of written rows, for later statements that join them. Clients do not see
    /// them.
    pub(super) fn transfer_columns(
        &mut self,
        step: &mut Step<'m>,
        written: &WrittenRows,
        columns: &[ColumnId],
    ) -> Vec<TransferredKey<'m>> {
        let table = self.access().model().table(written.table());
        columns.iter().for_each(|id| written.key(*id));
        let columns = columns.iter().map(|id| table.column(*id));
        columns
            .map(|column| self.transfer_column(step, written.parts().to_vec(), column, None))
            .collect()
    }

    /// Transfers the columns of a relation, of those written rows from which the relation may be
    /// followed.
    pub(super) fn transfer_ends(
        &mut self,
        step: &mut Step<'m>,
        written: &WrittenRows,
        relation: &Relation,
    ) -> Result<Vec<TransferredKey<'m>>, Denied> {
        let columns: Vec<_> = relation.on.iter().map(|(here, _)| *here).collect();
        let mut keys = Vec::new();
        for column in &columns {
            let Some(reach) = self.relation_condition(written, relation)? else {
                return Ok(self.transfer_columns(step, written, &columns));
            };
            written.key(*column);
            let column = self.access().model().table(written.table()).column(*column);
            keys.push(self.transfer_column(step, written.parts().to_vec(), column, Some(reach)));
        }
        Ok(keys)
    }

    /// The condition under which a relation may be followed from written rows, if it depends on the
    /// row. It has a new alias for the rows.
    pub(super) fn relation_condition(
        &mut self,
        written: &WrittenRows,
        relation: &Relation,
    ) -> Result<Option<Column<'m>>, Denied> {
        let access = self.access();
        if access
            .read(written.table(), Purpose::Rows)
            .is_none_or(|grant| grant.relation_rule(&relation.name).is_none())
        {
            return Ok(None);
        }
        let alias = self.alias();
        Ok(Scan::written(access, written, alias)?.relation_condition(relation))
    }

    /// Transfers a column of the rows of CTEs.
    pub(super) fn transfer_column(
        &mut self,
        step: &mut Step<'m>,
        parts: Vec<u32>,
        column: &'m catalog::Column,
        only: Option<Column<'m>>,
    ) -> TransferredKey<'m> {
        // A column that this statement transfers already is not transferred again.
        let transferred = step
            .transfers
            .iter()
            .find_map(|expression| match expression {
                Expression::Transfer(setting, Transfer::Column(of, _, name, None))
                    if only.is_none() && *of == parts && *name == column.name =>
                {
                    Some(*setting)
                }
                _ => None,
            });
        if let Some(setting) = transferred {
            return TransferredKey {
                setting,
                name: &column.name,
                r#type: column.r#type,
            };
        }
        let setting = self.alias();
        let fresh = self.alias();
        let alias = only.as_ref().map_or(fresh, Column::alias);
        let transfer = Transfer::Column(parts, alias, &column.name, only);
        step.transfers.push(Expression::Transfer(setting, transfer));
        TransferredKey {
            setting,
            name: &column.name,
            r#type: column.r#type,
        }
    }

    /// The columns of a key by which any row can be found again: none of them is ever null, and no
    /// other row has them.
    pub(super) fn row_key(&self, id: TableId) -> Option<Vec<ColumnId>> {
        let catalog = self.access().model().catalog();
        let table = self.access().model().table(id);
        let columns = |names: &[String]| {
            names
                .iter()
                .map(|name| table.find(name))
                .collect::<Option<Vec<_>>>()
        };
        table
            .keys
            .iter()
            .filter(|key| !key.repeats)
            .find_map(|key| {
                let columns = columns(&key.columns)?;
                // A primary key declared in the configuration is taken as given.
                let declared_primary = key.primary && key.declared;
                (declared_primary
                    || columns
                        .iter()
                        .all(|column| catalog.is_required(id, *column)))
                .then_some(columns)
            })
    }

    // ---- the response

    fn outcome(
        &mut self,
        outcome: &Outcome<'m>,
        from: Option<RowsFrom<'_, 'm>>,
        counted: &[RowCountSource],
        step: &mut Step<'m>,
    ) -> Result<(), Denied> {
        let node = match outcome {
            Outcome::Row(fields) => Node::One(Box::new(self.add_rows(fields, from, step)?)),
            Outcome::Response(fields) | Outcome::Responses(fields) => {
                let mut shapes = Vec::new();
                for field in fields {
                    let node = self.response(field, from, counted, step)?;
                    shapes.push(shape::Field {
                        key: Key::new(&field.key),
                        node,
                    });
                }
                Node::Object(shapes)
            }
        };
        step.node = Some(node);
        Ok(())
    }

    fn response(
        &mut self,
        field: &ResponseField<'m>,
        from: Option<RowsFrom<'_, 'm>>,
        counted: &[RowCountSource],
        step: &mut Step<'m>,
    ) -> Result<Node, Denied> {
        Ok(match &field.kind {
            ResponseKind::Constant(text) => constant(text),
            ResponseKind::AffectedRows => {
                step.output.push(Expression::Affected(counted.to_vec()));
                Node::Value(Encoder::Int8)
            }
            ResponseKind::Returning(fields) => {
                Node::List(Box::new(self.add_rows(fields, from, step)?))
            }
        })
    }

    /// Adds the rows to the output, as one column.
    fn add_rows(
        &mut self,
        fields: &[Field<'m>],
        from: Option<RowsFrom<'_, 'm>>,
        step: &mut Step<'m>,
    ) -> Result<Node, Denied> {
        let alias = self.alias();
        let scan = match from.ok_or(Denied)? {
            RowsFrom::Written(written) => Scan::written(self.access(), written, alias)?,
            RowsFrom::Transferred(handed) => {
                Scan::from_transferred_rows(self.access(), handed, alias)?
            }
        };
        let mut select = self.select(scan.clone(), Vec::new(), &Arguments::default())?;
        let (output, shapes) = self.fields(&scan, &mut select.joins, fields)?;
        let order = scan
            .ordinal_column()
            .map(|name| (Expression::Place(alias, name), Direction::Asc));
        let select = Select {
            output,
            order: order.into_iter().collect(),
            ..select
        };
        step.output.push(Expression::Rows(Rc::new(select)));
        Ok(Node::Object(shapes))
    }
}

/// The fields of each list of rows in the response.
fn fields_of<'o, 'm>(outcome: &'o Outcome<'m>) -> impl Iterator<Item = &'o [Field<'m>]> {
    let (row, response) = match outcome {
        Outcome::Row(fields) => (Some(fields.as_slice()), &[][..]),
        Outcome::Response(fields) | Outcome::Responses(fields) => (None, fields.as_slice()),
    };
    let lists = response.iter().filter_map(|field| match &field.kind {
        ResponseKind::Returning(fields) => Some(fields.as_slice()),
        ResponseKind::Constant(_) | ResponseKind::AffectedRows => None,
    });
    row.into_iter().chain(lists)
}

/// Whether the response has the number of affected rows.
pub(super) fn counts(outcome: &Outcome<'_>) -> bool {
    match outcome {
        Outcome::Row(_) => false,
        Outcome::Response(fields) | Outcome::Responses(fields) => fields
            .iter()
            .any(|field| matches!(field.kind, ResponseKind::AffectedRows)),
    }
}

/// The response when there is nothing to write.
pub(super) fn nothing(outcome: &Outcome<'_>) -> String {
    let fields = match outcome {
        Outcome::Row(_) => return "null".into(),
        Outcome::Response(fields) | Outcome::Responses(fields) => fields,
    };
    let fields = fields.iter().map(|field| {
        let value = match &field.kind {
            ResponseKind::Constant(text) => json(text),
            ResponseKind::AffectedRows => "0".into(),
            ResponseKind::Returning(_) => "[]".into(),
        };
        format!("{}{value}", Key::new(&field.key).as_str())
    });
    format!("{{{}}}", fields.collect::<Vec<_>>().join(","))
}

//! The selection of a mutation field: the rows that it writes, and the fields that it returns.
//! [`crate::plan`] turns it into statements.

use std::sync::Arc;

use super::{Field, Filter, Term};
use crate::model::Relation;
use crate::model::operators::Operator;
use crate::model::update_operators::UpdateOperator;
use crate::postgres::catalog::{ArbiterIndex, ColumnId, TableId};
use crate::statement::{GivenRows, Parameter, RowsParameter};

/// A root field that writes rows of a table.
#[derive(Debug)]
pub struct Write<'m> {
    /// The path of the field in the request, for errors: `$.selectionSet.insert_users`.
    pub path: String,
    /// The change.
    pub change: Change<'m>,
    /// The returned fields.
    pub outcome: Outcome<'m>,
}

/// The change that a mutation field makes.
#[derive(Debug)]
pub enum Change<'m> {
    /// Inserts rows.
    Insert(Insert<'m>),
    /// Executes updates in order; all fields but `_many` have one.
    Update(Vec<Update<'m>>),
    /// Deletes rows.
    Delete(Delete<'m>),
}

/// The fields that a mutation field returns.
#[derive(Debug)]
pub enum Outcome<'m> {
    /// The row, or null: `_one` and `_by_pk`.
    Row(Vec<Field<'m>>),
    /// `t_mutation_response`
    Response(Vec<ResponseField<'m>>),
    /// A list of responses, one for each update: `_many`.
    Responses(Vec<ResponseField<'m>>),
}

/// A field of `t_mutation_response`.
#[derive(Debug)]
pub struct ResponseField<'m> {
    /// Its response key.
    pub key: String,
    /// The content of the field.
    pub kind: ResponseKind<'m>,
}

/// The content of a field of `t_mutation_response`.
#[derive(Debug)]
pub enum ResponseKind<'m> {
    /// A constant: `__typename`.
    Constant(String),
    /// `affected_rows`
    AffectedRows,
    /// `returning`
    Returning(Vec<Field<'m>>),
}

/// Rows that are inserted together: those of an argument, or those nested under them by one path of
/// relations. The SQL text does not depend on their number.
#[derive(Debug)]
pub struct Insert<'m> {
    /// The table.
    pub table: TableId,
    /// The rows grouped by their keys, in order of first occurrence; empty if there are none.
    pub batches: Vec<Batch>,
    /// The handling of rows that exist already.
    pub on_conflict: Option<OnConflict<'m>>,
    /// Nested rows of object relations whose foreign key is in this table. They are inserted first,
    /// and each row gets the key of its nested row.
    pub before: Vec<Nested<'m>>,
    /// Nested rows of relations whose foreign key is in the other table. They are inserted
    /// afterwards, each with the key of its parent row.
    pub after: Vec<Nested<'m>>,
}

/// Rows that are nested under those of an [`Insert`].
#[derive(Debug)]
pub struct Nested<'m> {
    /// The relation from the parent rows.
    pub relation: &'m Relation,
    /// The path of the relation, for errors: `$.selectionSet.insert_users.args.objects[0].orders`.
    pub path: String,
    /// The rows.
    pub insert: Insert<'m>,
}

/// Rows that have the same columns.
#[derive(Debug)]
pub struct Batch {
    /// The rows of the request that form the batch.
    pub rows: Arc<GivenRows>,
    /// The columns, each with the parameter for its values: an array, or a single value if the type
    /// allows only one row ([`GivenRows::is_single`]).
    pub columns: Vec<(ColumnId, RowsParameter)>,
    /// The indexes of the [`Insert::before`] entries whose rows are nested in these rows.
    pub before: Vec<usize>,
}

/// `on_conflict`
#[derive(Debug)]
pub struct OnConflict<'m> {
    /// The unique index that decides whether a row exists already.
    pub arbiter: ArbiterIndex<'m>,
    /// The columns that are updated; if empty, the existing row is left unchanged.
    pub columns: Vec<ColumnId>,
    /// The condition on the existing row.
    pub filter: Option<Filter<'m>>,
}

/// An update of rows.
#[derive(Debug)]
pub struct Update<'m> {
    /// The table.
    pub table: TableId,
    /// The path of the field, or of the item of `updates`.
    pub path: String,
    /// The rows to update: `where`, or the columns of the key.
    pub filter: Filter<'m>,
    /// Whether the filter is the primary key, so that it selects at most one row.
    pub by_key: bool,
    /// The assignments, at most one for each column.
    pub assignments: Vec<Assignment>,
    /// `if_match`: the values that columns must have before the update.
    pub expected: Vec<Expected>,
    /// The changes of related rows, in document order.
    pub related: Vec<RelatedChange<'m>>,
}

impl Update<'_> {
    /// Whether its effect depends on stored values: by its filter, by `if_match`, or by an
    /// operator.
    pub fn reads(&self) -> bool {
        let modified = self
            .assignments
            .iter()
            .any(|assignment| assignment.modifier.reads());
        modified || self.filter.reads() || !self.expected.is_empty()
    }
}

/// An assignment to a column.
#[derive(Debug)]
pub struct Assignment {
    /// The column.
    pub column: ColumnId,
    /// The operator.
    pub modifier: UpdateOperator,
    /// The value; [`UpdateOperator`] defines its type.
    pub value: Parameter,
}

/// The value that a column must have before an update.
#[derive(Debug)]
pub struct Expected {
    /// The column.
    pub column: Term,
    /// The equality operator for the column's type.
    pub operator: &'static Operator,
    /// The value; `None` for null.
    pub value: Option<Parameter>,
}

/// A change of the rows of a relation from the updated rows.
#[derive(Debug)]
pub struct RelatedChange<'m> {
    /// The relation.
    pub relation: &'m Relation,
    /// The path of the change, for errors.
    pub path: String,
    /// The change.
    pub change: RelatedKind<'m>,
}

/// The kind of a change of related rows.
#[derive(Debug)]
pub enum RelatedKind<'m> {
    /// Inserts related rows.
    Insert(Insert<'m>),
    /// Updates the related rows that pass the filter.
    Update(Update<'m>),
    /// Deletes the related rows that pass the filter.
    Delete(Filter<'m>),
    /// Relates all rows that pass the filter to the updated row, whatever row they were related to.
    Link(Filter<'m>),
    /// Removes the relation from the related rows that pass the filter, without deleting them.
    Unlink(Filter<'m>),
}

/// A deletion of rows.
#[derive(Debug)]
pub struct Delete<'m> {
    /// The table.
    pub table: TableId,
    /// The rows to delete: `where`, or the columns of the key.
    pub filter: Filter<'m>,
    /// Whether the filter is the primary key, so that it selects at most one row.
    pub by_key: bool,
}

//! What a mutation field writes, every name resolved, and what it answers.

use std::sync::Arc;

use super::{Field, Filter, Term};
use crate::model::Relation;
use crate::model::operators::Operator;
use crate::model::update_operators::UpdateOperator;
use crate::postgres::catalog::{ColumnId, TableId};
use crate::statement::{GivenRows, Parameter, RowsParameter};

/// A root field that writes rows of a table.
#[derive(Debug)]
pub struct Write<'m> {
    /// The field's place in the request, for errors: `$.selectionSet.insert_users`.
    pub path: String,
    /// What is written.
    pub change: Change<'m>,
    /// What is answered.
    pub outcome: Outcome<'m>,
}

/// What is written.
#[derive(Debug)]
pub enum Change<'m> {
    /// Rows are inserted.
    Insert(Insert<'m>),
    /// Rows are updated, by one update after the other; all but `_many` have one.
    Update(Vec<Update<'m>>),
    /// Rows are deleted.
    Delete(Delete<'m>),
}

/// What a root field that writes answers.
#[derive(Debug)]
pub enum Outcome<'m> {
    /// The row, or null: `_one` and `_by_pk`.
    Row(Vec<Field<'m>>),
    /// `t_mutation_response`
    Response(Vec<ResponseField<'m>>),
    /// A list of such, one for each update: `_many`.
    Responses(Vec<ResponseField<'m>>),
}

/// A field of `t_mutation_response`.
#[derive(Debug)]
pub struct ResponseField<'m> {
    /// Its response key.
    pub key: String,
    /// What it holds.
    pub kind: ResponseKind<'m>,
}

/// What a field of `t_mutation_response` holds.
#[derive(Debug)]
pub enum ResponseKind<'m> {
    /// A constant: `__typename`.
    Constant(String),
    /// `affected_rows`
    AffectedRows,
    /// `returning`
    Returning(Vec<Field<'m>>),
}

/// Rows that are inserted together: those that an argument gives, or those that hang on them by the same relations.
/// Their text in the statement does not depend on how many there are.
#[derive(Debug)]
pub struct Insert<'m> {
    /// The table.
    pub table: TableId,
    /// The rows by what is given of them, in the order in which the request first has each; empty when there are none.
    pub batches: Vec<Batch>,
    /// What happens to rows that are there already.
    pub on_conflict: Option<OnConflict<'m>>,
    /// Rows of object relations over columns of this table: they go first, and each row gets the key of its own.
    pub before: Vec<Nested<'m>>,
    /// Rows of relations over columns of the other table: they go after, each with the key of its row here.
    pub after: Vec<Nested<'m>>,
}

/// Rows that are inserted along with those of an [`Insert`].
#[derive(Debug)]
pub struct Nested<'m> {
    /// What leads there from the rows that they come with.
    pub relation: &'m Relation,
    /// The place of the relation, for errors: `$.selectionSet.insert_users.args.objects[0].orders`.
    pub path: String,
    /// The rows.
    pub insert: Insert<'m>,
}

/// Rows of which the same columns are given.
#[derive(Debug)]
pub struct Batch {
    /// Which rows of the request these are.
    pub rows: Arc<GivenRows>,
    /// The columns that are given, each with what stands for its values: an array, or one value where the rows are a
    /// single one by the types ([`GivenRows::is_single`]).
    pub columns: Vec<(ColumnId, RowsParameter)>,
    /// Which of [`Insert::before`] come with these rows, by their places.
    pub before: Vec<usize>,
}

/// `on_conflict`
#[derive(Debug)]
pub struct OnConflict<'m> {
    /// The columns of the key.
    pub key: Vec<ColumnId>,
    /// The columns that are updated; when there are none the row that is there is left alone.
    pub columns: Vec<ColumnId>,
    /// What has to be true of the row that is there.
    pub filter: Option<Filter<'m>>,
}

/// An update of rows.
#[derive(Debug)]
pub struct Update<'m> {
    /// The table.
    pub table: TableId,
    /// The place of what is asked for: of the field, or of an item of `updates`.
    pub path: String,
    /// Which rows: `where`, or the columns of the key.
    pub filter: Filter<'m>,
    /// Whether the primary key says which row, so that it is one at most.
    pub by_key: bool,
    /// What becomes of columns, each named once.
    pub assignments: Vec<Assignment>,
    /// `if_match`: what columns have to hold before the update.
    pub expected: Vec<Expected>,
    /// What becomes of related rows, in the order of the request.
    pub related: Vec<RelatedChange<'m>>,
}

impl Update<'_> {
    /// Whether what it does depends on what is stored: by its condition, by `if_match`, or by a modifier.
    pub fn reads(&self) -> bool {
        let modified = self.assignments.iter().any(|assignment| assignment.modifier.reads());
        modified || self.filter.reads() || !self.expected.is_empty()
    }
}

/// What becomes of a column.
#[derive(Debug)]
pub struct Assignment {
    /// The column.
    pub column: ColumnId,
    /// How the value comes in.
    pub modifier: UpdateOperator,
    /// The value; typed as [`UpdateOperator`] says.
    pub value: Parameter,
}

/// What a column has to hold before an update.
#[derive(Debug)]
pub struct Expected {
    /// The column.
    pub column: Term,
    /// Equality, as the column's type has it.
    pub operator: &'static Operator,
    /// The value; none for null.
    pub value: Option<Parameter>,
}

/// What becomes of rows that a relation leads to from the rows that are updated.
#[derive(Debug)]
pub struct RelatedChange<'m> {
    /// The relation.
    pub relation: &'m Relation,
    /// The place of it, for errors.
    pub path: String,
    /// What becomes of them.
    pub change: RelatedKind<'m>,
}

/// What becomes of related rows.
#[derive(Debug)]
pub enum RelatedKind<'m> {
    /// They are inserted.
    Insert(Insert<'m>),
    /// Those that pass the filter are updated.
    Update(Update<'m>),
    /// Those that pass the filter are deleted.
    Delete(Filter<'m>),
    /// Rows that pass the filter, whatever they belonged to, now belong to the row.
    Link(Filter<'m>),
    /// Those that pass the filter belong to none any more; they stay.
    Unlink(Filter<'m>),
}

/// A deletion of rows.
#[derive(Debug)]
pub struct Delete<'m> {
    /// The table.
    pub table: TableId,
    /// Which rows: `where`, or the columns of the key.
    pub filter: Filter<'m>,
    /// Whether the primary key says which row, so that it is one at most.
    pub by_key: bool,
}

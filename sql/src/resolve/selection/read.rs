//! What is read: rows, their arguments and fields, aggregates, filters and orders.

use std::sync::Arc;

use crate::graphql::variables::MAX_FEW_ROWS;
use crate::model::operators::{Mode, Operator, PathType};
use crate::model::{CallId, Relation, Returns};
use crate::postgres::catalog::{ColumnId, Oid, TableId};
use crate::schema::{Bucket, ConditionAggregate, CountMode, Direction, Function};
use crate::statement::{Operand, Parameter};

/// A function call with the given arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The field that calls it.
    pub id: CallId,
    /// What it returns.
    pub returns: Returns,
    /// The parameter of each argument in the function's order; `None` for an argument that is not
    /// given by the client, or is omitted.
    pub given: Vec<Option<Parameter>>,
}

/// Rows of a table.
#[derive(Debug)]
pub struct Rows<'m> {
    /// The table.
    pub table: TableId,
    /// The arguments that select the rows.
    pub arguments: Arguments<'m>,
    /// The fields selected from each row.
    pub fields: Vec<Field<'m>>,
}

/// The arguments that select rows and their order.
#[derive(Clone, Debug, Default)]
pub struct Arguments<'m> {
    /// `where`
    pub filter: Option<Filter<'m>>,
    /// `order_by`
    pub order: Vec<Order<'m>>,
    /// `distinct_on`
    pub distinct_on: Vec<ColumnId>,
    /// `limit`
    pub limit: Option<Count>,
    /// `offset`
    pub offset: Option<Count>,
    /// `after`: the rows after this cursor. The order is then total.
    pub after: Option<Operand>,
    /// `before`: the rows before this cursor. The order is then total.
    pub before: Option<Operand>,
    /// Whether the limit counts from the end of the order.
    pub backwards: bool,
    /// The position of a stream: the first value of each key of the order, or none for a key that
    /// only decides between rows of equal cursors. Empty if the rows are no stream.
    pub position: Vec<Option<Arc<Operand>>>,
    /// The columns of a key, each with a list: the rows are those of the keys at the same position
    /// of all lists, one for each position. The filter has the same lists. Empty if the rows are no
    /// entities.
    pub keys: Vec<(ColumnId, BoundOperand)>,
}

/// A Relay connection: a page of rows.
#[derive(Debug)]
pub struct Connection<'m> {
    /// The rows. They have one field, [`FieldKind::Same`] or [`FieldKind::Cursor`], for each part
    /// that is made from them.
    pub rows: Rows<'m>,
    /// The selected parts, by response key.
    pub parts: Vec<(String, PageKind)>,
}

/// A field of a connection.
#[derive(Debug)]
pub enum PageKind {
    /// A constant: `__typename`.
    Constant(String),
    /// `edges` or `nodes`, made from the field of the rows with this index.
    Rows(usize),
    /// `totalCount`
    Total,
    /// `pageInfo`; its cursors are made from the field of the rows with this index.
    Info(Option<usize>, Vec<(String, InfoKind)>),
}

/// A field of `PageInfo`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InfoKind {
    /// A constant: `__typename`.
    Constant(String),
    /// `hasNextPage`
    HasNext,
    /// `hasPreviousPage`
    HasPrevious,
    /// `startCursor`
    Start,
    /// `endCursor`
    End,
}

/// A limit or an offset.
#[derive(Clone, Debug)]
pub enum Count {
    /// A number in the text, which the planner sees.
    Number(u64),
    /// A parameter.
    Parameter {
        /// The parameter; null means no limit.
        parameter: Parameter,
        /// Whether the value is at most [`FEW`]. Only this determines the SQL text.
        few: bool,
    },
}

impl Count {
    /// Whether the value is at most [`FEW`] for every execution.
    pub(crate) fn is_few(&self) -> bool {
        match self {
            Count::Number(number) => *number <= MAX_FEW_ROWS,
            Count::Parameter { few, .. } => *few,
        }
    }
}

/// A field of a row.
#[derive(Debug)]
pub struct Field<'m> {
    /// Its response key.
    pub key: String,
    /// The content of the field.
    pub kind: FieldKind<'m>,
}

/// The content of a row's field.
#[derive(Debug)]
pub enum FieldKind<'m> {
    /// A constant: `__typename`.
    Constant(String),
    /// A value of the row.
    Value(Term),
    /// The cursor of the row in this order.
    Cursor(Vec<Order<'m>>),
    /// The position of the row's key in the lists of [`Arguments::keys`].
    Position,
    /// An object with fields of the same row.
    Same(Vec<Field<'m>>),
    /// The row of an object relation.
    Object(&'m Relation, Vec<Field<'m>>),
    /// The rows of an array relation.
    Array(&'m Relation, Rows<'m>),
    /// An aggregate over the rows of a relation.
    Aggregate(&'m Relation, Aggregate<'m>),
    /// A connection over the rows of a relation.
    Connection(&'m Relation, Connection<'m>),
    /// A function of the row that returns a list of values.
    Values(Call),
    /// A function of the row that returns a row or a list of rows.
    Called(Call, Rows<'m>),
    /// An aggregate over the rows that a function of the row returns.
    CalledAggregate(Call, Aggregate<'m>),
}

/// An aggregate over rows, and optionally the rows themselves.
#[derive(Debug)]
pub struct Aggregate<'m> {
    /// The table.
    pub table: TableId,
    /// The arguments that select the rows.
    pub arguments: Arguments<'m>,
    /// The selected fields.
    pub parts: Vec<AggregateField<'m>>,
}

/// Groups of rows.
#[derive(Debug)]
pub struct Groups<'m> {
    /// The table.
    pub table: TableId,
    /// `where`
    pub filter: Option<Filter<'m>>,
    /// `by` and `bucket`: the grouping columns, some of them truncated to the start of a bucket.
    pub keys: Vec<(ColumnId, Option<Bucket>)>,
    /// `having`
    pub having: Option<Filter<'m>>,
    /// `order_by`
    pub order: Vec<(GroupBy, Direction)>,
    /// `limit`
    pub limit: Option<Count>,
    /// `offset`
    pub offset: Option<Count>,
    /// The fields selected from each group, by response key.
    pub fields: Vec<(String, GroupField)>,
}

/// A sort key of groups.
#[derive(Clone, Debug)]
pub enum GroupBy {
    /// A grouping key, by its index.
    Key(usize),
    /// The number of rows.
    Count,
    /// A function over a column.
    Function(Function, ColumnId),
}

/// A field of `t_group`.
#[derive(Debug)]
pub enum GroupField {
    /// A constant: `__typename`.
    Constant(String),
    /// `key`: the index of a grouping key for each response key, or the type's name for
    /// `__typename`.
    Key(Vec<(String, Result<usize, String>)>),
    /// `aggregate`
    Fields(Vec<Calculation>),
}

/// A field of `t_aggregate`.
#[derive(Debug)]
pub struct AggregateField<'m> {
    /// Its response key.
    pub key: String,
    /// The content of the field.
    pub kind: PartKind<'m>,
}

/// The content of a field of `t_aggregate`.
#[derive(Debug)]
pub enum PartKind<'m> {
    /// A constant: `__typename`.
    Constant(String),
    /// `aggregate`
    Fields(Vec<Calculation>),
    /// `nodes`
    Nodes(Vec<Field<'m>>),
}

/// A field of `t_aggregate_fields`.
#[derive(Debug)]
pub struct Calculation {
    /// Its response key.
    pub key: String,
    /// The content of the field.
    pub kind: CalculationKind,
}

/// The content of a field of `t_aggregate_fields`.
#[derive(Debug)]
pub enum CalculationKind {
    /// A constant: `__typename`.
    Constant(String),
    /// `count`
    Count {
        /// The columns whose values are counted; if empty, rows are counted.
        columns: Vec<ColumnId>,
        /// Whether only distinct values are counted.
        distinct: bool,
        /// Whether the count may be an estimate.
        mode: CountMode,
    },
    /// A function and its column for each response key, or the type's name for `__typename`.
    Function(Function, Vec<(String, Result<ColumnId, String>)>),
}

/// An expression over a row that is compared, sorted by or returned.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Term {
    /// A column.
    Column(ColumnId),
    /// The value at a path inside a JSON column.
    Inside(ColumnId, Parameter),
    /// The value at a path inside a JSON column, read as a type; null if the value has another
    /// type.
    Path(Box<Term>, Parameter, &'static PathType),
    /// The rank of a full-text search.
    Rank(Box<Search>),
    /// A term cast to another type, and whether the cast may raise an error.
    Cast(Box<Term>, Oid, bool),
    /// An aggregate, in conditions on aggregates.
    Measure(AggregateCondition),
    /// A computed value, or the value at a path inside it.
    Computed(Call, Option<Parameter>),
}

/// An aggregate that a condition compares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AggregateCondition {
    /// The aggregate function.
    pub measure: ConditionAggregate,
    /// Its columns; if empty, rows are counted.
    pub columns: Vec<ColumnId>,
    /// Whether only distinct values are aggregated.
    pub distinct: bool,
}

/// A condition on an aggregate of rows.
#[derive(Clone, Debug)]
pub struct Having<'m> {
    /// The condition on the rows that are aggregated.
    pub filter: Option<Filter<'m>>,
    /// The condition on the aggregate, which is a [`Term::Measure`].
    pub test: Filter<'m>,
}

/// A full-text search in a text or a `tsvector`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Search {
    /// A column, or a computed value.
    pub term: Box<Term>,
    /// The text search configuration, by schema and name; `None` if the catalog has none.
    pub config: Option<(String, String)>,
    /// How the query is parsed.
    pub mode: Mode,
    /// The query.
    pub query: Parameter,
}

/// A parameter that is the operand of an operator, or a field of an operand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoundOperand {
    /// The field if the operand is an object, otherwise empty.
    pub field: &'static str,
    /// The parameter; `None` means the operator's default.
    pub parameter: Option<Parameter>,
    /// Its type, or that of its elements.
    pub r#type: Oid,
    /// Whether it is a list.
    pub list: bool,
    /// Whether it is short for every execution. A short pattern must also be a prefix pattern.
    pub short: bool,
}

/// A condition on a row.
#[derive(Clone, Debug)]
pub enum Filter<'m> {
    /// All of them hold; true if empty.
    And(Vec<Filter<'m>>),
    /// One of them holds; false if empty.
    Or(Vec<Filter<'m>>),
    /// The negation.
    Not(Box<Filter<'m>>),
    /// The filter is false or null.
    NotTrue(Box<Filter<'m>>),
    /// A comparison of a term.
    Compare(Term, &'static Operator, Vec<BoundOperand>),
    /// A full-text search that matches.
    Search(Box<Search>),
    /// A test for null.
    IsNull {
        /// The term.
        term: Term,
        /// Whether it has to be null.
        is_null: bool,
    },
    /// A visible row of the relation passes the filter.
    Related(&'m Relation, Box<Filter<'m>>),
    /// A condition on an aggregate of the relation's visible rows.
    Aggregate(&'m Relation, Box<Having<'m>>),
    /// A condition on an aggregate of a group's rows.
    Having(Box<Having<'m>>),
    /// A visible row of that table, returned by a function of the row, passes the filter.
    Called(Call, TableId, Box<Filter<'m>>),
}

impl Filter<'_> {
    /// Whether the filter reads stored values, so consists of more than `_and`, `_or` and `_not`.
    pub fn reads(&self) -> bool {
        match self {
            Filter::And(all) | Filter::Or(all) => all.iter().any(Filter::reads),
            Filter::Not(inner) | Filter::NotTrue(inner) => inner.reads(),
            Filter::Compare(..)
            | Filter::Search(_)
            | Filter::IsNull { .. }
            | Filter::Related(..)
            | Filter::Aggregate(..)
            | Filter::Having(_)
            | Filter::Called(..) => true,
        }
    }
}

/// One sort key.
#[derive(Clone, Debug)]
pub struct Order<'m> {
    /// The expression.
    pub by: OrderBy<'m>,
    /// The direction.
    pub direction: Direction,
}

/// The expression of a sort key.
#[derive(Clone, Debug)]
pub enum OrderBy<'m> {
    /// A value of the row.
    Value(Term),
    /// An expression over the row of an object relation.
    Related(&'m Relation, Arc<OrderBy<'m>>),
    /// The number of rows of a relation.
    Count(&'m Relation),
    /// A function over a column of the rows of a relation.
    Function(&'m Relation, Function, ColumnId),
    /// An aggregate of the rows, of that table, that a function of the row returns.
    Called(Call, TableId, OrderAggregate),
}

/// An aggregate that rows are sorted by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OrderAggregate {
    /// The number of rows.
    Count,
    /// A function over a column.
    Function(Function, ColumnId),
}

impl AggregateField<'_> {
    /// Whether rows must be aggregated for the field: it selects a calculation, or, if the number
    /// of rows is `bounded`, its presence depends on that number.
    pub fn measures(&self, bounded: bool) -> bool {
        let asks = |calculation: &Calculation| match &calculation.kind {
            CalculationKind::Constant(_) => false,
            CalculationKind::Count { .. } => true,
            CalculationKind::Function(_, columns) => {
                columns.iter().any(|(_, column)| column.is_ok())
            }
        };
        matches!(&self.kind, PartKind::Fields(calculations) if bounded || calculations.iter().any(asks))
    }
}

impl Arguments<'_> {
    /// Whether some rows that pass the filter may be left out.
    pub fn cuts(&self) -> bool {
        self.limit.is_some() || self.offset.is_some() || !self.distinct_on.is_empty()
    }
}

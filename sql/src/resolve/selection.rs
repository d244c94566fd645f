//! The request with every name resolved: what is wanted, in the model's terms, before any SQL.

use std::sync::Arc;

use crate::graphql::variables::FEW;
use crate::model::operators::{Mode, Operator, PathType};
use crate::model::{CallId, Relation, Returns};
use crate::postgres::catalog::{Catalog, ColumnId, Oid, TableId};
use crate::schema::{Bucket, ConditionAggregate, CountMode, Direction, Function};
use crate::statement::{Operand, Parameter};

mod write;

pub use write::{
    Assignment, Batch, Change, Delete, Expected, Insert, Nested, OnConflict, Outcome, RelatedChange, RelatedKind,
    ResponseField, ResponseKind, Update, Write,
};

/// The root fields of an operation, in the order of the selection.
#[derive(Debug)]
pub struct Selection<'m> {
    /// One a response key.
    pub roots: Vec<Root<'m>>,
    /// The row that has to be visible before any of them is answered.
    pub required: Option<Required>,
}

/// A row that has to be visible.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Required {
    /// Its table.
    pub table: TableId,
    /// The only column of its primary key.
    pub column: ColumnId,
    /// What that has to be.
    pub key: BoundOperand,
}

impl Required {
    /// The row of a table whose key is a parameter.
    pub(crate) fn new(catalog: &Catalog, table: TableId, column: ColumnId, parameter: Parameter) -> Required {
        let r#type = catalog.table(table).column(column).r#type;
        let key = BoundOperand { field: "", parameter: Some(parameter), r#type, list: false, short: true };
        Required { table, column, key }
    }
}

/// A root field.
#[derive(Debug)]
pub struct Root<'m> {
    /// Its response key.
    pub key: String,
    /// What is wanted.
    pub want: RootSelection<'m>,
}

/// What a root field wants.
#[derive(Debug)]
pub enum RootSelection<'m> {
    /// A list of rows.
    List(Rows<'m>),
    /// The row with this primary key.
    One(Rows<'m>),
    /// Aggregates.
    Aggregate(Aggregate<'m>),
    /// Groups.
    Groups(Groups<'m>),
    /// A page of rows.
    Connection(Connection<'m>),
    /// What a function returns: a value, or a list of them.
    Value(Call),
    /// What a function returns: a row, or a list of them.
    Called(Call, Rows<'m>),
    /// Aggregates over the rows that a function returns.
    CalledAggregate(Call, Aggregate<'m>),
    /// Rows are written.
    Write(Box<Write<'m>>),
    /// A constant: `__typename`.
    Constant(String),
    /// Left to introspection.
    Introspection,
}

/// A function with the arguments that were given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The field that calls it.
    pub id: CallId,
    /// What it returns.
    pub returns: Returns,
    /// What was given for each argument, in the function's order; nothing for those that take something else, or their
    /// default.
    pub given: Vec<Option<Parameter>>,
}

/// Rows of a table.
#[derive(Debug)]
pub struct Rows<'m> {
    /// The table.
    pub table: TableId,
    /// Which of them.
    pub arguments: Arguments<'m>,
    /// What of each.
    pub fields: Vec<Field<'m>>,
}

/// Which rows, in which order.
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
    /// `after`: rows beyond this cursor. The order is then total.
    pub after: Option<Operand>,
    /// `precondition`: rows on this side of this cursor. The order is then total.
    pub before: Option<Operand>,
    /// Whether the limit counts from the end.
    pub backwards: bool,
}

/// A page of rows.
#[derive(Debug)]
pub struct Connection<'m> {
    /// The rows; one field for each part that is made from them, [`FieldKind::Same`] or [`FieldKind::Cursor`].
    pub rows: Rows<'m>,
    /// The parts asked for, by response key.
    pub parts: Vec<(String, PageKind)>,
}

/// What a field of a connection holds.
#[derive(Debug)]
pub enum PageKind {
    /// A constant: `__typename`.
    Constant(String),
    /// `edges` or `nodes`: made from the field of the rows at this place.
    Rows(usize),
    /// `totalCount`
    Total,
    /// `pageInfo`; cursors are made from the field of the rows at this place.
    Info(Option<usize>, Vec<(String, InfoKind)>),
}

/// What a field of `PageInfo` holds.
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
    /// Written as a number, which the planner sees.
    Number(u64),
    /// A parameter.
    Parameter {
        /// Its value; null is no limit.
        parameter: Parameter,
        /// Whether the value is a small number, [`FEW`] at most. That much of it decides the text.
        few: bool,
    },
}

impl Count {
    /// Whether it is known to be [`FEW`] at most.
    pub(crate) fn is_few(&self) -> bool {
        match self {
            Count::Number(number) => *number <= FEW,
            Count::Parameter { few, .. } => *few,
        }
    }
}

/// A field of a row.
#[derive(Debug)]
pub struct Field<'m> {
    /// Its response key.
    pub key: String,
    /// What it holds.
    pub kind: FieldKind<'m>,
}

/// What a field of a row holds.
#[derive(Debug)]
pub enum FieldKind<'m> {
    /// A constant: `__typename`.
    Constant(String),
    /// A value of the row.
    Value(Term),
    /// The cursor of the row in this order.
    Cursor(Vec<Order<'m>>),
    /// The same row once more, as an object.
    Same(Vec<Field<'m>>),
    /// The row that a relation leads to.
    Object(&'m Relation, Vec<Field<'m>>),
    /// The rows that a relation leads to.
    Array(&'m Relation, Rows<'m>),
    /// Aggregates over the rows that a relation leads to.
    Aggregate(&'m Relation, Aggregate<'m>),
    /// A page of the rows that a relation leads to.
    Connection(&'m Relation, Connection<'m>),
    /// What a function of the row returns: a list of values.
    Values(Call),
    /// What a function of the row returns: a row, or a list of them.
    Called(Call, Rows<'m>),
    /// Aggregates over the rows that a function of the row returns.
    CalledAggregate(Call, Aggregate<'m>),
}

/// Aggregates over rows, and the rows themselves.
#[derive(Debug)]
pub struct Aggregate<'m> {
    /// The table.
    pub table: TableId,
    /// Which rows.
    pub arguments: Arguments<'m>,
    /// The parts asked for.
    pub parts: Vec<AggregateField<'m>>,
}

/// Groups of rows.
#[derive(Debug)]
pub struct Groups<'m> {
    /// The table.
    pub table: TableId,
    /// `where`
    pub filter: Option<Filter<'m>>,
    /// `by` and `bucket`: the columns, some of them cut down to the beginning of a span.
    pub keys: Vec<(ColumnId, Option<Bucket>)>,
    /// `having`
    pub having: Option<Filter<'m>>,
    /// `order_by`
    pub order: Vec<(GroupBy, Direction)>,
    /// `limit`
    pub limit: Option<Count>,
    /// `offset`
    pub offset: Option<Count>,
    /// What of each group, by response key.
    pub fields: Vec<(String, GroupField)>,
}

/// What groups are sorted by.
#[derive(Clone, Debug)]
pub enum GroupBy {
    /// One of the keys, by its place.
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
    /// `key`: places of keys by response key; none is `__typename`, with the type's name.
    Key(Vec<(String, Result<usize, String>)>),
    /// `aggregate`
    Fields(Vec<Calculation>),
}

/// A field of `t_aggregate`.
#[derive(Debug)]
pub struct AggregateField<'m> {
    /// Its response key.
    pub key: String,
    /// What it holds.
    pub kind: PartKind<'m>,
}

/// What a field of `t_aggregate` holds.
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
    /// What it holds.
    pub kind: CalculationKind,
}

/// What a field of `t_aggregate_fields` holds.
#[derive(Debug)]
pub enum CalculationKind {
    /// A constant: `__typename`.
    Constant(String),
    /// `count`
    Count {
        /// The columns counted; rows when there are none.
        columns: Vec<ColumnId>,
        /// Whether each value counts once.
        distinct: bool,
        /// Whether an estimate will do.
        mode: CountMode,
    },
    /// A function over columns, by response key; none is `__typename`, with the type's name.
    Function(Function, Vec<(String, Result<ColumnId, String>)>),
}

/// Something of a row that is compared, sorted by or put out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Term {
    /// A column.
    Column(ColumnId),
    /// What lies at a path inside a JSON column.
    Inside(ColumnId, Parameter),
    /// What lies at a path inside a JSON column, as a type; null where it is of another.
    Path(Box<Term>, Parameter, &'static PathType),
    /// How well a text answers a search.
    Rank(Box<Search>),
    /// A term cast to another type, and whether that may raise.
    Cast(Box<Term>, Oid, bool),
    /// An aggregate, in conditions on aggregates.
    Measure(AggregateCondition),
    /// A computed value, or what lies at a path inside it.
    Computed(Call, Option<Parameter>),
}

/// An aggregate that a condition compares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AggregateCondition {
    /// Which.
    pub measure: ConditionAggregate,
    /// Its columns; rows are counted when there are none.
    pub columns: Vec<ColumnId>,
    /// Whether each value counts once.
    pub distinct: bool,
}

/// A condition on an aggregate of rows.
#[derive(Clone, Debug)]
pub struct Having<'m> {
    /// The rows that are aggregated.
    pub filter: Option<Filter<'m>>,
    /// What is true of the aggregate, a [`Term::Measure`].
    pub test: Filter<'m>,
}

/// A search in a text, or in a `tsvector`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Search {
    /// A column, or a computed value.
    pub term: Box<Term>,
    /// The text search configuration, by schema and name; none where the database has not told of any.
    pub config: Option<(String, String)>,
    /// How the query is read.
    pub mode: Mode,
    /// The query.
    pub query: Parameter,
}

/// An operand of an operator, or a field of it, as a parameter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoundOperand {
    /// The field, if the operand is an object; else nothing.
    pub field: &'static str,
    /// The parameter; none where the operator's default stands.
    pub parameter: Option<Parameter>,
    /// Its type, or that of its elements.
    pub r#type: Oid,
    /// Whether it is a list of them.
    pub list: bool,
    /// Whether it is known to be short; of a pattern, to be a short one that only asks for a beginning.
    pub short: bool,
}

/// A condition on a row.
#[derive(Clone, Debug)]
pub enum Filter<'m> {
    /// All of them; true when empty.
    And(Vec<Filter<'m>>),
    /// One of them; false when empty.
    Or(Vec<Filter<'m>>),
    /// Not that.
    Not(Box<Filter<'m>>),
    /// False or null.
    NotTrue(Box<Filter<'m>>),
    /// A term compared.
    Compare(Term, &'static Operator, Vec<BoundOperand>),
    /// A search that finds something.
    Search(Box<Search>),
    /// A term null, or not.
    IsNull(Term, bool),
    /// Some visible row that the relation leads to.
    Related(&'m Relation, Box<Filter<'m>>),
    /// Of the visible rows that the relation leads to.
    Aggregate(&'m Relation, Box<Having<'m>>),
    /// Of the rows of a group.
    Having(Box<Having<'m>>),
    /// Some visible row, of that table, that a function of the row returns.
    Called(Call, TableId, Box<Filter<'m>>),
}

impl Filter<'_> {
    /// Whether it looks at anything stored: whether it is made of anything but `_and`, `_or` and `_not`.
    pub fn reads(&self) -> bool {
        match self {
            Filter::And(all) | Filter::Or(all) => all.iter().any(Filter::reads),
            Filter::Not(inner) | Filter::NotTrue(inner) => inner.reads(),
            Filter::Compare(..)
            | Filter::Search(_)
            | Filter::IsNull(..)
            | Filter::Related(..)
            | Filter::Aggregate(..)
            | Filter::Having(_)
            | Filter::Called(..) => true,
        }
    }
}

/// One key of an order.
#[derive(Clone, Debug)]
pub struct Order<'m> {
    /// What is sorted by.
    pub by: OrderBy<'m>,
    /// Which way.
    pub direction: Direction,
}

/// What rows are sorted by.
#[derive(Clone, Debug)]
pub enum OrderBy<'m> {
    /// A value of the row.
    Value(Term),
    /// Something of the row that a relation leads to.
    Related(&'m Relation, Arc<OrderBy<'m>>),
    /// The number of rows that a relation leads to.
    Count(&'m Relation),
    /// A function over a column of the rows that a relation leads to.
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
    /// Whether rows have to be aggregated for it: it asks for some calculation, or its being there depends on the
    /// number of rows, where that is `bounded`.
    pub fn measures(&self, bounded: bool) -> bool {
        let asks = |calculation: &Calculation| match &calculation.kind {
            CalculationKind::Constant(_) => false,
            CalculationKind::Count { .. } => true,
            CalculationKind::Function(_, columns) => columns.iter().any(|(_, column)| column.is_ok()),
        };
        matches!(&self.kind, PartKind::Fields(calculations) if bounded || calculations.iter().any(asks))
    }
}

impl Arguments<'_> {
    /// Whether some of the rows that pass the filter are left out.
    pub fn cuts(&self) -> bool {
        self.limit.is_some() || self.offset.is_some() || !self.distinct_on.is_empty()
    }
}

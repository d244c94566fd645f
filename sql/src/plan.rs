//! The statement as a tree: a subset of Postgres' SQL, only what is used.
//!
//! [`Scan::open`] is the only maker of a table reference, and puts the row rule in; an opened scan is the only maker
//! of column references, after looking at the granted columns. [`crate::render`] writes the tree down.

use std::rc::Rc;

use crate::model::access::Setting;
use crate::model::operators::Operator;
use crate::postgres::catalog::{Function as Routine, Oid};
use crate::postgres::types::{Cast, MinMaxStrategy, Scalar};
use crate::resolve::selection::Count;
use crate::schema::{Direction, Function};
use crate::statement::{ListStrategy, Parameter};

mod write;
mod insert;
mod change;
mod related;
mod returning;
mod read;
mod required_row;
mod native_query;
mod level_union;
mod connection;
mod estimate;
mod membership;
mod generic_plan;
mod condition_cost;
mod filter;
mod term;
mod aggregate_condition;
mod group;
mod call;
mod builder;
mod check;
mod scan;

pub use aggregate_condition::AggregatePredicate;
pub use check::Check;
pub use group::{Grouping, GroupingForm};
pub use insert::{
    CheckCte, CheckStrategy, Conflict, InputBatch, InputRows, InputSource, InsertPlan, InsertSource, Link, LinkColumn,
    LinkDirection, MissingColumnValue, NewColumn, NewValue, OnConflictUpdate, ParentRows, StoredRowChecks,
};
pub use level_union::{ArmRows, LevelUnion, UnionArm};
pub(crate) use membership::ENDLESS;
pub use membership::MembershipScan;
pub use native_query::{NamedPiece, NativeQuery, ScannedTable, named, named_steps};
pub use read::plan;
pub use required_row::{Precondition, precondition, required};
pub use returning::{RowCountSource, Transfer};
pub use scan::{
    Action, Column, Denied, Event, LeastGroup, Returned, Row, Scan, ScanSource, TransferredKey, TransferredRows, Value,
    WrittenRows, free_name,
};
pub use term::{Search, Term};
pub use write::{
    Assertion, AssertionKind, Assigned, Condition, Cte, DeletePlan, PartKind, SelectForUpdate, Step, UpdatePlan,
    UpdateTarget, is_locked, write,
};

/// What is asked of Postgres.
#[derive(Debug)]
pub enum PlanBody<'m> {
    /// Rows of one table.
    Rows(Box<Select<'m>>),
    /// The rows of lists, in each other or side by side, one level after the other.
    Levels(Box<LevelUnion<'m>>),
    /// One row, each column the whole answer of a root field.
    Row(Vec<Expression<'m>>),
    /// The rows of a statement that somebody wrote.
    Named(Box<NativeQuery<'m>>),
}

impl PlanBody<'_> {
    /// How many columns its rows have.
    pub fn width(&self) -> usize {
        match self {
            PlanBody::Rows(select) => select.output.len(),
            // The first says which level a row is of.
            PlanBody::Levels(levels) => 1 + levels.columns.len(),
            PlanBody::Row(columns) => columns.len(),
            PlanBody::Named(named) => named.columns.len(),
        }
    }
}

/// `SELECT … FROM … WHERE … ORDER BY … LIMIT …`
#[derive(Debug)]
pub struct Select<'m> {
    /// The columns.
    pub output: Vec<Expression<'m>>,
    /// The table.
    pub scan: Scan<'m>,
    /// Object relations that `order_by` or the output needs, joined before rows are cut off.
    pub joins: Vec<Join<'m>>,
    /// Conditions that stand with the row rule and may use an index: on a row they take little work, and do not raise.
    pub safe: Vec<Predicate<'m>>,
    /// All other conditions; where the rule hides rows they stand outside a fence around it.
    pub outside: Vec<Predicate<'m>>,
    /// Whether nothing may be added to the conditions beside the rule, since one of them finds the rows by itself.
    pub alone: bool,
    /// Whether conditions of the caller, other than an equality of a whole key, pick the rows that meet the rule.
    pub narrowed: bool,
    /// `GROUP BY`
    pub group_by: Vec<Expression<'m>>,
    /// `HAVING`: conditions on aggregates. With them and without `group_by` there is one row or none.
    pub having: Vec<Predicate<'m>>,
    /// `DISTINCT ON`
    pub distinct_on: Vec<Expression<'m>>,
    /// `ORDER BY`
    pub order: Vec<(Expression<'m>, Direction)>,
    /// The limits; the least of them holds.
    pub limits: Vec<Count>,
    /// `OFFSET`
    pub offset: Option<Count>,
    /// Whether one row more than the limit is wanted, to see whether there is any.
    pub peek: bool,
    /// What happens after rows were cut off.
    pub after: PostLimit<'m>,
    /// The memberships that rows are read through, in place of the row rule.
    pub through: Option<MembershipScan<'m>>,
    /// In which form a list under a row rule is read, and why; none for what is no list of a root field.
    pub form: Option<ListStrategy>,
}

/// What happens after rows were cut off.
#[derive(Debug)]
pub enum PostLimit<'m> {
    /// Nothing: the output is made of the rows as they come.
    Nothing,
    /// Object relations are joined to the rows that are left, which are then sorted again.
    Join(Vec<Join<'m>>),
    /// The rows that are left are aggregated.
    Aggregate,
}

/// `LEFT JOIN`
#[derive(Debug)]
pub struct Join<'m> {
    /// The table over there.
    pub scan: Scan<'m>,
    /// Columns here and there that are equal.
    pub on: Vec<(Column<'m>, Column<'m>)>,
    /// Whether the relation leads anywhere from the row here, where that depends on the row.
    pub reach: Option<Column<'m>>,
    /// Whether a key proves that there is at most one row.
    pub unique: bool,
}

/// A value.
#[derive(Clone, Debug)]
pub enum Expression<'m> {
    /// A term as it goes out.
    Output(Term<'m>, Cast),
    /// A term as it is compared; as text when its type has no equality.
    Compared(Term<'m>, bool),
    /// Whether a joined row is there: a column that it was joined by is not null.
    Present(Column<'m>),
    /// `array(SELECT row(…) …)`
    Rows(Rc<Select<'m>>),
    /// `(SELECT row(…) …)`
    Record(Rc<Select<'m>>),
    /// `(SELECT …)`, one column of one row.
    Single(Rc<Select<'m>>),
    /// `EXISTS (SELECT …)`
    Exists(Rc<Select<'m>>),
    /// The least of the limits; null for none.
    Limit(Vec<Count>),
    /// The number of rows that the planner expects of a select, as a parameter; where a bound is given and it expects
    /// no more than that, they are counted.
    Planned(Rc<Select<'m>>, Option<u64>),
    /// Its text form.
    Text(Box<Expression<'m>>),
    /// `null`, as a type that SQL writes like this.
    Null(Rc<str>),
    /// `0::int2`: which level a row is of.
    Level(usize),
    /// `count(*) >= n`: whether there are so many rows.
    AtLeast(LeastGroup<'m>),
    /// What rows are grouped by.
    Grouped(Rc<Grouping<'m>>),
    /// The same as it goes out.
    Key(Rc<Grouping<'m>>, Cast),
    /// `count(*)`, `count(x)`, `count(DISTINCT x)`; each column with whether it is compared as text.
    Count(Vec<(Column<'m>, bool)>, bool),
    /// An aggregate function over a column.
    Aggregate(Function, MinMaxStrategy, Column<'m>, Cast),
    /// `array(SELECT row(_0."value") FROM f($1) AS _0("value"))`: the values that a function returns.
    Values(Rc<Call<'m>>, u32, Cast),
    /// `array(SELECT row(_1."a", …) FROM _1)`: the rows of a part, by the names of its columns.
    Gathered(u32, Vec<(String, Cast)>),
    /// How many rows were written.
    Affected(Vec<RowCountSource>),
    /// Whether something was put into the setting of that number, where further statements find it.
    HandOver(u32, Transfer<'m>),
    /// A setting of the transaction: its name, and what it gets.
    Setting(&'m str, &'m Setting),
    /// The place of a row among those that were handed over, by its scan and the column's name.
    Place(u32, String),
}

/// A call of a function of the database.
#[derive(Clone, Debug)]
pub struct Call<'m> {
    /// The function.
    pub function: &'m Routine,
    /// What is passed to it.
    pub arguments: Vec<Argument<'m>>,
    /// The rows on which a role that inherits may call it, where these are not all.
    pub only: Option<Column<'m>>,
    /// Whether a row is passed that its rule may hide, on which the function may raise.
    pub raises: bool,
}

/// An argument of a call.
#[derive(Clone, Debug)]
pub struct Argument<'m> {
    /// Its place among the function's arguments.
    pub place: usize,
    /// Its name, by which it is passed when one before it is left out.
    pub name: Option<&'m str>,
    /// Whether it holds all further arguments.
    pub variadic: bool,
    /// What is passed.
    pub passed: ArgumentValue<'m>,
}

/// What is passed to a function.
#[derive(Clone, Debug)]
pub enum ArgumentValue<'m> {
    /// A value of that type.
    Parameter(Parameter, Oid),
    /// The caller's session, as `json` or `jsonb`.
    Session(Oid),
    /// A whole row.
    Row(Row<'m>),
}

/// A condition.
#[derive(Clone, Debug)]
pub enum Predicate<'m> {
    /// All of them; true when empty.
    And(Vec<Predicate<'m>>),
    /// One of them; false when empty.
    Or(Vec<Predicate<'m>>),
    /// Not that.
    Not(Box<Predicate<'m>>),
    /// `column = ANY (array(SELECT _0.c1 FROM _0))`: it is among the values that the rows of a level have in a column, both
    /// by their numbers.
    Under(Column<'m>, u32, usize),
    /// `IS NOT TRUE`: false or null.
    NotTrue(Box<Predicate<'m>>),
    /// A term compared with parameters.
    Compare(Box<Comparison<'m>>),
    /// A search that finds something.
    Search(Box<Search<'m>>),
    /// `IS NULL`, or `IS NOT NULL` when false.
    IsNull(Term<'m>, bool),
    /// Two columns equal.
    Equal(Column<'m>, Column<'m>),
    /// A condition of the file on the row: that a relation leads anywhere from it.
    Holds(Column<'m>),
    /// `EXISTS (SELECT …)`
    Exists(Rc<Select<'m>>),
    /// `column = ANY (SELECT … OFFSET 0)`: the column is among the values of a select that does not depend on the row.
    Within(Column<'m>, Rc<Select<'m>>),
    /// Beyond a place in an order.
    Beyond(Box<KeysetPredicate<'m>>),
    /// `count(*) >= n`: whether so many rows are aggregated, of those that pass the filter.
    AtLeast(LeastGroup<'m>, Option<Rc<Predicate<'m>>>),
    /// Columns that together are one of the keys which an earlier statement handed over.
    Among(Vec<(Column<'m>, TransferredKey<'m>)>),
    /// A row that is not null as a whole: `NOT (_0 IS NULL)`.
    Present(u32),
}

/// Whether a row comes after a place in an order.
#[derive(Clone, Debug)]
pub struct KeysetPredicate<'m> {
    /// The keys of the order and what they are at the place.
    pub keys: Vec<KeysetKey<'m>>,
    /// The opposite: at the place or before it.
    pub negated: bool,
    /// How much work it is on one row at most; none where there is no bound.
    pub work: Option<u32>,
}

/// A key of an order, and its value at a place.
#[derive(Clone, Debug)]
pub struct KeysetKey<'m> {
    /// What is sorted by.
    pub expression: Expression<'m>,
    /// Its type.
    pub scalar: Scalar,
    /// Which way.
    pub direction: Direction,
    /// Whether it may be null.
    pub nullable: bool,
    /// The value at the place.
    pub value: Parameter,
}

/// A term compared with parameters.
#[derive(Clone, Debug)]
pub struct Comparison<'m> {
    /// The term.
    pub term: Term<'m>,
    /// The operator.
    pub operator: &'static Operator,
    /// The term's type.
    pub scalar: Scalar,
    /// What it is compared with.
    pub operands: Vec<Operand>,
    /// How much work it is on one row at most, whatever is stored; none where there is no bound, or where it may raise.
    pub work: Option<u32>,
    /// Whether it is with a long list, which can be read as rows.
    pub long_list: bool,
    /// Whether a list is read as rows.
    pub unnested: bool,
    /// Whether its values are kept from the planner.
    pub veiled: bool,
}

/// What a term is compared with.
#[derive(Clone, Debug)]
pub struct Operand {
    /// The field of the operand, if that is an object; else nothing.
    pub field: &'static str,
    /// The parameter; none where the operator's default stands.
    pub parameter: Option<Parameter>,
    /// Its type, or that of its elements.
    pub scalar: Scalar,
    /// Whether it is a list of them.
    pub list: bool,
}

impl Join<'_> {
    /// Whether the table can be joined as it is, without a subquery around it.
    pub fn is_plain(&self) -> bool {
        self.unique && !self.raises() && !self.scan.has_computed_columns()
    }

    /// Whether looking for the row may raise because of one over there that the rule hides.
    pub fn raises(&self) -> bool {
        self.on.iter().any(|(_, there)| there.raises())
    }
}

impl Select<'_> {
    /// Whether something outside the table's own conditions may raise because of a row that the rule hides, or take time. A join
    /// takes time, where conditions have picked the rows that meet it.
    pub fn is_fenced(&self) -> bool {
        let here = |join: &Join<'_>| join.on.iter().any(|(here, _)| here.raises());
        !self.outside.is_empty() || self.narrowed && !self.joins.is_empty() || self.joins.iter().any(here)
    }

    /// Whether rows that pass the conditions are left out.
    pub fn cuts(&self) -> bool {
        !self.limits.is_empty() || self.offset.is_some() || !self.distinct_on.is_empty()
    }
}

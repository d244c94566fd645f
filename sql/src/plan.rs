//! The statement as a tree of Rust types: the subset of Postgres' SQL that translated requests use.
//! A resolved selection becomes a plan here, and [`crate::render`] writes the plan as SQL text.
//!
//! Only [`Scan::open`] and its forms for writing make a table reference, and they put the role's
//! row rule in. Only an opened scan makes column references, after it has checked that the column
//! is granted.

use std::rc::Rc;
use std::sync::Arc;

use crate::model::access::Setting;
use crate::model::operators::Operator;
use crate::postgres::catalog::{Function as Routine, Oid};
use crate::postgres::types::{Cast, MinMaxStrategy, Scalar};
use crate::resolve::selection::Count;
use crate::schema::{Direction, Function};
use crate::statement::{FallbackReason, Parameter};

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
mod planned_for_values;
mod condition_cost;
mod filter;
mod term;
mod aggregate_condition;
mod group;
mod call;
mod key_join;
mod builder;
mod check;
mod scan;

pub use aggregate_condition::AggregatePredicate;
pub use check::Check;
pub use group::{Grouping, GroupingForm};
pub use insert::{
    CheckCte, CheckStrategy, Conflict, InputBatch, InputRows, InputSource, InsertPlan,
    InsertSource, Link, LinkColumn, LinkDirection, MissingColumnValue, NewColumn, NewValue,
    OnConflictUpdate, ParentRows, StoredRowChecks,
};
pub use key_join::KeyJoin;
pub use level_union::{ArmRows, LevelUnion, UnionArm};
pub use membership::MembershipScan;
pub(crate) use membership::UNREACHED_LIMIT;
pub use native_query::{
    NamedPiece, NativeQuery, ScannedTable, plan_native_query, plan_native_query_steps,
};
pub use read::plan;
pub use required_row::{Precondition, precondition, required};
pub use returning::{RowCountSource, Transfer};
pub use scan::{
    Action, Column, Denied, Event, LeastGroup, Returned, Row, Scan, ScanSource, TransferredKey,
    TransferredRows, Value, WrittenRows, free_name,
};
pub use term::{Search, Term};
pub use write::{
    Assertion, AssertionKind, Assigned, Condition, Cte, DeletePlan, MutationPlan, PartKind,
    SelectForUpdate, Step, UpdatePlan, UpdateTarget, is_locked, write,
};

/// The rows that a plan returns.
#[derive(Debug)]
pub enum PlanBody<'m> {
    /// `SELECT` from one table.
    Rows(Box<Select<'m>>),
    /// A `UNION ALL` of lists, nested or side by side, one arm for each level.
    Levels(Box<LevelUnion<'m>>),
    /// One row; each column is the whole value of a root field.
    Row(Vec<Expression<'m>>),
    /// The rows of a native query, whose SQL is configured.
    Named(Box<NativeQuery<'m>>),
}

impl PlanBody<'_> {
    /// The number of columns in each row.
    pub fn width(&self) -> usize {
        match self {
            PlanBody::Rows(select) => select.output.len(),
            // The first column is the number of the level that the row belongs to.
            PlanBody::Levels(levels) => 1 + levels.columns.len(),
            PlanBody::Row(columns) => columns.len(),
            PlanBody::Named(named) => named.columns.len(),
        }
    }
}

/// `SELECT … FROM … WHERE … ORDER BY … LIMIT …`
#[derive(Debug)]
pub struct Select<'m> {
    /// The select list.
    pub output: Vec<Expression<'m>>,
    /// The table in `FROM`.
    pub scan: Scan<'m>,
    /// Object relations that `order_by` or the output needs, joined before `LIMIT` applies.
    pub joins: Vec<Join<'m>>,
    /// The conditions of `WHERE`, on both sides of the fence around the row rule.
    pub placement: ConditionPlacement<'m>,
    /// The keys that rows are joined to, if they are entities.
    pub keys: Option<KeyJoin<'m>>,
    /// `GROUP BY`
    pub group_by: Vec<Expression<'m>>,
    /// `HAVING`: conditions on aggregates. With them and without `group_by`, the select has one row
    /// or none.
    pub having: Vec<Predicate<'m>>,
    /// `DISTINCT ON`
    pub distinct_on: Vec<Expression<'m>>,
    /// `ORDER BY`
    pub order: Vec<(Expression<'m>, Direction)>,
    /// The limits of the request and of the grant; the least of them applies.
    pub limits: Vec<Count>,
    /// `OFFSET`
    pub offset: Option<Count>,
    /// Whether one row more than the limit is read, to find out whether a next page exists.
    pub peek: bool,
    /// What happens after `LIMIT` has applied.
    pub after: PostLimit<'m>,
    /// How the rows of a list are read.
    pub strategy: ReadStrategy<'m>,
}

/// The conditions of a select inside and outside the optimization fence, a subquery with `OFFSET 0`
/// around the row rule.
#[derive(Debug, Default)]
pub struct ConditionPlacement<'m> {
    /// Conditions in the same `WHERE` as the row rule, where they may use an index: they take
    /// little work on a row, and do not raise.
    pub beside_rule: Vec<Predicate<'m>>,
    /// All other conditions, outside the fence where the rule hides rows.
    pub outside_fence: Vec<Predicate<'m>>,
    /// What selects the rows on which the rule is evaluated.
    pub selected_by: RowSelector,
}

/// What selects the rows on which a row rule is evaluated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RowSelector {
    /// No condition of the caller.
    #[default]
    Rule,
    /// Conditions that take little work on a row.
    Conditions,
    /// An equality of a whole key, which finds the rows by itself.
    Key,
    /// A long list or a relation, which finds the rows by itself.
    ListOrRelation,
}

/// How the rows of a list are read.
#[derive(Debug, Default)]
pub struct ReadStrategy<'m> {
    /// How the row rule applies.
    pub rule: RuleStrategy<'m>,
    /// Whether Postgres should plan the list for the values of its parameters at each execution.
    pub needs_values: bool,
}

/// How the row rule of a list applies.
#[derive(Debug)]
pub enum RuleStrategy<'m> {
    /// As a condition on each row, with the reason; without one, the select is not a list of a root
    /// field under a row rule.
    Condition(Option<FallbackReason>),
    /// The rows are read through memberships, in place of the rule.
    Memberships(MembershipScan<'m>),
}

/// What happens to the rows that `LIMIT` has left.
#[derive(Debug, Default)]
pub enum PostLimit<'m> {
    /// Nothing: the output is computed from the rows as they are.
    #[default]
    Nothing,
    /// Object relations are joined to the rows, which are then sorted again.
    Join(Vec<Join<'m>>),
    /// The rows are aggregated.
    Aggregate,
}

/// `LEFT JOIN`
#[derive(Debug)]
pub struct Join<'m> {
    /// The joined table.
    pub scan: Scan<'m>,
    /// Pairs of columns that are equal: the left table's column, then the joined table's.
    pub on: Vec<(Column<'m>, Column<'m>)>,
    /// The condition on the left row under which the relation may be followed, if the permission
    /// file has one.
    pub reach: Option<Column<'m>>,
    /// Whether a key proves that at most one row matches.
    pub unique: bool,
}

/// An expression of the output, of `ORDER BY` or of `GROUP BY`.
#[derive(Clone, Debug)]
pub enum Expression<'m> {
    /// A term, cast to the form in which it is sent.
    Output(Term<'m>, Cast),
    /// A term in a comparison or an order; as text if its type has no equality.
    Compared(Term<'m>, bool),
    /// Whether an outer join found a row: a column that it joined by is not null.
    Present(Column<'m>),
    /// `array(SELECT row(…) …)`
    Rows(Rc<Select<'m>>),
    /// `(SELECT row(…) …)`
    Record(Rc<Select<'m>>),
    /// `(SELECT …)`: one column of one row.
    Single(Rc<Select<'m>>),
    /// `EXISTS (SELECT …)`
    Exists(Rc<Select<'m>>),
    /// The least of the limits; null for no limit.
    Limit(Vec<Count>),
    /// The number of rows that Postgres' planner estimates for a select, as a parameter. With a
    /// threshold, an estimate up to it is replaced by an exact count.
    Planned(Rc<Select<'m>>, Option<u64>),
    /// An expression as text.
    Text(Box<Expression<'m>>),
    /// `null`, cast to a type given as SQL writes it.
    Null(Rc<str>),
    /// `0::int2`: the number of the level that a row belongs to.
    Level(usize),
    /// `count(*) >= n`: whether a group has at least that many rows.
    AtLeast(LeastGroup<'m>),
    /// A key of `GROUP BY`.
    Grouped(Rc<Grouping<'m>>),
    /// A key of `GROUP BY`, cast to the form in which it is sent.
    Key(Rc<Grouping<'m>>, Cast),
    /// `count(*)`, `count(x)`, `count(DISTINCT x)`; each column with whether it is compared as
    /// text, then whether values are distinct.
    Count(Vec<(Column<'m>, bool)>, bool),
    /// An aggregate function over a column.
    Aggregate(Function, MinMaxStrategy, Column<'m>, Cast),
    /// `array(SELECT row(_0."value") FROM f($1) AS _0("value"))`: the values that a function
    /// returns.
    Values(Rc<Call<'m>>, u32, Cast),
    /// `array(SELECT row(_1."a", …) FROM _1)`: the rows of a CTE, with the names of its columns.
    Gathered(u32, Vec<(String, Cast)>),
    /// The number of rows written.
    Affected(Vec<RowCountSource>),
    /// Saves a value in the transaction setting of that number, where later statements read it;
    /// true if something was saved.
    Transfer(u32, Transfer<'m>),
    /// A transaction setting: its name, and its value.
    Setting(&'m str, &'m Setting),
    /// The position of a row's key among those of [`Select::keys`].
    KeyPosition,
    /// The position of a row among the rows that an earlier statement transferred, by its scan and
    /// the column's name.
    Place(u32, String),
}

/// A call of a database function.
#[derive(Clone, Debug)]
pub struct Call<'m> {
    /// The function.
    pub function: &'m Routine,
    /// The arguments passed to it.
    pub arguments: Vec<Argument<'m>>,
    /// The condition on the row under which the role may call the function; none if it may on all
    /// rows. A role that inherits may have one.
    pub only: Option<Column<'m>>,
    /// Whether a row is passed that the row rule may hide, on which the function may raise.
    pub raises: bool,
    /// Whether it returns one row of a named type, or null.
    pub is_single_row: bool,
}

/// An argument of a call.
#[derive(Clone, Debug)]
pub struct Argument<'m> {
    /// Its position among the function's arguments.
    pub index: usize,
    /// Its name, used for named notation when an argument before it is left out.
    pub name: Option<&'m str>,
    /// Whether it is the array of a `VARIADIC` parameter.
    pub variadic: bool,
    /// Its value.
    pub passed: ArgumentValue<'m>,
}

/// The value of an argument.
#[derive(Clone, Debug)]
pub enum ArgumentValue<'m> {
    /// A parameter of that type.
    Parameter(Parameter, Oid),
    /// The caller's session values, as `json` or `jsonb`.
    Session(Oid),
    /// A whole row.
    Row(Row<'m>),
}

/// A condition.
#[derive(Clone, Debug)]
pub enum Predicate<'m> {
    /// `AND`; true when empty.
    And(Vec<Predicate<'m>>),
    /// `OR`; false when empty.
    Or(Vec<Predicate<'m>>),
    /// `NOT`
    Not(Box<Predicate<'m>>),
    /// `column = ANY (array(SELECT _0.c1 FROM _0))`: the column equals a value that some row of
    /// another level has; the numbers are the level's alias and the position of its column.
    InLevelKeys(Column<'m>, u32, usize),
    /// `IS NOT TRUE`: false or null.
    NotTrue(Box<Predicate<'m>>),
    /// A term compared with parameters.
    Compare(Box<Comparison<'m>>),
    /// A full-text search that matches.
    Search(Box<Search<'m>>),
    /// `IS NULL`, or `IS NOT NULL` when false.
    IsNull(Term<'m>, bool),
    /// Equality of two columns.
    Equal(Column<'m>, Column<'m>),
    /// A condition on the row from the permission file, under which a relation or computed field
    /// may be followed.
    Condition(Column<'m>),
    /// `EXISTS (SELECT …)`
    Exists(Rc<Select<'m>>),
    /// `column = ANY (SELECT … OFFSET 0)`: the column is among the values of a select that does not
    /// depend on the row.
    Within(Column<'m>, Rc<Select<'m>>),
    /// A row after a position in an order, for keyset pagination.
    Keyset(Box<KeysetPredicate<'m>>),
    /// `count(*) >= n`: whether that many rows are aggregated, of those that pass the filter.
    AtLeast(LeastGroup<'m>, Option<Rc<Predicate<'m>>>),
    /// A tuple of columns equals one of the keys that an earlier statement transferred.
    InTransferredKeys(Vec<(Column<'m>, TransferredKey<'m>)>),
    /// A row that is not null as a whole: `NOT (_0 IS NULL)`.
    Present(u32),
}

/// The condition that a row comes after a position in an order, as a cursor gives it.
#[derive(Clone, Debug)]
pub struct KeysetPredicate<'m> {
    /// The keys of the order, each with its value at the position.
    pub keys: Vec<KeysetKey<'m>>,
    /// Whether the condition is negated: rows at the position or before it.
    pub negated: bool,
    /// The most work on one row, in the units of `condition_cost`; none where there is no bound.
    pub work: Option<u32>,
}

/// A key of an order, and its value at a position.
#[derive(Clone, Debug)]
pub struct KeysetKey<'m> {
    /// The expression that rows are sorted by.
    pub expression: Expression<'m>,
    /// Its type.
    pub scalar: Arc<Scalar>,
    /// Ascending or descending, and where nulls go.
    pub direction: Direction,
    /// Whether the expression may be null.
    pub nullable: bool,
    /// The value at the position.
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
    pub scalar: Arc<Scalar>,
    /// The values that it is compared with.
    pub operands: Vec<Operand>,
    /// The most work on one row, whatever is stored, in the units of `condition_cost`; none where
    /// there is no bound, or where it may raise.
    pub work: Option<u32>,
    /// Whether the operand is a long list that can be read as rows.
    pub long_list: bool,
    /// Whether the list is read as rows: `= ANY (SELECT unnest(…))`.
    pub unnested: bool,
}

/// A value that a term is compared with.
#[derive(Clone, Debug)]
pub struct Operand {
    /// The field of the operator's input object; empty if the operand is no object.
    pub field: &'static str,
    /// The parameter; none for the operator's default.
    pub parameter: Option<Parameter>,
    /// Its type, or the type of its elements.
    pub scalar: Arc<Scalar>,
    /// Whether it is a list.
    pub list: bool,
}

impl Join<'_> {
    /// Whether the table can be joined directly, without a subquery around it.
    pub fn is_plain(&self) -> bool {
        self.unique && !self.raises() && !self.scan.has_computed_columns()
    }

    /// Whether the join condition may raise on a joined row that the rule hides.
    pub fn raises(&self) -> bool {
        self.on.iter().any(|(_, there)| there.raises())
    }
}

impl Default for RuleStrategy<'_> {
    fn default() -> Self {
        RuleStrategy::Condition(None)
    }
}

impl RowSelector {
    /// Whether a further condition that takes work may be added beside the rule: not where one that
    /// is there already finds the rows by itself.
    pub fn admits_conditions(self) -> bool {
        match self {
            RowSelector::Rule | RowSelector::Conditions => true,
            RowSelector::Key | RowSelector::ListOrRelation => false,
        }
    }

    /// Whether conditions of the caller, other than an equality of a whole key, select the rows.
    pub fn narrows(self) -> bool {
        match self {
            RowSelector::Rule | RowSelector::Key => false,
            RowSelector::Conditions | RowSelector::ListOrRelation => true,
        }
    }
}

impl<'m> Select<'m> {
    /// All rows of a scan that pass its rule, with an empty select list.
    pub fn new(scan: Scan<'m>) -> Select<'m> {
        Select {
            output: Vec::new(),
            scan,
            joins: Vec::new(),
            placement: ConditionPlacement::default(),
            keys: None,
            group_by: Vec::new(),
            having: Vec::new(),
            distinct_on: Vec::new(),
            order: Vec::new(),
            limits: Vec::new(),
            offset: None,
            peek: false,
            after: PostLimit::default(),
            strategy: ReadStrategy::default(),
        }
    }

    /// The memberships that rows are read through, in place of the row rule.
    pub fn memberships(&self) -> Option<&MembershipScan<'m>> {
        match &self.strategy.rule {
            RuleStrategy::Memberships(memberships) => Some(memberships),
            RuleStrategy::Condition(_) => None,
        }
    }

    /// Whether an expression outside the table's own conditions may raise on a row that the rule
    /// hides, or take time. A join takes time where conditions have selected the rows that pass the
    /// rule.
    pub fn is_fenced(&self) -> bool {
        let raises = |join: &Join<'_>| join.on.iter().any(|(here, _)| here.raises());
        !self.placement.outside_fence.is_empty()
            || self.keys.as_ref().is_some_and(|keys| keys.outside)
            || self.placement.selected_by.narrows() && !self.joins.is_empty()
            || self.joins.iter().any(raises)
    }

    /// Whether rows that pass the conditions are left out.
    pub fn cuts(&self) -> bool {
        !self.limits.is_empty() || self.offset.is_some() || !self.distinct_on.is_empty()
    }
}

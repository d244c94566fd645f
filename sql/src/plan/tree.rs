//! The plan of a read as a tree: the clauses of `SELECT`, expressions and predicates.
//!
//! The types are data. [`super::Scan`] decides what may become part of a tree.

use std::rc::Rc;
use std::sync::Arc;

use super::scan::{Call, Column, LeastGroup, Scan, TransferredKey};
use crate::model::access::{Membership, SessionValue, Setting};
use crate::model::operators::{Mode, Operator, PathType};
use crate::postgres::catalog::{Oid, Table};
use crate::postgres::types::{Cast, MinMaxStrategy, Output, Scalar};
use crate::resolve::selection::Count;
use crate::schema::{Bucket, ConditionAggregate, Direction, Function};
use crate::statement::{CostEstimate, FallbackReason, Parameter};

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
    Compared {
        /// The term.
        term: Term<'m>,
        /// Whether its text form is compared.
        as_text: bool,
    },
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
    Planned {
        /// The select.
        select: Rc<Select<'m>>,
        /// The threshold.
        threshold: Option<u64>,
    },
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
    /// `count(*)`, `count(x)`, `count(DISTINCT x)`
    Count {
        /// The columns; all rows are counted without any.
        columns: Vec<CountedColumn<'m>>,
        /// Whether distinct values are counted.
        distinct: bool,
    },
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

/// A column that is counted.
#[derive(Clone, Debug)]
pub struct CountedColumn<'m> {
    /// The column.
    pub column: Column<'m>,
    /// Whether its text form is compared.
    pub as_text: bool,
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
    /// another level has.
    InLevelKeys {
        /// The column.
        column: Column<'m>,
        /// The alias of the level.
        level: u32,
        /// The position of the level's column.
        index: usize,
    },
    /// `IS NOT TRUE`: false or null.
    NotTrue(Box<Predicate<'m>>),
    /// A term compared with parameters.
    Compare(Box<Comparison<'m>>),
    /// A full-text search that matches.
    Search(Box<Search<'m>>),
    /// `IS NULL`, or `IS NOT NULL`.
    IsNull {
        /// The term.
        term: Term<'m>,
        /// Whether it has to be null.
        is_null: bool,
    },
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

impl Expression<'_> {
    /// `count(*)`
    pub(super) fn count_rows() -> Self {
        Expression::Count {
            columns: Vec::new(),
            distinct: false,
        }
    }
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

/// A value of a row that is compared, sorted by or returned.
#[derive(Clone, Debug)]
pub enum Term<'m> {
    /// A column.
    Column(Column<'m>),
    /// The value at a path in a JSON column: `column #> path`. Null where the path does not exist.
    Inside(Column<'m>, Parameter),
    /// The value at a path in a JSON column, as another type; null where it is of another type.
    Path(Column<'m>, Parameter, &'static PathType),
    /// How well a text matches a search: `ts_rank(…)`.
    Rank(Box<Search<'m>>),
    /// A term cast to another type: `column::text`
    Cast {
        /// The term.
        term: Box<Term<'m>>,
        /// The other type.
        r#type: Oid,
        /// Whether the cast may raise.
        raises: bool,
    },
    /// An aggregate, in `HAVING`.
    Measure(Box<AggregatePredicate<'m>>),
}

/// A full-text search in a text or a `tsvector`.
#[derive(Clone, Debug)]
pub struct Search<'m> {
    /// The searched column, or JSON as text.
    pub term: Term<'m>,
    /// Whether the term is a `tsvector`; otherwise it is text and is converted to one.
    pub ready: bool,
    /// The text search configuration, by schema and name.
    pub config: Option<(String, String)>,
    /// The syntax of the query.
    pub mode: Mode,
    /// The query.
    pub query: Parameter,
}

const FLOAT4: Oid = 700;

impl Search<'_> {
    /// Whether it may raise. Text may be too long for a `tsvector`; a stored `tsvector` is not.
    pub fn raises(&self) -> bool {
        !self.ready || self.term.raises()
    }
}

impl Term<'_> {
    /// Its type.
    pub fn r#type(&self) -> Oid {
        match self {
            Term::Column(column) | Term::Inside(column, _) => column.r#type(),
            Term::Cast { r#type, .. } => *r#type,
            Term::Path(_, _, r#type) => r#type.compared,
            Term::Rank(_) => FLOAT4,
            Term::Measure(measured) => measured.r#type(),
        }
    }

    /// Whether evaluating it on a row that the rule hides may raise.
    pub fn raises(&self) -> bool {
        match self {
            Term::Column(column) | Term::Inside(column, _) | Term::Path(column, ..) => {
                column.raises()
            }
            Term::Rank(search) => search.raises(),
            Term::Cast { term, raises, .. } => *raises || term.raises(),
            // `HAVING` is evaluated after the row rule, when no hidden row is left.
            Term::Measure(_) => false,
        }
    }
}

/// An aggregate that a condition compares.
#[derive(Clone, Debug)]
pub struct AggregatePredicate<'m> {
    /// The aggregate.
    pub measure: ConditionAggregate,
    /// Its columns.
    pub columns: Vec<CountedColumn<'m>>,
    /// Whether it aggregates distinct values.
    pub distinct: bool,
    /// `FILTER (WHERE …)`
    pub filter: Option<Rc<Predicate<'m>>>,
    /// Whether its value is exact: a whole number or a decimal.
    pub(super) exact: bool,
}

const BOOL: Oid = 16;

const INT8: Oid = 20;

const FLOAT8: Oid = 701;

const NUMERIC: Oid = 1700;

impl AggregatePredicate<'_> {
    /// The type that it is compared as; numbers lose no digits.
    pub fn r#type(&self) -> Oid {
        match self.measure {
            ConditionAggregate::Count => INT8,
            ConditionAggregate::Function(function) if function.is_boolean() => BOOL,
            ConditionAggregate::Function(_) if self.exact => NUMERIC,
            ConditionAggregate::Function(_) => FLOAT8,
        }
    }
}

/// A key of `GROUP BY`.
#[derive(Clone, Debug)]
pub struct Grouping<'m> {
    /// The column.
    pub column: Column<'m>,
    /// The form of the column that rows are grouped by.
    pub form: GroupingForm,
    /// The column's type.
    pub scalar: Arc<Scalar>,
}

/// The form of a column that rows are grouped by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GroupingForm {
    /// The value.
    Value,
    /// The text form, if the type has no equality.
    Text,
    /// The start of the time span that the value falls into.
    Bucket(Bucket),
}

/// The keys that rows are joined to.
#[derive(Debug)]
pub struct KeyJoin<'m> {
    /// The columns of the key, each with the list of its values.
    pub columns: Vec<(Column<'m>, Operand)>,
    /// Whether the rows are joined outside the fence around the row rule, because their conditions
    /// belong there.
    pub outside: bool,
}

/// The memberships that rows are read through.
#[derive(Clone, Debug)]
pub struct MembershipScan<'m> {
    /// The rule's membership.
    pub membership: &'m Membership,
    /// The number of rows of each membership that may be among the result: limit plus offset, where
    /// both are numbers.
    pub rows: Option<u64>,
    /// The estimated costs, unless the strategy was forced.
    pub costs: Option<CostEstimate>,
}

/// The rows of a root field and of the lists in them.
#[derive(Debug)]
pub struct LevelUnion<'m> {
    /// The arms of the union, each level before the level that its rows belong to; the root is the
    /// last.
    pub arms: Vec<UnionArm<'m>>,
    /// The types of all columns but the first, as SQL writes them.
    pub columns: Vec<Rc<str>>,
}

/// The arm of one level.
#[derive(Debug)]
pub struct UnionArm<'m> {
    /// The alias by which levels whose rows belong to this one refer to it.
    pub alias: u32,
    /// The rows. If no level belongs to them, their output has all columns of the union already.
    pub rows: ArmRows<'m>,
    /// The column of the union for each column of the output, if other levels belong to these rows;
    /// otherwise none.
    pub places: Option<Vec<usize>>,
}

/// The rows of a level.
#[derive(Debug)]
pub enum ArmRows<'m> {
    /// Rows of a table.
    Select(Box<Select<'m>>),
    /// One row: the root fields that are no lists, beside those that are.
    Row(Vec<Expression<'m>>),
}

impl<'m> ArmRows<'m> {
    /// The columns of the rows.
    pub fn output(&self) -> &[Expression<'m>] {
        match self {
            ArmRows::Select(select) => &select.output,
            ArmRows::Row(columns) => columns,
        }
    }

    pub(super) fn output_mut(&mut self) -> &mut Vec<Expression<'m>> {
        match self {
            ArmRows::Select(select) => &mut select.output,
            ArmRows::Row(columns) => columns,
        }
    }
}

/// A native query whose tables are opened.
#[derive(Debug)]
pub struct NativeQuery<'m> {
    /// The alias under which its columns are read; none when it is planned alone, before their
    /// types are known.
    pub alias: Option<u32>,
    /// Its fragments, in order.
    pub pieces: Vec<NamedPiece<'m>>,
    /// The number of fragments that are its `WITH` clause.
    pub head: usize,
    /// The names of its columns.
    pub columns: Vec<String>,
    /// The form in which each is sent.
    pub outputs: Vec<Output>,
}

/// A fragment of a native query.
#[derive(Debug)]
pub enum NamedPiece<'m> {
    /// SQL, written again from its parsed tree.
    Sql(String),
    /// A table in `FROM`.
    Opened(ScannedTable<'m>),
    /// A session value.
    Session(SessionValue),
    /// A parameter, and its type if it is known.
    Parameter(Parameter, Option<Oid>),
}

/// A table as the role sees it.
#[derive(Debug)]
pub struct ScannedTable<'m> {
    /// The table, under the row rule.
    pub scan: Scan<'m>,
    /// The columns that are granted, with their names.
    pub columns: Vec<(Column<'m>, &'m str)>,
    /// Whether expressions outside may only run on rows that passed the rule, so that an
    /// optimization fence is needed.
    pub fenced: bool,
}

/// A number of rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RowCountSource {
    /// The rows of a CTE of the same statement.
    Part(u32),
    /// The rows of a CTE of the same statement in which the column is true.
    Marked(u32, String),
    /// The number that an earlier statement saved in the setting of that number.
    Transferred(u32),
}

/// A value saved in a setting.
#[derive(Clone, Debug)]
pub enum Transfer<'m> {
    /// The number of rows.
    Count(Vec<RowCountSource>),
    /// A column of the rows that CTEs of the same statement return, as an array of texts: the CTEs,
    /// an alias for them, the column, and a condition on the rows under that alias, if any.
    Column(Vec<u32>, u32, &'m str, Option<Column<'m>>),
    /// A column of rows that are yet to be written, as an array of texts: the number of their CTE,
    /// and the column.
    Numbers(u32, String),
    /// Whole rows that pass the rule of the scan, as an array.
    Rows(Rc<Scan<'m>>),
    /// Whole rows, regardless of the rule: the CTEs, an alias for them, and the table.
    Everything(Vec<u32>, u32, &'m Table),
    /// No rows: an empty array.
    NoRows,
    /// The rows behind those that the setting has from earlier runs of the statement.
    Appended(Box<Transfer<'m>>),
}

impl Predicate<'_> {
    /// Splits a conjunction, so that each condition can be placed by itself.
    pub(super) fn into_conjuncts(self) -> Vec<Self> {
        match self {
            Predicate::And(all) => all
                .into_iter()
                .flat_map(Predicate::into_conjuncts)
                .collect(),
            other => vec![other],
        }
    }
}

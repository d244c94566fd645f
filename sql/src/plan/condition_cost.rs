//! Decides which conditions of the caller may be evaluated on rows that the row rule hides.
//!
//! Postgres evaluates the conditions of one `WHERE` in an order of its own, so a condition beside
//! the rule may run on hidden rows, and its errors and its duration reveal something about them.
//! [`Predicate::work`] is the most work that a condition takes on one row; a condition without such
//! a bound is placed outside an optimization fence:
//!
//! ```sql
//! FROM (SELECT … FROM t AS _0 WHERE (rule) AND _0.status = $1 OFFSET 0) AS _0 WHERE _0.body ILIKE (SELECT $2)
//! ```
//!
//! If one condition finds the rows by itself, it is placed beside the rule alone and everything
//! else outside, because with a second condition a caller could measure whether a certain hidden
//! row passes the first one. Such a condition is an equality of a whole key, a long list on an
//! indexed column, or a relation, read from the related table:
//!
//! ```sql
//! FROM (SELECT … FROM t AS _0
//!       WHERE (rule) AND _0.parent_id = ANY (SELECT _1.id FROM p AS _1 WHERE … OFFSET 0) OFFSET 0) AS _0
//! ```

use std::rc::Rc;

use super::builder::Builder;
use super::membership::{equal_to_one, has_first_order};
use super::{
    Column, Comparison, ConditionPlacement, Denied, Expression, Operand, Predicate, RowSelector,
    Scan, Select, Term, Value,
};
use crate::model::Relation;
use crate::model::access;
use crate::model::access::Purpose;
use crate::model::operators::{Operator, OperatorKind, RowCost};
use crate::postgres::catalog::{ColumnId, StoredWidth, TableId};
use crate::postgres::types::Cast;
use crate::resolve::selection::{Arguments, BoundOperand, Count, Filter, Term as Wanted};

/// The most work on one row beside a rule. A unit is about fifty nanoseconds, so this is about one
/// index lookup, which rules do anyway.
const MAX_COST_BESIDE_RULE: u32 = 64;

/// The most work of a statement, over all of its scans. Root fields may repeat a condition.
const MOST_OF_ALL: u32 = 128;

/// The most rows that a value may have for an equality with it to be selective.
const MAX_SELECTIVE_ROWS: f64 = 1_000.0;

/// The number of rows from which on reading all visible rows of a table takes long.
const LARGE_TABLE_ROWS: f64 = 10_000.0;

/// The conditions that find the rows by themselves, by their positions among the conjuncts.
enum LeadingCondition {
    None,
    /// Equalities with all columns of a key.
    Key(Vec<usize>),
    /// A long list.
    List(usize),
    /// A relation.
    Related(usize),
}

impl Predicate<'_> {
    /// The most work on one row, whatever is stored; none where there is no bound, or where it may
    /// raise.
    pub fn work(&self) -> Option<u32> {
        match self {
            Predicate::And(all) | Predicate::Or(all) => all.iter().map(Predicate::work).sum(),
            Predicate::Not(inner) | Predicate::NotTrue(inner) => inner.work(),
            Predicate::Compare(comparison) => comparison.work,
            Predicate::IsNull {
                term: Term::Column(column),
                ..
            } => read(column).map(|_| 1),
            Predicate::Equal(there, here) => read(there).and(read(here)).map(|_| 1),
            Predicate::Keyset(beyond) => beyond.work,
            Predicate::Condition(column) | Predicate::InLevelKeys { column, .. } => {
                read(column).map(|_| 0)
            }
            Predicate::InTransferredKeys(pairs) => pairs
                .iter()
                .map(|(column, _)| read(column).map(|_| 0))
                .sum(),
            Predicate::Present(_) => Some(0),
            Predicate::IsNull { .. }
            | Predicate::Search(_)
            | Predicate::Exists(_)
            | Predicate::Within(..)
            | Predicate::AtLeast(..) => None,
        }
    }
}

/// The width of a column that can be read without raising.
fn read(column: &Column<'_>) -> Option<StoredWidth> {
    (!column.raises()).then(|| column.width())
}

/// The most work of a comparison by order with a column, on one row.
pub(super) fn order_cost(column: &Column<'_>) -> Option<u32> {
    match read(column)? {
        StoredWidth::Fixed => Some(1),
        StoredWidth::Bounded => Some(4),
        StoredWidth::Sized | StoredWidth::Unbounded => None,
    }
}

/// The most work of a comparison, on one row.
pub(super) fn comparison_cost(
    term: &Term<'_>,
    operator: &Operator,
    operands: &[Operand],
    bounds: &[BoundOperand],
) -> Option<u32> {
    let Term::Column(column) = term else {
        return None;
    };
    let width = read(column)?;
    if operands.iter().any(|operand| operand.scalar.raises())
        || !bounds.iter().all(|bound| bound.short)
    {
        return None;
    }
    let list = bounds.iter().any(|bound| bound.list);
    match (operator.cost, width) {
        (RowCost::Varies | RowCost::Raises, _) | (_, StoredWidth::Unbounded) => None,
        (RowCost::Equality, StoredWidth::Fixed) => Some(if list { 8 } else { 1 }),
        (RowCost::Equality, StoredWidth::Bounded) => Some(if list { 16 } else { 2 }),
        (RowCost::Equality, StoredWidth::Sized) => Some(if list { 16 } else { 2 }),
        (RowCost::Order, _) => order_cost(column),
        (RowCost::Prefix, StoredWidth::Fixed | StoredWidth::Bounded) => Some(4),
        (RowCost::Prefix, StoredWidth::Sized) => None,
    }
}

impl<'m> ConditionPlacement<'m> {
    /// Places a condition inside or outside the fence. `spent` is the work of the statement so far.
    pub(super) fn add_condition(
        &mut self,
        scan: &Scan<'m>,
        predicate: Predicate<'m>,
        spent: &mut u32,
    ) {
        if !scan.filters_rows() {
            return self.beside_rule.push(predicate);
        }
        let taken = self
            .beside_rule
            .iter()
            .filter_map(Predicate::work)
            .sum::<u32>();
        let most = MAX_COST_BESIDE_RULE
            .saturating_sub(taken)
            .min(MOST_OF_ALL.saturating_sub(*spent));
        match predicate.work() {
            Some(0) => self.beside_rule.push(predicate),
            Some(work) if work <= most && self.selected_by.admits_conditions() => {
                *spent += work;
                self.selected_by = RowSelector::Conditions;
                self.beside_rule.push(predicate);
            }
            _ => self.outside_fence.push(unnested(predicate)),
        }
    }

    /// Places a condition that finds rows by itself beside the rule.
    fn add_leading_condition(&mut self, predicate: Predicate<'m>, selector: RowSelector) {
        self.selected_by = selector;
        self.beside_rule.push(unnested(predicate));
    }
}

/// Makes long lists be read as rows, `= ANY (SELECT unnest(…))`, which Postgres joins or hashes.
/// Searching a list for each row takes long, and how long depends on the position of the row's
/// value in the list.
fn unnested(predicate: Predicate<'_>) -> Predicate<'_> {
    match predicate {
        Predicate::And(all) => Predicate::And(all.into_iter().map(unnested).collect()),
        Predicate::Or(all) => Predicate::Or(all.into_iter().map(unnested).collect()),
        Predicate::Not(inner) => Predicate::Not(Box::new(unnested(*inner))),
        Predicate::NotTrue(inner) => Predicate::NotTrue(Box::new(unnested(*inner))),
        Predicate::Compare(comparison) => {
            let unnested = comparison.long_list;
            Predicate::Compare(Box::new(Comparison {
                unnested,
                ..*comparison
            }))
        }
        other => other,
    }
}

/// Whether a comparison is with a long list that can be read as rows.
pub(super) fn is_long_list(
    operator: &Operator,
    operands: &[Operand],
    bounds: &[BoundOperand],
) -> bool {
    let plain = |operand: &Operand| {
        operand.list && !operand.scalar.raises() && operand.scalar.over_domain.is_none()
    };
    operator.kind == OperatorKind::In
        && operator.cost == RowCost::Equality
        && operands.iter().all(plain)
        && bounds.iter().all(|bound| !bound.short)
}

impl<'m> Builder<'m> {
    /// Places the conditions of a filter inside and outside the fence around a scan.
    pub(super) fn place_conditions(
        &mut self,
        scan: &Scan<'m>,
        filter: &Filter<'m>,
        correlated: Vec<Predicate<'m>>,
    ) -> Result<ConditionPlacement<'m>, Denied> {
        // An error in the joined table's column counts here; one in the outer row's column was
        // fenced with that row.
        let there_raises =
            |p: &Predicate<'m>| matches!(p, Predicate::Equal(there, _) if there.raises());
        let (outside_fence, beside_rule) = correlated.into_iter().partition(there_raises);
        let mut placement = ConditionPlacement {
            beside_rule,
            outside_fence,
            selected_by: RowSelector::Rule,
        };
        let mut conjuncts = Vec::new();
        conjuncts_of(filter, &mut conjuncts);
        let leading = if scan.filters_rows() {
            self.leading_condition(scan, &conjuncts)
        } else {
            LeadingCondition::None
        };
        for (index, conjunct) in conjuncts.iter().enumerate() {
            match (&leading, conjunct) {
                (LeadingCondition::Key(indexes), _) if indexes.contains(&index) => {
                    let predicate = self.predicate(scan, conjunct)?;
                    placement.add_leading_condition(predicate, RowSelector::Key);
                }
                (LeadingCondition::List(leading), _) if *leading == index => {
                    let predicate = self.predicate(scan, conjunct)?;
                    placement.add_leading_condition(predicate, RowSelector::ListOrRelation);
                }
                (LeadingCondition::Related(leading), Filter::Related(relation, inner))
                    if *leading == index =>
                {
                    let predicate = self.among_related_rows(scan, relation, inner)?;
                    placement.add_leading_condition(predicate, RowSelector::ListOrRelation);
                }
                _ => {}
            }
        }
        for (index, conjunct) in conjuncts.iter().enumerate() {
            if !leading.contains(index) {
                for predicate in self.predicate(scan, conjunct)?.into_conjuncts() {
                    self.place_beside_rule(scan, predicate, &mut placement);
                }
            }
        }
        Ok(placement)
    }

    /// Places one more condition.
    pub(super) fn place_beside_rule(
        &mut self,
        scan: &Scan<'m>,
        predicate: Predicate<'m>,
        placement: &mut ConditionPlacement<'m>,
    ) {
        placement.add_condition(scan, predicate, &mut self.spent);
    }

    /// The conditions that find rows by themselves.
    fn leading_condition(&self, scan: &Scan<'m>, conjuncts: &[&Filter<'m>]) -> LeadingCondition {
        if let Some(indexes) = self.key_among(scan, conjuncts) {
            return LeadingCondition::Key(indexes);
        }
        let table = scan.table();
        let leads = |column: ColumnId| {
            self.is_stored(scan.grant(), scan.id(), column) && self.leads_index(scan.id(), column)
        };
        let finds_few = |conjunct: &&Filter<'m>| self.finds_few(scan.grant(), scan.id(), conjunct);
        if table.estimated_rows >= LARGE_TABLE_ROWS && !conjuncts.iter().any(finds_few) {
            let related = conjuncts.iter().position(|conjunct| match conjunct {
                Filter::Related(relation, inner) => {
                    self.leads_over(scan.id(), relation)
                        && scan.relation_condition(relation).is_none()
                        && self.is_selective(relation.to, inner)
                }
                _ => false,
            });
            if let Some(index) = related {
                return LeadingCondition::Related(index);
            }
        }
        let list = conjuncts.iter().position(|conjunct| match conjunct {
            Filter::Compare(Wanted::Column(column), operator, bounds) => {
                let plain = |bound: &BoundOperand| {
                    let scalar = self.scalar(bound.r#type);
                    bound.list && !bound.short && !scalar.raises() && scalar.over_domain.is_none()
                };
                let long = operator.kind == OperatorKind::In
                    && operator.cost == RowCost::Equality
                    && bounds.iter().all(plain);
                long && leads(*column)
            }
            _ => false,
        });
        list.map_or(LeadingCondition::None, LeadingCondition::List)
    }

    /// The positions of equalities with all columns of a key, if there are such.
    fn key_among(&self, scan: &Scan<'m>, conjuncts: &[&Filter<'m>]) -> Option<Vec<usize>> {
        let table = scan.table();
        let equal = |name: &str| {
            conjuncts.iter().position(|conjunct| match conjunct {
                Filter::Compare(Wanted::Column(column), operator, bounds) => {
                    operator.kind == OperatorKind::Equal
                        && table.column(*column).name == name
                        && self.is_stored(scan.grant(), scan.id(), *column)
                        && bounds
                            .iter()
                            .all(|bound| bound.short && !self.scalar(bound.r#type).raises())
                }
                _ => false,
            })
        };
        table
            .keys
            .iter()
            .find_map(|key| key.columns.iter().map(|name| equal(name)).collect())
    }

    /// Whether a condition by itself finds few rows of a table, by an index.
    fn finds_few(&self, grant: &access::Select, table: TableId, conjunct: &Filter<'m>) -> bool {
        let Filter::Compare(Wanted::Column(column), operator, bounds) = conjunct else {
            return false;
        };
        let rows = self.access().model().table(table).rows_of_value(*column);
        operator.cost == RowCost::Equality
            && matches!(operator.kind, OperatorKind::Equal | OperatorKind::In)
            && bounds.iter().all(|bound| bound.short)
            && self.is_stored(grant, table, *column)
            && self.leads_index(table, *column)
            && rows.is_some_and(|rows| rows <= MAX_SELECTIVE_ROWS)
    }

    /// Whether a filter finds few rows of a table, by a condition of its own or of a relation.
    fn is_selective(&self, table: TableId, filter: &Filter<'m>) -> bool {
        let Some(grant) = self.access().read(table, Purpose::Rows) else {
            return false;
        };
        let mut conjuncts = Vec::new();
        conjuncts_of(filter, &mut conjuncts);
        conjuncts.iter().any(|conjunct| match conjunct {
            Filter::Related(relation, inner) => {
                self.leads_over(table, relation) && self.is_selective(relation.to, inner)
            }
            conjunct => self.finds_few(grant, table, conjunct),
        })
    }

    /// Whether an index finds the rows from which a relation leads to given ones.
    fn leads_over(&self, table: TableId, relation: &Relation) -> bool {
        let [(here, over)] = relation.on.as_slice() else {
            return false;
        };
        let bared = |table: TableId, column: ColumnId| {
            let scalar = self.scalar(self.access().model().table(table).column(column).r#type);
            scalar.compared_as.is_some() || scalar.comparison_functions.is_some()
        };
        let stored = |table: TableId, column: ColumnId| {
            self.access().model().catalog().is_stored(table, column)
        };
        self.leads_index(table, *here)
            && stored(table, *here)
            && stored(relation.to, *over)
            && !bared(table, *here)
            && !bared(relation.to, *over)
    }

    fn leads_index(&self, table: TableId, column: ColumnId) -> bool {
        let table = self.access().model().table(table);
        table.leads_index(&table.column(column).name)
    }

    /// Whether a grant shows a column as stored.
    fn is_stored(&self, grant: &access::Select, table: TableId, column: ColumnId) -> bool {
        grant.columns.contains(column)
            && !grant.values.contains_key(&column)
            && self.access().model().catalog().is_stored(table, column)
    }

    /// `_0.parent_id = ANY (SELECT _1.id FROM p AS _1 WHERE … OFFSET 0)`. The select does not
    /// depend on the row, and `OFFSET 0` prevents Postgres from turning it into a join; it works
    /// only on rows that pass its own rule.
    fn among_related_rows(
        &mut self,
        scan: &Scan<'m>,
        relation: &'m Relation,
        inner: &Filter<'m>,
    ) -> Result<Predicate<'m>, Denied> {
        let there = self.open(relation.to, Purpose::Rows)?;
        let (here, over) = relation.on.first().ok_or(Denied)?;
        let key = Expression::Output(Term::Column(there.key(*over)), Cast::None);
        let arguments = Arguments {
            filter: Some(inner.clone()),
            ..Arguments::default()
        };
        let select = self.select(there, Vec::new(), &arguments)?;
        let select = Select {
            output: vec![key],
            offset: Some(Count::Number(0)),
            ..select
        };
        Ok(Predicate::Within(scan.key(*here), Rc::new(select)))
    }
}

impl LeadingCondition {
    fn contains(&self, index: usize) -> bool {
        match self {
            LeadingCondition::None => false,
            LeadingCondition::Key(indexes) => indexes.contains(&index),
            LeadingCondition::List(leading) | LeadingCondition::Related(leading) => {
                *leading == index
            }
        }
    }
}

/// Collects the conjuncts of a filter.
fn conjuncts_of<'f, 'm>(filter: &'f Filter<'m>, conjuncts: &mut Vec<&'f Filter<'m>>) {
    match filter {
        Filter::And(all) => all
            .iter()
            .for_each(|filter| conjuncts_of(filter, conjuncts)),
        other => conjuncts.push(other),
    }
}

impl Select<'_> {
    /// Whether the fenced subquery returns rows in the order of the select. If an index has that
    /// order and the limit is small, Postgres then walks along the index until enough rows have
    /// passed the conditions outside.
    pub fn is_sorted_inside(&self) -> bool {
        let table = self.scan.table();
        let own = |expression: &Expression<'_>| match expression {
            Expression::Compared {
                term: Term::Column(column),
                as_text: false,
            } if column.alias() == self.scan.alias() => stored(column).is_some(),
            _ => false,
        };
        let first = match self.order.first() {
            Some((
                Expression::Compared {
                    term: Term::Column(column),
                    ..
                },
                direction,
            )) => stored(column).map(|name| (name, *direction)),
            _ => None,
        };
        let Some(first) = first else { return false };
        let members = self
            .memberships()
            .into_iter()
            .flat_map(|memberships| &memberships.membership.on);
        let members = members.map(|(column, _)| table.column(*column).name.as_str());
        let equal: Vec<&str> = self
            .placement
            .beside_rule
            .iter()
            .filter_map(equal_to_one)
            .chain(members)
            .collect();
        let serves = table.indexes.iter().any(|index| {
            let mut rest = index
                .columns
                .iter()
                .skip_while(|column| equal.contains(&&*column.name));
            rest.next()
                .is_some_and(|column| has_first_order(column, first))
        });
        serves
            && self.distinct_on.is_empty()
            && self.group_by.is_empty()
            && self.limits.iter().any(Count::is_few)
            && self.order.iter().all(|(expression, _)| own(expression))
    }
}

fn stored<'s>(column: &'s Column<'_>) -> Option<&'s str> {
    match column.value() {
        Value::Stored(name) if !column.raises() => Some(name),
        _ => None,
    }
}

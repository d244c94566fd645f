//! Reads a list under a membership rule from the memberships' side. A membership is a row that
//! lets the caller see a group of rows, such as a user's place in a team. The statement reads the
//! first page of each group, merges the pages in the order of the list, and returns the first page
//! of the result. This module decides whether that form is correct for a select, and whether it is
//! cheaper.
//!
//! ```sql
//! FROM members AS m CROSS JOIN LATERAL (
//!   SELECT … FROM t AS _0 WHERE (m.group = _0.group) AND … ORDER BY … LIMIT limit + offset
//! ) AS _0 WHERE (m.user = $1) ORDER BY … LIMIT … OFFSET …
//! ```
//!
//! With the rule as a condition, Postgres walks along the index in the order of the list and
//! filters out the rows that the rule hides: the fewer rows are visible, the longer the walk.
//!
//! Conditions that may raise or take time are outside a fence within the subquery, which then has
//! the rows of one membership of the caller.
//!
//! The form is correct where a row matches one membership at most, by a key: then the rows of all
//! memberships together are the rows that pass the rule, each once, and the first of all are among
//! the first of each. Rows that are equal in the order may come in another sequence than in the
//! plain form, which does not guarantee one either.

use super::builder::Builder;
use super::{
    Expression, MembershipScan, PostLimit, Predicate, ReadStrategy, RuleStrategy, Scan, Select,
    Term, Value,
};
use crate::model::access::Membership;
use crate::model::operators::OperatorKind;
use crate::postgres::catalog::{Catalog, Index, IndexColumn, Table, TableKind};
use crate::resolve::MembershipStrategy;
use crate::resolve::selection::Count;
use crate::schema::Direction;
use crate::statement::{CostEstimate, FallbackReason, ListStrategy};

/// The cost of starting to read at another position of an index, in rows read along it: a descent,
/// and starting the subquery anew. Measured: 3 to 7.
const INDEX_DESCENT_COST: f64 = 5.0;

/// The factor by which the form through memberships must be cheaper. The estimates of both are no
/// better than that.
const MIN_GAIN: f64 = 2.0;

/// The factor by which it may be slower for the callers with the most memberships, since all others
/// gain.
const MOST_FACTOR: f64 = 4.0;

/// A limit that no table's rows exceed. Twice this number is more than `LIMIT` takes.
pub(crate) const UNREACHED_LIMIT: u64 = 1 << 62;

/// The value assumed for a small limit in a parameter, and for an offset.
const ASSUMED_PAGE_ROWS: f64 = 20.0;

/// The properties of a select that decide whether an index serves it: the columns that equal one
/// value, and the first column of its order.
struct ListProperties<'s> {
    equal: Vec<&'s str>,
    first: (&'s str, Direction),
    rows: RowCount,
}

/// The number of rows that may be among the result.
#[derive(Clone, Copy)]
struct RowCount {
    /// Limit plus offset, where both are numbers.
    known: Option<u64>,
    /// The number that the costs assume; infinite for a limit that may be large.
    expected: f64,
}

impl<'m> Builder<'m> {
    /// Makes a list read through the memberships of the caller, where that is correct and cheaper.
    pub(super) fn through_memberships(&self, select: &mut Select<'m>) {
        if !select.scan.filters_rows() || !select.scan.is_plain() || select.keys.is_some() {
            return;
        }
        select.strategy.rule = match self.choose_memberships(select) {
            Ok(memberships) => RuleStrategy::Memberships(memberships),
            Err(reason) => RuleStrategy::Condition(Some(reason)),
        };
        if select.memberships().is_some() && matches!(select.after, PostLimit::Nothing) {
            select.after = PostLimit::Join(Vec::new());
        }
    }

    fn choose_memberships(
        &self,
        select: &Select<'m>,
    ) -> Result<MembershipScan<'m>, FallbackReason> {
        if select.order.is_empty() {
            return Err(FallbackReason::Unsorted);
        }
        let catalog = self.access().model().catalog();
        let wanted = self.memberships();
        if wanted == MembershipStrategy::Never {
            return Err(FallbackReason::Off);
        }
        let membership = select
            .scan
            .rule()
            .membership
            .as_deref()
            .ok_or(FallbackReason::Rule)?;
        let table = select.scan.table();
        let members = catalog.table(membership.table);
        if !membership.is_unique(catalog) {
            return Err(FallbackReason::NotUnique(qualified_name(members)));
        }
        let properties = list_properties(select)?;
        let costs = match wanted {
            MembershipStrategy::Always => None,
            _ => Some(costs(membership, table, members, &properties)?),
        };
        Ok(MembershipScan {
            membership,
            rows: properties.rows.known,
            costs,
        })
    }
}

/// The properties of a list, where its rows may be picked membership by membership.
fn list_properties<'s>(select: &'s Select<'_>) -> Result<ListProperties<'s>, FallbackReason> {
    let rows = row_count(select).ok_or(FallbackReason::Limit)?;
    if !select.distinct_on.is_empty() {
        return Err(FallbackReason::Distinct);
    }
    if !select.joins.is_empty() {
        return Err(FallbackReason::Order);
    }
    let sorted: Option<Vec<&str>> = select.order.iter().map(|(by, _)| sorted_by(by)).collect();
    let (first, (_, direction)) = sorted
        .as_deref()
        .and_then(<[_]>::first)
        .zip(select.order.first())
        .ok_or(FallbackReason::Order)?;
    let equal = select
        .placement
        .beside_rule
        .iter()
        .filter_map(equal_to_one)
        .collect();
    Ok(ListProperties {
        equal,
        first: (first, *direction),
        rows,
    })
}

/// Limit plus offset, where a statement can compute their sum. If one is a parameter, the costs
/// assume a usual page: with more rows, the cost of the plain form approaches that of sorting all
/// visible rows, and the cost of the other form does not fall.
fn row_count(select: &Select<'_>) -> Option<RowCount> {
    let number = |count: &Count| {
        if let Count::Number(number) = count {
            Some(*number)
        } else {
            None
        }
    };
    let expected = |count: &Count| match count {
        Count::Number(number) => *number as f64,
        Count::Parameter { few: true, .. } => ASSUMED_PAGE_ROWS,
        Count::Parameter { few: false, .. } => f64::INFINITY,
    };
    let limit = select.limits.iter().map(expected).reduce(f64::min)?;
    let offset = select.offset.as_ref().map_or(0.0, expected);
    let counts = || select.limits.iter().chain(&select.offset);
    if counts()
        .filter_map(number)
        .any(|number| number >= UNREACHED_LIMIT)
    {
        return None;
    }
    let least = select.limits.iter().filter_map(number).min();
    let known =
        least.map(|least| least + select.offset.as_ref().and_then(number).unwrap_or_default());
    let known = known.filter(|_| counts().all(|count| number(count).is_some()));
    Some(RowCount {
        known,
        expected: limit + offset,
    })
}

pub(super) fn sorted_by<'s>(expression: &'s Expression<'_>) -> Option<&'s str> {
    match expression {
        Expression::Compared {
            term,
            as_text: false,
        } => stored(term),
        _ => None,
    }
}

fn stored<'s>(term: &'s Term<'_>) -> Option<&'s str> {
    match term {
        Term::Column(column) if !column.raises() => match column.value() {
            Value::Stored(name) => Some(name),
            _ => None,
        },
        _ => None,
    }
}

/// The column that a condition sets equal to one value.
pub(super) fn equal_to_one<'s>(predicate: &'s Predicate<'_>) -> Option<&'s str> {
    match predicate {
        Predicate::Compare(comparison) if comparison.operator.kind == OperatorKind::Equal => {
            stored(&comparison.term)
        }
        _ => None,
    }
}

/// The costs of both forms, if the form through memberships is cheaper by the required factors.
fn costs(
    membership: &Membership,
    table: &Table,
    members: &Table,
    properties: &ListProperties<'_>,
) -> Result<CostEstimate, FallbackReason> {
    let key: Vec<&str> = membership
        .on
        .iter()
        .map(|(here, _)| table.column(*here).name.as_str())
        .collect();
    if table.is_unique(&properties.equal) {
        return Err(FallbackReason::Key);
    }
    if !table
        .indexes
        .iter()
        .any(|index| serves(index, &key, properties))
    {
        return Err(FallbackReason::Index(
            key.iter()
                .chain([&properties.first.0])
                .copied()
                .collect::<Vec<_>>()
                .join(", "),
        ));
    }
    // The number of groups that the rows of the table fall into, one for each possible membership.
    let groups = membership
        .on
        .iter()
        .map(|(here, _)| table.values(*here))
        .product::<Option<f64>>();
    let groups = groups
        .ok_or_else(|| FallbackReason::Statistics(qualified_name(table)))?
        .min(table.estimated_rows);
    // A column without statistics is left out. Without it the estimated number of memberships is
    // higher, so the form through memberships looks more expensive than it is, not cheaper; but at
    // least one column that identifies the caller must have statistics.
    let with_statistics = || {
        membership
            .fixed
            .iter()
            .copied()
            .filter(|column| members.values(*column).is_some())
    };
    if members.estimated_rows <= 0.0
        || with_statistics().next().is_none() && !membership.fixed.is_empty()
    {
        return Err(FallbackReason::Statistics(qualified_name(members)));
    }
    let callers: f64 = with_statistics()
        .filter_map(|column| members.values(column))
        .product();
    let memberships = (members.estimated_rows / callers).max(1.0);
    let of_most = with_statistics()
        .map(|column| members.rows_of_most(column))
        .reduce(f64::min);
    let most = of_most.unwrap_or(memberships).max(memberships);

    let all = table.estimated_rows;
    let rows = properties.rows.expected.min(table.estimated_rows);
    let group = all / groups;
    let through = |memberships: f64| memberships * (INDEX_DESCENT_COST + rows.min(group));
    // Along the order until enough visible rows are found; or all visible rows, sorted.
    let walk = rows * (groups / memberships).max(1.0);
    let walks = table.indexes.iter().any(|index| {
        index
            .columns
            .first()
            .is_some_and(|first| has_first_order(first, properties.first))
    });
    let sort = memberships * (INDEX_DESCENT_COST + group);
    let plain = if walks { walk.min(sort) } else { sort }.min(all);
    let costs = CostEstimate {
        memberships: memberships.round() as u64,
        most: most.round() as u64,
        plain: plain.round() as u64,
        through: through(memberships).round() as u64,
    };
    if through(memberships) * MIN_GAIN <= plain && through(most) <= plain * MOST_FACTOR {
        Ok(costs)
    } else {
        Err(FallbackReason::Costs(costs))
    }
}

/// Whether an index has the rows of a membership together and in order: its first columns are those
/// that the membership and equalities fix, followed by the first column of the order.
fn serves(index: &Index, key: &[&str], properties: &ListProperties<'_>) -> bool {
    let is_fixed = |column: &&IndexColumn| {
        key.contains(&&*column.name) || properties.equal.contains(&&*column.name)
    };
    let front = index.columns.iter().take_while(is_fixed).count();
    let (front, rest) = index.columns.split_at_checked(front).unwrap_or_default();
    let whole = key
        .iter()
        .all(|name| front.iter().any(|column| *column.name == **name));
    whole
        && rest
            .first()
            .is_some_and(|column| has_first_order(column, properties.first))
}

/// Whether an index column has the order's first column in the direction of the order, read
/// forwards or backwards.
pub(super) fn has_first_order(column: &IndexColumn, first: (&str, Direction)) -> bool {
    let (name, direction) = first;
    let ordered = (direction.descends(), !direction.nulls_last());
    let order = (column.descending, column.nulls_first);
    *column.name == *name && (order == ordered || order == (!ordered.0, !ordered.1))
}

fn qualified_name(table: &Table) -> String {
    format!("{}.{}", table.schema, table.name)
}

impl ReadStrategy<'_> {
    /// The strategy for a list under a row rule, as `postern explain` prints it.
    pub fn report(&self, catalog: &Catalog) -> Option<ListStrategy> {
        match &self.rule {
            RuleStrategy::Condition(reason) => reason.clone().map(ListStrategy::Plain),
            RuleStrategy::Memberships(memberships) => Some(ListStrategy::Through {
                table: qualified_name(catalog.table(memberships.membership.table)),
                costs: memberships.costs,
            }),
        }
    }
}

impl Scan<'_> {
    /// Whether it reads a table's stored rows directly.
    fn is_plain(&self) -> bool {
        let kept = matches!(
            self.table().kind,
            TableKind::Table | TableKind::Partitioned | TableKind::Materialized
        );
        kept && matches!(self.origin(), super::ScanSource::Table)
    }
}

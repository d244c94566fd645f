//! Lists under a membership, read from its other end: for each membership of the caller the first rows, of which again
//! the first. Whether that is right, and whether it pays.
//!
//! ```sql
//! FROM members AS m CROSS JOIN LATERAL (
//!   SELECT … FROM t AS _0 WHERE (m.group = _0.group) AND … ORDER BY … LIMIT limit + offset
//! ) AS _0 WHERE (m.user = $1) ORDER BY … LIMIT … OFFSET …
//! ```
//!
//! With the rule as a condition, Postgres walks along the order and leaves out the rows that the rule hides: the fewer
//! are visible, the longer the walk.
//!
//! Conditions that may raise or take time stand outside a fence within the subquery, which then has the rows of one membership
//! of the caller.
//!
//! It is right where a row meets one membership at most, by a key: then the rows of the memberships together are the
//! rows that the rule lets through, each once, and the first of all are among the first of each. Rows that are equal in
//! the order may come otherwise than in the plain form, which does not promise anything about them either.

use super::builder::Builder;
use super::{Expression, PostLimit, Predicate, Scan, Select, Term, Value};
use crate::model::access::Membership;
use crate::postgres::catalog::{Index, IndexColumn, Table, TableKind};
use crate::resolve::MembershipStrategy;
use crate::resolve::selection::Count;
use crate::schema::Direction;
use crate::statement::{CostEstimate, FallbackReason, ListStrategy};

/// What beginning to read at another place of an index costs, in rows read along it: a descent, and starting the
/// subquery anew. Measured: 3 to 7.
const DESCENT: f64 = 5.0;

/// So many times less the new form must cost. The estimate of either is no better than that.
const MARGIN: f64 = 2.0;

/// So many times more than others have paid may those pay who have the most memberships, since everybody else gains.
const MOST: f64 = 4.0;

/// No table has so many rows. Twice as many are more than `LIMIT` takes.
pub(crate) const ENDLESS: u64 = 1 << 62;

/// What a limit in a parameter is taken for where it is a small one, and an offset.
const PAGE: f64 = 20.0;

/// The memberships that rows are read through.
#[derive(Clone, Debug)]
pub struct MembershipScan<'m> {
    /// The rule, taken apart.
    pub membership: &'m Membership,
    /// How many rows of each membership may be among the rows asked for: the limit and the offset, where both are numbers.
    pub rows: Option<u64>,
}

/// What is asked of the table: which columns equal one value, and by what its rows are sorted.
struct Asked<'s> {
    equal: Vec<&'s str>,
    first: (&'s str, Direction),
    rows: Bound,
}

/// How many rows may be among those asked for.
#[derive(Clone, Copy)]
struct Bound {
    /// Where limit and offset are numbers.
    known: Option<u64>,
    /// For the costs: without end where the limit is none.
    expected: f64,
}

impl<'m> Builder<'m> {
    /// Has a list read through the memberships of the caller, where that is right and pays.
    pub(super) fn through_memberships(&self, select: &mut Select<'m>) {
        if !select.scan.filters_rows() || !select.scan.is_plain() {
            return;
        }
        if select.order.is_empty() {
            select.form = Some(ListStrategy::Plain(FallbackReason::Unsorted));
            return;
        }
        let form = match self.choose(select) {
            Ok((through, costs)) => {
                let table = named(self.access().model().table(through.membership.table));
                select.through = Some(through);
                if matches!(select.after, PostLimit::Nothing) {
                    select.after = PostLimit::Join(Vec::new());
                }
                ListStrategy::Through { table, costs }
            }
            Err(why) => ListStrategy::Plain(why),
        };
        select.form = Some(form);
    }

    fn choose(&self, select: &Select<'m>) -> Result<(MembershipScan<'m>, Option<CostEstimate>), FallbackReason> {
        let catalog = self.access().model().catalog();
        let wanted = self.memberships();
        if wanted == MembershipStrategy::Never {
            return Err(FallbackReason::Off);
        }
        let membership = select.scan.rule().membership.as_deref().ok_or(FallbackReason::Rule)?;
        let (table, members) = (select.scan.table(), catalog.table(membership.table));
        if !membership.is_unique(catalog) {
            return Err(FallbackReason::NotUnique(named(members)));
        }
        let asked = asked(select)?;
        let costs = match wanted {
            MembershipStrategy::Always => None,
            _ => Some(costs(membership, table, members, &asked)?),
        };
        Ok((MembershipScan { membership, rows: asked.rows.known }, costs))
    }
}

/// What a list asks for, where its rows may be picked membership by membership.
fn asked<'s>(select: &'s Select<'_>) -> Result<Asked<'s>, FallbackReason> {
    let rows = bounded(select).ok_or(FallbackReason::Limit)?;
    if !select.distinct_on.is_empty() {
        return Err(FallbackReason::Distinct);
    }
    if !select.joins.is_empty() {
        return Err(FallbackReason::Order);
    }
    let sorted: Option<Vec<&str>> = select.order.iter().map(|(by, _)| sorted_by(by)).collect();
    let (first, (_, direction)) =
        sorted.as_deref().and_then(<[_]>::first).zip(select.order.first()).ok_or(FallbackReason::Order)?;
    let equal = select.safe.iter().filter_map(equal_to_one).collect();
    Ok(Asked { equal, first: (first, *direction), rows })
}

/// The limit and the offset, where a statement can hold their sum. Where one is a parameter, the costs are those of a usual
/// page: with more rows the one form comes to cost what sorting all visible rows does, and the other no less.
fn bounded(select: &Select<'_>) -> Option<Bound> {
    let number = |count: &Count| if let Count::Number(number) = count { Some(*number) } else { None };
    let expected = |count: &Count| match count {
        Count::Number(number) => *number as f64,
        Count::Parameter { few: true, .. } => PAGE,
        Count::Parameter { few: false, .. } => f64::INFINITY,
    };
    let limit = select.limits.iter().map(expected).reduce(f64::min)?;
    let offset = select.offset.as_ref().map_or(0.0, expected);
    let counts = || select.limits.iter().chain(&select.offset);
    if counts().filter_map(number).any(|number| number >= ENDLESS) {
        return None;
    }
    let least = select.limits.iter().filter_map(number).min();
    let known = least.map(|least| least + select.offset.as_ref().and_then(number).unwrap_or_default());
    let known = known.filter(|_| counts().all(|count| number(count).is_some()));
    Some(Bound { known, expected: limit + offset })
}

fn sorted_by<'s>(expression: &'s Expression<'_>) -> Option<&'s str> {
    match expression {
        Expression::Compared(term, false) => stored(term),
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

/// The column that a condition binds to one value.
pub(super) fn equal_to_one<'s>(predicate: &'s Predicate<'_>) -> Option<&'s str> {
    match predicate {
        Predicate::Compare(comparison) if comparison.operator.name == "_eq" => stored(&comparison.term),
        _ => None,
    }
}

/// What both forms cost, where the one through memberships costs so much less that it is taken.
fn costs(
    membership: &Membership,
    table: &Table,
    members: &Table,
    asked: &Asked<'_>,
) -> Result<CostEstimate, FallbackReason> {
    let key: Vec<&str> = membership.on.iter().map(|(here, _)| table.column(*here).name.as_str()).collect();
    if table.is_unique(&asked.equal) {
        return Err(FallbackReason::Key);
    }
    if !table.indexes.iter().any(|index| serves(index, &key, asked)) {
        return Err(FallbackReason::Index(key.iter().chain([&asked.first.0]).copied().collect::<Vec<_>>().join(", ")));
    }
    // How many groups the rows of the table fall into, one for each membership that there may be.
    let groups = membership.on.iter().map(|(here, _)| table.values(*here)).product::<Option<f64>>();
    let groups = groups.ok_or_else(|| FallbackReason::Statistics(named(table)))?.min(table.estimated_rows);
    // Of a column that no index holds nothing is known. Without it there are more memberships, so that the new form costs
    // more and not less than is expected; but something has to be known of whose they are.
    let known = || membership.fixed.iter().copied().filter(|column| members.values(*column).is_some());
    if members.estimated_rows <= 0.0 || known().next().is_none() && !membership.fixed.is_empty() {
        return Err(FallbackReason::Statistics(named(members)));
    }
    let callers: f64 = known().filter_map(|column| members.values(column)).product();
    let memberships = (members.estimated_rows / callers).max(1.0);
    let of_most = known().map(|column| members.rows_of_most(column)).reduce(f64::min);
    let most = of_most.unwrap_or(memberships).max(memberships);

    let (all, rows) = (table.estimated_rows, asked.rows.expected.min(table.estimated_rows));
    let group = all / groups;
    let through = |memberships: f64| memberships * (DESCENT + rows.min(group));
    // Along the order until enough visible rows have come by; or all visible rows, sorted.
    let walk = rows * (groups / memberships).max(1.0);
    let walks = table.indexes.iter().any(|index| index.columns.first().is_some_and(|first| goes(first, asked.first)));
    let sort = memberships * (DESCENT + group);
    let plain = if walks { walk.min(sort) } else { sort }.min(all);
    let costs = CostEstimate {
        memberships: memberships.round() as u64,
        most: most.round() as u64,
        plain: plain.round() as u64,
        through: through(memberships).round() as u64,
    };
    match through(memberships) * MARGIN <= plain && through(most) <= plain * MOST {
        true => Ok(costs),
        false => Err(FallbackReason::Costs(costs)),
    }
}

/// Whether an index holds the rows of a membership together, in order: first what the membership and conditions give,
/// then what rows are sorted by.
fn serves(index: &Index, key: &[&str], asked: &Asked<'_>) -> bool {
    let given = |column: &&IndexColumn| key.contains(&&*column.name) || asked.equal.contains(&&*column.name);
    let front = index.columns.iter().take_while(given).count();
    let (front, rest) = index.columns.split_at_checked(front).unwrap_or_default();
    let whole = key.iter().all(|name| front.iter().any(|column| *column.name == **name));
    whole && rest.first().is_some_and(|column| goes(column, asked.first))
}

/// Whether a column of an index has the first that rows are sorted by in its order, or from the other end.
pub(super) fn goes(column: &IndexColumn, first: (&str, Direction)) -> bool {
    let (name, direction) = first;
    let ordered = (direction.descends(), !direction.nulls_last());
    let order = (column.descending, column.nulls_first);
    *column.name == *name && (order == ordered || order == (!ordered.0, !ordered.1))
}

fn named(table: &Table) -> String {
    format!("{}.{}", table.schema, table.name)
}

impl Scan<'_> {
    /// Whether it reads a table as it lies there.
    fn is_plain(&self) -> bool {
        let kept = matches!(self.table().kind, TableKind::Table | TableKind::Partitioned | TableKind::Materialized);
        kept && matches!(self.origin(), super::ScanSource::Table)
    }
}

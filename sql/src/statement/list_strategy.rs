//! How a list is read whose row rule may be a membership, and why. [`crate::plan`] chooses the
//! strategy, and `postern explain` prints it.

use std::fmt;

/// How a list is read whose row rule may be a membership.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ListStrategy {
    /// The first rows of each membership of the caller are read, and the first of those are
    /// returned.
    Through {
        /// The table of the memberships, with its schema.
        table: String,
        /// The estimated costs of both strategies, unless the strategy was forced.
        costs: Option<CostEstimate>,
    },
    /// The rule is a condition on each row.
    Plain(FallbackReason),
}

/// Why a list is read with its rule as a condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FallbackReason {
    /// Reading through memberships is disabled.
    Off,
    /// The rule contains no membership.
    Rule,
    /// No key guarantees that a row matches at most one membership of a caller.
    NotUnique(String),
    /// There is no limit, or one too large for a statement.
    Limit,
    /// Rows are not sorted.
    Unsorted,
    /// Rows are not sorted by stored columns of the table alone.
    Order,
    /// The list has `DISTINCT ON`.
    Distinct,
    /// A key selects at most one row.
    Key,
    /// No index starts with the membership's columns and continues with the leading column of the
    /// order.
    Index(String),
    /// The table has no readable statistics: it was never analyzed, or they may not be read.
    Statistics(String),
    /// The membership strategy is not cheaper by a sufficient factor.
    Costs(CostEstimate),
}

/// The estimated costs of both strategies, in rows examined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CostEstimate {
    /// The average number of memberships of a caller.
    pub memberships: u64,
    /// The number of memberships of the caller who has most.
    pub most: u64,
    /// The cost with the rule as a condition.
    pub plain: u64,
    /// The cost through the memberships.
    pub through: u64,
}

impl fmt::Display for ListStrategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ListStrategy::Through {
                table,
                costs: Some(costs),
            } => write!(f, "through {table}: {costs}"),
            ListStrategy::Through { table, costs: None } => {
                write!(f, "through {table}, as was asked for")
            }
            ListStrategy::Plain(why) => write!(f, "with the rule as a condition: {why}"),
        }
    }
}

impl fmt::Display for FallbackReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FallbackReason::Off => f.write_str("the other form is switched off"),
            FallbackReason::Rule => f.write_str(
                "it is not, or holds not as one of its conjuncts, an EXISTS over one table",
            ),
            FallbackReason::NotUnique(table) => {
                write!(
                    f,
                    "several rows of {table} may match one row: the rule compares no unique key of it"
                )
            }
            FallbackReason::Limit => f.write_str("there is no limit, or one beyond all bounds"),
            FallbackReason::Order => {
                f.write_str("rows are not sorted by stored columns of the table")
            }
            FallbackReason::Unsorted => f.write_str("rows are not sorted"),
            FallbackReason::Distinct => {
                f.write_str("of rows that are equal in some columns one is picked")
            }
            FallbackReason::Key => f.write_str("a key picks one row"),
            FallbackReason::Index(columns) => write!(f, "no index is over ({columns})"),
            FallbackReason::Statistics(table) => {
                write!(
                    f,
                    "nothing is known of how the rows of {table} are spread: it was not \
                           analyzed, or its statistics are hidden"
                )
            }
            FallbackReason::Costs(costs) => write!(f, "{costs}"),
        }
    }
}

impl fmt::Display for CostEstimate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let CostEstimate {
            memberships,
            most,
            plain,
            through,
        } = self;
        write!(
            f,
            "of {memberships} memberships a caller ({most} at most), {through} rows are \
                   looked at; else {plain}"
        )
    }
}

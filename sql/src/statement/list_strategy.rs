//! In which of two forms a list under a membership is read, and why: for `postern explain`.

use std::fmt;

/// The form of a list whose row rule may be a membership.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ListStrategy {
    /// For each membership of the caller the first rows, of which again the first.
    Through {
        /// The table of the memberships, with its schema.
        table: String,
        /// What both forms cost, unless the form was asked for.
        costs: Option<CostEstimate>,
    },
    /// The rule as a condition on each row.
    Plain(FallbackReason),
}

/// Why a list is read with its rule as a condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FallbackReason {
    /// The other form is switched off.
    Off,
    /// The rule holds no membership.
    Rule,
    /// No key says that a row meets one membership of a caller at most.
    NotUnique(String),
    /// There is no limit, or none that a statement can hold.
    Limit,
    /// Rows are not sorted.
    Unsorted,
    /// Rows are not sorted by stored columns of the table alone.
    Order,
    /// Of rows that are equal in some columns one is picked.
    Distinct,
    /// The rows asked for are one, by a key.
    Key,
    /// No index begins with what the membership gives and goes on with what rows are sorted by.
    Index(String),
    /// Nothing is known of how the rows of a table are spread: it was never analyzed, or its statistics may not be read.
    Statistics(String),
    /// It would not cost less by enough.
    Costs(CostEstimate),
}

/// What is expected of both forms, in rows that are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CostEstimate {
    /// The memberships of a caller.
    pub memberships: u64,
    /// Those of the caller who has most.
    pub most: u64,
    /// With the rule as a condition.
    pub plain: u64,
    /// Through the memberships.
    pub through: u64,
}

impl fmt::Display for ListStrategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ListStrategy::Through { table, costs: Some(costs) } => write!(f, "through {table}: {costs}"),
            ListStrategy::Through { table, costs: None } => write!(f, "through {table}, as was asked for"),
            ListStrategy::Plain(why) => write!(f, "with the rule as a condition: {why}"),
        }
    }
}

impl fmt::Display for FallbackReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FallbackReason::Off => f.write_str("the other form is switched off"),
            FallbackReason::Rule => {
                f.write_str("it is not, or holds not as one of its conjuncts, an EXISTS over one table")
            }
            FallbackReason::NotUnique(table) => {
                write!(f, "no key of {table} says that a row meets one of them at most")
            }
            FallbackReason::Limit => f.write_str("there is no limit, or one beyond all bounds"),
            FallbackReason::Order => f.write_str("rows are not sorted by stored columns of the table"),
            FallbackReason::Unsorted => f.write_str("rows are not sorted"),
            FallbackReason::Distinct => f.write_str("of rows that are equal in some columns one is picked"),
            FallbackReason::Key => f.write_str("a key picks one row"),
            FallbackReason::Index(columns) => write!(f, "no index is over ({columns})"),
            FallbackReason::Statistics(table) => write!(
                f,
                "nothing is known of how the rows of {table} are spread: it was not analyzed, or its statistics are hidden"
            ),
            FallbackReason::Costs(costs) => write!(f, "{costs}"),
        }
    }
}

impl fmt::Display for CostEstimate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let CostEstimate { memberships, most, plain, through } = self;
        write!(f, "of {memberships} memberships a caller ({most} at most), {through} rows are looked at; else {plain}")
    }
}

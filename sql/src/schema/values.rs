//! The types that do not depend on tables: directions, count modes, quantifiers, the fields of
//! `PageInfo`.

use super::Spelling;
use crate::model::named_enum::named_enum;

named_enum! {
    /// The six directions of `order_by`.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum Direction by name {
        /// `asc`: nulls last.
        Asc = "asc",
        /// `asc_nulls_first`
        AscNullsFirst = "asc_nulls_first",
        /// `asc_nulls_last`
        AscNullsLast = "asc_nulls_last",
        /// `desc`: nulls first.
        Desc = "desc",
        /// `desc_nulls_first`
        DescNullsFirst = "desc_nulls_first",
        /// `desc_nulls_last`
        DescNullsLast = "desc_nulls_last",
    }
}

impl Direction {
    /// The opposite direction.
    pub fn reversed(self) -> Direction {
        match self {
            Direction::Asc | Direction::AscNullsLast => Direction::Desc,
            Direction::AscNullsFirst => Direction::DescNullsLast,
            Direction::Desc | Direction::DescNullsFirst => Direction::Asc,
            Direction::DescNullsLast => Direction::AscNullsFirst,
        }
    }

    /// Whether greater values come first.
    pub fn descends(self) -> bool {
        matches!(
            self,
            Direction::Desc | Direction::DescNullsFirst | Direction::DescNullsLast
        )
    }

    /// Whether nulls come last.
    pub fn nulls_last(self) -> bool {
        matches!(
            self,
            Direction::Asc | Direction::AscNullsLast | Direction::DescNullsLast
        )
    }

    /// The direction with that name.
    pub fn find(spelling: Spelling, name: &str) -> Option<Direction> {
        Self::ALL
            .iter()
            .find(|(_, word)| spelling.is_value(word, name))
            .map(|(direction, _)| *direction)
    }
}

/// The orders of a stream, with their directions. They are written in capitals in every spelling,
/// as in Hasura.
pub const CURSOR_ORDERINGS: [(&str, Direction); 2] =
    [("ASC", Direction::Asc), ("DESC", Direction::Desc)];

named_enum! {
    /// How rows are counted.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    pub enum CountMode by name {
        /// By the planner's estimate if it is large, otherwise exactly.
        Estimated = "estimated",
        /// Exactly.
        #[default]
        Exact = "exact",
        /// By the planner's estimate.
        Planned = "planned",
    }
}

impl CountMode {
    /// The mode with that name.
    pub fn find(spelling: Spelling, name: &str) -> Option<CountMode> {
        Self::ALL
            .iter()
            .find(|(_, word)| spelling.is_value(word, name))
            .map(|(mode, _)| *mode)
    }
}

named_enum! {
    /// How many related rows must pass a condition.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum Quantifier by name {
        /// At least one.
        Some = "_some",
        /// All, which is true if there are none.
        Every = "_every",
        /// None.
        None = "_none",
    }
}

/// The fields of `PageInfo`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Info {
    /// `hasNextPage`
    HasNext,
    /// `hasPreviousPage`
    HasPrevious,
    /// `startCursor`
    Start,
    /// `endCursor`
    End,
}

/// The unit that timestamps and dates are truncated to for grouping.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Bucket {
    /// `MINUTE`
    Minute,
    /// `HOUR`
    Hour,
    /// `DAY`
    Day,
    /// `WEEK`, which starts on Monday.
    Week,
    /// `MONTH`
    Month,
    /// `QUARTER`
    Quarter,
    /// `YEAR`
    Year,
}

impl Bucket {
    /// Every bucket with its name.
    pub const ALL: [(Bucket, &'static str); 7] = [
        (Bucket::Minute, "MINUTE"),
        (Bucket::Hour, "HOUR"),
        (Bucket::Day, "DAY"),
        (Bucket::Week, "WEEK"),
        (Bucket::Month, "MONTH"),
        (Bucket::Quarter, "QUARTER"),
        (Bucket::Year, "YEAR"),
    ];

    /// The bucket with that name.
    pub fn find(name: &str) -> Option<Bucket> {
        Self::ALL
            .iter()
            .find(|(_, word)| *word == name)
            .map(|(bucket, _)| *bucket)
    }
}

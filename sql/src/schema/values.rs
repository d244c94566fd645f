//! What does not depend on tables: orders, ways of counting, quantifiers, the fields of `PageInfo`, GraphQL's own scalars.

use super::{BuiltIn, Spelling};

/// The six orders.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// `asc`: nulls last.
    Asc,
    /// `asc_nulls_first`
    AscNullsFirst,
    /// `asc_nulls_last`
    AscNullsLast,
    /// `desc`: nulls first.
    Desc,
    /// `desc_nulls_first`
    DescNullsFirst,
    /// `desc_nulls_last`
    DescNullsLast,
}

impl Direction {
    /// Every order, with its name.
    pub const ALL: [(Direction, &'static str); 6] = [
        (Direction::Asc, "asc"),
        (Direction::AscNullsFirst, "asc_nulls_first"),
        (Direction::AscNullsLast, "asc_nulls_last"),
        (Direction::Desc, "desc"),
        (Direction::DescNullsFirst, "desc_nulls_first"),
        (Direction::DescNullsLast, "desc_nulls_last"),
    ];

    /// The opposite order.
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
        matches!(self, Direction::Desc | Direction::DescNullsFirst | Direction::DescNullsLast)
    }

    /// Whether nulls come last.
    pub fn nulls_last(self) -> bool {
        matches!(self, Direction::Asc | Direction::AscNullsLast | Direction::DescNullsLast)
    }

    /// The order of that name.
    pub fn find(spelling: Spelling, name: &str) -> Option<Direction> {
        Self::ALL.iter().find(|(_, word)| spelling.is_value(word, name)).map(|(direction, _)| *direction)
    }
}

/// How rows are counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum CountMode {
    /// One by one.
    #[default]
    Exact,
    /// As Postgres' planner estimates it.
    Planned,
    /// By the planner's estimate where that is large, else one by one.
    Estimated,
}

impl CountMode {
    /// Every mode, with its name.
    pub const ALL: [(CountMode, &'static str); 3] =
        [(CountMode::Estimated, "estimated"), (CountMode::Exact, "exact"), (CountMode::Planned, "planned")];

    /// The mode of that name.
    pub fn find(spelling: Spelling, name: &str) -> Option<CountMode> {
        Self::ALL.iter().find(|(_, word)| spelling.is_value(word, name)).map(|(mode, _)| *mode)
    }
}

/// Of how many related rows a condition has to hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Quantifier {
    /// `_some`: of one at least.
    Some,
    /// `_every`: of each, so also where there are none.
    Every,
    /// `_none`: of none.
    None,
}

impl Quantifier {
    /// Every one, with its word.
    pub const ALL: [(Quantifier, &'static str); 3] =
        [(Quantifier::Some, "_some"), (Quantifier::Every, "_every"), (Quantifier::None, "_none")];
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

impl BuiltIn {
    /// Every one, with its name.
    pub const ALL: [(BuiltIn, &'static str); 5] = [
        (BuiltIn::Int, "Int"),
        (BuiltIn::Float, "Float"),
        (BuiltIn::String, "String"),
        (BuiltIn::Boolean, "Boolean"),
        (BuiltIn::Id, "ID"),
    ];
}

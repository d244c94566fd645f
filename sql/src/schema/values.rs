//! The types that do not depend on tables: directions, count modes, quantifiers, the fields of `PageInfo`, and
//! GraphQL's built-in scalars.

use super::{BuiltIn, Spelling};

/// The six directions of `order_by`.
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
    /// Every direction with its name.
    pub const ALL: [(Direction, &'static str); 6] = [
        (Direction::Asc, "asc"),
        (Direction::AscNullsFirst, "asc_nulls_first"),
        (Direction::AscNullsLast, "asc_nulls_last"),
        (Direction::Desc, "desc"),
        (Direction::DescNullsFirst, "desc_nulls_first"),
        (Direction::DescNullsLast, "desc_nulls_last"),
    ];

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
        matches!(self, Direction::Desc | Direction::DescNullsFirst | Direction::DescNullsLast)
    }

    /// Whether nulls come last.
    pub fn nulls_last(self) -> bool {
        matches!(self, Direction::Asc | Direction::AscNullsLast | Direction::DescNullsLast)
    }

    /// The direction with that name.
    pub fn find(spelling: Spelling, name: &str) -> Option<Direction> {
        Self::ALL.iter().find(|(_, word)| spelling.is_value(word, name)).map(|(direction, _)| *direction)
    }
}

/// How rows are counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum CountMode {
    /// Exactly.
    #[default]
    Exact,
    /// By the planner's estimate.
    Planned,
    /// By the planner's estimate if it is large, otherwise exactly.
    Estimated,
}

impl CountMode {
    /// Every mode with its name.
    pub const ALL: [(CountMode, &'static str); 3] =
        [(CountMode::Estimated, "estimated"), (CountMode::Exact, "exact"), (CountMode::Planned, "planned")];

    /// The mode with that name.
    pub fn find(spelling: Spelling, name: &str) -> Option<CountMode> {
        Self::ALL.iter().find(|(_, word)| spelling.is_value(word, name)).map(|(mode, _)| *mode)
    }
}

/// How many related rows must pass a condition.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Quantifier {
    /// `_some`: at least one.
    Some,
    /// `_every`: all, which is true if there are none.
    Every,
    /// `_none`: none.
    None,
}

impl Quantifier {
    /// Every quantifier with its name.
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
    /// Every scalar with its name.
    pub const ALL: [(BuiltIn, &'static str); 5] = [
        (BuiltIn::Int, "Int"),
        (BuiltIn::Float, "Float"),
        (BuiltIn::String, "String"),
        (BuiltIn::Boolean, "Boolean"),
        (BuiltIn::Id, "ID"),
    ];
}

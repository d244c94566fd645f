//! The aggregate functions over a column, in one table.

use crate::types::Scalar;

/// Aggregate functions over a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Function {
    /// `avg`
    Avg,
    /// `max`
    Max,
    /// `min`
    Min,
    /// `stddev`
    Stddev,
    /// `stddev_pop`
    StddevPop,
    /// `stddev_samp`
    StddevSamp,
    /// `sum`
    Sum,
    /// `var_pop`
    VarPop,
    /// `var_samp`
    VarSamp,
    /// `variance`
    Variance,
}

impl Function {
    /// Every function, with its name, in the order of the schema.
    pub const ALL: [(Function, &'static str); 10] = [
        (Function::Avg, "avg"),
        (Function::Max, "max"),
        (Function::Min, "min"),
        (Function::Stddev, "stddev"),
        (Function::StddevPop, "stddev_pop"),
        (Function::StddevSamp, "stddev_samp"),
        (Function::Sum, "sum"),
        (Function::VarPop, "var_pop"),
        (Function::VarSamp, "var_samp"),
        (Function::Variance, "variance"),
    ];

    /// Its name in GraphQL and in Postgres.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(function, _)| *function == self).map_or("", |(_, name)| name)
    }

    /// Whether it finds one of the values, rather than computing a new one.
    pub fn is_extreme(self) -> bool {
        matches!(self, Function::Min | Function::Max)
    }

    /// Whether it applies to columns of a type.
    pub fn takes(self, scalar: &Scalar) -> bool {
        if self.is_extreme() { scalar.extreme.is_some() } else { scalar.numeric }
    }
}

//! The aggregate functions, and what conditions on aggregates compare: a table of each.

use crate::postgres::types::Scalar;

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
    /// `bool_and`, in conditions alone.
    BoolAnd,
    /// `bool_or`, in conditions alone.
    BoolOr,
    /// `corr` of two columns, in conditions alone.
    Corr,
    /// `covar_samp` of two columns, in conditions alone.
    CovarSamp,
}

/// What conditions on aggregates compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ConditionAggregate {
    /// `count`
    Count,
    /// An aggregate function over a column, or over two.
    Function(Function),
}

impl Function {
    /// The functions that can be asked for, with their names, in the order of the schema.
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

    /// The functions that conditions alone know, with their names.
    pub const CONDITIONS: [(Function, &'static str); 4] = [
        (Function::BoolAnd, "bool_and"),
        (Function::BoolOr, "bool_or"),
        (Function::Corr, "corr"),
        (Function::CovarSamp, "covar_samp"),
    ];

    /// Every function, with its name.
    pub fn all() -> impl Iterator<Item = (Function, &'static str)> {
        Self::ALL.into_iter().chain(Self::CONDITIONS)
    }

    /// Its name in GraphQL, in the permission file and in Postgres.
    pub fn name(self) -> &'static str {
        Self::all().find(|(function, _)| *function == self).map_or("", |(_, name)| name)
    }

    /// Whether it goes over two columns.
    pub fn is_binary(self) -> bool {
        matches!(self, Function::Corr | Function::CovarSamp)
    }

    /// Whether its result is a Boolean.
    pub fn is_boolean(self) -> bool {
        matches!(self, Function::BoolAnd | Function::BoolOr)
    }

    /// Whether it finds one of the values, rather than computing a new one.
    pub fn is_extreme(self) -> bool {
        matches!(self, Function::Min | Function::Max)
    }

    /// Whether it applies to columns of a type.
    pub fn applies_to(self, scalar: &Scalar) -> bool {
        match self {
            _ if self.is_extreme() => scalar.extreme.is_some(),
            _ if self.is_boolean() => scalar.is_boolean(),
            _ => scalar.numeric,
        }
    }
}

impl ConditionAggregate {
    /// What conditions on aggregates compare, with the words for it, in the order of the schema.
    pub const ALL: [(ConditionAggregate, &'static str); 11] = [
        (ConditionAggregate::Function(Function::Avg), "avg"),
        (ConditionAggregate::Function(Function::BoolAnd), "bool_and"),
        (ConditionAggregate::Function(Function::BoolOr), "bool_or"),
        (ConditionAggregate::Function(Function::Corr), "corr"),
        (ConditionAggregate::Count, "count"),
        (ConditionAggregate::Function(Function::CovarSamp), "covar_samp"),
        (ConditionAggregate::Function(Function::Max), "max"),
        (ConditionAggregate::Function(Function::Min), "min"),
        (ConditionAggregate::Function(Function::StddevSamp), "stddev_samp"),
        (ConditionAggregate::Function(Function::Sum), "sum"),
        (ConditionAggregate::Function(Function::VarSamp), "var_samp"),
    ];

    /// Its word.
    pub fn name(self) -> &'static str {
        match self {
            ConditionAggregate::Count => "count",
            ConditionAggregate::Function(function) => function.name(),
        }
    }

    /// Whether it applies to columns of a type. All of them that go over numbers are compared as numbers, so of the
    /// extremes only those of numbers can be.
    pub fn applies_to(self, scalar: &Scalar) -> bool {
        match self {
            ConditionAggregate::Count => true,
            ConditionAggregate::Function(function) if function.is_boolean() => scalar.is_boolean(),
            ConditionAggregate::Function(_) => scalar.numeric,
        }
    }
}

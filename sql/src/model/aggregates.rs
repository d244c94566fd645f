//! Two tables: the aggregate functions, and the aggregates that conditions can compare.
//!
//! The schema, the resolver and the renderer take names and applicable types from here.

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
    /// `bool_and`, only in conditions.
    BoolAnd,
    /// `bool_or`, only in conditions.
    BoolOr,
    /// `corr` of two columns, only in conditions.
    Corr,
    /// `covar_samp` of two columns, only in conditions.
    CovarSamp,
}

/// An aggregate that a condition can compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum ConditionAggregate {
    /// `count`
    Count,
    /// An aggregate function over one column, or over two.
    Function(Function),
}

impl Function {
    /// The functions that can be selected, with their names, in schema order.
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

    /// The functions that are available only in conditions, with their names.
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

    /// The name in GraphQL, in the permission file and in Postgres.
    pub fn name(self) -> &'static str {
        Self::all().find(|(function, _)| *function == self).map_or("", |(_, name)| name)
    }

    /// Whether it takes two columns.
    pub fn is_binary(self) -> bool {
        matches!(self, Function::Corr | Function::CovarSamp)
    }

    /// Whether its result is a Boolean.
    pub fn is_boolean(self) -> bool {
        matches!(self, Function::BoolAnd | Function::BoolOr)
    }

    /// Whether the result is one of the values, rather than a computed one.
    pub fn is_extreme(self) -> bool {
        matches!(self, Function::Min | Function::Max)
    }

    /// Whether it applies to columns of a type.
    pub fn applies_to(self, scalar: &Scalar) -> bool {
        match self {
            _ if self.is_extreme() => scalar.min_max.is_some(),
            _ if self.is_boolean() => scalar.is_boolean(),
            _ => scalar.numeric,
        }
    }
}

impl ConditionAggregate {
    /// Every aggregate that a condition can compare, with its name, in schema order.
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

    /// The name in GraphQL.
    pub fn name(self) -> &'static str {
        match self {
            ConditionAggregate::Count => "count",
            ConditionAggregate::Function(function) => function.name(),
        }
    }

    /// Whether it applies to columns of a type. Conditions compare the results of numeric aggregates as numbers, so
    /// `min` and `max` apply only to numeric columns here.
    pub fn applies_to(self, scalar: &Scalar) -> bool {
        match self {
            ConditionAggregate::Count => true,
            ConditionAggregate::Function(function) if function.is_boolean() => scalar.is_boolean(),
            ConditionAggregate::Function(_) => scalar.numeric,
        }
    }
}

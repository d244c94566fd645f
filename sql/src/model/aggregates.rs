//! The aggregate functions, and the aggregates that conditions can compare.
//!
//! The schema, the resolver and the renderer take names, applicable types and results from here.

use std::sync::LazyLock;

use crate::model::named_enum::named_enum;
use crate::postgres::encoder::Encoder;
use crate::postgres::types::{Cast, Output, Scalar};

named_enum! {
    /// Aggregate functions over columns, by their names in GraphQL, in the permission file and in
    /// Postgres.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub enum Function by name {
        /// `avg`
        Avg = "avg",
        /// `max`
        Max = "max",
        /// `min`
        Min = "min",
        /// `stddev`
        Stddev = "stddev",
        /// `stddev_pop`
        StddevPop = "stddev_pop",
        /// `stddev_samp`
        StddevSamp = "stddev_samp",
        /// `sum`
        Sum = "sum",
        /// `var_pop`
        VarPop = "var_pop",
        /// `var_samp`
        VarSamp = "var_samp",
        /// `variance`
        Variance = "variance",
        /// `bool_and`
        BoolAnd = "bool_and",
        /// `bool_or`
        BoolOr = "bool_or",
        /// `corr`
        Corr = "corr",
        /// `covar_samp`
        CovarSamp = "covar_samp",
    }
}

/// Where a function is offered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Usage {
    /// It can be selected, and its result is an order.
    Selected,
    /// Conditions compare it.
    Compared,
    /// Both.
    Everywhere,
}

/// The result of a function, which decides the columns that it applies to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FunctionResult {
    /// The greatest value.
    Greatest,
    /// The least value.
    Least,
    /// A sum of numbers, in Postgres' type for sums.
    Sum,
    /// A number computed of numbers: `float8` of floats, `numeric` of others.
    Statistic,
    /// A Boolean computed of Booleans.
    Boolean,
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
    pub fn selected() -> impl Iterator<Item = (Function, &'static str)> {
        Self::ALL
            .into_iter()
            .filter(|(function, _)| function.usage() != Usage::Compared)
    }

    fn usage(self) -> Usage {
        match self {
            Function::Stddev | Function::StddevPop | Function::VarPop | Function::Variance => {
                Usage::Selected
            }
            Function::BoolAnd | Function::BoolOr | Function::Corr | Function::CovarSamp => {
                Usage::Compared
            }
            Function::Avg
            | Function::Max
            | Function::Min
            | Function::StddevSamp
            | Function::Sum
            | Function::VarSamp => Usage::Everywhere,
        }
    }

    /// Its result.
    pub fn result(self) -> FunctionResult {
        match self {
            Function::Max => FunctionResult::Greatest,
            Function::Min => FunctionResult::Least,
            Function::Sum => FunctionResult::Sum,
            Function::Avg
            | Function::Stddev
            | Function::StddevPop
            | Function::StddevSamp
            | Function::VarPop
            | Function::VarSamp
            | Function::Variance
            | Function::Corr
            | Function::CovarSamp => FunctionResult::Statistic,
            Function::BoolAnd | Function::BoolOr => FunctionResult::Boolean,
        }
    }

    /// Whether it takes two columns.
    pub fn is_binary(self) -> bool {
        match self {
            Function::Corr | Function::CovarSamp => true,
            Function::Avg
            | Function::Max
            | Function::Min
            | Function::Stddev
            | Function::StddevPop
            | Function::StddevSamp
            | Function::Sum
            | Function::VarPop
            | Function::VarSamp
            | Function::Variance
            | Function::BoolAnd
            | Function::BoolOr => false,
        }
    }

    /// Whether its result is a Boolean.
    pub fn is_boolean(self) -> bool {
        self.result() == FunctionResult::Boolean
    }

    /// Whether the result is one of the values, rather than a computed one.
    pub fn is_extreme(self) -> bool {
        matches!(
            self.result(),
            FunctionResult::Greatest | FunctionResult::Least
        )
    }

    /// How its result over a column is sent: minimum and maximum like the column, sums and the rest
    /// by Postgres' result types.
    /// <https://www.postgresql.org/docs/current/functions-aggregate.html>
    pub fn output(self, scalar: &Scalar, stringify_numbers: bool) -> Output {
        let stringified = |output: Output| {
            if stringify_numbers {
                output.stringified()
            } else {
                output
            }
        };
        let encoder = match (self.result(), scalar.output.encoder.below()) {
            (FunctionResult::Greatest | FunctionResult::Least, _) => {
                return stringified(scalar.output.clone());
            }
            (FunctionResult::Boolean, _) => Encoder::Bool,
            (FunctionResult::Sum, Encoder::Int2 | Encoder::Int4) => Encoder::Int8,
            (FunctionResult::Sum, Encoder::Float4) => Encoder::Float4,
            (
                FunctionResult::Sum | FunctionResult::Statistic,
                Encoder::Float4 | Encoder::Float8,
            ) => Encoder::Float8,
            // These functions apply to numbers alone, so `smallint`, `integer`, `bigint` and
            // `numeric` are left.
            (FunctionResult::Sum | FunctionResult::Statistic, _) => Encoder::Numeric,
        };
        let output = Output {
            cast: Cast::None,
            encoder,
        };
        // Hasura sends the aggregates of these column types as numbers, even where others become
        // strings.
        match scalar.output.encoder.below() {
            Encoder::Int2 | Encoder::Int4 | Encoder::Float4 => output,
            _ => stringified(output),
        }
    }

    /// Whether it applies to columns of a type.
    pub fn applies_to(self, scalar: &Scalar) -> bool {
        match self.result() {
            FunctionResult::Greatest | FunctionResult::Least => scalar.min_max.is_some(),
            FunctionResult::Boolean => scalar.is_boolean(),
            FunctionResult::Sum | FunctionResult::Statistic => scalar.numeric,
        }
    }
}

impl ConditionAggregate {
    /// Every aggregate that a condition can compare, with its name, in schema order, which is that
    /// of the names.
    pub fn all() -> impl Iterator<Item = (ConditionAggregate, &'static str)> {
        static ALL: LazyLock<Vec<(ConditionAggregate, &'static str)>> = LazyLock::new(|| {
            let compared = Function::ALL
                .into_iter()
                .filter(|(function, _)| function.usage() != Usage::Selected);
            let functions = compared.map(|(function, _)| ConditionAggregate::Function(function));
            let mut all: Vec<_> = functions
                .chain([ConditionAggregate::Count])
                .map(|of| (of, of.name()))
                .collect();
            all.sort_unstable_by_key(|(_, name)| *name);
            all
        });
        ALL.iter().copied()
    }

    /// The name in GraphQL.
    pub fn name(self) -> &'static str {
        match self {
            ConditionAggregate::Count => "count",
            ConditionAggregate::Function(function) => function.name(),
        }
    }

    /// Whether it applies to columns of a type. Conditions compare the results of numeric
    /// aggregates as numbers, so `min` and `max` apply only to numeric columns here.
    pub fn applies_to(self, scalar: &Scalar) -> bool {
        match self {
            ConditionAggregate::Count => true,
            ConditionAggregate::Function(function) if function.is_boolean() => scalar.is_boolean(),
            ConditionAggregate::Function(_) => scalar.numeric,
        }
    }
}

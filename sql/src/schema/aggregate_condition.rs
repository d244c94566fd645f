//! The input types of conditions on aggregates: `t_aggregate_bool_exp` and its helper types, in
//! `where` and in `having`.
//!
//! The names and types are Hasura's. Numbers are compared as `float8`, whatever their column's
//! type.

use super::*;

/// The types that aggregates are compared as; every catalog contains them.
const INT4: Oid = 23;
const BOOL: Oid = 16;
const FLOAT8: Oid = 701;

impl<'a> Schema<'a> {
    /// The aggregates of a table that conditions may compare, with their names.
    pub(super) fn measures(&self, table: TableId) -> Vec<(ConditionAggregate, &'static str)> {
        if !self.may_aggregate(table) {
            return Vec::new();
        }
        let offered = |measure| match measure {
            ConditionAggregate::Count => self.may_count(table),
            measure => !self.measure_columns(table, measure).is_empty(),
        };
        ConditionAggregate::all()
            .filter(|(measure, _)| offered(*measure))
            .collect()
    }

    /// The columns that an aggregate may be applied to.
    pub(super) fn measure_columns(
        &self,
        table: TableId,
        measure: ConditionAggregate,
    ) -> Vec<(ColumnId, &'a str)> {
        match measure {
            ConditionAggregate::Count => self.count_columns(table),
            ConditionAggregate::Function(function) => {
                let mut columns = self.columns(table);
                columns.retain(|(column, _)| {
                    measure.applies_to(&self.column_scalar(table, *column))
                        && self.allows(table, function, *column)
                });
                columns
            }
        }
    }

    /// The comparison input of an aggregate's result.
    pub fn measure_comparison(&self, table: TableId, measure: ConditionAggregate) -> Comparison {
        let r#type = match measure {
            ConditionAggregate::Count => INT4,
            ConditionAggregate::Function(function) if function.is_boolean() => BOOL,
            ConditionAggregate::Function(_) => FLOAT8,
        };
        Comparison {
            r#type,
            deterministic: true,
            spelling: self.spelling(table),
            modifier: None,
            of: None,
        }
    }

    /// The comparison input, or its scalar, with that name, if an aggregate of the role is compared
    /// with it.
    pub(super) fn measure_operand(&self, name: &str) -> Option<TypeKey> {
        let comparisons = [INT4, BOOL, FLOAT8].into_iter().flat_map(|r#type| {
            Spelling::ALL.map(|spelling| Comparison {
                r#type,
                deterministic: true,
                spelling,
                modifier: None,
                of: None,
            })
        });
        let named = comparisons.filter_map(|comparison| {
            let input = TypeKey::Input(InputObject::Comparison(comparison));
            let scalar = TypeKey::Scalar(comparison.r#type);
            let named = [input, scalar]
                .into_iter()
                .find(|named| self.name(*named) == name)?;
            Some((comparison, named))
        });
        let compared = |wanted: Comparison| {
            let compares = |table| {
                let mut measures = self.measures(table).into_iter();
                measures.any(|(measure, _)| self.measure_comparison(table, measure) == wanted)
            };
            self.readable().any(|(exposed, _)| {
                exposed.spelling() == wanted.spelling && compares(exposed.table)
            })
        };
        named
            .into_iter()
            .find(|(comparison, _)| compared(*comparison))
            .map(|(_, named)| named)
    }

    /// `count: t_aggregate_bool_exp_count` and so on.
    pub(super) fn measure_fields(&self, table: TableId) -> impl Iterator<Item = InputField<'a>> {
        let spelling = self.spelling(table);
        self.measures(table)
            .into_iter()
            .map(move |(measure, word)| InputField {
                name: spelling.field(word),
                r#type: TypeRef::nullable(TypeKey::Input(InputObject::Measured(table, measure))),
                meaning: InputMeaning::Measure(measure),
            })
    }

    /// The fields `arguments`, `distinct`, `filter` and `predicate`.
    pub(super) fn measured_fields(
        &self,
        table: TableId,
        measure: ConditionAggregate,
    ) -> Vec<InputField<'a>> {
        let field = |name, r#type, meaning| InputField {
            name,
            r#type,
            meaning,
        };
        let arguments = match measure {
            ConditionAggregate::Count => self
                .counted(table)
                .map(|columns| TypeRef::list(TypeKey::Enum(columns))),
            ConditionAggregate::Function(function) if function.is_binary() => Some(
                TypeRef::required(TypeKey::Input(InputObject::MeasuredPair(table, function))),
            ),
            measure => Some(TypeRef::required(TypeKey::Enum(Enum::MeasureColumn(
                table, measure,
            )))),
        };
        let boolean = TypeRef::nullable(TypeKey::BuiltIn(BuiltIn::Boolean));
        let condition = TypeRef::nullable(TypeKey::Input(InputObject::BoolExp(table)));
        let comparison = TypeKey::Input(InputObject::Comparison(
            self.measure_comparison(table, measure),
        ));
        let distinct = arguments.map(|_| field("distinct", boolean, InputMeaning::Distinct));
        let arguments = arguments.map(|r#type| field("arguments", r#type, InputMeaning::Arguments));
        let rest = [
            field("filter", condition, InputMeaning::Filter),
            field(
                "predicate",
                TypeRef::required(comparison),
                InputMeaning::Predicate,
            ),
        ];
        arguments.into_iter().chain(distinct).chain(rest).collect()
    }

    /// The fields `X` and `Y`: the columns of a function with two arguments.
    pub(super) fn pair_fields(&self, table: TableId, function: Function) -> Vec<InputField<'a>> {
        let column = TypeRef::required(TypeKey::Enum(Enum::MeasureColumn(
            table,
            ConditionAggregate::Function(function),
        )));
        let field = |name, meaning| InputField {
            name,
            r#type: column,
            meaning,
        };
        vec![
            field("X", InputMeaning::First),
            field("Y", InputMeaning::Second),
        ]
    }

    /// `t_select_column_t_aggregate_bool_exp_bool_and_arguments_columns`
    pub(super) fn measure_column_name(
        &self,
        table: TableId,
        measure: ConditionAggregate,
    ) -> String {
        let Some(exposed) = self.model.exposed(table) else {
            return String::new();
        };
        let columns = exposed.helper(&format!(
            "aggregate_bool_exp_{}_arguments_columns",
            measure.name()
        ));
        let between = if exposed.spelling() == Spelling::Snake {
            "_"
        } else {
            ""
        };
        format!("{}{between}{columns}", exposed.helper("select_column"))
    }

    /// The helper type of conditions on aggregates with that name.
    pub(super) fn measure_type(&self, name: &str) -> Option<TypeKey> {
        self.readable().find_map(|(exposed, _)| {
            let table = exposed.table;
            // The prefix excludes most names cheaply.
            name.strip_prefix(&exposed.types)?;
            self.measures(table).into_iter().find_map(|(measure, _)| {
                let function = if let ConditionAggregate::Function(function) = measure {
                    Some(function)
                } else {
                    None
                };
                let pair = function.filter(|function| function.is_binary());
                let pair =
                    pair.map(|function| TypeKey::Input(InputObject::MeasuredPair(table, function)));
                let columns = function.map(|_| TypeKey::Enum(Enum::MeasureColumn(table, measure)));
                let all = [
                    Some(TypeKey::Input(InputObject::Measured(table, measure))),
                    pair,
                    columns,
                ];
                all.into_iter()
                    .flatten()
                    .find(|named| self.name(*named) == name)
            })
        })
    }
}

//! Resolves conditions on aggregates: of the rows of a relation (`t_aggregate_bool_exp`), and of
//! the rows of a group (`t_group_having`). [`super::compare`] resolves the comparison of the
//! aggregate's result.

use super::Resolve;
use super::input::{ErrorPath, InputValue, VariableUse};
use crate::error::{Cause, Error, ExpectedKind, NameKind};
use crate::model::Relation;
use crate::postgres::catalog::{ColumnId, TableId};
use crate::resolve::selection::{AggregateCondition, Filter, Having, Term};
use crate::schema::{ConditionAggregate, Enum, InputMeaning, InputObject, TypeKey};

impl<'a, 'm> Resolve<'a, 'm> {
    /// Resolves a `t_aggregate_bool_exp`; all of its keys must hold.
    pub(super) fn aggregates(
        &self,
        relation: &'m Relation,
        input_value: &InputValue<'a>,
        at: &ErrorPath,
    ) -> Result<Filter<'m>, Error> {
        let input = InputObject::AggregateBoolExp(relation.to);
        let mut all = Vec::new();
        for (key, value) in self.object(
            &self.object_of(input_value, input, at)?,
            at,
            VariableUse::Shape,
        )? {
            let at = at.key(key);
            let field = self
                .schema
                .input_field(input, key)
                .ok_or_else(|| self.unknown_key(input, key, &at))?;
            let InputMeaning::Measure(measure) = field.meaning else {
                continue;
            };
            all.push(Filter::Aggregate(
                relation,
                Box::new(self.measured(relation.to, measure, &value, &at)?),
            ));
        }
        Ok(Filter::And(all))
    }

    /// Resolves a `t_group_having`; all of its keys must hold.
    pub(super) fn having(
        &self,
        table: TableId,
        input_value: &InputValue<'a>,
        at: &ErrorPath,
    ) -> Result<Filter<'m>, Error> {
        let input = InputObject::GroupHaving(table);
        let mut all = Vec::new();
        for (key, value) in self.object(
            &self.object_of(input_value, input, at)?,
            at,
            VariableUse::Shape,
        )? {
            let at = at.key(key);
            let field = self
                .schema
                .input_field(input, key)
                .ok_or_else(|| self.unknown_key(input, key, &at))?;
            all.push(match field.meaning {
                InputMeaning::And => Filter::And(self.havings(table, &value, &at)?),
                InputMeaning::Or => Filter::Or(self.havings(table, &value, &at)?),
                InputMeaning::Not => Filter::Not(Box::new(self.having(table, &value, &at)?)),
                InputMeaning::Measure(measure) => {
                    Filter::Having(Box::new(self.measured(table, measure, &value, &at)?))
                }
                _ => return Err(self.unknown_key(input, key, &at)),
            });
        }
        Ok(Filter::And(all))
    }

    fn havings(
        &self,
        table: TableId,
        input_value: &InputValue<'a>,
        at: &ErrorPath,
    ) -> Result<Vec<Filter<'m>>, Error> {
        if input_value.is_null() {
            return Err(at.wrong_type(input_value, ExpectedKind::Conditions));
        }
        let items = self
            .list(input_value, VariableUse::Shape)
            .into_iter()
            .enumerate();
        items
            .map(|(i, item)| self.having(table, &item, &at.item(i)))
            .collect()
    }

    /// Resolves `{arguments: …, distinct: …, filter: …, predicate: …}`.
    fn measured(
        &self,
        table: TableId,
        measure: ConditionAggregate,
        input_value: &InputValue<'a>,
        at: &ErrorPath,
    ) -> Result<Having<'m>, Error> {
        let input = InputObject::Measured(table, measure);
        let mut measured = AggregateCondition {
            measure,
            columns: Vec::new(),
            distinct: false,
        };
        let mut filter = None;
        let mut predicate = None;
        for (key, value) in self.object(
            &self.object_of(input_value, input, at)?,
            at,
            VariableUse::Shape,
        )? {
            let at = at.key(key);
            let field = self
                .schema
                .input_field(input, key)
                .ok_or_else(|| self.unknown_key(input, key, &at))?;
            match field.meaning {
                // An optional field may be null.
                _ if value.is_null() && !field.r#type.required => {}
                InputMeaning::Arguments => {
                    measured.columns = self.measured_columns(table, measure, &value, &at)?;
                }
                InputMeaning::Distinct => measured.distinct = self.boolean(&value, &at)?,
                InputMeaning::Filter => filter = Some(self.filter(table, &value, &at)?),
                _ => predicate = Some((value, at)),
            }
        }
        let missing = |name: &str| {
            at.error(Cause::Missing {
                kind: NameKind::Field,
                name: name.to_owned(),
            })
        };
        if measured.columns.is_empty() && measure != ConditionAggregate::Count {
            return Err(missing("arguments"));
        }
        let (predicate, at) = predicate.ok_or_else(|| missing("predicate"))?;
        let comparison = self.schema.measure_comparison(table, measure);
        Ok(Having {
            filter,
            test: self.compare(&Term::Measure(measured), comparison, &predicate, &at)?,
        })
    }

    fn measured_columns(
        &self,
        table: TableId,
        measure: ConditionAggregate,
        input_value: &InputValue<'a>,
        at: &ErrorPath,
    ) -> Result<Vec<ColumnId>, Error> {
        let of = Enum::MeasureColumn(table, measure);
        match measure {
            ConditionAggregate::Count => {
                self.enum_columns(self.schema.counted(table).unwrap_or(of), input_value, at)
            }
            ConditionAggregate::Function(function) if function.is_binary() => {
                let input = InputObject::MeasuredPair(table, function);
                let fields = self.object(
                    &self.object_of(input_value, input, at)?,
                    at,
                    VariableUse::Shape,
                )?;
                let column = |name: &str| {
                    let found = fields.iter().find(|(key, _)| *key == name);
                    let missing = || {
                        at.error(Cause::Missing {
                            kind: NameKind::Field,
                            name: name.to_owned(),
                        })
                    };
                    self.enum_column(of, &found.ok_or_else(missing)?.1, &at.key(name))
                };
                if let Some((key, _)) = fields.iter().find(|(key, _)| !matches!(*key, "X" | "Y")) {
                    return Err(self.unknown_key(input, key, &at.key(key)));
                }
                Ok(vec![column("X")?, column("Y")?])
            }
            ConditionAggregate::Function(_) => Ok(vec![self.enum_column(of, input_value, at)?]),
        }
    }

    /// The name of an enum type, for error messages.
    pub(super) fn enum_name(&self, of: Enum) -> String {
        self.schema.name(TypeKey::Enum(of))
    }
}

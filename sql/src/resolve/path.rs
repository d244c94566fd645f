//! Resolves `_path`: conditions on, and orders by, a value at a path inside JSON, read as a given
//! type. The path becomes a parameter, and the type determines the SQL text.

use super::Resolve;
use super::input::{ErrorPath, InputValue, VariableUse};
use crate::error::{ActualKind, Cause, Error, NameKind};
use crate::model::operators::PathType;
use crate::postgres::catalog::TableId;
use crate::postgres::types::Input;
use crate::resolve::selection::{Filter, Order, OrderBy, Term};
use crate::schema::{Comparison, Direction, Enum, InputMeaning, InputObject, TypeKey};
use crate::statement::{OperandRequirement, Parameter};

impl<'a, 'm> Resolve<'a, 'm> {
    /// Resolves `{at: ["a", "b"], as: Int, _gt: 3}`.
    pub(super) fn path_condition(
        &self,
        term: &Term,
        comparison: Comparison,
        input_value: &InputValue<'a>,
        at: &ErrorPath,
    ) -> Result<Filter<'m>, Error> {
        let input = InputObject::Path(comparison);
        let input_value =
            self.decisive(input_value, &self.schema.name(TypeKey::Input(input)), at)?;
        let entries = self.entries(&self.object_of(&input_value, input, at)?, at)?;
        let (path, r#type) = self.inside(&entries, at)?;
        let term = Term::Path(Box::new(term.clone()), path, r#type);
        let inside = self.schema.path_comparison(comparison.spelling, r#type);
        let mut all = Vec::new();
        for (key, value) in &entries {
            let at = at.key(key);
            let field = self
                .schema
                .input_field(input, key)
                .ok_or_else(|| self.unknown_key(input, key, &at))?;
            if !matches!(field.meaning, InputMeaning::Operator(_)) {
                continue;
            }
            let input = InputObject::Comparison(inside);
            let field = self
                .schema
                .input_field(input, key)
                .ok_or_else(|| self.unknown_key(input, key, &at))?;
            let InputMeaning::Operator(operator) = field.meaning else {
                continue;
            };
            let condition = self.condition(&term, inside, operator, value, &at)?;
            all.push(compared_as(condition, r#type));
        }
        Ok(Filter::And(all))
    }

    /// Resolves `at`, which becomes a parameter, and `as`, which determines the SQL text.
    fn inside(
        &self,
        entries: &[(&'a str, InputValue<'a>)],
        at: &ErrorPath,
    ) -> Result<(Parameter, &'static PathType), Error> {
        let path = part(entries, "at", at)?;
        let path = self.bind(
            path,
            OperandRequirement::List(Input::Text),
            "[String!]!".into(),
            &at.key("at"),
        )?;
        let at = at.key("as");
        let name = self.whole(part(entries, "as", &at)?, "jsonb_path_type", &at)?;
        let name = self.enum_value(&name, &at, "jsonb_path_type")?;
        let values = self.schema.values(Enum::PathType);
        let r#type = PathType::find(name);
        Ok((
            path,
            r#type.ok_or_else(|| {
                at.error(at.unknown_value("jsonb_path_type".into(), name, &values))
            })?,
        ))
    }

    /// Resolves `{column: attributes, at: ["a"], as: Int, order: desc}`.
    pub(super) fn path_order(
        &self,
        table: TableId,
        input_value: &InputValue<'a>,
        at: &ErrorPath,
        wrap: &dyn Fn(OrderBy<'m>) -> OrderBy<'m>,
    ) -> Result<Order<'m>, Error> {
        let input = InputObject::PathOrder(table);
        let entries = self.entries(&self.object_of(input_value, input, at)?, at)?;
        self.only_known(input, &entries, at)?;
        let column = self.column_of(
            Enum::JsonColumn(table),
            &self.schema.json_columns(table),
            &entries,
            at,
        )?;
        let (path, r#type) = self.inside(&entries, at)?;
        let direction = self.direction_of(table, &entries, at)?;
        Ok(Order {
            by: wrap(OrderBy::Value(Term::Path(
                Box::new(Term::Column(column)),
                path,
                r#type,
            ))),
            direction,
        })
    }

    /// Rejects keys that the input object does not have.
    pub(super) fn only_known(
        &self,
        input: InputObject,
        entries: &[(&'a str, InputValue<'a>)],
        at: &ErrorPath,
    ) -> Result<(), Error> {
        let unknown = entries
            .iter()
            .find(|(key, _)| self.schema.input_field(input, key).is_none());
        unknown.map_or(Ok(()), |(key, _)| {
            Err(self.unknown_key(input, key, &at.key(key)))
        })
    }

    /// Resolves `column` to one of the enum's columns.
    pub(super) fn column_of(
        &self,
        of: Enum,
        columns: &[(crate::postgres::catalog::ColumnId, &'m str)],
        entries: &[(&'a str, InputValue<'a>)],
        at: &ErrorPath,
    ) -> Result<crate::postgres::catalog::ColumnId, Error> {
        let input_value = part(entries, "column", at)?;
        let at = at.key("column");
        let expected = self.schema.name(TypeKey::Enum(of));
        let input_value = self.whole(input_value, &expected, &at)?;
        let name = self.enum_value(&input_value, &at, &expected)?;
        let found = columns
            .iter()
            .find(|(_, known)| *known == name)
            .map(|(column, _)| *column);
        let values: Vec<&str> = columns.iter().map(|(_, name)| *name).collect();
        found.ok_or_else(|| at.error(at.unknown_value(expected, name, &values)))
    }

    /// Resolves `order`; the default is ascending.
    pub(super) fn direction_of(
        &self,
        table: TableId,
        entries: &[(&'a str, InputValue<'a>)],
        at: &ErrorPath,
    ) -> Result<Direction, Error> {
        let input_value = entries
            .iter()
            .find(|(key, _)| *key == "order")
            .and_then(|(_, input_value)| self.read(input_value, VariableUse::Whole));
        let Some(input_value) = input_value.filter(|input_value| !input_value.is_null()) else {
            return Ok(Direction::Asc);
        };
        let at = at.key("order");
        let of = Enum::Direction(self.schema.spelling(table));
        let expected = self.schema.name(TypeKey::Enum(of));
        let name = self.enum_value(&input_value, &at, &expected)?;
        let direction = Direction::find(self.schema.spelling(table), name);
        direction.ok_or_else(|| at.error(at.unknown_value(expected, name, &self.schema.values(of))))
    }

    /// Resolves a value that determines the SQL text as a whole.
    pub(super) fn whole(
        &self,
        input_value: &InputValue<'a>,
        expected: &str,
        at: &ErrorPath,
    ) -> Result<InputValue<'a>, Error> {
        if let InputValue::Variable(_, path) = input_value {
            self.structure.borrow_mut().read_whole_at(path);
        }
        self.read(input_value, VariableUse::Whole)
            .ok_or_else(|| at.wrong_kind(expected, ActualKind::Absent))
    }
}

/// The value of a required key.
pub(super) fn part<'e, 'a>(
    entries: &'e [(&'a str, InputValue<'a>)],
    name: &str,
    at: &ErrorPath,
) -> Result<&'e InputValue<'a>, Error> {
    let found = entries
        .iter()
        .find(|(key, _)| *key == name)
        .map(|(_, input_value)| input_value);
    found.ok_or_else(|| {
        at.error(Cause::Missing {
            kind: NameKind::Field,
            name: name.to_owned(),
        })
    })
}

/// Gives numeric operands the type that all numbers inside JSON are compared as.
fn compared_as<'m>(filter: Filter<'m>, r#type: &PathType) -> Filter<'m> {
    match filter {
        Filter::Compare(term, operator, mut bound) => {
            for operand in bound
                .iter_mut()
                .filter(|operand| operand.r#type == r#type.operand)
            {
                operand.r#type = r#type.compared;
            }
            Filter::Compare(term, operator, bound)
        }
        other => other,
    }
}

//! The input types of conditions on values inside JSON, and of orders by them: `jsonb_path_exp` and
//! `t_path_order_by`.

use super::*;
use crate::model::operators;
use crate::model::operators::{OperandShape, PATH_TYPES, PathType, Type};
use crate::postgres::types::Class;

impl<'a> Schema<'a> {
    /// The comparison input of a value inside JSON.
    pub(crate) fn path_comparison(&self, spelling: Spelling, r#type: &PathType) -> Comparison {
        Comparison {
            r#type: r#type.operand,
            deterministic: true,
            spelling,
            modifier: None,
            of: None,
        }
    }

    /// The fields of `jsonb_path_exp`. The type that `as` names determines which operators exist
    /// and which operands they take, so in the schema the operands are JSON.
    pub(super) fn path_fields(&self, comparison: Comparison) -> Vec<InputField<'a>> {
        let mut fields = vec![at(), named_type()];
        for operator in operators::all() {
            let name = comparison.spelling.field(operator.name);
            if !fields.iter().any(|field| field.name == name) {
                fields.extend(self.path_operator(comparison, operator));
            }
        }
        fields
    }

    fn path_operator(
        &self,
        comparison: Comparison,
        operator: &'static Operator,
    ) -> Option<InputField<'a>> {
        let json = TypeKey::Scalar(comparison.r#type);
        let offers = |r#type: &&PathType| operator.is_offered(&self.scalar(r#type.operand), true);
        let inside = PATH_TYPES.iter().find(offers)?;
        let r#type = match operator.takes {
            OperandShape::One(Type::Same) | OperandShape::Pattern(_) => TypeRef::nullable(json),
            OperandShape::List(Type::Same) | OperandShape::Pair(Type::Same) => TypeRef::list(json),
            OperandShape::One(_) | OperandShape::List(_) | OperandShape::IsNull => {
                let name = comparison.spelling.field(operator.name);
                self.operator(self.path_comparison(comparison.spelling, inside), name)?
                    .r#type
            }
            OperandShape::Pair(_)
            | OperandShape::Object(_)
            | OperandShape::Cast(_)
            | OperandShape::Path
            | OperandShape::Search => return None,
        };
        let name = comparison.spelling.field(operator.name);
        Some(InputField {
            name,
            r#type,
            meaning: InputMeaning::Operator(operator),
        })
    }

    /// The JSON columns of a table.
    pub fn json_columns(&self, table: TableId) -> Vec<(ColumnId, &'a str)> {
        let json =
            |column: &(ColumnId, &str)| self.column_scalar(table, column.0).class == Class::Jsonb;
        self.columns(table).into_iter().filter(json).collect()
    }

    /// `_path` of `t_order_by`, if the table has a JSON column.
    pub(super) fn path_order(&self, table: TableId) -> Option<InputField<'a>> {
        let r#type = TypeRef::nullable(TypeKey::Input(InputObject::PathOrder(table)));
        let field = InputField {
            name: "_path",
            r#type,
            meaning: InputMeaning::PathOrder,
        };
        (!self.json_columns(table).is_empty()).then_some(field)
    }

    /// The fields of `t_path_order_by`.
    pub(super) fn path_order_fields(&self, table: TableId) -> Vec<InputField<'a>> {
        let column = TypeRef::required(TypeKey::Enum(Enum::JsonColumn(table)));
        vec![
            InputField {
                name: "column",
                r#type: column,
                meaning: InputMeaning::Part,
            },
            at(),
            named_type(),
            order(self.spelling(table)),
        ]
    }
}

fn at<'a>() -> InputField<'a> {
    let steps = TypeRef::required_list(TypeKey::BuiltIn(BuiltIn::String));
    InputField {
        name: "at",
        r#type: steps,
        meaning: InputMeaning::Part,
    }
}

fn named_type<'a>() -> InputField<'a> {
    InputField {
        name: "as",
        r#type: TypeRef::required(TypeKey::Enum(Enum::PathType)),
        meaning: InputMeaning::Part,
    }
}

pub(super) fn order<'a>(spelling: Spelling) -> InputField<'a> {
    let direction = TypeRef::nullable(TypeKey::Enum(Enum::Direction(spelling)));
    InputField {
        name: "order",
        r#type: direction,
        meaning: InputMeaning::Part,
    }
}

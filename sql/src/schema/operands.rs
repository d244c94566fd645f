//! The fields of comparison inputs, and of operands that are objects: the operators of
//! [`crate::model::operators`] applied to a column's type.

use super::*;
use crate::model::operators;
use crate::model::operators::{Object as OperandObject, ObjectField, OperandShape, Type};

/// The OIDs of built-in types never change.
/// <https://github.com/postgres/postgres/blob/master/src/include/catalog/pg_type.dat>
const BOOL: Oid = 16;
const INT4: Oid = 23;
const TEXT: Oid = 25;
const FLOAT8: Oid = 701;

impl<'a> Schema<'a> {
    /// The operator with that name, if it is offered.
    pub(super) fn operator(&self, comparison: Comparison, name: &str) -> Option<InputField<'a>> {
        let scalar = self.scalar(comparison.r#type);
        let operator =
            Operator::find(comparison.spelling, name, &scalar, comparison.deterministic)?;
        let operator = Some(operator).filter(|operator| compares(comparison, operator))?;
        self.operand(comparison, &scalar, operator)
    }

    /// The operators of a comparison input.
    pub(super) fn operators(&self, comparison: Comparison) -> Vec<InputField<'a>> {
        let scalar = self.scalar(comparison.r#type);
        let offered = operators::all()
            .filter(|operator| operator.is_offered(&scalar, comparison.deterministic));
        let offered = offered.filter(|operator| compares(comparison, operator));
        offered
            .filter_map(|operator| self.operand(comparison, &scalar, operator))
            .collect()
    }

    fn operand(
        &self,
        comparison: Comparison,
        scalar: &Scalar,
        operator: &'static Operator,
    ) -> Option<InputField<'a>> {
        let of = |r#type| match comparison.of {
            Some(of) => Some(TypeKey::Enum(Enum::Values(of))),
            None => self.given_type(comparison.r#type, scalar, r#type),
        };
        let r#type = match operator.takes {
            OperandShape::One(r#type) => TypeRef::nullable(of(r#type)?),
            OperandShape::List(r#type) | OperandShape::Pair(r#type) => TypeRef::list(of(r#type)?),
            OperandShape::Pattern(_) => TypeRef::nullable(of(Type::Same)?),
            OperandShape::IsNull => TypeRef::nullable(TypeKey::BuiltIn(BuiltIn::Boolean)),
            OperandShape::Object(object) => {
                let fields = object.fields.iter();
                fields
                    .map(|field| of(field.r#type))
                    .collect::<Option<Vec<_>>>()?;
                TypeRef::nullable(TypeKey::Input(InputObject::Operand(comparison, object)))
            }
            OperandShape::Path => TypeRef::nullable(TypeKey::Input(InputObject::Path(comparison))),
            OperandShape::Search => {
                TypeRef::nullable(TypeKey::Input(InputObject::Search(comparison)))
            }
            OperandShape::Cast(_) => {
                (!self.casts(comparison, operator).is_empty()).then_some(())?;
                TypeRef::nullable(TypeKey::Input(InputObject::Cast(comparison, operator)))
            }
        };
        let name = comparison.spelling.field(operator.name);
        Some(InputField {
            name,
            r#type,
            meaning: InputMeaning::Operator(operator),
        })
    }

    /// The GraphQL type of an operand. `Float` operands that are not values of a column use
    /// GraphQL's `Float`.
    fn given_type(&self, column: Oid, scalar: &Scalar, r#type: Type) -> Option<TypeKey> {
        match r#type {
            Type::Float => Some(TypeKey::BuiltIn(BuiltIn::Float)),
            r#type => self
                .operand_type(column, scalar, r#type)
                .map(TypeKey::Scalar),
        }
    }

    /// The Postgres type of an operand of an operator, for columns of a type.
    pub fn operand_type(&self, column: Oid, scalar: &Scalar, r#type: Type) -> Option<Oid> {
        match r#type {
            Type::Same => Some(column),
            Type::Element => scalar.element,
            Type::Text => Some(TEXT),
            Type::Float => Some(FLOAT8),
            Type::Int => Some(INT4),
            Type::Boolean => Some(BOOL),
            Type::Beside(name) => self.catalog.find_type(&scalar.schema, name),
        }
    }

    /// The target types of `_cast`, by the names of their scalars.
    pub(super) fn casts(
        &self,
        comparison: Comparison,
        operator: &'static Operator,
    ) -> Vec<InputField<'a>> {
        let OperandShape::Cast(types) = operator.takes else {
            return Vec::new();
        };
        let scalar = self.scalar(comparison.r#type);
        let cast = |(name, r#type): &(&'static str, Type)| {
            let r#type = self.operand_type(comparison.r#type, &scalar, *r#type)?;
            let comparison = Comparison {
                r#type,
                deterministic: true,
                modifier: None,
                of: None,
                ..comparison
            };
            let r#type = TypeRef::nullable(TypeKey::Input(InputObject::Comparison(comparison)));
            Some(InputField {
                name,
                r#type,
                meaning: InputMeaning::Cast(comparison),
            })
        };
        types.iter().filter_map(cast).collect()
    }

    /// The fields of an operand that is an object.
    pub(super) fn operand_fields(
        &self,
        comparison: Comparison,
        object: &'static OperandObject,
    ) -> Vec<InputField<'a>> {
        let scalar = self.scalar(comparison.r#type);
        let field = |field: &'static ObjectField| {
            let named = self.given_type(comparison.r#type, &scalar, field.r#type)?;
            let r#type = TypeRef {
                named,
                list: false,
                required: field.default.is_none(),
                sparse: false,
            };
            Some(InputField {
                name: comparison.spelling.field(field.name),
                r#type,
                meaning: InputMeaning::Operand(field),
            })
        };
        object.fields.iter().filter_map(field).collect()
    }
}

/// Whether a comparison offers the operator: values of an enum table can only be tested for
/// equality and null.
fn compares(comparison: Comparison, operator: &Operator) -> bool {
    comparison.of.is_none() || operator.tests_equality()
}

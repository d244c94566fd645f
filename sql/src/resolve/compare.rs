//! Resolves comparisons: from a `…_comparison_exp` to a filter on one term, operator by operator.
//! Operands become parameters; which operators a type offers is decided by [`crate::schema`].

use async_graphql_value::Value;

use super::Resolve;
use super::input::{ErrorPath, InputValue, VariableUse};
use crate::error::{ActualKind, Cause, Error, NameKind};
use crate::graphql::variables::{OperandLength, Template};
use crate::model::operators::{Object, OperandShape, Operator, RowCost, Type};
use crate::postgres::catalog::Oid;
use crate::postgres::types::Input;
use crate::resolve::selection::{BoundOperand, Filter, Term};
use crate::schema::{Comparison, Enum, InputMeaning, InputObject, TypeKey, TypeRef};
use crate::statement::{Operand, OperandRequirement, Parameter};

/// The type of an operand that is one parameter.
struct TypedOperand {
    /// In Postgres; of a list, the type of its elements.
    r#type: Oid,
    /// In GraphQL.
    named: TypeRef,
}

impl<'a, 'm> Resolve<'a, 'm> {
    /// Resolves a comparison object; all of its operators must hold.
    pub(super) fn compare(
        &self,
        term: &Term,
        comparison: Comparison,
        input_value: &InputValue<'a>,
        at: &ErrorPath,
    ) -> Result<Filter<'m>, Error> {
        let input = InputObject::Comparison(comparison);
        let mut all = Vec::new();
        for (key, value) in self.entries(&self.object_of(input_value, input, at)?, at)? {
            let at = at.key(key);
            let field = self
                .schema
                .input_field(input, key)
                .ok_or_else(|| self.unknown_key(input, key, &at))?;
            let InputMeaning::Operator(operator) = field.meaning else {
                continue;
            };
            all.push(self.condition(term, comparison, operator, &value, &at)?);
        }
        Ok(Filter::And(all))
    }

    /// The keys and values of an object; a variable that is a value is not read. The operator
    /// decides what it reads of the variable: nothing if the value becomes a parameter, and an
    /// omitted variable is then an error instead of no condition.
    pub(super) fn entries(
        &self,
        input_value: &InputValue<'a>,
        at: &ErrorPath,
    ) -> Result<Vec<(&'a str, InputValue<'a>)>, Error> {
        match input_value {
            InputValue::Literal(Value::Object(fields)) => Ok(fields
                .iter()
                .map(|(key, value)| (key.as_str(), InputValue::Literal(value)))
                .collect()),
            other => self.object(other, at, VariableUse::Shape),
        }
    }

    /// Resolves the value of a variable that determines the SQL text.
    pub(super) fn decisive(
        &self,
        input_value: &InputValue<'a>,
        expected: &str,
        at: &ErrorPath,
    ) -> Result<InputValue<'a>, Error> {
        self.read(input_value, VariableUse::Shape)
            .ok_or_else(|| at.wrong_kind(expected, ActualKind::Absent))
    }

    pub(super) fn condition(
        &self,
        term: &Term,
        comparison: Comparison,
        operator: &'static Operator,
        input_value: &InputValue<'a>,
        at: &ErrorPath,
    ) -> Result<Filter<'m>, Error> {
        let (operand, need) = match operator.takes {
            OperandShape::IsNull => {
                let is_null = self.boolean(&self.decisive(input_value, "Boolean", at)?, at)?;
                return Ok(Filter::IsNull {
                    term: term.clone(),
                    is_null,
                });
            }
            OperandShape::Cast(_) => return self.cast(term, comparison, operator, input_value, at),
            OperandShape::Path => return self.path_condition(term, comparison, input_value, at),
            OperandShape::Search => {
                return self.search_condition(term, comparison, input_value, at);
            }
            OperandShape::Object(object) => {
                let operands = self.operands(comparison, object, input_value, at)?;
                return Ok(Filter::Compare(term.clone(), operator, operands));
            }
            OperandShape::One(of) => {
                let (operand, input) = self.typed_operand(comparison, of, false);
                (operand, OperandRequirement::Value(input))
            }
            OperandShape::List(of) => {
                let (operand, input) = self.typed_operand(comparison, of, true);
                (operand, OperandRequirement::List(input))
            }
            OperandShape::Pair(of) => {
                let (operand, input) = self.typed_operand(comparison, of, true);
                (operand, OperandRequirement::Pair(input))
            }
            OperandShape::Pattern(pattern) => {
                let (operand, input) = self.typed_operand(comparison, Type::Same, false);
                (operand, OperandRequirement::Pattern(input, pattern))
            }
        };
        let parameter = self.bind(input_value, need, self.schema.written(operand.named), at)?;
        let parameter = if operator.is_pattern() {
            Parameter::Pattern(parameter.into())
        } else {
            parameter
        };
        let r#type = operand.r#type;
        let list = operand.named.list;
        let short = self.is_short(operator, r#type, list, input_value);
        let bound = BoundOperand {
            field: "",
            parameter: Some(parameter),
            r#type,
            list,
            short,
        };
        Ok(Filter::Compare(term.clone(), operator, vec![bound]))
    }

    /// Resolves `_cast: {String: {…}}`.
    fn cast(
        &self,
        term: &Term,
        comparison: Comparison,
        operator: &'static Operator,
        input_value: &InputValue<'a>,
        at: &ErrorPath,
    ) -> Result<Filter<'m>, Error> {
        let input = InputObject::Cast(comparison, operator);
        let input_value =
            self.decisive(input_value, &self.schema.name(TypeKey::Input(input)), at)?;
        let mut all = Vec::new();
        for (key, value) in self.entries(&self.object_of(&input_value, input, at)?, at)? {
            let at = at.key(key);
            let field = self
                .schema
                .input_field(input, key)
                .ok_or_else(|| self.unknown_key(input, key, &at))?;
            let InputMeaning::Cast(comparison) = field.meaning else {
                continue;
            };
            let term = Term::Cast(Box::new(term.clone()), comparison.r#type, operator.raises());
            let value = self.decisive(&value, &self.schema.written(field.r#type), &at)?;
            all.push(self.compare(&term, comparison, &value, &at)?);
        }
        Ok(Filter::And(all))
    }

    /// The type of an operand that is one parameter, and the input that it accepts.
    fn typed_operand(&self, comparison: Comparison, of: Type, list: bool) -> (TypedOperand, Input) {
        let r#type = self.operand_type(comparison, of);
        let (named, input) = match comparison.of {
            Some(of) => (TypeKey::Enum(Enum::Values(of)), self.schema.enum_input(of)),
            None => (
                TypeKey::Scalar(r#type),
                self.schema.scalar(r#type).column_input(comparison.modifier),
            ),
        };
        (
            TypedOperand {
                r#type,
                named: TypeRef {
                    named,
                    list,
                    required: false,
                    sparse: false,
                },
            },
            input,
        )
    }

    /// Whether an operand is short, if that determines on which side of an optimization fence the
    /// comparison is placed.
    fn is_short(
        &self,
        operator: &Operator,
        r#type: Oid,
        list: bool,
        input_value: &InputValue<'a>,
    ) -> bool {
        let fixed = || self.schema.model().catalog().is_fixed_size(r#type);
        let length = match operator.cost {
            RowCost::Varies | RowCost::Raises => return false,
            RowCost::Order if fixed() => return true,
            RowCost::Equality if !list && fixed() => return true,
            RowCost::Equality if list => {
                if fixed() {
                    OperandLength::List
                } else {
                    OperandLength::Texts
                }
            }
            RowCost::Equality | RowCost::Order => OperandLength::Short,
            RowCost::Prefix => match operator.takes {
                OperandShape::Pattern(_) => OperandLength::Prefix,
                _ => OperandLength::Short,
            },
        };
        let operand = self.template(input_value);
        self.read_length(&operand, length);
        length.holds_of(&operand, self.variables)
    }

    /// Records that the length of each variable of an operand determines the SQL text.
    fn read_length(&self, operand: &Template, length: OperandLength) {
        match operand {
            Template::Variable(path) => self.structure.borrow_mut().read_length(path, length),
            Template::List(items) => items.iter().for_each(|item| self.read_length(item, length)),
            Template::Json(_) | Template::Object(_) => {}
        }
    }

    /// Binds the fields of an operand that is an object. The set of fields determines the SQL text.
    fn operands(
        &self,
        comparison: Comparison,
        object: &'static Object,
        input_value: &InputValue<'a>,
        at: &ErrorPath,
    ) -> Result<Vec<BoundOperand>, Error> {
        let input = InputObject::Operand(comparison, object);
        let input_value =
            self.decisive(input_value, &self.schema.name(TypeKey::Input(input)), at)?;
        let mut bound = Vec::new();
        for (key, value) in self.entries(&self.object_of(&input_value, input, at)?, at)? {
            let at = at.key(key);
            let field = self
                .schema
                .input_field(input, key)
                .ok_or_else(|| self.unknown_key(input, key, &at))?;
            let InputMeaning::Operand(declared) = field.meaning else {
                continue;
            };
            // If the field has a default, an omitted value or null means the default.
            let value = if declared.default.is_none() {
                Some(value)
            } else {
                self.read(&value, VariableUse::Shape)
            };
            let Some(value) = value.filter(|value| declared.default.is_none() || !value.is_null())
            else {
                continue;
            };
            let r#type = self.operand_type(comparison, declared.r#type);
            let need = OperandRequirement::Value(
                self.schema.scalar(r#type).column_input(comparison.modifier),
            );
            let parameter = self.bind(&value, need, self.schema.written(field.r#type), &at)?;
            bound.push(BoundOperand {
                field: declared.name,
                parameter: Some(parameter),
                r#type,
                list: false,
                short: false,
            });
        }
        let is_missing = |name| !bound.iter().any(|bound: &BoundOperand| bound.field == name);
        match object
            .fields
            .iter()
            .find(|field| field.default.is_none() && is_missing(field.name))
        {
            None => Ok(bound),
            Some(field) => {
                let name = comparison.spelling.field(field.name).to_owned();
                Err(at.error(Cause::Missing {
                    kind: NameKind::Field,
                    name,
                }))
            }
        }
    }

    /// The type of an operand. It exists, since the operator is offered.
    fn operand_type(&self, comparison: Comparison, r#type: Type) -> Oid {
        let scalar = self.schema.scalar(comparison.r#type);
        self.schema
            .operand_type(comparison.r#type, &scalar, r#type)
            .unwrap_or(comparison.r#type)
    }

    /// Binds a value as a parameter.
    pub(super) fn bind(
        &self,
        input_value: &InputValue<'a>,
        need: OperandRequirement,
        expected: String,
        at: &ErrorPath,
    ) -> Result<Parameter, Error> {
        let name = at.name().to_owned();
        let path = at.path();
        let expected = expected.into();
        self.parameter(Operand {
            name,
            path,
            value: self.template(input_value),
            requirement: need,
            expected,
        })
    }
}

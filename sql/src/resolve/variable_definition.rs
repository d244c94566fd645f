//! Variables as an operation declares them, and the coercion of the values that a request gives.

use async_graphql_parser::types::{BaseType, Type, VariableDefinition};
use serde_json::Value as Json;

use super::Coercion;
use super::input::{ErrorPath, json};
use super::input_constraints::{ConstrainedPath, InputConstraints};
use crate::error::{Cause, Error};
use crate::postgres::catalog::Oid;
use crate::postgres::types::Input;
use crate::postgres::value::found;
use crate::schema::{BuiltIn, Enum, Schema, TypeKey, TypeRef};

/// A declared variable.
#[derive(Debug)]
pub(super) struct Declared {
    /// Its name.
    pub(super) name: String,
    /// Its type.
    pub(super) r#type: DeclaredType,
    default: Option<Json>,
    holding: InputConstraints,
}

/// A type as a variable's declaration may nest it.
#[derive(Clone, Debug)]
pub(super) struct DeclaredType {
    pub(super) shape: DeclaredShape,
    required: bool,
}

#[derive(Clone, Debug)]
pub(super) enum DeclaredShape {
    /// A named type with its name; a scalar with what fits it.
    Named(TypeKey, String, Option<Input>),
    /// A list.
    List(Box<DeclaredType>),
    /// A type that the role cannot reach, so that the variable fits nowhere.
    Unknown(String),
}

impl Declared {
    /// The declaration, when its type is an input type that the role can reach.
    /// Under a loose coercion the type is looked at where the variable is used.
    pub(super) fn new(schema: Schema<'_>, definition: &VariableDefinition, coercion: Coercion) -> Option<Declared> {
        Some(Declared {
            name: definition.name.node.to_string(),
            r#type: DeclaredType::new(schema, &definition.var_type.node, coercion)?,
            default: definition.default_value.as_ref().map(|value| json(&value.node.clone().into_value())),
            holding: InputConstraints::default(),
        })
    }

    /// A required variable of a column's type, beside those that the operation declares itself.
    pub(super) fn beside(schema: Schema<'_>, name: &str, r#type: Oid) -> Declared {
        let named = TypeKey::Scalar(r#type);
        let shape = DeclaredShape::Named(named, schema.name(named), scalar_input(schema, named));
        let r#type = DeclaredType { shape, required: true };
        Declared { name: name.to_owned(), r#type, default: None, holding: InputConstraints::default() }
    }

    /// Whether a default other than null is declared.
    pub(super) fn has_default(&self) -> bool {
        self.default.as_ref().is_some_and(|default| !default.is_null())
    }

    /// The default, checked when the document is validated.
    pub(super) fn default(&self) -> Option<&Json> {
        self.default.as_ref()
    }

    /// Whether null is excluded.
    pub(super) fn is_required(&self) -> bool {
        self.r#type.required
    }

    /// Refuses a value that a request gives and that does not fit. When it gives none the default, if there is one.
    pub(super) fn coerce(&self, schema: Schema<'_>, given: Option<&Json>) -> Result<Option<&Json>, Error> {
        match (given, &self.default) {
            (None, Some(default)) => Ok(Some(default)),
            (None | Some(Json::Null), _) if self.r#type.required => {
                Err(Cause::MissingVariable { name: self.name.clone() }.under("$"))
            }
            (None, None) => Ok(None),
            (Some(value), _) => self.check(schema, value).map(|()| None),
        }
    }

    /// Some value that fits, where the type is a scalar or a list of one.
    pub(super) fn sample(&self) -> Option<Json> {
        match &self.default {
            Some(default) => Some(default.clone()),
            None => self.r#type.sample(),
        }
    }

    /// Refuses a value that does not fit the declared type.
    pub(super) fn check(&self, schema: Schema<'_>, value: &Json) -> Result<(), Error> {
        self.r#type.check(schema, &self.holding, value, &ConstrainedPath::Variable(&self.name))
    }
}

impl DeclaredType {
    fn new(schema: Schema<'_>, r#type: &Type, coercion: Coercion) -> Option<DeclaredType> {
        let shape = match &r#type.base {
            BaseType::Named(name) => match schema.named(name) {
                Some(TypeKey::Object(_)) | None if coercion == Coercion::Loose => {
                    DeclaredShape::Unknown(name.to_string())
                }
                Some(TypeKey::Object(_)) | None => return None,
                Some(named) => DeclaredShape::Named(named, name.to_string(), scalar_input(schema, named)),
            },
            BaseType::List(of) => DeclaredShape::List(Box::new(DeclaredType::new(schema, of, coercion)?)),
        };
        Some(DeclaredType { shape, required: !r#type.nullable })
    }

    /// Whether a value of this type fits a place of that type.
    /// <https://spec.graphql.org/October2021/#AreTypesCompatible()>
    pub(super) fn fits(&self, schema: Schema<'_>, place: TypeRef, has_default: bool) -> bool {
        (self.required || !place.required || has_default) && self.fits_inside(schema, place)
    }

    /// Whether this is a list of what a place of an array has for elements: Hasura's later versions show arrays so, and
    /// documents that were written for them say so.
    pub(super) fn fits_array(&self, schema: Schema<'_>, place: TypeRef) -> bool {
        let (DeclaredShape::List(of), TypeKey::Scalar(oid), false) = (&self.shape, place.named, place.list) else {
            return false;
        };
        let (DeclaredShape::Named(_, name, _) | DeclaredShape::Unknown(name)) = &of.shape else { return false };
        let array = schema.scalar(oid);
        let element = array.element.filter(|_| matches!(array.input, Input::Array(_)));
        (self.required || !place.required) && element.is_some_and(|element| schema.scalar(element).name == *name)
    }

    fn sample(&self) -> Option<Json> {
        match &self.shape {
            DeclaredShape::Named(_, _, input) => input.as_ref().map(Input::sample),
            DeclaredShape::Unknown(_) => None,
            DeclaredShape::List(of) => of.sample().map(|item| Json::Array(vec![item])),
        }
    }

    fn fits_inside(&self, schema: Schema<'_>, place: TypeRef) -> bool {
        match &self.shape {
            DeclaredShape::Named(named, name, _) => {
                let within = matches!((named, place.named), (TypeKey::Input(given), TypeKey::Input(wanted)) if given.is_part_of(wanted));
                !place.list && (within || *name == schema.name(place.named))
            }
            DeclaredShape::Unknown(_) => false,
            DeclaredShape::List(of) => {
                place.list && of.fits(schema, TypeRef { list: false, required: true, ..place }, false)
            }
        }
    }

    fn check(
        &self,
        schema: Schema<'_>,
        holding: &InputConstraints,
        value: &Json,
        spot: &ConstrainedPath<'_>,
    ) -> Result<(), Error> {
        if value.is_null() {
            return if self.required { Err(wrong(&spot.at(), value, &self.written())) } else { Ok(()) };
        }
        match (&self.shape, value) {
            (DeclaredShape::List(of), Json::Array(items)) => {
                let mut items = items.iter().enumerate();
                items.try_for_each(|(i, item)| of.check(schema, holding, item, &ConstrainedPath::Item(spot, i)))
            }
            (DeclaredShape::List(of), single) => of.check(schema, holding, single, &ConstrainedPath::Item(spot, 0)),
            (DeclaredShape::Named(named @ TypeKey::Enum(_), ..), value) => {
                holding.check(schema, TypeRef::nullable(*named), value, spot)
            }
            (DeclaredShape::Named(_, name, Some(input)), value) => {
                input.check(value).map_err(|found| wrong_found(&spot.at(), name, found))
            }
            (DeclaredShape::Named(named, ..), value) => holding.check(schema, TypeRef::nullable(*named), value, spot),
            (DeclaredShape::Unknown(_), _) => Ok(()),
        }
    }

    pub(super) fn written(&self) -> String {
        let inner = match &self.shape {
            DeclaredShape::Named(_, name, _) | DeclaredShape::Unknown(name) => name.clone(),
            DeclaredShape::List(of) => format!("[{}]", of.written()),
        };
        if self.required { inner + "!" } else { inner }
    }
}

/// What fits a scalar; none for types that are no scalars.
pub(super) fn scalar_input(schema: Schema<'_>, named: TypeKey) -> Option<Input> {
    match named {
        TypeKey::BuiltIn(BuiltIn::Int) => {
            Some(Input::Integer { min: i32::MIN.into(), max: i32::MAX.into(), text: false })
        }
        TypeKey::BuiltIn(BuiltIn::Float) => Some(Input::Float),
        TypeKey::BuiltIn(BuiltIn::String) => Some(Input::Text),
        TypeKey::BuiltIn(BuiltIn::Id) => Some(Input::Other),
        TypeKey::BuiltIn(BuiltIn::Boolean) => Some(Input::Boolean),
        TypeKey::Scalar(oid) => Some(schema.scalar(oid).input),
        TypeKey::Enum(Enum::Values(of)) => Some(schema.enum_input(of)),
        _ => None,
    }
}

pub(super) fn wrong(at: &ErrorPath, value: &Json, expected: &str) -> Error {
    wrong_found(at, expected, found(value))
}

pub(super) fn wrong_found(at: &ErrorPath, expected: &str, found: String) -> Error {
    at.error(Cause::WrongType { name: at.name.clone(), expected: expected.to_owned(), found })
}

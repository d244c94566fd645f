//! The variables that an operation declares, and the coercion of the values that a request gives
//! for them. Values of input objects and enums are checked by [`super::input_constraints`].

use async_graphql_parser::types::{BaseType, Type, VariableDefinition};
use serde_json::Value as Json;

use super::Coercion;
use super::input::json;
use super::input_constraints::{ConstrainedPath, InputConstraints};
use crate::error::{Cause, Error};
use crate::postgres::catalog::Oid;
use crate::postgres::types::Input;
use crate::postgres::value::found;
use crate::schema::{Schema, TypeKey, TypeRef};

/// A declared variable.
#[derive(Debug)]
pub(super) struct Declared {
    /// Its name.
    pub(super) name: String,
    /// Its type.
    pub(super) r#type: DeclaredType,
    default: Option<Json>,
    constraints: InputConstraints,
}

/// The type in a variable's declaration; lists may be nested to any depth.
#[derive(Clone, Debug)]
pub(super) struct DeclaredType {
    pub(super) shape: DeclaredShape,
    required: bool,
}

#[derive(Clone, Debug)]
pub(super) enum DeclaredShape {
    /// A named type with its name, and the accepted input if it is a scalar.
    Named(TypeKey, String, Option<Input>),
    /// A list.
    List(Box<DeclaredType>),
    /// A type that the role cannot use, so that the variable fits no position.
    Unknown(String),
}

impl Declared {
    /// The declaration, or `None` if its type is not an input type that the role can use. Under
    /// [`Coercion::Loose`] the type is checked where the variable is used.
    pub(super) fn new(
        schema: Schema<'_>,
        definition: &VariableDefinition,
        coercion: Coercion,
    ) -> Option<Declared> {
        Some(Declared {
            name: definition.name.node.to_string(),
            r#type: DeclaredType::new(schema, &definition.var_type.node, coercion)?,
            default: definition
                .default_value
                .as_ref()
                .map(|value| json(&value.node.clone().into_value())),
            constraints: InputConstraints::default(),
        })
    }

    /// A required variable of a column's type, which the operation does not declare itself.
    pub(super) fn beside(schema: Schema<'_>, name: &str, r#type: Oid) -> Declared {
        let named = TypeKey::Scalar(r#type);
        let shape = DeclaredShape::Named(named, schema.name(named), schema.scalar_input(named));
        let r#type = DeclaredType {
            shape,
            required: true,
        };
        Declared {
            name: name.to_owned(),
            r#type,
            default: None,
            constraints: InputConstraints::default(),
        }
    }

    /// Whether the declaration has a default other than null.
    pub(super) fn has_default(&self) -> bool {
        self.default
            .as_ref()
            .is_some_and(|default| !default.is_null())
    }

    /// The default, which is checked when the document is validated.
    pub(super) fn default(&self) -> Option<&Json> {
        self.default.as_ref()
    }

    /// Whether the type is non-null.
    pub(super) fn is_required(&self) -> bool {
        self.r#type.required
    }

    /// Rejects a value that does not fit. Returns the default if the request gives no value.
    pub(super) fn coerce(
        &self,
        schema: Schema<'_>,
        value: Option<&Json>,
    ) -> Result<Option<&Json>, Error> {
        match (value, &self.default) {
            (None, Some(default)) => Ok(Some(default)),
            (None | Some(Json::Null), _) if self.r#type.required => Err(Cause::MissingVariable {
                name: self.name.clone(),
            }
            .under("$")),
            (None, None) => Ok(None),
            (Some(value), _) => self.check(schema, value).map(|()| None),
        }
    }

    /// A value that fits, if the type is a scalar or a list of scalars.
    pub(super) fn sample(&self) -> Option<Json> {
        match &self.default {
            Some(default) => Some(default.clone()),
            None => self.r#type.sample(),
        }
    }

    /// Rejects a value that does not fit the declared type.
    pub(super) fn check(&self, schema: Schema<'_>, value: &Json) -> Result<(), Error> {
        self.r#type.check(
            schema,
            &self.constraints,
            value,
            &ConstrainedPath::Variable(&self.name),
        )
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
                Some(named) => {
                    DeclaredShape::Named(named, name.to_string(), schema.scalar_input(named))
                }
            },
            BaseType::List(of) => {
                DeclaredShape::List(Box::new(DeclaredType::new(schema, of, coercion)?))
            }
        };
        Some(DeclaredType {
            shape,
            required: !r#type.nullable,
        })
    }

    /// Whether a value of this type fits a position of that type.
    /// <https://spec.graphql.org/October2021/#AreTypesCompatible()>
    pub(super) fn fits(&self, schema: Schema<'_>, type_ref: TypeRef, has_default: bool) -> bool {
        (self.required || !type_ref.required || has_default) && self.fits_inside(schema, type_ref)
    }

    /// Whether this is a list of the element type of an array at the position. Such a variable is
    /// accepted whether GraphQL shows the array as a list or, under Hasura's dialect, as a scalar:
    /// later versions of Hasura present arrays as lists.
    fn fits_array(&self, schema: Schema<'_>, type_ref: TypeRef) -> bool {
        let (DeclaredShape::List(of), TypeKey::Scalar(oid), false) =
            (&self.shape, type_ref.named, type_ref.list)
        else {
            return false;
        };
        let (DeclaredShape::Named(_, name, _) | DeclaredShape::Unknown(name)) = &of.shape else {
            return false;
        };
        let array = schema.scalar(oid);
        let element = array
            .element
            .filter(|_| matches!(array.input, Input::Array(_)));
        element.is_some_and(|element| schema.scalar(element).name == *name)
    }

    fn sample(&self) -> Option<Json> {
        match &self.shape {
            DeclaredShape::Named(_, _, input) => input.as_ref().map(Input::sample),
            DeclaredShape::Unknown(_) => None,
            DeclaredShape::List(of) => of.sample().map(|item| Json::Array(vec![item])),
        }
    }

    fn fits_inside(&self, schema: Schema<'_>, type_ref: TypeRef) -> bool {
        match &self.shape {
            DeclaredShape::Named(named, name, _) => {
                let within = matches!((named, type_ref.named), (TypeKey::Input(declared), TypeKey::Input(expected)) if declared.is_part_of(expected));
                !type_ref.list && (within || *name == schema.name(type_ref.named))
            }
            DeclaredShape::Unknown(_) => false,
            DeclaredShape::List(of) => {
                type_ref.list
                    && of.fits(
                        schema,
                        TypeRef {
                            list: false,
                            required: !type_ref.sparse,
                            ..type_ref
                        },
                        false,
                    )
                    || self.fits_array(schema, type_ref)
            }
        }
    }

    fn check(
        &self,
        schema: Schema<'_>,
        constraints: &InputConstraints,
        value: &Json,
        path: &ConstrainedPath<'_>,
    ) -> Result<(), Error> {
        if value.is_null() {
            return if self.required {
                Err(path.at().wrong_kind(self.written(), found(value)))
            } else {
                Ok(())
            };
        }
        match (&self.shape, value) {
            (DeclaredShape::List(of), Json::Array(items)) => {
                let mut items = items.iter().enumerate();
                items.try_for_each(|(i, item)| {
                    of.check(schema, constraints, item, &ConstrainedPath::Item(path, i))
                })
            }
            (DeclaredShape::List(of), single) => {
                of.check(schema, constraints, single, &ConstrainedPath::Item(path, 0))
            }
            (DeclaredShape::Named(named @ TypeKey::Enum(_), ..), value) => {
                constraints.check(schema, TypeRef::nullable(*named), value, path)
            }
            (DeclaredShape::Named(_, name, Some(input)), value) => input
                .check(value)
                .map_err(|found| path.at().wrong_kind(name.as_str(), found)),
            (DeclaredShape::Named(named, ..), value) => {
                constraints.check(schema, TypeRef::nullable(*named), value, path)
            }
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

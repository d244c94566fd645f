//! Declares the types of `actions.graphql`, and resolves the types of fields and arguments.

use std::collections::HashSet;

use async_graphql_parser::types::{
    BaseType, FieldDefinition, InputValueDefinition, Type, TypeDefinition, TypeKind,
};
use async_graphql_parser::{Pos, Positioned};
use permissions::ADMIN;
use sql::model::action::{
    ActionEnum, ActionField, ActionInput, ActionInputField, ActionObject, ActionScalar,
};
use sql::model::names::is_graphql;
use sql::postgres::catalog::Oid;
use sql::postgres::types::graphql_name;
use sql::schema::{BuiltIn, Enum, InputObject, Object, Schema, TypeKey, TypeRef};

use super::{Compiler, FAULTY, Use};
use crate::actions::document::span;
use crate::actions::{Fault, Problem};

impl Compiler<'_> {
    /// Enters a type under its name, so that others can use it.
    pub(super) fn declare(&mut self, definition: &TypeDefinition) {
        let name = definition.name.node.to_string();
        let position = definition.name.pos;
        let description = definition
            .description
            .as_ref()
            .map(|text| text.node.clone());
        let of_database = self.database_type(&name);
        let is_scalar = matches!(definition.kind, TypeKind::Scalar);
        if !self.is_name(&name, position) {
            return;
        }
        if self.names.contains_key(&name) {
            return self.add_in_types(Fault::Twice { name: name.clone() }, position, name.len());
        }
        let is_taken = self.schema().is_some_and(|schema| schema.has_type(&name));
        if is_taken && !(is_scalar && of_database.is_some()) {
            let fault = Fault::Clash {
                name: name.clone(),
                what: "a type of the schema",
            };
            return self.add_in_types(fault, position, name.len());
        }
        let index = |length: usize| length as u32;
        let declared = &mut self.declared;
        let key = match &definition.kind {
            TypeKind::Object(_) => {
                let object = ActionObject {
                    name: name.clone(),
                    description,
                    fields: vec![],
                    relations: vec![],
                };
                declared.objects.push(object);
                TypeKey::Object(Object::Action(index(declared.objects.len() - 1)))
            }
            TypeKind::InputObject(_) => {
                declared.inputs.push(ActionInput {
                    name: name.clone(),
                    description,
                    fields: vec![],
                });
                TypeKey::Input(InputObject::Action(index(declared.inputs.len() - 1)))
            }
            TypeKind::Enum(of) => {
                let about = |text: &Positioned<String>| text.node.clone();
                let values = of.values.iter().map(|value| &value.node);
                let values = values.map(|value| {
                    (
                        value.value.node.to_string(),
                        value.description.as_ref().map(about),
                    )
                });
                declared.enums.push(ActionEnum {
                    name: name.clone(),
                    description,
                    values: values.collect(),
                });
                TypeKey::Enum(Enum::Action(index(declared.enums.len() - 1)))
            }
            TypeKind::Scalar => match of_database {
                Some(oid) => TypeKey::Scalar(oid),
                None => {
                    declared.scalars.push(ActionScalar {
                        name: name.clone(),
                        description,
                    });
                    TypeKey::ActionScalar(index(declared.scalars.len() - 1))
                }
            },
            TypeKind::Interface(_) | TypeKind::Union(_) => return,
        };
        self.names.insert(name, key);
    }

    /// Adds the fields of a declared type.
    pub(super) fn fill(&mut self, definition: &TypeDefinition) {
        let name = definition.name.node.as_str();
        let key = self.names.get(name).copied();
        let count = match (&definition.kind, key) {
            (TypeKind::Object(object), Some(TypeKey::Object(Object::Action(index)))) => {
                let fields: Vec<ActionField> = object
                    .fields
                    .iter()
                    .map(|field| self.field(field))
                    .collect();
                self.check_twice(object.fields.iter().map(|field| &field.node.name));
                if let Some(object) = self.declared.objects.get_mut(index as usize) {
                    object.fields = fields;
                }
                object.fields.len()
            }
            (TypeKind::InputObject(input), Some(TypeKey::Input(InputObject::Action(index)))) => {
                let fields: Vec<ActionInputField> =
                    input.fields.iter().map(|field| self.input(field)).collect();
                self.check_twice(input.fields.iter().map(|field| &field.node.name));
                if let Some(input) = self.declared.inputs.get_mut(index as usize) {
                    input.fields = fields;
                }
                input.fields.len()
            }
            (TypeKind::Enum(of), Some(_)) => {
                self.check_twice(of.values.iter().map(|value| &value.node.value));
                of.values.len()
            }
            _ => 1,
        };
        if count == 0 {
            self.add_in_types(
                Fault::Empty {
                    name: name.to_owned(),
                },
                definition.name.pos,
                name.len(),
            );
        }
    }

    pub(super) fn check_twice<'n>(
        &mut self,
        names: impl Iterator<Item = &'n Positioned<async_graphql_value::Name>>,
    ) {
        let mut seen = HashSet::new();
        for name in names {
            if self.is_name(&name.node, name.pos) && !seen.insert(name.node.as_str()) {
                self.add_in_types(
                    Fault::Twice {
                        name: name.node.to_string(),
                    },
                    name.pos,
                    name.node.len(),
                );
            }
        }
    }

    pub(super) fn is_name(&mut self, name: &str, position: Pos) -> bool {
        let is_name = is_graphql(name) && !name.starts_with("__");
        if !is_name {
            self.add_in_types(
                Fault::NotAName {
                    name: name.to_owned(),
                },
                position,
                name.len(),
            );
        }
        is_name
    }

    pub(super) fn field(&mut self, field: &Positioned<FieldDefinition>) -> ActionField {
        let field = &field.node;
        if let Some(argument) = field.arguments.first() {
            let what = "an argument of a field that is no action".to_owned();
            self.add_in_types(
                Fault::Unsupported { what },
                argument.node.name.pos,
                argument.node.name.node.len(),
            );
        }
        ActionField {
            name: field.name.node.to_string(),
            description: field.description.as_ref().map(|text| text.node.clone()),
            r#type: self.type_ref(&field.ty, Use::Output).unwrap_or(FAULTY),
        }
    }

    pub(super) fn input(&mut self, input: &Positioned<InputValueDefinition>) -> ActionInputField {
        let input = &input.node;
        if let Some(default) = &input.default_value {
            self.add_in_types(
                Fault::Unsupported {
                    what: "a default value".into(),
                },
                default.pos,
                1,
            );
        }
        ActionInputField {
            name: input.name.node.to_string(),
            description: input.description.as_ref().map(|text| text.node.clone()),
            r#type: self.type_ref(&input.ty, Use::Input).unwrap_or(FAULTY),
        }
    }

    pub(super) fn type_ref(&mut self, r#type: &Positioned<Type>, used: Use) -> Option<TypeRef> {
        let type_ref = &r#type.node;
        let position = r#type.pos;
        let (name, list, sparse) = match &type_ref.base {
            BaseType::Named(name) => (name, false, false),
            BaseType::List(item) => match &item.base {
                BaseType::Named(name) => (name, true, item.nullable),
                BaseType::List(_) => {
                    self.add_in_types(
                        Fault::Unsupported {
                            what: "a list of lists".into(),
                        },
                        position,
                        2,
                    );
                    return None;
                }
            },
        };
        let Some(named) = self.named(name) else {
            let known: Vec<&str> = self.names.keys().map(String::as_str).collect();
            let help = permissions::did_you_mean(name, known);
            let types = &self.source.types;
            // The position is that of the whole type, which may begin with a bracket.
            let span = types.span_of(span(types, position, name.len() + usize::from(list)));
            let problem = Problem::new(
                Fault::UnknownType {
                    name: name.to_string(),
                },
                span,
            );
            self.problems.push(match help {
                Some(help) => problem.help(help),
                None => problem,
            });
            return None;
        };
        let expected = match (named, used) {
            (TypeKey::Object(_), Use::Input) => Some("an argument needs an input type"),
            (TypeKey::Input(_), Use::Output) => Some("a field needs an output type"),
            _ => None,
        };
        if let Some(expected) = expected {
            self.add_in_types(
                Fault::WrongKind {
                    name: name.to_string(),
                    expected,
                },
                position,
                name.len(),
            );
            return None;
        }
        Some(TypeRef {
            named,
            list,
            required: !type_ref.nullable,
            sparse,
        })
    }

    /// A type by its name: one of GraphQL, a declared one, or one of the database.
    pub(super) fn named(&self, name: &str) -> Option<TypeKey> {
        let built_in = BuiltIn::ALL.iter().find(|(_, known)| *known == name);
        let built_in = built_in.map(|(built_in, _)| TypeKey::BuiltIn(*built_in));
        let declared = || self.names.get(name).copied();
        built_in
            .or_else(declared)
            .or_else(|| self.database_type(name).map(TypeKey::Scalar))
    }

    pub(super) fn database_type(&self, name: &str) -> Option<Oid> {
        self.catalog
            .types
            .iter()
            .find(|known| graphql_name(known) == name)
            .map(|known| known.oid)
    }

    pub(super) fn schema(&self) -> Option<Schema<'_>> {
        self.permissions
            .role(ADMIN)
            .map(|access| Schema::new(access))
    }
}

//! Actions: root fields that a handler answers instead of the database, and the types that they
//! declare. The gateway compiles them from its files; [`crate::schema`] shows them to the roles
//! that have them.

use std::collections::HashMap;
use std::sync::Arc;

use super::Model;
use super::type_key::{Enum, InputObject, Object, TypeKey, TypeRef};
use crate::postgres::catalog::{ColumnId, TableId};
use crate::postgres::types::graphql_name;

/// All actions, and the types that they declare. [`TypeKey`]s contain indexes into these lists.
#[derive(Clone, Debug, Default)]
pub struct Actions {
    /// The actions. Names are unique within each kind, and differ from those of all other root
    /// fields.
    pub actions: Vec<Action>,
    /// The object types.
    pub objects: Vec<ActionObject>,
    /// The input object types.
    pub inputs: Vec<ActionInput>,
    /// The enums.
    pub enums: Vec<ActionEnum>,
    /// The scalars that are no types of the database.
    pub scalars: Vec<ActionScalar>,
}

/// The root type that has an action's field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ActionKind {
    /// A field of `query_root`.
    Query,
    /// A field of `mutation_root`.
    Mutation,
}

/// A root field that a handler answers.
#[derive(Clone, Debug)]
pub struct Action {
    /// The name in GraphQL.
    pub name: String,
    /// The description in GraphQL.
    pub description: Option<String>,
    /// The root type that has the field.
    pub kind: ActionKind,
    /// The arguments.
    pub arguments: Vec<ActionInputField>,
    /// The type of the field.
    pub output: TypeRef,
    /// Whether `subscription_root` has the field of a query, too: its answer changes by itself.
    pub is_live: bool,
}

/// An argument of an action, or a field of an input object type.
#[derive(Clone, Debug)]
pub struct ActionInputField {
    /// The name.
    pub name: String,
    /// The description in GraphQL.
    pub description: Option<String>,
    /// The type.
    pub r#type: TypeRef,
}

/// An object type.
#[derive(Clone, Debug)]
pub struct ActionObject {
    /// The name.
    pub name: String,
    /// The description in GraphQL.
    pub description: Option<String>,
    /// The fields that the handler's answer has.
    pub fields: Vec<ActionField>,
    /// The relations to tables.
    pub relations: Vec<ActionRelation>,
}

/// A field of an object type.
#[derive(Clone, Debug)]
pub struct ActionField {
    /// The name, in GraphQL and in the handler's answer.
    pub name: String,
    /// The description in GraphQL.
    pub description: Option<String>,
    /// The type.
    pub r#type: TypeRef,
}

/// A relation from an object type to a table.
#[derive(Clone, Debug)]
pub struct ActionRelation {
    /// The name of the field.
    pub name: String,
    /// The table.
    pub table: TableId,
    /// Pairs of equal values: the name of a field of the object, and a column of the table.
    pub on: Vec<(String, ColumnId)>,
    /// Whether it leads to at most one row.
    pub one: bool,
}

/// An input object type.
#[derive(Clone, Debug)]
pub struct ActionInput {
    /// The name.
    pub name: String,
    /// The description in GraphQL.
    pub description: Option<String>,
    /// The fields.
    pub fields: Vec<ActionInputField>,
}

/// An enum.
#[derive(Clone, Debug)]
pub struct ActionEnum {
    /// The name.
    pub name: String,
    /// The description in GraphQL.
    pub description: Option<String>,
    /// The values with their descriptions.
    pub values: Vec<(String, Option<String>)>,
}

/// A scalar that takes any JSON value.
#[derive(Clone, Debug)]
pub struct ActionScalar {
    /// The name.
    pub name: String,
    /// The description in GraphQL.
    pub description: Option<String>,
}

/// The actions that a role has.
#[derive(Debug)]
pub struct GrantedActions {
    all: Arc<Actions>,
    granted: Vec<u32>,
    types: HashMap<String, TypeKey>,
}

impl Actions {
    /// The name of a type that an action declares; `None` for other types.
    pub fn type_name(&self, key: TypeKey) -> Option<&str> {
        match key {
            TypeKey::Object(Object::Action(index)) => {
                self.objects.get(index as usize).map(|object| &*object.name)
            }
            TypeKey::Input(InputObject::Action(index)) => {
                self.inputs.get(index as usize).map(|input| &*input.name)
            }
            TypeKey::Enum(Enum::Action(index)) => {
                self.enums.get(index as usize).map(|of| &*of.name)
            }
            TypeKey::ActionScalar(index) => {
                self.scalars.get(index as usize).map(|scalar| &*scalar.name)
            }
            _ => None,
        }
    }

    /// The types that a type's fields have.
    fn members(&self, key: TypeKey) -> Vec<TypeKey> {
        match key {
            TypeKey::Object(Object::Action(index)) => {
                let fields = self
                    .objects
                    .get(index as usize)
                    .map(|object| object.fields.as_slice());
                fields
                    .unwrap_or_default()
                    .iter()
                    .map(|field| field.r#type.named)
                    .collect()
            }
            TypeKey::Input(InputObject::Action(index)) => {
                let fields = self
                    .inputs
                    .get(index as usize)
                    .map(|input| input.fields.as_slice());
                fields
                    .unwrap_or_default()
                    .iter()
                    .map(|field| field.r#type.named)
                    .collect()
            }
            _ => Vec::new(),
        }
    }
}

impl GrantedActions {
    /// Grants the actions with these indexes.
    pub fn new(all: Arc<Actions>, granted: Vec<u32>, model: &Model) -> GrantedActions {
        let actions = granted
            .iter()
            .filter_map(|index| all.actions.get(*index as usize));
        let mentioned = |action: &Action| {
            let arguments = action
                .arguments
                .iter()
                .map(|argument| argument.r#type.named);
            arguments.chain([action.output.named]).collect::<Vec<_>>()
        };
        let mut next: Vec<TypeKey> = actions.flat_map(mentioned).collect();
        let mut types = HashMap::new();
        while let Some(key) = next.pop() {
            let of_database = |oid| model.catalog().type_of(oid).map(graphql_name);
            let name = match key {
                TypeKey::Scalar(oid) => of_database(oid),
                key => all.type_name(key).map(str::to_owned),
            };
            if let Some(name) = name.filter(|name| !types.contains_key(name)) {
                types.insert(name, key);
                next.extend(all.members(key));
            }
        }
        GrantedActions {
            all,
            granted,
            types,
        }
    }

    /// All actions and types, also those that the role does not have.
    pub fn all(&self) -> &Actions {
        &self.all
    }

    /// The granted actions of a kind with their indexes.
    pub fn of_kind(&self, kind: ActionKind) -> impl Iterator<Item = (u32, &Action)> {
        let actions = self
            .granted
            .iter()
            .filter_map(|index| Some((*index, self.all.actions.get(*index as usize)?)));
        actions.filter(move |(_, action)| action.kind == kind)
    }

    /// The type with that name that a granted action uses.
    pub fn named(&self, name: &str) -> Option<TypeKey> {
        self.types.get(name).copied()
    }
}

//! Actions in the schema: the root fields of those that the role has, and the types that they
//! declare.

use super::*;
use crate::model::action::{Action, ActionInputField, ActionKind, ActionRelation};

impl<'a> Schema<'a> {
    /// The actions of a kind that the role has.
    pub(super) fn action_roots(
        &self,
        kind: ActionKind,
    ) -> impl Iterator<Item = FieldDefinition<'a>> {
        let granted = self
            .access
            .actions()
            .into_iter()
            .flat_map(move |granted| granted.of_kind(kind));
        granted.map(|(index, action)| action_root(index, action))
    }

    /// The actions that the role can subscribe to.
    pub(super) fn live_action_roots(&self) -> impl Iterator<Item = FieldDefinition<'a>> {
        let granted = self
            .access
            .actions()
            .into_iter()
            .flat_map(|granted| granted.of_kind(ActionKind::Query));
        granted
            .filter(|(_, action)| action.is_live)
            .map(|(index, action)| action_root(index, action))
    }

    pub(super) fn action_root(&self, kind: ActionKind, name: &str) -> Option<FieldDefinition<'a>> {
        let mut granted = self.access.actions()?.of_kind(kind);
        granted
            .find(|(_, action)| action.name == name)
            .map(|(index, action)| action_root(index, action))
    }

    /// Whether the role has an action of that kind.
    pub(super) fn has_actions(&self, kind: ActionKind) -> bool {
        self.access
            .actions()
            .is_some_and(|granted| granted.of_kind(kind).next().is_some())
    }

    pub(super) fn action_fields(&self, object: u32) -> Vec<FieldDefinition<'a>> {
        let Some(object) = self
            .access
            .actions()
            .and_then(|granted| granted.all().objects.get(object as usize))
        else {
            return Vec::new();
        };
        let fields = object.fields.iter().map(|field| FieldDefinition {
            name: &field.name,
            r#type: field.r#type,
            arguments: Vec::new(),
            meaning: Meaning::ActionField,
        });
        let relations = object
            .relations
            .iter()
            .filter_map(|relation| self.action_relation(relation));
        fields.chain(relations).collect()
    }

    /// A relation to a table, if the role may list the table's rows and read the columns that join
    /// it.
    fn action_relation(&self, relation: &'a ActionRelation) -> Option<FieldDefinition<'a>> {
        let table = relation.table;
        let listed = self.access.read(table, Purpose::Root(RootKind::List))?;
        let is_joined = relation
            .on
            .iter()
            .all(|(_, column)| listed.columns.contains(*column));
        let is_shown = is_joined && self.has_fields(table);
        let row = TypeKey::Object(Object::Row(table));
        is_shown.then(|| FieldDefinition {
            name: &relation.name,
            r#type: if relation.one {
                TypeRef::nullable(row)
            } else {
                TypeRef::required_list(row)
            },
            arguments: if relation.one {
                Vec::new()
            } else {
                self.list_arguments(table)
            },
            meaning: Meaning::ActionRelation(relation),
        })
    }

    pub(super) fn action_input_fields(&self, input: u32) -> Vec<InputField<'a>> {
        let input = self
            .access
            .actions()
            .and_then(|granted| granted.all().inputs.get(input as usize));
        let fields = input.map(|input| input.fields.iter()).into_iter().flatten();
        let field = |field: &'a ActionInputField| InputField {
            name: &field.name,
            r#type: field.r#type,
            meaning: InputMeaning::Part,
        };
        fields.map(field).collect()
    }

    pub(super) fn action_values(&self, of: u32) -> Vec<&'a str> {
        let of = self
            .access
            .actions()
            .and_then(|granted| granted.all().enums.get(of as usize));
        of.map(|of| of.values.iter().map(|(name, _)| name.as_str()).collect())
            .unwrap_or_default()
    }

    /// The name of a type that an action declares.
    pub(super) fn action_type_name(&self, key: TypeKey) -> String {
        let name = self
            .access
            .actions()
            .and_then(|granted| granted.all().type_name(key));
        name.unwrap_or_default().to_owned()
    }

    /// The type with that name that an action of the role uses.
    pub(super) fn action_named(&self, name: &str) -> Option<TypeKey> {
        self.access.actions()?.named(name)
    }

    /// Whether a name is that of a type which some table, function or operator has. Names that
    /// actions declare are checked with it, before any action is granted.
    pub fn has_type(&self, name: &str) -> bool {
        let is_root = matches!(
            name,
            "query_root" | "mutation_root" | "subscription_root" | "PageInfo"
        );
        is_root
            || BuiltIn::ALL.iter().any(|(_, known)| *known == name)
            || self.search(name).is_some()
    }
}

fn action_root(index: u32, action: &Action) -> FieldDefinition<'_> {
    FieldDefinition {
        name: &action.name,
        r#type: action.output,
        arguments: action
            .arguments
            .iter()
            .map(|given| Argument {
                name: &given.name,
                r#type: given.r#type,
            })
            .collect(),
        meaning: Meaning::Action(index, action),
    }
}

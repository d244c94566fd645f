//! The types whose rows a router may ask for by their keys: those with a primary key and a list
//! that the role may use.

use indexmap::IndexMap;
use indexmap::map::Entry;
use sql::model::Root;
use sql::model::access::Access;
use sql::model::names::RootKind;
use sql::postgres::catalog::{Oid, TableId, TypeKind};
use sql::postgres::encoder::JsonKind;
use sql::schema::{InputObject, Object, Schema, TypeKey};

/// A type whose rows the router may ask for by their keys.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entity {
    /// The GraphQL type of a row.
    pub(super) name: String,
    /// The root field that lists the rows.
    pub(super) list: String,
    /// The fields of the primary key.
    pub(super) keys: Vec<KeyField>,
}

/// A field of an entity's key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct KeyField {
    pub(super) name: String,
    /// The type of a list of its values, as a variable has it.
    pub(super) list_type: String,
    /// Whether a value may be any JSON but null, not a text, a number or a Boolean alone.
    pub(super) is_json: bool,
}

impl Entity {
    /// The fields of the key, as `@key` names them.
    pub(super) fn key_fields(&self) -> String {
        self.keys
            .iter()
            .map(|key| key.name.as_str())
            .collect::<Vec<_>>()
            .join(" ")
    }
}

/// The tables whose rows the role may list and tell apart.
pub(super) fn entities(access: &Access) -> Vec<Entity> {
    let schema = Schema::new(access);
    let mut found: IndexMap<TableId, Entity> = IndexMap::new();
    let lists = schema
        .model()
        .roots()
        .filter(|root| root.kind == RootKind::List);
    for root in lists {
        // A table may have several lists.
        if let Entry::Vacant(entry) = found.entry(root.table)
            && let Some(entity) = entity(&schema, root)
        {
            entry.insert(entity);
        }
    }
    found.into_values().collect()
}

/// The entity of this GraphQL type.
pub(super) fn entity_of(schema: &Schema<'_>, name: &str) -> Option<Entity> {
    let Some(TypeKey::Object(Object::Row(table))) = schema.named(name) else {
        return None;
    };
    let mut lists = schema
        .model()
        .roots()
        .filter(|root| root.kind == RootKind::List && root.table == table);
    lists.find_map(|root| entity(schema, root))
}

/// The entity that a list has, if the role may use the list, and may read the key and compare it
/// with a list.
fn entity(schema: &Schema<'_>, root: &Root) -> Option<Entity> {
    let field = schema.field(Object::Query, &root.name)?;
    let condition = field
        .arguments
        .iter()
        .find(|argument| argument.name == "where")?;
    let TypeKey::Input(condition) = condition.r#type.named else {
        return None;
    };
    let keys = schema
        .key_columns(root.table)?
        .into_iter()
        .map(|(column, name)| {
            let r#type = schema.model().table(root.table).column(column).r#type;
            key_field(schema, condition, name, r#type)
        });
    Some(Entity {
        name: schema.name(TypeKey::Object(Object::Row(root.table))),
        list: root.name.clone(),
        keys: keys.collect::<Option<_>>()?,
    })
}

/// A column of a primary key as a field of an entity's key. None for arrays and composite types,
/// whose values are no scalars in `@key` and cannot be elements of a list.
fn key_field(
    schema: &Schema<'_>,
    condition: InputObject,
    name: &str,
    r#type: Oid,
) -> Option<KeyField> {
    let base = schema.model().catalog().base_type(r#type)?;
    if matches!(base.kind, TypeKind::Array(_) | TypeKind::Composite(_)) {
        return None;
    }
    let TypeKey::Input(comparison) = schema.input_field(condition, name)?.r#type.named else {
        return None;
    };
    let list_type = schema.written(schema.input_field(comparison, "_in")?.r#type);
    let is_json = matches!(schema.scalar(r#type).output.encoder.json(), JsonKind::Any);
    Some(KeyField {
        name: name.to_owned(),
        list_type,
        is_json,
    })
}

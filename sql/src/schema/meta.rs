//! The introspection types `__Schema`, `__Type` and so on, which are the same for every role.
//! <https://spec.graphql.org/October2021/#sec-Schema-Introspection>
//!
//! This file declares their fields and arguments; [`crate::introspection`] answers them.

use super::{Argument, BuiltIn, Enum, FieldDefinition, Meaning, Meta, Object, TypeKey, TypeRef};

/// The values of `__TypeKind`.
pub(super) const TYPE_KINDS: [&str; 8] = [
    "SCALAR",
    "OBJECT",
    "INTERFACE",
    "UNION",
    "ENUM",
    "INPUT_OBJECT",
    "LIST",
    "NON_NULL",
];

/// The values of `__DirectiveLocation`.
pub(super) const DIRECTIVE_LOCATIONS: [&str; 19] = [
    "QUERY",
    "MUTATION",
    "SUBSCRIPTION",
    "FIELD",
    "FRAGMENT_DEFINITION",
    "FRAGMENT_SPREAD",
    "INLINE_FRAGMENT",
    "VARIABLE_DEFINITION",
    "SCHEMA",
    "SCALAR",
    "OBJECT",
    "FIELD_DEFINITION",
    "ARGUMENT_DEFINITION",
    "INTERFACE",
    "UNION",
    "ENUM",
    "ENUM_VALUE",
    "INPUT_OBJECT",
    "INPUT_FIELD_DEFINITION",
];

const STRING: TypeKey = TypeKey::BuiltIn(BuiltIn::String);
const BOOLEAN: TypeKey = TypeKey::BuiltIn(BuiltIn::Boolean);
const TYPE: TypeKey = TypeKey::Object(Object::Meta(Meta::Type));
const FIELD: TypeKey = TypeKey::Object(Object::Meta(Meta::Field));
const INPUT_VALUE: TypeKey = TypeKey::Object(Object::Meta(Meta::InputValue));
const ENUM_VALUE: TypeKey = TypeKey::Object(Object::Meta(Meta::EnumValue));
const DIRECTIVE: TypeKey = TypeKey::Object(Object::Meta(Meta::Directive));

impl Meta {
    pub(super) fn fields(self) -> Vec<FieldDefinition<'static>> {
        match self {
            Meta::Schema => schema(),
            Meta::Type => r#type(),
            Meta::Field => field(),
            Meta::InputValue => input_value(),
            Meta::EnumValue => enum_value(),
            Meta::Directive => directive(),
        }
    }
}

/// The introspection type with that name.
pub(super) fn named(name: &str) -> Option<TypeKey> {
    match name {
        "__TypeKind" => Some(TypeKey::Enum(Enum::TypeKind)),
        "__DirectiveLocation" => Some(TypeKey::Enum(Enum::DirectiveLocation)),
        _ => Meta::ALL
            .iter()
            .find(|(_, n)| *n == name)
            .map(|(meta, _)| TypeKey::Object(Object::Meta(*meta))),
    }
}

/// `__schema` or `__type`: fields of `query_root` that introspection does not list.
pub(super) fn root(name: &str) -> Option<FieldDefinition<'static>> {
    match name {
        "__schema" => Some(plain(
            "__schema",
            TypeRef::required(TypeKey::Object(Object::Meta(Meta::Schema))),
        )),
        "__type" => {
            let name = Argument {
                name: "name",
                r#type: TypeRef::required(STRING),
            };
            Some(FieldDefinition {
                arguments: vec![name],
                ..plain("__type", TypeRef::nullable(TYPE))
            })
        }
        _ => None,
    }
}

fn schema() -> Vec<FieldDefinition<'static>> {
    vec![
        plain("description", TypeRef::nullable(STRING)),
        plain("types", TypeRef::required_list(TYPE)),
        plain("queryType", TypeRef::required(TYPE)),
        plain("mutationType", TypeRef::nullable(TYPE)),
        plain("subscriptionType", TypeRef::nullable(TYPE)),
        plain("directives", TypeRef::required_list(DIRECTIVE)),
    ]
}

fn r#type() -> Vec<FieldDefinition<'static>> {
    vec![
        plain("kind", TypeRef::required(TypeKey::Enum(Enum::TypeKind))),
        plain("name", TypeRef::nullable(STRING)),
        plain("description", TypeRef::nullable(STRING)),
        with_deprecated("fields", TypeRef::list(FIELD)),
        plain("interfaces", TypeRef::list(TYPE)),
        plain("possibleTypes", TypeRef::list(TYPE)),
        with_deprecated("enumValues", TypeRef::list(ENUM_VALUE)),
        with_deprecated("inputFields", TypeRef::list(INPUT_VALUE)),
        plain("ofType", TypeRef::nullable(TYPE)),
        plain("specifiedByURL", TypeRef::nullable(STRING)),
        plain("isOneOf", TypeRef::nullable(BOOLEAN)),
    ]
}

fn field() -> Vec<FieldDefinition<'static>> {
    let mut fields = named_and_described();
    fields.push(with_deprecated("args", TypeRef::required_list(INPUT_VALUE)));
    fields.push(plain("type", TypeRef::required(TYPE)));
    fields.extend(deprecation());
    fields
}

fn input_value() -> Vec<FieldDefinition<'static>> {
    let mut fields = named_and_described();
    fields.push(plain("type", TypeRef::required(TYPE)));
    fields.push(plain("defaultValue", TypeRef::nullable(STRING)));
    fields.extend(deprecation());
    fields
}

fn enum_value() -> Vec<FieldDefinition<'static>> {
    let mut fields = named_and_described();
    fields.extend(deprecation());
    fields
}

fn directive() -> Vec<FieldDefinition<'static>> {
    let mut fields = named_and_described();
    fields.push(plain(
        "locations",
        TypeRef::required_list(TypeKey::Enum(Enum::DirectiveLocation)),
    ));
    fields.push(with_deprecated("args", TypeRef::required_list(INPUT_VALUE)));
    fields.push(plain("isRepeatable", TypeRef::required(BOOLEAN)));
    fields
}

fn named_and_described() -> Vec<FieldDefinition<'static>> {
    vec![
        plain("name", TypeRef::required(STRING)),
        plain("description", TypeRef::nullable(STRING)),
    ]
}

fn deprecation() -> [FieldDefinition<'static>; 2] {
    [
        plain("isDeprecated", TypeRef::required(BOOLEAN)),
        plain("deprecationReason", TypeRef::nullable(STRING)),
    ]
}

fn plain(name: &'static str, r#type: TypeRef) -> FieldDefinition<'static> {
    FieldDefinition {
        name,
        r#type,
        arguments: Vec::new(),
        meaning: Meaning::Introspection,
    }
}

fn with_deprecated(name: &'static str, r#type: TypeRef) -> FieldDefinition<'static> {
    let argument = Argument {
        name: "includeDeprecated",
        r#type: TypeRef::nullable(BOOLEAN),
    };
    FieldDefinition {
        arguments: vec![argument],
        ..plain(name, r#type)
    }
}

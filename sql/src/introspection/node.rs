//! What introspection says about each element of a schema: the schema itself, types, fields,
//! arguments and values. All of it is computed when it is written, from [`crate::schema`].

use std::borrow::Cow;
use std::{slice, vec};

use async_graphql_value::ConstValue;

use super::built_in::{BUILT_IN, member, text};
use super::descriptions::SchemaDescriptions;
use super::reachable_types::ReachableTypes;
use super::selection::SelectedField;
use super::type_shape::{TypeShape, Wrapper};
use crate::model::DefaultExposure;
use crate::schema::{
    Argument, Enum, FieldDefinition, InputField, InputObject, Object, Schema, TypeKey,
};

/// An element of a schema.
pub(super) enum Node<'a> {
    Schema,
    Type(TypeShape),
    Field(Object, FieldDefinition<'a>),
    Argument(Object, Argument<'a>),
    InputField(InputObject, InputField<'a>),
    /// A value of an enum; those of Postgres' enums have no key.
    EnumValue(Option<Enum>, &'a str),
    /// An element that every schema has.
    BuiltIn(&'static ConstValue),
}

/// A list of elements, of which each is made when it is written.
pub(super) enum Nodes<'a> {
    Types(slice::Iter<'a, TypeKey>),
    Fields(Object, vec::IntoIter<FieldDefinition<'a>>),
    Arguments(Object, vec::IntoIter<Argument<'a>>),
    InputFields(InputObject, vec::IntoIter<InputField<'a>>),
    EnumValues(Option<Enum>, vec::IntoIter<&'a str>),
    BuiltIn(slice::Iter<'static, ConstValue>),
}

/// The value of a field.
pub(super) enum Value<'a> {
    Null,
    Boolean(bool),
    Text(Cow<'a, str>),
    BuiltIn(&'static ConstValue),
    Node(Node<'a>),
    List(Nodes<'a>),
}

/// A role's schema as introspection shows it.
#[derive(Clone, Copy)]
pub(super) struct IntrospectedSchema<'a> {
    pub(super) schema: Schema<'a>,
    pub(super) about: SchemaDescriptions<'a>,
    pub(super) types: &'a ReachableTypes,
}

impl<'a> IntrospectedSchema<'a> {
    pub(super) fn new(schema: Schema<'a>, types: &'a ReachableTypes) -> IntrospectedSchema<'a> {
        IntrospectedSchema {
            schema,
            about: SchemaDescriptions::new(schema),
            types,
        }
    }

    /// The value of a root field.
    pub(super) fn root(&self, field: &SelectedField) -> Value<'a> {
        if field.name == "__schema" {
            return Value::Node(Node::Schema);
        }
        let named = field
            .type_name
            .as_deref()
            .and_then(|name| self.schema.named(name));
        named.map_or(Value::Null, |named| self.named(named))
    }

    /// The value of a field of an element.
    pub(super) fn value(&self, node: &Node<'a>, field: &SelectedField) -> Value<'a> {
        let name = field.name.as_str();
        match node {
            Node::Schema => self.schema_value(name),
            Node::Type(shape) => self.type_value(*shape, name),
            Node::Field(object, definition) => match name {
                "__typename" => fixed("__Field"),
                "name" => Value::Text(definition.name.into()),
                "description" => optional(self.about.field(*object, definition)),
                "args" => Value::List(Nodes::Arguments(
                    *object,
                    definition.arguments.clone().into_iter(),
                )),
                "type" => self.shape(TypeShape::new(self.schema, definition.r#type)),
                name => deprecation(name),
            },
            Node::Argument(object, argument) => match name {
                "__typename" => fixed("__InputValue"),
                "name" => Value::Text(argument.name.into()),
                "description" => optional(self.about.argument(*object, argument.name)),
                "type" => self.shape(TypeShape::new(self.schema, argument.r#type)),
                name => deprecation(name),
            },
            Node::InputField(input, definition) => match name {
                "__typename" => fixed("__InputValue"),
                "name" => Value::Text(definition.name.into()),
                "description" => optional(self.about.input_field(*input, definition)),
                "type" => self.shape(TypeShape::new(self.schema, definition.r#type)),
                "defaultValue" => definition.default().map_or(Value::Null, fixed),
                name => deprecation(name),
            },
            Node::EnumValue(of, value) => match name {
                "__typename" => fixed("__EnumValue"),
                "name" => Value::Text((*value).into()),
                "description" => optional(of.and_then(|of| self.about.value(of, value))),
                name => deprecation(name),
            },
            Node::BuiltIn(built_in) => built_in_value(built_in, name),
        }
    }

    fn schema_value(&self, name: &str) -> Value<'a> {
        match name {
            "__typename" => fixed("__Schema"),
            "description" => fixed(&BUILT_IN.description),
            "types" => Value::List(Nodes::Types(self.types.keys().iter())),
            "queryType" => self.named(TypeKey::Object(Object::Query)),
            "mutationType" if self.schema.has_mutations() => {
                self.named(TypeKey::Object(Object::Mutation))
            }
            "subscriptionType" if self.schema.has_subscriptions() => {
                self.named(TypeKey::Object(Object::Subscription))
            }
            "directives" => {
                Value::List(Nodes::BuiltIn(BUILT_IN.directives(self.is_sorted()).iter()))
            }
            _ => Value::Null,
        }
    }

    fn type_value(&self, shape: TypeShape, name: &str) -> Value<'a> {
        if name == "__typename" {
            return fixed("__Type");
        }
        if let Some((wrapper, inner)) = shape.unwrap() {
            return match (name, wrapper) {
                ("kind", Wrapper::NonNull) => fixed("NON_NULL"),
                ("kind", Wrapper::List) => fixed("LIST"),
                ("ofType", _) => self.shape(inner),
                _ => Value::Null,
            };
        }
        let named = shape.named;
        match (name, named) {
            ("kind", named) => fixed(self.kind(named)),
            ("name", named) => Value::Text(self.schema.name(named).into()),
            ("description", named) => optional(self.describe(named)),
            ("fields", TypeKey::Object(object)) => {
                Value::List(Nodes::Fields(object, self.fields(object).into_iter()))
            }
            ("interfaces", TypeKey::Object(_)) => Value::List(Nodes::BuiltIn([].iter())),
            ("inputFields", TypeKey::Input(input)) => Value::List(Nodes::InputFields(
                input,
                self.input_fields(input).into_iter(),
            )),
            ("isOneOf", TypeKey::Input(_)) => Value::Boolean(false),
            ("enumValues", named) => match self.enum_values(named) {
                Some((of, values)) => Value::List(Nodes::EnumValues(of, values.into_iter())),
                None => Value::Null,
            },
            _ => Value::Null,
        }
    }

    fn kind(&self, named: TypeKey) -> &'static str {
        match named {
            TypeKey::Object(_) => "OBJECT",
            TypeKey::Input(_) => "INPUT_OBJECT",
            TypeKey::Enum(_) => "ENUM",
            TypeKey::Scalar(oid) if self.schema.model().graphql_enum(oid).is_some() => "ENUM",
            TypeKey::Scalar(_) | TypeKey::ActionScalar(_) | TypeKey::BuiltIn(_) => "SCALAR",
        }
    }

    pub(super) fn describe(&self, named: TypeKey) -> Option<String> {
        match named {
            TypeKey::Object(object) => self.about.object(object),
            TypeKey::Input(input) => self.about.input(input),
            TypeKey::Enum(of) => self.about.values(of),
            TypeKey::Scalar(oid) => self.about.scalar(oid),
            TypeKey::ActionScalar(index) => self.about.action_scalar(index),
            TypeKey::BuiltIn(_) => None,
        }
    }

    /// Whether fields and values are sorted by name, as in Hasura, instead of in the order of the
    /// catalog. That dialect also has the directive `@cached`.
    pub(super) fn is_sorted(&self) -> bool {
        self.schema.model().offer() == DefaultExposure::AsHasura
    }

    pub(super) fn fields(&self, object: Object) -> Vec<FieldDefinition<'a>> {
        let mut fields = self.schema.fields(object);
        if self.is_sorted() {
            fields.sort_by_key(|field| field.name);
        }
        fields
    }

    pub(super) fn input_fields(&self, input: InputObject) -> Vec<InputField<'a>> {
        let mut fields = self.schema.input_fields(input);
        if self.is_sorted() {
            fields.sort_by_key(|field| field.name);
        }
        fields
    }

    /// The values of a type that is an enum.
    pub(super) fn enum_values(&self, named: TypeKey) -> Option<(Option<Enum>, Vec<&'a str>)> {
        match named {
            TypeKey::Enum(of) => {
                let mut values = self.schema.values(of);
                if self.is_sorted() {
                    values.sort_unstable();
                }
                Some((Some(of), values))
            }
            TypeKey::Scalar(oid) => {
                let labels = self.schema.model().graphql_enum(oid)?;
                Some((None, labels.iter().map(String::as_str).collect()))
            }
            _ => None,
        }
    }

    fn named(&self, named: TypeKey) -> Value<'a> {
        self.shape(TypeShape::named(named))
    }

    fn shape(&self, shape: TypeShape) -> Value<'a> {
        Value::Node(self.node(shape))
    }

    fn node(&self, shape: TypeShape) -> Node<'a> {
        let is_plain = shape.unwrap().is_none();
        match self.built_in(shape.named).filter(|_| is_plain) {
            Some(built_in) => Node::BuiltIn(built_in),
            None => Node::Type(shape),
        }
    }

    /// The description of a type that every schema has. Some scalars of Postgres have the names of
    /// such types.
    pub(super) fn built_in(&self, named: TypeKey) -> Option<&'static ConstValue> {
        let may_be = matches!(
            named,
            TypeKey::BuiltIn(_)
                | TypeKey::Scalar(_)
                | TypeKey::Object(Object::Meta(_))
                | TypeKey::Enum(Enum::TypeKind | Enum::DirectiveLocation)
        );
        if may_be {
            BUILT_IN.named(&self.schema.name(named))
        } else {
            None
        }
    }

    /// The next element of a list.
    pub(super) fn next(&self, nodes: &mut Nodes<'a>) -> Option<Node<'a>> {
        match nodes {
            Nodes::Types(types) => types
                .next()
                .map(|named| self.node(TypeShape::named(*named))),
            Nodes::Fields(object, fields) => fields.next().map(|field| Node::Field(*object, field)),
            Nodes::Arguments(object, arguments) => arguments
                .next()
                .map(|argument| Node::Argument(*object, argument)),
            Nodes::InputFields(input, fields) => {
                fields.next().map(|field| Node::InputField(*input, field))
            }
            Nodes::EnumValues(of, values) => values.next().map(|value| Node::EnumValue(*of, value)),
            Nodes::BuiltIn(elements) => elements.next().map(Node::BuiltIn),
        }
    }
}

fn fixed<'a>(text: &'static str) -> Value<'a> {
    Value::Text(Cow::Borrowed(text))
}

fn optional<'a>(text: Option<String>) -> Value<'a> {
    text.map_or(Value::Null, |text| Value::Text(text.into()))
}

/// No element is deprecated.
fn deprecation<'a>(name: &str) -> Value<'a> {
    if name == "isDeprecated" {
        Value::Boolean(false)
    } else {
        Value::Null
    }
}

fn built_in_value<'a>(element: &'static ConstValue, name: &str) -> Value<'a> {
    match member(element, name) {
        // Names of locations are a list without objects.
        ConstValue::List(elements) if name != "locations" => {
            Value::List(Nodes::BuiltIn(elements.iter()))
        }
        // A reference has only a type's name and kind.
        reference @ ConstValue::Object(_) => {
            let full = text(reference, "name").and_then(|name| BUILT_IN.named(name));
            Value::Node(Node::BuiltIn(full.unwrap_or(reference)))
        }
        value => Value::BuiltIn(value),
    }
}

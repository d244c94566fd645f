//! The schema of a role as `async-graphql` builds and introspects it: the reference for Postern's
//! own introspection.

use std::collections::{HashSet, VecDeque};

use async_graphql::dynamic::{self, EnumItem, FieldFuture, InputValue};

use crate::introspection::descriptions::SchemaDescriptions;
use crate::model::DefaultExposure;
use crate::model::access::Access;
use crate::schema::{BuiltIn, Enum, InputObject, Object, Schema, TypeKey, TypeRef};

/// The schema of a role.
pub(super) fn build(access: &Access) -> dynamic::Schema {
    let schema = Schema::new(access);
    let query = TypeKey::Object(Object::Query);
    let mutation = schema
        .has_mutations()
        .then_some(TypeKey::Object(Object::Mutation));
    let mutation_name = mutation.map(|mutation| schema.name(mutation));
    let subscription = schema
        .has_subscriptions()
        .then_some(TypeKey::Object(Object::Subscription));
    let subscription_name = subscription.map(|subscription| schema.name(subscription));
    let builder = dynamic::Schema::build(
        &schema.name(query),
        mutation_name.as_deref(),
        subscription_name.as_deref(),
    )
    .disable_suggestions()
    .validation_mode(async_graphql::ValidationMode::Fast)
    .limit_recursive_depth(RECURSION);
    let mut walk = Walk {
        schema,
        about: SchemaDescriptions::new(schema),
        seen: HashSet::new(),
        next: VecDeque::new(),
    };
    walk.add_reachable(query);
    mutation.map(|mutation| walk.add_reachable(mutation));
    subscription.map(|subscription| walk.add_reachable(subscription));
    let mut builder = builder;
    while let Some((name, named)) = walk.next.pop_front() {
        if let Some(found) = walk.register(name, named) {
            builder = builder.register(found);
        }
    }
    builder.finish().unwrap()
}

/// A recursion limit for `async-graphql`, above the limits of [`crate::graphql::document`].
const RECURSION: usize = 1_000;

/// An item of the streams of `subscription_root`, which are never executed.
type NoResult = async_graphql::Result<dynamic::FieldValue<'static>>;

struct Walk<'a> {
    schema: Schema<'a>,
    about: SchemaDescriptions<'a>,
    seen: HashSet<String>,
    next: VecDeque<(String, TypeKey)>,
}

impl Walk<'_> {
    /// Whether fields and values are sorted by name, as in Hasura, instead of in the order of the
    /// catalog.
    fn sorted(&self) -> bool {
        self.schema.model().offer() == DefaultExposure::AsHasura
    }

    /// Adds a type to the queue unless it has been seen, and returns its name.
    fn add_reachable(&mut self, named: TypeKey) -> String {
        let name = self.schema.name(named);
        let provided = BuiltIn::ALL.iter().any(|(_, built_in)| *built_in == name);
        if !provided && self.seen.insert(name.clone()) {
            self.next.push_back((name.clone(), named));
        }
        name
    }

    fn dynamic_type(&mut self, type_ref: TypeRef) -> dynamic::TypeRef {
        let of_array = self.schema.list_element(type_ref.named);
        let name = self.add_reachable(of_array.unwrap_or(type_ref.named));
        let required = |shown: dynamic::TypeRef| dynamic::TypeRef::NonNull(Box::new(shown));
        let list = |shown: dynamic::TypeRef| dynamic::TypeRef::List(Box::new(shown));
        let mut shown = dynamic::TypeRef::named(name);
        if of_array.is_some() {
            shown = list(required(shown));
        }
        if type_ref.list {
            shown = list(if type_ref.sparse {
                shown
            } else {
                required(shown)
            });
        }
        if type_ref.required {
            required(shown)
        } else {
            shown
        }
    }

    fn register(&mut self, name: String, named: TypeKey) -> Option<dynamic::Type> {
        Some(match named {
            TypeKey::Object(Object::Subscription) => self.subscription(name).into(),
            TypeKey::Object(object) => self.object(name, object).into(),
            TypeKey::Input(input) => self.input(name, input).into(),
            TypeKey::Enum(of) => self.values(name, of).into(),
            TypeKey::Scalar(oid) => {
                if let Some(labels) = self.schema.model().graphql_enum(oid) {
                    let about = self.about.scalar(oid);
                    let shown =
                        described(dynamic::Enum::new(name), about, dynamic::Enum::description);
                    return Some(
                        labels
                            .iter()
                            .map(EnumItem::new)
                            .fold(shown, dynamic::Enum::item)
                            .into(),
                    );
                }
                let scalar = dynamic::Scalar::new(name);
                described(scalar, self.about.scalar(oid), dynamic::Scalar::description).into()
            }
            TypeKey::ActionScalar(index) => {
                let scalar = dynamic::Scalar::new(name);
                described(
                    scalar,
                    self.about.action_scalar(index),
                    dynamic::Scalar::description,
                )
                .into()
            }
            TypeKey::BuiltIn(_) => return None,
        })
    }

    fn object(&mut self, name: String, object: Object) -> dynamic::Object {
        let shown = described(
            dynamic::Object::new(name),
            self.about.object(object),
            dynamic::Object::description,
        );
        let mut fields = self.schema.fields(object);
        if self.sorted() {
            fields.sort_by_key(|field| field.name);
        }
        fields.into_iter().fold(shown, |shown, field| {
            let type_ref = self.dynamic_type(field.r#type);
            let about = self.about.field(object, &field);
            // Only introspection is executed here, so data fields never resolve.
            let shown_field =
                dynamic::Field::new(field.name, type_ref, |_| FieldFuture::from_value(None));
            let shown_field = described(shown_field, about, dynamic::Field::description);
            let arguments = field.arguments.iter().map(|argument| {
                let value = InputValue::new(argument.name, self.dynamic_type(argument.r#type));
                described(
                    value,
                    self.about.argument(object, argument.name),
                    InputValue::description,
                )
            });
            shown.field(arguments.fold(shown_field, dynamic::Field::argument))
        })
    }

    fn subscription(&mut self, name: String) -> dynamic::Subscription {
        let object = Object::Subscription;
        let mut fields = self.schema.fields(object);
        if self.sorted() {
            fields.sort_by_key(|field| field.name);
        }
        fields
            .into_iter()
            .fold(dynamic::Subscription::new(name), |shown, field| {
                let type_ref = self.dynamic_type(field.r#type);
                let about = self.about.field(object, &field);
                let shown_field = dynamic::SubscriptionField::new(field.name, type_ref, |_| {
                    dynamic::SubscriptionFieldFuture::new(async {
                        Ok(async_graphql::futures_util::stream::empty::<NoResult>())
                    })
                });
                let shown_field =
                    described(shown_field, about, dynamic::SubscriptionField::description);
                let arguments = field.arguments.iter().map(|argument| {
                    let value = InputValue::new(argument.name, self.dynamic_type(argument.r#type));
                    described(
                        value,
                        self.about.argument(object, argument.name),
                        InputValue::description,
                    )
                });
                shown.field(arguments.fold(shown_field, dynamic::SubscriptionField::argument))
            })
    }

    fn input(&mut self, name: String, input: InputObject) -> dynamic::InputObject {
        let about = self.about.input(input);
        let shown = described(
            dynamic::InputObject::new(name),
            about,
            dynamic::InputObject::description,
        );
        let mut fields = self.schema.input_fields(input);
        if self.sorted() {
            fields.sort_by_key(|field| field.name);
        }
        fields.into_iter().fold(shown, |shown, field| {
            let value = InputValue::new(field.name, self.dynamic_type(field.r#type));
            let value = match field.default() {
                Some(_) => value.default_value(async_graphql::Value::List(Vec::new())),
                None => value,
            };
            shown.field(described(
                value,
                self.about.input_field(input, &field),
                InputValue::description,
            ))
        })
    }

    fn values(&mut self, name: String, of: Enum) -> dynamic::Enum {
        let shown = described(
            dynamic::Enum::new(name),
            self.about.values(of),
            dynamic::Enum::description,
        );
        let mut values = self.schema.values(of);
        if self.sorted() {
            values.sort_unstable();
        }
        values.into_iter().fold(shown, |shown, value| {
            shown.item(described(
                EnumItem::new(value),
                self.about.value(of, value),
                EnumItem::description,
            ))
        })
    }
}

fn described<T>(shown: T, about: Option<String>, describe: fn(T, String) -> T) -> T {
    match about {
        Some(about) => describe(shown, about),
        None => shown,
    }
}

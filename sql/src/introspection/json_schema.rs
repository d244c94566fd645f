//! Describes the variables and the response of an operation as JSON Schema, for the OpenAPI
//! description of an endpoint or for a tool's definition. The schemas are derived from the document
//! and the role's schema, so every response is valid against them.
//! <https://json-schema.org/draft/2020-12>

mod defaults;
mod nulls;

use std::collections::BTreeMap;

use async_graphql_parser::types::{BaseType, Selection, SelectionSet, Type};
use indexmap::IndexMap;
use serde_json::{Map, Value as Json, json};

use crate::error::Error;
use crate::graphql::document::{Document, OperationKind};
use crate::introspection::SchemaDescriptions;
use crate::model::access::Access;
use crate::postgres::catalog::Oid;
use crate::postgres::encoder::{Encoder, JsonKind};
use crate::postgres::types::{Input, Scalar};
use crate::resolve::Operation;
use crate::schema::{
    BuiltIn, FieldDefinition, Function, InputObject, Meaning, Object, Schema, TypeKey, TypeRef,
};
use defaults::with_default;
use nulls::takes_null;

/// Builds JSON Schemas for one role and collects the definitions that they refer to.
pub struct Schemas<'m> {
    schema: Schema<'m>,
    about: SchemaDescriptions<'m>,
    /// Whether `bigint`, `numeric` and `double precision` are written as strings.
    stringify_numbers: bool,
    /// The prefix of a reference to a definition: `#/$defs/`.
    location: &'static str,
    named: BTreeMap<String, Json>,
    /// Input objects that are referred to but not yet built.
    waiting: Vec<InputObject>,
}

/// A variable of an operation.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    /// The name of the variable.
    pub name: String,
    /// The schema of its values.
    pub schema: Json,
    /// Whether a request must have it.
    pub required: bool,
}

impl<'m> Schemas<'m> {
    /// Starts the schemas of a role. References to definitions begin with `place`.
    pub fn new(access: &'m Access, stringify_numbers: bool, location: &'static str) -> Schemas<'m> {
        let schema = Schema::new(access);
        let named = BTreeMap::new();
        let waiting = vec![];
        Schemas {
            schema,
            about: SchemaDescriptions::new(schema),
            stringify_numbers,
            location,
            named,
            waiting,
        }
    }

    /// Builds all definitions that were referred to, by name. An input type may lead to all others
    /// of the schema.
    pub fn named(mut self) -> BTreeMap<String, Json> {
        while let Some(input) = self.waiting.pop() {
            let name = self.schema.name(TypeKey::Input(input));
            let object = self.members(input);
            self.named.insert(name, object);
        }
        self.named
    }

    /// Describes the variables of an operation, in the order of their definitions.
    pub fn variables(&mut self, operation: &Operation) -> Result<Vec<Variable>, Error> {
        let definitions = operation.definition()?.variable_definitions.iter();
        let declared =
            operation
                .variables()
                .into_iter()
                .zip(definitions)
                .map(|(variable, definition)| {
                    let schema = self.declared(&definition.node.var_type.node);
                    let schema = match &variable.default {
                        Some(default) => with_default(schema, default),
                        None => schema,
                    };
                    Variable {
                        name: variable.name,
                        schema,
                        required: variable.required,
                    }
                });
        Ok(declared.collect())
    }

    /// Describes the `data` object of an operation's response.
    pub fn response(&self, operation: &Operation) -> Result<Json, Error> {
        let root = match operation.kind() {
            OperationKind::Query => Object::Query,
            OperationKind::Mutation => Object::Mutation,
            OperationKind::Subscription => Object::Subscription,
        };
        Ok(self.object(
            operation.document(),
            root,
            &[(&operation.definition()?.selection_set.node, false)],
        ))
    }

    /// Describes a parameter of a Postgres type; an optional parameter may be null.
    pub fn parameter(&self, r#type: Oid, optional: bool) -> Json {
        let scalar = self.schema.scalar(r#type);
        let schema = accepted(&scalar.input, &self.encoder(&scalar));
        if optional { nullable(schema) } else { schema }
    }

    /// Describes a row of these columns as an object, in which every column may be null.
    pub fn row(&self, columns: &[(String, Oid)]) -> Json {
        let names: Vec<&str> = columns.iter().map(|(name, _)| name.as_str()).collect();
        let schema = |oid: &Oid| nullable(self.output(TypeKey::Scalar(*oid)));
        let properties: Map<String, Json> = columns
            .iter()
            .map(|(name, oid)| (name.clone(), schema(oid)))
            .collect();
        json!({"type": "object", "properties": properties, "required": names, "additionalProperties": false})
    }

    // ---- output

    /// Describes an object with the fields of several selection sets, merged by response key.
    fn object(&self, document: &Document, object: Object, sets: &[(&SelectionSet, bool)]) -> Json {
        let mut chosen = IndexMap::new();
        for (set, conditional) in sets {
            self.collect(document, object, set, *conditional, &mut chosen);
        }
        let required: Vec<&str> = chosen
            .iter()
            .filter(|(_, field)| !field.optional)
            .map(|(key, _)| *key)
            .collect();
        let properties: Map<String, Json> = chosen
            .iter()
            .map(|(key, field)| ((*key).to_owned(), self.chosen(document, object, field)))
            .collect();
        json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
    }

    fn collect<'d>(
        &self,
        document: &'d Document,
        object: Object,
        set: &'d SelectionSet,
        conditional: bool,
        chosen: &mut IndexMap<&'d str, Chosen<'d, 'm>>,
    ) {
        for item in &set.items {
            let conditional = conditional || is_conditional(&item.node);
            match &item.node {
                Selection::Field(field) => {
                    let field = &field.node;
                    let definition = self.schema.field(object, &field.name.node);
                    let key = field.response_key().node.as_str();
                    let chosen = chosen.entry(key).or_insert(Chosen {
                        definition,
                        sets: vec![],
                        optional: true,
                    });
                    chosen.optional &= conditional;
                    chosen.sets.push((&field.selection_set.node, conditional));
                }
                Selection::InlineFragment(inline) => {
                    self.collect(
                        document,
                        object,
                        &inline.node.selection_set.node,
                        conditional,
                        chosen,
                    );
                }
                Selection::FragmentSpread(spread) => {
                    if let Some(fragment) = document.fragment(&spread.node.fragment_name.node) {
                        self.collect(
                            document,
                            object,
                            &fragment.node.selection_set.node,
                            conditional,
                            chosen,
                        );
                    }
                }
            }
        }
    }

    fn chosen(&self, document: &Document, object: Object, field: &Chosen<'_, 'm>) -> Json {
        // Every field has a definition except `__typename`.
        let Some(definition) = &field.definition else {
            return json!({"const": self.schema.name(TypeKey::Object(object))});
        };
        let inner = match definition.r#type.named {
            // The shape of introspection responses is not described.
            TypeKey::Object(Object::Meta(_)) => json!({"type": "object"}),
            TypeKey::Object(object) => self.object(document, object, &field.sets),
            named => match (object, definition.meaning) {
                (Object::FunctionFields(table, function), Meaning::Column(column))
                    if !function.is_extreme() =>
                {
                    self.computed_aggregate(
                        function,
                        self.schema.model().table(table).column(column).r#type,
                    )
                }
                _ => self.output(named),
            },
        };
        let mut schema = wrapped(inner, definition.r#type);
        let description = self
            .about
            .field(object, definition)
            .filter(|_| self.schema.access().introspects());
        if let Some(description) = description {
            annotate(&mut schema, "description", description.into());
        }
        schema
    }

    /// The result of an aggregate function that computes a number, whose type is Postgres' and not
    /// the column's.
    fn computed_aggregate(&self, function: Function, column: Oid) -> Json {
        let scalar = self.schema.scalar(column);
        encoded(
            &function.output(&scalar, self.stringify_numbers).encoder,
            &scalar.input,
        )
    }

    fn output(&self, named: TypeKey) -> Json {
        match named {
            TypeKey::BuiltIn(built_in) => built_in_schema(built_in),
            TypeKey::Scalar(oid) => {
                let scalar = self.schema.scalar(oid);
                match &scalar.input {
                    Input::Enum(labels) => json!({"type": "string", "enum": labels.as_ref()}),
                    _ => encoded(&self.encoder(&scalar), &scalar.input),
                }
            }
            TypeKey::Enum(named) => json!({"type": "string", "enum": self.schema.values(named)}),
            TypeKey::ActionScalar(_) => json!({}),
            TypeKey::Object(_) | TypeKey::Input(_) => json!({"type": "object"}),
        }
    }

    /// How values of a type are sent.
    fn encoder(&self, scalar: &Scalar) -> Encoder {
        let encoder = scalar.output.encoder.clone();
        if self.stringify_numbers {
            encoder.stringified()
        } else {
            encoder
        }
    }

    // ---- input

    fn declared(&mut self, r#type: &Type) -> Json {
        let inner = match &r#type.base {
            BaseType::Named(name) => match self.schema.named(name) {
                Some(named) => self.input(named),
                None => json!({}),
            },
            BaseType::List(of) => json!({"type": "array", "items": self.declared(of)}),
        };
        if r#type.nullable {
            nullable(inner)
        } else {
            inner
        }
    }

    fn input(&mut self, named: TypeKey) -> Json {
        match named {
            TypeKey::BuiltIn(built_in) => built_in_schema(built_in),
            TypeKey::Scalar(oid) => {
                let scalar = self.schema.scalar(oid);
                accepted(&scalar.input, &self.encoder(&scalar))
            }
            TypeKey::Enum(named) => json!({"type": "string", "enum": self.schema.values(named)}),
            TypeKey::Input(input) => self.reference(input),
            TypeKey::Object(_) | TypeKey::ActionScalar(_) => any_value(),
        }
    }

    /// Returns a reference to an input object, which may be recursive. A role without introspection
    /// gets no members, since they would reveal the schema.
    fn reference(&mut self, input: InputObject) -> Json {
        if !self.schema.access().introspects() {
            return json!({"type": "object"});
        }
        let name = self.schema.name(TypeKey::Input(input));
        let reference = json!({"$ref": format!("{}{name}", self.location)});
        if self.named.contains_key(&name) {
            return reference;
        }
        self.named.insert(name, Json::Null);
        self.waiting.push(input);
        reference
    }

    fn members(&mut self, input: InputObject) -> Json {
        let mut properties = Map::new();
        let mut required = vec![];
        for field in self.schema.input_fields(input) {
            let inner = self.input(field.r#type.named);
            let type_ref = TypeRef {
                required: !takes_null(self.schema.access(), input, &field),
                ..field.r#type
            };
            properties.insert(field.name.to_owned(), wrapped(inner, type_ref));
            if field.r#type.required && field.default().is_none() {
                required.push(field.name);
            }
        }
        json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
    }
}

/// A response key and the selection sets under it.
struct Chosen<'d, 'm> {
    definition: Option<FieldDefinition<'m>>,
    sets: Vec<(&'d SelectionSet, bool)>,
    /// Whether every selection of it has `@include` or `@skip`.
    optional: bool,
}

fn is_conditional(selection: &Selection) -> bool {
    let names = selection
        .directives()
        .iter()
        .map(|directive| directive.node.name.node.as_str());
    names
        .into_iter()
        .any(|name| matches!(name, "include" | "skip"))
}

/// Applies the list and null modifiers of a type reference.
fn wrapped(inner: Json, type_ref: TypeRef) -> Json {
    let inner = match (type_ref.list, type_ref.sparse) {
        (false, _) => inner,
        (true, false) => json!({"type": "array", "items": inner}),
        (true, true) => json!({"type": "array", "items": nullable(inner)}),
    };
    if type_ref.required {
        inner
    } else {
        nullable(inner)
    }
}

/// Any JSON but null.
fn any_value() -> Json {
    json!({"type": ["object", "array", "string", "number", "boolean"]})
}

/// Adds null to a schema.
fn nullable(schema: Json) -> Json {
    match schema {
        any if any == any_value() => json!({}),
        Json::Object(members) if members.is_empty() => Json::Object(members),
        Json::Object(mut members)
            if members.get("type").is_some_and(Json::is_string)
                && !members.contains_key("enum") =>
        {
            let name = members.get("type").cloned();
            members.insert("type".into(), json!([name, "null"]));
            Json::Object(members)
        }
        other => json!({"anyOf": [other, {"type": "null"}]}),
    }
}

/// Adds a keyword to a schema. JSON Schema 2020-12 allows keywords beside `$ref`.
fn annotate(schema: &mut Json, name: &str, value: Json) {
    if let Json::Object(members) = schema {
        members.insert(name.to_owned(), value);
    }
}

fn built_in_schema(built_in: BuiltIn) -> Json {
    match built_in {
        BuiltIn::Int => json!({"type": "integer", "format": "int32"}),
        BuiltIn::Float => number("double"),
        BuiltIn::String => json!({"type": "string"}),
        BuiltIn::Id => json!({"type": ["string", "integer"]}),
        BuiltIn::Boolean => json!({"type": "boolean"}),
    }
}

/// A number type whose NaN and infinities are strings, since JSON numbers have none.
fn number(format: &str) -> Json {
    json!({"anyOf": [{"type": "number", "format": format}, {"enum": ["NaN", "Infinity", "-Infinity"]}]})
}

fn text(format: &str) -> Json {
    json!({"type": "string", "format": format})
}

/// The schema of an encoder's output.
fn encoded(encoder: &Encoder, input: &Input) -> Json {
    match encoder.json() {
        JsonKind::Boolean => json!({"type": "boolean"}),
        JsonKind::Integer(format) => json!({"type": "integer", "format": format.name()}),
        JsonKind::Number(format) => number(format.name()),
        JsonKind::String(Some(format)) => text(format),
        JsonKind::String(None) => json!({"type": "string"}),
        JsonKind::Any => match input {
            Input::Array(_) | Input::Vector => json!({"type": "array"}),
            Input::Composite(_) | Input::Hstore | Input::GeoJson { .. } => {
                json!({"type": "object"})
            }
            Input::Json => json!({}),
            // `to_json` writes `oid`, `inet` and every other type as a string.
            _ => json!({"type": "string"}),
        },
        // The Postgres type does not determine the number of dimensions.
        JsonKind::Array(element) => {
            let inner = if let Input::Array(inner) = input {
                inner
            } else {
                input
            };
            let element = nullable(encoded(element, inner));
            json!({"type": "array", "items": {"anyOf": [element, {"type": "array"}]}})
        }
    }
}

/// The schema of a number, and of a string if numbers are sent as strings.
fn taken_back(number: Json, encoder: &Encoder) -> Json {
    match encoder.json() {
        JsonKind::String(_) => json!({"anyOf": [number, {"type": "string"}]}),
        _ => number,
    }
}

/// The schema of input values, in their simplest form: arrays have one dimension.
fn accepted(input: &Input, encoder: &Encoder) -> Json {
    let encoder = encoder.below();
    match input {
        Input::Integer { min, max, .. } => {
            let format = match (min, max) {
                (-0x8000, 0x7fff) => "int16",
                (-0x8000_0000, 0x7fff_ffff) => "int32",
                _ => "int64",
            };
            match encoder.json() {
                JsonKind::Integer(_) => json!({"type": "integer", "format": format}),
                // What is sent as a string is taken back.
                _ => json!({"type": ["integer", "string"], "format": format}),
            }
        }
        Input::Float => taken_back(number("double"), encoder),
        Input::Numeric => taken_back(number("decimal"), encoder),
        Input::Boolean => json!({"type": "boolean"}),
        Input::Uuid => text("uuid"),
        Input::Date => match encoder {
            Encoder::Date => text("date"),
            Encoder::TimestampTz => text("date-time"),
            _ => text("date-time-local"),
        },
        Input::Time => match encoder {
            Encoder::Time => text("time-local"),
            // `time` of JSON Schema has an offset with minutes, and Postgres writes `10:00:00+00`.
            _ => json!({"type": "string"}),
        },
        Input::Json => any_value(),
        Input::Enum(labels) => json!({"type": "string", "enum": labels.as_ref()}),
        Input::Array(element) => {
            let element = match encoder {
                Encoder::Array(inner) => nullable(accepted(element, inner)),
                _ => json!({}),
            };
            json!({"type": "array", "items": element})
        }
        Input::Composite(_) | Input::Hstore | Input::GeoJson { .. } => json!({"type": "object"}),
        Input::Vector => json!({"type": ["array", "string"]}),
        Input::Loose(inner) => accepted(inner, encoder),
        Input::Limited(limited) => accepted(&limited.0, encoder),
        Input::Text
        | Input::Raster
        | Input::Labels
        | Input::Delimited(_)
        | Input::Ltree(_)
        | Input::Other => {
            json!({"type": "string"})
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::names::Convention;
    use crate::testing::{admin, validate};

    fn describe_response(text: &str) -> Json {
        let access = admin(Convention::Snake);
        let operation = validate(&access, text).unwrap();
        Schemas::new(&access, false, "#/$defs/")
            .response(&operation)
            .unwrap()
    }

    #[test]
    fn response_schema_has_the_selected_fields() {
        let schema = describe_response(
            "{ authors { n: id ...F articles { id } } } fragment F on authors { __typename }",
        );
        let authors = &schema["properties"]["authors"];
        assert_eq!(authors["type"], "array", "{schema}");
        let author = &authors["items"];
        assert_eq!(author["required"], json!(["n", "__typename", "articles"]));
        assert_eq!(
            author["properties"]["__typename"],
            json!({"const": "authors"})
        );
        assert_eq!(author["properties"]["n"]["type"], "integer");
        assert_eq!(author["additionalProperties"], false);
    }

    #[test]
    fn conditional_fields_are_not_required() {
        let schema = describe_response(
            "query($x: Boolean!) { authors { id @include(if: $x) id name @skip(if: $x) } }",
        );
        assert_eq!(
            schema["properties"]["authors"]["items"]["required"],
            json!(["id"])
        );
    }

    #[test]
    fn selections_of_one_key_are_merged() {
        let schema = describe_response("{ articles { author { id } author { name } } }");
        let author = &schema["properties"]["articles"]["items"]["properties"]["author"];
        let object = author["anyOf"].get(0).unwrap_or(author);
        assert_eq!(object["required"], json!(["id", "name"]), "{author}");
    }

    #[test]
    fn variables_are_required_or_not_and_input_objects_are_definitions() {
        let access = admin(Convention::Snake);
        let text = "query($w: authors_bool_exp, $n: Int! = 3, $i: Int!) { authors(where: $w, \
                    limit: $n, offset: $i) { id } }";
        let operation = validate(&access, text).unwrap();
        let mut schemas = Schemas::new(&access, false, "#/$defs/");
        let variables = schemas.variables(&operation).unwrap();
        let required: Vec<_> = variables
            .iter()
            .map(|v| (v.name.as_str(), v.required))
            .collect();
        assert_eq!(required, [("w", false), ("n", false), ("i", true)]);
        assert_eq!(variables[1].schema["default"], 3);
        let reference = json!({"anyOf": [{"$ref": "#/$defs/authors_bool_exp"}, {"type": "null"}]});
        assert_eq!(variables[0].schema, reference);
        let named = schemas.named();
        assert_eq!(named["authors_bool_exp"]["additionalProperties"], false);
        assert!(
            named.values().all(Json::is_object),
            "every reference leads somewhere"
        );
    }
}

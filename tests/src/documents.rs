//! Generates random documents that a role's schema allows, and random values for their variables.
//!
//! The generator reads everything from the schema, so new arguments, operators and fields appear in
//! the documents without a change here. A variable may replace any value: a whole argument, a field
//! of an object, an item of a list.

use std::fmt::Write;

use serde_json::{Map, Value as Json, json};
use sql::model::access::Access;
use sql::postgres::types::Input;
use sql::schema::{BuiltIn, Object, Schema, TypeKey, TypeRef};

use crate::choices::Choices;

/// A document and the variables that it declares.
#[allow(missing_debug_implementations, reason = "a schema has nothing to show")]
pub struct Random<'m> {
    /// Its text.
    pub document: String,
    schema: Schema<'m>,
    variables: Vec<Variable>,
}

/// A declared variable.
#[derive(Clone, Debug)]
struct Variable {
    type_ref: TypeRef,
    required: bool,
    /// The default value as text of the document, if there is one.
    default: Option<String>,
}

/// A value, which is written differently in a document and in JSON variables.
enum GeneratedValue {
    Null,
    Scalar(Json),
    Enum(String),
    List(Vec<GeneratedValue>),
    Object(Vec<(String, GeneratedValue)>),
    Variable(usize),
}

impl<'m> Random<'m> {
    /// Generates a query for a role.
    pub fn new(access: &'m Access, choices: &mut Choices<'_>) -> Random<'m> {
        Random::of(Object::Query, "query ", access, choices)
    }

    /// Generates a mutation for a role that has mutations.
    pub fn mutation(access: &'m Access, choices: &mut Choices<'_>) -> Random<'m> {
        Random::of(Object::Mutation, "mutation ", access, choices)
    }

    fn of(object: Object, word: &str, access: &'m Access, choices: &mut Choices<'_>) -> Random<'m> {
        let mut random = Random {
            document: String::new(),
            schema: Schema::new(access),
            variables: Vec::new(),
        };
        let selection = random.selection(object, 4, choices);
        let mut document = word.to_owned();
        for (i, variable) in random.variables.iter().enumerate() {
            let _ = write!(
                document,
                "{}$v{i}: {}",
                if i == 0 { "(" } else { ", " },
                random.declared(variable)
            );
        }
        if !random.variables.is_empty() {
            document.push(')');
        }
        random.document = document + &selection;
        random
    }

    /// Generates values for the variables: complete ones, partial ones, nulls; some variables get
    /// none.
    pub fn variables(&self, choices: &mut Choices<'_>) -> Json {
        let mut values = Map::new();
        for (i, variable) in self.variables.iter().enumerate() {
            let may_lack = !variable.required || variable.default.is_some();
            match choices.below(if may_lack { 5 } else { 1 }) {
                3 => {}
                4 if !variable.required => drop(values.insert(format!("v{i}"), Json::Null)),
                _ => {
                    let type_ref = TypeRef {
                        required: true,
                        ..variable.type_ref
                    };
                    drop(
                        values.insert(format!("v{i}"), self.constant(type_ref, 3, choices).json()),
                    );
                }
            }
        }
        Json::Object(values)
    }

    fn declared(&self, variable: &Variable) -> String {
        let type_ref = TypeRef {
            required: variable.required,
            ..variable.type_ref
        };
        let default = variable
            .default
            .iter()
            .map(|default| format!(" = {default}"));
        self.schema.written(type_ref) + &default.collect::<String>()
    }

    // ---- selections

    fn selection(&mut self, object: Object, depth: usize, choices: &mut Choices<'_>) -> String {
        let fields: Vec<_> = self.schema.fields(object).into_iter().collect();
        let mut text = String::from("{ __typename");
        for alias in 0..1 + choices.below(3) {
            let Some(field) = choices.pick(&fields) else {
                continue;
            };
            let inner = match field.r#type.named {
                TypeKey::Object(_) if depth == 0 => continue,
                TypeKey::Object(inner) => Some(inner),
                _ => None,
            };
            let mut arguments = Vec::new();
            for argument in &field.arguments {
                // The other spelling of the argument is already present, and both at once are an
                // error.
                let second = matches!(argument.name, "orderBy" | "distinctOn" | "onConflict")
                    && field
                        .arguments
                        .iter()
                        .any(|a| matches!(a.name, "order_by" | "distinct_on" | "on_conflict"));
                // The schema does not express how these arguments depend on each other.
                let rare = matches!(
                    argument.name,
                    "distinct_on" | "distinctOn" | "after" | "before" | "first" | "last"
                );
                if argument.r#type.required
                    || (!second && choices.percent(if rare { 4 } else { 40 }))
                {
                    let value = self.value(argument.r#type, 3, choices);
                    arguments.push(format!("{}: {}", argument.name, value.text()));
                }
            }
            let arguments = if arguments.is_empty() {
                String::new()
            } else {
                format!("({})", arguments.join(", "))
            };
            let directive = match choices.below(12) {
                11 => format!(" @include(if: ${})", self.boolean()),
                10 => format!(" @skip(if: ${})", self.boolean()),
                _ => String::new(),
            };
            let inner = inner
                .map(|inner| self.selection(inner, depth - 1, choices))
                .unwrap_or_default();
            let _ = write!(
                text,
                " a{alias}: {}{arguments}{directive} {inner}",
                field.name
            );
        }
        text + " }"
    }

    fn boolean(&mut self) -> String {
        self.declare(
            TypeRef::required(TypeKey::BuiltIn(BuiltIn::Boolean)),
            true,
            None,
        )
    }

    fn declare(&mut self, type_ref: TypeRef, required: bool, default: Option<String>) -> String {
        self.variables.push(Variable {
            type_ref,
            required,
            default,
        });
        format!("v{}", self.variables.len() - 1)
    }

    // ---- values

    /// Generates a value of the document, perhaps with variables inside.
    fn value(
        &mut self,
        type_ref: TypeRef,
        depth: usize,
        choices: &mut Choices<'_>,
    ) -> GeneratedValue {
        if choices.percent(30) {
            self.variable(type_ref, depth, choices)
        } else {
            self.written(type_ref, depth, choices)
        }
    }

    /// Generates a value that is not itself a variable: a variable for an item is not valid for a
    /// list.
    fn written(
        &mut self,
        type_ref: TypeRef,
        depth: usize,
        choices: &mut Choices<'_>,
    ) -> GeneratedValue {
        let fields = match (type_ref.list, type_ref.named) {
            (true, _) => {
                let item = TypeRef {
                    list: false,
                    required: true,
                    ..type_ref
                };
                return match choices.below(4) {
                    0 => self.written(item, depth, choices),
                    length => GeneratedValue::List(
                        (1..length)
                            .map(|_| self.value(item, depth, choices))
                            .collect(),
                    ),
                };
            }
            (false, TypeKey::Input(input)) => self.some_fields(input, depth, choices),
            (false, named) => return self.leaf(named, choices),
        };
        let fields = fields.into_iter().map(|(name, place_type)| {
            (
                name,
                self.value(place_type, depth.saturating_sub(1), choices),
            )
        });
        GeneratedValue::Object(fields.collect())
    }

    /// Generates a variable of the type of the position, or a stricter one, or one with a default
    /// where it may be looser.
    fn variable(
        &mut self,
        type_ref: TypeRef,
        depth: usize,
        choices: &mut Choices<'_>,
    ) -> GeneratedValue {
        let default = choices.percent(20).then(|| {
            let place_type = TypeRef {
                required: true,
                ..type_ref
            };
            self.constant(place_type, depth, choices).text()
        });
        let required = match default {
            Some(_) => choices.percent(30),
            None => type_ref.required || choices.percent(30),
        };
        self.declare(type_ref, required, default);
        GeneratedValue::Variable(self.variables.len() - 1)
    }

    /// Generates a value without variables.
    fn constant(
        &self,
        type_ref: TypeRef,
        depth: usize,
        choices: &mut Choices<'_>,
    ) -> GeneratedValue {
        if !type_ref.required && choices.percent(15) {
            return GeneratedValue::Null;
        }
        match (type_ref.list, type_ref.named) {
            (true, _) => {
                let item = TypeRef {
                    list: false,
                    required: true,
                    ..type_ref
                };
                match choices.below(4) {
                    0 => self.constant(item, depth, choices),
                    length => GeneratedValue::List(
                        (1..length)
                            .map(|_| self.constant(item, depth, choices))
                            .collect(),
                    ),
                }
            }
            (false, TypeKey::Input(input)) => {
                let fields = self.some_fields(input, depth, choices).into_iter();
                let inner = depth.saturating_sub(1);
                GeneratedValue::Object(
                    fields
                        .map(|(name, place_type)| (name, self.constant(place_type, inner, choices)))
                        .collect(),
                )
            }
            (false, named) => self.leaf(named, choices),
        }
    }

    /// The required fields of an input object, and a few of the optional ones.
    fn some_fields(
        &self,
        input: sql::schema::InputObject,
        depth: usize,
        choices: &mut Choices<'_>,
    ) -> Vec<(String, TypeRef)> {
        let fields = self.schema.input_fields(input);
        let required = fields.iter().filter(|field| field.r#type.required);
        let mut some: Vec<_> = required
            .map(|field| (field.name.to_owned(), field.r#type))
            .collect();
        let row = matches!(input, sql::schema::InputObject::Insert(_));
        for _ in 0..choices.below(if row { 6 } else { 3 }) {
            let plain = |field: &&&_| {
                let field: &&&sql::schema::InputField<'_> = field;
                depth > 0 || !matches!(field.r#type.named, TypeKey::Input(_))
            };
            let open: Vec<_> = fields.iter().collect();
            let open: Vec<_> = open.iter().filter(plain).collect();
            if let Some(field) = choices.pick(&open)
                && some.iter().all(|(name, _)| name != field.name)
            {
                some.push((field.name.to_owned(), field.r#type));
            }
        }
        some
    }

    fn leaf(&self, named: TypeKey, choices: &mut Choices<'_>) -> GeneratedValue {
        let input = match named {
            TypeKey::Enum(of) => {
                let values = self.schema.values(of);
                return GeneratedValue::Enum(
                    choices
                        .pick(&values)
                        .copied()
                        .unwrap_or_default()
                        .to_owned(),
                );
            }
            TypeKey::Scalar(oid) => self.schema.scalar(oid).input.clone(),
            TypeKey::BuiltIn(BuiltIn::Int) => {
                return GeneratedValue::Scalar(json!(choices.below(4)));
            }
            TypeKey::BuiltIn(BuiltIn::Float) => Input::Float,
            TypeKey::BuiltIn(BuiltIn::Boolean) => Input::Boolean,
            _ => Input::Text,
        };
        GeneratedValue::Scalar(scalar(&input, choices))
    }
}

fn scalar(input: &Input, choices: &mut Choices<'_>) -> Json {
    let of = |choices: &mut Choices<'_>, values: &[Json]| {
        choices.pick(values).cloned().unwrap_or_default()
    };
    match input {
        Input::Integer { .. } => json!(choices.below(9)),
        Input::Boolean => json!(choices.percent(50)),
        Input::Text => of(
            choices,
            &[json!("a%"), json!(""), json!("true"), json!("x")],
        ),
        Input::Json => of(
            choices,
            &[
                json!({"a": 1}),
                json!([1, null, {}]),
                json!("x"),
                json!(true),
                json!(1),
            ],
        ),
        Input::Enum(labels) => json!(choices.pick(labels)),
        Input::Array(of) => (0..choices.below(3)).map(|_| scalar(of, choices)).collect(),
        other => other.sample(),
    }
}

impl GeneratedValue {
    /// The value as JSON for the request's variables.
    fn json(&self) -> Json {
        match self {
            GeneratedValue::Null | GeneratedValue::Variable(_) => Json::Null,
            GeneratedValue::Scalar(value) => value.clone(),
            GeneratedValue::Enum(name) => json!(name),
            GeneratedValue::List(items) => items.iter().map(GeneratedValue::json).collect(),
            GeneratedValue::Object(fields) => fields
                .iter()
                .map(|(name, value)| (name.clone(), value.json()))
                .collect(),
        }
    }

    /// The value as text of the document.
    fn text(&self) -> String {
        match self {
            GeneratedValue::Null => "null".into(),
            GeneratedValue::Scalar(value) => literal(value),
            GeneratedValue::Enum(name) => name.clone(),
            GeneratedValue::Variable(number) => format!("$v{number}"),
            GeneratedValue::List(items) => {
                format!(
                    "[{}]",
                    items
                        .iter()
                        .map(GeneratedValue::text)
                        .collect::<Vec<_>>()
                        .join(", ")
                )
            }
            GeneratedValue::Object(fields) => {
                let fields: Vec<_> = fields
                    .iter()
                    .map(|(name, value)| format!("{name}: {}", value.text()))
                    .collect();
                format!("{{{}}}", fields.join(", "))
            }
        }
    }
}

/// Writes a JSON value as a GraphQL literal; values of enums are written as strings.
pub fn literal(value: &Json) -> String {
    match value {
        Json::Object(fields) => {
            let fields: Vec<_> = fields
                .iter()
                .map(|(key, value)| format!("{key}: {}", literal(value)))
                .collect();
            format!("{{{}}}", fields.join(", "))
        }
        Json::Array(items) => format!(
            "[{}]",
            items.iter().map(literal).collect::<Vec<_>>().join(", ")
        ),
        plain => plain.to_string(),
    }
}

/// Returns the variables with different scalar values: numbers and text change, and lists of them
/// grow; everything that decides the text of a statement stays.
pub fn reworded(value: &Json) -> Json {
    match value {
        Json::Number(number) => number
            .as_u64()
            .map_or_else(|| value.clone(), |number| json!(8 - number.min(8))),
        Json::Array(items) => {
            let plain = |item: &&Json| matches!(item, Json::Number(_));
            let longer = items
                .last()
                .filter(plain)
                .filter(|_| items.iter().all(|item| plain(&item)));
            items.iter().chain(longer).map(reworded).collect()
        }
        Json::Object(fields) => fields
            .iter()
            .map(|(key, value)| (key.clone(), reworded(value)))
            .collect(),
        other => other.clone(),
    }
}

/// Returns the variables with more rows: the first item of each list of objects is repeated.
pub fn regrown(value: &Json) -> Json {
    match value {
        Json::Array(items) => {
            let first = items.first().filter(|first| first.is_object());
            items.iter().chain(first).map(regrown).collect()
        }
        Json::Object(fields) => fields
            .iter()
            .map(|(key, value)| (key.clone(), regrown(value)))
            .collect(),
        other => other.clone(),
    }
}

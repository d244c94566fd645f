//! The types and directives that every GraphQL schema has, as `async-graphql` describes them, and
//! Hasura's directive `@cached`.

use std::sync::LazyLock;

use async_graphql::dynamic::{Field, FieldFuture, Object, Schema, TypeRef};
use async_graphql::futures_util::FutureExt as _;
use async_graphql::{Request, SDLExportOptions};
use async_graphql_value::{ConstValue, Name, indexmap::IndexMap};
use serde_json::json;

use crate::resolve::Cached;

/// Selects everything that introspection says about the types and directives.
const DOCUMENT: &str = "
    { __schema {
        description
        types { ...Type }
        directives { __typename name description isRepeatable locations args { ...Argument } }
    } }
    fragment Type on __Type {
        __typename kind name description specifiedByURL isOneOf
        fields { __typename name description args { ...Argument } type { ...Reference } isDeprecated deprecationReason }
        inputFields { ...Argument }
        interfaces { __typename name }
        enumValues { __typename name description isDeprecated deprecationReason }
        possibleTypes { __typename name }
    }
    fragment Argument on __InputValue {
        __typename name description type { ...Reference } defaultValue isDeprecated deprecationReason
    }
    fragment Reference on __Type {
        __typename kind name
        ofType { __typename kind name ofType { __typename kind name ofType { __typename kind name } } }
    }
";

/// The introspection of a schema with nothing of its own.
pub(super) static BUILT_IN: LazyLock<BuiltInSchema> =
    LazyLock::new(|| BuiltInSchema::new().unwrap_or_default());

/// Types and directives as introspection writes them.
#[derive(Default)]
pub(super) struct BuiltInSchema {
    /// The description of `__Schema` itself.
    pub(super) description: String,
    types: IndexMap<String, ConstValue>,
    directives: Vec<ConstValue>,
    cached: Vec<ConstValue>,
    directives_sdl: String,
}

impl BuiltInSchema {
    fn new() -> Option<BuiltInSchema> {
        let field = Field::new("field", TypeRef::named(TypeRef::STRING), |_| {
            FieldFuture::from_value(None)
        });
        let schema = Schema::build("Query", None, None)
            .register(Object::new("Query").field(field))
            .finish()
            .ok()?;
        let sdl = schema.sdl_with_options(SDLExportOptions::new().use_space_ident());
        let (_, sdl) = sdl.split_once("}\n\n")?;
        let (directives_sdl, _) = sdl.rsplit_once("schema {")?;
        // Nothing waits in this execution.
        let response = schema.execute(Request::new(DOCUMENT)).now_or_never()?;
        let ConstValue::Object(mut data) = response.data else {
            return None;
        };
        let ConstValue::Object(mut shown) = data.swap_remove("__schema")? else {
            return None;
        };
        let ConstValue::String(description) = shown.swap_remove("description")? else {
            return None;
        };
        let ConstValue::List(types) = shown.swap_remove("types")? else {
            return None;
        };
        let ConstValue::List(directives) = shown.swap_remove("directives")? else {
            return None;
        };
        let named = types
            .into_iter()
            .filter_map(|r#type| Some((text(&r#type, "name")?.to_owned(), r#type)));
        let cached = directives.iter().cloned().chain([cached()]).collect();
        let types = named.collect();
        Some(BuiltInSchema {
            description,
            types,
            directives,
            cached,
            directives_sdl: directives_sdl.to_owned(),
        })
    }

    /// The type with that name.
    pub(super) fn named(&self, name: &str) -> Option<&ConstValue> {
        self.types.get(name)
    }

    /// All directives, in the order of their names; `@cached` is the last.
    pub(super) fn directives(&self, has_cached: bool) -> &[ConstValue] {
        if has_cached {
            &self.cached
        } else {
            &self.directives
        }
    }

    /// The executable directives in the schema definition language, without `@cached`.
    pub(super) fn directives_sdl(&self) -> &str {
        &self.directives_sdl
    }
}

/// A member of an object.
pub(super) fn member<'v>(value: &'v ConstValue, name: &str) -> &'v ConstValue {
    match value {
        ConstValue::Object(members) => members.get(&Name::new(name)).unwrap_or(&ConstValue::Null),
        _ => &ConstValue::Null,
    }
}

/// A member of an object, if it is a string.
pub(super) fn text<'v>(value: &'v ConstValue, name: &str) -> Option<&'v str> {
    match member(value, name) {
        ConstValue::String(text) => Some(text),
        _ => None,
    }
}

const ABOUT: &str = "how long the answer of this query is cached";
const ABOUT_TTL: &str = "measured in seconds";
const ABOUT_REFRESH: &str = "run the query although its answer is cached, and replace that answer";

/// The directive `@cached` with every field that introspection has for it.
fn cached() -> ConstValue {
    let argument = |name: &str, about: &str, of: &str, default: String| {
        let scalar = json!({"__typename": "__Type", "kind": "SCALAR", "name": of});
        json!({
            "__typename": "__InputValue", "name": name, "description": about, "defaultValue": default,
            "isDeprecated": false, "type": {"__typename": "__Type", "kind": "NON_NULL", "ofType": scalar},
        })
    };
    let directive = json!({
        "__typename": "__Directive", "name": "cached", "description": ABOUT, "locations": ["QUERY"], "isRepeatable": false,
        "args": [
            argument("ttl", ABOUT_TTL, "Int", Cached::DEFAULT_SECONDS.to_string()),
            argument("refresh", ABOUT_REFRESH, "Boolean", "false".into()),
        ],
    });
    ConstValue::from_json(directive).unwrap_or_default()
}

/// The definition of the directive `@cached`.
pub(super) fn cached_sdl() -> String {
    let seconds = Cached::DEFAULT_SECONDS;
    format!(
        "\"\"\"\n{ABOUT}\n\"\"\"\ndirective \
             @cached(\n\t\"\"\"\n\t{ABOUT_TTL}\n\t\"\"\"\n\tttl: Int! = {seconds}\n\t\
             \"\"\"\n\t{ABOUT_REFRESH}\n\t\"\"\"\n\trefresh: Boolean! = false\n) on QUERY\n"
    )
}

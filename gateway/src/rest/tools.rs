//! The tools that the Model Context Protocol offers to one role: each endpoint of the REST map that
//! it may call is a tool. <https://modelcontextprotocol.io/specification/2025-11-25/server/tools>

use std::collections::BTreeMap;
use std::sync::Arc;

use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::{Value, json};
use sql::introspection::json_schema::Schemas;
use sql::model::access::Access;
use sql::resolve::Options;

use crate::error::Error;
use crate::execute::SchemaWork;
use crate::limits::values;
use crate::rest::openapi::EndpointSchema;
use crate::rest::{Endpoint, Map};

/// The tools of a role, by name.
#[derive(Debug)]
pub struct Tools(BTreeMap<String, ToolEndpoint>);

/// A tool and its endpoint.
#[derive(Debug)]
pub struct ToolEndpoint {
    /// The description that clients see.
    pub tool: Tool,
    /// The endpoint that a call runs.
    pub endpoint: Arc<Endpoint>,
}

/// The path of named schemas within a tool's schema.
const SCHEMAS: &str = "#/$defs/";

impl Tools {
    /// The tools of a role, made one at a time. An endpoint with several methods is one tool.
    ///
    /// Errors: those of the work, and otherwise only those that compiling the map should have
    /// found.
    pub async fn new(
        map: &Map,
        access: &Access,
        options: &Options,
        mut work: SchemaWork,
    ) -> Result<Tools, Error> {
        let mut tools: BTreeMap<String, ToolEndpoint> = BTreeMap::new();
        for operation in map.operations(access.role(), access.is_backend()) {
            let endpoint = operation.endpoint;
            let is_known = tools
                .values()
                .any(|known| Arc::ptr_eq(&known.endpoint, endpoint));
            if endpoint.tool && !is_known {
                work.reserve_more(EndpointSchema::BYTES)?;
                let described = work
                    .slice(|| describe(&operation.name, access, options, endpoint))
                    .await?;
                let tool = described.map_err(|error| Error::Internal(error.to_string()))?;
                let schemas = [Some(&tool.input_schema), tool.output_schema.as_ref()]
                    .into_iter()
                    .flatten();
                work.reserve_more(
                    schemas
                        .flat_map(|schema| schema.values())
                        .map(values::value_bytes)
                        .sum(),
                )?;
                tools.insert(
                    operation.name,
                    ToolEndpoint {
                        tool,
                        endpoint: endpoint.clone(),
                    },
                );
            }
        }
        Ok(Tools(tools))
    }

    /// The tool of that name.
    pub fn get(&self, name: &str) -> Option<&ToolEndpoint> {
        self.0.get(name)
    }

    /// All tools, ordered by name.
    pub fn all(&self) -> impl Iterator<Item = &Tool> {
        self.0.values().map(|offer| &offer.tool)
    }
}

fn describe(
    name: &str,
    access: &Access,
    options: &Options,
    endpoint: &Endpoint,
) -> Result<Tool, sql::Error> {
    let mut schemas = Schemas::new(access, options.stringify_numbers, SCHEMAS);
    let EndpointSchema {
        variables,
        response_value: response,
    } = EndpointSchema::new(&mut schemas, access, options.coercion, endpoint)?;
    let required: Vec<&str> = variables
        .iter()
        .filter(|v| v.required)
        .map(|v| v.name.as_str())
        .collect();
    let properties: JsonObject = variables
        .iter()
        .map(|v| (v.name.clone(), v.schema.clone()))
        .collect();
    let mut input = object(properties, &required);
    let named = schemas.named();
    if !named.is_empty() {
        input.insert("$defs".into(), named.into_iter().collect());
    }
    // Structured output must be an object, so a single field is wrapped in one with its name.
    let mut output = match &endpoint.single {
        Some(field) => object(JsonObject::from_iter([(field.clone(), response)]), &[field]),
        None => match response {
            Value::Object(members) => members,
            _ => JsonObject::new(),
        },
    };
    keep_known_formats(input.values_mut());
    keep_known_formats(output.values_mut());
    let writes = endpoint.writes();
    let hints = ToolAnnotations::new()
        .read_only(!writes)
        .destructive(writes)
        .idempotent(!writes)
        .open_world(false);
    let description = endpoint.summary.clone().unwrap_or_else(|| {
        if writes {
            format!("The named mutation {name}")
        } else {
            format!("The named query {name}")
        }
    });
    let tool =
        Tool::new(name.to_owned(), description, input).with_raw_output_schema(Arc::new(output));
    let tool = tool.with_annotations(hints);
    Ok(match &endpoint.summary {
        Some(summary) => tool.with_title(summary.clone()),
        None => tool,
    })
}

/// The values of `format` that validators of JSON Schema know. They warn about others, such as
/// OpenAPI's `decimal`.
const KNOWN_FORMATS: [&str; 8] = [
    "date",
    "date-time",
    "double",
    "float",
    "int32",
    "int64",
    "time",
    "uuid",
];

/// Removes other formats from schemas. A member of an object may be called `format` as well, but
/// its schema is no string.
fn keep_known_formats<'v>(schemas: impl IntoIterator<Item = &'v mut Value>) {
    for schema in schemas {
        match schema {
            Value::Object(members) => {
                let format = members.get("format").and_then(Value::as_str);
                if format.is_some_and(|format| !KNOWN_FORMATS.contains(&format)) {
                    members.remove("format");
                }
                keep_known_formats(members.values_mut());
            }
            Value::Array(items) => keep_known_formats(items),
            _ => {}
        }
    }
}

/// The JSON schema of an object with exactly these members.
fn object(properties: JsonObject, required: &[&str]) -> JsonObject {
    let members = [
        ("type", json!("object")),
        ("properties", properties.into()),
        ("required", json!(required)),
        ("additionalProperties", json!(false)),
    ];
    members
        .map(|(key, value)| (key.to_owned(), value))
        .into_iter()
        .collect()
}

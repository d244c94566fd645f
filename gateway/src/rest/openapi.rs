//! The OpenAPI description of the REST map for one role: the parameters and responses of an
//! endpoint follow from its document and the role's schema. Endpoints that the role may not call
//! are left out. <https://spec.openapis.org/oas/v3.1.1.html>

mod responses;
mod endpoint_schema;
mod cache;
mod headers;
mod lists;
mod components;
mod parts;
mod security;

use http::Method;
use serde_json::{Map, Value, json};
use sql::introspection::json_schema::{Schemas, Variable};
use sql::model::access::Access;
use sql::resolve::Options;

use crate::config::dialect::Profile;
use crate::error::Error;
use crate::execute::SchemaWork;
use crate::limits::values;
use crate::rest::{self, Operation};
pub use cache::OpenApiCache;
use endpoint_schema::DESCRIPTION;
pub use endpoint_schema::EndpointSchema;
use headers::HeaderRules;
pub use parts::join_parts;
pub use security::Security;

/// What a description needs beside the map.
#[derive(Clone, Debug)]
pub struct ApiInfo {
    /// The server's URL, or the path under which clients reach it.
    pub server: String,
    /// The ways to authenticate.
    pub security: Security,
    /// The options of translation.
    pub options: Options,
    /// The format of errors.
    pub profile: Profile,
}

/// The path of named schemas within the description.
const SCHEMAS: &str = "#/components/schemas/";

/// Describes the endpoints that a role may call, ordered by path, one at a time.
///
/// Errors: those of the work, and otherwise only those that compiling the map should have found.
pub async fn describe(
    map: &rest::Map,
    access: &Access,
    about: &ApiInfo,
    work: &mut SchemaWork,
) -> Result<Value, Error> {
    let mut schemas = Schemas::new(access, about.options.stringify_numbers, SCHEMAS);
    let mut paths: Map<String, Value> = Map::new();
    for named in map.operations(access.role(), access.is_backend()) {
        work.reserve_more(EndpointSchema::BYTES)?;
        let described = work
            .slice(|| operation(&mut schemas, access, about, &named))
            .await?;
        let Some(operation) = described.map_err(|error| Error::Internal(error.to_string()))? else {
            continue;
        };
        work.reserve_more(values::value_bytes(&operation))?;
        let path = paths
            .entry(format!("/api/rest/{}", template(&named.path)))
            .or_insert_with(|| json!({}));
        path[named.method.as_str().to_ascii_lowercase()] = operation;
    }
    let mut named: Map<String, Value> = work.slice(|| schemas.named()).await?.into_iter().collect();
    work.reserve_more(named.values().map(values::value_bytes).sum())?;
    named.insert("Error".into(), responses::error(about.profile));
    let role = access.role();
    let security = &about.security;
    let mut components = json!({
        "schemas": named,
        "responses": responses::failures(),
        "headers": headers::of_answers(),
        "parameters": headers::of_requests(security, role),
    });
    let paths = Value::Object(paths);
    components::retain_referenced(&mut components, &paths);
    components["securitySchemes"] = security.schemes(role, access.is_backend()).into();
    Ok(json!({
        "openapi": "3.1.1",
        "info": {
            "title": "Named queries",
            "version": env!("CARGO_PKG_VERSION"),
            "description": format!("The endpoints of the REST map that the role `{role}` may use."),
        },
        "servers": [{"url": about.server}],
        "security": security.ways(role, access.is_backend()),
        "tags": [{"name": "queries", "description": "Endpoints that read"},
            {"name": "mutations", "description": "Endpoints that write"}],
        "paths": paths,
        "components": components,
    }))
}

/// Converts a path to OpenAPI's syntax: `things/:id` to `things/{id}`.
fn template(path: &str) -> String {
    let segments = path
        .split('/')
        .map(|segment| match segment.strip_prefix(':') {
            Some(name) => format!("{{{name}}}"),
            None => segment.to_owned(),
        });
    segments.collect::<Vec<_>>().join("/")
}

/// The description of an endpoint's method; `None` if no way to authenticate suffices for it.
fn operation(
    schemas: &mut Schemas<'_>,
    access: &Access,
    about: &ApiInfo,
    named: &Operation<'_>,
) -> Result<Option<Value>, sql::Error> {
    let Operation {
        path,
        method,
        endpoint,
        name,
    } = named;
    let by_get = **method == Method::GET;
    let writes = endpoint.writes();
    let backend = access.is_backend();
    let ways = if writes && by_get {
        about
            .security
            .ways_to_write_by_get(access.role(), backend)
            .map(Some)
    } else {
        Some(None)
    };
    let Some(ways) = ways else { return Ok(None) };
    let EndpointSchema {
        variables,
        response_value: response,
    } = EndpointSchema::new(schemas, access, about.options.coercion, endpoint)?;
    let in_path = |variable: &Variable| endpoint.in_path.contains(&variable.name);
    // DELETE may have a body too, but not every proxy forwards it.
    let in_body = !matches!(**method, Method::GET | Method::DELETE);
    let has_pages = by_get && endpoint.has_pages() && lists::items(&response).is_some();
    let rules = HeaderRules {
        writes,
        tagged: by_get && !writes,
        has_pages,
        rehearses: access.may_dry_run(),
        backend,
    };
    let mut parameters = rules.request_headers();
    let shown = variables
        .iter()
        .filter(|variable| in_path(variable) || !in_body);
    parameters.extend(shown.map(|variable| parameter(variable, in_path(variable))));
    let summary = endpoint
        .summary
        .clone()
        .or_else(|| endpoint.name.clone())
        .unwrap_or_else(|| path.clone());
    let mut described = json!({
        "operationId": name,
        "summary": summary,
        "tags": [if writes { "mutations" } else { "queries" }],
        "parameters": parameters,
        "responses": responses::describe_response(&response, rules, in_body, &about.security),
    });
    if let Some(ways) = ways {
        described["security"] = ways;
    }
    if in_body {
        let members: Vec<&Variable> = variables
            .iter()
            .filter(|variable| !in_path(variable))
            .collect();
        described["requestBody"] = body(&members);
    }
    Ok(Some(described))
}

fn parameter(variable: &Variable, in_path: bool) -> Value {
    let mut parameter = json!({
        "name": variable.name,
        "in": if in_path { "path" } else { "query" },
        "required": variable.required || in_path,
    });
    // Text cannot express null; JSON can, unless a list has items for which `null` is one.
    let mut schema = as_text(&variable.schema);
    let has_any_items = schema
        .get("items")
        .is_some_and(|items| items.get("$ref").is_none());
    if is_json(&schema) && !has_any_items {
        schema = variable.schema.clone();
    }
    // Tools that read OpenAPI expect the description next to the name.
    if let Some(description) = schema
        .as_object_mut()
        .and_then(|members| members.shift_remove(DESCRIPTION))
    {
        parameter[DESCRIPTION] = description;
    }
    if is_json(&schema) {
        parameter["content"] = json!({"application/json": {"schema": schema}});
    } else {
        parameter["schema"] = schema;
    }
    parameter
}

/// The schema without null, which text cannot express.
fn as_text(schema: &Value) -> Value {
    let Value::Object(mut members) = schema.clone() else {
        return schema.clone();
    };
    for key in ["type", "anyOf"] {
        let Some(Value::Array(ways)) = members.get_mut(key) else {
            continue;
        };
        ways.retain(|way| way != "null" && way.get("type").is_none_or(|name| name != "null"));
        let [only] = ways.as_slice() else { continue };
        let only = only.clone();
        members.remove(key);
        match only {
            Value::Object(only) => members.extend(only),
            name => drop(members.insert(key.to_owned(), name)),
        }
    }
    Value::Object(members)
}

/// Whether values are written as JSON instead of plain text: objects, lists of objects, and values
/// of any type.
fn is_json(schema: &Value) -> bool {
    if let Some(ways) = schema.get("anyOf").and_then(Value::as_array) {
        return ways.iter().any(is_json);
    }
    let is = |name: &str| match schema.get("type") {
        Some(Value::Array(names)) => names.iter().any(|known| known == name),
        known => known.is_some_and(|known| known == name),
    };
    let anything = ["type", "enum", "const"]
        .iter()
        .all(|key| schema.get(key).is_none());
    anything || is("object") || is("array") && schema.get("items").is_some_and(is_json)
}

fn body(members: &[&Variable]) -> Value {
    let properties: Map<String, Value> = members
        .iter()
        .map(|variable| (variable.name.clone(), variable.schema.clone()))
        .collect();
    let required: Vec<&str> = members
        .iter()
        .filter(|v| v.required)
        .map(|v| v.name.as_str())
        .collect();
    let schema = json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false});
    let mut form = json!({"schema": schema});
    let json = members.iter().filter(|member| is_json(&member.schema));
    let encoding: Map<String, Value> = json
        .map(|member| {
            (
                member.name.clone(),
                json!({"contentType": "application/json"}),
            )
        })
        .collect();
    if !encoding.is_empty() {
        form["encoding"] = encoding.into();
    }
    json!({
        "required": !required.is_empty(),
        "content": {"application/json": {"schema": schema}, "application/x-www-form-urlencoded": form},
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn path_parameters_are_written_in_braces() {
        assert_eq!(
            template("things/:id/parts/:part"),
            "things/{id}/parts/{part}"
        );
        assert_eq!(template("things"), "things");
    }

    #[test]
    fn schema_of_text_excludes_null() {
        let known = [
            (
                json!({"type": ["integer", "null"], "default": 3}),
                json!({"type": "integer", "default": 3}),
            ),
            (
                json!({"type": ["string", "integer", "null"]}),
                json!({"type": ["string", "integer"]}),
            ),
            (
                json!({"anyOf": [{"type": "string"}, {"type": "null"}], "default": "a"}),
                json!({"type": "string", "default": "a"}),
            ),
            (
                json!({"anyOf": [{"type": "number"}, {"enum": ["NaN"]}, {"type": "null"}]}),
                json!({"anyOf": [{"type": "number"}, {"enum": ["NaN"]}]}),
            ),
            (json!({}), json!({})),
        ];
        for (schema, expected) in known {
            assert_eq!(as_text(&schema), expected);
        }
    }

    #[test]
    fn json_and_plain_text_schemas_are_distinguished() {
        for json in [
            json!({"type": ["object", "null"]}),
            json!({"anyOf": [{"$ref": "#/x"}, {"type": "null"}]}),
            json!({"type": "array", "items": {"$ref": "#/x"}}),
            json!({"default": 7}),
        ] {
            assert!(is_json(&json), "{json}");
        }
        for text in [
            json!({"type": "array", "items": {"type": ["string", "null"]}}),
            json!({"anyOf": [{"type": "number"}, {"enum": ["NaN"]}]}),
            json!({"type": ["string", "integer"]}),
        ] {
            assert!(!is_json(&text), "{text}");
        }
    }
}

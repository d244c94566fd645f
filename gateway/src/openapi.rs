//! The REST map as OpenAPI describes it, for one role: what an endpoint takes and answers follows from its document and the role's
//! schema. Endpoints that the role may not ask are not there.
//! <https://spec.openapis.org/oas/v3.1.1.html>

mod answers;
mod contract;

use std::collections::BTreeSet;

use http::Method;
use serde_json::{Map, Value, json};
use sql::access::Access;
use sql::json_schema::{Schemas, Variable};
use sql::resolve::Options;

use crate::profile::Profile;
use crate::rest::{self, Endpoint};
pub use contract::Contract;

/// What a description says beside the map.
#[derive(Clone, Debug)]
pub struct About {
    /// Where the gateway is: a URL, or the path that clients know it by.
    pub server: String,
    /// How headers of the session begin: `X-Gateway-`.
    pub header_prefix: String,
    /// Whether the role has to be named beside a token.
    pub require_role_header: bool,
    /// The role of callers without token or secret.
    pub unauthorized_role: Option<String>,
    /// How documents are translated.
    pub options: Options,
    /// In whose form errors are told.
    pub profile: Profile,
}

/// A prefix of headers as people write it: `X-Gateway-`.
pub fn header_prefix(prefix: &str) -> String {
    let words = prefix.split('-').map(|word| {
        let mut letters = word.chars();
        let first = letters.next().map(|first| first.to_ascii_uppercase());
        first.into_iter().chain(letters.map(|letter| letter.to_ascii_lowercase())).collect::<String>()
    });
    words.collect::<Vec<_>>().join("-")
}

/// Where schemas with a name stand.
const SCHEMAS: &str = "#/components/schemas/";

/// Describes the endpoints that a role may ask, in the order of their paths.
///
/// Errors: none that the map's own check would not have found; they are faults of ours.
pub fn describe(map: &rest::Map, access: &Access, about: &About) -> Result<Value, sql::Error> {
    let mut endpoints: Vec<_> =
        map.endpoints().filter(|(_, _, endpoint)| endpoint.admits(access.role(), access.is_backend())).collect();
    endpoints
        .sort_by(|(path, method, _), (other, other_method, _)| (path, rank(method)).cmp(&(other, rank(other_method))));
    let mut schemas = Schemas::new(access, about.options.stringify_numbers, SCHEMAS);
    let mut paths: Map<String, Value> = Map::new();
    let mut identifiers = BTreeSet::new();
    for (path, method, endpoint) in endpoints {
        let operation = operation(&mut schemas, access, about, &path, method, endpoint, &mut identifiers)?;
        let path = paths.entry(format!("/api/rest/{}", template(&path))).or_insert_with(|| json!({}));
        path[method.as_str().to_ascii_lowercase()] = operation;
    }
    let mut named: Map<String, Value> = schemas.named().into_iter().collect();
    named.insert("Error".into(), answers::error(about.profile));
    let admin = format!("{}Admin-Secret", about.header_prefix);
    Ok(json!({
        "openapi": "3.1.1",
        "info": {
            "title": "Named queries",
            "version": env!("CARGO_PKG_VERSION"),
            "description": format!("The endpoints of the REST map that the role `{}` may ask.", access.role()),
        },
        "servers": [{"url": about.server}],
        "security": security(about, access.role()),
        "tags": [{"name": "queries", "description": "Endpoints that read"},
            {"name": "mutations", "description": "Endpoints that write"}],
        "paths": paths,
        "components": {
            "schemas": named,
            "responses": answers::failures(),
            "headers": answers::headers(),
            "parameters": {"Role": role_header(about, access.role())},
            "securitySchemes": {
                "token": {"type": "http", "scheme": "bearer", "bearerFormat": "JWT"},
                "adminSecret": {"type": "apiKey", "in": "header", "name": admin},
            },
        },
    }))
}

/// Reading methods first.
fn rank(method: &Method) -> usize {
    let order = [Method::GET, Method::POST, Method::PUT, Method::PATCH, Method::DELETE];
    order.iter().position(|known| known == method).unwrap_or(order.len())
}

/// `things/:id` as OpenAPI writes it: `things/{id}`.
fn template(path: &str) -> String {
    let segments = path.split('/').map(|segment| match segment.strip_prefix(':') {
        Some(name) => format!("{{{name}}}"),
        None => segment.to_owned(),
    });
    segments.collect::<Vec<_>>().join("/")
}

fn security(about: &About, role: &str) -> Value {
    let mut ways = vec![json!({"token": []}), json!({"adminSecret": []})];
    if role == crate::session::ADMIN {
        ways.remove(0);
    }
    if about.unauthorized_role.as_deref() == Some(role) {
        ways.push(json!({}));
    }
    ways.into()
}

fn role_header(about: &About, role: &str) -> Value {
    json!({
        "name": format!("{}Role", about.header_prefix),
        "in": "header",
        "description": "The role to ask as, one of those that the token allows.",
        "required": about.require_role_header && role != crate::session::ADMIN,
        "schema": {"type": "string", "const": role},
    })
}

fn operation(
    schemas: &mut Schemas<'_>,
    access: &Access,
    about: &About,
    path: &str,
    method: &Method,
    endpoint: &Endpoint,
    identifiers: &mut BTreeSet<String>,
) -> Result<Value, sql::Error> {
    let Contract { variables, answer } = Contract::of(schemas, access, about.options.coercion, endpoint)?;
    let in_path = |variable: &Variable| endpoint.in_path.contains(&variable.name);
    let in_body = *method != Method::GET;
    let mut parameters = vec![json!({"$ref": "#/components/parameters/Role"})];
    let shown = variables.iter().filter(|variable| in_path(variable) || !in_body);
    parameters.extend(shown.map(|variable| parameter(variable, in_path(variable))));
    let summary = endpoint.summary.clone().or_else(|| endpoint.name.clone()).unwrap_or_else(|| path.to_owned());
    let mut described = json!({
        "operationId": identifier(endpoint, path, method, identifiers),
        "summary": summary,
        "tags": [if endpoint.writes() { "mutations" } else { "queries" }],
        "parameters": parameters,
        "responses": answers::of(&answer, endpoint.writes(), in_body),
    });
    if in_body {
        let members: Vec<&Variable> = variables.iter().filter(|variable| !in_path(variable)).collect();
        described["requestBody"] = body(&members);
    }
    Ok(described)
}

/// The operation's name where it is free, else with the method behind it.
fn identifier(endpoint: &Endpoint, path: &str, method: &Method, taken: &mut BTreeSet<String>) -> String {
    let name = endpoint.name.clone().unwrap_or_else(|| path.replace(|c: char| !c.is_ascii_alphanumeric(), "_"));
    let other = format!("{name}By{}", method.as_str());
    let numbered = (2..).map(|number| format!("{other}{number}"));
    let mut names = [name, other.clone()].into_iter().chain(numbered);
    let free = names.find(|name| taken.insert(name.clone()));
    free.unwrap_or(other)
}

fn parameter(variable: &Variable, in_path: bool) -> Value {
    let mut parameter = json!({
        "name": variable.name,
        "in": if in_path { "path" } else { "query" },
        "required": variable.required || in_path,
    });
    // An object in a query string is JSON.
    match is_object(&variable.schema) {
        true => parameter["content"] = json!({"application/json": {"schema": variable.schema}}),
        false => parameter["schema"] = variable.schema.clone(),
    }
    parameter
}

fn is_object(schema: &Value) -> bool {
    let mut names = match &schema["type"] {
        Value::Array(names) => names.iter().collect(),
        name => vec![name],
    };
    names.retain(|name| *name == "object");
    let inner = schema["anyOf"].as_array().is_some_and(|all| all.iter().any(is_object));
    !names.is_empty() || schema.get("$ref").is_some() || inner
}

fn body(members: &[&Variable]) -> Value {
    let properties: Map<String, Value> =
        members.iter().map(|variable| (variable.name.clone(), variable.schema.clone())).collect();
    let required: Vec<&str> = members.iter().filter(|v| v.required).map(|v| v.name.as_str()).collect();
    let schema =
        json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false});
    json!({
        "required": !required.is_empty(),
        "content": {
            "application/json": {"schema": schema},
            "application/x-www-form-urlencoded": {"schema": schema},
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn path_parameters_are_written_in_braces() {
        assert_eq!(template("things/:id/parts/:part"), "things/{id}/parts/{part}");
        assert_eq!(template("things"), "things");
    }

    #[test]
    fn headers_are_written_as_people_write_them() {
        assert_eq!(header_prefix("x-gateway-"), "X-Gateway-");
        assert_eq!(header_prefix("X-Hasura-"), "X-Hasura-");
    }

    #[test]
    fn objects_are_told_from_scalars() {
        assert!(is_object(&json!({"type": ["object", "null"]})));
        assert!(is_object(&json!({"anyOf": [{"$ref": "#/x"}, {"type": "null"}]})));
        assert!(!is_object(&json!({"type": "array", "items": {"type": "string"}})));
        assert!(!is_object(&json!({})));
    }
}

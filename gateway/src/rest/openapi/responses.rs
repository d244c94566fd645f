//! The responses of endpoints in OpenAPI: success, and each error status of the catalogue that can
//! occur.

use serde_json::{Map, Value, json};

use super::Security;
use super::headers::{EVERYWHERE, HeaderRules, referred};
use super::lists;
use crate::config::dialect::Profile;

/// An error status, the name of its response and its description.
struct Failure {
    status: u16,
    name: &'static str,
    description: &'static str,
    /// The endpoints it can occur at.
    scope: Scope,
}

/// The endpoints that a status can occur at.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Scope {
    /// All endpoints.
    All,
    /// Endpoints that write.
    Writes,
    /// Endpoints with a body.
    Bodies,
}

/// The description of a list for clients that prefer `text/csv`.
const CSV: &str = "A line of names, then a line for each row (RFC 4180). Without rows it is empty.";

/// The name of the response to a head that is too large.
pub(super) const HEAD_TOO_LARGE: &str = "HeadTooLarge";

const FAILURES: &[Failure] = &[
    failure(
        400,
        "BadRequest",
        "A parameter is missing, unknown or malformed, or the database refuses a value",
        Scope::All,
    ),
    failure(
        401,
        "Unauthenticated",
        "The request has no valid credentials",
        Scope::All,
    ),
    failure(
        403,
        "Forbidden",
        "The role may not use the endpoint, or the row that it requires is not visible",
        Scope::All,
    ),
    failure(
        408,
        "BodyTime",
        "The body did not arrive in time",
        Scope::Bodies,
    ),
    failure(
        409,
        "Conflict",
        "The request conflicts with a concurrent one and may be repeated",
        Scope::Writes,
    ),
    failure(
        413,
        "BodyTooLarge",
        "The body is larger than the limit",
        Scope::Bodies,
    ),
    failure(
        415,
        "MediaType",
        "The content type of the body is not supported",
        Scope::Bodies,
    ),
    failure(
        429,
        "RateLimited",
        "Too many requests; `Retry-After` says when to repeat the request",
        Scope::All,
    ),
    failure(
        431,
        HEAD_TOO_LARGE,
        "The request line and headers are larger than the limit",
        Scope::All,
    ),
    failure(
        500,
        "Unexpected",
        "An internal error; the log has its cause under the request's id, and `Retry-After` says \
         when to repeat the request",
        Scope::All,
    ),
    failure(
        503,
        "Unavailable",
        "The database is not available; `Retry-After` says when to repeat the request",
        Scope::All,
    ),
    failure(
        504,
        "TimeLimit",
        "The request took longer than its time limit",
        Scope::All,
    ),
];

const fn failure(
    status: u16,
    name: &'static str,
    description: &'static str,
    scope: Scope,
) -> Failure {
    Failure {
        status,
        name,
        description,
        scope,
    }
}

/// The schema of an error.
pub(super) fn error(profile: Profile) -> Value {
    if profile == Profile::Hasura {
        let text = json!({"type": "string"});
        return json!({
            "type": "object",
            "properties": {"path": text, "error": text, "code": text},
            "required": ["path", "error", "code"],
        });
    }
    json!({
        "type": "object",
        "properties": {
            "status": {"const": "error"},
            "message": {"type": "string"},
            "data": {"type": "null"},
        },
        "required": ["status", "message", "data"],
        "additionalProperties": false,
    })
}

/// The shared error responses, by name.
pub(super) fn failures() -> Map<String, Value> {
    let response = |failure: &Failure| {
        let mut response = json!({
            "description": failure.description,
            "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}},
        });
        response["headers"] = headers(failure.status).into();
        (failure.name.to_owned(), response)
    };
    let mut failures: Map<String, Value> = FAILURES.iter().map(response).collect();
    failures.insert(HEAD_TOO_LARGE.into(), head_too_large());
    failures
}

/// The response to a head that is too large. The gateway sends it before it knows the path, in the
/// format of GraphQL and without an id.
pub(super) fn head_too_large() -> Value {
    let failure = FAILURES.iter().find(|failure| failure.status == 431);
    let errors = json!({"type": "array", "items": {"type": "object"}});
    let schema =
        json!({"type": "object", "properties": {"errors": errors}, "required": ["errors"]});
    json!({
        "description": failure.map(|failure| failure.description),
        "content": {"application/json": {"schema": schema}},
    })
}

/// The headers of an error response.
fn headers(status: u16) -> Map<String, Value> {
    let mut headers = referred(&EVERYWHERE);
    headers.append(&mut referred(match status {
        401 => &["WWW-Authenticate"],
        415 => &["Accept-Encoding"],
        429 | 500 | 503 => &["Retry-After"],
        _ => &[],
    }));
    headers
}

/// The responses of an endpoint whose data has this schema.
pub(super) fn describe_response(
    response_value: &Value,
    rules: HeaderRules,
    body: bool,
    security: &Security,
) -> Value {
    let mut responses = Map::new();
    let headers = rules.response_headers(security);
    let mut content = json!({"application/json": {"schema": response_value}});
    if lists::items(response_value).is_some_and(lists::are_rows) {
        content["text/csv"] = json!({"schema": {"type": "string", "description": CSV}});
    }
    responses.insert(
        "200".into(),
        json!({"description": "The requested data", "headers": headers, "content": content}),
    );
    if rules.tagged {
        let unchanged = json!({"description": "The response is still the one that \
                                               `If-None-Match` names", "headers": headers});
        responses.insert("304".into(), unchanged);
    }
    let occurs = |failure: &&Failure| match failure.scope {
        Scope::All => true,
        Scope::Writes => rules.writes,
        Scope::Bodies => body,
    };
    for failure in FAILURES.iter().filter(occurs) {
        let reference = json!({"$ref": format!("#/components/responses/{}", failure.name)});
        responses.insert(failure.status.to_string(), reference);
    }
    Value::Object(responses)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::catalogue;

    #[test]
    fn every_status_of_the_catalogue_that_endpoints_have_is_described() {
        let statuses: Vec<u16> = FAILURES.iter().map(|failure| failure.status).collect();
        // 404 and 405 belong to no endpoint, 406 and 426 to GraphQL only, 501 to bodies that no
        // client of a description sends.
        let known = catalogue::ALL
            .iter()
            .map(|entry| entry.strict)
            .filter(|s| !matches!(s, 404..=406 | 426 | 501));
        for status in known {
            assert!(statuses.contains(&status), "{status}");
        }
    }
}

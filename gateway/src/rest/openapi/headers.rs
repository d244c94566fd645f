//! OpenAPI descriptions of the headers of requests and responses.

use serde_json::{Map, Value, json};

use super::Security;

/// The headers that every response may have.
pub(super) const EVERYWHERE: [&str; 3] = ["X-Request-Id", "RateLimit", "RateLimit-Policy"];

/// The properties of an endpoint's method that decide its headers.
#[derive(Clone, Copy, Debug)]
pub(super) struct HeaderRules {
    /// Whether the endpoint writes.
    pub(super) writes: bool,
    /// Whether the response has an `ETag`.
    pub(super) tagged: bool,
    /// Whether the response may be a page with links to others.
    pub(super) has_pages: bool,
    /// Whether the role may request a dry run.
    pub(super) rehearses: bool,
    /// Whether the description is for backend callers.
    pub(super) backend: bool,
}

impl HeaderRules {
    /// References to the headers of a request.
    pub(super) fn request_headers(self) -> Vec<Value> {
        let named = [
            ("Role", true),
            ("BackendOnly", self.backend),
            ("DryRun", self.writes && self.rehearses),
            ("IfNoneMatch", self.tagged),
        ];
        let named = named.into_iter().filter(|(_, holds)| *holds);
        named
            .map(|(name, _)| json!({"$ref": format!("#/components/parameters/{name}")}))
            .collect()
    }

    /// References to the headers of a successful response.
    pub(super) fn response_headers(self, security: &Security) -> Map<String, Value> {
        let mut headers = referred(&EVERYWHERE);
        if self.tagged {
            headers.append(&mut referred(&["ETag"]));
        }
        if self.has_pages {
            headers.append(&mut referred(&["Link"]));
        }
        if self.writes && self.rehearses {
            headers.insert(security.header("Dry-Run"), reference("Dry-Run"));
        }
        headers
    }
}

/// References to response headers whose component has the same name.
pub(super) fn referred(names: &[&str]) -> Map<String, Value> {
    names
        .iter()
        .map(|name| ((*name).to_owned(), reference(name)))
        .collect()
}

fn reference(name: &str) -> Value {
    json!({"$ref": format!("#/components/headers/{name}")})
}

/// The request headers, by component name.
pub(super) fn of_requests(security: &Security, role: &str) -> Value {
    let switch = |name: &str, required: bool, description: &str| {
        json!({
            "name": security.header(name),
            "in": "header",
            "description": description,
            "required": required,
            "schema": {"type": "string", "const": "true"},
        })
    };
    json!({
        "Role": security.role_header(role),
        "BackendOnly": switch("Use-Backend-Only-Permissions", true, "Enables permissions that \
             are reserved for back ends."),
        "DryRun": switch("Dry-Run", false, "Runs the request and returns its response, then \
                                            rolls back all changes."),
        "IfNoneMatch": {
            "name": "If-None-Match",
            "in": "header",
            "description": "The `ETag` of a response that the client has. The status is 304 if \
                            it is still current.",
            "schema": {"type": "string"},
        },
    })
}

/// The response headers, by name.
pub(super) fn of_answers() -> Value {
    let text = |description: &str, required: bool| json!({"description": description, "required": required, "schema": {"type": "string"}});
    json!({
        "X-Request-Id": text("The id of the request in the log.", true),
        "RateLimit": text("How many requests are left, if a rate limit applies: \
                           `\"requests\";r=99;t=1`.", false),
        "RateLimit-Policy": text("The rate limit that applies: `\"requests\";q=100;w=60`.", false),
        "ETag": text("Identifies this response, for `If-None-Match`. Responses of more than 1 \
                      MiB have none.", false),
        "Link": text("The addresses of the `first`, `prev` and `next` page (RFC 8288), if the \
                      request has a `limit` of at most 1000.", false),
        "Dry-Run": {
            "description": "The changes were rolled back, as requested.",
            "schema": {"type": "string", "const": "true"},
        },
        "Accept-Encoding": text("The content codings that a body may have, if this one had \
                                 another.", false),
        "WWW-Authenticate": text("How to authenticate.", true),
        "Retry-After": {
            "description": "The number of seconds after which the request may be repeated.",
            "required": true,
            "schema": {"type": "integer", "minimum": 1},
        },
    })
}

//! Validates requests and responses against an OpenAPI description.

use serde_json::{Map, Value, json};

use crate::reply::Reply;

/// An OpenAPI description.
#[derive(Clone, Debug)]
pub struct Description(pub Value);

/// A request to check: a path and method of the description, with these parameters.
#[derive(Clone, Debug)]
pub struct Asked<'a> {
    /// The path template: `/api/rest/things/{id}`
    pub path: &'a str,
    /// The method, in lower case.
    pub method: &'a str,
    /// Where the parameters that are not in the path are sent.
    pub location: Place,
    /// All parameters by name.
    pub values: Map<String, Value>,
}

/// Where parameters are sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In the query string.
    Query,
    /// In a JSON body.
    Json,
    /// In a form body.
    Form,
}

/// Headers that any HTTP response may have. All others have to be described.
const USUAL: [&str; 10] = [
    "connection",
    "content-encoding",
    "content-length",
    "content-type",
    "date",
    "transfer-encoding",
    "cache-control",
    "server-timing",
    "vary",
    "x-content-type-options",
];

impl Description {
    /// The described paths, each with a method.
    pub fn operations(&self) -> Vec<(String, String)> {
        let paths = self.0["paths"].as_object().into_iter().flatten();
        let all = paths.flat_map(|(path, item)| {
            let methods = item.as_object().into_iter().flat_map(Map::keys);
            methods.map(move |method| (path.clone(), method.clone()))
        });
        all.collect()
    }

    /// The operation object of a path and method; null if it is not described.
    pub fn operation(&self, path: &str, method: &str) -> &Value {
        &self.0["paths"][path][method]
    }

    /// Follows a `$ref`.
    pub fn resolved<'v>(&'v self, value: &'v Value) -> &'v Value {
        match value
            .get("$ref")
            .and_then(Value::as_str)
            .and_then(|location| location.strip_prefix('#'))
        {
            Some(source_location) => self.0.pointer(source_location).unwrap_or(&Value::Null),
            None => value,
        }
    }

    /// The parameters of an operation that are sent in this place (`in`).
    pub fn parameters(&self, path: &str, method: &str, location: &str) -> Vec<&Value> {
        let all = self.operation(path, method)["parameters"]
            .as_array()
            .into_iter()
            .flatten();
        all.map(|parameter| self.resolved(parameter))
            .filter(|parameter| parameter["in"] == location)
            .collect()
    }

    /// Lists how a request deviates from the description; empty if it conforms.
    pub fn faults_of_request(&self, asked: &Asked<'_>) -> Vec<String> {
        let operation = self.operation(asked.path, asked.method);
        if operation.is_null() {
            return vec!["nothing is said of this path and method".into()];
        }
        let mut faults = vec![];
        let mut left = asked.values.clone();
        for location in ["path", "query"] {
            for parameter in self.parameters(asked.path, asked.method, location) {
                let name = parameter["name"].as_str().unwrap_or_default();
                let schema = parameter
                    .get("schema")
                    .unwrap_or(&parameter["content"]["application/json"]["schema"]);
                match left.remove(name) {
                    Some(value) => self.hold(&format!("`{name}`"), schema, &value, &mut faults),
                    None if parameter["required"] == true => {
                        faults.push(format!("`{name}` is missing"));
                    }
                    None => {}
                }
            }
        }
        match asked.location {
            Place::Query => faults.extend(
                left.keys()
                    .map(|name| format!("nothing is said of `{name}`")),
            ),
            Place::Json => self.hold_body(operation, "application/json", left, &mut faults),
            Place::Form => self.hold_body(
                operation,
                "application/x-www-form-urlencoded",
                left,
                &mut faults,
            ),
        }
        faults
    }

    fn hold_body(
        &self,
        operation: &Value,
        media: &str,
        members: Map<String, Value>,
        faults: &mut Vec<String>,
    ) {
        match operation["requestBody"]["content"].get(media) {
            Some(content) => self.hold("the body", &content["schema"], &members.into(), faults),
            None => faults.push(format!("there is no body of {media}")),
        }
    }

    /// The response object that describes a status; the one of all others where the status has none
    /// of its own.
    pub fn response(&self, path: &str, method: &str, status: u16) -> &Value {
        let responses = &self.operation(path, method)["responses"];
        let own = responses.get(status.to_string());
        own.unwrap_or(&responses["default"])
    }

    /// Lists how a response deviates from the description, which has to describe its status, media
    /// type, headers and body.
    pub fn faults_of_answer(&self, path: &str, method: &str, reply: &Reply) -> Vec<String> {
        let described = self.response(path, method, reply.status);
        if described.is_null() {
            return vec![format!("nothing is said of status {}", reply.status)];
        }
        let described = self.resolved(described);
        let mut faults = vec![];
        let headers = described["headers"]
            .as_object()
            .cloned()
            .unwrap_or_default();
        for (name, header) in &headers {
            let header = self.resolved(header);
            match (reply.header(name), header["required"] == true) {
                ("", true) => faults.push(format!("there is no header {name}")),
                ("", false) => {}
                (text, _) => {
                    let value = if header["schema"]["type"] == "integer" {
                        serde_json::from_str(text).unwrap_or_else(|_| text.into())
                    } else {
                        text.into()
                    };
                    self.hold(
                        &format!("the header {name}"),
                        &header["schema"],
                        &value,
                        &mut faults,
                    );
                }
            }
        }
        for name in reply
            .headers
            .keys()
            .map(reqwest::header::HeaderName::as_str)
        {
            if !USUAL.contains(&name)
                && !headers.keys().any(|known| known.eq_ignore_ascii_case(name))
            {
                faults.push(format!("nothing is said of the header {name}"));
            }
        }
        let media = reply
            .header("content-type")
            .split(';')
            .next()
            .unwrap_or_default();
        match (described["content"].get(media), reply.text.is_empty()) {
            (Some(content), _) => {
                let response = if media == "application/json" {
                    reply.json()
                } else {
                    reply.text.as_str().into()
                };
                self.hold("the answer", &content["schema"], &response, &mut faults);
            }
            (None, true) if described["content"].is_null() => {}
            (None, _) => faults.push(format!("nothing is said of an answer of `{media}`")),
        }
        faults
    }

    /// Validates a value against a schema of the description.
    fn hold(&self, what: &str, schema: &Value, value: &Value, faults: &mut Vec<String>) {
        let whole =
            json!({"components": {"schemas": self.0["components"]["schemas"]}, "allOf": [schema]});
        let validator = jsonschema::draft202012::options()
            .should_validate_formats(true)
            .build(&whole);
        match validator {
            Ok(validator) => {
                let violations = validator.iter_errors(value).map(|error| {
                    let text = error.to_string();
                    let cut = text
                        .char_indices()
                        .nth(300)
                        .map_or(text.len(), |(at, _)| at);
                    format!("{what}: {} at {}", &text[..cut], error.instance_path())
                });
                faults.extend(violations);
            }
            Err(error) => faults.push(format!("{what}: the schema is none: {error}")),
        }
    }
}

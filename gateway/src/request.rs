//! The GraphQL request that every transport builds, and parsing it from JSON or a query string.
//! Parsing and validating the document is left to `sql`.

mod body;
pub mod json;

use std::sync::Arc;

use http::HeaderMap;
use serde_json::{Map, Value, json};
use sql::Requirement;

use crate::error::{Error, InvalidRequest};

pub use body::Body;

/// One GraphQL request.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Request {
    /// The document's text; empty if `reference` is set.
    pub query: String,
    /// A reference to a stored document.
    pub reference: Option<DocumentRef>,
    /// The name of the operation to execute.
    pub operation_name: Option<String>,
    /// The variables. Numbers keep all their digits.
    pub variables: Arc<Map<String, Value>>,
    /// The protocol extensions of the request.
    pub extensions: Map<String, Value>,
    /// Who supplied the document.
    pub author: DocumentOrigin,
    /// A row that must be visible before anything is returned or written. Set by the gateway, never
    /// by a client.
    pub requirement: Option<Arc<Requirement>>,
    /// The client's headers, if the handler of an action gets them. Set by the gateway.
    pub client_headers: Option<Arc<HeaderMap>>,
}

/// Who supplied a document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum DocumentOrigin {
    /// The client that sends it, so allow lists apply.
    #[default]
    Client,
    /// An operator: the document belongs to an endpoint. Clients cannot set this.
    Endpoint,
    /// The gateway: it has rewritten the document of a federated router, for which allow lists were
    /// checked. Clients cannot set this.
    Router,
}

/// A reference to a document, resolved by [`crate::trusted_documents`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DocumentRef {
    /// A name, or a hash used as one.
    Id(String),
    /// The hash in the extension `persistedQuery`.
    Digest,
}

/// The members of a request as JSON values.
#[derive(Default)]
struct Members {
    query: Option<Value>,
    document_id: Option<Value>,
    id: Option<Value>,
    operation_name: Option<Value>,
    variables: Option<Value>,
    extensions: Option<Value>,
    /// A member that occurs twice.
    twice: Option<&'static str>,
}

impl Request {
    /// A request without variables.
    pub fn new(query: impl Into<String>) -> Request {
        Request {
            query: query.into(),
            ..Request::default()
        }
    }

    /// The request as a client would send it.
    pub fn to_json(&self) -> Value {
        json!({"query": self.query, "operationName": self.operation_name, "variables": *self.variables})
    }

    /// Parses the query string of a GET request.
    pub fn from_query_string(text: &str) -> Result<Request, Error> {
        let mut members = Members::default();
        for (name, value) in parameters(text)? {
            let (slot, value) = match name.as_str() {
                "query" => (&mut members.query, Value::String(value)),
                "documentId" => (&mut members.document_id, Value::String(value)),
                "id" => (&mut members.id, Value::String(value)),
                "operationName" => (&mut members.operation_name, Value::String(value)),
                "variables" => (&mut members.variables, read_parameter("variables", &value)?),
                "extensions" => (
                    &mut members.extensions,
                    read_parameter("extensions", &value)?,
                ),
                _ => continue,
            };
            if slot.replace(value).is_some() {
                return Err(InvalidRequest::ParameterTwice(name).into());
            }
        }
        members.request()
    }
}

impl Members {
    fn request(self) -> Result<Request, Error> {
        let query = text("query", self.query)?;
        let document_id = text("documentId", self.document_id)?;
        let reference = match (&query, document_id) {
            (None, Some(id)) => Some(DocumentRef::Id(id)),
            (Some(_), Some(_)) => return Err(InvalidRequest::TwoDocuments.into()),
            // With a query, `id` has no meaning for the gateway.
            (Some(_), None) => None,
            (None, None) => match text("id", self.id)? {
                Some(id) => Some(DocumentRef::Id(id)),
                None if has_persisted_query(self.extensions.as_ref()) => Some(DocumentRef::Digest),
                None => return Err(InvalidRequest::NoQuery.into()),
            },
        };
        let operation_name = match self.operation_name {
            None | Some(Value::Null) => None,
            Some(Value::String(name)) => Some(name).filter(|name| !name.is_empty()),
            Some(_) => {
                return Err(InvalidRequest::Member {
                    name: "operationName",
                    expected: "a string",
                }
                .into());
            }
        };
        let variables = object("variables", self.variables)?.into();
        let extensions = object("extensions", self.extensions)?;
        let query = query.unwrap_or_default();
        Ok(Request {
            query,
            reference,
            operation_name,
            variables,
            extensions,
            ..Request::default()
        })
    }
}

/// The percent-decoded parameters of a query string or a form.
pub fn parameters(text: &str) -> Result<Vec<(String, String)>, Error> {
    let pairs = text.split('&').filter(|pair| !pair.is_empty());
    pairs
        .map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let name = form_decode(name)?;
            match form_decode(value) {
                Ok(value) => Ok((name, value)),
                Err(_) => Err(InvalidRequest::ParameterEncoding(name).into()),
            }
        })
        .collect()
}

/// Decodes `%41`, and `+` as a space.
fn form_decode(text: &str) -> Result<String, Error> {
    if text.contains('+') {
        percent_decode(&text.replace('+', " "))
    } else {
        percent_decode(text)
    }
}

/// Decodes `%41`. The libraries replace invalid UTF-8, which this function rejects.
pub fn percent_decode(text: &str) -> Result<String, Error> {
    let mut bytes = text.bytes();
    let mut decoded = Vec::with_capacity(text.len());
    while let Some(byte) = bytes.next() {
        decoded.push(match byte {
            b'%' => {
                let digits = [bytes.next(), bytes.next()].map(|digit| digit.and_then(hexadecimal));
                let [Some(high), Some(low)] = digits else {
                    return Err(InvalidRequest::PercentEncoding.into());
                };
                high << 4 | low
            }
            other => other,
        });
    }
    String::from_utf8(decoded).map_err(|_| InvalidRequest::PercentEncoding.into())
}

fn hexadecimal(digit: u8) -> Option<u8> {
    char::from(digit)
        .to_digit(16)
        .and_then(|value| u8::try_from(value).ok())
}

fn text(name: &'static str, value: Option<Value>) -> Result<Option<String>, Error> {
    match value {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(text)) => Ok(Some(text)),
        Some(_) => Err(InvalidRequest::Member {
            name,
            expected: "a string",
        }
        .into()),
    }
}

fn has_persisted_query(extensions: Option<&Value>) -> bool {
    extensions
        .and_then(|extensions| extensions.get("persistedQuery"))
        .is_some_and(|digest| !digest.is_null())
}

fn read_parameter(name: &'static str, text: &str) -> Result<Value, Error> {
    if text.is_empty() {
        return Ok(Value::Null);
    }
    json::read(text.as_bytes()).map_err(|_| {
        InvalidRequest::Member {
            name,
            expected: "a JSON object",
        }
        .into()
    })
}

fn object(name: &'static str, value: Option<Value>) -> Result<Map<String, Value>, Error> {
    match value {
        None | Some(Value::Null) => Ok(Map::new()),
        Some(Value::Object(members)) => Ok(members),
        Some(_) => Err(InvalidRequest::Member {
            name,
            expected: "an object",
        }
        .into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn query_string_is_decoded_once() {
        let text = "query=%7Ba%7D&variables=%7B%22x%22%3A%22%252B%22%7D&operationName=A+B&other=1";
        let request = Request::from_query_string(text).unwrap();
        assert_eq!(request.query, "{a}");
        assert_eq!(request.variables["x"], "%2B");
        assert_eq!(request.operation_name.as_deref(), Some("A B"));
    }

    #[test]
    fn malformed_query_strings_are_rejected() {
        for text in [
            "",
            "query=%ff",
            "query=%7",
            "query={a}&query={b}",
            "query={a}&variables={",
            "query={a}&variables=[]",
        ] {
            assert!(Request::from_query_string(text).is_err(), "{text}");
        }
    }
}

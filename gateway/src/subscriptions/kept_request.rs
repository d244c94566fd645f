//! The request of a subscriber, kept for reloads, which plan it anew. There may be a hundred
//! thousand: what the subscribers of a document have in common is kept once, and variables as text,
//! which takes a tenth of the memory of JSON values.

use std::sync::Arc;

use serde_json::{Map, Value};

use crate::error::Error;
use crate::request::Request;

/// A request in little memory.
#[derive(Debug)]
pub(super) struct KeptRequest {
    /// The request without variables and extensions.
    common: Arc<Request>,
    /// The variables and the extensions as JSON; none if they are empty.
    variables: Option<Box<str>>,
    extensions: Option<Box<str>>,
}

impl KeptRequest {
    /// Keeps a request, beside one that may have the same document.
    pub(super) fn new(request: &Request, beside: Option<&KeptRequest>) -> KeptRequest {
        let common = Request {
            variables: Arc::default(),
            extensions: Map::new(),
            ..request.clone()
        };
        let known = beside
            .map(|kept| &kept.common)
            .filter(|known| ***known == common);
        KeptRequest {
            common: known.cloned().unwrap_or_else(|| Arc::new(common)),
            variables: text(&request.variables),
            extensions: text(&request.extensions),
        }
    }

    /// The name of the operation.
    pub(super) fn operation_name(&self) -> Option<&str> {
        self.common.operation_name.as_deref()
    }

    /// The document.
    pub(super) fn document(&self) -> &str {
        &self.common.query
    }

    /// The request.
    pub(super) fn restore(&self) -> Result<Request, Error> {
        let variables = Arc::new(values(self.variables.as_deref())?);
        let extensions = values(self.extensions.as_deref())?;
        Ok(Request {
            variables,
            extensions,
            ..Request::clone(&self.common)
        })
    }
}

fn text(values: &Map<String, Value>) -> Option<Box<str>> {
    (!values.is_empty()).then(|| {
        serde_json::to_string(values)
            .unwrap_or_default()
            .into_boxed_str()
    })
}

fn values(text: Option<&str>) -> Result<Map<String, Value>, Error> {
    let Some(text) = text else {
        return Ok(Map::new());
    };
    serde_json::from_str(text)
        .map_err(|error| Error::Internal(format!("a request that was kept: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(query: &str, variables: &str) -> Request {
        let values = |text| serde_json::from_str::<Map<String, Value>>(text).unwrap();
        let extensions = values(r#"{"operationId": "a"}"#);
        Request {
            query: query.into(),
            variables: Arc::new(values(variables)),
            extensions,
            ..Request::default()
        }
    }

    #[test]
    fn request_is_restored_with_all_digits_and_shares_its_document() {
        let variables =
            r#"{"b": 12345678901234567890.1234567890123, "a": [null, "ü\u0000", {"c": true}]}"#;
        let first = request("{ a }", variables);
        let kept = KeptRequest::new(&first, None);
        assert_eq!(kept.restore().unwrap(), first);
        let equal = KeptRequest::new(&request("{ a }", "{}"), Some(&kept));
        assert!(Arc::ptr_eq(&equal.common, &kept.common) && equal.variables.is_none());
        assert_eq!(equal.restore().unwrap(), request("{ a }", "{}"));
        let other = KeptRequest::new(&request("{ b }", variables), Some(&kept));
        assert_eq!(other.restore().unwrap().query, "{ b }");
    }
}

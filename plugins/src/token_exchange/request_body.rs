//! The JSON body of a request, and its members.

use gateway::error::{Error, InvalidRequest};
use gateway::http::{HttpExchange, media};
use gateway::request::json;
use serde_json::{Value, json};

/// The JSON object in the body of a request.
pub(crate) struct RequestBody(pub(crate) Value);

impl RequestBody {
    /// Reads the body; an empty one is an object without members.
    pub(crate) async fn read(exchange: &mut HttpExchange) -> Result<RequestBody, Error> {
        let app = exchange.app.clone();
        let bytes = exchange.read_body(&app.state().limits).await?;
        // A body may be missing if the `Authorization` header is sufficient.
        if bytes.is_empty() {
            return Ok(RequestBody(json!({})));
        }
        media::check_json(&exchange.headers)?;
        let malformed = |error: serde_json::Error| InvalidRequest::Json {
            line: error.line(),
            column: error.column(),
        };
        match json::read(&bytes).map_err(malformed)? {
            object @ Value::Object(_) => Ok(RequestBody(object)),
            _ => Err(InvalidRequest::NotAnObject.into()),
        }
    }

    /// A text; `None` if it is missing or null.
    pub(crate) fn maybe(&self, name: &'static str) -> Result<Option<&str>, Error> {
        match self.0.get(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(InvalidRequest::Member {
                name,
                expected: "a string",
            }
            .into()),
        }
    }

    /// A text that has to be there.
    pub(crate) fn text(&self, name: &'static str) -> Result<&str, Error> {
        self.maybe(name)?.ok_or_else(|| {
            InvalidRequest::Member {
                name,
                expected: "a string",
            }
            .into()
        })
    }

    /// A truth value, false if it is missing.
    pub(crate) fn switch(&self, name: &'static str) -> Result<bool, Error> {
        match self.0.get(name) {
            None | Some(Value::Null) => Ok(false),
            Some(Value::Bool(switch)) => Ok(*switch),
            Some(_) => Err(InvalidRequest::Member {
                name,
                expected: "true or false",
            }
            .into()),
        }
    }
}

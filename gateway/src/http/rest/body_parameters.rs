//! Reads the parameters of a REST request from its body: the members of a JSON object, or the
//! fields of a form.

use std::fmt::{Formatter, Result as Written};

use http::header::CONTENT_TYPE;
use http::{HeaderMap, Method};
use serde::de::{Deserializer, MapAccess, Visitor};
use serde_json::Value;

use crate::error::{Error, InvalidRequest};
use crate::http::exchange::HttpExchange;
use crate::http::media::{self, is_utf_8};
use crate::limits::Limits;
use crate::limits::values::values_of_form;
use crate::request;
use crate::request::json::SafeValue;
use crate::rest::Body;

/// The kind of body that a request declares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Content {
    /// The method has no body, so none is read.
    None,
    /// There is no `Content-Type`, so the body must be empty.
    Silent,
    /// JSON.
    Json,
    /// A URL-encoded form.
    Form,
}

const FORM: &str = "application/x-www-form-urlencoded";

impl Content {
    /// The kind that the headers declare.
    pub(super) fn from_request(method: &Method, headers: &HeaderMap) -> Result<Content, Error> {
        if matches!(*method, Method::GET | Method::HEAD) {
            return Ok(Content::None);
        }
        let mut values = headers.get_all(CONTENT_TYPE).iter();
        match (values.next().map(|value| value.to_str()), values.next()) {
            (None, _) => Ok(Content::Silent),
            (Some(Ok(text)), None) if media::is_json(text) => Ok(Content::Json),
            (Some(Ok(text)), None) if is_utf_8(text, FORM) => Ok(Content::Form),
            _ => Err(Error::ParameterType),
        }
    }

    /// Whether any web page can make a browser send such a request without a CORS preflight.
    /// <https://fetch.spec.whatwg.org/#simple-header>
    pub(super) fn is_sent_by_any_page(self, method: &Method) -> bool {
        matches!(*method, Method::GET | Method::HEAD | Method::POST) && self != Content::Json
    }
}

/// Reads the body's parameters within the limits; returns them and the number of bytes read.
pub(super) async fn read(
    exchange: &mut HttpExchange,
    content: Content,
    limits: &Limits,
) -> Result<(Body, usize), Error> {
    if content == Content::None {
        return Ok((Body::Empty, 0));
    }
    let bytes = exchange.read_body(limits).await?;
    let body = match content {
        // A request without parameters need not declare a content type.
        _ if bytes.is_empty() => Body::Empty,
        Content::Json => Body::Json(members(&bytes)?),
        Content::Form => {
            exchange.memory.grow_by(values_of_form(&bytes))?;
            let text = std::str::from_utf8(&bytes).map_err(|_| InvalidRequest::Form)?;
            Body::Form(request::parameters(text)?)
        }
        Content::None | Content::Silent => return Err(Error::NoParameterType),
    };
    Ok((body, bytes.len()))
}

/// The members of a JSON object in order, with duplicates.
pub(in crate::http) fn members(bytes: &[u8]) -> Result<Vec<(String, Value)>, Error> {
    let mut deserializer = serde_json::Deserializer::from_slice(bytes);
    let members = deserializer.deserialize_map(Members);
    match members.and_then(|members| deserializer.end().map(|()| members)) {
        Ok(members) => Ok(members),
        Err(error) if error.is_data() => Err(InvalidRequest::ParameterBody.into()),
        Err(error) => Err(InvalidRequest::Json {
            line: error.line(),
            column: error.column(),
        }
        .into()),
    }
}

struct Members;

impl<'de> Visitor<'de> for Members {
    type Value = Vec<(String, Value)>;

    fn expecting(&self, formatter: &mut Formatter<'_>) -> Written {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Self::Value, A::Error> {
        let mut members = Vec::new();
        while let Some(name) = entries.next_key::<String>()? {
            members.push((name, entries.next_value_seed(SafeValue)?));
        }
        Ok(members)
    }
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    fn content(method: &Method, text: Option<&'static str>) -> Option<Content> {
        let mut headers = HeaderMap::new();
        if let Some(text) = text {
            headers.insert(CONTENT_TYPE, HeaderValue::from_static(text));
        }
        Content::from_request(method, &headers).ok()
    }

    #[test]
    fn content_type_decides_kind_of_body() {
        let known = [
            (None, Some(Content::Silent)),
            (Some("application/json; charset=utf-8"), Some(Content::Json)),
            (
                Some("application/x-www-form-urlencoded"),
                Some(Content::Form),
            ),
            (
                Some("Application/X-WWW-Form-URLencoded; charset=UTF-8"),
                Some(Content::Form),
            ),
            (
                Some("application/x-www-form-urlencoded; charset=latin1"),
                None,
            ),
            (Some("multipart/form-data; boundary=x"), None),
            (Some("text/plain"), None),
        ];
        for (text, expected) in known {
            assert_eq!(content(&Method::POST, text), expected, "{text:?}");
        }
        assert_eq!(
            content(&Method::GET, Some("text/plain")),
            Some(Content::None)
        );
    }

    #[test]
    fn json_and_put_need_a_preflight() {
        assert!(Content::None.is_sent_by_any_page(&Method::GET));
        assert!(Content::Form.is_sent_by_any_page(&Method::POST));
        assert!(Content::Silent.is_sent_by_any_page(&Method::POST));
        assert!(!Content::Json.is_sent_by_any_page(&Method::POST));
        assert!(!Content::Form.is_sent_by_any_page(&Method::PUT));
    }

    #[test]
    fn members_keep_order_duplicates_and_digits() {
        let read = members(br#"{"a": 1, "b": {"c": 12345678901234567890123}, "a": null}"#).unwrap();
        let names: Vec<_> = read.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["a", "b", "a"]);
        assert_eq!(read[1].1["c"].to_string(), "12345678901234567890123");
        for (body, expected) in [
            ("[]", "the parameters in a body have to be a JSON object"),
            ("7", "the parameters in a body have to be a JSON object"),
            ("{\"a\":", "the body is not JSON: line 1, column 5"),
            ("{} {}", "the body is not JSON: line 1, column 4"),
        ] {
            assert_eq!(
                members(body.as_bytes()).unwrap_err().message(),
                expected,
                "{body}"
            );
        }
    }
}

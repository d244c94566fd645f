//! Parses requests from a JSON body, member by member, without building a value of the whole body.

use std::fmt::{Formatter, Result as Written};

use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};

use serde_json::Value;

use super::{Members, Request};
use crate::error::{Error, InvalidRequest};
use crate::limits::LimitExceeded;
use crate::request::json;
use crate::request::json::{NUMBER, SafeValue};

/// A parsed body.
#[derive(Clone, Debug, PartialEq)]
pub enum Body {
    /// One request.
    Single(Request),
    /// An array of requests; the response is an array as well.
    Batch(Vec<Request>),
}

/// A body before its members are checked. `None` is a value that is not an object.
#[expect(
    clippy::large_enum_variant,
    reason = "it lives for a moment, and a request in a box would be one more allocation"
)]
enum ParsedBody {
    Single(Option<Members>),
    Batch(Vec<Option<Members>>),
}

impl Body {
    /// Parses a JSON body. An array may contain up to `batch` requests.
    pub fn parse(bytes: &[u8], batch: usize) -> Result<Body, Error> {
        match read(bytes).map_err(|error| json_error(&error))? {
            ParsedBody::Single(item) => {
                reject_duplicates(std::slice::from_ref(&item))?;
                request(item).map(Body::Single)
            }
            ParsedBody::Batch(items) => {
                reject_duplicates(&items)?;
                match items.len() {
                    0 => Err(InvalidRequest::EmptyBatch.into()),
                    many if many > batch => Err(LimitExceeded::Batch(batch).into()),
                    _ => items
                        .into_iter()
                        .map(request)
                        .collect::<Result<_, _>>()
                        .map(Body::Batch),
                }
            }
        }
    }
}

impl Body {
    /// The body as JSON, without unknown members.
    pub fn to_json(&self) -> Value {
        match self {
            Body::Single(request) => request.to_json(),
            Body::Batch(requests) => requests.iter().map(Request::to_json).collect(),
        }
    }
}

fn read(bytes: &[u8]) -> Result<ParsedBody, serde_json::Error> {
    let mut deserializer = serde_json::Deserializer::from_slice(bytes);
    let parsed = deserializer.deserialize_any(BodyVisitor)?;
    deserializer.end()?;
    Ok(parsed)
}

/// Rejects a member that occurs twice: JSON parsers keep the last one, while a proxy may have
/// checked the first.
fn reject_duplicates(items: &[Option<Members>]) -> Result<(), Error> {
    // With a query, `id` has no meaning for the gateway and may repeat.
    let counts = |members: &&Members| members.twice != Some("id") || members.query.is_none();
    let twice = items
        .iter()
        .flatten()
        .filter(counts)
        .find_map(|members| members.twice);
    match twice.filter(|_| items.iter().all(Option::is_some)) {
        Some(name) => Err(InvalidRequest::MemberTwice(name).into()),
        None => Ok(()),
    }
}

fn request(item: Option<Members>) -> Result<Request, Error> {
    item.ok_or(InvalidRequest::NotAnObject)?.request()
}

fn json_error(error: &serde_json::Error) -> Error {
    InvalidRequest::Json {
        line: error.line(),
        column: error.column(),
    }
    .into()
}

/// Visits the whole body.
struct BodyVisitor;

impl<'de> Visitor<'de> for BodyVisitor {
    type Value = ParsedBody;

    fn expecting(&self, formatter: &mut Formatter<'_>) -> Written {
        formatter.write_str("JSON")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<ParsedBody, A::Error> {
        let mut batch = Vec::new();
        while let Some(item) = items.next_element_seed(RequestVisitor)? {
            batch.push(item);
        }
        Ok(ParsedBody::Batch(batch))
    }

    fn visit_map<A: MapAccess<'de>>(self, entries: A) -> Result<ParsedBody, A::Error> {
        RequestVisitor.visit_map(entries).map(ParsedBody::Single)
    }

    fn visit_unit<E>(self) -> Result<ParsedBody, E> {
        Ok(ParsedBody::Single(None))
    }

    fn visit_bool<E>(self, _: bool) -> Result<ParsedBody, E> {
        Ok(ParsedBody::Single(None))
    }

    fn visit_u64<E>(self, _: u64) -> Result<ParsedBody, E> {
        Ok(ParsedBody::Single(None))
    }

    fn visit_i64<E>(self, _: i64) -> Result<ParsedBody, E> {
        Ok(ParsedBody::Single(None))
    }

    fn visit_str<E>(self, _: &str) -> Result<ParsedBody, E> {
        Ok(ParsedBody::Single(None))
    }
}

/// Visits one request. With arbitrary precision, serde_json represents all numbers except short
/// integers as maps.
struct RequestVisitor;

impl<'de> DeserializeSeed<'de> for RequestVisitor {
    type Value = Option<Members>;

    fn deserialize<D: Deserializer<'de>>(
        self,
        deserializer: D,
    ) -> Result<Option<Members>, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for RequestVisitor {
    type Value = Option<Members>;

    fn expecting(&self, formatter: &mut Formatter<'_>) -> Written {
        formatter.write_str("JSON")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Option<Members>, A::Error> {
        let mut members = Members::default();
        let mut first = true;
        while let Some(member) = entries.next_key_seed(NextMember)? {
            let (slot, name) = match member {
                Member::Number if first => return json::number(&mut entries).map(|_| None),
                Member::Query => (&mut members.query, "query"),
                Member::DocumentId => (&mut members.document_id, "documentId"),
                Member::Id => (&mut members.id, "id"),
                Member::OperationName => (&mut members.operation_name, "operationName"),
                Member::Variables => (&mut members.variables, "variables"),
                Member::Extensions => (&mut members.extensions, "extensions"),
                Member::Number | Member::Other => (&mut None, ""),
            };
            first = false;
            if slot.replace(entries.next_value_seed(SafeValue)?).is_some() {
                members.twice = Some(name);
            }
        }
        Ok(Some(members))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Option<Members>, A::Error> {
        while items.next_element_seed(SafeValue)?.is_some() {}
        Ok(None)
    }

    fn visit_unit<E>(self) -> Result<Option<Members>, E> {
        Ok(None)
    }

    fn visit_bool<E>(self, _: bool) -> Result<Option<Members>, E> {
        Ok(None)
    }

    fn visit_u64<E>(self, _: u64) -> Result<Option<Members>, E> {
        Ok(None)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Option<Members>, E> {
        Ok(None)
    }

    fn visit_str<E>(self, _: &str) -> Result<Option<Members>, E> {
        Ok(None)
    }
}

/// A key of a request.
#[derive(Clone, Copy)]
enum Member {
    Query,
    DocumentId,
    Id,
    OperationName,
    Variables,
    Extensions,
    /// The key by which serde_json marks a number, if it is the first key.
    Number,
    Other,
}

struct NextMember;

impl<'de> DeserializeSeed<'de> for NextMember {
    type Value = Member;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Member, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for NextMember {
    type Value = Member;

    fn expecting(&self, formatter: &mut Formatter<'_>) -> Written {
        formatter.write_str("a key")
    }

    fn visit_str<E>(self, key: &str) -> Result<Member, E> {
        Ok(match key {
            "query" => Member::Query,
            "documentId" => Member::DocumentId,
            "id" => Member::Id,
            "operationName" => Member::OperationName,
            "variables" => Member::Variables,
            "extensions" => Member::Extensions,
            NUMBER => Member::Number,
            _ => Member::Other,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(body: &str) -> String {
        Body::parse(body.as_bytes(), 3).unwrap_err().message()
    }

    #[test]
    fn body_is_one_request_or_a_batch() {
        let body = br#"{"query":"{a}","operationName":"Q","variables":{"n":1.00},"id":"x"}"#;
        let Body::Single(request) = Body::parse(body, 3).unwrap() else {
            panic!("not single")
        };
        assert_eq!(request.query, "{a}");
        assert_eq!(request.operation_name.as_deref(), Some("Q"));
        assert_eq!(request.variables["n"].to_string(), "1.00");
        let Body::Batch(requests) =
            Body::parse(br#"[{"query":"{a}"},{"query":"{b}"}]"#, 3).unwrap()
        else {
            panic!("not a batch")
        };
        assert_eq!(requests[1], Request::new("{b}"));
    }

    #[test]
    fn nulls_are_like_absent_members() {
        let body = br#"{"query":"{a}","operationName":null,"variables":null,"extensions":null}"#;
        assert_eq!(
            Body::parse(body, 3).unwrap(),
            Body::Single(Request::new("{a}"))
        );
    }

    #[test]
    fn other_json_shapes_are_rejected() {
        assert_eq!(refused("{}"), "the request has no 'query'");
        assert_eq!(refused(r#"{"query":1}"#), "'query' has to be a string");
        assert_eq!(
            refused(r#"{"query":"{a}","variables":[]}"#),
            "'variables' has to be an object"
        );
        assert_eq!(
            refused(r#"{"query":"{a}","operationName":{}}"#),
            "'operationName' has to be a string"
        );
        for other in ["3", "-3", "3.5", "null", "true", "\"{a}\""] {
            assert_eq!(refused(other), "a request has to be a JSON object");
            assert_eq!(
                refused(&format!("[{other}]")),
                "a request has to be a JSON object"
            );
        }
        assert_eq!(refused("[[]]"), "a request has to be a JSON object");
        assert_eq!(refused("[]"), "a batch of requests must not be empty");
        assert_eq!(refused("[1]"), "a request has to be a JSON object");
        assert_eq!(
            refused("{\"query\":\n}"),
            "the body is not JSON: line 2, column 1"
        );
        let many = format!("[{}]", [r#"{"query":"{a}"}"#; 4].join(","));
        assert_eq!(
            refused(&many),
            "the batch holds more requests than the limit of 3"
        );
    }

    #[test]
    fn repeated_members_are_rejected() {
        assert_eq!(
            refused(r#"{"query":"{a}","query":"{b}"}"#),
            "'query' is given twice"
        );
        assert_eq!(
            refused(r#"[{"query":"{a}"},{"query":"{b}","variables":{},"variables":null}]"#),
            "'variables' is given twice"
        );
        assert!(
            Body::parse(
                br#"{"query":"{a}","id":1,"id":2,"variables":{"query":1}}"#,
                3
            )
            .is_ok()
        );
    }

    #[test]
    fn hostile_json_is_an_error() {
        let deep = format!(
            "{{\"query\":\"{{a}}\",\"variables\":{}1{}}}",
            "[".repeat(100_000),
            "]".repeat(100_000)
        );
        assert!(Body::parse(deep.as_bytes(), 3).is_err());
        assert!(Body::parse(b"{\"query\":\"\xff\"}", 3).is_err());
        assert!(Body::parse(br#"{"query":"\ud800"}"#, 3).is_err());
        assert!(Body::parse(b"", 3).is_err());
    }
}

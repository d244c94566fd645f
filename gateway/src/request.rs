//! A GraphQL request as every door makes it, and how it is read from JSON or from a query string. What the document
//! says is left to `sql`.

use std::sync::Arc;

use serde_json::{Map, Value};

use crate::error::{Error, Malformed};
use crate::json;

/// One GraphQL request.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Request {
    /// The document's text.
    pub query: String,
    /// Which of its operations is meant.
    pub operation_name: Option<String>,
    /// The variables, numbers with all their digits.
    pub variables: Arc<Map<String, Value>>,
    /// What extensions of the protocol add.
    pub extensions: Map<String, Value>,
}

/// What a body holds.
#[derive(Clone, Debug, PartialEq)]
pub enum Body {
    /// One request.
    Single(Request),
    /// An array of requests, answered by an array.
    Batch(Vec<Request>),
}

impl Body {
    /// Reads a JSON body. An array may hold `batch` requests.
    pub fn parse(bytes: &[u8], batch: usize) -> Result<Body, Error> {
        let (value, doubles) = json::read_telling(bytes).map_err(|error| json_error(&error))?;
        refuse_doubles(&value, &doubles)?;
        match value {
            Value::Array(items) if items.is_empty() => Err(Malformed::EmptyBatch.into()),
            Value::Array(items) if items.len() > batch => Err(crate::limits::Exceeded::Batch(batch).into()),
            Value::Array(items) => items.into_iter().map(Request::from_json).collect::<Result<_, _>>().map(Body::Batch),
            single => Request::from_json(single).map(Body::Single),
        }
    }
}

impl Request {
    /// A request without variables.
    pub fn of(query: impl Into<String>) -> Request {
        Request { query: query.into(), ..Request::default() }
    }

    /// Reads the JSON object `{"query", "operationName", "variables", "extensions"}`.
    pub fn from_json(value: Value) -> Result<Request, Error> {
        let Value::Object(mut members) = value else { return Err(Malformed::NotAnObject.into()) };
        let query = match members.remove("query") {
            Some(Value::String(query)) => query,
            None | Some(Value::Null) => return Err(Malformed::NoQuery.into()),
            Some(_) => return Err(Malformed::Member { name: "query", expected: "a string" }.into()),
        };
        let operation_name = match members.remove("operationName") {
            None | Some(Value::Null) => None,
            Some(Value::String(name)) => Some(name).filter(|name| !name.is_empty()),
            Some(_) => return Err(Malformed::Member { name: "operationName", expected: "a string" }.into()),
        };
        let variables = object("variables", members.remove("variables"))?.into();
        let extensions = object("extensions", members.remove("extensions"))?;
        Ok(Request { query, operation_name, variables, extensions })
    }

    /// Reads the query string of a GET request.
    pub fn from_query_string(text: &str) -> Result<Request, Error> {
        let mut members = Map::new();
        for (name, value) in parameters(text)? {
            let known = match name.as_str() {
                "query" | "operationName" => Value::String(value),
                "variables" | "extensions" if value.is_empty() => Value::Null,
                "variables" => read_parameter("variables", &value)?,
                "extensions" => read_parameter("extensions", &value)?,
                _ => continue,
            };
            if members.insert(name.clone(), known).is_some() {
                return Err(Malformed::ParameterTwice(name).into());
            }
        }
        Request::from_json(Value::Object(members))
    }
}

/// The parameters of a query string, decoded once.
pub fn parameters(text: &str) -> Result<Vec<(String, String)>, Error> {
    let pairs = text.split('&').filter(|pair| !pair.is_empty());
    pairs
        .map(|pair| {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            Ok((percent_decode(name)?, percent_decode(value)?))
        })
        .collect()
}

/// Decodes `%41` and `+`. Written here because the libraries replace invalid UTF-8 where we refuse it.
fn percent_decode(text: &str) -> Result<String, Error> {
    let mut bytes = text.bytes();
    let mut decoded = Vec::with_capacity(text.len());
    while let Some(byte) = bytes.next() {
        decoded.push(match byte {
            b'+' => b' ',
            b'%' => {
                let digits = [bytes.next(), bytes.next()].map(|digit| digit.and_then(hexadecimal));
                let [Some(high), Some(low)] = digits else { return Err(Malformed::PercentEncoding.into()) };
                high << 4 | low
            }
            other => other,
        });
    }
    String::from_utf8(decoded).map_err(|_| Malformed::PercentEncoding.into())
}

fn hexadecimal(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok())
}

fn read_parameter(name: &'static str, text: &str) -> Result<Value, Error> {
    json::read(text.as_bytes()).map_err(|_| Malformed::Member { name, expected: "a JSON object" }.into())
}

fn object(name: &'static str, value: Option<Value>) -> Result<Map<String, Value>, Error> {
    match value {
        None | Some(Value::Null) => Ok(Map::new()),
        Some(Value::Object(members)) => Ok(members),
        Some(_) => Err(Malformed::Member { name, expected: "an object" }.into()),
    }
}

/// The members of a request.
const MEMBERS: [&str; 4] = ["query", "operationName", "variables", "extensions"];

/// Refuses a member given twice: JSON keeps the last one, while a proxy before the gateway may have judged the first.
fn refuse_doubles(value: &Value, doubles: &[json::Doubles]) -> Result<(), Error> {
    let depth = match value {
        Value::Object(_) => 0,
        Value::Array(items) if items.iter().all(Value::is_object) => 1,
        _ => return Ok(()),
    };
    let member = |key: &String| MEMBERS.into_iter().find(|name| name == key);
    let mut requests = doubles.iter().filter(|object| object.depth == depth);
    match requests.find_map(|object| object.keys.iter().rev().find_map(member)) {
        Some(name) => Err(Malformed::MemberTwice(name).into()),
        None => Ok(()),
    }
}

fn json_error(error: &serde_json::Error) -> Error {
    Malformed::Json { line: error.line(), column: error.column() }.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(body: &str) -> String {
        Body::parse(body.as_bytes(), 3).unwrap_err().message()
    }

    #[test]
    fn a_body_is_one_request_or_several() {
        let body = br#"{"query":"{a}","operationName":"Q","variables":{"n":1.00},"id":"x"}"#;
        let Body::Single(request) = Body::parse(body, 3).unwrap() else { panic!("not single") };
        assert_eq!(request.query, "{a}");
        assert_eq!(request.operation_name.as_deref(), Some("Q"));
        assert_eq!(request.variables["n"].to_string(), "1.00");
        let Body::Batch(requests) = Body::parse(br#"[{"query":"{a}"},{"query":"{b}"}]"#, 3).unwrap() else {
            panic!("not a batch")
        };
        assert_eq!(requests[1], Request::of("{b}"));
    }

    #[test]
    fn nulls_are_like_absent_members() {
        let body = br#"{"query":"{a}","operationName":null,"variables":null,"extensions":null}"#;
        assert_eq!(Body::parse(body, 3).unwrap(), Body::Single(Request::of("{a}")));
    }

    #[test]
    fn other_shapes_are_refused() {
        assert_eq!(refused("{}"), "the request has no 'query'");
        assert_eq!(refused(r#"{"query":1}"#), "'query' has to be a string");
        assert_eq!(refused(r#"{"query":"{a}","variables":[]}"#), "'variables' has to be an object");
        assert_eq!(refused(r#"{"query":"{a}","operationName":{}}"#), "'operationName' has to be a string");
        assert_eq!(refused("3"), "a request has to be a JSON object");
        assert_eq!(refused("[]"), "a batch of requests must not be empty");
        assert_eq!(refused("[1]"), "a request has to be a JSON object");
        assert_eq!(refused("{\"query\":\n}"), "the body is not JSON: line 2, column 1");
        let many = format!("[{}]", [r#"{"query":"{a}"}"#; 4].join(","));
        assert_eq!(refused(&many), "the batch holds more requests than the limit of 3");
    }

    #[test]
    fn a_member_stands_once() {
        assert_eq!(refused(r#"{"query":"{a}","query":"{b}"}"#), "'query' is given twice");
        assert_eq!(
            refused(r#"[{"query":"{a}"},{"query":"{b}","variables":{},"variables":null}]"#),
            "'variables' is given twice"
        );
        assert!(Body::parse(br#"{"query":"{a}","id":1,"id":2,"variables":{"query":1}}"#, 3).is_ok());
    }

    #[test]
    fn hostile_json_is_an_error_and_no_more() {
        let deep = format!("{{\"query\":\"{{a}}\",\"variables\":{}1{}}}", "[".repeat(100_000), "]".repeat(100_000));
        assert!(Body::parse(deep.as_bytes(), 3).is_err());
        assert!(Body::parse(b"{\"query\":\"\xff\"}", 3).is_err());
        assert!(Body::parse(br#"{"query":"\ud800"}"#, 3).is_err());
        assert!(Body::parse(b"", 3).is_err());
    }

    #[test]
    fn a_query_string_is_decoded_once() {
        let text = "query=%7Ba%7D&variables=%7B%22x%22%3A%22%252B%22%7D&operationName=A+B&other=1";
        let request = Request::from_query_string(text).unwrap();
        assert_eq!(request.query, "{a}");
        assert_eq!(request.variables["x"], "%2B");
        assert_eq!(request.operation_name.as_deref(), Some("A B"));
    }

    #[test]
    fn a_query_string_is_read_strictly() {
        for text in
            ["", "query=%ff", "query=%7", "query={a}&query={b}", "query={a}&variables={", "query={a}&variables=[]"]
        {
            assert!(Request::from_query_string(text).is_err(), "{text}");
        }
    }
}

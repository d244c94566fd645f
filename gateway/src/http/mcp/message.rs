//! Parses an MCP message in two parts: the tool's arguments in the way of a REST body, and the rest
//! for rmcp.

use std::fmt::{Formatter, Result as Written};

use rmcp::model::{ClientJsonRpcMessage, ConstString, InitializeResultMethod};
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::error::{Error, InvalidRequest};
use crate::http::rest::body_parameters::members;
use crate::request::json;

/// A message from a client.
#[derive(Debug)]
pub(super) struct Message {
    /// The message without the arguments, which rmcp parses.
    pub(super) spoken: Vec<u8>,
    /// The arguments of a tool call, in order.
    pub(super) arguments: Vec<(String, Value)>,
    /// The number or text by which its answer names it; null for a notification.
    pub(super) id: Value,
    method: String,
}

/// The key prefix to which serde_json gives a special meaning when it parses a value, as rmcp has
/// it do: see [`json`].
const PRIVATE: &str = "$serde_json::private::";

/// Members that a message may contain only once: with duplicates, a proxy could have read the other
/// one.
const ENVELOPE: [&str; 4] = ["jsonrpc", "id", "method", "params"];
/// Members that the parameters may contain only once.
const PARAMETERS: [&str; 3] = ["name", "arguments", "_meta"];

/// The members of an object in order, as raw JSON.
struct Members<'b>(Vec<(String, &'b RawValue)>);

impl Message {
    /// Parses a message. Batches are refused, which [`super::batch`] divides where the version has
    /// them, and so are responses, since the gateway sends no requests to clients.
    pub(super) fn read(bytes: &[u8]) -> Result<Message, Error> {
        let read = json::read(bytes);
        let mut value = read.map_err(|error| InvalidRequest::Json {
            line: error.line(),
            column: error.column(),
        })?;
        if !value.is_object() {
            return Err(InvalidRequest::NotAnObject.into());
        }
        let written = Members::parse(bytes)?.once(&ENVELOPE)?;
        let arguments = match value.get_mut("params").and_then(Value::as_object_mut) {
            Some(parameters) => {
                parameters.shift_remove("arguments");
                arguments(&written)?
            }
            None => vec![],
        };
        let spoken = value.to_string();
        let is_sound = !spoken.contains(PRIVATE)
            && value.get("method").is_some()
            && serde_json::from_str::<ClientJsonRpcMessage>(&spoken).is_ok();
        if is_sound {
            let text = value
                .get("method")
                .and_then(Value::as_str)
                .unwrap_or_default()
                .to_owned();
            let id = value.get("id").cloned().unwrap_or_default();
            Ok(Message {
                spoken: spoken.into_bytes(),
                arguments,
                id,
                method: text,
            })
        } else {
            Err(InvalidRequest::Message.into())
        }
    }

    /// Whether it begins the handshake.
    pub(super) fn is_initialize(&self) -> bool {
        self.method == InitializeResultMethod::VALUE
    }
}

/// The arguments in order, with duplicates.
fn arguments(message: &Members<'_>) -> Result<Vec<(String, Value)>, Error> {
    let Some(parameters) = message.get("params") else {
        return Ok(vec![]);
    };
    let parameters = Members::parse(parameters.as_bytes())?.once(&PARAMETERS)?;
    match parameters.get("arguments") {
        None | Some("null") => Ok(vec![]),
        Some(object) if object.starts_with('{') => members(object.as_bytes()),
        Some(_) => Err(InvalidRequest::Member {
            name: "arguments",
            expected: "an object",
        }
        .into()),
    }
}

impl<'b> Members<'b> {
    fn parse(bytes: &'b [u8]) -> Result<Members<'b>, InvalidRequest> {
        serde_json::from_slice(bytes).map_err(|_| InvalidRequest::Message)
    }

    /// Fails if one of these members occurs more than once.
    fn once(self, names: &[&'static str]) -> Result<Members<'b>, InvalidRequest> {
        let times = |name: &str| self.0.iter().filter(|(known, _)| known == name).count();
        match names.iter().find(|name| times(name) > 1) {
            Some(name) => Err(InvalidRequest::MemberTwice(name)),
            None => Ok(self),
        }
    }

    fn get(&self, name: &str) -> Option<&'b str> {
        self.0
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, value)| value.get())
    }
}

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Members<'de>, D::Error> {
        deserializer.deserialize_map(Each)
    }
}

struct Each;

impl<'de> Visitor<'de> for Each {
    type Value = Members<'de>;

    fn expecting(&self, formatter: &mut Formatter<'_>) -> Written {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Members<'de>, A::Error> {
        let mut members = vec![];
        while let Some(member) = entries.next_entry::<String, &RawValue>()? {
            members.push(member);
        }
        Ok(Members(members))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn call(arguments: &str) -> Result<Vec<(String, Value)>, String> {
        let text = format!(
            r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"a","arguments":{arguments}}}}}"#
        );
        Message::read(text.as_bytes())
            .map(|message| message.arguments)
            .map_err(|error| error.message())
    }

    #[test]
    fn arguments_keep_order_duplicates_and_digits() {
        let argument = |name: &str, value: Value| (name.to_owned(), value);
        assert_eq!(call("null"), Ok(vec![]));
        assert_eq!(call("{}"), Ok(vec![]));
        let twice = call(r#"{"a":1,"a":[2]}"#);
        assert_eq!(
            twice,
            Ok(vec![argument("a", json!(1)), argument("a", json!([2]))])
        );
        let digits = call(r#"{"a":1.50000000000000000000000001}"#).unwrap();
        assert_eq!(digits[0].1.to_string(), "1.50000000000000000000000001");
        let private = r#"{"$serde_json::private::RawValue":"[[1]]"}"#;
        assert_eq!(
            call(&format!("{{\"a\":{private}}}")).unwrap()[0]
                .1
                .to_string(),
            private
        );
        for wrong in ["[]", "7", "\"a\""] {
            assert_eq!(
                call(wrong),
                Err("'arguments' has to be an object".into()),
                "{wrong}"
            );
        }
    }

    #[test]
    fn duplicate_envelope_members_are_refused() {
        let usual =
            r#""jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":{}}"#;
        assert!(Message::read(format!("{{{usual}}}").as_bytes()).is_ok());
        for (name, again) in [
            ("jsonrpc", r#""jsonrpc":"2.0""#),
            ("id", r#""\u0069d":2"#),
            ("method", r#""method":"ping""#),
            ("params", r#""params":null"#),
        ] {
            let message = Message::read(format!("{{{usual},{again}}}").as_bytes())
                .unwrap_err()
                .message();
            assert_eq!(message, format!("'{name}' is given twice"));
        }
        for (name, params) in [
            ("name", r#"{"name":"b","arguments":{},"name":"a"}"#),
            (
                "arguments",
                r#"{"arguments":{"a":1},"name":"a","arguments":null}"#,
            ),
            ("_meta", r#"{"_meta":{},"name":"a","_meta":{}}"#),
        ] {
            let text =
                format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{params}}}"#);
            let message = Message::read(text.as_bytes()).unwrap_err().message();
            assert_eq!(message, format!("'{name}' is given twice"));
        }
    }

    #[test]
    fn message_for_rmcp_has_no_arguments() {
        let text = r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"a","arguments":{"b":1.5}}}"#;
        let message = Message::read(text.as_bytes()).unwrap();
        let expected = r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"a"}}"#;
        assert_eq!(String::from_utf8(message.spoken).unwrap(), expected);
    }

    #[test]
    fn invalid_messages_are_refused() {
        let message = |text: &str| Message::read(text.as_bytes()).unwrap_err().message();
        assert_eq!(message("{"), "the body is not JSON: line 1, column 1");
        assert_eq!(
            message(&"[".repeat(200)),
            "the body is not JSON: line 1, column 128"
        );
        assert_eq!(message("[]"), "a request has to be a JSON object");
        let deep = format!(
            r#"{{"$serde_json::private::RawValue":"{}"}}"#,
            "[".repeat(10_000)
        );
        for text in [
            "{}",
            r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#,
            r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#,
            r#"{"jsonrpc":"2.0","id":1,"method":"ping","result":{}}"#,
            r#"{"jsonrpc":"2.0","id":1,"result":{}}"#,
            &format!(r#"{{"jsonrpc":"2.0","id":1,"method":"ping","params":{{"_meta":{deep}}}}}"#),
        ] {
            assert_eq!(
                message(text),
                "the body is not a message of the Model Context Protocol",
                "{text:.100}"
            );
        }
    }
}

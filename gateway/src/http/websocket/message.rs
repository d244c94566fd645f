//! The messages of both subprotocols: parses those of clients, and writes those of the gateway.

use std::borrow::Cow;

use bytes::Bytes;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::protocol::Protocol;
use crate::request::json::Distinct;

/// A message from a client. Payloads are parsed when they are needed.
#[derive(Debug)]
pub(super) enum ClientMessage<'a> {
    /// `connection_init`, with what the client sends as credentials.
    Init(Map<String, Value>),
    /// `ping`. Its payload may hold new credentials.
    Ping(Option<&'a RawValue>),
    /// `pong`.
    Pong,
    /// `subscribe`, or `start` of the legacy protocol.
    Start {
        /// The client's id of the operation.
        id: Cow<'a, str>,
        /// The request.
        payload: &'a RawValue,
    },
    /// `complete`, or `stop` of the legacy protocol: the client ends the operation with this id.
    Stop(Cow<'a, str>),
    /// `connection_terminate` of the legacy protocol.
    Terminate,
}

/// Why a message is malformed; the text is the reason in the close frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct InvalidMessage(pub(super) &'static str);

/// A message as JSON, before its type is known.
#[derive(Deserialize)]
struct Envelope<'a> {
    #[serde(borrow, rename = "type")]
    kind: Cow<'a, str>,
    #[serde(borrow, default)]
    id: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    payload: Option<&'a RawValue>,
}

/// The longest id of an operation, in bytes.
const MAX_ID: usize = 256;

/// The longest payload with credentials, in bytes: as long as the head of a request may be.
const MAX_CREDENTIALS: usize = crate::http::head_limit::MAX_HEAD_BYTES;

impl<'a> ClientMessage<'a> {
    /// Parses a message.
    pub(super) fn parse(
        text: &'a str,
        protocol: Protocol,
    ) -> Result<ClientMessage<'a>, InvalidMessage> {
        let invalid = InvalidMessage(
            "a message has to be a JSON object with 'type', and 'id' if it has one as a string",
        );
        let Envelope { kind, id, payload } = serde_json::from_str(text).map_err(|_| invalid)?;
        match (protocol, &*kind) {
            (_, "connection_init") => Ok(ClientMessage::Init(credentials(payload)?)),
            (Protocol::TransportWs, "ping") => Ok(ClientMessage::Ping(payload)),
            (Protocol::TransportWs, "pong") => Ok(ClientMessage::Pong),
            (Protocol::TransportWs, "subscribe") | (Protocol::Legacy, "start") => {
                let payload = payload.ok_or(InvalidMessage("the message has no 'payload'"))?;
                Ok(ClientMessage::Start {
                    id: checked_id(id)?,
                    payload,
                })
            }
            (Protocol::TransportWs, "complete") | (Protocol::Legacy, "stop") => {
                Ok(ClientMessage::Stop(checked_id(id)?))
            }
            (Protocol::Legacy, "connection_terminate") => Ok(ClientMessage::Terminate),
            _ => Err(InvalidMessage("unknown message type")),
        }
    }
}

/// Parses a payload with credentials: an object without repeated keys, or nothing.
pub(super) fn credentials(
    payload: Option<&RawValue>,
) -> Result<Map<String, Value>, InvalidMessage> {
    let Some(payload) = payload.map(RawValue::get) else {
        return Ok(Map::new());
    };
    if payload.len() > MAX_CREDENTIALS {
        return Err(InvalidMessage("the payload is too long"));
    }
    let parsed = serde_json::from_str(payload);
    parsed
        .map(|Distinct(members)| members)
        .map_err(|_| InvalidMessage("the payload has to be an object"))
}

fn checked_id(id: Option<Cow<'_, str>>) -> Result<Cow<'_, str>, InvalidMessage> {
    let id = id
        .filter(|id| !id.is_empty())
        .ok_or(InvalidMessage("the message has no 'id'"))?;
    if id.len() > MAX_ID {
        Err(InvalidMessage("the 'id' is too long"))
    } else {
        Ok(id)
    }
}

/// A message to a client.
#[derive(Debug)]
pub(super) enum ServerMessage<'a> {
    /// `connection_ack`.
    Ack,
    /// `connection_error` of the legacy protocol. The value is the response `{"errors":[…]}`.
    ConnectionError(&'a Value),
    /// `ka` of the legacy protocol.
    KeepAlive,
    /// `pong`, with the payload of the ping.
    Pong(Option<&'a RawValue>),
    /// `next`, or `data` of the legacy protocol: a result of the operation with this id.
    Next(&'a str, Bytes),
    /// `error`. The value is the response `{"errors":[…]}`.
    Error(&'a str, &'a Value),
    /// `complete`.
    Complete(&'a str),
}

impl ServerMessage<'_> {
    /// Writes the message, in parts that follow each other. A result is a part of its own, so that
    /// it is not copied.
    pub(super) fn encode(self, protocol: Protocol) -> [Bytes; 3] {
        let errors = |response: &Value| match protocol {
            Protocol::TransportWs => response["errors"].clone(),
            // Old clients read one error here.
            Protocol::Legacy => response["errors"][0].clone(),
        };
        let value = match self {
            ServerMessage::Next(id, result) => {
                let kind = if protocol == Protocol::TransportWs {
                    "next"
                } else {
                    "data"
                };
                let head = format!(r#"{{"type":"{kind}","id":{},"payload":"#, Value::from(id));
                return [head.into(), result, Bytes::from_static(b"}")];
            }
            ServerMessage::Ack => json!({"type": "connection_ack"}),
            ServerMessage::ConnectionError(response) => {
                json!({"type": "connection_error", "payload": response["errors"][0]})
            }
            ServerMessage::KeepAlive => json!({"type": "ka"}),
            ServerMessage::Pong(None) => json!({"type": "pong"}),
            ServerMessage::Pong(Some(payload)) => {
                return [
                    format!(r#"{{"type":"pong","payload":{}}}"#, payload.get()).into(),
                    Bytes::new(),
                    Bytes::new(),
                ];
            }
            ServerMessage::Error(id, response) => {
                json!({"type": "error", "id": id, "payload": errors(response)})
            }
            ServerMessage::Complete(id) => json!({"type": "complete", "id": id}),
        };
        [value.to_string().into(), Bytes::new(), Bytes::new()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn invalid(text: &str) -> &'static str {
        ClientMessage::parse(text, Protocol::TransportWs)
            .unwrap_err()
            .0
    }

    #[test]
    fn messages_of_the_other_protocol_are_unknown() {
        let start = r#"{"type":"start","id":"1","payload":{}}"#;
        assert_eq!(invalid(start), "unknown message type");
        assert!(matches!(
            ClientMessage::parse(start, Protocol::Legacy),
            Ok(ClientMessage::Start { .. })
        ));
        assert!(ClientMessage::parse(r#"{"type":"ping"}"#, Protocol::Legacy).is_err());
    }

    #[test]
    fn malformed_messages_are_refused() {
        for text in [
            "",
            "[]",
            "1",
            "null",
            "{}",
            r#"{"type":1}"#,
            r#"{"type":"ping","type":"ping"}"#,
            "{\"type\":",
        ] {
            assert!(
                ClientMessage::parse(text, Protocol::TransportWs).is_err(),
                "{text}"
            );
        }
        for id in [
            "",
            r#""id":1,"#,
            r#""id":"","#,
            r#""id":null,"#,
            r#""id":"1","id":"1","#,
        ] {
            let text = format!(r#"{{{id}"type":"subscribe","payload":{{}}}}"#);
            assert!(
                ClientMessage::parse(&text, Protocol::TransportWs).is_err(),
                "{text}"
            );
        }
        assert_eq!(
            invalid(r#"{"type":"subscribe","id":"1"}"#),
            "the message has no 'payload'"
        );
        assert_eq!(
            invalid(r#"{"type":"connection_init","payload":[]}"#),
            "the payload has to be an object"
        );
        let deep = format!(
            r#"{{"type":"connection_init","payload":{}{}}}"#,
            "[".repeat(10_000),
            "]".repeat(10_000)
        );
        assert_eq!(invalid(&deep), "the payload has to be an object");
    }

    #[test]
    fn each_protocol_has_its_names() {
        let text = |message: ServerMessage<'_>, protocol| {
            String::from_utf8(message.encode(protocol).concat()).unwrap()
        };
        let errors = json!({"errors": [{"message": "m"}]});
        let next = |protocol| {
            text(
                ServerMessage::Next("a\"", Bytes::from_static(b"{}")),
                protocol,
            )
        };
        assert_eq!(
            next(Protocol::TransportWs),
            r#"{"type":"next","id":"a\"","payload":{}}"#
        );
        assert_eq!(
            next(Protocol::Legacy),
            r#"{"type":"data","id":"a\"","payload":{}}"#
        );
        let error = |protocol| text(ServerMessage::Error("1", &errors), protocol);
        assert_eq!(
            error(Protocol::TransportWs),
            r#"{"type":"error","id":"1","payload":[{"message":"m"}]}"#
        );
        assert_eq!(
            error(Protocol::Legacy),
            r#"{"type":"error","id":"1","payload":{"message":"m"}}"#
        );
    }
}

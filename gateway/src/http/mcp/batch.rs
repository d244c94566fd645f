//! Batches of messages, which version 2025-03-26 of the protocol requires servers to receive, and
//! no other version has. <https://modelcontextprotocol.io/specification/2025-03-26/basic#batching>

use bytes::Bytes;
use http::HeaderMap;
use serde_json::value::RawValue;

use super::message::Message;
use crate::error::{Error, InvalidRequest};

/// The version that has batches.
const VERSION: &str = "2025-03-26";

/// The messages of a body that is a batch, each as JSON; none if it is a single message, or its
/// version has no batches. Without the header a server assumes the version that has them.
pub(super) fn messages(headers: &HeaderMap, body: &Bytes) -> Result<Option<Vec<Bytes>>, Error> {
    let is_batch = body.iter().find(|byte| !byte.is_ascii_whitespace()) == Some(&b'[');
    let version = headers.get("mcp-protocol-version");
    if !is_batch || version.is_some_and(|version| version != VERSION) {
        return Ok(None);
    }
    // The parser of single messages reports what is no JSON.
    let Ok(messages) = serde_json::from_slice::<Vec<&RawValue>>(body) else {
        return Ok(None);
    };
    if messages.is_empty() {
        Err(InvalidRequest::EmptyBatch.into())
    } else {
        Ok(Some(
            messages
                .into_iter()
                .map(|message| body.slice_ref(message.get().as_bytes()))
                .collect(),
        ))
    }
}

/// Parses a message of a batch. The handshake stands alone, because it decides the version.
pub(super) fn read(bytes: &[u8]) -> Result<Message, Error> {
    let message = Message::read(bytes)?;
    if message.is_initialize() {
        Err(InvalidRequest::Message.into())
    } else {
        Ok(message)
    }
}

/// The bodies of several responses as one JSON array.
pub(super) fn join(responses: &[Bytes]) -> Vec<u8> {
    let mut joined = Vec::with_capacity(
        responses
            .iter()
            .map(|response| response.len() + 1)
            .sum::<usize>()
            + 2,
    );
    for (index, response) in responses.iter().enumerate() {
        joined.push(if index > 0 { b',' } else { b'[' });
        joined.extend_from_slice(response);
    }
    joined.push(b']');
    joined
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    fn split(
        version: Option<&'static str>,
        body: &'static str,
    ) -> Option<Result<Vec<String>, String>> {
        let headers = version.map(|version| {
            (
                "mcp-protocol-version".parse().unwrap(),
                HeaderValue::from_static(version),
            )
        });
        let messages = messages(
            &HeaderMap::from_iter(headers),
            &Bytes::from_static(body.as_bytes()),
        );
        let texts = |all: Vec<Bytes>| {
            all.iter()
                .map(|one| String::from_utf8(one.to_vec()).unwrap())
                .collect()
        };
        messages
            .map_err(|error| error.message())
            .transpose()
            .map(|messages| messages.map(texts))
    }

    #[test]
    fn only_one_version_has_batches() {
        let batch = " [{\"a\": 1.50}, 7]";
        let expected = Some(Ok(vec!["{\"a\": 1.50}".to_owned(), "7".to_owned()]));
        assert_eq!(split(None, batch), expected);
        assert_eq!(split(Some("2025-03-26"), batch), expected);
        for other in ["2024-11-05", "2025-06-18", "2025-11-25", ""] {
            assert_eq!(split(Some(other), batch), None, "{other}");
        }
        assert_eq!(split(None, "{}"), None);
        assert_eq!(split(None, "["), None);
        assert!(
            split(None, "[]").is_some_and(|read| read.is_err_and(|error| error.contains("empty")))
        );
        assert_eq!(
            join(&[Bytes::from_static(b"1"), Bytes::from_static(b"{}")]),
            b"[1,{}]"
        );
    }

    #[test]
    fn handshake_stands_alone() {
        let message = |method: &str| {
            format!(
                r#"{{"jsonrpc":"2.0","id":1,"method":"{method}","params":{{"protocolVersion":"2025-03-26","capabilities":{{}},"clientInfo":{{"name":"a","version":"1"}}}}}}"#
            )
        };
        assert!(Message::read(message("initialize").as_bytes()).is_ok());
        assert!(read(message("initialize").as_bytes()).is_err());
        assert!(read(br#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#).is_ok());
    }
}

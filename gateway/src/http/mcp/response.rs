//! Converts rmcp's response to an MCP message. The data of a tool is not copied through rmcp's JSON
//! values: placeholders stand for it until the bytes written from rows replace them, once as JSON
//! and once as text.

use bytes::Bytes;
use http::StatusCode;
use http::header::CONTENT_TYPE;
use http_body_util::BodyExt;
use http_body_util::combinators::BoxBody;
use rmcp::model::{CallToolResult, ContentBlock, JsonRpcError};
use serde_json::{Map, Value};

use crate::error::{Error, InvalidRequest};
use crate::http::exchange::HttpExchange;
use crate::http::media;
use crate::http::response::{Response, empty, json, stream};

/// The data of a tool, and the placeholders for it in rmcp's message.
pub(super) struct PlaceholderResult {
    data: Bytes,
    /// The placeholder for the data as text.
    text: String,
    /// The placeholder for the data as JSON.
    structured: String,
}

impl PlaceholderResult {
    /// Creates random placeholders, which no client can guess and put into its message.
    pub(super) fn new(data: Bytes) -> PlaceholderResult {
        let mark = || uuid::Uuid::new_v4().to_string();
        PlaceholderResult {
            data,
            text: mark(),
            structured: mark(),
        }
    }

    /// The tool's result, with placeholders for the data.
    pub(super) fn result(&self) -> CallToolResult {
        let mut result = CallToolResult::success(vec![ContentBlock::text(self.text.clone())]);
        result.structured_content = Some(self.structured.clone().into());
        result
    }

    /// Replaces the placeholders in the message with the data, piece by piece. The text is escaped
    /// while it is sent, so that memory holds the data only once.
    fn fill(self, message: &Bytes) -> Option<impl Iterator<Item = Bytes> + Send + Sync + use<>> {
        let text_of_message = std::str::from_utf8(message).ok()?;
        let _ = std::str::from_utf8(&self.data).ok()?;
        let position = |mark: &str| {
            text_of_message
                .find(mark)
                .map(|begin| (begin, begin + mark.len()))
        };
        let (text, text_end) = position(&self.text)?;
        let (structured, structured_end) = position(&format!("\"{}\"", self.structured))?;
        // The quotes around the text remain.
        let begin = message.get(..text).map(|part| message.slice_ref(part))?;
        let middle = message
            .get(text_end..structured)
            .map(|part| message.slice_ref(part))?;
        let end = message
            .get(structured_end..)
            .map(|part| message.slice_ref(part))?;
        let escaped = Escaped(self.data.clone());
        Some(
            [begin]
                .into_iter()
                .chain(escaped)
                .chain([middle, self.data, end]),
        )
    }
}

/// Iterates over UTF-8 text escaped for a JSON string, a piece at a time.
struct Escaped(Bytes);

/// The number of bytes that are escaped at a time.
const PIECE_BYTES: usize = 64 << 10;

impl Iterator for Escaped {
    type Item = Bytes;

    fn next(&mut self) -> Option<Bytes> {
        let continues = |index: usize| self.0.get(index).is_some_and(|byte| byte & 0xC0 == 0x80);
        let mut end = PIECE_BYTES.min(self.0.len());
        while end > 0 && continues(end) {
            end -= 1;
        }
        if end == 0 {
            return None;
        }
        let piece = self.0.split_to(end);
        let escaped = serde_json::to_string(&String::from_utf8_lossy(&piece)).ok()?;
        let quoted = Bytes::from(escaped);
        Some(quoted.slice(1..quoted.len().saturating_sub(1)))
    }
}

/// Creates the response to a message.
pub(super) async fn response<E: std::fmt::Debug>(
    exchange: &mut HttpExchange,
    response: http::Response<BoxBody<Bytes, E>>,
    marked: Option<PlaceholderResult>,
) -> Result<Response, Error> {
    let (head, body) = response.into_parts();
    let internal = |cause: &str| Error::Internal(format!("rmcp: {cause}"));
    let bytes = body
        .collect()
        .await
        .map_err(|_| internal("the body broke off"))?
        .to_bytes();
    let media = head
        .headers
        .get(CONTENT_TYPE)
        .and_then(|value| value.to_str().ok());
    match (head.status, media.is_some_and(media::is_json)) {
        (StatusCode::ACCEPTED, _) => Ok(empty(StatusCode::ACCEPTED)),
        (status, true) => match marked {
            Some(marked) => {
                let length = marked.data.len();
                let filled = marked
                    .fill(&bytes)
                    .ok_or_else(|| internal("the answer has no place"))?;
                Ok(with_data(status, length, filled))
            }
            None => Ok(json(
                status,
                media::JSON,
                rewrite_error(exchange, &bytes).unwrap_or(bytes),
            )),
        },
        // rmcp sends plain text only for an invalid header `MCP-Protocol-Version`.
        (StatusCode::BAD_REQUEST, false) => Err(InvalidRequest::ProtocolVersion.into()),
        (status, false) => Err(internal(status.as_str())),
    }
}

/// The response with a message of `length` bytes of data: in one piece with its length, or streamed
/// while it is escaped.
fn with_data(
    status: StatusCode,
    length: usize,
    message: impl Iterator<Item = Bytes> + Send + Sync + 'static,
) -> Response {
    if length <= PIECE_BYTES {
        return json(
            status,
            media::JSON,
            message.collect::<Vec<Bytes>>().concat(),
        );
    }
    stream(
        status,
        media::JSON,
        futures_util::stream::iter(message.map(Ok)),
    )
}

/// Rewrites an error that rmcp has found with the gateway's message and code. Returns `None` if the
/// message is no error, or already has a code.
fn rewrite_error(exchange: &mut HttpExchange, message: &[u8]) -> Option<Bytes> {
    let JsonRpcError {
        id, error: found, ..
    } = serde_json::from_slice(message).ok()?;
    let mut data = match found.data.clone() {
        Some(Value::Object(data)) if data.contains_key("code") => return None,
        Some(Value::Object(data)) => data,
        _ => Map::new(),
    };
    let error = Error::from_json_rpc(&found);
    let profile = exchange.app.profile;
    exchange.log_entry.record_error(&error, profile);
    data.insert("code".into(), error.code(profile).into());
    let mut rewritten = error.to_json_rpc(&exchange.id, profile);
    (rewritten.code, rewritten.data) = (found.code, Some(data.into()));
    serde_json::to_vec(&JsonRpcError::new(id, rewritten))
        .ok()
        .map(Bytes::from)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_stand_in_a_result_twice() {
        let data = r#"{"b":1.50,"a":"\"\u0001"}"#;
        let marked = PlaceholderResult::new(Bytes::from_static(data.as_bytes()));
        let message = serde_json::to_vec(&marked.result()).unwrap();
        let filled = marked
            .fill(&message.into())
            .unwrap()
            .collect::<Vec<Bytes>>()
            .concat();
        let filled = String::from_utf8(filled).unwrap();
        assert!(
            filled.contains(&format!("\"structuredContent\":{data}")),
            "{filled}"
        );
        let value: Value = serde_json::from_str(&filled).unwrap();
        assert_eq!(value["content"][0]["text"], data);
        assert!(
            PlaceholderResult::new(Bytes::new())
                .fill(&Bytes::from_static(b"{}"))
                .is_none()
        );
    }

    #[test]
    fn text_is_escaped_piece_by_piece() {
        for shift in 0..4 {
            let text = "x".repeat(shift) + &"\"\u{1F600}ü\n".repeat(PIECE_BYTES / 4);
            let pieces: Vec<Bytes> = Escaped(Bytes::from(text.clone())).collect();
            assert!(pieces.len() > 1);
            let quoted = format!("\"{}\"", String::from_utf8(pieces.concat()).unwrap());
            assert_eq!(serde_json::from_str::<String>(&quoted).unwrap(), text);
        }
        assert_eq!(Escaped(Bytes::new()).count(), 0);
    }
}

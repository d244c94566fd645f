//! What rmcp answers as a response. The data of a tool stands there as it was written from rows, once: as it is, and as text.

use bytes::Bytes;
use http::StatusCode;
use http::header::CONTENT_TYPE;
use http_body_util::BodyExt;
use http_body_util::combinators::BoxBody;
use rmcp::model::{CallToolResult, ContentBlock};

use crate::error::{Error, Malformed};
use crate::http::{Response, json, media};

/// The data of a tool, and what stands for it in rmcp's message until it is put there.
pub(super) struct Marked {
    data: Bytes,
    /// Where it is text.
    text: String,
    /// Where it is as it is.
    structured: String,
}

impl Marked {
    /// Data, and marks that nobody can know beforehand.
    pub(super) fn new(data: Bytes) -> Marked {
        let mark = || uuid::Uuid::new_v4().to_string();
        Marked { data, text: mark(), structured: mark() }
    }

    /// The result that has the marks in the places of the data.
    pub(super) fn result(&self) -> CallToolResult {
        let mut result = CallToolResult::success(vec![ContentBlock::text(self.text.clone())]);
        result.structured_content = Some(self.structured.clone().into());
        result
    }

    /// Puts the data in the places of the marks.
    fn fill(&self, message: &[u8]) -> Option<String> {
        let (message, data) = (std::str::from_utf8(message).ok()?, std::str::from_utf8(&self.data).ok()?);
        let (begin, rest) = message.split_once(&format!("\"{}\"", self.text))?;
        let (middle, end) = rest.split_once(&format!("\"{}\"", self.structured))?;
        let text = serde_json::to_string(data).ok()?;
        Some([begin, &text, middle, data, end].concat())
    }
}

/// The response to a message.
pub(super) async fn response<E: std::fmt::Debug>(
    told: http::Response<BoxBody<Bytes, E>>,
    marked: Option<Marked>,
) -> Result<Response, Error> {
    let (head, body) = told.into_parts();
    let internal = |cause: &str| Error::Internal(format!("rmcp: {cause}"));
    let bytes = body.collect().await.map_err(|_| internal("the body broke off"))?.to_bytes();
    let media = head.headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    match (head.status, media.is_some_and(media::is_json)) {
        (StatusCode::ACCEPTED, _) => {
            let mut response = Response::default();
            *response.status_mut() = StatusCode::ACCEPTED;
            Ok(response)
        }
        (status, true) => match marked {
            Some(marked) => {
                let filled = marked.fill(&bytes).ok_or_else(|| internal("the answer has no place"))?;
                Ok(json(status, media::JSON, filled))
            }
            None => Ok(json(status, media::JSON, bytes)),
        },
        // It tells of this header alone in plain text.
        (StatusCode::BAD_REQUEST, false) => Err(Malformed::ProtocolVersion.into()),
        (status, false) => Err(internal(status.as_str())),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    #[test]
    fn data_stand_in_a_result_twice() {
        let data = r#"{"b":1.50,"a":"\"\u0001"}"#;
        let marked = Marked::new(Bytes::from_static(data.as_bytes()));
        let message = serde_json::to_vec(&marked.result()).unwrap();
        let filled = marked.fill(&message).unwrap();
        assert!(filled.contains(&format!("\"structuredContent\":{data}")), "{filled}");
        let value: Value = serde_json::from_str(&filled).unwrap();
        assert_eq!(value["content"][0]["text"], data);
        assert_eq!(marked.fill(b"{}"), None);
    }
}

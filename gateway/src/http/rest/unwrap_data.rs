//! An answer without the envelope of GraphQL: the `data` object, or the one root field of it that was asked for. The bytes stay
//! as they were written; what stands around is cut off.

use std::task::Poll;

use bytes::{Bytes, BytesMut};
use http::header::{CONTENT_TYPE, HeaderValue};
use warp::Reply;

use crate::execute::Payload;
use crate::http::graphql::cut_off;
use crate::http::{Response, media};

/// A response of the answer; `whole` makes that of one which is not streamed.
pub(super) fn response(payload: Payload, single: Option<&str>, whole: impl FnOnce(Bytes) -> Response) -> Response {
    let envelope = Envelope::around(single);
    match payload {
        Payload::Whole(bytes) => whole(envelope.open(bytes)),
        Payload::Parts(head, mut rest) => {
            let mut cutting = Some(Cutting { held: BytesMut::new(), end: envelope.end });
            let mut head = Some(head.slice(envelope.begins(&head)..));
            let parts = futures_util::stream::poll_fn(move |waker| {
                let Some(cut) = &mut cutting else { return Poll::Ready(None) };
                let part = match head.take() {
                    Some(head) => Some(Ok(head)),
                    None => std::task::ready!(rest.poll_next(waker)),
                };
                match part {
                    Some(Ok(part)) => Poll::Ready(Some(Ok(cut.next(&part)))),
                    Some(Err(error)) => {
                        cutting = None;
                        Poll::Ready(Some(Err(cut_off(&error))))
                    }
                    None => Poll::Ready(None),
                }
            });
            let mut response = warp::reply::stream(parts).into_response();
            response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(media::JSON));
            response
        }
    }
}

/// The `data` object of an answer.
pub(in crate::http) fn data(answer: Bytes) -> Bytes {
    Envelope::around(None).open(answer)
}

/// What stands around the part of an answer that is sent.
struct Envelope {
    begin: String,
    /// So many bytes close it.
    end: usize,
}

impl Envelope {
    fn around(single: Option<&str>) -> Envelope {
        match single {
            None => Envelope { begin: "{\"data\":".into(), end: 1 },
            Some(key) => Envelope { begin: format!("{{\"data\":{{\"{key}\":"), end: 2 },
        }
    }

    fn begins(&self, bytes: &[u8]) -> usize {
        if bytes.starts_with(self.begin.as_bytes()) { self.begin.len() } else { 0 }
    }

    fn open(&self, bytes: Bytes) -> Bytes {
        match self.begins(&bytes) {
            0 => bytes,
            begin => bytes.slice(begin..bytes.len().saturating_sub(self.end).max(begin)),
        }
    }
}

/// Holds back as many bytes as will turn out to be the end.
struct Cutting {
    held: BytesMut,
    end: usize,
}

impl Cutting {
    fn next(&mut self, part: &[u8]) -> Bytes {
        self.held.extend_from_slice(part);
        let ready = self.held.len().saturating_sub(self.end);
        self.held.split_to(ready).freeze()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_envelope_is_cut_off() {
        let open = |single, text: &str| {
            String::from_utf8(Envelope::around(single).open(Bytes::copy_from_slice(text.as_bytes())).to_vec()).unwrap()
        };
        assert_eq!(open(None, r#"{"data":{"a":[1]}}"#), r#"{"a":[1]}"#);
        assert_eq!(open(Some("a"), r#"{"data":{"a":[1]}}"#), "[1]");
        assert_eq!(open(Some("a"), r#"{"data":{"a":null}}"#), "null");
        assert_eq!(open(None, r#"{"data":{}}"#), "{}");
    }

    #[test]
    fn the_end_is_cut_off_whatever_the_parts() {
        let whole = r#"[{"id":1},{"id":2}]}}"#;
        for size in 1..whole.len() {
            let mut cut = Cutting { held: BytesMut::new(), end: 2 };
            let parts = whole.as_bytes().chunks(size).map(|part| cut.next(part));
            let sent: Vec<u8> = parts.flat_map(|part| part.to_vec()).collect();
            assert_eq!(String::from_utf8(sent).unwrap(), r#"[{"id":1},{"id":2}]"#, "{size}");
        }
    }
}

//! Cuts the GraphQL envelope off a response: leaves the `data` object, or the value of its only
//! root field. The JSON is not parsed; a prefix and a suffix of known length are removed.

use std::task::Poll;

use bytes::{Bytes, BytesMut};
use http::StatusCode;

use crate::execute::Payload;
use crate::http::media;
use crate::http::response::{Response, cut_off, stream};

/// The response for a payload without its envelope. `whole` creates it from a payload that is not
/// streamed.
pub(super) fn response(
    payload: Payload,
    single: Option<&str>,
    whole: impl FnOnce(Bytes) -> Response,
) -> Response {
    let envelope = Envelope::new(single);
    match payload {
        Payload::Whole(bytes) => whole(envelope.open(bytes)),
        Payload::Parts(head, mut rest) => {
            let mut trimmer = Some(TailTrimmer {
                buffer: BytesMut::new(),
                end: envelope.end,
            });
            let mut head = Some(head.slice(envelope.begins(&head)..));
            let parts = futures_util::stream::poll_fn(move |cx| {
                let Some(current) = &mut trimmer else {
                    return Poll::Ready(None);
                };
                let part = match head.take() {
                    Some(head) => Some(Ok(head)),
                    None => std::task::ready!(rest.poll_next(cx)),
                };
                match part {
                    Some(Ok(part)) => Poll::Ready(Some(Ok(current.next(&part)))),
                    Some(Err(error)) => {
                        trimmer = None;
                        Poll::Ready(Some(Err(cut_off(&error))))
                    }
                    None => Poll::Ready(None),
                }
            });
            stream(StatusCode::OK, media::JSON, parts)
        }
    }
}

/// The `data` object of a response.
pub(in crate::http) fn data(response: Bytes) -> Bytes {
    Envelope::new(None).open(response)
}

/// The `data` object of a response, or the value of its only root field.
pub(super) fn single(response: Bytes, single: Option<&str>) -> Bytes {
    Envelope::new(single).open(response)
}

/// The envelope around the part that is sent.
struct Envelope {
    begin: String,
    /// The number of closing bytes.
    end: usize,
}

impl Envelope {
    fn new(single: Option<&str>) -> Envelope {
        match single {
            None => Envelope {
                begin: "{\"data\":".into(),
                end: 1,
            },
            Some(key) => Envelope {
                begin: format!("{{\"data\":{{\"{key}\":"),
                end: 2,
            },
        }
    }

    fn begins(&self, bytes: &[u8]) -> usize {
        if bytes.starts_with(self.begin.as_bytes()) {
            self.begin.len()
        } else {
            0
        }
    }

    fn open(&self, bytes: Bytes) -> Bytes {
        match self.begins(&bytes) {
            0 => bytes,
            begin => bytes.slice(begin..bytes.len().saturating_sub(self.end).max(begin)),
        }
    }
}

/// Removes the last bytes of a stream, by holding back so many until more arrive.
struct TailTrimmer {
    buffer: BytesMut,
    end: usize,
}

impl TailTrimmer {
    fn next(&mut self, part: &[u8]) -> Bytes {
        self.buffer.extend_from_slice(part);
        let ready = self.buffer.len().saturating_sub(self.end);
        self.buffer.split_to(ready).freeze()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn envelope_is_removed() {
        let open = |single, text: &str| {
            String::from_utf8(
                Envelope::new(single)
                    .open(Bytes::copy_from_slice(text.as_bytes()))
                    .to_vec(),
            )
            .unwrap()
        };
        assert_eq!(open(None, r#"{"data":{"a":[1]}}"#), r#"{"a":[1]}"#);
        assert_eq!(open(Some("a"), r#"{"data":{"a":[1]}}"#), "[1]");
        assert_eq!(open(Some("a"), r#"{"data":{"a":null}}"#), "null");
        assert_eq!(open(None, r#"{"data":{}}"#), "{}");
    }

    #[test]
    fn tail_is_removed_for_every_part_size() {
        let whole = r#"[{"id":1},{"id":2}]}}"#;
        for size in 1..whole.len() {
            let mut cut = TailTrimmer {
                buffer: BytesMut::new(),
                end: 2,
            };
            let parts = whole.as_bytes().chunks(size).map(|part| cut.next(part));
            let sent: Vec<u8> = parts.flat_map(|part| part.to_vec()).collect();
            assert_eq!(
                String::from_utf8(sent).unwrap(),
                r#"[{"id":1},{"id":2}]"#,
                "{size}"
            );
        }
    }
}

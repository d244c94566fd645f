//! Inflates compressed request bodies. The output is limited while it is produced, by the limit on
//! bodies and by a ratio to the compressed length.

use std::io::Read;

use bytes::Bytes;
use http::HeaderMap;
use http::header::CONTENT_ENCODING;
use pg::memory::{MAX_COVERED_BYTES, Reservation};
use tokio::sync::Semaphore;

use super::content_encoding::ContentEncoding;
use crate::error::{Error, InvalidRequest};
use crate::limits::LimitExceeded;

/// The highest ratio of inflated to compressed length.
const MAX_RATIO: usize = 100;

/// Output of at most so many bytes is allowed at any ratio.
const ALWAYS_ALLOWED: usize = 64 << 10;

/// The bytes that are inflated at a time.
const PIECE_BYTES: usize = 16 << 10;

/// After so many bytes of output the task yields to others.
const YIELD_AFTER: usize = 256 << 10;

/// The number of bodies that are inflated at the same time.
static PERMITS: Semaphore = Semaphore::const_new(4);

/// The coding of a body; `None` if it is not compressed.
///
/// Errors: [`Error::ContentEncoding`] if the coding is not supported, or if there are several.
pub(super) fn coding(headers: &HeaderMap) -> Result<Option<ContentEncoding>, Error> {
    let mut values = headers.get_all(CONTENT_ENCODING).iter();
    let Some(value) = values.next() else {
        return Ok(None);
    };
    let name = value.to_str().map_or("", str::trim);
    match (ContentEncoding::named(name), values.next()) {
        (Some(coding), None) => Ok(Some(coding)),
        (None, None) if name.eq_ignore_ascii_case("identity") => Ok(None),
        _ => Err(Error::ContentEncoding),
    }
}

/// Inflates a body to at most `limit` bytes. Only a few bodies are inflated at the same time, since
/// each needs a window of its own.
pub(super) async fn inflate(
    coding: ContentEncoding,
    bytes: &[u8],
    limit: usize,
    memory: &mut Reservation,
) -> Result<Bytes, Error> {
    // The semaphore is never closed.
    let _permit = PERMITS.acquire().await;
    let broken = |_| Error::from(InvalidRequest::Compressed);
    let max_length = bytes.len().saturating_mul(MAX_RATIO).max(ALWAYS_ALLOWED);
    let mut reader = coding.reader(bytes).map_err(broken)?;
    let mut inflated = Vec::new();
    let mut next_yield = YIELD_AFTER;
    let mut piece = vec![0; PIECE_BYTES];
    loop {
        let read = reader.read(&mut piece).map_err(broken)?;
        if inflated.len() + read > inflated.capacity() {
            let more = (inflated.len() + read)
                .max(inflated.capacity() * 2)
                .min(limit.saturating_add(PIECE_BYTES))
                - inflated.len();
            if inflated.len() + more > MAX_COVERED_BYTES {
                memory.grow_by(inflated.len() + more - inflated.capacity())?;
            }
            inflated.reserve_exact(more);
        }
        inflated.extend_from_slice(piece.get(..read).unwrap_or_default());
        match inflated.len() {
            _ if read == 0 => return Ok(inflated.into()),
            length if length > limit => return Err(LimitExceeded::Body(limit).into()),
            length if length > max_length => return Err(LimitExceeded::Inflation(MAX_RATIO).into()),
            length if length > next_yield => {
                next_yield = length + YIELD_AFTER;
                tokio::task::yield_now().await;
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::super::content_encoding::Encoder;
    use super::*;
    use pg::memory::MemoryBudget;

    fn packed(coding: ContentEncoding, bytes: &[u8]) -> Vec<u8> {
        let mut encoder = Encoder::new(coding, None).unwrap();
        encoder.write(bytes).unwrap();
        let mut packed = encoder.take();
        packed.append(&mut encoder.finish().unwrap());
        packed
    }

    async fn inflated(coding: ContentEncoding, bytes: &[u8], limit: usize) -> Result<Bytes, Error> {
        inflate(
            coding,
            bytes,
            limit,
            &mut MemoryBudget::default().empty_reservation(),
        )
        .await
    }

    fn status_and_message(result: Result<Bytes, Error>) -> (u16, String) {
        let error = result.unwrap_err();
        (error.spec().strict, error.message())
    }

    #[test]
    fn only_one_known_coding_is_accepted() {
        let coding = |values: &[&'static str]| {
            let mut headers = HeaderMap::new();
            for value in values {
                headers.append(CONTENT_ENCODING, HeaderValue::from_static(value));
            }
            coding(&headers)
        };
        assert_eq!(coding(&[]).unwrap(), None);
        assert_eq!(coding(&["identity"]).unwrap(), None);
        assert_eq!(coding(&["BR"]).unwrap(), Some(ContentEncoding::Brotli));
        for values in [
            &["deflate"][..],
            &["gzip, gzip"],
            &["gzip", "br"],
            &["gzip", "identity"],
            &[""],
        ] {
            assert!(
                matches!(coding(values), Err(Error::ContentEncoding)),
                "{values:?}"
            );
        }
    }

    #[tokio::test]
    async fn inflated_length_is_limited() {
        let text = r#"{"query":"{ a }"}"#;
        let nothing = vec![b' '; 1 << 20];
        for coding in ContentEncoding::ALL {
            assert_eq!(
                inflated(coding, &packed(coding, text.as_bytes()), 100)
                    .await
                    .unwrap(),
                text
            );
            let limit = "the body is larger than the limit of 10 bytes".to_owned();
            assert_eq!(
                status_and_message(inflated(coding, &packed(coding, text.as_bytes()), 10).await),
                (413, limit)
            );
            let times =
                "the body inflates to more than the limit of 100 times its length".to_owned();
            assert_eq!(
                status_and_message(inflated(coding, &packed(coding, &nothing), usize::MAX).await),
                (413, times),
                "{coding:?}"
            );
        }
    }

    #[tokio::test]
    async fn corrupt_or_truncated_body_is_a_bad_request() {
        let text = "the body is not compressed as its header 'Content-Encoding' says".to_owned();
        for coding in ContentEncoding::ALL {
            let packed = packed(coding, &[7; 50]);
            let cut = &packed[..packed.len() - 1];
            for bytes in [b"{}".as_slice(), b"", cut] {
                assert_eq!(
                    status_and_message(inflated(coding, bytes, 100).await),
                    (400, text.clone()),
                    "{coding:?} {bytes:?}"
                );
            }
        }
    }
}

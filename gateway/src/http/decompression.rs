//! Bodies that come compressed, inflated within the limits: what comes out is held against the limit of bodies while it comes
//! out, and against what went in.

use std::io::Read;

use bytes::Bytes;
use http::HeaderMap;
use http::header::CONTENT_ENCODING;
use tokio::sync::Semaphore;

use super::content_encoding::ContentEncoding;
use crate::error::{Error, InvalidRequest};
use crate::limits::LimitExceeded;
use crate::limits::memory::{COVERED, Reservation};

/// A body may become so many times as long.
const TIMES: usize = 100;

/// And this long, however short it was: little harm is done with it.
const HARMLESS: usize = 64 << 10;

/// So much comes out at a time.
const PIECE: usize = 16 << 10;

/// After so much others have their turn.
const TURN: usize = 256 << 10;

/// So many bodies are inflated at a time.
static TURNS: Semaphore = Semaphore::const_new(4);

/// The coding that a body comes in; none where it comes as it is.
///
/// Errors: [`Error::ContentEncoding`] where it is one that is not read, or several, one around the other.
pub(super) fn coding(headers: &HeaderMap) -> Result<Option<ContentEncoding>, Error> {
    let mut values = headers.get_all(CONTENT_ENCODING).iter();
    let Some(value) = values.next() else { return Ok(None) };
    let name = value.to_str().map_or("", str::trim);
    match (ContentEncoding::named(name), values.next()) {
        (Some(coding), None) => Ok(Some(coding)),
        (None, None) if name.eq_ignore_ascii_case("identity") => Ok(None),
        _ => Err(Error::ContentEncoding),
    }
}

/// The bytes that were compressed, so many at most. Few are inflated at a time, since each needs a window of its own.
pub(super) async fn inflate(
    coding: ContentEncoding,
    bytes: &[u8],
    limit: usize,
    memory: &mut Reservation,
) -> Result<Bytes, Error> {
    // The semaphore is never closed.
    let _turn = TURNS.acquire().await;
    let broken = |_| Error::from(InvalidRequest::Compressed);
    let most = bytes.len().saturating_mul(TIMES).max(HARMLESS);
    let mut reader = coding.reader(bytes).map_err(broken)?;
    let (mut inflated, mut turn) = (Vec::new(), TURN);
    let mut piece = vec![0; PIECE];
    loop {
        let read = reader.read(&mut piece).map_err(broken)?;
        if inflated.len() + read > inflated.capacity() {
            let more =
                (inflated.len() + read).max(inflated.capacity() * 2).min(limit.saturating_add(PIECE)) - inflated.len();
            if inflated.len() + more > COVERED {
                memory.grow_by(inflated.len() + more - inflated.capacity())?;
            }
            inflated.reserve_exact(more);
        }
        inflated.extend_from_slice(piece.get(..read).unwrap_or_default());
        match inflated.len() {
            _ if read == 0 => return Ok(inflated.into()),
            length if length > limit => return Err(LimitExceeded::Body(limit).into()),
            length if length > most => return Err(LimitExceeded::Inflation(TIMES).into()),
            length if length > turn => {
                turn = length + TURN;
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
    use crate::limits::memory::MemoryBudget;

    fn packed(coding: ContentEncoding, bytes: &[u8]) -> Vec<u8> {
        let mut encoder = Encoder::new(coding, None).unwrap();
        encoder.write(bytes).unwrap();
        let mut packed = encoder.take();
        packed.append(&mut encoder.finish().unwrap());
        packed
    }

    async fn inflated(coding: ContentEncoding, bytes: &[u8], limit: usize) -> Result<Bytes, Error> {
        inflate(coding, bytes, limit, &mut MemoryBudget::default().empty_reservation()).await
    }

    fn outcome_of(outcome: Result<Bytes, Error>) -> (u16, String) {
        let error = outcome.unwrap_err();
        (error.spec().strict, error.message())
    }

    #[test]
    fn one_coding_is_read() {
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
        for values in [&["deflate"][..], &["gzip, gzip"], &["gzip", "br"], &["gzip", "identity"], &[""]] {
            assert!(matches!(coding(values), Err(Error::ContentEncoding)), "{values:?}");
        }
    }

    #[tokio::test]
    async fn what_comes_out_is_bounded() {
        let text = r#"{"query":"{ a }"}"#;
        let nothing = vec![b' '; 1 << 20];
        for coding in ContentEncoding::ALL {
            assert_eq!(inflated(coding, &packed(coding, text.as_bytes()), 100).await.unwrap(), text);
            let limit = "the body is larger than the limit of 10 bytes".to_owned();
            assert_eq!(outcome_of(inflated(coding, &packed(coding, text.as_bytes()), 10).await), (413, limit));
            let times = "the body inflates to more than the limit of 100 times its length".to_owned();
            assert_eq!(
                outcome_of(inflated(coding, &packed(coding, &nothing), usize::MAX).await),
                (413, times),
                "{coding:?}"
            );
        }
    }

    #[tokio::test]
    async fn what_is_broken_is_malformed() {
        let text = "the body is not compressed as its header 'Content-Encoding' says".to_owned();
        for coding in ContentEncoding::ALL {
            let packed = packed(coding, &[7; 50]);
            let cut = &packed[..packed.len() - 1];
            for bytes in [b"{}".as_slice(), b"", cut] {
                assert_eq!(outcome_of(inflated(coding, bytes, 100).await), (400, text.clone()), "{coding:?} {bytes:?}");
            }
        }
    }
}

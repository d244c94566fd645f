//! What clients and caches may keep of an answer: `Cache-Control` as an endpoint has it, and `ETag`, by which a client asks
//! whether what it has is still what there is.
//! <https://www.rfc-editor.org/rfc/rfc9110#name-conditional-requests>

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bytes::Bytes;
use http::header::{CACHE_CONTROL, ETAG, HeaderValue, IF_NONE_MATCH, VARY};
use http::{HeaderMap, StatusCode};
use sha2::{Digest, Sha256};

use super::content_encoding::ContentEncoding;
use super::{Response, json, media};
use crate::auth::Authenticator;
use crate::auth::session::{AuthKind, Session};
pub use crate::rest::cache_control::CacheControl;

/// What nobody is to keep.
const NEVER: HeaderValue = HeaderValue::from_static("no-store");

/// So many bytes of a digest tell answers apart.
const DIGEST: usize = 16;

/// The response to a read by `GET` that was answered whole: with a tag, or without its bytes where the client has them.
pub fn read(request: &HeaderMap, bytes: Bytes) -> Response {
    let tag = tag(&bytes);
    if let Some(held) = held(request, &tag) {
        let mut response = Response::default();
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        response.headers_mut().insert(ETAG, held);
        response.headers_mut().insert(VARY, HeaderValue::from_static("Accept-Encoding"));
        return response;
    }
    let mut response = json(StatusCode::OK, media::JSON, bytes);
    if let Ok(tag) = HeaderValue::try_from(format!("\"{tag}\"")) {
        response.headers_mut().insert(ETAG, tag);
    }
    response
}

/// Says of a read's answer what may be kept. An answer depends on who asks, and caches are told by which headers that is
/// found out. Who comes with the admin secret says in any of many headers whom it acts for: that is kept by nobody.
pub fn control(headers: &mut HeaderMap, control: &CacheControl, session: &Session, doorman: &Authenticator) {
    match session.caller() {
        AuthKind::Trusted => never(headers),
        AuthKind::Token | AuthKind::Unauthorized => {
            headers.insert(CACHE_CONTROL, control.value());
            headers.append(VARY, doorman.vary().clone());
        }
    }
}

/// Says that nobody is to keep it.
pub fn never(headers: &mut HeaderMap) {
    headers.insert(CACHE_CONTROL, NEVER);
}

/// Tells the tag of an answer apart from that of the same answer in another coding.
pub(super) fn mark(headers: &mut HeaderMap, coding: ContentEncoding) {
    let tag = headers.get(ETAG).and_then(|tag| tag.to_str().ok()?.strip_suffix('"'));
    let marked = tag.and_then(|tag| HeaderValue::try_from(format!("{tag}-{}\"", coding.name())).ok());
    if let Some(marked) = marked {
        headers.insert(ETAG, marked);
    }
}

/// What tells an answer apart from others.
fn tag(bytes: &[u8]) -> String {
    let digest = Sha256::digest(bytes);
    URL_SAFE_NO_PAD.encode(digest.get(..DIGEST).unwrap_or_default())
}

/// The tag under which a client has the answer already, in whatever coding.
fn held(request: &HeaderMap, tag: &str) -> Option<HeaderValue> {
    let values = request.get_all(IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
    for given in values.flat_map(|value| value.split(',')).map(str::trim) {
        if given == "*" {
            return HeaderValue::try_from(format!("\"{tag}\"")).ok();
        }
        let opaque = given.strip_prefix("W/").unwrap_or(given);
        let inner = opaque.strip_prefix('"').and_then(|opaque| opaque.strip_suffix('"'));
        let coding = inner.and_then(|inner| inner.strip_prefix(tag));
        let same =
            |coding: &str| coding.is_empty() || coding.strip_prefix('-').and_then(ContentEncoding::named).is_some();
        if coding.is_some_and(same) {
            return HeaderValue::from_str(opaque).ok();
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asked(tags: &[&str]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for tag in tags {
            headers.append(IF_NONE_MATCH, HeaderValue::from_str(tag).unwrap());
        }
        headers
    }

    #[test]
    fn a_client_is_told_that_it_has_the_answer() {
        let bytes = Bytes::from_static(b"{\"a\":1}");
        let whole = read(&HeaderMap::new(), bytes.clone());
        assert_eq!(whole.status(), 200);
        let tag = whole.headers()[ETAG].to_str().unwrap().to_owned();
        let packed = format!("{}-br\"", tag.strip_suffix('"').unwrap());
        for tags in [&[tag.as_str()][..], &["*"], &["\"x\", W/\"y\"", &format!("W/{tag}")], &[&packed]] {
            let answer = read(&asked(tags), bytes.clone());
            assert_eq!(answer.status(), 304, "{tags:?}");
            assert!(answer.headers()[ETAG].to_str().unwrap().starts_with(tag.trim_end_matches('"')));
        }
        let others = ["\"x\"", "", "W/", "\"", tag.trim_matches('"'), &packed.replace("-br", "-xx")];
        for other in others {
            assert_eq!(read(&asked(&[other]), bytes.clone()).status(), 200, "{other}");
        }
        assert_eq!(read(&asked(&[&tag]), Bytes::from_static(b"{\"a\":2}")).status(), 200);
    }

    #[test]
    fn a_coding_has_a_tag_of_its_own() {
        let mut response = read(&HeaderMap::new(), Bytes::from_static(b"{}"));
        let tag = response.headers()[ETAG].clone();
        mark(response.headers_mut(), ContentEncoding::Brotli);
        assert_ne!(response.headers()[ETAG], tag);
        assert!(response.headers()[ETAG].to_str().unwrap().ends_with("-br\""));
    }
}

//! HTTP caching of responses: `Cache-Control` as an endpoint configures it, and `ETag`, with which
//! a client revalidates a stored response and gets a 304 if it is unchanged.
//! <https://www.rfc-editor.org/rfc/rfc9110#name-conditional-requests>

use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use bytes::Bytes;
use http::header::{CACHE_CONTROL, ETAG, HeaderName, HeaderValue, IF_NONE_MATCH, VARY};
use http::{HeaderMap, StatusCode};
use sha2::{Digest, Sha256};

use super::content_encoding::ContentEncoding;
use super::media;
use super::response::{Response, empty, json};
use crate::auth::Authenticator;
use crate::auth::session::{AuthKind, Session};
pub use crate::rest::cache_control::CacheControl;

/// The `Cache-Control` of responses that no cache may store.
const NEVER: HeaderValue = HeaderValue::from_static("no-store");

/// The number of bytes of a digest that a tag has.
const ETAG_DIGEST_BYTES: usize = 16;

/// The response to a `GET` whose body is complete JSON: with an `ETag`, or 304 without a body if
/// the client has it already.
pub fn read(request: &HeaderMap, bytes: Bytes) -> Response {
    read_as(request, bytes, media::JSON)
}

/// Like [`read`], with a body of another media type.
pub fn read_as(request: &HeaderMap, bytes: Bytes, media: &'static str) -> Response {
    let tag = tag(&bytes);
    if let Some(held) = held(request, &tag) {
        let mut response = empty(StatusCode::NOT_MODIFIED);
        response.headers_mut().insert(ETAG, held);
        response
            .headers_mut()
            .insert(VARY, HeaderValue::from_static("Accept-Encoding"));
        return response;
    }
    let mut response = json(StatusCode::OK, media, bytes);
    if let Ok(tag) = HeaderValue::try_from(format!("\"{tag}\"")) {
        response.headers_mut().insert(ETAG, tag);
    }
    response
}

/// Sets `Cache-Control` of a response to a read, and `Vary` with the headers that identify the
/// caller. A caller with the admin secret may state its role and session values in any of many
/// headers, so its responses are not stored.
pub fn set_cache_control(
    headers: &mut HeaderMap,
    control: &CacheControl,
    session: &Session,
    authenticator: &Authenticator,
) {
    match session.caller() {
        AuthKind::Trusted => forbid_caching(headers),
        AuthKind::Token | AuthKind::Unauthorized => {
            headers.insert(CACHE_CONTROL, control.value());
            headers.append(VARY, authenticator.vary().clone());
        }
    }
}

/// Forbids every cache to store the response.
pub fn forbid_caching(headers: &mut HeaderMap) {
    headers.insert(CACHE_CONTROL, NEVER);
}

/// Allows shared caches to hold the response of a request without credentials for a time. `vary`
/// names the headers in which there may be credentials, and `further` those that the response
/// depends on beside them.
pub(super) fn share(
    headers: &mut HeaderMap,
    max_age: Duration,
    vary: &HeaderValue,
    further: &[HeaderName],
) {
    if let Ok(control) = HeaderValue::try_from(format!("public, max-age={}", max_age.as_secs())) {
        headers.insert(CACHE_CONTROL, control);
        headers.append(VARY, vary.clone());
        for name in further {
            headers.append(VARY, name.clone().into());
        }
    }
}

/// Adds the content coding to the response's tag, so that it differs from the tags in other
/// codings.
pub(super) fn tag_encoding(headers: &mut HeaderMap, coding: ContentEncoding) {
    let tag = headers
        .get(ETAG)
        .and_then(|tag| tag.to_str().ok()?.strip_suffix('"'));
    let marked =
        tag.and_then(|tag| HeaderValue::try_from(format!("{tag}-{}\"", coding.name())).ok());
    if let Some(marked) = marked {
        headers.insert(ETAG, marked);
    }
}

/// The tag of a body: the start of its SHA-256 digest, in base64.
fn tag(bytes: &[u8]) -> String {
    let digest = Sha256::digest(bytes);
    URL_SAFE_NO_PAD.encode(digest.get(..ETAG_DIGEST_BYTES).unwrap_or_default())
}

/// The tag in the request's `If-None-Match` that matches this one, in whatever content coding.
fn held(request: &HeaderMap, tag: &str) -> Option<HeaderValue> {
    let values = request
        .get_all(IF_NONE_MATCH)
        .iter()
        .filter_map(|value| value.to_str().ok());
    for given in values.flat_map(|value| value.split(',')).map(str::trim) {
        if given == "*" {
            return HeaderValue::try_from(format!("\"{tag}\"")).ok();
        }
        let opaque = given.strip_prefix("W/").unwrap_or(given);
        let inner = opaque
            .strip_prefix('"')
            .and_then(|opaque| opaque.strip_suffix('"'));
        let coding = inner.and_then(|inner| inner.strip_prefix(tag));
        let same = |coding: &str| {
            coding.is_empty()
                || coding
                    .strip_prefix('-')
                    .and_then(ContentEncoding::named)
                    .is_some()
        };
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
    fn matching_tag_is_answered_with_304() {
        let bytes = Bytes::from_static(b"{\"a\":1}");
        let whole = read(&HeaderMap::new(), bytes.clone());
        assert_eq!(whole.status(), 200);
        let tag = whole.headers()[ETAG].to_str().unwrap().to_owned();
        let packed = format!("{}-br\"", tag.strip_suffix('"').unwrap());
        for tags in [
            &[tag.as_str()][..],
            &["*"],
            &["\"x\", W/\"y\"", &format!("W/{tag}")],
            &[&packed],
        ] {
            let response = read(&asked(tags), bytes.clone());
            assert_eq!(response.status(), 304, "{tags:?}");
            assert!(
                response.headers()[ETAG]
                    .to_str()
                    .unwrap()
                    .starts_with(tag.trim_end_matches('"'))
            );
        }
        let others = [
            "\"x\"",
            "",
            "W/",
            "\"",
            tag.trim_matches('"'),
            &packed.replace("-br", "-xx"),
        ];
        for other in others {
            assert_eq!(
                read(&asked(&[other]), bytes.clone()).status(),
                200,
                "{other}"
            );
        }
        assert_eq!(
            read(&asked(&[&tag]), Bytes::from_static(b"{\"a\":2}")).status(),
            200
        );
    }

    #[test]
    fn a_coding_has_a_tag_of_its_own() {
        let mut response = read(&HeaderMap::new(), Bytes::from_static(b"{}"));
        let tag = response.headers()[ETAG].clone();
        tag_encoding(response.headers_mut(), ContentEncoding::Brotli);
        assert_ne!(response.headers()[ETAG], tag);
        assert!(
            response.headers()[ETAG]
                .to_str()
                .unwrap()
                .ends_with("-br\"")
        );
    }
}

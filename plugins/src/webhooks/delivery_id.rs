//! The id of a delivery. A sender repeats a delivery under its id until it is acknowledged, so an
//! id of a sender is stored once for a service. Ids belong to their sender: two senders may choose
//! one id, or send equal bodies.

use http::header::HeaderName;
use serde_json::Value;

use super::digest::{PREFIX, digest};
use super::received::Received;
use super::secret_method::SecretMethod;
use super::verification::Method;
use gateway::request::json;

/// Where the id of a delivery is found. Without an id there, it is the digest of the body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum DeliveryIdSource {
    /// A header.
    Header(HeaderName),
    /// A member of the JSON body, by the names that lead to it.
    Json(Vec<String>),
    /// The SHA-256 digest of the body.
    Digest,
}

/// The longest id that is stored as it is; of a longer one the digest is.
const MAX_ID_LENGTH: usize = 200;

impl DeliveryIdSource {
    /// The key under which a body is stored once, if the id may be changed without breaking the
    /// signature of the body.
    pub(super) fn replay_key(&self, methods: &[Method], received: &Received<'_>) -> Option<String> {
        let DeliveryIdSource::Header(name) = self else {
            return None;
        };
        let secret_methods = || methods.iter().filter_map(Method::secret_method);
        let signs = |method: &SecretMethod| !matches!(method, SecretMethod::Jwe(_));
        let covers_id = |method: &SecretMethod| matches!(method, SecretMethod::Standard(standard) if standard.id == *name);
        (secret_methods().any(signs) && !secret_methods().any(covers_id))
            .then(|| digest(received.body))
    }

    /// The id of a delivery.
    pub(super) fn id(&self, received: &Received<'_>) -> String {
        let id = match self {
            DeliveryIdSource::Header(name) => received.header(name).ok().map(str::to_owned),
            DeliveryIdSource::Json(path) => member(received.body, path),
            DeliveryIdSource::Digest => None,
        };
        match id.filter(|id| !id.is_empty()) {
            None => digest(received.body),
            // A digest in place of an id cannot be confused with a sender's id: those with its
            // prefix are hashed too.
            Some(id) if id.len() > MAX_ID_LENGTH || id.contains('\0') || id.starts_with(PREFIX) => {
                digest(id.as_bytes())
            }
            Some(id) => id,
        }
    }
}

/// The text or number at a path of a JSON body.
fn member(body: &[u8], path: &[String]) -> Option<String> {
    let body = json::read(body).ok()?;
    match path.iter().try_fold(&body, |value, name| value.get(name))? {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use http::HeaderMap;

    use super::*;

    fn id(source: &DeliveryIdSource, header: Option<&str>, body: &str) -> String {
        let mut headers = HeaderMap::new();
        if let Some(value) = header {
            headers.insert("x-id", value.parse().unwrap());
        }
        source.id(&Received {
            headers: &headers,
            parameters: &[],
            body: body.as_bytes(),
            now: 0,
        })
    }

    #[test]
    fn id_comes_from_header_or_body_or_is_the_digest() {
        const ABC: &str = "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        let header = DeliveryIdSource::Header(HeaderName::from_static("x-id"));
        assert_eq!(id(&header, Some("d-1"), "abc"), "d-1");
        assert_eq!(id(&header, None, "abc"), ABC);
        assert_eq!(id(&header, Some(""), "abc"), ABC);
        assert_eq!(id(&DeliveryIdSource::Digest, Some("d-1"), "abc"), ABC);
        let json = DeliveryIdSource::Json(vec!["data".into(), "id".into()]);
        assert_eq!(id(&json, None, r#"{"data":{"id":"evt_1"}}"#), "evt_1");
        assert_eq!(
            id(&json, None, r#"{"data":{"id":12345678901234567890123}}"#),
            "12345678901234567890123"
        );
        assert!(id(&json, None, r#"{"data":{"id":null}}"#).starts_with(PREFIX));
        assert_eq!(id(&json, None, "abc"), ABC);
    }

    #[test]
    fn ids_that_cannot_be_stored_are_hashed() {
        let json = DeliveryIdSource::Json(vec!["id".into()]);
        assert!(id(&json, None, r#"{"id":"a\u0000b"}"#).starts_with(PREFIX));
        let header = DeliveryIdSource::Header(HeaderName::from_static("x-id"));
        assert_eq!(
            id(&header, Some(&"x".repeat(201)), "").len(),
            PREFIX.len() + 64
        );
        // A sender cannot take the place of a body by its digest.
        assert_ne!(
            id(&header, Some(&id(&header, None, "abc")), ""),
            id(&header, None, "abc")
        );
    }
}

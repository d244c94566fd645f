//! The headers that a socket is authenticated by: those of its handshake, and over them those in
//! the payload of `connection_init`.

use http::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONNECTION, COOKIE, HeaderName, HeaderValue, PRAGMA,
    SEC_WEBSOCKET_ACCEPT, SEC_WEBSOCKET_EXTENSIONS, SEC_WEBSOCKET_KEY, SEC_WEBSOCKET_PROTOCOL,
    SEC_WEBSOCKET_VERSION, UPGRADE,
};
use http::{HeaderMap, Uri};
use serde_json::{Map, Value};

use crate::error::{Error, InvalidRequest};
use crate::http::cors::Cors;
use crate::telemetry::traces::CallerTrace;

/// Headers of the handshake alone.
const OF_THE_HANDSHAKE: [HeaderName; 10] = [
    UPGRADE,
    CONNECTION,
    SEC_WEBSOCKET_KEY,
    SEC_WEBSOCKET_VERSION,
    SEC_WEBSOCKET_EXTENSIONS,
    SEC_WEBSOCKET_PROTOCOL,
    SEC_WEBSOCKET_ACCEPT,
    ACCEPT_ENCODING,
    CACHE_CONTROL,
    PRAGMA,
];

/// The most headers in a payload.
const MAX_HEADERS: usize = 100;

/// The headers of a handshake that are kept. Browsers send cookies with a WebSocket that any page
/// opens, so they count only if the page's origin may send them.
pub(super) fn handshake_headers(headers: &HeaderMap, uri: &Uri, cors: &Cors) -> HeaderMap {
    let with_cookies = cors.allows_cookies(headers, uri);
    let mut kept = HeaderMap::new();
    for (name, value) in headers {
        if OF_THE_HANDSHAKE.contains(name) || (name == COOKIE && !with_cookies) {
            continue;
        }
        // Copied, because the value shares the buffer that the whole head was read into.
        if let Ok(value) = HeaderValue::from_bytes(value.as_bytes()) {
            kept.append(name.clone(), value);
        }
    }
    kept
}

/// The headers with those of a payload in place of others of the same names. They stand at the top
/// of the payload, or in its member `headers`. A name that is given twice stays twice, which
/// authentication refuses. The trace of a client that is not trusted is left out.
pub(super) fn with_payload(
    headers: &HeaderMap,
    payload: &Map<String, Value>,
    trusts_traceparent: bool,
) -> Result<HeaderMap, Error> {
    let nested = payload
        .iter()
        .filter(|(name, _)| name.eq_ignore_ascii_case("headers"));
    let nested = nested.filter_map(|(_, value)| value.as_object()).flatten();
    let mut given = HeaderMap::new();
    for (name, value) in payload.iter().chain(nested) {
        let Value::String(text) = value else { continue };
        // Other members may be anything. No name of a credential is malformed.
        let Ok(name) = HeaderName::try_from(name.as_str()) else {
            continue;
        };
        let value = HeaderValue::try_from(text)
            .map_err(|_| InvalidRequest::Header(name.as_str().to_owned()))?;
        if given.len() >= MAX_HEADERS {
            return Err(InvalidRequest::TooManyHeaders(MAX_HEADERS).into());
        }
        given.append(name, value);
    }
    CallerTrace::take(&mut given, |_| trusts_traceparent);
    let mut headers = headers.clone();
    for name in given.keys() {
        headers.remove(name);
    }
    headers.extend(given);
    Ok(headers)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn payload(value: &Value) -> Map<String, Value> {
        value.as_object().unwrap().clone()
    }

    #[test]
    fn payload_overrides_the_handshake_in_any_letter_case() {
        let mut handshake = HeaderMap::new();
        handshake.insert("authorization", HeaderValue::from_static("Bearer a"));
        handshake.insert("x-gateway-role", HeaderValue::from_static("user"));
        let given = json!({"AUTHORIZATION": "Bearer b", "Headers": {"X-Gateway-Id": "7"}, "lang": {"a": 1}, "n": 1});
        let merged = with_payload(&handshake, &payload(&given), true).unwrap();
        assert_eq!(merged["authorization"], "Bearer b");
        assert_eq!(
            (&merged["x-gateway-role"], &merged["x-gateway-id"]),
            (&"user".parse().unwrap(), &"7".parse().unwrap())
        );
        assert_eq!(merged.len(), 3);
    }

    #[test]
    fn repeated_names_stay_repeated() {
        let given = json!({"Authorization": "a", "headers": {"authorization": "b"}});
        let merged = with_payload(&HeaderMap::new(), &payload(&given), true).unwrap();
        assert_eq!(merged.get_all("authorization").iter().count(), 2);
        assert!(
            with_payload(
                &HeaderMap::new(),
                &payload(&json!({"Authorization": "a\n"})),
                true
            )
            .is_err()
        );
        let many: Map<String, Value> = (0..101)
            .map(|number| (format!("h{number}"), "x".into()))
            .collect();
        assert!(with_payload(&HeaderMap::new(), &many, true).is_err());
    }

    #[test]
    fn trace_of_an_untrusted_client_is_left_out() {
        let own = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
        let handshake =
            HeaderMap::from_iter([(HeaderName::from_static("traceparent"), own.parse().unwrap())]);
        let given = payload(
            &json!({"traceparent": own.replace('4', "5"), "headers": {"tracestate": "a=1"}}),
        );
        assert_eq!(with_payload(&handshake, &given, false).unwrap(), handshake);
        assert_eq!(
            with_payload(&handshake, &given, true).unwrap()["tracestate"],
            "a=1"
        );
    }

    #[test]
    fn cookies_of_foreign_pages_do_not_count() {
        let kept = |origin: Option<&'static str>, cors: &Cors| {
            let mut headers = HeaderMap::new();
            headers.insert(COOKIE, HeaderValue::from_static("token=x"));
            headers.insert("host", HeaderValue::from_static("api.example:8080"));
            headers.insert(UPGRADE, HeaderValue::from_static("websocket"));
            origin.map(|origin| headers.insert("origin", HeaderValue::from_static(origin)));
            let kept = handshake_headers(&headers, &Uri::from_static("/v1/graphql"), cors);
            assert!(!kept.contains_key(UPGRADE));
            kept.contains_key(COOKIE)
        };
        let listed = Cors::new(&["https://app.example".to_owned()]);
        assert!(kept(None, &Cors::Closed) && kept(Some("http://api.example:8080"), &Cors::Closed));
        assert!(kept(Some("https://app.example"), &listed));
        for origin in [
            "https://evil.example",
            "null",
            "http://api.example",
            "http://api.example:8080.evil.example",
        ] {
            assert!(!kept(Some(origin), &listed), "{origin}");
        }
        assert!(!kept(Some("https://evil.example"), &Cors::Any));
    }
}

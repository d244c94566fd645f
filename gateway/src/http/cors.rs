//! Which web pages may call, and how browsers are told.
//! <https://fetch.spec.whatwg.org/#http-cors-protocol>

use http::header::{
    ACCESS_CONTROL_ALLOW_CREDENTIALS, ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS,
    ACCESS_CONTROL_ALLOW_ORIGIN, ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE, ACCESS_CONTROL_REQUEST_HEADERS,
    ACCESS_CONTROL_REQUEST_METHOD, HeaderName, HeaderValue, ORIGIN, VARY,
};
use http::{HeaderMap, Method};

/// Which origins may call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Cors {
    /// None but the gateway's own.
    #[default]
    Closed,
    /// All, without cookies.
    Any,
    /// These.
    Origins(Vec<String>),
}

/// Headers of answers that scripts may read.
const EXPOSED: &str = "X-Request-Id, Server-Timing, Retry-After, RateLimit, RateLimit-Policy";

impl Cors {
    /// The origins of a list; `*` among them means all.
    pub fn new(origins: &[String]) -> Cors {
        match origins {
            [] => Cors::Closed,
            some if some.iter().any(|origin| origin == "*") => Cors::Any,
            some => Cors::Origins(some.iter().map(|origin| origin.trim_end_matches('/').to_owned()).collect()),
        }
    }

    /// Whether a request is a browser's question before the request proper.
    pub fn is_preflight(method: &Method, headers: &HeaderMap) -> bool {
        method == Method::OPTIONS && headers.contains_key(ORIGIN) && headers.contains_key(ACCESS_CONTROL_REQUEST_METHOD)
    }

    /// Adds what the browser of that request needs to know. `allow` is the path's methods where it asks for leave; `own` is
    /// a header of the gateway's that scripts may read.
    pub fn answer(&self, request: &HeaderMap, allow: Option<&str>, own: Option<&HeaderName>, response: &mut HeaderMap) {
        if let Cors::Origins(_) = self {
            response.append(VARY, HeaderValue::from_static("Origin"));
        }
        let Some(origin) = self.allowed(request) else { return };
        if let Cors::Origins(_) = self {
            response.insert(ACCESS_CONTROL_ALLOW_CREDENTIALS, HeaderValue::from_static("true"));
        }
        response.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
        match allow.and_then(|allow| HeaderValue::from_str(allow).ok()) {
            None => {
                response.insert(ACCESS_CONTROL_EXPOSE_HEADERS, HeaderValue::from_static(EXPOSED));
                if let Some(own) = own {
                    response.append(ACCESS_CONTROL_EXPOSE_HEADERS, own.clone().into());
                }
            }
            Some(allow) => {
                response.insert(ACCESS_CONTROL_ALLOW_METHODS, allow);
                response.insert(ACCESS_CONTROL_MAX_AGE, HeaderValue::from_static("86400"));
                if let Some(wanted) = request.get(ACCESS_CONTROL_REQUEST_HEADERS) {
                    response.insert(ACCESS_CONTROL_ALLOW_HEADERS, wanted.clone());
                }
            }
        }
    }

    /// Whether pages of that origin may call.
    pub fn allows(&self, origin: &HeaderValue) -> bool {
        match self {
            Cors::Closed => false,
            Cors::Any => true,
            Cors::Origins(origins) => origins.iter().any(|known| known.as_bytes() == origin.as_bytes()),
        }
    }

    fn allowed(&self, request: &HeaderMap) -> Option<HeaderValue> {
        let origin = request.get(ORIGIN)?;
        let told = if *self == Cors::Any { HeaderValue::from_static("*") } else { origin.clone() };
        self.allows(origin).then_some(told)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answered(cors: &Cors, origin: &'static str, allow: Option<&str>) -> HeaderMap {
        let mut request = HeaderMap::new();
        request.insert(ORIGIN, HeaderValue::from_static(origin));
        request.insert(ACCESS_CONTROL_REQUEST_HEADERS, HeaderValue::from_static("authorization"));
        let mut response = HeaderMap::new();
        cors.answer(&request, allow, None, &mut response);
        response
    }

    #[test]
    fn nobody_else_may_call_unless_it_is_said() {
        assert!(answered(&Cors::new(&[]), "https://a", None).is_empty());
    }

    #[test]
    fn listed_origins_may_call_with_cookies() {
        let cors = Cors::new(&["https://a/".to_owned(), "https://b".to_owned()]);
        let response = answered(&cors, "https://a", None);
        assert_eq!(response[ACCESS_CONTROL_ALLOW_ORIGIN], "https://a");
        assert_eq!(response[ACCESS_CONTROL_ALLOW_CREDENTIALS], "true");
        let other = answered(&cors, "https://c", None);
        assert!(!other.contains_key(ACCESS_CONTROL_ALLOW_ORIGIN));
        assert_eq!(other[VARY], "Origin");
    }

    #[test]
    fn everybody_may_call_without_cookies() {
        let response = answered(&Cors::new(&["*".to_owned()]), "https://a", Some("POST"));
        assert_eq!(response[ACCESS_CONTROL_ALLOW_ORIGIN], "*");
        assert!(!response.contains_key(ACCESS_CONTROL_ALLOW_CREDENTIALS));
        assert_eq!(response[ACCESS_CONTROL_ALLOW_METHODS], "POST");
        assert_eq!(response[ACCESS_CONTROL_ALLOW_HEADERS], "authorization");
    }
}

//! CORS: which web origins may send requests, and the response headers that tell browsers so.
//! <https://fetch.spec.whatwg.org/#http-cors-protocol>

use http::header::{
    ACCESS_CONTROL_ALLOW_CREDENTIALS, ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS,
    ACCESS_CONTROL_ALLOW_ORIGIN, ACCESS_CONTROL_EXPOSE_HEADERS, ACCESS_CONTROL_MAX_AGE,
    ACCESS_CONTROL_REQUEST_HEADERS, ACCESS_CONTROL_REQUEST_METHOD, HOST, HeaderName, HeaderValue,
    ORIGIN, VARY,
};
use http::uri::Authority;
use http::{HeaderMap, Method, Uri};

/// The origins that may send cross-origin requests.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Cors {
    /// No origin but the gateway's own.
    #[default]
    Closed,
    /// Every origin, without cookies.
    Any,
    /// These origins, with cookies. Each may have the wildcard `*.` for subdomains.
    Origins(Vec<String>),
    /// These origins, without cookies.
    Tokens(Vec<String>),
}

/// Response headers that scripts may read.
const EXPOSED: &str =
    "X-Request-Id, Server-Timing, Retry-After, RateLimit, RateLimit-Policy, Read-After";

impl Cors {
    /// Creates the policy from a list of origins; `*` in the list allows every origin.
    pub fn new(origins: &[String]) -> Cors {
        match origins {
            [] => Cors::Closed,
            some if some.iter().any(|origin| origin == "*") => Cors::Any,
            some => Cors::Origins(
                some.iter()
                    .map(|origin| origin.trim_end_matches('/').to_owned())
                    .collect(),
            ),
        }
    }

    /// The policy for pages of these origins that send tokens and no cookies; `*` allows every
    /// origin.
    pub fn for_tokens(origins: &[String]) -> Cors {
        match Cors::new(origins) {
            Cors::Origins(origins) => Cors::Tokens(origins),
            other => other,
        }
    }

    /// Whether a request is a CORS preflight.
    pub fn is_preflight(method: &Method, headers: &HeaderMap) -> bool {
        method == Method::OPTIONS
            && headers.contains_key(ORIGIN)
            && headers.contains_key(ACCESS_CONTROL_REQUEST_METHOD)
    }

    /// Adds the CORS headers to a response. `allow` holds the route's methods if the request is a
    /// preflight; `own` is a further header that scripts may read.
    pub fn add_headers(
        &self,
        request: &HeaderMap,
        allow: Option<&str>,
        own: Option<&HeaderName>,
        response: &mut HeaderMap,
    ) {
        if self.varies() {
            response.append(VARY, HeaderValue::from_static("Origin"));
        }
        let Some(origin) = self.allowed(request) else {
            return;
        };
        if let Cors::Origins(_) = self {
            response.insert(
                ACCESS_CONTROL_ALLOW_CREDENTIALS,
                HeaderValue::from_static("true"),
            );
        }
        response.insert(ACCESS_CONTROL_ALLOW_ORIGIN, origin);
        match allow.and_then(|allow| HeaderValue::from_str(allow).ok()) {
            None => {
                response.insert(
                    ACCESS_CONTROL_EXPOSE_HEADERS,
                    HeaderValue::from_static(EXPOSED),
                );
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

    /// Whether responses differ by origin.
    pub fn varies(&self) -> bool {
        matches!(self, Cors::Origins(_) | Cors::Tokens(_))
    }

    /// Whether this origin may send requests.
    pub fn allows(&self, origin: &HeaderValue) -> bool {
        match self {
            Cors::Closed => false,
            Cors::Any => true,
            Cors::Origins(origins) | Cors::Tokens(origins) => origins
                .iter()
                .any(|allowed| matches(allowed, origin.as_bytes())),
        }
    }

    /// Whether cookies of a request count that a browser lets any page send, as it does to open a
    /// WebSocket: the page has to be of the gateway's own host or of a listed origin. Programs
    /// other than browsers send no origin.
    pub fn allows_cookies(&self, request: &HeaderMap, uri: &Uri) -> bool {
        let mut origins = request.get_all(ORIGIN).iter();
        let (Some(origin), other) = (origins.next(), origins.next()) else {
            return true;
        };
        let host = request.get(HOST).and_then(|host| host.to_str().ok());
        let host = host
            .or_else(|| uri.authority().map(Authority::as_str))
            .unwrap_or_default();
        let is_listed = matches!(self, Cors::Origins(_)) && self.allows(origin);
        other.is_none()
            && (is_listed || origin.to_str().is_ok_and(|origin| is_of_host(origin, host)))
    }

    /// Whether the page that opens a WebSocket may send requests at all, with cookies or without.
    pub fn allows_socket(&self, request: &HeaderMap, uri: &Uri) -> bool {
        let is_listed = |origin| matches!(self, Cors::Any | Cors::Tokens(_)) && self.allows(origin);
        request.get(ORIGIN).is_some_and(is_listed) || self.allows_cookies(request, uri)
    }

    fn allowed(&self, request: &HeaderMap) -> Option<HeaderValue> {
        if *self == Cors::Any {
            // Also to requests without an origin, whose response a shared cache may serve to a
            // page.
            return Some(HeaderValue::from_static("*"));
        }
        let origin = request.get(ORIGIN)?;
        self.allows(origin).then(|| origin.clone())
    }
}

/// Whether an origin is the allowed one, or a subdomain of it: `https://*.example.com` stands for
/// `https://a.example.com` and `https://b.a.example.com`, but not for `https://example.com`.
/// Browsers send origins in one form, so bytes are compared.
fn matches(allowed: &str, origin: &[u8]) -> bool {
    let Some((scheme, domain)) = allowed.split_once("*.") else {
        return allowed.as_bytes() == origin;
    };
    let labels = origin
        .strip_prefix(scheme.as_bytes())
        .and_then(|rest| rest.strip_suffix(domain.as_bytes()));
    let labels = labels.and_then(|rest| rest.strip_suffix(b"."));
    // No label contains a character that separates a user, a port or a path from a host.
    let is_label = |label: &[u8]| {
        !label.is_empty()
            && label
                .iter()
                .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
    };
    labels.is_some_and(|labels| labels.split(|byte| *byte == b'.').all(is_label))
}

/// Whether an origin is of this host. The scheme does not count: a proxy may speak TLS for the
/// gateway.
fn is_of_host(origin: &str, host: &str) -> bool {
    let Some((scheme, authority)) = origin.split_once("://") else {
        return false;
    };
    let port = match scheme {
        "https" => ":443",
        "http" => ":80",
        _ => return false,
    };
    let bare = |authority: &'_ str| {
        authority
            .strip_suffix(port)
            .unwrap_or(authority)
            .to_ascii_lowercase()
    };
    !authority.is_empty() && bare(authority) == bare(host)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers_for(cors: &Cors, origin: &'static str, allow: Option<&str>) -> HeaderMap {
        let mut request = HeaderMap::new();
        request.insert(ORIGIN, HeaderValue::from_static(origin));
        request.insert(
            ACCESS_CONTROL_REQUEST_HEADERS,
            HeaderValue::from_static("authorization"),
        );
        let mut response = HeaderMap::new();
        cors.add_headers(&request, allow, None, &mut response);
        response
    }

    #[test]
    fn no_cors_headers_without_configured_origins() {
        assert!(headers_for(&Cors::new(&[]), "https://a", None).is_empty());
    }

    #[test]
    fn listed_origins_are_allowed_with_credentials() {
        let cors = Cors::new(&["https://a/".to_owned(), "https://b".to_owned()]);
        let response = headers_for(&cors, "https://a", None);
        assert_eq!(response[ACCESS_CONTROL_ALLOW_ORIGIN], "https://a");
        assert_eq!(response[ACCESS_CONTROL_ALLOW_CREDENTIALS], "true");
        let other = headers_for(&cors, "https://c", None);
        assert!(!other.contains_key(ACCESS_CONTROL_ALLOW_ORIGIN));
        assert_eq!(other[VARY], "Origin");
    }

    #[test]
    fn origins_with_tokens_are_allowed_without_credentials() {
        let cors = Cors::for_tokens(&["https://a/".to_owned()]);
        let response = headers_for(&cors, "https://a", None);
        assert_eq!(response[ACCESS_CONTROL_ALLOW_ORIGIN], "https://a");
        assert!(!response.contains_key(ACCESS_CONTROL_ALLOW_CREDENTIALS));
        assert!(!headers_for(&cors, "https://b", None).contains_key(ACCESS_CONTROL_ALLOW_ORIGIN));
        let mut request = HeaderMap::new();
        request.insert(ORIGIN, HeaderValue::from_static("https://a"));
        assert!(cors.allows_socket(&request, &Uri::from_static("/v1/graphql")));
        assert!(!cors.allows_cookies(&request, &Uri::from_static("/v1/graphql")));
    }

    #[test]
    fn wildcard_stands_for_subdomains_alone() {
        let cors = Cors::new(&[
            "https://*.example.com".to_owned(),
            "http://*.local.test:3000".to_owned(),
        ]);
        let allows = |origin: &'static str| cors.allows(&HeaderValue::from_static(origin));
        for allowed in [
            "https://a.example.com",
            "https://b.a.example.com",
            "http://x-1.local.test:3000",
        ] {
            assert!(allows(allowed), "{allowed}");
            assert_eq!(
                headers_for(&cors, allowed, None)[ACCESS_CONTROL_ALLOW_ORIGIN],
                allowed
            );
        }
        for refused in [
            "https://example.com",
            "https://.example.com",
            "https://a..example.com",
            "https://evilexample.com",
            "https://a.example.com.evil",
            "https://evil/.example.com",
            "https://evil@a.example.com",
            "https://evil:80/x.example.com",
            "http://a.example.com",
            "https://a.example.com:8443",
            "http://x.local.test",
            "https://",
            "null",
        ] {
            assert!(!allows(refused), "{refused}");
        }
    }

    #[test]
    fn any_origin_is_allowed_without_credentials() {
        let response = headers_for(&Cors::new(&["*".to_owned()]), "https://a", Some("POST"));
        assert_eq!(response[ACCESS_CONTROL_ALLOW_ORIGIN], "*");
        assert!(!response.contains_key(ACCESS_CONTROL_ALLOW_CREDENTIALS));
        assert_eq!(response[ACCESS_CONTROL_ALLOW_METHODS], "POST");
        assert_eq!(response[ACCESS_CONTROL_ALLOW_HEADERS], "authorization");
        let mut response = HeaderMap::new();
        Cors::Any.add_headers(&HeaderMap::new(), None, None, &mut response);
        assert_eq!(
            response[ACCESS_CONTROL_ALLOW_ORIGIN], "*",
            "a cache may serve it to a page"
        );
    }
}

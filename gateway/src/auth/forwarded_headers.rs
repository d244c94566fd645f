//! The headers of a client that Postern passes on to other servers: to handlers of actions that ask
//! for them, and to the authentication webhook.
//!
//! A handler reads some headers as statements of the gateway: those of the session, of the client's
//! address, of the trace, and those that the action's file sets. The client's own headers of these
//! names are not passed on, under any spelling: many servers read `X_User` and `X-User` as one
//! header.

use http::header::{self, HeaderMap, HeaderName, HeaderValue, InvalidHeaderValue};

use super::session::{Session, value_name};
use super::trace_context::{TRACEPARENT, TRACESTATE};

/// Headers that describe the connection, the body or the browser of the client. As in Hasura.
const NOT_FORWARDED: [HeaderName; 25] = [
    header::CONTENT_LENGTH,
    header::CONTENT_TYPE,
    header::CONTENT_ENCODING,
    HeaderName::from_static("content-md5"),
    header::USER_AGENT,
    header::HOST,
    header::ORIGIN,
    header::REFERER,
    header::ACCEPT,
    header::ACCEPT_ENCODING,
    header::ACCEPT_LANGUAGE,
    HeaderName::from_static("accept-datetime"),
    header::CACHE_CONTROL,
    header::CONNECTION,
    header::DNT,
    header::TRANSFER_ENCODING,
    header::UPGRADE,
    header::TE,
    header::TRAILER,
    header::EXPECT,
    HeaderName::from_static("keep-alive"),
    header::PROXY_AUTHORIZATION,
    HeaderName::from_static("proxy-connection"),
    HeaderName::from_static("http2-settings"),
    // A part of an answer is no answer.
    header::RANGE,
];

/// The prefixes of session headers in Postern and in Hasura: a handler may be either.
const SESSION_PREFIXES: [&str; 2] = ["x-gateway-", "x-hasura-"];

/// Headers by which proxies say who the client is. A handler gets [`FORWARDED_FOR`] with the
/// address that Postern has found.
const OF_PROXIES: [&str; 2] = ["forwarded", "x-real-ip"];
const OF_PROXIES_PREFIX: &str = "x-forwarded-";
const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// Which of the client's headers a handler gets.
#[derive(Debug)]
pub(crate) struct ForwardedHeaders {
    /// The prefix of session headers, in lower case.
    prefix: String,
    /// These alone; `None`: all that may be.
    names: Option<Vec<HeaderName>>,
    /// The spellings of the headers that the handler gets anyway.
    own: Vec<String>,
}

impl ForwardedHeaders {
    /// The headers with these names, or all. `own` are those that the handler gets anyway.
    pub(crate) fn new(
        prefix: &str,
        names: Option<Vec<HeaderName>>,
        own: &HeaderMap,
    ) -> ForwardedHeaders {
        let own = own.keys().map(|name| spelling(name.as_str())).collect();
        ForwardedHeaders {
            prefix: prefix.to_owned(),
            names,
            own,
        }
    }

    /// The headers for a handler: those of the client, then what Postern has verified.
    pub(crate) fn read(
        &self,
        client: &HeaderMap,
        session: &Session,
    ) -> Result<HeaderMap, InvalidHeaderValue> {
        let connection = client
            .get_all(header::CONNECTION)
            .iter()
            .filter_map(|value| value.to_str().ok());
        let of_connection: Vec<&str> = connection
            .flat_map(|value| value.split(',').map(str::trim))
            .collect();
        let is_hop = |name: &HeaderName| {
            of_connection
                .iter()
                .any(|hop| hop.eq_ignore_ascii_case(name.as_str()))
        };
        let mut headers = HeaderMap::new();
        for (name, value) in client
            .iter()
            .filter(|(name, _)| self.is_forwarded(name) && !is_hop(name))
        {
            headers.append(name.clone(), value.clone());
        }
        if let Some(address) = session.client()
            && self
                .names
                .as_ref()
                .is_none_or(|names| names.contains(&FORWARDED_FOR))
        {
            headers.insert(
                FORWARDED_FOR,
                HeaderValue::try_from(address.to_canonical().to_string())?,
            );
        }
        for (name, value) in self.session_headers(client, session) {
            // A name that no header can have was not sent as one either.
            let Ok(name) = HeaderName::try_from(name) else {
                continue;
            };
            headers.insert(name, HeaderValue::from_bytes(value.as_bytes())?);
        }
        Ok(headers)
    }

    /// The role, and of the session values those that a header of the client names. A handler that
    /// the action's file gives the admin secret of another gateway acts as the caller there, and
    /// never with more rights: a request without a role would be the administrator's.
    fn session_headers<'s>(
        &self,
        client: &HeaderMap,
        session: &'s Session,
    ) -> Vec<(String, &'s str)> {
        let own_prefix = spelling(&self.prefix);
        let spellings: Vec<String> = client.keys().map(|name| spelling(name.as_str())).collect();
        let named = spellings
            .iter()
            .filter_map(|spelling| Some(value_name(spelling.strip_prefix(&own_prefix)?)));
        let name = |value_name: &str| format!("{}{}", self.prefix, value_name.replace('_', "-"));
        let values =
            named.filter_map(|named| Some((name(&named), session.values().get(&named)?.as_str())));
        let mut headers: Vec<_> = values.collect();
        if session.backend_only() {
            headers.push((name("use_backend_only_permissions"), "true"));
        }
        headers.push((name("role"), session.role()));
        headers
    }

    fn is_forwarded(&self, name: &HeaderName) -> bool {
        let is_listed = self.names.as_ref().is_none_or(|names| names.contains(name));
        is_listed
            && may_be_forwarded(name, &self.prefix)
            && !self.own.contains(&spelling(name.as_str()))
    }
}

/// Whether a handler may get the client's header of this name; of some names the gateway writes its
/// own.
fn may_be_forwarded(name: &HeaderName, prefix: &str) -> bool {
    let spelling = spelling(name.as_str());
    let begins_with = |prefix: &str| spelling.starts_with(prefix);
    is_of_client(name)
        && !NOT_FORWARDED
            .iter()
            .chain(&[TRACEPARENT, TRACESTATE])
            .any(|known| known.as_str() == spelling)
        && !OF_PROXIES.contains(&spelling.as_str())
        && !begins_with(OF_PROXIES_PREFIX)
        && !SESSION_PREFIXES.into_iter().any(begins_with)
        && !begins_with(&self::spelling(prefix))
}

/// Whether a handler may be given this header, the client's or the gateway's:
/// `forward_client_headers` may list it.
pub(crate) fn may_be_listed(name: &HeaderName, prefix: &str) -> bool {
    *name == FORWARDED_FOR || may_be_forwarded(name, prefix)
}

/// Whether a header describes something else than the client's connection, body or browser.
pub(crate) fn is_of_client(name: &HeaderName) -> bool {
    // To conditional requests a server may answer with nothing.
    !NOT_FORWARDED.contains(name) && !name.as_str().starts_with("if-")
}

/// The name with `-` in place of all punctuation, in lower case.
fn spelling(name: &str) -> String {
    let letter = |letter: char| {
        if letter.is_ascii_alphanumeric() {
            letter.to_ascii_lowercase()
        } else {
            '-'
        }
    };
    name.chars().map(letter).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::auth::session::{AuthKind, Values};

    fn headers(pairs: &[(&str, &str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(HeaderName::try_from(*name).unwrap(), value.parse().unwrap());
        }
        headers
    }

    fn session() -> Session {
        let values = Values::from([
            ("user_id".to_owned(), "7".to_owned()),
            ("team".to_owned(), "1".to_owned()),
        ]);
        let mut session = Session::new("user", Arc::new(values), AuthKind::Token);
        session.set_client(Some([192, 0, 2, 7].into()));
        session
    }

    #[test]
    fn session_headers_are_the_verified_ones_under_every_spelling() {
        for prefix in ["x-gateway-", "x-hasura-", "x-app-"] {
            let all = ForwardedHeaders::new(prefix, None, &headers(&[("X-Key", "secret")]));
            for known in ["X-Gateway-", "x_hasura_", "X-HASURA_", "x.gateway.", prefix] {
                for name in [
                    "User-Id",
                    "user_id",
                    "Tenant-Id",
                    "role",
                    "Admin-Secret",
                    "dry_run",
                ] {
                    let given = headers(&[
                        (&format!("{known}{name}"), "made-up"),
                        ("x-key", "1"),
                        ("X_Key", "1"),
                    ]);
                    let read = all.read(&given, &session()).unwrap();
                    assert!(
                        !read.values().any(|value| value == "made-up"),
                        "{known}{name}: {read:?}"
                    );
                    let names: Vec<_> = read.keys().map(HeaderName::as_str).collect();
                    let is_own = known.eq_ignore_ascii_case(prefix) || spelling(known) == prefix;
                    let expected = if is_own && value_name(name) == "user_id" {
                        vec![
                            "x-forwarded-for".into(),
                            format!("{prefix}user-id"),
                            format!("{prefix}role"),
                        ]
                    } else {
                        vec!["x-forwarded-for".into(), format!("{prefix}role")]
                    };
                    assert_eq!(names, expected, "{known}{name}");
                }
            }
        }
    }

    #[test]
    fn lists_name_all_that_is_forwarded() {
        let listed = ["x-a", "x-forwarded-for"]
            .map(HeaderName::from_static)
            .to_vec();
        let listed = ForwardedHeaders::new("x-gateway-", Some(listed), &HeaderMap::new());
        let given = headers(&[
            ("X-A", "1"),
            ("X-A", "2"),
            ("X-B", "1"),
            ("X-Forwarded-For", "made-up"),
        ]);
        let read = listed.read(&given, &session()).unwrap();
        let expected = [
            ("x-a", "1"),
            ("x-a", "2"),
            ("x-forwarded-for", "192.0.2.7"),
            ("x-gateway-role", "user"),
        ];
        assert_eq!(read, headers(&expected));
    }
}

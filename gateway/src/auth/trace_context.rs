//! The trace that a request belongs to, as its `traceparent` says, and whose `traceparent` is
//! followed. Handlers of actions and webhooks get the context: the gateway's own if the request is
//! traced, else that of the client. <https://www.w3.org/TR/trace-context/>

use std::net::{IpAddr, SocketAddr};

use http::{HeaderMap, HeaderName, HeaderValue};
use ipnet::IpNet;
use serde_json::{Value, json};

use super::client_address::{self, TrustedProxies};
use crate::config::ConfigError;

/// The headers.
pub(crate) const TRACEPARENT: HeaderName = HeaderName::from_static("traceparent");
pub(crate) const TRACESTATE: HeaderName = HeaderName::from_static("tracestate");

/// The longest `tracestate` that is passed on, as the specification asks.
const STATE_BYTES: usize = 512;

/// Whose `traceparent` is followed: who may choose the id of a trace, and that it is recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceparentTrust(Vec<TrustedCaller>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum TrustedCaller {
    /// `*`
    Everyone,
    /// `proxies`: requests that a trusted proxy sends, whose own context it may be.
    Proxies,
    /// Clients with an address of this network, behind trusted proxies or not.
    Clients(IpNet),
}

impl TraceparentTrust {
    /// Parses the setting.
    pub fn new(list: &[String]) -> Result<TraceparentTrust, ConfigError> {
        let caller = |text: &String| match text.as_str() {
            "*" => Some(TrustedCaller::Everyone),
            "proxies" => Some(TrustedCaller::Proxies),
            text => client_address::network(text).map(TrustedCaller::Clients),
        };
        let callers: Option<Vec<TrustedCaller>> = list.iter().map(caller).collect();
        callers
            .map(TraceparentTrust)
            .ok_or_else(|| ConfigError::Value {
                origin: "`trust_traceparent`".into(),
                expected:
                    "a list of `proxies`, `*`, and addresses or networks: `10.0.0.0/8`, `192.0.2.1`"
                        .into(),
            })
    }

    /// Whether the context of a request is followed that arrived from `peer` and that `client` has
    /// sent.
    pub fn trusts(
        &self,
        proxies: &TrustedProxies,
        peer: Option<SocketAddr>,
        client: Option<IpAddr>,
    ) -> bool {
        self.0.iter().any(|caller| match caller {
            TrustedCaller::Everyone => true,
            TrustedCaller::Proxies => {
                peer.is_some_and(|peer| proxies.trust(peer.ip().to_canonical()))
            }
            TrustedCaller::Clients(network) => {
                client.is_some_and(|client| network.contains(&client))
            }
        })
    }
}

/// A valid trace context.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceContext {
    parent: String,
    state: Option<String>,
}

impl TraceContext {
    /// The context of a request; `None` without one, or if it is not valid or given twice.
    pub fn from_headers(headers: &HeaderMap) -> Option<TraceContext> {
        let mut given = headers.get_all(&TRACEPARENT).iter();
        let (Some(parent), None) = (given.next(), given.next()) else {
            return None;
        };
        let parent = parent
            .to_str()
            .ok()
            .filter(|parent| is_valid(parent))?
            .to_owned();
        let states: Vec<&str> = headers
            .get_all(&TRACESTATE)
            .iter()
            .filter_map(|state| state.to_str().ok())
            .collect();
        Some(TraceContext {
            parent,
            state: Some(states.join(",")).filter(|state| is_state(state)),
        })
    }

    /// The context in an event's JSON.
    pub fn from_json(text: &str) -> Option<TraceContext> {
        let value: Value = serde_json::from_str(text).ok()?;
        let member = |name: &str| value.get(name).and_then(Value::as_str);
        let parent = member("traceparent")
            .filter(|parent| is_valid(parent))?
            .to_owned();
        Some(TraceContext {
            parent,
            state: member("tracestate")
                .filter(|state| is_state(state))
                .map(str::to_owned),
        })
    }

    /// The context as JSON, with the names that Hasura's payload has beside those of the headers.
    pub fn json(&self) -> String {
        let part = |index: usize| self.parent.split('-').nth(index).unwrap_or_default();
        let mut value =
            json!({"trace_id": part(1), "span_id": part(2), "traceparent": self.parent});
        if let (Some(state), Some(object)) = (&self.state, value.as_object_mut()) {
            object.insert("tracestate".to_owned(), state.as_str().into());
        }
        value.to_string()
    }

    /// Adds the headers to a request.
    pub fn write_headers(&self, headers: &mut HeaderMap) {
        let pairs = [
            (TRACEPARENT, Some(&self.parent)),
            (TRACESTATE, self.state.as_ref()),
        ];
        for (name, value) in pairs {
            if let Some(value) = value.and_then(|value| HeaderValue::from_str(value).ok()) {
                headers.insert(name, value);
            }
        }
    }
}

/// `00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01`; a later version may have more at its
/// end.
fn is_valid(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let [version, trace, span, flags, rest @ ..] = parts.as_slice() else {
        return false;
    };
    let is_hex = |part: &str, length: usize| {
        part.len() == length
            && part
                .bytes()
                .all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))
    };
    let is_zero = |part: &str| part.bytes().all(|byte| byte == b'0');
    is_hex(version, 2)
        && *version != "ff"
        && is_hex(trace, 32)
        && !is_zero(trace)
        && is_hex(span, 16)
        && !is_zero(span)
        && is_hex(flags, 2)
        && (rest.is_empty() || *version != "00")
        && text.len() <= STATE_BYTES
        && text.bytes().all(|byte| byte.is_ascii_graphic())
}

fn is_state(text: &str) -> bool {
    !text.is_empty()
        && text.len() <= STATE_BYTES
        && text
            .bytes()
            .all(|byte| byte == b' ' || byte.is_ascii_graphic())
}

#[cfg(test)]
mod tests {
    use super::*;

    const PARENT: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(*name, value.parse().unwrap());
        }
        headers
    }

    #[test]
    fn context_comes_back_from_json_and_headers() {
        let given = headers(&[
            ("traceparent", PARENT),
            ("tracestate", "a=1"),
            ("tracestate", "b=2"),
        ]);
        let context = TraceContext::from_headers(&given).unwrap();
        assert_eq!(
            TraceContext::from_json(&context.json()).as_ref(),
            Some(&context)
        );
        let json: Value = serde_json::from_str(&context.json()).unwrap();
        assert_eq!(json["trace_id"], "4bf92f3577b34da6a3ce929d0e0e4736");
        let mut written = HeaderMap::new();
        context.write_headers(&mut written);
        assert_eq!(
            written,
            headers(&[("traceparent", PARENT), ("tracestate", "a=1,b=2")])
        );
    }

    #[test]
    fn proxies_and_listed_clients_are_trusted() {
        let trusts = |list: &[&str], peer: &str, client: &str| {
            let list: Vec<String> = list.iter().map(|text| (*text).to_owned()).collect();
            let proxies = TrustedProxies::new(&["10.0.0.0/8".to_owned()]).unwrap();
            let peer = SocketAddr::new(peer.parse().unwrap(), 1);
            TraceparentTrust::new(&list).unwrap().trusts(
                &proxies,
                Some(peer),
                Some(client.parse().unwrap()),
            )
        };
        assert!(
            trusts(&["proxies"], "::ffff:10.0.0.1", "203.0.113.9"),
            "by a proxy"
        );
        assert!(
            !trusts(&["proxies"], "203.0.113.9", "203.0.113.9"),
            "directly"
        );
        assert!(
            trusts(&["192.0.2.0/24"], "10.0.0.1", "192.0.2.7"),
            "a listed client by a proxy"
        );
        assert!(
            !trusts(&["192.0.2.0/24"], "10.0.0.1", "203.0.113.9"),
            "another client by a proxy"
        );
        assert!(trusts(
            &["proxies", "203.0.113.9"],
            "203.0.113.9",
            "203.0.113.9"
        ));
        assert!(
            trusts(&["*"], "203.0.113.9", "203.0.113.9") && !trusts(&[], "10.0.0.1", "10.0.0.1")
        );
        assert!(TraceparentTrust::new(&["proxy".to_owned()]).is_err());
    }

    #[test]
    fn invalid_contexts_are_left_out() {
        for invalid in [
            "",
            "00",
            "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
            "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-x",
        ] {
            assert_eq!(
                TraceContext::from_headers(&headers(&[("traceparent", invalid)])),
                None,
                "{invalid}"
            );
        }
        assert_eq!(
            TraceContext::from_headers(&headers(&[
                ("traceparent", PARENT),
                ("traceparent", PARENT)
            ])),
            None
        );
        let long = headers(&[("traceparent", PARENT), ("tracestate", &"a".repeat(513))]);
        assert_eq!(TraceContext::from_headers(&long).unwrap().state, None);
    }
}

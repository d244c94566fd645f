//! The client's address: the peer of the connection, or the address that trusted proxies report in
//! `X-Forwarded-For` or `Forwarded`; and whether they report HTTPS.

use std::net::{IpAddr, SocketAddr};
use std::sync::Once;

use http::HeaderMap;
use http::header::{FORWARDED, HeaderName};
use ipnet::IpNet;

use crate::config::ConfigError;

const X_FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");
const X_FORWARDED_PROTO: HeaderName = HeaderName::from_static("x-forwarded-proto");

/// The networks of trusted proxies.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TrustedProxies(Vec<IpNet>);

impl TrustedProxies {
    /// Parses addresses or networks.
    pub fn new(list: &[String]) -> Result<TrustedProxies, ConfigError> {
        let networks: Option<Vec<IpNet>> = list.iter().map(|text| network(text)).collect();
        networks
            .map(TrustedProxies)
            .ok_or_else(|| ConfigError::Value {
                origin: "`trusted_proxies`".into(),
                expected: "a list of addresses or networks: `10.0.0.0/8`, `fd00::/8`, `192.0.2.1`"
                    .into(),
            })
    }

    /// Whether this is the address of a trusted proxy.
    pub(super) fn trust(&self, address: IpAddr) -> bool {
        self.0.iter().any(|network| network.contains(&address))
    }

    /// The client's address. Each proxy appends the address of its peer, and entries to the left of
    /// those come from outside, so the rightmost address that is not a trusted proxy is the client.
    /// Reading stops at an invalid entry.
    pub fn client(&self, peer: Option<SocketAddr>, headers: &HeaderMap) -> Option<IpAddr> {
        let peer = peer?.ip().to_canonical();
        if !self.trust(peer) {
            self.warn(headers);
            return Some(peer);
        }
        let list = self.forwarded_client(peer, headers, &X_FORWARDED_FOR);
        let single = self.forwarded_client(peer, headers, &FORWARDED);
        Some(match (list, single) {
            // A proxy writes one of the headers and may pass the other on unchanged, so they have
            // to agree.
            (Some(list), Some(single)) if list != single => peer,
            (list, single) => list.or(single).unwrap_or(peer),
        })
    }

    /// Whether the peer is a trusted proxy that got the request by HTTPS, according to
    /// `X-Forwarded-Proto` or `Forwarded`. A proxy may append to what a client has sent, or pass
    /// one of the headers on unchanged, so every entry of both has to be `https`.
    pub fn report_https(&self, peer: Option<SocketAddr>, headers: &HeaderMap) -> bool {
        if !peer.is_some_and(|peer| self.trust(peer.ip().to_canonical())) {
            return false;
        }
        let entries = |name: HeaderName| {
            let values = headers.get_all(name).into_iter();
            values.flat_map(|value| value.to_str().unwrap_or_default().split(','))
        };
        let listed = entries(X_FORWARDED_PROTO).map(|entry| Some(entry.trim()));
        let forwarded = entries(FORWARDED).filter_map(|entry| {
            // An entry without the parameter says nothing about the protocol.
            let names_it = entry.to_ascii_lowercase().contains("proto");
            names_it.then(|| forwarded_parameter(entry, "proto"))
        });
        let mut protocols = listed.chain(forwarded).peekable();
        protocols.peek().is_some()
            && protocols.all(|protocol| protocol.is_some_and(|it| it.eq_ignore_ascii_case("https")))
    }

    /// Logs a warning, once, if a request has a forwarding header and no proxy is trusted. Clients
    /// can send such headers, too, so it may be harmless.
    fn warn(&self, headers: &HeaderMap) {
        static WARNED: Once = Once::new();
        if self.0.is_empty() && !WARNED.is_completed() && has_forwarding_header(headers) {
            WARNED.call_once(|| {
                tracing::warn!(
                    "a request has X-Forwarded-For or Forwarded, but no proxy is \
                                trusted: behind a proxy all clients have \
                                its address and share its rate limits, unless `trusted_proxies` \
                                names it"
                );
            });
        }
    }

    /// The client according to one of the headers; `None` without the header.
    fn forwarded_client(
        &self,
        peer: IpAddr,
        headers: &HeaderMap,
        name: &HeaderName,
    ) -> Option<IpAddr> {
        let mut values = headers.get_all(name).iter().rev().peekable();
        values.peek()?;
        let mut nearest = peer;
        for value in values {
            for entry in value.to_str().unwrap_or_default().rsplit(',') {
                let text = if *name == FORWARDED {
                    forwarded_parameter(entry, "for")
                } else {
                    Some(entry.trim())
                };
                let Some(address) = text.and_then(address) else {
                    return Some(nearest);
                };
                nearest = address;
                if !self.trust(nearest) {
                    return Some(nearest);
                }
            }
        }
        Some(nearest)
    }
}

/// Parses `10.0.0.0/8`, or `192.0.2.1` as the network of that address alone.
pub(super) fn network(text: &str) -> Option<IpNet> {
    text.parse()
        .ok()
        .or_else(|| text.parse::<IpAddr>().ok().map(IpNet::from))
}

fn has_forwarding_header(headers: &HeaderMap) -> bool {
    headers.contains_key(&X_FORWARDED_FOR) || headers.contains_key(FORWARDED)
}

/// The value of a parameter in `for=192.0.2.43;proto=http`; `None` if it is not there once.
/// <https://www.rfc-editor.org/rfc/rfc7239#section-4>
fn forwarded_parameter<'a>(entry: &'a str, parameter: &str) -> Option<&'a str> {
    let pairs = entry
        .split(';')
        .filter_map(|pair| pair.trim().split_once('='));
    let mut found = pairs
        .filter(|(name, _)| name.trim().eq_ignore_ascii_case(parameter))
        .map(|(_, value)| value.trim().trim_matches('"'));
    found.next().filter(|_| found.next().is_none())
}

/// Parses `192.0.2.1`, `192.0.2.1:80`, `2001:db8::1`, `[2001:db8::1]`, `[2001:db8::1]:80`.
fn address(text: &str) -> Option<IpAddr> {
    let bare = text
        .strip_prefix('[')
        .and_then(|text| text.strip_suffix(']'))
        .unwrap_or(text);
    let address = bare
        .parse()
        .or_else(|_| text.parse::<SocketAddr>().map(|socket| socket.ip()));
    address.ok().map(|address| address.to_canonical())
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    fn client(peer: &str, pairs: &[(&'static str, &'static str)]) -> String {
        let proxies = TrustedProxies::new(&[
            "10.0.0.0/8".to_owned(),
            "192.0.2.1".to_owned(),
            "fd00::/8".to_owned(),
        ])
        .unwrap();
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(*name, HeaderValue::from_static(value));
        }
        proxies
            .client(Some(SocketAddr::new(peer.parse().unwrap(), 1)), &headers)
            .unwrap()
            .to_string()
    }

    #[test]
    fn headers_of_untrusted_peers_are_ignored() {
        assert_eq!(
            client("203.0.113.9", &[("x-forwarded-for", "198.51.100.7")]),
            "203.0.113.9"
        );
        assert_eq!(
            client("203.0.113.9", &[("forwarded", "for=198.51.100.7")]),
            "203.0.113.9"
        );
        assert_eq!(client("::ffff:203.0.113.9", &[]), "203.0.113.9");
    }

    #[test]
    fn rightmost_untrusted_address_is_the_client() {
        assert_eq!(
            client(
                "10.0.0.1",
                &[("x-forwarded-for", "1.1.1.1, 198.51.100.7, 192.0.2.1")]
            ),
            "198.51.100.7"
        );
        assert_eq!(
            client(
                "::ffff:10.0.0.1",
                &[("x-forwarded-for", "198.51.100.7:4711")]
            ),
            "198.51.100.7"
        );
        let lines = [
            ("x-forwarded-for", "1.1.1.1"),
            ("x-forwarded-for", "198.51.100.7"),
            ("x-forwarded-for", "10.9.9.9"),
        ];
        assert_eq!(client("10.0.0.1", &lines), "198.51.100.7");
        assert_eq!(
            client(
                "fd00::1",
                &[(
                    "forwarded",
                    "for=1.1.1.1, For=\"[2001:db8::1]:80\";proto=http"
                )]
            ),
            "2001:db8::1"
        );
    }

    #[test]
    fn reading_stops_at_an_invalid_entry() {
        assert_eq!(
            client("10.0.0.1", &[("x-forwarded-for", "198.51.100.7, unknown")]),
            "10.0.0.1"
        );
        assert_eq!(
            client(
                "10.0.0.1",
                &[("x-forwarded-for", "198.51.100.7, , 192.0.2.1")]
            ),
            "192.0.2.1"
        );
        assert_eq!(client("10.0.0.1", &[("x-forwarded-for", "")]), "10.0.0.1");
        assert_eq!(
            client("10.0.0.1", &[("forwarded", "for=_hidden")]),
            "10.0.0.1"
        );
        assert_eq!(
            client("10.0.0.1", &[("forwarded", "for=1.1.1.1;for=2.2.2.2")]),
            "10.0.0.1"
        );
    }

    #[test]
    fn disagreeing_headers_are_ignored() {
        let both = [
            ("x-forwarded-for", "198.51.100.7"),
            ("forwarded", "for=1.1.1.1"),
        ];
        assert_eq!(client("10.0.0.1", &both), "10.0.0.1");
        let both = [
            ("x-forwarded-for", "198.51.100.7"),
            ("forwarded", "for=198.51.100.7"),
        ];
        assert_eq!(client("10.0.0.1", &both), "198.51.100.7");
    }

    #[test]
    fn leftmost_proxy_is_the_client_if_all_are_trusted() {
        assert_eq!(
            client("10.0.0.1", &[("x-forwarded-for", "10.3.3.3, 10.2.2.2")]),
            "10.3.3.3"
        );
        assert_eq!(client("10.0.0.1", &[]), "10.0.0.1");
        assert!(TrustedProxies::new(&["somewhere".to_owned()]).is_err());
    }
}

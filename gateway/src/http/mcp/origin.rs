//! Checks the `Origin` header of MCP requests, as the specification requires against DNS rebinding.
//! Every browser sends it.
//! <https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#security-warning>

use http::Uri;
use http::header::{HOST, ORIGIN};
use http::uri::Authority;

use crate::error::Error;
use crate::http::allowed_hosts::AllowedHosts;
use crate::http::cors::Cors;
use crate::http::exchange::HttpExchange;

/// Refuses a request from a web page that is neither the gateway's own nor of an allowed origin.
pub(super) fn check(
    cors: &Cors,
    hosts: &AllowedHosts,
    exchange: &HttpExchange,
) -> Result<(), Error> {
    let mut origins = exchange.headers.get_all(ORIGIN).iter();
    let (Some(origin), other) = (origins.next(), origins.next()) else {
        return Ok(());
    };
    let host = exchange
        .headers
        .get(HOST)
        .and_then(|host| host.to_str().ok());
    let host = host
        .or_else(|| exchange.uri.authority().map(Authority::as_str))
        .unwrap_or_default();
    let is_own = || {
        origin
            .to_str()
            .is_ok_and(|origin| is_own(hosts, origin, host))
    };
    if other.is_none() && (cors.allows(origin) || is_own()) {
        Ok(())
    } else {
        Err(Error::OriginNotAllowed)
    }
}

/// Whether a page was loaded from the host that it sends its request to. Anyone can make a domain
/// name resolve to this host, so only an allowed host proves something.
fn is_own(hosts: &AllowedHosts, origin: &str, host: &str) -> bool {
    let Ok(origin) = origin.parse::<Uri>() else {
        return false;
    };
    let Some(authority) = origin.authority() else {
        return false;
    };
    hosts.contains(authority.host()) && authority.as_str().eq_ignore_ascii_case(host)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::HostCheck;

    #[test]
    fn own_origin_is_an_address_or_localhost() {
        let hosts = AllowedHosts::new(HostCheck::None, &[]);
        for (origin, host) in [
            ("http://127.0.0.1:8080", "127.0.0.1:8080"),
            ("http://localhost:8080", "LOCALHOST:8080"),
            ("http://[::1]:8080", "[::1]:8080"),
        ] {
            assert!(is_own(&hosts, origin, host), "{origin}");
        }
        for (origin, host) in [
            ("http://127.0.0.1:8081", "127.0.0.1:8080"),
            ("http://rebound.example:8080", "rebound.example:8080"),
            ("http://localhost.example", "localhost.example"),
            ("http://user@localhost", "localhost"),
            ("null", ""),
            ("", ""),
        ] {
            assert!(!is_own(&hosts, origin, host), "{origin}");
        }
    }
}

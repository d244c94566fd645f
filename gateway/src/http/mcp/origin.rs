//! Checks the `Origin` header of MCP requests, as the specification requires against DNS rebinding. Every browser sends
//! it.
//! <https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#security-warning>

use std::net::IpAddr;

use http::Uri;
use http::header::{HOST, ORIGIN};
use http::uri::Authority;

use crate::error::Error;
use crate::http::HttpExchange;
use crate::http::cors::Cors;

/// Refuses a request from a web page that is neither the gateway's own nor of an allowed origin.
pub(super) fn check(cors: &Cors, exchange: &HttpExchange) -> Result<(), Error> {
    let mut origins = exchange.headers.get_all(ORIGIN).iter();
    let (Some(origin), other) = (origins.next(), origins.next()) else { return Ok(()) };
    let host = exchange.headers.get(HOST).and_then(|host| host.to_str().ok());
    let host = host.or_else(|| exchange.uri.authority().map(Authority::as_str)).unwrap_or_default();
    let is_own = || origin.to_str().is_ok_and(|origin| is_own(origin, host));
    match other.is_none() && (cors.allows(origin) || is_own()) {
        true => Ok(()),
        false => Err(Error::OriginNotAllowed),
    }
}

/// Whether a page was loaded from the host that it sends its request to. Anyone can make a domain name resolve to this
/// host, so a name other than `localhost` proves nothing; an address does.
fn is_own(origin: &str, host: &str) -> bool {
    let Ok(origin) = origin.parse::<Uri>() else { return false };
    let Some(authority) = origin.authority() else { return false };
    let machine = authority.host().trim_start_matches('[').trim_end_matches(']');
    let is_trustworthy = machine.eq_ignore_ascii_case("localhost") || machine.parse::<IpAddr>().is_ok();
    is_trustworthy && authority.as_str().eq_ignore_ascii_case(host)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn own_origin_is_an_address_or_localhost() {
        for (origin, host) in [
            ("http://127.0.0.1:8080", "127.0.0.1:8080"),
            ("http://localhost:8080", "LOCALHOST:8080"),
            ("http://[::1]:8080", "[::1]:8080"),
        ] {
            assert!(is_own(origin, host), "{origin}");
        }
        for (origin, host) in [
            ("http://127.0.0.1:8081", "127.0.0.1:8080"),
            ("http://rebound.example:8080", "rebound.example:8080"),
            ("http://localhost.example", "localhost.example"),
            ("http://user@localhost", "localhost"),
            ("null", ""),
            ("", ""),
        ] {
            assert!(!is_own(origin, host), "{origin}");
        }
    }
}

//! From which web pages the door is open, as the protocol wants it judged: by the header `Sources`, which every browser sends.
//! <https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#security-warning>

use std::net::IpAddr;

use http::Uri;
use http::header::{HOST, ORIGIN};
use http::uri::Authority;

use crate::error::Error;
use crate::http::HttpExchange;
use crate::http::cors::Cors;

/// Refuses what a page sends that is neither the gateway's own nor one of those that may call.
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

/// Whether a page comes from where it sends its request to. Somebody can have any name point here, so a name other than
/// `localhost` proves nothing; an address does.
fn is_own(origin: &str, host: &str) -> bool {
    let Ok(origin) = origin.parse::<Uri>() else { return false };
    let Some(authority) = origin.authority() else { return false };
    let machine = authority.host().trim_start_matches('[').trim_end_matches(']');
    let is_certain = machine.eq_ignore_ascii_case("localhost") || machine.parse::<IpAddr>().is_ok();
    is_certain && authority.as_str().eq_ignore_ascii_case(host)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_our_own_by_address_not_by_name() {
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

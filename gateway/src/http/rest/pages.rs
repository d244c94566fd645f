//! The header `Link` of a REST response that is one page of a list: the addresses of the first, the
//! previous and the next page. An endpoint has pages if it takes the parameters `limit` and
//! `offset`, and a request if it says the limit. <https://www.rfc-editor.org/rfc/rfc8288>

use http::header::{HeaderValue, LINK};
use http::{HeaderMap, Method};
use percent_encoding::percent_decode_str;
use serde_json::{Map, Value};
use sql::model::access::Access;
use sql::resolve::granted_limit;

use super::csv;
use crate::http::exchange::HttpExchange;
use crate::rest::{Endpoint, EndpointKind, LIMIT, OFFSET};

/// Longer pages have no links: they are sent while their rows arrive, so their rows are not
/// counted.
const MAX_LIMIT: u64 = 1000;

/// A page that a request asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Page {
    /// The most rows that it has: the limit of the request or, if that is less, of the role's
    /// grant.
    limit: u64,
    offset: u64,
}

impl Page {
    /// The page that these variables select, for a GET request with the limit in its query string.
    pub(super) fn new(
        endpoint: &Endpoint,
        access: &Access,
        exchange: &HttpExchange,
        variables: &Map<String, Value>,
    ) -> Option<Page> {
        if exchange.method != Method::GET || !endpoint.has_pages() {
            return None;
        }
        let number = |name: &str| variables.get(name).and_then(Value::as_u64);
        let limit = number(LIMIT)?.min(limit_of_grant(endpoint, access).unwrap_or(u64::MAX));
        (1..=MAX_LIMIT).contains(&limit).then(|| Page {
            limit,
            offset: number(OFFSET).unwrap_or_default(),
        })
    }

    /// Adds the header for a response, which is a list, or an object with one list.
    pub(super) fn link(self, exchange: &HttpExchange, response: &[u8], headers: &mut HeaderMap) {
        let Some(rows) = csv::count(response) else {
            return;
        };
        let Page { limit, offset } = self;
        let address =
            |offset: u64| format!("{}?{}", exchange.path(), query(exchange.query(), offset));
        let mut links = vec![];
        if offset > 0 {
            links.push(format!("<{}>; rel=\"first\"", address(0)));
            links.push(format!(
                "<{}>; rel=\"prev\"",
                address(offset.saturating_sub(limit))
            ));
        }
        // A full page may be the last one; the next is then empty.
        if rows >= limit {
            links.push(format!(
                "<{}>; rel=\"next\"",
                address(offset.saturating_add(limit))
            ));
        }
        if let Ok(value) = HeaderValue::from_str(&links.join(", "))
            && !links.is_empty()
        {
            headers.insert(LINK, value);
        }
    }
}

/// The most rows that the grants of a role let the list of an endpoint have.
fn limit_of_grant(endpoint: &Endpoint, access: &Access) -> Option<u64> {
    match endpoint.kind() {
        EndpointKind::Operation { document, name, .. } => {
            granted_limit(access, document, name.as_deref()).ok()?
        }
        EndpointKind::Statement(_) => None,
    }
}

/// The query string with another offset. All other parameters stay as the client has written them.
fn query(query: &str, offset: u64) -> String {
    let is_offset = |pair: &&str| {
        let name = pair.split('=').next().unwrap_or_default();
        percent_decode_str(name)
            .decode_utf8()
            .is_ok_and(|name| name == OFFSET)
    };
    let mut pairs: Vec<String> = query
        .split('&')
        .filter(|pair| !pair.is_empty() && !is_offset(pair))
        .map(str::to_owned)
        .collect();
    pairs.push(format!("{OFFSET}={offset}"));
    // Characters that would end the address in the header.
    pairs
        .join("&")
        .replace('<', "%3C")
        .replace('>', "%3E")
        .replace('"', "%22")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offset_is_replaced_and_the_rest_stays() {
        assert_eq!(
            query("a=%20b&offset=5&limit=10", 20),
            "a=%20b&limit=10&offset=20"
        );
        assert_eq!(query("limit=10&%6Fffset=3", 0), "limit=10&offset=0");
        assert_eq!(query("limit=1&q=<x>", 1), "limit=1&q=%3Cx%3E&offset=1");
    }
}

//! The two subprotocols of GraphQL over WebSocket, and which of them a handshake selects.

use http::HeaderMap;
use http::header::SEC_WEBSOCKET_PROTOCOL;

use crate::config::dialect::Profile;

/// A subprotocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Protocol {
    /// The current protocol, of the library `graphql-ws`.
    /// <https://github.com/enisdenjo/graphql-ws/blob/master/PROTOCOL.md>
    TransportWs,
    /// The protocol of the library `subscriptions-transport-ws`, which newer libraries call legacy.
    /// <https://github.com/apollographql/subscriptions-transport-ws/blob/master/PROTOCOL.md>
    Legacy,
}

impl Protocol {
    /// The name in `Sec-WebSocket-Protocol`.
    pub(super) fn name(self) -> &'static str {
        match self {
            Protocol::TransportWs => "graphql-transport-ws",
            Protocol::Legacy => "graphql-ws",
        }
    }

    /// The first subprotocol that the client names and the gateway has. Hasura takes a client that
    /// names none for one of the legacy protocol.
    pub(super) fn negotiate(headers: &HeaderMap, profile: Profile) -> Option<Protocol> {
        if profile == Profile::Hasura && !headers.contains_key(SEC_WEBSOCKET_PROTOCOL) {
            return Some(Protocol::Legacy);
        }
        let values = headers
            .get_all(SEC_WEBSOCKET_PROTOCOL)
            .iter()
            .filter_map(|value| value.to_str().ok());
        values
            .flat_map(|value| value.split(','))
            .map(str::trim)
            .find_map(Protocol::from_name)
    }

    fn from_name(name: &str) -> Option<Protocol> {
        [Protocol::TransportWs, Protocol::Legacy]
            .into_iter()
            .find(|protocol| protocol.name() == name)
    }
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    fn negotiated(value: Option<&'static str>, profile: Profile) -> Option<Protocol> {
        let mut headers = HeaderMap::new();
        value.map(|value| headers.insert(SEC_WEBSOCKET_PROTOCOL, HeaderValue::from_static(value)));
        Protocol::negotiate(&headers, profile)
    }

    #[test]
    fn first_known_protocol_is_selected() {
        let of = |value| negotiated(Some(value), Profile::Gateway);
        assert_eq!(of("graphql-transport-ws"), Some(Protocol::TransportWs));
        assert_eq!(
            of("graphql-ws, graphql-transport-ws"),
            Some(Protocol::Legacy)
        );
        assert_eq!(of("mqtt,graphql-transport-ws"), Some(Protocol::TransportWs));
        assert_eq!(of("mqtt"), None);
        assert_eq!(negotiated(None, Profile::Gateway), None);
        assert_eq!(negotiated(None, Profile::Hasura), Some(Protocol::Legacy));
    }
}

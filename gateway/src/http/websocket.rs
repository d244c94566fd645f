//! WebSockets on `/v1/graphql`: checks the handshake, switches the connection to the WebSocket
//! protocol and serves it in a task of its own. Credentials arrive in the handshake, in
//! `connection_init`, or in both. <https://www.rfc-editor.org/rfc/rfc6455>

mod connection;
mod credentials;
mod frames;
mod message;
mod protocol;

use ::http::header::{
    CONNECTION, HeaderName, HeaderValue, SEC_WEBSOCKET_ACCEPT, SEC_WEBSOCKET_KEY,
    SEC_WEBSOCKET_PROTOCOL, SEC_WEBSOCKET_VERSION, UPGRADE,
};
use ::http::{HeaderMap, Method, StatusCode, Version};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hyper::upgrade::OnUpgrade;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;

use super::error_response::{ErrorFormat, refuse};
use super::exchange::HttpExchange;
use super::media;
use super::response::{Response, empty};
use crate::error::{Error, InvalidUpgrade};
pub(super) use connection::CLOSE_CODES;
use connection::Connection;
use protocol::Protocol;

/// Whether a request asks for a WebSocket. Other protocols in `Upgrade`, such as `h2c`, are
/// ignored.
pub(super) fn is_requested(headers: &HeaderMap) -> bool {
    has_token(headers, &UPGRADE, "websocket")
}

/// Answers a request for a WebSocket.
pub(super) fn respond(exchange: &mut HttpExchange) -> Response {
    match handshake(exchange) {
        Ok(response) => response,
        Err(error) => {
            let mut response = refuse(
                exchange,
                &error,
                ErrorFormat::Graphql(media::GraphqlMedia::Json),
            );
            if let Error::InvalidUpgrade(InvalidUpgrade::Version) = error {
                response
                    .headers_mut()
                    .insert(SEC_WEBSOCKET_VERSION, HeaderValue::from_static("13"));
                response
                    .headers_mut()
                    .insert(UPGRADE, HeaderValue::from_static("websocket"));
            }
            response
        }
    }
}

fn handshake(exchange: &mut HttpExchange) -> Result<Response, Error> {
    let (upgrade, accept) = check(exchange)?;
    let slot = exchange.app.sockets.open(exchange.client())?;
    let memory = exchange.memory.budget().reserve_open()?;
    let protocol = Protocol::negotiate(&exchange.headers, exchange.app.profile);
    let mut response = empty(StatusCode::SWITCHING_PROTOCOLS);
    let headers = response.headers_mut();
    headers.insert(UPGRADE, HeaderValue::from_static("websocket"));
    headers.insert(CONNECTION, HeaderValue::from_static("Upgrade"));
    headers.insert(SEC_WEBSOCKET_ACCEPT, accept);
    let is_offered = exchange.headers.contains_key(SEC_WEBSOCKET_PROTOCOL);
    if let Some(protocol) = protocol.filter(|_| is_offered) {
        headers.insert(
            SEC_WEBSOCKET_PROTOCOL,
            HeaderValue::from_static(protocol.name()),
        );
    }
    let connection = Connection::new(exchange, protocol, memory);
    tokio::spawn(async move {
        // An error means that the client has disconnected.
        if let Ok(upgraded) = upgrade.await {
            connection.serve(upgraded).await;
        }
        drop(slot);
    });
    Ok(response)
}

/// Checks the handshake; returns the connection's future and the value of `Sec-WebSocket-Accept`.
fn check(exchange: &mut HttpExchange) -> Result<(OnUpgrade, HeaderValue), InvalidUpgrade> {
    let headers = &exchange.headers;
    if exchange.method != Method::GET {
        return Err(InvalidUpgrade::Method);
    }
    if exchange.connection.version != Version::HTTP_11
        || !has_token(headers, &CONNECTION, "upgrade")
    {
        return Err(InvalidUpgrade::Connection);
    }
    if headers
        .get(SEC_WEBSOCKET_VERSION)
        .is_none_or(|version| version != "13")
    {
        return Err(InvalidUpgrade::Version);
    }
    let mut keys = headers.get_all(SEC_WEBSOCKET_KEY).iter();
    let key = keys.next().filter(|key| {
        STANDARD
            .decode(key.as_bytes())
            .is_ok_and(|key| key.len() == 16)
    });
    let key = key
        .filter(|_| keys.next().is_none())
        .ok_or(InvalidUpgrade::Key)?;
    let accept = HeaderValue::try_from(derive_accept_key(key.as_bytes()))
        .map_err(|_| InvalidUpgrade::Key)?;
    let upgrade = exchange.upgrade.take().ok_or(InvalidUpgrade::Connection)?;
    Ok((upgrade, accept))
}

/// Whether a header that lists tokens has this one.
fn has_token(headers: &HeaderMap, name: &HeaderName, token: &str) -> bool {
    let values = headers
        .get_all(name)
        .iter()
        .filter_map(|value| value.to_str().ok());
    values
        .flat_map(|value| value.split(','))
        .any(|listed| listed.trim().eq_ignore_ascii_case(token))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_token_websocket_asks_for_one() {
        let requested = |value: &'static str| {
            is_requested(&HeaderMap::from_iter([(
                UPGRADE,
                HeaderValue::from_static(value),
            )]))
        };
        assert!(requested("websocket") && requested("h2c, WebSocket"));
        assert!(!requested("h2c") && !requested("") && !requested("websockets"));
    }
}

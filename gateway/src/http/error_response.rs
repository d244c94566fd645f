//! Responses of handlers: a result with the headers that it needs, or an error in the format of the
//! route.

use http::header::{
    ACCEPT_ENCODING, ALLOW, CONNECTION, HeaderValue, RETRY_AFTER, WWW_AUTHENTICATE,
};
use http::{StatusCode, Version};
use serde_json::Value;

use super::access_log::LoggedError;
use super::content_encoding::ContentEncoding;
use super::exchange::{ConnectionInfo, HttpExchange, READ_AFTER};
use super::response::{Response, json};
use super::{caching, development, media};
use crate::config::dialect::Profile;
use crate::error::{Error, hasura};
use crate::limits::LimitExceeded;

/// The format in which an error is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorFormat {
    /// `{"errors":[…]}`.
    Graphql(media::GraphqlMedia),
    /// `{"status":"error",…}`.
    Rest,
    /// `{"status":"error","error":"invalid-pat",…}`, of the token exchange.
    TokenExchange,
    /// `{"status":401,"error":"invalid-otp","message":…}`, as hasura-auth sends it.
    Accounts,
    /// `{"jsonrpc":"2.0","error":…}`.
    Mcp,
}

/// The response of a handler: its result, or its error in the given format.
pub(super) fn finish(
    exchange: &HttpExchange,
    result: Result<Response, Error>,
    format: ErrorFormat,
) -> Response {
    let log_entry = &exchange.log_entry;
    match result {
        Ok(mut response) => {
            if log_entry.dry_run
                && let Some(name) = exchange.app.state().authenticator.dry_run_header()
            {
                response
                    .headers_mut()
                    .insert(name.clone(), HeaderValue::from_static("true"));
            }
            if let Some(position) = log_entry.written_at
                && let Ok(position) = HeaderValue::from_str(&position.to_string())
            {
                response.headers_mut().insert(READ_AFTER, position);
            }
            response
        }
        Err(error) => {
            let state = exchange.app.state();
            state
                .execution
                .limits
                .for_role(log_entry.role.as_deref().unwrap_or_default())
                .count_enforced(error.limit());
            let details = exchange
                .app
                .dev
                .then(|| development::details(&state, exchange, &error));
            let profile = exchange.app.profile;
            error_response_with(
                &error,
                details,
                format,
                profile,
                &exchange.id,
                exchange.connection,
            )
        }
    }
}

/// The response of an exchange that ends with an error.
pub(super) fn refuse(exchange: &HttpExchange, error: &Error, format: ErrorFormat) -> Response {
    error_response(
        error,
        format,
        exchange.app.profile,
        &exchange.id,
        exchange.connection,
    )
}

/// The response for an error. It must not be cached, and its access log entry is in its extensions.
pub fn error_response(
    error: &Error,
    format: ErrorFormat,
    profile: Profile,
    exchange_id: &str,
    connection: ConnectionInfo,
) -> Response {
    error_response_with(error, None, format, profile, exchange_id, connection)
}

/// The response for an error, with the details that `--dev` gives to clients.
fn error_response_with(
    error: &Error,
    details: Option<Value>,
    format: ErrorFormat,
    profile: Profile,
    exchange_id: &str,
    connection: ConnectionInfo,
) -> Response {
    let status = status(error, format, profile);
    let (media, mut body) = match format {
        ErrorFormat::Graphql(media) => {
            (media.content_type(), error.to_graphql(exchange_id, profile))
        }
        ErrorFormat::Rest => (media::JSON, error.to_rest(exchange_id, profile)),
        ErrorFormat::TokenExchange => (media::JSON, error.to_token_exchange(exchange_id)),
        ErrorFormat::Accounts => (media::JSON, error.to_account(exchange_id)),
        ErrorFormat::Mcp => (media::JSON, error.to_message(exchange_id, profile)),
    };
    if let Some(details) = details {
        development::add_to_error(&mut body, details);
    }
    let mut response = json(status, media, body.to_string().into_bytes());
    let headers = response.headers_mut();
    caching::forbid_caching(headers);
    match status {
        StatusCode::UNAUTHORIZED => {
            drop(headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer")));
        }
        StatusCode::SERVICE_UNAVAILABLE => {
            drop(headers.insert(RETRY_AFTER, HeaderValue::from_static("1")));
        }
        _ => {}
    }
    if matches!(error, Error::ContentEncoding) {
        headers.insert(
            ACCEPT_ENCODING,
            HeaderValue::from_static(ContentEncoding::NAMES),
        );
    }
    if let Error::Plugin(fault) = error
        && let Some(seconds) = fault.retry_after
    {
        headers.insert(RETRY_AFTER, HeaderValue::from(seconds));
    }
    if let Error::RateLimited(refused) = error
        && let Some(seconds) = refused.retry_after()
    {
        headers.insert(RETRY_AFTER, seconds);
    }
    let allow = match error {
        Error::MethodNotAllowed { allow } => HeaderValue::from_str(allow).ok(),
        Error::OnlyQueries => Some(HeaderValue::from_static("POST")),
        _ => None,
    };
    if let Some(allow) = allow {
        headers.insert(ALLOW, allow);
    }
    // The rest of such a body is not read, so an HTTP/1 connection cannot carry another request.
    if matches!(
        error,
        Error::TransferEncoding | Error::Limit(LimitExceeded::Body(_) | LimitExceeded::BodyTime(_))
    ) && connection.version < Version::HTTP_2
    {
        headers.insert(CONNECTION, HeaderValue::from_static("close"));
    }
    response
        .extensions_mut()
        .insert(LoggedError::new(error, profile));
    response
}

/// The HTTP status of an error in this format.
fn status(error: &Error, format: ErrorFormat, profile: Profile) -> StatusCode {
    let spec = error.spec();
    let number = match format {
        ErrorFormat::Graphql(media::GraphqlMedia::Json) if profile == Profile::Hasura => {
            hasura::status(error)
        }
        ErrorFormat::Graphql(media::GraphqlMedia::Json) => spec.lenient,
        _ => spec.strict,
    };
    StatusCode::from_u16(number).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONNECTION_INFO: ConnectionInfo = ConnectionInfo {
        peer: None,
        has_tls: false,
        version: Version::HTTP_11,
    };

    fn response(error: &Error, format: ErrorFormat) -> Response {
        error_response(error, format, Profile::Gateway, "1", CONNECTION_INFO)
    }

    #[test]
    fn failures_carry_the_headers_their_status_asks_for() {
        let refused = response(
            &Error::NoAuthorization,
            ErrorFormat::Graphql(media::GraphqlMedia::Json),
        );
        assert_eq!(refused.status(), 401);
        assert_eq!(refused.headers()[WWW_AUTHENTICATE], "Bearer");
        let method = Error::MethodNotAllowed {
            allow: "GET, POST".into(),
        };
        assert_eq!(
            response(&method, ErrorFormat::Rest).headers()[ALLOW],
            "GET, POST"
        );
        let large = Error::from(LimitExceeded::Body(1));
        assert_eq!(
            response(&large, ErrorFormat::Rest).headers()[CONNECTION],
            "close"
        );
        let second = ConnectionInfo {
            version: Version::HTTP_2,
            ..CONNECTION_INFO
        };
        let second = error_response(&large, ErrorFormat::Rest, Profile::Gateway, "1", second);
        assert!(!second.headers().contains_key(CONNECTION));
    }

    #[test]
    fn the_media_type_decides_the_status() {
        let error = Error::Query(sql::Error {
            cause: sql::Cause::NoOperation,
            path: "$".into(),
            location: None,
        });
        let status = |format| status(&error, format, Profile::Gateway);
        assert_eq!(status(ErrorFormat::Graphql(media::GraphqlMedia::Json)), 200);
        assert_eq!(
            status(ErrorFormat::Graphql(media::GraphqlMedia::GraphqlResponse)),
            400
        );
        assert_eq!(status(ErrorFormat::Rest), 400);
    }
}

//! What the transports of `/v1/graphql` share: authentication, the body and the checks of a
//! request, and what is recorded of it.

use http::header::{CONTENT_TYPE, HeaderName};
use http::{HeaderMap, Method};

use super::app::App;
use super::caller::Caller;
use super::exchange::HttpExchange;
use super::media;
use super::state::HandlerState;
use crate::auth::session_headers::without_prefix;
use crate::config::dialect::Profile;
use crate::error::{Error, InvalidRequest};
use crate::limits::{LimitExceeded, LimitKind, Limits};
use crate::request::{Body, Request};

/// The path that requests are counted and logged under.
pub(super) const PATH: &str = "/v1/graphql";

/// Headers that a page of another origin can send only after a CORS preflight, beside those with
/// the gateway's prefix.
const PREFLIGHTED: [&str; 4] = [
    "authorization",
    "apollo-require-preflight",
    "x-apollo-operation-name",
    "graphql-require-preflight",
];

/// Authenticates the caller, counts the request and reads its body, or its query string without
/// one.
pub(super) async fn read(exchange: &mut HttpExchange) -> Result<(Caller, Body), Error> {
    let state = exchange.app.state();
    if state.authenticator.wants_request(&exchange.headers) {
        return read_before_authentication(&state, exchange).await;
    }
    let mut caller = Caller::authenticate_with(state, exchange, None).await?;
    caller.check_rates(exchange).await?;
    if exchange.method != Method::POST {
        let body = read_query_string(exchange)?;
        caller.limits.observe(LimitKind::Body, 0);
        return Ok((caller, body));
    }
    let bytes = exchange.read_body(&caller.limits.enforced).await?;
    caller.renew(exchange).await?;
    let body = Body::parse(&bytes, caller.limits.enforced.batch)?;
    caller.limits.observe(LimitKind::Body, bytes.len());
    Ok((caller, body))
}

/// Reads the body first: a webhook that gets the request can be called only then.
async fn read_before_authentication(
    state: &HandlerState,
    exchange: &mut HttpExchange,
) -> Result<(Caller, Body), Error> {
    let limits = &state.execution.limits.for_role("").enforced;
    let (body, length) = if exchange.method == Method::POST {
        let bytes = exchange.read_body(limits).await?;
        // The webhook gets a copy.
        exchange.reserve_values(&bytes)?;
        let batch = exchange
            .app
            .state()
            .execution
            .limits
            .for_role("")
            .enforced
            .batch;
        (Body::parse(&bytes, batch)?, bytes.len())
    } else {
        (read_query_string(exchange)?, 0)
    };
    let state = exchange.app.state();
    let caller = Caller::authenticate_with(state, exchange, Some(&body.to_json())).await?;
    caller.check_rates(exchange).await?;
    check_limits(&caller.limits.enforced, length, &body)?;
    caller.limits.observe(LimitKind::Body, length);
    Ok((caller, body))
}

fn read_query_string(exchange: &mut HttpExchange) -> Result<Body, Error> {
    exchange.reserve_query()?;
    Ok(Body::Single(Request::from_query_string(exchange.query())?))
}

/// Checks a request that was read before its role was known against the limits of the role.
fn check_limits(limits: &Limits, length: usize, body: &Body) -> Result<(), Error> {
    match body {
        _ if length > limits.body => Err(LimitExceeded::Body(limits.body).into()),
        Body::Batch(requests) if requests.len() > limits.batch => {
            Err(LimitExceeded::Batch(limits.batch).into())
        }
        _ => Ok(()),
    }
}

/// Rejects a GET that any web page can cause, for instance with an image: CSRF protection needs a
/// header that causes a preflight.
pub(super) fn check_preflighted(exchange: &HttpExchange) -> Result<(), Error> {
    let state = exchange.app.state();
    if is_preflighted(
        &exchange.headers,
        &state.authenticator.policy().header_prefix,
    ) {
        Ok(())
    } else {
        Err(InvalidRequest::Preflight.into())
    }
}

fn is_preflighted(headers: &HeaderMap, prefix: &str) -> bool {
    let guarded = |name: &HeaderName| {
        PREFLIGHTED.contains(&name.as_str()) || without_prefix(name, prefix).is_some()
    };
    let json = headers
        .get(CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .is_some_and(media::is_json);
    json || headers.keys().any(guarded)
}

/// In the Hasura profile, rejects `persistedQuery` as Hasura does, even if the query's text is
/// present; the gateway's own profile only needs the text.
pub(super) fn check_extensions(
    app: &App,
    state: &HandlerState,
    request: &Request,
) -> Result<(), Error> {
    let is_refused = app.profile == Profile::Hasura
        && !state.execution.documents.accepts_hashes()
        && request.extensions.contains_key("persistedQuery");
    if is_refused {
        Err(Error::PersistedQuery)
    } else {
        Ok(())
    }
}

/// Counts an operation that is not on the role's allow list. Clients can name roles that do not
/// exist.
pub(super) fn count_unlisted(app: &App, state: &HandlerState, role: &str, mode: &str) {
    let is_known = state.execution.schema.permissions.role(role).is_some();
    app.metrics
        .unlisted
        .with_label_values(&[if is_known { role } else { "other" }, mode])
        .inc();
}

/// Records the operation in the access log.
pub(super) fn record_operation(exchange: &mut HttpExchange, request: &Request) {
    exchange.log_entry.operation = operation_name(request);
    exchange.log_entry.requests += 1;
    exchange.add_comment("/v1/graphql");
}

/// The operation's name for the log, if it is a GraphQL name of at most 100 bytes. A document of
/// which the request names no operation has only one, and begins with it unless fragments come
/// first.
pub(super) fn operation_name(request: &Request) -> Option<String> {
    let name = request
        .operation_name
        .as_deref()
        .or_else(|| first_operation(&request.query));
    name.filter(|name| name.len() <= 100 && sql::model::names::is_graphql(name))
        .map(str::to_owned)
}

/// The name of the operation that a document begins with.
fn first_operation(document: &str) -> Option<&str> {
    const BLANK: [char; 6] = [' ', '\t', '\n', '\r', ',', '\u{feff}'];
    let mut rest = document.trim_start_matches(BLANK);
    while let Some(comment) = rest.strip_prefix('#') {
        rest = comment
            .split_once(['\n', '\r'])?
            .1
            .trim_start_matches(BLANK);
    }
    let behind = ["query", "mutation", "subscription"]
        .iter()
        .find_map(|kind| rest.strip_prefix(kind))?;
    let name = behind.strip_prefix(BLANK)?.trim_start_matches(BLANK);
    name.split(|character: char| !character.is_ascii_alphanumeric() && character != '_')
        .next()
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    #[test]
    fn document_names_the_operation_if_the_request_does_not() {
        let name = |query: &str| {
            operation_name(&Request {
                query: query.to_owned(),
                ..Request::default()
            })
        };
        assert_eq!(name("query A { a }").as_deref(), Some("A"));
        assert_eq!(
            name("\u{feff} # query B\r\n, mutation\tC($x: Int) { a }").as_deref(),
            Some("C")
        );
        for unnamed in [
            "",
            "{ a }",
            "query { a }",
            "query($x: Int) { a }",
            "queryA { a }",
            "# query A",
            "fragment F on A { a }",
        ] {
            assert_eq!(name(unnamed), None, "{unnamed}");
        }
        let named = Request {
            query: "query A { a }".into(),
            operation_name: Some("B".into()),
            ..Request::default()
        };
        assert_eq!(operation_name(&named).as_deref(), Some("B"));
    }

    #[test]
    fn get_needs_a_header_that_causes_a_preflight() {
        let checked = |name: &'static str, value: &'static str| {
            let mut headers = HeaderMap::new();
            headers.insert(name, HeaderValue::from_static(value));
            is_preflighted(&headers, "x-gateway-")
        };
        assert!(checked("authorization", "Bearer x"));
        assert!(checked("x-gateway-role", "user"));
        assert!(checked("apollo-require-preflight", "1"));
        assert!(checked("content-type", "application/json"));
        assert!(!checked("content-type", "text/plain"));
        assert!(!checked("cookie", "a=b"));
        assert!(!checked("accept", "*/*"));
    }
}

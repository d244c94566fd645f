//! Handler of `/mcp`: serves REST endpoints as tools of the Model Context Protocol. Authentication,
//! rate limits and limits are checked here, as in every handler; rmcp implements the protocol, and
//! the endpoint's code runs the query.
//! <https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#streamable-http>

mod batch;
mod message;
mod origin;
mod response;
mod handler;

use std::sync::Arc;

use super::caller::{Caller, authenticate_caller};
use super::error_response::{ErrorFormat, finish};
use super::exchange::HttpExchange;
use super::response::{Response, empty, json};
use super::rest::{PREFIX, unwrap_data};
use super::{caching, endpoint_call, media};
use crate::error::Error;
use crate::limits::{LimitExceeded, LimitKind};
use crate::rest::tools::{ToolEndpoint, Tools};
use crate::rest::{Body, RawParameters};
use bytes::Bytes;
use http::StatusCode;
use http::header::COOKIE;
use http_body_util::BodyExt;
use rmcp::ErrorData;
use rmcp::model::CallToolResult;
use serde_json::Value;

use message::Message;
use response::PlaceholderResult;

/// The route's path.
pub const PATH: &str = "/mcp";

/// Answers an exchange.
pub async fn respond(exchange: &mut HttpExchange) -> Response {
    let result = handle(exchange).await;
    let mut response = finish(exchange, result, ErrorFormat::Mcp);
    caching::forbid_caching(response.headers_mut());
    response
}

async fn handle(exchange: &mut HttpExchange) -> Result<Response, Error> {
    origin::check(&exchange.app.cors, &exchange.app.state().hosts, exchange)?;
    media::check_json(&exchange.headers)?;
    let mut caller = authenticate_caller(exchange).await?;
    let bytes = exchange.read_body(&caller.limits.enforced).await?;
    caller.renew(exchange).await?;
    let limits = caller.limits.clone();
    limits.observe(LimitKind::Body, bytes.len());
    // The message is parsed twice.
    exchange.reserve_values(&bytes)?;
    if let Some(messages) = batch::messages(&exchange.headers, &bytes)? {
        let limit = limits.enforced.batch;
        if messages.len() > limit {
            return Err(LimitExceeded::Batch(limit).into());
        }
        limits.observe(LimitKind::Batch, messages.len());
        let HttpExchange {
            app, rate_limit, ..
        } = &mut *exchange;
        let limiter = &caller.state.rate_limiter;
        limiter
            .check_batch(&app.metrics, rate_limit, &caller.session, messages.len())
            .await?;
        let tools = tools(exchange, &caller).await?;
        return converse_all(exchange, &caller, tools, &messages).await;
    }
    let message = Message::read(&bytes)?;
    let tools = tools(exchange, &caller).await?;
    converse(exchange, &caller, tools, message).await
}

/// Answers the messages of a batch in order. An error in one does not stop the others. Once the
/// answers together are longer than the limit for one, the remaining messages are not run.
async fn converse_all(
    exchange: &mut HttpExchange,
    caller: &Caller,
    tools: Arc<Tools>,
    messages: &[Bytes],
) -> Result<Response, Error> {
    let limit = caller.limits.enforced.response_bytes;
    let mut responses = Vec::new();
    let mut length = 0;
    for bytes in messages {
        let mut id = Value::Null;
        let mut result = Err(LimitExceeded::Answer(limit).into());
        if length <= limit {
            result = match batch::read(bytes) {
                Ok(message) => {
                    id = message.id.clone();
                    converse(exchange, caller, tools.clone(), message).await
                }
                Err(error) => Err(error),
            };
        }
        let response = match result {
            Ok(response) => response
                .into_body()
                .collect()
                .await
                .map_err(|_| broken_off())?
                .to_bytes(),
            Err(error) => {
                let profile = exchange.app.profile;
                exchange.log_entry.record_error(&error, profile);
                let error = error.to_json_rpc(&exchange.id, profile);
                serde_json::json!({"jsonrpc": "2.0", "id": id, "error": error})
                    .to_string()
                    .into()
            }
        };
        // Notifications have no response.
        if !response.is_empty() {
            length += response.len();
            exchange.reserve_values(&response)?;
            responses.push(response);
        }
    }
    if responses.is_empty() {
        return Ok(empty(StatusCode::ACCEPTED));
    }
    Ok(json(StatusCode::OK, media::JSON, batch::join(&responses)))
}

fn broken_off() -> Error {
    Error::Internal("the answer to a message of a batch broke off".into())
}

/// The tools that the caller's role may call.
async fn tools(exchange: &HttpExchange, caller: &Caller) -> Result<Arc<Tools>, Error> {
    let Caller { state, session, .. } = caller;
    let execution = &state.execution;
    let access = execution.schema.access(session);
    let work = execution.schema_work(session, caller.deadline(exchange));
    let tools = Tools::new(&state.rest, &access, execution.schema.plans.options(), work);
    state
        .tools
        .get(&access, async { tools.await.map(Arc::new) })
        .await
}

/// Passes a message to rmcp and runs the tool that it calls. The tool runs within this exchange, so
/// that it is cancelled when the client disconnects.
async fn converse(
    exchange: &mut HttpExchange,
    caller: &Caller,
    tools: Arc<Tools>,
    message: Message,
) -> Result<Response, Error> {
    let (service, mut calls) = handler::service(tools.clone());
    let mut handling =
        std::pin::pin!(service.handle(handler::request(&exchange.headers, message.spoken)));
    let mut arguments = Some(message.arguments);
    let mut placeholder = None;
    let response = loop {
        tokio::select! {
            response = &mut handling => break response,
            Some(call) = calls.recv() => {
                let arguments = arguments.take().unwrap_or_default();
                let result = match call_tool(exchange, caller, &tools, &call.name, arguments).await? {
                    Ok(data) => Ok(placeholder.insert(PlaceholderResult::new(data)).result()),
                    Err(error) => record_failed_call(exchange, &error),
                };
                call.set_result(result);
            }
        }
    };
    response::response(exchange, response, placeholder).await
}

/// Runs the endpoint behind a tool. The outer error ends the exchange (rate limits, missing
/// authorization); the inner one becomes the tool's result.
async fn call_tool(
    exchange: &mut HttpExchange,
    caller: &Caller,
    tools: &Tools,
    name: &str,
    arguments: Vec<(String, Value)>,
) -> Result<Result<Bytes, Error>, Error> {
    let Some(ToolEndpoint { endpoint, .. }) = tools.get(name) else {
        return Ok(Err(Error::UnknownTool(name.to_owned())));
    };
    exchange.log_entry.operation = Some(name.to_owned());
    let path = format!("{PREFIX}{}", endpoint.path);
    exchange.add_comment(&path);
    let HttpExchange {
        app, rate_limit, ..
    } = &mut *exchange;
    caller
        .state
        .rate_limiter
        .check_path(&app.metrics, rate_limit, &caller.session, path)
        .await?;
    if endpoint.writes() && exchange.headers.contains_key(COOKIE) {
        endpoint_call::check_authorized(
            &exchange.headers,
            &caller.state.authenticator.policy().header_prefix,
        )?;
    }
    let result = async {
        let variables = endpoint.variables(
            vec![],
            RawParameters {
                query: vec![],
                body: Body::Json(arguments),
            },
        )?;
        endpoint_call::call_endpoint(exchange, caller, endpoint, variables, true)
            .await?
            .collect()
            .await
    };
    Ok(result.await.map(unwrap_data::data))
}

/// The result of a tool that failed; the access log records the error. An unknown tool is an error
/// of the protocol.
fn record_failed_call(
    exchange: &mut HttpExchange,
    error: &Error,
) -> Result<CallToolResult, ErrorData> {
    let profile = exchange.app.profile;
    let role = exchange.log_entry.role.as_deref().unwrap_or_default();
    exchange
        .app
        .state()
        .execution
        .limits
        .for_role(role)
        .count_enforced(error.limit());
    exchange.log_entry.record_error(error, profile);
    match error {
        Error::UnknownTool(_) => Err(error.to_json_rpc(&exchange.id, profile)),
        _ => Ok(error.to_tool(&exchange.id, profile)),
    }
}

//! Handler of `/mcp`: serves REST endpoints as tools of the Model Context Protocol. Authentication, rate limits and
//! limits are checked here, as in every handler; rmcp implements the protocol, and the endpoint's code runs the query.
//! <https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#streamable-http>

mod batch;
mod message;
mod origin;
mod response;
mod handler;

use std::sync::Arc;

use bytes::Bytes;
use http::StatusCode;
use http::header::COOKIE;
use http_body_util::BodyExt;
use rmcp::ErrorData;
use rmcp::model::CallToolResult;
use serde_json::{Value, json};
use tokio::time::Instant;

use super::rest::{PREFIX, unwrap_data};
use super::{ErrorFormat, HttpExchange, Response, Server, authenticate, caching, endpoint_call, finish, media};
use crate::auth::session::Session;
use crate::database::deadline;
use crate::error::Error;
use crate::http::state::HandlerState;
use crate::limits::{LimitExceeded, LimitKind};
use crate::rest::tools::{ToolEndpoint, Tools};
use crate::rest::{Body, RawParameters};

use message::Message;
use response::PlaceholderResult;

/// The route's path.
pub const PATH: &str = "/mcp";

/// Answers an exchange.
pub async fn respond(server: &Server, exchange: &mut HttpExchange) -> Response {
    let mut parts = server.state();
    let answered = handle(server, &mut parts, exchange).await;
    let mut response = finish(server, &parts, exchange, answered, ErrorFormat::Mcp);
    caching::forbid_caching(response.headers_mut());
    response
}

async fn handle(
    server: &Server,
    parts: &mut Arc<HandlerState>,
    exchange: &mut HttpExchange,
) -> Result<Response, Error> {
    origin::check(&server.cors, &parts.hosts, exchange)?;
    media::check_json(&exchange.headers)?;
    let opened = parts.executor.limits.for_role("").enforced.time;
    let mut session = authenticate(parts, exchange, None, opened).await?;
    parts.rate_limiter.check_session(&server.metrics, &mut exchange.rate_limit, &session).await?;
    let mut bounds = parts.executor.limits.for_role(session.role()).clone();
    let deadline = Instant::from_std(exchange.started) + bounds.enforced.time;
    let read = exchange.body.read(&exchange.headers, &bounds.enforced, &mut exchange.memory);
    let late = || LimitExceeded::BodyTime(bounds.enforced.time);
    let bytes = deadline::timeout_at(deadline, read).await.ok_or_else(late)??;
    // A client that sends its body slowly must not keep permissions that a reload has revoked meanwhile.
    if server.refresh(parts) {
        session = authenticate(parts, exchange, None, opened).await?;
        bounds = parts.executor.limits.for_role(session.role()).clone();
    }
    bounds.observe(LimitKind::Body, bytes.len());
    // The message is parsed twice.
    exchange.reserve_values(&bytes)?;
    if let Some(messages) = batch::messages(&exchange.headers, &bytes)? {
        let limit = bounds.enforced.batch;
        if messages.len() > limit {
            return Err(LimitExceeded::Batch(limit).into());
        }
        bounds.observe(LimitKind::Batch, messages.len());
        parts.rate_limiter.check_batch(&server.metrics, &mut exchange.rate_limit, &session, messages.len()).await?;
        let tools = tools(parts, &session, deadline).await?;
        return converse_all(server, parts, exchange, &session, tools, &messages).await;
    }
    let message = Message::read(&bytes)?;
    let tools = tools(parts, &session, deadline).await?;
    converse(server, parts, exchange, &session, tools, message).await
}

/// Answers the messages of a batch in order. An error in one does not stop the others. Once the answers together are
/// longer than the limit for one, the remaining messages are not run.
async fn converse_all(
    server: &Server,
    parts: &HandlerState,
    exchange: &mut HttpExchange,
    session: &Session,
    tools: Arc<Tools>,
    messages: &[Bytes],
) -> Result<Response, Error> {
    let limit = parts.executor.limits.for_role(session.role()).enforced.answer;
    let (mut answers, mut length) = (vec![], 0);
    for bytes in messages {
        let (mut id, mut answered) = (Value::Null, Err(LimitExceeded::Answer(limit).into()));
        if length <= limit {
            answered = match batch::read(bytes) {
                Ok(message) => {
                    id = message.id.clone();
                    converse(server, parts, exchange, session, tools.clone(), message).await
                }
                Err(error) => Err(error),
            };
        }
        let answer = match answered {
            Ok(response) => response.into_body().collect().await.map_err(|_| broken_off())?.to_bytes(),
            Err(error) => {
                exchange.log_entry.record_error(&error, server.profile);
                let error = error.to_json_rpc(&exchange.id, server.profile);
                json!({"jsonrpc": "2.0", "id": id, "error": error}).to_string().into()
            }
        };
        // Notifications have no answer.
        if !answer.is_empty() {
            length += answer.len();
            exchange.reserve_values(&answer)?;
            answers.push(answer);
        }
    }
    if answers.is_empty() {
        let mut response = Response::default();
        *response.status_mut() = StatusCode::ACCEPTED;
        return Ok(response);
    }
    Ok(super::json(StatusCode::OK, media::JSON, batch::join(&answers)))
}

fn broken_off() -> Error {
    Error::Internal("the answer to a message of a batch broke off".into())
}

/// The tools that the caller's role may call.
async fn tools(parts: &HandlerState, session: &Session, deadline: Instant) -> Result<Arc<Tools>, Error> {
    let access = parts.executor.engine.access(session);
    let work = parts.executor.schema_work(session, deadline);
    let made = Tools::of(&parts.rest, &access, parts.executor.engine.plans.options(), work);
    parts.tools.get(&access, async { made.await.map(Arc::new) }).await
}

/// Passes a message to rmcp and runs the tool that it calls. The tool runs within this exchange, so that it is
/// cancelled when the client disconnects.
async fn converse(
    server: &Server,
    parts: &HandlerState,
    exchange: &mut HttpExchange,
    session: &Session,
    tools: Arc<Tools>,
    message: Message,
) -> Result<Response, Error> {
    let (service, mut calls) = handler::service(tools.clone());
    let mut spoken = std::pin::pin!(service.handle(handler::request(&exchange.headers, message.spoken)));
    let (mut arguments, mut marked) = (Some(message.arguments), None);
    let answer = loop {
        tokio::select! {
            answer = &mut spoken => break answer,
            Some(call) = calls.recv() => {
                let arguments = arguments.take().unwrap_or_default();
                let answered = ask(server, parts, exchange, session, &tools, &call.name, arguments).await?;
                let result = match answered {
                    Ok(data) => Ok(marked.insert(PlaceholderResult::new(data)).result()),
                    Err(error) => record_call(server, parts, exchange, &error),
                };
                call.set_result(result);
            }
        }
    };
    response::response(server, exchange, answer, marked).await
}

/// Runs the endpoint behind a tool. The outer error ends the exchange (rate limits, missing authorization); the inner
/// one becomes the tool's result.
async fn ask(
    server: &Server,
    parts: &HandlerState,
    exchange: &mut HttpExchange,
    session: &Session,
    tools: &Tools,
    name: &str,
    arguments: Vec<(String, Value)>,
) -> Result<Result<Bytes, Error>, Error> {
    let Some(ToolEndpoint { endpoint, .. }) = tools.get(name) else {
        return Ok(Err(Error::UnknownTool(name.to_owned())));
    };
    exchange.log_entry.operation = Some(name.to_owned());
    let path = format!("{PREFIX}{}", endpoint.path);
    parts.rate_limiter.check_path(&server.metrics, &mut exchange.rate_limit, session, path).await?;
    if endpoint.writes() && exchange.headers.contains_key(COOKIE) {
        endpoint_call::check_authorized(&exchange.headers, &parts.authenticator.policy().header_prefix)?;
    }
    let answered = async {
        let variables = endpoint.variables(vec![], RawParameters { query: vec![], body: Body::Json(arguments) })?;
        endpoint_call::call_endpoint(parts, exchange, session, endpoint, variables, true).await?.collect().await
    };
    Ok(answered.await.map(unwrap_data::data))
}

/// The result of a tool that failed; the access log records the error. An unknown tool is an error of the protocol.
fn record_call(
    server: &Server,
    parts: &HandlerState,
    exchange: &mut HttpExchange,
    error: &Error,
) -> Result<CallToolResult, ErrorData> {
    let role = exchange.log_entry.role.as_deref().unwrap_or_default();
    parts.executor.limits.for_role(role).count_enforced(error.limit());
    exchange.log_entry.record_error(error, server.profile);
    match error {
        Error::UnknownTool(_) => Err(error.to_json_rpc(&exchange.id, server.profile)),
        _ => Ok(error.to_tool(&exchange.id, server.profile)),
    }
}

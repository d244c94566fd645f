//! The door `/mcp`: named queries as tools of the Model Context Protocol. Who asks, how often and how much is judged here, as at
//! every door; what the messages mean is rmcp's to say, and what a tool answers is the endpoint's.
//! <https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#streamable-http>

mod message;
mod origin;
mod reply;
mod speaker;

use std::sync::Arc;

use bytes::Bytes;
use http::header::COOKIE;
use rmcp::ErrorData;
use rmcp::model::CallToolResult;
use serde_json::Value;
use tokio::time::Instant;

use super::rest::{PREFIX, bare};
use super::{Exchange, Face, Response, Server, caching, concluded, enter, media, named};
use crate::answer::{Answering, Door};
use crate::error::Error;
use crate::limits::{Bound, Exceeded};
use crate::patience;
use crate::rest::{Body, Given};
use crate::session::Session;
use crate::tools::{Offer, Tools};

use message::Message;
use reply::Marked;

/// Its path.
pub const PATH: &str = "/mcp";

/// Answers an exchange.
pub async fn respond(server: &Server, exchange: &mut Exchange) -> Response {
    let mut parts = server.answering();
    let answered = handle(server, &mut parts, exchange).await;
    let mut response = concluded(server, &parts, exchange, answered, Face::Mcp);
    caching::never(response.headers_mut());
    response
}

async fn handle(server: &Server, parts: &mut Arc<Answering>, exchange: &mut Exchange) -> Result<Response, Error> {
    origin::check(&server.cors, exchange)?;
    media::check_json(&exchange.headers)?;
    let opened = parts.bounds.of("").holds.time;
    let mut session = enter(parts, exchange, None, opened).await?;
    parts.rates.enter(&server.metrics, exchange, &session).await?;
    let mut bounds = parts.bounds.of(session.role()).clone();
    let deadline = Instant::from_std(exchange.started) + bounds.holds.time;
    let read = exchange.body.read(&exchange.headers, &bounds.holds, &mut exchange.memory);
    let late = || Exceeded::BodyTime(bounds.holds.time);
    let bytes = patience::until(deadline, read).await.ok_or_else(late)??;
    // Who holds a body back does not keep what has been taken away meanwhile.
    if server.renew(parts) {
        session = enter(parts, exchange, None, opened).await?;
        bounds = parts.bounds.of(session.role()).clone();
    }
    bounds.note(Bound::Body, bytes.len());
    // A message is read twice.
    exchange.reserve_values(&bytes)?;
    let message = Message::read(&bytes)?;
    let tools = tools(parts, &session)?;
    converse(server, parts, exchange, &session, tools, message).await
}

/// The tools of whoever asks.
fn tools(parts: &Answering, session: &Session) -> Result<Arc<Tools>, Error> {
    let access = parts.engine.access(session);
    let make = || Tools::of(&parts.rest, &access, parts.engine.plans.options()).map(Arc::new);
    parts.tools.get(&access, make).map_err(|error| Error::Internal(error.to_string()))
}

/// Has rmcp answer a message. A tool that it calls is asked here meanwhile: within this exchange, so that it ends when the client
/// goes away.
async fn converse(
    server: &Server,
    parts: &Answering,
    exchange: &mut Exchange,
    session: &Session,
    tools: Arc<Tools>,
    message: Message,
) -> Result<Response, Error> {
    let (service, mut calls) = speaker::service(tools.clone());
    let mut spoken = std::pin::pin!(service.handle(speaker::request(&exchange.headers, message.spoken)));
    let (mut arguments, mut marked) = (Some(message.arguments), None);
    let told = loop {
        tokio::select! {
            told = &mut spoken => break told,
            Some(call) = calls.recv() => {
                let arguments = arguments.take().unwrap_or_default();
                let answered = ask(server, parts, exchange, session, &tools, &call.name, arguments).await?;
                let result = match answered {
                    Ok(data) => Ok(marked.insert(Marked::new(data)).result()),
                    Err(error) => note(server, parts, exchange, &error),
                };
                call.answered(result);
            }
        }
    };
    reply::response(server, exchange, told, marked).await
}

/// Asks the endpoint that a tool is for its data. What is refused for the sake of the whole exchange ends it; all else is for the tool
/// to tell.
async fn ask(
    server: &Server,
    parts: &Answering,
    exchange: &mut Exchange,
    session: &Session,
    tools: &Tools,
    name: &str,
    arguments: Vec<(String, Value)>,
) -> Result<Result<Bytes, Error>, Error> {
    let Some(Offer { endpoint, .. }) = tools.get(name) else { return Ok(Err(Error::UnknownTool(name.to_owned()))) };
    exchange.account.operation = Some(name.to_owned());
    let path = format!("{PREFIX}{}", endpoint.path);
    parts.rates.enter_path(&server.metrics, exchange, session, path).await?;
    if endpoint.writes() && exchange.headers.contains_key(COOKIE) {
        named::check_authorized(&exchange.headers, &parts.doorman.policy().header_prefix)?;
    }
    let answered = async {
        let variables = endpoint.variables(vec![], Given { query: vec![], body: Body::Json(arguments) })?;
        named::ask(parts, exchange, session, endpoint, variables, Door::Whole).await?.collect(parts.memory).await
    };
    Ok(answered.await.map(bare::data))
}

/// What a tool tells of an error, which the exchange keeps account of. One that there is not is an error of the protocol's.
fn note(
    server: &Server,
    parts: &Answering,
    exchange: &mut Exchange,
    error: &Error,
) -> Result<CallToolResult, ErrorData> {
    let role = exchange.account.role.as_deref().unwrap_or_default();
    parts.bounds.of(role).refused(error);
    exchange.account.note(error, server.profile);
    match error {
        Error::UnknownTool(_) => Err(error.to_json_rpc(&exchange.id, server.profile)),
        _ => Ok(error.to_tool(&exchange.id, server.profile)),
    }
}

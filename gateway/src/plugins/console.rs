//! The console plugin, which the setting `console` turns on: serves the console's page and files, and what the page
//! shows beside the answers of `/v1/graphql`. Everybody may load the page; what it shows needs credentials. Except for
//! the caller's own role and its tables, that is the admin secret.

mod assets;
mod diagram;
mod events;
mod limits;
mod page;
mod permission_matrix;
mod subscriptions;

use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use http::header::{CACHE_CONTROL, HeaderValue};
use http::{Method, StatusCode};
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::auth::session::AuthKind;
use crate::config::Config;
use crate::database::Database;
use crate::error::Error;
use crate::execute;
use crate::http::route::{Handler, HandlerFuture, PluginHandler, Route, RouteClass};
use crate::http::{
    ErrorFormat, HttpExchange, Response, Server, authenticate_admin, authenticate_caller, json as json_response, media,
    object,
};
use crate::plugins::plugin::{Activation, Plugin, PrepareFuture};

/// The plugin.
#[derive(Debug, Default)]
pub(super) struct Console {
    /// The prefix of session headers, which the page sends.
    header_prefix: OnceLock<String>,
}

/// The action of a path.
#[derive(Clone, Copy, Debug)]
enum Action {
    Page,
    Asset,
    Session,
    Diagram,
    Permissions,
    Limits,
    Subscriptions,
    Events,
    Event,
    Replay,
}

const GET: &[Method] = &[Method::GET];
const POST: &[Method] = &[Method::POST];

/// The paths with their methods and actions.
const PATHS: [(&str, &[Method], Action); 10] = [
    ("/console", GET, Action::Page),
    (assets::PATH, GET, Action::Asset),
    ("/console/api/session", GET, Action::Session),
    ("/console/api/schema", GET, Action::Diagram),
    ("/console/api/permissions", GET, Action::Permissions),
    ("/console/api/limits", GET, Action::Limits),
    ("/console/api/subscriptions", GET, Action::Subscriptions),
    ("/console/api/events", GET, Action::Events),
    (events::EVENT, GET, Action::Event),
    ("/console/api/replay", POST, Action::Replay),
];

impl Plugin for Console {
    fn name(&self) -> &'static str {
        "console"
    }

    fn is_enabled(&self, config: &Config) -> bool {
        config.console
    }

    fn routes(self: Arc<Self>) -> Vec<Route> {
        let route = |(path, methods, action): (&'static str, &'static [Method], Action)| {
            let class = match action {
                Action::Page | Action::Asset => RouteClass::Operations,
                _ => RouteClass::Requests,
            };
            let handler = Handler::Plugin(Arc::new(PathHandler { console: self.clone(), action }));
            Route { path, methods, error_format: ErrorFormat::Rest, class, handler }
        };
        PATHS.map(route).into()
    }

    fn prepare<'a>(&'a self, config: &'a Config, _: &'a Database) -> PrepareFuture<'a> {
        Box::pin(async move {
            // The prefix is the same after a reload.
            let _ = self.header_prefix.set(config.header_prefix().to_owned());
            Ok(Activation::none())
        })
    }
}

/// The handler of one path.
struct PathHandler {
    console: Arc<Console>,
    action: Action,
}

impl PluginHandler for PathHandler {
    fn respond<'a>(&'a self, server: &'a Server, exchange: &'a mut HttpExchange) -> HandlerFuture<'a> {
        Box::pin(async move {
            let answer = match self.action {
                Action::Page => {
                    let prefix = self.console.header_prefix.get().map(String::as_str).unwrap_or_default();
                    return Ok(page::respond(prefix));
                }
                Action::Asset => return assets::respond(exchange),
                Action::Session => session(server, exchange).await?,
                Action::Diagram => {
                    let (state, session) = authenticate_caller(server, exchange).await?;
                    let executor = &state.executor;
                    execute::check_access(executor, &session, false)?;
                    let deadline =
                        Instant::from_std(exchange.started) + executor.limits.for_role(session.role()).enforced.time;
                    let work = executor.schema_work(&session, deadline);
                    return Ok(uncached(diagram::of(&executor.engine.access(&session), work).await?));
                }
                Action::Permissions => {
                    let (state, _) = authenticate_admin(server, exchange).await?;
                    permission_matrix::of(&state.executor.engine.permissions)
                }
                Action::Limits => {
                    let (state, _) = authenticate_admin(server, exchange).await?;
                    limits::of(&state, &server.metrics)
                }
                Action::Subscriptions => {
                    authenticate_admin(server, exchange).await?;
                    subscriptions::of(&server.subscriptions, &server.metrics)
                }
                Action::Events => events::list(server, exchange).await?,
                Action::Event => events::show(server, exchange).await?,
                Action::Replay => events::replay(server, exchange).await?,
            };
            Ok(uncached(object(&answer).into()))
        })
    }
}

fn uncached(json: Bytes) -> Response {
    let mut response = json_response(StatusCode::OK, media::JSON, json);
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// Who the caller is. A caller with the admin secret also learns which roles there are, and the session values that the
/// rules of each read.
async fn session(server: &Server, exchange: &mut HttpExchange) -> Result<Value, Error> {
    let (state, session) = authenticate_caller(server, exchange).await?;
    let mut answer = json!({"role": session.role(), "version": env!("CARGO_PKG_VERSION"), "admin": false});
    if session.caller() == AuthKind::Trusted {
        answer["admin"] = true.into();
        answer["roles"] = permission_matrix::roles(&state.executor.engine.permissions);
    }
    Ok(answer)
}

//! The console plugin, which the setting `console` turns on: serves the console's page and files,
//! and what the page shows beside the answers of `/v1/graphql`. Everybody may load the page; what
//! it shows needs credentials. Except for the caller's own role and its tables, that is the admin
//! secret.

mod diagram;
mod events;
mod limits;
mod page;
mod permission_matrix;
mod sign_ins;
mod subscriptions;

use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use http::header::{CACHE_CONTROL, HeaderValue};
use http::{Method, StatusCode};
use pg::Database;
use serde_json::{Value, json};
use warp::Filter;

use gateway::auth::session::AuthKind;
use gateway::config::Config;
use gateway::error::Error;
use gateway::execute;
use gateway::http::assets::{self, Asset};
use gateway::http::pages::PageFilter;
use gateway::http::route::{Handler, HandlerFuture, PluginHandler, Route, RouteClass};
use gateway::http::{
    Caller, ErrorFormat, HttpExchange, Response, authenticate_admin, authenticate_caller,
    json as json_response, media, object,
};
use gateway::plugin::{Activation, PageLink, Plugin, PrepareFuture};

/// The plugin.
#[derive(Debug, Default)]
pub(super) struct Console {
    /// The prefix of session headers, which the page sends.
    header_prefix: OnceLock<String>,
}

/// The action of a path that is no page and no file.
#[derive(Clone, Copy, Debug)]
enum Action {
    Session,
    Diagram,
    Permissions,
    Limits,
    Subscriptions,
    Events,
    Event,
    Replay,
    SignIns,
}

/// The path of the page's files.
const FILES: &str = "/console/assets/{file}";

/// The page's files.
const ASSETS: &[Asset] = &include!("../embedded/console/assets.rs");

const GET: &[Method] = &[Method::GET];
const POST: &[Method] = &[Method::POST];

/// The paths with their methods and actions.
const PATHS: [(&str, &[Method], Action); 9] = [
    ("/console/api/session", GET, Action::Session),
    ("/console/api/schema", GET, Action::Diagram),
    ("/console/api/permissions", GET, Action::Permissions),
    ("/console/api/limits", GET, Action::Limits),
    ("/console/api/subscriptions", GET, Action::Subscriptions),
    ("/console/api/events", GET, Action::Events),
    (events::EVENT, GET, Action::Event),
    ("/console/api/replay", POST, Action::Replay),
    ("/console/api/sign-ins", GET, Action::SignIns),
];

impl Plugin for Console {
    fn name(&self) -> &'static str {
        "console"
    }

    fn is_enabled(&self, config: &Config) -> bool {
        config.console
    }

    fn routes(self: Arc<Self>) -> Vec<Route> {
        let route = |path, methods, class, handler| Route {
            path,
            methods,
            error_format: ErrorFormat::Rest,
            class,
            handler,
        };
        let pages = [("/console", self.page()), (FILES, assets::files(ASSETS))];
        let pages = pages
            .map(|(path, filter)| route(path, GET, RouteClass::Operations, Handler::Pages(filter)));
        let actions = PATHS.map(|(path, methods, action)| {
            route(
                path,
                methods,
                RouteClass::Requests,
                Handler::Plugin(Arc::new(PathHandler { action })),
            )
        });
        pages.into_iter().chain(actions).collect()
    }

    fn pages(&self) -> &'static [PageLink] {
        &[PageLink {
            path: "/console",
            about: "Console: queries, roles and the schema",
        }]
    }

    fn shows_server_timing(&self) -> bool {
        true
    }

    fn prepare<'a>(&'a self, config: &'a Config, _: &'a Database) -> PrepareFuture<'a> {
        Box::pin(async move {
            // The prefix is the same after a reload.
            let _ = self.header_prefix.set(config.header_prefix().to_owned());
            Ok(Activation::none())
        })
    }
}

impl Console {
    fn page(self: Arc<Self>) -> PageFilter {
        let page = move || {
            page::page(
                self.header_prefix
                    .get()
                    .map(String::as_str)
                    .unwrap_or_default(),
            )
        };
        warp::any().map(page).boxed()
    }
}

/// The handler of one path.
struct PathHandler {
    action: Action,
}

impl PluginHandler for PathHandler {
    fn respond<'a>(&'a self, exchange: &'a mut HttpExchange) -> HandlerFuture<'a> {
        Box::pin(async move {
            let body = match self.action {
                Action::Session => session(exchange).await?,
                Action::Diagram => {
                    let caller = authenticate_caller(exchange).await?;
                    let execution = &caller.state.execution;
                    execute::check_access(execution, &caller.session, false)?;
                    let work = execution.schema_work(&caller.session, caller.deadline(exchange));
                    return Ok(uncached(
                        diagram::write_diagram(&execution.schema.access(&caller.session), work)
                            .await?,
                    ));
                }
                Action::Permissions => {
                    let caller = authenticate_admin(exchange).await?;
                    permission_matrix::describe_permissions(
                        &caller.state.execution.schema.permissions,
                    )
                }
                Action::Limits => {
                    let caller = authenticate_admin(exchange).await?;
                    limits::describe_limits(&caller.state, &exchange.app.metrics)
                }
                Action::Subscriptions => {
                    authenticate_admin(exchange).await?;
                    subscriptions::describe_subscriptions(
                        &exchange.app.subscriptions,
                        &exchange.app.metrics,
                    )
                }
                Action::Events => events::list(exchange).await?,
                Action::Event => events::show(exchange).await?,
                Action::Replay => events::replay(exchange).await?,
                Action::SignIns => sign_ins::list(exchange).await?,
            };
            Ok(uncached(object(&body).into()))
        })
    }
}

fn uncached(json: Bytes) -> Response {
    let mut response = json_response(StatusCode::OK, media::JSON, json);
    response
        .headers_mut()
        .insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// Who the caller is. A caller with the admin secret also learns which roles there are, and the
/// session values that the rules of each read.
async fn session(exchange: &mut HttpExchange) -> Result<Value, Error> {
    let Caller { state, session, .. } = authenticate_caller(exchange).await?;
    let mut body =
        json!({"role": session.role(), "version": env!("CARGO_PKG_VERSION"), "admin": false});
    if session.caller() == AuthKind::Trusted {
        body["admin"] = true.into();
        body["roles"] = permission_matrix::roles(&state.execution.schema.permissions);
    }
    Ok(body)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_can_be_inflated_and_take_less_than_2_mb() {
        let mut bytes = 0;
        for asset in ASSETS {
            let text = asset.plain().unwrap();
            assert!(text.len() > asset.brotli.len() / 2, "{}", asset.name);
            bytes += asset.brotli.len();
        }
        assert!(bytes < 2_000_000, "{bytes}");
    }
}

//! The widgets plugin: serves the modules of the privacy widgets, and opens the short-lived
//! sessions that they send requests with. A session has a token of its own, for one controller and
//! at most one data subject: a pseudonymous visitor, or the person whose identity the embedding
//! site has signed. Without `[widgets]` in the settings file the paths respond with 404.

mod config;
mod identity;
mod page;
mod files;
mod session;
mod widget_error;

use std::sync::Arc;

use http::header::{CACHE_CONTROL, HeaderValue};
use http::{HeaderMap, Method, StatusCode};
use pg::Database;
use warp::{Filter, Rejection, reject};

use config::WidgetsConfig;
use files::{FILES, File};
use gateway::config::{Config, ConfigError};
use gateway::error::Error;
use gateway::http::pages::PageFilter;
use gateway::http::route::{Handler, HandlerFuture, PluginHandler, Route, RouteClass};
use gateway::http::{ErrorFormat, HttpExchange, json, media};
use gateway::plugin::{
    CheckFuture, PageLink, Plugin, PluginError, PluginReport, PrepareFuture, Prepared,
};

/// The plugin.
#[derive(Debug, Default)]
pub(crate) struct Widgets {
    /// The current configuration; `None` without the section.
    config: Prepared<WidgetsConfig>,
}

/// The path that opens a session.
const SESSION: &str = "/v1/widgets/session";

/// The page that demonstrates the widgets.
const PAGE: &str = "/widgets/demo";

/// The signed identity of the page's customer.
const IDENTITY: &str = "/widgets/demo/identity";

/// The action of a path that is no page and no file.
#[derive(Clone, Copy, Debug)]
enum Action {
    Session,
    Identity,
}

impl Plugin for Widgets {
    fn name(&self) -> &'static str {
        "widgets"
    }

    fn routes(self: Arc<Self>) -> Vec<Route> {
        let action = |path, methods, action| {
            let handler = Handler::Plugin(Arc::new(PathHandler {
                widgets: self.clone(),
                action,
            }));
            Route {
                path,
                methods,
                error_format: ErrorFormat::Rest,
                class: RouteClass::Widgets,
                handler,
            }
        };
        let page = |path, filter| Route {
            path,
            methods: &[Method::GET],
            error_format: ErrorFormat::Rest,
            class: RouteClass::Operations,
            handler: Handler::Pages(filter),
        };
        let own = [
            action(SESSION, &[Method::POST], Action::Session),
            page(PAGE, self.page()),
            action(IDENTITY, &[Method::GET], Action::Identity),
        ];
        own.into_iter()
            .chain(FILES.iter().map(|file| page(file.path, self.file(file))))
            .collect()
    }

    fn sections(&self) -> &'static [&'static str] {
        &["widgets"]
    }

    fn pages(&self) -> &'static [PageLink] {
        &[PageLink {
            path: PAGE,
            about: "Widgets of the demo",
        }]
    }

    /// The origins of all sites that may embed widgets.
    fn token_origins(&self, config: &Config) -> Result<Vec<String>, ConfigError> {
        let widgets_config = WidgetsConfig::read(config)?;
        Ok(widgets_config.map_or_else(Vec::new, |config| config.origins()))
    }

    /// The key that signs sessions is a secret, which a check may lack.
    fn check<'a>(&'a self, config: &'a Config, database: &'a Database) -> CheckFuture<'a> {
        Box::pin(async move {
            if config.jwt_secret.is_some() {
                self.prepare(config, database).await?;
            } else {
                config::check_form(config)?;
            }
            Ok(PluginReport::default())
        })
    }

    fn prepare<'a>(&'a self, config: &'a Config, database: &'a Database) -> PrepareFuture<'a> {
        Box::pin(async move {
            let mut widgets_config = WidgetsConfig::read(config)?;
            if let Some(widgets_config) = &mut widgets_config {
                let not_ready = |cause| PluginError::NotReady {
                    plugin: self.name(),
                    cause,
                };
                widgets_config.check(database).await.map_err(not_ready)?;
            }
            Ok(self.config.activation(widgets_config))
        })
    }
}

impl Widgets {
    /// Rejects requests while there is no configuration.
    fn configured(
        self: &Arc<Self>,
    ) -> impl Filter<Extract = (Arc<WidgetsConfig>,), Error = Rejection>
    + Clone
    + Send
    + Sync
    + 'static
    + use<> {
        let widgets = self.clone();
        warp::any().and_then(move || {
            std::future::ready(widgets.config.get().ok_or_else(reject::not_found))
        })
    }

    fn page(self: &Arc<Self>) -> PageFilter {
        let query = warp::query::raw().or(warp::any().map(String::new)).unify();
        let respond = async |config: Arc<WidgetsConfig>, query: String| {
            page::respond(&config, &query).ok_or_else(reject::not_found)
        };
        self.configured().and(query).and_then(respond).boxed()
    }

    fn file(self: &Arc<Self>, file: &'static File) -> PageFilter {
        let respond = move |_, headers: HeaderMap| file.response(&headers);
        self.configured()
            .and(warp::header::headers_cloned())
            .map(respond)
            .boxed()
    }
}

/// The handler of one path.
struct PathHandler {
    widgets: Arc<Widgets>,
    action: Action,
}

impl PluginHandler for PathHandler {
    fn checks_origin(&self) -> bool {
        matches!(self.action, Action::Session)
    }

    fn respond<'a>(&'a self, exchange: &'a mut HttpExchange) -> HandlerFuture<'a> {
        Box::pin(async move {
            let config = self.widgets.config.get().ok_or(Error::NotFound)?;
            match self.action {
                Action::Identity => page::identity(&config, exchange.query()),
                Action::Session => {
                    let session = session::open(&config, exchange).await?;
                    let mut response =
                        json(StatusCode::OK, media::JSON, gateway::http::object(&session));
                    response
                        .headers_mut()
                        .insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
                    Ok(response)
                }
            }
        })
    }
}

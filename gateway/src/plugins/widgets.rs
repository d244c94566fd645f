//! The widgets plugin: serves the modules of the privacy widgets, and opens the short-lived sessions that they send
//! requests with. A session has a token of its own, for one controller and at most one data subject: a pseudonymous
//! visitor, or the person whose identity the embedding site has signed. Without `[widgets]` in the settings file the
//! paths respond with 404.

mod config;
mod identity;
mod page;
mod files;
mod session;

use std::sync::{Arc, PoisonError, RwLock};

use http::header::{CACHE_CONTROL, HeaderValue};
use http::{Method, StatusCode};

use crate::config::{Config, ConfigError, WIDGET_SECTIONS};
use crate::database::Database;
use crate::error::Error;
use crate::http::route::{Handler, HandlerFuture, PluginHandler, Route, RouteClass};
use crate::http::{ErrorFormat, HttpExchange, Server, json, media};
use crate::plugins::plugin::{Activation, Plugin, PluginError, PrepareFuture};
use config::WidgetsConfig;
use files::{FILES, File};

/// The plugin.
#[derive(Debug, Default)]
pub struct Widgets {
    /// The current configuration; `None` without the section.
    config: Arc<RwLock<Option<Arc<WidgetsConfig>>>>,
}

/// The path that opens a session.
const SESSION: &str = "/v1/widgets/session";

/// The page that demonstrates the widgets.
const PAGE: &str = "/widgets/demo";

/// The signed identity of the page's customer.
const IDENTITY: &str = "/widgets/demo/identity";

/// The action of a path.
#[derive(Clone, Copy, Debug)]
enum Action {
    Session,
    Page,
    Identity,
    File(&'static File),
}

impl Plugin for Widgets {
    fn name(&self) -> &'static str {
        "widgets"
    }

    fn routes(self: Arc<Self>) -> Vec<Route> {
        let route = |path, action| {
            let (methods, class): (&[Method], _) = match action {
                Action::Session => (&[Method::POST], RouteClass::Widgets),
                Action::Identity => (&[Method::GET], RouteClass::Widgets),
                Action::Page | Action::File(_) => (&[Method::GET], RouteClass::Operations),
            };
            let handler = Handler::Plugin(Arc::new(PathHandler { widgets: self.clone(), action }));
            Route { path, methods, error_format: ErrorFormat::Rest, class, handler }
        };
        let own = [(SESSION, Action::Session), (PAGE, Action::Page), (IDENTITY, Action::Identity)];
        let files = FILES.iter().map(|file| (file.path, Action::File(file)));
        own.into_iter().chain(files).map(|(path, action)| route(path, action)).collect()
    }

    fn sections(&self) -> &'static [&'static str] {
        WIDGET_SECTIONS
    }

    fn prepare<'a>(&'a self, config: &'a Config, database: &'a Database) -> PrepareFuture<'a> {
        Box::pin(async move {
            let widgets_config = WidgetsConfig::read(config)?;
            if let Some(widgets_config) = &widgets_config {
                let not_ready = |cause| PluginError::NotReady { plugin: self.name(), cause };
                widgets_config.check(database).await.map_err(not_ready)?;
            }
            let (next, current) = (widgets_config.map(Arc::new), self.config.clone());
            Ok(Activation::new(move || *current.write().unwrap_or_else(PoisonError::into_inner) = next))
        })
    }
}

/// The origins of all sites that may embed widgets, in the settings.
pub fn origins(config: &Config) -> Result<Vec<String>, ConfigError> {
    Ok(WidgetsConfig::read(config)?.map(|widgets| widgets.origins()).unwrap_or_default())
}

/// Checks the form of the settings, for a check without the key that signs sessions.
pub fn check_form(config: &Config) -> Result<(), ConfigError> {
    config::check_form(config)
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

    fn respond<'a>(&'a self, server: &'a Server, exchange: &'a mut HttpExchange) -> HandlerFuture<'a> {
        Box::pin(async move {
            let config = self.widgets.config.read().unwrap_or_else(PoisonError::into_inner).clone();
            let config = config.ok_or(Error::NotFound)?;
            match self.action {
                Action::File(file) => Ok(file.response(&exchange.headers)),
                Action::Page => page::respond(&config, exchange),
                Action::Identity => page::identity(&config, exchange),
                Action::Session => {
                    let answer = session::open(&config, server, exchange).await?;
                    let mut response = json(StatusCode::OK, media::JSON, crate::http::object(&answer));
                    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
                    Ok(response)
                }
            }
        })
    }
}

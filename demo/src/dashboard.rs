//! The dashboard plugin: serves the page on which the team works, at `/dashboard`. The page uses
//! the public API alone, so the plugin answers no request for data. Without `[dashboard]` in the
//! settings file its paths respond with 404.

use std::collections::BTreeMap;
use std::sync::Arc;

use http::Method;
use http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, HeaderName, HeaderValue, REFERRER_POLICY,
};
use pg::Database;
use serde::Deserialize;
use serde::de::IgnoredAny;
use warp::{Filter, reject};

use gateway::config::Config;
use gateway::http::assets::{self, Asset};
use gateway::http::pages::{self, PageFilter, PageResponse};
use gateway::http::route::{Handler, Route, RouteClass};
use gateway::http::{ErrorFormat, media};
use gateway::plugin::{PageLink, Plugin, PrepareFuture, Prepared};

/// The plugin.
#[derive(Debug, Default)]
pub(crate) struct Dashboard {
    /// The page of the current settings.
    page: Prepared<String>,
}

/// The table of the settings file.
const SECTION: &str = "dashboard";

/// The path of the page.
const PATH: &str = "/dashboard";

/// The path of the page's files.
const FILES: &str = "/dashboard/assets/{file}";

const PAGE: &str = include_str!("../embedded/dashboard/index.html");

/// Where the page names the providers. Their names have no characters of markup.
const PROVIDERS: &str = "<meta name=\"providers\" content=\"\">";

/// The page's files.
const ASSETS: &[Asset] = &include!("../embedded/dashboard/assets.rs");

/// The page loads its own files alone, and no other site shows it in a frame.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' \
                      data:; connect-src 'self'; base-uri 'none'; form-action 'none'; \
                      frame-ancestors 'none'";

const CROSS_ORIGIN_OPENER_POLICY: HeaderName =
    HeaderName::from_static("cross-origin-opener-policy");

impl Plugin for Dashboard {
    fn name(&self) -> &'static str {
        "dashboard"
    }

    fn is_enabled(&self, config: &Config) -> bool {
        config.sections.contains(SECTION)
    }

    fn sections(&self) -> &'static [&'static str] {
        &[SECTION]
    }

    fn routes(self: Arc<Self>) -> Vec<Route> {
        let route = |path, filter: PageFilter| Route {
            path,
            methods: &[Method::GET],
            error_format: ErrorFormat::Rest,
            class: RouteClass::Operations,
            handler: Handler::Pages(filter),
        };
        vec![
            route(PATH, self.page()),
            route(FILES, assets::files(ASSETS)),
        ]
    }

    fn pages(&self) -> &'static [PageLink] {
        &[PageLink {
            path: PATH,
            about: "Dashboard of the demo's team",
        }]
    }

    fn prepare<'a>(&'a self, config: &'a Config, _: &'a Database) -> PrepareFuture<'a> {
        Box::pin(async move {
            config.sections.read::<DashboardConfig>(SECTION)?;
            let accounts = config.sections.read::<Accounts>("accounts")?;
            let providers = accounts.unwrap_or_default().provider;
            let names: Vec<&str> = providers.keys().map(String::as_str).collect();
            let page = PAGE.replace(
                PROVIDERS,
                &PROVIDERS.replace("\"\"", &format!("\"{}\"", names.join(" "))),
            );
            Ok(self.page.activation(Some(page)))
        })
    }
}

impl Dashboard {
    fn page(self: Arc<Self>) -> PageFilter {
        let respond = move || {
            let page = self.page.get().ok_or_else(reject::not_found);
            std::future::ready(page.map(|page| response(&page)))
        };
        warp::any().and_then(respond).boxed()
    }
}

/// `[dashboard]`, which has no keys.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DashboardConfig {}

/// What the page shows of `[accounts]`: the providers that people may sign in with.
#[derive(Default, Deserialize)]
struct Accounts {
    #[serde(default)]
    provider: BTreeMap<String, IgnoredAny>,
}

fn response(page: &str) -> PageResponse {
    let mut response = pages::page(media::HTML, page.to_owned());
    let headers = response.headers_mut();
    let fixed = [
        (CONTENT_SECURITY_POLICY, POLICY),
        (REFERRER_POLICY, "no-referrer"),
        (CROSS_ORIGIN_OPENER_POLICY, "same-origin"),
        (CACHE_CONTROL, "no-store"),
    ];
    for (name, value) in fixed {
        headers.insert(name, HeaderValue::from_static(value));
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn page_has_one_place_for_the_names_of_providers() {
        assert_eq!(PAGE.matches(PROVIDERS).count(), 1);
    }

    #[test]
    fn page_has_no_inline_script_and_loads_nothing_from_other_hosts() {
        for part in ["\"//", "<style", " style=", "javascript:", " on"] {
            assert!(!PAGE.contains(part), "{part}: {PAGE}");
        }
        let scripts = PAGE.matches("<script").count();
        assert_eq!(scripts, PAGE.matches(" src=\"/dashboard/assets/").count());
    }

    #[test]
    fn files_can_be_inflated_and_take_at_most_150_kb() {
        let mut bytes = 0;
        for asset in ASSETS {
            assert!(!asset.plain().unwrap().is_empty(), "{}", asset.name);
            bytes += asset.brotli.len();
        }
        assert!(bytes <= 150_000, "{bytes}");
    }
}

//! `GET /` for browsers: a page that links what the gateway serves. Other clients get the answer of
//! an unknown path. The page loads nothing, and its policy allows its own style alone.

use std::fmt::Write as _;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use http::header::{
    ACCEPT, CACHE_CONTROL, CONTENT_SECURITY_POLICY, HeaderValue, REFERRER_POLICY, VARY,
};
use http::{Method, StatusCode};
use sha2::{Digest, Sha256};

use super::exchange::HttpExchange;
use super::media::HTML;
use super::response::{Response, json};
use super::{mcp, plugin_openapi};

const STYLE: &str = "body{font:16px/1.5 system-ui,sans-serif;max-width:42rem;margin:4rem \
                     auto;padding:0 1rem;\
                     color:#1b1f24;background:#fff}h1{font-size:1.6rem;margin:0}p{margin:.25rem \
                     0 2rem;color:#57606a}\
                     table{border-collapse:collapse;width:100%}td{padding:.5rem .75rem .5rem \
                     0;border-top:1px solid #d0d7de;\
                     vertical-align:top}a,code{font-family:ui-monospace,monospace;font-size:.95rem}a{color:#0550ae}\
                     @media(prefers-color-scheme:dark){body{color:#e6edf3;background:#0d1117}p{color:#9198a1}td{border-color:#3d444d}\
                     a{color:#79c0ff}}";

/// A page of a plugin, which the page links before the gateway's own paths.
#[derive(Clone, Copy, Debug)]
pub struct PageLink {
    /// Its path.
    pub path: &'static str,
    /// What it is.
    pub about: &'static str,
}

/// A line of the page: the path, whether a browser can open it by a link, and what it is. Paths
/// that the gateway does not serve are left out.
const LINES: [(&str, bool, &str); 8] = [
    ("/v1/graphql", false, "GraphQL"),
    (
        "/api/rest/openapi.json",
        true,
        "OpenAPI description of the REST endpoints, for callers with a role",
    ),
    (
        plugin_openapi::PATH,
        true,
        "OpenAPI description of signing in, and of other paths that the settings turn on",
    ),
    (mcp::PATH, false, "Tools of the Model Context Protocol"),
    ("/healthz", true, "Health: whether the process lives"),
    (
        "/readyz",
        true,
        "Readiness: whether the database can be reached",
    ),
    ("/v1/version", true, "Version"),
    (
        "/metrics",
        true,
        "Metrics for Prometheus, if the settings let you read them",
    ),
];

/// Whether a request is a browser's for the page: it reads, and names HTML among the types that it
/// accepts.
pub fn is_wanted(exchange: &HttpExchange) -> bool {
    let reads = matches!(exchange.method, Method::GET | Method::HEAD);
    let mut accepted = exchange
        .headers
        .get_all(ACCEPT)
        .iter()
        .filter_map(|value| value.to_str().ok());
    reads && accepted.any(|value| value.split(',').any(accepts_html))
}

/// Whether an item of `Accept` is `text/html` with a weight other than zero.
fn accepts_html(item: &str) -> bool {
    let mut parts = item.split(';').map(str::trim);
    let is_html = parts
        .next()
        .is_some_and(|media| media.eq_ignore_ascii_case("text/html"));
    is_html
        && !parts.any(|part| {
            part.strip_prefix("q=")
                .is_some_and(|weight| weight.parse() == Ok(0.0_f32))
        })
}

/// The page, for a gateway that has routes of these paths, and these pages of plugins.
pub(super) fn respond<'r>(pages: &[PageLink], paths: impl Iterator<Item = &'r str>) -> Response {
    let paths: Vec<&str> = paths.collect();
    let page = page(pages, |path| paths.contains(&path));
    let mut response = json(StatusCode::OK, HTML, page.into_bytes());
    let headers = response.headers_mut();
    if let Ok(policy) = HeaderValue::from_str(&policy()) {
        headers.insert(CONTENT_SECURITY_POLICY, policy);
    }
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert(VARY, HeaderValue::from_static("accept"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    response
}

fn page(pages: &[PageLink], serves: impl Fn(&str) -> bool) -> String {
    let mut rows = String::new();
    let pages = pages.iter().map(|page| (page.path, true, page.about));
    let own = LINES.into_iter().filter(|(path, ..)| serves(path));
    for (path, is_link, about) in pages.chain(own) {
        let name = if is_link {
            format!("<a href=\"{path}\">{path}</a>")
        } else {
            format!("<code>{path}</code>")
        };
        // Writing into a `String` does not fail.
        let _ = writeln!(rows, "<tr><td>{name}</td><td>{about}</td></tr>");
    }
    let version = env!("CARGO_PKG_VERSION");
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, \
             initial-scale=1\">\n<title>Postern</title>\n\
             <style>{STYLE}</style>\n</head>\n<body>\n<main>\n<h1>Postern</h1>\n\
             <p>A GraphQL and REST gateway over Postgres, version {version}. Its documentation \
             is in the folder \
             <code>docs</code> of the \
             source.</p>\n<table>\n{rows}</table>\n</main>\n</body>\n</html>\n"
    )
}

/// The policy that allows the page's own style, by its digest.
fn policy() -> String {
    let digest = BASE64_STANDARD.encode(Sha256::digest(STYLE.as_bytes()));
    format!(
        "default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action \
             'none'; frame-ancestors 'none'"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn html_is_wanted_by_name_and_weight() {
        for item in ["text/html", " text/html;q=0.9", "TEXT/HTML; level=1"] {
            assert!(accepts_html(item), "{item}");
        }
        for item in [
            "*/*",
            "text/*",
            "application/json",
            "text/html;q=0",
            "text/html; q=0.0",
            "text/htmlx",
            "",
        ] {
            assert!(!accepts_html(item), "{item}");
        }
    }

    #[test]
    fn page_links_only_what_is_served_and_loads_nothing() {
        let page = page(&[], |path| path == "/healthz");
        assert!(
            page.contains("href=\"/healthz\"") && !page.contains("/console"),
            "{page}"
        );
        for part in [
            "http:", "https:", "//", "<script", "style=", "src=", "@import", "url(",
        ] {
            assert!(!page.contains(part), "{part}: {page}");
        }
        assert!(!policy().contains("unsafe"), "{}", policy());
    }
}

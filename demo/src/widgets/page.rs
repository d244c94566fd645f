//! `GET /widgets/demo`: the page of a fictional shop with all widgets, in the languages that the
//! settings list, and the identity of its customer. Anybody who opens the page may act as this
//! customer.

use http::StatusCode;
use http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, HeaderName, HeaderValue, REFERRER_POLICY,
};

use super::config::{DemoPage, WidgetsConfig};
use super::identity;
use gateway::error::Error;
use gateway::http::pages::{self, PageResponse};
use gateway::http::{Response, json, media};

const ENGLISH: &str = include_str!("../../embedded/widgets/demo.en.html");
const GERMAN: &str = include_str!("../../embedded/widgets/demo.de.html");
const DUTCH: &str = include_str!("../../embedded/widgets/demo.nl.html");

/// Nothing but the page's own files; no inline script, no inline style, no markup made of text.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' \
                      data:; connect-src 'self'; \
                      base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
                      require-trusted-types-for 'script'; trusted-types 'none'";

const CROSS_ORIGIN_OPENER_POLICY: HeaderName =
    HeaderName::from_static("cross-origin-opener-policy");

/// The page: `?lang=en` selects a language, the first one in the settings is the default.
pub(super) fn respond(config: &WidgetsConfig, query: &str) -> Option<PageResponse> {
    let page = page(config, query)?;
    let text = match page.language.as_str() {
        "de" => GERMAN,
        "nl" => DUTCH,
        _ => ENGLISH,
    };
    let direction = if parameter(query, "dir") == Some("rtl") {
        "rtl"
    } else {
        "ltr"
    };
    let can_sign_in = page.customer.is_some() && config.identity_key(page.controller_id).is_some();
    let text = text.replace("{{controller}}", &page.controller_id.to_string());
    let text = text
        .replace("{{dir}}", direction)
        .replace("{{hidden}}", if can_sign_in { "" } else { "hidden" });
    let mut response = pages::page(media::HTML, text);
    let headers = response.headers_mut();
    headers.insert(CONTENT_SECURITY_POLICY, HeaderValue::from_static(POLICY));
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert(
        CROSS_ORIGIN_OPENER_POLICY,
        HeaderValue::from_static("same-origin"),
    );
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    Some(response)
}

/// The identity of the page's customer, as the server of a real shop signs it for the customer who
/// is signed in.
pub(super) fn identity(config: &WidgetsConfig, query: &str) -> Result<Response, Error> {
    let page = page(config, query).ok_or(Error::NotFound)?;
    let key = config
        .identity_key(page.controller_id)
        .ok_or(Error::NotFound)?;
    let token = identity::sign(
        page.customer.as_ref().ok_or(Error::NotFound)?,
        page.controller_id,
        key,
    )?;
    let mut response = json(StatusCode::OK, media::TEXT, token);
    response
        .headers_mut()
        .insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    Ok(response)
}

fn page<'c>(config: &'c WidgetsConfig, query: &str) -> Option<&'c DemoPage> {
    let wanted = parameter(query, "lang");
    let found = config
        .demo
        .iter()
        .find(|page| Some(page.language.as_str()) == wanted);
    found.or(config.demo.first())
}

fn parameter<'q>(query: &'q str, name: &str) -> Option<&'q str> {
    let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    pairs
        .into_iter()
        .find(|(key, _)| *key == name)
        .map(|(_, value)| value)
}

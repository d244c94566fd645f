//! `GET /console`: the page that loads the console. It contains no data, so everybody may load it.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, HeaderName, HeaderValue, REFERRER_POLICY,
};

use gateway::http::media;
use gateway::http::pages::{self, PageResponse};

const PAGE: &str = include_str!("../../embedded/console/index.html");

const CROSS_ORIGIN_OPENER_POLICY: HeaderName =
    HeaderName::from_static("cross-origin-opener-policy");

/// The page, with a policy that allows only the gateway's own files. The editor adds style sheets
/// to the page, which bear this response's nonce, and writes the places of its lines into `style`
/// attributes.
pub(super) fn page(header_prefix: &str) -> PageResponse {
    let nonce = BASE64_STANDARD.encode(uuid::Uuid::new_v4().as_bytes());
    // The settings allow only characters of header names in the prefix.
    let text = PAGE
        .replace("{{nonce}}", &nonce)
        .replace("{{prefix}}", header_prefix);
    let mut response = pages::page(media::HTML, text);
    let headers = response.headers_mut();
    if let Ok(policy) = HeaderValue::from_str(&policy(&nonce)) {
        headers.insert(CONTENT_SECURITY_POLICY, policy);
    }
    headers.insert(REFERRER_POLICY, HeaderValue::from_static("no-referrer"));
    headers.insert(
        CROSS_ORIGIN_OPENER_POLICY,
        HeaderValue::from_static("same-origin"),
    );
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

fn policy(nonce: &str) -> String {
    format!(
        "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-{nonce}'; \
             style-src-attr 'unsafe-inline'; \
             img-src 'self' data:; font-src 'self'; connect-src 'self'; worker-src 'self'; \
             base-uri 'none'; \
             form-action 'none'; frame-ancestors 'none'"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn page_is_never_cached_and_its_nonce_never_repeats() {
        let policy = |response: &PageResponse| {
            response.headers()[CONTENT_SECURITY_POLICY]
                .to_str()
                .unwrap()
                .to_owned()
        };
        let one = page("X-Gateway-");
        let other = page("X-Gateway-");
        assert_eq!(one.headers()[CACHE_CONTROL], "no-store");
        assert_ne!(policy(&one), policy(&other));
        assert!(!policy(&one).contains("unsafe-eval"));
        assert_eq!(
            policy(&one).matches("unsafe").count(),
            1,
            "only attributes: {}",
            policy(&one)
        );
    }

    #[test]
    fn page_has_no_inline_script_and_loads_nothing_from_other_hosts() {
        for part in [
            "http:",
            "https:",
            "\"//",
            "<style",
            " style=",
            "javascript:",
            " on",
        ] {
            assert!(!PAGE.contains(part), "{part}: {PAGE}");
        }
        assert!(
            PAGE.matches("<script").count() == PAGE.matches(" src=\"/console/assets/").count(),
            "{PAGE}"
        );
    }
}

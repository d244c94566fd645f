//! The files of the widgets, embedded in the binary. Clients ask each time whether a file has
//! changed and learn it by its `ETag`.

use http::header::{
    ACCESS_CONTROL_ALLOW_ORIGIN, CACHE_CONTROL, CONTENT_TYPE, ETAG, HeaderName, HeaderValue,
    IF_NONE_MATCH,
};
use http::{HeaderMap, StatusCode};

use gateway::http::media;
use gateway::http::pages::{PageResponse, page};
use plugins::token_exchange;

/// A file.
#[derive(Debug)]
pub(super) struct File {
    /// The path at which it is served.
    pub(super) path: &'static str,
    text: &'static str,
}

const CROSS_ORIGIN_RESOURCE_POLICY: HeaderName =
    HeaderName::from_static("cross-origin-resource-policy");

macro_rules! files {
    ($($name:literal)*) => {
        /// All files.
        pub(super) const FILES: &[File] = &[$(File {
            path: concat!("/widgets/", $name),
            text: include_str!(concat!("../../embedded/widgets/", $name)),
        }),*];
    };
}

files! {
    "core.js" "dom.js" "element.js" "facts.js" "style.js" "text.js" "text.en.js" "text.de.js" "text.nl.js"
    "widgets.js" "transparency-app.js" "svc-overview.js" "svc-consents.js" "svc-rights-management.js"
    "svc-privacy.js" "svc-data-map.js" "demo.css" "demo.js"
}

fn tag(text: &str) -> String {
    format!("W/\"{:.16}\"", token_exchange::digest(text))
}

impl File {
    /// The file, or 304 if the client has it.
    pub(super) fn response(&self, request: &HeaderMap) -> PageResponse {
        let tag = tag(self.text);
        let held = request
            .get(IF_NONE_MATCH)
            .and_then(|tags| tags.to_str().ok());
        let is_held =
            held.is_some_and(|tags| tags.split(',').any(|held| is_same(held.trim(), &tag)));
        let media = if self.path.ends_with(".css") {
            media::CSS
        } else {
            media::JAVASCRIPT
        };
        let mut response = page(media, if is_held { "" } else { self.text });
        let headers = response.headers_mut();
        // Modules are public, so pages of every origin may load them.
        headers.insert(ACCESS_CONTROL_ALLOW_ORIGIN, HeaderValue::from_static("*"));
        headers.insert(
            CROSS_ORIGIN_RESOURCE_POLICY,
            HeaderValue::from_static("cross-origin"),
        );
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache"));
        if let Ok(tag) = HeaderValue::from_str(&tag) {
            headers.insert(ETAG, tag);
        }
        if is_held {
            headers.remove(CONTENT_TYPE);
            *response.status_mut() = StatusCode::NOT_MODIFIED;
        }
        response
    }
}

/// Whether a tag is the file's one, also in another content coding (`"…-br"`).
fn is_same(held: &str, tag: &str) -> bool {
    let bare = |tag: &str| {
        tag.trim_start_matches("W/")
            .trim_matches('"')
            .chars()
            .take(16)
            .collect::<String>()
    };
    held == "*" || bare(held) == bare(tag)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn client_that_has_a_file_gets_304() {
        let mut request = HeaderMap::new();
        let response = FILES[0].response(&request);
        assert_eq!(
            (
                response.status(),
                &response.headers()[ACCESS_CONTROL_ALLOW_ORIGIN]
            ),
            (StatusCode::OK, &HeaderValue::from_static("*"))
        );
        request.insert(IF_NONE_MATCH, response.headers()[ETAG].clone());
        assert_eq!(
            FILES[0].response(&request).status(),
            StatusCode::NOT_MODIFIED
        );
        assert_eq!(FILES[1].response(&request).status(), StatusCode::OK);
    }

    /// A page loads the texts of one language.
    #[test]
    fn modules_of_a_page_take_less_than_40_kb() {
        use std::io::Write;
        let compressed = |file: &File| {
            let mut encoder = flate2::write::GzEncoder::new(vec![], flate2::Compression::default());
            encoder.write_all(file.text.as_bytes()).unwrap();
            encoder.finish().unwrap().len()
        };
        let modules = FILES
            .iter()
            .filter(|file| file.path.ends_with(".js") && file.path != "/widgets/demo.js");
        let (texts, others): (Vec<&File>, Vec<&File>) = modules.partition(|file| {
            file.path.starts_with("/widgets/text.") && file.path != "/widgets/text.js"
        });
        assert_eq!(texts.len(), 3);
        let largest = texts.into_iter().map(compressed).max().unwrap();
        let bytes = others.into_iter().map(compressed).sum::<usize>() + largest;
        assert!(bytes < 40_000, "{bytes}");
    }
}

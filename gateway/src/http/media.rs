//! Media types: declares those of responses, negotiates the response format by `Accept`, and checks
//! the `Content-Type` of request bodies. <https://graphql.github.io/graphql-over-http/draft/>

use http::HeaderMap;
use http::header::{ACCEPT, CONTENT_TYPE};

use crate::error::Error;

/// Declares the media types of responses: for each the value of `Content-Type`, and whether it is
/// text, which is worth compressing.
macro_rules! media_types {
    ($($(#[$about:meta])* $constant:ident = $content_type:literal, $is_text:literal;)+) => {
        $($(#[$about])* pub const $constant: &str = $content_type;)+

        /// The values of `Content-Type`, each with whether it is text.
        const MEDIA_TYPES: &[(&str, bool)] = &[$(($constant, $is_text)),+];
    };
}

media_types! {
    /// JSON.
    JSON = "application/json; charset=utf-8", true;
    /// A GraphQL response whose errors have statuses of their own.
    GRAPHQL_RESPONSE = "application/graphql-response+json; charset=utf-8", true;
    /// A list as CSV, with a line of names.
    CSV = "text/csv; charset=utf-8; header=present", true;
    /// Text.
    TEXT = "text/plain; charset=utf-8", true;
    /// Metrics. <https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format>
    METRICS = "text/plain; version=0.0.4; charset=utf-8", true;
    /// Metrics with exemplars. <https://prometheus.io/docs/specs/om/open_metrics_spec/>
    OPEN_METRICS = "application/openmetrics-text; version=1.0.0; charset=utf-8", true;
    /// A page.
    HTML = "text/html; charset=utf-8", true;
    /// A style sheet.
    CSS = "text/css; charset=utf-8", true;
    /// A script.
    JAVASCRIPT = "text/javascript; charset=utf-8", true;
    /// An event stream, whose events an encoder would hold back.
    EVENT_STREAM = "text/event-stream; charset=utf-8", false;
}

/// Whether a content type is text, by the media types of the gateway's responses. Those of plugins
/// are text if they say so.
pub fn is_text(content_type: &str) -> bool {
    let name = media_name(content_type);
    match MEDIA_TYPES
        .iter()
        .find(|(known, _)| media_name(known).eq_ignore_ascii_case(name))
    {
        Some((_, is_text)) => *is_text,
        None => name
            .get(..5)
            .is_some_and(|kind| kind.eq_ignore_ascii_case("text/")),
    }
}

/// A content type without its parameters.
fn media_name(content_type: &str) -> &str {
    content_type.split(';').next().unwrap_or_default().trim()
}

/// The media types of a GraphQL response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GraphqlMedia {
    /// `application/json`: most errors have status 200.
    Json,
    /// `application/graphql-response+json`: each error has its own status.
    GraphqlResponse,
}

/// The media ranges of `Accept` that are recognized, with the format each selects.
const OFFERED_RANGES: [(&str, GraphqlMedia); 4] = [
    ("application/json", GraphqlMedia::Json),
    (
        "application/graphql-response+json",
        GraphqlMedia::GraphqlResponse,
    ),
    ("application/*", GraphqlMedia::Json),
    ("*/*", GraphqlMedia::Json),
];

impl GraphqlMedia {
    /// The content type of the response.
    pub fn content_type(self) -> &'static str {
        match self {
            GraphqlMedia::Json => JSON,
            GraphqlMedia::GraphqlResponse => GRAPHQL_RESPONSE,
        }
    }

    /// The format that a client prefers; of equal weights the one it names first. Without the
    /// header it is JSON.
    pub fn negotiate(headers: &HeaderMap) -> Result<GraphqlMedia, Error> {
        let mut wanted: Vec<(f32, GraphqlMedia)> = Vec::new();
        let mut has_ranges = false;
        for value in headers.get_all(ACCEPT) {
            let text = value.to_str().map_err(|_| Error::NotAcceptable)?;
            for range in text
                .split(',')
                .map(str::trim)
                .filter(|range| !range.is_empty())
            {
                has_ranges = true;
                wanted.extend(parse_range(range));
            }
        }
        if !has_ranges {
            return Ok(GraphqlMedia::Json);
        }
        let best = wanted.into_iter().filter(|(quality, _)| *quality > 0.0);
        let best = best.reduce(|best, next| if next.0 > best.0 { next } else { best });
        best.map(|(_, media)| media).ok_or(Error::NotAcceptable)
    }
}

/// Whether a client prefers an event stream to all other media types.
pub fn prefers_event_stream(headers: &HeaderMap) -> bool {
    prefers(headers, "text/event-stream")
}

/// Whether a client prefers this media type to all others: of equal weights it names it first.
pub fn prefers(headers: &HeaderMap, media: &str) -> bool {
    let values = headers
        .get_all(ACCEPT)
        .iter()
        .filter_map(|value| value.to_str().ok());
    let ranges = values
        .flat_map(|value| value.split(','))
        .map(str::trim)
        .filter(|range| !range.is_empty());
    let weighted = ranges.map(|range| {
        let mut parts = range.split(';').map(str::trim);
        let is_wanted = parts
            .next()
            .is_some_and(|name| name.eq_ignore_ascii_case(media));
        (quality(parts), is_wanted)
    });
    let best = weighted
        .filter(|(quality, _)| *quality > 0.0)
        .reduce(|best, next| if next.0 > best.0 { next } else { best });
    best.is_some_and(|(_, is_wanted)| is_wanted)
}

/// The weight of a range by its parameters.
fn quality<'p>(mut parameters: impl Iterator<Item = &'p str>) -> f32 {
    let quality = parameters.find_map(|part| part.strip_prefix("q=").or(part.strip_prefix("Q=")));
    quality.map_or(1.0, |text| text.parse().unwrap_or(0.0))
}

/// The format and the weight of one range in the header.
fn parse_range(range: &str) -> Option<(f32, GraphqlMedia)> {
    let mut parts = range.split(';').map(str::trim);
    let name = parts.next()?;
    let (_, media) = OFFERED_RANGES
        .iter()
        .find(|(offered, _)| name.eq_ignore_ascii_case(offered))?;
    Some((quality(parts), *media))
}

/// Checks that a body is declared to be JSON in UTF-8, by exactly one header.
pub fn check_json(headers: &HeaderMap) -> Result<(), Error> {
    let mut values = headers.get_all(CONTENT_TYPE).iter();
    match (
        values.next().and_then(|value| value.to_str().ok()),
        values.next(),
    ) {
        (Some(text), None) if is_json(text) => Ok(()),
        _ => Err(Error::ContentType),
    }
}

/// Whether a content type is JSON in UTF-8.
pub fn is_json(text: &str) -> bool {
    is_utf_8(text, "application/json")
}

/// Whether a content type is `wanted`, with no `charset` other than UTF-8.
pub fn is_utf_8(text: &str, wanted: &str) -> bool {
    let mut parts = text.split(';').map(str::trim);
    let is_wanted = parts
        .next()
        .is_some_and(|name| name.eq_ignore_ascii_case(wanted));
    let other = |part: &str| match part.split_once('=') {
        Some((name, value)) if name.trim().eq_ignore_ascii_case("charset") => {
            !value.trim().trim_matches('"').eq_ignore_ascii_case("utf-8")
        }
        _ => false,
    };
    is_wanted && !parts.any(other)
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    fn negotiated(accept: &[&'static str]) -> Option<GraphqlMedia> {
        let mut headers = HeaderMap::new();
        for value in accept {
            headers.append(ACCEPT, HeaderValue::from_static(value));
        }
        GraphqlMedia::negotiate(&headers).ok()
    }

    #[test]
    fn every_content_type_of_a_response_stands_in_the_table() {
        let mut folders = vec![std::path::PathBuf::from(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/src"
        ))];
        let mut found = 0;
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                if path.is_dir() {
                    folders.push(path);
                    continue;
                }
                let text = std::fs::read_to_string(&path).unwrap_or_default();
                let code = text.split("#[cfg(test)]").next().unwrap_or_default();
                let written = code
                    .lines()
                    .filter(|line| line.contains("charset=utf-8\""))
                    .count();
                assert!(
                    written == 0 || path.ends_with("http/media.rs"),
                    "{}",
                    path.display()
                );
                found += written;
            }
        }
        assert!(found >= MEDIA_TYPES.len() - 1, "{found}");
    }

    #[test]
    fn text_is_all_but_event_streams_images_and_fonts() {
        for (content_type, expected) in MEDIA_TYPES {
            assert_eq!(is_text(content_type), *expected, "{content_type}");
        }
        assert!(is_text("Text/CSV") && is_text("text/markdown"));
        for other in [
            "",
            "text",
            "image/png",
            "application/octet-stream",
            "font/woff2",
            "TEXT/event-stream",
        ] {
            assert!(!is_text(other), "{other}");
        }
    }

    #[test]
    fn format_with_highest_weight_is_chosen() {
        use GraphqlMedia::{GraphqlResponse, Json};
        assert_eq!(negotiated(&[]), Some(Json));
        assert_eq!(negotiated(&["*/*"]), Some(Json));
        assert_eq!(
            negotiated(&["application/graphql-response+json"]),
            Some(GraphqlResponse)
        );
        assert_eq!(
            negotiated(&["application/graphql-response+json; charset=utf-8, application/json"]),
            Some(GraphqlResponse)
        );
        assert_eq!(
            negotiated(&["application/json", "application/graphql-response+json"]),
            Some(Json)
        );
        assert_eq!(
            negotiated(&["application/json;q=0.5, application/graphql-response+json;q=0.9"]),
            Some(GraphqlResponse)
        );
        assert_eq!(negotiated(&["text/html, application/*;q=0.1"]), Some(Json));
        assert_eq!(negotiated(&["text/html"]), None);
        assert_eq!(negotiated(&["application/json;q=0"]), None);
    }

    #[test]
    fn event_stream_is_preferred_if_it_is_named_first() {
        let preferred = |value| {
            prefers_event_stream(&HeaderMap::from_iter([(
                ACCEPT,
                HeaderValue::from_static(value),
            )]))
        };
        assert!(preferred("text/event-stream") && preferred("text/event-stream, multipart/mixed"));
        assert!(preferred("application/json;q=0.5, Text/Event-Stream"));
        for other in [
            "",
            "*/*",
            "application/json, text/event-stream",
            "text/event-stream;q=0",
            "text/html",
        ] {
            assert!(!preferred(other), "{other}");
        }
    }

    #[test]
    fn only_json_in_utf_8_is_accepted() {
        let known = [
            ("application/json", true),
            ("Application/JSON; charset=UTF-8", true),
            ("application/json;charset=\"utf-8\"", true),
            ("application/json; charset=utf-16", false),
            ("text/plain", false),
            ("application/x-www-form-urlencoded", false),
            ("application/graphql", false),
            ("", false),
        ];
        for (text, expected) in known {
            assert_eq!(is_json(text), expected, "{text}");
        }
        let mut headers = HeaderMap::new();
        assert!(check_json(&headers).is_err());
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        assert!(check_json(&headers).is_ok());
    }
}

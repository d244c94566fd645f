//! `GET /console/assets/{file}`: the console's files, which the binary embeds as brotli. A name
//! contains a digest of the contents, so clients keep a file forever. Clients that do not accept
//! brotli, such as browsers over plain HTTP, get gzip or the plain bytes; each file is transcoded
//! at most once.

use std::io::{self, Read, Write};
use std::sync::OnceLock;

use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use http::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, ETAG, HeaderName, HeaderValue,
    IF_NONE_MATCH, VARY,
};
use http::{HeaderMap, StatusCode};
use warp::{Filter, reject};

use gateway::http::pages::{PageFilter, PageResponse, page};

/// The path of the route.
pub(super) const PATH: &str = "/console/assets/{file}";

/// A file.
struct Asset {
    name: &'static str,
    media: &'static str,
    /// The contents as brotli.
    brotli: &'static [u8],
}

/// All files, in the order of [`Asset::place`]. The build of the console writes this list beside
/// them.
const ASSETS: &[Asset] = &include!("../../embedded/console/assets.rs");

/// The forms of a file for clients that do not accept brotli, made on first use.
struct OtherForms {
    gzip: OnceLock<Bytes>,
    plain: OnceLock<Bytes>,
}

static OTHER_FORMS: [OtherForms; ASSETS.len()] = [const {
    OtherForms {
        gzip: OnceLock::new(),
        plain: OnceLock::new(),
    }
}; ASSETS.len()];

const CROSS_ORIGIN_RESOURCE_POLICY: HeaderName =
    HeaderName::from_static("cross-origin-resource-policy");

/// The size of the buffer of the decoder in bytes.
const DECODER_BUFFER_BYTES: usize = 16 << 10;

/// The files at their paths, or 304 for a client that has the file.
pub(super) fn files() -> PageFilter {
    let respond = async |name: String, headers: HeaderMap| {
        let (asset, forms) = ASSETS
            .iter()
            .zip(&OTHER_FORMS)
            .find(|(asset, _)| asset.name == name)
            .ok_or_else(reject::not_found)?;
        response(asset, forms, &headers).map_err(|_| reject::custom(Corrupt))
    };
    warp::path!("console" / "assets" / String)
        .and(warp::header::headers_cloned())
        .and_then(respond)
        .boxed()
}

/// An embedded file cannot be inflated.
#[derive(Debug)]
struct Corrupt;

impl reject::Reject for Corrupt {}

fn response(asset: &Asset, forms: &OtherForms, request: &HeaderMap) -> io::Result<PageResponse> {
    let (coding, body) = match () {
        () if accepts(request, "br") => (Some("br"), Bytes::from_static(asset.brotli)),
        () if accepts(request, "gzip") => (Some("gzip"), made(&forms.gzip, || gzip(asset))?),
        () => (None, made(&forms.plain, || plain(asset))?),
    };
    // The name contains a digest of the contents.
    let tag = format!(
        "\"{}{}\"",
        asset.name,
        coding
            .map(|coding| format!("-{coding}"))
            .unwrap_or_default()
    );
    let held = request
        .get(IF_NONE_MATCH)
        .and_then(|tags| tags.to_str().ok());
    let is_held = held.is_some_and(|tags| {
        tags.split(',')
            .any(|held| held.trim().trim_start_matches("W/") == tag)
    });
    let mut response = page(asset.media, if is_held { Bytes::new() } else { body });
    if is_held {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
    }
    let headers = response.headers_mut();
    if is_held {
        headers.remove(CONTENT_TYPE);
    } else if let Some(coding) = coding {
        headers.insert(CONTENT_ENCODING, HeaderValue::from_static(coding));
    }
    if let Ok(tag) = HeaderValue::from_str(&tag) {
        headers.insert(ETAG, tag);
    }
    headers.insert(VARY, HeaderValue::from_static("accept-encoding"));
    headers.insert(
        CACHE_CONTROL,
        HeaderValue::from_static("public, max-age=31536000, immutable"),
    );
    headers.insert(
        CROSS_ORIGIN_RESOURCE_POLICY,
        HeaderValue::from_static("same-origin"),
    );
    Ok(response)
}

/// Whether a client accepts a content coding that it names.
fn accepts(request: &HeaderMap, coding: &str) -> bool {
    let mut items = request
        .get_all(ACCEPT_ENCODING)
        .iter()
        .filter_map(|value| value.to_str().ok());
    items.any(|value| {
        value.split(',').any(|item| {
            let mut parts = item.split(';').map(str::trim);
            let is_named = parts
                .next()
                .is_some_and(|name| name.eq_ignore_ascii_case(coding));
            is_named
                && !parts.any(|part| {
                    part.strip_prefix("q=")
                        .is_some_and(|weight| weight.parse() == Ok(0.0_f32))
                })
        })
    })
}

/// The form, which is made if it is not there.
fn made(form: &OnceLock<Bytes>, make: impl FnOnce() -> io::Result<Vec<u8>>) -> io::Result<Bytes> {
    if let Some(made) = form.get() {
        return Ok(made.clone());
    }
    let bytes = make()?;
    Ok(form.get_or_init(|| bytes.into()).clone())
}

fn plain(asset: &Asset) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    brotli::Decompressor::new(asset.brotli, DECODER_BUFFER_BYTES).read_to_end(&mut bytes)?;
    Ok(bytes)
}

fn gzip(asset: &Asset) -> io::Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(vec![], Compression::default());
    encoder.write_all(&plain(asset)?)?;
    encoder.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn get(asset: usize, headers: &[(HeaderName, &str)]) -> PageResponse {
        let mut request = HeaderMap::new();
        for (name, value) in headers {
            request.insert(name.clone(), HeaderValue::from_str(value).unwrap());
        }
        response(&ASSETS[asset], &OTHER_FORMS[asset], &request).unwrap()
    }

    #[test]
    fn files_are_sent_as_the_client_accepts_them() {
        let coding = |accepted| {
            get(0, &[(ACCEPT_ENCODING, accepted)])
                .headers()
                .get(CONTENT_ENCODING)
                .cloned()
        };
        assert_eq!(coding("gzip, deflate, br, zstd").unwrap(), "br");
        assert_eq!(coding("gzip, br;q=0").unwrap(), "gzip");
        assert_eq!(coding("deflate"), None);
        assert_eq!(
            get(0, &[]).headers()[CACHE_CONTROL],
            "public, max-age=31536000, immutable"
        );
    }

    #[test]
    fn client_that_has_a_file_gets_304() {
        let tag = get(0, &[]).headers()[ETAG].to_str().unwrap().to_owned();
        assert_eq!(
            get(0, &[(IF_NONE_MATCH, &tag)]).status(),
            StatusCode::NOT_MODIFIED
        );
        assert_eq!(get(1, &[(IF_NONE_MATCH, &tag)]).status(), StatusCode::OK);
    }

    #[test]
    fn every_file_can_be_inflated() {
        for asset in ASSETS {
            assert!(
                plain(asset).unwrap().len() > asset.brotli.len() / 2,
                "{}",
                asset.name
            );
        }
    }

    #[test]
    fn console_takes_less_than_2_mb() {
        let bytes: usize = ASSETS.iter().map(|asset| asset.brotli.len()).sum();
        assert!(bytes < 2_000_000, "{bytes}");
    }
}

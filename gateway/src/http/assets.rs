//! The files of a page that the binary embeds as brotli. A name contains a digest of the contents,
//! so clients keep a file forever. Clients that do not accept brotli, such as browsers over plain
//! HTTP, get gzip or the plain bytes; each file is transcoded at most once.

use std::io::{self, Read, Write};
use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use http::header::{
    ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_TYPE, ETAG, HeaderName, HeaderValue,
    IF_NONE_MATCH, VARY,
};
use http::{HeaderMap, StatusCode};
use warp::path::FullPath;
use warp::{Filter, reject};

use super::pages::{PageFilter, PageResponse, page};

/// A file. The build of a page writes the list of its files as Rust, beside them.
#[derive(Debug)]
pub struct Asset {
    /// The last segment of its path.
    pub name: &'static str,
    /// The value of `Content-Type`.
    pub media: &'static str,
    /// The contents as brotli.
    pub brotli: &'static [u8],
}

/// The forms of a file for clients that do not accept brotli, made on first use.
#[derive(Default)]
struct OtherForms {
    gzip: OnceLock<Bytes>,
    plain: OnceLock<Bytes>,
}

const CROSS_ORIGIN_RESOURCE_POLICY: HeaderName =
    HeaderName::from_static("cross-origin-resource-policy");

/// The size of the buffer of the decoder in bytes.
const DECODER_BUFFER_BYTES: usize = 16 << 10;

/// The files at paths that end with their names, or 304 for a client that has the file.
pub fn files(assets: &'static [Asset]) -> PageFilter {
    let forms: Arc<[OtherForms]> = assets.iter().map(|_| OtherForms::default()).collect();
    warp::path::full()
        .and(warp::header::headers_cloned())
        .and_then(move |path: FullPath, headers: HeaderMap| {
            let forms = forms.clone();
            async move {
                let (asset, forms) = assets
                    .iter()
                    .zip(forms.iter())
                    .find(|(asset, _)| path.as_str().rsplit('/').next() == Some(asset.name))
                    .ok_or_else(reject::not_found)?;
                response(asset, forms, &headers).map_err(|_| reject::custom(Corrupt))
            }
        })
        .boxed()
}

/// An embedded file cannot be inflated.
#[derive(Debug)]
struct Corrupt;

impl reject::Reject for Corrupt {}

fn response(asset: &Asset, forms: &OtherForms, request: &HeaderMap) -> io::Result<PageResponse> {
    let (coding, body) = match () {
        () if accepts(request, "br") => (Some("br"), Bytes::from_static(asset.brotli)),
        () if accepts(request, "gzip") => (Some("gzip"), made(&forms.gzip, || asset.gzip())?),
        () => (None, made(&forms.plain, || asset.plain())?),
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

impl Asset {
    /// The contents.
    ///
    /// # Errors
    ///
    /// They are no brotli.
    pub fn plain(&self) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        brotli::Decompressor::new(self.brotli, DECODER_BUFFER_BYTES).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    fn gzip(&self) -> io::Result<Vec<u8>> {
        let mut encoder = GzEncoder::new(vec![], Compression::default());
        encoder.write_all(&self.plain()?)?;
        encoder.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn get(name: &'static str, headers: &[(HeaderName, &str)]) -> PageResponse {
        let mut request = HeaderMap::new();
        for (name, value) in headers {
            request.insert(name.clone(), HeaderValue::from_str(value).unwrap());
        }
        let mut brotli = vec![];
        let mut text: &[u8] = b"a file";
        brotli::BrotliCompress(&mut text, &mut brotli, &Default::default()).unwrap();
        let asset = Asset {
            name,
            media: "text/plain",
            brotli: brotli.leak(),
        };
        response(&asset, &OtherForms::default(), &request).unwrap()
    }

    #[test]
    fn files_are_sent_as_the_client_accepts_them() {
        let coding = |accepted| {
            get("a.js", &[(ACCEPT_ENCODING, accepted)])
                .headers()
                .get(CONTENT_ENCODING)
                .cloned()
        };
        assert_eq!(coding("gzip, deflate, br, zstd").unwrap(), "br");
        assert_eq!(coding("gzip, br;q=0").unwrap(), "gzip");
        assert_eq!(coding("deflate"), None);
        let response = get("a.js", &[]);
        assert_eq!(response.body().as_ref(), b"a file");
        assert_eq!(
            response.headers()[CACHE_CONTROL],
            "public, max-age=31536000, immutable"
        );
    }

    #[test]
    fn client_that_has_a_file_gets_304() {
        let tag = get("a.js", &[]).headers()[ETAG]
            .to_str()
            .unwrap()
            .to_owned();
        let status = |name| get(name, &[(IF_NONE_MATCH, &tag)]).status();
        assert_eq!(status("a.js"), StatusCode::NOT_MODIFIED);
        assert_eq!(status("b.js"), StatusCode::OK);
    }
}

//! Handler of `/v1/openapi.json`: the OpenAPI description of the paths of plugins. It is the same
//! for everybody and asks for no credentials, which people who want to sign in do not have yet. The
//! description of the REST map is another one for each role: [`super::openapi`].

use std::sync::{Mutex, PoisonError};

use bytes::Bytes;
use http::HeaderMap;
use http::header::{CACHE_CONTROL, HeaderValue};

use super::caching;
use super::response::Response;
use crate::error::Error;
use crate::rest::openapi::join_parts;

/// The path of the description.
pub const PATH: &str = "/v1/openapi.json";

/// Clients ask each time whether the description is still current: a reload changes it.
const REVALIDATED: HeaderValue = HeaderValue::from_static("no-cache");

/// Returns the parts of the description that the plugins of the running version give.
pub type OpenApiParts = Box<dyn Fn() -> Vec<&'static str> + Send + Sync>;

/// The description of the paths of plugins.
pub struct PluginOpenApi {
    parts: OpenApiParts,
    last: Mutex<Option<Description>>,
}

/// A description that was made, and the parts that it was made of.
struct Description {
    parts: Vec<&'static str>,
    text: Bytes,
}

impl PluginOpenApi {
    /// The description that is made of these parts.
    pub fn new(parts: OpenApiParts) -> PluginOpenApi {
        PluginOpenApi {
            parts,
            last: Mutex::default(),
        }
    }

    /// Whether there is nothing to describe.
    pub(super) fn is_empty(&self) -> bool {
        (self.parts)().is_empty()
    }

    /// Answers a request with these headers.
    pub(super) fn respond(&self, request: &HeaderMap) -> Result<Response, Error> {
        let mut response = caching::read(request, self.text()?);
        response.headers_mut().insert(CACHE_CONTROL, REVALIDATED);
        Ok(response)
    }

    /// The text of the description, which is made again once a reload has changed its parts.
    fn text(&self) -> Result<Bytes, Error> {
        let parts = (self.parts)();
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(last) = last.as_ref().filter(|last| last.parts == parts) {
            return Ok(last.text.clone());
        }
        let joined = join_parts(&parts).map_err(|error| {
            Error::Internal(format!("a plugin's part of {PATH} is not JSON: {error}"))
        })?;
        let text = Bytes::from(joined.to_string());
        *last = Some(Description {
            parts,
            text: text.clone(),
        });
        Ok(text)
    }
}

impl std::fmt::Debug for PluginOpenApi {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("PluginOpenApi")
            .finish_non_exhaustive()
    }
}

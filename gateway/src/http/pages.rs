//! Pages and files, which warp's filters serve: a filter takes the path, the query string and the
//! headers that it needs from the request and makes the whole response. The router has checked the
//! method, the host and the rate limits, and adds compression and the common headers; requests of
//! the API do not pass warp.

use std::io;

use bytes::Bytes;
use http::{Request, StatusCode};
use http_body_util::{BodyExt, Empty};
use hyper::service::Service;
use hyper_util::service::TowerToHyperService;
use warp::filters::BoxedFilter;

use super::exchange::HttpExchange;
use super::response::{Response, with_body};
use crate::error::Error;

/// A filter that makes pages. What it rejects is not found.
pub type PageFilter = BoxedFilter<(PageResponse,)>;

/// A page or a file.
pub type PageResponse = http::Response<Bytes>;

/// A page with this content.
pub fn page(media: &'static str, content: impl Into<Bytes>) -> PageResponse {
    with_body(StatusCode::OK, media, content.into())
}

/// Answers an exchange.
pub(super) async fn respond(
    filter: &PageFilter,
    exchange: &HttpExchange,
) -> Result<Response, Error> {
    let mut request = Request::new(Empty::<Bytes>::new());
    request.method_mut().clone_from(&exchange.method);
    request.uri_mut().clone_from(&exchange.uri);
    request.headers_mut().clone_from(&exchange.headers);
    let Ok(response) = TowerToHyperService::new(warp::service(filter.clone()))
        .call(request)
        .await;
    match response.status() {
        StatusCode::NOT_FOUND => Err(Error::NotFound),
        StatusCode::INTERNAL_SERVER_ERROR => {
            Err(Error::Internal("a page could not be made".into()))
        }
        _ => Ok(response.map(|body| body.map_err(io::Error::other).boxed_unsync())),
    }
}

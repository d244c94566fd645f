//! `GET /metrics`: what is counted, for Prometheus.

use std::sync::Arc;

use http::header::{AUTHORIZATION, CACHE_CONTROL, HeaderValue};
use http::{HeaderMap, Method, StatusCode};

use crate::auth::bearer;
use crate::config::Secret;
use crate::error::Error;
use crate::http::route::{Answered, Door, Place, Respond, Route};
use crate::http::{Exchange, Face, Response, Server, json};
use crate::plugin::Plugin;

/// Tells what is counted.
#[derive(Debug)]
pub(super) struct Metrics;

/// <https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format>
const TEXT: &str = "text/plain; version=0.0.4; charset=utf-8";

const METHODS: &[Method] = &[Method::GET];

impl Plugin for Metrics {
    fn name(&self) -> &'static str {
        "metrics"
    }

    fn routes(self: Arc<Self>) -> Vec<Route> {
        let (face, place) = (Face::Rest, Place::Operations);
        vec![Route { path: "/metrics", methods: METHODS, face, place, door: Door::Plugin(self) }]
    }
}

impl Respond for Metrics {
    fn respond<'a>(&'a self, server: &'a Server, exchange: &'a mut Exchange) -> Answered<'a> {
        Box::pin(async move {
            let parts = server.answering();
            if let Some(secret) = &parts.metrics_secret {
                check(secret, &exchange.headers)?;
            }
            let mut response = json(StatusCode::OK, TEXT, server.metrics.text(&parts).into_bytes());
            response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
            Ok::<Response, Error>(response)
        })
    }
}

fn check(secret: &Secret, headers: &HeaderMap) -> Result<(), Error> {
    let mut given = headers.get_all(AUTHORIZATION).iter();
    let (first, None) = (given.next().ok_or(Error::NoAuthorization)?, given.next()) else {
        return Err(Error::HeaderTwice(AUTHORIZATION.as_str().to_owned()));
    };
    match bearer(first) {
        Ok(token) if secret.is(token) => Ok(()),
        _ => Err(Error::WrongMetricsSecret),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_secret_is_a_bearer_token() {
        let told = |values: &[&'static str]| {
            let mut headers = HeaderMap::new();
            for value in values {
                headers.append(AUTHORIZATION, HeaderValue::from_static(value));
            }
            check(&Secret::new("open sesame"), &headers).map_err(|error| error.message())
        };
        let wrong = Err("invalid metrics secret".to_owned());
        assert_eq!(told(&["Bearer open sesame"]), Ok(()));
        assert_eq!(told(&["bearer  open sesame"]), Ok(()));
        assert_eq!(told(&["Bearer open sesam"]), wrong);
        assert_eq!(told(&["Basic open sesame"]), wrong);
        assert_eq!(told(&["open sesame"]), wrong);
        assert_eq!(told(&[]), Err("No authorization header provided".to_owned()));
        assert!(told(&["Bearer open sesame", "Bearer open sesame"]).is_err());
    }
}

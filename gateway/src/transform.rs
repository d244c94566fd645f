//! Transforms of requests to web services: method, URL, query parameters and body as templates over
//! the usual payload. The handlers of actions and the webhooks of event triggers have them, in
//! Hasura's form. <https://hasura.io/docs/2.0/actions/rest-connectors/>

mod definition;
mod template;

use std::ops::Range;

use http::Method;
use reqwest::Url;
use serde_json::{Map, Value};

pub use definition::{RequestTransform, read_body, read_request};
pub use template::Template;

/// The request to a web service, as a transform describes it.
#[derive(Debug)]
pub struct Transform {
    method: Method,
    url: Option<Template>,
    query: Vec<(String, Template)>,
    body: Option<Template>,
    has_body: bool,
}

/// A request that a transform has made.
#[derive(Debug, PartialEq, Eq)]
pub struct TransformedRequest {
    /// The method.
    pub method: Method,
    /// The URL, with its query.
    pub url: Url,
    /// The body; `None` for a request without one.
    pub body: Option<Vec<u8>>,
}

/// Why a transform makes no request of a payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TransformError {
    /// The body is not JSON.
    #[error("the transform's body is no JSON")]
    Body,
    /// A value would lead to another address than the template means.
    #[error("a value cannot be part of the address")]
    Address,
}

/// The variables of a request's transform.
const VARIABLES: [&str; 3] = ["body", "base_url", "session_variables"];

const METHODS: [Method; 5] = [
    Method::GET,
    Method::POST,
    Method::PUT,
    Method::PATCH,
    Method::DELETE,
];

impl Default for Transform {
    fn default() -> Transform {
        Transform {
            method: Method::POST,
            url: None,
            query: vec![],
            body: None,
            has_body: true,
        }
    }
}

impl Transform {
    /// Parses the templates of a transform. `report` gets the reason and the place of each that is
    /// not supported.
    pub fn compile(
        definition: &RequestTransform,
        report: &mut impl FnMut(String, Range<usize>),
    ) -> Option<Transform> {
        let mut is_sound = true;
        let mut fault = |reason: String, span: Range<usize>| {
            is_sound = false;
            report(reason, span);
        };
        let mut method = Method::POST;
        if let Some(written) = &definition.method {
            let known = Method::from_bytes(written.value.to_uppercase().as_bytes()).ok();
            match known.filter(|known| METHODS.contains(known)) {
                Some(known) => method = known,
                None => fault("this is no method".into(), written.span.clone()),
            }
        }
        let mut parse = |text: &permissions::Text| match Template::parse(&text.value, &VARIABLES) {
            Ok(template) => Some(template),
            Err(reason) => {
                fault(reason, text.span.clone());
                None
            }
        };
        let url = definition.url.as_ref().and_then(&mut parse);
        let pairs = definition.query_params.iter();
        let query = pairs
            .filter_map(|(name, text)| Some((name.value.clone(), parse(text)?)))
            .collect();
        let body = definition.body.as_ref().and_then(&mut parse);
        if let (Some(template), Some(text)) = (&url, &definition.url)
            && !template.has_fixed_host()
        {
            let reason = "a URL begins with `{{$base_url}}`, `http://` or `https://`, and has \
                          values only behind a `/`, `?` or `#` \
                          that ends the host: no value may change where a request goes";
            fault(reason.into(), text.span.clone());
        }
        is_sound.then_some(Transform {
            method,
            url,
            query,
            body,
            has_body: !definition.without_body,
        })
    }

    /// The request for a payload to a service with this URL.
    pub fn request(
        &self,
        base: &Url,
        payload: Value,
        session: &Value,
    ) -> Result<TransformedRequest, TransformError> {
        let Transform {
            method,
            url,
            query,
            body,
            has_body,
        } = self;
        let variables = Map::from_iter([
            ("session_variables".to_owned(), session.clone()),
            ("base_url".to_owned(), base.as_str().into()),
            ("body".to_owned(), payload),
        ]);
        let mut target = match url {
            None => base.clone(),
            Some(template) => {
                let text = template.url(base.as_str().trim_end_matches('/'), &variables);
                let parsed = text.and_then(|text| text.parse::<Url>().ok());
                parsed.filter(is_callable).ok_or(TransformError::Address)?
            }
        };
        if !query.is_empty() {
            let pairs = query
                .iter()
                .map(|(name, template)| (name.as_str(), template.text(&variables)));
            target.query_pairs_mut().extend_pairs(pairs);
        }
        let body = match (has_body, body) {
            (false, _) => None,
            (true, None) => variables
                .get("body")
                .map(|payload| payload.to_string().into_bytes()),
            (true, Some(template)) => Some(
                template
                    .json(&variables)
                    .ok_or(TransformError::Body)?
                    .to_string()
                    .into_bytes(),
            ),
        };
        Ok(TransformedRequest {
            method: method.clone(),
            url: target,
            body,
        })
    }
}

/// Whether a URL can be called: with a host, by HTTP.
pub fn is_callable(url: &Url) -> bool {
    matches!(url.scheme(), "http" | "https") && url.has_host()
}

//! Actions that a web service answers, with Hasura's payload and error contract, so that handlers
//! written for Hasura work unchanged. <https://hasura.io/docs/2.0/actions/action-handlers/>

use std::time::Duration;

use http::header::{CONTENT_TYPE, HeaderValue};
use http::{HeaderMap, Method, StatusCode};
use pg::memory;
use pg::sharing::{SharedSlots, SlotSharing};
use reqwest::Url;
use serde_json::{Map, Value, json};
use tokio::time::Instant;

use super::breaker::CircuitBreaker;
use super::context::ActionContext;
use crate::auth::fetch::{FetchError, Fetched, Fetcher};
use crate::auth::forwarded_headers::ForwardedHeaders;
use crate::error::{ActionError, Error};
use crate::limits::values;
use crate::transform::{Template, Transform, TransformError, TransformedRequest};
use sql::statement::SessionValues;

/// A web service that answers one action.
#[derive(Debug)]
pub(super) struct WebService {
    pub(super) url: Url,
    pub(super) headers: HeaderMap,
    /// Which of the client's headers it gets.
    pub(super) forwarded: Option<ForwardedHeaders>,
    pub(super) timeout: Duration,
    /// How many times a failed call is repeated.
    pub(super) retries: u64,
    pub(super) breaker: CircuitBreaker,
    pub(super) request: Transform,
    pub(super) response: Option<Template>,
    pub(super) fetcher: Fetcher,
    /// Limits the concurrent calls, so that a service that hangs does not hold any number of
    /// requests.
    pub(super) slots: SharedSlots,
}

/// How callers share the concurrent calls to a service: one user, or one address, has half of them
/// at most.
pub(super) const SHARING: SlotSharing = SlotSharing {
    slots: 256,
    client_limit: 128,
    waiting: 4096,
};

/// The maximum number of concurrent calls by one role.
const ROLE_LIMIT: usize = 224;

/// The maximum size of a response in bytes.
const MAX_RESPONSE_BYTES: usize = 8 << 20;

/// The maximum size of an error in bytes, since its extensions reach the client.
const ERROR_BYTES: usize = 64 << 10;

/// The first pause before a call is repeated; it doubles each time.
const FIRST_RETRY_DELAY: Duration = Duration::from_millis(100);

/// A request to the service.
struct Call {
    method: Method,
    url: Url,
    headers: HeaderMap,
    body: Option<Vec<u8>>,
}

impl WebService {
    /// Calls the service and returns its answer.
    pub(super) async fn call(
        &self,
        context: &ActionContext<'_>,
        input: &Map<String, Value>,
    ) -> Result<Value, Error> {
        let unavailable = |cause: String| {
            Error::ActionUnavailable(format!("the handler of action {}: {cause}", context.name))
        };
        let call = self.request(context, input)?;
        let mut pause = FIRST_RETRY_DELAY;
        for left in (0..=self.retries).rev() {
            let slot = self
                .slots
                .acquire(context.requester.key(), ROLE_LIMIT, context.deadline)
                .await;
            let _slot = slot.map_err(|error| unavailable(error.to_string()))?;
            // The breaker may have opened meanwhile.
            if !self.breaker.admits(Instant::now()) {
                return Err(unavailable(
                    "it failed too often, so it is not called for a while".into(),
                ));
            }
            let time = self
                .timeout
                .min(context.deadline.saturating_duration_since(Instant::now()));
            let send = |client: &reqwest::Client| {
                let request = client
                    .request(call.method.clone(), call.url.clone())
                    .headers(call.headers.clone());
                match &call.body {
                    Some(body) => request.body(body.clone()),
                    None => request,
                }
            };
            let fetched = self.fetcher.send(send, time, MAX_RESPONSE_BYTES).await;
            // The service works if it answers, whatever the answer is. A caller who left it less
            // than its time has shown nothing.
            let is_success = match &fetched {
                Ok(fetched) => Some(!fetched.status.is_server_error()),
                Err(FetchError::Long(_)) => Some(true),
                Err(FetchError::Slow(_)) if time < self.timeout => None,
                Err(_) => Some(false),
            };
            if let Some(is_success) = is_success {
                self.breaker.record(is_success, Instant::now());
            }
            let (failed, was_sent) = match fetched {
                Ok(fetched) if fetched.status.is_server_error() => {
                    (format!("it answered with {}", fetched.status), true)
                }
                Ok(fetched) => return self.read_response(context, &fetched),
                Err(error @ FetchError::Long(_)) => {
                    return Err(Error::UnusableAnswer(format!(
                        "the handler of action {}: {error}",
                        context.name
                    )));
                }
                Err(error) => (error.to_string(), error.was_sent()),
            };
            if was_sent && context.is_mutation {
                // It may have done its work before it failed.
                return Err(Error::OutcomeUnknown(format!(
                    "the handler of action {}: {failed}",
                    context.name
                )));
            }
            if left == 0 || Instant::now() + pause >= context.deadline {
                return Err(unavailable(failed));
            }
            tracing::warn!(
                action = context.name,
                cause = failed,
                "an action's handler failed and is called again"
            );
            tokio::time::sleep(pause).await;
            pause *= 2;
        }
        Err(unavailable("it was not called".into()))
    }

    fn request(
        &self,
        context: &ActionContext<'_>,
        input: &Map<String, Value>,
    ) -> Result<Call, Error> {
        let session: Value = serde_json::from_str(&context.session.json()).unwrap_or_default();
        let action = match context.id {
            Some(id) => json!({"name": context.name, "id": id}),
            None => json!({"name": context.name}),
        };
        let payload = json!({
            "action": action,
            "input": input,
            "session_variables": session,
            "request_query": context.query,
        });
        let made = self.request.request(&self.url, payload, &session);
        let TransformedRequest { method, url, body } = made.map_err(|error| match error {
            TransformError::Body => malformed(context),
            TransformError::Address => refused_value(context),
        })?;
        let mut headers = HeaderMap::new();
        if let (Some(forwarded), Some(client)) = (&self.forwarded, context.headers) {
            headers = forwarded
                .read(client, context.session)
                .map_err(|_| unsendable_session(context))?;
        }
        for (name, value) in &self.headers {
            headers.insert(name.clone(), value.clone());
        }
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        if let Some(trace) = context.session.trace() {
            trace.write_headers(&mut headers);
        }
        Ok(Call {
            method,
            url,
            headers,
            body,
        })
    }

    fn read_response(
        &self,
        context: &ActionContext<'_>,
        fetched: &Fetched,
    ) -> Result<Value, Error> {
        let mut reservation = context.memory.empty_reservation();
        memory::reserve_if_large(&mut reservation, values::values_of(&fetched.body))?;
        let failed = |what: &str| {
            Error::UnusableAnswer(format!("the handler of action {} {what}", context.name))
        };
        let status = fetched.status;
        if status.is_client_error() {
            return Err(match error_of(&fetched.body, status, context.path) {
                Some(error) => Error::Action(Box::new(error)),
                None => failed(&format!("answered with {status} and without a message")),
            });
        }
        if !status.is_success() {
            return Err(failed(&format!("answered with {status}")));
        }
        let body = crate::request::json::read(&fetched.body)
            .map_err(|_| failed("answered with a body that is not JSON"))?;
        match &self.response {
            None => Ok(body),
            Some(template) => {
                let variables = Map::from_iter([("body".to_owned(), body)]);
                template
                    .json(&variables)
                    .ok_or_else(|| failed("gave an answer that the transform makes no JSON of"))
            }
        }
    }
}

fn malformed(context: &ActionContext<'_>) -> Error {
    Error::Internal(format!(
        "the request's transform of action {} makes no JSON",
        context.name
    ))
}

/// An argument that would lead to another address than the template means.
fn refused_value(context: &ActionContext<'_>) -> Error {
    Error::Action(Box::new(ActionError {
        path: context.path.to_owned(),
        ..ActionError::new("a value cannot be part of the address that the action calls")
            .with_code("bad-request")
    }))
}

/// A session value with a control character: no header can contain it, and without it the handler
/// would take the caller for another.
fn unsendable_session(context: &ActionContext<'_>) -> Error {
    Error::Action(Box::new(ActionError {
        path: context.path.to_owned(),
        ..ActionError::new("a session value cannot be sent as a header").with_code("bad-request")
    }))
}

/// The error that a handler describes: `{"message": "…", "extensions": {"code": "…"}}`, or the code
/// beside the message.
fn error_of(body: &[u8], status: StatusCode, path: &str) -> Option<ActionError> {
    if body.len() > ERROR_BYTES {
        return None;
    }
    let Value::Object(mut body) = crate::request::json::read(body).ok()? else {
        return None;
    };
    let Some(Value::String(message)) = body.remove("message") else {
        return None;
    };
    let mut extensions = match body.remove("extensions") {
        Some(Value::Object(extensions)) => extensions,
        _ => Map::new(),
    };
    let code = extensions.remove("code").or_else(|| body.remove("code"));
    let code = code.and_then(|code| code.as_str().map(str::to_owned));
    Some(ActionError {
        message,
        code,
        status: status.as_u16(),
        extensions,
        path: path.to_owned(),
    })
}

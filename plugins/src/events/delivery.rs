//! One attempt to deliver an event: to its target, and from the result to what is recorded.

use std::sync::Arc;
use std::time::Duration;

use http::Method;
use pg::{Database, DatabaseError, deadline};
use serde_json::Value;
use sql::postgres::types::quoted;
use tokio::time::Instant;

use super::file::StatusAction;
use super::payload;
use super::queue::{self, Ended, Event, EventKind, Outcome};
use super::trigger::{FunctionName, Target, Trigger};
use crate::accounts::{MailError, MailWorker};
use crate::outbound_webhook::{Sender, Webhook};
use gateway::auth::trace_context::TraceContext;
use gateway::request::json;
use gateway::transform::TransformedRequest;

/// What delivers: the connections of one version of the gateway.
#[derive(Debug)]
pub(super) struct DeliverySender {
    pub(super) database: Database,
    pub(super) sender: Arc<Sender>,
    /// Identifies the worker in leases.
    pub(super) worker: Arc<str>,
}

/// The result of an attempt.
#[derive(Debug)]
struct AttemptResult {
    action: StatusAction,
    status: Option<u16>,
    error: Option<String>,
    /// What the log may say of the error.
    cause: Option<String>,
    response: Option<String>,
    retry_after: Option<Duration>,
}

impl DeliverySender {
    /// Delivers an event. The result has to be recorded, unless it is `None`: the function's
    /// transaction has recorded it.
    pub(super) async fn deliver(
        &self,
        trigger: &Trigger,
        event: &Event,
    ) -> (Outcome, Option<Ended>) {
        let began = Instant::now();
        if event.kind == EventKind::Manual && !trigger.is_manual {
            let cause = "the trigger is not `manual`";
            let refused = AttemptResult::failed(StatusAction::Dead, cause.to_owned(), cause);
            let ended = self.ended(trigger, event, refused, began, 0.0);
            return (ended.outcome, Some(ended));
        }
        let result = match payload::body(trigger, event) {
            Err(error) => AttemptResult::failed(
                StatusAction::Dead,
                format!("the payload is not of its kind: {error}"),
                "the payload is not of its kind",
            ),
            Ok(body) => match &trigger.target {
                Target::Webhook(webhook) => self.send(webhook, trigger, event, body).await,
                Target::Mail(worker) => self.mail(worker, trigger, event, began).await,
                Target::Function(function) => {
                    match self.call(function, trigger, event, body, began).await {
                        Ok(()) => return (Outcome::Delivered, None),
                        Err(result) => result,
                    }
                }
            },
        };
        let ended = self.ended(trigger, event, result, began, rand::random());
        (ended.outcome, Some(ended))
    }

    async fn send(
        &self,
        webhook: &Webhook,
        trigger: &Trigger,
        event: &Event,
        body: String,
    ) -> AttemptResult {
        let made = match request(webhook, event, body) {
            Ok(made) => made,
            // A value is at fault: operators see each attempt, and a reload may bring another
            // transform.
            Err(error) => {
                let cause = "the transform cannot make a request";
                return AttemptResult::failed(StatusAction::Retry, error, cause);
            }
        };
        let trace = event
            .trace
            .as_ref()
            .and_then(|trace| TraceContext::from_json(trace.get()));
        match self
            .sender
            .send(webhook, &event.id, made, trace.as_ref(), trigger.timeout)
            .await
        {
            Ok(response_value) => AttemptResult {
                action: trigger.statuses.action(response_value.status),
                status: Some(response_value.status.as_u16()),
                error: None,
                cause: None,
                response: Some(response_value.text),
                retry_after: response_value.retry_after,
            },
            // The URL is no part of it.
            Err(error) => AttemptResult::failed(StatusAction::Retry, error.clone(), error),
        }
    }

    /// Sends a mail; nothing of it is stored.
    async fn mail(
        &self,
        worker: &MailWorker,
        trigger: &Trigger,
        event: &Event,
        began: Instant,
    ) -> AttemptResult {
        let deadline = began + trigger.timeout;
        let payload = event.payload.get();
        let sent = worker.deliver(&self.database, &event.id, payload, deadline);
        let late = || MailError::Retry("the mail was not sent in time".into());
        match deadline::timeout_at(deadline, sent)
            .await
            .unwrap_or_else(|| Err(late()))
        {
            Ok(()) => AttemptResult::delivered(),
            Err(MailError::Retry(text)) => {
                AttemptResult::failed(StatusAction::Retry, text.clone(), text)
            }
            Err(MailError::Permanent(text)) => {
                AttemptResult::failed(StatusAction::Dead, text.clone(), text)
            }
        }
    }

    async fn call(
        &self,
        function: &FunctionName,
        trigger: &Trigger,
        event: &Event,
        body: String,
        began: Instant,
    ) -> Result<(), AttemptResult> {
        let ended = self.ended(trigger, event, AttemptResult::delivered(), began, 0.0);
        let called = queue::call(
            &self.database,
            &function.statement(),
            body,
            &ended,
            began + trigger.timeout,
        )
        .await;
        called.map_err(|fault| {
            let text = match &fault {
                // Postgres' own message: the log of invocations is for the operators of the
                // database.
                DatabaseError::Refused(refusal) => {
                    format!("{}: {}", refusal.sqlstate, refusal.message)
                }
                fault => fault.to_string(),
            };
            AttemptResult::failed(StatusAction::Retry, text, fault.to_string())
        })
    }

    fn ended(
        &self,
        trigger: &Trigger,
        event: &Event,
        result: AttemptResult,
        began: Instant,
        random: f64,
    ) -> Ended {
        let (outcome, pause) = match result.action {
            StatusAction::Delivered => (Outcome::Delivered, Duration::ZERO),
            StatusAction::Retry if event.attempt <= trigger.retries => {
                let pause = result
                    .retry_after
                    .unwrap_or_else(|| trigger.backoff.pause(event.attempt, random));
                (Outcome::Retry, pause)
            }
            StatusAction::Retry | StatusAction::Dead => (Outcome::Dead, Duration::ZERO),
        };
        Ended {
            id: event.id.clone(),
            lease: self.worker.to_string(),
            trigger_name: event.trigger.clone(),
            attempt: event.attempt,
            outcome,
            pause: pause.as_secs_f64(),
            milliseconds: i32::try_from(began.elapsed().as_millis()).unwrap_or(i32::MAX),
            status: result.status,
            error: result.error,
            cause: result.cause,
            response: result.response,
        }
    }
}

/// The request for a payload.
fn request(webhook: &Webhook, event: &Event, body: String) -> Result<TransformedRequest, String> {
    let Some(transform) = &webhook.transform else {
        return Ok(TransformedRequest {
            method: Method::POST,
            url: webhook.url.clone(),
            body: Some(body.into_bytes()),
        });
    };
    let read =
        |text: &str| json::read(text.as_bytes()).map_err(|_| "the payload is no JSON".to_owned());
    let session = event
        .session
        .as_ref()
        .map_or(Ok(Value::Null), |session| read(session.get()))?;
    transform
        .request(&webhook.url, read(&body)?, &session)
        .map_err(|error| error.to_string())
}

impl AttemptResult {
    fn delivered() -> AttemptResult {
        AttemptResult {
            action: StatusAction::Delivered,
            status: None,
            error: None,
            cause: None,
            response: None,
            retry_after: None,
        }
    }

    fn failed(action: StatusAction, error: String, cause: impl Into<String>) -> AttemptResult {
        AttemptResult {
            action,
            status: None,
            error: Some(error),
            cause: Some(cause.into()),
            response: None,
            retry_after: None,
        }
    }
}

impl FunctionName {
    /// Calls the function if the event is still leased to the worker. The lock comes before the
    /// call, which is the reason for the CTE.
    fn statement(&self) -> String {
        let FunctionName {
            schema,
            name,
            parameter,
        } = self;
        format!(
            "WITH leased AS MATERIALIZED (\
               SELECT e.id FROM postern.event_queue e \
               WHERE e.id = $1::uuid AND e.lease = $2::uuid AND e.state = 'pending' FOR UPDATE\
             ) SELECT {}.{}($3::{parameter})::text FROM leased",
            quoted(schema),
            quoted(name)
        )
    }
}

//! Stores a delivery, and adds the event that makes the queue process it, in one statement.

use http::header::{CONTENT_ENCODING, CONTENT_TYPE, HeaderName};
use pg::{Completion, Database, DatabaseError, Parameters, RowColumns};
use serde_json::{Map, Value};
use tokio::time::Instant;
use uuid::Uuid;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::received::Received;
use super::settings::Service;
use super::verification::VerifiedSender;
use gateway::error::Error;

/// A verified delivery.
#[derive(Debug)]
pub(super) struct Delivery<'a> {
    pub(super) service: &'a Service,
    pub(super) id: &'a str,
    pub(super) received: Received<'a>,
    pub(super) sender: &'a VerifiedSender,
    /// The client's address.
    pub(super) address: Option<String>,
    /// The id of the request.
    pub(super) request: &'a str,
}

/// Stores a delivery and, if the service has a function, adds its event: both or neither. Another
/// transaction that is storing the same id is waited for. Returns the number of stored rows: none
/// if the sender's id, or its body of a signature that does not cover the id, is stored already.
/// The trigger of the table compares them.
const STORE: &str = "
WITH stored AS (
  INSERT INTO postern.webhook_delivery
    (id, service, delivery_id, verification, content_type, headers, sender, address, request_id, body, replay_key, senders)
  VALUES ($1::uuid, $2::text, $3::text, $4::text, $5::text, $6::jsonb, $7::jsonb, $8::text, $9::text, decode($10::text, 'base64'), $14::text, $15::text[])
  ON CONFLICT DO NOTHING
  RETURNING id
), queued AS (
  SELECT postern.enqueue_event(
           $13::text,
           json_build_object('delivery', s.id, 'service', $2::text, 'deliveryId', $3::text, 'function', $11::text),
           'webhook', $12::text, now(), NULL) AS event
  FROM stored s WHERE $13::text IS NOT NULL
)
SELECT count(*)::text FROM stored s LEFT JOIN queued q ON true";

impl Delivery<'_> {
    /// Stores the delivery; returns whether it is new. A repeated statement is harmless, since an
    /// id is stored once.
    ///
    /// Errors: the database is unavailable, or refuses the statement. Nothing is stored then, or
    /// the sender learns of it when it sends the delivery again.
    pub(super) async fn store(
        &self,
        database: &Database,
        deadline: Instant,
    ) -> Result<bool, Error> {
        let parameters = [self.parameters()];
        let mut retry = database.retry(deadline);
        loop {
            match database
                .write(&[STORE], &parameters, Completion::Commit, deadline)
                .await
            {
                Ok(rows) => {
                    let stored = rows
                        .first()
                        .and_then(|rows| RowColumns::new(rows.first()?).text());
                    return Ok(stored.as_deref() == Some("1"));
                }
                Err(failed) if retry.should_retry_write(&failed).await => {}
                Err(failed) => match failed.fault {
                    DatabaseError::Refused(refusal) => {
                        return Err(Error::Internal(refusal.to_string()));
                    }
                    fault => return Err(fault.into()),
                },
            }
        }
    }

    fn parameters(&self) -> Parameters {
        let Delivery {
            service,
            id,
            received,
            sender,
            address,
            request,
        } = self;
        let header = |name: &HeaderName| {
            let values = received
                .headers
                .get_all(name)
                .iter()
                .map(|value| String::from_utf8_lossy(value.as_bytes()));
            let values: Vec<_> = values.collect();
            (!values.is_empty()).then(|| values.join(", "))
        };
        let named = service.headers.iter().chain([&CONTENT_ENCODING]);
        let headers: Map<String, Value> = named
            .filter_map(|name| Some((name.as_str().to_owned(), header(name)?.into())))
            .collect();
        vec![
            Some(Uuid::now_v7().to_string()),
            Some(service.name.clone()),
            Some((*id).to_owned()),
            Some(sender.methods.clone()),
            header(&CONTENT_TYPE),
            Some(Value::Object(headers).to_string()),
            // Postgres has no text for the character.
            Some(
                Value::Object(sender.facts.clone())
                    .to_string()
                    .replace("\\u0000", "\\ufffd"),
            ),
            address.clone(),
            Some((*request).to_owned()),
            Some(STANDARD.encode(received.body)),
            service
                .function
                .as_ref()
                .map(|function| function.value.clone()),
            self.ordering_key(),
            service.trigger(),
            service
                .delivery_id
                .replay_key(&service.verification.methods, received),
            // Digests need no quotes in an array.
            Some(format!("{{{}}}", sender.digests().join(","))),
        ]
    }

    /// The key under which the queue processes deliveries one after the other: the service and, if
    /// it has several senders, the sender, so that a delivery that fails holds up those of its
    /// sender alone.
    fn ordering_key(&self) -> Option<String> {
        let Service {
            name,
            verification,
            in_order,
            ..
        } = self.service;
        if !in_order {
            return None;
        }
        let sender = self
            .sender
            .digests()
            .into_iter()
            .next()
            .filter(|_| !verification.has_one_sender());
        Some(sender.map_or_else(|| name.clone(), |sender| format!("{name} {sender}")))
    }
}

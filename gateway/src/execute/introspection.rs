//! Answers `__schema` and `__type`. The response is written in slices while it is sent, so its
//! memory does not depend on its length; see [`super::schema_work`]. If a request has other root
//! fields too, their rows stand between the introspection fields.
//!
//! The limit of responses' bytes does not apply, since the response is not held in memory. A
//! document whose response may be much longer than the schema is counted before anything is sent.

use std::sync::Arc;

use bytes::Bytes;
use indexmap::IndexMap;
use serde_json::value::RawValue;
use sql::encode::shape::Key;
use sql::introspection::{
    IntrospectionSelection, IntrospectionWriter, ReachableTypes, check_fields, max_fields,
};
use sql::model::access::Access;
use sql::schema::Schema;
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::mpsc::{self, Sender};

use super::request_context::RequestContext;
use super::response_body::{BodyStream, Pace, Payload, STREAM_THRESHOLD};
use super::schema_types::held_bytes;
use super::schema_work::{SLICE_BYTES, SchemaWork};
use crate::error::Error;
use crate::execute::plan_cache::Plan;
use crate::limits::{LimitExceeded, RoleLimits};

/// How many parts wait for a slow client.
const MAX_WAITING_PARTS: usize = 4;

/// Introspection fields that are ready to be written: everything that can fail has been checked.
pub(super) struct Introspection {
    access: Arc<Access>,
    selection: IntrospectionSelection,
    types: Arc<ReachableTypes>,
    work: SchemaWork,
    limits: Arc<RoleLimits>,
    /// What is reserved beside the response.
    held: usize,
}

/// A part of the response: bytes, then perhaps the value of an introspection field.
struct Section {
    bytes: Vec<u8>,
    field: Option<String>,
}

/// Finds the types that the introspection fields of a request need, and counts the response if it
/// may be long.
pub(super) async fn prepare(
    context: &RequestContext<'_>,
    plan: &Plan,
) -> Result<Introspection, Error> {
    let RequestContext {
        state,
        session,
        limits,
        deadline,
        ..
    } = *context;
    let access = state.schema.access(session);
    let work = state.schema_work(session, deadline);
    let selection = IntrospectionSelection::new(&plan.entry.operation, &plan.variables)?;
    let types = Arc::default();
    let mut introspection = Introspection {
        access,
        selection,
        types,
        work,
        limits: limits.clone(),
        held: 0,
    };
    let prepared = async {
        if introspection.selection.lists_types() {
            let schemas = &state.schema.schema_types;
            introspection.types = schemas
                .types(&introspection.access, &mut introspection.work)
                .await?;
            introspection.held = held_bytes(&introspection.access, &introspection.types);
        }
        if introspection.selection.is_simple() {
            Ok(())
        } else {
            introspection.count().await
        }
    };
    match tokio::time::timeout_at(deadline, prepared).await {
        Ok(prepared) => prepared.map(|()| introspection),
        Err(_) => Err(LimitExceeded::Time(limits.enforced.time).into()),
    }
}

impl Introspection {
    /// Counts the fields of the response by writing it to nowhere.
    async fn count(&mut self) -> Result<(), Error> {
        let schema = Schema::new(&self.access);
        let most = max_fields(schema);
        self.work.reserve(self.held + 2 * SLICE_BYTES)?;
        let mut counted = 0;
        let mut out = Vec::new();
        for root in self.selection.roots() {
            let mut writer = IntrospectionWriter::new(schema, &self.types, root);
            loop {
                out.clear();
                let more = self
                    .work
                    .slice(|| writer.write(SLICE_BYTES, &mut out))
                    .await?;
                check_fields(counted + writer.fields(), most)?;
                if !more {
                    break;
                }
            }
            counted += writer.fields();
        }
        Ok(())
    }

    /// Writes `{"data":…}`; `rows` is the response of the other root fields. A long response is
    /// sent in parts.
    pub(super) async fn respond(self, plan: &Plan, rows: &[u8]) -> Result<Payload, Error> {
        let sections = sections(plan, rows)?;
        let (sender, mut parts) = mpsc::channel(MAX_WAITING_PARTS + 1);
        let limits = self.limits.clone();
        let deadline = self.work.deadline().0;
        let memory = self.work.budget();
        tokio::spawn(self.write(sections, sender));
        let head: Bytes = match parts.recv().await {
            Some(head) => head?,
            None => {
                return Err(Error::Internal(
                    "introspection has ended without a response".into(),
                ));
            }
        };
        Ok(if head.len() < STREAM_THRESHOLD {
            Payload::Whole(head)
        } else {
            let length = head.len();
            Payload::Parts(
                head,
                BodyStream::new(parts, length, limits, deadline, memory),
            )
        })
    }

    /// Sends the response until the request's deadline, or until the client disconnects.
    async fn write(self, sections: Vec<Section>, sender: Sender<Result<Bytes, Error>>) {
        // Reserves a place for the final result, so that an error arrives even if the queue is
        // full.
        let Ok(last) = sender.clone().reserve_owned().await else {
            return;
        };
        let (deadline, time_limit) = self.work.deadline();
        let written = tokio::select! {
            written = tokio::time::timeout_at(deadline, self.write_parts(sections, &sender)) => written,
            () = sender.closed() => return,
        };
        drop(last.send(match written {
            Ok(written) => written,
            Err(_) => Err(LimitExceeded::Time(time_limit).into()),
        }));
    }

    /// Sends all parts but the last, and returns that one.
    async fn write_parts(
        self,
        sections: Vec<Section>,
        sender: &Sender<Result<Bytes, Error>>,
    ) -> Result<Bytes, Error> {
        let Introspection {
            access,
            selection,
            types,
            mut work,
            limits,
            held,
        } = self;
        let schema = Schema::new(&access);
        let mut pace = Pace::new(limits.enforced.read_rate);
        let mut out = Vec::new();
        let mut until = STREAM_THRESHOLD;
        for Section { bytes, field } in sections {
            out.extend_from_slice(&bytes);
            let Some(root) = field.and_then(|key| selection.root(&key)) else {
                continue;
            };
            let mut writer = IntrospectionWriter::new(schema, &types, root);
            loop {
                let waiting = if until == SLICE_BYTES {
                    MAX_WAITING_PARTS * SLICE_BYTES
                } else {
                    0
                };
                work.reserve(held + waiting + 2 * (out.len() + SLICE_BYTES))?;
                let end = out.len() + SLICE_BYTES;
                let more = work.slice(|| writer.write(end, &mut out)).await?;
                if out.len() >= until {
                    until = SLICE_BYTES;
                    send(std::mem::take(&mut out), sender, &mut pace).await?;
                }
                if !more {
                    break;
                }
            }
        }
        Ok(work.into_reservation().hold(out))
    }
}

/// Sends a part once there is room for it. While it waits, the client has to keep up with the least
/// rate of reading.
async fn send(
    part: Vec<u8>,
    sender: &Sender<Result<Bytes, Error>>,
    pace: &mut Pace,
) -> Result<(), Error> {
    let length = part.len();
    match sender.try_send(Ok(part.into())) {
        Ok(()) => pace.rest(),
        // The caller notices that the client has disconnected.
        Err(TrySendError::Closed(_)) => {}
        Err(TrySendError::Full(part)) => {
            pace.wait(sender.reserve()).await?;
            pace.took(length);
            let _ = sender.send(part).await;
        }
    }
    Ok(())
}

/// Divides the response at its introspection fields.
fn sections(plan: &Plan, rows: &[u8]) -> Result<Vec<Section>, Error> {
    // This is rare, so the rows are parsed again instead of encoded field by field. serde's message
    // may repeat a value, so the error gives only the column.
    let unread = |error: serde_json::Error| {
        Error::Internal(format!("rows that are not JSON: column {}", error.column()))
    };
    let rows: Data = serde_json::from_slice(rows).map_err(unread)?;
    let mut sections = Vec::new();
    let mut bytes = b"{\"data\":{".to_vec();
    for (index, root) in plan.translation.roots.iter().enumerate() {
        let key = &root.key;
        if index > 0 {
            bytes.push(b',');
        }
        bytes.extend_from_slice(Key::new(key).as_str().as_bytes());
        if root.is_introspection {
            sections.push(Section {
                bytes: std::mem::take(&mut bytes),
                field: Some(key.clone()),
            });
            continue;
        }
        let missing = || Error::Internal(format!("no response for the root field `{key}`"));
        bytes.extend_from_slice(rows.data.get(key).ok_or_else(missing)?.get().as_bytes());
    }
    bytes.extend_from_slice(b"}}");
    sections.push(Section { bytes, field: None });
    Ok(sections)
}

#[derive(serde::Deserialize)]
struct Data {
    data: IndexMap<String, Box<RawValue>>,
}

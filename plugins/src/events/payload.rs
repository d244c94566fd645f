//! The body of a delivery, in Hasura's form, so that receivers written for Hasura work unchanged.
//! <https://hasura.io/docs/2.0/event-triggers/payload/>

use serde::Serialize;
use serde_json::value::RawValue;

use super::queue::{Event, EventKind};
use super::trigger::Trigger;

#[derive(Serialize)]
struct EventBody<'e> {
    created_at: &'e str,
    delivery_info: DeliveryInfo,
    event: Change<'e>,
    id: &'e str,
    #[serde(skip_serializing_if = "Option::is_none")]
    table: Option<Table<'e>>,
    trigger: Named<'e>,
}

#[derive(Serialize)]
struct DeliveryInfo {
    current_retry: u32,
    max_retries: u32,
}

/// `op` and `data` are those that the trigger in the database has written.
#[derive(Serialize)]
struct Change<'e> {
    op: &'e RawValue,
    data: &'e RawValue,
    session_variables: Option<&'e RawValue>,
    trace_context: Option<&'e RawValue>,
}

#[derive(serde::Deserialize)]
struct Stored<'e> {
    #[serde(borrow)]
    op: &'e RawValue,
    #[serde(borrow)]
    data: &'e RawValue,
}

#[derive(Serialize)]
struct Table<'e> {
    schema: &'e str,
    name: &'e str,
}

#[derive(Serialize)]
struct Named<'e> {
    name: &'e str,
}

#[derive(Serialize)]
struct ScheduleBody<'e> {
    scheduled_time: &'e RawValue,
    payload: &'e RawValue,
    name: &'e str,
    id: &'e str,
    created_at: &'e str,
    comment: Option<&'e str>,
    delivery_info: DeliveryInfo,
}

#[derive(serde::Deserialize)]
struct StoredRun<'e> {
    #[serde(borrow)]
    scheduled_time: &'e RawValue,
    #[serde(borrow)]
    payload: &'e RawValue,
}

/// The body for an event. An error means that the stored payload is not of its kind.
pub(super) fn body(trigger: &Trigger, event: &Event) -> Result<String, serde_json::Error> {
    let delivery_info = DeliveryInfo {
        current_retry: event.attempt.saturating_sub(1),
        max_retries: trigger.retries,
    };
    match event.kind {
        EventKind::Schedule => {
            let run: StoredRun<'_> = serde_json::from_str(event.payload.get())?;
            serde_json::to_string(&ScheduleBody {
                scheduled_time: run.scheduled_time,
                payload: run.payload,
                name: &trigger.name,
                id: &event.id,
                created_at: &event.created_at,
                comment: trigger.comment.as_deref(),
                delivery_info,
            })
        }
        EventKind::Table => {
            let Stored { op, data } = serde_json::from_str(event.payload.get())?;
            event_body(trigger, event, delivery_info, op, data)
        }
        EventKind::Manual | EventKind::Webhook => {
            let op = RawValue::from_string("\"MANUAL\"".into())?;
            let data =
                RawValue::from_string(format!("{{\"old\":null,\"new\":{}}}", event.payload.get()))?;
            event_body(trigger, event, delivery_info, &op, &data)
        }
    }
}

fn event_body(
    trigger: &Trigger,
    event: &Event,
    delivery_info: DeliveryInfo,
    op: &RawValue,
    data: &RawValue,
) -> Result<String, serde_json::Error> {
    serde_json::to_string(&EventBody {
        created_at: &event.created_at,
        delivery_info,
        event: Change {
            op,
            data,
            session_variables: event.session.as_deref(),
            trace_context: event.trace.as_deref(),
        },
        id: &event.id,
        table: trigger.table.as_ref().map(|table| Table {
            schema: &table.schema,
            name: &table.name,
        }),
        trigger: Named {
            name: &trigger.name,
        },
    })
}

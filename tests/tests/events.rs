//! Tests event triggers and schedules: what fires, what receivers get, retries, order, several gateways, and faults of
//! the files.

#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

#[path = "events/deliveries.rs"]
mod deliveries;
#[path = "events/faults.rs"]
mod faults;
#[path = "events/gateways.rs"]
mod gateways;
#[path = "events/idle.rs"]
mod idle;
#[path = "events/inherited.rs"]
mod inherited;
#[path = "events/receiver.rs"]
mod receiver;
#[path = "events/registry.rs"]
mod registry;
#[path = "events/requests.rs"]
mod requests;
#[path = "events/restarts.rs"]
mod restarts;
#[path = "events/schedules.rs"]
mod schedules;
#[path = "events/service.rs"]
mod service;
#[expect(dead_code, reason = "holding back bytes is for other tests")]
#[path = "http/switch.rs"]
mod switch;
#[path = "events/triggers.rs"]
mod triggers;

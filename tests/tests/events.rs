//! Tests event triggers and schedules: what fires, what receivers get, retries, order, several
//! gateways, and faults of the files.

mod copies;
pub(crate) mod deliveries;
mod faults;
mod gateways;
mod idle;
mod inherited;
pub(crate) mod receiver;
mod registry;
mod requests;
mod restarts;
mod schedules;
mod service;
mod triggers;

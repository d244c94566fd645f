//! Tests inbound webhooks over HTTP: what is accepted, stored and queued, what is refused and how,
//! and which declarations have faults. Signatures come from the libraries of the services.

mod service;

mod faults;
mod https;
mod limits;
mod refusals;
mod sender_secrets;
mod senders;
mod several_senders;
mod stored;

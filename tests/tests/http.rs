//! Tests the gateway over HTTP: request formats, authentication, limits, and a database that
//! becomes unavailable. What documents mean is left to the golden cases.

pub(crate) mod elsewhere;
mod service;
mod socket;
pub(crate) mod token;

mod authentication;
mod bad_tokens;
mod bounds;
mod catalogue;
mod column_formats;
mod compression;
mod deadlines;
mod faults;
mod grouped_reads;
mod hook;
mod hosts;
mod limits;
mod memory;
mod memory_shares;
mod metrics;
mod plans;
mod requests;
mod responses;
mod rotation;
mod secrets;
mod sharing;
mod shared_streams;
mod shared;

mod client_sessions;
mod event_stream;
mod hostile_sockets;
mod key_types;
mod live_queries;
mod replication;
mod socket_clients;
mod subscription_faults;
mod subscription_life;
pub(crate) mod switch;
mod websocket;
pub(crate) mod websocket_client;

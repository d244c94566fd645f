//! Tests TLS: connections to Postgres in every mode of libpq, to servers with valid, invalid and no certificates; and
//! the gateway's own port.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing)]

#[path = "tls/commands.rs"]
mod commands;
#[path = "tls/direct.rs"]
mod direct;
#[path = "tls/modes.rs"]
mod modes;
#[path = "tls/port.rs"]
mod port;
#[path = "tls/server.rs"]
mod server;

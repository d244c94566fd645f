//! Tests TLS: connections to Postgres in every mode of libpq, to servers with valid, invalid and no
//! certificates; and the gateway's own port.

mod commands;
mod direct;
mod modes;
mod port;
mod server;

//! The gateway: HTTP, authentication, limits, the connection pool, and the execution of requests.
//!
//! [`execute`] is the first file to read: it runs the stages of a request in order. The modules are
//! listed from top to bottom and each uses only those below it; a test checks that.

#![cfg_attr(
    test,
    allow(
        clippy::unwrap_used,
        clippy::expect_used,
        clippy::panic,
        clippy::indexing_slicing
    )
)]

pub mod server;
pub mod plugin;
pub mod http;
pub mod rest;
pub mod subscriptions;
pub mod execute;
pub mod actions;
pub mod transform;
pub mod trusted_documents;
pub mod rate_limit;
pub mod auth;
pub mod request;
pub mod error;
pub mod migrations;
pub mod limits;
pub mod config;
pub mod telemetry;
pub mod tls;
pub mod http_client;

pub use server::Gateway;

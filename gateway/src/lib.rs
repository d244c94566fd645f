//! The server: HTTP doors, who is asking, limits, the pool, and the way of a request through them.
//!
//! `answer` is the first file to read: it names the stages of a request in order. The rest stands from the top floor
//! down, each file using only what stands below it.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing))]

pub mod commands;
pub mod loadgen;
pub mod demo;
pub mod migrations;
pub mod cluster;
pub mod app;
pub mod signals;
pub mod auto_reload;
pub mod reload;
pub mod plugins;
pub mod plugin;
pub mod router;
pub mod http;
pub mod execute;
pub mod introspection;
pub mod engine;
pub mod plan_cache;
pub mod tools;
pub mod openapi;
pub mod per_role;
pub mod rest;
pub mod trusted_documents;
pub mod auth;
pub mod rate_limit;
pub mod database;
pub mod error;
pub mod request;
pub mod json;
pub mod config;
pub mod dialect;
pub mod limits;
pub mod metrics;
pub mod memory;
pub mod log;
pub mod deadline;
pub mod session;
pub mod tls;

pub use app::Gateway;

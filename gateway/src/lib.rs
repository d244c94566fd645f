//! The server: HTTP doors, who is asking, limits, the pool, and the way of a request through them.
//!
//! `answer` is the first file to read: it names the stages of a request in order. The rest stands from the top floor
//! down, each file using only what stands below it.

#![cfg_attr(test, allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing))]

pub mod commands;
pub mod load;
pub mod demo;
pub mod schema;
pub mod cluster;
pub mod app;
pub mod signals;
pub mod renewal;
pub mod reload;
pub mod plugins;
pub mod plugin;
pub mod router;
pub mod http;
pub mod answer;
pub mod introspection;
pub mod engine;
pub mod plan_cache;
pub mod tools;
pub mod openapi;
pub mod by_role;
pub mod rest;
pub mod operations;
pub mod auth;
pub mod rates;
pub mod database;
pub mod error;
pub mod request;
pub mod json;
pub mod config;
pub mod profile;
pub mod limits;
pub mod metrics;
pub mod memory;
pub mod log;
pub mod patience;
pub mod session;
pub mod tls;

pub use app::Gateway;

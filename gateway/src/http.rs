//! The HTTP transport. [`connection`] makes an [`HttpExchange`] of each request, [`router`] decides
//! which handler answers its path, and the handlers are the submodules. What all of them share is
//! the [`App`]; who sends a request is a [`Caller`].

pub mod access_log;
pub mod allowed_hosts;
pub mod app;
pub mod body;
pub mod caching;
pub mod caller;
pub mod content_encoding;
pub mod compression;
pub mod connection;
pub mod cors;
mod development;
pub mod error_response;
pub mod exchange;
pub mod openapi;
pub mod plugin_openapi;
pub mod graphql;
mod graphql_request;
mod head_limit;
mod request_id;
pub mod response;
mod decompression;
pub mod mcp;
pub mod media;
mod endpoint_call;
mod credential_check;
mod event_stream;
pub mod stream_token;
pub mod health;
pub mod index;
mod operations;
mod paced_body;
pub mod assets;
pub mod pages;
pub mod rest;
pub mod route;
pub mod stream;
pub mod router;
mod span;
pub mod sockets;
pub mod state;
pub mod websocket;

pub use access_log::{AccessLogEntry, LoggedError};
pub use app::App;
pub use caller::{Caller, authenticate_admin, authenticate_caller};
pub use error_response::{ErrorFormat, error_response};
pub use exchange::{ConnectionInfo, HttpExchange};
pub use request_id::{REQUEST_ID, request_id};
pub use response::{Response, json, object};

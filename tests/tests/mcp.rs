//! Tests named queries as tools of the Model Context Protocol: its messages over HTTP, the tools
//! and results of each role, authentication, rate limits, and the official client.

mod service;

mod callers;
mod calls;
mod client;
mod log;
mod messages;
mod rates;
mod tools;

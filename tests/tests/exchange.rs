//! Tests the token exchange over HTTP: signing in, refreshing, signing out, the audit events, and
//! personal access tokens through the command and through GraphQL. What access tokens permit is
//! left to the tests in `http`.

mod service;

mod client;
mod commands;
pub(crate) mod keys;
mod own_tokens;
mod refresh;
mod sign_in;
mod sign_out;

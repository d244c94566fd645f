//! Tests named queries over HTTP: parameters and where they may be sent, methods, authorization,
//! responses, maps with errors, and every endpoint of the demo for every role.

mod service;

mod answers;
mod anything;
mod caching;
mod callers;
mod described;
mod descriptions;
mod faults;
pub(crate) mod linted;
mod lists;
mod methods;
mod parameters;
mod privacy;
mod reloads;
mod sql;
mod sql_faults;
mod sql_writes;

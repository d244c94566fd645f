//! Tests what operators see: the lines of the log, the traces that a collector gets, the metrics of
//! operations, and what `--dev` shows to clients.

mod alerts;
pub(crate) mod collector;
mod service;

mod comments;
mod development;
mod log;
mod operations;
mod refusals;
mod stalled;
mod starts;
mod traces;

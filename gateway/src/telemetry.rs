//! The log and the metrics of the gateway.
pub mod metrics;
pub mod refusals;
pub mod log;

//! What operators see of the gateway: the log and the metrics.
pub mod metrics;
pub mod log;

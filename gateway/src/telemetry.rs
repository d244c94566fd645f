//! What operators see of the gateway: the log, the metrics and the traces, and what is measured for
//! them.
pub mod execution_record;
pub mod log;
pub mod metrics;
pub mod refusals;
pub mod resource;
pub mod statement_text;
pub mod traces;

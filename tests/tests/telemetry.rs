//! Tests what operators see: the lines of the log, the traces that a collector gets, the metrics of operations, and
//! what `--dev` shows to clients.

#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod telemetry {
    mod collector;
    mod service;

    mod comments;
    mod development;
    mod log;
    mod operations;
    mod refusals;
    mod stalled;
    mod traces;
}

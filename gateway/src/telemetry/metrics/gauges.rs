//! The gauges of pool, caches and process. They are set when the metrics are requested, so requests
//! do no work for them.

use std::time::{SystemTime, UNIX_EPOCH};

use prometheus::{Counter, IntCounter, IntGauge, IntGaugeVec};

use super::maker::{Maker, options};
use super::process;
use crate::telemetry::log;

/// The values of the gauges when the metrics are requested: bytes and counts.
#[derive(Clone, Copy, Debug, Default)]
pub struct Readings {
    /// The most connections of the pool.
    pub pool_limit: usize,
    /// Open connections.
    pub pool_open: usize,
    /// Open connections that no request uses.
    pub pool_idle: usize,
    /// Requests that wait for a connection.
    pub pool_waiting: usize,
    /// Bytes that requests have reserved.
    pub memory_reserved: usize,
    /// The most bytes that requests may reserve.
    pub memory_limit: usize,
    /// Documents in the plan cache.
    pub documents: u64,
    /// Plans in the plan cache.
    pub plans: u64,
    /// Cached answers of reads.
    pub responses: u64,
    /// Bytes of cached answers, roughly.
    pub answer_bytes: u64,
    /// Verified tokens in the cache.
    pub tokens: u64,
    /// Whether the store in which gateways count rates together can be reached; none without one.
    pub rate_store: Option<bool>,
}

/// The gauges of pool, caches and process.
#[derive(Debug)]
pub(super) struct Gauges {
    limit: IntGauge,
    open: IntGauge,
    idle: IntGauge,
    waiting: IntGauge,
    reserved: IntGauge,
    memory_limit: IntGauge,
    documents: IntGauge,
    plans: IntGauge,
    responses: IntGauge,
    answer_bytes: IntGauge,
    tokens: IntGauge,
    memory: IntGauge,
    files: IntGauge,
    max_files: IntGauge,
    cpu: Counter,
    rate_store: IntGaugeVec,
    lost_lines: IntCounter,
}

impl Gauges {
    pub(super) fn new(make: &Maker) -> Gauges {
        let started = make.gauge(
            "process_start_time_seconds",
            "When the gateway was started, in seconds since 1970",
        );
        started.set(count(
            SystemTime::now()
                .duration_since(UNIX_EPOCH)
                .map_or(0, |since| since.as_secs()),
        ));
        make.build();
        Gauges {
            limit: make.gauge(
                "pool_connections_limit",
                "The most connections to the database",
            ),
            open: make.gauge("pool_connections", "Connections to the database"),
            idle: make.gauge("pool_connections_idle", "Those of them that are free"),
            waiting: make.gauge("pool_waiting", "Requests that wait for a connection"),
            reserved: make.gauge(
                "memory_reserved_bytes",
                "Memory that requests have reserved",
            ),
            memory_limit: make.gauge(
                "memory_limit_bytes",
                "The most memory that requests may reserve",
            ),
            documents: make.gauge(
                "plan_cache_documents",
                "Documents that are remembered, by role",
            ),
            plans: make.gauge("plan_cache_plans", "Statements that are remembered"),
            responses: make.gauge("answers_kept", "Answers that are kept"),
            answer_bytes: make.gauge("answers_kept_bytes", "What they take up, roughly"),
            tokens: make.gauge(
                "tokens_remembered",
                "Tokens that are not verified again for a while",
            ),
            memory: make.gauge("process_resident_memory_bytes", "Memory in use"),
            files: make.gauge("process_open_fds", "Open files and sockets"),
            max_files: make.gauge(
                "process_max_fds",
                "The most files and sockets that may be open",
            ),
            cpu: make.seconds("process_cpu_seconds_total", "Time of processors used"),
            rate_store: make.gauges(
                "rate_store_available",
                "Whether the Redis in which gateways count rates together can be reached",
                &[],
            ),
            lost_lines: make.counter(
                "log_lines_lost_total",
                "Log lines that were dropped, because standard error was not read",
            ),
        }
    }

    /// Sets the gauges to these readings and reads the process' usage.
    pub(super) fn update(&self, readings: &Readings) {
        self.limit.set(count(readings.pool_limit));
        self.open.set(count(readings.pool_open));
        self.idle.set(count(readings.pool_idle));
        self.waiting.set(count(readings.pool_waiting));
        self.reserved.set(count(readings.memory_reserved));
        self.memory_limit.set(count(readings.memory_limit));
        self.documents.set(count(readings.documents));
        self.plans.set(count(readings.plans));
        self.responses.set(count(readings.responses));
        self.answer_bytes.set(count(readings.answer_bytes));
        self.tokens.set(count(readings.tokens));
        // These stay zero on systems other than Linux.
        let process = process::usage();
        self.memory.set(count(process.memory));
        self.files.set(count(process.files));
        self.max_files.set(count(process.max_files));
        self.cpu.inc_by((process.cpu - self.cpu.get()).max(0.0));
        match readings.rate_store {
            Some(is_available) => self
                .rate_store
                .with_label_values::<&str>(&[])
                .set(is_available.into()),
            None => self.rate_store.reset(),
        }
        self.lost_lines
            .inc_by(log::lost_lines().saturating_sub(self.lost_lines.get()));
    }
}

impl Maker {
    fn seconds(&self, name: &str, help: &str) -> Counter {
        self.register(Counter::with_opts(options(name, help)))
    }

    /// Registers `build_info` with the gateway's version.
    fn build(&self) {
        let options =
            options("build_info", "The version").const_label("version", env!("CARGO_PKG_VERSION"));
        self.register(IntGauge::with_opts(options)).set(1);
    }
}

fn count(number: impl TryInto<i64>) -> i64 {
    number.try_into().unwrap_or(i64::MAX)
}

//! How things stand: looked at when somebody asks, so that requests carry nothing of it.

use std::time::{SystemTime, UNIX_EPOCH};

use prometheus::{Gauge, IntGauge};

use super::{Maker, options, process};
use crate::execute::HandlerState;

/// Gauges of pool, caches and process.
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
    answers: IntGauge,
    answer_bytes: IntGauge,
    tokens: IntGauge,
    memory: IntGauge,
    files: IntGauge,
    cpu: Gauge,
}

impl Gauges {
    pub(super) fn new(make: &Maker) -> Gauges {
        let started = make.gauge("process_start_time_seconds", "When the gateway was started, in seconds since 1970");
        started.set(count(SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())));
        make.build();
        Gauges {
            limit: make.gauge("pool_connections_limit", "The most connections to the database"),
            open: make.gauge("pool_connections", "Connections to the database"),
            idle: make.gauge("pool_connections_idle", "Those of them that are free"),
            waiting: make.gauge("pool_waiting", "Requests that wait for a connection"),
            reserved: make.gauge("memory_reserved_bytes", "Memory that requests have reserved"),
            memory_limit: make.gauge("memory_limit_bytes", "The most memory that requests may reserve"),
            documents: make.gauge("plan_cache_documents", "Documents that are remembered, by role"),
            plans: make.gauge("plan_cache_plans", "Statements that are remembered"),
            answers: make.gauge("answers_kept", "Answers that are kept"),
            answer_bytes: make.gauge("answers_kept_bytes", "What they take up, roughly"),
            tokens: make.gauge("tokens_remembered", "Tokens that are not verified again for a while"),
            memory: make.gauge("process_resident_memory_bytes", "Memory in use"),
            files: make.gauge("process_open_fds", "Open files and sockets"),
            cpu: make.seconds("process_cpu_seconds_total", "Time of processors used"),
        }
    }

    /// Looks how things stand.
    pub(super) fn update(&self, parts: &HandlerState) {
        let pool = parts.database.pool();
        self.limit.set(count(pool.limit));
        self.open.set(count(pool.open));
        self.idle.set(count(pool.idle));
        self.waiting.set(count(pool.waiting));
        self.reserved.set(count(parts.memory.used()));
        self.memory_limit.set(count(parts.memory.limit()));
        let (documents, plans) = parts.engine.plans.len();
        self.documents.set(count(documents));
        self.plans.set(count(plans));
        let (answers, bytes) = parts.shared.len();
        self.answers.set(count(answers));
        self.answer_bytes.set(count(bytes));
        self.tokens.set(count(parts.doorman.cached_tokens()));
        // Elsewhere than on Linux these stay at nothing.
        let process = process::usage();
        self.memory.set(count(process.memory));
        self.files.set(count(process.files));
        self.cpu.set(process.cpu);
    }
}

impl Maker {
    fn seconds(&self, name: &str, help: &str) -> Gauge {
        self.register(Gauge::with_opts(options(name, help)))
    }

    /// Which version it is.
    fn build(&self) {
        let options = options("build_info", "The version").const_label("version", env!("CARGO_PKG_VERSION"));
        self.register(IntGauge::with_opts(options)).set(1);
    }
}

fn count(number: impl TryInto<i64>) -> i64 {
    number.try_into().unwrap_or(i64::MAX)
}

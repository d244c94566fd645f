//! What is counted while the gateway runs, in the form that Prometheus reads. One registry a server, so that several gateways in
//! one process do not count together. What is only looked at when somebody asks is in [`gauges`].

mod process;
mod gauges;

use prometheus::core::Collector;
use prometheus::{HistogramOpts, HistogramVec, IntCounter, IntCounterVec, IntGauge, Opts, Registry, TextEncoder};

use gauges::Gauges;
pub use gauges::Readings;

/// The counters of a server. Labels hold names from the configuration and the catalogue only: what callers send has no bound.
#[derive(Debug)]
pub struct Metrics {
    registry: Registry,
    /// Requests that were answered, by `route` (`other` for paths that are none), `status` and `code`.
    pub requests: IntCounterVec,
    /// How long they took, by `route`.
    pub durations: HistogramVec,
    /// Requests that are being answered.
    pub in_flight: IntGauge,
    /// Requests whose client went away before they were answered.
    pub abandoned: IntCounter,
    /// Look-ups of documents among those that were asked before.
    pub plans: PlanCounters,
    /// Reads that may be answered with the answer of another.
    pub reads: ReadCounters,
    /// Requests that got no connection.
    pub queue: QueueCounters,
    /// Requests that did not fit into memory.
    pub memory: MemoryCounters,
    /// Reloads, by `outcome` (`done`, `failed`).
    pub reloads: IntCounterVec,
    /// Requests that were over a rate, by `rate` and `mode` (`enforce`, `measure`).
    pub rate_limited: IntCounterVec,
    /// Requests that were over a bound, by `bound`, `role` and `mode`.
    pub bounded: IntCounterVec,
    /// Operations that no allow list has, by `role` and `mode`.
    pub unlisted: IntCounterVec,
    /// Events of authentication, by `event` and `outcome`.
    pub authentication: IntCounterVec,
    state: Gauges,
}

/// Documents that were found and that were not.
#[derive(Clone, Debug)]
pub struct PlanCounters {
    /// Documents that had been asked before, by the same role.
    pub hits: IntCounter,
    /// Those that had not.
    pub misses: IntCounter,
}

/// How reads were answered that may be answered with the answer of another.
#[derive(Clone, Debug)]
pub struct ReadCounters {
    /// By an answer that was kept.
    pub kept: IntCounter,
    /// By the statement of another request.
    pub joined: IntCounter,
    /// By a statement of their own.
    pub asked: IntCounter,
}

/// Requests that got no connection.
#[derive(Clone, Debug)]
pub struct QueueCounters {
    /// Because as many requests waited as may.
    pub full: IntCounter,
    /// Because they had waited for as long as they may.
    pub time: IntCounter,
}

/// Requests that did not fit into memory.
#[derive(Clone, Debug)]
pub struct MemoryCounters {
    /// Reservations that were refused.
    pub refused: IntCounter,
}

/// A request by key takes less than a millisecond; nobody waits for one longer than a minute.
const SECONDS: [f64; 14] = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0, 30.0];

impl Default for Metrics {
    fn default() -> Metrics {
        let make = Maker(Registry::new());
        Metrics {
            requests: make.counters("requests_total", "Requests answered", &["route", "status", "code"]),
            durations: make.histograms(
                "request_duration_seconds",
                "Time from a request's head to its answer",
                &["route"],
            ),
            in_flight: make.gauge("requests_in_flight", "Requests being answered"),
            abandoned: make.counter("requests_abandoned_total", "Requests whose client went away before the answer"),
            plans: make.plans(),
            reads: make.reads(),
            queue: make.queue(),
            memory: make.memory(),
            reloads: make.counters("reloads_total", "Reloads", &["outcome"]),
            rate_limited: make.counters("rate_limited_total", "Requests over a rate", &["rate", "mode"]),
            bounded: make.counters("bounded_total", "Requests over a bound", &["bound", "role", "mode"]),
            unlisted: make.counters("unlisted_total", "Operations on no allow list", &["role", "mode"]),
            authentication: make.counters("authentication_total", "Events of authentication", &["event", "outcome"]),
            state: Gauges::new(&make),
            registry: make.0,
        }
    }
}

impl Metrics {
    /// All of them as text, and how things stand just now.
    /// <https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format>
    pub fn text(&self, readings: &Readings) -> String {
        self.state.update(readings);
        TextEncoder::new().encode_to_string(&self.registry.gather()).unwrap_or_default()
    }
}

impl Default for PlanCounters {
    fn default() -> PlanCounters {
        Maker(Registry::new()).plans()
    }
}

impl Default for ReadCounters {
    fn default() -> ReadCounters {
        Maker(Registry::new()).reads()
    }
}

impl Default for QueueCounters {
    fn default() -> QueueCounters {
        Maker(Registry::new()).queue()
    }
}

impl Default for MemoryCounters {
    fn default() -> MemoryCounters {
        Maker(Registry::new()).memory()
    }
}

/// Makes what is counted, each with the name of the gateway before its own.
struct Maker(Registry);

// Names are fixed and each stands once; the tests make one of each.
#[expect(clippy::expect_used)]
impl Maker {
    /// Registers what was made.
    fn register<C: Collector + Clone + 'static>(&self, made: prometheus::Result<C>) -> C {
        let made = made.expect("a sound name");
        self.0.register(Box::new(made.clone())).expect("a name, or labels, of its own");
        made
    }

    fn counters(&self, name: &str, help: &str, labels: &[&str]) -> IntCounterVec {
        self.register(IntCounterVec::new(options(name, help), labels))
    }

    fn counter(&self, name: &str, help: &str) -> IntCounter {
        self.register(IntCounter::with_opts(options(name, help)))
    }

    fn gauge(&self, name: &str, help: &str) -> IntGauge {
        self.register(IntGauge::with_opts(options(name, help)))
    }

    fn histograms(&self, name: &str, help: &str, labels: &[&str]) -> HistogramVec {
        let options = HistogramOpts::from(options(name, help)).buckets(SECONDS.to_vec());
        self.register(HistogramVec::new(options, labels))
    }

    /// One of several counters that a label tells apart.
    fn outcome(&self, name: &str, help: &str, outcome: &str) -> IntCounter {
        self.labelled(name, help, "outcome", outcome)
    }

    fn labelled(&self, name: &str, help: &str, label: &str, value: &str) -> IntCounter {
        self.register(IntCounter::with_opts(options(name, help).const_label(label, value)))
    }

    fn queue(&self) -> QueueCounters {
        let refused = |cause| self.labelled("pool_refused_total", "Requests that got no connection", "cause", cause);
        QueueCounters { full: refused("full"), time: refused("time") }
    }

    fn memory(&self) -> MemoryCounters {
        MemoryCounters { refused: self.counter("memory_refused_total", "Reservations of memory that were refused") }
    }

    fn plans(&self) -> PlanCounters {
        let looked = |outcome| self.outcome("plan_cache_lookups_total", "Look-ups of documents", outcome);
        PlanCounters { hits: looked("hit"), misses: looked("miss") }
    }

    fn reads(&self) -> ReadCounters {
        let help = "Reads that may be answered with the answer of another";
        let read = |outcome| self.outcome("shared_reads_total", help, outcome);
        ReadCounters { kept: read("kept"), joined: read("joined"), asked: read("asked") }
    }
}

/// Those of the process have the names that they have everywhere.
fn options(name: &str, help: &str) -> Opts {
    let prefix = if name.starts_with("process_") { "" } else { "postern_" };
    Opts::new(format!("{prefix}{name}"), help)
}

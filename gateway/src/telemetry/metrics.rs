//! The counters and histograms of a server, in Prometheus' text format. Each server has its own
//! registry, so that several gateways in one process count separately. Values that are only read
//! when the metrics are requested are in [`gauges`].
//!
//! A request costs a few atomic additions: one counter by route, status and code, and one histogram
//! by route. The counters belong to the server, so they continue over a reload.

mod process;
mod database;
mod exemplars;
mod gauges;
mod maker;
mod open_metrics;
mod operations;
mod roles;
mod routes;
mod servers;
mod sockets;

use std::sync::Arc;

use pg::memory::MemoryLimit;
use prometheus::core::Collector;
use prometheus::{
    GaugeVec, Histogram, HistogramVec, IntCounter, IntCounterVec, IntGauge, IntGaugeVec, Registry,
    TextEncoder,
};

use exemplars::ExemplarIndex;
use gauges::Gauges;
pub use gauges::Readings;
pub use maker::DURATION_BUCKETS;
use maker::{Maker, options};
pub use operations::OperationMetrics;
pub use roles::{RequestsByRole, RoleMetrics};
use routes::REQUEST_DURATION;
pub use routes::{ALERTED_ERRORS, RouteMetrics};
use servers::RequestsByServer;
pub use sockets::{OpenSocket, SocketMetrics};

use crate::telemetry::resource::Resource;

/// The metrics of a server. Labels contain only names from the configuration and from the gateway:
/// the number of different values that clients send is not limited.
#[derive(Debug)]
pub struct Metrics {
    registry: Registry,
    /// Answered requests, by `route` (`other` for unknown paths), `status` and `code`.
    pub requests: IntCounterVec,
    /// The duration of requests in seconds, by `route`.
    pub durations: HistogramVec,
    /// Requests by the caller's role.
    pub roles: RequestsByRole,
    /// Requests by the server of the database, if there are several.
    pub servers: RequestsByServer,
    /// Operations by their names.
    pub operations: OperationMetrics,
    /// Spans of traces, by `outcome` (`sent`, `failed`, `dropped`).
    pub spans: IntCounterVec,
    /// Requests in progress.
    pub in_flight: IntGauge,
    /// Requests whose client disconnected before the response.
    pub abandoned: IntCounter,
    /// Document lookups in the plan cache.
    pub plans: PlanCounters,
    /// Reads that may use the cache.
    pub reads: ReadCounters,
    /// Requests that got no connection.
    pub queue: QueueCounters,
    /// Short reads in groups.
    pub read_groups: GroupCounters,
    /// Requests for which no memory was available.
    pub memory: MemoryCounters,
    /// Replicas and the queries that they answer.
    pub replicas: ReplicaMetrics,
    /// The server that takes writes.
    pub primary: PrimaryMetrics,
    /// Reloads, by `outcome` (`done`, `failed`).
    pub reloads: IntCounterVec,
    /// Things that the running version has left out, because they do not fit the database, by
    /// `part` of the files.
    pub left_out: IntGaugeVec,
    /// Requests that exceeded a rate limit, by `rate` and `mode` (`enforce`, `measure`).
    pub rate_limited: IntCounterVec,
    /// Requests that exceeded a limit, by `bound`, `role` and `mode`.
    pub bounded: IntCounterVec,
    /// Operations on no allow list, by `role` and `mode`.
    pub unlisted: IntCounterVec,
    /// Subscriptions.
    pub subscriptions: SubscriptionMetrics,
    /// Events of authentication, by `event` and `outcome`.
    pub authentication: IntCounterVec,
    /// WebSockets, event streams and the operations on them.
    pub sockets: SocketMetrics,
    /// TLS of the gateway's port.
    pub tls: TlsMetrics,
    state: Gauges,
    exemplars: Arc<ExemplarIndex>,
}

/// Hits and misses of the plan cache.
#[derive(Clone, Debug)]
pub struct PlanCounters {
    /// Documents that the cache contained for the role.
    pub hits: IntCounter,
    /// Documents that it did not contain.
    pub misses: IntCounter,
}

/// How reads that may use the cache were answered.
#[derive(Clone, Debug)]
pub struct ReadCounters {
    /// From the cache.
    pub kept: IntCounter,
    /// By the statement of another request.
    pub joined: IntCounter,
    /// By their own statement.
    pub asked: IntCounter,
}

/// Replicas and the queries that they answer.
#[derive(Clone, Debug)]
pub struct ReplicaMetrics {
    /// Queries, by the `server` that they were sent to.
    pub reads: IntCounterVec,
    /// Queries that the primary answered because a `replica` failed.
    pub failures: IntCounterVec,
    /// 1 for each `replica` that gets queries.
    pub usable: IntGaugeVec,
    /// The seconds by which each `replica` is behind the primary.
    pub lag: GaugeVec,
}

/// The server that takes writes.
#[derive(Clone, Debug)]
pub struct PrimaryMetrics {
    /// 1 for the `host` that takes writes.
    pub info: IntGaugeVec,
    /// The hosts that accept writes.
    pub candidates: IntGaugeVec,
    /// By how many seconds the clock of this machine is ahead of the database's.
    pub clock_offset: GaugeVec,
}

/// TLS of the gateway's port.
#[derive(Clone, Debug)]
pub struct TlsMetrics {
    /// Without TLS there is no series.
    not_after: IntGaugeVec,
    /// Handshakes that have failed or taken too long.
    pub failed_handshakes: IntCounter,
}

impl TlsMetrics {
    /// Sets the end of the certificate's validity, in seconds of Unix time.
    pub fn set_not_after(&self, seconds: i64) {
        let no_labels: [&str; 0] = [];
        self.not_after.with_label_values(&no_labels).set(seconds);
    }
}

/// Requests that got no connection.
#[derive(Clone, Debug)]
pub struct QueueCounters {
    /// Because the queue was full.
    pub full: IntCounter,
    /// Because the time in the queue was over.
    pub time: IntCounter,
}

/// Statements of several requests that ran in groups.
#[derive(Clone, Debug)]
pub struct GroupCounters {
    /// The statements.
    pub statements: IntCounter,
    /// The groups that they were sent in.
    pub groups: IntCounter,
}

/// Requests for which no memory was available.
#[derive(Clone, Debug)]
pub struct MemoryCounters {
    /// Rejected reservations.
    pub refused: IntCounter,
    /// Those that exceeded a share, by `share` (`open`, `role`, `user`, `address`).
    pub shares: IntCounterVec,
    /// Answers that were given up because their clients did not read them.
    pub unread: IntCounter,
}

/// Counts subscriptions and the work that they cause.
#[derive(Clone, Debug)]
pub struct SubscriptionMetrics {
    /// Running subscriptions.
    pub subscribers: IntGauge,
    /// Cohorts: subscribers of equal translations, which share statements.
    pub cohorts: IntGauge,
    /// Statements that were run for subscribers.
    pub statements: IntCounter,
    /// Results that were queued for subscribers.
    pub results: IntCounter,
    /// Intervals at whose end another snapshot was found.
    pub written: IntCounter,
    /// Intervals at whose end the same snapshot was found.
    pub unchanged: IntCounter,
    /// Notifications of writes.
    pub notified: IntCounter,
    /// Transactions of replication that may have changed results.
    pub replicated: IntCounter,
    /// Cohorts that were woken because time has passed.
    pub woken_by_clock: IntCounter,
    /// Cohorts that were woken because a snapshot has changed.
    pub woken_by_snapshot: IntCounter,
    /// Cohorts that were woken because a trigger has notified the gateway.
    pub woken_by_notification: IntCounter,
    /// Cohorts that were woken because replication has reported a change, began or ended.
    pub woken_by_replication: IntCounter,
    /// The time from the commit of a change until a result was queued, if replication has reported
    /// the change.
    pub lag: Histogram,
    /// The bytes of results that wait for their clients.
    pub queued_bytes: IntGauge,
    /// 1 for the `source` from which subscriptions learn of changes.
    pub source: IntGaugeVec,
    /// 1 if the gateway follows logical replication whenever it has subscribers and can.
    pub replication_expected: IntGauge,
    /// Losses of logical replication after it had begun.
    pub replication_losses: IntCounter,
    /// The bytes of WAL that the server keeps for the gateway's own replication slot.
    pub slot_retained_bytes: IntGauge,
    /// The bytes of WAL beyond which the gateway drops its slot.
    pub slot_limit_bytes: IntGauge,
}

impl Default for Metrics {
    fn default() -> Metrics {
        let make = Maker(Registry::new());
        let exemplars = Arc::<ExemplarIndex>::default();
        Metrics {
            requests: make.counters(
                "requests_total",
                "Requests answered",
                &["route", "status", "code"],
            ),
            durations: make.histograms(
                "request_duration_seconds",
                "Time from the head of a request to its response",
                &["route"],
            ),
            roles: RequestsByRole::new(&make),
            servers: RequestsByServer::new(&make),
            operations: OperationMetrics::new(&make, exemplars.clone()),
            spans: make.known_counters(
                "trace_spans_total",
                "Spans of traces",
                "outcome",
                &["sent", "failed", "dropped"],
            ),
            in_flight: make.gauge("requests_in_flight", "Requests being answered"),
            abandoned: make.counter(
                "requests_abandoned_total",
                "Requests whose client disconnected before the response",
            ),
            plans: make.plans(),
            reads: make.reads(),
            queue: make.queue(),
            read_groups: make.read_groups(),
            memory: make.memory(),
            replicas: make.replicas(),
            primary: make.primary(),
            reloads: make.known_counters(
                "reloads_total",
                "Reloads",
                "outcome",
                &["done", "failed"],
            ),
            left_out: make.gauges(
                "left_out",
                "Things left out, because they do not fit the database",
                &["part"],
            ),
            rate_limited: make.counters(
                "rate_limited_total",
                "Requests that exceeded a rate limit",
                &["rate", "mode"],
            ),
            bounded: make.counters(
                "bounded_total",
                "Requests that exceeded a limit of their role",
                &["bound", "role", "mode"],
            ),
            unlisted: make.counters(
                "unlisted_total",
                "Operations on no allow list",
                &["role", "mode"],
            ),
            authentication: make.authentication(),
            subscriptions: make.subscriptions(),
            sockets: SocketMetrics::new(&make),
            tls: make.tls(),
            state: Gauges::new(&make),
            exemplars,
            registry: make.0,
        }
    }
}

impl Metrics {
    /// Adds a metric of a plugin.
    ///
    /// Errors: its name is taken.
    pub fn register(&self, metric: Box<dyn Collector>) -> prometheus::Result<()> {
        self.registry.register(metric)
    }

    /// The metrics of a route. Its series of success, and those of the errors that alerts watch
    /// for, exist from here on.
    pub fn route(&self, path: &str) -> RouteMetrics {
        let exemplars = self.exemplars.add(REQUEST_DURATION, path);
        RouteMetrics::new(path, &self.requests, &self.durations, exemplars)
    }

    /// Makes the series of a rate limit, at zero.
    pub fn declare_rate(&self, rate: &str, mode: &str) {
        self.rate_limited.with_label_values(&[rate, mode]);
    }

    /// Makes the series of an event of authentication, at zero.
    pub fn declare_authentication(&self, event: &str) {
        for outcome in ["success", "failure"] {
            self.authentication.with_label_values(&[event, outcome]);
        }
    }

    /// Describes the process by the attributes of its resource, as OpenTelemetry's exporters for
    /// Prometheus do. The first call counts.
    /// <https://opentelemetry.io/docs/specs/otel/compatibility/prometheus_and_openmetrics/#resource-attributes>
    pub fn describe_target(&self, resource: &Resource) {
        let mut options = options("target_info", "The attributes of the resource");
        for (name, value) in resource.attributes() {
            options = options.const_label(
                name.replace(|c: char| !c.is_ascii_alphanumeric(), "_"),
                value,
            );
        }
        // Two names that become one label are refused, and the metric is left out.
        if let Ok(target) = IntGauge::with_opts(options) {
            target.set(1);
            let _ = self.registry.register(Box::new(target));
        }
    }

    /// Encodes all metrics in OpenMetrics' format, with exemplars.
    pub fn open_metrics(&self, readings: &Readings) -> String {
        self.state.update(readings);
        open_metrics::encode(&self.registry.gather(), &self.exemplars)
    }

    /// Encodes all metrics as text, with the gauges set to these readings.
    /// <https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format>
    pub fn text(&self, readings: &Readings) -> Result<String, prometheus::Error> {
        self.state.update(readings);
        TextEncoder::new().encode_to_string(&self.registry.gather())
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

impl Default for SubscriptionMetrics {
    fn default() -> SubscriptionMetrics {
        Maker(Registry::new()).subscriptions()
    }
}

impl Default for MemoryCounters {
    fn default() -> MemoryCounters {
        Maker(Registry::new()).memory()
    }
}

impl Maker {
    fn authentication(&self) -> IntCounterVec {
        let counters = self.counters(
            "authentication_total",
            "Events of authentication",
            &["event", "outcome"],
        );
        // A token or a secret that any path refuses.
        counters.with_label_values(&["refused", "failure"]);
        counters
    }

    fn replicas(&self) -> ReplicaMetrics {
        let lag = options(
            "replica_lag_seconds",
            "How far a replica is behind the primary",
        );
        ReplicaMetrics {
            reads: self.counters(
                "replica_reads_total",
                "Queries that may read from replicas",
                &["server"],
            ),
            failures: self.counters(
                "replica_failures_total",
                "Queries that a replica failed to answer",
                &["replica"],
            ),
            usable: self.gauges(
                "replica_usable",
                "Whether the replica gets queries",
                &["replica"],
            ),
            lag: self.register(GaugeVec::new(lag, &["replica"])),
        }
    }

    fn primary(&self) -> PrimaryMetrics {
        let offset = options(
            "clock_offset_seconds",
            "By how much the gateway's clock is ahead of the database's",
        );
        PrimaryMetrics {
            info: self.gauges(
                "primary_info",
                "1 for the host that takes writes",
                &["server", "host"],
            ),
            candidates: self.gauges(
                "primary_candidates",
                "Hosts of the database that accept writes; there should be one",
                &["server"],
            ),
            clock_offset: self.register(GaugeVec::new(offset, &["server"])),
        }
    }

    fn tls(&self) -> TlsMetrics {
        TlsMetrics {
            not_after: self.gauges(
                "tls_certificate_not_after_seconds",
                "When the certificate of the port expires, in seconds since 1970",
                &[],
            ),
            failed_handshakes: self.counter(
                "tls_handshakes_failed_total",
                "TLS handshakes of clients that failed",
            ),
        }
    }

    fn queue(&self) -> QueueCounters {
        let refused = |cause| {
            self.labelled(
                "pool_refused_total",
                "Requests that got no connection",
                "cause",
                cause,
            )
        };
        QueueCounters {
            full: refused("full"),
            time: refused("time"),
        }
    }

    fn read_groups(&self) -> GroupCounters {
        GroupCounters {
            statements: self.counter("grouped_reads_total", "Short reads that ran in groups"),
            groups: self.counter("read_groups_total", "Groups in which short reads were sent"),
        }
    }

    fn memory(&self) -> MemoryCounters {
        MemoryCounters {
            refused: self.counter(
                "memory_refused_total",
                "Reservations of memory that were refused",
            ),
            shares: self.known_counters(
                "memory_shares_exceeded_total",
                "Reservations of memory that exceeded a share of it",
                "share",
                &[
                    MemoryLimit::Open,
                    MemoryLimit::Role,
                    MemoryLimit::User,
                    MemoryLimit::Address,
                ]
                .map(MemoryLimit::label),
            ),
            unread: self.counter(
                "unread_answers_total",
                "Answers given up because their clients did not read them",
            ),
        }
    }

    fn subscriptions(&self) -> SubscriptionMetrics {
        let help = "Looks at the database for writes, and its notifications of them";
        let look = |outcome| self.outcome("subscription_changes_total", help, outcome);
        let help = "Groups of subscribers that were made to run again, by cause";
        let woken = |cause| self.labelled("subscription_wakeups_total", help, "cause", cause);
        SubscriptionMetrics {
            subscribers: self.gauge("subscribers", "Running subscriptions"),
            cohorts: self.gauge(
                "subscription_cohorts",
                "Groups of subscribers that share statements",
            ),
            statements: self.counter(
                "subscription_statements_total",
                "Statements run for subscribers",
            ),
            results: self.counter(
                "subscription_results_total",
                "Results queued for subscribers",
            ),
            written: look("written"),
            unchanged: look("unchanged"),
            notified: look("notified"),
            replicated: look("replicated"),
            woken_by_clock: woken("clock"),
            woken_by_snapshot: woken("snapshot"),
            woken_by_notification: woken("notification"),
            woken_by_replication: woken("replication"),
            lag: self.histogram(
                "subscription_lag_seconds",
                "Time from the commit of a replicated change to the queueing of a result",
            ),
            queued_bytes: self.gauge(
                "subscription_queued_bytes",
                "Bytes of results that wait for their clients",
            ),
            source: self.known_gauges(
                "subscription_source",
                "1 for the source from which subscriptions learn of changes",
                "source",
                &["replication", "triggers", "snapshot"],
            ),
            replication_expected: self.gauge(
                "replication_expected",
                "1 if subscriptions learn of changes by logical replication when it works",
            ),
            replication_losses: self.counter(
                "replication_losses_total",
                "Losses of logical replication after it had begun",
            ),
            slot_retained_bytes: self.gauge(
                "replication_slot_retained_bytes",
                "WAL that the server keeps for the gateway's own replication slot",
            ),
            slot_limit_bytes: self.gauge(
                "replication_slot_limit_bytes",
                "WAL beyond which the gateway drops its replication slot",
            ),
        }
    }

    fn plans(&self) -> PlanCounters {
        let looked =
            |outcome| self.outcome("plan_cache_lookups_total", "Look-ups of documents", outcome);
        PlanCounters {
            hits: looked("hit"),
            misses: looked("miss"),
        }
    }

    fn reads(&self) -> ReadCounters {
        let help = "Reads of operations that share responses, by how they were answered";
        let read = |outcome| self.outcome("shared_reads_total", help, outcome);
        ReadCounters {
            kept: read("kept"),
            joined: read("joined"),
            asked: read("asked"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exemplars_stand_at_their_buckets() {
        let metrics = Metrics::default();
        let route = metrics.route("/v1/graphql");
        route.count(200, "", 0.3, Some(0xabc));
        let text = metrics.open_metrics(&Readings::default());
        let line = text
            .lines()
            .find(|line| line.contains("le=\"0.5\"") && line.contains("/v1/graphql"))
            .unwrap();
        let expected = "postern_request_duration_seconds_bucket{route=\"/v1/graphql\",le=\"0.5\"} \
                        1 # {trace_id=\"00000000000000000000000000000abc\"} 0.3 ";
        assert!(line.starts_with(expected), "{line}");
        assert!(text.contains("# TYPE postern_requests counter\n"), "{text}");
        assert!(text.contains("\npostern_requests_total{code=\"\",route=\"/v1/graphql\""));
        assert!(text.contains("# TYPE postern_socket_operations_total unknown\n"));
        assert!(text.ends_with("\n# EOF\n"));
    }
}

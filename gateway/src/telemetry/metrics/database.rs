//! Counts what the pool of connections and the memory budget report.

use pg::Observer;
use pg::memory::MemoryLimit;

use super::Metrics;

/// The value of the label `server` for the database that takes writes.
const PRIMARY: &str = "primary";

impl Observer for Metrics {
    fn queue_is_full(&self) {
        self.queue.full.inc();
    }

    fn queue_time_is_over(&self) {
        self.queue.time.inc();
    }

    fn group_was_sent(&self) {
        self.read_groups.groups.inc();
    }

    fn read_was_grouped(&self) {
        self.read_groups.statements.inc();
    }

    fn query_is_routed(&self, server: &str) {
        self.replicas.reads.with_label_values(&[server]).inc();
    }

    fn replica_has_failed(&self, replica: &str) {
        self.replicas.failures.with_label_values(&[replica]).inc();
    }

    fn replica_lags(&self, replica: &str, seconds: f64) {
        self.replicas.lag.with_label_values(&[replica]).set(seconds);
    }

    fn replica_was_judged(&self, replica: &str, is_usable: bool) {
        self.replicas
            .usable
            .with_label_values(&[replica])
            .set(i64::from(is_usable));
        // Its other series exist from its first judgement on.
        self.replicas.failures.with_label_values(&[replica]);
        self.replicas.reads.with_label_values(&[replica]);
    }

    fn primary_candidates(&self, count: usize) {
        let gauge = self.primary.candidates.with_label_values(&[PRIMARY]);
        gauge.set(i64::try_from(count).unwrap_or(i64::MAX));
    }

    fn primary_changed(&self, host: Option<&str>) {
        self.primary.info.reset();
        if let Some(host) = host {
            self.primary.info.with_label_values(&[PRIMARY, host]).set(1);
        }
    }

    fn clock_offset(&self, seconds: f64) {
        let gauge = self.primary.clock_offset.with_label_values(&[PRIMARY]);
        gauge.set(seconds);
    }

    fn memory_was_refused(&self, limit: MemoryLimit) {
        self.memory.refused.inc();
        if limit != MemoryLimit::All {
            self.memory.shares.with_label_values(&[limit.label()]).inc();
        }
    }
}

//! The running subscriptions: the cohorts, which share statements, and what wakes them.

use serde_json::{Value, json};

use gateway::subscriptions::{CohortReport, Subscriptions};
use gateway::telemetry::metrics::Metrics;

/// All cohorts, those with the most subscribers first.
pub(super) fn describe_subscriptions(subscriptions: &Subscriptions, metrics: &Metrics) -> Value {
    let mut cohorts = subscriptions.report();
    cohorts.sort_by_key(|cohort| std::cmp::Reverse(cohort.subscribers));
    let counters = &metrics.subscriptions;
    json!({
        "subscribers": counters.subscribers.get(), "statements": counters.statements.get(), "results": counters.results.get(),
        "wakeups": {
            "clock": counters.woken_by_clock.get(), "snapshot": counters.woken_by_snapshot.get(),
            "notification": counters.woken_by_notification.get(), "replication": counters.woken_by_replication.get(),
        },
        "cohorts": cohorts.iter().map(cohort).collect::<Vec<_>>(),
    })
}

fn cohort(cohort: &CohortReport) -> Value {
    let policy = cohort.policy.as_deref();
    json!({
        "role": cohort.role, "operation": cohort.operation, "document": cohort.document, "subscribers": cohort.subscribers,
        "parameter_lists": cohort.parameter_lists, "is_stream": cohort.is_stream, "is_slow": cohort.is_slow,
        "sharing": policy.map(|policy| policy.sharing.to_string()),
        "reads_clock": policy.is_some_and(|policy| policy.dependencies.reads_clock),
        "tables": policy.map(|policy| policy.dependencies.tables.values().map(|table| &*table.name).collect::<Vec<_>>()),
    })
}

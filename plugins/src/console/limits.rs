//! The rates and the limits of roles, with how many requests each has refused since the start.

use permissions::ADMIN;
use prometheus::IntCounterVec;
use prometheus::core::Collector;
use serde_json::{Map, Value, json};

use gateway::http::state::HandlerState;
use gateway::limits::{LimitKind, Limits, RoleLimits};
use gateway::rate_limit::Rule;
use gateway::telemetry::metrics::Metrics;

/// Rates, limits and what they have refused.
pub(super) fn describe_limits(state: &HandlerState, metrics: &Metrics) -> Value {
    let roles = state
        .execution
        .schema
        .permissions
        .roles()
        .map(|access| access.role());
    let limits = roles.map(|role| limits_of(role, state.execution.limits.for_role(role)));
    let pool = state.execution.database.pool();
    let memory = state.execution.memory;
    json!({
        "rates": state.rate_limiter.rules().map(rate).collect::<Vec<_>>(),
        "limits": limits.collect::<Vec<_>>(),
        "refused": {
            "rates": counts(&metrics.rate_limited), "limits": counts(&metrics.bounded), "unlisted": counts(&metrics.unlisted),
            "memory": metrics.memory.refused.get(),
            "queue": {"full": metrics.queue.full.get(), "time": metrics.queue.time.get()},
        },
        "pool": {"limit": pool.limit, "open": pool.open, "idle": pool.idle, "waiting": pool.waiting},
        "memory": {"used": memory.used(), "limit": memory.limit()},
    })
}

fn rate(rule: &Rule) -> Value {
    let mode = rule.mode.name();
    json!({
        "name": rule.name, "per": rule.per.iter().map(ToString::to_string).collect::<Vec<_>>(), "places": rule.places,
        "roles": rule.roles, "except_roles": rule.except_roles, "paths": rule.paths, "rate": rule.rate,
        "every": rule.every.as_secs_f64(), "burst": rule.burst, "mode": mode,
    })
}

/// The limits of a role. What no request exceeds is left out.
fn limits_of(role: &str, limits: &RoleLimits) -> Value {
    let sizes = |limits: &Limits| {
        let sizes = LimitKind::ALL
            .into_iter()
            .filter_map(|kind| Some((kind.name(), kind.size(limits)?)));
        let mut sizes: Map<String, Value> = sizes
            .filter(|(_, size)| *size < usize::MAX)
            .map(|(name, size)| (name.to_owned(), size.into()))
            .collect();
        if limits.time < std::time::Duration::MAX {
            sizes.insert(
                LimitKind::Time.name().to_owned(),
                limits.time.as_secs_f64().into(),
            );
        }
        sizes
    };
    json!({
        "role": role, "enforced": sizes(&limits.enforced), "measured": limits.reported().map(sizes),
        "is_admin": role == ADMIN,
    })
}

/// The series of a counter that have counted something, each with its labels and its value.
fn counts(counter: &IntCounterVec) -> Vec<Value> {
    let families = counter.collect();
    let series = families.iter().flat_map(|family| family.get_metric());
    let object = |series: &prometheus::proto::Metric| {
        let labels = series
            .get_label()
            .iter()
            .map(|label| (label.name().to_owned(), label.value().into()));
        let mut object: Map<String, Value> = labels.collect();
        let count = series.get_counter().get_value() as u64;
        object.insert("count".into(), count.into());
        (count > 0).then_some(Value::Object(object))
    };
    series.filter_map(object).collect()
}

//! How subscriptions are run.

use std::sync::Arc;
use std::time::Duration;

use super::slot_limits::SlotLimits;
use crate::config::SubscriptionSource;
use crate::telemetry::metrics::SubscriptionMetrics;

/// How subscriptions are run.
#[derive(Clone, Debug)]
pub struct SubscriptionSettings {
    /// From where the process learns of changes.
    pub source: SubscriptionSource,
    /// The time between two looks at the database for new transactions.
    pub interval: Duration,
    /// When a replication slot is given up.
    pub slot_limits: SlotLimits,
    /// The gateway's name in the names of its replication slots.
    pub slot_owner: Arc<str>,
    /// Counts subscribers, statements and results.
    pub metrics: SubscriptionMetrics,
}

impl Default for SubscriptionSettings {
    fn default() -> SubscriptionSettings {
        SubscriptionSettings {
            source: SubscriptionSource::Auto,
            interval: Duration::from_secs(1),
            slot_limits: SlotLimits::default(),
            slot_owner: "".into(),
            metrics: SubscriptionMetrics::default(),
        }
    }
}

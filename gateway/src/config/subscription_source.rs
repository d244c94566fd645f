//! From where subscriptions learn of changes.

/// From where subscriptions learn of changes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SubscriptionSource {
    /// The best one that the database permits.
    #[default]
    Auto,
    /// Logical replication.
    Replication,
    /// Triggers that notify the gateway, beside snapshots.
    Triggers,
    /// The comparison of snapshots at each interval.
    Snapshot,
}

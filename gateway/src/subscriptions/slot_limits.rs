//! The limits of the replication slot: Postgres keeps WAL for a slot until its changes are
//! confirmed, so a slot that stays behind would fill the disk. One beyond these limits is dropped,
//! and snapshots are compared until there is another.

use std::time::Duration;

/// When a replication slot is given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlotLimits {
    /// The most bytes of WAL that a slot may be behind, also while it is being created.
    pub lag: u64,
    /// Between two checks of the slot, of the schema and of the publication.
    pub check_interval: Duration,
    /// How long Postgres may take to create a slot. It waits for the transactions that are running,
    /// and the slot keeps the WAL meanwhile. Of two attempts one after the other, the second one
    /// waits for no transaction that has begun after the first.
    pub creation_time: Duration,
}

impl Default for SlotLimits {
    fn default() -> SlotLimits {
        SlotLimits {
            lag: 256 << 20,
            check_interval: Duration::from_secs(10),
            creation_time: Duration::from_secs(5 * 60),
        }
    }
}

impl SlotLimits {
    /// Whether a slot that is behind by so many bytes has to be dropped.
    pub(super) fn is_exceeded(&self, lag: i64) -> bool {
        u64::try_from(lag).is_ok_and(|lag| lag > self.lag)
    }
}

//! A snapshot of Postgres: which transactions have ended. A commit is in the WAL, from which
//! replication reads it, a moment before other sessions see it, and with synchronous replication
//! long before.
//! <https://www.postgresql.org/docs/15/functions-info.html#FUNCTIONS-PG-SNAPSHOT-PARTS>

/// The statement that reads the snapshot of a database.
pub(super) const CURRENT_SNAPSHOT: &str = "SELECT pg_current_snapshot()::text";

/// The parts of a `pg_snapshot`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Snapshot {
    /// All transactions below this id have ended.
    pub(super) oldest: u64,
    /// All transactions from this id on have not begun.
    pub(super) next: u64,
    /// Those in between that run.
    running: Vec<u64>,
}

impl Snapshot {
    /// Reads the text form: `10:20:10,14,15`.
    pub(super) fn parse(text: &str) -> Option<Snapshot> {
        let mut parts = text.split(':');
        let oldest = parts.next()?.parse().ok()?;
        let next = parts.next()?.parse().ok()?;
        let running = parts.next()?.split(',').filter(|id| !id.is_empty());
        let running = running.map(|id| id.parse().ok()).collect::<Option<_>>()?;
        Some(Snapshot {
            oldest,
            next,
            running,
        })
    }

    /// Whether the transaction with this id, given without its epoch, has ended for a statement
    /// with this snapshot.
    pub(super) fn has_ended(&self, xid: u32) -> bool {
        // The id that is nearest to the next one has the epoch of the transaction.
        let distance =
            xid.wrapping_sub(u32::try_from(self.next & u64::from(u32::MAX)).unwrap_or_default());
        let id = self
            .next
            .wrapping_add_signed(i64::from(distance.cast_signed()));
        id < self.oldest || id < self.next && !self.running.contains(&id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transaction_has_ended_unless_it_runs_or_has_not_begun() {
        let snapshot = Snapshot::parse("10:20:10,14,15").unwrap();
        let ended: Vec<u32> = (8..23).filter(|xid| snapshot.has_ended(*xid)).collect();
        assert_eq!(ended, [8, 9, 11, 12, 13, 16, 17, 18, 19]);
        assert!(Snapshot::parse("5:5:").unwrap().has_ended(4));
        for text in ["", "5", "5:6", "a:b:", "5:6:x"] {
            assert_eq!(Snapshot::parse(text), None, "{text}");
        }
    }

    #[test]
    fn ids_without_epoch_are_near_the_snapshot() {
        let epoch = 3_u64 << 32;
        let snapshot =
            Snapshot::parse(&format!("{}:{}:{}", epoch - 10, epoch + 10, epoch - 10)).unwrap();
        assert!(!snapshot.has_ended(u32::MAX - 9) && snapshot.has_ended(u32::MAX - 8));
        assert!(
            snapshot.has_ended(u32::MAX - 20) && snapshot.has_ended(9) && !snapshot.has_ended(10)
        );
    }
}

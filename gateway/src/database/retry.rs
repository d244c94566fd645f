//! Whether a request that failed is tried again, and when.

use std::time::Duration;

use tokio::time::Instant;

use super::{DatabaseError, PATIENCE, TransactionError};

/// Decides whether a request is tried again. Pauses grow, up to the deadline, or for five seconds where the database is away.
#[derive(Debug)]
pub struct Retry {
    deadline: Instant,
    until: Instant,
    pause: Duration,
    again: u32,
    conflicts: u32,
    /// How many connections may still be found to hold a prepared statement that no longer fits.
    stale: usize,
}

/// How often a request that got in the way of another is tried again.
const CONFLICTS: u32 = 5;

impl Retry {
    pub(super) fn new(deadline: Instant, connections: usize) -> Retry {
        let until = deadline.min(Instant::now() + PATIENCE);
        Retry { deadline, until, pause: Duration::from_millis(20), again: 0, conflicts: 0, stale: connections }
    }

    /// Waits and says yes, or says no at once. The request has done nothing so far.
    pub async fn should_retry(&mut self, fault: &DatabaseError) -> bool {
        if matches!(fault, DatabaseError::Refused(refusal) if is_conflict(&refusal.sqlstate)) {
            return self.after_conflict().await;
        }
        // Each connection that is met may hold it, and forgets it.
        if self.stale > 0 && matches!(fault, DatabaseError::Refused(refusal) if refusal.is_stale) {
            self.stale -= 1;
            return true;
        }
        let away = matches!(fault, DatabaseError::Unavailable(_)) && Instant::now() + self.pause < self.until;
        if !away {
            return false;
        }
        // A pool may hold many dead connections, and each is met once: the first tries follow at once.
        if self.again > 0 {
            tokio::time::sleep(self.pause).await;
            self.pause = (self.pause * 2).min(Duration::from_millis(500));
        }
        self.again += 1;
        true
    }

    /// The same for what was to be written: only what left nothing behind is tried again.
    pub async fn should_retry_write(&mut self, failed: &TransactionError) -> bool {
        failed.is_undone() && self.should_retry(&failed.fault).await
    }

    /// Those who met pause for different times, so that they do not meet again.
    async fn after_conflict(&mut self) -> bool {
        use std::hash::{BuildHasher, Hasher};
        let random = std::hash::RandomState::new().build_hasher().finish();
        let most = 10_000_u64 << self.conflicts;
        let pause = Duration::from_micros(most / 2 + random % most);
        if self.conflicts == CONFLICTS || Instant::now() + pause >= self.deadline {
            return false;
        }
        self.conflicts += 1;
        tokio::time::sleep(pause).await;
        true
    }
}

/// A serialization failure, or a deadlock: all was undone, and the next time it may go well.
fn is_conflict(sqlstate: &str) -> bool {
    matches!(sqlstate, "40001" | "40P01")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::database::{FailurePoint, PostgresError};

    #[tokio::test]
    async fn reads_are_tried_again_while_the_database_is_away() {
        let away = DatabaseError::Unavailable("gone".into());
        let deadline = Instant::now() + Duration::from_secs(60);
        let mut retry = Retry::new(deadline, 1);
        assert!(retry.should_retry(&away).await);
        assert!(retry.should_retry(&away).await);
        retry.until = Instant::now();
        assert!(!retry.should_retry(&away).await);
        let refusal = |sqlstate: &str| {
            DatabaseError::Refused(PostgresError { sqlstate: sqlstate.to_owned(), ..PostgresError::default() })
        };
        let mut retry = Retry::new(deadline, 1);
        assert!(!retry.should_retry(&refusal("22012")).await);
        let stale = DatabaseError::Refused(PostgresError { is_stale: true, ..PostgresError::default() });
        assert!(retry.should_retry(&stale).await);
        assert!(!retry.should_retry(&stale).await);
        assert!(!Retry::new(deadline, 1).should_retry(&refusal("0A000")).await);
        for _ in 0..CONFLICTS {
            assert!(retry.should_retry(&refusal("40P01")).await);
        }
        assert!(!retry.should_retry(&refusal("40001")).await);
    }

    #[tokio::test]
    async fn only_what_left_nothing_behind_is_written_again() {
        let mut retry = Retry::new(Instant::now() + Duration::from_secs(60), 1);
        let deadlock = DatabaseError::Refused(PostgresError { sqlstate: "40P01".into(), ..PostgresError::default() });
        let away = DatabaseError::Unavailable("gone".into());
        let expected = [
            (&deadlock, FailurePoint::Step(1), true),
            (&deadlock, FailurePoint::End, true),
            (&deadlock, FailurePoint::Begin, false),
            (&away, FailurePoint::Before, true),
            (&away, FailurePoint::Step(0), false),
            (&away, FailurePoint::End, false),
            (&DatabaseError::Late(Duration::ZERO), FailurePoint::Late, false),
        ];
        for (fault, when, again) in expected {
            let failed = TransactionError { fault: fault.clone(), when };
            assert_eq!(retry.should_retry_write(&failed).await, again, "{failed:?}");
        }
    }
}

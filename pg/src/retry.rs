//! Decides whether a failed request is retried, and waits between the attempts.

use std::time::Duration;

use tokio::time::Instant;

use crate::deadline::RECONNECT_TIMEOUT;
use crate::error::DatabaseError;
use crate::error::transaction_error::TransactionError;

/// The retry state of one request. Pauses grow. Conflicts are retried until the deadline, an
/// unavailable database for at most five seconds.
#[derive(Debug)]
pub struct Retry {
    deadline: Instant,
    until: Instant,
    pause: Duration,
    attempts: u32,
    conflicts: u32,
    /// How many more connections may turn out to hold a stale prepared statement.
    stale: usize,
}

/// The maximum number of retries after a serialization failure or deadlock.
const MAX_CONFLICT_RETRIES: u32 = 5;

impl Retry {
    pub(crate) fn new(deadline: Instant, connections: usize) -> Retry {
        let until = deadline.min(Instant::now() + RECONNECT_TIMEOUT);
        Retry {
            deadline,
            until,
            pause: Duration::from_millis(20),
            attempts: 0,
            conflicts: 0,
            stale: connections,
        }
    }

    /// Returns whether to retry, after the necessary pause. The request must have had no effect so
    /// far.
    pub async fn should_retry(&mut self, fault: &DatabaseError) -> bool {
        if matches!(fault, DatabaseError::Refused(refusal) if is_conflict(&refusal.sqlstate)) {
            return self.after_conflict().await;
        }
        // Each connection of the pool may hold the stale statement; a connection that reports it
        // closes it.
        if self.stale > 0 && matches!(fault, DatabaseError::Refused(refusal) if refusal.is_stale) {
            self.stale -= 1;
            return true;
        }
        let away = matches!(fault, DatabaseError::Unavailable(_))
            && Instant::now() + self.pause < self.until;
        if !away {
            return false;
        }
        // The pool may contain several dead connections, each of which fails once, so the first
        // retry needs no pause.
        if self.attempts > 0 {
            tokio::time::sleep(self.pause).await;
            self.pause = (self.pause * 2).min(Duration::from_millis(500));
        }
        self.attempts += 1;
        true
    }

    /// Like [`Retry::should_retry`] for mutations: retries only if all changes were undone.
    pub async fn should_retry_write(&mut self, failed: &TransactionError) -> bool {
        failed.is_undone() && self.should_retry(&failed.fault).await
    }

    /// Pauses for a random time, so that the conflicting requests do not collide again.
    async fn after_conflict(&mut self) -> bool {
        use std::hash::{BuildHasher, Hasher};
        let random = std::hash::RandomState::new().build_hasher().finish();
        let most = 10_000_u64 << self.conflicts;
        let pause = Duration::from_micros(most / 2 + random % most);
        if self.conflicts == MAX_CONFLICT_RETRIES || Instant::now() + pause >= self.deadline {
            return false;
        }
        self.conflicts += 1;
        tokio::time::sleep(pause).await;
        true
    }
}

/// Whether this is a serialization failure or a deadlock: the transaction was undone and may
/// succeed when retried.
fn is_conflict(sqlstate: &str) -> bool {
    matches!(sqlstate, "40001" | "40P01")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::PostgresError;
    use crate::error::transaction_error::FailurePoint;

    #[tokio::test]
    async fn reads_are_retried_while_the_database_is_unavailable() {
        let away = DatabaseError::Unavailable("gone".into());
        let deadline = Instant::now() + Duration::from_secs(60);
        let mut retry = Retry::new(deadline, 1);
        assert!(retry.should_retry(&away).await);
        assert!(retry.should_retry(&away).await);
        retry.until = Instant::now();
        assert!(!retry.should_retry(&away).await);
        let refusal = |sqlstate: &str| {
            DatabaseError::Refused(PostgresError {
                sqlstate: sqlstate.to_owned(),
                ..PostgresError::default()
            })
        };
        let mut retry = Retry::new(deadline, 1);
        assert!(!retry.should_retry(&refusal("22012")).await);
        let stale = DatabaseError::Refused(PostgresError {
            is_stale: true,
            ..PostgresError::default()
        });
        assert!(retry.should_retry(&stale).await);
        assert!(!retry.should_retry(&stale).await);
        assert!(
            !Retry::new(deadline, 1)
                .should_retry(&refusal("0A000"))
                .await
        );
        for _ in 0..MAX_CONFLICT_RETRIES {
            assert!(retry.should_retry(&refusal("40P01")).await);
        }
        assert!(!retry.should_retry(&refusal("40001")).await);
    }

    #[tokio::test]
    async fn writes_are_retried_only_if_undone() {
        let mut retry = Retry::new(Instant::now() + Duration::from_secs(60), 1);
        let deadlock = DatabaseError::Refused(PostgresError {
            sqlstate: "40P01".into(),
            ..PostgresError::default()
        });
        let away = DatabaseError::Unavailable("gone".into());
        let expected = [
            (&deadlock, FailurePoint::Step(1), true),
            (&deadlock, FailurePoint::End, true),
            (&deadlock, FailurePoint::Begin, false),
            (&away, FailurePoint::Before, true),
            (&away, FailurePoint::Step(0), false),
            (&away, FailurePoint::End, false),
            (
                &DatabaseError::Timeout(Duration::ZERO),
                FailurePoint::Late,
                false,
            ),
        ];
        for (fault, when, again) in expected {
            let failed = TransactionError {
                fault: fault.clone(),
                when,
            };
            assert_eq!(retry.should_retry_write(&failed).await, again, "{failed:?}");
        }
    }
}

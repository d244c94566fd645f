//! The queue for connections: slots that roles, users and addresses share, as many as the pool has
//! connections, with a maximum time of waiting beside the deadlines of requests. Using a connection
//! is left to [`crate::connection`].

use std::num::NonZeroU64;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use crate::error::{DatabaseError, QueueError};
use crate::observer::Observer;
use crate::sharing::{ShareKey, SharedSlots, Slot, SlotError, SlotSharing};

/// The shares of the pool and the limits of the queue.
#[derive(Clone, Copy, Debug)]
pub struct QueueSettings {
    /// The maximum number of connections that one user, or one address, may hold.
    pub client_limit: usize,
    /// The maximum number of waiting requests.
    pub length: usize,
    /// The maximum time that a request may wait.
    pub time: Duration,
}

/// The role, user and address that a connection is acquired for.
#[derive(Clone, Copy, Debug, Default)]
pub struct Requester {
    key: ShareKey,
    /// The maximum number of connections that the role may hold.
    role_limit: Option<usize>,
}

/// Grants the right to hold a connection.
#[derive(Clone, Debug)]
pub(crate) struct Queue {
    slots: SharedSlots,
    time: Duration,
    observer: Arc<dyn Observer>,
}

impl Default for QueueSettings {
    /// No shares, and no limits except the deadlines of requests.
    fn default() -> QueueSettings {
        QueueSettings {
            client_limit: usize::MAX,
            length: usize::MAX,
            time: Duration::from_secs(3600),
        }
    }
}

impl Requester {
    /// The requester for a caller whose role has this connection limit.
    pub fn new(key: ShareKey, limit: usize) -> Requester {
        Requester {
            key,
            role_limit: Some(limit),
        }
    }

    /// Digests of the user and the address, by which a caller is known.
    pub fn user_and_address(&self) -> [Option<NonZeroU64>; 2] {
        [self.key.user, self.key.address]
    }

    /// What the caller is counted by.
    pub fn key(&self) -> ShareKey {
        self.key
    }

    /// The maximum number of connections that its role may hold.
    pub(crate) fn role_limit(&self) -> usize {
        self.role_limit.map_or(usize::MAX, |limit| limit.max(1))
    }
}

impl Queue {
    pub(crate) fn new(
        connections: usize,
        settings: &QueueSettings,
        observer: Arc<dyn Observer>,
    ) -> Queue {
        let slots = SharedSlots::new(SlotSharing {
            slots: connections,
            client_limit: settings.client_limit,
            waiting: settings.length,
        });
        Queue {
            slots,
            time: settings.time,
            observer,
        }
    }

    /// Waits for a slot until the deadline or the maximum waiting time of the queue.
    pub(crate) async fn acquire(
        &self,
        requester: &Requester,
        deadline: Instant,
        limit: Duration,
    ) -> Result<Slot, DatabaseError> {
        let key = requester.key;
        let role_limit = requester.role_limit();
        if let Some(slot) = self.slots.try_acquire(key, role_limit) {
            return Ok(slot);
        }
        let end = Instant::now() + self.time;
        let slot = self.slots.acquire(key, role_limit, deadline.min(end)).await;
        slot.map_err(|error| match error {
            SlotError::Full => {
                self.observer.queue_is_full();
                DatabaseError::Queue(QueueError::Full)
            }
            SlotError::Time if end < deadline => {
                self.observer.queue_time_is_over();
                DatabaseError::Queue(QueueError::Time(self.time))
            }
            SlotError::Time => DatabaseError::Timeout(limit),
        })
    }

    /// The number of waiting requests.
    pub(crate) fn waiting(&self) -> usize {
        self.slots.waiting()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observer::NoObserver;

    #[tokio::test]
    async fn waiting_ends_at_the_queue_time_and_at_the_deadline() {
        let time = Duration::from_millis(20);
        let queue = Queue::new(
            1,
            &QueueSettings {
                time,
                ..QueueSettings::default()
            },
            Arc::new(NoObserver),
        );
        let one = Requester::default();
        let limit = Duration::from_secs(60);
        let _held = queue
            .acquire(&one, Instant::now() + limit, limit)
            .await
            .unwrap();
        let crowded = queue.acquire(&one, Instant::now() + limit, limit).await;
        assert!(
            matches!(crowded, Err(DatabaseError::Queue(QueueError::Time(_)))),
            "{crowded:?}"
        );
        let late = queue
            .acquire(&one, Instant::now(), Duration::from_secs(1))
            .await;
        assert!(matches!(late, Err(DatabaseError::Timeout(_))), "{late:?}");
        assert_eq!(queue.waiting(), 0);
    }
}

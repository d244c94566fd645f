//! The lock of idle gateways. `NOTIFY` takes a lock of the whole database until the commit is
//! durable, so a transaction that adds an event notifies only while a gateway is idle.
//!
//! ```text
//! gateway   nothing is due ──▶ gets the exclusive lock ──▶ looks once more ──▶ sleeps, listening
//! writer    adds an event ──▶ gets the shared lock? ── yes: no gateway is idle. It keeps the lock until it ends
//!                                                  └── no:  NOTIFY
//! ```
//!
//! A gateway gets the lock only when each transaction that did not notify has ended, and then finds
//! what it has added. A gateway without the lock polls.

use std::time::Duration;

use pg::{Database, DatabaseError, Listener, ListenerEvent};

macro_rules! channel {
    () => {
        "postern_event"
    };
}

/// The channel on which the queue notifies of new events.
pub(super) const CHANNEL: &str = channel!();

/// The numbers of the advisory lock: `post`, `ev`.
macro_rules! lock {
    () => {
        "1886352244, 25974"
    };
}

/// Whether no gateway is idle. If it is true, it stays so until the transaction ends.
macro_rules! no_gateway_is_idle {
    () => {
        concat!("pg_catalog.pg_try_advisory_xact_lock_shared(", lock!(), ")")
    };
}

/// The condition under which a transaction that adds an event notifies.
pub(super) const IS_IDLE: &str = concat!("NOT ", no_gateway_is_idle!());

/// Notifies if a gateway is idle, as an expression.
pub(super) const ANNOUNCE: &str = concat!(
    "CASE WHEN ",
    no_gateway_is_idle!(),
    " THEN '' ELSE pg_catalog.pg_notify('",
    channel!(),
    "', '')::text END"
);

const TAKE: &str = concat!(
    "SELECT pg_catalog.pg_try_advisory_lock(",
    lock!(),
    ")::text"
);
const RELEASE: &str = concat!("SELECT pg_catalog.pg_advisory_unlock(", lock!(), ")::text");

/// How long a gateway waits that does not get the lock: a writer usually ends soon.
const LOCK_RETRY_DELAY: Duration = Duration::from_millis(5);

/// How often a gateway looks that could be idle but does not have the lock.
pub(super) const POLL_INTERVAL: Duration = Duration::from_secs(1);

/// A gateway that has found events so many times in succession is busy.
const BUSY_AFTER_CLAIMS: u32 = 2;

/// The idleness of this gateway.
#[derive(Debug)]
pub(super) struct Idle {
    /// `None` if the gateway delivers nothing, or has no session of its own.
    listener: Option<Listener>,
    lock: Lock,
    /// The pause before the lock is asked for again.
    pause: Duration,
    /// How many claims in succession have found events.
    found: u32,
}

/// What is known of the lock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lock {
    /// The gateway is not connected.
    Disconnected,
    /// The gateway has not asked for it.
    Free,
    /// The gateway has it, so every transaction that adds an event notifies.
    Held,
    /// Another gateway has it, or a transaction that did not notify has not ended.
    Taken,
    /// The server does not let the gateway listen, or have locks.
    Refused,
}

impl Idle {
    /// One that follows no database yet.
    pub(super) fn new() -> Idle {
        Idle {
            listener: None,
            lock: Lock::Refused,
            pause: LOCK_RETRY_DELAY,
            found: 0,
        }
    }

    /// Listens to a database from now on, if it has sessions; to none if the gateway delivers
    /// nothing.
    pub(super) fn follow(&mut self, database: Option<&Database>) {
        let listener = database
            .filter(|database| database.has_sessions())
            .map(|database| database.listen(CHANNEL));
        let lock = if listener.is_some() {
            Lock::Disconnected
        } else {
            Lock::Refused
        };
        *self = Idle {
            listener,
            lock,
            ..Idle::new()
        };
    }

    /// Waits until an event was added, or it is not certain that none was. Nothing is lost if the
    /// future is dropped.
    pub(super) async fn woken(&mut self) {
        let Some(listener) = &mut self.listener else {
            return std::future::pending().await;
        };
        match listener.next().await {
            ListenerEvent::Connected => self.lock = Lock::Free,
            ListenerEvent::Notification(_) => {}
            ListenerEvent::Lost(cause) => {
                tracing::warn!(%cause, "the connection for notifications of events was lost");
                self.fail(&cause);
            }
        }
    }

    /// Notes that a claim has found events. A busy gateway gives the lock back, so that writers
    /// need not notify.
    pub(super) async fn found_some(&mut self) {
        self.found = self.found.saturating_add(1);
        self.pause = LOCK_RETRY_DELAY;
        if self.lock != Lock::Held || self.found < BUSY_AFTER_CLAIMS {
            return;
        }
        match self.ask(RELEASE).await {
            Some(true) => self.lock = Lock::Free,
            // Another session has it: there is a pooler that the gateway does not know of.
            Some(false) => *self = Idle::new(),
            None => {}
        }
    }

    /// Notes that a claim has found nothing; `poll` is how often a gateway with the lock looks.
    /// Returns the time until the next claim.
    pub(super) async fn found_none(&mut self, poll: Duration) -> Duration {
        self.found = 0;
        if self.lock == Lock::Held {
            return poll;
        }
        if matches!(self.lock, Lock::Free | Lock::Taken)
            && let Some(is_held) = self.ask(TAKE).await
        {
            self.lock = if is_held { Lock::Held } else { Lock::Taken };
        }
        match self.lock {
            // What was added before it got the lock did not notify.
            Lock::Held => Duration::ZERO,
            Lock::Taken => {
                let pause = self.pause;
                self.pause = (pause * 2).min(POLL_INTERVAL);
                pause.min(poll)
            }
            Lock::Free | Lock::Disconnected => POLL_INTERVAL.min(poll),
            Lock::Refused => poll,
        }
    }

    /// Whether each event that is added notifies this gateway.
    pub(super) fn is_held(&self) -> bool {
        self.lock == Lock::Held
    }

    /// Runs a statement that returns a boolean; `None` if it fails.
    async fn ask(&mut self, statement: &str) -> Option<bool> {
        match self.listener.as_mut()?.ask(statement).await {
            Ok(response) => Some(response == "true"),
            Err(cause) => {
                tracing::warn!(%cause, "the gateway cannot have the lock of idle gateways");
                self.fail(&cause);
                None
            }
        }
    }

    fn fail(&mut self, cause: &DatabaseError) {
        self.lock = if matches!(cause, DatabaseError::Unavailable(_)) {
            Lock::Disconnected
        } else {
            Lock::Refused
        };
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn migrations_have_the_same_lock() {
        let idle = include_str!("migrations/event_idle.sql");
        assert!(
            idle.contains(concat!(
                "IF NOT pg_try_advisory_xact_lock_shared(",
                lock!(),
                ")"
            )),
            "{idle}"
        );
    }

    #[test]
    fn lock_has_the_name_of_the_gateway() {
        let numbers: Vec<i32> = lock!()
            .split(", ")
            .map(|number| number.parse().unwrap())
            .collect();
        assert_eq!(numbers[0].to_be_bytes(), *b"post");
        assert_eq!(numbers[1].to_be_bytes(), *b"\0\0ev");
    }
}

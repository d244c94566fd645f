//! Reserved event streams, by their tokens. A reservation that is not opened in time expires.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use pg::memory;
use uuid::Uuid;

use crate::auth::session::Session;
use crate::http::app::App;
use crate::http::operations::Operations;
use crate::http::sockets::SocketSlot;
use crate::subscriptions::outbox::OutboxReader;

/// The reserved and open event streams of a gateway.
#[derive(Debug, Default)]
pub(in crate::http) struct Reservations(Mutex<HashMap<String, Arc<Reservation>>>);

/// A reserved event stream.
#[derive(Debug)]
pub(super) struct Reservation {
    /// The caller who has reserved it.
    pub(super) session: Session,
    /// The operations that send their events to it.
    pub(super) operations: Operations,
    /// Taken when the stream is opened.
    results: Mutex<Option<OutboxReader>>,
    /// Held while the stream is reserved or open.
    pub(super) memory: memory::Reservation,
    _slot: SocketSlot,
}

impl Reservations {
    /// Adds a reservation, which expires after this time, and returns its token.
    pub(super) fn insert(
        self: &Arc<Reservations>,
        reservation: Reservation,
        time: Duration,
    ) -> String {
        let token = Uuid::new_v4().simple().to_string();
        self.streams().insert(token.clone(), Arc::new(reservation));
        let reservations = Arc::downgrade(self);
        let expiring = token.clone();
        tokio::spawn(async move {
            tokio::time::sleep(time).await;
            if let Some(reservations) = reservations.upgrade() {
                reservations.expire(&expiring);
            }
        });
        token
    }

    /// The stream with this token.
    pub(super) fn get(&self, token: &str) -> Option<Arc<Reservation>> {
        self.streams().get(token).cloned()
    }

    /// Removes a stream and ends its operations.
    pub(super) fn remove(&self, token: &str) {
        let removed = self.streams().remove(token);
        if let Some(reservation) = removed {
            reservation.operations.end_all();
        }
    }

    /// Removes a reservation that has not been opened.
    fn expire(&self, token: &str) {
        if self
            .get(token)
            .is_some_and(|reservation| reservation.open().is_some())
        {
            self.remove(token);
        }
    }

    fn streams(&self) -> MutexGuard<'_, HashMap<String, Arc<Reservation>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Reservation {
    /// A reservation of this caller, without operations.
    pub(super) fn new(
        app: &App,
        session: Session,
        slot: SocketSlot,
        memory: memory::Reservation,
    ) -> Reservation {
        let (operations, results) = Operations::new(app);
        Reservation {
            session,
            operations,
            results: Mutex::new(Some(results)),
            memory,
            _slot: slot,
        }
    }

    /// The results of its operations; `None` if the stream has been opened before.
    pub(super) fn open(&self) -> Option<OutboxReader> {
        self.results
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .take()
    }
}

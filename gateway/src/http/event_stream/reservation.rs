//! Reserved event streams, by their tokens. A reservation that is not opened in time expires. One
//! that another gateway has made is taken over by its signed token.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use pg::memory;

use crate::auth::session::Session;
use crate::http::app::App;
use crate::http::operations::Operations;
use crate::http::sockets::SocketSlot;
use crate::subscriptions::outbox::OutboxReader;

/// The reserved and open event streams of a gateway.
#[derive(Debug, Default)]
pub(in crate::http) struct Reservations(Mutex<HashMap<String, StreamState>>);

#[derive(Debug)]
enum StreamState {
    Live(Arc<Reservation>),
    /// The stream has ended, and its token holds still.
    Ended,
}

/// A reserved event stream.
#[derive(Debug)]
pub(super) struct Reservation {
    /// The caller who has reserved it.
    pub(super) session: Session,
    /// The operations that send their events to it.
    pub(super) operations: Operations,
    /// Taken when the stream is opened.
    results: Mutex<Option<OutboxReader>>,
    /// Whether the time of its token is over.
    has_expired: AtomicBool,
    /// Whether operations were sent to it.
    pub(super) has_operations: AtomicBool,
    /// Held while the stream is reserved or open.
    pub(super) memory: memory::Reservation,
    _slot: SocketSlot,
}

impl Reservations {
    /// Adds a reservation with this token, which expires after this time, unless there is one.
    /// Returns the one that there is; `None` if its stream has ended.
    pub(super) fn insert(
        self: &Arc<Reservations>,
        token: &str,
        reservation: Reservation,
        time: Duration,
    ) -> Option<Arc<Reservation>> {
        let mut streams = self.streams();
        match streams.get(token) {
            Some(StreamState::Live(reservation)) => return Some(reservation.clone()),
            Some(StreamState::Ended) => return None,
            None => {}
        }
        let reservation = Arc::new(reservation);
        streams.insert(token.to_owned(), StreamState::Live(reservation.clone()));
        drop(streams);
        let reservations = Arc::downgrade(self);
        let expiring = token.to_owned();
        tokio::spawn(async move {
            tokio::time::sleep(time).await;
            if let Some(reservations) = reservations.upgrade() {
                reservations.expire(&expiring);
            }
        });
        Some(reservation)
    }

    /// The stream with this token.
    pub(super) fn get(&self, token: &str) -> Option<Arc<Reservation>> {
        match self.streams().get(token) {
            Some(StreamState::Live(reservation)) => Some(reservation.clone()),
            Some(StreamState::Ended) | None => None,
        }
    }

    /// Ends a stream and its operations.
    pub(super) fn end(&self, token: &str) {
        let ended = match self.streams().get_mut(token) {
            Some(state) => std::mem::replace(state, StreamState::Ended),
            None => return,
        };
        if let StreamState::Live(reservation) = ended {
            reservation.operations.end_all();
            if reservation.has_expired.load(Ordering::Relaxed) {
                self.streams().remove(token);
            }
        }
    }

    /// Ends a reservation that has not been opened. The token of one that has been opened is
    /// forgotten when its stream ends.
    fn expire(&self, token: &str) {
        let Some(reservation) = self.get(token) else {
            self.streams().remove(token);
            return;
        };
        reservation.has_expired.store(true, Ordering::Relaxed);
        if reservation.open().is_some() {
            if reservation.has_operations.load(Ordering::Relaxed) {
                tracing::warn!(
                    "operations were sent to an event stream that no request has opened; behind \
                     a balancer, all requests with one token have to reach one gateway"
                );
            }
            self.end(token);
        } else if self.get(token).is_none() {
            // Its stream has ended meanwhile.
            self.streams().remove(token);
        }
    }

    fn streams(&self) -> MutexGuard<'_, HashMap<String, StreamState>> {
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
            has_operations: AtomicBool::new(false),
            has_expired: AtomicBool::new(false),
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

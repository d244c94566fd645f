//! What all WebSockets and event streams of a server share: their limits, how many each client address has open, and
//! the signal that ends them when the server stops.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tokio::sync::{Semaphore, watch};
use tokio::time::Instant;

use super::credential_check::CHECKS_AT_ONCE;
use super::event_stream::Reservations;
use super::websocket::SocketLimits;
use crate::limits::LimitExceeded;

/// The open sockets and event streams of a server.
#[derive(Debug)]
pub struct Sockets {
    /// Their limits, which a reload may replace.
    limits: RwLock<Arc<SocketLimits>>,
    /// The event streams that operations are sent to by other requests.
    pub(super) reservations: Reservations,
    /// The turns of sockets and event streams that are authenticated again after a reload.
    pub(super) checks: Semaphore,
    by_address: Arc<Mutex<HashMap<Option<IpAddr>, usize>>>,
    /// Whether the server stops. Every socket and event stream holds a receiver for as long as it is open.
    stopping: watch::Sender<bool>,
}

/// The place of a socket among those of its client address. Dropping it makes the place free.
#[derive(Debug)]
pub(super) struct SocketPlace {
    by_address: Arc<Mutex<HashMap<Option<IpAddr>, usize>>>,
    address: Option<IpAddr>,
}

/// Ten years.
const FAR: Duration = Duration::from_secs(10 * 365 * 86400);

impl Sockets {
    /// No sockets, with these limits.
    pub(super) fn new(limits: SocketLimits) -> Sockets {
        let (by_address, stopping) = (Arc::default(), watch::Sender::new(false));
        let checks = Semaphore::new(CHECKS_AT_ONCE);
        let limits = RwLock::new(Arc::new(limits));
        Sockets { limits, reservations: Reservations::default(), checks, by_address, stopping }
    }

    /// Their limits.
    pub fn limits(&self) -> Arc<SocketLimits> {
        self.limits.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Replaces the limits. Open sockets keep their message rate and the times that have begun.
    pub fn set_limits(&self, limits: SocketLimits) {
        *self.limits.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(limits);
    }

    /// Takes a place for a socket of this address, unless it has as many as it may have.
    pub(super) fn open(&self, address: Option<IpAddr>) -> Result<SocketPlace, LimitExceeded> {
        let limit = self.limits().per_address;
        let mut by_address = self.by_address.lock().unwrap_or_else(PoisonError::into_inner);
        let open = by_address.entry(address).or_default();
        if *open >= limit {
            return Err(LimitExceeded::Sockets(limit));
        }
        *open += 1;
        Ok(SocketPlace { by_address: self.by_address.clone(), address })
    }

    /// A receiver of the signal to stop. [`Sockets::closed`] waits until it is dropped.
    pub(super) fn stopping(&self) -> watch::Receiver<bool> {
        self.stopping.subscribe()
    }

    /// Makes all sockets and event streams end: subscriptions at once, queries and mutations when they are answered.
    pub fn stop(&self) {
        self.stopping.send_replace(true);
    }

    /// Waits until all sockets and event streams have ended.
    pub async fn closed(&self) {
        self.stopping.closed().await;
    }
}

impl Drop for SocketPlace {
    fn drop(&mut self) {
        let mut by_address = self.by_address.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(open) = by_address.get_mut(&self.address) {
            *open -= 1;
            if *open == 0 {
                by_address.remove(&self.address);
            }
        }
    }
}

/// Waits until the server stops.
pub(super) async fn stopped(stopping: &mut watch::Receiver<bool>) {
    // An error means that the server is gone.
    let _ = stopping.wait_for(|is_stopping| *is_stopping).await;
}

/// The instant of a time in seconds since 1970; `None` if it is so far away that nothing waits for it.
pub(super) fn instant_of(seconds: u64) -> Option<Instant> {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let left = Duration::from_secs(seconds).saturating_sub(since);
    (left < FAR).then(|| Instant::now() + left)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn place_is_free_again_when_its_socket_ends() {
        let sockets = Sockets::new(SocketLimits { per_address: 2, ..SocketLimits::default() });
        let here = Some(IpAddr::from([127, 0, 0, 1]));
        let places = [sockets.open(here).unwrap(), sockets.open(here).unwrap()];
        assert_eq!(sockets.open(here).unwrap_err(), LimitExceeded::Sockets(2));
        assert!(sockets.open(Some(IpAddr::from([127, 0, 0, 2]))).is_ok());
        sockets.set_limits(SocketLimits { per_address: 1, ..SocketLimits::default() });
        let [place, other] = places;
        drop(place);
        assert_eq!(sockets.open(here).unwrap_err(), LimitExceeded::Sockets(1));
        drop(other);
        assert!(sockets.open(here).is_ok());
        assert!(sockets.by_address.lock().unwrap().is_empty());
    }
}

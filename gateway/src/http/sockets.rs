//! What all WebSockets and event streams share: their limits, which apply beside those of requests,
//! how many each client address has open, and the signal that ends them when the gateway stops.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tokio::sync::{Semaphore, watch};
use tokio::time::Instant;

use crate::config::Config;
use crate::limits::LimitExceeded;

/// The open sockets and event streams of a gateway.
#[derive(Debug)]
pub struct Sockets {
    /// Their limits, which a reload may replace.
    limits: RwLock<Arc<SocketLimits>>,
    /// The turns of sockets and event streams that are authenticated again after a reload.
    pub(super) checks: Semaphore,
    open_by_address: Arc<Mutex<HashMap<Option<IpAddr>, usize>>>,
    /// Whether the server stops. Every socket and event stream holds a receiver for as long as it
    /// is open.
    stopping: watch::Sender<bool>,
}

/// Counts a socket among those of its client address until it is dropped.
#[derive(Debug)]
pub(super) struct SocketSlot {
    open_by_address: Arc<Mutex<HashMap<Option<IpAddr>, usize>>>,
    address: Option<IpAddr>,
}

/// When a socket has to end, so that its client opens another one, perhaps on another gateway.
#[derive(Clone, Debug)]
pub(super) struct SocketEnding {
    stopping: watch::Receiver<bool>,
    ends_at: Option<Instant>,
}

/// By which part of it the maximum age of a socket is shortened at most.
const MAX_AGE_JITTER: f64 = 0.2;

/// Nothing waits for longer: ten years.
const MAX_WAIT: Duration = Duration::from_secs(10 * 365 * 86400);

/// How many sockets and event streams are authenticated at the same time after a reload: each may
/// take a request to a webhook.
const MAX_CREDENTIAL_CHECKS: usize = 16;

impl Sockets {
    /// No sockets, with these limits.
    pub fn new(limits: SocketLimits) -> Sockets {
        Sockets {
            limits: RwLock::new(Arc::new(limits)),
            checks: Semaphore::new(MAX_CREDENTIAL_CHECKS),
            open_by_address: Arc::default(),
            stopping: watch::Sender::new(false),
        }
    }

    /// Their limits.
    pub fn limits(&self) -> Arc<SocketLimits> {
        self.limits
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Replaces the limits. Open sockets keep their message rate and the times that have begun.
    pub fn set_limits(&self, limits: SocketLimits) {
        *self.limits.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(limits);
    }

    /// Takes a slot for a socket of this address, unless it has as many as it may have.
    pub(super) fn open(&self, address: Option<IpAddr>) -> Result<SocketSlot, LimitExceeded> {
        let limit = self.limits().per_address;
        let mut open_by_address = self
            .open_by_address
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let open = open_by_address.entry(address).or_default();
        if *open >= limit {
            return Err(LimitExceeded::Sockets(limit));
        }
        *open += 1;
        Ok(SocketSlot {
            open_by_address: self.open_by_address.clone(),
            address,
        })
    }

    /// The end of a socket that opens now. [`Sockets::closed`] waits until it is dropped.
    pub(super) fn ending(&self) -> SocketEnding {
        let max_age = self.limits().max_age;
        // Sockets that were opened together, after a restart, do not end together.
        let jitter = 1.0 - MAX_AGE_JITTER * rand::random::<f64>();
        SocketEnding {
            stopping: self.stopping.subscribe(),
            ends_at: max_age.map(|age| Instant::now() + age.mul_f64(jitter)),
        }
    }

    /// Makes all sockets and event streams end: subscriptions at once, queries and mutations when
    /// they are answered.
    pub fn stop(&self) {
        self.stopping.send_replace(true);
    }

    /// Waits until all sockets and event streams have ended.
    pub async fn closed(&self) {
        self.stopping.closed().await;
    }
}

impl Drop for SocketSlot {
    fn drop(&mut self) {
        let mut open_by_address = self
            .open_by_address
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        if let Some(open) = open_by_address.get_mut(&self.address) {
            *open -= 1;
            if *open == 0 {
                open_by_address.remove(&self.address);
            }
        }
    }
}

/// The limits of WebSockets and event streams.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SocketLimits {
    /// Sockets and event-stream reservations that one client address may have open.
    pub per_address: usize,
    /// Messages a second that are read from a socket. A client may send twice as many at once;
    /// further messages wait.
    pub messages_per_second: u32,
    /// Operations that may run at the same time on a socket or an event stream.
    pub operations: usize,
    /// Bytes of results that may wait for a client that has stopped reading.
    pub queued_bytes: usize,
    /// From the handshake to the end of authentication by `connection_init`.
    pub init_time: Duration,
    /// Between two pings, each of which has to be answered before the next one.
    pub ping_interval: Duration,
    /// Between two comments on an event stream, which keep proxies from closing it.
    pub comment_interval: Duration,
    /// How long a frame may wait for a client that does not read.
    pub write_time: Duration,
    /// How long a reserved event stream may stay unopened.
    pub reservation_time: Duration,
    /// How old a socket or an event stream may become; none: any age.
    pub max_age: Option<Duration>,
    /// How long shared caches may hold the event stream of a live query that is the same for all
    /// callers without credentials; none if they may not.
    pub shared_max_age: Option<Duration>,
}

impl SocketLimits {
    /// The limits of a configuration.
    pub fn new(config: &Config) -> SocketLimits {
        let shared_max_age = Some(config.event_stream_max_age).filter(|seconds| *seconds > 0);
        SocketLimits {
            per_address: config.socket_limit,
            operations: config.socket_operation_limit,
            messages_per_second: u32::try_from(config.socket_message_rate).unwrap_or(u32::MAX),
            queued_bytes: config.socket_queue_limit,
            init_time: config.socket_init_timeout,
            ping_interval: config.socket_keep_alive,
            comment_interval: config.socket_keep_alive,
            max_age: Some(config.socket_max_age.0).filter(|age| !age.is_zero()),
            shared_max_age: shared_max_age.map(|seconds| Duration::from_secs(seconds as u64)),
            ..SocketLimits::default()
        }
    }
}

impl Default for SocketLimits {
    fn default() -> SocketLimits {
        SocketLimits {
            per_address: 16_384,
            messages_per_second: 1000,
            operations: 1000,
            queued_bytes: 16 << 20,
            init_time: Duration::from_secs(10),
            ping_interval: Duration::from_secs(15),
            comment_interval: Duration::from_secs(12),
            write_time: Duration::from_secs(30),
            reservation_time: Duration::from_secs(30),
            max_age: None,
            shared_max_age: None,
        }
    }
}

impl SocketEnding {
    /// Waits until the server stops, or the socket is too old. Returns the reason.
    pub(super) async fn wait(&mut self) -> &'static str {
        let stopped = async {
            // An error means that the server is gone.
            let _ = self.stopping.wait_for(|is_stopping| *is_stopping).await;
            "the gateway stops or restarts"
        };
        match self.ends_at {
            None => stopped.await,
            Some(ends_at) => tokio::select! {
                reason = stopped => reason,
                () = tokio::time::sleep_until(ends_at) => "the socket has reached its maximum age",
            },
        }
    }
}

/// The instant of a time in seconds since 1970; `None` if it is so far away that nothing waits for
/// it.
pub(super) fn instant_of(seconds: u64) -> Option<Instant> {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    let left = Duration::from_secs(seconds).saturating_sub(since);
    (left < MAX_WAIT).then(|| Instant::now() + left)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slot_is_free_again_when_its_socket_ends() {
        let sockets = Sockets::new(SocketLimits {
            per_address: 2,
            ..SocketLimits::default()
        });
        let address = Some(IpAddr::from([127, 0, 0, 1]));
        let slots = [
            sockets.open(address).unwrap(),
            sockets.open(address).unwrap(),
        ];
        assert_eq!(
            sockets.open(address).unwrap_err(),
            LimitExceeded::Sockets(2)
        );
        assert!(sockets.open(Some(IpAddr::from([127, 0, 0, 2]))).is_ok());
        sockets.set_limits(SocketLimits {
            per_address: 1,
            ..SocketLimits::default()
        });
        let [slot, other] = slots;
        drop(slot);
        assert_eq!(
            sockets.open(address).unwrap_err(),
            LimitExceeded::Sockets(1)
        );
        drop(other);
        assert!(sockets.open(address).is_ok());
        assert!(sockets.open_by_address.lock().unwrap().is_empty());
    }
}

//! The limits of WebSockets and event streams, which apply beside those of requests: an operation on a socket is
//! limited like a request over HTTP.

use std::time::Duration;

use crate::config::Config;

/// The limits of WebSockets and event streams.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SocketLimits {
    /// Sockets and event-stream reservations that one client address may have open.
    pub per_address: usize,
    /// Messages a second that are read from a socket. A client may send twice as many at once; further messages wait.
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
    /// How long shared caches may hold the event stream of a live query that is the same for all callers without
    /// credentials; none if they may not.
    pub shared_max_age: Option<Duration>,
}

impl SocketLimits {
    /// The limits of a configuration.
    pub fn of(config: &Config) -> SocketLimits {
        let shared_max_age = Some(config.event_stream_max_age).filter(|seconds| *seconds > 0);
        SocketLimits {
            per_address: config.socket_limit,
            operations: config.socket_operation_limit,
            messages_per_second: u32::try_from(config.socket_message_rate).unwrap_or(u32::MAX),
            queued_bytes: config.socket_queue_limit,
            init_time: config.socket_init_timeout,
            ping_interval: config.socket_keep_alive,
            comment_interval: config.socket_keep_alive,
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
            shared_max_age: None,
        }
    }
}

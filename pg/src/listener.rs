//! Listens to a channel on a connection of its own, outside the pool, and connects again when it is
//! lost.

use std::time::Duration;

use deadpool::managed::Manager as _;
use futures_util::future::BoxFuture;
use postgres_protocol::escape::escape_identifier;
use tokio::time::Instant;

use crate::connection::Connection;
use crate::database::Database;
use crate::deadline::RECONNECT_TIMEOUT;
use crate::error::DatabaseError;

/// Listens to a channel of a database. It works while it is polled by [`Listener::next`], and
/// closes its connection when it is dropped.
pub struct Listener {
    database: Database,
    channel: &'static str,
    state: State,
    /// The pause before the next connection, if this one is lost early.
    pause: Duration,
}

/// What a listener has noticed.
#[derive(Clone, Debug)]
pub enum ListenerEvent {
    /// It listens from now on; earlier notifications may be lost.
    Connected,
    /// A notification with this payload.
    Notification(String),
    /// The connection was lost or refused. Another one is made after a pause.
    Lost(DatabaseError),
}

enum State {
    Pausing(Instant),
    Connecting(BoxFuture<'static, Result<Box<Connection>, DatabaseError>>),
    Listening {
        connection: Box<Connection>,
        since: Instant,
        heartbeat: Instant,
    },
}

/// The first pause.
const FIRST_RETRY_DELAY: Duration = Duration::from_secs(1);

/// The longest pause while there is no connection, and after the server has refused to listen: a
/// pooler, or a standby, will refuse it again.
const MAX_RETRY_DELAYS: (Duration, Duration) = (Duration::from_secs(5), Duration::from_secs(60));

/// How often the server is asked for a sign of life. A balancer that has forgotten the connection
/// does not close it.
const HEARTBEAT_INTERVAL: Duration = Duration::from_secs(30);

/// A connection that has listened so long worked.
const STABLE_AFTER: Duration = Duration::from_secs(60);

impl Database {
    /// Listens to a channel.
    pub fn listen(&self, channel: &'static str) -> Listener {
        Listener {
            database: self.clone(),
            channel,
            state: State::Pausing(Instant::now()),
            pause: FIRST_RETRY_DELAY,
        }
    }

    async fn open_listening(self, channel: &'static str) -> Result<Box<Connection>, DatabaseError> {
        let mut connection = self.session_manager().create().await?;
        let protocol = &mut connection.protocol;
        protocol.simple_query(&format!("LISTEN {}", escape_identifier(channel)))?;
        match protocol
            .ready(Instant::now() + RECONNECT_TIMEOUT)
            .await
            .map_err(|stopped| stopped.fault(RECONNECT_TIMEOUT))?
        {
            None => Ok(connection),
            Some(refusal) => Err(DatabaseError::refused(refusal, RECONNECT_TIMEOUT)),
        }
    }
}

impl Listener {
    /// Waits for what comes next. Nothing is lost if the future is dropped.
    pub async fn next(&mut self) -> ListenerEvent {
        loop {
            match &mut self.state {
                State::Pausing(until) => {
                    tokio::time::sleep_until(*until).await;
                    let connecting = self.database.clone().open_listening(self.channel);
                    self.state = State::Connecting(Box::pin(connecting));
                }
                State::Connecting(connecting) => match connecting.await {
                    Ok(connection) => {
                        let since = Instant::now();
                        self.state = State::Listening {
                            connection,
                            since,
                            heartbeat: since + HEARTBEAT_INTERVAL,
                        };
                        return ListenerEvent::Connected;
                    }
                    Err(fault) => return self.lost(fault),
                },
                State::Listening {
                    connection,
                    heartbeat,
                    ..
                } => {
                    if connection.is_superseded() {
                        let cause = "another host is the primary";
                        return self.lost(DatabaseError::Unavailable(cause.into()));
                    }
                    let protocol = &mut connection.protocol;
                    match tokio::time::timeout_at(*heartbeat, protocol.next_notification()).await {
                        Ok(Ok(())) => {
                            return ListenerEvent::Notification(
                                payload(protocol.body()).to_owned(),
                            );
                        }
                        Ok(Err(stopped)) => return self.lost(stopped.fault(RECONNECT_TIMEOUT)),
                        Err(_) if protocol.is_idle() => {
                            protocol.sync();
                            *heartbeat = Instant::now() + HEARTBEAT_INTERVAL;
                        }
                        // The server has not answered the last time.
                        Err(_) => {
                            return self.lost(DatabaseError::Unavailable(
                                "the server does not answer".into(),
                            ));
                        }
                    }
                }
            }
        }
    }

    /// Runs a statement on the listening connection and returns the text of its row. Notifications
    /// that arrive meanwhile are not passed on. After an error, and if the future is dropped, the
    /// connection is made anew.
    pub async fn ask(&mut self, statement: &str) -> Result<String, DatabaseError> {
        let pausing = State::Pausing(Instant::now() + self.pause);
        let fault = match std::mem::replace(&mut self.state, pausing) {
            State::Listening {
                mut connection,
                since,
                heartbeat,
            } => {
                let deadline = Instant::now() + RECONNECT_TIMEOUT;
                let response = connection.query_simple(statement, deadline).await;
                self.state = State::Listening {
                    connection,
                    since,
                    heartbeat,
                };
                match response {
                    Ok(text) => return Ok(text),
                    Err(fault) => fault,
                }
            }
            other => {
                self.state = other;
                return Err(DatabaseError::Unavailable(
                    "the connection for notifications is not there".into(),
                ));
            }
        };
        self.close(&fault);
        Err(fault)
    }

    /// Whether there is a connection.
    fn is_connected(&self) -> bool {
        matches!(self.state, State::Listening { .. })
    }

    fn lost(&mut self, fault: DatabaseError) -> ListenerEvent {
        self.close(&fault);
        ListenerEvent::Lost(fault)
    }

    fn close(&mut self, fault: &DatabaseError) {
        let longest = if matches!(fault, DatabaseError::Unavailable(_)) {
            MAX_RETRY_DELAYS.0
        } else {
            MAX_RETRY_DELAYS.1
        };
        let has_worked =
            matches!(self.state, State::Listening { since, .. } if since.elapsed() > STABLE_AFTER);
        let pause = if has_worked {
            FIRST_RETRY_DELAY
        } else {
            self.pause.min(longest)
        };
        self.state = State::Pausing(Instant::now() + pause);
        self.pause = pause * 2;
    }
}

/// The payload of a `NotificationResponse`, after the process ID and the channel.
fn payload(body: &[u8]) -> &str {
    let text = body
        .get(size_of::<u32>()..)
        .and_then(|texts| texts.split(|byte| *byte == 0).nth(1));
    text.and_then(|text| std::str::from_utf8(text).ok())
        .unwrap_or_default()
}

impl std::fmt::Debug for Listener {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let is_connected = self.is_connected();
        formatter
            .debug_struct("Listener")
            .field("channel", &self.channel)
            .field("is_connected", &is_connected)
            .finish_non_exhaustive()
    }
}

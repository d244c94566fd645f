//! Writes the events of a stream: results, errors and ends of operations, and comments that keep
//! the connection open. The stream is pulled by the connection, so a slow client delays only
//! itself.
//! <https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation>

use std::io;
use std::net::IpAddr;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::Stream;
use http::HeaderMap;
use pg::deadline;
use pg::memory::{self, MemoryBudget};
use serde_json::Value;
use tokio::time::{Duration, Instant};

use super::reservation::{Reservation, Reservations};
use crate::auth::session::Session;
use crate::error::Error;
use crate::http::app::App;
use crate::http::caller::{Caller, Credentials};
use crate::http::credential_check::{CheckEvent, CredentialCheck};
use crate::http::operations::Operations;
use crate::http::sockets::{SocketEnding, SocketSlot, instant_of};
use crate::http::state::HandlerState;
use crate::limits::LimitExceeded;
use crate::subscriptions::outbox::{OperationEvent, OperationNumber, OutboxReader};
use crate::telemetry::metrics::OpenSocket;

/// The transport's name in log and metrics.
pub(super) const TRANSPORT: &str = "event-stream";

/// The events of a stream.
pub(super) struct EventWriter {
    app: Arc<App>,
    mode: Mode,
    results: OutboxReader,
    next_comment: Instant,
    caller: StreamCaller,
    check: CredentialCheck,
    /// When the caller's session ends.
    expires: Option<Instant>,
    ending: SocketEnding,
    /// Whether the stream ends once its last operations have ended.
    is_draining: bool,
    /// Whether it ends because the caller's credentials no longer hold.
    has_ended_session: bool,
    is_over: bool,
    /// The first event of a stream that caches may hold.
    first: Option<Bytes>,
    /// Whether caches may hold the stream.
    is_shared: bool,
    _open: OpenSocket,
}

/// The caller of a stream, as authenticated again after a reload.
pub(super) struct StreamCaller {
    /// The session that the stream was opened with.
    pub(super) session: Session,
    /// The version by which it was authenticated.
    pub(super) state: Arc<HandlerState>,
    /// The headers of the request.
    pub(super) headers: Arc<HeaderMap>,
    /// The client's address.
    pub(super) client: Option<IpAddr>,
}

/// The operations of a stream.
pub(super) enum Mode {
    /// One operation, with which the stream ends.
    Distinct {
        /// The operation.
        operations: Operations,
        /// Held while the stream is open.
        memory: memory::Reservation,
        /// Held while the stream is open.
        _slot: SocketSlot,
    },
    /// The operations that other requests send.
    Single {
        /// The stream's reservation.
        reservation: Arc<Reservation>,
        /// Its token.
        token: String,
        /// Removes it when the stream ends.
        reservations: Arc<Reservations>,
    },
}

/// How often a stream that waits for its last operations looks whether they have ended.
const DRAIN_INTERVAL: Duration = Duration::from_millis(50);

impl EventWriter {
    /// The events of these operations.
    pub(super) fn new(
        app: &Arc<App>,
        mode: Mode,
        results: OutboxReader,
        caller: StreamCaller,
    ) -> EventWriter {
        EventWriter {
            mode,
            results,
            // The first comment makes the response's head leave at once.
            next_comment: Instant::now(),
            expires: caller.session.expires().and_then(instant_of),
            check: CredentialCheck::new(app),
            caller,
            ending: app.sockets.ending(),
            is_draining: false,
            has_ended_session: false,
            is_over: false,
            first: None,
            is_shared: false,
            _open: OpenSocket::new(&app.metrics.sockets, TRANSPORT),
            app: app.clone(),
        }
    }

    /// Waits for the first result of a stream that caches may hold: a head that they may store must
    /// not precede an error.
    pub(super) async fn share(
        &mut self,
        deadline: Instant,
        limit: Duration,
    ) -> Result<(), Arc<Error>> {
        let late = || Arc::new(LimitExceeded::Time(limit).into());
        let (number, event) = deadline::timeout_at(deadline, self.results.next())
            .await
            .ok_or_else(late)?;
        if let OperationEvent::Error(error) = event {
            self.mode.operations().end(number, Some(&error));
            return Err(error);
        }
        self.first = self.write(number, event);
        self.is_shared = true;
        Ok(())
    }

    /// The body of the response. One that caches may hold never ends well, so that none keeps it as
    /// a complete response.
    pub(super) fn into_stream(self) -> impl Stream<Item = io::Result<Bytes>> {
        futures_util::stream::unfold(self, async |mut writer| {
            let next = match writer.first.take() {
                Some(first) => Some(first),
                None => writer.next().await,
            };
            match next {
                Some(bytes) => Some((Ok(bytes), writer)),
                None if std::mem::take(&mut writer.is_shared) => Some((
                    Err(io::Error::other("the shared event stream has ended")),
                    writer,
                )),
                None => None,
            }
        })
    }

    /// The next bytes; `None` at the end.
    async fn next(&mut self) -> Option<Bytes> {
        while !self.is_over {
            let wake = self
                .expires
                .map_or(self.next_comment, |expires| expires.min(self.next_comment));
            let drained = Instant::now() + DRAIN_INTERVAL;
            tokio::select! {
                (number, event) = self.results.next() => {
                    if let Some(bytes) = self.write(number, event) {
                        return Some(bytes);
                    }
                }
                () = tokio::time::sleep_until(wake) => {
                    if let Some(bytes) = self.keep_time() {
                        return Some(bytes);
                    }
                }
                event = self.check.next() => self.check_credentials(event),
                _ = self.ending.wait(), if !self.is_draining => self.is_draining = true,
                () = tokio::time::sleep_until(drained), if self.is_draining => self.end_if_drained(),
            }
        }
        None
    }

    fn write(&mut self, number: OperationNumber, event: OperationEvent) -> Option<Bytes> {
        let operations = self.mode.operations();
        match event {
            OperationEvent::Next(result) => {
                let id = operations.id(number)?;
                let event = self.mode.next_event(&id, &result);
                let mut memory = self.mode.memory().empty_reservation();
                // The result that it copies has been admitted.
                memory.grow_to_unchecked(event.len());
                Some(memory.hold(event))
            }
            OperationEvent::Error(error) => {
                let (id, request_id) = operations.end(number, Some(&error))?;
                Some(self.failed(&id, &request_id, &error).into())
            }
            OperationEvent::Complete => {
                let (id, _) = operations.end(number, None)?;
                Some(self.completed(&id).into())
            }
        }
    }

    /// A comment; none if the session ends.
    fn keep_time(&mut self) -> Option<Bytes> {
        let now = Instant::now();
        if self.expires.is_some_and(|expires| expires <= now) {
            self.end_session();
            return None;
        }
        self.next_comment = now + self.app.sockets.limits().comment_interval;
        Some(Bytes::from_static(b":\n\n"))
    }

    /// After a reload, authenticates the caller again, and ends the stream if the credentials no
    /// longer hold.
    fn check_credentials(&mut self, event: CheckEvent) {
        match event {
            CheckEvent::Reloaded => {
                let StreamCaller {
                    state,
                    headers,
                    client,
                    ..
                } = &mut self.caller;
                // A webhook that reads the request has decided about another one.
                if self.app.current.refresh(state) && !state.authenticator.wants_request(headers) {
                    let state = state.clone();
                    let headers = headers.clone();
                    let client = *client;
                    let limit = self.app.state().limits.time;
                    self.check.begin(async move {
                        let deadline = Instant::now() + limit;
                        let credentials = Credentials {
                            headers: &headers,
                            client,
                            request: None,
                            deadline,
                            limit,
                        };
                        Caller::from_credentials(state, credentials).await
                    });
                }
            }
            CheckEvent::Ended(caller) => match *caller {
                Ok(caller) if caller.session.is_same_caller(&self.caller.session) => {
                    self.expires = caller.session.expires().and_then(instant_of);
                }
                Ok(_) | Err(_) => self.end_session(),
            },
        }
    }

    /// Ends the stream because the caller's credentials have ended, without an error or `complete`
    /// for its operations: these end an operation for good, while clients open a stream that breaks
    /// off again, with new credentials. So a mutation goes on to its end first.
    fn end_session(&mut self) {
        self.expires = None;
        self.check.cancel();
        self.has_ended_session = true;
        self.is_draining = true;
        self.end_if_drained();
    }

    /// Ends the stream once the operations that it waits for have ended: at a shutdown all but
    /// subscriptions. There is no `complete`, so that clients connect again.
    fn end_if_drained(&mut self) {
        let operations = self.mode.operations();
        self.is_over = if self.has_ended_session {
            operations.end_all_but_mutations()
        } else {
            operations.has_only_subscriptions()
        };
    }

    fn failed(&mut self, id: &str, request_id: &str, error: &Error) -> Vec<u8> {
        let response = error.to_graphql(request_id, self.app.profile).to_string();
        [
            self.mode.next_event(id, response.as_bytes()),
            self.completed(id),
        ]
        .concat()
    }

    fn completed(&mut self, id: &str) -> Vec<u8> {
        match self.mode {
            Mode::Distinct { .. } => {
                self.is_over = true;
                b"event: complete\ndata: \n\n".to_vec()
            }
            Mode::Single { .. } => {
                format!("event: complete\ndata: {{\"id\":{}}}\n\n", Value::from(id)).into_bytes()
            }
        }
    }
}

impl Mode {
    fn operations(&self) -> &Operations {
        match self {
            Mode::Distinct { operations, .. } => operations,
            Mode::Single { reservation, .. } => &reservation.operations,
        }
    }

    /// The memory budget of the caller.
    fn memory(&self) -> MemoryBudget {
        match self {
            Mode::Distinct { memory, .. } => memory.budget(),
            Mode::Single { reservation, .. } => reservation.memory.budget(),
        }
    }

    fn next_event(&self, id: &str, result: &[u8]) -> Vec<u8> {
        let (head, tail) = match self {
            Mode::Distinct { .. } => (String::new(), &b"\n\n"[..]),
            Mode::Single { .. } => (
                format!("{{\"id\":{},\"payload\":", Value::from(id)),
                &b"}\n\n"[..],
            ),
        };
        let mut event = Vec::with_capacity(result.len() + head.len() + 32);
        event.extend_from_slice(b"event: next\ndata: ");
        event.extend_from_slice(head.as_bytes());
        // A line break would end the field. In JSON one stands only between tokens, where a space
        // means the same.
        event.extend(result.iter().map(|byte| {
            if matches!(byte, b'\n' | b'\r') {
                b' '
            } else {
                *byte
            }
        }));
        event.extend_from_slice(tail);
        event
    }
}

impl Drop for EventWriter {
    fn drop(&mut self) {
        if let Mode::Single {
            token,
            reservations,
            ..
        } = &self.mode
        {
            reservations.end(token);
        }
    }
}

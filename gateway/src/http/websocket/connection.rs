//! The task of a WebSocket: reads messages in order, authenticates, starts operations and sends
//! their results, until the client or the gateway closes the socket.
//!
//! ```text
//! handshake ─▶ connection_init ─▶ connection_ack ─▶ subscribe … next … complete
//!              within 10 s          again on a refresh of the credentials
//! ```

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use http::HeaderMap;
use hyper::upgrade::Upgraded;
use pg::memory::{MemoryBudget, Reservation};
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use tokio::time::Instant;

use super::credentials;
use super::frames::{End, Frames, Received};
use super::message::{self, ClientMessage, InvalidMessage, ServerMessage};
use super::protocol::Protocol;
use crate::error::{Error, InvalidRequest, catalogue};
use crate::http::access_log;
use crate::http::app::App;
use crate::http::caller::{Caller, Credentials};
use crate::http::credential_check::{CheckEvent, CredentialCheck};
use crate::http::exchange::HttpExchange;
use crate::http::graphql_request::PATH;
use crate::http::operations::{BeginError, OperationContext, Operations, ReceivedRequest};
use crate::http::sockets::{SocketEnding, instant_of};
use crate::http::state::HandlerState;
use crate::limits::LimitExceeded;
use crate::rate_limit::{RateLimitContext, RouteClass};
use crate::request;
use crate::subscriptions::outbox::{OperationEvent, OperationNumber, OutboxReader};
use crate::telemetry::metrics::OpenSocket;

/// A socket between its handshake and its end.
pub(super) struct Connection {
    app: Arc<App>,
    state: Arc<HandlerState>,
    protocol: Option<Protocol>,
    /// The request id of the handshake.
    id: Arc<str>,
    client: Option<IpAddr>,
    /// Whether a `traceparent` of the client is followed.
    trusts_traceparent: bool,
    /// The headers that the caller is authenticated by.
    headers: Arc<HeaderMap>,
    /// Whether the socket was opened by a web page that may not send requests to the gateway.
    is_foreign: bool,
    /// Whether the handshake names hosts that requests without credentials may name.
    names_allowed_host: bool,
    /// The handshake, as the rate limits have counted it.
    rate_limit: Option<RateLimitContext>,
    ending: SocketEnding,
    /// Counts for the address, and for the caller once the socket is authenticated.
    memory: Reservation,
}

/// A socket that is open.
struct OpenConnection {
    connection: Connection,
    protocol: Protocol,
    frames: Frames,
    operations: Operations,
    results: OutboxReader,
    caller: Option<Caller>,
    check: CredentialCheck,
    /// When the socket has to be authenticated, and later when its session ends.
    deadline: Option<Instant>,
    next_ping: Instant,
    /// Whether the client has sent nothing since the last ping.
    is_silent: bool,
    throttle: Throttle,
    /// How the socket ends once its last operations have ended; until then no message is read any
    /// more.
    draining: Option<End>,
    /// Whether it ends because its credentials no longer hold.
    has_ended_session: bool,
}

/// The rate at which messages are read.
struct Throttle {
    per_second: u32,
    /// When all messages read so far would be due at the rate.
    due: Instant,
}

/// How often a socket that waits for its last operations looks whether they have ended.
const DRAIN_INTERVAL: Duration = Duration::from_millis(50);

/// A ping that is due for longer was held up by other work of the socket.
const PING_TOLERANCE: Duration = Duration::from_millis(250);

/// Declares close codes, each with a name.
macro_rules! close_codes {
    ($($name:ident = $code:literal;)+) => {
        $(pub(super) const $name: u16 = $code;)+

        /// All of them.
        pub(super) const ALL: &[u16] = &[$($code),+];
    };
}

/// Close codes of the protocols, and those of WebSockets that the gateway uses.
mod code {
    close_codes! {
        NORMAL = 1000;
        GOING_AWAY = 1001;
        TRY_AGAIN_LATER = 1013;
        BAD_MESSAGE = 4400;
        UNAUTHORIZED = 4401;
        FORBIDDEN = 4403;
        NO_PROTOCOL = 4406;
        INIT_TIMEOUT = 4408;
        ID_IN_USE = 4409;
        SECOND_INIT = 4429;
    }
}

/// The codes with which the gateway closes WebSockets of its protocols.
pub(in crate::http) const CLOSE_CODES: &[u16] = code::ALL;

impl Connection {
    /// A socket whose handshake is valid. `protocol` is `None` if the client offers none that the
    /// gateway has.
    pub(super) fn new(
        exchange: &mut HttpExchange,
        protocol: Option<Protocol>,
        memory: Reservation,
    ) -> Connection {
        let app = exchange.app.clone();
        let state = app.state();
        Connection {
            trusts_traceparent: state
                .trusts_traceparent(exchange.connection.peer, &exchange.headers),
            names_allowed_host: state.hosts.contains_all(&exchange.headers, &exchange.uri),
            state,
            protocol,
            id: exchange.id.as_str().into(),
            client: exchange.client(),
            headers: credentials::handshake_headers(&exchange.headers, &exchange.uri, &app.cors)
                .into(),
            is_foreign: !app
                .cors_for(&exchange.headers)
                .allows_socket(&exchange.headers, &exchange.uri),
            // Counted as refused or not when the socket has been authenticated.
            rate_limit: exchange.rate_limit.take(),
            ending: app.sockets.ending(),
            memory,
            app,
        }
    }

    /// Serves the socket until it ends.
    pub(super) async fn serve(self, upgraded: Upgraded) {
        let limits = self.app.sockets.limits();
        // Held until the close frame has been sent, so that a shutdown waits for it.
        let _open = self.ending.clone();
        let mut frames = Frames::new(upgraded, self.state.limits.body, limits.write_time).await;
        let app = self.app.clone();
        let metrics = &app.metrics.sockets;
        let end = match self.protocol {
            None => {
                self.settle_rates(false).await;
                End::close(code::NO_PROTOCOL, "Subprotocol not acceptable")
            }
            Some(protocol) => {
                let _counted = OpenSocket::new(metrics, protocol.name());
                let mut open = OpenConnection::new(self, protocol, frames);
                let end = match open.run().await {
                    Ok(never) => match never {},
                    Err(end) => end,
                };
                frames = open.into_frames().await;
                end
            }
        };
        if let End::Close(code, reason) = end {
            metrics.closes.with_label_values(&[code.to_string()]).inc();
            frames.close(code, reason).await;
        }
    }

    /// Authenticates the caller by the headers of now.
    fn authenticate(&self) -> impl Future<Output = Result<Caller, Error>> + Send + Sync + use<> {
        let Connection {
            client,
            is_foreign,
            names_allowed_host,
            ..
        } = *self;
        let state = self.state.clone();
        let headers = self.headers.clone();
        let limit = self.state.limits.time;
        async move {
            let deadline = Instant::now() + limit;
            let credentials = Credentials {
                headers: &headers,
                client,
                request: None,
                deadline,
                limit,
            };
            let caller = Caller::from_credentials(state, credentials).await?;
            caller
                .state
                .hosts
                .check_session(&caller.session, || names_allowed_host)?;
            // Browsers let every page open a socket. A page that could not send the request over
            // HTTP has to show that it knows a credential; being able to reach the gateway is none.
            if is_foreign
                && !caller
                    .state
                    .authenticator
                    .has_credentials(&headers, &caller.session)
            {
                return Err(Error::OriginNotAllowed);
            }
            Ok(caller)
        }
    }

    /// Reports to the rate limits whether the caller was refused.
    async fn settle_rates(mut self, is_refused: bool) {
        self.state
            .rate_limiter
            .finish(&mut self.rate_limit, is_refused)
            .await;
    }
}

/// The type of no value: [`OpenConnection::run`] returns only when the socket ends.
enum Never {}

impl OpenConnection {
    fn new(connection: Connection, protocol: Protocol, frames: Frames) -> OpenConnection {
        let (operations, results) = Operations::new(&connection.app);
        let now = Instant::now();
        let limits = connection.app.sockets.limits();
        OpenConnection {
            protocol,
            frames,
            operations,
            results,
            caller: None,
            check: CredentialCheck::new(&connection.app),
            deadline: Some(now + limits.init_time),
            next_ping: now + limits.ping_interval,
            is_silent: false,
            throttle: Throttle {
                per_second: limits.messages_per_second.max(1),
                due: now,
            },
            draining: None,
            has_ended_session: false,
            connection,
        }
    }

    /// Ends the operations, and settles the handshake of a socket that was never authenticated.
    async fn into_frames(self) -> Frames {
        drop(self.operations);
        if self.connection.rate_limit.is_some() {
            self.connection.settle_rates(false).await;
        }
        self.frames
    }

    async fn run(&mut self) -> Result<Never, End> {
        loop {
            let wake = self
                .deadline
                .map_or(self.next_ping, |deadline| deadline.min(self.next_ping));
            let drained = Instant::now() + DRAIN_INTERVAL;
            tokio::select! {
                received = self.frames.receive(), if self.draining.is_none() => {
                    self.is_silent = false;
                    self.throttle.wait().await;
                    let metrics = &self.connection.app.metrics.sockets;
                    metrics.messages.with_label_values(&["received"]).inc();
                    if let Received::Text(text) = received? {
                        self.handle(&text).await?;
                    }
                }
                (number, event) = self.results.next() => self.deliver(number, event).await?,
                () = tokio::time::sleep_until(wake) => self.keep_time().await?,
                event = self.check.next() => self.check_credentials(event).await?,
                reason = self.connection.ending.wait(), if self.draining.is_none() => {
                    self.draining = Some(End::close(code::GOING_AWAY, reason));
                }
                () = tokio::time::sleep_until(drained), if self.draining.is_some() => self.end_if_drained()?,
            }
        }
    }

    /// Ends the socket once the operations that it waits for have ended: at a shutdown all but
    /// subscriptions.
    fn end_if_drained(&mut self) -> Result<(), End> {
        let is_drained = if self.has_ended_session {
            self.operations.end_all_but_mutations()
        } else {
            self.operations.has_only_subscriptions()
        };
        if is_drained {
            self.draining.take().map_or(Ok(()), Err)
        } else {
            Ok(())
        }
    }

    /// Ends the socket because its credentials have ended, without `error` or `complete` for its
    /// operations: these end an operation for good, while clients connect again with new
    /// credentials and begin all operations of a socket that was closed. So a mutation goes on to
    /// its end first, as it does over HTTP.
    fn end_session(&mut self, end: End) -> Result<(), End> {
        self.has_ended_session = true;
        self.deadline = None;
        self.check.cancel();
        self.draining = Some(end);
        self.end_if_drained()
    }

    /// Handles a message.
    async fn handle(&mut self, text: &str) -> Result<(), End> {
        match ClientMessage::parse(text, self.protocol)? {
            ClientMessage::Init(payload) => self.initialize(&payload).await,
            ClientMessage::Ping(payload) => self.answer_ping(payload).await,
            ClientMessage::Pong => Ok(()),
            ClientMessage::Start { id, payload } => self.start(&id, payload).await,
            ClientMessage::Stop(id) => {
                // The legacy protocol confirms the end.
                if self.operations.cancel(&id) && self.protocol == Protocol::Legacy {
                    self.send(ServerMessage::Complete(&id)).await?;
                }
                Ok(())
            }
            ClientMessage::Terminate => Err(End::close(
                code::NORMAL,
                "the client has terminated the connection",
            )),
        }
    }

    /// Authenticates the socket. In the legacy protocol a further `connection_init` refreshes the
    /// credentials.
    async fn initialize(&mut self, payload: &Map<String, Value>) -> Result<(), End> {
        match (&self.caller, self.protocol) {
            (None, _) => {
                let caller = self.authenticate(payload).await;
                let is_refused = caller.as_ref().is_err_and(is_unauthenticated);
                let Connection {
                    state,
                    rate_limit,
                    memory,
                    ..
                } = &mut self.connection;
                state.rate_limiter.finish(rate_limit, is_refused).await;
                *rate_limit = None;
                let caller = caller.and_then(|caller| {
                    memory.count_for(caller.share_key())?;
                    Ok(caller)
                });
                match caller {
                    Ok(caller) => self.set_caller(caller),
                    Err(error) => return Err(self.refuse(&error).await),
                }
            }
            (Some(_), Protocol::Legacy) => self.refresh(payload).await?,
            (Some(_), Protocol::TransportWs) => {
                return Err(End::close(
                    code::SECOND_INIT,
                    "Too many initialisation requests",
                ));
            }
        }
        self.send(ServerMessage::Ack).await?;
        if self.protocol == Protocol::Legacy {
            self.send(ServerMessage::KeepAlive).await?;
        }
        Ok(())
    }

    /// Answers a ping. One with `headers` in its payload refreshes the credentials.
    async fn answer_ping(&mut self, payload: Option<&RawValue>) -> Result<(), End> {
        let is_refresh =
            |payload: &Map<String, Value>| payload.get("headers").is_some_and(Value::is_object);
        match message::credentials(payload)
            .ok()
            .filter(|payload| self.caller.is_some() && is_refresh(payload))
        {
            Some(payload) => {
                self.refresh(&payload).await?;
                self.send(ServerMessage::Pong(None)).await
            }
            None => self.send(ServerMessage::Pong(payload)).await,
        }
    }

    /// Replaces the credentials by newer ones of the same caller, so that operations go on after
    /// the old ones expire.
    async fn refresh(&mut self, payload: &Map<String, Value>) -> Result<(), End> {
        let mut context = None;
        let Connection {
            app, state, client, ..
        } = &self.connection;
        let limiter = &state.rate_limiter;
        let arrival = limiter
            .check_arrival(
                &app.metrics,
                &mut context,
                *client,
                RouteClass::Requests,
                PATH,
            )
            .await;
        let caller = match arrival {
            Ok(()) => self.authenticate(payload).await,
            Err(error) => Err(error),
        };
        let is_refused = caller.as_ref().is_err_and(is_unauthenticated);
        self.connection
            .state
            .rate_limiter
            .finish(&mut context, is_refused)
            .await;
        self.renew_caller(caller).await
    }

    /// After a reload, authenticates the socket again, and closes it if its credentials no longer
    /// hold.
    async fn check_credentials(&mut self, event: CheckEvent) -> Result<(), End> {
        match event {
            CheckEvent::Reloaded => {
                let Connection { app, state, .. } = &mut self.connection;
                // An idle socket must not keep the replaced state in memory either.
                let is_replaced = app.current.refresh(state);
                if let Some(caller) = self.caller.as_mut().filter(|_| is_replaced) {
                    caller.state.clone_from(&self.connection.state);
                    self.check.begin(self.connection.authenticate());
                }
                Ok(())
            }
            CheckEvent::Ended(caller) => self.continue_session(*caller).await,
        }
    }

    /// Goes on with what a further authentication of the same credentials has found.
    async fn continue_session(&mut self, caller: Result<Caller, Error>) -> Result<(), End> {
        self.renew_caller(caller)
            .await
            .or_else(|end| self.end_session(end))
    }

    /// Authenticates by the headers of the handshake with those of a payload over them.
    async fn authenticate(&mut self, payload: &Map<String, Value>) -> Result<Caller, Error> {
        let Connection {
            app,
            state,
            headers,
            trusts_traceparent,
            ..
        } = &mut self.connection;
        app.current.refresh(state);
        self.check.cancel();
        *headers = credentials::with_payload(headers, payload, *trusts_traceparent)?.into();
        self.connection.authenticate().await
    }

    /// Replaces the caller as newer credentials or settings have it. Running operations keep
    /// theirs, so it has to be the same one.
    async fn renew_caller(&mut self, caller: Result<Caller, Error>) -> Result<(), End> {
        match caller {
            Ok(caller)
                if self
                    .caller
                    .as_ref()
                    .is_some_and(|old| caller.session.is_same_caller(&old.session)) =>
            {
                self.set_caller(caller);
                Ok(())
            }
            Ok(_) => Err(End::close(
                code::FORBIDDEN,
                "the new credentials are of another caller",
            )),
            Err(error) => Err(self.refuse(&error).await),
        }
    }

    fn set_caller(&mut self, caller: Caller) {
        self.deadline = caller.session.expires().and_then(instant_of);
        self.caller = Some(caller);
    }

    /// Sends the client the reason why it is not authenticated, and how the socket ends.
    async fn refuse(&mut self, error: &Error) -> End {
        let Connection { app, id, .. } = &self.connection;
        let response = error.to_graphql(id, app.profile);
        let cause = error.cause();
        let request_id = &**id;
        let code = error.code(app.profile);
        if let Some(reason) = access_log::refusal(error) {
            app.record_refusal(PATH, &reason, self.connection.client, request_id);
        }
        tracing::info!(
            request_id,
            transport = self.protocol.name(),
            path = PATH,
            code,
            cause,
            "socket refused"
        );
        if self.protocol == Protocol::Legacy
            && let Err(end) = self.send(ServerMessage::ConnectionError(&response)).await
        {
            return end;
        }
        let reason = response["errors"][0]["message"]
            .as_str()
            .unwrap_or_default();
        let code = match error {
            Error::InvalidRequest(_) | Error::HeaderTwice(_) => code::BAD_MESSAGE,
            _ if error.spec().retryable => code::TRY_AGAIN_LATER,
            _ => code::FORBIDDEN,
        };
        End::close(code, reason)
    }

    /// Starts an operation.
    async fn start(&mut self, id: &str, payload: &RawValue) -> Result<(), End> {
        if self.caller.is_none() {
            let error = Error::NoAuthorization;
            let response = error.to_graphql(&self.connection.id, self.connection.app.profile);
            if self.protocol == Protocol::Legacy {
                self.send(ServerMessage::ConnectionError(&response)).await?;
            }
            return Err(End::close(code::UNAUTHORIZED, "Unauthorized"));
        }
        let Connection { app, state, .. } = &mut self.connection;
        // Permissions that a reload has revoked must not be used by new operations.
        let is_replaced = app.current.refresh(state);
        if self.check.cancel() || is_replaced {
            let caller = self.connection.authenticate().await;
            self.continue_session(caller).await?;
        }
        let Some(caller) = self.caller.clone().filter(|_| !self.has_ended_session) else {
            return Ok(());
        };
        let received = match receive(self.connection.memory.budget(), payload.get()) {
            Ok(received) => received,
            Err(Error::InvalidRequest(invalid)) if self.protocol == Protocol::TransportWs => {
                return Err(End::close(code::BAD_MESSAGE, invalid.to_string()));
            }
            Err(error) => return self.send_error(id, &error).await,
        };
        if self.protocol == Protocol::Legacy {
            // An old client that uses an id again means the new operation.
            self.operations.cancel(id);
        }
        let context = OperationContext {
            app: self.connection.app.clone(),
            caller,
            client: self.connection.client,
            connection: self.connection.id.clone(),
            transport: self.protocol.name(),
        };
        match self.operations.start(context, id, received) {
            Ok(()) => Ok(()),
            Err(BeginError::IdInUse) => Err(End::close(
                code::ID_IN_USE,
                format!("Subscriber for {id} already exists"),
            )),
            Err(BeginError::TooMany) => {
                let limit = self.connection.app.sockets.limits().operations;
                self.send_error(id, &LimitExceeded::Operations(limit).into())
                    .await
            }
        }
    }

    /// Sends what an operation has produced.
    async fn deliver(&mut self, number: OperationNumber, event: OperationEvent) -> Result<(), End> {
        match event {
            OperationEvent::Next(result) => match self.operations.id(number) {
                Some(id) => self.send(ServerMessage::Next(&id, result)).await,
                None => Ok(()),
            },
            OperationEvent::Error(error) => match self.operations.end(number, Some(&error)) {
                Some((id, request_id)) => {
                    let response = error.to_graphql(&request_id, self.connection.app.profile);
                    self.send(ServerMessage::Error(&id, &response)).await
                }
                None => Ok(()),
            },
            OperationEvent::Complete => match self.operations.end(number, None) {
                Some((id, _)) => self.send(ServerMessage::Complete(&id)).await,
                None => Ok(()),
            },
        }
    }

    /// Acts when a time has come: for the next ping, the end of the initialisation or the end of
    /// the session.
    async fn keep_time(&mut self) -> Result<(), End> {
        let now = Instant::now();
        if self.deadline.is_some_and(|deadline| deadline <= now) {
            if self.caller.is_none() {
                return Err(End::close(
                    code::INIT_TIMEOUT,
                    "Connection initialisation timeout",
                ));
            }
            // The session of a webhook has an end without a token.
            let has_webhook = self.connection.state.authenticator.policy().hook.is_some();
            let reason = if has_webhook {
                "session expired"
            } else {
                "token expired"
            };
            return self.end_session(End::close(code::FORBIDDEN, reason));
        }
        if self.next_ping <= now {
            // After a write that had to wait, the client's answer may be there and not read yet.
            let is_late = now - self.next_ping > PING_TOLERANCE;
            if std::mem::replace(&mut self.is_silent, self.draining.is_none()) && !is_late {
                return Err(End::Gone);
            }
            self.next_ping = now + self.connection.app.sockets.limits().ping_interval;
            self.frames.ping().await?;
            if self.protocol == Protocol::Legacy && self.caller.is_some() {
                self.send(ServerMessage::KeepAlive).await?;
            }
        }
        Ok(())
    }

    /// Sends an error of an operation that has ended or cannot begin.
    async fn send_error(&mut self, id: &str, error: &Error) -> Result<(), End> {
        let Connection {
            app,
            id: connection,
            ..
        } = &self.connection;
        let response = error.to_graphql(connection, app.profile);
        self.send(ServerMessage::Error(id, &response)).await
    }

    async fn send(&mut self, message: ServerMessage<'_>) -> Result<(), End> {
        let Connection { app, .. } = &self.connection;
        app.metrics
            .sockets
            .messages
            .with_label_values(&["sent"])
            .inc();
        let limit = app.sockets.limits().queued_bytes;
        let operations = &self.operations;
        self.frames
            .send(message.encode(self.protocol), || {
                operations.queued_bytes() > limit
            })
            .await
    }
}

impl Throttle {
    /// Waits if the client has sent more messages than it may, beyond those that it may send at
    /// once.
    async fn wait(&mut self) {
        let now = Instant::now();
        self.due = self.due.max(now) + Duration::from_secs(1) / self.per_second;
        let ahead = self.due - now;
        if ahead > Duration::from_secs(2) {
            tokio::time::sleep(ahead - Duration::from_secs(2)).await;
        }
    }
}

impl From<InvalidMessage> for End {
    fn from(InvalidMessage(reason): InvalidMessage) -> End {
        End::close(code::BAD_MESSAGE, reason)
    }
}

/// Parses the payload of an operation.
fn receive(memory: MemoryBudget, payload: &str) -> Result<ReceivedRequest, Error> {
    let memory = ReceivedRequest::reserve(memory, payload.as_bytes())?;
    match request::Body::parse(payload.as_bytes(), usize::MAX)? {
        request::Body::Single(request) => Ok(ReceivedRequest {
            request,
            length: Some(payload.len()),
            memory,
        }),
        request::Body::Batch(_) => Err(InvalidRequest::NotAnObject.into()),
    }
}

/// Whether an error counts as a refused caller.
fn is_unauthenticated(error: &Error) -> bool {
    error.spec() == catalogue::UNAUTHENTICATED
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The task of a socket consists of this future.
    #[test]
    fn serve_future_is_smaller_than_6_kib() {
        fn size<A, B, F>(_: impl Fn(A, B) -> F) -> usize {
            size_of::<F>()
        }
        assert!(
            size(Connection::serve) < 6 << 10,
            "{}",
            size(Connection::serve)
        );
    }
}

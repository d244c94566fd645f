//! Connecting and authenticating: tries the hosts and their addresses in turn, with TLS or without
//! according to `sslmode`, until a server of the requested kind accepts. tokio-postgres exchanges
//! the authentication messages; this file opens the socket, negotiates TLS and decides about
//! further attempts.
//!
//! ```text
//! sslmode     first            then, if the server refuses or the handshake fails
//! disable     plain
//! allow       plain            TLS
//! prefer      TLS, or plain    plain
//!             where the server has no TLS
//! require …   TLS
//! ```

pub(crate) mod connect_error;
pub(crate) mod replication_startup;
pub(crate) mod session_settings;

use std::collections::VecDeque;
use std::convert::Infallible;
use std::future::{Ready, ready};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll};

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, ReadBuf};
use tokio_postgres::config::{ChannelBinding, SslMode as DriverMode, SslNegotiation};
use tokio_postgres::error::SqlState;
use tokio_postgres::tls::{ChannelBinding as Binding, TlsConnect, TlsStream};
use tokio_postgres::{CancelToken, Config};

use crate::conninfo::{Conninfo, Host, SslMode, TargetSession};
use crate::deadline::RECONNECT_TIMEOUT;
use crate::error::DatabaseError;
use crate::pooler::ServerKind;
use crate::pooler::mode::PoolerMode;
use crate::sign_in::connect_error::ConnectError;
use crate::sign_in::session_settings::SessionSettings;
use crate::socket::{ServerAddress, Socket};
use crate::tls::connector::{self, Connector};

/// A Postgres server with all its hosts and its TLS configuration.
#[derive(Debug)]
pub(crate) struct PostgresServer {
    conninfo: Conninfo,
    connector: Option<Connector>,
    settings: SessionSettings,
    /// What is between the client and the server, as configured or once it is detected.
    kind: OnceLock<ServerKind>,
    /// The kind of a server that refuses or ignores startup options.
    kind_without_options: ServerKind,
    /// Whether a pooler in transaction mode keeps prepared statements, once it was asked.
    pub(crate) keeps_statements: OnceLock<bool>,
    /// The host to try first, by its index; [`NO_HOST`] if none is known.
    preferred: AtomicUsize,
    /// Which hosts accept writes although another one is the primary.
    superseded: Vec<AtomicBool>,
    /// The hosts with their ports.
    names: Vec<Arc<str>>,
}

const NO_HOST: usize = usize::MAX;

/// An iterator over the attempts to connect.
pub(crate) struct Attempts<'s> {
    server: &'s PostgresServer,
    hosts: std::vec::IntoIter<(usize, Host, TargetSession)>,
    /// The attempts at the addresses of the current host.
    attempts: VecDeque<Attempt>,
    fault: Option<DatabaseError>,
    is_over: bool,
}

/// One attempt: an address, and whether to use TLS.
#[derive(Clone, Debug)]
pub(crate) struct Attempt {
    /// The index of the host.
    index: usize,
    host: Host,
    address: ServerAddress,
    session: TargetSession,
    encryption: Encryption,
    is_last_resort: bool,
    /// Whether the server has refused startup options.
    is_without_options: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Encryption {
    None,
    /// TLS if the server supports it.
    Preferred,
    Required,
}

/// A socket that is ready for authentication.
pub(crate) struct OpenedSocket {
    pub(crate) socket: Socket,
    /// The driver's configuration: user, database and TLS.
    pub(crate) config: Config,
    /// The completed handshake in the form that the driver expects.
    pub(crate) handshake: Handshake,
}

/// Why an attempt has failed.
pub(crate) struct AttemptError {
    fault: DatabaseError,
    kind: AttemptErrorKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum AttemptErrorKind {
    /// The server cannot be reached or does not respond.
    Unreachable,
    /// The TLS handshake has failed.
    Handshake,
    /// The server reports an error, over TLS or not.
    Refused { is_encrypted: bool, is_final: bool },
    /// The server refuses a part of the startup message, as poolers do with `options`.
    RefusedStartup,
    /// The server accepts, but is not of the requested kind.
    Unwanted,
}

/// Cancels statements of a connection: connects to its exact address, with TLS if the connection
/// has it.
pub(crate) struct Canceller {
    server: Arc<PostgresServer>,
    attempt: Attempt,
    token: CancelToken,
}

/// The `SSLRequest` message.
/// <https://www.postgresql.org/docs/current/protocol-message-formats.html#PROTOCOL-MESSAGE-FORMATS-SSLREQUEST>
const SSL_REQUEST: [u8; 8] = [0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f];

impl PostgresServer {
    /// Reads the files that TLS needs, if TLS may be used.
    pub(crate) fn new(
        conninfo: Conninfo,
        settings: SessionSettings,
        pooler: PoolerMode,
    ) -> Result<PostgresServer, ConnectError> {
        let has_network = conninfo
            .hosts
            .iter()
            .any(|host| !matches!(host.server_address, ServerAddress::Unix(_)));
        let is_wanted = has_network && conninfo.tls.mode != SslMode::Disable;
        let connector = is_wanted
            .then(|| Connector::new(&conninfo.tls))
            .transpose()?;
        let kind = match pooler {
            PoolerMode::Auto => OnceLock::new(),
            PoolerMode::None => OnceLock::from(ServerKind::Direct),
            PoolerMode::Session => OnceLock::from(ServerKind::SessionPooler),
            PoolerMode::Transaction => OnceLock::from(ServerKind::TransactionPooler),
        };
        let kind_without_options = ServerKind::TransactionPooler;
        let keeps_statements = OnceLock::new();
        let superseded = conninfo.hosts.iter().map(|_| AtomicBool::new(false));
        let names = conninfo.hosts.iter();
        let names = names.map(|host| host.server_address.to_string().into());
        Ok(PostgresServer {
            names: names.collect(),
            superseded: superseded.collect(),
            preferred: AtomicUsize::new(NO_HOST),
            conninfo,
            connector,
            settings,
            kind,
            kind_without_options,
            keeps_statements,
        })
    }

    /// Treats a pooler, if there is one, as a pooler in session mode.
    pub(crate) fn with_sessions(self) -> PostgresServer {
        PostgresServer {
            kind_without_options: ServerKind::SessionPooler,
            ..self
        }
    }

    /// The settings of every session.
    pub(crate) fn settings(&self) -> &SessionSettings {
        &self.settings
    }

    /// What is between the client and the server, if it is known yet.
    pub(crate) fn kind(&self) -> Option<ServerKind> {
        self.kind.get().copied()
    }

    /// Notes what is between the client and the server: whether startup options have an effect.
    pub(crate) fn identify(&self, has_options: bool) -> ServerKind {
        *self.kind.get_or_init(|| {
            if has_options {
                ServerKind::Direct
            } else {
                self.kind_without_options
            }
        })
    }

    /// Whether there is only one host, or only one that has the requested kind.
    pub(crate) fn is_single(&self) -> bool {
        self.conninfo.hosts.len() == 1
            || matches!(
                self.conninfo.session,
                TargetSession::ReadWrite | TargetSession::Primary
            )
    }

    /// Whether there are several hosts, of which one has to accept writes.
    pub(crate) fn has_several_for_writing(&self) -> bool {
        self.conninfo.hosts.len() > 1
            && matches!(
                self.conninfo.session,
                TargetSession::ReadWrite | TargetSession::Primary
            )
    }

    /// The host that was the primary when it was last asked or connected to.
    pub(crate) fn preferred_host(&self) -> Option<usize> {
        let index = self.preferred.load(Ordering::Relaxed);
        (index != NO_HOST).then_some(index)
    }

    /// Sets the host to try first.
    pub(crate) fn prefer_host(&self, index: usize) {
        self.preferred.store(index, Ordering::Relaxed);
    }

    /// Sets whether a host accepts writes although another one is the primary.
    pub(crate) fn set_superseded(&self, index: usize, is_superseded: bool) {
        if let Some(host) = self.superseded.get(index) {
            host.store(is_superseded, Ordering::Relaxed);
        }
    }

    fn is_superseded(&self, index: usize) -> bool {
        let host = self.superseded.get(index);
        host.is_some_and(|host| host.load(Ordering::Relaxed))
    }

    /// The hosts with their ports.
    pub(crate) fn host_names(&self) -> &[Arc<str>] {
        &self.names
    }

    /// The hosts with their ports, for messages.
    pub(crate) fn describe_hosts(&self) -> String {
        let places: Vec<String> = self
            .conninfo
            .hosts
            .iter()
            .map(|host| host.server_address.to_string())
            .collect();
        places.join(", ")
    }

    /// Warnings to append to a connection error: `; the password file … is not used: …`, or
    /// nothing.
    pub(crate) fn password_file_warnings(&self) -> String {
        self.conninfo
            .warnings
            .iter()
            .map(|warning| format!("; {warning}"))
            .collect()
    }

    /// User, database and options, for the pool of administrative connections.
    pub(crate) fn config(&self) -> &Config {
        &self.conninfo.config
    }

    /// The attempts at all hosts.
    pub(crate) fn attempts(&self) -> Attempts<'_> {
        let Conninfo {
            session,
            hosts,
            is_balanced,
            ..
        } = &self.conninfo;
        let rounds: &[TargetSession] = match session {
            TargetSession::PreferStandby => &[TargetSession::Standby, TargetSession::Any],
            other => std::slice::from_ref(other),
        };
        let mut all = Vec::new();
        for round in rounds {
            let mut hosts: Vec<_> = hosts.iter().cloned().enumerate().collect();
            shuffle(&mut hosts, *is_balanced, |(_, host)| &host.server_address);
            if self.has_several_for_writing() {
                hosts.retain(|(index, _)| !self.is_superseded(*index));
                let preferred = self.preferred_host();
                hosts.sort_by_key(|(index, _)| Some(*index) != preferred);
            }
            all.extend(hosts.into_iter().map(|(index, host)| (index, host, *round)));
        }
        Attempts {
            server: self,
            hosts: all.into_iter(),
            attempts: VecDeque::new(),
            fault: None,
            is_over: false,
        }
    }

    /// Limits a step to the connect timeout: a server may accept the connection and never respond.
    pub(crate) async fn with_timeout<T>(
        &self,
        step: impl Future<Output = Result<T, AttemptError>>,
    ) -> Result<T, AttemptError> {
        let late = |_| AttemptError::unreachable(&std::io::ErrorKind::TimedOut.into());
        tokio::time::timeout(self.conninfo.connect_timeout, step)
            .await
            .map_err(late)?
    }

    /// Opens a socket and negotiates TLS.
    pub(crate) async fn open(&self, attempt: &Attempt) -> Result<OpenedSocket, AttemptError> {
        let unreachable = |error| AttemptError::unreachable(&error);
        let socket = Socket::open(&attempt.address, &self.conninfo.config)
            .await
            .map_err(unreachable)?;
        let socket = match (socket, &self.connector, attempt.encryption) {
            (
                Socket::Tcp(stream),
                Some(connector),
                Encryption::Preferred | Encryption::Required,
            ) => self.encrypt(stream, connector, attempt).await?,
            (socket, ..) => socket,
        };
        let end_point = match &socket {
            Socket::Tls(stream) => connector::channel_binding(stream),
            Socket::Tcp(_) | Socket::Unix(_) => None,
        };
        let channel_binding = self.conninfo.channel_binding;
        if channel_binding == ChannelBinding::Require && !socket.is_encrypted() {
            let message = "channel_binding=require needs TLS, which this connection does not have";
            return Err(AttemptError {
                fault: DatabaseError::Unavailable(message.into()),
                kind: AttemptErrorKind::Unreachable,
            });
        }
        let mut config = self.conninfo.config.clone();
        if let Some(password) = &attempt.host.password {
            config.password(password);
        }
        if !attempt.is_without_options && self.kind().is_none_or(|kind| kind == ServerKind::Direct)
        {
            config.options(self.settings.options());
        }
        config.channel_binding(channel_binding);
        // The driver treats an encrypted socket like direct TLS negotiation, whose handshake is
        // complete already.
        config.ssl_negotiation(SslNegotiation::Direct);
        config.ssl_mode(if socket.is_encrypted() {
            DriverMode::Require
        } else {
            DriverMode::Disable
        });
        Ok(OpenedSocket {
            socket,
            config,
            handshake: Handshake { end_point },
        })
    }

    async fn encrypt(
        &self,
        mut stream: tokio::net::TcpStream,
        connector: &Connector,
        attempt: &Attempt,
    ) -> Result<Socket, AttemptError> {
        let unreachable = |error| AttemptError::unreachable(&error);
        if !self.conninfo.tls.is_direct {
            stream.write_all(&SSL_REQUEST).await.map_err(unreachable)?;
            // Reads exactly one byte: any bytes after it belong to TLS, or were injected.
            match stream.read_u8().await.map_err(unreachable)? {
                b'S' => {}
                b'N' if attempt.encryption == Encryption::Preferred => {
                    return Ok(Socket::Tcp(stream));
                }
                b'N' => {
                    return Err(AttemptError::handshake(
                        "the server does not support TLS, which sslmode asks for".into(),
                    ));
                }
                // The server's text is not shown, because it is unauthenticated.
                _ => {
                    return Err(AttemptError::handshake(
                        "the server does not understand the request for TLS".into(),
                    ));
                }
            }
        }
        let address = stream.peer_addr().map_err(unreachable)?.ip();
        let encrypted = connector
            .connect(stream, attempt.host.name.as_deref(), address)
            .await;
        encrypted
            .map(|stream| Socket::Tls(Box::new(stream)))
            .map_err(AttemptError::handshake)
    }

    /// Converts an error of the driver during authentication.
    pub(crate) fn refused(
        &self,
        error: &tokio_postgres::Error,
        is_encrypted: bool,
    ) -> AttemptError {
        use std::error::Error as _;
        let fault = DatabaseError::from_driver(error, RECONNECT_TIMEOUT);
        if let Some(db_error) = error.as_db_error() {
            // PgBouncer and Amazon RDS Proxy answer so to startup options.
            if matches!(
                *db_error.code(),
                SqlState::PROTOCOL_VIOLATION | SqlState::FEATURE_NOT_SUPPORTED
            ) {
                return AttemptError {
                    fault,
                    kind: AttemptErrorKind::RefusedStartup,
                };
            }
            // The other hosts would get the wrong password, too.
            let is_final = *db_error.code() == SqlState::INVALID_PASSWORD;
            return AttemptError {
                fault,
                kind: AttemptErrorKind::Refused {
                    is_encrypted,
                    is_final,
                },
            };
        }
        let io = error
            .source()
            .and_then(|source| source.downcast_ref::<std::io::Error>());
        if let Some(io) = io.filter(|_| is_encrypted) {
            // In TLS 1.3 the server rejects a client certificate after the client has completed the
            // handshake.
            return AttemptError {
                fault: DatabaseError::Unavailable(connector::describe(io)),
                kind: AttemptErrorKind::Handshake,
            };
        }
        let text = error.source().map(ToString::to_string).unwrap_or_default();
        let fault = match text.as_str() {
            "password missing" => {
                DatabaseError::Unavailable("the server asks for a password, and none is set".into())
            }
            "server did not use channel binding" => DatabaseError::Unavailable(
                "the server signs in without channel binding, which channel_binding=require asks \
                 for"
                .into(),
            ),
            _ => fault,
        };
        AttemptError {
            fault,
            kind: AttemptErrorKind::Unreachable,
        }
    }

    /// Like [`PostgresServer::refused`], while the socket is still open: a server that rejects a
    /// client certificate may have closed the connection before the driver could write, and its
    /// reason can still be read.
    pub(crate) async fn refused_on(
        &self,
        error: &tokio_postgres::Error,
        socket: &mut Socket,
    ) -> AttemptError {
        use std::error::Error as _;
        let is_broken = error
            .source()
            .is_some_and(|source| source.is::<std::io::Error>());
        if socket.is_encrypted() && is_broken {
            let mut rest = [0; 64];
            if let Err(reason) = socket.read(&mut rest).await
                && reason
                    .get_ref()
                    .is_some_and(|cause| cause.is::<rustls::Error>())
            {
                return AttemptError::handshake(connector::describe(&reason));
            }
        }
        self.refused(error, socket.is_encrypted())
    }

    /// The warnings of a connection that was opened by this attempt.
    pub(crate) fn warnings(&self, attempt: &Attempt, is_encrypted: bool) -> Vec<String> {
        let mut warnings = self.conninfo.warnings.clone();
        if !is_encrypted && !attempt.address.is_local() {
            warnings.push(format!(
                "the connection to the database at {} is not encrypted; set \
                 `sslmode=verify-full`, or `require` at least",
                attempt.host.server_address
            ));
        }
        warnings
    }
}

impl Attempts<'_> {
    /// The next attempt, or the best error once no attempt is left.
    pub(crate) async fn next(&mut self) -> Result<Attempt, DatabaseError> {
        loop {
            if let Some(attempt) = self.attempts.pop_front() {
                return Ok(attempt);
            }
            let next = if self.is_over {
                None
            } else {
                self.hosts.next()
            };
            let Some((index, host, session)) = next else {
                let nothing =
                    || DatabaseError::Unavailable("the database URL names no host".into());
                return Err(self.fault.take().unwrap_or_else(nothing));
            };
            let resolved = async {
                host.server_address
                    .resolved()
                    .await
                    .map_err(|error| AttemptError::unreachable(&error))
            };
            match self.server.with_timeout(resolved).await {
                Ok(mut places) => {
                    shuffle(&mut places, self.server.conninfo.is_balanced, |address| {
                        address
                    });
                    let encryption = self.server.first_encryption();
                    let attempt = |server_address| Attempt {
                        index,
                        host: host.clone(),
                        address: server_address,
                        session,
                        encryption,
                        is_last_resort: false,
                        is_without_options: false,
                    };
                    self.attempts.extend(places.into_iter().map(attempt));
                }
                Err(failed) => self.keep_better(failed.fault, false),
            }
        }
    }

    /// Records a failed attempt, which may add a second attempt at the same address.
    pub(crate) fn record_failure(&mut self, attempt: Attempt, failed: AttemptError) {
        if failed.kind == AttemptErrorKind::RefusedStartup
            && !attempt.is_without_options
            && self.server.identify(false) != ServerKind::Direct
        {
            return self.attempts.push_front(Attempt {
                is_without_options: true,
                ..attempt
            });
        }
        let mode = self.server.conninfo.tls.mode;
        let other = match (mode, failed.kind) {
            _ if attempt.is_last_resort || self.server.connector.is_none() => None,
            (
                SslMode::Prefer,
                AttemptErrorKind::Handshake
                | AttemptErrorKind::Refused {
                    is_encrypted: true, ..
                },
            ) => Some(Encryption::None),
            (
                SslMode::Allow,
                AttemptErrorKind::Refused {
                    is_encrypted: false,
                    ..
                },
            ) => Some(Encryption::Required),
            _ => None,
        };
        let is_answer = failed.kind != AttemptErrorKind::Unreachable;
        // The error of the first attempt is more informative than that of the second, unless
        // `pg_hba.conf` has no entry for the first.
        let is_better = !attempt.is_last_resort || self.fault.as_ref().is_none_or(has_no_entry);
        if is_better && !(attempt.is_last_resort && has_no_entry(&failed.fault)) {
            self.keep_better(failed.fault, is_answer);
        }
        match other {
            Some(encryption) => self.attempts.push_front(Attempt {
                encryption,
                is_last_resort: true,
                ..attempt
            }),
            None if matches!(
                failed.kind,
                AttemptErrorKind::Refused { is_final: true, .. }
            ) =>
            {
                self.attempts.clear();
                self.is_over = true;
            }
            None => {}
        }
    }

    /// Keeps the error of the last server that responded, or the first error if none did.
    fn keep_better(&mut self, fault: DatabaseError, is_answer: bool) {
        if is_answer || self.fault.is_none() {
            self.fault = Some(fault);
        }
    }
}

/// Whether the server has no entry in `pg_hba.conf` for the connection.
fn has_no_entry(fault: &DatabaseError) -> bool {
    matches!(fault, DatabaseError::Refused(refusal) if refusal.sqlstate == "28000")
}

impl PostgresServer {
    fn first_encryption(&self) -> Encryption {
        match self.conninfo.tls.mode {
            _ if self.connector.is_none() => Encryption::None,
            SslMode::Disable | SslMode::Allow => Encryption::None,
            SslMode::Prefer => Encryption::Preferred,
            SslMode::Require | SslMode::VerifyCa | SslMode::VerifyFull => Encryption::Required,
        }
    }
}

impl Attempt {
    /// The statement that checks `target_session_attrs`, and its expected result.
    pub(crate) fn session_question(&self) -> Option<(&'static str, &'static str)> {
        match self.session {
            TargetSession::Any | TargetSession::PreferStandby => None,
            TargetSession::ReadWrite => Some(("SHOW transaction_read_only", "off")),
            TargetSession::ReadOnly => Some(("SHOW transaction_read_only", "on")),
            TargetSession::Primary => {
                Some(("SELECT pg_catalog.pg_is_in_recovery()::text", "false"))
            }
            TargetSession::Standby => Some(("SELECT pg_catalog.pg_is_in_recovery()::text", "true")),
        }
    }
}

impl AttemptError {
    pub(crate) fn unreachable(error: &std::io::Error) -> AttemptError {
        let fault = DatabaseError::Unavailable(format!("error connecting to server: {error}"));
        AttemptError {
            fault,
            kind: AttemptErrorKind::Unreachable,
        }
    }

    /// The error for a server that is not of the requested kind.
    pub(crate) fn wrong_server_kind() -> AttemptError {
        let fault = DatabaseError::Unavailable(
            "the server is not of the requested kind (`target_session_attrs`)".into(),
        );
        AttemptError {
            fault,
            kind: AttemptErrorKind::Unwanted,
        }
    }

    fn handshake(sentence: String) -> AttemptError {
        AttemptError {
            fault: DatabaseError::Unavailable(sentence),
            kind: AttemptErrorKind::Handshake,
        }
    }
}

impl From<DatabaseError> for AttemptError {
    fn from(fault: DatabaseError) -> AttemptError {
        AttemptError {
            fault,
            kind: AttemptErrorKind::Unwanted,
        }
    }
}

fn shuffle<T>(items: &mut [T], at_random: bool, address: impl Fn(&T) -> &ServerAddress) {
    use std::hash::BuildHasher;
    if at_random {
        let random = foldhash::fast::RandomState::default();
        items.sort_by_cached_key(|item| random.hash_one(format!("{:?}", address(item))));
    }
}

impl Canceller {
    pub(crate) fn new(
        server: Arc<PostgresServer>,
        attempt: Attempt,
        is_encrypted: bool,
        token: CancelToken,
    ) -> Canceller {
        let encryption = if is_encrypted {
            Encryption::Required
        } else {
            Encryption::None
        };
        Canceller {
            server,
            attempt: Attempt {
                encryption,
                ..attempt
            },
            token,
        }
    }

    /// Notes that the host has accepted a connection, and is the one to try first.
    pub(crate) fn note_connected(&self) {
        self.server.prefer_host(self.attempt.index);
    }

    /// Whether another host has become the primary, so that the connection has to be given up.
    pub(crate) fn is_superseded(&self) -> bool {
        self.server.has_several_for_writing() && self.server.is_superseded(self.attempt.index)
    }

    /// The host and port of the connection.
    pub(crate) fn host_name(&self) -> Option<&Arc<str>> {
        self.server.names.get(self.attempt.index)
    }

    /// Cancels the running statement and waits until the server has closed the socket: only then
    /// has the signal been sent, so that it cannot hit the next statement.
    pub(crate) async fn cancel(&self) -> Option<()> {
        let OpenedSocket {
            mut socket,
            handshake,
            ..
        } = self.server.open(&self.attempt).await.ok()?;
        self.token
            .cancel_query_raw(KeptOpen(&mut socket), handshake)
            .await
            .ok()?;
        let mut rest = Vec::new();
        match socket.read_to_end(&mut rest).await {
            Ok(_) => Some(()),
            // A server that closes the socket without the TLS `close_notify`.
            Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => Some(()),
            Err(_) => None,
        }
    }
}

/// A socket that is not shut down after writing. The driver does that behind a cancel request; a
/// pooler then takes the client for gone, and does not pass the request on, or (PgBouncer 1.18)
/// ends itself.
struct KeptOpen<'s>(&'s mut Socket);

impl AsyncRead for KeptOpen<'_> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        task: &mut Context<'_>,
        bytes: &mut ReadBuf<'_>,
    ) -> Poll<std::io::Result<()>> {
        Pin::new(&mut *self.0).poll_read(task, bytes)
    }
}

impl AsyncWrite for KeptOpen<'_> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        task: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<std::io::Result<usize>> {
        Pin::new(&mut *self.0).poll_write(task, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Pin::new(&mut *self.0).poll_flush(task)
    }

    fn poll_shutdown(self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        self.poll_flush(task)
    }
}

impl std::fmt::Debug for Canceller {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Canceller")
            .field("attempt", &self.attempt)
            .finish_non_exhaustive()
    }
}

/// A completed handshake for the driver, which expects to perform one.
pub(crate) struct Handshake {
    end_point: Option<Vec<u8>>,
}

/// A stream with the channel binding data for SCRAM.
pub(crate) struct ChannelBoundStream<S> {
    stream: S,
    end_point: Option<Vec<u8>>,
}

impl<S: AsyncRead + AsyncWrite + Unpin> TlsConnect<S> for Handshake {
    type Stream = ChannelBoundStream<S>;
    type Error = Infallible;
    type Future = Ready<Result<ChannelBoundStream<S>, Infallible>>;

    fn connect(self, stream: S) -> Self::Future {
        ready(Ok(ChannelBoundStream {
            stream,
            end_point: self.end_point,
        }))
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> TlsStream for ChannelBoundStream<S> {
    fn channel_binding(&self) -> Binding {
        self.end_point
            .clone()
            .map_or_else(Binding::none, Binding::tls_server_end_point)
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for ChannelBoundStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        task: &mut Context<'_>,
        bytes: &mut ReadBuf<'_>,
    ) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(task, bytes)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for ChannelBoundStream<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        task: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<std::io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(task, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(task)
    }

    fn poll_shutdown(
        mut self: Pin<&mut Self>,
        task: &mut Context<'_>,
    ) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(task)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn server(conninfo: &str) -> PostgresServer {
        let settings = SessionSettings::new(None, RECONNECT_TIMEOUT);
        PostgresServer::new(
            Conninfo::resolve(conninfo, &|_| None).unwrap(),
            settings,
            PoolerMode::Auto,
        )
        .unwrap()
    }

    async fn warnings(conninfo: &str, is_encrypted: bool) -> Vec<String> {
        let server = server(conninfo);
        let attempt = server.attempts().next().await.unwrap();
        server.warnings(&attempt, is_encrypted)
    }

    #[tokio::test]
    async fn unencrypted_remote_connections_get_a_warning() {
        let warned = warnings("postgres://10.0.0.1", false).await;
        assert_eq!(warned.len(), 1);
        assert!(
            warned[0]
                .starts_with("the connection to the database at 10.0.0.1:5432 is not encrypted"),
            "{warned:?}"
        );
        assert!(warnings("postgres://10.0.0.1", true).await.is_empty());
        for local in [
            "postgres://127.0.0.1",
            "postgres://[::1]",
            "postgres://[::ffff:127.0.0.1]",
            "host=/tmp",
        ] {
            assert!(warnings(local, false).await.is_empty(), "{local}");
        }
    }

    fn attempt_error(kind: AttemptErrorKind, sqlstate: &str) -> AttemptError {
        let refusal = crate::error::PostgresError {
            sqlstate: sqlstate.into(),
            ..Default::default()
        };
        AttemptError {
            fault: DatabaseError::Refused(refusal),
            kind,
        }
    }

    #[tokio::test]
    async fn sslmode_decides_the_second_attempt() {
        let refused = |is_encrypted| AttemptErrorKind::Refused {
            is_encrypted,
            is_final: false,
        };
        let cases = [
            ("disable", Encryption::None, refused(false), None),
            (
                "allow",
                Encryption::None,
                refused(false),
                Some(Encryption::Required),
            ),
            (
                "allow",
                Encryption::None,
                AttemptErrorKind::Unreachable,
                None,
            ),
            (
                "prefer",
                Encryption::Preferred,
                AttemptErrorKind::Handshake,
                Some(Encryption::None),
            ),
            (
                "prefer",
                Encryption::Preferred,
                refused(true),
                Some(Encryption::None),
            ),
            ("prefer", Encryption::Preferred, refused(false), None),
            (
                "prefer",
                Encryption::Preferred,
                AttemptErrorKind::Unreachable,
                None,
            ),
            (
                "require",
                Encryption::Required,
                AttemptErrorKind::Handshake,
                None,
            ),
            ("require", Encryption::Required, refused(true), None),
        ];
        for (mode, first, kind, second) in cases {
            let server = server(&format!("hostaddr=10.0.0.1 sslmode={mode}"));
            let mut attempts = server.attempts();
            let attempt = attempts.next().await.unwrap();
            assert_eq!(attempt.encryption, first, "{mode}");
            attempts.record_failure(attempt, attempt_error(kind, "28000"));
            let next = attempts.next().await.map(|attempt| attempt.encryption).ok();
            assert_eq!(next, second, "{mode}, {kind:?}");
        }
    }

    #[tokio::test]
    async fn refused_startup_options_are_left_out_and_reveal_a_pooler() {
        let server = server("hostaddr=10.0.0.1");
        let mut attempts = server.attempts();
        let attempt = attempts.next().await.unwrap();
        attempts.record_failure(
            attempt,
            attempt_error(AttemptErrorKind::RefusedStartup, "08P01"),
        );
        let attempt = attempts.next().await.unwrap();
        assert!(attempt.is_without_options && server.kind() == Some(ServerKind::TransactionPooler));
        attempts.record_failure(
            attempt,
            attempt_error(AttemptErrorKind::RefusedStartup, "08P01"),
        );
        assert!(attempts.next().await.is_err());
    }

    #[tokio::test]
    async fn wrong_password_ends_the_attempts_and_its_error_is_reported() {
        let server = server("hostaddr=10.0.0.1,10.0.0.2 sslmode=prefer");
        let mut attempts = server.attempts();
        let refused = |is_encrypted, is_final| AttemptErrorKind::Refused {
            is_encrypted,
            is_final,
        };
        let attempt = attempts.next().await.unwrap();
        attempts.record_failure(attempt, attempt_error(refused(true, false), "28000"));
        let attempt = attempts.next().await.unwrap();
        attempts.record_failure(attempt, attempt_error(refused(false, true), "28P01"));
        let fault = attempts.next().await.unwrap_err();
        assert!(matches!(fault, DatabaseError::Refused(refusal) if refusal.sqlstate == "28P01"));
    }
}

//! One pooled connection: how it is opened, its prepared statements, and the guarantee that no
//! response of one request reaches the next request on it. Running statements is left to
//! [`crate::connection::rows`] and [`crate::transaction`].
//!
//! A connection returns to the pool only when the statement has ended, a cancel request for it has
//! ended too, and the server reports that it is outside of any transaction. If a part of the
//! request's messages has not been sent, the connection is closed.

pub(crate) mod age;
pub(crate) mod column_formats;
pub(crate) mod rows;
pub(crate) mod statement_cache;

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use deadpool::managed::{self, Metrics, Object, RecycleError, RecycleResult};
use tokio::time::Instant;
use tokio_postgres::CancelToken;

use crate::connection::age::{ConnectionLimits, LastTick, Ticks};
use crate::connection::column_formats::ColumnFormats;
use crate::connection::statement_cache::{StatementCache, StatementId};
use crate::deadline::RECONNECT_TIMEOUT;
use crate::error::{DatabaseError, PostgresError};
use crate::memory::MemoryBudget;
use crate::pooler::{self, ServerKind, TransactionPooling};
use crate::protocol::row_columns::RowColumns;
use crate::protocol::{ALL_BINARY, ReceiveError, WireProtocol, tag};
use crate::query::TransactionSettings;
use crate::server_start::{ComparedStart, ServerStart};
use crate::sharing::Slot;
use crate::sign_in::replication_startup::ReplicationStartup;
use crate::sign_in::session_settings::{ASK_MARKER, SessionSettings, is_at_least_14};
use crate::sign_in::{Attempt, AttemptError, Canceller, OpenedSocket, PostgresServer};
use crate::socket::BytewiseReader;

/// A connection and its prepared statements.
pub(crate) struct Connection {
    pub(crate) protocol: WireProtocol,
    prepared: StatementCache,
    /// Evicted statements. They are closed after the next `Sync`, because the current transaction
    /// may still need them.
    closing: Vec<StatementId>,
    /// The last statement that was known before the current request.
    latest: StatementId,
    /// `None` unless a pooler may give each transaction another session.
    pooling: Option<Box<TransactionPooling>>,
    canceller: Canceller,
    /// Whether an explanation has prepared a statement and not removed it yet.
    is_explaining: bool,
    /// A comment that statements of the current request have. They are closed after it.
    comment: Option<Box<str>>,
    /// From when on it is too old to be used.
    last_tick: LastTick,
    /// When its server was started, if the pool compares it.
    server_start: Option<ServerStart>,
}

/// Opens connections for the pool. Authentication is left to [`crate::sign_in`].
#[derive(Debug)]
pub(crate) struct Manager {
    server: Arc<PostgresServer>,
    statements: usize,
    search_path: Arc<OnceLock<String>>,
    warnings: Arc<OnceLock<Vec<String>>>,
    memory: MemoryBudget,
    /// What distinguishes the statements of this pool from those of the pool before a reload.
    mark: String,
    limits: ConnectionLimits,
    ticks: Ticks,
    /// The start of the server that may answer requests; `None` if any server may.
    compared_start: Option<ComparedStart>,
}

/// A connection in use by one request. If a response is still outstanding when it is dropped, the
/// statement is cancelled, and the connection returns to the pool only after the cancel request and
/// the statement have both ended. If that fails, or some bytes were not sent, the connection is
/// closed.
#[derive(Debug)]
pub struct PooledConnection {
    connection: Option<Object<Manager>>,
    /// Released after the connection; `None` if the connection was taken without queueing.
    slot: Option<Slot>,
    limit: Duration,
}

/// A prepared statement and whether it was parsed just now.
#[derive(Clone, Debug)]
pub(crate) struct PreparedStatement {
    pub(crate) number: StatementId,
    pub(crate) is_new: bool,
    /// The formats of its columns, once their types were compared with those that the encoder
    /// expects.
    pub(crate) formats: Option<ColumnFormats>,
}

/// The generic plan of a statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExplainedStatement {
    /// The plan as JSON from `EXPLAIN`.
    pub plan: String,
    /// The OIDs of the types of its parameters, as Postgres has inferred them; empty if there are
    /// no unused ones.
    pub parameter_types: Vec<u32>,
}

/// The types of the parameters of the statement that [`PooledConnection::explain`] prepares.
const PARAMETER_TYPES: &str = "SELECT parameter_types::oid[]::text FROM \
                               pg_catalog.pg_prepared_statements WHERE name = 'postern_explained'";

/// How long a cancelled statement may take to end before its connection is closed.
const CANCEL_TIMEOUT: Duration = Duration::from_secs(5);

/// A statement that ran so long without an end makes the idle connections suspect.
const SUSPECT_AFTER: Duration = Duration::from_secs(5);

/// How long to wait for a cancel request to take effect before sending another.
const CANCEL_INTERVAL: Duration = Duration::from_millis(250);

impl PreparedStatement {
    /// Whether its column types were already compared with those that the encoder expects.
    pub(crate) fn is_checked(&self) -> bool {
        self.formats.is_some()
    }
}

impl Manager {
    /// `search_path` is a list of quoted names, set on every connection that is opened after the
    /// cell was filled. The first connection fills `warnings`.
    pub(crate) fn new(
        server: Arc<PostgresServer>,
        statements: usize,
        search_path: Arc<OnceLock<String>>,
        warnings: Arc<OnceLock<Vec<String>>>,
        memory: MemoryBudget,
    ) -> Manager {
        let mark = format!("/* {:08x} */", rand::random::<u32>());
        let limits = ConnectionLimits::default();
        let ticks = Ticks::default();
        Manager {
            server,
            statements,
            search_path,
            warnings,
            memory,
            mark,
            limits,
            ticks,
            compared_start: None,
        }
    }

    /// Limits the age of connections.
    pub(crate) fn with_limits(self, limits: ConnectionLimits) -> Manager {
        Manager { limits, ..self }
    }

    /// Lets only the server answer requests that was started at this time.
    pub(crate) fn with_compared_start(self, compared_start: Option<ComparedStart>) -> Manager {
        Manager {
            compared_start,
            ..self
        }
    }

    /// Whether the server of this connection may answer requests.
    pub(crate) fn check_start(&self, connection: &Connection) -> Result<(), DatabaseError> {
        match (&self.compared_start, connection.server_start) {
            (Some(compared), Some(start)) if !compared.is(start) => Err(
                DatabaseError::Unavailable("it was started after it was last compared".into()),
            ),
            _ => Ok(()),
        }
    }

    /// The clock of the pool's connections.
    pub(crate) fn ticks(&self) -> &Ticks {
        &self.ticks
    }

    /// Whether all connections are to the same server.
    pub(crate) fn is_single_server(&self) -> bool {
        self.server.is_single()
    }

    /// The hosts, the database and the user.
    pub(crate) fn server_location(&self) -> (String, Option<&str>, Option<&str>) {
        let config = self.server.config();
        (
            self.server.describe_hosts(),
            config.get_dbname(),
            config.get_user(),
        )
    }

    /// The hosts with their ports, for messages.
    pub(crate) fn describe_hosts(&self) -> String {
        self.server.describe_hosts()
    }

    /// What is between the client and Postgres, once a connection was opened.
    pub(crate) fn server_kind(&self) -> Option<ServerKind> {
        self.server.kind()
    }

    /// Whether the pooler keeps prepared statements; `None` if there is no pooler in transaction
    /// mode.
    pub(crate) fn pooler_keeps_statements(&self) -> Option<bool> {
        self.server.keeps_statements.get().copied()
    }

    /// Opens a connection whose server process sends the changes of logical replication.
    pub(crate) async fn sign_in_for_replication(
        &self,
    ) -> Result<(WireProtocol, Canceller), DatabaseError> {
        let mut attempts = self.server.attempts();
        loop {
            let attempt = attempts.next().await?;
            let signing_in = async {
                let OpenedSocket {
                    mut socket,
                    config,
                    handshake,
                } = self.server.open(&attempt).await?;
                let stream = ReplicationStartup::new(BytewiseReader(&mut socket));
                let token = match config.connect_raw(stream, handshake).await {
                    Ok((client, _)) => client.cancel_token(),
                    Err(error) => return Err(self.server.refused_on(&error, &mut socket).await),
                };
                let mut protocol = WireProtocol::new(socket, self.memory);
                accept(&mut protocol, &attempt).await?;
                Ok((protocol, token))
            };
            match self.server.with_timeout(signing_in).await {
                Ok((wire_protocol, token)) => {
                    let is_encrypted = wire_protocol.is_encrypted();
                    return Ok((
                        wire_protocol,
                        Canceller::new(self.server.clone(), attempt, is_encrypted, token),
                    ));
                }
                Err(failed) => attempts.record_failure(attempt, failed),
            }
        }
    }

    /// Tries the hosts in turn and returns the first connection that a server accepts.
    async fn sign_in(&self) -> Result<Box<Connection>, DatabaseError> {
        let mut attempts = self.server.attempts();
        loop {
            let attempt = attempts.next().await?;
            match self.server.with_timeout(self.sign_in_by(&attempt)).await {
                Ok((protocol, token, pooling)) => {
                    let is_encrypted = protocol.is_encrypted();
                    self.warnings
                        .get_or_init(|| self.server.warnings(&attempt, is_encrypted));
                    let canceller =
                        Canceller::new(self.server.clone(), attempt, is_encrypted, token);
                    canceller.note_connected();
                    let prepared = StatementCache::new(self.statements);
                    return Ok(Box::new(Connection {
                        protocol,
                        latest: prepared.latest(),
                        prepared,
                        closing: Vec::new(),
                        pooling,
                        canceller,
                        comment: None,
                        is_explaining: false,
                        last_tick: self.ticks.last_of(self.limits),
                        server_start: None,
                    }));
                }
                Err(failed) => attempts.record_failure(attempt, failed),
            }
        }
    }

    async fn sign_in_by(
        &self,
        attempt: &Attempt,
    ) -> Result<(WireProtocol, CancelToken, Option<Box<TransactionPooling>>), AttemptError> {
        let OpenedSocket {
            mut socket,
            config,
            handshake,
        } = self.server.open(attempt).await?;
        // The driver runs its own protocol task. Only its authentication and the parameters that
        // the server reports are used here.
        let signed_in = config
            .connect_raw(BytewiseReader(&mut socket), handshake)
            .await;
        let (client, greeting) = match signed_in {
            Ok(both) => both,
            Err(error) => return Err(self.server.refused_on(&error, &mut socket).await),
        };
        let token = client.cancel_token();
        let version = major_version(greeting.parameter("server_version"));
        drop(greeting);
        let mut wire_protocol = WireProtocol::new(socket, self.memory);
        accept(&mut wire_protocol, attempt).await?;
        let path = self.search_path.get().map(String::as_str);
        let kind = self.identify_server(&mut wire_protocol).await?;
        let settings = self.server.settings();
        if kind != ServerKind::Direct && !settings.has_statements() {
            let cause = "through a pooler, `options` of the database URL can only contain \
                         settings (`-c name=value`)";
            return Err(DatabaseError::Unavailable(cause.into()).into());
        }
        let of_session = match kind {
            ServerKind::Direct => SessionSettings::later(path, version),
            ServerKind::SessionPooler => settings.session_options(path, version),
            ServerKind::TransactionPooler => {
                let text = settings.transaction_settings(path, version);
                let keeps_statements = match self.server.keeps_statements.get() {
                    Some(known) => *known,
                    None => {
                        let found = pooler::keeps_statements(&mut wire_protocol).await?;
                        *self.server.keeps_statements.get_or_init(|| found)
                    }
                };
                let pooling = TransactionPooling::start(
                    &mut wire_protocol,
                    text,
                    keeps_statements,
                    &self.mark,
                )
                .await?;
                return Ok((wire_protocol, token, Some(Box::new(pooling))));
            }
        };
        if !of_session.is_empty() {
            wire_protocol.simple_query(&of_session)?;
            expect_complete(&mut wire_protocol).await?;
        }
        if is_at_least_14(version) {
            // With this setting the server ends a statement when the client is gone. Servers on
            // platforms without support for it and poolers may refuse it; their error is ignored.
            wire_protocol.simple_query("SET client_connection_check_interval TO '2s'")?;
            wire_protocol
                .ready(Instant::now() + RECONNECT_TIMEOUT)
                .await
                .map_err(|stopped| stopped.fault(RECONNECT_TIMEOUT))?;
        }
        Ok((wire_protocol, token, None))
    }

    /// What is between the client and Postgres. A session in which the startup options have no
    /// effect belongs to a pooler.
    async fn identify_server(
        &self,
        protocol: &mut WireProtocol,
    ) -> Result<ServerKind, DatabaseError> {
        if let Some(kind) = self.server.kind() {
            return Ok(kind);
        }
        protocol.simple_query(ASK_MARKER)?;
        let mut has_options = false;
        loop {
            match protocol
                .next(Instant::now() + RECONNECT_TIMEOUT)
                .await
                .map_err(|stopped| stopped.fault(RECONNECT_TIMEOUT))?
            {
                tag::ROW => has_options = protocol.body().ends_with(b"on"),
                tag::READY => break,
                _ => {}
            }
        }
        Ok(self.server.identify(has_options))
    }
}

/// Checks `target_session_attrs`: whether this server is of the requested kind.
async fn accept(protocol: &mut WireProtocol, attempt: &Attempt) -> Result<(), AttemptError> {
    let Some((question, wanted)) = attempt.session_question() else {
        return Ok(());
    };
    protocol.simple_query(question)?;
    let mut is_wanted = false;
    loop {
        match protocol
            .next(Instant::now() + RECONNECT_TIMEOUT)
            .await
            .map_err(|stopped| stopped.fault(RECONNECT_TIMEOUT))?
        {
            tag::ROW => is_wanted = protocol.body().ends_with(wanted.as_bytes()),
            tag::READY if is_wanted => return Ok(()),
            tag::READY => return Err(AttemptError::wrong_server_kind()),
            _ => {}
        }
    }
}

/// The major version: `15` of `15.18 (Debian 15.18-1)`.
fn major_version(version: Option<&str>) -> Option<u32> {
    version?
        .split(|c: char| !c.is_ascii_digit())
        .next()?
        .parse()
        .ok()
}

/// Waits until the statements that were sent have completed; returns the server's error if one
/// failed.
async fn expect_complete(protocol: &mut WireProtocol) -> Result<(), DatabaseError> {
    match protocol.ready(Instant::now() + RECONNECT_TIMEOUT).await {
        Ok(None) => Ok(()),
        Ok(Some(refusal)) => Err(DatabaseError::refused(refusal, RECONNECT_TIMEOUT)),
        Err(stopped) => Err(stopped.fault(RECONNECT_TIMEOUT)),
    }
}

impl managed::Manager for Manager {
    /// Boxed, because it is moved several times per request.
    type Type = Box<Connection>;
    type Error = DatabaseError;

    async fn create(&self) -> Result<Box<Connection>, DatabaseError> {
        // Boxed as well: connecting is rare, and without the box the future of every request would
        // be large enough for it.
        let mut connection = Box::pin(self.sign_in()).await?;
        if self.compared_start.is_some() {
            connection.server_start = Some(Box::pin(connection.ask_start()).await?);
        }
        Ok(connection)
    }

    async fn recycle(
        &self,
        connection: &mut Box<Connection>,
        _: &Metrics,
    ) -> RecycleResult<DatabaseError> {
        if !self.ticks.permit(connection.last_tick) {
            return Err(RecycleError::message("the connection is old"));
        }
        if connection.canceller.is_superseded() {
            return Err(RecycleError::message("another host is the primary"));
        }
        if connection.protocol.is_idle() && connection.protocol.is_alive().await {
            Ok(())
        } else {
            Err(RecycleError::message("the connection was lost"))
        }
    }
}

impl Connection {
    /// Asks its server when it was started.
    async fn ask_start(&mut self) -> Result<ServerStart, DatabaseError> {
        const START: &str = "SELECT extract(epoch FROM pg_catalog.pg_postmaster_start_time())";
        let deadline = Instant::now() + RECONNECT_TIMEOUT;
        let text = self.query_simple(START, deadline).await?;
        text.parse()
            .map(ServerStart)
            .map_err(|_| DatabaseError::Protocol(format!("`{text}` is no time")))
    }

    /// Runs a statement by the simple protocol, and returns the text of its row.
    pub(crate) async fn query_simple(
        &mut self,
        statement: &str,
        deadline: Instant,
    ) -> Result<String, DatabaseError> {
        let protocol = &mut self.protocol;
        protocol.simple_query(statement)?;
        let mut response = None;
        let mut refused = None;
        loop {
            match protocol
                .next(deadline)
                .await
                .map_err(|stopped| stopped.fault(RECONNECT_TIMEOUT))?
            {
                tag::ROW => response = RowColumns::new(protocol.body()).text(),
                tag::ERROR => refused = refused.or(Some(PostgresError::read(protocol.body()))),
                tag::READY => break,
                _ => {}
            }
        }
        match (refused, response) {
            (Some(refusal), _) => Err(DatabaseError::refused(refusal, RECONNECT_TIMEOUT)),
            (None, Some(text)) => Ok(text),
            (None, None) => Err(DatabaseError::Protocol(
                "a statement of one row gave none".into(),
            )),
        }
    }

    /// Whether another host has become the primary.
    pub(crate) fn is_superseded(&self) -> bool {
        self.canceller.is_superseded()
    }

    /// From when on it is too old to be used.
    pub(crate) fn last_tick(&self) -> LastTick {
        self.last_tick
    }

    /// Encodes what precedes the statements of a transaction: nothing, unless a pooler may give
    /// each transaction another session.
    #[inline]
    pub(crate) fn begin(&mut self) -> Result<(), DatabaseError> {
        match &mut self.pooling {
            None => Ok(()),
            Some(pooling) => pooling.begin(&mut self.protocol),
        }
    }

    /// Whether a pooler may give each transaction another session.
    #[inline]
    pub(crate) fn is_pooled(&self) -> bool {
        self.pooling.is_some()
    }

    /// Whether statements have no name, because a pooler does not keep them.
    #[inline]
    pub(crate) fn is_unnamed(&self) -> bool {
        self.pooling
            .as_ref()
            .is_some_and(|pooling| !pooling.keeps_statements)
    }

    /// The prepared statement for this text. A new statement is parsed together with the messages
    /// that are sent next. Without names only the check of its columns is remembered;
    /// [`Connection::describe`] and [`Connection::execute`] parse it.
    pub(crate) fn prepare(&mut self, text: &str) -> Result<PreparedStatement, DatabaseError> {
        if let Some(comment) = self.comment.as_ref().filter(|_| !self.is_unnamed()) {
            // The text is another one for each request, so that the cache would only lose what is
            // used again.
            let number = self.prepared.number();
            self.closing.push(number);
            self.protocol
                .parse(&number.name(), &format!("{text} {comment}"))?;
            return Ok(PreparedStatement {
                number,
                is_new: true,
                formats: None,
            });
        }
        if let Some((number, formats)) = self.prepared.get(text) {
            return Ok(PreparedStatement {
                number,
                is_new: false,
                formats,
            });
        }
        let (number, evicted) = self.prepared.insert(text);
        self.closing.extend(evicted);
        match &self.pooling {
            None => self.protocol.parse(&number.name(), text)?,
            Some(pooling) if pooling.keeps_statements => {
                self.protocol
                    .parse(&number.name(), &format!("{text} {}", pooling.mark))?;
            }
            Some(_) => {}
        }
        Ok(PreparedStatement {
            number,
            is_new: true,
            formats: None,
        })
    }

    /// Like [`Connection::prepare`]. If the statement `needs_values`, it is parsed again before
    /// Postgres chooses a plan for all values, and the former one is closed after this request. A
    /// pooler would give the new one the server's former statement, and a traced request has a
    /// statement of its own.
    pub(crate) fn prepare_for(
        &mut self,
        text: &str,
        needs_values: bool,
    ) -> Result<PreparedStatement, DatabaseError> {
        if needs_values && !self.is_pooled() && !self.has_new_texts() {
            self.closing
                .extend(self.prepared.take_before_generic_plan(text));
        }
        self.prepare(text)
    }

    /// Encodes the statement that sets settings for the transaction. It is prepared before the
    /// statements that need them: what those may name can depend on the role.
    pub(crate) fn execute_settings(
        &mut self,
        settings: TransactionSettings<'_>,
    ) -> Result<PreparedStatement, DatabaseError> {
        let statement = self.prepare(settings.text)?;
        self.execute(&statement, settings.text, settings.parameters, false)?;
        Ok(statement)
    }

    /// Whether the column types of all these statements were checked.
    pub(crate) fn has_checked(&mut self, texts: &[&str]) -> bool {
        !self.has_new_texts()
            && texts.iter().all(|text| {
                self.prepared
                    .get(text)
                    .is_some_and(|(_, formats)| formats.is_some())
            })
    }

    /// Whether all these statements are prepared.
    pub(crate) fn has_prepared(&mut self, texts: &[&str]) -> bool {
        !self.has_new_texts() && texts.iter().all(|text| self.prepared.get(text).is_some())
    }

    /// Whether statements are parsed and described again, because the comment makes other texts of
    /// them.
    fn has_new_texts(&self) -> bool {
        self.comment.is_some() && !self.is_unnamed()
    }

    /// Requests the column types of a prepared statement with this text.
    pub(crate) fn describe(
        &mut self,
        statement: &PreparedStatement,
        text: &str,
    ) -> Result<(), DatabaseError> {
        if self.is_unnamed() {
            self.protocol.parse("", text)?;
            return self.protocol.describe("");
        }
        self.protocol.describe(&statement.number.name())
    }

    /// Encodes the execution of a prepared statement with this text, after a description of its
    /// columns if it `is_described`.
    pub(crate) fn execute(
        &mut self,
        statement: &PreparedStatement,
        text: &str,
        parameters: &[Option<String>],
        is_described: bool,
    ) -> Result<(), DatabaseError> {
        if self.is_unnamed() {
            self.protocol.parse("", text)?;
            if is_described {
                self.protocol.describe("")?;
            }
            return self.protocol.execute("", parameters, ALL_BINARY);
        }
        let name = statement.number.name();
        if is_described {
            self.protocol.describe(&name)?;
        }
        // A pooler may have given this session a statement of its own.
        let formats = statement.formats.as_ref().filter(|_| !self.is_pooled());
        self.protocol.execute(
            &name,
            parameters,
            formats.map_or(ALL_BINARY, ColumnFormats::codes),
        )
    }

    /// Compares the column types that the server describes, if there are columns, with those that
    /// the reader expects. A statement whose columns differ is closed.
    pub(crate) fn check(
        &mut self,
        number: StatementId,
        letter: u8,
        compare: impl FnOnce(&[u32]) -> Result<(), String>,
    ) -> Result<(), DatabaseError> {
        let described = if letter == tag::COLUMNS {
            column_types(self.protocol.body())?
        } else {
            Vec::new()
        };
        match compare(&described) {
            Ok(()) => {
                self.prepared
                    .set_checked(number, ColumnFormats::new(&described));
                Ok(())
            }
            Err(changed) => {
                self.close_statement(number);
                Err(DatabaseError::SchemaChanged(changed))
            }
        }
    }

    /// Ends the messages that were encoded so far with a `Sync`, as one transaction.
    pub(crate) fn sync(&mut self) -> Result<(), DatabaseError> {
        self.protocol.sync();
        if let Some(pooling) = &mut self.pooling {
            pooling.end();
            return Ok(());
        }
        // Before the `Sync` the server would skip these messages after an error. Their responses
        // are read with those of the next statement.
        for number in self.closing.drain(..) {
            self.protocol.close_statement(&number.name())?;
        }
        Ok(())
    }

    /// Like [`Connection::sync`], for messages whose statements are used again by the next ones.
    pub(crate) fn sync_keeping_evicted(&mut self) {
        self.protocol.sync();
        if let Some(pooling) = &mut self.pooling {
            pooling.end();
        }
    }

    /// Closes evicted statements at the beginning of a transaction through a pooler: after its
    /// `Sync` the pooler would take another session for these messages, and keep it until the next
    /// one.
    pub(crate) fn close_evicted(&mut self) -> Result<(), DatabaseError> {
        if self.pooling.is_some() {
            let is_unnamed = self.is_unnamed();
            for number in self.closing.drain(..).filter(|_| !is_unnamed) {
                self.protocol.close_statement(&number.name())?;
            }
        }
        Ok(())
    }

    /// Closes the statements that the current request has prepared, with the next `Sync`. The
    /// server does not know those whose parsing was cancelled.
    fn close_new_statements(&mut self) {
        self.closing.extend(self.prepared.remove_since(self.latest));
    }

    /// Closes a statement that failed to parse or whose columns have other types.
    pub(crate) fn close_statement(&mut self, number: StatementId) {
        if !self.prepared.remove(number) {
            return;
        }
        if self.pooling.is_some() {
            self.closing.push(number);
        } else {
            // An encoding error here could only mean that five more bytes do not fit; there is no
            // way to handle it.
            let _ = self.protocol.close_statement(&number.name());
        }
    }
}

/// Reads the OIDs of the column types from a `RowDescription`. Each column has its name, six bytes
/// for its origin, the type, and eight bytes for size, modifier and format.
fn column_types(mut body: &[u8]) -> Result<Vec<u32>, DatabaseError> {
    let malformed =
        || DatabaseError::Protocol("a description of columns that ends too early".into());
    let (count, rest) = body.split_first_chunk().ok_or_else(malformed)?;
    body = rest;
    let mut types = Vec::new();
    for _ in 0..u16::from_be_bytes(*count) {
        let name = body
            .iter()
            .position(|byte| *byte == 0)
            .ok_or_else(malformed)?;
        let fields = body
            .get(name + 1..)
            .and_then(<[u8]>::split_first_chunk::<18>);
        let ([_, _, _, _, _, _, a, b, c, d, ..], rest) = fields.ok_or_else(malformed)?;
        types.push(u32::from_be_bytes([*a, *b, *c, *d]));
        body = rest;
    }
    Ok(types)
}

impl std::fmt::Debug for Connection {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Connection")
            .field("canceller", &self.canceller)
            .field("wire", &self.protocol)
            .finish_non_exhaustive()
    }
}

impl PooledConnection {
    /// The host and port of the server.
    pub fn host(&self) -> Option<&Arc<str>> {
        self.connection.as_ref()?.canceller.host_name()
    }

    pub(crate) fn new(
        connection: Object<Manager>,
        slot: Slot,
        limit: Duration,
    ) -> PooledConnection {
        let mut pooled = PooledConnection::unqueued(connection, limit);
        pooled.slot = Some(slot);
        pooled
    }

    /// Wraps an idle connection without queueing, for a short use.
    pub(crate) fn unqueued(mut connection: Object<Manager>, limit: Duration) -> PooledConnection {
        connection.protocol.set_length_limit(usize::MAX);
        connection.comment = None;
        connection.latest = connection.prepared.latest();
        PooledConnection {
            connection: Some(connection),
            slot: None,
            limit,
        }
    }

    /// Adds a comment to the statements that this request sends.
    pub fn set_comment(&mut self, comment: &str) -> Result<(), DatabaseError> {
        self.connection()?.comment = Some(comment.into());
        Ok(())
    }

    /// How many connections the role held when it acquired this one.
    pub fn held_by_role(&self) -> usize {
        self.slot.as_ref().map_or(0, Slot::slots_of_role)
    }

    /// The underlying connection.
    pub(crate) fn connection(&mut self) -> Result<&mut Connection, DatabaseError> {
        self.connection
            .as_deref_mut()
            .map(Box::as_mut)
            .ok_or_else(connection_taken)
    }

    /// Sends only a `Sync` and waits for the response.
    pub(crate) async fn ping(&mut self, deadline: Instant) -> Result<(), DatabaseError> {
        let limit = self.limit;
        let protocol = &mut self.connection()?.protocol;
        protocol.sync();
        protocol
            .drain(deadline)
            .await
            .map_err(|stopped| stopped.fault(limit))
    }

    /// Explains the generic plan of a statement under these settings. The messages are one
    /// transaction, so the `SET LOCAL` ends with it. The first `unused` parameters do not occur in
    /// the statement. `EXPLAIN EXECUTE` needs a statement prepared with SQL's `PREPARE`; a
    /// connection on which that statement remains is not returned to the pool.
    pub(crate) async fn explain(
        &mut self,
        settings: Option<TransactionSettings<'_>>,
        statement: &str,
        (unused, parameters): (usize, usize),
        deadline: Instant,
    ) -> Result<ExplainedStatement, DatabaseError> {
        let limit = self.limit;
        let list = |item: &str, count: usize| match count {
            0 => String::new(),
            count => format!("({})", vec![item; count].join(", ")),
        };
        let types = list("int2", unused);
        let nulls = list("NULL", unused + parameters);
        // With unused parameters, all partitions are wanted; else those that are left for the
        // parameter NULL.
        let (pruning, parameter_types) = match unused {
            0 => ("", String::new()),
            _ => (
                "SET LOCAL enable_partition_pruning TO off; ",
                format!("{PARAMETER_TYPES}; "),
            ),
        };
        let explanation = format!(
            "SET LOCAL plan_cache_mode TO force_generic_plan; \
                                   {pruning}PREPARE postern_explained{types} AS {statement}; \
                                   EXPLAIN (VERBOSE, FORMAT JSON) EXECUTE \
                                   postern_explained{nulls}; \
                                   {parameter_types}DEALLOCATE postern_explained"
        );
        // `BEGIN`, because the session of a failed transaction can still be cleaned up, whereas
        // after an implicit transaction a pooler may have given it to another client.
        self.connection()?.is_explaining = true;
        let (refused, responses) = match settings {
            None => {
                let pooling = self
                    .connection()?
                    .pooling
                    .as_ref()
                    .map(|pooling| format!("{}; ", pooling.settings()));
                let text = format!(
                    "BEGIN; {}{explanation}; COMMIT",
                    pooling.unwrap_or_default()
                );
                self.explained(&text, deadline).await?
            }
            Some(settings) => match self.begin_under(settings, deadline).await? {
                Some(refusal) => (Some(refusal), Vec::new()),
                None => self.explained(&explanation, deadline).await?,
            },
        };
        if let Some(refusal) = refused {
            // A statement prepared with `PREPARE` survives the rollback of its transaction.
            self.run_simple("ROLLBACK; DEALLOCATE postern_explained", deadline)
                .await?;
            self.connection()?.is_explaining = false;
            return Err(DatabaseError::refused(refusal, limit));
        }
        if settings.is_some() {
            self.run_simple("ROLLBACK", deadline).await?;
        }
        self.connection()?.is_explaining = false;
        let mut all_responses = responses.into_iter();
        let plan = all_responses
            .next()
            .ok_or_else(|| DatabaseError::Protocol("a plan without text".into()))?;
        let types = all_responses.next().unwrap_or_default();
        let types = types.trim_matches(['{', '}']).split(',').skip(unused);
        Ok(ExplainedStatement {
            plan,
            parameter_types: types.filter_map(|oid| oid.parse().ok()).collect(),
        })
    }

    /// Runs the statements of an explanation; returns the error, and the texts of the rows.
    async fn explained(
        &mut self,
        text: &str,
        deadline: Instant,
    ) -> Result<(Option<PostgresError>, Vec<String>), DatabaseError> {
        let limit = self.limit;
        let protocol = &mut self.connection()?.protocol;
        protocol.simple_query(text)?;
        let mut responses = Vec::new();
        let mut refused = None;
        loop {
            match protocol
                .next(deadline)
                .await
                .map_err(|stopped| stopped.fault(limit))?
            {
                tag::ROW => responses.extend(RowColumns::new(protocol.body()).text()),
                tag::ERROR => refused = refused.or(Some(PostgresError::read(protocol.body()))),
                tag::READY => return Ok((refused, responses)),
                _ => {}
            }
        }
    }

    /// Begins a transaction with these settings; returns the server's error.
    async fn begin_under(
        &mut self,
        settings: TransactionSettings<'_>,
        deadline: Instant,
    ) -> Result<Option<PostgresError>, DatabaseError> {
        let limit = self.limit;
        if let Some(refusal) = self.run_simple("BEGIN", deadline).await? {
            return Ok(Some(refusal));
        }
        let connection = self.connection()?;
        connection.begin()?;
        let statement = connection.execute_settings(settings)?;
        connection.sync()?;
        let refused = connection
            .protocol
            .ready(deadline)
            .await
            .map_err(|stopped| stopped.fault(limit))?;
        if refused.is_some() && statement.is_new {
            connection.close_statement(statement.number);
        }
        Ok(refused)
    }

    /// Runs a statement without parameters and rows; returns the server's error.
    async fn run_simple(
        &mut self,
        text: &str,
        deadline: Instant,
    ) -> Result<Option<PostgresError>, DatabaseError> {
        let limit = self.limit;
        let protocol = &mut self.connection()?.protocol;
        protocol.simple_query(text)?;
        protocol
            .ready(deadline)
            .await
            .map_err(|stopped| stopped.fault(limit))
    }

    /// The maximum run time of a statement.
    pub(crate) fn limit(&self) -> Duration {
        self.limit
    }
}

/// A `PooledConnection` owns its connection until it is dropped, so this error never occurs.
fn connection_taken() -> DatabaseError {
    DatabaseError::Protocol("the connection was given back".into())
}

impl Drop for PooledConnection {
    fn drop(&mut self) {
        let Some(connection) = self.connection.take() else {
            return;
        };
        let slot = self.slot.take();
        if connection.protocol.is_idle() {
            drop(connection);
            return drop(slot);
        }
        close_suspects(&connection);
        // Cancelling needs a runtime to run on.
        match tokio::runtime::Handle::try_current() {
            Ok(runtime) if !connection.protocol.is_lost() => {
                drop(runtime.spawn(cancel_and_drain(connection, slot)));
            }
            _ => drop(Object::take(connection)),
        }
    }
}

/// After a statement without an answer, closes the idle connections that no request has used since
/// it was sent: if the network has lost this connection, it has lost them too, and each would cost
/// another request its time.
fn close_suspects(connection: &Object<Manager>) {
    let since = Object::metrics(connection).last_used();
    let Some(pool) = Object::pool(connection).filter(|_| since >= SUSPECT_AFTER) else {
        return;
    };
    let closed = pool
        .retain(|_, metrics| metrics.last_used() < since)
        .removed
        .len();
    if closed > 0 {
        tracing::info!(
            closed,
            "a statement got no answer in time: connections that were idle meanwhile are closed"
        );
    }
}

/// Cancels the running statement and returns the connection to the pool once no late signal can
/// reach its next statement.
async fn cancel_and_drain(mut connection: Object<Manager>, slot: Option<Slot>) {
    connection.close_new_statements();
    let Connection {
        protocol,
        canceller,
        is_explaining,
        ..
    } = &mut **connection;
    let is_explaining = std::mem::take(is_explaining);
    let cancelled = async {
        canceller.cancel().await?;
        // Unsent bytes make the connection unusable, so it is closed; cancelling still ended the
        // statement that ran before them.
        if protocol.has_unsent() {
            return None;
        }
        // Ends a transaction that was cancelled midway; a cancel signal that arrives late hits this
        // statement and not the next request's. The statement of an explanation survives the
        // rollback.
        protocol
            .simple_query(if is_explaining {
                "ROLLBACK; DEALLOCATE postern_explained"
            } else {
                "ROLLBACK"
            })
            .ok()?;
        // A cancel request has no effect on a server that is between two statements or has not read
        // the first one yet.
        loop {
            match protocol.drain(Instant::now() + CANCEL_INTERVAL).await {
                Ok(()) => return Some(()),
                Err(ReceiveError::Late) => canceller.cancel().await?,
                Err(ReceiveError::Long | ReceiveError::OutOfMemory(_) | ReceiveError::Lost(_)) => {
                    return None;
                }
            }
        }
    };
    let drained = tokio::time::timeout(CANCEL_TIMEOUT, cancelled)
        .await
        .ok()
        .flatten();
    if drained.is_some() && protocol.is_idle() {
        drop(connection);
    } else {
        drop(Object::take(connection));
    }
    drop(slot);
}

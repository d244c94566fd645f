//! One connection: how it is made, its prepared statements, and the promise that nothing of one request reaches the next on
//! it. What runs on it is left to [`super::rows`] and [`super::transaction`].

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use deadpool::managed::{self, Metrics, Object, RecycleError, RecycleResult};
use sql::Translation;
use sql::encode::shape::Shape;
use tokio::time::Instant;
use tokio_postgres::CancelToken;

use super::protocol::{ReceiveError, WireProtocol, tag};
use super::queue::Permit;
use super::sign_in::{Attempt, AttemptError, Canceller, OpenedSocket, PostgresServer};
use super::socket::BytewiseReader;
use super::statement_cache::{StatementCache, StatementId};
use super::{DatabaseError, PATIENCE, PostgresError, Rows};
use crate::limits::memory::MemoryBudget;

/// A connection and what is prepared on it.
pub(super) struct Connection {
    pub(super) wire: WireProtocol,
    prepared: StatementCache,
    /// Statements that are let go of behind the next transaction, which may still need them.
    passing: Vec<StatementId>,
    canceller: Canceller,
}

/// Makes connections for the pool. Signing in is left to [`super::sign_in`].
#[derive(Debug)]
pub(super) struct Manager {
    server: Arc<PostgresServer>,
    statements: usize,
    search_path: Arc<OnceLock<String>>,
    warnings: Arc<OnceLock<Vec<String>>>,
    memory: MemoryBudget,
}

/// A connection in use. One on which something is still to be answered when it is dropped is cancelled, and goes back to the
/// pool only when cancel request and statement have both ended. Else it is closed, also where not all was said.
#[derive(Debug)]
pub struct PooledConnection {
    connection: Option<Object<Manager>>,
    /// Given back after the connection; none where it was not queued for.
    permit: Option<Permit>,
    limit: Duration,
}

/// A prepared statement and whether it was parsed only now.
#[derive(Clone, Copy, Debug)]
pub(super) struct PreparedStatement {
    pub(super) number: StatementId,
    pub(super) is_new: bool,
    /// Whether its columns were found to be of the types that they are read as.
    pub(super) is_checked: bool,
}

/// How long a cancelled statement may take to end before its connection is closed.
const SETTLING: Duration = Duration::from_secs(5);

/// How long a cancel request has to work before there is another.
const AGAIN: Duration = Duration::from_millis(250);

impl Manager {
    /// `search_path` is what every connection that is made after it was set is told, as a list of quoted names. The first
    /// connection fills in what there is to warn of.
    pub(super) fn new(
        server: Arc<PostgresServer>,
        statements: usize,
        search_path: Arc<OnceLock<String>>,
        warnings: Arc<OnceLock<Vec<String>>>,
        memory: MemoryBudget,
    ) -> Manager {
        Manager { server, statements, search_path, warnings, memory }
    }

    /// Signs in at the first place that lets the gateway in.
    async fn sign_in(&self) -> Result<(WireProtocol, Canceller), DatabaseError> {
        let mut attempts = self.server.attempts();
        loop {
            let attempt = attempts.next().await?;
            match self.server.with_timeout(self.sign_in_by(&attempt)).await {
                Ok((wire, token)) => {
                    let is_encrypted = wire.is_encrypted();
                    self.warnings.get_or_init(|| self.server.warnings(&attempt, is_encrypted));
                    return Ok((wire, Canceller::new(self.server.clone(), attempt, is_encrypted, token)));
                }
                Err(failed) => attempts.record_failure(attempt, failed),
            }
        }
    }

    async fn sign_in_by(&self, attempt: &Attempt) -> Result<(WireProtocol, CancelToken), AttemptError> {
        let OpenedSocket { mut socket, config, handshake } = self.server.open(attempt).await?;
        // The client library has its own way of talking, in a task of its own. Its greeting is what is wanted of it.
        let signed_in = config.connect_raw(BytewiseReader(&mut socket), handshake).await;
        let (client, greeting) = match signed_in {
            Ok(both) => both,
            Err(error) => return Err(self.server.refused_on(&error, &mut socket).await),
        };
        let (token, version) = (client.cancel_token(), major_version(greeting.parameter("server_version")));
        drop(greeting);
        let mut wire = WireProtocol::new(socket, self.memory);
        self.accept(&mut wire, attempt).await?;
        let path = self.search_path.get().map(|path| format!("SET search_path TO {path};"));
        // Rows of foreign tables would come among those of other levels. Older servers do not know the setting, so it
        // cannot be given to them on the way in.
        let apart = version.is_some_and(|version| version >= 14).then_some("SET enable_async_append TO off");
        if path.is_some() || apart.is_some() {
            wire.simple_query(&format!("{}{}", path.unwrap_or_default(), apart.unwrap_or_default()))?;
            expect_complete(&mut wire).await?;
        }
        if version.is_some_and(|version| version >= 14) {
            // Where the gateway is gone, a statement ends that nobody waits for. Servers on systems that cannot tell refuse this,
            // and so may poolers; it is no matter then.
            wire.simple_query("SET client_connection_check_interval TO '2s'")?;
            wire.ready(Instant::now() + PATIENCE).await.map_err(|stopped| stopped.fault(PATIENCE))?;
        }
        Ok((wire, token))
    }

    /// Whether this is the server that is looked for, of several that share their data.
    async fn accept(&self, wire: &mut WireProtocol, attempt: &Attempt) -> Result<(), AttemptError> {
        let Some((question, wanted)) = attempt.session_question() else { return Ok(()) };
        wire.simple_query(question)?;
        let mut is_wanted = false;
        loop {
            match wire.next(Instant::now() + PATIENCE).await.map_err(|stopped| stopped.fault(PATIENCE))? {
                tag::ROW => is_wanted = wire.body().ends_with(wanted.as_bytes()),
                tag::READY if is_wanted => return Ok(()),
                tag::READY => return Err(AttemptError::wrong_server_kind()),
                _ => {}
            }
        }
    }
}

/// `15` of `15.18 (Debian 15.18-1)`.
fn major_version(version: Option<&str>) -> Option<u32> {
    version?.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

/// Waits until what was said is done.
async fn expect_complete(wire: &mut WireProtocol) -> Result<(), DatabaseError> {
    match wire.ready(Instant::now() + PATIENCE).await {
        Ok(None) => Ok(()),
        Ok(Some(refusal)) => Err(DatabaseError::refused(refusal, PATIENCE)),
        Err(stopped) => Err(stopped.fault(PATIENCE)),
    }
}

impl managed::Manager for Manager {
    /// Boxed: it goes from hand to hand with each request.
    type Type = Box<Connection>;
    type Error = DatabaseError;

    async fn create(&self) -> Result<Box<Connection>, DatabaseError> {
        // Boxed too: signing in is rare, and every request's future would have to be large enough for it.
        let (wire, canceller) = Box::pin(self.sign_in()).await?;
        let prepared = StatementCache::new(self.statements);
        Ok(Box::new(Connection { wire, prepared, passing: Vec::new(), canceller }))
    }

    async fn recycle(&self, connection: &mut Box<Connection>, _: &Metrics) -> RecycleResult<DatabaseError> {
        match connection.wire.is_idle() && connection.wire.is_alive().await {
            true => Ok(()),
            false => Err(RecycleError::message("the connection was lost")),
        }
    }
}

impl Connection {
    /// The statement of that text. One that is new here is parsed together with what is sent next.
    pub(super) fn prepare(&mut self, text: &str) -> Result<PreparedStatement, DatabaseError> {
        if let Some((number, is_checked)) = self.prepared.get(text) {
            return Ok(PreparedStatement { number, is_new: false, is_checked });
        }
        let (number, gone) = self.prepared.insert(text);
        self.passing.extend(gone);
        self.wire.parse(&number.name(), text)?;
        Ok(PreparedStatement { number, is_new: true, is_checked: false })
    }

    /// Compares the columns that the server describes, if it has any, with those of a shape. A statement whose columns
    /// differ is forgotten.
    pub(super) fn check(&mut self, number: StatementId, shape: &Shape, letter: u8) -> Result<(), DatabaseError> {
        let described = if letter == tag::COLUMNS { column_types(self.wire.body())? } else { Vec::new() };
        match shape.check(&described) {
            Ok(()) => {
                self.prepared.set_checked(number);
                Ok(())
            }
            Err(changed) => {
                self.close_statement(number);
                Err(DatabaseError::Changed(changed.to_string()))
            }
        }
    }

    /// Sends what was said so far as one transaction.
    pub(super) fn sync(&mut self) -> Result<(), DatabaseError> {
        self.wire.sync();
        // Before the `Sync` the server would pass over this after an error. It is answered with what is asked for next.
        for number in self.passing.drain(..) {
            self.wire.close_statement(&number.name())?;
        }
        Ok(())
    }

    /// Lets go of a statement that was not parsed, or no longer fits.
    pub(super) fn close_statement(&mut self, number: StatementId) {
        if self.prepared.remove(number) {
            // Without room for five bytes more there is nothing to be done.
            let _ = self.wire.close_statement(&number.name());
        }
    }
}

/// The OIDs of the types of the columns that a `RowDescription` holds: of each its name, six bytes that say where it comes
/// from, the type, and eight bytes about its form.
fn column_types(mut body: &[u8]) -> Result<Vec<u32>, DatabaseError> {
    let malformed = || DatabaseError::Protocol("a description of columns that ends too early".into());
    let (count, rest) = body.split_first_chunk().ok_or_else(malformed)?;
    body = rest;
    let mut types = Vec::new();
    for _ in 0..u16::from_be_bytes(*count) {
        let name = body.iter().position(|byte| *byte == 0).ok_or_else(malformed)?;
        let fields = body.get(name + 1..).and_then(<[u8]>::split_first_chunk::<18>);
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
            .field("wire", &self.wire)
            .finish_non_exhaustive()
    }
}

impl PooledConnection {
    pub(super) fn new(connection: Object<Manager>, permit: Permit, limit: Duration) -> PooledConnection {
        let mut lease = PooledConnection::unqueued(connection, limit);
        lease.permit = Some(permit);
        lease
    }

    /// A lease of a connection that was free, for a moment.
    pub(super) fn unqueued(mut connection: Object<Manager>, limit: Duration) -> PooledConnection {
        connection.wire.set_length_limit(usize::MAX);
        PooledConnection { connection: Some(connection), permit: None, limit }
    }

    /// Runs a statement; its parameters are in text format. It leaves when the first row is asked for.
    pub fn query(
        self,
        statement: &str,
        parameters: &[Option<String>],
        deadline: Instant,
    ) -> Result<Rows, DatabaseError> {
        Rows::open(self, statement, parameters, deadline, None)
    }

    /// Runs the statement of a translation, if its columns are of the types that its shape is made for.
    pub fn query_shaped(
        self,
        translation: &Arc<Translation>,
        parameters: &[Option<String>],
        deadline: Instant,
    ) -> Result<Box<Rows>, DatabaseError> {
        let statement = translation.answer.statement().map_or("", |statement| &statement.text);
        // Boxed, because it is handed on several times on its way into the answer.
        Rows::open(self, statement, parameters, deadline, Some(translation)).map(Box::new)
    }

    /// How many connections the role held when it was given this one.
    pub fn held_by_role(&self) -> usize {
        self.permit.as_ref().map_or(0, |permit| permit.of_role)
    }

    /// The connection itself.
    pub(super) fn connection(&mut self) -> Result<&mut Connection, DatabaseError> {
        self.connection.as_deref_mut().map(Box::as_mut).ok_or_else(gone)
    }

    /// Asks for an answer and nothing else.
    pub(super) async fn ping(&mut self, deadline: Instant) -> Result<(), DatabaseError> {
        let limit = self.limit;
        let wire = &mut self.connection()?.wire;
        wire.sync();
        wire.drain(deadline).await.map_err(|stopped| stopped.fault(limit))
    }

    /// Has a statement planned for any parameters. All of it is one implicit transaction, so the setting ends with it. Only a
    /// statement of SQL's own can be explained; a connection on which that is left over is not given back.
    pub(super) async fn explain(
        &mut self,
        statement: &str,
        parameters: usize,
        deadline: Instant,
    ) -> Result<String, DatabaseError> {
        let limit = self.limit;
        let nulls = if parameters == 0 { String::new() } else { format!("({})", vec!["NULL"; parameters].join(", ")) };
        let text = format!(
            "SET LOCAL plan_cache_mode TO force_generic_plan; PREPARE postern_explained AS {statement}; \
             EXPLAIN (VERBOSE, FORMAT JSON) EXECUTE postern_explained{nulls}; DEALLOCATE postern_explained"
        );
        let wire = &mut self.connection()?.wire;
        wire.simple_query(&text)?;
        let (mut answer, mut refused) = (None, None);
        loop {
            match wire.next(deadline).await.map_err(|stopped| stopped.fault(limit))? {
                tag::ROW => answer = super::RowColumns::new(wire.body()).text(),
                tag::ERROR => refused = refused.or(Some(PostgresError::read(wire.body()))),
                tag::READY => break,
                _ => {}
            }
        }
        match (refused, answer) {
            (Some(refusal), _) => {
                // The statement outlives the transaction that has prepared it.
                wire.simple_query("DEALLOCATE postern_explained")?;
                wire.ready(deadline).await.map_err(|stopped| stopped.fault(limit))?;
                Err(DatabaseError::refused(refusal, limit))
            }
            (None, Some(answer)) => Ok(answer),
            (None, None) => Err(DatabaseError::Protocol("a plan without text".into())),
        }
    }

    /// The most time a statement may take.
    pub(super) fn limit(&self) -> Duration {
        self.limit
    }
}

/// A lease holds its connection until it is dropped, so this is never seen.
fn gone() -> DatabaseError {
    DatabaseError::Protocol("the connection was given back".into())
}

impl Drop for PooledConnection {
    fn drop(&mut self) {
        let Some(connection) = self.connection.take() else { return };
        let permit = self.permit.take();
        if connection.wire.is_idle() {
            drop(connection);
            return drop(permit);
        }
        // Outside a runtime nobody could cancel.
        match tokio::runtime::Handle::try_current() {
            Ok(runtime) if !connection.wire.is_lost() => drop(runtime.spawn(cancel_and_drain(connection, permit))),
            _ => drop(Object::take(connection)),
        }
    }
}

/// Cancels what runs on the connection and gives it back once nothing can reach it any more.
async fn cancel_and_drain(mut connection: Object<Manager>, permit: Option<Permit>) {
    let Connection { wire, canceller, .. } = &mut **connection;
    let quiet = async {
        canceller.cancel().await?;
        // What has not left never will, so this connection is closed; but what stood before it did run until now.
        if wire.has_unsent() {
            return None;
        }
        // If it was cancelled inside a transaction, that ends here; and a signal that is late hits this.
        wire.simple_query("ROLLBACK").ok()?;
        // A cancel request is lost on a server between two statements, or one that has not read the first.
        loop {
            match wire.drain(Instant::now() + AGAIN).await {
                Ok(()) => return Some(()),
                Err(ReceiveError::Late) => canceller.cancel().await?,
                Err(ReceiveError::Long | ReceiveError::OutOfMemory(_) | ReceiveError::Lost(_)) => return None,
            }
        }
    };
    let settled = tokio::time::timeout(SETTLING, quiet).await.ok().flatten();
    match settled.is_some() && wire.is_idle() {
        true => drop(connection),
        false => drop(Object::take(connection)),
    }
    drop(permit);
}

impl ReceiveError {
    /// What that means for a statement that may take so long.
    pub(super) fn fault(self, limit: Duration) -> DatabaseError {
        match self {
            ReceiveError::Late => DatabaseError::Late(limit),
            ReceiveError::Long => DatabaseError::Protocol("a message of a length that cannot be".into()),
            ReceiveError::OutOfMemory(error) => DatabaseError::OutOfMemory(error),
            ReceiveError::Lost(cause) => DatabaseError::Unavailable(cause),
        }
    }
}

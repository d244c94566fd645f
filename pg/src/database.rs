//! The connection pool to Postgres: a bounded queue, connections with uniform settings, prepared
//! statements, query cancellation when a request ends, and retries of reads whose connection was
//! lost. Execution and the control plane run their statements through [`Database`]; this module
//! does not write any SQL of requests.

use std::pin::pin;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use deadpool::managed::{Object, Pool, PoolError, QueueMode, Timeouts};
use postgres_protocol::escape::escape_identifier;
use tokio::task::AbortHandle;
use tokio::time::Instant;

use crate::connection::age::ConnectionLimits;
use crate::connection::rows::Rows;
use crate::connection::{ExplainedStatement, Manager, PooledConnection};
use crate::conninfo::{self, Conninfo};
use crate::deadline::{self, RECONNECT_TIMEOUT};
use crate::error::DatabaseError;
use crate::memory::{self, MemoryBudget};
use crate::observer::{NoObserver, Observer};
use crate::pool::admin_pool::AdminPool;
use crate::pool::group_schedule::{GroupLimits, GroupSettings};
use crate::pool::grouped_reads::{GroupedRead, ReadGroups};
use crate::pool::queue::{Queue, QueueSettings, Requester};
use crate::pool::{PoolState, upkeep};
use crate::pooler::ServerKind;
use crate::pooler::mode::PoolerMode;
use crate::query::{Query, Row, TransactionSettings};
use crate::replication::ReplicationStream;
use crate::retry::Retry;
use crate::server_start::ComparedStart;
use crate::sign_in::PostgresServer;
use crate::sign_in::connect_error::ConnectError;
use crate::sign_in::session_settings::SessionSettings;

/// A database and its connection pool.
#[derive(Clone, Debug)]
pub struct Database {
    pool: Pool<Manager>,
    queue: Queue,
    read_groups: ReadGroups,
    pub(crate) memory: MemoryBudget,
    admin_pool: AdminPool,
    /// Opens the connections that need a session of their own, if they bypass a pooler.
    direct: Option<Arc<Manager>>,
    limit: Duration,
    search_path: Arc<OnceLock<String>>,
    warnings: Arc<OnceLock<Vec<String>>>,
    /// The server of the pool, and the one that bypasses a pooler.
    pub(crate) servers: Vec<Arc<PostgresServer>>,
    /// The task that watches the hosts, which ends when the last clone is dropped.
    _watch: Option<Arc<AbortOnDrop>>,
}

/// Ends a task when it is dropped.
#[derive(Debug)]
struct AbortOnDrop(AbortHandle);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// The address of the database and the settings of its pool.
#[derive(Clone, Debug)]
pub struct Settings {
    /// `postgres://user@host:5432/name`, or libpq's `key=value` form. Environment variables such as
    /// `PGHOST` fill in missing parameters.
    pub url: String,
    /// Whether there is a pooler between the client and the database.
    pub pooler: PoolerMode,
    /// The URL that bypasses the pooler.
    pub direct_url: Option<String>,
    /// The name of the client for Postgres, unless the URL or `PGAPPNAME` has one; `postern` by
    /// default.
    pub application_name: Option<String>,
    /// Only the host of the URL with this index is used, whatever `target_session_attrs` asks for.
    pub only_host: Option<usize>,
    /// The maximum number of connections in the pool.
    pub pool_size: usize,
    /// The maximum number of prepared statements per connection.
    pub statements: usize,
    /// How long connections are kept.
    pub connections: ConnectionLimits,
    /// The maximum run time of a statement.
    pub time_limit: Duration,
    /// How requests share the connections.
    pub queue: QueueSettings,
    /// How short reads of several requests run in groups.
    pub read_groups: GroupSettings,
    /// The memory budget for long rows and large parameters.
    pub memory: MemoryBudget,
    /// Is told what the pool does.
    pub observer: Arc<dyn Observer>,
}

impl Database {
    /// Creates the pool and opens its first connection.
    pub async fn connect(settings: &Settings) -> Result<Database, ConnectError> {
        let database = Database::connect_without_checks(settings).await?;
        // Checks prepare statements in the way of the driver, with names.
        if database.direct.is_none()
            && database.pool.manager().pooler_keeps_statements() == Some(false)
        {
            return Err(ConnectError::Pooler {
                location: database.pool.manager().describe_hosts(),
            });
        }
        Ok(database)
    }

    /// Like [`Database::connect`], for a database that only answers queries: those of requests once
    /// its server was compared with the primary, and again after each start of the server.
    pub(crate) async fn connect_replica(
        settings: &Settings,
        compared_start: ComparedStart,
    ) -> Result<Database, ConnectError> {
        Database::open_pool(settings, Some(compared_start)).await
    }

    /// Like [`Database::connect`], for a database that checks prepare no statements on.
    pub(crate) async fn connect_without_checks(
        settings: &Settings,
    ) -> Result<Database, ConnectError> {
        Database::open_pool(settings, None).await
    }

    async fn open_pool(
        settings: &Settings,
        compared_start: Option<ComparedStart>,
    ) -> Result<Database, ConnectError> {
        let server = Arc::new(server(&settings.url, settings, settings.pooler)?);
        let location = server.describe_hosts();
        let password_file_warnings = server.password_file_warnings();
        let search_path = Arc::new(OnceLock::new());
        let warnings = Arc::new(OnceLock::new());
        let manager = |server: Arc<PostgresServer>, warnings: &Arc<OnceLock<Vec<String>>>| {
            Manager::new(
                server,
                settings.statements,
                search_path.clone(),
                warnings.clone(),
                settings.memory,
            )
        };
        let direct_server = match &settings.direct_url {
            Some(url) => Some(Arc::new(
                self::server(url, settings, PoolerMode::Auto)?.with_sessions(),
            )),
            None => None,
        };
        let servers: Vec<_> = std::iter::once(&server)
            .chain(&direct_server)
            .cloned()
            .collect();
        let direct = direct_server
            .clone()
            .map(|server| Arc::new(manager(server, &Arc::default())));
        let admin_pool = AdminPool::new(direct_server.unwrap_or_else(|| server.clone()));
        let admin_pool = admin_pool.map_err(|error| ConnectError::Refused {
            location: location.clone(),
            cause: error.to_string(),
        })?;
        let manager = manager(server, &warnings)
            .with_limits(settings.connections)
            .with_compared_start(compared_start);
        let connections = settings.pool_size.max(1);
        let observer = &settings.observer;
        let queue = Queue::new(connections, &settings.queue, observer.clone());
        let limits = GroupLimits {
            groups: settings.read_groups.connections,
            pool: connections,
            client_limit: settings.queue.client_limit,
        };
        let read_groups = ReadGroups::new(limits, observer.clone());
        let pool = Pool::builder(manager)
            .max_size(connections)
            // LIFO: the most recently used connection has most of its statements prepared and its
            // memory warm.
            .queue_mode(QueueMode::Lifo)
            .build()
            .map_err(|error| ConnectError::Refused {
                location: location.clone(),
                cause: error.to_string(),
            })?;
        upkeep::start(&pool, admin_pool.clone(), settings.connections);
        let first = pool.get().await;
        let refused = |error| ConnectError::Refused {
            location,
            cause: format!("{}{password_file_warnings}", pool_cause(&error)),
        };
        drop(first.map_err(refused)?);
        let limit = settings.time_limit;
        let memory = settings.memory;
        Ok(Database {
            pool,
            queue,
            read_groups,
            memory,
            admin_pool,
            direct,
            limit,
            search_path,
            warnings,
            servers,
            _watch: None,
        })
    }

    /// Ends this task when the last clone is dropped.
    pub(crate) fn with_watch(self, task: AbortHandle) -> Database {
        Database {
            _watch: Some(Arc::new(AbortOnDrop(task))),
            ..self
        }
    }

    /// The host and port that takes writes, as far as it is known.
    pub fn primary_host(&self) -> Option<&Arc<str>> {
        let server = self.servers.last()?;
        let index = server.preferred_host().unwrap_or_default();
        server.host_names().get(index)
    }

    /// The hosts of the URL, with their ports.
    pub fn hosts(&self) -> &[Arc<str>] {
        self.servers
            .last()
            .map_or(&[], |server| server.host_names())
    }

    /// Whether the URL names several hosts.
    pub fn has_several_hosts(&self) -> bool {
        self.servers
            .iter()
            .any(|server| server.host_names().len() > 1)
    }

    /// How the database is reached through a pooler, for the log; `None` if there is none.
    pub fn describe_pooler(&self) -> Option<&'static str> {
        match (
            self.pool.manager().server_kind()?,
            self.pool.manager().pooler_keeps_statements(),
        ) {
            (ServerKind::Direct, _) => None,
            (ServerKind::SessionPooler, _) => Some("through a pooler in session mode"),
            (ServerKind::TransactionPooler, Some(true)) => {
                Some("through a pooler in transaction mode, which keeps prepared statements")
            }
            (ServerKind::TransactionPooler, _) => Some(
                "through a pooler in transaction mode, which keeps no prepared statements: \
                      each execution is parsed",
            ),
        }
    }

    /// Whether connections can have a session of their own, which notifications need.
    pub fn has_sessions(&self) -> bool {
        self.direct.is_some() || !self.is_pooled_by_transaction()
    }

    fn is_pooled_by_transaction(&self) -> bool {
        self.pool.manager().server_kind() == Some(ServerKind::TransactionPooler)
    }

    /// Whether connections can bypass a pooler, which logical replication needs.
    pub fn is_direct(&self) -> bool {
        self.direct.is_some() || self.pool.manager().server_kind() == Some(ServerKind::Direct)
    }

    /// Opens the connections that need a session of their own.
    pub(crate) fn session_manager(&self) -> &Manager {
        self.direct.as_deref().unwrap_or(self.pool.manager())
    }

    /// Warnings about the connection for the user: it is not encrypted, or parameters have no
    /// effect.
    pub fn warnings(&self) -> &[String] {
        self.warnings.get().map(Vec::as_slice).unwrap_or_default()
    }

    /// Sets the `search_path` of every connection opened from now on to the one that the catalog
    /// was read with, whatever happens to the server's settings: names in row rules keep their
    /// meaning until the rules are loaded again. Closes the idle connections that were opened
    /// before.
    pub fn pin_search_path(&self, schemas: &[String]) {
        let names: Vec<String> = schemas
            .iter()
            .map(|schema| escape_identifier(schema))
            .collect();
        let path = if names.is_empty() {
            "''".into()
        } else {
            names.join(", ")
        };
        // Setting it once is enough: a reload opens a new pool.
        let _ = self.search_path.set(path);
        self.drop_idle();
    }

    /// Waits in the queue and returns a connection for a request.
    pub async fn acquire(
        &self,
        requester: &Requester,
        deadline: Instant,
    ) -> Result<PooledConnection, DatabaseError> {
        let slot = self.queue.acquire(requester, deadline, self.limit).await?;
        // Pinned where it is made, because it is large and would be moved twice.
        match deadline::timeout_at(deadline, pin!(self.pool.get())).await {
            Some(Ok(connection)) => {
                if let Err(fault) = self.pool.manager().check_start(&connection) {
                    drop(Object::take(connection));
                    return Err(fault);
                }
                Ok(PooledConnection::new(connection, slot, self.limit))
            }
            Some(Err(error)) => Err(DatabaseError::Unavailable(pool_cause(&error))),
            None => Err(DatabaseError::Timeout(self.limit)),
        }
    }

    /// Runs a statement on behalf of the owner of the pool, with parameters in text format. The
    /// rows are read as the caller polls for them.
    pub async fn query(
        &self,
        statement: &str,
        parameters: &[Option<String>],
        deadline: Instant,
    ) -> Result<Rows, DatabaseError> {
        let query = Query {
            text: statement,
            parameters,
            ..Query::default()
        };
        self.acquire(&Requester::default(), deadline)
            .await?
            .query(query, deadline)
    }

    /// Whether all connections are to the same server: the URL names only one, or asks for the one
    /// that can be written to.
    pub fn is_single_server(&self) -> bool {
        self.session_manager().is_single_server()
    }

    /// Whether both connect to the same database of the same hosts as the same user.
    pub fn is_same_place(&self, other: &Database) -> bool {
        self.pool.manager().server_location() == other.pool.manager().server_location()
            && self.session_manager().server_location() == other.session_manager().server_location()
    }

    /// Opens a connection outside the pool with a temporary replication slot of this name, and
    /// streams the changes of a publication that are committed from now on. If `stop` ends first,
    /// the server stops creating the slot.
    pub async fn replicate<E: From<DatabaseError>>(
        &self,
        publication: &str,
        slot: &str,
        stop: impl Future<Output = E>,
    ) -> Result<ReplicationStream, E> {
        let (protocol, canceller) = self.session_manager().sign_in_for_replication().await?;
        ReplicationStream::start(protocol, canceller, publication, slot, stop).await
    }

    /// The generic plan of a statement with this many parameters, as JSON from `EXPLAIN`, under
    /// these settings.
    pub async fn explain(
        &self,
        requester: &Requester,
        settings: Option<TransactionSettings<'_>>,
        statement: &str,
        parameters: usize,
        deadline: Instant,
    ) -> Result<String, DatabaseError> {
        let mut pooled = self.acquire(requester, deadline).await?;
        Ok(pooled
            .explain(settings, statement, (0, parameters), deadline)
            .await?
            .plan)
    }

    /// Like [`Database::explain`], with all partitions of each table and the types of parameters,
    /// for a statement whose parameters begin after a number of unused ones; `places` are both
    /// numbers.
    pub async fn explain_scans(
        &self,
        requester: &Requester,
        settings: Option<TransactionSettings<'_>>,
        statement: &str,
        places: (usize, usize),
        deadline: Instant,
    ) -> Result<ExplainedStatement, DatabaseError> {
        let mut pooled = self.acquire(requester, deadline).await?;
        pooled.explain(settings, statement, places, deadline).await
    }

    /// Runs a statement that returns one row with one text column.
    pub async fn query_text(
        &self,
        statement: &str,
        deadline: Instant,
    ) -> Result<String, DatabaseError> {
        self.query_scalar(statement, &[], deadline).await
    }

    /// Like [`Database::query_text`], outside of the queue of requests and without a prepared
    /// statement.
    pub(crate) async fn query_simple(
        &self,
        statement: &str,
        deadline: Instant,
    ) -> Result<String, DatabaseError> {
        let connection = tokio::time::timeout_at(deadline, self.pool.get())
            .await
            .map_err(|_| DatabaseError::Timeout(self.limit))?
            .map_err(|error| DatabaseError::Unavailable(pool_cause(&error)))?;
        let mut pooled = PooledConnection::unqueued(connection, self.limit);
        pooled.connection()?.query_simple(statement, deadline).await
    }

    /// Like [`Database::query_text`], for a statement with parameters. JSON columns are read as
    /// text, too.
    pub async fn query_scalar(
        &self,
        statement: &str,
        parameters: &[Option<String>],
        deadline: Instant,
    ) -> Result<String, DatabaseError> {
        self.query_scalar_for(&Requester::default(), None, statement, parameters, deadline)
            .await
    }

    /// Like [`Database::query_scalar`], queued as part of a request and under its settings.
    pub async fn query_scalar_for(
        &self,
        requester: &Requester,
        settings: Option<TransactionSettings<'_>>,
        statement: &str,
        parameters: &[Option<String>],
        deadline: Instant,
    ) -> Result<String, DatabaseError> {
        let connection = self.acquire(requester, deadline).await?;
        let query = Query {
            text: statement,
            parameters,
            settings,
            ..Query::default()
        };
        let mut rows = connection.query(query, deadline)?;
        let mut text = None;
        let mut memory = self.memory.for_caller(requester.key()).empty_reservation();
        while let Some(mut columns) = rows.next().await? {
            memory::reserve_if_large(&mut memory, columns.byte_length())?;
            text = columns.text();
        }
        text.ok_or_else(|| DatabaseError::Protocol("a statement of one row gave none".into()))
    }

    /// Whether short reads run in groups. Through a pooler in transaction mode they do not: it
    /// waits for each transaction by itself.
    pub fn groups_reads(&self) -> bool {
        self.read_groups.is_on() && !self.is_pooled_by_transaction()
    }

    /// Runs a read together with those of other requests and returns its rows. None if it has to
    /// run alone: too many reads wait, it failed, or its group did.
    pub async fn read_grouped(
        &self,
        requester: &Requester,
        read: Arc<dyn GroupedRead>,
        deadline: Instant,
    ) -> Option<Vec<Row>> {
        // A group counts for the callers of its reads, and its connection for nobody else.
        let whole_pool = Requester::default();
        let connection = self.acquire(&whole_pool, deadline);
        self.read_groups
            .run(requester, read, connection, deadline)
            .await
    }

    /// A client for the owner's own work, once one is free.
    pub async fn admin_client(
        &self,
        deadline: Instant,
    ) -> Result<deadpool_postgres::Object, DatabaseError> {
        self.admin_pool.client(deadline).await
    }

    /// Closes the idle clients of [`Database::admin_client`].
    pub fn close_idle_admin(&self) {
        self.admin_pool.clear();
    }

    /// The retry policy of a request with this deadline.
    pub fn retry(&self, deadline: Instant) -> Retry {
        Retry::new(deadline, self.pool.status().max_size)
    }

    /// Whether the database responds. A pool in which every connection is in use counts as
    /// reachable.
    pub async fn is_reachable(&self) -> bool {
        self.check_reachable().await.is_ok()
    }

    /// Like [`Database::is_reachable`], but while every connection stays in use, nothing shows that
    /// the database responds.
    pub async fn has_responded(&self) -> bool {
        matches!(self.probe(Duration::from_secs(1)).await, Ok(true))
    }

    /// Like [`Database::is_reachable`]; the error says why it cannot be reached.
    pub async fn check_reachable(&self) -> Result<(), DatabaseError> {
        self.probe(Duration::ZERO).await.map(drop)
    }

    /// Asks for a sign of life on a connection that is free within this time. Returns false if none
    /// is.
    async fn probe(&self, wait: Duration) -> Result<bool, DatabaseError> {
        let timeouts = Timeouts {
            wait: Some(wait),
            ..Timeouts::default()
        };
        let probe = async {
            match self.pool.timeout_get(&timeouts).await {
                Ok(connection) => {
                    let mut pooled = PooledConnection::unqueued(connection, self.limit);
                    pooled
                        .ping(Instant::now() + RECONNECT_TIMEOUT)
                        .await
                        .map(|()| true)
                }
                Err(PoolError::Timeout(_)) => Ok(false),
                Err(error) => Err(DatabaseError::Unavailable(pool_cause(&error))),
            }
        };
        let late = |_| DatabaseError::Unavailable("no answer within 2 seconds".into());
        tokio::time::timeout(wait + Duration::from_secs(2), probe)
            .await
            .map_err(late)?
    }

    /// The number of open connections and how many of them are idle.
    pub fn size(&self) -> (usize, usize) {
        let status = self.pool.status();
        (status.size, status.available)
    }

    /// The current size and use of the pool.
    pub fn pool(&self) -> PoolState {
        let status = self.pool.status();
        PoolState {
            limit: status.max_size,
            open: status.size,
            idle: status.available,
            waiting: self.queue.waiting(),
        }
    }

    /// The maximum run time of a statement.
    pub fn statement_timeout(&self) -> Duration {
        self.limit
    }

    /// Opens up to this many connections, as far as the server and the pool size allow.
    pub async fn open(&self, connections: usize) {
        let most = connections.min(self.pool.status().max_size);
        let opened = futures_util::future::join_all((0..most).map(|_| self.pool.get()));
        // A connection that is not open in time is opened when a request needs it.
        drop(tokio::time::timeout(RECONNECT_TIMEOUT, opened).await);
    }

    /// Closes the connections that are idle now. The pool stays open for those in use.
    pub fn drop_idle(&self) {
        self.pool.retain(|_, _| false);
    }

    /// Closes the pool and all idle connections.
    pub fn close(&self) {
        self.pool.close();
        self.admin_pool.close();
    }
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            url: String::new(),
            pooler: PoolerMode::default(),
            direct_url: None,
            application_name: None,
            only_host: None,
            pool_size: 0,
            statements: 0,
            connections: ConnectionLimits::default(),
            time_limit: Duration::ZERO,
            queue: QueueSettings::default(),
            read_groups: GroupSettings::default(),
            memory: MemoryBudget::default(),
            observer: Arc::new(NoObserver),
        }
    }
}

/// The server of a URL. Its connections have uniform settings, so that no text format depends on
/// the server's.
pub(crate) fn server(
    url: &str,
    settings: &Settings,
    pooler: PoolerMode,
) -> Result<PostgresServer, ConnectError> {
    let environment = |name: &str| {
        let own_name = (name == "PGAPPNAME").then(|| settings.application_name.clone());
        conninfo::process_environment(name).or_else(|| own_name.flatten())
    };
    let mut conninfo = Conninfo::resolve(url, &environment)?;
    if let Some(index) = settings.only_host {
        conninfo.keep_host(index);
    }
    let of_sessions = SessionSettings::new(conninfo.options.as_deref(), settings.time_limit);
    PostgresServer::new(conninfo, of_sessions, pooler)
}

fn pool_cause(error: &PoolError<DatabaseError>) -> String {
    match error {
        PoolError::Backend(DatabaseError::Unavailable(cause) | DatabaseError::Protocol(cause)) => {
            cause.clone()
        }
        PoolError::Backend(fault) => fault.to_string(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn describe_hosts_shows_no_password() {
        let location = |url: &str| {
            server(url, &Settings::default(), PoolerMode::None)
                .unwrap()
                .describe_hosts()
        };
        assert_eq!(
            location("postgres://u:secret@db:6000,10.0.0.1/d"),
            "db:6000, 10.0.0.1:5432"
        );
        assert_eq!(location("host=/run/pg user=u"), "/run/pg/.s.PGSQL.5432");
    }
}

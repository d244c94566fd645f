//! The way to Postgres: a bounded pool, connections that are all set alike, statements that are prepared once and never
//! outlive their request, and a second try for reads whose connection was lost. What is asked is left to the callers.

mod admin_pool;
mod connection;
mod conninfo;
mod error;
mod read_buffer;
mod statement_cache;
mod message_origin;
mod queue;
mod retry;
mod rows;
mod sign_in;
mod socket;
mod tls;
mod transaction;
mod protocol;
pub mod deadline;
pub mod migrations;

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use deadpool::managed::{Pool, PoolError, QueueMode, Timeouts};
use tokio::time::Instant;

use crate::limits::memory::MemoryBudget;
use crate::tls::TlsError;

pub use conninfo::{ConninfoError, is_in_environment};
pub use error::{DatabaseError, PostgresError};
pub use queue::{QueueError, QueueSettings, Requester};
pub use retry::Retry;
pub use rows::{RowColumns, Rows};
pub use transaction::{Completion, FailurePoint, Parameters, Row, TransactionError};

use admin_pool::AdminPool;
use connection::Manager;
pub use connection::PooledConnection;
use conninfo::Conninfo;
use queue::Queue;
use sign_in::PostgresServer;

/// A database and the pool of connections to it.
#[derive(Clone, Debug)]
pub struct Database {
    pool: Pool<Manager>,
    queue: Queue,
    memory: MemoryBudget,
    aside: AdminPool,
    limit: Duration,
    search_path: Arc<OnceLock<String>>,
    warnings: Arc<OnceLock<Vec<String>>>,
}

/// Where the database is and how it is used.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// `postgres://user@host:5432/name`, or libpq's `key=value` form. What it leaves open the environment says (`PGHOST`).
    pub url: String,
    /// The most connections.
    pub pool_size: usize,
    /// The most prepared statements a connection keeps.
    pub statements: usize,
    /// The most time a statement may take.
    pub time_limit: Duration,
    /// How connections are shared.
    pub queue: QueueSettings,
    /// What long rows and large parameters are held in.
    pub memory: MemoryBudget,
}

/// How a pool stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PoolState {
    /// The most connections.
    pub limit: usize,
    /// Connections there are.
    pub open: usize,
    /// Those of them that are free.
    pub idle: usize,
    /// Requests that wait for one.
    pub waiting: usize,
}

/// Why a pool could not be made.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    /// The connection parameters are wrong.
    #[error(transparent)]
    Parameters(#[from] ConninfoError),
    /// Certificates or keys for TLS are wrong.
    #[error(transparent)]
    Tls(#[from] TlsError),
    /// Nobody answers.
    #[error("cannot connect to the database at {place}: {cause}")]
    Refused {
        /// Host and port.
        place: String,
        /// What the server or the system says.
        cause: String,
    },
}

/// How long a lost database is waited for, within the deadline of the request.
const PATIENCE: Duration = Duration::from_secs(5);

impl Database {
    /// Makes the pool and its first connection.
    pub async fn connect(settings: &Settings) -> Result<Database, ConnectError> {
        let mut conninfo = Conninfo::resolve(&settings.url, &conninfo::process_environment)?;
        configure(&mut conninfo.config, settings);
        let server = Arc::new(PostgresServer::new(conninfo)?);
        let (place, remarks) = (server.describe_hosts(), server.password_file_warnings());
        let (search_path, warnings) = (Arc::new(OnceLock::new()), Arc::new(OnceLock::new()));
        let aside = AdminPool::new(server.clone());
        let aside = aside.map_err(|error| ConnectError::Refused { place: place.clone(), cause: error.to_string() })?;
        let manager = Manager::new(server, settings.statements, search_path.clone(), warnings.clone(), settings.memory);
        let connections = settings.pool_size.max(1);
        let queue = Queue::new(connections, settings.queue.clone());
        let pool = Pool::builder(manager)
            .max_size(connections)
            // The one that was used last has most of its statements prepared and its memory warm.
            .queue_mode(QueueMode::Lifo)
            .build()
            .map_err(|error| ConnectError::Refused { place: place.clone(), cause: error.to_string() })?;
        let first = pool.get().await;
        let refused = |error| ConnectError::Refused { place, cause: format!("{}{remarks}", pool_cause(&error)) };
        drop(first.map_err(refused)?);
        let (limit, memory) = (settings.time_limit, settings.memory);
        Ok(Database { pool, queue, memory, aside, limit, search_path, warnings })
    }

    /// What a user may want to know of the connection: that it is not encrypted, or parameters that have no effect.
    pub fn warnings(&self) -> &[String] {
        self.warnings.get().map(Vec::as_slice).unwrap_or_default()
    }

    /// Has every connection that is used from now on look names up as the catalog did, whatever becomes of the server's
    /// settings: names in row rules keep their meaning until the rules are loaded again. Those that were made before and are
    /// free are given up.
    pub fn pin_search_path(&self, schemas: &[String]) {
        let names: Vec<String> = schemas.iter().map(|schema| sql::postgres::types::quoted(schema)).collect();
        let path = if names.is_empty() { "''".into() } else { names.join(", ") };
        // Once is enough: a reload connects anew.
        let _ = self.search_path.set(path);
        self.drop_idle();
    }

    /// A connection for a request, once it is its turn and one is free.
    pub async fn acquire(&self, requester: &Requester, deadline: Instant) -> Result<PooledConnection, DatabaseError> {
        let permit = self.queue.acquire(requester, deadline, self.limit).await?;
        match deadline::timeout_at(deadline, self.pool.get()).await {
            Some(Ok(connection)) => Ok(PooledConnection::new(connection, permit, self.limit)),
            Some(Err(error)) => Err(DatabaseError::Unavailable(pool_cause(&error))),
            None => Err(DatabaseError::Late(self.limit)),
        }
    }

    /// Runs a statement on the gateway's own account; its parameters are in text format. The rows come as the caller asks for
    /// them.
    pub async fn query(
        &self,
        statement: &str,
        parameters: &[Option<String>],
        deadline: Instant,
    ) -> Result<Rows, DatabaseError> {
        self.acquire(&Requester::default(), deadline).await?.query(statement, parameters, deadline)
    }

    /// Connects beside the pool and listens to a channel; each notification calls back. Ends when the connection is lost.
    pub async fn listen(&self, channel: &str, notified: impl Fn()) -> DatabaseError {
        let mut connection = match deadpool::managed::Manager::create(self.pool.manager()).await {
            Ok(connection) => connection,
            Err(fault) => return fault,
        };
        let wire = &mut connection.wire;
        let listen = format!("LISTEN {}", sql::postgres::types::quoted(channel));
        if let Err(fault) = wire.simple_query(&listen) {
            return fault;
        }
        loop {
            match wire.next_notification().await {
                Ok(()) => notified(),
                Err(stopped) => return stopped.fault(self.limit),
            }
        }
    }

    /// What the planner says of a statement with so many parameters, as JSON: of its generic plan, which is for any parameters.
    pub async fn explain(
        &self,
        requester: &Requester,
        statement: &str,
        parameters: usize,
        deadline: Instant,
    ) -> Result<String, DatabaseError> {
        let mut lease = self.acquire(requester, deadline).await?;
        let answer = lease.explain(statement, parameters, deadline).await?;
        Ok(answer)
    }

    /// Runs a statement of one text column and one row.
    pub async fn query_text(&self, statement: &str, deadline: Instant) -> Result<String, DatabaseError> {
        self.query_scalar(statement, &[], deadline).await
    }

    /// The same of a statement with parameters; JSON is text too.
    pub async fn query_scalar(
        &self,
        statement: &str,
        parameters: &[Option<String>],
        deadline: Instant,
    ) -> Result<String, DatabaseError> {
        self.query_scalar_for(&Requester::default(), statement, parameters, deadline).await
    }

    /// The same for a request.
    pub async fn query_scalar_for(
        &self,
        requester: &Requester,
        statement: &str,
        parameters: &[Option<String>],
        deadline: Instant,
    ) -> Result<String, DatabaseError> {
        let mut rows = self.acquire(requester, deadline).await?.query(statement, parameters, deadline)?;
        let mut text = None;
        while let Some(mut columns) = rows.next().await? {
            text = columns.text();
        }
        text.ok_or_else(|| DatabaseError::Protocol("a statement of one row gave none".into()))
    }

    /// A client for what the gateway does on its own account, once one is free.
    pub async fn admin_client(&self, deadline: Instant) -> Result<deadpool_postgres::Object, DatabaseError> {
        self.aside.client(deadline).await
    }

    /// Closes such clients when there is no more to do for now.
    pub fn close_idle_admin(&self) {
        self.aside.clear();
    }

    /// The second tries of a request that has this deadline.
    pub fn retry(&self, deadline: Instant) -> Retry {
        Retry::new(deadline, self.pool.status().max_size)
    }

    /// Whether the database answers. A pool in which every connection is at work counts as an answer.
    pub async fn is_reachable(&self) -> bool {
        let at_once = Timeouts { wait: Some(Duration::ZERO), ..Timeouts::default() };
        let asked = async {
            match self.pool.timeout_get(&at_once).await {
                Ok(connection) => {
                    let mut lease = PooledConnection::unqueued(connection, self.limit);
                    lease.ping(Instant::now() + PATIENCE).await.is_ok()
                }
                Err(PoolError::Timeout(_)) => true,
                Err(_) => false,
            }
        };
        tokio::time::timeout(Duration::from_secs(2), asked).await.unwrap_or(false)
    }

    /// Connections there are, and how many of them are free.
    pub fn size(&self) -> (usize, usize) {
        let status = self.pool.status();
        (status.size, status.available)
    }

    /// How the pool stands.
    pub fn pool(&self) -> PoolState {
        let status = self.pool.status();
        PoolState { limit: status.max_size, open: status.size, idle: status.available, waiting: self.queue.waiting() }
    }

    /// The most time a statement may take.
    pub fn statement_timeout(&self) -> Duration {
        self.limit
    }

    /// Has so many connections ready, as far as the server admits them and the pool may have them.
    pub async fn open(&self, connections: usize) {
        let most = connections.min(self.pool.status().max_size);
        let opened = futures_util::future::join_all((0..most).map(|_| self.pool.get()));
        // Whoever does not come in time is made when a request needs it.
        drop(tokio::time::timeout(PATIENCE, opened).await);
    }

    /// Gives up the connections that are free just now. The pool goes on for those who still have it.
    pub fn drop_idle(&self) {
        self.pool.retain(|_, _| false);
    }

    /// Gives up all connections that are free.
    pub fn close(&self) {
        self.pool.close();
        self.aside.close();
    }
}

/// The settings that every connection starts with, so that no request needs a SET and no text form depends on the server.
fn configure(config: &mut tokio_postgres::Config, settings: &Settings) {
    let own = config.get_options().unwrap_or_default().to_owned();
    let limit = settings.time_limit.as_millis();
    // Statements are prepared once and short: compiling them takes longer than running them, at every execution.
    config.options(format!(
        "{own} -c TimeZone=UTC -c DateStyle=ISO -c IntervalStyle=postgres -c bytea_output=hex -c lc_monetary=C \
         -c jit=off -c statement_timeout={limit}"
    ));
}

fn pool_cause(error: &PoolError<DatabaseError>) -> String {
    match error {
        PoolError::Backend(DatabaseError::Unavailable(cause) | DatabaseError::Protocol(cause)) => cause.clone(),
        PoolError::Backend(fault) => fault.to_string(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(url: &str) -> Settings {
        Settings {
            url: url.into(),
            pool_size: 2,
            statements: 4,
            time_limit: Duration::from_secs(7),
            ..Settings::default()
        }
    }

    #[test]
    fn every_connection_is_told_the_same() {
        let settings = settings("postgres://u:p@h/d?options=-csearch_path%3Da");
        let mut config = Conninfo::resolve(&settings.url, &|_| None).unwrap().config;
        configure(&mut config, &settings);
        let options = config.get_options().unwrap();
        assert!(options.starts_with("-csearch_path=a "), "{options}");
        assert!(options.contains("-c TimeZone=UTC"), "{options}");
        assert!(options.ends_with("-c statement_timeout=7000"), "{options}");
    }

    #[test]
    fn places_hold_no_password() {
        let place =
            |url: &str| PostgresServer::new(Conninfo::resolve(url, &|_| None).unwrap()).unwrap().describe_hosts();
        assert_eq!(place("postgres://u:secret@db:6000,10.0.0.1/d"), "db:6000, 10.0.0.1:5432");
        assert_eq!(place("host=/run/pg user=u"), "/run/pg/.s.PGSQL.5432");
    }
}

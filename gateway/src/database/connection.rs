//! One connection: its bounded cache of prepared statements, and the promise that nothing of one request reaches the next
//! on it.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use deadpool::managed::{self, Metrics, Object, RecycleResult};
use deadpool_postgres::{ClientWrapper, ManagerConfig, RecyclingMethod};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite};
use tokio::net::{TcpStream, UnixStream};
use tokio_postgres::config::Host;
use tokio_postgres::{Client, NoTls, Statement};

use super::Fault;

/// A connection and what is prepared on it.
#[derive(Debug)]
pub struct Connection {
    client: ClientWrapper,
    prepared: Prepared,
}

/// Makes connections for the pool, by deadpool-postgres.
#[derive(Debug)]
pub(super) struct Manager {
    inner: deadpool_postgres::Manager,
    statements: usize,
    search_path: Arc<OnceLock<String>>,
}

/// A connection in use. While a statement runs it counts as busy; a busy one that is dropped is cancelled, and goes back to
/// the pool only when cancel request and statement have both ended. Else it is closed.
#[derive(Debug)]
pub struct Lease {
    connection: Option<Object<Manager>>,
    endpoint: Option<Endpoint>,
    limit: Duration,
    busy: bool,
}

/// The one address of a server, to which cancel requests go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Endpoint {
    /// Host and port.
    Tcp(String, u16),
    /// A socket's file.
    Unix(PathBuf),
}

/// How long a cancelled statement may take to end before its connection is closed.
pub(super) const SETTLING: Duration = Duration::from_secs(5);

/// How long a cancel request has to work before there is another.
const AGAIN: Duration = Duration::from_millis(250);

impl Manager {
    /// `search_path` is what every connection that is made after it was set is told, as a list of quoted names.
    pub(super) fn new(
        config: tokio_postgres::Config,
        statements: usize,
        search_path: Arc<OnceLock<String>>,
    ) -> Manager {
        let recycling = ManagerConfig { recycling_method: RecyclingMethod::Fast };
        let inner = deadpool_postgres::Manager::from_config(config, NoTls, recycling);
        Manager { inner, statements, search_path }
    }
}

impl managed::Manager for Manager {
    type Type = Connection;
    type Error = tokio_postgres::Error;

    async fn create(&self) -> Result<Connection, tokio_postgres::Error> {
        let client = self.inner.create().await?;
        if let Some(search_path) = self.search_path.get() {
            client.batch_execute(&format!("SET search_path TO {search_path}")).await?;
        }
        Ok(Connection { client, prepared: Prepared::new(self.statements) })
    }

    async fn recycle(&self, connection: &mut Connection, metrics: &Metrics) -> RecycleResult<tokio_postgres::Error> {
        self.inner.recycle(&mut connection.client, metrics).await
    }

    fn detach(&self, connection: &mut Connection) {
        self.inner.detach(&mut connection.client);
    }
}

impl Lease {
    pub(super) fn new(connection: Object<Manager>, endpoint: Option<Endpoint>, limit: Duration) -> Lease {
        Lease { connection: Some(connection), endpoint, limit, busy: false }
    }

    /// Runs something on the connection, which is busy until it has ended.
    pub async fn run<'a, T, F>(&'a mut self, work: impl FnOnce(&'a Client) -> F) -> Result<T, Fault>
    where
        F: Future<Output = Result<T, tokio_postgres::Error>>,
    {
        let Lease { connection: Some(connection), busy, limit, .. } = self else { return Err(gone()) };
        *busy = true;
        let outcome = work(&connection.client).await;
        *busy = false;
        outcome.map_err(|error| Fault::of(&error, *limit))
    }

    /// The client, for work whose end the caller tells by [`Lease::set_busy`].
    pub(super) fn client(&self) -> Result<&Client, Fault> {
        self.connection.as_deref().map(|connection| &*connection.client).ok_or_else(gone)
    }

    /// The prepared statement of that text.
    pub(super) async fn prepare(&mut self, text: &str) -> Result<Statement, Fault> {
        let Lease { connection: Some(connection), busy, limit, .. } = self else { return Err(gone()) };
        let Connection { client, prepared } = &mut **connection;
        if let Some(statement) = prepared.get(text) {
            return Ok(statement);
        }
        *busy = true;
        let outcome = client.prepare(text).await;
        *busy = false;
        let statement = outcome.map_err(|error| Fault::of(&error, *limit))?;
        prepared.insert(text, statement.clone());
        Ok(statement)
    }

    /// Forgets a prepared statement that failed.
    pub(super) fn forget(&mut self, text: &str) {
        if let Some(connection) = &mut self.connection {
            connection.prepared.remove(text);
        }
    }

    /// Forgets all of them.
    pub(super) fn forget_all(&mut self) {
        if let Some(connection) = &mut self.connection {
            connection.prepared.clear();
        }
    }

    /// Closes the connection.
    pub(super) fn close(mut self) {
        self.connection.take().map(Object::take);
    }

    /// The most time a statement may take.
    pub(super) fn limit(&self) -> Duration {
        self.limit
    }

    pub(super) fn set_busy(&mut self, busy: bool) {
        self.busy = busy;
    }
}

/// A lease holds its connection until it is dropped, so this is never seen.
fn gone() -> Fault {
    Fault::Protocol("the connection was given back".into())
}

impl Drop for Lease {
    fn drop(&mut self) {
        let Some(connection) = self.connection.take() else { return };
        if !self.busy || connection.client.is_closed() {
            return;
        }
        // Outside a runtime nobody could cancel: close the connection.
        match tokio::runtime::Handle::try_current() {
            Ok(runtime) => drop(runtime.spawn(settle(connection, self.endpoint.take()))),
            Err(_) => drop(Object::take(connection)),
        }
    }
}

/// Cancels what runs on the connection and gives it back once nothing can reach it any more.
async fn settle(connection: Object<Manager>, endpoint: Option<Endpoint>) {
    let quiet = async {
        let token = connection.client.cancel_token();
        let mut rollback = std::pin::pin!(connection.client.batch_execute("ROLLBACK"));
        // A cancel request is lost on a server between two statements, or one that has not read the first.
        loop {
            match &endpoint {
                Some(Endpoint::Tcp(host, port)) => {
                    cancel(&token, TcpStream::connect((host.as_str(), *port)).await.ok()?).await?;
                }
                Some(Endpoint::Unix(path)) => cancel(&token, UnixStream::connect(path).await.ok()?).await?,
                None => {
                    token.cancel_query(NoTls).await.ok()?;
                    return None;
                }
            }
            if let Ok(ended) = tokio::time::timeout(AGAIN, rollback.as_mut()).await {
                return ended.ok();
            }
        }
    };
    if tokio::time::timeout(SETTLING, quiet).await.ok().flatten().is_none() {
        drop(Object::take(connection));
    }
}

/// Sends the cancel request and waits until the server has closed the socket: only then has the signal been sent, and it
/// cannot hit the next statement.
async fn cancel(token: &tokio_postgres::CancelToken, mut stream: impl AsyncRead + AsyncWrite + Unpin) -> Option<()> {
    token.cancel_query_raw(&mut stream, NoTls).await.ok()?;
    let mut rest = Vec::new();
    stream.read_to_end(&mut rest).await.ok().map(drop)
}

impl Endpoint {
    /// The address, if the configuration names exactly one.
    pub(super) fn of(config: &tokio_postgres::Config) -> Option<Endpoint> {
        let port = config.get_ports().first().copied().unwrap_or(5432);
        match (config.get_hosts(), config.get_hostaddrs()) {
            ([Host::Tcp(host)], []) => Some(Endpoint::Tcp(host.clone(), port)),
            ([Host::Unix(folder)], []) => Some(Endpoint::Unix(folder.join(format!(".s.PGSQL.{port}")))),
            _ => None,
        }
    }
}

/// Where the server is, for messages: `localhost:5432`.
pub(super) fn place(config: &tokio_postgres::Config) -> String {
    let port = config.get_ports().first().copied().unwrap_or(5432);
    match config.get_hosts().first() {
        Some(Host::Tcp(host)) => format!("{host}:{port}"),
        Some(Host::Unix(folder)) => format!("{}, port {port}", folder.display()),
        None => format!("port {port}"),
    }
}

/// Prepared statements by their text; the one that was not used for longest goes first. Dropping one deallocates it.
#[derive(Debug)]
struct Prepared {
    held: HashMap<String, (Statement, u64)>,
    clock: u64,
    most: usize,
    /// The bytes of their texts.
    bytes: usize,
}

/// The most bytes of text that are held as prepared statements. Postgres needs up to a hundred times as much for them, and
/// how long a statement is depends on its caller too.
const BYTES: usize = 1 << 20;

impl Prepared {
    fn new(most: usize) -> Prepared {
        Prepared { held: HashMap::new(), clock: 0, most: most.max(1), bytes: 0 }
    }

    fn get(&mut self, text: &str) -> Option<Statement> {
        self.clock += 1;
        let (statement, used) = self.held.get_mut(text)?;
        *used = self.clock;
        Some(statement.clone())
    }

    fn insert(&mut self, text: &str, statement: Statement) {
        self.remove(text);
        if text.len() > BYTES {
            return;
        }
        while self.held.len() >= self.most || self.bytes + text.len() > BYTES {
            let oldest = self.held.iter().min_by_key(|(_, (_, used))| *used).map(|(text, _)| text.clone());
            let Some(oldest) = oldest else { break };
            self.remove(&oldest);
        }
        self.clock += 1;
        self.bytes += text.len();
        self.held.insert(text.to_owned(), (statement, self.clock));
    }

    fn remove(&mut self, text: &str) {
        if self.held.remove(text).is_some() {
            self.bytes -= text.len();
        }
    }

    fn clear(&mut self) {
        self.held.clear();
        self.bytes = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn endpoint(url: &str) -> Option<Endpoint> {
        Endpoint::of(&url.parse().unwrap())
    }

    #[test]
    fn cancel_requests_go_to_the_one_address() {
        assert_eq!(endpoint("postgres://u@db:6000/d"), Some(Endpoint::Tcp("db".into(), 6000)));
        assert_eq!(endpoint("host=/run/pg user=u"), Some(Endpoint::Unix("/run/pg/.s.PGSQL.5432".into())));
        assert_eq!(endpoint("postgres://u@a,b/d"), None);
    }

    #[test]
    fn places_hold_no_password() {
        assert_eq!(place(&"postgres://u:secret@db:6000/d".parse().unwrap()), "db:6000");
    }
}

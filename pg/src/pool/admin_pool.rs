//! Connections for the work of the pool's owner, such as reading the catalog, in a small
//! deadpool-postgres pool separate from that of requests. They offer the complete API of
//! tokio-postgres, where latency is unimportant.

use std::sync::Arc;

use deadpool_postgres::{Connect, ManagerConfig, Pool, PoolError, RecyclingMethod};
use futures_util::future::BoxFuture;
use tokio::task::JoinHandle;
use tokio::time::Instant;
use tokio_postgres::tls::TlsConnect;
use tokio_postgres::{Client, Config, SimpleQueryMessage};

use crate::connection::age::ConnectionLimits;
use crate::error::DatabaseError;
use crate::pooler::ServerKind;
use crate::sign_in::{Attempt, AttemptError, ChannelBoundStream, OpenedSocket, PostgresServer};
use crate::socket::Socket;

/// A small pool of tokio-postgres clients.
#[derive(Clone)]
pub(crate) struct AdminPool {
    pool: Pool,
}

/// The maximum number of connections.
const MAX_CONNECTIONS: usize = 3;

impl AdminPool {
    /// Creates the pool; the first connection is opened on first use.
    pub(crate) fn new(
        server: Arc<PostgresServer>,
    ) -> Result<AdminPool, deadpool_postgres::BuildError> {
        let recycling = ManagerConfig {
            recycling_method: RecyclingMethod::Fast,
        };
        let config = server.config().clone();
        let manager = deadpool_postgres::Manager::from_connect(config, SignIn(server), recycling);
        Ok(AdminPool {
            pool: Pool::builder(manager).max_size(MAX_CONNECTIONS).build()?,
        })
    }

    pub(crate) async fn client(
        &self,
        deadline: Instant,
    ) -> Result<deadpool_postgres::Object, DatabaseError> {
        let late = || DatabaseError::Unavailable("no connection became free".into());
        let client = tokio::time::timeout_at(deadline, self.pool.get())
            .await
            .map_err(|_| late())?;
        client.map_err(|error| match &error {
            PoolError::Backend(cause) => wrapped_error(cause)
                .unwrap_or_else(|| DatabaseError::Unavailable(error.to_string())),
            _ => DatabaseError::Unavailable(error.to_string()),
        })
    }

    /// Closes the idle connections.
    pub(crate) fn clear(&self) {
        self.pool.retain(|_, _| false);
    }

    /// Closes the connections that have been idle for too long.
    pub(crate) fn close_idle(&self, limits: ConnectionLimits) {
        self.pool.retain(|_, metrics| limits.permit_idle(&metrics));
    }

    pub(crate) fn close(&self) {
        self.pool.close();
    }
}

impl std::fmt::Debug for AdminPool {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("AdminPool")
            .field("status", &self.pool.status())
            .finish()
    }
}

/// Connects in the same way as the pool of requests.
struct SignIn(Arc<PostgresServer>);

impl Connect for SignIn {
    fn connect(
        &self,
        _: &Config,
    ) -> BoxFuture<'_, Result<(Client, JoinHandle<()>), tokio_postgres::Error>> {
        Box::pin(async {
            match sign_in(&self.0).await {
                Ok(signed_in) => Ok(signed_in),
                Err(fault) => Err(wrap_error(fault).await),
            }
        })
    }
}

async fn sign_in(server: &PostgresServer) -> Result<(Client, JoinHandle<()>), DatabaseError> {
    let mut attempts = server.attempts();
    loop {
        let attempt = attempts.next().await?;
        match server.with_timeout(sign_in_by(server, &attempt)).await {
            Ok(signed_in) => return Ok(signed_in),
            Err(failed) => attempts.record_failure(attempt, failed),
        }
    }
}

async fn sign_in_by(
    server: &PostgresServer,
    attempt: &Attempt,
) -> Result<(Client, JoinHandle<()>), AttemptError> {
    let OpenedSocket {
        socket,
        config,
        handshake,
    } = server.open(attempt).await?;
    let is_encrypted = socket.is_encrypted();
    let signed_in = config.connect_raw(socket, handshake).await;
    let (client, connection) = signed_in.map_err(|error| server.refused(&error, is_encrypted))?;
    let task = tokio::spawn(async move {
        // The client reports the error of the connection.
        let _: Result<(), _> = connection.await;
    });
    if let Some((question, wanted)) = attempt.session_question() {
        let response = client
            .simple_query(question)
            .await
            .map_err(|error| server.refused(&error, is_encrypted))?;
        let is_wanted = |message: &SimpleQueryMessage| matches!(message, SimpleQueryMessage::Row(row) if row.get(0) == Some(wanted));
        if !response.iter().any(is_wanted) {
            return Err(AttemptError::wrong_server_kind());
        }
    }
    if server.kind() == Some(ServerKind::SessionPooler) {
        let statements = server.settings().session_options(None, None);
        client
            .batch_execute(&statements)
            .await
            .map_err(|error| server.refused(&error, is_encrypted))?;
    }
    Ok((client, task))
}

/// Wraps an error in the driver's error type, which deadpool requires. Its constructors are
/// private, but a failing TLS handshake passes on any error.
async fn wrap_error(fault: DatabaseError) -> tokio_postgres::Error {
    struct Refuse(DatabaseError);
    impl TlsConnect<tokio::io::DuplexStream> for Refuse {
        type Stream = ChannelBoundStream<Socket>;
        type Error = DatabaseError;
        type Future = std::future::Ready<Result<ChannelBoundStream<Socket>, DatabaseError>>;

        fn connect(self, _: tokio::io::DuplexStream) -> Self::Future {
            std::future::ready(Err(self.0))
        }
    }
    let mut config = Config::new();
    config.ssl_mode(tokio_postgres::config::SslMode::Require);
    config.ssl_negotiation(tokio_postgres::config::SslNegotiation::Direct);
    loop {
        let (stream, _) = tokio::io::duplex(1);
        // The first attempt always fails; the loop satisfies the type checker.
        if let Err(error) = config.connect_raw(stream, Refuse(fault.clone())).await {
            return error;
        }
    }
}

/// The wrapped error, if there is one.
fn wrapped_error(error: &tokio_postgres::Error) -> Option<DatabaseError> {
    use std::error::Error as _;
    error.source()?.downcast_ref::<DatabaseError>().cloned()
}

//! Waits at the start for a database that cannot be reached, for `--wait-for-database`. Meanwhile
//! the port answers health checks: `/healthz` that the process lives, `/readyz` that the database
//! is not available. Other requests wait for up to two seconds, then they get that, too.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use http::{Request, Version};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use pg::{ConnectError, DatabaseError};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::time::Instant;
use tokio_rustls::rustls::ServerConfig;

use super::reload::{FirstVersion, LoadedSettings, Sources};
use super::start_error::StartError;
use crate::config::Config;
use crate::config::dialect::Profile;
use crate::error::Error;
use crate::execute::schema_version::LoadError;
use crate::http::connection::respond_early;
use crate::http::router::Router;
use crate::http::stream::ClientStream;
use crate::http::{
    ConnectionInfo, ErrorFormat, Response, error_response, health, media, request_id,
};
use crate::subscriptions::source::SourceError;

/// The first and the longest pause between two attempts.
const PAUSES: (Duration, Duration) = (Duration::from_millis(200), Duration::from_secs(2));

/// The maximum number of connections at a time: enough for health checks while other requests wait.
const MAX_CONNECTIONS: usize = 1024;

/// The maximum number of requests that wait for the gateway.
const MAX_HELD_REQUESTS: usize = 512;

/// How long a request waits for the gateway. A start over a database that is there takes a tenth.
const HOLD_TIME: Duration = Duration::from_secs(2);

/// Loads the first version. While the database cannot be reached, tries again until `limit` has
/// passed; settings and files are read anew each time. Returns the requests that have arrived
/// meanwhile, too.
pub(super) async fn load(
    listener: &TcpListener,
    loaded: LoadedSettings,
    sources: &Sources,
    limit: Duration,
) -> Result<(FirstVersion, EarlyRequests), StartError> {
    let early = EarlyRequests::new(
        &loaded.config,
        loaded
            .files
            .tls
            .as_ref()
            .map(|identity| identity.config.clone()),
    );
    tokio::select! {
        loaded = load_when_reachable(loaded, sources, limit) => Ok((loaded?, early)),
        never = early.accept(listener) => match never {},
    }
}

async fn load_when_reachable(
    mut loaded: LoadedSettings,
    sources: &Sources,
    limit: Duration,
) -> Result<FirstVersion, StartError> {
    let end = Instant::now() + limit;
    let mut pause = PAUSES.0;
    let mut cause = String::new();
    loop {
        let error = match FirstVersion::load(loaded, sources).await {
            Err(error) if is_away(&error) && Instant::now() + pause < end => error.to_string(),
            done => return done,
        };
        if error != cause {
            tracing::warn!(cause = %error, seconds = limit.as_secs_f64(), "waiting for the \
                 database");
            cause = error;
        }
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(PAUSES.1);
        loaded = sources.read(None)?;
    }
}

/// Whether the database could not be reached, or not by this user: a database that is being set up
/// refuses its users first.
fn is_away(error: &StartError) -> bool {
    match error {
        StartError::Connect(ConnectError::Refused { .. })
        | StartError::Load(LoadError::Database(DatabaseError::Unavailable(_)))
        | StartError::SubscriptionSource(SourceError::Database(
            DatabaseError::Unavailable(_) | DatabaseError::Timeout(_),
        )) => true,
        StartError::Several(errors) => errors.iter().any(is_away),
        _ => false,
    }
}

/// The requests that arrive before the gateway is ready. Health checks are answered at once;
/// others wait for the gateway, for a short time, because a balancer sends them to a gateway that
/// has just been started again and takes an early error for the response.
pub(super) struct EarlyRequests {
    router: watch::Sender<Option<Arc<Router>>>,
    server: Arc<EarlyServer>,
    connections: Arc<Semaphore>,
}

/// What the connections share.
struct EarlyServer {
    tls: Option<Arc<ServerConfig>>,
    profile: Profile,
    header_time: Duration,
    /// A permit for each request that waits.
    held: Semaphore,
    router: watch::Receiver<Option<Arc<Router>>>,
}

impl EarlyRequests {
    fn new(config: &Config, tls: Option<Arc<ServerConfig>>) -> EarlyRequests {
        let (router, receiver) = watch::channel(None);
        let server = EarlyServer {
            tls,
            profile: config.profile,
            header_time: config.header_timeout,
            held: Semaphore::new(MAX_HELD_REQUESTS),
            router: receiver,
        };
        EarlyRequests {
            router,
            server: Arc::new(server),
            connections: Arc::new(Semaphore::new(MAX_CONNECTIONS)),
        }
    }

    /// Accepts connections until it is dropped. They go on.
    async fn accept(&self, listener: &TcpListener) -> Infallible {
        loop {
            let Ok(permit) = self.connections.clone().acquire_owned().await else {
                match std::future::pending::<Infallible>().await {}
            };
            match listener.accept().await {
                Ok((stream, peer)) => {
                    let server = self.server.clone();
                    tokio::spawn(async move {
                        server.serve(stream, peer).await;
                        drop(permit);
                    });
                }
                Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
            }
        }
    }

    /// Passes the requests that wait, and later ones of their connections, to the gateway.
    pub(super) fn pass_to(self, router: &Arc<Router>) {
        self.router.send_replace(Some(router.clone()));
    }
}

impl EarlyServer {
    /// Serves one connection, for one request over HTTP/1. One over HTTP/2 ends with the requests
    /// that it has when the gateway is ready.
    async fn serve(self: Arc<EarlyServer>, stream: TcpStream, peer: SocketAddr) {
        let limit = self.header_time;
        let stream = match self.tls.clone() {
            Some(tls) => ClientStream::accept(stream, tls, limit, self.profile).await,
            None => Ok(Some(ClientStream::Plain(stream))),
        };
        let Ok(Some(stream)) = stream else { return };
        let mut builder = Builder::new(TokioExecutor::new());
        builder
            .http1()
            .timer(TokioTimer::new())
            .header_read_timeout(limit)
            .keep_alive(false);
        let is_multiplexed = AtomicBool::new(false);
        let service = service_fn(|request: Request<Incoming>| {
            if request.version() >= Version::HTTP_2 {
                is_multiplexed.store(true, Ordering::Relaxed);
            }
            let server = self.clone();
            async move { Ok::<_, Infallible>(server.respond(request, peer).await) }
        });
        let connection = builder.serve_connection_with_upgrades(TokioIo::new(stream), service);
        let mut connection = pin!(connection);
        let mut router = self.router.clone();
        let is_ready = async {
            // An error means that the start has failed.
            let _ = router.wait_for(Option::is_some).await;
        };
        tokio::select! {
            // A client that has disconnected, or has its response.
            _ = connection.as_mut() => return,
            () = is_ready => {}
            // A client that has waited too long.
            () = tokio::time::sleep(limit) => return,
        }
        loop {
            if is_multiplexed.load(Ordering::Relaxed) {
                connection.as_mut().graceful_shutdown();
            }
            tokio::select! {
                _ = connection.as_mut() => return,
                () = tokio::time::sleep(limit) => {}
            }
        }
    }

    async fn respond(&self, request: Request<Incoming>, peer: SocketAddr) -> Response {
        let is_ready = self.router.borrow().is_some();
        let format = match request.uri().path() {
            "/healthz" if !is_ready => return health::health(),
            "/readyz" if !is_ready => return health::unavailable(),
            "/v1/version" if !is_ready => return health::version(),
            "/v1/graphql" => ErrorFormat::Graphql(media::GraphqlMedia::Json),
            _ => ErrorFormat::Rest,
        };
        if let Some(router) = self.router().await {
            return respond_early(&router, request, peer, self.tls.is_some()).await;
        }
        let error = Error::from(DatabaseError::Unavailable("not connected yet".into()));
        let connection = ConnectionInfo {
            peer: None,
            has_tls: false,
            version: Version::HTTP_11,
        };
        error_response(
            &error,
            format,
            self.profile,
            &request_id(request.headers()),
            connection,
        )
    }

    /// The gateway, once it is ready; `None` if that takes too long, or too many requests wait.
    async fn router(&self) -> Option<Arc<Router>> {
        let mut router = self.router.clone();
        let _permit = self.held.try_acquire().ok()?;
        let ready = tokio::time::timeout(HOLD_TIME, router.wait_for(Option::is_some)).await;
        ready.ok()?.ok()?.clone()
    }
}

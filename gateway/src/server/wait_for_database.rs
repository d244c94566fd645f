//! Waits at the start for a database that cannot be reached, for `--wait-for-database`. Meanwhile
//! the port answers health checks: `/healthz` that the process lives, `/readyz` and everything else
//! that the database is not available.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use http::{Request, Version};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use pg::{ConnectError, DatabaseError};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio::time::Instant;
use tokio_rustls::rustls::ServerConfig;

use super::reload::{FirstVersion, LoadedSettings, Sources};
use super::start_error::StartError;
use crate::config::Config;
use crate::config::dialect::Profile;
use crate::error::Error;
use crate::execute::schema_version::LoadError;
use crate::http::stream::ClientStream;
use crate::http::{
    ConnectionInfo, ErrorFormat, Response, error_response, health, media, request_id,
};
use crate::subscriptions::source::SourceError;

/// The first and the longest pause between two attempts.
const PAUSES: (Duration, Duration) = (Duration::from_millis(200), Duration::from_secs(2));

/// The maximum number of connections at a time: enough for health checks while others connect.
const MAX_CONNECTIONS: usize = 64;

/// Loads the first version. While the database cannot be reached, tries again until `limit` has
/// passed; settings and files are read anew each time.
pub(super) async fn load(
    listener: &TcpListener,
    loaded: LoadedSettings,
    sources: &Sources,
    limit: Duration,
) -> Result<FirstVersion, StartError> {
    let responses = HealthAnswers::new(
        &loaded.config,
        loaded
            .files
            .tls
            .as_ref()
            .map(|identity| identity.config.clone()),
    );
    tokio::select! {
        loaded = load_when_reachable(loaded, sources, limit) => loaded,
        never = responses.accept(listener) => match never {},
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

/// Answers requests while there is no database.
struct HealthAnswers {
    tls: Option<Arc<ServerConfig>>,
    profile: Profile,
    header_time: Duration,
}

impl HealthAnswers {
    fn new(config: &Config, tls: Option<Arc<ServerConfig>>) -> HealthAnswers {
        HealthAnswers {
            tls,
            profile: config.profile,
            header_time: config.header_timeout,
        }
    }

    /// Accepts connections until it is dropped, which ends them.
    async fn accept(&self, listener: &TcpListener) -> Infallible {
        let mut connections = JoinSet::new();
        loop {
            tokio::select! {
                accepted = listener.accept(), if connections.len() < MAX_CONNECTIONS => match accepted {
                    Ok((stream, _)) => {
                        connections.spawn(serve(stream, self.tls.clone(), self.profile, self.header_time));
                    }
                    Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
                },
                Some(_) = connections.join_next() => {}
            }
        }
    }
}

/// Serves one connection, for one request over HTTP/1 and no longer than the time for a head over
/// HTTP/2.
async fn serve(
    stream: TcpStream,
    tls: Option<Arc<ServerConfig>>,
    profile: Profile,
    limit: Duration,
) {
    let stream = match tls {
        Some(tls) => ClientStream::accept(stream, tls, limit, profile).await,
        None => Some(ClientStream::Plain(stream)),
    };
    let Some(stream) = stream else { return };
    let mut builder = Builder::new(TokioExecutor::new());
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(limit)
        .keep_alive(false);
    let service =
        service_fn(|request| async move { Ok::<_, Infallible>(respond(&request, profile)) });
    let served = builder.serve_connection(TokioIo::new(stream), service);
    // A client that has disconnected, or has waited too long.
    let _ = tokio::time::timeout(limit, served).await;
}

fn respond(request: &Request<Incoming>, profile: Profile) -> Response {
    let format = match request.uri().path() {
        "/healthz" => return health::health(),
        "/readyz" => return health::unavailable(),
        "/v1/version" => return health::version(),
        "/v1/graphql" => ErrorFormat::Graphql(media::GraphqlMedia::Json),
        _ => ErrorFormat::Rest,
    };
    let error = Error::from(DatabaseError::Unavailable("not connected yet".into()));
    let connection = ConnectionInfo {
        peer: None,
        has_tls: false,
        version: Version::HTTP_11,
    };
    error_response(
        &error,
        format,
        profile,
        &request_id(request.headers()),
        connection,
    )
}

//! The baseline server of the benchmarks: what an expert writes by hand for the seven works, and
//! nothing else. Each work has a route and a prepared statement with which Postgres builds the
//! JSON, whose bytes are sent unchanged. It parses no GraphQL and checks no permissions; it
//! verifies tokens unless it runs with `--trusting`.

mod callers;
mod route;
mod values;
mod server;
mod answer;

use std::net::SocketAddr;
use std::process::ExitCode;
use std::sync::Arc;

use clap::Parser;
use deadpool_postgres::{Manager, ManagerConfig, Pool, RecyclingMethod};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::{TcpListener, TcpStream};
use tokio_postgres::NoTls;

use crate::answer::answer;
use crate::callers::Callers;
use crate::server::Server;

/// The command line options.
#[derive(Debug, Parser)]
struct Options {
    /// Where to listen.
    #[arg(long, default_value = "127.0.0.1:8090")]
    listen: SocketAddr,
    /// The database.
    #[arg(long)]
    database_url: String,
    /// Connections to the database.
    #[arg(long, default_value_t = 8)]
    pool_size: usize,
    /// The key of HS256 that tokens are signed with.
    #[arg(long, default_value = "")]
    jwt_key: String,
    /// Leave tokens alone, and take the user from the query.
    #[arg(long)]
    trusting: bool,
}

/// Why the server does not start.
#[derive(Debug, thiserror::Error)]
enum Failure {
    #[error("the database: {0}")]
    Database(#[from] tokio_postgres::Error),
    #[error("the pool: {0}")]
    Pool(#[from] deadpool_postgres::BuildError),
    #[error("cannot listen: {0}")]
    Listen(#[from] std::io::Error),
}

#[tokio::main]
async fn main() -> ExitCode {
    match serve(Options::parse()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("{failure}");
            ExitCode::FAILURE
        }
    }
}

async fn serve(options: Options) -> Result<(), Failure> {
    let manager = ManagerConfig {
        recycling_method: RecyclingMethod::Fast,
    };
    let manager = Manager::from_config(options.database_url.parse()?, NoTls, manager);
    let pool = Pool::builder(manager).max_size(options.pool_size).build()?;
    let callers = if options.trusting {
        Callers::Trusted
    } else {
        Callers::verified(&options.jwt_key)
    };
    let server = Arc::new(Server { pool, callers });
    let listener = TcpListener::bind(options.listen).await?;
    tokio::select! {
        failed = accept(server, listener) => failed,
        interrupted = tokio::signal::ctrl_c() => Ok(interrupted?),
    }
}

async fn accept(server: Arc<Server>, listener: TcpListener) -> Result<(), Failure> {
    loop {
        let (stream, _) = listener.accept().await?;
        tokio::spawn(connection(server.clone(), stream));
    }
}

async fn connection(server: Arc<Server>, stream: TcpStream) {
    // Small responses must not wait for more data (Nagle's algorithm).
    let _ = stream.set_nodelay(true);
    let service = service_fn(move |request| {
        let server = server.clone();
        async move { answer(&server, request).await }
    });
    // A client that disconnects is the usual end of a connection, so the error is ignored.
    let _ = http1::Builder::new()
        .serve_connection(TokioIo::new(stream), service)
        .await;
}

//! A load generator for HTTP/1.1 servers. It runs beside the servers that it measures, on the same
//! cores, so it is built to use little CPU: one thread, keep-alive connections, prepared requests,
//! and responses parsed only far enough to find their end. The requests come from the caller, which
//! also interprets the figures.
//!
//! At a fixed rate a request's latency counts from the time at which it was due, not from the time
//! at which a client was free to send it, so a server that stalls is charged for every request that
//! had to wait (no coordinated omission).

mod response;
mod request;
mod client;
mod histogram;
mod arrival;
mod error;
mod report;

use std::cell::RefCell;
use std::net::SocketAddr;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::task::LocalSet;

pub use arrival::{ArrivalRate, LoadOptions};
pub use error::LoadError;
pub use histogram::Histogram;
pub use report::LoadReport;
pub use request::PreparedRequest;
pub use response::Timing;

use arrival::Schedule;
use client::Client;

const NO_ANSWER: &str = "no answer came in time";

/// How long to wait for responses that are outstanding at the end.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(30);

/// Sends the requests in turn, again and again, and measures the responses. The load has its own
/// thread, which ends when the caller drops this future.
pub async fn drive(
    address: SocketAddr,
    calls: &[PreparedRequest],
    drive: &LoadOptions,
) -> Result<LoadReport, LoadError> {
    if calls.is_empty()
        || drive.clients == 0
        || drive.time.is_zero()
        || !drive.arrival_rate.is_sound()
    {
        return Err(LoadError::Nothing);
    }
    let (mut sender, receiver) = oneshot::channel();
    let calls = calls.to_vec();
    let drive = *drive;
    let load = move || {
        let runtime = match tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
        {
            Ok(runtime) => runtime,
            Err(cause) => return drop(sender.send(Err(LoadError::Start(cause)))),
        };
        let clients = LocalSet::new();
        let measured = runtime.block_on(async {
            tokio::select! {
                measured = clients.run_until(run(address, calls, drive)) => Some(measured),
                () = sender.closed() => None,
            }
        });
        drop(measured.map(|measured| sender.send(measured)));
    };
    std::thread::Builder::new()
        .name("load".into())
        .spawn(load)
        .map_err(LoadError::Start)?;
    receiver.await.unwrap_or(Err(LoadError::Lost))
}

/// Sends one request; returns what is wrong with its response, if anything.
pub async fn check_request(
    address: SocketAddr,
    call: &PreparedRequest,
) -> Result<Option<String>, LoadError> {
    let trial = async { Client::connect(address).await?.ask(call).await };
    match tokio::time::timeout(DRAIN_TIMEOUT, trial).await {
        Ok(outcome) => outcome,
        Err(_) => Ok(Some(NO_ANSWER.to_owned())),
    }
}

async fn run(
    address: SocketAddr,
    calls: Vec<PreparedRequest>,
    drive: LoadOptions,
) -> Result<LoadReport, LoadError> {
    let mut clients = Vec::with_capacity(drive.clients);
    for _ in 0..drive.clients {
        clients.push(Client::connect(address).await?);
    }
    let schedule = Schedule::start(&drive).map_err(LoadError::Start)?;
    let calls = Arc::<[PreparedRequest]>::from(calls);
    let seen = Rc::new(RefCell::new(LoadReport::default()));
    let running = clients.into_iter().map(|client| {
        let work = client.work(calls.clone(), schedule.clone(), seen.clone());
        tokio::task::spawn_local(tokio::time::timeout_at(
            (schedule.end() + DRAIN_TIMEOUT).into(),
            work,
        ))
    });
    for running in running.collect::<Vec<_>>() {
        match running.await {
            Ok(Ok(())) => {}
            Ok(Err(_)) => seen.borrow_mut().record_failure(NO_ANSWER, DRAIN_TIMEOUT),
            Err(_) => return Err(LoadError::Lost),
        }
    }
    let mut seen = seen.take();
    schedule.unsent(&mut seen);
    seen.elapsed = seen.elapsed.max(drive.time);
    Ok(seen)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;

    use super::*;

    /// A server that answers each packet with the next of these bodies and counts the packets.
    async fn server(
        responses: &'static [&'static str],
        stall: Duration,
    ) -> (SocketAddr, Arc<AtomicUsize>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let count = Arc::new(AtomicUsize::new(0));
        let counted = count.clone();
        tokio::spawn(async move {
            loop {
                let (mut stream, _) = listener.accept().await.unwrap();
                let counted = counted.clone();
                tokio::spawn(async move {
                    let mut buffer = [0; 4096];
                    while stream.read(&mut buffer).await.is_ok_and(|read| read > 0) {
                        let body =
                            responses[counted.fetch_add(1, Ordering::Relaxed) % responses.len()];
                        tokio::time::sleep(stall).await;
                        let response = format!(
                            "HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{body}",
                            body.len()
                        );
                        stream.write_all(response.as_bytes()).await.unwrap();
                    }
                });
            }
        });
        (address, count)
    }

    fn calls() -> Vec<PreparedRequest> {
        vec![PreparedRequest::post("localhost", "/", &[], b"{}")]
    }

    fn short_run(clients: usize, pace: ArrivalRate) -> LoadOptions {
        LoadOptions {
            clients,
            arrival_rate: pace,
            warm_up: Duration::ZERO,
            time: Duration::from_millis(300),
        }
    }

    #[tokio::test]
    async fn answers_and_errors_are_counted() {
        let bodies: &[&str] = &[r#"{"data":{}}"#, r#"{"errors":[]}"#];
        let (address, count) = server(bodies, Duration::ZERO).await;
        let seen = drive(address, &calls(), &short_run(3, ArrivalRate::Closed))
            .await
            .unwrap();
        let sent = count.load(Ordering::Relaxed) as u64;
        assert!(
            seen.requests <= sent && sent <= seen.requests + 3,
            "{} of {sent}",
            seen.requests
        );
        assert!(seen.errors.abs_diff(seen.requests / 2) <= 3 && seen.requests > 10);
        assert_eq!((seen.latencies.count(), seen.served), (seen.requests, sent));
        assert_eq!(seen.first_error.as_deref(), Some(r#"200 {"errors":[]}"#));
    }

    #[tokio::test]
    async fn fixed_rate_sends_the_due_requests() {
        let (address, count) = server(&[r#"{"data":{}}"#], Duration::ZERO).await;
        let seen = drive(address, &calls(), &short_run(4, ArrivalRate::Rate(200.0)))
            .await
            .unwrap();
        assert_eq!((seen.requests + seen.unsent, seen.errors), (60, 0));
        assert_eq!(count.load(Ordering::Relaxed) as u64, seen.requests);
    }

    #[tokio::test]
    async fn latencies_count_from_the_due_time() {
        let (address, _) = server(&[r#"{"data":{}}"#], Duration::from_millis(50)).await;
        let seen = drive(address, &calls(), &short_run(1, ArrivalRate::Rate(100.0)))
            .await
            .unwrap();
        // Six or seven of thirty are answered; the waiting times of the others are recorded, too.
        assert!(
            seen.unsent > 15 && seen.requests + seen.unsent == 30,
            "{} unsent",
            seen.unsent
        );
        assert_eq!(seen.latencies.count(), 30);
        assert!(
            seen.latencies.p99() > Duration::from_millis(150),
            "{:?}",
            seen.latencies.p99()
        );
    }

    /// The server answers twice, stops for a while, and returns at the same address.
    #[tokio::test]
    async fn client_reconnects_after_a_server_restart() {
        let first = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = first.local_addr().unwrap();
        tokio::spawn(async move {
            answer_on(first, 2).await;
            tokio::time::sleep(Duration::from_millis(150)).await;
            answer_on(TcpListener::bind(address).await.unwrap(), usize::MAX).await;
        });
        let options = LoadOptions {
            time: Duration::from_millis(800),
            ..short_run(1, ArrivalRate::Closed)
        };
        let seen = drive(address, &calls(), &options).await.unwrap();
        assert!((2..10).contains(&seen.errors), "{} errors", seen.errors);
        assert!(
            seen.requests > seen.errors + 10,
            "{} of {} were errors",
            seen.errors,
            seen.requests
        );
        assert!(seen.first_error.unwrap().contains("the connection broke"));
    }

    /// Answers this many requests of the first client.
    async fn answer_on(listener: TcpListener, many: usize) {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut buffer = [0; 4096];
        for _ in 0..many {
            if !stream.read(&mut buffer).await.is_ok_and(|read| read > 0) {
                return;
            }
            stream
                .write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 11\r\n\r\n{\"data\":{}}")
                .await
                .unwrap();
        }
    }

    #[tokio::test]
    async fn missing_server_or_empty_calls_is_an_error() {
        let closed_address = TcpListener::bind("127.0.0.1:0")
            .await
            .unwrap()
            .local_addr()
            .unwrap();
        let refused = drive(closed_address, &calls(), &short_run(1, ArrivalRate::Closed)).await;
        assert!(matches!(refused, Err(LoadError::Connect { .. })));
        assert!(matches!(
            drive(closed_address, &[], &short_run(1, ArrivalRate::Closed)).await,
            Err(LoadError::Nothing)
        ));
    }
}

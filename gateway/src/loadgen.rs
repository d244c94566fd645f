//! Load for a server of HTTP/1.1, and what came of it. It runs beside the servers that it measures, on the same cores, so
//! it is made to cost little: one thread, kept-alive connections, requests that were written beforehand, and of an answer
//! only its end is looked for. What is sent, and what the figures mean, is left to others.
//!
//! At a fixed rate a request's time counts from the moment at which it was due, not from the one at which a client was
//! free to send it, so a server that stalls pays for every request that had to wait (no coordinated omission).

mod answer;
mod request;
mod client;
mod histogram;
mod arrival;

use std::cell::RefCell;
use std::net::SocketAddr;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::sync::oneshot;
use tokio::task::LocalSet;

pub use answer::Timing;
pub use arrival::ArrivalRate;
pub use histogram::Histogram;
pub use request::PreparedRequest;

use arrival::Schedule;
use client::Client;

/// How a server is driven.
#[derive(Clone, Copy, Debug)]
pub struct LoadOptions {
    /// So many connections, each with at most one request on its way.
    pub clients: usize,
    /// When requests are sent.
    pub pace: ArrivalRate,
    /// Before the figures are taken.
    pub warm_up: Duration,
    /// While they are taken.
    pub time: Duration,
}

/// What was seen after the warm-up.
#[derive(Clone, Debug, Default)]
pub struct LoadReport {
    /// Answers, errors among them.
    pub requests: u64,
    /// Those and all others, of the warm-up and after the time: what a server's CPU time is divided by.
    pub served: u64,
    /// Those that were errors: another status than 200, an answer with `errors`, a connection that broke.
    pub errors: u64,
    /// Requests that were due and not sent, since all clients were waiting until the end.
    pub unsent: u64,
    /// From the end of the warm-up until the last answer that counts.
    pub elapsed: Duration,
    /// The bodies of the answers.
    pub bytes: u64,
    /// From sending, or at a fixed rate from when it was due, to the last byte. What was not sent counts as long as it waited.
    pub latencies: Histogram,
    /// What the server said of its stages.
    pub timing: Timing,
    /// What the first error was.
    pub first_error: Option<String>,
}

/// Why nothing was measured.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// There is nothing to send, nobody to send it, or no time for it.
    #[error("a load needs calls, clients, and a rate and time above zero")]
    Nothing,
    /// The server takes no connection.
    #[error("cannot connect to {address}: {cause}")]
    Connect {
        /// Of the server.
        address: SocketAddr,
        /// What the system said.
        cause: std::io::Error,
    },
    /// The thread or its runtime was refused.
    #[error("cannot start the load: {0}")]
    Start(std::io::Error),
    /// The thread ended without a word.
    #[error("the load ended before its time")]
    Lost,
}

const NO_ANSWER: &str = "no answer came in time";

/// How long answers are awaited that are still on their way at the end.
const GRACE: Duration = Duration::from_secs(30);

/// Sends the calls, one after the other and again from the first, and measures the answers. The load has a thread of its
/// own, and ends when the caller no longer waits for it.
pub async fn drive(
    address: SocketAddr,
    calls: &[PreparedRequest],
    drive: &LoadOptions,
) -> Result<LoadReport, LoadError> {
    if calls.is_empty() || drive.clients == 0 || drive.time.is_zero() || !drive.pace.is_sound() {
        return Err(LoadError::Nothing);
    }
    let (mut sender, receiver) = oneshot::channel();
    let (calls, drive) = (calls.to_vec(), *drive);
    let load = move || {
        let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
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
    std::thread::Builder::new().name("load".into()).spawn(load).map_err(LoadError::Start)?;
    receiver.await.unwrap_or(Err(LoadError::Lost))
}

/// Sends one call, and says what is wrong with its answer, if anything is.
pub async fn trial(address: SocketAddr, call: &PreparedRequest) -> Result<Option<String>, LoadError> {
    let trial = async { Client::connect(address).await?.ask(call).await };
    match tokio::time::timeout(GRACE, trial).await {
        Ok(outcome) => outcome,
        Err(_) => Ok(Some(NO_ANSWER.to_owned())),
    }
}

async fn run(address: SocketAddr, calls: Vec<PreparedRequest>, drive: LoadOptions) -> Result<LoadReport, LoadError> {
    let mut clients = Vec::with_capacity(drive.clients);
    for _ in 0..drive.clients {
        clients.push(Client::connect(address).await?);
    }
    let schedule = Schedule::start(&drive).map_err(LoadError::Start)?;
    let (calls, seen) = (Arc::<[PreparedRequest]>::from(calls), Rc::new(RefCell::new(LoadReport::default())));
    let running = clients.into_iter().map(|client| {
        let work = client.work(calls.clone(), schedule.clone(), seen.clone());
        tokio::task::spawn_local(tokio::time::timeout_at((schedule.end() + GRACE).into(), work))
    });
    for running in running.collect::<Vec<_>>() {
        match running.await {
            Ok(Ok(())) => {}
            Ok(Err(_)) => seen.borrow_mut().record_failure(NO_ANSWER, GRACE),
            Err(_) => return Err(LoadError::Lost),
        }
    }
    let mut seen = seen.take();
    schedule.unsent(&mut seen);
    seen.elapsed = seen.elapsed.max(drive.time);
    Ok(seen)
}

impl LoadReport {
    /// Answers a second, errors left out.
    pub fn throughput(&self) -> f64 {
        self.requests.saturating_sub(self.errors) as f64 / self.elapsed.as_secs_f64().max(f64::MIN_POSITIVE)
    }

    fn record_answer(&mut self, answer: &answer::Answer, latency: Duration) {
        self.requests += 1;
        self.bytes += answer.length();
        self.latencies.record(latency);
        if let Some(timing) = answer.timing() {
            self.timing.add(timing);
        }
        if answer.is_error() {
            self.errors += 1;
            self.first_error.get_or_insert_with(|| answer.describe_failure());
        }
    }

    fn record_failure(&mut self, why: &str, latency: Duration) {
        self.requests += 1;
        self.errors += 1;
        self.latencies.record(latency);
        self.first_error.get_or_insert_with(|| why.to_owned());
    }

    fn record_end(&mut self, counted_from: Instant) {
        self.elapsed = self.elapsed.max(counted_from.elapsed());
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;

    use super::*;

    /// A server that answers each packet with the next of these, and counts.
    async fn server(answers: &'static [&'static str], stall: Duration) -> (SocketAddr, Arc<AtomicUsize>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (address, count) = (listener.local_addr().unwrap(), Arc::new(AtomicUsize::new(0)));
        let counted = count.clone();
        tokio::spawn(async move {
            loop {
                let (mut stream, _) = listener.accept().await.unwrap();
                let counted = counted.clone();
                tokio::spawn(async move {
                    let mut buffer = [0; 4096];
                    while stream.read(&mut buffer).await.is_ok_and(|read| read > 0) {
                        let body = answers[counted.fetch_add(1, Ordering::Relaxed) % answers.len()];
                        tokio::time::sleep(stall).await;
                        let answer = format!("HTTP/1.1 200 OK\r\ncontent-length: {}\r\n\r\n{body}", body.len());
                        stream.write_all(answer.as_bytes()).await.unwrap();
                    }
                });
            }
        });
        (address, count)
    }

    fn calls() -> Vec<PreparedRequest> {
        vec![PreparedRequest::post("localhost", "/", &[], b"{}")]
    }

    fn for_a_moment(clients: usize, pace: ArrivalRate) -> LoadOptions {
        LoadOptions { clients, pace, warm_up: Duration::ZERO, time: Duration::from_millis(300) }
    }

    #[tokio::test]
    async fn answers_and_errors_are_counted() {
        let bodies: &[&str] = &[r#"{"data":{}}"#, r#"{"errors":[]}"#];
        let (address, count) = server(bodies, Duration::ZERO).await;
        let seen = drive(address, &calls(), &for_a_moment(3, ArrivalRate::Closed)).await.unwrap();
        let sent = count.load(Ordering::Relaxed) as u64;
        assert!(seen.requests <= sent && sent <= seen.requests + 3, "{} of {sent}", seen.requests);
        assert!(seen.errors.abs_diff(seen.requests / 2) <= 3 && seen.requests > 10);
        assert_eq!((seen.latencies.count(), seen.served), (seen.requests, sent));
        assert_eq!(seen.first_error.as_deref(), Some(r#"200 {"errors":[]}"#));
    }

    #[tokio::test]
    async fn a_fixed_rate_sends_what_is_due() {
        let (address, count) = server(&[r#"{"data":{}}"#], Duration::ZERO).await;
        let seen = drive(address, &calls(), &for_a_moment(4, ArrivalRate::Rate(200.0))).await.unwrap();
        assert_eq!((seen.requests + seen.unsent, seen.errors), (60, 0));
        assert_eq!(count.load(Ordering::Relaxed) as u64, seen.requests);
    }

    #[tokio::test]
    async fn requests_that_wait_for_a_client_count_from_when_they_were_due() {
        let (address, _) = server(&[r#"{"data":{}}"#], Duration::from_millis(50)).await;
        let seen = drive(address, &calls(), &for_a_moment(1, ArrivalRate::Rate(100.0))).await.unwrap();
        // Six or seven of thirty are answered; the wait of the others is told too.
        assert!(seen.unsent > 15 && seen.requests + seen.unsent == 30, "{} unsent", seen.unsent);
        assert_eq!(seen.latencies.count(), 30);
        assert!(seen.latencies.p99() > Duration::from_millis(150), "{:?}", seen.latencies.p99());
    }

    /// It answers twice, is away for a while, and comes back to the same address.
    #[tokio::test]
    async fn a_server_that_was_away_costs_some_requests() {
        let first = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = first.local_addr().unwrap();
        tokio::spawn(async move {
            answer_on(first, 2).await;
            tokio::time::sleep(Duration::from_millis(150)).await;
            answer_on(TcpListener::bind(address).await.unwrap(), usize::MAX).await;
        });
        let asked = LoadOptions { time: Duration::from_millis(800), ..for_a_moment(1, ArrivalRate::Closed) };
        let seen = drive(address, &calls(), &asked).await.unwrap();
        assert!((2..10).contains(&seen.errors), "{} errors", seen.errors);
        assert!(seen.requests > seen.errors + 10, "{} of {} were errors", seen.errors, seen.requests);
        assert!(seen.first_error.unwrap().contains("the connection broke"));
    }

    /// Answers so many requests of the first client.
    async fn answer_on(listener: TcpListener, many: usize) {
        let (mut stream, _) = listener.accept().await.unwrap();
        let mut buffer = [0; 4096];
        for _ in 0..many {
            if !stream.read(&mut buffer).await.is_ok_and(|read| read > 0) {
                return;
            }
            stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 11\r\n\r\n{\"data\":{}}").await.unwrap();
        }
    }

    #[tokio::test]
    async fn without_a_server_or_calls_there_is_no_measure() {
        let nobody = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
        let refused = drive(nobody, &calls(), &for_a_moment(1, ArrivalRate::Closed)).await;
        assert!(matches!(refused, Err(LoadError::Connect { .. })));
        assert!(matches!(drive(nobody, &[], &for_a_moment(1, ArrivalRate::Closed)).await, Err(LoadError::Nothing)));
    }
}

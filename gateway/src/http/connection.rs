//! A connection as a whole: served until it ends, or until the client has been silent, slow with a request's head, or deaf
//! to the answer, for too long.
//! hyper's own time-outs begin only after the version of HTTP is known, and cannot tell slow from silent.
//!
//! What is sent by POST goes straight to the router, everything else through warp: its filters take some 8,000 instructions
//! an exchange.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use bytes::Bytes;
use futures_util::future::Either;
use http::{Method, Uri, Version};
use http_body::{Frame, SizeHint};
use hyper::body::Incoming;
use hyper::service::Service;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use hyper_util::server::graceful::Watcher;
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use warp::Filter;

use super::body::Body;
use super::head_limit::{self, HeadTooLarge};
use super::stream::ClientStream;
use super::{ConnectionInfo, HttpExchange, Response, Server};
use crate::config::dialect::Profile;
use crate::limits::Limits;
use crate::limits::memory::{OutOfMemory, REQUEST, Reservation};

/// How many streams a client may have open on one connection.
const STREAMS: u32 = 200;

/// So many bytes of bodies that nobody has read yet a client may send on one connection of HTTP/2: they are in no account.
const WINDOW: u32 = 256 << 10;

/// Serves a connection to its end. `respond` is the router, which stands above.
pub async fn serve<R, F>(
    stream: ClientStream,
    peer: Option<SocketAddr>,
    server: Arc<Server>,
    respond: R,
    watcher: Watcher,
) where
    R: Fn(Arc<Server>, HttpExchange) -> F + Clone + Send + Sync + 'static,
    F: Future<Output = Response> + Send + 'static,
{
    let pulse = Arc::new(ConnectionActivity::new());
    let limits = server.limits.clone();
    let io = TokioIo::new(MonitoredStream { stream, pulse: pulse.clone(), profile: server.profile, refusal: None });
    let filtered = TowerToHyperService::new(warp::service(filter(server.clone(), respond.clone())));
    let (counted, serving) = (pulse.clone(), server.clone());
    let service = hyper::service::service_fn(move |request: http::Request<Incoming>| {
        let mut running = InFlightRequest::start(counted.clone(), request.version());
        let wire = ConnectionInfo { peer, version: request.version() };
        let memory = server.memory.reserve(REQUEST);
        let refused = memory.as_ref().err().copied();
        let answer = match *request.method() == Method::POST {
            true => {
                // Made in its place: the future is large, and would be copied there.
                let place = Box::new_uninit();
                let exchange = exchange_from_hyper(&server, request, wire, refused);
                Either::Left(Box::into_pin(Box::write(place, respond(server.clone(), exchange))))
            }
            false => Either::Right(Box::pin(filtered.call(with_connection_info(request, wire, refused)))),
        };
        let memory = memory.ok().map(Arc::new);
        async move {
            let response = match answer {
                Either::Left(answer) => answer.await,
                Either::Right(answer) => answer.await?,
            };
            running.response_ready();
            Ok::<_, Infallible>(response.map(|body| ReservedBody { body, running, memory }))
        }
    });
    let builder = builder();
    let connection = builder.serve_connection_with_upgrades(io, service).into_owned();
    tokio::select! {
        // An error here is the client's: it went away, or never spoke HTTP.
        _ = watcher.watch(connection) => {}
        () = pulse.end(&limits, || serving.answering().executor.limits.longest()) => {}
    }
}

/// The exchange that a request is.
fn exchange_from_hyper(
    server: &Server,
    request: http::Request<Incoming>,
    wire: ConnectionInfo,
    refused: Option<OutOfMemory>,
) -> HttpExchange {
    let (head, body) = request.into_parts();
    let memory = server.memory.empty_reservation();
    HttpExchange { refused, ..HttpExchange::new(head.method, head.uri, head.headers, Body::of(body), wire, memory) }
}

/// A request with what warp would not tell of it.
fn with_connection_info(
    mut request: http::Request<Incoming>,
    wire: ConnectionInfo,
    refused: Option<OutOfMemory>,
) -> http::Request<Incoming> {
    let uri = request.uri().clone();
    request.extensions_mut().insert((uri, wire, refused));
    request
}

/// Everything that comes is one exchange; the router looks at its path.
fn filter<R, F>(server: Arc<Server>, respond: R) -> impl Filter<Extract = (Response,), Error = warp::Rejection> + Clone
where
    R: Fn(Arc<Server>, HttpExchange) -> F + Clone + Send + Sync + 'static,
    F: Future<Output = Response> + Send + 'static,
{
    warp::method()
        .and(warp::header::headers_cloned())
        .and(warp::ext::get::<(Uri, ConnectionInfo, Option<OutOfMemory>)>())
        .and(warp::body::stream())
        .then(move |method, headers, (uri, wire, refused), body| {
            let memory = server.memory.empty_reservation();
            let exchange = HttpExchange::new(method, uri, headers, Body::new(body), wire, memory);
            respond(server.clone(), HttpExchange { refused, ..exchange })
        })
}

fn builder() -> Builder<TokioExecutor> {
    let mut builder = Builder::new(TokioExecutor::new());
    builder.http1().timer(TokioTimer::new()).header_read_timeout(None).max_buf_size(head_limit::LIMIT);
    builder
        .http2()
        .timer(TokioTimer::new())
        .keep_alive_interval(Duration::from_secs(20))
        .keep_alive_timeout(Duration::from_secs(20))
        .initial_stream_window_size(WINDOW)
        .initial_connection_window_size(WINDOW)
        .max_concurrent_streams(STREAMS)
        .max_header_list_size(head_limit::LIMIT as u32);
    builder
}

/// What a connection is doing. Times are in milliseconds since it began.
struct ConnectionActivity {
    began: Instant,
    running: AtomicUsize,
    /// Those of them that the client waits for: their answers, or the next parts of them, are the gateway's to come with.
    awaited: AtomicUsize,
    /// When the client last took a part of an answer, or asked for one.
    moved_at: AtomicU64,
    spoken: AtomicBool,
    multiplexed: AtomicBool,
    quiet_since: AtomicU64,
    /// When the first byte of a request came whose head is not complete; 0 for none.
    head_since: AtomicU64,
    /// When the client stopped taking what is written; 0 when it takes it.
    blocked_since: AtomicU64,
}

impl ConnectionActivity {
    fn new() -> ConnectionActivity {
        ConnectionActivity {
            began: Instant::now(),
            running: AtomicUsize::new(0),
            awaited: AtomicUsize::new(0),
            moved_at: AtomicU64::new(0),
            spoken: AtomicBool::new(false),
            multiplexed: AtomicBool::new(false),
            quiet_since: AtomicU64::new(0),
            head_since: AtomicU64::new(0),
            blocked_since: AtomicU64::new(0),
        }
    }

    fn now(&self) -> u64 {
        u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX).max(1)
    }

    fn byte_received(&self) {
        if self.running.load(Ordering::Relaxed) == 0 {
            let _ = self.head_since.compare_exchange(0, self.now(), Ordering::Relaxed, Ordering::Relaxed);
        }
    }

    /// Notes whether the client takes what is written.
    fn wrote<T>(&self, outcome: &Poll<T>) {
        match outcome {
            Poll::Ready(_) => self.blocked_since.store(0, Ordering::Relaxed),
            Poll::Pending => {
                let _ = self.blocked_since.compare_exchange(0, self.now(), Ordering::Relaxed, Ordering::Relaxed);
            }
        }
    }

    fn touch(&self) {
        self.moved_at.store(self.now(), Ordering::Relaxed);
    }

    /// Whether what is written next may be hyper's own: no request is being answered, and there are no others beside it.
    fn is_idle(&self) -> bool {
        self.running.load(Ordering::Relaxed) == 0 && !self.multiplexed.load(Ordering::Relaxed)
    }

    /// Returns when the connection has been silent or slow for too long. `longest` is the longest time that a request may take.
    async fn end(&self, limits: &Limits, longest: impl Fn() -> Duration) {
        let step =
            (limits.header_time.min(limits.idle_time) / 4).clamp(Duration::from_millis(20), Duration::from_secs(1));
        while !self.is_over(limits, &longest) {
            tokio::time::sleep(step).await;
        }
    }

    fn is_over(&self, limits: &Limits, longest: impl Fn() -> Duration) -> bool {
        let longer = |since, limit| self.is_longer(since, limit);
        let blocked = self.blocked_since.load(Ordering::Relaxed);
        if blocked > 0 && longer(blocked, limits.idle_time) {
            return true;
        }
        if self.running.load(Ordering::Relaxed) > 0 {
            return self.is_stalled(limits, longest);
        }
        let spoken = self.spoken.load(Ordering::Relaxed);
        let silence = if spoken { limits.idle_time } else { limits.header_time };
        // On HTTP/2 bytes between requests are not the beginning of one.
        let head = match self.multiplexed.load(Ordering::Relaxed) {
            true => 0,
            false => self.head_since.load(Ordering::Relaxed),
        };
        longer(self.quiet_since.load(Ordering::Relaxed), silence) || (head > 0 && longer(head, limits.header_time))
    }

    /// Whether the client keeps answers from being sent. On HTTP/2 it can without the connection being blocked: it says how much
    /// of each it takes. What the gateway has yet to come with has its own time.
    fn is_stalled(&self, limits: &Limits, longest: impl Fn() -> Duration) -> bool {
        let moved_at = self.moved_at.load(Ordering::Relaxed);
        if !self.multiplexed.load(Ordering::Relaxed) || !self.is_longer(moved_at, limits.idle_time) {
            return false;
        }
        // What takes longer than any request may is not waited for, whatever it is.
        self.awaited.load(Ordering::Relaxed) == 0 || self.is_longer(moved_at, limits.idle_time + longest())
    }

    fn is_longer(&self, since: u64, limit: Duration) -> bool {
        Duration::from_millis(self.now().saturating_sub(since)) > limit
    }
}

/// A request that is being answered, until the last byte of its response has been taken.
struct InFlightRequest {
    pulse: Arc<ConnectionActivity>,
    /// Whether the client waits for it.
    is_awaited: bool,
}

impl InFlightRequest {
    fn start(pulse: Arc<ConnectionActivity>, version: Version) -> InFlightRequest {
        pulse.running.fetch_add(1, Ordering::Relaxed);
        pulse.awaited.fetch_add(1, Ordering::Relaxed);
        pulse.spoken.store(true, Ordering::Relaxed);
        pulse.multiplexed.store(version >= Version::HTTP_2, Ordering::Relaxed);
        pulse.head_since.store(0, Ordering::Relaxed);
        pulse.touch();
        InFlightRequest { pulse, is_awaited: true }
    }

    /// The response, or a part of it, is there: now it is for the client to take it.
    fn response_ready(&mut self) {
        if std::mem::replace(&mut self.is_awaited, false) {
            self.pulse.awaited.fetch_sub(1, Ordering::Relaxed);
        }
        self.pulse.touch();
    }

    /// The client is ready for the next part, which is not there yet.
    fn wait(&mut self) {
        if !std::mem::replace(&mut self.is_awaited, true) {
            self.pulse.awaited.fetch_add(1, Ordering::Relaxed);
        }
        self.pulse.touch();
    }
}

impl Drop for InFlightRequest {
    fn drop(&mut self) {
        self.response_ready();
        self.pulse.quiet_since.store(self.pulse.now(), Ordering::Relaxed);
        self.pulse.running.fetch_sub(1, Ordering::Relaxed);
    }
}

/// A response's body that keeps its request running.
struct ReservedBody<B> {
    body: B,
    running: InFlightRequest,
    /// What the request has reserved. Whoever has bytes of the response has it too, until they are sent.
    memory: Option<Arc<Reservation>>,
}

/// Parts of a response of at most so many bytes do not keep the reservation of their request until they are sent. What a
/// connection holds of such is bounded: on HTTP/1 by hyper's buffer, on HTTP/2 by the number of streams.
const SHORT: usize = 1 << 10;

/// Bytes of a response that are not sent yet.
struct UnsentBytes {
    bytes: Bytes,
    _memory: Arc<Reservation>,
}

impl AsRef<[u8]> for UnsentBytes {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl<B: http_body::Body<Data = Bytes> + Unpin> http_body::Body for ReservedBody<B> {
    type Data = Bytes;
    type Error = B::Error;

    fn poll_frame(mut self: Pin<&mut Self>, waker: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, B::Error>>> {
        let ReservedBody { body, running, memory } = &mut *self;
        let frame = Pin::new(body).poll_frame(waker);
        match &frame {
            Poll::Ready(_) => running.response_ready(),
            Poll::Pending => running.wait(),
        }
        let is_long = |bytes: &Bytes| bytes.len() > SHORT;
        let Poll::Ready(Some(Ok(part))) = &frame else { return frame };
        let Some(memory) = memory.as_ref().filter(|_| part.data_ref().is_some_and(is_long)) else { return frame };
        let unsent = |bytes| Bytes::from_owner(UnsentBytes { bytes, _memory: memory.clone() });
        frame.map(|frame| frame.map(|frame| frame.map(|frame| frame.map_data(unsent))))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// A stream that tells when bytes come.
struct MonitoredStream {
    stream: ClientStream,
    pulse: Arc<ConnectionActivity>,
    profile: Profile,
    /// Our answer to a head that is too large, in place of hyper's.
    refusal: Option<HeadTooLarge>,
}

impl MonitoredStream {
    /// Writes our refusal in place of these bytes, if they are one; none if not.
    fn send_refusal(&mut self, waker: &mut Context<'_>, bytes: &[u8]) -> Option<Poll<std::io::Result<()>>> {
        if self.refusal.is_none() && self.pulse.is_idle() {
            self.refusal = HeadTooLarge::of(bytes, self.profile);
        }
        let refusal = self.refusal.as_mut()?;
        Some(refusal.write(&mut self.stream, waker))
    }
}

impl AsyncRead for MonitoredStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        waker: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<std::io::Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(waker, buffer);
        if buffer.filled().len() > before {
            self.pulse.byte_received();
        }
        read
    }
}

impl AsyncWrite for MonitoredStream {
    fn poll_write(mut self: Pin<&mut Self>, waker: &mut Context<'_>, bytes: &[u8]) -> Poll<std::io::Result<usize>> {
        let outcome = match self.send_refusal(waker, bytes) {
            None => Pin::new(&mut self.stream).poll_write(waker, bytes),
            Some(refused) => refused.map_ok(|()| bytes.len()),
        };
        self.pulse.wrote(&outcome);
        outcome
    }

    fn poll_flush(mut self: Pin<&mut Self>, waker: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(waker)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, waker: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        let MonitoredStream { stream, refusal, .. } = &mut *self;
        ready!(Pin::new(&mut *stream).poll_shutdown(waker))?;
        if let Some(refusal) = refusal {
            ready!(refusal.drain(stream, waker));
        }
        Poll::Ready(Ok(()))
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        waker: &mut Context<'_>,
        slices: &[std::io::IoSlice<'_>],
    ) -> Poll<std::io::Result<usize>> {
        let first = slices.first().map(|slice| &**slice).unwrap_or_default();
        let outcome = match self.send_refusal(waker, first) {
            None => Pin::new(&mut self.stream).poll_write_vectored(waker, slices),
            Some(refused) => refused.map_ok(|()| slices.iter().map(|slice| slice.len()).sum()),
        };
        self.pulse.wrote(&outcome);
        outcome
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits() -> Limits {
        let (header_time, idle_time) = (Duration::from_millis(50), Duration::from_millis(400));
        Limits { header_time, idle_time, ..Limits::default() }
    }

    async fn ends_within(pulse: &ConnectionActivity, ms: u64) -> bool {
        tokio::time::timeout(Duration::from_millis(ms), pulse.end(&limits(), || Duration::from_millis(400)))
            .await
            .is_ok()
    }

    #[tokio::test]
    async fn a_connection_without_a_request_ends_soon() {
        assert!(ends_within(&ConnectionActivity::new(), 200).await);
    }

    #[tokio::test]
    async fn a_running_request_is_waited_for_and_silence_after_it_is_long() {
        let pulse = Arc::new(ConnectionActivity::new());
        let running = InFlightRequest::start(pulse.clone(), Version::HTTP_11);
        assert!(!ends_within(&pulse, 200).await);
        drop(running);
        assert!(!ends_within(&pulse, 200).await);
        assert!(ends_within(&pulse, 600).await);
    }

    #[tokio::test]
    async fn a_client_that_takes_nothing_ends_the_connection() {
        let pulse = Arc::new(ConnectionActivity::new());
        let _running = InFlightRequest::start(pulse.clone(), Version::HTTP_11);
        pulse.wrote(&Poll::<()>::Pending);
        assert!(!ends_within(&pulse, 200).await);
        assert!(ends_within(&pulse, 600).await);
        pulse.wrote(&Poll::Ready(()));
        assert!(!ends_within(&pulse, 200).await);
    }

    #[tokio::test]
    async fn a_client_that_holds_finished_answers_back_ends_the_connection() {
        let pulse = Arc::new(ConnectionActivity::new());
        let mut running = InFlightRequest::start(pulse.clone(), Version::HTTP_2);
        assert!(!ends_within(&pulse, 600).await, "it is the gateway that is awaited");
        running.response_ready();
        assert!(!ends_within(&pulse, 200).await);
        running.response_ready();
        assert!(!ends_within(&pulse, 300).await, "it has taken a part");
        assert!(ends_within(&pulse, 400).await);
    }

    #[tokio::test]
    async fn a_part_that_is_waited_for_has_the_time_of_its_request() {
        let pulse = Arc::new(ConnectionActivity::new());
        let mut running = InFlightRequest::start(pulse.clone(), Version::HTTP_2);
        running.response_ready();
        running.wait();
        assert!(!ends_within(&pulse, 600).await);
        assert!(ends_within(&pulse, 600).await);
        drop(running);
        assert_eq!((pulse.running.load(Ordering::Relaxed), pulse.awaited.load(Ordering::Relaxed)), (0, 0));
        let _second = InFlightRequest::start(pulse.clone(), Version::HTTP_2);
        assert!(!pulse.is_idle());
    }

    #[tokio::test]
    async fn a_slow_head_ends_the_connection() {
        let pulse = Arc::new(ConnectionActivity::new());
        drop(InFlightRequest::start(pulse.clone(), Version::HTTP_11));
        pulse.byte_received();
        assert!(ends_within(&pulse, 250).await);
        let pulse = Arc::new(ConnectionActivity::new());
        drop(InFlightRequest::start(pulse.clone(), Version::HTTP_2));
        pulse.byte_received();
        assert!(!ends_within(&pulse, 200).await, "bytes between streams are no head");
    }
}

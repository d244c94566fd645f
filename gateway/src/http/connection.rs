//! Serves one connection until it ends, or until the client has been idle, has sent a request's
//! head too slowly, or has stopped reading responses for too long. hyper's own timeouts begin only
//! after the HTTP version is known, and cannot distinguish a slow client from an idle one.
//!
//! A connection that becomes a WebSocket is handed over to [`super::websocket`], and serving it
//! here ends.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::task::{Context, Poll, ready};
use std::time::{Duration, Instant};

use bytes::Bytes;
use http::Version;
use http_body::{Frame, SizeHint};
use http_body_util::BodyExt;
use hyper::body::Incoming;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use hyper_util::server::graceful::Watcher;
use pg::memory::RequestMemory;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

use super::app::App;
use super::exchange::HttpExchange;
use super::head_limit::{self, RefusedHead};
use super::paced_body::PacedBody;
use super::response::{Response, ResponseBody};
use super::router::Router;
use super::stream::ClientStream;
use crate::limits::Limits;

/// The number of concurrent HTTP/2 streams per connection.
const MAX_CONCURRENT_STREAMS: u32 = 200;

/// The HTTP/2 flow-control window in bytes, per stream and per connection. A client can send so
/// many bytes of bodies that no handler reads yet; the memory budget does not cover them.
const FLOW_CONTROL_WINDOW_BYTES: u32 = 256 << 10;

/// Serves a connection until it ends.
pub async fn serve(
    stream: ClientStream,
    peer: Option<SocketAddr>,
    router: Arc<Router>,
    watcher: Watcher,
) {
    let activity = Arc::new(ConnectionActivity::new());
    let app = router.app.clone();
    let has_tls = matches!(stream, ClientStream::Tls(_));
    let io = TokioIo::new(MonitoredStream {
        stream,
        activity: activity.clone(),
        app: app.clone(),
        peer,
        refusal: None,
    });
    let requests = activity.clone();
    let limits = app.state().limits.clone();
    let read_rate = limits.read_rate;
    let service = hyper::service::service_fn(move |request: http::Request<Incoming>| {
        respond(&router, requests.clone(), request, peer, has_tls, read_rate)
    });
    let builder = builder();
    let connection = builder
        .serve_connection_with_upgrades(io, service)
        .into_owned();
    tokio::select! {
        // An error here means that the client disconnected or did not speak HTTP.
        _ = watcher.watch(connection) => {}
        () = activity.end(&limits, || app.state().execution.limits.longest()) => {}
    }
}

/// Answers a request of a connection that was accepted before the gateway was ready.
pub async fn respond_early(
    router: &Arc<Router>,
    request: http::Request<Incoming>,
    peer: SocketAddr,
    has_tls: bool,
) -> Response {
    let activity = Arc::new(ConnectionActivity::new());
    let read_rate = router.app.state().limits.read_rate;
    let Ok(response) = respond(router, activity, request, Some(peer), has_tls, read_rate).await;
    response.map(|body| body.map_err(std::io::Error::other).boxed_unsync())
}

/// Answers a request.
fn respond(
    router: &Arc<Router>,
    activity: Arc<ConnectionActivity>,
    request: http::Request<Incoming>,
    peer: Option<SocketAddr>,
    has_tls: bool,
    read_rate: usize,
) -> impl Future<Output = Result<http::Response<ConnectionBody>, Infallible>> + use<> {
    let mut running = InFlightRequest::start(activity, request.version());
    let exchange = HttpExchange::new(router.app.clone(), request, peer, has_tls);
    let memory = exchange.request_memory.as_ref().ok().cloned();
    let budget = router.app.memory;
    let unread = router.app.metrics.memory.unread.clone();
    // Written into its allocation: the future is large and would otherwise be copied there.
    let response = Box::write(Box::new_uninit(), router.clone().respond(exchange));
    let response: Pin<Box<dyn Future<Output = Response> + Send>> = Box::into_pin(response);
    async move {
        let response = response.await;
        running.response_ready();
        Ok(response.map(|body| {
            let body = PacedBody::new(body, budget, read_rate, unread);
            ReservedBody {
                body,
                running,
                memory,
            }
        }))
    }
}

fn builder() -> Builder<TokioExecutor> {
    let mut builder = Builder::new(TokioExecutor::new());
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(None)
        .max_buf_size(head_limit::MAX_HEAD_BYTES);
    builder
        .http2()
        .timer(TokioTimer::new())
        .keep_alive_interval(Duration::from_secs(20))
        .keep_alive_timeout(Duration::from_secs(20))
        .initial_stream_window_size(FLOW_CONTROL_WINDOW_BYTES)
        .initial_connection_window_size(FLOW_CONTROL_WINDOW_BYTES)
        .max_concurrent_streams(MAX_CONCURRENT_STREAMS)
        .max_header_list_size(head_limit::MAX_HEAD_BYTES as u32);
    builder
}

/// What a connection is doing. Times are in milliseconds since it was accepted.
struct ConnectionActivity {
    began: Instant,
    running: AtomicUsize,
    /// How many of the running requests the client waits for: the gateway has not produced their
    /// response, or its next part, yet.
    awaited: AtomicUsize,
    /// When the client last took a part of a response or asked for one.
    moved_at: AtomicU64,
    spoken: AtomicBool,
    multiplexed: AtomicBool,
    quiet_since: AtomicU64,
    /// When the first byte of an incomplete request head arrived; 0 if there is none.
    head_since: AtomicU64,
    /// How many bytes of it have arrived.
    head_bytes: AtomicUsize,
    /// When the client stopped reading what is written; 0 while it reads.
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
            head_bytes: AtomicUsize::new(0),
            blocked_since: AtomicU64::new(0),
        }
    }

    fn now(&self) -> u64 {
        u64::try_from(self.began.elapsed().as_millis())
            .unwrap_or(u64::MAX)
            .max(1)
    }

    fn bytes_received(&self, count: usize) {
        if self.running.load(Ordering::Relaxed) == 0 {
            self.head_bytes.fetch_add(count, Ordering::Relaxed);
            let _ = self.head_since.compare_exchange(
                0,
                self.now(),
                Ordering::Relaxed,
                Ordering::Relaxed,
            );
        }
    }

    /// Records whether a write succeeded or the client does not read.
    fn wrote<T>(&self, written: &Poll<T>) {
        match written {
            Poll::Ready(_) => self.blocked_since.store(0, Ordering::Relaxed),
            Poll::Pending => {
                let _ = self.blocked_since.compare_exchange(
                    0,
                    self.now(),
                    Ordering::Relaxed,
                    Ordering::Relaxed,
                );
            }
        }
    }

    fn touch(&self) {
        self.moved_at.store(self.now(), Ordering::Relaxed);
    }

    /// Whether the next bytes written may be a response of hyper's own: no request is running, and
    /// the connection is not HTTP/2.
    fn is_idle(&self) -> bool {
        self.running.load(Ordering::Relaxed) == 0 && !self.multiplexed.load(Ordering::Relaxed)
    }

    /// Returns when the connection has been idle or slow for too long. `longest` is the longest
    /// time limit of any role.
    async fn end(&self, limits: &Limits, longest: impl Fn() -> Duration) {
        let step = (limits.header_time.min(limits.idle_time) / 4)
            .clamp(Duration::from_millis(20), Duration::from_secs(1));
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
        let silence = if spoken {
            limits.idle_time
        } else {
            limits.header_time
        };
        // On HTTP/2, bytes between requests do not begin a head.
        let head = if self.multiplexed.load(Ordering::Relaxed) {
            0
        } else {
            self.head_since.load(Ordering::Relaxed)
        };
        longer(self.quiet_since.load(Ordering::Relaxed), silence)
            || (head > 0 && longer(head, limits.header_time))
    }

    /// Whether the client stops responses from being sent. On HTTP/2 it can do so without blocking
    /// the connection, through the flow-control window of each stream. Time in which the gateway
    /// still produces a response has its own limit.
    fn is_stalled(&self, limits: &Limits, longest: impl Fn() -> Duration) -> bool {
        let moved_at = self.moved_at.load(Ordering::Relaxed);
        if !self.multiplexed.load(Ordering::Relaxed) || !self.is_longer(moved_at, limits.idle_time)
        {
            return false;
        }
        // Even a response that is still being produced is waited for no longer than any request may
        // take.
        self.awaited.load(Ordering::Relaxed) == 0
            || self.is_longer(moved_at, limits.idle_time + longest())
    }

    fn is_longer(&self, since: u64, limit: Duration) -> bool {
        Duration::from_millis(self.now().saturating_sub(since)) > limit
    }
}

/// A request that is running, until the client has taken the last byte of its response.
struct InFlightRequest {
    activity: Arc<ConnectionActivity>,
    /// Whether the client waits for the gateway.
    is_awaited: bool,
}

impl InFlightRequest {
    fn start(activity: Arc<ConnectionActivity>, version: Version) -> InFlightRequest {
        activity.running.fetch_add(1, Ordering::Relaxed);
        activity.awaited.fetch_add(1, Ordering::Relaxed);
        activity.spoken.store(true, Ordering::Relaxed);
        activity
            .multiplexed
            .store(version >= Version::HTTP_2, Ordering::Relaxed);
        activity.head_since.store(0, Ordering::Relaxed);
        activity.head_bytes.store(0, Ordering::Relaxed);
        activity.touch();
        InFlightRequest {
            activity,
            is_awaited: true,
        }
    }

    /// The response, or its next part, is ready: now the gateway waits for the client.
    fn response_ready(&mut self) {
        if std::mem::replace(&mut self.is_awaited, false) {
            self.activity.awaited.fetch_sub(1, Ordering::Relaxed);
        }
        self.activity.touch();
    }

    /// The client is ready for the next part, which the gateway has not produced yet.
    fn wait(&mut self) {
        if !std::mem::replace(&mut self.is_awaited, true) {
            self.activity.awaited.fetch_add(1, Ordering::Relaxed);
        }
        self.activity.touch();
    }
}

impl Drop for InFlightRequest {
    fn drop(&mut self) {
        self.response_ready();
        self.activity
            .quiet_since
            .store(self.activity.now(), Ordering::Relaxed);
        self.activity.running.fetch_sub(1, Ordering::Relaxed);
    }
}

type ConnectionBody = ReservedBody<PacedBody<ResponseBody>>;

/// A response body that keeps its request counted as running.
struct ReservedBody<B> {
    body: B,
    running: InFlightRequest,
    /// The request's reservation. It lives until the last long part of the response has been sent.
    memory: Option<RequestMemory>,
}

/// Parts of at most so many bytes do not keep the reservation until they are sent. What a
/// connection buffers of them is bounded: on HTTP/1 by hyper's buffer, on HTTP/2 by the number of
/// streams.
const MAX_UNRESERVED_PART_BYTES: usize = 1 << 10;

/// Bytes of a response that have not been sent, with the reservation that covers them.
struct UnsentBytes {
    bytes: Bytes,
    _memory: RequestMemory,
}

impl AsRef<[u8]> for UnsentBytes {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl<B: http_body::Body<Data = Bytes> + Unpin> http_body::Body for ReservedBody<B> {
    type Data = Bytes;
    type Error = B::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, B::Error>>> {
        let ReservedBody {
            body,
            running,
            memory,
        } = &mut *self;
        let frame = Pin::new(body).poll_frame(cx);
        match &frame {
            Poll::Ready(_) => running.response_ready(),
            Poll::Pending => running.wait(),
        }
        let is_long = |bytes: &Bytes| bytes.len() > MAX_UNRESERVED_PART_BYTES;
        let Poll::Ready(Some(Ok(part))) = &frame else {
            return frame;
        };
        let Some(memory) = memory
            .as_ref()
            .filter(|_| part.data_ref().is_some_and(is_long))
        else {
            return frame;
        };
        let unsent = |bytes| {
            Bytes::from_owner(UnsentBytes {
                bytes,
                _memory: memory.clone(),
            })
        };
        frame.map(|frame| frame.map(|frame| frame.map(|frame| frame.map_data(unsent))))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// A stream that records when bytes are read and written.
struct MonitoredStream {
    stream: ClientStream,
    activity: Arc<ConnectionActivity>,
    app: Arc<App>,
    peer: Option<SocketAddr>,
    /// The response to a head that hyper refuses, which replaces hyper's.
    refusal: Option<RefusedHead>,
}

impl MonitoredStream {
    /// If these bytes are hyper's refusal of a head, writes the gateway's in their place; otherwise
    /// returns `None`.
    fn send_refusal(
        &mut self,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Option<Poll<std::io::Result<()>>> {
        if self.refusal.is_none() && self.activity.is_idle() {
            let received = self.activity.head_bytes.load(Ordering::Relaxed);
            let profile = self.app.profile;
            if let Some((refusal, error)) = RefusedHead::from_head(bytes, received, profile) {
                head_limit::record(
                    &error,
                    self.peer.map(|peer| peer.ip()),
                    &self.app.metrics,
                    profile,
                );
                self.refusal = Some(refusal);
            }
        }
        let refusal = self.refusal.as_mut()?;
        Some(refusal.write(&mut self.stream, cx))
    }
}

impl AsyncRead for MonitoredStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<std::io::Result<()>> {
        let before = buffer.filled().len();
        let read = Pin::new(&mut self.stream).poll_read(cx, buffer);
        let received = buffer.filled().len() - before;
        if received > 0 {
            self.activity.bytes_received(received);
        }
        read
    }
}

impl AsyncWrite for MonitoredStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<std::io::Result<usize>> {
        let written = match self.send_refusal(cx, bytes) {
            None => Pin::new(&mut self.stream).poll_write(cx, bytes),
            Some(refused) => refused.map_ok(|()| bytes.len()),
        };
        self.activity.wrote(&written);
        written
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<std::io::Result<()>> {
        let MonitoredStream {
            stream, refusal, ..
        } = &mut *self;
        ready!(Pin::new(&mut *stream).poll_shutdown(cx))?;
        if let Some(refusal) = refusal {
            ready!(refusal.drain(stream, cx));
        }
        Poll::Ready(Ok(()))
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        slices: &[std::io::IoSlice<'_>],
    ) -> Poll<std::io::Result<usize>> {
        let first = slices.first().map(|slice| &**slice).unwrap_or_default();
        let written = match self.send_refusal(cx, first) {
            None => Pin::new(&mut self.stream).poll_write_vectored(cx, slices),
            Some(refused) => refused.map_ok(|()| slices.iter().map(|slice| slice.len()).sum()),
        };
        self.activity.wrote(&written);
        written
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits() -> Limits {
        let header_time = Duration::from_millis(50);
        let idle_time = Duration::from_millis(400);
        Limits {
            header_time,
            idle_time,
            ..Limits::default()
        }
    }

    async fn ends_within(activity: &ConnectionActivity, ms: u64) -> bool {
        tokio::time::timeout(
            Duration::from_millis(ms),
            activity.end(&limits(), || Duration::from_millis(400)),
        )
        .await
        .is_ok()
    }

    #[tokio::test]
    async fn connection_without_request_ends_after_header_time() {
        assert!(ends_within(&ConnectionActivity::new(), 200).await);
    }

    #[tokio::test]
    async fn running_request_keeps_connection_and_idle_time_starts_after_it() {
        let activity = Arc::new(ConnectionActivity::new());
        let running = InFlightRequest::start(activity.clone(), Version::HTTP_11);
        assert!(!ends_within(&activity, 200).await);
        drop(running);
        assert!(!ends_within(&activity, 200).await);
        assert!(ends_within(&activity, 600).await);
    }

    #[tokio::test]
    async fn blocked_write_ends_connection_after_idle_time() {
        let activity = Arc::new(ConnectionActivity::new());
        let _running = InFlightRequest::start(activity.clone(), Version::HTTP_11);
        activity.wrote(&Poll::<()>::Pending);
        assert!(!ends_within(&activity, 200).await);
        assert!(ends_within(&activity, 600).await);
        activity.wrote(&Poll::Ready(()));
        assert!(!ends_within(&activity, 200).await);
    }

    #[tokio::test]
    async fn http2_client_that_stops_reading_ends_connection() {
        let activity = Arc::new(ConnectionActivity::new());
        let mut running = InFlightRequest::start(activity.clone(), Version::HTTP_2);
        assert!(
            !ends_within(&activity, 600).await,
            "it is the gateway that is awaited"
        );
        running.response_ready();
        assert!(!ends_within(&activity, 200).await);
        running.response_ready();
        assert!(!ends_within(&activity, 300).await, "it has taken a part");
        assert!(ends_within(&activity, 400).await);
    }

    #[tokio::test]
    async fn awaited_part_has_idle_time_plus_request_time() {
        let activity = Arc::new(ConnectionActivity::new());
        let mut running = InFlightRequest::start(activity.clone(), Version::HTTP_2);
        running.response_ready();
        running.wait();
        assert!(!ends_within(&activity, 600).await);
        assert!(ends_within(&activity, 600).await);
        drop(running);
        assert_eq!(
            (
                activity.running.load(Ordering::Relaxed),
                activity.awaited.load(Ordering::Relaxed)
            ),
            (0, 0)
        );
        let _second = InFlightRequest::start(activity.clone(), Version::HTTP_2);
        assert!(!activity.is_idle());
    }

    #[tokio::test]
    async fn incomplete_head_ends_http1_connection_after_header_time() {
        let activity = Arc::new(ConnectionActivity::new());
        drop(InFlightRequest::start(activity.clone(), Version::HTTP_11));
        activity.bytes_received(1);
        assert!(ends_within(&activity, 250).await);
        let activity = Arc::new(ConnectionActivity::new());
        drop(InFlightRequest::start(activity.clone(), Version::HTTP_2));
        activity.bytes_received(1);
        assert!(
            !ends_within(&activity, 200).await,
            "bytes between streams are no head"
        );
    }
}

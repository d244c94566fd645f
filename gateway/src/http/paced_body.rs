//! The body of a response that is sent only as fast as its client reads. What the client has not
//! asked for yet stays here, and while much of the memory is reserved, a body whose client does not
//! read it is given up. So answers that are never read do not hold the memory of others, whether
//! the client stops the connection or, on HTTP/2, one stream.
//!
//! Short bodies pass through: the request's own reservation covers them.

use std::error::Error;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http_body::{Frame, SizeHint};
use pg::memory::{MemoryBudget, REQUEST_BYTES};
use prometheus::IntCounter;
use tokio::time::Instant;

use crate::limits::LimitExceeded;

/// How long a client may read nothing, or less than the minimum rate.
const STALLED_CLIENT_TIMEOUT: Duration = Duration::from_secs(5);

/// How often it is checked.
const CHECK_INTERVAL: Duration = Duration::from_secs(1);

/// Bodies of a known length up to this many bytes are sent as they are.
const MAX_UNPACED_BYTES: u64 = 256 << 10;

/// A long part is sent in copied pieces of this many bytes: a piece that waits in the connection's
/// buffers must not keep the whole part in memory.
const PIECE_BYTES: usize = REQUEST_BYTES;

/// A body that may be given up.
pub(super) enum PacedBody<B> {
    /// One that passes through.
    Short(B),
    /// One that is given up if its client does not read.
    Long(Arc<Mutex<LongBody<B>>>),
}

/// A long body and the pace at which its client reads it.
pub(super) struct LongBody<B> {
    /// `None` once it is given up.
    body: Option<B>,
    /// The rest of a part that is sent in pieces.
    rest: Bytes,
    /// The bytes that the client was given last.
    given: usize,
    /// The minimum rate in bytes per second.
    rate: usize,
    /// When the client becomes too slow; `None` while the body has nothing for it.
    due: Option<Instant>,
}

/// The error type of a body.
type BodyError = Box<dyn Error + Send + Sync>;

impl<B> PacedBody<B>
where
    B: http_body::Body<Data = Bytes> + Unpin + Send + 'static,
    B::Error: Into<BodyError>,
{
    /// Paces a body whose client has to read at this rate, in bytes per second, while the memory is
    /// busy. `unread` counts bodies that are given up.
    pub(super) fn new(
        body: B,
        memory: MemoryBudget,
        rate: usize,
        unread: IntCounter,
    ) -> PacedBody<B> {
        if body
            .size_hint()
            .exact()
            .is_some_and(|length| length <= MAX_UNPACED_BYTES)
        {
            return PacedBody::Short(body);
        }
        let due = Some(Instant::now() + STALLED_CLIENT_TIMEOUT);
        let long = LongBody {
            body: Some(body),
            rest: Bytes::new(),
            given: 0,
            rate: rate.max(1),
            due,
        };
        let long = Arc::new(Mutex::new(long));
        tokio::spawn(watch(Arc::downgrade(&long), memory, unread));
        PacedBody::Long(long)
    }
}

/// Gives a body up when its client is too slow while the memory is busy. The connection's buffers
/// keep a piece of it, and the client gets an error when it asks for the next.
async fn watch<B>(body: Weak<Mutex<LongBody<B>>>, memory: MemoryBudget, unread: IntCounter) {
    loop {
        tokio::time::sleep(CHECK_INTERVAL).await;
        let Some(body) = body.upgrade() else { return };
        let given_up = lock(&body).give_up(Instant::now(), memory);
        if given_up.is_some() {
            // Dropped outside the lock, since it may be large.
            drop(given_up);
            unread.inc();
            return;
        }
    }
}

impl<B> LongBody<B> {
    fn give_up(&mut self, now: Instant, memory: MemoryBudget) -> Option<(B, Bytes)> {
        if !memory.is_busy() || self.due.is_none_or(|due| due > now) {
            return None;
        }
        Some((self.body.take()?, std::mem::take(&mut self.rest)))
    }

    /// Records that the client asks for more, so that it has taken what it was given.
    fn take(&mut self, now: Instant) {
        let worth = Duration::from_secs_f64(self.given as f64 / self.rate as f64);
        self.due = self
            .due
            .map(|due| (due + worth).min(now + STALLED_CLIENT_TIMEOUT));
        self.given = 0;
    }

    /// The next piece of the rest.
    fn piece(&mut self) -> Option<Bytes> {
        if self.rest.len() > 2 * PIECE_BYTES {
            return Some(Bytes::copy_from_slice(&self.rest.split_to(PIECE_BYTES)));
        }
        (!self.rest.is_empty()).then(|| std::mem::take(&mut self.rest))
    }
}

impl<B> LongBody<B>
where
    B: http_body::Body<Data = Bytes> + Unpin,
    B::Error: Into<BodyError>,
{
    fn poll_frame(
        &mut self,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        let now = Instant::now();
        self.take(now);
        if self.rest.is_empty() {
            let Some(body) = &mut self.body else {
                return Poll::Ready(Some(Err(LimitExceeded::ReadRate(self.rate).into())));
            };
            match Pin::new(body).poll_frame(cx) {
                Poll::Pending => {
                    self.due = None;
                    return Poll::Pending;
                }
                Poll::Ready(Some(Ok(frame))) => match frame.into_data() {
                    Ok(data) => self.rest = data,
                    Err(trailers) => return Poll::Ready(Some(Ok(trailers))),
                },
                Poll::Ready(ended) => {
                    return Poll::Ready(ended.map(|frame| frame.map_err(Into::into)));
                }
            }
        }
        self.due.get_or_insert(now + STALLED_CLIENT_TIMEOUT);
        let piece = self.piece().unwrap_or_default();
        self.given = piece.len();
        Poll::Ready(Some(Ok(Frame::data(piece))))
    }
}

impl<B> http_body::Body for PacedBody<B>
where
    B: http_body::Body<Data = Bytes> + Unpin,
    B::Error: Into<BodyError>,
{
    type Data = Bytes;
    type Error = BodyError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
        match &mut *self {
            PacedBody::Short(body) => Pin::new(body).poll_frame(cx).map_err(Into::into),
            PacedBody::Long(body) => lock(body).poll_frame(cx),
        }
    }

    fn is_end_stream(&self) -> bool {
        match self {
            PacedBody::Short(body) => body.is_end_stream(),
            PacedBody::Long(body) => {
                let long = lock(body);
                long.rest.is_empty() && long.body.as_ref().is_some_and(B::is_end_stream)
            }
        }
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            PacedBody::Short(body) => body.size_hint(),
            PacedBody::Long(body) => {
                let long = lock(body);
                let Some(hint) = long.body.as_ref().map(B::size_hint) else {
                    return SizeHint::default();
                };
                hint.exact().map_or(hint, |exact| {
                    SizeHint::with_exact(exact + long.rest.len() as u64)
                })
            }
        }
    }
}

fn lock<B>(body: &Mutex<LongBody<B>>) -> MutexGuard<'_, LongBody<B>> {
    body.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use futures_util::poll;
    use http_body_util::BodyExt;
    use pg::NoObserver;

    use super::*;

    /// Parts of a body of unknown length.
    struct Parts(VecDeque<Bytes>);

    impl http_body::Body for Parts {
        type Data = Bytes;
        type Error = BodyError;

        fn poll_frame(
            mut self: Pin<&mut Self>,
            _: &mut Context<'_>,
        ) -> Poll<Option<Result<Frame<Bytes>, BodyError>>> {
            self.0.pop_front().map_or(Poll::Pending, |part| {
                Poll::Ready(Some(Ok(Frame::data(part))))
            })
        }
    }

    fn long(parts: &[usize]) -> LongBody<Parts> {
        let parts = Parts(parts.iter().map(|length| vec![7; *length].into()).collect());
        let due = Some(Instant::now() + STALLED_CLIENT_TIMEOUT);
        LongBody {
            body: Some(parts),
            rest: Bytes::new(),
            given: 0,
            rate: PIECE_BYTES,
            due,
        }
    }

    fn busy() -> (MemoryBudget, pg::memory::Reservation) {
        let budget = MemoryBudget::new(4 << 20, Arc::new(NoObserver));
        let held = budget.reserve(2 << 20).unwrap();
        (budget, held)
    }

    #[tokio::test]
    async fn long_part_is_sent_in_pieces_and_given_up_between_them() {
        let (budget, held) = busy();
        let body = Arc::new(Mutex::new(long(&[5 * PIECE_BYTES])));
        let mut paced = PacedBody::Long(body.clone());
        let piece = paced.frame().await.unwrap().unwrap().into_data().unwrap();
        assert_eq!(piece.len(), PIECE_BYTES);
        let late = Instant::now() + STALLED_CLIENT_TIMEOUT + CHECK_INTERVAL;
        assert!(
            lock(&body).give_up(Instant::now(), budget).is_none(),
            "the client has time"
        );
        drop(held);
        assert!(
            lock(&body).give_up(late, budget).is_none(),
            "the memory is not busy"
        );
        let _held = budget.reserve(2 << 20).unwrap();
        assert!(lock(&body).give_up(late, budget).is_some());
        assert!(paced.frame().await.unwrap().is_err());
    }

    #[tokio::test]
    async fn time_without_a_part_to_send_does_not_count() {
        let (budget, _held) = busy();
        let body = Arc::new(Mutex::new(long(&[100])));
        let mut paced = PacedBody::Long(body.clone());
        paced.frame().await.unwrap().unwrap();
        assert!(poll!(Box::pin(paced.frame())).is_pending());
        let late = Instant::now() + STALLED_CLIENT_TIMEOUT + CHECK_INTERVAL;
        assert!(lock(&body).give_up(late, budget).is_none());
    }
}

//! Timeouts that create a timer only if the future is not ready on its first poll.

use std::pin::pin;
use std::task::Poll;
use std::time::Duration;

use tokio::time::{Instant, sleep_until};

/// How long to wait for a lost database, within the deadline of the request.
pub(crate) const RECONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// Awaits a future until a deadline; `None` if the deadline passes first.
pub async fn timeout_at<F: Future>(deadline: Instant, awaited: F) -> Option<F::Output> {
    wait(|| deadline, awaited).await
}

/// Awaits a future for a time that starts when its first poll is pending; `None` if the time is
/// over first.
pub async fn timeout<F: Future>(time: Duration, awaited: F) -> Option<F::Output> {
    wait(|| Instant::now() + time, awaited).await
}

async fn wait<F: Future>(deadline: impl Fn() -> Instant, awaited: F) -> Option<F::Output> {
    let mut awaited = pin!(awaited);
    let mut timer = pin!(None);
    std::future::poll_fn(|cx| {
        if let Poll::Ready(output) = awaited.as_mut().poll(cx) {
            return Poll::Ready(Some(output));
        }
        if timer.is_none() {
            timer.set(Some(sleep_until(deadline())));
        }
        match timer.as_mut().as_pin_mut().map(|timer| timer.poll(cx)) {
            Some(Poll::Pending) => Poll::Pending,
            _ => Poll::Ready(None),
        }
    })
    .await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn expired_deadline_still_polls_once() {
        let past = Instant::now() - Duration::from_secs(1);
        assert_eq!(timeout_at(past, async { 1 }).await, Some(1));
        assert_eq!(timeout_at(past, std::future::pending::<()>()).await, None);
    }

    #[tokio::test]
    async fn timeout_returns_the_output_or_none() {
        let short = Duration::from_millis(20);
        let after = |time| async move { tokio::time::sleep(time).await };
        assert_eq!(
            timeout(Duration::from_secs(20), after(short)).await,
            Some(())
        );
        assert_eq!(timeout(short, after(Duration::from_secs(20))).await, None);
    }
}

//! A circuit breaker: after several failures in a row a handler is not called for a while, so that
//! requests fail at once instead of waiting for it. Then a single call is let through, and its
//! outcome decides. <https://martinfowler.com/bliki/CircuitBreaker.html>

use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

/// The circuit breaker of one handler.
#[derive(Debug)]
pub(super) struct CircuitBreaker {
    /// How many failures in a row open it; 0 means none does.
    failures: u64,
    /// How long it stays open.
    pause: Duration,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// Failures in a row.
    failed: u64,
    /// While it is open: when the next call is let through.
    open_until: Option<Instant>,
}

impl CircuitBreaker {
    pub(super) fn new(failures: u64, pause: Duration) -> CircuitBreaker {
        CircuitBreaker {
            failures,
            pause,
            state: Mutex::default(),
        }
    }

    /// Whether a call may be made. An open breaker admits one call after each pause.
    pub(super) fn admits(&self, now: Instant) -> bool {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        match state.open_until {
            Some(until) if until > now => false,
            Some(_) => {
                // If the call ends without an outcome, the next one is admitted after another
                // pause.
                state.open_until = Some(now + self.pause);
                true
            }
            None => true,
        }
    }

    /// Records the outcome of a call.
    pub(super) fn record(&self, is_success: bool, now: Instant) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if is_success {
            *state = State::default();
            return;
        }
        state.failed += 1;
        if self.failures > 0 && state.failed >= self.failures {
            state.open_until = Some(now + self.pause);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn open_breaker_admits_one_call_after_the_pause() {
        let breaker = CircuitBreaker::new(2, Duration::from_secs(10));
        let now = Instant::now();
        breaker.record(false, now);
        assert!(breaker.admits(now));
        breaker.record(false, now);
        assert!(!breaker.admits(now));
        let later = now + Duration::from_secs(11);
        assert!(breaker.admits(later) && !breaker.admits(later));
        breaker.record(true, later);
        assert!(breaker.admits(later) && breaker.admits(later));
    }
}

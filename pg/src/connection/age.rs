//! How long connections are kept, by a clock that requests read without a system call.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use deadpool::managed::Metrics;

/// How long the connections of a pool are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ConnectionLimits {
    /// How long a connection may be idle; zero for any time.
    pub idle: Duration,
    /// How old it may become; zero for any age.
    pub age: Duration,
}

/// The age of the pool in ticks of the upkeep. Requests compare it with that of their connection,
/// which takes no clock.
#[derive(Clone, Debug, Default)]
pub(crate) struct Ticks(Arc<AtomicU64>);

/// The tick from which a connection is not used any more.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LastTick(u64);

/// The longest time between two looks at the idle connections.
const MAX_CHECK_INTERVAL: Duration = Duration::from_secs(5);

/// A fraction of the age, by which connections that were opened together end at different times.
const AGE_SPREAD: f64 = 0.2;

impl ConnectionLimits {
    /// Whether any connection is closed by them.
    pub(crate) fn is_set(self) -> bool {
        !self.idle.is_zero() || !self.age.is_zero()
    }

    /// The time between two looks: a tenth of the shorter limit at most.
    pub(crate) fn interval(self) -> Duration {
        let limits = [self.idle, self.age]
            .into_iter()
            .filter(|limit| !limit.is_zero());
        let shortest = limits
            .map(|limit| limit / 10)
            .min()
            .unwrap_or(MAX_CHECK_INTERVAL);
        shortest.clamp(Duration::from_millis(50), MAX_CHECK_INTERVAL)
    }

    pub(crate) fn permit_idle(self, metrics: &Metrics) -> bool {
        self.idle.is_zero() || metrics.last_used() < self.idle
    }
}

impl Ticks {
    fn now(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }

    /// Begins the next tick.
    pub(crate) fn advance(&self) {
        self.0.fetch_add(1, Ordering::Relaxed);
    }

    /// The last tick of a connection that is opened now.
    pub(crate) fn last_of(&self, limits: ConnectionLimits) -> LastTick {
        if limits.age.is_zero() {
            return LastTick(u64::MAX);
        }
        let shortened = limits.age.mul_f64(1.0 - AGE_SPREAD * rand::random::<f64>());
        let ticks = shortened.as_secs_f64() / limits.interval().as_secs_f64();
        LastTick(self.now() + ticks as u64 + 1)
    }

    /// Whether a connection is young enough to be used.
    #[inline]
    pub(crate) fn permit(&self, last: LastTick) -> bool {
        self.now() < last.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_that_were_opened_together_end_at_different_times_before_their_age() {
        let limits = ConnectionLimits {
            idle: Duration::from_secs(180),
            age: Duration::from_secs(600),
        };
        assert_eq!(limits.interval(), MAX_CHECK_INTERVAL);
        let ticks = Ticks::default();
        let ends: Vec<u64> = (0..100).map(|_| ticks.last_of(limits).0).collect();
        let first = *ends.iter().min().unwrap();
        let last = *ends.iter().max().unwrap();
        assert!(96 <= first && first < last && last <= 121, "{first} {last}");
        let end = ticks.last_of(limits);
        assert!(ticks.permit(end));
        ticks.0.store(end.0, Ordering::Relaxed);
        assert!(!ticks.permit(end));
        assert!(
            ticks.permit(ticks.last_of(ConnectionLimits::default())),
            "without a limit"
        );
    }
}

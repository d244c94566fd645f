//! When a failed delivery is tried again: exponential backoff with full jitter, so that events that
//! failed together do not come back together.
//! <https://aws.amazon.com/blogs/architecture/exponential-backoff-and-jitter/>

use std::time::Duration;

/// The pauses between the attempts to deliver an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Backoff {
    /// The longest pause after the first attempt. It doubles with each further attempt.
    pub(super) interval: Duration,
    /// The longest pause of all.
    pub(super) max_interval: Duration,
}

impl Backoff {
    /// The pause after this attempt, the first of which is 1; `random` is from 0 to 1.
    pub(super) fn pause(self, attempt: u32, random: f64) -> Duration {
        let doublings = attempt.saturating_sub(1).min(31);
        let longest = self
            .interval
            .saturating_mul(1 << doublings)
            .min(self.max_interval);
        longest.mul_f64(random.clamp(0.0, 1.0))
    }
}

#[cfg(test)]
mod tests {
    use rand::rngs::StdRng;
    use rand::{RngExt, SeedableRng};

    use super::*;

    const BACKOFF: Backoff = Backoff {
        interval: Duration::from_secs(10),
        max_interval: Duration::from_secs(3600),
    };

    #[test]
    fn longest_pause_doubles_up_to_the_maximum() {
        let longest: Vec<u64> = (1..=12)
            .map(|attempt| BACKOFF.pause(attempt, 1.0).as_secs())
            .collect();
        assert_eq!(
            longest,
            [10, 20, 40, 80, 160, 320, 640, 1280, 2560, 3600, 3600, 3600]
        );
        assert_eq!(BACKOFF.pause(u32::MAX, 1.0), BACKOFF.max_interval);
        assert_eq!(BACKOFF.pause(5, 0.0), Duration::ZERO);
    }

    #[test]
    fn pauses_fill_the_whole_interval() {
        let mut random = StdRng::seed_from_u64(7);
        let pauses: Vec<Duration> = (0..10_000)
            .map(|_| BACKOFF.pause(3, random.random()))
            .collect();
        assert!(pauses.iter().all(|pause| *pause <= Duration::from_secs(40)));
        let mean = pauses.iter().sum::<Duration>().as_secs_f64() / 10_000.0;
        assert!((19.0..21.0).contains(&mean), "{mean}");
        for quarter in 0..4 {
            let from = Duration::from_secs(quarter * 10);
            let count = pauses
                .iter()
                .filter(|pause| (from..from + Duration::from_secs(10)).contains(*pause))
                .count();
            assert!((2_300..2_700).contains(&count), "{quarter}: {count}");
        }
    }
}

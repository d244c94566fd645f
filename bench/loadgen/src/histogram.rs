//! A histogram of durations with a fixed size and an error of about half a percent.

use std::time::Duration;

/// Each power of two has this many buckets, given as a power of two.
const BUCKET_BITS: u32 = 7;
const BUCKETS_PER_POWER: usize = 1 << BUCKET_BITS;

/// Longer durations count as this power of two of nanoseconds, which is 18 minutes.
const LARGEST_POWER: u32 = 40;

const BUCKET_COUNT: usize = (LARGEST_POWER - BUCKET_BITS + 1) as usize * BUCKETS_PER_POWER;

/// A histogram of durations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Histogram {
    buckets: Vec<u64>,
    count: u64,
    sum: u128,
    max: u64,
}

impl Default for Histogram {
    fn default() -> Histogram {
        Histogram {
            buckets: vec![0; BUCKET_COUNT],
            count: 0,
            sum: 0,
            max: 0,
        }
    }
}

impl Histogram {
    /// Records a duration.
    pub fn record(&mut self, duration: Duration) {
        let nanos = u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX);
        if let Some(bucket) = self.buckets.get_mut(bucket_index(nanos)) {
            *bucket += 1;
        }
        self.count += 1;
        self.sum += u128::from(nanos);
        self.max = self.max.max(nanos);
    }

    /// The number of recorded durations.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The duration that this share of all, from 0 to 1, does not exceed; zero if none were
    /// recorded.
    pub fn quantile(&self, share: f64) -> Duration {
        let rank = (share.clamp(0.0, 1.0) * self.count as f64).ceil().max(1.0) as u64;
        let mut seen = 0;
        for (index, count) in self.buckets.iter().enumerate() {
            seen += count;
            if seen >= rank {
                return Duration::from_nanos(middle(index).min(self.max));
            }
        }
        Duration::ZERO
    }

    /// The median.
    pub fn p50(&self) -> Duration {
        self.quantile(0.5)
    }

    /// The 99th percentile.
    pub fn p99(&self) -> Duration {
        self.quantile(0.99)
    }

    /// The 99.9th percentile.
    pub fn p999(&self) -> Duration {
        self.quantile(0.999)
    }

    /// The exact maximum.
    pub fn max(&self) -> Duration {
        Duration::from_nanos(self.max)
    }

    /// The exact mean.
    pub fn mean(&self) -> Duration {
        let mean = self.sum / u128::from(self.count.max(1));
        Duration::from_nanos(u64::try_from(mean).unwrap_or(u64::MAX))
    }
}

/// The bucket of a number: the number itself below two times `BUCKETS_PER_POWER`, above that its
/// leading bits.
fn bucket_index(nanos: u64) -> usize {
    let nanos = nanos.min((1 << LARGEST_POWER) - 1);
    let shift = (u64::BITS - nanos.leading_zeros()).saturating_sub(BUCKET_BITS + 1);
    shift as usize * BUCKETS_PER_POWER + (nanos >> shift) as usize
}

/// The number in the middle of a bucket.
fn middle(index: usize) -> u64 {
    let shift = (index / BUCKETS_PER_POWER).saturating_sub(1);
    let leading = (index - shift * BUCKETS_PER_POWER) as u64;
    (leading << shift) + ((1 << shift) >> 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bucket_error_is_within_half_a_percent() {
        for nanos in (0..1 << 13).chain((0..4000).map(|step| 1000 + step * step * 60_000)) {
            let estimate = middle(bucket_index(nanos));
            assert!(
                estimate.abs_diff(nanos) as f64 <= nanos as f64 * 0.005,
                "{nanos} was estimated as {estimate}"
            );
        }
        assert!(bucket_index(u64::MAX) < BUCKET_COUNT);
    }

    #[test]
    fn bucket_numbers_are_contiguous() {
        let mut last = 0;
        for nanos in 1..100_000 {
            let here = bucket_index(nanos);
            assert!(
                here == last || here == last + 1,
                "{nanos} is in bucket {here}, the one before it in {last}"
            );
            last = here;
        }
    }

    #[test]
    fn quantiles_match_the_recorded_values() {
        let mut seen = Histogram::default();
        (1..=1000).for_each(|micros| seen.record(Duration::from_micros(micros)));
        let close = |estimate: Duration, micros: f64| {
            (estimate.as_secs_f64() * 1e6 / micros - 1.0).abs() < 0.01
        };
        assert!(
            close(seen.p50(), 500.0) && close(seen.p99(), 990.0),
            "{:?} {:?}",
            seen.p50(),
            seen.p99()
        );
        assert_eq!((seen.count(), seen.max()), (1000, Duration::from_millis(1)));
        assert!(close(seen.mean(), 500.5));
        assert_eq!(seen.quantile(1.0), seen.max());
        assert_eq!(Histogram::default().p99(), Duration::ZERO);
    }
}

//! The store of a rule's buckets: for each key the time at which its bucket is full again. The
//! number of keys is limited; the keys closest to a full bucket are evicted first, because they
//! lose least, and emptied buckets last.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use governor::clock::Clock;
use governor::nanos::Nanos;
use governor::state::StateStore;

/// The key of a bucket: an address, or a digest of the key's parts. Digests shorten long values and
/// hide secret ones.
pub(super) type Key = [u8; 16];

/// The most keys of a rule.
pub(super) const MAX_KEYS: usize = 100_000;

/// A power of two, so that a few bits of the hash select the shard.
const SHARD_COUNT: usize = 16;

/// The time since the rule was made.
#[derive(Clone, Copy, Debug)]
pub(super) struct MonotonicClock(Instant);

/// A bounded store of the states that `governor` computes. Clones share one store.
#[derive(Clone, Debug)]
pub(super) struct BoundedStateStore {
    shards: Arc<[Mutex<Shard>]>,
    hasher: foldhash::fast::RandomState,
    /// The most keys of a shard.
    remaining: usize,
    ticks: MonotonicClock,
}

/// For each key the time at which its bucket is full, in nanoseconds.
type Shard = HashMap<Key, u64, foldhash::fast::RandomState>;

impl MonotonicClock {
    /// Starts the clock.
    pub(super) fn start() -> MonotonicClock {
        MonotonicClock(Instant::now())
    }
}

impl Clock for MonotonicClock {
    type Instant = Duration;

    fn now(&self) -> Duration {
        self.0.elapsed()
    }
}

impl BoundedStateStore {
    /// Creates a store for this many keys.
    pub(super) fn new(remaining: usize, ticks: MonotonicClock) -> BoundedStateStore {
        let shards = (0..SHARD_COUNT).map(|_| Mutex::default()).collect();
        BoundedStateStore {
            shards,
            hasher: foldhash::fast::RandomState::default(),
            remaining: (remaining / SHARD_COUNT).max(1),
            ticks,
        }
    }

    /// When the bucket of a key is full; none for an unknown key, whose bucket is full.
    pub(super) fn full_at(&self, key: &Key) -> Option<Duration> {
        self.shard(key)?
            .get(key)
            .map(|nanos| Duration::from_nanos(*nanos))
    }

    /// Moves the time at which a bucket is full this much earlier. A full bucket is removed.
    pub(super) fn refund(&self, key: &Key, time: Duration) {
        let nanos = u64::try_from(time.as_nanos()).unwrap_or(u64::MAX);
        let now = u64::try_from(self.ticks.now().as_nanos()).unwrap_or(u64::MAX);
        let Some(mut shard) = self.shard(key) else {
            return;
        };
        let Some(full_at) = shard.get_mut(key) else {
            return;
        };
        *full_at = full_at.saturating_sub(nanos);
        if *full_at <= now {
            shard.remove(key);
        }
    }

    fn shard(&self, key: &Key) -> Option<MutexGuard<'_, Shard>> {
        use std::hash::BuildHasher;
        let index = self.hasher.hash_one(key) as usize % SHARD_COUNT;
        Some(
            self.shards
                .get(index)?
                .lock()
                .unwrap_or_else(PoisonError::into_inner),
        )
    }

    /// Evicts the keys whose buckets are full; if there are none, the eighth of the keys closest to
    /// it.
    fn shrink(&self, shard: &mut Shard) {
        let now = self.ticks.now().as_nanos() as u64;
        shard.retain(|_, full_at| *full_at > now);
        if shard.len() < self.remaining {
            return;
        }
        let mut times: Vec<u64> = shard.values().copied().collect();
        let last = times.len() / 8;
        let (_, last, _) = times.select_nth_unstable(last);
        let last = *last;
        // Many keys may have an equal time, and only an eighth is evicted.
        let mut spare = self.remaining / 8 + 1;
        shard.retain(|_, full_at| {
            let goes = *full_at <= last && spare > 0;
            spare -= usize::from(goes);
            !goes
        });
    }
}

impl StateStore for BoundedStateStore {
    type Key = Key;

    fn measure_and_replace<T, F, E>(&self, key: &Key, decide: F) -> Result<T, E>
    where
        F: Fn(Option<Nanos>) -> Result<(T, Nanos), E>,
    {
        let Some(mut shard) = self.shard(key) else {
            return decide(None).map(|(outcome, _)| outcome);
        };
        let known = shard.get_mut(key);
        let (outcome, full_at) = decide(known.as_deref().map(|nanos| Nanos::new(*nanos)))?;
        match known {
            Some(nanos) => *nanos = full_at.as_u64(),
            None => {
                if shard.len() >= self.remaining {
                    self.shrink(&mut shard);
                }
                shard.insert(*key, full_at.as_u64());
            }
        }
        Ok(outcome)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: u64 = 3_600_000_000_000;

    fn store(keys: &BoundedStateStore, key: u32, full_at: u64) {
        let mut bytes = [0; 16];
        bytes[..4].copy_from_slice(&key.to_le_bytes());
        let _ = keys.measure_and_replace(&bytes, |_| Ok::<_, ()>(((), Nanos::new(full_at))));
    }

    fn knows(keys: &BoundedStateStore, key: u32) -> bool {
        let mut bytes = [0; 16];
        bytes[..4].copy_from_slice(&key.to_le_bytes());
        keys.full_at(&bytes).is_some()
    }

    fn len(keys: &BoundedStateStore) -> usize {
        keys.shards
            .iter()
            .map(|shard| shard.lock().unwrap().len())
            .sum()
    }

    #[test]
    fn number_of_keys_is_limited() {
        let keys = BoundedStateStore::new(1600, MonotonicClock::start());
        for key in 0..100_000 {
            store(&keys, key, HOUR);
        }
        assert!((1000..=1600).contains(&len(&keys)), "{}", len(&keys));
    }

    #[test]
    fn emptiest_buckets_are_kept() {
        let keys = BoundedStateStore::new(1600, MonotonicClock::start());
        for key in 0..100 {
            store(&keys, key, 2 * HOUR);
        }
        for key in 100..100_000 {
            store(&keys, key, HOUR);
        }
        assert!((0..100).all(|key| knows(&keys, key)));
    }

    #[test]
    fn full_buckets_are_evicted_first() {
        let keys = BoundedStateStore::new(1600, MonotonicClock::start());
        for key in 0..700 {
            store(&keys, key, HOUR);
        }
        for key in 700..100_000 {
            store(&keys, key, 1);
        }
        assert!((0..700).all(|key| knows(&keys, key)));
    }
}

//! A rule at work: how full the bucket of each key is, counted by `governor` in this process.

use std::net::IpAddr;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use governor::RateLimiter;
use governor::clock::Clock;
use governor::middleware::StateInformationMiddleware;
use http::HeaderValue;
use sha2::{Digest, Sha256};

use super::rule::{KeyPart, Mode, Rule};
use super::state_store::{BoundedStateStore, KEYS, Key, MonotonicClock};
use crate::auth::session::Session;
use crate::limits::{RateLimitExceeded, whole_seconds};

/// A rule and what it has counted.
#[derive(Debug)]
pub(super) struct Bucket {
    /// The rule.
    pub rule: Rule,
    /// The rule as clients are told it: `"address";q=200;w=2`.
    pub policy: HeaderValue,
    /// Whether it has to be known who is asking before the rule can be judged.
    pub is_personal: bool,
    limiter: RateLimiter<Key, BoundedStateStore, MonotonicClock, StateInformationMiddleware>,
    keys: BoundedStateStore,
    ticks: MonotonicClock,
    over: AtomicU64,
    told_at: AtomicU64,
}

/// Who asks for what.
#[derive(Clone, Copy, Debug)]
pub(super) struct RateLimitSubject<'a> {
    /// The client's address.
    pub address: Option<IpAddr>,
    /// The path, as the route or the map has it.
    pub path: &'a str,
    /// Who it is, once that is known.
    pub session: Option<&'a Session>,
}

/// What is taken from a bucket.
#[derive(Clone, Copy, Debug)]
pub(super) struct Charge<'a> {
    /// The bucket.
    pub bucket: &'a Arc<Bucket>,
    /// Whose.
    pub key: Key,
    /// How many requests; with none it is only looked whether one would be let through.
    pub count: u32,
    /// Whether it is given back once it is clear that the request is no failure.
    pub is_reserved: bool,
}

/// How a key stands with a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BucketState {
    /// So many requests may follow at once.
    pub left: u32,
    /// Until the bucket is full again.
    pub full_in: Duration,
    /// Until the request would be let through that was not.
    pub wait: Option<Duration>,
}

/// So often a rule that is only measured tells the log.
const TELLING: u64 = 10;

impl Bucket {
    /// A rule that has counted nothing.
    pub(super) fn new(rule: Rule) -> Bucket {
        let ticks = MonotonicClock::start();
        let keys = BoundedStateStore::new(KEYS, ticks);
        let limiter = RateLimiter::<_, _, _, StateInformationMiddleware>::new(rule.quota(), keys.clone(), ticks);
        let (over, told_at) = (AtomicU64::new(0), AtomicU64::new(0));
        let window = whole_seconds(rule.interval().saturating_mul(rule.burst.get())).max(1);
        // The name of a rule has no character that would have to be escaped.
        let policy = format!("\"{}\";q={};w={window}", rule.name, rule.burst);
        let policy = HeaderValue::try_from(policy).unwrap_or(HeaderValue::from_static(""));
        let is_personal = rule.is_personal();
        Bucket { rule, policy, is_personal, limiter, keys, ticks, over, told_at }
    }

    /// The key of somebody. A rule does not hold for sessions without a value that it counts by.
    pub(super) fn key(&self, asker: RateLimitSubject<'_>) -> Option<Key> {
        match self.rule.per.as_slice() {
            [] => Some(Key::default()),
            [KeyPart::Address] => Some(network(asker.address)),
            several => {
                let mut digest = Sha256::new();
                for per in several {
                    let address;
                    let part = match per {
                        KeyPart::Address => {
                            address = network(asker.address);
                            &address[..]
                        }
                        KeyPart::Endpoint => asker.path.as_bytes(),
                        KeyPart::Role => asker.session?.role().as_bytes(),
                        KeyPart::Session(name) => asker.session?.value(name)?.as_bytes(),
                    };
                    digest.update((part.len() as u64).to_le_bytes());
                    digest.update(part);
                }
                digest.finalize().first_chunk().copied()
            }
        }
    }

    /// Takes so many requests from the bucket, all or none.
    fn take(&self, key: &Key, count: NonZeroU32) -> BucketState {
        match self.limiter.check_key_n(key, count) {
            Ok(Ok(state)) => self.state(state.remaining_burst_capacity(), None),
            Ok(Err(refused)) => {
                let wait = refused.wait_time_from(self.ticks.now());
                self.state(0, Some((wait, count.get())))
            }
            // There never are as many.
            Err(_) => self.state(0, Some((self.time_of(self.rule.burst.get()), self.rule.burst.get()))),
        }
    }

    /// Puts one request back that was taken.
    pub(super) fn refund(&self, key: &Key) {
        self.keys.refund(key, self.rule.interval());
    }

    /// Whether one request would be let through, taking nothing from the bucket.
    fn peek(&self, key: &Key) -> BucketState {
        let burst = self.rule.burst.get();
        let earliest = self.keys.full_at(key).unwrap_or_default().saturating_sub(self.time_of(burst - 1));
        let wait = earliest.saturating_sub(self.ticks.now());
        self.state(burst, Some((wait, 1)).filter(|(wait, _)| !wait.is_zero()))
    }

    /// With so many left; or none, until after that time there are as many as were wanted.
    fn state(&self, left: u32, wait: Option<(Duration, u32)>) -> BucketState {
        let burst = self.rule.burst.get();
        match wait {
            None => BucketState { left, full_in: self.time_of(burst.saturating_sub(left)), wait: None },
            Some((wait, wanted)) => {
                let full_in = wait + self.time_of(burst.saturating_sub(wanted));
                BucketState { left: 0, full_in, wait: Some(wait.max(Duration::from_nanos(1))) }
            }
        }
    }

    /// The time in which so many requests come back.
    fn time_of(&self, count: u32) -> Duration {
        self.rule.interval().saturating_mul(count)
    }

    /// What is told of a request that is refused.
    pub(super) fn refused(&self, count: u32, wait: Duration) -> RateLimitExceeded {
        let Rule { name, rate, every, burst, .. } = &self.rule;
        let never = count > 1 && count >= burst.get();
        RateLimitExceeded { rule: name.clone(), rate: rate.get(), every: *every, burst: burst.get(), never, wait }
    }

    /// Counts a request that was over a rule which is only measured, and tells the log now and then.
    pub(super) fn record_over(&self) {
        let over = self.over.fetch_add(1, Ordering::Relaxed) + 1;
        let now = self.ticks.now().as_secs() + TELLING;
        let told_at = self.told_at.load(Ordering::Relaxed);
        let due = now >= told_at + TELLING;
        if due && self.told_at.compare_exchange(told_at, now, Ordering::Relaxed, Ordering::Relaxed).is_ok() {
            tracing::warn!(rate = self.rule.name, over, "requests over a rate that is only measured");
        }
    }

    /// Whether requests over it are refused.
    pub(super) fn enforces(&self) -> bool {
        self.rule.mode == Mode::Enforce
    }
}

impl<'a> Charge<'a> {
    /// The same, to be given back unless the request fails.
    pub(super) fn reserved(self) -> Charge<'a> {
        Charge { is_reserved: true, ..self }
    }

    /// Takes it, as this process counts.
    pub(super) fn take(&self) -> BucketState {
        match NonZeroU32::new(self.count) {
            Some(count) => self.bucket.take(&self.key, count),
            None => self.bucket.peek(&self.key),
        }
    }
}

/// What an address is counted by: itself, or of IPv6 the network, of which one client has all addresses.
fn network(address: Option<IpAddr>) -> Key {
    match address {
        None => Key::default(),
        Some(IpAddr::V4(address)) => address.to_ipv6_mapped().octets(),
        Some(IpAddr::V6(address)) => {
            let mut octets = address.octets();
            octets[8..].fill(0);
            octets
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::auth::session::{AuthKind, Values};
    use crate::config::{Config, Settings};

    fn bucket(text: &str) -> Arc<Bucket> {
        let settings = Settings::of_text("gateway.toml", &format!("[[rates]]\nname = \"a\"\n{text}")).unwrap();
        let rules = super::super::rule::read(&Config::new(&settings).sections).unwrap();
        Arc::new(Bucket::new(rules.into_iter().next_back().unwrap()))
    }

    fn asker<'a>(address: &str, session: Option<&'a Session>) -> RateLimitSubject<'a> {
        RateLimitSubject { address: Some(address.parse().unwrap()), path: "/v1/graphql", session }
    }

    fn session(user: &str) -> Session {
        Session::new("user", Arc::new(Values::from([("user_id".into(), user.into())])), AuthKind::Token)
    }

    #[test]
    fn a_bucket_lets_through_what_is_in_it_and_not_one_more() {
        let bucket = bucket("per = []\nrate = 1\nevery = 3600\nburst = 50\n");
        let let_through = std::sync::atomic::AtomicU32::new(0);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..100 {
                        let due = Charge { bucket: &bucket, key: Key::default(), count: 1, is_reserved: false };
                        let standing = due.take();
                        let_through.fetch_add(u32::from(standing.wait.is_none()), Ordering::Relaxed);
                    }
                });
            }
        });
        assert_eq!(let_through.into_inner(), 50);
    }

    #[test]
    fn several_are_taken_together_or_not_at_all() {
        let bucket = bucket("per = []\nrate = 1\nevery = 3600\nburst = 5\n");
        let take = |count| Charge { bucket: &bucket, key: Key::default(), count, is_reserved: false }.take();
        assert_eq!((take(3).left, take(3).wait.is_some(), take(0).wait, take(2).wait), (2, true, None, None));
        let hour = Duration::from_secs(3600);
        let wait = take(1).wait.unwrap();
        assert!(hour - Duration::from_secs(60) < wait && wait <= hour, "{wait:?}");
        assert!(take(0).wait.is_some() && take(0).full_in > hour * 4);
        assert!(bucket.refused(6, hour).never);
        assert_eq!(take(6).wait, Some(hour * 5));
    }

    #[test]
    fn given_back_requests_can_be_taken_again_and_no_more() {
        let bucket = bucket("per = []\nrate = 1\nevery = 3600\nburst = 3\n");
        let take =
            || Charge { bucket: &bucket, key: Key::default(), count: 1, is_reserved: true }.take().wait.is_none();
        assert_eq!([take(), take(), take(), take()], [true, true, true, false]);
        bucket.refund(&Key::default());
        assert_eq!([take(), take()], [true, false]);
        // A bucket that is full, or forgotten, takes nothing more.
        for _ in 0..10 {
            bucket.refund(&Key::default());
        }
        assert_eq!([take(), take(), take(), take()], [true, true, true, false]);
    }

    #[test]
    fn an_address_of_version_6_is_its_network() {
        let bucket = bucket("per = [\"address\"]\nrate = 1\n");
        let key = |address: &str| bucket.key(asker(address, None));
        assert_eq!(key("2001:db8::1"), key("2001:db8::ffff:1"));
        assert_ne!(key("2001:db8::1"), key("2001:db8:0:1::1"));
        assert_ne!(key("192.0.2.1"), key("192.0.2.2"));
    }

    #[test]
    fn keys_of_several_parts_do_not_run_into_each_other() {
        let bucket = bucket("per = [\"role\", \"session.user_id\"]\nrate = 1\n");
        let key = |user: &str| bucket.key(asker("192.0.2.1", Some(&session(user))));
        assert_eq!(key("7"), key("7"));
        assert_ne!(key("7"), key("8"));
        let without = Session::new("user7", Arc::default(), AuthKind::Token);
        assert_eq!(bucket.key(asker("192.0.2.1", Some(&without))), None);
    }

    #[test]
    fn a_policy_is_told_as_its_bucket() {
        assert_eq!(bucket("per = []\nrate = 100\nburst = 250\n").policy, "\"a\";q=250;w=3");
    }
}

//! The buckets of one rule, one for each key, counted by `governor` in this process.

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
use super::state_store::{BoundedStateStore, Key, MAX_KEYS, MonotonicClock};
use crate::auth::session::Session;
use crate::limits::{RateLimitExceeded, whole_seconds};

/// A rule and its buckets.
#[derive(Debug)]
pub(super) struct Bucket {
    /// The rule.
    pub rule: Rule,
    /// The value of `RateLimit-Policy` for the rule: `"address";q=200;w=2`.
    pub policy: HeaderValue,
    /// Whether the rule needs a session.
    pub is_personal: bool,
    limiter: RateLimiter<Key, BoundedStateStore, MonotonicClock, StateInformationMiddleware>,
    keys: BoundedStateStore,
    ticks: MonotonicClock,
    over: AtomicU64,
    logged_at: AtomicU64,
}

/// The values from which a rule makes the key of a request.
#[derive(Clone, Copy, Debug)]
pub(super) struct RateLimitSubject<'a> {
    /// The client's address.
    pub address: Option<IpAddr>,
    /// The path, as the route or the REST map names it.
    pub path: &'a str,
    /// The session, once it is known.
    pub session: Option<&'a Session>,
}

/// A number of requests to take from a bucket.
#[derive(Clone, Copy, Debug)]
pub(super) struct Charge<'a> {
    /// The bucket.
    pub bucket: &'a Arc<Bucket>,
    /// The key in the bucket.
    pub key: Key,
    /// How many requests; zero checks whether one would be allowed.
    pub count: u32,
    /// Whether it is returned when the request turns out not to be a failure.
    pub is_reserved: bool,
}

/// The state of a key's bucket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BucketState {
    /// How many requests may follow at once.
    pub left: u32,
    /// The time until the bucket is full again.
    pub full_in: Duration,
    /// The time until a rejected request would be allowed.
    pub wait: Option<Duration>,
}

/// The least seconds between two log lines about a report-only rule.
const LOG_INTERVAL: u64 = 10;

impl Bucket {
    /// Creates a rule with full buckets.
    pub(super) fn new(rule: Rule) -> Bucket {
        let ticks = MonotonicClock::start();
        let keys = BoundedStateStore::new(MAX_KEYS, ticks);
        let limiter = RateLimiter::<_, _, _, StateInformationMiddleware>::new(
            rule.quota(),
            keys.clone(),
            ticks,
        );
        let over = AtomicU64::new(0);
        let logged_at = AtomicU64::new(0);
        let window = whole_seconds(rule.interval().saturating_mul(rule.burst.get())).max(1);
        // The name of a rule contains no characters that need escaping.
        let policy = format!("\"{}\";q={};w={window}", rule.name, rule.burst);
        let policy = HeaderValue::try_from(policy).unwrap_or(HeaderValue::from_static(""));
        let is_personal = rule.is_personal();
        Bucket {
            rule,
            policy,
            is_personal,
            limiter,
            keys,
            ticks,
            over,
            logged_at,
        }
    }

    /// The key of a subject; none if its session lacks a value of the key, to which the rule then
    /// does not apply.
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

    /// Takes this many requests from the bucket, all or none.
    fn take(&self, key: &Key, count: NonZeroU32) -> BucketState {
        match self.limiter.check_key_n(key, count) {
            Ok(Ok(state)) => self.state(state.remaining_burst_capacity(), None),
            Ok(Err(refused)) => {
                let wait = refused.wait_time_from(self.ticks.now());
                self.state(0, Some((wait, count.get())))
            }
            // More than the burst is never available at once.
            Err(_) => self.state(
                0,
                Some((self.time_of(self.rule.burst.get()), self.rule.burst.get())),
            ),
        }
    }

    /// Puts so many taken requests back. Returns the state afterwards.
    pub(super) fn refund(&self, key: &Key, count: u32) -> BucketState {
        self.keys.refund(key, self.time_of(count));
        let full_in = self
            .keys
            .full_at(key)
            .unwrap_or_default()
            .saturating_sub(self.ticks.now());
        let missing = full_in
            .as_nanos()
            .div_ceil(self.rule.interval().as_nanos().max(1));
        let left = self
            .rule
            .burst
            .get()
            .saturating_sub(u32::try_from(missing).unwrap_or(u32::MAX));
        BucketState {
            left,
            full_in,
            wait: None,
        }
    }

    /// Checks whether one request would be allowed, without taking it.
    fn peek(&self, key: &Key) -> BucketState {
        let burst = self.rule.burst.get();
        let earliest = self
            .keys
            .full_at(key)
            .unwrap_or_default()
            .saturating_sub(self.time_of(burst - 1));
        let wait = earliest.saturating_sub(self.ticks.now());
        self.state(burst, Some((wait, 1)).filter(|(wait, _)| !wait.is_zero()))
    }

    /// The state with `left` requests; or with none, and the time after which the given number is
    /// available.
    fn state(&self, left: u32, wait: Option<(Duration, u32)>) -> BucketState {
        let burst = self.rule.burst.get();
        match wait {
            None => BucketState {
                left,
                full_in: self.time_of(burst.saturating_sub(left)),
                wait: None,
            },
            Some((wait, wanted)) => {
                let full_in = wait + self.time_of(burst.saturating_sub(wanted));
                BucketState {
                    left: 0,
                    full_in,
                    wait: Some(wait.max(Duration::from_nanos(1))),
                }
            }
        }
    }

    /// The time in which this many requests are refilled.
    fn time_of(&self, count: u32) -> Duration {
        self.rule.interval().saturating_mul(count)
    }

    /// The error of a rejected request.
    pub(super) fn refused(&self, count: u32, wait: Duration) -> RateLimitExceeded {
        let Rule {
            name,
            rate,
            every,
            burst,
            ..
        } = &self.rule;
        let never = count > 1 && count >= burst.get();
        RateLimitExceeded {
            rule: name.clone(),
            rate: rate.get(),
            every: *every,
            burst: burst.get(),
            never,
            wait,
        }
    }

    /// Counts a request that exceeded a report-only rule, and logs it at intervals.
    pub(super) fn record_over(&self) {
        let over = self.over.fetch_add(1, Ordering::Relaxed) + 1;
        let now = self.ticks.now().as_secs() + LOG_INTERVAL;
        let logged_at = self.logged_at.load(Ordering::Relaxed);
        let due = now >= logged_at + LOG_INTERVAL;
        if due
            && self
                .logged_at
                .compare_exchange(logged_at, now, Ordering::Relaxed, Ordering::Relaxed)
                .is_ok()
        {
            tracing::warn!(
                rate = self.rule.name,
                over,
                "requests exceed a rate limit that is only measured"
            );
        }
    }

    /// Whether requests that exceed the rule are rejected.
    pub(super) fn enforces(&self) -> bool {
        self.rule.mode == Mode::Enforce
    }
}

impl<'a> Charge<'a> {
    /// Makes the charge one that is returned unless the request fails.
    pub(super) fn reserved(self) -> Charge<'a> {
        Charge {
            is_reserved: true,
            ..self
        }
    }

    /// Takes the charge from the buckets of this process.
    pub(super) fn take(&self) -> BucketState {
        match NonZeroU32::new(self.count) {
            Some(count) => self.bucket.take(&self.key, count),
            None => self.bucket.peek(&self.key),
        }
    }
}

/// The key of an address: an IPv4 address itself, of IPv6 the network of 64 bits, because one
/// client has all its addresses.
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
        let settings =
            Settings::from_text("gateway.toml", &format!("[[rates]]\nname = \"a\"\n{text}"))
                .unwrap();
        let rules = super::super::rule::read(&Config::new(&settings).sections).unwrap();
        Arc::new(Bucket::new(rules.into_iter().next_back().unwrap()))
    }

    fn asker<'a>(address: &str, session: Option<&'a Session>) -> RateLimitSubject<'a> {
        RateLimitSubject {
            address: Some(address.parse().unwrap()),
            path: "/v1/graphql",
            session,
        }
    }

    fn session(user: &str) -> Session {
        Session::new(
            "user",
            Arc::new(Values::from([("user_id".into(), user.into())])),
            AuthKind::Token,
        )
    }

    #[test]
    fn bucket_allows_exactly_its_burst() {
        let bucket = bucket("per = []\nrate = 1\nevery = 3600\nburst = 50\n");
        let let_through = std::sync::atomic::AtomicU32::new(0);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..100 {
                        let due = Charge {
                            bucket: &bucket,
                            key: Key::default(),
                            count: 1,
                            is_reserved: false,
                        };
                        let standing = due.take();
                        let_through
                            .fetch_add(u32::from(standing.wait.is_none()), Ordering::Relaxed);
                    }
                });
            }
        });
        assert_eq!(let_through.into_inner(), 50);
    }

    #[test]
    fn charge_of_several_is_all_or_nothing() {
        let bucket = bucket("per = []\nrate = 1\nevery = 3600\nburst = 5\n");
        let take = |count| {
            Charge {
                bucket: &bucket,
                key: Key::default(),
                count,
                is_reserved: false,
            }
            .take()
        };
        assert_eq!(
            (
                take(3).left,
                take(3).wait.is_some(),
                take(0).wait,
                take(2).wait
            ),
            (2, true, None, None)
        );
        let hour = Duration::from_secs(3600);
        let wait = take(1).wait.unwrap();
        assert!(
            hour - Duration::from_secs(60) < wait && wait <= hour,
            "{wait:?}"
        );
        assert!(take(0).wait.is_some() && take(0).full_in > hour * 4);
        assert!(bucket.refused(6, hour).never);
        assert_eq!(take(6).wait, Some(hour * 5));
    }

    #[test]
    fn refund_allows_one_more_request_and_never_above_the_burst() {
        let bucket = bucket("per = []\nrate = 1\nevery = 3600\nburst = 3\n");
        let take = || {
            Charge {
                bucket: &bucket,
                key: Key::default(),
                count: 1,
                is_reserved: true,
            }
            .take()
            .wait
            .is_none()
        };
        assert_eq!([take(), take(), take(), take()], [true, true, true, false]);
        bucket.refund(&Key::default(), 1);
        assert_eq!([take(), take()], [true, false]);
        // Refunds to a full or evicted bucket have no effect.
        for _ in 0..10 {
            bucket.refund(&Key::default(), 1);
        }
        assert_eq!([take(), take(), take(), take()], [true, true, true, false]);
    }

    #[test]
    fn ipv6_addresses_of_one_network_share_a_key() {
        let bucket = bucket("per = [\"address\"]\nrate = 1\n");
        let key = |address: &str| bucket.key(asker(address, None));
        assert_eq!(key("2001:db8::1"), key("2001:db8::ffff:1"));
        assert_ne!(key("2001:db8::1"), key("2001:db8:0:1::1"));
        assert_ne!(key("192.0.2.1"), key("192.0.2.2"));
    }

    #[test]
    fn keys_of_several_parts_are_distinct() {
        let bucket = bucket("per = [\"role\", \"session.user_id\"]\nrate = 1\n");
        let key = |user: &str| bucket.key(asker("192.0.2.1", Some(&session(user))));
        assert_eq!(key("7"), key("7"));
        assert_ne!(key("7"), key("8"));
        let without = Session::new("user7", Arc::default(), AuthKind::Token);
        assert_eq!(bucket.key(asker("192.0.2.1", Some(&without))), None);
    }

    #[test]
    fn policy_header_has_burst_and_window() {
        assert_eq!(
            bucket("per = []\nrate = 100\nburst = 250\n").policy,
            "\"a\";q=250;w=3"
        );
    }
}

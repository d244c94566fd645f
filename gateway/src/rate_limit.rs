//! Applies the rate limits of `[[rates]]` to a request: when it arrives, when its session is known,
//! and when it was rejected as unauthenticated. The headers that report the limits are written
//! here, the error in [`crate::error`].
//!
//! A rule is charged as soon as its key is known: by address or path when the head has arrived, by
//! the session when it is known, the rest of a batch when its body has been read. So concurrent
//! requests never find more than the limit allows. A rule that counts failures is charged at once
//! and refunded when the caller is identified. A reload keeps the buckets of unchanged rules. In
//! Redis, one script counts all rules of a request by Redis' clock; a gateway that cannot reach its
//! Redis counts alone.

mod bucket;
mod state_store;
mod rule;
mod route_class;
mod redis_backend;

use std::borrow::Cow;
use std::net::IpAddr;
use std::sync::Arc;

use http::HeaderMap;
use http::header::{HeaderName, HeaderValue};
use tokio::task::JoinHandle;

use crate::auth::session::Session;
use crate::config::{Config, ConfigError, Secret};
use crate::error::Error;
use crate::limits::whole_seconds;
use crate::telemetry::metrics::Metrics;
use bucket::{Bucket, BucketState, Charge, RateLimitSubject};
use redis_backend::RedisBackend;
pub use route_class::RouteClass;
pub use rule::{CountedEvent, KeyPart, Mode, Rule};
use state_store::Key;

/// The rules of one version of the gateway, with their counts.
#[derive(Debug)]
pub struct RateLimiter {
    buckets: Vec<Arc<Bucket>>,
    /// The buckets that count each event, by its number: most events are counted by few rules, and
    /// every request looks them up.
    by_event: [Vec<Arc<Bucket>>; CountedEvent::ALL.len()],
    redis_url: Option<Secret>,
    shared: Option<Arc<RedisBackend>>,
}

/// The values by which an exchange is counted, and what it has taken.
#[derive(Debug)]
pub struct RateLimitContext {
    class: RouteClass,
    /// The client's address.
    address: Option<IpAddr>,
    path: Cow<'static, str>,
    /// The path of the route that the exchange came by, if it differs from `path`.
    entry_path: Option<Cow<'static, str>>,
    charged: ChargedBuckets,
}

/// What an exchange has taken from buckets.
#[derive(Debug, Default)]
struct ChargedBuckets {
    /// The rule that leaves the fewest requests, with the state of its bucket.
    tightest: Option<(Arc<Bucket>, BucketState)>,
    /// Failures that are counted until the request turns out not to be one.
    reserved: Vec<ReservedCharge>,
    /// The task that returns charges in Redis.
    returning: Option<JoinHandle<()>>,
}

/// A failure that is counted before it happens, so that of parallel requests no more than the rate
/// can turn out to be failures.
#[derive(Debug)]
struct ReservedCharge {
    bucket: Arc<Bucket>,
    key: Key,
    /// Whether Redis counts it instead of this process.
    is_shared: bool,
}

const RATE_LIMIT: HeaderName = HeaderName::from_static("ratelimit");
const RATE_LIMIT_POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");

impl RateLimiter {
    /// Creates the rules of a configuration with empty counts.
    pub fn new(config: &Config) -> Result<RateLimiter, ConfigError> {
        let rules = rule::read(&config.sections)?
            .into_iter()
            .filter(|rule| rule.mode != Mode::Off);
        let buckets: Vec<_> = rules.map(|rule| Arc::new(Bucket::new(rule))).collect();
        let shared = config
            .redis_url
            .as_ref()
            .map(RedisBackend::new)
            .transpose()?;
        Ok(RateLimiter {
            by_event: by_event(&buckets),
            buckets,
            redis_url: config.redis_url.clone(),
            shared,
        })
    }

    /// Whether the store in which gateways count together can be reached; none without one.
    pub fn store_is_available(&self) -> Option<bool> {
        self.shared.as_ref().map(|shared| !shared.is_lost())
    }

    /// The rules.
    pub fn rules(&self) -> impl Iterator<Item = &Rule> {
        self.buckets.iter().map(|bucket| &bucket.rule)
    }

    /// Checks that the permission file names the roles of the rules: a rule for an unknown role
    /// counts nothing.
    pub fn check_roles(
        &self,
        config: &Config,
        is_known: impl Fn(&str) -> bool,
    ) -> Result<(), ConfigError> {
        let named = |rule: &Rule| {
            rule.roles
                .iter()
                .flatten()
                .chain(&rule.except_roles)
                .find(|role| !is_known(role))
                .cloned()
        };
        let unknown = self
            .rules()
            .find_map(|rule| Some((rule.name.clone(), named(rule)?)));
        match unknown {
            Some((rule, role)) => Err(config.sections.fault(
                "rates",
                format!("`{rule}`: the permission file has no role `{role}`"),
            )),
            None => Ok(()),
        }
    }

    /// Starts counting: takes over the counts of equal rules from the version before, and connects
    /// to Redis if its URL has changed.
    pub async fn start(&mut self, before: Option<&RateLimiter>) {
        for bucket in &mut self.buckets {
            let old =
                before.and_then(|before| before.buckets.iter().find(|old| old.rule == bucket.rule));
            if let Some(old) = old {
                *bucket = old.clone();
            }
        }
        self.by_event = by_event(&self.buckets);
        let same = before.filter(|before| before.redis_url == self.redis_url);
        match (same.and_then(|before| before.shared.clone()), &self.shared) {
            (Some(old), _) => self.shared = Some(old),
            (None, Some(new)) => new.call().await,
            (None, None) => {}
        }
    }

    /// Checks a request that arrives, when only its head has been read.
    pub async fn check_arrival(
        &self,
        metrics: &Metrics,
        context: &mut Option<RateLimitContext>,
        address: Option<IpAddr>,
        class: RouteClass,
        path: impl Into<Cow<'static, str>>,
    ) -> Result<(), Error> {
        let counted = CountedEvent::at(class);
        let refusals = CountedEvent::refused_at(class);
        if counted.is_none() && refusals.is_none() {
            return Ok(());
        }
        let arrival = RateLimitContext {
            class,
            address,
            path: path.into(),
            entry_path: None,
            charged: ChargedBuckets::default(),
        };
        let RateLimitContext { path, charged, .. } = context.insert(arrival);
        let subject = RateLimitSubject {
            address,
            path,
            session: None,
        };
        let refusals = refusals
            .into_iter()
            .flat_map(|refusals| self.charges(refusals, subject, 1))
            .map(Charge::reserved);
        let requests = counted
            .into_iter()
            .flat_map(|counted| self.charges(counted, subject, 1));
        let due = refusals
            .chain(requests)
            .filter(|due| !due.bucket.is_personal);
        self.check(metrics, charged, due).await
    }

    /// Returns the failures that were charged on arrival, because the session is now known.
    fn refund(&self, context: &mut Option<RateLimitContext>) {
        let Some(RateLimitContext { charged, .. }) = context else {
            return;
        };
        let mut shared_ones = vec![];
        for ReservedCharge {
            bucket,
            key,
            is_shared,
        } in charged.reserved.drain(..)
        {
            if is_shared {
                shared_ones.push((bucket, key, 1));
            } else {
                bucket.refund(&key, 1);
            }
        }
        if let Some(shared) = &self.shared
            && !shared_ones.is_empty()
        {
            let shared = shared.clone();
            charged.returning = Some(tokio::spawn(async move {
                drop(shared.give_back(&shared_ones).await);
            }));
        }
    }

    /// Finishes the failures that were charged on arrival, once the response is known: they remain
    /// if the request was rejected as unauthenticated, and are returned otherwise.
    pub async fn finish(&self, context: &mut Option<RateLimitContext>, is_refused: bool) {
        let is_settled = context
            .as_ref()
            .is_none_or(|arrival| arrival.charged.reserved.is_empty());
        match is_refused {
            true if is_settled => self.record_unauthenticated(context).await,
            true => {}
            false => self.refund(context),
        }
        if let Some(RateLimitContext { charged, .. }) = context {
            charged.reserved.clear();
            if let Some(returning) = charged.returning.take() {
                // The task ends within the time limit of Redis requests.
                let _ = returning.await;
            }
        }
    }

    /// Checks a request once its session is known. Every transport that makes a session calls it.
    pub async fn check_session(
        &self,
        metrics: &Metrics,
        context: &mut Option<RateLimitContext>,
        session: &Session,
    ) -> Result<(), Error> {
        self.refund(context);
        let Some((counted, subject, charged)) = session_charge(context, session) else {
            return Ok(());
        };
        let personal = self
            .charges(counted, subject, 1)
            .filter(|due| due.bucket.is_personal);
        self.check(metrics, charged, personal).await
    }

    /// Checks a request that reaches this path through another route: charges the rules for the
    /// path that were not charged yet.
    pub async fn check_path(
        &self,
        metrics: &Metrics,
        context: &mut Option<RateLimitContext>,
        session: &Session,
        path: String,
    ) -> Result<(), Error> {
        let Some(RateLimitContext {
            class,
            address,
            path: reached,
            entry_path,
            charged,
        }) = context
        else {
            return Ok(());
        };
        let (Some(counted), Some(refusals)) =
            (CountedEvent::at(*class), CountedEvent::refused_at(*class))
        else {
            return Ok(());
        };
        if *reached == path {
            return Ok(());
        }
        let entry_path = entry_path.insert(std::mem::replace(reached, path.into()));
        let subject = RateLimitSubject {
            address: *address,
            path: reached,
            session: Some(session),
        };
        let refusals = self
            .charges(refusals, subject, 0)
            .filter(|due| is_new(&due.bucket.rule, refusals, entry_path));
        let requests = self
            .charges(counted, subject, 1)
            .filter(|due| is_new(&due.bucket.rule, counted, entry_path));
        self.check(metrics, charged, refusals.chain(requests)).await
    }

    /// Checks the requests of a batch, of which one has been counted. They are allowed together or
    /// not at all: if the others are refused, the one that has been counted is returned, so that a
    /// refused batch takes nothing.
    pub async fn check_batch(
        &self,
        metrics: &Metrics,
        context: &mut Option<RateLimitContext>,
        session: &Session,
        requests: usize,
    ) -> Result<(), Error> {
        let others = u32::try_from(requests)
            .unwrap_or(u32::MAX)
            .saturating_sub(1);
        match session_charge(context, session) {
            Some((counted, subject, charged)) if others > 0 => {
                let due: Vec<Charge<'_>> = self.charges(counted, subject, others).collect();
                let (states, is_shared) = self.charge(&due).await;
                let is_refused = |(due, state): (&Charge<'_>, &BucketState)| {
                    state.wait.is_some() && due.bucket.enforces()
                };
                let states = if due.iter().zip(&states).any(is_refused) {
                    self.return_batch(&due, states, is_shared).await
                } else {
                    states
                };
                let mut states = due.into_iter().zip(states);
                states.try_for_each(|(due, state)| apply(metrics, charged, due, state, is_shared))
            }
            _ => Ok(()),
        }
    }

    /// Returns what a refused batch has taken: the request that was counted when it arrived, and
    /// the others from the buckets that had them. Returns the states of the buckets afterwards,
    /// with the waits of before: when they are over, the whole batch fits.
    async fn return_batch(
        &self,
        due: &[Charge<'_>],
        states: Vec<BucketState>,
        is_shared: bool,
    ) -> Vec<BucketState> {
        let taken = |(index, due): (usize, &Charge<'_>)| {
            let others = states
                .get(index)
                .filter(|state| state.wait.is_none())
                .map_or(0, |_| due.count);
            (due.bucket.clone(), due.key, others.saturating_add(1))
        };
        let taken: Vec<(Arc<Bucket>, Key, u32)> = due.iter().enumerate().map(taken).collect();
        let now = match &self.shared {
            Some(shared) if is_shared => shared.give_back(&taken).await,
            _ => Some(
                taken
                    .iter()
                    .map(|(bucket, key, count)| bucket.refund(key, *count))
                    .collect(),
            ),
        };
        let now = now.unwrap_or_else(|| states.clone());
        states
            .into_iter()
            .zip(now)
            .map(|(before, now)| BucketState {
                wait: before.wait,
                ..now
            })
            .collect()
    }

    /// Counts an exchange that was rejected as unauthorized after its session was known. Its
    /// response is already decided, so only the next request can exceed the rule.
    async fn record_unauthenticated(&self, context: &Option<RateLimitContext>) {
        let Some(RateLimitContext {
            class,
            address,
            path,
            entry_path,
            ..
        }) = context
        else {
            return;
        };
        let Some(refusals) = CountedEvent::refused_at(*class) else {
            return;
        };
        let at = |path| {
            self.charges(
                refusals,
                RateLimitSubject {
                    address: *address,
                    path,
                    session: None,
                },
                1,
            )
        };
        let by_entry_path = entry_path.iter().flat_map(|entry_path| at(entry_path));
        let here = at(path).filter(|due| {
            entry_path
                .as_ref()
                .is_none_or(|entry_path| is_new(&due.bucket.rule, refusals, entry_path))
        });
        let due: Vec<Charge<'_>> = by_entry_path.chain(here).collect();
        self.charge(&due).await;
    }

    /// The charges of this event for this subject.
    fn charges<'a>(
        &'a self,
        counted: CountedEvent,
        subject: RateLimitSubject<'a>,
        count: u32,
    ) -> impl Iterator<Item = Charge<'a>> {
        let buckets = self
            .by_event
            .get(counted as usize)
            .map_or(&[][..], Vec::as_slice);
        let applicable = buckets.iter().filter(move |bucket| {
            let rule = &bucket.rule;
            let applies = !bucket.is_personal
                || subject
                    .session
                    .is_none_or(|session| rule.holds_for(session));
            applies && rule.counts(counted, subject.path)
        });
        applicable.filter_map(move |bucket| {
            Some(Charge {
                bucket,
                key: bucket.key(subject)?,
                count,
                is_reserved: false,
            })
        })
    }

    async fn check<'a>(
        &self,
        metrics: &Metrics,
        charged: &mut ChargedBuckets,
        mut due: impl Iterator<Item = Charge<'a>>,
    ) -> Result<(), Error> {
        if self.shared.is_none() {
            return due.try_for_each(|due| apply(metrics, charged, due, due.take(), false));
        }
        let due: Vec<Charge<'_>> = due.collect();
        let (states, is_shared) = Box::pin(self.charge(&due)).await;
        let mut states = due.into_iter().zip(states);
        states.try_for_each(|(due, state)| apply(metrics, charged, due, state, is_shared))
    }

    /// Takes from buckets until one with an enforced rule is empty. Redis takes if it answers; the
    /// flag says whether it did.
    async fn charge(&self, due: &[Charge<'_>]) -> (Vec<BucketState>, bool) {
        if let Some(shared) = &self.shared
            && !due.is_empty()
            && let Some(states) = shared.take(due).await
        {
            return (states, true);
        }
        let mut states = Vec::with_capacity(due.len());
        for due in due {
            let state = due.take();
            states.push(state);
            if state.wait.is_some() && due.bucket.enforces() {
                break;
            }
        }
        (states, false)
    }
}

/// The buckets that count each event.
fn by_event(buckets: &[Arc<Bucket>]) -> [Vec<Arc<Bucket>>; CountedEvent::ALL.len()] {
    CountedEvent::ALL.map(|event| {
        buckets
            .iter()
            .filter(|bucket| bucket.rule.places.contains(&event))
            .cloned()
            .collect()
    })
}

/// Whether a rule for this path has to be charged in addition to the charge by the entry path.
fn is_new(rule: &Rule, counted: CountedEvent, entry_path: &str) -> bool {
    rule.per.contains(&KeyPart::Endpoint) || !rule.counts(counted, entry_path)
}

/// The event and the subject by which a session's request is counted.
fn session_charge<'s>(
    context: &'s mut Option<RateLimitContext>,
    session: &'s Session,
) -> Option<(CountedEvent, RateLimitSubject<'s>, &'s mut ChargedBuckets)> {
    let RateLimitContext {
        class,
        address,
        path,
        charged,
        ..
    } = context.as_mut()?;
    Some((
        CountedEvent::at(*class)?,
        RateLimitSubject {
            address: *address,
            path,
            session: Some(session),
        },
        charged,
    ))
}

/// Applies the state of a bucket after a charge: rejects the request or records the charge.
fn apply(
    metrics: &Metrics,
    charged: &mut ChargedBuckets,
    due: Charge<'_>,
    state: BucketState,
    is_shared: bool,
) -> Result<(), Error> {
    let Charge {
        bucket,
        key,
        count,
        is_reserved,
    } = due;
    if is_reserved && state.wait.is_none() {
        charged.reserved.push(ReservedCharge {
            bucket: bucket.clone(),
            key,
            is_shared,
        });
        return Ok(());
    }
    let tightest = &mut charged.tightest;
    if state.wait.is_some() {
        metrics
            .rate_limited
            .with_label_values(&[bucket.rule.name.as_str(), bucket.rule.mode.name()])
            .inc_by(u64::from(count.max(1)));
    }
    match (bucket.enforces(), state.wait) {
        (false, None) => return Ok(()),
        (false, Some(_)) => {
            bucket.record_over();
            return Ok(());
        }
        (true, None) if count == 0 => return Ok(()),
        (true, _) => {}
    }
    // The rule that leaves the fewest requests is kept.
    let tighter = |(_, other): &(_, BucketState)| state.wait.is_some() || state.left < other.left;
    if tightest.as_ref().is_none_or(tighter) {
        *tightest = Some((bucket.clone(), state));
    }
    match state.wait {
        None => Ok(()),
        Some(wait) => Err(Error::RateLimited(Box::new(bucket.refused(count, wait)))),
    }
}

impl RateLimitContext {
    /// The path that the exchange came by, as the route or the REST map names it.
    pub fn path(&self) -> &str {
        self.entry_path.as_deref().unwrap_or(&self.path)
    }

    /// Whether a charge may still have to be returned.
    pub fn has_reserved(&self) -> bool {
        !self.charged.reserved.is_empty() || self.charged.returning.is_some()
    }

    /// Writes the `RateLimit` headers of the rule that leaves the fewest requests.
    /// <https://datatracker.ietf.org/doc/html/draft-ietf-httpapi-ratelimit-headers>
    pub fn write_headers(&self, headers: &mut HeaderMap) {
        let Some((bucket, state)) = &self.charged.tightest else {
            return;
        };
        let limit = format!(
            "\"{}\";r={};t={}",
            bucket.rule.name,
            state.left,
            whole_seconds(state.full_in)
        );
        if let Ok(limit) = HeaderValue::try_from(limit) {
            headers.insert(RATE_LIMIT, limit);
            headers.insert(RATE_LIMIT_POLICY, bucket.policy.clone());
        }
    }
}

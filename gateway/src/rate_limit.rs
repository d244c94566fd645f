//! How often something may be asked for: the rules of `[[rates]]`, asked when a request arrives, when it is known who sends it,
//! and when it was refused because that is not known. What a client is told of them stands in headers and in
//! [`crate::error`].

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

/// The rules of one version of the gateway, and what they have counted.
#[derive(Debug)]
pub struct RateLimiter {
    buckets: Vec<Arc<Bucket>>,
    /// Those of them that count each event, by its number: most events are counted by few rules, and every request asks.
    by_event: [Vec<Arc<Bucket>>; CountedEvent::ALL.len()],
    redis_url: Option<Secret>,
    shared: Option<Arc<RedisBackend>>,
}

/// What an exchange is counted by.
#[derive(Debug)]
pub struct RateLimitContext {
    class: RouteClass,
    /// The client's address.
    address: Option<IpAddr>,
    path: Cow<'static, str>,
    /// The path that it came by, where it reaches `path` by another.
    entry_path: Option<Cow<'static, str>>,
    charged: ChargedBuckets,
}

/// What an exchange has taken from buckets.
#[derive(Debug, Default)]
struct ChargedBuckets {
    /// The rule that leaves the least, and how its bucket stands.
    tightest: Option<(Arc<Bucket>, BucketState)>,
    /// Failures that are counted until it is clear that the request is none.
    reserved: Vec<ReservedCharge>,
    /// The task that gives back in Redis.
    returning: Option<JoinHandle<()>>,
}

/// A failure that is counted before it has happened. Of requests in parallel no more than the rate allows can so turn out to
/// be failures.
#[derive(Debug)]
struct ReservedCharge {
    bucket: Arc<Bucket>,
    key: Key,
    /// Whether Redis counts it, and not this process.
    is_shared: bool,
}

const RATE_LIMIT: HeaderName = HeaderName::from_static("ratelimit");
const RATE_LIMIT_POLICY: HeaderName = HeaderName::from_static("ratelimit-policy");

impl RateLimiter {
    /// The rules of a configuration, with nothing counted yet.
    pub fn new(config: &Config) -> Result<RateLimiter, ConfigError> {
        let rules = rule::read(&config.sections)?.into_iter().filter(|rule| rule.mode != Mode::Off);
        let buckets: Vec<_> = rules.map(|rule| Arc::new(Bucket::new(rule))).collect();
        let shared = config.redis_url.as_ref().map(RedisBackend::new).transpose()?;
        Ok(RateLimiter { by_event: by_event(&buckets), buckets, redis_url: config.redis_url.clone(), shared })
    }

    /// The rules.
    pub fn rules(&self) -> impl Iterator<Item = &Rule> {
        self.buckets.iter().map(|bucket| &bucket.rule)
    }

    /// Checks that the roles which rules name are there: a rule of another role counts nothing.
    pub fn check_roles(&self, config: &Config, is_known: impl Fn(&str) -> bool) -> Result<(), ConfigError> {
        let named =
            |rule: &Rule| rule.roles.iter().flatten().chain(&rule.except_roles).find(|role| !is_known(role)).cloned();
        let unknown = self.rules().find_map(|rule| Some((rule.name.clone(), named(rule)?)));
        match unknown {
            Some((rule, role)) => {
                Err(config.sections.fault("rates", format!("`{rule}`: the permission file has no role `{role}`")))
            }
            None => Ok(()),
        }
    }

    /// Begins to count: goes on from what the version before has counted for rules that are the same, and calls Redis where
    /// it is another than before.
    pub async fn start(&mut self, before: Option<&RateLimiter>) {
        for bucket in &mut self.buckets {
            let old = before.and_then(|before| before.buckets.iter().find(|old| old.rule == bucket.rule));
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

    /// Judges a request that arrives, before anything of it is read but its head.
    pub async fn check_arrival(
        &self,
        metrics: &Metrics,
        context: &mut Option<RateLimitContext>,
        address: Option<IpAddr>,
        place: RouteClass,
        path: impl Into<Cow<'static, str>>,
    ) -> Result<(), Error> {
        let (counted, refusals) = (CountedEvent::at(place), CountedEvent::refused_at(place));
        if counted.is_none() && refusals.is_none() {
            return Ok(());
        }
        let arrival = RateLimitContext {
            class: place,
            address,
            path: path.into(),
            entry_path: None,
            charged: ChargedBuckets::default(),
        };
        let RateLimitContext { path, charged: ledger, .. } = context.insert(arrival);
        let asker = RateLimitSubject { address, path, session: None };
        let refusals = refusals.into_iter().flat_map(|refusals| self.charges(refusals, asker, 1)).map(Charge::reserved);
        let requests = counted.into_iter().flat_map(|counted| self.charges(counted, asker, 1));
        let due = refusals.chain(requests).filter(|due| !due.bucket.is_personal);
        self.check(metrics, ledger, due).await
    }

    /// Gives back the failures that were counted for an exchange on its arrival: it is known by now who sends it.
    fn refund(&self, context: &mut Option<RateLimitContext>) {
        let Some(RateLimitContext { charged: ledger, .. }) = context else { return };
        let mut shared_ones = vec![];
        for ReservedCharge { bucket, key, is_shared } in ledger.reserved.drain(..) {
            match is_shared {
                true => shared_ones.push((bucket, key)),
                false => bucket.refund(&key),
            }
        }
        if let Some(shared) = &self.shared
            && !shared_ones.is_empty()
        {
            let shared = shared.clone();
            ledger.returning = Some(tokio::spawn(async move { shared.give_back(&shared_ones).await }));
        }
    }

    /// Settles the failures that were counted for an exchange on its arrival, once it has its answer: they stay where it was
    /// refused because nobody knows who is asking, and are given back else.
    pub async fn finish(&self, context: &mut Option<RateLimitContext>, is_refused: bool) {
        let is_settled = context.as_ref().is_none_or(|arrival| arrival.charged.reserved.is_empty());
        match is_refused {
            true if is_settled => self.record_unauthenticated(context).await,
            true => {}
            false => self.refund(context),
        }
        if let Some(RateLimitContext { charged: ledger, .. }) = context {
            ledger.reserved.clear();
            if let Some(returning) = ledger.returning.take() {
                // The task ends within the time that Redis has for an answer.
                let _ = returning.await;
            }
        }
    }

    /// Judges a request once it is known who sends it. Every door that makes a session calls it.
    pub async fn check_session(
        &self,
        metrics: &Metrics,
        context: &mut Option<RateLimitContext>,
        session: &Session,
    ) -> Result<(), Error> {
        self.refund(context);
        let Some((counted, asker, ledger)) = session_charge(context, session) else { return Ok(()) };
        let personal = self.charges(counted, asker, 1).filter(|due| due.bucket.is_personal);
        self.check(metrics, ledger, personal).await
    }

    /// Judges a request that reaches a path by another: what holds for the path, and has not been asked yet, holds there too.
    pub async fn check_path(
        &self,
        metrics: &Metrics,
        context: &mut Option<RateLimitContext>,
        session: &Session,
        path: String,
    ) -> Result<(), Error> {
        let Some(RateLimitContext { class: place, address, path: reached, entry_path: door, charged: ledger }) =
            context
        else {
            return Ok(());
        };
        let (Some(counted), Some(refusals)) = (CountedEvent::at(*place), CountedEvent::refused_at(*place)) else {
            return Ok(());
        };
        if *reached == path {
            return Ok(());
        }
        let door = door.insert(std::mem::replace(reached, path.into()));
        let asker = RateLimitSubject { address: *address, path: reached, session: Some(session) };
        let refusals = self.charges(refusals, asker, 0).filter(|due| is_new(&due.bucket.rule, refusals, door));
        let requests = self.charges(counted, asker, 1).filter(|due| is_new(&due.bucket.rule, counted, door));
        self.check(metrics, ledger, refusals.chain(requests)).await
    }

    /// Judges the requests of a batch, of which one has been counted. The others are let through together or not at all.
    pub async fn check_batch(
        &self,
        metrics: &Metrics,
        context: &mut Option<RateLimitContext>,
        session: &Session,
        requests: usize,
    ) -> Result<(), Error> {
        let others = u32::try_from(requests).unwrap_or(u32::MAX).saturating_sub(1);
        match session_charge(context, session) {
            Some((counted, asker, ledger)) if others > 0 => {
                self.check(metrics, ledger, self.charges(counted, asker, others)).await
            }
            _ => Ok(()),
        }
    }

    /// Counts an exchange that was refused after it was known who sends it, because that does not suffice. It has its answer:
    /// that there were too many of them is for the next one to be told.
    async fn record_unauthenticated(&self, context: &Option<RateLimitContext>) {
        let Some(RateLimitContext { class: place, address, path, entry_path: door, .. }) = context else { return };
        let Some(refusals) = CountedEvent::refused_at(*place) else { return };
        let at = |path| self.charges(refusals, RateLimitSubject { address: *address, path, session: None }, 1);
        let by_door = door.iter().flat_map(|door| at(door));
        let here = at(path).filter(|due| door.as_ref().is_none_or(|door| is_new(&due.bucket.rule, refusals, door)));
        let due: Vec<Charge<'_>> = by_door.chain(here).collect();
        self.charge(&due).await;
    }

    /// The buckets that count that, and hold for who is asking.
    fn charges<'a>(
        &'a self,
        counted: CountedEvent,
        asker: RateLimitSubject<'a>,
        count: u32,
    ) -> impl Iterator<Item = Charge<'a>> {
        let buckets = self.by_event.get(counted as usize).map_or(&[][..], Vec::as_slice);
        let holding = buckets.iter().filter(move |bucket| {
            let rule = &bucket.rule;
            let holds = !bucket.is_personal || asker.session.is_none_or(|session| rule.holds_for(session));
            holds && rule.counts(counted, asker.path)
        });
        holding.filter_map(move |bucket| Some(Charge { bucket, key: bucket.key(asker)?, count, is_reserved: false }))
    }

    async fn check<'a>(
        &self,
        metrics: &Metrics,
        ledger: &mut ChargedBuckets,
        mut due: impl Iterator<Item = Charge<'a>>,
    ) -> Result<(), Error> {
        if self.shared.is_none() {
            return due.try_for_each(|due| apply(metrics, ledger, due, due.take(), false));
        }
        let due: Vec<Charge<'_>> = due.collect();
        let (standings, is_shared) = Box::pin(self.charge(&due)).await;
        let mut standings = due.into_iter().zip(standings);
        standings.try_for_each(|(due, standing)| apply(metrics, ledger, due, standing, is_shared))
    }

    /// Takes from buckets until one that enforces its rule is empty; says whether Redis did, which does if it answers.
    async fn charge(&self, due: &[Charge<'_>]) -> (Vec<BucketState>, bool) {
        if let Some(shared) = &self.shared
            && !due.is_empty()
            && let Some(standings) = shared.take(due).await
        {
            return (standings, true);
        }
        let mut standings = Vec::with_capacity(due.len());
        for due in due {
            let standing = due.take();
            standings.push(standing);
            if standing.wait.is_some() && due.bucket.enforces() {
                break;
            }
        }
        (standings, false)
    }
}

/// The buckets that count each event.
fn by_event(buckets: &[Arc<Bucket>]) -> [Vec<Arc<Bucket>>; CountedEvent::ALL.len()] {
    CountedEvent::ALL
        .map(|event| buckets.iter().filter(|bucket| bucket.rule.places.contains(&event)).cloned().collect())
}

/// Whether a rule that holds for a path has more to count than it has by the path of the door.
fn is_new(rule: &Rule, counted: CountedEvent, door: &str) -> bool {
    rule.per.contains(&KeyPart::Endpoint) || !rule.counts(counted, door)
}

/// What a session is counted as, and by.
fn session_charge<'s>(
    context: &'s mut Option<RateLimitContext>,
    session: &'s Session,
) -> Option<(CountedEvent, RateLimitSubject<'s>, &'s mut ChargedBuckets)> {
    let RateLimitContext { class: place, address, path, charged: ledger, .. } = context.as_mut()?;
    Some((CountedEvent::at(*place)?, RateLimitSubject { address: *address, path, session: Some(session) }, ledger))
}

/// What follows from how a bucket stands: a refusal, or a line in the account.
fn apply(
    metrics: &Metrics,
    ledger: &mut ChargedBuckets,
    due: Charge<'_>,
    standing: BucketState,
    is_shared: bool,
) -> Result<(), Error> {
    let Charge { bucket, key, count, is_reserved } = due;
    if is_reserved && standing.wait.is_none() {
        ledger.reserved.push(ReservedCharge { bucket: bucket.clone(), key, is_shared });
        return Ok(());
    }
    let tightest = &mut ledger.tightest;
    if standing.wait.is_some() {
        let mode = if bucket.enforces() { "enforce" } else { "measure" };
        metrics.rate_limited.with_label_values(&[bucket.rule.name.as_str(), mode]).inc_by(u64::from(count.max(1)));
    }
    match (bucket.enforces(), standing.wait) {
        (false, None) => return Ok(()),
        (false, Some(_)) => {
            bucket.record_over();
            return Ok(());
        }
        (true, None) if count == 0 => return Ok(()),
        (true, _) => {}
    }
    // What leaves the least is kept.
    let tighter = |(_, other): &(_, BucketState)| standing.wait.is_some() || standing.left < other.left;
    if tightest.as_ref().is_none_or(tighter) {
        *tightest = Some((bucket.clone(), standing));
    }
    match standing.wait {
        None => Ok(()),
        Some(wait) => Err(Error::RateLimited(Box::new(bucket.refused(count, wait)))),
    }
}

impl RateLimitContext {
    /// The path that the exchange came by, as the route or the map has it.
    pub fn path(&self) -> &str {
        self.entry_path.as_deref().unwrap_or(&self.path)
    }

    /// Whether something that was counted for it may have to be given back.
    pub fn has_reserved(&self) -> bool {
        !self.charged.reserved.is_empty() || self.charged.returning.is_some()
    }

    /// Tells the client how it stands.
    /// <https://datatracker.ietf.org/doc/html/draft-ietf-httpapi-ratelimit-headers>
    pub fn write_headers(&self, headers: &mut HeaderMap) {
        let Some((bucket, standing)) = &self.charged.tightest else { return };
        let limit = format!("\"{}\";r={};t={}", bucket.rule.name, standing.left, whole_seconds(standing.full_in));
        if let Ok(limit) = HeaderValue::try_from(limit) {
            headers.insert(RATE_LIMIT, limit);
            headers.insert(RATE_LIMIT_POLICY, bucket.policy.clone());
        }
    }
}

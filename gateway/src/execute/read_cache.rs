//! Caches the answers of reads, and lets simultaneous equal reads wait for one statement (single
//! flight). Operations and transports choose a [`CachePolicy`].
//!
//! The cache key is the plan, which belongs to a role and a document, and every parameter of its
//! statement. All session values that row rules, masks and functions read are among these
//! parameters, and whatever changes the SQL text makes another plan. So a caller never gets rows
//! that the database would not have returned to it.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::time::{Duration, Instant};

use bytes::Bytes;
use moka::Expiry;
use moka::sync::Cache;
use pg::Parameters;
use serde::Deserialize;
use sql::resolve::Cached;
use sql::{Translation, TranslationKind};
use tokio::sync::watch;

use crate::config::{ConfigError, ConfigTables};
use crate::telemetry::metrics::ReadCounters;

/// Cached answers and statements in flight.
#[derive(Debug)]
pub struct ReadCache {
    operations: HashMap<String, CachePolicy>,
    kept: Cache<Arc<ReadKey>, Kept>,
    /// The most bytes of a cached answer.
    longest: usize,
    flights: Mutex<HashMap<Arc<ReadKey>, Arc<Flight>>>,
    counters: ReadCounters,
}

/// How a read may use answers made for other requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CachePolicy {
    /// How long an answer is cached.
    pub max_age: Duration,
    /// Whether simultaneous reads wait for one statement, even if no answer is cached.
    pub share: bool,
    /// Whether the statement runs although there is a cached answer, which it replaces.
    pub refresh: bool,
}

/// `[cache]` in the settings file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct CacheTable {
    #[serde(default = "bytes")]
    bytes: u64,
    #[serde(default)]
    operation: HashMap<String, OperationTable>,
}

/// `[cache.operation.<name>]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct OperationTable {
    #[serde(default)]
    seconds: f64,
    #[serde(default)]
    share: bool,
}

/// The default size of the cache in bytes.
const DEFAULT_CACHE_BYTES: u64 = 64 << 20;

fn bytes() -> u64 {
    DEFAULT_CACHE_BYTES
}

/// The longest time to cache an answer in seconds: a day.
const MAX_TTL_SECONDS: f64 = 86_400.0;

/// One answer may take up at most this fraction of the cache.
const MIN_ENTRIES: u64 = 16;

/// The approximate bytes of an entry beside its answer and its parameters.
const ENTRY_OVERHEAD_BYTES: usize = 400;

/// The key of a read: a plan and its parameters. The weak reference keeps the plan's address from
/// being used again, but not the plan.
#[derive(Debug)]
pub(super) struct ReadKey {
    plan: Weak<Translation>,
    parameters: Parameters,
}

/// A cached answer.
#[derive(Clone, Debug)]
struct Kept {
    bytes: Bytes,
    /// When its statement was sent.
    sent: Instant,
    keep: Duration,
}

/// Expires each answer after its own time.
struct Terms;

/// A statement that requests wait for or may wait for.
#[derive(Debug)]
struct Flight {
    outcome: watch::Receiver<Option<Outcome>>,
    /// When it was sent to the database.
    sent: OnceLock<Instant>,
}

/// The result of a flight.
#[derive(Clone, Debug)]
enum Outcome {
    Answered(Bytes),
    /// There is no answer that can be shared.
    Failed,
}

/// The result of a cache lookup.
pub(super) enum Lookup<'a> {
    /// The answer, from the cache or from another request's statement.
    Answered(Bytes),
    /// The caller runs a statement, and other requests may wait for its answer.
    Ask(FlightLeader<'a>),
    /// The caller runs a statement of its own.
    Alone,
    /// The answer did not arrive before the deadline.
    Late,
}

/// The request that runs a statement for others too. If it is dropped without a result, one of the
/// waiting requests takes its place.
pub(super) struct FlightLeader<'a> {
    shared: &'a ReadCache,
    read: Arc<ReadKey>,
    flight: Arc<Flight>,
    outcome: watch::Sender<Option<Outcome>>,
    keep: Duration,
}

impl CachePolicy {
    /// Caches answers for this long.
    pub fn for_time(time: Duration) -> CachePolicy {
        CachePolicy {
            max_age: time,
            ..CachePolicy::default()
        }
    }

    /// The policy that the directive `@cached` of a query asks for.
    pub(super) fn from_directive(directive: Cached) -> CachePolicy {
        CachePolicy {
            max_age: directive.ttl,
            share: false,
            refresh: directive.refresh,
        }
    }

    /// Whether the policy neither caches nor shares.
    pub fn is_none(self) -> bool {
        self.max_age.is_zero() && !self.share
    }

    /// Combines two policies: allows whatever either allows.
    pub(super) fn or(self, other: CachePolicy) -> CachePolicy {
        CachePolicy {
            max_age: self.max_age.max(other.max_age),
            share: self.share || other.share,
            refresh: self.refresh || other.refresh,
        }
    }
}

impl ReadCache {
    /// Reads `[cache]` from the settings file.
    pub fn read(sections: &ConfigTables) -> Result<ReadCache, ConfigError> {
        let table = sections.read::<CacheTable>("cache")?.unwrap_or(CacheTable {
            bytes: DEFAULT_CACHE_BYTES,
            operation: HashMap::new(),
        });
        let mut operations = HashMap::new();
        for (name, OperationTable { seconds, share }) in table.operation {
            if !(0.0..=MAX_TTL_SECONDS).contains(&seconds) {
                let message =
                    format!("`seconds` of `{name}` has to be a number from 0 to {MAX_TTL_SECONDS}");
                return Err(sections.fault("cache", message));
            }
            operations.insert(
                name,
                CachePolicy {
                    max_age: Duration::from_secs_f64(seconds),
                    share,
                    refresh: false,
                },
            );
        }
        Ok(ReadCache {
            operations,
            ..ReadCache::with_capacity(table.bytes)
        })
    }

    /// Creates a cache of this many bytes, with no policies for operations.
    pub fn with_capacity(bytes: u64) -> ReadCache {
        let kept = Cache::builder()
            .max_capacity(bytes)
            .weigher(|read: &Arc<ReadKey>, kept: &Kept| {
                u32::try_from(read.size() + kept.bytes.len()).unwrap_or(u32::MAX)
            })
            .expire_after(Terms)
            .build();
        let longest = usize::try_from(bytes / MIN_ENTRIES).unwrap_or(usize::MAX);
        ReadCache {
            operations: HashMap::new(),
            kept,
            longest,
            flights: Mutex::default(),
            counters: ReadCounters::default(),
        }
    }

    /// The policy of an operation: the settings for its name combined with the policy of the
    /// transport.
    pub(super) fn policy<'n>(
        &self,
        name: impl FnOnce() -> Option<&'n str>,
        transport: CachePolicy,
    ) -> CachePolicy {
        if self.operations.is_empty() {
            transport
        } else {
            name()
                .and_then(|name| self.operations.get(name))
                .map_or(transport, |found| found.or(transport))
        }
    }

    /// Returns the cache with these counters.
    pub fn with_counters(self, counters: ReadCounters) -> ReadCache {
        ReadCache { counters, ..self }
    }

    /// The number of cached answers and their approximate bytes.
    pub fn len(&self) -> (u64, u64) {
        (self.kept.entry_count(), self.kept.weighted_size())
    }

    /// Looks up a read, and waits for another request's statement if there is one.
    pub(super) async fn lookup(
        &self,
        read: Arc<ReadKey>,
        reuse: CachePolicy,
        deadline: tokio::time::Instant,
    ) -> Lookup<'_> {
        if let Some(bytes) = self.get(&read, reuse) {
            self.counters.kept.inc();
            return Lookup::Answered(bytes);
        }
        loop {
            let mut outcome = match self.join_flight(&read, reuse) {
                Ok(outcome) => outcome,
                Err(lead) => {
                    self.counters.asked.inc();
                    return Lookup::Ask(lead);
                }
            };
            let Ok(outcome) =
                tokio::time::timeout_at(deadline, outcome.wait_for(Option::is_some)).await
            else {
                return Lookup::Late;
            };
            // Without an outcome the leader was dropped, so this request tries again.
            match outcome.ok().and_then(|outcome| outcome.clone()) {
                Some(Outcome::Answered(bytes)) => {
                    self.counters.joined.inc();
                    return Lookup::Answered(bytes);
                }
                Some(Outcome::Failed) => {
                    self.counters.asked.inc();
                    return Lookup::Alone;
                }
                None => {}
            }
        }
    }

    /// The cached answer, if it is young enough.
    fn get(
        &self,
        read: &Arc<ReadKey>,
        CachePolicy {
            max_age: keep,
            refresh,
            ..
        }: CachePolicy,
    ) -> Option<Bytes> {
        if keep.is_zero() || refresh {
            return None;
        }
        self.kept
            .get(read)
            .filter(|kept| kept.sent.elapsed() < keep)
            .map(|kept| kept.bytes)
    }

    /// Joins a flight that was not sent yet, or was sent no longer ago than the maximum age of an
    /// answer; otherwise starts a new one.
    fn join_flight(
        &self,
        read: &Arc<ReadKey>,
        CachePolicy {
            max_age: keep,
            refresh,
            ..
        }: CachePolicy,
    ) -> Result<watch::Receiver<Option<Outcome>>, FlightLeader<'_>> {
        let mut flights = self.flights();
        match flights.get(read).filter(|_| !refresh) {
            Some(flight) if flight.sent.get().is_none_or(|sent| sent.elapsed() < keep) => {
                Ok(flight.outcome.clone())
            }
            _ => {
                let (sender, outcome) = watch::channel(None);
                let flight = Arc::new(Flight {
                    outcome,
                    sent: OnceLock::new(),
                });
                flights.insert(read.clone(), flight.clone());
                Err(FlightLeader {
                    shared: self,
                    read: read.clone(),
                    flight,
                    outcome: sender,
                    keep,
                })
            }
        }
    }

    fn flights(&self) -> MutexGuard<'_, HashMap<Arc<ReadKey>, Arc<Flight>>> {
        self.flights.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl FlightLeader<'_> {
    /// Records that the statement is being sent: requests that must see writes up to now need
    /// another statement.
    pub(super) fn mark_sent(&self) {
        let _ = self.flight.sent.set(Instant::now());
    }

    /// Whether other requests wait for the answer. Closes the flight, so that none can join later.
    pub(super) fn has_waiters(&self) -> bool {
        self.close();
        // The flight itself holds one receiver.
        self.outcome.receiver_count() > 1
    }

    /// Caches the answer and passes it to the waiting requests.
    pub(super) fn complete(self, bytes: &Bytes) {
        let sent = self.flight.sent.get().copied();
        if let Some(sent) =
            sent.filter(|_| !self.keep.is_zero() && bytes.len() <= self.shared.longest)
        {
            // Copied because the buffer of an answer has more capacity than it needs.
            let kept = Kept {
                bytes: Bytes::copy_from_slice(bytes),
                sent,
                keep: self.keep,
            };
            self.shared.kept.insert(self.read.clone(), kept);
        }
        self.close();
        self.outcome
            .send_replace(Some(Outcome::Answered(bytes.clone())));
    }

    /// Makes the waiting requests run their own statements.
    pub(super) fn fail(self) {
        self.close();
        self.outcome.send_replace(Some(Outcome::Failed));
    }

    /// Removes the flight, so that no request can join it.
    fn close(&self) {
        if let Entry::Occupied(entry) = self.shared.flights().entry(self.read.clone())
            && Arc::ptr_eq(entry.get(), &self.flight)
        {
            entry.remove();
        }
    }
}

/// Closes the flight and wakes the waiting requests, of which one becomes the leader.
impl Drop for FlightLeader<'_> {
    fn drop(&mut self) {
        self.close();
    }
}

impl ReadKey {
    /// The key of a plan with these parameters; none unless the plan is one statement without
    /// estimates.
    pub(super) fn new(
        plan: &Arc<Translation>,
        parameters: &mut Vec<Parameters>,
    ) -> Option<Arc<ReadKey>> {
        match &plan.kind {
            TranslationKind::Statement(statement) if statement.estimates.is_empty() => {
                let parameters = parameters.pop()?;
                Some(Arc::new(ReadKey {
                    plan: Arc::downgrade(plan),
                    parameters,
                }))
            }
            _ => None,
        }
    }

    /// The parameters of the statement.
    pub(super) fn parameters(&self) -> &[Option<String>] {
        &self.parameters
    }

    fn size(&self) -> usize {
        let parameters = self
            .parameters
            .iter()
            .map(|text| size_of::<Option<String>>() + text.as_ref().map_or(0, String::len));
        ENTRY_OVERHEAD_BYTES + parameters.sum::<usize>()
    }
}

impl PartialEq for ReadKey {
    fn eq(&self, other: &ReadKey) -> bool {
        Weak::ptr_eq(&self.plan, &other.plan) && self.parameters == other.parameters
    }
}

impl Eq for ReadKey {}

impl Hash for ReadKey {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.plan.as_ptr().hash(hasher);
        self.parameters.hash(hasher);
    }
}

impl Expiry<Arc<ReadKey>, Kept> for Terms {
    fn expire_after_create(&self, _: &Arc<ReadKey>, kept: &Kept, _: Instant) -> Option<Duration> {
        Some(kept.keep.saturating_sub(kept.sent.elapsed()))
    }

    fn expire_after_update(
        &self,
        _: &Arc<ReadKey>,
        kept: &Kept,
        _: Instant,
        _: Option<Duration>,
    ) -> Option<Duration> {
        Some(kept.keep.saturating_sub(kept.sent.elapsed()))
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use sql::graphql::variables::VariableFingerprint;
    use sql::statement::Statement;

    use super::*;

    fn plan() -> Arc<Translation> {
        let shape = sql::encode::shape::Shape {
            response: sql::encode::shape::ResponseShape::Row(vec![]),
        };
        let statement = Statement {
            text: "SELECT".into(),
            parameters: vec![],
            shape,
            scans: vec![],
            estimates: vec![],
            assertions: vec![],
            is_small: true,
            needs_values: false,
            repeated: vec![],
            batch: None,
            positions: vec![],
            settings: None,
        };
        let kind = TranslationKind::Statement(Box::new(statement));
        Arc::new(Translation::new(
            kind,
            vec![],
            VariableFingerprint::default(),
        ))
    }

    fn read(plan: &Arc<Translation>, parameter: Option<&str>) -> Arc<ReadKey> {
        ReadKey::new(plan, &mut vec![vec![parameter.map(str::to_owned)]]).unwrap()
    }

    fn soon() -> tokio::time::Instant {
        tokio::time::Instant::now() + Duration::from_secs(20)
    }

    const SHARE: CachePolicy = CachePolicy {
        max_age: Duration::ZERO,
        share: true,
        refresh: false,
    };
    const KEEP: CachePolicy = CachePolicy {
        max_age: Duration::from_secs(60),
        share: false,
        refresh: false,
    };

    async fn lead(shared: &ReadCache, read: Arc<ReadKey>, reuse: CachePolicy) -> FlightLeader<'_> {
        match shared.lookup(read, reuse, soon()).await {
            Lookup::Ask(lead) => lead,
            _ => panic!("another request has asked"),
        }
    }

    #[test]
    fn read_key_is_plan_and_all_parameters() {
        let one = plan();
        let two = plan();
        assert_eq!(read(&one, Some("a")), read(&one, Some("a")));
        assert_ne!(read(&one, Some("a")), read(&one, Some("b")));
        assert_ne!(read(&one, Some("")), read(&one, None));
        assert_ne!(read(&one, Some("a")), read(&two, Some("a")));
        let gone = read(&one, None);
        drop(one);
        // A new plan cannot get the address of the dropped one while its key exists.
        assert!((0..100).all(|_| read(&plan(), None) != gone));
    }

    #[tokio::test]
    async fn only_an_unsent_statement_is_joined() {
        let shared = ReadCache::with_capacity(1 << 20);
        let plan = plan();
        let first = lead(&shared, read(&plan, None), SHARE).await;
        let joined = shared.lookup(read(&plan, None), SHARE, soon());
        tokio::pin!(joined);
        assert!(futures_util::poll!(&mut joined).is_pending());
        first.mark_sent();
        let second = lead(&shared, read(&plan, None), SHARE).await;
        assert!(first.has_waiters() && !second.has_waiters());
        first.complete(&Bytes::from_static(b"1"));
        assert!(matches!(joined.await, Lookup::Answered(bytes) if bytes == "1"));
        assert!(shared.flights().is_empty());
        drop(second);
        drop(lead(&shared, read(&plan, None), SHARE).await);
        assert!(shared.flights().is_empty());
    }

    #[tokio::test]
    async fn waiting_request_replaces_dropped_leader() {
        let shared = ReadCache::with_capacity(1 << 20);
        let plan = plan();
        let first = lead(&shared, read(&plan, None), SHARE).await;
        let mut second = Box::pin(shared.lookup(read(&plan, None), SHARE, soon()));
        let mut third = Box::pin(shared.lookup(read(&plan, None), SHARE, soon()));
        assert!(
            futures_util::poll!(&mut second).is_pending()
                && futures_util::poll!(&mut third).is_pending()
        );
        drop(first);
        let Lookup::Ask(next) = second.await else {
            panic!("no request asks")
        };
        assert!(futures_util::poll!(&mut third).is_pending());
        next.fail();
        assert!(matches!(third.await, Lookup::Alone));
    }

    #[tokio::test]
    async fn lookup_ends_at_the_deadline() {
        let shared = ReadCache::with_capacity(1 << 20);
        let plan = plan();
        let _first = lead(&shared, read(&plan, None), SHARE).await;
        let late = tokio::time::Instant::now() + Duration::from_millis(10);
        assert!(matches!(
            shared.lookup(read(&plan, None), SHARE, late).await,
            Lookup::Late
        ));
    }

    #[tokio::test]
    async fn answer_is_cached_for_its_maximum_age() {
        let shared = ReadCache::with_capacity(1 << 20);
        let plan = plan();
        let first = lead(&shared, read(&plan, None), KEEP).await;
        first.mark_sent();
        first.complete(&Bytes::from_static(b"1"));
        assert!(
            matches!(shared.lookup(read(&plan, None), KEEP, soon()).await, Lookup::Answered(bytes) if bytes == "1")
        );
        drop(lead(&shared, read(&plan, Some("other")), KEEP).await);
        // A policy with a shorter maximum age or none does not use the cached answer.
        drop(
            lead(
                &shared,
                read(&plan, None),
                CachePolicy::for_time(Duration::from_nanos(1)),
            )
            .await,
        );
        drop(lead(&shared, read(&plan, None), SHARE).await);
        let long = lead(&shared, read(&plan, Some("long")), KEEP).await;
        long.mark_sent();
        long.complete(&vec![b'x'; 1 << 17].into());
        drop(lead(&shared, read(&plan, Some("long")), KEEP).await);
    }

    #[test]
    fn invalid_settings_are_rejected() {
        let read =
            |text: &str| ReadCache::read(&ConfigTables::parse(Path::new("gateway.toml"), text));
        let shared = read(
            "[cache]\nbytes = 1\n[cache.operation.A]\nseconds = \
                           1.5\n[cache.operation.B]\nshare = true\n",
        );
        let shared = shared.unwrap();
        assert_eq!(
            shared.policy(|| Some("A"), SHARE),
            CachePolicy {
                max_age: Duration::from_millis(1500),
                share: true,
                refresh: false
            }
        );
        assert_eq!(shared.policy(|| Some("B"), CachePolicy::default()), SHARE);
        assert!(
            shared
                .policy(|| Some("C"), CachePolicy::default())
                .is_none()
        );
        assert!(shared.policy(|| None, CachePolicy::default()).is_none());
        for text in [
            "[cache]\nbyte = 1\n",
            "[cache.operation.A]\nseconds = -1\n",
            "[cache.operation.A]\nsecond = 1\n",
        ] {
            assert!(read(text).is_err(), "{text}");
        }
        let message = read("[cache.operation.A]\nseconds = 1e9\n")
            .unwrap_err()
            .to_string();
        assert_eq!(
            message,
            "gateway.toml: `cache`: `seconds` of `A` has to be a number from 0 to 86400"
        );
    }
}

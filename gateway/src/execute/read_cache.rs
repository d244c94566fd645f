//! Reads that need no statement of their own: what was answered lately is kept for as long as an operation says, and those who
//! ask the same at the same time wait for one statement.
//!
//! Both know a read by what the database would be told: the plan, which belongs to a role and a document, and every parameter of
//! its statement. Whatever the rules, masks and functions of its tables read of the session is among these, and what decides
//! the text makes another plan. So nobody is answered with rows that the database would not have given.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::time::{Duration, Instant};

use bytes::Bytes;
use moka::Expiry;
use moka::sync::Cache;
use serde::Deserialize;
use sql::{Translation, TranslationKind};
use tokio::sync::watch;

use crate::config::{ConfigError, ConfigTables};
use crate::database::Parameters;
use crate::telemetry::metrics::ReadCounters;

/// Reads that are kept, and those that are on their way.
#[derive(Debug)]
pub struct ReadCache {
    operations: HashMap<String, CachePolicy>,
    kept: Cache<Arc<ReadKey>, Kept>,
    /// The most bytes of an answer that is kept.
    longest: usize,
    flights: Mutex<HashMap<Arc<ReadKey>, Arc<Flight>>>,
    counters: ReadCounters,
}

/// What may be answered with an answer that was made for somebody else.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CachePolicy {
    /// For how long an answer is kept.
    pub max_age: Duration,
    /// Whether those who ask at the same time wait for one statement, though no answer is kept.
    pub share: bool,
}

/// `[cache]` in the settings file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Table {
    #[serde(default = "bytes")]
    bytes: u64,
    #[serde(default)]
    operation: HashMap<String, Written>,
}

/// `[cache.operation.<name>]`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    #[serde(default)]
    seconds: f64,
    #[serde(default)]
    share: bool,
}

/// What all answers that are kept may take up.
const BYTES: u64 = 64 << 20;

fn bytes() -> u64 {
    BYTES
}

/// Nothing is kept for longer than a day.
const LONGEST: f64 = 86_400.0;

/// One answer may take up a part of the room: so many fit at least.
const ANSWERS: u64 = 16;

/// What an answer takes up beside its bytes and its parameters, roughly.
const BESIDE: usize = 400;

/// A read, as the database would be told of it. Holding a plan's place keeps it from another plan; it does not keep the plan.
#[derive(Debug)]
pub(super) struct ReadKey {
    plan: Weak<Translation>,
    parameters: Parameters,
}

/// An answer that is kept.
#[derive(Clone, Debug)]
struct Kept {
    bytes: Bytes,
    /// When its statement left.
    sent: Instant,
    keep: Duration,
}

/// Ends the time of each answer by its own measure.
struct Terms;

/// A statement that somebody waits for, or is about to.
#[derive(Debug)]
struct Flight {
    outcome: watch::Receiver<Option<Outcome>>,
    /// When it left for the database.
    sent: OnceLock<Instant>,
}

/// What became of it.
#[derive(Clone, Debug)]
enum Outcome {
    Answered(Bytes),
    /// It has no answer that could be handed on.
    Failed,
}

/// How a read comes by its answer.
pub(super) enum Lookup<'a> {
    /// It has it.
    Answered(Bytes),
    /// By a statement, whose answer others may wait for.
    Ask(FlightLeader<'a>),
    /// By a statement of its own.
    Alone,
    /// It did not come in time.
    Late,
}

/// Whoever sends a statement that others may wait for. When it goes away without a word, one of them takes its place.
pub(super) struct FlightLeader<'a> {
    shared: &'a ReadCache,
    read: Arc<ReadKey>,
    flight: Arc<Flight>,
    outcome: watch::Sender<Option<Outcome>>,
    keep: Duration,
}

impl CachePolicy {
    /// Keeps answers for so long.
    pub fn for_time(time: Duration) -> CachePolicy {
        CachePolicy { max_age: time, share: false }
    }

    /// Whether there is anything to it.
    pub fn is_none(self) -> bool {
        self.max_age.is_zero() && !self.share
    }

    /// What either allows.
    fn or(self, other: CachePolicy) -> CachePolicy {
        CachePolicy { max_age: self.max_age.max(other.max_age), share: self.share || other.share }
    }
}

impl ReadCache {
    /// What the settings file allows.
    pub fn read(sections: &ConfigTables) -> Result<ReadCache, ConfigError> {
        let table = sections.read::<Table>("cache")?.unwrap_or(Table { bytes: BYTES, operation: HashMap::new() });
        let mut operations = HashMap::new();
        for (name, Written { seconds, share }) in table.operation {
            if !(0.0..=LONGEST).contains(&seconds) {
                let told = format!("`seconds` of `{name}` has to be a number from 0 to {LONGEST}");
                return Err(sections.fault("cache", told));
            }
            operations.insert(name, CachePolicy { max_age: Duration::from_secs_f64(seconds), share });
        }
        Ok(ReadCache { operations, ..ReadCache::of(table.bytes) })
    }

    /// Room for so many bytes, and no operation that may use it.
    pub fn of(bytes: u64) -> ReadCache {
        let kept = Cache::builder()
            .max_capacity(bytes)
            .weigher(|read: &Arc<ReadKey>, kept: &Kept| {
                u32::try_from(read.size() + kept.bytes.len()).unwrap_or(u32::MAX)
            })
            .expire_after(Terms)
            .build();
        let longest = usize::try_from(bytes / ANSWERS).unwrap_or(usize::MAX);
        ReadCache {
            operations: HashMap::new(),
            kept,
            longest,
            flights: Mutex::default(),
            counters: ReadCounters::default(),
        }
    }

    /// What holds for an operation: what the settings file says of its name, and what the door says.
    pub(super) fn policy<'n>(&self, name: impl FnOnce() -> Option<&'n str>, door: CachePolicy) -> CachePolicy {
        match self.operations.is_empty() {
            true => door,
            false => name().and_then(|name| self.operations.get(name)).map_or(door, |found| found.or(door)),
        }
    }

    /// The same, whose reads are counted there.
    pub fn with_counters(self, counters: ReadCounters) -> ReadCache {
        ReadCache { counters, ..self }
    }

    /// How many answers are kept, and about how many bytes they take up.
    pub fn len(&self) -> (u64, u64) {
        (self.kept.entry_count(), self.kept.weighted_size())
    }

    /// How a read is to be answered; waits for another's statement where there is one.
    pub(super) async fn lookup(
        &self,
        read: Arc<ReadKey>,
        reuse: CachePolicy,
        deadline: tokio::time::Instant,
    ) -> Lookup<'_> {
        if let Some(bytes) = self.get(&read, reuse.max_age) {
            self.counters.kept.inc();
            return Lookup::Answered(bytes);
        }
        loop {
            let mut outcome = match self.join_flight(&read, reuse.max_age) {
                Ok(outcome) => outcome,
                Err(lead) => {
                    self.counters.asked.inc();
                    return Lookup::Ask(lead);
                }
            };
            let Ok(told) = tokio::time::timeout_at(deadline, outcome.wait_for(Option::is_some)).await else {
                return Lookup::Late;
            };
            // Where nobody has told, whoever had sent it is gone.
            match told.ok().and_then(|told| told.clone()) {
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

    /// The answer that is kept, if it is young enough.
    fn get(&self, read: &Arc<ReadKey>, keep: Duration) -> Option<Bytes> {
        if keep.is_zero() {
            return None;
        }
        self.kept.get(read).filter(|kept| kept.sent.elapsed() < keep).map(|kept| kept.bytes)
    }

    /// Waits for a statement that has not left yet, or not longer ago than an answer may be old; else there will be another.
    fn join_flight(
        &self,
        read: &Arc<ReadKey>,
        keep: Duration,
    ) -> Result<watch::Receiver<Option<Outcome>>, FlightLeader<'_>> {
        let mut flights = self.flights();
        match flights.get(read) {
            Some(flight) if flight.sent.get().is_none_or(|sent| sent.elapsed() < keep) => Ok(flight.outcome.clone()),
            _ => {
                let (sender, outcome) = watch::channel(None);
                let flight = Arc::new(Flight { outcome, sent: OnceLock::new() });
                flights.insert(read.clone(), flight.clone());
                Err(FlightLeader { shared: self, read: read.clone(), flight, outcome: sender, keep })
            }
        }
    }

    fn flights(&self) -> MutexGuard<'_, HashMap<Arc<ReadKey>, Arc<Flight>>> {
        self.flights.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl FlightLeader<'_> {
    /// Notes that the statement leaves: whoever wants to know what has been written by now has to ask anew.
    pub(super) fn mark_sent(&self) {
        let _ = self.flight.sent.set(Instant::now());
    }

    /// Whether somebody waits for the answer. Nobody will from now on who does not.
    pub(super) fn has_waiters(&self) -> bool {
        self.close();
        // The flight has one receiver itself.
        self.outcome.receiver_count() > 1
    }

    /// Hands the answer to those who wait.
    pub(super) fn complete(self, bytes: &Bytes) {
        let sent = self.flight.sent.get().copied();
        if let Some(sent) = sent.filter(|_| !self.keep.is_zero() && bytes.len() <= self.shared.longest) {
            // In room of its own: an answer is written into more than it needs.
            let kept = Kept { bytes: Bytes::copy_from_slice(bytes), sent, keep: self.keep };
            self.shared.kept.insert(self.read.clone(), kept);
        }
        self.close();
        self.outcome.send_replace(Some(Outcome::Answered(bytes.clone())));
    }

    /// Tells those who wait to ask themselves.
    pub(super) fn fail(self) {
        self.close();
        self.outcome.send_replace(Some(Outcome::Failed));
    }

    /// Lets nobody join any more.
    fn close(&self) {
        if let Entry::Occupied(entry) = self.shared.flights().entry(self.read.clone())
            && Arc::ptr_eq(entry.get(), &self.flight)
        {
            entry.remove();
        }
    }
}

/// Those who wait see that nobody will tell them.
impl Drop for FlightLeader<'_> {
    fn drop(&mut self) {
        self.close();
    }
}

impl ReadKey {
    /// The read of a plan with these parameters; none where it is not one statement alone whose parameters tell all.
    pub(super) fn of(plan: &Arc<Translation>, parameters: &mut Vec<Parameters>) -> Option<Arc<ReadKey>> {
        match &plan.answer {
            TranslationKind::Statement(statement) if statement.estimates.is_empty() => {
                let parameters = parameters.pop()?;
                Some(Arc::new(ReadKey { plan: Arc::downgrade(plan), parameters }))
            }
            _ => None,
        }
    }

    /// The parameters of its statement.
    pub(super) fn parameters(&self) -> &[Option<String>] {
        &self.parameters
    }

    fn size(&self) -> usize {
        let parameters =
            self.parameters.iter().map(|text| size_of::<Option<String>>() + text.as_ref().map_or(0, String::len));
        BESIDE + parameters.sum::<usize>()
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

    fn expire_after_update(&self, _: &Arc<ReadKey>, kept: &Kept, _: Instant, _: Option<Duration>) -> Option<Duration> {
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
        let shape = sql::encode::shape::Shape { answer: sql::encode::shape::Answer::Row(vec![]) };
        let statement = Statement {
            text: "SELECT".into(),
            parameters: vec![],
            shape,
            scans: vec![],
            estimates: vec![],
            assertions: vec![],
            is_small: true,
            repeated: vec![],
        };
        let answer = TranslationKind::Statement(Box::new(statement));
        Arc::new(Translation {
            answer,
            roots: vec![],
            structure: VariableFingerprint::default(),
            expected: Default::default(),
        })
    }

    fn read(plan: &Arc<Translation>, parameter: Option<&str>) -> Arc<ReadKey> {
        ReadKey::of(plan, &mut vec![vec![parameter.map(str::to_owned)]]).unwrap()
    }

    fn soon() -> tokio::time::Instant {
        tokio::time::Instant::now() + Duration::from_secs(20)
    }

    const SHARE: CachePolicy = CachePolicy { max_age: Duration::ZERO, share: true };
    const KEEP: CachePolicy = CachePolicy { max_age: Duration::from_secs(60), share: false };

    async fn lead(shared: &ReadCache, read: Arc<ReadKey>, reuse: CachePolicy) -> FlightLeader<'_> {
        match shared.lookup(read, reuse, soon()).await {
            Lookup::Ask(lead) => lead,
            _ => panic!("somebody else has asked"),
        }
    }

    #[test]
    fn a_read_is_its_plan_and_all_of_its_parameters() {
        let (one, two) = (plan(), plan());
        assert_eq!(read(&one, Some("a")), read(&one, Some("a")));
        assert_ne!(read(&one, Some("a")), read(&one, Some("b")));
        assert_ne!(read(&one, Some("")), read(&one, None));
        assert_ne!(read(&one, Some("a")), read(&two, Some("a")));
        let gone = read(&one, None);
        drop(one);
        // What is made now cannot take the place of the plan that is gone.
        assert!((0..100).all(|_| read(&plan(), None) != gone));
    }

    #[tokio::test]
    async fn only_a_statement_that_has_not_left_is_joined() {
        let (shared, plan) = (ReadCache::of(1 << 20), plan());
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
    async fn whoever_waits_takes_the_place_of_one_who_is_gone() {
        let (shared, plan) = (ReadCache::of(1 << 20), plan());
        let first = lead(&shared, read(&plan, None), SHARE).await;
        let (mut second, mut third) = (
            Box::pin(shared.lookup(read(&plan, None), SHARE, soon())),
            Box::pin(shared.lookup(read(&plan, None), SHARE, soon())),
        );
        assert!(futures_util::poll!(&mut second).is_pending() && futures_util::poll!(&mut third).is_pending());
        drop(first);
        let Lookup::Ask(next) = second.await else { panic!("nobody asks") };
        assert!(futures_util::poll!(&mut third).is_pending());
        next.fail();
        assert!(matches!(third.await, Lookup::Alone));
    }

    #[tokio::test]
    async fn nobody_waits_longer_than_a_deadline() {
        let (shared, plan) = (ReadCache::of(1 << 20), plan());
        let _first = lead(&shared, read(&plan, None), SHARE).await;
        let late = tokio::time::Instant::now() + Duration::from_millis(10);
        assert!(matches!(shared.lookup(read(&plan, None), SHARE, late).await, Lookup::Late));
    }

    #[tokio::test]
    async fn an_answer_is_kept_for_its_time() {
        let (shared, plan) = (ReadCache::of(1 << 20), plan());
        let first = lead(&shared, read(&plan, None), KEEP).await;
        first.mark_sent();
        first.complete(&Bytes::from_static(b"1"));
        assert!(
            matches!(shared.lookup(read(&plan, None), KEEP, soon()).await, Lookup::Answered(bytes) if bytes == "1")
        );
        drop(lead(&shared, read(&plan, Some("other")), KEEP).await);
        // Who wants it younger asks, and so does who wants none that was kept.
        drop(lead(&shared, read(&plan, None), CachePolicy::for_time(Duration::from_nanos(1))).await);
        drop(lead(&shared, read(&plan, None), SHARE).await);
        let long = lead(&shared, read(&plan, Some("long")), KEEP).await;
        long.mark_sent();
        long.complete(&vec![b'x'; 1 << 17].into());
        drop(lead(&shared, read(&plan, Some("long")), KEEP).await);
    }

    #[test]
    fn the_table_is_read_strictly() {
        let read = |text: &str| ReadCache::read(&ConfigTables::of(Path::new("gateway.toml"), text));
        let shared =
            read("[cache]\nbytes = 1\n[cache.operation.A]\nseconds = 1.5\n[cache.operation.B]\nshare = true\n");
        let shared = shared.unwrap();
        assert_eq!(
            shared.policy(|| Some("A"), SHARE),
            CachePolicy { max_age: Duration::from_millis(1500), share: true }
        );
        assert_eq!(shared.policy(|| Some("B"), CachePolicy::default()), SHARE);
        assert!(shared.policy(|| Some("C"), CachePolicy::default()).is_none());
        assert!(shared.policy(|| None, CachePolicy::default()).is_none());
        for text in ["[cache]\nbyte = 1\n", "[cache.operation.A]\nseconds = -1\n", "[cache.operation.A]\nsecond = 1\n"]
        {
            assert!(read(text).is_err(), "{text}");
        }
        let told = read("[cache.operation.A]\nseconds = 1e9\n").unwrap_err().to_string();
        assert_eq!(told, "gateway.toml: `cache`: `seconds` of `A` has to be a number from 0 to 86400");
    }
}

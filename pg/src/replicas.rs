//! The replicas that queries may read from. One task asks the primary and every replica for its
//! position in the write-ahead log at each interval; a replica that does not answer, lags too far
//! behind, or is no longer a replica gets no queries until it does again. A caller that has written
//! names the position of its write, and reads from a replica that has replayed it, or from the
//! primary.
//!
//! ```text
//!             ┌─ usable? replayed the caller's position? ─▶ the next such replica ─┐ error of the replica
//! a query ────┤                                                                    ▼
//!             └─ no ─────────────────────────────────────────────────────────▶ the primary
//! ```

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use futures_util::future::join_all;
use tokio::task::AbortHandle;
use tokio::time::{Instant, MissedTickBehavior};

use crate::database::{self, Database, Settings};
use crate::error::DatabaseError;
use crate::observer::Observer;
use crate::sign_in::connect_error::ConnectError;
use crate::wal_position::WalPosition;

/// The replicas of a database. Dropping it ends the task that watches them.
#[derive(Debug)]
pub struct Replicas {
    members: Arc<[Arc<Replica>]>,
    /// Chooses the replicas in turn.
    next: AtomicUsize,
    observer: Arc<dyn Observer>,
    watch: AbortHandle,
}

/// A replica.
#[derive(Debug)]
struct Replica {
    /// Its host and port, for the log and metrics.
    name: String,
    settings: Settings,
    /// The `search_path` of its connections.
    schemas: Vec<String>,
    /// Its pool, once it could be reached.
    database: RwLock<Option<Database>>,
    /// The position up to which it has replayed the log.
    replayed: AtomicU64,
    is_usable: AtomicBool,
}

/// A replica that answers a query.
#[derive(Debug)]
pub struct ChosenReplica {
    replica: Arc<Replica>,
    /// Its pool.
    pub database: Database,
}

/// The time between two questions.
const CHECK_INTERVAL: Duration = Duration::from_millis(250);

/// How long a server may take to answer.
const CHECK_TIMEOUT: Duration = Duration::from_secs(1);

/// The position of a server: of a replica, what it has replayed and the seconds since the last
/// transaction of that; of a primary, what it has written.
const POSITION: &str = "SELECT CASE WHEN pg_catalog.pg_is_in_recovery() \
                        THEN coalesce(pg_catalog.pg_last_wal_replay_lsn(), '0/0') || ' ' \
                        || coalesce(extract(epoch FROM pg_catalog.clock_timestamp() - \
                        pg_catalog.pg_last_xact_replay_timestamp()), 0) \
                        ELSE pg_catalog.pg_current_wal_lsn()::text END";

impl Replicas {
    /// Begins to watch the replicas with these settings, whose names in row rules mean what they
    /// mean in these schemas. A replica more than `max_lag` behind the primary gets no queries.
    /// Replicas that cannot be reached now are tried again.
    pub async fn start(
        primary: &Database,
        settings: Vec<Settings>,
        schemas: &[String],
        max_lag: Duration,
        observer: Arc<dyn Observer>,
    ) -> Result<Replicas, ConnectError> {
        let replica = |settings: Settings| {
            let name =
                database::server(&settings.url, &settings, settings.pooler)?.describe_hosts();
            let database = RwLock::default();
            let replayed = AtomicU64::default();
            let is_usable = AtomicBool::default();
            let schemas = schemas.to_vec();
            Ok::<_, ConnectError>(Arc::new(Replica {
                name,
                settings,
                schemas,
                database,
                replayed,
                is_usable,
            }))
        };
        let members: Arc<[_]> = settings
            .into_iter()
            .map(replica)
            .collect::<Result<_, _>>()?;
        let mut watcher = Watcher {
            primary: primary.clone(),
            members: members.clone(),
            samples: Samples::new(max_lag),
            observer: observer.clone(),
        };
        watcher.ask().await;
        let watch = tokio::spawn(watcher.run()).abort_handle();
        Ok(Replicas {
            members,
            next: AtomicUsize::new(0),
            observer,
            watch,
        })
    }

    /// The next usable replica that has replayed this position; none if there is none, and the
    /// primary has to answer. Boxed, because requests without replicas have room for it, too.
    pub fn choose(&self, after: Option<WalPosition>) -> Option<Box<ChosenReplica>> {
        let first = self.next.fetch_add(1, Ordering::Relaxed);
        let count = self.members.len();
        let chosen = (0..count)
            .filter_map(|offset| self.members.get((first % count + offset) % count))
            .find_map(|replica| {
                let is_ready = replica.is_usable.load(Ordering::Acquire)
                    && after.is_none_or(|after| {
                        replica.replayed.load(Ordering::Acquire) >= after.bytes()
                    });
                if !is_ready {
                    return None;
                }
                let database = replica.database()?;
                Some(Box::new(ChosenReplica {
                    replica: replica.clone(),
                    database,
                }))
            });
        let server = chosen
            .as_ref()
            .map_or("primary", |chosen| chosen.replica.name.as_str());
        self.observer.query_is_routed(server);
        chosen
    }

    /// Notes that a replica did not answer a query, which the primary has to answer now.
    pub fn note_failure(&self, chosen: &ChosenReplica, fault: &DatabaseError) {
        let replica = &chosen.replica;
        self.observer.replica_has_failed(&replica.name);
        if let DatabaseError::Unavailable(_) = fault {
            replica.is_usable.store(false, Ordering::Release);
        }
    }

    /// Closes the pools.
    pub fn close(&self) {
        self.watch.abort();
        self.members
            .iter()
            .filter_map(|replica| replica.database())
            .for_each(|database| database.close());
    }
}

impl Drop for Replicas {
    fn drop(&mut self) {
        self.watch.abort();
    }
}

impl Replica {
    fn database(&self) -> Option<Database> {
        self.database
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Its position and how long ago its last transaction was committed, after connecting to it if
    /// that has not succeeded yet. `None` if it is no longer a replica.
    async fn position(&self) -> Result<Option<(WalPosition, Duration)>, String> {
        let database = match self.database() {
            Some(database) => database,
            None => {
                let database = Database::connect_replica(&self.settings)
                    .await
                    .map_err(|error| error.to_string())?;
                database.pin_search_path(&self.schemas);
                *self
                    .database
                    .write()
                    .unwrap_or_else(PoisonError::into_inner) = Some(database.clone());
                database
            }
        };
        position(&database)
            .await
            .map_err(|fault| fault.to_string())
            .map(|(at, age)| Some((at, age?)))
    }
}

/// The position of a server, and of a replica how long ago its last transaction was committed.
async fn position(database: &Database) -> Result<(WalPosition, Option<Duration>), DatabaseError> {
    let text = database
        .query_text(POSITION, Instant::now() + CHECK_TIMEOUT)
        .await?;
    let malformed = || DatabaseError::Protocol(format!("`{text}` is no position"));
    let (position, age) = match text.split_once(' ') {
        Some((position, age)) => (position, Some(age.parse::<f64>().map_err(|_| malformed())?)),
        None => (text.as_str(), None),
    };
    let position = position.parse().map_err(|_| malformed())?;
    Ok((
        position,
        age.map(|seconds| Duration::try_from_secs_f64(seconds).unwrap_or_default()),
    ))
}

/// Watches the replicas.
struct Watcher {
    primary: Database,
    members: Arc<[Arc<Replica>]>,
    samples: Samples,
    observer: Arc<dyn Observer>,
}

impl Watcher {
    async fn run(mut self) {
        let mut ticks = tokio::time::interval(CHECK_INTERVAL);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            self.ask().await;
        }
    }

    /// Asks all servers once. The primary is asked first, so that a replica is never taken for
    /// further ahead than it is.
    async fn ask(&mut self) {
        let asked = tokio::time::timeout(CHECK_TIMEOUT, position(&self.primary)).await;
        if let Ok(Ok((position, _))) = asked {
            self.samples.add(Instant::now(), position);
        }
        let positions = self
            .members
            .iter()
            .map(|replica| tokio::time::timeout(CHECK_TIMEOUT, replica.position()));
        for (replica, position) in self.members.iter().zip(join_all(positions).await) {
            let position = position.unwrap_or_else(|_| {
                Err(format!(
                    "no answer within {} s",
                    CHECK_TIMEOUT.as_secs_f64()
                ))
            });
            self.judge(replica, position);
        }
    }

    fn judge(&self, replica: &Replica, position: Result<Option<(WalPosition, Duration)>, String>) {
        let usable = match position {
            Err(cause) => Err(cause),
            Ok(None) => Err("it is no longer a replica".into()),
            Ok(Some((position, age))) => {
                replica.replayed.store(position.bytes(), Ordering::Release);
                let lag = self.samples.lag(Instant::now(), position, age);
                self.observer.replica_lags(&replica.name, lag.as_secs_f64());
                if lag <= self.samples.max_lag {
                    Ok(())
                } else {
                    Err(format!("it is {:.1} s behind", lag.as_secs_f64()))
                }
            }
        };
        self.observer
            .replica_was_judged(&replica.name, usable.is_ok());
        let was_usable = replica.is_usable.swap(usable.is_ok(), Ordering::AcqRel);
        match usable {
            Ok(()) if !was_usable => {
                tracing::info!(replica = replica.name, "the replica gets queries");
            }
            Err(cause) if was_usable => {
                tracing::warn!(replica = replica.name, cause, "the replica gets no queries");
            }
            _ => {}
        }
    }
}

/// The positions of the primary over time.
#[derive(Debug)]
struct Samples {
    max_lag: Duration,
    positions: VecDeque<(Instant, WalPosition)>,
}

/// The most positions that are kept.
const MAX_SAMPLES: usize = 10_000;

impl Samples {
    fn new(max_lag: Duration) -> Samples {
        Samples {
            max_lag,
            positions: VecDeque::new(),
        }
    }

    fn add(&mut self, now: Instant, position: WalPosition) {
        // A position from after a failover may be smaller: the new primary never had what the old
        // one wrote last.
        if self
            .positions
            .back()
            .is_some_and(|(_, last)| position < *last)
        {
            self.positions.clear();
        }
        // Only the time at which a position was first seen counts.
        if self
            .positions
            .back()
            .is_none_or(|(_, last)| position > *last)
        {
            self.positions.push_back((now, position));
        }
        let is_old = |(at, _): &(Instant, WalPosition)| now.duration_since(*at) > self.max_lag * 2;
        while self.positions.len() > 2
            && (self.positions.len() > MAX_SAMPLES || self.positions.get(1).is_some_and(is_old))
        {
            self.positions.pop_front();
        }
    }

    /// How far a replica is behind that has replayed this position: the time since the primary was
    /// seen beyond it. Before enough is known, at least the age of the replica's last transaction.
    fn lag(&self, now: Instant, replayed: WalPosition, age: Duration) -> Duration {
        let beyond = self
            .positions
            .iter()
            .position(|(_, position)| *position > replayed);
        let Some(index) = beyond else {
            return Duration::ZERO;
        };
        let seen = self
            .positions
            .get(index)
            .map_or(Duration::ZERO, |(at, _)| now.duration_since(*at));
        // The first position may have been written long before it was seen.
        if index == 0 { seen.max(age) } else { seen }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(position: u64) -> WalPosition {
        WalPosition::from(position)
    }

    #[test]
    fn lag_is_the_time_since_the_primary_was_seen_beyond_the_replica() {
        let start = Instant::now();
        let second = Duration::from_secs(1);
        let mut samples = Samples::new(second * 10);
        assert_eq!(samples.lag(start, at(5), second * 60), Duration::ZERO);
        for (index, position) in [100, 100, 200, 300].into_iter().enumerate() {
            samples.add(start + second * u32::try_from(index).unwrap(), at(position));
        }
        let now = start + second * 5;
        assert_eq!(samples.lag(now, at(300), second * 60), Duration::ZERO);
        assert_eq!(samples.lag(now, at(250), second * 60), second * 2);
        assert_eq!(samples.lag(now, at(100), second * 60), second * 3);
        // Nothing is known about the time before the first position.
        assert_eq!(samples.lag(now, at(50), second * 60), second * 60);
        assert_eq!(samples.lag(now, at(50), Duration::ZERO), second * 5);
    }

    #[test]
    fn old_positions_are_dropped_and_a_failover_begins_anew() {
        let start = Instant::now();
        let second = Duration::from_secs(1);
        let mut samples = Samples::new(second);
        for index in 0..100 {
            samples.add(start + second * index, at(u64::from(index)));
        }
        assert!(samples.positions.len() <= 4, "{}", samples.positions.len());
        assert!(samples.lag(start + second * 100, at(3), Duration::ZERO) > samples.max_lag);
        samples.add(start + second * 101, at(50));
        assert_eq!(
            samples.lag(start + second * 102, at(50), Duration::ZERO),
            Duration::ZERO
        );
    }
}

//! The replicas that queries may read from. One task asks the primary and every replica for its
//! state at each interval; a replica that does not answer, does not follow this primary, or lags
//! too far behind gets no queries until it does again. A caller that has written names the position
//! of its write, and reads from a replica that has replayed it, or from the primary.
//!
//! ```text
//!             ┌─ usable? replayed the caller's position? ─▶ the next such replica ─┐ error of the replica
//! a query ────┤                                                                    ▼
//!             └─ no ─────────────────────────────────────────────────────────▶ the primary
//! ```

mod fitness;

use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use futures_util::future::join_all;
use tokio::task::AbortHandle;
use tokio::time::{Instant, MissedTickBehavior};

use self::fitness::{Divergence, Samples, Unusable};
use crate::database::{self, Database, Settings};
use crate::error::DatabaseError;
use crate::observer::Observer;
use crate::server_start::ComparedStart;
use crate::server_state::{STATE_TIMEOUT, ServerState};
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
    name: Arc<str>,
    settings: Settings,
    /// The `search_path` of its connections.
    schemas: Vec<String>,
    /// Its pool, once it could be reached.
    database: RwLock<Option<Database>>,
    /// The start of its server when it was last compared with the primary.
    compared_start: ComparedStart,
    /// The timeline that it follows, and the position up to which it has replayed it.
    timeline: AtomicU32,
    replayed: AtomicU64,
    /// Whether it has replayed everything that is left of earlier timelines.
    has_earlier_timelines: AtomicBool,
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
            let name = name.into();
            let database = RwLock::default();
            let schemas = schemas.to_vec();
            Ok::<_, ConnectError>(Arc::new(Replica {
                name,
                settings,
                schemas,
                database,
                compared_start: ComparedStart::default(),
                timeline: AtomicU32::default(),
                replayed: AtomicU64::default(),
                has_earlier_timelines: AtomicBool::default(),
                is_usable: AtomicBool::default(),
            }))
        };
        let members: Arc<[_]> = settings
            .into_iter()
            .map(replica)
            .collect::<Result<_, _>>()?;
        let mut watcher = Watcher {
            primary: primary.clone(),
            members: members.clone(),
            states: members.iter().map(|_| ReplicaState::default()).collect(),
            samples: Samples::new(max_lag),
            last_primary: None,
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
                    && after.is_none_or(|after| replica.has_replayed(after));
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
            .map_or("primary", |chosen| &*chosen.replica.name);
        self.observer.query_is_routed(server);
        chosen
    }

    /// The hosts and ports of the replicas.
    pub fn hosts(&self) -> impl Iterator<Item = &Arc<str>> {
        self.members.iter().map(|replica| &replica.name)
    }

    /// Notes that a replica did not answer a query, which the primary has to answer now.
    pub fn note_failure(&self, chosen: &ChosenReplica, fault: &DatabaseError) {
        let replica = &chosen.replica;
        self.observer.replica_has_failed(&replica.name);
        if let DatabaseError::Unavailable(cause) = fault
            && replica.is_usable.swap(false, Ordering::AcqRel)
        {
            let replica = &*replica.name;
            tracing::warn!(replica, cause, "the replica gets no queries");
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

impl ChosenReplica {
    /// Its host and port.
    pub fn host(&self) -> &Arc<str> {
        &self.replica.name
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

    /// Whether it shows everything that was committed before this position. What a failover has
    /// lost of an earlier timeline is on no server.
    fn has_replayed(&self, position: WalPosition) -> bool {
        let timeline = self.timeline.load(Ordering::Acquire);
        if position.timeline == timeline {
            self.replayed.load(Ordering::Acquire) >= position.lsn.bytes()
        } else {
            position.timeline < timeline && self.has_earlier_timelines.load(Ordering::Acquire)
        }
    }

    /// Its state, after connecting to it if that has not succeeded yet.
    async fn ask(&self) -> Result<ServerState, String> {
        let database = match self.database() {
            Some(database) => database,
            None => {
                let compared_start = self.compared_start.clone();
                let database = Database::connect_replica(&self.settings, compared_start)
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
        ServerState::ask(&database)
            .await
            .map_err(|fault| fault.to_string())
    }
}

/// Watches the replicas.
struct Watcher {
    primary: Database,
    members: Arc<[Arc<Replica>]>,
    /// What is known of each replica.
    states: Vec<ReplicaState>,
    samples: Samples,
    /// The last state of the primary.
    last_primary: Option<ServerState>,
    observer: Arc<dyn Observer>,
}

/// What is known of a replica from earlier questions.
#[derive(Default)]
struct ReplicaState {
    divergence: Option<Divergence>,
    /// Why it was not usable; none before the first question.
    last: Option<Result<(), Unusable>>,
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
    /// further ahead than it is, and once more if a replica is beyond its response, so that no
    /// replica is beyond the primary's position unless their histories differ.
    async fn ask(&mut self) {
        let mut primary = ServerState::ask(&self.primary).await;
        if let Ok(state) = &primary {
            self.samples.add(Instant::now(), state);
            self.last_primary = Some(state.clone());
        }
        let asked = self
            .members
            .iter()
            .map(|replica| tokio::time::timeout(STATE_TIMEOUT, replica.ask()));
        let replicas: Vec<_> = join_all(asked)
            .await
            .into_iter()
            .map(|state| state.unwrap_or_else(|_| Err("no answer within 1 s".into())))
            .collect();
        let is_beyond = |primary: &ServerState| {
            let mut states = replicas.iter().flatten();
            states.any(|replica| fitness::divergence(replica, primary).is_some())
        };
        if primary.as_ref().is_ok_and(is_beyond) {
            primary = ServerState::ask(&self.primary).await;
        }
        for (index, replica) in replicas.into_iter().enumerate() {
            self.judge(index, replica, &primary);
        }
    }

    fn judge(
        &mut self,
        index: usize,
        state: Result<ServerState, String>,
        primary: &Result<ServerState, DatabaseError>,
    ) {
        let Some((replica, known)) = self.members.get(index).zip(self.states.get_mut(index)) else {
            return;
        };
        let lag = state.as_ref().ok().map(|state| {
            let lag = self.samples.lag(Instant::now(), state.position, state.age);
            self.observer.replica_lags(&replica.name, lag.seconds());
            lag
        });
        let usable = match (state, lag) {
            (Ok(state), Some(lag)) => {
                let usable = match (primary, &self.last_primary) {
                    (Ok(primary), _) => {
                        known.divergence =
                            Divergence::update(known.divergence.take(), &state, primary);
                        let follows =
                            fitness::check_history(known.divergence.as_ref(), &state, primary);
                        if follows.is_ok() {
                            replica.compared_start.set(state.started);
                        }
                        follows
                    }
                    (Err(DatabaseError::Refused(refusal)), _) => {
                        Err(Unusable::UnknownPrimary(refusal.to_string()))
                    }
                    // While the primary is away, a replica stays what it was.
                    (Err(fault), Some(primary)) => {
                        fitness::check_cluster(known.divergence.as_ref(), &state, primary).and_then(
                            |()| match &known.last {
                                Some(Err(cause)) if cause.is_of_history() => Err(cause.clone()),
                                _ if !replica.compared_start.is(state.started) => {
                                    Err(Unusable::UnknownPrimary(fault.to_string()))
                                }
                                _ => Ok(()),
                            },
                        )
                    }
                    (Err(fault), None) => Err(Unusable::UnknownPrimary(fault.to_string())),
                };
                if usable.is_ok() {
                    replica.timeline.store(state.timeline, Ordering::Release);
                    replica
                        .replayed
                        .store(state.position.bytes(), Ordering::Release);
                    let has_earlier = self.samples.covers_earlier_timelines(&state);
                    replica
                        .has_earlier_timelines
                        .store(has_earlier, Ordering::Release);
                }
                usable.and_then(|()| self.samples.check_lag(lag))
            }
            (Err(cause), _) => Err(Unusable::Unreachable(cause)),
            (Ok(_), None) => return,
        };
        self.observer
            .replica_was_judged(&replica.name, usable.is_ok());
        replica.is_usable.store(usable.is_ok(), Ordering::Release);
        let name = &*replica.name;
        match (&known.last, &usable) {
            (Some(Ok(())), Ok(())) => {}
            (_, Ok(())) => tracing::info!(replica = name, "the replica gets queries"),
            (Some(Err(last)), Err(cause)) if last.is_same_kind(cause) => {}
            (_, Err(cause)) => {
                tracing::warn!(replica = name, %cause, "the replica gets no queries");
            }
        }
        known.last = Some(usable);
    }
}

//! Follows logical replication: matches each changed row with the parameters of subscribers,
//! without a statement, and wakes those that it can touch. While it runs, cohorts that read only
//! published tables are not woken by snapshots. When it is lost, all cohorts are woken, and
//! snapshots serve them until there is a new slot.

use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::{Arc, Weak};
use std::time::Duration;

use pg::replication::ReplicationStream;
use pg::replication::pgoutput::{LogicalMessage, ReplicatedTable};
use pg::{Database, DatabaseError};
use serde::Deserialize;
use sql::postgres::catalog::Oid;
use tokio::sync::mpsc::{self, Sender};
use tokio::sync::oneshot;
use tokio::time::{Instant, MissedTickBehavior};

use super::super::cohort::Cohort;
use super::super::cohort::Wake;
use super::super::cohort_registry::CohortRegistry;
use super::super::coverage::{Coverage, PublishedTables};
use super::super::key_index::Touched;
use super::super::row_change::{ChangeKind, RowChange};
use super::super::slot_limits::SlotLimits;
use super::super::snapshot::CURRENT_SNAPSHOT;
use super::super::snapshot::Snapshot;
use super::super::source::{self, PUBLICATION};
use super::visibility::{MAX_WAITING_TRANSACTIONS, TouchedCohorts, wake_when_visible};
use crate::config::SubscriptionSource;
use crate::execute::{ExecutionState, ReloadRequests};

/// The published tables and a digest of the catalog, from which a change of the schema is seen. Its
/// digest has the parts that a query depends on, and not those that change with `TRUNCATE`,
/// `VACUUM` or statistics.
const TABLES: &str = concat!(
    "SELECT json_build_object('catalog', ",
    include_str!("replication/catalog.sql"),
    include_str!("replication/tables.sql")
);

/// The lag of the slot in bytes, null if the slot does not exist; a snapshot; and the digest of the
/// catalog as in [`TABLES`].
const CHECK: &str = concat!(
    "SELECT json_build_object('catalog', ",
    include_str!("replication/catalog.sql"),
    include_str!("replication/check.sql")
);

/// How long after the loss of the stream a new one is started, and how often it is tried where it
/// is impossible or has failed at once.
const RETRY_DELAYS: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(10));

/// How long the database may take to answer.
const STATEMENT_TIMEOUT: Duration = Duration::from_secs(5);

/// A slot that had to be dropped.
#[derive(Debug, thiserror::Error)]
enum Loss {
    #[error(transparent)]
    Database(#[from] DatabaseError),
    #[error("the slot is {0} bytes of WAL behind")]
    Lag(i64),
    #[error("the publication was changed: {0}")]
    Publication(String),
    #[error("there is no slot after {0:?}, because transactions from before are still running")]
    Creation(Duration),
}

/// The answer to [`CHECK`].
#[derive(Debug, Deserialize)]
struct Check {
    lag: Option<i64>,
    snapshot: String,
    catalog: String,
}

/// Follows replication as long as the database permits it.
pub(super) async fn follow(registry: &CohortRegistry, reload: &ReloadRequests) {
    let mut missing = String::new();
    loop {
        let Some(execution) = reload.latest() else {
            return std::future::pending().await;
        };
        let following = async {
            tokio::time::sleep(follow_slot(registry, &execution, &mut missing).await).await;
        };
        // A reload may change the database.
        tokio::select! {
            () = following => {}
            _ = reload.replaced(&execution) => {}
        }
    }
}

/// Follows one slot until it is lost. Returns how long to wait for the next one. `missing` is what
/// was missing before.
async fn follow_slot(
    registry: &CohortRegistry,
    execution: &Arc<ExecutionState>,
    missing: &mut String,
) -> Duration {
    let database = &execution.database;
    let Ok(now) =
        source::missing_for_replication(database, Instant::now() + STATEMENT_TIMEOUT).await
    else {
        return RETRY_DELAYS.0;
    };
    let expected = &registry.context.settings.metrics.replication_expected;
    // Once replication could run, its loss is an incident, whatever is missing then.
    if now.is_momentary() || registry.context.settings.source == SubscriptionSource::Replication {
        expected.set(1);
    }
    let before = std::mem::replace(missing, now.all().join(", "));
    if !missing.is_empty() {
        if expected.get() == 1 && *missing != before {
            warn_of_missing(missing);
        }
        return RETRY_DELAYS.1;
    }
    let stream = match replicate(registry, database).await {
        Ok(stream) => stream,
        Err(Loss::Database(fault)) if let Some(slot) = source::missing_slot(&fault) => {
            if *missing != slot {
                warn_of_missing(&slot);
            }
            *missing = slot;
            return RETRY_DELAYS.1;
        }
        Err(fault) => {
            tracing::warn!(cause = %fault, "logical replication does not start; snapshots are \
                                            compared instead");
            return if matches!(fault, Loss::Database(DatabaseError::Unavailable(_))) {
                RETRY_DELAYS.0
            } else {
                RETRY_DELAYS.1
            };
        }
    };
    let tables = match begin(registry, database).await {
        Ok(tables) => tables,
        Err(_) => return RETRY_DELAYS.0,
    };
    let covered = Covered(registry);
    tracing::info!(slot = stream.slot(), "logical replication has begun");
    let (sender, receiver) = mpsc::channel(MAX_WAITING_TRANSACTIONS);
    let known = KnownTables {
        registry,
        database,
        tables,
        known: HashMap::new(),
    };
    let lost = tokio::select! {
        lost = read(stream, known, sender) => lost,
        () = wake_when_visible(registry, database, receiver) => return RETRY_DELAYS.0,
    };
    drop(covered);
    let metrics = &registry.context.settings.metrics;
    metrics.replication_losses.inc();
    tracing::warn!(cause = %lost, "logical replication was lost; snapshots are compared until it \
                                   begins again");
    if let Loss::Database(_) = lost {
        RETRY_DELAYS.0
    } else {
        RETRY_DELAYS.1
    }
}

fn warn_of_missing(missing: &str) {
    tracing::warn!(
        missing,
        "logical replication does not start; snapshots are compared until it can"
    );
}

/// Starts a stream, one at a time: Postgres creates a slot once the transactions that run have
/// ended, and does not notice meanwhile that the client is gone. So a task cancels a start whose
/// subscribers are gone, and the next one waits for it.
async fn replicate(
    registry: &CohortRegistry,
    database: &Database,
) -> Result<ReplicationStream, Loss> {
    let starting = registry.starting.clone().lock_owned().await;
    let database = database.clone();
    let limits = registry.context.settings.slot_limits;
    let slot = ReplicationStream::new_slot_name(&registry.context.settings.slot_owner);
    let (_caller, caller_is_gone) = oneshot::channel::<Infallible>();
    let started = tokio::spawn(async move {
        let began = Instant::now();
        let stop = async {
            tokio::select! {
                _ = caller_is_gone => Loss::Creation(began.elapsed()),
                () = tokio::time::sleep(limits.creation_time) => Loss::Creation(limits.creation_time),
                loss = watch_new_slot(&database, &slot, limits) => loss,
            }
        };
        let stream = database.replicate(PUBLICATION, &slot, stop).await;
        drop(starting);
        stream
    });
    started
        .await
        .unwrap_or_else(|error| Err(DatabaseError::Protocol(error.to_string()).into()))
}

/// Waits until a slot that is being created is too far behind.
async fn watch_new_slot(database: &Database, slot: &str, limits: SlotLimits) -> Loss {
    let mut is_logged = false;
    loop {
        tokio::time::sleep(limits.check_interval).await;
        if !std::mem::replace(&mut is_logged, true) {
            tracing::info!(
                slot,
                "logical replication waits for transactions that are running; \
                                  snapshots are compared meanwhile"
            );
        }
        let parameters = [Some(slot.to_owned())];
        let Ok(response) = database
            .query_scalar(CHECK, &parameters, Instant::now() + STATEMENT_TIMEOUT)
            .await
        else {
            continue;
        };
        let check = serde_json::from_str::<Check>(&response).ok();
        if let Some(lag) = check
            .and_then(|check| check.lag)
            .filter(|lag| limits.is_exceeded(*lag))
        {
            return Loss::Lag(lag);
        }
    }
}

/// Takes the changes of replication for complete from now on, and wakes all cohorts for those from
/// before.
async fn begin(
    registry: &CohortRegistry,
    database: &Database,
) -> Result<PublishedTables, DatabaseError> {
    let tables = published_tables(database).await?;
    let snapshot = database
        .query_text(CURRENT_SNAPSHOT, Instant::now() + STATEMENT_TIMEOUT)
        .await?;
    let malformed = || DatabaseError::Protocol("a snapshot that cannot be read".into());
    let next = Snapshot::parse(&snapshot).ok_or_else(malformed)?.next;
    registry.set_coverage(Some(Arc::new(Coverage::new(tables.clone(), next))));
    registry.show_source(SubscriptionSource::Replication, true);
    registry.wake(Wake::Everything);
    Ok(tables)
}

async fn published_tables(database: &Database) -> Result<PublishedTables, DatabaseError> {
    let tables = database
        .query_scalar(
            TABLES,
            &[Some(PUBLICATION.to_owned())],
            Instant::now() + STATEMENT_TIMEOUT,
        )
        .await?;
    serde_json::from_str(&tables).map_err(|error| DatabaseError::Protocol(error.to_string()))
}

/// Ends the coverage when it is dropped.
struct Covered<'s>(&'s CohortRegistry);

impl Drop for Covered<'_> {
    fn drop(&mut self) {
        self.0.set_coverage(None);
        self.0.context.recent_commits.clear();
        let metrics = &self.0.context.settings.metrics;
        metrics.slot_retained_bytes.set(0);
        self.0.show_source(SubscriptionSource::Replication, false);
        self.0.wake(Wake::Everything);
    }
}

/// Reads the stream until it is lost.
async fn read(
    mut stream: ReplicationStream,
    mut tables: KnownTables<'_>,
    sender: Sender<TouchedCohorts>,
) -> Loss {
    let interval = tables.registry.context.settings.slot_limits.check_interval;
    let mut checks = tokio::time::interval_at(Instant::now() + interval, interval);
    checks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut transaction = None;
    loop {
        tokio::select! {
            message = stream.next() => {
                let handled = match message {
                    Ok(message) => tables.handle(message, &mut transaction, &sender).await,
                    Err(fault) => Err(fault),
                };
                if let Err(fault) = handled {
                    return fault.into();
                }
            }
            _ = checks.tick() => if let Err(loss) = tables.check(stream.slot()).await {
                return loss;
            }
        }
        loop {
            let handled = match stream.next_buffered() {
                Ok(Some(message)) => tables.handle(message, &mut transaction, &sender).await,
                Ok(None) => break,
                Err(fault) => Err(fault),
            };
            if let Err(fault) = handled {
                return fault.into();
            }
        }
    }
}

/// The tables of the stream and the cohorts that read them.
struct KnownTables<'s> {
    registry: &'s CohortRegistry,
    database: &'s Database,
    tables: PublishedTables,
    known: HashMap<Oid, KnownTable>,
}

struct KnownTable {
    table: ReplicatedTable,
    parents: Vec<Oid>,
    /// The cohorts that read the table.
    readers: Vec<Weak<Cohort>>,
    /// The number of changes of the cohorts at which they were found.
    readers_at: Option<u64>,
}

impl KnownTables<'_> {
    async fn handle(
        &mut self,
        message: LogicalMessage<'_>,
        transaction: &mut Option<TouchedCohorts>,
        sender: &Sender<TouchedCohorts>,
    ) -> Result<(), DatabaseError> {
        let (table, kind) = match message {
            LogicalMessage::Begin { xid, committed_at } => {
                // A subscriber may join between the changes and the commit.
                self.registry.context.recent_commits.add(xid);
                *transaction = Some(TouchedCohorts {
                    xid,
                    committed_at,
                    cohorts: HashMap::new(),
                });
                return Ok(());
            }
            LogicalMessage::Commit => return self.commit(transaction.take(), sender).await,
            LogicalMessage::Relation(table) => return self.learn(table).await,
            LogicalMessage::Truncate(tables) => {
                tables
                    .into_iter()
                    .for_each(|table| self.touch(table, None, transaction));
                return Ok(());
            }
            LogicalMessage::Other => return Ok(()),
            LogicalMessage::Insert { table, new } => (table, ChangeKind::Insert { new }),
            LogicalMessage::Update { table, old, new } => (table, ChangeKind::Update { old, new }),
            LogicalMessage::Delete { table, old } => (table, ChangeKind::Delete { old }),
        };
        self.touch(table, Some(kind), transaction);
        Ok(())
    }

    /// Ends a transaction.
    async fn commit(
        &mut self,
        transaction: Option<TouchedCohorts>,
        sender: &Sender<TouchedCohorts>,
    ) -> Result<(), DatabaseError> {
        let Some(transaction) = transaction else {
            return Ok(());
        };
        if !transaction.cohorts.is_empty() {
            self.registry.context.settings.metrics.replicated.inc();
            // The receiver ends with the stream.
            let _ = sender.send(transaction).await;
        }
        Ok(())
    }

    /// Adds the cohorts that a changed row can touch, or all that read the table, to those of the
    /// transaction.
    fn touch(
        &mut self,
        table: Oid,
        kind: Option<ChangeKind<'_>>,
        transaction: &mut Option<TouchedCohorts>,
    ) {
        let Some((transaction, known)) = transaction.as_mut().zip(self.known.get_mut(&table))
        else {
            return;
        };
        let now = self.registry.context.cohort_changes();
        if known.readers_at != Some(now) {
            known.readers = self.registry.readers(table, &known.parents);
            known.readers_at = Some(now);
        }
        let table = &known.table;
        for cohort in &known.readers {
            let address = cohort.as_ptr().addr();
            let entry = transaction.cohorts.get_mut(&address);
            if let Some((_, Touched::All)) = entry {
                continue;
            }
            let Some(cohort) = cohort.upgrade() else {
                continue;
            };
            let touched = match kind {
                Some(kind) => cohort.touched(table.oid, &RowChange { table, kind }),
                None => Touched::All,
            };
            match entry {
                _ if touched.is_nobody() => {}
                Some((_, known)) => known.add(touched),
                None => drop(transaction.cohorts.insert(address, (cohort, touched))),
            }
        }
    }

    /// Takes the description of a table, which precedes its first change and its first change after
    /// it was altered.
    async fn learn(&mut self, table: ReplicatedTable) -> Result<(), DatabaseError> {
        // A new partition is in the publication although it was made later.
        if !self.tables.contains(table.oid) || self.known.contains_key(&table.oid) {
            // The next check compares the catalog with the one that the cohorts know.
            let catalog = std::mem::take(&mut self.tables.catalog);
            self.tables = published_tables(self.database).await?;
            self.tables.catalog = catalog;
            self.replace_coverage();
        }
        let parents = self.tables.parents(table.oid);
        self.known.insert(
            table.oid,
            KnownTable {
                table,
                parents,
                readers: Vec::new(),
                readers_at: None,
            },
        );
        Ok(())
    }

    fn replace_coverage(&self) {
        let coverage = self.registry.coverage();
        self.registry
            .set_coverage(coverage.map(|known| Arc::new(known.with_tables(self.tables.clone()))));
    }

    /// Checks the lag of the slot, and whether the schema or the publication has changed.
    async fn check(&mut self, slot: &str) -> Result<(), Loss> {
        let parameters = [Some(slot.to_owned())];
        let deadline = Instant::now() + STATEMENT_TIMEOUT;
        // A database that is busy or away is noticed by the stream.
        let Ok(response) = self
            .database
            .query_scalar(CHECK, &parameters, deadline)
            .await
        else {
            return Ok(());
        };
        let Ok(check) = serde_json::from_str::<Check>(&response) else {
            return Ok(());
        };
        let settings = &self.registry.context.settings;
        let limits = settings.slot_limits;
        settings
            .metrics
            .slot_retained_bytes
            .set(check.lag.unwrap_or_default());
        if let Some(lag) = check.lag.filter(|lag| limits.is_exceeded(*lag)) {
            return Err(Loss::Lag(lag));
        }
        if let Some(snapshot) = Snapshot::parse(&check.snapshot) {
            self.registry.context.recent_commits.remove_ended(&snapshot);
        }
        if check.catalog != self.tables.catalog {
            let missing = source::missing_for_publication(self.database, deadline).await?;
            if let Some(missing) = missing {
                return Err(Loss::Publication(missing));
            }
            self.tables = published_tables(self.database).await?;
            self.known
                .values_mut()
                .for_each(|known| known.parents = self.tables.parents(known.table.oid));
            self.replace_coverage();
            self.registry.forget_policies();
            self.registry.wake(Wake::Everything);
        }
        Ok(())
    }
}

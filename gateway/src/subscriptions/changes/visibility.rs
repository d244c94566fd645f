//! Wakes cohorts for a transaction that replication has reported once other sessions see it.
//! Postgres reports a commit as soon as it is in the WAL, a moment before its changes are visible;
//! with synchronous replication it waits for a standby in between. A statement that ran at once
//! could miss the change, which is not reported again.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use pg::Database;
use tokio::sync::mpsc::Receiver;
use tokio::time::Instant;

use super::super::cohort::Cohort;
use super::super::cohort_registry::CohortRegistry;
use super::super::key_index::Touched;
use super::super::snapshot::CURRENT_SNAPSHOT;
use super::super::snapshot::Snapshot;

/// What a committed transaction has touched.
#[derive(Debug)]
pub(super) struct TouchedCohorts {
    pub(super) xid: u32,
    pub(super) committed_at: SystemTime,
    /// The cohorts by their address.
    pub(super) cohorts: HashMap<usize, (Arc<Cohort>, Touched)>,
}

/// The most transactions that wait until they are visible. Then the stream is not read until some
/// are.
pub(super) const MAX_WAITING_TRANSACTIONS: usize = 1024;

/// The time between two looks at a transaction that is not visible, which doubles up to the second
/// one.
const RETRY_DELAYS: (Duration, Duration) = (Duration::from_millis(2), Duration::from_millis(100));

/// How long the database may take to answer.
const STATEMENT_TIMEOUT: Duration = Duration::from_secs(5);

/// Wakes the touched cohorts of each transaction once it is visible.
pub(super) async fn wake_when_visible(
    registry: &CohortRegistry,
    database: &Database,
    mut reported: Receiver<TouchedCohorts>,
) {
    let mut waiting = Vec::new();
    let mut pause = RETRY_DELAYS.0;
    loop {
        if waiting.is_empty() {
            let Some(first) = reported.recv().await else {
                return;
            };
            waiting.push(first);
        }
        // More wait in the channel, which holds up the stream.
        while waiting.len() < MAX_WAITING_TRANSACTIONS
            && let Ok(next) = reported.try_recv()
        {
            waiting.push(next);
        }
        let snapshot = database
            .query_text(CURRENT_SNAPSHOT, Instant::now() + STATEMENT_TIMEOUT)
            .await
            .ok();
        if let Some(snapshot) = snapshot.as_deref().and_then(Snapshot::parse) {
            let is_visible = |touched: &mut TouchedCohorts| snapshot.has_ended(touched.xid);
            let visible: Vec<_> = waiting.extract_if(.., is_visible).collect();
            if !visible.is_empty() {
                pause = RETRY_DELAYS.0;
                wake(registry, visible);
            }
        }
        if !waiting.is_empty() {
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(RETRY_DELAYS.1);
        }
    }
}

/// Wakes each cohort once for all of these transactions.
fn wake(registry: &CohortRegistry, visible: Vec<TouchedCohorts>) {
    let mut cohorts: HashMap<usize, (Arc<Cohort>, Touched, SystemTime)> = HashMap::new();
    for transaction in visible {
        for (address, (cohort, touched)) in transaction.cohorts {
            match cohorts.get_mut(&address) {
                Some((_, known, _)) => known.add(touched),
                // Transactions are in the order of their commits.
                None => drop(cohorts.insert(address, (cohort, touched, transaction.committed_at))),
            }
        }
    }
    for (cohort, touched, committed_at) in cohorts.into_values() {
        registry.context.settings.metrics.woken_by_replication.inc();
        cohort.touch(touched, Some(committed_at));
    }
}

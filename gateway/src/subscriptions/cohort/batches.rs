//! Runs the statements of a cohort: how many lists of parameters share one, and what happens if it
//! fails or takes long.

use std::collections::HashSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::Duration;

use futures_util::{StreamExt, stream};
use tokio::time::Instant;

use super::super::members::end;
use super::delivery::Delivery;
use crate::error::Error;
use crate::execute::live_query::ResultRows;
use crate::execute::{BoundQuery, ExecutionState};
use crate::limits::LimitExceeded;
use pg::DatabaseError;

/// Runs the statements of a cohort once.
pub(super) struct Batches<'c> {
    pub(super) state: &'c ExecutionState,
    pub(super) history: &'c BatchHistory,
    pub(super) delivery: Delivery<'c>,
    /// Whether others do not wait for the lists of this run.
    pub(super) is_alone: bool,
}

/// What a cohort has learned from its statements so far.
#[derive(Debug)]
pub(super) struct BatchHistory {
    /// The most lists of parameters in one statement, less after a batch that took too long.
    size: AtomicUsize,
    /// Attempts that failed because the schema has changed.
    outdated: AtomicUsize,
    slow_lists: Mutex<SlowLists>,
}

/// Lists of parameters that took too long in the company of others.
#[derive(Debug, Default)]
struct SlowLists {
    /// Those of the current run, which should get cohorts of their own.
    found: Vec<Arc<BoundQuery>>,
    /// Those that got none, and may take long in the next run, while others wait.
    tolerated: HashSet<Arc<BoundQuery>>,
}

/// The lists of parameters per statement. A longer statement would keep other requests from its
/// connection.
const MAX_BATCH_SIZE: usize = 500;

/// How many statements of one cohort run at the same time.
const MAX_CONCURRENT_STATEMENTS: usize = 4;

/// The most time of a statement for one list of parameters, if the role's limit is not less: others
/// wait for it.
const MAX_TIME_PER_SUBSCRIBER: Duration = Duration::from_secs(10);

/// The same for a list of a cohort that may serve others. One that takes longer gets a cohort of
/// its own.
pub(super) const LIST_TIME: Duration = Duration::from_secs(2);

/// The same as [`LIST_TIME`] for a batch. One that takes longer is divided.
const BATCH_TIME: Duration = Duration::from_secs(3);

/// The same for a part of a batch that took too long.
const PART_TIME: Duration = Duration::from_secs(1);

/// Into how many parts a batch is divided that took too long. Each further division takes
/// [`PART_TIME`].
const SPLIT_PARTS: usize = 16;

/// The most bytes of the values of a batch.
const BATCH_BYTES: usize = 1 << 20;

/// After so many attempts without a reload that makes the statement valid again, its subscribers
/// end with the error.
const OUTDATED_ATTEMPTS: usize = 40;

impl Default for BatchHistory {
    fn default() -> BatchHistory {
        BatchHistory {
            size: AtomicUsize::new(MAX_BATCH_SIZE),
            outdated: AtomicUsize::new(0),
            slow_lists: Mutex::default(),
        }
    }
}

impl BatchHistory {
    fn slow_lists(&self) -> MutexGuard<'_, SlowLists> {
        self.slow_lists
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the lists that were found to be slow since the last call.
    pub(super) fn take_slow(&self) -> Vec<Arc<BoundQuery>> {
        std::mem::take(&mut self.slow_lists().found)
    }

    /// Lets a slow list take long in the next run, while others wait.
    pub(super) fn tolerate(&self, list: &Arc<BoundQuery>) {
        self.slow_lists().tolerated.insert(list.clone());
    }

    /// Divides lists into those that may take long this time, and the others.
    fn divide(&self, lists: &[Arc<BoundQuery>]) -> (Vec<Arc<BoundQuery>>, Vec<Arc<BoundQuery>>) {
        let tolerated = std::mem::take(&mut self.slow_lists().tolerated);
        lists
            .iter()
            .cloned()
            .partition(|list| tolerated.contains(list))
    }
}

impl Batches<'_> {
    /// Runs the query for these lists of parameters, several in one statement if they may share it.
    pub(super) async fn run(
        &self,
        lists: &[Arc<BoundQuery>],
        is_shared: bool,
    ) -> Result<(), Error> {
        let size = if is_shared {
            self.history.size.load(Ordering::Relaxed)
        } else {
            1
        };
        let (tolerated, others) = self.history.divide(lists);
        let tolerated = tolerated.chunks(1);
        let longest = |chunk: &[_]| match chunk {
            [_] if self.is_alone => MAX_TIME_PER_SUBSCRIBER,
            [_] => LIST_TIME,
            _ => BATCH_TIME,
        };
        let runs: Vec<_> = tolerated
            .map(|chunk| self.run_chunk(chunk, MAX_TIME_PER_SUBSCRIBER))
            .chain(
                chunks(&others, size)
                    .into_iter()
                    .map(|chunk| self.run_chunk(chunk, longest(chunk))),
            )
            .collect();
        let outcomes: Vec<_> = stream::iter(runs)
            .buffer_unordered(MAX_CONCURRENT_STATEMENTS)
            .collect()
            .await;
        outcomes.into_iter().collect()
    }

    /// Runs one statement. If it fails, it is divided, until the list of parameters that causes the
    /// error is alone. One that takes long should get a cohort of its own.
    async fn run_chunk(&self, chunk: &[Arc<BoundQuery>], longest: Duration) -> Result<(), Error> {
        let began = Instant::now();
        let error = match self.run_statement(chunk, longest).await {
            Ok(()) => {
                self.history.outdated.store(0, Ordering::Relaxed);
                let size = self.history.size.load(Ordering::Relaxed);
                if chunk.len() >= size && size < MAX_BATCH_SIZE && began.elapsed() < BATCH_TIME / 4
                {
                    self.history
                        .size
                        .store((2 * size).min(MAX_BATCH_SIZE), Ordering::Relaxed);
                }
                return Ok(());
            }
            Err(error) => error,
        };
        if self.is_temporary(&error).await {
            return Err(error);
        }
        if error.is_outdated()
            && self.history.outdated.fetch_add(1, Ordering::Relaxed) < OUTDATED_ATTEMPTS
        {
            self.state.reload.request();
            return Err(error);
        }
        let is_late = matches!(error, Error::Database(DatabaseError::Timeout(_)));
        if is_late && longest == BATCH_TIME {
            self.history
                .size
                .store((chunk.len() / 2).max(1), Ordering::Relaxed);
        }
        match chunk {
            [] => Ok(()),
            [only]
                if is_late
                    && longest
                        < MAX_TIME_PER_SUBSCRIBER
                            .min(self.delivery.query.limits().enforced.time) =>
            {
                self.history.slow_lists().found.push(only.clone());
                Ok(())
            }
            [only] => {
                let members = self.delivery.members.groups().remove(only);
                end(members, &Arc::new(self.state.raised_errors.show(error)));
                Ok(())
            }
            _ => {
                let (parts, longest) = if is_late {
                    (SPLIT_PARTS, PART_TIME)
                } else {
                    (2, longest)
                };
                let mut outcome = Ok(());
                for part in chunk.chunks(chunk.len().div_ceil(parts)) {
                    let longest = if part.len() == 1 { LIST_TIME } else { longest };
                    outcome = outcome.and(Box::pin(self.run_chunk(part, longest)).await);
                }
                outcome
            }
        }
    }

    /// Whether a statement that failed with this error may succeed in a moment. A statement that
    /// takes too long fails for good, unless it is the database that does not respond.
    async fn is_temporary(&self, error: &Error) -> bool {
        match error {
            Error::Database(DatabaseError::Unavailable(_) | DatabaseError::Queue(_))
            | Error::OutOfMemory(_) => true,
            Error::Database(DatabaseError::Timeout(_)) => !self.state.database.is_reachable().await,
            _ => false,
        }
    }

    async fn run_statement(
        &self,
        chunk: &[Arc<BoundQuery>],
        longest: Duration,
    ) -> Result<(), Error> {
        let lists: Vec<&BoundQuery> = chunk.iter().map(Arc::as_ref).collect();
        let no_room = OnceLock::new();
        let deliver = |number: usize, rows: ResultRows<'_>| {
            let delivered = match chunk.get(number) {
                Some(bound) => self.delivery.send(bound, &rows),
                None => Ok(()),
            };
            match delivered {
                // Shorter results of others may have room.
                Err(error @ (Error::OutOfMemory(_) | Error::Limit(LimitExceeded::Memory(_)))) => {
                    let _ = no_room.set(error);
                    Ok(())
                }
                delivered => delivered,
            }
        };
        let limit = self.delivery.query.limits().enforced.time.min(longest);
        let mut retry = self.state.database.retry(Instant::now() + limit);
        loop {
            self.delivery.metrics.statements.inc();
            let query = self.delivery.query;
            match query.run(self.state, &lists, limit, &deliver).await {
                Err(Error::Database(fault)) if retry.should_retry(&fault).await => {}
                Ok(()) => return no_room.into_inner().map_or(Ok(()), Err),
                outcome => return outcome,
            }
        }
    }
}

/// Divides lists of parameters into statements of at most `size` lists and [`BATCH_BYTES`] of
/// values.
fn chunks(lists: &[Arc<BoundQuery>], size: usize) -> Vec<&[Arc<BoundQuery>]> {
    let mut chunks = Vec::new();
    let mut rest = lists;
    while !rest.is_empty() {
        let mut bytes = 0;
        let fits = |list: &&Arc<BoundQuery>| {
            bytes += list.bytes();
            bytes <= BATCH_BYTES
        };
        let length = rest.iter().take(size).take_while(fits).count().max(1);
        let (chunk, others) = rest.split_at(length);
        chunks.push(chunk);
        rest = others;
    }
    chunks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statements_have_bounded_lists_and_bytes() {
        let lists: Vec<_> = (0..5).map(|_| Arc::new(BoundQuery::default())).collect();
        let lengths: Vec<_> = chunks(&lists, 2).into_iter().map(<[_]>::len).collect();
        assert_eq!(lengths, [2, 2, 1]);
    }
}

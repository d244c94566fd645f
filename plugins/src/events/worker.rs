//! Delivers events: claims those that are due, delivers each in a task of its own, and records the
//! ends in batches.
//!
//! ```text
//! NOTIFY, poll, recorded ──▶ claim ──▶ tasks, so many for each trigger ──▶ record ──▶ wakes the next claim
//!                              └─ none: idle
//! ```

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use pg::Database;
use tokio::sync::{Notify, mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::Instant;
use uuid::Uuid;

use super::delivery::DeliverySender;
use super::delivery_log::DeliveryLog;
use super::idle::{self, Idle};
use super::metrics::EventMetrics;
use super::queue::{self, Claimed, Ended, Wanted};
use super::settings::EventSettings;
use super::trigger::{Trigger, Triggers};
use crate::outbound_webhook::Sender;
use gateway::plugin::Shutdown;

/// What the workers of a version need.
#[derive(Debug)]
pub(super) struct Version {
    pub(super) settings: EventSettings,
    pub(super) triggers: Triggers,
    pub(super) database: Database,
    /// Whether the schema `postern` has the names of triggers.
    pub(super) has_registry: bool,
    /// Whether tables whose triggers have to be installed were held by other transactions.
    pub(super) is_blocked: bool,
}

/// The current version; `None` before the first one and without events in the settings.
pub(super) type Versions = watch::Receiver<Option<Arc<Version>>>;

/// How many ends one transaction records at most, and how many may wait.
const MAX_RECORDED_AT_ONCE: usize = 500;

/// The pause after a claim that has found events which wait for others. There may be very many, and
/// each is found once.
const BLOCKED_CLAIM_DELAY: Duration = Duration::from_millis(5);

/// The pause after a claim that has found events without a notification: there are probably more
/// soon, and a claim of several costs hardly more than a claim of one. So is the pause after the
/// end of a delivery that makes room.
const NEXT_CLAIM_DELAY: Duration = Duration::from_millis(5);

/// How long to wait after a failure of the database.
const RETRY_DELAY: Duration = Duration::from_secs(1);

/// How long the end of an attempt is kept while the database does not record it. Its lease ends
/// meanwhile, so another attempt follows.
const MAX_UNRECORDED_TIME: Duration = Duration::from_secs(60);

/// An end to be recorded, with the database of its version.
type ToRecord = (Database, Ended);

/// Claims and delivers until the gateway shuts down and all deliveries have ended.
pub(super) async fn run(versions: Versions, metrics: &EventMetrics, shutdown: Shutdown) {
    let wake = Arc::new(Notify::new());
    let (ended, to_record) = mpsc::channel(MAX_RECORDED_AT_ONCE);
    let dispatcher = Dispatcher {
        worker: Uuid::new_v4().to_string().into(),
        sender: Arc::default(),
        log: Arc::default(),
        wake: wake.clone(),
        idle: Idle::new(),
        ended,
        running: JoinSet::new(),
        in_flight: HashMap::new(),
    };
    tokio::join!(
        dispatcher.run(versions, metrics, shutdown),
        record(to_record, &wake)
    );
}

/// Claims events and runs their deliveries.
struct Dispatcher {
    /// Identifies this worker in leases.
    worker: Arc<str>,
    sender: Arc<Sender>,
    log: Arc<DeliveryLog>,
    wake: Arc<Notify>,
    idle: Idle,
    ended: mpsc::Sender<ToRecord>,
    /// The deliveries, each of which returns the name of its trigger.
    running: JoinSet<Arc<str>>,
    in_flight: HashMap<Arc<str>, usize>,
}

impl Dispatcher {
    async fn run(mut self, mut versions: Versions, metrics: &EventMetrics, mut shutdown: Shutdown) {
        let mut has_failed = false;
        let mut next = Instant::now();
        let mut version = delivering(&mut versions);
        self.idle.follow(followed(version.as_deref()));
        loop {
            if let Some(version) = &version
                && next <= Instant::now()
            {
                next = match self.claim(version, metrics).await {
                    Ok(pause) => {
                        has_failed = false;
                        Instant::now() + pause
                    }
                    Err(fault) => {
                        if !std::mem::replace(&mut has_failed, true) {
                            tracing::warn!(cause = %fault, "cannot claim events");
                        }
                        Instant::now() + RETRY_DELAY
                    }
                };
            }
            tokio::select! {
                () = shutdown.requested() => break,
                Some(ended) = self.running.join_next() => {
                    if self.forget(ended.ok(), version.as_deref()) && !has_failed {
                        // Its end may have woken the worker already, whose claim left the trigger
                        // out.
                        next = next.min(Instant::now() + NEXT_CLAIM_DELAY);
                    }
                }
                () = self.wake.notified() => next = if has_failed { next } else { Instant::now() },
                () = self.idle.woken() => next = if has_failed { next } else { Instant::now() },
                changed = versions.changed() => {
                    if changed.is_err() {
                        break;
                    }
                    version = delivering(&mut versions);
                    self.idle.follow(followed(version.as_deref()));
                    next = Instant::now();
                }
                () = tokio::time::sleep_until(next), if version.is_some() => {}
            }
        }
        // Another gateway may be idle instead.
        self.idle.follow(None);
        // Deliveries that run are finished and recorded; the gateway's shutdown limits the time.
        while self.running.join_next().await.is_some() {}
    }

    /// Claims as many events as there is room for, and starts to deliver them. Returns the time
    /// until the next claim, unless the worker is woken earlier.
    async fn claim(
        &mut self,
        version: &Arc<Version>,
        metrics: &EventMetrics,
    ) -> Result<Duration, pg::DatabaseError> {
        let Version {
            settings,
            triggers,
            database,
            ..
        } = &**version;
        let wanted: Vec<Wanted<'_>> = triggers
            .by_name
            .values()
            .filter_map(|trigger| self.wanted(trigger, settings))
            .collect();
        if wanted.is_empty() {
            // The end of a delivery wakes the worker, perhaps before the delivery is counted as
            // ended.
            return Ok(idle::POLL_INTERVAL.min(settings.poll()));
        }
        let has_room = wanted.len() == triggers.by_name.len();
        let Claimed {
            events,
            marked,
            full,
            next,
        } = queue::claim(database, &wanted, &self.worker).await?;
        let found_none = events.is_empty();
        for event in events {
            let Some(trigger) = triggers.by_name.get(event.trigger.as_str()).cloned() else {
                continue;
            };
            metrics
                .lag
                .with_label_values(&[&trigger.name])
                .observe(event.lag);
            *self.in_flight.entry(trigger.name.clone()).or_default() += 1;
            let courier = DeliverySender {
                database: database.clone(),
                sender: self.sender.clone(),
                worker: self.worker.clone(),
            };
            let ended = self.ended.clone();
            let wake = self.wake.clone();
            let log = self.log.clone();
            let deliveries = metrics.deliveries.clone();
            self.running.spawn(async move {
                let (outcome, to_record) = courier.deliver(&trigger, &event).await;
                deliveries
                    .with_label_values(&[&trigger.name, outcome.word()])
                    .inc();
                if let Some(ended) = &to_record {
                    log.record(&trigger.name, ended);
                }
                match to_record {
                    // The receiver waits for all senders, so this does not fail.
                    Some(end) => drop(ended.send((courier.database, end)).await),
                    None => wake.notify_one(),
                }
                trigger.name.clone()
            });
        }
        let next = next.map(|seconds| Duration::try_from_secs_f64(seconds).unwrap_or_default());
        let until_next = |pause: Duration| next.map_or(pause, |next| next.min(pause));
        // A trigger without room may have more events due, of which no further notification comes.
        let poll = if has_room {
            settings.poll()
        } else {
            idle::POLL_INTERVAL.min(settings.poll())
        };
        if found_none && marked == 0 && !full {
            return Ok(until_next(if has_room || self.idle.is_held() {
                self.idle.found_none(poll).await
            } else {
                // Events wait for room: writers need not notify of more. Those of other triggers
                // are found by polling.
                poll
            }));
        }
        self.idle.found_some().await;
        Ok(match () {
            // Others may be due behind those that wait.
            () if marked > 0 || full && found_none => BLOCKED_CLAIM_DELAY,
            // There may be more; those for which there is no room are claimed when others have
            // ended.
            () if full => Duration::ZERO,
            () if self.idle.is_held() => until_next(poll),
            () => NEXT_CLAIM_DELAY,
        })
    }

    /// How many events of a trigger to claim; `None` without room.
    fn wanted<'t>(&self, trigger: &'t Trigger, settings: &EventSettings) -> Option<Wanted<'t>> {
        let running = self
            .in_flight
            .get(&trigger.name)
            .copied()
            .unwrap_or_default();
        let most = trigger
            .concurrency
            .saturating_sub(running)
            .min(settings.batch);
        let lease = (trigger.timeout + settings.lease()).as_secs_f64();
        (most > 0).then_some(Wanted {
            trigger_name: &trigger.name,
            most,
            lease,
        })
    }

    /// Counts a delivery as ended. Returns whether a trigger that had no room may have some now.
    fn forget(&mut self, trigger_name: Option<Arc<str>>, version: Option<&Version>) -> bool {
        let Some(name) = trigger_name else {
            // A delivery has panicked, which was logged. Which one is not known; without others the
            // count is right again.
            if self.running.is_empty() {
                self.in_flight.clear();
            }
            return self.running.is_empty();
        };
        let Some(running) = self.in_flight.get_mut(&name) else {
            return false;
        };
        let before = std::mem::replace(running, running.saturating_sub(1));
        version
            .and_then(|version| version.triggers.by_name.get(&name))
            .is_some_and(|trigger| before >= trigger.concurrency)
    }
}

/// Records ends, many in one transaction, until there are no more deliveries.
async fn record(mut to_record: mpsc::Receiver<ToRecord>, wake: &Notify) {
    while let Some((database, first)) = to_record.recv().await {
        let mut ended = vec![first];
        while ended.len() < MAX_RECORDED_AT_ONCE
            && let Ok((_, end)) = to_record.try_recv()
        {
            ended.push(end);
        }
        let until = Instant::now() + MAX_UNRECORDED_TIME;
        let mut pause = Duration::from_millis(50);
        while let Err(fault) = queue::record(&database, &ended).await {
            tracing::warn!(cause = %fault, events = ended.len(), "cannot record deliveries");
            if Instant::now() > until {
                break;
            }
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(Duration::from_secs(5));
        }
        wake.notify_one();
    }
}

/// The database whose notifications wake the worker. Without triggers, another gateway may be idle
/// instead.
fn followed(version: Option<&Version>) -> Option<&Database> {
    version
        .filter(|version| !version.triggers.by_name.is_empty())
        .map(|version| &version.database)
}

/// The current version, if it delivers.
fn delivering(versions: &mut Versions) -> Option<Arc<Version>> {
    versions
        .borrow_and_update()
        .clone()
        .filter(|version| version.settings.deliver)
}

//! Enqueues the runs of cron schedules. Each gateway computes the times; the one that first moves
//! the schedule's row in `postern.schedule` forward enqueues the runs, so that each runs once
//! however many gateways there are. All go by the clock of the database, since their own may
//! differ.

use std::sync::{Arc, LazyLock};
use std::time::Duration;

use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};
use pg::{Completion, Database, DatabaseError};
use serde_json::{Value, json};
use tokio::time::Instant;

use super::file::Missed;
use super::idle::ANNOUNCE;
use super::trigger::Schedule;
use super::worker::{Version, Versions};

/// Begins a schedule, or begins it anew if its definition has changed; returns up to which time it
/// has run.
const BEGIN: &str = "
INSERT INTO postern.schedule AS s (name, definition, last_at)
VALUES ($1, $2, $3::timestamptz)
ON CONFLICT (name) DO UPDATE SET definition = excluded.definition, last_at = excluded.last_at
WHERE s.definition <> excluded.definition";

/// Up to which time a schedule has run; no row if its definition is another one.
const LAST: &str = "
SELECT coalesce((SELECT to_char(last_at AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"')
                 FROM postern.schedule WHERE name = $1 AND definition = $2), '')";

/// The clock of the database.
const CLOCK: &str = "SELECT to_char(clock_timestamp() AT TIME ZONE 'UTC', \
                     'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"')";

/// Enqueues runs, unless another gateway has.
static ENQUEUE: LazyLock<String> = LazyLock::new(|| {
    format!(
        "
WITH moved AS (
  UPDATE postern.schedule SET last_at = $4::timestamptz
  WHERE name = $1 AND definition = $2 AND last_at = $3::timestamptz RETURNING name
), added AS (
INSERT INTO postern.event_queue (trigger_name, kind, payload, due_at, deduplication_key)
SELECT m.name, 'schedule', json_build_object('scheduled_time', r.at, 'payload', r.payload), r.at::timestamptz, 'postern:' || r.at
FROM moved m, json_to_recordset($5::json) AS r (at text, payload json)
ON CONFLICT (trigger_name, deduplication_key) WHERE deduplication_key IS NOT NULL DO NOTHING
RETURNING 1
)
SELECT {ANNOUNCE} FROM added LIMIT 1"
    )
});

/// A run that is noticed later than this counts as missed.
const MISSED_AFTER: TimeDelta = TimeDelta::seconds(60);

/// How many times of a schedule are computed at once: those of more than a month of every minute.
const MAX_COMPUTED_TIMES: usize = 50_000;

/// The longest sleep, after which clocks may have been set.
const LONGEST_SLEEP: Duration = Duration::from_secs(60);

/// The pause after a failure.
const RETRY_DELAY: Duration = Duration::from_secs(1);

/// The time limit of a statement.
const STATEMENT_TIMEOUT: Duration = Duration::from_secs(10);

/// Enqueues runs when they are due, for as long as the gateway runs.
pub(super) async fn run(mut versions: Versions) {
    loop {
        let version = versions.borrow_and_update().clone();
        let running = async {
            match version {
                Some(version)
                    if version.settings.deliver && !version.triggers.schedules.is_empty() =>
                {
                    run_version(&version).await;
                }
                _ => std::future::pending().await,
            }
        };
        tokio::select! {
            () = running => {}
            changed = versions.changed() => if changed.is_err() {
                return;
            },
        }
    }
}

async fn run_version(version: &Arc<Version>) {
    let mut begun = vec![false; version.triggers.schedules.len()];
    loop {
        let mut sleep = LONGEST_SLEEP;
        let now = match database_clock(&version.database).await {
            Ok(now) => now,
            Err(fault) => {
                tracing::warn!(cause = %fault, "cannot ask the database for its clock, by which \
                     schedules run");
                tokio::time::sleep(RETRY_DELAY).await;
                continue;
            }
        };
        let asked_at = Instant::now();
        for (schedule, begun) in version.triggers.schedules.iter().zip(&mut begun) {
            match enqueue_due(&version.database, schedule, begun, now).await {
                Ok(()) => {
                    // A time that has come meanwhile is no positive duration.
                    let next = schedule.recurrence.next(now).map(|next| {
                        let remaining = (next - now).to_std().unwrap_or_default();
                        remaining.saturating_sub(asked_at.elapsed())
                    });
                    sleep = sleep.min(next.unwrap_or(LONGEST_SLEEP));
                }
                Err(fault) => {
                    tracing::warn!(cause = %fault, schedule = %schedule.name, "cannot enqueue \
                         the runs of a schedule");
                    sleep = sleep.min(RETRY_DELAY);
                }
            }
        }
        // A little later, so that the run is not in the future.
        tokio::time::sleep(sleep + Duration::from_millis(5)).await;
    }
}

async fn database_clock(database: &Database) -> Result<DateTime<Utc>, DatabaseError> {
    let deadline = Instant::now() + STATEMENT_TIMEOUT;
    let text = database.query_text(CLOCK, deadline).await?;
    text.parse()
        .map_err(|_| DatabaseError::Protocol(format!("`{text}` is no time")))
}

/// Enqueues the runs of a schedule since it last ran.
async fn enqueue_due(
    database: &Database,
    schedule: &Schedule,
    begun: &mut bool,
    now: DateTime<Utc>,
) -> Result<(), DatabaseError> {
    let deadline = Instant::now() + STATEMENT_TIMEOUT;
    let key = || {
        vec![
            Some(schedule.name.to_string()),
            Some(schedule.definition.clone()),
        ]
    };
    if !std::mem::replace(begun, true) {
        let mut parameters = key();
        parameters.push(Some(text(now)));
        let began = database
            .write(&[BEGIN], &[parameters], Completion::Commit, deadline)
            .await;
        if let Err(failed) = began {
            *begun = false;
            return Err(failed.fault);
        }
    }
    let last = database.query_scalar(LAST, &key(), deadline).await?;
    // Another gateway has begun another definition; it enqueues.
    let Ok(last_at) = last.parse::<DateTime<Utc>>() else {
        return Ok(());
    };
    let times = schedule.due(last_at, now);
    let Some(latest) = times.latest else {
        return Ok(());
    };
    let runs: Vec<Value> = times
        .runs
        .iter()
        .map(|at| json!({"at": seconds(*at), "payload": schedule.payload}))
        .collect();
    let mut parameters = key();
    parameters.extend([
        Some(last),
        Some(text(latest)),
        Some(Value::Array(runs).to_string()),
    ]);
    let written = database
        .write(
            &[ENQUEUE.as_str()],
            &[parameters],
            Completion::Commit,
            deadline,
        )
        .await;
    written.map(drop).map_err(|failed| failed.fault)
}

/// The times of a schedule that have come.
#[derive(Debug, PartialEq, Eq)]
struct DueTimes {
    /// Those that are enqueued.
    runs: Vec<DateTime<Utc>>,
    /// The latest of all.
    latest: Option<DateTime<Utc>>,
}

impl Schedule {
    /// The times after `last` up to `now`: those of the last minute, and of earlier ones those that
    /// the policy makes up for.
    fn due(&self, last: DateTime<Utc>, now: DateTime<Utc>) -> DueTimes {
        let all = std::iter::successors(self.recurrence.next(last), |time| {
            self.recurrence.next(*time)
        })
        .take(MAX_COMPUTED_TIMES);
        let all: Vec<DateTime<Utc>> = all.take_while(|time| *time <= now).collect();
        let tolerance = TimeDelta::from_std(self.tolerance).unwrap_or(TimeDelta::MAX);
        let (missed, on_time): (Vec<_>, Vec<_>) = all
            .iter()
            .copied()
            .partition(|time| now - *time > MISSED_AFTER);
        let missed: Vec<_> = missed
            .into_iter()
            .filter(|time| now - *time <= tolerance)
            .collect();
        let most = match self.missed {
            Missed::Skip => 0,
            // A run on time makes up for those before it.
            Missed::Once => usize::from(on_time.is_empty()),
            Missed::All => self.missed_limit,
        };
        let first = missed.len().saturating_sub(most);
        let runs = missed.into_iter().skip(first).chain(on_time).collect();
        DueTimes {
            runs,
            latest: all.last().copied(),
        }
    }
}

/// A time for Postgres, to the microsecond.
fn text(time: DateTime<Utc>) -> String {
    time.to_rfc3339_opts(SecondsFormat::Micros, true)
}

/// A time in payloads, as Hasura writes it.
fn seconds(time: DateTime<Utc>) -> String {
    time.to_rfc3339_opts(SecondsFormat::Secs, true)
}

#[cfg(test)]
mod tests {
    use croner::parser::CronParser;

    use super::*;
    use crate::events::recurrence::Recurrence;

    fn schedule(expression: &str, zone: &str, missed: Missed) -> Schedule {
        Schedule {
            name: "s".into(),
            recurrence: Recurrence::new(
                CronParser::new().parse(expression).unwrap(),
                zone.parse().unwrap(),
            ),
            definition: String::new(),
            payload: Value::Null,
            missed,
            missed_limit: 3,
            tolerance: Duration::from_secs(6 * 3600),
        }
    }

    fn due(schedule: &Schedule, last: &str, now: &str) -> Vec<String> {
        let times = schedule.due(last.parse().unwrap(), now.parse().unwrap());
        times.runs.into_iter().map(seconds).collect()
    }

    #[test]
    fn missed_runs_follow_the_policy() {
        let last = "2026-03-01T09:00:00Z";
        let now = "2026-03-01T14:00:30Z";
        let of = |missed| due(&schedule("0 * * * *", "UTC", missed), last, now);
        assert_eq!(of(Missed::Skip), ["2026-03-01T14:00:00Z"]);
        assert_eq!(
            of(Missed::Once),
            ["2026-03-01T14:00:00Z"],
            "the run on time makes up for the others"
        );
        let all = [
            "2026-03-01T11:00:00Z",
            "2026-03-01T12:00:00Z",
            "2026-03-01T13:00:00Z",
            "2026-03-01T14:00:00Z",
        ];
        assert_eq!(of(Missed::All), all);
        let later = |missed| {
            due(
                &schedule("0 * * * *", "UTC", missed),
                last,
                "2026-03-01T14:30:00Z",
            )
        };
        assert_eq!(later(Missed::Skip), Vec::<String>::new());
        assert_eq!(later(Missed::Once), ["2026-03-01T14:00:00Z"]);
        assert_eq!(
            due(
                &schedule("0 9 * * *", "UTC", Missed::All),
                last,
                "2026-03-02T20:00:00Z"
            ),
            Vec::<String>::new()
        );
    }

    #[test]
    fn missed_runs_of_changed_clocks_are_made_up_for() {
        let half_hours = schedule("*/30 * * * *", "Europe/Berlin", Missed::All);
        let runs = due(&half_hours, "2026-10-25T00:00:00Z", "2026-10-25T02:00:00Z");
        assert_eq!(
            runs,
            [
                "2026-10-25T00:30:00Z",
                "2026-10-25T01:00:00Z",
                "2026-10-25T01:30:00Z",
                "2026-10-25T02:00:00Z"
            ]
        );
        let listed = schedule("0,30 2 * * *", "Europe/Berlin", Missed::All);
        assert_eq!(
            due(&listed, "2026-03-28T12:00:00Z", "2026-03-29T06:00:00Z"),
            ["2026-03-29T01:00:00Z"]
        );
    }
}

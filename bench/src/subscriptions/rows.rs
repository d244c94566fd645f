//! The rows that subscribers read, and the changes to them. Each set of parameters is a controller
//! of its own, whose newest subject contains the number of the last change as its status.

use std::time::{Duration, Instant};

use tokio::task::JoinSet;
use tokio_postgres::{Client, NoTls, Statement};

use crate::Failure;
use crate::work::{self, Data};

/// The subjects of each controller; a result contains five.
const SUBJECTS_PER_CONTROLLER: i32 = 20;

/// How subscribers share sets of parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sets {
    /// The number of subscribers.
    pub(super) subscribers: usize,
    /// The number of distinct sets of parameters.
    pub(super) parameters: usize,
}

impl Sets {
    /// The set of a subscriber.
    pub(super) fn set_of(self, subscriber: usize) -> usize {
        subscriber % self.parameters
    }

    /// As many sets as this number of subscribers have, those of change number `change`: changes
    /// take turns.
    pub(super) fn touched(self, change: u64, subscribers: usize) -> Vec<usize> {
        let each = (self.subscribers / self.parameters).max(1);
        let count = subscribers.div_ceil(each).clamp(1, self.parameters);
        let first = change as usize * count;
        (first..first + count)
            .map(|set| set % self.parameters)
            .collect()
    }

    /// How many subscribers have one of these sets.
    pub(super) fn count(self, sets: &[usize]) -> usize {
        let of = |set: usize| {
            self.subscribers / self.parameters
                + usize::from(set < self.subscribers % self.parameters)
        };
        sets.iter().map(|set| of(*set)).sum()
    }
}

/// The controller of a set.
pub(super) fn controller(set: usize) -> String {
    format!("{set:08x}-0008-4000-8000-000000000000")
}

/// The newest subject of a set.
pub(super) fn newest(set: usize) -> String {
    format!("{set:08x}-0009-4000-8000-{SUBJECTS_PER_CONTROLLER:012x}")
}

/// The number of the change in a status.
pub(super) fn change(status: &str) -> Option<u64> {
    status.strip_prefix('c')?.parse().ok()
}

/// A connection that changes rows.
#[derive(Debug)]
pub(super) struct Writer {
    client: Client,
    update: Statement,
}

impl Writer {
    /// Connects, and adds the rows of this number of sets.
    pub(super) async fn connect(url: &str, sets: usize) -> Result<Writer, Failure> {
        let client = connect(url).await?;
        client.batch_execute(&script(sets)).await?;
        let update = "UPDATE subjects SET status = $1 WHERE id = ANY ($2::text[]::uuid[])";
        let update = client.prepare(update).await?;
        Ok(Writer { client, update })
    }

    /// Has Postgres report old rows whole to logical replication.
    pub(super) async fn keep_old_rows(&self) -> Result<(), tokio_postgres::Error> {
        self.client
            .batch_execute("ALTER TABLE subjects REPLICA IDENTITY FULL")
            .await
    }

    /// Makes a change in one transaction. Returns the time at which its commit was sent.
    pub(super) async fn change(
        &self,
        number: u64,
        sets: &[usize],
    ) -> Result<Instant, tokio_postgres::Error> {
        let ids: Vec<String> = sets.iter().map(|set| newest(*set)).collect();
        self.client.batch_execute("BEGIN").await?;
        self.client
            .execute(&self.update, &[&format!("c{number}"), &ids])
            .await?;
        let at = Instant::now();
        self.client.batch_execute("COMMIT").await?;
        Ok(at)
    }
}

/// How many connections update rows that no subscriber reads.
const UPDATER_COUNT: usize = 4;

/// Updates rows that no subscriber reads, so many a second, each in a transaction of its own.
/// Returns how many it has updated in this time.
pub(super) async fn update_others(
    url: &str,
    data: Data,
    rate: usize,
    time: Duration,
) -> Result<usize, Failure> {
    let mut updaters = JoinSet::new();
    let pause = Duration::from_secs_f64(UPDATER_COUNT as f64 / rate as f64);
    for updater in 0..UPDATER_COUNT {
        let client = connect(url).await?;
        let update = "UPDATE subjects SET status = $1 WHERE id = $2::text::uuid";
        let update = client.prepare(update).await?;
        updaters.spawn(async move {
            let mut ticks = tokio::time::interval(pause);
            let end = Instant::now() + time;
            let mut updated = 0;
            while Instant::now() < end {
                ticks.tick().await;
                let number = (updater + updated * UPDATER_COUNT) as u32 % data.subjects + 1;
                client
                    .execute(&update, &[&format!("u{updated}"), &work::subject(number)])
                    .await?;
                updated += 1;
            }
            Ok::<_, tokio_postgres::Error>(updated)
        });
    }
    let mut updated = 0;
    while let Some(of_one) = updaters.join_next().await {
        updated += of_one??;
    }
    Ok(updated)
}

/// A connection whose commits are in the WAL when they end, as by default: the cluster's setting
/// writes them up to 0.2 s later, and replication reports them then.
async fn connect(url: &str) -> Result<Client, Failure> {
    let (client, connection) = tokio_postgres::connect(url, NoTls).await?;
    tokio::spawn(connection);
    client.batch_execute("SET synchronous_commit = on").await?;
    Ok(client)
}

/// The statements that add the rows. The keys are those of [`controller`] and [`newest`].
fn script(sets: usize) -> String {
    let controller = "(lpad(to_hex(s), 8, '0') || '-0008-4000-8000-000000000000')::uuid";
    let subject =
        "(lpad(to_hex(s), 8, '0') || '-0009-4000-8000-' || lpad(to_hex(n), 12, '0'))::uuid";
    format!(
        "INSERT INTO controllers SELECT {controller}, 'Set ' || s, 'DE', now()
           FROM generate_series(0, {sets} - 1) s ON CONFLICT DO NOTHING;
         INSERT INTO subjects SELECT {subject}, {controller}, 'person.' || n || '@example.org', 'Ada Lovelace', 'c0',
             '2024-01-01'::timestamptz + n * interval '1 day'
           FROM generate_series(0, {sets} - 1) s, generate_series(1, {SUBJECTS_PER_CONTROLLER}) n ON CONFLICT DO NOTHING;
         ANALYZE controllers, subjects;"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_touch_as_many_subscribers_as_they_should() {
        let sets = Sets {
            subscribers: 10_000,
            parameters: 1_000,
        };
        assert_eq!((sets.touched(3, 10), sets.set_of(2_003)), (vec![3], 3));
        assert_eq!(sets.count(&sets.touched(7, 1_000)), 1_000);
        let few = Sets {
            subscribers: 25,
            parameters: 10,
        };
        assert_eq!(
            (few.touched(2, 10), few.count(&[4, 5])),
            (vec![0, 1, 2, 3, 4], 5)
        );
        assert_eq!(few.touched(0, 1_000).len(), 10);
    }

    #[test]
    fn keys_are_those_of_the_script() {
        assert_eq!(newest(255), "000000ff-0009-4000-8000-000000000014");
        assert_eq!(controller(1), "00000001-0008-4000-8000-000000000000");
        assert_eq!((change("c12"), change("active")), (Some(12), None));
    }
}

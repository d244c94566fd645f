//! Whether a replica may answer queries: it belongs to the primary's cluster, shares its history
//! and is not too far behind. [`crate::replicas`] asks the servers.
//!
//! ```text
//! primary    timeline 1 ──────────┬──x   (lost)
//!                                 └── timeline 2 ────▶ 0/7000000
//! replica    timeline 2, replayed 0/6FFF000    follows it
//! replica    timeline 1                        has not switched yet, or follows the former primary
//! replica    timeline 3                        was promoted and has left the history
//! replica    timeline 2, replayed 0/8000000    beyond a primary that was asked later: another history
//! ```

use std::collections::VecDeque;
use std::fmt;
use std::time::Duration;

use tokio::time::Instant;

use crate::server_start::ServerStart;
use crate::server_state::ServerState;
use crate::wal_position::Lsn;

/// Why a replica gets no queries.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub(super) enum Unusable {
    #[error("{0}")]
    Unreachable(String),
    #[error("it is not in recovery, so it replicates nothing")]
    NotInRecovery,
    #[error("nothing shows what the primary's history is: {0}")]
    UnknownPrimary(String),
    #[error(
        "it belongs to another cluster: its system identifier is {replica}, the primary's {primary}"
    )]
    OtherCluster { replica: u64, primary: u64 },
    #[error("it has left the primary's history: {0}")]
    Diverged(Evidence),
    #[error("it is on timeline {replica} yet, and the primary on {primary}")]
    EarlierTimeline { replica: u32, primary: u32 },
    #[error(
        "the primary is on timeline {primary}, and the replica's last restartpoint on {replica}; \
         without the privileges of `pg_read_all_stats` its next restartpoint has to show what it \
         follows"
    )]
    UnknownTimeline { replica: u32, primary: u32 },
    #[error("it is {0}")]
    Behind(Lag),
}

/// How far a replica is behind.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Lag {
    Known(Duration),
    /// At least this: it has replayed no transaction since its start.
    AtLeast(Duration),
}

/// What shows that two histories differ.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Evidence {
    LaterTimeline { replica: u32, primary: u32 },
    Ahead { replica: Lsn, primary: Lsn },
    Checkpoint { position: Lsn },
}

/// A replica that has left the primary's history. It stays so when the primary passes its position,
/// until it is rebuilt, for which it has to be started again.
#[derive(Clone, Debug)]
pub(super) struct Divergence {
    evidence: Evidence,
    /// When the replica was started.
    started: ServerStart,
    primary_timeline: u32,
}

impl Unusable {
    /// Whether the history of the replica is the reason, which does not change while the primary is
    /// away.
    pub(super) fn is_of_history(&self) -> bool {
        match self {
            Unusable::OtherCluster { .. }
            | Unusable::Diverged(_)
            | Unusable::EarlierTimeline { .. }
            | Unusable::UnknownTimeline { .. }
            | Unusable::UnknownPrimary(_) => true,
            Unusable::Unreachable(_) | Unusable::NotInRecovery | Unusable::Behind(_) => false,
        }
    }

    /// Whether another cause differs in numbers alone, and is not logged again.
    pub(super) fn is_same_kind(&self, other: &Unusable) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(other)
    }
}

impl fmt::Display for Evidence {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Evidence::LaterTimeline { replica, primary } => write!(
                formatter,
                "it is on timeline {replica}, and the primary on {primary}"
            ),
            Evidence::Ahead { replica, primary } => write!(
                formatter,
                "it has replayed {replica}, which is beyond the primary's position {primary}"
            ),
            Evidence::Checkpoint { position } => {
                write!(formatter, "the primary made no checkpoint at {position}")
            }
        }
    }
}

impl Lag {
    pub(super) fn seconds(self) -> f64 {
        let (Lag::Known(time) | Lag::AtLeast(time)) = self;
        time.as_secs_f64()
    }
}

impl fmt::Display for Lag {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let prefix = match self {
            Lag::Known(_) => "",
            Lag::AtLeast(_) => "at least ",
        };
        write!(formatter, "{prefix}{:.1} s behind", self.seconds())
    }
}

/// What shows that a replica has left the history of a primary that was asked later. A database
/// that is a standby itself is no measure.
pub(super) fn divergence(replica: &ServerState, primary: &ServerState) -> Option<Evidence> {
    if primary.is_replica {
        return None;
    }
    if replica.timeline > primary.timeline {
        return Some(Evidence::LaterTimeline {
            replica: replica.timeline,
            primary: primary.timeline,
        });
    }
    if replica.position > primary.position {
        return Some(Evidence::Ahead {
            replica: replica.position,
            primary: primary.position,
        });
    }
    let (of_replica, of_primary) = (replica.checkpoint, primary.checkpoint);
    if of_primary.timeline < primary.timeline {
        // Promoted a moment ago: its last checkpoint is a restartpoint of the replica that it was,
        // and others may have made later ones.
        return None;
    }
    let is_foreign = of_replica.position > of_primary.position
        || (of_replica.position == of_primary.position
            && of_replica.time.total_cmp(&of_primary.time).is_ne());
    is_foreign.then_some(Evidence::Checkpoint {
        position: of_replica.position,
    })
}

impl Divergence {
    /// What is known after a further question.
    pub(super) fn update(
        known: Option<Divergence>,
        replica: &ServerState,
        primary: &ServerState,
    ) -> Option<Divergence> {
        if let Some(evidence) = divergence(replica, primary) {
            return Some(Divergence {
                evidence,
                started: replica.started,
                primary_timeline: primary.timeline,
            });
        }
        known.filter(|known| {
            known.started == replica.started && known.primary_timeline == primary.timeline
        })
    }
}

/// Whether a replica belongs to the cluster and is in recovery.
pub(super) fn check_cluster(
    divergence: Option<&Divergence>,
    replica: &ServerState,
    primary: &ServerState,
) -> Result<(), Unusable> {
    if replica.system != primary.system {
        return Err(Unusable::OtherCluster {
            replica: replica.system,
            primary: primary.system,
        });
    }
    if !replica.is_replica {
        return Err(Unusable::NotInRecovery);
    }
    match divergence {
        Some(divergence) => Err(Unusable::Diverged(divergence.evidence)),
        None => Ok(()),
    }
}

/// Whether a replica follows this primary.
pub(super) fn check_history(
    divergence: Option<&Divergence>,
    replica: &ServerState,
    primary: &ServerState,
) -> Result<(), Unusable> {
    check_cluster(divergence, replica, primary)?;
    let timelines = (replica.timeline, primary.timeline);
    match (timelines, replica.received_timeline) {
        _ if primary.is_replica => Ok(()),
        ((replica, primary), Some(_)) if replica < primary => {
            Err(Unusable::EarlierTimeline { replica, primary })
        }
        ((replica, primary), None) if replica < primary => {
            Err(Unusable::UnknownTimeline { replica, primary })
        }
        _ => Ok(()),
    }
}

/// The positions of the primary over time.
#[derive(Debug)]
pub(super) struct Samples {
    max_lag: Duration,
    timeline: u32,
    /// The first position that was seen on the timeline.
    first: Lsn,
    positions: VecDeque<(Instant, Lsn)>,
}

/// The most positions that are kept.
const MAX_SAMPLES: usize = 10_000;

impl Samples {
    pub(super) fn new(max_lag: Duration) -> Samples {
        Samples {
            max_lag,
            timeline: 0,
            first: Lsn::default(),
            positions: VecDeque::new(),
        }
    }

    pub(super) fn add(&mut self, now: Instant, primary: &ServerState) {
        let position = primary.position;
        // After a failover the new primary never had what the old one wrote last.
        let is_earlier = self
            .positions
            .back()
            .is_some_and(|(_, last)| position < *last);
        if primary.timeline != self.timeline || is_earlier {
            self.timeline = primary.timeline;
            self.first = position;
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
        let is_old = |(at, _): &(Instant, Lsn)| now.duration_since(*at) > self.max_lag * 2;
        while self.positions.len() > 2
            && (self.positions.len() > MAX_SAMPLES || self.positions.get(1).is_some_and(is_old))
        {
            self.positions.pop_front();
        }
    }

    /// How far a replica is behind that has replayed this position: the time since the primary was
    /// seen beyond it. Before enough is known, at least the age of the replica's last transaction.
    pub(super) fn lag(&self, now: Instant, replayed: Lsn, age: Option<Duration>) -> Lag {
        let beyond = self
            .positions
            .iter()
            .position(|(_, position)| *position > replayed);
        let Some(index) = beyond else {
            return Lag::Known(Duration::ZERO);
        };
        let seen = self
            .positions
            .get(index)
            .map_or(Duration::ZERO, |(at, _)| now.duration_since(*at));
        match age {
            // The first position may have been written long before it was seen.
            Some(age) if index == 0 => Lag::Known(seen.max(age)),
            None if index == 0 => Lag::AtLeast(seen),
            _ => Lag::Known(seen),
        }
    }

    /// Whether a replica is not too far behind.
    pub(super) fn check_lag(&self, lag: Lag) -> Result<(), Unusable> {
        match lag {
            Lag::Known(time) if time <= self.max_lag => Ok(()),
            lag => Err(Unusable::Behind(lag)),
        }
    }

    /// Whether a replica that follows the timeline has everything that is left of earlier ones.
    pub(super) fn covers_earlier_timelines(&self, replica: &ServerState) -> bool {
        replica.timeline == self.timeline && replica.position >= self.first
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::server_state::Checkpoint;

    fn at(position: u64) -> Lsn {
        Lsn::from(position)
    }

    fn server(timeline: u32, position: u64) -> ServerState {
        ServerState {
            is_replica: false,
            system: 7,
            timeline,
            position: at(position),
            checkpoint: Checkpoint {
                position: at(10),
                time: 1.0,
                timeline,
            },
            started: ServerStart(1.0),
            clock: 1.0,
            received_timeline: None,
            age: None,
        }
    }

    fn replica(timeline: u32, position: u64) -> ServerState {
        ServerState {
            is_replica: true,
            ..server(timeline, position)
        }
    }

    fn judge(replica: &ServerState, primary: &ServerState) -> Result<(), Unusable> {
        let divergence = Divergence::update(None, replica, primary);
        check_history(divergence.as_ref(), replica, primary)
    }

    #[test]
    fn replica_of_another_history_or_cluster_is_not_usable() {
        let primary = server(2, 100);
        assert_eq!(judge(&replica(2, 100), &primary), Ok(()));
        let text = |replica: &ServerState| judge(replica, &primary).unwrap_err().to_string();
        assert!(text(&replica(3, 50)).contains("timeline 3, and the primary on 2"));
        assert!(text(&replica(2, 101)).contains("beyond the primary's position 0/64"));
        assert!(text(&server(2, 100)).contains("not in recovery"));
        let other = ServerState {
            system: 8,
            ..replica(2, 100)
        };
        assert!(text(&other).contains("another cluster"));
        // A checkpoint that the primary did not make, and one of the same position.
        for (position, time) in [(11, 1.0), (10, 2.0)] {
            let checkpoint = Checkpoint {
                position: at(position),
                time,
                timeline: 2,
            };
            let twin = ServerState {
                checkpoint,
                ..replica(2, 100)
            };
            assert!(text(&twin).contains("no checkpoint"));
            let mut promoted = server(2, 100);
            promoted.checkpoint.timeline = 1;
            assert_eq!(judge(&twin, &promoted), Ok(()));
        }
        // What it receives shows that it follows the former primary, or only may.
        let former = ServerState {
            received_timeline: Some(1),
            ..replica(1, 100)
        };
        assert!(text(&former).contains("timeline 1 yet"));
        assert!(text(&replica(1, 100)).contains("pg_read_all_stats"));
    }

    #[test]
    fn diverged_replica_stays_so_until_it_is_started_again() {
        let primary = server(2, 100);
        let known = Divergence::update(None, &replica(2, 101), &primary);
        let known = Divergence::update(known, &replica(2, 101), &server(2, 200));
        assert!(known.is_some());
        assert!(Divergence::update(known.clone(), &replica(2, 101), &server(3, 200)).is_none());
        let rebuilt = ServerState {
            started: ServerStart(2.0),
            ..replica(2, 101)
        };
        assert!(Divergence::update(known, &rebuilt, &server(2, 200)).is_none());
    }

    #[test]
    fn lag_is_the_time_since_the_primary_was_seen_beyond_the_replica() {
        let start = Instant::now();
        let second = Duration::from_secs(1);
        let minute = Some(second * 60);
        let mut samples = Samples::new(second * 10);
        assert_eq!(
            samples.lag(start, at(5), minute),
            Lag::Known(Duration::ZERO)
        );
        for (index, position) in [100, 100, 200, 300].into_iter().enumerate() {
            samples.add(
                start + second * u32::try_from(index).unwrap(),
                &server(1, position),
            );
        }
        let now = start + second * 5;
        assert_eq!(
            samples.lag(now, at(300), minute),
            Lag::Known(Duration::ZERO)
        );
        assert_eq!(samples.lag(now, at(250), minute), Lag::Known(second * 2));
        assert_eq!(samples.lag(now, at(100), minute), Lag::Known(second * 3));
        // Nothing is known about the time before the first position.
        assert_eq!(samples.lag(now, at(50), minute), Lag::Known(second * 60));
        assert_eq!(
            samples.lag(now, at(50), Some(Duration::ZERO)),
            Lag::Known(second * 5)
        );
        let unknown = samples.lag(now, at(50), None);
        assert_eq!(unknown, Lag::AtLeast(second * 5));
        assert!(samples.check_lag(unknown).is_err());
    }

    #[test]
    fn old_positions_are_dropped_and_a_failover_begins_anew() {
        let start = Instant::now();
        let second = Duration::from_secs(1);
        let mut samples = Samples::new(second);
        for index in 0..100 {
            samples.add(start + second * index, &server(1, u64::from(index)));
        }
        assert!(samples.positions.len() <= 4, "{}", samples.positions.len());
        let lag = samples.lag(start + second * 100, at(3), Some(Duration::ZERO));
        assert!(samples.check_lag(lag).is_err());
        samples.add(start + second * 101, &server(2, 150));
        let lag = samples.lag(start + second * 102, at(150), None);
        assert_eq!(lag, Lag::Known(Duration::ZERO));
        assert!(samples.covers_earlier_timelines(&replica(2, 150)));
        assert!(!samples.covers_earlier_timelines(&replica(2, 149)));
        assert!(!samples.covers_earlier_timelines(&replica(1, 200)));
    }
}

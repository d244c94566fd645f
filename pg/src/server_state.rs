//! Which cluster a server belongs to, which timeline it is on and how far it is. Replicas are
//! compared by it with the primary: a position in the write-ahead log says nothing about servers
//! whose histories differ.
//!
//! An ordinary role sees the timeline of a replica's last restartpoint, which lags behind after a
//! failover. What the replica receives now is shown to members of `pg_read_all_stats`.
//! <https://www.postgresql.org/docs/current/functions-info.html#FUNCTIONS-INFO-CONTROLDATA>

use std::time::Duration;

use tokio::time::Instant;

use crate::database::Database;
use crate::error::DatabaseError;
use crate::server_start::ServerStart;
use crate::wal_position::Lsn;

/// The state of a server.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ServerState {
    /// Whether it is in recovery.
    pub(crate) is_replica: bool,
    /// The identifier that all servers of a cluster share.
    pub(crate) system: u64,
    /// The timeline: of a replica the latest that it is known to have been on.
    pub(crate) timeline: u32,
    /// What a primary has written, or a replica has replayed.
    pub(crate) position: Lsn,
    /// The last checkpoint, or of a replica the last restartpoint.
    pub(crate) checkpoint: Checkpoint,
    /// When the server was started.
    pub(crate) started: ServerStart,
    /// Its clock, in seconds of Unix time.
    pub(crate) clock: f64,
    /// The timeline that a replica receives, if the role may see it.
    pub(crate) received_timeline: Option<u32>,
    /// The time since a replica's last transaction was committed, if it has replayed any.
    pub(crate) age: Option<Duration>,
}

/// A checkpoint, which two histories do not share after they have parted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Checkpoint {
    pub(crate) position: Lsn,
    /// When it was made, in seconds of Unix time.
    pub(crate) time: f64,
    pub(crate) timeline: u32,
}

/// How long a server may take to answer.
pub(crate) const STATE_TIMEOUT: Duration = Duration::from_secs(1);

/// The fields of [`ServerState`] in order, with `-` for those that are not known.
const STATE: &str = "SELECT pg_catalog.concat_ws(' ', r.is_replica, s.system_identifier, \
     CASE WHEN r.is_replica \
     THEN greatest(c.timeline_id, m.min_recovery_end_timeline, w.received_tli)::text \
     ELSE 'x' || pg_catalog.pg_walfile_name(pg_catalog.pg_current_wal_lsn()) END, \
     CASE WHEN r.is_replica THEN coalesce(pg_catalog.pg_last_wal_replay_lsn(), '0/0') \
     ELSE pg_catalog.pg_current_wal_lsn() END, \
     c.checkpoint_lsn, extract(epoch FROM c.checkpoint_time), c.timeline_id, \
     extract(epoch FROM pg_catalog.pg_postmaster_start_time()), \
     extract(epoch FROM pg_catalog.clock_timestamp()), \
     coalesce(w.received_tli::text, '-'), \
     coalesce(extract(epoch FROM pg_catalog.clock_timestamp() \
     - pg_catalog.pg_last_xact_replay_timestamp())::text, '-')) \
     FROM (SELECT pg_catalog.pg_is_in_recovery() AS is_replica) r, \
     pg_catalog.pg_control_system() s, pg_catalog.pg_control_checkpoint() c, \
     pg_catalog.pg_control_recovery() m \
     LEFT JOIN pg_catalog.pg_stat_wal_receiver w ON true";

impl ServerState {
    /// Asks a server.
    pub(crate) async fn ask(database: &Database) -> Result<ServerState, DatabaseError> {
        let late = |_| DatabaseError::Timeout(STATE_TIMEOUT);
        let asked = database.query_simple(STATE, Instant::now() + STATE_TIMEOUT);
        // The timeout covers connecting as well.
        let text = tokio::time::timeout(STATE_TIMEOUT, asked)
            .await
            .map_err(late)??;
        ServerState::parse(&text)
            .ok_or_else(|| DatabaseError::Protocol(format!("`{text}` is no state of a server")))
    }

    fn parse(text: &str) -> Option<ServerState> {
        let mut fields = text.split(' ');
        let mut next = || fields.next();
        let is_replica = next()? == "t";
        let system = next()?.parse().ok()?;
        let timeline = match next()? {
            // The name of a file of the log begins with the timeline.
            name if name.starts_with('x') => u32::from_str_radix(name.get(1..9)?, 16).ok()?,
            number => number.parse().ok()?,
        };
        let position = next()?.parse().ok()?;
        let checkpoint = Checkpoint {
            position: next()?.parse().ok()?,
            time: next()?.parse().ok()?,
            timeline: next()?.parse().ok()?,
        };
        let started = ServerStart(next()?.parse().ok()?);
        let clock = next()?.parse().ok()?;
        let received_timeline = match next()? {
            "-" => None,
            number => Some(number.parse().ok()?),
        };
        let age = match next()? {
            "-" => None,
            seconds => Some(Duration::try_from_secs_f64(seconds.parse().ok()?).unwrap_or_default()),
        };
        Some(ServerState {
            is_replica,
            system,
            timeline,
            position,
            checkpoint,
            started,
            clock,
            received_timeline,
            age,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn states_of_primaries_and_replicas_are_read() {
        let primary = ServerState::parse(
            "f 7301 x0000001A0000000200000003 2/3000148 2/3000098 1700000000 26 1699999000.5 1700000001 - -",
        )
        .unwrap();
        assert_eq!((primary.is_replica, primary.timeline), (false, 26));
        assert_eq!(primary.position, "2/3000148".parse().unwrap());
        assert_eq!((primary.received_timeline, primary.age), (None, None));
        let replica = ServerState::parse(
            "t 7301 25 2/3000148 2/3000098 1700000000 25 1699999000.5 1700000001 26 0.25",
        )
        .unwrap();
        assert_eq!(
            (replica.timeline, replica.received_timeline),
            (25, Some(26))
        );
        assert_eq!(replica.age, Some(Duration::from_millis(250)));
        assert_eq!(ServerState::parse("t 7301"), None);
    }
}

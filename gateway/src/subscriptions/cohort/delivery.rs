//! Sends results to the subscribers of a cohort.

use std::sync::Arc;
use std::time::SystemTime;

use bytes::Bytes;

use super::super::members::{CohortMembers, Member, Membership};
use crate::error::Error;
use crate::execute::BoundQuery;
use crate::execute::live_query::{LiveQuery, ResultDigest, ResultRows};
use crate::telemetry::metrics::SubscriptionMetrics;
use pg::memory::MemoryBudget;

/// Sends the results of one run of a cohort.
pub(super) struct Delivery<'c> {
    pub(super) query: &'c LiveQuery,
    /// The digest of the query's shape.
    pub(super) shape: ResultDigest,
    pub(super) members: &'c CohortMembers,
    pub(super) memory: MemoryBudget,
    pub(super) metrics: &'c SubscriptionMetrics,
    /// The commit of the first of the changes that the run is for.
    pub(super) committed_at: Option<SystemTime>,
}

impl Delivery<'_> {
    /// Sends the rows of a list of parameters to its subscribers.
    pub(super) fn send(&self, bound: &Arc<BoundQuery>, rows: &ResultRows<'_>) -> Result<(), Error> {
        if self.query.is_stream() {
            self.advance(bound, rows)
        } else {
            self.deliver(bound, rows)
        }
    }

    /// Sends new rows of a stream, and moves the subscribers that take them to the position behind
    /// them.
    fn advance(&self, bound: &Arc<BoundQuery>, rows: &ResultRows<'_>) -> Result<(), Error> {
        let positions = self.query.positions();
        let Some(position) = rows.last_columns(positions.len()) else {
            return Ok(());
        };
        let result = self.query.encode(self.memory, rows)?;
        let next = Arc::new(bound.at(positions, position));
        let mut groups = self.members.groups();
        let mut moved = Vec::new();
        let mut stayed = Vec::new();
        for mut member in groups.remove(bound) {
            let mut membership = member.subscriber.membership();
            let Membership::In(_, known) = &mut *membership else {
                continue;
            };
            member.is_behind = !member.subscriber.results.is_free();
            if member.is_behind {
                drop(membership);
                stayed.push(member);
                continue;
            }
            *known = next.clone();
            drop(membership);
            member.subscriber.results.send_latest(result.clone());
            self.metrics.results.inc();
            moved.push(member);
        }
        if !stayed.is_empty() {
            groups.members(bound).extend(stayed);
        }
        if !moved.is_empty() {
            groups.members(&next).extend(moved);
            // There may be more rows than one batch, and rows that were reported for the position
            // before and are not visible yet.
            groups.due().joined.insert(next);
            self.members.wake();
        }
        Ok(())
    }

    /// Sends a result to the subscribers whose last result was another one.
    fn deliver(&self, bound: &BoundQuery, rows: &ResultRows<'_>) -> Result<(), Error> {
        let encode = || self.query.encode(self.memory, rows);
        let sent = send_changed(self.members, bound, rows.digest(self.shape), encode)?;
        self.metrics.results.inc_by(sent.first + sent.further);
        // A first result is not that of a change.
        if let Some(committed_at) = self.committed_at {
            let lag = committed_at.elapsed().unwrap_or_default().as_secs_f64();
            (0..sent.further).for_each(|_| self.metrics.lag.observe(lag));
        }
        Ok(())
    }
}

/// How many subscribers got a result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct SentResults {
    /// Those that got their first one.
    first: u64,
    /// The others.
    further: u64,
}

/// Sends a result to the subscribers of a list of parameters whose last result was another one. The
/// result is encoded without the lock, so that subscribers need not wait to join or leave.
fn send_changed(
    members: &CohortMembers,
    bound: &BoundQuery,
    digest: ResultDigest,
    encode: impl FnOnce() -> Result<Bytes, Error>,
) -> Result<SentResults, Error> {
    let is_other = |member: &Member| member.sent != Some(digest);
    if !members
        .groups()
        .get_mut(bound)
        .is_some_and(|members| members.iter().any(is_other))
    {
        return Ok(SentResults::default());
    }
    let result = encode()?;
    let mut sent = SentResults::default();
    for member in members
        .groups()
        .get_mut(bound)
        .into_iter()
        .flatten()
        .filter(|member| is_other(member))
    {
        match member.sent.replace(digest) {
            None => sent.first += 1,
            Some(_) => sent.further += 1,
        }
        member.subscriber.results.send_latest(result.clone());
    }
    Ok(sent)
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::super::super::kept_request::KeptRequest;
    use super::super::super::members::Subscriber;
    use super::super::super::outbox::{Outbox, OutboxReader, outbox};
    use super::*;
    use crate::auth::session::Session;
    use crate::request::Request;

    fn member(connection: &Outbox, number: u64) -> Member {
        let subscriber = Subscriber {
            number,
            session: Session::admin(),
            request: KeptRequest::new(&Request::default(), None),
            results: connection.sender(number),
            membership: Mutex::new(Membership::Nowhere),
            _memory: MemoryBudget::default().empty_reservation(),
        };
        Member {
            subscriber: Arc::new(subscriber),
            sent: None,
            is_behind: false,
        }
    }

    #[test]
    fn subscribers_join_and_leave_while_a_result_is_encoded() {
        let (connection, _reader): (Outbox, OutboxReader) =
            outbox(SubscriptionMetrics::default().queued_bytes);
        let bound = Arc::new(BoundQuery::default());
        let members = CohortMembers::default();
        members
            .groups()
            .members(&bound)
            .extend([member(&connection, 1), member(&connection, 2)]);
        let digest = ResultDigest::from_number(7);
        let encode = || {
            let mut groups = members.groups();
            let joined = groups.members(&bound);
            joined.retain(|member| member.subscriber.number != 1);
            joined.push(member(&connection, 3));
            Ok(Bytes::from_static(b"{}"))
        };
        assert_eq!(
            send_changed(&members, &bound, digest, encode).unwrap(),
            SentResults {
                first: 2,
                further: 0
            }
        );
        assert!(
            members
                .groups()
                .members(&bound)
                .iter()
                .all(|member| member.sent == Some(digest))
        );
        assert_eq!(connection.queued_bytes(), 4);
        let again = || Err(Error::Internal("it has been sent".into()));
        assert_eq!(
            send_changed(&members, &bound, digest, again).unwrap(),
            SentResults::default()
        );
    }
}

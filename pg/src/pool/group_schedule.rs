//! Which short reads run in groups, and when ([`crate::pool::grouped_reads`]). A group counts for
//! each role, user and address that has a statement in it, and each of the three may have as large
//! a part of the groups as of the connections. Statements that wait take turns by the three, so
//! that a flood of them from one caller does not fill every group.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::observer::Observer;
use crate::pool::queue::Requester;
use crate::sharing::{ShareKey, Shares, Turns};

/// The maximum number of statements in a group.
const MAX_GROUP_SIZE: usize = 32;

/// The maximum number of waiting statements, of all callers and of one. Further ones run alone.
const MAX_WAITING: usize = 256;
const MAX_WAITING_PER_CALLER: usize = 64;

/// How short reads of several requests run in groups.
#[derive(Clone, Copy, Debug, Default)]
pub struct GroupSettings {
    /// The number of connections for groups; zero for none.
    pub connections: usize,
}

/// How many groups may run, for all and for each role, user and address.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GroupLimits {
    /// The maximum number of groups at a time: each has a connection.
    pub(crate) groups: usize,
    /// The number of connections of the pool, of which the shares of roles and clients are parts.
    pub(crate) pool: usize,
    /// The maximum number of connections that one user, or one address, may hold.
    pub(crate) client_limit: usize,
}

/// Groups of one kind of statement, and who is told of them.
#[derive(Debug)]
pub(crate) struct Groups<T> {
    /// Whether there are any.
    pub(crate) is_on: bool,
    pub(crate) observer: Arc<dyn Observer>,
    schedule: Mutex<GroupSchedule<T>>,
}

impl<T> Groups<T> {
    pub(crate) fn new(limits: GroupLimits, observer: Arc<dyn Observer>) -> Groups<T> {
        Groups {
            is_on: limits.groups > 0,
            observer,
            schedule: Mutex::new(GroupSchedule::new(limits)),
        }
    }

    pub(crate) fn schedule(&self) -> MutexGuard<'_, GroupSchedule<T>> {
        self.schedule.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The groups that run and the statements that wait for the next.
#[derive(Debug)]
pub(crate) struct GroupSchedule<T> {
    limits: GroupLimits,
    /// The number of groups that run.
    running: usize,
    shares: Shares,
    waiting: Turns<Waiting<T>>,
}

#[derive(Debug)]
struct Waiting<T> {
    role_limit: usize,
    statement: T,
}

/// What a running group counts for. It has to be given back when the group ends.
#[derive(Debug, Default)]
#[must_use]
pub(crate) struct GroupShare(Vec<ShareKey>);

impl GroupLimits {
    /// The part of the groups that corresponds to a part of the connections: one at least.
    fn share(&self, connections: usize) -> usize {
        (self.groups * connections.min(self.pool) / self.pool.max(1)).max(1)
    }
}

impl<T> GroupSchedule<T> {
    pub(crate) fn new(limits: GroupLimits) -> GroupSchedule<T> {
        GroupSchedule {
            limits,
            running: 0,
            shares: Shares::default(),
            waiting: Turns::default(),
        }
    }

    /// Begins a group with a statement of the requester, if there is room for one more.
    pub(crate) fn begin(&mut self, requester: &Requester) -> Option<GroupShare> {
        let key = requester.key();
        let role_limit = self.limits.share(requester.role_limit());
        let client_limit = self.limits.share(self.limits.client_limit);
        if self.running >= self.limits.groups
            || !self.shares.has_room_for(&key, role_limit, client_limit)
        {
            return None;
        }
        self.running += 1;
        self.shares.hold(&key);
        Some(GroupShare(vec![key]))
    }

    /// Whether a statement of the requester may wait. Without a running group none would start the
    /// next.
    pub(crate) fn may_wait(&self, requester: &Requester) -> bool {
        self.running > 0
            && self.waiting.count() < MAX_WAITING
            && self.waiting.line(&requester.key()) < MAX_WAITING_PER_CALLER
    }

    /// Adds a statement that waits.
    pub(crate) fn wait(&mut self, requester: &Requester, statement: T) {
        let role_limit = self.limits.share(requester.role_limit());
        self.waiting.push(
            requester.key(),
            Waiting {
                role_limit,
                statement,
            },
        );
    }

    /// Ends a group, and begins the next with the statements that wait and may run. Without one, a
    /// group less runs.
    pub(crate) fn next(
        &mut self,
        ended: GroupShare,
        is_wanted: impl Fn(&T) -> bool,
    ) -> Option<(VecDeque<T>, GroupShare)> {
        self.give_back(ended);
        let client_limit = self.limits.share(self.limits.client_limit);
        let mut statements = VecDeque::new();
        let mut held = GroupShare::default();
        while statements.len() < MAX_GROUP_SIZE {
            let shares = &self.shares;
            let popped = self.waiting.pop(|key, waiting| {
                shares.has_room_for(&key.without(&held.0), waiting.role_limit, client_limit)
            });
            let Some((key, Waiting { statement, .. })) = popped else {
                break;
            };
            if !is_wanted(&statement) {
                continue;
            }
            let new = key.without(&held.0);
            self.shares.hold(&new);
            held.0.push(new);
            statements.push_back(statement);
        }
        if statements.is_empty() {
            self.running -= 1;
            return None;
        }
        Some((statements, held))
    }

    fn give_back(&mut self, ended: GroupShare) {
        ended
            .0
            .into_iter()
            .for_each(|key| self.shares.release(&key));
    }

    /// Ends a group that got no connection, and returns all statements that wait, so that none
    /// waits for another's attempt.
    pub(crate) fn dismiss(&mut self, ended: GroupShare) -> impl Sized + use<T> {
        self.give_back(ended);
        self.running -= 1;
        std::mem::take(&mut self.waiting)
    }
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroU64;

    use super::*;
    use crate::sharing::share_key;

    const LIMITS: GroupLimits = GroupLimits {
        groups: 4,
        pool: 16,
        client_limit: 8,
    };

    fn requester(role: &str, limit: usize, user: u64) -> Requester {
        let key = ShareKey {
            role: Some(share_key(role)),
            user: NonZeroU64::new(user),
            address: None,
        };
        Requester::new(key, limit)
    }

    fn all(_: &u32) -> bool {
        true
    }

    #[test]
    fn no_client_and_no_role_has_more_than_its_part_of_the_groups() {
        let mut schedule = GroupSchedule::<u32>::new(LIMITS);
        // A client may hold half of the connections, so half of the groups; the role three
        // quarters.
        let of = |user| requester("a", 12, user);
        let first = schedule.begin(&of(1)).unwrap();
        let second = schedule.begin(&of(1)).unwrap();
        assert!(schedule.begin(&of(1)).is_none(), "the client has two");
        let third = schedule.begin(&of(2)).unwrap();
        assert!(schedule.begin(&of(3)).is_none(), "the role has three");
        let fourth = schedule.begin(&requester("b", 1, 4)).unwrap();
        assert!(
            schedule.begin(&requester("c", 12, 5)).is_none(),
            "there are four"
        );
        for share in [first, second, third, fourth] {
            assert!(schedule.next(share, all).is_none());
        }
        assert!(schedule.shares.is_empty() && schedule.running == 0);
    }

    #[test]
    fn waiting_reads_take_turns() {
        let mut schedule = GroupSchedule::<u32>::new(GroupLimits {
            groups: 1,
            ..LIMITS
        });
        let flood = requester("a", 16, 1);
        let other = requester("a", 16, 2);
        let running = schedule.begin(&flood).unwrap();
        for number in 0..100 {
            if schedule.may_wait(&flood) {
                schedule.wait(&flood, number);
            }
        }
        assert_eq!(
            schedule.waiting.count(),
            MAX_WAITING_PER_CALLER,
            "the rest of the flood runs alone"
        );
        assert!(schedule.may_wait(&other));
        schedule.wait(&other, 1000);
        let (reads, running) = schedule.next(running, all).unwrap();
        assert_eq!(
            (reads.len(), reads.iter().position(|read| *read == 1000)),
            (MAX_GROUP_SIZE, Some(1))
        );
        let (_, running) = schedule.next(running, all).unwrap();
        assert_eq!(schedule.waiting.count(), 1);
        let (reads, running) = schedule.next(running, all).unwrap();
        assert_eq!(reads, [63]);
        assert!(schedule.next(running, all).is_none() && schedule.shares.is_empty());
    }

    #[test]
    fn reads_over_the_share_wait_for_a_group_of_their_caller() {
        let mut schedule = GroupSchedule::<u32>::new(LIMITS);
        let one = requester("a", 1, 1);
        let other = requester("b", 16, 2);
        let own = schedule.begin(&one).unwrap();
        let others = schedule.begin(&other).unwrap();
        assert!(schedule.begin(&one).is_none());
        schedule.wait(&one, 1);
        schedule.wait(&one, 2);
        // A group of another caller ends; the reads of this one still wait for their share.
        assert!(schedule.next(others, all).is_none());
        let (reads, own) = schedule.next(own, all).unwrap();
        // The reads of one caller are one group.
        assert_eq!(reads, [1, 2]);
        // Reads whose requests are gone are left out.
        schedule.wait(&one, 3);
        assert!(schedule.next(own, |_| false).is_none());
        assert!(schedule.shares.is_empty() && schedule.running == 0);
    }
}

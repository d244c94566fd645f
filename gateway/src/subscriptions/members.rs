//! The subscribers of a cohort by their parameters, and which of the lists of parameters have to
//! run. A subscriber knows the members that it is among, so that it can leave them.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use tokio::sync::Notify;

use super::kept_request::KeptRequest;
use super::key_index::{KeyIndex, Touched};
use super::outbox::ResultSender;
use crate::auth::session::Session;
use crate::error::Error;
use crate::execute::BoundQuery;
use crate::execute::live_query::ResultDigest;
use pg::memory::Reservation;

/// The subscribers of a cohort, and what wakes the cohort.
#[derive(Debug, Default)]
pub(super) struct CohortMembers {
    groups: Mutex<Groups>,
    /// Notified if results may have changed, a subscriber waits for its first one, or the last one
    /// has left.
    woken: Notify,
}

/// A subscriber, wherever it is: a reload moves it to another cohort.
#[derive(Debug)]
pub(super) struct Subscriber {
    pub(super) number: u64,
    pub(super) session: Session,
    pub(super) request: KeptRequest,
    pub(super) results: ResultSender,
    pub(super) membership: Mutex<Membership>,
    /// Reserves memory for the request and its parameters.
    pub(super) _memory: Reservation,
}

/// The cohort and the parameters of a subscriber.
#[derive(Debug)]
pub(super) enum Membership {
    /// In no cohort: not yet, or because a reload is planning it anew.
    Nowhere,
    /// Among these members, with this list of parameters.
    In(Arc<CohortMembers>, Arc<BoundQuery>),
    /// The subscription has ended.
    Ended,
}

/// A subscriber in a cohort.
#[derive(Debug)]
pub(super) struct Member {
    pub(super) subscriber: Arc<Subscriber>,
    /// The digest of the last result that was sent.
    pub(super) sent: Option<ResultDigest>,
    /// Whether the connection has not taken the last rows of the stream yet.
    pub(super) is_behind: bool,
}

/// The subscribers by their lists of parameters.
#[derive(Debug, Default)]
pub(super) struct Groups {
    lists: HashMap<Arc<BoundQuery>, Vec<Member>>,
    /// How many of the lists may stand for the current time.
    clock_lists: usize,
    /// The lists that have to run: those with a new subscriber, and those that a change has
    /// touched.
    due: Due,
    /// Where the lists that a change touches are found.
    index: Option<KeyIndex>,
}

/// The lists of parameters that have to run.
#[derive(Debug, Default)]
pub(super) struct Due {
    pub(super) lists: HashSet<Arc<BoundQuery>>,
    /// Whether all have to.
    pub(super) all: bool,
    /// The lists with a new subscriber.
    pub(super) joined: HashSet<Arc<BoundQuery>>,
    /// When the first of the changes was committed.
    pub(super) committed_at: Option<SystemTime>,
}

impl CohortMembers {
    pub(super) fn groups(&self) -> MutexGuard<'_, Groups> {
        self.groups.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Wakes the cohort.
    pub(super) fn wake(&self) {
        self.woken.notify_one();
    }

    /// Waits until the cohort is woken.
    pub(super) async fn woken(&self) {
        self.woken.notified().await;
    }

    /// Adds a subscriber, with the digest of the last result that it was sent.
    pub(super) fn add(
        &self,
        bound: &Arc<BoundQuery>,
        subscriber: Arc<Subscriber>,
        sent: Option<ResultDigest>,
    ) {
        let member = Member {
            subscriber,
            sent,
            is_behind: false,
        };
        let mut groups = self.groups();
        // Its client may have ended it meanwhile, and has then looked for it in vain.
        if !matches!(*member.subscriber.membership(), Membership::Ended) {
            groups.members(bound).push(member);
            groups.due().joined.insert(bound.clone());
        }
        drop(groups);
        self.wake();
    }

    pub(super) fn remove(&self, bound: &Arc<BoundQuery>, number: u64) {
        let mut groups = self.groups();
        if let Some(members) = groups.get_mut(bound) {
            members.retain(|member| member.subscriber.number != number);
            if members.is_empty() {
                groups.remove(bound);
            }
            if groups.len() == 0 {
                self.wake();
            }
        }
    }

    /// Moves all subscribers to another cohort of the translation.
    pub(super) fn give_all(&self, other: &Arc<CohortMembers>) {
        let lists: Vec<Arc<BoundQuery>> = self.groups().lists().cloned().collect();
        lists.iter().for_each(|list| self.give(list, other));
    }

    /// One of the subscribers.
    pub(super) fn any_subscriber(&self) -> Option<Arc<Subscriber>> {
        let groups = self.groups();
        let member = groups.members_of_all().next()?;
        Some(member.subscriber.clone())
    }

    /// Moves the subscribers of a list of parameters to another cohort of the translation.
    pub(super) fn give(&self, bound: &Arc<BoundQuery>, other: &Arc<CohortMembers>) {
        let members = self.groups().remove(bound);
        // The lock is held until they are in, so that a subscriber that ends meanwhile is found.
        let mut groups = other.groups();
        for member in members {
            let mut membership = member.subscriber.membership();
            if !matches!(*membership, Membership::Ended) {
                *membership = Membership::In(other.clone(), bound.clone());
                drop(membership);
                groups.members(bound).push(member);
                groups.due().joined.insert(bound.clone());
            }
        }
        drop(groups);
        other.wake();
    }
}

impl Subscriber {
    pub(super) fn membership(&self) -> MutexGuard<'_, Membership> {
        self.membership
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Leaves its cohort for good.
    pub(super) fn leave(&self) {
        let membership = std::mem::replace(&mut *self.membership(), Membership::Ended);
        if let Membership::In(members, bound) = membership {
            members.remove(&bound, self.number);
        }
    }

    /// Ends the subscription with an error.
    pub(super) fn end(&self, error: Arc<Error>) {
        self.leave();
        self.results.end(Some(error));
    }
}

impl Due {
    /// Adds the lists of an attempt that has failed.
    pub(super) fn merge(&mut self, failed: Due) {
        self.lists.extend(failed.lists);
        self.joined.extend(failed.joined);
        self.all |= failed.all;
        self.committed_at = [self.committed_at, failed.committed_at]
            .into_iter()
            .flatten()
            .min();
    }

    /// Adds lists that a change has touched.
    pub(super) fn add(&mut self, touched: Touched, committed_at: Option<SystemTime>) {
        match touched {
            Touched::All => self.all = true,
            Touched::Lists(lists) => self.lists.extend(lists),
        }
        self.committed_at = [self.committed_at, committed_at]
            .into_iter()
            .flatten()
            .min();
    }
}

impl Groups {
    /// The members of a list, which is added if it is new.
    pub(super) fn members(&mut self, list: &Arc<BoundQuery>) -> &mut Vec<Member> {
        self.lists.entry(list.clone()).or_insert_with(|| {
            if let Some(index) = &mut self.index {
                index.insert(list);
            }
            self.clock_lists += usize::from(list.reads_clock());
            Vec::new()
        })
    }

    /// The list that equal ones are kept as, so that they share their values.
    pub(super) fn shared(&self, list: &Arc<BoundQuery>) -> Arc<BoundQuery> {
        self.lists
            .get_key_value(&**list)
            .map_or(list, |(known, _)| known)
            .clone()
    }

    /// Whether a list may stand for the current time.
    pub(super) fn has_clock_values(&self) -> bool {
        self.clock_lists > 0
    }

    pub(super) fn get_mut(&mut self, list: &BoundQuery) -> Option<&mut Vec<Member>> {
        self.lists.get_mut(list)
    }

    /// Removes a list and returns its members.
    pub(super) fn remove(&mut self, list: &BoundQuery) -> Vec<Member> {
        let Some(members) = self.lists.remove(list) else {
            return Vec::new();
        };
        if let Some(index) = &mut self.index {
            index.remove(list);
        }
        self.clock_lists -= usize::from(list.reads_clock());
        members
    }

    /// Removes all lists and returns them.
    pub(super) fn take(&mut self) -> HashMap<Arc<BoundQuery>, Vec<Member>> {
        std::mem::take(self).lists
    }

    pub(super) fn len(&self) -> usize {
        self.lists.len()
    }

    pub(super) fn lists(&self) -> impl Iterator<Item = &Arc<BoundQuery>> {
        self.lists.keys()
    }

    pub(super) fn members_of_all(&self) -> impl Iterator<Item = &Member> {
        self.lists.values().flatten()
    }

    pub(super) fn iter_mut(
        &mut self,
    ) -> impl Iterator<Item = (&Arc<BoundQuery>, &mut Vec<Member>)> {
        self.lists.iter_mut()
    }

    /// The lists that have to run.
    pub(super) fn due(&mut self) -> &mut Due {
        &mut self.due
    }

    /// How many lists have to run, at most.
    pub(super) fn due_count(&self) -> usize {
        if self.due.all {
            self.lists.len()
        } else {
            self.due.lists.len() + self.due.joined.len()
        }
    }

    /// Takes the lists that have to run, and returns those of them that still have members.
    pub(super) fn take_due(&mut self) -> (Vec<Arc<BoundQuery>>, Due) {
        let due = std::mem::take(&mut self.due);
        let lists = if due.all {
            self.lists.keys().cloned().collect()
        } else {
            let all = due.lists.iter().chain(due.joined.difference(&due.lists));
            all.filter(|list| self.lists.contains_key(*list))
                .cloned()
                .collect()
        };
        (lists, due)
    }

    /// Replaces the index.
    pub(super) fn set_index(&mut self, index: Option<KeyIndex>) {
        self.index = index.map(|mut index| {
            self.lists.keys().for_each(|list| index.insert(list));
            index
        });
    }

    pub(super) fn index(&self) -> Option<&KeyIndex> {
        self.index.as_ref()
    }
}

/// Ends subscribers with an error.
pub(super) fn end(members: impl IntoIterator<Item = Member>, error: &Arc<Error>) {
    for member in members {
        *member.subscriber.membership() = Membership::Ended;
        member.subscriber.results.end(Some(error.clone()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_lists_are_kept_once() {
        let mut groups = Groups::default();
        let first = Arc::<BoundQuery>::default();
        let equal = Arc::default();
        assert!(Arc::ptr_eq(&groups.shared(&equal), &equal));
        groups.members(&first);
        assert!(Arc::ptr_eq(&groups.shared(&equal), &first));
        assert!(!groups.has_clock_values());
        assert!(groups.remove(&equal).is_empty() && groups.len() == 0);
        assert!(
            Arc::ptr_eq(&groups.shared(&equal), &equal),
            "it was removed"
        );
    }
}

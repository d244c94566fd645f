//! The subscribers of a cohort by their parameters, and which of the lists of parameters have to
//! run.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::SystemTime;

use super::Subscriber;
use super::key_index::{KeyIndex, Touched};
use crate::execute::BoundQuery;
use crate::execute::live_query::ResultDigest;

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

    /// One of the members.
    pub(super) fn any_member(&self) -> Option<&Member> {
        self.lists.values().flatten().next()
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

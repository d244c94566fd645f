//! Lines of waiting callers that take turns, one line for each combination of role, user and
//! address.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, VecDeque};

use super::share_key::ShareKey;

/// Lines of waiting callers.
#[derive(Debug)]
pub struct Turns<T> {
    /// The waiting callers by key, in order of arrival.
    lines: HashMap<ShareKey, VecDeque<T>, foldhash::fast::RandomState>,
    /// The keys that have waiting callers, in the order of their turns.
    order: VecDeque<ShareKey>,
    waiting: usize,
}

impl<T> Default for Turns<T> {
    fn default() -> Turns<T> {
        Turns {
            lines: HashMap::default(),
            order: VecDeque::new(),
            waiting: 0,
        }
    }
}

impl<T> Turns<T> {
    /// The number of waiting callers.
    pub fn count(&self) -> usize {
        self.waiting
    }

    /// The number of waiting callers of a line.
    pub fn line(&self, key: &ShareKey) -> usize {
        self.lines.get(key).map_or(0, VecDeque::len)
    }

    /// Adds a caller to the end of its line.
    pub fn push(&mut self, key: ShareKey, caller: T) {
        self.waiting += 1;
        match self.lines.entry(key) {
            Entry::Occupied(mut entry) => entry.get_mut().push_back(caller),
            Entry::Vacant(entry) => {
                self.order.push_back(*entry.key());
                entry.insert(VecDeque::from([caller]));
            }
        }
    }

    /// The first caller of the next line whose first caller may be served. Lines that have to wait
    /// are moved to the end in their order.
    pub fn pop(&mut self, may_be_served: impl Fn(&ShareKey, &T) -> bool) -> Option<(ShareKey, T)> {
        for _ in 0..self.order.len() {
            let key = self.order.pop_front()?;
            let line = self.lines.get_mut(&key)?;
            if !may_be_served(&key, line.front()?) {
                self.order.push_back(key);
                continue;
            }
            let caller = line.pop_front()?;
            self.waiting -= 1;
            if line.is_empty() {
                self.lines.remove(&key);
            } else {
                self.order.push_back(key);
            }
            return Some((key, caller));
        }
        None
    }

    /// Makes room for a caller by removing the last one of the longest line, if that line is longer
    /// than the caller's.
    pub fn evict(&mut self, key: &ShareKey) -> Option<T> {
        let own = self.line(key);
        let longest = self.lines.iter().max_by_key(|(_, line)| line.len())?;
        let longest = (longest.1.len() > own + 1).then_some(*longest.0)?;
        let evicted = self.lines.get_mut(&longest)?.pop_back();
        self.waiting -= usize::from(evicted.is_some());
        evicted
    }

    /// Removes a caller from its line, at any position.
    pub fn remove(&mut self, key: &ShareKey, is_wanted: impl Fn(&T) -> bool) {
        let Some(line) = self.lines.get_mut(key) else {
            return;
        };
        let before = line.len();
        line.retain(|caller| !is_wanted(caller));
        self.waiting -= before - line.len();
        if line.is_empty() {
            self.lines.remove(key);
            self.order.retain(|known| known != key);
        }
    }
}

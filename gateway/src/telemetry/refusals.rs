//! Callers who were refused because of a token or a secret: a log line and an audit event for each
//! path, reason and address, once a minute; further refusals are counted, and their number follows.
//! Attackers so write no more than a few hundred lines a minute, however many requests they send.
//!
//! The audit table accepts no deletions, so a row for each request would let an attacker fill the
//! disk. A minute has at most 100 different lines, and what is left out is counted. A refusal waits
//! for nothing: without the database a thousand rows wait in memory.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// The refusals of a server.
#[derive(Debug, Default)]
pub struct Refusals(Mutex<State>);

/// A refusal, or the number of further ones like it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The path of the route.
    pub path: String,
    /// Why the caller was refused. It contains no value of the request.
    pub reason: String,
    /// The caller's address; none if there are several, or if it is not known.
    pub address: Option<IpAddr>,
    /// The id of the request; none for further ones.
    pub request_id: Option<String>,
    /// How many refusals it stands for.
    pub count: u64,
}

#[derive(Debug, Default)]
struct State {
    began: Option<Instant>,
    /// The refusals of the minute, with how many there were.
    known: HashMap<Key, u64>,
    /// How many others there were in the minute.
    others: u64,
    /// What the audit table does not have yet.
    pending: Vec<Refusal>,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Key {
    path: String,
    reason: String,
    address: Option<IpAddr>,
}

/// How many different refusals a minute has lines for.
const MAX_LINES_PER_MINUTE: usize = 100;

/// How many refusals wait for the audit table while the database is away.
const MAX_PENDING: usize = 1000;

const MINUTE: Duration = Duration::from_secs(60);

impl Refusals {
    /// Records a refusal. `path` is that of a route, and `reason` a text of the gateway.
    pub fn record(&self, path: &str, reason: &str, address: Option<IpAddr>, request_id: &str) {
        self.record_at(
            Instant::now(),
            Key {
                path: path.to_owned(),
                reason: reason.to_owned(),
                address,
            },
            request_id,
        );
    }

    fn record_at(&self, now: Instant, key: Key, request_id: &str) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.end_minute(now);
        state.began.get_or_insert(now);
        if let Some(count) = state.known.get_mut(&key) {
            *count += 1;
        } else if state.known.len() < MAX_LINES_PER_MINUTE {
            state.known.insert(key.clone(), 1);
            let Key {
                path,
                reason,
                address,
            } = key;
            state.add(Refusal {
                path,
                reason,
                address,
                request_id: Some(request_id.to_owned()),
                count: 1,
            });
        } else {
            state.others += 1;
        }
    }

    /// Takes what the audit table does not have yet.
    pub fn take(&self) -> Vec<Refusal> {
        self.take_at(Instant::now())
    }

    fn take_at(&self, now: Instant) -> Vec<Refusal> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.end_minute(now);
        std::mem::take(&mut state.pending)
    }

    /// Puts back what could not be stored.
    pub fn put_back(&self, refusals: Vec<Refusal>) {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let remaining = MAX_PENDING.saturating_sub(state.pending.len());
        state
            .pending
            .splice(0..0, refusals.into_iter().take(remaining));
    }
}

impl State {
    /// Once the minute is over, reports how many further refusals it had.
    fn end_minute(&mut self, now: Instant) {
        if self
            .began
            .is_none_or(|began| now.saturating_duration_since(began) < MINUTE)
        {
            return;
        }
        self.began = None;
        for (
            Key {
                path,
                reason,
                address,
            },
            count,
        ) in std::mem::take(&mut self.known)
        {
            if count > 1 {
                self.add(Refusal {
                    path,
                    reason,
                    address,
                    request_id: None,
                    count: count - 1,
                });
            }
        }
        let others = std::mem::take(&mut self.others);
        if others > 0 {
            let path = "other".to_owned();
            let reason = "other refusals".to_owned();
            self.add(Refusal {
                path,
                reason,
                address: None,
                request_id: None,
                count: others,
            });
        }
    }

    fn add(&mut self, refusal: Refusal) {
        let Refusal {
            path,
            reason,
            address,
            request_id,
            count,
        } = &refusal;
        let address = address.map(|address| address.to_string());
        let address = address.as_deref();
        let request_id = request_id.as_deref();
        tracing::warn!(request_id, path, reason, address, count, "refused");
        if self.pending.len() < MAX_PENDING {
            self.pending.push(refusal);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(reason: &str, last: u8) -> Key {
        Key {
            path: "/p".into(),
            reason: reason.into(),
            address: Some([192, 0, 2, last].into()),
        }
    }

    #[test]
    fn repeated_refusals_are_counted() {
        let refusals = Refusals::default();
        let now = Instant::now();
        (0..5).for_each(|_| refusals.record_at(now, key("wrong", 1), "id"));
        refusals.record_at(now, key("wrong", 2), "id");
        let taken = refusals.take_at(now);
        assert_eq!(
            taken
                .iter()
                .map(|refusal| refusal.count)
                .collect::<Vec<_>>(),
            [1, 1]
        );
        assert_eq!(refusals.take_at(now), []);
        let further = refusals.take_at(now + MINUTE);
        assert_eq!(
            (further.len(), further[0].count, &further[0].request_id),
            (1, 4, &None)
        );
        refusals.record_at(now + MINUTE, key("wrong", 1), "id");
        assert_eq!(refusals.take_at(now + MINUTE).len(), 1);
    }

    #[test]
    fn number_of_lines_is_bounded() {
        let refusals = Refusals::default();
        let now = Instant::now();
        for reason in 0..100 {
            (0..50).for_each(|last| refusals.record_at(now, key(&reason.to_string(), last), "id"));
        }
        assert_eq!(refusals.take_at(now).len(), MAX_LINES_PER_MINUTE);
        let rest = refusals.take_at(now + MINUTE);
        assert_eq!(
            (rest.len(), rest[0].count),
            (1, 5000 - MAX_LINES_PER_MINUTE as u64)
        );
    }

    #[test]
    fn what_could_not_be_stored_comes_again() {
        let refusals = Refusals::default();
        let now = Instant::now();
        refusals.record_at(now, key("wrong", 1), "id");
        let taken = refusals.take_at(now);
        refusals.put_back(taken.clone());
        assert_eq!(refusals.take_at(now), taken);
    }
}

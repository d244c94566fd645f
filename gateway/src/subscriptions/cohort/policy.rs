//! How the query of a cohort has to be run, as the planner sees it. The planner is asked after the
//! first run, and again after a pause if it has failed.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::Instant;

use super::super::key_index::KeyIndex;
use super::super::members::CohortMembers;
use crate::error::Error;
use crate::execute::live_query::{LiveQuery, RunPolicy};
use pg::Database;

/// How a query has to be run.
#[derive(Debug, Default)]
pub(super) struct QueryPolicy(Mutex<PolicyState>);

/// How the query has to be run, once it is known.
#[derive(Debug, Default)]
struct PolicyState {
    policy: Option<Arc<RunPolicy>>,
    /// How often a policy was forgotten.
    version: u64,
    /// How often the planner was asked in vain, and when it is asked again.
    failures: u32,
    not_before: Option<Instant>,
}

/// After the planner has failed, the time until it is asked again, which doubles up to the second
/// one. Until then the query runs as if it read every table and the clock.
const PLANNER_PAUSE: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(60));

impl QueryPolicy {
    fn state(&self) -> MutexGuard<'_, PolicyState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The policy, once it is known.
    pub(super) fn get(&self) -> Option<Arc<RunPolicy>> {
        self.state().policy.clone()
    }

    /// Has the planner asked again, because the schema may have changed.
    pub(super) fn forget(&self) {
        let mut state = self.state();
        *state = PolicyState {
            version: state.version + 1,
            ..PolicyState::default()
        };
    }

    /// Asks the planner, unless the policy is known or the planner has just failed, and makes the
    /// index of the members. A failure is not one of the statement, which has run. Returns whether
    /// the policy may have been found.
    pub(super) async fn find(
        &self,
        query: &LiveQuery,
        database: &Database,
        members: &CohortMembers,
    ) -> bool {
        let version = {
            let state = self.state();
            if state.policy.is_some() || state.not_before.is_some_and(|time| Instant::now() < time)
            {
                return false;
            }
            state.version
        };
        let deadline = Instant::now() + query.limits().enforced.time;
        let Some(bound) = members.groups().lists().next().cloned() else {
            return false;
        };
        let policy = match query.policy(database, &bound, deadline).await {
            Ok(policy) => Arc::new(policy),
            Err(error) => {
                self.state().postpone(version, &error, Instant::now());
                return false;
            }
        };
        let index = KeyIndex::new(&policy.dependencies.tables);
        // The lists are in the index before changes are looked up in it.
        let mut groups = members.groups();
        let mut state = self.state();
        if state.version == version {
            groups.set_index(Some(index));
            state.policy = Some(policy);
        }
        true
    }
}

impl PolicyState {
    /// Notes that the planner has failed, unless the policy was forgotten meanwhile.
    fn postpone(&mut self, version: u64, error: &Error, now: Instant) {
        if self.version != version {
            return;
        }
        let pause = PLANNER_PAUSE
            .0
            .saturating_mul(1 << self.failures.min(16))
            .min(PLANNER_PAUSE.1);
        if self.failures == 0 {
            tracing::warn!(
                code = error.spec().code,
                cause = error.cause(),
                "a subscription is run at each interval, because the planner does not say what \
                 it reads"
            );
        }
        self.failures += 1;
        self.not_before = Some(now + pause);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn planner_that_fails_is_asked_again_after_growing_pauses() {
        let mut state = PolicyState::default();
        let error = Error::Internal("no plan".into());
        let now = Instant::now();
        let mut pauses = Vec::new();
        for _ in 0..8 {
            state.postpone(0, &error, now);
            pauses.push(state.not_before.map(|time| (time - now).as_secs()));
        }
        assert_eq!(pauses, [1, 2, 4, 8, 16, 32, 60, 60].map(Some));
        state = PolicyState {
            version: 1,
            ..PolicyState::default()
        };
        state.postpone(0, &error, now);
        assert_eq!(state.not_before, None, "it was forgotten meanwhile");
    }
}

//! What all statements and calls of one request have in common: its caller, its limits, and the
//! version that it is executed with.

use std::sync::Arc;

use tokio::time::Instant;

use super::execution_state::ExecutionState;
use crate::auth::session::Session;
use crate::limits::RoleLimits;
use crate::telemetry::execution_record::{ExecutionRecord, Stage, StageTimer};
use pg::Requester;
use pg::memory::MemoryBudget;

/// The context in which a request is executed.
#[derive(Clone, Copy)]
pub(super) struct RequestContext<'r> {
    pub(super) state: &'r ExecutionState,
    pub(super) session: &'r Session,
    /// The limits of the caller's role.
    pub(super) limits: &'r Arc<RoleLimits>,
    pub(super) deadline: Instant,
    /// Where stages, rows and statements are recorded.
    pub(super) record: Option<&'r ExecutionRecord>,
}

impl<'r> RequestContext<'r> {
    /// The context of a request that is not recorded.
    pub(super) fn new(
        state: &'r ExecutionState,
        session: &'r Session,
        deadline: Instant,
    ) -> RequestContext<'r> {
        RequestContext {
            state,
            session,
            limits: state.limits.for_role(session.role()),
            deadline,
            record: None,
        }
    }

    /// Records the time of a stage until the timer is dropped.
    pub(super) fn start(&self, stage: Stage) -> Option<StageTimer<'r>> {
        self.record.map(|record| record.start(stage))
    }

    /// The requester for whom connections are taken.
    pub(super) fn requester(&self) -> Requester {
        Requester::new(
            self.session.share_key(self.limits.role_key()),
            self.limits.enforced.connections,
        )
    }

    /// The memory budget for what the caller reserves.
    pub(super) fn memory(&self) -> MemoryBudget {
        self.state
            .memory
            .for_caller(self.session.share_key(self.limits.role_key()))
    }
}

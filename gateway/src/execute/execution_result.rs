//! What executing a request results in.

use std::time::Duration;

use super::response_body::Payload;
use pg::WalPosition;

/// The response of an executed request.
#[derive(Debug)]
pub struct ExecutionResult {
    /// `{"data":…}`.
    pub payload: Payload,
    /// How long each stage took.
    pub timings: Timings,
    /// Whether the changes were rolled back, because the request was a dry run.
    pub dry_run: bool,
    /// Whether the operation is on no allow list and runs only because allow lists are not
    /// enforced.
    pub is_unlisted: bool,
    /// A position in the write-ahead log behind the changes, if there are replicas.
    pub written_at: Option<WalPosition>,
}

/// The time of each stage.
#[derive(Clone, Copy, Debug, Default)]
pub struct Timings {
    /// The time to look up or make the plan.
    pub plan: Duration,
    /// The time to bind variables and session values to parameters.
    pub bind: Duration,
    /// The time to run the statement and encode its rows.
    pub run: Duration,
}

impl Timings {
    /// Adds the times of another request.
    pub fn add(&mut self, other: Timings) {
        self.plan += other.plan;
        self.bind += other.bind;
        self.run += other.run;
    }
}

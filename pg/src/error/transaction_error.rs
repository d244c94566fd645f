//! Errors of transactions, with the point at which they failed: it says whether anything may have
//! been committed.

use super::DatabaseError;

/// Why nothing was written, or why the outcome is unknown.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{fault}")]
pub struct TransactionError {
    /// The error.
    pub fault: DatabaseError,
    /// The step at which it occurred.
    pub when: FailurePoint,
}

/// The point at which a transaction failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FailurePoint {
    /// No statement had been run; at most they had been parsed.
    Before,
    /// `BEGIN` failed, although the statements of the transaction may have been sent.
    Begin,
    /// The step with this number failed; all steps before it were undone.
    Step(usize),
    /// The end of the transaction failed.
    End,
    /// The deadline passed before the outcome was known.
    Late,
}

impl TransactionError {
    /// An error that occurred before any statement was run.
    pub fn before(fault: DatabaseError) -> TransactionError {
        TransactionError {
            fault,
            when: FailurePoint::Before,
        }
    }

    /// Whether it is certain that no change was committed, so that the statements can be run again.
    pub fn is_undone(&self) -> bool {
        match self.when {
            FailurePoint::Before => true,
            FailurePoint::Step(_) | FailurePoint::End => {
                matches!(self.fault, DatabaseError::Refused(_))
            }
            FailurePoint::Begin | FailurePoint::Late => false,
        }
    }

    /// Whether a transaction that was to be committed may have been, because the database did not
    /// answer. The time limit has an error of its own.
    pub fn may_have_committed(&self) -> bool {
        let is_silent = matches!(
            self.fault,
            DatabaseError::Unavailable(_) | DatabaseError::OutOfMemory(_)
        );
        is_silent && !self.is_undone()
    }
}

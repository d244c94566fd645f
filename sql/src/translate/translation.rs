//! The result of a translation.

use std::sync::{Arc, OnceLock};

use super::expected_work::ExpectedWorkCache;
use super::runs::{Grouping, ResponseLength};
use crate::encode::shape::Shape;
use crate::error::Error;
use crate::graphql::variables::VariableFingerprint;
use crate::resolve::selection::ActionCall;
use crate::statement::{Mutation, RowLimits, SettingsStatement, Statement};

/// The translation of an operation for one role and one fingerprint of its variables.
#[derive(Debug)]
pub struct Translation {
    /// How the operation is executed.
    pub kind: TranslationKind,
    /// The root fields in the order of the response.
    pub roots: Vec<RootField>,
    /// The variables that determined the SQL text.
    pub structure: VariableFingerprint,
    /// The planner's estimates for the statements.
    pub expected: ExpectedWorkCache,
    /// Whether nothing but a write changes the result, as the planner's output shows, set once it
    /// was queried.
    pub is_pure: OnceLock<bool>,
    /// The length of recent responses.
    pub length: ResponseLength,
    /// Whether the statement runs together with those of other requests.
    pub grouping: Grouping,
}

impl Translation {
    /// A translation that has not run.
    pub fn new(
        kind: TranslationKind,
        roots: Vec<RootField>,
        structure: VariableFingerprint,
    ) -> Translation {
        Translation {
            kind,
            roots,
            structure,
            expected: ExpectedWorkCache::default(),
            is_pure: OnceLock::new(),
            length: ResponseLength::default(),
            grouping: Grouping::default(),
        }
    }
}

/// A root field of the response.
#[derive(Debug)]
pub struct RootField {
    /// The response key.
    pub key: String,
    /// Whether it is answered by introspection.
    pub is_introspection: bool,
}

/// How an operation is executed.
#[derive(Debug)]
pub enum TranslationKind {
    /// One statement.
    Statement(Box<Statement>),
    /// The statements of a mutation.
    Mutation(Box<Mutation>),
    /// No statement: the shape consumes no column.
    Constant(Box<Shape>),
    /// Actions, perhaps beside fields of the database.
    Composite(Box<CompositeOperation>),
}

/// A failed translation.
#[derive(Debug, thiserror::Error)]
pub enum TranslateError {
    /// The request is invalid.
    #[error(transparent)]
    Request(#[from] Error),
    /// A plan used something that is not granted. This is a defect of the translator and is never
    /// shown to a client.
    #[error(transparent)]
    Denied(#[from] crate::plan::Denied),
}

impl TranslationKind {
    /// The statement that sets the settings under which the planner has to look at the statements,
    /// if there are any.
    pub fn settings(&self) -> Option<&SettingsStatement> {
        match self {
            TranslationKind::Statement(statement) => statement.settings.as_deref(),
            TranslationKind::Mutation(mutation) => mutation.settings.as_deref(),
            TranslationKind::Constant(_) | TranslationKind::Composite(_) => None,
        }
    }

    /// The statement of a query, if it needs one.
    pub fn statement(&self) -> Option<&Statement> {
        match self {
            TranslationKind::Statement(statement) => Some(statement),
            TranslationKind::Mutation(_)
            | TranslationKind::Constant(_)
            | TranslationKind::Composite(_) => None,
        }
    }
}

/// An operation that selects actions. The response has the keys in the order of
/// [`Translation::roots`].
#[derive(Debug)]
pub struct CompositeOperation {
    /// The parts. Those of a mutation are executed in order; those of a query at once, except a
    /// first part with a required row.
    pub parts: Vec<OperationPart>,
    /// Whether the first part checks that a required row is visible, so that no other may be
    /// executed before it.
    pub requires_row: bool,
    /// The limits on the rows that all parts together insert.
    pub row_limits: RowLimits,
}

/// A part of an operation, answered by one system.
#[derive(Debug)]
pub enum OperationPart {
    /// Fields of the database: one statement of a query, one transaction of a mutation.
    Fields(Arc<Translation>),
    /// A call of an action.
    Action {
        /// The response key.
        key: String,
        /// The action and its arguments.
        call: ActionCall<Arc<Translation>>,
    },
}

impl CompositeOperation {
    /// The translations that the operation consists of, those of relations included.
    pub fn translations(&self) -> impl Iterator<Item = &Arc<Translation>> {
        self.parts.iter().flat_map(|part| match part {
            OperationPart::Fields(translation) => vec![translation],
            OperationPart::Action { call, .. } => {
                let mut related = vec![];
                call.output.related(&mut related);
                related.into_iter().map(|related| &related.rows).collect()
            }
        })
    }
}

//! Runs short reads together with those of other requests. A statement is short if it returns few
//! rows without lists, the planner expects little work of it even without its limit, and all
//! functions that it calls are pure: nothing in it waits, locks or writes. [`crate::database`]
//! sends the reads; this module decides which ones, and encodes their rows.

use std::sync::Arc;
use std::time::Duration;

use sql::encode::shape::ResponseShape;
use sql::statement::Statement;
use sql::{GroupingState, Translation, TranslationKind};
use tokio::time::Instant;

use super::execution::{BoundParameters, Execution};
use super::response_body::encode_rows;
use super::{Payload, ReadSource, dependencies, estimate};
use crate::database::{Database, DatabaseError, GroupedRead, Requester, RowColumns};
use crate::error::Error;

/// The maximum cost of each part of a short statement, in the planner's units: some ten rows, each
/// found by an index. The part below a limit counts as a whole, because for some parameters all of
/// it may run.
const MAX_PLAN_COST: f64 = 100.0;

/// How long finding out whether a statement is short may take.
const PLAN_TIMEOUT: Duration = Duration::from_secs(5);

impl Execution<'_> {
    /// Runs a query, together with those of other requests if it is a short read.
    pub(super) async fn run_alone_or_grouped(
        &self,
        values: &mut BoundParameters,
    ) -> Result<Payload, Error> {
        let Some(statement) = self.grouped_statement() else {
            return self.run_with_values(values).await;
        };
        let Some(parameters) = values.take_first() else {
            return self.run_with_values(values).await;
        };
        let read = Arc::new(GroupedRead {
            translation: self.translation.clone(),
            parameters,
        });
        match self
            .state
            .database
            .read_grouped(&self.requester(), &read, self.deadline)
            .await
        {
            Some(rows) => {
                if let Some(record) = self.record {
                    record.add_rows(rows.len());
                }
                let rows = rows.iter().map(|row| RowColumns::new(row));
                let mut memory = self.memory().empty_reservation();
                let bytes = encode_rows(
                    &statement.shape,
                    rows,
                    self.limits.enforced.response_bytes,
                    &mut memory,
                )?;
                Ok(Payload::Whole(memory.hold(bytes)))
            }
            None => self.run_parameters(&read.parameters).await,
        }
    }

    /// The statement, if it runs together with others this time.
    fn grouped_statement(&self) -> Option<&Statement> {
        let TranslationKind::Statement(statement) = &self.translation.kind else {
            return None;
        };
        let has_rows = matches!(
            statement.shape.response,
            ResponseShape::One { .. } | ResponseShape::Rows { .. }
        );
        let reads_replica =
            self.state.replicas.is_some() && matches!(self.source, ReadSource::Replica(_));
        // The comment of a request would make a statement of its own.
        let has_comment = self.record.is_some_and(|record| record.comment.is_some());
        if reads_replica
            || has_comment
            || !statement.is_small
            || statement.needs_values
            || !has_rows
            || statement.settings.is_some()
            || !self.state.database.groups_reads()
        {
            return None;
        }
        self.joins_group().then_some(statement)
    }

    /// Whether the translation runs together with others this time. When it has run often enough, a
    /// task finds out whether it is short; if that fails, a later run tries again.
    fn joins_group(&self) -> bool {
        match self.translation.grouping.next_run() {
            GroupingState::Grouped => true,
            GroupingState::Alone => false,
            GroupingState::Undecided => {
                let database = self.state.database.clone();
                let translation = self.translation.clone();
                // No request waits for it.
                drop(tokio::spawn(async move {
                    if let Ok(is_short) = is_short(&database, &translation).await {
                        translation.grouping.decide(is_short);
                    }
                }));
                false
            }
        }
    }
}

async fn is_short(database: &Database, translation: &Translation) -> Result<bool, DatabaseError> {
    let TranslationKind::Statement(statement) = &translation.kind else {
        return Ok(false);
    };
    // The planner does not know how long a pattern takes.
    if statement.has_patterns() {
        return Ok(false);
    }
    let deadline = Instant::now() + PLAN_TIMEOUT;
    let requester = Requester::default();
    let plan = database
        .explain(
            &requester,
            None,
            &statement.text,
            statement.parameters.len(),
            deadline,
        )
        .await?;
    if !estimate::greatest_cost(&plan).is_some_and(|cost| cost <= MAX_PLAN_COST) {
        return Ok(false);
    }
    dependencies::is_pure(database, &requester, &plan, deadline).await
}

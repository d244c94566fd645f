//! Runs short reads together with those of other requests. A statement is short if it returns few
//! rows without lists, the planner expects little work of it even without its limit, and all
//! functions that it calls are pure: nothing in it waits, locks or writes. `pg`
//! sends the reads; this module decides which ones, and encodes their rows.

use std::sync::Arc;
use std::time::Duration;

use pg::{Database, DatabaseError, Requester, RowColumns};
use sql::encode::shape::ResponseShape;
use sql::statement::Statement;
use sql::{GroupingState, Translation, TranslationKind};
use tokio::time::Instant;

use super::database_query::ShortRead;
use super::replica_routing::ReadSource;
use super::request_context::RequestContext;
use super::response_body::{Payload, encode_rows};
use super::{dependencies, estimate};
use crate::error::Error;

/// The maximum cost of each part of a short statement, in the planner's units: some ten rows, each
/// found by an index. The part below a limit counts as a whole, because for some parameters all of
/// it may run.
const MAX_PLAN_COST: f64 = 100.0;

/// How long finding out whether a statement is short may take.
const PLAN_TIMEOUT: Duration = Duration::from_secs(5);

/// Runs a read together with those of others. Returns none if it has to run by itself.
pub(super) async fn read(
    context: &RequestContext<'_>,
    statement: &Statement,
    read: &Arc<ShortRead>,
) -> Result<Option<Payload>, Error> {
    let database = &context.state.database;
    let Some(rows) = database
        .read_grouped(&context.requester(), read.clone(), context.deadline)
        .await
    else {
        return Ok(None);
    };
    if let Some(record) = context.record {
        record.add_rows(rows.len());
        if context.state.has_several_servers() {
            database
                .primary_host()
                .into_iter()
                .for_each(|host| record.set_server(host));
        }
    }
    let rows = rows.iter().map(|row| RowColumns::new(row));
    let mut memory = context.memory().empty_reservation();
    let bytes = encode_rows(
        &statement.shape,
        rows,
        context.limits.enforced.response_bytes,
        &mut memory,
    )?;
    Ok(Some(Payload::Whole(memory.hold(bytes))))
}

/// The statement of a translation, if it runs together with others this time.
pub(super) fn grouped_statement<'t>(
    context: &RequestContext<'_>,
    translation: &'t Arc<Translation>,
    source: ReadSource,
) -> Option<&'t Statement> {
    let TranslationKind::Statement(statement) = &translation.kind else {
        return None;
    };
    let has_rows = matches!(
        statement.shape.response,
        ResponseShape::One { .. } | ResponseShape::Rows { .. }
    );
    let reads_replica =
        context.state.replicas.is_some() && matches!(source, ReadSource::Replica(_));
    // The comment of a request would make a statement of its own.
    let has_comment = context
        .record
        .is_some_and(|record| record.comment.is_some());
    if reads_replica
        || has_comment
        || !statement.is_small
        || statement.needs_values
        || !has_rows
        || statement.settings.is_some()
        || !context.state.database.groups_reads()
    {
        return None;
    }
    joins_group(&context.state.database, translation).then_some(statement)
}

/// Whether the translation runs together with others this time. When it has run often enough, a
/// task finds out whether it is short; if that fails, a later run tries again.
fn joins_group(database: &Database, translation: &Arc<Translation>) -> bool {
    match translation.grouping.next_run() {
        GroupingState::Grouped => true,
        GroupingState::Alone => false,
        GroupingState::Undecided => {
            let database = database.clone();
            let translation = translation.clone();
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

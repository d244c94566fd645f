//! Compares the planner's estimate of a translation with the limits of the role before it runs.
//!
//! `EXPLAIN` shows the plan for any values of the parameters, for which Postgres guesses that a
//! limit leaves a tenth of the rows. So the explained text has numbers in place of the parameters
//! of `LIMIT` and `OFFSET`:
//!
//! 1. Numbers that cut nothing off, where no offset is a parameter. If that is within the limits of
//!    the role, no request with the translation is checked again.
//! 2. Else the limits and offsets of the request, each rounded up to a power of two, so that few
//!    estimates serve all requests.

use std::time::{Duration, Instant};

use pg::DatabaseError;
use sql::statement::{RowCount, Statement, ValueBudget};
use sql::{CountedWork, ExpectedWork};

use super::database_query::transaction_settings;
use super::dependencies::array;
use super::estimate::{self, LargestList};
use super::execution::Execution;
use super::scan_keys::map_parameters;
use super::statements::statements;
use crate::error::Error;
use crate::limits::LimitExceeded;
use crate::telemetry::execution_record::Stage;

/// For how long an estimate above the limits of the role counts. `ANALYZE` may change it.
const REFUSAL_TIME: Duration = Duration::from_secs(10);

/// More rows than any table has.
const ALL_ROWS: u64 = 1 << 62;

/// The tables with these schemas and names that were never analyzed: `public.parent, public.child`.
const WITHOUT_STATISTICS: &str = "SELECT coalesce(string_agg(c.oid::regclass::text, ', '), '') \
                                  FROM unnest($1::text[], $2::text[]) AS t (schema, name) \
                                  JOIN pg_namespace n ON n.nspname = t.schema JOIN pg_class c ON \
                                  c.relnamespace = n.oid AND c.relname = t.name \
                                  WHERE c.reltuples < 0 OR (c.reltuples = 0 AND c.relpages = 0)";

impl Execution<'_> {
    /// Checks the planner's estimate of the statements against the limits of the role. The planner
    /// is asked on the first execution of a translation, and not for statements that read few rows
    /// whatever their parameters are.
    pub(super) async fn check_expected_work(&self) -> Result<(), Error> {
        match self.translation.expected.for_any_values() {
            Some(expected) => Ok(self.context.limits.check_expected(expected)?),
            // Boxed because it is rare, and its future is large compared with the rest.
            None => Box::pin(self.check_unknown_work()).await,
        }
    }

    async fn check_unknown_work(&self) -> Result<(), Error> {
        let counts: Result<Vec<_>, _> = statements(self.translation)
            .filter(|statement| !statement.is_small)
            .map(|statement| statement.row_counts(self.variables))
            .collect();
        // Binding the parameters reports the error.
        let Ok(counts) = counts else { return Ok(()) };
        let all = || counts.iter().flatten();
        let has_counts = all().next().is_some();
        // An offset adds the work of the rows that it skips, however few rows are left.
        if has_counts && !all().any(|count| count.is_offset) {
            let unlimited = counts
                .iter()
                .map(|counts| counts.iter().map(without_limit).collect())
                .collect::<Vec<_>>();
            let Some(work) = self.work_for(&unlimited, |_| true).await? else {
                return Ok(());
            };
            if self.context.limits.is_within(work.work) {
                self.translation.expected.set_for_any_values(work.work);
                return Ok(());
            }
        }
        let rounded = counts
            .iter()
            .map(|counts| counts.iter().map(rounded_up).collect())
            .collect::<Vec<_>>();
        let is_valid = |work: &CountedWork| {
            self.context.limits.check_within(work.work).is_ok()
                || work.asked.elapsed() < REFUSAL_TIME
        };
        let Some(work) = self.work_for(&rounded, is_valid).await? else {
            return Ok(());
        };
        let checked = self.context.limits.check_expected(work.work);
        if !has_counts && checked.is_ok() {
            self.translation.expected.set_for_any_values(work.work);
        }
        checked.map_err(|exceeded| with_advice(exceeded, work).into())
    }

    /// The estimate for these limits and offsets, those of each statement in a list: the one that
    /// is kept, if it is valid, or that of the planner.
    async fn work_for(
        &self,
        counts: &[Vec<RowCount>],
        is_valid: impl Fn(&CountedWork) -> bool,
    ) -> Result<Option<CountedWork>, Error> {
        let values: Vec<_> = counts.iter().flatten().map(|count| count.value).collect();
        let cache = &self.translation.expected;
        if let Some(known) = cache.for_counts(&values).filter(is_valid) {
            return Ok(Some(known));
        }
        let _timer = self.context.start(Stage::Plan);
        // Without an estimate the run reports the error. That of the next caller may succeed:
        // settings differ.
        let Some(work) = self.estimate_work(counts, values).await? else {
            return Ok(None);
        };
        cache.insert(work.clone());
        Ok(Some(work))
    }

    async fn estimate_work(
        &self,
        counts: &[Vec<RowCount>],
        values: Vec<Option<u64>>,
    ) -> Result<Option<CountedWork>, Error> {
        let mut work = ExpectedWork::default();
        let mut plans = Vec::new();
        let mut largest = LargestList::default();
        let mut largest_list = None;
        let explained = statements(self.translation).filter(|statement| !statement.is_small);
        for (statement, counts) in explained.zip(counts) {
            let Some(plan) = self.explain(statement, counts).await? else {
                return Ok(None);
            };
            let estimated = estimate::read(&plan);
            work.rows += estimated.work.rows;
            work.cost += estimated.work.cost;
            if estimated.largest.rows > largest.rows {
                largest = estimated.largest;
                largest_list = list_of(statement, largest);
            }
            plans.push(plan);
        }
        // Without limits more than the role may ask for is no refusal yet.
        let is_any = values.contains(&Some(ALL_ROWS));
        let is_refused = !is_any && self.context.limits.check_within(work).is_err();
        let lacks_statistics = is_refused && self.lacks_statistics(&plans).await?;
        let asked = Instant::now();
        Ok(Some(CountedWork {
            counts: values,
            work,
            largest_list,
            lacks_statistics,
            asked,
        }))
    }

    /// The plan of a statement with these limits and offsets; none if Postgres refuses the
    /// statement.
    async fn explain(
        &self,
        statement: &Statement,
        counts: &[RowCount],
    ) -> Result<Option<String>, Error> {
        let requester = self.context.requester();
        // The values are those of this caller: policies may fail to be planned without.
        let settings = self.translation.kind.settings();
        let values = settings
            .map(|settings| settings.bind(self.context.session, &mut ValueBudget::default()))
            .transpose()?;
        let settings = settings
            .zip(values.as_deref())
            .map(|(settings, values)| transaction_settings(settings.with(values)));
        let text = with_row_counts(&statement.text, counts);
        let mut retry = self.context.state.database.retry(self.context.deadline);
        loop {
            let database = &self.context.state.database;
            let places = statement.parameters.len();
            match database
                .explain(&requester, settings, &text, places, self.context.deadline)
                .await
            {
                Ok(plan) => return Ok(Some(plan)),
                Err(fault) if retry.should_retry(&fault).await => {}
                // Postgres would reject the statement again when it runs, so that run reports the
                // error.
                Err(DatabaseError::Refused(refusal)) if !refusal.is_outdated => return Ok(None),
                Err(fault) => return Err(fault.into()),
            }
        }
    }

    /// Whether a table that the plans read was never analyzed. The log has the names of such
    /// tables, which the role may not know.
    async fn lacks_statistics(&self, plans: &[String]) -> Result<bool, Error> {
        let (schemas, names): (Vec<_>, Vec<_>) =
            plans.iter().flat_map(|plan| estimate::tables(plan)).unzip();
        let parameters = [array(&schemas), array(&names)];
        let database = &self.context.state.database;
        let tables = database
            .query_scalar_for(
                &self.context.requester(),
                None,
                WITHOUT_STATISTICS,
                &parameters,
                self.context.deadline,
            )
            .await?;
        if !tables.is_empty() {
            tracing::warn!(%tables, "the planner's estimate refused a request, and these tables \
                                     were never analyzed: run ANALYZE");
        }
        Ok(!tables.is_empty())
    }
}

/// The response keys to a list. The statement knows them by the alias of the list's table.
fn list_of(statement: &Statement, list: LargestList) -> Option<String> {
    let alias = format!("_{}", list.alias?);
    let scan = statement.scans.iter().find(|scan| scan.alias == alias)?;
    (!scan.path.is_empty()).then(|| scan.path.clone())
}

fn with_advice(exceeded: LimitExceeded, work: CountedWork) -> LimitExceeded {
    let CountedWork {
        largest_list: list,
        lacks_statistics,
        ..
    } = work;
    match exceeded {
        LimitExceeded::Rows { limit, .. } => LimitExceeded::Rows {
            limit,
            list,
            lacks_statistics,
        },
        LimitExceeded::Cost { limit, .. } => LimitExceeded::Cost {
            limit,
            lacks_statistics,
        },
        other => other,
    }
}

/// What stands for any limit: one that cuts nothing off.
fn without_limit(count: &RowCount) -> RowCount {
    RowCount {
        value: Some(ALL_ROWS),
        ..*count
    }
}

fn rounded_up(count: &RowCount) -> RowCount {
    let value = count
        .value
        .map(|value| value.min(ALL_ROWS).next_power_of_two());
    RowCount { value, ..*count }
}

/// The text of a statement with numbers for limits and offsets. The parameters stay in the text, so
/// that Postgres finds their types, but the planner sees the number: `CASE WHEN true THEN 32::int8
/// ELSE $1 END::int8`.
fn with_row_counts(text: &str, counts: &[RowCount]) -> String {
    map_parameters(text, |number| {
        let count = counts.iter().find(|count| count.number == number)?;
        let value = count
            .value
            .map_or_else(|| "NULL".to_owned(), |value| value.to_string());
        Some(format!(
            "CASE WHEN true THEN {value}::int8 ELSE ${number} END"
        ))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn planner_sees_the_numbers_of_limits() {
        let count = |number, value| RowCount {
            number,
            value,
            is_offset: false,
        };
        let text =
            "SELECT '$1' FROM t WHERE a = $2::int4 LIMIT least(10, $1::int8) OFFSET $13::int8";
        assert_eq!(
            with_row_counts(text, &[count(1, Some(32)), count(13, None)]),
            "SELECT '$1' FROM t WHERE a = $2::int4 LIMIT least(10, CASE WHEN true THEN 32::int8 \
             ELSE $1 END::int8) \
             OFFSET CASE WHEN true THEN NULL::int8 ELSE $13 END::int8"
        );
    }

    #[test]
    fn limits_are_rounded_up() {
        let count = RowCount {
            number: 1,
            value: Some(20),
            is_offset: false,
        };
        assert_eq!(rounded_up(&count).value, Some(32));
        assert_eq!(
            rounded_up(&RowCount {
                value: None,
                ..count
            })
            .value,
            None
        );
        assert_eq!(without_limit(&count).value, Some(ALL_ROWS));
    }
}

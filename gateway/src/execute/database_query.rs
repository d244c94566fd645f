//! Converts the statements of `sql` to queries of `pg`, with their settings and the column types
//! that their shapes expect, and lets `sql::encode` read the columns of the rows.

use std::sync::Arc;

use pg::{
    ExpectedColumns, GroupedRead, Parameters, Query, RowColumns, RowError, TransactionSettings,
};
use sql::encode;
use sql::encode::shape::Shape;
use sql::statement::{BATCH_COLUMNS, BoundSettings, Statement};
use sql::{Translation, TranslationKind};

/// A binary row with lists or records is at most this many times as long as its JSON: a small
/// number in a record takes 12 bytes for `"a":1`. One without is no longer than its JSON.
pub(super) const BINARY_TO_JSON: usize = 4;

/// The columns of a row, as `sql::encode` reads them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EncodedColumns<'a>(pub(crate) RowColumns<'a>);

/// The columns of the one statement of a translation.
pub(super) struct TranslationColumns {
    pub(super) translation: Arc<Translation>,
    /// The number of columns before those of the shape.
    pub(super) leading: usize,
}

/// The columns of the statements of a transaction.
pub(super) struct StepColumns<'s>(pub(super) Vec<&'s Shape>);

/// A short read that may run in a group.
pub(super) struct ShortRead {
    /// The translation, which has one statement.
    pub(super) translation: Arc<Translation>,
    /// The parameters of the statement.
    pub(super) parameters: Parameters,
}

/// A statement with the parameters that [`Statement::bind`] returns.
pub(super) fn query<'q>(statement: &'q Statement, bound: &'q [Option<String>]) -> Query<'q> {
    let (parameters, settings) = statement.divide(bound);
    Query {
        text: &statement.text,
        parameters,
        settings: settings.map(transaction_settings),
        needs_values: statement.needs_values,
    }
}

/// The [batch](Statement::batch) of a statement with its parameters.
pub(super) fn batch_query<'q>(
    statement: &'q Statement,
    batch: &'q str,
    bound: &'q [Option<String>],
) -> Query<'q> {
    Query {
        text: batch,
        // It has its values in arrays, which no plan sees.
        needs_values: false,
        ..query(statement, bound)
    }
}

/// The settings of a role, as a statement of the transaction.
pub(super) fn transaction_settings(settings: BoundSettings<'_>) -> TransactionSettings<'_> {
    TransactionSettings {
        text: settings.text,
        parameters: settings.parameters,
    }
}

/// How many times as long as its JSON a binary row of this shape may be.
pub(super) fn binary_factor(shape: &Shape) -> usize {
    if shape.is_flat() { 1 } else { BINARY_TO_JSON }
}

impl TranslationColumns {
    /// The columns of the statement itself.
    pub(super) fn of_statement(translation: &Arc<Translation>) -> Arc<dyn ExpectedColumns> {
        Arc::new(TranslationColumns {
            translation: translation.clone(),
            leading: 0,
        })
    }

    /// The columns of its [batch](Statement::batch).
    pub(super) fn of_batch(translation: &Arc<Translation>) -> Arc<dyn ExpectedColumns> {
        Arc::new(TranslationColumns {
            translation: translation.clone(),
            leading: BATCH_COLUMNS,
        })
    }
}

impl ExpectedColumns for TranslationColumns {
    fn check(&self, _: usize, types: &[u32]) -> Result<(), String> {
        check(
            &self.translation,
            types.get(self.leading..).unwrap_or_default(),
        )
    }
}

impl ExpectedColumns for StepColumns<'_> {
    fn check(&self, statement: usize, types: &[u32]) -> Result<(), String> {
        match self.0.get(statement) {
            Some(shape) => shape.check(types).map_err(|changed| changed.to_string()),
            None => Ok(()),
        }
    }
}

impl ExpectedColumns for ShortRead {
    fn check(&self, _: usize, types: &[u32]) -> Result<(), String> {
        check(&self.translation, types)
    }
}

impl GroupedRead for ShortRead {
    fn text(&self) -> &str {
        self.translation
            .kind
            .statement()
            .map_or("", |statement| &statement.text)
    }

    fn parameters(&self) -> &[Option<String>] {
        &self.parameters
    }

    fn suspend(&self) {
        self.translation.grouping.suspend();
    }
}

fn check(translation: &Translation, types: &[u32]) -> Result<(), String> {
    match &translation.kind {
        TranslationKind::Statement(statement) => statement
            .shape
            .check(types)
            .map_err(|changed| changed.to_string()),
        _ => Ok(()),
    }
}

impl<'a> encode::Columns<'a> for EncodedColumns<'a> {
    #[inline]
    fn next(&mut self) -> Result<Option<&'a [u8]>, encode::Error> {
        self.0.next_column().map_err(|error| match error {
            RowError::FewColumns => encode::Error::FewColumns,
            RowError::Truncated => encode::Error::Truncated,
            RowError::Length(length) => encode::Error::Length(length),
        })
    }
}

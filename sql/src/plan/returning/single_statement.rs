//! Decides whether the statement that writes can return the response itself: the values of the
//! response must be final once the rows are written.

use super::{WriteResult, fields_of};
use crate::model::access::{Purpose, RuleDependencies};
use crate::plan::builder::Builder;
use crate::plan::scan::Event;
use crate::postgres::catalog::{ColumnId, Table, TableId, TableKind};
use crate::resolve::selection::{Field, FieldKind, Outcome, Term};

/// The bits of [`Table::triggers`] for triggers after an event, or before the statement.
const AFTER_TRIGGERS: u32 = 8 | 16 | 32;

/// The bit for foreign keys through which other rows change along with a key.
const CASCADES_BIT: u32 = 64;

/// The bit for uniqueness that is not among the keys. A collision only raises an error and changes
/// nothing.
const OTHER_UNIQUENESS: u32 = 128;

impl<'m> Builder<'m> {
    /// Whether the statement that writes can return the response: what it reads of other tables,
    /// and of its own, must be as it was before the statement.
    pub(in crate::plan) fn single_statement(
        &self,
        results: &WriteResult,
        outcome: &Outcome<'m>,
    ) -> bool {
        let written = &results.written;
        fields_of(outcome).all(|fields| {
            let mut columns = Vec::new();
            let plain = own_columns(fields, &mut columns);
            // A deleted row keeps its values; its visibility is decided by them, too.
            plain && (written.event() == Event::Delete || self.is_final(results, &columns))
        })
    }

    /// Whether these columns of a written row, and its visibility, are final once it is written.
    fn is_final(&self, results: &WriteResult, columns: &[ColumnId]) -> bool {
        let access = self.access();
        let id = results.written.table();
        let Some(grant) = access.read(id, Purpose::Rows) else {
            return false;
        };
        let model = access.model();
        let table = access.model().table(id);
        let values = columns.iter().filter_map(|column| grant.values.get(column));
        let reads = values.fold(grant.rows.reads.clone(), |reads, value| {
            reads.union(value.reads.clone())
        });
        // Changes of other columns do not cascade through foreign keys.
        let unmoved = results.written.event() == Event::Update && !results.moves_keys;
        let minor = OTHER_UNIQUENESS | if unmoved { CASCADES_BIT } else { 0 };
        let triggers = results
            .tables
            .iter()
            .any(|table| model.table(*table).triggers & !minor != 0);
        let alone = match reads {
            RuleDependencies::Nothing => true,
            // The effects of foreign keys, of triggers and of a view's table on other tables are
            // not known here.
            reads => {
                let known = matches!(table.kind, TableKind::Table | TableKind::Partitioned);
                known && !triggers && !results.moves_keys && !reads.may_read_any_of(&results.tables)
            }
        };
        let stored = columns
            .iter()
            .all(|column| model.catalog().is_stored(id, *column));
        let own_keys = results.moves_keys && refers_to_itself(table);
        // Triggers on nested rows may change this row.
        let has_after_triggers =
            |other: &&TableId| **other != id && model.table(**other).triggers & AFTER_TRIGGERS != 0;
        let quiet = !results.written.event().stirs(table)
            && !results
                .tables
                .iter()
                .any(|other| has_after_triggers(&other));
        alone && stored && !own_keys && quiet
    }
}

/// Whether the fields are made of the row's own columns alone; collects those columns.
fn own_columns(fields: &[Field<'_>], columns: &mut Vec<ColumnId>) -> bool {
    fields.iter().all(|field| match &field.kind {
        FieldKind::Constant(_) => true,
        FieldKind::Value(term) => own_column(term).is_some_and(|column| {
            columns.push(column);
            true
        }),
        FieldKind::Same(fields) => own_columns(fields, columns),
        _ => false,
    })
}

fn own_column(term: &Term) -> Option<ColumnId> {
    match term {
        Term::Column(column) | Term::Inside(column, _) => Some(*column),
        Term::Path(term, ..) | Term::Cast(term, ..) => own_column(term),
        Term::Rank(_) | Term::Measure(_) | Term::Computed(..) => None,
    }
}

fn refers_to_itself(table: &Table) -> bool {
    table
        .foreign_keys
        .iter()
        .any(|foreign| foreign.schema == table.schema && foreign.table == table.name)
}

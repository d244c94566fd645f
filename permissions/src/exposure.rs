//! Builds the model from file and catalog: which tables, columns, relations and root fields GraphQL
//! has, and their names.
//!
//! In the result every name is valid and unique. Two names that the file gives may clash, which is
//! reported. Names that follow from the database never clash: they yield to others. What roles may
//! access is compiled by [`crate::grants`].

mod entries;
mod name_registry;
mod helper_types;
mod tables;
mod connections;
mod relations;
mod functions;
mod computed;
mod callable;
mod roots;
mod types;
mod type_names;

use std::sync::Arc;

use sql::model::names::RootKind;
use sql::model::{DefaultExposure, ExposedTable, Model};
use sql::postgres::catalog::Catalog;

use crate::file::{File, TableEntry};
use crate::report::Report;
use crate::rule_check::RuleCheck;

pub(crate) use entries::{Entries, entries};
use functions::RoutineEntries;
pub(crate) use types::quoted;

/// The model, and what belongs to it.
pub(crate) struct ExposedModel {
    pub(crate) model: Model,
    /// The functions of the file that became root fields.
    pub(crate) routines: RoutineEntries,
    /// Statements that Postgres prepares to check the relations that the file defines.
    pub(crate) checks: Vec<RuleCheck>,
}

/// Builds the model of a database with a permission file.
pub(crate) fn model(
    catalog: Arc<Catalog>,
    file: &File,
    entries: &Entries<'_>,
    report: &mut Report<'_>,
) -> ExposedModel {
    let mut types = types::reserved(&catalog);
    let (mut exposed, clashing) = tables::tables(&catalog, file, entries, &mut types, report);
    if file.offer == DefaultExposure::AsHasura {
        exposed
            .iter_mut()
            .for_each(|table| table.groups &= names_groups(entries.get(&table.table).copied()));
    }
    let checks = relations::relate(&catalog, &mut exposed, entries, report);
    connections::name(&mut exposed, entries);
    computed::compute(
        &catalog,
        &mut exposed,
        entries,
        file.offer,
        &mut types,
        report,
    );
    let apart: Vec<&ExposedTable> = exposed
        .iter()
        .filter(|table| !clashing.contains(&table.table))
        .collect();
    let (roots, taken) = roots::roots(&catalog, &apart, entries, report);
    let functions = functions::functions(&catalog, &exposed, file, types, taken, report);
    let catalog = if functions.results.is_empty() {
        catalog
    } else {
        Arc::new(catalog.extended(functions.results))
    };
    exposed.extend(functions.exposed);
    ExposedModel {
        model: Model::new(catalog, exposed, roots).with_routines(functions.routines),
        routines: functions.entries,
        checks,
    }
}

/// Whether the file names the root field for groups.
fn names_groups(entry: Option<&TableEntry>) -> bool {
    entry.is_some_and(|entry| {
        entry
            .roots
            .iter()
            .any(|(kind, _)| kind.value == RootKind::Group)
    })
}

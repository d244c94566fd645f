//! Builds the model from file and catalog: which tables, columns, relations and root fields GraphQL
//! has, and their names.
//!
//! In the result every name is valid and unique. Two names that the file gives may clash, which is
//! reported. Names that follow from the database never clash: they yield to others. What roles may
//! access is compiled by [`crate::grants`].

mod tables;
mod connections;
mod relations;
mod functions;
mod computed;
mod callable;
mod roots;
mod types;
mod type_names;

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ops::Range;
use std::sync::Arc;

use sql::model::names::{RootKind, is_graphql};
use sql::model::{CallId, DefaultExposure, ExposedTable, Model};
use sql::postgres::catalog::{Catalog, Table, TableId};

use crate::diagnostic_kind::Fault;
use crate::file::{File, TableEntry, Text};
use crate::report::{Report, did_you_mean};

pub(crate) use types::quoted;

/// An item with a name, for reporting clashes.
#[derive(Clone, Debug)]
pub(crate) struct NamedItem {
    label: Label,
    span: Option<Range<usize>>,
    /// Whether the file gives the name. Otherwise it follows from the database.
    is_given: bool,
}

/// What an item is called in messages.
#[derive(Clone, Debug)]
enum Label {
    Text(Arc<str>),
    /// A root field, and the key of its table.
    Root(RootKind, Arc<str>),
}

/// Names in use, and the items that have them.
#[derive(Debug, Default)]
pub(crate) struct NameRegistry(HashMap<String, NamedItem, foldhash::fast::RandomState>);

/// The names in conditions other than those of columns and relations.
const CONDITIONS: [&str; 7] = ["_and", "_or", "_not", "_exists", "_some", "_every", "_none"];

/// The file's table entries, by table.
pub(crate) type Entries<'f> = HashMap<TableId, &'f TableEntry>;

/// The functions of a file that became root fields, with the indexes of their entries.
pub(crate) type Functions = Vec<(CallId, usize)>;

/// Builds the model of a database with a permission file.
pub(crate) fn model(
    catalog: Arc<Catalog>,
    file: &File,
    entries: &Entries<'_>,
    report: &mut Report<'_>,
) -> (Model, Functions) {
    let mut types = types::reserved(&catalog);
    let (mut exposed, clashing) = tables::tables(&catalog, file, entries, &mut types, report);
    if file.offer == DefaultExposure::AsHasura {
        exposed
            .iter_mut()
            .for_each(|table| table.groups &= names_groups(entries.get(&table.table).copied()));
    }
    relations::relate(&catalog, &mut exposed, entries, report);
    connections::name(&mut exposed, entries);
    computed::compute(
        &catalog,
        &mut exposed,
        entries,
        (&mut types, file.offer),
        report,
    );
    let apart: Vec<&ExposedTable> = exposed
        .iter()
        .filter(|table| !clashing.contains(&table.table))
        .collect();
    let (roots, taken) = roots::roots(&catalog, &apart, entries, report);
    let functions = functions::functions(&catalog, &exposed, file, (types, taken), report);
    let catalog = if functions.results.is_empty() {
        catalog
    } else {
        Arc::new(catalog.extended(functions.results))
    };
    exposed.extend(functions.exposed);
    (
        Model::new(catalog, exposed, roots).with_routines(functions.routines),
        functions.entries,
    )
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

/// The tables of the file's table entries. Reports unknown and duplicate tables.
pub(crate) fn entries<'f>(
    catalog: &Catalog,
    file: &'f File,
    report: &mut Report<'_>,
) -> Entries<'f> {
    let mut entries = Entries::new();
    for entry in &file.tables {
        let Some(table) = find_table(catalog, &entry.key, report) else {
            continue;
        };
        if let Some(first) = entries.get(&table) {
            let table = entry.key.value.clone();
            let other = first.key.value.clone();
            report.add(Fault::SameTable { table, other }, &entry.key.span);
        } else {
            entries.insert(table, entry);
        }
    }
    entries
}

/// Resolves a table name of the file: a table of `public`, else `schema.name`.
pub(crate) fn find_table(
    catalog: &Catalog,
    name: &Text,
    report: &mut Report<'_>,
) -> Option<TableId> {
    let found = catalog.find_written(&name.value);
    if found.is_none() {
        let known: Vec<String> = catalog.tables.iter().map(key).collect();
        let elsewhere = catalog
            .tables
            .iter()
            .find(|table| table.name == name.value)
            .map(key);
        let help = elsewhere.map(|key| format!("did you mean `{key}`?"));
        let help = help.or_else(|| did_you_mean(&name.value, known.iter().map(String::as_str)));
        report.add_with(
            Fault::UnknownTable {
                table: name.value.clone(),
            },
            &name.span,
            help,
        );
    }
    found
}

/// The name of a table in the file: `t`, or `s.t` outside of `public`.
pub(crate) fn key(table: &Table) -> String {
    match table.schema.as_str() {
        "public" => table.name.clone(),
        schema => format!("{schema}.{}", table.name),
    }
}

/// The text, if it is a valid GraphQL name; otherwise reports it.
fn valid<'t>(name: &'t Text, report: &mut Report<'_>) -> Option<&'t str> {
    if is_graphql(&name.value) {
        return Some(&name.value);
    }
    let help = "a name has letters, digits and underscores, begins without a digit and without \
                two underscores";
    report.add_with(
        Fault::NotAName {
            name: name.value.clone(),
        },
        &name.span,
        Some(help.to_owned()),
    );
    None
}

/// Reports a column that is not in its table.
pub(crate) fn unknown_column(column: &Text, table: &Table, report: &mut Report<'_>) {
    let help = did_you_mean(
        &column.value,
        table.columns.iter().map(|column| column.name.as_str()),
    );
    let fault = Fault::UnknownColumn {
        column: column.value.clone(),
        table: key(table),
    };
    report.add_with(fault, &column.span, help);
}

impl NamedItem {
    pub(crate) fn new(label: impl Into<Arc<str>>, span: Option<Range<usize>>) -> NamedItem {
        NamedItem {
            label: Label::Text(label.into()),
            span,
            is_given: false,
        }
    }

    /// A root field of the table with that key.
    fn root(kind: RootKind, table: Arc<str>, span: Option<Range<usize>>) -> NamedItem {
        NamedItem {
            label: Label::Root(kind, table),
            span,
            is_given: false,
        }
    }

    /// What it is called in messages.
    fn label(&self) -> String {
        match &self.label {
            Label::Text(text) => text.to_string(),
            Label::Root(kind, table) => format!("root field `{}` of `{table}`", kind.key()),
        }
    }

    /// Reports that another item has this one's name.
    fn report_clash(&self, name: &str, by: &NamedItem, help: &str, report: &mut Report<'_>) {
        let span = by
            .span
            .clone()
            .or_else(|| self.span.clone())
            .unwrap_or(0..0);
        let fault = Fault::Clash {
            name: name.to_owned(),
            one: self.label(),
            other: by.label(),
        };
        report.add_with(fault, &span, Some(help.to_owned()));
    }

    /// The item with a name that the file gives.
    fn given(self) -> NamedItem {
        NamedItem {
            is_given: true,
            ..self
        }
    }
}

impl NameRegistry {
    /// The names of [`CONDITIONS`].
    fn conditions() -> NameRegistry {
        let named = |name: &str| {
            (
                name.to_owned(),
                NamedItem::new(format!("the condition `{name}`"), None),
            )
        };
        NameRegistry(CONDITIONS.into_iter().map(named).collect())
    }

    /// Whether the name is in use.
    fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    /// The item that has the name.
    fn get(&self, name: &str) -> Option<&NamedItem> {
        self.0.get(name)
    }

    /// Registers a name; reports a clash if it is in use.
    fn claim(
        &mut self,
        name: impl Into<String>,
        by: NamedItem,
        help: &str,
        report: &mut Report<'_>,
    ) -> bool {
        match self.0.entry(name.into()) {
            Entry::Vacant(free) => {
                free.insert(by);
                return true;
            }
            Entry::Occupied(first) => first.get().report_clash(first.key(), &by, help, report),
        }
        false
    }
}

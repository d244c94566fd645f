//! Tables and columns as files name them.

use sql::postgres::catalog::{Catalog, Table, TableId};

use crate::fault::Fault;
use crate::report::Report;
use crate::similar_names::did_you_mean;
use crate::toml_reader::Text;

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

//! Compiles the grant to aggregate: functions, columns, and the minimum group size.

use sql::model::ExposedTable;
use sql::model::access::{Aggregates, Columns, Select};
use sql::model::aggregates::Function;

use super::{GrantCompiler, Use};
use crate::fault::Fault;
use crate::file::{AggregatesEntry, ColumnsEntry, Text};
use crate::similar_names::{did_you_mean, listed};

impl GrantCompiler<'_, '_, '_> {
    /// The grant of the key `aggregates`; absent keys restrict nothing.
    pub(super) fn aggregates(
        &mut self,
        exposed: &ExposedTable,
        select: &Select,
        entry: &AggregatesEntry,
    ) -> Aggregates {
        let columns = entry
            .columns
            .as_ref()
            .and_then(|entry| self.columns(exposed, Some(entry), Use::Read, &[]));
        if let (Some(columns), Some(ColumnsEntry::These(names))) = (&columns, &entry.columns) {
            self.readable(exposed, select, columns, names);
        }
        let Some(names) = &entry.functions else {
            return Aggregates {
                columns,
                min_group: entry.min_group,
                ..Aggregates::default()
            };
        };
        let mut count = false;
        let mut functions = vec![];
        for name in names {
            let function = Function::ALL
                .into_iter()
                .find(|(_, word)| *word == name.value)
                .map(|(function, _)| function);
            let again = function.map_or(name.value == "count" && count, |function| {
                functions.contains(&function)
            });
            match function {
                _ if again => self.report.add(
                    Fault::Twice {
                        name: name.value.clone(),
                    },
                    &name.span,
                ),
                Some(function) => functions.push(function),
                None if name.value == "count" => count = true,
                None => self.unknown_function(name),
            }
        }
        Aggregates {
            count,
            functions: Some(functions),
            columns,
            min_group: entry.min_group,
            known: None,
        }
    }

    /// Reports columns that may be aggregated but not read.
    fn readable(
        &mut self,
        exposed: &ExposedTable,
        select: &Select,
        columns: &Columns,
        names: &[Text],
    ) {
        let model = self.model.clone();
        for hidden in columns
            .iter()
            .filter(|column| !select.columns.contains(*column))
        {
            let column = &model.table(exposed.table).column(hidden).name;
            if let Some(name) = names.iter().find(|name| name.value == *column) {
                self.report.add(
                    Fault::NotReadable {
                        column: column.clone(),
                    },
                    &name.span,
                );
            }
        }
    }

    fn unknown_function(&mut self, name: &Text) {
        let known: Vec<_> = std::iter::once("count")
            .chain(Function::ALL.into_iter().map(|(_, word)| word))
            .collect();
        let help = did_you_mean(&name.value, known.iter().copied());
        let help =
            help.unwrap_or_else(|| format!("the functions are {}", listed(known.iter().copied())));
        let fault = Fault::UnknownWord {
            word: name.value.clone(),
            what: "function of aggregates",
        };
        self.report.add_with(fault, &name.span, Some(help));
    }
}

//! The helper types of tables, as suffixes of the tables' names.

use std::sync::LazyLock;

use sql::model::aggregates::{ConditionAggregate, Function};

/// The helper types of every table, as suffixes of its name, besides those of aggregate functions.
const READ: &[&str] = &[
    "aggregate",
    "aggregate_bool_exp",
    "aggregate_fields",
    "aggregate_order_by",
    "array_bool_exp",
    "bool_exp",
    "count_column",
    "fts_column",
    "fts_order_by",
    "order_by",
    "select_column",
    "stream_cursor_input",
    "stream_cursor_value_input",
];

/// The helper types of every table, as suffixes of its name, in alphabetical order.
pub(super) static READ_AND_AGGREGATE: LazyLock<Vec<String>> = LazyLock::new(|| {
    let selected = Function::selected()
        .flat_map(|(_, word)| [format!("{word}_fields"), format!("{word}_order_by")]);
    let compared = ConditionAggregate::all().flat_map(|(measure, word)| {
        let takes_two =
            matches!(measure, ConditionAggregate::Function(function) if function.is_binary());
        let condition = format!("aggregate_bool_exp_{word}");
        let arguments = takes_two.then(|| format!("{condition}_arguments"));
        std::iter::once(condition).chain(arguments)
    });
    let mut all: Vec<String> = READ
        .iter()
        .map(|suffix| (*suffix).to_owned())
        .chain(selected)
        .chain(compared)
        .collect();
    all.sort_unstable();
    all
});

/// The helper types for grouping. Tables with such a name take precedence.
pub(super) const GROUPS: &[&str] = &[
    "bucket",
    "group",
    "group_having",
    "group_key",
    "group_key_order_by",
    "group_order_by",
];

/// The helper types of tables with connections.
pub(super) const PAGES: &[&str] = &["connection", "edge"];

/// The helper types of tables that can be written.
pub(super) const WRITE: [&str; 23] = [
    "append_input",
    "arr_rel_insert_input",
    "array_append_input",
    "array_remove_input",
    "change_input",
    "constraint",
    "delete_at_path_input",
    "delete_elem_input",
    "delete_key_input",
    "if_match_input",
    "inc_input",
    "insert_input",
    "mutation_response",
    "obj_rel_insert_input",
    "on_conflict",
    "pk_columns_input",
    "prepend_input",
    "related_input",
    "related_where_input",
    "set_input",
    "update_column",
    "updates",
    "mul_input",
];

/// A set of helper types that tables have or lack as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HelperSet {
    /// Those of every table.
    Read,
    /// Those of tables that can be written.
    Write,
    /// Those of tables with connections.
    Pages,
    /// Those for grouping.
    Groups,
}

impl HelperSet {
    /// The suffixes of the types' names.
    pub(super) fn suffixes(self) -> impl Iterator<Item = &'static str> {
        let (read, others): (&[String], &[&str]) = match self {
            HelperSet::Read => (&READ_AND_AGGREGATE, &[]),
            HelperSet::Write => (&[], &WRITE),
            HelperSet::Pages => (&[], PAGES),
            HelperSet::Groups => (&[], GROUPS),
        };
        read.iter()
            .map(String::as_str)
            .chain(others.iter().copied())
    }
}

//! Names of GraphQL types: registers the row type and helper types of each table, and reports clashes.

use std::collections::HashSet;
use std::sync::LazyLock;

use sql::model::ExposedTable;
use sql::model::aggregates::{ConditionAggregate, Function};
use sql::model::names::Spelling;
use sql::model::operators;
use sql::model::operators::OperandShape;
use sql::postgres::catalog::{Catalog, Table, Type, TypeKind};
use sql::postgres::types::graphql_name;
use toml_writer::ToTomlKey;

use super::{NameRegistry, NamedItem, key};
use crate::file::TableEntry;
use crate::report::Report;

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
static READ_AND_AGGREGATE: LazyLock<Vec<String>> = LazyLock::new(|| {
    let selected = Function::selected().flat_map(|(_, word)| [format!("{word}_fields"), format!("{word}_order_by")]);
    let compared = ConditionAggregate::all().flat_map(|(measure, word)| {
        let takes_two = matches!(measure, ConditionAggregate::Function(function) if function.is_binary());
        let condition = format!("aggregate_bool_exp_{word}");
        let arguments = takes_two.then(|| format!("{condition}_arguments"));
        std::iter::once(condition).chain(arguments)
    });
    let mut all: Vec<String> = READ.iter().map(|suffix| (*suffix).to_owned()).chain(selected).chain(compared).collect();
    all.sort_unstable();
    all
});

/// The helper types for grouping. Tables with such a name take precedence.
const GROUPS: &[&str] = &["bucket", "group", "group_having", "group_key", "group_key_order_by", "group_order_by"];

/// The helper types of tables with connections.
const PAGES: &[&str] = &["connection", "edge"];

/// The helper types of tables that can be written.
const WRITE: [&str; 23] = [
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

const BUILT_IN: &[&str] =
    &["Int", "Float", "String", "Boolean", "ID", "query_root", "mutation_root", "subscription_root", "PageInfo"];

const BUILT_IN_LABEL: &str = "a built-in type";

/// The types that all tables of one spelling share.
const SHARED: [&str; 11] = [
    "order_by",
    "cursor_ordering",
    "count_mode",
    "fts_exp",
    "fts_mode",
    "jsonb_path_exp",
    "jsonb_path_type",
    "date_bucket",
    "Int_comparison_exp",
    "Boolean_comparison_exp",
    "float8_comparison_exp",
];

fn spelled(name: &str) -> [String; 2] {
    Spelling::ALL.map(|spelling| spelling.type_name(name))
}

/// Type names that no table may have: built-in types, and those of scalars and enums.
pub(super) fn reserved(catalog: &Catalog) -> NameRegistry {
    let mut taken = NameRegistry::default();
    taken.0.reserve(catalog.tables.len() * (1 + READ_AND_AGGREGATE.len() + GROUPS.len() + WRITE.len()));
    let operands = operators::all().filter_map(|operator| match operator.takes {
        OperandShape::Object(object) => Some(object.name),
        _ => None,
    });
    let shared = SHARED.into_iter().chain(operands).flat_map(spelled);
    for name in BUILT_IN.iter().map(|name| (*name).to_owned()).chain(shared) {
        taken.0.insert(name, NamedItem::new(BUILT_IN_LABEL, None));
    }
    let used: HashSet<u32> = catalog.tables.iter().flat_map(|table| &table.columns).map(|c| c.r#type).collect();
    for scalar in catalog.types.iter().filter(|scalar| used.contains(&scalar.oid)) {
        // A column whose type is a table's row type has that table's type name; both are allowed.
        let is_row = catalog.find(&scalar.schema, &scalar.name).is_some();
        if is_row && matches!(scalar.kind, TypeKind::Composite(_)) {
            continue;
        }
        let named = NamedItem::new(label(scalar), None);
        let name = graphql_name(scalar);
        let endings = ["comparison_exp", "plain_comparison_exp", "cast_exp"];
        for name in endings.iter().flat_map(|ending| spelled(&format!("{name}_{ending}"))) {
            taken.0.insert(name, named.clone());
        }
        taken.0.entry(name).or_insert(named);
    }
    taken
}

/// The names of all types of a table.
pub(super) struct TypeNames(Vec<(String, NamedItem)>);

impl TypeNames {
    pub(super) fn of(table: &Table, exposed: &ExposedTable, entry: Option<&TableEntry>) -> TypeNames {
        let given = entry.and_then(|entry| entry.type_name.as_ref().or(entry.name.as_ref()));
        let span = given.map(|name| &name.span).or(entry.map(|entry| &entry.key.span)).cloned();
        let named = |label: String| NamedItem { is_given: given.is_some(), ..NamedItem::new(label, span.clone()) };
        let writes: &[&str] = if table.updatable == 0 { &[] } else { &WRITE };
        let pages: &[&str] = if exposed.connection { PAGES } else { &[] };
        let others = writes.iter().chain(pages).copied();
        let helpers = READ_AND_AGGREGATE.iter().map(String::as_str).chain(others).map(|suffix| exposed.helper(suffix));
        let mut names = vec![(exposed.type_name.clone(), named(format!("the row of `{}`", key(table))))];
        let helper = named(format!("a helper type of `{}`", key(table)));
        names.extend(helpers.map(|name| (name, helper.clone())));
        if entry.is_some_and(|entry| entry.is_enum.is_some()) {
            let values = exposed.helper("enum");
            let compared = spelled(&format!("{values}_comparison_exp")).into_iter().collect::<HashSet<_>>();
            let types = std::iter::once(values).chain(compared);
            names.extend(types.map(|name| (name, named(format!("the enum of `{}`", key(table))))));
        }
        TypeNames(names)
    }

    /// The first of the names that is in use, and the item that has it.
    pub(super) fn in_use<'t>(&self, taken: &'t NameRegistry) -> Option<(String, &'t NamedItem)> {
        self.0.iter().find_map(|(name, _)| Some((name.clone(), taken.get(name)?)))
    }

    /// Registers all names, or reports the first clash.
    pub(super) fn claim(self, taken: &mut NameRegistry, table: &Table, report: &mut Report<'_>) -> bool {
        let help = format!("give one of them a name: [table.{}] name = \"…\", or exposed = false", quoted(&key(table)));
        if let Some((name, by)) = self.0.iter().find(|(name, _)| taken.has(name)) {
            return taken.claim(name.as_str(), by.clone(), &help, report);
        }
        self.0.into_iter().all(|(name, by)| taken.claim(name, by, &help, report))
    }
}

/// Registers the names of the types for grouping; false if one of them is in use.
pub(super) fn claim_groups(taken: &mut NameRegistry, exposed: &ExposedTable) -> bool {
    let names: Vec<String> = GROUPS.iter().map(|suffix| exposed.helper(suffix)).collect();
    if names.iter().any(|name| taken.has(name)) {
        return false;
    }
    let by = NamedItem::new(format!("a type for groups of `{}`", exposed.name), None);
    taken.0.extend(names.into_iter().map(|name| (name, by.clone())));
    true
}

/// Registers the type names of a function's result, or reports the first clash.
pub(super) fn claim_result(
    taken: &mut NameRegistry,
    exposed: &ExposedTable,
    by: &NamedItem,
    help: &str,
    report: &mut Report<'_>,
) -> bool {
    let helpers = READ_AND_AGGREGATE.iter().map(|suffix| exposed.helper(suffix));
    std::iter::once(exposed.type_name.clone()).chain(helpers).all(|name| taken.claim(name, by.clone(), help, report))
}

/// Registers the name of a scalar that only functions use, unless columns use the scalar, too.
pub(super) fn claim_scalar(taken: &mut NameRegistry, scalar: &Type, by: &NamedItem, report: &mut Report<'_>) {
    let shared = [label(scalar), BUILT_IN_LABEL.to_owned()];
    let name = graphql_name(scalar);
    match taken.0.get(&name) {
        Some(known) if shared.iter().any(|label| **label == *known.label) => {}
        Some(_) => drop(taken.claim(name, by.clone(), "give the table a name of its own", report)),
        None => drop(taken.0.insert(name, NamedItem::new(label(scalar), by.span.clone()))),
    }
}

fn label(scalar: &Type) -> String {
    format!("the type of columns `{}`", scalar.name)
}

/// Whether helper types have this suffix.
pub(super) fn is_suffix(suffix: &str) -> bool {
    READ_AND_AGGREGATE.iter().any(|read| read == suffix)
        || [&WRITE, GROUPS, PAGES].iter().any(|suffixes| suffixes.contains(&suffix))
}

/// Quotes a key of TOML where necessary.
pub(crate) fn quoted(key: &str) -> String {
    key.to_toml_key()
}

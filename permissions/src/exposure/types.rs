//! Names of GraphQL types: registers the row type and helper types of each table, and reports
//! clashes.

use std::borrow::Cow;
use std::collections::HashSet;

use sql::model::ExposedTable;
use sql::model::names::Spelling;
use sql::model::operators;
use sql::model::operators::OperandShape;
use sql::postgres::catalog::{Catalog, Table, Type, TypeKind};
use sql::postgres::types::graphql_name;
use toml_writer::ToTomlKey;

use super::helper_types::{GROUPS, HelperSet, PAGES, READ_AND_AGGREGATE, WRITE};
use super::name_registry::NamedItem;
use super::type_names::{TypeRegistry, is_helper};
use crate::file::TableEntry;
use crate::report::Report;
use crate::table_names::key;

const BUILT_IN: &[&str] = &[
    "Int",
    "Float",
    "String",
    "Boolean",
    "ID",
    "query_root",
    "mutation_root",
    "subscription_root",
    "PageInfo",
];

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
pub(super) fn reserved(catalog: &Catalog) -> TypeRegistry {
    let mut taken = TypeRegistry::default();
    let operands = operators::all().filter_map(|operator| match operator.takes {
        OperandShape::Object(object) => Some(object.name),
        _ => None,
    });
    let shared = SHARED.into_iter().chain(operands).flat_map(spelled);
    for name in BUILT_IN.iter().map(|name| (*name).to_owned()).chain(shared) {
        taken.insert(name, NamedItem::new(BUILT_IN_LABEL, None));
    }
    let used: HashSet<u32> = catalog
        .tables
        .iter()
        .flat_map(|table| &table.columns)
        .map(|c| c.r#type)
        .collect();
    for scalar in catalog
        .types
        .iter()
        .filter(|scalar| used.contains(&scalar.oid))
    {
        // A column whose type is a table's row type has that table's type name; both are allowed.
        let is_row = catalog.find(&scalar.schema, &scalar.name).is_some();
        if is_row && matches!(scalar.kind, TypeKind::Composite(_)) {
            continue;
        }
        let named = NamedItem::new(label(scalar), None);
        let name = graphql_name(scalar);
        let endings = ["comparison_exp", "plain_comparison_exp", "cast_exp"];
        for name in endings
            .iter()
            .flat_map(|ending| spelled(&format!("{name}_{ending}")))
        {
            taken.insert(name, named.clone());
        }
        if !taken.has(&name) {
            taken.insert(name, named);
        }
    }
    taken
}

/// The names of all types of a table.
pub(super) struct TypeNames {
    row: (String, NamedItem),
    /// What the names of helper types begin with.
    types: String,
    spelling: Spelling,
    sets: Vec<HelperSet>,
    helper: NamedItem,
    /// Of a table of enum values.
    values: Vec<(String, NamedItem)>,
}

impl TypeNames {
    pub(super) fn new(
        table: &Table,
        exposed: &ExposedTable,
        entry: Option<&TableEntry>,
    ) -> TypeNames {
        let given = entry.and_then(|entry| entry.type_name.as_ref().or(entry.name.as_ref()));
        let span = given
            .map(|name| &name.span)
            .or(entry.map(|entry| &entry.key.span))
            .cloned();
        let named = |label: String| {
            let item = NamedItem::new(label, span.clone());
            if given.is_some() { item.given() } else { item }
        };
        let writes = (table.updatable != 0).then_some(HelperSet::Write);
        let pages = exposed.connection.then_some(HelperSet::Pages);
        let mut values = vec![];
        if entry.is_some_and(|entry| entry.is_enum.is_some()) {
            let name = exposed.helper("enum");
            let compared = spelled(&format!("{name}_comparison_exp"))
                .into_iter()
                .collect::<HashSet<_>>();
            let types = std::iter::once(name).chain(compared);
            values.extend(types.map(|name| (name, named(format!("the enum of `{}`", key(table))))));
        }
        TypeNames {
            row: (
                exposed.type_name.clone(),
                named(format!("the row of `{}`", key(table))),
            ),
            types: exposed.types.clone(),
            spelling: exposed.spelling(),
            sets: [HelperSet::Read]
                .into_iter()
                .chain(writes)
                .chain(pages)
                .collect(),
            helper: named(format!("a helper type of `{}`", key(table))),
            values,
        }
    }

    /// All names, in the order in which a clash is looked for.
    fn all(&self) -> impl Iterator<Item = (Cow<'_, str>, &NamedItem)> {
        let suffixes = self.sets.iter().flat_map(|set| set.suffixes());
        let helpers = suffixes.map(|suffix| {
            (
                Cow::Owned(self.spelling.helper(&self.types, suffix)),
                &self.helper,
            )
        });
        let row = std::iter::once((Cow::Borrowed(self.row.0.as_str()), &self.row.1));
        let values = self
            .values
            .iter()
            .map(|(name, item)| (Cow::Borrowed(name.as_str()), item));
        row.chain(helpers).chain(values)
    }

    /// The names that are not those of helper types.
    fn others(&self) -> impl Iterator<Item = &(String, NamedItem)> {
        std::iter::once(&self.row).chain(&self.values)
    }

    /// Whether no helper type has the name of another type.
    fn has_free_helpers(&self, taken: &TypeRegistry) -> bool {
        let are_others = self.others().all(|(name, _)| !is_helper(&self.types, name));
        are_others && !taken.has_helpers(&self.types) && taken.are_helpers_free(&self.types)
    }

    /// The first of the names that is in use, and the item that has it.
    pub(super) fn in_use<'t>(&self, taken: &'t TypeRegistry) -> Option<(String, &'t NamedItem)> {
        if self.has_free_helpers(taken) {
            self.others()
                .find_map(|(name, _)| Some((name.clone(), taken.get(name)?)))
        } else {
            self.all()
                .find_map(|(name, _)| Some((name.to_string(), taken.get(&name)?)))
        }
    }

    /// Registers all names, or reports the first clash.
    pub(super) fn claim(
        self,
        taken: &mut TypeRegistry,
        table: &Table,
        report: &mut Report<'_>,
    ) -> bool {
        let help = format!(
            "give one of them a name: [table.{}] name = \"…\", or exposed = false",
            quoted(&key(table))
        );
        if !self.has_free_helpers(taken) {
            if let Some((name, by)) = self.all().find(|(name, _)| taken.has(name)) {
                return taken.claim(&name, by.clone(), &help, report);
            }
            return self
                .all()
                .all(|(name, by)| taken.claim(&name, by.clone(), &help, report));
        }
        if let Some((name, by)) = self.others().find(|(name, _)| taken.has(name)) {
            return taken.claim(name, by.clone(), &help, report);
        }
        let is_claimed = self
            .others()
            .all(|(name, by)| taken.claim(name, by.clone(), &help, report));
        taken.insert_helpers(&self.types, self.spelling, &self.sets, self.helper);
        is_claimed
    }
}

/// Registers the names of the types for grouping; false if one of them is in use.
pub(super) fn claim_groups(taken: &mut TypeRegistry, exposed: &ExposedTable) -> bool {
    claim_group_names(taken, &exposed.types, exposed.spelling(), &exposed.name)
}

fn claim_group_names(
    taken: &mut TypeRegistry,
    types: &str,
    spelling: Spelling,
    table: &str,
) -> bool {
    let by = NamedItem::new(format!("a type for groups of `{table}`"), None);
    if taken.insert_groups(types, spelling, &by) {
        return true;
    }
    let names: Vec<String> = GROUPS
        .iter()
        .map(|suffix| spelling.helper(types, suffix))
        .collect();
    if names.iter().any(|name| taken.has(name)) {
        return false;
    }
    names
        .into_iter()
        .for_each(|name| taken.insert(name, by.clone()));
    true
}

/// Registers the type names of a function's result, or reports the first clash.
pub(super) fn claim_result(
    taken: &mut TypeRegistry,
    exposed: &ExposedTable,
    by: &NamedItem,
    help: &str,
    report: &mut Report<'_>,
) -> bool {
    let helpers = READ_AND_AGGREGATE
        .iter()
        .map(|suffix| exposed.helper(suffix));
    std::iter::once(exposed.type_name.clone())
        .chain(helpers)
        .all(|name| taken.claim(&name, by.clone(), help, report))
}

/// Registers the name of a scalar that only functions use, unless columns use the scalar, too.
pub(super) fn claim_scalar(
    taken: &mut TypeRegistry,
    scalar: &Type,
    by: &NamedItem,
    report: &mut Report<'_>,
) {
    let shared = [label(scalar), BUILT_IN_LABEL.to_owned()];
    let name = graphql_name(scalar);
    match taken.get(&name) {
        Some(known) if shared.contains(&known.label()) => {}
        Some(_) => drop(taken.claim(
            &name,
            by.clone(),
            "give the table a name of its own",
            report,
        )),
        None => taken.insert(name, NamedItem::new(label(scalar), by.span.clone())),
    }
}

fn label(scalar: &Type) -> String {
    format!("the type of columns `{}`", scalar.name)
}

/// Whether helper types have this suffix.
pub(super) fn is_suffix(suffix: &str) -> bool {
    READ_AND_AGGREGATE.iter().any(|read| read == suffix)
        || [&WRITE, GROUPS, PAGES]
            .iter()
            .any(|suffixes| suffixes.contains(&suffix))
}

/// Quotes a key of TOML where necessary.
pub(crate) fn quoted(key: &str) -> String {
    key.to_toml_key()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::diagnostic::SourceFile;

    fn names(types: &str, row: &str, spelling: Spelling, sets: &[HelperSet]) -> TypeNames {
        let row_item = NamedItem::new("a row", None);
        let helper = NamedItem::new("a helper type", None);
        let row = (row.to_owned(), row_item);
        let types = types.to_owned();
        let sets = sets.to_vec();
        TypeNames {
            row,
            types,
            spelling,
            sets,
            helper,
            values: vec![],
        }
    }

    /// Names that are begun, ended and joined by parts of each other.
    fn stems() -> Vec<String> {
        let parts = [
            "t",
            "t_aggregate",
            "t_array",
            "t_group",
            "tAggregate",
            "TGroup",
            "t_insert",
            "t_x",
        ];
        let endings = [
            "",
            "_aggregate",
            "_group",
            "_order_by",
            "Fields",
            "_stddev_pop",
            "_edge",
            "_updates",
        ];
        parts
            .iter()
            .flat_map(|part| endings.iter().map(move |ending| format!("{part}{ending}")))
            .collect()
    }

    /// A registry that keeps every name by itself is the model.
    #[test]
    fn names_of_helper_types_are_in_use_as_if_each_was_kept() {
        let file = SourceFile::new("", "");
        let stems = stems();
        // A linear congruential generator, so that each run has the same cases.
        let mut random = 1_u64;
        let mut next = |limit: usize| {
            random = random
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (random >> 33) as usize % limit
        };
        for _ in 0..200 {
            let mut registry = TypeRegistry::default();
            let mut model = BTreeSet::<String>::new();
            let mut report = Report::new(&file);
            let mut tables = vec![];
            for _ in 0..8 {
                let types = &stems[next(stems.len())];
                let row = if next(3) == 0 {
                    &stems[next(stems.len())]
                } else {
                    types
                };
                let spelling = Spelling::ALL[next(2)];
                let sets = [HelperSet::Read, HelperSet::Write, HelperSet::Pages];
                let names = names(types, row, spelling, &sets[..=next(3)]);
                let all: Vec<String> = names.all().map(|(name, _)| name.into_owned()).collect();
                let expected = all.iter().find(|name| model.contains(*name)).cloned();
                assert_eq!(
                    names.in_use(&registry).map(|(name, _)| name),
                    expected,
                    "{types} {row} {model:?}"
                );
                tables.push((types.clone(), spelling));
                let table = Table {
                    name: types.clone(),
                    ..table()
                };
                // A row may have the name of a helper type of its own table; the names before that
                // one are registered.
                let is_claimed =
                    expected.is_none() && all.into_iter().all(|name| model.insert(name));
                assert_eq!(
                    names.claim(&mut registry, &table, &mut report),
                    is_claimed,
                    "{types} {row}"
                );
            }
            for (types, spelling) in tables {
                let all: Vec<String> = GROUPS
                    .iter()
                    .map(|suffix| spelling.helper(&types, suffix))
                    .collect();
                let is_free = all.iter().all(|name| !model.contains(name));
                assert_eq!(
                    claim_group_names(&mut registry, &types, spelling, "t"),
                    is_free,
                    "{types}"
                );
                if is_free {
                    model.extend(all);
                }
            }
            model
                .iter()
                .for_each(|name| assert!(registry.has(name), "{name}"));
            let others = stems
                .iter()
                .flat_map(|stem| Spelling::ALL.map(|spelling| spelling.helper(stem, "bool_exp")));
            others
                .for_each(|name| assert_eq!(registry.has(&name), model.contains(&name), "{name}"));
        }
    }

    fn table() -> Table {
        serde_json::from_value(serde_json::json!({
            "schema": "public", "name": "t", "kind": "table", "comment": null, "estimated_rows": 0.0, "updatable": 28,
            "columns": [], "keys": [], "foreign_keys": [],
        }))
        .unwrap()
    }
}

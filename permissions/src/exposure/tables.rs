//! The tables and columns of GraphQL, and their names.
//!
//! Names that follow from the database never clash: where a name is in use, a number is added
//! (`orders2`). So a table that is added to the database neither stops a start nor takes the name
//! of another that the file mentions.

use std::collections::{HashMap, HashSet};

use sql::model::ExposedTable;
use sql::model::names::{Convention, is_graphql};
use sql::postgres::catalog::{Catalog, Column, ColumnId, Table, TableId};

use super::entries::Entries;
use super::name_registry::{CONDITIONS, NameRegistry, NamedItem, valid};
use super::roots;
use super::type_names::TypeRegistry;
use super::types::TypeNames;
use super::types::quoted;
use crate::fault::Fault;
use crate::file::{File, RelationEntry, TableEntry, Text};
use crate::report::Report;
use crate::table_names::{key, unknown_column};

/// The exposed tables, and the set of those with a name clash, whose root fields are not reported
/// as well.
pub(super) fn tables(
    catalog: &Catalog,
    file: &File,
    entries: &Entries<'_>,
    types: &mut TypeRegistry,
    report: &mut Report<'_>,
) -> (Vec<ExposedTable>, HashSet<TableId>) {
    let convention = file.convention.unwrap_or_default();
    let entry_of = |id: &TableId| entries.get(id).copied();
    let is_exposed = |(id, _): &(TableId, &Table)| entry_of(id).is_none_or(|entry| entry.exposed);
    let mut tables: Vec<(TableId, &Table)> = catalog.table_ids().filter(is_exposed).collect();
    tables.sort_by_key(|(id, _)| Precedence::from_entry(entry_of(id)));
    let mut namer = TableNamer {
        convention,
        types,
        roots: roots::given_names(file),
        exposed: vec![],
        report,
    };
    let mut clashing = HashSet::new();
    for (id, table) in tables {
        if !namer.name(id, table, entry_of(&id)) {
            clashing.insert(id);
        }
    }
    let mut exposed = namer.exposed;
    exposed.sort_by_key(|table| table.table);
    // Tables take precedence over group types: a table with the name of a group type keeps it.
    for table in &mut exposed {
        table.groups = super::types::claim_groups(types, table);
    }
    (exposed, clashing)
}

/// Which of two tables keeps a name that both would have: the lesser.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Precedence {
    /// The file gives the table's name or that of its type.
    Named,
    /// The file grants something on the table or names its root fields.
    Used,
    /// All others. They yield to every name in the file.
    Unused,
}

impl Precedence {
    fn from_entry(entry: Option<&TableEntry>) -> Precedence {
        match entry {
            Some(entry) if entry.name.is_some() || entry.type_name.is_some() => Precedence::Named,
            Some(entry)
                if !(entry.roles.is_empty()
                    && entry.roots.is_empty()
                    && entry.aliases.is_empty()) =>
            {
                Precedence::Used
            }
            _ => Precedence::Unused,
        }
    }
}

struct TableNamer<'n, 'r, 'a> {
    convention: Convention,
    types: &'n mut TypeRegistry,
    /// The names of root fields: those that the file gives, and those of the tables so far. True:
    /// the file gives it.
    roots: HashMap<String, bool>,
    exposed: Vec<ExposedTable>,
    report: &'r mut Report<'a>,
}

impl TableNamer<'_, '_, '_> {
    /// Adds a table under a name of its own. False if a name that the file gives is in use, which
    /// is reported.
    fn name(&mut self, id: TableId, table: &Table, entry: Option<&TableEntry>) -> bool {
        let convention = entry
            .and_then(|entry| entry.convention)
            .unwrap_or(self.convention);
        let precedence = Precedence::from_entry(entry);
        let Some(name) = self.first_name(table, entry, convention) else {
            return true;
        };
        let Some(mut exposed) = self.expose(id, table, entry, convention, name) else {
            return true;
        };
        let mut number = 1;
        let mut cause = None;
        let claimed = loop {
            let names = TypeNames::new(table, &exposed, entry);
            let roots = roots::automatic(table, &exposed, entry);
            let other = names
                .in_use(self.types)
                .map(|(name, other)| (name, other.label(), other.is_given));
            let other = other.or_else(|| {
                let (name, is_given) = roots
                    .iter()
                    .find_map(|name| self.roots.get_key_value(name))?;
                Some((name.clone(), "another root field".to_owned(), *is_given))
            });
            let keeps = match (precedence, &other) {
                (Precedence::Named, _) | (_, None) => true,
                (Precedence::Used, Some((_, _, is_given))) => *is_given,
                (Precedence::Unused, Some(_)) => false,
            };
            if keeps {
                self.roots
                    .extend(roots.into_iter().map(|name| (name, false)));
                break names.claim(self.types, table, self.report);
            }
            cause = cause.or(other);
            number += 1;
            exposed.name = convention.table(&table.schema, &format!("{}_{number}", table.name));
            exposed.types = convention.types(&exposed.name);
            exposed.type_name = exposed.types.clone();
        };
        if let (Some(entry), Some((first, other, _))) = (entry, cause) {
            let fault = Fault::Numbered {
                item: format!("`{}`", key(table)),
                name: exposed.name.clone(),
                first,
                other,
            };
            self.report.record(
                fault,
                &entry.key.span,
                "give it a name of its own: name = \"…\"",
            );
        }
        self.exposed.push(exposed);
        claimed
    }

    /// The name in the file, else the name by the convention; `None` if it is not valid.
    fn first_name(
        &mut self,
        table: &Table,
        entry: Option<&TableEntry>,
        convention: Convention,
    ) -> Option<String> {
        if let Some(name) = entry.and_then(|entry| entry.name.as_ref()) {
            return valid(name, self.report).map(str::to_owned);
        }
        let name = convention.table(&table.schema, &table.name);
        if is_graphql(&name) {
            return Some(name);
        }
        // A table that the file does not use is omitted silently.
        if let Some(entry) =
            entry.filter(|entry| Precedence::from_entry(Some(entry)) != Precedence::Unused)
        {
            let help = Some("give the table a name: name = \"…\"".to_owned());
            self.report
                .add_with(Fault::NotAName { name }, &entry.key.span, help);
        }
        None
    }

    fn expose(
        &mut self,
        id: TableId,
        table: &Table,
        entry: Option<&TableEntry>,
        convention: Convention,
        name: String,
    ) -> Option<ExposedTable> {
        // Types have a name from the file unchanged.
        let is_given = entry.is_some_and(|entry| entry.name.is_some());
        let types = if is_given {
            name.clone()
        } else {
            convention.types(&name)
        };
        let type_name = match entry.and_then(|entry| entry.type_name.as_ref()) {
            Some(type_name) => valid(type_name, self.report)?.to_owned(),
            None => types.clone(),
        };
        let columns = name_columns(table, entry, convention, self.report);
        Some(ExposedTable {
            comment: entry.and_then(|entry| entry.comment.clone()),
            comments: comments(table, entry, self.report),
            groups: false,
            connection: entry.is_some_and(|entry| entry.connection),
            table: id,
            convention,
            name,
            types,
            type_name,
            columns,
            relations: vec![],
            computed: vec![],
        })
    }
}

/// The comments of columns in the file.
fn comments(
    table: &Table,
    entry: Option<&TableEntry>,
    report: &mut Report<'_>,
) -> HashMap<ColumnId, String> {
    let mut comments = HashMap::new();
    for (column, comment) in entry.map_or(&[][..], |entry| &entry.comments) {
        match table.find(&column.value) {
            Some(id) => drop(comments.insert(id, comment.value.clone())),
            None => unknown_column(column, table, report),
        }
    }
    comments
}

fn name_columns(
    table: &Table,
    entry: Option<&TableEntry>,
    convention: Convention,
    report: &mut Report<'_>,
) -> Vec<Option<String>> {
    let given: &[(Text, Text)] = entry.map_or(&[], |entry| &entry.columns);
    for (column, _) in given
        .iter()
        .filter(|(column, _)| table.find(&column.value).is_none())
    {
        unknown_column(column, table, report);
    }
    if let Some(names) = plain_names(table, entry, convention) {
        return names;
    }
    let given_to = |column: &Column| {
        given
            .iter()
            .find(|(key, _)| key.value == column.name)
            .map(|(_, name)| name)
    };
    let label = |column: &Column| format!("column `{}` of `{}`", column.name, key(table));
    let mut taken = NameRegistry::conditions();
    let by_file: Vec<Option<String>> = table
        .columns
        .iter()
        .map(|column| {
            let given = given_to(column)?;
            let name = valid(given, report)?;
            let help = format!(
                "give one of them a name: column.{} = \"…\"",
                quoted(&column.name)
            );
            let item = NamedItem::new(label(column), Some(given.span.clone())).given();
            taken
                .claim(name, item, &help, report)
                .then(|| name.to_owned())
        })
        .collect();
    members_by_file(&mut taken, table, entry, convention);
    let mut name_one = |(column, by_file): (&Column, Option<String>)| {
        if given_to(column).is_some() {
            return by_file;
        }
        let name = Some(convention.column(&column.name)).filter(|name| is_graphql(name))?;
        let name = match (taken.get(&name).map(|other| other.label()), entry) {
            (None, _) => name,
            (Some(other), entry) => {
                let free =
                    (2..).map(|number| convention.column(&format!("{}_{number}", column.name)));
                let free = free.into_iter().find(|name| !taken.has(name))?;
                if let Some(entry) = entry {
                    let fault = Fault::Numbered {
                        item: label(column),
                        name: free.clone(),
                        first: name,
                        other,
                    };
                    let help = format!(
                        "give it a name of its own: column.{} = \"…\"",
                        quoted(&column.name)
                    );
                    report.record(fault, &entry.key.span, &help);
                }
                free
            }
        };
        taken
            .0
            .insert(name.clone(), NamedItem::new(label(column), None));
        Some(name)
    };
    table
        .columns
        .iter()
        .zip(by_file)
        .map(&mut name_one)
        .collect()
}

/// The names of the columns by the convention, if the file gives no names to members of the table,
/// and no two columns would have one name.
fn plain_names(
    table: &Table,
    entry: Option<&TableEntry>,
    convention: Convention,
) -> Option<Vec<Option<String>>> {
    if entry.is_some_and(|entry| {
        !(entry.columns.is_empty() && entry.relations.is_empty() && entry.computed.is_empty())
    }) {
        return None;
    }
    let names = table
        .columns
        .iter()
        .map(|column| Some(convention.column(&column.name)).filter(|name| is_graphql(name)));
    let names: Vec<Option<String>> = names.collect();
    let mut taken: HashSet<&str> = CONDITIONS.into_iter().collect();
    names
        .iter()
        .flatten()
        .all(|name| taken.insert(name))
        .then_some(names)
}

/// Adds the names that the file gives to relations and computed fields of a table, so that columns
/// get others.
fn members_by_file(
    taken: &mut NameRegistry,
    table: &Table,
    entry: Option<&TableEntry>,
    convention: Convention,
) {
    let Some(entry) = entry else { return };
    let relations = entry
        .relations
        .iter()
        .filter(|(_, relation)| !matches!(relation, RelationEntry::Hidden));
    let names = relations.map(|(name, _)| ("relation", name));
    let computed = entry
        .computed
        .iter()
        .map(|computed| ("computed field", &computed.name));
    for (kind, name) in names.chain(computed) {
        let item = NamedItem::new(format!("{kind} `{}` of `{}`", name.value, key(table)), None);
        taken
            .0
            .entry(convention.aggregate(&name.value))
            .or_insert_with(|| item.clone());
        taken.0.entry(name.value.clone()).or_insert(item);
    }
}

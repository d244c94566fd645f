//! Root fields: which kinds a table can have, their names, and their aliases.

use std::collections::HashMap;

use sql::model::names::RootKind;
use sql::model::{ExposedTable, Root};
use sql::postgres::catalog::{Catalog, DELETABLE_BIT, INSERTABLE_BIT, Table, UPDATABLE_BIT};

use super::entries::Entries;
use super::name_registry::{NameRegistry, NamedItem, valid};
use super::type_names::TypeRegistry;
use crate::fault::Fault;
use crate::file::{File, FunctionEntry, SpannedValue, TableEntry, Text};
use crate::report::Report;
use crate::table_names::key;

/// All root fields, in the order of tables, and the names that they use.
pub(super) fn roots(
    catalog: &Catalog,
    exposed: &[&ExposedTable],
    entries: &Entries<'_>,
    report: &mut Report<'_>,
) -> (Vec<Root>, NameRegistry) {
    let mut namer = Namer {
        taken: NameRegistry::default(),
        roots: vec![],
        report,
    };
    for table in exposed {
        let entry = entries.get(&table.table).copied();
        namer.table(catalog.table(table.table), table, entry);
    }
    for table in exposed {
        namer.groups(
            catalog.table(table.table),
            table,
            entries.get(&table.table).copied(),
        );
    }
    if namer.roots.iter().any(|root| root.input.is_some()) {
        namer.inputs(exposed, &super::types::reserved(catalog));
    }
    (namer.roots, namer.taken)
}

/// The names of root fields that the file gives, and those of its functions. All are true.
pub(super) fn given_names(file: &File) -> HashMap<String, bool> {
    let of_table = |entry: &TableEntry| {
        let roots = entry.roots.iter().map(|(_, name)| name.value.clone());
        roots
            .chain(
                entry
                    .aliases
                    .iter()
                    .map(|(_, alias)| alias.name.value.clone()),
            )
            .collect::<Vec<_>>()
    };
    let convention = file.convention.unwrap_or_default();
    let of_function = |entry: &FunctionEntry| {
        let (written, _) = entry
            .key
            .value
            .split_once('(')
            .unwrap_or((&entry.key.value, ""));
        let (schema, name) = written
            .trim()
            .split_once('.')
            .unwrap_or(("public", written.trim()));
        let name = entry
            .name
            .as_ref()
            .map_or_else(|| convention.table(schema, name), |name| name.value.clone());
        let aggregate = entry.aggregate.as_ref().map(|name| name.value.clone());
        [
            aggregate.unwrap_or_else(|| convention.aggregate(&name)),
            name,
        ]
    };
    let names = file
        .tables
        .iter()
        .flat_map(of_table)
        .chain(file.functions.iter().flat_map(of_function));
    names.map(|name| (name, true)).collect()
}

/// The root fields whose names follow from the table's. Those for groups yield to any other.
pub(super) fn automatic(
    table: &Table,
    exposed: &ExposedTable,
    entry: Option<&TableEntry>,
) -> Vec<String> {
    let kinds = RootKind::ALL.iter().map(|(kind, _)| *kind);
    let kinds = kinds.filter(|kind| *kind != RootKind::Group && given(entry, *kind).is_none());
    let kinds = kinds.filter(|kind| obstacle(table, exposed, *kind).is_none());
    kinds
        .map(|kind| exposed.convention.root(kind, &exposed.name))
        .collect()
}

/// The reason why a table cannot have a root field of that kind, if it cannot.
fn obstacle(table: &Table, exposed: &ExposedTable, kind: RootKind) -> Option<&'static str> {
    let by_key = matches!(
        kind,
        RootKind::One
            | RootKind::Connection
            | RootKind::Stream
            | RootKind::UpdateOne
            | RootKind::DeleteOne
    );
    let needed = match kind {
        RootKind::Insert | RootKind::InsertOne => INSERTABLE_BIT,
        RootKind::Update | RootKind::UpdateOne | RootKind::UpdateMany => UPDATABLE_BIT,
        RootKind::Delete | RootKind::DeleteOne => DELETABLE_BIT,
        RootKind::Group if !exposed.groups => {
            return Some("another table has the name of one of its types");
        }
        RootKind::List
        | RootKind::One
        | RootKind::Aggregate
        | RootKind::Group
        | RootKind::Stream => 0,
        RootKind::Connection if exposed.connection => 0,
        RootKind::Connection => return Some("the table does not have `connection = true`"),
    };
    if table.updatable & needed != needed {
        return Some("its rows cannot be changed that way");
    }
    let key = table.primary_key();
    if by_key && key.is_none() {
        return Some("it has no primary key");
    }
    let named = |name: &String| {
        table
            .find(name)
            .is_some_and(|column| exposed.column_name(column).is_some())
    };
    (by_key && !key.is_some_and(|key| key.columns.iter().all(named)))
        .then_some("the name of a column of its primary key is not valid in GraphQL")
}

/// The name that the file sets for a root field.
fn given(entry: Option<&TableEntry>, kind: RootKind) -> Option<&Text> {
    entry?
        .roots
        .iter()
        .find(|(of, _)| of.value == kind)
        .map(|(_, name)| name)
}

struct Namer<'r, 'a> {
    taken: NameRegistry,
    roots: Vec<Root>,
    report: &'r mut Report<'a>,
}

impl Namer<'_, '_> {
    fn table(&mut self, table: &Table, exposed: &ExposedTable, entry: Option<&TableEntry>) {
        // Group fields without a name in the file come last: any other field takes precedence for
        // the name.
        let later = |kind| kind == RootKind::Group && given(entry, kind).is_none();
        for (kind, _) in RootKind::ALL {
            if !later(kind) && obstacle(table, exposed, kind).is_none() {
                self.root(table, exposed, entry, kind);
            }
        }
        let Some(entry) = entry else { return };
        for kind in entry
            .roots
            .iter()
            .map(|(kind, _)| kind)
            .chain(entry.aliases.iter().map(|(kind, _)| kind))
        {
            self.report_obstacle(table, exposed, kind);
        }
        for (kind, alias) in &entry.aliases {
            if obstacle(table, exposed, kind.value).is_some()
                || valid(&alias.name, self.report).is_none()
            {
                continue;
            }
            let input = alias
                .input
                .as_ref()
                .and_then(|input| valid(input, self.report))
                .map(str::to_owned);
            self.add(
                table,
                exposed,
                kind.value,
                &alias.name.value,
                Some(alias.name.span.clone()),
                input,
            );
        }
        self.report_inputs(entry);
    }

    /// Adds the root field for groups, unless the file names it or another field has its name.
    fn groups(&mut self, table: &Table, exposed: &ExposedTable, entry: Option<&TableEntry>) {
        let kind = RootKind::Group;
        let name = exposed.convention.root(RootKind::Group, &exposed.name);
        if given(entry, kind).is_none()
            && obstacle(table, exposed, kind).is_none()
            && !self.taken.has(&name)
        {
            self.add(
                table,
                exposed,
                kind,
                &name,
                entry.map(|entry| entry.key.span.clone()),
                None,
            );
        }
    }

    fn root(
        &mut self,
        table: &Table,
        exposed: &ExposedTable,
        entry: Option<&TableEntry>,
        kind: RootKind,
    ) {
        let given = given(entry, kind);
        let name = match given {
            Some(given) => match valid(given, self.report) {
                Some(name) => name.to_owned(),
                None => return,
            },
            None => exposed.convention.root(kind, &exposed.name),
        };
        let span = given
            .map(|given| &given.span)
            .or_else(|| entry.map(|entry| &entry.key.span));
        self.add(table, exposed, kind, &name, span.cloned(), None);
    }

    fn add(
        &mut self,
        table: &Table,
        exposed: &ExposedTable,
        kind: RootKind,
        name: &str,
        span: Option<std::ops::Range<usize>>,
        input: Option<String>,
    ) {
        let item = NamedItem::root(kind, key(table).into(), span);
        if let Some(first) = self.taken.get(name) {
            let help = format!("give one of them another name: root.{} = \"…\"", kind.key());
            return first.report_clash(name, &item, &help, self.report);
        }
        self.taken.0.insert(name.to_owned(), item);
        self.roots.push(Root {
            name: name.to_owned(),
            kind,
            table: exposed.table,
            input,
        });
    }

    fn report_obstacle(
        &mut self,
        table: &Table,
        exposed: &ExposedTable,
        kind: &SpannedValue<RootKind>,
    ) {
        if let Some(reason) = obstacle(table, exposed, kind.value) {
            self.report.add(
                Fault::NoRoot {
                    root: kind.value.key(),
                    table: key(table),
                    reason,
                },
                &kind.span,
            );
        }
    }

    fn report_inputs(&mut self, entry: &TableEntry) {
        for (kind, alias) in &entry.aliases {
            let Some(input) = &alias.input else { continue };
            if !matches!(kind.value, RootKind::Insert | RootKind::InsertOne) {
                let fault = Fault::UnknownKey {
                    key: "input".into(),
                    within: "an alias that does not insert",
                };
                self.report.add(fault, &input.span);
            }
        }
    }

    /// Reports input types of aliases that have the name of another type.
    fn inputs(&mut self, exposed: &[&ExposedTable], reserved: &TypeRegistry) {
        let named: Vec<Root> = self
            .roots
            .iter()
            .filter(|root| root.input.is_some())
            .cloned()
            .collect();
        for root in &named {
            let Some(input) = &root.input else { continue };
            let owner = exposed.iter().find(|table| {
                let own = table.table == root.table
                    && table.suffix(input).as_deref() == Some("insert_input");
                table.type_name == *input || is_helper(table, input) && !own
            });
            let other = named
                .iter()
                .find(|other| other.input == root.input && other.table != root.table);
            let other = other.map(|other| format!("the input type of `{}`", other.name));
            let other = owner
                .map(|table| format!("a type of `{}`", table.name))
                .or(other);
            let other = other.or_else(|| reserved.get(input).map(NamedItem::label));
            let Some(other) = other else { continue };
            let one = format!("the input type of `{}`", root.name);
            let span = self
                .taken
                .0
                .get(&root.name)
                .and_then(|named| named.span.clone())
                .unwrap_or(0..0);
            self.report.add(
                Fault::Clash {
                    name: input.clone(),
                    one,
                    other,
                },
                &span,
            );
        }
    }
}

/// Whether the name is that of one of the table's helper types.
fn is_helper(table: &ExposedTable, name: &str) -> bool {
    table
        .suffix(name)
        .is_some_and(|suffix| super::types::is_suffix(&suffix))
}

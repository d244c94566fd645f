//! Relations: derived from foreign keys in both directions, and renamed, hidden or added by the
//! file.

use std::collections::{HashMap, HashSet};

use sql::model::names::{Convention, is_graphql};
use sql::model::{ExposedTable, Relation, RelationKind};
use sql::postgres::catalog::{Catalog, ColumnId, ForeignKey, Table, TableId};

use super::entries::Entries;
use super::name_registry::{NameRegistry, NamedItem, valid};
use crate::fault::Fault;
use crate::file::{RelationEntry, TableEntry, Text};
use crate::report::Report;
use crate::rule_check::RuleCheck;
use crate::similar_names::did_you_mean;
use crate::table_names::{find_table, key, unknown_column};

/// Adds relations to every exposed table. Returns the statements that check the relations of the
/// file.
pub(super) fn relate(
    catalog: &Catalog,
    exposed: &mut [ExposedTable],
    entries: &Entries<'_>,
    report: &mut Report<'_>,
) -> Vec<RuleCheck> {
    let mut checks = Vec::new();
    let names: HashMap<TableId, String> = exposed
        .iter()
        .map(|table| (table.table, table.name.clone()))
        .collect();
    let incoming = incoming(catalog);
    for table in exposed.iter_mut() {
        let entry = entries.get(&table.table).copied();
        let mut builder = RelationBuilder {
            catalog,
            names: &names,
            table: catalog.table(table.table),
            id: table.table,
            convention: table.convention,
            taken: columns(catalog.table(table.table), table, entry),
            span: entry.map(|entry| entry.key.span.clone()),
            used: HashSet::new(),
            relations: vec![],
            checks: &mut checks,
            report,
        };
        builder.by_file(entry);
        builder.reserve_computed(entry);
        builder.by_convention(&incoming, entry);
        builder.relations.sort_by(|a, b| a.name.cmp(&b.name));
        table.relations = builder.relations;
    }
    checks
}

/// The direction in which a relation follows a foreign key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Direction {
    /// From the table that has the foreign key.
    Forward,
    /// To the table that has the foreign key.
    Backward,
}

/// A foreign key and a direction: the table that has the key, the key's index there.
type Walk = (Direction, TableId, usize);

/// The target of a relation: the table, the equal columns, and the number of rows.
type RelationTarget = (TableId, Vec<(ColumnId, ColumnId)>, RelationKind);

/// The foreign keys that reference each table.
fn incoming(catalog: &Catalog) -> HashMap<TableId, Vec<(TableId, usize)>> {
    let mut incoming: HashMap<TableId, Vec<(TableId, usize)>> = HashMap::new();
    for (id, table) in catalog.table_ids() {
        for (index, foreign) in table
            .foreign_keys
            .iter()
            .enumerate()
            .filter(|(_, foreign)| !foreign.inferred)
        {
            if let Some(to) = catalog.find(&foreign.schema, &foreign.table) {
                incoming.entry(to).or_default().push((id, index));
            }
        }
    }
    incoming
}

/// The names that columns use.
pub(super) fn columns(
    table: &Table,
    exposed: &ExposedTable,
    entry: Option<&TableEntry>,
) -> NameRegistry {
    let mut taken = NameRegistry::conditions();
    for (column, name) in table.columns.iter().zip(&exposed.columns) {
        let Some(name) = name else { continue };
        let given = entry.and_then(|entry| {
            entry
                .columns
                .iter()
                .find(|(key, _)| key.value == column.name)
        });
        let label = format!("column `{}` of `{}`", column.name, key(table));
        taken.0.insert(
            name.clone(),
            NamedItem::new(label, given.map(|(_, name)| name.span.clone())),
        );
    }
    taken
}

/// The names of a relation and of its aggregate.
fn names(relation: &Relation) -> impl Iterator<Item = String> {
    [Some(relation.name.clone()), relation.aggregate.clone()]
        .into_iter()
        .flatten()
}

struct RelationBuilder<'m, 'r, 'a> {
    catalog: &'m Catalog,
    names: &'m HashMap<TableId, String>,
    table: &'m Table,
    id: TableId,
    convention: Convention,
    taken: NameRegistry,
    span: Option<std::ops::Range<usize>>,
    used: HashSet<Walk>,
    relations: Vec<Relation>,
    /// Statements that compare the columns as the file's relations do.
    checks: &'r mut Vec<RuleCheck>,
    report: &'r mut Report<'a>,
}

/// A relation that the file does not mention, with the columns that disambiguate its name.
struct Default {
    relation: Relation,
    columns: Vec<String>,
    label: String,
}

impl RelationBuilder<'_, '_, '_> {
    fn by_file(&mut self, entry: Option<&TableEntry>) {
        for (name, relation) in entry.map_or(&[][..], |entry| &entry.relations) {
            let found = match relation {
                RelationEntry::Hidden => continue,
                RelationEntry::Here { columns } => self.forward_relation(name, columns),
                RelationEntry::There { table, columns } => self.backward_relation(table, columns),
                RelationEntry::ByHand { table, on, one } => self.by_hand(table, on, *one),
            };
            let Some((to, on, kind)) = found else {
                continue;
            };
            if valid(name, self.report).is_none() {
                continue;
            }
            let relation = self.relation(name.value.clone(), to, on, kind);
            let label = format!("relation `{}` of `{}`", name.value, key(self.table));
            self.claim(relation, &label, Some(&name.span));
        }
    }

    /// Adds the names of computed fields, so that relations that the file does not mention get
    /// others.
    fn reserve_computed(&mut self, entry: Option<&TableEntry>) {
        for computed in entry.map_or(&[][..], |entry| &entry.computed) {
            let item = NamedItem::new(format!("computed field `{}`", computed.name.value), None);
            for name in [
                computed.name.value.clone(),
                self.convention.aggregate(&computed.name.value),
            ] {
                self.taken.0.entry(name).or_insert_with(|| item.clone());
            }
        }
    }

    fn by_convention(
        &mut self,
        incoming: &HashMap<TableId, Vec<(TableId, usize)>>,
        entry: Option<&TableEntry>,
    ) {
        let forward =
            (0..self.table.foreign_keys.len()).map(|index| (Direction::Forward, self.id, index));
        let back = incoming.get(&self.id).map_or(&[][..], |keys| keys);
        let back = back
            .iter()
            .map(|(table, position)| (Direction::Backward, *table, *position));
        let walks: Vec<Walk> = forward
            .chain(back)
            .filter(|walk| !self.used.contains(walk))
            .collect();
        let mut defaults: Vec<Default> = walks
            .into_iter()
            .filter_map(|walk| self.default(walk))
            .collect();
        self.disambiguate(&mut defaults);
        let hidden = self.hidden(entry, &defaults);
        for Default {
            relation, label, ..
        } in defaults
        {
            // A relation that the file declares for a view may equal one from a foreign key of its
            // tables.
            let declared = |known: &Relation| known.to == relation.to && known.on == relation.on;
            if self.table.is_view() && self.relations.iter().any(declared) {
                continue;
            }
            if is_graphql(&relation.name) && !hidden.contains(&relation.name) {
                let span = self.span.clone();
                self.claim(relation, &label, span.as_ref());
            }
        }
    }

    /// Gives each relation a name of its own: adds `_by_<column>` to those whose name is in use,
    /// then `_list` to array relations, then a number.
    fn disambiguate(&self, defaults: &mut [Default]) {
        self.rename_clashing(defaults, |default| {
            Some(format!(
                "{}_by_{}",
                default.relation.name,
                default.columns.join("_")
            ))
        });
        self.rename_clashing(defaults, |default| {
            (default.relation.kind == RelationKind::Array)
                .then(|| format!("{}_list", default.relation.name))
        });
        let mut used = HashSet::new();
        for default in defaults {
            let name = default.relation.name.clone();
            for number in 2.. {
                if names(&default.relation)
                    .all(|name| !self.taken.has(&name) && !used.contains(&name))
                {
                    break;
                }
                self.rename(default, &format!("{name}_{number}"));
            }
            used.extend(names(&default.relation));
        }
    }

    /// Renames the relations whose names are those of others, all at once.
    fn rename_clashing(
        &self,
        defaults: &mut [Default],
        longer: impl Fn(&Default) -> Option<String>,
    ) {
        let mut count: HashMap<String, usize> = HashMap::new();
        for name in defaults.iter().flat_map(|default| names(&default.relation)) {
            *count.entry(name).or_default() += 1;
        }
        let clashes = |name: String| {
            self.taken.has(&name) || count.get(&name).is_some_and(|count| *count > 1)
        };
        for default in defaults {
            if names(&default.relation).any(clashes)
                && let Some(longer) = longer(default)
            {
                self.rename(default, &longer);
            }
        }
    }

    fn rename(&self, default: &mut Default, longer: &str) {
        let name = self.convention.column(longer);
        default.relation.aggregate = default
            .relation
            .aggregate
            .take()
            .map(|_| self.convention.aggregate(&name));
        default.relation.name = name;
    }

    fn hidden(&mut self, entry: Option<&TableEntry>, defaults: &[Default]) -> HashSet<String> {
        let mut hidden = HashSet::new();
        for (name, relation) in entry.map_or(&[][..], |entry| &entry.relations) {
            if !matches!(relation, RelationEntry::Hidden) {
                continue;
            }
            let known = || {
                defaults
                    .iter()
                    .map(|default| default.relation.name.as_str())
            };
            if known().any(|default| default == name.value) {
                hidden.insert(name.value.clone());
            } else {
                let fault = Fault::UnknownRelation {
                    relation: name.value.clone(),
                    table: key(self.table),
                };
                self.report
                    .add_with(fault, &name.span, did_you_mean(&name.value, known()));
            }
        }
        hidden
    }

    fn claim(&mut self, relation: Relation, label: &str, span: Option<&std::ops::Range<usize>>) {
        let help = "give one of them another name in the table's `relation`, or hide a relation: \
                    x = false";
        let named = || NamedItem::new(label.to_owned(), span.cloned());
        let aggregate = || NamedItem::new(format!("the aggregate of {label}"), span.cloned());
        if !self.taken.claim(&relation.name, named(), help, self.report) {
            return;
        }
        if let Some(name) = &relation.aggregate
            && !self.taken.claim(name, aggregate(), help, self.report)
        {
            return;
        }
        self.relations.push(relation);
    }

    fn default(&self, walk: Walk) -> Option<Default> {
        let (direction, lies_in, index) = walk;
        let source = self.catalog.table(lies_in);
        let foreign = source.foreign_keys.get(index)?;
        let (to, on, kind) = self.walk(walk)?;
        let target = self.names.get(&to)?;
        let name = match direction {
            Direction::Forward => self.object_name(foreign, target),
            Direction::Backward => self.convention.column(target),
        };
        let label = format!(
            "the relation over foreign key `{}` of `{}`",
            foreign.name,
            key(source)
        );
        Some(Default {
            relation: self.relation(name, to, on, kind),
            columns: foreign.columns.clone(),
            label,
        })
    }

    /// The key column without `_id` or `Id`, else the name of the referenced table.
    fn object_name(&self, foreign: &ForeignKey, target: &str) -> String {
        let stem = match foreign.columns.as_slice() {
            [column] => column
                .strip_suffix("_id")
                .or_else(|| column.strip_suffix("Id")),
            _ => None,
        };
        match stem.filter(|stem| !stem.trim_matches('_').is_empty()) {
            Some(stem) => self.convention.column(stem),
            None => self.convention.column(target),
        }
    }

    fn relation(
        &self,
        name: String,
        to: TableId,
        on: Vec<(ColumnId, ColumnId)>,
        kind: RelationKind,
    ) -> Relation {
        let aggregate = (kind == RelationKind::Array).then(|| self.convention.aggregate(&name));
        Relation {
            name,
            aggregate,
            connection: None,
            to,
            on,
            kind,
        }
    }

    /// The target of a foreign key, if that table is exposed.
    fn walk(&self, (direction, lies_in, index): Walk) -> Option<RelationTarget> {
        let source = self.catalog.table(lies_in);
        let foreign = source.foreign_keys.get(index)?;
        let target_id = self.catalog.find(&foreign.schema, &foreign.table)?;
        let target = self.catalog.table(target_id);
        let pairs = foreign.columns.iter().zip(&foreign.references);
        let forward: Option<Vec<_>> = pairs
            .map(|(own, other)| Some((source.find(own)?, target.find(other)?)))
            .collect();
        let forward = forward?;
        let (to, on, kind) = match direction {
            Direction::Forward => (
                target_id,
                forward,
                self.forward_kind(source, target, foreign),
            ),
            Direction::Backward => {
                let on = forward
                    .into_iter()
                    .map(|(own, other)| (other, own))
                    .collect();
                (lies_in, on, many_or_one(source, &foreign.columns))
            }
        };
        self.names.contains_key(&to).then_some((to, on, kind))
    }

    fn forward_kind(&self, source: &Table, target: &Table, foreign: &ForeignKey) -> RelationKind {
        let [references, columns] =
            [&foreign.references, &foreign.columns].map(|columns| as_strs(columns));
        let never_null = |column: &&str| {
            source
                .find(column)
                .is_some_and(|id| !source.column(id).nullable)
        };
        // Tables that inherit from the source do not inherit its foreign keys.
        let holds = foreign.validated && !foreign.deferred && !source.has_children;
        let always = holds && target.has_key(&references) && columns.iter().all(never_null);
        RelationKind::Object {
            unique: target.is_unique(&references),
            always,
        }
    }

    /// `{ column = "data_controller_id" }`
    fn forward_relation(&mut self, name: &Text, columns: &[Text]) -> Option<RelationTarget> {
        self.known_columns(self.table, columns)?;
        let walk = self.the_key(self.id, None, columns, name)?;
        self.walk_or_report((Direction::Forward, self.id, walk), name)
    }

    /// `{ table = "data_processing_activities", column = "data_subject_id" }`
    fn backward_relation(&mut self, table: &Text, columns: &[Text]) -> Option<RelationTarget> {
        let there = find_table(self.catalog, table, self.report)?;
        self.known_columns(self.catalog.table(there), columns)?;
        let walk = self.the_key(there, Some(self.id), columns, table)?;
        self.walk_or_report((Direction::Backward, there, walk), table)
    }

    fn walk_or_report(&mut self, walk: Walk, name: &Text) -> Option<RelationTarget> {
        let found = self.walk(walk);
        self.used.insert(walk);
        if found.is_none() {
            let source = self.catalog.table(walk.1);
            let target = source
                .foreign_keys
                .get(walk.2)
                .map(|foreign| foreign.table.clone());
            let table = if walk.0 == Direction::Forward {
                target.unwrap_or_default()
            } else {
                key(source)
            };
            self.report.add(Fault::NotExposed { table }, &name.span);
        }
        found
    }

    /// The foreign key of `lies_in` over exactly these columns (that references `to`, if given).
    fn the_key(
        &mut self,
        lies_in: TableId,
        to: Option<TableId>,
        columns: &[Text],
        spanned_name: &Text,
    ) -> Option<usize> {
        let source = self.catalog.table(lies_in);
        let wanted: HashSet<&str> = columns.iter().map(|column| column.value.as_str()).collect();
        let over = |foreign: &ForeignKey| {
            foreign
                .columns
                .iter()
                .map(String::as_str)
                .collect::<HashSet<_>>()
                == wanted
        };
        let leads = |foreign: &ForeignKey| {
            to.is_none_or(|to| self.catalog.find(&foreign.schema, &foreign.table) == Some(to))
        };
        let keys = source
            .foreign_keys
            .iter()
            .enumerate()
            .filter(|(_, foreign)| over(foreign) && leads(foreign));
        let places: Vec<usize> = keys.map(|(index, _)| index).collect();
        let span = columns
            .first()
            .map_or(&spanned_name.span, |column| &column.span);
        let columns = columns
            .iter()
            .map(|column| column.value.as_str())
            .collect::<Vec<_>>()
            .join(", ");
        let table = key(source);
        match (places.as_slice(), to) {
            ([position], _) => return Some(*position),
            ([], None) => {
                let help = "without a foreign key, list the columns that are equal: { table = \
                            \"…\", on = { … }, one = true }";
                self.report.add_with(
                    Fault::NoForeignKey { columns, table },
                    span,
                    Some(help.to_owned()),
                );
            }
            ([], Some(_)) => {
                let help = "without a foreign key, list the columns that are equal: { table = \
                            \"…\", on = { … } }"
                    .to_owned();
                let to = key(self.table);
                self.report.add_with(
                    Fault::NoForeignKeyTo { columns, table, to },
                    span,
                    Some(help),
                );
            }
            _ => {
                let help = "name the table: { table = \"…\", on = { … } }".to_owned();
                self.report
                    .add_with(Fault::ManyForeignKeys { columns, table }, span, Some(help));
            }
        }
        None
    }

    /// `{ table = "latest_activity", on = { id = "data_subject_id" }, one = true }`
    fn by_hand(&mut self, table: &Text, on: &[(Text, Text)], one: bool) -> Option<RelationTarget> {
        let to = find_table(self.catalog, table, self.report)?;
        let target = self.catalog.table(to);
        let (own, theirs): (Vec<Text>, Vec<Text>) = on.iter().cloned().unzip();
        let own = self.known_columns(self.table, &own);
        let theirs = self.known_columns(target, &theirs);
        let pairs: Vec<(ColumnId, ColumnId)> = own?.into_iter().zip(theirs?).collect();
        for ((own, theirs), (name, _)) in pairs.iter().zip(on) {
            let span = self.report.span_of(&name.span);
            let check = RuleCheck::relation(self.catalog, [self.id, to], [*own, *theirs], span);
            self.checks.push(check);
        }
        if !self.names.contains_key(&to) {
            self.report
                .add(Fault::NotExposed { table: key(target) }, &table.span);
            return None;
        }
        let columns: Vec<String> = on.iter().map(|(_, theirs)| theirs.value.clone()).collect();
        let unique = target.is_unique(&as_strs(&columns));
        let kind = if one {
            RelationKind::Object {
                unique,
                always: false,
            }
        } else {
            RelationKind::Array
        };
        Some((to, pairs, kind))
    }

    /// The columns of a table; reports each that the table does not have.
    fn known_columns(&mut self, table: &Table, columns: &[Text]) -> Option<Vec<ColumnId>> {
        for column in columns
            .iter()
            .filter(|column| table.find(&column.value).is_none())
        {
            unknown_column(column, table, self.report);
        }
        columns
            .iter()
            .map(|column| table.find(&column.value))
            .collect()
    }
}

fn as_strs(columns: &[String]) -> Vec<&str> {
    columns.iter().map(String::as_str).collect()
}

/// The reverse of a foreign key is an object relation if the key's columns are a key. Of the rows
/// of tables that inherit, which may repeat its values, it shows one.
fn many_or_one(source: &Table, columns: &[String]) -> RelationKind {
    let columns = as_strs(columns);
    if source.has_key(&columns) {
        RelationKind::Object {
            unique: source.is_unique(&columns),
            always: false,
        }
    } else {
        RelationKind::Array
    }
}

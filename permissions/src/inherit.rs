//! Roles that inherit: what several roles may read together, cell by cell, and in [`writes`] what they may write.
//!
//! Where an inheriting role has a select grant of its own for a table, that grant alone holds. Everywhere else it sees
//! the rows that some parent sees, in each of them the columns and relations that some parent who sees the row may read.

mod writes;

use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use indexmap::IndexMap;
use sql::access::{Aggregates, Columns, Grants, Piece, Reads, Rule, Select, Source};
use sql::catalog::{ColumnId, TableId};
use sql::model::Model;

pub(crate) use writes::Writes;

/// What each role is granted by itself, as the file has it.
pub(crate) type Own = IndexMap<String, HashMap<TableId, Grants>>;

/// The parents of roles that inherit, without circles.
pub(crate) type Parents = IndexMap<String, Vec<String>>;

/// What the inheriting roles may read in tables that they have no select grant of their own for.
pub(crate) fn inherited(model: &Model, own: &Own, parents: &Parents) -> Vec<(String, TableId, Select)> {
    let family = Family { model, own, parents };
    let tables = || model.tables().map(|exposed| exposed.table);
    let of_role = |role: &String| {
        let family = &family;
        let role = role.clone();
        let inherits = tables().filter(|table| family.own(&role, *table).is_none()).collect::<Vec<_>>();
        let selects =
            inherits.into_iter().filter_map(|table| Some((role.clone(), table, family.select(&role, table)?)));
        selects.collect::<Vec<_>>()
    };
    parents.keys().flat_map(of_role).collect()
}

struct Family<'a> {
    model: &'a Model,
    own: &'a Own,
    parents: &'a Parents,
}

/// A grant that contributes rows, and the relations that whoever has it may follow from them.
struct Part<'a> {
    select: &'a Select,
    reached: BTreeSet<&'a str>,
}

impl<'a> Family<'a> {
    fn own(&self, role: &str, table: TableId) -> Option<&'a Select> {
        self.own.get(role)?.get(&table)?.select.as_ref()
    }

    fn parents(&self, role: &str) -> impl Iterator<Item = &'a str> + use<'a> {
        self.parents.get(role).into_iter().flatten().map(String::as_str)
    }

    /// Whether the role sees rows of the table at all.
    fn sees(&self, role: &str, table: TableId) -> bool {
        self.own(role, table).is_some() || self.parents(role).any(|parent| self.sees(parent, table))
    }

    /// The names of a table's relations, and of computed fields that lead to rows, whose target passes.
    fn relations(&self, table: TableId, passes: impl Fn(TableId) -> bool) -> BTreeSet<&'a str> {
        let relations = self.model.exposed(table).map(|exposed| exposed.relations.iter()).into_iter().flatten();
        let computed = self.model.exposed(table).map(|exposed| exposed.computed.iter()).into_iter().flatten();
        let computed = computed.filter_map(|computed| Some((computed.callable.table()?, computed.name.as_str())));
        let relations = relations.map(|relation| (relation.to, relation.name.as_str()));
        relations.chain(computed).filter(|(to, _)| passes(*to)).map(|(_, name)| name).collect()
    }

    /// The grants that a role's view of a table is made of.
    fn parts(&self, role: &str, table: TableId) -> Vec<Part<'a>> {
        if let Some(select) = self.own(role, table) {
            return vec![Part { select, reached: self.relations(table, |to| self.sees(role, to)) }];
        }
        // What the role is granted over there by itself, it reaches from every row.
        let own = self.relations(table, |to| self.own(role, to).is_some());
        let mut parts: Vec<Part<'a>> = vec![];
        for mut part in self.parents(role).flat_map(|parent| self.parts(parent, table)) {
            part.reached.extend(&own);
            match parts.iter_mut().find(|known| std::ptr::eq(known.select, part.select)) {
                Some(known) => known.reached.extend(part.reached),
                None => parts.push(part),
            }
        }
        parts
    }

    fn select(&self, role: &str, table: TableId) -> Option<Select> {
        let parts = self.parts(role, table);
        if parts.is_empty() {
            return None;
        }
        let rows = union(parts.iter().map(|part| &part.select.rows))?;
        let mut columns = Columns::default();
        parts.iter().flat_map(|part| part.select.columns.iter()).for_each(|column| columns.insert(column));
        let mut select = Select::new(columns.clone(), rows);
        for column in columns.iter() {
            self.cell(table, column, &parts, &mut select);
        }
        select.limit = parts.iter().map(|part| part.select.limit).reduce(|a, b| Some(a?.max(b?))).flatten();
        select.aggregates = parts.iter().filter_map(|part| part.select.aggregates.clone()).reduce(either);
        select.roots = parts.iter().map(|part| part.select.roots.clone()).reduce(both).flatten();
        self.relate(role, table, &parts, &mut select);
        compute(&parts, &mut select);
        Some(select)
    }

    /// What a column is: stored where it is, null where nobody grants it, masked where nobody grants it unmasked.
    fn cell(&self, table: TableId, column: ColumnId, parts: &[Part<'a>], select: &mut Select) {
        let granting: Vec<&Select> =
            parts.iter().map(|part| part.select).filter(|select| select.columns.contains(column)).collect();
        let (masked, plain): (Vec<&Select>, Vec<&Select>) =
            granting.iter().copied().partition(|select| select.values.contains_key(&column));
        if covers(&plain, parts) {
            return;
        }
        let mut cases = Cases::new(&self.model.table(table).column(column).name);
        cases.when(&plain, None, column);
        for with in masked.iter().filter_map(|select| select.values.get(&column)) {
            let same: Vec<&Select> =
                masked.iter().copied().filter(|select| select.values.get(&column) == Some(with)).collect();
            cases.when(&same, Some(with), column);
        }
        if !masked.is_empty() {
            select.masked.insert(column);
        }
        select.values.insert(column, Arc::new(cases.end(covers(&granting, parts))));
    }

    fn relate(&self, role: &str, table: TableId, parts: &[Part<'a>], select: &mut Select) {
        for relation in self.relations(table, |to| self.sees(role, to)) {
            let reaching: Vec<&Select> =
                parts.iter().filter(|part| part.reached.contains(relation)).map(|part| part.select).collect();
            if !covers(&reaching, parts) {
                let rows = union(reaching.iter().map(|select| &select.rows));
                select.relations.insert(relation.to_owned(), rows);
            }
        }
    }
}

/// A computed field is there if one of the grants lists it, in the rows of those that do.
fn compute(parts: &[Part<'_>], select: &mut Select) {
    for name in parts.iter().flat_map(|part| &part.select.computed) {
        if select.computed.contains(name) {
            continue;
        }
        select.computed.push(name.clone());
        let listing: Vec<&Select> =
            parts.iter().map(|part| part.select).filter(|select| select.computed.contains(name)).collect();
        if !covers(&listing, parts) {
            let rows = union(listing.iter().map(|select| &select.rows));
            select.computed_rows.extend(rows.map(|rows| (name.clone(), rows)));
        }
    }
}

/// Whether some of the grants have every row that all of them have together.
fn covers(some: &[&Select], all: &[Part<'_>]) -> bool {
    let has = |rule: &Rule| some.iter().any(|select| select.rows.pieces == rule.pieces);
    some.iter().any(|select| select.rows.is_everything()) || all.iter().all(|part| has(&part.select.rows))
}

/// The rule of the rows that one of the rules has; equal ones count once, and `true` swallows the others.
fn union<'r>(rules: impl Iterator<Item = &'r Arc<Rule>>) -> Option<Arc<Rule>> {
    let mut apart: Vec<&Arc<Rule>> = vec![];
    for rule in rules {
        if rule.is_everything() {
            return Some(rule.clone());
        }
        if !apart.iter().any(|known| known.pieces == rule.pieces) {
            apart.push(rule);
        }
    }
    let first = match apart.as_slice() {
        [] => return None,
        [only] => return Some((*only).clone()),
        [first, ..] => *first,
    };
    let mut pieces = Pieces::default();
    for (place, rule) in apart.iter().enumerate() {
        pieces.sql(if place > 0 { ") OR (" } else { "(" });
        pieces.rule(rule);
    }
    pieces.sql(")");
    let text = apart.iter().map(|rule| format!("({})", rule.source.text)).collect::<Vec<_>>().join(" OR ");
    let source = Source { text: text.into(), ..first.source.clone() };
    Some(Arc::new(Rule { pieces: pieces.list.into(), source, reads: pieces.reads, membership: None }))
}

/// Aggregates that one of two grants allows. The larger of two least groups stays, lest the other grant undo it.
fn either(one: Aggregates, other: Aggregates) -> Aggregates {
    Aggregates {
        count: one.count || other.count,
        functions: both(one.functions, other.functions),
        columns: one.columns.zip(other.columns).map(|(mut columns, others)| {
            others.iter().for_each(|column| columns.insert(column));
            columns
        }),
        min_group: one.min_group.max(other.min_group),
    }
}

/// What is in one list or the other, where none means everything.
fn both<T: PartialEq>(one: Option<Vec<T>>, other: Option<Vec<T>>) -> Option<Vec<T>> {
    let (mut list, others) = one.zip(other)?;
    for item in others {
        if !list.contains(&item) {
            list.push(item);
        }
    }
    Some(list)
}

/// `CASE WHEN rule THEN column WHEN rule THEN mask END` as it grows.
struct Cases<'n> {
    name: &'n str,
    branches: Vec<(Arc<Rule>, Option<Arc<Rule>>, ColumnId)>,
}

impl<'n> Cases<'n> {
    fn new(name: &'n str) -> Cases<'n> {
        Cases { name, branches: vec![] }
    }

    /// In the rows of these grants, the mask or what is stored.
    fn when(&mut self, grants: &[&Select], mask: Option<&Arc<Rule>>, column: ColumnId) {
        if self.branches.iter().any(|(_, known, _)| known.as_ref() == mask && mask.is_some()) {
            return;
        }
        let rows = union(grants.iter().map(|select| &select.rows));
        self.branches.extend(rows.map(|rows| (rows, mask.cloned(), column)));
    }

    /// The whole; where the branches leave no row out, the last needs no condition.
    fn end(self, complete: bool) -> Rule {
        let (mut pieces, mut text) = (Pieces::default(), String::new());
        let mut source = Source::default();
        let last = self.branches.len().saturating_sub(1);
        let alone = complete && last == 0;
        for (place, (rows, mask, column)) in self.branches.iter().enumerate() {
            let stored = Arc::<str>::from(self.name);
            let value = mask.as_ref().map_or(&stored, |mask| &mask.source.text);
            let from = mask.as_ref().unwrap_or(rows);
            if source.line == 0 || mask.is_some() {
                source = from.source.clone();
            }
            if !alone {
                match complete && place == last {
                    true => pieces.sql(" ELSE "),
                    false => {
                        pieces.sql(if place == 0 { "CASE WHEN (" } else { " WHEN (" });
                        pieces.rule(rows);
                        pieces.sql(") THEN ");
                    }
                }
                let condition = match complete && place == last {
                    true => " ELSE ".to_owned(),
                    false => format!("{} WHEN {} THEN ", if place == 0 { "CASE" } else { "" }, rows.source.text),
                };
                text.push_str(&condition);
            }
            text.push_str(value);
            match mask {
                Some(mask) => pieces.rule(mask),
                None => pieces.list.push(Piece::Column(*column)),
            }
        }
        if !alone {
            pieces.sql(" END");
            text.push_str(" END");
        }
        Rule {
            pieces: pieces.list.into(),
            source: Source { text: text.into(), ..source },
            reads: pieces.reads,
            membership: None,
        }
    }
}

/// Pieces of a rule, neighbouring texts joined.
#[derive(Default)]
struct Pieces {
    list: Vec<Piece>,
    reads: Reads,
}

impl Pieces {
    fn sql(&mut self, text: &str) {
        match self.list.last_mut() {
            Some(Piece::Sql(last)) => last.push_str(text),
            _ => self.list.push(Piece::Sql(text.to_owned())),
        }
    }

    fn rule(&mut self, rule: &Rule) {
        self.reads = std::mem::take(&mut self.reads).joined(rule.reads.clone());
        for piece in rule.pieces.iter() {
            match piece {
                Piece::Sql(text) => self.sql(text),
                other => self.list.push(other.clone()),
            }
        }
    }
}

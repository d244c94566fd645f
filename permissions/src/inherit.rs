//! Role inheritance: combines the select grants of a role's parents, cell by cell; [`writes`]
//! combines the grants to write.
//!
//! If an inheriting role has its own select grant for a table, only that grant applies. Otherwise
//! the role sees the rows that some parent sees, and in each row the columns and relations that
//! some parent who sees the row may read. A parent contributes rows and cells only to the purposes
//! for which it may read them itself ([`Purpose`]): the rows of a parent with the root field
//! `aggregate` but not `list` are aggregated and not listed.
//!
//! The result is an ordinary role: one row rule (the parents' rules joined by `OR`), and `CASE WHEN
//! rule THEN column END` for each column that not all parents grant. An aggregate counts no hidden
//! cell.

mod writes;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use indexmap::IndexMap;
use sql::model::access::{
    Aggregates, Columns, Grants, Purpose, RootKinds, Rule, RuleDependencies, RuleExpression,
    RuleFragment, Select, SourceLocation,
};
use sql::model::names::RootKind;
use sql::model::{CallId, Model};
use sql::postgres::catalog::{ColumnId, TableId};
use sql::postgres::types::Scalar;

pub(crate) use writes::Writes;

/// The grants of each role in the file, without inheritance.
pub(crate) type DirectGrants = IndexMap<String, HashMap<TableId, Box<Grants>>>;

/// The parents of each inheriting role, without cycles.
pub(crate) type Parents = IndexMap<String, Vec<String>>;

/// The functions that the file grants to each role by name.
pub(crate) type Calls = HashMap<String, Vec<CallId>>;

/// The select grants of an inheriting role: the one that the schema is built from, and, if parents
/// differ in the purposes that they may read for, one for each purpose.
#[derive(Debug)]
pub(crate) struct Inherited {
    pub(crate) select: Select,
    pub(crate) purposes: BTreeMap<Purpose, Option<Arc<Select>>>,
}

/// The root fields that read.
const READING: [RootKind; 6] = [
    RootKind::List,
    RootKind::One,
    RootKind::Connection,
    RootKind::Stream,
    RootKind::Aggregate,
    RootKind::Group,
];

/// The select grants that roles inherit, for tables where they have none of their own.
pub(crate) fn inherited(
    model: &Model,
    own: &DirectGrants,
    parents: &Parents,
    calls: &Calls,
) -> Vec<(String, TableId, Inherited)> {
    let hierarchy = RoleHierarchy {
        model,
        own,
        parents,
        calls,
    };
    let tables = || model.tables().map(|exposed| exposed.table);
    let of_role = |role: &String| {
        let hierarchy = &hierarchy;
        let role = role.clone();
        let inherits = tables()
            .filter(|table| hierarchy.own(&role, *table).is_none())
            .collect::<Vec<_>>();
        let selects = inherits
            .into_iter()
            .filter_map(|table| Some((role.clone(), table, hierarchy.select(&role, table)?)));
        selects.collect::<Vec<_>>()
    };
    parents.keys().flat_map(of_role).collect()
}

struct RoleHierarchy<'a> {
    model: &'a Model,
    own: &'a DirectGrants,
    parents: &'a Parents,
    calls: &'a Calls,
}

/// A grant that contributes rows, with the relations that its roles may follow from these rows, and
/// the functions that are granted to these roles by name.
#[derive(Clone)]
struct Part<'a> {
    select: &'a Select,
    reached: BTreeSet<&'a str>,
    called: Vec<CallId>,
}

impl Part<'_> {
    /// Whether the grant has the root field `list`.
    fn lists(&self) -> bool {
        self.select.has_root(RootKind::List)
    }

    /// Whether it contributes rows to reads for a purpose. Rows that it lists may also be
    /// aggregated.
    fn serves(&self, purpose: Purpose) -> bool {
        let aggregates = self.select.aggregates.is_some();
        match purpose {
            Purpose::Root(kind @ (RootKind::Aggregate | RootKind::Group)) => {
                self.lists() || aggregates && self.select.has_root(kind)
            }
            Purpose::Root(kind) => self.select.has_root(kind),
            Purpose::Rows => self.select.shows_rows() && !self.is_for_aggregates(),
            Purpose::Aggregate => self.lists() || aggregates,
            Purpose::Call(call) => self.called.contains(&call) && self.serves(Purpose::Rows),
            Purpose::CallAggregate(call) => {
                self.called.contains(&call) && self.serves(Purpose::Aggregate)
            }
        }
    }

    /// Whether all root fields of the grant are aggregates.
    fn is_for_aggregates(&self) -> bool {
        let aggregates = [RootKind::Aggregate, RootKind::Group].into_iter().collect();
        let roots = self.select.roots;
        !roots.is_empty() && roots.is_subset(aggregates)
    }
}

impl<'a> RoleHierarchy<'a> {
    fn own(&self, role: &str, table: TableId) -> Option<&'a Select> {
        self.own.get(role)?.get(&table)?.select.as_ref()
    }

    fn parents(&self, role: &str) -> impl Iterator<Item = &'a str> + use<'a> {
        self.parents
            .get(role)
            .into_iter()
            .flatten()
            .map(String::as_str)
    }

    /// Whether the role sees rows of the table, directly or by inheritance.
    fn sees(&self, role: &str, table: TableId) -> bool {
        self.own(role, table).is_some() || self.parents(role).any(|parent| self.sees(parent, table))
    }

    /// The names of a table's relations, and of computed fields that return rows, whose target
    /// table satisfies `passes`.
    fn relations(&self, table: TableId, passes: impl Fn(TableId) -> bool) -> BTreeSet<&'a str> {
        let relations = self
            .model
            .exposed(table)
            .map(|exposed| exposed.relations.iter())
            .into_iter()
            .flatten();
        let computed = self
            .model
            .exposed(table)
            .map(|exposed| exposed.computed.iter())
            .into_iter()
            .flatten();
        let computed = computed
            .filter_map(|computed| Some((computed.callable.table()?, computed.name.as_str())));
        let relations = relations.map(|relation| (relation.to, relation.name.as_str()));
        relations
            .chain(computed)
            .filter(|(to, _)| passes(*to))
            .map(|(_, name)| name)
            .collect()
    }

    /// The grants that a role's rows and cells of a table come from.
    fn parts(&self, role: &str, table: TableId) -> Vec<Part<'a>> {
        if let Some(select) = self.own(role, table) {
            let reached = self.relations(table, |to| self.sees(role, to));
            return vec![Part {
                select,
                reached,
                called: self.called(role),
            }];
        }
        // A role's own grants on target tables and functions apply to all of its rows.
        let own = self.relations(table, |to| self.own(role, to).is_some());
        let called = self.calls.get(role).map_or(&[][..], Vec::as_slice);
        let mut parts: Vec<Part<'a>> = vec![];
        for mut part in self
            .parents(role)
            .flat_map(|parent| self.parts(parent, table))
        {
            part.reached.extend(&own);
            part.called.extend(called);
            match parts
                .iter_mut()
                .find(|known| std::ptr::eq(known.select, part.select))
            {
                Some(known) => {
                    known.reached.extend(part.reached);
                    known.called.extend(part.called);
                }
                None => parts.push(part),
            }
        }
        parts
    }

    /// The functions that are granted to a role or its ancestors by name.
    fn called(&self, role: &str) -> Vec<CallId> {
        let own = self.calls.get(role).into_iter().flatten().copied();
        own.chain(self.parents(role).flat_map(|parent| self.called(parent)))
            .collect()
    }

    fn select(&self, role: &str, table: TableId) -> Option<Inherited> {
        let all = self.parts(role, table);
        let mut select = self.joined(role, table, &all, &all)?;
        let serving = |purpose| {
            let mut parts: Vec<Part<'a>> = all
                .iter()
                .filter(|part| part.serves(purpose))
                .cloned()
                .collect();
            if parts.is_empty() && purpose == Purpose::Rows {
                // If all grants are for aggregates only, relations lead to the rows as they do for
                // each of the parents.
                parts = all
                    .iter()
                    .filter(|part| part.select.shows_rows())
                    .cloned()
                    .collect();
            }
            parts
        };
        let purposes = self.purposes(table, &select);
        let served: Vec<_> = purposes
            .into_iter()
            .map(|(purpose, granted)| (purpose, serving(granted)))
            .collect();
        if served
            .iter()
            .all(|(_, parts)| parts.is_empty() || parts.len() == all.len())
            && select.shows_rows()
        {
            return Some(Inherited {
                select,
                purposes: BTreeMap::new(),
            });
        }
        let joined = |(purpose, parts): (Purpose, Vec<Part<'a>>)| {
            (
                purpose,
                self.joined(role, table, &parts, &all).map(Arc::new),
            )
        };
        let purposes: BTreeMap<_, _> = served.into_iter().map(joined).collect();
        // A column that is null in some row for some purpose is nullable.
        for known in purposes.values().flatten() {
            known
                .masked
                .iter()
                .for_each(|column| select.masked.insert(column));
            for (column, value) in &known.values {
                select
                    .values
                    .entry(*column)
                    .or_insert_with(|| value.clone());
            }
        }
        Some(Inherited { select, purposes })
    }

    /// The purposes for which rows of a table can be read, as far as its root fields allow; each
    /// with the purpose that a parent must serve for it. A function that is granted to no role by
    /// name can be called by any role that may read the rows.
    fn purposes(&self, table: TableId, select: &Select) -> Vec<(Purpose, Purpose)> {
        let roots = READING
            .into_iter()
            .filter(|kind| select.has_root(*kind))
            .map(Purpose::Root);
        let plain = roots
            .chain([Purpose::Rows, Purpose::Aggregate])
            .map(|purpose| (purpose, purpose));
        let routines = self
            .model
            .routines()
            .iter()
            .filter(|routine| routine.callable.table() == Some(table));
        let calls = routines.flat_map(|routine| {
            let rows = Purpose::Call(routine.callable.id);
            let aggregate = Purpose::CallAggregate(routine.callable.id);
            if routine.inferred {
                [(rows, Purpose::Rows), (aggregate, Purpose::Aggregate)]
            } else {
                [(rows, rows), (aggregate, aggregate)]
            }
        });
        plain.chain(calls).collect()
    }

    /// Combines several grants: the rows, columns and relations of `parts`, with the column and
    /// relation names of `all`.
    fn joined(
        &self,
        role: &str,
        table: TableId,
        parts: &[Part<'a>],
        all: &[Part<'a>],
    ) -> Option<Select> {
        let rows = union(parts.iter().map(|part| &part.select.rows))?;
        let mut columns = Columns::default();
        all.iter()
            .flat_map(|part| part.select.columns.iter())
            .for_each(|column| columns.insert(column));
        let mut select = Select::new(columns.clone(), rows);
        for column in columns.iter() {
            self.cell(table, column, parts, &mut select);
        }
        select.limit = parts
            .iter()
            .map(|part| part.select.limit)
            .reduce(|a, b| Some(a?.max(b?)))
            .flatten();
        select.aggregates = aggregates(parts);
        select.roots = parts
            .iter()
            .map(|part| part.select.roots)
            .reduce(RootKinds::union)?;
        self.relate(role, table, parts, all, &mut select);
        compute(parts, all, &mut select);
        Some(select)
    }

    /// The value of a column, by row: as stored if granted unmasked, masked if granted only with a
    /// mask, null if not granted.
    fn cell(&self, table: TableId, column: ColumnId, parts: &[Part<'a>], select: &mut Select) {
        let granting: Vec<&Select> = parts
            .iter()
            .map(|part| part.select)
            .filter(|select| select.columns.contains(column))
            .collect();
        if granting.is_empty() {
            let scalar = Scalar::from_oid(
                self.model.catalog(),
                self.model.table(table).column(column).r#type,
            );
            select
                .values
                .insert(column, Rule::constant("NULL").cast(&scalar.sql));
            return;
        }
        let (masked, plain): (Vec<&Select>, Vec<&Select>) = granting
            .iter()
            .copied()
            .partition(|select| select.values.contains_key(&column));
        if covers(&plain, parts) {
            return;
        }
        let mut cases = Cases::new(&self.model.table(table).column(column).name);
        cases.when(&plain, None, column);
        for with in masked
            .iter()
            .filter_map(|select| select.values.get(&column))
        {
            let same: Vec<&Select> = masked
                .iter()
                .copied()
                .filter(|select| select.values.get(&column) == Some(with))
                .collect();
            cases.when(&same, Some(with), column);
        }
        if !masked.is_empty() {
            select.masked.insert(column);
        }
        select
            .values
            .insert(column, cases.end(covers(&granting, parts)));
    }

    fn relate(
        &self,
        role: &str,
        table: TableId,
        parts: &[Part<'a>],
        all: &[Part<'a>],
        select: &mut Select,
    ) {
        for relation in self.relations(table, |to| self.sees(role, to)) {
            let reaching: Vec<&Select> = parts
                .iter()
                .filter(|part| part.reached.contains(relation))
                .map(|part| part.select)
                .collect();
            if !covers(&reaching, parts) {
                let elsewhere = || all.iter().any(|part| part.reached.contains(relation));
                let rows = union(reaching.iter().map(|select| &select.rows));
                let rows = rows.or_else(|| elsewhere().then(Rule::no_rows));
                select.relations.insert(relation.to_owned(), rows);
            }
        }
    }
}

/// A computed field exists if one of `all` lists it; it is not null in the rows of those of `parts`
/// that list it.
fn compute(parts: &[Part<'_>], all: &[Part<'_>], select: &mut Select) {
    for name in all.iter().flat_map(|part| &part.select.computed) {
        if select.computed.contains(name) {
            continue;
        }
        select.computed.push(name.clone());
        let listing: Vec<&Select> = parts
            .iter()
            .map(|part| part.select)
            .filter(|select| select.computed.contains(name))
            .collect();
        if !covers(&listing, parts) {
            let rows = union(listing.iter().map(|select| &select.rows));
            select
                .computed_rows
                .insert(name.clone(), rows.unwrap_or_else(Rule::no_rows));
        }
    }
}

/// Whether some of the grants contain every row of all of them.
fn covers(some: &[&Select], all: &[Part<'_>]) -> bool {
    let has = |rule: &Rule| some.iter().any(|select| select.rows.pieces == rule.pieces);
    some.iter().any(|select| select.rows.is_everything())
        || all.iter().all(|part| has(&part.select.rows))
}

/// The disjunction of rules. Equal rules count once; `true` absorbs the others.
fn union<'r>(rules: impl Iterator<Item = &'r Rule>) -> Option<Rule> {
    let mut apart: Vec<&Rule> = vec![];
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
    for (index, rule) in apart.iter().enumerate() {
        pieces.sql(if index > 0 { ") OR (" } else { "(" });
        pieces.rule(rule);
    }
    pieces.sql(")");
    let text = apart
        .iter()
        .map(|rule| format!("({})", rule.text))
        .collect::<Vec<_>>()
        .join(" OR ");
    Some(pieces.into_rule(SourceLocation {
        text: text.into(),
        ..first.source()
    }))
}

/// The aggregates over the rows of several grants: those that one of them allows, restricted by
/// each grant that does not list its rows. The largest minimum group size applies, so that no other
/// grant bypasses it; rows that are readable one by one do not count towards it.
fn aggregates(parts: &[Part<'_>]) -> Option<Aggregates> {
    let of = |part: &Part<'_>| part.select.aggregates.clone();
    let mut joined = parts.iter().filter_map(of).reduce(either)?;
    for aggregates in parts.iter().filter(|part| !part.lists()).filter_map(of) {
        joined = restricted(joined, aggregates);
    }
    let hides = |part: &Part<'_>| {
        part.select
            .aggregates
            .as_ref()
            .is_some_and(|aggregates| aggregates.min_group > 1)
    };
    let (bounded, free): (Vec<_>, Vec<_>) =
        parts.iter().partition(|part| hides(part) && !part.lists());
    // Rows are known if a grant shows every value that the grants with a minimum group size
    // aggregate.
    let knows = |part: &&&Part<'_>| {
        bounded
            .iter()
            .all(|bounded| shows_all_of(part.select, bounded.select))
    };
    let known = union(free.iter().filter(knows).map(|part| &part.select.rows));
    match known {
        _ if bounded.is_empty() => {}
        Some(rule) if rule.is_everything() => joined.min_group = 0,
        known => joined.known = known,
    }
    Some(joined)
}

/// Whether a grant shows unmasked every column that another grant reads.
fn shows_all_of(one: &Select, other: &Select) -> bool {
    let plain =
        |column: ColumnId| one.columns.contains(column) && !one.values.contains_key(&column);
    let read = other.columns.iter().all(plain);
    read && other
        .computed
        .iter()
        .all(|name| one.computed.contains(name))
}

/// The aggregates that both of two grants allow.
fn restricted(one: Aggregates, other: Aggregates) -> Aggregates {
    let functions = match (one.functions, other.functions) {
        (Some(some), Some(others)) => Some(
            some.into_iter()
                .filter(|function| others.contains(function))
                .collect(),
        ),
        (some, others) => some.or(others),
    };
    let columns = match (one.columns, other.columns) {
        (Some(some), Some(others)) => Some(
            some.iter()
                .filter(|column| others.contains(*column))
                .collect(),
        ),
        (some, others) => some.or(others),
    };
    Aggregates {
        count: one.count && other.count,
        functions,
        columns,
        ..one
    }
}

/// The aggregates that one of two grants allows. The larger minimum group size applies, so that the
/// other grant does not bypass it.
fn either(one: Aggregates, other: Aggregates) -> Aggregates {
    Aggregates {
        count: one.count || other.count,
        functions: both(one.functions, other.functions),
        columns: one.columns.zip(other.columns).map(|(mut columns, others)| {
            others.iter().for_each(|column| columns.insert(column));
            columns
        }),
        min_group: one.min_group.max(other.min_group),
        known: None,
    }
}

/// The union of two lists, where `None` is everything.
fn both<T: PartialEq>(one: Option<Vec<T>>, other: Option<Vec<T>>) -> Option<Vec<T>> {
    let (mut list, others) = one.zip(other)?;
    for item in others {
        if !list.contains(&item) {
            list.push(item);
        }
    }
    Some(list)
}

/// Builds `CASE WHEN rule THEN column WHEN rule THEN mask END`.
struct Cases<'n> {
    name: &'n str,
    branches: Vec<(Rule, Option<Rule>, ColumnId)>,
}

impl<'n> Cases<'n> {
    fn new(name: &'n str) -> Cases<'n> {
        Cases {
            name,
            branches: vec![],
        }
    }

    /// Adds a branch: in the rows of these grants, the mask or the stored value.
    fn when(&mut self, grants: &[&Select], mask: Option<&Rule>, column: ColumnId) {
        if self
            .branches
            .iter()
            .any(|(_, known, _)| known.as_ref() == mask && mask.is_some())
        {
            return;
        }
        let rows = union(grants.iter().map(|select| &select.rows));
        self.branches
            .extend(rows.map(|rows| (rows, mask.cloned(), column)));
    }

    /// The whole expression. If `complete`, the branches cover every row, so the last needs no
    /// condition.
    fn end(self, complete: bool) -> Rule {
        let mut pieces = Pieces::default();
        let mut text = String::new();
        let mut source = SourceLocation::default();
        let last = self.branches.len().saturating_sub(1);
        let alone = complete && last == 0;
        for (index, (rows, mask, column)) in self.branches.iter().enumerate() {
            let stored = Arc::<str>::from(self.name);
            let value = mask.as_ref().map_or(&stored, |mask| &mask.text);
            let from = mask.as_ref().unwrap_or(rows);
            if source.line == 0 || mask.is_some() {
                source = from.source();
            }
            if !alone {
                if complete && index == last {
                    pieces.sql(" ELSE ");
                } else {
                    pieces.sql(if index == 0 { "CASE WHEN (" } else { " WHEN (" });
                    pieces.rule(rows);
                    pieces.sql(") THEN ");
                }
                let condition = if complete && index == last {
                    " ELSE ".to_owned()
                } else {
                    format!(
                        "{} WHEN {} THEN ",
                        if index == 0 { "CASE" } else { "" },
                        rows.text
                    )
                };
                text.push_str(&condition);
            }
            text.push_str(value);
            match mask {
                Some(mask) => pieces.rule(mask),
                None => pieces.list.push(RuleFragment::Column(*column)),
            }
        }
        if !alone {
            pieces.sql(" END");
            text.push_str(" END");
        }
        pieces.into_rule(SourceLocation {
            text: text.into(),
            ..source
        })
    }
}

/// Fragments of a rule; adjacent texts are joined.
#[derive(Default)]
struct Pieces {
    list: Vec<RuleFragment>,
    reads: RuleDependencies,
}

impl Pieces {
    fn sql(&mut self, text: &str) {
        match self.list.last_mut() {
            Some(RuleFragment::Sql(last)) => last.push_str(text),
            _ => self.list.push(RuleFragment::Sql(text.to_owned())),
        }
    }

    fn rule(&mut self, rule: &Rule) {
        self.reads = std::mem::take(&mut self.reads).union(rule.reads.clone());
        for piece in rule.pieces.iter() {
            match piece {
                RuleFragment::Sql(text) => self.sql(text),
                other => self.list.push(other.clone()),
            }
        }
    }

    /// Builds the rule of these fragments, with the location that explanations show for it.
    fn into_rule(self, source: SourceLocation) -> Rule {
        let SourceLocation { file, line, text } = source;
        let pieces = self.list.into();
        let conjuncts = Arc::default();
        Rule::new(
            RuleExpression {
                pieces,
                file,
                text,
                reads: self.reads,
                membership: None,
                conjuncts,
            },
            line,
        )
    }
}

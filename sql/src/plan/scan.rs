//! The gate: a table enters a plan through [`Scan::open`], a column through [`Scan::column`]. What is opened to be
//! written is in [`target`], the rows that a mutation has written in [`written`].

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::rc::Rc;

use super::Call;
use crate::model::Relation;
use crate::model::access::{Access, Purpose, Rule, Select, SourceLocation};
use crate::postgres::catalog::{Catalog, ColumnId, Oid, StoredWidth, Table, TableId, TableKind};

mod target;
mod written;

pub use target::{Action, free_name};
pub use written::{Event, Returned, TransferredKey, TransferredRows, WrittenRows};

/// The type `boolean`, whose OID is fixed.
const BOOLEAN: Oid = 16;

/// A table reference, with the row rule of the role inside.
#[derive(Clone, Debug)]
pub struct Scan<'m> {
    alias: u32,
    id: TableId,
    table: &'m Table,
    catalog: &'m Catalog,
    origin: ScanSource<'m>,
    rule: &'m Rule,
    readable: Option<&'m Rule>,
    grant: &'m Select,
    used: Rc<RefCell<BTreeSet<ColumnId>>>,
    shown: Rc<RefCell<BTreeSet<ColumnId>>>,
    whole: Rc<Cell<bool>>,
}

/// Where the rows of a scan come from.
#[derive(Clone, Debug)]
pub enum ScanSource<'m> {
    /// The table itself.
    Table,
    /// A function that returns rows of it.
    Call(Rc<Call<'m>>),
    /// These parts of the same statement, which have written the rows.
    Written(Vec<u32>),
    /// The table, as far as its rows have one of the keys that an earlier statement handed over, in the order of those.
    Keyed(Vec<TransferredKey<'m>>),
    /// Whole rows that an earlier statement handed over in the setting of that number, in their order.
    Handed(u32),
}

/// A whole row of a scan, as it is passed to a function. It may hold columns that the role may not read: what the
/// function tells of them is what the grant to use it means.
#[derive(Clone, Debug)]
pub struct Row<'m> {
    /// The number of its scan.
    pub alias: u32,
    /// Its table.
    pub table: &'m Table,
}

/// A column of an opened scan.
#[derive(Clone, Debug)]
pub struct Column<'m> {
    alias: u32,
    value: Value<'m>,
    r#type: Oid,
    raises: bool,
    width: StoredWidth,
}

/// The least number of rows that an aggregate tells of.
#[derive(Clone, Debug)]
pub struct LeastGroup<'m> {
    /// The number.
    pub rows: u32,
    /// A condition on the rows that do not count.
    pub known: Option<Column<'m>>,
}

/// What a column is to the role.
#[derive(Clone, Debug)]
pub enum Value<'m> {
    /// What is stored, by the column's name.
    Stored(&'m str),
    /// An expression over the row that stands for it. Its own columns are noted as used by the scan.
    Rule(&'m Table, &'m Rule),
    /// What a function returns for the row.
    Call(Rc<Call<'m>>),
}

/// The role may not read the table or the column. A resolved selection never asks for such; this is the last door.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a plan asked for a table or column that is not granted")]
pub struct Denied;

impl<'m> Scan<'m> {
    /// Opens a table for reading.
    pub fn open(access: &'m Access, table: TableId, purpose: Purpose, alias: u32) -> Result<Scan<'m>, Denied> {
        match access.model().table(table).kind {
            TableKind::Result => Err(Denied),
            _ => Scan::from(access, table, purpose, alias, ScanSource::Table),
        }
    }

    /// Opens the rows of a table that a function returns. The function was granted; its rows are under the table's
    /// own grant.
    pub fn over(
        access: &'m Access,
        table: TableId,
        purpose: Purpose,
        alias: u32,
        call: Rc<Call<'m>>,
    ) -> Result<Scan<'m>, Denied> {
        Scan::from(access, table, purpose, alias, ScanSource::Call(call))
    }

    fn from(
        access: &'m Access,
        id: TableId,
        purpose: Purpose,
        alias: u32,
        origin: ScanSource<'m>,
    ) -> Result<Scan<'m>, Denied> {
        let grant = access.read(id, purpose).ok_or(Denied)?;
        Ok(Scan::new(access, id, alias, origin, grant, &grant.rows))
    }

    fn new(
        access: &'m Access,
        id: TableId,
        alias: u32,
        origin: ScanSource<'m>,
        grant: &'m Select,
        rule: &'m Rule,
    ) -> Scan<'m> {
        Scan {
            alias,
            id,
            table: access.model().table(id),
            catalog: access.model().catalog(),
            origin,
            rule,
            readable: None,
            grant,
            used: Rc::default(),
            shown: Rc::default(),
            whole: Rc::default(),
        }
    }

    /// A granted column, for whatever purpose: output, filter, order, aggregate.
    pub fn column(&self, column: ColumnId) -> Result<Column<'m>, Denied> {
        if !self.grant.columns.contains(column) {
            return Err(Denied);
        }
        Ok(match self.grant.values.get(&column) {
            Some(rule) => self.value(column, rule),
            None => self.reference(column),
        })
    }

    /// What stands for a column. Outside a fence it is computed from the columns it reads, so those are exported.
    fn value(&self, id: ColumnId, rule: &'m Rule) -> Column<'m> {
        self.shown.borrow_mut().insert(id);
        let r#type = self.table.column(id).r#type;
        Column { r#type, raises: self.filters_rows(), ..self.expression(rule) }
    }

    /// Whether a relation leads anywhere from the row, where that depends on the row: a condition of the file like the
    /// row rule, so it stands wherever the relation is followed.
    pub(super) fn relation_condition(&self, relation: &Relation) -> Option<Column<'m>> {
        self.grant.relation_rule(&relation.name).map(|rule| self.expression(rule))
    }

    /// The rows on which a computed field of that name is there, where these are not all: those of the grants that list
    /// it, or of those that reach what it returns.
    pub(super) fn computed_condition(&self, computed: &str) -> Option<Column<'m>> {
        let listed = self.grant.computed_rows.get(computed).map(AsRef::as_ref);
        listed.or_else(|| self.grant.relation_rule(computed)).map(|rule| self.expression(rule))
    }

    /// A rule over the row, as a column; one that is true or false unless the caller knows better.
    fn expression(&self, rule: &'m Rule) -> Column<'m> {
        self.used.borrow_mut().extend(rule.columns());
        let value = Value::Rule(self.table, rule);
        Column { alias: self.alias, value, r#type: BOOLEAN, raises: false, width: StoredWidth::Unbounded }
    }

    /// A column that a relation joins by; the relation's own grant is what matters, not the column's.
    pub(super) fn key(&self, column: ColumnId) -> Column<'m> {
        self.reference(column)
    }

    fn reference(&self, id: ColumnId) -> Column<'m> {
        self.used.borrow_mut().insert(id);
        let column = self.table.column(id);
        let raises = self.filters_rows() && !self.is_stored(id);
        let width = self.catalog.width(self.id, id);
        Column { alias: self.alias, value: Value::Stored(&column.name), r#type: column.r#type, raises, width }
    }

    /// Whether a column is read as it is stored. In a view it may be computed, and in a function that Postgres puts in.
    fn is_stored(&self, column: ColumnId) -> bool {
        match self.origin {
            ScanSource::Table | ScanSource::Keyed(_) => self.catalog.is_stored(self.id, column),
            ScanSource::Written(_) | ScanSource::Handed(_) => true,
            ScanSource::Call(_) => false,
        }
    }

    /// The whole row, for a function that was granted. Outside a fence it is passed on, so it is exported.
    pub(super) fn whole_row(&self) -> Row<'m> {
        self.whole.set(true);
        Row { alias: self.alias, table: self.table }
    }

    /// The whole row, when some function takes it.
    pub fn exported_row(&self) -> Option<Row<'m>> {
        self.whole.get().then_some(Row { alias: self.alias, table: self.table })
    }

    /// Where its rows come from.
    pub fn origin(&self) -> &ScanSource<'m> {
        &self.origin
    }

    /// Whether its rows come from a function of a row that a rule may hide.
    pub fn calls_on_hidden(&self) -> bool {
        matches!(&self.origin, ScanSource::Call(call) if call.raises)
    }

    /// Whether the rules hide rows.
    pub fn filters_rows(&self) -> bool {
        !self.rule.is_everything() || self.readable.is_some()
    }

    /// The grant by which its rows are read.
    pub(super) fn grant(&self) -> &'m Select {
        self.grant
    }

    /// The least number of rows that an aggregate over the scan tells of, where there is a bound.
    pub(super) fn least_group(&self) -> Option<LeastGroup<'m>> {
        let aggregates = self.grant.aggregates.as_ref().filter(|aggregates| aggregates.min_group > 1)?;
        let known = aggregates.known.as_deref().map(|rule| self.expression(rule));
        Some(LeastGroup { rows: aggregates.min_group, known })
    }

    /// Its number in the statement.
    pub fn alias(&self) -> u32 {
        self.alias
    }

    /// The catalog's id of the table.
    pub fn id(&self) -> TableId {
        self.id
    }

    /// The table.
    pub fn table(&self) -> &'m Table {
        self.table
    }

    /// The row rule.
    pub fn rule(&self) -> &'m Rule {
        self.rule
    }

    /// Of rows that are opened to be written, the rule for reading them, where it stands beside the row rule.
    pub fn readable(&self) -> Option<&'m Rule> {
        self.readable
    }

    /// The rules that rows have to pass, those left out that all rows pass.
    pub fn rules(&self) -> impl Iterator<Item = &'m Rule> {
        let rule = Some(self.rule).filter(|rule| !rule.is_everything());
        rule.into_iter().chain(self.readable)
    }

    /// Whether a column that was asked for is computed when a row is read, and the rule hides rows. In a plain outer join
    /// Postgres computes it as early as it can, which may be before it looks at the rule. To be asked of a whole plan.
    pub fn has_computed_columns(&self) -> bool {
        let asked = |column: &ColumnId| self.whole.get() || self.used.borrow().contains(column);
        self.filters_rows() && self.table.column_ids().any(|(column, _)| asked(&column) && !self.is_stored(column))
    }

    /// What stood for columns that were asked for, by their names: masks and cells, where they were written.
    pub fn replaced_columns(&self) -> Vec<(&'m str, &'m SourceLocation)> {
        let shown = self.shown.borrow();
        let sources = shown.iter().filter_map(|id| Some((*id, &self.grant.values.get(id)?.source)));
        sources.map(|(id, source)| (self.table.column(id).name.as_str(), source)).collect()
    }

    /// The names of the columns that were asked for, in the table's order.
    pub fn used_columns(&self) -> Vec<&'m str> {
        self.used.borrow().iter().map(|column| self.table.column(*column).name.as_str()).collect()
    }
}

impl Row<'_> {
    /// The name under which a subquery passes the row on: one that no column has.
    pub fn name(&self) -> String {
        free_name(self.table, "_row")
    }
}

impl<'m> Column<'m> {
    /// What a function returns.
    pub(super) fn called(call: Rc<Call<'m>>, alias: u32, r#type: Oid) -> Column<'m> {
        let raises = call.raises;
        Column { alias, value: Value::Call(call), r#type, raises, width: StoredWidth::Unbounded }
    }

    /// The number of its scan.
    pub fn alias(&self) -> u32 {
        self.alias
    }

    /// What it is to the role.
    pub fn value(&self) -> &Value<'m> {
        &self.value
    }

    /// Its type.
    pub fn r#type(&self) -> Oid {
        self.r#type
    }

    /// Whether reading it on a row that the rule hides may raise.
    pub fn raises(&self) -> bool {
        self.raises
    }

    /// How long its stored values can be.
    pub fn width(&self) -> StoredWidth {
        self.width
    }
}

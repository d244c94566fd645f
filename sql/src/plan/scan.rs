//! Table references that enforce permissions: a table enters a plan through [`Scan::open`], a
//! column through [`Scan::column`]. Both fail with [`Denied`] if the role has no grant.
//!
//! [`target`] opens tables whose rows are written, and [`written`] opens the rows that a mutation
//! has written.
//!
//! The row rule is inside the table reference, so output, filters, orders and aggregates see
//! permitted rows only, and so do conditions across relations. [`Scan::column`] returns a mask, or
//! the expression of an inherited cell, in place of the stored column, for every use of the column.
//! Such an expression may raise, so conditions on it stand outside the fence.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::rc::Rc;

use crate::model::Relation;
use crate::model::access::{Access, Purpose, Rule, Select, SourceLocation};
use crate::postgres::catalog::{
    Catalog, ColumnId, Function as Routine, Oid, StoredWidth, Table, TableId, TableKind,
};
use crate::statement::Parameter;

mod target;
mod written;

pub use target::Action;
pub use written::{Event, Returned, TransferredRows, WrittenRows};

/// The type `boolean`, whose OID is fixed.
const BOOLEAN: Oid = 16;

/// A table reference that includes the role's row rule.
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
    path: Rc<str>,
}

/// Where the rows of a scan come from.
#[derive(Clone, Debug)]
pub enum ScanSource<'m> {
    /// The stored rows of the table.
    Table,
    /// The rows of the table's type that a function returns.
    Call(Rc<Call<'m>>),
    /// Rows that CTEs of the same statement have written, by the numbers of those CTEs.
    Written(Vec<u32>),
    /// Rows of the table whose key is among those that an earlier statement transferred, in the
    /// order of those keys.
    Keyed(Vec<TransferredKey<'m>>),
    /// Whole rows that an earlier statement saved in the setting of that number, in their order.
    Transferred(u32),
}

/// A call of a database function.
#[derive(Clone, Debug)]
pub struct Call<'m> {
    /// The function.
    pub function: &'m Routine,
    /// The arguments passed to it.
    pub arguments: Vec<Argument<'m>>,
    /// The condition on the row under which the role may call the function; none if it may on all
    /// rows. A role that inherits may have one.
    pub only: Option<Column<'m>>,
    /// Whether a row is passed that the row rule may hide, on which the function may raise.
    pub raises: bool,
    /// Whether it returns one row of a named type, or null.
    pub is_single_row: bool,
}

/// An argument of a call.
#[derive(Clone, Debug)]
pub struct Argument<'m> {
    /// Its position among the function's arguments.
    pub index: usize,
    /// Its name, used for named notation when an argument before it is left out.
    pub name: Option<&'m str>,
    /// Whether it is the array of a `VARIADIC` parameter.
    pub variadic: bool,
    /// Its value.
    pub passed: ArgumentValue<'m>,
}

/// The value of an argument.
#[derive(Clone, Debug)]
pub enum ArgumentValue<'m> {
    /// A parameter of that type.
    Parameter(Parameter, Oid),
    /// The caller's session values, as `json` or `jsonb`.
    Session(Oid),
    /// A whole row.
    Row(Row<'m>),
}

/// A column of transferred keys.
#[derive(Clone, Debug)]
pub struct TransferredKey<'m> {
    /// The number of the setting that contains the keys.
    pub setting: u32,
    /// The column.
    pub name: &'m str,
    /// Its type.
    pub r#type: Oid,
}

/// A whole row of a scan, passed to a function. It may contain columns that the role may not read:
/// a grant to use the function includes what the function reveals about them.
#[derive(Clone, Debug)]
pub struct Row<'m> {
    /// The alias of its scan.
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

/// The least number of rows that an aggregate may be returned for, so that it reveals no single
/// row.
#[derive(Clone, Debug)]
pub struct LeastGroup<'m> {
    /// The number.
    pub rows: u32,
    /// A condition for rows that do not count, because the role can read them one by one anyway.
    pub known: Option<Column<'m>>,
}

/// How a column's value is computed for the role.
#[derive(Clone, Debug)]
pub enum Value<'m> {
    /// The stored value, by the column's name.
    Stored(&'m str),
    /// An expression over the row in place of the column. The scan records the columns that it
    /// reads as used.
    Rule(&'m Table, &'m Rule),
    /// The result of a function for the row.
    Call(Rc<Call<'m>>),
}

/// The role may not read the table or the column. Resolving never selects such a one; this check is
/// the last line of defense.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a plan asked for a table or column that is not granted")]
pub struct Denied;

impl<'m> Scan<'m> {
    /// Opens a table for reading.
    pub fn open(
        access: &'m Access,
        table: TableId,
        purpose: Purpose,
        alias: u32,
    ) -> Result<Scan<'m>, Denied> {
        match access.model().table(table).kind {
            TableKind::Result => Err(Denied),
            _ => Scan::from(access, table, purpose, alias, ScanSource::Table),
        }
    }

    /// Opens the rows of a table's type that a function returns. The function is granted by itself;
    /// its rows are subject to the table's grant.
    pub fn open_call(
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
            path: "".into(),
        }
    }

    /// The scan with the response keys to the field that reads it, for reports.
    pub(super) fn with_path(self, path: Rc<str>) -> Scan<'m> {
        Scan { path, ..self }
    }

    /// The response keys to the field that reads it; empty if it is not known.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// A granted column, for any use: output, filter, order, aggregate.
    pub fn column(&self, column: ColumnId) -> Result<Column<'m>, Denied> {
        if !self.grant.columns.contains(column) {
            return Err(Denied);
        }
        Ok(match self.grant.values.get(&column) {
            Some(rule) => self.value(column, rule),
            None => self.reference(column),
        })
    }

    /// The expression in place of a column. Outside a fence it is computed from the columns that it
    /// reads, so the fence exports those.
    fn value(&self, id: ColumnId, rule: &'m Rule) -> Column<'m> {
        self.shown.borrow_mut().insert(id);
        let r#type = self.table.column(id).r#type;
        Column {
            r#type,
            raises: self.filters_rows(),
            ..self.expression(rule)
        }
    }

    /// The condition under which a relation may be followed from the row, if it depends on the row.
    /// It comes from the permission file like the row rule, so it is added wherever the relation is
    /// followed.
    pub(super) fn relation_condition(&self, relation: &Relation) -> Option<Column<'m>> {
        self.grant
            .relation_rule(&relation.name)
            .map(|rule| self.expression(rule))
    }

    /// The condition on rows that have a computed field of that name, where not all have it: the
    /// rows of the grants that list the field, or of those that grant the relation to the table it
    /// returns.
    pub(super) fn computed_condition(&self, computed: &str) -> Option<Column<'m>> {
        let listed = self.grant.computed_rows.get(computed);
        listed
            .or_else(|| self.grant.relation_rule(computed))
            .map(|rule| self.expression(rule))
    }

    /// A rule over the row, as a boolean column; the caller sets another type where the rule has
    /// one.
    fn expression(&self, rule: &'m Rule) -> Column<'m> {
        self.used.borrow_mut().extend(rule.columns());
        let value = Value::Rule(self.table, rule);
        Column {
            alias: self.alias,
            value,
            r#type: BOOLEAN,
            raises: false,
            width: StoredWidth::Unbounded,
        }
    }

    /// A column that a relation joins by. The grant of the relation decides, not that of the
    /// column.
    pub(super) fn key(&self, column: ColumnId) -> Column<'m> {
        self.reference(column)
    }

    fn reference(&self, id: ColumnId) -> Column<'m> {
        self.used.borrow_mut().insert(id);
        let column = self.table.column(id);
        let raises = self.filters_rows() && !self.is_stored(id);
        let width = self.catalog.width(self.id, id);
        Column {
            alias: self.alias,
            value: Value::Stored(&column.name),
            r#type: column.r#type,
            raises,
            width,
        }
    }

    /// Whether a column is read as stored. A view may compute it, and so may a function that
    /// Postgres inlines.
    fn is_stored(&self, column: ColumnId) -> bool {
        match self.origin {
            ScanSource::Table | ScanSource::Keyed(_) => self.catalog.is_stored(self.id, column),
            ScanSource::Written(_) | ScanSource::Transferred(_) => true,
            ScanSource::Call(_) => false,
        }
    }

    /// The whole row, for a function that is granted. A call outside a fence needs it, so the fence
    /// exports it.
    pub(super) fn whole_row(&self) -> Row<'m> {
        self.whole.set(true);
        Row {
            alias: self.alias,
            table: self.table,
        }
    }

    /// The whole row, if a function takes it.
    pub fn exported_row(&self) -> Option<Row<'m>> {
        self.whole.get().then_some(Row {
            alias: self.alias,
            table: self.table,
        })
    }

    /// Where its rows come from.
    pub fn origin(&self) -> &ScanSource<'m> {
        &self.origin
    }

    /// Whether the rules hide rows.
    pub fn filters_rows(&self) -> bool {
        !self.rule.is_everything() || self.readable.is_some()
    }

    /// Whether rows may be stored that the role does not see: its rule hides them, a policy of the
    /// table does, or the definition of a view.
    pub fn may_hide_rows(&self) -> bool {
        let has_all_rows = matches!(
            self.table.kind,
            TableKind::Table | TableKind::Partitioned | TableKind::Materialized
        );
        self.filters_rows()
            || self.table.row_security
            || self.table.policies
            || !has_all_rows
            || !matches!(self.origin, ScanSource::Table)
    }

    /// The grant under which its rows are read.
    pub(super) fn grant(&self) -> &'m Select {
        self.grant
    }

    /// The least number of rows that an aggregate over the scan may be returned for, if the grant
    /// sets one.
    pub(super) fn least_group(&self) -> Option<LeastGroup<'m>> {
        let aggregates = self
            .grant
            .aggregates
            .as_ref()
            .filter(|aggregates| aggregates.min_group > 1)?;
        let known = aggregates.known.as_ref().map(|rule| self.expression(rule));
        Some(LeastGroup {
            rows: aggregates.min_group,
            known,
        })
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

    /// For rows opened to be written, the rule for reading them, where it applies beside the row
    /// rule.
    pub fn readable(&self) -> Option<&'m Rule> {
        self.readable
    }

    /// The rules that rows have to pass, without those that every row passes.
    pub fn rules(&self) -> impl Iterator<Item = &'m Rule> {
        let rule = Some(self.rule).filter(|rule| !rule.is_everything());
        rule.into_iter().chain(self.readable)
    }

    /// Whether a used column is computed when a row is read, and the rule hides rows. In a plain
    /// outer join Postgres computes it as early as it can, which may be before it evaluates the
    /// rule. Valid once the whole plan is built.
    pub fn has_computed_columns(&self) -> bool {
        let is_used = |column: &ColumnId| self.whole.get() || self.used.borrow().contains(column);
        self.filters_rows()
            && self
                .table
                .column_ids()
                .any(|(column, _)| is_used(&column) && !self.is_stored(column))
    }

    /// The columns that a mask or cell rule replaces, by name, with where the permission file
    /// defines it.
    pub fn replaced_columns(&self) -> Vec<(&'m str, SourceLocation)> {
        let shown = self.shown.borrow();
        let sources = shown
            .iter()
            .filter_map(|id| Some((*id, self.grant.values.get(id)?.source())));
        sources
            .map(|(id, source)| (self.table.column(id).name.as_str(), source))
            .collect()
    }

    /// The names of the used columns, in the table's order.
    pub fn used_columns(&self) -> Vec<&'m str> {
        self.used
            .borrow()
            .iter()
            .map(|column| self.table.column(*column).name.as_str())
            .collect()
    }
}

impl Row<'_> {
    /// The name under which a subquery exports the row: one that no column has.
    pub fn name(&self) -> String {
        free_name(self.table, "_row")
    }
}

impl<'m> Column<'m> {
    /// The result of a function as a column.
    pub(super) fn called(call: Rc<Call<'m>>, alias: u32, r#type: Oid) -> Column<'m> {
        let raises = call.raises;
        Column {
            alias,
            value: Value::Call(call),
            r#type,
            raises,
            width: StoredWidth::Unbounded,
        }
    }

    /// The alias of its scan.
    pub fn alias(&self) -> u32 {
        self.alias
    }

    /// How its value is computed for the role.
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

    /// The length that its stored values can have.
    pub fn width(&self) -> StoredWidth {
        self.width
    }
}

/// The wanted name, with underscores appended until no column of the table has it.
pub fn free_name(table: &Table, wanted: &str) -> String {
    let mut name = wanted.to_owned();
    while table.find(&name).is_some() {
        name.push('_');
    }
    name
}

//! Rows that a mutation has written: as parts of the same statement return them, and as an earlier statement of the
//! transaction has handed them over.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::rc::Rc;

use super::{Column, Denied, Row, Scan, ScanSource, free_name};
use crate::model::access::{Access, Purpose};
use crate::postgres::catalog::{ColumnId, Oid, Table, TableId};

/// What happens to rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// They are inserted, or updated because they were there.
    Insert,
    /// They are updated.
    Update,
    /// They are deleted.
    Delete,
}

/// Rows of one table that parts of a statement write. What scans over them ask for is what the parts return.
#[derive(Clone, Debug)]
pub struct WrittenRows {
    table: TableId,
    event: Event,
    parts: Vec<u32>,
    used: Rc<RefCell<BTreeSet<ColumnId>>>,
    whole: Rc<Cell<bool>>,
}

/// What a part of a statement returns of the rows that it writes.
#[derive(Clone, Debug)]
pub struct Returned<'m> {
    table: &'m Table,
    used: Rc<RefCell<BTreeSet<ColumnId>>>,
    whole: Rc<Cell<bool>>,
}

/// Rows that a statement has handed over to further ones of the transaction.
#[derive(Clone, Debug)]
pub enum TransferredRows<'m> {
    /// Their keys; the rows are read again, under the row rule.
    Keys(TableId, Vec<TransferredKey<'m>>),
    /// The rows themselves, in the setting of that number; the row rule is still to be asked.
    Rows(TableId, u32),
    /// The rows that have passed the row rule already, before they were deleted.
    Judged(TableId, u32),
}

/// A column of keys that were handed over.
#[derive(Clone, Debug)]
pub struct TransferredKey<'m> {
    /// The number of the setting that holds the keys.
    pub setting: u32,
    /// The column.
    pub name: &'m str,
    /// Its type.
    pub r#type: Oid,
}

impl Event {
    /// Whether row triggers fire before it, by the bits of [`Table::triggers`].
    pub fn changes(self, table: &Table) -> bool {
        table.triggers & self.bit() != 0
    }

    /// Whether triggers fire after it, or before the statement.
    pub fn stirs(self, table: &Table) -> bool {
        table.triggers & (self.bit() << 3) != 0
    }

    /// An insert may become an update.
    fn bit(self) -> u32 {
        match self {
            Event::Insert => 1 | 2,
            Event::Update => 2,
            Event::Delete => 4,
        }
    }
}

impl WrittenRows {
    /// Rows of a table that parts to be added write.
    pub fn new(table: TableId, event: Event) -> WrittenRows {
        WrittenRows { table, event, parts: Vec::new(), used: Rc::default(), whole: Rc::default() }
    }

    /// Adds the part of that number; says what it returns.
    pub fn part<'m>(&mut self, access: &'m Access, number: u32) -> Returned<'m> {
        self.parts.push(number);
        let table = access.model().table(self.table);
        Returned { table, used: self.used.clone(), whole: self.whole.clone() }
    }

    /// The table.
    pub fn table(&self) -> TableId {
        self.table
    }

    /// What happens to the rows.
    pub fn event(&self) -> Event {
        self.event
    }

    /// The numbers of the parts.
    pub fn parts(&self) -> &[u32] {
        &self.parts
    }

    /// The rows as they are, for a statement that hands them over.
    pub(in crate::plan) fn mark_whole(&self) {
        self.whole.set(true);
    }

    /// A column that a statement hands over to the next, or that a relation joins by: nobody is shown it.
    pub(in crate::plan) fn key(&self, column: ColumnId) {
        self.used.borrow_mut().insert(column);
    }
}

impl<'m> Returned<'m> {
    /// The table.
    pub fn table(&self) -> &'m Table {
        self.table
    }

    /// The names of the columns that are asked for, in the table's order.
    pub fn used_columns(&self) -> Vec<&'m str> {
        self.used.borrow().iter().map(|column| self.table.column(*column).name.as_str()).collect()
    }

    /// The whole row under that alias, when some scan asks for it.
    pub fn row(&self, alias: u32) -> Option<Row<'m>> {
        self.whole.get().then_some(Row { alias, table: self.table })
    }
}

impl<'m> Scan<'m> {
    /// Opens rows that parts of the same statement have written, for reading.
    pub fn written(access: &'m Access, written: &WrittenRows, alias: u32) -> Result<Scan<'m>, Denied> {
        let scan = Scan::from(access, written.table, Purpose::Rows, alias, ScanSource::Written(written.parts.clone()))?;
        let scan = Scan { used: written.used.clone(), whole: written.whole.clone(), ..scan };
        scan.use_rule();
        Ok(scan)
    }

    /// Opens rows that an earlier statement has handed over, for reading.
    pub fn handed(access: &'m Access, handed: &TransferredRows<'m>, alias: u32) -> Result<Scan<'m>, Denied> {
        let scan = match handed {
            TransferredRows::Keys(table, keys) => {
                Scan::from(access, *table, Purpose::Rows, alias, ScanSource::Keyed(keys.clone()))?
            }
            TransferredRows::Rows(table, setting) => {
                Scan::from(access, *table, Purpose::Rows, alias, ScanSource::Handed(*setting))?
            }
            TransferredRows::Judged(table, setting) => {
                let scan = Scan::from(access, *table, Purpose::Rows, alias, ScanSource::Handed(*setting))?;
                Scan { rule: &access.nothing().rows, ..scan }
            }
        };
        scan.use_rule();
        Ok(scan)
    }

    /// Whether the row is seen at all: the row rule, as a column.
    pub(in crate::plan) fn seen(&self) -> Column<'m> {
        self.expression(self.rule)
    }

    /// Notes the columns of the row rule as used: it stands outside what the rows come out of.
    fn use_rule(&self) {
        self.used.borrow_mut().extend(self.rule.columns());
    }

    /// Whether its rows always come out of a subquery or a part, whole rows as a column.
    pub fn is_derived(&self) -> bool {
        matches!(self.origin, ScanSource::Written(_) | ScanSource::Keyed(_) | ScanSource::Handed(_))
    }

    /// The column that says which row comes first, where the rows were handed over.
    pub fn place(&self) -> Option<String> {
        let handed = matches!(self.origin, ScanSource::Keyed(_) | ScanSource::Handed(_));
        handed.then(|| free_name(self.table, "_place"))
    }
}

//! Rows that a mutation has written, opened for reading. They are either returned by CTEs of the
//! same statement or transferred by an earlier statement of the transaction, in a setting.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;
use std::rc::Rc;

use super::{Column, Denied, Row, Scan, ScanSource, free_name};
use crate::model::access::{Access, Purpose};
use crate::plan::TransferredKey;
use crate::postgres::catalog::{ColumnId, Table, TableId};

/// The kind of write, which decides the triggers that fire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Event {
    /// The rows are inserted, or updated by `ON CONFLICT`.
    Insert,
    /// The rows are updated.
    Update,
    /// The rows are deleted.
    Delete,
}

/// Rows of one table that CTEs of a statement write. The CTEs return the columns that scans over
/// these rows use.
#[derive(Clone, Debug)]
pub struct WrittenRows {
    table: TableId,
    event: Event,
    parts: Vec<u32>,
    used: Rc<RefCell<BTreeSet<ColumnId>>>,
    whole: Rc<Cell<bool>>,
}

/// The columns that a writing CTE returns.
#[derive(Clone, Debug)]
pub struct Returned<'m> {
    table: &'m Table,
    used: Rc<RefCell<BTreeSet<ColumnId>>>,
    whole: Rc<Cell<bool>>,
}

/// Rows that an earlier statement of the transaction transferred to later ones.
#[derive(Clone, Debug)]
pub enum TransferredRows<'m> {
    /// Their keys. The rows are read again, under the row rule.
    Keys(TableId, Vec<TransferredKey<'m>>),
    /// Whole rows, in the setting of that number. The row rule is still to be applied.
    Rows(TableId, u32),
    /// Whole rows, in the setting of that number, that passed the row rule before they were
    /// deleted.
    Judged(TableId, u32),
}

impl Event {
    /// Whether row triggers fire before the event, by the bits of [`Table::triggers`].
    pub fn changes(self, table: &Table) -> bool {
        table.triggers & self.bit() != 0
    }

    /// Whether triggers fire after the event, or before the statement.
    pub fn stirs(self, table: &Table) -> bool {
        table.triggers & (self.bit() << 3) != 0
    }

    /// The trigger bits of the event. An insert may become an update, so it has both bits.
    fn bit(self) -> u32 {
        match self {
            Event::Insert => 1 | 2,
            Event::Update => 2,
            Event::Delete => 4,
        }
    }
}

impl WrittenRows {
    /// Rows of a table, without CTEs yet; [`WrittenRows::part`] adds them.
    pub fn new(table: TableId, event: Event) -> WrittenRows {
        WrittenRows {
            table,
            event,
            parts: Vec::new(),
            used: Rc::default(),
            whole: Rc::default(),
        }
    }

    /// Adds the CTE of that number, and returns the columns that it has to return.
    pub fn part<'m>(&mut self, access: &'m Access, number: u32) -> Returned<'m> {
        self.parts.push(number);
        let table = access.model().table(self.table);
        Returned {
            table,
            used: self.used.clone(),
            whole: self.whole.clone(),
        }
    }

    /// The table.
    pub fn table(&self) -> TableId {
        self.table
    }

    /// The kind of write.
    pub fn event(&self) -> Event {
        self.event
    }

    /// The numbers of the CTEs.
    pub fn parts(&self) -> &[u32] {
        &self.parts
    }

    /// Makes the CTEs return whole rows, for a statement that transfers them.
    pub(in crate::plan) fn mark_whole(&self) {
        self.whole.set(true);
    }

    /// Makes the CTEs return a column that a statement transfers, or that a relation joins by.
    /// Clients do not see it.
    pub(in crate::plan) fn key(&self, column: ColumnId) {
        self.used.borrow_mut().insert(column);
    }
}

impl<'m> Returned<'m> {
    /// The table.
    pub fn table(&self) -> &'m Table {
        self.table
    }

    /// The names of the used columns, in the table's order.
    pub fn used_columns(&self) -> Vec<&'m str> {
        self.used
            .borrow()
            .iter()
            .map(|column| self.table.column(*column).name.as_str())
            .collect()
    }

    /// The whole row under that alias, if a scan uses it.
    pub fn row(&self, alias: u32) -> Option<Row<'m>> {
        self.whole.get().then_some(Row {
            alias,
            table: self.table,
        })
    }
}

impl<'m> Scan<'m> {
    /// Opens rows that CTEs of the same statement have written, for reading.
    pub fn written(
        access: &'m Access,
        written: &WrittenRows,
        alias: u32,
    ) -> Result<Scan<'m>, Denied> {
        let scan = Scan::from(
            access,
            written.table,
            Purpose::Rows,
            alias,
            ScanSource::Written(written.parts.clone()),
        )?;
        let scan = Scan {
            used: written.used.clone(),
            whole: written.whole.clone(),
            ..scan
        };
        scan.use_rule();
        Ok(scan)
    }

    /// Opens rows that an earlier statement has transferred, for reading.
    pub fn from_transferred_rows(
        access: &'m Access,
        handed: &TransferredRows<'m>,
        alias: u32,
    ) -> Result<Scan<'m>, Denied> {
        let scan = match handed {
            TransferredRows::Keys(table, keys) => Scan::from(
                access,
                *table,
                Purpose::Rows,
                alias,
                ScanSource::Keyed(keys.clone()),
            )?,
            TransferredRows::Rows(table, setting) => Scan::from(
                access,
                *table,
                Purpose::Rows,
                alias,
                ScanSource::Transferred(*setting),
            )?,
            TransferredRows::Judged(table, setting) => {
                let scan = Scan::from(
                    access,
                    *table,
                    Purpose::Rows,
                    alias,
                    ScanSource::Transferred(*setting),
                )?;
                Scan {
                    rule: &access.nothing().rows,
                    ..scan
                }
            }
        };
        scan.use_rule();
        Ok(scan)
    }

    /// The row rule as a boolean column: whether the role may see the row.
    pub(in crate::plan) fn row_rule(&self) -> Column<'m> {
        self.expression(self.rule)
    }

    /// Marks the columns of the row rule as used, because the rule is evaluated outside the
    /// subquery or CTE that returns the rows.
    fn use_rule(&self) {
        self.used.borrow_mut().extend(self.rule.columns());
    }

    /// Whether its rows always come from a subquery or a CTE, which have the whole row as a column.
    pub fn is_derived(&self) -> bool {
        matches!(
            self.origin,
            ScanSource::Written(_) | ScanSource::Keyed(_) | ScanSource::Transferred(_)
        )
    }

    /// The column that has the position of a row, where the rows were transferred.
    pub fn ordinal_column(&self) -> Option<String> {
        let handed = matches!(
            self.origin,
            ScanSource::Keyed(_) | ScanSource::Transferred(_)
        );
        handed.then(|| free_name(self.table, "_place"))
    }
}

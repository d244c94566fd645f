//! Which changes replication reports: those of the tables in the publication, as long as the
//! catalog is the one that this was read from. Not reported are foreign and unlogged tables,
//! materialized views, changes of the schema, and whatever a function reads.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::{AtomicBool, Ordering};

use serde::Deserialize;
use sql::postgres::catalog::Oid;

use super::snapshot::Snapshot;
use crate::execute::dependencies::Dependencies;

/// The changes that a running replication reports.
#[derive(Debug)]
pub(super) struct Coverage {
    tables: PublishedTables,
    /// The next transaction id when the replication began. Earlier transactions may have been
    /// committed before it without being visible yet.
    began_at: u64,
    /// Whether all earlier transactions have ended.
    is_settled: AtomicBool,
}

/// The tables of the publication.
#[derive(Clone, Debug, Default, Deserialize)]
pub(super) struct PublishedTables {
    /// The OIDs of tables all of whose changes are reported, and of partitioned tables whose future
    /// partitions will be in the publication too.
    published: HashSet<Oid>,
    /// Of each table that inherits from others, the OIDs of these.
    parents: HashMap<Oid, Vec<Oid>>,
    /// A digest of the catalog, except for what changes with every write.
    pub(super) catalog: String,
}

impl PublishedTables {
    /// The tables that a table inherits from, and those that they inherit from.
    pub(super) fn parents(&self, table: Oid) -> Vec<Oid> {
        let mut found = self.parents.get(&table).cloned().unwrap_or_default();
        let mut at = 0;
        while let Some(parent) = found.get(at).copied() {
            let above = self.parents.get(&parent).into_iter().flatten();
            let above: Vec<Oid> = above
                .filter(|above| !found.contains(above))
                .copied()
                .collect();
            found.extend(above);
            at += 1;
        }
        found
    }

    /// Whether the table was in the publication when this was read.
    pub(super) fn contains(&self, table: Oid) -> bool {
        self.published.contains(&table)
    }
}

impl Coverage {
    pub(super) fn new(tables: PublishedTables, began_at: u64) -> Coverage {
        Coverage {
            tables,
            began_at,
            is_settled: AtomicBool::new(false),
        }
    }

    /// The same replication with the tables as they are now.
    pub(super) fn with_tables(&self, tables: PublishedTables) -> Coverage {
        Coverage {
            tables,
            began_at: self.began_at,
            is_settled: AtomicBool::new(self.is_settled()),
        }
    }

    /// Whether replication reports every change of a result that depends on this.
    pub(super) fn contains(&self, dependencies: &Dependencies) -> bool {
        self.is_settled()
            && !dependencies.reads_clock
            && dependencies
                .tables
                .keys()
                .all(|table| self.tables.contains(*table))
    }

    fn is_settled(&self) -> bool {
        self.is_settled.load(Ordering::Acquire)
    }

    /// Takes a snapshot that cohorts were woken with: if all transactions from before the
    /// replication have ended in it, no further one is needed.
    pub(super) fn settle(&self, snapshot: &str) {
        if Snapshot::parse(snapshot).is_some_and(|snapshot| snapshot.oldest >= self.began_at) {
            self.is_settled.store(true, Ordering::Release);
        }
    }
}

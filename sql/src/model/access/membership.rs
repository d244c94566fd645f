//! A row rule read as a membership: an `EXISTS` over one other table, whose columns equal columns of the row.
//!
//! Such a rule can be read from its other end: for each membership of the caller, the rows that belong to it. Whether a
//! plan does is for [`crate::plan`] to say.

use super::RuleFragment;
use crate::postgres::catalog::{Catalog, ColumnId, Index, Key, Oid, Table, TableId, TableKind, TypeKind};

/// A rule taken apart: `EXISTS (SELECT FROM members AS m WHERE m.group = group AND m.user = session.user) AND rest`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Membership {
    /// The table of the memberships.
    pub table: TableId,
    /// Columns of the row, and the columns of the membership that they equal.
    pub on: Vec<(ColumnId, ColumnId)>,
    /// Columns of the membership that equal one value each, of the session or written in the rule.
    pub fixed: Vec<ColumnId>,
    /// `"public"."members" AS "m"`
    pub from: String,
    /// What has to be true of a membership; it does not look at the row. None when nothing has to.
    pub conditions: Vec<RuleFragment>,
    /// What has to be true of a row beside a membership: that their columns are equal, and the rest of the rule.
    pub rows: Vec<RuleFragment>,
}

impl Membership {
    /// Whether a row meets one membership of the caller at most: a key of the table lies within the columns that equal
    /// columns of the row or one value. Rows of the table with a null in those equal nothing, so it does not matter that
    /// a key may hold them more than once. A key says nothing about tables that inherit; where there are such, the
    /// catalog tells no indexes.
    pub fn is_unique(&self, catalog: &Catalog) -> bool {
        let table = catalog.table(self.table);
        let bound = |name: &String| self.bound().any(|column| table.column(column).name == *name);
        let has = |key: &Key, index: &Index| index.columns.iter().map(|column| &*column.name).eq(&key.columns);
        // An index that serves the columns' order compares them as `=` does. It has to be the one that keeps them apart.
        let proves = |key: &Key| !key.declared && table.indexes.iter().any(|index| index.unique && has(key, index));
        matches!(table.kind, TableKind::Table | TableKind::Materialized)
            && table.keys.iter().any(|key| key.columns.iter().all(bound) && proves(key))
    }

    fn bound(&self) -> impl Iterator<Item = ColumnId> {
        self.on.iter().map(|(_, there)| *there).chain(self.fixed.iter().copied())
    }
}

impl Catalog {
    /// Whether a column equals one value of a type at most in the eyes of its keys: the comparison is that of the index.
    pub fn is_compared_alike(&self, table: &Table, column: ColumnId, other: Oid) -> bool {
        let column = table.column(column);
        let (Some(here), Some(there)) = (self.base_type(column.r#type), self.base_type(other)) else { return false };
        let plain = matches!(here.kind, TypeKind::Base) && here.schema == "pg_catalog" && here.ordered;
        let label = matches!(here.kind, TypeKind::Enum(_)) && column.r#type == here.oid && other == there.oid;
        let family = |name: &str| {
            match name {
                "int2" | "int4" | "int8" => "integer",
                "varchar" => "text",
                other => other,
            }
            .to_owned()
        };
        column.deterministic
            && (plain && family(&here.name) == family(&there.name) && there.schema == here.schema
                || label && here.oid == there.oid)
    }
}

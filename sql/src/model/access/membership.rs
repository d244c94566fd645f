//! A row rule decomposed into a membership: an `EXISTS` over one other table, whose columns equal
//! columns of the row.
//!
//! [`crate::plan`] may read such a rule from the other end: for each membership of the caller, the
//! rows that belong to it. The crate `permissions` decomposes the rules at load.

use super::Membership;
use crate::postgres::catalog::{Catalog, ColumnId, Index, Key, Oid, Table, TableKind, TypeKind};

impl Membership {
    /// Whether a row matches at most one membership of the caller: the columns of `on` and `fixed`
    /// contain a key of the table. A unique key may hold several rows with nulls, but nulls equal
    /// nothing and so match no row. A key does not cover tables that inherit; for tables with
    /// children the catalog lists no indexes.
    pub fn is_unique(&self, catalog: &Catalog) -> bool {
        let table = catalog.table(self.table);
        let bound = |name: &String| {
            self.bound()
                .any(|column| table.column(column).name == *name)
        };
        let has = |key: &Key, index: &Index| {
            index
                .columns
                .iter()
                .map(|column| &*column.name)
                .eq(&key.columns)
        };
        // The rule's `=` is that of the default btree operator class. Only a key backed by such an
        // index is unique under that `=`.
        let proves = |key: &Key| {
            !key.declared
                && table
                    .indexes
                    .iter()
                    .any(|index| index.unique && has(key, index))
        };
        matches!(table.kind, TableKind::Table | TableKind::Materialized)
            && table
                .keys
                .iter()
                .any(|key| key.columns.iter().all(bound) && proves(key))
    }

    fn bound(&self) -> impl Iterator<Item = ColumnId> {
        self.on
            .iter()
            .map(|(_, there)| *there)
            .chain(self.fixed.iter().copied())
    }
}

impl Catalog {
    /// Whether a comparison of the column with a value of type `other` uses the equality of the
    /// column's unique indexes.
    pub fn is_compared_alike(&self, table: &Table, column: ColumnId, other: Oid) -> bool {
        let column = table.column(column);
        let (Some(here), Some(there)) = (self.base_type(column.r#type), self.base_type(other))
        else {
            return false;
        };
        let plain =
            matches!(here.kind, TypeKind::Base) && here.schema == "pg_catalog" && here.ordered;
        let label = matches!(here.kind, TypeKind::Enum(_))
            && column.r#type == here.oid
            && other == there.oid;
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

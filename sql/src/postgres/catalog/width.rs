//! The maximum width of a column's stored values, from its type, declaration and indexes.
//!
//! The cost of a comparison depends on it: a long value is compressed or stored out of line
//! (TOAST), and reading it takes time that another session can measure.
//! <https://www.postgresql.org/docs/current/storage-toast.html>

use super::origins::MAX_VIEW_DEPTH;
use super::{
    Catalog, Column, ColumnId, ForeignKey, Oid, Table, TableId, TableKind, Type, TypeKind,
};

/// The maximum width of a column's stored values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoredWidth {
    /// Every value takes a few bytes, as for machine numbers and dates.
    Fixed,
    /// At most a few kilobytes: the declaration sets a small length, or a btree index contains the
    /// column, whose entries take at most a third of a page.
    Bounded,
    /// Any length; `=` compares lengths before it reads a value.
    Sized,
    /// Any length; every operator reads the value.
    Unbounded,
}

/// The largest length of `varchar(n)` and `char(n)` that counts as bounded, in characters.
const MAX_BOUNDED_CHARACTERS: i32 = 1000;

/// `VARHDRSZ`, which the modifiers of `varchar(n)` and `numeric(p, s)` contain.
const MODIFIER_HEADER: i32 = 4;

/// The built-in types of a fixed size; `inet` and `cidr` count, as they take a few bytes.
const FIXED: [&str; 22] = [
    "bool",
    "char",
    "cidr",
    "date",
    "float4",
    "float8",
    "inet",
    "int2",
    "int4",
    "int8",
    "interval",
    "macaddr",
    "macaddr8",
    "money",
    "name",
    "oid",
    "pg_lsn",
    "time",
    "timestamp",
    "timestamptz",
    "timetz",
    "uuid",
];

/// The types whose `=` compares lengths first, unless the collation is nondeterministic.
const SIZED: [&str; 3] = ["bytea", "text", "varchar"];

impl Catalog {
    /// The maximum width of a column's stored values.
    pub fn width(&self, table: TableId, column: ColumnId) -> StoredWidth {
        let Some((table, column)) = self.base(table, column, MAX_VIEW_DEPTH) else {
            return StoredWidth::Unbounded;
        };
        let table = self.table(table);
        let column = table.column(column);
        match self.base_type(column.r#type) {
            None => StoredWidth::Unbounded,
            Some(base) if self.is_fixed(base) => StoredWidth::Fixed,
            Some(base) if is_short(base, column) || table.is_indexed(&column.name) => {
                StoredWidth::Bounded
            }
            Some(base) if is_builtin(base, &SIZED) && column.deterministic => StoredWidth::Sized,
            Some(_) => StoredWidth::Unbounded,
        }
    }

    /// Whether every value of a type takes a few bytes.
    pub fn is_fixed_size(&self, oid: Oid) -> bool {
        self.base_type(oid).is_some_and(|base| self.is_fixed(base))
    }

    fn is_fixed(&self, base: &Type) -> bool {
        match base.kind {
            TypeKind::Enum(_) => true,
            TypeKind::Range(element) => self
                .base_type(element)
                .is_some_and(|element| is_builtin(element, &FIXED)),
            _ => is_builtin(base, &FIXED),
        }
    }
}

/// Whether the declaration sets a small length.
fn is_short(base: &Type, column: &Column) -> bool {
    let Some(modifier) = column.modifier else {
        return false;
    };
    match base.name.as_str() {
        // A precision is at most 1,000 digits.
        "numeric" => is_builtin(base, &["numeric"]),
        _ => {
            is_builtin(base, &["varchar", "bpchar"])
                && modifier - MODIFIER_HEADER <= MAX_BOUNDED_CHARACTERS
        }
    }
}

fn is_builtin(r#type: &Type, names: &[&str]) -> bool {
    r#type.schema == "pg_catalog"
        && matches!(r#type.kind, TypeKind::Base)
        && names.contains(&r#type.name.as_str())
}

impl Table {
    /// Whether a non-partial btree index contains the values of the column.
    fn is_indexed(&self, column: &str) -> bool {
        let in_index = self
            .indexes
            .iter()
            .any(|index| index.columns.iter().any(|indexed| *indexed.name == *column));
        // The column that a foreign key references is in an index of the referenced table.
        let points = |foreign: &ForeignKey| {
            foreign.validated && !foreign.inferred && *foreign.columns == [column]
        };
        // The indexes of a partitioned table are not in the catalog; its keys apply in all
        // partitions.
        let keys = || {
            self.keys
                .iter()
                .filter(|key| !key.declared && self.kind == TableKind::Partitioned)
        };
        in_index
            || self.foreign_keys.iter().any(points)
            || keys().any(|key| key.columns.iter().any(|name| name == column))
    }

    /// Whether an index of any kind contains the column or depends on it.
    pub fn is_in_any_index(&self, column: &str) -> bool {
        self.indexes
            .iter()
            .any(|index| index.columns.iter().any(|indexed| *indexed.name == *column))
            || self
                .other_indexed
                .iter()
                .any(|indexed| **indexed == *column)
    }

    /// Whether the column is the first of a btree index.
    pub fn leads_index(&self, column: &str) -> bool {
        let leads = |columns: &[String]| columns.first().is_some_and(|first| first == column);
        self.indexes.iter().any(|index| {
            index
                .columns
                .first()
                .is_some_and(|first| *first.name == *column)
        }) || self.keys.iter().any(|key| leads(&key.columns))
    }

    /// The estimated number of rows that equal one value of a column, if statistics or a key
    /// determine it.
    pub fn rows_of_value(&self, column: ColumnId) -> Option<f64> {
        if self.is_unique(&[&self.column(column).name]) {
            return Some(1.0);
        }
        self.values(column)
            .map(|values| self.estimated_rows / values)
    }
}

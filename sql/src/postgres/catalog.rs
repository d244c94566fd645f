//! The database as Postgres describes it: tables, columns, keys, types and functions.
//!
//! [`QUERY`] returns the whole of it as one JSON document, which [`Catalog::decode`] reads. Names are
//! Postgres' own; what they are called in GraphQL is the business of [`crate::model`].

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

mod enums;
mod origins;
mod statistics;
mod width;
mod writing;

pub use enums::EnumValue;
pub use origins::ViewColumnOrigin;
pub use statistics::{ColumnStatistics, Index, IndexColumn};
pub use width::StoredWidth;
pub use writing::{DELETABLE, INSERTABLE, READABLE, ReadOnly, UPDATABLE};

/// The statement that returns the catalog: one row, one column, one JSON document.
pub const QUERY: &str = include_str!("catalog/catalog.sql");

/// An object identifier of Postgres.
pub type Oid = u32;

/// A database at one moment.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Catalog {
    /// The server's version as a number, `150018`.
    pub server_version: u32,
    /// The name of the database.
    pub database: String,
    /// The schemas that unqualified names in row rules are looked up in, in order (`pg_catalog` left out).
    pub search_path: Vec<String>,
    /// Tables and everything that is read like one, sorted by schema and name.
    pub tables: Vec<Table>,
    /// Every type that a column or a function uses, and what those are made of, sorted by OID.
    pub types: Vec<Type>,
    /// Functions outside the system schemas and outside extensions, sorted by schema, name and arguments.
    pub functions: Vec<Function>,
    /// The configurations for full-text search, in the order in which an unqualified name is looked up; the one that the
    /// database uses where none is named comes first.
    #[serde(default)]
    pub searches: Vec<SearchConfig>,
    #[serde(skip)]
    table_index: HashMap<(String, String), TableId>,
    #[serde(skip)]
    type_index: HashMap<Oid, usize>,
}

/// A configuration for full-text search.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SearchConfig {
    /// Its schema.
    pub schema: String,
    /// Its name.
    pub name: String,
    /// Whether it is found without its schema.
    pub visible: bool,
}

/// The place of a table in [`Catalog::tables`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TableId(pub u32);

/// The place of a column in [`Table::columns`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ColumnId(pub u32);

/// The place of a function in [`Catalog::functions`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FunctionId(pub u32);

/// A table, or what is read like one.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Table {
    /// Its schema.
    pub schema: String,
    /// Its name in the database.
    pub name: String,
    /// What it is.
    pub kind: TableKind,
    /// `COMMENT ON TABLE`.
    pub comment: Option<String>,
    /// The planner's estimate of its rows; negative when it was never analyzed.
    pub estimated_rows: f64,
    /// Whether plain `INSERT`, `UPDATE` and `DELETE` work (`pg_relation_is_updatable`), as bits 8, 4 and 16.
    pub updatable: u32,
    /// What the user of the database that the catalog was read as may not do with the table as a whole, as bits: 1 is `SELECT`,
    /// the others are those of `updatable`.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub denied: u32,
    /// The columns that it may use all the same.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub allowed: Vec<Allowed>,
    /// Which triggers of users' fire: 1, 2 and 4 for row triggers before (or instead of) an insert, an update and a delete;
    /// 8, 16 and 32 for any after or before the statement; 64 where other rows follow when a key is changed; 128 where rows
    /// may collide in something that is not among the keys: a unique index over an expression or over some rows, an
    /// exclusion. Those of the partitions below and of the tables that a view stands on are among them, and rewrite rules
    /// count as both kinds.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub triggers: u32,
    /// Whether it is a view whose rows are those of one table, each at most once.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub one_to_one: bool,
    /// Whether some index holds only some of its rows.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub partial: bool,
    /// In the order of `attnum`.
    pub columns: Vec<Column>,
    /// The primary key first, then unique constraints and unique indexes without expression or condition.
    pub keys: Vec<Key>,
    /// The foreign keys that lie in this table.
    pub foreign_keys: Vec<ForeignKey>,
    /// Constraints that are no keys: checks, exclusions, deferrable unique constraints, and unique indexes over expressions or
    /// some of the rows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub constraints: Vec<Constraint>,
    /// The btree indexes over plain columns that hold every row, those of keys among them; none of tables that others
    /// inherit from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub indexes: Vec<Index>,
    /// What was found out of the columns that rows may be looked up by: those in an index, but for the last of several
    /// columns and a key by itself.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub spreads: Vec<ColumnStatistics>,
    /// Its rows as values of an enum, where somebody has asked for them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub enum_values: Option<Vec<EnumValue>>,
}

/// A column with privileges of its own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Allowed {
    /// Its name.
    pub column: String,
    /// The privileges, as bits of [`Table::denied`].
    pub privileges: u32,
}

/// What can be read like a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TableKind {
    /// An ordinary table.
    Table,
    /// A partitioned table; its partitions are tables of their own and left out.
    Partitioned,
    /// A view.
    View,
    /// A materialized view.
    Materialized,
    /// A foreign table.
    Foreign,
    /// What a function returns, where that is no table's row. Never in a database: a model adds it.
    Result,
}

/// A column of a table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Column {
    /// Its name in the database.
    pub name: String,
    /// Its type, a key of [`Catalog::type_of`].
    pub r#type: Oid,
    /// What its declaration says of the type beside its name, as the type's own number: the 10 of `varchar(10)`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub modifier: Option<i32>,
    /// Whether it is free of `NOT NULL` (a domain's included).
    pub nullable: bool,
    /// The text of its default expression, if it has one and is not generated.
    pub default: Option<String>,
    /// How it is generated from other columns, if it is.
    pub generated: Option<Generated>,
    /// Whether it is an identity column.
    pub identity: Option<Identity>,
    /// Whether equal means the same bytes; false for a nondeterministic collation.
    pub deterministic: bool,
    /// `COMMENT ON COLUMN`.
    pub comment: Option<String>,
    /// The column that a view's column plainly refers to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<ViewColumnOrigin>,
    /// Whether it is an expression of a view that is otherwise written through.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub computed: bool,
}

/// `GENERATED ALWAYS AS (…)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Generated {
    /// Computed when the row is written.
    Stored,
    /// Computed when the row is read (Postgres 18).
    Virtual,
}

/// `GENERATED … AS IDENTITY`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Identity {
    /// A value may not be given.
    Always,
    /// A value may be given.
    ByDefault,
}

/// A primary key, unique constraint or unique index.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Key {
    /// The constraint's or index's name.
    pub name: String,
    /// Whether it is the primary key.
    pub primary: bool,
    /// Whether it is no index of this table: read out of a view's definition, or someone's word.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub declared: bool,
    /// Its columns, by name, in the key's order.
    pub columns: Vec<String>,
}

/// A foreign key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ForeignKey {
    /// The constraint's name.
    pub name: String,
    /// Its columns in the table where it lies.
    pub columns: Vec<String>,
    /// The schema of the table it points to.
    pub schema: String,
    /// The table it points to.
    pub table: String,
    /// The columns it points to, in the order of `columns`.
    pub references: Vec<String>,
    /// Whether it holds for every row that there is; false for one added as `NOT VALID`, and where nobody asked.
    #[serde(default)]
    pub validated: bool,
    /// Whether it is that of a table which a view shows.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub inferred: bool,
}

/// A constraint that is no key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Constraint {
    /// The name of the constraint, or of the index.
    pub name: String,
    /// The columns that it looks at, by name.
    pub columns: Vec<String>,
}

/// A data type.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Type {
    /// Its OID. Fixed for built-in types, else of this database alone.
    pub oid: Oid,
    /// Its schema.
    pub schema: String,
    /// Its name in `pg_type`: `int4`, `_text`, `mood`.
    pub name: String,
    /// `pg_type.typcategory`: `N` for numbers, `S` for strings, …
    pub category: char,
    /// What stands between the elements of its arrays, if that is no comma.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delimiter: Option<char>,
    /// Whether it has a binary output function.
    pub binary: bool,
    /// Whether it has a default btree operator class: `=`, `<` and so on.
    pub ordered: bool,
    /// What it is made of.
    pub kind: TypeKind,
    /// `COMMENT ON TYPE`, for types outside `pg_catalog`.
    pub comment: Option<String>,
}

/// What a type is made of.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TypeKind {
    /// A type of its own.
    Base,
    /// An enum, with its labels in order.
    Enum(Vec<String>),
    /// A domain over another type.
    Domain(Oid),
    /// An array of another type.
    Array(Oid),
    /// A composite type, fields in order.
    Composite(Vec<CompositeField>),
    /// A range over another type.
    Range(Oid),
    /// A multirange, with the range type it is made of.
    Multirange(Oid),
    /// A pseudo-type such as `record` or `anyelement`.
    Pseudo,
}

/// A field of a composite type.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CompositeField {
    /// Its name.
    pub name: String,
    /// Its type.
    pub r#type: Oid,
}

/// A function.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Function {
    /// Its schema.
    pub schema: String,
    /// Its name.
    pub name: String,
    /// Whether it may change data, or its answer between calls.
    pub volatility: Volatility,
    /// Its input arguments, in order.
    pub arguments: Vec<Argument>,
    /// The type it returns.
    pub result: Oid,
    /// Whether it returns a set of them.
    pub set: bool,
    /// Whether its last argument is variadic.
    pub variadic: bool,
    /// The columns of `RETURNS TABLE` and of `OUT` arguments.
    #[serde(default)]
    pub columns: Vec<CompositeField>,
    /// `COMMENT ON FUNCTION`.
    pub comment: Option<String>,
}

/// `pg_proc.provolatile`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Volatility {
    /// The same answer for ever.
    Immutable,
    /// The same answer within a statement.
    Stable,
    /// Anything.
    Volatile,
}

/// An input argument of a function.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Argument {
    /// Its name, if it has one.
    pub name: Option<String>,
    /// Its type.
    pub r#type: Oid,
    /// Whether it may be left out.
    pub default: bool,
}

/// A catalog document that could not be read.
#[derive(Debug, thiserror::Error)]
#[error("the catalog document cannot be read: {0}")]
pub struct DecodeError(#[from] serde_json::Error);

#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_zero(bits: &u32) -> bool {
    *bits == 0
}

impl Catalog {
    /// Reads the document that [`QUERY`] returns, or that [`Catalog::encode`] wrote.
    pub fn decode(document: &str) -> Result<Catalog, DecodeError> {
        let mut catalog: Catalog = serde_json::from_str(document)?;
        catalog.index();
        catalog.infer();
        Ok(catalog)
    }

    /// Writes the document that [`Catalog::decode`] reads, one line a table, so that versions can be compared.
    pub fn encode(&self) -> Result<String, DecodeError> {
        Ok(serde_json::to_string_pretty(self)?)
    }

    fn index(&mut self) {
        let tables = self.tables.iter().zip(0..);
        self.table_index = tables.map(|(t, i)| ((t.schema.clone(), t.name.clone()), TableId(i))).collect();
        self.type_index = self.types.iter().enumerate().map(|(i, t)| (t.oid, i)).collect();
    }

    /// The table of that schema and name.
    pub fn find(&self, schema: &str, name: &str) -> Option<TableId> {
        self.table_index.get(&(schema.to_owned(), name.to_owned())).copied()
    }

    /// The table that an unqualified name means: the first along the search path.
    pub fn find_unqualified(&self, name: &str) -> Option<TableId> {
        self.search_path.iter().find_map(|schema| self.find(schema, name))
    }

    /// The table that a file of the user's means: one of `public`, else `schema.name`.
    pub fn find_written(&self, name: &str) -> Option<TableId> {
        let qualified = |(at, _): (usize, &str)| self.find(&name[..at], &name[at + 1..]);
        self.find("public", name).or_else(|| name.match_indices('.').find_map(qualified))
    }

    /// The table with that id, which must come from this catalog.
    pub fn table(&self, id: TableId) -> &Table {
        &self.tables[id.0 as usize]
    }

    /// The same catalog with further tables, which no name finds: only who adds them knows their ids.
    pub fn extended(&self, tables: impl IntoIterator<Item = Table>) -> Catalog {
        let mut catalog = self.clone();
        catalog.tables.extend(tables);
        catalog
    }

    /// The function with that id, which must come from this catalog.
    pub fn function(&self, id: FunctionId) -> &Function {
        &self.functions[id.0 as usize]
    }

    /// All functions with their ids, in order.
    pub fn function_ids(&self) -> impl Iterator<Item = (FunctionId, &Function)> {
        self.functions.iter().zip(0..).map(|(function, i)| (FunctionId(i), function))
    }

    /// The table whose rows are of that type.
    pub fn row_table(&self, oid: Oid) -> Option<TableId> {
        let found = self.type_of(oid).filter(|found| matches!(found.kind, TypeKind::Composite(_)))?;
        self.find(&found.schema, &found.name)
    }

    /// The type with that OID, if the catalog holds it.
    pub fn type_of(&self, oid: Oid) -> Option<&Type> {
        self.type_index.get(&oid).map(|&i| &self.types[i])
    }

    /// The type of that schema and name, if the catalog holds it.
    pub fn find_type(&self, schema: &str, name: &str) -> Option<Oid> {
        self.types.iter().find(|t| t.schema == schema && t.name == name).map(|t| t.oid)
    }

    /// The type below all domains.
    pub fn base_type(&self, oid: Oid) -> Option<&Type> {
        let mut found = self.type_of(oid)?;
        while let TypeKind::Domain(base) = found.kind {
            found = self.type_of(base)?;
        }
        Some(found)
    }

    /// All tables with their ids, in order.
    pub fn table_ids(&self) -> impl Iterator<Item = (TableId, &Table)> {
        self.tables.iter().zip(0..).map(|(table, i)| (TableId(i), table))
    }
}

impl Table {
    /// The column of that name.
    pub fn find(&self, name: &str) -> Option<ColumnId> {
        self.columns.iter().position(|c| c.name == name).map(|i| ColumnId(i as u32))
    }

    /// The column with that id, which must come from this table.
    pub fn column(&self, id: ColumnId) -> &Column {
        &self.columns[id.0 as usize]
    }

    /// All columns with their ids, in order.
    pub fn column_ids(&self) -> impl Iterator<Item = (ColumnId, &Column)> {
        self.columns.iter().zip(0..).map(|(column, i)| (ColumnId(i), column))
    }

    /// Whether requests find the same in both: how many rows there are counts for nothing.
    pub fn is_like(&self, other: &Table) -> bool {
        let facts = |table: &Table| (table.kind, table.updatable, table.triggers, table.one_to_one, table.partial);
        facts(self) == facts(other)
            && self.comment == other.comment
            && self.columns == other.columns
            && self.keys == other.keys
            && self.foreign_keys == other.foreign_keys
            && self.constraints == other.constraints
            && self.enum_values == other.enum_values
    }

    /// The primary key.
    pub fn primary_key(&self) -> Option<&Key> {
        self.keys.iter().find(|key| key.primary)
    }

    /// Whether the user of the database may do something with a column, by a bit of [`Table::denied`].
    pub fn is_allowed(&self, privilege: u32, column: &str) -> bool {
        let of_its_own = |allowed: &Allowed| allowed.column == column && allowed.privileges & privilege != 0;
        self.denied & privilege == 0 || self.allowed.iter().any(of_its_own)
    }

    /// Whether the user of the database may do something with the table or with some column of it.
    pub fn is_allowed_somewhere(&self, privilege: u32) -> bool {
        self.denied & privilege == 0 || self.allowed.iter().any(|allowed| allowed.privileges & privilege != 0)
    }

    /// Whether no two rows agree in all of these columns, by a key.
    pub fn is_unique(&self, columns: &[&str]) -> bool {
        self.keys.iter().any(|key| key.columns.iter().all(|c| columns.contains(&c.as_str())))
    }
}

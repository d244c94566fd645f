//! The catalog: tables, columns, keys, types and functions of one database.
//!
//! The gateway runs [`QUERY`] at load, which returns everything as one JSON document;
//! [`Catalog::decode`] reads it. Names are the database's own; [`crate::model`] maps them to
//! GraphQL names.

use std::collections::HashMap;

use foldhash::fast::FixedState;
use serde::{Deserialize, Serialize};

mod enums;
mod origins;
mod overloads;
mod statistics;
mod width;
mod writing;

pub use width::StoredWidth;
pub use writing::{DELETABLE_BIT, INSERTABLE_BIT, READABLE_BIT, ReadOnly, UPDATABLE_BIT};

/// The statement that reads the catalog: one row, one column, one JSON document.
pub const QUERY: &str = include_str!("catalog/catalog.sql");

/// A Postgres object identifier.
pub type Oid = u32;

/// The catalog of a database at one moment.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Catalog {
    /// The server's version as a number, `150018`.
    pub server_version: u32,
    /// The name of the database.
    pub database: String,
    /// The schemas along which unqualified names in row rules are resolved, in order, without
    /// `pg_catalog`.
    pub search_path: Vec<String>,
    /// Tables and other relations that can be read, sorted by schema and name.
    pub tables: Vec<Table>,
    /// Every type that a column or a function uses, and the types that these consist of, sorted by
    /// OID.
    pub types: Vec<Type>,
    /// Functions outside the system schemas and outside extensions, sorted by schema, name and
    /// arguments.
    pub functions: Vec<Function>,
    /// The text search configurations, in the order in which an unqualified name is resolved; the
    /// database's default comes first.
    #[serde(default)]
    pub searches: Vec<SearchConfig>,
    #[serde(skip)]
    table_index: HashMap<(String, String), TableId>,
    #[serde(skip)]
    type_index: HashMap<Oid, usize, FixedState>,
}

/// A text search configuration.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SearchConfig {
    /// Its schema.
    pub schema: String,
    /// Its name.
    pub name: String,
    /// Whether it can be named without its schema.
    pub visible: bool,
}

/// An index into [`Catalog::tables`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TableId(pub u32);

/// An index into [`Table::columns`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ColumnId(pub u32);

/// An index into [`Catalog::functions`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FunctionId(pub u32);

/// A table or another relation that can be read.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Table {
    /// Its schema.
    pub schema: String,
    /// Its name in the database.
    pub name: String,
    /// The kind of relation.
    pub kind: TableKind,
    /// `COMMENT ON TABLE`.
    pub comment: Option<String>,
    /// The planner's estimate of the number of rows; negative if the table was never analyzed.
    pub estimated_rows: f64,
    /// Whether plain `INSERT`, `UPDATE` and `DELETE` work (`pg_relation_is_updatable`), as bits 8,
    /// 4 and 16.
    pub updatable: u32,
    /// The rewrite rules because of which something cannot be written.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rules: Vec<RewriteRule>,
    /// The privileges on the whole table that the database user lacks, as bits: 1 is `SELECT`, the
    /// others are those of `updatable`. The user is the one that read the catalog.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub denied: u32,
    /// The columns that the user has privileges for nonetheless.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub allowed: Vec<Allowed>,
    /// The user-defined triggers that fire, as bits: 1, 2 and 4 for row triggers before (or instead
    /// of) an insert, an update and a delete; 8, 16 and 32 for triggers after the row, or before or
    /// after the statement. 64: changing a key changes other rows. 128: rows may conflict in
    /// something that `keys` does not contain: a unique index over an expression or over some rows,
    /// an exclusion constraint. Includes the triggers of partitions and of the tables that a view
    /// reads; a rewrite rule sets the bits of both kinds.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub triggers: u32,
    /// Whether row-level security limits the rows that the user who read the catalog sees.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub row_security: bool,
    /// Whether row-level security is enabled, so that it limits the rows that some users see.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub policies: bool,
    /// Whether other tables inherit from it, other than partitions. Reading it reads their rows,
    /// for which its keys and foreign keys do not hold.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub has_children: bool,
    /// Whether it is a view that shows rows of one table, each at most once.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub one_to_one: bool,
    /// The columns, in the order of `attnum`.
    pub columns: Vec<Column>,
    /// The primary key first, then unique constraints and unique indexes without expression or
    /// predicate.
    pub keys: Vec<Key>,
    /// The foreign keys of this table.
    pub foreign_keys: Vec<ForeignKey>,
    /// Constraints other than keys: checks, exclusions, deferrable unique constraints, and unique
    /// indexes over expressions or some of the rows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub constraints: Vec<Constraint>,
    /// The non-partial btree indexes over plain columns, including those of keys; empty for tables
    /// that others inherit from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub indexes: Vec<Index>,
    /// The columns that other indexes contain or depend on: partial ones, those over expressions,
    /// those that are no btree or have operators of their own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub other_indexed: Vec<Box<str>>,
    /// Statistics of the columns that rows may be looked up by: columns of an index, except the
    /// last of several columns, and except a key of one column.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub spreads: Vec<ColumnStatistics>,
    /// The rows as enum values, if they were requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub enum_values: Option<Vec<EnumValue>>,
}

/// A rewrite rule (`CREATE RULE`) that keeps rows from being written with `RETURNING`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RewriteRule {
    /// Its name.
    pub name: String,
    /// What it bars, as a bit of [`Table::updatable`].
    pub bars: u32,
}

/// A column with privileges besides those of its table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Allowed {
    /// Its name.
    pub column: String,
    /// The privileges, as bits of [`Table::denied`].
    pub privileges: u32,
}

/// The kinds of relations that can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TableKind {
    /// An ordinary table.
    Table,
    /// A partitioned table; its partitions are omitted from the catalog.
    Partitioned,
    /// A view.
    View,
    /// A materialized view.
    Materialized,
    /// A foreign table.
    Foreign,
    /// The rows of a function that returns rows of no table. Never in a database: a model adds it.
    Result,
}

/// A column of a table. [`QUERY`] returns its fields as an array, in this order, and leaves out the
/// last ones if they have their defaults.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Column {
    /// Its name in the database.
    pub name: String,
    /// The type, a key of [`Catalog::type_of`].
    pub r#type: Oid,
    /// The type modifier (`atttypmod`), such as the length of `varchar(10)`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub modifier: Option<i32>,
    /// Whether it may be null, considering `NOT NULL` of the column and of its domain.
    pub nullable: bool,
    /// The SQL of its default expression, unless it has none or is generated.
    #[serde(default)]
    pub default: Option<String>,
    /// How it is generated from other columns, for generated columns.
    #[serde(default)]
    pub generated: Option<Generated>,
    /// The kind of identity column, for identity columns.
    #[serde(default)]
    pub identity: Option<Identity>,
    /// Whether equality means equal bytes; false for a nondeterministic collation.
    #[serde(default = "deterministic")]
    pub deterministic: bool,
    /// `COMMENT ON COLUMN`.
    #[serde(default)]
    pub comment: Option<String>,
    /// For a column of a view that is a plain column reference: the column it refers to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<Box<ViewColumnOrigin>>,
    /// Whether it is an expression in a view that can otherwise be written.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub computed: bool,
}

/// Nearly every collation is deterministic.
fn deterministic() -> bool {
    true
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
    /// Inserts may not set a value.
    Always,
    /// Inserts may set a value.
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
    /// Whether no index of this table backs it: it is derived from a view's definition, or declared
    /// in the permission file.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub declared: bool,
    /// Whether rows of the table may have equal values nonetheless, because those of tables that
    /// inherit from it do. A view has such a key from the table that it shows.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub repeats: bool,
    /// Whether it cannot decide about conflicts, because it is deferrable or `WITHOUT OVERLAPS`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub deferrable: bool,
    /// Its columns, by name, in the key's order.
    pub columns: Vec<String>,
}

/// A foreign key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ForeignKey {
    /// The constraint's name.
    pub name: String,
    /// The columns of the table that has the key.
    pub columns: Vec<String>,
    /// The schema of the referenced table.
    pub schema: String,
    /// The referenced table.
    pub table: String,
    /// The referenced columns, in the order of `columns`.
    pub references: Vec<String>,
    /// Whether every row satisfies it; false for one added as `NOT VALID`, for one inferred for a
    /// view, and in catalogs saved without this field.
    #[serde(default)]
    pub validated: bool,
    /// Whether it is `INITIALLY DEFERRED`: rows may break it until the transaction ends.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub deferred: bool,
    /// Whether a view has it from the table that it shows.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub inferred: bool,
}

/// A constraint other than a key.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Constraint {
    /// The name of the constraint, or of the index.
    pub name: String,
    /// The columns that it depends on, by name.
    pub columns: Vec<String>,
    /// For a unique index over expressions or some of the rows, the SQL that `ON CONFLICT` infers
    /// it from: `(lower(email)) WHERE (deleted IS NULL)`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
}

/// The index that decides about conflicts, as Postgres calls it.
#[derive(Clone, Copy, Debug)]
pub enum ArbiterIndex<'c> {
    /// The index of a key.
    Key(&'c Key),
    /// A unique index over expressions or some of the rows, with [`Constraint::target`].
    Partial(&'c Constraint, &'c str),
}

impl<'c> ArbiterIndex<'c> {
    /// The name of the constraint or index.
    pub fn name(self) -> &'c str {
        match self {
            ArbiterIndex::Key(key) => &key.name,
            ArbiterIndex::Partial(index, _) => &index.name,
        }
    }

    /// The columns that it depends on, by name.
    pub fn columns(self) -> &'c [String] {
        match self {
            ArbiterIndex::Key(key) => &key.columns,
            ArbiterIndex::Partial(index, _) => &index.columns,
        }
    }
}

/// A data type.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Type {
    /// The OID. Built-in types have fixed OIDs; others differ between databases.
    pub oid: Oid,
    /// Its schema.
    pub schema: String,
    /// Its name in `pg_type`: `int4`, `_text`, `mood`.
    pub name: String,
    /// `pg_type.typcategory`: `N` for numbers, `S` for strings, …
    pub category: char,
    /// The delimiter between elements of its arrays (`typdelim`), unless it is a comma.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delimiter: Option<char>,
    /// Whether it has a binary output function.
    pub binary: bool,
    /// Whether it has a default btree operator class: `=`, `<` and so on.
    pub ordered: bool,
    /// The operators that compare its values.
    #[serde(default, skip_serializing_if = "ComparisonOperators::are_native")]
    pub comparison: ComparisonOperators,
    /// Whether a cast of its own makes it JSON, which `to_json` uses for elements of arrays and
    /// composite values.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub json_cast: bool,
    /// The kind of type, with the types that it consists of.
    pub kind: TypeKind,
    /// `COMMENT ON TYPE`, for types outside `pg_catalog`.
    pub comment: Option<String>,
}

/// The operators that compare values of a type: `=`, `<`, `<=`, `>` and `>=`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ComparisonOperators {
    /// Those that Postgres finds by their symbols alone, or in the schema of an extension's type.
    #[default]
    Native,
    /// Those of one schema.
    Qualified {
        /// The schema.
        schema: String,
        /// The schema and name of the type that the operators are made for, if the type only passes
        /// as it.
        #[serde(default, rename = "as", skip_serializing_if = "Option::is_none")]
        passes_as: Option<(String, String)>,
        /// Whether the schema has `<>`, too.
        unequal: bool,
    },
    /// Those of all enums, composite types or ranges, which an expression cannot name: a cast of
    /// the type makes them ambiguous.
    Ambiguous,
    /// None that an expression can name: they have other symbols.
    None,
}

/// A value of an enum table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EnumValue {
    /// The value of the primary key.
    pub value: String,
    /// The value of the first other text column.
    pub description: Option<String>,
}

/// The column that a column of a view plainly refers to; it may belong to another view.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ViewColumnOrigin {
    /// The schema of its table.
    pub schema: String,
    /// Its table.
    pub table: String,
    /// Its name.
    pub column: String,
}

/// Statistics of one column.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ColumnStatistics {
    /// The column's name.
    pub column: Box<str>,
    /// The number of distinct values; if negative, the negated fraction of the number of rows
    /// (`pg_stats.n_distinct`).
    pub distinct: f32,
    /// The fraction of rows with the most common value; 0 if no value is more common than others.
    #[serde(default, skip_serializing_if = "is_zero_share")]
    pub most: f32,
}

/// A non-partial btree index over plain columns.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Index {
    /// Its columns in order.
    pub columns: Box<[IndexColumn]>,
    /// Whether it is unique. Catalogs saved by earlier versions lack this field.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unique: bool,
}

/// A column of an index.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct IndexColumn {
    /// Its name.
    pub name: Box<str>,
    /// `DESC`
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub descending: bool,
    /// `NULLS FIRST`, the default for `DESC`.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub nulls_first: bool,
}

#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_zero_share(share: &f32) -> bool {
    *share == 0.0
}

impl ComparisonOperators {
    fn are_native(&self) -> bool {
        *self == ComparisonOperators::Native
    }
}

/// The kinds of types.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TypeKind {
    /// A base type.
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
    /// Whether it may change data, or return different results for equal arguments.
    pub volatility: Volatility,
    /// Its input arguments, in order.
    pub arguments: Vec<Argument>,
    /// The type it returns.
    pub result: Oid,
    /// Whether it returns a set of `result`.
    pub set: bool,
    /// Whether its last argument is variadic.
    pub variadic: bool,
    /// The columns of `RETURNS TABLE` and of `OUT` arguments.
    #[serde(default)]
    pub columns: Vec<CompositeField>,
    /// `COMMENT ON FUNCTION`.
    pub comment: Option<String>,
    /// Whether every call of it may mean another function of its name just as well.
    #[serde(skip)]
    pub ambiguous: bool,
}

/// `pg_proc.provolatile`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Volatility {
    /// The result depends only on the arguments.
    Immutable,
    /// The result depends only on the arguments within one statement.
    Stable,
    /// No guarantee; it may change data.
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
    /// Whether calls may omit it.
    pub default: bool,
}

/// The error for a catalog document that cannot be decoded.
#[derive(Debug, thiserror::Error)]
#[error("the catalog document cannot be read: {0}")]
pub struct DecodeError(#[from] serde_json::Error);

#[allow(clippy::trivially_copy_pass_by_ref)]
fn is_zero(bits: &u32) -> bool {
    *bits == 0
}

impl Catalog {
    /// Decodes the document that [`QUERY`] returns, or that [`Catalog::encode`] wrote.
    pub fn decode(document: &str) -> Result<Catalog, DecodeError> {
        let mut catalog: Catalog = serde_json::from_str(document)?;
        catalog.index();
        catalog.infer();
        catalog.resolve_overloads();
        Ok(catalog)
    }

    /// Encodes the document that [`Catalog::decode`] reads, indented, so that versions can be
    /// compared line by line.
    pub fn encode(&self) -> Result<String, DecodeError> {
        Ok(serde_json::to_string_pretty(self)?)
    }

    fn index(&mut self) {
        let tables = self.tables.iter().zip(0..);
        self.table_index = tables
            .map(|(t, i)| ((t.schema.clone(), t.name.clone()), TableId(i)))
            .collect();
        self.type_index = self
            .types
            .iter()
            .enumerate()
            .map(|(i, t)| (t.oid, i))
            .collect();
    }

    /// Finds a table by schema and name.
    pub fn find(&self, schema: &str, name: &str) -> Option<TableId> {
        self.table_index
            .get(&(schema.to_owned(), name.to_owned()))
            .copied()
    }

    /// Resolves an unqualified table name: the first match along the search path.
    pub fn find_unqualified(&self, name: &str) -> Option<TableId> {
        self.search_path
            .iter()
            .find_map(|schema| self.find(schema, name))
    }

    /// Resolves a table name of a file that users write: a table of `public`, else `schema.name`.
    pub fn find_written(&self, name: &str) -> Option<TableId> {
        let qualified = |(at, _): (usize, &str)| self.find(&name[..at], &name[at + 1..]);
        self.find("public", name)
            .or_else(|| name.match_indices('.').find_map(qualified))
    }

    /// The table with that id, which must come from this catalog.
    pub fn table(&self, id: TableId) -> &Table {
        &self.tables[id.0 as usize]
    }

    /// A copy of the catalog with more tables. Lookups by name do not find them; only the caller
    /// knows their ids.
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
        self.functions
            .iter()
            .zip(0..)
            .map(|(function, i)| (FunctionId(i), function))
    }

    /// The table that has this type as its row type.
    pub fn row_table(&self, oid: Oid) -> Option<TableId> {
        let found = self
            .type_of(oid)
            .filter(|found| matches!(found.kind, TypeKind::Composite(_)))?;
        self.find(&found.schema, &found.name)
    }

    /// The type with that OID, if the catalog holds it.
    pub fn type_of(&self, oid: Oid) -> Option<&Type> {
        self.type_index.get(&oid).map(|&i| &self.types[i])
    }

    /// The type of that schema and name, if the catalog holds it.
    pub fn find_type(&self, schema: &str, name: &str) -> Option<Oid> {
        self.types
            .iter()
            .find(|t| t.schema == schema && t.name == name)
            .map(|t| t.oid)
    }

    /// The type below all domains: the first that is no domain.
    pub fn base_type(&self, oid: Oid) -> Option<&Type> {
        let mut found = self.type_of(oid)?;
        while let TypeKind::Domain(base) = found.kind {
            found = self.type_of(base)?;
        }
        Some(found)
    }

    /// All tables with their ids, in order.
    pub fn table_ids(&self) -> impl Iterator<Item = (TableId, &Table)> {
        self.tables
            .iter()
            .zip(0..)
            .map(|(table, i)| (TableId(i), table))
    }
}

impl Key {
    fn is_within(&self, columns: &[&str]) -> bool {
        self.columns
            .iter()
            .all(|column| columns.contains(&column.as_str()))
    }
}

impl Table {
    /// The column of that name.
    pub fn find(&self, name: &str) -> Option<ColumnId> {
        self.columns
            .iter()
            .position(|c| c.name == name)
            .map(|i| ColumnId(i as u32))
    }

    /// The column with that id, which must come from this table.
    pub fn column(&self, id: ColumnId) -> &Column {
        &self.columns[id.0 as usize]
    }

    /// All columns with their ids, in order.
    pub fn column_ids(&self) -> impl Iterator<Item = (ColumnId, &Column)> {
        self.columns
            .iter()
            .zip(0..)
            .map(|(column, i)| (ColumnId(i), column))
    }

    /// Whether requests see no difference between the tables; estimated numbers of rows and
    /// statistics are ignored.
    pub fn is_like(&self, other: &Table) -> bool {
        let facts = |table: &Table| {
            (
                table.kind,
                table.updatable,
                table.triggers,
                table.one_to_one,
            )
        };
        let security = |table: &Table| (table.row_security, table.policies, table.has_children);
        facts(self) == facts(other)
            && security(self) == security(other)
            && self.comment == other.comment
            && self.columns == other.columns
            && self.keys == other.keys
            && self.foreign_keys == other.foreign_keys
            && self.constraints == other.constraints
            && self.enum_values == other.enum_values
    }

    /// The indexes that `ON CONFLICT` can infer: those of keys, then those over expressions or some
    /// of the rows.
    pub fn arbiter_indexes(&self) -> impl Iterator<Item = ArbiterIndex<'_>> {
        let keys = self
            .keys
            .iter()
            .filter(|key| !key.declared && !key.deferrable)
            .map(ArbiterIndex::Key);
        let partial = |index| Some(ArbiterIndex::Partial(index, index.target.as_deref()?));
        keys.chain(self.constraints.iter().filter_map(partial))
    }

    /// The primary key.
    pub fn primary_key(&self) -> Option<&Key> {
        self.keys.iter().find(|key| key.primary)
    }

    /// Whether the database user has a privilege on a column; `privilege` is a bit of
    /// [`Table::denied`].
    pub fn is_allowed(&self, privilege: u32, column: &str) -> bool {
        let of_its_own =
            |allowed: &Allowed| allowed.column == column && allowed.privileges & privilege != 0;
        self.denied & privilege == 0 || self.allowed.iter().any(of_its_own)
    }

    /// Whether the database user has a privilege on the table or on some column of it.
    pub fn is_allowed_somewhere(&self, privilege: u32) -> bool {
        self.denied & privilege == 0
            || self
                .allowed
                .iter()
                .any(|allowed| allowed.privileges & privilege != 0)
    }

    /// Whether a key proves that no two rows are equal in all of these columns.
    pub fn is_unique(&self, columns: &[&str]) -> bool {
        self.keys
            .iter()
            .any(|key| !key.repeats && key.is_within(columns))
    }

    /// Whether the columns contain a key. Rows of tables that inherit may have equal values
    /// nonetheless; see [`Table::is_unique`].
    pub fn has_key(&self, columns: &[&str]) -> bool {
        self.keys.iter().any(|key| key.is_within(columns))
    }
}

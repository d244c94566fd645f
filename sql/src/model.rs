//! GraphQL names of the database: exposed tables, their columns, relations, functions and root
//! fields.
//!
//! The crate `permissions` builds one [`Model`] at load; every role's schema and every request
//! resolve names through it. What each role may access is in [`crate::model::access`].

use std::collections::HashMap;
use std::sync::Arc;

use foldhash::fast::FixedState;
use indexmap::IndexMap;

use crate::model::names::{Convention, RootKind, Spelling};
use crate::postgres::catalog::{Catalog, ColumnId, Oid, Table, TableId, TableKind, TypeKind};
use crate::postgres::encoder::Encoder;
use crate::postgres::types::Scalar;

pub(crate) mod named_enum;
mod routine;
pub mod access;
pub mod action;
pub mod operators;
pub mod update_operators;
pub mod names;
pub mod aggregates;
pub(crate) mod type_key;
pub(crate) mod type_cache;

pub use routine::{ArgumentSource, CallId, Callable, Computed, Returns, Routine};

/// The GraphQL names of a database. Names are valid in GraphQL and unique.
#[derive(Debug)]
pub struct Model {
    catalog: Arc<Catalog>,
    /// The scalars of all types of the catalog, made once: every column of every document needs
    /// one.
    scalars: HashMap<Oid, Arc<Scalar>, FixedState>,
    tables: Vec<Option<ExposedTable>>,
    roots: IndexMap<String, Root, FixedState>,
    enums: HashMap<(TableId, ColumnId), TableId, FixedState>,
    default_exposure: DefaultExposure,
    graphql_enums: bool,
    routines: Vec<Routine>,
    /// Whether a type has the name of a scalar of sums.
    claims_sums: bool,
}

/// The OIDs of the types of sums of integers.
const INT8: Oid = 20;
const NUMERIC: Oid = 1700;

/// Which fields and root fields a table has unless the permission file says otherwise.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DefaultExposure {
    /// Every root field and helper type that Postern supports.
    #[default]
    Everything,
    /// What a Hasura schema has, in Hasura's order: fields sorted by name, cursors only on tables
    /// that enable connections.
    AsHasura,
}

/// A root field: the kind of access and the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Root {
    /// The name in GraphQL.
    pub name: String,
    /// The kind of access.
    pub kind: RootKind,
    /// The table that the field reads or writes.
    pub table: TableId,
    /// The name of the input object type, where the permission file sets one (`input = "…"` of an
    /// alias).
    pub input: Option<String>,
}

/// The GraphQL names of one table.
#[derive(Clone, Debug)]
pub struct ExposedTable {
    /// The table.
    pub table: TableId,
    /// The convention for names that the permission file does not set.
    pub convention: Convention,
    /// The table's name, the base for the names of its root fields: `dataSubjects`.
    pub name: String,
    /// The base for the names of its helper types. Under `graphql-default` it differs from `name`,
    /// unless the permission file sets `name`.
    pub types: String,
    /// The comment from the permission file. `None` uses the database's comment; an empty text
    /// shows no description.
    pub comment: Option<String>,
    /// Comments of columns, by the rules of `comment`.
    pub comments: HashMap<ColumnId, String>,
    /// Whether its rows may be grouped: no other table has a name that collides with the types for
    /// grouping.
    pub groups: bool,
    /// Whether it has a Relay connection.
    pub connection: bool,
    /// The name of the row type: `DataSubject`.
    pub type_name: String,
    /// The name of each column, indexed by [`ColumnId`]; `None` if the column has no valid GraphQL
    /// name.
    pub columns: Vec<Option<String>>,
    /// Its relations, in schema order.
    pub relations: Vec<Relation>,
    /// Its computed fields, in schema order.
    pub computed: Vec<Computed>,
}

/// A relation: a field of a row that leads to rows of another table.
#[derive(Clone, Debug)]
pub struct Relation {
    /// The name of the field.
    pub name: String,
    /// The name of the aggregate field, for array relations.
    pub aggregate: Option<String>,
    /// The name of the connection field, for array relations to tables that have connections.
    pub connection: Option<String>,
    /// The target table.
    pub to: TableId,
    /// Pairs of equal columns: of this table, of the target table.
    pub on: Vec<(ColumnId, ColumnId)>,
    /// How many rows the relation leads to.
    pub kind: RelationKind,
}

/// How many rows a relation leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RelationKind {
    /// At most one row; `unique` if a key proves it.
    Object {
        /// Whether the columns of the target table contain a key.
        unique: bool,
        /// Whether a foreign key over columns without nulls proves that the row exists.
        always: bool,
    },
    /// Any number of rows.
    Array,
}

/// The member of a row type that a field name refers to.
#[derive(Clone, Copy, Debug)]
pub enum RowMember<'a> {
    /// A column.
    Column(ColumnId),
    /// A relation.
    Relation(&'a Relation),
    /// The aggregate of an array relation.
    Aggregate(&'a Relation),
    /// The connection of an array relation.
    Connection(&'a Relation),
    /// A computed field.
    Computed(&'a Computed),
    /// The aggregate of a computed field that returns rows.
    ComputedAggregate(&'a Computed),
}

impl Model {
    /// Creates a model of these tables and root fields. The caller ensures that names are valid and
    /// unique.
    pub fn new(catalog: Arc<Catalog>, exposed: Vec<ExposedTable>, roots: Vec<Root>) -> Model {
        let claims_sums = exposed
            .iter()
            .any(|table| matches!(table.type_name.as_str(), "bigint" | "numeric"));
        let mut tables: Vec<Option<ExposedTable>> = catalog.tables.iter().map(|_| None).collect();
        for table in exposed {
            let index = table.table.0 as usize;
            tables[index] = Some(table);
        }
        let roots = roots
            .into_iter()
            .map(|root| (root.name.clone(), root))
            .collect();
        let scalar = |oid| (oid, Arc::new(Scalar::from_oid(&catalog, oid)));
        let scalars = catalog
            .types
            .iter()
            .map(|r#type| scalar(r#type.oid))
            .collect();
        Model {
            catalog,
            scalars,
            tables,
            roots,
            default_exposure: DefaultExposure::default(),
            graphql_enums: false,
            enums: HashMap::default(),
            routines: Vec::new(),
            claims_sums,
        }
    }

    /// Adds functions as root fields.
    pub fn with_routines(self, routines: Vec<Routine>) -> Model {
        Model { routines, ..self }
    }

    /// Sets which fields tables have by default.
    pub fn with_default_exposure(self, offer: DefaultExposure) -> Model {
        Model {
            default_exposure: offer,
            ..self
        }
    }

    /// Sets whether the enums of Postgres are enums of GraphQL. Otherwise they are scalars.
    pub fn with_graphql_enums(self, graphql_enums: bool) -> Model {
        Model {
            graphql_enums,
            ..self
        }
    }

    /// The labels of a type that is an enum of GraphQL: one of Postgres' enums, if the permission
    /// file wants them to be, and every label is a name in GraphQL.
    pub fn graphql_enum(&self, oid: Oid) -> Option<&[String]> {
        let base = self.catalog.base_type(oid).filter(|_| self.graphql_enums)?;
        let TypeKind::Enum(labels) = &base.kind else {
            return None;
        };
        let is_value = |label: &String| {
            names::is_graphql(label)
                && !label.starts_with("__")
                && !matches!(label.as_str(), "true" | "false" | "null")
        };
        (!labels.is_empty() && labels.iter().all(is_value)).then_some(labels)
    }

    /// The element type of an array that GraphQL shows as a list. Under Hasura's dialect arrays are
    /// scalars.
    pub fn list_element(&self, oid: Oid) -> Option<Oid> {
        let base = self
            .catalog
            .base_type(oid)
            .filter(|_| self.default_exposure != DefaultExposure::AsHasura)?;
        match base.kind {
            TypeKind::Array(element) => Some(element),
            _ => None,
        }
    }

    /// Which fields tables have by default.
    pub fn offer(&self) -> DefaultExposure {
        self.default_exposure
    }

    /// Sets the enum tables, each with the column that holds its values. A column with a
    /// single-column foreign key to one gets the enum's type.
    pub fn with_enums(self, enums: &[(TableId, ColumnId)]) -> Model {
        let mut found = HashMap::default();
        for (id, table) in self.catalog.table_ids() {
            for foreign in &table.foreign_keys {
                let ([from], [to]) = (foreign.columns.as_slice(), foreign.references.as_slice())
                else {
                    continue;
                };
                let target = self.catalog.find(&foreign.schema, &foreign.table);
                let is_value = |(of, value): &&(TableId, ColumnId)| {
                    target == Some(*of) && self.catalog.table(*of).find(to) == Some(*value)
                };
                if let (Some(from), Some((of, _))) = (table.find(from), enums.iter().find(is_value))
                {
                    found.insert((id, from), *of);
                }
            }
        }
        Model {
            enums: found,
            ..self
        }
    }

    /// The enum table that a column's foreign key refers to.
    pub fn enum_of(&self, table: TableId, column: ColumnId) -> Option<TableId> {
        self.enums.get(&(table, column)).copied()
    }

    /// The catalog that the model names.
    pub fn catalog(&self) -> &Arc<Catalog> {
        &self.catalog
    }

    /// The scalar of a type, as [`Scalar::from_oid`].
    pub fn scalar(&self, oid: Oid) -> Arc<Scalar> {
        self.scalars
            .get(&oid)
            .cloned()
            .unwrap_or_else(|| Arc::new(Scalar::from_oid(&self.catalog, oid)))
    }

    /// The type of a sum of values of this type: that of Postgres for integers, so that every sum
    /// is a value of it. In Hasura it is the type of the column.
    pub fn sum_type(&self, oid: Oid) -> Oid {
        if self.default_exposure == DefaultExposure::AsHasura || self.claims_sums {
            return oid;
        }
        match self.scalar(oid).output.encoder.below() {
            Encoder::Int2 | Encoder::Int4 => INT8,
            Encoder::Int8 => NUMERIC,
            _ => oid,
        }
    }

    /// The catalog's entry for a table.
    pub fn table(&self, id: TableId) -> &Table {
        self.catalog.table(id)
    }

    /// The GraphQL names of a table; `None` if it is not exposed.
    pub fn exposed(&self, id: TableId) -> Option<&ExposedTable> {
        self.tables.get(id.0 as usize)?.as_ref()
    }

    /// The exposed tables of the database, without result types of functions.
    pub fn tables(&self) -> impl Iterator<Item = &ExposedTable> {
        self.tables
            .iter()
            .flatten()
            .filter(|exposed| self.table(exposed.table).kind != TableKind::Result)
    }

    /// The named results of functions that return rows of no table.
    pub fn results(&self) -> impl Iterator<Item = &ExposedTable> {
        self.tables
            .iter()
            .flatten()
            .filter(|exposed| self.table(exposed.table).kind == TableKind::Result)
    }

    /// The root field of that name.
    pub fn root(&self, name: &str) -> Option<&Root> {
        self.roots.get(name)
    }

    /// The index of a root field in [`Model::roots`].
    pub fn root_place(&self, root: &Root) -> Option<u32> {
        self.roots
            .get_index_of(&root.name)
            .map(|index| index as u32)
    }

    /// The root field at an index of [`Model::roots`].
    pub fn root_at(&self, index: u32) -> Option<&Root> {
        self.roots.get_index(index as usize).map(|(_, root)| root)
    }

    /// The function whose root field has that name, and whether the name is that of its aggregate.
    pub fn routine(&self, name: &str) -> Option<(&Routine, bool)> {
        self.routines.iter().find_map(|routine| match () {
            () if routine.name == name => Some((routine, false)),
            () if routine.aggregate.as_deref() == Some(name) => Some((routine, true)),
            () => None,
        })
    }

    /// The callable of a function field.
    pub fn callable(&self, id: CallId) -> Option<&Callable> {
        match id {
            CallId::Routine(index) => self
                .routines
                .get(index as usize)
                .map(|routine| &routine.callable),
            CallId::Computed(table, index) => self
                .exposed(table)?
                .computed
                .get(index as usize)
                .map(|computed| &computed.callable),
        }
    }

    /// The functions that are root fields.
    pub fn routines(&self) -> &[Routine] {
        &self.routines
    }

    /// All root fields, in the order of tables.
    pub fn roots(&self) -> impl Iterator<Item = &Root> {
        self.roots.values()
    }
}

impl ExposedTable {
    /// The member of the row type with that name. Linear in the number of columns, which is
    /// negligible beside the rest of a request.
    pub fn member(&self, name: &str) -> Option<RowMember<'_>> {
        if let Some(column) = self.column(name) {
            return Some(RowMember::Column(column));
        }
        let relation = self.relations.iter().find_map(|relation| {
            if relation.name == name {
                Some(RowMember::Relation(relation))
            } else if relation.aggregate.as_deref() == Some(name) {
                Some(RowMember::Aggregate(relation))
            } else if relation.connection.as_deref() == Some(name) {
                Some(RowMember::Connection(relation))
            } else {
                None
            }
        });
        relation.or_else(|| self.computed_member(name))
    }

    fn computed_member(&self, name: &str) -> Option<RowMember<'_>> {
        self.computed.iter().find_map(|computed| match () {
            () if computed.name == name => Some(RowMember::Computed(computed)),
            () if computed.aggregate.as_deref() == Some(name) => {
                Some(RowMember::ComputedAggregate(computed))
            }
            () => None,
        })
    }

    /// The column with that GraphQL name.
    pub fn column(&self, name: &str) -> Option<ColumnId> {
        self.columns
            .iter()
            .position(|c| c.as_deref() == Some(name))
            .map(|i| ColumnId(i as u32))
    }

    /// The GraphQL name of a column.
    pub fn column_name(&self, column: ColumnId) -> Option<&str> {
        self.columns.get(column.0 as usize)?.as_deref()
    }

    /// The relation with that name.
    pub fn relation(&self, name: &str) -> Option<&Relation> {
        self.relations.iter().find(|relation| relation.name == name)
    }

    /// How fixed words are spelled for this table.
    pub fn spelling(&self) -> Spelling {
        self.convention.spelling()
    }

    /// The name of a helper type: `helper("bool_exp")` is `dataSubjects_bool_exp`, or
    /// `DataSubjectsBoolExp`.
    pub fn helper(&self, suffix: &str) -> String {
        self.spelling().helper(&self.types, suffix)
    }

    /// The inverse of [`ExposedTable::helper`]: the suffix of a helper type's name, if it is one of
    /// this table.
    pub fn suffix(&self, name: &str) -> Option<String> {
        self.spelling().ending(&self.types, name)
    }
}

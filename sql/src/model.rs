//! What the database is called in GraphQL: exposed tables, their columns, relations and root fields.
//!
//! A [`Model`] says nothing about who may see what; that is [`crate::model::access`].

use std::collections::HashMap;
use std::sync::Arc;

use indexmap::IndexMap;

use crate::model::names::{Convention, RootKind, Spelling};
use crate::postgres::catalog::{Catalog, ColumnId, Table, TableId, TableKind};

mod routine;
pub mod access;
pub mod operators;
pub mod update_operators;
pub mod names;
pub mod aggregates;
pub(crate) mod type_key;
pub(crate) mod type_cache;

pub use routine::{ArgumentSource, CallId, Callable, Computed, Returns, Routine};

/// The names of a database, unique and valid in GraphQL.
#[derive(Debug)]
pub struct Model {
    catalog: Arc<Catalog>,
    tables: Vec<Option<ExposedTable>>,
    roots: IndexMap<String, Root>,
    enums: HashMap<(TableId, ColumnId), TableId>,
    offer: DefaultExposure,
    routines: Vec<Routine>,
}

/// What is offered of every table without being asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DefaultExposure {
    /// All there is.
    #[default]
    Everything,
    /// What Hasura's schemas have, in their order: fields by name, cursors only where connections are asked for.
    AsHasura,
}

/// A root field: which kind of access to which table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Root {
    /// Its name in GraphQL.
    pub name: String,
    /// What it does.
    pub kind: RootKind,
    /// The table it reads or writes.
    pub table: TableId,
    /// The name of its input object type, where the file gives one of its own (`input = "…"` of an alias).
    pub input: Option<String>,
}

/// A table as GraphQL sees it.
#[derive(Clone, Debug)]
pub struct ExposedTable {
    /// The table.
    pub table: TableId,
    /// How names are made that the file does not give.
    pub convention: Convention,
    /// Its name, from which those of its root fields are made: `dataSubjects`.
    pub name: String,
    /// The name from which those of its helper types are made. In `graphql-default` another than `name`, unless that
    /// one is given by the file.
    pub types: String,
    /// What the file says of it; else the database's comment holds. Empty text says nothing.
    pub comment: Option<String>,
    /// The same of its columns.
    pub comments: HashMap<ColumnId, String>,
    /// Whether its rows may be grouped: no other table has a name that the types for it need.
    pub groups: bool,
    /// Whether it is offered page by page, as Relay's connections are.
    pub connection: bool,
    /// The name of its row's type: `DataSubject`.
    pub type_name: String,
    /// The name of each column, by [`ColumnId`]; none where it cannot be said in GraphQL.
    pub columns: Vec<Option<String>>,
    /// Its relations, by name in the order they are shown.
    pub relations: Vec<Relation>,
    /// Its computed fields, in the order they are shown.
    pub computed: Vec<Computed>,
}

/// The way from a row to rows of another table.
#[derive(Clone, Debug)]
pub struct Relation {
    /// Its field's name.
    pub name: String,
    /// The name of its aggregate's field, for arrays.
    pub aggregate: Option<String>,
    /// The name of its connection's field, for arrays of tables that are offered as connections.
    pub connection: Option<String>,
    /// Where it leads.
    pub to: TableId,
    /// Columns here and there that are equal.
    pub on: Vec<(ColumnId, ColumnId)>,
    /// How many rows it leads to.
    pub kind: RelationKind,
}

/// How many rows a relation leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RelationKind {
    /// One row or none; `unique` when a key proves that there are not more.
    Object {
        /// Whether the columns over there hold a key.
        unique: bool,
        /// Whether a foreign key over columns without nulls proves that the row exists.
        always: bool,
    },
    /// Any number of rows.
    Array,
}

/// What a name means in a row's type.
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
    /// A model of these tables and root fields. The caller has made sure that names are valid and unique.
    pub fn new(catalog: Arc<Catalog>, exposed: Vec<ExposedTable>, roots: Vec<Root>) -> Model {
        let mut tables: Vec<Option<ExposedTable>> = catalog.tables.iter().map(|_| None).collect();
        for table in exposed {
            let place = table.table.0 as usize;
            tables[place] = Some(table);
        }
        let roots = roots.into_iter().map(|root| (root.name.clone(), root)).collect();
        Model { catalog, tables, roots, offer: DefaultExposure::default(), enums: HashMap::new(), routines: Vec::new() }
    }

    /// The same with functions as root fields.
    pub fn with_routines(self, routines: Vec<Routine>) -> Model {
        Model { routines, ..self }
    }

    /// The same, offering something else.
    pub fn offering(self, offer: DefaultExposure) -> Model {
        Model { offer, ..self }
    }

    /// What is offered without being asked for.
    pub fn offer(&self) -> DefaultExposure {
        self.offer
    }

    /// The same with enum tables, each with the column that holds its values: columns with a foreign key to one are of
    /// its enum.
    pub fn with_enums(self, enums: &[(TableId, ColumnId)]) -> Model {
        let mut found = HashMap::new();
        for (id, table) in self.catalog.table_ids() {
            for foreign in &table.foreign_keys {
                let ([from], [to]) = (foreign.columns.as_slice(), foreign.references.as_slice()) else { continue };
                let target = self.catalog.find(&foreign.schema, &foreign.table);
                let is_value = |(of, value): &&(TableId, ColumnId)| {
                    target == Some(*of) && self.catalog.table(*of).find(to) == Some(*value)
                };
                if let (Some(from), Some((of, _))) = (table.find(from), enums.iter().find(is_value)) {
                    found.insert((id, from), *of);
                }
            }
        }
        Model { enums: found, ..self }
    }

    /// The enum table whose values a column holds, if it does.
    pub fn enum_of(&self, table: TableId, column: ColumnId) -> Option<TableId> {
        self.enums.get(&(table, column)).copied()
    }

    /// The database.
    pub fn catalog(&self) -> &Arc<Catalog> {
        &self.catalog
    }

    /// The catalog's entry of a table.
    pub fn table(&self, id: TableId) -> &Table {
        self.catalog.table(id)
    }

    /// The table's names, unless it is not exposed.
    pub fn exposed(&self, id: TableId) -> Option<&ExposedTable> {
        self.tables.get(id.0 as usize)?.as_ref()
    }

    /// All exposed tables of the database.
    pub fn tables(&self) -> impl Iterator<Item = &ExposedTable> {
        self.tables.iter().flatten().filter(|exposed| self.table(exposed.table).kind != TableKind::Result)
    }

    /// What functions return that is no row of a table, named like tables.
    pub fn results(&self) -> impl Iterator<Item = &ExposedTable> {
        self.tables.iter().flatten().filter(|exposed| self.table(exposed.table).kind == TableKind::Result)
    }

    /// The root field of that name.
    pub fn root(&self, name: &str) -> Option<&Root> {
        self.roots.get(name)
    }

    /// The place of a root field among [`Model::roots`].
    pub fn root_place(&self, root: &Root) -> Option<u32> {
        self.roots.get_index_of(&root.name).map(|place| place as u32)
    }

    /// The root field at that place.
    pub fn root_at(&self, place: u32) -> Option<&Root> {
        self.roots.get_index(place as usize).map(|(_, root)| root)
    }

    /// The function that is a root field of that name, and whether the name is that of its aggregate.
    pub fn routine(&self, name: &str) -> Option<(&Routine, bool)> {
        self.routines.iter().find_map(|routine| match () {
            () if routine.name == name => Some((routine, false)),
            () if routine.aggregate.as_deref() == Some(name) => Some((routine, true)),
            () => None,
        })
    }

    /// How the function of a field is called.
    pub fn callable(&self, id: CallId) -> Option<&Callable> {
        match id {
            CallId::Routine(place) => self.routines.get(place as usize).map(|routine| &routine.callable),
            CallId::Computed(table, place) => {
                self.exposed(table)?.computed.get(place as usize).map(|computed| &computed.callable)
            }
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
    /// What a name means in this table's row type. Linear in the number of columns, which a request never notices.
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
            () if computed.aggregate.as_deref() == Some(name) => Some(RowMember::ComputedAggregate(computed)),
            () => None,
        })
    }

    /// The column with that GraphQL name.
    pub fn column(&self, name: &str) -> Option<ColumnId> {
        self.columns.iter().position(|c| c.as_deref() == Some(name)).map(|i| ColumnId(i as u32))
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

    /// The name of a helper type: `helper("bool_exp")` is `dataSubjects_bool_exp`, or `DataSubjectsBoolExp`.
    pub fn helper(&self, suffix: &str) -> String {
        self.spelling().helper(&self.types, suffix)
    }

    /// The suffix that [`ExposedTable::helper`] makes this name of, if there is one.
    pub fn suffix(&self, name: &str) -> Option<String> {
        self.spelling().ending(&self.types, name)
    }
}

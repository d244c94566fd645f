//! The GraphQL schema of a role, computed name by name from the catalog and the role's access.
//! Nothing is built in advance.
//!
//! [`crate::resolve`] looks names up in it, and [`crate::introspection`] walks it, so introspection
//! shows exactly what requests may use. A name that the role may not use is not found.

use std::sync::Arc;

use crate::model::access::{Access, Purpose, Select};
use crate::model::action::ActionKind;
use crate::model::names::{Convention, RootKind, Spelling};
use crate::model::operators;
use crate::model::operators::Operator;
use crate::model::update_operators::UpdateOperator;
use crate::model::{
    CallId, Callable, Computed, ExposedTable, Model, Relation, RelationKind, Returns, Root,
    Routine, RowMember,
};
use crate::postgres::catalog::{Catalog, ColumnId, Oid, TableId};
use crate::postgres::types::{Family, Input, Scalar, graphql_name, is_json};

mod field;
mod values;
mod objects;
mod connection;
mod streams;
mod calls;
mod actions;
mod inputs;
mod operands;
mod aggregates;
mod path;
mod search;
mod aggregate_condition;
mod groups;
mod mutation;
mod writable;
mod violations;
mod inserts;
mod updates;
mod related;
mod written;
mod named;
mod meta;

pub use crate::model::aggregates::{ConditionAggregate, Function, FunctionResult};
pub use crate::model::type_key::{
    BuiltIn, Comparison, Enum, InputObject, Meta, Object, TypeKey, TypeRef,
};
pub use field::{Argument, FieldDefinition, InputField, InputMeaning, Meaning};
pub use values::{Bucket, CURSOR_ORDERINGS, CountMode, Direction, Info, Quantifier};
pub use violations::Violation;

/// The only field of a `query_root` that has no other field: an object type must have at least one.
const NO_QUERIES: &str = "no_queries_available";

/// The purposes for which single rows are returned.
const SHOWING: [Purpose; 5] = [
    Purpose::Rows,
    Purpose::Root(RootKind::List),
    Purpose::Root(RootKind::One),
    Purpose::Root(RootKind::Connection),
    Purpose::Root(RootKind::Stream),
];

/// The schema of one role.
#[derive(Clone, Copy)]
pub struct Schema<'a> {
    access: &'a Access,
    model: &'a Model,
    catalog: &'a Catalog,
}

/// Returns the member of a row, unless it is a relation that the role cannot follow from any row.
fn reached<'a>(select: &Select, member: RowMember<'a>) -> Option<RowMember<'a>> {
    match member {
        RowMember::Relation(relation)
        | RowMember::Aggregate(relation)
        | RowMember::Connection(relation) => select.has_relation(&relation.name).then_some(member),
        RowMember::Computed(computed) | RowMember::ComputedAggregate(computed) => {
            select.has_relation(&computed.name).then_some(member)
        }
        RowMember::Column(_) => Some(member),
    }
}

impl<'a> Schema<'a> {
    /// The schema of a role.
    pub fn new(access: &'a Access) -> Schema<'a> {
        let model = access.model();
        Schema {
            access,
            model,
            catalog: model.catalog(),
        }
    }

    /// The role's access.
    pub fn access(&self) -> &'a Access {
        self.access
    }

    /// The exposed tables and their names.
    pub fn model(&self) -> &'a Model {
        self.model
    }

    /// The scalar of a type.
    pub fn scalar(&self, oid: Oid) -> Arc<Scalar> {
        self.model.scalar(oid)
    }

    /// The scalar of a column. A column with an enum table accepts the table's values only.
    pub fn column_scalar(&self, table: TableId, column: ColumnId) -> Arc<Scalar> {
        let scalar = self.scalar(self.model.table(table).column(column).r#type);
        let Some(of) = self.model.enum_of(table, column) else {
            return scalar;
        };
        let name = self.name(TypeKey::Enum(Enum::Values(of)));
        Arc::new(Scalar {
            name,
            input: self.enum_input(of),
            min_max: None,
            ..Scalar::clone(&scalar)
        })
    }

    /// The accepted values of an enum table.
    pub fn enum_input(&self, table: TableId) -> Input {
        let values: Vec<String> = self
            .values(Enum::Values(table))
            .into_iter()
            .map(str::to_owned)
            .collect();
        Input::Enum(values.into())
    }

    /// The accepted input of a scalar; `None` for other types.
    pub fn scalar_input(&self, named: TypeKey) -> Option<Input> {
        match named {
            TypeKey::BuiltIn(BuiltIn::Int) => Some(Input::Integer {
                min: i32::MIN.into(),
                max: i32::MAX.into(),
                text: false,
            }),
            TypeKey::BuiltIn(BuiltIn::Float) => Some(Input::Float),
            TypeKey::BuiltIn(BuiltIn::String) => Some(Input::Text),
            TypeKey::BuiltIn(BuiltIn::Id) => Some(Input::Other),
            TypeKey::BuiltIn(BuiltIn::Boolean) => Some(Input::Boolean),
            TypeKey::Scalar(oid) => Some(self.scalar(oid).input.clone()),
            TypeKey::ActionScalar(_) => Some(Input::Json),
            TypeKey::Enum(Enum::Values(of)) => Some(self.enum_input(of)),
            _ => None,
        }
    }

    /// The tables whose rows the role may read, with their grants. Result types of functions are
    /// included.
    pub fn readable(&self) -> impl Iterator<Item = (&'a ExposedTable, &'a Select)> {
        let access = self.access;
        self.model
            .tables()
            .chain(self.model.results())
            .filter_map(move |exposed| Some((exposed, access.select(exposed.table)?)))
    }

    /// The tables that the role may read or write.
    pub fn tables(&self) -> impl Iterator<Item = &'a ExposedTable> {
        let schema = *self;
        let all = self.model.tables().chain(self.model.results());
        all.filter(move |exposed| {
            schema.access.select(exposed.table).is_some() || schema.is_writable(exposed.table)
        })
    }

    fn open(&self, table: TableId) -> Option<(&'a ExposedTable, &'a Select)> {
        Some((self.model.exposed(table)?, self.access.select(table)?))
    }

    /// The granted columns that have a GraphQL name.
    pub fn columns(&self, table: TableId) -> Vec<(ColumnId, &'a str)> {
        self.named_columns(table).collect()
    }

    fn named_columns(&self, table: TableId) -> impl Iterator<Item = (ColumnId, &'a str)> {
        let columns = self.open(table).map(|(exposed, select)| {
            select
                .columns
                .iter()
                .filter_map(|column| Some((column, exposed.column_name(column)?)))
        });
        columns.into_iter().flatten()
    }

    fn column(&self, table: TableId, name: &str) -> Option<ColumnId> {
        let (exposed, select) = self.open(table)?;
        exposed
            .column(name)
            .filter(|column| select.columns.contains(*column))
    }

    /// Whether rows of the table can be returned: at least one column is granted.
    fn has_rows(&self, table: TableId) -> bool {
        let open = self.open(table);
        open.is_some_and(|(exposed, select)| {
            select
                .columns
                .iter()
                .any(|column| exposed.column_name(column).is_some())
        })
    }

    /// Whether the row type has any field to select: a column, or a computed value that is granted.
    fn has_fields(&self, table: TableId) -> bool {
        let computed = || {
            self.open(table)
                .map(|(exposed, select)| (exposed.computed.iter(), select))
        };
        let listed = |computed: &Computed, select: &Select| {
            computed.callable.table().is_none() && select.computed.contains(&computed.name)
        };
        self.has_rows(table)
            || computed()
                .is_some_and(|(mut all, select)| all.any(|computed| listed(computed, select)))
    }

    fn convention(&self, table: TableId) -> Convention {
        self.model
            .exposed(table)
            .map_or(Convention::Snake, |exposed| exposed.convention)
    }

    /// The spelling of fixed words where a table is read.
    pub fn spelling(&self, table: TableId) -> Spelling {
        self.convention(table).spelling()
    }

    /// The comparison input of a column.
    pub fn comparison(&self, table: TableId, column: ColumnId) -> Comparison {
        let entry = self.model.table(table).column(column);
        Comparison {
            r#type: entry.r#type,
            deterministic: entry.deterministic,
            spelling: self.spelling(table),
            modifier: entry.modifier,
            of: self.model.enum_of(table, column),
        }
    }

    /// The GraphQL type of a column's values: that of its enum table, or its scalar.
    pub fn column_named(&self, table: TableId, column: ColumnId) -> TypeKey {
        match self.model.enum_of(table, column) {
            Some(of) => TypeKey::Enum(Enum::Values(of)),
            None => TypeKey::Scalar(self.model.table(table).column(column).r#type),
        }
    }

    /// Whether single rows of the table may be selected outside of root fields.
    fn shows_rows(&self, table: TableId) -> bool {
        self.access.may_read_rows(table)
    }

    /// Whether aggregates of the table offer its rows as `nodes`: if the role may list them, or if
    /// no root field is an aggregate and relations or functions lead to the rows anyway.
    fn has_nodes(&self, table: TableId) -> bool {
        let Some((_, select)) = self.open(table) else {
            return false;
        };
        let listed = self.access.listing_root(table).is_some();
        self.has_fields(table)
            && (listed || !select.has_root(RootKind::Aggregate))
            && self.shows_rows(table)
    }

    /// Whether the role's schema has the root field.
    fn root_granted(&self, root: &Root) -> bool {
        if self
            .access
            .read(root.table, Purpose::Root(root.kind))
            .is_none()
        {
            return false;
        }
        match root.kind {
            RootKind::List => self.has_fields(root.table),
            RootKind::One => self.has_fields(root.table) && self.key_columns(root.table).is_some(),
            RootKind::Connection => {
                self.has_fields(root.table) && self.key_columns(root.table).is_some()
            }
            RootKind::Aggregate | RootKind::Group => self.has_aggregate(root.table),
            // Streams are not queries, and fields that write belong to mutations.
            _ => false,
        }
    }

    /// The columns of the primary key with their names, if the role may read all of them as stored
    /// in every row.
    pub fn key_columns(&self, table: TableId) -> Option<Vec<(ColumnId, &'a str)>> {
        let (exposed, select) = self.open(table)?;
        let entry = self.model.table(table);
        let shown = || {
            SHOWING
                .into_iter()
                .filter_map(|purpose| self.access.read(table, purpose))
        };
        let stands_for = |column| shown().any(|select| select.values.contains_key(&column));
        let columns = entry.primary_key()?.columns.iter().map(|name| {
            let column = entry
                .find(name)
                .filter(|column| select.columns.contains(*column))?;
            // A mask may make several rows look alike, and null cannot identify a row.
            let column = Some(column).filter(|column| !stands_for(*column))?;
            Some((column, exposed.column_name(column)?))
        });
        // A key without columns would select every row.
        columns
            .collect::<Option<Vec<_>>>()
            .filter(|columns| !columns.is_empty())
    }
}

//! What a role may write: the tables, their columns, the update operators of a column, and the keys
//! for `on_conflict`. The input types of mutations are built from these answers.

use super::*;
use crate::model::DefaultExposure;
use crate::model::access::{Delete, Insert, Rule, Update};
use crate::model::names::is_graphql;
use crate::model::operators::{self, OperatorKind};
use crate::model::update_operators::UpdateOperator;
use crate::postgres::catalog::{
    ArbiterIndex, DELETABLE_BIT, INSERTABLE_BIT, Key, Table, Type, TypeKind, UPDATABLE_BIT,
};

/// The OIDs of built-in types never change.
/// <https://github.com/postgres/postgres/blob/master/src/include/catalog/pg_type.dat>
const INT4: Oid = 23;
const TEXT: Oid = 25;
const FLOAT8: Oid = 701;
const TEXTS: Oid = 1009;

/// The class of a type, which determines its update operators.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Change {
    /// Values can only be replaced.
    Whole,
    /// Numbers.
    Number,
    /// An amount of money, which is multiplied by a `float8`.
    Money,
    /// `jsonb`
    Jsonb,
    /// An array with elements of a type; whether the elements can be compared.
    Array(Oid, bool),
}

impl<'a> Schema<'a> {
    // ---- tables

    /// The tables that the role may insert into, update or delete from.
    pub(super) fn writable(&self) -> impl Iterator<Item = &'a ExposedTable> {
        let schema = *self;
        self.model
            .tables()
            .filter(move |exposed| schema.is_writable(exposed.table))
    }

    /// Whether the role may insert into, update or delete from a table.
    pub(super) fn is_writable(&self, table: TableId) -> bool {
        self.inserts(table).is_some()
            || self.updates(table).is_some()
            || self.deletes(table).is_some()
    }

    /// The grant to insert, if the table is insertable.
    pub(super) fn inserts(&self, table: TableId) -> Option<&'a Insert> {
        self.access
            .insert(table)
            .filter(|_| self.takes(table, INSERTABLE_BIT))
    }

    /// The grant to update, if the table is updatable.
    pub(super) fn updates(&self, table: TableId) -> Option<&'a Update> {
        self.access
            .update(table)
            .filter(|_| self.takes(table, UPDATABLE_BIT))
    }

    /// The grant to delete, if rows of the table can be deleted.
    pub(super) fn deletes(&self, table: TableId) -> Option<&'a Delete> {
        self.access
            .delete(table)
            .filter(|_| self.takes(table, DELETABLE_BIT))
    }

    fn takes(&self, table: TableId, bit: u32) -> bool {
        self.model.exposed(table).is_some() && self.model.table(table).updatable & bit != 0
    }

    /// Whether an update of the table can change its own columns.
    pub(super) fn changes(&self, table: TableId) -> bool {
        let Some(grant) = self.updates(table) else {
            return false;
        };
        !grant.preset.is_empty()
            || grant
                .columns
                .iter()
                .any(|column| self.is_updatable(table, column))
    }

    // ---- columns

    /// The columns that inserts may set, with their names.
    pub fn insertable_columns(&self, table: TableId) -> Vec<(ColumnId, &'a str)> {
        let Some((exposed, grant)) = self.model.exposed(table).zip(self.inserts(table)) else {
            return Vec::new();
        };
        let columns = grant
            .columns
            .iter()
            .filter(|column| self.is_insertable(table, *column));
        columns
            .filter_map(|column| Some((column, exposed.column_name(column)?)))
            .collect()
    }

    /// Whether inserts may set a column.
    pub(super) fn is_insertable(&self, table: TableId, column: ColumnId) -> bool {
        let grant = self.inserts(table);
        grant.is_some_and(|grant| grant.columns.contains(column))
            && self.is_free_in_inserts(table, column)
    }

    /// Whether a column of new rows is writable and not preset for the role.
    pub(super) fn is_free_in_inserts(&self, table: TableId, column: ColumnId) -> bool {
        let free = |grant: &Insert| !is_preset(&grant.preset, column);
        self.inserts(table).is_some_and(free) && self.catalog.read_only(table, column).is_none()
    }

    /// The columns that updates may set, with their names.
    pub fn updatable_columns(&self, table: TableId) -> Vec<(ColumnId, &'a str)> {
        let Some((exposed, grant)) = self.model.exposed(table).zip(self.updates(table)) else {
            return Vec::new();
        };
        let columns = grant
            .columns
            .iter()
            .filter(|column| self.is_updatable(table, *column));
        columns
            .filter_map(|column| Some((column, exposed.column_name(column)?)))
            .collect()
    }

    /// Whether updates may set a column.
    pub fn is_updatable(&self, table: TableId, column: ColumnId) -> bool {
        let granted =
            |grant: &Update| grant.columns.contains(column) && !is_preset(&grant.preset, column);
        self.updates(table).is_some_and(granted) && self.catalog.read_only(table, column).is_none()
    }

    /// The columns that an update operator may change, with their names.
    pub fn assignable(&self, table: TableId, modifier: UpdateOperator) -> Vec<(ColumnId, &'a str)> {
        let mut columns = self.updatable_columns(table);
        columns.retain(|(column, _)| self.assigned(table, *column, modifier).is_some());
        columns
    }

    /// The Postgres type of an update operator's operand for a column; `None` if the operator is
    /// not offered.
    pub fn assigned(
        &self,
        table: TableId,
        column: ColumnId,
        modifier: UpdateOperator,
    ) -> Option<Oid> {
        let own = self.model.table(table).column(column).r#type;
        if modifier == UpdateOperator::Set {
            return Some(own);
        }
        if !self.is_read_as_stored(table, column) {
            return None;
        }
        let change = self.change(table, column);
        self.applies_to(modifier, change)
            .then_some(match (modifier, change) {
                (UpdateOperator::Mul, Change::Money) => FLOAT8,
                (UpdateOperator::DeleteKey, _) => TEXT,
                (UpdateOperator::DeleteElem, _) => INT4,
                (UpdateOperator::DeleteAtPath, _) => TEXTS,
                (_, Change::Array(element, _)) => element,
                _ => own,
            })
    }

    /// The update operators that some column has.
    pub(super) fn modifiers(&self, table: TableId) -> Vec<UpdateOperator> {
        let mut settable = false;
        let mut changes = Vec::<Change>::new();
        for (column, _) in self.updatable_columns(table) {
            settable = true;
            let change = self.change(table, column);
            if !changes.contains(&change) && self.is_read_as_stored(table, column) {
                changes.push(change);
            }
        }
        let all = UpdateOperator::ALL
            .into_iter()
            .map(|(modifier, _)| modifier);
        let applies = |modifier| match modifier {
            UpdateOperator::Set => settable,
            modifier => changes
                .iter()
                .any(|change| self.applies_to(modifier, *change)),
        };
        all.filter(|modifier| applies(*modifier)).collect()
    }

    fn applies_to(&self, modifier: UpdateOperator, change: Change) -> bool {
        let is_extension = matches!(
            modifier,
            UpdateOperator::Mul | UpdateOperator::ArrayAppend | UpdateOperator::ArrayRemove
        );
        if is_extension && self.model.offer() != DefaultExposure::Everything {
            return false;
        }
        match modifier {
            UpdateOperator::Set => true,
            UpdateOperator::Inc | UpdateOperator::Mul => {
                matches!(change, Change::Number | Change::Money)
            }
            UpdateOperator::Append
            | UpdateOperator::Prepend
            | UpdateOperator::DeleteKey
            | UpdateOperator::DeleteElem
            | UpdateOperator::DeleteAtPath => change == Change::Jsonb,
            UpdateOperator::ArrayAppend => matches!(change, Change::Array(..)),
            UpdateOperator::ArrayRemove => matches!(change, Change::Array(_, true)),
        }
    }

    fn change(&self, table: TableId, column: ColumnId) -> Change {
        let Some(base) = self
            .catalog
            .base_type(self.model.table(table).column(column).r#type)
        else {
            return Change::Whole;
        };
        match &base.kind {
            _ if self.model.enum_of(table, column).is_some() => Change::Whole,
            TypeKind::Array(element) => Change::Array(*element, self.is_ordered(*element)),
            TypeKind::Base if base.schema == "pg_catalog" => built_in(base),
            _ => Change::Whole,
        }
    }

    fn is_ordered(&self, oid: Oid) -> bool {
        self.catalog.base_type(oid).is_some_and(|base| base.ordered)
    }

    /// The columns of `if_match`: those that the role reads as stored, and that can be compared.
    pub fn match_columns(&self, table: TableId) -> Vec<(ColumnId, &'a str)> {
        let mut columns = self.columns(table);
        columns.retain(|(column, _)| self.is_matched(table, *column));
        columns
    }

    /// Whether `if_match` may contain a column.
    pub(super) fn is_matched(&self, table: TableId, column: ColumnId) -> bool {
        let as_stored = self.is_read_as_stored(table, column);
        let entry = self.model.table(table).column(column);
        let scalar = self.scalar(entry.r#type);
        let has_equality = operators::all().any(|operator| {
            operator.kind == OperatorKind::Equal
                && operator.is_offered(&scalar, entry.deterministic)
        });
        as_stored && self.model.offer() == DefaultExposure::Everything && has_equality
    }

    /// Whether the role reads the stored value of a column in every row that it may read. Otherwise
    /// neither an operator that depends on the stored value nor a condition on it is offered: its
    /// failure would disclose the value.
    fn is_read_as_stored(&self, table: TableId, column: ColumnId) -> bool {
        let select = self.access.read(table, Purpose::Rows);
        select.is_some_and(|select| {
            select.columns.contains(column) && !select.values.contains_key(&column)
        })
    }

    /// Whether the role may read or write a column.
    pub fn knows(&self, table: TableId, column: ColumnId) -> bool {
        let reads = self
            .open(table)
            .is_some_and(|(_, select)| select.columns.contains(column));
        reads || self.is_insertable(table, column) || self.is_updatable(table, column)
    }

    // ---- keys

    /// The indexes that `on_conflict` can name: unique indexes of the table, over columns that the
    /// role reads or writes, with names that are valid in GraphQL.
    pub fn arbiter_indexes(&self, table: TableId) -> Vec<ArbiterIndex<'a>> {
        let is_valid_name =
            |name: &str| is_graphql(name) && !matches!(name, "true" | "false" | "null");
        let indexes = self.model.table(table).arbiter_indexes();
        indexes
            .filter(|index| is_valid_name(index.name()) && self.handles(table, index.columns()))
            .collect()
    }

    /// Whether inserts of the table may have `on_conflict`. To leave an existing row as it is takes
    /// no grant to update.
    pub(super) fn has_conflicts(&self, table: TableId) -> bool {
        self.inserts(table).is_some() && !self.arbiter_indexes(table).is_empty()
    }

    /// Whether this table's columns of a relation are the foreign key. Without a foreign key in the
    /// catalog, they count as one if they reference a key of the other table and are not this
    /// table's own primary key.
    pub fn holds_key(&self, table: TableId, relation: &Relation) -> bool {
        let here = self.model.table(table);
        let there = self.model.table(relation.to);
        let pair = |(from, to): &(ColumnId, ColumnId)| {
            (
                here.column(*from).name.as_str(),
                there.column(*to).name.as_str(),
            )
        };
        let pairs: Vec<(&str, &str)> = relation.on.iter().map(pair).collect();
        let reversed: Vec<(&str, &str)> = pairs.iter().map(|(from, to)| (*to, *from)).collect();
        if relation.kind == RelationKind::Array
            || points(there, here, &reversed) && !points(here, there, &pairs)
        {
            return false;
        }
        let own = here.primary_key().is_some_and(|key| is_key(key, &reversed));
        points(here, there, &pairs) || !own && there.keys.iter().any(|key| is_key(key, &pairs))
    }
}

/// Whether a foreign key of `from` over exactly these columns references the paired columns of
/// `to`.
fn points(from: &Table, to: &Table, pairs: &[(&str, &str)]) -> bool {
    from.foreign_keys.iter().any(|foreign| {
        let mut columns = foreign.columns.iter().zip(&foreign.references);
        (foreign.schema == to.schema && foreign.table == to.name)
            && foreign.columns.len() == pairs.len()
            && columns.all(|(column, other)| pairs.contains(&(column.as_str(), other.as_str())))
    })
}

/// Whether the second columns of the pairs are those of a key.
fn is_key(key: &Key, pairs: &[(&str, &str)]) -> bool {
    key.columns.len() == pairs.len()
        && key
            .columns
            .iter()
            .all(|column| pairs.iter().any(|(_, other)| other == column))
}

fn is_preset(presets: &[(ColumnId, Rule)], column: ColumnId) -> bool {
    presets.iter().any(|(preset, _)| *preset == column)
}

fn built_in(base: &Type) -> Change {
    match base.name.as_str() {
        "int2" | "int4" | "int8" | "float4" | "float8" | "numeric" => Change::Number,
        "money" => Change::Money,
        "jsonb" => Change::Jsonb,
        _ => Change::Whole,
    }
}

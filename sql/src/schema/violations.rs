//! Decides whether an error about a constraint violation may name the table, column and constraint.
//! The role learns a name only if its own schema already discloses it.

use super::*;
use crate::postgres::catalog::{Table, TypeKind};

/// The names in a Postgres error of class 23.
#[derive(Clone, Copy, Debug, Default)]
pub struct Violation<'v> {
    /// The schema of the table or domain.
    pub schema: Option<&'v str>,
    /// The table that was written, or that has the foreign key.
    pub table: Option<&'v str>,
    /// The column of a not-null constraint.
    pub column: Option<&'v str>,
    /// The constraint or index.
    pub constraint: Option<&'v str>,
    /// The domain, if the constraint belongs to a domain and not to a table.
    pub domain: Option<&'v str>,
    /// The table that a foreign key references, if that table was written.
    pub referenced: Option<&'v str>,
}

impl<'a> Schema<'a> {
    /// Whether the role may learn every name of a violation. For a foreign key this includes the
    /// referenced table.
    pub fn may_name_violation(&self, violation: &Violation<'_>) -> bool {
        if self.access.is_admin() {
            return true;
        }
        let Some(schema) = violation.schema else {
            return false;
        };
        match (violation.table, violation.domain) {
            (Some(table), _) => {
                let table = self.catalog.find(schema, table);
                table.is_some_and(|table| {
                    self.has_table(table) && self.knows_names(table, violation)
                })
            }
            (None, Some(domain)) => self
                .catalog
                .find_type(schema, domain)
                .is_some_and(|of| self.knows_type(of)),
            (None, None) => false,
        }
    }

    /// Whether the role has any grant on a table.
    fn has_table(&self, table: TableId) -> bool {
        self.open(table).is_some() || self.model.exposed(table).is_some() && self.is_writable(table)
    }

    fn knows_names(&self, table: TableId, violation: &Violation<'_>) -> bool {
        let entry = self.model.table(table);
        let knows_column = |name: &str| {
            entry
                .find(name)
                .is_some_and(|column| self.knows(table, column))
        };
        match (violation.column, violation.constraint) {
            (Some(column), None) => knows_column(column),
            (_, Some(constraint)) => {
                violation.column.is_none_or(knows_column)
                    && self.knows_constraint(table, constraint, violation.referenced)
            }
            (None, None) => true,
        }
    }

    fn knows_constraint(&self, table: TableId, name: &str, referenced: Option<&str>) -> bool {
        let entry = self.model.table(table);
        if let Some(foreign) = entry
            .foreign_keys
            .iter()
            .find(|foreign| foreign.name == name)
        {
            let other = self.catalog.find(&foreign.schema, &foreign.table);
            return referenced.is_none_or(|referenced| referenced == foreign.table)
                && other.is_some_and(|other| self.has_table(other))
                && self.handles(table, &foreign.columns);
        }
        let key = entry
            .keys
            .iter()
            .find(|key| key.name == name)
            .map(|key| &key.columns);
        let constraint = entry
            .constraints
            .iter()
            .find(|constraint| constraint.name == name);
        let columns = key.or(constraint.map(|constraint| &constraint.columns));
        referenced.is_none() && columns.is_some_and(|columns| self.handles(table, columns))
    }

    /// Whether the role reads or writes each of these columns. Preset columns count, since an
    /// upsert of the caller's own rows uses a key over them.
    pub(super) fn handles(&self, table: TableId, columns: &[String]) -> bool {
        let entry: &Table = self.model.table(table);
        let preset = |column| {
            let inserted = self
                .inserts(table)
                .is_some_and(|grant| grant.preset.iter().any(|(set, _)| *set == column));
            inserted
                || self
                    .updates(table)
                    .is_some_and(|grant| grant.preset.iter().any(|(set, _)| *set == column))
        };
        columns.iter().all(|name| {
            entry
                .find(name)
                .is_some_and(|column| self.knows(table, column) || preset(column))
        })
    }

    /// Whether the role has access to a column of a type, of an array of it, or of a domain over
    /// it.
    fn knows_type(&self, of: Oid) -> bool {
        let made_of = |mut oid: Oid| loop {
            if oid == of {
                return true;
            }
            match self.catalog.type_of(oid).map(|found| &found.kind) {
                Some(TypeKind::Domain(base) | TypeKind::Array(base)) => oid = *base,
                _ => return false,
            }
        };
        self.tables().any(|exposed| {
            let table = exposed.table;
            let mut columns = self.model.table(table).column_ids();
            columns.any(|(column, entry)| made_of(entry.r#type) && self.knows(table, column))
        })
    }
}

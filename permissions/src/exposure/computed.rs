//! Computed fields: functions that take a row of a table, exposed as fields of its row type.

use std::collections::HashSet;

use sql::model::{CallId, Computed, DefaultExposure, ExposedTable, Returns};
use sql::postgres::catalog::{Catalog, TableId};

use super::callable::{self, ArgumentSpec, ReturnShape};
use super::entries::Entries;
use super::name_registry::{NameRegistry, NamedItem, valid};
use super::relations;
use super::type_names::TypeRegistry;
use crate::file::{ComputedEntry, TableEntry};
use crate::report::Report;
use crate::table_names::key;

/// Adds the file's computed fields to the exposed tables.
pub(super) fn compute(
    catalog: &Catalog,
    exposed: &mut [ExposedTable],
    entries: &Entries<'_>,
    offer: DefaultExposure,
    types: &mut TypeRegistry,
    report: &mut Report<'_>,
) {
    let tables: HashSet<TableId> = exposed.iter().map(|table| table.table).collect();
    for table in exposed.iter_mut() {
        let Some(entry) = entries
            .get(&table.table)
            .filter(|entry| !entry.computed.is_empty())
        else {
            continue;
        };
        let mut members = members(catalog, table, entry);
        for written in &entry.computed {
            let mut builder = ComputedFieldBuilder {
                catalog,
                tables: &tables,
                table,
                offer,
                members: &mut members,
                types,
                report,
            };
            let computed = builder.computed(written);
            table.computed.extend(computed);
        }
    }
}

/// The names that columns and relations use.
fn members(catalog: &Catalog, exposed: &ExposedTable, entry: &TableEntry) -> NameRegistry {
    let table = catalog.table(exposed.table);
    let mut taken = relations::columns(table, exposed, Some(entry));
    for relation in &exposed.relations {
        let label = format!("relation `{}` of `{}`", relation.name, key(table));
        taken
            .0
            .insert(relation.name.clone(), NamedItem::new(label.clone(), None));
        if let Some(aggregate) = &relation.aggregate {
            taken.0.insert(
                aggregate.clone(),
                NamedItem::new(format!("the aggregate of {label}"), None),
            );
        }
    }
    taken
}

struct ComputedFieldBuilder<'c, 'r, 'a> {
    catalog: &'c Catalog,
    tables: &'c HashSet<TableId>,
    table: &'c ExposedTable,
    offer: DefaultExposure,
    members: &'r mut NameRegistry,
    types: &'r mut TypeRegistry,
    report: &'r mut Report<'a>,
}

impl ComputedFieldBuilder<'_, '_, '_> {
    fn computed(&mut self, written: &ComputedEntry) -> Option<Computed> {
        let name = valid(&written.name, self.report)?.to_owned();
        let id = callable::find(self.catalog, &written.function, self.report)?;
        let function = self.catalog.function(id);
        let row = Some((self.table.table, written.row.as_ref()));
        let session = written.session.as_ref();
        let wanted = ArgumentSpec {
            at: &written.function,
            row,
            session,
            offer: self.offer,
        };
        let convention = self.table.convention;
        let arguments =
            callable::arguments(self.catalog, function, &wanted, convention, self.report);
        let outcome = callable::outcome(self.catalog, function, &written.function, self.report);
        if callable::is_volatile(function) {
            callable::not_callable(
                &written.function,
                "it is volatile, and rows are read in no defined order",
                self.report,
            );
            return None;
        }
        let arguments = arguments?;
        let returns = self.returns(&outcome?, function.set, function.result, written)?;
        let aggregate = matches!(returns, Returns::Rows(_)).then(|| convention.aggregate(&name));
        self.claim(&name, aggregate.as_deref(), written)?;
        let index = CallId::Computed(
            self.table.table,
            u32::try_from(self.table.computed.len()).ok()?,
        );
        // As in Hasura: the field's name, then the table's.
        let type_name = format!("{name}_{}", self.table.name);
        let callable = callable::callable(index, id, arguments, returns, convention, &type_name);
        let by = self.named(written);
        callable::claim_types(self.catalog, &callable, self.types, &by, self.report).then_some(
            Computed {
                name,
                aggregate,
                callable,
            },
        )
    }

    fn named(&self, written: &ComputedEntry) -> NamedItem {
        let label = format!(
            "computed field `{}` of `{}`",
            written.name.value,
            key(self.catalog.table(self.table.table))
        );
        NamedItem::new(label, Some(written.name.span.clone()))
    }

    fn claim(
        &mut self,
        name: &str,
        aggregate: Option<&str>,
        written: &ComputedEntry,
    ) -> Option<()> {
        let by = self.named(written);
        let help = "give one of them another name";
        let of = NamedItem::new(format!("the aggregate of {}", by.label()), by.span.clone());
        let claimed = self.members.claim(name, by, help, self.report)
            && aggregate
                .is_none_or(|aggregate| self.members.claim(aggregate, of, help, self.report));
        claimed.then_some(())
    }

    fn returns(
        &mut self,
        outcome: &ReturnShape,
        set: bool,
        result: u32,
        written: &ComputedEntry,
    ) -> Option<Returns> {
        let reason = match *outcome {
            ReturnShape::Value(oid) if set => return Some(Returns::Values(oid)),
            ReturnShape::Value(oid) => return Some(Returns::Value(oid)),
            ReturnShape::Table(table) if self.tables.contains(&table) => {
                return Some(if set {
                    Returns::Rows(table)
                } else {
                    Returns::Row(table)
                });
            }
            ReturnShape::Table(_) => "it returns rows of a table that is not exposed",
            // A single composite value is encoded as JSON, as in a column.
            ReturnShape::Columns(_) if !set && self.is_composite(result) => {
                return Some(Returns::Value(result));
            }
            ReturnShape::Columns(_) => "it returns rows of no table",
        };
        callable::not_callable(&written.function, reason, self.report);
        None
    }

    fn is_composite(&self, oid: u32) -> bool {
        let kind = self.catalog.type_of(oid).map(|found| &found.kind);
        matches!(kind, Some(sql::postgres::catalog::TypeKind::Composite(_)))
    }
}

//! Compiles `max_length` and `max_items` of grants to write: which columns have values whose length
//! can be limited.

use std::collections::BTreeMap;

use sql::model::ExposedTable;
use sql::model::access::Columns;
use sql::postgres::catalog::{Catalog, ColumnId, Oid, TypeKind};
use sql::postgres::length_limits::LengthLimits;

use super::{GrantCompiler, Use};
use crate::fault::Fault;
use crate::file::{LengthsEntry, PerColumn};

impl GrantCompiler<'_, '_, '_> {
    /// The limits on the lengths of values of the granted columns.
    pub(super) fn lengths(
        &mut self,
        exposed: &ExposedTable,
        granted: &Columns,
        entry: &LengthsEntry,
    ) -> BTreeMap<ColumnId, LengthLimits> {
        let mut limits: BTreeMap<ColumnId, LengthLimits> = BTreeMap::new();
        for (column, most) in self.per_column(
            exposed,
            granted,
            "max_length",
            &entry.characters,
            no_characters,
        ) {
            limits.entry(column).or_default().characters = Some(most);
        }
        for (column, most) in
            self.per_column(exposed, granted, "max_items", &entry.elements, no_elements)
        {
            limits.entry(column).or_default().elements = Some(most);
        }
        limits
    }

    /// The number of each column: its own, or that for all columns to which it can apply.
    fn per_column(
        &mut self,
        exposed: &ExposedTable,
        granted: &Columns,
        key: &'static str,
        numbers: &PerColumn,
        unfit: fn(&Catalog, Oid) -> Option<&'static str>,
    ) -> BTreeMap<ColumnId, u32> {
        let model = self.model.clone();
        let table = model.table(exposed.table);
        let unfit = |column: ColumnId| unfit(model.catalog(), table.column(column).r#type);
        let mut found = BTreeMap::new();
        if let Some(most) = numbers.others {
            let fit = granted.iter().filter(|column| unfit(*column).is_none());
            found.extend(fit.map(|column| (column, most)));
        }
        for (name, most) in &numbers.columns {
            let Some(column) = self.column(exposed, name, Use::Write) else {
                continue;
            };
            let name_text = name.value.clone();
            if !granted.contains(column) {
                let fault = Fault::LimitNotGranted {
                    key,
                    column: name_text,
                };
                self.report.add(fault, &name.span);
            } else if let Some(reason) = unfit(column) {
                let fault = Fault::NoLength {
                    key,
                    column: name_text,
                    reason,
                };
                self.report.add(fault, &name.span);
            } else {
                found.insert(column, *most);
            }
        }
        found
    }
}

/// Why the characters of a type's values are not limited, if they are not.
fn no_characters(catalog: &Catalog, oid: Oid) -> Option<&'static str> {
    let of = element(catalog, oid).unwrap_or(oid);
    catalog
        .is_fixed_size(of)
        .then_some("the type limits the length of its values")
}

/// Why the elements of a type's values are not limited, if they are not.
fn no_elements(catalog: &Catalog, oid: Oid) -> Option<&'static str> {
    match element(catalog, oid) {
        Some(_) => None,
        None => Some("it is not an array"),
    }
}

/// The element type of an array.
fn element(catalog: &Catalog, oid: Oid) -> Option<Oid> {
    match catalog.base_type(oid)?.kind {
        TypeKind::Array(element) => Some(element),
        _ => None,
    }
}

//! Values of enum tables.
//!
//! They are rows, so a separate statement reads them after the catalog, for the tables that the
//! permission file declares as enums.

use serde::Deserialize;

use super::{Catalog, DecodeError, EnumValue};

/// The rows of one enum table.
#[derive(Deserialize)]
struct Rows {
    schema: String,
    table: String,
    values: Vec<EnumValue>,
}

impl Catalog {
    /// Adds the values of enum tables, from a JSON list of objects with `schema`, `table` and
    /// `values`.
    pub fn take_enum_values(&mut self, document: &str) -> Result<(), DecodeError> {
        let all: Vec<Rows> = serde_json::from_str(document)?;
        for rows in all {
            let table = self
                .tables
                .iter_mut()
                .find(|table| table.schema == rows.schema && table.name == rows.table);
            if let Some(table) = table {
                table.enum_values = Some(rows.values);
            }
        }
        Ok(())
    }
}

//! The values of enum tables. They are rows, so they are read by a statement of their own once it is known which tables
//! are meant; the permission file says that.

use serde::{Deserialize, Serialize};

use super::{Catalog, DecodeError};

/// A value of an enum table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EnumValue {
    /// What stands in the key.
    pub value: String,
    /// What stands in the first other column of text.
    pub description: Option<String>,
}

/// The rows of one enum table.
#[derive(Deserialize)]
struct Rows {
    schema: String,
    table: String,
    values: Vec<EnumValue>,
}

impl Catalog {
    /// Takes the values of enum tables: a list of objects with `schema`, `table` and `values`.
    pub fn take_enum_values(&mut self, document: &str) -> Result<(), DecodeError> {
        let all: Vec<Rows> = serde_json::from_str(document)?;
        for rows in all {
            let table = self.tables.iter_mut().find(|table| table.schema == rows.schema && table.name == rows.table);
            if let Some(table) = table {
                table.enum_values = Some(rows.values);
            }
        }
        Ok(())
    }
}

//! Reads the key `aggregates` of a select grant: a Boolean, or a table of restrictions.

use toml::de::DeValue;

use crate::file::values::{Reader, Value, columns, count};
use crate::file::{AggregatesEntry, Text};

/// `true`, `false`, or `{ functions = […], columns = […], min_group = n }`; absent keys restrict
/// nothing.
pub(super) fn aggregates(
    reader: &mut Reader,
    key: &Text,
    value: &Value<'_>,
) -> Option<AggregatesEntry> {
    if let DeValue::Boolean(granted) = value.get_ref() {
        return granted.then(AggregatesEntry::default);
    }
    let mut fields = reader.table(key, "true, false or a table", value)?;
    let has_functions = fields.contains("functions");
    let entry = AggregatesEntry {
        functions: Some(fields.list("functions")).filter(|_| has_functions),
        columns: fields.read("columns", columns),
        min_group: fields.read("min_group", count).unwrap_or(0),
    };
    fields.finish("`aggregates`");
    Some(entry)
}

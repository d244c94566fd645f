//! Reads the key `aggregates` of a select grant: a Boolean, or a table of restrictions.

use toml::de::DeValue;

use super::{AggregatesEntry, Reader, Text, Value, pairs};

impl Reader<'_, '_> {
    /// `true`, `false`, or `{ functions = […], columns = […], min_group = n }`; absent keys restrict nothing.
    pub(super) fn aggregates(&mut self, key: &Text, value: &Value<'_>) -> Option<AggregatesEntry> {
        let fields = match value.get_ref() {
            DeValue::Boolean(granted) => return granted.then(AggregatesEntry::default),
            DeValue::Table(fields) => fields,
            _ => return self.wrong_type(key, "true, false or a table", value),
        };
        let mut entry = AggregatesEntry::default();
        for (key, value) in pairs(fields) {
            match key.value.as_str() {
                "functions" => entry.functions = Some(self.list_of_texts(&key, value)),
                "columns" => entry.columns = self.columns(&key, value),
                "min_group" => entry.min_group = self.count(&key, value).unwrap_or(0),
                _ => self.unknown(&key, "`aggregates`", &["functions", "columns", "min_group"]),
            }
        }
        Some(entry)
    }
}

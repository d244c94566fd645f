//! Reads JSON objects of the metadata key by key, and reports the keys that were not read.

use serde_json::{Map, Value};

use crate::report::Report;

/// A JSON object, and which of its keys were read.
#[derive(Debug)]
pub(crate) struct JsonObject<'v> {
    fields: &'v Map<String, Value>,
    construct: String,
    read: Vec<&'static str>,
}

impl<'v> JsonObject<'v> {
    /// Wraps an object. Any other value is reported as refused.
    pub(crate) fn new(
        value: &'v Value,
        construct: impl Into<String>,
        report: &mut Report,
    ) -> Option<JsonObject<'v>> {
        let construct = construct.into();
        match value {
            Value::Object(fields) => Some(JsonObject {
                fields,
                construct,
                read: vec![],
            }),
            _ => {
                report.refused(construct, "it is not an object");
                None
            }
        }
    }

    /// Wraps the fields of an object.
    pub(crate) fn from_map(
        fields: &'v Map<String, Value>,
        construct: impl Into<String>,
    ) -> JsonObject<'v> {
        JsonObject {
            fields,
            construct: construct.into(),
            read: vec![],
        }
    }

    /// The name of the construct in the report.
    pub(crate) fn construct(&self) -> &str {
        &self.construct
    }

    /// Reads a value; `None` if it is null or missing.
    pub(crate) fn get(&mut self, key: &'static str) -> Option<&'v Value> {
        self.read.push(key);
        self.fields.get(key).filter(|value| !value.is_null())
    }

    /// Reads a string.
    pub(crate) fn text(&mut self, key: &'static str) -> Option<&'v str> {
        self.read_as(key, Value::as_str)
    }

    /// Reads a list; empty if it is missing.
    pub(crate) fn list(&mut self, key: &'static str) -> &'v [Value] {
        self.read_as(key, Value::as_array)
            .map_or(&[], Vec::as_slice)
    }

    /// Reads an object.
    pub(crate) fn object(&mut self, key: &'static str) -> Option<&'v Map<String, Value>> {
        self.read_as(key, Value::as_object)
    }

    /// Reads a Boolean; false if it is missing.
    pub(crate) fn flag(&mut self, key: &'static str) -> bool {
        self.read_as(key, Value::as_bool).unwrap_or(false)
    }

    /// Reads an unsigned integer.
    pub(crate) fn number(&mut self, key: &'static str) -> Option<u64> {
        self.read_as(key, Value::as_u64)
    }

    /// Reads a value of one JSON type. A value of another type counts as not read.
    fn read_as<T>(
        &mut self,
        key: &'static str,
        read: impl Fn(&'v Value) -> Option<T>,
    ) -> Option<T> {
        let value = read(self.fields.get(key)?);
        if value.is_some() {
            self.read.push(key);
        }
        value
    }

    /// Reports the keys that were not read and have an effect as refused.
    pub(crate) fn finish(self, report: &mut Report) {
        for (key, value) in self.fields {
            if !self.read.contains(&key.as_str()) && says_something(value) {
                report.refused(
                    format!("{}, `{key}`", self.construct),
                    "the importer does not know it",
                );
            }
        }
    }
}

/// Whether the value is other than null, false or empty.
pub(crate) fn says_something(value: &Value) -> bool {
    match value {
        Value::Null | Value::Bool(false) => false,
        Value::String(text) => !text.is_empty(),
        Value::Array(items) => items.iter().any(says_something),
        Value::Object(fields) => fields.values().any(says_something),
        Value::Bool(true) | Value::Number(_) => true,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn unread_keys_are_refused() {
        let value = json!({"a": "x", "b": 7, "c": [], "d": {"e": null}, "f": "text?"});
        let mut report = Report::default();
        let mut node = JsonObject::new(&value, "it", &mut report).unwrap();
        assert_eq!(node.text("a"), Some("x"));
        assert!(node.list("f").is_empty());
        node.finish(&mut report);
        let refused: Vec<&str> = report
            .entries()
            .iter()
            .map(|entry| entry.construct.as_str())
            .collect();
        assert_eq!(refused, ["it, `b`", "it, `f`"]);
    }
}

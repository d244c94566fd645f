//! CBOR as authenticators write it: attestation objects, public keys and extensions.
//! <https://www.rfc-editor.org/rfc/rfc8949>

use ciborium::Value;
use ciborium::de::from_reader_with_recursion_limit;

/// How deep items nest: CTAP allows four levels, and `x5c` in an attestation statement needs three.
const MAX_DEPTH: usize = 16;

/// The most entries of a map that is looked into: a COSE key has five.
const MAX_ENTRIES: usize = 16;

/// An item with its bytes and those after it.
pub(super) struct Item<'a> {
    /// The item.
    pub(super) value: Value,
    /// Its bytes.
    pub(super) bytes: &'a [u8],
    /// What follows.
    pub(super) rest: &'a [u8],
}

/// Reads the first item; `None` if there is none that is complete.
pub(super) fn read_item(bytes: &[u8]) -> Option<Item<'_>> {
    let mut rest = bytes;
    let value = from_reader_with_recursion_limit(&mut rest, MAX_DEPTH).ok()?;
    let bytes = bytes.get(..bytes.len().checked_sub(rest.len())?)?;
    Some(Item { value, bytes, rest })
}

/// A map without two entries of one key.
pub(super) struct Map(Vec<(Value, Value)>);

impl Map {
    /// Reads a map that fills the bytes.
    pub(super) fn read(bytes: &[u8]) -> Option<Map> {
        let item = read_item(bytes)?;
        let entries = item.value.into_map().ok()?;
        if !item.rest.is_empty() || entries.len() > MAX_ENTRIES {
            return None;
        }
        let is_repeated = |(index, (key, _)): (usize, &(Value, Value))| {
            entries.iter().take(index).any(|(other, _)| other == key)
        };
        if entries.iter().enumerate().any(is_repeated) {
            return None;
        }
        Some(Map(entries))
    }

    /// The value of a key that is a number, as COSE has them.
    pub(super) fn labelled(&self, label: i64) -> Option<&Value> {
        self.value(&Value::from(label))
    }

    /// The value of a key that is a text.
    pub(super) fn named(&self, name: &str) -> Option<&Value> {
        self.value(&Value::from(name))
    }

    fn value(&self, key: &Value) -> Option<&Value> {
        let entry = self.0.iter().find(|(other, _)| other == key);
        entry.map(|(_, value)| value)
    }
}

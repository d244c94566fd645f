//! Parses JSON from clients and other servers into a value, with a limit on nesting.
//!
//! `serde_json::Value` parses the value of the key `$serde_json::private::RawValue` as JSON text
//! again, with a new nesting limit: a small body could become a value deep enough to exhaust the
//! stack. The parser here treats that key like any other.

use std::fmt::{Formatter, Result as Written};

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Error, Map, Number, Value};

/// Parses JSON nested up to 128 levels; numbers keep all their digits. If a key occurs twice, the
/// last one counts.
pub fn read(bytes: &[u8]) -> Result<Value, Error> {
    let mut deserializer = serde_json::Deserializer::from_slice(bytes);
    let value = SafeValue.deserialize(&mut deserializer)?;
    deserializer.end()?;
    Ok(value)
}

/// Parses a value inside other JSON.
pub struct SafeValue;

/// A JSON object without repeated keys at any level. Parsers would disagree about which of two
/// equal keys counts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Distinct(pub Map<String, Value>);

/// Visits values. A repeated key either overrides the earlier one or is an error.
#[derive(Clone, Copy)]
struct Values {
    distinct: bool,
}

/// The key with which serde_json represents a number that keeps its digits.
pub const NUMBER: &str = "$serde_json::private::Number";

impl<'de> DeserializeSeed<'de> for SafeValue {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        Values { distinct: false }.deserialize(deserializer)
    }
}

impl<'de> Deserialize<'de> for Distinct {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Distinct, D::Error> {
        match (Values { distinct: true }).deserialize(deserializer)? {
            Value::Object(members) => Ok(Distinct(members)),
            _ => Err(D::Error::custom("an object is expected")),
        }
    }
}

impl<'de> DeserializeSeed<'de> for Values {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Values {
    type Value = Value;

    fn expecting(&self, formatter: &mut Formatter<'_>) -> Written {
        formatter.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(value.into())
    }

    fn visit_str<E>(self, text: &str) -> Result<Value, E> {
        Ok(Value::String(text.to_owned()))
    }

    fn visit_string<E>(self, text: String) -> Result<Value, E> {
        Ok(Value::String(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element_seed(self)? {
            list.push(item);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Value, A::Error> {
        let mut members = Map::new();
        while let Some(key) = entries.next_key_seed(NextKey)? {
            let key = match key {
                Key::Number if members.is_empty() => {
                    return number(&mut entries).map(Value::Number);
                }
                Key::Number => NUMBER.to_owned(),
                Key::Name(name) => name,
            };
            let value = entries.next_value_seed(self)?;
            if members.insert(key, value).is_some() && self.distinct {
                return Err(A::Error::custom("a key is given twice"));
            }
        }
        Ok(Value::Object(members))
    }
}

/// Reads the number after its key.
pub fn number<'de, A: MapAccess<'de>>(entries: &mut A) -> Result<Number, A::Error> {
    let digits: String = entries.next_value()?;
    digits.parse().map_err(A::Error::custom)
}

enum Key {
    Number,
    Name(String),
}

struct NextKey;

impl<'de> DeserializeSeed<'de> for NextKey {
    type Value = Key;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Key, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for NextKey {
    type Value = Key;

    fn expecting(&self, formatter: &mut Formatter<'_>) -> Written {
        formatter.write_str("a key")
    }

    fn visit_str<E>(self, key: &str) -> Result<Key, E> {
        Ok(if key == NUMBER {
            Key::Number
        } else {
            Key::Name(key.to_owned())
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read_as_serde_json_reads_them() {
        let text = r#" {"a": [1, -2.50, 1e400, null, true, "\u00e9\n"], "b": {"c": {}}, "": [[]], "a": 12345678901234567890123} "#;
        let value = read(text.as_bytes()).unwrap();
        assert_eq!(value, serde_json::from_str::<Value>(text).unwrap());
        assert_eq!(value["a"].to_string(), "12345678901234567890123");
        for bad in [
            "",
            "{",
            "[1,]",
            "1 2",
            "{\"a\":1}}",
            "\"\u{0}\"",
            "nul",
            "01",
        ] {
            assert!(read(bad.as_bytes()).is_err(), "{bad}");
        }
    }

    #[test]
    fn distinct_objects_have_each_key_once_at_every_level() {
        let read = |text: &str| {
            serde_json::from_str::<Distinct>(text).map(|Distinct(members)| Value::Object(members))
        };
        let sound = r#"{"a": [1, {"b": 2}], "b": {"a": 1.50}}"#;
        assert_eq!(
            read(sound).unwrap(),
            serde_json::from_str::<Value>(sound).unwrap()
        );
        for bad in [
            r#"{"a": 1, "a": 1}"#,
            r#"{"a": 1, "\u0061": 2}"#,
            r#"{"b": [{"a": {"c": 1, "c": 2}}]}"#,
            "[]",
            "1",
        ] {
            assert!(read(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn nesting_is_limited_regardless_of_keys() {
        let nested = |depth: usize, inner: &str| {
            format!("{}{inner}{}", "[".repeat(depth), "]".repeat(depth))
        };
        assert!(read(nested(127, "1").as_bytes()).is_ok());
        assert!(read(nested(128, "1").as_bytes()).is_err());
        let raw = Value::from(nested(100, "1")).to_string();
        let hidden = nested(
            100,
            &format!("{{\"$serde_json::private::RawValue\":{raw}}}"),
        );
        let innermost = (0..100).fold(read(hidden.as_bytes()).unwrap(), |value, _| {
            value[0].clone()
        });
        assert!(innermost["$serde_json::private::RawValue"].is_string());
    }
}

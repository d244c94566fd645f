//! Reads YAML into JSON values. `!include` becomes a string `!include path`, as the Hasura CLI also
//! writes it.

use std::collections::HashMap;

use saphyr_parser::{Event, Parser, ScalarStyle, Tag};
use serde_json::{Map, Number, Value};

/// Reads a document. An empty text is null.
pub(crate) fn read(text: &str) -> Result<Value, String> {
    let mut reader = Reader::default();
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|error| error.to_string())?;
        reader
            .event(event)
            .map_err(|message| format!("{message} at line {}", span.start.line()))?;
    }
    Ok(reader.document.unwrap_or_default())
}

/// Builds the document from parser events.
#[derive(Default)]
struct Reader {
    open: Vec<Open>,
    anchors: HashMap<usize, Value>,
    document: Option<Value>,
}

/// A list or an object that is not complete.
struct Open {
    value: Value,
    /// The key of the next value.
    key: Option<String>,
    anchor: usize,
}

impl Reader {
    fn event(&mut self, event: Event<'_>) -> Result<(), String> {
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                self.value(scalar(&text, style, tag.as_deref())?, anchor)
            }
            Event::SequenceStart(anchor, tag) => {
                self.begin(Value::Array(vec![]), anchor, tag.as_deref())
            }
            Event::MappingStart(anchor, tag) => {
                self.begin(Value::Object(Map::new()), anchor, tag.as_deref())
            }
            Event::SequenceEnd | Event::MappingEnd => {
                let ended = self.open.pop().ok_or("a list ends that did not begin")?;
                self.value(ended.value, ended.anchor)
            }
            Event::Alias(anchor) => {
                let value = self
                    .anchors
                    .get(&anchor)
                    .cloned()
                    .ok_or("an alias means nothing")?;
                self.value(value, 0)
            }
            Event::DocumentStart(_) if self.document.is_some() => {
                Err("a second document begins".to_owned())
            }
            Event::DocumentStart(_)
            | Event::DocumentEnd
            | Event::StreamStart
            | Event::StreamEnd
            | Event::Nothing => Ok(()),
        }
    }

    fn begin(&mut self, value: Value, anchor: usize, tag: Option<&Tag>) -> Result<(), String> {
        if let Some(tag) = tag.filter(|tag| !tag.is_yaml_core_schema()) {
            return Err(format!("the tag `{tag}` is not known"));
        }
        self.open.push(Open {
            value,
            key: None,
            anchor,
        });
        Ok(())
    }

    /// Adds a value: as a key, as the value of a key, as an item, or as the document.
    fn value(&mut self, value: Value, anchor: usize) -> Result<(), String> {
        if anchor > 0 {
            self.anchors.insert(anchor, value.clone());
        }
        let Some(Open {
            value: within, key, ..
        }) = self.open.last_mut()
        else {
            self.document = Some(value);
            return Ok(());
        };
        match (within, key.take()) {
            (Value::Object(fields), Some(name)) => match fields.insert(name.clone(), value) {
                None => Ok(()),
                Some(_) => Err(format!("the key `{name}` is there twice")),
            },
            (Value::Object(_), None) => {
                *key = Some(match value {
                    Value::String(text) => text,
                    Value::Number(_) | Value::Bool(_) => value.to_string(),
                    _ => return Err("a key is neither text nor a number".to_owned()),
                });
                Ok(())
            }
            (Value::Array(items), _) => {
                items.push(value);
                Ok(())
            }
            _ => Ok(()),
        }
    }
}

fn scalar(text: &str, style: ScalarStyle, tag: Option<&Tag>) -> Result<Value, String> {
    match tag {
        Some(tag) if tag.suffix == "include" => Ok(Value::String(format!("!include {text}"))),
        Some(tag) if tag.is_yaml_core_schema() && tag.suffix == "str" => {
            Ok(Value::String(text.to_owned()))
        }
        Some(tag) if !tag.is_yaml_core_schema() => Err(format!("the tag `{tag}` is not known")),
        _ if style != ScalarStyle::Plain => Ok(Value::String(text.to_owned())),
        _ => Ok(plain(text)),
    }
}

/// Resolves a plain scalar by the core schema. <https://yaml.org/spec/1.2.2/#1032-tag-resolution>
fn plain(text: &str) -> Value {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => return Value::Null,
        "true" | "True" | "TRUE" => return Value::Bool(true),
        "false" | "False" | "FALSE" => return Value::Bool(false),
        _ => {}
    }
    let looks_like_number = text
        .bytes()
        .all(|b| b.is_ascii_digit() || b"+-.eE".contains(&b));
    let number = || {
        serde_json::from_str::<Number>(text)
            .ok()
            .or_else(|| Number::from_f64(text.parse().ok()?))
    };
    match looks_like_number.then(number).flatten() {
        Some(number) => Value::Number(number),
        None => Value::String(text.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn yaml_is_read_as_json() {
        let text = "a: [1, true, null, 'x', 1.50, 2020-01-01, 1.2.3]\nb:\n  - !include t.yaml\n  \
                    - \"!include u.yaml\"\n1: ~\n\
                    c: &c {d: '7'}\ne: *c\nf: |\n  g\n  h\n";
        let number: Value = serde_json::from_str("1.50").unwrap();
        let expected = json!({
            "a": [1, true, null, "x", number, "2020-01-01", "1.2.3"],
            "b": ["!include t.yaml", "!include u.yaml"],
            "1": null, "c": {"d": "7"}, "e": {"d": "7"}, "f": "g\nh\n",
        });
        assert_eq!(read(text).unwrap(), expected);
    }

    #[test]
    fn malformed_documents_are_errors() {
        for text in [
            "a: [1",
            "a: !b c",
            "a: 1\na: 2",
            "--- 1\n--- 2",
            "a: *b",
            "[]: 1",
        ] {
            assert!(read(text).is_err(), "{text}");
        }
        assert_eq!(read("").unwrap(), Value::Null);
    }
}

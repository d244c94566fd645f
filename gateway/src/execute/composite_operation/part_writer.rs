//! Writes the part of the response that a handler's answer becomes: the selected fields in the
//! order of the selection, checked against their types.

use std::sync::Arc;

use serde_json::{Map, Value};
use sql::Translation;
use sql::encode::shape::Key;
use sql::resolve::selection::{
    ActionFieldKind, ActionOutput, ActionOutputKind, ActionResponseField, RelatedRows,
};

use super::joined_rows::RowsByKeys;

/// Why an answer does not fit its type. The text is for the log and contains no value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("answered with {found} for {path}, whose type is {expected}")]
pub(super) struct Misfit {
    path: String,
    expected: String,
    found: &'static str,
}

/// Why an answer cannot be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum WriteError {
    /// It does not fit its type.
    Misfit(Misfit),
    /// It is longer than the limit.
    TooLong,
}

/// Writes the answer as JSON of at most `limit` bytes. Objects of an answer may lead to the same
/// rows any number of times, so the length is looked at while it grows.
pub(super) fn write(
    output: &ActionOutput<Arc<Translation>>,
    response: &Value,
    rows: &RowsByKeys,
    limit: usize,
) -> Result<Vec<u8>, WriteError> {
    let mut writer = Writer {
        rows,
        limit,
        out: vec![],
        path: vec![],
    };
    writer.value(output, Some(response))?;
    Ok(writer.out)
}

struct Writer<'r> {
    rows: &'r RowsByKeys,
    limit: usize,
    out: Vec<u8>,
    path: Vec<String>,
}

impl Writer<'_> {
    fn value(
        &mut self,
        output: &ActionOutput<Arc<Translation>>,
        value: Option<&Value>,
    ) -> Result<(), WriteError> {
        match value.filter(|value| !value.is_null()) {
            None if output.required => Err(self.misfit(output, value)),
            None => {
                self.out.extend_from_slice(b"null");
                Ok(())
            }
            Some(Value::Array(items)) if output.list => {
                self.out.push(b'[');
                for (index, item) in items.iter().enumerate() {
                    if index > 0 {
                        self.out.push(b',');
                    }
                    match item {
                        Value::Null if output.sparse => self.out.extend_from_slice(b"null"),
                        item => self.item(output, item)?,
                    }
                }
                self.out.push(b']');
                Ok(())
            }
            Some(value) if output.list => Err(self.misfit(output, Some(value))),
            Some(value) => self.item(output, value),
        }
    }

    fn item(
        &mut self,
        output: &ActionOutput<Arc<Translation>>,
        value: &Value,
    ) -> Result<(), WriteError> {
        let fits = match (&output.kind, value) {
            (ActionOutputKind::Object(fields), Value::Object(object)) => {
                return self.object(fields, object);
            }
            (ActionOutputKind::Object(_), _) => false,
            (ActionOutputKind::Json, _) => true,
            (_, Value::Null) => false,
            (ActionOutputKind::Id, Value::Number(number)) if number.is_i64() || number.is_u64() => {
                self.out
                    .extend_from_slice(format!("\"{number}\"").as_bytes());
                return Ok(());
            }
            (ActionOutputKind::Id, value) => value.is_string(),
            (ActionOutputKind::Enum(values), value) => value
                .as_str()
                .is_some_and(|value| values.iter().any(|known| known == value)),
            (ActionOutputKind::Scalar(input), value) => input.text(value).is_ok(),
        };
        if !fits {
            return Err(self.misfit(output, Some(value)));
        }
        self.out.extend_from_slice(value.to_string().as_bytes());
        Ok(())
    }

    fn object(
        &mut self,
        fields: &[ActionResponseField<Arc<Translation>>],
        object: &Map<String, Value>,
    ) -> Result<(), WriteError> {
        self.out.push(b'{');
        for (index, field) in fields.iter().enumerate() {
            if index > 0 {
                self.out.push(b',');
            }
            self.out
                .extend_from_slice(Key::new(&field.key).as_str().as_bytes());
            match &field.kind {
                ActionFieldKind::Constant(text) => {
                    self.out
                        .extend_from_slice(Value::from(text.as_str()).to_string().as_bytes());
                }
                ActionFieldKind::Value(name, output) => {
                    self.path.push(name.clone());
                    self.value(output, object.get(name))?;
                    self.path.pop();
                }
                ActionFieldKind::Related(related) => self.related(related, object)?,
            }
        }
        self.out.push(b'}');
        Ok(())
    }

    fn related(
        &mut self,
        related: &RelatedRows<Arc<Translation>>,
        object: &Map<String, Value>,
    ) -> Result<(), WriteError> {
        let list = self
            .rows
            .rows_of(related, object)
            .map_or(&b"[]"[..], |list| list);
        let written = match (related.one, list) {
            (false, list) => list,
            (true, b"[]") => b"null",
            (true, list) => list.get(1..list.len() - 1).unwrap_or(b"null"),
        };
        if self.out.len() + written.len() > self.limit {
            return Err(WriteError::TooLong);
        }
        self.out.extend_from_slice(written);
        Ok(())
    }

    fn misfit(&self, output: &ActionOutput<Arc<Translation>>, value: Option<&Value>) -> WriteError {
        let found = match value {
            None | Some(Value::Null) => "null",
            Some(Value::Bool(_)) => "a Boolean",
            Some(Value::Number(_)) => "a number",
            Some(Value::String(_)) => "a string",
            Some(Value::Array(_)) => "a list",
            Some(Value::Object(_)) => "an object",
        };
        let path = if self.path.is_empty() {
            "the action".to_owned()
        } else {
            format!("`{}`", self.path.join("."))
        };
        WriteError::Misfit(Misfit {
            path,
            expected: output.r#type.clone(),
            found,
        })
    }
}

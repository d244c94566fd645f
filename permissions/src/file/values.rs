//! Reads the values that several sections of the file have.

use std::ops::Range;

use toml::de::DeValue;

use super::{ColumnsEntry, PerColumn, Text};
use crate::fault::Fault;
use crate::toml_reader::{TomlFields, TomlReader, TomlValue};

pub(super) type Reader = TomlReader<Fault>;
pub(super) type Fields<'r, 't> = TomlFields<'r, 't, Fault>;
pub(super) type Value<'t> = TomlValue<'t>;

pub(super) fn columns(reader: &mut Reader, key: &Text, value: &Value<'_>) -> Option<ColumnsEntry> {
    match value.get_ref() {
        DeValue::String(text) if text == "*" => Some(ColumnsEntry::Every),
        DeValue::Array(_) => reader.list(key, value).map(ColumnsEntry::These),
        _ => reader.wrong_type(key, "a list of columns or \"*\"", value),
    }
}

pub(super) fn count(reader: &mut Reader, key: &Text, value: &Value<'_>) -> Option<u32> {
    let DeValue::Integer(number) = value.get_ref() else {
        return reader.wrong_type(key, "a whole number", value);
    };
    let count = u32::from_str_radix(number.as_str(), number.radix()).ok();
    if count.is_none() {
        reader.add(
            Fault::NotCount {
                key: key.value.clone(),
            },
            value.span(),
        );
    }
    count
}

/// Reads a number for all columns, or numbers by column, in which `"*"` stands for the others.
pub(super) fn per_column(reader: &mut Reader, key: &Text, value: &Value<'_>) -> Option<PerColumn> {
    let mut numbers = PerColumn::default();
    match value.get_ref() {
        DeValue::Integer(_) => numbers.others = count(reader, key, value),
        DeValue::Table(_) => {
            for (column, value) in reader.pairs(key, "a table", value)? {
                let number = count(reader, &column, value);
                if column.value == "*" {
                    numbers.others = number;
                } else {
                    numbers
                        .columns
                        .extend(number.map(|number| (column, number)));
                }
            }
        }
        _ => return reader.wrong_type(key, "a whole number or a table of columns", value),
    }
    Some(numbers)
}

pub(super) fn missing<T>(
    reader: &mut Reader,
    key: &'static str,
    within: String,
    span: &Range<usize>,
) -> Option<T> {
    reader.add(Fault::Missing { key, within }, span.clone());
    None
}

//! Reads the tables `[function.f]` and `[table.t.computed.f]`.

use crate::fault::Fault;
use crate::file::values::{Reader, Value, missing};
use crate::file::{CallersEntry, ComputedEntry, Exposure, FunctionEntry, SpannedValue, Text};
use toml::de::DeValue;

pub(super) fn function(reader: &mut Reader, key: Text, value: &Value<'_>) -> Option<FunctionEntry> {
    let mut fields = reader.fields(&key, value);
    let entry = FunctionEntry {
        key,
        name: fields.text("name"),
        exposure: fields.read("as", exposure),
        session: fields.text("session"),
        aggregate: fields.text("aggregate"),
        roles: fields
            .read("roles", callers)
            .unwrap_or(CallersEntry::These(vec![])),
    };
    fields.finish("a function");
    Some(entry)
}

fn exposure(reader: &mut Reader, key: &Text, value: &Value<'_>) -> Option<SpannedValue<Exposure>> {
    let text = reader.text(key, value)?;
    let value = match text.value.as_str() {
        "query" => Exposure::Query,
        "mutation" => Exposure::Mutation,
        _ => {
            let help = "a function is a field of queries or of mutations: `query`, `mutation`";
            let fault = Fault::UnknownWord {
                word: text.value,
                what: "kind of root field for a function",
            };
            reader.add_with(fault, text.span, help);
            return None;
        }
    };
    Some(SpannedValue {
        value,
        span: text.span,
    })
}

fn callers(reader: &mut Reader, key: &Text, value: &Value<'_>) -> Option<CallersEntry> {
    match value.get_ref() {
        DeValue::String(text) if text == "select" => Some(CallersEntry::Select(value.span())),
        DeValue::Array(_) => reader.list(key, value).map(CallersEntry::These),
        _ => reader.wrong_type(key, "a list of roles or \"select\"", value),
    }
}

pub(super) fn computed(
    reader: &mut Reader,
    name: Text,
    value: &Value<'_>,
) -> Option<ComputedEntry> {
    let mut fields = reader.table(&name, "a table", value)?;
    let function = fields.text("function");
    let row = fields.text("row");
    let session = fields.text("session");
    fields.finish("a computed field");
    if !fields.contains("function") {
        missing::<()>(
            reader,
            "function",
            format!("computed field `{}`", name.value),
            &name.span,
        );
    }
    Some(ComputedEntry {
        name,
        function: function?,
        row,
        session,
    })
}

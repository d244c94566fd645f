//! Converts the types of actions between GraphQL, which the Hasura CLI writes, and JSON, which a
//! metadata export contains.

use std::fmt::Write;

use async_graphql_parser::types::{
    FieldDefinition, InputValueDefinition, TypeDefinition, TypeKind, TypeSystemDefinition,
};
use async_graphql_parser::{Positioned, parse_schema};
use serde_json::{Map, Value, json};

/// Merges the types of `actions.graphql` into the actions and custom types of the metadata, in the
/// form of an export.
pub(crate) fn merge(metadata: &mut Map<String, Value>, text: &str) -> Result<(), String> {
    if text.trim().is_empty() {
        return Ok(());
    }
    let document = parse_schema(text).map_err(|error| error.to_string())?;
    for definition in &document.definitions {
        let TypeSystemDefinition::Type(definition) = definition else {
            continue;
        };
        let definition = &definition.node;
        match definition.name.node.as_str() {
            kind @ ("Query" | "Mutation") => merge_actions(metadata, kind, definition),
            name => merge_type(metadata, name, definition),
        }
    }
    Ok(())
}

fn merge_actions(metadata: &mut Map<String, Value>, kind: &str, definition: &TypeDefinition) {
    let TypeKind::Object(object) = &definition.kind else {
        return;
    };
    for field in &object.fields {
        let field = &field.node;
        let Some(Value::Array(actions)) = metadata.get_mut("actions") else {
            return;
        };
        let named = |action: &&mut Value| action["name"].as_str() == Some(field.name.node.as_str());
        let Some(action) = actions.iter_mut().find(named) else {
            continue;
        };
        let Some(Value::Object(of_action)) = action.get_mut("definition") else {
            continue;
        };
        of_action.insert("type".to_owned(), json!(kind.to_lowercase()));
        of_action.insert("output_type".to_owned(), json!(field.ty.node.to_string()));
        of_action.insert(
            "arguments".to_owned(),
            Value::Array(field.arguments.iter().map(input).collect()),
        );
    }
}

fn merge_type(metadata: &mut Map<String, Value>, name: &str, definition: &TypeDefinition) {
    let (list, members) = match &definition.kind {
        TypeKind::Object(object) => (
            "objects",
            Some(("fields", object.fields.iter().map(field).collect())),
        ),
        TypeKind::InputObject(object) => (
            "input_objects",
            Some(("fields", object.fields.iter().map(input).collect())),
        ),
        TypeKind::Enum(values) => {
            let value = |value: &Positioned<async_graphql_parser::types::EnumValueDefinition>| {
                let mut entry = json!({ "value": value.node.value.node.as_str() });
                describe(&mut entry, value.node.description.as_ref());
                entry
            };
            (
                "enums",
                Some((
                    "values",
                    values.values.iter().map(value).collect::<Vec<_>>(),
                )),
            )
        }
        TypeKind::Scalar => ("scalars", None),
        TypeKind::Interface(_) | TypeKind::Union(_) => return,
    };
    let types = metadata.entry("custom_types").or_insert_with(|| json!({}));
    let Value::Object(types) = types else { return };
    let Value::Array(list) = types.entry(list).or_insert_with(|| json!([])) else {
        return;
    };
    let index = list
        .iter()
        .position(|entry| entry["name"].as_str() == Some(name))
        .unwrap_or_else(|| {
            list.push(json!({ "name": name }));
            list.len() - 1
        });
    let Some(entry) = list.get_mut(index) else {
        return;
    };
    describe(entry, definition_description(definition));
    if let (Value::Object(entry), Some((key, members))) = (entry, members) {
        entry.insert(key.to_owned(), Value::Array(members));
    }
}

fn definition_description(definition: &TypeDefinition) -> Option<&Positioned<String>> {
    definition.description.as_ref()
}

fn describe(entry: &mut Value, description: Option<&Positioned<String>>) {
    if let (Value::Object(entry), Some(text)) = (entry, description) {
        entry.insert("description".to_owned(), json!(text.node));
    }
}

fn field(field: &Positioned<FieldDefinition>) -> Value {
    let field = &field.node;
    let mut entry = json!({ "name": field.name.node.as_str(), "type": field.ty.node.to_string() });
    if !field.arguments.is_empty() {
        entry["arguments"] = Value::Array(field.arguments.iter().map(input).collect());
    }
    describe(&mut entry, field.description.as_ref());
    entry
}

fn input(input: &Positioned<InputValueDefinition>) -> Value {
    let input = &input.node;
    let mut entry = json!({ "name": input.name.node.as_str(), "type": input.ty.node.to_string() });
    describe(&mut entry, input.description.as_ref());
    entry
}

/// Writes the actions and custom types of an export as GraphQL.
pub(crate) fn write(actions: &[Value], types: &Value) -> String {
    let mut text = String::new();
    for (kind, word) in [("Query", "query"), ("Mutation", "mutation")] {
        // An action without a type is a mutation.
        let of_kind =
            |action: &&Value| action["definition"]["type"].as_str().unwrap_or("mutation") == word;
        let of_kind: Vec<&Value> = actions.iter().filter(of_kind).collect();
        if !of_kind.is_empty() {
            let _ = writeln!(text, "type {kind} {{");
            for action in of_kind {
                let definition = &action["definition"];
                let arguments = arguments(&definition["arguments"]);
                let output = definition["output_type"].as_str().unwrap_or_default();
                write_description(&mut text, &action["comment"], "  ");
                let _ = writeln!(
                    text,
                    "  {}{arguments}: {output}",
                    action["name"].as_str().unwrap_or_default()
                );
            }
            text.push_str("}\n\n");
        }
    }
    for (list, word) in [
        ("input_objects", "input"),
        ("objects", "type"),
        ("enums", "enum"),
        ("scalars", "scalar"),
    ] {
        for entry in types[list].as_array().into_iter().flatten() {
            write_type(&mut text, word, entry);
        }
    }
    text.trim_end().to_owned() + "\n"
}

fn write_type(text: &mut String, word: &str, entry: &Value) {
    write_description(text, &entry["description"], "");
    let _ = write!(
        text,
        "{word} {}",
        entry["name"].as_str().unwrap_or_default()
    );
    if word == "scalar" {
        text.push_str("\n\n");
        return;
    }
    text.push_str(" {\n");
    let members = if word == "enum" {
        &entry["values"]
    } else {
        &entry["fields"]
    };
    for member in members.as_array().into_iter().flatten() {
        write_description(text, &member["description"], "  ");
        let _ = match word {
            "enum" => writeln!(text, "  {}", member["value"].as_str().unwrap_or_default()),
            _ => {
                let name = member["name"].as_str().unwrap_or_default();
                let r#type = member["type"].as_str().unwrap_or_default();
                writeln!(text, "  {name}{}: {type}", arguments(&member["arguments"]))
            }
        };
    }
    text.push_str("}\n\n");
}

fn arguments(arguments: &Value) -> String {
    let words = |argument: &Value| match argument["description"].as_str() {
        Some(words) => format!("{} ", Value::from(words)),
        None => String::new(),
    };
    let one = |argument: &Value| {
        let part = |key: &str| argument[key].as_str().unwrap_or_default();
        format!("{}{}: {}", words(argument), part("name"), part("type"))
    };
    match arguments.as_array().map(Vec::as_slice) {
        None | Some([]) => String::new(),
        Some(arguments) => format!(
            "({})",
            arguments.iter().map(one).collect::<Vec<_>>().join(", ")
        ),
    }
}

/// Writes a description as a GraphQL string; JSON's escapes are valid in GraphQL.
fn write_description(text: &mut String, description: &Value, indent: &str) {
    if let Some(words) = description.as_str().filter(|words| !words.is_empty()) {
        let _ = writeln!(text, "{indent}{}", Value::from(words));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_round_trip_through_metadata() {
        let text = "type Mutation {\n  login(name: String!): Token\n}\n\ninput Page {\n  size: \
                    Int\n}\n\n\
                    \"who\"\ntype Token {\n  at: [Stamp!]!\n}\n\nenum Mood {\n  \
                    HAPPY\n}\n\nscalar Stamp\n";
        let mut metadata = Map::new();
        metadata.insert(
            "actions".to_owned(),
            json!([{ "name": "login", "definition": { "kind": "synchronous" } }]),
        );
        merge(&mut metadata, text).unwrap();
        assert_eq!(metadata["actions"][0]["definition"]["output_type"], "Token");
        let written = write(
            metadata["actions"].as_array().unwrap(),
            &metadata["custom_types"],
        );
        assert_eq!(written, text);
    }
}

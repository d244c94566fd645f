//! Writes a role's schema in the schema definition language, type by type, as `async-graphql` does.
//! <https://spec.graphql.org/October2021/#sec-Type-System>

use std::collections::HashMap;
use std::fmt::Write as _;
use std::slice;

use super::built_in::{BUILT_IN, cached_sdl};
use super::node::IntrospectedSchema;
use super::reachable_types::ReachableTypes;
use crate::schema::{Argument, FieldDefinition, InputField, Object, Schema, TypeKey};

/// Writes a schema a part at a time.
pub struct SdlWriter<'a> {
    schema: IntrospectedSchema<'a>,
    types: slice::Iter<'a, TypeKey>,
    /// The fields of the entities' keys by the names of their types; see [`SdlWriter::with_keys`].
    keys: Option<&'a HashMap<String, String>>,
    has_ended: bool,
}

impl<'a> SdlWriter<'a> {
    /// A writer of the schema with these types.
    pub fn new(schema: Schema<'a>, types: &'a ReachableTypes) -> SdlWriter<'a> {
        let schema = IntrospectedSchema::new(schema, types);
        SdlWriter {
            schema,
            types: types.keys().iter(),
            keys: None,
            has_ended: false,
        }
    }

    /// Adds `@key(fields: "…")` to the object types with these names.
    pub fn with_keys(self, keys: &'a HashMap<String, String>) -> SdlWriter<'a> {
        SdlWriter {
            keys: Some(keys),
            ..self
        }
    }

    /// Writes types until `out` has this many bytes or the schema ends; returns whether more
    /// follows.
    pub fn write(&mut self, until: usize, out: &mut String) -> bool {
        while out.len() < until {
            match self.types.next() {
                Some(named) => self.write_type(*named, out),
                None if self.has_ended => return false,
                None => {
                    self.has_ended = true;
                    self.write_end(out);
                }
            }
        }
        true
    }

    fn write_type(&self, named: TypeKey, out: &mut String) {
        let shown = &self.schema;
        if shown.built_in(named).is_some() {
            return;
        }
        let name = shown.schema.name(named);
        write_description(shown.describe(named).as_deref(), "", out);
        if let Some((of, values)) = shown.enum_values(named) {
            write_line(out, format_args!("enum {name} {{"));
            for value in values {
                write_description(
                    of.and_then(|of| shown.about.value(of, value)).as_deref(),
                    "  ",
                    out,
                );
                write_line(out, format_args!("  {value}"));
            }
            return out.push_str("}\n\n");
        }
        match named {
            TypeKey::Object(object) => {
                match self.keys.and_then(|keys| keys.get(&name)) {
                    Some(key) => {
                        write_line(out, format_args!("type {name} @key(fields: \"{key}\") {{"));
                    }
                    None => write_line(out, format_args!("type {name} {{")),
                }
                shown
                    .fields(object)
                    .iter()
                    .for_each(|field| self.write_field(object, field, out));
                out.push_str("}\n\n");
            }
            TypeKey::Input(input) => {
                write_line(out, format_args!("input {name} {{"));
                for field in shown.input_fields(input) {
                    write_description(shown.about.input_field(input, &field).as_deref(), "  ", out);
                    write_line(out, format_args!("  {}", self.input_field(&field)));
                }
                out.push_str("}\n\n");
            }
            _ => {
                write_line(out, format_args!("scalar {name}"));
                out.push('\n');
            }
        }
    }

    fn write_field(&self, object: Object, field: &FieldDefinition<'_>, out: &mut String) {
        let shown = &self.schema;
        write_description(shown.about.field(object, field).as_deref(), "  ", out);
        let arguments = self.arguments(object, &field.arguments);
        write_line(
            out,
            format_args!(
                "  {}{arguments}: {}",
                field.name,
                shown.schema.written(field.r#type)
            ),
        );
    }

    /// The arguments in parentheses: on a line each if any has a description.
    fn arguments(&self, object: Object, arguments: &[Argument<'_>]) -> String {
        let mut out = String::new();
        if arguments.is_empty() {
            return out;
        }
        let described = arguments
            .iter()
            .map(|argument| (argument, self.schema.about.argument(object, argument.name)));
        let described: Vec<_> = described.collect();
        let has_lines = described
            .iter()
            .any(|(_, description)| description.is_some());
        out.push('(');
        for (index, (argument, description)) in described.iter().enumerate() {
            if index > 0 {
                out.push(',');
            }
            if description.is_some() {
                out.push('\n');
                write_description(description.as_deref(), "    ", &mut out);
            }
            if has_lines {
                out.push_str("    ");
            } else if index > 0 {
                out.push(' ');
            }
            let _ = write!(
                out,
                "{}: {}",
                argument.name,
                self.schema.schema.written(argument.r#type)
            );
        }
        out.push_str(if has_lines { "\n  )" } else { ")" });
        out
    }

    fn input_field(&self, field: &InputField<'_>) -> String {
        let r#type = self.schema.schema.written(field.r#type);
        match field.default() {
            Some(default) => format!("{}: {} = {default}", field.name, r#type),
            None => format!("{}: {}", field.name, r#type),
        }
    }

    fn write_end(&self, out: &mut String) {
        let schema = self.schema.schema;
        out.push_str(BUILT_IN.directives_sdl());
        let roots = [
            ("query", true, Object::Query),
            ("mutation", schema.has_mutations(), Object::Mutation),
            (
                "subscription",
                schema.has_subscriptions(),
                Object::Subscription,
            ),
        ];
        out.push_str("schema {\n");
        for (operation, _, object) in roots.into_iter().filter(|(_, is_present, _)| *is_present) {
            write_line(
                out,
                format_args!("  {operation}: {}", schema.name(TypeKey::Object(object))),
            );
        }
        out.push_str("}\n");
        if self.schema.is_sorted() {
            out.push('\n');
            out.push_str(&cached_sdl());
        }
    }
}

fn write_line(out: &mut String, line: std::fmt::Arguments<'_>) {
    // Writing into a string does not fail.
    let _ = out.write_fmt(line);
    out.push('\n');
}

/// Writes a block string.
fn write_description(description: Option<&str>, indent: &str, out: &mut String) {
    let Some(description) = description else {
        return;
    };
    let description = description.replace('\n', &format!("\n{indent}"));
    write_line(
        out,
        format_args!("{indent}\"\"\"\n{indent}{description}\n{indent}\"\"\""),
    );
}

//! Writes the value of an introspection field as JSON, a part at a time. A stack of half-written
//! objects and lists is all that is kept between two parts, so the memory of a response does not
//! depend on its length.

use std::slice;

use async_graphql_value::ConstValue;

use super::node::{IntrospectedSchema, Node, Nodes, Value};
use super::reachable_types::ReachableTypes;
use super::selection::SelectedField;
use crate::schema::Schema;

/// Writes the value of one root field.
pub struct IntrospectionWriter<'a> {
    schema: IntrospectedSchema<'a>,
    /// The root field, until it is written.
    root: Option<&'a SelectedField>,
    stack: Vec<Frame<'a>>,
    fields: usize,
}

/// An object or a list whose beginning is written.
enum Frame<'a> {
    Object {
        node: Node<'a>,
        fields: slice::Iter<'a, SelectedField>,
        is_first: bool,
    },
    List {
        nodes: Nodes<'a>,
        field: &'a SelectedField,
        is_first: bool,
    },
}

impl<'a> IntrospectionWriter<'a> {
    /// A writer of a root field. `types` may be empty if [no list of
    /// them](super::IntrospectionSelection::lists_types) is selected.
    pub fn new(
        schema: Schema<'a>,
        types: &'a ReachableTypes,
        root: &'a SelectedField,
    ) -> IntrospectionWriter<'a> {
        let schema = IntrospectedSchema::new(schema, types);
        IntrospectionWriter {
            schema,
            root: Some(root),
            stack: Vec::new(),
            fields: 0,
        }
    }

    /// The number of fields written so far.
    pub fn fields(&self) -> usize {
        self.fields
    }

    /// Writes until `out` has this many bytes or the value ends; returns whether more follows.
    pub fn write(&mut self, until: usize, out: &mut Vec<u8>) -> bool {
        if let Some(root) = self.root.take() {
            let value = self.schema.root(root);
            self.open(value, root, out);
        }
        while out.len() < until {
            if !self.step(out) {
                break;
            }
        }
        !self.stack.is_empty()
    }

    /// Writes the next field, element or end.
    fn step(&mut self, out: &mut Vec<u8>) -> bool {
        match self.stack.last_mut() {
            None => return false,
            Some(Frame::Object {
                node,
                fields,
                is_first,
            }) => match fields.next() {
                Some(field) => {
                    separate(is_first, out);
                    write_text(&field.key, out);
                    out.push(b':');
                    let value = self.schema.value(node, field);
                    self.fields += 1;
                    self.open(value, field, out);
                }
                None => self.close(b'}', out),
            },
            Some(Frame::List {
                nodes,
                field,
                is_first,
            }) => match self.schema.next(nodes) {
                Some(node) => {
                    separate(is_first, out);
                    out.push(b'{');
                    let fields = field.fields.iter();
                    self.stack.push(Frame::Object {
                        node,
                        fields,
                        is_first: true,
                    });
                }
                None => self.close(b']', out),
            },
        }
        true
    }

    /// Writes a value, or the beginning of an object or a list.
    fn open(&mut self, value: Value<'a>, field: &'a SelectedField, out: &mut Vec<u8>) {
        match value {
            Value::Null => out.extend_from_slice(b"null"),
            Value::Boolean(value) => out.extend_from_slice(if value { b"true" } else { b"false" }),
            Value::Text(text) => write_text(&text, out),
            Value::BuiltIn(value) => write_constant(value, out),
            Value::Node(node) => {
                out.push(b'{');
                self.stack.push(Frame::Object {
                    node,
                    fields: field.fields.iter(),
                    is_first: true,
                });
            }
            Value::List(nodes) => {
                out.push(b'[');
                self.stack.push(Frame::List {
                    nodes,
                    field,
                    is_first: true,
                });
            }
        }
    }

    fn close(&mut self, end: u8, out: &mut Vec<u8>) {
        out.push(end);
        self.stack.pop();
    }
}

fn separate(is_first: &mut bool, out: &mut Vec<u8>) {
    if !std::mem::take(is_first) {
        out.push(b',');
    }
}

fn write_text(text: &str, out: &mut Vec<u8>) {
    // Writing text into a vector does not fail.
    let _ = serde_json::to_writer(out, text);
}

fn write_constant(value: &ConstValue, out: &mut Vec<u8>) {
    let _ = serde_json::to_writer(out, value);
}

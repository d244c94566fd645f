//! Compares the column types that a shape expects with those that Postgres describes for the
//! prepared statement. A statement can remain valid after a schema change while its columns have
//! other types; their bytes would then be decoded as another type.
//!
//! A connection that parses a statement asks for its description in the same packet, and compares
//! it before it reads a row; a mutation is compared before any step is sent. Fields of records are
//! not described, but carry the OID of their type, which the encoder compares. A difference reloads
//! the catalog, and the request runs once more.

use super::{Encoder, Field, LevelRows, Node, ResponseShape, Shape};
use crate::postgres::catalog::Oid;

/// OIDs of built-in types, from Postgres' `pg_type.dat`.
mod oid {
    pub(super) const BOOL: u32 = 16;
    pub(super) const INT8: u32 = 20;
    pub(super) const TEXT: u32 = 25;
    pub(super) const RECORD: u32 = 2249;
    pub(super) const RECORDS: u32 = 2287;
}

/// A column does not have the type that its encoder decodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "column {column} of the statement has the type with OID {found:?}, which it did not have \
         when the catalog was read"
)]
pub struct ColumnTypesChanged {
    /// The column's number, from 1.
    pub column: usize,
    /// The OID of its type; `None` if the statement has no such column.
    pub found: Option<Oid>,
}

/// The type that a column must have.
enum ExpectedType<'s> {
    Encoded(&'s Encoder),
    Exactly(Oid),
}

impl ExpectedType<'_> {
    fn takes(&self, oid: Oid) -> bool {
        match self {
            ExpectedType::Encoded(encoder) => encoder.takes(oid),
            ExpectedType::Exactly(expected) => *expected == oid,
        }
    }
}

impl Shape {
    /// Compares the described columns with the types that the encoders decode. Columns after the
    /// last one that the shape consumes are ignored.
    ///
    /// Errors: the first column of another type.
    pub fn check(&self, described: &[Oid]) -> Result<(), ColumnTypesChanged> {
        let mut expected = Vec::new();
        match &self.response {
            ResponseShape::Rows { row, .. }
            | ResponseShape::One { row, .. }
            | ResponseShape::Part(Some(row)) => {
                node(row, &mut expected);
            }
            ResponseShape::Row(inner) => fields(inner, &mut expected),
            // A column has one type, whichever level uses it.
            ResponseShape::Levels(levels) => {
                expected.extend(levels.types.iter().map(|oid| ExpectedType::Exactly(*oid)));
            }
            ResponseShape::Part(None) => {}
        }
        for (index, expected) in expected.iter().enumerate() {
            let found = described.get(index).copied();
            if !found.is_some_and(|oid| expected.takes(oid)) {
                return Err(ColumnTypesChanged {
                    column: index + 1,
                    found,
                });
            }
        }
        Ok(())
    }
}

fn fields<'s>(inner: &'s [Field], expected: &mut Vec<ExpectedType<'s>>) {
    inner.iter().for_each(|field| node(&field.node, expected));
}

/// Appends the types of the columns that a node consumes, in order.
fn node<'s>(shape: &'s Node, expected: &mut Vec<ExpectedType<'s>>) {
    match shape {
        Node::Constant(_) | Node::Level(_, LevelRows::All | LevelRows::Sole) => {}
        Node::Value(encoder) => expected.push(ExpectedType::Encoded(encoder)),
        Node::Object(inner) => fields(inner, expected),
        Node::Optional(inner) => {
            expected.push(ExpectedType::Exactly(oid::BOOL));
            fields(inner, expected);
        }
        Node::List(_) | Node::One(_) | Node::Reversed(_) => {
            expected.push(ExpectedType::Exactly(oid::RECORDS));
        }
        Node::Record(_) => expected.push(ExpectedType::Exactly(oid::RECORD)),
        // The columns of a level union are compared together.
        Node::Level(_, LevelRows::Own) => {}
        Node::Cursor(cursor) => {
            expected.extend((0..cursor.values).map(|_| ExpectedType::Exactly(oid::TEXT)));
        }
        Node::Connection(page) => {
            expected.extend([
                ExpectedType::Exactly(oid::RECORDS),
                ExpectedType::Exactly(oid::INT8),
            ]);
            expected.extend(page.beyond.then_some(ExpectedType::Exactly(oid::BOOL)));
            expected.extend(page.total.then_some(ExpectedType::Exactly(oid::INT8)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encode::shape::Key;

    fn shape(nodes: Vec<Node>) -> Shape {
        let fields = nodes.into_iter().map(|node| Field {
            key: Key::new("a"),
            node,
        });
        Shape {
            response: ResponseShape::Rows {
                key: Key::new("rows"),
                row: Node::Object(fields.collect()),
            },
        }
    }

    #[test]
    fn columns_of_other_types_are_reported() {
        let optional = Node::Optional(vec![Field {
            key: Key::new("b"),
            node: Node::Value(Encoder::Text),
        }]);
        let shape = shape(vec![
            Node::Value(Encoder::Int4),
            Node::Constant("1".into()),
            optional,
        ]);
        assert_eq!(shape.check(&[23, 16, 1043]), Ok(()));
        assert_eq!(
            shape.check(&[23, 16, 25, 16]),
            Ok(()),
            "columns that nothing consumes are ignored"
        );
        assert_eq!(
            shape.check(&[25, 16, 25]),
            Err(ColumnTypesChanged {
                column: 1,
                found: Some(25)
            })
        );
        assert_eq!(
            shape.check(&[23, 16, 2950]),
            Err(ColumnTypesChanged {
                column: 3,
                found: Some(2950)
            })
        );
        assert_eq!(
            shape.check(&[23, 16]),
            Err(ColumnTypesChanged {
                column: 3,
                found: None
            })
        );
    }

    #[test]
    fn types_of_equal_size_are_distinguished() {
        for (encoder, right, wrong) in [
            (Encoder::Timestamp, 1114, 1184),
            (Encoder::Json, 114, 25),
            (Encoder::JsonText, 25, 114),
            (Encoder::Text, 25, 3802),
            (Encoder::Array(Box::new(Encoder::Int4)), 1007, 1009),
            (Encoder::Quoted(Box::new(Encoder::Int8)), 20, 23),
            (
                Encoder::Domain(50_000, Box::new(Encoder::Int4)),
                50_000,
                50_001,
            ),
        ] {
            assert!(encoder.takes(right) && !encoder.takes(wrong), "{encoder:?}");
        }
        assert!(Encoder::Domain(50_000, Box::new(Encoder::Int4)).takes(23));
    }
}

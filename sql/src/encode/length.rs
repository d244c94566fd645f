//! The length of a row's JSON, computed without writing it. A row of many megabytes is measured
//! before it is written, so that memory for its JSON is reserved, or the row refused, beforehand.

use super::shape::{Encoder, Field, Node};
use super::{Columns, Error, array, boolean, text, value};

/// The bytes of JSON that these columns become at least. Values are counted exactly; of lists and
/// records, whose size the statement itself bounds, and of keys only what is known without decoding
/// them.
pub fn row_length<'a>(node: &Node, columns: &mut impl Columns<'a>) -> Result<usize, Error> {
    match node {
        Node::Value(encoder) => columns
            .next()?
            .map_or(Ok(0), |bytes| value_length(encoder, bytes)),
        Node::Constant(json) => Ok(json.len()),
        Node::Object(inner) => fields_length(inner, columns),
        Node::Optional(inner) if columns.next()?.map(boolean).transpose()? == Some(true) => {
            fields_length(inner, columns)
        }
        Node::Optional(inner) => skip(
            inner.iter().map(|field| field.node.columns()).sum(),
            columns,
        ),
        node => skip(node.columns(), columns),
    }
}

/// Like [`row_length`], for an object of these fields.
pub fn fields_length<'a>(fields: &[Field], columns: &mut impl Columns<'a>) -> Result<usize, Error> {
    let mut length = 0;
    for field in fields {
        length += field.key.as_str().len() + row_length(&field.node, columns)?;
    }
    Ok(length)
}

fn skip<'a>(count: usize, columns: &mut impl Columns<'a>) -> Result<usize, Error> {
    for _ in 0..count {
        columns.next()?;
    }
    Ok(0)
}

fn value_length(encoder: &Encoder, bytes: &[u8]) -> Result<usize, Error> {
    match encoder {
        Encoder::Text => Ok(text::string_length(bytes)),
        Encoder::Json | Encoder::JsonText | Encoder::Jsonb => Ok(bytes.len()),
        Encoder::Bytea => Ok(bytes.len() * 2),
        Encoder::Array(element) => array_length(element, bytes),
        Encoder::Quoted(inner) | Encoder::Domain(_, inner) => value_length(inner, bytes),
        short => {
            let mut written = Vec::with_capacity(64);
            value(short, bytes, &mut written)?;
            Ok(written.len())
        }
    }
}

fn array_length(element: &Encoder, bytes: &[u8]) -> Result<usize, Error> {
    let mut length = 0;
    let mut brackets = Vec::new();
    array::nested(bytes, &mut brackets, |bytes, brackets| {
        length += brackets.len() + bytes.map_or(Ok(0), |bytes| value_length(element, bytes))?;
        brackets.clear();
        Ok(())
    })?;
    Ok(length + brackets.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::encode::shape::Key;

    struct One<'a>(Option<&'a [u8]>);

    impl<'a> Columns<'a> for One<'a> {
        fn next(&mut self) -> Result<Option<&'a [u8]>, Error> {
            Ok(self.0.take())
        }
    }

    #[test]
    fn values_are_counted_as_they_are_written() {
        let array = [
            &[0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 25, 0, 0, 0, 2, 0, 0, 0, 1][..],
            &[0, 0, 0, 2],
            b"a\n",
        ]
        .concat();
        let array = [&array[..], &[0, 0, 0, 1], b"b"].concat();
        let values: [(Encoder, &[u8]); 7] = [
            (Encoder::Text, b"a\"b\\c\n\x01\x08 \xc3\xa4"),
            (Encoder::Text, b""),
            (Encoder::Json, b"{ }"),
            (Encoder::Int4, &[0, 0, 1, 0]),
            (Encoder::Bool, &[1]),
            (Encoder::Array(Box::new(Encoder::Text)), &array),
            (Encoder::Bytea, &[0, 255]),
        ];
        for (encoder, bytes) in values {
            let mut written = vec![];
            value(&encoder, bytes, &mut written).unwrap();
            // The quotes and the `\\x` of bytea are left out.
            let left_out = if matches!(encoder, Encoder::Bytea) {
                5
            } else {
                0
            };
            let node = Node::Value(encoder);
            assert_eq!(
                row_length(&node, &mut One(Some(bytes))).unwrap() + left_out,
                written.len(),
                "{node:?}"
            );
        }
    }

    #[test]
    fn absent_objects_consume_their_columns() {
        let field = Field {
            key: Key::new("a"),
            node: Node::Value(Encoder::Text),
        };
        let node = Node::Optional(vec![field]);
        assert_eq!(row_length(&node, &mut One(None)), Ok(0));
    }
}

//! The tree of response keys and encoders that belongs to a rendered statement: what each of its
//! columns becomes in the JSON response. The renderer builds it together with the SQL; reading the
//! columns and writing the JSON is left to [`encode`](crate::encode).

use crate::encode::cursor::{Ordering, Secret};
use crate::postgres::catalog::Oid;
pub use crate::postgres::encoder::Encoder;

mod level_union;
mod column_types;

pub use column_types::ColumnTypesChanged;
pub use level_union::MAX_PARENT_ROWS;

/// How the rows of a statement become JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shape {
    /// How many rows the statement returns, and what they become.
    pub response: ResponseShape,
}

/// Root fields whose lists are separate levels of one result. The first column of every row is the
/// number of its level: an index into [`Levels::inner`], or the length of `inner` for the last
/// level. Rows of the last level are the rows of the only root field, or one row with the fields of
/// several root fields other than lists. A level comes before the level of its parent rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Levels {
    /// What the rows of the last level become.
    pub form: RootForm,
    /// The OIDs of the column types. All levels share the columns.
    pub types: Vec<Oid>,
    /// The levels of the lists, inner lists first.
    pub inner: Vec<Level>,
    /// The last level, that of the root.
    pub root: Level,
}

/// What the rows of the last level become in the response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RootForm {
    /// The items of the only root field, `{"key":[…]}`.
    List(Key),
    /// At most one row, that of the only root field: `{"key":{…}}`, or `{"key":null}` without a
    /// row.
    One(Key),
    /// Exactly one row, the whole response.
    Whole,
}

/// Which rows of a level a node contains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LevelRows {
    /// The rows whose key equals the next column, as a list.
    Own,
    /// All rows, as a list.
    All,
    /// The only row, or null.
    Sole,
}

/// The rows of one list field, of all its parent rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Level {
    /// Indexes of the columns that the node consumes, in the node's order.
    pub places: Vec<usize>,
    /// Index of the column with the key of the parent row, if the rows have parents in another
    /// level.
    pub owner: Option<usize>,
    /// The level of the parent rows: an index into [`Levels::inner`], or its length for the last
    /// level.
    pub inside: usize,
    /// The JSON of each row.
    pub node: Node,
}

impl Shape {
    /// Whether every column is a single value, neither a list nor a record. The binary form of such
    /// a row is about as long as its JSON at most.
    pub fn is_flat(&self) -> bool {
        match &self.response {
            ResponseShape::Rows { row, .. } | ResponseShape::One { row, .. } => row.is_flat(),
            ResponseShape::Levels(levels) => levels
                .inner
                .iter()
                .chain([&levels.root])
                .all(|level| level.node.is_flat()),
            ResponseShape::Row(fields) => fields.iter().all(|field| field.node.is_flat()),
            ResponseShape::Part(node) => node.as_ref().is_none_or(Node::is_flat),
        }
    }
}

/// What the rows of a statement become in the response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ResponseShape {
    /// A single root field that is a list: each row of the result is one element. `{"key":[…]}`
    Rows {
        /// The response key of the root field.
        key: Key,
        /// The JSON of each row.
        row: Node,
    },
    /// A single root field by primary key: zero or one row, `{"key":{…}}` or `{"key":null}`.
    One {
        /// The response key of the root field.
        key: Key,
        /// The JSON of the row.
        row: Node,
    },
    /// Root fields with several lists, nested or side by side, the rows of each list a level of one
    /// result.
    Levels(Box<Levels>),
    /// Several root fields, or an aggregate: one row whose columns feed the fields, `{…}`.
    Row(Vec<Field>),
    /// A step of a mutation: one row whose columns feed a part of the response; `None` if the step
    /// returns nothing to the client.
    Part(Option<Node>),
}

/// A response key as escaped JSON text, `,"name":`, so that writing it is one copy, with or without
/// the comma.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Key {
    text: Box<str>,
    /// The text with zeros behind it, if it fits: copying a number of bytes that the compiler
    /// knows, and cutting the zeros off, is cheaper than copying a short text.
    padded: [u8; 32],
}

/// One field of a JSON object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// The response key.
    pub key: Key,
    /// The field's value.
    pub node: Node,
}

/// A JSON value and the columns it is made from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Node {
    /// One column; null when the column is.
    Value(Encoder),
    /// JSON text that consumes no column, such as a `__typename`.
    Constant(Box<str>),
    /// An object; consumes the columns of its fields.
    Object(Vec<Field>),
    /// A boolean column, then the columns of the fields: null instead of the object where the
    /// boolean is null or false. The fields' columns are present either way.
    Optional(Vec<Field>),
    /// One column, a binary `record[]`: a list, each record's columns feed the node. `[]` when the
    /// column is null.
    List(Box<Node>),
    /// One column, a binary `record[]`: its first record, or null when it has none or is null.
    One(Box<Node>),
    /// One column, a binary record; null when the column is.
    Record(Box<Node>),
    /// Rows of a level, by its index in [`Levels::inner`].
    Level(usize, LevelRows),
    /// As `List`, from the last record to the first.
    Reversed(Box<Node>),
    /// Several columns of text, [`Cursor::values`] of them, that become one cursor.
    Cursor(Cursor),
    /// A page of rows, the connection object of the Relay cursor specification.
    Connection(Box<Connection>),
}

/// How cursors are encoded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cursor {
    /// The key of the authentication tag.
    pub secret: Secret,
    /// The table and order that the cursors belong to.
    pub ordering: Ordering,
    /// The number of sort values in a cursor.
    pub values: usize,
}

/// A page of rows. Its columns: a binary `record[]` with one more row than the limit if there are
/// more rows; the limit (null for none); where [`Connection::beyond`], whether rows exist on the
/// other side of the page's starting cursor; and where [`Connection::total`], the number of all
/// rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Connection {
    /// The selected fields of the connection.
    pub fields: Vec<(Key, PagePart)>,
    /// Whether the records are in reverse order.
    pub backwards: bool,
    /// Whether a column says if rows exist on the other side of the page's starting cursor.
    pub beyond: bool,
    /// Whether a column has the number of all rows.
    pub total: bool,
}

/// A field of a connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PagePart {
    /// JSON text: `__typename`.
    Constant(Box<str>),
    /// A list of the records; the node consumes each record's columns after the skipped ones.
    Rows {
        /// The number of leading columns of a record that belong to other fields.
        skip: usize,
        /// What each record becomes.
        node: Node,
    },
    /// `totalCount`.
    Total,
    /// `pageInfo`.
    Info {
        /// The number of leading columns of a record that belong to other fields.
        skip: usize,
        /// How cursors are encoded, if the client selects one.
        cursor: Option<Cursor>,
        /// The selected fields of `PageInfo`.
        fields: Vec<(Key, InfoPart)>,
    },
}

/// A field of `PageInfo`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum InfoPart {
    /// JSON text: `__typename`.
    Constant(Box<str>),
    /// `hasNextPage`
    HasNext,
    /// `hasPreviousPage`
    HasPrevious,
    /// `startCursor`
    Start,
    /// `endCursor`
    End,
}

impl Key {
    /// Encodes a name as a response key, with quotes, escapes and colon.
    pub fn new(name: &str) -> Key {
        // Every key but those of named SQL is a name in GraphQL, which needs no escapes.
        if name
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        {
            return Key::from_json([",\"", name, "\":"].concat());
        }
        Key::from_json(format!(",{}:", serde_json::Value::from(name)))
    }

    fn from_json(text: String) -> Key {
        let mut padded = [0; 32];
        if let Some(start) = padded.get_mut(..text.len()) {
            start.copy_from_slice(text.as_bytes());
        }
        Key {
            text: text.into(),
            padded,
        }
    }

    /// Writes the text for a later field of an object: `,"name":`.
    #[inline]
    pub(crate) fn write(&self, out: &mut Vec<u8>) {
        match self.padded.len().checked_sub(self.text.len()) {
            Some(surplus) => {
                out.extend_from_slice(&self.padded);
                out.truncate(out.len() - surplus);
            }
            None => out.extend_from_slice(self.text.as_bytes()),
        }
    }

    /// The text for the first field of an object: `"name":`.
    pub fn as_str(&self) -> &str {
        self.text.get(1..).unwrap_or_default()
    }
}

impl Node {
    /// Whether the node contains a list, whose length is not bounded by the shape.
    pub(crate) fn has_list(&self) -> bool {
        match self {
            Node::Value(_) | Node::Constant(_) | Node::Cursor(_) => false,
            Node::Object(fields) | Node::Optional(fields) => {
                fields.iter().any(|field| field.node.has_list())
            }
            Node::One(node) | Node::Record(node) => node.has_list(),
            Node::List(_) | Node::Level(..) | Node::Reversed(_) | Node::Connection(_) => true,
        }
    }

    /// Whether the node contains no list, record or connection.
    pub(crate) fn is_plain(&self) -> bool {
        match self {
            Node::Value(_) | Node::Constant(_) | Node::Cursor(_) => true,
            Node::Object(fields) | Node::Optional(fields) => {
                fields.iter().all(|field| field.node.is_plain())
            }
            Node::List(_)
            | Node::One(_)
            | Node::Record(_)
            | Node::Level(..)
            | Node::Reversed(_) => false,
            Node::Connection(_) => false,
        }
    }

    /// Whether the node contains a list within a list.
    pub(crate) fn nests_lists(&self) -> bool {
        match self {
            Node::Value(_) | Node::Constant(_) | Node::Cursor(_) => false,
            Node::Object(fields) | Node::Optional(fields) => {
                fields.iter().any(|field| field.node.nests_lists())
            }
            Node::One(node) | Node::Record(node) => node.nests_lists(),
            Node::List(node) | Node::Reversed(node) => node.has_list(),
            Node::Level(..) | Node::Connection(_) => true,
        }
    }

    /// The number of columns of its row or record that the node consumes.
    pub fn columns(&self) -> usize {
        match self {
            Node::Constant(_) => 0,
            Node::Level(_, share) => usize::from(*share == LevelRows::Own),
            Node::Value(_) | Node::List(_) | Node::Reversed(_) | Node::One(_) | Node::Record(_) => {
                1
            }
            Node::Cursor(cursor) => cursor.values,
            Node::Connection(page) => 2 + usize::from(page.beyond) + usize::from(page.total),
            Node::Object(fields) => columns(fields),
            Node::Optional(fields) => 1 + columns(fields),
        }
    }

    /// Whether its columns are single values.
    fn is_flat(&self) -> bool {
        match self {
            Node::Value(encoder) => encoder.is_flat(),
            Node::Constant(_) | Node::Level(..) | Node::Cursor(_) => true,
            Node::Object(inner) | Node::Optional(inner) => {
                inner.iter().all(|field| field.node.is_flat())
            }
            Node::List(_)
            | Node::One(_)
            | Node::Record(_)
            | Node::Reversed(_)
            | Node::Connection(_) => false,
        }
    }
}

fn columns(fields: &[Field]) -> usize {
    fields.iter().map(|field| field.node.columns()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn key_is_stored_as_escaped_json() {
        assert_eq!(Key::new("name").as_str(), r#""name":"#);
        assert_eq!(Key::new("or\"ders\n").as_str(), r#""or\"ders\n":"#);
    }

    #[test]
    fn key_of_any_length_is_written() {
        for length in [1, 27, 28, 29, 100] {
            let name = "a".repeat(length);
            let mut out = b"1".to_vec();
            Key::new(&name).write(&mut out);
            assert_eq!(String::from_utf8(out), Ok(format!("1,\"{name}\":")));
        }
    }

    #[test]
    fn columns_are_counted_through_the_tree() {
        let leaf = |name: &str| Field {
            key: Key::new(name),
            node: Node::Value(Encoder::Int4),
        };
        let typename = Field {
            key: Key::new("__typename"),
            node: Node::Constant("\"users\"".into()),
        };
        let parent = Field {
            key: Key::new("parent"),
            node: Node::Optional(vec![leaf("id"), leaf("name")]),
        };
        let list = Field {
            key: Key::new("list"),
            node: Node::List(Box::new(Node::Object(vec![
                leaf("a"),
                leaf("b"),
                leaf("c"),
            ]))),
        };
        assert_eq!(
            Node::Object(vec![leaf("id"), typename, parent, list]).columns(),
            1 + 3 + 1
        );
    }
}

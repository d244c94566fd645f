//! The tree of response keys and encoders that a statement carries beside its text: it says what the statement's
//! columns become in the answer. Reading the columns and writing the JSON is left to `encode`.

use crate::encode::cursor::{Ordering, Secret};
pub use crate::postgres::encoder::Encoder;

mod level_union;
mod column_types;

pub use column_types::ColumnTypesChanged;
pub use level_union::{KEYS, Level, LevelRows, Levels, RootForm};

/// What a statement's rows become.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shape {
    /// How many rows there are and where they go.
    pub answer: Answer,
}

/// What the rows of a statement are in the answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// A single list root: each row of the result is one element. `{"key":[…]}`
    Rows {
        /// The response key of the root field.
        key: Key,
        /// What each row becomes.
        row: Node,
    },
    /// A single root by primary key: zero or one row, `{"key":{…}}` or `{"key":null}`.
    One {
        /// The response key of the root field.
        key: Key,
        /// What the row becomes.
        row: Node,
    },
    /// Roots with lists, in them or side by side, the rows of each list beside the others'.
    Levels(Box<Levels>),
    /// Several roots, or an aggregate: one row whose columns feed the fields, `{…}`.
    Row(Vec<Field>),
    /// A step of a mutation: one row whose columns feed a part of the answer, or are nobody's.
    Part(Option<Node>),
}

/// A response key, kept ready to be written: `,"name":` in JSON, or without the comma.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Key(Box<str>);

/// One field of a JSON object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    /// Its response key.
    pub key: Key,
    /// What its columns become.
    pub node: Node,
}

/// A JSON value and the columns it is made from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Node {
    /// One column; null when the column is.
    Value(Encoder),
    /// JSON text that needs no column, such as a `__typename`.
    Constant(Box<str>),
    /// An object; consumes what its fields consume.
    Object(Vec<Field>),
    /// A boolean column, then the columns of the fields: null instead of the object where the boolean is null or false.
    /// The fields' columns are there either way.
    Optional(Vec<Field>),
    /// One column, a binary `record[]`: a list, each record's columns feed the node. `[]` when the column is null.
    List(Box<Node>),
    /// One column, a binary `record[]`: its first record, or null when it has none or is null.
    One(Box<Node>),
    /// One column, a binary record; null when the column is.
    Record(Box<Node>),
    /// Rows of that level, in [`Levels::inner`].
    Level(usize, LevelRows),
    /// The same as `List`, from the last record to the first.
    Reversed(Box<Node>),
    /// So many columns of text become one cursor.
    Cursor(Cursor),
    /// A page of rows as Relay has it.
    Connection(Box<Connection>),
}

/// What cursors are made with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cursor {
    /// What they are tagged with.
    pub secret: Secret,
    /// The order that they are places in.
    pub ordering: Ordering,
    /// How many values a place has.
    pub values: usize,
}

/// A page of rows. Its columns: a binary `record[]` with one row more than the limit where there are more, the limit
/// (null for none), whether there are rows on the other side, and the number of all rows, each where it is asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Connection {
    /// The fields.
    pub fields: Vec<(Key, PagePart)>,
    /// Whether the records come from the last to the first.
    pub backwards: bool,
    /// Whether there is a column that says whether rows lie on the side that was come from.
    pub beyond: bool,
    /// Whether there is a column with the number of rows.
    pub total: bool,
}

/// A field of a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PagePart {
    /// JSON text: `__typename`.
    Constant(Box<str>),
    /// A list over the records: the node is fed from the record's columns after those that are skipped.
    Rows {
        /// So many columns belong to other parts.
        skip: usize,
        /// What each record becomes.
        node: Node,
    },
    /// `totalCount`
    Total,
    /// `pageInfo`
    Info {
        /// So many columns of the records belong to other parts.
        skip: usize,
        /// What makes the cursors, if one is asked for.
        cursor: Option<Cursor>,
        /// The fields.
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
    /// The key that is written for this name, with quotes, escapes and colon.
    pub fn new(name: &str) -> Key {
        Key(format!(",{}:", serde_json::Value::from(name)).into_boxed_str())
    }

    /// The text to write: `"name":`.
    pub fn as_str(&self) -> &str {
        self.0.get(1..).unwrap_or_default()
    }

    /// The text to write behind another field: `,"name":`.
    pub(crate) fn behind(&self) -> &str {
        &self.0
    }
}

impl Node {
    /// Whether it holds any list, which may be of any length.
    pub(crate) fn has_list(&self) -> bool {
        match self {
            Node::Value(_) | Node::Constant(_) | Node::Cursor(_) => false,
            Node::Object(fields) | Node::Optional(fields) => fields.iter().any(|field| field.node.has_list()),
            Node::One(node) | Node::Record(node) => node.has_list(),
            Node::List(_) | Node::Level(..) | Node::Reversed(_) | Node::Connection(_) => true,
        }
    }

    /// Whether it holds neither lists nor what is made of several rows.
    pub(crate) fn is_plain(&self) -> bool {
        match self {
            Node::Value(_) | Node::Constant(_) | Node::Cursor(_) => true,
            Node::Object(fields) | Node::Optional(fields) => fields.iter().all(|field| field.node.is_plain()),
            Node::List(_) | Node::One(_) | Node::Record(_) | Node::Level(..) | Node::Reversed(_) => false,
            Node::Connection(_) => false,
        }
    }

    /// Whether it holds a list within a list.
    pub(crate) fn nests_lists(&self) -> bool {
        match self {
            Node::Value(_) | Node::Constant(_) | Node::Cursor(_) => false,
            Node::Object(fields) | Node::Optional(fields) => fields.iter().any(|field| field.node.nests_lists()),
            Node::One(node) | Node::Record(node) => node.nests_lists(),
            Node::List(node) | Node::Reversed(node) => node.has_list(),
            Node::Level(..) | Node::Connection(_) => true,
        }
    }

    /// How many columns of its row or record the node consumes.
    pub fn columns(&self) -> usize {
        match self {
            Node::Constant(_) => 0,
            Node::Level(_, share) => usize::from(*share == LevelRows::Own),
            Node::Value(_) | Node::List(_) | Node::Reversed(_) | Node::One(_) | Node::Record(_) => 1,
            Node::Cursor(cursor) => cursor.values,
            Node::Connection(page) => 2 + usize::from(page.beyond) + usize::from(page.total),
            Node::Object(fields) => columns(fields),
            Node::Optional(fields) => 1 + columns(fields),
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
    fn a_key_is_ready_to_be_written() {
        assert_eq!(Key::new("name").as_str(), r#""name":"#);
        assert_eq!(Key::new("name").behind(), r#","name":"#);
        assert_eq!(Key::new("or\"ders\n").as_str(), r#""or\"ders\n":"#);
    }

    #[test]
    fn columns_are_counted_through_the_tree() {
        let leaf = |name: &str| Field { key: Key::new(name), node: Node::Value(Encoder::Int4) };
        let typename = Field { key: Key::new("__typename"), node: Node::Constant("\"users\"".into()) };
        let parent = Field { key: Key::new("parent"), node: Node::Optional(vec![leaf("id"), leaf("name")]) };
        let list = Field {
            key: Key::new("list"),
            node: Node::List(Box::new(Node::Object(vec![leaf("a"), leaf("b"), leaf("c")]))),
        };
        assert_eq!(Node::Object(vec![leaf("id"), typename, parent, list]).columns(), 1 + 3 + 1);
    }
}

//! Rows of lists within lists that come one level after the other, and not nested in records.

use super::{Key, Node};

/// A root field whose lists are levels of their own. The first column of every row says which level it is of: its place in
/// [`Levels::inner`], or their number for a row of the root. A level comes before the one that its rows belong to, the
/// root last.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Levels {
    /// The response key of the root field.
    pub key: Key,
    /// Whether the root is one row at most, and no list.
    pub one: bool,
    /// How many columns every row has.
    pub width: usize,
    /// The lists.
    pub inner: Vec<Level>,
    /// The rows of the root.
    pub root: Level,
}

/// The rows of one list, whichever row they belong to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Level {
    /// Where the columns that the node consumes stand in a row, in the node's order.
    pub places: Vec<usize>,
    /// Where the key stands by which a row belongs to one of another level. The root's rows belong to none.
    pub owner: Option<usize>,
    /// What each row becomes.
    pub node: Node,
}

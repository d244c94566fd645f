//! The update operators: the arguments `_set`, `_inc` and so on of updates.

use crate::model::named_enum::named_enum;

named_enum! {
    /// How an update changes a column.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    pub enum UpdateOperator by name {
        /// `_set`: replaces the value.
        Set = "_set",
        /// `_inc`: adds to the value.
        Inc = "_inc",
        /// `_mul`: multiplies the value.
        Mul = "_mul",
        /// `_append`: appends to `jsonb`.
        Append = "_append",
        /// `_prepend`: prepends to `jsonb`.
        Prepend = "_prepend",
        /// `_delete_key`: deletes a key (text) from `jsonb`.
        DeleteKey = "_delete_key",
        /// `_delete_elem`: deletes the element at an index (`int4`) from `jsonb`.
        DeleteElem = "_delete_elem",
        /// `_delete_at_path`: deletes the value at a path (`text[]`) from `jsonb`.
        DeleteAtPath = "_delete_at_path",
        /// `_array_append`: appends an element to an array.
        ArrayAppend = "_array_append",
        /// `_array_remove`: removes all equal elements from an array.
        ArrayRemove = "_array_remove",
    }
}

impl UpdateOperator {
    /// Whether the new value depends on the stored value.
    pub fn reads(self) -> bool {
        self != UpdateOperator::Set
    }
}

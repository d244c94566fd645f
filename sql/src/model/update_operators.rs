//! The update operators: the arguments `_set`, `_inc` and so on of updates.

/// How an update changes a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UpdateOperator {
    /// `_set`: replaces the value.
    Set,
    /// `_inc`: adds to the value.
    Inc,
    /// `_mul`: multiplies the value.
    Mul,
    /// `_append`: appends to `jsonb`.
    Append,
    /// `_prepend`: prepends to `jsonb`.
    Prepend,
    /// `_delete_key`: deletes a key (text) from `jsonb`.
    DeleteKey,
    /// `_delete_elem`: deletes the element at an index (`int4`) from `jsonb`.
    DeleteElem,
    /// `_delete_at_path`: deletes the value at a path (`text[]`) from `jsonb`.
    DeleteAtPath,
    /// `_array_append`: appends an element to an array.
    ArrayAppend,
    /// `_array_remove`: removes all equal elements from an array.
    ArrayRemove,
}

impl UpdateOperator {
    /// Every update operator, with the name of its argument.
    pub const ALL: [(UpdateOperator, &'static str); 10] = [
        (UpdateOperator::Set, "_set"),
        (UpdateOperator::Inc, "_inc"),
        (UpdateOperator::Mul, "_mul"),
        (UpdateOperator::Append, "_append"),
        (UpdateOperator::Prepend, "_prepend"),
        (UpdateOperator::DeleteKey, "_delete_key"),
        (UpdateOperator::DeleteElem, "_delete_elem"),
        (UpdateOperator::DeleteAtPath, "_delete_at_path"),
        (UpdateOperator::ArrayAppend, "_array_append"),
        (UpdateOperator::ArrayRemove, "_array_remove"),
    ];

    /// Whether the new value depends on the stored value.
    pub fn reads(self) -> bool {
        self != UpdateOperator::Set
    }

    /// The name of the argument: `_set`.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(modifier, _)| *modifier == self).map_or("", |(_, name)| name)
    }
}

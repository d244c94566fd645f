//! How updates change columns: the arguments `_set`, `_inc` and so on.

/// How a column is changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UpdateOperator {
    /// `_set`: it becomes the value.
    Set,
    /// `_inc`: the value is added.
    Inc,
    /// `_mul`: it is multiplied by the value.
    Mul,
    /// `_append`: `jsonb` at the end.
    Append,
    /// `_prepend`: `jsonb` in front.
    Prepend,
    /// `_delete_key`: a key, as text, is taken out of `jsonb`.
    DeleteKey,
    /// `_delete_elem`: an element, by its place (`int4`), is taken out of `jsonb`.
    DeleteElem,
    /// `_delete_at_path`: what lies at a path (`text[]`) is taken out of `jsonb`.
    DeleteAtPath,
    /// `_array_append`: an element at the end of an array.
    ArrayAppend,
    /// `_array_remove`: all equal elements are taken out of an array.
    ArrayRemove,
}

impl UpdateOperator {
    /// Every modifier, with the argument that it is given by.
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

    /// Whether the new value depends on the stored one.
    pub fn reads(self) -> bool {
        self != UpdateOperator::Set
    }

    /// The argument that it is given by: `_set`.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(modifier, _)| *modifier == self).map_or("", |(_, name)| name)
    }
}

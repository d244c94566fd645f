//! The levels of a nested insert in the order in which they are written, with the links between
//! them.

use crate::model::Relation;
use crate::plan::LinkDirection;
use crate::postgres::catalog::ColumnId;
use crate::resolve::selection::{Insert, Nested};

/// Rows of one table that are inserted together.
pub(super) struct Level<'s, 'm> {
    pub(super) insert: &'s Insert<'m>,
    /// The path of the rows in the request.
    pub(super) path: String,
    /// The links to other levels that these rows depend on.
    pub(super) hangs: Vec<LevelLink>,
    /// The columns that other levels need of these rows.
    pub(super) wanted: Vec<ColumnId>,
    /// Whether the mutation field inserts these rows itself.
    pub(super) is_root: bool,
    /// For rows inserted before the rows that refer to them: the relation between them.
    pub(super) before: Option<&'m Relation>,
}

/// A link of the rows of a level to those of another.
pub(super) struct LevelLink {
    /// The other level.
    pub(super) level: usize,
    /// The position in [`Insert::before`], for a link that not all rows may have.
    pub(super) before: Option<usize>,
    /// Which side of the link has the number of the other's row.
    pub(super) along: LinkDirection,
    /// Pairs of columns: of this level, then of the other.
    pub(super) columns: Vec<(ColumnId, ColumnId)>,
}

/// All levels of an insert, in the order in which they are written; levels without rows are left
/// out.
pub(super) fn flat<'s, 'm>(insert: &'s Insert<'m>, path: String) -> Vec<Level<'s, 'm>> {
    let mut levels = Vec::new();
    let root = add(insert, path, None, &mut levels);
    for (index, level) in levels.iter_mut().enumerate() {
        level.is_root = index == root;
        level.wanted.sort_unstable();
        level.wanted.dedup();
    }
    levels
}

/// Adds a level and the levels nested in it; returns its position.
fn add<'s, 'm>(
    insert: &'s Insert<'m>,
    path: String,
    parent: Option<LevelLink>,
    levels: &mut Vec<Level<'s, 'm>>,
) -> usize {
    let mut hangs = Vec::new();
    for (index, nested) in present(&insert.before) {
        let level = add(&nested.insert, nested_path(nested), None, levels);
        let columns = nested.relation.on.clone();
        if let Some(over) = levels.get_mut(level) {
            over.wanted.extend(columns.iter().map(|(_, there)| *there));
            over.before = Some(nested.relation);
        }
        hangs.push(LevelLink {
            level,
            before: Some(index),
            along: LinkDirection::Child,
            columns,
        });
    }
    hangs.extend(parent);
    let here = levels.len();
    let after = present(&insert.after)
        .flat_map(|(_, nested)| nested.relation.on.iter().map(|(here, _)| *here));
    levels.push(Level {
        insert,
        path,
        hangs,
        wanted: after.collect(),
        is_root: false,
        before: None,
    });
    for (_, nested) in present(&insert.after) {
        let columns = nested
            .relation
            .on
            .iter()
            .map(|(here, there)| (*there, *here))
            .collect();
        let hang = LevelLink {
            level: here,
            before: None,
            along: LinkDirection::Parent,
            columns,
        };
        add(&nested.insert, nested_path(nested), Some(hang), levels);
    }
    here
}

/// The nested inserts that have rows, each with its position.
pub(super) fn present<'s, 'm>(
    nested: &'s [Nested<'m>],
) -> impl Iterator<Item = (usize, &'s Nested<'m>)> {
    nested
        .iter()
        .enumerate()
        .filter(|(_, nested)| !nested.insert.batches.is_empty())
}

fn nested_path(nested: &Nested<'_>) -> String {
    format!("{}.data", nested.path)
}

//! The levels of a union while they are planned, as [`super::builder`] keeps them.

use super::scan::Column;
use super::tree::{ArmRows, Expression};
use crate::encode::shape::Node;

/// The levels while they are planned.
#[derive(Debug, Default)]
pub(super) struct LevelBuilder<'m> {
    /// The levels whose fields are being planned: the scan's alias, and the level's.
    pub(super) within: Vec<(u32, u32)>,
    /// The levels that are planned.
    pub(super) done: Vec<PlannedLevel<'m>>,
}

/// A level whose columns have no positions yet.
#[derive(Debug)]
pub(super) struct PlannedLevel<'m> {
    pub(super) alias: u32,
    pub(super) rows: ArmRows<'m>,
    pub(super) node: Node,
    pub(super) owner: Option<Owner<'m>>,
}

/// How the rows of a level belong to rows of another one.
#[derive(Clone, Debug)]
pub(super) struct Owner<'m> {
    /// The alias of the other level.
    pub(super) parent: u32,
    /// The column of this level that equals the key of the other.
    pub(super) column: Column<'m>,
    /// The key as the other level sends it.
    pub(super) there: Expression<'m>,
    /// The column as this level sends it.
    pub(super) here: Expression<'m>,
}

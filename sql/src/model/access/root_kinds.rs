//! `RootKinds`: the kinds of root fields that a grant has.

use crate::model::names::RootKind;

/// A set of kinds of root fields, with a bit for each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RootKinds(u32);

impl RootKinds {
    /// All kinds that the table supports.
    pub const ALL: RootKinds = RootKinds(u32::MAX);

    /// Whether the set contains a kind.
    pub fn contains(self, kind: RootKind) -> bool {
        self.0 & bit(kind) != 0
    }

    /// Whether it contains no kind.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether the other set contains all of its kinds.
    pub fn is_subset(self, other: RootKinds) -> bool {
        self.0 & !other.0 == 0
    }

    /// The kinds in one of two sets.
    pub fn union(self, other: RootKinds) -> RootKinds {
        RootKinds(self.0 | other.0)
    }
}

fn bit(kind: RootKind) -> u32 {
    1 << kind as u32
}

impl FromIterator<RootKind> for RootKinds {
    fn from_iter<T: IntoIterator<Item = RootKind>>(kinds: T) -> RootKinds {
        RootKinds(kinds.into_iter().fold(0, |bits, kind| bits | bit(kind)))
    }
}

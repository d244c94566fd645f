//! Interner for parts of rules: files with many tables and roles repeat most of them.
//!
//! Equal fragments, memberships and texts are one `Arc`. Postgres prepares fifty rules in one
//! statement, and each alone only if it refuses that one.

use std::cell::RefCell;
use std::hash::Hash;
use std::sync::Arc;

use foldhash::fast::RandomState;
use sql::model::access::{Membership, RuleFragment};

type HashSet<T> = std::collections::HashSet<T, RandomState>;

/// Stores one copy of each list of fragments, membership and text.
#[derive(Default)]
pub(super) struct Interner {
    pieces: RefCell<HashSet<Arc<[RuleFragment]>>>,
    memberships: RefCell<HashSet<Arc<Membership>>>,
    texts: RefCell<HashSet<Arc<str>>>,
}

impl Interner {
    pub(super) fn pieces(&self, pieces: Vec<RuleFragment>) -> Arc<[RuleFragment]> {
        intern(&self.pieces, pieces.into())
    }

    pub(super) fn membership(&self, membership: Membership) -> Arc<Membership> {
        intern(&self.memberships, membership.into())
    }

    pub(super) fn text(&self, text: &str) -> Arc<str> {
        intern(&self.texts, text.into())
    }
}

/// Returns the stored value that equals this one, or stores it.
fn intern<T: Hash + Eq + ?Sized>(all: &RefCell<HashSet<Arc<T>>>, value: Arc<T>) -> Arc<T> {
    let mut all = all.borrow_mut();
    if let Some(known) = all.get(&value) {
        return known.clone();
    }
    all.insert(value.clone());
    value
}

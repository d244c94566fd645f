//! What many rules have in common, held once: a file for many tables and roles says the same of most of them.

use std::cell::RefCell;
use std::collections::HashSet;
use std::hash::Hash;
use std::sync::Arc;

use sql::model::access::{Membership, RuleFragment};

/// Parts of rules that were made before.
#[derive(Default)]
pub(super) struct Interner {
    pieces: RefCell<HashSet<Arc<[RuleFragment]>>>,
    memberships: RefCell<HashSet<Arc<Membership>>>,
    texts: RefCell<HashSet<Arc<str>>>,
}

impl Interner {
    pub(super) fn pieces(&self, pieces: Vec<RuleFragment>) -> Arc<[RuleFragment]> {
        held(&self.pieces, pieces.into())
    }

    pub(super) fn membership(&self, membership: Membership) -> Arc<Membership> {
        held(&self.memberships, membership.into())
    }

    pub(super) fn text(&self, text: &str) -> Arc<str> {
        held(&self.texts, text.into())
    }
}

/// The value that is held already, if there is one like it.
fn held<T: Hash + Eq + ?Sized>(all: &RefCell<HashSet<Arc<T>>>, value: Arc<T>) -> Arc<T> {
    let mut all = all.borrow_mut();
    if let Some(known) = all.get(&value) {
        return known.clone();
    }
    all.insert(value.clone());
    value
}

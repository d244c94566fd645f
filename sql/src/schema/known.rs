//! Types that were asked for by name. To find one means to go through the tables of a role, of which there may be thousands.

use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};

use super::Named;

/// Types of a role by name, those that were found: there are no more than the role has types.
#[derive(Debug, Default)]
pub(crate) struct KnownTypes(RwLock<HashMap<String, Named>>);

impl KnownTypes {
    /// The type of that name; looked for where it is not known.
    pub(super) fn find(&self, name: &str, search: impl FnOnce() -> Option<Named>) -> Option<Named> {
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner).get(name).copied();
        known.or_else(|| {
            let found = search()?;
            self.0.write().unwrap_or_else(PoisonError::into_inner).insert(name.to_owned(), found);
            Some(found)
        })
    }
}

//! Types that were asked for by name. To find one means to go through the tables of a role, of which there may be thousands.

use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};

use super::type_key::TypeKey;

/// Types of a role by name, those that were found: there are no more than the role has types.
#[derive(Debug, Default)]
pub(crate) struct TypeCache(RwLock<HashMap<String, TypeKey>>);

impl TypeCache {
    /// The type of that name; looked for where it is not known.
    pub(crate) fn find(&self, name: &str, search: impl FnOnce() -> Option<TypeKey>) -> Option<TypeKey> {
        let known = self.0.read().unwrap_or_else(PoisonError::into_inner).get(name).copied();
        known.or_else(|| {
            #[cfg(test)]
            SEARCHES.with(|searches| searches.set(searches.get() + 1));
            let found = search()?;
            self.0.write().unwrap_or_else(PoisonError::into_inner).insert(name.to_owned(), found);
            Some(found)
        })
    }
}

#[cfg(test)]
thread_local! {
    /// How often a type was looked for, on this thread.
    static SEARCHES: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::error::Cause;
    use crate::graphql::document::{Limits, parse};
    use crate::model::names::Convention;
    use crate::resolve::Operation;
    use crate::testing;

    #[test]
    fn unknown_types_are_looked_for_a_few_times() {
        let access = testing::admin(Convention::Snake);
        let query = |name: &str, types: std::ops::Range<usize>| {
            let declared: String = types.clone().map(|i| format!("$v{i}: X{i} ")).collect();
            let used: String = types.map(|i| format!("$v{i} ")).collect();
            format!("query {name}({declared}) {{ a(of: [{used}]) }} ")
        };
        let inside: String = (0..49).map(|i| format!("... on X{i} {{ a }} ")).collect();
        let operations: String = (0..40).map(|i| query(&format!("q{i}"), 25 * i..25 * (i + 1))).collect();
        for (document, name) in
            [(query("q", 0..1000), "q"), (format!("query q {{ {inside} }}"), "q"), (operations, "q0")]
        {
            SEARCHES.set(0);
            let document = Arc::new(parse(&document, &Limits::default()).unwrap());
            let error = Operation::validate(&access, document, Some(name)).unwrap_err();
            assert!(matches!(&error.cause, Cause::Unknown { what: "type", name } if name == "X0"), "{error:?}");
            assert!(SEARCHES.get() < 49, "{} searches", SEARCHES.get());
        }
    }
}

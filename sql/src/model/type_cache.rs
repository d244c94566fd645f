//! Cache of the types that documents name. To find a type by its name the schema goes through all
//! tables of the role, of which there may be thousands.

use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};

use foldhash::fast::RandomState;

use super::type_key::TypeKey;

/// The types of a role by name. Only types that exist are stored, which bounds the size of the
/// cache.
#[derive(Debug, Default)]
pub(crate) struct TypeCache(RwLock<HashMap<String, TypeKey, RandomState>>);

impl TypeCache {
    /// The type with that name, from the cache or by `search`.
    pub(crate) fn find(
        &self,
        name: &str,
        search: impl FnOnce() -> Option<TypeKey>,
    ) -> Option<TypeKey> {
        let cached = self
            .0
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .get(name)
            .copied();
        cached.or_else(|| {
            #[cfg(test)]
            SEARCHES.with(|searches| searches.set(searches.get() + 1));
            let found = search()?;
            self.0
                .write()
                .unwrap_or_else(PoisonError::into_inner)
                .insert(name.to_owned(), found);
            Some(found)
        })
    }
}

#[cfg(test)]
thread_local! {
    /// The number of searches on this thread.
    static SEARCHES: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::error::{Cause, NameKind};
    use crate::graphql::document::{Limits, parse};
    use crate::model::names::Convention;
    use crate::resolve::Operation;
    use crate::testing;

    #[test]
    fn unknown_types_are_searched_a_limited_number_of_times() {
        let access = testing::admin(Convention::Snake);
        let query = |name: &str, types: std::ops::Range<usize>| {
            let declared: String = types.clone().map(|i| format!("$v{i}: X{i} ")).collect();
            let used: String = types.map(|i| format!("$v{i} ")).collect();
            format!("query {name}({declared}) {{ a(of: [{used}]) }} ")
        };
        let inside: String = (0..49).map(|i| format!("... on X{i} {{ a }} ")).collect();
        let operations: String = (0..40)
            .map(|i| query(&format!("q{i}"), 25 * i..25 * (i + 1)))
            .collect();
        for (document, name) in [
            (query("q", 0..1000), "q"),
            (format!("query q {{ {inside} }}"), "q"),
            (operations, "q0"),
        ] {
            SEARCHES.set(0);
            let document = Arc::new(parse(&document, &Limits::default()).unwrap());
            let error = Operation::validate(&access, document, Some(name)).unwrap_err();
            assert!(
                matches!(&error.cause, Cause::Unknown { kind: NameKind::Type, name } if name == "X0"),
                "{error:?}"
            );
            assert!(SEARCHES.get() < 49, "{} searches", SEARCHES.get());
        }
    }
}

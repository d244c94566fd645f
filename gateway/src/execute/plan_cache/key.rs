//! What caches know a document by: who asks, which operation of it, what that requires, and its text. Whoever may see something else is
//! somebody else here; there is no other key.

use std::sync::Arc;

use indexmap::Equivalent;
use sql::Requirement;
use sql::model::access::Access;

use crate::request::{DocumentOrigin, Request};

/// Who asks: a role, as a back end or not. What may be done depends on nothing else.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct CallerKey {
    role: String,
    backend: bool,
}

/// A document as one of them asks it.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(crate) struct DocumentKey {
    asker: CallerKey,
    name: Option<String>,
    requirement: Option<Arc<Requirement>>,
    author: DocumentOrigin,
    text: String,
}

/// The same as it is asked for.
#[derive(Hash)]
pub(super) struct DocumentKeyRef<'a> {
    role: &'a str,
    backend: bool,
    name: Option<&'a str>,
    requirement: Option<&'a Arc<Requirement>>,
    author: DocumentOrigin,
    text: &'a str,
}

impl DocumentKey {
    /// Who asks.
    pub(crate) fn asker(&self) -> &CallerKey {
        &self.asker
    }

    /// How many bytes it takes up, roughly.
    pub(crate) fn weight(&self) -> usize {
        self.asker.weight() + self.name.as_ref().map_or(0, String::len) + self.text.len()
    }
}

impl CallerKey {
    /// How many bytes it takes up, roughly.
    pub(crate) fn weight(&self) -> usize {
        self.role.len()
    }
}

impl<'a> DocumentKeyRef<'a> {
    pub(super) fn new(access: &'a Access, request: &'a Request) -> DocumentKeyRef<'a> {
        let name = request.operation_name.as_deref();
        let requirement = request.requirement.as_ref();
        let (author, text) = (request.author, request.query.as_str());
        DocumentKeyRef { role: access.role(), backend: access.is_backend(), name, requirement, author, text }
    }

    pub(super) fn known(&self) -> DocumentKey {
        let asker = CallerKey { role: self.role.to_owned(), backend: self.backend };
        let (name, requirement) = (self.name.map(str::to_owned), self.requirement.cloned());
        DocumentKey { asker, name, requirement, author: self.author, text: self.text.to_owned() }
    }
}

impl Equivalent<Arc<DocumentKey>> for DocumentKeyRef<'_> {
    fn equivalent(&self, known: &Arc<DocumentKey>) -> bool {
        let DocumentKey { asker: CallerKey { role, backend }, name, requirement, author, text } = &**known;
        (self.role, self.backend, self.name, self.requirement, self.author, self.text)
            == (role, *backend, name.as_deref(), requirement.as_ref(), *author, text)
    }
}

#[cfg(test)]
mod tests {
    use std::hash::BuildHasher;

    use super::*;

    #[test]
    fn what_is_asked_is_what_is_known() {
        let hasher = std::hash::RandomState::new();
        let required = |parameter: &str| Arc::new(crate::execute::plan_cache::tests::requirement(parameter));
        let (one, two) = (required("id"), required("other"));
        let author = DocumentOrigin::Client;
        let asked =
            |role, backend, name, text| DocumentKeyRef { role, backend, name, requirement: Some(&one), author, text };
        let known = Arc::new(asked("a", true, Some("b"), "c").known());
        assert_eq!(hasher.hash_one(&known), hasher.hash_one(asked("a", true, Some("b"), "c")));
        assert!(asked("a", true, Some("b"), "c").equivalent(&known));
        for other in [
            asked("b", true, Some("b"), "c"),
            asked("a", false, Some("b"), "c"),
            asked("a", true, None, "c"),
            asked("a", true, Some("b"), "d"),
            DocumentKeyRef { requirement: None, ..asked("a", true, Some("b"), "c") },
            DocumentKeyRef { author: DocumentOrigin::Endpoint, ..asked("a", true, Some("b"), "c") },
            DocumentKeyRef { requirement: Some(&two), ..asked("a", true, Some("b"), "c") },
        ] {
            assert!(!other.equivalent(&known));
            assert_ne!(other.known(), *known);
        }
    }
}

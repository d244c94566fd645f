//! Keys of cached documents: caller, operation name, required row, origin and text. Callers that
//! may see different things have different keys; no cache of documents uses another key.

use std::sync::Arc;

use indexmap::Equivalent;
use sql::Requirement;
use sql::model::access::Access;

use crate::request::{DocumentOrigin, Request};

/// Whose access applies: a role, as a backend or not. Permissions depend on nothing else.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct CallerKey {
    role: String,
    backend: bool,
}

/// A document with the caller that sent it.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(crate) struct DocumentKey {
    asker: CallerKey,
    name: Option<String>,
    requirement: Option<Arc<Requirement>>,
    author: DocumentOrigin,
    text: String,
}

/// Borrowed form of [`DocumentKey`], so that a cache lookup allocates nothing.
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
    /// Its text.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// The key of another text.
    pub(super) fn with_text(self, text: String) -> DocumentKey {
        DocumentKey { text, ..self }
    }

    /// Its approximate size in bytes.
    pub(crate) fn weight(&self) -> usize {
        self.asker.weight() + self.name.as_ref().map_or(0, String::len) + self.text.len()
    }
}

impl CallerKey {
    /// The key of callers with this access.
    pub(crate) fn new(access: &Access) -> CallerKey {
        CallerKey {
            role: access.role().to_owned(),
            backend: access.is_backend(),
        }
    }

    /// Its approximate size in bytes.
    pub(crate) fn weight(&self) -> usize {
        self.role.len()
    }
}

impl<'a> DocumentKeyRef<'a> {
    pub(super) fn new(access: &'a Access, request: &'a Request) -> DocumentKeyRef<'a> {
        let name = request.operation_name.as_deref();
        let requirement = request.requirement.as_ref();
        let author = request.author;
        let text = request.query.as_str();
        DocumentKeyRef {
            role: access.role(),
            backend: access.is_backend(),
            name,
            requirement,
            author,
            text,
        }
    }

    pub(super) fn known(&self) -> DocumentKey {
        let asker = CallerKey {
            role: self.role.to_owned(),
            backend: self.backend,
        };
        let name = self.name.map(str::to_owned);
        let requirement = self.requirement.cloned();
        DocumentKey {
            asker,
            name,
            requirement,
            author: self.author,
            text: self.text.to_owned(),
        }
    }
}

impl Equivalent<Arc<DocumentKey>> for DocumentKeyRef<'_> {
    fn equivalent(&self, known: &Arc<DocumentKey>) -> bool {
        let DocumentKey {
            asker: CallerKey { role, backend },
            name,
            requirement,
            author,
            text,
        } = &**known;
        (
            self.role,
            self.backend,
            self.name,
            self.requirement,
            self.author,
            self.text,
        ) == (
            role,
            *backend,
            name.as_deref(),
            requirement.as_ref(),
            *author,
            text,
        )
    }
}

#[cfg(test)]
mod tests {
    use std::hash::BuildHasher;

    use super::*;

    #[test]
    fn borrowed_key_equals_owned_key() {
        let hasher = std::hash::RandomState::new();
        let required =
            |parameter: &str| Arc::new(crate::execute::plan_cache::tests::requirement(parameter));
        let one = required("id");
        let two = required("other");
        let author = DocumentOrigin::Client;
        let borrowed = |role, backend, name, text| DocumentKeyRef {
            role,
            backend,
            name,
            requirement: Some(&one),
            author,
            text,
        };
        let known = Arc::new(borrowed("a", true, Some("b"), "c").known());
        assert_eq!(
            hasher.hash_one(&known),
            hasher.hash_one(borrowed("a", true, Some("b"), "c"))
        );
        assert!(borrowed("a", true, Some("b"), "c").equivalent(&known));
        for other in [
            borrowed("b", true, Some("b"), "c"),
            borrowed("a", false, Some("b"), "c"),
            borrowed("a", true, None, "c"),
            borrowed("a", true, Some("b"), "d"),
            DocumentKeyRef {
                requirement: None,
                ..borrowed("a", true, Some("b"), "c")
            },
            DocumentKeyRef {
                author: DocumentOrigin::Endpoint,
                ..borrowed("a", true, Some("b"), "c")
            },
            DocumentKeyRef {
                requirement: Some(&two),
                ..borrowed("a", true, Some("b"), "c")
            },
        ] {
            assert!(!other.equivalent(&known));
            assert_ne!(other.known(), *known);
        }
    }
}

//! The persisted documents of the settings, indexed by id and hash.

use std::collections::HashMap;
use std::sync::Arc;

use super::loaded::PersistedDocument;
use super::sha256::Digest;

/// The prefix that a client may put before a hash.
/// <https://github.com/graphql/graphql-over-http/blob/main/spec/Appendix%20A%20--%20Persisted%20Documents.md>
const PREFIX: &str = "sha256:";

/// The persisted documents.
#[derive(Debug, Default)]
pub(super) struct Persisted {
    by_id: HashMap<String, Arc<str>>,
    by_digest: HashMap<Digest, Arc<str>>,
}

impl Persisted {
    /// Indexes these documents. Their ids must be unique.
    pub(super) fn new(documents: &[PersistedDocument]) -> Persisted {
        let mut persisted = Persisted::default();
        for document in documents {
            let text: Arc<str> = document.text.as_str().into();
            persisted
                .by_digest
                .insert(Digest::hash(&text), text.clone());
            persisted
                .by_id
                .extend(document.ids.iter().map(|id| (id.clone(), text.clone())));
        }
        persisted
    }

    /// Whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.by_digest.is_empty()
    }

    /// The document with that id, or with that hash in hexadecimal digits, with or without the
    /// prefix.
    pub(super) fn by_id(&self, id: &str) -> Option<Arc<str>> {
        let by_digest = || self.get(&Digest::read(id.strip_prefix(PREFIX).unwrap_or(id))?);
        self.by_id.get(id).cloned().or_else(by_digest)
    }

    /// The document with that hash.
    pub(super) fn get(&self, digest: &Digest) -> Option<Arc<str>> {
        self.by_digest.get(digest).cloned()
    }
}

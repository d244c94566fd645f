//! Documents that are known beforehand, found by their names and digests.

use std::collections::HashMap;
use std::sync::Arc;

use super::loaded::PersistedDocument;
use super::sha256::Digest;

/// How a digest may be marked as one.
/// <https://github.com/graphql/graphql-over-http/blob/main/spec/Appendix%20A%20--%20Persisted%20Documents.md>
const PREFIX: &str = "sha256:";

/// The documents.
#[derive(Debug, Default)]
pub(super) struct Persisted {
    by_id: HashMap<String, Arc<str>>,
    by_digest: HashMap<Digest, Arc<str>>,
}

impl Persisted {
    /// These documents. No name stands for two of them.
    pub(super) fn new(documents: &[PersistedDocument]) -> Persisted {
        let mut persisted = Persisted::default();
        for document in documents {
            let text: Arc<str> = document.text.as_str().into();
            persisted.by_digest.insert(Digest::of(&text), text.clone());
            persisted.by_id.extend(document.ids.iter().map(|id| (id.clone(), text.clone())));
        }
        persisted
    }

    /// Whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.by_digest.is_empty()
    }

    /// The document of that name, or of that digest in hexadecimal digits, marked as such or not.
    pub(super) fn by_id(&self, id: &str) -> Option<Arc<str>> {
        let by_digest = || self.get(&Digest::read(id.strip_prefix(PREFIX).unwrap_or(id))?);
        self.by_id.get(id).cloned().or_else(by_digest)
    }

    /// The document of that digest.
    pub(super) fn get(&self, digest: &Digest) -> Option<Arc<str>> {
        self.by_digest.get(digest).cloned()
    }
}

//! Automatic persisted queries: keeps documents that clients have sent, so that later requests need
//! only the hash. Each role has its own documents, so that it learns nothing about those of others.

use std::sync::Arc;

use moka::sync::Cache;

use super::sha256::Digest;
use crate::auth::session::Session;

/// A cache of documents, limited in bytes.
#[derive(Debug)]
pub(super) struct AutomaticPersistedQueries {
    documents: Cache<Key, Arc<str>>,
    bytes: u64,
}

/// The cache key: the role, whether its caller is a backend, and the hash.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Key {
    role: Arc<str>,
    backend: bool,
    digest: Digest,
}

/// The approximate size of an entry in bytes, without its text.
const ENTRY_OVERHEAD_BYTES: usize = 256;

impl AutomaticPersistedQueries {
    /// Creates an empty cache of at most so many bytes.
    pub(super) fn new(bytes: u64) -> AutomaticPersistedQueries {
        let documents = Cache::builder()
            .weigher(|key: &Key, text: &Arc<str>| {
                u32::try_from(key.role.len() + text.len() + ENTRY_OVERHEAD_BYTES)
                    .unwrap_or(u32::MAX)
            })
            .max_capacity(bytes)
            .build();
        AutomaticPersistedQueries { documents, bytes }
    }

    /// The capacity in bytes.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Finds a document that a caller of this role has sent.
    pub(super) fn find(&self, session: &Session, digest: &Digest) -> Option<Arc<str>> {
        self.documents.get(&key(session, *digest))
    }

    /// Stores a document under its hash, which the caller has checked.
    pub(super) fn insert(&self, session: &Session, digest: Digest, text: &str) {
        let entry = self
            .documents
            .entry(key(session, digest))
            .or_insert_with(|| text.into());
        if entry.is_fresh() {
            // Otherwise entries over the capacity remain until later insertions.
            self.documents.run_pending_tasks();
        }
    }
}

fn key(session: &Session, digest: Digest) -> Key {
    Key {
        role: session.shared_role(),
        backend: session.backend_only(),
        digest,
    }
}

#[cfg(test)]
mod tests {
    use crate::auth::session::AuthKind;

    use super::*;

    fn session(role: &str) -> Session {
        Session::new(role, Arc::default(), AuthKind::Token)
    }

    #[test]
    fn documents_are_kept_per_role() {
        let automatic = AutomaticPersistedQueries::new(1 << 20);
        let digest = Digest::hash("{ a }");
        automatic.insert(&session("user"), digest, "{ a }");
        assert_eq!(
            automatic.find(&session("user"), &digest).as_deref(),
            Some("{ a }")
        );
        assert_eq!(automatic.find(&session("other"), &digest), None);
        assert_eq!(
            automatic.find(&session("user").with_backend_only(true), &digest),
            None
        );
    }

    #[test]
    fn size_is_limited_in_bytes() {
        let automatic = AutomaticPersistedQueries::new(100_000);
        for n in 0..1_000 {
            let text = format!("{{ a{n} {} }}", "b ".repeat(1_000));
            automatic.insert(&session("user"), Digest::hash(&text), &text);
        }
        automatic.documents.run_pending_tasks();
        let count = automatic.documents.entry_count();
        assert!((1..=100_000 / 2_000).contains(&count), "{count}");
    }
}

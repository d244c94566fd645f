//! Which plans of a document are cached.

use std::sync::Weak;

use sql::Translation;
use sql::graphql::variables::VariableFingerprint;

/// The plans of a document that are cached.
#[derive(Debug)]
pub(super) struct DocumentState {
    /// A generation of plans has one fingerprint structure; a new structure begins a new
    /// generation.
    pub(super) generation: u64,
    pub(super) structure: VariableFingerprint,
    pub(super) plans: usize,
    pub(super) limit_parameters: bool,
    /// The plan that was used last, with its key: most documents have only one.
    pub(super) last: Option<(String, Weak<Translation>)>,
}

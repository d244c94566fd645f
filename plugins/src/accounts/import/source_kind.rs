//! The servers whose tables an import reads.

/// A server whose tables an import reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SourceKind {
    /// hasura-auth, the service of Nhost.
    HasuraAuth,
    /// GoTrue, the service of Supabase Auth.
    GoTrue,
}

impl SourceKind {
    /// All of them.
    pub const ALL: [SourceKind; 2] = [SourceKind::HasuraAuth, SourceKind::GoTrue];

    /// The name on the command line and in the audit.
    pub fn name(self) -> &'static str {
        match self {
            SourceKind::HasuraAuth => "hasura-auth",
            SourceKind::GoTrue => "gotrue",
        }
    }

    /// The kind of this name.
    pub fn from_name(name: &str) -> Option<SourceKind> {
        SourceKind::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

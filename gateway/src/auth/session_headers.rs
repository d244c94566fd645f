//! Reads the names of headers that have the session's prefix, such as `X-Gateway-Role`. Session
//! values fold `-` and `_`, so every header with the prefix is looked for in all spellings: a
//! header with a meaning of its own that is spelled otherwise is refused and never ignored. A
//! mutation under `X-Gateway-Dry_Run` must not be committed.

use http::{HeaderMap, HeaderName};

use crate::error::InvalidRequest;

/// A header with the prefix that has a meaning of its own, and cannot set a session value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReservedHeader {
    /// The secret that grants the role `admin`.
    AdminSecret,
    /// The role of the request, of those that the caller may have.
    Role,
    /// Allows `backend_only` mutations, together with the admin secret.
    BackendOnly,
    /// Rolls mutations back. In responses it confirms that they were.
    DryRun,
    /// The claims of the caller that an admin acts as, as a JSON object.
    Claims,
}

impl ReservedHeader {
    pub(crate) const ALL: [ReservedHeader; 5] = [
        ReservedHeader::AdminSecret,
        ReservedHeader::Role,
        ReservedHeader::BackendOnly,
        ReservedHeader::DryRun,
        ReservedHeader::Claims,
    ];

    /// The name without prefix, in lower case.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            ReservedHeader::AdminSecret => "admin-secret",
            ReservedHeader::Role => "role",
            ReservedHeader::BackendOnly => "use-backend-only-permissions",
            ReservedHeader::DryRun => "dry-run",
            ReservedHeader::Claims => "claims",
        }
    }

    /// The header with this name, which is without prefix and in any spelling.
    pub(crate) fn from_name(name: &str) -> Option<ReservedHeader> {
        ReservedHeader::ALL
            .into_iter()
            .find(|header| is_spelling(name, header.name()))
    }
}

/// The part of a header's name after the prefix, which may have any spelling. `prefix` is in lower
/// case.
pub(crate) fn without_prefix<'n>(name: &'n HeaderName, prefix: &str) -> Option<&'n str> {
    let (start, rest) = name.as_str().split_at_checked(prefix.len())?;
    is_spelling(start, prefix).then_some(rest)
}

/// Whether the headers contain the admin secret, in any spelling: authentication refuses all but
/// one.
pub(crate) fn has_admin_secret(headers: &HeaderMap, prefix: &str) -> bool {
    let reserved = |name| without_prefix(name, prefix).and_then(ReservedHeader::from_name);
    headers
        .keys()
        .any(|name| reserved(name) == Some(ReservedHeader::AdminSecret))
}

/// Whether two names differ in nothing but letter case, `-` and `_`.
pub(super) fn is_spelling(name: &str, other: &str) -> bool {
    let folded = |byte: u8| {
        if byte == b'_' {
            b'-'
        } else {
            byte.to_ascii_lowercase()
        }
    };
    name.len() == other.len() && name.bytes().map(folded).eq(other.bytes().map(folded))
}

/// Refuses a header that has another spelling than `expected`, in which the letter case does not
/// count.
pub(super) fn check_spelling(name: &HeaderName, expected: &str) -> Result<(), InvalidRequest> {
    if name.as_str().eq_ignore_ascii_case(expected) {
        return Ok(());
    }
    let given = name.as_str().to_owned();
    Err(InvalidRequest::Spelling {
        given,
        expected: expected.to_ascii_lowercase(),
    })
}

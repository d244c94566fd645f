//! User handles: the bytes by which an authenticator knows whose key it has. An account's handle is
//! a uuid that is made for it, and its 36-character text stands in the JSON of the options.
//!
//! That text is also base64url, of 27 bytes. So clients that decode it (browsers themselves, and
//! `@simplewebauthn/browser` since version 10) and clients that take it as UTF-8 (its versions
//! before, one of which Nhost's client has) both send the same text back. A client of one kind with
//! a key that was made by the other sends:
//!
//! | The key was made by | The client | `userHandle` in its JSON |
//! |---|---|---|
//! | base64url, 27 bytes | UTF-8 | the 27 bytes as UTF-8, with U+FFFD for what is none |
//! | UTF-8, 36 bytes | base64url | base64url of the 36 characters: 48 characters |

use serde_json::Value;
use uuid::Uuid;

use super::credential::decode;

/// The length of a uuid's text.
const TEXT_LENGTH: usize = 36;

/// The text of a handle in the options.
pub(super) fn text(handle: Uuid) -> String {
    handle.hyphenated().to_string()
}

/// The user handle of a credential: the text, or base64url of it. `None` if there is none, or only
/// one that does not tell the uuid.
pub(super) fn handle_of(credential: &Value) -> Option<Uuid> {
    let sent = credential["response"]["userHandle"].as_str()?;
    if sent.len() == TEXT_LENGTH {
        return read(sent);
    }
    let bytes = decode(sent, TEXT_LENGTH)?;
    read(std::str::from_utf8(&bytes).ok()?)
}

/// Whether the user handle of a credential is this one, in any of the four forms. `None` if the
/// credential has none: a key that is a second factor need not know its user.
pub(in crate::accounts) fn has_handle(credential: &Value, handle: Uuid) -> Option<bool> {
    let sent = match &credential["response"]["userHandle"] {
        Value::Null => return None,
        Value::String(sent) if sent.is_empty() => return None,
        Value::String(sent) => sent,
        _ => return Some(false),
    };
    let is_lossy = || {
        let bytes = decode(&text(handle), TEXT_LENGTH).unwrap_or_default();
        String::from_utf8_lossy(&bytes) == *sent
    };
    Some(handle_of(credential) == Some(handle) || is_lossy())
}

/// A uuid in the form that the options have: authenticators compare bytes.
fn read(sent: &str) -> Option<Uuid> {
    let handle = Uuid::try_parse(sent).ok()?;
    (text(handle) == sent).then_some(handle)
}

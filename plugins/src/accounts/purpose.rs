//! What a ticket allows, and the text of one in a link, as hasura-auth writes it:
//! `verifyEmail:<uuid>`.

use serde::Deserialize;
use uuid::Uuid;

use super::config::Method;

/// What a ticket allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Purpose {
    /// To verify the address of a sign-up.
    Verify,
    /// To change the address.
    Change,
    /// To set another password.
    Reset,
    /// To sign in by a link.
    Link,
    /// To sign in by a code.
    Code,
}

impl Purpose {
    /// Its name in the database.
    pub(super) fn name(self) -> &'static str {
        match self {
            Purpose::Verify => "verify",
            Purpose::Change => "change",
            Purpose::Reset => "reset",
            Purpose::Link => "link",
            Purpose::Code => "code",
        }
    }

    /// The way to sign in that a ticket stands for. A link to verify an address belongs to a
    /// password, and signs in as a link does.
    pub(super) fn method(self) -> Method {
        match self {
            Purpose::Code => Method::Code,
            _ => Method::Link,
        }
    }

    /// How long a ticket holds, in seconds.
    pub(super) fn seconds(self) -> u32 {
        match self {
            Purpose::Link | Purpose::Code => 15 * 60,
            Purpose::Reset => 3600,
            Purpose::Verify | Purpose::Change => 24 * 3600,
        }
    }
}

/// The purposes of links with their prefix and their type.
const PURPOSES: [(Purpose, &str, &str); 4] = [
    (Purpose::Verify, "verifyEmail", "emailVerify"),
    (Purpose::Change, "emailConfirmChange", "emailConfirmChange"),
    (Purpose::Link, "passwordlessEmail", "signinPasswordless"),
    (Purpose::Reset, "passwordReset", "passwordReset"),
];

/// A new ticket with 122 random bits.
pub(super) fn new_ticket(purpose: Purpose) -> String {
    let (prefix, _) = names(purpose);
    format!("{prefix}:{}", Uuid::new_v4())
}

/// The purpose of a ticket and the type of its link; `None` if the text is no ticket of a link.
pub(super) fn read(text: &str) -> Option<(Purpose, &'static str)> {
    let (prefix, id) = text.split_once(':')?;
    Uuid::parse_str(id).ok()?;
    let (purpose, _, kind) = PURPOSES
        .into_iter()
        .find(|(_, known, _)| *known == prefix)?;
    Some((purpose, kind))
}

/// The type of a purpose's links.
pub(super) fn kind(purpose: Purpose) -> &'static str {
    names(purpose).1
}

fn names(purpose: Purpose) -> (&'static str, &'static str) {
    let named = PURPOSES.into_iter().find(|(known, ..)| *known == purpose);
    named.map_or(("", ""), |(_, prefix, kind)| (prefix, kind))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticket_names_its_purpose() {
        for (purpose, _, kind) in PURPOSES {
            assert_eq!(read(&new_ticket(purpose)), Some((purpose, kind)));
        }
        for text in [
            "",
            "verifyEmail",
            "verifyEmail:",
            "verifyEmail:1",
            "code:6e0e6e2e-7b5c-4c50-9c0a-111111111111",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}

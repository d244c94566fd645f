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
    /// To elevate a session by a code.
    Elevate,
    /// To go on with a second factor.
    #[serde(rename = "mfa")]
    Factor,
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
            Purpose::Elevate => "elevate",
            Purpose::Factor => "mfa",
        }
    }

    /// Whether its tickets are links in mails.
    pub(super) fn is_link(self) -> bool {
        !matches!(self, Purpose::Code | Purpose::Elevate | Purpose::Factor)
    }

    /// Whether its tickets are codes in mails.
    pub(super) fn is_code(self) -> bool {
        matches!(self, Purpose::Code | Purpose::Elevate)
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
            Purpose::Factor => 5 * 60,
            Purpose::Link | Purpose::Code | Purpose::Elevate => 15 * 60,
            Purpose::Reset => 3600,
            Purpose::Verify | Purpose::Change => 24 * 3600,
        }
    }
}

/// The purposes of links, and of second factors, with their prefix and their type.
const PURPOSES: [(Purpose, &str, &str); 5] = [
    (Purpose::Verify, "verifyEmail", "emailVerify"),
    (Purpose::Change, "emailConfirmChange", "emailConfirmChange"),
    (Purpose::Link, "passwordlessEmail", "signinPasswordless"),
    (Purpose::Reset, "passwordReset", "passwordReset"),
    (Purpose::Factor, "mfaTotp", "signinProvider"),
];

/// A new ticket with 122 random bits.
pub(super) fn new_ticket(purpose: Purpose) -> String {
    let (prefix, _) = names(purpose);
    format!("{prefix}:{}", Uuid::new_v4())
}

/// The purpose of a ticket and the type of its link; `None` if the text is no ticket.
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

//! What is known of a user beside the owner's row.

use serde::Deserialize;

/// What is known of a user beside the owner's row.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Account {
    /// The password's hash.
    pub(super) hash: Option<String>,
    /// How often a credential was changed.
    pub(super) generation: i32,
    /// The user as passkeys know it; `None` before the account has a row.
    pub(super) handle: Option<String>,
    /// What every sign-in asks for in addition.
    pub(super) second_factor: Option<FactorKind>,
    /// Whether the user has security keys.
    pub(super) has_keys: bool,
    /// The issuers of the providers that the user has linked.
    pub(super) issuers: Vec<String>,
    /// Whether the user has recovery codes that were not used.
    pub(super) has_recovery_codes: bool,
    /// The address that was verified.
    verified_email: Option<String>,
}

/// The kind of a second factor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum FactorKind {
    /// Codes of an authenticator app.
    Totp,
    /// Security keys.
    Webauthn,
}

impl Account {
    /// Whether this address was verified.
    pub(super) fn has_verified(&self, email: &str) -> bool {
        let verified = self.verified_email.as_deref();
        verified.is_some_and(|verified| verified.eq_ignore_ascii_case(email))
    }

    /// What the person may show as a second factor, or to elevate a session.
    pub(super) fn factors(&self) -> Vec<&'static str> {
        let totp = (self.second_factor == Some(FactorKind::Totp)).then_some("totp");
        let recovery = self.has_recovery_codes.then_some("recovery-code");
        let keys = self.has_keys.then_some("webauthn");
        [totp, recovery, keys].into_iter().flatten().collect()
    }
}

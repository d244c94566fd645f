//! A factor that a person has shown and that is right, to be used up in the transaction of what it
//! allows.

use super::factor_statements;

/// A factor.
#[derive(Debug)]
pub(super) enum ShownFactor {
    /// A code of an authenticator app: its step, and the sealed secret that it was compared with.
    Totp {
        /// The time step of the code.
        step: i64,
        /// The sealed secret, in hexadecimal digits.
        sealed: String,
    },
    /// A recovery code, by its digest.
    RecoveryCode {
        /// The digest in hexadecimal digits.
        digest: String,
    },
    /// A signature of a security key.
    Key {
        /// The id of the key's row.
        id: String,
        /// The counter that the row had.
        former_count: i64,
        /// The counter of the signature.
        count: i64,
        /// Whether the key is on several devices by now.
        is_backed_up: bool,
        /// Whether the key may be on several devices.
        is_backup_eligible: bool,
    },
}

impl ShownFactor {
    /// Its name in the audit.
    pub(super) fn name(&self) -> &'static str {
        match self {
            ShownFactor::Totp { .. } => "totp",
            ShownFactor::RecoveryCode { .. } => "recovery-code",
            ShownFactor::Key { .. } => "webauthn",
        }
    }

    /// Its name in the claim `amr`: that of RFC 8176, which has none for recovery codes.
    pub(super) fn reference(&self) -> &'static str {
        match self {
            ShownFactor::Totp { .. } => "otp",
            ShownFactor::RecoveryCode { .. } => "rec",
            ShownFactor::Key { .. } => "hwk",
        }
    }

    /// The statement that uses it, and its parameters after the origin. One that was used meanwhile
    /// undoes the transaction.
    pub(super) fn using(&self, user: &str) -> (&'static str, Vec<Option<String>>) {
        let (statement, parameters) = match self {
            ShownFactor::Totp { step, sealed } => (
                factor_statements::USE_TOTP,
                vec![user.to_owned(), step.to_string(), sealed.clone()],
            ),
            ShownFactor::RecoveryCode { digest } => (
                factor_statements::USE_RECOVERY_CODE,
                vec![user.to_owned(), digest.clone()],
            ),
            ShownFactor::Key {
                id,
                former_count,
                count,
                is_backed_up,
                is_backup_eligible,
            } => (
                factor_statements::USE_KEY,
                vec![
                    id.clone(),
                    former_count.to_string(),
                    count.to_string(),
                    is_backed_up.to_string(),
                    is_backup_eligible.to_string(),
                ],
            ),
        };
        (statement, parameters.into_iter().map(Some).collect())
    }
}

//! What the tables of a source contain, in one form for all servers. Secrets and hashes are as they
//! are stored there.

use super::import_report::Reason;

/// What a source has.
#[derive(Default)]
pub(super) struct Source {
    /// The users, one for each id.
    pub(super) users: Vec<SourceUser>,
    /// Linked providers.
    pub(super) identities: Vec<SourceIdentity>,
    /// Passkeys and security keys.
    pub(super) keys: Vec<SourceKey>,
    /// Authenticator apps that were confirmed; the one that was used last comes first.
    pub(super) apps: Vec<SourceApp>,
    /// Personal access tokens.
    pub(super) tokens: Vec<SourceToken>,
    /// What can never be taken over, with the user's id.
    pub(super) others: Vec<(Reason, String)>,
}

/// A user.
pub(super) struct SourceUser {
    /// The id: a uuid.
    pub(super) id: String,
    /// The address, if it was verified.
    pub(super) verified_email: Option<String>,
    /// The hash of the password.
    pub(super) password: Option<String>,
    /// Whether the user has given neither an address nor a credential yet.
    pub(super) is_anonymous: bool,
}

/// A person at another provider.
pub(super) struct SourceIdentity {
    /// The user's id.
    pub(super) user: String,
    /// The name of the provider in the source.
    pub(super) provider: String,
    /// The person's id there.
    pub(super) subject: String,
    /// The issuer, if the source stores it.
    pub(super) issuer: Option<String>,
    /// The address there.
    pub(super) email: Option<String>,
}

/// A passkey or a security key.
pub(super) struct SourceKey {
    /// The user's id.
    pub(super) user: String,
    /// The id of the credential; `None` if it cannot be read.
    pub(super) credential_id: Option<Vec<u8>>,
    /// The public key: a `COSE_Key`.
    pub(super) public_key: Vec<u8>,
    /// The counter.
    pub(super) sign_count: i64,
    /// How a browser reaches it, in any notation: names between other characters.
    pub(super) transports: String,
    /// The model: a uuid.
    pub(super) aaguid: Option<String>,
    /// Whether it may be copied to other devices.
    pub(super) is_backup_eligible: bool,
    /// Whether it was.
    pub(super) is_backed_up: bool,
    /// The name that its user has given it.
    pub(super) nickname: Option<String>,
    /// Whether it is asked for after a password.
    pub(super) is_second_factor: bool,
}

/// An authenticator app.
pub(super) struct SourceApp {
    /// The user's id.
    pub(super) user: String,
    /// The id of the row, of which the key of a sealed secret is derived.
    pub(super) id: String,
    /// The secret, sealed or not.
    pub(super) secret: String,
}

/// A personal access token.
pub(super) struct SourceToken {
    /// The user's id.
    pub(super) user: String,
    /// The SHA-256 of the token in hexadecimal digits after `\x`.
    pub(super) hash: String,
    /// Its name.
    pub(super) name: Option<String>,
    /// When it was made, in a format that Postgres reads.
    pub(super) created_at: String,
    /// When it ends.
    pub(super) expires_at: String,
    /// Whether it has ended.
    pub(super) is_expired: bool,
}

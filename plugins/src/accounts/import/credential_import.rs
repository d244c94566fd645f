//! Decides what of a source is taken over, and writes it, one kind after the other.
//!
//! A user who has changed a credential in Postern is left alone, so that an import that runs again
//! brings back no password, key or factor that was removed there. For all others an import adds
//! what is missing.

use std::collections::{BTreeSet, HashMap, HashSet};

use tokio_postgres::Transaction;
use uuid::Uuid;

use super::credential_writer::{
    self, AccountRow, AppRow, AuditRow, EmailRow, IdentityRow, KeyRow, PasswordRow, Row, TokenRow,
};
use super::import_error::ImportError;
use super::import_report::{CredentialKind, ImportReport, Reason};
use super::known_users::KnownUser;
use super::sealed_secret;
use super::source::{Source, SourceIdentity, SourceKey, SourceToken, SourceUser};
use super::source_kind::SourceKind;
use crate::accounts::config::CredentialSettings;
use crate::accounts::security_keys::MAX_NICKNAME_LENGTH;
use crate::accounts::{passkey, password};
use crate::token_exchange::array;

/// The longest name of a token.
const MAX_NAME_LENGTH: usize = 200;

/// An import under way.
pub(super) struct CredentialImport<'a> {
    /// Whose tables were read.
    pub(super) kind: SourceKind,
    /// The settings that credentials need.
    pub(super) settings: &'a CredentialSettings,
    /// The keys that open sealed secrets.
    pub(super) source_keys: &'a [String],
    /// The transaction that writes.
    pub(super) transaction: &'a Transaction<'a>,
    /// The users by their ids in the source.
    pub(super) users: HashMap<String, KnownUser>,
    /// What was done so far.
    pub(super) report: ImportReport,
}

impl CredentialImport<'_> {
    /// Takes a source over.
    pub(super) async fn run(mut self, source: &Source) -> Result<ImportReport, ImportError> {
        self.report.set_users(source.users.len(), self.users.len());
        for user in &source.users {
            if !self.users.contains_key(&user.id) {
                self.report.leave_out(Reason::UnknownUser, &user.id);
            }
        }
        self.drop_changed_users().await?;
        self.write_accounts(source).await?;
        let mut written = BTreeSet::new();
        written.extend(self.write_passwords(&source.users).await?);
        written.extend(self.write_emails(&source.users).await?);
        written.extend(self.write_identities(&source.identities).await?);
        written.extend(self.write_apps(source).await?);
        written.extend(self.write_keys(&source.keys).await?);
        written.extend(self.write_tokens(&source.tokens).await?);
        for (reason, user) in &source.others {
            if self.users.contains_key(user) {
                self.report.leave_out(reason.clone(), user);
            }
        }
        let method = self.kind.name();
        let rows = written.into_iter().map(|user| AuditRow { user, method });
        let rows: Vec<AuditRow> = rows.collect();
        credential_writer::write(self.transaction, &rows).await?;
        Ok(self.report)
    }

    /// Leaves out the users who have changed a credential in Postern.
    async fn drop_changed_users(&mut self) -> Result<(), ImportError> {
        let ids: Vec<&str> = self.users.values().map(|user| user.id.as_str()).collect();
        let statement = credential_writer::FIND_CHANGED;
        let changed = self.select_users(statement, &[&ids]).await?;
        let changed: HashSet<String> = changed.into_iter().collect();
        let listed: BTreeSet<&String> = changed.iter().collect();
        for user in listed {
            self.report.leave_out(Reason::ChangedHere, user);
        }
        self.users.retain(|_, user| !changed.contains(&user.id));
        Ok(())
    }

    /// Makes accounts for all users who have something that may be taken over.
    async fn write_accounts(&mut self, source: &Source) -> Result<(), ImportError> {
        let others = source.identities.iter().map(|identity| &identity.user);
        let others = others
            .chain(source.keys.iter().map(|key| &key.user))
            .chain(source.apps.iter().map(|app| &app.user))
            .chain(source.tokens.iter().map(|token| &token.user));
        let others: HashSet<&String> = others.collect();
        let has_any = |user: &&SourceUser| {
            user.password.is_some()
                || user.verified_email.is_some()
                || user.is_anonymous
                || others.contains(&user.id)
        };
        let mut rows = vec![];
        for user in source.users.iter().filter(has_any) {
            if let Some(known) = self.users.get(&user.id) {
                rows.push(AccountRow {
                    user: known.id.clone(),
                    handle: user.id.clone(),
                    is_anonymous: user.is_anonymous,
                });
            }
        }
        let written = credential_writer::write(self.transaction, &rows).await?;
        let written: HashSet<String> = written.into_iter().collect();
        let anonymous: Vec<&AccountRow> = rows.iter().filter(|row| row.is_anonymous).collect();
        let new = anonymous.iter().filter(|row| written.contains(&row.user));
        let new = new.count();
        self.report
            .count(CredentialKind::Anonymous, new, anonymous.len());
        Ok(())
    }

    async fn write_passwords(&mut self, users: &[SourceUser]) -> Result<Vec<String>, ImportError> {
        let mut rows = vec![];
        for user in users {
            let (Some(known), Some(stored)) = (self.users.get(&user.id), &user.password) else {
                continue;
            };
            // Only GoTrue seals hashes.
            let hash = match self.kind {
                SourceKind::HasuraAuth => Ok(stored.clone()),
                SourceKind::GoTrue => self.open(stored, &user.id),
            };
            match hash {
                Ok(hash) if password::is_readable_hash(&hash) => rows.push(PasswordRow {
                    user: known.id.clone(),
                    hash,
                }),
                Ok(_) => self.report.leave_out(Reason::PasswordHash, &user.id),
                Err(reason) => self.report.leave_out(reason, &user.id),
            }
        }
        self.write(CredentialKind::Password, &rows).await
    }

    async fn write_emails(&mut self, users: &[SourceUser]) -> Result<Vec<String>, ImportError> {
        let mut rows = vec![];
        for user in users {
            let (Some(known), Some(email)) = (self.users.get(&user.id), &user.verified_email)
            else {
                continue;
            };
            match &known.email {
                Some(address) if address.eq_ignore_ascii_case(email) => rows.push(EmailRow {
                    user: known.id.clone(),
                    email: address.clone(),
                }),
                _ => self.report.leave_out(Reason::OtherAddress, &user.id),
            }
        }
        self.write(CredentialKind::VerifiedAddress, &rows).await
    }

    async fn write_identities(
        &mut self,
        identities: &[SourceIdentity],
    ) -> Result<Vec<String>, ImportError> {
        let mut rows = vec![];
        for identity in identities {
            let Some(known) = self.users.get(&identity.user) else {
                continue;
            };
            let name = &identity.provider;
            let mut providers = self.settings.providers.iter();
            let Some(provider) = providers.find(|provider| provider.name == *name) else {
                let reason = Reason::NoProvider(name.clone());
                self.report.leave_out(reason, &identity.user);
                continue;
            };
            let issuer = provider.issuer();
            let trimmed = |text: &str| text.trim_end_matches('/').to_owned();
            let stored = identity.issuer.as_deref();
            if stored.is_some_and(|stored| trimmed(stored) != trimmed(issuer)) {
                let reason = Reason::OtherIssuer(name.clone());
                self.report.leave_out(reason, &identity.user);
                continue;
            }
            rows.push(IdentityRow {
                issuer: issuer.to_owned(),
                subject: identity.subject.clone(),
                user: known.id.clone(),
                provider: name.clone(),
                email: identity.email.clone(),
            });
        }
        let issuers: Vec<&str> = rows.iter().map(|row| row.issuer.as_str()).collect();
        let subjects: Vec<&str> = rows.iter().map(|row| row.subject.as_str()).collect();
        let users: Vec<&str> = rows.iter().map(|row| row.user.as_str()).collect();
        let statement = credential_writer::FIND_OTHER_IDENTITIES;
        let others = self
            .select_users(statement, &[&issuers, &subjects, &users])
            .await?;
        for user in &others {
            self.report.leave_out(Reason::OtherUsersIdentity, user);
        }
        let written = credential_writer::write(self.transaction, &rows).await?;
        let given = rows.len() - others.len();
        self.report
            .count(CredentialKind::Identity, written.len(), given);
        Ok(written)
    }

    async fn write_apps(&mut self, source: &Source) -> Result<Vec<String>, ImportError> {
        let mut rows: Vec<AppRow> = vec![];
        let mut users = HashSet::new();
        for app in &source.apps {
            let Some(known) = self.users.get(&app.user) else {
                continue;
            };
            if users.contains(&known.id) {
                self.report.leave_out(Reason::FurtherApp, &app.user);
                continue;
            }
            let secret = match self.open(&app.secret, &app.id) {
                Ok(secret) => secret,
                Err(reason) => {
                    self.report.leave_out(reason, &app.user);
                    continue;
                }
            };
            let Some(secret) = sealed_secret::decode_totp(&secret) else {
                self.report.leave_out(Reason::AppForm, &app.user);
                continue;
            };
            let sealed = self.settings.seal.seal(&secret, &known.id);
            rows.push(AppRow {
                user: known.id.clone(),
                secret: sealed.map_err(|_| ImportError::Seal)?,
            });
            users.insert(known.id.clone());
        }
        self.write(CredentialKind::App, &rows).await
    }

    async fn write_keys(&mut self, keys: &[SourceKey]) -> Result<Vec<String>, ImportError> {
        let mut rows = vec![];
        let mut handles: HashMap<String, String> = HashMap::new();
        let mut factors = HashSet::new();
        for key in keys {
            let Some(known) = self.users.get(&key.user) else {
                continue;
            };
            if !self.settings.has_passkeys {
                self.report.leave_out(Reason::NoPasskeys, &key.user);
                continue;
            }
            let Some(credential_id) = readable_id(key) else {
                self.report.leave_out(Reason::KeyForm, &key.user);
                continue;
            };
            handles.insert(known.id.clone(), key.user.clone());
            if key.is_second_factor {
                factors.insert(known.id.clone());
            }
            rows.push(KeyRow {
                user: known.id.clone(),
                credential_id,
                public_key: key.public_key.clone(),
                sign_count: key.sign_count.clamp(0, u32::MAX.into()),
                transports: array(&transports(&key.transports)),
                aaguid: key
                    .aaguid
                    .clone()
                    .unwrap_or_else(|| Uuid::nil().to_string()),
                is_backup_eligible: key.is_backup_eligible,
                is_backed_up: key.is_backed_up,
                nickname: key.nickname.as_deref().map(as_nickname),
            });
        }
        let (users, handles): (Vec<String>, Vec<String>) = handles.into_iter().unzip();
        let statement = credential_writer::SET_HANDLES;
        self.transaction
            .execute(statement, &[&users, &handles])
            .await?;
        let ids: Vec<&[u8]> = rows
            .iter()
            .map(|row| row.credential_id.as_slice())
            .collect();
        let owners: Vec<&str> = rows.iter().map(|row| row.user.as_str()).collect();
        let statement = credential_writer::FIND_OTHER_KEYS;
        let others = self.select_users(statement, &[&ids, &owners]).await?;
        for user in &others {
            self.report.leave_out(Reason::OtherUsersKey, user);
        }
        let written = credential_writer::write(self.transaction, &rows).await?;
        let given = rows.len() - others.len();
        self.report.count(CredentialKind::Key, written.len(), given);
        let is_factor = |user: &&String| factors.contains(*user);
        let factors: Vec<&String> = written.iter().filter(is_factor).collect();
        self.transaction
            .execute(credential_writer::SET_KEY_FACTOR, &[&factors])
            .await?;
        Ok(written)
    }

    async fn write_tokens(&mut self, tokens: &[SourceToken]) -> Result<Vec<String>, ImportError> {
        let mut rows = vec![];
        for token in tokens {
            let Some(known) = self.users.get(&token.user) else {
                continue;
            };
            if token.is_expired {
                self.report.leave_out(Reason::ExpiredToken, &token.user);
                continue;
            }
            let Some(digest) = token
                .hash
                .strip_prefix("\\x")
                .filter(|digest| is_sha256(digest))
            else {
                self.report.leave_out(Reason::TokenForm, &token.user);
                continue;
            };
            let imported = || format!("imported from {}", self.kind.name());
            let name = token.name.clone().unwrap_or_else(imported);
            rows.push(TokenRow {
                user: known.id.clone(),
                name: name.chars().take(MAX_NAME_LENGTH).collect(),
                digest: digest.to_owned(),
                created_at: token.created_at.clone(),
                expires_at: token.expires_at.clone(),
            });
        }
        self.write(CredentialKind::Token, &rows).await
    }

    /// Writes rows of one kind and counts them.
    async fn write<R: Row>(
        &mut self,
        kind: CredentialKind,
        rows: &[R],
    ) -> Result<Vec<String>, ImportError> {
        let written = credential_writer::write(self.transaction, rows).await?;
        self.report.count(kind, written.len(), rows.len());
        Ok(written)
    }

    fn open(&self, stored: &str, id: &str) -> Result<String, Reason> {
        sealed_secret::open(self.kind, stored, id, self.source_keys)
    }

    /// The ids that a statement selects.
    async fn select_users(
        &self,
        statement: &str,
        parameters: &[&(dyn tokio_postgres::types::ToSql + Sync)],
    ) -> Result<Vec<String>, ImportError> {
        let rows = self.transaction.query(statement, parameters).await?;
        Ok(rows.iter().map(|row| row.get(0)).collect())
    }
}

/// The id of a key whose id and public key can be read.
fn readable_id(key: &SourceKey) -> Option<Vec<u8>> {
    let id = key.credential_id.clone()?;
    passkey::is_readable_key(&id, &key.public_key).then_some(id)
}

/// The names in a list of transports, whatever is between them.
fn transports(text: &str) -> Vec<String> {
    let names = text.split(|letter: char| !letter.is_ascii_lowercase() && letter != '-');
    let names: BTreeSet<&str> = names
        .filter(|name| !name.is_empty() && *name != "null")
        .collect();
    names.into_iter().map(str::to_owned).collect()
}

fn is_sha256(digits: &str) -> bool {
    digits.len() == 64 && digits.bytes().all(|digit| digit.is_ascii_hexdigit())
}

/// A nickname as Postern takes it: of at most 64 characters, without control characters.
fn as_nickname(text: &str) -> String {
    let is_shown = |character: &char| !character.is_control();
    let shown = text.chars().filter(is_shown);
    shown.take(MAX_NICKNAME_LENGTH).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transports_are_read_from_any_list() {
        let expected = ["smart-card", "usb"].map(str::to_owned);
        for text in [
            "usb,smart-card",
            "[\"usb\", \"smart-card\"]",
            "{usb,smart-card}",
        ] {
            assert_eq!(transports(text), expected, "{text}");
        }
        assert_eq!(transports(""), Vec::<String>::new());
        assert_eq!(transports("null"), Vec::<String>::new());
    }
}

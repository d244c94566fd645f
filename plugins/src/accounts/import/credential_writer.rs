//! The statements that write credentials, each for many users at once. What is there already stays:
//! each returns the ids of those users for whom it has written a row.

use tokio_postgres::Transaction;
use tokio_postgres::types::ToSql;

use super::import_error::ImportError;

/// How many rows one statement writes.
const BATCH: usize = 5000;

/// A credential that can be written.
pub(super) trait Row {
    /// The statement that writes rows, of which each column is an array.
    const STATEMENT: &'static str;

    /// The columns of several rows.
    fn columns(rows: &[Self]) -> Vec<Box<dyn ToSql + Sync + Send>>
    where
        Self: Sized;
}

/// The account of a user. Without it a key finds no user, and a user no second factor.
pub(super) struct AccountRow {
    pub(super) user: String,
    /// The user as passkeys of the source know it.
    pub(super) handle: String,
    pub(super) is_anonymous: bool,
}

/// The hash of a password.
pub(super) struct PasswordRow {
    pub(super) user: String,
    pub(super) hash: String,
}

/// The address of a user, which was verified.
pub(super) struct EmailRow {
    pub(super) user: String,
    pub(super) email: String,
}

/// A person at a provider.
pub(super) struct IdentityRow {
    pub(super) issuer: String,
    pub(super) subject: String,
    pub(super) user: String,
    pub(super) provider: String,
    pub(super) email: Option<String>,
}

/// A passkey or a security key.
pub(super) struct KeyRow {
    pub(super) user: String,
    pub(super) credential_id: Vec<u8>,
    pub(super) public_key: Vec<u8>,
    pub(super) sign_count: i64,
    /// A Postgres array.
    pub(super) transports: String,
    pub(super) aaguid: String,
    pub(super) is_backup_eligible: bool,
    pub(super) is_backed_up: bool,
    pub(super) nickname: Option<String>,
}

/// The secret of an authenticator app.
pub(super) struct AppRow {
    pub(super) user: String,
    /// Sealed with the key of the settings.
    pub(super) secret: Vec<u8>,
}

/// A personal access token.
pub(super) struct TokenRow {
    pub(super) user: String,
    pub(super) name: String,
    /// Hexadecimal digits.
    pub(super) digest: String,
    pub(super) created_at: String,
    pub(super) expires_at: String,
}

/// The audit row of a user for whom something was written.
pub(super) struct AuditRow {
    pub(super) user: String,
    pub(super) method: &'static str,
}

/// The values of one column.
fn column<R, T>(rows: &[R], value: impl Fn(&R) -> T) -> Box<dyn ToSql + Sync + Send>
where
    Vec<T>: ToSql + Sync + Send + 'static,
{
    Box::new(rows.iter().map(value).collect::<Vec<T>>())
}

impl Row for AccountRow {
    const STATEMENT: &'static str = "
INSERT INTO postern.account (user_id, handle, is_anonymous)
SELECT * FROM unnest($1::text[], ($2::text[])::uuid[], $3::boolean[])
ON CONFLICT DO NOTHING RETURNING user_id";

    fn columns(rows: &[AccountRow]) -> Vec<Box<dyn ToSql + Sync + Send>> {
        vec![
            column(rows, |row| row.user.clone()),
            column(rows, |row| row.handle.clone()),
            column(rows, |row| row.is_anonymous),
        ]
    }
}

impl Row for PasswordRow {
    const STATEMENT: &'static str = "
INSERT INTO postern.password (user_id, hash) SELECT * FROM unnest($1::text[], $2::text[])
ON CONFLICT DO NOTHING RETURNING user_id";

    fn columns(rows: &[PasswordRow]) -> Vec<Box<dyn ToSql + Sync + Send>> {
        vec![
            column(rows, |row| row.user.clone()),
            column(rows, |row| row.hash.clone()),
        ]
    }
}

impl Row for EmailRow {
    const STATEMENT: &'static str = "
INSERT INTO postern.verified_email (user_id, email) SELECT * FROM unnest($1::text[], $2::text[])
ON CONFLICT DO NOTHING RETURNING user_id";

    fn columns(rows: &[EmailRow]) -> Vec<Box<dyn ToSql + Sync + Send>> {
        vec![
            column(rows, |row| row.user.clone()),
            column(rows, |row| row.email.clone()),
        ]
    }
}

impl Row for IdentityRow {
    const STATEMENT: &'static str = "
INSERT INTO postern.external_identity (issuer, subject, user_id, provider, email)
SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[])
ON CONFLICT DO NOTHING RETURNING user_id";

    fn columns(rows: &[IdentityRow]) -> Vec<Box<dyn ToSql + Sync + Send>> {
        vec![
            column(rows, |row| row.issuer.clone()),
            column(rows, |row| row.subject.clone()),
            column(rows, |row| row.user.clone()),
            column(rows, |row| row.provider.clone()),
            column(rows, |row| row.email.clone()),
        ]
    }
}

impl Row for KeyRow {
    const STATEMENT: &'static str = "
INSERT INTO postern.security_key (user_id, credential_id, public_key, sign_count, transports, aaguid, backup_eligible,
  backed_up, nickname)
SELECT k.user_id, k.credential_id, k.public_key, k.sign_count, k.transports::text[], k.aaguid::uuid, k.backup_eligible,
  k.backed_up, k.nickname
FROM unnest($1::text[], $2::bytea[], $3::bytea[], $4::int8[], $5::text[], $6::text[], $7::boolean[], $8::boolean[],
  $9::text[]) AS k (user_id, credential_id, public_key, sign_count, transports, aaguid, backup_eligible, backed_up, nickname)
ON CONFLICT DO NOTHING RETURNING user_id";

    fn columns(rows: &[KeyRow]) -> Vec<Box<dyn ToSql + Sync + Send>> {
        vec![
            column(rows, |row| row.user.clone()),
            column(rows, |row| row.credential_id.clone()),
            column(rows, |row| row.public_key.clone()),
            column(rows, |row| row.sign_count),
            column(rows, |row| row.transports.clone()),
            column(rows, |row| row.aaguid.clone()),
            column(rows, |row| row.is_backup_eligible),
            column(rows, |row| row.is_backed_up),
            column(rows, |row| row.nickname.clone()),
        ]
    }
}

/// A secret that waits for its first code counts for nothing, so that it is replaced.
impl Row for AppRow {
    const STATEMENT: &'static str = "
WITH app AS (
  INSERT INTO postern.totp AS t (user_id, secret, confirmed_at)
  SELECT a.user_id, a.secret, now() FROM unnest($1::text[], $2::bytea[]) AS a (user_id, secret)
  ON CONFLICT (user_id) DO UPDATE SET secret = excluded.secret, confirmed_at = now(), last_step = 0
    WHERE t.confirmed_at IS NULL
  RETURNING t.user_id
)
UPDATE postern.account a SET second_factor = coalesce(a.second_factor, 'totp') FROM app p WHERE a.user_id = p.user_id
RETURNING a.user_id";

    fn columns(rows: &[AppRow]) -> Vec<Box<dyn ToSql + Sync + Send>> {
        vec![
            column(rows, |row| row.user.clone()),
            column(rows, |row| row.secret.clone()),
        ]
    }
}

impl Row for TokenRow {
    const STATEMENT: &'static str = "
INSERT INTO postern.personal_access_token (id, user_id, name, digest, created_at, expires_at)
SELECT gen_random_uuid(), t.user_id, t.name, decode(t.digest, 'hex'), t.created_at::timestamptz, t.expires_at::timestamptz
FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[]) AS t (user_id, name, digest, created_at, expires_at)
ON CONFLICT DO NOTHING RETURNING user_id";

    fn columns(rows: &[TokenRow]) -> Vec<Box<dyn ToSql + Sync + Send>> {
        vec![
            column(rows, |row| row.user.clone()),
            column(rows, |row| row.name.clone()),
            column(rows, |row| row.digest.clone()),
            column(rows, |row| row.created_at.clone()),
            column(rows, |row| row.expires_at.clone()),
        ]
    }
}

impl Row for AuditRow {
    const STATEMENT: &'static str = "
INSERT INTO postern.authentication_event (event, outcome, user_id, method)
SELECT 'imported', 'success', i.user_id, i.method FROM unnest($1::text[], $2::text[]) AS i (user_id, method)
RETURNING user_id";

    fn columns(rows: &[AuditRow]) -> Vec<Box<dyn ToSql + Sync + Send>> {
        vec![
            column(rows, |row| row.user.clone()),
            column(rows, |row| row.method),
        ]
    }
}

/// Writes rows; returns the user's id of each row that was written.
pub(super) async fn write<R: Row>(
    transaction: &Transaction<'_>,
    rows: &[R],
) -> Result<Vec<String>, ImportError> {
    let mut written = vec![];
    for batch in rows.chunks(BATCH) {
        let columns = R::columns(batch);
        let parameters: Vec<&(dyn ToSql + Sync)> = columns
            .iter()
            .map(|column| column.as_ref() as &(dyn ToSql + Sync))
            .collect();
        let rows = transaction.query(R::STATEMENT, &parameters).await?;
        written.extend(rows.iter().map(|row| row.get::<_, String>(0)));
    }
    Ok(written)
}

/// Selects those of the users whose accounts have another generation than that of a new one.
pub(super) const FIND_CHANGED: &str = "
SELECT a.user_id FROM postern.account a WHERE a.user_id = ANY ($1::text[]) AND a.generation > 0";

/// Gives accounts the handle that the passkeys of the source have, so that an authenticator
/// replaces a passkey of the user by a new one. A user who has passkeys with another handle keeps
/// it: users, handles.
pub(super) const SET_HANDLES: &str = "
UPDATE postern.account a SET handle = h.handle::uuid FROM unnest($1::text[], $2::text[]) AS h (user_id, handle)
WHERE a.user_id = h.user_id AND a.handle <> h.handle::uuid
  AND NOT EXISTS (SELECT FROM postern.security_key k WHERE k.user_id = a.user_id)";

/// Selects the users of identities that another user has: issuers, subjects, users.
pub(super) const FIND_OTHER_IDENTITIES: &str = "
SELECT g.user_id FROM unnest($1::text[], $2::text[], $3::text[]) AS g (issuer, subject, user_id)
JOIN postern.external_identity i ON i.issuer = g.issuer AND i.subject = g.subject WHERE i.user_id <> g.user_id";

/// Selects the users of keys that another user has: credentials' ids, users.
pub(super) const FIND_OTHER_KEYS: &str = "
SELECT g.user_id FROM unnest($1::bytea[], $2::text[]) AS g (credential_id, user_id)
JOIN postern.security_key k ON k.credential_id = g.credential_id WHERE k.user_id <> g.user_id";

/// Makes keys the second factor of users who have none.
pub(super) const SET_KEY_FACTOR: &str = "
UPDATE postern.account a SET second_factor = 'webauthn' WHERE a.user_id = ANY ($1::text[]) AND a.second_factor IS NULL";

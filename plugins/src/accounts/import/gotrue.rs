//! Reads the tables of GoTrue, the service of Supabase Auth. Its migrations say which columns there
//! are: <https://github.com/supabase/auth/tree/master/migrations>
//!
//! | Migration | |
//! |---|---|
//! | 20210710035447 | `users.confirmed_at` becomes `email_confirmed_at` |
//! | 20221003041349 | `mfa_factors` |
//! | 20231117164230 | `identities.id` becomes `provider_id` |
//! | 20240214120130 | `users.is_anonymous` |
//! | 20240729123726 | security keys as factors, in `mfa_factors.web_authn_credential` |
//! | 20260302000000 | passkeys, in `webauthn_credentials` |
//! | 20260824000001 | recovery codes, each hashed by argon2id with a salt of its own |

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;
use tokio_postgres::Transaction;
use uuid::Uuid;

use super::import_error::ImportError;
use super::import_report::Reason;
use super::source::{Source, SourceApp, SourceIdentity, SourceKey, SourceUser};
use super::source_tables::SourceTables;

/// Reads all tables.
pub(super) async fn read(
    snapshot: &Transaction<'_>,
    tables: &SourceTables,
) -> Result<Source, ImportError> {
    tables.require_users("encrypted_password", "GoTrue")?;
    let mut source = Source::default();
    read_users(snapshot, tables, &mut source).await?;
    read_identities(snapshot, tables, &mut source).await?;
    read_factors(snapshot, tables, &mut source).await?;
    read_passkeys(snapshot, tables, &mut source).await?;
    read_recovery_codes(snapshot, tables, &mut source).await?;
    Ok(source)
}

async fn read_users(
    snapshot: &Transaction<'_>,
    tables: &SourceTables,
    source: &mut Source,
) -> Result<(), ImportError> {
    let column = |name, type_name| tables.column("users", name, type_name);
    let confirmed = if tables.has("users", "email_confirmed_at") {
        "email_confirmed_at"
    } else {
        "confirmed_at"
    };
    // A deleted user keeps its row, with hashes in place of what was known.
    let statement = format!(
        "SELECT t.id::text, CASE WHEN {confirmed} IS NOT NULL THEN nullif({email}, '') END,
           nullif({password}, ''), coalesce({anonymous}, false), nullif({phone}, '') IS NOT NULL
         FROM auth.users t WHERE {deleted} IS NULL ORDER BY t.id",
        confirmed = column(confirmed, "timestamptz"),
        email = column("email", "text"),
        password = column("encrypted_password", "text"),
        anonymous = column("is_anonymous", "boolean"),
        phone = column("phone", "text"),
        deleted = column("deleted_at", "timestamptz"),
    );
    for row in snapshot.query(&statement, &[]).await? {
        let id: String = row.get(0);
        if row.get(4) {
            source.others.push((Reason::PhoneNumber, id.clone()));
        }
        source.users.push(SourceUser {
            id,
            verified_email: row.get(1),
            password: row.get(2),
            is_anonymous: row.get(3),
        });
    }
    Ok(())
}

async fn read_identities(
    snapshot: &Transaction<'_>,
    tables: &SourceTables,
    source: &mut Source,
) -> Result<(), ImportError> {
    if !tables.has_table("identities") {
        return Ok(());
    }
    let subject = if tables.has("identities", "provider_id") {
        "provider_id"
    } else {
        "id"
    };
    // `email` and `phone` are no providers, but the user's own address and number.
    let statement = format!(
        "SELECT t.user_id::text, t.provider, t.{subject}::text, lower(t.identity_data ->> 'email')
         FROM auth.identities t WHERE t.provider NOT IN ('email', 'phone')
         ORDER BY t.user_id, t.provider, t.{subject}"
    );
    for row in snapshot.query(&statement, &[]).await? {
        source.identities.push(SourceIdentity {
            user: row.get(0),
            provider: row.get(1),
            subject: row.get(2),
            issuer: None,
            email: row.get(3),
        });
    }
    Ok(())
}

async fn read_factors(
    snapshot: &Transaction<'_>,
    tables: &SourceTables,
    source: &mut Source,
) -> Result<(), ImportError> {
    if !tables.has("mfa_factors", "secret") {
        return Ok(());
    }
    let statement = format!(
        "SELECT t.user_id::text, t.id::text, t.factor_type::text, coalesce(t.secret, ''), {credential},
           nullif({name}, '')
         FROM auth.mfa_factors t WHERE t.status::text = 'verified'
         ORDER BY t.user_id, {challenged} DESC NULLS LAST, t.created_at DESC",
        credential = tables.column("mfa_factors", "web_authn_credential", "text"),
        name = tables.column("mfa_factors", "friendly_name", "text"),
        challenged = tables.column("mfa_factors", "last_challenged_at", "timestamptz"),
    );
    for row in snapshot.query(&statement, &[]).await? {
        let user: String = row.get(0);
        match row.get::<_, &str>(2) {
            "totp" => source.apps.push(SourceApp {
                user,
                id: row.get(1),
                secret: row.get(3),
            }),
            "webauthn" => {
                let credential: Option<&str> = row.get(4);
                let key = read_credential(user, credential.unwrap_or_default(), row.get(5));
                source.keys.push(key);
            }
            "phone" => source.others.push((Reason::SmsFactor, user)),
            _ => {}
        }
    }
    Ok(())
}

/// A security key that is a factor: the JSON of a credential of the library go-webauthn.
/// <https://pkg.go.dev/github.com/go-webauthn/webauthn/webauthn#Credential>
fn read_credential(user: String, json: &str, nickname: Option<String>) -> SourceKey {
    let credential: Value = serde_json::from_str(json).unwrap_or_default();
    let bytes = |value: &Value| STANDARD.decode(value.as_str()?).ok();
    let authenticator = &credential["authenticator"];
    let aaguid = bytes(&authenticator["AAGUID"]);
    let aaguid = aaguid.and_then(|bytes| Uuid::from_slice(&bytes).ok());
    let flag = |name: &str| credential["flags"][name].as_bool().unwrap_or(false);
    SourceKey {
        user,
        credential_id: bytes(&credential["id"]),
        public_key: bytes(&credential["publicKey"]).unwrap_or_default(),
        sign_count: authenticator["signCount"].as_i64().unwrap_or(0),
        transports: credential["transport"].to_string(),
        aaguid: aaguid.map(|aaguid| aaguid.to_string()),
        is_backup_eligible: flag("backupEligible"),
        is_backed_up: flag("backupState"),
        nickname,
        is_second_factor: true,
    }
}

async fn read_passkeys(
    snapshot: &Transaction<'_>,
    tables: &SourceTables,
    source: &mut Source,
) -> Result<(), ImportError> {
    if !tables.has_table("webauthn_credentials") {
        return Ok(());
    }
    let statement =
        "SELECT t.user_id::text, t.credential_id, t.public_key, t.sign_count, t.transports::text,
           t.aaguid::text, t.backup_eligible, t.backed_up, nullif(t.friendly_name, '')
         FROM auth.webauthn_credentials t ORDER BY t.user_id, t.created_at, t.id";
    for row in snapshot.query(statement, &[]).await? {
        source.keys.push(SourceKey {
            user: row.get(0),
            credential_id: Some(row.get(1)),
            public_key: row.get(2),
            sign_count: row.get(3),
            transports: row.get(4),
            aaguid: row.get(5),
            is_backup_eligible: row.get(6),
            is_backed_up: row.get(7),
            nickname: row.get(8),
            is_second_factor: false,
        });
    }
    Ok(())
}

async fn read_recovery_codes(
    snapshot: &Transaction<'_>,
    tables: &SourceTables,
    source: &mut Source,
) -> Result<(), ImportError> {
    if !tables.has("mfa_recovery_code_sets", "user_id") {
        return Ok(());
    }
    let statement = "SELECT DISTINCT t.user_id::text FROM auth.mfa_recovery_code_sets t";
    for row in snapshot.query(statement, &[]).await? {
        source.others.push((Reason::RecoveryCodes, row.get(0)));
    }
    Ok(())
}

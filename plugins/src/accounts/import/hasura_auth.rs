//! Reads the tables of hasura-auth, in versions from before 0.36 to those in Nhost's repository.
//! Its migrations say which columns there are:
//! <https://github.com/nhost/nhost/tree/main/services/auth/go/migrations/postgres>
//!
//! | Migration | |
//! |---|---|
//! | 6, 9 | security keys, in `user_authenticators`, renamed to `user_security_keys` |
//! | 7 | their nickname |
//! | 11 | `refresh_token_hash`: the text of `sha256(refresh_token::text::bytea)`, with `\x` |
//! | 12, 13 | metadata and type of refresh tokens; those of type `pat` are personal access tokens |
//! | 15 | `refresh_token` becomes `id`: the id of an older row is the token, and is not read |
//! | 24 | the issuer of a linked provider |

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use tokio_postgres::Transaction;

use super::import_error::ImportError;
use super::import_report::Reason;
use super::source::{Source, SourceApp, SourceIdentity, SourceKey, SourceToken, SourceUser};
use super::source_tables::SourceTables;

/// Reads all tables.
pub(super) async fn read(
    snapshot: &Transaction<'_>,
    tables: &SourceTables,
) -> Result<Source, ImportError> {
    tables.require_users("password_hash", "hasura-auth")?;
    let mut source = Source::default();
    read_users(snapshot, tables, &mut source).await?;
    read_identities(snapshot, tables, &mut source).await?;
    read_keys(snapshot, tables, &mut source).await?;
    read_tokens(snapshot, tables, &mut source).await?;
    Ok(source)
}

async fn read_users(
    snapshot: &Transaction<'_>,
    tables: &SourceTables,
    source: &mut Source,
) -> Result<(), ImportError> {
    let column = |name, type_name| tables.column("users", name, type_name);
    let statement = format!(
        "SELECT t.id::text, CASE WHEN {verified} THEN {email} END, nullif({password}, ''), coalesce({anonymous}, false),
           {factor}, nullif({secret}, ''), nullif({phone}, '') IS NOT NULL
         FROM auth.users t ORDER BY t.id",
        verified = column("email_verified", "boolean"),
        email = column("email", "text"),
        password = column("password_hash", "text"),
        anonymous = column("is_anonymous", "boolean"),
        factor = column("active_mfa_type", "text"),
        secret = column("totp_secret", "text"),
        phone = column("phone_number", "text"),
    );
    for row in snapshot.query(&statement, &[]).await? {
        let id: String = row.get(0);
        let factor: Option<String> = row.get(4);
        let secret: Option<String> = row.get(5);
        // A secret without the type was not confirmed.
        match (factor.as_deref(), secret) {
            (Some("totp"), Some(secret)) => source.apps.push(SourceApp {
                user: id.clone(),
                id: id.clone(),
                secret,
            }),
            (Some("sms"), _) => source.others.push((Reason::SmsFactor, id.clone())),
            _ => {}
        }
        if row.get(6) {
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
    if !tables.has_table("user_providers") {
        return Ok(());
    }
    let statement = format!(
        "SELECT t.user_id::text, t.provider_id, t.provider_user_id, nullif({issuer}, '')
         FROM auth.user_providers t ORDER BY t.user_id, t.provider_id, t.provider_user_id",
        issuer = tables.column("user_providers", "issuer", "text"),
    );
    for row in snapshot.query(&statement, &[]).await? {
        source.identities.push(SourceIdentity {
            user: row.get(0),
            provider: row.get(1),
            subject: row.get(2),
            issuer: row.get(3),
            email: None,
        });
    }
    Ok(())
}

async fn read_keys(
    snapshot: &Transaction<'_>,
    tables: &SourceTables,
    source: &mut Source,
) -> Result<(), ImportError> {
    let names = ["user_security_keys", "user_authenticators"];
    let Some(table) = names.into_iter().find(|name| tables.has_table(name)) else {
        return Ok(());
    };
    let statement = format!(
        "SELECT t.user_id::text, t.credential_id, coalesce(t.credential_public_key, ''::bytea), t.counter,
           coalesce({transports}, ''), nullif({nickname}, '')
         FROM auth.{table} t ORDER BY t.user_id, t.id",
        transports = tables.column(table, "transports", "text"),
        nickname = tables.column(table, "nickname", "text"),
    );
    for row in snapshot.query(&statement, &[]).await? {
        let credential_id: String = row.get(1);
        source.keys.push(SourceKey {
            user: row.get(0),
            credential_id: decode_id(&credential_id),
            public_key: row.get(2),
            sign_count: row.get(3),
            transports: row.get(4),
            // The flags of authenticator data are not kept there. A key may say later that it can
            // be copied.
            aaguid: None,
            is_backup_eligible: false,
            is_backed_up: false,
            nickname: row.get(5),
            is_second_factor: false,
        });
    }
    Ok(())
}

/// The bytes of a credential's id: base64url, with or without padding.
fn decode_id(text: &str) -> Option<Vec<u8>> {
    URL_SAFE_NO_PAD.decode(text.trim_end_matches('=')).ok()
}

async fn read_tokens(
    snapshot: &Transaction<'_>,
    tables: &SourceTables,
    source: &mut Source,
) -> Result<(), ImportError> {
    let has_tokens = ["type", "refresh_token_hash"]
        .iter()
        .all(|column| tables.has("refresh_tokens", column));
    if !has_tokens {
        return Ok(());
    }
    let statement = format!(
        "SELECT t.user_id::text, coalesce(t.refresh_token_hash, ''), nullif(trim({metadata} ->> 'name'), ''),
           to_json(least(t.created_at, now())) #>> '{{}}', to_json(t.expires_at) #>> '{{}}', t.expires_at <= now()
         FROM auth.refresh_tokens t WHERE t.type::text = 'pat' ORDER BY t.user_id, t.created_at",
        metadata = tables.column("refresh_tokens", "metadata", "jsonb"),
    );
    for row in snapshot.query(&statement, &[]).await? {
        source.tokens.push(SourceToken {
            user: row.get(0),
            hash: row.get(1),
            name: row.get(2),
            created_at: row.get(3),
            expires_at: row.get(4),
            is_expired: row.get(5),
        });
    }
    Ok(())
}

//! The SQL statements of accounts. Those of the owner are part of Postern's own, so that each step
//! is one transaction: a user whose password cannot be stored is not created. As in the token
//! exchange, each statement that changes something inserts its audit row.
//!
//! The parameters of the owner's `create` are `$1` to `$5`, of which it may use any; those of
//! Postern follow.

use std::fmt::Write;

use tokio_postgres::Client;

/// The number of parameters of `create`.
const CREATE_PARAMETERS: usize = 5;

/// The statements on the owner's tables.
#[derive(Debug)]
pub(super) struct OwnerStatements {
    /// Finds the id of the user with an address.
    pub(super) by_email: String,
    /// Creates a user: address, name, locale, metadata and method, then the client's address, the
    /// request id, the method, the password's hash or null, the mail or null, and the handle and
    /// the security key or null. Returns the id; null if the owner's statement has created none.
    pub(super) sign_up: String,
    /// Changes the address of a user: id, address. If it changes none, it fails as a ticket does
    /// that holds no longer.
    pub(super) set_email: Option<String>,
    /// The owner's `create`, with all parameters that it may have.
    create: String,
}

/// The name of the queue's trigger for mails. Triggers of settings files have no dots, so that it
/// is not one of them.
pub(crate) const MAIL_TRIGGER: &str = "accounts.mail";

impl OwnerStatements {
    /// The statements that contain the owner's.
    pub(super) fn new(by_email: &str, create: &str, set_email: Option<&str>) -> OwnerStatements {
        let by_email = trimmed(by_email);
        let create = trimmed(create);
        // Postgres refuses a statement with a parameter of which nothing gives the type.
        let mut unused = String::new();
        for number in
            (1..=CREATE_PARAMETERS).filter(|number| !create.contains(&format!("${number}")))
        {
            let _ = write!(
                unused,
                "{}${number}::text",
                if unused.is_empty() { "" } else { ", " }
            );
        }
        let sign_up = format!(
            "WITH created AS (\n{create}\n), unused AS (\n  SELECT {unused}\n), account AS (
  INSERT INTO postern.account (user_id, handle, is_anonymous)
  SELECT c.id::text, coalesce($11::uuid, gen_random_uuid()), $8::text = 'anonymous' FROM created c
  ON CONFLICT (user_id) DO NOTHING
), key AS (
  SELECT postern.add_security_key(c.id::text, $12::jsonb) FROM created c WHERE $12::jsonb IS NOT NULL
), password AS (
  INSERT INTO postern.password (user_id, hash)
  SELECT c.id::text, $9::text FROM created c WHERE $9::text IS NOT NULL
), audited AS (
  INSERT INTO postern.authentication_event (address, request_id, event, outcome, user_id, method)
  SELECT $6::text, $7::text, 'sign-up', 'success', c.id::text, $8::text FROM created c
), mail AS (
  SELECT postern.enqueue_event('{MAIL_TRIGGER}', $10::json, 'webhook') FROM created c WHERE $10::json IS NOT NULL
)
SELECT (SELECT c.id::text FROM created c) FROM (SELECT) one LEFT JOIN mail ON true LEFT JOIN key ON true"
        );
        let find = format!("SELECT to_json((SELECT b.id::text FROM (\n{by_email}\n) b))::text");
        OwnerStatements {
            by_email: format!("SELECT coalesce(({find}), 'null')"),
            sign_up,
            set_email: set_email.map(|statement| {
                format!(
                    "WITH changed AS (\n{}\n) SELECT CASE count(*) WHEN 1 THEN 'changed' \
                     ELSE postern.use_ticket(NULL) END FROM changed",
                    trimmed(statement)
                )
            }),
            create: format!(
                "WITH created AS (\n{create}\n), unused AS (\n  SELECT {unused}\n) SELECT * FROM created"
            ),
        }
    }

    /// Checks that the database accepts the statements.
    pub(super) async fn check(&self, client: &Client) -> Result<(), String> {
        let prepare = async |name: &str, statement: &str| {
            client.prepare(statement).await.map_err(|error| {
                let message = error
                    .as_db_error()
                    .map_or_else(|| error.to_string(), |of| of.message().to_owned());
                format!("`{name}`: {message}")
            })
        };
        let by_email = prepare("by_email", &self.by_email).await?;
        if by_email.params().len() != 1 {
            return Err("`by_email` has to have one parameter, `$1`: the address".into());
        }
        let create = prepare("create", &self.create).await?;
        if create.params().len() > CREATE_PARAMETERS {
            let message = "`create` has the parameters `$1` to `$5` at most: address, name, \
                           locale, metadata, method";
            return Err(message.into());
        }
        if !create.columns().iter().any(|column| column.name() == "id") {
            return Err("`create` has to return the column `id`".into());
        }
        prepare("create", &self.sign_up).await?;
        if let Some(set_email) = &self.set_email {
            let set_email = prepare("set_email", set_email).await?;
            if set_email.params().len() != 2 {
                return Err(
                    "`set_email` has to have two parameters, the user's id and the address".into(),
                );
            }
        }
        Ok(())
    }
}

fn trimmed(statement: &str) -> &str {
    statement.trim().trim_end_matches(';')
}

/// What is known of a user: the password's hash, the generation of the account, its handle and
/// second factor, the address that was verified, and what else the person may show.
pub(super) const FIND_ACCOUNT: &str = "
SELECT json_build_object(
  'hash', (SELECT p.hash FROM postern.password p WHERE p.user_id = u.id),
  'generation', coalesce(a.generation, 0), 'handle', a.handle, 'second_factor', a.second_factor,
  'verified_email', (SELECT v.email FROM postern.verified_email v WHERE v.user_id = u.id),
  'issuers', (SELECT coalesce(json_agg(i.issuer), '[]') FROM postern.external_identity i WHERE i.user_id = u.id),
  'has_keys', EXISTS (SELECT FROM postern.security_key k WHERE k.user_id = u.id),
  'has_recovery_codes', a.second_factor IS NOT NULL AND EXISTS (
    SELECT FROM postern.recovery_code c WHERE c.user_id = u.id AND c.used_at IS NULL))::text
FROM (SELECT $1::text AS id) u LEFT JOIN postern.account a ON a.user_id = u.id";

/// Counts a try of a password, a code or a second factor, before it is compared: the digest of the
/// kind and the address or user, the user or null, and whether it is a second factor.
/// Returns whether it may be compared: of an address there are twenty tries an hour, from wherever
/// they come. A client's address from which a person has signed in as the user within a month is
/// spared, so that nobody can be locked out; of second factors, if that was after the secret of the
/// authenticator app was confirmed. Concurrent tries wait for the row.
pub(super) const COUNT_TRY: &str = "
WITH counted AS (
  INSERT INTO postern.credential_tries AS t (digest, tries) VALUES (decode($3, 'hex'), 1)
  ON CONFLICT (digest) DO UPDATE SET
    tries = CASE WHEN t.since > now() - interval '1 hour' THEN t.tries + 1 ELSE 1 END,
    since = CASE WHEN t.since > now() - interval '1 hour' THEN t.since ELSE now() END
  RETURNING t.tries
)
SELECT (c.tries <= 20 OR EXISTS (
  SELECT FROM postern.authentication_event e
  WHERE e.user_id = $4 AND e.event = 'sign-in' AND e.outcome = 'success' AND e.method IS NOT NULL AND e.address = $1
    AND e.at > now() - interval '30 days'
    AND (NOT $5::boolean OR e.at > (SELECT t.confirmed_at FROM postern.totp t WHERE t.user_id = $4))))::text
FROM counted c, (SELECT $2::text) origin";

/// Forgets the tries of an address after the right password: its digest.
pub(super) const FORGET_TRIES: &str = "
WITH forgotten AS (
  DELETE FROM postern.credential_tries WHERE digest = decode($3, 'hex')
)
SELECT 'forgotten' FROM (SELECT $1::text, $2::text) origin";

/// Opens a session: its id, the user, the generation of the account, the claim `amr` as an array,
/// the refresh token, its digest and its seconds, the method, and whether the person has shown a
/// second factor, and what the browser calls itself. If the account has another generation by now,
/// or a second factor that was not shown, no row is returned: the row's lock orders sign-ins and
/// changes of credentials. Null stands for any generation.
pub(super) const OPEN_SESSION: &str = "
WITH account AS (
  INSERT INTO postern.account AS a (user_id, last_sign_in_at) VALUES ($4, now())
  ON CONFLICT (user_id) DO UPDATE SET last_sign_in_at = now() 
    WHERE ($5::int4 IS NULL OR a.generation = $5::int4) AND ($11::boolean OR a.second_factor IS NULL)
  RETURNING a.user_id
), session AS (
  INSERT INTO postern.session (id, user_id, methods, address, user_agent)
  SELECT $3::uuid, a.user_id, $6::text[], $1, $12 FROM account a
), issued AS (
  INSERT INTO postern.refresh_token (id, session_id, digest, expires_at)
  SELECT $7::uuid, $3::uuid, decode($8, 'hex'), now() + make_interval(secs => $9::float8) FROM account a
)
INSERT INTO postern.authentication_event (address, request_id, event, outcome, user_id, session_id, method)
SELECT $1, $2, 'sign-in', 'success', a.user_id, $3::uuid, $10::text FROM account a
RETURNING event";

/// Replaces a password's hash by one of better parameters, unless the password was changed: user,
/// hash, better hash.
pub(super) const REPLACE_HASH: &str = "
WITH replaced AS (
  UPDATE postern.password p SET hash = $5 WHERE p.user_id = $3 AND p.hash = $4
)
SELECT 'replaced' FROM (SELECT $1::text, $2::text) origin";

/// Locks the account of a user, and makes it if there is none: the user. What follows in the same
/// transaction is another statement with another snapshot, so that it sees all sessions that were
/// opened before; a sign-in that comes later waits, and finds another generation.
pub(super) const LOCK_ACCOUNT: &str = "
INSERT INTO postern.account AS a (user_id) SELECT $3 FROM (SELECT $1::text, $2::text) origin
ON CONFLICT (user_id) DO UPDATE SET generation = a.generation
RETURNING user_id";

/// The generation of the account of a user who has opened a session that holds: its id, the user.
/// What is asked for by the session ends with a change of credentials that comes after this.
pub(super) const FIND_SIGNED_IN: &str = "
SELECT coalesce((
  SELECT to_json(a.generation) FROM postern.session s JOIN postern.account a ON a.user_id = s.user_id
  WHERE s.id = $1::uuid AND s.user_id = $2 AND s.methods IS NOT NULL AND s.revoked_at IS NULL
)::text, 'null')";

/// Requires that a session still holds: its id, the user. One that does not fails as a ticket does
/// that holds no longer.
pub(super) const REQUIRE_SESSION: &str = "
SELECT postern.require_session($3::uuid, $4) FROM (SELECT $1::text, $2::text) origin";

/// Sets a password: user, hash, the mail that says so. Ends all sessions and tickets of the user.
/// Runs after [`LOCK_ACCOUNT`].
pub(super) const SET_PASSWORD: &str = "
WITH account AS (
  INSERT INTO postern.account AS a (user_id, generation) VALUES ($3, 1)
  ON CONFLICT (user_id) DO UPDATE SET generation = a.generation + 1
), password AS (
  INSERT INTO postern.password (user_id, hash) VALUES ($3, $4)
  ON CONFLICT (user_id) DO UPDATE SET hash = excluded.hash, changed_at = now()
), ended AS (
  UPDATE postern.session s SET revoked_at = now() WHERE s.user_id = $3 AND s.revoked_at IS NULL
), void AS (
  UPDATE postern.ticket t SET used_at = now() WHERE t.user_id = $3 AND t.used_at IS NULL
), audited AS (
  INSERT INTO postern.authentication_event (address, request_id, event, outcome, user_id, method)
  VALUES ($1, $2, 'password-changed', 'success', $3, 'password')
)
SELECT postern.enqueue_event('accounts.mail', $5::json, 'webhook')::text";

/// Signs up again: user, mail. While no address of the user was verified, two people may have
/// chosen a password, so that whoever proves the address has to choose another one. Those who have
/// proved it get one mail an hour, whoever signs up with their address.
pub(super) const SIGN_UP_AGAIN: &str = "
WITH contested AS (
  UPDATE postern.account a SET is_contested = true
  WHERE a.user_id = $3 AND NOT EXISTS (SELECT FROM postern.verified_email v WHERE v.user_id = $3)
)
SELECT postern.enqueue_event('accounts.mail', $4::json, 'webhook', NULL, now(), CASE WHEN v.user_id IS NOT NULL
    THEN 'account-exists ' || v.user_id || to_char(now(), ' YYYY-MM-DD HH24') END)::text
FROM (SELECT $1::text, $2::text) origin LEFT JOIN postern.verified_email v ON v.user_id = $3";

/// Puts a mail into the queue.
pub(super) const ENQUEUE_MAIL: &str = "
SELECT postern.enqueue_event('accounts.mail', $3::json, 'webhook')::text FROM (SELECT $1::text, $2::text) origin";

/// Finds a ticket that holds, by its digest: its id, purpose, user, address and state.
pub(super) const FIND_TICKET: &str = "
SELECT coalesce((
  SELECT json_build_object('id', t.id, 'purpose', t.purpose, 'user', t.user_id, 'email', t.email, 'state', t.state)
  FROM postern.ticket t
  WHERE t.digest = decode($1, 'hex') AND t.purpose NOT IN ('code', 'elevate', 'webauthn', 'oauth', 'handover') AND t.used_at IS NULL AND t.expires_at > now()
)::text, 'null')";

/// Uses a ticket; one that holds no longer is an error with the SQLSTATE of `no_data_found`, which
/// undoes the transaction.
pub(super) const USE_TICKET: &str =
    "SELECT postern.use_ticket($3::uuid) FROM (SELECT $1::text, $2::text) origin";

/// Counts a try of the newest code that was sent to an address for a purpose, of which there are
/// five: address, purpose.
/// Concurrent tries wait for the row and find the count of those before them.
pub(super) const TRY_CODE: &str = "
WITH tried AS (
  UPDATE postern.ticket t SET attempts = t.attempts + 1
  WHERE t.id = (
      SELECT n.id FROM postern.ticket n
      WHERE n.purpose = $4 AND n.purpose IN ('code', 'elevate') AND lower(n.email) = lower($3) AND n.used_at IS NULL AND n.expires_at > now()
      ORDER BY n.created_at DESC LIMIT 1)
    AND t.used_at IS NULL AND t.attempts < 5
  RETURNING t.id, t.user_id, t.email, encode(t.digest, 'hex') AS digest
)
SELECT coalesce((
  SELECT json_build_object('id', t.id, 'purpose', $4, 'user', t.user_id, 'email', t.email, 'digest', t.digest)
  FROM tried t
)::text, 'null') FROM (SELECT $1::text, $2::text) origin";

/// Records that a user has an address: user, address, and whether what was there before the proof
/// goes. A password or a token that was made while the address was unproved may be that of another
/// person who has signed up with it, and so may a linked provider; so may a key, unless there is a
/// second factor, which needs a proved address. Runs after [`LOCK_ACCOUNT`].
pub(super) const VERIFY_EMAIL: &str = "
WITH unproved AS (
  SELECT FROM (SELECT) one
  WHERE ($5::boolean OR EXISTS (SELECT FROM postern.account a WHERE a.user_id = $3 AND a.is_contested))
    AND NOT EXISTS (
      SELECT FROM postern.verified_email v WHERE v.user_id = $3 AND lower(v.email) = lower($4))
), account AS (
  UPDATE postern.account a SET generation = a.generation + 1, is_contested = false FROM unproved u WHERE a.user_id = $3
), revoked AS (
  UPDATE postern.personal_access_token t SET revoked_at = now() FROM unproved u WHERE t.user_id = $3 AND t.revoked_at IS NULL
), dropped AS (
  DELETE FROM postern.password p USING unproved u WHERE p.user_id = $3
), void AS (
  UPDATE postern.ticket t SET used_at = now() FROM unproved u WHERE t.user_id = $3 AND t.used_at IS NULL
), unlinked AS (
  DELETE FROM postern.external_identity i USING unproved u WHERE i.user_id = $3
), removed AS (
  DELETE FROM postern.security_key k USING unproved u
  WHERE k.user_id = $3 AND NOT EXISTS (SELECT FROM postern.account a WHERE a.user_id = $3 AND a.second_factor IS NOT NULL)
), ended AS (
  UPDATE postern.session s SET revoked_at = now() FROM unproved u WHERE s.user_id = $3 AND s.revoked_at IS NULL
), verified AS (
  INSERT INTO postern.verified_email AS v (user_id, email) VALUES ($3, $4)
  ON CONFLICT (user_id) DO UPDATE SET email = excluded.email, verified_at = now()
    WHERE lower(v.email) <> lower(excluded.email)
  RETURNING v.user_id
)
INSERT INTO postern.authentication_event (address, request_id, event, outcome, user_id)
SELECT $1, $2, 'email-verified', 'success', v.user_id FROM verified v
RETURNING event";

/// Ends all sessions and tickets of a user whose address was changed: user, the mail to the former
/// address. Runs after [`LOCK_ACCOUNT`].
pub(super) const AFTER_CHANGE: &str = "
WITH account AS (
  INSERT INTO postern.account AS a (user_id, generation) VALUES ($3, 1)
  ON CONFLICT (user_id) DO UPDATE SET generation = a.generation + 1, is_anonymous = false
), ended AS (
  UPDATE postern.session s SET revoked_at = now() WHERE s.user_id = $3 AND s.revoked_at IS NULL
), void AS (
  UPDATE postern.ticket t SET used_at = now() WHERE t.user_id = $3 AND t.used_at IS NULL
), audited AS (
  INSERT INTO postern.authentication_event (address, request_id, event, outcome, user_id)
  VALUES ($1, $2, 'email-changed', 'success', $3)
)
SELECT postern.enqueue_event('accounts.mail', $4::json, 'webhook')::text";

/// Stores the password of an anonymous user, if they choose one, and mails a link for the address:
/// user, hash or null, mail. Of a user who is none no row is returned.
pub(super) const DEANONYMIZE: &str = "
WITH account AS (
  SELECT a.user_id FROM postern.account a WHERE a.user_id = $3 AND a.is_anonymous FOR NO KEY UPDATE
), password AS (
  INSERT INTO postern.password (user_id, hash) SELECT a.user_id, $4 FROM account a WHERE $4::text IS NOT NULL
  ON CONFLICT (user_id) DO UPDATE SET hash = excluded.hash, changed_at = now()
)
SELECT postern.enqueue_event('accounts.mail', $5::json, 'webhook')::text
FROM account a, (SELECT $1::text, $2::text) origin";

/// Makes a ticket and ends those of its kind before it: id, purpose, user, address, digest,
/// seconds, and the generation that the account must have, or null for any: its lock orders tickets
/// and changes of credentials. A user gets thirty of a kind in an hour at most, however many
/// gateways and addresses ask for them; then no row is returned.
pub(super) const CREATE_TICKET: &str = "
WITH held AS (
  SELECT a.user_id FROM postern.account a WHERE a.user_id = $5 AND a.generation = $9::int4 FOR NO KEY UPDATE
), recent AS (
  SELECT count(*) AS number FROM postern.ticket t
  WHERE t.user_id = $5 AND t.purpose = $4 AND t.created_at > now() - interval '1 hour'
), void AS (
  UPDATE postern.ticket t SET used_at = now() FROM recent r
  WHERE t.user_id = $5 AND t.purpose = $4 AND t.used_at IS NULL AND r.number < 30
    AND ($9::int4 IS NULL OR EXISTS (SELECT FROM held))
)
INSERT INTO postern.ticket (id, purpose, user_id, email, digest, expires_at)
SELECT $3::uuid, $4, $5, $6, decode($7, 'hex'), now() + make_interval(secs => $8::float8)
FROM recent r, (SELECT $1::text, $2::text) origin
WHERE r.number < 30 AND ($9::int4 IS NULL OR EXISTS (SELECT FROM held))
RETURNING purpose";

/// The sessions of a user that can go on, the one that was used last first: the user, the session
/// of the request.
pub(super) const LIST_SESSIONS: &str = "
SELECT coalesce(json_agg(json_build_object(
  'id', s.id, 'createdAt', s.created_at, 'lastUsedAt', s.last_used_at, 'methods', s.methods, 'address', s.address,
  'userAgent', s.user_agent, 'isCurrent', s.id = $2::uuid) ORDER BY coalesce(s.last_used_at, s.created_at) DESC, s.id), '[]')::text
FROM postern.session s
WHERE s.user_id = $1 AND s.revoked_at IS NULL
  AND EXISTS (SELECT FROM postern.refresh_token t WHERE t.session_id = s.id AND t.rotated_at IS NULL AND t.expires_at > now())";

/// Ends a session of a user, or all but one: the user, the session of the request, the one to end
/// or null. Returns how many have ended.
pub(super) const END_SESSIONS: &str = "
WITH ended AS (
  UPDATE postern.session s SET revoked_at = now()
  WHERE s.user_id = $3 AND s.revoked_at IS NULL AND CASE WHEN $5::uuid IS NULL THEN s.id <> $4::uuid ELSE s.id = $5::uuid END
  RETURNING s.id
), audited AS (
  INSERT INTO postern.authentication_event (address, request_id, event, outcome, reason, user_id, session_id)
  SELECT $1, $2, 'sign-out', 'success', 'revoked', $3, e.id FROM ended e
)
SELECT count(*)::text FROM ended";

/// Removes challenges that have expired, tickets that expired more than a day ago, and tries that
/// are no longer counted, up to a thousand of each.
pub(super) const SWEEP: &str = "
WITH tries AS (
  DELETE FROM postern.credential_tries WHERE digest IN (
    SELECT t.digest FROM postern.credential_tries t WHERE t.since < now() - interval '1 hour'
    ORDER BY t.since LIMIT 1000 FOR UPDATE SKIP LOCKED)
  RETURNING 1
), old AS (
  DELETE FROM postern.ticket WHERE id IN (
    SELECT t.id FROM postern.ticket t
    WHERE t.expires_at < now() AND (t.purpose IN ('webauthn', 'oauth', 'handover') OR t.expires_at < now() - interval '1 day')
    ORDER BY t.expires_at LIMIT 1000 FOR UPDATE SKIP LOCKED)
  RETURNING 1
)
SELECT greatest((SELECT count(*) FROM old), (SELECT count(*) FROM tries))::text";

//! The SQL statements of second factors and passkeys. As in [`super::statements`], the first two
//! parameters of those that write are the client's address and the request id, and each inserts
//! its audit row.

/// Makes a ticket for the second factor, after the first one was right: id, user, the generation of
/// the account or null for any, address, digest, and how the person has signed in so far. If the
/// account has another generation by now, no row is returned.
pub(super) const CREATE_FACTOR_TICKET: &str = "
WITH account AS (
  SELECT a.user_id FROM postern.account a WHERE a.user_id = $4 AND ($5::int4 IS NULL OR a.generation = $5::int4)
  FOR NO KEY UPDATE
)
INSERT INTO postern.ticket (id, purpose, user_id, email, digest, state, expires_at)
SELECT $3::uuid, 'mfa', a.user_id, $6, decode($7, 'hex'), $8::jsonb, now() + interval '5 minutes'
FROM account a, (SELECT $1::text, $2::text) origin
RETURNING purpose";

/// Counts a try of a ticket, of which there are five, before the factor is compared: digest,
/// purpose. Concurrent tries wait for the row and find the count of those before them.
pub(super) const TRY_TICKET: &str = "
WITH tried AS (
  UPDATE postern.ticket t SET attempts = t.attempts + 1
  WHERE t.digest = decode($3, 'hex') AND t.purpose = $4 AND t.used_at IS NULL AND t.expires_at > now() AND t.attempts < 5
  RETURNING t.id, t.purpose, t.user_id, t.email, t.state
)
SELECT coalesce((
  SELECT json_build_object('id', t.id, 'purpose', t.purpose, 'user', t.user_id, 'email', t.email, 'state', t.state)
  FROM tried t
)::text, 'null') FROM (SELECT $1::text, $2::text) origin";

/// Finds what a person may show as a second factor: the user.
pub(super) const FIND_FACTORS: &str = "
SELECT json_build_object(
  'totp', (SELECT json_build_object('secret', encode(t.secret, 'hex'), 'last_step', t.last_step, 'is_confirmed', t.confirmed_at IS NOT NULL)
           FROM postern.totp t WHERE t.user_id = u.id),
  'recovery_codes', ARRAY(
    SELECT encode(c.digest, 'hex') FROM postern.recovery_code c JOIN postern.account a ON a.user_id = c.user_id
    WHERE c.user_id = u.id AND c.used_at IS NULL AND a.second_factor IS NOT NULL))::text
FROM (SELECT $1::text AS id) u";

/// Stores the secret of an authenticator app until its first code arrives: user, the sealed secret.
/// One that was confirmed stays, and then no row is returned.
pub(super) const STORE_TOTP: &str = "
INSERT INTO postern.totp AS t (user_id, secret) SELECT $3, decode($4, 'hex') FROM (SELECT $1::text, $2::text) origin
ON CONFLICT (user_id) DO UPDATE SET secret = excluded.secret, last_step = 0 WHERE t.confirmed_at IS NULL
RETURNING user_id";

/// Seals the secret of an authenticator app with another key: user, sealed secret, newly sealed
/// one.
pub(super) const RESEAL_TOTP: &str = "
WITH sealed AS (
  UPDATE postern.totp t SET secret = decode($5, 'hex') WHERE t.user_id = $3 AND t.secret = decode($4, 'hex')
)
SELECT 'sealed' FROM (SELECT $1::text, $2::text) origin";

/// Uses a code of an authenticator app: user, step, the secret that it was compared with. A step
/// that was used, or another secret, undoes the transaction. The first one confirms the secret.
pub(super) const USE_TOTP: &str = "
WITH used AS (
  UPDATE postern.totp t SET last_step = $4::int8, confirmed_at = coalesce(t.confirmed_at, now())
  WHERE t.user_id = $3 AND t.last_step < $4::int8 AND t.secret = decode($5, 'hex')
  RETURNING 1
)
SELECT postern.require_factor(EXISTS (SELECT FROM used)) FROM (SELECT $1::text, $2::text) origin";

/// Uses a recovery code: user, digest. One that was used undoes the transaction.
pub(super) const USE_RECOVERY_CODE: &str = "
WITH used AS (
  UPDATE postern.recovery_code c SET used_at = now()
  WHERE c.user_id = $3 AND c.digest = decode($4, 'hex') AND c.used_at IS NULL
  RETURNING 1
), audited AS (
  INSERT INTO postern.authentication_event (address, request_id, event, outcome, user_id, method)
  SELECT $1, $2, 'recovery-code-used', 'success', $3, 'recovery-code' FROM used
)
SELECT postern.require_factor(EXISTS (SELECT FROM used))";

/// Uses a security key: its id, the counter that the signature had, the new counter, whether the
/// key is backed up, and may be. A key that was removed, or used with another counter, meanwhile
/// undoes the transaction as a ticket does that holds no longer.
pub(super) const USE_KEY: &str = "
WITH used AS (
  UPDATE postern.security_key k SET sign_count = greatest(k.sign_count, $5::int8), backed_up = $6::boolean,
    backup_eligible = k.backup_eligible OR $7::boolean, last_used_at = now()
  WHERE k.id = $3::uuid AND k.sign_count = $4::int8
  RETURNING 1
)
SELECT CASE WHEN EXISTS (SELECT FROM used) THEN 'used' ELSE postern.use_ticket(NULL) END
FROM (SELECT $1::text, $2::text) origin";

/// Requires that a user has a key: the user. Runs after [`super::statements::LOCK_ACCOUNT`].
pub(super) const REQUIRE_KEY: &str = "
SELECT postern.require_factor(EXISTS (SELECT FROM postern.security_key k WHERE k.user_id = $3))
FROM (SELECT $1::text, $2::text) origin";

/// Turns a second factor on, or off with null: user, factor, the session that does it, event,
/// method, the mail that says so. Ends the other sessions and all tickets of the user. Runs after
/// [`super::statements::LOCK_ACCOUNT`].
pub(super) const SET_SECOND_FACTOR: &str = "
WITH former AS (
  SELECT a.second_factor FROM postern.account a WHERE a.user_id = $3
), account AS (
  UPDATE postern.account a SET second_factor = $4, generation = a.generation + 1 WHERE a.user_id = $3
), secret AS (
  DELETE FROM postern.totp t WHERE t.user_id = $3 AND $4 IS DISTINCT FROM 'totp'
), codes AS (
  DELETE FROM postern.recovery_code c USING former f WHERE c.user_id = $3 AND ($4 IS NULL OR f.second_factor IS NULL)
), ended AS (
  UPDATE postern.session s SET revoked_at = now() WHERE s.user_id = $3 AND s.id <> $5::uuid AND s.revoked_at IS NULL
), void AS (
  UPDATE postern.ticket t SET used_at = now() WHERE t.user_id = $3 AND t.used_at IS NULL
), audited AS (
  INSERT INTO postern.authentication_event (address, request_id, event, outcome, user_id, session_id, method)
  VALUES ($1, $2, $6, 'success', $3, $5::uuid, $7)
)
SELECT postern.enqueue_event('accounts.mail', $8::json, 'webhook')::text";

/// Replaces the recovery codes of a user: user, the digests as an array, the session, the mail that
/// says so. If the account has no second factor by now, the transaction is undone.
pub(super) const REPLACE_RECOVERY_CODES: &str = "
WITH former AS (
  DELETE FROM postern.recovery_code c WHERE c.user_id = $3
), codes AS (
  INSERT INTO postern.recovery_code (user_id, digest) SELECT $3, decode(d, 'hex') FROM unnest($4::text[]) d
), audited AS (
  INSERT INTO postern.authentication_event (address, request_id, event, outcome, user_id, session_id)
  VALUES ($1, $2, 'recovery-codes-created', 'success', $3, $5::uuid)
)
SELECT postern.require_factor(EXISTS (
  SELECT FROM postern.account a WHERE a.user_id = $3 AND a.second_factor IS NOT NULL)),
  postern.enqueue_event('accounts.mail', $6::json, 'webhook')";

/// Elevates a session: its id, the user, the refresh token, its digest and its seconds, the factor.
/// Runs after [`super::statements::REQUIRE_SESSION`].
pub(super) const ELEVATE: &str = "
WITH issued AS (
  INSERT INTO postern.refresh_token (id, session_id, digest, expires_at)
  VALUES ($5::uuid, $3::uuid, decode($6, 'hex'), now() + make_interval(secs => $7::float8))
)
INSERT INTO postern.authentication_event (address, request_id, event, outcome, user_id, session_id, method)
VALUES ($1, $2, 'elevated', 'success', $4, $3::uuid, $8)
RETURNING event";

/// The proof that a session was opened with, for the access token of its elevation: its id.
pub(super) const FIND_SIGN_IN: &str = "
SELECT json_build_object('session', s.id, 'methods', s.methods, 'at', floor(extract(epoch FROM s.created_at))::int8)::text
FROM postern.session s WHERE s.id = $1::uuid";

/// The keys of a user, oldest first: the user.
pub(super) const FIND_KEYS: &str = "
SELECT coalesce(json_agg(json_build_object(
  'id', k.id, 'user', k.user_id, 'credential_id', encode(k.credential_id, 'hex'), 'public_key', encode(k.public_key, 'hex'),
  'sign_count', k.sign_count, 'transports', k.transports, 'aaguid', k.aaguid, 'backup_eligible', k.backup_eligible,
  'backed_up', k.backed_up, 'nickname', k.nickname, 'created_at', k.created_at, 'last_used_at', k.last_used_at)
  ORDER BY k.created_at, k.id), '[]')::text
FROM postern.security_key k WHERE k.user_id = $1";

/// A key and the handle of its user: the credential's id.
pub(super) const FIND_KEY: &str = "
SELECT coalesce((
  SELECT json_build_object(
    'id', k.id, 'user', k.user_id, 'credential_id', encode(k.credential_id, 'hex'), 'public_key', encode(k.public_key, 'hex'),
    'sign_count', k.sign_count, 'transports', k.transports, 'aaguid', k.aaguid, 'backup_eligible', k.backup_eligible,
    'backed_up', k.backed_up, 'handle', a.handle)
  FROM postern.security_key k JOIN postern.account a ON a.user_id = k.user_id
  WHERE k.credential_id = decode($1, 'hex')
)::text, 'null')";

/// Keeps a challenge: id, user or null, address or null, digest, state.
pub(super) const CREATE_CHALLENGE: &str = "
INSERT INTO postern.ticket (id, purpose, user_id, email, digest, state, expires_at)
SELECT $3::uuid, 'webauthn', $4, $5, decode($6, 'hex'), $7::jsonb, now() + interval '5 minutes'
FROM (SELECT $1::text, $2::text) origin
RETURNING purpose";

/// Takes a challenge, which can be done once: digest.
pub(super) const TAKE_CHALLENGE: &str = "
WITH taken AS (
  DELETE FROM postern.ticket t
  WHERE t.digest = decode($3, 'hex') AND t.purpose = 'webauthn' AND t.used_at IS NULL AND t.expires_at > now()
  RETURNING t.email, t.state
)
SELECT coalesce((
  SELECT json_build_object('email', t.email, 'state', t.state) FROM taken t
)::text, 'null') FROM (SELECT $1::text, $2::text) origin";

/// Adds a key to a user: user, the key as JSON, the most keys of a user, the session, the mail that
/// says so. Of a user who has as many no row is returned. Runs after
/// [`super::statements::LOCK_ACCOUNT`].
pub(super) const ADD_KEY: &str = "
WITH added AS MATERIALIZED (
  SELECT postern.add_security_key($3, $4::jsonb) AS user_id
  WHERE (SELECT count(*) FROM postern.security_key k WHERE k.user_id = $3) < $5::int8
), audited AS (
  INSERT INTO postern.authentication_event (address, request_id, event, outcome, user_id, session_id, method)
  SELECT $1, $2, 'factor-added', 'success', a.user_id, $6::uuid, 'passkey' FROM added a
)
SELECT postern.enqueue_event('accounts.mail', $7::json, 'webhook')::text FROM added";

/// Removes the keys, and unlinks the providers, of a user who sets another password by mail:
/// whoever had a session or an unproved address may have added them. With a second factor, keys
/// were added by people who have shown it, but for those from before the proof of the address. Keys
/// that are the second factor stay: the user. Runs after [`super::statements::LOCK_ACCOUNT`].
pub(super) const REMOVE_DOUBTFUL_KEYS: &str = "
WITH removed AS (
  DELETE FROM postern.security_key k USING postern.account a
  WHERE k.user_id = $3 AND a.user_id = $3 AND a.second_factor IS DISTINCT FROM 'webauthn' AND (a.second_factor IS NULL
    OR k.created_at <= (SELECT v.verified_at FROM postern.verified_email v WHERE v.user_id = $3))
  RETURNING k.user_id
), unlinked AS (
  DELETE FROM postern.external_identity i USING postern.account a
  WHERE i.user_id = $3 AND a.user_id = $3 AND a.second_factor IS NULL
), audited AS (
  INSERT INTO postern.authentication_event (address, request_id, event, outcome, user_id, method)
  SELECT DISTINCT $1, $2, 'factor-removed', 'success', r.user_id, 'passkey' FROM removed r
)
SELECT 'removed'";

/// Removes a key: its id, the user, the session, whether the person has another way to sign in, the
/// mail that says so. Ends the other sessions and all tickets of the user. Returns `removed`,
/// `unknown`, or `last` if it is the last way in, or the last key while keys are the second factor.
/// Runs after [`super::statements::LOCK_ACCOUNT`].
pub(super) const REMOVE_KEY: &str = "
WITH judged AS (
  SELECT CASE
    WHEN NOT EXISTS (SELECT FROM postern.security_key k WHERE k.id = $3::uuid AND k.user_id = $4) THEN 'unknown'
    WHEN EXISTS (SELECT FROM postern.security_key k WHERE k.id <> $3::uuid AND k.user_id = $4) THEN 'removed'
    WHEN EXISTS (SELECT FROM postern.account a WHERE a.user_id = $4 AND a.second_factor = 'webauthn') THEN 'last'
    WHEN $6::boolean THEN 'removed'
    ELSE 'last' END AS outcome
), removed AS (
  DELETE FROM postern.security_key k USING judged j WHERE j.outcome = 'removed' AND k.id = $3::uuid AND k.user_id = $4
  RETURNING k.user_id
), account AS (
  UPDATE postern.account a SET generation = a.generation + 1 FROM removed r WHERE a.user_id = r.user_id
), ended AS (
  UPDATE postern.session s SET revoked_at = now() FROM removed r
  WHERE s.user_id = r.user_id AND s.id <> $5::uuid AND s.revoked_at IS NULL
), void AS (
  UPDATE postern.ticket t SET used_at = now() FROM removed r WHERE t.user_id = r.user_id AND t.used_at IS NULL
), audited AS (
  INSERT INTO postern.authentication_event (address, request_id, event, outcome, user_id, session_id, method)
  SELECT $1, $2, 'factor-removed', 'success', r.user_id, $5::uuid, 'passkey' FROM removed r
), noticed AS (
  SELECT postern.enqueue_event('accounts.mail', $7::json, 'webhook') FROM removed
)
SELECT j.outcome FROM judged j LEFT JOIN noticed ON true";

/// Removes all factors of a user who has lost them: the user, the mail that says so or null. A key
/// may be lost with the second factor, so that all go. Ends all sessions and tickets of the user.
/// Runs after [`super::statements::LOCK_ACCOUNT`].
pub(super) const RESET_FACTORS: &str = "
WITH former AS (
  SELECT a.second_factor FROM postern.account a WHERE a.user_id = $3
), account AS (
  UPDATE postern.account a SET second_factor = NULL, generation = a.generation + 1 WHERE a.user_id = $3
), secret AS (
  DELETE FROM postern.totp t WHERE t.user_id = $3 RETURNING 1
), codes AS (
  DELETE FROM postern.recovery_code c WHERE c.user_id = $3 RETURNING 1
), keys AS (
  DELETE FROM postern.security_key k WHERE k.user_id = $3 RETURNING 1
), ended AS (
  UPDATE postern.session s SET revoked_at = now() WHERE s.user_id = $3 AND s.revoked_at IS NULL RETURNING 1
), void AS (
  UPDATE postern.ticket t SET used_at = now() WHERE t.user_id = $3 AND t.used_at IS NULL
), audited AS (
  INSERT INTO postern.authentication_event (address, request_id, event, outcome, reason, user_id, method)
  SELECT $1, $2, 'factor-removed', 'success', 'operator', $3, f.second_factor FROM former f
), noticed AS (
  SELECT postern.enqueue_event('accounts.mail', $4::json, 'webhook') FROM (SELECT) one WHERE $4::json IS NOT NULL
)
SELECT json_build_object('apps', (SELECT count(*) FROM secret), 'recovery_codes', (SELECT count(*) FROM codes),
  'keys', (SELECT count(*) FROM keys), 'sessions', (SELECT count(*) FROM ended))::text
FROM (SELECT) one LEFT JOIN noticed ON true";

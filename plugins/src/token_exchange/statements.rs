//! The SQL statements of the token exchange. Each statement that changes something inserts its
//! audit row as well, so that every change is recorded. The first two parameters of those
//! statements are the client's address and the request id.
//!
//! A refresh token is exchanged by `UPDATE … WHERE rotated_at IS NULL`: of several concurrent
//! exchanges the first gets the row's lock, and the others find the token used. A family of tokens
//! is one row (`postern.session`), so ending it is final even while a successor is issued. The user
//! is looked up and the access token is signed before the old token is marked, so a failure of
//! either costs no session.

/// Finds a personal access token by its digest, with its state and its remaining seconds; null if
/// it never expires.
pub(super) const FIND_PERSONAL: &str = "
SELECT coalesce((
  SELECT json_build_object('id', t.id, 'user', t.user_id, 'roles', t.roles, 'state', CASE
           WHEN t.revoked_at IS NOT NULL THEN 'revoked' WHEN t.expires_at <= now() THEN 'expired' ELSE 'good' END,
           'left', CASE WHEN isfinite(t.expires_at)
           THEN greatest(floor(extract(epoch FROM t.expires_at - now())), 0)::int8 END)
  FROM postern.personal_access_token t WHERE t.digest = decode($1, 'hex')
)::text, 'null')";

/// Inserts only an audit row: event, outcome, reason, user, token.
pub(super) const TELL: &str = "
INSERT INTO postern.authentication_event (address, request_id, event, outcome, reason, user_id, token_id)
VALUES ($1, $2, $3, $4, $5, $6, $7::uuid)
RETURNING event";

/// Inserts only an audit row of a sign-in: user, audience.
pub(super) const TELL_SIGN_IN: &str = "
INSERT INTO postern.authentication_event (address, request_id, event, outcome, user_id, audience)
VALUES ($1, $2, 'sign-in', 'success', $3, $4)
RETURNING event";

/// Signs in: session, user, personal access token, refresh token, its digest, its seconds, what the
/// program calls itself.
/// `last_used_at` is updated at most once a minute, and skipped if another transaction has locked
/// the row. The refresh token expires no later than the personal access token. If that token was
/// revoked or expired after it was found, no row is returned: a revocation waits for the `FOR
/// SHARE` locks of earlier sign-ins and prevents later ones.
pub(super) const SIGN_IN: &str = "
WITH token AS (
  SELECT t.id, t.expires_at FROM postern.personal_access_token t
  WHERE t.id = $5::uuid AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > now())
  FOR SHARE
), used AS (
  UPDATE postern.personal_access_token SET last_used_at = now()
  WHERE id = (SELECT t.id FROM token JOIN postern.personal_access_token t ON t.id = token.id
              WHERE (t.last_used_at IS NULL OR t.last_used_at < now() - interval '1 minute')
              FOR NO KEY UPDATE OF t SKIP LOCKED)
), session AS (
  INSERT INTO postern.session (id, user_id, personal_access_token_id, address, user_agent)
  SELECT $3::uuid, $4, t.id, $1, $9 FROM token t
), issued AS (
  INSERT INTO postern.refresh_token (id, session_id, digest, expires_at)
  SELECT $6::uuid, $3::uuid, decode($7, 'hex'), least(now() + make_interval(secs => $8::float8), t.expires_at) FROM token t
)
INSERT INTO postern.authentication_event (address, request_id, event, outcome, user_id, token_id, session_id)
SELECT $1, $2, 'sign-in', 'success', $4, t.id, $3::uuid FROM token t
RETURNING event";

/// Finds a refresh token that can be exchanged by its digest, with the remaining seconds of its
/// personal access token.
pub(super) const FIND_REFRESH: &str = "
SELECT coalesce((
  SELECT json_build_object('user', s.user_id, 'roles', p.roles,
           'left', CASE WHEN isfinite(p.expires_at)
           THEN greatest(floor(extract(epoch FROM p.expires_at - now())), 0)::int8 END,
           'sign_in', CASE WHEN s.methods IS NOT NULL THEN json_build_object(
             'session', s.id, 'methods', s.methods, 'at', floor(extract(epoch FROM s.created_at))::int8) END)
  FROM postern.refresh_token t
  JOIN postern.session s ON s.id = t.session_id
  LEFT JOIN postern.personal_access_token p ON p.id = s.personal_access_token_id
  WHERE t.digest = decode($1, 'hex') AND t.rotated_at IS NULL AND t.expires_at > now() AND s.revoked_at IS NULL
    AND p.revoked_at IS NULL
)::text, 'null')";

/// Whether a session is one that a person has opened and that was not ended: its id, the user.
pub(super) const FIND_SESSION: &str = "
SELECT json_build_object('holds', EXISTS (
  SELECT FROM postern.session s
  WHERE s.id = $1::uuid AND s.user_id = $2 AND s.methods IS NOT NULL AND s.revoked_at IS NULL))::text";

/// Whether a user has a second factor or a security key: the user.
pub(super) const HAS_FACTOR: &str = "
SELECT (EXISTS (SELECT FROM postern.account a WHERE a.user_id = $1 AND a.second_factor IS NOT NULL)
  OR EXISTS (SELECT FROM postern.security_key k WHERE k.user_id = $1))::text";

/// Rotates a refresh token: digest, the next token's id, digest and seconds. Of concurrent requests
/// the first locks the row, and the others find the token rotated. Returns the number of rotated
/// tokens.
pub(super) const ROTATE: &str = "
WITH rotated AS (
  UPDATE postern.refresh_token t SET rotated_at = now()
  FROM postern.session s LEFT JOIN postern.personal_access_token p ON p.id = s.personal_access_token_id
  WHERE t.digest = decode($3, 'hex') AND t.rotated_at IS NULL AND t.expires_at > now()
    AND s.id = t.session_id AND s.revoked_at IS NULL AND p.revoked_at IS NULL
  RETURNING t.session_id, s.user_id, p.expires_at
), issued AS (
  INSERT INTO postern.refresh_token (id, session_id, digest, expires_at)
  SELECT $4::uuid, r.session_id, decode($5, 'hex'), least(now() + make_interval(secs => $6::float8), r.expires_at) FROM rotated r
), used AS (
  UPDATE postern.session s SET last_used_at = now() FROM rotated r WHERE s.id = r.session_id
), recorded AS (
  INSERT INTO postern.authentication_event (address, request_id, event, outcome, user_id, token_id, session_id)
  SELECT $1, $2, 'refresh', 'success', r.user_id, $4::uuid, r.session_id FROM rotated r
)
SELECT count(*)::text FROM rotated";

/// Rejects a refresh token that cannot be exchanged, by its digest and the grace period in seconds:
/// if it was rotated longer ago, it or its successor was stolen, so its session ends. Returns the
/// reason.
pub(super) const REFUSE_REFRESH: &str = "
WITH found AS (
  SELECT t.id, t.session_id, s.user_id, CASE
           WHEN s.revoked_at IS NOT NULL OR p.revoked_at IS NOT NULL THEN 'revoked'
           WHEN t.rotated_at < now() - make_interval(secs => $4::float8) THEN 'reused'
           WHEN t.rotated_at IS NOT NULL THEN 'rotated'
           WHEN t.expires_at <= now() THEN 'expired'
           ELSE 'no-user' END AS reason
  FROM postern.refresh_token t
  JOIN postern.session s ON s.id = t.session_id
  LEFT JOIN postern.personal_access_token p ON p.id = s.personal_access_token_id
  WHERE t.digest = decode($3, 'hex')
), ended AS (
  UPDATE postern.session s SET revoked_at = now()
  FROM found f WHERE f.reason = 'reused' AND s.id = f.session_id AND s.revoked_at IS NULL
)
INSERT INTO postern.authentication_event (address, request_id, event, outcome, reason, user_id, token_id, session_id)
SELECT $1, $2, CASE f.reason WHEN 'reused' THEN 'reuse' ELSE 'refresh' END, 'failure', coalesce(f.reason, 'unknown'),
       f.user_id, f.id, f.session_id
FROM (SELECT) one LEFT JOIN found f ON true
RETURNING reason";

/// Ends the session of a refresh token, by its digest.
pub(super) const SIGN_OUT: &str = "
WITH found AS (
  SELECT t.id, t.session_id, s.user_id
  FROM postern.refresh_token t JOIN postern.session s ON s.id = t.session_id WHERE t.digest = decode($3, 'hex')
), ended AS (
  UPDATE postern.session s SET revoked_at = now() FROM found f WHERE s.id = f.session_id AND s.revoked_at IS NULL
)
INSERT INTO postern.authentication_event (address, request_id, event, outcome, reason, user_id, token_id, session_id)
SELECT $1, $2, 'sign-out', CASE WHEN f.id IS NULL THEN 'failure' ELSE 'success' END, CASE WHEN f.id IS NULL THEN 'unknown' END,
       f.user_id, f.id, f.session_id
FROM (SELECT) one LEFT JOIN found f ON true
RETURNING outcome";

/// Ends all sessions of a user.
pub(super) const SIGN_OUT_EVERYWHERE: &str = "
WITH ended AS (
  UPDATE postern.session SET revoked_at = now() WHERE user_id = $3 AND revoked_at IS NULL
)
INSERT INTO postern.authentication_event (address, request_id, event, outcome, reason, user_id)
VALUES ($1, $2, 'sign-out', 'success', 'everywhere', $3)
RETURNING outcome";

/// Waits until no other transaction creates a personal access token for the user. What is counted
/// after it in the same transaction stays correct until the end of the transaction;
/// `postern.create_personal_access_token` takes the same lock. The first two parameters are those
/// of every statement that writes.
pub(super) const LOCK_USER: &str = "
SELECT pg_advisory_xact_lock(hashtextextended('postern.personal_access_token ' || $3, 0))
FROM (SELECT $1::text, $2::text) origin";

/// Creates a personal access token: its id, user, name, roles as a Postgres array or null, digest,
/// and its expiry as a time or in days; both null for none. The last parameter is true if the user
/// creates it: then it must expire within ten years, and a user may have at most a hundred. Runs
/// after [`LOCK_USER`]. Returns `made`, or why it was not created: `past`, `late`, `many`.
pub(super) const CREATE_PERSONAL: &str = "
WITH asked AS (
  SELECT coalesce($8::timestamptz, now() + make_interval(days => $9::int4)) AS expires_at, (
           SELECT count(*) FROM postern.personal_access_token t
           WHERE t.user_id = $4 AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > now())) AS held
), judged AS (
  SELECT a.expires_at, CASE
           WHEN NOT $10::boolean THEN 'made'
           WHEN a.expires_at <= now() THEN 'past'
           WHEN (a.expires_at <= now() + interval '3650 days') IS NOT TRUE THEN 'late'
           WHEN a.held >= 100 THEN 'many'
           ELSE 'made' END AS outcome
  FROM asked a
), made AS (
  INSERT INTO postern.personal_access_token (id, user_id, name, roles, digest, expires_at)
  SELECT $3::uuid, $4, $5, $6::text[], decode($7, 'hex'), j.expires_at FROM judged j WHERE j.outcome = 'made'
), recorded AS (
  INSERT INTO postern.authentication_event (address, request_id, event, outcome, user_id, token_id)
  SELECT $1, $2, 'token-created', 'success', $4, $3::uuid FROM judged j WHERE j.outcome = 'made'
)
SELECT outcome FROM judged";

/// Revokes a personal access token by its id. Returns the number of revoked tokens.
pub(super) const REVOKE_PERSONAL: &str = "
WITH revoked AS (
  UPDATE postern.personal_access_token SET revoked_at = now() WHERE id = $3::uuid AND revoked_at IS NULL RETURNING id, user_id
), recorded AS (
  INSERT INTO postern.authentication_event (address, request_id, event, outcome, user_id, token_id)
  SELECT $1, $2, 'token-revoked', 'success', r.user_id, r.id FROM revoked r
)
SELECT count(*)::text FROM revoked";

/// Lists all personal access tokens as JSON, or those of one user.
pub(super) const LIST_PERSONAL: &str = "
SELECT coalesce(json_agg(json_build_object(
         'id', t.id, 'user_id', t.user_id, 'name', t.name, 'roles', t.roles, 'created_at', t.created_at,
         'expires_at', t.expires_at, 'last_used_at', t.last_used_at, 'revoked_at', t.revoked_at) ORDER BY t.created_at, t.id), '[]')::text
FROM postern.personal_access_token t WHERE $1::text IS NULL OR t.user_id = $1";

/// Removes refresh tokens that expired more than an hour ago, and sessions without any, up to a
/// thousand of each. Returns the number of removed tokens.
pub(super) const SWEEP: &str = "
WITH old AS (
  DELETE FROM postern.refresh_token WHERE id IN (
    SELECT t.id FROM postern.refresh_token t WHERE t.expires_at < now() - interval '1 hour'
    ORDER BY t.expires_at LIMIT 1000 FOR UPDATE SKIP LOCKED)
  RETURNING 1
), empty AS (
  DELETE FROM postern.session WHERE id IN (
    SELECT s.id FROM postern.session s
    WHERE s.created_at < now() - interval '1 hour'
      AND NOT EXISTS (SELECT FROM postern.refresh_token t WHERE t.session_id = s.id)
    LIMIT 1000 FOR UPDATE SKIP LOCKED)
)
SELECT count(*)::text FROM old";

//! The statements of the token exchange. Each that changes something writes the row of the audit table with it, so that nothing
//! happens without being told. In those the first two parameters are where the request came from and its id.

/// A personal access token by its digest, how it stands, and for how many seconds yet; null for ever.
pub(super) const FIND_PERSONAL: &str = "
SELECT coalesce((
  SELECT json_build_object('id', t.id, 'user', t.user_id, 'roles', t.roles, 'state', CASE
           WHEN t.revoked_at IS NOT NULL THEN 'revoked' WHEN t.expires_at <= now() THEN 'expired' ELSE 'good' END,
           'left', CASE WHEN isfinite(t.expires_at)
           THEN greatest(floor(extract(epoch FROM t.expires_at - now())), 0)::int8 END)
  FROM postern.personal_access_token t WHERE t.digest = decode($1, 'hex')
)::text, 'null')";

/// Something that only the audit table is told: event, outcome, reason, user, token.
pub(super) const TELL: &str = "
INSERT INTO postern.authentication_event (address, request_id, event, outcome, reason, user_id, token_id)
VALUES ($1, $2, $3, $4, $5, $6, $7::uuid)
RETURNING event";

/// A sign-in: session, user, personal access token, refresh token, its digest, its seconds. When the token was last used is
/// written once a minute, and only where nobody else is about it. A session does not outlive the token. One that has ended since it
/// was found gives no row: who revokes it waits for those who came before, and nobody comes after.
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
  INSERT INTO postern.session (id, user_id, personal_access_token_id) SELECT $3::uuid, $4, t.id FROM token t
), issued AS (
  INSERT INTO postern.refresh_token (id, session_id, digest, expires_at)
  SELECT $6::uuid, $3::uuid, decode($7, 'hex'), least(now() + make_interval(secs => $8::float8), t.expires_at) FROM token t
)
INSERT INTO postern.authentication_event (address, request_id, event, outcome, user_id, token_id, session_id)
SELECT $1, $2, 'sign-in', 'success', $4, t.id, $3::uuid FROM token t
RETURNING event";

/// A refresh token by its digest, if it can be exchanged; with how many seconds its personal access token has left.
pub(super) const FIND_REFRESH: &str = "
SELECT coalesce((
  SELECT json_build_object('user', s.user_id, 'roles', p.roles,
           'left', CASE WHEN isfinite(p.expires_at)
           THEN greatest(floor(extract(epoch FROM p.expires_at - now())), 0)::int8 END)
  FROM postern.refresh_token t
  JOIN postern.session s ON s.id = t.session_id
  LEFT JOIN postern.personal_access_token p ON p.id = s.personal_access_token_id
  WHERE t.digest = decode($1, 'hex') AND t.rotated_at IS NULL AND t.expires_at > now() AND s.revoked_at IS NULL
    AND p.revoked_at IS NULL
)::text, 'null')";

/// Exchanges a refresh token for another: digest, the next one's id, digest and seconds. Of several at once the first takes the
/// row's lock, and the others find that it is used. Gives how many were exchanged.
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
), told AS (
  INSERT INTO postern.authentication_event (address, request_id, event, outcome, user_id, token_id, session_id)
  SELECT $1, $2, 'refresh', 'success', r.user_id, $4::uuid, r.session_id FROM rotated r
)
SELECT count(*)::text FROM rotated";

/// Refuses a refresh token that cannot be exchanged, by its digest and the seconds of grace: one that was used longer ago than
/// that is in the wrong hands, or its successor is, so its session ends. Gives why.
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

/// Ends every session of a user.
pub(super) const SIGN_OUT_EVERYWHERE: &str = "
WITH ended AS (
  UPDATE postern.session SET revoked_at = now() WHERE user_id = $3 AND revoked_at IS NULL
)
INSERT INTO postern.authentication_event (address, request_id, event, outcome, reason, user_id)
VALUES ($1, $2, 'sign-out', 'success', 'everywhere', $3)
RETURNING outcome";

/// Waits until no other statement makes a personal access token for that user. What is counted after it in the same transaction
/// holds until the end of the transaction; `postern.create_personal_access_token` takes the same lock. The first two
/// parameters are those of every statement that writes.
pub(super) const LOCK_USER: &str = "
SELECT pg_advisory_xact_lock(hashtextextended('postern.personal_access_token ' || $3, 0))
FROM (SELECT $1::text, $2::text) origin";

/// Makes a personal access token: its id, user, name, roles as a Postgres array or null, digest, and when it ends or after how
/// many days; both null for never. The last says whether its user makes it: then it ends within ten years, and is one of a hundred
/// at most. Runs after [`LOCK_USER`]. Gives `made`, or why it was not: `late`, `many`.
pub(super) const CREATE_PERSONAL: &str = "
WITH asked AS (
  SELECT coalesce($8::timestamptz, now() + make_interval(days => $9::int4)) AS expires_at, (
           SELECT count(*) FROM postern.personal_access_token t
           WHERE t.user_id = $4 AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > now())) AS held
), judged AS (
  SELECT a.expires_at, CASE
           WHEN NOT $10::boolean THEN 'made'
           WHEN (a.expires_at <= now() + interval '3650 days') IS NOT TRUE THEN 'late'
           WHEN a.held >= 100 THEN 'many'
           ELSE 'made' END AS outcome
  FROM asked a
), made AS (
  INSERT INTO postern.personal_access_token (id, user_id, name, roles, digest, expires_at)
  SELECT $3::uuid, $4, $5, $6::text[], decode($7, 'hex'), j.expires_at FROM judged j WHERE j.outcome = 'made'
), told AS (
  INSERT INTO postern.authentication_event (address, request_id, event, outcome, user_id, token_id)
  SELECT $1, $2, 'token-created', 'success', $4, $3::uuid FROM judged j WHERE j.outcome = 'made'
)
SELECT outcome FROM judged";

/// Revokes a personal access token by its id. Gives how many were.
pub(super) const REVOKE_PERSONAL: &str = "
WITH revoked AS (
  UPDATE postern.personal_access_token SET revoked_at = now() WHERE id = $3::uuid AND revoked_at IS NULL RETURNING id, user_id
), told AS (
  INSERT INTO postern.authentication_event (address, request_id, event, outcome, user_id, token_id)
  SELECT $1, $2, 'token-revoked', 'success', r.user_id, r.id FROM revoked r
)
SELECT count(*)::text FROM revoked";

/// All personal access tokens as JSON, or those of one user.
pub(super) const LIST_PERSONAL: &str = "
SELECT coalesce(json_agg(json_build_object(
         'id', t.id, 'user_id', t.user_id, 'name', t.name, 'roles', t.roles, 'created_at', t.created_at,
         'expires_at', t.expires_at, 'last_used_at', t.last_used_at, 'revoked_at', t.revoked_at) ORDER BY t.created_at, t.id), '[]')::text
FROM postern.personal_access_token t WHERE $1::text IS NULL OR t.user_id = $1";

/// Removes refresh tokens that ended a while ago, and sessions without any, some at a time. Gives how many tokens there were.
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

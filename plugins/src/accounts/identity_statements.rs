//! The SQL statements of other providers. As in [`super::statements`], the first two parameters of
//! those that write are the client's address and the request id, and each inserts its audit row.

/// Begins a sign-in at a provider: id, digest of the state, digest of the cookie, the user who
/// links or null, what the sign-in is for.
pub(super) const BEGIN: &str = "
INSERT INTO postern.ticket (id, purpose, digest, browser, user_id, state, expires_at)
SELECT $3::uuid, 'oauth', decode($4, 'hex'), decode($5, 'hex'), $6, $7::jsonb, now() + interval '10 minutes'
FROM (SELECT $1::text, $2::text) origin
RETURNING purpose";

/// Takes what was begun, which can be done once: digest of the state, digest of the cookie, the
/// provider. What another browser or provider has begun stays.
pub(super) const TAKE: &str = "
WITH taken AS (
  DELETE FROM postern.ticket t
  WHERE t.digest = decode($3, 'hex') AND t.purpose = 'oauth' AND t.used_at IS NULL AND t.expires_at > now()
    AND t.browser = decode($4, 'hex') AND t.state ->> 'provider' = $5
  RETURNING t.user_id, t.state
)
SELECT coalesce((SELECT json_build_object('user', t.user_id, 'attempt', t.state) FROM taken t)::text, 'null')
FROM (SELECT $1::text, $2::text) origin";

/// Finds the user of an identity: issuer, subject.
pub(super) const FIND_IDENTITY: &str = "
SELECT coalesce((
  SELECT to_json(i.user_id) FROM postern.external_identity i WHERE i.issuer = $1 AND i.subject = $2
)::text, 'null')";

/// Uses an identity: issuer, subject, user, address, sealed tokens or null. One that was unlinked
/// meanwhile undoes the transaction as a ticket does that holds no longer.
pub(super) const USE_IDENTITY: &str = "
WITH used AS (
  UPDATE postern.external_identity i SET last_used_at = now(), email = coalesce($6, i.email),
    tokens = coalesce(decode($7, 'hex'), i.tokens)
  WHERE i.issuer = $3 AND i.subject = $4 AND i.user_id = $5
  RETURNING 1
)
SELECT CASE WHEN EXISTS (SELECT FROM used) THEN 'used' ELSE postern.use_ticket(NULL) END
FROM (SELECT $1::text, $2::text) origin";

/// Links an identity to a user: issuer, subject, user, provider, address, sealed tokens or null,
/// the method. Runs after [`super::statements::LOCK_ACCOUNT`].
pub(super) const LINK_IDENTITY: &str = "
WITH linked AS (
  INSERT INTO postern.external_identity (issuer, subject, user_id, provider, email, tokens, last_used_at)
  VALUES ($3, $4, $5, $6, $7, decode($8, 'hex'), now())
)
INSERT INTO postern.authentication_event (address, request_id, event, outcome, user_id, method)
VALUES ($1, $2, 'identity-linked', 'success', $5, $9)
RETURNING event";

/// The identities of a user, oldest first: the user.
pub(super) const LIST_IDENTITIES: &str = "
SELECT coalesce(json_agg(json_build_object('id', i.id, 'provider', i.provider, 'email', i.email, 'linkedAt', i.linked_at)
  ORDER BY i.linked_at, i.id), '[]')::text
FROM postern.external_identity i WHERE i.user_id = $1";

/// Unlinks an identity: its id, the user, the session, whether the person has another way to sign
/// in, the mail that says so, the providers of the settings as an array. Ends the other sessions
/// and all tickets of the user. Returns `removed`, `unknown`, or `last` if it is the last way in.
/// Runs after [`super::statements::LOCK_ACCOUNT`].
pub(super) const UNLINK_IDENTITY: &str = "
WITH judged AS (
  SELECT CASE
    WHEN NOT EXISTS (SELECT FROM postern.external_identity i WHERE i.id = $3::uuid AND i.user_id = $4) THEN 'unknown'
    WHEN $6::boolean OR EXISTS (
      SELECT FROM postern.external_identity i WHERE i.id <> $3::uuid AND i.user_id = $4 AND i.provider = ANY ($8::text[])) THEN 'removed'
    ELSE 'last' END AS outcome
), removed AS (
  DELETE FROM postern.external_identity i USING judged j WHERE j.outcome = 'removed' AND i.id = $3::uuid AND i.user_id = $4
  RETURNING i.user_id, i.provider
), account AS (
  UPDATE postern.account a SET generation = a.generation + 1 FROM removed r WHERE a.user_id = r.user_id
), ended AS (
  UPDATE postern.session s SET revoked_at = now() FROM removed r
  WHERE s.user_id = r.user_id AND s.id <> $5::uuid AND s.revoked_at IS NULL
), void AS (
  UPDATE postern.ticket t SET used_at = now() FROM removed r WHERE t.user_id = r.user_id AND t.used_at IS NULL
), audited AS (
  INSERT INTO postern.authentication_event (address, request_id, event, outcome, user_id, session_id, method)
  SELECT $1, $2, 'identity-unlinked', 'success', r.user_id, $5::uuid, 'oidc:' || r.provider FROM removed r
), noticed AS (
  SELECT postern.enqueue_event('accounts.mail', $7::json, 'webhook') FROM removed
)
SELECT j.outcome FROM judged j LEFT JOIN noticed ON true";

/// Takes the sealed tokens of a provider, which can be done once: user, provider.
pub(super) const TAKE_TOKENS: &str = "
WITH kept AS (
  SELECT i.id, i.tokens FROM postern.external_identity i
  WHERE i.user_id = $3 AND i.provider = $4 AND i.tokens IS NOT NULL
  ORDER BY i.last_used_at DESC LIMIT 1 FOR UPDATE
), taken AS (
  UPDATE postern.external_identity i SET tokens = NULL FROM kept k WHERE i.id = k.id
)
SELECT to_json(encode(k.tokens, 'hex'))::text FROM kept k, (SELECT $1::text, $2::text) origin";

/// Makes a code that is exchanged for a session once, within a minute: id, user, the generation of
/// the account or null for any, digest, what was shown, and whether that is enough for somebody who
/// has a second factor. Else no row is returned.
pub(super) const CREATE_HANDOVER: &str = "
WITH account AS (
  SELECT a.user_id FROM postern.account a
  WHERE a.user_id = $4 AND ($5::int4 IS NULL OR a.generation = $5::int4) AND ($8::boolean OR a.second_factor IS NULL)
  FOR NO KEY UPDATE
)
INSERT INTO postern.ticket (id, purpose, user_id, digest, state, expires_at)
SELECT $3::uuid, 'handover', a.user_id, decode($6, 'hex'), $7::jsonb, now() + interval '1 minute'
FROM account a, (SELECT $1::text, $2::text) origin
RETURNING purpose";

/// Takes such a code: digest.
pub(super) const TAKE_HANDOVER: &str = "
WITH taken AS (
  DELETE FROM postern.ticket t
  WHERE t.digest = decode($3, 'hex') AND t.purpose = 'handover' AND t.used_at IS NULL AND t.expires_at > now()
  RETURNING t.state
)
SELECT coalesce((SELECT t.state FROM taken t)::text, 'null') FROM (SELECT $1::text, $2::text) origin";

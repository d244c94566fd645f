-- Second factors and passkeys: what people sign in with beside a password or a mail.

ALTER TABLE postern.account
  ADD COLUMN second_factor text CHECK (second_factor IN ('totp', 'webauthn')),
  ADD COLUMN handle uuid NOT NULL DEFAULT gen_random_uuid() UNIQUE;
COMMENT ON COLUMN postern.account.second_factor IS
  'What every sign-in asks for in addition: a code of an authenticator app, or a security key; null: nothing.';
COMMENT ON COLUMN postern.account.handle IS 'The user as passkeys know it: it says nothing about the person.';

CREATE TABLE postern.totp (
  user_id      text        PRIMARY KEY,
  secret       bytea       NOT NULL,
  confirmed_at timestamptz,
  last_step    bigint      NOT NULL DEFAULT 0
);
COMMENT ON TABLE postern.totp IS 'The secret that a user''s authenticator app has.';
COMMENT ON COLUMN postern.totp.secret IS 'Sealed by AES-256-GCM with the key of the settings, for this user alone.';
COMMENT ON COLUMN postern.totp.confirmed_at IS 'When the first code of the app arrived; before that the secret counts for nothing.';
COMMENT ON COLUMN postern.totp.last_step IS 'The time step of the last code that was used, so that none works twice.';

CREATE TABLE postern.recovery_code (
  user_id text        NOT NULL,
  digest  bytea       NOT NULL CHECK (length(digest) = 32),
  used_at timestamptz,
  PRIMARY KEY (user_id, digest)
);
COMMENT ON TABLE postern.recovery_code IS 'What a person uses who has lost the second factor; each code works once.';
COMMENT ON COLUMN postern.recovery_code.digest IS 'SHA-256 of the code, which has 80 random bits.';

CREATE TABLE postern.security_key (
  id              uuid        PRIMARY KEY DEFAULT gen_random_uuid(),
  user_id         text        NOT NULL,
  credential_id   bytea       NOT NULL UNIQUE,
  public_key      bytea       NOT NULL,
  sign_count      bigint      NOT NULL,
  transports      text[]      NOT NULL DEFAULT '{}',
  aaguid          uuid        NOT NULL,
  backup_eligible boolean     NOT NULL,
  backed_up       boolean     NOT NULL,
  nickname        text,
  created_at      timestamptz NOT NULL DEFAULT now(),
  last_used_at    timestamptz
);
CREATE INDEX ON postern.security_key (user_id);
COMMENT ON TABLE postern.security_key IS 'Passkeys and security keys of users.';
COMMENT ON COLUMN postern.security_key.public_key IS 'A COSE key, as the authenticator has sent it.';
COMMENT ON COLUMN postern.security_key.backup_eligible IS 'Whether the passkey may be on several devices; those have no counter that can be relied on.';

ALTER TABLE postern.ticket
  DROP CONSTRAINT ticket_purpose_check,
  ADD CONSTRAINT ticket_purpose_check
    CHECK (purpose IN ('verify', 'change', 'reset', 'link', 'code', 'elevate', 'mfa', 'webauthn')),
  ALTER COLUMN user_id DROP NOT NULL,
  ALTER COLUMN email DROP NOT NULL,
  ADD COLUMN state jsonb;
DROP INDEX postern.ticket_lower_idx;
CREATE INDEX ON postern.ticket (lower(email)) WHERE used_at IS NULL AND purpose IN ('code', 'elevate');
COMMENT ON TABLE postern.ticket IS
  'What a person has got to go on with: a link or a code in a mail, a second factor to show, a challenge for a passkey. Each works once.';
COMMENT ON COLUMN postern.ticket.digest IS
  'SHA-256 of a link, of a ticket for a second factor, or of a challenge; HMAC-SHA-256 of a code, which is too short to be hashed without a key.';
COMMENT ON COLUMN postern.ticket.state IS 'How the person has signed in so far, or what the challenge is for.';
COMMENT ON COLUMN postern.session.methods IS
  'How the person signed in, as in the claim amr: pwd, link, otp, hwk, user, rec; null for a personal access token.';
COMMENT ON COLUMN postern.authentication_event.method IS
  'How the person signed in or up, or which factor was meant: password, link, code, passkey, totp, webauthn, recovery-code.';

-- Requires that a factor works that a person has shown; else the transaction of what it allows is undone.
CREATE FUNCTION postern.require_factor(works boolean) RETURNS text
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  IF works IS NOT TRUE THEN
    RAISE EXCEPTION 'the factor works no longer' USING ERRCODE = 'PN001';
  END IF;
  RETURN 'works';
END $$;
-- Adds a key to a user: its columns as JSON, bytes as hexadecimal digits.
CREATE FUNCTION postern.add_security_key(user_id text, key jsonb) RETURNS text
LANGUAGE sql SET search_path = pg_catalog, pg_temp AS $$
  INSERT INTO postern.security_key (user_id, id, credential_id, public_key, sign_count, transports, aaguid, backup_eligible,
    backed_up, nickname)
  SELECT add_security_key.user_id, k.id, decode(k.credential_id, 'hex'), decode(k.public_key, 'hex'), k.sign_count,
    k.transports, k.aaguid, k.backup_eligible, k.backed_up, k.nickname
  FROM jsonb_to_record(key) AS k (id uuid, credential_id text, public_key text, sign_count bigint, transports text[],
    aaguid uuid, backup_eligible boolean, backed_up boolean, nickname text)
  RETURNING user_id
$$;
REVOKE ALL ON FUNCTION postern.require_factor, postern.add_security_key FROM PUBLIC;

-- Accounts: what people sign in with. Who they are stays in the tables of the database's owner; here are the secrets, as hashes,
-- and what is known of the pair of a user and an address.

CREATE TABLE postern.account (
  user_id         text        PRIMARY KEY,
  generation      int         NOT NULL DEFAULT 0,
  is_contested    boolean     NOT NULL DEFAULT false,
  created_at      timestamptz NOT NULL DEFAULT now(),
  last_sign_in_at timestamptz
);
COMMENT ON TABLE postern.account IS 'A user who has signed up or signed in with a credential of their own.';
COMMENT ON COLUMN postern.account.generation IS
  'Grows with each change of a credential, so that a sign-in under way with the former one opens no session.';

COMMENT ON COLUMN postern.account.is_contested IS
  'Whether somebody has signed up again before the address was verified: then nobody knows whose the password is.';

CREATE TABLE postern.verified_email (
  user_id     text        PRIMARY KEY,
  email       text        NOT NULL,
  verified_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE postern.verified_email IS
  'The address that a user has proved to have. It counts only while it is the address that the user has.';

CREATE TABLE postern.password (
  user_id    text        PRIMARY KEY,
  hash       text        NOT NULL,
  changed_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON COLUMN postern.password.hash IS 'argon2id as a PHC string; imported ones may be bcrypt until the next sign-in.';

CREATE TABLE postern.credential_tries (
  digest bytea       PRIMARY KEY CHECK (length(digest) = 32),
  tries  int         NOT NULL,
  since  timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX ON postern.credential_tries (since);
COMMENT ON TABLE postern.credential_tries IS
  'How often passwords or codes were tried for an address within an hour, whether it has a user or not.';
COMMENT ON COLUMN postern.credential_tries.digest IS 'HMAC-SHA-256 of password or code and the address in lower case.';

CREATE TABLE postern.ticket (
  id          uuid        PRIMARY KEY DEFAULT gen_random_uuid(),
  purpose     text        NOT NULL CHECK (purpose IN ('verify', 'change', 'reset', 'link', 'code')),
  user_id     text        NOT NULL,
  email       text        NOT NULL,
  digest      bytea       NOT NULL CHECK (length(digest) = 32),
  attempts    int         NOT NULL DEFAULT 0,
  created_at  timestamptz NOT NULL DEFAULT now(),
  expires_at  timestamptz NOT NULL,
  used_at     timestamptz
);
CREATE INDEX ON postern.ticket (digest);
CREATE INDEX ON postern.ticket (user_id, created_at);
CREATE INDEX ON postern.ticket (lower(email)) WHERE used_at IS NULL AND purpose = 'code';
CREATE INDEX ON postern.ticket (expires_at);
COMMENT ON TABLE postern.ticket IS 'What was mailed to a person as a link or a code, which works once.';
COMMENT ON COLUMN postern.ticket.email IS 'The address that it was sent to, and that it proves.';
COMMENT ON COLUMN postern.ticket.digest IS 'SHA-256 of a link; HMAC-SHA-256 of a code, which is too short to be hashed without a key.';
COMMENT ON COLUMN postern.ticket.attempts IS 'How often a code was tried.';

ALTER TABLE postern.session ADD COLUMN methods text[];
COMMENT ON COLUMN postern.session.methods IS
  'How the person signed in, as in the claim amr: pwd, link, otp; null for a personal access token.';
ALTER TABLE postern.authentication_event ADD COLUMN method text;
COMMENT ON COLUMN postern.authentication_event.method IS 'How the person signed in or up: password, link or code.';

-- Uses a ticket in the transaction of what it allows: one that is unknown, used or expired undoes the transaction.
CREATE FUNCTION postern.use_ticket(id uuid) RETURNS text
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  UPDATE postern.ticket t SET used_at = now() WHERE t.id = use_ticket.id AND t.used_at IS NULL AND t.expires_at > now();
  IF NOT FOUND THEN
    RAISE EXCEPTION 'the ticket holds no longer' USING ERRCODE = 'no_data_found';
  END IF;
  RETURN 'used';
END $$;
-- Requires that a session that a person has opened still holds when a credential is changed on its proof.
CREATE FUNCTION postern.require_session(id uuid, user_id text) RETURNS text
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM FROM postern.session s
  WHERE s.id = require_session.id AND s.user_id = require_session.user_id AND s.methods IS NOT NULL AND s.revoked_at IS NULL
  FOR SHARE;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'the session has ended' USING ERRCODE = 'no_data_found';
  END IF;
  RETURN 'holds';
END $$;
REVOKE ALL ON FUNCTION postern.use_ticket, postern.require_session FROM PUBLIC;

-- Tokens: who may sign in with what, what came of it, and what became of it. Secrets are stored as SHA-256 digests alone.

CREATE TABLE postern.personal_access_token (
  id           uuid        PRIMARY KEY,
  user_id      text        NOT NULL,
  name         text        NOT NULL CONSTRAINT personal_access_token_name_length CHECK (length(name) BETWEEN 1 AND 200),
  roles        text[]      CHECK (cardinality(roles) > 0),
  digest       bytea       NOT NULL UNIQUE CHECK (length(digest) = 32),
  created_at   timestamptz NOT NULL DEFAULT now(),
  expires_at   timestamptz CONSTRAINT personal_access_token_ends_later CHECK (expires_at > created_at),
  last_used_at timestamptz,
  revoked_at   timestamptz
);
CREATE INDEX ON postern.personal_access_token (user_id);
COMMENT ON TABLE postern.personal_access_token IS 'What people and programs sign in with.';
COMMENT ON COLUMN postern.personal_access_token.roles IS 'Of the user''s roles those that it opens, the first by default; null: all.';

CREATE TABLE postern.session (
  id                       uuid        PRIMARY KEY,
  user_id                  text        NOT NULL,
  personal_access_token_id uuid        REFERENCES postern.personal_access_token ON DELETE CASCADE,
  created_at               timestamptz NOT NULL DEFAULT now(),
  revoked_at               timestamptz
);
CREATE INDEX ON postern.session (user_id);
CREATE INDEX ON postern.session (personal_access_token_id);
COMMENT ON TABLE postern.session IS 'A sign-in, and the family of refresh tokens that came of it.';

CREATE TABLE postern.refresh_token (
  id         uuid        PRIMARY KEY,
  session_id uuid        NOT NULL REFERENCES postern.session ON DELETE CASCADE,
  digest     bytea       NOT NULL UNIQUE CHECK (length(digest) = 32),
  issued_at  timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  rotated_at timestamptz
);
CREATE INDEX ON postern.refresh_token (session_id);
CREATE INDEX ON postern.refresh_token (expires_at);
COMMENT ON COLUMN postern.refresh_token.rotated_at IS 'When it was exchanged for its successor.';

CREATE TABLE postern.authentication_event (
  id         bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at         timestamptz NOT NULL DEFAULT now(),
  event      text        NOT NULL,
  outcome    text        NOT NULL CHECK (outcome IN ('success', 'failure')),
  reason     text,
  user_id    text,
  token_id   uuid,
  session_id uuid,
  address    text,
  request_id text
);
CREATE INDEX ON postern.authentication_event (user_id, at);
CREATE INDEX ON postern.authentication_event (at);
COMMENT ON TABLE postern.authentication_event IS 'What happened with tokens. Rows are added, and nothing else.';

CREATE FUNCTION postern.refuse_change() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  RAISE EXCEPTION 'rows of postern.% are never changed', TG_TABLE_NAME USING ERRCODE = 'object_not_in_prerequisite_state';
END $$;
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON postern.authentication_event
  FOR EACH STATEMENT EXECUTE FUNCTION postern.refuse_change();

-- What a permission file can offer to whoever is signed in. The session comes from the gateway, never from a caller.

-- A session value, whatever the prefix is: the shortest name that ends in `role` is the prefix and `role`.
CREATE FUNCTION postern.session_value(session json, name text) RETURNS text
LANGUAGE sql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT session ->> (left(key, -length('role')) || replace(name, '_', '-'))
  FROM json_object_keys(session) AS k (key) WHERE key LIKE '%role' ORDER BY length(key) LIMIT 1
$$;

-- A session of one role makes a token for that role: it cannot prove that it may have others.
CREATE FUNCTION postern.create_personal_access_token(
  session json,
  INOUT name text,
  INOUT expires_at timestamptz DEFAULT now() + interval '90 days',
  OUT id uuid,
  OUT personal_access_token text,
  OUT created_at timestamptz
) LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  holder CONSTANT text := postern.session_value(session, 'user_id');
  holds int;
BEGIN
  SELECT count(*) INTO holds FROM postern.personal_access_token t
  WHERE t.user_id = holder AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > now());
  IF holder IS NULL OR holds >= 100 THEN
    RAISE EXCEPTION 'no user, or one with 100 tokens';
  END IF;
  id := gen_random_uuid();
  created_at := now();
  -- What these are made of comes from the system's source of randomness.
  personal_access_token := 'pat_' || rtrim(translate(encode(sha256(
    uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())), 'base64'), '+/', '-_'), '=');
  INSERT INTO postern.personal_access_token (id, user_id, name, roles, digest, created_at, expires_at)
  VALUES (id, holder, name, ARRAY[postern.session_value(session, 'role')], sha256(convert_to(personal_access_token, 'UTF8')),
          created_at, expires_at);
  INSERT INTO postern.authentication_event (event, outcome, user_id, token_id) VALUES ('token-created', 'success', holder, id);
END $$;
COMMENT ON FUNCTION postern.create_personal_access_token IS
  'A token to sign in with as the calling user, in the role of the call. It is shown here, and never again.';

CREATE FUNCTION postern.personal_access_tokens(session json)
RETURNS TABLE (
  id uuid, name text, roles text[], created_at timestamptz, expires_at timestamptz, last_used_at timestamptz, revoked_at timestamptz
) LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT t.id, t.name, t.roles, t.created_at, t.expires_at, t.last_used_at, t.revoked_at
  FROM postern.personal_access_token t
  WHERE t.user_id = postern.session_value(session, 'user_id')
  ORDER BY t.created_at DESC, t.id
$$;
COMMENT ON FUNCTION postern.personal_access_tokens IS 'The calling user''s tokens, the newest first.';

CREATE FUNCTION postern.revoke_personal_access_token(session json, id uuid) RETURNS boolean
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
DECLARE
  holder CONSTANT text := postern.session_value(session, 'user_id');
BEGIN
  UPDATE postern.personal_access_token t SET revoked_at = now()
  WHERE t.id = revoke_personal_access_token.id AND t.user_id = holder AND t.revoked_at IS NULL;
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  INSERT INTO postern.authentication_event (event, outcome, user_id, token_id)
  VALUES ('token-revoked', 'success', holder, revoke_personal_access_token.id);
  RETURN true;
END $$;
COMMENT ON FUNCTION postern.revoke_personal_access_token IS
  'Ends one of the calling user''s tokens, and the sessions that were signed in with it; false where there is none to end.';

REVOKE ALL ON ALL FUNCTIONS IN SCHEMA postern FROM PUBLIC;

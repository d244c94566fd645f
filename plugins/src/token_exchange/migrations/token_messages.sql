-- What is wrong with a token that a user asks for: a sentence with the SQLSTATE of the CHECK constraint that would refuse it.

CREATE OR REPLACE FUNCTION postern.create_personal_access_token(
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
  IF length(name) BETWEEN 1 AND 200 IS NOT TRUE THEN
    RAISE EXCEPTION 'the name of a token has 1 to 200 characters' USING ERRCODE = 'check_violation';
  END IF;
  IF expires_at <= now() THEN
    RAISE EXCEPTION 'a token expires in the future' USING ERRCODE = 'check_violation';
  END IF;
  PERFORM pg_advisory_xact_lock(hashtextextended('postern.personal_access_token ' || holder, 0));
  SELECT count(*) INTO holds FROM postern.personal_access_token t
  WHERE t.user_id = holder AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > now());
  IF holder IS NULL THEN
    RAISE EXCEPTION 'a token needs a user';
  END IF;
  IF holds >= 100 THEN
    RAISE EXCEPTION 'a user has a hundred tokens that hold at most; revoke one of them';
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

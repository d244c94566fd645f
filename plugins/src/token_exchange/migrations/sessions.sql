-- Sessions as people see them, and what happened with their account.

ALTER TABLE postern.session
  ADD COLUMN address      text,
  ADD COLUMN user_agent   text,
  ADD COLUMN last_used_at timestamptz;
COMMENT ON COLUMN postern.session.address IS 'From where the person signed in.';
COMMENT ON COLUMN postern.session.user_agent IS 'The browser or program, as it calls itself.';
COMMENT ON COLUMN postern.session.last_used_at IS 'When a refresh token of it was last exchanged.';

-- What a permission file can offer to people who are signed in, as personal access tokens.

CREATE FUNCTION postern.sessions(session json)
RETURNS TABLE (
  id uuid, created_at timestamptz, last_used_at timestamptz, methods text[], address text, user_agent text, personal_access_token_id uuid
) LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT s.id, s.created_at, s.last_used_at, s.methods, s.address, s.user_agent, s.personal_access_token_id
  FROM postern.session s
  WHERE s.user_id = postern.session_value(session, 'user_id') AND s.revoked_at IS NULL
    AND EXISTS (SELECT FROM postern.refresh_token t WHERE t.session_id = s.id AND t.rotated_at IS NULL AND t.expires_at > now())
  ORDER BY coalesce(s.last_used_at, s.created_at) DESC, s.id
$$;
COMMENT ON FUNCTION postern.sessions IS 'The calling user''s sessions that can go on, the one that was used last first.';

CREATE FUNCTION postern.revoke_session(session json, id uuid) RETURNS boolean
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  holder CONSTANT text := postern.session_value(session, 'user_id');
BEGIN
  UPDATE postern.session s SET revoked_at = now()
  WHERE s.id = revoke_session.id AND s.user_id = holder AND s.revoked_at IS NULL;
  IF NOT FOUND THEN
    RETURN false;
  END IF;
  INSERT INTO postern.authentication_event (event, outcome, reason, user_id, session_id)
  VALUES ('sign-out', 'success', 'revoked', holder, revoke_session.id);
  RETURN true;
END $$;
COMMENT ON FUNCTION postern.revoke_session IS 'Ends one of the calling user''s sessions; false where there is none to end.';

CREATE FUNCTION postern.authentication_events(session json)
RETURNS TABLE (
  id bigint, at timestamptz, event text, outcome text, method text, reason text, session_id uuid, token_id uuid, address text
) LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
  SELECT e.id, e.at, e.event, e.outcome, e.method, e.reason, e.session_id, e.token_id, e.address
  FROM postern.authentication_event e
  WHERE e.user_id = postern.session_value(session, 'user_id')
  ORDER BY e.at DESC, e.id DESC
$$;
COMMENT ON FUNCTION postern.authentication_events IS 'What happened with the calling user''s account, the newest first.';

REVOKE ALL ON FUNCTION postern.sessions, postern.revoke_session, postern.authentication_events FROM PUBLIC;

-- The functions that answer the privacy service's actions (actions.toml), loaded after the schema. Each checks by itself
-- whom the caller may act for, because a function of an action runs without row rules; an error with a SQLSTATE of `PT`
-- and an HTTP status has its message shown to the client, and undoes everything.

BEGIN;

-- ---------------------------------------------------------------------------------------------------------
-- Who may act for whom
-- ---------------------------------------------------------------------------------------------------------

CREATE FUNCTION session_edits_controller(session json, controller uuid) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT coalesce(session ->> 'x-gateway-role' = 'admin'
      OR session ->> 'x-gateway-role' = 'user' AND EXISTS (
           SELECT FROM data_controller_users m
            WHERE m.data_controller_id = controller AND m.user_id = (session ->> 'x-gateway-user-id')::uuid
              AND m.status = 'active' AND m.role IN ('Editor', 'Administrator')), false)
$$;
COMMENT ON FUNCTION session_edits_controller(json, uuid) IS 'Whether the caller may change what belongs to a controller: the rule editor_of.';

CREATE FUNCTION deny_controller() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'Access denied to data controller resources' USING ERRCODE = 'PT403';
END $$;
COMMENT ON FUNCTION deny_controller() IS 'Refuses a controller or a subject that is foreign or does not exist; the caller cannot tell which.';

-- ---------------------------------------------------------------------------------------------------------
-- createDataSubject
-- ---------------------------------------------------------------------------------------------------------

CREATE FUNCTION create_data_subject(session json, input jsonb) RETURNS json LANGUAGE plpgsql AS $$
DECLARE
  controller uuid := (input ->> 'dataControllerId')::uuid;
  subject    uuid;
BEGIN
  IF coalesce(input ->> 'event', 'data_subject.create') <> 'data_subject.create' THEN
    RAISE EXCEPTION 'the event has to be ''data_subject.create''' USING ERRCODE = 'PT400';
  END IF;
  IF NOT EXISTS (SELECT FROM data_controllers c WHERE c.id = controller) OR NOT session_edits_controller(session, controller) THEN
    PERFORM deny_controller();
  END IF;
  INSERT INTO data_subjects (data_controller_id, display_name, email, country)
  VALUES (controller, input #>> '{payload,displayName}', input #>> '{payload,email}', input #>> '{payload,country}')
  RETURNING id INTO subject;
  RETURN json_build_object('dataSubjectId', subject, 'message', 'Data subject created');
END $$;
COMMENT ON FUNCTION create_data_subject(json, jsonb) IS 'Answers the action createDataSubject.';

-- ---------------------------------------------------------------------------------------------------------
-- The consent cookie: base64url of a JSON payload, a dot, and base64url of its HMAC-SHA256
-- ---------------------------------------------------------------------------------------------------------

-- The key is made for this database and is in no file. Only the tables' owner reads it, and no role of the gateway.
CREATE TABLE consent_cookie_keys (
  id  int   PRIMARY KEY DEFAULT 1 CHECK (id = 1),
  key bytea NOT NULL CHECK (length(key) = 32)
);
COMMENT ON TABLE consent_cookie_keys IS 'The key that signs consent cookies.';
COMMENT ON COLUMN consent_cookie_keys.id IS 'Always 1: there is one key.';
COMMENT ON COLUMN consent_cookie_keys.key IS 'The key.';
INSERT INTO consent_cookie_keys (key)
SELECT decode(replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''), 'hex');

CREATE FUNCTION consent_cookie_key() RETURNS bytea LANGUAGE sql STABLE AS $$
  SELECT k.key FROM consent_cookie_keys k
$$;
COMMENT ON FUNCTION consent_cookie_key() IS 'The key that signs consent cookies: 32 bytes.';

-- Postgres has HMAC only in an extension. https://www.rfc-editor.org/rfc/rfc2104
CREATE FUNCTION hmac_sha256(message bytea, key bytea) RETURNS bytea LANGUAGE plpgsql IMMUTABLE STRICT AS $$
DECLARE
  inner_pad bytea := key || decode(repeat('00', 64 - length(key)), 'hex');
  outer_pad bytea := inner_pad;
BEGIN
  FOR i IN 0..63 LOOP
    outer_pad := set_byte(outer_pad, i, get_byte(inner_pad, i) # 92);
    inner_pad := set_byte(inner_pad, i, get_byte(inner_pad, i) # 54);
  END LOOP;
  RETURN sha256(outer_pad || sha256(inner_pad || message));
END $$;
COMMENT ON FUNCTION hmac_sha256(bytea, bytea) IS 'HMAC-SHA256 with a key of at most 64 bytes.';

CREATE FUNCTION base64url(bytes bytea) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT rtrim(translate(encode(bytes, 'base64'), E'+/\n', '-_'), '=')
$$;
COMMENT ON FUNCTION base64url(bytea) IS 'Base64 for URLs and cookies, without padding.';

CREATE FUNCTION sign_consent_cookie(payload jsonb) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT base64url(convert_to(payload::text, 'UTF8')) || '.'
      || base64url(hmac_sha256(convert_to(base64url(convert_to(payload::text, 'UTF8')), 'UTF8'), consent_cookie_key()))
$$;
COMMENT ON FUNCTION sign_consent_cookie(jsonb) IS 'Makes the value of a consent cookie.';

-- Browsers drop a cookie of more than 4,096 bytes. A longer one has the short form: of each purpose that is agreed to, 48 bits of its
-- id's digest, eight characters.
CREATE FUNCTION consent_cookie(subject uuid, controller uuid) RETURNS text LANGUAGE plpgsql STABLE AS $$
DECLARE
  issued_at bigint := floor(extract(epoch FROM now()));
  purposes  jsonb;
  agreed    text;
  cookie    text;
BEGIN
  SELECT coalesce(jsonb_object_agg(c.id, c.agrees), '{}'),
         string_agg(base64url(substring(sha256(convert_to(c.id::text, 'UTF8')) FOR 6)), '' ORDER BY c.id) FILTER (WHERE c.agrees)
    INTO purposes, agreed
    FROM (SELECT p.id, v.value = 'true' AND NOT ruled_out_by_signal(subject, p.id) AS agrees
            FROM data_subject_consent_form_values v
            JOIN data_controller_processing_purposes p ON p.id = v.data_controller_processing_purpose_id
           WHERE v.data_subject_id = subject AND p.status = 'active' AND p.consent_required) c;
  cookie := sign_consent_cookie(jsonb_build_object(
    'dataSubjectId', subject, 'dataControllerId', controller, 'purposes', purposes, 'issuedAt', issued_at));
  IF length(cookie) > 3900 THEN
    cookie := sign_consent_cookie(jsonb_build_object(
      'version', 2, 'dataControllerId', controller, 'agreed', coalesce(agreed, ''), 'issuedAt', issued_at));
  END IF;
  RETURN cookie;
END $$;
COMMENT ON FUNCTION consent_cookie(uuid, uuid) IS 'The consent cookie of a person: what the person says of each purpose that asks for consent.';

CREATE FUNCTION verify_consent_cookie(cookie text) RETURNS jsonb LANGUAGE sql STABLE AS $$
  SELECT convert_from(decode(translate(part, '-_', '+/') || repeat('=', (4 - length(part) % 4) % 4), 'base64'), 'UTF8')::jsonb
    FROM split_part(cookie, '.', 1) AS part
   WHERE sha256(convert_to(split_part(cookie, '.', 2), 'UTF8'))
       = sha256(convert_to(base64url(hmac_sha256(convert_to(part, 'UTF8'), consent_cookie_key())), 'UTF8'))
$$;
COMMENT ON FUNCTION verify_consent_cookie(text) IS 'The payload of a consent cookie; null if its signature is wrong.';
REVOKE ALL ON FUNCTION consent_cookie_key(), sign_consent_cookie(jsonb), consent_cookie(uuid, uuid), verify_consent_cookie(text) FROM PUBLIC;

-- ---------------------------------------------------------------------------------------------------------
-- upsertDataSubjectConsents
-- ---------------------------------------------------------------------------------------------------------

CREATE FUNCTION upsert_data_subject_consents(session json, data_controller_id uuid, data_subject_id uuid, purposes jsonb, form text DEFAULT 'api')
RETURNS json LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  controller ALIAS FOR $2;
  subject    ALIAS FOR $3;
  used_form  text := coalesce($5, 'api');
  caller     text := session ->> 'x-gateway-role';
  is_own     boolean := caller IN ('dataSubject', 'anonymous')
                        AND (session ->> 'x-gateway-data-subject-id')::uuid = upsert_data_subject_consents.data_subject_id;
  giver      text := CASE caller WHEN 'dataSubject' THEN 'person' WHEN 'anonymous' THEN 'visitor' WHEN 'user' THEN 'colleague' ELSE 'operator' END;
  refused    data_controller_processing_purposes;
  left_off   uuid[];
  titles     text;
  counted    int;
BEGIN
  IF jsonb_typeof(purposes) IS DISTINCT FROM 'object'
     OR EXISTS (SELECT FROM jsonb_each(purposes) p
                 WHERE jsonb_typeof(p.value) <> 'boolean' OR p.key !~ '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$') THEN
    RAISE EXCEPTION 'purposes has to map the ids of purposes to true or false' USING ERRCODE = 'PT400';
  END IF;
  IF used_form <> ALL (CASE WHEN caller IN ('dataSubject', 'anonymous') THEN ARRAY['api', 'widget'] ELSE ARRAY['api', 'dashboard', 'paper', 'telephone'] END) THEN
    RAISE EXCEPTION 'the form is api or widget, or for the team api, dashboard, paper or telephone' USING ERRCODE = 'PT400';
  END IF;
  -- A retired purpose is there only for those who have answered it, and a draft for nobody. A visitor of the widgets is a data
  -- subject only once something is chosen.
  IF NOT EXISTS (SELECT FROM data_subjects s WHERE s.id = subject AND s.data_controller_id = controller
                 UNION ALL
                 SELECT FROM widget_visitors v WHERE v.data_subject_id = subject AND v.data_controller_id = controller)
     OR NOT coalesce(is_own OR session_edits_controller(session, controller), false)
     OR EXISTS (SELECT FROM jsonb_object_keys(purposes) AS k (id)
                 WHERE NOT EXISTS (SELECT FROM data_controller_processing_purposes p
                                    WHERE p.id = k.id::uuid AND p.data_controller_id = controller
                                      AND (p.status = 'active' OR EXISTS (SELECT FROM data_subject_consent_form_values v
                                             WHERE v.data_subject_id = subject AND v.data_controller_processing_purpose_id = p.id)))) THEN
    PERFORM deny_controller();
  END IF;

  SELECT p.* INTO refused FROM data_controller_processing_purposes p JOIN jsonb_object_keys(purposes) AS k (id) ON p.id = k.id::uuid
   WHERE NOT p.consent_required ORDER BY p.position, p.id LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION 'the purpose "%" asks for no consent: its legal basis is %', refused.title, replace(refused.legal_basis, '_', ' ') USING ERRCODE = 'PT400';
  END IF;
  SELECT p.* INTO refused FROM data_controller_processing_purposes p JOIN jsonb_each_text(purposes) AS k (id, value) ON p.id = k.id::uuid
   WHERE k.value = 'true' AND p.status <> 'active' ORDER BY p.position, p.id LIMIT 1;
  IF FOUND THEN
    RAISE EXCEPTION 'the purpose "%" is no longer in use: consent to it can be withdrawn, and not be given', refused.title USING ERRCODE = 'PT400';
  END IF;

  IF purposes <> '{}' THEN
    PERFORM admit_visitor(subject);
  END IF;
  -- A signal that arrives meanwhile waits for this call.
  PERFORM FROM data_subjects s WHERE s.id = subject FOR SHARE;
  SELECT array_agg(p.id ORDER BY p.position, p.id), string_agg('"' || p.title || '"', ', ' ORDER BY p.position, p.id) INTO left_off, titles
    FROM data_controller_processing_purposes p JOIN jsonb_each_text(purposes) AS k (id, value) ON p.id = k.id::uuid
   WHERE k.value = 'true' AND ruled_out_by_signal(subject, p.id);
  -- Who asks for one purpose alone learns that it stays off; "Allow all" saves the others.
  IF left_off IS NOT NULL AND (SELECT count(*) FROM jsonb_object_keys(purposes)) = 1 THEN
    RAISE EXCEPTION 'the signal Global Privacy Control keeps the purpose % switched off', titles USING ERRCODE = 'PT400';
  END IF;
  INSERT INTO data_subject_consent_form_values AS v (data_subject_id, data_controller_processing_purpose_id, value, given_by, given_by_user_id, form)
  SELECT subject, p.key::uuid, p.value, giver, CASE giver WHEN 'colleague' THEN (session ->> 'x-gateway-user-id')::uuid END, used_form
    FROM jsonb_each_text(purposes) p WHERE left_off IS NULL OR p.key::uuid <> ALL (left_off)
  ON CONFLICT (data_subject_id, data_controller_processing_purpose_id) DO UPDATE
    SET value = excluded.value, given_by = excluded.given_by, given_by_user_id = excluded.given_by_user_id, form = excluded.form;
  GET DIAGNOSTICS counted = ROW_COUNT;
  INSERT INTO data_subject_consent_form_values (data_subject_id, data_controller_processing_purpose_id, value, given_by, form)
  SELECT subject, l.id, 'false', 'browser_signal', 'browser' FROM unnest(left_off) AS l (id)
  ON CONFLICT (data_subject_id, data_controller_processing_purpose_id) DO NOTHING;
  RETURN json_build_object(
    'status', 'success',
    'message', CASE WHEN left_off IS NULL THEN 'Consents saved'
      ELSE format('Consents saved, but for %s: the signal Global Privacy Control keeps them switched off', titles) END,
    'data', json_build_object(
      'dataSubjectId', subject, 'upsertedCount', counted, 'leftOff', coalesce(to_json(left_off), '[]'),
      'consentCookie', consent_cookie(subject, controller)));
END $$;
COMMENT ON FUNCTION upsert_data_subject_consents(json, uuid, uuid, jsonb, text) IS 'Answers the action upsertDataSubjectConsents.';

COMMIT;

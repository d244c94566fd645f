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
  SELECT coalesce(jsonb_object_agg(p.id, v.value = 'true'), '{}'),
         string_agg(base64url(substring(sha256(convert_to(p.id::text, 'UTF8')) FOR 6)), '' ORDER BY p.id) FILTER (WHERE v.value = 'true')
    INTO purposes, agreed
    FROM data_subject_consent_form_values v
    JOIN data_controller_processing_purposes p ON p.id = v.data_controller_processing_purpose_id
   WHERE v.data_subject_id = subject AND p.status = 'active';
  cookie := sign_consent_cookie(jsonb_build_object(
    'dataSubjectId', subject, 'dataControllerId', controller, 'purposes', purposes, 'issuedAt', issued_at));
  IF length(cookie) > 3900 THEN
    cookie := sign_consent_cookie(jsonb_build_object(
      'version', 2, 'dataControllerId', controller, 'agreed', coalesce(agreed, ''), 'issuedAt', issued_at));
  END IF;
  RETURN cookie;
END $$;
COMMENT ON FUNCTION consent_cookie(uuid, uuid) IS 'The consent cookie of a person.';

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

CREATE FUNCTION upsert_data_subject_consents(session json, data_controller_id uuid, data_subject_id uuid, purposes jsonb)
RETURNS json LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  controller ALIAS FOR $2;
  subject    ALIAS FOR $3;
  is_own     boolean := session ->> 'x-gateway-role' IN ('dataSubject', 'anonymous')
                        AND (session ->> 'x-gateway-data-subject-id')::uuid = upsert_data_subject_consents.data_subject_id;
  counted    int;
BEGIN
  IF jsonb_typeof(purposes) IS DISTINCT FROM 'object'
     OR EXISTS (SELECT FROM jsonb_each(purposes) p
                 WHERE jsonb_typeof(p.value) <> 'boolean' OR p.key !~ '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$') THEN
    RAISE EXCEPTION 'purposes has to map the ids of purposes to true or false' USING ERRCODE = 'PT400';
  END IF;
  IF NOT EXISTS (SELECT FROM data_subjects s WHERE s.id = subject AND s.data_controller_id = controller)
     OR NOT coalesce(is_own OR session_edits_controller(session, controller), false)
     OR EXISTS (SELECT FROM jsonb_object_keys(purposes) AS k (id)
                 WHERE NOT EXISTS (SELECT FROM data_controller_processing_purposes p
                                    WHERE p.id = k.id::uuid AND p.data_controller_id = controller AND p.status = 'active')) THEN
    PERFORM deny_controller();
  END IF;
  INSERT INTO data_subject_consent_form_values AS v (data_subject_id, data_controller_processing_purpose_id, value)
  SELECT subject, p.key::uuid, p.value FROM jsonb_each_text(purposes) p
  ON CONFLICT (data_subject_id, data_controller_processing_purpose_id) DO UPDATE SET value = excluded.value;
  GET DIAGNOSTICS counted = ROW_COUNT;
  RETURN json_build_object(
    'status', 'success', 'message', 'Consents saved',
    'data', json_build_object(
      'dataSubjectId', subject, 'upsertedCount', counted,
      'consentCookie', consent_cookie(subject, controller)));
END $$;
COMMENT ON FUNCTION upsert_data_subject_consents(json, uuid, uuid, jsonb) IS 'Answers the action upsertDataSubjectConsents.';

COMMIT;

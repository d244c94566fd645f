-- How a visitor is reached: an e-mail address for the answer to a rights request, confirmed by a code that is sent there.
-- Functions of the actions leaveRightsRequestContact and verifyRightsRequestContact (actions.toml).

BEGIN;

CREATE TABLE rights_request_contact_codes (
  id              uuid        PRIMARY KEY DEFAULT gen_random_uuid(),
  data_subject_rights_request_id uuid NOT NULL REFERENCES data_subject_rights_requests ON DELETE CASCADE,
  email           text        NOT NULL,
  digest          bytea       NOT NULL CHECK (length(digest) = 32),
  tries           int         NOT NULL DEFAULT 0,
  created_at      timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE rights_request_contact_codes IS 'A code that was sent to confirm an address.';
COMMENT ON COLUMN rights_request_contact_codes.id IS 'The identifier.';
COMMENT ON COLUMN rights_request_contact_codes.data_subject_rights_request_id IS 'The request whose answer goes to the address.';
COMMENT ON COLUMN rights_request_contact_codes.email IS 'The address.';
COMMENT ON COLUMN rights_request_contact_codes.digest IS 'SHA-256 of the row''s identifier and the code.';
COMMENT ON COLUMN rights_request_contact_codes.tries IS 'How often a code was entered.';
COMMENT ON COLUMN rights_request_contact_codes.created_at IS 'When the code was sent; it is valid for 15 minutes.';
CREATE INDEX rights_request_contact_codes_request_idx ON rights_request_contact_codes (data_subject_rights_request_id, created_at);
CREATE INDEX rights_request_contact_codes_email_idx ON rights_request_contact_codes (email, created_at);

CREATE FUNCTION contact_code_digest(code_id uuid, code text) RETURNS bytea LANGUAGE sql IMMUTABLE AS $$
  SELECT sha256(convert_to(code_id || code, 'UTF8'))
$$;
COMMENT ON FUNCTION contact_code_digest(uuid, text) IS 'What is stored of a code.';

-- The caller's own open request, locked; a foreign one and none look alike.
CREATE FUNCTION own_rights_request(session json, request uuid) RETURNS data_subject_rights_requests LANGUAGE plpgsql AS $$
DECLARE
  found_request data_subject_rights_requests;
BEGIN
  SELECT r.* INTO found_request FROM data_subject_rights_requests r
   WHERE r.id = request AND session ->> 'x-gateway-role' IN ('dataSubject', 'anonymous')
     AND r.data_subject_id = (session ->> 'x-gateway-data-subject-id')::uuid
     FOR UPDATE;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'Access denied to data controller resources' USING ERRCODE = 'PT403';
  END IF;
  IF found_request.closed_at IS NOT NULL THEN
    RAISE EXCEPTION 'the request is closed' USING ERRCODE = 'PT409';
  END IF;
  RETURN found_request;
END $$;
COMMENT ON FUNCTION own_rights_request(json, uuid) IS 'The caller''s open request.';

-- Three codes an hour and ten a day for one request, and five an hour to one address, whoever asks: nobody's mailbox is
-- flooded. The answer does not say whether others have asked for codes to the address.
CREATE FUNCTION leave_rights_request_contact(session json, rights_request_id uuid, email text) RETURNS json LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  request data_subject_rights_requests := own_rights_request(session, rights_request_id);
  address CONSTANT text := btrim(leave_rights_request_contact.email);
  code CONSTANT text := lpad((('x' || left(replace(gen_random_uuid()::text, '-', ''), 8))::bit(32)::bigint % 1000000)::text, 6, '0');
  code_id CONSTANT uuid := gen_random_uuid();
  message record;
BEGIN
  IF address !~ '^[^@[:space:]<>,;]+@[^@[:space:]<>,;]+\.[^@[:space:]<>,;.]+$' OR char_length(address) > 254 THEN
    RAISE EXCEPTION 'this is not an e-mail address' USING ERRCODE = 'PT400';
  END IF;
  IF request.contact_verified_at IS NOT NULL AND lower(request.contact_email) = lower(address) THEN
    RETURN json_build_object('status', 'success', 'message', 'The address is confirmed.');
  END IF;
  IF (SELECT count(*) FILTER (WHERE c.created_at > now() - interval '1 hour') >= 3 OR count(*) >= 10
        FROM rights_request_contact_codes c WHERE c.data_subject_rights_request_id = request.id) THEN
    RAISE EXCEPTION 'too many codes were sent for this request; try again later' USING ERRCODE = 'PT429';
  END IF;
  PERFORM pg_advisory_xact_lock(hashtextextended(lower(address), 2));
  UPDATE data_subject_rights_requests r SET contact_email = address, contact_verified_at = NULL WHERE r.id = request.id;
  IF (SELECT count(*) FROM rights_request_contact_codes c
       WHERE c.email = lower(address) AND c.created_at > now() - interval '1 hour') < 5 THEN
    SELECT m.* INTO message FROM rights_request_message(request, 'code', jsonb_build_object('code', code)) m;
    INSERT INTO outgoing_mails (data_subject_id, recipient, language, subject, body)
    VALUES (request.data_subject_id, address, message.language, message.title, message.body);
  END IF;
  INSERT INTO rights_request_contact_codes (id, data_subject_rights_request_id, email, digest)
  VALUES (code_id, request.id, lower(address), contact_code_digest(code_id, code));
  RETURN json_build_object('status', 'sent', 'message', 'A code was sent to the address; it is valid for 15 minutes.');
END $$;
COMMENT ON FUNCTION leave_rights_request_contact(json, uuid, text) IS 'Answers the action leaveRightsRequestContact.';

-- A wrong code is an answer and no error, because an error would undo the count of tries.
CREATE FUNCTION verify_rights_request_contact(session json, rights_request_id uuid, code text) RETURNS json LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  request data_subject_rights_requests := own_rights_request(session, rights_request_id);
  sent rights_request_contact_codes;
BEGIN
  SELECT c.* INTO sent FROM rights_request_contact_codes c
   WHERE c.data_subject_rights_request_id = request.id ORDER BY c.created_at DESC, c.id LIMIT 1;
  UPDATE rights_request_contact_codes c SET tries = c.tries + 1 WHERE c.id = sent.id;
  IF sent.tries < 5 AND sent.created_at > now() - interval '15 minutes' AND sent.email = lower(request.contact_email)
     AND request.contact_verified_at IS NULL
     AND sent.digest = contact_code_digest(sent.id, btrim(verify_rights_request_contact.code)) THEN
    UPDATE data_subject_rights_requests r SET contact_verified_at = now() WHERE r.id = request.id RETURNING r.* INTO request;
    PERFORM tell_about_rights_request(request, 'contact');
    RETURN json_build_object('status', 'success', 'message', 'The address is confirmed.');
  END IF;
  RETURN json_build_object('status', 'refused', 'message', 'The code is wrong or no longer valid.');
END $$;
COMMENT ON FUNCTION verify_rights_request_contact(json, uuid, text) IS 'Answers the action verifyRightsRequestContact.';

COMMIT;

-- Invitations to a team by address. An invited person signs in with that address by any method of the gateway, which proves
-- that it is theirs, and accepts. Loaded after actions.sql.

BEGIN;

CREATE TABLE service_settings (
  id            int  PRIMARY KEY DEFAULT 1 CHECK (id = 1),
  dashboard_url text NOT NULL DEFAULT 'http://localhost:8080/dashboard' CHECK (dashboard_url ~ '^https?://[^[:space:]]+$' AND char_length(dashboard_url) <= 2000)
);
COMMENT ON TABLE service_settings IS 'What mails have to know of the place where the service runs.';
COMMENT ON COLUMN service_settings.id IS 'Always 1: there is one row.';
COMMENT ON COLUMN service_settings.dashboard_url IS 'Where the dashboard is, for links in mails.';
INSERT INTO service_settings DEFAULT VALUES;

-- ---------------------------------------------------------------------------------------------------------
-- Invitations
-- ---------------------------------------------------------------------------------------------------------

CREATE TABLE team_invitations (
  id                      uuid        PRIMARY KEY DEFAULT gen_random_uuid(),
  data_controller_user_id uuid        NOT NULL UNIQUE REFERENCES data_controller_users ON DELETE CASCADE,
  data_controller_id      uuid        NOT NULL REFERENCES data_controllers ON DELETE CASCADE,
  email                   text        NOT NULL,
  display_name            text,
  locale                  text        NOT NULL CHECK (locale IN ('en', 'de', 'nl')),
  invited_by              uuid,
  inviter_name            text,
  sent_at                 timestamptz NOT NULL DEFAULT now(),
  sent_count              int         NOT NULL DEFAULT 1,
  created_at              timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE team_invitations IS 'An invitation to a team that waits for an answer. It ends when it is accepted, declined or withdrawn.';
COMMENT ON COLUMN team_invitations.id IS 'The identifier.';
COMMENT ON COLUMN team_invitations.data_controller_user_id IS 'The membership that waits; its role is the one that is offered.';
COMMENT ON COLUMN team_invitations.data_controller_id IS 'The controller whose team it is.';
COMMENT ON COLUMN team_invitations.email IS 'The address, as the Administrator has written it; empty if the person was named by identifier.';
COMMENT ON COLUMN team_invitations.display_name IS 'The name, as the Administrator has written it.';
COMMENT ON COLUMN team_invitations.locale IS 'The language that the Administrator has chosen: en, de or nl.';
COMMENT ON COLUMN team_invitations.invited_by IS 'The Administrator; null if the operator invites.';
COMMENT ON COLUMN team_invitations.inviter_name IS 'The name of the Administrator when the invitation was sent.';
COMMENT ON COLUMN team_invitations.sent_at IS 'When the last mail was written.';
COMMENT ON COLUMN team_invitations.sent_count IS 'How many mails were written.';
COMMENT ON COLUMN team_invitations.created_at IS 'When the person was first invited.';
CREATE INDEX team_invitations_controller_idx ON team_invitations (data_controller_id);

-- Counts mails, also of invitations that were withdrawn. Rows are forgotten after a day.
CREATE TABLE team_invitation_mails (
  id                 bigint      PRIMARY KEY GENERATED ALWAYS AS IDENTITY,
  data_controller_id uuid        NOT NULL REFERENCES data_controllers ON DELETE CASCADE,
  email              text        NOT NULL,
  created_at         timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE team_invitation_mails IS 'A mail of the last day that invited somebody to a team, for its limits.';
COMMENT ON COLUMN team_invitation_mails.id IS 'The identifier.';
COMMENT ON COLUMN team_invitation_mails.data_controller_id IS 'The controller that invites.';
COMMENT ON COLUMN team_invitation_mails.email IS 'The address in lower case.';
COMMENT ON COLUMN team_invitation_mails.created_at IS 'When the mail was written.';
CREATE INDEX team_invitation_mails_email_idx ON team_invitation_mails (email, created_at);
CREATE INDEX team_invitation_mails_controller_idx ON team_invitation_mails (data_controller_id, created_at);

CREATE FUNCTION session_administers_controller(session json, controller uuid) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT FROM data_controllers c WHERE c.id = controller) AND coalesce(session ->> 'x-gateway-role' = 'admin'
      OR session ->> 'x-gateway-role' = 'user' AND EXISTS (
           SELECT FROM data_controller_users m
            WHERE m.data_controller_id = controller AND m.user_id = (session ->> 'x-gateway-user-id')::uuid
              AND m.status = 'active' AND m.role = 'Administrator'), false)
$$;
COMMENT ON FUNCTION session_administers_controller(json, uuid) IS 'Whether the caller looks after a controller''s team: the rule administrator_of.';

-- Names are chosen by people, and the mail goes to somebody else: no lines and no links come from them, also none that a mail
-- program makes of a domain, and nothing that turns the direction of the text.
CREATE FUNCTION name_in_mail(name text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT btrim(left(btrim(regexp_replace(
    regexp_replace(name, '(://|[[:space:][:cntrl:]<>/\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069])+', ' ', 'g'),
    '([.\u3002\uFF0E\uFF61])(?=[[:alnum:]])', '\1 ', 'g')), 100))
$$;
COMMENT ON FUNCTION name_in_mail(text) IS 'A name on one line, of at most 100 characters, without links.';

-- Five invitations a day go to an address for a controller, and fifty to all; one that was withdrawn counts.
CREATE FUNCTION count_invitation(controller uuid, address text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  -- One lock after the other in one order, for the counts of the controller and of the address.
  PERFORM pg_advisory_xact_lock(hashtextextended(controller::text, 4));
  PERFORM pg_advisory_xact_lock(hashtextextended(lower(address), 4));
  DELETE FROM team_invitation_mails m WHERE m.created_at <= now() - interval '1 day';
  IF (SELECT count(*) FROM team_invitation_mails m WHERE m.data_controller_id = controller AND m.email = lower(address)) >= 5 THEN
    RAISE EXCEPTION 'this address was invited five times today; try again tomorrow' USING ERRCODE = 'PT429';
  END IF;
  IF (SELECT count(*) FROM team_invitation_mails m WHERE m.data_controller_id = controller) >= 50 THEN
    RAISE EXCEPTION 'a team sends at most 50 invitations a day' USING ERRCODE = 'PT429';
  END IF;
  INSERT INTO team_invitation_mails (data_controller_id, email) VALUES (controller, lower(address));
END $$;
COMMENT ON FUNCTION count_invitation(uuid, text) IS 'Counts an invitation, or refuses it because of the limits.';

-- Whether the address has an account shows nowhere: the answer, the membership and the invitation are the same for one that has
-- and one that has none. What others send to the address limits the mail without a word.
CREATE FUNCTION invite_team_member(session json, data_controller_id uuid, email text, role text, display_name text DEFAULT NULL, locale text DEFAULT NULL)
RETURNS json LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
  controller ALIAS FOR $2;
  address CONSTANT text := btrim(invite_team_member.email);
  level CONSTANT text := invite_team_member.role;
  name CONSTANT text := nullif(btrim(invite_team_member.display_name), '');
  inviter CONSTANT uuid := CASE session ->> 'x-gateway-role' WHEN 'user' THEN (session ->> 'x-gateway-user-id')::uuid END;
  found_controller data_controllers;
  invited users;
  membership data_controller_users;
  language text;
  inviter_name text;
  "values" jsonb;
BEGIN
  IF NOT session_administers_controller(session, controller) THEN
    PERFORM deny_controller();
  END IF;
  IF address !~ '^[!-~]+@[!-~]+\.[!-~]+$' OR address ~ '[<>,;"()\\]|@.*@' OR char_length(address) > 254 THEN
    RAISE EXCEPTION 'this is not an e-mail address' USING ERRCODE = 'PT400';
  END IF;
  IF level NOT IN ('Viewer', 'Editor', 'Administrator') THEN
    RAISE EXCEPTION 'role is one of Viewer, Editor, Administrator' USING ERRCODE = 'PT400';
  END IF;
  IF invite_team_member.locale NOT IN ('en', 'de', 'nl') THEN
    RAISE EXCEPTION 'locale is one of en, de, nl' USING ERRCODE = 'PT400';
  END IF;
  IF char_length(name) > 100 THEN
    RAISE EXCEPTION 'displayName has at most 100 characters' USING ERRCODE = 'PT400';
  END IF;
  SELECT c.* INTO found_controller FROM data_controllers c WHERE c.id = controller;
  -- The locks of count_invitation: of parallel invitations of an address one adds the user.
  PERFORM pg_advisory_xact_lock(hashtextextended(controller::text, 4));
  PERFORM pg_advisory_xact_lock(hashtextextended(lower(address), 4));
  SELECT u.* INTO invited FROM users u WHERE lower(u.email) = lower(address);
  SELECT m.* INTO membership FROM data_controller_users m WHERE m.data_controller_id = controller AND m.user_id = invited.id FOR UPDATE;
  IF membership.status <> 'invited' THEN
    RAISE EXCEPTION 'this person is in the team already' USING ERRCODE = 'PT409';
  END IF;
  PERFORM count_invitation(controller, address);

  language := coalesce(invited.locale, invite_team_member.locale, found_controller.language);
  IF invited.id IS NULL THEN
    -- The account has its address for a name until an invitation is accepted: another team may have invited the person by another.
    INSERT INTO users (email, display_name, locale) VALUES (address, address, language) RETURNING * INTO invited;
  END IF;
  INSERT INTO data_controller_users AS m (data_controller_id, user_id, role, status) VALUES (controller, invited.id, level, 'invited')
  ON CONFLICT ON CONSTRAINT data_controller_users_member_key DO UPDATE SET role = excluded.role
  RETURNING m.* INTO membership;
  SELECT u.display_name INTO inviter_name FROM users u WHERE u.id = inviter;
  INSERT INTO team_invitations AS i (data_controller_user_id, data_controller_id, email, display_name, locale, invited_by, inviter_name)
  VALUES (membership.id, controller, address, name, coalesce(invite_team_member.locale, found_controller.language), inviter, inviter_name)
  ON CONFLICT (data_controller_user_id) DO UPDATE
    SET email = excluded.email, display_name = coalesce(excluded.display_name, i.display_name), locale = excluded.locale,
        invited_by = excluded.invited_by, inviter_name = excluded.inviter_name, sent_at = now(), sent_count = i.sent_count + 1;

  IF (SELECT count(*) FROM team_invitation_mails m WHERE m.email = lower(address)) <= 10 THEN
    "values" := jsonb_build_object('controller', name_in_mail(found_controller.title), 'address', invited.email,
      'inviter', coalesce(name_in_mail(inviter_name), service_text('invitation.operator', language)),
      'level', service_text('level.' || lower(level), language),
      'link', (SELECT s.dashboard_url FROM service_settings s) || '#/invitation');
    INSERT INTO outgoing_mails (recipient, language, subject, body)
    VALUES (invited.email, language, left(service_text('invitation.title', language, "values"), 200), service_text('invitation.body', language, "values"));
  END IF;
  RETURN json_build_object('status', 'sent', 'message', 'The invitation was sent.', 'dataControllerUserId', membership.id);
END $$;
COMMENT ON FUNCTION invite_team_member(json, uuid, text, text, text, text) IS 'Answers the action inviteTeamMember.';

-- A membership that a caller inserts by a user's identifier is an invitation too: it counts, and the Administrators see it. The
-- address stays the person's. Memberships of the operator, such as the sample data, are none.
CREATE FUNCTION record_invitation() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM count_invitation(NEW.data_controller_id, u.email) FROM users u WHERE u.id = NEW.user_id;
  INSERT INTO team_invitations (data_controller_user_id, data_controller_id, email, locale, invited_by, inviter_name, sent_count)
  SELECT NEW.id, c.id, '', c.language, NEW.invited_by, (SELECT u.display_name FROM users u WHERE u.id = NEW.invited_by), 0
    FROM data_controllers c WHERE c.id = NEW.data_controller_id;
  RETURN NULL;
EXCEPTION WHEN SQLSTATE 'PT429' THEN
  -- The code is one of actions; of a mutation the caller reads the sentence of a violated check.
  RAISE EXCEPTION '%', SQLERRM USING ERRCODE = 'check_violation';
END $$;
COMMENT ON FUNCTION record_invitation() IS 'Counts and shows a membership that waits for an answer and was not written by inviteTeamMember.';
CREATE TRIGGER record_invitation AFTER INSERT ON data_controller_users FOR EACH ROW
  WHEN (NEW.status = 'invited' AND NEW.invited_by IS NOT NULL) EXECUTE FUNCTION record_invitation();

-- Who joins a team may use the role user from the next session on: until then an account sees itself and its invitations. An
-- account without a name of its own gets that of the invitation.
CREATE FUNCTION join_team() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  invited_as text;
BEGIN
  DELETE FROM team_invitations i WHERE i.data_controller_user_id = NEW.id RETURNING i.display_name INTO invited_as;
  UPDATE users u SET default_role = CASE WHEN u.default_role IN ('dataSubject', 'me') THEN 'user' ELSE u.default_role END,
                     display_name = CASE WHEN lower(u.display_name) = lower(u.email) THEN coalesce(invited_as, u.display_name) ELSE u.display_name END
   WHERE u.id = NEW.user_id;
  RETURN NULL;
END $$;
COMMENT ON FUNCTION join_team() IS 'Opens the role user to who has accepted an invitation, names the account, and ends the invitation.';
CREATE TRIGGER join_team AFTER UPDATE ON data_controller_users FOR EACH ROW
  WHEN (OLD.status = 'invited' AND NEW.status <> 'invited') EXECUTE FUNCTION join_team();

-- Whether anything is known of an account but that it was invited. The gateway's tables are made after this file.
CREATE FUNCTION has_signed_in(person uuid) RETURNS boolean LANGUAGE plpgsql STABLE AS $$
DECLARE
  gateway_table text;
  is_known boolean;
BEGIN
  SELECT u.last_seen_at IS NOT NULL INTO is_known FROM users u WHERE u.id = person;
  FOREACH gateway_table IN ARRAY ARRAY['account', 'verified_email', 'password', 'external_identity', 'security_key', 'totp', 'recovery_code',
                                       'personal_access_token', 'session', 'ticket', 'authentication_event'] LOOP
    EXIT WHEN is_known;
    IF to_regclass('postern.' || gateway_table) IS NOT NULL THEN
      EXECUTE format('SELECT EXISTS (SELECT FROM postern.%I WHERE user_id = $1)', gateway_table) INTO is_known USING person::text;
    END IF;
  END LOOP;
  RETURN is_known;
END $$;
COMMENT ON FUNCTION has_signed_in(uuid) IS 'Whether a person has signed in, or has asked to.';

-- A withdrawn or declined invitation leaves no account of a person who has never come. After the last team the role user is closed.
CREATE FUNCTION leave_team() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  person users;
BEGIN
  SELECT u.* INTO person FROM users u WHERE u.id = OLD.user_id;
  -- An invitation of the address that runs at the same time keeps the account. It is not waited for: it may wait for this membership.
  IF OLD.status = 'invited' AND pg_try_advisory_xact_lock(hashtextextended(lower(person.email), 4)) THEN
    PERFORM FROM users u WHERE u.id = person.id FOR UPDATE SKIP LOCKED;
    IF FOUND AND NOT EXISTS (SELECT FROM data_controller_users m WHERE m.user_id = person.id) AND NOT has_signed_in(person.id) THEN
      BEGIN
        DELETE FROM users u WHERE u.id = person.id;
      EXCEPTION WHEN foreign_key_violation OR restrict_violation THEN
        NULL;
      END;
    END IF;
  ELSIF OLD.status <> 'invited' THEN
    UPDATE users u SET default_role = 'dataSubject'
     WHERE u.id = OLD.user_id AND u.default_role = 'user'
       AND NOT EXISTS (SELECT FROM data_controller_users m WHERE m.user_id = u.id AND m.status <> 'invited');
  END IF;
  RETURN NULL;
END $$;
COMMENT ON FUNCTION leave_team() IS 'Deletes an account that was only invited, and closes the role user after the last membership.';
CREATE TRIGGER leave_team AFTER DELETE ON data_controller_users FOR EACH ROW EXECUTE FUNCTION leave_team();

COMMIT;

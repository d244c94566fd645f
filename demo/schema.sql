-- The privacy service's tables: data controllers and their teams, data subjects, records of processing
-- activities, purposes and consents, rights requests, notices, FAQs, notifications, and `notes`, which has
-- every kind of column. The file holds structure only; rows are in data.sql, who sees them in permissions.toml.
--
-- Every table and column of the service has a comment, because comments appear in the GraphQL schema.

BEGIN;

-- Keeps `updated_at` true whoever writes the row: the gateway, another program, or somebody with psql.
CREATE FUNCTION touch_updated_at() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.updated_at := now();
  RETURN NEW;
END $$;
COMMENT ON FUNCTION touch_updated_at() IS 'Sets updated_at of the row that is being changed.';

-- What all controllers share is in the three languages of the service.
CREATE FUNCTION is_translated(texts jsonb) RETURNS boolean LANGUAGE sql IMMUTABLE AS $$
  SELECT jsonb_typeof(texts) = 'object'
     AND coalesce(texts ->> 'en', '') <> '' AND coalesce(texts ->> 'de', '') <> '' AND coalesce(texts ->> 'nl', '') <> ''
$$;
COMMENT ON FUNCTION is_translated(jsonb) IS 'Whether an object has a text in English (en), German (de) and Dutch (nl).';

-- ---------------------------------------------------------------------------------------------------------
-- Organizations and their teams
-- ---------------------------------------------------------------------------------------------------------

-- A CHECK constraint that says what is wrong: clients read the sentence ([errors] in gateway.toml), not the constraint's name.
CREATE FUNCTION require(condition boolean, sentence text) RETURNS boolean LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  IF NOT condition THEN
    RAISE EXCEPTION USING MESSAGE = sentence, ERRCODE = 'check_violation';
  END IF;
  RETURN condition;
END $$;
COMMENT ON FUNCTION require(boolean, text) IS 'The condition; raises the sentence if it is false. Null passes, as in every CHECK constraint.';

CREATE TABLE users (
  id           uuid        PRIMARY KEY DEFAULT gen_random_uuid(),
  email        text        NOT NULL CONSTRAINT users_email_key UNIQUE CHECK (email ~ '^[^@[:space:]]+@[^@[:space:]]+$'),
  display_name text        NOT NULL CHECK (display_name <> ''),
  default_role text        NOT NULL DEFAULT 'dataSubject' CHECK (default_role IN ('anonymous', 'dataSubject', 'me', 'user')),
  locale       text        NOT NULL DEFAULT 'en' CHECK (locale IN ('en', 'de', 'nl')),
  last_seen_at timestamptz,
  created_at   timestamptz NOT NULL DEFAULT now(),
  updated_at   timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE users IS 'A person who can sign in to the service.';
COMMENT ON COLUMN users.id IS 'The user''s identifier; the session value user_id.';
COMMENT ON COLUMN users.email IS 'The address the user signs in with.';
COMMENT ON COLUMN users.display_name IS 'The name shown to the user''s team.';
COMMENT ON COLUMN users.default_role IS 'The role a session gets when none is asked for: anonymous, dataSubject, me or user.';
COMMENT ON COLUMN users.locale IS 'The language of the dashboard: en, de or nl.';
COMMENT ON COLUMN users.last_seen_at IS 'When the user was last active; null before the first sign-in.';
COMMENT ON COLUMN users.created_at IS 'When the account was made.';
COMMENT ON COLUMN users.updated_at IS 'When the account was last changed.';
-- An address is one user's, however it is spelled.
CREATE UNIQUE INDEX users_address_key ON users (lower(email));

CREATE TABLE data_controllers (
  id                       uuid        PRIMARY KEY DEFAULT gen_random_uuid(),
  title                    text        NOT NULL CHECK (title <> ''),
  did                      text        NOT NULL CONSTRAINT data_controllers_did_key UNIQUE CHECK (did ~ '^did:[a-z0-9]+:.+'),
  description              text,
  industry                 text,
  language                 text        NOT NULL DEFAULT 'en' CHECK (language IN ('en', 'de', 'nl')),
  website                  text,
  address                  text,
  postal_code              text,
  city                     text,
  country                  text        CHECK (country ~ '^[A-Z]{2}$'),
  dpo_name                 text,
  dpo_email                text        CHECK (dpo_email ~ '^[^@[:space:]]+@[^@[:space:]]+$'),
  dpo_phone                text,
  compliance_configuration jsonb       NOT NULL DEFAULT '{}' CHECK (jsonb_typeof(compliance_configuration) = 'object'),
  created_at               timestamptz NOT NULL DEFAULT now(),
  updated_at               timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE data_controllers IS 'An organization that decides why and how personal data is processed.';
COMMENT ON COLUMN data_controllers.id IS 'The controller''s identifier.';
COMMENT ON COLUMN data_controllers.title IS 'The organization''s name.';
COMMENT ON COLUMN data_controllers.did IS 'The organization''s decentralized identifier.';
COMMENT ON COLUMN data_controllers.description IS 'What the organization does, in a sentence or two.';
COMMENT ON COLUMN data_controllers.industry IS 'The branch the organization works in.';
COMMENT ON COLUMN data_controllers.language IS 'The language of its notices and FAQ: en, de or nl.';
COMMENT ON COLUMN data_controllers.website IS 'The organization''s website.';
COMMENT ON COLUMN data_controllers.address IS 'Street and number of the registered office.';
COMMENT ON COLUMN data_controllers.postal_code IS 'Postal code of the registered office.';
COMMENT ON COLUMN data_controllers.city IS 'Town of the registered office.';
COMMENT ON COLUMN data_controllers.country IS 'Country of the registered office, two letters (ISO 3166-1).';
COMMENT ON COLUMN data_controllers.dpo_name IS 'Name of the data protection officer.';
COMMENT ON COLUMN data_controllers.dpo_email IS 'Mailbox of the data protection officer.';
COMMENT ON COLUMN data_controllers.dpo_phone IS 'Telephone number of the data protection officer.';
COMMENT ON COLUMN data_controllers.compliance_configuration IS 'Settings of the privacy programme: frameworks, deadlines, retention, supervisory authority.';
COMMENT ON COLUMN data_controllers.created_at IS 'When the controller joined the service.';
COMMENT ON COLUMN data_controllers.updated_at IS 'When the profile was last changed.';

-- What of a controller's settings concerns people and is public; whatever else a team writes there stays its own.
CREATE FUNCTION public_configuration(configuration jsonb) RETURNS jsonb LANGUAGE sql IMMUTABLE AS $$
  SELECT coalesce(jsonb_object_agg(s.key, s.value), '{}')
    FROM jsonb_each(configuration) s
   WHERE s.key IN ('frameworks', 'supervisoryAuthority', 'answerWithinDays', 'consentRenewalMonths', 'defaultRetentionMonths',
                   'automatedDecisions', 'childrensData', 'honoursGlobalPrivacyControl')
$$;
COMMENT ON FUNCTION public_configuration(jsonb) IS 'The settings of the privacy programme that everybody may read.';
CREATE INDEX data_controllers_title_idx ON data_controllers (title);
CREATE INDEX data_controllers_created_at_idx ON data_controllers (created_at);

CREATE TABLE data_controller_users (
  id                 uuid        PRIMARY KEY DEFAULT gen_random_uuid(),
  data_controller_id uuid        NOT NULL REFERENCES data_controllers ON DELETE CASCADE,
  user_id            uuid        NOT NULL REFERENCES users ON DELETE CASCADE,
  role               text        NOT NULL DEFAULT 'Viewer' CHECK (role IN ('Viewer', 'Editor', 'Administrator')),
  status             text        NOT NULL DEFAULT 'invited' CHECK (status IN ('invited', 'active', 'suspended')),
  invited_by         uuid,
  created_at         timestamptz NOT NULL DEFAULT now(),
  updated_at         timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT data_controller_users_member_key UNIQUE (user_id, data_controller_id)
);
COMMENT ON TABLE data_controller_users IS 'A user''s membership in the team of a data controller.';
COMMENT ON COLUMN data_controller_users.id IS 'The membership''s identifier.';
COMMENT ON COLUMN data_controller_users.data_controller_id IS 'The controller whose team it is.';
COMMENT ON COLUMN data_controller_users.user_id IS 'The member.';
COMMENT ON COLUMN data_controller_users.role IS 'Viewer (views data), Editor (modifies settings) or Administrator (manages integrations and team).';
COMMENT ON COLUMN data_controller_users.status IS 'invited, active or suspended; only an active member has access.';
COMMENT ON COLUMN data_controller_users.invited_by IS 'The Administrator who named the person by identifier; null for an invitation by address.';
COMMENT ON COLUMN data_controller_users.created_at IS 'When the member was invited.';
COMMENT ON COLUMN data_controller_users.updated_at IS 'When the membership was last changed.';
-- The unique key serves "which controllers is this user in"; this index the way back, and the row rules.
CREATE INDEX data_controller_users_controller_idx ON data_controller_users (data_controller_id, user_id);

-- ---------------------------------------------------------------------------------------------------------
-- Purposes: why a controller processes data, which data, and who helps
-- ---------------------------------------------------------------------------------------------------------

-- A purpose that was ever active, and whatever says what was done with a person's data, is evidence: nothing that is
-- deleted takes it along.
CREATE TABLE data_controller_processing_purposes (
  id                 uuid        PRIMARY KEY DEFAULT gen_random_uuid(),
  data_controller_id uuid        NOT NULL REFERENCES data_controllers ON DELETE RESTRICT,
  title              text        NOT NULL CHECK (title <> ''),
  description        text        NOT NULL DEFAULT '',
  legal_basis        text        NOT NULL CHECK (legal_basis IN ('consent', 'contract', 'legal_obligation', 'vital_interests', 'public_task', 'legitimate_interests')),
  consent_required   boolean     NOT NULL GENERATED ALWAYS AS (legal_basis = 'consent') STORED,
  retention_months   integer     CHECK (retention_months > 0),
  status             text        NOT NULL DEFAULT 'draft' CHECK (status IN ('draft', 'active', 'retired')),
  position           integer     NOT NULL DEFAULT 0,
  respects_global_privacy_control boolean NOT NULL DEFAULT false,
  version            integer     NOT NULL DEFAULT 1 CHECK (version > 0),
  replaces_id        uuid        CONSTRAINT data_controller_processing_purposes_replaces_key UNIQUE REFERENCES data_controller_processing_purposes ON DELETE RESTRICT,
  created_at         timestamptz NOT NULL DEFAULT now(),
  updated_at         timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT data_controller_processing_purposes_title_key UNIQUE (data_controller_id, title, version),
  CONSTRAINT data_controller_processing_purposes_signal_check CHECK (NOT respects_global_privacy_control OR legal_basis = 'consent')
);
COMMENT ON TABLE data_controller_processing_purposes IS 'Why a controller processes personal data, and on which legal basis.';
COMMENT ON COLUMN data_controller_processing_purposes.id IS 'The purpose''s identifier.';
COMMENT ON COLUMN data_controller_processing_purposes.data_controller_id IS 'The controller that follows the purpose.';
COMMENT ON COLUMN data_controller_processing_purposes.title IS 'A short name, as shown beside the consent switch.';
COMMENT ON COLUMN data_controller_processing_purposes.description IS 'What is done with the data, in plain words.';
COMMENT ON COLUMN data_controller_processing_purposes.legal_basis IS 'Legal basis under Article 6 GDPR: consent, contract, legal_obligation, vital_interests, public_task or legitimate_interests.';
COMMENT ON COLUMN data_controller_processing_purposes.consent_required IS 'Whether the data subject has to agree first; true when the legal basis is consent.';
COMMENT ON COLUMN data_controller_processing_purposes.retention_months IS 'How long the data is kept, in months; null while the relation lasts.';
COMMENT ON COLUMN data_controller_processing_purposes.status IS 'draft, active or retired; the public sees active purposes.';
COMMENT ON COLUMN data_controller_processing_purposes.position IS 'Place in the list shown to data subjects.';
COMMENT ON COLUMN data_controller_processing_purposes.respects_global_privacy_control IS 'Whether the signal Global Privacy Control switches the purpose off, where the controller honours it.';
COMMENT ON COLUMN data_controller_processing_purposes.version IS 'Counts the wordings: 1, or one more than that of the purpose it replaces.';
COMMENT ON COLUMN data_controller_processing_purposes.replaces_id IS 'The purpose that this one replaces with a new wording.';
COMMENT ON COLUMN data_controller_processing_purposes.created_at IS 'When the purpose was written down.';
COMMENT ON COLUMN data_controller_processing_purposes.updated_at IS 'When the purpose was last changed.';
CREATE INDEX data_controller_processing_purposes_position_idx ON data_controller_processing_purposes (data_controller_id, position);

CREATE TABLE data_controller_purpose_data_items (
  id             uuid        PRIMARY KEY DEFAULT gen_random_uuid(),
  data_controller_processing_purpose_id uuid NOT NULL REFERENCES data_controller_processing_purposes ON DELETE CASCADE,
  label          text        NOT NULL CHECK (label <> ''),
  category       text        NOT NULL CHECK (category IN ('identity', 'contact', 'contract', 'payment', 'usage', 'location', 'preference', 'health')),
  is_special     boolean     NOT NULL GENERATED ALWAYS AS (category = 'health') STORED,
  special_category_condition text CHECK (special_category_condition IN ('explicit_consent', 'employment_law', 'vital_interests', 'nonprofit', 'made_public', 'legal_claims', 'public_interest', 'health_care', 'public_health', 'research')),
  is_required    boolean     NOT NULL DEFAULT true,
  created_at     timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT data_controller_purpose_data_items_condition_check CHECK ((category = 'health') = (special_category_condition IS NOT NULL)),
  CONSTRAINT data_controller_purpose_data_items_label_key UNIQUE (data_controller_processing_purpose_id, label)
);
COMMENT ON TABLE data_controller_purpose_data_items IS 'A kind of personal data that a purpose needs.';
COMMENT ON COLUMN data_controller_purpose_data_items.id IS 'The data item''s identifier.';
COMMENT ON COLUMN data_controller_purpose_data_items.data_controller_processing_purpose_id IS 'The purpose that needs the data.';
COMMENT ON COLUMN data_controller_purpose_data_items.label IS 'What the data is, e.g. "E-mail address".';
COMMENT ON COLUMN data_controller_purpose_data_items.category IS 'identity, contact, contract, payment, usage, location, preference or health.';
COMMENT ON COLUMN data_controller_purpose_data_items.is_special IS 'Whether it belongs to a special category of Article 9 GDPR.';
COMMENT ON COLUMN data_controller_purpose_data_items.special_category_condition IS 'The condition of Article 9(2) GDPR under which data of a special category is processed: explicit_consent (a), employment_law (b), vital_interests (c), nonprofit (d), made_public (e), legal_claims (f), public_interest (g), health_care (h), public_health (i) or research (j); null for other data.';
COMMENT ON COLUMN data_controller_purpose_data_items.is_required IS 'Whether the purpose cannot be served without it.';
COMMENT ON COLUMN data_controller_purpose_data_items.created_at IS 'When the item was written down.';

CREATE TABLE data_processors (
  id         uuid        PRIMARY KEY DEFAULT gen_random_uuid(),
  title      text        NOT NULL CONSTRAINT data_processors_title_key UNIQUE CHECK (title <> ''),
  services   jsonb       NOT NULL CHECK (is_translated(services)),
  service    text        NOT NULL GENERATED ALWAYS AS (services ->> 'en') STORED,
  country    text        NOT NULL CHECK (country ~ '^[A-Z]{2}$'),
  safeguards jsonb       NOT NULL CHECK (is_translated(safeguards)),
  safeguard  text        NOT NULL GENERATED ALWAYS AS (safeguards ->> 'en') STORED,
  website    text,
  created_at timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE data_processors IS 'A company that processes personal data on behalf of controllers.';
COMMENT ON COLUMN data_processors.id IS 'The processor''s identifier.';
COMMENT ON COLUMN data_processors.title IS 'The company''s name.';
COMMENT ON COLUMN data_processors.services IS 'What it does for the controllers, by language: en, de, nl.';
COMMENT ON COLUMN data_processors.service IS 'What it does for the controllers, in English.';
COMMENT ON COLUMN data_processors.country IS 'Where the data is processed, two letters (ISO 3166-1).';
COMMENT ON COLUMN data_processors.safeguards IS 'What permits the transfer, by language: en, de, nl.';
COMMENT ON COLUMN data_processors.safeguard IS 'What permits the transfer, e.g. "EU processing" or "Standard contractual clauses".';
COMMENT ON COLUMN data_processors.website IS 'The company''s website.';
COMMENT ON COLUMN data_processors.created_at IS 'When the processor was registered.';

CREATE TABLE data_controller_purpose_processors (
  data_controller_processing_purpose_id uuid NOT NULL REFERENCES data_controller_processing_purposes ON DELETE CASCADE,
  data_processor_id uuid     NOT NULL REFERENCES data_processors ON DELETE RESTRICT,
  access_level   text        NOT NULL DEFAULT 'read' CHECK (access_level IN ('read', 'write', 'store')),
  created_at     timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (data_controller_processing_purpose_id, data_processor_id)
);
COMMENT ON TABLE data_controller_purpose_processors IS 'Which processor has access to the data of a purpose.';
COMMENT ON COLUMN data_controller_purpose_processors.data_controller_processing_purpose_id IS 'The purpose served.';
COMMENT ON COLUMN data_controller_purpose_processors.data_processor_id IS 'The processor with access.';
COMMENT ON COLUMN data_controller_purpose_processors.access_level IS 'read, write or store.';
COMMENT ON COLUMN data_controller_purpose_processors.created_at IS 'Since when the processor has access.';
CREATE INDEX data_controller_purpose_processors_processor_idx ON data_controller_purpose_processors (data_processor_id);

CREATE TABLE purpose_business_templates (
  id                  uuid        PRIMARY KEY DEFAULT gen_random_uuid(),
  labels              jsonb       NOT NULL CHECK (is_translated(labels)),
  title               text        NOT NULL GENERATED ALWAYS AS (labels ->> 'en') STORED CONSTRAINT purpose_business_templates_title_key UNIQUE,
  descriptions        jsonb       NOT NULL CHECK (is_translated(descriptions)),
  description         text        NOT NULL GENERATED ALWAYS AS (descriptions ->> 'en') STORED,
  departments         jsonb       NOT NULL CHECK (is_translated(departments)),
  department          text        NOT NULL GENERATED ALWAYS AS (departments ->> 'en') STORED,
  default_legal_basis text        NOT NULL CHECK (default_legal_basis IN ('consent', 'contract', 'legal_obligation', 'vital_interests', 'public_task', 'legitimate_interests')),
  created_at          timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE purpose_business_templates IS 'A ready-made purpose in the words of the business.';
COMMENT ON COLUMN purpose_business_templates.id IS 'The template''s identifier.';
COMMENT ON COLUMN purpose_business_templates.labels IS 'The template''s name, by language: en, de, nl.';
COMMENT ON COLUMN purpose_business_templates.title IS 'The template''s name, in English.';
COMMENT ON COLUMN purpose_business_templates.descriptions IS 'What a controller means when it uses the template, by language: en, de, nl.';
COMMENT ON COLUMN purpose_business_templates.description IS 'What a controller means when it uses the template, in English.';
COMMENT ON COLUMN purpose_business_templates.departments IS 'The department that usually owns such a purpose, by language: en, de, nl.';
COMMENT ON COLUMN purpose_business_templates.department IS 'The department that usually owns such a purpose, in English.';
COMMENT ON COLUMN purpose_business_templates.default_legal_basis IS 'The legal basis that is suggested.';
COMMENT ON COLUMN purpose_business_templates.created_at IS 'When the template was published.';

CREATE TABLE purpose_operational_templates (
  id               uuid        PRIMARY KEY DEFAULT gen_random_uuid(),
  labels           jsonb       NOT NULL CHECK (is_translated(labels)),
  title            text        NOT NULL GENERATED ALWAYS AS (labels ->> 'en') STORED CONSTRAINT purpose_operational_templates_title_key UNIQUE,
  descriptions     jsonb       NOT NULL CHECK (is_translated(descriptions)),
  description      text        NOT NULL GENERATED ALWAYS AS (descriptions ->> 'en') STORED,
  systems          jsonb       NOT NULL CHECK (is_translated(systems)),
  system           text        NOT NULL GENERATED ALWAYS AS (systems ->> 'en') STORED,
  retention_months integer     NOT NULL CHECK (retention_months > 0),
  created_at       timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE purpose_operational_templates IS 'A ready-made processing step: what a system does with the data.';
COMMENT ON COLUMN purpose_operational_templates.id IS 'The template''s identifier.';
COMMENT ON COLUMN purpose_operational_templates.labels IS 'The template''s name, by language: en, de, nl.';
COMMENT ON COLUMN purpose_operational_templates.title IS 'The template''s name, in English.';
COMMENT ON COLUMN purpose_operational_templates.descriptions IS 'What the step does, by language: en, de, nl.';
COMMENT ON COLUMN purpose_operational_templates.description IS 'What the step does, in English.';
COMMENT ON COLUMN purpose_operational_templates.systems IS 'The kind of system that carries it out, by language: en, de, nl.';
COMMENT ON COLUMN purpose_operational_templates.system IS 'The kind of system that carries it out, in English.';
COMMENT ON COLUMN purpose_operational_templates.retention_months IS 'How long the step''s data is usually kept, in months.';
COMMENT ON COLUMN purpose_operational_templates.created_at IS 'When the template was published.';

CREATE TABLE data_controller_purpose_template_links (
  id                              uuid        PRIMARY KEY DEFAULT gen_random_uuid(),
  data_controller_processing_purpose_id uuid  NOT NULL REFERENCES data_controller_processing_purposes ON DELETE CASCADE,
  purpose_business_template_id    uuid        REFERENCES purpose_business_templates ON DELETE CASCADE,
  purpose_operational_template_id uuid        REFERENCES purpose_operational_templates ON DELETE CASCADE,
  created_at                      timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT data_controller_purpose_template_links_one_check CHECK (num_nonnulls(purpose_business_template_id, purpose_operational_template_id) = 1),
  CONSTRAINT data_controller_purpose_template_links_business_key UNIQUE (data_controller_processing_purpose_id, purpose_business_template_id),
  CONSTRAINT data_controller_purpose_template_links_operational_key UNIQUE (data_controller_processing_purpose_id, purpose_operational_template_id)
);
COMMENT ON TABLE data_controller_purpose_template_links IS 'Which template a controller''s purpose was made from: a business one or an operational one.';
COMMENT ON COLUMN data_controller_purpose_template_links.id IS 'The link''s identifier.';
COMMENT ON COLUMN data_controller_purpose_template_links.data_controller_processing_purpose_id IS 'The controller''s purpose.';
COMMENT ON COLUMN data_controller_purpose_template_links.purpose_business_template_id IS 'The business template; null when the link is to an operational one.';
COMMENT ON COLUMN data_controller_purpose_template_links.purpose_operational_template_id IS 'The operational template; null when the link is to a business one.';
COMMENT ON COLUMN data_controller_purpose_template_links.created_at IS 'When the link was made.';
CREATE INDEX data_controller_purpose_template_links_business_idx ON data_controller_purpose_template_links (purpose_business_template_id);
CREATE INDEX data_controller_purpose_template_links_operational_idx ON data_controller_purpose_template_links (purpose_operational_template_id);

-- ---------------------------------------------------------------------------------------------------------
-- Data subjects and what happens to their data
-- ---------------------------------------------------------------------------------------------------------

CREATE TABLE data_subjects (
  id                     uuid        PRIMARY KEY DEFAULT gen_random_uuid(),
  data_controller_id     uuid        NOT NULL REFERENCES data_controllers ON DELETE RESTRICT,
  did                    text        NOT NULL CONSTRAINT data_subjects_did_key UNIQUE
                                     CHECK (require(did ~ '^did:[a-z0-9]+:.+', 'did is a decentralized identifier, such as did:web:example.org:subjects:1')),
  display_name           text,
  email                  text        CHECK (require(email ~ '^[^@[:space:]]+@[^@[:space:]]+$', 'email is an e-mail address, such as ada@example.org')),
  country                text        CHECK (require(country ~ '^[A-Z]{2}$', 'country is two capital letters, such as DE')),
  language               text        NOT NULL CHECK (require(language IN ('en', 'de', 'nl'), 'language is en, de or nl')),
  do_not_track           boolean     NOT NULL DEFAULT false,
  global_privacy_control boolean     NOT NULL DEFAULT false,
  created_at             timestamptz NOT NULL DEFAULT now(),
  updated_at             timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE data_subjects IS 'A person whose data a controller processes.';
COMMENT ON COLUMN data_subjects.id IS 'The subject''s identifier; the session value data_subject_id.';
COMMENT ON COLUMN data_subjects.data_controller_id IS 'The controller that processes the data.';
COMMENT ON COLUMN data_subjects.did IS 'The subject''s decentralized identifier; by default one under the controller''s.';
COMMENT ON COLUMN data_subjects.display_name IS 'The person''s name, when known.';
COMMENT ON COLUMN data_subjects.email IS 'The person''s e-mail address, when known.';
COMMENT ON COLUMN data_subjects.country IS 'Where the person lives, two letters (ISO 3166-1).';
COMMENT ON COLUMN data_subjects.language IS 'The language in which the person is written to: en, de or nl; by default the controller''s.';
COMMENT ON COLUMN data_subjects.do_not_track IS 'Whether the person''s browser sent the Do Not Track signal.';
COMMENT ON COLUMN data_subjects.global_privacy_control IS 'Whether the person''s browser sent the Global Privacy Control signal.';
COMMENT ON COLUMN data_subjects.created_at IS 'When the controller first met the person.';
COMMENT ON COLUMN data_subjects.updated_at IS 'When the record was last changed.';
CREATE INDEX data_subjects_controller_created_at_idx ON data_subjects (data_controller_id, created_at);
CREATE INDEX data_subjects_created_at_idx ON data_subjects (created_at);

CREATE FUNCTION complete_data_subject() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF NEW.did IS NULL OR NEW.language IS NULL THEN
    SELECT coalesce(NEW.did, c.did || ':subjects:' || left(replace(gen_random_uuid()::text, '-', ''), 16)), coalesce(NEW.language, c.language)
      INTO NEW.did, NEW.language
      FROM data_controllers c WHERE c.id = NEW.data_controller_id;
    IF NOT FOUND THEN
      RAISE EXCEPTION 'no such data controller' USING ERRCODE = 'foreign_key_violation',
        TABLE = 'data_subjects', CONSTRAINT = 'data_subjects_data_controller_id_fkey';
    END IF;
  END IF;
  RETURN NEW;
END $$;
COMMENT ON FUNCTION complete_data_subject() IS 'Gives a new person the language of the controller, and an identifier under the controller''s.';
CREATE TRIGGER complete_data_subject BEFORE INSERT ON data_subjects FOR EACH ROW EXECUTE FUNCTION complete_data_subject();

CREATE TABLE data_processing_activity_types (
  id       uuid  PRIMARY KEY DEFAULT gen_random_uuid(),
  code     text  NOT NULL CONSTRAINT data_processing_activity_types_code_key UNIQUE CHECK (code ~ '^[a-z_]+$'),
  labels   jsonb NOT NULL CHECK (is_translated(labels)),
  label    text  NOT NULL GENERATED ALWAYS AS (labels ->> 'en') STORED,
  comments jsonb CHECK (is_translated(comments)),
  comment  text  GENERATED ALWAYS AS (comments ->> 'en') STORED,
  purpose_business_template_id uuid REFERENCES purpose_business_templates,
  reported_by_person boolean NOT NULL DEFAULT false
);
COMMENT ON TABLE data_processing_activity_types IS 'A kind of processing activity.';
COMMENT ON COLUMN data_processing_activity_types.id IS 'The type''s identifier.';
COMMENT ON COLUMN data_processing_activity_types.code IS 'A stable name for programs.';
COMMENT ON COLUMN data_processing_activity_types.labels IS 'A name for people, by language: en, de, nl.';
COMMENT ON COLUMN data_processing_activity_types.label IS 'A name for people, in English.';
COMMENT ON COLUMN data_processing_activity_types.comments IS 'When the type is used, by language: en, de, nl.';
COMMENT ON COLUMN data_processing_activity_types.comment IS 'When the type is used, in English.';
COMMENT ON COLUMN data_processing_activity_types.purpose_business_template_id IS 'The template of the purposes that such an activity serves.';
COMMENT ON COLUMN data_processing_activity_types.reported_by_person IS 'Whether a person''s own browser or app may report it, about that person.';

CREATE TABLE data_processing_activity_sources (
  id     uuid  PRIMARY KEY DEFAULT gen_random_uuid(),
  code   text  NOT NULL CONSTRAINT data_processing_activity_sources_code_key UNIQUE CHECK (code ~ '^[a-z_]+$'),
  labels jsonb NOT NULL CHECK (is_translated(labels)),
  label  text  NOT NULL GENERATED ALWAYS AS (labels ->> 'en') STORED,
  reported_by_person boolean NOT NULL DEFAULT false
);
COMMENT ON TABLE data_processing_activity_sources IS 'Where a processing activity was noticed.';
COMMENT ON COLUMN data_processing_activity_sources.id IS 'The source''s identifier.';
COMMENT ON COLUMN data_processing_activity_sources.code IS 'A stable name for programs.';
COMMENT ON COLUMN data_processing_activity_sources.labels IS 'A name for people, by language: en, de, nl.';
COMMENT ON COLUMN data_processing_activity_sources.label IS 'A name for people, in English.';
COMMENT ON COLUMN data_processing_activity_sources.reported_by_person IS 'Whether it is a page or an app that a person uses, which reports about that person.';

CREATE TABLE data_processing_activity_fields (
  id         uuid    PRIMARY KEY DEFAULT gen_random_uuid(),
  code       text    NOT NULL CONSTRAINT data_processing_activity_fields_code_key UNIQUE CHECK (code ~ '^[a-z_]+$'),
  labels     jsonb   NOT NULL CHECK (is_translated(labels)),
  label      text    NOT NULL GENERATED ALWAYS AS (labels ->> 'en') STORED,
  data_type  text    NOT NULL CHECK (data_type IN ('text', 'number', 'date', 'boolean', 'address', 'reference')),
  category   text    NOT NULL CHECK (category IN ('identity', 'contact', 'contract', 'payment', 'usage', 'location', 'preference', 'health')),
  is_special boolean NOT NULL GENERATED ALWAYS AS (category = 'health') STORED,
  comments   jsonb   CHECK (is_translated(comments)),
  comment    text    GENERATED ALWAYS AS (comments ->> 'en') STORED
);
COMMENT ON TABLE data_processing_activity_fields IS 'Definition of a field that a processing activity may touch.';
COMMENT ON COLUMN data_processing_activity_fields.id IS 'The field''s identifier, as found in fieldIds of an activity.';
COMMENT ON COLUMN data_processing_activity_fields.code IS 'A stable name for programs.';
COMMENT ON COLUMN data_processing_activity_fields.labels IS 'A name for people, by language: en, de, nl.';
COMMENT ON COLUMN data_processing_activity_fields.label IS 'A name for people, in English.';
COMMENT ON COLUMN data_processing_activity_fields.data_type IS 'text, number, date, boolean, address or reference.';
COMMENT ON COLUMN data_processing_activity_fields.category IS 'identity, contact, contract, payment, usage, location, preference or health.';
COMMENT ON COLUMN data_processing_activity_fields.is_special IS 'Whether it belongs to a special category of Article 9 GDPR.';
COMMENT ON COLUMN data_processing_activity_fields.comments IS 'What the field holds, by language: en, de, nl.';
COMMENT ON COLUMN data_processing_activity_fields.comment IS 'What the field holds, in English.';

CREATE TABLE data_processing_preferences (
  id       uuid  PRIMARY KEY DEFAULT gen_random_uuid(),
  code     text  NOT NULL CONSTRAINT data_processing_preferences_code_key UNIQUE CHECK (code ~ '^[a-z_]+$'),
  labels   jsonb NOT NULL CHECK (is_translated(labels)),
  label    text  NOT NULL GENERATED ALWAYS AS (labels ->> 'en') STORED,
  comments jsonb CHECK (is_translated(comments)),
  comment  text  GENERATED ALWAYS AS (comments ->> 'en') STORED
);
COMMENT ON TABLE data_processing_preferences IS 'A preference that held when data was processed.';
COMMENT ON COLUMN data_processing_preferences.id IS 'The preference''s identifier, as found in preferenceIds of an activity.';
COMMENT ON COLUMN data_processing_preferences.code IS 'A stable name for programs.';
COMMENT ON COLUMN data_processing_preferences.labels IS 'A name for people, by language: en, de, nl.';
COMMENT ON COLUMN data_processing_preferences.label IS 'A name for people, in English.';
COMMENT ON COLUMN data_processing_preferences.comments IS 'What the data subject has chosen with it, by language: en, de, nl.';
COMMENT ON COLUMN data_processing_preferences.comment IS 'What the data subject has chosen with it, in English.';

CREATE TABLE data_processing_activities (
  id              uuid        PRIMARY KEY DEFAULT gen_random_uuid(),
  data_subject_id uuid        NOT NULL REFERENCES data_subjects ON DELETE RESTRICT,
  type_id         uuid        NOT NULL REFERENCES data_processing_activity_types,
  source_id       uuid        NOT NULL REFERENCES data_processing_activity_sources,
  triggered_at    timestamptz NOT NULL DEFAULT now(),
  field_ids       uuid[]      NOT NULL DEFAULT '{}' CHECK (array_position(field_ids, NULL) IS NULL),
  preference_ids  uuid[]      NOT NULL DEFAULT '{}' CHECK (array_position(preference_ids, NULL) IS NULL),
  recorded_by     text        NOT NULL DEFAULT 'system' CHECK (recorded_by IN ('system', 'colleague', 'person', 'visitor'))
);
COMMENT ON TABLE data_processing_activities IS 'Record of one processing of a person''s data (Article 30 GDPR).';
COMMENT ON COLUMN data_processing_activities.id IS 'The record''s identifier.';
COMMENT ON COLUMN data_processing_activities.data_subject_id IS 'The person whose data was processed.';
COMMENT ON COLUMN data_processing_activities.type_id IS 'What was done.';
COMMENT ON COLUMN data_processing_activities.source_id IS 'Where it was noticed.';
COMMENT ON COLUMN data_processing_activities.triggered_at IS 'When it was done.';
COMMENT ON COLUMN data_processing_activities.field_ids IS 'The fields that were touched (data_processing_activity_fields).';
COMMENT ON COLUMN data_processing_activities.preference_ids IS 'The preferences that held (data_processing_preferences).';
COMMENT ON COLUMN data_processing_activities.recorded_by IS 'Who recorded it: system (the controller''s systems and integrations), colleague, person or visitor.';
CREATE INDEX data_processing_activities_subject_idx ON data_processing_activities (data_subject_id, triggered_at);
CREATE INDEX data_processing_activities_triggered_at_idx ON data_processing_activities (triggered_at);
CREATE INDEX data_processing_activities_type_idx ON data_processing_activities (type_id);
CREATE INDEX data_processing_activities_source_idx ON data_processing_activities (source_id);

CREATE TABLE data_subject_consent_form_values (
  id              uuid        PRIMARY KEY DEFAULT gen_random_uuid(),
  data_subject_id uuid        NOT NULL REFERENCES data_subjects ON DELETE RESTRICT,
  data_controller_processing_purpose_id uuid NOT NULL REFERENCES data_controller_processing_purposes ON DELETE RESTRICT,
  value           text        NOT NULL CHECK (value IN ('true', 'false')),
  given_by        text        NOT NULL CHECK (given_by IN ('person', 'visitor', 'colleague', 'integration', 'browser_signal', 'operator')),
  given_by_user_id uuid       REFERENCES users ON DELETE RESTRICT,
  form            text        NOT NULL CHECK (form ~ '^(widget|api|dashboard|paper|telephone|browser|rights_request|direct|webhook:[a-z-]+)$'),
  purpose_version integer     NOT NULL,
  privacy_notice_id uuid,
  text_digest     text        CHECK (text_digest ~ '^[0-9a-f]{64}$'),
  created_at      timestamptz NOT NULL DEFAULT now(),
  updated_at      timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT data_subject_consent_form_values_purpose_key UNIQUE (data_subject_id, data_controller_processing_purpose_id),
  CONSTRAINT data_subject_consent_form_values_colleague_check CHECK ((given_by = 'colleague') = (given_by_user_id IS NOT NULL)),
  -- A tool and a browser say that a person does not want something. That a person agrees, and to which text, they cannot show.
  CONSTRAINT data_subject_consent_form_values_agreed_check CHECK (require(value = 'false' OR given_by NOT IN ('integration', 'browser_signal'), 'an integration and a browser withdraw consents, and give none'))
);
COMMENT ON TABLE data_subject_consent_form_values IS 'What a person answered when asked for consent to a purpose.';
COMMENT ON COLUMN data_subject_consent_form_values.id IS 'The answer''s identifier.';
COMMENT ON COLUMN data_subject_consent_form_values.data_subject_id IS 'The person asked.';
COMMENT ON COLUMN data_subject_consent_form_values.data_controller_processing_purpose_id IS 'The purpose asked about.';
COMMENT ON COLUMN data_subject_consent_form_values.value IS 'The answer: "true" when consent was given, "false" when it was refused or withdrawn.';
COMMENT ON COLUMN data_subject_consent_form_values.given_by IS 'Who answered: person, visitor, colleague (of the team), integration (a tool reported it), browser_signal (Global Privacy Control) or operator (of the service).';
COMMENT ON COLUMN data_subject_consent_form_values.given_by_user_id IS 'The colleague who entered the answer.';
COMMENT ON COLUMN data_subject_consent_form_values.form IS 'Where the answer was given: widget, api, dashboard, paper, telephone, browser, rights_request (an erasure), direct (by the operator), or webhook: and the name of the integration.';
COMMENT ON COLUMN data_subject_consent_form_values.purpose_version IS 'The version of the purpose that was answered.';
COMMENT ON COLUMN data_subject_consent_form_values.privacy_notice_id IS 'The privacy notice in force when the answer was given; null where no text of the controller was shown.';
COMMENT ON COLUMN data_subject_consent_form_values.text_digest IS 'SHA-256 of the text that was shown: the purpose and the notice, as the field shownText has them.';
COMMENT ON COLUMN data_subject_consent_form_values.created_at IS 'When the person first answered.';
COMMENT ON COLUMN data_subject_consent_form_values.updated_at IS 'When the answer was last changed.';
CREATE INDEX data_subject_consent_form_values_purpose_idx ON data_subject_consent_form_values (data_controller_processing_purpose_id);
CREATE INDEX data_subject_consent_form_values_updated_at_idx ON data_subject_consent_form_values (updated_at);

-- What was answered before: a consent that is changed leaves its former answer here with its evidence, whoever changes it.
CREATE TABLE data_subject_consent_history (
  id              uuid        PRIMARY KEY DEFAULT gen_random_uuid(),
  data_subject_consent_form_value_id uuid NOT NULL REFERENCES data_subject_consent_form_values ON DELETE RESTRICT,
  data_subject_id uuid        NOT NULL REFERENCES data_subjects ON DELETE RESTRICT,
  value           text        NOT NULL CHECK (value IN ('true', 'false')),
  given_by        text        NOT NULL,
  given_by_user_id uuid       REFERENCES users ON DELETE RESTRICT,
  form            text        NOT NULL,
  purpose_version integer     NOT NULL,
  privacy_notice_id uuid,
  text_digest     text,
  valid_from      timestamptz NOT NULL,
  replaced_at     timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE data_subject_consent_history IS 'A former answer of a data subject to a purpose.';
COMMENT ON COLUMN data_subject_consent_history.id IS 'The identifier of the entry.';
COMMENT ON COLUMN data_subject_consent_history.data_subject_consent_form_value_id IS 'The consent that was changed.';
COMMENT ON COLUMN data_subject_consent_history.data_subject_id IS 'The data subject whose answer it was.';
COMMENT ON COLUMN data_subject_consent_history.value IS 'The former answer.';
COMMENT ON COLUMN data_subject_consent_history.given_by IS 'Who answered: person, visitor, colleague (of the team), integration (a tool reported it), browser_signal (Global Privacy Control) or operator (of the service).';
COMMENT ON COLUMN data_subject_consent_history.given_by_user_id IS 'The colleague who entered the answer.';
COMMENT ON COLUMN data_subject_consent_history.form IS 'Where the answer was given: widget, api, dashboard, paper, telephone, browser, rights_request (an erasure), direct (by the operator), or webhook: and the name of the integration.';
COMMENT ON COLUMN data_subject_consent_history.purpose_version IS 'The version of the purpose that was answered.';
COMMENT ON COLUMN data_subject_consent_history.privacy_notice_id IS 'The privacy notice in force when the answer was given; null where no text of the controller was shown.';
COMMENT ON COLUMN data_subject_consent_history.text_digest IS 'SHA-256 of the text that was shown: the purpose and the notice, as the field shownText has them.';
COMMENT ON COLUMN data_subject_consent_history.valid_from IS 'Since when it held.';
COMMENT ON COLUMN data_subject_consent_history.replaced_at IS 'When another answer replaced it.';
CREATE INDEX data_subject_consent_history_subject_idx ON data_subject_consent_history (data_subject_id, replaced_at);
CREATE INDEX data_subject_consent_history_value_idx ON data_subject_consent_history (data_subject_consent_form_value_id);

CREATE TABLE data_subject_rights_requests (
  id                  uuid        PRIMARY KEY DEFAULT gen_random_uuid(),
  data_subject_id     uuid        NOT NULL REFERENCES data_subjects ON DELETE RESTRICT,
  request_type        text        NOT NULL CHECK (request_type IN ('access', 'erasure', 'rectification', 'portability', 'restriction', 'objection', 'deletion')),
  status              text        NOT NULL DEFAULT 'submitted' CHECK (status IN ('submitted', 'pending', 'in_progress', 'completed', 'rejected', 'withdrawn')),
  description         text        CHECK (char_length(description) <= 4000),
  channel             text        NOT NULL DEFAULT 'colleague' CHECK (channel IN ('signed_in', 'visitor', 'colleague')),
  contact_email       text        CHECK (contact_email ~ '^[^@[:space:]]+@[^@[:space:]]+$' AND char_length(contact_email) <= 254),
  contact_verified_at timestamptz,
  verified            boolean     NOT NULL DEFAULT false,
  verified_at         timestamptz,
  verified_by         uuid,
  identity_evidence   text        CHECK (char_length(identity_evidence) BETWEEN 1 AND 500),
  erased_at           timestamptz,
  erased_by           uuid,
  result              text        CHECK (char_length(result) BETWEEN 1 AND 20000),
  rejection_reason    text        CHECK (char_length(rejection_reason) BETWEEN 1 AND 4000),
  closed_at           timestamptz,
  closed_by           uuid,
  created_at          timestamptz NOT NULL DEFAULT now(),
  updated_at          timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT data_subject_rights_requests_contact_check CHECK (contact_verified_at IS NULL OR contact_email IS NOT NULL),
  CONSTRAINT data_subject_rights_requests_verified_check CHECK (verified = (verified_at IS NOT NULL)),
  CONSTRAINT data_subject_rights_requests_closed_check CHECK ((status IN ('completed', 'rejected', 'withdrawn')) = (closed_at IS NOT NULL)),
  CONSTRAINT data_subject_rights_requests_completed_check CHECK (status <> 'completed' OR verified AND result IS NOT NULL),
  CONSTRAINT data_subject_rights_requests_rejected_check CHECK (status <> 'rejected' OR rejection_reason IS NOT NULL)
);
COMMENT ON TABLE data_subject_rights_requests IS 'A person''s request under Articles 15 to 21 GDPR.';
COMMENT ON COLUMN data_subject_rights_requests.id IS 'The request''s identifier.';
COMMENT ON COLUMN data_subject_rights_requests.data_subject_id IS 'The person who asks.';
COMMENT ON COLUMN data_subject_rights_requests.request_type IS 'access, erasure, rectification, portability, restriction, objection or deletion.';
COMMENT ON COLUMN data_subject_rights_requests.status IS 'submitted, pending, in_progress, completed, rejected or withdrawn.';
COMMENT ON COLUMN data_subject_rights_requests.description IS 'The request in the person''s own words, at most 4,000 characters.';
COMMENT ON COLUMN data_subject_rights_requests.channel IS 'How it came in: signed_in (the person was signed in), visitor (under a pseudonym) or colleague (a member of the team entered it).';
COMMENT ON COLUMN data_subject_rights_requests.contact_email IS 'The address that the person left for the answer; nobody has confirmed it before contactVerifiedAt.';
COMMENT ON COLUMN data_subject_rights_requests.contact_verified_at IS 'When the person confirmed the address with a code.';
COMMENT ON COLUMN data_subject_rights_requests.verified IS 'Whether the person''s identity was checked.';
COMMENT ON COLUMN data_subject_rights_requests.verified_at IS 'When the identity was checked.';
COMMENT ON COLUMN data_subject_rights_requests.verified_by IS 'The member of the team who checked the identity.';
COMMENT ON COLUMN data_subject_rights_requests.identity_evidence IS 'How the identity was checked.';
COMMENT ON COLUMN data_subject_rights_requests.erased_at IS 'When the data that may be erased was erased.';
COMMENT ON COLUMN data_subject_rights_requests.erased_by IS 'The member of the team who ran the erasure.';
COMMENT ON COLUMN data_subject_rights_requests.result IS 'The answer to the person; what is attached is under documents.';
COMMENT ON COLUMN data_subject_rights_requests.rejection_reason IS 'Why the request was rejected, as the person reads it.';
COMMENT ON COLUMN data_subject_rights_requests.closed_at IS 'When the request was completed, rejected or withdrawn.';
COMMENT ON COLUMN data_subject_rights_requests.closed_by IS 'The member of the team who closed the request; null if the person withdrew it.';
COMMENT ON COLUMN data_subject_rights_requests.created_at IS 'When the request came in; the answer is due within a month.';
COMMENT ON COLUMN data_subject_rights_requests.updated_at IS 'When the request was last changed.';
CREATE INDEX data_subject_rights_requests_subject_idx ON data_subject_rights_requests (data_subject_id, created_at);
CREATE INDEX data_subject_rights_requests_created_at_idx ON data_subject_rights_requests (created_at);

CREATE TABLE notification_messages (
  id              uuid        PRIMARY KEY DEFAULT gen_random_uuid(),
  data_subject_id uuid        NOT NULL REFERENCES data_subjects ON DELETE RESTRICT,
  kind            text        NOT NULL DEFAULT 'info' CHECK (kind IN ('info', 'consent', 'rights_request', 'notice', 'security')),
  title           text        NOT NULL CHECK (char_length(title) BETWEEN 1 AND 200),
  body            text        NOT NULL CHECK (char_length(body) <= 8000),
  is_read         boolean     NOT NULL DEFAULT false,
  created_at      timestamptz NOT NULL DEFAULT now(),
  updated_at      timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE notification_messages IS 'A message of a controller to a data subject.';
COMMENT ON COLUMN notification_messages.id IS 'The message''s identifier.';
COMMENT ON COLUMN notification_messages.data_subject_id IS 'The person the message is for.';
COMMENT ON COLUMN notification_messages.kind IS 'info, consent, rights_request, notice or security.';
COMMENT ON COLUMN notification_messages.title IS 'The message in one line.';
COMMENT ON COLUMN notification_messages.body IS 'The message.';
COMMENT ON COLUMN notification_messages.is_read IS 'Whether the person has read it.';
COMMENT ON COLUMN notification_messages.created_at IS 'When the message was sent.';
COMMENT ON COLUMN notification_messages.updated_at IS 'When the message was last changed, e.g. marked as read.';
CREATE INDEX notification_messages_subject_idx ON notification_messages (data_subject_id, created_at);
CREATE INDEX notification_messages_unread_idx ON notification_messages (data_subject_id) WHERE NOT is_read;

-- ---------------------------------------------------------------------------------------------------------
-- What a controller tells the public
-- ---------------------------------------------------------------------------------------------------------

CREATE TABLE data_controller_faqs (
  id                 uuid        PRIMARY KEY DEFAULT gen_random_uuid(),
  data_controller_id uuid        NOT NULL REFERENCES data_controllers ON DELETE CASCADE,
  category           text        NOT NULL DEFAULT 'general',
  question           text        NOT NULL CHECK (question <> ''),
  answer             text        NOT NULL,
  position           integer     NOT NULL DEFAULT 0,
  published          boolean     NOT NULL DEFAULT false,
  created_at         timestamptz NOT NULL DEFAULT now(),
  updated_at         timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE data_controller_faqs IS 'A question about privacy that a controller is often asked, with its answer.';
COMMENT ON COLUMN data_controller_faqs.id IS 'The entry''s identifier.';
COMMENT ON COLUMN data_controller_faqs.data_controller_id IS 'The controller that answers.';
COMMENT ON COLUMN data_controller_faqs.category IS 'A heading for the list.';
COMMENT ON COLUMN data_controller_faqs.question IS 'The question, as people ask it.';
COMMENT ON COLUMN data_controller_faqs.answer IS 'The answer.';
COMMENT ON COLUMN data_controller_faqs.position IS 'Place in the list.';
COMMENT ON COLUMN data_controller_faqs.published IS 'Whether the public sees the entry.';
COMMENT ON COLUMN data_controller_faqs.created_at IS 'When the entry was written.';
COMMENT ON COLUMN data_controller_faqs.updated_at IS 'When the entry was last changed.';
CREATE INDEX data_controller_faqs_position_idx ON data_controller_faqs (data_controller_id, position);

CREATE TABLE privacy_notices (
  id                 uuid        PRIMARY KEY DEFAULT gen_random_uuid(),
  data_controller_id uuid        NOT NULL REFERENCES data_controllers ON DELETE RESTRICT,
  title              text        NOT NULL CHECK (title <> ''),
  version            integer     NOT NULL DEFAULT 1 CHECK (version > 0),
  language           text        NOT NULL DEFAULT 'en' CHECK (language IN ('en', 'de', 'nl')),
  quick_look         text        NOT NULL,
  overview           text        NOT NULL,
  "full"             text        NOT NULL,
  published          boolean     NOT NULL DEFAULT false,
  published_at       timestamptz,
  created_at         timestamptz NOT NULL DEFAULT now(),
  updated_at         timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT privacy_notices_version_key UNIQUE (data_controller_id, language, version),
  CONSTRAINT privacy_notices_published_at_check CHECK (NOT published OR published_at IS NOT NULL)
);
COMMENT ON TABLE privacy_notices IS 'A controller''s privacy notice, at three levels of detail.';
COMMENT ON COLUMN privacy_notices.id IS 'The notice''s identifier.';
COMMENT ON COLUMN privacy_notices.data_controller_id IS 'The controller that gives notice.';
COMMENT ON COLUMN privacy_notices.title IS 'The notice''s heading.';
COMMENT ON COLUMN privacy_notices.version IS 'Counts up with every change that was published.';
COMMENT ON COLUMN privacy_notices.language IS 'The language of the text: en, de or nl.';
COMMENT ON COLUMN privacy_notices.quick_look IS 'Level quickLook: the notice in a sentence or two.';
COMMENT ON COLUMN privacy_notices.overview IS 'Level overview: the main points.';
COMMENT ON COLUMN privacy_notices."full" IS 'Level full: the whole text.';
COMMENT ON COLUMN privacy_notices.published IS 'Whether the public sees the notice.';
COMMENT ON COLUMN privacy_notices.published_at IS 'When the notice was published; null for a draft.';
COMMENT ON COLUMN privacy_notices.created_at IS 'When the notice was written.';
COMMENT ON COLUMN privacy_notices.updated_at IS 'When the notice was last changed.';
CREATE INDEX privacy_notices_published_idx ON privacy_notices (data_controller_id, published_at) WHERE published;

-- ---------------------------------------------------------------------------------------------------------
-- Notes: a table with every kind of column, for trying clients
-- ---------------------------------------------------------------------------------------------------------

CREATE TYPE note_priority AS ENUM ('low', 'normal', 'high', 'urgent');
COMMENT ON TYPE note_priority IS 'How soon a note wants attention.';
CREATE DOMAIN percentage AS smallint CHECK (VALUE BETWEEN 0 AND 100);
COMMENT ON DOMAIN percentage IS 'A whole number from 0 to 100.';
CREATE TYPE note_source AS (system text, reference bigint);
COMMENT ON TYPE note_source IS 'Where a note came from: a system and its number there.';

CREATE TABLE notes (
  id             integer          GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
  user_id        uuid             REFERENCES users ON DELETE CASCADE,
  title          text             NOT NULL CHECK (title <> ''),
  body           text,
  title_length   integer          NOT NULL GENERATED ALWAYS AS (char_length(title)) STORED,
  priority       note_priority    NOT NULL DEFAULT 'normal',
  pinned         boolean          NOT NULL DEFAULT false,
  small          smallint,
  whole          integer,
  big            bigint,
  amount         numeric(20,4),
  exact          numeric,
  ratio          real,
  score          double precision,
  price          money,
  progress       percentage,
  code           varchar(32),
  initial        char(1),
  padded         char(8),
  letter         "char",
  short_name     name,
  reference      uuid,
  day            date,
  at_time        time,
  at_timetz      timetz,
  happened       timestamp,
  happened_tz    timestamptz,
  duration       interval,
  plain          json,
  document       jsonb,
  markup         xml,
  raw            bytea,
  flags          bit(8),
  mask           varbit,
  address        inet,
  network        cidr,
  hardware       macaddr,
  hardware8      macaddr8,
  numbers        integer[],
  grid           integer[][],
  amounts        numeric[],
  tags           text[],
  links          uuid[],
  priorities     note_priority[],
  moments        timestamptz[],
  documents      jsonb[],
  span           int4range,
  big_span       int8range,
  amount_span    numrange,
  days           daterange,
  period         tstzrange,
  spans          int4multirange,
  search         tsvector,
  query          tsquery,
  spot           point,
  segment        lseg,
  area           box,
  route          path,
  shape          polygon,
  reach          circle,
  path_in_json   jsonpath,
  source         note_source,
  position_in_log pg_lsn,
  created_at     timestamptz      NOT NULL DEFAULT now(),
  updated_at     timestamptz      NOT NULL DEFAULT now()
);
COMMENT ON TABLE notes IS 'A note with a column of every kind, for trying clients of the dialect.';
COMMENT ON COLUMN notes.id IS 'Counts up; may be given.';
COMMENT ON COLUMN notes.user_id IS 'Who wrote the note.';
COMMENT ON COLUMN notes.title_length IS 'Length of the title; generated, so it cannot be written.';
COMMENT ON COLUMN notes.padded IS 'Padded with spaces to eight characters.';
COMMENT ON COLUMN notes.search IS 'Words of the note, for full-text search.';
COMMENT ON COLUMN notes.source IS 'A composite value.';
CREATE INDEX notes_user_idx ON notes (user_id, created_at);
CREATE INDEX notes_created_at_idx ON notes (created_at);
CREATE INDEX notes_document_idx ON notes USING gin (document jsonb_path_ops);
CREATE INDEX notes_search_idx ON notes USING gin (search);

-- ---------------------------------------------------------------------------------------------------------

-- What people agreed to stays as they read it: the wording of a purpose is free while it is a draft, and a purpose goes from
-- draft to active to retired and never back. A rule sees the row before or after a change; this needs both.
CREATE FUNCTION keep_purpose() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.status <> 'draft' AND (NEW.data_controller_id, NEW.title, NEW.description, NEW.legal_basis, NEW.retention_months, NEW.respects_global_privacy_control, NEW.version, NEW.replaces_id)
       IS DISTINCT FROM (OLD.data_controller_id, OLD.title, OLD.description, OLD.legal_basis, OLD.retention_months, OLD.respects_global_privacy_control, OLD.version, OLD.replaces_id) THEN
    RAISE EXCEPTION 'a purpose that is no draft keeps its wording' USING ERRCODE = 'check_violation';
  END IF;
  IF OLD.status = 'active' AND NEW.status = 'draft' OR OLD.status = 'retired' AND NEW.status <> 'retired' THEN
    RAISE EXCEPTION 'a purpose goes from draft to active to retired' USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;
COMMENT ON FUNCTION keep_purpose() IS 'Refuses changes of a purpose that would alter what people agreed to.';

-- A new wording is a new purpose: whoever agreed to the old one has not agreed to it.
CREATE FUNCTION number_purpose() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.version := 1;
  IF NEW.replaces_id IS NOT NULL THEN
    SELECT p.version + 1 INTO NEW.version FROM data_controller_processing_purposes p
     WHERE p.id = NEW.replaces_id AND p.data_controller_id = NEW.data_controller_id;
    IF NOT FOUND THEN
      RAISE EXCEPTION 'a purpose replaces one of its own controller' USING ERRCODE = 'check_violation';
    END IF;
  END IF;
  RETURN NEW;
END $$;
COMMENT ON FUNCTION number_purpose() IS 'Sets the version of a new purpose.';
CREATE TRIGGER number_purpose BEFORE INSERT ON data_controller_processing_purposes FOR EACH ROW EXECUTE FUNCTION number_purpose();
CREATE TRIGGER keep_purpose BEFORE UPDATE ON data_controller_processing_purposes FOR EACH ROW EXECUTE FUNCTION keep_purpose();

-- ---------------------------------------------------------------------------------------------------------
-- Evidence of consent (Article 7 GDPR): who agreed to which text, when and where, kept against every role of the gateway.
-- Only the tables' owner can switch triggers off.
-- ---------------------------------------------------------------------------------------------------------

ALTER TABLE data_subject_consent_form_values ADD FOREIGN KEY (privacy_notice_id) REFERENCES privacy_notices ON DELETE RESTRICT;
ALTER TABLE data_subject_consent_history ADD FOREIGN KEY (privacy_notice_id) REFERENCES privacy_notices ON DELETE RESTRICT;
CREATE INDEX data_subject_consent_form_values_user_idx ON data_subject_consent_form_values (given_by_user_id) WHERE given_by_user_id IS NOT NULL;
CREATE INDEX data_subject_consent_history_user_idx ON data_subject_consent_history (given_by_user_id) WHERE given_by_user_id IS NOT NULL;
CREATE INDEX data_subject_consent_form_values_notice_idx ON data_subject_consent_form_values (privacy_notice_id);
CREATE INDEX data_subject_consent_history_notice_idx ON data_subject_consent_history (privacy_notice_id);

CREATE FUNCTION keep_notice() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' OR (NEW.id, NEW.data_controller_id, NEW.title, NEW.version, NEW.language, NEW.quick_look, NEW.overview, NEW."full", NEW.published_at)
       IS DISTINCT FROM (OLD.id, OLD.data_controller_id, OLD.title, OLD.version, OLD.language, OLD.quick_look, OLD.overview, OLD."full", OLD.published_at) THEN
    RAISE EXCEPTION 'a notice that was published stays as people read it' USING ERRCODE = 'check_violation';
  END IF;
  RETURN NEW;
END $$;
COMMENT ON FUNCTION keep_notice() IS 'Refuses changes of a notice that was published.';
CREATE TRIGGER keep_notice BEFORE UPDATE OR DELETE ON privacy_notices FOR EACH ROW WHEN (OLD.published_at IS NOT NULL) EXECUTE FUNCTION keep_notice();

CREATE FUNCTION notice_in_force(controller uuid, moment timestamptz DEFAULT now()) RETURNS uuid LANGUAGE sql STABLE AS $$
  SELECT n.id FROM privacy_notices n JOIN data_controllers c ON c.id = n.data_controller_id
   WHERE n.data_controller_id = controller AND n.published_at <= moment
   ORDER BY n.language = c.language DESC, n.version DESC LIMIT 1
$$;
COMMENT ON FUNCTION notice_in_force(uuid, timestamptz) IS 'The privacy notice of a controller that was published last, in the controller''s language if there is one.';

CREATE FUNCTION consent_text(purpose uuid, notice uuid) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT p.title || E'\n\n' || p.description || coalesce(E'\n\n' || n.title || ' (' || n.version || E')\n\n' || n."full", '')
    FROM data_controller_processing_purposes p LEFT JOIN privacy_notices n ON n.id = notice WHERE p.id = purpose
$$;
COMMENT ON FUNCTION consent_text(uuid, uuid) IS 'The text that a person is shown who is asked for consent: a purpose and a privacy notice, neither of which changes any more.';

CREATE FUNCTION consent_text_digest(purpose uuid, notice uuid) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT encode(sha256(convert_to(consent_text(purpose, notice), 'UTF8')), 'hex')
$$;
COMMENT ON FUNCTION consent_text_digest(uuid, uuid) IS 'SHA-256 of the text of a consent in hexadecimal digits.';

CREATE FUNCTION consent_shown_text(consent data_subject_consent_form_values) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT CASE WHEN consent.text_digest IS NOT NULL THEN consent_text(consent.data_controller_processing_purpose_id, consent.privacy_notice_id) END
$$;
COMMENT ON FUNCTION consent_shown_text(data_subject_consent_form_values) IS 'The text that was shown when the answer was given; its SHA-256 is textDigest. Null where none was.';

CREATE FUNCTION former_consent_shown_text(consent data_subject_consent_history) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT consent_text(v.data_controller_processing_purpose_id, consent.privacy_notice_id)
    FROM data_subject_consent_form_values v WHERE v.id = consent.data_subject_consent_form_value_id AND consent.text_digest IS NOT NULL
$$;
COMMENT ON FUNCTION former_consent_shown_text(data_subject_consent_history) IS 'The text that was shown when the answer was given; its SHA-256 is textDigest. Null where none was.';

CREATE FUNCTION honours_global_privacy_control(controller uuid) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT FROM data_controllers c WHERE c.id = controller AND c.compliance_configuration ->> 'honoursGlobalPrivacyControl' = 'true')
$$;
COMMENT ON FUNCTION honours_global_privacy_control(uuid) IS 'Whether a controller honours the signal Global Privacy Control.';

CREATE FUNCTION ruled_out_by_signal(subject uuid, purpose uuid) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT FROM data_subjects s JOIN data_controller_processing_purposes p ON p.data_controller_id = s.data_controller_id
                  WHERE s.id = subject AND s.global_privacy_control AND p.id = purpose AND p.respects_global_privacy_control
                    AND honours_global_privacy_control(p.data_controller_id))
$$;
COMMENT ON FUNCTION ruled_out_by_signal(uuid, uuid) IS 'Whether the signal Global Privacy Control of a person keeps a purpose switched off.';

-- A statement that names who gives a consent, or the form, sets the column; one that does not would keep what the row has of the answer
-- before. The trigger of a column tells them apart, and the row itself carries the sign to `record_consent`, which clears it.
CREATE FUNCTION mark_giver() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.updated_at := 'infinity';
  RETURN NEW;
END $$;
COMMENT ON FUNCTION mark_giver() IS 'Marks a change of a consent that says who makes it.';
CREATE FUNCTION mark_form() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.created_at := 'infinity';
  RETURN NEW;
END $$;
COMMENT ON FUNCTION mark_form() IS 'Marks a change of a consent that says by which form it is made.';
CREATE TRIGGER mark_giver BEFORE UPDATE OF given_by ON data_subject_consent_form_values FOR EACH ROW EXECUTE FUNCTION mark_giver();
CREATE TRIGGER mark_form BEFORE UPDATE OF form ON data_subject_consent_form_values FOR EACH ROW EXECUTE FUNCTION mark_form();

CREATE FUNCTION record_consent() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  purpose data_controller_processing_purposes;
  subject data_subjects;
BEGIN
  IF TG_OP = 'UPDATE' THEN
    IF (NEW.id, NEW.data_subject_id, NEW.data_controller_processing_purpose_id)
         IS DISTINCT FROM (OLD.id, OLD.data_subject_id, OLD.data_controller_processing_purpose_id) THEN
      RAISE EXCEPTION 'a consent stays with its person and its purpose' USING ERRCODE = 'check_violation';
    END IF;
    IF NEW.updated_at IS DISTINCT FROM 'infinity' THEN
      NEW.given_by := NULL;
    END IF;
    IF NEW.created_at IS DISTINCT FROM 'infinity' THEN
      NEW.form := NULL;
    END IF;
  END IF;
  NEW.created_at := CASE TG_OP WHEN 'UPDATE' THEN OLD.created_at ELSE now() END;
  NEW.updated_at := now();
  NEW.given_by := coalesce(NEW.given_by, 'operator');
  NEW.given_by_user_id := CASE NEW.given_by WHEN 'colleague' THEN NEW.given_by_user_id END;
  NEW.form := coalesce(NEW.form, 'direct');
  IF NEW.value NOT IN ('true', 'false') THEN
    RAISE EXCEPTION 'a consent is "true" or "false"' USING ERRCODE = 'check_violation';
  END IF;

  SELECT p.* INTO purpose FROM data_controller_processing_purposes p WHERE p.id = NEW.data_controller_processing_purpose_id;
  IF NEW.value = 'true' THEN
    -- A signal that arrives meanwhile waits, or is seen.
    SELECT s.* INTO subject FROM data_subjects s WHERE s.id = NEW.data_subject_id FOR SHARE;
  ELSE
    SELECT s.* INTO subject FROM data_subjects s WHERE s.id = NEW.data_subject_id;
  END IF;
  IF purpose.id IS NULL OR subject.id IS NULL THEN
    RETURN NEW; -- The foreign keys refuse it.
  END IF;
  -- No message says anything of a purpose that belongs to another controller.
  IF purpose.data_controller_id <> subject.data_controller_id THEN
    RAISE EXCEPTION 'a consent is for a purpose of the controller that processes the person''s data' USING ERRCODE = 'check_violation';
  END IF;
  IF purpose.status = 'draft' THEN
    RAISE EXCEPTION 'nobody is asked about a purpose that is a draft' USING ERRCODE = 'check_violation';
  END IF;
  IF NOT purpose.consent_required THEN
    RAISE EXCEPTION 'the purpose "%" asks for no consent: its legal basis is %', purpose.title, replace(purpose.legal_basis, '_', ' ') USING ERRCODE = 'check_violation';
  END IF;

  NEW.purpose_version := purpose.version;
  NEW.privacy_notice_id := NULL;
  NEW.text_digest := NULL;
  IF NEW.given_by IN ('person', 'visitor', 'colleague') AND NEW.form <> 'rights_request' THEN
    NEW.privacy_notice_id := notice_in_force(purpose.data_controller_id);
    NEW.text_digest := consent_text_digest(purpose.id, NEW.privacy_notice_id);
  END IF;
  -- The same answer again changes nothing, unless the person confirms what somebody else has entered, or answers another text.
  IF TG_OP = 'UPDATE' AND NEW.value = OLD.value AND NOT (NEW.given_by IN ('person', 'visitor')
       AND (NEW.given_by, NEW.text_digest) IS DISTINCT FROM (OLD.given_by, OLD.text_digest)) THEN
    RETURN OLD;
  END IF;

  IF NEW.value = 'true' THEN
    IF purpose.status <> 'active' THEN
      RAISE EXCEPTION 'the purpose "%" is no longer in use: consent to it can be withdrawn, and not be given', purpose.title USING ERRCODE = 'check_violation';
    END IF;
    IF ruled_out_by_signal(subject.id, purpose.id) THEN
      RAISE EXCEPTION 'the signal Global Privacy Control keeps the purpose "%" switched off', purpose.title USING ERRCODE = 'check_violation';
    END IF;
    -- The history is kept for ever, so it has a bound. A withdrawal always passes.
    IF TG_OP = 'UPDATE' AND (SELECT count(*) FROM data_subject_consent_history h
          WHERE h.data_subject_consent_form_value_id = OLD.id AND h.value = 'true' AND h.valid_from > now() - interval '1 day') >= 20 THEN
      RAISE EXCEPTION 'consent to a purpose is given at most 20 times a day' USING ERRCODE = 'check_violation';
    END IF;
  END IF;
  RETURN NEW;
END $$;
COMMENT ON FUNCTION record_consent() IS 'Refuses answers that are none, and records with each other one which text it answers.';
CREATE TRIGGER record_consent BEFORE INSERT OR UPDATE ON data_subject_consent_form_values FOR EACH ROW EXECUTE FUNCTION record_consent();

CREATE FUNCTION keep_consent() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO data_subject_consent_history (data_subject_consent_form_value_id, data_subject_id, value, given_by, given_by_user_id, form,
    purpose_version, privacy_notice_id, text_digest, valid_from)
  VALUES (OLD.id, OLD.data_subject_id, OLD.value, OLD.given_by, OLD.given_by_user_id, OLD.form,
    OLD.purpose_version, OLD.privacy_notice_id, OLD.text_digest, OLD.updated_at);
  RETURN NULL;
END $$;
COMMENT ON FUNCTION keep_consent() IS 'Keeps the former answer of a consent that is changed.';
CREATE TRIGGER keep_consent AFTER UPDATE ON data_subject_consent_form_values FOR EACH ROW
  WHEN (OLD.* IS DISTINCT FROM NEW.*) EXECUTE FUNCTION keep_consent();

-- A colleague records what one person has said, and never agrees for everybody.
CREATE FUNCTION one_person_at_a_time() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF (SELECT count(DISTINCT c.data_subject_id) FROM changed c WHERE c.given_by = 'colleague') > 1 THEN
    RAISE EXCEPTION 'a colleague enters the consents of one person at a time' USING ERRCODE = 'check_violation';
  END IF;
  RETURN NULL;
END $$;
COMMENT ON FUNCTION one_person_at_a_time() IS 'Refuses a statement by which a colleague answers for several people.';
CREATE TRIGGER one_person_at_a_time_insert AFTER INSERT ON data_subject_consent_form_values REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION one_person_at_a_time();
CREATE TRIGGER one_person_at_a_time_update AFTER UPDATE ON data_subject_consent_form_values REFERENCING NEW TABLE AS changed
  FOR EACH STATEMENT EXECUTE FUNCTION one_person_at_a_time();

CREATE FUNCTION refuse_change_of_evidence() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '%', CASE TG_TABLE_NAME
    WHEN 'data_subject_consent_history' THEN 'former consents are evidence: they are added when a consent changes, and never changed or deleted'
    ELSE 'consents are evidence: they are withdrawn, and never deleted' END USING ERRCODE = 'check_violation';
END $$;
COMMENT ON FUNCTION refuse_change_of_evidence() IS 'Refuses whatever would alter the evidence of consent.';
CREATE TRIGGER append_only BEFORE DELETE OR TRUNCATE ON data_subject_consent_form_values FOR EACH STATEMENT EXECUTE FUNCTION refuse_change_of_evidence();
CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON data_subject_consent_history FOR EACH STATEMENT EXECUTE FUNCTION refuse_change_of_evidence();
ALTER TABLE data_subject_consent_form_values ENABLE ALWAYS TRIGGER append_only;
ALTER TABLE data_subject_consent_history ENABLE ALWAYS TRIGGER append_only;
-- Only `keep_consent` adds to it.
CREATE TRIGGER only_former_consents BEFORE INSERT ON data_subject_consent_history FOR EACH STATEMENT
  WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION refuse_change_of_evidence();

-- Who is erased on request agrees to nothing any more.
CREATE FUNCTION withdraw_by_erasure(subject uuid) RETURNS void LANGUAGE sql AS $$
  UPDATE data_subject_consent_form_values v SET value = 'false', given_by = 'person', given_by_user_id = NULL, form = 'rights_request'
   WHERE v.data_subject_id = subject AND v.value = 'true'
$$;
COMMENT ON FUNCTION withdraw_by_erasure(uuid) IS 'Withdraws the consents of a person who asked to be erased.';

-- The signal Global Privacy Control is an objection: what it concerns is withdrawn as soon as it is known and honoured.
CREATE FUNCTION withdraw_by_signal(subject uuid) RETURNS void LANGUAGE sql AS $$
  UPDATE data_subject_consent_form_values v SET value = 'false', given_by = 'browser_signal', given_by_user_id = NULL, form = 'browser'
    FROM data_controller_processing_purposes p
   WHERE v.data_subject_id = subject AND v.value = 'true' AND p.id = v.data_controller_processing_purpose_id
     AND p.respects_global_privacy_control AND honours_global_privacy_control(p.data_controller_id)
$$;
COMMENT ON FUNCTION withdraw_by_signal(uuid) IS 'Withdraws the consents that the signal Global Privacy Control of a person rules out.';

CREATE FUNCTION follow_signal() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM withdraw_by_signal(NEW.id);
  RETURN NULL;
END $$;
COMMENT ON FUNCTION follow_signal() IS 'Obeys the signal Global Privacy Control of a person.';
CREATE TRIGGER follow_signal AFTER UPDATE ON data_subjects FOR EACH ROW
  WHEN (NEW.global_privacy_control AND NOT OLD.global_privacy_control) EXECUTE FUNCTION follow_signal();

CREATE FUNCTION follow_signals() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM withdraw_by_signal(s.id) FROM data_subjects s WHERE s.data_controller_id = NEW.id AND s.global_privacy_control;
  RETURN NULL;
END $$;
COMMENT ON FUNCTION follow_signals() IS 'Obeys the signals that a controller begins to honour.';
CREATE TRIGGER follow_signals AFTER UPDATE ON data_controllers FOR EACH ROW
  WHEN (NEW.compliance_configuration ->> 'honoursGlobalPrivacyControl' = 'true'
        AND OLD.compliance_configuration ->> 'honoursGlobalPrivacyControl' IS DISTINCT FROM 'true') EXECUTE FUNCTION follow_signals();

CREATE TRIGGER touch_updated_at BEFORE UPDATE ON users FOR EACH ROW EXECUTE FUNCTION touch_updated_at();
CREATE TRIGGER touch_updated_at BEFORE UPDATE ON data_controllers FOR EACH ROW EXECUTE FUNCTION touch_updated_at();
CREATE TRIGGER touch_updated_at BEFORE UPDATE ON data_controller_users FOR EACH ROW EXECUTE FUNCTION touch_updated_at();
CREATE TRIGGER touch_updated_at BEFORE UPDATE ON data_controller_processing_purposes FOR EACH ROW EXECUTE FUNCTION touch_updated_at();
CREATE TRIGGER touch_updated_at BEFORE UPDATE ON data_subjects FOR EACH ROW EXECUTE FUNCTION touch_updated_at();
CREATE TRIGGER touch_updated_at BEFORE UPDATE ON data_subject_rights_requests FOR EACH ROW EXECUTE FUNCTION touch_updated_at();
CREATE TRIGGER touch_updated_at BEFORE UPDATE ON notification_messages FOR EACH ROW EXECUTE FUNCTION touch_updated_at();
CREATE TRIGGER touch_updated_at BEFORE UPDATE ON data_controller_faqs FOR EACH ROW EXECUTE FUNCTION touch_updated_at();
CREATE TRIGGER touch_updated_at BEFORE UPDATE ON privacy_notices FOR EACH ROW EXECUTE FUNCTION touch_updated_at();
CREATE TRIGGER touch_updated_at BEFORE UPDATE ON notes FOR EACH ROW EXECUTE FUNCTION touch_updated_at();

COMMIT;

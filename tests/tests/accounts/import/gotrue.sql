-- The tables of GoTrue that an import reads, as its migrations leave them, and people whose passwords are
-- `an old password`: https://github.com/supabase/auth/tree/master/migrations
CREATE SCHEMA auth;
CREATE TYPE auth.factor_status AS ENUM ('unverified', 'verified');
CREATE TYPE auth.factor_type AS ENUM ('totp', 'webauthn', 'phone', 'recovery_code');
CREATE TABLE auth.users (
  instance_id uuid,
  id uuid PRIMARY KEY,
  aud varchar(255),
  role varchar(255),
  email varchar(255),
  encrypted_password varchar(255),
  email_confirmed_at timestamptz,
  raw_app_meta_data jsonb,
  raw_user_meta_data jsonb,
  created_at timestamptz,
  updated_at timestamptz,
  phone text UNIQUE,
  banned_until timestamptz,
  is_sso_user boolean DEFAULT false NOT NULL,
  deleted_at timestamptz,
  is_anonymous boolean DEFAULT false NOT NULL
);
CREATE UNIQUE INDEX users_email_partial_key ON auth.users (email) WHERE NOT is_sso_user;
CREATE TABLE auth.identities (
  provider_id text NOT NULL,
  user_id uuid NOT NULL REFERENCES auth.users ON DELETE CASCADE,
  identity_data jsonb NOT NULL,
  provider text NOT NULL,
  last_sign_in_at timestamptz,
  created_at timestamptz,
  updated_at timestamptz,
  email text GENERATED ALWAYS AS (lower(identity_data ->> 'email')) STORED,
  id uuid DEFAULT gen_random_uuid() PRIMARY KEY,
  UNIQUE (provider_id, provider)
);
CREATE TABLE auth.mfa_factors (
  id uuid PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES auth.users ON DELETE CASCADE,
  friendly_name text,
  factor_type auth.factor_type NOT NULL,
  status auth.factor_status NOT NULL,
  created_at timestamptz NOT NULL,
  updated_at timestamptz NOT NULL,
  secret text,
  phone text,
  last_challenged_at timestamptz UNIQUE,
  web_authn_credential jsonb,
  web_authn_aaguid uuid
);
CREATE TABLE auth.webauthn_credentials (
  id uuid DEFAULT gen_random_uuid() PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES auth.users ON DELETE CASCADE,
  credential_id bytea NOT NULL UNIQUE,
  public_key bytea NOT NULL,
  attestation_type text DEFAULT '' NOT NULL,
  aaguid uuid,
  sign_count bigint DEFAULT 0 NOT NULL,
  transports jsonb DEFAULT '[]' NOT NULL,
  backup_eligible boolean DEFAULT false NOT NULL,
  backed_up boolean DEFAULT false NOT NULL,
  friendly_name text DEFAULT '' NOT NULL,
  created_at timestamptz DEFAULT now() NOT NULL,
  updated_at timestamptz DEFAULT now() NOT NULL,
  last_used_at timestamptz
);
CREATE TABLE auth.mfa_recovery_code_sets (
  id uuid PRIMARY KEY,
  user_id uuid NOT NULL UNIQUE,
  mfa_factor_id uuid NOT NULL UNIQUE
);
INSERT INTO auth.users (id, aud, role, email, encrypted_password, email_confirmed_at, raw_user_meta_data, created_at, phone,
  is_anonymous, banned_until, deleted_at) VALUES
  ('a0000000-0000-4000-8000-0000000000a1', 'authenticated', 'authenticated', 'ada@example.org',
   '$2a$10$PbRg27JzZyjUNdM1wq/OfO4yKXtYJzjAQUIPHs1ovEMKc6QjDg1Vi', now(), '{"full_name": "Ada"}', now(), '49301234567', false, NULL, NULL),
  ('a0000000-0000-4000-8000-0000000000a2', 'authenticated', 'authenticated', 'bob@example.org',
   '$2a$10$PbRg27JzZyjUNdM1wq/OfO4yKXtYJzjAQUIPHs1ovEMKc6QjDg1Vi', now(), '{}', now(), NULL, false, NULL, NULL),
  ('a0000000-0000-4000-8000-0000000000a3', 'authenticated', 'authenticated', 'cleo@example.org', '', now(), '{}', now(), NULL, false, NULL, NULL),
  ('a0000000-0000-4000-8000-0000000000a4', 'authenticated', 'authenticated', 'dan@example.org', NULL, now(), '{}', now(), NULL, false,
   now() + interval '100 years', NULL),
  -- The hash is sealed with the key BwcH…BwcH.
  ('a0000000-0000-4000-8000-0000000000a5', 'authenticated', 'authenticated', 'eve@example.org',
   '{"key_id":"one","alg":"aes-gcm-hkdf","data":"vKgUjRdVMYM9hDQGslWwnRw6LDF3Vg1c5v6ZlZy2TnjygPR6Bh8RHXuHi+Bn4T0fKdPnCsicJeb5yF/m7UsMTrQZuTUgP39w/MGNWA==","nonce":"AAECAwQFBgcICQoL"}',
   now(), '{}', now(), NULL, false, NULL, NULL),
  ('a0000000-0000-4000-8000-0000000000a6', 'authenticated', 'authenticated', NULL, NULL, NULL, '{}', now(), NULL, true, NULL, NULL),
  ('a0000000-0000-4000-8000-0000000000a7', 'authenticated', 'authenticated', 'fay@example.org', NULL, NULL, '{}', now(), NULL, false, NULL, now());
INSERT INTO auth.identities (provider_id, user_id, identity_data, provider) VALUES
  ('google-ada', 'a0000000-0000-4000-8000-0000000000a1', '{"sub": "google-ada", "email": "Ada@example.org"}', 'google'),
  ('spotify-ada', 'a0000000-0000-4000-8000-0000000000a1', '{"sub": "spotify-ada"}', 'spotify'),
  ('a0000000-0000-4000-8000-0000000000a1', 'a0000000-0000-4000-8000-0000000000a1', '{"email": "ada@example.org"}', 'email');
INSERT INTO auth.mfa_factors (id, user_id, factor_type, status, created_at, updated_at, secret, last_challenged_at) VALUES
  ('0f000000-0000-4000-8000-0000000000a0', 'a0000000-0000-4000-8000-0000000000a2', 'totp', 'verified', now(), now(),
   'JBSWY3DPEHPK3PXP', NULL),
  -- The secret is KRSXG5CTMVRXEZLUKRSXG5CTMVRXEZLU, sealed with the same key.
  ('0f000000-0000-4000-8000-0000000000b0', 'a0000000-0000-4000-8000-0000000000a2', 'totp', 'verified', now(), now(),
   '{"key_id":"one","alg":"aes-gcm-hkdf","data":"q9TdcFbthpEboRhW8VDLXYwz8LciIEAvTWmnCb8wk/ckXTVjmqBsrbrQTJjBFwaw","nonce":"AAECAwQFBgcICQoL"}', now()),
  ('0f000000-0000-4000-8000-0000000000c0', 'a0000000-0000-4000-8000-0000000000a1', 'totp', 'unverified', now(), now(),
   'JBSWY3DPEHPK3PXP', NULL);
INSERT INTO auth.mfa_recovery_code_sets VALUES
  ('0c000000-0000-4000-8000-0000000000a0', 'a0000000-0000-4000-8000-0000000000a2', '0f000000-0000-4000-8000-0000000000d0');

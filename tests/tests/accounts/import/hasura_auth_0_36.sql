-- The tables of hasura-auth 0.36, as its migrations up to 16 leave them:
-- https://github.com/nhost/hasura-auth/blob/main/go/sql/auth_schema_dump.sql
CREATE EXTENSION IF NOT EXISTS citext;
CREATE SCHEMA auth;
CREATE DOMAIN auth.email AS citext CHECK (value ~ '^[a-zA-Z0-9.!#$%&''*+/=?^_`{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)*$');
CREATE TABLE auth.roles (role text PRIMARY KEY);
INSERT INTO auth.roles VALUES ('user'), ('anonymous'), ('me');
CREATE TABLE auth.users (
  id uuid DEFAULT gen_random_uuid() PRIMARY KEY,
  created_at timestamptz DEFAULT now() NOT NULL,
  updated_at timestamptz DEFAULT now() NOT NULL,
  last_seen timestamptz,
  disabled boolean DEFAULT false NOT NULL,
  display_name text DEFAULT '' NOT NULL,
  avatar_url text DEFAULT '' NOT NULL,
  locale varchar(2) NOT NULL,
  email auth.email UNIQUE,
  phone_number text UNIQUE,
  password_hash text,
  email_verified boolean DEFAULT false NOT NULL,
  phone_number_verified boolean DEFAULT false NOT NULL,
  new_email auth.email,
  otp_method_last_used text,
  otp_hash text,
  otp_hash_expires_at timestamptz DEFAULT now() NOT NULL,
  default_role text DEFAULT 'user' NOT NULL REFERENCES auth.roles,
  is_anonymous boolean DEFAULT false NOT NULL,
  totp_secret text,
  active_mfa_type text CHECK (active_mfa_type = 'totp' OR active_mfa_type = 'sms'),
  ticket text,
  ticket_expires_at timestamptz DEFAULT now() NOT NULL,
  metadata jsonb,
  webauthn_current_challenge text
);
CREATE TABLE auth.user_roles (
  id uuid DEFAULT gen_random_uuid() PRIMARY KEY,
  created_at timestamptz DEFAULT now() NOT NULL,
  user_id uuid NOT NULL REFERENCES auth.users ON DELETE CASCADE,
  role text NOT NULL REFERENCES auth.roles,
  UNIQUE (user_id, role)
);
CREATE TABLE auth.user_providers (
  id uuid DEFAULT gen_random_uuid() PRIMARY KEY,
  created_at timestamptz DEFAULT now() NOT NULL,
  updated_at timestamptz DEFAULT now() NOT NULL,
  user_id uuid NOT NULL REFERENCES auth.users ON DELETE CASCADE,
  access_token text NOT NULL,
  refresh_token text,
  provider_id text NOT NULL,
  provider_user_id text NOT NULL,
  UNIQUE (provider_id, provider_user_id)
);
CREATE TABLE auth.user_security_keys (
  id uuid DEFAULT gen_random_uuid() PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES auth.users ON DELETE CASCADE,
  credential_id text NOT NULL UNIQUE,
  credential_public_key bytea,
  counter bigint DEFAULT 0 NOT NULL,
  transports varchar(255) DEFAULT '' NOT NULL,
  nickname text
);
CREATE TABLE auth.refresh_token_types (value text PRIMARY KEY, comment text);
INSERT INTO auth.refresh_token_types VALUES ('regular', 'Regular refresh token'), ('pat', 'Personal access token');
CREATE TABLE auth.refresh_tokens (
  id uuid DEFAULT gen_random_uuid() PRIMARY KEY,
  created_at timestamptz DEFAULT now() NOT NULL,
  expires_at timestamptz NOT NULL,
  user_id uuid NOT NULL REFERENCES auth.users ON DELETE CASCADE,
  metadata jsonb,
  type text DEFAULT 'regular' NOT NULL REFERENCES auth.refresh_token_types,
  refresh_token_hash varchar(255)
);

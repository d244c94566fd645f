-- People of hasura-auth, whose passwords are `an old password`.
INSERT INTO auth.users (id, email, email_verified, display_name, locale, password_hash, totp_secret, active_mfa_type,
  phone_number, is_anonymous, disabled) VALUES
  ('a0000000-0000-4000-8000-0000000000a1', 'Ada@example.org', true, 'Ada', 'en',
   '$2a$10$PbRg27JzZyjUNdM1wq/OfO4yKXtYJzjAQUIPHs1ovEMKc6QjDg1Vi', NULL, NULL, '+49301234567', false, false),
  ('a0000000-0000-4000-8000-0000000000a2', 'bob@example.org', true, 'Bob', 'de',
   '$2b$10$PbRg27JzZyjUNdM1wq/OfO4yKXtYJzjAQUIPHs1ovEMKc6QjDg1Vi', 'KRSXG5CTMVRXEZLUKRSXG5CTMVRXEZLU', 'totp', NULL, false, false),
  ('a0000000-0000-4000-8000-0000000000a3', 'cleo@example.org', true, 'Cleo', 'en', NULL, NULL, NULL, NULL, false, false),
  ('a0000000-0000-4000-8000-0000000000a4', 'dan@example.org', true, 'Dan', 'en',
   '$2a$10$PbRg27JzZyjUNdM1wq/OfO4yKXtYJzjAQUIPHs1ovEMKc6QjDg1Vi', NULL, NULL, NULL, false, true),
  ('a0000000-0000-4000-8000-0000000000a5', 'eve@example.org', false, 'Eve', 'en',
   '$scrypt$ln=16,r=8,p=1$aM15713r3Xsvxbi31lqr1Q$nFNh2CVHVjNldFVKDHDlm4CbdRSCdEBsjjJxD+iCs5E', NULL, NULL, NULL, false, false),
  ('a0000000-0000-4000-8000-0000000000a6', NULL, false, '', 'en', NULL, NULL, NULL, NULL, true, false);
INSERT INTO auth.user_roles (user_id, role) SELECT id, 'user' FROM auth.users WHERE NOT is_anonymous;
INSERT INTO auth.user_providers (user_id, access_token, provider_id, provider_user_id) VALUES
  ('a0000000-0000-4000-8000-0000000000a1', 'an access token of google', 'google', 'google-ada'),
  ('a0000000-0000-4000-8000-0000000000a1', 'an access token of spotify', 'spotify', 'spotify-ada');
-- The tokens are 5f0b2c1a-6d1e-4a57-9c55-0d6f0c2b1e01 and the like.
INSERT INTO auth.refresh_tokens (expires_at, user_id, metadata, type, refresh_token_hash) VALUES
  (now() + interval '30 days', 'a0000000-0000-4000-8000-0000000000a1', '{"name": "laptop"}', 'pat',
   '\x' || encode(sha256('5f0b2c1a-6d1e-4a57-9c55-0d6f0c2b1e01'), 'hex')),
  (now() - interval '1 day', 'a0000000-0000-4000-8000-0000000000a1', NULL, 'pat',
   '\x' || encode(sha256('5f0b2c1a-6d1e-4a57-9c55-0d6f0c2b1e02'), 'hex')),
  (now() + interval '30 days', 'a0000000-0000-4000-8000-0000000000a1', NULL, 'regular',
   '\x' || encode(sha256('5f0b2c1a-6d1e-4a57-9c55-0d6f0c2b1e03'), 'hex'));

-- What the migrations of hasura-auth 0.36 to 0.46 change, applied after hasura_auth_0_36.sql:
-- https://github.com/nhost/nhost/tree/main/services/auth/go/migrations/postgres
ALTER TABLE auth.users ALTER COLUMN locale TYPE varchar(3);                     -- 19
ALTER TABLE auth.users ADD COLUMN otp_attempts integer DEFAULT 0 NOT NULL;      -- 23
ALTER TABLE auth.user_providers ADD COLUMN issuer text;                         -- 24
ALTER TABLE auth.users ADD COLUMN new_phone_number text;                        -- 24
UPDATE auth.user_providers SET issuer = 'https://accounts.google.com' WHERE provider_id = 'google';
-- The service seals secrets at its start, here with the key 5181…d79f.
UPDATE auth.users SET totp_secret =
  '000102030405060708090a0b00229de30548afdb094fc7ea714f1f836e64b99f1173f585ecc4abe88e8755f47d9042c1b2dac7f510f806f67e7e0877'
WHERE totp_secret IS NOT NULL;

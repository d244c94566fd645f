-- role: monitor
SELECT _0."id"
  FROM "public"."users" AS _0;
-- after it sets:
SELECT set_config('role', $1::text, true), set_config('app.user_id', $2::text, true), set_config('app.session', $3::text, true), set_config('app.token', $4::text, true), set_config('request.jwt.claims', $5::text, true);
-- $1: "pg_monitor" of the document
-- $2: session value user_id as text, or nothing
-- $3: the whole session
-- $4: the claims of the token, as role pg_monitor
-- $5: the whole session as claims
-- with
-- _0 public.users: settings.toml:31: true

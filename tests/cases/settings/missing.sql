-- role: customer
SELECT _0."id"
  FROM "public"."users" AS _0
  WHERE (_0."id"::text = current_setting('app.user_id', true));
-- after it sets:
SELECT set_config('app.user_id', $1::text, true), set_config('app.session', $2::text, true), set_config('app.token', $3::text, true), set_config('request.jwt.claims', $4::text, true);
-- $1: session value user_id as text, or nothing
-- $2: the whole session
-- $3: the claims of the token
-- $4: the whole session as claims
-- with
-- _0 public.users: settings.toml:21: id::text = current_setting('app.user_id', true)

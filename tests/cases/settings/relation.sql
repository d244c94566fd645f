-- role: customer
SELECT _0."id", _2."id" IS NOT NULL, _2."id"
  FROM "public"."or""ders" AS _0
  LEFT JOIN "public"."users" AS _2 ON _2."id" = _0."user_id"
  AND (_2."id"::text = current_setting('app.user_id', true))
  WHERE EXISTS (SELECT
    FROM "public"."users" AS _1
    WHERE (_1."id"::text = current_setting('app.user_id', true))
    AND _1."id" = _0."user_id"
    AND _1."id" IS NOT NULL)
  ORDER BY _0."id";
-- after it sets:
SELECT set_config('app.user_id', $1::text, true), set_config('app.session', $2::text, true), set_config('app.token', $3::text, true), set_config('request.jwt.claims', $4::text, true);
-- $1: session value user_id as text, or nothing
-- $2: the whole session
-- $3: the claims of the token
-- $4: the whole session as claims
-- with
-- _0 public.or"ders: settings.toml:28: true
-- _2 public.users: settings.toml:21: id::text = current_setting('app.user_id', true)
-- _1 public.users: settings.toml:21: id::text = current_setting('app.user_id', true)

-- role: customer
WITH _0 (c0) AS MATERIALIZED (SELECT (SELECT row(count(*))
      FROM "public"."users" AS _3
      WHERE (_3."id"::text = current_setting('app.user_id', true)))) (SELECT 0::int2, _2."id", _2."name", null::record
    FROM "public"."users" AS _2
    WHERE (_2."id"::text = current_setting('app.user_id', true))) UNION ALL SELECT 1::int2, null::int4, null::text, _0.c0
  FROM _0;
-- after it sets:
SELECT set_config('app.user_id', $1::text, true), set_config('app.session', $2::text, true), set_config('app.token', $3::text, true), set_config('request.jwt.claims', $4::text, true);
-- $1: session value user_id as text, or nothing
-- $2: the whole session
-- $3: the claims of the token
-- $4: the whole session as claims
-- with
-- _3 public.users: settings.toml:21: id::text = current_setting('app.user_id', true)
-- _2 public.users: settings.toml:21: id::text = current_setting('app.user_id', true)

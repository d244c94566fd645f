-- role: customer
SELECT set_config('app.user_id', $1::text, true) IS NOT NULL, set_config('app.session', $2::text, true) IS NOT NULL, set_config('app.token', $3::text, true) IS NOT NULL, set_config('request.jwt.claims', $4::text, true) IS NOT NULL;
-- $1: session value user_id as text, or nothing
-- $2: the whole session
-- $3: the claims of the token
-- $4: the whole session as claims
WITH _1 AS (UPDATE "public"."users" AS _0 SET "nick" = $1::text
    WHERE (_0."id"::text = current_setting('request.jwt.claims', true)::jsonb ->> 'user_id') RETURNING _0."id", _0."nick") SELECT ((SELECT count(*)
      FROM _1)), array(SELECT row(_2."id", _2."nick")
    FROM _1 AS _2
    WHERE (_2."id"::text = current_setting('app.user_id', true)));
-- $1: "two" of the document
-- _0 public.users: settings.toml:22: id::text = current_setting('request.jwt.claims', true)::jsonb ->> 'user_id'
-- _2 public.users: settings.toml:21: id::text = current_setting('app.user_id', true)

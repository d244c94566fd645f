-- role: customer
WITH _0 (c0) AS MATERIALIZED (SELECT 0::int2) (SELECT 0::int2, _2."id", null::int2
    FROM (SELECT _2."id", _2.*::"public"."users" AS "_row"
      FROM "public"."users" AS _2
      WHERE (_2."id" = $1::int4)
      OFFSET 0) AS _2
    WHERE (CASE jsonb_typeof(("public"."user_profile"(_2."_row") #> $2::text[])) WHEN 'string' THEN ("public"."user_profile"(_2."_row") #> $2::text[]) #>> '{}' END) = (SELECT $3::text)) UNION ALL (SELECT 1::int2, _4."id", null::int2
    FROM (SELECT _4."id", _4.*::"public"."users" AS "_row"
      FROM "public"."users" AS _4
      WHERE (_4."id" = $1::int4)
      OFFSET 0) AS _4
    WHERE (CASE jsonb_typeof(("public"."user_profile"(_4."_row") #> $2::text[])) WHEN 'string' THEN ("public"."user_profile"(_4."_row") #> $2::text[]) #>> '{}' END) = (SELECT $4::text)) UNION ALL (SELECT 2::int2, _6."id", null::int2
    FROM (SELECT _6."id", _6.*::"public"."users" AS "_row"
      FROM "public"."users" AS _6
      WHERE (_6."id" = $1::int4)
      OFFSET 0) AS _6
    WHERE "public"."user_profile"(_6."_row")::text ~~ (SELECT $5::text)) UNION ALL (SELECT 3::int2, _8."id", null::int2
    FROM (SELECT _8."id", _8.*::"public"."users" AS "_row"
      FROM "public"."users" AS _8
      WHERE (_8."id" = $1::int4)
      OFFSET 0) AS _8
    WHERE to_tsvector('"pg_catalog"."simple"'::regconfig, "public"."user_label"(_8."_row")) @@ websearch_to_tsquery('"pg_catalog"."simple"'::regconfig, (SELECT $6::text))) UNION ALL (SELECT 4::int2, _10."id", null::int2
    FROM (SELECT _10."id", _10.*::"public"."users" AS "_row"
      FROM "public"."users" AS _10
      WHERE (_10."id" = $1::int4)
      OFFSET 0) AS _10
    WHERE to_tsvector('"pg_catalog"."simple"'::regconfig, "public"."user_label"(_10."_row")) @@ websearch_to_tsquery('"pg_catalog"."simple"'::regconfig, (SELECT $7::text))) UNION ALL SELECT 5::int2, null::int4, _0.c0
  FROM _0;
-- $1: session value user_id, Int
-- $2: "{\"mood\"}" of the document
-- $3: "happy" of the document
-- $4: "sad" of the document
-- $5: "%Ada%" of the document
-- $6: "ada" of the document
-- $7: "bob" of the document
-- _2 public.users: permissions.toml:51: id = session.user_id
-- _4 public.users: permissions.toml:51: id = session.user_id
-- _6 public.users: permissions.toml:51: id = session.user_id
-- _8 public.users: permissions.toml:51: id = session.user_id
-- _10 public.users: permissions.toml:51: id = session.user_id

-- role: customer
SELECT array(SELECT row(_0."id")
    FROM (SELECT _0."id", _0.*::"public"."users" AS "_row"
      FROM "public"."users" AS _0
      WHERE (_0."id" = $1::int4)
      OFFSET 0) AS _0
    WHERE (CASE jsonb_typeof(("public"."user_profile"(_0."_row") #> $2::text[])) WHEN 'string' THEN ("public"."user_profile"(_0."_row") #> $2::text[]) #>> '{}' END) = (SELECT $3::text)), array(SELECT row(_1."id")
    FROM (SELECT _1."id", _1.*::"public"."users" AS "_row"
      FROM "public"."users" AS _1
      WHERE (_1."id" = $1::int4)
      OFFSET 0) AS _1
    WHERE (CASE jsonb_typeof(("public"."user_profile"(_1."_row") #> $2::text[])) WHEN 'string' THEN ("public"."user_profile"(_1."_row") #> $2::text[]) #>> '{}' END) = (SELECT $4::text)), array(SELECT row(_2."id")
    FROM (SELECT _2."id", _2.*::"public"."users" AS "_row"
      FROM "public"."users" AS _2
      WHERE (_2."id" = $1::int4)
      OFFSET 0) AS _2
    WHERE "public"."user_profile"(_2."_row")::text ~~ (SELECT $5::text)), array(SELECT row(_3."id")
    FROM (SELECT _3."id", _3.*::"public"."users" AS "_row"
      FROM "public"."users" AS _3
      WHERE (_3."id" = $1::int4)
      OFFSET 0) AS _3
    WHERE to_tsvector('"pg_catalog"."simple"'::regconfig, "public"."user_label"(_3."_row")) @@ websearch_to_tsquery('"pg_catalog"."simple"'::regconfig, (SELECT $6::text))), array(SELECT row(_4."id")
    FROM (SELECT _4."id", _4.*::"public"."users" AS "_row"
      FROM "public"."users" AS _4
      WHERE (_4."id" = $1::int4)
      OFFSET 0) AS _4
    WHERE to_tsvector('"pg_catalog"."simple"'::regconfig, "public"."user_label"(_4."_row")) @@ websearch_to_tsquery('"pg_catalog"."simple"'::regconfig, (SELECT $7::text)));
-- $1: session value user_id, Int
-- $2: "{\"mood\"}" of the document
-- $3: "happy" of the document
-- $4: "sad" of the document
-- $5: "%Ada%" of the document
-- $6: "ada" of the document
-- $7: "bob" of the document
-- _0 public.users: permissions.toml:51: id = session.user_id
-- _1 public.users: permissions.toml:51: id = session.user_id
-- _2 public.users: permissions.toml:51: id = session.user_id
-- _3 public.users: permissions.toml:51: id = session.user_id
-- _4 public.users: permissions.toml:51: id = session.user_id

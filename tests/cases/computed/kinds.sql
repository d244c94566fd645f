-- role: customer
SELECT _0."name", "public"."user_profile"(_0.*), ("public"."user_profile"(_0.*) #> $1::text[]), "public"."user_words"(_0.*), "public"."user_mood"(_0.*)::text, array(SELECT row(_1."value")
    FROM "public"."user_years"(_0.*) AS _1("value")), "public"."user_hash_length"(_0.*), "public"."user_greeting"($2::text, _0.*, $3::json), "public"."user_greeting"($4::text, _0.*, $3::json, $5::text), array(SELECT row(_2."id")
    FROM unnest(array(SELECT g.v
        FROM (SELECT "public"."user_boss"(_0.*)
          OFFSET 0) AS g (v)
        WHERE g.v IS DISTINCT
        FROM NULL)) AS _2
    WHERE (_2."id" = $6::int4)
    LIMIT 1), array(SELECT row(_3."id", _3."Total Amount", "public"."order_total_text"(_3.*))
    FROM "public"."user_orders"(_0.*, $7::numeric) AS _3
    WHERE (_3."user_id" = $6::int4)
    ORDER BY _3."id"), (SELECT row(count(*), max(_4."Total Amount"), array(SELECT row(_5."id")
        FROM "public"."user_orders"(_0.*) AS _5
        WHERE (_5."user_id" = $6::int4)))
    FROM "public"."user_orders"(_0.*) AS _4
    WHERE (_4."user_id" = $6::int4)), array(SELECT row("public"."order_total_text"(_6."_row"))
    FROM (SELECT _6.*::"public"."or""ders" AS "_row"
      FROM "public"."user_orders"(_0.*) AS _6
      WHERE (_6."user_id" = $6::int4)
      OFFSET 0) AS _6
    WHERE "public"."order_total_text"(_6."_row") ~~ (SELECT $8::text)
    LIMIT 1)
  FROM "public"."users" AS _0
  WHERE (_0."id" = $6::int4)
  ORDER BY _0."id"
  LIMIT 2;
-- $1: "{\"mood\"}" of the document
-- $2: "hi" of the document
-- $3: the whole session
-- $4: $.selectionSet.users.selectionSet.greeting.args.args.greeting of the request, String, or null
-- $5: "!!" of the document
-- $6: session value user_id, Int
-- $7: "1" of the document
-- $8: "3%" of the document
-- _2 public.users: permissions.toml:51: id = session.user_id
-- _3 public.or"ders: permissions.toml:118: user_id = session.user_id
-- _5 public.or"ders: permissions.toml:118: user_id = session.user_id
-- _4 public.or"ders: permissions.toml:118: user_id = session.user_id
-- _6 public.or"ders: permissions.toml:118: user_id = session.user_id
-- _0 public.users: permissions.toml:51: id = session.user_id

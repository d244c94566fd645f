-- role: admin
SELECT array(SELECT row(_0."id")
    FROM "public"."specimens" AS _0
    ORDER BY _0."a_jsonb", _0."id"), array(SELECT row(_1."id")
    FROM "public"."specimens" AS _1
    ORDER BY _1."a_bytea" DESC, _1."id"), array(SELECT row(_2."id")
    FROM "public"."specimens" AS _2
    ORDER BY _2."a_mood" DESC NULLS LAST, _2."id"), array(SELECT row(_3."id")
    FROM "public"."specimens" AS _3
    ORDER BY _3."texts" NULLS FIRST, _3."id"), array(SELECT row(_4."id")
    FROM "public"."specimens" AS _4
    ORDER BY _4."a_span" DESC NULLS LAST, _4."id"), array(SELECT row(_5."id")
    FROM "public"."specimens" AS _5
    ORDER BY _5."a_boolean", _5."an_inet", _5."id");
-- _0 public.specimens: every row
-- _1 public.specimens: every row
-- _2 public.specimens: every row
-- _3 public.specimens: every row
-- _4 public.specimens: every row
-- _5 public.specimens: every row

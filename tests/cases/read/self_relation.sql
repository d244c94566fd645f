-- role: admin
SELECT _0."id", _1."id" IS NOT NULL, _1."id", _2."id" IS NOT NULL, _2."id", array(SELECT row(_3."id", array(SELECT row(_4."id")
        FROM "public"."or""ders" AS _4
        WHERE _4."parent_id" = _3."id"
        ORDER BY _4."id"))
    FROM "public"."or""ders" AS _3
    WHERE _3."parent_id" = _0."id"
    ORDER BY _3."id")
  FROM "public"."or""ders" AS _0
  LEFT JOIN "public"."or""ders" AS _1 ON _1."id" = _0."parent_id"
  LEFT JOIN "public"."or""ders" AS _2 ON _2."id" = _1."parent_id"
  ORDER BY _0."id";
-- _4 public.or"ders: every row
-- _3 public.or"ders: every row
-- _0 public.or"ders: every row
-- _1 public.or"ders: every row
-- _2 public.or"ders: every row

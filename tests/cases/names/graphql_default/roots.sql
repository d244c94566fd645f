-- role: admin
WITH _0 (c0, c1) AS MATERIALIZED (SELECT array(SELECT row(_7."full_name")
      FROM "press"."book_authors" AS _7
      WHERE _7."id" = $1::int4), (SELECT row(count(*))
      FROM "press"."book_authors" AS _8)), _1 (c0, c1, c2, c3) AS MATERIALIZED (SELECT _2."id", _2."full_name", _2."born_on", (SELECT row(count(DISTINCT (_5."page_count", _5."book_title")), stddev_pop(_5."page_count"), var_samp(_5."list_price"), max(_5."book_title"), array(SELECT row(_6."book_title")
          FROM "press"."books" AS _6
          WHERE _6."author_id" = _2."id"
          AND _6."page_count" >= $2::int4))
      FROM "press"."books" AS _5
      WHERE _5."author_id" = _2."id"
      AND _5."page_count" >= $2::int4)
    FROM (SELECT DISTINCT ON (_2."born_on") _2."id", _2."full_name", _2."born_on"
      FROM "press"."book_authors" AS _2
      WHERE _2."born_on" IS NOT NULL
      ORDER BY _2."born_on" DESC NULLS LAST, _2."id"
      LIMIT 2) AS _2
    ORDER BY _2."born_on" DESC NULLS LAST, _2."id") (SELECT 0::int2, _4."book_title", _4."page_count", _4."author_id", null::date, null::record, null::record[]
    FROM "press"."books" AS _4
    WHERE _4."author_id" = ANY (array(SELECT _1.c0
        FROM _1))
    ORDER BY _4."page_count" NULLS FIRST) UNION ALL SELECT 1::int2, _1.c1, _1.c0, null::int4, _1.c2, _1.c3, null::record[]
  FROM _1 UNION ALL SELECT 2::int2, null::text, null::int4, null::int4, null::date, _0.c1, _0.c0
  FROM _0;
-- $1: "2" of the document
-- $2: "60" of the document
-- _7 press.book_authors: every row
-- _8 press.book_authors: every row
-- _6 press.books: every row
-- _5 press.books: every row
-- _2 press.book_authors: every row
-- _4 press.books: every row

-- role: customer
WITH _0 (c0, c1) AS MATERIALIZED (SELECT array(SELECT row(_7."full_name")
      FROM "press"."book_authors" AS _7
      WHERE (_7."user_id" = $1::int4)
      AND _7."id" = $2::int4), (SELECT row(count(*))
      FROM "press"."book_authors" AS _8
      WHERE (_8."user_id" = $1::int4))), _1 (c0, c1, c2, c3) AS MATERIALIZED (SELECT _2."id", _2."full_name", _2."born_on", (SELECT row(count(DISTINCT (_5."page_count", _5."book_title")), stddev_pop(_5."page_count"), var_samp(_5."list_price"), max(_5."book_title"), array(SELECT row(_6."book_title")
          FROM "press"."books" AS _6
          WHERE (EXISTS (SELECT
              FROM "press"."book_authors" AS "a"
              WHERE "a"."id" = _6."author_id"
              AND "a"."user_id" = $1::int4))
          AND _6."author_id" = _2."id"
          AND _6."page_count" >= $3::int4))
      FROM "press"."books" AS _5
      WHERE (EXISTS (SELECT
          FROM "press"."book_authors" AS "a"
          WHERE "a"."id" = _5."author_id"
          AND "a"."user_id" = $1::int4))
      AND _5."author_id" = _2."id"
      AND _5."page_count" >= $3::int4)
    FROM (SELECT DISTINCT ON (_2."born_on") _2."id", _2."full_name", _2."born_on"
      FROM "press"."book_authors" AS _2
      WHERE (_2."user_id" = $1::int4)
      AND _2."born_on" IS NOT NULL
      ORDER BY _2."born_on" DESC NULLS LAST, _2."id"
      LIMIT 2) AS _2
    ORDER BY _2."born_on" DESC NULLS LAST, _2."id") (SELECT 0::int2, _4."book_title", _4."page_count", _4."author_id", null::date, null::record, null::record[]
    FROM "press"."books" AS _4
    WHERE (EXISTS (SELECT
        FROM "press"."book_authors" AS "a"
        WHERE "a"."id" = _4."author_id"
        AND "a"."user_id" = $1::int4))
    AND _4."author_id" = ANY (array(SELECT _1.c0
        FROM _1))
    ORDER BY _4."page_count" NULLS FIRST) UNION ALL SELECT 1::int2, _1.c1, _1.c0, null::int4, _1.c2, _1.c3, null::record[]
  FROM _1 UNION ALL SELECT 2::int2, null::text, null::int4, null::int4, null::date, _0.c1, _0.c0
  FROM _0;
-- $1: session value user_id, Int
-- $2: "2" of the document
-- $3: "60" of the document
-- _7 press.book_authors: permissions.toml:214: user_id = session.user_id
-- _8 press.book_authors: permissions.toml:214: user_id = session.user_id
-- _6 press.books: permissions.toml:225: EXISTS (SELECT FROM press.book_authors a WHERE a.id = author_id AND a.user_id = session.user_id)
-- _5 press.books: permissions.toml:225: EXISTS (SELECT FROM press.book_authors a WHERE a.id = author_id AND a.user_id = session.user_id)
-- _2 press.book_authors: permissions.toml:214: user_id = session.user_id
-- _4 press.books: permissions.toml:225: EXISTS (SELECT FROM press.book_authors a WHERE a.id = author_id AND a.user_id = session.user_id)

-- role: admin
WITH _0 (c0, c1) AS MATERIALIZED (SELECT array(SELECT row(_4."book_title", _4."list_price")
      FROM "press"."books" AS _4
      WHERE _4."id" = $1::int4), (SELECT row(sum(_7."page_count"))
      FROM "press"."books" AS _7)) (SELECT 0::int2, _2."book_title", _3."id" IS NOT NULL, _3."full_name", null::int4, null::record[], null::record
    FROM (SELECT _2."author_id", _2."book_title"
      FROM "press"."books" AS _2
      ORDER BY _2."book_title"
      LIMIT 1) AS _2
    LEFT JOIN "press"."book_authors" AS _3 ON _3."id" = _2."author_id"
    ORDER BY _2."book_title") UNION ALL (SELECT 1::int2, null::text, null::bool, null::text, _6."id", null::record[], null::record
    FROM "press"."books" AS _6
    WHERE _6."book_title" ~~ $2::text
    ORDER BY _6."id" DESC) UNION ALL SELECT 2::int2, null::text, null::bool, null::text, null::int4, _0.c0, _0.c1
  FROM _0;
-- $1: "1" of the document
-- $2: "N%" of the document
-- _4 press.books: every row
-- _7 press.books: every row
-- _2 press.books: every row
-- _3 press.book_authors: every row
-- _6 press.books: every row

-- role: customer
WITH _0 (c0, c1) AS MATERIALIZED (SELECT array(SELECT row(_4."book_title", _4."list_price")
      FROM "press"."books" AS _4
      WHERE (EXISTS (SELECT
          FROM "press"."book_authors" AS "a"
          WHERE "a"."id" = _4."author_id"
          AND "a"."user_id" = $1::int4))
      AND _4."id" = $2::int4), (SELECT row(sum(_7."page_count"))
      FROM "press"."books" AS _7
      WHERE (EXISTS (SELECT
          FROM "press"."book_authors" AS "a"
          WHERE "a"."id" = _7."author_id"
          AND "a"."user_id" = $1::int4)))) (SELECT 0::int2, _2."book_title", _3."id" IS NOT NULL, _3."full_name", null::int4, null::record[], null::record
    FROM (SELECT _2."author_id", _2."book_title"
      FROM "press"."books" AS _2
      WHERE (EXISTS (SELECT
          FROM "press"."book_authors" AS "a"
          WHERE "a"."id" = _2."author_id"
          AND "a"."user_id" = $1::int4))
      ORDER BY _2."book_title"
      LIMIT 1) AS _2
    LEFT JOIN "press"."book_authors" AS _3 ON _3."id" = _2."author_id"
    AND (_3."user_id" = $1::int4)
    ORDER BY _2."book_title") UNION ALL (SELECT 1::int2, null::text, null::bool, null::text, _6."id", null::record[], null::record
    FROM (SELECT _6."id", _6."book_title"
      FROM "press"."books" AS _6
      WHERE (EXISTS (SELECT
          FROM "press"."book_authors" AS "a"
          WHERE "a"."id" = _6."author_id"
          AND "a"."user_id" = $1::int4))
      OFFSET 0) AS _6
    WHERE _6."book_title" ~~ (SELECT $3::text)
    ORDER BY _6."id" DESC) UNION ALL SELECT 2::int2, null::text, null::bool, null::text, null::int4, _0.c0, _0.c1
  FROM _0;
-- $1: session value user_id, Int
-- $2: "1" of the document
-- $3: "N%" of the document
-- _4 press.books: permissions.toml:225: EXISTS (SELECT FROM press.book_authors a WHERE a.id = author_id AND a.user_id = session.user_id)
-- _7 press.books: permissions.toml:225: EXISTS (SELECT FROM press.book_authors a WHERE a.id = author_id AND a.user_id = session.user_id)
-- _2 press.books: permissions.toml:225: EXISTS (SELECT FROM press.book_authors a WHERE a.id = author_id AND a.user_id = session.user_id)
-- _3 press.book_authors: permissions.toml:214: user_id = session.user_id
-- _6 press.books: permissions.toml:225: EXISTS (SELECT FROM press.book_authors a WHERE a.id = author_id AND a.user_id = session.user_id)

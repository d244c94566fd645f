-- role: admin
WITH _0 (c0) AS MATERIALIZED (SELECT (SELECT row(count(_8."id"))
      FROM "press"."book_authors" AS _8)), _1 (c0, c1) AS MATERIALIZED (SELECT _2."full_name", _2."id"
    FROM "press"."book_authors" AS _2
    WHERE EXISTS (SELECT
      FROM "press"."books" AS _3
      WHERE _3."author_id" = _2."id"
      AND _3."book_title" !~~* $1::text)
    AND _2."user_id" IS NOT NULL
    ORDER BY (SELECT count(*)
      FROM "press"."books" AS _4
      WHERE _4."author_id" = _2."id") DESC, (SELECT stddev_samp(_5."page_count")
      FROM "press"."books" AS _5
      WHERE _5."author_id" = _2."id"), _2."full_name") (SELECT 0::int2, _7."book_title", _7."author_id", null::record
    FROM "press"."books" AS _7
    WHERE _7."author_id" = ANY (array(SELECT _1.c1
        FROM _1))
    AND _7."book_title" <> ALL ($2::text[])
    AND _7."book_title" IS NOT NULL
    AND NOT (((_7."list_price" IS NULL)))
    AND (true)
    ORDER BY _7."book_title" DESC) UNION ALL SELECT 1::int2, _1.c0, _1.c1, null::record
  FROM _1 UNION ALL SELECT 2::int2, null::text, null::int4, _0.c0
  FROM _0;
-- $1: $.selectionSet.pressBookAuthors.args.where._and[0].books.title._nilike of the request, String, a pattern
-- $2: $.selectionSet.pressBookAuthors.selectionSet.books.args.where.title._nin of the request, [String!], a list
-- _8 press.book_authors: every row
-- _2 press.book_authors: every row
-- _3 press.books: every row
-- _4 press.books: every row
-- _5 press.books: every row
-- _7 press.books: every row

-- role: customer
WITH _0 (c0) AS MATERIALIZED (SELECT (SELECT row(count(_8."id"))
      FROM "press"."book_authors" AS _8
      WHERE (_8."user_id" = $1::int4))), _1 (c0, c1) AS MATERIALIZED (SELECT _2."full_name", _2."id"
    FROM (SELECT _2."id", _2."full_name", _2."user_id"
      FROM "press"."book_authors" AS _2
      WHERE (_2."user_id" = $1::int4)
      AND _2."user_id" IS NOT NULL
      OFFSET 0) AS _2
    WHERE EXISTS (SELECT
      FROM (SELECT _3."author_id", _3."book_title"
        FROM "press"."books" AS _3
        WHERE (EXISTS (SELECT
            FROM "press"."book_authors" AS "a"
            WHERE "a"."id" = _3."author_id"
            AND "a"."user_id" = $1::int4))
        AND _3."author_id" = _2."id"
        OFFSET 0) AS _3
      WHERE _3."book_title" !~~* (SELECT $2::text))
    ORDER BY (SELECT count(*)
      FROM "press"."books" AS _4
      WHERE (EXISTS (SELECT
          FROM "press"."book_authors" AS "a"
          WHERE "a"."id" = _4."author_id"
          AND "a"."user_id" = $1::int4))
      AND _4."author_id" = _2."id") DESC, (SELECT stddev_samp(_5."page_count")
      FROM "press"."books" AS _5
      WHERE (EXISTS (SELECT
          FROM "press"."book_authors" AS "a"
          WHERE "a"."id" = _5."author_id"
          AND "a"."user_id" = $1::int4))
      AND _5."author_id" = _2."id"), _2."full_name") (SELECT 0::int2, _7."book_title", _7."author_id", null::record
    FROM "press"."books" AS _7
    WHERE (EXISTS (SELECT
        FROM "press"."book_authors" AS "a"
        WHERE "a"."id" = _7."author_id"
        AND "a"."user_id" = $1::int4))
    AND _7."author_id" = ANY (array(SELECT _1.c1
        FROM _1))
    AND _7."book_title" <> ALL ($3::text[])
    AND _7."book_title" IS NOT NULL
    AND NOT (((_7."list_price" IS NULL)))
    AND (true)
    ORDER BY _7."book_title" DESC) UNION ALL SELECT 1::int2, _1.c0, _1.c1, null::record
  FROM _1 UNION ALL SELECT 2::int2, null::text, null::int4, _0.c0
  FROM _0;
-- $1: session value user_id, Int
-- $2: $.selectionSet.pressBookAuthors.args.where._and[0].books.title._nilike of the request, String, a pattern
-- $3: $.selectionSet.pressBookAuthors.selectionSet.books.args.where.title._nin of the request, [String!], a list
-- _8 press.book_authors: permissions.toml:214: user_id = session.user_id
-- _2 press.book_authors: permissions.toml:214: user_id = session.user_id
-- _3 press.books: permissions.toml:225: EXISTS (SELECT FROM press.book_authors a WHERE a.id = author_id AND a.user_id = session.user_id)
-- _4 press.books: permissions.toml:225: EXISTS (SELECT FROM press.book_authors a WHERE a.id = author_id AND a.user_id = session.user_id)
-- _5 press.books: permissions.toml:225: EXISTS (SELECT FROM press.book_authors a WHERE a.id = author_id AND a.user_id = session.user_id)
-- _7 press.books: permissions.toml:225: EXISTS (SELECT FROM press.book_authors a WHERE a.id = author_id AND a.user_id = session.user_id)

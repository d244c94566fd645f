-- role: admin
SELECT array(SELECT row(_0."book_title", _1."id" IS NOT NULL, _1."full_name")
    FROM (SELECT _0."author_id", _0."book_title"
      FROM "press"."books" AS _0
      ORDER BY _0."book_title"
      LIMIT 1) AS _0
    LEFT JOIN "press"."book_authors" AS _1 ON _1."id" = _0."author_id"
    ORDER BY _0."book_title"), array(SELECT row(_2."book_title", _2."list_price")
    FROM "press"."books" AS _2
    WHERE _2."id" = $1::int4), array(SELECT row(_3."id")
    FROM "press"."books" AS _3
    WHERE _3."book_title" ~~ $2::text
    ORDER BY _3."id" DESC), (SELECT row(sum(_4."page_count"))
    FROM "press"."books" AS _4);
-- $1: "1" of the document
-- $2: "N%" of the document
-- _0 press.books: every row
-- _1 press.book_authors: every row
-- _2 press.books: every row
-- _3 press.books: every row
-- _4 press.books: every row

-- role: customer
SELECT array(SELECT row(_0."book_title", _1."id" IS NOT NULL, _1."full_name")
    FROM (SELECT _0."author_id", _0."book_title"
      FROM "press"."books" AS _0
      WHERE (EXISTS (SELECT
          FROM "press"."book_authors" AS "a"
          WHERE "a"."id" = _0."author_id"
          AND "a"."user_id" = $1::int4))
      ORDER BY _0."book_title"
      LIMIT 1) AS _0
    LEFT JOIN "press"."book_authors" AS _1 ON _1."id" = _0."author_id"
    AND (_1."user_id" = $1::int4)
    ORDER BY _0."book_title"), array(SELECT row(_2."book_title", _2."list_price")
    FROM "press"."books" AS _2
    WHERE (EXISTS (SELECT
        FROM "press"."book_authors" AS "a"
        WHERE "a"."id" = _2."author_id"
        AND "a"."user_id" = $1::int4))
    AND _2."id" = $2::int4), array(SELECT row(_3."id")
    FROM "press"."books" AS _3
    WHERE (EXISTS (SELECT
        FROM "press"."book_authors" AS "a"
        WHERE "a"."id" = _3."author_id"
        AND "a"."user_id" = $1::int4))
    AND _3."book_title" ~~ $3::text
    ORDER BY _3."id" DESC), (SELECT row(sum(_4."page_count"))
    FROM "press"."books" AS _4
    WHERE (EXISTS (SELECT
        FROM "press"."book_authors" AS "a"
        WHERE "a"."id" = _4."author_id"
        AND "a"."user_id" = $1::int4)));
-- $1: session value user_id, Int
-- $2: "1" of the document
-- $3: "N%" of the document
-- _0 press.books: permissions.toml:225: EXISTS (SELECT FROM press.book_authors a WHERE a.id = author_id AND a.user_id = session.user_id)
-- _1 press.book_authors: permissions.toml:214: user_id = session.user_id
-- _2 press.books: permissions.toml:225: EXISTS (SELECT FROM press.book_authors a WHERE a.id = author_id AND a.user_id = session.user_id)
-- _3 press.books: permissions.toml:225: EXISTS (SELECT FROM press.book_authors a WHERE a.id = author_id AND a.user_id = session.user_id)
-- _4 press.books: permissions.toml:225: EXISTS (SELECT FROM press.book_authors a WHERE a.id = author_id AND a.user_id = session.user_id)

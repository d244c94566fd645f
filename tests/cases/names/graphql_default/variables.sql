-- role: admin
SELECT array(SELECT row(_0."full_name", array(SELECT row(_4."book_title")
        FROM "press"."books" AS _4
        WHERE _4."author_id" = _0."id"
        AND _4."book_title" <> ALL ($1::text[])
        AND _4."book_title" IS NOT NULL
        AND NOT (((_4."list_price" IS NULL)))
        AND (true)
        ORDER BY _4."book_title" DESC))
    FROM "press"."book_authors" AS _0
    WHERE EXISTS (SELECT
      FROM "press"."books" AS _1
      WHERE _1."author_id" = _0."id"
      AND _1."book_title" !~~* $2::text)
    AND _0."user_id" IS NOT NULL
    ORDER BY (SELECT count(*)
      FROM "press"."books" AS _2
      WHERE _2."author_id" = _0."id") DESC, (SELECT stddev_samp(_3."page_count")
      FROM "press"."books" AS _3
      WHERE _3."author_id" = _0."id"), _0."full_name"), (SELECT row(count(_5."id"))
    FROM "press"."book_authors" AS _5);
-- $1: $.selectionSet.pressBookAuthors.selectionSet.books.args.where.title._nin of the request, [String!], a list
-- $2: $.selectionSet.pressBookAuthors.args.where._and[0].books.title._nilike of the request, String, a pattern
-- _4 press.books: every row
-- _0 press.book_authors: every row
-- _1 press.books: every row
-- _2 press.books: every row
-- _3 press.books: every row
-- _5 press.book_authors: every row

-- role: customer
SELECT array(SELECT row(_0."full_name", array(SELECT row(_4."book_title")
        FROM "press"."books" AS _4
        WHERE (EXISTS (SELECT
            FROM "press"."book_authors" AS "a"
            WHERE "a"."id" = _4."author_id"
            AND "a"."user_id" = $1::int4))
        AND _4."author_id" = _0."id"
        AND _4."book_title" <> ALL ($2::text[])
        AND _4."book_title" IS NOT NULL
        AND NOT (((_4."list_price" IS NULL)))
        AND (true)
        ORDER BY _4."book_title" DESC))
    FROM "press"."book_authors" AS _0
    WHERE (_0."user_id" = $1::int4)
    AND EXISTS (SELECT
      FROM "press"."books" AS _1
      WHERE (EXISTS (SELECT
          FROM "press"."book_authors" AS "a"
          WHERE "a"."id" = _1."author_id"
          AND "a"."user_id" = $1::int4))
      AND _1."author_id" = _0."id"
      AND _1."book_title" !~~* $3::text)
    AND _0."user_id" IS NOT NULL
    ORDER BY (SELECT count(*)
      FROM "press"."books" AS _2
      WHERE (EXISTS (SELECT
          FROM "press"."book_authors" AS "a"
          WHERE "a"."id" = _2."author_id"
          AND "a"."user_id" = $1::int4))
      AND _2."author_id" = _0."id") DESC, (SELECT stddev_samp(_3."page_count")
      FROM "press"."books" AS _3
      WHERE (EXISTS (SELECT
          FROM "press"."book_authors" AS "a"
          WHERE "a"."id" = _3."author_id"
          AND "a"."user_id" = $1::int4))
      AND _3."author_id" = _0."id"), _0."full_name"), (SELECT row(count(_5."id"))
    FROM "press"."book_authors" AS _5
    WHERE (_5."user_id" = $1::int4));
-- $1: session value user_id, Int
-- $2: $.selectionSet.pressBookAuthors.selectionSet.books.args.where.title._nin of the request, [String!], a list
-- $3: $.selectionSet.pressBookAuthors.args.where._and[0].books.title._nilike of the request, String, a pattern
-- _4 press.books: permissions.toml:225: EXISTS (SELECT FROM press.book_authors a WHERE a.id = author_id AND a.user_id = session.user_id)
-- _0 press.book_authors: permissions.toml:214: user_id = session.user_id
-- _1 press.books: permissions.toml:225: EXISTS (SELECT FROM press.book_authors a WHERE a.id = author_id AND a.user_id = session.user_id)
-- _2 press.books: permissions.toml:225: EXISTS (SELECT FROM press.book_authors a WHERE a.id = author_id AND a.user_id = session.user_id)
-- _3 press.books: permissions.toml:225: EXISTS (SELECT FROM press.book_authors a WHERE a.id = author_id AND a.user_id = session.user_id)
-- _5 press.book_authors: permissions.toml:214: user_id = session.user_id

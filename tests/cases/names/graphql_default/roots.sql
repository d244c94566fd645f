-- role: admin
SELECT array(SELECT row(_0."id", _0."full_name", _0."born_on", array(SELECT row(_1."book_title", _1."page_count")
        FROM "press"."books" AS _1
        WHERE _1."author_id" = _0."id"
        ORDER BY _1."page_count" NULLS FIRST), (SELECT row(count(DISTINCT (_2."page_count", _2."book_title")), stddev_pop(_2."page_count"), var_samp(_2."list_price"), max(_2."book_title"), array(SELECT row(_3."book_title")
            FROM "press"."books" AS _3
            WHERE _3."author_id" = _0."id"
            AND _3."page_count" >= $1::int4))
        FROM "press"."books" AS _2
        WHERE _2."author_id" = _0."id"
        AND _2."page_count" >= $1::int4))
    FROM (SELECT DISTINCT ON (_0."born_on") _0."id", _0."full_name", _0."born_on"
      FROM "press"."book_authors" AS _0
      WHERE _0."born_on" IS NOT NULL
      ORDER BY _0."born_on" DESC NULLS LAST, _0."id"
      LIMIT 2) AS _0
    ORDER BY _0."born_on" DESC NULLS LAST, _0."id"), array(SELECT row(_4."full_name")
    FROM "press"."book_authors" AS _4
    WHERE _4."id" = $2::int4), (SELECT row(count(*))
    FROM "press"."book_authors" AS _5);
-- $1: "60" of the document
-- $2: "2" of the document
-- _1 press.books: every row
-- _3 press.books: every row
-- _2 press.books: every row
-- _0 press.book_authors: every row
-- _4 press.book_authors: every row
-- _5 press.book_authors: every row

-- role: customer
SELECT array(SELECT row(_0."id", _0."full_name", _0."born_on", array(SELECT row(_1."book_title", _1."page_count")
        FROM "press"."books" AS _1
        WHERE (EXISTS (SELECT
            FROM "press"."book_authors" AS "a"
            WHERE "a"."id" = _1."author_id"
            AND "a"."user_id" = $1::int4))
        AND _1."author_id" = _0."id"
        ORDER BY _1."page_count" NULLS FIRST), (SELECT row(count(DISTINCT (_2."page_count", _2."book_title")), stddev_pop(_2."page_count"), var_samp(_2."list_price"), max(_2."book_title"), array(SELECT row(_3."book_title")
            FROM "press"."books" AS _3
            WHERE (EXISTS (SELECT
                FROM "press"."book_authors" AS "a"
                WHERE "a"."id" = _3."author_id"
                AND "a"."user_id" = $1::int4))
            AND _3."author_id" = _0."id"
            AND _3."page_count" >= $2::int4))
        FROM "press"."books" AS _2
        WHERE (EXISTS (SELECT
            FROM "press"."book_authors" AS "a"
            WHERE "a"."id" = _2."author_id"
            AND "a"."user_id" = $1::int4))
        AND _2."author_id" = _0."id"
        AND _2."page_count" >= $2::int4))
    FROM (SELECT DISTINCT ON (_0."born_on") _0."id", _0."full_name", _0."born_on"
      FROM "press"."book_authors" AS _0
      WHERE (_0."user_id" = $1::int4)
      AND _0."born_on" IS NOT NULL
      ORDER BY _0."born_on" DESC NULLS LAST, _0."id"
      LIMIT 2) AS _0
    ORDER BY _0."born_on" DESC NULLS LAST, _0."id"), array(SELECT row(_4."full_name")
    FROM "press"."book_authors" AS _4
    WHERE (_4."user_id" = $1::int4)
    AND _4."id" = $3::int4), (SELECT row(count(*))
    FROM "press"."book_authors" AS _5
    WHERE (_5."user_id" = $1::int4));
-- $1: session value user_id, Int
-- $2: "60" of the document
-- $3: "2" of the document
-- _1 press.books: permissions.toml:225: EXISTS (SELECT FROM press.book_authors a WHERE a.id = author_id AND a.user_id = session.user_id)
-- _3 press.books: permissions.toml:225: EXISTS (SELECT FROM press.book_authors a WHERE a.id = author_id AND a.user_id = session.user_id)
-- _2 press.books: permissions.toml:225: EXISTS (SELECT FROM press.book_authors a WHERE a.id = author_id AND a.user_id = session.user_id)
-- _0 press.book_authors: permissions.toml:214: user_id = session.user_id
-- _4 press.book_authors: permissions.toml:214: user_id = session.user_id
-- _5 press.book_authors: permissions.toml:214: user_id = session.user_id

-- role: customer
SELECT "press"."book_label"(_0."_row"), "press"."book_label"(_0."_row", $1::int4)
  FROM (SELECT _0.*::"press"."books" AS "_row"
    FROM "press"."books" AS _0
    WHERE (EXISTS (SELECT
        FROM "press"."book_authors" AS "a"
        WHERE "a"."id" = _0."author_id"
        AND "a"."user_id" = $2::int4))
    OFFSET 0) AS _0
  WHERE "press"."book_label"(_0."_row") IS NOT NULL
  ORDER BY "press"."book_label"(_0."_row");
-- $1: "3" of the document
-- $2: session value user_id, Int
-- _0 press.books: permissions.toml:225: EXISTS (SELECT FROM press.book_authors a WHERE a.id = author_id AND a.user_id = session.user_id)

-- role: manager
SELECT _0."id", _0."shop_id", (_0."shop_id")::text, (_0."id")::text
  FROM "market"."sales" AS _0
  WHERE ((EXISTS (SELECT
        FROM "market"."shops" AS "s"
        WHERE "s"."id" = (_0."shop_id")
        AND "s"."owner_id" = $1::int4)))
  AND (_0."shop_id">=$2::int4
    AND ((_0."shop_id">$2::int4) OR (_0."shop_id"=$2::int4
        AND (_0."id">$3::int4 OR (_0."id" IS NULL
            AND $3::int4 IS NOT NULL)))))
  ORDER BY _0."shop_id", _0."id"
  LIMIT 10;
-- batch:
SELECT "_s"."n", "_r".*
  FROM unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY AS "_s" ("p1", "p2", "p3", "n") JOIN LATERAL (SELECT true, "_q".*
    FROM (SELECT _0."id", _0."shop_id", (_0."shop_id")::text, (_0."id")::text
      FROM "market"."sales" AS _0
      WHERE ((EXISTS (SELECT
            FROM "market"."shops" AS "s"
            WHERE "s"."id" = (_0."shop_id")
            AND "s"."owner_id" = "_s"."p1"::int4)))
      AND (_0."shop_id">="_s"."p2"::int4
        AND ((_0."shop_id">"_s"."p2"::int4) OR (_0."shop_id"="_s"."p2"::int4
            AND (_0."id">"_s"."p3"::int4 OR (_0."id" IS NULL
                AND "_s"."p3"::int4 IS NOT NULL)))))
      ORDER BY _0."shop_id", _0."id"
      LIMIT 10) AS "_q"
    OFFSET 0) AS "_r" ON true;
-- $1: session value user_id, Int
-- $2: position 0, first $.selectionSet.salesStream.args.cursor[0].initial_value.shopId of the request, Int!
-- $3: position 1, first null
-- _0 market.sales: permissions.toml:284: own_shop(shop_id)

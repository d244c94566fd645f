-- role: admin
SELECT array(SELECT row(date_trunc('day', _0."sold_at", 'UTC'), count(*))
    FROM "market"."sales" AS _0
    GROUP BY date_trunc('day', _0."sold_at", 'UTC')
    ORDER BY date_trunc('day', _0."sold_at", 'UTC')), array(SELECT row(date_trunc('minute', _1."entered_at"), count(*))
    FROM "market"."sales" AS _1
    GROUP BY date_trunc('minute', _1."entered_at")
    ORDER BY date_trunc('minute', _1."entered_at")), array(SELECT row(date_trunc('hour', _2."entered_at"), count(*))
    FROM "market"."sales" AS _2
    GROUP BY date_trunc('hour', _2."entered_at")
    ORDER BY date_trunc('hour', _2."entered_at")), array(SELECT row(date_trunc('week', _3."sold_on"::timestamp)::date, count(*))
    FROM "market"."sales" AS _3
    GROUP BY date_trunc('week', _3."sold_on"::timestamp)::date
    ORDER BY date_trunc('week', _3."sold_on"::timestamp)::date), array(SELECT row(date_trunc('month', _4."sold_on"::timestamp)::date, count(*))
    FROM "market"."sales" AS _4
    GROUP BY date_trunc('month', _4."sold_on"::timestamp)::date
    ORDER BY date_trunc('month', _4."sold_on"::timestamp)::date), array(SELECT row(_5."item", date_trunc('quarter', _5."sold_on"::timestamp)::date, count(*))
    FROM "market"."sales" AS _5
    GROUP BY _5."item", date_trunc('quarter', _5."sold_on"::timestamp)::date
    ORDER BY date_trunc('quarter', _5."sold_on"::timestamp)::date, _5."item"), array(SELECT row(date_trunc('year', _6."sold_at", 'UTC'), date_trunc('year', _6."sold_on"::timestamp)::date, count(*))
    FROM "market"."sales" AS _6
    GROUP BY date_trunc('year', _6."sold_at", 'UTC'), date_trunc('year', _6."sold_on"::timestamp)::date
    ORDER BY date_trunc('year', _6."sold_at", 'UTC'), date_trunc('year', _6."sold_on"::timestamp)::date);
-- _0 market.sales: every row
-- _1 market.sales: every row
-- _2 market.sales: every row
-- _3 market.sales: every row
-- _4 market.sales: every row
-- _5 market.sales: every row
-- _6 market.sales: every row

-- role: customer
SELECT array(SELECT row(date_trunc('day', _0."sold_at", 'UTC'), count(*))
    FROM "market"."sales" AS _0
    WHERE ((EXISTS (SELECT
          FROM "market"."shops" AS "s"
          WHERE "s"."id" = (_0."shop_id")
          AND "s"."owner_id" = $1::int4)))
    GROUP BY date_trunc('day', _0."sold_at", 'UTC')
    ORDER BY date_trunc('day', _0."sold_at", 'UTC')), array(SELECT row(date_trunc('minute', _1."entered_at"), count(*))
    FROM "market"."sales" AS _1
    WHERE ((EXISTS (SELECT
          FROM "market"."shops" AS "s"
          WHERE "s"."id" = (_1."shop_id")
          AND "s"."owner_id" = $1::int4)))
    GROUP BY date_trunc('minute', _1."entered_at")
    ORDER BY date_trunc('minute', _1."entered_at")), array(SELECT row(date_trunc('hour', _2."entered_at"), count(*))
    FROM "market"."sales" AS _2
    WHERE ((EXISTS (SELECT
          FROM "market"."shops" AS "s"
          WHERE "s"."id" = (_2."shop_id")
          AND "s"."owner_id" = $1::int4)))
    GROUP BY date_trunc('hour', _2."entered_at")
    ORDER BY date_trunc('hour', _2."entered_at")), array(SELECT row(date_trunc('week', _3."sold_on"::timestamp)::date, count(*))
    FROM "market"."sales" AS _3
    WHERE ((EXISTS (SELECT
          FROM "market"."shops" AS "s"
          WHERE "s"."id" = (_3."shop_id")
          AND "s"."owner_id" = $1::int4)))
    GROUP BY date_trunc('week', _3."sold_on"::timestamp)::date
    ORDER BY date_trunc('week', _3."sold_on"::timestamp)::date), array(SELECT row(date_trunc('month', _4."sold_on"::timestamp)::date, count(*))
    FROM "market"."sales" AS _4
    WHERE ((EXISTS (SELECT
          FROM "market"."shops" AS "s"
          WHERE "s"."id" = (_4."shop_id")
          AND "s"."owner_id" = $1::int4)))
    GROUP BY date_trunc('month', _4."sold_on"::timestamp)::date
    ORDER BY date_trunc('month', _4."sold_on"::timestamp)::date), array(SELECT row(_5."item", date_trunc('quarter', _5."sold_on"::timestamp)::date, count(*))
    FROM "market"."sales" AS _5
    WHERE ((EXISTS (SELECT
          FROM "market"."shops" AS "s"
          WHERE "s"."id" = (_5."shop_id")
          AND "s"."owner_id" = $1::int4)))
    GROUP BY _5."item", date_trunc('quarter', _5."sold_on"::timestamp)::date
    ORDER BY date_trunc('quarter', _5."sold_on"::timestamp)::date, _5."item"), array(SELECT row(date_trunc('year', _6."sold_at", 'UTC'), date_trunc('year', _6."sold_on"::timestamp)::date, count(*))
    FROM "market"."sales" AS _6
    WHERE ((EXISTS (SELECT
          FROM "market"."shops" AS "s"
          WHERE "s"."id" = (_6."shop_id")
          AND "s"."owner_id" = $1::int4)))
    GROUP BY date_trunc('year', _6."sold_at", 'UTC'), date_trunc('year', _6."sold_on"::timestamp)::date
    ORDER BY date_trunc('year', _6."sold_at", 'UTC'), date_trunc('year', _6."sold_on"::timestamp)::date);
-- $1: session value user_id, Int
-- _0 market.sales: permissions.toml:284: own_shop(shop_id)
-- _1 market.sales: permissions.toml:284: own_shop(shop_id)
-- _2 market.sales: permissions.toml:284: own_shop(shop_id)
-- _3 market.sales: permissions.toml:284: own_shop(shop_id)
-- _4 market.sales: permissions.toml:284: own_shop(shop_id)
-- _5 market.sales: permissions.toml:284: own_shop(shop_id)
-- _6 market.sales: permissions.toml:284: own_shop(shop_id)

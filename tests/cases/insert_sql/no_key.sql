-- role: writer
WITH _1 AS MATERIALIZED (SELECT ($1::int4)::int4 AS "owner_id", _0."line" AS "line", _0."stars" AS "stars", _0."_n"
    FROM unnest($2::text[], $3::int2[]) WITH ORDINALITY AS _0("line", "stars", "_n")), _4 AS MATERIALIZED (SELECT (SELECT (CASE WHEN (bool_and((_1."stars" IS NULL OR _1."stars" BETWEEN 1
              AND 5) IS TRUE) IS NOT FALSE) IS TRUE THEN 't' ELSE (SELECT $4::text) END)::bool
      FROM _1) AS "ok"), _3 AS (INSERT INTO "public"."remarks" AS _2 ("owner_id", "line", "stars") SELECT _1."owner_id", _1."line", _1."stars"
    FROM _1
    WHERE (SELECT _4."ok"
      FROM _4) RETURNING _2."line", _2."stars") SELECT ((SELECT count(*)
      FROM _3)), array(SELECT row(_5."line", _5."stars")
    FROM _3 AS _5);
-- $1: session value user_id, Int
-- $2: line of the rows $.selectionSet.insertRemarks.args.objects of the request, [String]
-- $3: stars of the rows $.selectionSet.insertRemarks.args.objects of the request, [smallint]
-- $4: the word of alarm 1.
-- _1 public.remarks: permissions.toml:578: stars IS NULL OR stars BETWEEN 1 AND 5
-- _5 public.remarks: permissions.toml:577: true

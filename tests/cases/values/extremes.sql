-- role: admin
SELECT (SELECT row(min(_0."a_smallint"), min(_0."an_int"), min(_0."a_bigint"), min(_0."a_real"), min(_0."a_double"), min(_0."a_numeric"), min(_0."a_text"), min(_0."a_varchar"), min(_0."a_char"), (array_agg(_0."a_name"
          ORDER BY _0."a_name") FILTER (WHERE _0."a_name" IS NOT NULL))[1], (array_agg(_0."a_uuid"
          ORDER BY _0."a_uuid") FILTER (WHERE _0."a_uuid" IS NOT NULL))[1], min(_0."a_date"), min(_0."a_time"), min(_0."a_timetz")::text, min(_0."a_timestamp"), min(_0."a_timestamptz"), min(_0."an_interval")::text, to_json(min(_0."an_inet"))::text, (array_agg(_0."a_macaddr"
          ORDER BY _0."a_macaddr") FILTER (WHERE _0."a_macaddr" IS NOT NULL))[1]::text, min(_0."a_money")::text, to_json(min(_0."an_oid"))::text, (array_agg(_0."an_int4range"
          ORDER BY _0."an_int4range") FILTER (WHERE _0."an_int4range" IS NOT NULL))[1]::text, (array_agg(_0."a_span"
          ORDER BY _0."a_span") FILTER (WHERE _0."a_span" IS NOT NULL))[1]::text, min(_0."a_mood")::text, min(_0."a_sku"), min(_0."a_percent"), (array_agg(_0."a_citext"
          ORDER BY _0."a_citext") FILTER (WHERE _0."a_citext" IS NOT NULL))[1]::text, min(_0."a_loose"), min(_0."ints"), min(_0."texts"), to_json(min(_0."moods"))::text, min(_0."times"), (array_agg(_0."a_bytea"
          ORDER BY _0."a_bytea") FILTER (WHERE _0."a_bytea" IS NOT NULL))[1], (array_agg(_0."a_bit"
          ORDER BY _0."a_bit") FILTER (WHERE _0."a_bit" IS NOT NULL))[1]::text, (array_agg(_0."a_varbit"
          ORDER BY _0."a_varbit") FILTER (WHERE _0."a_varbit" IS NOT NULL))[1]::text, max(_0."a_smallint"), max(_0."an_int"), max(_0."a_bigint"), max(_0."a_real"), max(_0."a_double"), max(_0."a_numeric"), max(_0."a_text"), max(_0."a_varchar"), max(_0."a_char"), (array_agg(_0."a_name"
          ORDER BY _0."a_name" DESC) FILTER (WHERE _0."a_name" IS NOT NULL))[1], (array_agg(_0."a_uuid"
          ORDER BY _0."a_uuid" DESC) FILTER (WHERE _0."a_uuid" IS NOT NULL))[1], max(_0."a_date"), max(_0."a_time"), max(_0."a_timetz")::text, max(_0."a_timestamp"), max(_0."a_timestamptz"), max(_0."an_interval")::text, to_json(max(_0."an_inet"))::text, (array_agg(_0."a_macaddr"
          ORDER BY _0."a_macaddr" DESC) FILTER (WHERE _0."a_macaddr" IS NOT NULL))[1]::text, max(_0."a_money")::text, to_json(max(_0."an_oid"))::text, (array_agg(_0."an_int4range"
          ORDER BY _0."an_int4range" DESC) FILTER (WHERE _0."an_int4range" IS NOT NULL))[1]::text, (array_agg(_0."a_span"
          ORDER BY _0."a_span" DESC) FILTER (WHERE _0."a_span" IS NOT NULL))[1]::text, max(_0."a_mood")::text, max(_0."a_sku"), max(_0."a_percent"), (array_agg(_0."a_citext"
          ORDER BY _0."a_citext" DESC) FILTER (WHERE _0."a_citext" IS NOT NULL))[1]::text, max(_0."a_loose"), max(_0."ints"), max(_0."texts"), to_json(max(_0."moods"))::text, max(_0."times"), (array_agg(_0."a_bytea"
          ORDER BY _0."a_bytea" DESC) FILTER (WHERE _0."a_bytea" IS NOT NULL))[1], (array_agg(_0."a_bit"
          ORDER BY _0."a_bit" DESC) FILTER (WHERE _0."a_bit" IS NOT NULL))[1]::text, (array_agg(_0."a_varbit"
          ORDER BY _0."a_varbit" DESC) FILTER (WHERE _0."a_varbit" IS NOT NULL))[1]::text)
    FROM "public"."specimens" AS _0
    WHERE _0."a_numeric" IS NOT NULL);
-- _0 public.specimens: every row

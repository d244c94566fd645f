-- role: admin
SELECT array(SELECT row(_1."id", _1."a_smallint", _1."an_int", _1."a_bigint", _1."a_real", _1."a_double", _1."a_numeric", _1."a_boolean", _1."a_text", _1."a_varchar", _1."a_char", _1."a_name", _1."one_char"::text, _1."a_uuid", _1."a_date", _1."a_time", _1."a_timetz"::text, _1."a_timestamp", _1."a_timestamptz", _1."an_interval"::text, _1."a_json", _1."a_jsonb", _1."a_bytea", to_json(_1."an_inet")::text, _1."a_macaddr"::text, _1."a_money"::text, to_json(_1."an_oid")::text, _1."a_bit"::text, _1."a_varbit"::text, _1."an_int4range"::text, _1."a_span"::text, _1."a_point"::text, _1."a_tsvector"::text, _1."an_xml"::text, _1."a_mood"::text, _1."a_sku", _1."a_percent", to_json(_1."an_address")::text, _1."a_citext"::text, _1."a_loose", _1."ints", _1."texts", to_json(_1."moods")::text, to_json(_1."citexts")::text, to_json(_1."addresses")::text, _1."times", _1."jsons")
    FROM "public"."specimens" AS _1
    WHERE _1."owner_id" = _0."id"
    ORDER BY _1."id")
  FROM "public"."users" AS _0
  WHERE _0."id" <= $1::int4
  ORDER BY _0."id";
-- $1: "2" of the document
-- _1 public.specimens: every row
-- _0 public.users: every row

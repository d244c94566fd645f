-- role: admin
SELECT _0."id", _0."a_smallint", _0."an_int", _0."a_bigint", _0."a_real", _0."a_double", _0."a_numeric", _0."a_boolean", _0."a_text", _0."a_varchar", _0."a_char", _0."a_name", _0."one_char"::text, _0."a_uuid", _0."a_date", _0."a_time", _0."a_timetz"::text, _0."a_timestamp", _0."a_timestamptz", _0."an_interval"::text, _0."a_json", _0."a_jsonb", _0."a_bytea", to_json(_0."an_inet")::text, _0."a_macaddr"::text, _0."a_money"::text, to_json(_0."an_oid")::text, _0."a_bit"::text, _0."a_varbit"::text, _0."an_int4range"::text, _0."a_span"::text, _0."a_point"::text, _0."a_tsvector"::text, _0."an_xml"::text, _0."a_mood"::text, _0."a_sku", _0."a_percent", to_json(_0."an_address")::text, _0."a_citext"::text, _0."a_loose", _0."ints", _0."texts", to_json(_0."moods")::text, to_json(_0."citexts")::text, to_json(_0."addresses")::text, _0."times", _0."jsons"
  FROM "public"."specimens" AS _0
  ORDER BY _0."id";
-- _0 public.specimens: every row

-- role: admin
SELECT _0."id", _0."secret", _1."id" IS NOT NULL, _1."name", array(SELECT row(_2."action", _2."detail", to_json(_2."ip")::text)
    FROM "back"."audit_log" AS _2
    WHERE _2."actor_id" = _1."id"
    ORDER BY _2."at")
  FROM "back"."secrets" AS _0
  LEFT JOIN "public"."users" AS _1 ON _1."id" = _0."user_id"
  ORDER BY _0."id";
-- _2 back.audit_log: every row
-- _0 back.secrets: every row
-- _1 public.users: every row

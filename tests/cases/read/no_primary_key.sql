-- role: admin
SELECT _0."at", _0."action"
  FROM "back"."audit_log" AS _0
  ORDER BY _0."at", _0."action";
-- _0 back.audit_log: every row

-- role: customer
SELECT _0."at", _0."action"
  FROM "back"."audit_log" AS _0
  WHERE (_0."actor_id" = $1::int4)
  ORDER BY _0."at", _0."action";
-- $1: session value user_id, Int
-- _0 back.audit_log: permissions.toml:151: actor_id = session.user_id

-- role: auditor
SELECT _0."at", _0."action"
  FROM "back"."audit_log" AS _0
  ORDER BY _0."at", _0."action"
  LIMIT 3;
-- _0 back.audit_log: permissions.toml:154: true

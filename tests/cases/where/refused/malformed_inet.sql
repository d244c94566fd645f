-- role: admin
SELECT _0."at"
  FROM "back"."audit_log" AS _0
  WHERE _0."ip" = $1::inet;
-- $1: "nowhere" of the document
-- _0 back.audit_log: every row

-- role: auditor
SELECT _0."at"
  FROM "back"."audit_log" AS _0
  WHERE _0."ip" = $1::inet
  LIMIT 3;
-- $1: "nowhere" of the document
-- _0 back.audit_log: permissions.toml:154: true

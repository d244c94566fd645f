-- $1 controller, $2 without
SELECT coalesce(json_agg(s), '[]') FROM (
  SELECT id, email, name, status, created_at FROM subjects
  WHERE controller_id = $1 AND status <> $2 ORDER BY created_at DESC LIMIT 20) s

-- $1 before
SELECT coalesce(json_agg(s), '[]') FROM (
  SELECT id, email, name, status, created_at FROM subjects
  WHERE created_at < $1 ORDER BY created_at DESC LIMIT 10000) s

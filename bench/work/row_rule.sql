-- $1 user
SELECT coalesce(json_agg(s), '[]') FROM (
  SELECT s.id, s.email, s.name, s.status, s.created_at, (SELECT c FROM (SELECT c.id, c.name) c) AS controller
  FROM (
    SELECT id, email, name, status, created_at, controller_id FROM subjects
    WHERE EXISTS (SELECT FROM members m WHERE m.controller_id = subjects.controller_id AND m.user_id = $1)
    ORDER BY created_at DESC LIMIT 50) s
  JOIN controllers c ON c.id = s.controller_id
  ORDER BY s.created_at DESC) s

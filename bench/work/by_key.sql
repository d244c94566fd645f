-- $1 id
SELECT json_build_object('id', id, 'email', email, 'name', name, 'status', status, 'created_at', created_at)
FROM subjects WHERE id = $1

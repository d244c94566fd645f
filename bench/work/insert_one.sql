-- $1 subject_id, $2 title, $3 body
INSERT INTO notes (subject_id, title, body) VALUES ($1, $2, $3)
RETURNING json_build_object('id', id, 'title', title, 'created_at', created_at)

-- $1 controller, $2 before
SELECT array_to_json(array(SELECT s FROM (
  SELECT id, email, name, array(SELECT r FROM (
    SELECT id, kind, status, created_at, array(SELECT e FROM (
      SELECT id, kind, detail, created_at FROM events WHERE request_id = requests.id ORDER BY created_at) e) AS events
    FROM requests WHERE subject_id = subjects.id ORDER BY created_at) r) AS requests
  FROM subjects WHERE controller_id = $1 AND created_at < $2 ORDER BY created_at DESC LIMIT 20) s))

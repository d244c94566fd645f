-- $1 controller, $2 kind, $3 status
SELECT array_to_json(array(SELECT s FROM (
  SELECT id, email, name, (SELECT r FROM (SELECT (SELECT a FROM (
    SELECT count(*) AS count FROM requests WHERE subject_id = subjects.id) a) AS aggregate) r) AS requests_aggregate
  FROM subjects
  WHERE controller_id = $1
    AND EXISTS (SELECT FROM requests WHERE subject_id = subjects.id AND kind = $2 AND status = $3)
  ORDER BY created_at DESC LIMIT 20) s))

-- Retention: what is older than its purpose allows is deleted every night by the schedule `retention` (gateway.toml), and
-- each run is recorded for the team.

BEGIN;

CREATE TABLE retention_runs (
  id                    uuid        PRIMARY KEY DEFAULT gen_random_uuid(),
  data_controller_id    uuid        NOT NULL REFERENCES data_controllers ON DELETE CASCADE,
  ran_at                timestamptz NOT NULL DEFAULT now(),
  activities_deleted    integer     NOT NULL DEFAULT 0,
  notifications_deleted integer     NOT NULL DEFAULT 0,
  oldest_deleted_at     timestamptz,
  oldest_kept_at        timestamptz
);
COMMENT ON TABLE retention_runs IS 'A run of the job that deletes what is older than its purpose allows.';
COMMENT ON COLUMN retention_runs.id IS 'The identifier.';
COMMENT ON COLUMN retention_runs.data_controller_id IS 'The controller whose data was looked at.';
COMMENT ON COLUMN retention_runs.ran_at IS 'When it ran.';
COMMENT ON COLUMN retention_runs.activities_deleted IS 'How many processing activities were deleted.';
COMMENT ON COLUMN retention_runs.notifications_deleted IS 'How many notifications were deleted.';
COMMENT ON COLUMN retention_runs.oldest_deleted_at IS 'When the oldest deleted record was made; null if there was none.';
COMMENT ON COLUMN retention_runs.oldest_kept_at IS 'When the oldest activity that was kept had happened; null if there is none.';
CREATE INDEX retention_runs_controller_idx ON retention_runs (data_controller_id, ran_at);

-- Records that serve no purpose are kept as long as the controller's settings say: three years if they say nothing.
CREATE FUNCTION default_retention_months(configuration jsonb) RETURNS integer LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE jsonb_typeof(configuration -> 'defaultRetentionMonths')
           WHEN 'number' THEN least(greatest((configuration ->> 'defaultRetentionMonths')::numeric, 1), 1200)::int
           ELSE 36 END
$$;
COMMENT ON FUNCTION default_retention_months(jsonb) IS 'How long records that serve no purpose are kept, in months.';

-- An activity is kept as long as the longest of the purposes that its type serves at the controller, retired ones too; one
-- without a limit keeps it.
CREATE FUNCTION delete_expired(as_of timestamptz) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM set_config('privacy.erasing', 'on', true);
  WITH kept AS (
    SELECT c.id AS controller_id, t.id AS type_id,
           CASE WHEN count(p.id) = 0 THEN default_retention_months(c.compliance_configuration)
                WHEN bool_or(p.id IS NOT NULL AND p.retention_months IS NULL) THEN NULL
                ELSE max(p.retention_months) END AS months
      FROM data_controllers c
      CROSS JOIN data_processing_activity_types t
      LEFT JOIN data_controller_purpose_template_links l ON l.purpose_business_template_id = t.purpose_business_template_id
      LEFT JOIN data_controller_processing_purposes p
             ON p.id = l.data_controller_processing_purpose_id AND p.data_controller_id = c.id AND p.status <> 'draft'
     GROUP BY c.id, t.id
  ), activities AS (
    DELETE FROM data_processing_activities a
     USING data_subjects s, kept k
     WHERE s.id = a.data_subject_id AND k.controller_id = s.data_controller_id AND k.type_id = a.type_id
       AND a.triggered_at < as_of - make_interval(months => k.months)
    RETURNING s.data_controller_id AS controller_id, a.triggered_at AS at
  ), notifications AS (
    DELETE FROM notification_messages n
     USING data_subjects s, data_controllers c
     WHERE s.id = n.data_subject_id AND c.id = s.data_controller_id
       AND n.created_at < as_of - make_interval(months => default_retention_months(c.compliance_configuration))
    RETURNING s.data_controller_id AS controller_id, n.created_at AS at
  ), deleted AS (
    SELECT controller_id, at, 1 AS activity, 0 AS notification FROM activities
    UNION ALL
    SELECT controller_id, at, 0, 1 FROM notifications
  )
  INSERT INTO retention_runs (data_controller_id, ran_at, activities_deleted, notifications_deleted, oldest_deleted_at)
  SELECT c.id, as_of, coalesce(sum(d.activity), 0), coalesce(sum(d.notification), 0), min(d.at)
    FROM data_controllers c LEFT JOIN deleted d ON d.controller_id = c.id
   GROUP BY c.id;
  UPDATE retention_runs r
     SET oldest_kept_at = o.at
    FROM (SELECT s.data_controller_id AS controller_id, min(a.triggered_at) AS at
            FROM data_processing_activities a JOIN data_subjects s ON s.id = a.data_subject_id GROUP BY s.data_controller_id) o
   WHERE r.data_controller_id = o.controller_id AND r.ran_at = as_of;
  PERFORM set_config('privacy.erasing', 'off', true);
END $$;
COMMENT ON FUNCTION delete_expired(timestamptz) IS 'Deletes what is older than its purpose allows, and records that it did, for each controller.';

CREATE FUNCTION apply_retention(event json) RETURNS void LANGUAGE sql AS $$
  SELECT delete_expired(now())
$$;
COMMENT ON FUNCTION apply_retention(json) IS 'The target of the schedule `retention`.';

COMMIT;
